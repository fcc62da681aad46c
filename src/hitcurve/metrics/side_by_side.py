"""Metrics that differ in a parameter, as one metric of as many lists: what a grid of the parameter is evaluated by."""

from __future__ import annotations

import types
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from hitcurve.magnify import Magnification
from hitcurve.magnify.side_by_side import SideBySide
from hitcurve.metrics.metric import Metric
from hitcurve.rates import RateDensity


@dataclass(frozen=True)
class _EachDensity(RateDensity):
    """A density of the rate for each list."""

    parts: tuple[RateDensity, ...]
    maps: SideBySide

    def __str__(self) -> str:
        return "each"

    def magnification(self) -> Magnification:
        return self.maps

    @property
    def mean(self) -> Any:
        return np.array([part.mean for part in self.parts])


class _Varied:
    """What makes a metric one whose parameters differ from list to list."""

    parts: tuple[Metric, ...]

    def of_lists(self, lists: Any) -> Metric:
        """Return the metric of some of the lists."""
        return side_by_side([self.parts[i] for i in np.arange(len(self.parts))[lists]])


@lru_cache(maxsize=64)
def _varied(kind: type[Metric]) -> type[Metric]:
    made: type[Metric] = types.new_class(f"Varied{kind.__qualname__}", (_Varied, kind))
    return made


def side_by_side(metrics: Sequence[Metric]) -> Metric:
    """Return one metric whose parameters differ from list to list.

    Parameters
    ----------
    metrics : sequence of Metric
        Of one class, differing in magnifications, densities or cuts, one for each list.

    Returns
    -------
    Metric
        For counts with one leading axis of as many lists; its string says ``each`` where they differ.
    """
    first = metrics[0]
    if all(m == first for m in metrics):
        return first
    made: Metric = object.__new__(_varied(type(first)))
    object.__setattr__(made, "parts", tuple(metrics))
    for f in fields(first):  # type: ignore[arg-type]
        values = [getattr(m, f.name) for m in metrics]
        object.__setattr__(made, f.name, values[0] if all(v == values[0] for v in values) else _together(values))
    return made


def _together(values: list[Any]) -> Any:
    if isinstance(values[0], Magnification):
        return SideBySide(values)
    if isinstance(values[0], RateDensity):
        return _EachDensity(tuple(values), SideBySide([value.magnification() for value in values]))
    return np.array(values)
