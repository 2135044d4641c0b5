"""The errors a user of textmix can meet; each message names the file, the key and the remedy in one sentence."""

from __future__ import annotations

from pathlib import Path


class TextmixError(Exception):
    """Base of all errors that are meant for a user rather than for a developer."""


class ConfigError(TextmixError):
    """A configuration file or ``--config`` value is not what its schema allows."""


class DataFormatError(TextmixError):
    """A raw data file is not what its reader allows.

    Parameters
    ----------
    path : path of the file.
    line : 1-based line of the fault, or None where the file has no lines or the whole file is at fault.
    what : the fault and, where there is one, the remedy.
    """

    def __init__(self, path: str | Path, line: int | None, what: str) -> None:
        self.path, self.line, self.what = str(path), line, what
        super().__init__(f"{Path(path).name}{'' if line is None else f', line {line}'}: {what}")


class IntegrityError(TextmixError):
    """A stored file does not have the digest that was recorded when it was made."""


class MissingResult(TextmixError):  # noqa: N818 - it is news, not an error
    """Something could not be had, so what hangs on it is left out, with the reason, and the rest goes on.

    Parameters
    ----------
    reason : one sentence: what could not be had, why, and the remedy.
    broken : True where bytes are at hand but wrong (the run then ends with a non-zero exit code).
    """

    def __init__(self, reason: str, broken: bool = False) -> None:
        self.reason, self.broken = reason, broken
        super().__init__(reason)
