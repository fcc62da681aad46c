"""The displays of scikit-learn, with curves of this package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hitcurve import _checks
from hitcurve.curve import KINDS
from hitcurve.evaluation import Evaluation, evaluate
from hitcurve.plot.by_name import curve as draw
from hitcurve.sources import aligned
from hitcurve.sources.models import left_out, positive_class, rows_of, scores_of
from hitcurve.table import HitTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass
class CurveDisplay:
    """A curve for users of scikit-learn, made and drawn as its displays are.

    Attributes
    ----------
    evaluation : Evaluation
        The numbers; each fold of a cross-validation is a ranker of its own.
    curve : str
        As in :meth:`hitcurve.HitTable.curve`.
    ax_ : matplotlib.axes.Axes
        Where it was drawn.
    figure_ : matplotlib.figure.Figure

    Examples
    --------
    >>> from hitcurve.plot import CurveDisplay
    >>> display = CurveDisplay.from_predictions([1, 0, 1, 0], [4, 3, 2, 1], curve="precision_recall", name="model")
    >>> display.ax_.get_legend_handles_labels()[1]
    ['model 0.8333', 'random 0.5', 'unreachable']
    """

    evaluation: Evaluation
    curve: str = "roc"
    ax_: Axes = field(init=False, repr=False)
    figure_: Figure = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _checks.choice("curve", self.curve, tuple(KINDS))

    def plot(self, ax: Axes | None = None, **options: Any) -> Self:
        """Draw the curve, on given axes or on new ones.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        **options
            Of the function that draws.
        """
        self.ax_ = draw(self.evaluation, self.curve, ax=ax, **options)
        figure: Any = self.ax_.figure
        self.figure_ = figure
        return self

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        curve: str = "roc",
        name: str = "classifier",
        pos_label: Any = None,
        sample_weight: Any = None,
        metrics: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true, y_score : array-like (n,)
        curve : str
            See :class:`CurveDisplay`.
        name : str
            Of the ranker, for the legend.
        pos_label, sample_weight, metrics
            As in :func:`hitcurve.evaluate`; the metric of the legend if absent.
        ax : matplotlib.axes.Axes, optional
        **options
            Of the function that draws.
        """
        _checks.choice("curve", curve, tuple(KINDS))
        ev = evaluate(
            y_true,
            {name: y_score},
            metrics=_metrics(curve, metrics),
            pos_label=pos_label,
            sample_weight=sample_weight,
        )
        return cls(ev, curve).plot(ax, **options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        curve: str = "roc",
        name: str | None = None,
        response_method: str = "auto",
        pos_label: Any = None,
        sample_weight: Any = None,
        metrics: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier.

        Parameters
        ----------
        estimator : estimator
            Fitted, for two classes.
        X : array-like (n, features)
        y : array-like (n,)
            Like the weights put in the order of X where both have an index of pandas with the same labels.
        curve : str
            See :class:`CurveDisplay`.
        name : str, optional
            That of its class if absent.
        response_method : {"auto", "decision_function", "predict_proba"}
            ``auto``: the first of the two that it has.
        pos_label : object, optional
            Class that is positive; the second of the estimator if absent.
        sample_weight, metrics
            As in :func:`hitcurve.evaluate`.
        ax : matplotlib.axes.Axes, optional
        **options
            Of the function that draws.

        Raises
        ------
        ParameterError
            If the estimator has no scores of two classes.
        InputError
            If the indexes of X, y and weights name different rows.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 0, 1, 1])
        >>> display = CurveDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
        >>> display.ax_.get_legend_handles_labels()[1]
        ['LogisticRegression 0.8125', 'random 0.5']
        """
        _checks.choice("curve", curve, tuple(KINDS))
        label = positive_class(estimator, pos_label)
        found, notes = aligned({"X": X, "y": y, "sample_weight": sample_weight})
        ev = evaluate(
            np.asarray(found["y"]) == label,
            {type(estimator).__name__ if name is None else name: scores_of(estimator, X, label, response_method)},
            metrics=_metrics(curve, metrics),
            sample_weight=_array(found["sample_weight"]),
        )
        return cls(replace(ev, notes=notes), curve).plot(ax, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        curve: str = "roc",
        response_method: str = "auto",
        pos_label: Any = None,
        sample_weight: Any = None,
        metrics: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of each fold of a cross-validation, on the subjects that were left out.

        Parameters
        ----------
        cv_results : mapping
            Of ``cross_validate`` with ``return_estimator=True, return_indices=True``.
        X : array-like (n, features)
        y : array-like (n,)
            Like the weights put in the order of X where both have an index of pandas with the same labels.
        curve, response_method, pos_label, sample_weight, metrics, ax, **options
            As in :meth:`from_estimator`.

        Raises
        ------
        ParameterError
            If estimators or indices were not returned.
        InputError
            If the indexes of X, y and weights name different rows.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import cross_validate
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat([0, 1], 50)
        >>> X = rng.normal(size=(100, 2)) + y[:, None]
        >>> folds = cross_validate(LogisticRegression(), X, y, cv=2, return_estimator=True, return_indices=True)
        >>> CurveDisplay.from_cv_results(folds, X, y).evaluation.rankers
        ('fold 1', 'fold 2')
        """
        _checks.choice("curve", curve, tuple(KINDS))
        found, notes = aligned({"X": X, "y": y, "sample_weight": sample_weight})
        sample_weight = _array(found["sample_weight"])
        folds = left_out(cv_results, X, found["y"], pos_label=pos_label, response_method=response_method)
        tables = {
            f"fold {place}": HitTable.from_scores(
                fold.positive,
                fold.scores,
                sample_weight=None if sample_weight is None else rows_of(sample_weight, fold.places),
            )
            for place, fold in enumerate(folds, 1)
        }
        ev = evaluate(tables=tables, metrics=_metrics(curve, metrics), paired=False)
        return cls(replace(ev, notes=(*ev.notes, *notes)), curve).plot(ax, **options)


def _metrics(curve: str, metrics: Any) -> Any:
    return KINDS[curve].picture.metrics[0] if metrics is None else metrics


def _array(values: Any) -> Any:
    return None if values is None else np.asarray(values)
