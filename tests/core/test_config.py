"""A wrong configuration file is refused with one sentence that names file, place and remedy."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.attacks.forms import apart
from textmix.core.config import load_yaml_strict, validate
from textmix.core.errors import RENAMED, ConfigError, suggest

ROOT = Path(__file__).resolve().parents[2]

SCHEMA = """
$schema: "https://json-schema.org/draft/2020-12/schema"
type: object
additionalProperties: false
required: [seed]
properties:
  seed: {type: integer, minimum: 0}
  share: {type: number}
  kind: {enum: [random, given]}
  strict: {type: boolean}
  cap: {type: [integer, "null"]}
  names:
    type: object
    propertyNames: {pattern: "^[a-z0-9_]+$"}
    additionalProperties: {$ref: "#/$defs/other"}
$defs:
  other:
    type: object
    additionalProperties: false
    properties: {smoothing: {type: number}}
"""


@pytest.fixture
def schema(tmp_path) -> Path:
    """Write a schema that refers to a part of its own."""
    path = tmp_path / "main.schema.yaml"
    path.write_text(SCHEMA, encoding="utf-8")
    return path


def refusal(path: Path, content: str | bytes) -> str:
    """Write a YAML file, load it, and return why it was refused."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    with pytest.raises(ConfigError) as caught:
        load_yaml_strict(path)
    return str(caught.value)


def complaint(value: object, schema: Path) -> str:
    """Return why a value was refused."""
    with pytest.raises(ConfigError) as caught:
        validate(value, schema, "main.yaml")
    return str(caught.value)


# --- the loader -------------------------------------------------------------------------------------------------------


def test_values_are_those_of_yaml(tmp_path):
    path = tmp_path / "a.yaml"
    text = "a: {b: [1, 2.5, null, true, é]}\nc: >-\n  two\n  lines\n1: one\nbase: &x {y: 7}\nagain: [*x, {<<: *x}]\n"
    path.write_text(text, encoding="utf-8")
    assert load_yaml_strict(path) == yaml.safe_load(text)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: duplicate key 'a'; keep one of them"),
        ("list:\n  - {a: 1, b: 2}\n  - {a: 1, a: 1}\n", "line 3: duplicate key 'a'; keep one of them"),
        ("x: 0\n? [a, b]\n: 1\n", "line 2: the key ['a', 'b'] is not a plain name; write it as one word"),
    ],
    ids=["twice", "twice, in a list", "list as key"],
)
def test_key_faults_are_refused_with_file_line_and_remedy(tmp_path, content, words):
    path = tmp_path / "a.yaml"
    assert refusal(path, content) == f"{path}, {words}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: [1, 2\nb: 3\n", r"line \d: is not valid YAML \(.+\); correct that line"),
        ("a: !!python/object/apply:os.getcwd []\n", r"line 1: is not valid YAML \(.+\); correct that line"),
        ("a: 1\n---\nb: 2\n", r"is not valid YAML \(.+\); correct that line"),
        ("a: \x07\n", r"is not valid YAML"),
    ],
    ids=["open bracket", "python object", "two documents", "control character"],
)
def test_what_is_not_plain_yaml_is_refused_with_file_and_line(tmp_path, content, words):
    path = tmp_path / "a.yaml"
    message = refusal(path, content)
    assert message.startswith(str(path))
    assert re.search(words, message)


def test_file_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "a.yaml"
    assert refusal(path, "note: é\n".encode("latin-1")) == f"{path}: is not UTF-8 text; save it as UTF-8"


@pytest.mark.parametrize("name", ["absent.yaml", "."])
def test_file_that_cannot_be_read_is_named(tmp_path, name):
    with pytest.raises(ConfigError, match=r"cannot be read \(.+\); name an existing file") as caught:
        load_yaml_strict(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)


# --- schemas ----------------------------------------------------------------------------------------------------------


def test_right_values_pass(schema):
    names = {"news_20": {"smoothing": 1}, "r52": {}}
    validate({"seed": 0, "share": 0.5, "kind": "given", "strict": True, "cap": None, "names": names}, schema, "x")
    validate({"seed": 1, "share": 1, "cap": 3}, schema, "x")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "top level: None has the wrong type; give a value of type object"),
        ({}, "top level: 'seed' is a required property; add it"),
        ({"seed": True}, "seed: True has the wrong type; give a value of type integer"),
        ({"seed": 7.0}, "seed: 7.0 has the wrong type; give a value of type integer"),
        ({"seed": -1}, "seed: -1 is less than the minimum of 0; correct the value"),
        ({"seed": 1, "share": float("nan")}, "share: nan has the wrong type; give a value of type number"),
        ({"seed": 1, "share": True}, "share: True has the wrong type; give a value of type number"),
        ({"seed": 1, "cap": 2.0}, "cap: 2.0 has the wrong type; give a value of type integer or null"),
        ({"sed": 1, "seed": 1}, "top level: unknown key 'sed'; did you mean 'seed'? allowed: cap, kind"),
        ({"seed": 1, "zzz": 1}, "top level: unknown key 'zzz'; allowed: cap, kind, names, seed, share, strict"),
        ({"seed": 1, "kind": "randon"}, "kind: 'randon' is not allowed; did you mean 'random'?"),
        ({"seed": 1, "names": {"../x": {}}}, "names: '../x' is not a valid name; it must match ^[a-z0-9_]+$"),
        ({"seed": 1, "names": {"a": {"smoothin": 1}}}, "names.a: unknown key 'smoothin'; did you mean"),
    ],
)
def test_wrong_values_are_refused_with_source_key_and_remedy(schema, value, words):
    assert complaint(value, schema).startswith(f"main.yaml: {words}")


def test_of_several_faults_the_same_one_is_named_whatever_their_order(schema):
    first = complaint({"seed": -1, "kind": "x", "strict": 3}, schema)
    assert first == complaint({"strict": 3, "kind": "x", "seed": -1}, schema)


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/schemas").glob("*.yaml")), ids=lambda path: path.stem)
def test_schemas_are_schemas_and_closed(path):
    schema = load_yaml_strict(path)
    jsonschema.Draft202012Validator.check_schema(schema)

    def walk(node: object) -> None:
        if isinstance(node, dict):
            if "properties" in node and node.get("type") == "object":
                assert "additionalProperties" in node, f"{path.name}: {sorted(node['properties'])} is open"
            for child in node.values():
                walk(child)

    walk(schema)


def test_aliases_that_stand_for_too_many_values_are_refused_before_they_are_written_out(tmp_path):
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{after}: &{after} [{', '.join([f'*{before}'] * 10)}]" for before, after in pairwise("abcdefghijk")]
    (tmp_path / "a.yaml").write_text("\n".join(lines))
    # Written out they would fill the memory, after minutes.
    words = apart(lambda: str(load_yaml_strict(tmp_path / "a.yaml")), clock=10)
    assert (
        words.startswith("ConfigError") and "a.yaml, line 6: its aliases expand to more than 1,000,000 values" in words
    )


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {<<: *a}", "a: &a {? [*a] : 1}"])
def test_a_value_within_itself_is_refused(tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(ConfigError, match="line 1: a value lies within itself"):
        load_yaml_strict(tmp_path / "a.yaml")


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_a_former_name_is_rejected_with_the_present_one(old: str, new: str) -> None:
    assert suggest(old, ["another", new]) == f"it is now called '{new}'"


def test_the_line_of_an_invalid_key_is_named(tmp_path: Path) -> None:
    schema = tmp_path / "schema.yaml"
    inner = {"type": "object", "additionalProperties": False, "properties": {"seed": {"type": "integer"}}}
    schema.write_text(json.dumps({"type": "object", "properties": {"run": inner}}), encoding="utf-8")
    first = tmp_path / "first.yaml"
    second = tmp_path / "second.yaml"
    first.write_text("run:\n  seed: 1\n", encoding="utf-8")
    second.write_text("# changes\nrun:\n\n  seed: one\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"second\.yaml, line 4: run\.seed: 'one' has the wrong type"):
        validate({"run": {"seed": "one"}}, schema, "configuration", [first, second])
    with pytest.raises(ConfigError, match=r"second\.yaml, line 2: run: unknown key 'sed'"):
        validate({"run": {"sed": 1}}, schema, "configuration", [first, second])
    with pytest.raises(ConfigError, match=r"^configuration: run\.seed"):
        validate({"run": {"seed": "one"}}, schema, "configuration")


def test_all_missing_keys_are_reported_at_once(tmp_path: Path) -> None:
    schema = tmp_path / "schema.yaml"
    inner = {"type": "object", "required": ["x", "y"]}
    content = {"type": "object", "required": ["seed", "inner"], "properties": {"inner": inner}}
    schema.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"paper\.yaml: missing keys: seed, inner\.x, inner\.y; add them"):
        validate({"inner": {}}, schema, "paper.yaml")
