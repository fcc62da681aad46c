"""Many markers, evaluated: arrays of numbers, and how they are read and shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ColumnNotFoundError
from hitcurve.immutable import ArrayValue, ReadOnly
from hitcurve.inference.resample import seed_of_values, seeded
from hitcurve.metrics import Metric
from hitcurve.metrics.direction import check_higher_is_better
from hitcurve.screens import intervals, top
from hitcurve.screens.columns import Columns
from hitcurve.screens.engine import HIGH, LOW, MarkerLists, Subjects
from hitcurve.screens.printed import Printed
from hitcurve.screens.quick import AP, AUC
from hitcurve.screens.together import DRAWS, Markers, Together, together
from hitcurve.screens.top import TopMarker, TopMarkers
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
class Screen(Printed, ArrayValue):
    """Markers evaluated one by one against one outcome, by :func:`hitcurve.screen`.

    M metrics and m markers, which are in the order of the columns; :meth:`order` has the best first. Markers are
    looked up by name: ``found["ap"]`` has the values of a metric, ``found.record("p594")`` all numbers of a marker.

    Attributes
    ----------
    metrics : tuple of Metric
        The first one orders the markers.
    names : tuple of str
    value, standard_error : array (M, m)
        In the direction of each marker.
    pvalue, adjusted : array (M, m)
        Against random orders, doubled where the direction was chosen; ``adjusted`` for the number of markers.
    low_first : array of bool (m,)
        Whether low values of the marker come first.
    chosen : array of bool (m,)
        Whether the direction was chosen by the data.
    n_pos, n_neg : array of int (m,)
        Subjects that have a place in the ranking.
    missing, tied : array of int (m,)
        Subjects without a value, and subjects that share their value.
    left_out : mapping of str to str
        Markers that were left out, with the reason.
    duplicates : mapping of str to str
        Markers all of whose values are those of an earlier one, with its name. They are evaluated.
    adjust : {"bh", "by", "holm"}
    confidence_level : float
    test_methods : mapping of str to tuple of str
        How the p values of each metric were found.
    n_resamples : int
    seed : int or None
        Of what was drawn; None if a generator was given.
    """

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
    columns: Columns = field(repr=False)
    places: AnyArray = field(repr=False)
    subjects: Subjects = field(repr=False)

    def __len__(self) -> int:
        """Return the number of markers."""
        return len(self.names)

    def __repr__(self) -> str:
        """Return the size."""
        return f"<Screen of {len(self):,} markers by {rows.listed(list(map(str, self.metrics)))}>"

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
        """Return where a marker stands in the arrays.

        Raises
        ------
        ColumnNotFoundError
            If there is no such marker, or it was left out.
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
        good = self._good(self.metric_place(metric))
        ordered = np.sort(-good[~np.isnan(good)])
        return np.where(np.isnan(good), len(self), np.searchsorted(ordered, -good, "left") + 1)

    def order(self, metric: str | Metric | None = None) -> AnyArray:
        """Return the places of the markers, the best first; equal ones by p value, then by name."""
        place = self.metric_place(metric)
        by_name = np.argsort(np.argsort(np.array(self.names, object), kind="stable"), kind="stable")
        return np.lexsort((by_name, self.pvalue[place], -self._good(place)))

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

    def interval(self, metric: str | Metric | None = None, markers: Sequence[Any] | None = None) -> intervals.Ends:
        """Return the intervals of a metric, each for its marker alone.

        They are by the default method that draws nothing, see :meth:`hitcurve.Estimate.confidence_interval`. They do
        not know that a marker was picked because its value is high.

        Parameters
        ----------
        metric : str or Metric, optional
        markers : sequence of str, optional
            All unless given.

        Returns
        -------
        Ends
            Arrays ``low``, ``high``, ``method`` and ``reason`` (why there is none).
        """
        place = self.metric_place(metric)
        if markers is not None and place not in self._ends:
            return self._interval_at(place, np.array([self.place(name) for name in markers], np.intp))
        if place not in self._ends:
            self._ends[place] = intervals.of_all(self.metrics[place], self.columns, *self._how).at(self.places)
        every = self._ends[place]
        return every if markers is None else every.at(np.array([self.place(name) for name in markers], np.intp))

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

    def simultaneous(
        self, metric: str | Metric | None = None, *, n_resamples: int = DRAWS, rng: Any = None
    ) -> tuple[Array, Array]:
        """Return the ends of intervals that hold for all markers together, (m,) each; nan of markers without one.

        The largest deviation of any marker, in standard errors, is drawn by the multiplier bootstrap; the interval of
        each marker has as rare a tail of t on the logit scale, with half a subject more.

        Parameters
        ----------
        metric : str or Metric, optional
            The first unless given.
        n_resamples : int
        rng : None, int or numpy.random.Generator
            None derives a seed from the values.
        """
        place = self.metric_place(metric)
        return top.simultaneous(self._together(place, 1, n_resamples, rng)[0], self.confidence_level)

    def rank_interval(
        self, metric: str | Metric | None = None, *, n_resamples: int = DRAWS, rng: Any = None
    ) -> tuple[AnyArray, AnyArray]:
        """Return the first and the last rank of each marker that cannot be excluded, for all markers together, (m,).

        They follow from the simultaneous intervals (Klein, Wright and Wieczorek 2020); arguments as there.
        """
        return top.ranks(*self.simultaneous(metric, n_resamples=n_resamples, rng=rng))

    def top(
        self,
        k: int = 10,
        metric: str | Metric | None = None,
        *,
        method: str = "hybrid",
        n_resamples: int = DRAWS,
        rng: Any = None,
    ) -> TopMarkers:
        """Return the best markers with values and intervals corrected for the selection.

        The highest of thousands of values are too high on average, and their own intervals do not know it. The
        corrected value is the posterior mean, with the distribution of the true values estimated from all markers
        (empirical Bayes, Efron 2011). The corrected interval is that of the best of many rankers: given that a marker
        is among as many of the best as its rank says, its value has a truncated normal distribution (Andrews,
        Kitagawa and McCloskey 2024). Both are on the logit scale of bounded metrics, with half a subject more. That the
        direction was chosen, too, is not part of them.

        Parameters
        ----------
        k : int
        metric : str or Metric, optional
            The first unless given.
        method : {"hybrid", "conditional", "simultaneous"}
            Of the corrected intervals, as in :meth:`hitcurve.Evaluation.winner`.
        n_resamples : int
            Draws of all markers together, by the multiplier bootstrap.
        rng : None, int or numpy.random.Generator
            None derives a seed from the values.

        Returns
        -------
        TopMarkers

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import screen
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat([1, 0], [30, 70])
        >>> X = rng.normal(size=(100, 500))
        >>> X[:, 7] += 1.2 * y
        >>> best, second = screen(X, y, metrics="auc").top(2)
        >>> best.marker, round(best.value, 3), round(best.corrected, 3)
        ('7', 0.829, 0.806)
        """
        place = self.metric_place(metric)
        check_higher_is_better(self.metrics[place], "a choice of the best")
        _checks.choice("method", method, top.METHODS)
        k = min(_checks.whole_number("k", k), len(self))
        chosen = self.order(self.metrics[place])[:k]
        found, seed = self._together(place, k, n_resamples, rng)
        low, high = top.simultaneous(found, self.confidence_level)
        first, last = top.ranks(low, high)
        alone, rank = self._interval_at(place, chosen), self.rank(self.metrics[place])
        corrected = top.corrected(found, chosen, alone.high, self.confidence_level, method)
        markers = tuple(
            TopMarker(
                self.names[marker],
                str(self.direction[marker]),
                int(rank[marker]),
                int(first[marker]),
                int(last[marker]),
                float(self.value[place, marker]),
                float(alone.low[i]),
                float(alone.high[i]),
                *corrected[i],
                float(low[marker]),
                float(high[marker]),
                float(found.inside[i]),
                float(self.pvalue[place, marker]),
                float(self.adjusted[place, marker]),
            )
            for i, marker in enumerate(chosen.tolist())
        )
        return TopMarkers(
            self.metrics[place], markers, len(self), self.confidence_level, method, found.largest.size, seed
        )

    def _together(self, metric: int, k: int, draws: int, rng: Any) -> tuple[Together, int | None]:
        draws = _checks.whole_number("n_resamples", draws, least=100)
        rng, seed = seeded(rng, lambda: seed_of_values(np.sort(self.value[metric])))
        key = (metric, k, draws, seed)
        if seed is None or key not in self._drawn:
            markers = Markers(self.columns, self.places, self.names, self.subjects, self._directions)
            found = together(self.metrics[metric], markers, self.order(self.metrics[metric])[:k], draws, rng)
            if seed is None:
                return found, seed
            self._drawn[key] = found
        return self._drawn[key], seed

    @cached_property
    def _drawn(self) -> dict[tuple[int, int, int, int | None], Together]:
        return {}

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
