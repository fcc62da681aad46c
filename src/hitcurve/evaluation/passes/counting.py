"""Subjects -> hit tables to be kept: exact on the scores of their positives, full, on a given grid, or in bins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from hitcurve import _checks
from hitcurve.adding import descending
from hitcurve.bins import binned, ends_of_bins
from hitcurve.bins import note as note_of_bins
from hitcurve.cells import Grid
from hitcurve.counts import AnyArray
from hitcurve.errors import GridMismatchError, ParameterError
from hitcurve.evaluation.given import source_of
from hitcurve.evaluation.passes.first_pass import look_through
from hitcurve.evaluation.passes.limits import limited, within
from hitcurve.evaluation.passes.two_passes import count
from hitcurve.piles import Pile, piling, whole
from hitcurve.sources import (
    Block,
    ReadOnce,
    Source,
    Tally,
    check_labels,
    has_weights,
    is_column,
    positives_of,
    refusing,
)
from hitcurve.sources.columns import beyond_floats
from hitcurve.stack import TableStack
from hitcurve.table import HitTable
from hitcurve.tables import CountedAs, Table, Tables, check_same_classes, check_same_direction, check_same_weighting

ROWS = ("collapsed", "full")
_Counter: TypeAlias = Callable[[Block, str], Table]


def count_tables(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    where: str | None = None,
    query: str | None = None,
    rows: str = "collapsed",
    grid: Mapping[str, Table] | None = None,
    bins: int | None = None,
    max_grid: int | None = None,
    memory_limit: int | str | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    higher_is_better: bool | Mapping[str, bool] = True,
    missing: str = "raise",
    by: Any = None,
) -> Tables:
    """Count labels and scores into hit tables that are kept, added and evaluated later.

    Parameters
    ----------
    y_true, y_score, data, where, query, pos_label, sample_weight, higher_is_better, missing, by
        As in :func:`hitcurve.evaluate`.
    rows : {"collapsed", "full"}
        ``collapsed``: a row for each score of a positive and for each gap between them; exact for every metric, and
        adds to tables on the same scores only. ``full``: a row for each distinct score; always adds.
    grid : Tables or mapping of str to HitTable, optional
        Count each ranker on the scores of its collapsed table, or into the bins of its binned table; so the tables add.
    bins : int, optional
        Count into so many bins between quantiles of the positives. The order within a bin is not kept: every metric has
        a bracket, its values with all bins in the worst and in the best strict order.
    max_grid : int, optional
        Count a ranker whose positives have more distinct scores than this in bins, at most 100,000 of them, which is
        noted; all are counted exactly if absent.
    memory_limit : int or str, optional
        Bytes that this process may take, or a size such as ``"4GB"``, where it reads files and streams and holds no
        other data: at least 320 MB, of which Python and the libraries take 270. Of the rest a half is what reading
        takes at most, and rankers whose positives have more than one distinct score for 250 bytes of it are counted in
        bins, as beyond ``max_grid``. What ``grid`` and ``bins`` ask for is made whatever it takes. Not for groups, nor
        for full tables.

    Returns
    -------
    Tables

    Raises
    ------
    InputError
        One of its kinds, for anything that is not such input.
    GridMismatchError
        If a score of a positive is not on the grid, or lower scores are better on the grid only, or in the data only,
        or tables would not add since the positives of one are the negatives of the other or one has no weights.

    Examples
    --------
    >>> y, a = [1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1]
    >>> day = count_tables(y, {"a": a}, rows="full")
    >>> day["a"]
    HitTable(full, rows=6, n=6, n_pos=3)
    >>> count_tables(y, {"a": a}, bins=2)["a"].grid.tolist()
    [4, 1]
    """
    belonging = (sample_weight, None, by, pos_label, higher_is_better, missing)
    on_disk = bool(max_grid or memory_limit)
    with within(memory_limit):
        source = source_of(y_true, y_score, data, *belonging, where=where, query=query, on_disk=on_disk)
    name = (str(by) if is_column(by) else "group") if by is not None else None
    how: dict[str, Any] = {"weighted": sample_weight is not None, "by": name, "max_grid": max_grid}
    how["memory_limit"] = memory_limit
    return count_source(source, rows=rows, grid=grid, bins=bins, pos_label=pos_label, grouped=by is not None, **how)


def count_source(
    source: Source,
    *,
    rows: str = "collapsed",
    grid: Mapping[str, Table] | None = None,
    bins: int | None = None,
    max_grid: int | None = None,
    memory_limit: int | str | None = None,
    pos_label: Any = None,
    grouped: bool = False,
    weighted: bool | None = None,
    by: str | None = None,
) -> Tables:
    """Count the rankers of any source; see :func:`count_tables`."""
    _checks.choice("rows", rows, ROWS)
    given = {"rows='full' (--full)": rows == "full", "grid": grid is not None, "bins": bins is not None}
    if sum(given.values()) > 1:
        named = " and ".join(name for name, there in given.items() if there)
        raise ParameterError(f"{named} cannot be combined: each says which scores have a row")
    if max_grid is not None and any(given.values()):
        named = next(name for name, there in given.items() if there)
        raise ParameterError(f"max_grid (--max-grid) and {named} cannot be combined: each says which scores have a row")
    if memory_limit is not None and rows == "full":
        raise ParameterError(
            "memory_limit (--memory-limit) and rows='full' (--full) cannot be combined: each distinct score has a row, "
            "whatever memory that takes"
        )
    if grouped and (grid is not None or bins is not None or max_grid is not None):
        raise ParameterError(
            "grid, bins and max_grid are for rankers of one list: count groups with rows='full' (--full)"
        )
    source, limits = limited(source, None, max_grid, memory_limit, grouped=grouped)
    most = limits.of_tables(source, None if max_grid is None else limits.max_grid)
    once = ReadOnce(source, limits.memory)
    lower = frozenset(name for name in source.rankers if not source.reading.is_high_good(name))
    notes = source.notes
    if rows == "full":
        found, tally = _counted(once, TableStack.full_of_block if grouped else HitTable.full_of_block)
    elif grid is not None:
        found, tally = _counted(once, _on_grids(grid, source.rankers, lower))
    elif bins is not None:
        ends = ends_of_bins(once, bins)
        found, tally = _counted(once, lambda block, ranker: _in_bins(ends[ranker], block, ranker))
        notes = (*notes, *(_about_bins(ranker, found[ranker], bins) for ranker in found))
    elif (seen := look_through(once, pos_label, grouped=grouped, most=most)).beyond:
        ends = ends_of_bins(once, limits.bins_beyond(most or 0), seen.beyond)
        exact = {name: grid.whole for name, grid in seen.grids.items() if name not in ends}
        found, tally = _counted(once, partial(_exactly_or_in_bins, exact, ends))
        notes = (*notes, *(_about_bins(ranker, found[ranker]) for ranker in found if ranker in ends))
    else:
        read = count(once, seen, grouped=grouped)
        found, tally = dict(read.stacks if grouped else read.whole), read.seen.tally
    found = {name: own.by_name() if isinstance(own, TableStack) else own for name, own in found.items()}
    tally.check_anybody()
    with refusing(source):
        check_labels(tally.vocabulary, pos_label)
    weighted = has_weights(source) if weighted is None else weighted
    out = Tables(found, tally, lower, notes, CountedAs(positives_of(tally.vocabulary, pos_label), weighted, by))
    if isinstance(grid, Tables):
        check_same_classes("subjects are not counted on the grid", grid, out)
        one, other = ("has weights", "have none") if grid.weighted else ("has no weights", "have them")
        check_same_weighting(f"subjects are not counted on the grid, which {one} where they {other}", grid, out)
    return out


def _counted(source: Source, table: _Counter) -> tuple[dict[str, Table], Tally]:
    """Count every block by itself, and add the tables."""

    def of_block(block: Block) -> Pile[tuple[dict[str, Any], Tally]]:
        return (({name: table(block, name) for name in block.scores}, block.tally),)

    def add(left: tuple[dict[str, Any], Tally], right: tuple[dict[str, Any], Tally]) -> tuple[dict[str, Any], Tally]:
        return {name: own + right[0][name] for name, own in left[0].items()}, left[1] + right[1]

    pile = source.reduce(of_block, piling(add, lambda found: sum(own.pos.size for own in found[0].values())))
    return whole(pile, add)


def _on_grids(grids: Mapping[str, Table], rankers: tuple[str, ...], lower: frozenset[str]) -> _Counter:
    """Return what counts a block on the grid of each ranker."""
    known: dict[str, tuple[HitTable, dict[np.dtype[Any], tuple[AnyArray, Grid]]]] = {}
    for name in rankers:
        if name not in grids:
            raise GridMismatchError(f"the grid has no table of {name!r}{_checks.did_you_mean(name, grids)}")
        table = grids[name]
        if not isinstance(table, HitTable) or table.kind not in ("collapsed", "binned") or table.grid is None:
            raise GridMismatchError(
                f"the grid of {name!r} must be a collapsed or a binned table, got {table!r}; full tables add without a "
                "grid"
            )
        if isinstance(grids, Tables):
            refused = f"scores of {name!r} are not counted on the grid"
            check_same_direction(refused, name in grids.lower_is_better, name in lower)
        known[name] = (table, {})

    def table_of(block: Block, ranker: str) -> HitTable:
        table, of_types = known[ranker]
        assert table.grid is not None
        scores = block.scores[ranker]
        kind = _comparable(ranker, scores, table.grid)
        if kind not in of_types:
            ascending = table.grid[::-1].astype(kind, copy=False)
            of_types[kind] = (ascending, Grid(ascending))
        ends, cells = of_types[kind]
        if scores.dtype != kind:
            block = replace(block, scores={**block.scores, ranker: scores.astype(kind)})
        if table.kind == "binned":
            own = _in_bins(ends, block, ranker)
        else:
            stray = np.setdiff1d(block.positive_scores(ranker), ends)
            if stray.size:
                raise GridMismatchError(
                    f"the grid of {ranker!r} lacks {stray[0].item()!r}, the score of a positive: use full tables "
                    "(rows='full', --full), or the bins of a first table (bins=, --bins), which take any score"
                )
            own = HitTable.count(cells, block, ranker)[0]
        # the cuts have the type of the grid, whatever scores were compared with them: all that it counts adds
        return HitTable.of_sums(own.sums, table.kind, descending(table.grid), unit=own.unit)

    return table_of


def _comparable(ranker: str, scores: AnyArray, grid: AnyArray) -> np.dtype[Any]:
    """Return the type in which scores and the grid compare exactly."""
    kind = np.result_type(scores, grid)
    wide = [some for some in (scores, grid) if some.dtype.kind in "iu" and some.dtype.itemsize == 8]
    if kind == np.float64 and any(map(beyond_floats, wide)):
        raise GridMismatchError(
            f"scores of {ranker!r} are {scores.dtype} and the grid is {grid.dtype}, and whole numbers beyond 2^53 do "
            "not compare exactly with scores of another type: give scores of the type of the grid, or count a new grid "
            "and these scores from columns of one type"
        )
    return kind


def _exactly_or_in_bins(exact: Mapping[str, Grid], ends: Mapping[str, AnyArray], block: Block, ranker: str) -> HitTable:
    return HitTable.count(exact[ranker], block, ranker)[0] if ranker in exact else _in_bins(ends[ranker], block, ranker)


def _in_bins(ends: AnyArray, block: Block, ranker: str) -> HitTable:
    return HitTable.of_sums(binned(ends, block, ranker), "binned", descending(ends[::-1]), unit=block.unit)


def _about_bins(ranker: str, table: Table, asked: int | None = None) -> str:
    return note_of_bins(ranker, int(np.count_nonzero(table.pos)), asked, weighted=table.weighted)
