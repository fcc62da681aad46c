"""Early-retrieval re-weighting: whoever is ranked high counts more in the next epoch."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.ndimage import gaussian_filter1d
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from hitcurve import _checks
from hitcurve.errors import EmptyInputError, MissingValueError, ParameterError, ScoreError, WeightError
from hitcurve.learn.delegate import Delegate
from hitcurve.learn.fingerprints import Array
from hitcurve.learn.folds import check_is_estimator, positive_scores, read_params, takes
from hitcurve.learn.rankers import weights_of_rows
from hitcurve.metrics import metrics as read_metrics
from hitcurve.sources import columns
from hitcurve.table import HitTable

SCHEMES = ("uniform", "power", "exponential")
SCHEDULES = ("constant", "linear")
ALPHA = {"uniform": 0.0, "power": 1.0, "exponential": 7.0}
_BINS = 1024  # of the density of scores
_LEAST = np.finfo(float).tiny  # weight of an example, next to 1 for the first


def early_retrieval_weights(
    y_score: Any,
    *,
    scheme: str = "power",
    density: bool = False,
    alpha: float | None = None,
    sample_weight: Any = None,
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
        How fast weights fall: 1 for power and 7 for exponential, if absent; 0 is uniform, and ``uniform`` has none.
    sample_weight : array-like (n,), optional
        How often each example is there: one of weight 2 is ranked, counted and averaged as two of weight 1 that tie,
        and one of weight 0 as none. The weights that are returned are for each of them: multiply.

    Returns
    -------
    ndarray of float (n,)
        Positive, with mean 1; that of the last ones is the least number there is if alpha is very large.

    Raises
    ------
    EmptyInputError, MissingValueError, ScoreError
        If there is no score, one is missing, or they are not one real number each (with ``density`` finite ones).
    WeightError, LengthMismatchError
        If weights are not one number of at least 0 for each score, or all 0.
    ParameterError
        If the scheme is unknown, alpha not a finite number of at least 0, or density neither True nor False.

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
    _true_or_false("density", density)
    alpha = ALPHA[scheme] if alpha is None else _finite("alpha", alpha)
    scores = _read_scores(y_score)
    times = np.ones(scores.size) if sample_weight is None else columns.weights(sample_weight)
    _checks.same_length({"y_score": scores, "sample_weight": times})
    total = float(np.sum(times))
    if not total:
        raise WeightError("all weights are 0: there is nothing to rank")
    weight = np.ones(scores.size) if scheme == "uniform" else _falling(_ranks(scores, times), total, scheme, alpha)
    if density:
        weight = weight * _density(scores, times, total)
    return np.asarray(weight / (np.sum(weight * times) / total), float)


def _read_scores(y_score: Any) -> Array:
    column = columns.scores("y_score", y_score)
    if not column.values.size:
        raise EmptyInputError("y_score is empty: there is nothing to rank")
    if column.gone is not None:
        raise MissingValueError(f"{int(column.gone.sum())} of {column.values.size} scores are missing")
    return column.values.astype(float)


def _finite(name: str, value: Any) -> float:
    number = _checks.real_number(name, value)
    if not 0 <= number < math.inf:
        raise ParameterError(f"{name} must be a finite number of at least 0, got {value!r}")
    return number


def _true_or_false(name: str, value: Any) -> None:
    """Refuse what merely counts as true, as "no" does."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name} must be True or False, got {value!r}")


def _ranks(scores: Array, times: Array) -> Array:
    """Return the mean rank of the examples that tie with each, which is there so many times."""
    _, tie = np.unique(-scores, return_inverse=True)
    size = np.bincount(tie, weights=times)
    return np.asarray((np.cumsum(size) - size / 2 + 0.5)[tie])


def _falling(rank: Array, total: float, scheme: str, alpha: float) -> Array:
    """Return weights that fall with the rank, up to a factor."""
    weight = rank**-alpha if scheme == "power" else np.exp(-alpha * rank / total)
    if weight.min() < _LEAST:  # too steep for a number: as shares of the first one
        steep = alpha * (np.log(rank) if scheme == "power" else rank / total)
        weight = np.maximum(np.exp(steep.min() - steep), _LEAST)
    return np.asarray(weight)


def _density(scores: Array, times: Array, total: float) -> Array:
    """Return the density of scores at each of them, up to a factor."""
    if not np.isfinite(scores).all():
        raise ScoreError("the density of scores needs finite ones: rank without density")
    there = scores[times > 0]
    low, high = there.min(), there.max()
    if low == high:
        return np.ones(scores.size)
    width = (high - low) / _BINS
    spread = np.sqrt(np.sum(times * (scores - np.sum(times * scores) / total) ** 2) / total)
    bandwidth = max(spread * total**-0.2, width)
    room = 4 * bandwidth  # so that nothing is lost at the ends
    edges = np.linspace(low - room, high + room, _BINS + 1)
    counted, _ = np.histogram(scores, edges, weights=times)
    smooth = gaussian_filter1d(counted, bandwidth / (edges[1] - edges[0]), mode="constant")
    found = np.interp(scores, (edges[1:] + edges[:-1]) / 2, smooth)
    # beyond the reach of the kernel of its neighbours an example is still there itself
    return np.asarray(np.maximum(found, found[times > 0].max() * 1e-12))


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
    """Trains an estimator epoch by epoch, and gives more weight to what is ranked high.

    The first epoch has uniform weights. After each, the training examples are ranked by the estimator, and weighted
    anew for the next one by :func:`~hitcurve.learn.early_retrieval_weights`, times their ``sample_weight``. Learning
    stops when the first of the metrics has not risen for ``patience`` epochs, and the estimator of the best epoch is
    kept.

    Parameters
    ----------
    estimator : classifier
        One that takes ``sample_weight``, and learns on. One epoch is one call of ``partial_fit``; or else, with
        ``warm_start``, one of ``fit`` with ``max_iter=1``, as of
        :class:`~hitcurve.learn.InfluenceRelevanceVoter`, or with one more of ``n_estimators``: a new tree learns with
        the new weights, the older ones stay as they are. Leaves of trees often score alike but for the last bit of
        rounding, which then decides who is ranked first: weights, and trees, may differ between machines and versions
        of scikit-learn. Of a pipeline the last step learns on; the steps before it are fitted once, without weights.
    scheme : {"power", "exponential", "uniform"}
        ``uniform`` learns without re-weighting, by the same rule of when to stop; it has no alpha.
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
        If the estimator cannot be trained so, or an argument is out of its range.

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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Self:
        """Train the estimator.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame (n, features)
            Handed to the estimator as it is.
        y : array-like (n,)
            Two classes; the last in order is the positive one.
        sample_weight : array-like (n,), optional
            How often each row is there: metrics and re-weighting count it so, and the estimator learns with it.
        **params : array-like (n,)
            What the estimator takes beside these, one for each row, as the ``ids`` of the influence relevance voter.

        Raises
        ------
        ParameterError, MetricParseError
            If the estimator cannot be trained so, or an argument is out of its range.
        SingleClassError, LabelError
            If labels, or those of weight above 0, are not two classes, or the positive one is known not to be the
            last in order.
        WeightError, LengthMismatchError
            If weights are not one number of at least 0 for each row, or ``params`` not one value for each.
        ScoreError, UndefinedMetricError
            If scores have no density, or the metrics no meaning on them.
        """
        inner = self._inner
        _checks.choice("scheme", self.scheme, SCHEMES)
        _true_or_false("density", self.density)
        tol = _finite("tol", self.tol)
        epochs = _checks.whole_number("max_epochs", self.max_epochs)
        patience = _checks.whole_number("patience", self.patience)
        wanted = read_metrics(self.metrics)
        self._alpha_after(1)  # refused, if so, before anything is trained
        X, positive = self._read_training(X, y)
        given = weights_of_rows(sample_weight, positive)
        learner = _Learner(inner, X, self.classes_[positive.astype(int)], params)
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
                scores, scheme=self.scheme, density=self.density, alpha=alpha, sample_weight=given
            )
        else:
            if patience < epochs:
                warnings.warn(
                    f"{wanted[0]} had not stood still for {patience} epochs when max_epochs={epochs} were done",
                    ConvergenceWarning,
                    stacklevel=2,
                )
        self.sample_weights_ = np.array(kept)
        return self

    def _alpha_after(self, epochs: int) -> float:
        alpha = ALPHA[self.scheme] if self.alpha is None else _finite("alpha", self.alpha)
        if not callable(self.alpha_schedule):
            _checks.choice("alpha_schedule", self.alpha_schedule, SCHEDULES)
        if self.scheme == "uniform":
            return 0.0
        if callable(self.alpha_schedule):
            return _finite("alpha", self.alpha_schedule(epochs))
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


class _Learner:
    """An estimator that learns one epoch at a time, from the same examples."""

    def __init__(self, estimator: Any, X: Any, labels: Array, params: Mapping[str, Any]) -> None:
        self.whole = clone(estimator)
        steps = self.whole.steps if isinstance(self.whole, Pipeline) else [("", self.whole)]
        self.estimator = steps[-1][1]
        if self.estimator is None or isinstance(self.estimator, str):
            raise ParameterError(
                f"the pipeline ends in {self.estimator!r}, which does not learn: end it in a classifier"
            )
        self.name = type(self.estimator).__name__
        self.labels, self.classes = labels, np.unique(labels)
        self.counts = self._how()
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
            raise ParameterError(f"{self.name}.fit takes no sample_weight: its examples cannot be weighted")
        if not any(hasattr(self.estimator, method) for method in ("decision_function", "predict_proba")):
            raise ParameterError(f"{self.name} has neither decision_function nor predict_proba: no scores")
        parameters = self.estimator.get_params(deep=False)
        if hasattr(self.estimator, "partial_fit"):
            if not takes(self.estimator.partial_fit, "classes"):
                raise ParameterError(f"{self.name}.partial_fit takes no classes: it is no classifier")
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
            f"{self.name} has neither partial_fit nor warm_start with max_iter or n_estimators: it does not learn "
            "epoch by epoch"
        )

    def _refuse(self, name: str, *, when: bool) -> None:
        """Refuse a parameter of the estimator that needs all epochs at once."""
        if when:
            value = self.estimator.get_params(deep=False)[name]
            raise ParameterError(f"{self.name} does not learn epoch by epoch with {name}={value!r}")

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
        """Return a copy of the estimator with what it has learned so far."""
        return deepcopy(self.whole)

    def refuse_idle(self, weight: Array) -> None:
        """Refuse an estimator whose ``max_iter`` counts from the first epoch, or that begins anew: it stands still."""
        scores = self.scores()
        if self.counts != "max_iter" or np.ptp(scores) == 0:
            return
        second = copy(self)
        second.estimator = deepcopy(self.estimator)
        second.learn(weight)
        if np.array_equal(second.scores(), scores):
            raise ParameterError(
                f"{self.name} learned nothing in its second epoch: with warm_start its max_iter seems to count all "
                "epochs, or it begins anew, so it cannot be trained one by one"
            )
