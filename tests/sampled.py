"""Samples for the tests of inference, and slow definitions that share no code with the package."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from hitcurve import Counts, Evaluation, HitTable, Metric, evaluate
from hitcurve.errors import HitcurveWarning
from hitcurve.sources import Block, Reading
from hitcurve.sums import Lists, Sums
from tests.data import NO_DATA, read_reference, reference_folder
from tests.strategies import Floats, Labels

Scores = Mapping[str, npt.NDArray[Any]]


class Sample(NamedTuple):
    """Labels, and the scores of rankers of the same subjects."""

    y: Labels
    scores: dict[str, npt.NDArray[Any]]

    @property
    def a(self) -> npt.NDArray[Any]:
        return self.scores["a"]

    @property
    def b(self) -> npt.NDArray[Any]:
        return self.scores["b"]

    def table(self, name: str = "a") -> HitTable:
        """Return the full table of a ranker."""
        return HitTable.from_scores(self.y, self.scores[name])

    def at(self, places: npt.ArrayLike) -> Sample:
        """Return the subjects at some places, in that order."""
        where = np.asarray(places)
        return Sample(self.y[where], {name: s[where] for name, s in self.scores.items()})


def binormal(
    n1: int, n0: int, *shifts: float, seed: int = 0, correlation: float = 0.5, levels: int | None = None
) -> Sample:
    """Draw rankers a, b, ... of the same subjects, one for each shift of the positives; few levels are many ties."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n1 + n0) < n1)
    common = rng.normal(size=n1 + n0)
    scores = {}
    for name, shift in zip("abcdefgh", shifts or (1.5,), strict=False):
        own = rng.normal(size=n1 + n0)
        s = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own + shift * y
        scores[name] = s if levels is None else np.clip(np.floor((s + 3) / 7 * levels), 0, levels - 1)
    return Sample(y, scores)


def recipe(name: str) -> Sample:
    """Return an input of roc-pr.json, made by its recipe."""
    if not reference_folder().is_dir():
        pytest.skip(NO_DATA)
    names: dict[str, Any] = {"np": np}
    exec(read_reference("roc-pr.json")["inputs"][name]["recipe"], names)
    scores = {own: np.asarray(names[theirs]) for own, theirs in (("a", "s"), ("b", "s2")) if theirs in names}
    return Sample(np.asarray(names["y"]) == 1, scores)


def quietly(*args: Any, **more: Any) -> Evaluation:
    """Evaluate where warnings are not what is tested."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        found: Evaluation = evaluate(*args, **more)
        return found


class InParts:
    """A source that delivers its subjects a few at a time, weights and clusters with them."""

    notes = ()

    def __init__(
        self, sample: Sample, size: int, *, weight: Any = None, cluster: Any = None, missing: str = "raise"
    ) -> None:
        self.rankers = tuple(sample.scores)
        self.reading = Reading(missing=missing)
        self._sample, self._size, self._weight, self._cluster = sample, size, weight, cluster

    def reduce(self, map: Callable[[Block], Any], combine: Callable[[Any, Any], Any]) -> Any:
        parts = []
        for start in range(0, self._sample.y.size, self._size):
            cut = slice(start, start + self._size)
            weight, cluster = (None if x is None else x[cut] for x in (self._weight, self._cluster))
            scores = {name: values[cut] for name, values in self._sample.scores.items()}
            parts.append(map(self.reading.block(self._sample.y[cut], scores, weight, cluster=cluster)))
        return functools.reduce(combine, parts)


def delong(y: Labels, *scores: npt.NDArray[Any]) -> tuple[Floats, Floats]:
    """Return AUCs and their covariance matrix from all pairs of a positive and a negative."""
    pos, neg = [], []
    for s in scores:
        wins = (s[y][:, None] > s[~y]) + (s[y][:, None] == s[~y]) / 2
        pos.append(wins.mean(axis=1))
        neg.append(wins.mean(axis=0))
    covariance = np.cov(np.array(pos)) / y.sum() + np.cov(np.array(neg)) / (~y).sum()
    return np.array([v.mean() for v in pos]), np.atleast_2d(covariance)


def shifted_weight(m: Metric, c: Counts, design: str, step: float = 3e-7) -> list[tuple[Floats, Floats]]:
    """Return the influence of a positive and of a negative of each row, by giving one subject a little more weight.

    The others lose it, so that what is fixed by the design stays as it is: n of a cohort, both classes else. Of
    either class the slope upwards and the slope downwards, which differ where the metric has a kink.
    """
    columns = [np.asarray(c.pos, float), np.asarray(c.neg, float)]
    apart = design == "case-control" or c.prevalence is not None

    def value(side: int, row: int, more: float) -> float:
        moved = [column.copy() for column in columns]
        for k in [side] if apart else [0, 1]:
            moved[k] *= 1 - more
        moved[side][row] += more * sum(columns[k].sum() for k in ([side] if apart else [0, 1]))
        return float(m.kernel(Counts(moved[0], moved[1], c.prevalence, c.weighted)))

    out, here = [], float(m.kernel(c))
    for side, column in enumerate(columns):
        size = column.sum() if apart else columns[0].sum() + columns[1].sum()
        slopes = np.zeros((2, column.size))
        for row in np.flatnonzero(column):
            slopes[:, row] = [(value(side, int(row), sign * step) - here) / (sign * step * size) for sign in (1, -1)]
        out.append((slopes[0], slopes[1]))
    return out


def censored_sample(seed: int = 5, n: int = 200) -> tuple[np.ndarray[Any, Any], ...]:
    """Return scores, times and events: of seed 5 and 200 subjects those of the reference file."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=n)
    onset = rng.exponential(size=n) * np.exp(-0.8 * s) * 10
    lost = rng.exponential(size=n) * 15
    return s, np.round(np.minimum(onset, lost), 2) + 0.01, (onset <= lost).astype(int)


def side_by_side(tables: list[HitTable]) -> Lists:
    """Return tables as the lists of a stack, short ones filled with empty rows."""
    most = max(table.pos.size for table in tables)
    pos, neg = (
        np.stack([np.pad(side, (0, most - side.size)) for side in sides])
        for sides in ([t.pos for t in tables], [t.neg for t in tables])
    )
    return Lists(Sums(pos, neg))
