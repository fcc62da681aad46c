"""Early-retrieval re-weighting: whoever is ranked high counts more in the next epoch."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.learn.fingerprints import Array
from hitcurve.learn.folds import positive_scores
from hitcurve.learn.rankers import Ranker
from hitcurve.learn.voter import read_weights
from hitcurve.metrics import metrics as read_metrics
from hitcurve.table import HitTable

SCHEMES = ("uniform", "power", "exponential")
SCHEDULES = ("constant", "linear")
ALPHA = {"uniform": 0.0, "power": 1.0, "exponential": 7.0}
_BINS = 1024  # of the density of scores


def early_retrieval_weights(
    y_score: Any, *, scheme: str = "power", density: bool = False, alpha: float | None = None
) -> Array:
    """Return weights of training examples that grow towards the top of the list.

    With ranks r from 1, the mean rank for equal scores, and N examples: ``r**-alpha`` (power) or
    ``exp(-alpha * r / N)`` (exponential), optionally times the density of the scores around that of the example,
    scaled to a mean of 1.

    Parameters
    ----------
    y_score : array-like (n,)
        Scores of the examples, positives and negatives; higher is ranked earlier.
    scheme : {"power", "exponential", "uniform"}
    density : bool
        Whether weights are multiplied by the density: where scores are dense, a small change moves many ranks. It is
        estimated by a Gaussian kernel of Scott's width on 1,024 bins.
    alpha : float, optional
        How fast weights fall: 1 for power and 7 for exponential, if absent; 0 is uniform.

    Returns
    -------
    ndarray of float (n,)
        Positive, with mean 1.

    References
    ----------
    Swamidass et al. 2010, Bioinformatics 26:1348, appendix A.

    Examples
    --------
    >>> early_retrieval_weights([0.9, 0.5, 0.7]).round(3)
    array([1.636, 0.545, 0.818])
    >>> early_retrieval_weights([0.9, 0.5, 0.7], scheme="exponential", alpha=3).round(3)
    array([1.996, 0.27 , 0.734])
    """
    _checks.choice("scheme", scheme, SCHEMES)
    alpha = ALPHA[scheme] if alpha is None else _alpha(alpha)
    scores = np.asarray(y_score, float)
    rank = rankdata(-scores, method="average")
    weight = rank**-alpha if scheme == "power" else np.exp(-alpha * rank / rank.size)
    if density:
        weight = weight * _density(scores)
    return np.asarray(weight / weight.mean(), float)


def _alpha(value: Any) -> float:
    number = _checks.real_number("alpha", value)
    if not 0 <= number < math.inf:
        raise ParameterError(f"alpha must be a finite number of at least 0, got {value!r}")
    return number


def _density(scores: Array) -> Array:
    """Return the density of scores at each of them, up to a factor."""
    low, high = scores.min(), scores.max()
    if low == high:
        return np.ones(scores.size)
    width = (high - low) / _BINS
    bandwidth = max(scores.std() * scores.size**-0.2, width)
    room = 4 * bandwidth  # so that nothing is lost at the ends
    edges = np.linspace(low - room, high + room, _BINS + 1)
    counted, _ = np.histogram(scores, edges)
    smooth = gaussian_filter1d(counted.astype(float), bandwidth / (edges[1] - edges[0]), mode="constant")
    found = np.interp(scores, (edges[1:] + edges[:-1]) / 2, smooth)
    # beyond the reach of the kernel of its neighbours an example is still there itself
    return np.asarray(np.maximum(found, found.max() * 1e-12))


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


class EarlyRetrievalWeights(MetaEstimatorMixin, Ranker):
    """Trains an estimator epoch by epoch, and gives more weight to what is ranked high.

    The first epoch has uniform weights. After each, the training examples are ranked by the estimator, and weighted
    anew for the next one by :func:`~hitcurve.learn.early_retrieval_weights`, times their ``sample_weight``. Learning
    stops when the first of the metrics has not risen for ``patience`` epochs, and the estimator of the best epoch is
    kept.

    Parameters
    ----------
    estimator : estimator
        One that takes ``sample_weight``, and learns on: by ``partial_fit``, or by ``warm_start`` with ``max_iter``, as
        :class:`~hitcurve.learn.InfluenceRelevanceVoter`. One epoch is one call of ``partial_fit``, or one of ``fit``
        with ``max_iter=1``.
    scheme : {"power", "exponential", "uniform"}
        ``uniform`` learns without re-weighting, by the same rule of when to stop.
    density : bool
        Whether weights are multiplied by the density of the scores.
    alpha : float, optional
        How fast weights fall: 1 for power and 7 for exponential, if absent.
    alpha_schedule : {"constant", "linear"} or callable
        Whether alpha is there from the second epoch on, or rises from 0 by a tenth of it with each epoch, so that
        learning does not begin where few examples decide; or a function from the number of epochs done to alpha.
    metrics : str, Metric, or an iterable of these
        Of the training examples, after each epoch; the first is watched. Scores are ``oob_decision_function_`` where
        the estimator has them, as the influence relevance voter (without the molecule among its own neighbours).
    max_epochs : int
    patience : int
        Epochs without a rise of the watched metric by ``tol``, after which learning stops.
    tol : float

    Attributes
    ----------
    classes_ : ndarray (2,)
        The second one is the positive one.
    estimator_ : estimator
        As it was after the best epoch.
    best_epoch_ : int
        From 1.
    history_ : list of Epoch
    weights_ : ndarray of float32 (epochs, n)
        Weights of the training examples in each epoch, mean 1 before ``sample_weight``.

    Raises
    ------
    ParameterError
        If the estimator cannot be trained so, or an argument is out of its range.

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
    >>> model.history_[0].alpha, model.history_[1].alpha, len(model.weights_) == len(model.history_)
    (0.0, 1.0, True)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        scheme: str = "power",
        density: bool = False,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the estimator.

        Parameters
        ----------
        X : array-like or sparse matrix (n, features)
        y : array-like (n,)
            Two classes; the last in order is the positive one.
        sample_weight : array-like (n,), optional
        """
        _checks.choice("scheme", self.scheme, SCHEMES)
        tol = _checks.real_number("tol", self.tol)
        epochs = _checks.whole_number("max_epochs", self.max_epochs)
        patience = _checks.whole_number("patience", self.patience)
        wanted = read_metrics(self.metrics)
        X, positive = self._read_training(X, y)
        given = read_weights(sample_weight, positive)
        learner = _Learner(self.estimator, self.classes_)
        labels = self.classes_[positive.astype(int)]
        weight, alpha = np.ones(positive.size), 0.0
        scores: Array | None = None
        self.history_: list[Epoch] = []
        kept: list[Array] = []
        self.best_epoch_, best = 0, -math.inf
        for number in range(1, epochs + 1):
            learner.learn(X, labels, weight * given)
            before, scores = scores, learner.scores(X)
            if before is not None and np.array_equal(scores, before) and weight.std() > 0:
                _refuse_idle(number, self.estimator, moved=not np.array_equal(kept[-1], weight.astype(np.float32)))
            kept.append(weight.astype(np.float32))
            table = HitTable.from_scores(positive, scores, sample_weight=None if sample_weight is None else given)
            values = {str(m): float(m.value(table)) for m in wanted}
            self.history_.append(Epoch(number, alpha, values))
            watched = values[str(wanted[0])]
            if watched > best + tol:
                best, self.best_epoch_ = watched, number
                self.estimator_ = deepcopy(learner.estimator)
            elif number - self.best_epoch_ >= patience:
                break
            alpha = self._alpha_after(number)
            weight = early_retrieval_weights(scores, scheme=self.scheme, density=self.density, alpha=alpha)
        self.weights_ = np.array(kept)
        return self

    def _alpha_after(self, epochs: int) -> float:
        if callable(self.alpha_schedule):
            return _alpha(self.alpha_schedule(epochs))
        _checks.choice("alpha_schedule", self.alpha_schedule, SCHEDULES)
        alpha = ALPHA[self.scheme] if self.alpha is None else _alpha(self.alpha)
        return alpha if self.alpha_schedule == "constant" else alpha * min(epochs / 10, 1.0)

    def decision_function(self, X: Any) -> Array:
        """Return the scores of the estimator of the best epoch."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return positive_scores(self.estimator_, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse = inner.sparse
        tags.input_tags.pairwise = inner.pairwise
        return tags


class _Learner:
    """An estimator that learns one epoch at a time."""

    def __init__(self, estimator: Any, classes: Array) -> None:
        self.estimator = clone(estimator)
        self.classes = classes
        name = type(estimator).__name__
        self.partly = hasattr(estimator, "partial_fit")
        if not has_fit_parameter(estimator, "sample_weight"):
            raise ParameterError(f"{name}.fit takes no sample_weight: its examples cannot be weighted")
        parameters = estimator.get_params(deep=False)
        if not self.partly and not {"warm_start", "max_iter"} <= parameters.keys():
            raise ParameterError(
                f"{name} has neither partial_fit nor warm_start with max_iter: it does not learn epoch by epoch"
            )
        if not self.partly:
            self.estimator.set_params(warm_start=True, max_iter=1)

    def learn(self, X: Any, labels: Array, weight: Array) -> None:
        """Learn for one epoch."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # one epoch is not meant to be enough
            if self.partly:
                self.estimator.partial_fit(X, labels, classes=self.classes, sample_weight=weight)
            else:
                self.estimator.fit(X, labels, sample_weight=weight)

    def scores(self, X: Any) -> Array:
        """Return the scores of the training examples."""
        own = getattr(self.estimator, "oob_decision_function_", None)
        return positive_scores(self.estimator, X) if own is None else np.array(own, float)


def _refuse_idle(number: int, estimator: BaseEstimator, *, moved: bool) -> None:
    """Refuse an estimator whose max_iter counts epochs from the first: it stands still."""
    if number == 2 and moved and "max_iter" in estimator.get_params(deep=False):
        raise ParameterError(
            f"{type(estimator).__name__} learned nothing in its second epoch: with warm_start its max_iter seems to "
            "count all epochs, so it cannot be trained one by one"
        )
