"""The simplest model that is as good as the best, by the errors of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from hitcurve import _checks
from hitcurve.errors import ColumnNotFoundError, ParameterError
from hitcurve.evaluation import Evaluation
from hitcurve.learn.fingerprints import Array
from hitcurve.learn.folds import evaluate_scores, out_of_fold, positive_scores
from hitcurve.learn.rankers import Ranker
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as read_metric

RULES = ("one-standard-error", "best")


def one_standard_error(
    evaluation: Evaluation, metric: str | Metric, *, simplest_first: Sequence[str] | None = None, paired: bool = True
) -> str:
    """Return the simplest ranker that is no more than one standard error worse than the best.

    Parameters
    ----------
    evaluation : Evaluation
        Of out-of-fold scores of the candidates.
    metric : str or Metric
        One that was evaluated.
    simplest_first : sequence of str, optional
        The rankers from the simplest to the most complex; those of the evaluation, in its order, if absent.
    paired : bool
        Whether the standard error is that of the difference to the best one, on the same subjects, or, as in the
        original rule, that of the best one alone. The latter is the larger one where candidates rank alike, and calls
        equal what is reliably worse.

    Returns
    -------
    str
        Name of the ranker.

    Raises
    ------
    ColumnNotFoundError
        If a ranker or the metric was not evaluated.
    InsufficientDataError
        If there are too few subjects for a standard error.

    References
    ----------
    Breiman, Friedman, Olshen and Stone 1984, Classification and Regression Trees, section 3.4.3.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import evaluate
    >>> y, rng = np.repeat([1, 0], [40, 400]), np.random.default_rng(0)
    >>> good = rng.normal(size=440) + 2 * y
    >>> scores = {"poor": rng.normal(size=440), "good": good, "rough": good + 0.05 * rng.normal(size=440)}
    >>> ev = evaluate(y, scores, metrics="auc")
    >>> one_standard_error(ev, "auc")
    'good'
    """
    names = tuple(evaluation.rankers if simplest_first is None else simplest_first)
    for name in names:
        if name not in evaluation.tables:
            raise ColumnNotFoundError(f"no ranker {name!r}{_checks.did_you_mean(name, evaluation.tables)}")
    if not names:
        raise ParameterError("simplest_first names no ranker: there is nothing to choose from")
    values = {name: evaluation[name, metric].value for name in names}
    best = max(values, key=lambda name: values[name])
    for name in names:
        if name == best:
            break
        if paired:
            error = evaluation.compare(best, name, metric, method="delta").difference.standard_error
        else:
            error = evaluation[best, metric].standard_error
        if values[best] - values[name] <= error:
            return name
    return best


class ModelChoice(MetaEstimatorMixin, Ranker):
    """Chooses among models by their out-of-fold scores, and trains the chosen one on all.

    Parameters
    ----------
    candidates : mapping of str to estimator
        From the simplest to the most complex.
    metric : str or Metric
        Of the pooled out-of-fold scores.
    cv : int, splitter or iterable of (train, test)
        As in :func:`~hitcurve.learn.out_of_fold`.
    rule : {"one-standard-error", "best"}
        The simplest within one standard error of the best (:func:`~hitcurve.learn.one_standard_error`), or the best.
    paired : bool
        As in :func:`~hitcurve.learn.one_standard_error`.

    Attributes
    ----------
    classes_ : ndarray (2,)
        The second one is the positive one.
    evaluation_ : Evaluation
        Of the out-of-fold scores of all candidates. What it says of the chosen one is too good, for it was chosen by
        it: see :func:`~hitcurve.learn.nested_cross_validation`.
    best_name_ : str
        Of the chosen candidate.
    best_score_ : float
        Value by which it was chosen.
    best_estimator_ : estimator

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> y = np.arange(120) % 4 == 0
    >>> X = np.random.default_rng(0).normal(size=(120, 8)) + 0.5 * y[:, None]
    >>> candidates = {f"C={c}": LogisticRegression(C=c) for c in (0.001, 0.1, 10.0)}
    >>> ModelChoice(candidates, metric="auc").fit(X, y).best_name_
    'C=0.001'
    """

    def __init__(
        self,
        candidates: Mapping[str, Any],
        *,
        metric: str | Metric = "ap",
        cv: Any = 5,
        rule: str = "one-standard-error",
        paired: bool = True,
    ) -> None:
        self.candidates = candidates
        self.metric = metric
        self.cv = cv
        self.rule = rule
        self.paired = paired

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Score, choose and train.

        Parameters
        ----------
        X : array-like or sparse matrix (n, features)
        y : array-like (n,)
            Two classes; the last in order is the positive one.
        groups : array-like (n,), optional
            For splitters that keep groups together.
        """
        _checks.choice("rule", self.rule, RULES)
        wanted = read_metric(self.metric)
        if not self.candidates:
            raise ParameterError("candidates is empty: there is nothing to choose from")
        X, positive = self._read_training(X, y)
        labels = self.classes_[positive.astype(int)]
        scores = {
            name: out_of_fold(model, X, labels, cv=self.cv, groups=groups).scores
            for name, model in self.candidates.items()
        }
        self.evaluation_ = evaluate_scores(positive, scores, wanted)
        if self.rule == "best":
            values = {name: self.evaluation_[name, wanted].value for name in scores}
            self.best_name_ = max(values, key=lambda name: values[name])
        else:
            self.best_name_ = one_standard_error(self.evaluation_, wanted, paired=self.paired)
        self.best_score_ = self.evaluation_[self.best_name_, wanted].value
        self.best_estimator_ = clone(self.candidates[self.best_name_]).fit(X, labels)
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the scores of the chosen model."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return positive_scores(self.best_estimator_, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = [get_tags(model).input_tags for model in self.candidates.values()]
        tags.input_tags.sparse = all(tag.sparse for tag in inner)
        tags.input_tags.pairwise = any(tag.pairwise for tag in inner)
        return tags
