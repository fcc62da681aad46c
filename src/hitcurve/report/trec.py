"""Scores as a run of TREC, labels as its qrels."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve._file_names import path_of
from hitcurve._writing import write_whole
from hitcurve.errors import InputError, MissingValueError, ParameterError, ScoreError
from hitcurve.sources import encode_labels, group_name, in_order, put_in_order
from hitcurve.sources.columns import Column, Vector, labels, scores

_COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),  # the same bytes at any time
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def write_trec_run(
    path: str | Path, topics: Any, documents: Any, y_score: Any, *, tag: str = "hitcurve", write: str = "scores"
) -> Path:
    """Write scores atomically as a run of TREC: ``topic Q0 document rank score tag``.

    Topics are sorted by name (by number, if all are numbers), documents in the order of trec_eval: the rank column
    is that order, equal scores last name first.

    Parameters
    ----------
    path : str or Path
        Compressed if its name ends in .gz, .bz2 or .xz.
    topics, documents : array-like (n,)
        Ids without blanks; a document occurs once in a topic.
    y_score : array-like (n,)
        Higher is better.
    tag : str
        Name of the run.
    write : {"scores", "ranks"}
        The scores as they are, or whole numbers in their order, 1 for the lowest of a topic and the same for equal
        scores.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If an id has blanks, or a document occurs twice in a topic.
    MissingValueError
        If an id or a score is missing.
    ScoreError
        If different scores of a topic are equal in single precision, which trec_eval uses: their
        order would be lost, and ``write="ranks"`` keeps it.
    UnreadableFileError
        If the file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = write_trec_run(f"{folder}/run.txt", [7, 7, 7], ["d1", "d2", "d3"], [0.5, 2.0, 0.5], tag="mine")
    ...     print(path.read_text())
    7 Q0 d2 1 2.0 mine
    7 Q0 d3 2 0.5 mine
    7 Q0 d1 3 0.5 mine
    <BLANKLINE>
    """
    _checks.choice("write", write, ("scores", "ranks"))
    tag = _id("tag", tag)
    found = put_in_order({"topics": topics, "documents": documents, "y_score": y_score})
    topics, documents, y_score = found.values()
    column = scores("y_score", y_score)
    _no_gap("scores", column)
    lines = []
    for topic, (names, places) in _by_topic(topics, documents, "y_score", column.values).items():
        own = column.values[places]
        if write == "ranks":
            own = np.unique(own, return_inverse=True)[1] + 1
        single = _single(topic, own)
        order = sorted(range(len(names)), key=lambda i: (single[i], names[i]), reverse=True)
        written = own.tolist()
        lines += [f"{topic} Q0 {names[i]} {rank} {written[i]!r} {tag}" for rank, i in enumerate(order, start=1)]
    return _written(path, lines)


def write_qrels(path: str | Path, topics: Any, documents: Any, y_true: Any, *, pos_label: Any = None) -> Path:
    """Write labels atomically as judgements of TREC: ``topic 0 document relevance``.

    Parameters
    ----------
    path : str or Path
        Compressed if its name ends in .gz, .bz2 or .xz.
    topics, documents : array-like (n,)
        Ids without blanks; a document occurs once in a topic.
    y_true : array-like (n,)
        Labels of two classes, whose relevance is 1 for positives and 0 for negatives; or three and more whole numbers,
        which are grades of relevance.
    pos_label : object, optional
        As in :func:`hitcurve.evaluate`.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If an id has blanks, or a document occurs twice in a topic.
    MissingValueError
        If an id or a label is missing; a document that was not judged has no line.
    LabelError
        If labels are neither two classes nor grades, or the positive one is ambiguous.
    UnreadableFileError
        If the file cannot be written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = write_qrels(f"{folder}/qrels.txt", [7, 7, 8], ["d1", "d2", "d1"], ["yes", "no", "yes"])
    ...     print(path.read_text())
    7 0 d1 1
    7 0 d2 0
    8 0 d1 1
    <BLANKLINE>
    """
    found = put_in_order({"topics": topics, "documents": documents, "y_true": y_true})
    topics, documents, y_true = found.values()
    column = labels("y_true", y_true)
    _no_gap("labels", column)
    relevance = _grades(column.values) if pos_label is None else None
    if relevance is None:
        relevance = encode_labels(column.values, pos_label)[0]
    lines = [
        f"{topic} 0 {name} {int(relevance[place])}"
        for topic, (names, places) in _by_topic(topics, documents, "y_true", relevance).items()
        for name, place in zip(names, places, strict=True)
    ]
    return _written(path, lines)


def _grades(values: Vector) -> Vector | None:
    """Return whole numbers if they are more than two, which are grades, else nothing."""
    if values.dtype.kind not in "iuf" or np.unique(values).size < 3 or np.any(values != np.floor(values)):
        return None
    return values


def _by_topic(topics: Any, documents: Any, what: str, values: Vector) -> dict[str, tuple[list[str], list[int]]]:
    """Return the documents of each topic, and their places in the columns."""
    ids = {"topics": labels("topics", topics), "documents": labels("documents", documents)}
    for name, column in ids.items():
        _no_gap(name, column)
    _checks.same_length({**{name: column.values for name, column in ids.items()}, what: values})
    of_topic: dict[str, dict[str, int]] = {}
    for place, (topic, name) in enumerate(zip(*(_ids(kind, c.values) for kind, c in ids.items()), strict=True)):
        places = of_topic.setdefault(topic, {})
        if name in places:
            raise InputError(f"document {name!r} of topic {topic!r} occurs twice, in rows {places[name]} and {place}")
        places[name] = place
    if not of_topic:
        raise InputError("there are no documents to write")
    return {topic: (list(of_topic[topic]), list(of_topic[topic].values())) for topic in in_order(of_topic)}


def _ids(what: str, values: Vector) -> Iterable[str]:
    return (_id(what, value) for value in values.tolist())


def _id(what: str, value: Any) -> str:
    text = group_name(value)
    if text.split() != [text] or not text.isprintable():
        raise InputError(f"{what}: {text!r} cannot be written to a file whose columns are separated by blanks")
    return text


def _no_gap(what: str, column: Column) -> None:
    if column.gone is not None and column.gone.any():
        raise MissingValueError(f"{int(column.gone.sum())} of {column.values.size} {what} are missing")


def _single(topic: str, values: Vector) -> list[float]:
    """Return scores as trec_eval reads them, or refuse those that it does not tell apart."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    distinct, first = np.unique(values, return_index=True)
    alike = np.flatnonzero(single[first][1:] == single[first][:-1])  # infinities have no difference
    if alike.size:
        low, high = distinct[alike[0] : alike[0] + 2].tolist()
        raise ScoreError(
            f"topic {topic!r}: the scores {low!r} and {high!r} are equal in single precision, which trec_eval uses: "
            "write='ranks' keeps their order"
        )
    return list(single.tolist())


def _written(path: str | Path, lines: list[str]) -> Path:
    where = path_of(path)
    text = "".join(f"{line}\n" for line in lines)
    suffix = where.suffix.lower()
    if suffix in (".zst", ".zip", ".z"):
        raise ParameterError(f"cannot write {where}: compressed are .gz, .bz2 and .xz, other names are plain text")
    compressed = _COMPRESSED.get(suffix)
    write_whole(where, text if compressed is None else compressed(text.encode()))
    return where
