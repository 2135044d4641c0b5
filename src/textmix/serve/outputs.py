"""Output files of ``textmix predict``: csv, tsv and JSON lines, also compressed, Excel workbooks and Parquet."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol, Self

from textmix.core.errors import ConfigError, extra
from textmix.core.io import named, replacing
from textmix.serve.terminal import EscapingStream, escape_control_characters

STANDARD_OUTPUT = "standard output"
#: Format -> file extensions.
EXTENSIONS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson", ".json"),
    "xlsx": (".xlsx",),
    "parquet": (".parquet", ".pq"),
}
OUTPUT_FORMATS = tuple(EXTENSIONS)
#: Formats that pandas, openpyxl or pyarrow write.
BINARY_FORMATS = ("xlsx", "parquet")
#: Extensions of formats that are read but not written.
UNSUPPORTED_EXTENSIONS = (".zip", ".xls", ".ods", ".arff", ".feather", ".html", ".xml")
COMPRESSORS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
MAX_XLSX_ROWS = 1_048_576


class Rows(Protocol):
    """Rows of an output file, written block by block."""

    format: str

    def write_header(self, names: Sequence[str], numeric: Sequence[bool]) -> None:
        """Write the header; ``numeric`` flags numeric columns."""

    def write(self, columns: Sequence[Sequence[str]]) -> None:
        """Write a block of rows, passed as columns of equal length."""


@dataclass(frozen=True)
class Output:
    """Destination and format of predictions.

    Parameters
    ----------
    path : str or None
        Output file; None for standard output.
    format : str
        One of `OUTPUT_FORMATS`.
    compression : str, default=""
        File extension of the compression, a key of `COMPRESSORS`.
    """

    path: str | None
    format: str
    compression: str = ""

    @classmethod
    def of(cls, path: str | None, output_format: str | None = None) -> Self:
        """Infer format and compression from a file extension.

        Raises
        ------
        ConfigError
            If the folder does not exist, or the file cannot be written in its format.
        """
        if path is None:
            if output_format in BINARY_FORMATS:
                raise ConfigError(f"--output-format {output_format}: requires --output")
            return cls(None, output_format or "csv")
        target = Path(path)
        if not target.parent.is_dir():
            raise ConfigError(f"--output: folder {target.parent} does not exist; create it or choose another")
        compression = target.suffix.lower() if target.suffix.lower() in COMPRESSORS else ""
        extension = (target.with_suffix("") if compression else target).suffix.lower()
        inferred = next((name for name, extensions in EXTENSIONS.items() if extension in extensions), None)
        if output_format is None and extension in UNSUPPORTED_EXTENSIONS:
            supported = ", ".join(extensions[0] for extensions in EXTENSIONS.values())
            problem = f"cannot write {extension} files; choose one of {supported}, or {supported_compressions()}"
            raise ConfigError(f"--output: {problem}")
        format = output_format or inferred or "csv"
        if compression and format in BINARY_FORMATS:
            raise ConfigError(f"--output: {format} files are already compressed; drop {compression} from {target.name}")
        return cls(path, format, compression)

    @contextmanager
    def open(self) -> Iterator[Rows]:
        """Open the output; a file appears atomically at the end of the ``with`` block.

        Raises
        ------
        OSError
            If the file cannot be written.
        ModuleNotFoundError
            If a package that writes the format is not installed.
        """
        with ExitStack() as stack:
            stack.enter_context(named(self.path or STANDARD_OUTPUT))
            if self.format in BINARY_FORMATS:
                rows = XlsxRows() if self.format == "xlsx" else ParquetRows()
                binary = stack.enter_context(replacing(str(self.path)))
                yield rows
                rows.save(binary)
                return
            stream = stack.enter_context(self._open_text())
            yield JsonRows(stream) if self.format == "jsonl" else DelimitedRows(stream, self.format)

    @contextmanager
    def _open_text(self) -> Iterator[IO[str]]:
        with ExitStack() as stack:
            is_terminal = self.path is None and sys.stdout.isatty()
            binary = stack.enter_context(replacing(self.path)) if self.path else sys.stdout.buffer
            if self.compression:
                binary = stack.enter_context(COMPRESSORS[self.compression](binary, "wb"))
            if is_terminal:
                # A terminal that is not in UTF-8 shows escapes in place of characters that it cannot encode.
                encoding = sys.stdout.encoding or "utf-8"
                stream: io.TextIOWrapper = EscapingStream(
                    binary, encoding=encoding, errors="backslashreplace", newline=""
                )
            else:
                stream = io.TextIOWrapper(binary, encoding="utf-8", newline="")
            try:
                yield stream
                stream.flush()
            finally:
                # The binary stream is closed by whoever opened it; the rest of the buffer is lost if the disk is full.
                with suppress(OSError):
                    stream.detach()


def supported_compressions() -> str:
    """List the supported compressions in words."""
    return f".csv{', .csv'.join(COMPRESSORS)}"


class DelimitedRows:
    """Rows of csv or tsv."""

    def __init__(self, stream: IO[str], output_format: str) -> None:
        self.format = output_format
        self._writer = csv.writer(stream, lineterminator="\n", delimiter="," if output_format == "csv" else "\t")

    def write_header(self, names: Sequence[str], numeric: Sequence[bool]) -> None:
        """Write the names of the columns."""
        self._writer.writerow(names)

    def write(self, columns: Sequence[Sequence[str]]) -> None:
        """Write a block of rows."""
        self._writer.writerows(zip(*columns, strict=True))


class JsonRows:
    """JSON lines from a template; each column of JSON values replaces a ``%s``."""

    format = "jsonl"

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self.template = ""

    def write_header(self, names: Sequence[str], numeric: Sequence[bool]) -> None:
        """Do nothing: JSON lines have no header."""

    def write(self, columns: Sequence[Sequence[str]]) -> None:
        """Write a block of rows; formatting a tuple is the fastest way to write one."""
        self._stream.writelines(map(self.template.__mod__, zip(*columns, strict=True)))


@dataclass
class XlsxRows:
    """Rows of an Excel workbook, all text except for columns of numbers."""

    format: str = "xlsx"

    def __post_init__(self) -> None:
        with extra("tables"):
            import openpyxl
            from openpyxl.cell import WriteOnlyCell
        self._cell = WriteOnlyCell
        self._book = openpyxl.Workbook(write_only=True)
        self._sheet = self._book.create_sheet("predictions")
        self._numeric: list[bool] = []
        self._n_rows = 0

    def write_header(self, names: Sequence[str], numeric: Sequence[bool]) -> None:
        """Write the names of the columns."""
        self._sheet.append([self._text_cell(name) for name in names])
        self._numeric = list(numeric)
        self._n_rows = 1

    def write(self, columns: Sequence[Sequence[str]]) -> None:
        """Write a block of rows; raises ConfigError above the row limit of Excel."""
        self._n_rows += len(columns[0]) if columns else 0
        if self._n_rows > MAX_XLSX_ROWS:
            raise ConfigError(f"--output: an xlsx file has at most {MAX_XLSX_ROWS:,} rows; choose csv or parquet")
        for row in zip(*columns, strict=True):
            self._sheet.append(list(map(self._typed_cell, row, self._numeric)))

    def _typed_cell(self, value: str, is_numeric: bool) -> Any:
        if is_numeric:
            return float(value) if value else None
        return self._text_cell(value)

    def _text_cell(self, value: str) -> Any:
        """Create a cell of text, so that a label that begins with "=" is not evaluated as a formula."""
        cell = self._cell(self._sheet, escape_control_characters(value))
        cell.data_type = "s"
        return cell

    def save(self, stream: IO[bytes]) -> None:
        """Write the workbook to a binary stream."""
        self._book.save(stream)


@dataclass
class ParquetRows:
    """Rows of a Parquet file, text columns and columns of float64."""

    format: str = "parquet"
    names: list[str] = field(default_factory=list)
    columns: list[list[Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        with extra("tables"):
            import pyarrow.parquet
        self._parquet = pyarrow.parquet
        self._numeric: list[bool] = []

    def write_header(self, names: Sequence[str], numeric: Sequence[bool]) -> None:
        """Create the columns."""
        self.names = list(names)
        self._numeric = list(numeric)
        self.columns = [[] for _ in names]

    def write(self, columns: Sequence[Sequence[str]]) -> None:
        """Append a block of rows."""
        for values, block, is_numeric in zip(self.columns, columns, self._numeric, strict=True):
            values.extend((float(cell) if cell else None for cell in block) if is_numeric else block)

    def save(self, stream: IO[bytes]) -> None:
        """Write the table to a binary stream."""
        import pyarrow

        types = [pyarrow.float64() if is_numeric else pyarrow.string() for is_numeric in self._numeric]
        arrays = [
            pyarrow.array(values, type=column_type) for values, column_type in zip(self.columns, types, strict=True)
        ]
        self._parquet.write_table(pyarrow.Table.from_arrays(arrays, names=self.names), stream)
