"""Scores of molecules that were not in training, and what they say honestly."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags

from hitcurve import _checks, rows
from hitcurve.errors import DirectionWarning, ParameterError, SingleClassError
from hitcurve.evaluation import Evaluation, evaluate
from hitcurve.inference import Estimate
from hitcurve.learn.fingerprints import Array
from hitcurve.learn.rankers import two_classes
from hitcurve.metrics import Metric


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


def out_of_fold(estimator: Any, X: Any, y: Any, *, cv: Any = 10, groups: Any = None) -> OutOfFold:
    """Score every subject by a model that was trained on the other folds.

    Parameters
    ----------
    estimator : estimator
        With ``decision_function`` or ``predict_proba``; it is not changed. Of one that takes precomputed similarities
        (``pairwise``), rows and columns are taken out.
    X : array-like or sparse matrix (n, features)
    y : array-like (n,)
        Two classes; the last in order is the positive one.
    cv : int, splitter or iterable of (train, test)
        A number is that of stratified folds, in the order of the rows.
    groups : array-like (n,), optional
        For splitters that keep groups together.

    Returns
    -------
    OutOfFold

    Raises
    ------
    SingleClassError
        If the training or test part of a fold has no positive or no negative.
    ParameterError
        If the folds do not leave out every subject exactly once.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import AUC
    >>> from sklearn.linear_model import LogisticRegression
    >>> y = np.arange(60) % 3 == 0
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) + y[:, None]
    >>> out = out_of_fold(LogisticRegression(), X, y, cv=5)
    >>> round(AUC()(out.positive, out.scores), 3)
    0.83
    """
    X = X if hasattr(X, "shape") else np.asarray(X)
    X = X.tocsr() if hasattr(X, "tocsr") else X
    y = np.asarray(y)
    _checks.same_length({"X": range(X.shape[0]), "y": y})
    _, positive = two_classes(y)
    splits = [(np.asarray(a), np.asarray(b)) for a, b in check_cv(cv, y, classifier=True).split(X, y, groups)]
    check_folds(positive, splits)
    pairwise = get_tags(estimator).input_tags.pairwise
    scores, fold, models = np.empty(y.size), np.empty(y.size, int), []
    for number, (train, test) in enumerate(splits):
        model = clone(estimator)
        model.fit(_part(X, train, train, pairwise=pairwise), y[train])
        scores[test] = positive_scores(model, _part(X, test, train, pairwise=pairwise))
        fold[test] = number
        models.append(model)
    return OutOfFold(positive, scores, fold, tuple(models))


def _part(X: Any, rows: Array, columns: Array, *, pairwise: bool) -> Any:
    some = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
    return some[:, columns] if pairwise else some


def check_folds(positive: Array, splits: Iterable[tuple[Array, Array]]) -> None:
    """Refuse folds without a class, and folds that do not leave out everybody once."""
    times = np.zeros(positive.size, int)
    for number, (train, test) in enumerate(splits, start=1):
        times[test] += 1
        for part, name in ((train, "training"), (test, "test")):
            for has, what in ((positive[part].any(), "active"), (not positive[part].all(), "inactive")):
                if not has:
                    raise SingleClassError(
                        f"fold {number} has no {what} among its {part.size} {name} subjects: use fewer or stratified "
                        "folds"
                    )
    if (times != 1).any():
        row = int(np.argmax(times != 1))
        raise ParameterError(f"folds must leave out every subject once, the one in row {row} {times[row]} times")


def evaluate_scores(
    positive: Array, scores: dict[str, Array], metric: str | Metric, confidence_level: float = 0.95
) -> Evaluation:
    """Evaluate out-of-fold scores; that a model ranks worse than chance does not mean that its scores are reversed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirectionWarning)
        return evaluate(positive, scores, metrics=metric, confidence_level=confidence_level)


@dataclass(frozen=True, eq=False)
class NestedResult:
    """What a way of choosing models is worth on new subjects, and what it promised.

    Attributes
    ----------
    estimate : Estimate
        The honest one: every subject was scored by a model that was chosen and trained without it.
    promised : tuple of float
        The value by which the model was chosen within each outer training part: the best of many, hence too good.
    chosen : tuple
        What was chosen in each outer fold.
    out_of_fold : OutOfFold
    """

    estimate: Estimate
    promised: tuple[float, ...]
    chosen: tuple[Any, ...]
    out_of_fold: OutOfFold

    @property
    def optimism(self) -> float:
        """Mean of what was promised, less the honest estimate."""
        return float(np.mean(self.promised)) - self.estimate.value

    def __str__(self) -> str:
        """Return the honest estimate, and what was promised."""
        promised = rows.short(float(np.mean(self.promised)))
        return f"{self.estimate}; the choice within the folds promised {promised}"


def nested_cross_validation(
    search: Any,
    X: Any,
    y: Any,
    *,
    metric: str | Metric,
    cv: Any = 5,
    groups: Any = None,
    confidence_level: float = 0.95,
) -> NestedResult:
    """Estimate honestly what a choice among models is worth: the choice is made anew without each outer fold.

    Parameters
    ----------
    search : estimator
        One that chooses by itself: a :class:`~hitcurve.learn.ModelChoice`, or a search of scikit-learn with
        ``scoring=hitcurve.scorer(metric)``.
    X : array-like or sparse matrix (n, features)
    y : array-like (n,)
        Two classes; the last in order is the positive one.
    metric : str or Metric
        Of the pooled scores of the outer folds.
    cv : int, splitter or iterable of (train, test)
        The outer folds.
    groups : array-like (n,), optional
    confidence_level : float in (0, 1)

    Returns
    -------
    NestedResult

    Notes
    -----
    Scores of different folds are pooled as they are, so they must be on one scale, as log-odds and similarities are.
    The standard error is that of the subjects; that other training sets would give other models is not in it.

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
    if not any(hasattr(search, name) for name in ("candidates", "refit")):
        raise ParameterError(
            f"{type(search).__name__} does not choose among models: give a ModelChoice or a search of scikit-learn"
        )
    out = out_of_fold(search, X, y, cv=cv, groups=groups)
    found = evaluate_scores(out.positive, {"chosen": out.scores}, metric, confidence_level)
    (estimate,) = found
    promised = tuple(float(model.best_score_) for model in out.models)
    chosen = tuple(getattr(model, "best_name_", None) or model.best_params_ for model in out.models)
    return NestedResult(estimate, promised, chosen, out)
