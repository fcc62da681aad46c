"""A metric by day: a band for all days at once, a test of equality, and where the level changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError, SingleClassError
from hitcurve.evaluation.api import evaluate
from hitcurve.evaluation.over_time.given_days import caution_of_bins, one_for_each
from hitcurve.evaluation.over_time.levels import (
    METHOD,
    Change,
    Days,
    OddDay,
    end_of,
    heterogeneity,
    marks_of,
)
from hitcurve.evaluation.result import Evaluation
from hitcurve.immutable import Compared
from hitcurve.inference.resampling.resample import generator, seed_of_values, seeded
from hitcurve.inference.variance.lacking import too_few
from hitcurve.inference.variance.parts import parts_of
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as read_metric
from hitcurve.refusals import raise_first
from hitcurve.sheets import Section, Sheets
from hitcurve.sources import to_frame
from hitcurve.table import HitTable
from hitcurve.tables import Tables

CHANGE, ODD = "change", "differs"  # marks of days
_DRAWS = 10_000
_FEW, _FEW_ABOVE = 15, 5
_MERGE = "merge days (hitcurve merge)"


class Level(NamedTuple):
    """Days between two changes.

    Attributes
    ----------
    first, last : str
    days : int
    mean : float
        The weighted mean, without odd days.
    """

    first: str
    last: str
    days: int
    mean: float


@dataclass(frozen=True, eq=False)
class Drift(Compared, Sheets):
    """A metric by day.

    Attributes
    ----------
    metric : Metric
    days : tuple of str
    values, standard_errors : array (D,)
    weights : array (D,)
        1/(V1/n1 + V0/n0) of each day, of n1 positives and n0 negatives, with the variances of one positive and of one
        negative pooled over all days. Tests and means of a period pool over its days.
    low, high : array (D,)
        A band that contains the values of all days at once: each day has its interval at the level
        ``confidence_level ** (1 / D)`` (Šidák; days are independent).
    confidence_level : float
    mean : float
        Weighted mean of all days.
    q, q_degrees, q_pvalue : float
        Cochran's Q, the test that all days have one value, by F: Q/(D - 1) has D - 1 and ``q_degrees`` degrees of
        freedom, since errors are pooled over days.
    pvalue : float
        Of the same, by the largest standardized difference of both sides of a split or of a day from the others.
    largest : Change
        The most likely change of all days but the odd ones, significant or not.
    changes : tuple of Change
        Changes with p values of at most ``1 - confidence_level``, found by dividing at each and looking again on both
        sides. p values after the first are those of periods that were chosen by the data.
    odd_days : tuple of OddDay
        Days that differ from the others of their level, likewise. A day is odd where that says more than a change
        beside it does; the first and the last one differ by a change.
    draws, seed : int
        Of the distribution under no change.
    cautions : tuple of str
        Why the tests may be less exact than they say: days of few subjects, or of different bins.
    ranker : str or None
        Whose tables they are, where these say so.
    """

    metric: Metric
    days: tuple[str, ...]
    values: Array
    standard_errors: Array
    weights: Array
    low: Array
    high: Array
    confidence_level: float
    mean: float
    q: float
    q_degrees: float
    q_pvalue: float
    pvalue: float
    largest: Change
    changes: tuple[Change, ...]
    odd_days: tuple[OddDay, ...]
    draws: int
    seed: int | None
    cautions: tuple[str, ...] = ()
    ranker: str | None = None
    _tested: Days = field(kw_only=True, repr=False, compare=False)

    @property
    def looked_at(self) -> str:
        """The metric, and of which ranker, in words."""
        return str(self.metric) if self.ranker is None else f"{self.metric} of {self.ranker}"

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each day: day, value, standard_error, low, high, changed, odd."""
        first = {change.first for change in self.changes}
        odd = {one.day for one in self.odd_days}
        columns = zip(self.days, self.values, self.standard_errors, self.low, self.high, strict=True)
        names = ("value", "standard_error", "low", "high")
        return [
            {
                "day": day,
                **dict(zip(names, map(float, numbers), strict=True)),
                "changed": day in first,
                "odd": day in odd,
            }
            for day, *numbers in columns
        ]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the records as a data frame."""
        records = self.to_records()
        return to_frame({name: [record[name] for record in records] for name in records[0]}, backend)

    def levels(self) -> list[Level]:
        """Return the periods between changes, with their means."""
        starts = [0, *(self.days.index(change.first) for change in self.changes)]
        odd = {one.day for one in self.odd_days}
        found = []
        for start, end in zip(starts, [*starts[1:], len(self.days)], strict=True):
            own = [day for day in range(start, end) if self.days[day] not in odd]
            mean = self._tested.of(own).mean()
            found.append(Level(self.days[start], self.days[end - 1], end - start, mean))
        return found

    def marks(self) -> dict[str, str]:
        """Return what is said of days at which the level changes, or that differ from their level."""
        changes = {change.first: CHANGE for change in self.changes}
        return {**changes, **{one.day: ODD for one in self.odd_days}}

    def heading(self) -> list[str]:
        """Return what was looked at, and the test that all days have one value, in words."""
        return [
            f"{self.looked_at} on {len(self.days)} days, mean {rows.number(self.mean)}; intervals contain all days at "
            f"once with {100 * self.confidence_level:g}% confidence (Šidák)",
            f"equality of all days: Cochran's Q {self.q:.3g}, {len(self.days) - 1} and {self.q_degrees:.3g} degrees of "
            f"freedom, p {self.q_pvalue:.3g}; the largest contrast of a split or a single day, p {self.pvalue:.3g}",
        ]

    def notes(self) -> list[str]:
        """Return the changes and how they were found, in words."""
        found = [
            f"change on {change.first}: {rows.number(change.before)} from {change.start} until the day before, "
            f"{rows.number(change.after)} from {change.first} to {change.end}, largest |z| {change.statistic:.3g}, "
            f"p {change.pvalue:.3g}"
            for change in self.changes
        ]
        if not self.changes:
            found.append(
                f"no change of level at {100 * (1 - self.confidence_level):.3g}%: the largest |z| is "
                f"{self.largest.statistic:.3g} at {self.largest.first}, p {self.largest.pvalue:.3g}"
            )
        found += [
            f"{one.day} differs from the other days of its level: {rows.number(one.value)}, the others "
            f"{rows.number(one.others)}, |z| {one.statistic:.3g}, p {one.pvalue:.3g}"
            for one in self.odd_days
        ]
        seed = "" if self.seed is None else f", seed {self.seed}"
        return [*found, *self.cautions, f"changes: {METHOD} ({self.draws:,} draws{seed})"]

    def sections(self) -> list[Section]:
        """Return the days and the levels."""
        marks = self.marks()
        columns = zip(self.days, self.values, self.standard_errors, self.low, self.high, strict=True)
        days = [
            [
                day,
                rows.number(value),
                rows.number(error, 3),
                f"{rows.number(low)} to {rows.number(high)}",
                *([marks.get(day, "")] if marks else []),
            ]
            for day, value, error, low, high in columns
        ]
        header = ["day", str(self.metric), "s.e.", "all days at once", *(["mark"] if marks else [])]
        levels = [[one.first, one.last, str(one.days), rows.number(one.mean)] for one in self.levels()]
        return [
            Section("", header, days),
            Section("", ["from", "to", "days", f"mean {self.metric}"], levels),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the ranker, the days, the changes and the levels as plain lists and dictionaries, for JSON."""
        return rows.plain(
            {
                "ranker": self.ranker,
                "days": self.to_records(),
                "changes": [change._asdict() for change in self.changes],
                "odd_days": [one._asdict() for one in self.odd_days],
                "levels": [level._asdict() for level in self.levels()],
                "notes": [*self.heading(), *self.notes()],
            }
        )


def drift(
    tables: Mapping[str, HitTable | Tables],
    metric: str | Metric,
    *,
    confidence_level: float = 0.95,
    draws: int = _DRAWS,
    rng: Any = None,
) -> Drift:
    """Look for changes of a metric over days, each with the hit table of its own subjects.

    Parameters
    ----------
    tables : mapping of str to HitTable or Tables
        Of each day, in their order. Tables need not be on the same scores. Days are taken as independent. A
        :class:`Tables` of one ranker says which one it is, whether lower scores are better, and whether subjects had
        weights; a :class:`HitTable` does not.
    metric : str or Metric
    confidence_level : float in (0, 1)
        Of the band; one minus it is the level of the test of changes.
    draws : int
        Draws of the largest statistic under no change.
    rng : None, int or numpy.random.Generator
        Where it is None, a seed is derived from the values.

    Returns
    -------
    Drift

    Raises
    ------
    ParameterError
        If there are fewer than 2 days, or the tables of a day are not those of one ranker on one list.
    GridMismatchError
        If days have different rankers, or lower scores are better, or subjects have weights, on some days only.
    SingleClassError
        If a day has no positive or no negative.
    InsufficientDataError
        If a day has too few subjects for an interval, or all days have a standard error of 0.

    Examples
    --------
    >>> import numpy as np
    >>> import hitcurve as hc
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat([1, 0], [60, 600])
    >>> days = {
    ...     f"day {day}": hc.HitTable.from_scores(y, rng.normal(size=660) + (1.5 if day < 6 else 0.5) * y)
    ...     for day in range(10)
    ... }
    >>> found = drift(days, "auc")
    >>> [change.first for change in found.changes]
    ['day 6']
    """
    if not isinstance(tables, Mapping):
        raise ParameterError(f"tables must be a mapping of days to their hit tables, got {tables!r}")
    if len(tables) < 2:
        raise ParameterError(too_few_days(list(tables)))
    level = _checks.level("confidence_level", confidence_level)
    draws = _checks.resamples(draws, name="draws")
    wanted = read_metric(metric)
    of_days, ranker = one_for_each(tables)
    try:
        ev: Evaluation = evaluate(tables=of_days, metrics=[wanted], confidence_level=level ** (1 / len(tables)))
    except SingleClassError:
        for day, table in of_days.items():
            try:
                wanted.value(table)
            except SingleClassError as reason:
                raise SingleClassError(f"{day}: {reason}; leave the day out, or merge days (hitcurve merge)") from None
        raise
    days, estimates = tuple(ev.rankers), [ev[day, wanted] for day in ev.rankers]
    spreads = [Spread(wanted, ev.tables[day], e.design, known=e.value) for day, e in zip(days, estimates, strict=True)]
    ends = []
    for day, estimate, spread in zip(days, estimates, spreads, strict=True):
        try:
            raise_first(too_few(spread, by_name=False))  # no other method can be chosen here
            interval = estimate.confidence_interval()
            error = estimate.standard_error
        except InsufficientDataError as reason:
            raise InsufficientDataError(f"{day}: {reason}; {_MERGE}") from None
        if not error >= 0:
            raise InsufficientDataError(f"{day}: {wanted} has no standard error; {_MERGE}")
        ends.append((interval.low, interval.high, error))
    low, high, errors = np.array(ends).T
    if not errors.any():
        raise InsufficientDataError(f"the standard error of {wanted} is 0 on all days; {_MERGE}")
    values = np.array([estimate.value for estimate in estimates])
    rng, seed = seeded(rng, lambda: seed_of_values(values))
    counted = spreads[0].step is not None
    best = np.array([estimate.best for estimate in estimates]) if counted else values
    most = end_of(values, best, wanted.range[1]) if counted else wanted.range[1]
    parts, sizes = parts_of(spreads)
    tested = Days(days, values, parts, sizes, (wanted.range[0], most), counted)
    equality = heterogeneity(tested)
    marks = marks_of(tested, 1 - level, draws, generator(rng))
    return Drift(
        metric=wanted,
        days=days,
        values=values,
        standard_errors=errors,
        weights=tested.weights,
        low=low,
        high=high,
        confidence_level=level,
        mean=tested.mean(),
        q=equality.q,
        q_degrees=equality.degrees,
        q_pvalue=equality.pvalue,
        pvalue=marks.pvalue,
        largest=marks.largest,
        changes=marks.changes,
        odd_days=marks.odd_days,
        draws=draws,
        seed=seed,
        cautions=(*caution_of_bins(of_days), *_cautions(spreads, sizes)),
        ranker=ranker,
        _tested=tested,
    )


def _cautions(spreads: Sequence[Spread], sizes: Array) -> Iterator[str]:
    """Yield why simulated tests rejected more often than their level."""
    axis = None if spreads[0].step is None else spreads[0].step.axis
    few = int(np.sum(sizes.min(axis=1) < _FEW))
    if few:
        yield (
            f"{rows.counted(few, 'day')} with fewer than {_FEW} subjects of a class: of simulated series of so few, "
            f"without a change, tests at 5% marked up to {30 if axis == 'rate' else 12}%; {_MERGE}"
        )
    if axis == "fpr":
        above = np.array([spread.effective[1] * spread.step.place for spread in spreads if spread.step is not None])
        few = int(np.sum(above < _FEW_ABOVE))
        if few:
            yield (
                f"{rows.counted(few, 'day')} with fewer than {_FEW_ABOVE} negatives above the cutoff: where their "
                f"number differs between days, so do values of one ROC curve, and tests mark them as changes; {_MERGE}"
            )


def too_few_days(names: Sequence[object], way: str = "") -> str:
    """Return the refusal of less than two days, with the one that was given."""
    found = f": {rows.visible(str(names[0]))}" if names else ""
    return f"drift compares days, and needs at least 2, got {len(names)}{found}{way}"
