"""Texts about lists: one for the only list, or one for each of many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hitcurve.counts import AnyArray, Counts
from hitcurve.refusals import Index


def each(c: Counts, text: str | Callable[[Index], str], *of: AnyArray) -> Any:
    """Return a text of the only list, or an array of the texts of each.

    Parameters
    ----------
    c : Counts
    text : str or callable
        A callable takes the index of a list.
    *of : array (...)
        What a callable tells of a list: the text is written once for lists that agree in all of it.
    """
    if not c.shape:
        return text if isinstance(text, str) else text(())
    if isinstance(text, str):
        return np.full(c.shape, text, object)
    kind = np.zeros(c.shape, np.intp)
    for values in of:
        own = np.unique(np.broadcast_to(values, c.shape), return_inverse=True)[1].reshape(c.shape)
        kind = kind * (own.max(initial=0) + 1) + own
    _, first, kind = np.unique(kind, return_index=True, return_inverse=True)
    texts = [text(tuple(map(int, np.unravel_index(place, c.shape)))) for place in first.tolist()]
    return np.array(texts, object)[kind.reshape(c.shape)]
