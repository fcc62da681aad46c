"""Evaluations of many rankings at once, one for each group, and what they say together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import (
    ColumnNotFoundError,
    HitcurveWarning,
    InsufficientDataError,
    ParameterError,
    UndefinedMetricError,
)
from hitcurve.evaluation.methods import methods_of_groups
from hitcurve.evaluation.result import SCHEMA, Evaluation, absent
from hitcurve.groups import AverageCurve, GroupMean, across, average_curve, pooled_curve
from hitcurve.inference import Comparison, Estimate, holm
from hitcurve.inference.resample import generator
from hitcurve.metrics import Metric
from hitcurve.sources import Tally, group_name, to_frame
from hitcurve.table import HitTable

ROWS_PER = ("group", "mean")
MEAN_COLUMNS = (
    "ranker",
    "metric",
    "mean",
    "standard_error",
    "low",
    "high",
    "level",
    "n_groups",
    "standard_deviation",
    "median",
    "lowest",
    "highest",
    "within_error",
)
MOST_SHOWN = 40  # groups whose values are printed one by one


@dataclass(frozen=True, eq=False)
class GroupedEvaluation:
    """Metrics of one or several rankers in each of many groups: folds, targets, queries, reviews.

    ``grouped["t1"]`` is the :class:`~hitcurve.Evaluation` of one group, ``grouped["t1", "a", "ap"]`` one of its
    estimates, ``grouped.mean("a", "ap")`` the mean over groups, ``grouped.pooled`` the evaluation of one list of all.

    Attributes
    ----------
    groups : mapping of str to Evaluation
        In the order of their names (of their numbers, if all are numbers).
    left_out : mapping of str to str
        Groups of one class, and which class they lack.
    single_class : {"raise", "skip", "zero"}
        What was done with them.
    by : str
        What the groups are, as the name of their column.
    metrics : tuple of Metric
    warnings : tuple of HitcurveWarning
        What was said of groups, each reason once.
    tally : Tally or None
    notes : tuple of str
    backend : str or None
    design : {"cohort", "case-control"}
    confidence_level : float
    """

    groups: Mapping[str, Evaluation]
    left_out: Mapping[str, str]
    single_class: str
    by: str
    metrics: tuple[Metric, ...]
    warnings: tuple[HitcurveWarning, ...] = ()
    tally: Tally | None = None
    notes: tuple[str, ...] = ()
    backend: str | None = field(default=None, repr=False)
    design: str = "cohort"
    confidence_level: float = 0.95
    _pooled: Evaluation | None = field(default=None, repr=False)
    _on_one_grid: Callable[[str], list[HitTable]] | None = field(default=None, repr=False)
    _on_one_list: Callable[[str], HitTable] | None = field(default=None, repr=False)

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the rankers."""
        return next(iter(self.groups.values())).rankers

    @property
    def has_curves(self) -> bool:
        """Whether the lists have an end; those of runs need not."""
        return True

    def __len__(self) -> int:
        """Return the number of groups that were evaluated."""
        return len(self.groups)

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the groups."""
        return iter(self.groups)

    def __getitem__(self, key: Any) -> Any:
        """Return the evaluation of a group, or with ``[group, ranker, metric]`` one estimate.

        Raises
        ------
        ColumnNotFoundError
            If the group was not evaluated.
        """
        group, *rest = key if isinstance(key, tuple) else (key,)
        name = group_name(group)
        if name not in self.groups:
            lacks = self.left_out.get(name)
            why = f": it has {lacks}" if lacks else _checks.did_you_mean(name, self.groups)
            raise ColumnNotFoundError(f"no group {group!r} was evaluated{why}")
        found = self.groups[name]
        return found[tuple(rest)] if rest else found

    def without_data(self) -> GroupedEvaluation:
        """Return the same evaluation without its source: small to keep and to pickle.

        What needs the subjects of a group (see :meth:`hitcurve.Evaluation.without_data`) is computed before.
        """
        kept = {name: ev.without_data() for name, ev in self.groups.items()}
        pooled = None if self._pooled is None else self._pooled.without_data()
        return replace(self, groups=kept, _pooled=pooled, _on_one_grid=None, _on_one_list=None)

    # ---- over groups

    def estimates(self, ranker: str, wanted: str | Metric) -> dict[str, Estimate]:
        """Return one metric of one ranker in every group that was evaluated."""
        return {name: ev[ranker, wanted] for name, ev in self.groups.items()}

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of the groups that count in means: those evaluated, then those without positives that count as 0."""
        zeros = self.left_out.items() if self.single_class == "zero" else ()
        return (*self.groups, *(name for name, lacks in zeros if lacks == NO_POSITIVES))

    def values(self, ranker: str, wanted: str | Metric) -> Array:
        """Return one metric of one ranker for each group of ``counted``, nan where it is undefined."""
        own = [e.value for e in self.estimates(ranker, wanted).values()]
        return np.array(own + [0.0] * (len(self.counted) - len(own)))

    def mean(self, ranker: str, wanted: str | Metric) -> GroupMean:
        """Return the mean over groups (macro average), each group alike; groups where it is undefined are left out.

        Raises
        ------
        UndefinedMetricError
            If the metric is undefined in every group.
        """
        known = self._known(ranker, wanted)
        mean = self._means[ranker, known]
        if not mean.n_groups:
            raise UndefinedMetricError(f"{known} of {ranker!r} is undefined in every group")
        return replace(mean, within_error=self._within_error(ranker, known))

    def _known(self, ranker: str, wanted: str | Metric) -> Metric:
        """Return a metric of a ranker that were evaluated."""
        return next(iter(self.groups.values()))[ranker, wanted].metric

    @cached_property
    def _means(self) -> dict[tuple[str, Metric], GroupMean]:
        """Means of what is defined, of nothing where nothing is; without the error within groups, which takes long."""
        out = {}
        for name in self.rankers:
            for m in self.metrics:
                values = self.values(name, m)
                out[name, m] = GroupMean(name, m, values[~np.isnan(values)], self.confidence_level)
        return out

    def _within_error(self, ranker: str, wanted: Metric) -> float:
        own = [e for e in self.estimates(ranker, wanted).values() if not math.isnan(e.value)]
        try:
            total = sum(e.standard_error**2 for e in own)
        except (InsufficientDataError, UndefinedMetricError):
            return math.nan
        return math.sqrt(total) / self._means[ranker, wanted].n_groups

    @property
    def pooled(self) -> Evaluation:
        """The evaluation of one list of all subjects (micro average); scores must mean the same in every group.

        Subjects of groups that were left out are on that list.

        Raises
        ------
        ParameterError
            If the groups came as tables, whose subjects have no common list.
        """
        if self._pooled is None:
            raise ParameterError("groups that came as tables have no list of all subjects: evaluate labels and scores")
        return self._pooled

    def compare(
        self,
        first: str,
        second: str,
        metric: str | Metric,
        *,
        method: str = "auto",
        null: float = 0.0,
        alternative: str = "two-sided",
        repeats: int = 1,
        n_resamples: int | None = None,
        rng: Any = None,
    ) -> Comparison:
        """Test the mean difference of two rankers over groups, first minus second.

        Parameters
        ----------
        first, second : str
        metric : str or Metric
        method : {"auto", "paired-t", "corrected-t", "wilcoxon", "sign-flip", "unpaired-t"}
            ``auto`` is the paired t test; whether groups are folds cannot be seen. ``corrected-t`` is for folds, whose
            training data overlap (Nadeau and Bengio 2003); ``sign-flip`` is exact up to 14 groups; ``unpaired-t``
            forgets which values belong together (Swamidass et al. 2010).
        null : float
        alternative : {"two-sided", "less", "greater"}
        repeats : int
            How often the data were cut into folds, for ``corrected-t``.
        n_resamples : int, optional
            Random sign flips.
        rng : None, int or numpy.random.Generator
            None derives a seed from the values of the groups, so that two calls return the same p value; ``seed`` of
            the result records it.

        Returns
        -------
        Comparison

        Raises
        ------
        ParameterError
            If an argument is none of these.
        InsufficientDataError
            If there is one group only.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(0)
        >>> y, fold = np.tile([1, 0, 0, 0], 100), np.repeat(np.arange(10), 40)
        >>> s = {"a": rng.normal(size=400) + 2 * y, "b": rng.normal(size=400) + y}
        >>> test = evaluate(y, s, by=fold, metrics="auc").compare("a", "b", "auc", method="corrected-t")
        >>> test.n_groups, round(test.difference.value, 3), round(test.pvalue, 4)
        (10, 0.16, 0.0045)
        """
        wanted = self._known(first, metric)
        self._known(second, wanted)
        if first == second:
            raise ParameterError(f"a comparison needs two rankers, got {first!r} twice")
        repeats = _checks.whole_number("repeats", repeats)
        both = (self.values(first, wanted), self.values(second, wanted))
        there = ~np.isnan(both[0] + both[1])
        gone = int(np.sum(~there))
        said = f"{wanted} is undefined in {gone} of {there.size} groups, which are left out"
        if gone and there.size - gone < 2:
            raise InsufficientDataError(f"{said}: a test across groups takes two")
        found = across(
            wanted,
            (first, second),
            (both[0][there], both[1][there]),
            method=method,
            null=null,
            alternative=alternative,
            confidence_level=self.confidence_level,
            overlap=self._overlap(repeats) if method == "corrected-t" else None,
            n_resamples=n_resamples,
            rng=rng,
        )
        return replace(found, cautions=(*found.cautions, said)) if gone else found

    def _overlap(self, repeats: int) -> float:
        """Return test subjects for each training subject, if every fold is tested by what the others learned."""
        sizes = np.array([next(iter(ev.tables.values())).n for ev in self.groups.values()])
        whole = sizes.sum() / repeats
        if sizes.size % repeats or not np.all(sizes < whole):
            raise ParameterError(f"{sizes.size} folds do not come from cutting the data {repeats} times")
        return float(np.mean(sizes / (whole - sizes)))

    def compare_all(
        self, metric: str | Metric, *, baseline: str | None = None, rng: Any = None, **options: Any
    ) -> list[Comparison]:
        """Compare all rankers with a baseline, or with each other; p values are adjusted by Holm's method.

        Parameters
        ----------
        metric : str or Metric
        baseline : str, optional
        rng : None, int or numpy.random.Generator
        **options
            As in :meth:`compare`.
        """
        if len(self.rankers) < 2:
            raise ParameterError("a comparison needs two rankers")
        if baseline is None:
            pairs = list(combinations(self.rankers, 2))
        else:
            self._known(baseline, metric)
            pairs = [(name, baseline) for name in self.rankers if name != baseline]
        generator(rng)  # refuses what is none
        found = [self.compare(a, b, metric, rng=rng, **options) for a, b in pairs]
        return holm(found) if len(found) > 1 else found

    def average_curve(
        self, ranker: str, curve: str = "roc", along: str = "rate", *, confidence_level: float | None = None
    ) -> AverageCurve:
        """Return the average curve of a ranker over groups.

        Parameters
        ----------
        ranker : str
        curve : str
        along : {"rate", "vertical", "threshold", "pool"}
            See :func:`hitcurve.average_curve`; the last two need scores that mean the same in every group.
            ``threshold`` takes every score of a positive as a threshold, or 1,000 of them, evenly by rank, if there are
            more.
        confidence_level : float in (0, 1), optional
            That of the evaluation unless given.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> grouped = evaluate([1, 0, 1, 0, 1, 1, 0, 0], [4, 3, 2, 1] * 2, by=[1] * 4 + [2] * 4, metrics="auc")
        >>> mean = grouped.average_curve("score")
        >>> mean.x.tolist(), mean.y.tolist()
        ([0.0, 0.0, 0.25, 0.5, 1.0], [0.0, 0.5, 0.75, 1.0, 1.0])
        """
        if ranker not in self.rankers:
            raise ColumnNotFoundError(f"no ranker {ranker!r}{_checks.did_you_mean(ranker, self.rankers)}")
        level = self.confidence_level if confidence_level is None else confidence_level
        if along == "pool" and self._on_one_list is not None:
            return pooled_curve(self._on_one_list(ranker), len(self), curve, confidence_level=level)
        one_grid = along == "threshold" and self._on_one_grid is not None
        tables = self._on_one_grid(ranker) if one_grid and self._on_one_grid else self._tables_of(ranker)
        return average_curve(tables, curve, along, confidence_level=level)

    def _tables_of(self, ranker: str) -> list[HitTable]:
        return [ev.tables[ranker] for ev in self.groups.values()]

    # ---- out

    def _group_records(self) -> list[dict[str, Any]]:
        return [{"group": name, **record} for name, ev in self.groups.items() for record in ev.to_dict()["results"]]

    @cached_property
    def _mean_records(self) -> list[dict[str, Any]]:
        out = []
        for (ranker, m), mean in self._means.items():
            ends = mean.interval
            within = self._within_error(ranker, m) if mean.n_groups else math.nan
            record = {
                "ranker": ranker,
                "metric": str(m),
                "mean": mean.value,
                "standard_error": mean.standard_error,
                "low": math.nan if ends is None else ends.low,
                "high": math.nan if ends is None else ends.high,
                "level": self.confidence_level,
                "n_groups": mean.n_groups,
                "standard_deviation": mean.standard_deviation,
                "median": mean.median,
                "lowest": float(min(mean.values, default=math.nan)),
                "highest": float(max(mean.values, default=math.nan)),
                "within_error": within,
            }
            out.append(record)
        return out

    def to_frame(self, per: str = "group", *, backend: str | None = None) -> Any:
        """Return the numbers as a data frame.

        Parameters
        ----------
        per : {"group", "mean"}
            A row for each group, ranker and metric with the columns of :meth:`hitcurve.Evaluation.to_frame`; or a
            row for each ranker and metric: mean, standard error, interval, number of groups, standard deviation,
            median, lowest, highest, and the standard error within groups.
        backend : {"pandas", "polars", "pyarrow"}, optional
        """
        _checks.choice("per", per, ROWS_PER)
        records = self._mean_records if per == "mean" else self._group_records()
        names = list(dict.fromkeys(key for record in records for key in record))
        columns = {key: [record.get(key, absent(key)) for record in records] for key in names}
        return to_frame(columns, backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain lists and dictionaries, with the version of their schema."""
        return {
            "schema": SCHEMA,
            "by": self.by,
            "rankers": list(self.rankers),
            "metrics": [str(m) for m in self.metrics],
            "left_out": dict(self.left_out),
            "single_class": self.single_class,
            "means": self._mean_records,
            "groups": self._group_records(),
            **({} if self._pooled is None else {"pooled": self._pooled.to_dict()["results"]}),
            "notes": list(self.notes),
            "warnings": [{"kind": type(w).__name__, "message": str(w)} for w in self.warnings],
        }

    def heading(self) -> list[str]:
        """Return what was evaluated, in words."""
        lines = self._about_groups()
        for lacks in (NO_POSITIVES, NO_NEGATIVES):
            names = [name for name, reason in self.left_out.items() if reason == lacks]
            if names:
                done = "count as 0" if self.single_class == "zero" and lacks == NO_POSITIVES else "left out"
                lines.append(f"{_groups(len(names))} with {lacks} {done}: {rows.some(names)}")
        return [*lines, *self.notes]

    def _about_groups(self) -> list[str]:
        tables = self._tables_of(self.rankers[0])
        n, n_pos = (sum(float(getattr(t, name)) for t in tables) for name in ("n", "n_pos"))
        sizes = sorted(float(t.n_pos) for t in tables)
        between = f"{rows.count(sizes[0])} to {rows.count(sizes[-1])} a group"
        each = between if sizes[0] < sizes[-1] else f"{rows.count(sizes[0])} in each"
        return [
            f"{_groups(len(self))} by {self.by}: {rows.count(n)} subjects, {rows.count(n_pos)} positive "
            f"({100 * n_pos / n:.3g}%), {each}"
        ]

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: the mean over groups of each metric, a column for each ranker."""
        header = ["mean over groups", *self.rankers, "lowest", "highest"]
        body = []
        for m in self.metrics:
            means = [self._means[name, m] for name in self.rankers]
            values = np.concatenate([mean.values for mean in means])
            ends = (float(min(values, default=math.nan)), float(max(values, default=math.nan)))
            cells = [rows.with_interval(mean.value, mean.interval) for mean in means]
            body.append([str(m), *cells, *map(rows.number, ends)])
        return header, body

    def pooled_rows(self) -> tuple[list[str], list[list[str]]] | None:
        """Return header and rows for a printer: the metrics of one list of all, None if there is no such list."""
        if self._pooled is None:
            return None
        body = [
            [str(m), *(rows.with_interval(e.value, e.interval) for e in self._pooled.metric(m).values())]
            for m in self.metrics
        ]
        return ["one list of all", *self.rankers], body

    def group_rows(self, wanted: Metric) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: one metric group by group, a column for each ranker."""
        header = [str(wanted), "n", "positive", *self.rankers]
        body = []
        for name, ev in self.groups.items():
            first = ev.tables[self.rankers[0]]
            values = [rows.number(ev[ranker, wanted].value) for ranker in self.rankers]
            body.append([name, rows.count(first.n), rows.count(first.n_pos), *values])
        return header, body

    def tables_of_groups(self) -> list[tuple[list[str], list[list[str]]]]:
        """Return header and rows of one list of all, and of each metric group by group unless groups are many."""
        pooled = self.pooled_rows()
        each = [self.group_rows(m) for m in self.metrics] if len(self) <= MOST_SHOWN else []
        return each if pooled is None else [pooled, *each]

    def methods_text(self) -> str:
        """Return a paragraph for the methods section of a paper: groups, metrics, means and their intervals."""
        return methods_of_groups(self.heading(), self.rankers, self.metrics, self.confidence_level, self.tally)

    def about_intervals(self) -> str:
        """Return level and meaning of the intervals, in words."""
        if len(self) < 2:
            return "note: one group says nothing of how much groups vary: no interval"
        said = f"[{100 * self.confidence_level:g}%] intervals of means by t over groups, as a sample of groups"
        one_list = "one list of all is for scores that mean the same in every group"
        return said if self._pooled is None else f"{said}; {one_list}"

    def _repr_html_(self) -> str:
        """Return the means as a small page of a notebook."""
        from hitcurve.report import small

        return small(self)

    def __str__(self) -> str:
        """Return the numbers as text tables."""
        parts = ["\n".join(self.heading()), rows.text_table(*self.table_rows())]
        parts += [rows.text_table(*lines) for lines in self.tables_of_groups()]
        if len(self) > MOST_SHOWN:
            parts.append(f"{_groups(len(self))} are too many to print one by one: see --format csv, or to_frame()")
        parts.append(self.about_intervals())
        if self.warnings:
            parts.append("\n".join(f"warning: {message}" for message in self.warnings))
        return "\n\n".join(parts)


NO_POSITIVES, NO_NEGATIVES = "no positives", "no negatives"


def _groups(count: int) -> str:
    return "1 group" if count == 1 else f"{rows.count(count)} groups"


def in_order(names: Any) -> list[str]:
    """Return names in the order of the numbers they are, or of the alphabet."""
    try:
        numbers = {name: float(name) for name in names}
    except ValueError:
        return sorted(names)
    # "nan" is no more than a word: it has no place among numbers
    return sorted(numbers, key=None if any(map(math.isnan, numbers.values())) else lambda name: (numbers[name], name))
