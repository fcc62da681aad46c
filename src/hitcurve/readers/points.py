"""Operating points on the scale of the ratings: ``sensitivity@rating>=3``.

The cut is a rating that was fixed before the study, the same for all readers. Kernels of metrics know the order of the
subjects and no ratings, so these points are no metrics of rankings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import MetricParseError, ParameterError, UndefinedMetricError
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as of_ranking
from hitcurve.screens.lists import Flags

_WRITTEN = re.compile(r"\s*([A-Za-z_]+)\s*@\s*rating\s*(>=|<=|>|<)\s*(\S+)\s*", re.IGNORECASE)
_HIGH, _LOW = (">=", ">"), ("<=", "<")


class _Point(NamedTuple):
    """A value and its derivatives by TPR, FPR and prevalence."""

    value: Any
    by_tpr: Any
    by_fpr: Any
    by_pi: Any


_Formula: TypeAlias = Callable[[Any, Any, Any], _Point]


def _ppv(t: Any, f: Any, pi: Any) -> _Point:
    called = pi * t + (1 - pi) * f
    square = called**2
    return _Point(pi * t / called, pi * (1 - pi) * f / square, -pi * t * (1 - pi) / square, t * f / square)


def _npv(t: Any, f: Any, pi: Any) -> _Point:
    # that of the other class, from below
    found = _ppv(1 - f, 1 - t, 1 - pi)
    return _Point(found.value, -found.by_fpr, -found.by_tpr, -found.by_pi)


_OF: dict[str, _Formula] = {
    "sensitivity": lambda t, f, pi: _Point(t, 1.0, 0.0, 0.0),
    "specificity": lambda t, f, pi: _Point(1 - f, 0.0, -1.0, 0.0),
    "youden": lambda t, f, pi: _Point(t - f, 1.0, -1.0, 0.0),
    "accuracy": lambda t, f, pi: _Point(pi * t + (1 - pi) * (1 - f), pi, -(1 - pi), t - (1 - f)),
    "ppv": _ppv,
    "npv": _npv,
}
_ALIASES = {"recall": "sensitivity", "tpr": "sensitivity", "tnr": "specificity", "precision": "ppv"}
_DEPEND_ON_ONE_CLASS = ("sensitivity", "specificity")


@dataclass(frozen=True)
class RatingPoint:
    """A share of right decisions if all ratings from a fixed one on are called positive.

    In [0, 1] (``youden`` in [-1, 1]); higher is better; a perfect reader has 1.

    ``sensitivity`` and ``specificity`` are shares of the positives and of the negatives, ``youden`` is their sum less
    1, ``accuracy`` the share of right decisions, ``ppv`` and ``npv`` the shares of right decisions among those called
    positive and negative. The last three depend on the prevalence.

    Parameters
    ----------
    quantity : {"sensitivity", "specificity", "youden", "accuracy", "ppv", "npv"}
    relation : {">=", ">", "<=", "<"}
    rating : float

    Raises
    ------
    ParameterError
        If the quantity or the relation is none of these, or the rating is no finite number.

    Examples
    --------
    >>> str(RatingPoint("sensitivity", ">=", 3))
    'sensitivity@rating>=3'
    """

    name: ClassVar[str] = "rating"
    lower_is_better: ClassVar[bool] = False

    quantity: str
    relation: str
    rating: float

    def __post_init__(self) -> None:
        _checks.choice("quantity", self.quantity, tuple(_OF))
        _checks.choice("relation", self.relation, (*_HIGH, *_LOW))
        number = _checks.real_number("rating", self.rating)
        if not np.isfinite(number):
            raise ParameterError(f"rating must be finite, got {self.rating!r}")
        object.__setattr__(self, "rating", number)

    def __str__(self) -> str:
        """Return the string that parses back."""
        return f"{self.quantity}@rating{self.relation}{rows.exact(self.rating)}"

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return (-1.0 if self.quantity == "youden" else 0.0), 1.0

    @property
    def of_one_class(self) -> bool:
        """Whether it is a share of one class, of which the variance is unbiased in closed form."""
        return self.quantity in _DEPEND_ON_ONE_CLASS

    def called(self, ratings: Array) -> Flags:
        """Say which ratings are called positive; a missing rating is not."""
        calls = {">=": np.greater_equal, ">": np.greater, "<=": np.less_equal, "<": np.less}
        with np.errstate(invalid="ignore"):
            return np.asarray(calls[self.relation](ratings, self.rating))

    def check_direction(self, *, high: bool) -> None:
        """Refuse a cut that calls the wrong end positive.

        Raises
        ------
        ParameterError
            As said.
        """
        if (self.relation in _HIGH) != high:
            end = "higher" if high else "lower"
            right = _HIGH if high else _LOW
            raise ParameterError(
                f"{self} calls the wrong end positive: {end} ratings are of positive cases here, so write "
                f"rating{right[0]}{rows.exact(self.rating)}, or turn higher_is_better"
            )

    def of_list(
        self, rating: Array, positive: Flags, design: str, prevalence: float | None = None
    ) -> tuple[float, Array]:
        """Return the value for one reader, and the influence of each case (n,); 0 of a case without a rating.

        Raises
        ------
        UndefinedMetricError
            If no case is called positive (``ppv``) or negative (``npv``).
        """
        there = ~np.isnan(rating)
        above = self.called(rating)
        sides = there & positive, there & ~positive
        n1, n0 = (float(side.sum()) for side in sides)
        t, f = float(above[sides[0]].mean()), float(above[sides[1]].mean())
        pi = n1 / (n1 + n0) if prevalence is None else prevalence
        try:
            point = _OF[self.quantity](t, f, pi)
        except ZeroDivisionError:
            end = "positive" if self.quantity == "ppv" else "negative"
            raise UndefinedMetricError(f"{self} is undefined: no case is called {end}") from None
        of_pos, of_neg = point.by_tpr * (above - t) / n1, point.by_fpr * (above - f) / n0
        if design == "cohort" and prevalence is None:
            of_pos, of_neg = of_pos + point.by_pi * (1 - pi) / (n1 + n0), of_neg - point.by_pi * pi / (n1 + n0)
        return point.value, np.where(sides[0], of_pos, np.where(sides[1], of_neg, 0.0))

    def of_weights(self, rating: Array, positive: Flags, weights: Array, prevalence: float | None = None) -> Array:
        """Return the value for one reader of samples in which cases occur so often, (B, n); nan where undefined."""
        there = ~np.isnan(rating)
        above = self.called(rating)
        counts = [weights[:, there & side].sum(axis=1) for side in (positive, ~positive)]
        called = [weights[:, above & side].sum(axis=1) for side in (positive, ~positive)]
        with np.errstate(divide="ignore", invalid="ignore"):
            t, f = (part / whole for part, whole in zip(called, counts, strict=True))
            pi = counts[0] / (counts[0] + counts[1]) if prevalence is None else prevalence
            return np.asarray(_OF[self.quantity](t, f, pi).value, float)


Quantity: TypeAlias = Metric | RatingPoint


def check_size(name: str, size: float, metric: Quantity) -> None:
    """Refuse a margin or an effect that no two values can differ by, such as 5 where 5 points of 100 are meant.

    Raises
    ------
    ParameterError
        As said.
    """
    worst, best = metric.range
    width = abs(best - worst)
    if abs(size) >= width:
        raise ParameterError(
            f"{name}={size:g} is not on the scale of {metric}, whose values differ by less than {width:g}: 5 points of "
            "100 are 0.05"
        )


def metric_of_ratings(spec: Any) -> Quantity:
    """Return the metric of a metric string, or the operating point of one such as ``sensitivity@rating>=3``.

    Raises
    ------
    MetricParseError
        If it does not parse.

    Examples
    --------
    >>> metric_of_ratings("recall@rating >= 3").quantity
    'sensitivity'
    """
    if isinstance(spec, RatingPoint):
        return spec
    written = _WRITTEN.fullmatch(spec) if isinstance(spec, str) else None
    if written is None:
        if isinstance(spec, str) and "@rating" in spec.replace(" ", "").lower():
            raise MetricParseError(f"cannot read metric {spec!r}: a point of ratings is written sensitivity@rating>=3")
        return of_ranking(spec)
    quantity, relation, number = written.groups()
    quantity = _ALIASES.get(quantity.lower(), quantity.lower())
    if quantity not in _OF:
        near = _checks.did_you_mean(quantity, (*_OF, *_ALIASES))
        raise MetricParseError(
            f"cannot read metric {spec!r}: no quantity {quantity!r}; they are {', '.join(_OF)}{near}"
        )
    try:
        return RatingPoint(quantity, relation, float(number))
    except ValueError:
        raise MetricParseError(f"cannot read metric {spec!r}: {number!r} is no finite number") from None
