"""Averages of a function over many intervals at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
Function: TypeAlias = Callable[[Array], Array]

_DEEPEST = 60  # bisections of one interval before its estimate is taken as it is
_AT_ONCE = 1 << 12  # values of a function asked for together: of few intervals calls take longer than the values


def columns(x0: npt.ArrayLike, x1: npt.ArrayLike) -> Sequence[Array]:
    """Return starts and ends of intervals as arrays of one shape."""
    x0, x1 = np.asarray(x0, float), np.asarray(x1, float)
    return (x0, x1) if x0.shape == x1.shape else np.broadcast_arrays(x0, x1)


@lru_cache
def gauss_nodes(points: int) -> tuple[Array, Array]:
    """Return the Gauss-Legendre nodes and weights on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(points)
    return (nodes + 1) / 2, weights / 2


@lru_cache
def gauss_slopes(points: int) -> tuple[Array, Array, Array]:
    """Return the nodes on [0, 1], and the weights of a slope there that follows the end, and the start along it."""
    nodes, weights = gauss_nodes(points)
    return nodes[:, None], (weights * nodes)[:, None], (weights * (1 - nodes))[:, None]


def gauss_mean(function: Function, x0: Array, width: Array, points: int = 8) -> Array:
    """Return the Gauss-Legendre mean of ``function`` over each ``[x0, x0 + width]``."""
    nodes, weights = gauss_nodes(points)
    total = np.zeros(np.shape(x0))
    for node, weight in zip(nodes, weights, strict=True):
        total += weight * function(x0 + node * width)
    return total


def _fine_and_coarse(
    function: Callable[[npt.NDArray[np.intp], Array], Array], owner: npt.NDArray[np.intp], left: Array, width: float
) -> tuple[Array, Array]:
    """Return the 12- and 8-point means over each ``[left, left + width]``, by one call where they are few."""
    if 20 * owner.size > _AT_ONCE:
        fine, coarse = (gauss_mean(partial(function, owner), left, np.asarray(width), m) for m in (12, 8))
        return fine, coarse
    nodes, weights = _nodes_of_both()
    asked = left + nodes * width
    values = weights * np.reshape(function(np.tile(owner, 20), asked.ravel()), asked.shape)
    # running sums: added in the order of the nodes, for the same last digit as of many intervals
    return np.add.accumulate(values[:12])[-1], np.add.accumulate(values[12:])[-1]


@lru_cache
def _nodes_of_both() -> tuple[Array, Array]:
    """Return the 12 and the 8 nodes in a column, and their weights."""
    nodes, weights = (np.concatenate(both)[:, None] for both in zip(gauss_nodes(12), gauss_nodes(8), strict=True))
    return nodes, weights


def unit_means(function: Callable[[npt.NDArray[np.intp], Array], Array], count: int) -> Array:
    """Return, for each i < count, the mean of ``function(i, u)`` over u in [0, 1].

    Adaptive: a piece whose 8- and 12-point Gauss-Legendre means differ is halved, so end-point singularities
    and kinks are resolved where they are.
    """
    result = np.zeros(count)
    owner, left = np.arange(count), np.zeros(count)
    width = 1.0
    for depth in range(_DEEPEST):
        fine, coarse = _fine_and_coarse(function, owner, left, width)
        size = np.maximum(np.abs(result[owner]), np.abs(fine) * width)
        error = np.abs(np.subtract(fine, coarse, out=np.zeros(fine.shape), where=np.isfinite(fine))) * width
        done = (error <= 1e-15 * size) | (error < 1e-17) | (depth == _DEEPEST - 1)
        np.add.at(result, owner[done], fine[done] * width)
        if done.all():
            break
        width /= 2
        owner, left = np.tile(owner[~done], 2), np.concatenate([left[~done], left[~done] + width])
    return result


def mean_by_quadrature(function: Function, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
    """Return the mean of ``function`` over each ``[x0, x1]``; its value where the ends coincide."""
    x0, x1 = columns(x0, x1)
    start, width = x0.ravel(), (x1 - x0).ravel()
    means = unit_means(lambda owner, u: function(start[owner] + u * width[owner]), start.size)
    return means.reshape(x0.shape)
