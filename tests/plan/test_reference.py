"""config/README.md is the schemas', key by key."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.plan.reference import HEAD, methods_table, metrics_table, render
from textmix.core.config import load_yaml_strict
from textmix.experiment.methods import load_methods

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "workflow/schemas"

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
  other: {$ref: features.schema.yaml, description: Elsewhere.}
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
| `other` | see features |  | Elsewhere. |
"""


def test_every_key_of_a_schema_has_a_row(tmp_path):
    (tmp_path / "tiny.schema.yaml").write_text(SCHEMA, encoding="utf-8")
    assert render(tmp_path) == f"{HEAD}\n## config/tiny.yaml\n\nTiny.\n\n{ROWS}"


def test_schemas_stand_in_order_of_name_and_other_files_are_left_out(tmp_path):
    for name in ("b.schema.yaml", "a.schema.yaml", "notes.yaml"):
        (tmp_path / name).write_text(f"title: {name}\n", encoding="utf-8")
    text = render(tmp_path)
    assert 0 < text.index("## a.schema.yaml") < text.index("## b.schema.yaml")
    assert "notes" not in text


def test_reference_in_the_repository_is_that_of_the_schemas():
    text = (ROOT / "config/README.md").read_text(encoding="utf-8")
    made = render(SCHEMAS) + methods_table(load_methods()) + metrics_table()
    assert text == made, "run: python -m reproduction.plan.reference"


def test_every_method_has_a_row():
    table = methods_table(load_methods())
    for name, method in load_methods().items():
        assert f"| `{name}` | {method.family} |" in table
    assert "| smoothing: 0.001, 0.01, 0.1, 1.0 | edcm |" in table


def test_every_metric_has_a_row():
    table = metrics_table()
    assert "| `subset_accuracy` | several | more | main | the share of documents whose whole label set " in table
    assert "| `calibration_error` | one or several | less | shown | " in table
    assert all(row.count("|") == 6 for row in table.splitlines() if row.startswith("| `"))


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_schema_has_a_title_and_every_key_of_a_user_is_explained(path):
    schema = load_yaml_strict(path)
    assert schema["title"]
    if path.stem == "config.schema":
        assert all(child.get("description") for child in schema["properties"].values())


def test_keys_of_the_run_are_all_in_the_reference():
    text = render(SCHEMAS)
    for key in load_yaml_strict(SCHEMAS / "config.schema.yaml")["properties"]:
        assert f"| `{key}` |" in text
    for key in ("features", "splits", "experiments.<name>.metrics", "experiments.<name>.methods.<name>.grid"):
        assert f"| `{key}` |" in text
