"""The simplest model within one standard error of the best, by the errors of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from sklearn.base import clone
from sklearn.utils import get_tags

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.evaluation import Evaluation
from hitcurve.learn.delegate import Delegate
from hitcurve.learn.estimators import check_is_estimator, in_order_of, is_search, last_step, read_params
from hitcurve.learn.folds import evaluate_scores, out_of_fold, read_folds
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as read_metric
from hitcurve.metrics.direction import check_higher_is_better
from hitcurve.sources import tell_of_order

RULES = ("one-standard-error", "best")


def one_standard_error(
    evaluation: Evaluation, metric: str | Metric, *, simplest_first: Sequence[str] | None = None, paired: bool = True
) -> str:
    """Return the simplest ranker that is no more than one standard error worse than the best.

    Parameters
    ----------
    evaluation : Evaluation
        Evaluation of out-of-fold scores of the candidates.
    metric : str or Metric
        A metric that was evaluated.
    simplest_first : sequence of str, optional
        The rankers from the simplest to the most complex; by default the rankers of the evaluation, in its order.
    paired : bool
        True: use the standard error of the difference to the best ranker, on the same subjects. False: use the standard
        error of the best ranker alone, as in the original rule. It is the larger one where candidates rank alike, and
        then treats candidates as equal that are reliably worse.

    Returns
    -------
    str
        Name of the ranker.

    Raises
    ------
    ParameterError
        If the evaluation is one of groups, which has no pooled scores, or ``simplest_first`` names no ranker.
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
    if not isinstance(evaluation, Evaluation):
        raise ParameterError(
            f"the rule needs the evaluation of one list of out-of-fold scores, got a {type(evaluation).__name__}: "
            "evaluate without by"
        )
    given = evaluation.rankers if simplest_first is None else simplest_first
    names = tuple(_checks.named("ranker", name, evaluation.tables) for name in given)
    if not names:
        raise ParameterError("simplest_first is empty: name at least one ranker")
    check_higher_is_better(evaluation[names[0], metric].metric, "the rule")
    values = {name: evaluation[name, metric].value for name in names}
    best = max(values, key=lambda name: values[name])
    for name in names[: names.index(best)]:
        if paired:
            error = evaluation.compare(best, name, metric, method="delta").difference.standard_error
        else:
            error = evaluation[best, metric].standard_error
        if values[best] - values[name] <= error:
            return name
    return best


class ModelChoice(Delegate):
    """Model that is chosen by out-of-fold scores and trained on all rows.

    Candidates get the data unchanged: frames, missing values, or any other input that they take.

    Parameters
    ----------
    candidates : mapping of str to estimator
        From the simplest to the most complex. Searches (of scikit-learn, or another ``ModelChoice``) raise an error:
        they may choose another model in each fold, and scores of different models are not on one scale. Give the models
        that they search among.
    metric : str or Metric
        Metric of the pooled out-of-fold scores.
    cv : int, splitter or iterable of (train, test)
        As in :func:`~hitcurve.learn.out_of_fold`. Folds are drawn once: all candidates get the same folds.
    rule : {"one-standard-error", "best"}
        The simplest within one standard error of the best (:func:`~hitcurve.learn.one_standard_error`), or the best.
    paired : bool
        As in :func:`~hitcurve.learn.one_standard_error`.

    Attributes
    ----------
    classes_ : ndarray (2,)
        The second one is the positive one.
    evaluation_ : Evaluation
        Evaluation of the out-of-fold scores of all candidates. Its values for the chosen candidate are biased upwards
        by the choice: see :func:`~hitcurve.learn.nested_cross_validation`.
    best_name_ : str
        Name of the chosen candidate.
    best_score_ : float
        Value of the chosen candidate, by which it was chosen.
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

    def fit(self, X: Any, y: Any, clusters: Any = None, **params: Any) -> Self:
        """Score, choose and train.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame (n, features)
        y : array-like (n,)
            Two classes; the last in order is the positive one.
        clusters : array-like (n,), optional
            The cluster of each row, as in :func:`~hitcurve.learn.out_of_fold`.
        **params : array-like (n,)
            Parameters of ``fit`` of the candidates beside X and y, one value for each row: ``ids``, or
            ``sample_weight``. Metrics are not weighted.

        Raises
        ------
        ParameterError, MetricParseError
            If candidates are not named estimators that take the names in ``params``, or are searches; if the rule or
            metric is unknown.
        SingleClassError, LabelError, LengthMismatchError, InputError, ParameterError
            As in :func:`~hitcurve.learn.out_of_fold`.
        InsufficientDataError, UndefinedMetricError
            If there are too few subjects for a standard error, or the metric is undefined for the scores.
        """
        _checks.choice("rule", self.rule, RULES)
        wanted = read_metric(self.metric)
        check_higher_is_better(wanted, "a choice of a model")
        candidates = self._read_candidates()
        found, params, notes = in_order_of(X, params, parts=True, y=y, clusters=clusters)
        tell_of_order(notes)
        X, positive = self._read_training(X, found["y"])
        for model in candidates.values():
            params = read_params(model, model.fit, params, positive.size)
        labels = self.classes_[positive.astype(int)]
        # drawn once: a splitter may draw other folds each time, and an iterator is used up
        folds = read_folds(self.cv, X, labels, positive, found["clusters"])
        scores = {
            name: out_of_fold(model, X, labels, cv=folds, params=params).scores for name, model in candidates.items()
        }
        self.evaluation_ = evaluate_scores(positive, scores, wanted)
        if self.rule == "best":
            values = {name: self.evaluation_[name, wanted].value for name in scores}
            self.best_name_ = max(values, key=lambda name: values[name])
        else:
            self.best_name_ = one_standard_error(self.evaluation_, wanted, paired=self.paired)
        self.best_score_ = self.evaluation_[self.best_name_, wanted].value
        self.best_estimator_ = clone(candidates[self.best_name_]).fit(X, labels, **params)
        return self

    def _read_candidates(self) -> dict[str, Any]:
        if not isinstance(self.candidates, Mapping):
            raise ParameterError(
                f"candidates must be a mapping from names to estimators, got a {type(self.candidates).__name__}"
            )
        if not self.candidates:
            raise ParameterError("candidates is empty: give at least one estimator")
        names = [str(name) for name in self.candidates]
        _checks.distinct("candidate", names)
        candidates = dict(zip(names, self.candidates.values(), strict=True))
        for name, model in candidates.items():
            check_is_estimator(f"candidate {name!r}", model)
            if is_search(last_step(model)):
                raise ParameterError(
                    f"candidate {name!r} is a search, which may choose another model in each fold, and their scores "
                    "are not on one scale: give the models that it searches among as candidates"
                )
        return candidates

    @property
    def _trained(self) -> Any:
        return self.best_estimator_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = [get_tags(model).input_tags for model in self._read_candidates().values()]
        tags.input_tags.sparse = all(tag.sparse for tag in inner)
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in inner)
        tags.input_tags.pairwise = any(tag.pairwise for tag in inner)
        return tags
