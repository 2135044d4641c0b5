"""The code that a job truly ran, compared with its files, in which an edit that was undone leaves no trace.

Python tells an audit hook each code object that it runs as it imports a module.  A job compares these with the files
that were written since it started.  It also compares those whose byte code was stored within two seconds of an edit:
Python finds byte code by the second of the date and by the size of its file alone.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import time
from collections.abc import Iterable
from importlib.util import cache_from_source
from pathlib import Path
from types import CodeType

from textmix.core.code import lines_of_code
from textmix.core.errors import IntegrityError

#: Nanoseconds after an edit in which another edit can have the same date.
RACY = 2 * 10**9
#: Folders of Python's own and of installed packages, whose code counts by their versions.
_FOREIGN = ("<", *sorted({str(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")}))
#: File of the frames in which Python imports.
_IMPORTER = "<frozen importlib._bootstrap>"
#: Path of a module's file -> the code that this process ran.
_ran: dict[str, CodeType] = {}
_watching: list[bool] = []


def watch_imports() -> None:
    """Keep the code of the modules that are imported from now on; a second call changes nothing."""
    if not _watching:
        sys.addaudithook(_keep)  # it cannot be taken away
        _watching.append(True)


def _keep(event: str, arguments: tuple[object, ...]) -> None:
    """Keep the code of a module that Python is about to run as it imports the module."""
    if event != "exec" or not isinstance(arguments[0], CodeType) or arguments[0].co_name != "<module>":
        return
    # Numba runs code of its own under the name of a kernel's file.
    imports = sys._getframe(1).f_code.co_filename == _IMPORTER
    if imports and not arguments[0].co_filename.startswith(_FOREIGN):
        _ran[arguments[0].co_filename] = arguments[0]


def check_held(files: Iterable[Path], started: int) -> None:
    """Check that the code that this process ran is that of its files, and that no data file was written since a time.

    Parameters
    ----------
    files : modules and data files of a job.
    started : when the process started, nanoseconds.

    Raises
    ------
    IntegrityError : the process ran another code than the file has now, or a data file was written since.
    """
    ran = {os.path.realpath(name): code for name, code in _ran.items()}
    for path in files:
        written = path.stat().st_ctime_ns
        if path.suffix != ".py" and written > started:
            raise IntegrityError(f"{path.name} was written while this job used it; run the same command again")
        code = ran.get(os.path.realpath(path))
        if code is not None and (written > started or _is_racy(path, written)):
            _compare(path, code)


def _is_racy(path: Path, written: int) -> bool:
    """Return whether the byte code of a module may be that of an edit in the same second."""
    try:
        return os.stat(cache_from_source(path)).st_mtime_ns < written + RACY
    except OSError:
        return False


def _compare(path: Path, code: CodeType) -> None:
    """Compare the code that ran with a file; byte code that is not the file's is deleted, else marked as compared.

    Raises
    ------
    IntegrityError : they differ.
    """
    stored = Path(cache_from_source(path))
    if lines_of_code(compile(path.read_bytes(), code.co_filename, "exec", dont_inherit=True)) != lines_of_code(code):
        stored.unlink(missing_ok=True)
        raise IntegrityError(f"{path.name} was written while this job imported it; run the same command again")
    if path.stat().st_ctime_ns + RACY < time.time_ns() and os.access(stored, os.W_OK):
        os.utime(stored)
