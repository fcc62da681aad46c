"""Average precision of positives that are left out of their own precision."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array, Counts


def left_out(c: Counts, alone: str) -> Array:
    """Return the leave-one-out estimate; a single positive alone at the top counts 1, or as the next row does."""
    if c.prevalence is None:
        above, called = c.H - 1.0, c.H - 1.0 + c.B
    else:
        pi = c.pi[..., None]
        above = pi * (c.H - 1.0) / np.maximum(c.n1 - 1, 1e-300)[..., None]
        called = above + (1 - pi) * c.Q
    undecided = (c.pos > 0) & (called <= 0)
    u = np.divide(above, called, out=np.ones(called.shape), where=called > 0)
    if alone == "next" and undecided.any():
        row = np.argmax(undecided, axis=-1)[..., None]
        later = (c.pos + c.neg > 0) & (np.arange(u.shape[-1]) > row)
        following = np.argmax(later, axis=-1)[..., None]
        pos, neg = (np.take_along_axis(np.asarray(side, float), following, axis=-1) for side in (c.pos, c.neg))
        there = np.any(undecided, axis=-1, keepdims=True) & np.any(later, axis=-1, keepdims=True)
        own = np.take_along_axis(u, row, axis=-1)
        share = np.divide(pos, pos + neg, out=np.ones(pos.shape), where=pos + neg > 0)
        np.put_along_axis(u, row, np.where(there, share, own), axis=-1)
    return np.asarray(np.sum(c.pos * u, axis=-1) / c.n1)
