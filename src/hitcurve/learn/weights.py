"""Weights of training examples that grow towards the top of the list."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter1d

from hitcurve import _checks
from hitcurve.errors import EmptyInputError, MissingValueError, ParameterError, ScoreError, WeightError
from hitcurve.learn.fingerprints import Array
from hitcurve.sources import columns, put_in_order, refuse_masked

SCHEMES = ("uniform", "power", "exponential")
ALPHA = {"uniform": 0.0, "power": 1.0, "exponential": 7.0}
BY_CLASS = "by-class"
_BINS = 1024  # of the density of scores
_LEAST = np.finfo(float).tiny  # weight of an example, next to 1 for the first


def early_retrieval_weights(
    y_score: Any,
    *,
    scheme: str = "power",
    density: bool | str = False,
    alpha: float | None = None,
    sample_weight: Any = None,
    y_true: Any = None,
) -> Array:
    """Return weights of training examples that grow towards the top of the list.

    With ranks r from 1, the mean rank for equal scores, and N examples: ``r**-alpha`` (power) or
    ``exp(-alpha * r / N)`` (exponential), optionally times the density of the scores around that of the example,
    scaled to a mean of 1.

    Parameters
    ----------
    y_score : array-like (n,)
        Scores of the examples, positives and negatives; higher is ranked earlier.
    scheme : {"power", "exponential", "uniform"}
    density : bool or "by-class"
        Whether weights are multiplied by the density: where scores are dense, a small change moves many ranks. It is
        estimated by a Gaussian kernel of Scott's width on 1,024 bins. ``by-class``: by that of the scores of the
        example's own class, with a mean of 1 in either.
    alpha : float, optional
        Decay of the weights; by default 1 for power and 7 for exponential. 0 is uniform, and ``uniform`` has no alpha.
    sample_weight : array-like (n,), optional
        How often each example is there: one of weight 2 is ranked, counted and averaged as two of weight 1 that tie,
        and one of weight 0 as none. The weights that are returned are for each of them: multiply.
    y_true : array-like of bool (n,), optional
        Which examples are positive, for ``density="by-class"``.

    Returns
    -------
    ndarray of float (n,)
        Positive, with mean 1; if alpha is very large, the last weights are the least positive number.

    Raises
    ------
    EmptyInputError, MissingValueError, ScoreError
        If there is no score, one is missing, or they are not one real number each (with ``density`` finite ones).
    WeightError, LengthMismatchError
        If weights are not one number of at least 0 for each score, or all 0.
    ParameterError
        If the scheme is unknown, alpha not a finite number of at least 0, or density neither True nor False.

    References
    ----------
    Swamidass et al. 2010, Bioinformatics 26:1348, appendix A.

    Examples
    --------
    >>> early_retrieval_weights([0.9, 0.5, 0.7]).round(3)
    array([1.636, 0.545, 0.818])
    >>> early_retrieval_weights([0.9, 0.5, 0.7], scheme="exponential", alpha=3).round(3)
    array([1.996, 0.27 , 0.734])
    """
    _checks.choice("scheme", scheme, SCHEMES)
    density = read_density(density)
    alpha = ALPHA[scheme] if alpha is None else finite_number("alpha", alpha)
    refuse_masked(y_true=y_true)
    found = put_in_order({"y_score": y_score, "sample_weight": sample_weight, "y_true": y_true})
    y_score, sample_weight, y_true = found.values()
    scores = _read_scores(y_score)
    times = np.ones(scores.size) if sample_weight is None else columns.weights(sample_weight)
    _checks.same_length({"y_score": scores, "sample_weight": times})
    total = float(np.sum(times))
    if not total:
        raise WeightError("all weights are 0: give at least one above 0")
    weight = np.ones(scores.size) if scheme == "uniform" else _falling(_ranks(scores, times), total, scheme, alpha)
    if density == BY_CLASS:
        weight = weight * _by_class(scores, times, y_true)
    elif density:
        weight = weight * _density(scores, times, total)
    return np.asarray(weight / (np.sum(weight * times) / total), float)


def _read_scores(y_score: Any) -> Array:
    column = columns.scores("y_score", y_score)
    if not column.values.size:
        raise EmptyInputError("y_score is empty: the input has no rows")
    if column.gone is not None:
        raise MissingValueError(
            f"{int(column.gone.sum())} of {column.values.size} scores are missing: leave these rows out"
        )
    return column.values.astype(float)


def finite_number(name: str, value: Any) -> float:
    """Return a finite number of at least 0, or raise."""
    number = _checks.real_number(name, value)
    if not 0 <= number < math.inf:
        raise ParameterError(f"{name} must be a finite number of at least 0, got {value!r}")
    return number


def read_density(density: Any) -> bool | str:
    """Return what weights are multiplied by: True, False or ``by-class``, or raise."""
    if isinstance(density, str):
        if density != BY_CLASS:
            raise ParameterError(f"density must be True, False or {BY_CLASS!r}, got {density!r}")
        return density
    true_or_false("density", density)
    return bool(density)


def true_or_false(name: str, value: Any) -> None:
    """Raise unless the value is a bool: a string such as "no" counts as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name} must be True or False, got {value!r}")


def _ranks(scores: Array, times: Array) -> Array:
    """Return the mean rank of the examples that tie with each, which is there so many times."""
    _, tie = np.unique(-scores, return_inverse=True)
    size = np.bincount(tie, weights=times)
    return np.asarray((np.cumsum(size) - size / 2 + 0.5)[tie])


def _falling(rank: Array, total: float, scheme: str, alpha: float) -> Array:
    """Return weights that fall with the rank, up to a factor."""
    weight = rank**-alpha if scheme == "power" else np.exp(-alpha * rank / total)
    if weight.min() < _LEAST:  # too steep for a number: as shares of the first one
        steep = alpha * (np.log(rank) if scheme == "power" else rank / total)
        weight = np.maximum(np.exp(steep.min() - steep), _LEAST)
    return np.asarray(weight)


def _by_class(scores: Array, times: Array, y_true: Any) -> Array:
    """Return the density of the scores of its own class at each example, with a mean of 1 in either class."""
    positive = None if y_true is None else np.asarray(y_true)
    if positive is None or positive.dtype != bool or positive.shape != scores.shape:
        raise ParameterError(
            f"density={BY_CLASS!r} needs y_true, True or False for each of {scores.size} scores, got {y_true!r:.60}"
        )
    found = np.zeros(scores.size)
    for own in (positive, ~positive):
        total = float(np.sum(times[own]))
        if total:
            # a density counts its examples up to the width of a bin, which differs between the classes
            shape = _density(scores[own], times[own], total)
            found[own] = shape * (total / float(np.sum(shape * times[own])))
    return found


def _density(scores: Array, times: Array, total: float) -> Array:
    """Return the density of scores at each of them, up to a factor."""
    if not np.isfinite(scores).all():
        raise ScoreError("the density of scores needs finite scores: set density=False")
    there = scores[times > 0]
    low, high = there.min(), there.max()
    if low == high:
        return np.ones(scores.size)
    width = (high - low) / _BINS
    spread = np.sqrt(np.sum(times * (scores - np.sum(times * scores) / total) ** 2) / total)
    bandwidth = max(spread * total**-0.2, width)
    room = 4 * bandwidth  # so that nothing is lost at the ends
    edges = np.linspace(low - room, high + room, _BINS + 1)
    counted, _ = np.histogram(scores, edges, weights=times)
    smooth = gaussian_filter1d(counted, bandwidth / (edges[1] - edges[0]), mode="constant")
    found = np.interp(scores, (edges[1:] + edges[:-1]) / 2, smooth)
    # an isolated example still has its own density
    return np.asarray(np.maximum(found, found[times > 0].max() * 1e-12))
