"""Settings of a campaign: ``campaign.yaml`` beside the data, in the words of `declare`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ..errors import DataError
from .declare import number_text
from .write import write_folder

NAME = "campaign.yaml"
LINE_BREAKS = "\x85\u2028\u2029"  # of Unicode, which YAML would read as blanks
MAX_BYTES = 1 << 20


def read_settings(path: Path) -> dict[str, Any]:
    """Read settings; every value is text, a list of texts, or a mapping of texts.

    Raises
    ------
    DataError
        For a key given twice, a file that is not a mapping, or broken YAML, with the line.
    """
    if path.stat().st_size > MAX_BYTES:
        raise DataError("broken_settings", file=path, expected=f"at most {MAX_BYTES} bytes")
    try:
        text = path.read_text(encoding="utf-8-sig")
        if any(isinstance(each, yaml.AliasEvent) for each in yaml.parse(text, yaml.SafeLoader)):
            raise DataError("broken_settings", file=path, value="*", expected="no aliases")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        found = {} if node is None else _value(node, path)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = None if mark is None else mark.line + 1
        raise DataError("broken_settings", file=path, line=line, value=error.problem) from None
    except (yaml.YAMLError, RecursionError) as error:
        value = str(error).splitlines()[0][:80]
        raise DataError("broken_settings", file=path, value=value) from None
    except UnicodeDecodeError:
        raise DataError("not_utf8", file=path) from None
    if not isinstance(found, dict):
        raise DataError("broken_settings", file=path, line=1, expected="key: value")
    return found


def _value(node: yaml.Node, path: Path) -> Any:
    """Return a node as text, list or mapping."""
    line = node.start_mark.line + 1
    if isinstance(node, yaml.ScalarNode):
        return str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_value(each, path) for each in node.value]
    if isinstance(node, yaml.MappingNode):
        out: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise DataError("broken_settings", file=path, line=line, expected="key: value")
            name = str(key.value)
            if name in out:
                raise DataError(
                    "setting_twice", file=path, line=key.start_mark.line + 1, value=name
                )
            out[name] = _value(value, path)
        return out
    raise DataError("broken_settings", file=path, line=line)


def settings_text(words: Mapping[str, Any], data: str = "") -> str:
    """Return words as the text of a ``campaign.yaml``.

    >>> print(settings_text({"score": "stars", "scale": (1.0, 5.0)}, "a.csv"))
    data: a.csv
    score: stars
    scale:
    - '1'
    - '5'
    <BLANKLINE>
    """
    plain = {name: _plain(value) for name, value in words.items()}
    plain = {"data": data, **plain} if data else plain
    readable = str(yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=1000))
    if not any(mark in readable for mark in LINE_BREAKS):
        return readable
    return str(yaml.safe_dump(plain, sort_keys=False, width=1000))


def write_settings(words: Mapping[str, Any], path: Path, data: str) -> None:
    """Write the words as ``campaign.yaml``, so that reading it gives the same words.

    `data` is the file or folder of the judgments, relative to the folder of `path`.
    """
    source = path.parent / data
    if path.suffix not in (".yaml", ".yml") or (path.exists() and path.samefile(source)):
        raise DataError("bad_setting", file=path, column="save", expected="a new .yaml file")
    text = settings_text(words, data)
    write_folder(path.parent, {path.name: text.encode("utf-8", "surrogateescape")})


def _plain(value: Any) -> Any:
    """Return a value as YAML reads it back."""
    if value is True:
        return "true"
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [number_text(each) if isinstance(each, float) else str(each) for each in value]
    return str(value)
