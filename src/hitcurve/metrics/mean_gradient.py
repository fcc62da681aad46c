"""The gradient of a mean over the positives, whose weights follow where their rows start and end on an axis."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.magnify.pieces import sum_of_products
from hitcurve.metrics.metric import Gradient


def from_here_of_mean(c: Counts, v: Array, ends: Array, starts: Array, *, along: str) -> Gradient:
    """Return the gradient of ``sum_k p_k v_k``, summed from each row down.

    Parameters
    ----------
    c : Counts
    v : array (..., K')
        What a positive of each row that holds one is worth, which follows where the row ends and starts on an axis.
    ends, starts : array (..., K')
        How it follows the two. Overwritten.
    along : {"fpr", "rate"}
        The axis.
    """
    if c.shape:  # a row may hold nobody in one of many lists, and its slopes be infinite
        ends, starts = (np.where(c.positives > 0, side, 0.0) for side in (ends, starts))
    for side in (ends, starts):
        side *= c.positives
    ends += starts
    a, follow = (np.zeros_like(c.p), np.zeros_like(c.p)) if c.shape else np.zeros((2, *c.pos.shape))
    with np.errstate(invalid="ignore"):  # of a power map above the first negative, where no negative is
        c.sum_below(ends, out=follow)
        follow[..., c.held] -= starts
    if along == "fpr":
        a[..., c.held] = v
        return Gradient(a, follow, np.zeros(c.pi.shape))
    pi = c.pi[..., None]
    d_pi = sum_of_products(follow, c.p) - sum_of_products(follow, c.q)
    np.multiply(pi, follow, out=a)
    a[..., c.held] += v
    follow *= 1 - pi
    return Gradient(a, follow, d_pi)
