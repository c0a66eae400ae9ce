"""Checks of the arguments of public functions, each of which raises one `DataError`."""

from __future__ import annotations

import functools
import inspect
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Union

import numpy as np
import pandas as pd

from .errors import DataError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
NUMBERS = {int: Integral, float: Real}  # numbers of NumPy count as well
ARRAYS = (np.ndarray, pd.Series, pd.Index)  # count as sequences
JUDGMENTS, RANKING = "Judgments", "Ranking"
LEAST = {
    "seed": 0,
    "resamples": 0,
    "campaigns": 0,
    "draws": 1,
    "studies": 1,
    "looks": 1,
    "permutations": 1,
    "documents": 1,
    "ratings_per_item": 1,
    "sides": 1,
    "block": 1,
}  # of whole numbers
MAX_SHOWN = 60  # characters of a value


def check_arguments(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Check the arguments of a public function against their annotations before it is called.

    The call raises DataError ``wrong_argument``; ``not_judgments``, ``not_a_ranking`` or
    ``bad_alpha`` where these are taken; or ``bad_number`` for a number below `LEAST`.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        hints = _hints_of(function)
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            parameter = signature.parameters[name]
            if parameter.kind is parameter.VAR_KEYWORD or name not in hints:  # such as self
                continue
            if not _fits(value, hints[name]):
                raise _error(name, value, hints[name])
            if name in LEAST and isinstance(value, Integral):
                check_count(name, value, LEAST[name])
        return function(*args, **kwargs)

    return checked


@functools.cache
def _hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    return typing.get_type_hints(function)


def _fits(value: object, hint: Any) -> bool:
    """Return whether a value is of an annotated type; values in containers are checked, too."""
    if hint is Any:
        return True
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is None:
        if hint in NUMBERS:
            return isinstance(value, NUMBERS[hint]) and not isinstance(value, bool | np.bool_)
        if hint is bool:
            return isinstance(value, bool | np.bool_)
        return isinstance(value, hint)
    if not isinstance(value, origin) and not isinstance(value, ARRAYS):
        return False
    if issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(_fits(each, parts[1]) for each in value.values())
    if not issubclass(origin, Iterable):
        return isinstance(value, origin)  # a function
    if isinstance(value, str | bytes | pd.DataFrame):
        return isinstance(value, str) and parts[0] is str  # a single name
    if origin is tuple:
        return len(value) == len(parts) and all(map(_fits, value, parts))
    if not isinstance(value, (list, tuple, range, set, frozenset, dict, *ARRAYS)):
        return True  # can be read only once
    return parts[0] is str or all(_fits(each, parts[0]) for each in value)


def _error(name: str, value: object, hint: Any) -> DataError:
    """Return the error for an argument of another type."""
    kind = getattr(hint, "__name__", "")
    if kind == JUDGMENTS or name in ("judgments", "data"):
        return DataError("not_judgments", value=type(value).__name__)
    if kind == RANKING:
        return DataError("not_a_ranking", value=type(value).__name__)
    if name == "alpha":
        return DataError("bad_alpha", value=str(value)[:MAX_SHOWN])
    plain = isinstance(value, str | int | float | Path | type(None))
    return DataError(
        "wrong_argument",
        argument=name,
        value=repr(value)[:MAX_SHOWN] if plain else type(value).__name__,
        expected=_described(hint),
    )


def _described(hint: Any) -> str:
    """Return an annotation as a reader knows it: ``str or None``, ``Sequence of int``."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(_described(part) for part in parts)
    if origin is None:
        return "None" if hint is type(None) else str(getattr(hint, "__name__", hint))
    if issubclass(origin, Mapping):
        return f"mapping of names to {_described(parts[1])}"
    if not issubclass(origin, Iterable):
        return "function"
    inside = " and ".join(dict.fromkeys(_described(part) for part in parts))
    return inside if inside == "Any" else f"{origin.__name__.lower()} of {inside}"


# ------------------------------------------------------------------ values


def check_alpha(alpha: object) -> None:
    """Raise DataError ``bad_alpha`` unless the level is a number between 0 and 1."""
    if not isinstance(alpha, Real) or not 0 < float(alpha) < 1:
        raise DataError("bad_alpha", value=str(alpha)[:MAX_SHOWN])


def check_count(name: str, value: object, least: int = 1) -> None:
    """Raise DataError ``bad_number`` unless the value is a whole number of at least `least`."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise DataError("bad_number", column=name, value=str(value), expected=f"{least} or more")


def check_columns(name: str, frame: pd.DataFrame, columns: Iterable[str]) -> None:
    """Raise DataError ``wrong_argument`` unless a frame has these columns."""
    missing = [column for column in columns if column not in frame]
    if missing:
        expected = "a frame with the column " + " and ".join(missing)
        raise DataError("wrong_argument", argument=name, value="DataFrame", expected=expected)


def check_positive(name: str, value: object) -> None:
    """Raise DataError ``not_positive`` unless the value is a positive number."""
    if not isinstance(value, Real) or not 0 < float(value) < math.inf:
        raise DataError("not_positive", column=name, value=str(value))
