"""Bands of curves of dependent or weighted subjects, of whom whole samples are drawn again.

The band has constant width: the quantile of the largest deviation of the replicates, times a factor of the draws (the
root of G/(G - 1) of G clusters, say) and the ratio of the quantiles of t and normal. If the draws say so, a band of
precision is wider where its standard deviation is above the median. Of the difference of two rankers both are drawn
together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Protocol

import numpy as np

from hitcurve._progress import tell
from hitcurve.counts import Array, Counts
from hitcurve.errors import ParameterError
from hitcurve.inference.bands.band import Band, SampledCurve, check_range, reached
from hitcurve.inference.bands.limits import Limits
from hitcurve.inference.bands.methods import Found, Task, curves_of
from hitcurve.inference.bands.options import BandOptions
from hitcurve.inference.design import resolve
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import seed_of, seeded
from hitcurve.table import HitTable

METHOD = "bootstrap"
_REPLICATES = 2000
_POINTS = 30


class Draws(Protocol):
    """Samples like the one that was seen."""

    of: ClassVar[str]
    """Of what subjects the band is."""
    unit: ClassVar[str]
    """What is drawn."""
    varies: ClassVar[bool]
    """Whether a band of precision is wider where precision varies more."""

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the variance."""

    @property
    def inflation(self) -> float:
        """By what deviations of the samples are too small."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to know of the draws."""

    def counts(self, count: int, rng: Any, prevalence: float | None) -> Iterator[list[Counts]]:
        """Yield the counts of all rankers in samples, some samples at a time."""


def _as_one(c: Counts) -> Counts:
    """Return one list as the only one of several."""
    return Counts(np.asarray(c.pos, float)[None], np.asarray(c.neg, float)[None], c.prevalence, c.weighted)


def _half(values: Array, centre: Array, level: float, draws: Draws, scale: Array | float = 1.0) -> Array:
    """Return the half width of a band from the curves of the replicates: constant, or as a scale over x has it."""
    deviations = np.max(np.abs(values - centre) / scale, axis=1)
    wider = float(t_quantile((1 + level) / 2, draws.degrees) / t_quantile((1 + level) / 2, math.inf))
    return np.asarray(float(np.quantile(deviations, level)) * wider * draws.inflation * scale)


def _scale(values: Array) -> Array:
    """Return the standard deviation over x, and its median where it is smaller."""
    deviation = np.std(values, axis=0)
    typical = float(np.median(deviation))
    return np.maximum(deviation, typical) if typical > 0 else np.ones(deviation.size)


def _drawn(draws: Draws, count: int, rng: Any, prevalence: float | None) -> Iterator[list[Counts]]:
    done = 0
    for some in draws.counts(count, rng, prevalence):
        yield some
        done += len(some[0].pos)
        tell("replicates", done, count)


def recipe(draws: Draws) -> Callable[[Task], Found]:
    """Return the recipe of a band from samples of one ranker."""

    def limits_of(task: Task) -> Found:
        if not task.options.simultaneous:
            raise ParameterError(
                f"a band of {draws.of} is simultaneous: for single points take intervals of metrics such as "
                f"tpr@fpr=5%, which support {draws.of}"
            )
        x = task.recalls() if task.of_precision else task.grid()
        of = curves_of(task, x)
        c = task.table.counts
        centre = of(_as_one(c))[0]
        known = None if task.sampled else float(c.pi)
        count = task.options.replicates(_REPLICATES, x.size)
        values = np.concatenate([of(drawn) for (drawn,) in _drawn(draws, count, task.rng, known)])
        scale = _scale(values) if draws.varies and task.of_precision else 1.0
        half = _half(values, centre, task.level, draws, scale)
        limits = Limits(x, centre, np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1))
        # the prevalence is drawn with the subjects
        fixed = replace(task, sampled=False)
        return Found(limits if task.of_precision else fixed.shown(limits), None, draws.cautions)

    return limits_of


def difference(
    draws: Draws, tables: tuple[HitTable, HitTable], names: tuple[str, str], curve: str, options: BandOptions
) -> Band:
    """Return the band of a difference of two curves from samples of both rankers."""
    options.check_difference()
    level, design = options.confidence_level, resolve(options.design, tables[0].assumed_prevalence)
    c = tables[0].counts
    if curve not in ("accumulation", "roc"):
        raise ParameterError(f"curve must be one of 'accumulation', 'roc', got {curve!r}")
    low, high = reached(
        check_range(options.x_range or (0.01, 0.5)), 1 / float(c.n if curve == "accumulation" else c.n0), 1.0
    )
    x = np.geomspace(low, high, _POINTS)
    rng, seed = seeded(options.rng, lambda: seed_of(*(table.collapse() for table in tables)))

    def heights(counts: Counts) -> Array:
        axis = counts.Q if curve == "roc" else counts.r
        return np.stack(
            [np.interp(x, np.append(0.0, a), np.append(0.0, p)) for a, p in zip(axis, counts.P, strict=True)]
        )

    whole = [heights(_as_one(table.counts)) for table in tables]
    centre = (whole[0] - whole[1])[0]
    known = tables[0].assumed_prevalence if design == "cohort" else float(c.pi)
    values = np.concatenate(
        [heights(first) - heights(second) for first, second in _drawn(draws, _REPLICATES, rng, known)]
    )
    half = _half(values, centre, level, draws)
    ends = (np.maximum(centre - half, -1.0), np.minimum(centre + half, 1.0))
    return Band(
        f"{curve} difference",
        SampledCurve(x, centre),
        SampledCurve(x, ends[0]),
        SampledCurve(x, ends[1]),
        "simultaneous",
        METHOD,
        level,
        design,
        float(c.n1),
        float(c.n0),
        cautions=draws.cautions,
        seed=seed,
        rankers=names,
    )
