"""Estimators that learn one epoch at a time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy, deepcopy
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from hitcurve.errors import ParameterError
from hitcurve.learn.estimators import positive_scores, read_params, takes
from hitcurve.learn.fingerprints import Array
from hitcurve.metrics.sklearn_scorer import inliers_are_positive
from hitcurve.sources.models import is_detector


class Learner:
    """An estimator that learns one epoch at a time, from the same examples."""

    def __init__(self, estimator: Any, X: Any, labels: Array, params: Mapping[str, Any]) -> None:
        self.whole = clone(estimator)
        steps = self.whole.steps if isinstance(self.whole, Pipeline) else [("", self.whole)]
        self.estimator = steps[-1][1]
        if self.estimator is None or isinstance(self.estimator, str):
            raise ParameterError(
                f"the pipeline ends in {self.estimator!r}, which cannot be trained: end it in a classifier"
            )
        self.name = type(self.estimator).__name__
        self.labels, self.classes = labels, np.unique(labels)
        self.counts = self._how()
        if is_detector(self.estimator):
            inliers_are_positive(labels, None)
        learn = self.estimator.fit if self.counts else self.estimator.partial_fit
        self.params = read_params(self.estimator, learn, params, labels.size)
        if self.counts:
            self.estimator.set_params(**{"warm_start": True, self.counts: 1})
        self.X = X
        if len(steps) > 1:
            before = self.whole[:-1]
            self.X = before.fit_transform(X, labels)
            steps[:-1] = before.steps  # which are others, if the pipeline has a memory

    def _how(self) -> str | None:
        """Return the parameter that counts epochs, None if there is ``partial_fit``."""
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise ParameterError(f"{self.name}.fit takes no sample_weight: use an estimator that does")
        if not any(hasattr(self.estimator, method) for method in ("decision_function", "predict_proba")):
            raise ParameterError(
                f"{self.name} has neither decision_function nor predict_proba: use an estimator that has"
            )
        parameters = self.estimator.get_params(deep=False)
        if hasattr(self.estimator, "partial_fit"):
            if not takes(self.estimator.partial_fit, "classes"):
                raise ParameterError(f"{self.name}.partial_fit takes no classes: use a classifier")
            # each is of all examples, which partial_fit does not know
            self._refuse("class_weight", when=parameters.get("class_weight") == "balanced")
            self._refuse("early_stopping", when=parameters.get("early_stopping") is True)
            return None
        for name in ("max_iter", "n_estimators"):
            if {"warm_start", name} <= parameters.keys():
                if name == "n_estimators":  # of one tree at a time: the first warns each time, the second does nothing
                    self._refuse("class_weight", when=isinstance(parameters.get("class_weight"), str))
                    self._refuse("n_iter_no_change", when=parameters.get("n_iter_no_change") is not None)
                return name
        raise ParameterError(
            f"{self.name} has neither partial_fit nor warm_start with max_iter or n_estimators: it cannot be "
            "trained epoch by epoch"
        )

    def _refuse(self, name: str, *, when: bool) -> None:
        """Raise for a parameter of the estimator that needs all epochs at once."""
        if when:
            value = self.estimator.get_params(deep=False)[name]
            raise ParameterError(
                f"{self.name} cannot be trained epoch by epoch with {name}={value!r}: leave {name} out"
            )

    def learn(self, weight: Array) -> None:
        """Learn for one epoch."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # one epoch is not meant to be enough
            if not self.counts:
                self.estimator.partial_fit(
                    self.X, self.labels, classes=self.classes, sample_weight=weight, **self.params
                )
                return
            if self.counts == "n_estimators":
                self.estimator.set_params(n_estimators=len(getattr(self.estimator, "estimators_", ())) + 1)
            self.estimator.fit(self.X, self.labels, sample_weight=weight, **self.params)

    def scores(self) -> Array:
        """Return the scores of the training examples."""
        own = getattr(self.estimator, "oob_decision_function_", None)
        if own is None or own.ndim != 1:  # that of a forest has a column for each class
            return positive_scores(self.estimator, self.X)
        return np.array(own, float)

    def as_it_is(self) -> Any:
        """Return a copy of the fitted estimator."""
        return deepcopy(self.whole)

    def refuse_idle(self, weight: Array) -> None:
        """Raise if the second epoch changes nothing: ``max_iter`` counts from the first epoch, or training restarts."""
        scores = self.scores()
        if self.counts != "max_iter" or np.ptp(scores) == 0:
            return
        second = copy(self)
        second.estimator = deepcopy(self.estimator)
        second.learn(weight)
        if np.array_equal(second.scores(), scores):
            raise ParameterError(
                f"{self.name} learned nothing in its second epoch: with warm_start its max_iter seems to count all "
                "epochs, or training restarts, so it cannot be trained epoch by epoch"
            )
