"""The scale on which a bounded metric is about normal: the logit of the share of the way from worst to best."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import Array


class LogitScale(NamedTuple):
    """The logit of the share of the way from the worst value to the best.

    Attributes
    ----------
    worst, best : float or array
    """

    worst: Any
    best: Any

    def up(self, value: Any) -> Array:
        """Return values on the scale, nan for those at an end."""
        import hitcurve._special as special

        return np.asarray(special.logit(self._share(value)))

    def length(self, value: Any, length: Any) -> Array:
        """Return a length near values, such as a standard error, on the scale; nan at an end."""
        return self._length(self._share(value), length)

    def around(self, value: Any, length: Any) -> tuple[Array, Array]:
        """Return values on the scale, and lengths near them there."""
        import hitcurve._special as special

        share = self._share(value)
        return np.asarray(special.logit(share)), self._length(share, length)

    def _length(self, share: Array, length: Any) -> Array:
        if not (share.ndim or _axes(length)):
            alone = float(share)
            if math.isnan(alone):  # at an end, or the ends are one
                return np.asarray(math.nan)
            return np.asarray(float(length) / (float(self.best) - float(self.worst)) / (alone * (1 - alone)))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(length / (self.best - self.worst) / (share * (1 - share)))

    def down(self, place: Any) -> Array:
        """Return the values at places of the scale."""
        import hitcurve._special as special

        return np.asarray(self.worst + (self.best - self.worst) * special.expit(place))

    def _share(self, value: Any) -> Array:
        if not (_axes(value) or _axes(self.worst) or _axes(self.best)):  # of one list numbers do
            worst, room = float(self.worst), float(self.best) - float(self.worst)
            alone = (float(value) - worst) / room if room > 0 else math.nan
            return np.asarray(alone if 0 < alone < 1 else math.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(self.best > self.worst, (value - self.worst) / (self.best - self.worst), math.nan)
            return np.where((share > 0) & (share < 1), share, math.nan)


def _axes(x: Any) -> int:
    """Return the number of axes of an array, 0 of a number."""
    return int(getattr(x, "ndim", 0))
