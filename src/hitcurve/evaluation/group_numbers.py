"""The numbers of many groups: values, means over groups, and their rows and columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ColumnNotFoundError, HitcurveWarning, ParameterError, UndefinedMetricError
from hitcurve.evaluation.group_warnings import OF_CLUSTERS, about_means, cautions_of_groups
from hitcurve.evaluation.passes.lists import MOST_DRAWN, with_note_of_many
from hitcurve.evaluation.records import COLUMNS, MEAN_COLUMNS, SCHEMA, absent, columns_of, records_of
from hitcurve.evaluation.result import Evaluation
from hitcurve.evaluation.scalars import keyed, numbers_of, reasons_of
from hitcurve.evaluation.views import GroupViews
from hitcurve.groups import GroupMean
from hitcurve.immutable import Compared
from hitcurve.inference import Estimate
from hitcurve.metrics import Metric
from hitcurve.ragged import Places
from hitcurve.sources import Tally, group_name, in_order, to_frame
from hitcurve.table import HitTable

ROWS_PER = ("group", "mean")
MOST_SHOWN = 40  # groups of which each is told of
NO_POSITIVES, NO_NEGATIVES = "no positives", "no negatives"


@dataclass(frozen=True, eq=False)
class GroupNumbers(Compared):
    """The evaluated groups with all their numbers; see :class:`hitcurve.GroupedEvaluation`."""

    unit: ClassVar[str] = "groups"

    groups: GroupViews
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
    overlap: float = 0.0
    _pooled: Evaluation | None = field(default=None, repr=False)
    _on_one_grid: Callable[[str], list[HitTable]] | None = field(default=None, repr=False)
    _on_one_list: Callable[[str], HitTable] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.groups) > MOST_DRAWN:
            first = next(iter(self.groups.lists.values())).table(0)
            object.__setattr__(self, "notes", with_note_of_many(self.notes, self.metrics, first))

    @property
    def called(self) -> str:
        """Name of the groups in print: groups, topics, or folds for test sets of one data set."""
        return "folds" if self.overlap else self.unit

    @property
    def called_one(self) -> str:
        """Name of one group in print."""
        return self.called.removesuffix("s")

    @property
    def tests_per_subject(self) -> float:
        """In how many folds a subject was tested, on average; 1 if the groups are parts of the data."""
        if not self.overlap or self._pooled is not None:
            return 1.0
        return (len(self) + len(self.left_out)) * self.overlap / (1 + self.overlap)

    def subjects_in_words(self, n: float, n_pos: float) -> str:
        """Return the number of subjects and of positives, of so many rows of all groups."""
        times, share = self.tests_per_subject, f"{100 * n_pos / n:.3g}%"
        if times == 1:
            return f"{rows.count(n)} subjects, {rows.count(n_pos)} positive ({share})"
        each = f"{rows.short(times, 3)} per subject on average"
        return (
            f"{rows.count(n)} tests of about {rows.count(round(n / times))} subjects ({each}), {rows.count(n_pos)} of "
            f"the tests positive ({share})"
        )

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the rankers."""
        return self.groups.rankers

    @property
    def has_curves(self) -> bool:
        """Whether the length of the rankings is known; runs may have an unknown length."""
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
        group, *rest = key if isinstance(key, tuple) and key else (key,)
        name = group_name(group)
        if name not in self.groups:
            lacks = self.left_out.get(name)
            why = f": it has {lacks}" if lacks else _checks.did_you_mean(name, self.groups)
            raise ColumnNotFoundError(f"no {self.called_one} {group!r} was evaluated{why}")
        found = self.groups[name]
        return found[tuple(rest)] if rest else found

    # ---- over groups

    def estimates(self, ranker: str, wanted: str | Metric) -> dict[str, Estimate]:
        """Return one metric of one ranker in every group that was evaluated."""
        return {name: ev[ranker, wanted] for name, ev in self.groups.items()}

    @property
    def counted(self) -> tuple[str, ...]:
        """Names of the groups that enter means, in their order: evaluated groups, and groups that count as 0."""
        own = (*self.groups, *self.counted_as_zero)
        return own if len(own) == len(self) else tuple(in_order(own))

    @property
    def counted_as_zero(self) -> tuple[str, ...]:
        """Names of the groups without positives that count as 0 in means."""
        zeros = self.left_out.items() if self.single_class == "zero" else ()
        return tuple(name for name, lacks in zeros if lacks == NO_POSITIVES)

    @cached_property
    def _evaluated_first(self) -> Places:
        """The place of each group of ``counted``: evaluated groups first, then those that count as 0."""
        places = {name: place for place, name in enumerate((*self.groups, *self.counted_as_zero))}
        return np.array([places[name] for name in self.counted], np.intp)

    def values(self, ranker: str, wanted: str | Metric) -> Array:
        """Return one metric of one ranker for each group of ``counted``, nan where it is undefined."""
        ranker = _checks.named("ranker", ranker, self.rankers)
        own, zeros = self.groups.lists[ranker].values[known := self._known(ranker, wanted)], self._zeros(ranker, known)
        return np.append(own, zeros)[self._evaluated_first]

    def _zeros(self, ranker: str, known: Metric) -> Array:
        """Return the values in the groups without positives that count."""
        return np.zeros(len(self.counted_as_zero))

    @property
    def columns(self) -> dict[str, AnyArray]:
        """The numbers of all groups that count in means: a row for each group, ranker and metric.

        Of a group without positives that counts as 0 there is the value alone.
        """
        own, missing = self.groups.columns, self.counted_as_zero
        if not missing:
            return own
        keys = [(ranker, m) for ranker in self.rankers for m in self.metrics]
        why = np.array(f"the {self.called_one} has {NO_POSITIVES}", object)
        known: dict[str, AnyArray] = {
            "group": np.repeat(np.array(missing, object), len(keys)),
            "ranker": np.tile(np.array([ranker for ranker, _ in keys], object), len(missing)),
            "metric": np.tile(np.array([str(m) for _, m in keys], object), len(missing)),
            "value": np.stack([self._zeros(*key) for key in keys], axis=1).ravel(),
            "n_pos": np.zeros(len(keys) * len(missing), int),
            "tied": np.zeros(len(keys) * len(missing), int),
            "reason": np.full(len(keys) * len(missing), why),
        }
        row = (self._evaluated_first[:, None] * len(keys) + np.arange(len(keys))).ravel()
        there, added = own["value"].size, known["value"].size
        return {
            name: np.concatenate(
                [
                    own.get(name, np.full(there, absent(name), object)),
                    known.get(name, np.full(added, absent(name), object if absent(name) == "" else float)),
                ]
            )[row]
            for name in ("group", *COLUMNS)
            if name in own or name == "reason"
        }

    def mean(self, ranker: str, wanted: str | Metric) -> GroupMean:
        """Return the mean over groups (macro average) with equal weights; groups where it is undefined are left out.

        Raises
        ------
        UndefinedMetricError
            If the metric is undefined in every group.
        """
        ranker, known = _checks.named("ranker", ranker, self.rankers), self._known(ranker, wanted)
        mean = self._means[ranker, known]
        if not mean.n_groups:
            raise UndefinedMetricError(
                f"{known} of {ranker!r} is undefined in every {self.called_one}{self._as_in(mean)}"
            )
        return replace(mean, within_error=self._within_error(ranker, known))

    def _known(self, ranker: str, wanted: str | Metric) -> Metric:
        """Return a metric of a ranker that were evaluated."""
        return next(iter(self.groups.values()))[ranker, wanted].metric

    @cached_property
    def _means(self) -> dict[tuple[str, Metric], GroupMean]:
        """Means over the groups where the metric is defined, without the error within groups, which is slow."""
        out = {}
        for name in self.rankers:
            for m in self.metrics:
                values = self.values(name, m)
                out[name, m] = GroupMean(
                    name, m, values[~np.isnan(values)], self.confidence_level, overlap=self.overlap, unit=self.unit
                )
        return out

    def _within_error(self, ranker: str, wanted: Metric) -> float:
        there = ~np.isnan(self.groups.lists[ranker].values[wanted])
        errors = self.groups.estimates(ranker, wanted).standard_error[there]
        return math.sqrt(np.sum(errors**2)) / self._means[ranker, wanted].n_groups

    @property
    def pooled(self) -> Evaluation:
        """The evaluation of all subjects pooled (micro average); scores must be comparable between groups.

        Subjects of groups that were left out are included.

        Raises
        ------
        ParameterError
            If the groups came as tables, whose subjects have no common list, or are folds that test subjects more than
            once.
        """
        if self._pooled is None and self.overlap:
            raise ParameterError(
                "these folds test subjects more than once, so their tests cannot be pooled into one list of subjects"
            )
        if self._pooled is None:
            raise ParameterError(
                "groups given as tables cannot be pooled into one list of subjects: evaluate labels and scores"
            )
        return self._pooled

    # ---- out

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
                "lowest": mean.lowest,
                "highest": mean.highest,
                "within_error": within,
            }
            if why := self._why_not(mean, within):
                record["reason"] = why
            out.append(record)
        return out

    def _why_not(self, mean: GroupMean, within: float) -> str:
        """Return why the mean, its interval or the error within groups cannot be had; empty if all three can."""
        if not mean.n_groups:
            return f"{mean.metric} is undefined in every {self.called_one}{self._as_in(mean)}"
        if not mean.is_mean:
            return f"{mean.metric} is a {mean.kind} over {self.unit}, which has no interval"
        lacking = []
        if mean.n_groups < 2:
            lacking.append(f"an interval of a mean needs at least 2 {self.unit}, got 1")
        if math.isnan(within):
            errors = self.groups.estimates(mean.ranker, mean.metric)
            none = np.flatnonzero(np.isnan(errors.standard_error) & ~np.isnan(errors.value))
            names = rows.some([self.groups.names[place] for place in none.tolist()])
            lacking.append(
                f"within_error takes a standard error in every {self.called_one}, and {none.size} of {len(self)} have "
                f"none ({names}{f': {why}' if (why := errors.reason[none[0]]) else ''})"
            )
        return "; ".join(lacking)

    def _as_in(self, mean: GroupMean) -> str:
        """Return why a metric without a mean is undefined in the first group."""
        return f", as in {self.groups.names[0]!r}: {self.groups.lists[mean.ranker].swept.undefined[mean.metric][0]}"

    def to_frame(self, per: str = "group", *, wide: bool = False, backend: str | None = None) -> Any:
        """Return the numbers as a data frame.

        Parameters
        ----------
        per : {"group", "mean"}
            A row for each group, ranker and metric with the columns of :meth:`hitcurve.Evaluation.to_frame`; or a
            row for each ranker and metric: mean, standard error, interval, number of groups, standard deviation,
            median, lowest, highest, and the standard error within groups.
        wide : bool
            One column for each metric, with a row for each group and ranker, or for each ranker; where a metric is
            undefined, the column ``reason`` says why.
        backend : {"pandas", "polars", "pyarrow"}, optional
        """
        _checks.choice("per", per, ROWS_PER)
        if _checks.flag("wide", wide):
            columns: Mapping[str, Any] = self._wide(per)
        elif per == "mean":
            columns = columns_of(self._mean_records, MEAN_COLUMNS)
        else:  # text as lists: of arrays of objects, frames do not see that they are text
            columns = {k: v.tolist() if v.dtype.kind == "O" else v for k, v in self.columns.items()}
        return to_frame(columns, self.backend if backend is None else backend)

    def _wide(self, per: str) -> dict[str, list[Any]]:
        """Return the columns of a frame with one for each metric."""
        records = records_of(self.columns) if per == "group" else [rows.plain(one) for one in self._mean_records]
        keys, key = (("group", "ranker"), "value") if per == "group" else (("ranker",), "mean")
        every = len(self.metrics)
        columns: dict[str, list[Any]] = {name: [record[name] for record in records[::every]] for name in keys}
        for place, m in enumerate(self.metrics):
            columns[str(m)] = [math.nan if one[key] is None else one[key] for one in records[place::every]]
        why = [
            "; ".join(f"{one['metric']}: {one['reason']}" for one in records[at : at + every] if one[key] is None)
            for at in range(0, len(records), every)
        ]
        return columns | ({"reason": why} if any(why) else {})

    def scalars(self, per: str = "mean") -> dict[str, float]:
        """Return each number under a flat name, for experiment loggers; see :meth:`hitcurve.Evaluation.scalars`.

        Parameters
        ----------
        per : {"mean", "group"}
            Means over groups, named ``ranker/metric``, or the numbers of each group, ``group/ranker/metric``.
        """
        return numbers_of(self._named(per))

    def reasons(self, per: str = "mean") -> dict[str, str]:
        """Return the reasons of numbers that :meth:`scalars` leaves out."""
        return reasons_of(self._named(per))

    def _named(self, per: str) -> Iterator[tuple[str, Any]]:
        _checks.choice("per", per, ROWS_PER)
        if per == "mean":
            return keyed(self._mean_records, "mean", ("ranker", "metric"))
        return keyed(records_of(self.columns), "value", ("group", "ranker", "metric"))

    @property
    def cautions_of_pooled(self) -> list[str]:
        """Caveats on the intervals of the pooled list, if there is one."""
        return [] if self._pooled is None else [f"all subjects pooled: {text}" for text in self._pooled.cautions]

    @property
    def cautions_of_means(self) -> list[str]:
        """Caveats on means of metrics that few negatives of many groups decide, at a prevalence that was set."""
        return about_means(next(iter(self.groups.lists.values())), self.metrics, self.called)

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """Caveats on clusters, means and intervals of the pooled list, and on those of single groups unless over 40."""
        own: list[str] = []
        if len(self) <= MOST_SHOWN:
            each = [ev.cautions for ev in self.groups.values()]
            own = cautions_of_groups(self.groups.names, each, self.called)
        clustered = [OF_CLUSTERS] if self.groups.clustered else []
        return (*clustered, *self.cautions_of_means, *self.cautions_of_pooled, *own)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain lists and dictionaries, with the version of their schema, for JSON.

        Records have the same keys whatever the data; what is undefined or not available is None.
        """
        return {
            "schema": SCHEMA,
            "by": self.by,
            "rankers": list(self.rankers),
            "metrics": [str(m) for m in self.metrics],
            "left_out": dict(self.left_out),
            "single_class": self.single_class,
            "overlap": self.overlap or None,
            "means": [rows.plain(dict.fromkeys(MEAN_COLUMNS) | record) for record in self._mean_records],
            "groups": records_of(self.columns),
            **({} if self._pooled is None else {"pooled": self._pooled.to_dict()["results"]}),
            "notes": list(self.notes),
            "cautions": list(self.cautions),
            "warnings": [{"kind": type(w).__name__, "message": str(w)} for w in self.warnings],
        }
