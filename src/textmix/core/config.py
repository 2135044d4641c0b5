"""Load YAML files strictly, rejecting duplicate keys, and validate them against closed JSON schemas.

The module is imported while a workflow is parsed, so it must not import NumPy or other expensive packages.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textmix.core.cache import Store
from textmix.core.digests import sha256_bytes, sha256_file
from textmix.core.errors import ConfigError, extra, suggest

with extra("data"):
    import yaml

if TYPE_CHECKING:
    import jsonschema

#: Maximum number of values in a YAML file with all aliases expanded; files in config/ have a few thousand.
MAX_YAML_VALUES = 1_000_000
#: Digest of this module; a new version invalidates the cached values.
_CODE = sha256_file(__file__)[:12]
#: Text of a YAML file -> its content as JSON; "" if the JSON round trip is not lossless.
_CONTENTS = Store(f"yaml-{_CODE}")
#: Valid pairs of value and schema.
_VALID = Store(f"valid-{_CODE}")


# LibYAML is ten times as fast as the Python parser, which matters for the start-up time of a dry run.
class _StrictLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """SafeLoader that rejects duplicate keys."""


def _strict_mapping(loader: _StrictLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    loader.flatten_mapping(node)
    result: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        line = key_node.start_mark.line + 1
        if not isinstance(key, Hashable):
            raise ConfigError(f"line {line}: the key {key!r} is not a plain name; write it as one word")
        if key in result:
            raise ConfigError(f"line {line}: duplicate key '{key}'; keep one of them")
        result[key] = loader.construct_object(value_node, deep=True)
    return result


_StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _strict_mapping)


def load_yaml_strict(path: str | Path) -> Any:
    """Load a YAML file.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    object
        Plain Python values; None for an empty file.

    Raises
    ------
    ConfigError
        If the file cannot be read, is not UTF-8 or not valid YAML, has a duplicate key, or expands to too many values.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
        cached = _CONTENTS.get(sha256_bytes(text.encode()), lambda: _as_json(_parsed(text)))
        return json.loads(cached) if cached else _parsed(text)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); name an existing file") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text; save it as UTF-8") from error
    except ConfigError as error:
        raise ConfigError(f"{path}, {error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "cannot be parsed"
        raise ConfigError(f"{path}{where}: is not valid YAML ({problem}); correct that line") from error


def _parsed(text: str) -> Any:
    """Parse YAML text; raises the errors of `_check_size` and of the loader."""
    loader = _StrictLoader(text)
    try:
        node = loader.get_single_node()
        _check_size(node)
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _check_size(top: yaml.Node | None) -> None:
    """Reject a document with too many values after alias expansion, before expanding it."""
    sizes = dict[int, int]()
    within = set[int]()
    queue = [] if top is None else [(top, False)]
    while queue:
        node, counted = queue.pop()
        line = node.start_mark.line + 1
        parts = _parts(node)
        if counted:
            within.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(part)] for part in parts)
            if sizes[id(node)] > MAX_YAML_VALUES:
                raise ConfigError(
                    f"line {line}: its aliases expand to more than {MAX_YAML_VALUES:,} values; write fewer"
                )
        elif id(node) in within:
            raise ConfigError(f"line {line}: a value lies within itself; write it out")
        elif id(node) not in sizes:
            within.add(id(node))
            queue += [(node, True), *((part, False) for part in parts)]


def _parts(node: yaml.Node) -> list[yaml.Node]:
    """Return the child nodes of a node: keys and values of a mapping, or items of a sequence."""
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _as_json(value: Any) -> str:
    """Return a value as JSON; "" if the JSON round trip changes it, for example the integer key 1."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        return ""
    return text if repr(json.loads(text)) == repr(value) else ""


def registry_file(name: str) -> Path:
    """Return the path of a file of ``config/`` in the project, or of its copy in the installed package."""
    here = Path(__file__).resolve()
    project = here.parents[3] / "config" / name
    return project if project.is_file() else here.parents[1] / "config" / name


def _is_integer(_checker: Any, value: Any) -> bool:
    """Check whether a value is a Python int; JSON Schema also accepts 10.0, which `range` rejects."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(_checker: Any, value: Any) -> bool:
    return _is_integer(_checker, value) or (isinstance(value, float) and math.isfinite(value))


@functools.cache
def _jsonschema() -> tuple[Any, Any]:
    """Return the jsonschema package, and its validator class with stricter integer and number types."""
    with extra("workflow"):
        import jsonschema
    base = jsonschema.Draft202012Validator
    kinds = base.TYPE_CHECKER.redefine_many({"integer": _is_integer, "number": _is_number})
    return jsonschema, jsonschema.validators.extend(base, type_checker=kinds)


@functools.cache
def _validator(schema_path: Path) -> jsonschema.protocols.Validator:
    return _jsonschema()[1](load_yaml_strict(schema_path))


def locate_key(files: Iterable[Path], keys: Sequence[Any], default: str) -> str:
    """Find the line of a configuration value that was merged from several files.

    Parameters
    ----------
    files : iterable of Path
        YAML files; later files override earlier ones.
    keys : sequence
        Keys and indices that lead to the value.
    default : str
        Location if no file contains the first key, for example because it was set on the command line.

    Returns
    -------
    str
        File and line of the deepest of the keys that a file contains.
    """
    location = default
    depth = 0
    for path in files:
        try:
            node = yaml.compose(Path(path).read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
        except (OSError, ValueError, yaml.YAMLError):
            continue
        lines = list(_lines_of(node, keys))
        if lines and len(lines) >= depth:
            depth = len(lines)
            location = f"{path}, line {lines[-1]}"
    return location


def _lines_of(node: yaml.Node | None, keys: Sequence[Any]) -> Iterator[int]:
    """Yield the lines of nested keys, as far as the document contains them."""
    for key in keys:
        children: dict[Any, tuple[yaml.Node, yaml.Node]] = {}
        if isinstance(node, yaml.MappingNode):
            children = {name.value: (name, value) for name, value in node.value}
        elif isinstance(node, yaml.SequenceNode):
            children = {str(index): (value, value) for index, value in enumerate(node.value)}
        if str(key) not in children:
            return
        name, node = children[str(key)]
        yield name.start_mark.line + 1


def validate(value: Any, schema_path: str | Path, source: str, files: Sequence[Path] = ()) -> None:
    """Validate a configuration value against a JSON schema.

    Parameters
    ----------
    value : object
        Value to validate.
    schema_path : str or Path
        Path of the schema, in YAML.
    source : str
        File or option of the value, used as prefix of messages.
    files : sequence of Path, default=()
        Files from which the value was read; messages then give the line of the invalid key.

    Raises
    ------
    ConfigError
        If the value does not conform to the schema; the message includes the key and the remedy.
    """
    schema = Path(schema_path).resolve()
    key = f"{sha256_file(schema)} {sha256_bytes(repr(value).encode())}"
    _VALID.get(key, lambda: _check(value, schema, source, files))


def _check(value: Any, schema: Path, source: str, files: Sequence[Path]) -> bool:
    """Return True if a value conforms to a schema; raises the errors of `validate`."""
    errors = sorted(
        _validator(schema).iter_errors(value),
        key=lambda error: (len(error.absolute_path), [str(part) for part in error.absolute_path], error.message),
    )
    if not errors:
        return True
    # A misspelt key causes two errors, an unknown and a missing key; the first one is more informative.
    unknown = [error for error in errors if error.validator == "additionalProperties"]
    missing = [error for error in errors if error.validator == "required"]
    if not unknown and len(missing) > 1:
        keys = ", ".join(".".join(map(str, [*error.absolute_path, _missing_key(error)])) for error in missing)
        raise ConfigError(f"{source}: missing keys: {keys}; add them")
    error = _jsonschema()[0].exceptions.best_match(unknown or errors) or errors[0]
    keys_of_error = [*error.absolute_path, *_unknown_keys(error)[:1]]
    raise ConfigError(f"{locate_key(files, keys_of_error, source)}: {explain(error)}")


def _missing_key(error: jsonschema.ValidationError) -> str:
    """Return the key that an error of the validator ``required`` is about."""
    return next(name for name in error.validator_value if f"{name!r} is a required property" == error.message)


def _unknown_keys(error: jsonschema.ValidationError) -> list[str]:
    """Return the unknown keys that an error reports, sorted."""
    if error.validator != "additionalProperties" or not isinstance(error.instance, Mapping):
        return []
    allowed = error.schema.get("properties", {})
    return sorted(str(name) for name in error.instance if name not in allowed)


def explain(error: jsonschema.ValidationError) -> str:
    """Describe a validation error in one sentence: the key, the problem and the remedy."""
    key = ".".join(str(part) for part in error.absolute_path) or "top level"
    if unknown := _unknown_keys(error):
        allowed = sorted(error.schema.get("properties", {}))
        return f"{key}: unknown key '{unknown[0]}'; {suggest(unknown[0], allowed)}"
    if error.validator == "enum":
        return f"{key}: {error.instance!r} is not allowed; {suggest(str(error.instance), error.validator_value)}"
    if error.validator == "required":
        return f"{key}: {error.message}; add it"
    if error.validator == "type":
        kinds = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
        return f"{key}: {error.instance!r} has the wrong type; give a value of type {' or '.join(kinds)}"
    if error.validator == "pattern":
        return f"{key}: {error.instance!r} is not a valid name; it must match {error.validator_value}"
    return f"{key}: {error.message}; correct the value"
