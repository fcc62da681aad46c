"""What an evaluation is: every number of every ranker, and how to look at them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from hitcurve import _checks, rows
from hitcurve.errors import (
    ColumnNotFoundError,
    HitcurveWarning,
    ParameterError,
)
from hitcurve.evaluation.methods import methods_text
from hitcurve.inference import Estimate
from hitcurve.metrics import Metric, metric
from hitcurve.sources import Source, Tally, to_frame
from hitcurve.table import HitTable

SCHEMA = 1  # of to_dict and of the columns of to_frame
COLUMNS = ("ranker", "metric", "value", "n", "n_pos", "tied", "random", "best", "convention")


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
    """

    tables: Mapping[str, HitTable]
    metrics: tuple[Metric, ...]
    warnings: tuple[HitcurveWarning, ...] = ()
    tally: Tally | None = None
    source: Source | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    backend: str | None = field(default=None, repr=False)
    _values: Mapping[tuple[str, Metric], float] = field(default_factory=dict, repr=False)

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
        return Estimate(name, wanted, self._values[name, wanted], self.tables[name])

    def __iter__(self) -> Iterator[Estimate]:
        """Go through all estimates, ranker by ranker."""
        return (self[name, m] for name in self.tables for m in self.metrics)

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
        """Return the same evaluation without its source: small to keep and to pickle."""
        return replace(self, source=None)

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
            columns = {key: [record[key] for record in self._records] for key in COLUMNS}
        return to_frame(columns, backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain lists and dictionaries, with the version of their schema."""
        out: dict[str, Any] = {
            "schema": SCHEMA,
            "rankers": list(self.rankers),
            "metrics": [str(m) for m in self.metrics],
            "results": self._records,
            "notes": list(self.notes),
            "warnings": [{"kind": type(w).__name__, "message": str(w)} for w in self.warnings],
        }
        if self.tally is not None:
            out["rows"] = {
                "read": self.tally.rows,
                "dropped": self.tally.dropped,
                "ranked_last": dict(self.tally.ranked_last),
            }
        return out

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: one row for each metric, one column for each ranker."""
        header = ["metric", *self.rankers, "random", "best", "convention"]
        body = []
        for m in self.metrics:
            estimates = list(self.metric(m).values())
            defined = [e for e in estimates if not math.isnan(e.value)]
            sides = ([e.random for e in defined], [e.best for e in defined])
            context = [{rows.short(value) for value in side} for side in sides]
            notes = list(dict.fromkeys(e.convention for e in defined))
            body.append(
                [
                    str(m),
                    *(rows.number(e.value) for e in estimates),
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
                if not low - 1e-12 <= e.value <= high + 1e-12:
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
            unit = "weight" if t.weighted else "subject" if t.n == 1 else "subjects"
            set_to = f" (set to {t.prevalence:g})" if t.set_prevalence is not None else ""
            line = (
                f"{rows.count(t.n)} {unit}, {rows.count(t.n_pos)} positive ({100 * t.n_pos / t.n:.3g}%){set_to}, {tied}"
            )
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
        return methods_text(self.tables, self.metrics, self.notes, self.tally)

    def __str__(self) -> str:
        """Return the numbers as a text table."""
        header, body = self.table_rows()
        parts = ["\n".join(self.heading()), rows.text_table(header, body, left=(0, len(header) - 1))]
        tie_header, tie_body, tie_note = self.tie_rows()
        if tie_body:
            parts.append(rows.text_table(tie_header, tie_body) + (f"\n{tie_note}" if tie_note else ""))
        if self.warnings:
            parts.append("\n".join(f"warning: {message}" for message in self.warnings))
        return "\n\n".join(parts)


def _record(e: Estimate) -> dict[str, Any]:
    defined = not math.isnan(e.value)
    record: dict[str, Any] = {
        "ranker": e.ranker,
        "metric": str(e.metric),
        "value": e.value,
        "n": e.n,
        "n_pos": e.n_pos,
        "tied": e.tied,
        "random": e.random if defined else math.nan,
        "best": e.best if defined else math.nan,
        "convention": e.convention if defined else "",
    }
    order = e.tie_range if defined else None
    return record if order is None else {**record, "worst_ties": order[0], "best_ties": order[1]}
