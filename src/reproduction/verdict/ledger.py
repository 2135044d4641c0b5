"""The ledger of a paper: a digest of each published row, check, experiment, reading and data role, with its entry.

A tolerance, a check or an experiment that changes after results were seen needs an entry in ``history.md`` that names
it, with the state before and the reason.  ``ledger.csv`` holds the digest of each item as it was last entered, so that
a test finds a change without an entry.

``python -m reproduction.verdict.ledger`` lists what changed; with ``--entry HEADING`` it enters the changes.
"""

from __future__ import annotations

import argparse
import fnmatch
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from textmix.core import io
from textmix.core.config import load_yaml_strict
from textmix.core.digests import digest_of
from textmix.core.errors import ConfigError

#: Columns of ledger.csv: kind and name of the item, its digest, and the heading of its latest entry in history.md.
COLUMNS = ("item", "digest", "entry")
#: Entry of an item that has not changed since the ledger began.
FIRST = "as first entered"
#: Columns of published.csv that decide a verdict.
_DECIDING = ("kind", "unit", "value", "spread", "trials", "tolerance", "margin", "source")
#: Digits of a digest.
_SHORT = 12
#: File of the configuration that binds roles to data sets.
_BINDING = ("config.yaml",)


def items(config: Path, paper: str) -> dict[str, str]:
    """Return kind and name of each item of a paper -> its digest, 12 hexadecimal digits.

    Parameters
    ----------
    config : the folder ``config/``.
    paper : name of the paper's folder.

    Returns
    -------
    ``row:<id>`` of each published row that an experiment or a check judges; ``check:<name>``; ``experiments:<name>``,
    ``measures:<name>``, ``splits:<name>`` and ``features:<name>`` of paper.yaml; ``specifications:<name>``;
    ``role:<file>/<role>``.
    """
    return {name: digest_of(content)[:_SHORT] for name, content in _contents(config, paper)}


def _contents(config: Path, paper: str) -> Iterator[tuple[str, Any]]:
    """Yield kind and name, and content, of each item of a paper."""
    folder = config / "papers" / paper
    for row in io.read_csv(folder / "published.csv"):
        if not row["source"].startswith("test:"):  # a formula is judged by its test, which no result changes
            yield f"row:{row['id']}", {column: row[column] for column in _DECIDING}
    checks = folder / "checks.yaml"
    for name, check in ((load_yaml_strict(checks) if checks.is_file() else {}) or {}).items():
        yield f"check:{name}", {key: value for key, value in check.items() if key != "text"}
    spec = load_yaml_strict(folder / "paper.yaml")
    for kind in ("experiments", "measures", "splits", "features"):
        for name, entry in spec.get(kind, {}).items():
            # The place of a function in the code is no part of what it measures.
            yield f"{kind}:{name}", {key: value for key, value in entry.items() if key != "function"}
    declared = folder / "specifications.yaml"
    for name, entry in (load_yaml_strict(declared) if declared.is_file() else {}).items():
        # A level without reads is told by what it sets alone, as before there were reads.
        levels = {
            factor: {
                key: [one.get("set"), one["reads"]] if "reads" in one else one.get("set") for key, one in each.items()
            }
            for factor, each in entry["factors"].items()
        }
        yield f"specifications:{name}", {"rows": entry["rows"], "factors": levels}
    for file in _BINDING:
        roles = load_yaml_strict(config / file).get("roles", {})
        named = [role for name in spec["roles"] for role in spec.get("role_lists", {}).get(name, [name])]
        for role in named:
            if role in roles:
                yield f"role:{file}/{role}", {key: roles[role].get(key) for key in ("dataset", "comparable")}


def sections(history: str) -> dict[str, str]:
    """Return heading -> text of each entry of a history.md."""
    parts = re.split(r"^## (.+)$", history, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def names(text: str, item: str) -> bool:
    """Return whether the text of an entry names an item in backticks, by its name or by a pattern as ``pmm.t1.*``."""
    name = item.partition(":")[2].rpartition("/")[2]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in re.findall(r"`([^`]+)`", text))


def widened(history: str, ids: Iterable[str]) -> dict[str, str]:
    """Return id -> heading of the rows whose margin was widened after results were seen.

    An entry names them, by id or pattern, in an item that begins with ``- Widened:``.

    Parameters
    ----------
    history : text of a history.md.
    ids : of the published rows of its paper.
    """
    found: dict[str, str] = {}
    for heading, text in sections(history).items():
        for item in re.findall(r"^- Widened:(?:.|\n(?=  ))*", text, flags=re.MULTILINE):
            found |= {name: heading for name in ids if names(item, f"row:{name}")}
    return found


def changes(config: Path, paper: str) -> dict[str, str]:
    """Return item -> ``new``, ``changed`` or ``gone``, of the items that differ from the paper's ledger."""
    entered = {row["item"]: row["digest"] for row in read_ledger(config, paper)}
    today = items(config, paper)
    found = {item: "new" if item not in entered else "changed" for item in today if entered.get(item) != today[item]}
    return found | {item: "gone" for item in entered.keys() - today.keys()}


def read_ledger(config: Path, paper: str) -> list[dict[str, str]]:
    """Return the rows (`COLUMNS`) of a paper's ledger; none where there is no file."""
    path = config / "papers" / paper / "ledger.csv"
    return io.read_csv(path) if path.is_file() else []


def enter(config: Path, paper: str, heading: str) -> list[str]:
    """Enter all changes of a paper under a heading of its history.md; return the items.

    Raises
    ------
    ConfigError : history.md has no such heading, or its entry does not name an item that changed or is gone.
    """
    folder = config / "papers" / paper
    entries = sections((folder / "history.md").read_text(encoding="utf-8"))
    found, before = changes(config, paper), {row["item"]: row["entry"] for row in read_ledger(config, paper)}
    if heading not in entries:
        raise ConfigError(
            f"{folder}/history.md: there is no entry '{heading}'; write it, with the state before and why"
        )
    unnamed = [item for item, state in found.items() if state != "new" and not names(entries[heading], item)]
    if unnamed:
        raise ConfigError(
            f"{folder}/history.md: the entry '{heading}' does not name {', '.join(sorted(unnamed)[:5])} in backticks; "
            "say what was seen before and why it changed"
        )
    _write(folder, items(config, paper), {**before, **dict.fromkeys(found, heading)})
    return sorted(found)


def begin(config: Path, paper: str) -> None:
    """Write the first ledger of a paper: the entry of an item is the last one of history.md that names it."""
    folder = config / "papers" / paper
    text = (folder / "history.md").read_text(encoding="utf-8")
    entries, today = sections(text), items(config, paper)
    latest = {item: [heading for heading, body in entries.items() if names(body, item)] for item in today}
    _write(folder, today, {item: max(headings) for item, headings in latest.items() if headings})


def _write(folder: Path, digests: Mapping[str, str], entries: Mapping[str, str]) -> None:
    """Write the ledger of a paper, sorted by item."""
    rows = [{"item": item, "digest": digests[item], "entry": entries.get(item, FIRST)} for item in sorted(digests)]
    io.write_text(folder / "ledger.csv", io.format_csv(rows, COLUMNS))


def main(arguments: Sequence[str] | None = None) -> int:
    """List the changes that no entry covers, or enter them; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.verdict.ledger", description=__doc__)
    parser.add_argument("paper", nargs="*", help="names of papers; all by default")
    parser.add_argument("--entry", help="heading of the entry in history.md under which the changes are entered")
    options = parser.parse_args(arguments)
    config, state = Path("config"), 0
    for paper in options.paper or sorted(path.name for path in (config / "papers").iterdir() if path.is_dir()):
        found = changes(config, paper)
        if found and options.entry:
            try:
                enter(config, paper, options.entry)
            except ConfigError as error:
                sys.stderr.write(f"{error}\n")
                return 1
        elif found:
            state = 1
            sys.stderr.writelines(f"{paper}: {item} {what}\n" for item, what in sorted(found.items()))
    return state


if __name__ == "__main__":
    sys.exit(main())
