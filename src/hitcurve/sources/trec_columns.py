"""Files of TREC as columns, read by Arrow: all lines of a regular file at once, without an object for each document."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import chain
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
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

    def chosen(self, topics: Sequence[str]) -> ChosenTopics:
        """Return the lines of some topics, of which there may be none."""
        return ChosenTopics(self, tuple(topics), np.array([self._places.get(topic, -1) for topic in topics], np.intp))


@dataclass(frozen=True, eq=False)
class ChosenTopics(Sequence[Mapping[str, Any]]):
    """The lines of some topics, as a sequence of mappings and as columns.

    Attributes
    ----------
    columns : TopicColumns
    topics : tuple of str
    places : array of int (L,)
        Of each topic among those of the columns, -1 for one that they lack.
    """

    columns: TopicColumns
    topics: tuple[str, ...]
    places: _Places

    def __len__(self) -> int:
        """Return the number of topics."""
        return len(self.topics)

    def __getitem__(self, key: Any) -> Any:
        """Return the values of the documents of a topic."""
        return self.columns.get(self.topics[key], {})

    @cached_property
    def starts(self) -> _Places:
        """Where each topic starts among the lines of these topics."""
        sizes = np.where(self.places >= 0, np.diff(self.columns.starts)[self.places], 0)
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)

    @cached_property
    def _rows(self) -> slice | _Places:
        """The lines of these topics."""
        if np.array_equal(self.places, np.arange(len(self.columns))):
            return slice(None)
        starts = self.starts
        return np.repeat(self.columns.starts[self.places] - starts[:-1], np.diff(starts)) + np.arange(starts[-1])

    @property
    def numbers(self) -> npt.NDArray[Any]:
        """The score, or the relevance, of each line."""
        return self.columns.numbers[self._rows]

    @property
    def names(self) -> Any:
        """The document of each line."""
        return self.columns.names if isinstance(self._rows, slice) else self.columns.names.take(self._rows)

    def numbers_of(self, others: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.float64]:
        """Return the numbers of other documents of the same topics, nan of those without a line."""
        import pyarrow as pa
        from pyarrow import compute

        if isinstance(others, ChosenTopics):
            sizes, asked = np.diff(others.starts), others.names.combine_chunks()
        else:
            sizes, asked = np.array([len(one) for one in others]), pa.array(chain.from_iterable(others), pa.string())
        encoded = asked.dictionary_encode()
        known = encoded.dictionary
        topic = np.repeat(self.places, sizes)
        wanted = topic * len(known) + encoded.indices.to_numpy()

        def coded(chunk: Any) -> npt.NDArray[np.int32]:
            code: npt.NDArray[np.int32] = compute.index_in(chunk, known).fill_null(-1).to_numpy()
            return code

        code = np.concatenate([np.empty(0, np.int32), *in_threads(coded, self.columns.names.chunks)])
        lines = np.flatnonzero(code >= 0)
        key = (np.searchsorted(self.columns.starts, lines, "right") - 1) * len(known) + code[lines]
        order = np.argsort(key)
        key, lines = key[order], lines[order]
        place = np.searchsorted(key, wanted)
        there = np.flatnonzero((topic >= 0) & (place < key.size))
        there = there[key[place[there]] == wanted[there]]
        out = np.full(wanted.size, np.nan)
        out[there] = self.columns.numbers[lines[place[there]]]
        return out


def regular_columns(
    opened: Callable[[], AbstractContextManager[IO[bytes]]], fields: tuple[str, ...], wanted: str
) -> TopicColumns | None:
    """Return the lines of a regular file; None if it must be read line by line to report errors.

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
    start = file.read(_BLOCK)
    line = start.partition(b"\n")[0]
    blank = b" " if b" " in line else b"\t"
    if line.startswith(b"\xef\xbb\xbf") or not line:
        return None

    def blocks() -> Iterator[bytes]:
        block, before = start, b"\n"  # no line begins with a blank
        while block:
            yield before + block  # one more, for neighbours
            block, before = file.read(_BLOCK), block[-1:]
        if before != b"\n":
            yield before + b"\n"  # nor ends with one

    def is_regular(block: bytes) -> bool:
        part = np.frombuffer(block, np.uint8)
        between = part <= 32
        if np.any(between[1:] & between[:-1]):
            return False
        expected = np.count_nonzero(part == blank[0]) + np.count_nonzero(part == 10)
        return bool(np.count_nonzero(between) == expected)

    return blank.decode() if all(in_threads(is_regular, blocks())) else None


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

    kind = pa.float64() if wanted == "score" else pa.int64()
    try:
        values = np.concatenate(list(in_threads(lambda chunk: chunk.cast(kind).to_numpy(), written.chunks)))
    except pa.ArrowInvalid:
        return None
    return None if wanted == "score" and np.isnan(values.min()) else values  # min spreads a nan


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
    extreme = np.isinf(size.max()) or size.min() < sys.float_info.min
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
