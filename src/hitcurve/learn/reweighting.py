"""Early-retrieval re-weighting: examples that are ranked high count more in the next epoch."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from hitcurve import _checks
from hitcurve.learn.delegate import Delegate
from hitcurve.learn.estimators import check_is_estimator, in_order_of
from hitcurve.learn.fingerprints import Array
from hitcurve.learn.learner import Learner
from hitcurve.learn.rankers import weights_of_rows
from hitcurve.learn.weights import ALPHA, BY_CLASS, SCHEMES, early_retrieval_weights, finite_number, read_density
from hitcurve.metrics import metrics as read_metrics
from hitcurve.sources import tell_of_order
from hitcurve.table import HitTable

SCHEDULES = ("constant", "linear")


@dataclass(frozen=True)
class Epoch:
    """One epoch of learning.

    Attributes
    ----------
    number : int
        From 1.
    alpha : float
        Of the weights that the epoch learned with; 0 in the first, whose weights are uniform.
    values : dict of str to float
        Metrics of the training examples after it, by their written form.
    """

    number: int
    alpha: float
    values: dict[str, float]


class EarlyRetrievalWeights(Delegate):
    """Estimator trained epoch by epoch, with larger weights for examples ranked high.

    The first epoch has uniform weights. After each, the training examples are ranked by the estimator, and weighted
    anew for the next one by :func:`~hitcurve.learn.early_retrieval_weights`, times their ``sample_weight``. Learning
    stops when the first of the metrics has not risen for ``patience`` epochs, and the estimator of the best epoch is
    kept.

    Parameters
    ----------
    estimator : classifier
        Takes ``sample_weight`` and can continue training. One epoch is one call of ``partial_fit``; or else, with
        ``warm_start``, one of ``fit`` with ``max_iter=1``, as of
        :class:`~hitcurve.learn.InfluenceRelevanceVoter`, or with one more of ``n_estimators``: a new tree learns with
        the new weights, the older ones stay as they are. Leaves of trees often score alike but for the last bit of
        rounding, which then decides their order: weights, and trees, may differ between machines and versions
        of scikit-learn. Of a pipeline the last step learns on; the steps before it are fitted once, without weights.
    scheme : {"power", "exponential", "uniform"}
        ``uniform`` learns without re-weighting, by the same rule of when to stop; it has no alpha.
    density : bool or "by-class"
        Whether weights are multiplied by the density of the scores, or by that of the scores of the own class.
    alpha : float, optional
        Decay of the weights; by default 1 for power and 7 for exponential.
    alpha_schedule : {"constant", "linear"} or callable
        Whether alpha is there from the second epoch on, or rises from 0 by a tenth of it with each epoch, so that
        learning does not begin where few examples decide; or a function from the number of epochs done to alpha.
    metrics : str, Metric, or an iterable of these
        Computed from the training examples after each epoch; the first decides when to stop. Scores are
        ``oob_decision_function_`` where the estimator has them, as the influence relevance voter (without the molecule
        among its own neighbours).
    max_epochs : int
    patience : int
        Epochs without a rise of the watched metric by ``tol``, after which learning stops. With no fewer than
        ``max_epochs`` all epochs are run.
    tol : float
        Finite, at least 0.

    Attributes
    ----------
    classes_ : ndarray (2,)
        The second one is the positive one.
    estimator_ : estimator
        As it was after the best epoch.
    best_epoch_ : int
        From 1.
    history_ : list of Epoch
    sample_weights_ : ndarray of float32 (epochs, n)
        Weights of the training examples in each epoch before they are multiplied by ``sample_weight``; their mean,
        each example counted as often as its ``sample_weight`` says, is 1.

    Raises
    ------
    ParameterError
        If the estimator cannot be trained epoch by epoch, or an argument is out of its range.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If the watched metric was still rising after ``max_epochs``.

    References
    ----------
    Swamidass et al. 2010, Bioinformatics 26:1348, appendix A.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import SGDClassifier
    >>> y = np.repeat([1, 0], [20, 180])
    >>> X = np.random.default_rng(0).normal(size=(200, 3)) + y[:, None]
    >>> model = EarlyRetrievalWeights(SGDClassifier(random_state=0), patience=3).fit(X, y)
    >>> model.history_[0].alpha, model.history_[1].alpha, len(model.sample_weights_) == len(model.history_)
    (0.0, 1.0, True)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        scheme: str = "power",
        density: bool | str = False,
        alpha: float | None = None,
        alpha_schedule: str | Callable[[int], float] = "constant",
        metrics: Any = "croc(exp, alpha=80)",
        max_epochs: int = 200,
        patience: int = 10,
        tol: float = 1e-4,
    ) -> None:
        self.estimator = estimator
        self.scheme = scheme
        self.density = density
        self.alpha = alpha
        self.alpha_schedule = alpha_schedule
        self.metrics = metrics
        self.max_epochs = max_epochs
        self.patience = patience
        self.tol = tol

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Train the estimator.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame (n, features)
            Passed to the estimator unchanged.
        y : array-like (n,)
            Two classes; the last in order is the positive one.
        sample_weight : array-like (n,), optional
            How often each row is there: metrics and re-weighting count it so, and the estimator learns with it.
        **params : array-like (n,)
            Parameters of the estimator beside these, one value for each row, such as ``ids`` of the influence relevance
            voter.

        Raises
        ------
        ParameterError, MetricParseError
            If the estimator cannot be trained epoch by epoch, or an argument is out of its range.
        SingleClassError, LabelError
            If labels, or those of weight above 0, are not two classes, or the positive one is known not to be the
            last in order.
        WeightError, LengthMismatchError
            If weights are not one number of at least 0 for each row, or ``params`` not one value for each.
        InputError
            If indexes of pandas name different rows; the same rows are put in the order of X.
        ScoreError, UndefinedMetricError
            If scores have no density, or a metric is undefined for them.
        """
        inner = self._inner
        _checks.choice("scheme", self.scheme, SCHEMES)
        read_density(self.density)
        tol = finite_number("tol", self.tol)
        epochs = _checks.whole_number("max_epochs", self.max_epochs)
        patience = _checks.whole_number("patience", self.patience)
        wanted = read_metrics(self.metrics)
        self._alpha_after(1)  # raises before anything is trained
        found, params, notes = in_order_of(X, params, parts=True, y=y, sample_weight=sample_weight)
        tell_of_order(notes)
        X, positive = self._read_training(X, found["y"])
        given = weights_of_rows(found["sample_weight"], positive)
        learner = Learner(inner, X, self.classes_[positive.astype(int)], params)
        weight, alpha = np.ones(positive.size), 0.0
        self.history_: list[Epoch] = []
        kept: list[Array] = []
        self.best_epoch_, best = 0, -math.inf
        for number in range(1, epochs + 1):
            learner.learn(weight * given)
            if number == 1:
                learner.refuse_idle(weight * given)
            scores = learner.scores()
            kept.append(weight.astype(np.float32))
            table = HitTable.from_scores(positive, scores, sample_weight=None if sample_weight is None else given)
            values = {str(m): float(m.value(table)) for m in wanted}
            self.history_.append(Epoch(number, alpha, values))
            watched = values[str(wanted[0])]
            if watched > best + tol:
                best, self.best_epoch_ = watched, number
                self.estimator_ = learner.as_it_is()
            elif number - self.best_epoch_ >= patience:
                break
            alpha = self._alpha_after(number)
            weight = early_retrieval_weights(
                scores,
                scheme=self.scheme,
                density=self.density,
                alpha=alpha,
                sample_weight=given,
                y_true=positive if self.density == BY_CLASS else None,
            )
        else:
            if patience < epochs:
                warnings.warn(
                    f"{wanted[0]} had risen within the last {patience} epochs when max_epochs={epochs} ended: "
                    "raise max_epochs",
                    ConvergenceWarning,
                    stacklevel=2,
                )
        self.sample_weights_ = np.array(kept)
        return self

    def _alpha_after(self, epochs: int) -> float:
        alpha = ALPHA[self.scheme] if self.alpha is None else finite_number("alpha", self.alpha)
        if not callable(self.alpha_schedule):
            _checks.choice("alpha_schedule", self.alpha_schedule, SCHEDULES)
        if self.scheme == "uniform":
            return 0.0
        if callable(self.alpha_schedule):
            return finite_number("alpha", self.alpha_schedule(epochs))
        return alpha if self.alpha_schedule == "constant" else alpha * min(epochs / 10, 1.0)

    @property
    def _inner(self) -> Any:
        """The estimator that is to be trained, if it is one."""
        check_is_estimator("estimator", self.estimator)
        return self.estimator

    @property
    def _trained(self) -> Any:
        return self.estimator_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.pairwise = inner.pairwise
        tags.input_tags.allow_nan = inner.allow_nan
        return tags
