"""Linear combinations of values with known covariances: standard errors, intervals, tests, several at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

from hitcurve import _checks, rows
from hitcurve.errors import ParameterError
from hitcurve.immutable import Compared
from hitcurve.inference.intervals.interval import ConfidenceInterval
from hitcurve.inference.quantiles import t_quantile
from hitcurve.sources import to_frame

COLUMNS = (
    "contrast",
    "metric",
    "value",
    "standard_error",
    "low",
    "high",
    "level",
    "statistic",
    "degrees_of_freedom",
    "pvalue",
    "adjusted",
    "simultaneous_low",
    "simultaneous_high",
    "null",
    "alternative",
)


class WaldTest(NamedTuple):
    """Test of several contrasts together: all have their values under the null hypothesis.

    Attributes
    ----------
    statistic : float
        F: the Wald statistic by its degrees of freedom.
    degrees : (int, float)
        Of numerator and denominator; the second by Fai and Cornelius (1996), inf of a chi-square test.
    pvalue : float
    """

    statistic: float
    degrees: tuple[int, float]
    pvalue: float

    def __str__(self) -> str:
        """Return F, degrees of freedom and p."""
        q, below = self.degrees
        of = f"{below:.1f}".removesuffix(".0") if math.isfinite(below) else "inf"
        return f"F = {rows.number(self.statistic)} on {q} and {of} degrees of freedom, p {rows.p_value(self.pvalue)}"


@dataclass(frozen=True, eq=False)
class Contrast(Compared):
    """A linear combination of values with its uncertainty and its test.

    Attributes
    ----------
    label : str
        Such as ``a - 0.5 b - 0.5 c``.
    terms : tuple of (str, float)
        The values combined and their weights.
    metric : str
        What is combined, in words; empty where metrics are.
    value : float
    standard_error : float
        By the delta method, with n/(n - 1) of each class, as in :meth:`hitcurve.Evaluation.compare`; summed by cluster
        if there are clusters.
    degrees_of_freedom : float
        By Satterthwaite, from independent parts of the variance.
    pvalue : float
    confidence_level : float
    null : float
    alternative : {"two-sided", "less", "greater"}
    bounds : (float, float)
        The range of the combination; intervals end there.
    adjusted : float or None
        p value adjusted for the contrasts made with it (max-T).
    simultaneous : ConfidenceInterval or None
        Interval that holds together with the others.
    sample : str
        The sample in words.
    cautions : tuple of str
        What makes the interval and the p value doubtful.
    adjustment_draws : int or None
        Random draws of the adjusted p value, which is at least one over them plus 1.
    """

    label: str
    terms: tuple[tuple[str, float], ...]
    metric: str
    value: float
    standard_error: float
    degrees_of_freedom: float
    pvalue: float
    confidence_level: float = 0.95
    null: float = 0.0
    alternative: str = "two-sided"
    bounds: tuple[float, float] = (-math.inf, math.inf)
    adjusted: float | None = None
    simultaneous: ConfidenceInterval | None = None
    sample: str = ""
    cautions: tuple[str, ...] = ()
    adjustment_draws: int | None = None

    def __float__(self) -> float:
        """Return the value."""
        return self.value

    @property
    def statistic(self) -> float:
        """Value minus null over the standard error; 0 where both are 0."""
        return (self.value - self.null) / self.standard_error if self.standard_error > 0 else 0.0

    def confidence_interval(self, confidence_level: float | None = None) -> ConfidenceInterval:
        """Return the t interval.

        Parameters
        ----------
        confidence_level : float in (0, 1), optional
            The level of the contrast if absent.
        """
        level = self.confidence_level if confidence_level is None else confidence_level
        level = _checks.level("confidence_level", level)
        return self.within(float(t_quantile((1 + level) / 2, self.degrees_of_freedom)) * self.standard_error)

    def within(self, half: float) -> ConfidenceInterval:
        """Return the interval of a half width, inside the range of the combination."""
        low, high = self.bounds
        return ConfidenceInterval(max(self.value - half, low), min(self.value + half, high))

    @property
    def adjusted_text(self) -> str:
        """The adjusted p value in words: a bound, where no draw was beyond the statistic."""
        if self.adjusted is None:
            return ""
        text = rows.p_alone(self.adjusted)
        least = self.adjustment_draws is not None and self.adjusted <= 1 / (self.adjustment_draws + 1)
        return f"<= {self.adjusted:.4g}" if least else text

    def _lines(self) -> dict[str, str]:
        low, high = self.confidence_interval()
        degrees = f"{self.degrees_of_freedom:.1f}".removesuffix(".0")
        on = f" on {degrees} degrees of freedom" if math.isfinite(self.degrees_of_freedom) else ""
        together = self.simultaneous
        lines = {
            "value": f"{rows.number(self.value)} (standard error {rows.number(self.standard_error)})",
            f"{100 * self.confidence_level:g}% interval": f"{rows.number(low)} to {rows.number(high)}",
            "simultaneous": "" if together is None else f"{rows.number(together[0])} to {rows.number(together[1])}",
            "null, against": f"{rows.short(self.null)}, {self.alternative}",
            "statistic": f"{rows.number(self.statistic)}{on}",
            "p value": rows.p_alone(self.pvalue),
            "adjusted p": f"{self.adjusted_text} (max-T)" if self.adjusted_text else "",
            "sample": self.sample,
        }
        return {name: text for name, text in lines.items() if text}

    @property
    def _heading(self) -> str:
        return f"Contrast{f' of {self.metric}' if self.metric else ''}: {self.label}"

    def __str__(self) -> str:
        """Return the contrast as tests are printed."""
        printed = [f"  {name:<15} {text}" for name, text in self._lines().items()]
        printed += [f"  {'note':<15} {text}" for text in self.cautions]
        return rows.text_lines([self._heading, *printed])

    def _repr_html_(self) -> str:
        """Return the contrast as a table of a notebook."""
        body = [[name, text] for name, text in self._lines().items()]
        body += [["note", text] for text in self.cautions]
        return rows.html_block([rows.html_paragraphs([self._heading]), rows.html_table([], body)])

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values; missing values are None."""
        low, high = self.confidence_interval()
        together = (None, None) if self.simultaneous is None else self.simultaneous
        found = {
            "contrast": self.label,
            "metric": self.metric,
            "value": self.value,
            "standard_error": self.standard_error,
            "low": low,
            "high": high,
            "level": self.confidence_level,
            "statistic": self.statistic,
            "degrees_of_freedom": self.degrees_of_freedom,
            "pvalue": self.pvalue,
            "adjusted": self.adjusted,
            "simultaneous_low": together[0],
            "simultaneous_high": together[1],
            "null": self.null,
            "alternative": self.alternative,
        }
        return rows.plain(found)

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return a data frame of one row; as :meth:`Contrasts.to_frame`."""
        return Contrasts((self,), None).to_frame(backend=backend)


@dataclass(frozen=True, eq=False)
class Contrasts(Compared, Sequence[Contrast]):
    """Several contrasts with simultaneous intervals and a test of all together.

    Attributes
    ----------
    contrasts : tuple of Contrast
        With ``adjusted`` p values and ``simultaneous`` intervals by the largest statistic under the null (max-T).
    test : WaldTest or None
        Of all null hypotheses together; None of one contrast.
    seed : int or None
        Of the draws of max-T.
    title : str
    """

    contrasts: tuple[Contrast, ...]
    test: WaldTest | None
    seed: int | None = None
    title: str = "Contrasts"

    def __len__(self) -> int:
        """Return the number of contrasts."""
        return len(self.contrasts)

    def __iter__(self) -> Iterator[Contrast]:
        """Go through the contrasts."""
        return iter(self.contrasts)

    @overload
    def __getitem__(self, key: int | str) -> Contrast: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Contrast, ...]: ...
    def __getitem__(self, key: int | str | slice) -> Contrast | tuple[Contrast, ...]:
        """Return a contrast by its place, its label or (of several metrics) its metric."""
        if not isinstance(key, str):
            try:
                return self.contrasts[key]
            except TypeError:
                raise ParameterError(f"ask for a place, a slice or the label of a contrast, got {key!r}") from None
        for of in ([one.label for one in self], [one.metric for one in self]):
            if of.count(key) == 1:
                return self.contrasts[of.index(key)]
        labels = [one.label for one in self]
        return self.contrasts[labels.index(_checks.named("contrast", key, labels))]

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the printed table."""
        level = f"{100 * self.contrasts[0].confidence_level:g}%"
        header = ["contrast", "metric", "value", "s.e.", f"{level} interval", "p", "simultaneous", "adjusted p"]
        body = [
            [
                one.label,
                one.metric,
                rows.number(one.value),
                rows.number(one.standard_error, 3),
                _ends(one.confidence_interval()),
                rows.p_alone(one.pvalue),
                "" if one.simultaneous is None else _ends(one.simultaneous),
                one.adjusted_text,
            ]
            for one in self
        ]
        there = [i for i in range(len(header)) if any(line[i] for line in body)]
        return [header[i] for i in there], [[line[i] for i in there] for line in body]

    def notes(self) -> list[str]:
        """Return the test of all together, and the sample."""
        samples = list(dict.fromkeys(one.sample for one in self if one.sample))
        joint = [] if self.test is None else [f"all null hypotheses together: {self.test}"]
        return [*joint, *(f"sample: {text}" for text in samples), *self.cautions]

    @property
    def cautions(self) -> list[str]:
        """What makes intervals and p values doubtful, with the contrasts of which it is said."""
        found: dict[str, list[str]] = {}
        for one in self:
            for text in one.cautions:
                found.setdefault(text, []).append(one.label)
        return [text if len(labels) == len(self) else f"{rows.some(labels)}: {text}" for text, labels in found.items()]

    def __str__(self) -> str:
        """Return the table and the test of all."""
        header, body = self.table_rows()
        table = rows.text_table(header, body, left=(0, 1) if "metric" in header else (0,))
        return "\n\n".join([rows.in_line(self.title), table, rows.text_lines(self.notes())])

    def __repr__(self) -> str:
        """Return the number of contrasts."""
        return f"<Contrasts: {len(self)}>"

    def _repr_html_(self) -> str:
        """Return table and test for a notebook."""
        parts = [rows.html_paragraphs([self.title]), rows.html_table(*self.table_rows())]
        return rows.html_block([*parts, rows.html_paragraphs(self.notes())])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each contrast."""
        return [one.to_dict() for one in self]

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return a data frame with a row for each contrast.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first that is installed unless given.
        """
        records = self.to_records()
        columns = {key: [math.nan if record[key] is None else record[key] for record in records] for key in COLUMNS}
        return to_frame(columns, backend)


def _ends(interval: tuple[float, float]) -> str:
    return f"{rows.number(interval[0], 3)} to {rows.number(interval[1], 3)}"
