"""Runs and qrels as columns of Arrow and numpy, which are also mappings of topics to mappings of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.sources.texts import Keys, Places, Texts, find_keys, joint_keys, to_arrow, truth


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
    line_keys : array of uint64 (n,)
        A key for topic and document of each line; they differ within a block of the file.
    """

    topics: tuple[str, ...]
    starts: Places
    names: Any
    numbers: npt.NDArray[Any]
    line_keys: Keys
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
    places: Places

    def __len__(self) -> int:
        """Return the number of topics."""
        return len(self.topics)

    def __getitem__(self, key: Any) -> Any:
        """Return the values of the documents of a topic."""
        return self.columns.get(self.topics[key], {})

    @cached_property
    def starts(self) -> Places:
        """Where each topic starts among the lines of these topics."""
        sizes = np.where(self.places >= 0, np.diff(self.columns.starts)[self.places], 0)
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)

    def put(self, column: npt.NDArray[Any], kind: type[np.generic]) -> npt.NDArray[Any]:
        """Return a column of all lines for these topics, as numbers of a kind."""
        if np.array_equal(self.places, np.arange(len(self.columns))):
            return column.astype(kind, copy=False)
        ends = self.columns.starts
        spans = zip(ends[self.places].tolist(), ends[self.places + 1].tolist(), strict=True)
        # a topic at -1 starts behind all others, and ends before them
        return np.concatenate([np.empty(0, kind), *(column[start:end] for start, end in spans)], dtype=kind)

    def numbers(self, kind: type[np.generic]) -> npt.NDArray[Any]:
        """Return the score, or the relevance, of each line."""
        return self.put(self.columns.numbers, kind)

    @property
    def names(self) -> Any:
        """The document of each line."""
        return self.columns.names.take(to_arrow(self.put(np.arange(len(self.columns.names)), np.intp)))

    def names_at(self, places: Places) -> list[str]:
        """Return the documents at some places among the lines of these topics."""
        topic = np.searchsorted(self.starts, places, "right") - 1
        lines = self.columns.starts[self.places[topic]] + places - self.starts[topic]
        out = np.empty(lines.size, object)
        for rows, names in self._documents(lines):
            out[rows] = names.to_pylist()
        found: list[str] = out.tolist()
        return found

    def _documents(self, lines: Places) -> Iterator[tuple[Places, Any]]:
        """Yield the documents of some lines as they are held, chunk by chunk: which of the lines, and the documents."""
        order, chunks = np.argsort(lines), self.columns.names.chunks
        ends = np.cumsum([0, *map(len, chunks)])
        first = np.searchsorted(lines[order], ends).tolist()
        for chunk, start, begin, end in zip(chunks, ends.tolist(), first, first[1:], strict=False):
            rows = order[begin:end]
            if rows.size:
                yield rows, chunk.take(to_arrow(lines[rows] - start))

    @property
    def keys(self) -> Keys:
        """The key of each line."""
        return self.put(self.columns.line_keys, np.uint64)

    def numbers_of(self, others: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.float64]:
        """Return the numbers of other documents of the same topics, nan of those without a line."""
        import pyarrow as pa

        if isinstance(others, ChosenTopics):
            sizes, names, wanted = np.diff(others.starts), others.names.combine_chunks(), others.keys
        else:
            sizes = np.array([len(one) for one in others], np.intp)
            names = pa.array(chain.from_iterable(others), pa.string())
            topics = Texts.of_arrow(pa.array(self.topics, pa.string())).keys()
            wanted = joint_keys(np.repeat(topics, sizes), Texts.of_arrow(names).keys())
        topic, out = np.repeat(self.places, sizes), np.full(len(names), np.nan)
        line = find_keys(self.columns.line_keys, wanted)
        there = np.flatnonzero(line >= 0)
        found = self._is_line_of(line[there], topic[there], names.take(to_arrow(there)))
        out[there[found]] = self.columns.numbers[line[there[found]]]
        for place in there[~found].tolist():  # another document has the same key
            of_topic = self.columns.get(self.topics[topic[place]], {})
            out[place] = of_topic.get(names[place].as_py(), np.nan)
        return out

    def _is_line_of(self, lines: Places, topic: Places, names: Any) -> npt.NDArray[np.bool_]:
        """Say which lines have these topics and documents."""
        from pyarrow import compute

        out: npt.NDArray[np.bool_] = np.searchsorted(self.columns.starts, lines, "right") - 1 == topic
        for rows, own in self._documents(lines):
            out[rows] &= truth(compute.equal(own, names.take(to_arrow(rows))))
        return out
