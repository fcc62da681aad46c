"""Scores of fitted classifiers: their probabilities or decision values for the positive class, on other subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.errors import ParameterError

RESPONSES = ("decision_function", "predict_proba")


class LeftOut(NamedTuple):
    """The subjects that one fold of a cross-validation left out.

    Attributes
    ----------
    places : array (m,)
        Of the subjects in all the data.
    positive : array of bool (m,)
    scores : array (m,)
        High is positive.
    """

    places: npt.NDArray[np.intp]
    positive: npt.NDArray[np.bool_]
    scores: npt.NDArray[Any]


def left_out(
    cv_results: Any, X: Any, y: Any, *, pos_label: Any = None, response_method: str = "auto"
) -> Iterator[LeftOut]:
    """Yield labels and scores of what each fold left out.

    Parameters
    ----------
    cv_results : mapping
        Of scikit-learn's ``cross_validate`` with ``return_estimator=True, return_indices=True``.
    X, y
        The data that were cut into folds.
    pos_label : object, optional
        The second class of the estimators if absent.
    response_method : {"auto", "decision_function", "predict_proba"}

    Raises
    ------
    ParameterError
        If estimators or indices were not returned, there is no fold or one without subjects, there are not two classes,
        or the data lack rows of the folds.
    """
    for wanted, option in (("estimator", "return_estimator"), ("indices", "return_indices")):
        if not isinstance(cv_results, Mapping) or wanted not in cv_results:
            raise ParameterError(f"cv_results must come from cross_validate with {option}=True")
    tests = rows_of_folds(cv_results, "test")
    last = max(int(np.max(places)) for places in tests)
    for name, given in (("X", X), ("y", y)):
        size = given.shape[0] if hasattr(given, "shape") else len(given)
        if size <= last:
            raise ParameterError(
                f"the folds hold subjects up to row {last}, and {name} has {size} rows: give the data that were "
                "cross-validated"
            )
    for estimator, places in zip(cv_results["estimator"], tests, strict=True):
        label = positive_class(estimator, pos_label)
        scores = scores_of(estimator, rows_of(X, places), label, response_method)
        yield LeftOut(np.asarray(places), np.asarray(rows_of(y, places)) == label, np.asarray(scores))


def rows_of_folds(cv_results: Mapping[str, Any], side: str) -> list[npt.NDArray[np.intp]]:
    """Return the rows of the subjects that each fold tested, or learned from.

    Parameters
    ----------
    cv_results : mapping
        With ``estimator`` and ``indices``.
    side : {"test", "train"}

    Raises
    ------
    ParameterError
        If these are not the rows of one fold or several, as many as there are estimators.
    """
    indices, models = cv_results["indices"], list(cv_results["estimator"])
    if not isinstance(indices, Mapping) or side not in indices:
        raise ParameterError(f"indices of cv_results must have the {side} rows of each fold: use return_indices=True")
    folds = [np.asarray(rows) for rows in indices[side]]
    if not folds or len(folds) != len(models):
        raise ParameterError(
            f"cv_results must have an estimator and {side} rows of each of one or more folds, got {len(models)} "
            f"estimators and {side} rows of {len(folds)} folds"
        )
    for fold, rows in enumerate(folds, 1):
        if not rows.size:
            raise ParameterError(f"fold {fold} of cv_results has no {side} rows: leave it out, or cut the data anew")
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0:
            raise ParameterError(
                f"the {side} rows of fold {fold} of cv_results must be whole numbers of at least 0, got "
                f"{_checks.quoted(indices[side][fold - 1])}"
            )
    return folds


def rows_of(data: Any, places: Any) -> Any:
    """Return some rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(data, "iloc"):
        return data.iloc[places]
    return data[places] if hasattr(data, "shape") else [data[place] for place in places]


def positive_class(estimator: Any, pos_label: Any = None) -> Any:
    """Return the class that is positive: the second, unless it is said."""
    classes = _classes(estimator)
    if classes is None or len(classes) != 2:
        what = "no classes_" if classes is None else f"{len(classes)} classes"
        raise ParameterError(f"the estimator must be a fitted classifier of two classes, this one has {what}")
    if pos_label is None:
        return classes[1]
    if pos_label not in list(classes):
        raise ParameterError(f"pos_label must be one of the classes {list(classes)!r}, got {pos_label!r}")
    return pos_label


def _classes(estimator: Any) -> Any:
    """Return the classes in order; detectors of outliers have -1 for outliers and, scored high, 1 for inliers."""
    classes = getattr(estimator, "classes_", None)
    return [-1, 1] if classes is None and is_detector(estimator) else classes


def is_detector(estimator: Any) -> bool:
    """Say whether an estimator detects outliers, as scikit-learn knows it."""
    base = _checks.extra("sklearn.base", "sklearn", "evaluating a model without classes_")
    with suppress(AttributeError):  # of what is no estimator of scikit-learn
        return bool(base.is_outlier_detector(estimator))
    return False


def scores_of(estimator: Any, X: Any, label: Any, response_method: str = "auto") -> Any:
    """Return the probabilities or decision values of an estimator for the class ``label``."""
    _checks.choice("response_method", response_method, ("auto", *RESPONSES))
    methods = RESPONSES if response_method == "auto" else (response_method,)
    method = next((name for name in methods if hasattr(estimator, name)), None)
    if method is None:
        raise ParameterError(f"{type(estimator).__name__} has no {' and no '.join(methods)}: so it cannot rank")
    values, place = getattr(estimator, method)(X), list(_classes(estimator)).index(label)
    if method == "predict_proba":
        return values[:, place]
    return values if place == 1 else -values
