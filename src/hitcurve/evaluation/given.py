"""The subjects that were given as arrays, or as names of the columns of a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hitcurve import _checks
from hitcurve.engines.dask import is_dask
from hitcurve.engines.spark import is_spark
from hitcurve.errors import InputError, ParameterError
from hitcurve.evaluation.given_files import (
    Columns,
    arrays_of_dask,
    check_options,
    in_order,
    is_elsewhere,
    source_elsewhere,
)
from hitcurve.sources import Source, arrays, is_column, pick_columns, verified_source, with_columns
from hitcurve.sources.databases import is_database
from hitcurve.sources.placed import placed


def source_of(
    y_true: Any,
    y_score: Any,
    data: Any,
    sample_weight: Any,
    clusters: Any,
    by: Any,
    pos_label: Any,
    higher_is_better: bool | Mapping[str, bool],
    missing: str,
    verification: Any = None,
    unlabelled: bool = False,
    where: str | None = None,
    query: str | None = None,
    on_disk: bool = False,
) -> Source:
    """Return them as a source; with ``verification`` those whose labels are verified.

    What can be read once is kept in memory if it is small, or in a file whatever its size if it is to be ``on_disk``.

    Raises
    ------
    InputError, ParameterError
        If there is no score, names of columns come without data, or data without names.
    """
    if y_true is None or y_score is None:
        raise ParameterError("evaluate needs y_true and y_score, or tables")
    if verification is not None and sample_weight is not None:
        raise ParameterError(
            "verification cannot be combined with sample_weight: divide the weights by known probabilities of "
            "verification and drop the rows without a label"
        )
    data = in_order(data)
    check_options(data, where, query)
    held, rows_of = data, None
    if isinstance(higher_is_better, Mapping):  # rankers are named by text, whatever names the columns
        higher_is_better = {str(name): high for name, high in higher_is_better.items()}
    how = {"pos_label": pos_label, "higher_is_better": higher_is_better, "missing": missing}
    how["unlabelled"] = bool(unlabelled)
    beside = {"weight": sample_weight, "clusters": clusters, "by": by, "verification": verification}
    if data is None and any(map(is_dask, (y_true, *_scores(y_score).values()))):
        return arrays_of_dask(y_true, _scores(y_score), beside, how)
    if is_spark(data) or is_dask(data) or is_elsewhere(data, beside.values()):
        named = Columns.of(y_true, y_score, **beside)
        elsewhere = source_elsewhere(data, named, how, where, query, on_disk=on_disk)
        if not isinstance(elsewhere, dict):
            return elsewhere
        rows_of = "the answer" if is_database(data) else "the data"
        y_true, y_score, data, held = named.label, list(named.scores), elsewhere, None
    of_columns = verification if is_column(verification) or isinstance(verification, (list, tuple)) else None
    name = f"column {of_columns}" if is_column(of_columns) else "known"
    if data is not None:
        names = [y_score] if is_column(y_score) else list(y_score)
        _checks.distinct("ranker", [_checks.plain(name) for name in names])
        if not is_column(y_true) or not all(map(is_column, names)):
            raise ParameterError("with data, y_true and y_score are names of columns")
        covariates = of_columns if isinstance(of_columns, (list, tuple)) and all(map(is_column, of_columns)) else ()
        extra = [name for name in (sample_weight, clusters, by, of_columns, *covariates) if is_column(name)]
        columns = pick_columns(data, list(dict.fromkeys([y_true, *names, *extra])))
        y_true = columns[y_true]
        y_score = {name: columns[name] for name in names}
        sample_weight = columns[sample_weight] if is_column(sample_weight) else sample_weight
        clusters = columns[clusters] if is_column(clusters) else clusters
        by = columns[by] if is_column(by) else by
        if is_column(of_columns):
            verification = columns[of_columns]
        elif covariates:
            verification = {str(name): columns[name] for name in covariates}
    elif any(isinstance(name, str) for name in (y_true, y_score, *_names(verification))):
        raise ParameterError("names of columns need data, as in evaluate('y', ['a', 'b'], data=frame)")
    scores = _scores(y_score)
    _checks.distinct("ranker", [str(name) for name in scores])
    if not scores:
        raise InputError("no scores: there is no ranker to evaluate")
    scores = {str(name): values for name, values in scores.items()}
    options: dict[str, Any] = {"pos_label": pos_label, "cluster": clusters, "group": by}
    options |= {"higher_is_better": higher_is_better, "missing": missing}
    with placed(rows_of, y_true, scores, clusters, by):
        if verification is None:
            source: Any = arrays(y_true, scores, weight=sample_weight, unlabelled=bool(unlabelled), **options)
        else:
            source = verified_source(y_true, scores, verification, name, **options)
    found: Source = source if held is None else with_columns(source, held)
    return found


def _scores(y_score: Any) -> dict[Any, Any]:
    """Return scores by the names of their rankers."""
    return dict(y_score) if isinstance(y_score, Mapping) else {"score": y_score}


def _names(verification: Any) -> tuple[Any, ...]:
    """Return what may be names of columns."""
    if isinstance(verification, str):
        return (verification,)
    return tuple(verification[:1]) if isinstance(verification, (list, tuple)) else ()
