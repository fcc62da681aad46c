"""Two passes over any source: the scores of the positives, then counts over them, of every list at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, repeat
from operator import add, eq
from typing import Any, NamedTuple, TypedDict

import numpy as np

from hitcurve import _checks
from hitcurve._cached import frozen
from hitcurve._progress import counted
from hitcurve._threads import keep_memory
from hitcurve.adding import descending
from hitcurve.bins import Binned
from hitcurve.chunks import in_chunks
from hitcurve.counts import AnyArray
from hitcurve.errors import (
    HitcurveWarning,
    InputError,
    ParameterError,
    SaturationWarning,
    SingleClassError,
    UndefinedMetricError,
    UndefinedMetricWarning,
    WeightError,
)
from hitcurve.evaluation.numbers import is_long
from hitcurve.evaluation.passes.exactly import in_slices
from hitcurve.evaluation.passes.first_pass import Seen, check_tally, look_through
from hitcurve.evaluation.passes.limits import Limits
from hitcurve.evaluation.passes.lists import Entry
from hitcurve.evaluation.result import Evaluation
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.grids import CountedLists, GridStack, Together
from hitcurve.inference.estimation.in_slices import InSlices
from hitcurve.metrics import Metric
from hitcurve.metrics.remarks import (
    about_counts,
    about_direction,
    about_missing,
    about_scores,
    about_weights,
    advice_of_tables,
    areas_of,
)
from hitcurve.ragged import Places, starts_of
from hitcurve.sources import Block, ReadOnce, Source, Tally, Verified
from hitcurve.stack import TableStack
from hitcurve.sums import Weighed
from hitcurve.table import HitTable

UNPAIRED = (
    "counts do not identify the subjects that rankers share, so rankers are compared as two samples unless a "
    "correlation is given",
)


class Counted(NamedTuple):
    """The second pass: every ranker counted on every list, and on one list of all subjects."""

    lists: Mapping[str, CountedLists]
    whole: Mapping[str, CountedLists]
    tally: Tally

    @classmethod
    def of(cls, grids: Mapping[str, GridStack], place: Mapping[str, int] | None, block: Block) -> Counted:
        """Count a block; ``place`` is that of each group among the lists, None for one list of all subjects."""
        code = None
        if place is not None:
            names, own = block.lists
            same = len(names) == len(place) and all(map(eq, names, place))
            code = own if same else np.array(list(map(place.get, names, repeat(-1))), np.intp)[own]
        found = {name: grid.count(block, name, code) for name, grid in grids.items()}
        lists, whole = ({name: both[side] for name, both in found.items()} for side in (0, 1))
        return cls(lists, whole, block.tally)

    def merged(self, other: Counted) -> Counted:
        """Add the counts of other blocks."""
        whole = {name: all + other.whole[name] for name, all in self.whole.items()}
        lists = {
            # without groups they are the list of all subjects, which is added and sent once
            name: whole[name] if one is self.whole[name] else one + other.lists[name]
            for name, one in self.lists.items()
        }
        return Counted(lists, whole, self.tally + other.tally)


@dataclass(frozen=True)
class _Counting:
    """What counts a block in the second pass, or several that one thread reads."""

    grids: Mapping[str, GridStack]
    place: Mapping[str, int] | None

    def __call__(self, block: Block) -> Counted:
        return Counted.of(self.grids, self.place, block)

    def together(self, blocks: Iterable[Block]) -> Counted:
        """Count all blocks into the same arrays where there are neither groups nor weights."""
        blocks = iter(blocks)
        first = next(blocks)
        counts = {name: Together(grid, first.unit) for name, grid in self.grids.items()}
        tallies: list[Tally] = []
        others: list[Counted] = []  # one, to which the next is added: a block with weights takes as much as all of them

        def plain() -> Iterator[list[AnyArray]]:
            for block in chain((first,), blocks):
                if self.place is not None or block.weight is not None or block.unit != first.unit:
                    others[:] = [reduce(Counted.merged, [*others, self(block)])]
                    continue
                tallies.append(block.tally)
                yield [block.positive, *(block.scores[name] for name in counts)]

        for positive, *scores in in_chunks(plain(), len(counts)):
            for own, column in zip(counts.values(), scores, strict=True):
                own.add(column, positive)
        if tallies:
            whole = {name: own.counted() for name, own in counts.items()}
            others.append(Counted(whole, whole, reduce(add, tallies)))
        return reduce(Counted.merged, others)


class Read(NamedTuple):
    """What both passes found.

    Attributes
    ----------
    seen : Seen
        The lists that were counted.
    stacks : mapping of str to TableStack
        Their tables, of each ranker; empty without groups.
    whole : mapping of str to HitTable
        The tables of one list of all subjects.
    distinct, distinct_of_all : mapping of str to array of int
        How many distinct scores each list has: 1, 2, or 3 for more.
    """

    seen: Seen
    stacks: Mapping[str, TableStack]
    whole: Mapping[str, HitTable]
    distinct: Mapping[str, Places]
    distinct_of_all: Mapping[str, int]


def count(source: Source, seen: Seen, *, grouped: bool) -> Read:
    """Make the second pass, over the lists that were seen."""
    place = {name: i for i, name in enumerate(seen.names)} if grouped else None
    counted = source.reduce(_Counting(seen.grids, place), Counted.merged)
    for grid in seen.grids.values():
        grid.whole.forget()
    stacks = {name: _of_many(lists, seen.grids[name], seen.names) for name, lists in counted.lists.items() if grouped}
    whole = {name: _of_one(of_all, seen.grids[name].whole.scores) for name, of_all in counted.whole.items()}
    distinct = {name: lists.few.distinct for name, lists in counted.lists.items()}
    of_all = {name: int(all.few.distinct[0]) for name, all in counted.whole.items()}
    return Read(seen._replace(tally=counted.tally), stacks, whole, distinct, of_all)


def _of_many(found: CountedLists, grids: GridStack, names: Sequence[str]) -> TableStack:
    frozen(found.sums[:2])  # made by the second pass
    return TableStack.of_grids(grids, found, names)


def _of_one(found: CountedLists, ascending: AnyArray) -> HitTable:
    sums, unit = found.in_units(starts_of([found.sums.pos.size]))
    grid = descending(ascending[::-1])
    frozen((sums.pos, sums.neg, grid))
    return HitTable.of_sums(sums, "collapsed", grid, unit=float(unit))


class SourceOptions(TypedDict, total=False):
    """What an evaluation of a source takes beside the source and the metrics."""

    pos_label: Any
    undefined: str
    sampling: SamplingDesign
    backend: str | None


def evaluate_source(
    source: Source,
    metrics: tuple[Metric, ...],
    *,
    pos_label: Any = None,
    undefined: str = "raise",
    sampling: SamplingDesign | None = None,
    backend: str | None = None,
    limits: Limits | None = None,
) -> Evaluation:
    """Evaluate the rankers of any source, in two passes: grids, then counts. Warnings are listed, not given."""
    verified = isinstance(source, Verified)
    limits, sampling = limits or Limits(), sampling or SamplingDesign()
    source, once, seen = _in_rows(source, pos_label, limits)
    bins = frozenset(source.ends if isinstance(source, Binned) else ())
    found = count(once, seen, grouped=False)
    check_tally(found.seen.tally, pos_label, source)
    if not all(table.n for table in found.whole.values()):
        raise WeightError("all weights are 0: give at least one above 0")
    of_scores = {name: few for name, few in found.distinct_of_all.items() if name not in bins}
    warnings = [*about_missing(found.seen.tally), *about_scores(of_scores)]
    sliced: Mapping[tuple[str, Metric], InSlices] = {}
    if isinstance(once, Binned) and isinstance(source, Binned) and limits.bins is None:
        special = verified or seen.clustered or seen.fitted
        once, sliced = in_slices(once, found.whole, metrics, sampling, limits, special=special, undefined=undefined)
        source = replace(source, why=once.why, exact=once.exact)
    if isinstance(source, Binned):
        source = replace(source, weighted=any(table.weighted for table in found.whole.values()))
    tables = _with_weights(found.whole, once)
    if not verified and not found.seen.fitted:  # else no weights were given
        warnings += about_weights(found.whole.values())
    kept: dict[str, Any] = {"tally": found.seen.tally, "source": source, "backend": backend, "notes": source.notes}
    if filled := found.seen.tally.filled:
        kept["notes"] = (*source.notes, f"{filled:,} subjects without a label count as unlabelled")
    kept |= {"clustered": found.seen.clustered, "fitted": found.seen.fitted}
    kept["_in_bins"] = bins
    return build_evaluation(tables, metrics, undefined, warnings, sampling, sliced=sliced, **kept)


def _with_weights(tables: Mapping[str, HitTable], source: Source) -> Mapping[str, HitTable]:
    """Let tables of weights know how unequal these are, of which their rows hide a part, where that reads nothing."""
    there = isinstance(source, ReadOnce) and source.is_kept
    if not there or not all(table.weighted for table in tables.values()):
        return tables

    def both(a: tuple[Weighed, Weighed], b: tuple[Weighed, Weighed]) -> tuple[Weighed, Weighed]:
        return a[0].merged(b[0]), a[1].merged(b[1])

    found = source.reduce(_weighed, both)
    return {name: replace(table, _weighed=found) for name, table in tables.items()}


def _weighed(block: Block) -> tuple[Weighed, Weighed]:
    weights = block.weights(1.0)
    weights = np.ones(block.positive.size) if weights is None else weights
    return Weighed.of(weights[block.positive]), Weighed.of(weights[~block.positive])


def _in_rows(source: Source, pos_label: Any, limits: Limits) -> tuple[Source, Source, Seen]:
    """Make the first pass, again with bins where they were asked for or there are too many scores.

    Returns the source that is evaluated, and one that may keep what it read.
    """
    once: Source = ReadOnce(source, limits.memory)
    bins = limits.binned(once)
    seen = look_through(bins or once, pos_label, grouped=False, most=limits.most(source))
    if seen.beyond:
        bins = limits.binned(once, seen.beyond)
        seen = look_through(bins or once, pos_label, grouped=False)
    return (source, once, seen) if bins is None else (replace(bins, whole=source), bins, seen)


def evaluate_tables(
    tables: Mapping[str, Any], metrics: tuple[Metric, ...], undefined: str, sampling: SamplingDesign
) -> Evaluation:
    """Evaluate ready tables."""
    check_tables(tables)
    named = {str(name): table for name, table in tables.items()}
    notes = UNPAIRED[: len(tables) - 1]
    advice = advice_of_tables(table.grid for table in named.values())
    return build_evaluation(named, metrics, undefined, about_counts(named), sampling, notes=notes, advice=advice)


def check_tables(tables: Mapping[str, Any]) -> None:
    """Raise unless there is a table for each of some rankers.

    Raises
    ------
    InputError, ParameterError
        If there is none, one is none, or two rankers have one name.
    """
    if not tables:
        raise InputError("no tables: there is no ranker to evaluate")
    _checks.tables_by_name(tables, HitTable)
    _checks.distinct("ranker", [str(name) for name in tables])


def _value_or_error(table: HitTable, name: str, m: Metric, *, undefined: str) -> float | InputError:
    try:
        value: float = m.value(table)
    except (SingleClassError, UndefinedMetricError) as error:
        if undefined != "raise":
            return error
        if isinstance(error, SingleClassError):
            raise
        raise type(error)(_is_undefined(m, name, error)) from None
    return value


def _is_undefined(m: Metric, name: str, error: InputError) -> str:
    return f"{m} of {name!r} is undefined: {error}"


def build_evaluation(
    tables: Mapping[str, HitTable],
    metrics: tuple[Metric, ...],
    undefined: str,
    warnings: list[HitcurveWarning],
    sampling: SamplingDesign,
    entries: Mapping[tuple[str, Metric], Entry] | None = None,
    advice: str = "",
    sliced: Mapping[tuple[str, Metric], InSlices] | None = None,
    **kept: Any,
) -> Evaluation:
    """Evaluate all metrics of all tables; add warnings about the values to those there are.

    What is known of a metric of a ranker is taken from ``entries``, or from ``sliced``. What to do about rankers that
    put negatives first is to turn the scores round, unless ``advice`` says otherwise.
    """
    entries, sliced = entries or {}, sliced or {}
    tables = {name: sampling.on(table) for name, table in tables.items()}
    values: dict[tuple[str, Metric], float] = {}
    reasons: dict[str, None] = {}
    cautions: dict[str, None] = {}
    if any(map(is_long, tables.values())):
        keep_memory()
    for name, m in counted([(name, m) for name in tables for m in metrics], "values"):
        read = sliced.get((name, m)) if sliced else None
        entry = entries.get((name, m)) if entries else None
        known = read.value if read is not None else math.nan if entry is None else entry.value
        table = tables[name] if read is None or read.table is None else read.table
        found = _value_or_error(table, name, m, undefined=undefined) if math.isnan(known) else known
        if isinstance(found, InputError):
            reasons[_is_undefined(m, name, found)] = None
        value = values[name, m] = math.nan if isinstance(found, InputError) else found
        if not math.isnan(value) and (text := m.caution(tables[name])):
            cautions[text] = None
    if reasons:
        warnings.append(UndefinedMetricWarning("; ".join(reasons)))
    if cautions:
        warnings.append(SaturationWarning("; ".join(cautions)))
    warnings += about_direction(areas_of(tables, values), advice=advice)
    kept |= {"design": sampling.design, "confidence_level": sampling.confidence_level, "paired": sampling.paired}
    kept["interval_method"] = sampling.interval_method
    evaluated = Evaluation(
        dict(tables), metrics, tuple(warnings), _values=values, _entries=entries, _sliced=sliced, **kept
    )
    if sampling.interval_method != "auto":
        try:
            for m in metrics:
                _ = evaluated[next(iter(tables)), m].interval  # refuses a method that is not for the metric
        except ParameterError as error:
            raise ParameterError(str(error).replace("method=", "interval_method=", 1)) from None
    return evaluated
