"""One metric over several studies: meta-analysis of evaluations, tables, or values with standard errors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve.errors import InsufficientDataError, ParameterError, SingleClassError, UndefinedMetricError
from hitcurve.evaluation import of_studies
from hitcurve.evaluation.api import evaluate
from hitcurve.evaluation.of_studies import HARTUNG_KNAPP, MODIFIED
from hitcurve.evaluation.result import Evaluation
from hitcurve.immutable import Compared
from hitcurve.inference import Estimate
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.random_effects import Pooled, pooled
from hitcurve.inference.variance.lacking import FEWEST
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as read_metric
from hitcurve.sheets import Section, Sheets
from hitcurve.sources import to_frame
from hitcurve.table import HitTable

COLUMNS = ("study", "value", "standard_error", "low", "high", "weight", "prevalence")
INTERVALS = (HARTUNG_KNAPP, MODIFIED)


@dataclass(frozen=True, eq=False)
class MetaAnalysis(Compared, Sheets):
    """One metric over several studies.

    Attributes
    ----------
    metric : Metric
    names : tuple of str
    values, standard_errors : tuple of float
        Of each study.
    prevalences : tuple of float
        Of each study, nan where unknown.
    scale : {"logit", "identity"}
        Scale on which the studies are pooled.
    method : {"reml", "fixed"}
    confidence_level : float
    pooled : Pooled
        On that scale: mean, heterogeneity tau^2, Q, and I^2. Of random effects I^2 is tau^2 over the sum of tau^2 and
        the typical variance within a study (Higgins and Thompson 2002), of a common effect ``max(0, 1 - (k - 1)/Q)``.
    cautions : tuple of str
        Caveats.
    interval_method : {"hartung-knapp", "modified"}
        Of random effects.
    """

    metric: Metric
    names: tuple[str, ...]
    values: tuple[float, ...]
    standard_errors: tuple[float, ...]
    prevalences: tuple[float, ...]
    scale: str
    method: str
    confidence_level: float
    pooled: Pooled
    cautions: tuple[str, ...] = ()
    interval_method: str = HARTUNG_KNAPP

    def _back(self, x: float) -> float:
        """Return a value or an end of an interval on the scale of the metric, of which none is outside its range."""
        if self.scale == "logit":
            # far below 0 the exponential of -x overflows
            return math.exp(min(x, 0.0)) / (1 + math.exp(-abs(x)))
        low, high = self.metric.range
        return x if math.isnan(x) else min(max(x, low), high)

    @property
    def value(self) -> float:
        """The mean over studies, on the scale of the metric."""
        return self._back(self.pooled.mean)

    @property
    def interval(self) -> tuple[float, float]:
        """Confidence interval of the mean."""
        return self._back(self.pooled.interval[0]), self._back(self.pooled.interval[1])

    @property
    def prediction_interval(self) -> tuple[float, float]:
        """Interval that holds the true value of another study with the confidence level."""
        return self._back(self.pooled.prediction[0]), self._back(self.pooled.prediction[1])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each study; intervals are normal on the scale of the analysis."""
        z = float(t_quantile((1 + self.confidence_level) / 2, math.inf))
        out = []
        lines = zip(self.names, self.values, self.standard_errors, self.pooled.weights.tolist(), strict=True)
        for place, (name, value, error, weight) in enumerate(lines):
            y, s = _on_scale(value, error, self.scale)
            record = {"study": name, "value": value, "standard_error": error}
            record |= {"low": self._back(y - z * s), "high": self._back(y + z * s), "weight": weight}
            out.append(rows.plain({**record, "prevalence": self.prevalences[place]}))
        return out

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return a data frame with a row for each study."""
        records = self.to_records()
        columns = {key: [math.nan if one[key] is None else one[key] for one in records] for key in COLUMNS}
        return to_frame(columns, backend)

    def to_csv(self) -> str:
        """Return the studies and their mean (``all``) as CSV, with all digits."""
        low, high = self.interval
        mean = {"study": "all", "value": self.value, "low": low, "high": high, "weight": 1.0}
        every = [{"part": "study", **one} for one in self.to_records()]
        every.append({"part": "pooled", **dict.fromkeys(COLUMNS), **rows.plain(mean)})
        return rows.csv_text(every, ("part", *COLUMNS))

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values."""
        p = self.pooled
        found = rows.plain(
            {
                "metric": str(self.metric),
                "scale": self.scale,
                "method": self.method,
                "interval": self.interval_method if self.method == "reml" else None,
                "level": self.confidence_level,
                "value": self.value,
                "low": self.interval[0],
                "high": self.interval[1],
                "prediction_low": self.prediction_interval[0],
                "prediction_high": self.prediction_interval[1],
                "tau2": p.tau2,
                "tau2_low": p.tau2_interval[0],
                "tau2_high": p.tau2_interval[1],
                "i2": p.i2,
                "q": p.q,
                "pvalue": p.pvalue,
            }
        )
        return {**found, "studies": self.to_records(), "notes": self.notes()}

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the studies and of their mean."""
        body = [
            [
                one["study"],
                rows.number(one["value"]),
                f"{rows.number(one['low'], 3)} to {rows.number(one['high'], 3)}",
                f"{100 * one['weight']:.1f}%",
            ]
            for one in self.to_records()
        ]
        low, high = self.interval
        ends = "" if math.isnan(low) else f"{rows.number(low, 3)} to {rows.number(high, 3)}"
        body.append(["all", rows.number(self.value), ends, "100%"])
        return ["study", str(self.metric), f"{100 * self.confidence_level:g}% interval", "weight"], body

    def heading(self) -> list[str]:
        """Return what was pooled, and how."""
        how = "random effects (REML)" if self.method == "reml" else "common effect"
        return [f"{self.metric} over {len(self.names)} studies: {how} on the {self.scale} scale{self._of_interval}"]

    @property
    def _of_interval(self) -> str:
        if self.method != "reml":
            return ""
        return f", interval by Hartung and Knapp{', modified' if self.interval_method == MODIFIED else ''}"

    def sections(self) -> list[Section]:
        """Return the table of the studies and of their mean."""
        return [Section("", *self.table_rows())]

    def notes(self) -> list[str]:
        """Return heterogeneity, prediction interval and caveats."""
        p, (low, high) = self.pooled, self.prediction_interval
        spread = f"{rows.short(p.tau2_interval[0])} to {rows.short(p.tau2_interval[1])}"
        out = []
        if self.method == "reml" and not math.isnan(low):
            out.append(f"prediction interval of another study: {rows.number(low, 3)} to {rows.number(high, 3)}")
        between = rows.short(p.tau2) if self.method == "reml" else "taken as 0"
        out.append(f"tau^2 {between} (Q profile {spread}), I^2 {100 * p.i2:.1f}%")
        out.append(f"Q = {rows.number(p.q)} on {len(self.names) - 1} degrees of freedom, p {rows.p_value(p.pvalue)}")
        return [*out, *self.cautions]

    def __repr__(self) -> str:
        """Return what was pooled."""
        return f"<MetaAnalysis of {self.metric} over {len(self.names)} studies>"


def meta_analysis(
    studies: Mapping[str, Any] | Sequence[Any],
    metric: str | Metric = "auc",
    *,
    ranker: str | None = None,
    scale: str = "logit",
    method: str = "reml",
    interval: str = HARTUNG_KNAPP,
    prevalence: float | None = None,
    confidence_level: float = 0.95,
) -> MetaAnalysis:
    """Pool one metric over several studies.

    The mean has weights 1/(v + tau^2), v the variance within a study and tau^2 between studies, by restricted maximum
    likelihood. Its interval is by Hartung and Knapp, with t quantiles on k - 1 degrees of freedom of k studies.

    Parameters
    ----------
    studies : mapping of str to study, or sequence of studies
        Each an :class:`~hitcurve.Evaluation`, a :class:`~hitcurve.HitTable`, an :class:`~hitcurve.Estimate`, or a pair
        of a value and its standard error. Studies have different subjects.
    metric : str or Metric
    ranker : str, optional
        The ranker of evaluations; the only one if absent.
    scale : {"logit", "identity"}
        Values in (0, 1) are pooled as logits unless they are to be pooled as they are.
    method : {"reml", "fixed"}
        Random effects, or one common value.
    interval : {"hartung-knapp", "modified"}
        Of the mean of random effects. The error of Hartung and Knapp is the usual one times the root of a mean square
        q of the standardised deviations, which may be far below 1 where few studies agree by chance. ``modified`` takes
        max(1, q) for it (Knapp and Hartung 2003; Roever, Knapp and Friede 2015): never narrower than without, and
        conservative for few studies that are about as exact. Where one has much of the weight both may be
        too narrow, which a caution says.
    prevalence : float in (0, 1), optional
        One prevalence at which all tables are evaluated before they are pooled, taken as known: AP and precision
        follow the prevalence, which differs between studies.
    confidence_level : float in (0, 1)

    Returns
    -------
    MetaAnalysis

    Raises
    ------
    ParameterError
        If a study is none of these, or an argument is none of what it may be.
    InsufficientDataError
        If there are fewer than two studies, one has no standard error above 0, or fewer than 5 negatives decide
        precision at the set prevalence in one.
    UndefinedMetricError
        If a value is 0 or 1 and has no logit.

    Examples
    --------
    >>> found = meta_analysis({"a": (0.80, 0.04), "b": (0.85, 0.03), "c": (0.70, 0.05)}, "auc")
    >>> round(found.value, 3), [round(end, 3) for end in found.interval]
    (0.79, [0.552, 0.92])
    """
    wanted = read_metric(metric)
    _checks.choice("scale", scale, ("logit", "identity"))
    _checks.choice("method", method, ("reml", "fixed"))
    _checks.choice("interval", interval, INTERVALS)
    level = _checks.level("confidence_level", confidence_level)
    prevalence = None if prevalence is None else _checks.prevalence(prevalence)
    if isinstance(studies, (Evaluation, HitTable, Estimate, str)) or not isinstance(studies, (Mapping, Sequence)):
        raise ParameterError(f"studies must be a mapping or a sequence of studies, got {type(studies).__name__}")
    named = dict(studies) if isinstance(studies, Mapping) else {f"study {i}": s for i, s in enumerate(studies, 1)}
    if len(named) < 2:
        raise InsufficientDataError(f"a meta-analysis needs at least 2 studies, got {len(named)}")
    objects = [id(one) for one in named.values() if isinstance(one, (Evaluation, HitTable))]
    if len(set(objects)) < len(objects):
        raise ParameterError("one evaluation or table is given as several studies: studies have different subjects")
    if scale == "logit" and tuple(wanted.range) != (0.0, 1.0):
        raise ParameterError(f"{wanted} does not lie in [0, 1], so it has no logit: use scale='identity'")
    _checks.distinct("study", [str(name) for name in named])
    found = {}
    for name, one in named.items():
        with of_study(str(name)):
            found[str(name)] = _study(str(name), one, wanted, ranker, prevalence)
    for name, (value, error, *_) in found.items():
        if not (math.isfinite(value) and 1e-100 < error < 1e100):  # whose square is neither 0 nor infinite
            raise InsufficientDataError(f"{wanted} of study {name!r} has no value with a standard error above 0")
        if found[name].deciding < FEWEST:
            raise InsufficientDataError(
                f"{wanted} of study {name!r} depends on only {rows.counted(found[name].deciding, 'negative', 3)} at "
                f"the set prevalence (at least {FEWEST} are needed): leave it out, or set a higher prevalence"
            )
        low, high = wanted.range
        if not low <= value <= high:
            raise ParameterError(f"{wanted} of study {name!r} is {value:g}, outside [{low:g}, {high:g}]")
        if scale == "logit" and not 0 < value < 1:
            raise UndefinedMetricError(
                f"{wanted} of study {name!r} is {value:g}, which has no logit: use scale='identity', or leave it out"
            )
    pairs = np.array([_on_scale(value, error, scale) for value, error, *_ in found.values()])
    shares = tuple(one.prevalence for one in found.values())
    together = pooled(pairs[:, 0], pairs[:, 1] ** 2, level, random=method == "reml", least=float(interval == MODIFIED))
    return MetaAnalysis(
        wanted,
        tuple(found),
        tuple(one.value for one in found.values()),
        tuple(one.error for one in found.values()),
        shares,
        scale,
        method,
        level,
        together,
        (
            *of_studies.about_prevalence(wanted, shares, prevalence),
            *of_studies.about_error(together, interval),
            *of_studies.about_weight(tuple(found), together, method),
            *of_studies.about_bias(wanted, scale, [one.fewer for one in found.values()], together, method),
            *of_studies.about_extrapolation(wanted, [one.deciding for one in found.values()]),
            *of_studies.about_ends(wanted, scale, together),
            *of_studies.about_copies({name: one.table for name, one in found.items() if one.table is not None}),
        ),
        interval,
    )


@contextmanager
def of_study(name: str) -> Iterator[None]:
    """Say of which study it is that its data are too few for a value or an error."""
    try:
        yield
    except (InsufficientDataError, SingleClassError, UndefinedMetricError) as error:
        raise type(error)(f"study {name!r}: {error}") from None


class _Study(NamedTuple):
    """Numbers of a study.

    Attributes
    ----------
    value, error, prevalence : float
    fewer : float
        Of the smaller class; 0 if unknown.
    table : HitTable or None
    deciding : float
        Negatives that decide precision at a prevalence that was set; infinity if all do.
    """

    value: float
    error: float
    prevalence: float = math.nan
    fewer: float = 0.0
    table: HitTable | None = None
    deciding: float = math.inf


def _study(name: str, one: Any, wanted: Metric, ranker: str | None, prevalence: float | None) -> _Study:
    """Return the numbers of a study."""
    if isinstance(one, HitTable):
        one = evaluate(tables={"study": one}, metrics=wanted, prevalence=prevalence)
        return _of(one["study", wanted])
    if isinstance(one, Evaluation):
        if ranker is None and len(one.tables) > 1:
            raise ParameterError(f"study {name!r} has {len(one.tables)} rankers: name one with ranker=")
        own = one.rankers[0] if ranker is None else _checks.named("ranker", ranker, one.tables)
        if prevalence is None or one.tables[own].assumed_prevalence == prevalence:
            return _of(one[own, wanted])
        if one.clustered or one.fitted:
            raise ParameterError(
                f"study {name!r} has clusters or fitted weights: evaluate it with prevalence={prevalence:g}"
            )
        return _study(name, one.tables[own], wanted, None, prevalence)
    if prevalence is not None:
        raise ParameterError(f"study {name!r} has no table that could be set to a prevalence: leave prevalence out")
    if isinstance(one, Estimate):
        if one.metric != wanted:
            raise ParameterError(f"study {name!r} is an estimate of {one.metric}, not of {wanted}")
        return _of(one)
    if isinstance(one, (tuple, list)) and len(one) == 2:
        value, error = (_checks.real_number(f"the number of study {name!r}", number) for number in one)
        return _Study(value, error)
    raise ParameterError(
        f"study {name!r} must be an Evaluation, a HitTable, an Estimate, or a value and its standard error, got "
        f"{type(one).__name__}"
    )


def _of(e: Estimate) -> _Study:
    precise = e.metric.decided_by_prevalence
    deciding = float(Spread(e.metric, e.table, e.design).deciding) if precise else math.inf
    return _Study(e.value, e.standard_error, e.n_pos / e.n, min(e.n_pos, e.n - e.n_pos), e.table, deciding)


def _on_scale(value: float, error: float, scale: str) -> tuple[float, float]:
    if scale == "identity":
        return value, error
    return math.log(value / (1 - value)), error / (value * (1 - value))
