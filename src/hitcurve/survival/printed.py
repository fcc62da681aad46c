"""Rankers at several horizons in words and tables, and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

from hitcurve import rows
from hitcurve.evaluation.methods import about_intervals, named_metrics, paragraph
from hitcurve.evaluation.records import COLUMNS, SCHEMA, columns_of, plain_record
from hitcurve.inference import Comparisons
from hitcurve.sources import to_frame
from hitcurve.survival.horizon import HorizonEvaluation
from hitcurve.survival.numbers import SurvivalNumbers

OF_HORIZON = ("horizon", "event_rate", "cases", "at_risk", "censored_before")
Tests = Mapping[float, Sequence[Comparisons]]
_CONTROLS = {
    "free": "controls are subjects without any event at the horizon",
    "all": "controls are all subjects without the event at the horizon, those with a competing event included",
}


class Section(NamedTuple):
    """A table with its title and the lines below it."""

    title: str
    header: list[str]
    body: list[list[str]]
    left: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PrintedSurvival(SurvivalNumbers):
    """How the numbers of all horizons are shown."""

    # ---- words

    def heading(self) -> list[str]:
        """Return a description of the subjects, and of the weights."""
        sample = self.cohort.sample
        weighted = " (by weight)" if self.subjects.weighted else ""
        numbers = self.numbers_of_kinds
        competing = f", {rows.count(numbers[2])} competing" if self.cohort.has_competing else ""
        lines = [
            f"{rows.count(float(sample.weight.sum()))} subjects{weighted}: {rows.count(numbers[1])} events"
            f"{competing}, {rows.count(numbers[0])} censored; last time {rows.short(float(sample.time[-1]))}",
            f"censoring by {self.cohort.censoring.words}; {_CONTROLS[self.cohort.controls]}",
        ]
        if self.rule != "timeroc":
            lines.append(f"weights by the rule of {self.rule}")
        return [*lines, *self.subjects.notes]

    @staticmethod
    def title(ev: HorizonEvaluation) -> str:
        """Return a horizon with its numbers."""
        return (
            f"horizon {rows.exact(ev.horizon)}: {rows.counted(ev.cases, 'case')} (event rate "
            f"{100 * ev.event_rate:.3g}%), {rows.count(ev.at_risk)} at risk, {rows.count(ev.censored_before)} censored "
            "before"
        )

    def sections(self, *, standard_error: bool = False) -> list[Section]:
        """Return the table of each horizon."""
        found = []
        for ev in self.evaluations.values():
            header, body = ev.table_rows(standard_error=standard_error)
            levelled = ev.levelled(header, body, standard_error=standard_error)
            found.append(Section(self.title(ev), levelled, body, (0, len(header) - 1)))
        return found

    def about(self) -> list[str]:
        """Return how intervals were made, cutoffs and caveats, with the horizons that each line is about."""
        return self._by_horizon(
            (ev, line)
            for ev in self.evaluations.values()
            for line in (*ev.about_cuts().splitlines(), *ev.about_intervals().splitlines())
        )

    def warning_lines(self) -> list[str]:
        """Return a line for each warning."""
        return [f"warning: {message}" for message in self.warnings]

    def to_text(self, comparisons: Tests | None = None) -> str:
        """Return all tables as plain text, with a description above and notes below."""
        parts = [rows.text_lines(self.heading())]
        for section, horizon in zip(self.sections(), self.horizons, strict=True):
            table = rows.text_table(section.header, section.body, left=section.left)
            parts.append(f"{rows.in_line(section.title)}\n{table}")
            parts += [str(test) for test in (comparisons or {}).get(horizon, ())]
        parts += [rows.text_lines(lines) for lines in (self.about(), self.warning_lines()) if lines]
        return "\n\n".join(parts)

    def __str__(self) -> str:
        """Return all tables as plain text."""
        return self.to_text()

    def to_markdown(self, comparisons: Tests | None = None, *, standard_error: bool = False) -> str:
        """Return all tables in Markdown, with a description above and notes below."""
        parts = [rows.markdown_list(self.heading())]
        for section, horizon in zip(self.sections(standard_error=standard_error), self.horizons, strict=True):
            table = rows.markdown_table(section.header, section.body, left=section.left)
            parts += [f"**{rows.markdown(section.title)}**", table]
            parts += [test.to_markdown() for test in (comparisons or {}).get(horizon, ())]
        parts += [rows.markdown(line) for line in self.about()]
        parts += [f"> {rows.markdown(line)}" for line in self.warning_lines()]
        return "\n\n".join(parts) + "\n"

    def to_latex(self, comparisons: Tests | None = None, *, standard_error: bool = False) -> str:
        """Return a table for each horizon for the booktabs package; what is around them is comments."""
        parts = [rows.latex_comments(self.heading())]
        for section, horizon in zip(self.sections(standard_error=standard_error), self.horizons, strict=True):
            table = rows.latex_table(section.header, section.body, left=section.left)
            parts += [rows.latex_comments([section.title]), table, ""]
            parts += [test.to_latex() for test in (comparisons or {}).get(horizon, ())]
        return "\n".join([*parts, rows.latex_comments([*self.about(), *self.warning_lines()])]) + "\n"

    def to_html(self, *, standard_error: bool = False) -> str:
        """Return all tables as HTML, with a description above and notes below."""
        parts = [rows.html_paragraphs(self.heading())]
        for section in self.sections(standard_error=standard_error):
            parts += [rows.html_paragraphs([section.title]), rows.html_table(section.header, section.body)]
        return rows.html_block([*parts, rows.html_paragraphs([*self.about(), *self.warning_lines()])])

    def _repr_html_(self) -> str:
        """Return the numbers as a small page of a notebook."""
        return self.to_html()

    def methods_text(self) -> str:
        """Return a paragraph for the methods section of a paper: subjects, weights, metrics, errors and references."""
        named, references = named_metrics(self.metrics)
        who = "The ranking" if len(self.rankers) == 1 else f"The rankings by {rows.listed(list(self.rankers))}"
        numbers = self.numbers_of_kinds
        competing = f", {rows.count(numbers[2])} had a competing event" if self.cohort.has_competing else ""
        times = [
            f"{rows.exact(ev.horizon)} ({rows.counted(ev.cases, 'case')}, {rows.count(ev.at_risk)} at risk)"
            for ev in self.evaluations.values()
        ]
        intervals: dict[str, dict[str, None]] = {}
        for ev in self.evaluations.values():
            for e in ev:
                if e.interval is not None:
                    intervals.setdefault(e.interval_method, {})[str(e.metric)] = None
        first = next(iter(self.evaluations.values()))
        uncertainty = f"{100 * first.confidence_level:g}%, {self.design} design"
        estimated = " and account for the estimate of this distribution" if self.cohort.censoring.estimated else ""
        was = "was" if len(self.rankers) == 1 else "were"
        sentences = [
            f"{who} of {rows.count(float(self.cohort.sample.weight.sum()))} subjects, of whom {rows.count(numbers[1])} "
            f"had the event{competing} and {rows.count(numbers[0])} were censored, {was} evaluated over all thresholds "
            f"with hitcurve {version('hitcurve')} at horizons {rows.listed(times)}.",
            f"Cases had the event up to the horizon; {_CONTROLS[self.cohort.controls]}.",
            "Subjects weigh the inverse of their probability to be uncensored at their event or at the horizon, by "
            f"{self.cohort.censoring.words}; those censored before the horizon have no weight.",
            f"Performance was measured by {rows.listed(named)}.",
            f"Standard errors are by influence values{estimated}.",
            *about_intervals({how: list(of) for how, of in intervals.items()}, uncertainty),
        ]
        return paragraph(sentences, references)

    # ---- data

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each horizon, ranker and metric, of the same keys; what cannot be had is None."""
        return [
            {**self._of_horizon(ev), **plain_record(record)}
            for ev in self.evaluations.values()
            for record in ev._records
        ]

    @staticmethod
    def _of_horizon(ev: HorizonEvaluation) -> dict[str, Any]:
        return {key: getattr(ev, key) for key in OF_HORIZON}

    def to_frame(self, *, wide: bool = False, backend: str | None = None) -> Any:
        """Return the numbers as a data frame.

        Parameters
        ----------
        wide : bool
            One row for each horizon and ranker and one column for each metric, instead of one row for each number.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The package of the data that were evaluated, or the first that is installed.
        """
        if wide:
            keys = [(horizon, name) for horizon in self.horizons for name in self.rankers]
            columns: dict[str, list[Any]] = {"horizon": [t for t, _ in keys], "ranker": [name for _, name in keys]}
            columns |= {str(m): [self[name, m, t].value for t, name in keys] for m in self.metrics}
            return to_frame(columns, self.backend if backend is None else backend)
        records = [{**self._of_horizon(ev), **record} for ev in self.evaluations.values() for record in ev.records()]
        return to_frame(columns_of(records, (*OF_HORIZON, *COLUMNS)), self.backend if backend is None else backend)

    def rows_of(self, comparisons: Tests | None = None) -> list[dict[str, Any]]:
        """Return the rows of CSV and Parquet: all numbers, and tests of the rankers below them."""
        columns = (*OF_HORIZON, *COLUMNS)
        found = [{key: record.get(key) for key in columns} for record in self.to_records()]
        if not comparisons:
            return found
        tests = [
            {"horizon": horizon, **record}
            for horizon, several in comparisons.items()
            for test in several
            for record in test.to_records()
        ]
        every = ("part", *dict.fromkeys((*columns, *(tests[0] if tests else ()))))
        parts = {"results": found, "comparisons": tests}
        lines = [{"part": part} | record for part, records in parts.items() for record in records]
        return [{key: line.get(key, "") for key in every} for line in lines]

    def to_csv(self, comparisons: Tests | None = None) -> str:
        """Return a line for each number as CSV, with all digits."""
        found = self.rows_of(comparisons)
        return rows.csv_text(found, list(found[0]))

    def to_dict(self, comparisons: Tests | None = None) -> dict[str, Any]:
        """Return all numbers as plain lists and dictionaries, with the version of their schema, for JSON."""
        numbers = self.numbers_of_kinds
        out: dict[str, Any] = {
            "schema": SCHEMA,
            "rankers": list(self.rankers),
            "metrics": [str(m) for m in self.metrics],
            "subjects": float(self.cohort.sample.weight.sum()),
            "events": numbers[1],
            "competing": numbers[2],
            "censored": numbers[0],
            "controls": self.cohort.controls,
            "censoring": self.cohort.censoring.words,
            "rule": self.rule,
            "horizons": [self._of_horizon(ev) for ev in self.evaluations.values()],
            "results": self.to_records(),
            "notes": list(self.subjects.notes),
            "cautions": list(self.cautions),
            "warnings": [{"kind": type(w).__name__, "message": str(w)} for w in self.warnings],
        }
        if comparisons:
            out["comparisons"] = [
                {"horizon": horizon, **test.to_dict()}
                for horizon, several in comparisons.items()
                for of_metric in several
                for test in of_metric
            ]
            out["letters"] = [
                {"horizon": horizon, "metric": str(of_metric.metric), "letters": of_metric.letters}
                for horizon, several in comparisons.items()
                for of_metric in several
            ]
        return rows.plain(out)

    def _by_horizon(self, lines: Iterator[tuple[HorizonEvaluation, str]]) -> list[str]:
        """Return each line once, with its horizons unless it is about all of them."""
        where: dict[str, dict[str, None]] = {}
        for ev, line in lines:
            where.setdefault(line, {})[rows.exact(ev.horizon)] = None
        return [
            line if len(of) == len(self.evaluations) else f"horizon {', '.join(of)}: {line}"
            for line, of in where.items()
        ]
