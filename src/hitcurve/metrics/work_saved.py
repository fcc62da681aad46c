"""Work saved over sampling, plain and normalised."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import Array, Counts, before
from hitcurve.cut import no_whole_subjects, rule, whole
from hitcurve.metrics.at_rate import fpr_at_recall
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import CutAt, plain
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import at, keyword
from hitcurve.refusals import Refusal, refused
from hitcurve.table import HitTable


@dataclass(frozen=True)
class WSS(Metric):
    """Work saved over sampling (Cohen et al. 2006): fraction of the list not screened when a recall is reached.

    ``(n - rank of positive number j) / n - (1 - level)`` with ``j = ceil(level n1)``, its rank in expectation over
    ties. At most ``level``, higher is better; random about 0, perfect ``level - j/n``. Where whole subjects do not
    exist, the rate at which the recall is reached replaces rank/n.

    Parameters
    ----------
    level : float in (0, 1]
        Recall to reach.
    cut : {"auto", "ceil", "floor", "round"}
        How ``level n1`` becomes a whole number; CLEF rounds. ``"auto"`` is ``"ceil"``; weights and a set prevalence
        leave the others undefined.

    Raises
    ------
    ParameterError
        If an argument is none of these.

    Examples
    --------
    >>> round(WSS(1.0)([1, 0, 1, 0], [4, 3, 2, 1]), 4), str(WSS(0.95))
    (0.25, 'wss@95%')
    """

    name: ClassVar[str] = "wss"
    summary: ClassVar[str] = "work saved over sampling at a recall"
    reference: ClassVar[str] = "Cohen et al. 2006, J. Am. Med. Inform. Assoc. 13:206"
    level: float = at()
    cut: str = keyword("auto")

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", _checks.share_of_a_cut("level", self.level))
        _checks.choice("cut", self.cut, ("auto", "ceil", "floor", "round"))

    def unsuited(self, c: Counts) -> Iterator[Refusal]:
        """Yield lists of one class, and lists of weights where a rounding of the cutoff was requested."""
        yield from super().unsuited(c)
        if not c.whole and self.cut != "auto":
            yield Refusal(True, no_whole_subjects(self.cut, c))

    def _wanted(self, c: Counts) -> Array:
        return whole(self.level * c.n1, self.cut)

    def waits_for_last(self, c: Counts) -> npt.NDArray[np.bool_]:
        """Say whether the recall is reached with the last positive only."""
        return np.asarray((self._wanted(c) if c.whole else self.level * c.n1) >= c.n1)

    def cut_at(self, c: Counts) -> CutAt:
        """Return the cut at a recall: level - pi level - (1 - pi) FPR."""
        rest = 1 - c.pi
        return CutAt("recall", np.full(c.shape, self.level), self.level * rest, -rest, -self.level, 1.0)

    def kernel(self, c: Counts) -> Array:
        """Return the share left unread minus the share that a random order leaves."""
        if not c.whole:
            # the rate at a recall is pi times it and (1 - pi) times the FPR there
            rest = c.n0 / c.n if c.prevalence is None else 1 - c.pi
            return np.asarray(rest * (self.level - fpr_at_recall(c, self.level)))
        wanted = self._wanted(c)[..., None]
        reached = wanted * (1 - 1e-15) <= c.H
        row = np.argmax(reached, axis=-1)[..., None]

        def of_row(values: Array) -> Array:
            return np.take_along_axis(np.asarray(values, float), row, axis=-1)

        found, positives = of_row(c.H - c.pos), of_row(c.pos)
        # the j-th of z positives among s subjects in random order stands at j (s + 1) / (z + 1)
        place = (wanted - found) * (positives + of_row(c.neg) + 1) / (positives + 1)
        rate = (of_row(before(c.R)) + place) / c.n[..., None]
        return np.asarray(self.level - rate[..., 0])

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return self.level - 1, self.level

    def convention(self, table: HitTable | Counts) -> Any:
        """Say which positive is waited for."""
        c = self._admit(table)
        if not c.whole:
            return each(c, "rate at that recall")
        wanted, how = self._wanted(c), rule(self.cut)
        return each(c, lambda index: f"positive {wanted[index]:.12g} of {c.n1[index]:.12g} ({how})", wanted, c.n1)


@dataclass(frozen=True)
class NormalisedWSS(WSS):
    """Normalised WSS (Kusa et al. 2023): fraction of the negatives not screened when a recall is reached, the TNR.

    ``1 - (rank of positive number j - j) / n0`` with j and its rank as for :class:`WSS`, which it is between its least
    and its largest value. In [0, 1], higher is better; random ``1 - j/(n1 + 1)``, perfect 1. It does not depend on the
    prevalence. :class:`SpecificityAtSensitivity` is the same without rounding ``level n1``. Where whole subjects do not
    exist, it is that.

    Parameters
    ----------
    level, cut
        As for :class:`WSS`.

    Raises
    ------
    ParameterError
        If an argument is none of these.

    Examples
    --------
    >>> NormalisedWSS(1.0)([1, 0, 1, 0], [4, 3, 2, 1]), str(NormalisedWSS(0.95))
    (0.5, 'nwss@95%')
    """

    name: ClassVar[str] = "nwss"
    summary: ClassVar[str] = "normalised work saved over sampling: true negative rate at a recall"
    reference: ClassVar[str] = "Kusa, Lipani, Knoth and Hanbury 2023, Intell. Syst. Appl. 18:200193"
    default_interval: ClassVar[str] = "profile"
    perfect_value: ClassVar[float | None] = 1.0

    def waits_for_last(self, c: Counts) -> npt.NDArray[np.bool_]:
        """Return no list: the profile says what the last positives leave open."""
        return np.zeros(c.shape, bool)

    def cut_at(self, c: Counts) -> CutAt:
        """Return the cut at a recall: 1 - FPR."""
        return CutAt("recall", np.full(c.shape, self.level), 1.0, -1.0)

    def kernel(self, c: Counts) -> Array:
        """Return the share of the negatives left unread."""
        if not c.whole:
            return np.asarray(1 - fpr_at_recall(c, self.level))
        read = (self.level - super().kernel(c)) * c.n
        return np.asarray(1 - (read - self._wanted(c)) / c.n0)

    def random_mean(self, table: HitTable | Counts) -> Any:
        """Return 1 - j/(n1 + 1), of the mean number of negatives before the j-th positive."""
        c = self._admit(table)
        if not c.whole:
            return None
        mean = np.asarray(1 - self._wanted(c) / (c.n1 + 1))
        return plain(np.where(refused(self.unsuited(c), c.shape), math.nan, mean))

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, 1.0
