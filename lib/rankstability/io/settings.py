"""Settings of a campaign: ``campaign.yaml`` beside the data, in the words of `declare`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ..errors import DataError

NAME = "campaign.yaml"


def read_settings(path: Path) -> dict[str, Any]:
    """Read settings; every value is text, a list of texts, or a mapping of texts.

    Raises
    ------
    DataError
        For a key given twice, a file that is not a mapping, or broken YAML, with the line.
    """
    try:
        node = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = None if mark is None else mark.line + 1
        raise DataError("broken_settings", file=path, line=line, value=error.problem) from None
    except UnicodeDecodeError:
        raise DataError("not_utf8", file=path) from None
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise DataError("broken_settings", file=path, line=1, expected="key: value")
    found = _value(node, path)
    assert isinstance(found, dict)
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


def write_settings(words: Mapping[str, Any], path: Path, data: str) -> None:
    """Write the words as ``campaign.yaml``, so that reading it gives the same words."""
    plain = {name: _plain(value) for name, value in words.items()}
    text = yaml.safe_dump({"data": data, **plain}, sort_keys=False, allow_unicode=True)
    scratch = path.with_suffix(".partial")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)


def _plain(value: Any) -> Any:
    """Return a value as YAML reads it back."""
    if value is True:
        return "true"
    if isinstance(value, Mapping):
        return {str(key): str(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [f"{each:g}" if isinstance(each, float) else str(each) for each in value]
    return str(value)
