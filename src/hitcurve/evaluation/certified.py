"""Cuts of an evaluation that keep a promise: which data allow one, and the scores that its table leaves out."""

from __future__ import annotations

from typing import Any

import numpy as np

from hitcurve.counts import AnyArray
from hitcurve.errors import MissingValueError, ParameterError, UndefinedMetricError
from hitcurve.evaluation.numbers import Numbers
from hitcurve.inference import (
    CertifiedCut,
    CutPlaces,
    LargestEnrichment,
    Promise,
    certified_cut,
    certified_list_cut,
    largest_enrichment,
)
from hitcurve.inference.cutting.cuts import ascending_grid, scores_inside
from hitcurve.label_errors import refuse_corrected
from hitcurve.sources import Block, Source, columns
from hitcurve.table import HitTable


def certify(
    ev: Numbers,
    ranker: str,
    promise: Promise,
    *,
    confidence_level: float,
    method: str,
    misses: int | None,
    unlabelled: Any,
) -> CertifiedCut:
    """Return the certified cut of one ranker; see :meth:`hitcurve.Evaluation.certify`."""
    table, source = ev.tables[ranker], ev.source
    _refuse_dependent(ev, table)
    _refuse_fixed_prevalence(promise, table, ev.design)
    high = _is_high_good(ev, ranker)
    if unlabelled is not None:
        if promise.what != "precision" or method != "auto" or misses is not None:
            raise ParameterError(
                "unlabelled= is for the precision of a finite list, by hypergeometric tests: leave out method and "
                "misses, and promise a precision"
            )
        if source is None:
            raise ParameterError(
                "unlabelled= needs the scores of the labelled subjects, and this evaluation holds no subjects: "
                "evaluate labels and scores"
            )
        found = source.reduce(lambda block: _subjects(block, ranker, unlabelled), _joined)
        return certified_list_cut(ranker, *found, promise, confidence_level=confidence_level, higher_is_better=high)
    places = _places(ev, ranker)
    options: dict[str, Any] = {"method": method, "misses": misses, "higher_is_better": high}
    return certified_cut(ranker, places, promise, confidence_level=confidence_level, **options)


def enriched(ev: Numbers, ranker: str, *, confidence_level: float) -> LargestEnrichment:
    """Return the largest enrichment of one ranker; see :meth:`hitcurve.Evaluation.largest_enrichment`."""
    _refuse_dependent(ev, ev.tables[ranker])
    high = _is_high_good(ev, ranker)
    return largest_enrichment(ranker, _places(ev, ranker), confidence_level=confidence_level, higher_is_better=high)


def _is_high_good(ev: Numbers, ranker: str) -> bool:
    return ranker not in ev.lower_is_better


def _places(ev: Numbers, ranker: str) -> CutPlaces:
    table, source = ev.tables[ranker], ev.source
    return CutPlaces(table, None if source is None else lambda row: _of_gap(source, table, ranker, row))


def _refuse_dependent(ev: Numbers, table: HitTable) -> None:
    """Refuse subjects that exact tests do not count.

    Raises
    ------
    UndefinedMetricError
    """
    refuse_corrected(table.label_errors, "a certified cut or enrichment")
    if table.weighted:
        raise UndefinedMetricError(
            "a cut is certified by exact tests of subjects, which weights do not count: evaluate without weights"
        )
    if ev.clustered:
        raise UndefinedMetricError(
            "a cut is certified by exact tests of independent subjects, which clusters are not: evaluate one subject "
            "of each cluster"
        )


def _refuse_fixed_prevalence(promise: Promise, table: HitTable, design: str) -> None:
    """Refuse a precision where the prevalence was not sampled.

    Raises
    ------
    UndefinedMetricError
    """
    if promise.what == "precision" and table.assumed_prevalence is not None:
        raise UndefinedMetricError(
            "a precision is certified for the prevalence of a sample, and this prevalence was set: certify recall or "
            "fpr, which do not depend on it"
        )
    if promise.what == "precision" and design != "cohort":
        raise UndefinedMetricError(
            "a precision is certified for positives and negatives that were sampled together, not for "
            f"design={design!r}: certify recall or fpr"
        )


def _subjects(block: Block, ranker: str, unlabelled: Any) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return scores and labels of a block, and the scores without labels in its direction."""
    values, gone = columns.scores("unlabelled", unlabelled)
    if not values.size:
        raise ParameterError(
            "unlabelled is empty: the precision of a list that is labelled as a whole is known; leave unlabelled out "
            "for new subjects"
        )
    if gone is None:
        return block.scores[ranker], block.positive, block.oriented_grid(ranker, unlabelled)
    if block.reading.missing != "last":
        raise MissingValueError(
            f"{int(gone.sum())} of {values.size} unlabelled scores of {ranker!r} are missing: rank them last with "
            "missing='last' (--missing last), or leave these subjects out of the list"
        )
    if gone.all():
        raise MissingValueError(f"all unlabelled scores of {ranker!r} are missing")
    there = block.oriented_grid(ranker, values[~gone])
    whole = np.empty(values.size, there.dtype)
    whole[~gone], whole[gone] = there, there[0]
    return block.scores[ranker], block.positive, columns.ranked_last(whole, gone)


def _joined(a: tuple[AnyArray, ...], b: tuple[AnyArray, ...]) -> tuple[AnyArray, AnyArray, AnyArray]:
    return np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]]), a[2]


def _of_gap(source: Source, table: HitTable, ranker: str, row: int) -> AnyArray:
    """Return the scores of the negatives in a row between two scores of positives."""
    ascending = ascending_grid(table)
    return source.reduce(
        lambda block: scores_inside(block, ranker, ascending, row, table.unit)[0],
        lambda a, b: np.concatenate([a, b]),
    )
