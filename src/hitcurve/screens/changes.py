"""How the order of the markers moves as negatives become more frequent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._threads import in_threads
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import ParameterError
from hitcurve.immutable import ArrayValue
from hitcurve.inference.pvalues import HAIR
from hitcurve.metrics import Metric
from hitcurve.screens.columns import Block
from hitcurve.screens.passing import NUMBERS
from hitcurve.screens.together import Markers
from hitcurve.sources import to_frame

COLUMNS = ("marker", "metric", "at", "prevalence", "value", "rank")
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class RankChanges(ArrayValue):
    """Values and ranks of the markers at several prevalences.

    Attributes
    ----------
    metric : Metric
    at : tuple of str
        What each of the G prevalences is: ``"negatives x 10"``, or the prevalence itself.
    names : tuple of str
    prevalence, value : array (G, m)
        The prevalence of each marker, and its value there.
    rank : array of int (G, m)
        1 for the best; equal values share the better rank.
    """

    metric: Metric
    at: tuple[str, ...]
    names: tuple[str, ...]
    prevalence: Array
    value: Array
    rank: AnyArray

    @property
    def correlation(self) -> Array:
        """Kendall's tau-b of the order at each prevalence with the first, (G,); nan where all values are equal."""
        from scipy.stats import kendalltau

        with np.errstate(invalid="ignore"):
            return np.array([float(kendalltau(self.value[0], own, nan_policy="omit").statistic) for own in self.value])

    def kept(self, k: int = _SHOWN) -> AnyArray:
        """Return how many of the k best at the first prevalence are among the k best at each, (G,)."""
        best = [set(self.order(g)[:k].tolist()) for g in range(len(self.at))]
        return np.array([len(best[0] & own) for own in best])

    def order(self, at: int = 0) -> AnyArray:
        """Return the places of the markers, the best at one of the prevalences first; equal ones by name."""
        by_name = np.argsort(np.argsort(np.array(self.names, object), kind="stable"), kind="stable")
        return np.lexsort((by_name, self.rank[at]))

    def heading(self) -> list[str]:
        """Return what the table is of."""
        return [f"{len(self.names):,} markers by {self.metric}: value (rank)"]

    def table_rows(self, shown: int = _SHOWN) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: the best markers at the first prevalence and at the last."""
        best = [self.order(0)[:shown], self.order(len(self.at) - 1)[:shown]]
        places = list(dict.fromkeys(np.concatenate(best).tolist()))
        body = [
            [
                self.names[place],
                *(
                    f"{rows.value(value)} ({rank:,})"
                    for value, rank in zip(self.value[:, place].tolist(), self.rank[:, place].tolist(), strict=True)
                ),
            ]
            for place in places
        ]
        return ["marker", *self.at], body

    def notes(self, shown: int = _SHOWN) -> list[str]:
        """Return how much the order moves from the first prevalence to the others."""
        moved = list(zip(self.at, self.correlation, self.kept(shown).tolist(), strict=True))[1:]
        if not moved:
            return []
        tau = ", ".join(f"{rows.number(x, 3)} at {at}" for at, x, _ in moved)
        kept = ", ".join(f"{count} at {at}" for at, _, count in moved)
        return [
            f"Kendall's tau with the order at {self.at[0]}: {tau}",
            f"of the best {min(shown, len(self.names))} at {self.at[0]} there are among as many best: {kept}",
        ]

    def __str__(self) -> str:
        """Return the table with notes."""
        parts = [rows.text_lines(self.heading()), rows.text_table(*self.table_rows()), rows.text_lines(self.notes())]
        return "\n\n".join(filter(None, parts))

    def __repr__(self) -> str:
        """Return the size."""
        return f"<RankChanges of {len(self.names):,} markers by {self.metric} at {len(self.at)} prevalences>"

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        parts = [rows.html_paragraphs(self.heading()), rows.html_table(*self.table_rows())]
        return rows.html_block([*parts, rows.html_paragraphs(self.notes())])

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        notes = [rows.markdown_list(self.notes())] if self.notes() else []
        heading = [rows.markdown(line) for line in self.heading()]
        return "\n\n".join([*heading, rows.markdown_table(*self.table_rows()), *notes]) + "\n"

    def to_latex(self) -> str:
        """Return the table for the booktabs package."""
        parts = [rows.latex_comments(self.heading()), rows.latex_table(*self.table_rows())]
        return "\n".join([*parts, rows.latex_comments(self.notes())]) + "\n"

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each marker and prevalence, the best marker at the first prevalence first."""
        return [
            rows.plain(
                {
                    "marker": self.names[place],
                    "metric": str(self.metric),
                    "at": at,
                    "prevalence": float(self.prevalence[g, place]),
                    "value": float(self.value[g, place]),
                    "rank": int(self.rank[g, place]),
                }
            )
            for place in self.order().tolist()
            for g, at in enumerate(self.at)
        ]

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return the records as a data frame; see :meth:`hitcurve.Screen.to_frame`."""
        records = self.to_records()
        return to_frame({key: [record[key] for record in records] for key in COLUMNS}, backend)

    def to_csv(self) -> str:
        """Return the records as CSV, with all digits."""
        return rows.csv_text(self.to_records(), COLUMNS)

    def to_json(self) -> str:
        """Return the records as JSON."""
        return rows.json_text(json.dumps(self.to_records(), indent=1, ensure_ascii=False, allow_nan=False)) + "\n"


def rank_changes(
    metric: Metric, markers: Markers, negatives: float | Sequence[float], prevalences: float | Sequence[float] | None
) -> RankChanges:
    """Evaluate all markers at several prevalences; see :meth:`hitcurve.Screen.rank_changes`."""
    if prevalences is None:
        grid = [_checks.positive_number("negatives", factor) for factor in _several("negatives", negatives)]
        at = [f"negatives x {rows.short(factor)}" for factor in grid]
    else:
        grid = [_checks.prevalence(pi) for pi in _several("prevalences", prevalences)]
        at = [f"prevalence {rows.short(pi)}" for pi in grid]
    if not grid:
        raise ParameterError("give at least one prevalence, or one multiple of the negatives")
    twins = [one for one in at if at.count(one) > 1]
    if twins:
        raise ParameterError(f"{twins[0]} is given twice: give each prevalence and each multiple of the negatives once")
    count = markers.places.size
    prevalence, value = np.empty((len(grid), count)), np.empty((len(grid), count))

    def do(piece: tuple[Block, AnyArray]) -> tuple[AnyArray, Array, Array]:
        block, place = piece
        own = markers.lists(block)
        n1, n0 = own.down.n1[:, 0], own.down.n0[:, 0]
        with np.errstate(all="ignore"):
            every = np.stack([n1 / (n1 + x * n0) if prevalences is None else np.full(n1.shape, x) for x in grid])
            values = np.stack([np.asarray(metric.value(Counts(own.pos, own.neg, pi)), float) for pi in every])
        return place, every, values

    for place, every, values in in_threads(do, markers.blocks(NUMBERS)):
        held = place >= 0
        prevalence[:, place[held]], value[:, place[held]] = every[:, held], values[:, held]
    good = -value if metric.lower_is_better else value
    rank = np.stack([ranks_of(own) for own in good])
    return RankChanges(metric, tuple(at), markers.names, prevalence, value, rank)


def _several(name: str, given: Any) -> list[float]:
    """Return one number or several as a list."""
    if isinstance(given, str) or np.ndim(given) > 1:
        raise ParameterError(f"{name} must be a number or several, got {given!r}")
    return list(np.atleast_1d(np.asarray(given, object)).tolist())


def ranks_of(good: Array) -> AnyArray:
    """Return ranks, 1 for the highest; equal values share the better rank, and those without a value have the last.

    Values that differ by rounding are equal: that of a marker may depend on those evaluated with it in its last digit.
    """
    there = np.flatnonzero(~np.isnan(good))
    order = there[np.argsort(-good[there], kind="stable")]
    ordered = good[order]
    with np.errstate(invalid="ignore"):  # of infinite values
        gaps = ordered[:-1] - ordered[1:]
    size = np.minimum(np.abs(ordered[:-1]), np.abs(ordered[1:]))
    near = (gaps <= HAIR * size) | (ordered[:-1] == ordered[1:])
    apart = np.append(True, ~near)[: order.size]
    out = np.full(good.size, good.size)
    out[order] = np.maximum.accumulate(np.where(apart, np.arange(order.size), 0)) + 1
    return out
