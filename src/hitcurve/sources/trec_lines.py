"""Lines of TREC's files -> columns: all lines of a block at once, without an object for each document."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from functools import partial
from importlib.util import find_spec
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve._threads import in_threads
from hitcurve.sources.texts import PADDING, Keys, Places, Texts, from_arrow, joint_keys, to_arrow
from hitcurve.sources.trec_columns import TopicColumns

_BLOCK = 1 << 20  # bytes at once: what a processor keeps near
_PART = 1 << 20  # values in a part of a column: memory that is not written to takes no room
_LARGEST = (1 << 31) - (1 << 10)  # bytes of a block whose places Arrow counts in 32 bits
_EXACT = 16  # characters up to which every written number is a float of its own
_BOM = b"\xef\xbb\xbf"
_END, _BLANK = b"\n "
_TO_BLANKS = bytes.maketrans(b"\t\r\x0b\x0c", b"    ")


def regular_columns(
    opened: Callable[[], AbstractContextManager[IO[bytes]]], fields: tuple[str, ...], wanted: str
) -> TopicColumns | None:
    """Return the lines of a file; None if it must be read line by line to report errors.

    Some line of such a file has other fields or bytes that are not text, a document is there twice for a topic, or a
    value is not exactly the number that is written.

    Parameters
    ----------
    opened : callable
        Opens the file, unpacked.
    fields : tuple of str
        All fields of a line.
    wanted : {"score", "relevance"}
    """
    if not find_spec("pyarrow"):
        return None
    for size in (_BLOCK, _LARGEST):
        with opened() as file, suppress(_ScatteredError):
            return _joined(in_threads(partial(_columns, fields, wanted), _blocks(file, size)))
    return None


class _ScatteredError(Exception):
    """The lines of a topic do not follow each other: they are taken at once."""


def _joined(parts: Iterable[TopicColumns | None]) -> TopicColumns | None:
    """Return the lines of all blocks, None if some block is not regular.

    Raises
    ------
    _ScatteredError
        If two blocks have a topic in common.
    """
    import pyarrow as pa

    topics: dict[str, None] = {}
    sizes, names, numbers, keys = [np.empty(0, np.intp)], [], _Column(), _Column()
    for part in parts:
        if part is None:
            return None
        if not topics.keys().isdisjoint(part.topics):
            raise _ScatteredError
        topics |= dict.fromkeys(part.topics)
        sizes.append(np.diff(part.starts))
        names += part.names.chunks
        numbers.append(part.numbers)
        keys.append(part.line_keys)
    if not topics:
        return None
    starts = np.append(0, np.cumsum(np.concatenate(sizes)))
    return TopicColumns(tuple(topics), starts, pa.chunked_array(names), numbers.joined(), keys.joined())


class _Column:
    """A column that grows: in parts so large that the system has the memory back as soon as they are joined."""

    def __init__(self) -> None:
        self._parts: list[npt.NDArray[Any]] = []
        self._free = 0

    def append(self, values: npt.NDArray[Any]) -> None:
        """Add values."""
        while values.size:
            if not self._free:
                self._parts.append(np.empty(_PART, values.dtype))
                self._free = _PART
            some, values = values[: self._free], values[self._free :]
            start = _PART - self._free
            self._parts[-1][start : start + some.size] = some
            self._free -= some.size

    def joined(self) -> npt.NDArray[Any]:
        """Return all of them, once."""
        size = len(self._parts) * _PART - self._free
        if len(self._parts) < 2:
            return self._parts.pop()[:size]
        out = np.empty(size, self._parts[0].dtype)
        for start in range(len(self._parts) * _PART - _PART, -1, -_PART):
            part = self._parts.pop()
            out[start : start + _PART] = part[: size - start]
        return out


def _blocks(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the lines of whole topics, as long as those of a topic follow each other; each block ends with padding."""
    held = file.read(size).removeprefix(_BOM)
    while held:
        more = file.read(max(size, len(held)))
        end = _last_topic(held) if more else len(held)
        block = held[:end]
        if block and not block.isspace():
            yield block + (PADDING if block.endswith(b"\n") else b"\n" + PADDING)
        held = held[end:] + more


def _last_topic(block: bytes) -> int:
    """Return where the lines of the last topic in a block start; its last line may be cut off."""
    low, high = 0, block.rfind(b"\n", 0, max(block.rfind(b"\n"), 0)) + 1
    last = _topic(block, high)
    while low < high:
        line = block.rfind(b"\n", 0, (low + high) // 2) + 1
        if _topic(block, line) == last:
            high = line
        else:
            low = block.find(b"\n", line) + 1
    return high


def _topic(block: bytes, line: int) -> bytes:
    return next(iter(block[line : block.find(b"\n", line)].split(None, 1)), b"")


# ---- one block


def _columns(fields: tuple[str, ...], wanted: str, block: bytes) -> TopicColumns | None:
    """Return the lines of a block, topic by topic; None if they are not regular."""
    import pyarrow as pa

    if len(block) > _LARGEST or not _is_text(block):
        return None
    lines = _Lines.of(block, len(fields)) or _Lines.of(_evened(block), len(fields))
    if lines is None:
        return None
    topics, first, code = lines.topics()
    document, at = fields.index("document"), fields.index(wanted)
    keys = lines.keys(document, first)
    ordered = np.sort(keys)
    if np.any(ordered[1:] == ordered[:-1]):
        return None
    written = lines.column(at)
    numbers = _numbers(written, wanted)
    if numbers is None:
        return None
    if wanted == "score":
        rounded = _may_be_rounded(numbers, lines.ends[:, at] - lines.ends[:, at - 1] - 1)
        if rounded.any() and not _told_apart(numbers, np.repeat(code, np.diff(first)), written, rounded):
            return None
    names = lines.column(document).drop_null()
    if len(topics) < code.size:
        each = np.repeat(code, np.diff(first))
        order = np.argsort(each, kind="stable")
        numbers, names, keys = numbers[order], names.take(to_arrow(order)), keys[order]
        first = np.searchsorted(each[order], np.arange(len(topics) + 1))
    return TopicColumns(topics, first, pa.chunked_array([names]), numbers, keys)


def _is_text(block: bytes) -> bool:
    try:
        return block.isascii() or bool(block.decode())
    except UnicodeDecodeError:
        return False


def _evened(block: bytes) -> bytes:
    """Return lines with one blank between their fields, and none that is empty."""
    part = np.frombuffer(block.translate(_TO_BLANKS), np.uint8, len(block) - len(PADDING)).copy()
    gap = (part == _BLANK) | (part == _END)
    places = np.flatnonzero(gap)
    if not places.size:
        return block
    begin = np.append(0, np.flatnonzero(np.diff(places) > 1) + 1)
    ends_line = np.logical_or.reduceat(part[places] == _END, begin)
    first = places[begin]
    part[first] = np.where(ends_line, _END, _BLANK)
    gap[first] = first == 0
    return bytes(part[~gap]) + PADDING


class _Lines(NamedTuple):
    """Lines of a block, all with as many fields.

    Attributes
    ----------
    block : bytes
    ends : array of int (n, k)
        Where each field of each line ends.
    """

    block: bytes
    ends: Places

    @classmethod
    def of(cls, block: bytes, fields: int) -> _Lines | None:
        """Find the fields, which one blank or tab separates; None if there are others."""
        part = np.frombuffer(block, np.uint8, len(block) - len(PADDING))
        gap = part <= _BLANK
        places = np.flatnonzero(gap)
        lines, more = divmod(places.size, fields)
        if not lines or more or gap[0] or np.any(gap[1:] & gap[:-1]):
            return None
        between = part.take(places).tobytes()
        if not any(between == (blank * (fields - 1) + b"\n") * lines for blank in (b" ", b"\t")):
            return None
        return cls(block, places.reshape(-1, fields))

    def texts(self, field: int) -> Texts:
        """Return one field of all lines."""
        start = self.ends[:, field - 1] + 1 if field else np.append(0, self.ends[:-1, -1] + 1)
        return Texts.within(self.block, start, self.ends[:, field])

    def topics(self) -> tuple[tuple[str, ...], Places, Places]:
        """Return the topics, where another topic than before begins (with the end), and which it is."""
        texts = self.texts(0)
        first = np.append(0, np.flatnonzero(texts.differ_from_last()) + 1)
        starts = texts.start[first].tolist()
        spans = zip(starts, self.ends[first, 0].tolist(), strict=True)
        found: dict[str, int] = {}
        code = [found.setdefault(self.block[start:end].decode(), len(found)) for start, end in spans]
        return tuple(found), np.append(first, len(self.ends)), np.array(code, np.intp)

    def keys(self, document: int, first: Places) -> Keys:
        """Return a key for topic and document of each line."""
        own = self.texts(0).taken(first[:-1]).keys()
        return joint_keys(np.repeat(own, np.diff(first)), self.texts(document).keys())

    def column(self, field: int) -> Any:
        """Return a field as an array of Arrow, without copying its text: after each line a missing value."""
        import pyarrow as pa

        size = len(self.ends)
        spans, known = np.empty(2 * size + 1, np.int32), np.full(size // 4 + 1, 0b01010101, np.uint8)
        spans[:-1:2], spans[1::2] = self.ends[:, field - 1] + 1, self.ends[:, field]
        spans[-1] = spans[-2]
        buffers = [pa.py_buffer(known), pa.py_buffer(spans), pa.py_buffer(self.block)]
        return pa.Array.from_buffers(pa.string(), 2 * size, buffers, null_count=size)


def _numbers(written: Any, wanted: str) -> npt.NDArray[Any] | None:
    """Return the values of a column, None if some are no numbers."""
    import pyarrow as pa

    arrow, kind = (pa.float64(), np.float64) if wanted == "score" else (pa.int64(), np.int64)
    try:
        values = from_arrow(written.cast(arrow), kind)[::2]
    except pa.ArrowInvalid:
        return None
    return None if wanted == "score" and np.isnan(values.min()) else values  # min spreads a nan


def _may_be_rounded(numbers: npt.NDArray[Any], sizes: Places) -> npt.NDArray[np.bool_]:
    """Say which numbers may be written with more than a float holds: with many digits, or beyond the floats."""
    size = np.abs(numbers)
    return np.asarray(np.isinf(size) | (size < sys.float_info.min) | (sizes > _EXACT))


def _told_apart(values: npt.NDArray[Any], code: Places, written: Any, rounded: npt.NDArray[np.bool_]) -> bool:
    """Say whether scores of a topic are equal only where the same number is written.

    Parameters
    ----------
    values : array (n,)
    code : array of int (n,)
        The topic of each.
    written : pyarrow.Array
        The texts, each followed by a missing value.
    rounded : array of bool (n,)
        Which values may differ from the number that is written.
    """
    from pyarrow import compute

    some = np.zeros(int(code.max()) + 1, bool)
    some[code[rounded]] = True
    order = np.flatnonzero(some[code])
    value, topic = values[order], code[order]
    if np.any((topic[1:] != topic[:-1]) | (value[1:] > value[:-1])):
        order = order[np.lexsort((-value, topic))]
        value, topic = values[order], code[order]
    tied = np.flatnonzero((value[1:] == value[:-1]) & (topic[1:] == topic[:-1]))
    one, other = order[tied], order[tied + 1]
    either = rounded[one] | rounded[other]
    texts, others = (written.take(to_arrow(2 * rows[either])) for rows in (one, other))
    return not compute.any(compute.not_equal(texts, others)).as_py()
