"""What the rows of a hit table say: numbers of subjects, curves, a confusion matrix, a frame."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.confusion import Confusion
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.curve import Curve, curve_of
from hitcurve.cut import Cut
from hitcurve.errors import CountError, LengthMismatchError, ParameterError, ScoreError, UndefinedMetricError
from hitcurve.label_errors import CorrectedCounts, LabelErrors, refuse_corrected
from hitcurve.magnify import Magnification
from hitcurve.refusals import raise_first
from hitcurve.sources import to_frame
from hitcurve.stored import Storable
from hitcurve.sums import LONG, Lists, Sums, Weighed

Kind: TypeAlias = Literal["full", "collapsed", "binned", "rows", "ranks", "derived"]
_MOST = 1e75  # weights of any number of subjects, whose squares are floats
_LARGE = 1 << 20  # rows of a table that keeps what is worked out of them until the next such table is read
_last_large: list[weakref.ReferenceType[TableRows]] = []
_SCORED = ("full", "collapsed", "binned")
WITH_GAPS = ("collapsed", "ranks", "derived")


def rows_for_a_score(kind: Kind) -> int:
    """Return how many rows a score of the grid adds to the row below all scores, in tables that have such a row."""
    return 1 if kind == "binned" else 2


@dataclass(frozen=True, eq=False)
class TableRows(Storable):
    """The rows of one ranked list; see :class:`hitcurve.HitTable`, which makes and changes them."""

    pos: AnyArray
    neg: AnyArray
    kind: Kind
    grid: AnyArray | None = None
    pos_squares: Array | None = None
    neg_squares: Array | None = None
    assumed_prevalence: float | None = field(default=None)
    unit: float = 1.0
    label_errors: LabelErrors | None = field(default=None)
    _weighed: tuple[Weighed, Weighed] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in (*Sums._fields, "grid"):
            given = getattr(self, name)
            if given is not None and not isinstance(given, np.ndarray):
                object.__setattr__(self, name, np.asarray(given))
        super().__post_init__()
        self._check_by_hand()
        for name, column in (("pos", self.pos), ("neg", self.neg)):
            if column.dtype.kind == "f" and not np.all((column == 0) | ((column >= 1 / _MOST) & (column <= _MOST))):
                odd = column[~((column == 0) | ((column >= 1 / _MOST) & (column <= _MOST)))][0]
                raise CountError(f"{name} must be 0 or between {1 / _MOST:g} and {_MOST:g}, got {odd:g}")

    def _check_by_hand(self) -> None:
        """Refuse columns that no scores and labels give, as a table that is made by hand may have."""
        _checks.choice("kind", self.kind, get_args(Kind))
        rows = self.pos.size
        for name, column in zip(Sums._fields, self.sums, strict=True):
            if column is None:
                continue
            if column.ndim != 1 or column.dtype.kind not in "iuf":
                raise CountError(f"{name} must be a row of numbers, got {column.ndim} axes of type {column.dtype}")
            if column.size != rows:
                raise LengthMismatchError(f"lengths differ: pos has {rows:,}, {name} has {column.size:,}")
            if rows and not column.min() >= 0:  # nor is nan
                raise CountError(f"{name} must be at least 0 in each row, got {column.min():g}")
        if (self.pos_squares is None) != (self.neg_squares is None):
            raise ParameterError("pos_squares and neg_squares are of weights: give both or none")
        if self.assumed_prevalence is not None:
            _checks.prevalence(self.assumed_prevalence)
        self._check_grid()

    def _check_grid(self) -> None:
        scores = self.grid
        if scores is None:
            if self.kind in _SCORED:
                raise ScoreError(f"a table of kind {self.kind!r} has scores: give grid, or kind='rows'")
            return
        if self.kind not in _SCORED:
            raise ScoreError(f"a table of kind {self.kind!r} has no scores: leave out grid")
        rows = self.pos.size
        wanted = scores.size if self.kind == "full" else rows_for_a_score(self.kind) * scores.size + 1
        if scores.ndim != 1 or rows != wanted:
            raise LengthMismatchError(
                f"a table of kind {self.kind!r} with {scores.size:,} scores has {wanted:,} rows, got {rows:,}"
            )
        if not np.all(scores[1:] < scores[:-1]) or (scores.size == 1 and scores[0] != scores[0]):
            raise ScoreError("grid must hold distinct scores from the highest down, without nan")

    @classmethod
    def of_sums(
        cls,
        sums: Sums,
        kind: Kind,
        grid: AnyArray | None = None,
        prevalence: float | None = None,
        unit: float = 1.0,
        errors: LabelErrors | None = None,
    ) -> Self:
        """Take the columns of a table."""
        return cls(sums.pos, sums.neg, kind, grid, sums.pos_squares, sums.neg_squares, prevalence, unit, errors)

    @property
    def sums(self) -> Sums:
        """The columns, with their sums of squared weights."""
        return Sums(self.pos, self.neg, self.pos_squares, self.neg_squares)

    @property
    def weighed(self) -> tuple[Weighed, Weighed]:
        """The weights of positives and of negatives: their number and sum, and the least and largest.

        Of a table that was counted from subjects in memory they are those of the subjects; of others a row is taken as
        one of equal weights, and ``exact`` is False where it holds several subjects.
        """
        return self.sums.weighed if self._weighed is None else self._weighed

    def with_rows(self, pos: npt.ArrayLike, neg: npt.ArrayLike) -> Self:
        """Return a table with other rows and the same unit (weights or counts) and assumed prevalence."""
        columns = [np.asarray(column, self.pos.dtype) for column in (pos, neg)]
        sums = Sums(*columns).as_weights() if self.weighted else Sums(*columns)
        return self.of_sums(sums, "derived", None, self.assumed_prevalence, errors=self.label_errors)

    @cached_property
    def counts(self) -> Counts:
        """The view that kernels see.

        Raises
        ------
        SingleClassError
            If there is no positive or no negative.
        """
        _checks.both_classes(self.n_pos, self.n_neg)
        if self.pos.size < LONG:
            return self.lists.counts
        return self._all_rows

    @cached_property
    def _all_rows(self) -> Counts:
        if self.pos.size >= _LARGE:
            _let_go_before(self)
        labels = self.sums.counts(self.assumed_prevalence)
        return labels if self.label_errors is None else CorrectedCounts.of(labels, self.label_errors)

    @cached_property
    def lists(self) -> Lists:
        """The rows (of a long list the non-empty ones) as the only list, with the sums that inference needs."""
        found = Lists.of_held(self.sums, self.assumed_prevalence, has_gaps=self.has_gaps, errors=self.label_errors)
        if found.sums.pos is self.pos:
            vars(found)["counts"] = self._all_rows
        elif self.pos.size >= LONG:
            found.counts.share(self._all_rows)  # values and intervals share what metrics make of the rows
        return found

    @property
    def has_gaps(self) -> bool:
        """Whether rows of negatives only are gaps between two scores, and their negatives have different scores."""
        return self.kind in WITH_GAPS

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.pos_squares is not None

    @property
    def n(self) -> float:
        """Number of subjects (sum of weights)."""
        return self.n_pos + self.n_neg

    @cached_property
    def n_pos(self) -> float:
        """Number of positives (sum of weights)."""
        total: float = self.pos.sum().item()
        return total

    @cached_property
    def n_neg(self) -> float:
        """Number of negatives (sum of weights)."""
        total: float = self.neg.sum().item()
        return total

    @property
    def prevalence(self) -> float:
        """Share of positives, or the assumed prevalence; where labels are corrected, the corrected share."""
        if self.label_errors is not None:
            return float(self.counts.pi)
        return self.n_pos / self.n if self.assumed_prevalence is None else self.assumed_prevalence

    @property
    def score(self) -> AnyArray | None:
        """Score of each row; of a bin its lower end; nan for a gap between scores, None where there are no scores."""
        if self.grid is None or self.kind == "full":
            return self.grid
        out = np.full(self.pos.size, np.nan)
        if self.kind == "binned":
            out[:-1] = self.grid
            return out
        out[1::2] = self.grid
        return out

    @property
    def tpr(self) -> Array:
        """True positive rate down to each row."""
        return self.counts.P

    @property
    def fpr(self) -> Array:
        """False positive rate down to each row."""
        return self.counts.Q

    @property
    def rate(self) -> Array:
        """Fraction of all subjects selected, down to each row."""
        return self.counts.r

    @cached_property
    def tied(self) -> float:
        """Number of subjects in rows with both classes. Their order within the row affects the value."""
        mixed = self.sums.mixed
        total: float = (self.pos[mixed].sum() + self.neg[mixed].sum()).item()
        return total

    @cached_property
    def tied_pos(self) -> float:
        """Number of positives whose score occurs in another positive."""
        total: float = self.pos[self.sums.several_positives].sum().item()
        return total

    def _scores(self) -> AnyArray:
        if self.grid is None:
            raise ScoreError(f"a table of kind {self.kind!r} has no scores")
        return self.grid

    def curve(
        self,
        name: str,
        *,
        magnification: Magnification | str | None = None,
        y_magnification: Magnification | str | None = None,
    ) -> Curve:
        """Return a curve.

        Parameters
        ----------
        name : {"roc", "det", "precision_recall", "hit", "accumulation", "croc", "cac", "rate_accuracy", \
"rate_recall", "rate_negative_recall", "lift", "proc", "pac", "prg"}
        magnification : Magnification or str, optional
            Of the x axis; for croc and cac only, ``Exponential(7)`` if absent.
        y_magnification : Magnification or str, optional
            Of the y axis; for croc and cac only.

        Raises
        ------
        ParameterError
            If the name is not a curve, the curve takes no magnification, or the magnification cannot be read.

        Examples
        --------
        >>> from hitcurve import HitTable
        >>> HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]).curve("lift").at(0.5)
        1.0
        """
        return curve_of(self, name, magnification=magnification, y_magnification=y_magnification)

    def confusion(
        self,
        *,
        rate: float | None = None,
        k: int | None = None,
        threshold: float | None = None,
        cut: str = "auto",
    ) -> Confusion:
        """Return the confusion matrix at one cut.

        Parameters
        ----------
        rate : float in (0, 1], optional
            Share of the list that is called; ``cut`` says how it becomes a whole number of subjects.
        k : int, optional
            Number of subjects called.
        threshold : float, optional
            Call the subjects with this score or a higher one.
        cut : {"auto", "ceil", "floor", "round", "fractional"}
            As in :class:`hitcurve.metrics.RecallAt`.

        Raises
        ------
        ParameterError
            Unless exactly one of the three is given, and within its range.
        UndefinedMetricError
            If the cut is beyond the list, or the threshold inside a gap whose negatives are not known apart.
        """
        refuse_corrected(self.label_errors, "a confusion matrix")
        given = {"rate": rate, "k": k, "threshold": threshold}
        if sum(value is not None for value in given.values()) != 1:
            raise ParameterError(f"give exactly one of rate, k and threshold, got {given}")
        c = self.counts
        if threshold is not None:
            hits, alarms = self._called(threshold)
        else:
            place = Cut(_checks.whole_number("k", k) if rate is None else _checks.fraction("rate", rate), cut)
            raise_first(place.undefined(c))
            at = float(place.share(c))
            axis = np.append(0.0, c.r)
            hits = float(np.interp(at, axis, np.append(0.0, c.H)))
            alarms = float(np.interp(at, axis, np.append(0.0, c.B)))
        return Confusion(hits, alarms, self.n_pos - hits, self.n_neg - alarms, self.prevalence, threshold)

    def _called(self, threshold: float) -> tuple[float, float]:
        if not isinstance(threshold, (int, np.integer)):  # whole numbers are compared as they are
            threshold = _checks.real_number("threshold", threshold)
        above = int(np.count_nonzero(self._scores() >= threshold))
        if self.kind == "full":
            rows = above
        elif self.kind == "binned":
            rows = above
            if not (above and self._scores()[above - 1] == threshold) and (self.pos[rows] or self.neg[rows]):
                raise UndefinedMetricError(
                    f"threshold {threshold!r} lies inside a bin, which does not distinguish scores: use the end of a "
                    "bin, or an exact table"
                )
        else:
            # after the row of the last grid score at or above it, unless the gap below holds someone
            rows = 2 * above
            on_grid = above and self._scores()[above - 1] == threshold
            if not on_grid and self.neg[rows]:
                raise UndefinedMetricError(
                    f"threshold {threshold!r} lies between scores of positives, where this collapsed table does not "
                    "distinguish negatives: use a score of a positive, or a full table"
                )
        return float(self.pos[:rows].sum()), float(self.neg[:rows].sum())

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows as a data frame: score, pos, neg and, where there are both classes, tpr, fpr, rate.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first of them that is installed if absent.

        Raises
        ------
        MissingExtraError
            If none is installed.
        """
        columns = {} if self.score is None else {"score": self.score}
        columns |= {"pos": self.pos, "neg": self.neg}
        if self.n_pos and self.n_neg:
            columns |= {"tpr": self.tpr, "fpr": self.fpr, "rate": self.rate}
        return to_frame(columns, backend)


def _let_go_before(table: TableRows) -> None:
    """Let the large table before this one forget what was worked out of its rows, several times what it is itself."""
    before = [one for known in _last_large if (one := known()) is not None and one is not table]
    _last_large[:] = [weakref.ref(table)]
    for one in before:
        for name in ("counts", "lists", "_all_rows"):
            vars(one).pop(name, None)
