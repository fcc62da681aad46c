"""A kind of curve: all that is particular to it, as one value.

Rooms downstream read the parts that concern them: bands how limits of a share become limits of the curve, averages
whether its coordinates are averaged along the rate, pictures how its axes are named and scaled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray, Array, Counts

Along: TypeAlias = Literal["fpr", "rate", "recall"]
Height: TypeAlias = Callable[[float, Array, Array], Array]  # y from prevalence, TPR and FPR
Scale: TypeAlias = Literal["linear", "log10", "magnified", "normal-deviate"]


class Ranking(Protocol):
    """What a curve is drawn from: a hit table."""

    @property
    def counts(self) -> Counts:
        """Positives and negatives of each row."""
        ...

    @property
    def prevalence(self) -> float:
        """Share of positives."""
        ...

    @property
    def n(self) -> float:
        """Number of subjects."""
        ...

    @property
    def n_pos(self) -> float:
        """Number of positives."""
        ...

    @property
    def n_neg(self) -> float:
        """Number of negatives."""
        ...

    @property
    def grid(self) -> AnyArray | None:
        """Scores of the rows."""
        ...

    @property
    def kind(self) -> str:
        """Which rows there are."""
        ...

    def with_rows(self, pos: npt.ArrayLike, neg: npt.ArrayLike) -> Self:
        """Return other rows of the same kind of subjects."""
        ...


@dataclass(frozen=True)
class Axis:
    """An x coordinate: an increasing map of what is linear along every row.

    Attributes
    ----------
    forward, backward : callable
        From FPR, rate or recall to x, and back.
    has_flats : bool
        Whether several places may share an x; the last of them is then the upper end.
    """

    forward: Callable[[Array], Array]
    backward: Callable[[Array], Array]
    has_flats: bool = False


def _same(values: Array) -> Array:
    return np.array(values, float)


LINEAR = Axis(_same, _same)


@dataclass(frozen=True)
class BandPart:
    """How limits of a share at each place of the x axis become limits of the curve.

    Attributes
    ----------
    share : {"tpr", "precision"}
        What is bounded: TPR at an FPR or at a rate, from which y follows; or precision at a recall.
    by_prevalence : callable or None
        From prevalence, rate and TPR: how fast y changes with the prevalence where both rates are held. None if it
        does not.
    most : callable or None
        The highest y that any list has at an x. None if limits of the share imply it.
    """

    share: Literal["tpr", "precision"] = "tpr"
    by_prevalence: Callable[[float, Array, Array], Array] | None = None
    most: Callable[[Array], Array] | None = None


@dataclass(frozen=True)
class Picture:
    """What a picture shows beside the line.

    Attributes
    ----------
    x, y : str
        Names of the axes.
    x_scale : {"linear", "log10", "magnified", "normal-deviate"}
        ``log10`` and ``magnified``: x is that already, and ticks are written as shares. ``normal-deviate``: the
        axis is drawn by the quantiles of the normal distribution.
    y_scale : {"linear", "normal-deviate"}
    is_share : bool
        Whether y fills [0, 1].
    bounded : bool
        Whether there is a region that no list can reach.
    random : callable or None
        Random baseline over x where it is the same for all classes.
    metrics : tuple of str
        Metric strings. The number of a legend is the first metric of one of these families that was evaluated.
    """

    x: str
    y: str
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    is_share: bool = True
    bounded: bool = True
    random: Callable[[Array], Array] | None = None
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True)
class CurveKind:
    """A kind of curve.

    Attributes
    ----------
    name : str
    x_label, y_label : str
    along : {"fpr", "rate", "recall"}
        What x is a map of.
    height : callable
        y from prevalence, TPR and FPR.
    picture : Picture
    band : BandPart or None
        None: there is no band.
    axis : callable
        From a ranking to its x axis.
    magnified : bool
        Whether x (and y, if wanted) is magnified; ``axis`` has no say then.
    is_straight : bool
        Whether the curve goes straight between vertices, or over a magnified axis as a straight one does.
    starts_at_limit : bool
        Whether the first vertex is a limit along the counts instead of an observed point.
    starts_at_prevalence : bool
        Whether the curve begins where TPR reaches the prevalence instead of at the top of the list.
    lower_is_better : bool
        Whether a better list has a lower curve.
    along_rate : bool
        Whether both coordinates are averaged over groups at the same rate.
    """

    name: str
    x_label: str
    y_label: str
    along: Along
    height: Height
    picture: Picture
    band: BandPart | None = None
    axis: Callable[[Ranking], Axis] = lambda _: LINEAR
    magnified: bool = False
    is_straight: bool = True
    starts_at_limit: bool = False
    starts_at_prevalence: bool = False
    lower_is_better: bool = False
    along_rate: bool = False

    def __reduce__(self) -> tuple[Callable[[str], CurveKind], tuple[str]]:
        """Pickle the name: there is one kind of each, and it holds functions."""
        return _of_name, (self.name,)

    def __str__(self) -> str:
        """Return the name in words."""
        return self.name.replace("_", " ")

    def place(self, pi: float, P: Array, Q: Array) -> Array:
        """Return what x is a map of: FPR, rate or recall."""
        places: dict[Along, Array] = {"fpr": Q, "rate": pi * P + (1 - pi) * Q, "recall": P}
        return places[self.along]


def _of_name(name: str) -> CurveKind:
    from hitcurve.curve.kinds import KINDS  # which are made of this class

    return KINDS[name]
