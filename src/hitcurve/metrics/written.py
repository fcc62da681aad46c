"""The written form of metrics: ``croc(exp, alpha=7)``, ``ef@1%``, ``rauc(beta(6.23, 32.8))``.

A metric is a dataclass whose fields say how they are written; reading and writing follow from that alone.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import MISSING, field
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.errors import HitcurveError, MetricParseError, ParameterError
from hitcurve.grammar import Call, Value, number, shown
from hitcurve.magnify import Magnification
from hitcurve.magnify.written import map_of, pieces, read_map
from hitcurve.rates import Beta, Point, RateDensity, RateMixture, Uniform

_DENSITIES: dict[str, type[RateDensity]] = {"beta": Beta, "uniform": Uniform, "point": Point}


# ---- how a field is written


def positional(default: Any = MISSING) -> Any:
    """Return a field written as a bare argument, always."""
    return field(default=default, metadata={"form": "positional"})


def keyword(default: Any, *, always: bool = False) -> Any:
    """Return a field written as ``name=value``, unless it has its default (or always)."""
    return field(default=default, metadata={"form": "keyword", "always": always})


def flag() -> Any:
    """Return a boolean field written as its bare name where it is true."""
    return field(default=False, metadata={"form": "flag"})


def at(default: Any = MISSING) -> Any:
    """Return a field written after ``@``."""
    return field(default=default, metadata={"form": "at"})


def write(metric: Any) -> str:
    """Return the canonical written form.

    Raises
    ------
    ParameterError
        If the class of a user has no fields by which it is compared and written.
    """
    if not dataclasses.is_dataclass(type(metric)):
        raise ParameterError(
            f"{type(metric).__name__} must be a dataclass: put @dataclass(frozen=True) above the class"
        )
    place, arguments = "", []
    for f in dataclasses.fields(metric):
        form, value = f.metadata.get("form"), getattr(metric, f.name)
        if form == "at" and value is not None:
            place = f"{before_place(metric.name)}{_place_text(value)}"
        elif form == "positional":
            arguments += pieces(value) if isinstance(value, Magnification) else [_text(value)]
        elif form == "flag" and value:
            arguments.append(f.name)
        elif form == "keyword" and (f.metadata["always"] or value != f.default):
            arguments.append(f"{f.name}={_text(value)}")
    return f"{metric.name}{place}{'(' + ', '.join(arguments) + ')' if arguments else ''}"


def before_place(name: str) -> str:
    """Return what stands between a name and its place: ``recall@1%``, but ``tpr@fpr=1%``."""
    return "=" if "@" in name else "@"


def _place_text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "each"  # of many lists, one place each
    return rows.percent(value) if isinstance(value, float) else str(value)


def _text(value: Any) -> str:
    if isinstance(value, Magnification):
        return map_text(value)
    if isinstance(value, int):
        return str(value)
    return rows.exact(value) if isinstance(value, float) else str(value)


def map_text(f: Magnification) -> str:
    """Return a magnification as one argument, ``exp(alpha=7)``."""
    word, *parameters = pieces(f)
    return f"{word}({', '.join(parameters)})" if parameters else word


# ---- reading


def build(kind: type[Any], call: Call) -> Any:
    """Make a metric of a class from a written form that was taken apart.

    Raises
    ------
    MetricParseError
        If an argument is unknown, missing or too many.
    """
    fields = {f.name: f for f in dataclasses.fields(kind)}
    forms = {name: f.metadata.get("form") for name, f in fields.items()}
    values: dict[str, Any] = {}
    arguments, keywords = list(call.arguments), dict(call.keywords)
    for name in [name for name, form in forms.items() if form == "flag"]:
        if name in arguments:
            arguments.remove(name)
            values[name] = True
        elif name in keywords:
            values[name] = _true_or_false(call, name, keywords.pop(name))
    for name in [name for name, form in forms.items() if form == "positional"]:
        if name in keywords:
            values[name] = _converted(keywords.pop(name), fields[name].type)
        elif fields[name].type == "Magnification":
            values[name] = read_map(arguments, keywords)
        elif arguments:
            values[name] = _converted(arguments.pop(0), fields[name].type)
    for name in [name for name, form in forms.items() if form == "keyword"]:
        if name in keywords:
            value = keywords.pop(name)
            values[name] = _map(value) if fields[name].type == "Magnification" else _converted(value, fields[name].type)
    place = next((name for name, form in forms.items() if form == "at"), None)
    if call.at is not None:
        if place is None:
            raise MetricParseError(f"{call.name} takes nothing after @")
        values[place] = _place(call, place, str(fields[place].type))
        if str(fields[place].type) == "float" and isinstance(values[place], int) and values[place] > 1:
            mark, number = before_place(call.name), values[place]
            advice = f"write {call.name}{mark}{number}%" if number <= 100 else f"such as 10%, got {number}"
            raise MetricParseError(f"{call.name} takes a fraction after {mark}: {advice}")
    elif place is not None and "k" in keywords:
        values[place] = keywords.pop("k")
    options = [name for name, form in forms.items() if form == "keyword" and name not in values]
    while arguments and (only := _only_option(arguments[0], kind, options, place if place not in values else None)):
        values[only] = arguments.pop(0)
        options = [name for name in options if name != only]
    for name in keywords:
        known = [option for option, form in forms.items() if form == "keyword"]
        raise MetricParseError(f"{call.name} has no argument {name}{_checks.did_you_mean(name, known)}")
    if arguments:
        known = [f"{name}=" for name in options] + (["a cutoff after @"] if place is not None else [])
        takes = f"; it takes {rows.listed(known)}" if known else ""
        raise MetricParseError(f"{call.name} cannot use the argument {shown(arguments[0])}{takes}")
    for name, f in fields.items():
        if name not in values and f.default is MISSING and f.default_factory is MISSING:
            mark = before_place(call.name)
            after = f"a {'threshold' if name == 'threshold' else 'cutoff'} after @, as in {call.name}@1%"
            place_needed = after if mark == "@" else f"a rate, as in {call.name}=90%"
            raise MetricParseError(f"{call.name} needs {place_needed if forms[name] == 'at' else name}")
    return kind(**values)


def _only_option(argument: Value, kind: type[Any], options: list[str], place: str | None) -> str | None:
    """Return the one option, or the place, that a bare argument can be; None if there are several or none."""
    if isinstance(argument, Call):
        return None
    wanted = ("str",) if isinstance(argument, str) else ("float", "int")
    types = {f.name: str(f.type) for f in dataclasses.fields(kind)}
    fits = [name for name in options if any(word in types[name] for word in wanted)]
    if place is not None and not isinstance(argument, str):
        fits.append(place)
    return fits[0] if len(fits) == 1 else None


def _true_or_false(call: Call, name: str, value: Value) -> bool:
    known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if str(value).lower() not in known:
        raise MetricParseError(f"{call.name} takes {name}=true or {name}=false, got {shown(value)}")
    return known[str(value).lower()]


def _place(call: Call, name: str, kind: str) -> float | str:
    """Read what follows @: what this metric takes of a share, a rank, R and other numbers."""
    text, any_place, is_rank = str(call.at), "str" in kind, "int" in kind and "float" not in kind
    if any_place and text.upper() == "R":
        return "R"
    found = number(text) if re.match(r"[-+.\d]", text) else None
    if found is None or (is_rank and (text.endswith("%") or found % 1)):
        other = {"threshold": "a score (0.5)", "multiple": "a multiple of R (0.5)"}.get(name, "a fraction (10%)")
        takes = "a rank (10)" if is_rank else "a fraction (1%), a rank (100) or R" if any_place else other
        raise MetricParseError(f"{call.name} takes {takes} after {before_place(call.name)}, got {text!r}")
    return found


def cut_place(text: str) -> float | int:
    """Read where a list is cut: a share (1%, 0.01) as a float, a number of subjects (100) as an int.

    Raises
    ------
    MetricParseError
        If it is neither.
    """
    try:
        return number(text.strip())
    except (ValueError, ArithmeticError):
        raise MetricParseError(f"a cutoff is a fraction (1%) or a number of subjects (100), got {text!r}") from None


def _map(value: Value) -> Magnification:
    """Read a magnification that is an argument by name, ``x=exp(alpha=7)``."""
    return map_of(value if isinstance(value, Call) else Call(str(value), None, (), {}))


def _converted(value: Value, kind: Any) -> Any:
    if isinstance(value, Call) and any(word in str(kind) for word in ("float", "int", "str")):
        return value  # which the metric refuses
    return density(value) if isinstance(value, Call) or "RateDensity" in str(kind) else value


def density_forms() -> list[str]:
    """Return how each density of the rate is written."""
    single = [
        f"{word}({', '.join(f.name for f in dataclasses.fields(kind))})"  # type: ignore[arg-type]
        for word, kind in _DENSITIES.items()
    ]
    return [*single, "mixture(share, density, share, density, ...)"]


def density(value: Value) -> RateDensity:
    """Read a rate density.

    Raises
    ------
    MetricParseError
        If it is none of beta, uniform, point and mixture.
    """
    if not isinstance(value, (str, Call)):
        raise MetricParseError(f"{shown(value)} is no rate density; densities are {', '.join(density_forms())}")
    call = value if isinstance(value, Call) else Call(value.lower(), None, (), {})
    if call.name == "mixture":
        shares, parts = call.arguments[::2], call.arguments[1::2]
        paired = len(shares) == len(parts) and all(isinstance(share, (int, float)) for share in shares)
        if not paired or call.keywords:
            raise MetricParseError("a mixture is written mixture(0.7, beta(6, 30), 0.3, point(0.5))")
        return RateMixture([density(part) for part in parts], [float(share) for share in shares])  # type: ignore[arg-type]
    if call.name not in _DENSITIES:
        options = [*_DENSITIES, "mixture"]
        near = _checks.did_you_mean(call.name, options)
        raise MetricParseError(f"no rate density {call.name!r}{near}; densities are {', '.join(options)}")
    try:
        return _DENSITIES[call.name](*call.arguments, **call.keywords)
    except HitcurveError:
        raise
    except TypeError:
        wanted = ", ".join(f.name for f in dataclasses.fields(_DENSITIES[call.name]))  # type: ignore[arg-type]
        raise MetricParseError(f"the density {call.name} takes the numbers {wanted}") from None
