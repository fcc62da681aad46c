"""What estimating the distribution of the censoring adds to the influence of every subject.

A subject that is censored at u makes all who are observed for longer weigh more, and a subject that is at risk of being
censored there makes them weigh less. With the sum Q(u) of weight times derivative over the former, h(u) = Q(u) over the
weight L(u) of the subjects that are left after u, and C(u), R(u) the weights of the censored and of those at risk::

    h(T_i) if i is censored - sum over censoring times u at which i is at risk of h(u) C(u)/R(u)
"""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array
from hitcurve.survival.censoring import KaplanMeier, Sample, Steps
from hitcurve.survival.outcome import CENSORED


def corrections(censoring: KaplanMeier, evaluated: Sample, base: Array, horizon: float) -> Array:
    """Return the part of every subject from which the censoring is estimated, (m, K).

    Parameters
    ----------
    censoring : KaplanMeier
    evaluated : Sample
        The subjects with a place in the ranking, (n,).
    base : array (n, K)
        Their influence: weight times derivative by the weight.
    horizon : float
    """
    sample = censoring.sample
    out = np.zeros((sample.time.size, base.shape[1]))
    for own, part, steps in zip(sample.parts(), evaluated.parts(), censoring.steps, strict=True):
        found = _of_stratum(
            steps,
            sample.time[own],
            sample.kind[own] == CENSORED,
            evaluated.time[part],
            base[part],
            horizon,
            includes_ties=censoring.rule != "timeroc",
        )
        out[own] = found * sample.weight[own][:, None]
    return out


def _of_stratum(
    steps: Steps,
    time: Array,
    censored: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    of_base: Array,
    base: Array,
    horizon: float,
    *,
    includes_ties: bool,
) -> Array:
    upto = int(np.searchsorted(steps.time, horizon, "right"))
    moments = steps.time[:upto]
    # sums over those observed for longer; an event at the same time is weighted by the step only under other rules
    beyond = np.zeros((of_base.size + 1, base.shape[1]))
    np.cumsum(base[::-1], axis=0, out=beyond[-2::-1])
    moved = beyond[np.searchsorted(of_base, moments, "left" if includes_ties else "right")]
    left = steps.left[:upto, None]
    h = np.divide(moved, left, out=np.zeros(moved.shape), where=left > 0)
    hazard = (steps.censored[:upto] / steps.at_risk[:upto])[:, None]
    passed = np.concatenate([np.zeros((1, base.shape[1])), np.cumsum(h * hazard, axis=0)])
    # censored ones are at risk at their own time, others are gone by then: events come first
    index = np.minimum(
        np.where(censored, np.searchsorted(steps.time, time, "right"), np.searchsorted(steps.time, time, "left")), upto
    )
    found = -passed[index]
    own = np.flatnonzero(censored & (time <= horizon))
    found[own] += h[np.searchsorted(moments, time[own])]
    return found
