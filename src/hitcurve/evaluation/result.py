"""What an evaluation is: every number of every ranker, and how to look at them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any

from hitcurve import _checks, rows
from hitcurve.errors import (
    ColumnNotFoundError,
    HitcurveWarning,
    InsufficientDataError,
    ParameterError,
    UndefinedMetricError,
)
from hitcurve.evaluation.methods import methods_text
from hitcurve.evaluation.sensitivity import ALONG, Sensitivity, checked_grid, default_grid, sensitivity_of
from hitcurve.inference import (
    Band,
    BandOptions,
    Comparison,
    Estimate,
    Joint,
    PairedRankers,
    PowerAnalysis,
    analyse_power,
    band_of_table,
    compare_samples,
    cross_products,
    difference_of,
    holm,
    max_t,
)
from hitcurve.inference.permute import Subjects
from hitcurve.inference.resample import generator
from hitcurve.inference.spread import Clustered
from hitcurve.metrics import Metric, metric
from hitcurve.sources import Source, Tally, to_frame
from hitcurve.table import HitTable

SCHEMA = 1  # of to_dict and of the columns of to_frame
COLUMNS = (
    "ranker",
    "metric",
    "value",
    "standard_error",
    "low",
    "high",
    "level",
    "method",
    "design",
    "n",
    "n_pos",
    "tied",
    "random",
    "best",
    "convention",
)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Metrics of one or several rankers.

    ``evaluation["a", "ap"]`` is one :class:`~hitcurve.Estimate`.

    Attributes
    ----------
    tables : mapping of str to HitTable
        The hit table of each ranker.
    metrics : tuple of Metric
    warnings : tuple of HitcurveWarning
        What was said while evaluating, each reason once.
    tally : Tally or None
        Rows read, dropped and ranked last; None if tables were given.
    source : Source or None
        The data, kept for resampling; see :meth:`without_data`.
    notes : tuple of str
        What happened on the way from the data to the subjects: what was joined, chosen, left unread.
    backend : str or None
        The package of the data frame that was evaluated: frames are returned in it.
    design : {"cohort", "case-control"}
        Whether the number of positives was sampled too, or fixed (or the prevalence known).
    confidence_level : float
        Of intervals, unless another is asked for.
    paired : bool
        Whether the rankers ranked the same subjects.
    clustered : bool
        Whether subjects depend on each other within clusters.
    """

    tables: Mapping[str, HitTable]
    metrics: tuple[Metric, ...]
    warnings: tuple[HitcurveWarning, ...] = ()
    tally: Tally | None = None
    source: Source | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    backend: str | None = field(default=None, repr=False)
    design: str = "cohort"
    confidence_level: float = 0.95
    paired: bool = True
    clustered: bool = False
    _values: Mapping[tuple[str, Metric], float] = field(default_factory=dict, repr=False)
    _kept_joint: Joint | None = field(default=None, repr=False)

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the rankers."""
        return tuple(self.tables)

    def __getitem__(self, key: tuple[str, str | Metric]) -> Estimate:
        """Return one estimate.

        Raises
        ------
        ColumnNotFoundError
            If the ranker or the metric was not evaluated.
        """
        if not isinstance(key, tuple) or len(key) != 2:
            raise ParameterError(f"ask for a ranker and a metric, as in evaluation['a', 'ap'], got {key!r}")
        name, wanted = key[0], metric(key[1])
        if name not in self.tables:
            raise ColumnNotFoundError(f"no ranker {name!r}{_checks.did_you_mean(name, self.tables)}")
        if wanted not in self.metrics:
            listed = ", ".join(map(str, self.metrics))
            raise ColumnNotFoundError(f"{wanted} was not evaluated; metrics are {listed}")
        return self._estimates[name, wanted]

    @cached_property
    def _estimates(self) -> dict[tuple[str, Metric], Estimate]:
        """Every estimate once: each keeps its standard error and interval."""
        return {(name, m): self._estimate(name, m) for name in self.tables for m in self.metrics}

    def _estimate(self, name: str, m: Metric) -> Estimate:
        clustered = partial(self._cluster_variance, name, m) if self.clustered else None
        known = (self._values[name, m], self.tables[name], self.design, self.confidence_level)
        return Estimate(name, m, *known, clustered)

    def __iter__(self) -> Iterator[Estimate]:
        """Go through all estimates, ranker by ranker."""
        return iter(self._estimates.values())

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self.tables) * len(self.metrics)

    def metric(self, text: str | Metric) -> dict[str, Estimate]:
        """Return one metric of all rankers."""
        return {name: self[name, text] for name in self.tables}

    def ranker(self, name: str) -> dict[str, Estimate]:
        """Return all metrics of one ranker, by their written form."""
        return {str(m): self[name, m] for m in self.metrics}

    def without_data(self) -> Evaluation:
        """Return the same evaluation without its source: small to keep and to pickle.

        What needs no subjects but their covariances (standard errors of clusters, tests by formula) is computed
        before.
        """
        joint = self._joint if self.source is not None and (self.clustered or self._compares) else self._kept_joint
        return replace(self, source=None, _kept_joint=joint)

    # ---- comparisons

    @property
    def _compares(self) -> bool:
        return self.paired and len(self.tables) > 1

    @cached_property
    def _joint(self) -> Joint:
        if self._kept_joint is not None:
            return self._kept_joint
        if self.source is None:
            raise ParameterError(
                "rankers are compared subject by subject, and this evaluation holds no subjects: evaluate labels and "
                "scores, or estimates of different subjects with paired=False or compare_from_stats"
            )
        return cross_products(self.source, self.tables, self.metrics, self.design)

    def _cluster_variance(self, name: str, wanted: Metric) -> Clustered:
        return self._joint.cluster_variance(name, wanted)

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
    ) -> Comparison:
        """Test the difference of two rankers, first minus second.

        Rankers of the same subjects are compared subject by subject. With ``paired=False`` in the evaluation they are
        two samples: the variance of the difference is the sum of the two, and t has Welch's degrees of freedom.

        Parameters
        ----------
        first, second : str
        metric : str or Metric
            One that was evaluated.
        null : float
            Difference under the null hypothesis.
        alternative : {"two-sided", "less", "greater"}
            ``greater``: the first is better.
        method : {"auto", "delta", "delong", "bootstrap", "swap-permutation", "paired-permutation", "paired-t", \
"paired-wilcoxon", "unpaired-permutation", "unpaired-t", "unpaired-wilcoxon"}
            ``auto`` is the influence test (delta) with class factors and Welch-Satterthwaite degrees of freedom, or
            the swap of normalised ranks where that was measured to fail: fewer than 20 positives, fewer than 10
            negatives that decide, fewer than 10 hits of one ranker alone. The last six hold the negatives fixed
            (Swamidass et al. 2010) and are right only where positives are few. Of clusters, ``delta`` sums influence
            values by cluster and ``bootstrap`` draws whole clusters; the others need subjects one by one. Two samples
            take ``delta``, and ``delong`` for AUC.
        n_resamples : int, optional
            Random arrangements or replicates: 999 swaps, 2000 bootstrap replicates, 9999 arrangements of positives.
        rng : None, int or numpy.random.Generator
            None derives a seed from the counts of both rankers, so that two calls return the same p value; ``seed`` of
            the result records it.

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
        ('delta', 0.071, 0.071)
        """
        wanted = self[first, metric].metric
        if self[second, wanted].ranker == first:
            raise ParameterError(f"a comparison needs two rankers, got {first!r} twice")
        if not self.paired:
            samples = (self[first, wanted], self[second, wanted])
            return compare_samples(*samples, null=null, alternative=alternative, method=method)
        return self._pairs.compare(
            first,
            second,
            wanted,
            null=null,
            alternative=alternative,
            method=method,
            n_resamples=n_resamples,
            rng=rng,
        )

    @cached_property
    def _pairs(self) -> PairedRankers:
        return PairedRankers(self.tables, self._joint, self.source, self.design, self.confidence_level)

    def _refuse_unpaired(self, what: str) -> None:
        if not self.paired:
            raise ParameterError(
                f"{what} needs rankers of the same subjects, and these ranked different ones (paired=False)"
            )

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
    ) -> list[Comparison]:
        """Compare all rankers with a baseline, or with each other, and adjust for how many there are.

        Parameters
        ----------
        metric : str or Metric
        baseline : str, optional
            The ranker that all others are compared with; all pairs if absent.
        adjust : {"holm", "max-t"}
            ``holm`` holds whatever the dependence; ``max-t`` uses the covariance of the differences, is sharper, and
            gives simultaneous intervals; it takes delta comparisons of the same subjects.
        alternative, method, n_resamples, rng
            As in :meth:`compare`.

        Returns
        -------
        list of Comparison
            With ``adjusted`` p values (and ``simultaneous`` intervals), in the order of the rankers.
        """
        if len(self.tables) < 2:
            raise ParameterError("a comparison needs two rankers")
        _checks.choice("adjust", adjust, ("holm", "max-t"))
        if adjust == "max-t":
            self._refuse_unpaired("adjust='max-t'")
            method = "delta" if method == "auto" else method
        if baseline is None:
            pairs = list(combinations(self.tables, 2))
        else:
            _ = self[baseline, metric]
            pairs = [(name, baseline) for name in self.tables if name != baseline]
        generator(rng)  # refuses what is none
        found = [
            self.compare(a, b, metric, alternative=alternative, method=method, n_resamples=n_resamples, rng=rng)
            for a, b in pairs
        ]
        if len(found) < 2:
            return found
        return holm(found) if adjust == "holm" else max_t(found, self._joint, rng=rng)

    # ---- bands

    def band(self, ranker: str, curve: str = "precision_recall", **options: Any) -> Band:
        """Return a confidence band of a whole curve of one ranker; options as in :func:`hitcurve.band`.

        Methods that smooth need the scores of all subjects, which a table that was counted does not keep: use
        :func:`hitcurve.band` on labels and scores for those.

        Raises
        ------
        UndefinedMetricError
            If subjects depend on each other within clusters; else as in :func:`hitcurve.band`.
        """
        self._refuse_band_of_clusters()
        if ranker not in self.tables:
            raise ColumnNotFoundError(f"no ranker {ranker!r}{_checks.did_you_mean(ranker, self.tables)}")
        options = {"design": self.design, "confidence_level": self.confidence_level, **options}
        return band_of_table(self.tables[ranker], curve, BandOptions(**options))

    def _refuse_band_of_clusters(self) -> None:
        if self.clustered:
            raise UndefinedMetricError(
                "bands need independent subjects, and within clusters they depend on each other: intervals and tests "
                "of one metric take clusters"
            )

    def difference_band(self, first: str, second: str, curve: str = "accumulation", **options: Any) -> Band:
        """Return a band of the difference of two rankers' curves; options as in :func:`hitcurve.difference_band`."""
        self._refuse_band_of_clusters()
        for name in (first, second):
            if name not in self.tables:
                raise ColumnNotFoundError(f"no ranker {name!r}{_checks.did_you_mean(name, self.tables)}")
        if first == second:
            raise ParameterError(f"a difference needs two rankers, got {first!r} twice")
        if self.source is None or not self.paired or self.tables[first].weighted:
            raise ParameterError("a difference band needs the subjects of both rankers, without weights")
        options = {"design": self.design, "confidence_level": self.confidence_level, **options}
        return difference_of(
            (self.tables[first], self.tables[second]),
            Subjects.of(self.source, [first, second]),
            (first, second),
            curve,
            BandOptions(**options),
        )

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
    ) -> PowerAnalysis:
        """PowerAnalysis a paired comparison with this evaluation as its pilot; see :func:`hitcurve.power_analysis`."""
        self._refuse_unpaired("a power analysis")
        if len(self.tables) < 2:
            raise ParameterError("a pilot needs two rankers of the same subjects")
        pair = tuple(self.tables)[:2] if rankers is None else tuple(rankers)
        if isinstance(rankers, str) or len(set(pair)) != 2 or len(pair) != 2:
            raise ParameterError(f"rankers must be two different names, got {rankers!r}")
        first, second = pair
        wanted = self[first, metric].metric
        _ = self[second, wanted]
        return analyse_power(
            wanted,
            self._joint,
            first,
            second,
            effect,
            power=power,
            n_pos=n_pos,
            n_neg=n_neg,
            significance=significance,
        )

    # ---- sensitivity

    def sensitivity(self, along: str, grid: Any = None, *, confidence_level: float | None = None) -> Sensitivity:
        """Return how metrics move with what a reader of the list may choose.

        Parameters
        ----------
        along : {"alpha", "prevalence", "budget", "rate"}
            ``alpha``: ``croc`` over the magnification. ``prevalence``: ``ap`` and precision at a share of the list
            over a prevalence that is known. ``budget``: hits, precision, recall and enrichment over the number of
            subjects that are read. ``rate``: ``rauc`` and expected recall over how far one gets, the ends between
            which the rate lies with 95% probability (see :meth:`hitcurve.rates.Beta.from_time_budget`).
        grid : sequence, optional
            Numbers, or pairs of rates; that of the report if absent.
        confidence_level : float in (0, 1), optional
            That of the evaluation unless given.

        Returns
        -------
        Sensitivity
            ``to_records()`` and ``to_frame()`` give value, low and high of each ranker and grid point.

        Raises
        ------
        ParameterError
            If an argument is none of these.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> from hitcurve.datasets import mammography
        >>> ev = evaluate(tables=mammography(), metrics="ap")
        >>> for record in ev.sensitivity("prevalence", [0.01, 0.1]).to_records()[:2]:
        ...     print(record["prevalence"], *(round(record[key], 3) for key in ("value", "low", "high")))
        0.01 0.184 0.145 0.231
        0.1 0.434 0.387 0.48
        """
        _checks.choice("along", along, ALONG)
        level = self.confidence_level if confidence_level is None else confidence_level
        level = _checks.open_unit("confidence_level", level)
        points = default_grid(along, self.tables) if grid is None else checked_grid(along, grid)
        return sensitivity_of(
            self.tables,
            along,
            points,
            (level,),
            design=self.design,
            clustered=self.clustered,
            source=self.source,
        )

    @cached_property
    def _records(self) -> list[dict[str, Any]]:
        return [_record(e) for e in self]

    def to_frame(self, *, wide: bool = False, backend: str | None = None) -> Any:
        """Return the numbers as a data frame.

        Parameters
        ----------
        wide : bool
            One row for each ranker and one column for each metric, instead of one row for each number with its
            context: ranker, metric, value, n, n_pos, tied, random, best, convention.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The package of the data that were evaluated, or the first that is installed.

        Raises
        ------
        MissingExtraError
            If none is installed.
        """
        if wide:
            columns: dict[str, list[Any]] = {"ranker": list(self.tables)}
            columns |= {str(m): [self[name, m].value for name in self.tables] for m in self.metrics}
        else:
            there = [key for key in COLUMNS if any(key in record for record in self._records)]
            columns = {key: [record.get(key, absent(key)) for record in self._records] for key in there}
        return to_frame(columns, backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain lists and dictionaries, with the version of their schema."""
        out: dict[str, Any] = {
            "schema": SCHEMA,
            "rankers": list(self.rankers),
            "metrics": [str(m) for m in self.metrics],
            "results": self._records,
            "notes": list(self.notes),
            "cautions": list(self.cautions),
            "warnings": [{"kind": type(w).__name__, "message": str(w)} for w in self.warnings],
        }
        if self.tally is not None:
            out["rows"] = {
                "read": self.tally.rows,
                "dropped": self.tally.dropped,
                "ranked_last": dict(self.tally.ranked_last),
            }
        return out

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """Where intervals are less sure than their level says."""
        said: dict[str, list[str]] = {}
        for e in self:
            for text in e.cautions:
                said.setdefault(text, []).append(e.ranker)
        return tuple(
            text if len(set(names)) == len(self.tables) else f"{', '.join(dict.fromkeys(names))}: {text}"
            for text, names in said.items()
        )

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: one row for each metric, one column for each ranker."""
        header = ["metric", *self.rankers, "random", "best", "convention"]
        body = []
        for m in self.metrics:
            estimates = list(self.metric(m).values())
            defined = [e for e in estimates if not math.isnan(e.value)]
            sides = ([e.random for e in defined], [e.best for e in defined])
            context = [{_or_none(value) for value in side} for side in sides]
            notes = list(dict.fromkeys(e.convention for e in defined))
            body.append(
                [
                    str(m),
                    *(rows.with_interval(e.value, e.interval) for e in estimates),
                    *(" to ".join(sorted(values)) for values in context),
                    "; ".join(note for note in notes if note),
                ]
            )
        return header, body

    def tie_rows(self) -> tuple[list[str], list[list[str]], str]:
        """Return header and rows of what strict orders of the ties would give, and a note; no rows without ties."""
        note = ""
        body = []
        for m in self.metrics:
            cells = []
            for e in self.metric(m).values():
                order = None if math.isnan(e.value) else e.tie_range
                if order is None:
                    cells.append("")
                    continue
                low, high = sorted(order)
                cells.append(f"{rows.number(low)} to {rows.number(high)}")
                if not low * (1 - 1e-4) <= e.value <= high * (1 + 1e-4):  # by more than what is printed
                    note = (
                        "A value outside its range is right: it takes a group of equal scores as one, which no "
                        "strict order does."
                    )
            if any(cells):
                body.append([str(m), *cells])
        return ["ties broken", *self.rankers], body, note

    def heading(self) -> list[str]:
        """Return what was evaluated, a line for each ranker (one line if they agree)."""
        lines: dict[str, list[str]] = {}
        for name, t in self.tables.items():
            tied = f"{rows.count(t.tied)} tied across classes" if t.tied else "no ties across classes"
            if t.tied_pos:
                tied += f", {rows.count(t.tied_pos)} positives tied with positives"
            set_to = f" (set to {t.prevalence:g})" if t.assumed_prevalence is not None else ""
            line = f"{_subjects(t)}, {rows.count(t.n_pos)} positive ({100 * t.n_pos / t.n:.3g}%){set_to}, {tied}"
            lines.setdefault(line, []).append(name)
        who = [line if len(lines) == 1 else f"{', '.join(names)}: {line}" for line, names in lines.items()]
        return [*who, *self.notes]

    def methods_text(self) -> str:
        """Return a paragraph for the methods section of a paper: metrics, conventions, data and references.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> print(evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics=["auc"]).methods_text().splitlines()[0][:58])
        The ranking of 4 subjects, 2 of them positive (prevalence
        """
        return methods_text(
            self.tables, self.metrics, self.notes, self.tally, self._interval_methods, self._doubt_in_words
        )

    @cached_property
    def _interval_methods(self) -> dict[str, list[str]]:
        """Methods of the intervals, and the metrics each served."""
        methods: dict[str, dict[str, None]] = {}
        for record in self._records:
            if "method" in record:
                methods.setdefault(record["method"], {})[record["metric"]] = None
        return {method: list(which) for method, which in methods.items()}

    @property
    def _doubt_in_words(self) -> str:
        clusters = ", clustered subjects" if self.clustered else ""
        return f"{100 * self.confidence_level:g}%, {self.design} design{clusters}"

    def about_intervals(self) -> str:
        """Return level, design and methods of the intervals, and their cautions, in words."""
        said = []
        if self._interval_methods:
            how = "; ".join(f"{name}: {', '.join(which)}" for name, which in self._interval_methods.items())
            said = [f"[{self._doubt_in_words}] intervals by {how}"]
        return "\n".join([*said, *(f"note: {text}" for text in self.cautions)])

    def _repr_html_(self) -> str:
        """Return the numbers as a small page of a notebook."""
        from hitcurve.report import small

        return small(self)

    def __str__(self) -> str:
        """Return the numbers as a text table."""
        header, body = self.table_rows()
        parts = ["\n".join(self.heading()), rows.text_table(header, body, left=(0, len(header) - 1))]
        tie_header, tie_body, tie_note = self.tie_rows()
        if tie_body:
            parts.append(rows.text_table(tie_header, tie_body) + (f"\n{tie_note}" if tie_note else ""))
        parts += [text] if (text := self.about_intervals()) else []
        if self.warnings:
            parts.append("\n".join(f"warning: {message}" for message in self.warnings))
        return "\n\n".join(parts)


def _subjects(t: HitTable) -> str:
    if t.pos_squares is None or t.neg_squares is None:
        return f"{rows.count(t.n)} {'subject' if t.n == 1 else 'subjects'}"
    effective = t.n**2 / float(t.pos_squares.sum() + t.neg_squares.sum())
    return f"subjects of weight {rows.count(t.n)} (as {rows.short(effective)} of equal weight)"


def _doubt(e: Estimate) -> dict[str, Any]:
    """Return standard error and interval, without those that cannot be had."""
    out: dict[str, Any] = {}
    with suppress(InsufficientDataError, UndefinedMetricError):
        out["standard_error"] = e.standard_error
    if "standard_error" in out and e.interval is not None:
        low, high = e.interval
        out |= {"low": low, "high": high, "level": e.confidence_level, "method": e.interval_method}
    return {**out, "design": e.design}


def _or_none(value: float) -> str:
    """Return a reference value; some metrics have none, as momentum of a random list."""
    return "none" if math.isnan(value) else rows.short(value)


def absent(key: str) -> Any:
    """Return what stands in a column where a record has nothing."""
    return "" if key in ("method", "design", "convention") else math.nan


def _record(e: Estimate) -> dict[str, Any]:
    defined = not math.isnan(e.value)
    record: dict[str, Any] = {
        "ranker": e.ranker,
        "metric": str(e.metric),
        "value": e.value,
        **(_doubt(e) if defined else {}),
        "n": e.n,
        "n_pos": e.n_pos,
        "tied": e.tied,
        "random": e.random if defined else math.nan,
        "best": e.best if defined else math.nan,
        "convention": e.convention if defined else "",
    }
    order = e.tie_range if defined else None
    return record if order is None else {**record, "worst_ties": order[0], "best_ties": order[1]}
