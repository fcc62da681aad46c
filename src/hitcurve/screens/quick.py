"""Average precision and AUC of many lists by three cumulative sums, with their influence values.

The same numbers as of the kernels of the metrics, in fewer steps. Sums run from row to row, so that empty rows,
wherever they stand, leave every bit as it is: a sparse column has the values of a dense one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array, from_here
from hitcurve.metrics import Metric, metric

AP, AUC = metric("ap"), metric("auc")


class Evaluated(NamedTuple):
    """Values of lists side by side.

    Attributes
    ----------
    value : array (w,)
    pos, neg : array (w, K)
        Influence of a positive and of a negative in each row.
    """

    value: Array
    pos: Array
    neg: Array


def is_quick(of: Metric) -> bool:
    """Say whether a metric is one of these."""
    return of in (AP, AUC)


def evaluated(of: Metric, pos: AnyArray, neg: AnyArray, design: str) -> Evaluated:
    """Evaluate average precision or AUC.

    Parameters
    ----------
    of : Metric
    pos, neg : array of int (w, K)
    design : {"cohort", "case-control"}
    """
    return _average_precision(pos, neg, design) if of == AP else _auc(pos, neg)


def pairs_ahead(pos: AnyArray, neg: AnyArray) -> AnyArray:
    """Return twice the pairs of a positive and a negative in which the positive is ahead; tied pairs count once."""
    below = neg.sum(axis=-1, keepdims=True) - np.cumsum(neg, axis=-1)
    return np.asarray(np.sum(pos * (2 * below + neg), axis=-1))


def total(x: AnyArray) -> AnyArray:
    """Return sums over the rows, one row after the other."""
    return np.asarray(np.cumsum(x, axis=-1)[..., -1])


def _average_precision(pos: AnyArray, neg: AnyArray, design: str) -> Evaluated:
    hits = np.cumsum(pos, axis=-1)
    called = np.cumsum(pos + neg, axis=-1)
    n1 = hits[:, -1:]
    per_called = 1.0 / np.maximum(called, 1)  # rows before the first subject call nobody
    precision = hits * per_called
    value = total(pos * precision)[:, None] / n1
    per_called *= pos
    lost = per_called * precision  # what one more negative above takes away
    of_neg = from_here(lost)
    per_called -= lost
    of_pos = from_here(per_called)
    of_pos += precision
    of_pos -= value
    of_pos /= n1
    of_neg /= -n1
    if design == "case-control":
        of_pos -= total(pos * of_pos)[:, None] / n1
        of_neg -= total(neg * of_neg)[:, None] / (called[:, -1:] - n1)
    return Evaluated(value[:, 0], of_pos, of_neg)


def _auc(pos: AnyArray, neg: AnyArray) -> Evaluated:
    n1, n0 = pos.sum(axis=-1, keepdims=True), neg.sum(axis=-1, keepdims=True)
    # twice the negatives below, and twice the positives above: whole numbers
    below, above = 2 * (n0 - np.cumsum(neg, axis=-1)) + neg, 2 * np.cumsum(pos, axis=-1) - pos
    value = np.sum(pos * below, axis=-1, keepdims=True) / (2.0 * n1 * n0)
    return Evaluated(value[:, 0], (below / (2.0 * n0) - value) / n1, (above / (2.0 * n1) - value) / n0)
