"""Times and events as they come -> outcomes whose censored, cases and competing events are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import InputError, LabelError, MissingValueError, ParameterError
from hitcurve.sources import columns
from hitcurve.sources.python_numbers import EXACT

CENSORED, CASE, COMPETING = 0, 1, 2
"""What happened to a subject at its time: nothing yet, the event, or an event after which it cannot happen."""
Mask = npt.NDArray[np.bool_]
_FLAGS = {word: flag for flag in (False, True) for word in (str(flag), str(flag).lower(), str(flag).upper())}


@dataclass(frozen=True)
class EventCodes:
    """Which codes of the events stand for what.

    Attributes
    ----------
    cause : object
        Code of the event; None for 1 (True).
    censored : object
        Code of the censored; None for 0 (False).
    """

    cause: Any = None
    censored: Any = None

    def __post_init__(self) -> None:
        for name, code in (("cause", self.cause), ("censored", self.censored)):
            if isinstance(code, Iterable) and not isinstance(code, (str, bytes)) and getattr(code, "ndim", 1) != 0:
                raise ParameterError(
                    f"{name} must be one code, got {code!r}: to count several codes as one, give their subjects the "
                    "same code in event"
                )

    def spelled(self, values: AnyArray) -> AnyArray:
        """Return bools that a file spelled out as bools, unless codes are given."""
        if self.cause is not None or self.censored is not None or values.dtype.kind not in "OU":
            return values
        words = [_FLAGS.get(value) if isinstance(value, str) else None for value in values.tolist()]
        return values if None in words else np.array(words, bool)

    def read(self, values: AnyArray) -> npt.NDArray[np.int8]:
        """Return what happened to each subject.

        Raises
        ------
        LabelError
            If a code is unknown, if it is open which code stands for the censored, or all are censored.
        ParameterError
            If the codes of the event and of the censored are one.
        """
        given, found = self._found(values)
        if any(isinstance(code, str) for code in found):
            self._check_words(found)
        else:
            self._check_numbers(given, found)
        cause = 1 if self.cause is None else _as(self.cause, found)
        censored = 0 if self.censored is None else _as(self.censored, found)
        if self.censored is not None and censored not in (0, *found):
            raise LabelError(f"no subject has the code {censored!r} of the censored: codes are {_listed(found)}")
        if cause == censored:
            raise ParameterError(f"cause and censored are both {cause!r}: they are two different codes")
        out = np.full(given.size, COMPETING, np.int8)
        out[given == censored] = CENSORED
        out[given == cause] = CASE
        if not np.any(out == CASE):
            if np.all(out == CENSORED):
                raise LabelError(f"all {given.size:,} subjects are censored: there is no event to evaluate")
            raise LabelError(
                f"no subject has the event code {cause!r}: codes are {_listed(found)}; give that of the event as cause "
                "(--cause)"
            )
        return out

    def are_censored(self, values: AnyArray) -> Mask:
        """Say which subjects are censored, where it does not matter which event the others had.

        Raises
        ------
        LabelError
            If a code is unknown, or it is open which of them means censored.
        """
        given, found = self._found(values)
        if not any(isinstance(code, str) for code in found):
            self._check_numbers(given, found)
        censored = 0 if self.censored is None else _as(self.censored, found)
        # a code that is spelled differently would make an event of every censoring
        numbers = () if any(isinstance(code, str) for code in found) else (0,)
        if censored not in (*numbers, *found):
            raise LabelError(f"no subject has the code {censored!r} of the censored: codes are {_listed(found)}")
        return np.asarray(given == censored, bool)

    def _found(self, values: AnyArray) -> tuple[AnyArray, list[Any]]:
        """Return the codes as Python has them, and the distinct ones.

        Raises
        ------
        LabelError
            If they are neither numbers nor text, or some are text and others numbers.
        """
        values = self.spelled(values)
        if values.dtype.kind not in "biufUO":
            what = "complex numbers" if values.dtype.kind == "c" else values.dtype.name
            raise LabelError(f"event codes must be whole numbers or text, got {what}")
        if values.dtype.kind != "O":
            return values, list(dict.fromkeys(_plain(value) for value in np.unique(values).tolist()))
        codes = [_plain(value) for value in values.tolist()]
        odd = next((code for code in codes if not isinstance(code, (str, Real, Decimal))), None)
        if odd is not None:
            raise LabelError(f"event codes must be whole numbers or text, got {odd!r:.60}")
        words = [code for code in codes if isinstance(code, str)]
        if words and len(words) < len(codes):
            number = next(code for code in codes if not isinstance(code, str))
            raise LabelError(
                f"event codes must all be numbers or all be text, got {words[0]!r:.60} beside {number!r:.60}"
            )
        given = np.empty(len(codes), object)
        given[:] = codes
        return given, sorted(set(codes))

    def _check_words(self, found: list[Any]) -> None:
        if self.cause is None or self.censored is None:
            raise LabelError(
                f"event codes are {_listed(found)}: give those of the event and of the censored as cause and censored "
                "(--cause, --censored)"
            )
        missing = [code for code in (self.cause, self.censored) if code not in found]
        if missing and self.cause in missing:
            near = _checks.did_you_mean(self.cause, map(str, found))
            raise LabelError(f"no subject has the event code {self.cause!r}: codes are {_listed(found)}{near}")

    def _check_numbers(self, given: AnyArray, found: list[Any]) -> None:
        odd = next((code for code in found if not _is_whole(code) or code < 0), None)
        if odd is not None:
            row = int(np.argmax(given == odd))
            raise LabelError(
                f"unknown event code {odd!r} in row {row}: codes are 0 (censored), 1 (the event) and other whole "
                "numbers above 0 (competing events)"
            )
        if self.censored is None and 0 not in found and len(found) > 1:
            raise LabelError(
                f"event codes are {_listed(found)} and none is 0, so it is open which of them means censored: give it "
                "as censored (--censored), or censored=0 if all of them are events"
            )


def _plain(value: Any) -> Any:
    """Return a code as Python has it: whole floats and bools are whole numbers."""
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    number = value.item() if isinstance(value, np.generic) else value
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _is_whole(code: Any) -> bool:
    try:
        return bool(code == int(code))
    except OverflowError:  # an infinity
        return False


def _as(code: Any, found: list[Any]) -> Any:
    """Return a code that was given, typed text as a number where the codes are numbers."""
    code = _plain(code)
    if isinstance(code, str) and not any(isinstance(one, str) for one in found):
        try:
            return _plain(float(code))
        except ValueError:
            raise LabelError(f"no event code is {code!r}: codes are {_listed(found)}") from None
    return code


def _listed(found: list[Any]) -> str:
    return rows.listed([repr(code) for code in found[:8]]) + (", ..." if len(found) > 8 else "")


class Given(NamedTuple):
    """Times and codes of events before they are checked."""

    time: Any
    event: Any


def separated(time: Any, event: Any) -> Given:
    """Return times and events, of a structured array with a field of either, too.

    Raises
    ------
    InputError
        If there is no event, or a structured array is not of one field of bools and one of numbers.
    """
    fields = getattr(getattr(time, "dtype", None), "names", None)
    if fields is None:
        if event is None:
            raise InputError("evaluate_survival needs time and event, or a structured array of both")
        return Given(time, event)
    if event is not None:
        raise InputError("time is a structured array that holds the events: leave event out (None)")
    flags = [name for name in fields if time[name].dtype.kind == "b"]
    numbers = [name for name in fields if time[name].dtype.kind in "iuf"]
    if len(fields) != 2 or len(flags) != 1 or len(numbers) != 1:
        raise InputError(
            f"a structured array must have one field of bools (event) and one of numbers (time), got {time.dtype}"
        )
    return Given(time[numbers[0]], time[flags[0]])


class Read(NamedTuple):
    """Times, and events as they were given, with those that are missing."""

    time: Array
    event: AnyArray
    gone: Mask | None


def read(given: Given, missing: str, advice: str = "drop those rows with missing='drop' (--missing drop)") -> Read:
    """Check times; codes of events are read when it is known which rows are kept.

    Parameters
    ----------
    advice : str
        What to do if a time or an event is missing.

    Raises
    ------
    InputError
        If times are not finite numbers of at least 0.
    MissingValueError
        If a time or an event is missing, unless rows with missing values are dropped.
    """
    time, gone = _times("time", given.time)
    event, no_event = columns.labels("event", given.event)
    _checks.same_length({"time": time, "event": event})
    for name, mask in (("time", gone), ("event", no_event)):
        if mask is not None and missing != "drop":
            raise MissingValueError(f"{int(mask.sum())} of {mask.size} values of {name} are missing: {advice}")
    if no_event is not None:
        gone = no_event if gone is None else gone | no_event
    return Read(time, event, gone)


def _times(name: str, values: Any) -> columns.Column:
    values = columns.listed(values)
    array, gone = columns.labels(name, values)
    if array.dtype.kind == "m":
        raise InputError(f"{name} must be numbers, got durations: divide by a unit, such as pandas.Timedelta(days=1)")
    if array.dtype.kind == "M":
        raise InputError(f"{name} must be numbers, got dates: subtract the date from which each subject is observed")
    there = array if gone is None else array[~gone]
    if array.dtype.kind in "iufO" and _has_beyond(values if isinstance(values, (list, tuple)) else there):
        raise InputError(f"{name} holds whole numbers beyond 2^53, which would become ties: use a coarser unit of time")
    try:
        numbers = there.astype(float) if there.dtype.kind in "iufb" or _are_numbers(there) else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None:
        rows_there = np.arange(array.size) if gone is None else np.flatnonzero(~gone)
        texts = there.tolist() if array.dtype.kind in "OU" else []
        wrong = next((i for i, value in enumerate(texts) if not _is_number_or_text_of_one(value)), None)
        if wrong is None and array.dtype.kind == "O":
            wrong = next((i for i, value in enumerate(texts) if not _is_number(value)), None)
        if wrong is not None:
            raise InputError(f"{name} must be numbers, got {texts[wrong]!r:.60} in row {rows_there[wrong]}")
        example = repr(there.tolist()[0])[:60] if there.size else "''"
        raise InputError(
            f"{name} must be numbers, got {'text' if array.dtype.kind == 'U' else array.dtype.name} such as {example}"
        )
    out = np.full(array.size, np.nan)
    out[slice(None) if gone is None else ~gone] = numbers
    bad = (out < 0) | np.isinf(out)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(f"{name} must be finite and at least 0, got {out[row]:g} in row {row}")
    return columns.Column(out, gone)


def _has_beyond(values: Any) -> bool:
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return values.dtype.kind in "iu" and bool(np.any(values > EXACT))
    return any(isinstance(value, (int, np.integer)) and int(value) > EXACT for value in values)


def _are_numbers(values: AnyArray) -> bool:
    return values.dtype.kind == "O" and all(map(_is_number, values.tolist()))


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, Decimal, np.bool_))


def _is_number_or_text_of_one(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def horizons_of(given: Any, name: str = "horizons") -> tuple[float, ...]:
    """Return the horizons, ascending.

    Raises
    ------
    ParameterError
        If there is none, one is not a number above 0, or one is given twice.
    """
    if isinstance(given, (str, bytes)):
        raise ParameterError(f"{name} must be numbers above 0, got {given!r}")
    try:
        one = _is_number(given) or (isinstance(given, np.ndarray) and not given.ndim)
        found = [given.item() if isinstance(given, np.ndarray) else given] if one else list(given)
    except TypeError:
        unit = ": divide durations by their unit" if hasattr(given, "total_seconds") else ""
        raise ParameterError(f"{name} must be numbers above 0, got {given!r}{unit}") from None
    if not found:
        raise ParameterError("no horizons: give at least one time, such as horizons=[365]")
    for text in found:
        if isinstance(text, (str, bytes)):
            raise ParameterError(f"{name} must be numbers above 0, got the text {text!r}")
    numbers = [_checks.positive_number("horizon", one) for one in found]
    _checks.distinct("horizon", numbers)
    return tuple(numbers)
