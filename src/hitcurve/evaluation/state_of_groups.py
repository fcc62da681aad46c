"""What an evaluation of many groups holds, as plain values of JSON that give back every bit of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from hitcurve.evaluation.by_group import curves_of_groups
from hitcurve.evaluation.grouped import GroupedEvaluation
from hitcurve.evaluation.passes.lists import RankerLists
from hitcurve.evaluation.result import Evaluation
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.evaluation.state import (
    array_in,
    array_out,
    evaluation_in,
    evaluation_out,
    joint_in,
    joint_out,
    kind_of_warning,
    metrics_in,
    metrics_out,
    table_in,
    table_out,
    tally_in,
    tally_out,
    value_in,
    value_out,
    warnings_in,
    warnings_out,
)
from hitcurve.evaluation.topics.topic_lists import TopicLists
from hitcurve.evaluation.topics.trec_groups import TrecEvaluation
from hitcurve.evaluation.topics.trec_lists import TopicCounts
from hitcurve.evaluation.views import GroupViews
from hitcurve.sources import Source
from hitcurve.stack import TableStack
from hitcurve.topics import Aspects, RankedTopics

_RANKED = ("starts", "grade", "rank", "above", "down_to", "retrieved")
_COLUMNS = ("pos", "neg", "starts", "grid", "pos_squares", "neg_squares")


def state_out(ev: Any) -> tuple[dict[str, Any], Source | None, bool]:
    """Return what an evaluation holds beside its subjects, their source, and whether rankers of it are compared."""
    if isinstance(ev, GroupedEvaluation):
        return grouped_out(ev), ev.groups.source, len(ev.rankers) > 1
    return evaluation_out(ev), ev.source, ev.paired and len(ev.tables) > 1


def state_in(written: Mapping[str, Any], source: Source | None) -> Evaluation | GroupedEvaluation:
    """Return the evaluation that was written."""
    return grouped_in(written, source) if "names" in written else evaluation_in(written, source)


def grouped_out(grouped: GroupedEvaluation) -> dict[str, Any]:
    """Return what an evaluation of groups holds beside its subjects."""
    views = grouped.groups.without_data()
    return {
        "metrics": metrics_out(grouped.metrics),
        "names": list(views.names),
        "rankers": [
            {
                "name": name,
                **_ranked_out(lists),
                "lists": [{"places": array_out(places), **_stack_out(stack)} for places, stack in lists.stacks],
                "distinct": array_out(views.distinct.get(name)),
                "whole": table_out(views.whole[name]) if name in views.whole else None,
            }
            for name, lists in views.lists.items()
        ],
        "sampling": views.sampling._asdict(),
        "clustered": views.clustered,
        "notes_of_groups": list(views.notes),
        "unsaid": [kind.__name__ for kind in views.unsaid],
        "endless": views.endless,
        "lower_is_better": sorted(views.lower_is_better),
        "covariances": [[name, joint_out(joint)] for name, joint in views.joints.items()],
        "pooled": None if grouped._pooled is None else evaluation_out(grouped.without_data().pooled),
        "left_out": dict(grouped.left_out),
        "single_class": grouped.single_class,
        "by": grouped.by,
        "overlap": grouped.overlap,
        "backend": grouped.backend,
        "backend_of_groups": views.backend,
        "notes": list(grouped.notes),
        "warnings": warnings_out(grouped.warnings),
        "tally": tally_out(grouped.tally),
        **(_topics_out(grouped) if isinstance(grouped, TrecEvaluation) else {}),
    }


def grouped_in(written: Mapping[str, Any], source: Source | None) -> GroupedEvaluation:
    """Return the evaluation of groups that was written."""
    metrics, sampling = metrics_in(written["metrics"]), SamplingDesign(**written["sampling"])
    rankers = {one["name"]: one for one in written["rankers"]}
    views = GroupViews(
        tuple(written["names"]),
        {name: _lists_in(one, metrics) for name, one in rankers.items()},
        metrics,
        sampling,
        {name: array_in(one["distinct"]) for name, one in rankers.items() if one["distinct"] is not None},
        source,
        written["backend_of_groups"],
        written["clustered"],
        tuple(written["notes_of_groups"]),
        tuple(map(kind_of_warning, written["unsaid"])),
        {name: table_in(one["whole"]) for name, one in rankers.items() if one["whole"] is not None},
        {name: joint_in(joint) for name, joint in written["covariances"]},
        written["endless"],
        TrecEvaluation.unit if "topics" in written else GroupedEvaluation.unit,
        frozenset(written.get("lower_is_better", ())),
    )
    found = GroupedEvaluation(
        views,
        written["left_out"],
        written["single_class"],
        written["by"],
        metrics,
        warnings_in(written["warnings"]),
        tally_in(written["tally"]),
        tuple(written["notes"]),
        written["backend"],
        sampling.design,
        sampling.confidence_level,
        float(written["overlap"]),
        None if written["pooled"] is None else evaluation_in(written["pooled"], source),
        *((None, None) if source is None else curves_of_groups(source, views.names, sampling.prevalence)),
    )
    return _with_topics(found, written) if "topics" in written else found


def _stack_out(stack: TableStack) -> dict[str, Any]:
    """Return the columns of a stack; its lists are named by their places among the groups or by the groups."""
    return {
        "kind": stack.kind,
        "names": list(stack.names),
        "assumed_prevalence": value_out(stack.assumed_prevalence),
        "unit": value_out(stack.unit),
        **{name: array_out(getattr(stack, name)) for name in _COLUMNS},
    }


def _ranked_out(lists: RankerLists) -> dict[str, Any]:
    """Return the ranks and grades of topics, of which measures are computed; nothing of other lists."""
    if not isinstance(lists, TopicLists):
        return {}
    columns = {name: array_out(getattr(lists.ranked, name)) for name in _RANKED}
    own: dict[str, Any] = {"ordered": lists.ranked.ordered, "relevant_from": lists.relevant_from}
    aspects = [] if lists.ranked.aspects is None else list(map(array_out, lists.ranked.aspects))
    own |= {"names": list(lists.ranked.names), "aspects": aspects, "size": lists.collection_size}
    return {"ranked": {**columns, **own}}


def _lists_in(written: Any, metrics: Any) -> RankerLists:
    if "ranked" in written:
        own = written["ranked"]
        columns = {name: array_in(own[name]) for name in _RANKED}
        aspects = Aspects(*map(array_in, own["aspects"])) if own["aspects"] else None
        ranked = RankedTopics(names=tuple(own["names"]), ordered=own["ordered"], aspects=aspects, **columns)
        return TopicLists.of(ranked, metrics, own["relevant_from"], own["size"])
    stacks = []
    for one in written["lists"]:
        columns = {name: array_in(one[name]) for name in _COLUMNS}
        own = {"assumed_prevalence": value_in(one["assumed_prevalence"]), "unit": value_in(one["unit"])}
        stack = TableStack(**columns, names=tuple(one["names"]), kind=one["kind"], **own)
        stacks.append((np.asarray(array_in(one["places"]), np.intp), stack))
    return RankerLists(tuple(stacks), metrics)


def _topics_out(found: TrecEvaluation) -> dict[str, Any]:
    return {
        "topics": {topic: {run: list(counts) for run, counts in of.items()} for topic, of in found.topics.items()},
        "collection_size": found.collection_size,
        "same": [metrics_out(pair) for pair in found.same.items()],
        "lacking": {
            run: [[metrics_out([m])[0], array_out(values)] for m, values in own.items()]
            for run, own in found.lacking.items()
        },
    }


def _with_topics(found: GroupedEvaluation, written: Mapping[str, Any]) -> TrecEvaluation:
    topics = {
        topic: {run: TopicCounts(*counts) for run, counts in of.items()} for topic, of in written["topics"].items()
    }
    same = {wanted: stands for wanted, stands in map(metrics_in, written["same"])}  # noqa: C416
    own = {field.name: getattr(found, field.name) for field in fields(found)}
    lacking = {
        run: {metrics_in([text])[0]: array_in(values) for text, values in of_run}
        for run, of_run in written["lacking"].items()
    }
    size = written["collection_size"]
    return TrecEvaluation(**own, topics=topics, collection_size=size, same=same, lacking=lacking)
