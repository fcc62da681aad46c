"""Nested cross-validation: the value of a way of choosing models on new subjects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV

from hitcurve import _checks, rows
from hitcurve.errors import ParameterError
from hitcurve.evaluation import evaluate
from hitcurve.groups import GroupMean
from hitcurve.inference import Estimate
from hitcurve.learn.estimators import is_search, last_step
from hitcurve.learn.folds import OutOfFold, any_direction, evaluate_scores, out_of_fold
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as read_metric


@dataclass(frozen=True, eq=False)
class NestedResult:
    """Estimate of a model selection procedure on new subjects, and the values of its own selection.

    Attributes
    ----------
    estimate : Estimate or GroupMean
        The nested estimate: every subject was scored by a model chosen and trained without it. It is computed from the
        pooled scores if the same model was chosen in every outer fold, else it is the mean over the outer folds.
    promised : tuple of float, or None
        Estimate from model selection within each outer training part: the value of the chosen model, biased upwards as
        the best of many. For a :class:`~hitcurve.learn.ModelChoice` it is the value of the pooled scores of its folds,
        for a search of scikit-learn the mean over its folds. None if the choice used another metric than the estimate.
    chosen : tuple
        The choice in each outer fold. If it is itself a search, ``out_of_fold.models`` has its choice in turn.
    out_of_fold : OutOfFold
    """

    estimate: Estimate | GroupMean
    promised: tuple[float, ...] | None
    chosen: tuple[Any, ...]
    out_of_fold: OutOfFold

    @property
    def optimism(self) -> float | None:
        """Mean of ``promised`` minus the nested estimate: above 0 if the selection was optimistic.

        None if ``promised`` is None, or if values of the metric depend on the number of subjects, such as hits in the
        first 50: the two are computed from lists of different length.
        """
        if self.promised is None or _follows_length(self.estimate.metric):
            return None
        return float(np.mean(self.promised)) - self.estimate.value

    def __str__(self) -> str:
        """Return the nested estimate, and the mean of ``promised``."""
        if self.promised is None:
            return f"{self.estimate}; the selection within the folds did not use this metric"
        promised = rows.short(float(np.mean(self.promised)))
        of = (
            " for lists of another length, so the two are not comparable"
            if _follows_length(self.estimate.metric)
            else ""
        )
        return f"{self.estimate}; estimate from model selection {promised}{of}"


def _follows_length(metric: Metric) -> bool:
    """Whether values of a metric depend on the length of the list: it uses whole ranks, or a cutoff at one."""
    return metric.axis == "rank" or isinstance(getattr(metric, "at", None), int)


def nested_cross_validation(
    search: Any,
    X: Any,
    y: Any,
    *,
    metric: str | Metric,
    cv: Any = 5,
    clusters: Any = None,
    params: Mapping[str, Any] | None = None,
    confidence_level: float = 0.95,
) -> NestedResult:
    """Estimate a model selection procedure by nested cross-validation: the choice is repeated without each outer fold.

    Parameters
    ----------
    search : estimator
        A :class:`~hitcurve.learn.ModelChoice`, or a search of scikit-learn whose ``scoring=`` is a metric or
        ``hitcurve.scorer(metric)``. A search that chooses by another score is estimated too, but ``promised`` is then
        None.
    X : array-like, sparse matrix or data frame (n, features)
    y : array-like (n,)
        Two classes; the last in order is the positive one.
    metric : str or Metric
        Metric of the scores of the outer folds.
    cv : int, splitter or iterable of (train, test)
        The outer folds.
    clusters : array-like (n,), optional
        The cluster of each row: the outer folds keep clusters together, and so do the folds of the search, which gets
        the clusters of its rows. A search of scikit-learn gets them as ``groups``: with a number of folds it ignores
        them, with a warning, so give it a splitter such as ``GroupKFold``.
    params : mapping of str to array-like (n,), optional
        Parameters of ``fit`` of the models beside X and y, as in :func:`~hitcurve.learn.out_of_fold`.
    confidence_level : float in (0, 1)

    Returns
    -------
    NestedResult

    Raises
    ------
    ParameterError, MetricParseError
        If ``search`` does not choose among models, or does not train the chosen one; if ``metric`` is not one metric,
        or the confidence level is not between 0 and 1.
    SingleClassError, LabelError, LengthMismatchError, ParameterError
        As in :func:`~hitcurve.learn.out_of_fold`.
    UndefinedMetricError
        If the metric is undefined for the scores.

    Notes
    -----
    Where every outer fold chose the same model (the same position in the list of candidates and, if the candidate is
    itself a search, the same choice in it), the scores of all folds are pooled without change, and the standard error
    describes the sampling of subjects. Scores of different models are not on one scale. Then every outer fold is a
    separate list, and the estimate is the mean over folds with the standard error of that mean, corrected for
    the training data that folds share (Nadeau and Bengio 2003). The standard error of pooled scores does not include
    the variability of training sets.

    Values that depend on the length of the list, such as hits in the first 50, are computed from all subjects in the
    first case and from one fold in the second. ``promised`` is computed from an inner fold or an outer training part:
    `optimism` is then None. Searches of scikit-learn choose by the mean over folds, which is not the value of the
    pooled scores, so `optimism` is best read for a :class:`~hitcurve.learn.ModelChoice`.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import scorer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import GridSearchCV
    >>> y = np.arange(120) % 4 == 0
    >>> X = np.random.default_rng(0).normal(size=(120, 8)) + 0.5 * y[:, None]
    >>> search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring=scorer("ap"), cv=3)
    >>> result = nested_cross_validation(search, X, y, metric="ap", cv=3)
    >>> len(result.chosen), sorted(result.chosen[0])
    (3, ['C'])
    """
    wanted = read_metric(metric)
    confidence_level = _checks.level("confidence_level", confidence_level)
    if not is_search(search):
        raise ParameterError(
            f"{type(search).__name__} does not choose among models: give a ModelChoice or a search of scikit-learn"
        )
    if getattr(search, "refit", True) is False:
        raise ParameterError(
            f"{type(search).__name__} with refit=False does not train the chosen model: set refit=True"
        )
    inner = params
    if clusters is not None:
        inner = {**(params or {}), "clusters" if hasattr(search, "candidates") else "groups": clusters}
    out = out_of_fold(search, X, y, cv=cv, clusters=clusters, params=inner)
    chosen = tuple(model.best_name_ if hasattr(model, "best_name_") else model.best_params_ for model in out.models)
    promised = tuple(map(_promised, out.models)) if _chosen_by(search) == wanted else None
    return NestedResult(_estimate(out, wanted, confidence_level), promised, chosen, out)


def _choices(model: Any) -> tuple[Any, ...]:
    """Return the choice of a search, and its choice in turn, in a form that is equal in folds with equal choices."""
    model = last_step(model)
    if hasattr(model, "best_name_"):
        own = model.best_name_
    elif isinstance(model, GridSearchCV):
        own = model.best_index_  # its candidates are copied for each fold, and copies need not be equal
    elif hasattr(
        model, "best_params_"
    ):  # candidates that are drawn, or that others drop out of, have no fixed position
        own = repr(model.best_params_)
    else:
        return ()
    return (own, *_choices(model.best_estimator_))


def _estimate(out: OutOfFold, metric: Metric, confidence_level: float) -> Estimate | GroupMean:
    """Return the estimate from pooled scores if all models are alike, else the mean over folds."""
    if len(set(map(_choices, out.models))) == 1:
        return evaluate_scores(out.positive, {"chosen": out.scores}, metric, confidence_level)["chosen", metric]
    with any_direction():
        by_fold = evaluate(
            out.positive, {"chosen": out.scores}, folds=out.fold + 1, metrics=metric, confidence_level=confidence_level
        )
    return by_fold.mean("chosen", metric)


def _chosen_by(search: Any) -> Metric | None:
    """Return the metric by which a search chooses, None if it is not of this package."""
    if hasattr(search, "candidates"):
        return read_metric(search.metric)
    scoring = search.scoring
    if isinstance(scoring, Mapping) and isinstance(search.refit, str):
        scoring = scoring[search.refit]
    if hasattr(scoring, "kernel"):  # a metric scores itself
        return read_metric(scoring)
    wanted: Metric | None = getattr(scoring, "metric", None)  # of hitcurve.scorer
    return wanted


def _promised(search: Any) -> float:
    """Return the value of the chosen model; scikit-learn keeps it in the table if a function made the choice."""
    if hasattr(search, "best_score_"):
        return float(search.best_score_)
    return float(search.cv_results_["mean_test_score"][search.best_index_])
