"""Command line interface ``textmix``: compare methods, predict, evaluate and describe models, list the registry."""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import textmix
from textmix.compare.arguments import add_arguments
from textmix.core.errors import ConfigError, TextmixError
from textmix.core.io import named
from textmix.core.options import reject_renamed
from textmix.data.formats import FRAMES, NEW_TEXTS, NUMERIC, check_dialect, format_of, without_packing
from textmix.serve.outputs import OUTPUT_FORMATS, STANDARD_OUTPUT
from textmix.serve.terminal import EscapingFormatter, escape_control_characters, replace_unencodable

if TYPE_CHECKING:
    from textmix.data.sniffing import TableFile
    from textmix.data.user_table import NewText
    from textmix.serve.average_model import AveragedModel
    from textmix.serve.model import PersistedModel

logger = logging.getLogger("textmix")

MODEL_HELP = "folder of the model, or output directory of textmix compare"
ENCODING_HELP = "file encoding (default: detected)"
ENCODER_HELP = "encoder of the model, if it has one"
#: Former name of an option -> its name since version 0.3.
RENAMED_OPTIONS = {
    "predict": {
        "--form": "--format",
        "--column": "--text",
        "--output-form": "--output-format",
        "--reject": "--min-probability",
        "--why": "--explain",
    },
    "evaluate": {"--column": "--text"},
}


def parser() -> argparse.ArgumentParser:
    """Create the parser of the command line."""
    main = argparse.ArgumentParser(
        prog="textmix",
        description="Find the best method for your texts, apply models, and list methods and data sets.",
        allow_abbrev=False,
    )
    main.add_argument("--version", action="version", version=f"%(prog)s {textmix.__version__}")
    commands = main.add_subparsers(dest="command", required=True)
    _add_compare(commands)
    _add_predict(commands)
    _add_evaluate(commands)
    _add_info(commands)
    _add_list(commands)
    _add_warm(commands)
    return main


def _add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str, description: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=summary, description=description, allow_abbrev=False)
    reject_renamed(command, RENAMED_OPTIONS.get(name, {}))
    return command


def _add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = _add_command(
        commands,
        "compare",
        "find the best method for your texts",
        "Compare methods on a table of labelled texts within a time budget, write a report, and save the best method "
        "as a model.  Delimiter, encoding, and the columns of texts and labels are detected.  Ctrl-C ends the search "
        "with the best method so far.",
    )
    add_arguments(command)


def _add_predict(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = _add_command(
        commands,
        "predict",
        "predict labels of new texts",
        "Predict labels of new texts.  The output has one row per text, in the same order.  Columns, delimiter and "
        "encoding are detected as by `textmix compare`.  Texts are processed in blocks, so files may be of any size.",
    )
    add = command.add_argument
    add("model", metavar="MODEL", help=MODEL_HELP)
    add(
        "file",
        metavar="FILE",
        help="csv, tsv, jsonl or txt (one text per line), also compressed, parquet or xlsx file; - is standard input",
    )
    add("--format", choices=NEW_TEXTS, help="input format (default: inferred from the file extension)")
    add("--text", metavar="COLUMN", help="text column or JSON key (default: as in training, or detected)")
    add("--id", metavar="COLUMN", help="identifier column or JSON key (default: row number from 1)")
    add("--delimiter", help="field delimiter of csv (default: detected)")
    add("--encoding", help=ENCODING_HELP)
    add("--encoder", metavar="MODULE:NAME", help=ENCODER_HELP)
    add("--output", metavar="FILE", help="output file, written atomically (default: standard output)")
    add(
        "--output-format",
        choices=OUTPUT_FORMATS,
        help="output format (default: inferred from the file extension, else csv)",
    )
    add("--all", action="store_true", help="probabilities of all labels, not only of predicted ones")
    add("--top", type=int, metavar="K", help="the K most probable labels of each text with their probabilities")
    add(
        "--spreadsheet",
        action="store_true",
        help="csv: prefix ids and labels that a spreadsheet would evaluate (=, +, -, @) with an apostrophe",
    )
    add(
        "--empty",
        choices=("label", "leave"),
        default="label",
        help="predict a label for missing or blank texts, or leave them unlabelled (default: label)",
    )
    add("--never-empty", action="store_true", help="multi-label: predict at least one label per text")
    add(
        "--min-probability",
        type=float,
        metavar="P",
        help="single-label: abstain if the predicted label is less probable than P",
    )
    add("--explain", action="store_true", help="show the words that contributed most to each prediction")
    add("--quiet", action="store_true", help="no progress and no summary")


def _add_evaluate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = _add_command(
        commands, "evaluate", "evaluate a model on labelled texts", "Evaluate a model on labelled texts."
    )
    add = command.add_argument
    add("model", metavar="MODEL", help=MODEL_HELP)
    add("file", metavar="FILE", help="csv, tsv, jsonl, parquet or xlsx file with texts and labels, also compressed")
    add("--text", metavar="COLUMN", help="text column (default: as in training, or detected)")
    add(
        "--label",
        metavar="COLUMN",
        help="label column, or several 0/1 columns separated by commas (default: as in training, or detected)",
    )
    add("--separator", help="label separator (default: as in training)")
    add("--encoding", help=ENCODING_HELP)
    add("--encoder", metavar="MODULE:NAME", help=ENCODER_HELP)
    add("--recall", type=float, metavar="R", help="also print the precision of each label at this recall, such as 0.9")


def _add_info(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = _add_command(commands, "info", "describe a model", "Validate a model and describe it.")
    command.add_argument("model", metavar="MODEL", help=MODEL_HELP)
    command.add_argument("--encoder", metavar="MODULE:NAME", help=ENCODER_HELP)
    command.add_argument("--json", action="store_true", help="JSON output")


def _add_list(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = _add_command(commands, "list", "list methods or data sets", "List the registered methods or data sets.")
    command.add_argument("what", choices=("methods", "datasets"))


def _add_warm(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = _add_command(
        commands,
        "warm",
        "compile kernels in advance",
        "Compile the kernels of public classes, so that the first fit does not wait for the compiler.  The cache is "
        "in TEXTMIX_CACHE, XDG_CACHE_HOME or ~/.cache.",
    )
    command.add_argument("names", metavar="CLASS", nargs="*", help="public class, such as PMM1 (default: all)")


def input_format(options: argparse.Namespace) -> str:
    """Return the input format of ``textmix predict`` and validate the options.

    Raises
    ------
    ConfigError
        If the format cannot be inferred, or an option is invalid.
    """
    detected = options.format or format_of(without_packing(options.file), (*NEW_TEXTS, *FRAMES, *NUMERIC))
    if detected is None:
        choices = ", ".join(NEW_TEXTS)
        raise ConfigError(f"{options.file}: unknown file extension; specify --format ({choices})")
    check_dialect(options.encoding, options.delimiter)
    if options.min_probability is not None and not 0.0 < options.min_probability <= 1.0:
        raise ConfigError(f"--min-probability: {options.min_probability:g} is not in (0, 1]")
    if options.top is not None and options.top < 1:
        raise ConfigError(f"--top: {options.top} is below 1")
    return detected


def compare(options: argparse.Namespace) -> None:
    """Compare methods on the texts of a file and print the best one, its score, and how to apply it."""
    start = time.monotonic()  # before the imports, which take seconds on a busy machine
    import textmix.compare

    textmix.compare.compare  # noqa: B018 - reports missing packages before the file is read
    from textmix.compare.command import CompareOptions, compare_file
    from textmix.compare.terminal import encodable

    compare_options = CompareOptions(**{name: getattr(options, name) for name in CompareOptions._fields})
    for line in compare_file(compare_options, start):
        print(encodable(escape_control_characters(line), sys.stdout))


def predict(options: argparse.Namespace) -> None:
    """Predict labels of the texts of a file, write one row per text, and log a summary."""
    # Imported here because the imports take seconds: `main` reports invalid options first.
    from textmix.numerics.seeding import limit_threads
    from textmix.serve import predict as prediction
    from textmix.serve.outputs import Output
    from textmix.serve.terminal import file_size, report_progress

    file_format = input_format(options)
    output = Output.of(options.output, options.output_format)
    limit_threads()
    with ExitStack() as stack:
        stream = sys.stdin.buffer if options.file == "-" else stack.enter_context(_open(options.file))
        model = _load_model(options)
        prediction_options = prediction.Options(
            all_probabilities=options.all,
            top=options.top or 0,
            spreadsheet=options.spreadsheet,
            skip_empty=options.empty == "leave",
            never_empty=options.never_empty,
            min_probability=options.min_probability or 0.0,
            explain=options.explain,
        )
        prediction.check_options(prediction_options, model)
        source = _open_input(options, model, stream, file_format)
        rows = stack.enter_context(output.open())
        writer = prediction.Writer(rows, model, prediction_options)
        texts = source.texts
        if not options.quiet:
            is_terminal_free = options.output or not sys.stdout.isatty()
            terminal = sys.stderr if sys.stderr.isatty() and is_terminal_free else None
            texts = report_progress(texts, stream, file_size(stream), terminal)
        counts = prediction.predict(model, texts, writer, source.feature_names)
    if options.quiet:
        return
    summary = f"predicted {counts.texts:,} texts with {model.class_name}"
    if counts.empty:
        action = " (left unlabelled)" if options.empty == "leave" else ""
        summary += f", {counts.empty:,} of them empty{action}"
    n_legacy_lines = 0 if source.table is None else source.table.n_legacy_lines
    if n_legacy_lines:
        summary += f", {n_legacy_lines:,} lines decoded as Windows-1252"
    logger.info("%s", summary)
    for remark in () if source.table is None else source.table.notes:
        logger.info("%s", remark)


class _Input(NamedTuple):
    """Input of ``textmix predict``: texts, or encoded rows of features with their names; and the open table."""

    texts: Iterator[NewText]
    table: TableFile | None = None
    feature_names: Sequence[str] | None = None


def _open_input(
    options: argparse.Namespace, model: PersistedModel | AveragedModel, stream: IO[bytes], file_format: str
) -> _Input:
    """Open the file of new texts, or of feature vectors."""
    from textmix.data.user_table import columns_from_card, read_texts

    if file_format in NUMERIC:
        from textmix.data.user_data import read_feature_rows  # needs the extra "data", unlike texts
        from textmix.serve.predict import feature_row_texts

        if not model.is_numeric:
            raise ConfigError(f"{options.file}: contains numbers, but the model requires texts; use a table of texts")
        if options.file == "-":
            raise ConfigError(f"--format {file_format}: cannot be read from standard input; save it as a file")
        rows = read_feature_rows(Path(options.file), model.extra_columns)
        return _Input(feature_row_texts(rows), feature_names=rows.names)
    texts, table = read_texts(
        "standard input" if options.file == "-" else options.file,
        stream=None if file_format in FRAMES else stream,
        format=file_format,
        id=options.id,
        features=model.extra_columns,
        encoding=options.encoding,
        delimiter=options.delimiter,
        option_name="--text",
        **columns_from_card(model.card, options.text),
    )
    return _Input(texts, table)


def _load_model(options: argparse.Namespace) -> PersistedModel | AveragedModel:
    """Load the model of a command, and allow the encoder that the user names to run."""
    from textmix.serve.average_model import load_model

    return load_model(options.model, options.encoder)


def info(options: argparse.Namespace) -> None:
    """Print classes, parameters, labels and data set of a model."""
    description = _load_model(options).description()
    if options.json:
        print(json.dumps(description, indent=1, ensure_ascii=False, default=str))
        return
    for key, value in description.items():
        lines = value if isinstance(value, list) and key == "steps" else [value]
        for line in lines:
            text = ", ".join(map(str, line)) if isinstance(line, list) else str(line)
            print(f"{key:<10} {escape_control_characters(text)}")


def evaluate(options: argparse.Namespace) -> None:
    """Print the scores of a model on labelled texts."""
    from textmix.serve.evaluate import format_report, predict_corpus, read_labelled_texts
    from textmix.serve.training_sketch import training_proportion

    if not Path(options.file).is_file():
        raise ConfigError(f"{options.file}: file not found")
    if options.recall is not None and not 0.0 < options.recall <= 1.0:
        raise ConfigError(f"--recall: {options.recall:g} is not in (0, 1]")
    model = _load_model(options)
    corpus = read_labelled_texts(
        Path(options.file),
        model,
        text=options.text,
        label=options.label,
        separator=options.separator,
        encoding=options.encoding,
    )
    report = list(format_report(model, predict_corpus(model, corpus), options.recall))
    for remark in corpus.info.get("remarks", ()):
        logger.info("%s", remark)
    proportion = 0.0 if corpus.text is None else training_proportion(model.card, corpus.text)
    if proportion > 0.0:
        logger.warning(
            "%.0f %% of these texts are training texts of the model, so the scores are too optimistic; evaluate it on "
            "other texts.",
            max(100.0 * proportion, 1.0),
        )
    for line in report:
        print(escape_control_characters(line))


def list_registry(options: argparse.Namespace) -> None:
    """Print the registered methods or data sets, one per line."""
    from textmix.core.config import load_yaml_strict, registry_file

    entries = load_yaml_strict(registry_file(f"{options.what}.yaml"))
    width = max(map(len, entries))
    for name, entry in entries.items():
        if options.what == "methods":
            task = "multi-label" if entry["task"] == "multi" else "single-label"
            print(f"{name:<{width}}  {entry['estimator'].split(':')[1]}, {entry['family']}, {task}")
        else:
            print(f"{name:<{width}}  {entry['title']}")


def warm(options: argparse.Namespace) -> None:
    """Compile kernels and print the wall-clock time per class."""
    from textmix.serve.precompile import warm

    logging.getLogger("textmix").setLevel(logging.ERROR)  # kernels would log that they are compiled
    for compiled in warm(options.names):
        print(f"{compiled.name:<32} {compiled.missing or f'{compiled.seconds:.1f} s'}", flush=True)


COMMANDS = {
    "compare": compare,
    "predict": predict,
    "evaluate": evaluate,
    "info": info,
    "list": list_registry,
    "warm": warm,
}


def _open(path: str) -> IO[bytes]:
    """Open a file for reading; raises ConfigError if it cannot be read."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns
    -------
    exit_code : int
        0, or 1 after an error message of one line on standard error.
    """
    options = parser().parse_args(arguments)
    replace_unencodable(sys.stdout, sys.stderr)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, force=True)
    logging.root.handlers[0].setFormatter(EscapingFormatter("%(message)s"))
    logger.setLevel(logging.NOTSET)
    if getattr(options, "quiet", False):
        logging.root.setLevel(logging.ERROR)
    with _exit_on_signals():
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    """Run a command; return its exit code."""
    try:
        COMMANDS[options.command](options)
        with named(STANDARD_OUTPUT):
            sys.stdout.flush()
    except ModuleNotFoundError as error:
        logger.error("%s", error)
        return 1
    except TextmixError as error:
        logger.error("%s: %s", type(error).__name__, error)
        return 1
    except KeyboardInterrupt:
        logger.error("interrupted")
        return 128 + signal.SIGINT
    except BrokenPipeError:
        _discard_standard_output()  # the reader, such as head, has closed the pipe
    except OSError as error:
        logger.error("%s: %s", error.filename or getattr(options, "output", None) or STANDARD_OUTPUT, error.strerror)
        if error.filename == STANDARD_OUTPUT:
            _discard_standard_output()
        return 1
    return 0


def _discard_standard_output() -> None:
    """Redirect standard output to the null device, so that closing the interpreter raises no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _exit_on_signals() -> Iterator[None]:
    """Raise SystemExit on SIGTERM and SIGHUP, so that temporary files are removed; restore the handlers at the end."""

    def handle(number: int, _: object) -> None:
        """Exit with the code that a shell reports for a process that was ended by a signal."""
        raise SystemExit(128 + number)

    changed = []
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # an ignored signal lets the process outlive its terminal
            with suppress(ValueError):  # signals arrive in the main thread only
                signal.signal(number, handle)
                changed.append(number)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
