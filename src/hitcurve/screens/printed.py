"""A screen in words and tables: the best markers first, and all of them as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import HitcurveWarning, MissingValueWarning
from hitcurve.metrics import Metric
from hitcurve.screens.adjusting import WORDS
from hitcurve.screens.numbers import Numbers
from hitcurve.screens.tabular import SHOWN, Tabular, json_of
from hitcurve.screens.testing import CLUSTERED_ORDERS, ORDERS, random_mean

LEVEL = 0.05
"""Of the adjusted p values that are counted."""
COLUMNS = (
    "marker",
    "metric",
    "rank",
    "value",
    "standard_error",
    "low",
    "high",
    "level",
    "method",
    "pvalue",
    "adjusted",
    "adjustment",
    "direction",
    "n",
    "n_pos",
    "missing",
    "tied",
    "random",
    "momentum",
    "reason",
)


@dataclass(frozen=True, eq=False)
class PrintedNumbers(Tabular, Numbers):
    """How the numbers of a screen are shown."""

    # ---- words

    def heading(self) -> list[str]:
        """Return a description of the data and of the directions."""
        positives, negatives = self.subjects.sizes
        n = positives + negatives
        at = "" if self.subjects.prevalence is None else f", evaluated at a prevalence of {self.subjects.prevalence:g}"
        count = len(self.names)
        lines = [
            f"{counted_markers(count)} of {rows.count(n)} subjects, {rows.count(positives)} positive "
            f"({100 * positives / n:.3g}%){at}"
        ]
        if self.chosen.any():
            low = int(np.sum(self.chosen & (self.direction == "low")))
            of = "all markers" if self.chosen.all() else counted_markers(int(self.chosen.sum()))
            lines.append(f"direction of {of} chosen by AUC ({low:,} low), with p values doubled for the choice")
        return lines

    def notes(self) -> list[str]:
        """Return notes on intervals, p values and markers that stand out."""
        level = rows.short(100 * self.confidence_level)
        small = [
            f"{int(np.sum(p <= LEVEL)):,} by {metric}" for metric, p in zip(self.metrics, self.adjusted, strict=True)
        ]
        out = [
            f"adjusted p <= {LEVEL} ({WORDS[self.adjust]}, {counted_markers(len(self.names))}): {rows.listed(small)}",
            f"in brackets, {level}% intervals of each marker alone: they do not allow for the choice of the best, as "
            "those of top() (--best) do",
        ]
        out += self._without_interval()
        for metric, methods in self.test_methods.items():
            out.append(f"one-sided p values of {metric} by {rows.listed(list(methods))}")
        for of, p in zip(self.metrics, self.pvalue, strict=True):
            if lacking := int(np.isnan(p).sum()):
                out.append(f"{_have(lacking)} no p value by {of}: it needs a value")
        if any(one.startswith("random orders") for methods in self.test_methods.values() for one in methods):
            seed = "" if self.seed is None else f", seed {self.seed}"
            out.append(f"up to {self.n_resamples:,} random orders{seed}")
            out += self._too_few_orders()
        if self.duplicates:
            pairs = [f"{name} = {first}" for name, first in self.duplicates.items()]
            out.append(f"{_have(len(pairs))} all values of an earlier one: {rows.some(pairs)}")
        return out + [f"warning: {message}" for message in self.warnings]

    def _without_interval(self) -> list[str]:
        """Return why some of the best markers have no interval, by the first of them, or what it hardly says."""
        best = self.order()[:SHOWN]
        out = []
        for place, metric in enumerate(self.metrics):
            reasons = [reason for reason in self._interval_at(place, best).reason.tolist() if reason]
            if reasons:
                of = f"{len(reasons)} of the best {best.size}" if len(reasons) < best.size else "the best"
                out.append(f"no interval of {metric} for {of}: {reasons[0]}")
            out += self._few_decide(place)
        return out

    def _too_few_orders(self) -> list[str]:
        """Return a note where the smallest p value that random orders can show is too large for so many markers."""
        least = (1.0 + self.chosen) / (self.n_resamples + 1)
        out = []
        for metric, p, more in zip(self.metrics, self.pvalue, self.adjusted, strict=True):
            at_end = (p <= least) & (more > LEVEL)
            methods = self.test_methods[str(metric)]
            if (ORDERS in methods or CLUSTERED_ORDERS in methods) and at_end.any():
                weighted = "" if CLUSTERED_ORDERS in methods else "orders='weighted' (--orders weighted), or "
                out.append(
                    f"too few random orders for so many markers: p values of {int(at_end.sum())} by {metric} are as "
                    f"small as they can be; pass {weighted}more n_resamples (--n-resamples)"
                )
        return out

    @property
    def warnings(self) -> tuple[HitcurveWarning, ...]:
        """Markers that were left out, and subjects without a value."""
        out: list[HitcurveWarning] = []
        if self.left_out:
            out.append(
                HitcurveWarning(
                    f"{len(self.left_out):,} of {len(self.left_out) + len(self.names):,} markers left out: "
                    f"{'; '.join(self.left_out.lines())}"
                )
            )
        lacking = int(np.sum(self.missing > 0))
        if lacking:
            what = "ranked last" if self.subjects.missing == "last" else "left out of the ranking"
            out.append(
                MissingValueWarning(
                    f"{_have(lacking)} missing values, {int(self.missing.sum()):,} in all: subjects are {what} there"
                )
            )
        return tuple(out)

    # ---- tables

    def table_rows(self, shown: int | None = SHOWN) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: the best markers by the first metric.

        Parameters
        ----------
        shown : int or None
            How many; None for all.
        """
        best = self.order()[:shown]
        header, columns = ["marker"], [[self.names[place] for place in best.tolist()]]
        if (self.direction[best] == "low").any():
            header.append("direction")
            columns.append(self.direction[best].tolist())
        for place, metric in enumerate(self.metrics):
            ends = self._interval_at(place, best)
            header += [str(metric), "p", "adjusted p"]
            columns.append(
                [
                    rows.with_interval(v, None if np.isnan(low) else (low, high))
                    for v, low, high in zip(self.value[place][best].tolist(), ends.low, ends.high, strict=True)
                ]
            )
            columns += [
                ["" if np.isnan(x) else rows.p_alone(x, 3) for x in p[place][best].tolist()]
                for p in (self.pvalue, self.adjusted)
            ]
        return header, [list(line) for line in zip(*columns, strict=True)]

    def more(self, shown: int | None = SHOWN) -> list[str]:
        """Return a line for the markers that a table does not show."""
        hidden = 0 if shown is None else max(len(self.names) - shown, 0)
        return [f"{hidden:,} more marker{'' if hidden == 1 else 's'}, in to_frame() (--top 0)"] if hidden else []

    # ---- data

    def to_columns(self) -> dict[str, AnyArray]:
        """Return all numbers as columns: a row for each marker and metric, best first by the first metric."""
        best = self.order()
        momentum = np.full(best.size, np.nan) if self.momentum is None else self.momentum
        parts: list[dict[str, AnyArray]] = []
        for place, metric in enumerate(self.metrics):
            ends = self.interval(metric)
            there = ~np.isnan(ends.low)
            parts.append(
                {
                    "marker": np.array(self.names, object),
                    "metric": np.full(best.size, str(metric), object),
                    "rank": self.rank(metric),
                    "value": self.value[place],
                    "standard_error": self.standard_error[place],
                    "low": ends.low,
                    "high": ends.high,
                    "level": np.where(there, self.confidence_level, np.nan),
                    "method": ends.method,
                    "pvalue": self.pvalue[place],
                    "adjusted": self.adjusted[place],
                    "adjustment": np.full(best.size, self.adjust, object),
                    "direction": self.direction.astype(object),
                    "n": self.n_pos + self.n_neg,
                    "n_pos": self.n_pos,
                    "missing": self.missing,
                    "tied": self.tied,
                    "random": self.random(metric),
                    "momentum": momentum,
                    "reason": ends.reason,
                }
            )
        # the metrics of a marker stand together
        return {key: np.stack([part[key][best] for part in parts], axis=1).ravel() for key in COLUMNS}

    def random(self, metric: str | Metric | None = None) -> Array:
        """Return the mean of a metric over random orders of as many positives and negatives as each marker has, (m,).

        The orders of average precision have the ties of the marker; orders of other metrics have none. At a set
        prevalence, average precision has the value of one group of tied subjects: the prevalence.
        """
        metric = self.metrics[self.metric_place(metric)]
        classes = Counts(self.n_pos[:, None], self.n_neg[:, None], self.subjects.prevalence)
        return random_mean(metric, classes, self.random_ap)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain lists and dictionaries."""
        return self._head() | {"markers": self.to_records()}

    def _json(self, depth: int) -> Iterator[str]:
        return json_of(self._head(), self.to_columns(), depth)

    def _head(self) -> dict[str, Any]:
        return {
            "n": self.subjects.n,
            "n_pos": self.subjects.sizes[0],
            "design": self.subjects.design,
            "prevalence": self.subjects.prevalence,
            "level": self.confidence_level,
            "adjustment": self.adjust,
            "test_methods": {metric: list(methods) for metric, methods in self.test_methods.items()},
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "left_out": dict(self.left_out),
            "duplicates": dict(self.duplicates),
        }


def _have(count: int) -> str:
    return f"{counted_markers(count)} {'has' if count == 1 else 'have'}"


def counted_markers(count: int) -> str:
    """Return a number of markers in words."""
    return f"{count:,} marker{'' if count == 1 else 's'}"
