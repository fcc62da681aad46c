"""Linear combinations of values with known covariances: standard errors, intervals, tests, several at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, overload

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.immutable import Compared
from hitcurve.inference.covariance import Covariance
from hitcurve.inference.interval import ConfidenceInterval
from hitcurve.inference.many import SampledClass, largest
from hitcurve.inference.pvalues import ALTERNATIVES, HAIR, t_p, without_variance
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resample import seed_of_values, seeded
from hitcurve.metrics.ends import NOISE
from hitcurve.sources import to_frame

DRAWS = 20_000
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
_NEGLIGIBLE = 1e-10  # of the largest variance: a contrast that others determine


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
        level = _checks.open_unit("confidence_level", level)
        return self.within(float(t_quantile((1 + level) / 2, self.degrees_of_freedom)) * self.standard_error)

    def within(self, half: float) -> ConfidenceInterval:
        """Return the interval of a half width, inside the range of the combination."""
        low, high = self.bounds
        return ConfidenceInterval(max(self.value - half, low), min(self.value + half, high))

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
            "adjusted p": "" if self.adjusted is None else f"{rows.p_alone(self.adjusted)} (max-T)",
            "sample": self.sample,
        }
        return {name: text for name, text in lines.items() if text}

    @property
    def _heading(self) -> str:
        return f"Contrast{f' of {self.metric}' if self.metric else ''}: {self.label}"

    def __str__(self) -> str:
        """Return the contrast as tests are printed."""
        printed = [f"  {name:<15} {text}" for name, text in self._lines().items()]
        return "\n".join(map(rows.in_line, [self._heading, *printed]))

    def _repr_html_(self) -> str:
        """Return the contrast as a table of a notebook."""
        body = [[name, text] for name, text in self._lines().items()]
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
            return self.contrasts[key]
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
                "" if one.adjusted is None else rows.p_alone(one.adjusted),
            ]
            for one in self
        ]
        there = [i for i in range(len(header)) if any(line[i] for line in body)]
        return [header[i] for i in there], [[line[i] for i in there] for line in body]

    def notes(self) -> list[str]:
        """Return the test of all together, and the sample."""
        samples = list(dict.fromkeys(one.sample for one in self if one.sample))
        joint = [] if self.test is None else [f"all null hypotheses together: {self.test}"]
        return [*joint, *(f"sample: {text}" for text in samples)]

    def __str__(self) -> str:
        """Return the table and the test of all."""
        header, body = self.table_rows()
        table = rows.text_table(header, body, left=(0, 1) if "metric" in header else (0,))
        return rows.visible("\n".join([f"{self.title}\n", table, "", *map(rows.in_line, self.notes())]))

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


class Wanted(NamedTuple):
    """A contrast that is asked for: its weights on the values of a covariance."""

    label: str
    weights: Array
    metric: str
    null: float = 0.0


def label_of(terms: Mapping[str, float]) -> str:
    """Return a linear combination as text: a - 0.5 b."""
    text = ""
    for name, weight in terms.items():
        size = "" if abs(weight) == 1 else f"{rows.short(abs(weight))} "
        sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
        text += f"{sign}{size}{name}"
    return text


def contrast(covariance: Covariance, wanted: Wanted, alternative: str, level: float) -> Contrast:
    """Return one contrast.

    Raises
    ------
    InsufficientDataError
        If a class has one subject only, or nothing varies and the value is not the null.
    """
    _checks.choice("alternative", alternative, ALTERNATIVES)
    null = _checks.real_number("null", wanted.null)
    weights = np.asarray(wanted.weights, float)
    if not weights.any():
        raise ParameterError("a contrast needs a weight other than 0")
    of = np.flatnonzero(weights)
    terms = weights[of] * covariance.values[of]
    value = float(np.sum(terms))
    if abs(value) <= NOISE * float(np.max(np.abs(terms))):
        value = 0.0
    by_part = covariance.variances(weights)
    total = sum(by_part)
    if math.isnan(total):
        raise InsufficientDataError("a standard error needs at least 2 subjects of each class")
    degrees = satterthwaite(by_part, [part.degrees for part in covariance.parts])
    error = math.sqrt(max(total, 0.0))
    if error > 0:
        p = t_p((value - null) / error, degrees, alternative)
    else:
        p = without_variance(value - null, abs(value - null) <= HAIR).pvalue
    ends = [sorted(w * end for end in covariance.keys[i][1].range) for i, w in zip(of, weights[of], strict=True)]
    bounds = (sum(low for low, _ in ends), sum(high for _, high in ends))
    named = tuple((covariance.labels[i], float(weights[i])) for i in of)
    return Contrast(
        wanted.label,
        named,
        wanted.metric,
        value,
        error,
        degrees,
        p,
        _checks.open_unit("confidence_level", level),
        null,
        alternative,
        bounds,
        sample=covariance.sample,
    )


def satterthwaite(variances: Sequence[float], degrees: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of independent variances."""
    below = sum(v**2 / d for v, d in zip(variances, degrees, strict=True) if v and math.isfinite(d))
    return float(sum(variances) ** 2 / below) if below > 0 else math.inf


def contrasts(
    covariance: Covariance, wanted: Sequence[Wanted], alternative: str, level: float, title: str, rng: Any = None
) -> Contrasts:
    """Return several contrasts with simultaneous intervals, and the test of all together."""
    found = [contrast(covariance, one, alternative, level) for one in wanted]
    if len(found) == 1:
        return Contrasts(tuple(found), None, None, title)
    weights = np.array([one.weights for one in wanted])
    classes = [
        SampledClass(weights @ (part.covariance * part.factor) @ weights.T, part.degrees + 1)
        for part in covariance.parts
    ]
    if not all(one.standard_error > 0 for one in found):
        return Contrasts(tuple(found), wald(covariance, wanted), None, title)
    rng, seed = seeded(rng, lambda: seed_of_values(np.array([one.value for one in found])))
    drawn = np.concatenate(list(largest(classes, DRAWS, rng)))
    of_both, of_one = (np.sort(drawn[:, side]) for side in range(2))
    fewest = min(one.degrees_of_freedom for one in found)
    inflation = t_quantile((1 + level) / 2, fewest) / t_quantile((1 + level) / 2, math.inf)
    half = float(of_both[min(math.ceil(level * DRAWS), DRAWS - 1)]) * inflation
    out = []
    for one in found:
        sides = {"two-sided": (of_both, abs(one.statistic)), "greater": (of_one, one.statistic)}
        reference, statistic = sides.get(alternative, (of_one, -one.statistic))
        beyond = DRAWS - int(np.searchsorted(reference, statistic / inflation, "left"))
        p = max((beyond + 1) / (DRAWS + 1), one.pvalue)
        out.append(replace(one, adjusted=p, simultaneous=one.within(half * one.standard_error)))
    return Contrasts(tuple(out), wald(covariance, wanted), seed, title)


def wald(covariance: Covariance, wanted: Sequence[Wanted]) -> WaldTest | None:
    """Return the test that all contrasts have their null values; None where nothing varies.

    The contrasts are turned into uncorrelated ones, each with degrees of freedom by Satterthwaite. With E the sum of
    v/(v - 2) over them, F of q contrasts has 2 E/(E - q) (Fai and Cornelius 1996).
    """
    weights = np.array([one.weights for one in wanted])
    distance = weights @ covariance.values - np.array([one.null for one in wanted])
    together = np.sum([part.covariance * part.factor for part in covariance.parts], axis=0)
    together = together - covariance.explained @ covariance.explained.T
    spread, axes = np.linalg.eigh(weights @ together @ weights.T)
    kept = spread > _NEGLIGIBLE * max(float(spread[-1]), 0.0)
    if not kept.any() or not spread[-1] > 0:
        return None
    own = axes[:, kept].T
    q = int(kept.sum())
    statistic = float(np.sum((own @ distance) ** 2 / spread[kept])) / q
    degrees = [
        satterthwaite(covariance.variances(axis @ weights), [part.degrees for part in covariance.parts]) for axis in own
    ]
    return WaldTest(statistic, (q, _denominator(degrees)), _f_p(statistic, q, _denominator(degrees)))


def _denominator(degrees: Sequence[float]) -> float:
    q = len(degrees)
    if q == 1:
        return degrees[0]
    if min(degrees) <= 2:
        return 2.0
    total = sum(v / (v - 2) if math.isfinite(v) else 1.0 for v in degrees)
    return 2 * total / (total - q) if total - q > 1e-12 else math.inf


def _f_p(statistic: float, q: int, degrees: float) -> float:
    from scipy.special import chdtrc, fdtrc

    return float(chdtrc(q, q * statistic) if math.isinf(degrees) else fdtrc(q, degrees, statistic))
