"""Scores of subjects by models that were trained on the other folds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import get_tags

from hitcurve import _checks
from hitcurve.errors import DirectionWarning, MissingValueError, ParameterError, SingleClassError
from hitcurve.evaluation import Evaluation, evaluate
from hitcurve.learn.classes import two_classes
from hitcurve.learn.estimators import check_is_estimator, in_order_of, positive_scores, read_params
from hitcurve.learn.fingerprints import Array
from hitcurve.metrics import Metric
from hitcurve.metrics.sklearn_scorer import inliers_are_positive
from hitcurve.sources import columns, read_names
from hitcurve.sources.models import is_detector, rows_of


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Scores of subjects by models that were trained without them.

    Attributes
    ----------
    positive : ndarray of bool (n,)
    scores : ndarray of float (n,)
    fold : ndarray of int (n,)
        Number of the fold that leaves each subject out, from 0.
    models : tuple of estimators
        The model of each fold.
    notes : tuple of str
        What was put in the order of another by its index, in words.
    """

    positive: Array
    scores: Array
    fold: Array
    models: tuple[Any, ...]
    notes: tuple[str, ...] = ()


def out_of_fold(
    estimator: Any, X: Any, y: Any, *, cv: Any = 10, clusters: Any = None, params: Mapping[str, Any] | None = None
) -> OutOfFold:
    """Score every subject by a model that was trained on the other folds.

    Parameters
    ----------
    estimator : estimator
        With ``decision_function`` or ``predict_proba``; it is not changed. For precomputed similarities (``pairwise``),
        folds select rows and columns.
    X : array-like, sparse matrix or data frame (n, features)
    y : array-like (n,)
        Two classes; the last in order is the positive one. Like ``clusters`` and ``params`` it is put in the order of
        X where both have an index of pandas with the same labels; a default index counts by position.
    cv : int, splitter or iterable of (train, test)
        A number gives stratified folds, in the order of the rows; they keep clusters together if there are any.
        Rows are given by their numbers or by a mask.
    clusters : array-like (n,), optional
        The cluster of each row, such as its scaffold or its molecule. A number of folds keeps clusters together; a
        splitter gets them as its ``groups``.
    params : mapping of str to array-like (n,), optional
        Parameters of ``fit`` beside X and y, one value for each row: ``{"ids": ids}`` where rows are copies of
        molecules, or ``{"sample_weight": weights}``. Each fold gets the values of its training rows.

    Returns
    -------
    OutOfFold

    Raises
    ------
    SingleClassError
        If y, or the training or test part of a fold, has no positive or no negative.
    LabelError, MissingValueError
        If there are more than two classes, the positive class is known not to be the last in order, or a label is
        missing; if a detector of outliers gets other labels than 1 for inliers and -1 for outliers.
    LengthMismatchError, InputError
        If X, y, ``clusters`` and ``params`` differ in length, or their indexes name different rows; if a cluster is
        missing, or names mix text and numbers.
    ParameterError
        If the folds do not leave out every subject exactly once, or train on subjects they leave out; if the estimator
        gives no scores, or ``fit`` does not take a name in ``params``.

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
    found, params, notes = in_order_of(X, params, y=y, clusters=clusters)
    y, clusters = np.asarray(found["y"]), found["clusters"]
    _checks.same_length({"X": range(X.shape[0]), "y": y})
    _, positive = two_classes(y)
    if is_detector(estimator):
        inliers_are_positive(y, None)
    params = read_params(estimator, estimator.fit, params, y.size)
    splits = read_folds(cv, X, y, positive, clusters)
    pairwise = get_tags(estimator).input_tags.pairwise
    scores, fold, models = np.empty(y.size), np.empty(y.size, int), []
    for number, (train, test) in enumerate(splits):
        model = clone(estimator)
        own = {name: rows_of(values, train) for name, values in params.items()}
        model.fit(_part(X, train, train, pairwise=pairwise), y[train], **own)
        scores[test] = positive_scores(model, _part(X, test, train, pairwise=pairwise))
        fold[test] = number
        models.append(model)
    return OutOfFold(positive, scores, fold, tuple(models), notes)


def _part(X: Any, rows: Array, columns: Array, *, pairwise: bool) -> Any:
    some = rows_of(X, rows)
    if not pairwise:
        return some
    return some.iloc[:, columns] if hasattr(some, "iloc") else some[:, columns]


def read_folds(cv: Any, X: Any, y: Array, positive: Array, clusters: Any) -> list[tuple[Array, Array]]:
    """Return the rows of the training and test part of each fold.

    Raises
    ------
    SingleClassError
        If a part has no positive or no negative.
    ParameterError
        If the folds do not leave out every subject exactly once, or train on subjects they leave out.
    LengthMismatchError, MissingValueError, InputError
        If clusters are not one name for each row.
    """
    if clusters is not None:
        gone = columns.labels("clusters", clusters).gone
        if gone is not None:
            raise MissingValueError(
                f"{int(gone.sum())} of {gone.size} clusters are missing: give an independent subject a cluster of its "
                "own"
            )
        clusters = read_names("clusters", clusters)
        _checks.same_length({"y": y, "clusters": clusters})
    if isinstance(cv, Integral) and clusters is not None:
        cv = StratifiedGroupKFold(int(cv))
    splits, times = [], np.zeros(y.size, int)
    for number, parts in enumerate(check_cv(cv, y, classifier=True).split(X, y, clusters), start=1):
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
                f"row {shared[0]}: give folds whose training and test rows are disjoint"
            )
        times += np.bincount(test, minlength=y.size)
        splits.append((train, test))
    if (times != 1).any():
        row = int(np.argmax(times != 1))
        raise ParameterError(
            f"folds must leave out every subject exactly once, they leave out row {row} {times[row]} times"
        )
    return splits


def _rows(part: Any, n: int, fold: str) -> Array:
    """Return the numbers of the rows that numbers, also from the end, or a mask select."""
    part = np.asarray(part)
    try:
        return np.arange(n)[part if part.size else []]
    except IndexError as error:
        raise ParameterError(f"{fold} selects rows that are not among the {n} subjects: {error}") from None


def evaluate_scores(
    positive: Array, scores: dict[str, Array], metric: str | Metric, confidence_level: float = 0.95
) -> Evaluation:
    """Evaluate out-of-fold scores."""
    with any_direction():
        return evaluate(positive, scores, metrics=metric, confidence_level=confidence_level)


@contextmanager
def any_direction() -> Iterator[None]:
    """Ignore the warning of a reversed direction: a model may rank worse than chance and still give its scores."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirectionWarning)
        yield
