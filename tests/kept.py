"""Values that are kept in a JSON file beside a test: a change of one has to be meant.

Other tests say what is right; these say what is otherwise. ``KEEP=1 pytest`` of such a test writes
what it finds now into the file, whose difference is then to be read.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import is_dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd

MOST = 10  # values of one column that are kept one by one


def check(file: Path, topic: str, found: object) -> None:
    """Whether what was found is what the file holds under this topic."""
    now = flat(found)
    every = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if os.environ.get("KEEP"):
        every[topic] = now
        write(file, every)
    kept = every[topic]
    assert sorted(kept) == sorted(now)
    changed = {at: (old, now[at]) for at, old in kept.items() if not same(old, now[at])}
    assert not changed


def write(file: Path, every: Mapping) -> None:
    """One value a line, so that a difference can be read."""
    blocks = []
    for topic, values in every.items():
        lines = [f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in values.items()]
        blocks.append(f"{json.dumps(topic)}: {{\n" + ",\n".join(lines) + "\n}")
    file.write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


def plain(value):
    """A number to six digits, a text, or a list of these; of a long column its summary."""
    if isinstance(value, str):
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        words = [str(one) for one in array.ravel()]
        return words if len(words) <= MOST else [len(words), crc32("\n".join(words).encode())]
    numbers = np.nan_to_num(array.astype(float).ravel(), nan=-7.5, posinf=1e30, neginf=-1e30)
    if len(numbers) > MOST:  # how many, their mean, and one that every place counts in differently
        numbers = [len(numbers), numbers.mean(), np.cos(np.arange(len(numbers))) @ numbers]
    numbers = [float(f"{one:.6g}") for one in numbers]
    return numbers if array.ndim else numbers[0]


def flat(value, path=""):
    """All that is in a result, by where it is."""
    if is_dataclass(value):
        value = value.__dict__
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        value = pd.DataFrame(value)
    if isinstance(value, pd.DataFrame):
        value = {str(name): column.tolist() for name, column in value.items()}
    if isinstance(value, tuple) and not all(isinstance(one, str) for one in value):
        value = dict(enumerate(value))
    if not isinstance(value, Mapping):
        if isinstance(value, list) and None in value and not any(map(str.__instancecheck__, value)):
            value = [np.nan if one is None else one for one in value]
        return {path: plain(value)}
    parts = [flat(one, f"{path}.{name}" if path else str(name)) for name, one in value.items()]
    return {place: one for part in parts for place, one in part.items()}


def same(old, new):
    if isinstance(old, str) or isinstance(new, str):
        return old == new
    if isinstance(old, list) != isinstance(new, list) or np.size(old) != np.size(new):
        return False
    pairs = zip(np.ravel(old).tolist(), np.ravel(new).tolist(), strict=True)
    return all(
        a == b if isinstance(a, str) or isinstance(b, str) else np.isclose(a, b, 2e-5, 1e-9)
        for a, b in pairs
    )
