"""What is computed of a block of markers: one sort, then every metric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.immutable import Viewed
from hitcurve.inference.design import left_out
from hitcurve.inference.variance.dependent import number_above
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.screens import quick
from hitcurve.screens.columns import Block
from hitcurve.screens.lists import Flags, RankedBlock, ranked
from hitcurve.screens.untied import Ranks
from hitcurve.sums import Lists, Sums

HIGH, LOW, AUTO = range(3)
_HALVED = 128  # numbers beyond which numpy adds halves


@dataclass(frozen=True)
class Subjects(Viewed):
    """The subjects that all markers share, and how they are evaluated.

    Attributes
    ----------
    positive : array of bool (n,)
    design : {"cohort", "case-control"}
    prevalence : float or None
    clusters : array of int (n,) or None
        The cluster of each subject, from 0 on.
    missing : {"drop", "last"}
        Whether a subject without a value has no place in the list of a marker, or the last one.
    """

    positive: Flags
    design: str
    prevalence: float | None = None
    clusters: AnyArray | None = None
    missing: str = "drop"

    @property
    def n(self) -> int:
        """Number of subjects."""
        return int(self.positive.size)

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of positives and negatives."""
        positives = int(self.positive.sum())
        return positives, self.n - positives

    @cached_property
    def by_cluster(self) -> tuple[AnyArray, AnyArray]:
        """An order of the subjects by cluster, and where each cluster starts."""
        codes = np.asarray(self.clusters)
        order = np.argsort(codes, kind="stable")
        return order, np.flatnonzero(np.diff(codes[order], prepend=-1))

    def summed(self, of_subjects: Array) -> Array:
        """Return sums within clusters of what each subject has, (w, C)."""
        order, starts = self.by_cluster
        return np.asarray(np.add.reduceat(of_subjects[:, order], starts, axis=1))

    def left_out(self, there: Flags) -> Array:
        """Return the factor of the influence of each subject in sums within clusters, from who has a place, (w, n)."""
        out = np.ones(there.shape)
        for own in (self.positive, ~self.positive):
            held = self.summed((there & own).astype(float))
            share = held / np.maximum(held.sum(axis=1, keepdims=True), 1.0)
            out[:, own] = left_out(share, held.shape[1])[:, np.asarray(self.clusters)[own]]
        return out


@dataclass(frozen=True, eq=False)
class MarkerLists(Viewed):
    """Markers of a block as ranked lists, each in its direction.

    Attributes
    ----------
    ranked : RankedBlock
    pos, neg : array of int (w, K)
    low : array of bool (w,)
        Whether low values come first.
    subjects : Subjects
    """

    ranked: RankedBlock
    pos: AnyArray
    neg: AnyArray
    low: Flags
    subjects: Subjects

    @classmethod
    def of(cls, block: Block, subjects: Subjects, directions: AnyArray) -> MarkerLists:
        """Rank the subjects by each marker.

        Parameters
        ----------
        directions : array of int (w,)
            HIGH, LOW or AUTO: low values first where AUC is below 1/2.
        """
        return cls.directed(ranked(block, subjects.positive), subjects, directions)

    @classmethod
    def directed(cls, found: RankedBlock, subjects: Subjects, directions: AnyArray) -> MarkerLists:
        """Turn lists where low values come first."""
        pos, neg = found.pos, found.neg
        low, auto = directions == LOW, directions == AUTO
        if auto.any():
            down = quick.Down.of(pos, neg, one_by_one=found.one_by_one)
            low |= auto & (quick.total(pos * down.below()) < down.n1[:, 0] * down.n0[:, 0])
        if low.any():
            pos, neg = (np.ascontiguousarray(np.where(low[:, None], side[:, ::-1], side)) for side in (pos, neg))
        if subjects.missing == "last" and found.gone.any():
            pos, neg = (
                np.concatenate([side, g[:, None]], axis=1) for side, g in zip((pos, neg), found.gone, strict=True)
            )
        return cls(found, pos, neg, low, subjects)

    def turned(self) -> MarkerLists:
        """Return the markers in the other direction; subjects that have the last place keep it."""
        ranks = self.ranked.pos.shape[1]
        pos, neg = (
            np.concatenate([side[:, :ranks][:, ::-1], side[:, ranks:]], axis=1) for side in (self.pos, self.neg)
        )
        return MarkerLists(self.ranked, pos, neg, ~self.low, self.subjects)

    @cached_property
    def row_of_subject(self) -> AnyArray:
        """The row of each subject, (w, n); -1 of those without a place."""
        row, rows = self.ranked.row_of_subject, self.ranked.pos.shape[1]
        turned = np.where(self.low[:, None], rows - 1 - row, row)
        return np.where(row >= 0, turned, rows if self.subjects.missing == "last" else -1)

    def of_subjects(self, pos: Array, neg: Array) -> Array:
        """Return what a positive and a negative of each row have, for each subject, (w, n); 0 without a place."""
        row = self.row_of_subject
        held = np.maximum(row, 0)
        sides = (np.take_along_axis(side, held, axis=1) for side in (pos, neg))
        return np.where(row >= 0, np.where(self.subjects.positive, *sides), 0.0)

    @cached_property
    def down(self) -> quick.Down:
        """The rows summed from the top."""
        return quick.Down.of(self.pos, self.neg, one_by_one=self.ranked.one_by_one)

    @property
    def depth(self) -> Array:
        """Sum of the logarithms of the ranks of the positives, tied ones at the end of their group, (w,)."""
        logs = np.log(np.maximum(self.down.called, 1.0))
        return np.asarray(np.einsum("ij,j->i" if logs.ndim == 1 else "ij,ij->i", self.down.pos, logs))

    @property
    def random_ap(self) -> Array:
        """Mean of average precision over random orders of subjects with these ties, (w,)."""
        # without ties all lists are alike
        kept = slice(1) if self.ranked.one_by_one else slice(None)
        n1, n0 = self.down.n1[kept], self.down.n0[kept]
        mean = quick.random_ap(self.size[kept], self.down.called, n1, n1 + n0, padded=self.ranked.padded)
        return np.broadcast_to(mean, len(self.pos))

    def clustered(self, metric: Metric) -> Array:
        """Return the variance of a metric of each marker from the sums of its influence values within clusters."""
        found = self.influence(metric)
        if found is None:
            return np.full(len(self.pos), np.nan)
        sums = self.summed(self.of_subjects(*found))
        clusters = sums.shape[1]
        return np.asarray(clusters / (clusters - 1) * quick.total(sums**2))

    def clusters_above(self, metric: Metric) -> Array:
        """Return in how many clusters, as of equal ones, those above the cut are, (w,); infinity without a cut."""
        spread = self._spread(metric)
        if spread.step is None:
            return np.full(len(self.pos), np.inf)
        share = spread.step.share_above[:-1]
        return number_above(self.subjects.summed(self.of_subjects(share, share)).T)

    def summed(self, influence: Array) -> Array:
        """Return the sums of influence values (w, n) within clusters (w, C), each class with its factor."""
        there = self.row_of_subject >= 0
        factor = self.subjects.left_out(there[:1] if there.all() else there)
        return self.subjects.summed(influence * factor)

    @cached_property
    def levels(self) -> AnyArray:
        """The number of distinct values of each marker."""
        return np.asarray(np.count_nonzero(self.size[:, : self.ranked.pos.shape[1]], axis=1))

    @cached_property
    def size(self) -> AnyArray:
        """Subjects of each row."""
        return self.pos + self.neg

    def of_metric(self, metric: Metric) -> tuple[Array, Array]:
        """Return the value of a metric for every marker, and its variance, (w,) each."""
        if self._is_quick(metric):
            return self._of_quick(metric)
        spread = self._spread(metric)
        with np.errstate(all="ignore"):
            return np.asarray(metric.value(spread.counts), float)[:-1], spread.variance[:-1]

    def _of_quick(self, metric: Metric) -> tuple[Array, Array]:
        # a marker without ties has the same bits whatever it is evaluated beside
        untied, ranks = self._untied
        if untied.all():
            return ranks.evaluated(metric, self.subjects.design)
        value, variance = quick.evaluated(metric, self.down, self.subjects.design, padded=self.ranked.padded)
        if untied.any():
            value[untied], variance[untied] = ranks.evaluated(metric, self.subjects.design)
        return value, variance

    @cached_property
    def _untied(self) -> tuple[Flags, Ranks]:
        """Which markers have a value of their own for each subject, and the ranks of their positives."""
        untied = np.zeros(len(self.pos), bool)
        if self.pos.shape[1] >= self.subjects.n:
            untied = self.levels == self.subjects.n
        place = np.cumsum(self.size[untied], axis=1)[self.pos[untied] > 0]
        return untied, Ranks(place.reshape(np.count_nonzero(untied), self.subjects.sizes[0]), self.subjects.n)

    def influence(self, metric: Metric) -> tuple[Array, Array] | None:
        """Return the influence of a positive and of a negative in each row, (w, K) each; None where there are none."""
        if self._is_quick(metric):
            return quick.influence(metric, self.down, self.subjects.design)
        spread = self._spread(metric)
        with np.errstate(all="ignore"):
            found = spread.influence
            if found is None or spread.too_long[:-1].any():
                return None
            pos, neg = (np.take_along_axis(side[:-1], self._own_rows, axis=1) for side in (found.pos, found.neg))
            return pos, neg

    def _is_quick(self, metric: Metric) -> bool:
        return quick.is_quick(metric) and self.subjects.prevalence is None

    @cached_property
    def _own_rows(self) -> AnyArray:
        """The row of each row where no list is padded between its rows, (w, rows): these begin at the top."""
        every = np.arange(self.pos.shape[1])
        if not self.ranked.padded:
            return np.broadcast_to(every, self.pos.shape)
        held = self.size[:, : self.ranked.pos.shape[1]] > 0
        first = np.where(self.low, np.argmax(held, axis=1), 0)[:, None]
        end = (held.shape[1] - np.argmax(held[:, ::-1], axis=1))[:, None] - first
        # who has no value has the row after the last
        return np.where(every < held.shape[1], np.maximum(every - first, 0), end)

    @cached_property
    def _apart(self) -> Lists:
        """The lists, and one more; what is computed of a list is then the same to the last bit beside any others.

        Kernels leave out rows without a positive in any list: the list below has one in each. numpy adds up to 128
        numbers in 8 sums, and more by halves: to the lengths here empty rows can be added without changing a bit.
        """
        w, rows = self.pos.shape
        length = rows
        if self.ranked.padded or self.subjects.missing == "last":  # else all lists have as many rows as subjects
            length = -(-rows // 8) * 8 if rows <= _HALVED else _HALVED << (-(-rows // _HALVED) - 1).bit_length()
        pos, neg = np.zeros((2, w + 1, length), np.int64)
        if self.ranked.padded:
            which, row = np.nonzero(self.size)
            own = self._own_rows[which, row]
            pos[which, own], neg[which, own] = self.pos[which, row], self.neg[which, row]
        else:
            pos[:w, :rows], neg[:w, :rows] = self.pos, self.neg
        pos[w], neg[w, -1] = 1, self.subjects.n
        return Lists(Sums(pos, neg), self.subjects.prevalence)

    def _spread(self, metric: Metric) -> Spread:
        return Spread(metric, self._apart, self.subjects.design)
