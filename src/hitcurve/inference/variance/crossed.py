"""Sums of the influence values of one ranker within the rows of another, of which products are made.

The products of two rankers, summed over subjects, are those of the values of one with the sums of the other within its
rows. Subjects cost one addition for each metric, and not one multiplication for each pair of metrics; the pairs are
multiplied once for each row. Values are whole numbers of two words, so that the order of subjects changes no bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array
from hitcurve.inference.variance.row_values import Pair, Rows, Values

_HIGH, _LOW = 30, 31  # bits of the words
_IN_CACHE = 1 << 16  # subjects that each step takes at a time
_BLOCK = 1 << 18  # subjects that are counted into the same sums, at least
_MOST_SUMS = 1 << 22  # of both words: more of them are not in the cache
_MOST_SUBJECTS = 2**31
# nanoseconds of a subject for each metric, pair of metrics and metric of a pair of rankers, and of each sum: 2 cores
# of an AMD EPYC, 10,000 to 30,000 distinct scores of positives (benchmarks/README.md)
_OF_METRIC, _OF_PRODUCT, _OF_SUM, _OF_ROW = 4.0, 0.6, 7.5, 1.5
Words = npt.NDArray[np.int64]


def pays(metrics: Sequence[int], rows: Sequence[int], subjects: float) -> bool:
    """Say whether sums within rows take less time than products of subjects, and not too much memory.

    Parameters
    ----------
    metrics, rows : sequence of int
        Of each ranker.
    subjects : float
    """
    pairs = list(combinations(range(len(metrics)), 2))
    added = sum(metrics[of] for _, of in pairs)
    sums = sum(2 * metrics[of] * _places(rows[within]) for within, of in pairs)
    multiplied = sum(metrics[one] * metrics[other] for one, other in pairs)
    if not multiplied or sums > _MOST_SUMS or subjects > _MOST_SUBJECTS:
        return False
    some = min(subjects, _BLOCK)
    return _OF_SUM * added * some + _OF_ROW * sums < (_OF_METRIC * sum(metrics) + _OF_PRODUCT * multiplied) * some


def _places(rows: int) -> int:
    """Return how many places for negatives, positives and what a file has that changes there are beside some rows."""
    return rows + rows // 2 + 1


class Crossed(NamedTuple):
    """What is summed within rows.

    Attributes
    ----------
    rows : sequence of int
        Of the grid of each ranker.
    words : sequence of array of int (2, metrics, places)
        The values of each ranker: negatives by their row, then positives by their score.
    """

    rows: Sequence[int]
    words: Sequence[Words]

    @classmethod
    def of(cls, pos: Values, neg: Values) -> Crossed:
        """Take the values of both classes."""
        words = []
        for of_pos, of_neg in zip(pos.tables, neg.tables, strict=True):
            values = np.zeros((of_neg.shape[1], _places(len(of_neg))))
            values[:, : len(of_neg)] = of_neg.T
            values[:, len(of_neg) : -1] = of_pos[1::2].T
            values = np.ldexp(values, _HIGH)
            high = np.rint(values)
            words.append(np.array([high, np.rint(np.ldexp(values - high, _LOW))], np.int64))
        return cls([len(table) for table in neg.tables], words)

    @property
    def pairs(self) -> Iterator[Pair]:
        """The rankers within whose rows is summed, and those whose values are."""
        return combinations(range(len(self.rows)), 2)

    def nothing(self) -> list[Words]:
        """Return the sums of nobody, of each pair."""
        return [
            np.zeros((*self.words[of].shape[:2], _places(self.rows[within])), np.int64) for within, of in self.pairs
        ]

    def add(self, total: Sequence[Words], positive: npt.NDArray[np.bool_], rows: Sequence[Rows]) -> None:
        """Add the values of subjects to sums; their ``rows`` are changed."""
        which = np.flatnonzero(positive)
        for row, size in zip(rows, self.rows, strict=True):
            row[which] = size + (row[which] >> 1)
        for sums, (within, of) in zip(total, self.pairs, strict=True):
            words = self.words[of].reshape(-1, self.words[of].shape[-1])
            for own, values in zip(sums.reshape(len(words), -1), words, strict=True):
                for start in range(0, positive.size, _IN_CACHE):
                    here = slice(start, start + _IN_CACHE)
                    np.add.at(own, rows[within][here], values.take(rows[of][here], mode="clip"))

    def by_class(self, total: Sequence[Words]) -> list[dict[Pair, tuple[Rows, Array]]]:
        """Return of positives, who have every other row, and of negatives the rows and sums of each pair."""
        pos, neg = {}, {}
        for own, pair in zip(total, self.pairs, strict=False):
            sums = np.ldexp(own[0].astype(float), -_HIGH) + np.ldexp(own[1].astype(float), -_HIGH - _LOW)
            rows = self.rows[pair[0]]
            pos[pair] = np.arange(1, rows, 2), sums[:, rows:-1]
            neg[pair] = np.arange(rows), sums[:, :rows]
        return [pos, neg]
