"""The band of the difference of two rankers' curves: where on the list they differ.

Square-and-add of the two single-curve limits (Newcombe 1998, method 10, with its correction of the correlation).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array, before
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.inference.bands.band import Band, SampledCurve, check_range, reached
from hitcurve.inference.bands.limits import Process, accumulation_process, roc_process
from hitcurve.inference.bands.options import BandOptions
from hitcurve.inference.cutting.step import variance_at_fpr, variance_at_rate
from hitcurve.inference.design import resolve
from hitcurve.inference.intervals.shares import jeffreys
from hitcurve.inference.resampling.permute import Subjects
from hitcurve.inference.resampling.resample import normal_draws, seed_of, seeded
from hitcurve.label_errors import refuse_corrected
from hitcurve.table import HitTable

_POINTS = 30
_DRAWS = 5000
_CHUNK = 1 << 14


class _Above(NamedTuple):
    """The share of each row that is above each cut, and the row of each subject of a class."""

    share: AnyArray
    row: AnyArray

    def of(self, part: slice) -> Array:
        """Return the shares above of some subjects, cuts first."""
        return np.asarray(self.share[:, self.row[part]], float)


class _Side(NamedTuple):
    process: Process
    variance: Array
    pos: _Above
    neg: _Above


def difference_of(
    tables: tuple[HitTable, HitTable],
    subjects: Subjects,
    names: tuple[str, str],
    curve: str,
    options: BandOptions,
) -> Band:
    """Return the band of first minus second; see :func:`hitcurve.difference_band`."""
    _checks.choice("curve", curve, ("accumulation", "roc"))
    options.check_difference()
    refuse_corrected(tables[0].label_errors, "a band")
    level, design = options.confidence_level, resolve(options.design, tables[0].assumed_prevalence)
    c = tables[0].counts
    n1, n0, n, pi = float(c.n1), float(c.n0), float(c.n), float(c.pi)
    if n1 < 10:
        raise InsufficientDataError(f"{rows.too_few(n1, 'positive', 6)} for a band (at least 10): compare one metric")
    if n0 < 5:
        raise InsufficientDataError(f"{rows.too_few(n0, 'negative', 6)} for a band (at least 5)")
    if all(np.count_nonzero(np.asarray(table.pos) + np.asarray(table.neg)) < 2 for table in tables):
        raise UndefinedMetricError("all scores of both rankers are tied: both curves are the diagonal")
    low, high = reached(check_range(options.x_range or (0.01, 0.5)), 1 / n if curve == "accumulation" else 1 / n0, 1.0)
    x = np.geomspace(low, high, _POINTS)
    if curve == "accumulation":
        x = np.unique(np.maximum(np.round(x * n), 1)) / n  # whole ranks
    sampled = design == "cohort"
    sides = [_side(table, subjects, name, x, curve, sampled=sampled) for table, name in zip(tables, names, strict=True)]
    a, b = sides
    both_pos = _share_of_both(a.pos, b.pos)
    both_neg = _share_of_both(a.neg, b.neg)
    A, B = a.process, b.process
    Q_a, Q_b = (A.Q_, B.Q_) if curve == "accumulation" else (x, x)
    of_pos = (both_pos - A.T * B.T - 1 / (2 * n1)) / n1
    of_neg = (both_neg - Q_a * Q_b) / n0
    if curve == "accumulation":
        covariance = (1 - A.slope) * (1 - B.slope) * of_pos
        covariance = covariance + A.slope * B.slope * ((1 - pi) / pi) ** 2 * of_neg
        if sampled:
            covariance = covariance + A.slope * B.slope * (A.T - Q_a) * (B.T - Q_b) * (1 - pi) / (pi * n)
    else:
        covariance = of_pos + A.slope * B.slope * of_neg
    # the correction may turn a correlation negative: then there is none
    r = np.clip(np.maximum(covariance, 0.0) / np.sqrt(a.variance * b.variance), 0.0, 1.0)
    covariance = r * np.sqrt(a.variance * b.variance)
    variance = np.maximum(a.variance + b.variance - 2 * covariance, 1e-300)
    rng, seed = seeded(options.rng, lambda: seed_of(*(table.collapse() for table in tables)))
    q = _sup_quantile(_influences(a, b, curve, pi, n1, n0), variance, level, rng)
    D, low_y, high_y = _square_and_add(A, B, a.variance, b.variance, r, q)
    return Band(
        f"{curve} difference",
        SampledCurve(x, D),
        SampledCurve(x, low_y),
        SampledCurve(x, high_y),
        "simultaneous",
        "square-and-add",
        level,
        design,
        n1,
        n0,
        seed=seed,
        rankers=names,
    )


def _side(table: HitTable, subjects: Subjects, name: str, x: Array, curve: str, *, sampled: bool) -> _Side:
    process = roc_process(table, x) if curve == "roc" else accumulation_process(table, x, sampled=sampled)
    raw = _raw_variance(process)
    c = table.counts
    axis = c.Q if curve == "roc" else c.r
    grid = Grid(np.asarray(table.grid)[::-1])
    row = grid.rows_of(subjects.scores[name])
    start = before(axis)
    width = axis - start
    # share of each row above each cut
    share = np.where(
        width > 0, (x[:, None] - start) / np.where(width > 0, width, 1.0), (axis <= x[:, None]).astype(float)
    )
    share = np.clip(share, 0.0, 1.0).astype(np.float32)
    positive = subjects.positive
    variance = np.maximum(process.variance, raw)
    return _Side(process, variance, _Above(share, row[positive]), _Above(share, row[~positive]))


def _raw_variance(p: Process) -> Array:
    """Return the variance without the half subjects."""
    if p.along == "fpr":
        return np.asarray(variance_at_fpr(p.T, p.x, p.slope, p.n1, p.n0))
    Q = np.clip((p.x - p.pi * p.T) / (1 - p.pi), 0.0, 1.0)
    of_prevalence = p.pi * (1 - p.pi) / (p.n1 + p.n0) if p.sampled else 0.0
    return np.asarray(variance_at_rate(p.T, Q, p.slope, p.pi, p.n1, p.n0, of_prevalence))


def _share_of_both(first: _Above, second: _Above) -> Array:
    """Return the share of subjects above both cuts, at each x."""
    total = np.zeros(first.share.shape[0])
    for start in range(0, first.row.size, _CHUNK):
        part = slice(start, start + _CHUNK)
        total += np.einsum("gi,gi->g", first.of(part), second.of(part))
    return np.asarray(total / max(first.row.size, 1))


def _influences(a: _Side, b: _Side, curve: str, pi: float, n1: float, n0: float) -> Array:
    """Return the covariance over x of the influence values of the difference."""
    n = n1 + n0
    size = a.process.x.size
    total = np.zeros((size, size))
    for positive in (True, False):
        first, second = (a.pos, b.pos) if positive else (a.neg, b.neg)
        weights = []
        for side in (a, b):
            rho = side.process.slope
            if curve == "roc":
                weights.append((np.ones(size) / n1) if positive else (-rho / n0))
            else:
                weights.append((1 - rho) / n1 if positive else -(rho / pi) * (1 - pi) / n0)
        shift = np.zeros(size)
        if curve == "accumulation" and a.process.sampled:
            for side, sign in ((a, 1), (b, -1)):
                slope = -(side.process.slope / pi) * (side.process.T - side.process.Q_)
                shift += sign * slope * ((1 - pi) / n if positive else -pi / n)
        sums, squares, count = np.zeros(size), np.zeros((size, size)), first.row.size
        for start in range(0, count, _CHUNK):
            part = slice(start, start + _CHUNK)
            d = weights[0][:, None] * first.of(part) - weights[1][:, None] * second.of(part)
            sums += d.sum(axis=1)
            squares += np.einsum("gi,hi->gh", d, d)
        mean = sums / max(count, 1)
        total += squares - count * np.outer(mean, mean) + count * np.outer(shift, shift)
    return total


def _sup_quantile(covariance: Array, variance: Array, level: float, rng: Any) -> float:
    together = covariance + np.diag(np.maximum(variance - np.diag(covariance), 0.0))
    draws = normal_draws(together, _DRAWS, rng)
    return float(np.quantile(np.max(np.abs(draws) / np.sqrt(np.maximum(variance, np.diag(together))), axis=1), level))


def _square_and_add(
    A: Process, B: Process, variance_a: Array, variance_b: Array, r: Array, q: float
) -> tuple[Array, Array, Array]:
    from scipy.special import ndtr

    eta = 2 * float(ndtr(-q))

    def limits(p: Process, variance: Array) -> tuple[Array, Array]:
        n_e = p.T_ * (1 - p.T_) / variance
        low, high = jeffreys(n_e * p.T, n_e, eta / 2)
        return np.minimum(low, p.T), np.maximum(high, p.T)

    (l_a, u_a), (l_b, u_b) = limits(A, variance_a), limits(B, variance_b)
    D = A.T - B.T

    def joined(x: Array, y: Array) -> Array:
        return np.sqrt(np.maximum(x * x - 2 * r * x * y + y * y, 0.0))

    low = D - joined(A.T - l_a, u_b - B.T)
    high = D + joined(u_a - A.T, B.T - l_b)
    return D, np.maximum(low, -1.0), np.minimum(high, 1.0)
