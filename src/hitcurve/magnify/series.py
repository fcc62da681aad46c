"""Elementary integrals that do not cancel where their argument is small."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hitcurve.magnify.quadrature import Array, Function


def split(small: npt.NDArray[np.bool_], near: Function, far: Function, x: Array) -> Array:
    """Evaluate ``near`` where ``small``, ``far`` elsewhere, each only there."""
    if small.all():
        return near(x)
    out = np.empty(np.shape(x))
    out[small] = near(x[small])
    out[~small] = far(x[~small])
    return out


def _series(coefficients: Sequence[float]) -> Function:
    """Return the power series as a function; terms below the last digit at the largest argument are left out."""

    def value(t: Array) -> Array:
        largest, needed = float(t.max(initial=0.0)), len(coefficients)
        while needed > 1 and abs(coefficients[needed - 1]) * largest ** (needed - 1) < 1e-18:
            needed -= 1
        total = np.empty(t.shape)
        total.fill(coefficients[needed - 1])
        for coefficient in coefficients[needed - 2 :: -1] if needed > 1 else []:
            total *= t
            total += coefficient
        return total

    return value


_EXP_DN = _series([(-1) ** n / math.factorial(n + 2) for n in range(20)])
_EXP_UP = _series([(-1) ** n * (n + 1) / math.factorial(n + 2) for n in range(20)])
_LARGEST = [(n + 1) / math.factorial(n + 2) for n in range(20)]  # coefficients of the first of both
_EXP_BOTH = [np.array([[(-1) ** n * x], [(-1) ** n / math.factorial(n + 2)]]) for n, x in enumerate(_LARGEST)]
_LOG_DN = _series([(-1) ** n / ((n + 1) * (n + 2)) for n in range(20)])
_LOG_UP = _series([(-1) ** n / (n + 2) for n in range(20)])


def exp_up(t: Array) -> Array:
    """Return the integral of u exp(-t u) over u in [0, 1]."""
    return split(t < 1, _EXP_UP, lambda t: (1 - np.exp(-t) * (1 + t)) / t / t, t)


def exp_dn(t: Array) -> Array:
    """Return the integral of (1 - u) exp(-t u) over u in [0, 1]."""
    return split(t < 1, _EXP_DN, lambda t: (t + np.expm1(-t)) / t / t, t)


def exp_up_dn(t: Array) -> tuple[Array, Array]:
    """Return both, of one list in half the steps."""
    if t.ndim != 1:
        return exp_up(t), exp_dn(t)
    largest = float(t.max(initial=0.0))
    if largest < 1:
        found = _both(t, largest)
        return found[0], found[1]
    small = t < 1
    found, far = np.empty((2, t.size)), t[~small]
    found[:, small] = _both(t[small], 1.0)
    found[:, ~small] = (1 - np.exp(-far) * (1 + far)) / far / far, (far + np.expm1(-far)) / far / far
    return found[0], found[1]


def _both(t: Array, largest: float) -> Array:
    """Return both series at places up to a largest one, at most 1, (2, N)."""
    needed = len(_EXP_BOTH)
    while needed > 1 and _LARGEST[needed - 1] * largest ** (needed - 1) < 1e-18:
        needed -= 1
    total = np.empty((2, t.size))
    total[:] = _EXP_BOTH[needed - 1]
    for both in _EXP_BOTH[needed - 2 :: -1] if needed > 1 else ():
        total *= t
        total += both
    return total


def log_up(t: Array) -> Array:
    """Return the integral of u / (1 + t u) over u in [0, 1]."""
    return split(t < 0.125, _LOG_UP, lambda t: (1 - np.log1p(t) / t) / t, t)


def log_dn(t: Array) -> Array:
    """Return the integral of (1 - u) / (1 + t u) over u in [0, 1]."""
    return split(t < 0.125, _LOG_DN, lambda t: ((1 + 1 / t) * np.log1p(t) - 1) / t, t)
