"""Vega, Vega-Lite and Vega-Embed as one script, bundled once for each version and kept in the user's cache folder.

vl-convert bundles its modules anew for every script, which takes longer than all numbers of a small page, and has no
call that returns a finished bundle. The bundle depends on nothing but its version and the line that is bundled with
the libraries, so these are its key.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hitcurve import _checks
from hitcurve._writing import write_whole
from hitcurve.errors import UnreadableFileError

_ENTRY = "window.vegaEmbed = vegaEmbed;"


@lru_cache(maxsize=1)
def library() -> str:
    """Return the libraries as one script, for a script element.

    Raises
    ------
    MissingExtraError
        If vl-convert-python is not installed.
    """
    try:
        key = f"vl-convert {version('vl-convert-python')} {_ENTRY}"
    except PackageNotFoundError:
        return _bundle()  # which says what is missing
    folder = _folder()
    if folder is None:
        return _bundle()
    place = folder / f"vega-{_digest(key)[:16]}.js"
    bundle = _kept(place)
    if bundle is None:
        bundle = _bundle()
        _keep(place, bundle)
    return bundle


def _bundle() -> str:
    convert = _checks.extra("vl_convert", "report", "a page with charts")
    bundle: str = convert.javascript_bundle(_ENTRY)
    return bundle.replace("</script", "<\\/script")


def _kept(place: Path) -> str | None:
    """Return the stored bundle; None if there is none, or if the digest in its first line does not match."""
    try:
        digest, _, bundle = place.read_bytes().decode().partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return bundle if digest == _digest(bundle) else None


def _keep(place: Path, bundle: str) -> None:
    """Keep the bundle; where nothing can be written, the next process bundles again."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, f"{_digest(bundle)}\n{bundle}")
    except (OSError, UnreadableFileError):
        return


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _folder() -> Path | None:
    """Return the folder of the user's caches, as the system names it; None of a user without a home."""
    given = os.environ.get({"win32": "LOCALAPPDATA", "darwin": ""}.get(sys.platform, "XDG_CACHE_HOME"))
    if given:
        return Path(given) / "hitcurve"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    usual = {"win32": "AppData/Local", "darwin": "Library/Caches"}
    return home / usual.get(sys.platform, ".cache") / "hitcurve"
