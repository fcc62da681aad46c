"""The view of the counts that every kernel sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import get_ident
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property, frozen, read_only
from hitcurve.cumulative import downwards, first_reaching

Array: TypeAlias = npt.NDArray[np.float64]
AnyArray: TypeAlias = npt.NDArray[Any]
# what a function of one number or of many is called with
Number: TypeAlias = "float | np.floating[Any] | np.integer[Any]"
Numbers: TypeAlias = "AnyArray | Sequence[float]"

T = TypeVar("T")

_HAIR = 1e-12  # rounding noise of a share
_SHORT = 1 << 14  # rows of a list whose columns take little memory
_KEPT = 1 << 24  # numbers in the columns of a longer list that are kept


@dataclass(frozen=True)
class Counts:
    """Cumulative counts and rates of one ranking or of many, from which kernels compute metrics.

    ``pos`` and ``neg`` are counts (or sums of weights) with the rows on the last axis, from the highest score down; any
    axes before it are lists or replicates, and all properties have the same shape. Rows without subjects change
    nothing, so lists of different length can be padded at the end.

    Attributes
    ----------
    pos, neg : array (..., K)
        Positives and negatives of each row.
    prevalence : float, array (...) or None
        A prevalence that is assumed instead of the one observed.
    weighted : bool
        Whether the counts are sums of weights, so that whole ranks do not exist.
    """

    pos: AnyArray
    neg: AnyArray
    prevalence: float | Array | None = None
    weighted: bool = False

    def __post_init__(self) -> None:
        # kernels of users see them, and other metrics read them after these
        for name, column in (("pos", self.pos), ("neg", self.neg)):
            if column.flags.writeable:
                object.__setattr__(self, name, read_only(column))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The leading shape: ``()`` for one ranking."""
        return self.pos.shape[:-1]

    @property
    def whole(self) -> bool:
        """Whether rows contain whole subjects, so that ranks are whole numbers and tied groups can be ordered."""
        return not self.weighted and self.prevalence is None

    # ---- labels that may be wrong, see ``label_errors``

    @property
    def is_corrected(self) -> bool:
        """Whether counts are estimated from labels that are partly wrong."""
        return False

    @property
    def observed(self) -> Counts:
        """The counts of the labels as they are."""
        return self

    @property
    def prevalence_follows(self) -> float:
        """How the prevalence moves with the share of labelled positives."""
        return 1.0

    @property
    def Q_called(self) -> Array:
        """False positive rate that the rate contains."""
        return self.Q

    @property
    def rates_of_curves(self) -> tuple[Array, Array]:
        """TPR and FPR down to each row, along which curves are drawn: they never run back."""
        return self.P, self.Q

    def by_label(self, of_pos: Array, of_neg: Array) -> tuple[Array, Array]:
        """Return derivatives by the rates of the labels, given the derivatives by TPR and FPR."""
        return of_pos, of_neg

    @cached_property
    def H(self) -> AnyArray:
        """Positives down to and including each row."""
        return downwards(self.pos)

    @cached_property
    def B(self) -> AnyArray:
        """Negatives down to and including each row."""
        return downwards(self.neg)

    @cached_property
    def called(self) -> AnyArray:
        """Subjects down to and including each row."""
        if self.whole_lists and not {"H", "B"} <= vars(self).keys():
            return downwards(self.pos + self.neg)
        return self.H + self.B

    @property
    def whole_lists(self) -> bool:
        """Whether there are several lists of whole numbers, whose sums are the same in every order."""
        return self.pos.ndim > 1 and self.pos.dtype == self.neg.dtype == np.int64

    @cached_property
    def n1(self) -> Array:
        """Number of positives."""
        return np.asarray(np.add.reduce(self.pos, axis=-1) if self.whole_lists else self.H[..., -1], float)

    @cached_property
    def n0(self) -> Array:
        """Number of negatives."""
        return np.asarray(np.add.reduce(self.neg, axis=-1) if self.whole_lists else self.B[..., -1], float)

    @cached_property
    def has_both(self) -> bool:
        """Whether every list has positives and negatives."""
        return bool((self.n1 > 0).all() and (self.n0 > 0).all()) if self.shape else bool(self.n1 > 0 and self.n0 > 0)

    @cached_property
    def is_plain(self) -> bool:
        """Whether every list has whole subjects of both classes at their own prevalence: all metrics take them."""
        return self.whole and not self.is_corrected and self.has_both

    @cached_property
    def n(self) -> Array:
        """Number of subjects."""
        return np.asarray(self.n1 + self.n0)

    @cached_property
    def pi(self) -> Array:
        """Prevalence: the one assumed, or n1/n."""
        if self.prevalence is None:
            return self.n1 / self.n
        return np.array(np.broadcast_to(np.asarray(self.prevalence, float), self.n.shape))

    @cached_property
    def p(self) -> Array:
        """Share of the positives in each row."""
        return self.pos / self.n1[..., None]

    @cached_property
    def q(self) -> Array:
        """Share of the negatives in each row."""
        return self.neg / self.n0[..., None]

    @cached_property
    def P(self) -> Array:
        """True positive rate down to each row."""
        return self.H / self.n1[..., None]

    @cached_property
    def Q(self) -> Array:
        """False positive rate down to each row."""
        return self.B / self.n0[..., None]

    @cached_property
    def r(self) -> Array:
        """Rate down to each row: the fraction of all subjects selected."""
        if self.prevalence is None:
            return self.called / self.n[..., None]
        pi = self.pi[..., None]
        return np.asarray(pi * self.P + (1 - pi) * self.Q)

    @property
    def R(self) -> Array:
        """Rank of the last subject of each row, n r."""
        return self.n[..., None] * self.r if self.prevalence is not None else np.asarray(self.called, float)

    @property
    def tpr(self) -> Array:
        """True positive rate down to each row, P."""
        return self.P

    @property
    def fpr(self) -> Array:
        """False positive rate down to each row, Q."""
        return self.Q

    @property
    def rate(self) -> Array:
        """Share of all subjects down to each row, r."""
        return self.r

    @property
    def rank(self) -> Array:
        """Rank of the last subject of each row, R."""
        return self.R

    @cached_property
    def precision(self) -> Array:
        """Precision down to each row; 1 where no subject is selected yet."""
        if self.prevalence is None:
            hits, called = self.H, self.called
        else:
            hits, called = self.pi[..., None] * self.P, self.r
        return np.asarray(np.divide(hits, called, out=np.ones_like(called, float), where=called > 0))

    @cached_property
    def rows_of_positives(self) -> npt.NDArray[np.intp]:
        """The rows that contain a positive in some list; half of the rows of a collapsed table do not."""
        held: npt.NDArray[np.bool_] = np.asarray(self.pos > 0)
        return np.asarray(held.reshape(-1, held.shape[-1]).any(axis=0) if self.shape else held).nonzero()[0]

    @cached_property
    def index_of_positives(self) -> slice | npt.NDArray[np.intp]:
        """Index of the rows with a positive in at least one list: a slice if all rows have one."""
        rows = self.rows_of_positives
        return slice(None) if rows.size == self.pos.shape[-1] else rows

    def of_positives(self, x: AnyArray) -> AnyArray:
        """Return the rows that contain a positive in some list."""
        return np.asarray(x if isinstance(self.index_of_positives, slice) else x.take(self.index_of_positives, axis=-1))

    @cached_property
    def positives(self) -> Array:
        """Share of the positives in each row that holds one."""
        return self.of_positives(self.pos) / self.n1[..., None]

    @property
    def hits(self) -> AnyArray:
        """Positives down to and including each row that holds one."""
        return self.once("hits", "hits", lambda: self.of_positives(self.H))

    def span(self, axis: str) -> tuple[Array, Array]:
        """Return where each row that holds a positive starts and ends: its "fpr", "rate" or "rank"."""
        return self.once(axis, axis, lambda: self._spanned(axis))

    def _spanned(self, axis: str) -> tuple[Array, Array]:
        if isinstance(self.index_of_positives, slice) and self.shape:
            end: Array = getattr(self, axis)
            return before(end), end
        column, unit = self._column(axis)
        if isinstance(self.index_of_positives, slice):
            places = np.zeros(column.size + 1)
            np.divide(column, 1.0 if unit is None else unit, out=places[1:])
            return places[:-1], places[1:]
        if axis == "rate" and unit is not None:
            start, end = self.span("rank")
            return start / unit[..., None], end / unit[..., None]
        start, end = (np.asarray(x, float) for x in self.around_positives(column))
        if unit is not None:
            start /= unit[..., None]
            end /= unit[..., None]
        return start, end

    def around_positives(self, column: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return a cumulative column at the start and at the end of each row that holds a positive."""
        if isinstance(self.index_of_positives, slice):
            return before(column), column
        start = column.take(self.index_of_positives - 1, axis=-1)
        if self.index_of_positives.size and not self.index_of_positives[0]:
            start[..., 0] = 0
        return start, column.take(self.index_of_positives, axis=-1)

    def _column(self, axis: str) -> tuple[AnyArray, Array | None]:
        """Return a cumulative column and the total that it is divided by; None if the column is the axis itself."""
        if self.prevalence is not None and axis in ("rate", "rank"):
            return getattr(self, axis), None
        columns = {"fpr": ("B", "n0"), "tpr": ("H", "n1"), "rate": ("called", "n")}
        if axis not in columns:
            return self.called, None
        column, unit = (getattr(self, name) for name in columns[axis])
        return column, unit

    def once(self, key: str, owner: object, make: Callable[[], T]) -> T:
        """Return the result for a key and owner, computing it only the first time.

        All results for one short list are kept, and some for a long one. Beyond these, and for many lists, each thread
        keeps its last result. Results without an owner (the key is the owner) are shared by all threads.
        """
        place = key, owner
        if self._is_short:
            kept = self._made.get(place)
            if kept is None:
                kept = self._made[place] = (owner, frozen(make()))
            mine: T = kept[1]
            return mine
        last = self.pos.ndim > 1 or (place not in self._made and len(self._made) >= self._most_kept)
        where: object = (key if owner == key else (key, get_ident())) if last else place
        known = self._made.get(where)
        if known is None or known[0] != owner:
            known = self._made[where] = (owner, frozen(make()))
        made: T = known[1]
        return made

    @cached_property
    def _is_short(self) -> bool:
        """Whether this is one list of few rows."""
        return self.pos.ndim == 1 and self.pos.size <= _SHORT

    @cached_property
    def _most_kept(self) -> int:
        """How many results for the only list are kept: the largest are columns of the rows that hold a positive."""
        return _KEPT // max(self.rows_of_positives.size, 1)

    @cached_property
    def _made(self) -> dict[object, tuple[object, Any]]:
        return {}

    def share(self, other: Counts) -> None:
        """Share cached results with another view of the same rows, which may lack empty rows."""
        vars(self)["_made"] = other._made

    def sum_below(self, x: Array, out: Array) -> None:
        """Put for every row the sum of what the rows that hold a positive, itself and below it, have.

        Parameters
        ----------
        x : array (..., K')
            Of the rows that hold a positive in some list.
        out : array (..., K)
        """
        if x.shape[-1] == out.shape[-1]:
            np.cumsum(x[..., ::-1], axis=-1, out=out[..., ::-1])
            return
        sums = np.zeros((*x.shape[:-1], x.shape[-1] + 1))
        np.cumsum(x[..., ::-1], axis=-1, out=sums[..., -2::-1])
        np.take(sums, self.positives_above, axis=-1, out=out, mode="clip")

    @cached_property
    def positives_above(self) -> npt.NDArray[np.intp]:
        """How many rows that hold a positive are above each row."""
        rows = self.rows_of_positives
        return np.asarray(np.bincount(rows + 1, minlength=self.pos.shape[-1] + 1)[:-1].cumsum())

    def share_above(self, axis: str, place: npt.ArrayLike, *, reached: bool = True) -> Array:
        """Return the share of each row that lies before a place of a cumulative axis.

        Parameters
        ----------
        axis : {"tpr", "fpr", "rate"}
        place : float or array (...)
            Where each list is cut.
        reached : bool
            Whether rows without width that lie at the place itself count as before it.
        """
        at = np.asarray(place, float)[..., None]
        if self.shape:
            column: AnyArray = getattr(self, axis)
            return _share_before(at, before(column), column, reached=reached)
        # all rows but those at the place itself are whole
        column, unit = self._column(axis)
        whole = 1.0 if unit is None else unit
        low, high = first_reaching(column, np.array([at[0] - _HAIR, at[0] + _HAIR]) * whole)
        first, behind = max(int(low) - 1, 0), int(high) + 2
        out = np.zeros(column.size)
        out[:first] = 1.0
        near = column[first:behind] / whole
        start = np.concatenate([column[first - 1 : first] / whole if first else [0.0], near[:-1]])
        out[first:behind] = _share_before(at, start, near, reached=reached)
        return out

    def folded(self, *, negatives_join: bool) -> npt.NDArray[np.intp]:
        """Return where each row goes so that the answer does not depend on how a table was collapsed.

        Parameters
        ----------
        negatives_join : bool
            Whether negatives join the next row that holds a positive (average precision does not tell them apart);
            else they stay apart, in one row for each gap.
        """
        return downwards(self.first_of_folded(negatives_join=negatives_join)) - 1

    def first_of_folded(self, *, negatives_join: bool) -> npt.NDArray[np.bool_]:
        """Say which rows do not join the row above them."""
        positives = np.asarray(self.pos) > 0
        # a row ends with each row of positives; what follows the last is a row of its own
        first = np.ones_like(positives)
        first[..., 1:] = positives[..., :-1] if negatives_join else positives[..., 1:] | positives[..., :-1]
        return first


def _share_before(place: Array, start: Array, end: Array, *, reached: bool) -> Array:
    whole = end <= place + _HAIR if reached else end < place - _HAIR
    inside = np.divide(place - start, end - start, out=whole.astype(float), where=end > start)
    return np.asarray(np.minimum(np.maximum(inside, 0.0), 1.0))


def before(x: AnyArray) -> AnyArray:
    """Return the cumulative axis one row earlier: 0, x_1, ..., x_{K-1}."""
    out = np.zeros_like(x)
    out[..., 1:] = x[..., :-1]
    return out
