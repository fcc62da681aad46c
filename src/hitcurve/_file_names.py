"""Names that no file has, or that not every library can take."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def fault(path: Path, *, utf8: bool = False) -> str | None:
    """Return why nothing can be read or written under this name, None if it can.

    ``utf8`` is for what reads files by itself and takes names that are UTF-8, as DuckDB and Arrow do.
    """
    name = str(path)
    if "\0" in name:
        return "no name of a file has a null character"
    try:
        os.fsencode(name)
        if utf8:
            name.encode()
    except UnicodeEncodeError:
        encoding = sys.getfilesystemencoding()
        if encoding == "utf-8":
            return "its name is not UTF-8, rename it"
        return f"names of files are {encoding} in this locale, set PYTHONUTF8=1"
    return None
