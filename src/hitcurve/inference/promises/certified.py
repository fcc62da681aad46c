"""How deep a list may be cut so that a promise of recall, false positive rate or precision holds with confidence.

Counts are those at the ends of blocks of equal scores, from the top. The errors are exact for a sample of subjects that
are independent of each other; those of precision need positives and negatives sampled together.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray, Array

MISSES = ((30, 0), (100, 1))
"""Misses that the first look at precision allows, by the number of positives below which it does; then 2."""
_MOST_MISSES = 2
_GROWTH = 1.25


# ---- recall and false positive rate


def most_beyond(n: int, share: float, error: float) -> int:
    """Return the largest c with P(Bin(n, share) <= c) <= error, -1 if there is none.

    Of the subjects of one class so many may be on the wrong side of a cut, if the share of the class that may be there
    is ``share``: the next subject is an order statistic that lies beyond the quantile with probability ``error``.
    """
    below, above = -1, n
    while above - below > 1:
        middle = (below + above) // 2
        if float(tail(n - middle, n, 1 - share)) <= error:
            below = middle
        else:
            above = middle
    return below


def labels_needed(share: float, error: float) -> int:
    """Return the least number of subjects of a class of which none beyond the cut certifies ``share``."""
    return first_look(1 - share, error, 0)


# ---- precision


def tail(hits: npt.ArrayLike, selected: npt.ArrayLike, precision: float) -> Array:
    """Return P(Bin(selected, precision) >= hits)."""
    from scipy.special import betainc

    hits, selected = np.broadcast_arrays(hits, selected)
    return np.asarray(np.where(hits > 0, betainc(np.maximum(hits, 1), selected - hits + 1, precision), 1.0))


def misses_of(n_pos: float) -> int:
    """Return how many misses the first look allows, by the number of positives in the sample."""
    return next((misses for below, misses in MISSES if n_pos < below), _MOST_MISSES)


def first_look(precision: float, error: float, misses: int) -> int:
    """Return the smallest number of selected subjects, all but ``misses`` of them hits, that certifies a precision."""
    k, far = misses + 1, misses + 2
    while float(tail(far - misses, far, precision)) > error:
        k, far = far, 2 * far
    while far - k > 0:
        middle = (k + far) // 2
        if float(tail(middle - misses, middle, precision)) <= error:
            far = middle
        else:
            k = middle + 1
    return k


def log_mixture(hits: npt.ArrayLike, selected: npt.ArrayLike, precision: float) -> Array:
    """Return the log of the mean likelihood ratio of precisions above the promised one, uniform, against it."""
    from scipy.special import betainc, betaln

    h, b = np.broadcast_arrays(np.asarray(hits, float), np.subtract(selected, hits))
    at = math.log1p(-precision) * (b + 1) + math.log(precision) * h
    with np.errstate(divide="ignore"):  # far below what is promised no float is left
        above = np.log(betainc(b + 1, h + 1, 1 - precision))
    return np.asarray(betaln(h + 1, b + 1) + above - at)


def hits_needed(precision: float, error: float) -> int:
    """Return the least number of positives above a cut, and no negative, at which the mixture exceeds 1/error."""
    most = 2 * first_look(precision, error, 0)
    while float(log_mixture(most, most, precision)) < -math.log(error):
        most *= 2
    pure = np.arange(1, most + 1)
    return int(pure[np.argmax(log_mixture(pure, pure, precision) >= -math.log(error))])


# ---- precision of a finite list labelled in part


def looks_of(selected: AnyArray) -> AnyArray:
    """Return cuts at about geometrically growing numbers of subjects, each at the end of a block."""
    most = float(selected[-1])
    wanted = _GROWTH ** np.arange(math.floor(math.log(most, _GROWTH)) + 2)
    at = np.searchsorted(selected, np.minimum(np.ceil(wanted - 1e-9), most), "left")
    return np.unique(at)


def hypergeometric_tail(
    hits: npt.ArrayLike, labelled: npt.ArrayLike, selected: npt.ArrayLike, precision: float
) -> Array:
    """Return P(X >= hits) of ``labelled`` subjects among ``selected`` ones that miss the precision by one positive."""
    from scipy.stats import hypergeom

    taken, drawn, found = (np.asarray(x, float) for x in (selected, labelled, hits))
    short = np.ceil(precision * taken - 1e-9) - 1
    return np.asarray(hypergeom.sf(found - 1, taken, short, drawn))


def finite_list(hits: Array, labelled: Array, selected: Array, precision: float, error: float) -> int:
    """Return the deepest cut of a finite list whose precision is certified by the labels of a random part; -1 if none.

    A grid of cuts is tested from the top, each at an equal part of the error; a test that rejects passes its level on.
    Which subjects have labels does not depend on the labels, so the grid may: it begins where hits alone could reject.
    """
    at = looks_of(selected)
    at = at[hypergeometric_tail(labelled[at], labelled[at], selected[at], precision) <= error]
    if not at.size:
        return -1
    p = hypergeometric_tail(hits[at], labelled[at], selected[at], precision)
    own, level, deepest = error / at.size, 0.0, -1
    for place, value in zip(at.tolist(), p.tolist(), strict=True):
        level += own
        if value <= level:
            deepest = place
        else:
            level = 0.0
    return deepest
