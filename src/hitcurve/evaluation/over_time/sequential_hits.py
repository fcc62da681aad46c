"""Which of two top lists holds more positives, tested exactly while labels arrive."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray, Counts
from hitcurve.errors import InputError, ParameterError
from hitcurve.immutable import Accumulated
from hitcurve.inference.comparing.betting import evidence_of_shares, reachable
from hitcurve.inference.resampling.resample import generator, seed_of_values, seeded
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as named
from hitcurve.sources import Reading, columns, encode_labels

_UNEVEN = 4.0  # standard deviations by which labels in random order never favour one of the lists


@dataclass(frozen=True)
class HitsLook:
    """State of a comparison of two top lists after some labels.

    Attributes
    ----------
    number : int
        From 1.
    n_labels : int
        Labels so far of subjects in one top list only.
    left : int
        Such subjects without a label.
    first_only, second_only : float
        Positives so far that only the one list holds. The hits of both lists differ by as much. Positives whose score
        is on both sides of a cutoff count in part.
    evidence : float
        The largest so far, of a game that is fair if both lists hold as many positives.
    pvalue : float
        Its reciprocal, 1 at most: it holds at all looks together.
    open : bool
        Whether labels to come can still bring the evidence to what rejects.
    """

    number: int
    n_labels: int
    left: int
    first_only: float
    second_only: float
    evidence: float
    pvalue: float
    open: bool

    def to_record(self) -> dict[str, Any]:
        """Return the look as plain values."""
        return {
            "look": self.number,
            "labels": self.n_labels,
            "left": self.left,
            "first_only": self.first_only,
            "second_only": self.second_only,
            "evidence": self.evidence,
            "pvalue": self.pvalue,
        }


class SequentialHits(Accumulated):
    """Test exactly, while labels arrive, whether the top lists of two rankers contain equally many positives.

    The scores of all subjects are known. Subjects in both top lists, or in neither, do not change the difference of
    the hits: only those in ``needed`` need a label. If the lists hold equally many positives, a positive that only one
    of them holds is the first's or the second's with probability 1/2. The test bets on it, and rejects when a stake of
    1 has become 20 (at level 0.05). It is exact at every look, for any number of looks. Subjects of equal score on both
    sides of a cutoff are in the top list in part, and the bet on them is smaller.

    Equal recall, enrichment and precision at the cutoff are equal hits.

    Parameters
    ----------
    first, second : array-like (n,)
        Scores of all subjects.
    metric : str or Metric
        Gives the cutoff: ``hits@100``, ``recall@1%``, ``ef@1%``, ``precision@50``.
    confidence_level : float in (0, 1)
    names : (str, str)
    higher_is_better : bool or mapping of str to bool
    rng : None, int or numpy.random.Generator
        Of the order of ``needed``. None derives a seed from the scores.

    Attributes
    ----------
    needed : array of int
        The subjects that need a label (their places from 0), in random order. Label them in this order.
    seed : int or None
        Of their order.
    looks : tuple of HitsLook

    Raises
    ------
    ParameterError
        If the metric has no cutoff at a rank that is known before the labels are.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.1
    >>> common = rng.normal(size=2000)
    >>> test = SequentialHits(common + rng.normal(size=2000) + 3 * y, common + rng.normal(size=2000) + y, "hits@100")
    >>> test.needed.size, test.cutoff
    (146, 100)
    >>> for part in np.array_split(test.needed, 6):
    ...     look = test.update(part, y[part])
    ...     if test.decided:
    ...         break
    >>> look.n_labels, look.first_only, look.second_only, round(look.pvalue, 4)
    (50, 16.0, 2.0, 0.0152)
    """

    def __init__(
        self,
        first: Any,
        second: Any,
        metric: str | Metric = "hits@100",
        *,
        confidence_level: float = 0.95,
        names: tuple[str, str] = ("first", "second"),
        higher_is_better: bool | Mapping[str, bool] = True,
        rng: Any = None,
    ) -> None:
        self.metric = named(metric)
        self.confidence_level = _checks.level("confidence_level", confidence_level)
        self.names = (str(names[0]), str(names[1]))
        _checks.distinct("ranker", list(self.names))
        reading = Reading(None, higher_is_better)
        reading.check_rankers(self.names)
        oriented = []
        for name, values in zip(self.names, (first, second), strict=True):
            column = columns.scores(name, values)
            if column.gone is not None:
                raise InputError(f"{int(column.gone.sum())} of {column.values.size} scores of {name!r} are missing")
            oriented.append(columns.oriented(column.values, reading.is_high_good(name)))
        self.n = _checks.same_length(dict(zip(self.names, oriented, strict=True)))
        self.cutoff = _cutoff(self.metric, self.n)
        tops = [_shares(s, self.cutoff) for s in oriented]
        self._apart = tops[0] - tops[1]
        rng, self.seed = seeded(rng, lambda: seed_of_values(*tops))
        self.needed = generator(rng).permutation(np.flatnonzero(self._apart))
        self.needed.setflags(write=False)
        self.looks: tuple[HitsLook, ...] = ()
        self._labels = np.full(self.n, -1, np.int8)

    @property
    def decided(self) -> bool:
        """Whether equal hits were rejected at some look."""
        return bool(self.looks) and self.looks[-1].pvalue <= 1 - self.confidence_level

    def update(self, where: Any, y_true: Any, *, pos_label: Any = None) -> HitsLook:
        """Add the labels of some subjects, and compute one more look.

        Parameters
        ----------
        where : array-like of int
            Their places, from 0. Labels that are not needed are not used.
        y_true : array-like
            Their labels.
        pos_label : object, optional

        Returns
        -------
        HitsLook

        Raises
        ------
        ParameterError
            If a place is not in the pool, or comes twice with different labels.
        InputError
            If labels favour the subjects of one list, so that they cannot be in random order. The labels are not
            taken then.
        """
        labels = self._with(where, y_true, pos_label)
        sides = [self._apart > 0, self._apart < 0]
        counts = [int(np.sum(side & (labels >= 0))) for side in sides]
        self._check_even(counts, [int(np.sum(side)) for side in sides])
        shares = self._apart[(labels == 1) & (self._apart != 0)]
        left = self._apart[(labels < 0) & (self._apart != 0)]
        first, second = (float(np.sum(np.maximum(sign * shares, 0.0))) for sign in (1, -1))
        # sums that round must not depend on the order of the labels
        found = max([evidence_of_shares(np.sort(shares)), *(look.evidence for look in self.looks[-1:])])
        more = reachable(shares, left, 1 / (1 - self.confidence_level))
        p = min(1.0, 1 / found)
        look = HitsLook(len(self.looks) + 1, sum(counts), left.size, first, second, found, p, more)
        self._labels = labels
        self.looks = (*self.looks, look)
        return look

    def _with(self, where: Any, y_true: Any, pos_label: Any) -> AnyArray:
        places = np.asarray(where)
        if places.ndim != 1 or (places.size and places.dtype.kind not in "iu"):
            raise ParameterError(f"where must be whole numbers, the positions of subjects, got {where!r}")
        if places.size and not 0 <= places.min() <= places.max() < self.n:
            raise ParameterError(f"where must be positions 0 to {self.n - 1}, got {places.min()} to {places.max()}")
        column = columns.labels("y_true", y_true)
        if column.gone is not None:
            raise InputError(f"{int(column.gone.sum())} of {column.values.size} labels are missing: leave them out")
        _checks.same_length({"where": places, "y_true": column.values})
        labels = self._labels.copy()
        if not places.size:
            return labels
        positive, _ = encode_labels(column.values, pos_label, whole=False)
        for label in (0, 1):
            own = places[positive == label]
            if np.any(labels[own] == 1 - label):
                place = int(own[labels[own] == 1 - label][0])
                raise ParameterError(f"subject {place} has two different labels")
            labels[own] = label
        return labels

    def _check_even(self, counts: list[int], totals: list[int]) -> None:
        """Refuse labels of which one list has more than random order gives it."""
        labelled, everybody = sum(counts), sum(totals)
        if everybody < 2:
            return
        share = totals[0] / everybody
        variance = labelled * share * (1 - share) * (everybody - labelled) / (everybody - 1)
        if abs(counts[0] - labelled * share) > max(_UNEVEN * math.sqrt(variance), 1.0):
            a, b = self.names
            raise InputError(
                f"{counts[0]} of {totals[0]} subjects in the top list of {a!r} alone are labelled, and {counts[1]} of "
                f"{totals[1]} of {b!r}: labels must come in random order, as in needed"
            )

    def to_records(self) -> list[dict[str, Any]]:
        """Return all looks as plain values."""
        return [rows.plain(look.to_record()) for look in self.looks]

    def __str__(self) -> str:
        """Return the looks as a table."""
        a, b = self.names
        share = 100 * self.needed.size / self.n
        lines = [
            f"{self.metric}: {rows.in_line(a)} - {rows.in_line(b)}, by betting; {self.needed.size:,} of {self.n:,} "
            f"subjects need a label ({share:.3g}%)"
        ]
        if not self.looks:
            return "\n".join([*lines, "no labels yet"])
        header = ["look", "labels", "left", f"{a} only", f"{b} only", "evidence", "p value"]
        body = [
            [
                *(rows.count(x) for x in (k.number, k.n_labels, k.left)),
                *(rows.short(x) for x in (k.first_only, k.second_only)),
                rows.short(k.evidence, 3),
                rows.short(k.pvalue, 3),
            ]
            for k in self.looks
        ]
        lines.append(rows.text_table(header, body))
        if not (self.decided or self.looks[-1].open):
            lines.append("note: no further labels can lead to a rejection")
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Return the metric, and how many labels are needed."""
        return f"<SequentialHits of {self.metric}: {len(self.looks)} looks, {self.needed.size} labels needed>"


def _cutoff(metric: Metric, n: int) -> int:
    """Return the rank of the cutoff.

    Raises
    ------
    ParameterError
        If it has none, it depends on the labels, or it is no whole rank.
    """
    places = []
    for n_pos in (1, n - 1):
        cut = metric.cut_at(Counts(np.array([n_pos, 0]), np.array([0, n - n_pos]))) if n > 1 else None
        if cut is None or cut.axis != "rate":
            raise ParameterError(f"{metric} has no cutoff at a rank: use hits@k, recall@k, precision@k or ef@k")
        places.append(float(cut.place) * n)
    k = round(places[0])
    if places[0] != places[1]:
        raise ParameterError(f"the cutoff of {metric} depends on the number of positives: name a rank, as in hits@100")
    if abs(places[0] - k) > 1e-9 * n or not 1 <= k < n:
        raise ParameterError(f"the cutoff of {metric} must be a whole rank from 1 to {n - 1}, got {places[0]:g}")
    return k


def _shares(s: AnyArray, k: int) -> AnyArray:
    """Return which subjects are the first k; of equal scores across the cutoff, the share that is."""
    limit = np.partition(s, s.size - k)[s.size - k]
    above, tied = s > limit, s == limit
    return np.where(tied, (k - int(above.sum())) / int(tied.sum()), above.astype(float))
