"""Render equations as MathML, which needs neither JavaScript nor network access and is accessible."""

from __future__ import annotations

from typing import Any

import latex2mathml.converter
from docutils import nodes
from sphinx.application import Sphinx


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write an inline equation."""
    writer.body.append(latex2mathml.converter.convert(node.astext()))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    """Write a displayed equation."""
    writer.body.append(f'<div class="equation">{latex2mathml.converter.convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the math renderer."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
