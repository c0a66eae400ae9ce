"""Several verdicts at once, with one page that puts them side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..errors import DataError, escape_in_json, escape_invisible
from ..formatting import page_in_frame
from ..inference.tasks import rank_over_tasks
from ..io.write import write_folder
from ..judgments import Judgments
from .answers import Questions, leaders_of
from .page import (
    Verdict,
    page_environment,
    page_values,
    verdict_on,
)
from .plain import plain_value
from .words import nouns_for

MAX_FOLDER = 60  # characters of a folder's name


@dataclass(frozen=True, repr=False)
class Verdicts:
    """Verdicts on several rankings, by name, and a page that puts them side by side.

    Attributes
    ----------
    verdicts : dict of str to Verdict
    candidates : dict of str to list of str
        For each ranking the systems of which one is the best; all answers are valid together.
    tasks : dict or None
        The answer over all of them, if it was asked for: rows, candidates, left_out.
    html : str
        The page side by side.
    """

    verdicts: Mapping[str, Verdict]
    candidates: Mapping[str, list[str]]
    tasks: Mapping[str, Any] | None
    html: str

    def __getitem__(self, name: str) -> Verdict:
        """Return the verdict of this name."""
        return self.verdicts[name]

    @property
    def answer(self) -> str:
        """The answers, a line each."""
        return "\n".join(
            f"{escape_invisible(name)}: {each.answer}" for name, each in self.verdicts.items()
        )

    def save(self, folder: str | Path) -> list[str]:
        """Write a folder for each verdict, and ``index.html`` beside them, whole or not at all.

        Returns the names of the files; nothing is written if `folder` is empty.
        """
        if not str(folder):
            return []
        names = folder_names(list(self.verdicts))
        contents = {
            f"{names[key]}/{name}": content
            for key, each in self.verdicts.items()
            for name, content in each.contents().items()
        }
        leaders = {"candidates": dict(self.candidates), "over_all": self.tasks}
        text = escape_in_json(json.dumps(leaders, indent=1, ensure_ascii=False)) + "\n"
        contents["index.json"] = text.encode("utf-8", "backslashreplace")
        contents["index.html"] = self.html.encode("utf-8", "backslashreplace")
        write_folder(Path(folder), contents)
        return list(contents)

    def __repr__(self) -> str:
        """Return the answers, a line each."""
        return self.answer

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own, which cannot run scripts."""
        return page_in_frame(self.html, 700)


def verdicts_on(
    parts: Mapping[str, Judgments],
    asked: Questions,
    *,
    over_all: bool = False,
    procedure: str | None = None,
    unit: str | None = None,
    alpha: float = 0.05,
    title: str = "",
) -> Verdicts:
    """Return the verdicts on several rankings, with one page side by side; see `verdict`."""
    if not parts:
        raise DataError("no_judgments")
    if asked.earlier is not None:
        raise DataError("argument_not_used", argument="earlier", data="several rankings")
    made = {
        name: verdict_on(
            part,
            asked,
            procedure=procedure,
            unit=unit,
            alpha=alpha,
            title=_title(title, name, part),
        )
        for name, part in parts.items()
    }
    rankings = {name: one.ranking for name, one in made.items()}
    humans = {name: part.humans for name, part in parts.items()}
    level = next(iter(rankings.values())).alpha  # of one look, if several are planned
    candidates = leaders_of(rankings, humans, level)
    tasks = _over_all(list(parts.values()), procedure, unit, level) if over_all else None
    return Verdicts(made, candidates, tasks, _page(made, candidates, tasks, title))


def _title(title: str, name: str, part: Judgments) -> str:
    """Return the title of one page: the name of the data, and that of the part."""
    first = title or part.campaign or part.source
    return f"{first}: {name}" if first and name not in first else name


def _over_all(
    parts: list[Judgments], procedure: str | None, unit: str | None, alpha: float
) -> dict[str, Any]:
    """Return the ranking over all parts, equally weighted."""
    found = rank_over_tasks(parts, unit=unit or None, procedure=procedure or None, alpha=alpha)
    humans = {name for part in parts for name in part.humans}
    return {
        "rows": plain_value(found.table),
        "candidates": [name for name in found.candidates.systems if name not in humans],
        "left_out": list(found.left_out),
    }


def folder_names(names: list[str]) -> dict[str, str]:
    """Return a safe name of a folder for each name; no two are the same.

    >>> folder_names(["a/b", "a?b", ".."])
    {'a/b': 'a_b', 'a?b': 'a_b-2', '..': 'all'}
    """
    found: dict[str, str] = {}
    for name in names:
        kept = "".join(c if c.isalnum() or c in "-_. " else "_" for c in escape_invisible(name))
        first = kept.strip(". ")[:MAX_FOLDER] or "all"
        folder, number = first, 1
        while folder.lower() in {used.lower() for used in found.values()}:
            number += 1
            folder = f"{first}-{number}"
        found[name] = folder
    return found


def _page(
    made: Mapping[str, Verdict],
    candidates: Mapping[str, list[str]],
    tasks: Mapping[str, Any] | None,
    title: str,
) -> str:
    """Return the page side by side."""
    first = next(iter(made.values())).facts
    nouns = nouns_for(first)
    environment = page_environment(first, nouns)
    folders = folder_names(list(made))
    rows = [
        {
            **one.facts,
            "name": name,
            "link": f"{quote(folders[name])}/verdict.html",
            "candidates": candidates[name],
        }
        for name, one in made.items()
    ]
    same = len({one.facts["score_name"] for one in made.values()}) == 1
    values = {
        **page_values(first, nouns),
        "rows": rows,
        "tasks": tasks,
        "any_drawn": any(one.facts["draws"] for one in made.values()),
        "title": escape_invisible(
            title or first["campaign"] or first["source"] or "Several rankings"
        ),
        "score_name": first["score_name"] if same else "score",
    }
    return environment.get_template("overview.html.j2").render(**values)
