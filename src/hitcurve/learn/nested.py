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
    """What a way of choosing models is worth on new subjects, and what it promised.

    Attributes
    ----------
    estimate : Estimate or GroupMean
        The honest one: every subject was scored by a model that was chosen and trained without it. Of the pooled
        scores if the same was chosen in every outer fold, else the mean over the outer folds.
    promised : tuple of float, or None
        The value by which the model was chosen within each outer training part: the best of many, hence too good.
        That of a :class:`~hitcurve.learn.ModelChoice` is of the pooled scores of its folds, that of a search of
        scikit-learn the mean over its folds. None if it was not chosen by the metric of the estimate.
    chosen : tuple
        What was chosen in each outer fold. If that is a search too, what it chose in turn is told by ``out_of_fold``.
    out_of_fold : OutOfFold
    """

    estimate: Estimate | GroupMean
    promised: tuple[float, ...] | None
    chosen: tuple[Any, ...]
    out_of_fold: OutOfFold

    @property
    def optimism(self) -> float | None:
        """Mean of what was promised, less the honest estimate: above 0 if the choice promised too much.

        None if nothing was promised in this metric, or its values depend on how many subjects there are, as hits in
        the first 50: promise and estimate are of lists of unlike lengths.
        """
        if self.promised is None or _follows_length(self.estimate.metric):
            return None
        return float(np.mean(self.promised)) - self.estimate.value

    def __str__(self) -> str:
        """Return the honest estimate, and what was promised."""
        if self.promised is None:
            return f"{self.estimate}; the choice within the folds was by something else, and promised nothing of this"
        promised = rows.short(float(np.mean(self.promised)))
        of = " of lists of another length, so the two do not compare" if _follows_length(self.estimate.metric) else ""
        return f"{self.estimate}; the choice within the folds promised {promised}{of}"


def _follows_length(metric: Metric) -> bool:
    """Whether the values of a metric depend on how long the list is: it counts whole ranks, or cuts at one."""
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
    """Estimate honestly what a choice among models is worth: the choice is made anew without each outer fold.

    Parameters
    ----------
    search : estimator
        One that chooses by itself: a :class:`~hitcurve.learn.ModelChoice`, or a search of scikit-learn with
        ``scoring=hitcurve.scorer(metric)``. One that chooses by something else is estimated too, but what it promised
        is no value of ``metric``, and is left out.
    X : array-like, sparse matrix or data frame (n, features)
    y : array-like (n,)
        Two classes; the last in order is the positive one.
    metric : str or Metric
        Of the scores of the outer folds.
    cv : int, splitter or iterable of (train, test)
        The outer folds.
    clusters : array-like (n,), optional
        The cluster of each row: the outer folds keep clusters together, and so do the folds of the search, which gets
        the clusters of its rows. A search of scikit-learn gets them as ``groups``: with a number of folds it ignores
        them, with a warning, so give it a splitter such as ``GroupKFold``.
    params : mapping of str to array-like (n,), optional
        What ``fit`` of the models takes beside X and y, as in :func:`~hitcurve.learn.out_of_fold`.
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
        What :func:`~hitcurve.learn.out_of_fold` does not take.
    UndefinedMetricError
        If the metric has no meaning on the scores.

    Notes
    -----
    Where every outer fold chose the same (the same place in the list of candidates, and, if that is a search too, the
    same in it), their scores are pooled as they are, as those of one model are, and the standard error is that of the
    subjects. Scores of unlike models are not on one scale, and a pooled list would mix
    them up: then every outer fold is a list of its own, and the estimate is the mean over folds with the standard
    error of that mean. That other training sets would give other models is in neither.

    Values that grow with the length of the list, as hits in the first 50, are those of all subjects in the one case,
    of one fold in the other, and of an inner fold, or of an outer training part, in what was promised: then `optimism`
    is None. Nor is the mean over folds, by which searches of scikit-learn choose, the value of the pooled scores, so
    `optimism` is told best of a :class:`~hitcurve.learn.ModelChoice`.

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
    _checks.open_unit("confidence_level", confidence_level)
    if not is_search(search):
        raise ParameterError(
            f"{type(search).__name__} does not choose among models: give a ModelChoice or a search of scikit-learn"
        )
    if getattr(search, "refit", True) is False:
        raise ParameterError(f"{type(search).__name__} with refit=False does not train what it chose: nothing to score")
    inner = params
    if clusters is not None:
        inner = {**(params or {}), "clusters" if hasattr(search, "candidates") else "groups": clusters}
    out = out_of_fold(search, X, y, cv=cv, clusters=clusters, params=inner)
    chosen = tuple(model.best_name_ if hasattr(model, "best_name_") else model.best_params_ for model in out.models)
    promised = tuple(map(_promised, out.models)) if _chosen_by(search) == wanted else None
    return NestedResult(_honest(out, wanted, confidence_level), promised, chosen, out)


def _choices(model: Any) -> tuple[Any, ...]:
    """Return what a search chose, and what that chose in turn, as what is the same in every fold if the choice is."""
    model = last_step(model)
    if hasattr(model, "best_name_"):
        own = model.best_name_
    elif isinstance(model, GridSearchCV):
        own = model.best_index_  # its candidates are copied for each fold, and copies need not be equal
    elif hasattr(model, "best_params_"):  # candidates that are drawn, or that others drop out of, have no fixed places
        own = repr(model.best_params_)
    else:
        return ()
    return (own, *_choices(model.best_estimator_))


def _honest(out: OutOfFold, metric: Metric, confidence_level: float) -> Estimate | GroupMean:
    """Return the estimate from pooled scores if they are of models alike, else the mean over folds."""
    if len(set(map(_choices, out.models))) == 1:
        return evaluate_scores(out.positive, {"chosen": out.scores}, metric, confidence_level)["chosen", metric]
    with any_direction():
        by_fold = evaluate(
            out.positive, {"chosen": out.scores}, by=out.fold + 1, metrics=metric, confidence_level=confidence_level
        )
    return by_fold.mean("chosen", metric)


def _chosen_by(search: Any) -> Metric | None:
    """Return the metric by which a search chooses, None if it is none of this package."""
    if hasattr(search, "candidates"):
        return read_metric(search.metric)
    scoring = search.scoring
    if isinstance(scoring, Mapping) and isinstance(search.refit, str):
        scoring = scoring[search.refit]
    wanted: Metric | None = getattr(scoring, "metric", None)  # of hitcurve.scorer
    return wanted


def _promised(search: Any) -> float:
    """Return the value of what was chosen; scikit-learn keeps it in the table if a function made the choice."""
    if hasattr(search, "best_score_"):
        return float(search.best_score_)
    return float(search.cv_results_["mean_test_score"][search.best_index_])
