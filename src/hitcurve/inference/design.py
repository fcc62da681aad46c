"""Sampling designs: subjects, or positives and negatives separately."""

from __future__ import annotations

from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.sums import Sums

DESIGNS = ("cohort", "case-control")


def effective(sums: Sums) -> tuple[Any, Any]:
    """Return the numbers of positives and negatives; of weights, the numbers of equal weights that vary as much.

    Floats, or arrays of the leading shape.
    """
    n1, n0 = sums.pos.sum(axis=-1).astype(float), sums.neg.sum(axis=-1).astype(float)
    if sums.pos_squares is None or sums.neg_squares is None:
        return n1, n0
    with np.errstate(divide="ignore", invalid="ignore"):  # a list may lack a class
        return n1**2 / sums.pos_squares.sum(axis=-1), n0**2 / sums.neg_squares.sum(axis=-1)


def subjects_alike(sums: Sums) -> tuple[Any, Any]:
    """Return the numbers of equal weights that vary as much, as shares of the numbers of subjects of both classes.

    Floats, or arrays of the leading shape; 1 without weights. A row of several subjects is taken as one of equal
    weights.
    """
    if sums.pos_squares is None or sums.neg_squares is None:
        none = np.ones(sums.pos.shape[:-1])
        return none, none
    found = []
    sides = ((sums.pos, sums.pos_squares), (sums.neg, sums.neg_squares))
    for (weights, squares), size in zip(sides, effective(sums), strict=True):
        number = np.divide(weights**2, squares, out=np.zeros(weights.shape), where=squares > 0)
        found.append(size / number.sum(axis=-1))
    return found[0], found[1]


def cluster_degrees(clusters: int, with_positive: int) -> float:
    """Return the degrees of freedom of a variance between clusters, so many of which hold a positive.

    Raises
    ------
    InsufficientDataError
        If there is one cluster only, or one only that holds positives.
    """
    if clusters < 2:
        raise InsufficientDataError("there is only one cluster, so the variance between clusters cannot be estimated")
    if with_positive < 2:
        raise InsufficientDataError(
            "one cluster contains all positives, so the variance between clusters cannot be estimated"
        )
    return with_positive - 1.0


def left_out(share: Array, clusters: int) -> Array:
    """Return the factor of the sums of influence values of a class within clusters, from their shares of the class.

    A sample without the cluster differs by its sum over one less its share: the squares of such differences are the
    leave-one-cluster-out jackknife, to first order. Clusters of equal shares have the factor 1, so that G/(G - 1) times
    the squares of the sums is the variance of both.

    Parameters
    ----------
    share : array (..., G)
    clusters : int
        G.
    """
    # shares that were added up may miss 1 by rounding, over which the sums of a whole class, 0, would be anything
    others = (share < 1) & (np.count_nonzero(share, axis=-1, keepdims=True) > 1)
    rest = np.where(others, 1 - share, 1.0)
    return np.where(others, (1 - 1 / clusters) / rest, 1.0)


def resolve(design: str | None, prevalence: float | None) -> str:
    """Return the design; a prevalence that is set is known, as in a case-control study.

    Raises
    ------
    ParameterError
        If there is no such design, no such prevalence, or a cohort is given a prevalence.
    """
    if prevalence is not None:
        _checks.prevalence(prevalence)
    if design is None:
        return "cohort" if prevalence is None else "case-control"
    _checks.choice("design", design, DESIGNS)
    if prevalence is not None and design == "cohort":
        raise ParameterError(
            "the prevalence of a cohort is the sampled one: leave prevalence out, or use design='case-control'"
        )
    return design
