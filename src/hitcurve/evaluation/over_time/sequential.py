"""Two rankers compared while labels arrive, batch by batch."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._callers import warn
from hitcurve.counts import AnyArray
from hitcurve.errors import (
    DirectionWarning,
    HitcurveWarning,
    InputError,
    InsufficientDataError,
    SingleClassError,
    UndefinedMetricError,
)
from hitcurve.evaluation.api import evaluate
from hitcurve.evaluation.over_time.arrival import rank_correlation
from hitcurve.evaluation.result import Evaluation
from hitcurve.immutable import Accumulated
from hitcurve.inference import Comparison, ConfidenceInterval, Estimate
from hitcurve.inference.comparing.looks import Looks, Price
from hitcurve.metrics import AUC, Metric
from hitcurve.metrics import metric as named
from hitcurve.metrics.remarks import about_direction, areas_of
from hitcurve.sources import columns

_IN_ORDER = 5.0  # standard errors of the rank correlation of arrival and score that random order never reaches
_REFUSED = 0.3  # rank correlation
_CLEARLY = 2.0  # standard errors by which an AUC must be below one half to be said


@dataclass(frozen=True)
class Look:
    """State of a comparison after a batch of labels.

    Attributes
    ----------
    number : int
        From 1.
    n_labels, n_pos : int
        So far.
    comparison : Comparison or None
        The test at this look; None while it cannot be made.
    interval : ConfidenceInterval or None
        Where the intervals of all looks so far agree. They hold at all looks together, so their common part does.
    pvalue : float
        The smallest so far; 1 before the first test.
    reason : str or None
        Why there is no test at this look.
    """

    number: int
    n_labels: int
    n_pos: int
    comparison: Comparison | None
    interval: ConfidenceInterval | None
    pvalue: float
    reason: str | None = None

    def to_record(self) -> dict[str, Any]:
        """Return the look as plain values, of the same keys whatever is known."""
        c = self.comparison
        low, high = (None, None) if self.interval is None else self.interval
        return {
            "look": self.number,
            "labels": self.n_labels,
            "positives": self.n_pos,
            "first": None if c is None else c.values[0],
            "second": None if c is None else c.values[1],
            "difference": None if c is None else c.difference.value,
            "low": low,
            "high": high,
            "pvalue": self.pvalue,
            "reason": self.reason,
        }


class SequentialComparison(Accumulated):
    """Compare two rankers while labels arrive, and stop as soon as they differ.

    After each batch of labels both rankers are compared on all subjects labelled so far. P values and intervals hold
    at all looks together: with probability 0.95 the true difference is inside the interval at every look. So labelling
    may stop at any look, or go on.

    Subjects must be labelled in random order. Whether labels arrive in the order of a score is checked from batch to
    batch; within the first batch it cannot be seen.

    Parameters
    ----------
    metric : str or Metric
    horizon : int
        Labels expected in all (``anytime``: the method stays valid where fewer or more arrive in the end, but
        ``horizon`` must not be changed), or at the end (``obrien-fleming``).
    method : {"anytime", "obrien-fleming"}
        ``anytime`` is an asymptotic confidence sequence with t quantiles, for any number of looks and no end.
        ``obrien-fleming`` is narrower, and ends at the horizon.
    target : {"population", "pool"}
        What the difference is of: the population, or (``anytime`` only, from 40 positives on) this pool of ``horizon``
        subjects once all of them are labelled.
    confidence_level : float in (0, 1)
    null : float
        Difference under the null hypothesis.
    names : (str, str)
        Of the two rankers.
    pos_label : object, optional
    higher_is_better : bool or mapping of str to bool
        As in :func:`hitcurve.evaluate`.

    Attributes
    ----------
    looks : tuple of Look
    price : Price
        What looking costs beside one test of all labels; not of a pool, whose interval shrinks to a point.

    See Also
    --------
    SequentialHits : An exact test of the hits in two top lists, where the scores of all subjects are known.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> test = SequentialComparison("ap", horizon=3000)
    >>> while not test.decided and test.n_labels < 3000:
    ...     y = rng.random(300) < 0.1
    ...     common = rng.normal(size=300)
    ...     look = test.update(y, common + rng.normal(size=300) + 2.2 * y, common + rng.normal(size=300) + 1.5 * y)
    >>> look.n_labels, look.n_pos, round(look.comparison.difference.value, 2), look.pvalue < 0.05
    (600, 74, 0.22, True)
    """

    def __init__(
        self,
        metric: str | Metric,
        *,
        horizon: int,
        method: str = "anytime",
        target: str = "population",
        confidence_level: float = 0.95,
        null: float = 0.0,
        names: tuple[str, str] = ("first", "second"),
        pos_label: Any = None,
        higher_is_better: bool | Mapping[str, bool] = True,
    ) -> None:
        self.metric = named(metric)
        self.confidence_level = _checks.level("confidence_level", confidence_level)
        self.null = _checks.moderate_number("null", null)
        self.names = (str(names[0]), str(names[1]))
        _checks.distinct("ranker", list(self.names))
        self.looks: tuple[Look, ...] = ()
        self._how = Looks(method, horizon, target)
        self._options: dict[str, Any] = {"pos_label": pos_label, "higher_is_better": higher_is_better}
        self._held: tuple[AnyArray, ...] = ()
        self._sizes: tuple[int, ...] = ()
        self._told: set[str] = set()

    @property
    def n_labels(self) -> int:
        """Labels so far."""
        return self.looks[-1].n_labels if self.looks else 0

    @property
    def decided(self) -> bool:
        """Whether the null difference was rejected at some look."""
        return bool(self.looks) and self.looks[-1].pvalue <= 1 - self.confidence_level

    @property
    def price(self) -> Price:
        """Loss of precision from repeated looks, compared with one test of all labels.

        Raises
        ------
        ParameterError
            If the target is the pool, of which no test of all labels is left to compare.
        """
        return self._how.price(self.confidence_level)

    def update(self, y_true: Any, first: Any, second: Any) -> Look:
        """Add the labels and scores of more subjects, and compute one more look.

        Parameters
        ----------
        y_true, first, second : array-like (n,)
            Of this batch.

        Returns
        -------
        Look

        Raises
        ------
        InputError
            If the labels arrive in the order of a score, or one of its kinds for input that cannot be evaluated. The
            batch is not taken then.
        ParameterError
            If there are more labels than ``horizon``, where the method or the pool ends there.
        """
        parts = (columns.labels("y_true", y_true), columns.scores("first", first), columns.scores("second", second))
        given = dict(zip(("y_true", *self.names), parts, strict=True))
        size = _checks.same_length({name: part.values for name, part in given.items()})
        for name, part in given.items():
            if part.gone is not None:
                raise InputError(f"{int(part.gone.sum())} of {size} values of {name} are missing: leave them out")
        batch = [part.values for part in parts]
        held = batch if not self._sizes else [np.concatenate(both) for both in zip(self._held, batch, strict=True)]
        return self._taken(held, (*self._sizes, size))

    def look_at(self, y_true: AnyArray, first: AnyArray, second: AnyArray, looks: int) -> None:
        """Look as planned at subjects that are all there, none of them missing, until the test is decided.

        Parameters
        ----------
        y_true, first, second : array (n,)
            They are not copied.
        looks : int
            Up to the horizon, as of :meth:`schedule`.
        """
        sizes: list[int] = []
        for end in self.schedule(looks, len(y_true)):
            sizes.append(end - sum(sizes))
            self._taken([column[:end] for column in (y_true, first, second)], sizes)
            if self.decided:
                return

    def _taken(self, held: Sequence[AnyArray], sizes: Sequence[int]) -> Look:
        """Make a look at all subjects so far, who came in batches of these sizes."""
        y, scores = held[0], dict(zip(self.names, held[1:], strict=True))
        self._check_order(sizes, scores)
        look = self._look(y, scores)
        self._held, self._sizes = tuple(held), tuple(sizes)
        self.looks = (*self.looks, look)
        return look

    def _look(self, y: AnyArray, scores: dict[str, AnyArray]) -> Look:
        test: Comparison | None = None
        reason, n_pos = None, 0
        try:
            ev = self._evaluated(y, scores)
            n_pos = int(next(iter(ev.tables.values())).n_pos)
            test = ev._pairs.compare(
                *self.names,
                self.metric,
                null=self.null,
                alternative="two-sided",
                method=self._how.method,
                n_resamples=None,
                rng=None,
                looks=self._how,
            )
        except (InsufficientDataError, SingleClassError, UndefinedMetricError) as error:
            reason = str(error)
        else:
            self._tell_direction(ev)
        before = self.looks[-1] if self.looks else None
        interval, pvalue = (None, 1.0) if before is None else (before.interval, before.pvalue)
        if test is not None:
            pvalue = min(pvalue, test.pvalue)
            interval = self._common(interval, test.difference.confidence_interval())
        return Look(len(self.looks) + 1, y.size, n_pos, test, interval, pvalue, reason)

    def _evaluated(self, y: AnyArray, scores: dict[str, AnyArray]) -> Evaluation:
        """Evaluate all labels so far; each warning is given once, not at every look."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HitcurveWarning)
            found: Evaluation = evaluate(
                y, scores, metrics=self.metric, confidence_level=self.confidence_level, **self._options
            )
        for warning in found.warnings:
            kind = type(warning).__name__
            if kind not in self._told and not isinstance(warning, DirectionWarning):
                self._told.add(kind)
                warn(warning)
        return found

    def _tell_direction(self, ev: Evaluation) -> None:
        """Warn once of rankers whose AUC is below one half beyond the noise of the labels so far."""
        if DirectionWarning.__name__ in self._told:
            return
        low = {}
        for name, area in areas_of(ev.tables).items():
            error = Estimate(name, AUC(), area, ev.tables[name], ev.design).standard_error
            if area + _CLEARLY * error < 0.5:
                low[name] = area
        for warning in about_direction(low):
            self._told.add(DirectionWarning.__name__)
            warn(warning)

    def _common(self, before: ConfidenceInterval | None, now: ConfidenceInterval) -> ConfidenceInterval:
        if before is None:
            return ConfidenceInterval(*now)
        low, high = max(before.low, now.low), min(before.high, now.high)
        if low <= high:
            return ConfidenceInterval(low, high)
        warn(
            HitcurveWarning(
                f"the intervals of two looks exclude each other ({rows.number(before.low)} to "
                f"{rows.number(before.high)}, and {rows.number(now.low)} to {rows.number(now.high)}): the difference "
                "has changed, or the labels do not arrive in random order"
            )
        )
        return ConfidenceInterval(*now)

    def _check_order(self, sizes: Sequence[int], scores: dict[str, AnyArray]) -> None:
        """Refuse labels that arrive in the order of a score.

        Raises
        ------
        InputError
            If the absolute rank correlation of batch and score is above 0.3 and more than 5 standard errors from 0.
        """
        for name, s in scores.items():
            r = rank_correlation(sizes, s)
            z = abs(r) * math.sqrt(max(s.size - 1, 0))
            if z <= _IN_ORDER:
                continue
            words = (
                f"labels seem to arrive in the order of the scores of {name!r} (rank correlation {r:.2f} over the "
                "batches)"
            )
            if abs(r) > _REFUSED:
                raise InputError(
                    f"{words}: label a random sample first, because no early look is valid for such an order"
                )
            if "order" not in self._told:
                self._told.add("order")
                warn(HitcurveWarning(f"{words}: looks are valid for labels in random order only"))

    def to_records(self) -> list[dict[str, Any]]:
        """Return all looks as plain values."""
        return [rows.plain(look.to_record()) for look in self.looks]

    def schedule(self, looks: int, n_labels: int) -> list[int]:
        """Return the numbers of labels at which to look: evenly spaced up to the horizon, and the last one.

        Parameters
        ----------
        looks : int
            Up to the horizon.
        n_labels : int
            Labels there are.
        """
        planned = [round(self._how.horizon * (k + 1) / looks) for k in range(looks)]
        return sorted({*(end for end in planned if 0 < end < n_labels), n_labels})

    def heading(self) -> list[str]:
        """Return a description of the comparison and of its looks."""
        end = "ends at" if self._how.method == "obrien-fleming" else "expects"
        names = " - ".join(self.names)
        how = f"{self._how.method}, {end} {self._how.horizon:,} labels"
        return [f"{self.metric}: {names}, {how}, target: {self._how.target_text}"]

    def notes(self) -> list[str]:
        """Return notes on the cost of repeated looks, and reasons for looks without a test."""
        cost = f"note: {self._how.end}" if self._how.target == "pool" else f"price: {self.price}"
        return [cost, *(f"note: {text}" for text in self._without_test())]

    def _without_test(self) -> list[str]:
        """Return for each run of looks without a test why its last one has none."""
        if not self.looks:
            return ["no labels yet"]
        said = []
        for lacks, run in groupby(self.looks, lambda look: look.reason is not None):
            first, *others = run
            last = [first, *others][-1]
            if lacks and others:
                said.append(f"looks {first.number} to {last.number} have no test; at look {last.number}, {last.reason}")
            elif lacks:
                said.append(f"look {first.number} has no test: {first.reason}")
        return said

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: one row for each look."""
        header = ["look", "labels", "positives", *self.names, "difference", "interval at all looks", "p value"]
        body = []
        for look in self.looks:
            r = look.to_record()
            numbers = [rows.number(r[key]) if r[key] is not None else "" for key in ("first", "second", "difference")]
            together = "" if look.interval is None else " to ".join(map(rows.number, look.interval))
            counts = [str(look.number), rows.count(look.n_labels), rows.count(look.n_pos)]
            body.append([*counts, *numbers, together, rows.short(look.pvalue, 3)])
        return header, body

    def __str__(self) -> str:
        """Return the looks as a table, what they say together, and what looking costs."""
        header, body = self.table_rows()
        table = rows.text_table(header, body) if body else ""
        return "\n".join(filter(None, [rows.text_lines(self.heading()), table, rows.text_lines(self.notes())]))

    def __repr__(self) -> str:
        """Return the metric, how it is looked at and how many labels there are."""
        return f"<SequentialComparison of {self.metric}: {len(self.looks)} looks, {self.n_labels} labels>"
