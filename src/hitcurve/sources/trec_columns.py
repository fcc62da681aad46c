"""Files of TREC as columns, read by Arrow: all lines of a regular file at once, without an object for each document."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from hitcurve._threads import in_threads

_BLOCK = 1 << 22  # bytes at once
_TOPICS = 256  # at once
_EXACT = 16  # characters up to which every written number is a float of its own
_Places = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TopicColumns(Mapping[str, Mapping[str, Any]]):
    """The lines of a run or of qrels, one topic after another; also a mapping of topics to mappings of documents.

    Attributes
    ----------
    topics : tuple of str
        In the order of the file.
    starts : array of int (L + 1,)
        Where each topic starts.
    names : pyarrow.ChunkedArray
        The document of each line.
    numbers : array (n,)
        Its score, or its relevance.
    """

    topics: tuple[str, ...]
    starts: _Places
    names: Any
    numbers: npt.NDArray[Any]
    _places: dict[str, int] = field(init=False, repr=False)
    _last: list[tuple[str, dict[str, Any]]] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", {name: place for place, name in enumerate(self.topics)})

    def __len__(self) -> int:
        """Return the number of topics."""
        return len(self.topics)

    def __iter__(self) -> Iterator[str]:
        """Go through the topics."""
        return iter(self.topics)

    def __contains__(self, topic: object) -> bool:
        """Say whether there are lines of a topic."""
        return topic in self._places

    def __getitem__(self, topic: str) -> dict[str, Any]:
        """Return the values of the documents of a topic; those of the last one asked for are kept."""
        if not self._last or self._last[0][0] != topic:
            begin, end = self.starts[self._places[topic] :][:2].tolist()
            names = self.names.slice(begin, end - begin).to_pylist()
            self._last[:] = [(topic, dict(zip(names, self.numbers[begin:end].tolist(), strict=True)))]
        return self._last[0][1]

    def place(self, topic: str) -> int | None:
        """Return the place of a topic, None if there are no lines of it."""
        return self._places.get(topic)


def regular_columns(
    opened: Callable[[], AbstractContextManager[IO[bytes]]], fields: tuple[str, ...], wanted: str
) -> TopicColumns | None:
    """Return the lines of a regular file, or None if it is to be read line by line, which says what is wrong with it.

    A file is regular if its fields are separated by one blank (or one tab) each, all lines have all fields, no document
    is there twice, and every value is the number that is written.

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
    with opened() as file:
        blank = _separator(file)
    if blank is None:
        return None
    with opened() as file:
        table = _parsed(file, blank, fields, ("topic", "document", wanted))
    numbers = None if table is None else _numbers(table[wanted], wanted)
    if numbers is None:
        return None
    topics, code = _coded(table["topic"])
    names, written = (
        table["document"],
        table[wanted] if wanted == "score" and _may_round(numbers, table[wanted]) else None,
    )
    del table
    if np.any(code[1:] < code[:-1]):
        order = np.argsort(code, kind="stable")
        code, numbers, names = code[order], numbers[order], names.take(order)
        written = None if written is None else written.take(order)
    found = TopicColumns(topics, np.searchsorted(code, np.arange(len(topics) + 1)), names, numbers)
    if written is not None and not _told_apart(found, code, written):
        return None
    return None if "" in topics or _some_twice(found) else found


def _separator(file: IO[bytes]) -> str | None:
    """Return what separates the fields, None if not always the same single character."""
    blank, before = b"", b""
    while block := file.read(_BLOCK):
        if not before:
            first = block.partition(b"\n")[0]
            blank = b" " if b" " in first else b"\t"
            before = b"\n"  # no line begins with a blank
            if first.startswith(b"\xef\xbb\xbf"):
                return None
        part = np.frombuffer(before + block, np.uint8)  # one more, for neighbours
        between = part <= 32
        if np.any(between[1:] & between[:-1]):
            return None
        if np.count_nonzero(between) != np.count_nonzero((part == blank[0]) | (part == 10)):
            return None
        before = block[-1:]
    return blank.decode() or None


def _parsed(file: IO[bytes], blank: str, fields: tuple[str, ...], wanted: tuple[str, ...]) -> Any:
    """Return columns as text, the topic as codes; None if some line has other fields or is not UTF-8."""
    import pyarrow as pa
    from pyarrow import csv

    kinds = {name: pa.dictionary(pa.int32(), pa.string()) if name == "topic" else pa.string() for name in wanted}
    try:
        return csv.read_csv(
            file,
            csv.ReadOptions(column_names=list(fields), block_size=_BLOCK),
            csv.ParseOptions(delimiter=blank, quote_char=False, double_quote=False),
            csv.ConvertOptions(
                column_types=kinds, include_columns=list(wanted), null_values=[], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None


def _numbers(written: Any, wanted: str) -> npt.NDArray[Any] | None:
    """Return the values of a column, None if some are no numbers."""
    import pyarrow as pa

    try:
        values: npt.NDArray[Any] = written.cast(pa.float64() if wanted == "score" else pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    return None if wanted == "score" and np.isnan(values).any() else values


def _coded(column: Any) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """Return the distinct values of a column in their order, and the place of each line's among them."""
    found: dict[str, int] = {}
    codes = [np.empty(0, np.int32)]
    for chunk in column.chunks:
        places = [found.setdefault(name, len(found)) for name in chunk.dictionary.to_pylist()]
        codes.append(np.array(places, np.int32)[chunk.indices.to_numpy()])
    return tuple(found), np.concatenate(codes)


def _may_round(numbers: npt.NDArray[Any], written: Any) -> bool:
    """Say whether a number may be written with more than its float holds: with many digits, or beyond the floats."""
    from pyarrow import compute

    size = np.abs(numbers)
    extreme = np.isinf(size).any() or np.any(size < sys.float_info.min)
    return bool(extreme) or compute.max(compute.binary_length(written)).as_py() > _EXACT


def _some_twice(found: TopicColumns) -> bool:
    """Say whether a topic has a document twice."""
    from pyarrow import compute

    def any_twice(ends: npt.NDArray[np.intp]) -> bool:
        # a slice of few lines is much faster of one array than of many chunks
        names = found.names.slice(ends[0], ends[-1] - ends[0]).combine_chunks()
        sizes = zip((ends[:-1] - ends[0]).tolist(), np.diff(ends).tolist(), strict=True)
        return any(compute.count_distinct(names.slice(begin, size)).as_py() < size for begin, size in sizes)

    parts = [found.starts[begin : begin + _TOPICS + 1] for begin in range(0, len(found), _TOPICS)]
    return any(in_threads(any_twice, parts))


def _told_apart(found: TopicColumns, code: npt.NDArray[np.int32], written: Any) -> bool:
    """Say whether scores of a topic are equal only where the same number is written."""
    from pyarrow import compute

    values, order = found.numbers, np.arange(code.size)
    if np.any((code[1:] == code[:-1]) & (values[1:] > values[:-1])):
        order = np.lexsort((-values, code))
        values, code = values[order], code[order]
    tied = np.flatnonzero((values[1:] == values[:-1]) & (code[1:] == code[:-1]))
    texts, others = (written.take(order[tied + step]) for step in (0, 1))
    differ = compute.not_equal(texts, others).to_numpy()
    number = np.abs(values[tied])
    rounded = np.isinf(number) | (number < sys.float_info.min)
    for column in (texts, others):
        rounded |= compute.binary_length(column).to_numpy() > _EXACT
    return not np.any(differ & rounded)
