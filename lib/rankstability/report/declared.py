"""What a notebook declares: its parameters, and in its metadata what it takes and promises."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from .. import paths
from ..errors import DataError

TYPES = {"str", "int", "float", "bool", "list[str]", "list[int]", "list[float]"}


@dataclass(frozen=True)
class Parameter:
    """One line of a parameters cell."""

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
    return json.loads((paths.NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))


def parameters(name: str) -> list[Parameter]:
    """The parameters of a notebook, read from its parameters cell (nothing is run).

    Raises
    ------
    DataError
        If the cell is absent, or holds anything but ``name: type = literal  # help`` lines.
    """
    cells = [
        "".join(c["source"])
        for c in read_notebook(name)["cells"]
        if "parameters" in c.get("metadata", {}).get("tags", [])
    ]
    file = f"notebooks/{name}.ipynb"
    if len(cells) != 1:
        raise DataError("must have one cell tagged 'parameters'", file=file, value=len(cells))
    text = cells[0]
    comments = {
        t.start[0]: t.string.lstrip("# ")
        for t in tokenize.generate_tokens(io.StringIO(text).readline)
        if t.type == tokenize.COMMENT
    }
    found = []
    for node in ast.parse(text).body:
        line = text.splitlines()[node.lineno - 1]
        expected = "name: type = literal  # help"
        if (
            not isinstance(node, ast.AnnAssign)
            or not isinstance(node.target, ast.Name)
            or node.value is None
        ):
            raise DataError("not a parameter", file=file, value=line, expected=expected)
        kind = ast.unparse(node.annotation)
        if kind not in TYPES:
            raise DataError(
                "unknown type", file=file, value=kind, expected=", ".join(sorted(TYPES))
            )
        default = ast.literal_eval(node.value)
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        said = next((comments[k] for k in lines if k in comments), "")
        found.append(Parameter(node.target.id, kind, default, said))
    return found


def check(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` values with the declared types; unknown names and wrong types are refused.

    Text values (from a command line) are read as YAML where the declared type is not ``str``.

    Raises
    ------
    DataError
        For a name that the parameters cell does not declare, or a value of another type.
    """
    declared = {p.name: p for p in parameters(name)}
    unknown = [k for k in given if k not in declared]
    if unknown:
        raise DataError(
            f"unknown parameter of {name}", value=unknown[0], expected=", ".join(declared)
        )
    return {k: _typed(declared[k], v) for k, v in given.items()}


def _typed(parameter: Parameter, value: Any) -> Any:
    kind = parameter.type
    if kind == "str":
        if isinstance(value, str):
            return value
    else:
        try:
            read = yaml.safe_load(value) if isinstance(value, str) else value
        except yaml.YAMLError:
            read = value
        if kind.startswith("list["):
            item = kind[5:-1]
            if isinstance(value, str) and not isinstance(read, list):
                parts = [v.strip() for v in value.split(",") if v.strip()]
                read = [v if item == "str" else yaml.safe_load(v) for v in parts]
            if isinstance(read, list) and all(_is(item, v) for v in read):
                return [float(v) if item == "float" else v for v in read]
        elif _is(kind, read):
            return float(read) if kind == "float" else read
    raise DataError(
        f"parameter {parameter.name}", value=value, expected=f"{kind}: {parameter.help}"
    )


def _is(kind: str, value: Any) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "str":
        return isinstance(value, str)
    number = isinstance(value, int) and not isinstance(value, bool)
    return number or (kind == "float" and isinstance(value, float))


def metadata(name: str) -> dict[str, Any]:
    """What a notebook says of itself: protocols, split, promises, pair_promises."""
    return read_notebook(name)["metadata"]["rankstability"]
