"""Exact derivatives by dual numbers, and the standard errors that follow; shares no code with the package."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from scipy.stats import norm
from scipy.stats import t as student

from tests.fuzz.slow import Slow, Subject


@dataclass(frozen=True)
class Dual:
    """A fraction with its derivative by one weight."""

    value: Fraction
    slope: Fraction = Fraction(0)

    @classmethod
    def of(cls, given: Any) -> Dual:
        """Return a number as one that does not move."""
        return given if isinstance(given, Dual) else cls(Fraction(given))

    def __add__(self, other: Any) -> Dual:
        """Return the sum."""
        other = Dual.of(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __neg__(self) -> Dual:
        """Return the negative."""
        return Dual(-self.value, -self.slope)

    def __sub__(self, other: Any) -> Dual:
        """Return the difference."""
        return self + -Dual.of(other)

    def __mul__(self, other: Any) -> Dual:
        """Return the product."""
        other = Dual.of(other)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    def __truediv__(self, other: Any) -> Dual:
        """Return the quotient."""
        other = Dual.of(other)
        found = self.value / other.value
        return Dual(found, (self.slope - found * other.slope) / other.value)

    def __bool__(self) -> bool:
        """Return whether it is not 0."""
        return bool(self.value)

    def __rsub__(self, other: Any) -> Dual:
        """Return the difference from a fraction."""
        return Dual.of(other) - self

    def __rtruediv__(self, other: Any) -> Dual:
        """Return the quotient of a fraction."""
        return Dual.of(other) / self

    __radd__, __rmul__ = __add__, __mul__


def moved(weights: Sequence[Fraction], place: int) -> list[Any]:
    """Return weights of which one moves."""
    return [Dual(w, Fraction(1)) if i == place else w for i, w in enumerate(weights)]


def slopes(
    weights: Sequence[Fraction], keys: Sequence[Hashable], value: Callable[[Sequence[Any]], Any]
) -> list[Fraction]:
    """Return the derivative of a value by the weight of each subject; subjects of equal keys have equal ones."""
    known: dict[Hashable, Fraction] = {}
    for place, key in enumerate(keys):
        if key not in known:
            known[key] = Dual.of(value(moved(weights, place))).slope
    return [known[key] for key in keys]


@dataclass(frozen=True)
class Ranked:
    """One list of weighted subjects, and what moves its values."""

    y: Sequence[int]
    scores: Sequence[Any]
    weights: Sequence[Fraction]
    design: str = "cohort"

    @classmethod
    def of(cls, y: Sequence[int], scores: Sequence[Any], weights: Any = None, design: str = "cohort") -> Ranked:
        """Take columns of numbers."""
        own = [Fraction(1)] * len(y) if weights is None else [Fraction(w) for w in weights]
        return cls(list(y), [Fraction(s) for s in scores], own, design)

    def _value(self, name: str, weights: Sequence[Any]) -> Any:
        if self.design == "case-control":  # the numbers of both classes are fixed
            weights = list(weights)
            for c in (0, 1):
                here = [i for i, d in enumerate(self.y) if d == c]
                now, then = (sum((w[i] for i in here), Fraction(0)) for w in (weights, self.weights))
                for i in here:
                    weights[i] = weights[i] * then / now
        return Slow(Subject(bool(c), s, w) for c, s, w in zip(self.y, self.scores, weights, strict=True)).value(name)

    def value(self, name: str) -> Fraction:
        """Return the value of a metric."""
        found: Fraction = self._value(name, self.weights)
        return found

    def influence(self, name: str) -> list[Fraction]:
        """Return what each subject moves a value by, to first order."""
        keys = list(zip(self.y, self.scores, self.weights, strict=True))
        each = slopes(self.weights, keys, lambda weights: self._value(name, weights))
        return [w * d for w, d in zip(self.weights, each, strict=True)]

    def numbers(self) -> tuple[Fraction, Fraction]:
        """Return the numbers of positives and negatives: of equal weights, as many as vary as much."""
        sides = [[w for w, d in zip(self.weights, self.y, strict=True) if d == c] for c in (1, 0)]
        n1, n0 = (sum(own, Fraction(0)) ** 2 / sum((w * w for w in own), Fraction(0)) for own in sides)
        return n1, n0


def by_class(influence: Sequence[Fraction], y: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Return the sums of squares over positives and over negatives."""
    found = [sum((v * v for v, d in zip(influence, y, strict=True) if d == c), Fraction(0)) for c in (1, 0)]
    return found[0], found[1]


def of_n_less_1(influence: Sequence[Fraction], ranked: Ranked) -> list[tuple[Fraction, Fraction]]:
    """Return the variance of both classes as of n - 1, which of AUC is DeLong's, each with its degrees of freedom."""
    parts = zip(by_class(influence, ranked.y), ranked.numbers(), strict=True)
    return [(of_class * n / (n - 1), n - 1) for of_class, n in parts]


def jackknife(influence: Sequence[Fraction], ranked: Ranked, parts: Sequence[Sequence[int]]) -> Fraction:
    """Return the variance of clusters left out in turn, to first order: each less its own share of the class."""
    g, total = len(parts), Fraction(0)
    size = {c: sum((w for w, d in zip(ranked.weights, ranked.y, strict=True) if d == c), Fraction(0)) for c in (0, 1)}
    for part in parts:
        own = Fraction(0)
        for c in (0, 1):
            members = [i for i in part if ranked.y[i] == c]
            share = sum((ranked.weights[i] for i in members), Fraction(0)) / size[c]
            factor = (1 - Fraction(1, g)) / (1 - share) if share < 1 else Fraction(1)
            own += factor * sum((influence[i] for i in members), Fraction(0))
        total += own * own
    return Fraction(g, g - 1) * total


def satterthwaite(parts: Sequence[tuple[Any, Any]]) -> float:
    """Return the degrees of freedom of a sum of variances, each with its own."""
    whole = sum(Fraction(v) for v, _ in parts)
    below = sum((Fraction(v) ** 2 / Fraction(d) for v, d in parts if v), Fraction(0))
    return float(whole**2 / below) if below else math.inf


def root(x: Fraction) -> float:
    """Return a square root, of fractions beyond the range of floats, too."""
    if not x:
        return 0.0
    shift = (x.numerator.bit_length() - x.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(x / Fraction(4) ** shift), shift)


def tail(statistic: float, degrees: float, alternative: str) -> float:
    """Return a p value as scipy's distributions have it."""
    law = norm if math.isinf(degrees) else student(degrees)
    tails = {"less": law.cdf(statistic), "greater": law.sf(statistic), "two-sided": 2 * law.sf(abs(statistic))}
    return float(tails[alternative])
