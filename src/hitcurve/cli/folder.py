"""The folder of the temporary files of one run."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator

from hitcurve._folders import new_folder
from hitcurve.errors import UnreadableFileError


@contextlib.contextmanager
def own_folder() -> Iterator[None]:
    """Put all temporary files into one folder that is removed however the run ends.

    A process that was killed leaves its folder behind: the next run removes it.
    """
    before = tempfile.tempdir
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(UnreadableFileError):  # no place for them: what needs one raises the error
            folder = new_folder()
            stack.callback(folder.remove)
            tempfile.tempdir = str(folder.path)
        try:
            yield
        finally:
            tempfile.tempdir = before
