"""Helpers for the options of a command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any


class RenamedOption(argparse.Action):
    """Reject a former option with an error that names the new one, which is given as ``const``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """End the program with an error."""
        parser.error(f"{option_string} has been renamed; use {self.const}")


def reject_renamed(parser: argparse.ArgumentParser, renamed: Mapping[str, str]) -> None:
    """Make a parser reject former options.

    Parameters
    ----------
    parser : ArgumentParser
        Parser that has the new options.
    renamed : mapping of str to str
        New option by former option, such as ``{"--keep": "--output-dir"}``.
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
