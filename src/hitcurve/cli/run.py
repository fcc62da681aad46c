"""A run of the command line: streams, signals, the folder of temporary files, and how errors are said."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import signal
import sys
from typing import NoReturn

from hitcurve import _checks
from hitcurve._file_names import path_of
from hitcurve.cli import is_of_ctrl_c
from hitcurve.cli.bash_words import whole_words
from hitcurve.cli.ending import endable, stopped_by
from hitcurve.cli.folder import own_folder
from hitcurve.cli.streams import standard_streams, tell
from hitcurve.errors import HitcurveError, ParameterError

_SCARCE = 8 << 30  # bytes of address space, of which threads of libraries take much more than they use
_LEAST_FOR_FILES = 256 << 20  # with less, what reads files cannot be loaded
_LEAST_FOR_WORK = 1 << 30
_SCARCITY: list[float] = []  # the limit, where there is a low one


def run() -> None:
    """Run the command of the arguments and leave with its exit code."""
    ended: list[int] = []
    try:
        _spare_address_space()
        with endable(ended), standard_streams(), own_folder(), whole_words():
            _run()
    except (KeyboardInterrupt, SystemExit) as end:
        # typer leaves with 130 after Ctrl-C
        if ended or isinstance(end, KeyboardInterrupt) or end.code == 130:
            _stop(ended)
        raise
    except Exception as error:
        if is_of_ctrl_c(error):
            _stop(ended)
        if isinstance(error, HitcurveError):
            # the reader of --output has left, as that of standard output
            if isinstance(error.__cause__, BrokenPipeError):
                sys.exit(0)
            tell(*f"hitcurve: error: {error}".split("\n"))  # of several metrics, each has a line
            sys.exit(2)
        if _is_of_memory(error):
            tell(f"hitcurve: error: the memory does not suffice: raise the limit of this process{_less_memory()}")
            sys.exit(2)
        if os.environ.get("HITCURVE_TRACEBACK"):
            raise
        tell(
            f"hitcurve: internal error, please report it: {type(error).__name__}: {error}",
            "(set HITCURVE_TRACEBACK=1 to see where)",
        )
        sys.exit(1)


def _stop(ended: list[int]) -> NoReturn:
    """Leave at once after a signal: an ordinary exit would wait for threads that still draw."""
    number = ended[0] if ended else signal.SIGINT  # libraries turn any signal into Ctrl-C
    tell(stopped_by(number))
    os._exit(128 + number)


def _less_memory() -> str:
    """Return how the command of the arguments takes less memory, if it can."""
    takes_it = sys.argv[1:2] in (["evaluate"], ["table"])
    if not takes_it or (_SCARCITY and _SCARCITY[0] < _LEAST_FOR_WORK):  # address space is what lacks
        return ""
    given = any(word.partition("=")[0] == "--memory-limit" for word in sys.argv)
    return ", or lower --memory-limit" if given else ", or give --memory-limit"


def _load_algebra() -> None:
    """Load linear algebra before other libraries where address space is scarce: OpenBLAS waits for it without end."""
    if _SCARCITY and _SCARCITY[0] >= _LEAST_FOR_FILES and len(sys.argv) > 2:
        import scipy.special  # noqa: F401


def _spare_address_space() -> None:
    """Where a limit makes address space scarce, have one heap for all threads, and libraries start one thread.

    glibc asks again for the heap of a thread at each piece where there is no room. OpenBLAS waits without end for room
    for its threads, and numexpr, which pandas imports, ends the process. The memory pool of Arrow takes a gigabyte at
    once where there is so much, and leaves nothing for others.
    """
    from hitcurve._threads import limit_of_addresses, one_heap

    limit = limit_of_addresses()
    if limit >= _SCARCE:
        return
    _SCARCITY[:] = [limit]
    for library in ("OPENBLAS", "NUMEXPR"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    one_heap()


def _is_of_memory(error: Exception) -> bool:
    """Say whether memory ran out, as Python, the system and DuckDB say it."""
    without = isinstance(error, OSError) and error.errno == errno.ENOMEM
    # Python, Arrow and what the C++ of other libraries throws where the system starts no thread
    of_thread = (
        re.search("can't start new thread|[Ff]ailed to launch .*thread|^Resource temporarily unavailable", str(error))
        is not None
    )
    of_library = isinstance(error, ImportError) and _checks.is_of_memory(error)
    # Python's own words for C code that found no memory and did not say so
    unsaid = isinstance(error, SystemError) and re.search("without (setting an )?exception", str(error)) is not None
    named = type(error).__name__ == "OutOfMemoryException"
    return isinstance(error, MemoryError) or without or of_thread or of_library or unsaid or named


def _typed() -> str:
    """Return the first word after ``hitcurve`` of the line that a shell completes, "" if the word is not complete."""
    if os.environ.get("COMP_CWORD") == "1":
        return ""
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")  # of bash, of other shells
    words = re.match(r"\S+\s+(\S+)\s", line)
    return words[1] if words else ""


def _check_names_file(output: str) -> None:
    """Refuse what a path would read as the working folder, or as a file where a folder was meant.

    Raises
    ------
    ParameterError, UnreadableFileError
    """
    if not output:
        raise ParameterError("--output names no file: its name is empty")
    path_of(output)


def _run() -> None:
    _load_algebra()
    for before, argument in zip(sys.argv, sys.argv[1:], strict=False):
        if before in ("-o", "--output") or argument.startswith("--output="):
            _check_names_file(argument.removeprefix("--output="))
        if not argument.isprintable() and any("\ud800" <= sign <= "\udfff" for sign in argument):
            encoding = sys.getfilesystemencoding()
            if encoding == "utf-8":
                raise ParameterError(f"{argument!r} is not UTF-8")
            shown = os.fsencode(argument).decode(errors="backslashreplace")
            raise ParameterError(f"{shown!r} is not {encoding}, as the locale says: set PYTHONUTF8=1")
    _checks.extra("typer", "cli", "the command line")
    import typer

    from hitcurve.cli.app import app, with_one
    from hitcurve.cli.usage import UsageError, sentence_of, with_option

    if "_HITCURVE_COMPLETE" in os.environ and not sys.argv[1:]:  # a shell asks while a command is typed
        sys.exit(with_one(_typed())(prog_name="hitcurve"))
    if not sys.argv[1:]:  # the help, which is no result: on standard error, with code 2
        with contextlib.redirect_stdout(sys.stderr):
            app(prog_name="hitcurve")
    try:
        code = with_one(sys.argv[1])(prog_name="hitcurve", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except UsageError as error:
        raise ParameterError(sentence_of(error)) from None
    except ParameterError as error:
        raise ParameterError(with_option(str(error), with_one(sys.argv[1]))) from None
    sys.exit(code)
