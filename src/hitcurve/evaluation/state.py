"""What an evaluation holds, as plain values of JSON that give back every bit of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from hitcurve import errors
from hitcurve.counts import AnyArray
from hitcurve.errors import HitcurveWarning, ParameterError
from hitcurve.evaluation.result import Evaluation
from hitcurve.inference import Joint
from hitcurve.inference.estimation.in_slices import InSlices
from hitcurve.inference.variance.cluster_sums import ClusterSums
from hitcurve.inference.variance.products import Products
from hitcurve.label_errors import LabelErrors
from hitcurve.metrics import Metric, as_written, metric
from hitcurve.metrics.spelling import asked_as, canonical
from hitcurve.sources import Block, GroupCodes, MemorySource, Reading, Source, Tally, in_memory
from hitcurve.sums import Weighed
from hitcurve.table import HitTable

_INFINITE = {"inf": math.inf, "-inf": -math.inf}


# ---- numbers and arrays


def number_out(value: float) -> Any:
    """Return a float as JSON has it: nan is null, infinities are words."""
    return value if math.isfinite(value) else None if math.isnan(value) else "inf" if value > 0 else "-inf"


def number_in(value: Any) -> float:
    """Return the float that was written."""
    return math.nan if value is None else _INFINITE[value] if isinstance(value, str) else float(value)


def array_out(values: AnyArray | None) -> Any:
    """Return an array with the name of its type; floats longer than those of JSON are text."""
    if values is None:
        return None
    flat, kind = values.ravel(), values.dtype
    if kind.kind != "f":
        data: list[Any] = (flat.astype(np.uint8) if kind.kind == "b" else flat).tolist()
    elif kind.itemsize > 8:
        data = [np.format_float_scientific(value, unique=True) for value in flat]
    else:
        data = flat.tolist() if np.isfinite(flat).all() else list(map(number_out, flat.tolist()))
    shape = {} if values.ndim == 1 else {"shape": list(values.shape)}
    return {"type": kind.name, **shape, "values": data}


def array_in(written: Any) -> Any:
    """Return the array that was written."""
    if written is None:
        return None
    kind, data = np.dtype(written["type"]), written["values"]
    if kind.kind == "f" and kind.itemsize <= 8 and any(not isinstance(value, float) for value in data):
        data = list(map(number_in, data))
    return np.array(data, kind).reshape(written.get("shape", len(data)))


def value_out(value: Any) -> Any:
    """Return a number of all lists, an array of one for each, or None."""
    return value if value is None else array_out(value) if isinstance(value, np.ndarray) else number_out(float(value))


def value_in(written: Any) -> Any:
    """Return what was written by ``value_out``."""
    return array_in(written) if isinstance(written, Mapping) else written if written is None else number_in(written)


# ---- tables and covariances


def table_out(table: HitTable) -> dict[str, Any]:
    """Return the rows of a table."""
    columns = {name: array_out(getattr(table, name)) for name in ("pos", "neg", "grid", "pos_squares", "neg_squares")}
    errors = None if table.label_errors is None else asdict(table.label_errors)
    own = {"kind": table.kind, "assumed_prevalence": table.assumed_prevalence, "unit": table.unit}
    weighed = [list(side) for side in table.weighed] if table.weighted else None
    return {**own, "weighed": weighed, "label_errors": errors, **columns}


def table_in(written: Mapping[str, Any]) -> HitTable:
    """Return the table that was written."""
    columns = {name: array_in(written[name]) for name in ("pos", "neg", "grid", "pos_squares", "neg_squares")}
    own = {"kind": written["kind"], "assumed_prevalence": written["assumed_prevalence"], "unit": float(written["unit"])}
    errors = None if written.get("label_errors") is None else LabelErrors(**written["label_errors"])
    found = HitTable(**columns, **own, label_errors=errors)
    if written["weighed"] is None:
        return found
    pos, neg = (Weighed(*side) for side in written["weighed"])
    return replace(found, _weighed=(pos, neg))


def joint_out(joint: Joint) -> dict[str, Any]:
    """Return covariances; clusters lose their names, which nothing asks for any more."""
    products = joint.products
    return {
        "keys": [[ranker, str(one)] for ranker, one in joint.keys],
        "n_pos": joint.n_pos,
        "n_neg": joint.n_neg,
        "noise": array_out(joint.noise),
        "by_share": array_out(joint.by_share),
        "pos": array_out(products.pos),
        "neg": array_out(products.neg),
        "overlap": array_out(products.overlap),
        "explained": array_out(products.explained),
        "clusters": array_out(products.clusters.in_order) if len(products.clusters) else None,
    }


def joint_in(written: Mapping[str, Any]) -> Joint:
    """Return the covariances that were written."""
    clusters = array_in(written["clusters"])
    sums = ClusterSums.nothing() if clusters is None else ClusterSums(np.arange(len(clusters)), clusters)
    keys = [(ranker, metric(text)) for ranker, text in written["keys"]]
    explained = array_in(written.get("explained"))
    explained = np.zeros((len(keys), 0)) if explained is None else explained
    pos, neg, overlap = (array_in(written[name]) for name in ("pos", "neg", "overlap"))
    products = Products(pos, neg, overlap, sums, explained)
    numbers = (float(written["n_pos"]), float(written["n_neg"]))
    by_share = array_in(written.get("by_share"))
    by_share = np.zeros((len(keys), 2)) if by_share is None else by_share
    return Joint(keys, products, *numbers, array_in(written["noise"]), by_share)


# ---- metrics, warnings, rows read


def metrics_out(metrics: Iterable[Metric]) -> list[str | list[str]]:
    """Return the written forms of metrics, with the name where one was asked for by another.

    Raises
    ------
    ParameterError
        If one has no written form that gives it back.
    """
    texts: list[str | list[str]] = []
    for one in metrics:
        text = canonical(one)
        try:
            again = as_written(text)
        except errors.InputError:
            again = None
        if again != one:
            raise ParameterError(
                f"{one} cannot be written to a file: its written form does not give the metric back (a metric or a "
                "magnification of your own); keep the evaluation with pickle"
            )
        texts.append(text if text == str(one) else [text, str(one)])
    return texts


def metrics_in(written: Sequence[str | list[str]]) -> tuple[Metric, ...]:
    """Return the metrics that were written."""
    return tuple(as_written(one) if isinstance(one, str) else asked_as(as_written(one[0]), one[1]) for one in written)


def warnings_out(warnings: Iterable[HitcurveWarning]) -> list[dict[str, str]]:
    """Return the kind and the message of warnings."""
    return [{"kind": type(one).__name__, "message": str(one)} for one in warnings]


def warnings_in(written: Sequence[Mapping[str, str]]) -> tuple[HitcurveWarning, ...]:
    """Return the warnings that were written."""
    return tuple(kind_of_warning(one["kind"])(one["message"]) for one in written)


def kind_of_warning(name: str) -> type[HitcurveWarning]:
    """Return a kind of warning by its name."""
    kind = vars(errors)[name]
    if not (isinstance(kind, type) and issubclass(kind, HitcurveWarning)):
        raise KeyError(name)
    return kind


def tally_out(tally: Tally | None) -> Any:
    """Return the counts of rows and missing values for the file."""
    if tally is None:
        return None
    labels = sorted((one for one in tally.vocabulary if isinstance(one, (str, int, float))), key=repr)
    counts = {"rows": tally.rows, "dropped": tally.dropped, "unlabelled": tally.unlabelled}
    return {**counts, "ranked_last": dict(tally.ranked_last), "labels": labels}


def tally_in(written: Any) -> Tally | None:
    """Return the counts of rows and missing values from the file."""
    if written is None:
        return None
    labels, unlabelled = frozenset(written["labels"]), written.get("unlabelled", 0)
    return Tally(written["rows"], written["dropped"], written["ranked_last"], labels, unlabelled)


# ---- subjects


def subjects_out(source: Source) -> dict[str, Any]:
    """Return the labels and scores of all subjects; clusters lose their names."""
    block = in_memory(source, "subjects=True")
    clusters = None if block.cluster is None else block.cluster.sorted.codes
    groups = None if block.group is None else {"names": block.lists[0], "codes": array_out(block.lists[1])}
    return {
        "positive": array_out(block.positive),
        "scores": {name: array_out(scores) for name, scores in block.scores.items()},
        "weight": array_out(block.weight),
        "unit": block.unit,
        "clusters": array_out(clusters),
        "groups": groups,
        "explains": array_out(block.explains),
        "kept": array_out(block.kept),
        "tally": tally_out(block.tally),
        "notes": list(source.notes),
        "lower_is_better": [name for name in block.scores if not source.reading.is_high_good(name)],
    }


def subjects_in(written: Any) -> MemorySource | None:
    """Return a source of the subjects that were written."""
    if written is None:
        return None
    tally, groups, clusters = tally_in(written["tally"]), written["groups"], array_in(written["clusters"])
    if tally is None:
        raise KeyError("tally")
    block = Block(
        array_in(written["positive"]),
        {name: array_in(scores) for name, scores in written["scores"].items()},
        array_in(written["weight"]),
        tally,
        # scores were turned round, and missing ones dealt with, before; thresholds are still those that were given
        Reading(None, dict.fromkeys(written.get("lower_is_better", ()), False)),
        None if clusters is None else GroupCodes.of(clusters),
        None if groups is None else GroupCodes(array_in(groups["codes"]), np.array(groups["names"], object)),
        float(written["unit"]),
        array_in(written.get("explains")),
        array_in(written.get("kept")),
    )
    return MemorySource(block, tuple(written["notes"]))


# ---- evaluations


def _pair_out(pair: tuple[float, float] | None) -> Any:
    return None if pair is None else list(map(number_out, pair))


def _pair_in(written: Any) -> tuple[float, float] | None:
    return None if written is None else (number_in(written[0]), number_in(written[1]))


def evaluation_out(ev: Evaluation) -> dict[str, Any]:
    """Return what an evaluation holds beside its subjects."""
    joint = ev.without_data()._kept_joint
    return {
        "metrics": metrics_out(ev.metrics),
        "rankers": [
            {
                "name": name,
                "values": [number_out(float(ev[name, one].value)) for one in ev.metrics],
                "table": table_out(table),
            }
            for name, table in ev.tables.items()
        ],
        "design": ev.design,
        "confidence_level": ev.confidence_level,
        "paired": ev.paired,
        "clustered": ev.clustered,
        "fitted": ev.fitted,
        "interval_method": ev.interval_method,
        "one_of_many": ev._one_of_many,
        "lower_is_better": sorted(ev.lower_is_better),
        "backend": ev.backend,
        "notes": list(ev.notes),
        "warnings": warnings_out(ev.warnings),
        "tally": tally_out(ev.tally),
        "slices": [
            [
                name,
                ev.metrics.index(m),
                *map(value_out, (read.value, read.variance)),
                *map(_pair_out, read[2:4]),
                None if read.table is None else table_out(read.table),
                list(read.tied),
            ]
            for (name, m), read in ev._sliced.items()
        ],
        "binned": sorted(ev._in_bins),
        "covariances": None if joint is None else joint_out(joint),
    }


def evaluation_in(written: Mapping[str, Any], source: Source | None) -> Evaluation:
    """Return the evaluation that was written."""
    metrics = metrics_in(written["metrics"])
    return Evaluation(
        {one["name"]: table_in(one["table"]) for one in written["rankers"]},
        metrics,
        warnings_in(written["warnings"]),
        tally_in(written["tally"]),
        source,
        tuple(written["notes"]),
        written["backend"],
        written["design"],
        float(written["confidence_level"]),
        written["paired"],
        written["clustered"],
        written.get("interval_method", "auto"),
        written.get("fitted", False),
        _values={
            (one["name"], m): number_in(value)
            for one in written["rankers"]
            for m, value in zip(metrics, one["values"], strict=True)
        },
        _sliced={
            (name, metrics[place]): InSlices(
                number_in(value),
                number_in(variance),
                _pair_in(half),
                _pair_in(ties),
                None if table is None else table_in(table),
                (tied[0], tied[1]),
            )
            for name, place, value, variance, half, ties, table, tied in written.get("slices", ())
        },
        _in_bins=frozenset(written.get("binned", ())),
        _kept_joint=None if written["covariances"] is None else joint_in(written["covariances"]),
        lower_is_better=frozenset(written.get("lower_is_better", ())),
        _one_of_many=written.get("one_of_many", False),
    )
