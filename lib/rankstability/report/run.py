"""Run a notebook headlessly with checked parameters: ``python -m rankstability.run 01``."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import paths
from ..errors import DataError
from .declared import check as check
from .declared import metadata as metadata
from .declared import notebooks as notebooks
from .declared import parameters as parameters
from .declared import read_notebook as read_notebook
from .declared import resolve as resolve

if TYPE_CHECKING:
    from ..read.campaigns import Campaign
    from .outputs import Outputs

ONE_THREAD = {v: "1" for v in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
"""Sums must not depend on the number of cores."""
WHOLE = "whole"  # in place of a language pair: the campaign's tables, from pairs already run
KERNEL_TRIES = 3  # a kernel that does not answer at start-up is started again


# ---------------------------------------------------------------- inside a notebook


@dataclass(frozen=True)
class Run:
    """What a notebook works on: the campaign, the pairs asked for, and where results go.

    Attributes
    ----------
    pair : str
        As given: one pair, empty for all, or ``whole``.
    pairs : tuple of str
        The pairs that this run computes; none where all were run before (``pair="whole"``).
    whole : bool
        Whether this run also makes the campaign's tables, from the pairs'.
    """

    notebook: str
    campaign: Campaign
    pair: str
    pairs: tuple[str, ...]
    out: Outputs

    @property
    def whole(self) -> bool:
        return self.pair in ("", WHOLE)


def start(
    notebook: str, campaign: str, pair: str = "", output_dir: str = "", **settings: Any
) -> Run:
    """Open a campaign for a notebook: the first call of each notebook.

    Parameters
    ----------
    notebook : str
        The notebook's name, such as ``01_replication``.
    campaign : str
        A catalogue name, or a path to a folder of files in a known format.
    pair : str
        A language pair; empty: all pairs of the campaign; ``whole``: only the campaign's tables,
        from the results of pairs that are already there.
    output_dir : str
        Where results go; empty: ``figures/<campaign>/<notebook>``.
    **settings
        What else the results depend on, for the signature beside each of them.

    Raises
    ------
    DataError
        For a campaign that is not here, or a pair it does not have.
    """
    from ..read import campaigns
    from .outputs import Outputs, check_pairs, signature

    found = campaigns.find(campaign)
    check_pair(found, pair)
    folder = Path(output_dir) if output_dir else paths.FIGURES / found.name / notebook
    signed = signature(
        notebook=notebook,
        campaign=found.name,
        data=campaigns.fingerprint(found, "" if pair == WHOLE else pair),
        provenance=provenance(found),
        **settings,
    )
    out = Outputs(folder, signed, pairs=found.pairs)
    if pair == WHOLE:
        check_pairs(folder, found.pairs, signed)
    pairs = () if pair == WHOLE else (pair,) if pair else found.pairs
    return Run(notebook, found, pair, pairs, out)


def provenance(campaign: Campaign) -> str:
    """``official``, ``rebuilt from z``, ``synthetic`` (a demo campaign) or ``own`` data."""
    from ..read.campaigns import catalogue

    if campaign.demo:
        return "synthetic"
    if campaign.name not in catalogue():
        return "own"
    return "rebuilt from z" if campaign.rebuilt else "official"


def check_pair(campaign: Campaign, pair: str) -> None:
    """Refuse a language pair that the campaign does not have; empty or ``whole`` stand for all.

    Raises
    ------
    DataError
        Names the pairs there are.
    """
    if pair and pair != WHOLE and pair not in campaign.pairs:
        raise DataError(
            f"no such language pair in campaign {campaign.name}",
            value=pair,
            expected=", ".join(campaign.pairs),
        )


def show(parts: Mapping[str, Any]) -> None:
    """Display titled tables, figures and sentences in a notebook, one under the other."""
    from IPython.display import Markdown, display

    for title, part in parts.items():
        display(Markdown(f"**{title}**"))
        display(Markdown(part) if isinstance(part, str) else part)


# ---------------------------------------------------------------- outside: the runner


def output_folder(name: str, values: Mapping[str, Any]) -> tuple[str, Path]:
    """The campaign's name and the folder that a run with these values writes to.

    Raises
    ------
    DataError
        For a campaign that is not here, or a pair it does not have: before anything is written.
    """
    from ..read import campaigns

    default = {p.name: p.default for p in parameters(name)}
    campaign = campaigns.find(values.get("campaign", default.get("campaign", "")))
    check_pair(campaign, values.get("pair", ""))
    chosen = values.get("output_dir") or ""
    folder = Path(chosen) if chosen else paths.FIGURES / campaign.name / name
    return campaign.name, folder.resolve()


def execute(name: str, given: Mapping[str, Any], quiet: bool = False) -> Path:
    """Run a notebook and put its results in place only if all of it succeeded.

    The notebook writes to a folder beside the final one; when it has run to its end and every
    promised file is there, the files are moved. A failed or killed run leaves earlier results
    as they were. The executed copy goes to ``build/executed/<campaign>/``, with its status.

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
    values = check(name, given)
    for key in ("campaign", "output_dir"):  # paths are the caller's, the notebook runs elsewhere
        if values.get(key) and (key == "output_dir" or Path(values[key]).is_dir()):
            values[key] = _own_path(key, values[key])
    campaign, final = output_folder(name, values)
    pair = values.get("pair", "")
    stem = f"{name}__{pair}" if pair else name
    executed = paths.BUILD / "executed" / campaign / f"{stem}.ipynb"
    executed.parent.mkdir(parents=True, exist_ok=True)
    final.parent.mkdir(parents=True, exist_ok=True)
    _sweep_stale(final.parent)
    staging = final.parent / f".partial-{stem}-{os.getpid()}"
    started = time.monotonic()
    state = {
        "notebook": name,
        "campaign": campaign,
        "pair": pair,
        "parameters": values,
        "output_dir": paths.shown(final),
    }
    try:
        if pair == WHOLE:
            copy_pairs(name, final, staging, _pairs(values.get("campaign"), name))
        _papermill(name, executed, values | {"output_dir": str(staging)}, quiet)
        check_promises(name, staging, pair)
        pairs = (pair,) if pair else _pairs(values.get("campaign"), name)
        scopes = [final / p for p in pairs] + ([] if pair else [final])
        if pair == WHOLE:
            scopes = [final]
            for copied in _pairs(values.get("campaign"), name):
                shutil.rmtree(staging / copied, ignore_errors=True)
        move(staging, final, (name, campaign), scopes)
    except BaseException as error:
        message = str(error).strip().splitlines()
        write_status(executed, state, "failed", started, message[-1] if message else repr(error))
        raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        if not any(final.parent.iterdir()):
            final.parent.rmdir()  # a campaign whose first run failed
    write_status(executed, state, "ok", started, "")
    return final


def copy_pairs(name: str, final: Path, staging: Path, pairs: Sequence[str]) -> None:
    """Copy the tables of pairs already run to where a run of the whole campaign reads them.

    Raises
    ------
    DataError
        For a pair that has not been run.
    """
    for pair in pairs:
        tables = [*sorted((final / pair).glob("*.csv")), final / pair / "run.json"]
        if not tables[-1].is_file():
            where = paths.shown(final / pair)
            raise DataError("this pair has not been run", file=where, expected="its results")
        (staging / pair).mkdir(parents=True, exist_ok=True)
        for table in tables:
            shutil.copyfile(table, staging / pair / table.name)


def _pairs(campaign: str | None, name: str) -> tuple[str, ...]:
    from ..read import campaigns

    default = {p.name: p.default for p in parameters(name)}
    return campaigns.find(campaign or default["campaign"]).pairs


def _own_path(key: str, value: str) -> str:
    from ..read import campaigns

    if key == "campaign" and value in {c.name for c in campaigns.listed()}:
        return value
    return str(Path(value).resolve())


def _papermill(name: str, executed: Path, values: Mapping[str, Any], quiet: bool) -> None:
    os.environ.update(ONE_THREAD)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # the kernel of this environment, no other
    import logging

    import papermill as pm

    logging.getLogger("papermill").setLevel(logging.ERROR)
    source = paths.NOTEBOOKS / f"{name}.ipynb"
    for attempt in range(1, KERNEL_TRIES + 1):
        try:
            pm.execute_notebook(
                str(source),
                str(executed),
                parameters=dict(values),
                kernel_name="python3",
                cwd=str(paths.ROOT),
                progress_bar=not quiet and sys.stderr.isatty(),
                start_timeout=120,
                request_save_on_cell_execute=False,
            )
            return
        except pm.PapermillExecutionError as error:
            raise RuntimeError(
                f"{name} failed in cell {error.exec_count}; see {paths.shown(executed)}\n"
                f"{error.ename}: {error.evalue}"
            ) from None
        except RuntimeError as error:
            if "Kernel didn't respond" not in str(error) or attempt == KERNEL_TRIES:
                raise


def check_promises(name: str, folder: Path, pair: str, gathered: bool = False) -> None:
    """Refuse a run that did not leave what its notebook's metadata promises.

    Raises
    ------
    RuntimeError
        Names the missing files.
    """
    about = metadata(name)
    missing = []
    if pair in ("", WHOLE):
        missing = [f for f in about.get("promises", []) if not (folder / f).is_file()]
    missing = [f for f in missing if not f.endswith(".svg")]
    for f in [] if gathered or pair == WHOLE else about.get("pair_promises", []):
        subfolders = [folder / pair] if pair else [d for d in folder.glob("*") if d.is_dir()]
        if f.endswith(".svg"):
            continue
        missing += [f"{d.name}/{f}" for d in subfolders if not (d / f).is_file()]
        if not subfolders:
            missing.append(f"<pair>/{f}")
    if missing:
        raise RuntimeError(f"{name} ran to its end without writing {', '.join(missing)}")


def move(staging: Path, final: Path, about: tuple[str, str], scopes: Sequence[Path]) -> None:
    """Put the files of a finished run in place, and remove those an earlier run left over.

    Parameters
    ----------
    about : (notebook, campaign)
        Only files listed in a ``run.json`` that names both are ever removed,
    scopes : sequence of Path
        and only directly in these folders.
    """
    from .outputs import record

    left = {scope / name for scope in scopes for name in _listed(record(scope), about)}
    made = {p.relative_to(staging) for p in staging.rglob("*") if p.is_file()}
    for file in sorted(made):
        (final / file).parent.mkdir(parents=True, exist_ok=True)
        os.replace(staging / file, final / file)
    for file in left - {final / file for file in made}:
        file.unlink(missing_ok=True)


def _listed(made: Mapping[str, Any], about: tuple[str, str]) -> set[str]:
    """The files that a ``run.json`` lists, if it is of this notebook and campaign."""
    mine = (made.get("notebook"), made.get("campaign")) == about
    return {Path(name).name for name in made.get("files", ())} if mine else set()


def _sweep_stale(folder: Path) -> None:
    for left in folder.glob(".partial-*"):
        pid = left.name.rsplit("-", 1)[-1]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists() and Path("/proc/self").exists():
            shutil.rmtree(left, ignore_errors=True)


def write_status(
    executed: Path, state: Mapping[str, Any], status: str, started: float, error: str
) -> None:
    """Write the status beside an executed notebook, for the report."""
    from .outputs import write_whole

    seconds = round(time.monotonic() - started, 1)
    text = json.dumps({**state, "status": status, "seconds": seconds, "error": error}, indent=1)
    write_whole(executed.with_suffix(".status.json"), (text + "\n").encode())


def write_stamp(stamp: Path, folder: Path, pair: str, name: str) -> None:
    """Record the files of a run, with their checksums: what the workflow takes as done."""
    from .outputs import checksum, write_whole

    scope = folder / pair if pair else folder
    files = sorted(p for p in scope.rglob("*") if p.is_file() and ".partial-" not in str(p))
    listed = {paths.shown(f): checksum(f) for f in files}
    text = json.dumps({"notebook": name, "pair": pair, "files": listed}, indent=1) + "\n"
    write_whole(stamp, text.encode())


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 0 success, 1 the notebook failed, 2 the call is off."""
    parser = argparse.ArgumentParser(
        prog="python -m rankstability.run",
        description="Run a notebook headlessly; results appear whole or not at all.",
        epilog="With a notebook and --help: its parameters. Notebooks: " + ", ".join(notebooks()),
        add_help=False,
    )
    parser.add_argument("notebook", nargs="?", help="any unique beginning of a notebook's name")
    parser.add_argument("parameters", nargs="*", help="name=value")
    parser.add_argument("--stamp", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    parser.add_argument("-h", "--help", action="store_true")
    args = parser.parse_args(arguments)
    try:
        if not args.notebook:
            parser.print_help()
            return 0 if args.help else 2
        name = resolve(args.notebook)
        if args.help:
            print(f"{name}: parameters")
            for p in parameters(name):
                print(f"  {p.name}: {p.type} = {p.default!r}\n      {p.help}")
            return 0
        wrong = [p for p in args.parameters if "=" not in p]
        if wrong:
            raise DataError("not a parameter", value=wrong[0], expected="name=value")
        values = dict(p.split("=", 1) for p in args.parameters)
        folder = execute(name, values, args.quiet)
        if args.stamp:
            write_stamp(args.stamp, folder, values.get("pair", ""), name)
        print(f"{name}: results in {paths.shown(folder)}")
        return 0
    except DataError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
