"""Values of all rankers in all groups: two-way residuals, and the range test of all pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.inference import Comparison
from hitcurve.inference.pvalues import HAIR
from hitcurve.inference.resampling.resample import generator, seed_of_values, seeded
from hitcurve.inference.rounding import scale_of

DRAWS = 9999
_WIDE = 2  # times the deviation of the median ranker, from which the range test is not to be trusted
_NUMBERS = 2_000_000  # drawn at once


def residual_deviation(values: Array) -> float:
    """Return the standard deviation of values beside the effects of rankers and groups (two-way analysis of variance).

    Parameters
    ----------
    values : array (m, G)
        Of each ranker in each group.
    """
    rankers, groups = values.shape
    rest = _residuals(values)
    if float(np.max(np.abs(rest))) <= HAIR * scale_of(values):
        return 0.0
    return math.sqrt(float(np.sum(rest**2)) / ((rankers - 1) * (groups - 1)))


def _residuals(values: Array) -> Array:
    return np.asarray(values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean())


def own_deviations(values: Array) -> Array:
    """Return the standard deviation of each of three or more rankers beside the effect they share (Grubbs 1948).

    Residuals of a ranker hold a part of all others, which is taken out: ``s_i^2 = m/(m - 2) (r_i^2 - S/m^2)``, r_i^2
    their variance and ``S = m/(m - 1) sum r_i^2`` the sum of all s_i^2. An estimate below 0 is 0.

    Parameters
    ----------
    values : array (m, G)
        Of each ranker in each group.
    """
    rankers, groups = values.shape
    rest = _residuals(values)
    if groups < 2 or float(np.max(np.abs(rest))) <= HAIR * scale_of(values):
        return np.zeros(rankers)
    variance = np.sum(rest**2, axis=1) / (groups - 1)
    total = rankers / (rankers - 1) * np.sum(variance)
    own = rankers / (rankers - 2) * (variance - total / rankers**2)
    return np.asarray(np.sqrt(np.where(own <= HAIR * total, 0.0, own)))


def _about_spread(values: Mapping[str, Array], unit: str) -> tuple[str, ...]:
    """Return a caveat if a ranker varies far more than the others: it is then not exchangeable with them."""
    if len(values) < 3:
        return ()
    spread = own_deviations(np.array(list(values.values())))
    usual = float(np.median(spread))
    wide = int(np.argmax(spread))
    if spread[wide] <= _WIDE * usual:
        return ()
    times = f"{spread[wide] / usual:.2g} times as much over {unit} as the median ranker" if usual else "alone"
    return (
        f"{list(values)[wide]!r} varies {times}, and the randomised Tukey test assumes exchangeable rankers: its error "
        "was up to 16% instead of 5% in simulations, so use adjust='holm'",
    )


def seed_of_range(values: Mapping[str, Array]) -> int:
    """Return a seed that follows from the values, whichever ranker comes first."""
    return seed_of_values(*_sorted(values))


def _sorted(values: Mapping[str, Array]) -> list[Array]:
    return sorted(values.values(), key=lambda own: np.round(own, 10).tolist())


def drawn_ranges(values: Array, draws: int, rng: Any) -> Array:
    """Return ranges of the means of rankers whose values were exchanged at random within each group, ascending.

    Parameters
    ----------
    values : array (m, G)
        Of each ranker in each group.
    draws : int
    rng : None, int or numpy.random.Generator
    """
    from_mean = np.ascontiguousarray((values - values.mean(axis=0)).T)
    rng, found = generator(rng), []
    some = max(1, _NUMBERS // from_mean.size)
    for start in range(0, draws, some):
        size = min(some, draws - start)
        drawn = rng.permuted(np.broadcast_to(from_mean, (size, *from_mean.shape)), axis=2)
        found.append(np.ptp(drawn.mean(axis=1), axis=1))
    return np.sort(np.concatenate(found))


def tukey(
    comparisons: Sequence[Comparison], values: Mapping[str, Array], *, draws: int | None = None, rng: Any = None
) -> list[Comparison]:
    """Adjust p values by the range of all means, with values exchanged within groups (randomised Tukey HSD).

    Under the null hypothesis all rankers are exchangeable in every group. A pair differs if its difference is beyond
    the range of all means in most random exchanges (Carterette 2012). Adjusted p values are ``(b + 1)/(draws + 1)``,
    with b ranges at least as large as the difference. Simultaneous intervals have the quantile of the ranges on both
    sides.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Of all pairs.
    values : mapping of str to array (G,)
        Of all rankers, in the same groups.
    draws : int, optional
        9999 if absent.
    rng : None, int or numpy.random.Generator
        None derives a seed from the values.

    Raises
    ------
    ParameterError
        If a comparison has a side or another null hypothesis, which a range has not, or draws are too few for a p value
        as small as the level.
    InsufficientDataError
        If a value is undefined.
    """
    unit = comparisons[0].unit
    if any(test.alternative != "two-sided" or test.null for test in comparisons):
        raise ParameterError(
            "adjust='tukey' tests two-sided differences of 0: leave alternative and null out, or use adjust='holm'"
        )
    # neither the seed nor what it draws depends on the order of the rankers
    matrix = np.array(_sorted(values))
    gone = int(np.isnan(matrix).any(axis=0).sum())
    if gone:
        raise InsufficientDataError(
            f"adjust='tukey' needs the values of all rankers in the same {unit}, and {comparisons[0].metric} is "
            f"undefined in {gone} of {matrix.shape[1]}: use adjust='holm', or leave these {unit} out"
        )
    rng, seed = seeded(rng, lambda: seed_of_range(values))
    draws = DRAWS if draws is None else draws
    level = comparisons[0].difference.confidence_level
    least = math.ceil(1 / (1 - level) * (1 - HAIR)) - 1
    if draws < least:
        raise ParameterError(
            f"adjust='tukey' with n_resamples={draws} has no p value of {1 - level:.2g} or less, and no intervals at "
            f"{level:.4g}: use n_resamples of at least {least:,}"
        )
    ranges = drawn_ranges(matrix, draws, rng)
    slack, cautions = HAIR * scale_of(matrix), _about_spread(values, unit)
    out = []
    for test in comparisons:
        beyond = draws - int(np.searchsorted(ranges, abs(test.difference.value) - slack, "left"))
        out.append(
            replace(
                test,
                cautions=(*test.cautions, *cautions),
                adjusted=(beyond + 1) / (draws + 1),
                adjustment="Tukey",
                simultaneous=test.difference.within(float(ranges[min(math.ceil(level * draws), draws - 1)])),
                seed=test.seed if test.n_resamples else seed,
                adjustment_draws=draws,
            )
        )
    return out
