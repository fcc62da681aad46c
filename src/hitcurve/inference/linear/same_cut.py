"""Rates of subgroups above one cutoff of the whole list, with errors that contain the error of the cutoff.

With T the rate of a subgroup and X the axis that the cutoff holds fixed (the fraction selected, the FPR or the recall
of the whole list), T at the estimated cutoff moves by its own sampling and by ``-dT/dX`` times the sampling of X at
the cutoff. The slope is taken over a window around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.inference.design import cluster_degrees, left_out
from hitcurve.inference.variance.covariance import Part
from hitcurve.inference.variance.dependent import largest_share
from hitcurve.metrics import Metric
from hitcurve.sources import Block
from hitcurve.table import HitTable

QUANTITIES = ("tpr", "fpr", "precision", "rate")
NAMED = {
    "tpr": "true positive rate (recall)",
    "fpr": "false positive rate",
    "precision": "precision",
    "rate": "fraction selected",
}
_OTHER_NAMES = {"recall": "tpr", "sensitivity": "tpr", "ppv": "precision", "selected": "rate"}


class SharedCut(NamedTuple):
    """A cutoff of the whole list.

    Attributes
    ----------
    score : float
        In the direction in which higher scores are better.
    share : float
        Share of the subjects of this score that are above it: 1 of a threshold.
    axis : {"rate", "fpr", "recall"} or None
        What the cutoff holds fixed; None of a threshold that is known.
    """

    score: float
    share: float
    axis: str | None


class Moves(NamedTuple):
    """By how much each subject moves the rates of the subgroups.

    Attributes
    ----------
    each : array (n, G)
    of : array (n, G) or (n, 1)
        What is moved is a share of the sum of these.
    """

    each: Array
    of: Array

    def within_classes(self, weight: Array, positive: AnyArray) -> Moves:
        """Return them less the mean of each class, whose size was fixed."""
        each = self.each.copy()
        for side in (positive, ~positive):
            each[side] -= weight[side, None] * (np.sum(each[side], axis=0) / np.sum(weight[side]))
        return self._replace(each=each)

    def by_cluster(self, place: AnyArray, clusters: int) -> Array:
        """Return the sums within clusters, each as a sample without the cluster differs by it."""
        sums, shares = np.zeros((clusters, self.each.shape[1])), np.zeros((clusters, self.of.shape[1]))
        np.add.at(sums, place, self.each)
        np.add.at(shares, place, self.of)
        total = shares.sum(axis=0)
        shares = np.divide(shares, total, out=np.zeros(shares.shape), where=total > 0)
        return np.asarray(sums * left_out(shares.T, clusters).T)


class AtCut(NamedTuple):
    """The rates of all subgroups above a cutoff.

    Attributes
    ----------
    values : array (G,)
        nan of a subgroup without a subject that counts.
    counted : array (G,)
        Effective number of subjects that the rate is a share of.
    parts : tuple of Part
        Of the covariance.
    heaviest : array (groups,)
        The largest share of the subjects counted that one cluster holds, 0 without clusters.
    clusters : array (groups,)
        How many clusters hold subjects counted, infinitely many without clusters.
    """

    values: Array
    counted: Array
    parts: tuple[Part, ...]
    heaviest: Array
    clusters: Array


def quantity(name: str) -> str:
    """Return a rate of a confusion matrix by its name, or an empty text."""
    return name if name in QUANTITIES else _OTHER_NAMES.get(name, "")


def cut_of(metric: Metric, table: HitTable, scores: AnyArray, weight: Array, positive: AnyArray) -> SharedCut:
    """Return where a metric cuts the whole list.

    Raises
    ------
    ParameterError
        If the metric has no cutoff that a fixed rate, FPR or recall determines.
    """
    cut = metric.cut_at(table.counts)
    if cut is None:
        raise ParameterError(
            f"cut={str(metric)!r} does not cut at a fixed rate, FPR or recall: give a metric such as 'recall@10%', "
            "'tpr@fpr=5%' or 'fpr@tpr=90%', or the score as a number"
        )
    along = {"rate": np.ones(scores.size, bool), "fpr": ~positive, "recall": positive}[cut.axis]
    order = np.argsort(-scores, kind="stable") if scores.dtype.kind == "f" else np.argsort(scores, kind="stable")[::-1]
    reached = np.cumsum((weight * along)[order])
    wanted = float(cut.place) * reached[-1]
    place = min(int(np.searchsorted(reached, wanted * (1 - 1e-12), "left")), scores.size - 1)
    score = scores[order][place]
    tied = scores == score
    above = float(np.sum((weight * along)[scores > score]))
    here = float(np.sum((weight * along)[tied]))
    return SharedCut(score, min(max((wanted - above) / here, 0.0), 1.0) if here else 1.0, cut.axis)


def at_cut(block: Block, ranker: str, what: str, cut: SharedCut, codes: AnyArray, groups: int, design: str) -> AtCut:
    """Return the rates of the subgroups above a cutoff, with their covariance.

    Parameters
    ----------
    block : Block
        All subjects.
    ranker : str
    what : {"tpr", "fpr", "precision", "rate"}
    cut : SharedCut
    codes : array of int (n,)
        Subgroup of each subject, -1 of one that belongs to none of them.
    groups : int
    design : {"cohort", "case-control"}

    Raises
    ------
    ParameterError
        If the rate depends on the prevalence, and that was not sampled.
    InsufficientDataError
        If there is one cluster only, or one only that holds positives.
    """
    if design != "cohort" and what in ("precision", "rate"):
        raise ParameterError(
            f"{what} depends on the prevalence, which design={design!r} did not sample: use tpr or fpr"
        )
    scores, positive = block.scores[ranker], block.positive
    given = block.weights(1.0)
    weight = np.ones(scores.size) if given is None else given
    above = np.where(scores == cut.score, cut.share, (scores > cut.score).astype(float))
    chosen = {"tpr": positive, "fpr": ~positive, "precision": positive, "rate": np.ones(scores.size, bool)}[what]
    of = above if what == "precision" else np.ones(scores.size)
    counts = of * (chosen if what in ("tpr", "fpr") else 1.0)
    held = codes >= 0
    hits = np.bincount(codes[held], (weight * above * chosen)[held], minlength=groups)
    base = np.bincount(codes[held], (weight * counts)[held], minlength=groups)
    squares = np.bincount(codes[held], (weight**2 * counts**2)[held], minlength=groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = hits / base
        counted = base**2 / squares
    phi = np.zeros((scores.size, groups))
    row = np.flatnonzero(held & np.isfinite(values[np.maximum(codes, 0)]))
    own = codes[row]
    phi[row, own] = weight[row] * (above * chosen - values[np.maximum(codes, 0)] * counts)[row] / base[own]
    moves = [Moves(np.nan_to_num(phi), (weight * counts)[:, None] * (codes[:, None] == np.arange(groups)))]
    if cut.axis is not None:
        along = {"rate": np.ones(scores.size, bool), "fpr": ~positive, "recall": positive}[cut.axis]
        whole = float(np.sum(weight * along))
        reached = float(np.sum(weight * along * above)) / whole
        slopes = _slopes(scores, weight, along, cut.axis, chosen, what, codes, groups, reached)
        of_cut = weight * along * (above - reached) / whole
        moves.append(Moves(-of_cut[:, None] * slopes, (weight * along)[:, None]))
    if design == "case-control":
        moves = [one.within_classes(weight, positive) for one in moves]
    parts = _parts(moves, block, codes, groups, what)
    return AtCut(values, counted, parts, *_held_by_clusters(block, weight * counts, codes, groups))


def _held_by_clusters(block: Block, counted: Array, codes: AnyArray, groups: int) -> tuple[Array, Array]:
    """Return of each subgroup the largest share of the subjects counted in one cluster, and how many hold any."""
    if block.cluster is None:
        return np.zeros(groups), np.full(groups, np.inf)
    place = block.cluster.sorted.codes
    held = [np.bincount(place, counted * (codes == group)) for group in range(groups)]
    return np.array([largest_share(one) for one in held]), np.array([float(np.count_nonzero(one)) for one in held])


def _parts(moves: Sequence[Moves], block: Block, codes: AnyArray, groups: int, what: str) -> tuple[Part, ...]:
    positive = block.positive
    if block.cluster is not None:
        names, place = block.cluster.sorted.names, block.cluster.sorted.codes
        degrees = cluster_degrees(names.size, np.unique(place[positive]).size)
        sums = np.sum([one.by_cluster(place, names.size) for one in moves], axis=0)
        return (Part(names.size / (names.size - 1) * sums.T @ sums, degrees),)
    phi = np.sum([one.each for one in moves], axis=0)
    parts = []
    # the rate does not depend on labels: its degrees of freedom are of all subjects of a subgroup
    sides = (np.ones(positive.size, bool),) if what == "rate" else (positive, ~positive)
    for group in range(-1, groups):
        for side in sides:
            own = phi[(codes == group) & side]
            n = len(own)
            if n and own.any():
                parts.append(Part(own.T @ own, max(n - 1.0, 1.0), n / (n - 1) if n > 1 else 1.0))
    return tuple(parts) or (Part(np.zeros((groups, groups)), np.inf),)


def _slopes(
    scores: AnyArray,
    weight: Array,
    along: AnyArray,
    axis: str,
    chosen: AnyArray,
    what: str,
    codes: AnyArray,
    groups: int,
    place: float,
) -> Array:
    """Return by how much the rate of each subgroup rises with the axis of the cutoff, over a window around it."""
    _, row = np.unique(-scores if scores.dtype.kind == "f" else scores, return_inverse=True)
    row = row if scores.dtype.kind == "f" else row.max() - row
    rows = int(row.max()) + 1
    x = np.concatenate([[0.0], np.cumsum(np.bincount(row, weight * along, minlength=rows))])
    x /= x[-1]
    out = np.zeros(groups)
    n = float(np.sum(along))
    for group in range(groups):
        own = codes == group
        half = _half(place, n, max(int(np.sum(own & chosen)), 1), whole_axis=axis != "recall")
        ends = (max(place - half, 0.0), min(place + half, 1.0))
        hits = _at(ends, x, row, rows, weight * (own & chosen))
        if what == "precision":
            base = _at(ends, x, row, rows, weight * own)
            middle = _at((place,), x, row, rows, weight * own)[0]
            value = _at((place,), x, row, rows, weight * (own & chosen))[0] / middle if middle else 0.0
            rise = ((hits[1] - hits[0]) - value * (base[1] - base[0])) / middle if middle else 0.0
        else:
            whole = float(np.sum(weight * (own & chosen)))
            rise = (hits[1] - hits[0]) / whole if whole else 0.0
        out[group] = rise / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.0
    return out


def _half(place: float, n: float, size: int, *, whole_axis: bool) -> float:
    """Return half the width of the window, as that of metrics at a cutoff: at a recall half way to the nearer end."""
    if not 0 < place < 1:
        return 1.0 / n
    wide = place * size**-0.2 if whole_axis else min(place, 1 - place) / 2
    return float(min(max(wide, 2.0 / n), place, 1 - place))


def _at(places: Sequence[float], x: Array, row: AnyArray, rows: int, weight: Array) -> list[float]:
    height = np.concatenate([[0.0], np.cumsum(np.bincount(row, weight, minlength=rows))])
    return [float(one) for one in np.interp(places, x, height)]
