"""The hit table: positives and negatives by score, the sufficient statistic of one ranking."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, assumed
from hitcurve.cells import Grid, some_distinct
from hitcurve.confusion import Confusion
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.curve import Curve, curve_of
from hitcurve.cut import Cut
from hitcurve.errors import (
    CountError,
    EmptyInputError,
    GridMismatchError,
    ParameterError,
    RankError,
    ScoreError,
    UndefinedMetricError,
)
from hitcurve.magnify import Magnification
from hitcurve.refusals import raise_first
from hitcurve.sources import Block, arrays, to_frame
from hitcurve.sums import Lists, Sums

Kind: TypeAlias = Literal["full", "collapsed", "rows", "ranks", "derived"]
_LARGEST = 2**62  # sums of counts stay within int64
WITH_GAPS = ("collapsed", "ranks", "derived")
_ADDITIVE = ("full", "collapsed", "rows")


@dataclass(frozen=True, eq=False)
class HitTable:
    """Counts of positives and negatives by score, from the highest score down.

    Every curve, metric and standard error of one ranker is a function of this table. Make one with
    :meth:`from_scores`, :meth:`from_counts` or :meth:`from_ranks`; tables over the same grid add.

    A table may hold one class only (a day without fraud is a table that adds to others); what needs both
    classes then raises :class:`~hitcurve.errors.SingleClassError`.

    Attributes
    ----------
    pos, neg : array (K,)
        Positives and negatives of each row: whole numbers, or sums of weights.
    kind : {"full", "collapsed", "rows", "ranks", "derived"}
        A row for each distinct score; a row for each score of the positives and each gap between them; rows
        given as counts without scores; positives known by rank; rows made from those of a table without
        scores. The last two have no grid that another table could share, and do not add.
    grid : array (D,) or None
        The scores that have a row of their own, descending; None where there are none.
    pos_squares, neg_squares : array (K,) or None
        Sums of squared weights of each row; None without weights.
    assumed_prevalence : float or None
        Assumed prevalence that every metric uses (see :meth:`at_prevalence`); None where it is that of the counts.

    Examples
    --------
    >>> t = HitTable.from_scores([1, 0, 1, 0, 0], [0.9, 0.8, 0.8, 0.3, 0.1])
    >>> t.pos.tolist(), t.neg.tolist(), t.score.tolist()
    ([1, 1, 0, 0], [0, 1, 1, 1], [0.9, 0.8, 0.3, 0.1])
    >>> t.n, t.n_pos, t.tied
    (5, 2, 2)
    """

    pos: AnyArray
    neg: AnyArray
    kind: Kind
    grid: AnyArray | None = None
    pos_squares: Array | None = None
    neg_squares: Array | None = None
    assumed_prevalence: float | None = field(default=None)

    def __post_init__(self) -> None:
        for name in ("pos", "neg", "grid", "pos_squares", "neg_squares"):
            values = getattr(self, name)
            if values is not None:
                values.setflags(write=False)

    # ---- making one

    @classmethod
    def from_scores(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        higher_is_better: bool = True,
        missing: str = "raise",
        grid: npt.ArrayLike | None = None,
    ) -> Self:
        """Count labels and scores; every distinct score keeps a row unless ``grid`` is given.

        Parameters
        ----------
        y_true : array-like (n,)
            Labels of two classes. Which class is positive is beyond doubt for bool, 0/1, -1/1 and the pairs
            active/inactive, yes/no, true/false, case/control, positive/negative; all others need ``pos_label``.
        y_score : array-like (n,)
            Real scores, infinities included; compared exactly, in their own precision.
        pos_label : object, optional
            The label of the positives.
        sample_weight : array-like (n,), optional
            Weights of at least 0.
        higher_is_better : bool
            False turns the order round; ``score`` and thresholds are then those of the negated score.
        missing : {"raise", "drop", "last"}
            What to do with a missing label or score.
        grid : array-like, optional
            Scores to count on (those of the positives): the cells are then these scores and the gaps between
            them, and tables over the same grid add.

        Raises
        ------
        InputError
            One of its kinds, each named in :mod:`hitcurve.errors`, for anything that is not such input.

        Examples
        --------
        >>> HitTable.from_scores(["active", "decoy"], [3, 1], pos_label="active").n_pos
        1
        """
        source = arrays(
            y_true,
            {"y_score": y_score},
            pos_label=pos_label,
            weight=sample_weight,
            higher_is_better=higher_is_better,
            missing=missing,
        )
        block = source.block
        if grid is None:
            return cls._full(block)
        places = np.unique(block.oriented_grid("y_score", grid))
        stray = np.setdiff1d(block.positive_scores("y_score"), places)
        if stray.size:
            raise GridMismatchError(f"the grid must hold the score of every positive, and lacks {stray[0].item()!r}")
        return cls.count(Grid(places), block, "y_score")[0]

    @classmethod
    def _full(cls, block: Block) -> Self:
        grid, row = np.unique(block.scores["y_score"], return_inverse=True)
        sums = Sums.counted(block.positive, grid.size - 1 - row, grid.size, block.weight)
        return cls.of_sums(sums, "full", descending(grid[::-1]))

    @classmethod
    def of_sums(cls, sums: Sums, kind: Kind, grid: AnyArray | None = None, prevalence: float | None = None) -> Self:
        """Take the columns of a table."""
        return cls(sums.pos, sums.neg, kind, grid, sums.pos_squares, sums.neg_squares, prevalence)

    @property
    def sums(self) -> Sums:
        """The columns, with their sums of squared weights."""
        return Sums(self.pos, self.neg, self.pos_squares, self.neg_squares)

    @classmethod
    def of_block(cls, block: Block, ranker: str) -> Self:
        """Count one ranker of a block on the scores of its positives: a collapsed table."""
        return cls.count(Grid(np.unique(block.positive_scores(ranker))), block, ranker)[0]

    @classmethod
    def count(cls, grid: Grid, block: Block, ranker: str) -> tuple[Self, AnyArray]:
        """Count one ranker of a block into the cells of a grid that holds the scores of all its positives.

        Returns
        -------
        HitTable
        array
            The distinct scores if there are fewer than three, else three: enough to tell a score from a decision.
        """
        scores = block.scores[ranker]
        if block.weight is None:
            sums = Sums(*grid.count_classes(scores, block.positive))
        else:
            sums = Sums.counted(block.positive, grid.rows_of(scores), grid.rows, block.weight)
        return cls.of_sums(sums, "collapsed", descending(grid.scores[::-1])), some_distinct(scores)

    @classmethod
    def from_counts(cls, pos: npt.ArrayLike, neg: npt.ArrayLike) -> Self:
        """Take counts by category, from the highest score down.

        Parameters
        ----------
        pos, neg : array-like (K,)
            Positives and negatives of each category, whole numbers of at least 0.

        Raises
        ------
        EmptyInputError, LengthMismatchError, CountError
            If there is no category, the two differ in length, or a count is negative or not whole.

        Examples
        --------
        >>> HitTable.from_counts(pos=[10, 18, 25], neg=[1, 11, 44]).prevalence.__round__(4)
        0.4862
        """
        pos, neg = _whole_counts("pos", pos), _whole_counts("neg", neg)
        _checks.same_length({"pos": pos, "neg": neg})
        if not pos.sum() + neg.sum():
            raise EmptyInputError("the counts are all 0: there is nobody to rank")
        return cls(pos, neg, "rows")

    @classmethod
    def from_ranks(cls, ranks: npt.ArrayLike, n: int) -> Self:
        """Take the ranks of the positives on a list of n.

        Parameters
        ----------
        ranks : array-like (n1,)
            1-based, whole, distinct, in any order.
        n : int
            Length of the list.

        Raises
        ------
        EmptyInputError, RankError
            If there is no rank, or a rank repeats, is not whole or lies outside 1..n.

        Examples
        --------
        >>> HitTable.from_ranks([3, 17, 240], n=1_000_000_000).neg.tolist()
        [2, 0, 13, 0, 222, 0, 999999760]
        """
        n = _checks.whole_number("n", n)
        if n > _LARGEST:
            raise RankError(f"n must be at most 2^62, got {n}")
        try:
            given = np.asarray(ranks)
        except ValueError:
            raise RankError("ranks must be a row of whole numbers") from None
        if not given.size:
            raise EmptyInputError("no rank given: a list needs at least one positive")
        if given.ndim != 1 or given.dtype.kind not in "iuf" or not _are_whole(given):
            raise RankError("ranks must be a row of whole numbers")
        outside = given[(given < 1) | (given > n)]
        if outside.size:
            raise RankError(f"ranks must lie in 1..{n}, got {outside[0]:.17g}")
        order = np.sort(given.astype(np.int64))
        repeated = order[1:][np.diff(order) == 0]
        if repeated.size:
            raise RankError(f"ranks must be distinct, and {repeated[0]} repeats")
        pos = np.zeros(2 * order.size + 1, np.int64)
        neg = np.zeros_like(pos)
        pos[1::2] = 1
        neg[::2] = np.diff(np.concatenate([[0], order, [n + 1]])) - 1
        return cls(pos, neg, "ranks")

    # ---- as a value

    def __add__(self, other: object) -> Self:
        """Merge with a table over the same grid; full tables merge over the union of their scores."""
        if not isinstance(other, HitTable):
            return NotImplemented
        assumed.check_same(self.assumed_prevalence, other.assumed_prevalence)
        check_additive(self.kind, other.kind)
        if self.kind == "full":
            joined = joined_scores(self._scores(), other._scores())
            grid, place = np.unique(joined, return_inverse=True)
            place = grid.size - 1 - place
            split = self.pos.size
            moved = self.sums.moved(place[:split], grid.size) + other.sums.moved(place[split:], grid.size)
            return self.of_sums(moved, "full", grid[::-1], self.assumed_prevalence)
        check_same_grid(self, other)
        return self.of_sums(self.sums + other.sums, self.kind, self.grid, self.assumed_prevalence)

    def __getstate__(self) -> dict[str, Any]:
        """Keep the fields, not what was derived from them."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the fields."""
        self.__dict__.update(state)
        self.__post_init__()

    def __radd__(self, other: object) -> Self:
        """Let ``sum(tables)`` start from 0."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Compare kind, grid, counts, weights and the assumed prevalence, exactly."""
        if not isinstance(other, HitTable):
            return NotImplemented
        return (
            self.kind == other.kind
            and self.assumed_prevalence == other.assumed_prevalence
            and same_array(self.grid, other.grid)
            and all(map(same_array, self.sums, other.sums))
        )

    __hash__ = None  # type: ignore[assignment]  # a table holds arrays

    def __repr__(self) -> str:
        """Say how large the table is."""
        return f"HitTable({self.kind}, rows={self.pos.size}, n={self.n}, n_pos={self.n_pos})"

    def _scores(self) -> AnyArray:
        if self.grid is None:
            raise ScoreError(f"a table of kind {self.kind!r} has no scores")
        return self.grid

    def collapse(self) -> Self:
        """Keep the rows of the positives; negatives between two of them become one row.

        Exact for every metric; forgets ties among negatives and thresholds between positive scores.

        Examples
        --------
        >>> HitTable.from_counts(pos=[0, 2, 0, 0], neg=[1, 1, 2, 3]).collapse().neg.tolist()
        [1, 1, 5]
        """
        if self.has_gaps:
            return self
        keep = np.flatnonzero(self.pos > 0)
        row = 2 * np.searchsorted(keep, np.arange(self.pos.size), "left")
        row[keep] += 1
        grid = None if self.grid is None else self.grid[keep]
        kind: Kind = "derived" if grid is None else "collapsed"
        return self.of_sums(self.sums.moved(row, 2 * keep.size + 1), kind, grid, self.assumed_prevalence)

    def at_prevalence(self, prevalence: float) -> Self:
        """Set a prevalence beside the counts, as for case-control data.

        True and false positive rates stay; rates, precision and every metric built on them move. Metrics on
        whole ranks refuse such a table.

        Parameters
        ----------
        prevalence : float in (0, 1)

        Raises
        ------
        ParameterError
            If it is not.

        Examples
        --------
        >>> t = HitTable.from_counts(pos=[10, 18, 25], neg=[1, 11, 44])
        >>> t.at_prevalence(0.008).prevalence
        0.008
        """
        return self.of_sums(self.sums, self.kind, self.grid, _checks.open_unit("prevalence", prevalence))

    def best_ties(self) -> Self:
        """Break every tie in favour of the positives, into strict order."""
        return self._best_order

    def worst_ties(self) -> Self:
        """Break every tie against the positives, into strict order."""
        return self._worst_order

    @cached_property
    def _best_order(self) -> Self:
        return self._strict(positives_first=True)

    @cached_property
    def _worst_order(self) -> Self:
        return self._strict(positives_first=False)

    def _strict(self, *, positives_first: bool) -> Self:
        if self.weighted:
            raise UndefinedMetricError("tied weights have no strict order: their subjects are no longer known")
        sums = self.sums.in_strict_order(positives_first=positives_first)
        return self.of_sums(sums, "derived", None, self.assumed_prevalence)

    def with_rows(self, pos: npt.ArrayLike, neg: npt.ArrayLike) -> Self:
        """Return a table of other rows and the same kind of subjects: weights or counts, assumed prevalence."""
        columns = [np.asarray(column, self.pos.dtype) for column in (pos, neg)]
        sums = Sums(*columns).as_weights() if self.weighted else Sums(*columns)
        return self.of_sums(sums, "derived", None, self.assumed_prevalence)

    # ---- what it says

    @cached_property
    def counts(self) -> Counts:
        """The view that kernels see.

        Raises
        ------
        SingleClassError
            If there is no positive or no negative.
        """
        _checks.both_classes(self.n_pos, self.n_neg)
        return Counts(self.pos, self.neg, self.assumed_prevalence, self.weighted)

    @cached_property
    def lists(self) -> Lists:
        """The rows (of a long list those that hold somebody), with what inference asks of them, as the only list."""
        return Lists.of_held(self.sums, self.assumed_prevalence, has_gaps=self.has_gaps)

    @property
    def has_gaps(self) -> bool:
        """Whether rows of negatives alone are gaps between two scores, whose negatives have scores of their own."""
        return self.kind in WITH_GAPS

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights."""
        return self.pos_squares is not None

    @property
    def n(self) -> float:
        """Number of subjects (sum of weights)."""
        return self.n_pos + self.n_neg

    @property
    def n_pos(self) -> float:
        """Number of positives (sum of weights)."""
        total: float = self.pos.sum().item()
        return total

    @property
    def n_neg(self) -> float:
        """Number of negatives (sum of weights)."""
        total: float = self.neg.sum().item()
        return total

    @property
    def prevalence(self) -> float:
        """Share of positives, or the assumed prevalence."""
        return self.n_pos / self.n if self.assumed_prevalence is None else self.assumed_prevalence

    @property
    def score(self) -> AnyArray | None:
        """Score of each row; nan for a gap between scores, None where the table has no scores."""
        if self.grid is None or self.kind == "full":
            return self.grid
        out = np.full(self.pos.size, np.nan)
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
        """Share of all subjects called positive, down to each row."""
        return self.counts.r

    @property
    def tied(self) -> float:
        """Subjects in rows that hold both classes: those whose order decides the answer."""
        both = (self.pos > 0) & (self.neg > 0)
        total: float = (self.pos[both].sum() + self.neg[both].sum()).item()
        return total

    @property
    def tied_pos(self) -> float:
        """Positives that share their score with another positive."""
        # two weights have a smaller sum of squares than one weight of their sum
        squares = self.pos if self.pos_squares is None else self.pos_squares
        several = squares < np.asarray(self.pos, float) ** 2 * (1 - 1e-12)
        total: float = self.pos[several].sum().item()
        return total

    def curve(
        self,
        name: str,
        *,
        magnification: Magnification | None = None,
        y_magnification: Magnification | None = None,
    ) -> Curve:
        """Return a curve.

        Parameters
        ----------
        name : {"roc", "det", "precision_recall", "hit", "accumulation", "croc", "cac", "rate_accuracy", \
"rate_recall", "rate_negative_recall", "lift", "proc", "pac", "prg"}
        magnification : Magnification, optional
            Of the x axis; for croc and cac only, ``Exponential(7)`` if absent.
        y_magnification : Magnification, optional
            Of the y axis; for croc and cac only.

        Raises
        ------
        ParameterError
            If there is no such curve, or it is not magnified, or a magnification is none.

        Examples
        --------
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
        cut: str = "ceil",
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
        cut : {"ceil", "floor", "round", "fractional"}

        Raises
        ------
        ParameterError
            Unless exactly one of the three is given, and within its range.
        UndefinedMetricError
            If the cut is beyond the list, or the threshold inside a gap whose negatives are not known apart.
        """
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
        else:
            # after the row of the last grid score at or above it, unless the gap below holds someone
            rows = 2 * above
            on_grid = above and self._scores()[above - 1] == threshold
            if not on_grid and self.neg[rows]:
                raise UndefinedMetricError(
                    f"threshold {threshold!r} lies between scores of positives, where this collapsed table "
                    "does not know the negatives apart: use a score of a positive, or a full table"
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


def descending(grid: AnyArray) -> AnyArray:
    """Return scores as a grid holds them, with -0.0 as 0.0: they are one score."""
    return np.asarray(grid + grid.dtype.type(0))


def joined_scores(a: AnyArray, b: AnyArray) -> AnyArray:
    """Return the scores of two grids as one array, unless whole numbers would become ties.

    Raises
    ------
    GridMismatchError
    """
    joined = np.concatenate([a, b])
    if any(joined.dtype.kind != scores.dtype.kind and np.any(scores > 2**53) for scores in (a, b)):
        raise GridMismatchError("whole numbers beyond 2^53 do not merge with scores of another kind")
    return joined


def check_additive(a: Kind, b: Kind) -> None:
    """Refuse to add tables of these kinds unless they add.

    Raises
    ------
    GridMismatchError
    """
    if a != b or a not in _ADDITIVE:
        raise GridMismatchError(
            f"a table of kind {a!r} and one of kind {b!r} do not add: count both on the same grid, or keep full tables"
        )


def check_same_grid(a: HitTable, b: HitTable) -> None:
    """Refuse to add tables cell by cell whose cells differ.

    Raises
    ------
    GridMismatchError
    """
    if not same_array(a.grid, b.grid) or a.pos.size != b.pos.size:
        raise GridMismatchError(
            "tables over different grids do not add: count both on the same grid, or keep full tables"
        )


def _whole_counts(name: str, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    try:
        counts = np.asarray(values)
    except ValueError:
        raise CountError(f"{name} must be a row of whole numbers, got {values!r}") from None
    if not counts.size:
        raise EmptyInputError(f"{name} is empty: a table needs at least one row")
    if counts.ndim != 1 or counts.dtype.kind not in "iuf":
        raise CountError(f"{name} must be a row of whole numbers, got {values!r}")
    for row, value in enumerate(counts.tolist()):
        if not 0 <= value <= _LARGEST or value % 1:
            raise CountError(f"{name} must be whole numbers of at least 0, got {value} in row {row}")
    if sum(counts.tolist()) > _LARGEST:
        raise CountError(f"{name} must sum to at most 2^62")
    return counts.astype(np.int64)


def _are_whole(values: AnyArray) -> bool:
    return bool(np.all(np.isfinite(values)) and np.all(np.mod(values, 1) == 0))


def same_array(a: AnyArray | None, b: AnyArray | None) -> bool:
    """Say whether two arrays hold the same numbers of the same type, or neither is there."""
    if a is None or b is None:
        return a is b
    return a.dtype == b.dtype and np.array_equal(a, b)
