"""Small data with many ties, and the settings of all property tests."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from hitcurve import Counts, HitTable

Labels = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
# of a list of metrics, from this place on: few examples that drew it would leave some out
each_fourth = pytest.mark.parametrize("start", range(4))


def law(examples: int) -> settings:
    """Return settings that draw the same examples on every machine."""
    return settings(max_examples=examples, deadline=None, derandomize=True, database=None)


class Ranking(NamedTuple):
    """Labels and scores of some subjects."""

    y: Labels
    s: Ints

    @property
    def table(self) -> HitTable:
        """The full table."""
        return HitTable.from_scores(self.y, self.s)

    def at(self, places: npt.ArrayLike) -> Ranking:
        """Return the subjects at some places, in that order."""
        where = np.asarray(places, np.intp)
        return Ranking(self.y[where], self.s[where])


@st.composite
def rankings(
    draw: Callable[[st.SearchStrategy[Any]], Any], *, least: int = 6, most: int = 14, levels: int = 5
) -> Ranking:
    """Subjects of both classes whose scores are a few whole numbers: heavily tied."""
    n = draw(st.integers(least, most))
    n1 = draw(st.integers(1, n - 1))
    y = np.array(draw(st.permutations([True] * n1 + [False] * (n - n1))))
    s = np.array(draw(st.lists(st.integers(0, levels - 1), min_size=n, max_size=n)), np.int64)
    return Ranking(y, s)


@st.composite
def count_tables(draw: Callable[[st.SearchStrategy[Any]], Any], *, rows: int = 5) -> HitTable:
    """Rows of counts, some of one class and some of nobody, at least 6 subjects of both classes."""
    few = st.lists(st.integers(0, 4), min_size=rows, max_size=rows)
    pos, neg = np.array(draw(few)), np.array(draw(few))
    pos[draw(st.integers(0, rows - 1))] += 3
    neg[draw(st.integers(0, rows - 1))] += 3
    return HitTable.from_counts(pos, neg)


def strict_orders(n1: int, n0: int) -> Labels:
    """Return all orders of two classes, one in each row, the top of the list first."""
    n = n1 + n0
    orders = np.zeros((sum(1 for _ in itertools.combinations(range(n), n1)), n), bool)
    for row, places in zip(orders, itertools.combinations(range(n), n1), strict=True):
        row[list(places)] = True
    return orders


def orders_within(pos: npt.ArrayLike, neg: npt.ArrayLike) -> Labels:
    """Return all orders of a table's subjects that break its ties and nothing else."""
    groups = [strict_orders(int(z), int(y)) for z, y in zip(np.asarray(pos), np.asarray(neg), strict=True)]
    return np.array([np.concatenate(parts) for parts in itertools.product(*groups)])


def strict(orders: Labels) -> Counts:
    """Return strict orders as counts, each order a replicate."""
    return Counts(orders.astype(np.int64), (~orders).astype(np.int64))
