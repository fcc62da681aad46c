"""What is special to average precision: the leave-one-out estimate, and tilting."""

from __future__ import annotations

import math

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.inference.half_subject import half_subject
from hitcurve.sums import Sums

_PASSES = 16


def leave_one_out(c: Counts, *, alone: str = "one") -> float:
    """Return the mean over the positives of the precision at their score, each left out of its own.

    The plug-in counts a positive in its own precision, which is most of its bias.

    Parameters
    ----------
    alone : {"one", "next"}
        What a single positive alone at the top counts, whose precision without itself is 0/0: 1, or the share of
        positives of the next row.
    """
    n1 = float(c.n1)
    if c.prevalence is None:
        above, called = c.H - 1.0, c.H - 1.0 + c.B
    else:
        above = c.prevalence * (c.H - 1.0) / max(n1 - 1, 1e-300)
        called = above + (1 - c.prevalence) * c.Q
    undecided = (c.pos > 0) & (called <= 0)
    u = np.divide(above, called, out=np.ones(called.shape), where=called > 0)
    if alone == "next" and undecided.any():
        row = int(np.flatnonzero(undecided)[0])
        later = np.flatnonzero((np.asarray(c.pos) + np.asarray(c.neg) > 0)[row + 1 :])
        if later.size:
            following = row + 1 + int(later[0])
            u[row] = c.pos[following] / (c.pos[following] + c.neg[following])
    return float(np.sum(c.pos * u) / n1)


def tilted(sums: Sums, t: float) -> tuple[float, float]:
    """Return the ends of the interval that tilts the half-subject table until it is t standard errors away.

    The rows are reweighted along the influence values in small steps with the standard error recomputed, which
    solves ``integral of dtheta / se(theta) = t``: the data choose the scale on which the variance is stable.

    Parameters
    ----------
    sums : Sums
        Canonical rows of a cohort (see ``Sums.folded``), unweighted.
    t : float
        Quantile.
    """
    from scipy.special import expit, logit

    start = half_subject(sums, None, negatives=1.0)
    centre = _precision(half_subject(sums, None))
    shift = float(logit(centre) - logit(max(leave_one_out(sums.counts(), alone="next"), 0.3 * centre)))
    delta = min(max(shift, 0.0), 1.0) / 5
    ends = []
    for sign in (-1, 1):
        pos, neg = np.asarray(start.pos, float), np.asarray(start.neg, float)
        first = None
        for _ in range(_PASSES):
            g, h, variance = _derivatives(pos, neg)
            first = variance if first is None else first
            if variance < 1e-8 * first or variance <= 0:
                break
            scale = sign * t / _PASSES / math.sqrt(variance)
            total = pos.sum() + neg.sum()
            pos = pos * np.exp(np.clip(scale * g, -5, 5))
            neg = neg * np.exp(np.clip(scale * h, -5, 5))
            shrink = total / (pos.sum() + neg.sum())
            pos, neg = pos * shrink, neg * shrink
        ends.append(float(expit(logit(_precision(Sums(pos, neg))) - delta)))
    return ends[0], ends[1]


def _derivatives(pos: Array, neg: Array) -> tuple[Array, Array, float]:
    """Return the derivatives of AP by the content of each row, and the variance they give."""
    H, B = np.cumsum(pos), np.cumsum(neg)
    R = H + B
    u = H / R
    theta = np.sum(pos * u) / H[-1]
    gained = np.cumsum((pos * B / R**2)[::-1])[::-1]
    lost = np.cumsum((pos * H / R**2)[::-1])[::-1]
    g, h = (u - theta + gained) / H[-1], -lost / H[-1]
    return g, h, float(np.sum(pos * g**2) + np.sum(neg * h**2))


def _precision(sums: Sums) -> float:
    c = sums.counts()
    return float(np.sum(c.p * c.precision))
