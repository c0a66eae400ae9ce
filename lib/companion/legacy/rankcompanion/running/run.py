"""Run a notebook headlessly with checked parameters: ``rankstability run 01 campaign=wmt18``."""

import json
import logging
import os
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from companion.legacy.paperkit import parameters, paths, placing
from companion.legacy.paperkit.parameters import WHOLE, pairs_of
from companion.legacy.paperkit.placing import RECORD, write_whole
from companion.legacy.paperkit.runs import NAME, slim
from companion.legacy.rankcampaigns.languages import PLACEHOLDER
from companion.legacy.rankstability.errors import DataError, visible

ONE_THREAD = {
    v: "1"
    for v in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
}
"""Settings that keep sums from depending on the number of cores."""
SOURCE = "Source issue"  # the category that the usual weights of MQM leave out
LEFT_OUT = " (left out)"  # the end of the reasons why rows do not count
KERNEL_TRIES = 3  # how often a kernel is started that does not answer


@dataclass(frozen=True)
class Plan:
    """One execution: notebook, campaign and parameters, and where results and executed copy go."""

    notebook: str
    campaign: Any
    pair: str  # as given; empty for all pairs
    final: Path
    executed: Path
    values: Mapping[str, Any]
    read: Mapping[str, Any] = field(
        default_factory=dict, repr=False
    )  # a user's own judgments

    @property
    def about(self) -> tuple[str, str]:
        """The notebook and the campaign, by name."""
        return self.notebook, self.campaign.name

    @property
    def pairs(self) -> tuple[str, ...]:
        """The language pairs that this run computes; none for only the campaign's tables."""
        return pairs_of(self.campaign, self.pair)

    @property
    def whole(self) -> bool:
        """Whether this run makes the tables of the whole campaign."""
        return self.pair in ("", WHOLE)

    @property
    def failed(self) -> Path:
        """Where the executed copy of a failed run goes."""
        return self.executed.with_suffix(".failed.ipynb")

    @property
    def scopes(self) -> list[Path]:
        """The folders whose results this run makes."""
        return [
            *(self.final / pair for pair in self.pairs),
            *([self.final] if self.whole else []),
        ]


def plan(
    name: str, given: Mapping[str, Any], told: Mapping[str, Any] | None = None
) -> Plan:
    """Check everything about a run before anything is written.

    `told` are settings of a user's table, see `campaigns.find`. The files of a user's own campaign
    are read here, and how is printed to standard error. Raises
    InputError or DataError for parameters, campaign, pair, folder or files that do not fit.
    """
    _refuse_year(name, given)
    from companion.legacy.rankcampaigns import campaigns, humans, judges

    _refuse_settings(name, given)
    values = parameters.check(name, given)

    default = {p.name: p.default for p in parameters.parameters(name)}
    asked = values.get("campaign") or default["campaign"]
    campaign = campaigns.find(asked, told)
    pair = values.get("pair", "")
    if asked != campaign.name or not campaigns.in_catalogue(asked):
        values["campaign"] = str(
            campaign.file or campaign.folder
        )  # it runs in another folder
    parameters.check_campaign(name, campaign)
    parameters.check_pair(campaign, pair)
    wanted = values.get("output_dir", "")
    final = parameters.output_folder(
        wanted or placing.results_folder(campaign) / name
    )
    # the executed copy, too; the report does not show it
    beside = wanted or campaign.own
    folder = final if beside else paths.BUILD / "executed" / campaign.name
    stem = f"{name}__{pair}" if pair not in ("", WHOLE) else name
    run = Plan(name, campaign, pair, final, folder / f"{stem}.ipynb", values)
    if campaign.own:
        run = replace(
            run, read={one: campaigns.load(campaign, one) for one in run.pairs}
        )
    systems = {
        name for one in run.read.values() for name in humans.systems_of(one)
    }
    how = campaign.reading.to_dict("records") + humans.asked(campaign, systems)
    for row in how if campaign.own else ():
        if row["value"] != PLACEHOLDER:
            said = f"read: {row['what']}: {row['value']} (by {row['said by']})"
            print(visible(said), file=sys.stderr)
    if campaign.own and (apart := judges.told(campaign.entry)):
        print(
            visible(f"judges, set apart from people: {apart}"), file=sys.stderr
        )
    for file, reason in campaign.unread:
        print(visible(f"not read: {file} ({reason})"), file=sys.stderr)
    for what in _left_out(run.read):
        print(visible(f"left out: {what}"), file=sys.stderr)
    for pair, judgments in run.read.items():
        for reason, errors in of_no_weight(judgments).items():
            print(f"{pair}: {reason.strip('()')}: {errors:,}", file=sys.stderr)
    return run


def _left_out(read: Mapping[str, Any]) -> list[str]:
    """Which rows of a user's own judgments were left out, and how many: a line for each reason."""
    total: Counter[str] = Counter()
    for judgments in read.values():
        excluded = getattr(judgments, "excluded", None)
        excluded = (
            judgments.attrs.get("excluded", {})
            if excluded is None
            else excluded
        )
        if isinstance(excluded, Mapping):
            total.update(excluded)
            continue
        for file, reason, rows in excluded.itertuples(index=False):
            total[f"{file}: {reason}" if file else reason] += int(rows)
    dropped = {
        what: n for what, n in total.items() if n and what.endswith(LEFT_OUT)
    }
    return [
        f"{what.removesuffix(LEFT_OUT)}: {n:,} {'row' if n == 1 else 'rows'}"
        for what, n in dropped.items()
    ]


def of_no_weight(judgments: Any) -> dict[str, int]:
    """How many marked errors of MQM have weight 0, by a reason that says how to count them.

    Empty for other judgments, and for errors whose severity is neutral.
    """
    if "severity" not in getattr(judgments, "columns", ()):
        return {}
    from ..models.weights import weightless

    counted = weightless(judgments)
    told = {}
    for category, errors in counted.items():
        reason = f"(kept with weight 0: errors of the category {category}"
        source = str(category) == SOURCE and "weights" not in judgments.attrs
        told[
            f"{reason}{'; `weights: with_source` counts them' if source else ''})"
        ] = int(errors)
    return told


def _refuse_year(name: str, given: Mapping[str, Any]) -> None:
    """Raises DataError for a year whose recipe is named after another year, such as ``wmt22``."""
    asked = str(given.get("recipe", ""))
    year = re.fullmatch(r"(?:wmt)?(?:20)?([12]\d)", asked.lower())
    own = parameters.metadata(name).get("choices", {}).get("recipe")
    choices = own or parameters.choices("recipe")
    if year and asked not in choices:
        from companion.legacy.rankstability.rank.recipes import recipe_of_year

        used = recipe_of_year(2000 + int(year[1]), "")
        expected = f"{used}, the recipe of 20{year[1]}; or one of {', '.join(choices)}"
        raise DataError("parameter recipe", value=asked, expected=expected)


def _refuse_settings(name: str, given: Mapping[str, Any]) -> None:
    """Raises DataError for a setting of a table, such as ``humans``, that is no parameter."""
    from companion.legacy.rankcampaigns import settings

    known = {p.name for p in parameters.parameters(name)}
    for key in settings.ASKED:
        if key in given and key not in known:
            expected = f"`{key}:` in a campaign.yaml beside the data"
            raise DataError(
                f"{name} does not take settings of a table; `rankstability verdict` does",
                value=f"{key}={given[key]}",
                expected=expected,
            )


def execute(name: str, given: Mapping[str, Any], quiet: bool = False) -> Path:
    """Run a notebook, put its results in place only if all of it succeeded; returns their folder.

    The executed copy goes to ``build/executed/<campaign>`` with its status beside it; if
    ``output_dir`` is given or the campaign is the user's own, it goes to the folder of results,
    without a status. Copy and status of a failed run are called ``*.failed.*``, so that those of
    the last good run stay. For a user's own campaign ``report.html`` is written beside the results
    too.

    Raises what `plan` raises; RuntimeError if a cell failed or a promised file is missing.
    """
    run = plan(name, given)
    started = time.monotonic()
    with (
        placing.made_folders(run.executed.parent, run.final.parent),
        placing.staging(run.final) as own,
    ):
        copy = own / "executed.ipynb"
        try:
            results(
                run, own, lambda values: _executed(run, copy, values, quiet)
            )
            write_whole(run.executed, copy.read_bytes())
            if run.campaign.own:
                from companion.legacy.paperkit.pages import alone

                report = (
                    run.executed.stem.replace(run.notebook, "report") + ".html"
                )
                write_whole(run.final / report, alone(copy, run.final))
            if not run.values.get("output_dir"):
                placing.claim(run.campaign)
        except BaseException as error:
            message = str(error).strip().splitlines()
            with suppress(
                OSError
            ):  # if the disk is full, the error itself is still raised
                if copy.is_file():
                    write_whole(run.failed, copy.read_bytes())
                _write_status(
                    run,
                    given,
                    started,
                    message[-1] if message else repr(error),
                )
            raise
    _write_status(run, given, started)
    return run.final


def results(
    run: Plan, own: Path, work: Callable[[dict[str, Any]], object]
) -> None:
    """Let `work`, given the run's values, write results to the folder `own`; put them in place.

    Raises InputError if a file in the output folder that no run wrote would be overwritten, and
    DataError if the tables of pairs are needed that have not been run.
    """
    new = own / placing.NEW
    given = run.values.get("output_dir")
    if given:
        placing.refuse_others(run.final, [RECORD, *_promised(run)])
    copied = run.campaign.pairs if run.pair == WHOLE else ()
    if copied:
        with placing.locked(run.final):
            for pair in copied:
                if not (run.final / pair / RECORD).is_file():
                    problem = "this pair has not been run"
                    expected = "its results"
                    raise DataError(
                        problem, file=run.final / pair, expected=expected
                    )
                (new / pair).mkdir(parents=True)
                for table in [
                    *(run.final / pair).glob("*.csv"),
                    run.final / pair / RECORD,
                ]:
                    shutil.copyfile(table, new / pair / table.name)
    work({**run.values, "output_dir": str(new)})
    for pair in copied:
        shutil.rmtree(new / pair, ignore_errors=True)
    if given:
        made = (file for file in new.rglob("*") if file.is_file())
        placing.refuse_others(
            run.final, [str(file.relative_to(new)) for file in made]
        )
    placing.place(own, run.final, run.about, run.scopes)


def _executed(
    run: Plan, executed: Path, values: Mapping[str, Any], quiet: bool
) -> None:
    """Run the notebook and check its promises; for a whole campaign, write the slim copy too."""
    _papermill(run, executed, values, quiet)
    new = Path(values["output_dir"])
    if missing := [f for f in _promised(run) if not (new / f).is_file()]:
        raise RuntimeError(
            f"{run.notebook} ran to its end without writing {', '.join(missing)}"
        )
    if run.whole:
        write_whole(new / NAME, slim(executed, new, run.final))


def _papermill(
    run: Plan, executed: Path, values: Mapping[str, Any], quiet: bool
) -> None:
    os.environ.update(ONE_THREAD)
    # the kernel of this environment, no other
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    import papermill as pm
    import zmq
    from traitlets.config import Config

    encrypted = {"transport_encryption": "auto"} if zmq.has("curve") else {}
    logging.getLogger("papermill").setLevel(logging.ERROR)
    for attempt in range(1, KERNEL_TRIES + 1):
        try:
            pm.execute_notebook(
                str(paths.NOTEBOOKS / f"{run.notebook}.ipynb"),
                str(executed),
                parameters=dict(values),
                kernel_name="python3",
                cwd=str(paths.ROOT),
                progress_bar=not quiet and sys.stderr.isatty(),
                start_timeout=120,
                request_save_on_cell_execute=False,
                extra_arguments=[
                    "--IPKernelApp.log_level=50"
                ],  # no messages when it is shut down
                config=Config({"KernelManager": encrypted}),
            )
            return
        except pm.PapermillExecutionError as error:
            raise RuntimeError(
                f"{run.notebook} failed in cell {error.exec_count}; see {paths.shown(run.failed)}\n"
                f"{error.ename}: {error.evalue}"
            ) from None
        except RuntimeError as error:
            started = not str(error).startswith(
                ("Kernel didn't respond", "Kernel died before")
            )
            if (
                started or attempt == KERNEL_TRIES
            ):  # else: another program took the kernel's port
                raise


def _promised(run: Plan) -> list[str]:
    """The files that the notebook's metadata promises for this run."""
    about = parameters.metadata(run.notebook)
    wanted = list(about.get("promises", [])) if run.whole else []
    return wanted + [
        f"{pair}/{f}"
        for pair in run.pairs
        for f in about.get("pair_promises", [])
    ]


def _write_status(
    run: Plan, given: Mapping[str, Any], started: float, error: str = ""
) -> None:
    """Write the status of a run beside its executed notebook, with the checksums of its files."""
    made = [] if error else run.scopes
    files = [
        s / n
        for s in made
        for n in placing.listed(placing.record(s), run.about) | {RECORD}
    ]
    state = {
        "notebook": run.notebook,
        "campaign": run.campaign.name,
        "pair": "" if run.pair == WHOLE else run.pair,
        "given": {name: str(value) for name, value in given.items()},
        "output_dir": paths.shown(run.final),
        "status": "failed" if error else "ok",
        "seconds": round(time.monotonic() - started, 1),
        "error": error,
        "files": {
            paths.shown(f): placing.digest(f)
            for f in sorted(files)
            if f.is_file()
        },
    }
    broken = run.executed.with_suffix(".failed.status.json")
    if run.executed.parent != run.final:  # one that the report shows
        file = broken if error else run.executed.with_suffix(".status.json")
        write_whole(file, (json.dumps(state, indent=1) + "\n").encode())
    if not error:
        for old in (broken, run.failed):
            old.unlink(missing_ok=True)
