"""File formats: each is one module, and one entry here."""

from __future__ import annotations

from hitcurve.errors import EmptyInputError, UnreadableFileError
from hitcurve.sources.files.content import BOM
from hitcurve.sources.files.formats.arrow import Arrow
from hitcurve.sources.files.formats.delimited import Delimited
from hitcurve.sources.files.formats.format import Asked, Format
from hitcurve.sources.files.formats.objects import Objects
from hitcurve.sources.files.formats.parquet import Parquet

__all__ = ["FORMATS", "Asked", "Format", "format_of"]

FORMATS: tuple[type[Format], ...] = (Parquet, Arrow, Objects, Delimited)  # what is none of the others is delimited text


def format_of(asked: Asked) -> Format:
    """Return a file in the format of its first bytes.

    Raises
    ------
    EmptyInputError
        If the file is empty.
    UnreadableFileError
        If the format is not that of its name, or is packed once more.
    """
    content = asked.content
    promised = next((kind for kind in FORMATS if content.bare_name.endswith(kind.endings)), None)
    kind = next(kind for kind in FORMATS if kind.begins(content.start, promised=kind is promised))
    name = content.path.name
    if kind.packs_itself and content.compression != "none":
        article = "an" if kind.called[0] in "AEIOU" else "a"
        raise UnreadableFileError(f"{name} is {article} {kind.called} file that was compressed twice: decompress it")
    if not content.start.removeprefix(BOM).strip():
        raise EmptyInputError(f"{name} is empty")
    if promised is not None and kind is not promised:
        raise UnreadableFileError(
            f"{name} is not a file of the format {promised.called}, though its name says so: it begins differently"
        )
    return kind(asked)
