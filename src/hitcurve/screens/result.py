"""Many markers, evaluated: what is asked of a screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.inference.resampling.resample import seed_of_values, seeded
from hitcurve.metrics import Metric
from hitcurve.metrics.direction import check_higher_is_better
from hitcurve.screens import top
from hitcurve.screens.changes import RankChanges, rank_changes
from hitcurve.screens.printed import PrintedNumbers
from hitcurve.screens.together import DRAWS, Markers, Together, together
from hitcurve.screens.top import TopMarker, TopMarkers


@dataclass(frozen=True, eq=False)
class Screen(PrintedNumbers):
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
        Against random orders, one-sided in the direction of the marker, doubled where the direction was chosen;
        ``adjusted`` for the number of markers.
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
        Markers whose values all equal the values of an earlier marker, with the name of that marker. They are
        evaluated.
    adjust : {"bh", "by", "holm"}
    confidence_level : float
    test_methods : mapping of str to tuple of str
        How the p values of each metric were found.
    n_resamples : int
    seed : int or None
        Of what was drawn; None if a generator was given.
    """

    def __repr__(self) -> str:
        """Return the size."""
        return f"<Screen of {len(self):,} markers by {rows.listed(list(map(str, self.metrics)))}>"

    def simultaneous(
        self, metric: str | Metric | None = None, *, n_resamples: int = DRAWS, rng: Any = None
    ) -> tuple[Array, Array]:
        """Return the ends of intervals that hold for all markers together, (m,) each; nan of markers without one.

        The largest deviation of any marker, in standard errors, is drawn by the multiplier bootstrap; the interval of
        each marker has as rare a tail of t, with half a subject more. It is made on a scale on which the standard error
        is about the same whatever the true value: that of binormal models of as many positives and negatives. No
        standard error is taken to be smaller than that of a random marker with the same ties, and no interval is
        shorter than that of the marker alone. A metric of which such a model says nothing has the logit scale.

        Parameters
        ----------
        metric : str or Metric, optional
            The first unless given.
        n_resamples : int
        rng : None, int or numpy.random.Generator
            None derives a seed from the values.

        Raises
        ------
        ParameterError
            If the metric has no influence values.
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
        Kitagawa and McCloskey 2024). Both are on the scale of :meth:`simultaneous`. Where the data chose the direction,
        the other direction counts as one more marker: the choice was among both.

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

        Raises
        ------
        ParameterError
            If the metric has no influence values, or lower is better.

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
        ('7', 0.829, 0.827)
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
                float(np.fmin(low[marker], alone.low[i])),  # the same interval, rounded otherwise
                float(np.fmax(high[marker], alone.high[i])),
                math.nan if np.isnan(low[marker]) else float(found.inside[i]),
                float(self.pvalue[place, marker]),
                float(self.adjusted[place, marker]),
            )
            for i, marker in enumerate(chosen.tolist())
        )
        shared = top.in_common(found, int(chosen[0]))
        return TopMarkers(
            self.metrics[place],
            markers,
            len(self),
            self.confidence_level,
            method,
            found.largest.size,
            seed,
            shared,
            math.sqrt(max(shared, 0.0)) * float(self.standard_error[place, chosen[0]]),
            tuple(dict.fromkeys([*filter(None, alone.reason.tolist()), *self._few_decide(place)])),
        )

    def _together(self, metric: int, k: int, draws: int, rng: Any) -> tuple[Together, int | None]:
        draws = _checks.resamples(draws, least=100, numbers=self._markers.subjects.n)
        rng, seed = seeded(rng, lambda: seed_of_values(np.sort(self.value[metric])))
        self._check_influence(metric)
        key = (metric, k, draws, seed)
        if seed is None or key not in self._drawn:
            found = together(self.metrics[metric], self._markers, self.order(self.metrics[metric])[:k], draws, rng)
            if seed is None:
                return found, seed
            self._drawn[key] = found
        return self._drawn[key], seed

    def _check_influence(self, metric: int) -> None:
        """Refuse a metric without influence values, from which all markers are drawn together."""
        own = self._markers.lists(self.columns.taken(self.places[:1]))
        if own.influence(self.metrics[metric]) is None:
            raise ParameterError(
                f"{self.metrics[metric]} has no influence values, from which all markers are drawn together: use a "
                "metric such as ap or auc, or interval() for each marker alone"
            )

    @property
    def _markers(self) -> Markers:
        return Markers(self.columns, self.places, self.names, self.subjects, self._directions, self.chosen)

    def rank_changes(
        self,
        metric: str | Metric | None = None,
        *,
        negatives: float | Sequence[float] = (1, 10, 100),
        prevalences: float | Sequence[float] | None = None,
    ) -> RankChanges:
        """Return the order of the markers where negatives are more frequent than here.

        AP, precision and all that depends on prevalence order markers differently where positives are rare; AUC and
        all that depends on the ROC curve alone do not.

        Parameters
        ----------
        metric : str or Metric, optional
            The first unless given.
        negatives : float or sequence of float
            How many times as many negatives there are.
        prevalences : float in (0, 1) or sequence of these, optional
            Prevalences instead.

        Returns
        -------
        RankChanges

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import screen
        >>> y = np.repeat([1, 0], [50, 50])
        >>> few_high, all_higher = np.arange(100) < 20, 0.9 * y + np.random.default_rng(1).normal(size=100)
        >>> found = screen(np.stack([few_high, all_higher], axis=1), y, names=["few high", "all higher"])
        >>> found.rank_changes("ap").rank.T.tolist(), found.rank_changes("auc").rank.T.tolist()
        ([[2, 2, 1], [1, 1, 2]], [[2, 2, 2], [1, 1, 1]])
        """
        return rank_changes(self.metrics[self.metric_place(metric)], self._markers, negatives, prevalences)

    @cached_property
    def _drawn(self) -> dict[tuple[int, int, int, int | None], Together]:
        return {}
