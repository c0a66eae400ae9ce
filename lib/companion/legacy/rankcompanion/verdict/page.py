"""A verdict: how far a ranking can be trusted, computed, drawn and written as one page.

`verdict` does all of it without a notebook; notebook 00 calls the same `cases` and `make`. The
sentences are in the templates of the page.
"""

import base64
import html
import json
import multiprocessing
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from companion.legacy.paperkit import parameters, placing
from companion.legacy.paperkit.templates import HERE, short, template
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcampaigns.languages import PLACEHOLDER
from companion.legacy.rankstability.errors import visible
from companion.legacy.rankstability.rank.bradley_terry import STRENGTH
from companion.legacy.rankstability.rank.fewest import COLUMNS as FEWEST
from companion.legacy.rankstability.rank.ranking import Ranking

from ..figures import lines as figures
from ..figures.common import HOUSE
from ..models.chance import named_generator
from ..models.meetings import meetings
from ..models.units import unit_table
from ..notebooks.lines.tables import recipes
from ..running import run as runner
from ..running import session
from ..running.session import Drawn, Outputs, Run
from . import answers, judge_models, latex, overview
from . import cases as study
from .case import Case
from .coverage import design

SYSTEM = ("system", "score", "low", "high", "rank_low", "rank_high")


@dataclass(frozen=True)
class Verdict:
    """One case's verdict as written: what the page says, its tables and figures, its path.

    `said` holds plain values (see `answers.facts`); `file` is the path of the page below the folder
    of results.
    """

    said: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]
    drawn: Sequence[Drawn]
    file: str

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return sentence(self.said)


def execute(
    plan: runner.Plan, quiet: bool = False, jobs: int = 1
) -> list[Verdict]:
    """Compute and write the verdicts of the run that `run.plan` planned; all or nothing is written.

    Unless `quiet`, the verdict of each pair is printed as soon as it is computed. `jobs` processes
    compute the pairs.
    """
    made: list[Verdict] = []

    def work(values: dict[str, Any]) -> None:
        values["campaign"] = (
            plan.campaign
        )  # the name has been resolved already
        made.extend(
            verdict(values, plan.read, jobs, None if quiet else plan.final)
        )

    with (
        placing.made_folders(plan.final.parent),
        placing.staging(plan.final) as own,
    ):
        runner.results(plan, own, work)
        if not plan.values.get("output_dir"):
            placing.claim(plan.campaign)
    return made


def _tell(made: Verdict, final: Path) -> None:
    """Print what a verdict says; its page will be below the folder `final`."""
    name = _called(made.said)
    todo = statements(made.said)["next"]
    told = f"{name}: {made.sentence}\n{name}: {todo}\n  {final / made.file}\n"
    print(visible(told), flush=True)


def verdict(
    values: Mapping[str, Any],
    read: Mapping[str, Any] | None = None,
    jobs: int = 1,
    final: Path | None = None,
) -> list[Verdict]:
    """Compute and write the verdict of each case, and the campaign's table of verdicts.

    `values` maps parameters of notebook 00 to their values; `read` may hold judgments that have
    been read already, by language pair. Each verdict is printed if `final`, the folder where pages
    will be, is given. Results do not depend on the number of `jobs`.
    """
    known = {
        p.name: p.default for p in parameters.parameters(parameters.VERDICT)
    } | dict(values)
    where = [known.pop(name) for name in ("campaign", "pair", "output_dir")]
    run = session.opened(parameters.VERDICT, *where, **known)
    # all pairs of a user's own campaign: checked before anything slow starts
    had = read or {}
    every = cases(
        replace(run, pairs=tuple(had)), known["recipe"], known["unit"], had
    )
    ready = {pair: [one for one in every if one.pair == pair] for pair in had}
    asked = [(run, pair, known, ready.get(pair), final) for pair in run.pairs]
    if min(jobs, len(asked)) < 2:
        made = [_of_pair(*one) for one in asked]
    else:
        way = multiprocessing.get_context(
            "fork" if sys.platform == "linux" else None
        )
        with ProcessPoolExecutor(min(jobs, len(asked)), way) as pool:
            several = [pool.submit(_of_pair, *one) for one in asked]
            for one in as_completed(
                several
            ):  # the first failure stops the others
                if one.exception():
                    pool.shutdown(wait=False, cancel_futures=True)
            made = [one.result() for one in several]
    whole(run)
    return [one for pair in made for one in pair]


def _of_pair(
    run: Run,
    pair: str,
    known: Mapping[str, Any],
    ready: list[Case] | None,
    final: Path | None,
) -> list[Verdict]:
    """The verdicts of one pair's cases, which are `ready` or read now."""
    alone = replace(run, pairs=(pair,))
    made = []
    for one in ready or cases(alone, known["recipe"], known["unit"]):
        made.append(make(run, one, known))
        if final:
            _tell(made[-1], final)
    return made


def cases(
    run: Run,
    recipe: str = "auto",
    unit: str = "auto",
    read: Mapping[str, Any] | None = None,
) -> list[Case]:
    """The cases of every language pair of the run, all read before anything is computed."""
    had = read or {}
    judgments = {
        p: had[p] if p in had else campaigns.load(run.campaign, p)
        for p in run.pairs
    }
    made = (
        study.cases(run.campaign, p, one, recipe, unit)
        for p, one in judgments.items()
    )
    return [one for several in made for one in several]


def make(run: Run, one: Case, settings: Mapping[str, Any]) -> Verdict:
    """Compute, draw and write one case's verdict.

    `settings` holds the recipe and the settings that `judged` takes.
    """
    numbers = {
        name: value for name, value in settings.items() if name != "recipe"
    }
    made, tables = judged(one, **numbers)
    tables["judge_models"] = judge_models.table(
        run.campaign, one, settings["alpha"]
    )
    said = answers.facts(run, one, made, tables, dict(settings))
    track = _track(one)
    placed = "" if one.name == PLACEHOLDER else f": {one.name}"
    title = short(run.campaign.title + placed, 80)
    also = replace(
        run.out, formats=tuple({**dict.fromkeys(run.out.formats), "pdf": None})
    )
    about = title, said["score_name"], said["alpha"], said["words"]["systems"]
    ranking = _shortened(made.table).assign(unit=_others(said))
    fig = figures.standing(ranking, made.places, *about)
    shown = {"verdict": also.figure(fig, f"verdict{track}", one.pair)}
    if "recipes" in tables:
        both = _shortened(tables["recipes"]), tables["recipe_lines"]
        fig = figures.recipes(*both, f"{title}: the recipes of all years")
        shown["recipes"] = run.out.figure(fig, "recipes" + track, one.pair)
    write(run.out, one, said, tables, shown)
    return Verdict(
        said, tables, list(shown.values()), f"{one.pair}/verdict{track}.html"
    )


def whole(run: Run) -> pd.DataFrame:
    """Write all pairs' sentences as one table and one page, if the run covers the whole campaign.

    How few judgments decide each of them is written as ``fewest.csv``. Returns the table of
    sentences, empty for a run of a single pair.
    """
    if not run.whole:
        return pd.DataFrame()
    table = run.out.pair_tables("sentence*")
    run.out.document(
        overview.page(run, table), "index.html", "", "all pairs on one page"
    )
    few = []
    for row in table.to_dict("records"):
        file = (
            run.out.directory
            / row["pair"]
            / Path(row["page"]).with_suffix(".json")
        )
        for removal in json.loads(file.read_bytes())["fewest"]:
            few.append({"pair": row["pair"], "task": row["task"], **removal})
    run.out.table(
        pd.DataFrame(few, columns=["pair", "task", *FEWEST]), "fewest"
    )
    return run.out.table(table, "verdicts")


def judged(
    one: Case,
    *,
    unit: str = "auto",
    alpha: float = 0.05,
    seed: int = 2026,
) -> tuple[Ranking, dict[str, pd.DataFrame]]:
    """The ranking with its lines and rank sets, and all tables of a case's verdict by name."""
    rng = named_generator(seed, one.name)
    battles = one.battles
    made = study.standing(one, unit, alpha)
    tables = {
        "ranking": made.table,
        "lines": made.places,
        "answers": answers.line_answers(made),
        "unit_table": battles.number if battles else unit_table(one.own),
        "controls": study.controls(one),
        "beside": study.judged_together(one),
        "same": study.same_annotators(one, made, alpha),
    }
    if battles is None:
        tables["design"] = design(one.own)
    elif one.recipe == STRENGTH:
        tables["meetings"] = meetings(battles.every.counts)
    if (
        one.judged and not one.own.items
    ):  # no year of WMT ranked by items alone
        rankings, lines = recipes(one.judged, [made.unit], alpha)
        tables |= {"recipes": rankings, "recipe_lines": lines}
    return made, {
        **tables,
        "domains": study.by_domain(one, made.unit, alpha),
        "fewest": study.fewest(one, alpha),
        "removals": study.removals(one, alpha),
        **study.again(one, made, rng, alpha),
        **study.by_annotators(one, alpha),
    }


def _others(said: Mapping[str, Any]) -> str:
    """The resampling units in the campaign's words; empty if nothing can be told."""
    return (
        _plain(_words(said).drawn(said)).removeprefix("other ")
        if said["told"]
        else ""
    )


def _shortened(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with system names cut, with an ellipsis, to a length that fits a figure."""
    return frame.assign(system=frame["system"].astype(str).map(short))


def _called(said: Mapping[str, Any]) -> str:
    """The name of a case: its pair or task, or the campaign if the data name neither."""
    return str(said["title"] if said["name"] == PLACEHOLDER else said["name"])


def _track(one: Case) -> str:
    """The suffix of a task's file names; empty for the largest task of a pair."""
    return f"_{one.name.partition(' ')[2]}" if one.extra else ""


def _words(told: Mapping[str, Any]) -> Any:
    """The macros of the words template, bound to the facts `told`."""
    return template("verdict_words.j2").make_module({"v": told})


def _plain(markup: object) -> str:
    return html.unescape(" ".join(str(markup).split()))


def sentence(told: Mapping[str, Any]) -> str:
    """The answer in one sentence, as the template says it."""
    return _plain(_words(told).sentence(told))


def statements(told: Mapping[str, Any]) -> dict[str, Any]:
    """The page's statements by name: best, lines, next, weakest, paper and cautions.

    ``cautions`` (what must not be concluded) is a list of texts; each of the others is one text.
    """
    words = _words(told)
    names = {
        "best": "best",
        "lines": "printable",
        "next": "next",
        "weakest": "weakest",
    }
    said = {
        name: _plain(getattr(words, macro)(told))
        for name, macro in names.items()
    }
    lines = str(words.cautions(told)).splitlines()
    cautions = [_plain(line) for line in lines if line.strip()]
    return {**said, "paper": _plain(words.paper(told)), "cautions": cautions}


def page(
    told: Mapping[str, Any], drawn: Mapping[str, Drawn], track: str = ""
) -> bytes:
    """The verdict as one self-contained HTML page with pictures embedded at their size.

    `track` is the suffix of the names of the files beside it.
    """
    images = {
        name: {
            "source": "data:image/png;base64,"
            + base64.b64encode(one.png).decode(),
            "width": int.from_bytes(one.png[16:20], "big")
            * 96
            // int(HOUSE["savefig.dpi"]),
        }
        for name, one in drawn.items()
    }
    css = (HERE / "site.css").read_text(encoding="utf-8")
    given = {"v": told, "images": images, "css": css, "track": track}
    return bytes(template("verdict.html.j2").render(**given).encode())


def how_page() -> bytes:
    """How each number of a verdict is computed, as one HTML page: the same for every verdict."""
    css = (HERE / "site.css").read_text(encoding="utf-8")
    return bytes(template("how.html.j2").render(css=css).encode())


def as_json(told: Mapping[str, Any]) -> bytes:
    """Everything the page says as JSON, described by ``page/verdict.schema.json``.

    First the keys that other programs may rely on, then every other number and table.
    """
    systems = [{name: row[name] for name in SYSTEM} for row in told["ranking"]]
    named = ("read", "campaign", "name", "pair", "protocol", "recipe", "unit")
    out = {
        "sentence": sentence(told),
        "statements": statements(told),
        **{name: told[name] for name in named},
        "systems": systems,
        "lines": [
            {k: row[k] for k in ("below", "claimed", "held")}
            for row in told["lines"]
        ],
        "may_be_first": told["may_be_first"],
        "fewest": told["fewest"],
        "repeat": told["repeat"][0] if told["repeat"] else None,
        "needed": told["needed"],
    }
    left = (*out, "beside")
    rest = {name: value for name, value in told.items() if name not in left}
    out |= {"systems_ranked": told["systems"], **rest}
    return (json.dumps(out, indent=1, ensure_ascii=False) + "\n").encode()


def as_latex(told: Mapping[str, Any], digits: int) -> bytes:
    """The ranking as a table in LaTeX, scores with `digits` decimals."""
    fits = latex.plan(told["ranking"], digits, told["unit"] != "")
    given = {"v": told, "words": _words(told), "digits": digits}
    given |= {"plan": fits, "pieces": latex.pieces}
    return f"{template('ranking.tex.j2').render(**given)}\n".encode()


def write(
    out: Outputs,
    one: Case,
    said: Mapping[str, Any],
    frames: Mapping[str, pd.DataFrame],
    drawn: Mapping[str, Drawn],
) -> None:
    """Write a case's tables, page, JSON, LaTeX and workbook; its figures are already `drawn`."""
    track = _track(one)
    kept = {name: frame for name, frame in frames.items() if len(frame)}
    for name in answers.BESIDE:
        if name in kept:
            out.table(kept[name], name + track, one.pair)
    words = statements(said)
    line = {"task": one.name, "protocol": one.protocol, "unit": said["unit"]}
    line |= {"claimed": said["claimed"], "held": said["claimed_held"]}
    line |= {"also_held": said["also_held"], "sentence": sentence(said)}
    line |= {"best": words["best"], "weakest": words["weakest"]}
    line |= {"page": f"verdict{track}.html"}
    out.table(pd.DataFrame([line]), "sentence" + track, one.pair)
    made = page(said, drawn, track)
    out.document(
        made, f"verdict{track}.html", one.pair, "the verdict as a page"
    )
    out.document(
        how_page(), "how.html", one.pair, "how each number is computed"
    )
    out.document(
        as_json(said),
        f"verdict{track}.json",
        one.pair,
        "the verdict's numbers",
    )
    text = as_latex(said, figures.decimals(frames["ranking"]))
    out.document(text, f"ranking{track}.tex", one.pair, "the ranking in LaTeX")
    if book := overview.workbook(kept):
        out.document(
            book, f"tables{track}.xlsx", one.pair, "all tables as a workbook"
        )
