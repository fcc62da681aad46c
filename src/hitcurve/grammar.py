"""The grammar of written forms, ``name@place(argument, key=value)``: text to names, numbers and arguments.

A name may hold what is fixed, ``name@rate=place``: what stands before the equals sign is the name then.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from hitcurve.errors import MetricParseError


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
            if self._next_is("="):
                self._take("=")
                name, place = f"{name}@{place.lower()}", self._take("number", "word")
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
            return number(self._take("number"))
        if len(self.tokens) > 1 and self.tokens[1][1] == "(":
            return self.call()
        return self._take("number", "word")


def number(text: str) -> float:
    """Return a number as it was written: a whole one as an int, a percentage as a fraction."""
    if text.endswith("%"):
        try:
            return float(Decimal(text[:-1]) / 100)
        except ArithmeticError:
            raise MetricParseError(f"the percentage {text} exceeds the range of floating-point numbers") from None
    value = float(text)
    if not re.fullmatch(r"[-+]?\d+", text):
        return value
    return int(text) if math.isfinite(value) else int(value)  # a float has no odd ones beyond 2**53


def shown(value: Value) -> str:
    """Return an argument as an error quotes it."""
    return repr(value.name if isinstance(value, Call) else value)
