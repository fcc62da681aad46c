"""Evaluations of censored subjects as files of JSON: subjects and options, from which all numbers follow again."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hitcurve.errors import HitcurveError, ParameterError
from hitcurve.evaluation.kept import check_unchanged, digest, parsed
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.evaluation.state import array_in, array_out, metrics_in, metrics_out, tally_in, tally_out
from hitcurve.metrics import Metric
from hitcurve.sources import Reading
from hitcurve.survival.censoring import KaplanMeier, Sample
from hitcurve.survival.subjects import Subjects
from hitcurve.survival.weights import Cohort

if TYPE_CHECKING:
    from hitcurve.survival.result import SurvivalEvaluation

FORMAT, VERSION = "hitcurve survival evaluation", 1


class Kept(NamedTuple):
    """What an evaluation is made of."""

    subjects: Subjects
    cohort: Cohort
    metrics: tuple[Metric, ...]
    sampling: SamplingDesign
    rule: str
    backend: str | None


def content_of(ev: SurvivalEvaluation) -> dict[str, Any]:
    """Return what a file has.

    Raises
    ------
    ParameterError
        If the distribution of the censoring is a function, or a metric has no metric string.
    """
    censoring, subjects = ev.cohort.censoring, ev.subjects
    if not isinstance(censoring, KaplanMeier):
        raise ParameterError("a known distribution of the censoring is a function, which no file keeps: use pickle")
    first = next(iter(ev.evaluations.values()))
    state = {
        "metrics": metrics_out(ev.metrics),
        "horizons": list(subjects.horizons),
        "controls": ev.cohort.controls,
        "rule": ev.rule,
        "design": ev.design,
        "confidence_level": first.confidence_level,
        "interval_method": first.interval_method,
        "backend": ev.backend,
        "sample": _sample_out(subjects.sample),
        "others": _sample_out(censoring.sample) if censoring.of_others else None,
        "scores": {name: [array_out(one) for one in columns] for name, columns in subjects.scores.items()},
        "lower_is_better": [name for name in subjects.scores if not subjects.reading.is_high_good(name)],
        "missing": subjects.reading.missing,
        "order": array_out(subjects.order),
        "clusters": array_out(subjects.clusters),
        "weighted": subjects.weighted,
        "tally": tally_out(subjects.tally),
        "notes": list(subjects.notes),
    }
    content = {
        "format": FORMAT,
        "version": VERSION,
        "hitcurve": version("hitcurve"),
        **ev.to_dict(),
        "state": state,
    }
    content["digests"] = {key: digest(part) for key, part in content.items()}
    return content


def kept_in(text: str | bytes, name: str) -> Kept:
    """Return what was written.

    Raises
    ------
    ParameterError
        If it is not such JSON, is of another version, or was changed after it was written.
    """
    content = parsed(text, name)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ParameterError(f"{name} is not an evaluation written by to_json of a SurvivalEvaluation")
    if content.get("version") != VERSION:
        raise ParameterError(
            f"{name} is of version {content.get('version')!r} of the format, and this is hitcurve "
            f"{version('hitcurve')}, which reads version {VERSION}"
        )
    check_unchanged(content, name)
    try:
        return _state_in(content["state"])
    except (HitcurveError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise ParameterError(f"{name} is damaged: {type(error).__name__}: {error}") from None


def _state_in(state: Mapping[str, Any]) -> Kept:
    tally = tally_in(state["tally"])
    if tally is None:
        raise KeyError("tally")
    scores = {name: tuple(map(array_in, columns)) for name, columns in state["scores"].items()}
    # scores were turned round, and missing ones dealt with, before
    directions = {name: name not in state["lower_is_better"] for name in scores}
    sample, others = _sample_in(state["sample"]), state["others"]
    subjects = Subjects(
        sample,
        scores,
        array_in(state["order"]),
        array_in(state["clusters"]),
        bool(state["weighted"]),
        tally,
        Reading(None, directions, state["missing"]),
        tuple(state["notes"]),
        tuple(map(float, state["horizons"])),
    )
    estimated_from = sample if others is None else _sample_in(others)
    censoring = KaplanMeier.of(estimated_from, state["rule"], of_others=others is not None)
    sampling = SamplingDesign.of(
        state["design"], None, float(state["confidence_level"]), interval_method=state["interval_method"]
    )
    cohort = Cohort(sample, censoring, state["controls"])
    return Kept(subjects, cohort, metrics_in(state["metrics"]), sampling, state["rule"], state["backend"])


def _sample_out(sample: Sample) -> dict[str, Any]:
    return {name: array_out(values) for name, values in sample._asdict().items()}


def _sample_in(written: Mapping[str, Any]) -> Sample:
    found = {name: array_in(written[name]) for name in Sample._fields}
    return Sample(**found | {"kind": np.asarray(found["kind"], np.int8)})
