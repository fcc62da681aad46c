"""The same two passes for many groups at once."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.cells import Grid
from hitcurve.counts import AnyArray
from hitcurve.errors import HitcurveWarning, ParameterError, SingleClassError
from hitcurve.evaluation.group_numbers import NO_NEGATIVES, NO_POSITIVES
from hitcurve.evaluation.group_warnings import about_one_list, mean_areas
from hitcurve.evaluation.grouped import GroupedEvaluation
from hitcurve.evaluation.passes.first_pass import look_through
from hitcurve.evaluation.passes.lists import RankerLists
from hitcurve.evaluation.passes.two_passes import UNPAIRED, Counted, build_evaluation, check_tables, count
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.evaluation.views import GroupViews
from hitcurve.grids import GridStack
from hitcurve.groups import Folds
from hitcurve.metrics import Metric
from hitcurve.metrics.remarks import about_missing, about_scores, about_weights
from hitcurve.sources import ReadOnce, Source, Verified, group_name, in_order, places_in_order
from hitcurve.stack import TableStack
from hitcurve.table import HitTable

SINGLE_CLASS = ("raise", "skip", "zero")
_MOST_CUTS = 1000  # a table of each group at each cut: with thousands of groups, all scores would not fit in memory


def evaluate_groups(
    source: Source,
    metrics: tuple[Metric, ...],
    *,
    by: str,
    single_class: str = "raise",
    pos_label: Any = None,
    undefined: str = "raise",
    sampling: SamplingDesign | None = None,
    backend: str | None = None,
    folds: Folds | None = None,
) -> GroupedEvaluation:
    """Evaluate the rankers of any source group by group, in two passes for all groups together.

    Groups that are ``folds`` of one data set say so.
    """
    _checks.choice("single_class", single_class, SINGLE_CLASS)
    sampling = sampling or SamplingDesign()
    sampling.refuse_groups()
    once = ReadOnce(source)
    every = look_through(once, pos_label, grouped=True)
    overlap = 0.0 if folds is None else folds.overlap(every.n_pos + every.n_neg)
    left_out = _single_class(every.names, every.with_pos, every.with_neg, single_class, metrics)
    order = places_in_order(every.names)
    taken = every.at(order[(every.with_pos & every.with_neg)[order]])
    names = taken.names
    found = count(once, taken, grouped=True)
    del once  # the evaluation is much smaller than the blocks
    lists = {name: RankerLists.of_stack(stack, metrics, sampling.prevalence) for name, stack in found.stacks.items()}
    kept: dict[str, Any] = {"source": source, "backend": backend, "clustered": every.clustered}
    whole = found.whole
    if sampling.prevalence is not None:
        whole = {name: table.at_prevalence(sampling.prevalence) for name, table in whole.items()}
    views = GroupViews(names, lists, metrics, sampling, found.distinct, whole=whole, **kept)
    kept["_joint_of_many"] = partial(views.joint, None) if every.clustered else None
    about = [] if isinstance(source, Verified) else about_weights(whole.values())  # else no weights were given
    said = [*about_missing(every.tally), *about, *views.warnings()]
    pooled = None
    # a subject that was tested several times is not several subjects
    if folds is None or folds.are_parts(len(every.names)):
        pooled = build_evaluation(whole, metrics, "nan", about_scores(found.distinct_of_all), sampling, **kept)
        said += about_one_list(mean_areas(lists), whole)
    return GroupedEvaluation(
        _admitted(views, undefined),
        left_out,
        single_class,
        by,
        metrics,
        tuple(said),
        every.tally,
        source.notes,
        backend,
        sampling.design,
        sampling.confidence_level,
        overlap,
        pooled,
        *curves_of_groups(source, names, sampling.prevalence),
    )


def evaluate_tables_of_groups(
    tables: Mapping[str, Mapping[str, HitTable]],
    metrics: tuple[Metric, ...],
    undefined: str,
    sampling: SamplingDesign,
    single_class: str,
) -> GroupedEvaluation:
    """Evaluate ready tables, group by group."""
    sampling.refuse_groups()
    named: dict[str, dict[str, HitTable]] = {}
    rankers: dict[str, list[str]] = {}
    for group, of_group in tables.items():
        if not isinstance(of_group, Mapping):
            raise ParameterError(f"tables mix groups and rankers: {group!r} is not a mapping of rankers")
        name = group_name(group)
        if name in named:
            raise ParameterError(f"two groups are called {name!r}, such as 1 and '1': give them different names")
        check_tables(of_group)
        named[name] = {str(ranker): table for ranker, table in of_group.items()}
        rankers.setdefault(repr(sorted(named[name])), []).append(name)
    if len(rankers) > 1:
        listed = "; ".join(f"{names} in {rows.some(groups)}" for names, groups in rankers.items())
        raise ParameterError(f"every group needs the same rankers, got {listed}")
    # the list of any ranker may lack a class
    n_pos, n_neg = (
        np.array([min(float(getattr(t, what)) for t in of_group.values()) for of_group in named.values()])
        for what in ("n_pos", "n_neg")
    )
    left_out = _single_class(tuple(named), n_pos, n_neg, single_class, metrics)
    names = tuple(name for name in in_order(named) if name not in left_out)
    lists = {
        ranker: RankerLists.of_tables([named[name][ranker] for name in names], metrics, sampling.prevalence)
        for ranker in named[names[0]]
    }
    return _of_lists(names, left_out, lists, metrics, undefined, sampling, single_class)


def evaluate_stacks(
    stacks: Mapping[str, TableStack],
    metrics: tuple[Metric, ...],
    undefined: str,
    sampling: SamplingDesign,
    single_class: str,
) -> GroupedEvaluation:
    """Evaluate the tables of every ranker on the same lists, list by list."""
    every = next(iter(stacks.values())).names
    lists = {ranker: RankerLists.of_stack(stack, metrics, sampling.prevalence) for ranker, stack in stacks.items()}
    return evaluate_lists(every, lists, metrics, undefined, sampling, single_class)


def evaluate_lists(
    every: tuple[str, ...],
    lists: Mapping[str, RankerLists],
    metrics: tuple[Metric, ...],
    undefined: str,
    sampling: SamplingDesign,
    single_class: str,
    unit: str = "groups",
    unsaid: tuple[type[HitcurveWarning], ...] = (),
) -> GroupedEvaluation:
    """Evaluate the lists of these names for every ranker, without lists of one class and some kinds of warnings."""
    sampling.refuse_groups()
    n_pos, n_neg = (
        np.minimum.reduce([own.column(attrgetter(what)) for own in lists.values()]) for what in ("n_pos", "n_neg")
    )
    left_out = _single_class(every, n_pos, n_neg, single_class, metrics, unit)
    places = {name: place for place, name in enumerate(every)}
    names = tuple(name for name in in_order(every) if name not in left_out)
    if names != every:
        kept = np.array([places[name] for name in names], np.intp)
        lists = {ranker: own.taken(kept) for ranker, own in lists.items()}
    return _of_lists(names, left_out, lists, metrics, undefined, sampling, single_class, unit, unsaid)


def _of_lists(
    names: tuple[str, ...],
    left_out: Mapping[str, str],
    lists: Mapping[str, RankerLists],
    metrics: tuple[Metric, ...],
    undefined: str,
    sampling: SamplingDesign,
    single_class: str,
    unit: str = "groups",
    unsaid: tuple[type[HitcurveWarning], ...] = (),
) -> GroupedEvaluation:
    views = GroupViews(names, lists, metrics, sampling, notes=UNPAIRED[: len(lists) - 1], unit=unit, unsaid=unsaid)
    return GroupedEvaluation(
        _admitted(views, undefined),
        left_out,
        single_class,
        "group",
        metrics,
        tuple(views.warnings()),
        design=sampling.design,
        confidence_level=sampling.confidence_level,
    )


def _admitted(views: GroupViews, undefined: str) -> GroupViews:
    if undefined == "raise":
        views.refuse_undefined()
    return views


def _single_class(
    groups: tuple[str, ...],
    n_pos: AnyArray,
    n_neg: AnyArray,
    policy: str,
    metrics: tuple[Metric, ...],
    unit: str = "groups",
) -> dict[str, str]:
    """Return the groups that lack positives or negatives, or refuse them."""
    if policy == "zero" and (lower := [str(m) for m in metrics if m.lower_is_better]):
        raise ParameterError(
            f"single_class='zero' (--single-class zero) counts {unit} without positives as 0, which is the best value "
            f"of {rows.listed(lower)}: leave them out with 'skip', or evaluate other metrics"
        )
    lacking = {
        groups[i]: NO_NEGATIVES if n_pos[i] else NO_POSITIVES for i in np.flatnonzero((n_pos == 0) | (n_neg == 0))
    }
    lacks = {group: lacking[group] for group in in_order(lacking)}
    if len(lacks) == len(groups):
        raise SingleClassError(f"none of {len(groups)} {unit} has both classes")
    if lacks and policy == "raise":
        reasons = [
            f"{len(names)} of {len(groups)} {unit} have {reason} ({rows.some(names)})"
            for reason in (NO_POSITIVES, NO_NEGATIVES)
            if (names := [group for group, lack in lacks.items() if lack == reason])
        ]
        raise SingleClassError(
            f"{' and '.join(reasons)}: leave them out with single_class='skip' (--single-class skip), or count those "
            "without positives as 0 with 'zero'"
        )
    return lacks


def curves_of_groups(
    source: Source, names: tuple[str, ...], prevalence: float | None
) -> tuple[Callable[[str], list[HitTable]], Callable[[str], HitTable]]:
    """Return what counts a ranker of each group on one grid, and on one list of all groups."""
    return partial(_on_one_grid, source, names), partial(_on_one_list, source, frozenset(names), prevalence)


def _on_one_grid(source: Source, groups: tuple[str, ...], ranker: str) -> list[HitTable]:
    """Count one ranker of each group on the scores of the positives of all, or on as many as are kept."""
    grids = GridStack.alike(_thinned(_scores(source, groups, ranker)), len(groups))
    place = {name: i for i, name in enumerate(groups)}
    counted = source.reduce(partial(Counted.of, {ranker: grids}, place), Counted.merged)
    return list(TableStack.of_grids(grids, counted.lists[ranker], groups))


def _on_one_list(source: Source, groups: frozenset[str], prevalence: float | None, ranker: str) -> HitTable:
    """Count one ranker of the subjects of all groups."""
    grid = Grid(_scores(source, groups, ranker))
    whole = source.reduce(lambda block: HitTable.count(grid, block.among(groups), ranker)[0], HitTable.__add__)
    return whole if prevalence is None else whole.at_prevalence(prevalence)


def _scores(source: Source, groups: Container[str], ranker: str) -> np.ndarray[Any, Any]:
    """Return the distinct scores of the positives of some groups."""
    return source.reduce(lambda block: np.unique(block.among(groups).positive_scores(ranker)), np.union1d)


def _thinned(scores: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return ascending scores, or as many of them as are kept, evenly over their places."""
    if scores.size <= _MOST_CUTS:
        return scores
    return np.asarray(scores[np.linspace(0, scores.size - 1, _MOST_CUTS).round().astype(np.intp)])
