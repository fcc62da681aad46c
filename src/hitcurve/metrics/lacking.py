"""Lists that lack one of the classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts
from hitcurve.errors import SingleClassError
from hitcurve.refusals import Index, Refusal


def lacks_a_class(c: Counts) -> Iterator[Refusal]:
    """Yield which lists have no positive, and which no negative."""
    if c.has_both:
        return
    for name, count, other in (("positive", c.n1, c.n0), ("negative", c.n0, c.n1)):
        absent = count == 0
        if np.any(absent):
            yield Refusal(absent, _lacking(name, other), SingleClassError)


def _lacking(name: str, others: Array) -> Callable[[Index], str]:
    return lambda index: (
        f"there is no {name} among {_checks.the_subjects(float(others[index]))}: both classes are needed"
    )
