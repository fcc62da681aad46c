"""Standard errors and default intervals of one metric on many lists, as columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.evaluation.lists import RankerLists, Texts
from hitcurve.evaluation.passes import Doubt
from hitcurve.inference import Estimate, Joint
from hitcurve.inference.interval import Clustered
from hitcurve.metrics import Metric


class Doubts(NamedTuple):
    """Standard error and default interval of each list; nan and empty where there is none."""

    standard_error: Array
    low: Array
    high: Array
    method: Texts

    @classmethod
    def of(
        cls,
        lists: RankerLists,
        ranker: str,
        metric: Metric,
        doubt: Doubt,
        names: Sequence[str],
        joint: Callable[[str], Joint] | None,
    ) -> Doubts:
        """Compute them."""
        size = len(lists)
        error, low, high = np.full((3, size), math.nan)
        out = cls(error, low, high, np.full(size, "", object))
        for place, value in enumerate(lists.values[metric].tolist()):
            if math.isnan(value):
                continue
            clustered = None if joint is None else partial(_clustered, joint, names[place], ranker, metric)
            e = Estimate(ranker, metric, value, lists.table(place), doubt.design, doubt.confidence_level, clustered)
            with suppress(InsufficientDataError, UndefinedMetricError):
                out.standard_error[place] = e.standard_error
                if e.interval is not None:
                    out.low[place], out.high[place] = e.interval
                    out.method[place] = e.interval_method
        return out


def _clustered(joint: Callable[[str], Joint], name: str, ranker: str, metric: Metric) -> Clustered:
    return joint(name).cluster_variance(ranker, metric)
