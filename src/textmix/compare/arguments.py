"""Options of ``textmix compare``."""

from __future__ import annotations

import argparse

from textmix.core.options import reject_renamed

#: Former options, and what they are called now.
RENAMED_OPTIONS = {
    "--labels": "--label",
    "--further": "--features",
    "--parts": "--split",
    "--groups": "--group",
    "--dates": "--date",
    "--keep": "--output-dir",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``textmix compare`` to its parser.

    Parameters
    ----------
    parser : ArgumentParser
        Parser of the subcommand.
    """
    parser.add_argument(
        "file",
        metavar="FILE",
        help="CSV, TSV, JSON Lines, Parquet or Excel file, also compressed, or folder with a subfolder for each class",
    )
    parser.add_argument(
        "--time",
        metavar="TIME",
        default="60",
        help="time budget of the whole comparison, such as 90, 10min, 1.5h, or all for no limit (default: 60 seconds)",
    )
    parser.add_argument(
        "--metric",
        metavar="NAME",
        help="metric used to rank candidates, or f:LABEL (default: accuracy; subset_accuracy if texts have several "
        "labels)",
    )
    _add_input(parser)
    _add_split(parser)
    parser.add_argument(
        "--output-dir",
        metavar="DIR",
        help="output directory for report, tables and model (default: name of FILE with -compared)",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace the output of an earlier comparison in the output directory"
    )
    parser.add_argument("--workers", metavar="N", type=int, help="number of threads (default: number of cores)")
    parser.add_argument(
        "--never-empty",
        action="store_true",
        help="at least one label per text, if texts have several (default: a text may have none)",
    )
    parser.add_argument(
        "--encoder",
        metavar="MODULE:NAME",
        help="your text encoder: object with a method encode, or function from a list of texts to vectors",
    )
    parser.add_argument(
        "--seed", metavar="N", type=int, default=0, help="random seed for test set and folds (default: 0)"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress (warnings and the result are still printed)")
    reject_renamed(parser, RENAMED_OPTIONS)


def _add_input(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe the input file."""
    parser.add_argument(
        "--text",
        metavar="COLUMN",
        help="text column, its number from 1, or several joined by commas (default: detected)",
    )
    parser.add_argument(
        "--label",
        metavar="COLUMN",
        help="label column, its number, or comma-separated columns of 0 and 1 (default: detected)",
    )
    parser.add_argument("--separator", metavar="TEXT", help="separator of several labels in one cell, such as ';'")
    parser.add_argument(
        "--features",
        metavar="COLUMNS",
        help="comma-separated numeric or categorical columns used as additional features by the linear models",
    )
    parser.add_argument("--format", metavar="FORMAT", help="input format (default: from the file extension)")
    parser.add_argument("--encoding", metavar="NAME", help="file encoding (default: detected)")


def _add_split(parser: argparse.ArgumentParser) -> None:
    """Add the options that select the test documents."""
    parser.add_argument(
        "--split", metavar="COLUMN", help="column with the values train and test (default: random 80/20 split)"
    )
    parser.add_argument(
        "--group", metavar="COLUMN", help="group split: groups, such as authors, are either training or test"
    )
    parser.add_argument("--date", metavar="COLUMN", help="temporal split: test on the latest 20 %% by this column")
    parser.add_argument("--test", metavar="FILE", help="file with the test documents, in the same format as FILE")
