"""The page of a verdict: fixed sentences with slots, small tables, one figure."""

from __future__ import annotations

import base64
import html
import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import yaml

from ..codes import PLANS
from ..errors import DataError, escape_invisible
from ..formatting import KIND_NAMES, boundary_kinds
from ..io.results import table_bytes
from ..judgments import Judgments
from ..perturb import keep
from ..plots.ranking import plot_ranking
from ..ranking.result import Ranking
from .facts import collect_facts, ranking_for, vocabularies

MAX_OPEN = 12  # systems: above, the table of all pairs is folded
MAX_FIGURE = 60  # systems that a figure shows


@dataclass(frozen=True)
class Verdict:
    """How far a ranking can be trusted.

    Attributes
    ----------
    facts : dict
        Every number and name on the page (see `rankstability.verdict.facts.KEYS`).
    html : str
        The page: one self-contained file.
    ranking : Ranking
        The ranking behind it.
    """

    facts: Mapping[str, Any]
    html: str
    ranking: Ranking
    answer: str = field(default="")

    def save(self, folder: str | Path) -> list[str]:
        """Write the page, its numbers and tables into a folder, whole or not at all.

        Returns the names of the files. Nothing is written if `folder` is empty.
        """
        if not str(folder):
            return []
        contents = self._contents()
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".partial-", dir=target))
        try:
            for name, content in contents.items():
                (scratch / name).write_bytes(content)
            for name in contents:
                os.replace(scratch / name, target / name)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return list(contents)

    def _contents(self) -> dict[str, bytes]:
        ranking = self.ranking
        facts = {key: value for key, value in self.facts.items() if key != "excluded_sentences"}
        text = json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False)
        return {
            "verdict.html": self.html.encode("utf-8", "backslashreplace"),
            "verdict.json": (text + "\n").encode("utf-8", "backslashreplace"),
            "ranking.tex": ranking.to_latex().encode("utf-8", "backslashreplace"),
            "ranking.csv": table_bytes(ranking.table),
            "pairs.csv": table_bytes(ranking.pairs),
            "boundaries.csv": table_bytes(ranking.boundaries),
            "fewest.csv": table_bytes(pd.DataFrame(self.facts["fewest"])),
        }

    def __repr__(self) -> str:
        """Return the answer in one sentence."""
        return self.answer

    def _repr_html_(self) -> str:
        """Show the page in a frame of its own, which cannot run scripts."""
        page = html.escape(self.html, quote=True)
        return f'<iframe sandbox="" srcdoc="{page}" style="width: 100%; height: 900px; border: 0"></iframe>'


def verdict(
    judgments: Judgments,
    *,
    procedure: str | None = None,
    unit: str | None = None,
    alpha: float = 0.05,
    ask: Sequence[Any] = (),
    baseline: str | None = None,
    candidates: bool = False,
    look: int | None = None,
    looks: int | None = None,
) -> Verdict:
    """Say how far a ranking can be trusted, as one page.

    Parameters
    ----------
    judgments : Judgments
        Judgments of any kind.
    procedure, unit, alpha
        As for `rank_systems`.
    ask : sequence of pairs of str
        Pairs of systems, named before the scores were seen: is the first better than the second?
    baseline : str, optional
        A system with which all others are compared, named before the scores were seen.
    candidates : bool
        Whether to answer which system should be chosen, and what the choice costs at most.
    look, looks : int, optional
        This look and the number of planned looks at a running campaign.

    Returns
    -------
    Verdict

    Raises
    ------
    DataError
        As `rank_systems`.

    Examples
    --------
    >>> import rankstability as rs
    >>> verdict = rs.verdict(rs.load("demo-srdc", "de-en"))
    >>> verdict.facts["drawn"], verdict.facts["drawn_supported"]
    (2, 0)
    """
    if not isinstance(judgments, Judgments):
        raise DataError("not_judgments", value=type(judgments).__name__)
    if ask and all(isinstance(each, str) for each in ask):
        ask = [ask]
    ranking = ranking_for(judgments, procedure, unit, alpha, look, looks)
    facts = collect_facts(
        judgments,
        ranking,
        procedure=procedure,
        unit=unit,
        ask=ask,
        baseline=baseline,
        candidates=candidates,
        look=look,
        looks=looks,
    )
    nouns = vocabularies()[facts["vocabulary"]]
    environment = template_environment(facts["decimals"])
    values = {
        "v": facts,
        "w": nouns,
        "u": unit_phrases(facts["unit"], nouns),
        "plans": PLANS,
        "rules": _rules(ranking),
        "kind_name": KIND_NAMES[judgments.kind],
        "version": version("rankstability"),
        "title": _title(facts),
        "subtitle": _subtitle(facts, nouns),
        "max_open": MAX_OPEN,
        "figure": _figure(ranking),
    }
    values["css"] = files(__package__).joinpath("templates/verdict.css").read_text("utf-8")
    page = environment.get_template("verdict.html.j2").render(**values)
    answer = strip_tags(environment.get_template("answer.txt.j2").render(**values))
    return Verdict(facts, page, ranking, escape_invisible(answer))


def verdicts(judgments: Mapping[str, Judgments], **options: Any) -> dict[str, Verdict]:
    """Return a verdict for each of several judgments; together their statements keep the level.

    Each is made at alpha divided by their number.
    """
    alpha = options.pop("alpha", 0.05) / max(len(judgments), 1)
    return {name: verdict(each, alpha=alpha, **options) for name, each in judgments.items()}


def overview(made: Mapping[str, Verdict], level: float = 0.05) -> str:
    """Return one page that puts several verdicts side by side."""
    environment = template_environment(3)
    first = next(iter(made.values()))
    css = files(__package__).joinpath("templates/verdict.css").read_text("utf-8")
    nouns = vocabularies()[first.facts["vocabulary"]]
    rows = [{"name": name, **each.facts} for name, each in made.items()]
    template = environment.get_template("overview.html.j2")
    return template.render(rows=rows, w=nouns, css=css, level=level)


def split_by(judgments: Judgments, column: str) -> dict[str, Judgments]:
    """Return the judgments of each value of a column, such as ``domain``."""
    table = judgments.table
    if column not in table:
        known = ", ".join(map(str, table.columns))
        raise DataError("no_such_column", column="each", value=column, expected=known)
    values = [str(value) for value in table[column].dropna().unique()]
    words = {"domain": "domains", "document": "documents", "annotator": "annotators"}
    if column in words:
        return {value: keep(judgments, **{words[column]: [value]}) for value in values}
    rows = {value: (table[column].astype(str) == value).to_numpy() for value in values}
    return {value: judgments.with_table(table[mask]) for value, mask in rows.items()}


def strip_tags(markup: str) -> str:
    """Return the first two paragraphs of a page's answer as plain text."""
    paragraphs = re.findall(r"<p[^>]*>(.*?)</p>", markup, re.S)
    text = " ".join(re.sub(r"<[^>]+>", "", each) for each in paragraphs[:2])
    return " ".join(html.unescape(text).split())


def unit_phrases(unit: str, nouns: Mapping[str, str]) -> dict[str, str]:
    """Return what a statement allows for, and what remains unknown, in the nouns of a page."""
    table = yaml.safe_load(files(__package__).joinpath("units.yaml").read_text("utf-8"))
    return {key: text.format(**nouns) for key, text in table[unit].items()}


def _rules(ranking: Ranking) -> dict[int, str]:
    """Return the style of the rule below each rank."""
    styles = {"drawn and supported": "solid", "drawn": "dashed", "supported": "double"}
    return {rank: styles[kind] for rank, kind in boundary_kinds(ranking).items()}


def _title(facts: Mapping[str, Any]) -> str:
    """Return the title of the page: campaign, pair and task."""
    parts = [facts["campaign"] or facts["source"] or "Your judgments", facts["pair"], facts["task"]]
    return escape_invisible(" ".join(dict.fromkeys(filter(None, parts))))[:90]


def _subtitle(facts: Mapping[str, Any], nouns: Mapping[str, str]) -> str:
    """Return protocol, counts and procedure in one line."""
    counts = facts["counts"]
    protocol = nouns["title"].format(protocol=facts["protocol"] or KIND_NAMES[facts["kind"]])
    parts = [protocol, f"{counts['systems']:,} {nouns['systems']}"]
    if counts["humans"]:
        parts.append(f"{counts['humans']} {nouns['human']}" + ("s" if counts["humans"] > 1 else ""))
    parts.append(f"{counts['judgments']:,} {nouns['judgments']}")
    parts.append("ranked by " + facts["procedure_title"])
    return " · ".join(parts)


def template_environment(digits: int) -> jinja2.Environment:
    """Return the templates, with the filters that show numbers and names."""
    loader = jinja2.PackageLoader("rankstability.verdict", "templates")
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["score"] = lambda value: "" if value is None else f"{value:.{digits}f}"
    environment.filters["count"] = lambda value: f"{value:,.0f}"
    environment.filters["percent"] = lambda value: "" if value is None else f"{100 * value:.0f} %"
    environment.filters["name"] = lambda value: escape_invisible(str(value))
    environment.filters["names"] = lambda values: _join([escape_invisible(str(v)) for v in values])
    return environment


def _join(names: Sequence[str]) -> str:
    """Return names as a list in a sentence, at most eight of them."""
    if len(names) > 8:
        return ", ".join(names[:7]) + f" and {len(names) - 7} more"
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]


def _figure(ranking: Ranking) -> str:
    """Return the figure of the ranking as a PNG in base64; empty for very many systems."""
    if len(ranking.systems) > MAX_FIGURE:
        return ""
    out = io.BytesIO()
    plot_ranking(ranking).savefig(out, format="png", dpi=120, metadata={"Software": None})
    return base64.b64encode(out.getvalue()).decode()
