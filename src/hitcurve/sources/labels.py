"""Which label is the positive one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._threads import in_pieces
from hitcurve.errors import LabelError

# pairs that are beyond doubt, in any case; every other pair needs pos_label
_PAIRS = (
    ("active", "inactive"),
    ("yes", "no"),
    ("true", "false"),
    ("case", "control"),
    ("positive", "negative"),
)
_PERHAPS_MISSING = ("?", "missing", "unknown", "#n/a", "#div/0!", "#num!", "#value!")  # words of no label
_LISTED = 5  # labels in a sentence
_MARKS = (-9, -99, -999, -9999)  # numbers that often stand for a missing value
_POSITIVE = {positive for positive, _ in _PAIRS}
_NEGATIVE = {negative for _, negative in _PAIRS}


def encode(
    labels: npt.NDArray[Any], pos_label: Any = None, *, whole: bool = True
) -> tuple[npt.NDArray[np.bool_], frozenset[Any]]:
    """Return which subjects are positive, and the distinct labels.

    Labels of some subjects, which are not the ``whole``, may lack the positive one that others have: the union of their
    vocabularies is for ``check``.

    Raises
    ------
    LabelError
        If there are more than two labels, or the positive one is ambiguous.
    """
    ones = _ones(labels)
    if ones is None:
        values = _distinct(labels)
    else:
        kind = bool if labels.dtype == bool else int
        values = [kind(value) for value, there in ((0, not ones.all()), (1, ones.any())) if there]
    vocabulary = frozenset(values)
    if labels.dtype != bool or pos_label is not None:
        _check(vocabulary, pos_label, whole=whole)
    positives = [value for value in values if _is_positive(value, pos_label)]
    if not positives:
        return np.zeros(labels.size, bool), vocabulary
    if ones is not None:
        return ones if positives[0] else ~ones, vocabulary
    # 1 and "1" of a column of objects are one label
    masks = [np.asarray(labels == value, bool) for value in positives]
    return masks[0] if len(masks) == 1 else np.logical_or.reduce(masks), vocabulary


def _ones(labels: npt.NDArray[Any]) -> npt.NDArray[np.bool_] | None:
    """Return which labels are 1 if they are booleans, or nothing but 0 and 1, in as few passes as that takes."""
    if labels.dtype == bool:
        return labels
    if labels.dtype.kind in "iu" and np.bitwise_or.reduce(list(in_pieces(np.bitwise_or.reduce, labels))) == 1:
        return labels.view(bool) if labels.dtype.itemsize == 1 else np.asarray(labels == 1)
    if labels.dtype.kind == "f":
        ones = np.asarray(labels == 1)
        number = np.count_nonzero(ones)
        return ones if number and number + np.count_nonzero(labels == 0) == labels.size else None
    return None


def check(vocabulary: frozenset[Any], pos_label: Any = None) -> None:
    """Refuse labels of several blocks that are not two known classes together.

    Raises
    ------
    LabelError
        As said.
    """
    _check(vocabulary, pos_label, whole=True)


def _check(vocabulary: frozenset[Any], pos_label: Any, *, whole: bool) -> None:
    if len(vocabulary) > 2:
        advice = _perhaps_missing(vocabulary, pos_label) or "make a column that is 1 for positives"
        raise LabelError(f"labels must be two classes, got more: {_shown(vocabulary)}; {advice}")
    if pos_label is not None:
        if whole and len(vocabulary) == 2 and not any(_is_positive(value, pos_label) for value in vocabulary):
            near = _checks.did_you_mean(pos_label, vocabulary)
            raise LabelError(
                f"the positive label {_checks.quoted(pos_label)} does not occur: labels are {_shown(vocabulary)}{near}"
            )
        return
    signs = {_sign(value) for value in vocabulary}
    if None in signs:
        advice = _perhaps_missing(vocabulary) or "give the positive label (pos_label, --positive)"
        raise LabelError(f"labels are {_shown(vocabulary)}: {advice}")
    if len(signs) < len(vocabulary) or not _is_pair(vocabulary):
        raise LabelError(
            f"labels are {_shown(vocabulary)}, which is not a known pair: "
            "give the positive label (pos_label, --positive)"
        )


def _shown(vocabulary: frozenset[Any]) -> str:
    return ", ".join(sorted(map(_checks.quoted, vocabulary))[:_LISTED]) + (", ..." if len(vocabulary) > _LISTED else "")


def rarest(refusal: str, times: Mapping[Any, int], value_of: Callable[[Any], Any] = lambda one: one) -> Any:
    """Return the rarest label, the last one of equally rare ones; where a refusal does not list all, of the listed.

    Of many labels it is the first one that is equally rare: the column holds no classes, and none is the odd one.

    Parameters
    ----------
    times : mapping of label to int
        How often it occurs, in the order of the rows where each is first.
    value_of : callable
        The value that a word of a file stands for.
    """
    shown = {one: re.escape(_checks.quoted(value_of(one))) for one in times}
    listed = {one: n for one, n in times.items() if re.search(f"[:,] {shown[one]}[,;]", refusal)}
    there = listed or times
    rare = [one for one, count in there.items() if count == min(there.values())]
    return rare[0 if len(listed) < len(times) else -1]


def _perhaps_missing(vocabulary: frozenset[Any], pos_label: Any = None) -> str:
    """Return what to do about a label that may stand for a missing value, empty if there is none."""
    words = sorted(
        value for value in vocabulary if isinstance(value, str) and value.strip().lower() in _PERHAPS_MISSING
    )
    if not words and len(vocabulary) == 3:
        # the one beside two classes that are known
        words = [value for value in vocabulary if _is_beside_classes(value, vocabulary - {value}, pos_label)]
        words = words if len(words) == 1 else []
    if not words:
        return ""
    word = words[0]
    return f"if {word!r} means a missing value, replace it by None (--na {word!r})"


def _is_beside_classes(value: Any, others: frozenset[Any], pos_label: Any) -> bool:
    if not isinstance(value, str) and value not in _MARKS:
        return False
    if pos_label is not None:
        return not _is_positive(value, pos_label) and any(_is_positive(other, pos_label) for other in others)
    return None not in map(_sign, others) and _is_pair(others)


def _distinct(labels: npt.NDArray[Any]) -> list[Any]:
    """Return the distinct labels, or three of them if there are more than two."""
    if labels.dtype.kind in "iuf" and labels.size:
        low, high = labels.min(), labels.max()
        found = [low, high] if low != high else [low]
        nothing_between = labels.dtype.kind != "f" and int(high) - int(low) <= 1
        other = labels[:0] if nothing_between else labels[(labels != low) & (labels != high)]
        return [_plain(value) for value in [*found, *other[:1]]]
    return list(dict.fromkeys(labels.tolist()))


def _plain(value: Any) -> Any:
    number = value.item()
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _sign(value: Any) -> bool | None:
    """Return whether a label is positive beyond doubt, negative beyond doubt, or neither (None)."""
    if isinstance(value, str):
        word = value.strip().lower()
        return True if word in _POSITIVE else False if word in _NEGATIVE else None
    return {1: True, 0: False, -1: False}.get(value)


def _is_pair(vocabulary: frozenset[Any]) -> bool:
    words = {value.strip().lower() for value in vocabulary if isinstance(value, str)}
    if len(vocabulary) < 2:
        return True
    return words in [set(pair) for pair in _PAIRS] or (not words and 1 in vocabulary)


def _is_positive(value: Any, pos_label: Any) -> bool:
    if pos_label is None:
        return bool(_sign(value))
    if isinstance(pos_label, str) and not isinstance(value, str):
        # a label typed on a command line is text even where the column holds numbers or booleans
        try:
            return bool(number_of(pos_label) == value)
        except ValueError:
            return pos_label.lower() == str(value).lower()
    return bool(value == pos_label)


def number_of(label: Any) -> float:
    """Return a label as a number, a whole one as int: a float has no odd ones beyond 2**53.

    ``int`` and ``float`` also take underscores and digits of other scripts, which files have not.

    Raises
    ------
    TypeError, ValueError
        If it is none.
    """
    if isinstance(label, str) and ("_" in label or not label.isascii()):
        raise ValueError(label)
    try:
        return int(label) if isinstance(label, (str, Integral)) else float(label)
    except ValueError:
        return float(label)


def as_text(label: Any) -> str:
    """Return a label as text that is the same however a file holds it: 1, True, 1.0 and "1" are one label."""
    try:
        number = number_of(label)
    except (TypeError, ValueError):  # a word, or a date
        return str(label).strip().lower()
    return repr(int(number) if isinstance(number, float) and number.is_integer() else number)


def positives_of(vocabulary: frozenset[Any], pos_label: Any = None) -> frozenset[str]:
    """Return the labels of the positives as text: of these labels, or the one that was given if none of them is."""
    found = frozenset(as_text(value) for value in vocabulary if _is_positive(value, pos_label))
    return found if found or pos_label is None else frozenset({as_text(pos_label)})
