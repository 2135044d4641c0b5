"""Rehearse a run with data sets that are not available here, on synthetic data of the same format and shape.

    python benchmarks/rehearsal.py FOLDER [--scale 1.0] [--nus-wide 0.1] [--data NAME ...] [--mirror MIRROR]

FOLDER becomes a clone of the last commit of this repository, with a mirror of synthetic files in FOLDER/mirror and a
registry that names nothing else.  With --mirror, the real data sets of that mirror are linked, so that a run includes
them.  ``rehearsal: true`` in the clone's config/config.yaml marks every page of its report, and nothing of it can be
recorded.  The files have the names and the compression of the public ones; --scale is a proportion of the documents.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from synthetic_data import SHAPES

from textmix.core.digests import sha256_file

ROOT = Path(__file__).resolve().parents[1]
SEED = 65
#: Folder of the synthetic files inside the mirror.
SYNTHETIC = "rehearsal"
#: Number of training images of NUS-WIDE.
NUS_WIDE_TRAINING = 161789
#: Number of training and test pages of a Yahoo problem in table 1 of `pmm`.
YAHOO_PAGES = 5000


def make_clone(folder: Path) -> None:
    """Clone the last commit into a new folder."""
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty; name a new folder")
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)


def write_data_set(mirror: Path, name: str, proportion: float) -> dict[str, Any]:
    """Write the files of a data set; return its mirror source and counts, for the registry."""
    folder = mirror / SYNTHETIC / name
    folder.mkdir(parents=True)
    rng = np.random.default_rng([SEED, list(SHAPES).index(name)])
    expect = SHAPES[name].write(folder, SHAPES[name], proportion, rng)
    files = {}
    for path in sorted(folder.iterdir()):
        files[path.name] = {
            "path": str(path.relative_to(mirror)),
            "sha256": sha256_file(path),
            "bytes": path.stat().st_size,
        }
    return {"sources": [{"mirror": files}], "expect": expect}


def with_synthetic_sources(registry: dict[str, Any], written: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Replace the sources of the written data sets, and make every public source unavailable."""
    entries = {}
    for name, public in registry.items():
        entry = dict(public)
        if name in written:
            entry.pop("content_digest", None)
            entry["title"] = f"REHEARSAL, synthetic: {public['title']}"
            entry["no_digest"] = "synthetic data of a rehearsal"
            entry["note"] = "Synthetic data of a rehearsal: no number from it is a result."
            entry |= written[name]
        else:
            entry["sources"] = [_out_of_reach(source) if "https" in source else source for source in public["sources"]]
        entries[name] = entry
    return entries


def _out_of_reach(source: dict[str, Any]) -> dict[str, Any]:
    """Replace the addresses of a public source by one that no network resolves."""
    files = {role: file | {"urls": [f"https://rehearsal.invalid/{role}"]} for role, file in source["https"].items()}
    return source | {"https": files}


def mark_configuration(config: Path) -> None:
    """Set ``rehearsal: true``."""
    text = config.read_text(encoding="utf-8")
    if "\nrehearsal: false" not in text:
        raise SystemExit(f"{config} has no line 'rehearsal: false'; this script no longer fits the repository")
    config.write_text(text.replace("\nrehearsal: false", "\nrehearsal: true"), encoding="utf-8")


def shorten_split(paper: Path, proportion: float) -> None:
    """Scale the number of training images of NUS-WIDE, the only split with a number of an unavailable data set."""
    text = paper.read_text(encoding="utf-8")
    line = "first_161789: {{kind: first, train: {}}}"
    if line.format(NUS_WIDE_TRAINING) not in text:
        raise SystemExit(f"{paper} has no line {line.format(NUS_WIDE_TRAINING)!r}; this script no longer fits it")
    shortened = line.format(max(1, int(proportion * NUS_WIDE_TRAINING)))
    paper.write_text(text.replace(line.format(NUS_WIDE_TRAINING), shortened), encoding="utf-8")


def proportion_of(name: str, scale: float, nus_wide: float | None) -> float:
    """Return the proportion of the documents of a data set; a Yahoo problem has at least the pages of its splits."""
    if name == "nus_wide" and nus_wide is not None:
        return nus_wide
    if name.startswith("yahoo_"):
        return max(scale, YAHOO_PAGES / SHAPES[name].documents)
    return scale


def link_mirror(mirror: Path, real: Path) -> None:
    """Link every folder and file of a real mirror."""
    for path in real.iterdir():
        (mirror / path.name).symlink_to(path.resolve())


def main(arguments: Iterable[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=float, default=1.0, help="proportion of the documents (default: 1.0)")
    parser.add_argument("--nus-wide", type=float, help="the same for NUS-WIDE (default: --scale)")
    parser.add_argument("--data", nargs="+", choices=SHAPES, default=list(SHAPES), metavar="NAME", help="data sets")
    parser.add_argument("--mirror", type=Path, help="mirror with the real data sets")
    options = parser.parse_args(None if arguments is None else list(arguments))
    make_clone(options.folder)
    mirror = options.folder / "mirror"
    mirror.mkdir()
    written = {}
    for name in options.data:
        proportion = proportion_of(name, options.scale, options.nus_wide)
        written[name] = write_data_set(mirror, name, proportion)
        if name == "nus_wide":
            shorten_split(options.folder / "config/papers/cbm/paper.yaml", proportion)
        size = sum(file["bytes"] for file in written[name]["sources"][0]["mirror"].values())
        print(f"{name}: {written[name]['expect']['documents']} documents, {size / 1e6:.1f} MB", file=sys.stderr)
    registry = options.folder / "config/datasets.yaml"
    entries = with_synthetic_sources(yaml.safe_load(registry.read_text(encoding="utf-8")), written)
    registry.write_text(yaml.safe_dump(entries, sort_keys=False, width=110, allow_unicode=True), encoding="utf-8")
    mark_configuration(options.folder / "config/config.yaml")
    if options.mirror:
        link_mirror(mirror, options.mirror)
    print(f"cd {options.folder}; export TEXTMIX_MIRROR=$PWD/mirror; make", file=sys.stderr)


if __name__ == "__main__":
    main()
