"""Helpers for command-line options."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any


class RenamedOption(argparse.Action):
    """Reject a renamed option with an error that suggests the new one (``const``)."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Exit with an error."""
        parser.error(f"{option_string} has been renamed; use {self.const}")


def reject_renamed(parser: argparse.ArgumentParser, renamed: Mapping[str, str]) -> None:
    """Make a parser reject renamed options.

    Parameters
    ----------
    parser : ArgumentParser
        Parser with the new options.
    renamed : mapping of str to str
        Former option -> new option, such as ``{"--keep": "--output-dir"}``.
    """
    for former, new in renamed.items():
        parser.add_argument(
            former,
            action=RenamedOption,
            nargs="?",
            const=new,
            dest=argparse.SUPPRESS,
            default=argparse.SUPPRESS,
            help=argparse.SUPPRESS,
        )
