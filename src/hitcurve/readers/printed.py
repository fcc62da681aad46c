"""A reader study in words and tables, and as data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.inference.variance.lacking import FEWEST
from hitcurve.readers.numbers import Numbers, ReaderMetric
from hitcurve.readers.readings import listed_names
from hitcurve.readers.tested import Margin, ReaderDifference, ReaderMean
from hitcurve.readers.testing import CASES, LOGIT, READERS
from hitcurve.sheets import Section, Sheets
from hitcurve.sources import to_frame

COLUMNS = (
    "metric",
    "part",
    "reader",
    "modality",
    "versus",
    "name",
    "value",
    "standard_error",
    "degrees_of_freedom",
    "low",
    "high",
    "level",
    "statistic",
    "numerator_degrees",
    "pvalue",
    "adjusted",
    "hypothesis",
    "margin",
    "margin_pvalue",
    "margin_adjusted",
)
_CLASSES = ("positive", "negative")
_WORDS = ("metric", "part", "reader", "modality", "versus", "name", "hypothesis")  # columns of text
_OF_COVARIANCE = {
    "delong": "influence values (DeLong's for auc)",
    "influence": "influence values",
    "jackknife": "the jackknife",
    "unbiased": "unbiased estimates",
}


class Printed(Sheets, Numbers):
    """How the numbers of a study are shown."""

    # ---- words

    def heading(self) -> list[str]:
        """Return a description of the study."""
        one = self.readings
        positives, negatives = one.sizes
        n = positives + negatives
        modalities = "" if len(one.modalities) == 1 else f", {listed_names('modalities', one.modalities)}"
        readers = listed_names("readers" if len(one.readers) > 1 else "reader", one.readers)
        missing = int(one.missing.sum())
        lines = [
            f"{readers}{modalities}, {n:,} cases, {positives:,} positive ({100 * positives / n:.3g}%), "
            f"{one.n_readings:,} readings{f', {missing:,} missing' if missing else ''}"
        ]
        what = f"{rows.listed(self.random)} random"
        if len(self.random) == 1:
            what += f", {CASES if self.random == (READERS,) else READERS} fixed"
        nested = one.nested or ("some readings missing" if missing else "every reader reads every case")
        at = "" if self.study.prevalence is None else f" at a prevalence of {self.study.prevalence:g}"
        clusters = "" if one.clusters is None else f" within {int(one.clusters.max()) + 1:,} clusters"
        lines.append(f"{what}; {nested}; {self.study.design} design{at}")
        lines.append(f"covariances over cases by {_OF_COVARIANCE[self.study.covariance]}{clusters}")
        return lines

    def sections(self) -> list[Section]:
        """Return all tables: values, differences and components of variance of each metric."""
        return [section for one in self.results for section in self._of_metric(one)]

    def notes(self) -> list[str]:
        """Return tests that all modalities are equal, what the margin is for, and caveats."""
        level = rows.short(100 * self.confidence_level)
        out = [
            f"in brackets standard errors: of one reader over cases, of means and differences over "
            f"{rows.listed(self.random)}, with {level}% intervals{self._of_scale}"
        ]
        for one in self.results:
            if one.equality is not None:
                test = one.equality
                degrees = rows.short(test.degrees_of_freedom)
                if test.name == "F":
                    degrees += f", {rows.short(test.denominator_degrees)}"
                if math.isnan(test.statistic):
                    out.append(f"{one.metric}: the differences of modalities do not vary, so there is no test")
                    continue
                name = test.name if test.name == "F" else "chi-square"
                out.append(
                    f"{one.metric}, all modalities equal: {name}({degrees}) = {rows.number(test.statistic)}, "
                    f"p {rows.p_value(test.pvalue)}"
                )
        out += self.readings.notes
        if self.readings.nested == "readers in modalities" and any(one.differences for one in self.results):
            out.append("each reader has one modality, so there are no differences of single readers")
        out += [str(one.design_effect) for one in self.results if one.design_effect is not None]
        if any(difference.adjusted is not None for one in self.results for difference in one.differences):
            out.append("adjusted p values by Holm's method, for all pairs shown")
        if self.readings.missing.any() and len(self.modalities) > 2:
            out.append("readings are missing, so each difference has the components of variance of its two modalities")
        if self.margin is not None:
            out.append(self._of_margin(self.margin))
        return out + [f"{one.metric}: {caveat}" for one in self.results for caveat in self.caveats(one)]

    @property
    def _of_scale(self) -> str:
        bounded = [all(map(math.isfinite, one.metric.range)) for one in self.results]
        if self.scale == LOGIT and any(bounded):
            return ", of means on the logit scale"
        return ""

    def _of_margin(self, margin: Margin) -> str:
        tail = rows.short(50 * (1 - self.confidence_level))
        size = rows.short(margin.size)
        if margin.hypothesis == "equivalence":
            return (
                f"equivalence: the larger p value of two one-sided tests, that the difference is {size} or more in "
                f"either direction; below {tail}% the interval is inside the margins"
            )
        return (
            f"non-inferiority: one-sided p value of the hypothesis that the first is worse than {self.baseline} by "
            f"{size} or more; below {tail}% the interval excludes it"
        )

    def caveats(self, one: ReaderMetric) -> list[str]:
        """Return what to be wary of."""
        out = []
        if self.random == (READERS, CASES) and one.components.clamped and one.equality is not None:
            out.append(
                "Cov2 is below Cov3, and 0 was taken for their difference, so that cases add nothing to the error"
            )
        numbers = self._fewest
        if numbers is not None:
            out.append(numbers)
        unvaried = [x for x in (*one.differences, *one.of_readers) if not x.standard_error > 0]
        if unvaried:
            names = [f"{x.first} - {x.second}{'' if x.reader is None else f' of reader {x.reader}'}" for x in unvaried]
            out.append(
                f"the standard error of {rows.some(names)} is 0, because nothing varies: p is 1 of no difference, and "
                "any other difference is not tested"
            )
        low, high = one.metric.range
        if any(mean.low < low or mean.high > high for mean in one.means):
            out.append("an interval of a mean ends outside of the range of the metric")
        perfect = [self.readings.name(row) for row in range(one.value.size) if not one.cells.standard_error[row] > 0]
        if perfect:
            out.append(f"no error over cases was observed of {rows.some(perfect)}")
        if READERS in self.random and int(self.readings.readers_of_modality.min()) < 4:
            out.append("fewer than 4 readers say little of how readers vary: intervals are wide")
        return out

    @property
    def _fewest(self) -> str | None:
        """Return that there are few cases of a class, or few clusters of positives, in words; None if there are not."""
        one = self.readings
        if CASES not in self.random:
            return None
        numbers = [float(side.min()) for side in self.study.sizes]
        words = [rows.counted(number, f"{what} case") for number, what in zip(numbers, _CLASSES, strict=True)]
        if one.clusters is not None:
            numbers.append(float(np.unique(one.clusters[one.positive]).size))
            words.append(rows.counted(numbers[-1], "cluster") + " with a positive case")
        place = int(np.argmin(numbers))
        if numbers[place] >= FEWEST:
            return None
        return (
            f"a reader read only {words[place]}, so that errors over cases are rough: intervals and p values may be "
            f"far off below {FEWEST}"
        )

    # ---- tables

    def _of_metric(self, one: ReaderMetric) -> Iterator[Section]:
        yield Section(f"{one.metric}", *self._values(one))
        if one.differences:
            yield Section(f"{one.metric}, differences of modalities", *self._differences(one))
        yield Section(f"{one.metric}, components of variance", *_components(one))

    def _values(self, one: ReaderMetric) -> tuple[list[str], list[list[str]]]:
        readings, error = self.readings, one.cells.standard_error
        texts = {
            (int(reader), int(modality)): rows.with_interval(float(one.value[row]), None, error=float(error[row]))
            for row, (reader, modality) in enumerate(zip(readings.reader_of, readings.modality_of, strict=True))
        }
        names = readings.modalities if len(readings.modalities) > 1 else ("value",)
        body = [
            [name, *(texts.get((reader, modality), "") for modality in range(len(names)))]
            for reader, name in enumerate(readings.readers)
        ]
        return ["reader", *names], [*body, [self.name_of_mean, *map(_mean_text, one.means)]]

    @property
    def name_of_mean(self) -> str:
        """Name of the row of the means, which no reader has."""
        return "mean of readers" if "mean" in self.readings.readers else "mean"

    def _differences(self, one: ReaderMetric) -> tuple[list[str], list[list[str]]]:
        normal = all(math.isinf(difference.degrees_of_freedom) for difference in one.differences)
        header = ["modalities", "difference", *(["z"] if normal else ["t", "df"]), "p"]
        several = any(difference.adjusted is not None for difference in one.differences)
        header += ["adjusted p"] if several else []
        if self.margin is not None:
            header += [f"p of {self.margin.hypothesis}", *(["adjusted"] if several else [])]
        body = []
        for difference in one.differences:
            line = [f"{difference.first} - {difference.second}", _with_error(difference), _statistic(difference)]
            line += [] if normal else [_degrees(difference.degrees_of_freedom)]
            line += [_p(difference.pvalue), *([_p(difference.adjusted)] if several else [])]
            if self.margin is not None:
                line += [_p(difference.margin_pvalue), *([_p(difference.margin_adjusted)] if several else [])]
            body.append(line)
        return header, body

    # ---- data

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each number, of the same keys; what does not apply is None.

        ``part`` says what a record is: ``value`` (of a reader with a modality), ``mean`` (over readers),
        ``difference`` (of two modalities), ``reader difference``, ``equality``, ``component`` or ``clusters`` (design
        effect and intra-cluster correlation).
        """
        return [rows.plain(record) for record in self._every()]

    def _every(self) -> list[dict[str, Any]]:
        found = [record for one in self.results for record in self._records(one)]
        return [{key: record.get(key) for key in COLUMNS} for record in found]

    def _records(self, one: ReaderMetric) -> Iterator[dict[str, Any]]:
        metric, readings = str(one.metric), self.readings
        for row in range(one.value.size):
            yield {
                "metric": metric,
                "part": "value",
                "reader": readings.readers[readings.reader_of[row]],
                "modality": readings.modalities[readings.modality_of[row]],
                "value": float(one.value[row]),
                "standard_error": float(one.cells.standard_error[row]),
            }
        level = {"metric": metric, "level": self.confidence_level}
        for mean in one.means:
            yield level | {"part": "mean"} | asdict(mean)
        margin = {} if self.margin is None else {"hypothesis": self.margin.hypothesis, "margin": self.margin.size}
        for difference in (*one.differences, *one.of_readers):
            part = "difference" if difference.reader is None else "reader difference"
            own = {"part": part, "modality": difference.first, "versus": difference.second}
            yield level | own | (margin if difference.reader is None else {}) | asdict(difference)
        if one.equality is not None:
            yield {
                "metric": metric,
                "part": "equality",
                "name": one.equality.name,
                "statistic": one.equality.statistic,
                "numerator_degrees": float(one.equality.degrees_of_freedom),
                "degrees_of_freedom": one.equality.denominator_degrees,
                "pvalue": one.equality.pvalue,
            }
        for name, value in asdict(one.components).items():
            yield {"metric": metric, "part": "component", "name": name, "value": value}
        if one.design_effect is not None:
            of_clusters = {"design_effect": one.design_effect.effect, "correlation": one.design_effect.correlation}
            for name, value in of_clusters.items():
                yield {"metric": metric, "part": "clusters", "name": name, "value": value}

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return :meth:`to_records` as a data frame; numbers that do not apply are nan.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first that is installed unless given.

        Raises
        ------
        MissingExtraError
            If none is installed.
        """
        records = self._every()
        columns: dict[str, Any] = {key: [record[key] for record in records] for key in COLUMNS}
        for key in COLUMNS:
            if key not in _WORDS:
                columns[key] = np.array([math.nan if value is None else value for value in columns[key]], float)
        return to_frame(columns, backend)

    def to_csv(self) -> str:
        """Return the rows of :meth:`to_frame` as CSV, with all digits."""
        return rows.csv_text(self.to_records(), COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain lists and dictionaries."""
        one = self.readings
        return {
            "n": sum(one.sizes),
            "n_pos": one.sizes[0],
            "readings": one.n_readings,
            "missing": int(one.missing.sum()),
            "readers": list(one.readers),
            "modalities": list(one.modalities),
            "nested": one.nested,
            "clusters": None if one.clusters is None else int(one.clusters.max()) + 1,
            "random": list(self.random),
            "design": self.study.design,
            "covariance": self.study.covariance,
            "prevalence": self.study.prevalence,
            "level": self.confidence_level,
            "scale": self.scale,
            "baseline": self.baseline,
            "hypothesis": None if self.margin is None else self.margin.hypothesis,
            "margin": None if self.margin is None else self.margin.size,
            "numbers": self.to_records(),
            "notes": self.notes(),
        }


def _mean_text(mean: ReaderMean) -> str:
    ends = None if math.isnan(mean.low) else (mean.low, mean.high)
    return rows.with_interval(mean.value, ends, error=mean.standard_error)


def _with_error(difference: ReaderDifference) -> str:
    ends = None if math.isnan(difference.low) else (difference.low, difference.high)
    return rows.with_interval(difference.value, ends, error=difference.standard_error)


def _statistic(difference: ReaderDifference) -> str:
    return "" if math.isnan(difference.statistic) else rows.number(difference.statistic)


def _degrees(degrees: float) -> str:
    return "inf" if math.isinf(degrees) else rows.short(degrees)


def _p(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else rows.p_alone(value, 3)


_NAMES = {
    "var": "variance over cases",
    "cov1": "Cov1: same reader",
    "cov2": "Cov2: same modality",
    "cov3": "Cov3: neither",
    "ms_modality": "mean square, modalities",
    "ms_reader": "mean square, readers",
    "ms_interaction": "mean square, readers x modalities",
}


def _components(one: ReaderMetric) -> tuple[list[str], list[list[str]]]:
    parts = asdict(one.components)
    body = []
    for key, words in _NAMES.items():
        if not math.isnan(parts[key]):
            share = rows.number(parts[key] / parts["var"], 3) if key.startswith("cov") and parts["var"] > 0 else ""
            body.append([words, rows.number(parts[key]), share])
    return ["component", "estimate", "correlation"], body
