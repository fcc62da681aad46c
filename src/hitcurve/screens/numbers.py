"""The numbers of many markers: arrays, looked up by marker and metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ColumnNotFoundError
from hitcurve.immutable import ArrayValue, Compared, ReadOnly
from hitcurve.inference.estimation.cautions import few_decide_at
from hitcurve.metrics import Metric
from hitcurve.screens import intervals
from hitcurve.screens.changes import ranks_of
from hitcurve.screens.columns import Columns
from hitcurve.screens.engine import HIGH, LOW, MarkerLists, Subjects
from hitcurve.screens.quick import AP, AUC
from hitcurve.table import HitTable


class LeftOut(ReadOnly[str, str]):
    """Markers that were left out, each with the reason."""

    __slots__ = ()

    def lines(self) -> list[str]:
        """Return how many were left out for each reason, and the first of them."""
        by_reason: dict[str, list[str]] = {}
        for name, reason in self.items():
            by_reason.setdefault(reason, []).append(name)
        return [f"{len(names):,} {reason} ({rows.some(names)})" for reason, names in by_reason.items()]


@dataclass(frozen=True, eq=False)
class Numbers(ArrayValue, Compared):
    """The numbers of a screen; see :class:`hitcurve.Screen`."""

    metrics: tuple[Metric, ...]
    names: tuple[str, ...]
    value: Array
    standard_error: Array
    pvalue: Array
    adjusted: Array
    low_first: AnyArray
    chosen: AnyArray
    n_pos: AnyArray
    n_neg: AnyArray
    missing: AnyArray
    tied: AnyArray
    left_out: LeftOut
    duplicates: Mapping[str, str]
    adjust: str
    confidence_level: float
    test_methods: Mapping[str, tuple[str, ...]]
    n_resamples: int
    seed: int | None
    columns: Columns = field(repr=False, compare=False)
    places: AnyArray = field(repr=False)
    subjects: Subjects = field(repr=False)
    random_ap: Array = field(repr=False)

    def __len__(self) -> int:
        """Return the number of markers."""
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the markers, in the order of the columns."""
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        """Say whether a marker was evaluated."""
        return name in self._place_of_name if isinstance(name, str) else False

    # ---- markers and metrics

    def metric_place(self, metric: str | Metric | None = None) -> int:
        """Return the place of a metric, the first unless given.

        Raises
        ------
        ColumnNotFoundError
            If it was not evaluated.
        """
        if metric is None:
            return 0
        texts = list(map(str, self.metrics))
        text = str(metric)
        if text not in texts:
            from hitcurve.metrics import metric as read

            text = str(read(metric))
        if text not in texts:
            raise ColumnNotFoundError(f"{text} was not evaluated: metrics are {', '.join(texts)}")
        return texts.index(text)

    @cached_property
    def _place_of_name(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def place(self, name: Any) -> int:
        """Return the position of a marker in the arrays.

        Raises
        ------
        ColumnNotFoundError
            If the name is not a marker, or the marker was left out.
        """
        text = str(name)
        if text in self._place_of_name:
            return self._place_of_name[text]
        if text in self.left_out:
            raise ColumnNotFoundError(f"{text!r} was left out: it is {self.left_out[text]}")
        raise ColumnNotFoundError(f"no marker {text!r}{_checks.did_you_mean(text, self.names)}")

    def __getitem__(self, metric: str | Metric) -> Array:
        """Return the values of a metric, (m,)."""
        return np.asarray(self.value[self.metric_place(metric)])

    def rank(self, metric: str | Metric | None = None) -> AnyArray:
        """Return the rank of each marker by a metric, 1 for the best; equal values share the better rank."""
        return ranks_of(self._good(self.metric_place(metric)))

    def order(self, metric: str | Metric | None = None) -> AnyArray:
        """Return the positions of the markers, best first; equal markers by p value, then by name."""
        place = self.metric_place(metric)
        by_name = np.argsort(np.argsort(np.array(self.names, object), kind="stable"), kind="stable")
        return np.lexsort((by_name, self.pvalue[place], ranks_of(self._good(place))))

    def _good(self, place: int) -> Array:
        return np.asarray(-self.value[place] if self.metrics[place].lower_is_better else self.value[place])

    @property
    def direction(self) -> AnyArray:
        """``high`` or ``low`` for each marker: which values come first."""
        return np.where(self.low_first, "low", "high")

    @property
    def momentum(self) -> Array | None:
        """Momentum of each marker, scaled AP over scaled AUC; None unless both were evaluated, nan if AUC <= 1/2."""
        if AP not in self.metrics or AUC not in self.metrics:
            return None
        pi = self.subjects.prevalence or self.n_pos / (self.n_pos + self.n_neg)
        ap, auc = self["ap"], self["auc"]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(auc > 0.5, (ap - pi) / (1 - pi) / (2 * auc - 1), np.nan)

    # ---- intervals and tables

    @cached_property
    def _ends(self) -> dict[int, intervals.Ends]:
        return {}

    def interval(
        self, metric: str | Metric | None = None, markers: str | Sequence[Any] | None = None
    ) -> intervals.Ends:
        """Return the intervals of a metric, each for its marker alone.

        They are by the default method that draws nothing, see :meth:`hitcurve.Estimate.confidence_interval`. They do
        not know that a marker was picked because its value is high.

        Parameters
        ----------
        metric : str or Metric, optional
        markers : str or sequence of str, optional
            All unless given.

        Returns
        -------
        Ends
            Arrays ``low``, ``high``, ``method`` and ``reason`` (why there is none).
        """
        place = self.metric_place(metric)
        markers = [markers] if isinstance(markers, str) else markers
        if markers is not None and place not in self._ends:
            return self._interval_at(place, np.array([self.place(name) for name in markers], np.intp))
        if place not in self._ends:
            self._ends[place] = intervals.of_all(self.metrics[place], self.columns, *self._how).at(self.places)
        every = self._ends[place]
        return every if markers is None else every.at(np.array([self.place(name) for name in markers], np.intp))

    def _few_decide(self, metric: int) -> list[str]:
        """Say so if few negatives decide a metric at the prevalence that was set."""
        own, pi = self.metrics[metric], self.subjects.prevalence
        if pi is None or not own.decided_by_prevalence:
            return []
        return few_decide_at(own, float(np.max(self.n_neg)), pi)

    def _interval_at(self, metric: int, places: AnyArray) -> intervals.Ends:
        if metric in self._ends:
            return self._ends[metric].at(places)
        return intervals.of_some(self.metrics[metric], self.columns, self.places[places], *self._how)

    @property
    def _how(self) -> tuple[Subjects, AnyArray, float]:
        return self.subjects, self._directions, self.confidence_level

    @cached_property
    def _directions(self) -> AnyArray:
        out = np.full(len(self.columns.names), HIGH)
        out[self.places] = np.where(self.low_first, LOW, HIGH)
        return out

    def table(self, name: Any) -> HitTable:
        """Return the hit table of a marker in its direction: for its curves, and everything else of one ranking.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import screen
        >>> X = np.random.default_rng(0).normal(size=(40, 3))
        >>> screen(X, np.repeat([1, 0], 20), names=["a", "b", "c"]).table("b")
        HitTable(full, rows=40, n=40, n_pos=20)
        """
        place = self.place(name)
        own = self.columns.taken(self.places[[place]])
        found = MarkerLists.of(own, self.subjects, self._directions[own.places])
        return intervals.table_of(own, found, self.subjects)
