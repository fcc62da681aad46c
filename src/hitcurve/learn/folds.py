"""Scores of molecules that were not in training, and what they say honestly."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import Parameter, signature
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from hitcurve import _checks, rows
from hitcurve.errors import DirectionWarning, MissingValueError, ParameterError, SingleClassError
from hitcurve.evaluation import Evaluation, evaluate
from hitcurve.groups import GroupMean
from hitcurve.inference import Estimate
from hitcurve.learn.fingerprints import Array
from hitcurve.learn.rankers import two_classes
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as read_metric
from hitcurve.sources import columns, read_names
from hitcurve.sources.models import rows_of


def positive_scores(estimator: Any, X: Any) -> Array:
    """Return the scores of the positive class: ``decision_function``, or ``predict_proba`` where that is missing."""
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X), float)
    elif hasattr(estimator, "predict_proba"):
        scores = np.asarray(estimator.predict_proba(X), float)[:, 1]
    else:
        raise ParameterError(f"{type(estimator).__name__} has neither decision_function nor predict_proba: no scores")
    if scores.ndim != 1:
        raise ParameterError(
            f"{type(estimator).__name__} gave {scores.ndim}-dimensional scores: it must know two classes"
        )
    return scores


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Scores of subjects by models that were trained without them.

    Attributes
    ----------
    positive : ndarray of bool (n,)
    scores : ndarray of float (n,)
    fold : ndarray of int (n,)
        Which fold each subject was left out in, from 0.
    models : tuple of estimators
        Those of the folds.
    """

    positive: Array
    scores: Array
    fold: Array
    models: tuple[Any, ...]


def out_of_fold(
    estimator: Any, X: Any, y: Any, *, cv: Any = 10, groups: Any = None, params: Mapping[str, Any] | None = None
) -> OutOfFold:
    """Score every subject by a model that was trained on the other folds.

    Parameters
    ----------
    estimator : estimator
        With ``decision_function`` or ``predict_proba``; it is not changed. Of one that takes precomputed similarities
        (``pairwise``), rows and columns are taken out.
    X : array-like, sparse matrix or data frame (n, features)
    y : array-like (n,)
        Two classes; the last in order is the positive one.
    cv : int, splitter or iterable of (train, test)
        A number is that of stratified folds, in the order of the rows; they keep groups together if there are any.
        Rows are their numbers, or a mask.
    groups : array-like (n,), optional
        What the folds keep together.
    params : mapping of str to array-like (n,), optional
        What ``fit`` takes beside X and y, one for each row: ``{"ids": ids}`` where rows are copies of molecules, or
        ``{"sample_weight": weights}``. Each fold gets those of its training rows.

    Returns
    -------
    OutOfFold

    Raises
    ------
    SingleClassError
        If y, or the training or test part of a fold, has no positive or no negative.
    LabelError, MissingValueError
        If there are more than two classes, the positive one is known not to be the last in order, or one is missing.
    LengthMismatchError, InputError
        If X, y, ``groups`` and ``params`` are not of the same rows; if groups are missing, or mix text and numbers.
    ParameterError
        If the folds do not leave out every subject exactly once, or train on what they leave out; if the estimator
        gives no scores, or ``fit`` does not take what ``params`` names.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve.metrics import AUC
    >>> from sklearn.linear_model import LogisticRegression
    >>> y = np.arange(60) % 3 == 0
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + y[:, None]
    >>> out = out_of_fold(LogisticRegression(), X, y, cv=5)
    >>> round(AUC()(out.positive, out.scores), 3)
    0.83
    """
    check_is_estimator("estimator", estimator)
    X = X if hasattr(X, "shape") else np.asarray(X)
    X = X.tocsr() if hasattr(X, "tocsr") else X
    y = np.asarray(y)
    _checks.same_length({"X": range(X.shape[0]), "y": y})
    _, positive = two_classes(y)
    params = read_params(estimator, estimator.fit, params or {}, y.size)
    splits = read_folds(cv, X, y, positive, groups)
    pairwise = get_tags(estimator).input_tags.pairwise
    scores, fold, models = np.empty(y.size), np.empty(y.size, int), []
    for number, (train, test) in enumerate(splits):
        model = clone(estimator)
        own = {name: rows_of(values, train) for name, values in params.items()}
        model.fit(_part(X, train, train, pairwise=pairwise), y[train], **own)
        scores[test] = positive_scores(model, _part(X, test, train, pairwise=pairwise))
        fold[test] = number
        models.append(model)
    return OutOfFold(positive, scores, fold, tuple(models))


def check_is_estimator(name: str, value: Any) -> None:
    """Refuse what cannot be copied and trained: a number, a name, a class in place of one of its objects."""
    if isinstance(value, type) or not (hasattr(value, "fit") and hasattr(value, "get_params")):
        raise ParameterError(f"{name} must be an estimator, got {value!r}")


def takes(method: Callable[..., Any], name: str) -> bool:
    """Whether a method takes an argument of this name."""
    taken = signature(method).parameters
    return name in taken or any(parameter.kind is Parameter.VAR_KEYWORD for parameter in taken.values())


def read_params(estimator: Any, learn: Callable[..., Any], params: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Return what a method that learns is given beside X and y, one for each of n rows; None is nothing.

    Raises
    ------
    ParameterError
        If the method takes no such thing, or it is not one for each row.
    """
    if not isinstance(params, Mapping):
        raise ParameterError(f"params must be a mapping of names to one value for each row, got {params!r}")
    given = {name: values for name, values in params.items() if values is not None}
    for name, values in given.items():
        if not takes(learn, name):
            raise ParameterError(f"{type(estimator).__name__}.{learn.__name__} takes no {name}")
        if not hasattr(values, "__len__") or isinstance(values, str):
            raise ParameterError(f"{name} must be one for each row, got {values!r}")
        _checks.same_length({"y": range(n), name: values})
    return given


def _part(X: Any, rows: Array, columns: Array, *, pairwise: bool) -> Any:
    some = rows_of(X, rows)
    if not pairwise:
        return some
    return some.iloc[:, columns] if hasattr(some, "iloc") else some[:, columns]


def read_folds(cv: Any, X: Any, y: Array, positive: Array, groups: Any) -> list[tuple[Array, Array]]:
    """Return the rows of the training and test part of each fold.

    Raises
    ------
    SingleClassError
        If a part has no positive or no negative.
    ParameterError
        If the folds do not leave out every subject exactly once, or train on what they leave out.
    LengthMismatchError, MissingValueError, InputError
        If groups are not one name for each row.
    """
    if groups is not None:
        gone = columns.labels("groups", groups).gone
        if gone is not None:
            raise MissingValueError(
                f"{int(gone.sum())} of {gone.size} groups are missing: a subject kept together with no other needs a "
                "group of its own"
            )
        groups = read_names("groups", groups)
        _checks.same_length({"y": y, "groups": groups})
    if isinstance(cv, Integral) and groups is not None:
        cv = StratifiedGroupKFold(int(cv))
    splits, times = [], np.zeros(y.size, int)
    for number, parts in enumerate(check_cv(cv, y, classifier=True).split(X, y, groups), start=1):
        train, test = (_rows(part, y.size, f"fold {number}") for part in parts)
        for part, name in ((train, "training"), (test, "test")):
            for has, what in ((positive[part].any(), "active"), (not positive[part].all(), "inactive")):
                if not has:
                    raise SingleClassError(
                        f"fold {number} has no {what} among its {part.size} {name} subjects: use fewer or stratified "
                        "folds"
                    )
        shared = np.intersect1d(train, test)
        if shared.size:
            raise ParameterError(
                f"fold {number} trains on {shared.size} of the {test.size} subjects that it leaves out, the first in "
                f"row {shared[0]}: their scores would not be those of a model that did not see them"
            )
        times += np.bincount(test, minlength=y.size)
        splits.append((train, test))
    if (times != 1).any():
        row = int(np.argmax(times != 1))
        raise ParameterError(f"folds must leave out every subject once, the one in row {row} {times[row]} times")
    return splits


def _rows(part: Any, n: int, fold: str) -> Array:
    """Return the numbers of rows, of which some may count from the end, or a mask may tell."""
    part = np.asarray(part)
    try:
        return np.arange(n)[part if part.size else []]
    except IndexError as error:
        raise ParameterError(f"{fold} is not of rows of these {n} subjects: {error}") from None


def evaluate_scores(
    positive: Array, scores: dict[str, Array], metric: str | Metric, confidence_level: float = 0.95
) -> Evaluation:
    """Evaluate out-of-fold scores."""
    with _any_direction():
        return evaluate(positive, scores, metrics=metric, confidence_level=confidence_level)


@contextmanager
def _any_direction() -> Iterator[None]:
    """Say nothing of a model that ranks worse than chance: it does not mean that its scores are reversed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirectionWarning)
        yield


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
    groups: Any = None,
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
    groups : array-like (n,), optional
        What the outer folds keep together, and those of the search: its splitter gets the groups of its rows. A number
        of folds of scikit-learn's searches ignores them, with a warning: give these a splitter as ``GroupKFold``.
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
    inner = params if groups is None else {**(params or {}), "groups": groups}
    out = out_of_fold(search, X, y, cv=cv, groups=groups, params=inner)
    chosen = tuple(model.best_name_ if hasattr(model, "best_name_") else model.best_params_ for model in out.models)
    promised = tuple(map(_promised, out.models)) if _chosen_by(search) == wanted else None
    return NestedResult(_honest(out, wanted, confidence_level), promised, chosen, out)


def is_search(estimator: Any) -> bool:
    """Whether an estimator chooses among models."""
    # error_score: what tunes a threshold has a refit too, and no models to choose from
    return hasattr(estimator, "candidates") or all(
        hasattr(estimator, name) for name in ("estimator", "refit", "error_score")
    )


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, of anything else itself."""
    return last_step(estimator.steps[-1][1]) if isinstance(estimator, Pipeline) else estimator


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
    with _any_direction():
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
