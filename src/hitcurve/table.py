"""The hit table: positives and negatives by score, the sufficient statistic of one ranking."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, assumed
from hitcurve._cached import cached_property
from hitcurve.adding import check_additive, check_same_errors, check_same_grid, descending, joined_scores, same_array
from hitcurve.by_hand import sums_of_counts, sums_of_ranks
from hitcurve.cells import Grid, some_distinct
from hitcurve.counts import AnyArray
from hitcurve.errors import EmptyInputError, GridMismatchError, ParameterError, UndefinedMetricError
from hitcurve.label_errors import LabelErrors
from hitcurve.queries import lists_of_rows
from hitcurve.sources import Block, arrays
from hitcurve.sums import Lists, Sums
from hitcurve.table_rows import Kind, TableRows


@dataclass(frozen=True, eq=False)
class HitTable(TableRows):
    """Counts of positives and negatives by score, from the highest score down.

    Every curve, metric and standard error of one ranker is a function of this table. Make one with
    :meth:`from_scores`, :meth:`from_counts` or :meth:`from_ranks`; tables over the same grid add.

    A table may contain one class only: the table of a day without fraud adds to other tables. Metrics and curves of
    such a table raise :class:`~hitcurve.errors.SingleClassError`.

    Attributes
    ----------
    pos, neg : array (K,)
        Positives and negatives of each row: whole numbers, or sums of weights.
    kind : {"full", "collapsed", "binned", "rows", "ranks", "derived"}
        ``full``: a row for each distinct score. ``collapsed``: a row for each score of the positives and for each gap
        between them. ``binned``: a row for each interval between quantiles of the positives, whose subjects are
        tied; ``best_ties`` and ``worst_ties`` bracket every strict order. ``rows``: counts without scores. ``ranks``:
        positives known by rank. ``derived``: rows made from another table without scores. Tables of the last two kinds
        have no common grid and do not add.
    grid : array (D,) or None
        The scores that have a row of their own, or of bins the lower ends, descending; None for a table without
        scores.
    pos_squares, neg_squares : array (K,) or None
        Sums of squared weights of each row; None without weights.
    assumed_prevalence : float or None
        Assumed prevalence that every metric uses (see :meth:`at_prevalence`); None to use the prevalence of the counts.
    label_errors : LabelErrors or None
        Shares of wrong labels for which metrics are corrected; None where labels are right.
    unit : float
        Weight of every counted subject; 1 without weights. Counts with different units add as sums of weights.

    Examples
    --------
    >>> t = HitTable.from_scores([1, 0, 1, 0, 0], [0.9, 0.8, 0.8, 0.3, 0.1])
    >>> t.pos.tolist(), t.neg.tolist(), t.score.tolist()
    ([1, 1, 0, 0], [0, 1, 1, 1], [0.9, 0.8, 0.3, 0.1])
    >>> t.n, t.n_pos, t.tied
    (5, 2, 2)
    """

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
            Labels of two classes. Which class is positive is unambiguous for bool, 0/1, -1/1 and the pairs
            active/inactive, yes/no, true/false, case/control, positive/negative; all others need ``pos_label``.
        y_score : array-like (n,)
            Real scores, infinities included; compared exactly, in their own precision.
        pos_label : object, optional
            The label of the positives.
        sample_weight : array-like (n,), optional
            Weights of at least 0. Equal weights are counts of subjects; ``unit`` keeps the weight, so that tables add.
        higher_is_better : bool
            False if lower is better. Scores are then negated, and ``score`` and thresholds refer to the negated score.
        missing : {"raise", "drop", "last"}
            What to do with a missing label or score. ``last`` ties the subject with scores of ``-inf`` (``inf`` where
            lower is better).
        grid : array-like, optional
            Scores at which subjects are counted, such as the scores of the positives. The cells are these scores and
            the gaps between them. Tables over the same grid can be added.

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
        block = source.told()
        if grid is None:
            return cls.full_of_block(block, "y_score")
        places = np.unique(block.oriented_grid("y_score", grid))
        stray = np.setdiff1d(block.positive_scores("y_score"), places)
        if stray.size:
            raise GridMismatchError(f"the grid must contain the score of every positive, but lacks {stray[0].item()!r}")
        return cls.count(Grid(places), block, "y_score")[0]

    @classmethod
    def full_of_block(cls, block: Block, ranker: str) -> Self:
        """Count one ranker of a block; every distinct score keeps a row."""
        grid, row = np.unique(block.scores[ranker], return_inverse=True)
        sums = Sums.counted(block.positive, grid.size - 1 - row, grid.size, block.weight)
        return cls.of_sums(sums, "full", descending(grid[::-1]), unit=block.unit)

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
        return cls.of_sums(sums, "collapsed", descending(grid.scores[::-1]), unit=block.unit), some_distinct(scores)

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
        return cls.of_sums(sums_of_counts(pos, neg), "rows")

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
        return cls.of_sums(sums_of_ranks(ranks, n), "ranks")

    @classmethod
    def from_frame(cls, frame: Any) -> Self:
        """Take the result of the query that :func:`hitcurve.sql` writes: a collapsed table.

        Parameters
        ----------
        frame : data frame, Arrow table or mapping
            Columns ``cell``, ``score``, ``pos`` and ``neg``, of weights ``pos_squares`` and ``neg_squares`` too, in any
            order of the rows.

        Raises
        ------
        MissingValueError, LabelError, WeightError
            If the data miss labels, scores or weights, have a third label, or weights that are none.
        CountError
            If a count is negative or not whole.
        InputError
            If the frame is no such result.
        """
        for _, sums, grid in lists_of_rows(frame, grouped=False):
            return cls.of_sums(sums, "collapsed", grid)
        raise EmptyInputError("the query found no row")

    # ---- as a value

    def __add__(self, other: object) -> Self:
        """Merge with a table over the same grid; full tables merge over the union of their scores."""
        if not isinstance(other, HitTable):
            return NotImplemented
        assumed.check_same(self.assumed_prevalence, other.assumed_prevalence)
        check_same_errors(self.label_errors, other.label_errors)
        check_additive(self.kind, other.kind)
        own, others, unit = self._in_one_unit(other)
        if self.kind == "full":
            joined = joined_scores(self._scores(), other._scores())
            grid, place = np.unique(joined, return_inverse=True)
            place = grid.size - 1 - place
            split = self.pos.size
            moved = own.moved(place[:split], grid.size) + others.moved(place[split:], grid.size)
            return self.of_sums(moved, "full", grid[::-1], self.assumed_prevalence, unit, self.label_errors)
        check_same_grid(self, other)
        return self.of_sums(own + others, self.kind, self.grid, self.assumed_prevalence, unit, self.label_errors)

    def _in_one_unit(self, other: HitTable) -> tuple[Sums, Sums, float]:
        """Return the columns of two tables that add, and their unit: counts of unlike units are sums of weights."""
        if not self.weighted and not other.weighted and self.unit == other.unit:
            return self.sums, other.sums, self.unit
        return self.sums.as_weights(self.unit), other.sums.as_weights(other.unit), 1.0

    def __radd__(self, other: object) -> Self:
        """Let ``sum(tables)`` start from 0."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Compare kind, grid, counts, weights and the assumed prevalence, exactly."""
        if not isinstance(other, HitTable):
            return NotImplemented
        return (
            self.kind == other.kind
            and (self.assumed_prevalence, self.unit) == (other.assumed_prevalence, other.unit)
            and self.label_errors == other.label_errors
            and same_array(self.grid, other.grid)
            and all(map(same_array, self.sums, other.sums))
        )

    __hash__ = None  # type: ignore[assignment]  # a table holds arrays

    def __repr__(self) -> str:
        """Say how large the table is."""
        return f"HitTable({self.kind}, rows={self.pos.size}, n={self.n}, n_pos={self.n_pos})"

    def collapse(self) -> Self:
        """Keep the rows of the positives; negatives between two of them become one row.

        Exact for every metric; forgets ties among negatives and thresholds between positive scores. A positive of
        weight 0 leaves no trace in a full table, while a table that is counted on positive scores has a row for it:
        compare both by :meth:`canonical`.

        Examples
        --------
        >>> HitTable.from_counts(pos=[0, 2, 0, 0], neg=[1, 1, 2, 3]).collapse().neg.tolist()
        [1, 1, 5]
        """
        return self if self.has_gaps else self._on_positives()

    def canonical(self) -> Self:
        """Return the collapsed table that full tables of the same subjects and those on any grid share; others stay."""
        if self.kind not in ("full", "collapsed") or (self.kind == "collapsed" and self.pos[1::2].all()):
            return self
        return self._on_positives()

    def _on_positives(self) -> Self:
        keep = np.flatnonzero(self.pos > 0)
        row = 2 * np.searchsorted(keep, np.arange(self.pos.size), "left")
        row[keep] += 1
        grid = None if self.grid is None or self.kind == "binned" else self.grid[keep // 2 if self.has_gaps else keep]
        kind: Kind = "derived" if grid is None else "collapsed"
        sums = self.sums.moved(row, 2 * keep.size + 1)
        return self.of_sums(sums, kind, grid, self.assumed_prevalence, self.unit, self.label_errors)

    def at_prevalence(self, prevalence: float) -> Self:
        """Set a prevalence beside the counts, as for case-control data.

        True and false positive rates stay; rates, precision and every metric built on them move. Metrics on
        metrics of whole ranks raise an error for such a table.

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
        if self.label_errors is not None and self.label_errors.unlabelled:
            raise ParameterError("the prevalence of unlabelled data is the prevalence among their unlabelled subjects")
        return replace(self, assumed_prevalence=_checks.prevalence(prevalence))

    def corrected(self, errors: LabelErrors | None) -> Self:
        """Correct metrics for labels of which known shares are wrong.

        Parameters
        ----------
        errors : LabelErrors or None
            As :func:`hitcurve.evaluate` makes them of ``contamination``, ``mislabelled`` and ``unlabelled``; None
            changes nothing.
        """
        return self if errors is None else replace(self, label_errors=errors)

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
            raise UndefinedMetricError(
                "tied weights have no strict order, because the table does not store the subjects"
            )
        if self.label_errors is not None:
            raise UndefinedMetricError("the order of tied subjects by true class is unknown where labels are corrected")
        sums = self.sums.in_strict_order(positives_first=positives_first)
        return self.of_sums(sums, "derived", None, self.assumed_prevalence, self.unit)


def table_of(lists: Lists) -> HitTable:
    """Return the only list as a table of its own."""
    pos, neg, pos_squares, neg_squares = (None if x is None else np.array(x) for x in lists.sums)
    pi = None if lists.prevalence is None else float(lists.prevalence)
    kind = "derived" if lists.has_gaps else "rows"
    return HitTable(pos, neg, kind, None, pos_squares, neg_squares, pi)  # type: ignore[arg-type]
