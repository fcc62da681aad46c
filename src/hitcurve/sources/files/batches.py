"""Columns of Arrow -> arrays, and batches of a size that counts fast."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve._progress import ROWS, tell
from hitcurve.sources.codes import GroupCodes
from hitcurve.sources.columns import nameless_error

_ROWS = 1 << 18  # a chunk: large enough to count fast, small enough to stay out of the way
_SCORES_OF_NAMED = 1 << 21  # of a chunk with groups or clusters, which is counted into the cells of all of them
_BYTES_OF_A_VALUE, _FEWEST = 128, 1 << 14  # of what is made of it until it is counted; rows of a chunk


def rows_of_chunk(rankers: int, names: int, memory: int | None) -> int:
    """Return how many rows are read at a time: fewer where they may take so many bytes.

    Parameters
    ----------
    rankers, names : int
        Columns of scores, and of clusters and groups.
    memory : int or None
    """
    most = max(_ROWS, _SCORES_OF_NAMED // rankers) if names else _ROWS
    return most if memory is None else min(most, max(memory // (_BYTES_OF_A_VALUE * (2 + rankers + names)), _FEWEST))


def together(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Put batches together while they hold no more rows than this: files come in smaller ones than were asked for."""
    pyarrow = _checks.extra("pyarrow", "files", "reading a file")
    waiting: list[Any] = []
    for batch in batches:
        if waiting and sum(one.num_rows for one in waiting) + batch.num_rows > rows:
            yield from pyarrow.Table.from_batches(waiting).combine_chunks().to_batches()
            waiting = []
        waiting.append(batch)
    if waiting:
        yield from pyarrow.Table.from_batches(waiting).combine_chunks().to_batches()


def numbered(batches: Iterable[Any]) -> Iterator[tuple[Any, int]]:
    """Yield each batch with the number of rows before it, and tell of them."""
    first_row = 0
    for batch in batches:
        yield batch, first_row
        first_row += batch.num_rows
        tell(ROWS, first_row, 0)


def numbers(column: Any) -> np.ndarray[Any, Any]:
    """Return an Arrow column of numbers or booleans as an array, whole ones exactly."""
    kind = str(column.type)
    if not column.null_count and len(column) and re.fullmatch(r"u?int\d+|float|double", kind):
        # Arrow's own way imports pandas where it is installed
        rows = slice(column.offset, column.offset + len(column))
        return np.frombuffer(column.buffers()[1], numpy_name(kind))[rows]
    if column.null_count and kind not in ("float", "double"):
        gone = column.is_null().to_numpy(zero_copy_only=False)
        whole = column.fill_null(False if str(column.type) == "bool" else 0)
        return np.ma.MaskedArray(whole.to_numpy(zero_copy_only=False), gone)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def numpy_name(kind: str) -> str:
    """Return what numpy calls an Arrow type of numbers; Arrow's own way to it imports pandas before pyarrow 26."""
    return {"float": "float32", "double": "float64"}.get(kind, kind)


def column_of(values: np.ndarray[Any, Any], kind: Any) -> Any:
    """Return an Arrow column of a type of what :func:`numbers` makes of it, without the masked values."""
    pyarrow = _checks.extra("pyarrow", "files", "reading a file")
    there = None
    if isinstance(values, np.ma.MaskedArray):
        there = pyarrow.py_buffer(_bits(~np.ma.getmaskarray(values)))
        values = values.data
    # as above: Arrow's own way imports pandas, which takes 50 MB
    own = _bits(values) if values.dtype == bool else np.ascontiguousarray(values)
    return pyarrow.Array.from_buffers(kind, len(values), [there, pyarrow.py_buffer(own)])


def _bits(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.packbits(values, bitorder="little")


def places_of(codes: Any) -> np.ndarray[Any, Any]:
    """Return where in its dictionary each row of a dictionary array of Arrow is, its length for a missing one."""
    if not len(codes):
        return np.zeros(0, np.int32)
    # as above: Arrow's own way imports pandas
    present, places = codes.indices.buffers()
    rows = slice(codes.offset, codes.offset + len(codes))
    found = np.frombuffer(places, numpy_name(str(codes.indices.type)))[rows]
    if not codes.null_count:
        return found
    bits = np.unpackbits(np.frombuffer(present, np.uint8), bitorder="little")[rows]
    return np.where(bits, found, len(codes.dictionary))


def words(column: Any, meaning: Callable[[str], Any] = str) -> np.ndarray[Any, Any]:
    """Return an Arrow column of words as an array of what they mean, None where there is none."""
    codes = column.dictionary_encode()
    meant = [meaning(word) for word in codes.dictionary.to_pylist()]
    places = places_of(codes)
    if codes.null_count == 0 and meant and all(isinstance(value, int) and abs(value) < 2**62 for value in meant):
        return np.asarray(np.array(meant)[places])  # fast to compare
    out = np.empty(len(meant) + 1, dtype=object)
    out[:-1] = meant
    out[-1] = None
    return np.asarray(out[places])


def group_codes(what: str, column: Any, meaning: Callable[[str], str]) -> GroupCodes:
    """Return an Arrow column of names as codes; no name becomes an object of Python for more than one subject."""
    if column.null_count:
        raise nameless_error(what, column.null_count, len(column))
    coded = column.dictionary_encode()
    found, codes = numbers(coded.dictionary), numbers(coded.indices)
    if found.dtype.kind != "O":
        return GroupCodes(codes, found)
    of_words = GroupCodes.of(np.fromiter(map(meaning, found), object, found.size))  # words may have one meaning
    return GroupCodes(codes if of_words.names.size == found.size else of_words.codes[codes], of_words.names)


def meant(word: str) -> Any:
    """Return the number that a label is written as, or the label."""
    if re.fullmatch(r"\s*[-+]?[0-9]+\s*", word):
        return int(word)
    try:
        number = float("" if "_" in word else word)  # 1_0 is ten for Python alone
    except ValueError:
        return word
    return int(number) if number.is_integer() else number
