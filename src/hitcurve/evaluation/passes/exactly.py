"""Lists with more scores than are held in memory: exact numbers from scores that are sorted on disk, where they can be.

Stated rule: they are read in slices, unless bins were asked for, or one of the reasons below holds; then in bins.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

from hitcurve import rows
from hitcurve._folders import named_place
from hitcurve.bins import Binned
from hitcurve.evaluation.passes.limits import Limits
from hitcurve.evaluation.passes.on_disk import bytes_needed, sorted_on_disk
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.inference.estimation.in_slices import InSlices, can_be_read, read
from hitcurve.inference.estimation.sliced import METHODS
from hitcurve.metrics import Metric
from hitcurve.sources import engine_of
from hitcurve.table import HitTable

Sliced: TypeAlias = Mapping[tuple[str, Metric], InSlices]


def in_slices(
    source: Binned,
    tables: Mapping[str, HitTable],
    metrics: tuple[Metric, ...],
    sampling: SamplingDesign,
    limits: Limits,
    *,
    special: bool,
    undefined: str,
) -> tuple[Binned, Sliced]:
    """Return exact numbers of the rankers that are in bins, or why there are none, in the notes of the source.

    Parameters
    ----------
    source : Binned
        Bins that were not asked for.
    tables : mapping of str to HitTable
        Of all rankers.
    special : bool
        Whether there are clusters, or weights that were estimated.

    Raises
    ------
    UnreadableFileError
        If there is no space for the files after all.
    """
    long = {name: tables[name] for name in source.ends}
    why_not = _why_not(source, long, metrics, sampling, special=special)
    if why_not:
        return replace(source, why=f"{source.why}; they are not sorted on disk, since {why_not}"), {}
    found: dict[tuple[str, Metric], InSlices] = {}
    most = limits.of_a_slice()
    with sorted_on_disk(source.whole, long, most) as lists:
        for name, own in lists.items():
            known = read(metrics, own, sampling.design, sampling.prevalence, undefined=undefined)
            found |= {(name, m): numbers for m, numbers in known.items()}
        slices = max(own.pos.size for own in lists.values())
    bins = max(ends.size for ends in source.ends.values())
    names = rows.listed(list(long))
    note = (
        f"positives of {names} have more than {limits.in_words(source)}: values and standard errors are exact, from "
        f"scores sorted on disk in {rows.counted(slices, 'slice')}; intervals are by half-subject, or at a cutoff by "
        "jeffreys or log, where lists in memory may have another method by default; curves, bands and standard errors "
        f"of differences count the scores in {rows.count(bins)} bins between quantiles of the positives"
    )
    return replace(source, why=note, exact=True), found


def _why_not(
    source: Binned,
    tables: Mapping[str, HitTable],
    metrics: tuple[Metric, ...],
    sampling: SamplingDesign,
    *,
    special: bool,
) -> str:
    engine = engine_of(source)
    if engine is not None:
        return f"the rows stay in {engine}"
    if special:
        return "errors of clusters, and of weights that were estimated, need all rows at once"
    if any(table.weighted or table.unit != 1 for table in tables.values()):
        return "subjects have weights"
    if sampling.errors is not None:
        return "labels are corrected"
    whole = [str(m) for m in metrics if not can_be_read(m)]
    if whole:
        return f"{rows.listed(whole)} {'needs' if len(whole) == 1 else 'need'} all rows at once"
    if sampling.interval_method not in METHODS:
        return f"the interval method {sampling.interval_method} needs all rows at once"
    needed, place = bytes_needed(tables), named_place()
    free = shutil.disk_usage(place).free
    if needed > free:
        return f"that takes {rows.size(needed)}, and {place} has {rows.size(free)} (TMPDIR names another place)"
    return ""
