"""Numbers that look random but follow from others."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import AnyArray


def mixed(bits: AnyArray) -> AnyArray:
    """Return numbers each of whose bits depends on all bits of the given ones (the last steps of SplitMix64)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(bits ^ (bits >> np.uint64(31)))
