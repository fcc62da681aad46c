"""What metrics say of themselves beside their value: gradients, weights of ranks, cuts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array


class Gradient(NamedTuple):
    """Derivatives of a metric with respect to the cumulative vectors and the prevalence.

    Attributes
    ----------
    P, Q : array (..., K)
        Derivatives with respect to TPR and FPR down to each row, the other rows held fixed.
    pi : array (...)
        Derivative with respect to the prevalence, TPR, FPR and n held fixed.
    """

    P: Array
    Q: Array
    pi: Array


def at_ends(ends: Array, starts: Array) -> Array:
    """Return the derivatives by the ends of the rows, from those by the end and by the start of each row alone."""
    found = np.array(ends, float)
    found[..., :-1] += starts[..., 1:]
    return found


class GradientMoments(NamedTuple):
    """What the variance of a metric takes of its gradient, summed from each row down.

    Attributes
    ----------
    pos, neg : float or array (...)
        Variance of the derivatives with respect to TPR over the positives, to FPR over the negatives.
    pi : float or array (...)
        Derivative with respect to the prevalence.
    """

    pos: float | Array
    neg: float | Array
    pi: float | Array

    def scaled(self, factor: float | Array, pi: float | Array = 0.0) -> GradientMoments:
        """Return those of a multiple, whose derivative with respect to the prevalence has more to it."""
        return GradientMoments(factor**2 * self.pos, factor**2 * self.neg, factor * self.pi + pi)


class RankWeights(NamedTuple):
    """What a positive of each row adds to a metric that is a mean, or a sum, over the positives.

    The metric is ``offset + factor * sum_k p_k w_k``, with p_k the share of the positives that are in row k; of a
    metric that is a sum, the number of positives stands in the place of the share.

    Attributes
    ----------
    rows : array (..., K)
        The weights w.
    offset, factor : array (...) or float
    summed : bool
        Whether the metric is the sum of the weights of the positives, not the mean.
    """

    rows: Array
    offset: Array | float = 0.0
    factor: Array | float = 1.0
    summed: bool = False


class RankSum(NamedTuple):
    """A metric that is a sum of weights of the ranks of the positives, which depend on nothing else.

    Attributes
    ----------
    weight : callable
        Weights of ranks from 1 on, between whole ranks too.
    unit : float
        What the sum is multiplied by, unless it is divided by that of the perfect list.
    of_perfect : bool
        Whether it is.
    """

    weight: Callable[[Array], Array]
    unit: float = 1.0
    of_perfect: bool = False


class CutAt(NamedTuple):
    """Cutoff of a metric, and how the metric depends on the counts above it.

    Attributes
    ----------
    axis : {"rate", "fpr", "recall"}
        What the cut holds fixed.
    place : array (...)
        The rate, FPR or recall of the cut.
    offset, factor : float or array (...)
        The metric as offset + factor * TPR above the cut (FPR at a recall).
    offset_slope, factor_slope : float or array (...)
        Their derivatives by the prevalence.
    follows : float
        How the place moves with the prevalence.
    tangent : bool
        Whether that line is the tangent only: of the precision at a recall.
    """

    axis: str
    place: Array
    offset: Array | float = 0.0
    factor: Array | float = 1.0
    offset_slope: Array | float = 0.0
    factor_slope: Array | float = 0.0
    follows: float = 0.0
    tangent: bool = False


class ChosenCut(NamedTuple):
    """A cutoff that is chosen for each list, at the end of a row.

    Attributes
    ----------
    rule : {"precision", "f1", "net benefit", "distance"}
        What is asked of it.
    row : array of int (...)
        The last row above the cutoff; -1 if no subject is above it.
    parameter : float
        The precision asked for, or what a false positive costs in true positives; 0 for F1. A distance is TPR minus
        this times FPR.
    """

    rule: str
    row: AnyArray
    parameter: float = 0.0


def plain(values: AnyArray) -> Any:
    """Return a float where there are no replicates."""
    return float(values) if np.ndim(values) == 0 else np.asarray(values)
