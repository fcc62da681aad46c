"""P values of many markers, adjusted for their number."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.many import holm_pvalues

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
    from scipy.stats import false_discovery_control

    out[there] = false_discovery_control(pvalues[there], method="by" if method == "by" else "bh")
    return out
