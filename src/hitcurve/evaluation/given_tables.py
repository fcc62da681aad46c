"""Ready tables that were given instead of labels and scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hitcurve import _checks
from hitcurve.errors import InputError, ParameterError
from hitcurve.evaluation.by_group import evaluate_stacks, evaluate_tables_of_groups
from hitcurve.evaluation.grouped import GroupedEvaluation
from hitcurve.evaluation.passes.two_passes import evaluate_tables
from hitcurve.evaluation.result import Evaluation
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.metrics import Metric
from hitcurve.metrics.remarks import about_missing
from hitcurve.stack import TableStack
from hitcurve.table import HitTable
from hitcurve.tables import Tables


def of_tables(
    tables: Any, metrics: tuple[Metric, ...], undefined: str, sampling: SamplingDesign, single_class: str
) -> Evaluation | GroupedEvaluation:
    """Evaluate ready tables: those of rankers, of groups of rankers, or stacks of lists.

    Raises
    ------
    InputError, ParameterError
        If there is none, or they are none.
    """
    if isinstance(tables, Tables):
        found = of_tables(dict(tables), metrics, undefined, sampling, single_class)
        return _with_what_is_known(found, tables)
    if isinstance(tables, (HitTable, TableStack)):
        tables = {"score": tables}
    if not isinstance(tables, Mapping):
        raise ParameterError(f"tables must be a HitTable or map names to HitTable values, got {type(tables).__name__}")
    if not tables:
        raise InputError("no tables: there is no ranker to evaluate")
    if any(isinstance(table, TableStack) for table in tables.values()):
        return evaluate_stacks(_of_same_lists(tables), metrics, undefined, sampling, single_class)
    if any(isinstance(table, Mapping) for table in tables.values()):
        return evaluate_tables_of_groups(tables, metrics, undefined, sampling, single_class)
    return evaluate_tables(tables, metrics, undefined, sampling)


def _with_what_is_known(found: Evaluation | GroupedEvaluation, tables: Tables) -> Evaluation | GroupedEvaluation:
    """Return an evaluation of tables that say how they were counted."""
    warnings = () if tables.tally is None else tuple(about_missing(tables.tally))
    known: dict[str, Any] = {"tally": tables.tally, "notes": (*tables.notes, *found.notes)}
    if isinstance(found, Evaluation):
        return replace(found, warnings=(*warnings, *found.warnings), lower_is_better=tables.lower_is_better, **known)
    by = tables.counted_as.by or found.by
    return replace(found, warnings=(*warnings, *found.warnings), by=by, **known)


def _of_same_lists(stacks: Mapping[str, Any]) -> dict[str, TableStack]:
    """Return the stacks of all rankers with their lists in one order.

    Raises
    ------
    ParameterError
        If one is no stack, or they hold different lists.
    """
    _checks.distinct("ranker", [str(name) for name in stacks])
    first = next(iter(stacks.values()))
    for name, stack in stacks.items():
        if not isinstance(stack, TableStack):
            raise ParameterError(
                f"tables must be stacks for all rankers or for none, {name!r} is {type(stack).__name__}"
            )
        if sorted(stack.names) != sorted(first.names):
            raise ParameterError(f"every ranker needs the same lists, and the lists of {name!r} differ")
    return {str(name): stack.taken([stack.places[one] for one in first.names]) for name, stack in stacks.items()}
