"""Algorithm 1 of Millard, Flach and Higgins 2014, as printed and with each of its misprints corrected.

It goes through the list slice by slice, which takes O(n) steps; :class:`hitcurve.metrics.RateWeightedAUC` is the
closed form that it is held against.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import hitcurve as hc

# what is printed, and what is right
MISPRINTS = {
    "negatives": ("2 pi1 f0 + pi1 - r - |r - pi1|", "2 pi0 f0 + pi1 - r - |r - pi1|"),
    "positives": ("2 (r - pi1) f1 + pi1 - r - |r - pi1|", "r + pi1 - 2 pi1 f1 - |r - pi1|"),
    "triangle": ("(1 - (r - r2)) / (r3 - r2)", "1 - (r - r2) / (r3 - r2)"),
    "loops": ("i = start to end", "i = start to end - 1"),
}


@dataclass(frozen=True)
class _Masses:
    """Integrals of w(r) (c0 + c1 r + c2 |r - pi1|) under a beta density w."""

    density: hc.rates.Beta
    pi1: float

    def __call__(self, low: float, high: float, c0: float, c1: float, c2: float = 0.0) -> float:
        # pi1 is the end of a slice, so that r - pi1 has one sign in it
        sign = 1 if low >= self.pi1 - 1e-12 else -1
        a, b = self.density.a, self.density.b
        w, first = (hc.rates.Beta(shape, b).magnification() for shape in (a, a + 1))
        low, high = min(low, 1.0), min(high, 1.0)
        share, moment = (float(f(high) - f(low)) for f in (w, first))
        return (c0 - sign * c2 * self.pi1) * share + (c1 + sign * c2) * self.density.mean * moment


def algorithm_1(
    pos: Sequence[int], neg: Sequence[int], density: hc.rates.Beta, misprints: Collection[str] = ()
) -> float:
    """Return rAUC by the slices of rate-accuracy space.

    Parameters
    ----------
    pos, neg : sequence of int
        Positives and negatives of each distinct score, from the highest down.
    density : Beta
    misprints : collection of str
        Which misprints to follow, of :data:`MISPRINTS`.
    """
    n_pos, n_neg = sum(pos), sum(neg)
    n = n_pos + n_neg
    pi0, pi1 = n_pos / n, n_neg / n  # the paper's class 0 is the positive one
    mass = _Masses(density, pi1)
    area, tp, fp = 0.0, 0, 0
    for z, y in zip(pos, neg, strict=True):
        if y:
            f0 = tp / n_pos
            height = 2 * (pi1 if "negatives" in misprints else pi0) * f0
            for i in _slices(fp + tp, y, misprints):
                area += mass(i / n, (i + 1) / n, height + pi1, -1.0, -1.0)
        fp += y
        if z:
            f1 = fp / n_neg
            c0, c1 = (pi1 - 2 * pi1 * f1, 2 * f1 - 1) if "positives" in misprints else (pi1 - 2 * pi1 * f1, 1.0)
            for i in _slices(fp + tp, z, misprints):
                area += mass(i / n, (i + 1) / n, c0, c1, -1.0)
        tp += z
        if z and y:
            r3 = (tp + fp) / n
            r1, r2 = r3 - (z + y) / n, r3 - z / n
            height = 2 * z * y / (n * (z + y))
            area += height / (r2 - r1) * mass(r1, r2, -r1, 1.0)
            start = 1 + r2 if "triangle" in misprints else r3
            area += height / (r3 - r2) * mass(r2, r3, start, -1.0)
    return area / _whole(mass, pi0, pi1)


def _slices(start: int, count: int, misprints: Collection[str]) -> range:
    return range(start, start + count + ("loops" in misprints))


def _whole(mass: _Masses, pi0: float, pi1: float) -> float:
    """Return the mass between the best and the worst accuracy, 1 - |r - pi0| - |r - pi1|."""
    total = 0.0
    ends = sorted({0.0, pi0, pi1, 1.0})
    for low, high in pairwise(ends):
        below = (low + high) / 2 < pi0
        total += mass(low, high, 1 - pi0 if below else 1 + pi0, 1.0 if below else -1.0, -1.0)
    return total
