"""Comparisons of two rankers of the same subjects."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.comparing.comparison import Comparison
from hitcurve.inference.comparing.formula import difference_of, t_test
from hitcurve.inference.comparing.in_bins import of_bins
from hitcurve.inference.comparing.looks import ADVISED, LOOKED, Looks
from hitcurve.inference.comparing.of_rates import has_log_test, log_test, refuse_few_beyond, with_profiles
from hitcurve.inference.comparing.paired_bootstrap import acceleration, paired_bootstrap
from hitcurve.inference.comparing.pilot import REPLICATES, variances
from hitcurve.inference.comparing.which_test import FEW_POSITIVES, delta_instead, is_delong, neither_test, why_not_delta
from hitcurve.inference.estimation.cautions_of_several import (
    of_a_hook,
    of_few_above,
    of_positives,
    of_several,
    of_the_formula,
    of_two_methods,
)
from hitcurve.inference.estimation.difference import INTERVALS, Difference
from hitcurve.inference.estimation.sliced import needs_all_rows
from hitcurve.inference.intervals.inversion import TABLES, Inverted, SquareAndAdd, inverted
from hitcurve.inference.pvalues import ALTERNATIVES, Alternative, Outcome, t_p
from hitcurve.inference.resampling.permute import SIX, Subjects, on_positives, weights_of_positives
from hitcurve.inference.resampling.rank_permutation import OF_RANKS, on_ranks
from hitcurve.inference.resampling.resample import seed_of, seeded
from hitcurve.inference.resampling.swaps import Swaps
from hitcurve.inference.rounding import deviation, subtracted
from hitcurve.inference.variance.corrected import of_corrected_test
from hitcurve.inference.variance.joint import Joint
from hitcurve.inference.variance.lacking import FEWEST, never_sampled
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.refusals import raise_first
from hitcurve.sources import Source, engine_of
from hitcurve.table import HitTable

_FORMULAS = ("delta", "log-delta", "inversion", "delong")
METHODS = ("auto", *_FORMULAS, "bootstrap", "swap-permutation", *SIX, *OF_RANKS, *LOOKED)
_MOST_SWAPS = 2_000_000_000  # subjects times arrangements
RESAMPLES = {"bootstrap": 2000, "swap-permutation": 999}


@dataclass(frozen=True)
class PairedRankers:
    """What a comparison of rankers of the same subjects needs.

    Attributes
    ----------
    tables : mapping of str to HitTable
    joint : Joint
        Cross-products of influence values.
    source : Source or None
        The subjects, for methods that rearrange or draw them.
    design : str
    confidence_level : float
    binned : set of str
        Rankers whose tables are of bins.
    exact : mapping of (str, Metric) to Spread
        Of those of them that were read in slices.
    censored : bool
        Whether weights are those of a censoring that was estimated.
    """

    tables: Mapping[str, HitTable]
    joint: Joint
    source: Source | None
    design: str
    confidence_level: float
    binned: frozenset[str] = frozenset()
    exact: Mapping[tuple[str, Metric], Spread] = field(default_factory=dict, repr=False)
    censored: bool = False
    _subjects: dict[tuple[str, ...], Subjects] = field(default_factory=dict, repr=False)
    _inverted: dict[tuple[str, Metric], Inverted] = field(default_factory=dict, repr=False)
    _swapped: list[Swaps] = field(default_factory=list, repr=False)  # of the last pair

    def compare(
        self,
        first: str,
        second: str,
        metric: Metric,
        *,
        null: float,
        alternative: str,
        method: str,
        n_resamples: int | None,
        rng: Any,
        interval: str = "normal",
        looks: Looks | None = None,
    ) -> Comparison:
        """Compare two rankers by one metric; see :meth:`hitcurve.Evaluation.compare`."""
        _checks.choice("alternative", alternative, ALTERNATIVES)
        _checks.choice("method", method, METHODS)
        _checks.choice("interval", interval, INTERVALS)
        if interval != "normal" and method != "bootstrap":
            raise ParameterError(f"interval={interval!r} needs bootstrap replicates: use method='bootstrap'")
        if method in LOOKED and looks is None:
            raise ParameterError(f"method={method!r} needs horizon=, the number of labels expected in all")
        null = _checks.moderate_number("null", null)
        if n_resamples is not None:
            n_resamples = _checks.resamples(n_resamples)
        names = (first, second)
        spreads = [self.exact.get((name, metric)) or Spread(metric, self.tables[name], self.design) for name in names]
        alike = [self.joint.alike(name, metric) for name in names]
        cautions = of_several(spreads, self.joint.heaviest_cluster, alike, censored=self.censored)
        values = (float(spreads[0].value), float(spreads[1].value))
        difference = difference_of(self.joint, names, metric, values, self.confidence_level)
        binned = {name: self.tables[name] for name in names if name in self.binned}
        cautions += of_bins(metric, binned, self._sliced & {*names}, difference, self.design, self.joint.clustered)
        fewest = FEW_POSITIVES if looks is None else looks.start
        reason, chosen = why_not_delta(spreads, self.joint, (first, second), fewest, self._clusters), method
        if difference.standard_error == 0 and difference.value != null:
            reason = "nothing varies by subject"
        if method == "auto":
            for spread in spreads:
                raise_first(never_sampled(spread))
            chosen = self._resolve(reason, names, n_resamples, null, difference.standard_error)
            if chosen == "delta" and is_delong(metric, self.joint.n_pos, self.joint.n_neg):
                chosen = "delta" if self._special(self.tables[first]) else "delong"
            if chosen == "delta" and null == 0 and has_log_test(spreads[0], self.joint):
                chosen = "log-delta"
            if chosen == "delta" and self._inverts(spreads, difference):
                swaps = self._may_swap(names, n_resamples, null)
                chosen = "swap-permutation" if swaps else "inversion"
        refuse_few_beyond(spreads[0], chosen)
        cautions += [
            *of_corrected_test(self.tables[first].label_errors, chosen),
            *of_a_hook(spreads, chosen),
            *of_few_above(spreads, chosen),
        ]
        draws = n_resamples if n_resamples is not None else RESAMPLES.get(chosen, 9999)
        drawn_with, seed = seeded(rng, lambda: seed_of(self.tables[first], self.tables[second]))
        tested: Outcome
        if chosen == "log-delta":
            tested = log_test(spreads, self.joint, (first, second), null, alternative)
        elif chosen in ("delta", "delong"):
            tested, difference = self._by_formula(first, second, metric, difference, null, alternative, chosen)
        elif looks is not None:
            tested, difference = self._at_a_look(looks, difference, reason, null, alternative)
            cautions += self._about_the_start()
        elif chosen == "inversion":
            tested, difference = self._by_inversion(spreads, (first, second), difference, null, alternative, rng)
            seed = None if rng is None or tested.resamples is None else seed
        elif chosen == "bootstrap":
            tested, difference = self._by_bootstrap(
                first, second, metric, values, difference, null, alternative, draws, drawn_with
            )
            difference = replace(difference, interval_method=interval)
            difference.confidence_interval()  # refuses what this metric does not have
        else:
            tested = self._by_rearrangement(first, second, metric, chosen, null, alternative, draws, drawn_with)
            cautions += of_positives(chosen, self.joint.n_pos, self.joint.n_neg)
            if chosen == "swap-permutation" and self._inverts(spreads, difference):
                difference = self._by_inversion(spreads, (first, second), difference, null, alternative, rng)[1]
                cautions += of_two_methods(tested.pvalue, difference, alternative)
        if chosen in ("delta", "log-delta", "swap-permutation") and looks is None:
            difference = with_profiles(difference, spreads, self.joint, (first, second))
            if difference.interval_method in ("profile", "normal" if chosen == "swap-permutation" else ""):
                cautions += of_two_methods(tested.pvalue, difference, alternative)
        if looks is None:
            cautions += of_the_formula(reason, chosen, method, difference)
        return Comparison(
            metric,
            first,
            second,
            values,
            difference,
            tested.statistic,
            tested.pvalue,
            alternative,
            null,
            chosen,
            paired=not chosen.startswith("unpaired"),
            degrees_of_freedom=tested.degrees,
            n_resamples=tested.resamples,
            seed=None if tested.resamples is None else seed,
            cautions=tuple(cautions),
            design=self.design,
            n_pos=self.joint.n_pos,
            n_neg=self.joint.n_neg,
            clustered=self.joint.clustered,
        )

    # ---- which test

    def _resolve(self, why: str | None, names: tuple[str, str], draws: int | None, null: float, error: float) -> str:
        if why is None:
            return "delta"
        if self._may_swap(names, draws, null):
            return "swap-permutation"
        if min(self.joint.n_pos, self.joint.n_neg, self._clusters) < FEWEST:
            raise InsufficientDataError(neither_test(why, error, self._may_rearrange(names, null)))
        return "delta"

    def _may_swap(self, names: tuple[str, str], n_resamples: int | None, null: float) -> bool:
        table = self.tables[names[0]]
        draws = RESAMPLES["swap-permutation"] if n_resamples is None else n_resamples
        return table.n * draws <= _MOST_SWAPS and self._may_rearrange(names, null)

    def _may_rearrange(self, names: tuple[str, str], null: float) -> bool:
        at_hand = self.source is not None and engine_of(self.source) is None and not self._sliced & {*names}
        return null == 0 and at_hand and not self._not_exchangeable(self.tables[names[0]], "swap-permutation")

    def _inverts(self, spreads: Sequence[Spread], difference: Difference) -> bool:
        """Say whether the interval of the difference is made of two by inversion."""
        of_both = all(spread.default_method == "inversion" for spread in spreads)
        return of_both and not self.joint.clustered and difference.standard_error > 0

    @property
    def _sliced(self) -> set[str]:
        """Rankers of exact values whose tables are of bins."""
        return {name for name, _ in self.exact}

    @property
    def _clusters(self) -> float:
        """Clusters that hold a positive."""
        return self.joint.cluster_degrees + 1 if self.joint.clustered else math.inf

    @property
    def _unit(self) -> str:
        one = "weighted subject" if self._not_exchangeable(next(iter(self.tables.values()))) else "subject"
        return "cluster" if self.joint.clustered else one

    def _not_exchangeable(self, table: HitTable, method: str = "") -> str:
        """Return what keeps subjects from being exchanged one by one; empty if nothing does."""
        what = "" if table.assumed_prevalence is None or method == "swap-permutation" else "a set prevalence"
        return "clusters" if self.joint.clustered else "weights" if table.weighted else what

    def _special(self, table: HitTable) -> bool:
        """Say whether a table is of other than whole subjects with right labels, for which DeLong's test is."""
        return bool(self._not_exchangeable(table)) or table.label_errors is not None

    def _about_the_start(self) -> list[str]:
        n1 = self.joint.n_pos
        return [f"only {n1:.3g} positives: {ADVISED} are advised before the first look"] if n1 < ADVISED else []

    # ---- by formula

    def _by_formula(
        self,
        first: str,
        second: str,
        metric: Metric,
        difference: Difference,
        null: float,
        alternative: str,
        method: str,
    ) -> tuple[Outcome, Difference]:
        try:
            self.joint.contrast(first, second, metric)
        except UndefinedMetricError as error:
            raise UndefinedMetricError(f"{error}: compare with method='bootstrap' or 'swap-permutation'") from None
        if method == "delong":
            if not metric.is_mann_whitney:
                raise ParameterError(f"method='delong' is for auc, not for {metric}: use 'delta'")
            if self.joint.clustered:
                raise ParameterError("method='delong' cannot be combined with clusters: use 'delta'")
            difference = replace(difference, degrees_of_freedom=math.inf)
        if math.isnan(difference.standard_error):
            raise InsufficientDataError("a standard error needs at least 2 subjects of each class")
        return t_test(difference, null, alternative, self._unit), difference

    def _at_a_look(
        self, looks: Looks, difference: Difference, reason: str | None, null: float, alternative: str
    ) -> tuple[Outcome, Difference]:
        n1, n0 = self.joint.n_pos, self.joint.n_neg
        if alternative != "two-sided":
            raise ParameterError(f"method={looks.method!r} is two-sided, got alternative={alternative!r}")
        if what := self._not_exchangeable(next(iter(self.tables.values()))):
            raise ParameterError(
                f"method={looks.method!r} has not been validated with {what}: make one comparison with 'delta'"
            )
        looks.check(n1, n0, reason)
        difference = looks.of(difference, n1 + n0)
        return looks.test(difference, null), difference

    def _by_inversion(
        self,
        spreads: Sequence[Spread],
        names: tuple[str, str],
        difference: Difference,
        null: float,
        alternative: str,
        rng: Any,
    ) -> tuple[Outcome, Difference]:
        if self.joint.clustered:
            raise ParameterError("method='inversion' cannot be combined with clusters: use 'delta'")
        metric = spreads[0].metric
        try:
            correlation = float(self.joint.correlations(names, metric)[0, 1])
        except UndefinedMetricError as error:
            raise UndefinedMetricError(f"{error}: compare with method='bootstrap' or 'swap-permutation'") from None
        sides = []
        for name, spread in zip(names, spreads, strict=True):
            found = self._inverted.get((name, metric)) if rng is None else None
            if found is None:
                found = inverted(spread, rng)
                if rng is None:
                    self._inverted[name, metric] = found
            sides.append(found)
        both = SquareAndAdd(sides[0], sides[1], correlation)
        t, degrees = both.statistic(null), both.first.degrees
        drawn = TABLES if any(side.tables for side in sides) else None
        tested = Outcome(t, t_p(t, degrees, alternative), degrees, drawn)
        return tested, replace(difference, sides=both, interval_method="inversion")

    # ---- by drawing

    def _in_memory(self, first: str, second: str, method: str) -> Subjects:
        if self.source is None:
            raise ParameterError(
                f"method={method!r} needs the subjects, which this evaluation does not hold: evaluate labels and "
                "scores, and do not drop the data"
            )
        if binned := sorted(self._sliced & {first, second}):
            raise ParameterError(needs_all_rows(f"method={method!r}", rows.listed(binned)))
        table = self.tables[first]
        by_cluster = method == "bootstrap" and not table.weighted and table.assumed_prevalence is None
        if (what := self._not_exchangeable(table, method)) and not by_cluster:
            raise ParameterError(f"method={method!r} cannot be combined with {what}{delta_instead(self.joint)}")
        key = tuple(sorted({first, second}))
        if key not in self._subjects:
            self._subjects.clear()
            self._swapped.clear()
            self._subjects[key] = Subjects.of(self.source, key)
        return self._subjects[key]

    def drawn_variances(self, first: str, second: str, metric: Metric) -> Callable[[], tuple[Array, int | None]] | str:
        """Return what draws the variance of a difference, with its seed; or why nothing can."""
        if special := self._not_exchangeable(self.tables[first]):
            return f"no bootstrap of its variance has been validated with {special}"
        if self._sliced & {first, second}:
            return "its scores were read in slices from the disk"
        if self.source is None or (engine := engine_of(self.source)):
            return "its subjects were dropped" if self.source is None else f"its subjects stay in {engine}"

        def draw() -> tuple[Array, int]:
            seed = seed_of(self.tables[first], self.tables[second])
            subjects = self._in_memory(first, second, "bootstrap")
            return variances(metric, subjects, (first, second), self.design, REPLICATES, seed), seed

        return draw

    def _by_bootstrap(
        self,
        first: str,
        second: str,
        metric: Metric,
        values: tuple[float, float],
        difference: Difference,
        null: float,
        alternative: str,
        draws: int,
        rng: Any,
    ) -> tuple[Outcome, Difference]:
        subjects = self._in_memory(first, second, "bootstrap")
        if min(self.joint.n_pos, self.joint.n_neg, self._clusters) < 2:
            raise InsufficientDataError(
                "a bootstrap needs at least 2 subjects of each class, and of clusters 2 that contain a positive"
            )
        drawn = paired_bootstrap(metric, subjects, first, second, self.design, _checks.resamples(draws, least=2), rng)
        scale = float(np.nanmax(np.abs([*values, metric.best(self.tables[first])])))
        error = float(deviation(drawn[~np.isnan(drawn)], scale))
        drawn.flags.writeable = False
        speed = acceleration(metric, subjects, first, second, self.design)
        difference = replace(
            difference, standard_error=error, degrees_of_freedom=math.inf, replicates=drawn, acceleration=speed
        )
        return t_test(difference, null, alternative, self._unit)._replace(resamples=draws), difference

    def _by_rearrangement(
        self, first: str, second: str, metric: Metric, method: str, null: float, alternative: str, draws: int, rng: Any
    ) -> Outcome:
        if null != 0:
            raise ParameterError(f"method={method!r} tests a difference of 0 only, got null={null:g}: use 'delta'")
        subjects = self._in_memory(first, second, method)
        if method == "swap-permutation":
            at = self.tables[first].assumed_prevalence
            self._swapped[:] = self._swapped or [Swaps.of(subjects, first, second, at)]
            return self._swapped[0].from_(first).test(metric, alternative, draws, rng)
        if method in OF_RANKS:
            value = subtracted(*(float(metric.value(self.tables[name])) for name in (first, second)))
            return on_ranks(metric, subjects, (first, second), value, method, alternative, draws, rng)
        v, w = (weights_of_positives(metric, self.tables[name], subjects, name) for name in (first, second))
        return on_positives(v, w, method, cast("Alternative", alternative), draws, rng)
