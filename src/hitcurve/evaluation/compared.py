"""The rankers of an evaluation against each other: tests of pairs, the best of all, the power of a larger study."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve._progress import Progress, counted, reports
from hitcurve.errors import HitcurveError, ParameterError
from hitcurve.evaluation.printed import PrintedNumbers
from hitcurve.inference import (
    INTERVALS,
    METHODS,
    Comparison,
    Comparisons,
    PairedRankers,
    PowerAnalysis,
    Winner,
    analyse_power,
    compare_counts,
    compare_samples,
    compared_pairs,
    holm,
    max_t,
    variances_of,
    variances_of_counts,
    winner_of,
)
from hitcurve.inference.comparing.looks import LOOKED, Looks
from hitcurve.inference.comparing.pairs import ordered
from hitcurve.inference.estimation.sliced import sliced_spread
from hitcurve.inference.pvalues import ALTERNATIVES
from hitcurve.inference.resampling.resample import generator
from hitcurve.inference.variance.spread import Spread
from hitcurve.label_errors import refuse_corrected
from hitcurve.metrics import Metric

_BY_DEFAULT = (0.0, "two-sided", "auto", None, None, "normal", None, None)
_KNOWN = "correlation is for tables of counts of the same subjects: leave it out, because {}"


def _is_default(asked: Sequence[Any]) -> bool:
    """Say whether nothing else was asked for; an array has no truth value."""
    return all(isinstance(x, (int, float, str, type(None))) and x == y for x, y in zip(asked, _BY_DEFAULT, strict=True))


@dataclass(frozen=True, eq=False)
class ComparedNumbers(PrintedNumbers):
    """How the rankers of an evaluation are compared."""

    @property
    def _compares(self) -> bool:
        """Whether rankers are compared subject by subject."""
        held = (self.source, self._kept_joint, self._joint_of_many)
        return self.paired and len(self.tables) > 1 and any(one is not None for one in held)

    def compare(
        self,
        first: str,
        second: str,
        metric: str | Metric,
        *,
        null: float = 0.0,
        alternative: str = "two-sided",
        method: str = "auto",
        n_resamples: int | None = None,
        rng: Any = None,
        interval: str = "normal",
        horizon: int | None = None,
        correlation: float | None = None,
    ) -> Comparison:
        """Test the difference of two rankers, first minus second.

        Rankers of the same subjects are compared subject by subject. With ``paired=False`` in the evaluation they are
        two samples: the variance of the difference is the sum of the two, and t has Welch's degrees of freedom. Tables
        of counts contain no subjects: they are compared as two samples by the normal test of
        :func:`hitcurve.compare_from_stats`, which a caveat states unless ``correlation`` is given.

        Parameters
        ----------
        first, second : str
        metric : str or Metric
            One that was evaluated.
        null : float
            Difference under the null hypothesis.
        alternative : {"two-sided", "less", "greater"}
            ``greater``: the first is better.
        method : {"auto", "delta", "log-delta", "inversion", "delong", "bootstrap", "swap-permutation", \
"paired-permutation", "paired-t", "paired-wilcoxon", "unpaired-permutation", "unpaired-t", "unpaired-wilcoxon", \
"paired-rank-permutation", "unpaired-rank-permutation", "anytime", "obrien-fleming"}
            ``auto`` is the delta-method test with class factors and Welch-Satterthwaite degrees of freedom, or the swap
            of normalised ranks where it failed in simulations: fewer than 20 positives, fewer than 10 decisive
            negatives (30 of those that a set prevalence decides), fewer than 10 negatives above or positives below a
            cutoff that is chosen, or fewer than 10 hits found by one ranker alone. For AUC it is ``delong`` from 30
            subjects of each class on. Swaps for a metric with a cutoff break ties between equal differences by the mean
            over nearby cutoffs; if both rankers have the same value, p is 1. Where the intervals of both rankers are by
            inversion (``ndcg``, ``dcg``, a ``logauc`` from below the first negative), that of the difference is the
            square-and-add of theirs (Newcombe 1998, method 10) and the test swaps; without subjects or with another
            null difference the p value is 1 minus the level at which that interval ends at it (``inversion``). At a
            recall (``fpr@tpr``, ``precision@recall``) the test is on the log of the FPR there (``log-delta``), or swaps
            where fewer than 10 positives are below a recall beyond 80% and ``delta`` raises; intervals at a recall or
            an FPR are the square-and-add of both profiles. Rankers of equally many levels that hold about as many
            subjects swap levels. ``paired-...`` and ``unpaired-...`` treat the negatives as fixed (Swamidass et al.
            2010) and are valid only if positives are few. The permutation tests of that paper permute the ranks of the
            positives (``paired-rank-permutation``, ``unpaired-rank-permutation``) and recompute the metric;
            ``paired-permutation`` and ``unpaired-permutation`` permute the rank weights of the positives (Fisher and
            Pitman), which do not change with the ranks of other positives. With clusters, ``delta`` sums influence
            values by cluster and ``bootstrap`` draws whole clusters; the other methods cannot
            be combined with clusters. Two samples allow ``delta``, and ``delong`` for AUC. ``anytime`` and
            ``obrien-fleming`` are for subjects whose labels arrive over time in random order: p value and interval are
            valid at all looks together, two-sided, from 10 positives on (see :class:`hitcurve.SequentialComparison`).
        n_resamples : int, optional
            Random arrangements or replicates: 999 swaps, 2000 bootstrap replicates, 9999 arrangements of positives.
        rng : None, int or numpy.random.Generator
            None derives a seed from the counts of both rankers, so that two calls return the same p value; ``seed`` of
            the result records it. For ``inversion`` None takes the seeds of the intervals of both.
        interval : {"normal", "percentile", "bca"}
            Interval of the difference: by its standard error, or from the replicates of ``method="bootstrap"``, their
            percentiles or those corrected for bias and acceleration. The p value comes from the test.
        horizon : int, optional
            For ``anytime`` and ``obrien-fleming``: the number of labels expected in all, or at the end. It is chosen
            before the first look, and the same at all looks.
        correlation : float in [-1, 1], optional
            Of the two values over samples, for tables of counts of the same subjects, if it is known.

        Returns
        -------
        Comparison

        Raises
        ------
        ParameterError
            If an argument is none of these, a method does not suit the metric or the samples.
        InsufficientDataError
            If there are too few subjects for the test.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat([1, 0], [50, 450])
        >>> s = {"a": rng.normal(size=500) + 1.5 * y, "b": rng.normal(size=500) + y}
        >>> test = evaluate(y, s, metrics="auc").compare("a", "b", "auc")
        >>> test.method, round(test.difference.value, 3), round(test.pvalue, 3)
        ('delong', 0.071, 0.066)
        """
        wanted = self[first, metric].metric
        first, second = self[first, wanted].ranker, self[second, wanted].ranker
        _checks.choice("method", method, METHODS)
        _checks.choice("interval", interval, INTERVALS)
        asked = (null, alternative, method, n_resamples, rng, interval, horizon, correlation)
        if (first, second, wanted) in self._compared and _is_default(asked):
            return self._compared[first, second, wanted]
        if first == second:
            raise ParameterError(f"a comparison needs two rankers, got {first!r} twice")
        if horizon is not None and method not in LOOKED:
            raise ParameterError(f"horizon is for method='anytime' or 'obrien-fleming', got method={method!r}")
        if not self._compares:
            if interval != "normal":
                raise ParameterError(
                    f"interval={interval!r} needs bootstrap replicates, which a comparison of two samples does not draw"
                )
            samples = (self[first, wanted], self[second, wanted])
            if not self.paired and correlation is None:
                return compare_samples(*samples, null=null, alternative=alternative, method=method)
            if self.paired:
                options: dict[str, Any] = {"null": null, "alternative": alternative, "method": method}
                return compare_counts(*samples, correlation=correlation, **options)
        if correlation is not None:
            why = "their subjects are known" if self.paired else "they ranked different subjects (paired=False)"
            raise ParameterError(_KNOWN.format(why))
        return self._pairs.compare(
            first,
            second,
            wanted,
            null=null,
            alternative=alternative,
            method=method,
            n_resamples=n_resamples,
            rng=rng,
            interval=interval,
            looks=None if horizon is None else Looks(method, horizon),
        )

    def compare_ahead(self, baseline: str | None = None) -> None:
        """Compare pairs of rankers by all metrics and keep the tests: subjects of a pair are swapped once for all."""
        best_first = {m: ordered(self._values_of(m), lowest_first=m.lower_is_better) for m in self.metrics}
        pairs = [pair for pair in combinations(self.rankers, 2) if baseline is None or baseline in pair]
        for pair in counted(pairs if self._compares else [], "comparisons"):
            for m in self.metrics:
                first, second = sorted(pair, key=[*best_first[m]].index)
                if first == baseline:
                    first, second = second, first
                with suppress(HitcurveError):  # whoever asks for the test is told why there is none
                    self._compared[first, second, m] = self.compare(first, second, m)

    def _values_of(self, metric: str | Metric) -> dict[str, float]:
        return {name: e.value for name, e in self.metric(metric).items()}

    @cached_property
    def _compared(self) -> dict[tuple[str, str, Metric], Comparison]:
        """Tests of :meth:`compare_ahead`."""
        return {}

    @cached_property
    def _pairs(self) -> PairedRankers:
        known = (self.source, self.design, self.confidence_level)
        return PairedRankers(self.tables, self._joint, *known, self._in_bins, self._exact)

    @cached_property
    def _exact(self) -> dict[tuple[str, Metric], Spread]:
        """What is known of rankers that were read in slices."""
        read = ((*key, self._values[key], numbers) for key, numbers in self._sliced.items())
        return {(name, m): sliced_spread(m, x, self.tables[name], self.design, own) for name, m, x, own in read}

    def _refuse_unpaired(self, what: str) -> None:
        if not self.paired:
            raise ParameterError(
                f"{what} needs rankers of the same subjects, and these rankers ranked different ones (paired=False)"
            )

    @reports
    def compare_all(
        self,
        metric: str | Metric,
        *,
        baseline: str | None = None,
        adjust: str = "holm",
        alternative: str = "two-sided",
        method: str = "auto",
        n_resamples: int | None = None,
        rng: Any = None,
        interval: str = "normal",
        correlation: float | None = None,
        progress: Progress = False,
    ) -> Comparisons:
        """Compare all rankers with a baseline, or with each other, and adjust for the number of comparisons.

        Parameters
        ----------
        metric : str or Metric
        baseline : str, optional
            The ranker that all others are compared with, the second of each pair; all pairs if absent.
        adjust : {"holm", "max-t"}
            ``holm`` is valid under any dependence. ``max-t`` uses the covariance of the differences and gives
            simultaneous intervals that agree with its p values; it needs delta comparisons on the same subjects. In
            simulations of ten rankers it rejected less often than Holm with 20 to 50 positives.
        alternative, method, n_resamples, rng, interval, correlation
            As in :meth:`compare`.
        progress : bool or callable
            Show the steps, or call a function with each; see :func:`hitcurve.progress`.

        Returns
        -------
        Comparisons
            With ``adjusted`` p values (and ``simultaneous`` intervals), best first. In each of all pairs the ranker of
            the higher value (of a rate of errors: the lower) is first, unless ``alternative`` names a side: then the
            order of the rankers is kept.
        """
        if len(self.tables) < 2:
            raise ParameterError("a comparison needs two rankers")
        _checks.choice("adjust", adjust, ("holm", "max-t"))
        _checks.choice("alternative", alternative, ALTERNATIVES)
        if adjust == "max-t":
            self._refuse_unpaired("adjust='max-t'")
            if not self._compares:
                raise ParameterError(
                    "adjust='max-t' needs the subjects of the rankers, and counts hold none: use 'holm'"
                )
            method = "delta" if method == "auto" else method
        baseline = None if baseline is None else self[baseline, metric].ranker
        generator(rng)  # refuses what is none
        options: dict[str, Any] = {"alternative": alternative, "method": method, "n_resamples": n_resamples}
        options |= {"rng": rng, "interval": interval, "correlation": correlation}
        found = compared_pairs(
            self._values_of(metric),
            baseline,
            lambda a, b: self.compare(a, b, metric, **options),
            turned=alternative == "two-sided",
            lowest_first=self[next(iter(self.tables)), metric].metric.lower_is_better,
        )
        if len(found) > 1:
            found = holm(found) if adjust == "holm" else max_t(found, self._joint, rng=rng)
        return Comparisons(tuple(found), baseline)

    @reports
    def winner(
        self,
        metric: str | Metric,
        *,
        method: str = "hybrid",
        confidence_level: float | None = None,
        rng: Any = None,
        progress: Progress = False,
    ) -> Winner:
        """Return the best of all rankers by a metric, with value and interval corrected for the selection.

        The highest of many values is too high on average. Given which ranker is best, its value has a normal
        distribution truncated to values with which it is best (on the logit scale of bounded metrics, after adding half
        a subject of each class; values that move in steps, as those at a cutoff by hits, may be half a step lower). An
        interval ends at the value or above: given a second close behind, all of it would lie far below.

        Parameters
        ----------
        metric : str or Metric
        method : {"hybrid", "conditional", "simultaneous"}
            ``conditional`` has its level given which ranker is best, and is very wide if the second is close;
            ``simultaneous`` is valid for all rankers at once; ``hybrid`` is the conditional interval within a
            simultaneous one with a tenth of the error (Andrews, Kitagawa and McCloskey 2024).
        confidence_level : float in (0, 1), optional
            The level of the evaluation if absent.
        rng : None, int or numpy.random.Generator
            None derives a seed from the values.
        progress : bool or callable
            Show the steps, or call a function with each; see :func:`hitcurve.progress`.

        Returns
        -------
        Winner
            Also with the probability of each ranker to be the best, and all rankers not excluded as the best.

        Raises
        ------
        ParameterError
            If there is one ranker only, or an argument is none of these.
        InsufficientDataError, UndefinedMetricError
            If a ranker has no interval by this metric, or fewer than 3 positives or negatives above its cut.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat([1, 0], [40, 360])
        >>> ev = evaluate(y, {name: rng.normal(size=400) + y for name in "abcdefgh"}, metrics="auc")
        >>> best = ev.winner("auc")
        >>> best.ranker, round(best.value, 3), round(best.corrected, 3)
        ('c', 0.807, 0.787)
        """
        wanted = next(iter(self.metric(metric).values())).metric
        level = self.confidence_level if confidence_level is None else confidence_level
        joint = self._joint if self.paired else None
        given = (self.tables, wanted, joint, self.design)
        return winner_of(*given, confidence_level=level, method=method, rng=rng, exact=self._exact)

    def power_analysis(
        self,
        metric: str | Metric,
        effect: float,
        *,
        rankers: tuple[str, str] | None = None,
        power: float | None = None,
        n_pos: int | None = None,
        n_neg: int | None = None,
        significance: float = 0.05,
        correlation: float | None = None,
    ) -> PowerAnalysis:
        """Analyse the power of a comparison of two rankers from this pilot; see :func:`hitcurve.power_analysis`."""
        self._refuse_unpaired("a power analysis")
        refuse_corrected(next(iter(self.tables.values())).label_errors, "a power analysis")
        if len(self.tables) < 2:
            raise ParameterError("a pilot needs two rankers")
        pair = _checks.pair(rankers, self.tables)
        wanted = self[pair[0], metric].metric
        first, second = (self[name, wanted].ranker for name in pair)
        drawn: Any = "counts hold no subjects to draw"
        if self._compares:
            if correlation is not None:
                raise ParameterError(_KNOWN.format("their subjects are known"))
            found = variances_of(wanted, self._joint, first, second)
            drawn = self._pairs.drawn_variances(first, second, wanted)
        else:
            if n_neg is not None:
                raise ParameterError("a pilot of counts keeps the ratio of the classes: leave n_neg (--n-neg) out")
            found = variances_of_counts(self[first, wanted], self[second, wanted], correlation)
        sizes = {"n_pos": n_pos, "n_neg": n_neg}
        return analyse_power(
            wanted, (first, second), found, effect, power=power, significance=significance, drawn=drawn, **sizes
        )
