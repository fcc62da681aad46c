"""How the precision along a row follows the ends of the row, and the prevalence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array, Counts, before
from hitcurve.magnify.series import split

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2
_SHORT = 0.5  # rows that add so much to what is above them have all digits by eight points


class Slopes(NamedTuple):
    """Integrals along a part of each row of derivatives of precision.

    Attributes
    ----------
    up, dn : array (..., K)
        Of minus that by the FPR, times the share of the row above the point, and below it.
    pi : array (..., K)
        Of that by the prevalence, over TPR.
    """

    up: Array
    dn: Array
    pi: Array


def slopes_of_precision(c: Counts, start: Array, end: Array) -> Slopes:
    """Integrate from one share of each row to another."""
    pi, width = c.pi[..., None], end - start
    P, Q, p, q = before(c.P) + start * c.p, before(c.Q) + start * c.q, width * c.p, width * c.q
    called, more = pi * P + (1 - pi) * Q, pi * p + (1 - pi) * q
    above = called > 0
    # of v^k / (called + v more)^2; below no subject only the last is finite, and the others have no weight
    t = np.divide(more, called, out=np.zeros(more.shape), where=above)
    moments = (1 / (1 + t), split(t < _SHORT, lambda t: _by_points(1, t), _first, t))
    zeroth, first = (np.divide(x, called**2, out=np.zeros(t.shape), where=above) for x in moments)
    second = split(t < _SHORT, lambda t: _by_points(2, t), _second, t)
    second = np.divide(second, called**2, out=np.zeros(t.shape), where=above)
    np.divide(1, more**2, out=second, where=~above & (more > 0))
    whole = pi * (1 - pi) * (P * zeroth + p * first)
    last = pi * (1 - pi) * (P * first + p * second)
    # the top of the list does not move
    rest = np.where(above, (1 - start) * whole - width * last, 0.0)
    by_pi = p * (P * Q * zeroth + (P * q + p * Q) * first + p * q * second)
    return Slopes(width * (start * whole + width * last), width * rest, by_pi)


def _by_points(power: int, t: Array) -> Array:
    """Return the integral of v^power / (1 + t v)^2 over v in [0, 1]."""
    return np.asarray((_WEIGHTS * _NODES**power / (1 + t[..., None] * _NODES) ** 2).sum(axis=-1))


def _first(t: Array) -> Array:
    return np.asarray((np.log1p(t) - t / (1 + t)) / t / t)


def _second(t: Array) -> Array:
    return np.asarray((1 + 1 / (1 + t) - 2 * np.log1p(t) / t) / t / t)
