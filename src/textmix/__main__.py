"""The command line ``textmix``: compare methods on texts, label new texts with a model, describe it, list methods."""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

import textmix
from textmix.compare.arguments import add_arguments
from textmix.core.errors import ConfigError, TextmixError
from textmix.core.io import named, replacing
from textmix.data.formats import FRAMES, NEW_TEXTS, check_dialect, format_of, without_packing
from textmix.serve.terminal import Visible, VisibleStream, visible

if TYPE_CHECKING:
    from textmix.serve.average_model import AveragedModel
    from textmix.serve.model import PersistedModel

logger = logging.getLogger("textmix")
STANDARD_OUTPUT = "the standard output"


#: Meaning of the option to a command that takes a model.
ENCODER = "the encoder of the model, if it has one"


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    main = argparse.ArgumentParser(
        prog="textmix", description="Find the best method for your texts, use models, and list methods and data sets."
    )
    main.add_argument("--version", action="version", version=f"%(prog)s {textmix.__version__}")
    commands = main.add_subparsers(dest="command", required=True)
    _add_compare(commands)
    _add_predict(commands)
    shown = commands.add_parser("info", help="describe a model", description="Check a model and describe it.")
    shown.add_argument("model", metavar="MODEL", help="folder of the model")
    shown.add_argument("--encoder", metavar="MODULE:NAME", help=ENCODER)
    shown.add_argument("--json", action="store_true", help="as JSON")
    scored = commands.add_parser(
        "evaluate", help="score a model on labelled texts", description="Print the scores of a model."
    )
    scored.add_argument("model", metavar="MODEL", help="folder of the model")
    scored.add_argument(
        "file", metavar="FILE", help="csv, tsv or jsonl with a text and its labels in each row, also compressed"
    )
    scored.add_argument("--column", help="column of the text (default: as in the fit of the model, or found)")
    scored.add_argument(
        "--label", help="column of the labels, or several of 0 and 1 (default: as in the fit of the model, or found)"
    )
    scored.add_argument(
        "--separator", help="text between several labels of one cell (default: as in the fit of the model)"
    )
    scored.add_argument("--encoding", help="encoding of FILE (default: it is found)")
    scored.add_argument("--encoder", metavar="MODULE:NAME", help=ENCODER)
    scored.add_argument(
        "--recall", type=float, help="also print the precision of each label at this recall, such as 0.9"
    )
    listed = commands.add_parser(
        "list", help="list methods or data sets", description="List the registered methods or data sets."
    )
    listed.add_argument("what", choices=("methods", "datasets"))
    warmed = commands.add_parser(
        "warm",
        help="compile the kernels in advance",
        description="Compile the kernels of all public classes, or of the named ones.  The first fit then does not "
        "wait for the compiler.  The cache is below TEXTMIX_CACHE, XDG_CACHE_HOME or ~/.cache.",
    )
    warmed.add_argument("names", metavar="CLASS", nargs="*", help="public class, such as PMM1 (default: all)")
    return main


def _add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command that compares methods on the user's texts."""
    compare = commands.add_parser(
        "compare",
        help="find the best method for your texts",
        description="Compare methods on a table of labelled texts within a time budget, write a report, and save the "
        "best method as a model.  Delimiter, encoding, and the columns of texts and labels are detected.  Ctrl-C ends "
        "the search with the best method so far.",
    )
    add_arguments(compare)


def _add_predict(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command that labels new texts."""
    predict = commands.add_parser(
        "predict",
        help="label new texts",
        description="Label new texts.  The output has a row for each text, in the same order.  Columns, delimiter and "
        "encoding are found as by `textmix compare`.  The texts are read in blocks, so that a file may be of any size.",
    )
    add = predict.add_argument
    add("model", metavar="MODEL", help="folder of the model")
    add(
        "file",
        metavar="FILE",
        help="csv, tsv, jsonl or txt (a text in each line), also compressed, parquet or xlsx; - is the standard input",
    )
    add("--form", choices=NEW_TEXTS, help="form of FILE (default: by the ending of its name)")
    add("--column", help="csv column or JSON key of the text (default: as in the fit of the model, or found)")
    add("--id", help="csv column or JSON key of an identifier (default: the texts are numbered from 1)")
    add("--delimiter", help="character between the cells of csv (default: it is found)")
    add("--encoding", help="encoding of FILE (default: it is found: UTF-8, UTF-16, or UTF-8 and Windows-1252 by lines)")
    add("--encoder", metavar="MODULE:NAME", help=ENCODER)
    add("--output", metavar="PATH", help="file of the rows, written whole or not at all (default: the standard output)")
    add("--output-form", choices=("csv", "jsonl"), help="form of the rows (default: by the ending of PATH, else csv)")
    add("--all", action="store_true", help="give the probability of every label, not only of the predicted ones")
    add(
        "--spreadsheet",
        action="store_true",
        help="put an apostrophe before ids and labels in csv that a spreadsheet would run as formulas (=, +, -, @)",
    )
    add(
        "--empty",
        choices=("label", "leave"),
        default="label",
        help="label a missing or blank text like any other, or leave it without a label (default: label)",
    )
    add(
        "--never-empty",
        action="store_true",
        help="give a text without a label its most probable one; for a model for several labels with probabilities",
    )
    add(
        "--reject",
        type=float,
        metavar="PROBABILITY",
        help="give no label to a text whose label is less probable; for a model for one label with probabilities",
    )
    add("--why", action="store_true", help="give the words of each text that speak most for its label, with weights")
    add("--quiet", action="store_true", help="no progress and no count of the texts")


def form_of(options: argparse.Namespace) -> str:
    """Return the form of FILE; raises ConfigError if nothing tells it, or an option is wrong."""
    form = options.form or format_of(without_packing(options.file), (*NEW_TEXTS, *FRAMES))
    if form is None:
        raise ConfigError(f"{options.file}: its name does not tell its form; give --form {', --form '.join(NEW_TEXTS)}")
    check_dialect(options.encoding, options.delimiter)
    if options.reject is not None and not 0.0 < options.reject <= 1.0:
        raise ConfigError(f"--reject: {options.reject:g} is no probability above 0 and up to 1, such as 0.6")
    return form


@contextmanager
def _output(path: str | None) -> Iterator[IO[str]]:
    """Give a UTF-8 text stream to a file, which appears whole or not at all, or to the standard output if None.
    ConfigError if its folder is not there, OSError if it cannot be written.
    """
    if path and not Path(path).parent.is_dir():
        raise ConfigError(f"--output: there is no folder {Path(path).parent}; make it, or name another")
    with ExitStack() as stack:
        stack.enter_context(named(path or STANDARD_OUTPUT))
        raw = stack.enter_context(replacing(path)) if path else sys.stdout.buffer
        shown = path is None and sys.stdout.isatty()
        stream = (VisibleStream if shown else io.TextIOWrapper)(raw, encoding="utf-8", newline="")
        try:
            yield stream
            stream.flush()
        finally:
            _let_go(stream)


def _let_go(stream: io.TextIOWrapper) -> None:
    """Detach a text stream from its raw stream, which whoever opened it closes; what a full disk refused is lost."""
    with suppress(OSError):
        stream.detach()


def compare(options: argparse.Namespace) -> None:
    """Compare methods on the texts of FILE and print the method, its score, and the command that labels new texts."""
    began = time.monotonic()  # before the imports, which take seconds where other programs run
    import textmix.compare

    textmix.compare.compare  # noqa: B018 - tells what is not installed before anything is read
    from textmix.compare.command import CompareOptions, compare_file
    from textmix.compare.terminal import encodable

    given = CompareOptions(**{name: getattr(options, name) for name in CompareOptions._fields})
    for line in compare_file(given, began):
        print(encodable(visible(line), sys.stdout))


def predict(options: argparse.Namespace) -> None:
    """Read the texts of FILE, label them by MODEL, write one row for each to the output, and log their number."""
    # Imported here, for the imports take seconds: `main` reports a wrong option before them.
    from textmix.data.user_table import columns_from_card, read_texts
    from textmix.numerics.seeding import limit_threads
    from textmix.serve import predict as labelling
    from textmix.serve.terminal import size_of, watched

    form = form_of(options)
    limit_threads()
    output_form = options.output_form or format_of(options.output or "", ("jsonl",)) or "csv"
    with ExitStack() as stack:
        stream = sys.stdin.buffer if options.file == "-" else stack.enter_context(_opened(options.file))
        model = _model(options)
        if options.never_empty and not labelling.gives_several(model):
            raise ConfigError("--never-empty: goes with a model for several labels with probabilities; leave it out")
        if options.reject is not None and (model.task != "single" or not hasattr(model.estimator, "predict_proba")):
            raise ConfigError("--reject: goes with a model for one label with probabilities; leave it out")
        found, file = read_texts(
            "standard input" if options.file == "-" else options.file,
            stream=None if form in FRAMES else stream,
            format=form,
            id=options.id,
            features=model.beside,
            encoding=options.encoding,
            delimiter=options.delimiter,
            **columns_from_card(model.card, options.column),
        )
        output = stack.enter_context(_output(options.output))
        writer = labelling.Writer(
            output,
            model,
            output_form,
            options.all,
            spreadsheet=options.spreadsheet,
            skip_empty=options.empty == "leave",
            never_empty=options.never_empty,
            reject=options.reject or 0.0,
            why=options.why,
        )
        if not options.quiet:
            terminal = sys.stderr if sys.stderr.isatty() and (options.output or not sys.stdout.isatty()) else None
            found = watched(found, stream, size_of(stream), terminal)
        done = labelling.predict(model, found, writer)
    if options.quiet:
        return
    mixed = f", {file.n_legacy_lines} lines read as Windows-1252" if file.n_legacy_lines else ""
    skipped = " and left without a label" if options.empty == "leave" else ""
    empty = f", {done.empty} of them empty{skipped}" if done.empty else ""
    logger.info("%d texts labelled by %s%s%s", done.texts, model.class_name, empty, mixed)
    for remark in file.notes:
        logger.info("%s", remark)


def _model(options: argparse.Namespace) -> PersistedModel | AveragedModel:
    """Return the model of a command, and let its encoder run, if the user names one."""
    from textmix.serve.average_model import load_model

    return load_model(options.model, options.encoder)


def info(options: argparse.Namespace) -> None:
    """Print the classes, parameters, labels and data set of a model; the options and errors are those of `predict`."""
    model = _model(options)
    description = model.description()
    if options.json:
        print(json.dumps(description, indent=1, ensure_ascii=False, default=str))
        return
    for key, value in description.items():
        lines = value if isinstance(value, list) and key == "steps" else [value]
        for line in lines:
            text = ", ".join(map(str, line)) if isinstance(line, list) else str(line)
            print(f"{key:<10} {visible(text)}")


def evaluate(options: argparse.Namespace) -> None:
    """Print the scores of a model on labelled texts; the options and errors are those of `predict`."""
    from textmix.serve.evaluate import assess, labelled, lines
    from textmix.serve.training_sketch import share_seen

    if not Path(options.file).is_file():
        raise ConfigError(f"{options.file}: there is no such file; name a file that can be read")
    if options.recall is not None and not 0.0 < options.recall <= 1.0:
        raise ConfigError(f"--recall: {options.recall:g} is no share above 0 and up to 1, such as 0.9")
    model = _model(options)
    asked = {"label": options.label, "separator": options.separator, "encoding": options.encoding}
    corpus = labelled(Path(options.file), model, options.column, **asked)
    scores = list(lines(model, assess(model, corpus), options.recall))
    for remark in corpus.info.get("remarks", ()):
        logger.info("%s", remark)
    known = 0.0 if corpus.text is None else share_seen(model.card, corpus.text)
    if known > 0.0:
        what = "so that these scores say too much of new texts; give texts that it has not seen"
        logger.warning("The model was fitted to %.0f %% of these texts, %s.", max(100.0 * known, 1.0), what)
    for line in scores:
        print(visible(line))


def listing(options: argparse.Namespace) -> None:
    """Print the registered methods or data sets, one a line: name, and what it is."""
    from textmix.core.config import load_yaml_strict, registry_file

    entries = load_yaml_strict(registry_file(f"{options.what}.yaml"))
    width = max(map(len, entries))
    for name, entry in entries.items():
        if options.what == "methods":
            several = "several labels" if entry["task"] == "multi" else "one label"
            print(f"{name:<{width}}  {entry['estimator'].split(':')[1]}, {entry['family']}, {several}")
        else:
            print(f"{name:<{width}}  {entry['title']}")


def warm(options: argparse.Namespace) -> None:
    """Compile kernels ahead and print the seconds of each class; raises ConfigError for a name of no public class."""
    from textmix.serve.precompile import warm

    logging.getLogger("textmix").setLevel(logging.ERROR)  # that kernels are compiled is what was asked for
    for done in warm(options.names):
        print(f"{done.name:<32} {done.missing or f'{done.seconds:.1f} s'}", flush=True)


COMMANDS = {"compare": compare, "predict": predict, "evaluate": evaluate, "info": info, "list": listing, "warm": warm}


def _opened(path: str) -> IO[bytes]:
    """Open a file for reading; ConfigError if it cannot be read."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; name a file that can be read") from error


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code: 0, or 1 with one sentence on the standard error."""
    options = parser().parse_args(arguments)
    _end_by_exceptions()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, force=True)
    logging.root.handlers[0].setFormatter(Visible("%(message)s"))
    logger.setLevel(logging.NOTSET)
    if getattr(options, "quiet", False):
        logging.root.setLevel(logging.ERROR)
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
        _drop_standard_output()  # the reader (head, say) has enough
    except OSError as error:
        logger.error("%s: %s", error.filename or getattr(options, "output", None) or STANDARD_OUTPUT, error.strerror)
        if error.filename == STANDARD_OUTPUT:
            _drop_standard_output()
        return 1
    return 0


def _drop_standard_output() -> None:
    """Send what is left for the standard output nowhere; the interpreter would complain as it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end_by_exceptions() -> None:
    """Let signals that ask the process to end raise SystemExit, so that no half-made file stays behind."""

    def end(number: int, _: object) -> None:
        """Leave with the exit code that a shell gives a process that a signal ended."""
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # ignored: the process is to outlive its terminal
            with suppress(ValueError):  # in another thread than the main one no signal arrives
                signal.signal(number, end)


if __name__ == "__main__":
    sys.exit(main())
