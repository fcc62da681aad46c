"""Rankers that train another estimator and predict with it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, is_classifier
from sklearn.utils import assert_all_finite, column_or_1d, indexable
from sklearn.utils.validation import check_is_fitted, validate_data

from hitcurve.errors import EmptyInputError
from hitcurve.learn.classes import two_classes
from hitcurve.learn.estimators import positive_scores
from hitcurve.learn.fingerprints import Array
from hitcurve.learn.rankers import Ranker
from hitcurve.sources import refuse_masked


class Delegate(MetaEstimatorMixin, Ranker):
    """Common part of rankers that train another estimator, which decides on valid X and on predictions."""

    @property
    @abstractmethod
    def _trained(self) -> Any:
        """The trained estimator."""

    def decision_function(self, X: Any) -> Array:
        """Return the scores of the estimator: its ``decision_function``, or the log-odds of its ``predict_proba``."""
        X = self._read(X)
        scores = positive_scores(self._trained, X)
        return scores if hasattr(self._trained, "decision_function") else _log_odds(scores)

    def predict(self, X: Any) -> Array:
        """Return the class of each row as the estimator predicts it."""
        X = self._read(X)
        # an estimator that is not a classifier, such as a detector of outliers, has no classes
        return np.asarray(self._trained.predict(X)) if is_classifier(self._trained) else super().predict(X)

    def _read_training(self, X: Any, y: Any, **how: Any) -> tuple[Any, Array]:
        refuse_masked(X=X, y=y)
        X, y = validate_data(self, X, y, skip_check_array=True, **how)
        X, y = indexable(X, column_or_1d(y, warn=True))
        if not y.size:
            raise EmptyInputError("the input has no rows")
        assert_all_finite(y, input_name="y")
        self.classes_, positive = two_classes(y)
        return X, positive

    def _read(self, X: Any) -> Any:
        check_is_fitted(self)
        refuse_masked(X=X)
        # the estimator checks the number of features
        return validate_data(self, X, skip_check_array=True, ensure_2d=False, reset=False)


def _log_odds(probability: Array) -> Array:
    """Return finite log-odds, above 0 where the positive class is the likelier one."""
    least = np.finfo(float).tiny
    odds = np.log(np.maximum(probability, least)) - np.log(np.maximum(1 - probability, least))
    return np.asarray(odds, float)
