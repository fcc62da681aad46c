"""P values of many markers, adjusted for their number."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.comparing.many import holm_pvalues

METHODS = ("bh", "by", "holm")
WORDS = {"bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli", "holm": "Holm"}


def adjusted(pvalues: Array, method: str) -> Array:
    """Return adjusted p values; of markers without one they are nan, and these do not count.

    ``bh`` and ``by`` control the false discovery rate, by independent or positively dependent markers and by any;
    ``holm`` the probability of one false discovery, whatever the dependence.
    """
    out = np.full(pvalues.shape, np.nan)
    there = ~np.isnan(pvalues)
    if not there.any():
        return out
    if method == "holm":
        out[there] = holm_pvalues(pvalues[there])
        return out
    out[there] = _false_discovery(pvalues[there], any_dependence=method == "by")
    return out


def _false_discovery(pvalues: Array, *, any_dependence: bool) -> Array:
    """Return the least rate of false discoveries at which each marker is one of those found.

    It is a few lines, for which scipy.stats would take half a second to load.
    """
    order = np.argsort(pvalues)
    rank = np.arange(1.0, pvalues.size + 1)
    found = pvalues[order] * (pvalues.size / rank)
    if any_dependence:
        found *= np.sum(1 / rank)
    out = np.empty_like(found)
    out[order] = np.minimum(np.minimum.accumulate(found[::-1])[::-1], 1.0)
    return out
