"""Checks of estimators, their parameters and their scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.learn.fingerprints import Array
from hitcurve.sources import aligned, refuse_masked


def check_is_estimator(name: str, value: Any) -> None:
    """Raise unless the value can be copied and trained: not a number, a name or a class."""
    if isinstance(value, type) or not (hasattr(value, "fit") and hasattr(value, "get_params")):
        raise ParameterError(f"{name} must be an estimator, got {value!r}")


def takes(method: Callable[..., Any], name: str) -> bool:
    """Whether a method takes an argument of this name."""
    taken = signature(method).parameters
    return name in taken or any(parameter.kind is Parameter.VAR_KEYWORD for parameter in taken.values())


def read_params(estimator: Any, learn: Callable[..., Any], params: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Return the parameters of a fitting method beside X and y, one value for each of n rows; None is left out.

    Raises
    ------
    ParameterError
        If the method does not take a parameter, or it is not one value for each row.
    """
    given = {name: values for name, values in params.items() if values is not None}
    for name, values in given.items():
        if not takes(learn, name):
            raise ParameterError(f"{type(estimator).__name__}.{learn.__name__} takes no {name}: leave it out")
        if not hasattr(values, "__len__") or isinstance(values, str):
            raise ParameterError(f"{name} must be one value for each row, got {values!r}")
        _checks.same_length({"y": range(n), name: values})
    return given


def in_order_of(
    X: Any, params: Mapping[str, Any] | None = None, *, parts: bool = False, **columns: Any
) -> tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Return columns and parameters of ``fit`` in the order of the rows of X, and what was done, in words.

    The parameters come without their indexes, of which folds would take parts.

    Raises
    ------
    ParameterError
        If ``params`` is no mapping.
    InputError
        If indexes name different rows, or values are masked.
    """
    if not (params is None or isinstance(params, Mapping)):
        raise ParameterError(f"params must be a mapping from names to one value for each row, got {params!r}")
    given = dict(params or {})
    of_fit = {
        f"{name} of fit": values
        for name, values in given.items()
        if hasattr(values, "__len__") and not isinstance(values, str)
    }
    refuse_masked(X=X, y=columns.get("y"), **of_fit)
    found, notes = aligned({"X": X, **columns, **of_fit}, parts=parts)
    for name in given:
        values: Any = found.get(f"{name} of fit")
        if hasattr(values, "iloc"):
            given[name] = values.to_numpy()
    return {name: found[name] for name in columns}, given, notes


def is_search(estimator: Any) -> bool:
    """Whether an estimator chooses among models."""
    # error_score: what tunes a threshold has a refit too, and no models to choose from
    return hasattr(estimator, "candidates") or all(
        hasattr(estimator, name) for name in ("estimator", "refit", "error_score")
    )


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, of anything else itself."""
    return last_step(estimator.steps[-1][1]) if isinstance(estimator, Pipeline) else estimator


def positive_scores(estimator: Any, X: Any) -> Array:
    """Return the scores of the positive class: ``decision_function``, or ``predict_proba`` where that is missing."""
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X), float)
    elif hasattr(estimator, "predict_proba"):
        scores = np.asarray(estimator.predict_proba(X), float)[:, 1]
    else:
        raise ParameterError(
            f"{type(estimator).__name__} has neither decision_function nor predict_proba: use an estimator that has"
        )
    if scores.ndim != 1:
        raise ParameterError(
            f"{type(estimator).__name__} gave {scores.ndim}-dimensional scores: train it with two classes"
        )
    return scores
