"""Scales of axes: from numbers to where they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hitcurve.counts import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_END = 1e-9  # a share nearer to 0 or 1 is drawn there on a normal-deviate axis, which has no ends


class Scale(NamedTuple):
    """A scale: what is drawn in proportion.

    Attributes
    ----------
    name : str
    forward, backward : callable
    """

    name: str
    forward: Callable[[Array], Array]
    backward: Callable[[Array], Array]


def _same(values: Array) -> Array:
    return np.asarray(values, float)


def _log10(values: Array) -> Array:
    return np.asarray(np.log10(values))


def _power10(values: Array) -> Array:
    return np.asarray(10.0**values)


def _deviate(shares: Array) -> Array:
    from scipy.special import ndtri

    return np.asarray(ndtri(np.clip(shares, _END, 1 - _END)))


def _share(deviates: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(deviates))


LINEAR = Scale("linear", _same, _same)
LOG = Scale("log", _log10, _power10)
NORMAL = Scale("normal-deviate", _deviate, _share)


def scale_axes(ax: Axes, x: Scale, y: Scale) -> None:
    """Give axes their scales."""
    for put, scale in ((ax.set_xscale, x), (ax.set_yscale, y)):
        if scale is NORMAL:
            put("function", functions=(scale.forward, scale.backward))
        elif scale is LOG:
            put("log")
