"""Default grids of sensitivities, and checks of a given grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.cut import whole
from hitcurve.errors import ParameterError
from hitcurve.inference.design import effective
from hitcurve.table import HitTable

ALONG = ("alpha", "prevalence", "budget", "rate")


def default_grid(along: str, tables: Mapping[str, HitTable], *, part: int = 1) -> tuple[Any, ...]:
    """Return the grid that is taken unless one is given, or one of a part of its points (2 is half)."""
    makers: dict[str, Callable[[Mapping[str, HitTable], int], tuple[Any, ...]]] = {
        "alpha": _alphas,
        "prevalence": _prevalences,
        "budget": _budgets,
        "rate": _rates,
    }
    return makers[along](tables, part)


def _alphas(tables: Mapping[str, HitTable], part: int) -> tuple[float, ...]:
    # 7, 20 and 80 are what the literature prints
    return _with_landmarks(np.geomspace(1, 200, 60 // part), (1.0, 7.0, 20.0, 80.0, 200.0))


def _prevalences(tables: Mapping[str, HitTable], part: int) -> tuple[float, ...]:
    here = [table.prevalence for table in tables.values()]
    low, high = min(1e-4, min(here) / 3), max(0.9, 1 - (1 - max(here)) / 3)
    logits = np.linspace(math.log(low / (1 - low)), math.log(high / (1 - high)), 60 // part)
    landmarks = tuple(dict.fromkeys([*here[:1], 0.001, 0.01, 0.1, 0.5]))
    return _with_landmarks(1 / (1 + np.exp(-logits)), landmarks)


def _budgets(tables: Mapping[str, HitTable], part: int) -> tuple[float, ...]:
    if any(table.weighted for table in tables.values()):
        return _weighted_budgets(tables, part)
    most = int(min(table.n for table in tables.values()))
    first = next(iter(tables.values()))
    even = np.rint(np.geomspace(1, most, 200 // part))
    tens = [digit * 10**power for power in range(len(str(most))) for digit in (1, 2, 5)]
    shares = whole(np.array([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]) * float(first.n), "ceil")
    chosen = {int(k) for k in (*even, *tens, *shares, round(first.n_pos), most)}
    return tuple(sorted(k for k in chosen if 1 <= k <= most))


def _weighted_budgets(tables: Mapping[str, HitTable], part: int) -> tuple[float, ...]:
    """Return sums of weights in their unit, from the weight of one subject to all."""
    totals = [float(table.n) for table in tables.values()]
    most = min(totals)
    one = min(most / sum(map(float, effective(table.sums))) for table in tables.values())
    shares = np.array([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1])
    even = _rounded(np.geomspace(one, most, 200 // part), 3)
    chosen = {k for k in (*even, *(shares * totals[0]).tolist()) if even[0] <= k < most}
    return (*sorted(chosen), most)


def _rates(tables: Mapping[str, HitTable], part: int) -> tuple[tuple[float, float], ...]:
    most = min(float(table.n) for table in tables.values())
    # their number is squared
    ends = _rounded(np.geomspace(min(max(0.001, 1 / most), 0.2), 0.95, round(25 / math.sqrt(part))), 3)
    return tuple((low, high) for low in ends for high in ends if low < high)


def _with_landmarks(values: Array, landmarks: Sequence[float]) -> tuple[float, ...]:
    """Return rounded values, with each landmark in the place of the nearest one of them."""
    grid = list(_rounded(values, 3))
    taken: set[int] = set()
    for landmark in landmarks:
        place = min((i for i in range(len(grid)) if i not in taken), key=lambda i: abs(math.log(grid[i] / landmark)))
        grid[place] = landmark
        taken.add(place)
    return tuple(sorted(set(grid)))


def _rounded(values: Array, digits: int) -> tuple[float, ...]:
    return tuple(dict.fromkeys(float(f"{value:.{digits}g}") for value in values.tolist()))


def checked_grid(along: str, grid: Any, *, weighted: bool) -> tuple[Any, ...]:
    """Return a grid that was given, each point checked; budgets of weights need not be whole.

    Raises
    ------
    ParameterError
        If it is empty, or a point lies outside its range.
    """
    try:
        points = list(grid)
    except TypeError:
        raise ParameterError(f"the grid must be a sequence, got {grid!r}") from None
    if not points:
        raise ParameterError("the grid is empty: give at least one point")
    if along == "alpha":
        return tuple(_checks.positive_number("alpha", point) for point in points)
    if along == "prevalence":
        return tuple(_checks.prevalence(point) for point in points)
    if along == "budget" and weighted:
        return tuple(_checks.positive_number("a budget", point) for point in points)
    if along == "budget":
        return tuple(_checks.whole_number("a budget", point) for point in points)
    return tuple(_pair(point) for point in points)


def _pair(point: Any) -> tuple[float, float]:
    try:
        low, high = point
    except (TypeError, ValueError):
        raise ParameterError(f"a rate is a pair, from the slow to the fast end, got {point!r}") from None
    low, high = _checks.interval("rates", low, high)
    return _checks.open_unit("the lower rate", low), _checks.open_unit("the upper rate", high)
