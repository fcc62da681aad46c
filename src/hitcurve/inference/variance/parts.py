"""How much of the variance of a value positives add, and how much negatives: of several samples of one population."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.variance.influence import influence, parts_of_long
from hitcurve.inference.variance.spread import Spread


def parts_of(spreads: Sequence[Spread]) -> tuple[Array, Array]:
    """Return the parts of positives and of negatives in the variances of samples, and how many of both these have.

    A metric at a cutoff has the mean of the slopes of all samples there. The slope of one is taken from the few
    subjects around its cutoff: by chance it is larger where more positives are above the cutoff, and the variance then
    smaller than it is.

    The error of a metric without derivatives is from a bootstrap, and that of clusters is of subjects of both classes
    at once: they have no parts. The variance is then divided as if a positive and a negative had the same one.

    Parameters
    ----------
    spreads : sequence of Spread
        Of one metric, each of one list or of as many.

    Returns
    -------
    parts, sizes : array (..., D, 2)
    """
    sizes = np.stack([np.stack(spread.effective, axis=-1) for spread in spreads], axis=-2)
    slope = _slope(spreads, sizes[..., 0])
    found = [_parts(spread, slope) for spread in spreads]
    parts = [own for own in found if own is not None]
    if len(parts) == len(found):
        return np.stack(parts, axis=-2), sizes
    whole = np.stack([spread.standard_error**2 for spread in spreads], axis=-1)[..., None]
    return whole * sizes[..., ::-1] / sizes.sum(axis=-1, keepdims=True), sizes


def _slope(spreads: Sequence[Spread], n_pos: Array) -> Array | None:
    steps = [spread.step for spread in spreads]
    slopes = [step.slope for step in steps if step is not None]
    return np.average(np.stack(slopes, axis=-1), axis=-1, weights=n_pos) if len(slopes) == len(steps) else None


def _parts(spread: Spread, slope: Array | None) -> Array | None:
    if spread.clustered is not None:
        return None
    metric, c, design = spread.metric, spread.counts, spread.design
    step = spread.step if slope is None or spread.step is None else spread.step._replace(slope=slope)
    parts = parts_of_long(metric, c, design, step)
    if parts is None:
        if spread.influence is None or np.any(spread.too_long):
            return None
        own = spread.influence if step is spread.step else influence(metric, c, design, spread.effective, step=step)
        parts = own.parts(spread.sums)
    # shares of wrong labels that were estimated are of neither class
    with np.errstate(divide="ignore", invalid="ignore"):
        more = np.where(spread.variance > 0, spread.standard_error**2 / spread.variance, 1.0)
    return np.stack(parts, axis=-1) * more[..., None]
