"""A Sphinx extension: formulas as MathML, so that the report is read without a network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _display(writer: Any, node: nodes.math_block) -> None:
    formula = convert(node.astext(), display="block")
    writer.body.append(f'<div class="formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
