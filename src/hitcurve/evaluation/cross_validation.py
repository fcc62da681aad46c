"""Folds of a cross-validation as groups, each ranked by the model that did not learn from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.evaluation.by_group import evaluate_groups
from hitcurve.evaluation.grouped import GroupedEvaluation
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.evaluation.warned import warned
from hitcurve.groups import Folds
from hitcurve.metrics import DEFAULT, Metric
from hitcurve.metrics import metrics as read_metrics
from hitcurve.sources import aligned, arrays
from hitcurve.sources.models import left_out, rows_of_folds


def evaluate_cv_results(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT,
    pos_label: Any = None,
    response_method: str = "auto",
    confidence_level: float = 0.95,
    single_class: str = "raise",
    undefined: str = "raise",
) -> GroupedEvaluation:
    """Evaluate the folds of a cross-validation, each on the subjects that it left out.

    Parameters
    ----------
    cv_results : mapping
        Of scikit-learn's ``cross_validate`` with ``return_estimator=True, return_indices=True``; or a mapping of the
        names of models to such results, all with the same folds.
    X : array-like (n, features)
    y : array-like (n,)
        Put in the order of X where both have an index of pandas with the same labels; a default index counts by
        position.
    metrics : str, Metric, or an iterable of these
    pos_label : object, optional
        Class that is positive; the second of the estimators if absent.
    response_method : {"auto", "decision_function", "predict_proba"}
        ``auto``: the first of the two that a model has.
    confidence_level : float
    single_class : {"raise", "skip", "zero"}
        What to do with folds that lack positives or negatives.
    undefined : {"raise", "nan"}
        Metrics that are undefined in a fold: raise, or return nan with a warning.

    Returns
    -------
    GroupedEvaluation
        With folds 1, 2, ...; intervals of means and comparisons take into account that folds share their training
        data (``corrected-t``).

    Raises
    ------
    ParameterError
        If there is no mapping, estimators or indices were not returned, there is no fold, a fold has no subjects to
        learn from or to test, or models were given other folds.
    InputError
        If the indexes of X and y name different rows.
    SingleClassError, UndefinedMetricError
        If a fold has one class, or a metric is undefined in a fold.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> X = rng.normal(size=(100, 2)) + y[:, None]
    >>> folds = cross_validate(LogisticRegression(), X, y, cv=5, return_estimator=True, return_indices=True)
    >>> found = evaluate_cv_results(folds, X, y, metrics="auc")
    >>> len(found), round(found.mean("score", "auc").value, 3)
    (5, 0.796)
    """
    if not isinstance(cv_results, Mapping):
        raise ParameterError(
            "cv_results must be the results of cross_validate, or a mapping of the names of models to them, got "
            f"{type(cv_results).__name__}"
        )
    _checks.choice("undefined", undefined, ("raise", "nan"))
    found, notes = aligned({"X": X, "y": y})
    X, y = found.values()
    named = {"score": cv_results} if "estimator" in cv_results or not cv_results else cv_results
    _checks.distinct("ranker", [str(name) for name in named])
    folds = {
        str(name): list(left_out(of_model, X, y, pos_label=pos_label, response_method=response_method))
        for name, of_model in named.items()
    }
    first_name, first = next(iter(folds.items()))
    for name, others in folds.items():
        if len(others) != len(first) or not all(
            np.array_equal(a.places, b.places) for a, b in zip(first, others, strict=True)
        ):
            raise ParameterError(
                f"{name!r} and {first_name!r} were given different folds: cross-validate them with the same cv"
            )
    sizes = [rows.size for rows in rows_of_folds(next(iter(named.values())), "train")]
    source = arrays(
        np.concatenate([fold.positive for fold in first]),
        {name: np.concatenate([fold.scores for fold in of_model]) for name, of_model in folds.items()},
        group=np.repeat(np.arange(1, len(first) + 1), [fold.positive.size for fold in first]),
    )
    result = evaluate_groups(
        replace(source, notes=notes),
        read_metrics(metrics),
        by="fold",
        single_class=single_class,
        undefined=undefined,
        sampling=SamplingDesign.of(None, None, confidence_level),
        folds=_folds(sizes, [fold.places for fold in first]),
    )
    return warned(result)


def _folds(trained: Sequence[int], tests: Sequence[npt.NDArray[np.intp]]) -> Folds:
    """Return how the data were cut, by the mean of test subjects for each training subject."""
    overlap = float(np.mean([test.size / train for train, test in zip(trained, tests, strict=True)]))
    tested = np.concatenate(tests)
    return Folds(overlap / (1 + overlap), repeated=np.unique(tested).size < tested.size)
