"""Names of notebooks, their parameters with declared types, and what their metadata promises."""

import ast
import json
import math
import os
import pkgutil
import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from . import paths
from .errors import InputError, meant

TYPES = (
    "str",
    "int",
    "float",
    "bool",
    "list[str]",
    "list[int]",
    "list[float]",
)
LINE = "name: type = literal  # help"
WHOLE = "whole"  # in place of a language pair: the campaign's tables, from pairs already run
ALLOWED = yaml.safe_load(
    Path(__file__).with_name("choices.yaml").read_text(encoding="utf-8")
)
LEAST: dict[str, int] = ALLOWED["least"]
VERDICT = "00_verdict"  # an installed package has no notebooks, but can make the page of this one
LONGEST = 10_000  # characters of a parameter on the command line
MOST = 1_000_000  # the largest value of any of `LEAST` except the seed


@dataclass(frozen=True)
class Parameter:
    """One line of a parameters cell: ``name: type = default  # help``."""

    name: str
    type: str
    default: Any
    help: str


def notebooks() -> list[str]:
    """Names of all notebooks, in order."""
    return sorted(p.stem for p in paths.NOTEBOOKS.glob("[0-9]*.ipynb"))


def resolve(prefix: str) -> str:
    """The name of the notebook that begins with `prefix`; raises InputError unless there is one."""
    name = Path(prefix).stem if prefix.endswith(".ipynb") else prefix
    known = notebooks()
    matches = [n for n in known if n == name] or [
        n for n in known if n.startswith(name)
    ]
    if len(matches) != 1:
        problem = (
            "no such notebook" if not matches else "several notebooks begin so"
        )
        numbered = [
            n for n in known if n.startswith(f"0{name}_")
        ]  # 1 may mean 01
        expected = ", ".join([*numbered, *(matches or known)])
        expected = (
            expected or "a clone of the repository, which holds the notebooks"
        )
        raise InputError(problem, value=prefix, expected=expected)
    return matches[0]


def read_notebook(name: str) -> dict[str, Any]:
    """The notebook as JSON."""
    return dict(json.loads((paths.NOTEBOOKS / f"{name}.ipynb").read_bytes()))


def metadata(name: str) -> dict[str, Any]:
    """A notebook's own metadata: protocols, workers, split, promises, pair_promises, ..."""
    if name == VERDICT and name not in notebooks():
        made = {
            "promises": ["index.html"],
            "pair_promises": ["verdict.html", "verdict.json"],
        }
        return {"protocols": ["DA", "MQM", "RR"], **made}
    return dict(read_notebook(name)["metadata"]["rankstability"])


def parameters(name: str) -> list[Parameter]:
    """The parameters of the notebook of that name; see `declared`."""
    if name == VERDICT:
        file = Path(__file__).with_name("verdict.yaml")
        return [
            Parameter(**row)
            for row in yaml.safe_load(file.read_text(encoding="utf-8"))
        ]
    return declared(paths.NOTEBOOKS / f"{name}.ipynb")


def declared(notebook: Path) -> list[Parameter]:
    """The parameters of a notebook file, as papermill reads its cell tagged ``parameters``.

    Raises InputError if there are none, or if a line is not ``name: type = literal``.
    """
    from papermill import inspect_notebook

    made = []
    for name, about in inspect_notebook(notebook).items():
        kind = about["inferred_type_name"]
        text = about["default"]
        if kind not in TYPES:
            expected = f"{LINE}; types: {', '.join(TYPES)}"
            raise InputError(
                "not a parameter", file=notebook, value=name, expected=expected
            )
        try:
            made.append(
                Parameter(name, kind, ast.literal_eval(text), about["help"])
            )
        except (ValueError, SyntaxError):
            raise InputError(
                "not a literal", file=notebook, value=text, expected=LINE
            ) from None
    if not made:
        raise InputError(
            "no cell tagged 'parameters'", file=notebook, expected=LINE
        )
    return made


def check(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The `given` values of a notebook's parameters, converted to their declared types.

    Text (from a command line) is read as YAML where the declared type is not ``str``.

    Raises InputError for a parameter that is not declared, a value of another type, one that is not
    among the choices, or a number out of range.
    """
    known = {p.name: p for p in parameters(name)}
    for key in given:
        if key not in known:
            raise unknown(f"unknown parameter of {name}", key, known)
    values = {k: _typed(known[k], v) for k, v in given.items()}
    own = metadata(name).get("choices", {})
    for key, value in values.items():
        if value != known[key].default:
            _in_range(key, value, own.get(key) or choices(key))
    return values


def choices(name: str) -> tuple[str, ...]:
    """What a parameter of this name may be, in any notebook; empty if it may be anything.

    In ``choices.yaml``, ``package:NAME`` stands for the names in that registry of a package.
    """
    known: list[str] = []
    for one in ALLOWED["choices"].get(name, ()):
        known += pkgutil.resolve_name(one) if ":" in one else [one]
    return tuple(known)


def _in_range(name: str, value: Any, choices: Collection[str]) -> None:
    if choices and value not in choices:
        raise unknown(f"parameter {name}", value, choices)
    if name == "alpha" and not 0 < value < 1:
        raise InputError(
            "parameter alpha", value=value, expected="above 0 and below 1"
        )
    if name in LEAST and not LEAST[name] <= value <= (
        MOST if name != "seed" else math.inf
    ):
        expected = (
            f"at least {LEAST[name]}"
            if value < LEAST[name]
            else f"at most {MOST}"
        )
        raise InputError(f"parameter {name}", value=value, expected=expected)


def unknown(problem: str, value: str, known: Collection[str]) -> InputError:
    """The error for a value that is not among `known`; it names the closest of them."""
    return InputError(
        problem + meant(str(value), known),
        value=value,
        expected=", ".join(known),
    )


def check_campaign(name: str, campaign: Any) -> None:
    """Raises InputError for a campaign that the notebook does not take; names notebooks that do."""
    about = metadata(name)
    if about.get("protocols") and not takes(about, campaign):
        fitting = (
            ", ".join(n for n in notebooks() if takes(metadata(n), campaign))
            or "none here"
        )
        if campaign.parts:
            studies = ", ".join(
                f"{campaign.name}.{part}" for part in campaign.parts
            )
            problem = (
                f"{campaign.name} holds several studies: name one for {name}"
            )
            raise InputError(
                problem, expected=f"campaign={studies}; or, of all, {fitting}"
            )
        if about.get("judges") and not campaign.judged:
            problem = f"{campaign.name} names no judge models"
            expected = "`judges: [names]` or `judges: {file: judges.tsv}` in its campaign.yaml"
            raise InputError(problem, expected=expected)
        what = (
            campaign.protocol
            if campaign.workers
            else "segment scores without workers"
        )
        problem = f"{name} is not for {what}, which {campaign.name} holds"
        raise InputError(problem, expected=f"one of {fitting}")


def pairs_of(campaign: Any, pair: str) -> tuple[str, ...]:
    """The language pairs that a run computes: `pair`, or all if empty; none for `WHOLE`."""
    if pair == WHOLE:
        return ()
    return (pair,) if pair else campaign.pairs


def check_pair(campaign: Any, pair: str) -> None:
    """Raises InputError for a pair that the campaign lacks; empty and ``whole`` stand for all."""
    if pair and pair != WHOLE and pair not in campaign.pairs:
        raise unknown(
            f"no such language pair in campaign {campaign.name}",
            pair,
            campaign.pairs,
        )


def takes(about: Mapping[str, Any], campaign: Any) -> bool:
    """Whether a notebook with this metadata takes the campaign.

    A campaign of several studies is taken only where the metadata says so (``studies``); otherwise
    one of its studies has to be named. A notebook on ``judges`` needs a campaign that names some.
    """
    if campaign.parts and not about.get("studies"):
        return False
    if about.get("judges") and not campaign.judged:
        return False
    if campaign.protocol not in about.get("protocols", []):
        return False
    return (
        campaign.protocol != "DA"
        or campaign.workers
        or not about.get("workers", False)
    )


def _typed(parameter: Parameter, value: Any) -> Any:
    kind = parameter.type
    item = parameter.type.removeprefix("list[").removesuffix("]")
    read = value
    several = kind != item
    if isinstance(value, str) and kind != "str":
        read = _read(value)
        if several and not isinstance(read, list):  # a,b,c
            parts = [v.strip() for v in value.split(",") if v.strip()]
            read = [v if item == "str" else _read(v) for v in parts]
    values = read if several else [read]
    if not isinstance(values, list) or not all(_is(item, v) for v in values):
        expected = f"{kind}: {parameter.help}"
        raise InputError(
            f"parameter {parameter.name}", value=value, expected=expected
        )
    values = [float(v) if item == "float" else v for v in values]
    return values if several else values[0]


def _read(value: str) -> Any:
    """Text read as a YAML scalar or flat list; unchanged if it is neither."""
    if value.count("[") > 1 or "{" in value or len(value) > LONGEST:
        return value
    try:
        scientific = re.fullmatch(
            r"[-+.0-9]+e[-+]?[0-9]+", value, re.IGNORECASE
        )
        return (
            float(value) if scientific else yaml.safe_load(value)
        )  # YAML reads 1e-3 as text
    except (
        yaml.YAMLError,
        ValueError,
        RecursionError,
    ):  # such as an impossible date
        return value


def _is(kind: str, value: Any) -> bool:
    if kind in ("bool", "str"):
        return isinstance(value, bool if kind == "bool" else str)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if kind == "int":
        return isinstance(value, int)
    return -sys.float_info.max <= value <= sys.float_info.max


def output_folder(given: str | Path) -> Path:
    """The folder `given` for results, resolved; raises InputError if it cannot be used."""
    expected = "a folder of its own to write to, such as out"
    try:
        folder = Path(given).resolve()
        there = next(p for p in (folder, *folder.parents) if p.exists())
    except (
        OSError,
        ValueError,
        RuntimeError,
    ) as error:  # NUL, too long, links in a circle
        reason = f"the output folder cannot be made ({getattr(error, 'strerror', None) or error})"
        raise InputError(reason, value=str(given), expected=expected) from None
    problem = ""
    here = Path.cwd()
    if not there.is_dir():
        problem = "the output folder cannot be made: this is a file"
    elif not all(
        os.access(p, os.W_OK | os.X_OK)
        for p in {there, folder.parent}
        if p.is_dir()
    ):
        problem = "the output folder cannot be written to"
    elif folder in (here, *here.parents) or os.path.ismount(folder):
        problem = "results cannot take the place of this folder"
    if problem:
        raise InputError(problem, file=there, expected=expected)
    return folder
