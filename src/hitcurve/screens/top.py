"""The best of many markers, with values that know that they were picked."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.selection.chosen import Chosen
from hitcurve.inference.selection.shrunk import TrueValues
from hitcurve.metrics import Metric
from hitcurve.screens.together import Together
from hitcurve.sources import to_frame

METHODS = ("hybrid", "conditional", "simultaneous")
_STRONG = 0.3  # correlation from which on a note says so
_OF_PROJECTION = 0.1  # of the error that may be made, what goes to the simultaneous interval in the hybrid one
COLUMNS = (
    "marker",
    "metric",
    "direction",
    "rank",
    "rank_low",
    "rank_high",
    "value",
    "low",
    "high",
    "corrected",
    "corrected_low",
    "corrected_high",
    "simultaneous_low",
    "simultaneous_high",
    "stability",
    "pvalue",
    "adjusted",
)


@dataclass(frozen=True)
class TopMarker:
    """One of the best markers.

    Attributes
    ----------
    marker, direction : str
    rank : int
    rank_low, rank_high : int
        Ranks that cannot be excluded, for all markers together.
    value : float
        It is biased upwards by the choice.
    low, high : float
        Interval of the marker alone, which ignores the choice.
    corrected : float
        The mean given how the values of all markers are spread (empirical Bayes).
    corrected_low, corrected_high : float
        Interval given that the marker is among as many best ones as its rank says.
    simultaneous_low, simultaneous_high : float
        An interval that holds for all markers together.
    stability : float
        Share of the draws in which the marker is among as many best ones; nan without intervals, which are drawn from.
    pvalue, adjusted : float
    """

    marker: str
    direction: str
    rank: int
    rank_low: int
    rank_high: int
    value: float
    low: float
    high: float
    corrected: float
    corrected_low: float
    corrected_high: float
    simultaneous_low: float
    simultaneous_high: float
    stability: float
    pvalue: float
    adjusted: float


@dataclass(frozen=True)
class TopMarkers(Sequence[TopMarker]):
    """The best markers by one metric, best first: a sequence of :class:`TopMarker`.

    Attributes
    ----------
    metric : Metric
    markers : tuple of TopMarker
    n_markers : int
        How many markers they were picked from.
    confidence_level : float
    method : {"hybrid", "conditional", "simultaneous"}
        Of the corrected intervals.
    draws : int
    seed : int or None
        Of the draws; None if a generator was given.
    correlation : float
        Mean correlation of the value of the best marker with those of the others; nan of one marker.
    common_error : float
        The standard error that it shares with them: its own times the root of the correlation. All values are too high
        or too low by it at once, and corrected ones are as well.
    cautions : tuple of str
        Why there are no intervals, and what to be wary of in those there are.
    """

    metric: Metric
    markers: tuple[TopMarker, ...]
    n_markers: int
    confidence_level: float
    method: str
    draws: int
    seed: int | None
    correlation: float
    common_error: float
    cautions: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return the number of markers."""
        return len(self.markers)

    def __iter__(self) -> Iterator[TopMarker]:
        """Go through the markers, best first."""
        return iter(self.markers)

    def __getitem__(self, key: Any) -> Any:
        """Return a marker by its place or its name, or several by a slice."""
        if isinstance(key, str):
            key = self.names.index(_checks.named("marker", key, self.names))
        try:
            return self.markers[key]
        except TypeError:
            raise ParameterError(f"ask for a place, a slice or the name of a marker, got {key!r}") from None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the markers, best first."""
        return tuple(one.marker for one in self)

    def heading(self) -> list[str]:
        """Return what the table is of."""
        return [f"best {len(self)} of {self.n_markers:,} markers by {self.metric}"]

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer."""
        level = f"{rows.short(100 * self.confidence_level)}%"
        with_direction = any(one.direction == "low" for one in self)
        header = ["marker", *(["direction"] if with_direction else []), "rank", "value", f"alone {level}"]
        header += [f"corrected [{level}]", f"simultaneous {level}", f"in top {len(self)}", "adjusted p"]
        body = []
        for one in self:
            span = f"{one.rank} ({one.rank_low} to {one.rank_high})"
            alone, together = (
                "" if math.isnan(low) else f"[{rows.number(low, 3)}, {rows.number(high, 3)}]"
                for low, high in ((one.low, one.high), (one.simultaneous_low, one.simultaneous_high))
            )
            corrected = rows.with_interval(one.corrected, (one.corrected_low, one.corrected_high))
            body.append(
                [
                    one.marker,
                    *([one.direction] if with_direction else []),
                    span,
                    rows.number(one.value),
                    alone,
                    corrected,
                    together,
                    "" if math.isnan(one.stability) else f"{100 * one.stability:.0f}%",
                    rows.p_alone(one.adjusted, 3),
                ]
            )
        return header, body

    def notes(self) -> list[str]:
        """Return what the columns mean."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        return [
            "alone: the interval of one marker, which ignores that it was picked for being high",
            "corrected: the mean given how the values of all markers are spread (empirical Bayes), with an interval "
            f"given that the marker is among as many best as its rank says ({self.method})",
            "simultaneous: intervals that hold for all markers together; ranks in parentheses follow from them",
            f"in top {len(self)}: share of {self.draws:,} draws of all markers together{seed}",
            *self._of_correlation(),
            *self.cautions,
        ]

    def _of_correlation(self) -> list[str]:
        """Return a note where values of the markers move together."""
        if not self.correlation >= _STRONG:
            return []
        return [
            f"values move together (mean correlation with the best {self.correlation:.2f}): all are too high or too "
            f"low at once, with a standard error of {rows.number(self.common_error, 2)}, and corrected values with "
            "them; where the data choose directions, rather too high"
        ]

    def __str__(self) -> str:
        """Return the table with notes."""
        header, body = self.table_rows()
        left = tuple(i for i, name in enumerate(header) if name in ("marker", "direction"))
        table = rows.text_table(header, body, left)
        return "\n\n".join(filter(None, [rows.text_lines(self.heading()), table, rows.text_lines(self.notes())]))

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        tables = [rows.html_paragraphs(self.heading()), rows.html_table(*self.table_rows())]
        return rows.html_block([*tables, rows.html_paragraphs(self.notes())])

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        header, body = self.table_rows()
        left = tuple(i for i, name in enumerate(header) if name in ("marker", "direction"))
        parts = [rows.markdown(line) for line in self.heading()]
        return "\n\n".join([*parts, rows.markdown_table(header, body, left), rows.markdown_list(self.notes())]) + "\n"

    def to_latex(self) -> str:
        """Return the table for the booktabs package."""
        header, body = self.table_rows()
        left = tuple(i for i, name in enumerate(header) if name in ("marker", "direction"))
        table = rows.latex_table(header, body, left)
        return "\n".join([rows.latex_comments(self.heading()), table, rows.latex_comments(self.notes())]) + "\n"

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each marker; nan is None."""
        return [
            rows.plain({key: str(self.metric) if key == "metric" else getattr(one, key) for key in COLUMNS})
            for one in self
        ]

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return a data frame with a row for each marker; see :meth:`hitcurve.Screen.to_frame`."""
        columns = {key: [getattr(one, key) for one in self] for key in COLUMNS if key != "metric"}
        return to_frame({"marker": columns.pop("marker"), "metric": [str(self.metric)] * len(self), **columns}, backend)

    def to_csv(self) -> str:
        """Return the rows as CSV, with all digits."""
        return rows.csv_text(self.to_records(), COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values."""
        return {
            "metric": str(self.metric),
            "n_markers": self.n_markers,
            "level": self.confidence_level,
            "method": self.method,
            "draws": self.draws,
            "seed": self.seed,
            **rows.plain({"correlation": self.correlation, "common_error": self.common_error}),
            "cautions": list(self.cautions),
            "markers": self.to_records(),
        }

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON."""
        return rows.json_text(json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)) + "\n"


def simultaneous(found: Together, level: float) -> tuple[Array, Array]:
    """Return intervals that hold for all markers together; nan of markers that have no standard error.

    They are no shorter than those of each marker alone.
    """
    p = found.placed
    half = p.reach(found.quantile(level)) * p.error
    low, high = p.alone(level)
    return np.fmin(p.down(p.place - half), low), np.fmax(p.down(p.place + half), high)


def ranks(low: Array, high: Array) -> tuple[Array, Array]:
    """Return the lowest and the highest rank of each marker that simultaneous intervals leave.

    Below it are all whose intervals are above its own, and above it none whose are below (Klein, Wright and
    Wieczorek 2020, J. R. Stat. Soc. A 183:589).
    """
    lows, highs = np.sort(low[~np.isnan(low)]), np.sort(high[~np.isnan(high)])
    better = lows.size - np.searchsorted(lows, high, "right")
    worse = np.searchsorted(highs, low, "left")
    without = np.isnan(low)
    return np.where(without, 1, 1 + better), np.where(without, low.size, low.size - worse)


def in_common(found: Together, best: int) -> float:
    """Return the mean correlation of the best marker with the others; nan of one marker."""
    others = ~np.isnan(found.placed.place)
    others[best] = False
    return float(np.mean(found.correlation[others, 0])) if others.any() else math.nan


def corrected(
    found: Together, chosen: AnyArray, alone: Array, level: float, method: str
) -> list[tuple[float, float, float]]:
    """Return the corrected value of each chosen marker, best first, and the ends of its interval.

    The value is the posterior mean over the spread of all markers, and of both directions of markers whose direction
    was chosen. The interval is that of :meth:`hitcurve.Evaluation.winner`: given that the marker is among as many of
    the best as its rank says. It ends no lower than that of the marker ``alone``: being picked for a high value makes
    no value too low.
    """
    p = found.placed
    there, turned = (np.flatnonzero(~np.isnan(side.place)) for side in (p, found.other))
    # a direction that the data chose was one of two
    place, error, degrees, tails = (
        np.concatenate([getattr(p, name)[there], getattr(found.other, name)[turned]])
        for name in ("place", "error", "degrees", "tails")
    )
    correlation = np.concatenate([found.correlation[there], found.other_correlation[turned]])
    # the normal distribution with the tails of t at the level
    wider = error * t_quantile((1 + level) / 2, degrees) / t_quantile((1 + level) / 2, math.inf)
    least = (1 - level) * _OF_PROJECTION if method == "hybrid" else 0.0
    beyond = (1 - level - least) / (1 - least) / 2
    every = TrueValues.of(place, error, tails) if there.size else None
    out = []
    low, high = simultaneous(found, level)
    projected = simultaneous(found, 1 - least)[0] if least else low
    # equal markers are among as many of the best as the last of them
    placed = p.place[chosen]
    among = [int(np.sum(placed >= one - 1e-12 * abs(one))) for one in placed.tolist()]
    for column, marker in enumerate(chosen.tolist()):
        own = int(np.searchsorted(there, marker))
        if every is None or own == there.size or there[own] != marker:
            out.append((math.nan,) * 3)
            continue
        posterior = every.posterior(*(x[[own]] for x in (place, error, tails)))[0]
        value = float(posterior @ p.at(marker).down(every.points))
        ends = np.array([low[marker], high[marker]])
        if method != "simultaneous":
            covariance = correlation[:, column] * wider * wider[own]
            covariance[own] = wider[own] ** 2
            better = max(among[column], column + 1) + int(np.sum(place[there.size :] >= place[own]))
            one = Chosen.of(place, covariance, own, float(p.grain[marker]), better)
            # in standard errors of the marker
            ratio = float(error[own] / wider[own])
            reach = float(p.reach(found.quantile(1 - least))[marker]) * ratio if least else math.inf
            ends = p.at(marker).down(np.array([one.solved(1 - beyond, reach), one.solved(beyond, reach)]))
            ends[1] = np.fmax(ends[1], alone[column])
            if least:
                ends[0] = np.fmax(ends[0], projected[marker])
        value = max(value, float(np.fmin(low[marker], ends[1])))
        out.append((float(np.clip(value, *ends)), float(ends[0]), float(ends[1])))
    for first, last in _runs(among):
        # their correlations with others may differ
        low_end, high_end = min(one[1] for one in out[first:last]), max(one[2] for one in out[first:last])
        out[first:last] = [(one[0], low_end, high_end) for one in out[first:last]]
    return out


def _runs(among: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where each run of equal numbers begins and ends."""
    ends = np.flatnonzero(np.diff(among, prepend=-1, append=-1)).tolist()
    return pairwise(ends)
