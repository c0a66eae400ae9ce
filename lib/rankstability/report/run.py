"""Run a notebook headlessly with checked parameters: ``rankstability run 01 campaign=wmt18``."""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import paths
from ..errors import DataError
from . import placing
from .parameters import WHOLE, check_writable, output_folder
from .parameters import check as check
from .parameters import check_campaign as check_campaign
from .parameters import check_pair as check_pair
from .parameters import metadata as metadata
from .parameters import notebooks as notebooks
from .parameters import parameters as parameters
from .parameters import resolve as resolve

ONE_THREAD = {v: "1" for v in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
"""Sums must not depend on the number of cores."""
KERNEL_TRIES = 3  # a kernel that does not answer at start-up is started again


@dataclass(frozen=True)
class Plan:
    """One execution: what runs on what, and where its results and its executed copy go."""

    notebook: str
    campaign: str
    pair: str
    pairs: tuple[str, ...]
    final: Path
    executed: Path
    values: Mapping[str, Any]
    own: bool = False

    @property
    def failed(self) -> Path:
        """Where the executed copy of a failed run goes."""
        return self.executed.with_suffix(".failed.ipynb")

    @property
    def listed(self) -> bool:
        """Whether the report shows this run: not of own campaigns, nor into another folder."""
        return not self.own and not self.values.get("output_dir")

    @property
    def scopes(self) -> list[Path]:
        """The folders whose results this run makes."""
        if self.pair not in ("", WHOLE):
            return [self.final / self.pair]
        below = [] if self.pair == WHOLE else [self.final / pair for pair in self.pairs]
        return [*below, self.final]


def plan(name: str, given: Mapping[str, Any]) -> Plan:
    """Check everything about a run before anything is written.

    Raises
    ------
    DataError
        For parameters that do not fit, a campaign that is not here, or a pair it does not have.
    """
    values = check(name, given)
    default = {p.name: p.default for p in parameters(name)}
    wanted = output_folder(values["output_dir"]) if values.get("output_dir") else None
    from ..read import campaigns
    from . import places

    asked = values.get("campaign") or default["campaign"]
    if asked not in campaigns.catalogue() and os.path.exists(asked):
        values["campaign"] = asked = str(Path(asked).resolve())  # the notebook runs elsewhere
    campaign = campaigns.find(asked)
    pair = values.get("pair", "")
    check_campaign(name, campaign)
    check_pair(campaign, pair)
    stem = f"{name}__{pair}" if pair not in ("", WHOLE) else name
    if wanted:
        final = wanted
        executed = final / f"{stem}.ipynb"
    else:
        final = (places.results_folder(campaign) / name).resolve()
        executed = paths.BUILD / "executed" / campaign.name / f"{stem}.ipynb"
        if places.own(campaign):
            executed = final / f"{stem}.ipynb"
    check_writable(final)
    return Plan(
        name, campaign.name, pair, campaign.pairs, final, executed, values, places.own(campaign)
    )


def execute(name: str, given: Mapping[str, Any], quiet: bool = False) -> Path:
    """Run a notebook and put its results in place only if all of it succeeded.

    The notebook writes to a folder of its own; when it has run to its end and every promised file
    is there, the files are put in place (`placing`). A failed or killed run leaves earlier results
    as they were. The executed copy goes to ``build/executed/<campaign>/<notebook>.ipynb`` with its
    status beside it; of a failed run both are called ``....failed``, and the last good run keeps
    its own. Where ``output_dir`` is given, the copy goes there. A run that failed for a value it
    was given leaves nothing.

    Returns
    -------
    Path
        The output folder.

    Raises
    ------
    DataError
        For parameters that do not fit.
    RuntimeError
        If a cell failed or a promised file is missing; names the saved notebook.
    """
    run = plan(name, given)
    from ..read import campaigns  # after the checks, which say within a second what is wrong
    from . import places
    from .outputs import write_whole

    started = time.monotonic()
    with placing.made_folders(run.executed.parent, run.final), placing.staging(run.final) as own:
        copy = own / "executed.ipynb"
        try:
            _results(run, own, copy, quiet)
            write_whole(run.executed, copy.read_bytes())
            if run.own and not run.values.get("output_dir"):
                places.claim(campaigns.find(run.values["campaign"]))
        except BaseException as error:
            message = str(error).strip().splitlines()
            with suppress(OSError):  # the disk may be full; what is wrong is said all the same
                if not mistyped(run.values, str(error)):
                    if copy.is_file():
                        write_whole(run.failed, copy.read_bytes())
                    last = message[-1] if message else repr(error)
                    write_status(run, given, "failed", started, last)
            raise
    write_status(run, given, "ok", started, "")
    return run.final


def mistyped(values: Mapping[str, Any], error: str) -> bool:
    """Whether a run failed because a notebook refused a value that was given, and says so."""
    if "DataError: " not in error:
        return False
    own = (v for name, v in values.items() if name not in ("campaign", "pair", "output_dir"))
    asked = [part for v in own for part in (v if isinstance(v, list) else [v])]
    return any(f"found {part!r}" in error or f"found [{part!r}]" in error for part in asked)


def _results(run: Plan, own: Path, executed: Path, quiet: bool) -> None:
    """Run the notebook in the folder `own`, and put what it made in place."""
    new = own / placing.NEW
    if run.pair == WHOLE:
        with placing.locked(run.final):
            copy_pairs(run.final, new, run.pairs)
    _papermill(run, executed, {**run.values, "output_dir": str(new)}, quiet)
    check_promises(run, new)
    _keep_report(run, executed, new)
    if run.pair == WHOLE:
        for copied in run.pairs:
            shutil.rmtree(new / copied, ignore_errors=True)
    placing.place(own, (run.notebook, run.campaign), run.scopes)


def copy_pairs(final: Path, staging: Path, pairs: Sequence[str]) -> None:
    """Copy the tables of pairs already run to where a run of the whole campaign reads them.

    Raises
    ------
    DataError
        For a pair that has not been run.
    """
    from .outputs import RECORD

    for pair in pairs:
        if not (final / pair / RECORD).is_file():
            where = paths.shown(final / pair)
            raise DataError("this pair has not been run", file=where, expected="its results")
        (staging / pair).mkdir(parents=True, exist_ok=True)
        for table in [*sorted((final / pair).glob("*.csv")), final / pair / RECORD]:
            shutil.copyfile(table, staging / pair / table.name)


def _papermill(run: Plan, executed: Path, values: Mapping[str, Any], quiet: bool) -> None:
    os.environ.update(ONE_THREAD)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # the kernel of this environment, no other
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
                config=Config({"KernelManager": encrypted}),
            )
            return
        except pm.PapermillExecutionError as error:
            raise RuntimeError(
                f"{run.notebook} failed in cell {error.exec_count}; see {paths.shown(run.failed)}\n"
                f"{error.ename}: {error.evalue}"
            ) from None
        except RuntimeError as error:
            started = not str(error).startswith(("Kernel didn't respond", "Kernel died before"))
            if started or attempt == KERNEL_TRIES:  # another program had taken the kernel's port
                raise


def check_promises(run: Plan, folder: Path) -> None:
    """Refuse a run that did not leave in `folder` what its notebook's metadata promises.

    Raises
    ------
    RuntimeError
        Names the missing files.
    """
    about = metadata(run.notebook)
    wanted = list(about.get("promises", [])) if run.pair in ("", WHOLE) else []
    pairs = () if run.pair == WHOLE else (run.pair,) if run.pair else run.pairs
    wanted += [f"{pair}/{f}" for pair in pairs for f in about.get("pair_promises", [])]
    missing = [f for f in wanted if not (folder / f).is_file()]
    if missing:
        raise RuntimeError(f"{run.notebook} ran to its end without writing {', '.join(missing)}")


def _keep_report(run: Plan, executed: Path, staging: Path) -> None:
    """Leave the executed notebook in its small form among the results of a whole campaign."""
    from .outputs import write_whole
    from .slim import NAME, slim

    if run.pair in ("", WHOLE):
        write_whole(staging / NAME, slim(executed, staging, run.final))


def write_status(
    run: Plan, given: Mapping[str, Any], status: str, started: float, error: str
) -> None:
    """Write what became of a run beside its executed notebook, with the checksums of its files."""
    from ..read.text import digest
    from .outputs import RECORD, record, write_whole

    files = {}
    for scope in run.scopes if status == "ok" else ():
        for name in [*placing.listed(record(scope), (run.notebook, run.campaign)), RECORD]:
            if (scope / name).is_file():
                files[paths.shown(scope / name)] = digest(scope / name)
    state = {
        "notebook": run.notebook,
        "campaign": run.campaign,
        "pair": "" if run.pair == WHOLE else run.pair,
        "given": {name: str(value) for name, value in given.items()},
        "output_dir": paths.shown(run.final),
        "status": status,
        "seconds": round(time.monotonic() - started, 1),
        "error": error,
        "files": dict(sorted(files.items())),
    }
    broken = run.executed.with_suffix(".failed.status.json")
    file = run.executed.with_suffix(".status.json") if status == "ok" else broken
    if run.listed:
        write_whole(file, (json.dumps(state, indent=1) + "\n").encode())
    if status == "ok":
        for old in (broken, run.failed):
            old.unlink(missing_ok=True)
