"""The same two passes for many groups at once."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from hitcurve import _checks, rows
from hitcurve.cells import Grid
from hitcurve.errors import (
    DirectionWarning,
    HitcurveWarning,
    ParameterError,
    SingleClassError,
    UndefinedMetricError,
    WeightError,
)
from hitcurve.evaluation.grouped import NO_NEGATIVES, NO_POSITIVES, GroupedEvaluation
from hitcurve.evaluation.passes import (
    Doubt,
    Grids,
    Tables,
    about_direction,
    about_missing,
    about_scores,
    areas_of,
    check_tables,
    conclude,
    evaluate_tables,
)
from hitcurve.evaluation.result import Evaluation
from hitcurve.metrics import Metric
from hitcurve.sources import Block, GroupSource, Source, check_labels, group_name, in_order
from hitcurve.table import HitTable

T = TypeVar("T")
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
    doubt: Doubt | None = None,
    backend: str | None = None,
) -> GroupedEvaluation:
    """Evaluate the rankers of any source group by group, in two passes for all groups together."""
    _checks.choice("single_class", single_class, SINGLE_CLASS)
    doubt = doubt or Doubt()
    seen = source.reduce(_Seen.of, _Seen.merged)
    seen.whole.tally.check_anybody()
    check_labels(seen.whole.tally.vocabulary, pos_label)
    left_out = _single_class(seen.classes, single_class)
    cells = {
        group: {name: Grid(scores) for name, scores in grids.scores.items()}
        for group, grids in seen.grids.items()
        if group not in left_out
    }

    whole = {name: Grid(scores) for name, scores in seen.whole.scores.items()}

    def count(block: Block) -> _Counted:
        parts = {group: Tables.of(cells[group], part) for group, part in block.groups.items() if group in cells}
        return _Counted(parts, Tables.of(whole, block))

    counted, of_all = source.reduce(count, _Counted.merged)
    found = {}
    for group in in_order(counted):
        tables, distinct = counted[group]
        if not all(table.n for table in tables.values()):
            raise WeightError(f"weights are all 0 in group {group!r}: nobody counts")
        kept: dict[str, Any] = {"source": GroupSource(source, group), "backend": backend}
        kept["clustered"] = seen.grids[group].clustered
        with _undefined_in(group):
            found[group] = conclude(tables, metrics, undefined, about_scores(distinct), doubt, **kept)
    kept = {"source": source, "backend": backend, "clustered": seen.whole.clustered}
    return GroupedEvaluation(
        found,
        left_out,
        single_class,
        by,
        metrics,
        (*about_missing(seen.whole.tally), *_of_all(found)),
        seen.whole.tally,
        source.notes,
        backend,
        doubt.design,
        doubt.confidence_level,
        conclude(of_all.tables, metrics, "nan", about_scores(of_all.distinct), doubt, **kept),
        partial(_on_one_grid, source, tuple(cells)),
        partial(_on_one_list, source, frozenset(cells), doubt.prevalence),
    )


def evaluate_tables_of_groups(
    tables: Mapping[str, Mapping[str, HitTable]],
    metrics: tuple[Metric, ...],
    undefined: str,
    doubt: Doubt,
    single_class: str,
) -> GroupedEvaluation:
    """Evaluate ready tables, group by group."""
    named: dict[str, Mapping[str, HitTable]] = {}
    rankers: dict[str, list[str]] = {}
    for group, of_group in tables.items():
        if not isinstance(of_group, Mapping):
            raise ParameterError(f"tables hold groups and rankers side by side: {group!r} is no mapping of rankers")
        name = group_name(group)
        if name in named:
            raise ParameterError(f"two groups are called {name!r}, as 1 and '1' are: give them names of their own")
        check_tables(of_group)
        named[name] = of_group
        rankers.setdefault(repr(sorted(map(str, of_group))), []).append(name)
    if len(rankers) > 1:
        said = "; ".join(f"{names} in {rows.some(groups)}" for names, groups in rankers.items())
        raise ParameterError(f"every group needs the same rankers, got {said}")
    # the list of any ranker may lack a class
    classes = {
        name: (min(float(t.n_pos) for t in of_group.values()), min(float(t.n_neg) for t in of_group.values()))
        for name, of_group in named.items()
    }
    left_out = _single_class(classes, single_class)
    found = {}
    for name in in_order(named):
        if name not in left_out:
            with _undefined_in(name):
                found[name] = evaluate_tables(named[name], metrics, undefined, doubt)
    return GroupedEvaluation(
        found,
        left_out,
        single_class,
        "group",
        metrics,
        tuple(_of_all(found)),
        design=doubt.design,
        confidence_level=doubt.confidence_level,
    )


class _Seen(NamedTuple):
    """The first pass over groups: the grids of each, how many positives and negatives it has, and the whole."""

    grids: dict[str, Grids]
    classes: dict[str, tuple[float, float]]
    whole: Grids

    @classmethod
    def of(cls, block: Block) -> _Seen:
        classes = {
            group: (float(part.positive.sum()), float((~part.positive).sum())) for group, part in block.groups.items()
        }
        return cls({group: Grids.of(part) for group, part in block.groups.items()}, classes, Grids.of(block))

    def merged(self, other: _Seen) -> _Seen:
        classes = _united(lambda a, b: (a[0] + b[0], a[1] + b[1]), self.classes, other.classes)
        return _Seen(_united(Grids.merged, self.grids, other.grids), classes, self.whole.merged(other.whole))


class _Counted(NamedTuple):
    """The second pass over groups: the tables of each, and of one list of all."""

    groups: dict[str, Tables]
    whole: Tables

    def merged(self, other: _Counted) -> _Counted:
        return _Counted(_united(Tables.merged, self.groups, other.groups), self.whole.merged(other.whole))


def _united(both: Callable[[T, T], T], left: dict[str, T], right: dict[str, T]) -> dict[str, T]:
    """Merge what two parts of the data hold of each group."""
    return {**left, **{name: both(left[name], value) if name in left else value for name, value in right.items()}}


@contextmanager
def _undefined_in(group: str) -> Iterator[None]:
    """Name the group in which a metric has no meaning, as where weights of 0 leave one class."""
    try:
        yield
    except (SingleClassError, UndefinedMetricError) as error:
        raise type(error)(f"group {group!r}: {error}") from None


def _single_class(classes: Mapping[str, tuple[float, float]], policy: str) -> dict[str, str]:
    """Return the groups that lack positives or negatives, or refuse them."""
    lacks = {
        group: NO_NEGATIVES if classes[group][0] else NO_POSITIVES
        for group in in_order(classes)
        if not all(classes[group])
    }
    if lacks and policy == "raise":
        said = [
            f"{len(names)} of {len(classes)} groups have {reason} ({rows.some(names)})"
            for reason in (NO_POSITIVES, NO_NEGATIVES)
            if (names := [group for group, lack in lacks.items() if lack == reason])
        ]
        raise SingleClassError(
            f"{' and '.join(said)}: leave them out with single_class='skip' (--single-class skip), or count those "
            "without positives as 0 with 'zero'"
        )
    if len(lacks) == len(classes):
        raise SingleClassError(f"none of {len(classes)} groups has both classes")
    return lacks


def _of_all(found: Mapping[str, Evaluation]) -> list[HitcurveWarning]:
    """Return what was said of groups, once for each kind; a direction by the mean, as in a small group it is chance."""
    heard: dict[type[HitcurveWarning], dict[str, str]] = {}
    areas: dict[str, list[float]] = {}
    for group, result in found.items():
        for warning in result.warnings:
            if not isinstance(warning, DirectionWarning):
                heard.setdefault(type(warning), {})[group] = str(warning)
        for name, area in areas_of(result.tables).items():
            areas.setdefault(name, []).append(area)
    means = {name: float(np.mean(of_groups)) for name, of_groups in areas.items()}
    said = about_direction(means, "the mean AUC over groups")
    return said + [
        kind(f"in {len(of)} of {len(found)} groups ({rows.some(list(of))}): {next(iter(of.values()))}")
        for kind, of in heard.items()
    ]


def _on_one_grid(source: Source, groups: tuple[str, ...], ranker: str) -> list[HitTable]:
    """Count one ranker of each group on the scores of the positives of all, or on as many as are kept."""
    grid = Grid(_thinned(_scores(source, groups, ranker)))

    def count(block: Block) -> dict[str, HitTable]:
        parts = {group: part for group, part in block.groups.items() if group in groups}
        return {group: HitTable.count(grid, part, ranker)[0] for group, part in parts.items()}

    def both(left: dict[str, HitTable], right: dict[str, HitTable]) -> dict[str, HitTable]:
        return _united(HitTable.__add__, left, right)

    counted = source.reduce(count, both)
    return [counted[group] for group in groups]


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
