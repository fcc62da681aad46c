"""How people write numbers, and that there is none: words for missing values, decimal commas, separators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hitcurve.sources.files import duck

_WORDS = ("", "na", "n/a", "nan", "-nan", "+nan", "null", "none", ".", "-")
DECIMALS = (".", ",")
_SPACES = " '\u2019\u00a0\u202f"  # between thousands


@dataclass(frozen=True)
class Absent:
    """Words that stand for a missing value in a column of numbers or labels.

    Attributes
    ----------
    more : tuple of str
        Words beside the usual ones, compared as they are written; one that is a number stands for all its spellings.
    label : object
        The positive label, which is never missing; beside ``+`` stands ``-``.
    """

    more: tuple[str, ...] = ()
    label: object = None

    @property
    def _labels(self) -> tuple[str, ...]:
        given = str(self.label).strip()
        return (given, "-") if given == "+" else (given,) if self.label is not None else ()

    @property
    def numbers(self) -> tuple[float, ...]:
        """The words that are numbers."""
        return tuple(number for word in self.more if (number := _number(word)) is not None)

    def holds(self, word: str) -> bool:
        """Return whether a label is missing."""
        bare = word.strip()
        if bare in self._labels:
            return False
        return bare.lower() in _WORDS or bare in self.more or (bool(self.numbers) and _number(bare) in self.numbers)

    def usual(self, word: str) -> str:
        """Return the SQL that says whether a word is one of the usual ones."""
        return f"coalesce(lower(trim({word})) IN ({_listed(_WORDS)}), false)"

    def named(self, word: str) -> str:
        """Return the SQL that says whether a word is one of the others."""
        if not self.more:
            return "false"
        found = f"trim({word}) IN ({_listed(self.more)})"
        if self.numbers:
            found += f" OR TRY_CAST({word} AS DOUBLE) IN ({', '.join(map(repr, self.numbers))})"
        return f"coalesce({found}, false)"

    def label_sql(self, word: str) -> str:
        """Return the SQL that says whether a label is missing."""
        gone = f"{word} IS NULL OR {self.usual(word)} OR {self.named(word)}"
        return f"({gone}) AND coalesce(trim({word}) NOT IN ({_listed(self._labels)}), true)" if self._labels else gone


def _number(word: str) -> float | None:
    try:
        number = float("" if "_" in word else word)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _listed(words: Iterable[str]) -> str:
    return ", ".join(map(duck.text, words))


def matches(text: str, decimal: str) -> str:
    """Return the SQL that says whether a text is a number with this decimal mark, thousands apart or not."""
    thousands = rf"\{DECIMALS[decimal == '.']}"
    apart = "|".join(rf"(?:[{mark}][0-9]{{3}})+" for mark in (thousands, *_SPACES))
    whole = rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{apart}))"
    # numbers with an exponent are written by programs, which put nothing between thousands
    power = rf"(?:[0-9]+(?:\{decimal}[0-9]*)?|\{decimal}[0-9]+)[eE][-+]?[0-9]+"
    pattern = rf"\s*[-+]?(?:{whole}(?:\{decimal}[0-9]*)?|\{decimal}[0-9]+|{power}|(?i:nan|inf|infinity))\s*"
    return f"regexp_full_match({text}, {duck.text(pattern)})"


def read(text: str, decimal: str) -> str:
    """Return the SQL of a number as a program writes it; what is none gets no number, and nothing stays nothing."""
    thousands = DECIMALS[decimal == "."]
    digits = f"translate({text}, {duck.text(thousands + _SPACES)}, '')"
    plain = digits if decimal == "." else f"replace({digits}, ',', '.')"
    return f"CASE WHEN {matches(text, decimal)} THEN {plain} ELSE 'no number: ' || {text} END"
