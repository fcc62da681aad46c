"""The written form of metrics: ``croc(exp, alpha=7)``, ``ef@1%``, ``rauc(beta(6.23, 32.8))``.

A metric is a dataclass whose fields say how they are written; reading and writing follow from that alone.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import MISSING, dataclass, field
from decimal import Decimal
from typing import Any, TypeAlias

from hitcurve import _checks, rows
from hitcurve.errors import HitcurveError, MetricParseError
from hitcurve.magnify import (
    CutOff,
    Exponential,
    Identity,
    Log2Power,
    Logarithmic,
    LogWindow,
    Magnification,
    Power,
    Step,
    Window,
)
from hitcurve.rates import Beta, Point, RateDensity, RateMixture, Uniform

MAPS: dict[str, type[Magnification] | Magnification] = {
    kind.word: kind for kind in (Identity, Exponential, Power, Logarithmic, Log2Power, Window, LogWindow, CutOff, Step)
}
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
    """Return the canonical written form."""
    place, arguments = "", []
    for f in dataclasses.fields(metric):
        form, value = f.metadata.get("form"), getattr(metric, f.name)
        if form == "at" and value is not None:
            place = f"@{rows.percent(value) if isinstance(value, float) else value}"
        elif form == "positional":
            arguments += _pieces(value)
        elif form == "flag" and value:
            arguments.append(f.name)
        elif form == "keyword" and (f.metadata["always"] or value != f.default):
            arguments.append(f"{f.name}={_text(value)}")
    return f"{metric.name}{place}{'(' + ', '.join(arguments) + ')' if arguments else ''}"


def _pieces(value: Any) -> list[str]:
    if not isinstance(value, Magnification):
        return [_text(value)]
    registered = [word for word, known in MAPS.items() if known == value]
    if registered or MAPS.get(value.word) is not type(value):
        return registered or [value.word]
    fields = dataclasses.fields(value)  # type: ignore[arg-type]
    return [value.word, *(f"{f.name}={rows.exact(getattr(value, f.name))}" for f in fields)]


def _text(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    return rows.exact(value) if isinstance(value, float) else str(value)


# ---- reading


@dataclass(frozen=True)
class Call:
    """A written form, taken apart."""

    name: str
    at: str | None
    arguments: tuple[Value, ...]
    keywords: dict[str, Value]


Value: TypeAlias = "float | str | Call"
_TOKEN = re.compile(
    r"\s*(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?)|(?P<word>[A-Za-z_][\w-]*)|(?P<mark>[(),=@]))"
)


def read(text: str) -> Call:
    """Take a written form apart.

    Raises
    ------
    MetricParseError
        If it is not of the form ``name@place(argument, key=value)``.
    """
    tokens, place = [], 0
    stripped = text.strip()
    while place < len(stripped):
        match = _TOKEN.match(stripped, place)
        if match is None:
            raise MetricParseError(f"cannot read {stripped[place:]!r}")
        tokens.append((match.lastgroup or "", match[match.lastgroup or 0]))
        place = match.end()
    reader = _Reader(tokens)
    call = reader.call()
    if reader.tokens:
        raise MetricParseError(f"cannot read {reader.tokens[0][1]!r} after the end")
    return call


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens

    def _take(self, *wanted: str) -> str:
        if not self.tokens:
            raise MetricParseError(f"it ends where {' or '.join(wanted)} should follow")
        kind, text = self.tokens.pop(0)
        if kind not in wanted and text not in wanted:
            raise MetricParseError(f"got {text!r} where {' or '.join(wanted)} should follow")
        return text

    def _next_is(self, mark: str) -> bool:
        return bool(self.tokens) and self.tokens[0][1] == mark

    def call(self) -> Call:
        name = self._take("word").lower()
        place = None
        if self._next_is("@"):
            self._take("@")
            place = self._take("number", "word")
        arguments: list[Value] = []
        keywords: dict[str, Value] = {}
        if self._next_is("("):
            self._take("(")
            while not self._next_is(")"):
                self._argument(arguments, keywords)
                if not self._next_is(")"):
                    self._take(",", ")")
            self._take(")")
        return Call(name, place, tuple(arguments), keywords)

    def _argument(self, arguments: list[Value], keywords: dict[str, Value]) -> None:
        if len(self.tokens) > 1 and self.tokens[1][1] == "=":
            key = self._take("word")
            self._take("=")
            if key in keywords:
                raise MetricParseError(f"{key} is given twice")
            keywords[key] = self._value()
        else:
            arguments.append(self._value())

    def _value(self) -> Value:
        if self.tokens and self.tokens[0][0] == "number":
            return _number(self._take("number"))
        if len(self.tokens) > 1 and self.tokens[1][1] == "(":
            return self.call()
        return self._take("number", "word")


def _number(text: str) -> float:
    if text.endswith("%"):
        return float(Decimal(text[:-1]) / 100)
    value = float(text)
    return int(value) if re.fullmatch(r"[-+]?\d+", text) else value


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
    for name in [name for name, form in forms.items() if form == "positional"]:
        if name in keywords:
            values[name] = _converted(keywords.pop(name))
        elif fields[name].type == "Magnification":
            values[name] = _map(arguments, keywords)
        elif arguments:
            values[name] = _converted(arguments.pop(0))
    for name in [name for name, form in forms.items() if form == "keyword"]:
        if name in keywords:
            values[name] = _converted(keywords.pop(name))
    if call.at is not None:
        place = next((name for name, form in forms.items() if form == "at"), None)
        if place is None:
            raise MetricParseError(f"{call.name} takes no place after @")
        values[place] = _place(call)
    for name in keywords:
        options = [option for option, form in forms.items() if form == "keyword"]
        raise MetricParseError(f"{call.name} knows no {name}{_checks.did_you_mean(name, options)}")
    if arguments:
        raise MetricParseError(f"{call.name} does not know what to do with {_shown(arguments[0])}")
    for name, f in fields.items():
        if name not in values and f.default is MISSING and f.default_factory is MISSING:
            missing = "a place after @, as in @1%" if forms[name] == "at" else name
            raise MetricParseError(f"{call.name} needs {missing}")
    return kind(**values)


def _place(call: Call) -> float | str:
    """Read what follows @: a share, a rank or R."""
    text = str(call.at)
    if text.upper() == "R":
        return "R"
    if not re.match(r"[-+.\d]", text):
        raise MetricParseError(f"{call.name} takes a share (1%), a rank (100) or R after @, got {text!r}")
    return _number(text)


def cut_place(text: str) -> float | int:
    """Read where a list is cut: a share (1%, 0.01) as a float, a number of subjects (100) as an int.

    Raises
    ------
    MetricParseError
        If it is neither.
    """
    try:
        return _number(text.strip())
    except (ValueError, ArithmeticError):
        raise MetricParseError(f"a cut is a share (1%) or a number of subjects (100), got {text!r}") from None


def _shown(value: Value) -> str:
    return repr(value.name if isinstance(value, Call) else value)


def _converted(value: Value) -> Any:
    return density(value) if isinstance(value, Call) else value


def _map(arguments: list[Value], keywords: dict[str, Value]) -> Magnification:
    """Read a magnification: a word, then its parameters by name or in order."""
    if not arguments:
        raise MetricParseError(f"it needs a map: {', '.join(MAPS)}")
    word = arguments.pop(0)
    if not isinstance(word, str) or word.lower() not in MAPS:
        raise MetricParseError(f"no map {_shown(word)}{_checks.did_you_mean(word, MAPS)}; maps are {', '.join(MAPS)}")
    kind = MAPS[word.lower()]
    if isinstance(kind, Magnification):
        return kind
    values = {}
    for f in dataclasses.fields(kind):  # type: ignore[arg-type]
        if f.name in keywords:
            values[f.name] = keywords.pop(f.name)
        elif arguments and not isinstance(arguments[0], (str, Call)):
            values[f.name] = arguments.pop(0)
        elif f.default is MISSING:
            raise MetricParseError(f"the map {word} needs {f.name}, as in {word}, {f.name}=7")
    return kind(**values)


def magnification(text: str) -> Magnification:
    """Return the magnification of a written form.

    Parameters
    ----------
    text : str
        As ``"exp(7)"``, ``"log(alpha=80)"``, ``"window(0, 0.1)"``, or a name of your own (see
        :func:`hitcurve.magnify.register_magnification`).

    Raises
    ------
    MetricParseError
        If it does not parse, with the near names.

    Examples
    --------
    >>> magnification("exp(7)")
    Exponential(alpha=7.0)
    """
    try:
        call = read(text)
        if call.at is not None:
            raise MetricParseError(f"{call.name} takes no place after @")
        keywords = dict(call.keywords)
        arguments: list[Value] = [call.name, *call.arguments]
        made = _map(arguments, keywords)
        left = [_shown(value) for value in arguments] + list(keywords)
        if left:
            raise MetricParseError(f"the map {call.name} does not know what to do with {left[0]}")
    except HitcurveError as error:
        raise MetricParseError(f"cannot read magnification {text!r}: {error}") from None
    return made


def density(value: Value) -> RateDensity:
    """Read a rate density.

    Raises
    ------
    MetricParseError
        If it is none of beta, uniform, point and mixture.
    """
    call = value if isinstance(value, Call) else Call(str(value), None, (), {})
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
