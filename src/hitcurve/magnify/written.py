"""The written form of magnifications: ``exp, alpha=7``, ``window, 0, 0.1``, or a registered name."""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING
from typing import Any

from hitcurve import _checks, rows
from hitcurve.errors import HitcurveError, MetricParseError, ParameterError
from hitcurve.grammar import Call, Value, read, shown
from hitcurve.magnify.families import Exponential, Identity, Log2Power, Logarithmic, Power
from hitcurve.magnify.magnification import Magnification
from hitcurve.magnify.ramps import CutOff, LogWindow, Step, Window

_MAPS: dict[str, type[Magnification] | Magnification] = {
    kind.word: kind for kind in (Identity, Exponential, Power, Logarithmic, Log2Power, Window, LogWindow, CutOff, Step)
}


def pieces(f: Magnification) -> list[str]:
    """Return a magnification as the arguments that write it: its word, then its parameters."""
    registered = [word for word, known in _MAPS.items() if known == f]
    if registered or _MAPS.get(f.word) is not type(f):
        return registered or [f.word]
    fields = dataclasses.fields(f)  # type: ignore[arg-type]
    return [f.word, *(f"{field.name}={rows.exact(getattr(f, field.name))}" for field in fields)]


def map_forms() -> list[str]:
    """Return how each map is written: its word, and the parameters it takes."""
    forms = []
    for word, kind in _MAPS.items():
        names = [] if isinstance(kind, Magnification) else [f.name for f in dataclasses.fields(kind)]  # type: ignore[arg-type]
        forms.append(f"{word}({', '.join(names)})" if names else word)
    return forms


def read_map(arguments: list[Value], keywords: dict[str, Value]) -> Magnification:
    """Read a magnification: a word, then its parameters by name or in order; or both as one, ``exp(7)``."""
    if not arguments:
        raise MetricParseError(f"it needs a map: {', '.join(_MAPS)}")
    word = arguments.pop(0)
    if isinstance(word, Call):
        return map_of(word)
    if not isinstance(word, str) or word.lower() not in _MAPS:
        raise MetricParseError(f"no map {shown(word)}{_checks.did_you_mean(word, _MAPS)}; maps are {', '.join(_MAPS)}")
    kind = _MAPS[word.lower()]
    if isinstance(kind, Magnification):
        return kind
    values = {}
    for f in dataclasses.fields(kind):  # type: ignore[arg-type]
        if f.name in keywords:
            values[f.name] = keywords.pop(f.name)
        elif arguments and not isinstance(arguments[0], (str, Call)):
            values[f.name] = arguments.pop(0)
        elif f.default is MISSING:
            raise MetricParseError(f"the map {word} needs {f.name}, as in {word}({f.name}=7)")
    return kind(**values)


def map_of(call: Call) -> Magnification:
    """Read a magnification whose parameters are its own, ``exp(alpha=7)``."""
    if call.at is not None:
        raise MetricParseError(f"{call.name} takes nothing after @")
    arguments, keywords = [call.name, *call.arguments], dict(call.keywords)
    found = read_map(arguments, keywords)
    left = [shown(value) for value in arguments] + list(keywords)
    if left:
        raise MetricParseError(f"the map {call.name} cannot use the argument {left[0]}")
    return found


def magnification(spec: str) -> Magnification:
    """Return the magnification that a string describes.

    Parameters
    ----------
    spec : str
        Such as ``"exp(7)"``, ``"log(alpha=80)"``, ``"window(0, 0.1)"``, or a registered name (see
        :func:`hitcurve.magnify.register_magnification`).

    Raises
    ------
    MetricParseError
        If it does not parse, with the near names.
    ParameterError
        If it is no text.

    Examples
    --------
    >>> magnification("exp(7)")
    Exponential(alpha=7.0)
    """
    if not isinstance(spec, str):
        raise ParameterError(f"a magnification is read from text such as 'exp(7)', got {_checks.written(spec)}")
    try:
        return map_of(read(spec))
    except HitcurveError as error:
        raise MetricParseError(f"cannot read magnification {spec!r}: {error}") from None


def magnification_given(name: str, given: Any) -> Magnification:
    """Return a magnification that was given as one or in its written form.

    Raises
    ------
    ParameterError, MetricParseError
        If it is neither; if its text cannot be read.
    """
    if isinstance(given, str):
        return magnification(given)
    if not isinstance(given, Magnification):
        raise ParameterError(f"{name} must be a Magnification or its text such as 'exp(7)', got {given!r}")
    return given


def register_magnification(name: str, f: Magnification) -> None:
    """Register a name for a magnification of your own: ``croc(name)`` then parses and is printed.

    Parameters
    ----------
    name : str
        A lower-case word.
    f : Magnification
        A custom map, one from attention or a density, a mixture.

    Raises
    ------
    ParameterError
        If the name is taken or not a lower-case word, or ``f`` is not a magnification.

    Examples
    --------
    >>> from hitcurve import metric
    >>> from hitcurve.magnify import magnification_from_attention
    >>> from hitcurve.metrics import CROC
    >>> clicks = magnification_from_attention([6, 3, 1], edges=[0, 0.1, 0.2, 1])
    >>> register_magnification("clicks", clicks)
    >>> str(CROC(clicks)), metric("croc(clicks)") == CROC(clicks)
    ('croc(clicks)', True)
    """
    if not isinstance(f, Magnification):
        raise ParameterError(f"f must be a Magnification, got {f!r}")
    if not name.isidentifier() or name != name.lower() or (name in _MAPS and _MAPS[name] != f):
        raise ParameterError(f"the name of a magnification must be a free lower-case word, got {name!r}")
    _MAPS[name] = f
