"""An evaluation in words: tables for printers, headings, the paragraph for a paper."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from hitcurve import rows
from hitcurve._cached import cached_property
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.evaluation.kept import Kept
from hitcurve.evaluation.methods import for_readers, methods_text
from hitcurve.evaluation.numbers import Numbers
from hitcurve.evaluation.shown import Shown
from hitcurve.inference import Estimate
from hitcurve.inference.intervals.interval import POINTS
from hitcurve.inference.variance.design_effect import design_effect
from hitcurve.metrics import Metric
from hitcurve.table import HitTable


@dataclass(frozen=True, eq=False)
class PrintedNumbers(Numbers, Shown, Kept):
    """How the numbers of an evaluation are shown."""

    def table_rows(self, *, standard_error: bool = False) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: one row for each metric, one column for each ranker."""
        self._work_out(errors=standard_error)
        header = ["metric", *self.rankers, "random", "best", "convention"]
        body = []
        for m, estimates in self._by_metric:
            defined = [e for e in estimates if not math.isnan(e.value)]
            sides = ([e.random for e in defined], [e.best for e in defined])
            notes = list(dict.fromkeys(e.convention for e in defined))
            body.append(
                [
                    str(m),
                    *(
                        rows.with_interval(e.value, e.interval, error=_error(e) if standard_error else math.nan)
                        for e in estimates
                    ),
                    *map(rows.agreed, sides),
                    "; ".join(note for note in notes if note),
                ]
            )
        return header, body

    def tie_rows(self) -> tuple[list[str], list[list[str]], str]:
        """Return header and rows of what strict orders of the ties would give, and a note; no rows without ties."""
        note = ""
        body = []
        for m, estimates in self._by_metric:
            cells = []
            for e in estimates:
                order = None if math.isnan(e.value) else e.tie_range
                if order is None:
                    cells.append("")
                    continue
                low, high = sorted(order)
                cells.append(f"{rows.number(low)} to {rows.number(high)}")
                if not low * (1 - 1e-4) <= e.value <= high * (1 + 1e-4):  # by more than what is printed
                    note = (
                        "A value can lie outside its range because it treats tied subjects as one group, which no "
                        "strict order does."
                    )
            if any(cells):
                body.append([str(m), *cells])
        return ["ties broken", *self.rankers], body, note

    def heading(self) -> list[str]:
        """Return a description of the data, one line for each ranker, or one line if all agree."""
        lines: dict[str, list[str]] = {}
        for name, t in self.tables.items():
            across, within = self.ties(name)
            tied = f"{rows.count(across)} tied across classes" if across else "no ties across classes"
            if within:
                tied += f", {rows.count(within)} positives tied with positives"
            set_to = f" (set to {t.prevalence:g})" if t.assumed_prevalence is not None else ""
            labelled = "labelled positive" if t.label_errors is not None else "positive"
            line = f"{_subjects(t)}, {rows.count(t.n_pos)} {labelled} ({100 * t.n_pos / t.n:.3g}%){set_to}, {tied}"
            lines.setdefault(line, []).append(name)
        who = [line if len(lines) == 1 else f"{', '.join(names)}: {line}" for line, names in lines.items()]
        of_labels = [] if self.label_errors is None else [f"{self.label_errors}: {self._prevalence_in_words}"]
        return [*who, *of_labels, *self.notes]

    @property
    def _prevalence_in_words(self) -> str:
        found = list(dict.fromkeys(f"{100 * t.prevalence:.3g}%" for t in self.tables.values()))
        return f"prevalence {rows.listed(found)}"

    def methods_text(self) -> str:
        """Return a paragraph for the methods section of a paper: metrics, conventions, data and references.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> print(evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics=["auc"]).methods_text().splitlines()[0][:58])
        The ranking of 4 subjects, 2 of them positive (prevalence
        """
        return methods_text(
            self.tables,
            self.metrics,
            self.notes,
            self.tally,
            self._interval_methods,
            f"{self._uncertainty_in_words}{self._design_effects}",
            {(e.metric, e.ranker): e.reason for e in self if math.isnan(e.value)},
            self._without_interval,
            {name: self.ties(name)[0] for name in self.tables},
        )

    @cached_property
    def _interval_methods(self) -> dict[str, list[str]]:
        """Methods of the intervals, and the metrics each served."""
        return self._metrics_by({(e.ranker, e.metric): e.interval_method for e in self if e.interval is not None})

    @cached_property
    def _without_interval(self) -> dict[str, list[str]]:
        """Reasons for missing intervals, each with its metrics."""
        return self._metrics_by(
            {(e.ranker, e.metric): for_readers(e.reason_no_interval) for e in self if e.reason_no_interval}
        )

    def _metrics_by(self, texts: Mapping[tuple[str, Metric], str]) -> dict[str, list[str]]:
        """Return the metrics of each text, with their rankers where the text is not of all."""
        found: dict[str, dict[Metric, list[str]]] = {}
        for (ranker, metric), text in texts.items():
            found.setdefault(text, {}).setdefault(metric, []).append(ranker)
        return {
            text: [str(m) if len(of) == len(self.tables) else f"{m} of {rows.listed(of)}" for m, of in metrics.items()]
            for text, metrics in found.items()
        }

    @property
    def _uncertainty_in_words(self) -> str:
        clusters = ", clustered subjects" if self.clustered else ""
        return f"{100 * self.confidence_level:g}%, {self.design} design{clusters}"

    @property
    def _design_effects(self) -> str:
        """Return number and size of the clusters, and the range of their design effects, in words."""
        if not self.clustered:
            return ""
        found = []
        for e in self:
            with suppress(InsufficientDataError, ParameterError, UndefinedMetricError):
                found.append(design_effect(self._joint, e.ranker, e.metric, (e.table.n_pos, e.table.n_neg)))
        if not found:
            return ""
        effects = rows.agreed([one.effect for one in found])
        size = rows.short(found[0].mean_size, 3)
        return f" in {found[0].clusters:,} clusters of mean size {size}, design effect {effects}"

    def about_cuts(self) -> str:
        """Return the scores at which operating points cut the lists, a line for each metric; empty without any."""
        lines = []
        for m, estimates in self._by_metric:
            if m.default_interval not in POINTS:
                continue
            found = {
                e.ranker: str(e.cut) for e in estimates if not math.isnan(e.value) and e.cut and e.cut.is_told(e.table)
            }
            alone = len(self.rankers) == 1
            at = ";".join(f": {where}" if alone else f" of {name}: {where}" for name, where in found.items())
            lines += [f"cutoff of {m}{at}"] if found else []
        return rows.text_lines(lines)

    def about_intervals(self) -> str:
        """Return level, design and methods of the intervals, and their cautions, in words."""
        lines = []
        if self._interval_methods:
            how = "; ".join(f"{name}: {', '.join(which)}" for name, which in self._interval_methods.items())
            lines = [f"[{self._uncertainty_in_words}] intervals by {how}"]
        lines += [
            f"no interval of {', '.join(of)}: {reason}"
            for reason, of in self._without_interval.items()
            # not what a caveat says
            if "too few for an interval" not in reason and not any(reason in text for text in self.cautions)
        ]
        return rows.text_lines([*lines, *(f"note: {text}" for text in self.cautions)])

    def __str__(self) -> str:
        """Return the numbers as a text table."""
        header, body = self.table_rows()
        parts = [rows.text_lines(self.heading()), rows.text_table(header, body, left=(0, len(header) - 1))]
        tie_header, tie_body, tie_note = self.tie_rows()
        if tie_body:
            parts.append(rows.text_table(tie_header, tie_body) + (f"\n{tie_note}" if tie_note else ""))
        parts += [text for text in (self.about_cuts(), self.about_intervals()) if text]
        if self.warnings:
            parts.append(rows.text_lines(self.warning_lines()))
        return "\n\n".join(parts)


def _error(e: Estimate) -> float:
    """Return a standard error, nan where it cannot be had."""
    try:
        return e.standard_error
    except (InsufficientDataError, UndefinedMetricError):
        return math.nan


def _subjects(t: HitTable) -> str:
    if t.pos_squares is None or t.neg_squares is None:
        return f"{rows.count(t.n)} {'subject' if t.n == 1 else 'subjects'}"
    effective = t.n**2 / float(t.pos_squares.sum() + t.neg_squares.sum())
    as_many = rows.count(round(effective)) if effective >= 1000 else rows.short(effective)
    return f"subjects of weight {rows.count(t.n)} (as {as_many} of equal weight)"
