"""Choice of markers as a step of a pipeline, so that it happens inside the folds."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted, validate_data

from hitcurve import _checks
from hitcurve._callers import warn
from hitcurve.errors import HitcurveWarning, ParameterError, SingleClassError
from hitcurve.learn.classes import classes_of
from hitcurve.learn.fingerprints import Array
from hitcurve.metrics import metric as read_metric
from hitcurve.screens import adjusting
from hitcurve.screens.scoring import MarkerScore, scored
from hitcurve.sources import put_in_order, refuse_masked


class MarkerSelector(SelectorMixin, BaseEstimator):
    """Selector of the best columns by any metric of a ranking, or of the columns with a small adjusted p value.

    It is fitted with the training data of a fold alone where it is a step of a pipeline, so that cross-validation
    estimates selection and model together. Of more than two classes each is ranked ahead of all others, and a column
    is as good as its best rank among the classes.

    Parameters
    ----------
    metric : str or Metric
    k : int, "all" or None
        How many columns to keep; None for as many as have an adjusted p value of at most ``level``.
    level : float in (0, 1)
        Of the adjusted p values, if ``k`` is None.
    adjust : {"bh", "by", "holm"}
        Adjustment of p values for the number of columns (and classes).
    direction : {"auto", "high", "low"}
        As in :func:`hitcurve.screen`. Columns are kept as they are.
    missing : {"raise", "drop", "last"}
        What to do with rows without a value of a column: raise an error, evaluate the column on all others, or rank
        them last, tied with values of ``-inf`` (``inf`` where low is good).
    n_resamples : int
        Random orders for p values that have no formula; they are drawn if ``k`` is None.
    random_state : int, optional
        None derives a seed from the numbers of rows of each class.

    Attributes
    ----------
    classes_ : array
        The positive class of two is the last.
    scores_ : array (m,) or (K, m)
        Values of the metric, of each of K > 2 classes; lower ones are better for some metrics. nan of columns that
        cannot be evaluated, such as constant ones, which are not chosen before others.
    pvalues_, adjusted_ : array (m,) or (K, m)
        Only if ``k`` is None.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only of data frames.

    Raises
    ------
    ParameterError
        By ``fit``, if a parameter is invalid.
    SingleClassError
        By ``fit``, if there is only one class.

    Examples
    --------
    Labels that depend on nothing: columns chosen by all data seem to predict them, those chosen in each fold do not.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.pipeline import make_pipeline
    >>> from hitcurve.learn import MarkerSelector
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 2000)), np.repeat([0, 1], 30)
    >>> select, model = MarkerSelector("auc", k=10), LogisticRegression()
    >>> outside = cross_val_score(model, select.fit_transform(X, y), y, scoring="roc_auc").mean()
    >>> inside = cross_val_score(make_pipeline(select, model), X, y, scoring="roc_auc").mean()
    >>> bool(outside > 0.9), bool(abs(inside - 0.5) < 0.2)
    (True, True)
    """

    def __init__(
        self,
        metric: Any = "ap",
        k: int | str | None = 10,
        *,
        level: float = 0.05,
        adjust: str = "bh",
        direction: str = "auto",
        missing: str = "raise",
        n_resamples: int = 9999,
        random_state: int | None = None,
    ) -> None:
        self.metric = metric
        self.k = k
        self.level = level
        self.adjust = adjust
        self.direction = direction
        self.missing = missing
        self.n_resamples = n_resamples
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn asks about it."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "raise"
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Evaluate all columns.

        Parameters
        ----------
        X : array, data frame or sparse matrix (n, m)
        y : array-like (n,)
            Labels.

        Warns
        -----
        AlignmentWarning
            If labels were put in the order of the rows by their index.
        """
        k = self._checked()
        finite: Any = "allow-nan" if self.missing != "raise" else True
        X = self._known(X)
        refuse_masked(y=y)
        found = put_in_order({"X": X, "y": y}, parts=True)
        X, y = validate_data(self, X, found["y"], accept_sparse="csc", ensure_all_finite=finite, ensure_min_samples=2)
        self.classes_, codes = classes_of(y)
        if self.classes_.size < 2:
            raise SingleClassError(f"there is one class ({self.classes_[0]!r}): at least 2 are needed")
        metric = read_metric(self.metric)
        options = {
            "direction": self.direction,
            "missing": self.missing,
            "n_resamples": self.n_resamples if k is None else 1,
            "rng": self.random_state,
        }
        score = MarkerScore(metric, options)
        positive = range(1, 2) if self.classes_.size == 2 else range(self.classes_.size)
        by_class = [scored(score.screen(X, codes == code), metric, X.shape[1]) for code in positive]
        good = np.array([one.scores for one in by_class])
        self.scores_ = self._of_classes(-good if metric.lower_is_better else good)
        if k is None:
            p = np.array([one.pvalues for one in by_class])
            adjusted = adjusting.adjusted(p.ravel(), self.adjust).reshape(p.shape)
            self.pvalues_, self.adjusted_ = self._of_classes(p), self._of_classes(adjusted)
            level = float(self.level)
            self._support = np.asarray((adjusted <= level).any(axis=0))
            if not self._support.any():
                warn(HitcurveWarning(f"no column has an adjusted p value of at most {level:g}: none is selected"))
        else:
            self._support = self._best(good, X.shape[1] if k == "all" else int(k))
        return self

    def transform(self, X: Any) -> Any:
        """Return the selected columns."""
        return super().transform(self._known(X))

    def _known(self, X: Any) -> Any:
        """Return columns with nan where values are masked, which is refused if values may not be missing."""
        if self.missing == "raise":
            refuse_masked(X=X)
        return np.ma.filled(X.astype(float), np.nan) if isinstance(X, np.ma.MaskedArray) and X.mask.any() else X

    def _checked(self) -> int | str | None:
        if self.k is not None and self.k != "all":
            try:
                _checks.whole_number("k", self.k)
            except ParameterError:
                raise ParameterError(f"k must be a whole number, 'all' or None, got {self.k!r}") from None
        _checks.open_unit("level", self.level)
        _checks.choice("adjust", self.adjust, adjusting.METHODS)
        _checks.choice("direction", self.direction, ("auto", "high", "low"))
        _checks.choice("missing", self.missing, ("raise", "drop", "last"))
        _checks.resamples(self.n_resamples)
        return self.k

    def _of_classes(self, values: Array) -> Array:
        return values[0] if len(values) == 1 else values

    def _best(self, good: Array, k: int) -> npt.NDArray[np.bool_]:
        """Return the k best columns; of equal ones the first."""
        count = good.shape[1]
        if k > count:
            warn(HitcurveWarning(f"k={k} is more than the {count} columns: all are selected"))
        known = np.where(np.isnan(good), -np.inf, good)
        # of several classes: the best rank, and the best value among those
        rank = np.array([np.searchsorted(np.sort(-own), -own, "left") for own in known]).min(axis=0)
        chosen = np.lexsort((np.arange(count), -known.max(axis=0), rank))[:k]
        support = np.zeros(count, bool)
        support[chosen] = True
        return support

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        support: npt.NDArray[np.bool_] = self._support
        return support
