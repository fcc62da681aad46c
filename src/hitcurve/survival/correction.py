"""What estimating the distribution of the censoring adds to the influence of every subject.

A subject that is censored at u makes all who are observed for longer weigh more, and a subject that is at risk of being
censored there makes them weigh less. With the sum Q(u) of weight times derivative over the former, h(u) = Q(u) over the
weight L(u) of the subjects that are left after u, and C(u), R(u) the weights of the censored and of those at risk::

    h(T_i) if i is censored - sum over censoring times u at which i is at risk of h(u) C(u)/R(u)
"""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array
from hitcurve.survival.censoring import KaplanMeier
from hitcurve.survival.weights import Cohort, StepsOfSubjects


def corrections(cohort: Cohort, base: Array, horizon: float) -> Array:
    """Return the part of every subject from which the censoring is estimated, (m, K).

    Parameters
    ----------
    cohort : Cohort
        Whose censoring is estimated.
    base : array (n, K)
        Influence of the subjects that are evaluated: weight times derivative by the weight.
    horizon : float
    """
    assert isinstance(cohort.censoring, KaplanMeier)
    sample = cohort.censoring.sample
    out = np.empty((sample.time.size, base.shape[1]))
    for places in cohort.places:
        out[places.sampled] = _of_stratum(places, base[places.evaluated], horizon)
    out *= sample.weight[:, None]
    return out


def _of_stratum(places: StepsOfSubjects, base: Array, horizon: float) -> Array:
    steps = places.steps
    upto = int(np.searchsorted(steps.time, horizon, "right"))
    # sums over those observed for longer; an event at the same time is weighted by the step only under other rules
    beyond = np.zeros((len(base) + 1, base.shape[1]))
    np.cumsum(base[::-1], axis=0, out=beyond[-2::-1])
    moved, left = beyond[places.beyond[:upto]], steps.left[:upto, None]
    h = np.divide(moved, left, out=np.zeros(moved.shape), where=left > 0)
    hazard = (steps.censored[:upto] / steps.at_risk[:upto])[:, None]
    passed = np.concatenate([np.zeros((1, base.shape[1])), np.cumsum(h * hazard, axis=0)])
    found = -passed[np.minimum(places.passed, upto)]
    own = np.flatnonzero(places.censored & (places.own < upto))
    found[own] += h[places.own[own]]
    return found
