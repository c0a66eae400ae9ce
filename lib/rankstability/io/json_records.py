"""Records of JSON or JSON lines as a frame."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd

from ..errors import DataError
from .cells import as_text

WRAPPED = re.compile(r'\s*\{[^\[]*"([^"]+)"\s*:\s*\[(?=\s*\{)')  # an object with a list


def read_records(path: Path, text: str, whole_text: bool = True) -> tuple[list[Any], str]:
    """Return the records of JSON or JSON lines, however they are laid out.

    Also returned is the key of the list of records, if an object with a single list holds them.
    """
    if not whole_text:
        records = first_records(path, text)
        wrapped = WRAPPED.match(text) if not records else None
        if wrapped:
            return first_records(path, text[wrapped.end() :]), wrapped[1]
        return _opened(records), ""
    try:
        whole = JSON.decode(text)
    except json.JSONDecodeError as error:
        return _opened(_read_lines(path, text, error)), ""
    except RecursionError:
        raise DataError("not_json", file=path, value="nested too deeply") from None
    except KeyError:
        first_records(path, text)  # names the record
        raise DataError("key_twice", file=path) from None
    if isinstance(whole, list):
        return _opened(whole), ""
    if isinstance(whole, dict):
        lists = {key: value for key, value in whole.items() if isinstance(value, list) and value}
        for key, records in lists.items() if len(lists) == 1 else ():
            if isinstance(records[0], dict):
                return records, key
        return [whole], ""
    raise DataError("not_an_object", file=path, value=str(whole)[:40])


def _opened(records: list[Any]) -> list[Any]:
    """Return records of which some are lists of records, such as one list for each participant."""
    lists = [each if isinstance(each, list) else [each] for each in records]
    return [record for each in lists for record in each]


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of JSON that has these keys; raise KeyError for a key given twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise KeyError(next(key for key in keys if keys.count(key) > 1))
    return found


def _float_or_text(number: str) -> float | str:
    """Return a number of JSON, or its text if it is too large."""
    return float(number) if math.isfinite(float(number)) else number


def _constant(name: str) -> str | None:
    """Return the text of ``Infinity``; NaN stands for a missing value."""
    return None if name == "NaN" else name


def first_records(path: Path, text: str) -> list[Any]:
    """Return the records at the beginning of a text that was cut."""
    records: list[Any] = []
    place = len(text) - len(text.lstrip(" \n\t["))
    while place < len(text):
        try:
            record, place = JSON.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            break
        except KeyError as error:
            raise _key_twice(path, records, error) from None
        records.append(record)
        while place < len(text) and text[place] in " \n\t,":
            place += 1
    return records


def _read_lines(path: Path, text: str, error: json.JSONDecodeError) -> list[Any]:
    """Return the records of JSON lines; objects can run over several lines."""
    records: list[Any] = []
    place = 0
    while place < len(text):
        while place < len(text) and text[place] in " \n\t,":
            place += 1
        if place >= len(text):
            break
        try:
            record, place = JSON.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            line = text.count("\n", 0, place) + 1
            raise DataError("not_json", file=path, line=line) from error
        except KeyError as twice:
            raise _key_twice(path, records, twice) from None
        records.append(record)
    return records


def _key_twice(path: Path, records: list[Any], error: KeyError) -> DataError:
    """Return the error for a key that an object has twice, after these records."""
    return DataError("key_twice", file=path, row=len(records) + 1, column=str(error.args[0]))


def frame_of_records(records: list[Any], path: Path | None = None) -> pd.DataFrame:
    """Return records as a frame: nested keys joined by a point, values as text, lists as they are."""
    if not records:
        raise DataError("no_rows", file=path)
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise DataError("not_an_object", file=path, row=number, value=str(record)[:40])
    flat = all(not isinstance(v, dict) for record in records[:1000] for v in record.values())
    frame = pd.DataFrame(records) if flat else pd.json_normalize(records)
    if any(isinstance(v, dict) for column in frame for v in frame[column].head(1000)):
        frame = pd.json_normalize(records)
    return as_text(frame)


JSON = json.JSONDecoder(
    object_pairs_hook=unique_keys,
    parse_int=str,  # whole numbers of any length stay as they are written
    parse_float=_float_or_text,
    parse_constant=_constant,
)
