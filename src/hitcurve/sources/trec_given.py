"""Runs and judgements that are passed as values: mappings, data frames, and tuples of one document each."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, NoReturn

import numpy as np

from hitcurve import _checks
from hitcurve.errors import (
    ColumnNotFoundError,
    EmptyInputError,
    HitcurveError,
    InputError,
    LabelError,
    MissingValueError,
    ScoreError,
)
from hitcurve.sources.codes import GroupCodes
from hitcurve.sources.columns import Vector, labels, scores
from hitcurve.sources.frames import as_frame, column_names, pick_columns
from hitcurve.sources.python_numbers import makes_ties
from hitcurve.sources.trec import Qrels, Run, all_are

TOPIC = ("query_id", "q_id", "qid", "topic_id", "topic")
# PyTerrier has its own number of a document as docid beside docno
DOCUMENT = ("docno", "doc_id", "docid", "document", "doc")
SCORE = ("score",)
RELEVANCE = ("relevance", "rel", "label", "grade")


class _Kind(NamedTuple):
    """What is read: its values by the names of their columns, what a mapping of them is called, and what it is not."""

    values: tuple[str, ...]
    mapping: str
    error: type[HitcurveError]
    others: tuple[str, ...]


_RUN = _Kind(SCORE, "topics to the scores of their documents", ScoreError, RELEVANCE)
_QRELS = _Kind(RELEVANCE, "topics to the relevance of their documents", LabelError, SCORE)
_SWAPPED = " (are runs and qrels swapped?)"


def checked_run(what: str, given: Any) -> Run:
    """Return a run that was passed as mappings, a data frame, or tuples.

    Raises
    ------
    InputError, ScoreError
        If it is none of these, or holds what is no run.
    """
    found = _by_topic(what, given, _RUN)
    try:
        return {topic: _real_numbers(of_topic) for topic, of_topic in found.items()}
    except InputError as error:
        raise ScoreError(f"{what}: {error}") from None


def checked_qrels(given: Any) -> Qrels:
    """Return judgements that were passed as mappings, a data frame, or tuples.

    Raises
    ------
    InputError, LabelError
        If they are none of these, or hold what is no judgement.
    """
    found = _by_topic("qrels", given, _QRELS)
    return {
        topic: of_topic
        if all_are(int, of_topic.values())
        else {name: grade_of(value, topic, name) for name, value in of_topic.items()}
        for topic, of_topic in found.items()
    }


def is_one_run(given: Any) -> bool:
    """Say whether a value is one run, rather than several or their files."""
    # a stream is read once: its attribute says enough
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "to_dict") or as_frame(given) is not None:
        return True
    if isinstance(given, Mapping):
        inner = (one.values() if isinstance(one, Mapping) else (one,) for one in given.values())
        nested = all(isinstance(one, Mapping) for one in given.values())
        first = next(chain.from_iterable(inner), given)
        return nested and (first is None or isinstance(first, (str, int, float, np.number, np.ndarray)))
    if not (isinstance(given, Sequence) and given) or as_frame(given[0]) is not None:  # its columns are attributes too
        return False
    return _fields(given[0], _RUN) is not None


def _by_topic(what: str, given: Any, kind: _Kind) -> dict[str, dict[str, Any]]:
    frame = as_frame(given)
    if frame is not None:
        return _of_frame(what, frame, kind)
    if hasattr(given, "to_dict"):  # of ranx
        given = given.to_dict()
    single = isinstance(given, np.ndarray) and not given.ndim
    if isinstance(given, Iterable) and not (single or isinstance(given, (Mapping, str, bytes))):
        return _of_tuples(what, given, kind)
    return _nested(what, given, kind)


# ---- one document a row


def _of_frame(what: str, frame: Any, kind: _Kind) -> dict[str, dict[str, Any]]:
    there = column_names(frame)
    names = [_usual(what, there, usual, kind) for usual in (TOPIC, DOCUMENT, kind.values)]
    topics, documents, values = pick_columns(frame, names).values()
    return _of_columns(what, names, (topics, documents, values), kind)


def _usual(what: str, there: Sequence[Any], usual: Sequence[str], kind: _Kind) -> Any:
    """Return the column that has one of the usual names, whatever its case."""
    found = {str(name).lower(): name for name in reversed(there)}
    for name in usual:
        if name in found:
            return found[name]
    swapped = _SWAPPED if usual is kind.values and not set(kind.others).isdisjoint(found) else ""
    raise ColumnNotFoundError(
        f"{what}: no column {' or '.join(map(repr, usual))}; columns are {', '.join(map(repr, there[:12]))}{swapped}"
    )


def _fields(one: Any, kind: _Kind) -> list[str] | None:
    """Return the attributes of one scored or judged document, None if it is none."""
    found = [next((name for name in usual if hasattr(one, name)), None) for usual in (TOPIC, DOCUMENT, kind.values)]
    return None if None in found else [str(name) for name in found]


def _of_tuples(what: str, given: Iterable[Any], kind: _Kind) -> dict[str, dict[str, Any]]:
    listed = list(given)
    if not listed:
        raise EmptyInputError(f"{what} contains no document")
    names = _fields(listed[0], kind)
    if names is None:
        _refuse(what, listed[0], kind)
    try:
        columns = [[getattr(one, name) for one in listed] for name in names]
    except AttributeError as error:
        raise InputError(f"{what}: the documents are of different kinds: {error}") from None
    return _of_columns(what, names, columns, kind)


def _of_columns(what: str, names: Sequence[str], columns: Sequence[Any], kind: _Kind) -> dict[str, dict[str, Any]]:
    topics, documents, values = columns
    ids = [list(_ids(what, name, column)) for name, column in zip(names, (topics, documents), strict=False)]
    found: dict[str, dict[str, Any]] = {}
    read = _numbers(what, names[2], values, kind).tolist()
    for row, (topic, document, value) in enumerate(zip(*ids, read, strict=True)):
        of_topic = found.setdefault(topic, {})
        if document in of_topic:
            first = next(i for i, pair in enumerate(zip(*ids, strict=True)) if pair == (topic, document))
            raise InputError(f"{what}: document {document!r} of topic {topic!r} is in rows {first} and {row}")
        of_topic[document] = value
    if not found:
        raise EmptyInputError(f"{what} contains no document")
    return found


def _ids(what: str, name: str, column: Any) -> Iterator[str]:
    read = labels(f"{what}: {name}", column)
    _no_gap(what, name, read.gone)
    codes = GroupCodes.of(read.values)
    return map(codes.texts.__getitem__, codes.codes.tolist())


def _numbers(what: str, name: str, column: Any, kind: _Kind) -> Vector:
    try:
        read = scores(name, column)
    except ScoreError:
        _first_odd(what, name, labels(name, column).values, kind)
    _no_gap(what, name, read.gone)
    return read.values


def _first_odd(what: str, name: str, values: Vector, kind: _Kind) -> NoReturn:
    for row, value in enumerate(values.tolist()):
        try:
            _checks.real_number(name, value)
        except InputError:
            raise kind.error(f"{what}: {name} in row {row} must be a number, got {value!r}") from None
    raise kind.error(f"{what}: {name} has numbers that are not kept apart as 64-bit floats: give their ranks")


def _no_gap(what: str, name: str, gone: Any) -> None:
    if gone is not None and gone.any():
        raise MissingValueError(
            f"{what}: {name} is missing in row {int(np.argmax(gone))}: leave out the rows without one "
            f"({int(gone.sum())} of {gone.size})"
        )


# ---- mappings


def _nested(what: str, given: Any, kind: _Kind) -> dict[str, dict[str, Any]]:
    if not isinstance(given, Mapping) or not all(isinstance(of_topic, Mapping) for of_topic in given.values()):
        _refuse(what, given, kind)
    if not any(given.values()):
        raise EmptyInputError(f"{what} contains no document")
    return {name: _by_text(what, of_topic) for name, of_topic in _by_text(what, given).items()}


def _refuse(what: str, given: Any, kind: _Kind) -> NoReturn:
    swapped = _SWAPPED if any(hasattr(given, name) for name in kind.others) else ""
    raise InputError(
        f"{what} must be a file, a mapping of {kind.mapping}, a data frame with columns such as {TOPIC[0]}, "
        f"{DOCUMENT[1]} and {kind.values[0]}, or tuples with these attributes, got {type(given).__name__}{swapped}"
    )


def _real_numbers(given: dict[str, Any]) -> dict[str, float]:
    # a sum of floats is nan if one of them is, or if there are two infinities to look at one by one
    if all_are(float, given.values()) and not math.isnan(sum(given.values())):
        return given
    floats = {name: _checks.real_number("score", value) for name, value in given.items()}
    if makes_ties(given.values(), floats.values()):
        raise ScoreError("different scores are equal as 64-bit floats, which would create ties: pass their ranks")
    return floats


def grade_of(value: Any, topic: Any, document: Any) -> int:
    """Return a relevance as a whole number, which may be a float.

    Raises
    ------
    LabelError
        If it is none.
    """
    try:
        if isinstance(value, (float, np.floating)) and float(value).is_integer():
            return int(value)
        return operator.index(value)
    except TypeError:
        swapped = _SWAPPED if isinstance(value, (float, np.floating)) and not math.isnan(value) else ""
        raise LabelError(
            f"qrels, topic {str(topic)!r}: the relevance {value!r} of {str(document)!r} is not a whole number{swapped}"
        ) from None


def _by_text(what: str, given: Mapping[Any, Any]) -> dict[str, Any]:
    if all_are(str, given):
        return given if isinstance(given, dict) else dict(given)
    out = {str(name): value for name, value in given.items()}
    if len(out) < len(given):
        raise InputError(f"{what} has ids that differ as values but not as text, such as 1 and '1'")
    return out
