"""Tests of several pairs of rankers by one metric, as one value: a table, and letters for what does not differ."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, overload

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.errors import ColumnNotFoundError, ParameterError
from hitcurve.immutable import Compared, ReadOnly
from hitcurve.inference.comparing import wording
from hitcurve.inference.comparing.comparison import Comparison
from hitcurve.inference.comparing.letters import letters_of
from hitcurve.inference.comparing.pairs import ordered
from hitcurve.metrics import Metric
from hitcurve.sources import to_frame

COLUMNS = (
    "metric",
    "first",
    "second",
    "difference",
    "standard_error",
    "low",
    "high",
    "level",
    "pvalue",
    "adjusted",
    "adjustment",
    "simultaneous_low",
    "simultaneous_high",
    "effect_size",
    "standardized_effect",
    "method",
    "unit",
    "design",
    "correlation",
    "n_resamples",
    "seed",
)
_WORDS = frozenset({"metric", "first", "second", "adjustment", "method", "unit", "design"})


@dataclass(frozen=True, eq=False)
class Comparisons(Compared, Sequence[Comparison]):
    """Tests of several pairs of rankers by one metric, adjusted for the number of tests.

    A sequence of :class:`~hitcurve.Comparison`, best first. In two-sided tests of all pairs the first ranker of each
    pair has the better value: no difference is negative (for a rate of errors, no difference is positive). With a
    baseline the baseline is the second ranker, and pairs are sorted by the first. One-sided tests keep the order in
    which the rankers were given, because a side chosen after seeing the data would halve the p value.
    ``comparisons["a", "b"]`` is the test of a minus b, whatever their order in the table.

    Attributes
    ----------
    tests : tuple of Comparison
    baseline : str or None
        The ranker compared with all others; None for all pairs.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import evaluate
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [50, 450])
    >>> s = {name: rng.normal(size=500) + shift * y for name, shift in (("a", 0.5), ("b", 1.6), ("c", 1.5))}
    >>> found = evaluate(y, s, metrics="auc").compare_all("auc")
    >>> [(test.first, test.second, round(test.difference.value, 3)) for test in found]
    [('b', 'c', 0.058), ('b', 'a', 0.226), ('c', 'a', 0.168)]
    >>> found.letters
    {'b': 'a', 'c': 'a', 'a': 'b'}
    >>> round(found["a", "b"].difference.value, 3)
    -0.226
    """

    tests: tuple[Comparison, ...]
    baseline: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tests", tuple(self.tests))
        if not self.tests:
            raise ParameterError("comparisons need at least one test, got none")
        if len({test.metric for test in self.tests}) > 1:
            of = rows.listed(list(dict.fromkeys(str(test.metric) for test in self.tests)))
            raise ParameterError(f"comparisons are of one metric, got {of}")

    # ---- as a sequence

    def __len__(self) -> int:
        """Return the number of tests."""
        return len(self.tests)

    def __iter__(self) -> Iterator[Comparison]:
        """Go through the tests, best first."""
        return iter(self.tests)

    @overload
    def __getitem__(self, key: int | tuple[str, str]) -> Comparison: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Comparison, ...]: ...

    def __getitem__(self, key: int | slice | tuple[str, str]) -> Comparison | tuple[Comparison, ...]:
        """Return a test by its place or by its pair of rankers, or several by a slice.

        Raises
        ------
        ColumnNotFoundError
            If the pair was not compared.
        """
        if not isinstance(key, tuple):
            try:
                return self.tests[key]
            except TypeError:
                raise ParameterError(
                    f"ask for a place, a slice, or a pair of rankers as in comparisons['a', 'b'], got {key!r}"
                ) from None
        if len(key) != 2:
            raise ParameterError(f"ask for a pair of rankers, as in comparisons['a', 'b'], got {key!r}")
        first, second = (_checks.named("ranker", name, self.rankers) for name in key)
        for test in self.tests:
            if (test.first, test.second) == (first, second):
                return test
            if (test.first, test.second) == (second, first):
                return test.mirrored()
        raise ColumnNotFoundError(
            f"{first!r} and {second!r} were not compared: all were compared with {self.baseline!r}"
        )

    # ---- what they say together

    @property
    def metric(self) -> Metric | None:
        """The metric of all tests."""
        return self.tests[0].metric

    @property
    def confidence_level(self) -> float:
        """Confidence level of the intervals; one minus it is the level of the tests behind the letters."""
        return self.tests[0].difference.confidence_level

    @cached_property
    def values(self) -> dict[str, float]:
        """The metric of each ranker (its mean over groups), the highest first."""
        found: dict[str, float] = {}
        for test in self.tests:
            for name, value in zip((test.first, test.second), test.values, strict=True):
                found.setdefault(name, value)
        return ReadOnly({name: found[name] for name in ordered(found, lowest_first=_lower_is_better(self.metric))})

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the rankers, the one of the highest value first."""
        return tuple(self.values)

    @cached_property
    def letters(self) -> dict[str, str] | None:
        """Letters of each ranker: two rankers share one exactly if their difference is not significant.

        The compact letter display of Piepho (2004), by adjusted p values at the level of one minus
        ``confidence_level``. Not significant is not equal. None unless all pairs were tested, without a side.
        """
        names = self.rankers
        apart = {frozenset((t.first, t.second)): t.decisive_pvalue <= 1 - self.confidence_level for t in self.tests}
        if any(pair not in apart for pair in map(frozenset, combinations(names, 2))) or not all(map(_plain, self)):
            return None
        return ReadOnly(letters_of(names, lambda a, b: apart[frozenset((a, b))]))

    @property
    def cautions(self) -> tuple[str, ...]:
        """Caveats on the validity of the tests; a caveat that does not hold for all pairs names its pairs."""
        pairs: dict[str, list[str]] = {}
        for test in self.tests:
            for text in test.cautions:
                pairs.setdefault(text, []).append(f"{test.first} - {test.second}")
        return tuple(text if len(of) == len(self) else f"{', '.join(of)}: {text}" for text, of in pairs.items())

    # ---- printed

    @property
    def title(self) -> str:
        """Title of the comparisons, in a line."""
        if len(self) == 1:
            by = "" if self.metric is None else f" by {self.metric}"
            return rows.in_line(f"Comparison{by}{self._across}: {self[0].first} - {self[0].second}")
        pairs = "all pairs" if self.baseline is None else f"each ranker minus {self.baseline}"
        return rows.in_line(f"Comparisons by {self.metric}{self._across}: {pairs}")

    @property
    def _across(self) -> str:
        return f" across {self[0].n_groups:,} {self[0].called}" if self[0].over_groups else ""

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: a row for each pair."""
        level = f"{100 * self.confidence_level:g}%"
        together = any(test.simultaneous is not None for test in self)
        columns: dict[str, list[str]] = {
            "first": [test.first for test in self],
            "second": [test.second for test in self],
            f"difference [{'simultaneous ' if together else ''}{level} interval]": [
                rows.with_interval(test.difference.value, _interval(test)) for test in self
            ],
            "wins-ties-losses": [
                f"{test.wins}-{test.ties}-{test.losses}" if test.wins + test.ties + test.losses else "" for test in self
            ],
            "p": [rows.p_alone(test.pvalue) for test in self],
            "adjusted p": [test.adjusted_text for test in self],
            "test": [test.method for test in self],
            "random draws": [test.draws_text for test in self],
        }
        there = {name: cells for name, cells in columns.items() if any(cells)}
        return list(there), [list(line) for line in zip(*there.values(), strict=True)]

    def letter_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the letters of the rankers; no rows for two rankers or without letters."""
        header = ["ranker", str(self.metric), "letters"]
        if self.letters is None or len(self.letters) < 3:
            return header, []
        return header, [[name, rows.number(self.values[name]), own] for name, own in self.letters.items()]

    def notes(self) -> list[str]:
        """Return notes on the tests, their adjustment and their caveats."""
        out = []
        if self.letter_rows()[1]:
            of = "" if self.tests[0].adjusted is None else f" (adjusted p, {self.tests[0].adjustment})"
            out += [
                f"rankers without a common letter differ at the {100 * (1 - self.confidence_level):.3g}% level{of}",
                "a common letter means that no difference was established, not that the rankers are equal",
            ]
        adjustment = self.tests[0].adjustment
        if adjustment is not None and all(test.simultaneous is None for test in self):
            out.append(f"p values are adjusted by {adjustment}'s method; intervals are of one difference each")
        elif adjustment is not None:
            out.append(
                f"adjusted p values and simultaneous intervals are by {wording.adjustment(adjustment)}"
                f"{self.tests[0].adjustment_drawn}: they are valid for all differences together"
            )
        sides = dict.fromkeys((test.alternative, test.null) for test in self)
        out += [f"null, against: {rows.short(null)}, {side}" for side, null in sides]
        about = dict.fromkeys((test.method, test.title, test.assumption) for test in self)
        out += [f"{method}: {title}; assumes: {assumption}" for method, title, assumption in about]
        designs = list(dict.fromkeys(test.design_text for test in self))
        out += [f"design: {designs[0]}"] if len(designs) == 1 and designs[0] else []
        return [*out, *(f"note: {text}" for text in self.cautions)]

    def __str__(self) -> str:
        """Return one table of all pairs, and the letters of the rankers; one pair as tests are printed."""
        if len(self) == 1:
            return str(self.tests[0])
        header, body = self.table_rows()
        parts = [rows.in_line(self.title), rows.text_table(header, body, left=self.columns_of_words(header))]
        letter_header, letter_body = self.letter_rows()
        if letter_body:
            parts.append(rows.text_table(letter_header, letter_body, left=(0, 2)))
        return "\n\n".join([*parts, rows.text_lines(self.notes())])

    def __repr__(self) -> str:
        """Return the metric compared and the number of tests."""
        return f"<Comparisons by {self.metric}: {len(self)} of {len(self.rankers)} rankers>"

    @staticmethod
    def columns_of_words(header: Sequence[str]) -> tuple[int, ...]:
        """Return the columns that are flushed left."""
        return tuple(i for i, name in enumerate(header) if name in ("first", "second", "test"))

    def _repr_html_(self) -> str:
        """Return table, letters and notes for a notebook."""
        letters = self.letter_rows()
        tables = [self.table_rows(), *([letters] if letters[1] else [])]
        parts = [rows.html_paragraphs([self.title]), *(rows.html_table(*table) for table in tables)]
        return rows.html_block([*parts, rows.html_paragraphs(self.notes())])

    def to_html(self) -> str:
        """Return table, letters and notes as HTML."""
        return self._repr_html_()

    def to_markdown(self) -> str:
        """Return title, table, letters and notes in Markdown."""
        header, body = self.table_rows()
        letter_header, letter_body = self.letter_rows()
        parts = [rows.markdown(self.title), rows.markdown_table(header, body, left=self.columns_of_words(header))]
        parts += [rows.markdown_table(letter_header, letter_body, left=(0, 2))] if letter_body else []
        parts.append(rows.markdown_list(self.notes()))
        return "\n\n".join(parts) + "\n"

    def to_latex(self) -> str:
        """Return tables for the booktabs package, with title and notes as comments."""
        header, body = self.table_rows()
        letter_header, letter_body = self.letter_rows()
        parts = [rows.latex_comments([self.title]), rows.latex_table(header, body, left=self.columns_of_words(header))]
        parts += ["", rows.latex_table(letter_header, letter_body, left=(0, 2))] if letter_body else []
        return "\n".join([*parts, rows.latex_comments(self.notes())]) + "\n"

    # ---- as data

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each pair. The keys are the same for all tests; missing values are None."""
        return [{key: record[key] for key in COLUMNS} for record in (test.to_dict() for test in self)]

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return a data frame with a row for each pair.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first that is installed unless given.

        Raises
        ------
        MissingExtraError
            If none is installed.
        """
        records = self.to_records()
        columns = {key: [_absent(key) if record[key] is None else record[key] for record in records] for key in COLUMNS}
        return to_frame(columns, backend)

    def to_csv(self) -> str:
        """Return the rows as CSV, with all digits."""
        return rows.csv_text(self.to_records(), COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers of all tests, and the letters of the rankers, as plain values."""
        return {
            "metric": None if self.metric is None else str(self.metric),
            "baseline": self.baseline,
            "level": self.confidence_level,
            "letters": self.letters,
            "comparisons": [test.to_dict() for test in self],
        }

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON."""
        return rows.json_text(json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)) + "\n"

    def methods_text(self) -> str:
        """Return the tests as text for a paper: a sentence for each test, and one about the adjustment."""
        return "\n".join([*(test.methods_text() for test in self), *self._adjusted_in_words])

    @property
    def _adjusted_in_words(self) -> list[str]:
        first = self.tests[0]
        if first.adjusted is None:
            return []
        by = f"by {wording.adjustment(first.adjustment)} for the {len(self)} comparisons"
        if first.simultaneous is None:
            return [f"P values were adjusted {by}; confidence intervals are of one difference each."]
        seed = "" if first.seed is None else f" (drawn with seed {first.seed})"
        return [
            f"P values were adjusted {by}, with the largest statistic under the null hypothesis as reference{seed}; "
            "the simultaneous intervals contain all differences together."
        ]


def _lower_is_better(metric: Metric | None) -> bool:
    return metric is not None and metric.lower_is_better


def _absent(key: str) -> Any:
    """Return what stands in a column where a test has nothing."""
    return "" if key in _WORDS else None if key in ("n_resamples", "seed") else math.nan


def _plain(test: Comparison) -> bool:
    return test.alternative == "two-sided" and test.null == 0


def _interval(test: Comparison) -> tuple[float, float] | None:
    if test.simultaneous is not None:
        return test.simultaneous
    return None if math.isnan(test.difference.standard_error) else test.difference.confidence_interval()
