"""Names of notebooks, their parameters with declared types, and what their metadata promise."""

from __future__ import annotations

import ast
import difflib
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .. import paths
from ..errors import DataError

TYPES = ("str", "int", "float", "bool", "list[str]", "list[int]", "list[float]")
LINE = "name: type = literal  # help"
WHOLE = "whole"  # in place of a language pair: the campaign's tables, from pairs already run


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
    """The notebook that `prefix` names; any unique beginning will do."""
    name = Path(prefix).stem if prefix.endswith(".ipynb") else prefix
    known = notebooks()
    matches = [n for n in known if n == name] or [n for n in known if n.startswith(name)]
    if len(matches) != 1:
        problem = "no such notebook" if not matches else f"matches {', '.join(matches)}"
        raise DataError(problem, value=prefix, expected=", ".join(known))
    return matches[0]


def read_notebook(name: str) -> dict[str, Any]:
    """The notebook as JSON."""
    made: dict[str, Any] = json.loads((paths.NOTEBOOKS / f"{name}.ipynb").read_bytes())
    return made


def metadata(name: str) -> dict[str, Any]:
    """What a notebook says of itself: protocols, workers, split, promises, pair_promises."""
    about: dict[str, Any] = read_notebook(name)["metadata"]["rankstability"]
    return about


def parameters(name: str) -> list[Parameter]:
    """The parameters of the notebook of that name; see `declared`."""
    return declared(paths.NOTEBOOKS / f"{name}.ipynb")


def declared(notebook: Path) -> list[Parameter]:
    """The parameters of a notebook file, as papermill reads them from its parameters cell.

    Raises
    ------
    DataError
        If the cell is absent, or a line is not ``name: type = literal  # help``.
    """
    import papermill

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lines = papermill.inspect_notebook(str(notebook)).values()
    where = paths.shown(notebook)
    if not lines:
        raise DataError("no cell tagged 'parameters' with parameters", file=where, expected=LINE)
    made = []
    for line in lines:
        kind, text = line["inferred_type_name"], line["default"]
        if kind not in TYPES:
            value = f"{line['name']} = {text}"
            expected = f"{LINE}; types: {', '.join(TYPES)}"
            raise DataError("not a parameter", file=where, value=value, expected=expected)
        try:
            default = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            raise DataError("not a literal", file=where, value=text, expected=LINE) from None
        made.append(Parameter(line["name"], kind, default, line["help"]))
    return made


def check(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` values with the declared types; unknown names and wrong types are refused.

    Text values (from a command line) are read as YAML where the declared type is not ``str``.

    Raises
    ------
    DataError
        For a name that the parameters cell does not declare, or a value of another type.
    """
    known = {p.name: p for p in parameters(name)}
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            raise DataError(
                f"unknown parameter of {name}" + (f" (did you mean {close[0]}?)" if close else ""),
                value=key,
                expected=", ".join(known),
            )
    return {k: _typed(known[k], v) for k, v in given.items()}


def _typed(parameter: Parameter, value: Any) -> Any:
    kind, item = parameter.type, parameter.type.removeprefix("list[").removesuffix("]")
    read = value
    if isinstance(value, str) and kind != "str":
        try:
            read = yaml.safe_load(value)
        except yaml.YAMLError:
            read = value
        if kind != item and not isinstance(read, list):  # a,b,c
            parts = [v.strip() for v in value.split(",") if v.strip()]
            read = [v if item == "str" else yaml.safe_load(v) for v in parts]
    values = read if kind != item else [read]
    if isinstance(values, list) and all(_is(item, v) for v in values):
        values = [float(v) if item == "float" else v for v in values]
        return values if kind != item else values[0]
    raise DataError(
        f"parameter {parameter.name}", value=value, expected=f"{kind}: {parameter.help}"
    )


def _is(kind: str, value: Any) -> bool:
    if kind in ("bool", "str"):
        return isinstance(value, bool if kind == "bool" else str)
    number = isinstance(value, int) and not isinstance(value, bool)
    return number or (kind == "float" and isinstance(value, float))
