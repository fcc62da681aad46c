"""Markers as features: a score function for selectors of scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.errors import InputError
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as read_metric
from hitcurve.screens.api import screen
from hitcurve.screens.result import Screen
from hitcurve.sources.alignment import put_in_order


class Scored(NamedTuple):
    """Scores of the columns of a matrix.

    Attributes
    ----------
    scores : array (m,)
        Higher is better; nan where a column could not be evaluated, such as a constant one.
    pvalues : array (m,)
        Of columns that could not be evaluated 1.
    """

    scores: Array
    pvalues: Array


@dataclass(frozen=True)
class MarkerScore:
    """Score function of the columns of a matrix, by :func:`hitcurve.marker_score`.

    Attributes
    ----------
    metric : Metric
    options : mapping
        Further arguments of :func:`hitcurve.screen`.
    """

    metric: Metric
    options: Mapping[str, Any]

    def __call__(self, X: Any, y: Any) -> Scored:
        """Return a score and a p value of each column.

        Warns
        -----
        AlignmentWarning
            If labels were put in the order of the rows by their index.
        """
        found = put_in_order({"X": X, "y": y}, parts=True)
        X, y = found["X"], found["y"]
        return scored(self.screen(X, y), self.metric, X.shape[1])

    def screen(self, X: Any, y: Any) -> Screen | None:
        """Return the screen of the columns; None if none of them can be evaluated."""
        # a matrix has no names here: its columns are known by their places
        matrix = X if hasattr(X, "tocsc") else np.asarray(X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a column without a score says so itself
            try:
                found: Screen = screen(matrix, y, metrics=self.metric, **self.options)
            except InputError as error:
                if "no marker is left" in str(error):
                    return None
                raise
        return found


def scored(found: Screen | None, metric: Metric, count: int) -> Scored:
    """Return scores and p values of all columns, of which some may not have been evaluated."""
    scores, pvalues = np.full(count, np.nan), np.ones(count)
    if found is not None:
        sign = -1.0 if metric.lower_is_better else 1.0
        scores[found.places] = sign * found.value[0]
        pvalues[found.places] = np.where(np.isnan(found.pvalue[0]), 1.0, found.pvalue[0])
    return Scored(scores, pvalues)


def marker_score(
    metric: str | Metric = "ap",
    *,
    direction: str = "auto",
    pos_label: Any = None,
    missing: str = "raise",
    n_resamples: int = 9999,
    rng: int | None = None,
) -> MarkerScore:
    """Return a score function for ``SelectKBest``, ``SelectFdr`` and the like of scikit-learn.

    Called with a matrix and labels, it returns the values of the metric for each column, higher being better, and their
    p values against random orders. Inside a pipeline it sees the training data of each fold alone, as it must: columns
    chosen by all data make any later estimate of performance too high.

    Parameters
    ----------
    metric : str or Metric
    direction : {"auto", "high", "low"}
        As in :func:`hitcurve.screen`. With ``auto`` a column is as good as its better direction, and its p value is
        doubled.
    pos_label : object, optional
        Label of the positives; needed unless it is unambiguous.
    missing : {"raise", "drop", "last", "omit"}
    n_resamples : int
        Random orders for p values that have no formula. Selectors by rank need no p values: 1 will do.
    rng : int, optional

    Returns
    -------
    MarkerScore
        A function of ``X`` and ``y``; its result unpacks into scores and p values.

    Raises
    ------
    ParameterError, MetricParseError
        For arguments that are none.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.feature_selection import SelectKBest
    >>> from hitcurve import marker_score
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [30, 70])
    >>> X = rng.normal(size=(100, 50))
    >>> X[:, 7] -= 2 * y
    >>> SelectKBest(marker_score("ap"), k=1).fit(X, y).get_support(indices=True)
    array([7])
    """
    _checks.choice("direction", direction, ("high", "low", "auto"))
    _checks.one_label(pos_label)
    draws = _checks.resamples(n_resamples)
    options = {"direction": direction, "pos_label": pos_label, "missing": missing, "n_resamples": draws, "rng": rng}
    return MarkerScore(read_metric(metric), options)
