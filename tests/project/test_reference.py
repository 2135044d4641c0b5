"""The reference of the configuration has a row for each key of each schema."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs/_ext"))

from reference import HEAD, PACKAGE, ROOT, api_page, configuration, public_classes, render, stub_text

SCHEMA = """
title: config/tiny.yaml
description: Tiny.
type: object
$defs:
  share: {type: number, description: A share.}
  pair:
    type: object
    properties: {left: {$ref: "#/$defs/share"}, right: {type: [integer, "null"], default: null}}
properties:
  seed: {type: integer, default: 7, description: "The
    one seed | of all."}
  strict: {type: boolean, default: false}
  word: {type: string, default: ""}
  kind: {enum: [random, given], default: given}
  fixed: {const: 3}
  share: {$ref: "#/$defs/share", description: My share.}
  pairs: {type: array, items: {$ref: "#/$defs/pair"}}
  named:
    type: object
    additionalProperties: {type: object, properties: {deep: {type: string}}}
"""
ROWS = """| key | type | default | effect |
|---|---|---|---|
| `seed` | integer | `7` | The one seed \\| of all. |
| `strict` | boolean | `false` |  |
| `word` | string | `""` |  |
| `kind` | `random`, `given` | `"given"` |  |
| `fixed` | `3` |  |  |
| `share` | number |  | My share. |
| `pairs` | array |  |  |
| `pairs[].left` | number |  | A share. |
| `pairs[].right` | integer or null | `null` |  |
| `named` | object |  |  |
| `named.<name>.deep` | string |  |  |
"""


def test_every_key_of_a_schema_has_a_row(tmp_path):
    (tmp_path / "tiny.schema.yaml").write_text(SCHEMA, encoding="utf-8")
    assert render(tmp_path) == f"{HEAD}\n## config/tiny.yaml\n\nTiny.\n\n{ROWS}"


def test_the_page_names_every_method_and_metric():
    assert "| `edcm` |" in configuration() and "| `accuracy` |" in configuration()


def test_the_public_names_and_their_page_are_those_of_the_code():
    """`python docs/_ext/reference.py` writes both."""
    page = api_page(PACKAGE, public_classes(PACKAGE))
    assert (PACKAGE / "__init__.pyi").read_text(encoding="utf-8") == stub_text(PACKAGE)
    assert (ROOT / "docs/api/index.md").read_text(encoding="utf-8") == page
