"""Which pairs of rankers are compared, and in which order."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations

from hitcurve._progress import counted
from hitcurve.inference.comparing.comparison import Comparison


def ordered(values: Mapping[str, float], *, lowest_first: bool = False) -> list[str]:
    """Return names by their values, the highest first (or the lowest), those without a value last."""
    sign = 1 if lowest_first else -1
    return sorted(values, key=lambda name: (math.isnan(values[name]), sign * values[name]))


def compared_pairs(
    values: Mapping[str, float],
    baseline: str | None,
    compare: Callable[[str, str], Comparison],
    *,
    turned: bool,
    lowest_first: bool = False,
) -> list[Comparison]:
    """Compare all pairs, or all with a baseline, best first.

    Parameters
    ----------
    values : mapping of str to float
        Of each ranker, in the order in which they were given.
    baseline : str or None
    compare : callable
        Takes the names of two rankers.
    turned : bool
        Whether the first of a pair is the better one: not of tests with a side.
    lowest_first : bool
        Whether lower values are better.
    """
    best_first = ordered(values, lowest_first=lowest_first)
    if baseline is not None:
        others = [name for name in best_first if name != baseline]
        return [compare(name, baseline) for name in counted(others, "comparisons")]
    if not turned:
        return [compare(a, b) for a, b in counted(list(combinations(values, 2)), "comparisons")]
    found = [compare(a, b) for a, b in counted(list(combinations(best_first, 2)), "comparisons")]
    # means over the groups that both rankers have may be in another order
    sign = -1 if lowest_first else 1
    return [compare(test.second, test.first) if sign * test.difference.value < 0 else test for test in found]
