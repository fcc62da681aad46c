"""Covariances of net benefits over threshold probabilities, with the censoring estimated."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.survival.covariances import OfHorizon, products, with_corrections
from hitcurve.survival.outcome import Mask

_MOST_NUMBERS = 200_000_000  # influence values that are held at once


def covariance(known: OfHorizon, ranker: str, thresholds: Array, other: str | None) -> Array:
    """Return the covariances of net benefits at thresholds.

    A subject moves the net benefit by what it is worth at the threshold, less the mean: 1 for a case that is selected,
    minus the cost of a false positive for a control, 0 for all that are not selected.

    Parameters
    ----------
    known : OfHorizon
    ranker : str
    thresholds : array (T,)
    other : str or None
        None: of one ranker, and of its interventions avoided (2 T, 2 T). Else of ``ranker`` minus ``other`` (T, T).

    Raises
    ------
    ParameterError
        If subjects times thresholds are too many to hold.
    """
    used, n = np.flatnonzero(known.at.used), known.cohort.sample.time.size
    width = thresholds.size * (2 if other is None else 1)
    if n * width > _MOST_NUMBERS:
        raise ParameterError(
            f"{thresholds.size} thresholds of {n:,} subjects are too many at once: give up to "
            f"{max(_MOST_NUMBERS * thresholds.size // (n * width), 1)}"
        )
    block, case, cost = known.block(), known.at.case[used], thresholds / (1 - thresholds)

    def selected(name: str) -> Array:
        grid = block.oriented_grid(name, thresholds)
        return np.asarray(block.scores[name][:, None] >= grid[None, :], float)

    worth = np.where(case[:, None], 1.0, -cost)
    above = selected(ranker)
    if other is not None:
        values = worth * (above - selected(other))
    else:
        values = np.concatenate([worth * above, -worth * (1 - above) / cost], axis=1)
    weight = known.at.weight[used]
    own, others = with_corrections(known.cohort, known.at, _centred(values, weight, case, known.design))
    return products(own, others, known.clusters)


def _centred(values: Array, weight: Array, case: Mask, design: str) -> Array:
    """Return the influence of the subjects on weighted means, or on means of classes whose shares are known."""
    share = weight / weight.sum()
    if design == "cohort":
        return np.asarray(share[:, None] * (values - share @ values))
    out = np.empty(values.shape)
    for side in (case, ~case):
        mean = share[side] @ values[side] / share[side].sum()
        out[side] = share[side][:, None] * (values[side] - mean)
    return out
