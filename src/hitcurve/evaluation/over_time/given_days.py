"""The tables of days: what they must share to be one series, and what is said of those that differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hitcurve import rows
from hitcurve.adding import same_array
from hitcurve.errors import GridMismatchError, ParameterError
from hitcurve.table import HitTable
from hitcurve.tables import Tables, check_same_classes, check_same_direction, check_same_weighting


def one_for_each(tables: Mapping[str, HitTable | Tables]) -> tuple[dict[str, HitTable], str | None]:
    """Return the table of each day, and whose they are.

    Raises
    ------
    ParameterError
        If the tables of a day are not those of one ranker on one list.
    GridMismatchError
        If days that say so differ in the ranker, the direction, the positive label or in having weights.
    """
    found: dict[str, HitTable] = {}
    first: tuple[str, str, Tables] | None = None
    for day, given in tables.items():
        if not isinstance(given, Tables):
            found[day] = given
            continue
        if len(given) > 1:
            raise ParameterError(f"{day} has {len(given)} rankers, and drift looks at one: {', '.join(given)}")
        ((ranker, table),) = given.items()
        if not isinstance(table, HitTable):
            raise ParameterError(f"{day} has groups, and a day is one list")
        found[day] = table
        first = first or (day, ranker, given)
        if ranker != first[1]:
            raise GridMismatchError(
                f"{first[0]} has the ranker {rows.visible(first[1])} and {day} the ranker {rows.visible(ranker)}, and "
                "drift looks at one: give tables of one ranker (of files that have several, --ranker chooses it), or, "
                "if it was renamed, a mapping of days to each HitTable alone"
            )
        refused = f"{first[0]} and {day} do not compare"
        check_same_direction(refused, first[1] in first[2].lower_is_better, ranker in given.lower_is_better)
        check_same_classes(refused, first[2], given)
        check_same_weighting(f"{refused}, since one has weights and the other has none", first[2], given)
    return found, None if first is None else rows.visible(first[1])


def caution_of_bins(days: Mapping[str, HitTable]) -> Iterator[str]:
    """Yield that days differ in their bins, if they do."""
    grids = [table.grid for table in days.values() if table.kind == "binned"]
    if not grids:
        return
    exact = len(days) - len(grids)
    if exact or not all(same_array(grid, grids[0]) for grid in grids):
        others = f"{rows.counted(len(grids), 'day')} of {len(days)} in bins and the others exactly" if exact else ""
        yield (
            f"days are not counted in the same bins{f' ({others})' if others else ''}: their values may differ by the "
            "bins alone, whose subjects are tied; count every day on the bins of one (hitcurve table --grid, grid=)"
        )
