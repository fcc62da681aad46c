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


@dataclass(frozen=True, repr=False)
class Call:
    """A written form, taken apart."""

    name: str
    at: str | None
    arguments: tuple[Value, ...]
    keywords: dict[str, Value]

    def __repr__(self) -> str:
        """Return it as it may have been written, for errors that quote it."""
        named = [f"{name}={_plain(value)}" for name, value in self.keywords.items()]
        arguments = ", ".join([*map(_plain, self.arguments), *named])
        place = "" if self.at is None else f"@{self.at}"
        return f"{self.name}{place}" + (f"({arguments})" if arguments else "")


class Percentage(float):
    """A share outside (0, 1] that was written in percent, as errors quote it."""

    def __new__(cls, text: str, share: float) -> Percentage:
        """Keep the text beside the share."""
        made = super().__new__(cls, share)
        made.text = text
        return made

    text: str

    def __repr__(self) -> str:
        """Return the percentage."""
        return self.text


Value: TypeAlias = "float | str | Call"
_TOKEN = re.compile(
    r"\s*(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?%?)|(?P<word>[A-Za-z_][\w-]*)|(?P<mark>[(),=@]))",
    re.ASCII,
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
            digits = "; numbers are written with the digits 0 to 9" if stripped[place].isdigit() else ""
            raise MetricParseError(f"cannot read {stripped[place:]!r}{digits}")
        tokens.append((match.lastgroup or "", match[match.lastgroup or 0]))
        place = match.end()
    reader = _Reader(tokens)
    call = reader.call()
    if reader.tokens:
        rest = reader.tokens[0][1]
        several = ": give several one by one" if rest == "," or rest.isidentifier() else ""
        raise MetricParseError(f"cannot read {rest!r} after the end{several}")
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
    """Return a number as it was written: a whole one as an int, a percentage as a fraction.

    Raises
    ------
    MetricParseError
        If it is beyond the largest float or below the smallest one.
    ValueError
        If it is no number.
    """
    if not text.isascii():
        raise MetricParseError(f"{text!r} is no number with the digits 0 to 9")
    percent = text.endswith("%")
    try:
        value = float(Decimal(text[:-1]) / 100) if percent else float(text)
    except ArithmeticError:
        raise MetricParseError(f"{text} exceeds the range of 64-bit floats") from None
    if math.isinf(value):
        raise MetricParseError(f"{text} exceeds the range of 64-bit floats")
    if not value and re.match("[-+]?[0.]*[1-9]", text):
        raise MetricParseError(f"{text} is nearer to 0 than any 64-bit float")
    if percent:
        return value if 0 < value <= 1 else Percentage(text, value)
    return int(text) if re.fullmatch(r"[-+]?[0-9]+", text) else value


def shown(value: Value) -> str:
    """Return an argument as an error quotes it."""
    return repr(value.name if isinstance(value, Call) else value)


def _plain(value: Value) -> str:
    return value if isinstance(value, str) else repr(value)
