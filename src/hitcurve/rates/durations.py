"""How long something takes, as people write it: 7200, 90min, 24h, 3d, 1h30min."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TypeAlias

from hitcurve import _checks
from hitcurve.errors import ParameterError

Duration: TypeAlias = "float | str | timedelta"
_MINUTES = {"d": 24 * 60.0, "h": 60.0, "min": 1.0, "m": 1.0, "s": 1 / 60}
_PART = r"(\d+(?:\.\d+)?)\s*(d|h|min|m|s)\s*"


def minutes_of(name: str, value: Duration) -> float:
    """Return a duration in minutes.

    Parameters
    ----------
    name : str
        Of the argument, for the error.
    value : float, str or datetime.timedelta
        A number of minutes, or a duration such as ``"90min"``, ``"24h"``, ``"3d"`` or ``"1h30min"``; a day has 24
        hours.

    Raises
    ------
    ParameterError
        If it is none, or not above 0.

    Examples
    --------
    >>> minutes_of("minutes", "1h30min"), minutes_of("minutes", "3d"), minutes_of("minutes", 7200)
    (90.0, 4320.0, 7200.0)
    """
    if isinstance(value, timedelta):
        return _checks.positive_number(name, value.total_seconds() / 60)
    if not isinstance(value, str):
        return _checks.positive_number(name, value)
    text = value.strip().lower()
    if re.fullmatch(rf"(?:{_PART})+", text):
        parts = re.findall(_PART, text)
        return _checks.positive_number(name, sum(float(number) * _MINUTES[unit] for number, unit in parts))
    try:
        number = float(text)
    except ValueError:
        raise ParameterError(
            f"{name} must be a number of minutes or a duration such as 90min, 24h, 3d or 1h30min, got {value!r}"
        ) from None
    return _checks.positive_number(name, number)


def said(value: Duration) -> str:
    """Return how a duration was written, where that is not a number of minutes: `` (3d; a day has 24 hours)``.

    Examples
    --------
    >>> said("3d"), said("24h"), said("7200")
    (' (3d; a day has 24 hours)', ' (24h)', '')
    """
    text = str(value).strip()
    if not re.search(r"[a-z]\s*$", text, re.IGNORECASE):
        return ""
    return f" ({text}; a day has 24 hours)" if "d" in text.lower() else f" ({text})"
