"""The conductor: data in, every number out. No arithmetic of its own."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypedDict, TypeVar, Unpack, overload

import numpy as np

from hitcurve import _checks, rows
from hitcurve.cells import Grid, few_of
from hitcurve.errors import (
    ConstantScoreWarning,
    DirectionWarning,
    HitcurveError,
    HitcurveWarning,
    InputError,
    MissingValueWarning,
    ParameterError,
    SaturationWarning,
    SingleClassError,
    TwoValuedScoreWarning,
    UndefinedMetricError,
    UndefinedMetricWarning,
    WeightError,
)
from hitcurve.evaluation.grouped import NO_NEGATIVES, NO_POSITIVES, GroupedEvaluation, in_order
from hitcurve.evaluation.result import Evaluation
from hitcurve.inference import Comparison, Plan, resolve
from hitcurve.metrics import AUC, DEFAULT, Metric
from hitcurve.metrics import metrics as read_metrics
from hitcurve.sources import Block, GroupSource, Source, Tally, arrays, backend_of, check_labels, pick_columns
from hitcurve.sources.models import left_out
from hitcurve.table import HitTable

T = TypeVar("T")
SINGLE_CLASS = ("raise", "skip", "zero")
_UNPAIRED = ("counts do not say which subjects the rankers share: differences between them are unpaired",)


class Doubt(NamedTuple):
    """How the subjects were sampled, and how sure one wants to be."""

    design: str = "cohort"
    prevalence: float | None = None
    confidence_level: float = 0.95
    paired: bool = True

    @classmethod
    def of(cls, design: str | None, prevalence: float | None, confidence_level: float, *, paired: bool = True) -> Doubt:
        """Check and complete what was asked for."""
        level = _checks.open_unit("confidence_level", confidence_level)
        return cls(resolve(design, prevalence), prevalence, level, paired)


class _Grids(NamedTuple):
    """The first pass: the positives' scores of each ranker, and what was met."""

    scores: dict[str, np.ndarray[Any, Any]]
    tally: Tally
    clustered: bool

    @classmethod
    def of(cls, block: Block) -> _Grids:
        scores = {name: np.unique(block.positive_scores(name)) for name in block.scores}
        return cls(scores, block.tally, block.cluster is not None)

    def merged(self, other: _Grids) -> _Grids:
        scores = {name: np.union1d(grid, other.scores[name]) for name, grid in self.scores.items()}
        return _Grids(scores, self.tally + other.tally, self.clustered)


class _Tables(NamedTuple):
    """The second pass: the table of each ranker, and up to three distinct scores."""

    tables: dict[str, HitTable]
    distinct: dict[str, np.ndarray[Any, Any]]

    @classmethod
    def of(cls, cells: Mapping[str, Grid], block: Block) -> _Tables:
        counted = {name: HitTable.count(grid, block, name) for name, grid in cells.items()}
        return cls(
            {name: table for name, (table, _) in counted.items()},
            {name: distinct for name, (_, distinct) in counted.items()},
        )

    def merged(self, other: _Tables) -> _Tables:
        return _Tables(
            {name: table + other.tables[name] for name, table in self.tables.items()},
            {name: few_of(seen, other.distinct[name]) for name, seen in self.distinct.items()},
        )


class _Options(TypedDict, total=False):
    """What :func:`evaluate` takes beside the data, whatever it returns."""

    data: Any
    metrics: str | Metric | Iterable[str | Metric]
    pos_label: Any
    sample_weight: Any
    higher_is_better: bool | Mapping[str, bool]
    missing: str
    undefined: str
    design: str | None
    prevalence: float | None
    clusters: Any
    confidence_level: float
    paired: bool
    single_class: str


@overload
def evaluate(
    y_true: Any = ...,
    y_score: Any = ...,
    *,
    tables: Mapping[str, HitTable] | None = ...,
    by: None = ...,
    **options: Unpack[_Options],
) -> Evaluation: ...


@overload
def evaluate(y_true: Any = ..., y_score: Any = ..., *, by: Any, **options: Unpack[_Options]) -> GroupedEvaluation: ...


@overload
def evaluate(*, tables: Mapping[str, Mapping[str, HitTable]], **options: Unpack[_Options]) -> GroupedEvaluation: ...


def evaluate(
    y_true: Any = None,
    y_score: Any = None,
    *,
    data: Any = None,
    tables: Mapping[str, HitTable] | Mapping[str, Mapping[str, HitTable]] | None = None,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT,
    pos_label: Any = None,
    sample_weight: Any = None,
    higher_is_better: bool | Mapping[str, bool] = True,
    missing: str = "raise",
    undefined: str = "raise",
    design: str | None = None,
    prevalence: float | None = None,
    clusters: Any = None,
    confidence_level: float = 0.95,
    paired: bool = True,
    by: Any = None,
    single_class: str = "raise",
) -> Evaluation | GroupedEvaluation:
    """Evaluate one or several rankers of the same subjects, or of the subjects of each of many groups.

    Parameters
    ----------
    y_true : array-like (n,) or str
        Labels, or the name of their column in ``data``.
    y_score : array-like, mapping of str to array-like, str or list of str
        Scores of one ranker, of several by name, or the names of their columns in ``data``.
    data : data frame, optional
        pandas, polars, pyarrow, anything narwhals knows, an Arrow stream, or a mapping of columns.
    tables : mapping of str to HitTable, or of str to such mappings, optional
        Ready tables instead of labels and scores; a mapping of groups to the tables of their rankers is evaluated
        group by group.
    metrics : str, Metric, or an iterable of these
        Written forms as ``"croc(exp, alpha=7)"``.
    pos_label : object, optional
        Label of the positives; needed unless it is beyond doubt (see :meth:`hitcurve.HitTable.from_scores`).
    sample_weight : array-like (n,) or str, optional
        Weights of at least 0, or the name of their column.
    higher_is_better : bool or mapping of str to bool
        Direction of all scores, or of those named.
    missing : {"raise", "drop", "last"}
        What to do with missing values: refuse; drop the row for all rankers; rank the subject last in the ranker
        that lacks its score.
    undefined : {"raise", "nan"}
        Whether a metric that has no meaning on these data raises, or is nan with a warning.

    design : {"cohort", "case-control"}, optional
        Whether the number of positives was sampled (a cohort, the default) or fixed; standard errors of what depends
        on prevalence differ.
    prevalence : float in (0, 1), optional
        A known prevalence to evaluate at, as of case-control data; implies ``design="case-control"``.
    clusters : array-like (n,) or str, optional
        Names of clusters within which subjects depend on each other (patients, scaffolds), or their column.
    confidence_level : float in (0, 1)
    paired : bool
        Whether the rankers ranked the same subjects, so that differences are compared subject by subject.
    by : array-like (n,) or str, optional
        The group of each subject (its fold, target, query, review), or the column of it: every group is a ranking of
        its own.
    single_class : {"raise", "skip", "zero"}
        What to do with groups that lack positives or negatives: refuse, leave out, or count those without positives
        as 0 in means and leave out the others.

    Returns
    -------
    Evaluation, or GroupedEvaluation if there are groups

    Raises
    ------
    InputError, ColumnNotFoundError
        One of their kinds, in one sentence, for input that cannot be evaluated; nothing is computed then.

    Warns
    -----
    DirectionWarning, TwoValuedScoreWarning, ConstantScoreWarning
        For scores that may not be what they are taken for.
    MissingValueWarning, SaturationWarning, UndefinedMetricWarning
        For what was left out, and for values that say less than they seem to. Each is given once a call, and listed
        in ``warnings`` of the result.

    Examples
    --------
    >>> y = [1, 0, 1, 0, 0, 0]
    >>> ev = evaluate(y, {"a": [6, 5, 4, 3, 2, 1], "b": [6, 2, 5, 1, 3, 4]}, metrics=["ap", "auc"])
    >>> print(ev)
    6 subjects, 2 positive (33.3%), no ties across classes
    <BLANKLINE>
    metric       a      b  random  best  convention
    ------  ------  -----  ------  ----  ----------
    ap      0.8333  1.000  0.3333     1
    auc     0.8750  1.000     0.5     1
    <BLANKLINE>
    note: only 2 positives: too few for an interval (at least 5 of either class)
    >>> ev["a", "ap"].value
    0.8333333333333333
    """
    wanted = read_metrics(metrics)
    _checks.choice("undefined", undefined, ("raise", "nan"))
    _checks.choice("single_class", single_class, SINGLE_CLASS)
    doubt = Doubt.of(design, prevalence, confidence_level, paired=paired)
    if tables is not None:
        if any(given is not None for given in (y_true, y_score, data, pos_label, sample_weight, clusters, by)):
            raise ParameterError("give tables, or labels and scores with what belongs to them, not both")
        return _said(_of_tables(tables, wanted, undefined, doubt, single_class))
    source = _source(y_true, y_score, data, sample_weight, clusters, by, pos_label, higher_is_better, missing)
    known: _Known = {"pos_label": pos_label, "undefined": undefined, "doubt": doubt, "backend": backend_of(data)}
    if by is None:
        return _said(evaluate_source(source, wanted, **known))
    name = by if isinstance(by, str) else "group"
    return _said(evaluate_groups(source, wanted, by=name, single_class=single_class, **known))


def compare(
    y_true: Any,
    first: Any,
    second: Any,
    *,
    metric: str | Metric,
    method: str = "auto",
    null: float = 0.0,
    alternative: str = "two-sided",
    n_resamples: int | None = None,
    rng: Any = None,
    **options: Any,
) -> Comparison:
    """Test the difference of two scores of the same subjects, first minus second.

    Parameters
    ----------
    y_true : array-like (n,)
        Labels.
    first, second : array-like (n,)
        Scores.
    metric : str or Metric
    method, null, alternative, n_resamples, rng
        As in :meth:`hitcurve.Evaluation.compare`.
    **options
        As in :func:`hitcurve.evaluate`: ``design``, ``prevalence``, ``clusters``, ``sample_weight``, ...

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [50, 450])
    >>> test = compare(y, rng.normal(size=500) + 1.5 * y, rng.normal(size=500) + y, metric="auc", method="delong")
    >>> round(test.statistic, 3), round(test.pvalue, 3)
    (1.838, 0.066)
    """
    result: Evaluation = evaluate(y_true, {"first": first, "second": second}, metrics=metric, **options)
    return result.compare(
        "first",
        "second",
        metric,
        null=null,
        alternative=alternative,
        method=method,
        n_resamples=n_resamples,
        rng=rng,
    )


def plan(
    metric: str | Metric,
    pilot: Evaluation,
    effect: float,
    *,
    rankers: tuple[str, str] | None = None,
    power: float | None = None,
    n_pos: int | None = None,
    n_neg: int | None = None,
    significance: float = 0.05,
) -> Plan:
    """Plan a paired comparison of two rankers: how many subjects, or which power.

    From the influence values of a pilot; the ratio of the classes is kept unless ``n_neg`` is given.

    Parameters
    ----------
    metric : str or Metric
        One that the pilot evaluated.
    pilot : Evaluation
        Of at least two rankers of the same subjects.
    effect : float
        True difference that is to be found.
    rankers : (str, str), optional
        The first two of the pilot if absent.
    power : float in (0, 1), optional
        Asks for the number of subjects.
    n_pos, n_neg : int, optional
        Ask for the power of so many positives and negatives.
    significance : float in (0, 1)
        Two-sided level of the test.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [50, 450])
    >>> pilot = evaluate(y, {"a": rng.normal(size=500) + 1.5 * y, "b": rng.normal(size=500) + y}, metrics="auc")
    >>> print(plan("auc", pilot, 0.05, power=0.8))
    auc: 236 positives and 2,124 negatives find a difference of 0.05 with power 0.800 at two-sided level 0.05
    """
    if not isinstance(pilot, Evaluation):
        raise ParameterError(f"the pilot must be an Evaluation, got {type(pilot).__name__}")
    return pilot.plan(metric, effect, rankers=rankers, power=power, n_pos=n_pos, n_neg=n_neg, significance=significance)


class _Known(TypedDict, total=False):
    """What is known of a source beside its subjects."""

    pos_label: Any
    undefined: str
    doubt: Doubt
    backend: str | None


def _said(result: Evaluation | GroupedEvaluation) -> Evaluation | GroupedEvaluation:
    """Give the warnings of a result to whoever called :func:`evaluate`."""
    for warning in result.warnings:
        warnings.warn(warning, stacklevel=3)
    return result


def evaluate_source(
    source: Source,
    metrics: tuple[Metric, ...],
    *,
    pos_label: Any = None,
    undefined: str = "raise",
    doubt: Doubt | None = None,
    backend: str | None = None,
) -> Evaluation:
    """Evaluate the rankers of any source, in two passes: grids, then counts. Warnings are listed, not given."""
    grids = source.reduce(_Grids.of, _Grids.merged)
    grids.tally.check_anybody()
    check_labels(grids.tally.vocabulary, pos_label)
    cells = {name: Grid(scores) for name, scores in grids.scores.items()}
    counted = source.reduce(partial(_Tables.of, cells), _Tables.merged)
    if not all(table.n for table in counted.tables.values()):
        raise WeightError("weights are all 0: nobody counts")
    said = [*_about_missing(grids.tally), *_about_scores(counted.distinct)]
    kept = {"tally": grids.tally, "source": source, "backend": backend, "notes": source.notes}
    kept["clustered"] = grids.clustered
    return _conclude(counted.tables, metrics, undefined, said, doubt or Doubt(), **kept)


# ---- groups


def evaluate_cv_results(
    cv_results: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT,
    pos_label: Any = None,
    response_method: str = "auto",
    confidence_level: float = 0.95,
    single_class: str = "raise",
) -> GroupedEvaluation:
    """Evaluate the folds of a cross-validation, each on the subjects that it left out.

    Parameters
    ----------
    cv_results : mapping
        Of scikit-learn's ``cross_validate`` with ``return_estimator=True, return_indices=True``; or a mapping of the
        names of models to such results, all with the same folds.
    X : array-like (n, features)
    y : array-like (n,)
    metrics : str, Metric, or an iterable of these
    pos_label : object, optional
        Class that is positive; the second of the estimators if absent.
    response_method : {"auto", "decision_function", "predict_proba"}
        ``auto``: the first of the two that a model has.
    confidence_level : float
    single_class : {"raise", "skip", "zero"}
        What to do with folds that lack positives or negatives.

    Returns
    -------
    GroupedEvaluation
        With folds 1, 2, ...; compare models with ``method="corrected-t"``.

    Raises
    ------
    ParameterError
        If estimators or indices were not returned, or models were given other folds.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_validate
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> X = rng.normal(size=(100, 2)) + y[:, None]
    >>> folds = cross_validate(LogisticRegression(), X, y, cv=5, return_estimator=True, return_indices=True)
    >>> found = evaluate_cv_results(folds, X, y, metrics="auc")
    >>> len(found), round(found.mean("score", "auc").value, 3)
    (5, 0.796)
    """
    named = {"score": cv_results} if "estimator" in cv_results or not cv_results else cv_results
    folds = {
        str(name): list(left_out(of_model, X, y, pos_label=pos_label, response_method=response_method))
        for name, of_model in named.items()
    }
    first_name, first = next(iter(folds.items()))
    for name, others in folds.items():
        if len(others) != len(first) or not all(
            np.array_equal(a.places, b.places) for a, b in zip(first, others, strict=True)
        ):
            raise ParameterError(
                f"{name!r} and {first_name!r} were given different folds: cross-validate them with the same cv"
            )
    source = arrays(
        np.concatenate([fold.positive for fold in first]),
        {name: np.concatenate([fold.scores for fold in of_model]) for name, of_model in folds.items()},
        group=np.repeat(np.arange(1, len(first) + 1), [fold.positive.size for fold in first]),
    )
    doubt = Doubt.of(None, None, confidence_level)
    found = evaluate_groups(source, read_metrics(metrics), by="fold", single_class=single_class, doubt=doubt)
    _said(found)
    return found


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
    seen.tally.check_anybody()
    check_labels(seen.tally.vocabulary, pos_label)
    left_out = _single_class(seen.sizes, single_class)
    cells = {
        group: {name: Grid(scores) for name, scores in grids.scores.items()}
        for group, grids in seen.grids.items()
        if group not in left_out
    }

    def count(block: Block) -> dict[str, _Tables]:
        return {group: _Tables.of(cells[group], part) for group, part in block.groups.items() if group in cells}

    def both(left: dict[str, _Tables], right: dict[str, _Tables]) -> dict[str, _Tables]:
        return _united(_Tables.merged, left, right)

    counted = source.reduce(count, both)
    found = {}
    for group in in_order(counted):
        tables, distinct = counted[group]
        if not all(table.n for table in tables.values()):
            raise WeightError(f"weights are all 0 in group {group!r}: nobody counts")
        kept = {"source": GroupSource(source, group), "backend": backend, "clustered": seen.grids[group].clustered}
        found[group] = _conclude(tables, metrics, undefined, _about_scores(distinct), doubt, **kept)
    known: _Known = {"pos_label": pos_label, "undefined": "nan", "doubt": doubt, "backend": backend}
    return GroupedEvaluation(
        found,
        left_out,
        single_class,
        by,
        metrics,
        (*_about_missing(seen.tally), *_of_all(found)),
        seen.tally,
        source.notes,
        backend,
        doubt.design,
        doubt.confidence_level,
        partial(evaluate_source, source, metrics, **known),
        partial(_on_one_grid, source, tuple(cells)),
    )


class _Seen(NamedTuple):
    """The first pass over groups: the grids of each, how many subjects and positives it has, and what was met."""

    grids: dict[str, _Grids]
    sizes: dict[str, tuple[int, int]]
    tally: Tally

    @classmethod
    def of(cls, block: Block) -> _Seen:
        sizes = {group: (part.positive.size, int(part.positive.sum())) for group, part in block.groups.items()}
        return cls({group: _Grids.of(part) for group, part in block.groups.items()}, sizes, block.tally)

    def merged(self, other: _Seen) -> _Seen:
        sizes = _united(lambda a, b: (a[0] + b[0], a[1] + b[1]), self.sizes, other.sizes)
        return _Seen(_united(_Grids.merged, self.grids, other.grids), sizes, self.tally + other.tally)


def _united(both: Callable[[T, T], T], left: dict[str, T], right: dict[str, T]) -> dict[str, T]:
    """Merge what two parts of the data hold of each group."""
    return {**left, **{name: both(left[name], value) if name in left else value for name, value in right.items()}}


def _single_class(sizes: Mapping[str, tuple[int, int]], policy: str) -> dict[str, str]:
    """Return the groups that lack a class, or refuse them."""
    lacks = {
        group: NO_POSITIVES if positives == 0 else NO_NEGATIVES
        for group, (n, positives) in ((name, sizes[name]) for name in in_order(sizes))
        if positives in (0, n)
    }
    if lacks and policy == "raise":
        said = [
            f"{len(names)} of {len(sizes)} groups have {reason} ({rows.some(names)})"
            for reason in (NO_POSITIVES, NO_NEGATIVES)
            if (names := [group for group, lack in lacks.items() if lack == reason])
        ]
        raise SingleClassError(
            f"{' and '.join(said)}: leave them out with single_class='skip' (--single-class skip), or count those "
            "without positives as 0 with 'zero'"
        )
    if len(lacks) == len(sizes):
        raise SingleClassError(f"none of {len(sizes)} groups has both classes")
    return lacks


def _of_all(found: Mapping[str, Evaluation]) -> list[HitcurveWarning]:
    """Return what was said of groups, once for each kind; a direction by the mean, as in a small group it is chance."""
    heard: dict[type[HitcurveWarning], dict[str, str]] = {}
    areas: dict[str, list[float]] = {}
    for group, result in found.items():
        for warning in result.warnings:
            if not isinstance(warning, DirectionWarning):
                heard.setdefault(type(warning), {})[group] = str(warning)
        for name, area in _areas(result.tables).items():
            areas.setdefault(name, []).append(area)
    means = {name: float(np.mean(of_groups)) for name, of_groups in areas.items()}
    said = _about_direction(means, "the mean AUC over groups")
    return said + [
        kind(f"in {len(of)} of {len(found)} groups ({rows.some(list(of))}): {next(iter(of.values()))}")
        for kind, of in heard.items()
    ]


def _on_one_grid(source: Source, groups: tuple[str, ...], ranker: str) -> list[HitTable]:
    """Count one ranker of each group on the scores of the positives of all."""

    def scores(block: Block) -> np.ndarray[Any, Any]:
        return np.unique(block.positive_scores(ranker))

    grid = Grid(source.reduce(scores, np.union1d))

    def count(block: Block) -> dict[str, HitTable]:
        parts = {group: part for group, part in block.groups.items() if group in groups}
        return {group: HitTable.count(grid, part, ranker)[0] for group, part in parts.items()}

    def both(left: dict[str, HitTable], right: dict[str, HitTable]) -> dict[str, HitTable]:
        return _united(HitTable.__add__, left, right)

    counted = source.reduce(count, both)
    return [counted[group] for group in groups]


def _of_grouped_tables(
    tables: Mapping[str, Mapping[str, HitTable]],
    metrics: tuple[Metric, ...],
    undefined: str,
    doubt: Doubt,
    single_class: str,
) -> GroupedEvaluation:
    rankers: dict[str, list[str]] = {}
    for group, of_group in tables.items():
        if not isinstance(of_group, Mapping):
            raise ParameterError(f"tables hold groups and rankers side by side: {group!r} is no mapping of rankers")
        rankers.setdefault(repr(sorted(map(str, of_group))), []).append(str(group))
    if len(rankers) > 1:
        said = "; ".join(f"{names} in {rows.some(groups)}" for names, groups in rankers.items())
        raise ParameterError(f"every group needs the same rankers, got {said}")
    sizes = {
        str(group): (1, 1 if not t.n_neg else 0) if not (t.n_pos and t.n_neg) else (2, 1)
        for group, of_group in tables.items()
        for t in of_group.values()
    }
    left_out = _single_class(sizes, single_class)
    named = {str(group): of_group for group, of_group in tables.items()}
    found = {
        group: _of_single(named[group], metrics, undefined, doubt) for group in in_order(named) if group not in left_out
    }
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


def _source(
    y_true: Any,
    y_score: Any,
    data: Any,
    sample_weight: Any,
    clusters: Any,
    by: Any,
    pos_label: Any,
    higher_is_better: bool | Mapping[str, bool],
    missing: str,
) -> Source:
    if y_true is None or y_score is None:
        raise ParameterError("evaluate needs y_true and y_score, or tables")
    if data is not None:
        names = [y_score] if isinstance(y_score, str) else list(y_score)
        _checks.distinct("ranker", names)
        if not isinstance(y_true, str) or not all(isinstance(name, str) for name in names):
            raise ParameterError("with data, y_true and y_score are names of columns")
        extra = [name for name in (sample_weight, clusters, by) if isinstance(name, str)]
        columns = pick_columns(data, list(dict.fromkeys([y_true, *names, *extra])))
        y_true = columns[y_true]
        y_score = {name: columns[name] for name in names}
        sample_weight = columns[sample_weight] if isinstance(sample_weight, str) else sample_weight
        clusters = columns[clusters] if isinstance(clusters, str) else clusters
        by = columns[by] if isinstance(by, str) else by
    elif isinstance(y_true, str) or isinstance(y_score, str):
        raise ParameterError("names of columns need data, as in evaluate('y', ['a', 'b'], data=frame)")
    scores = dict(y_score) if isinstance(y_score, Mapping) else {"score": y_score}
    _checks.distinct("ranker", [str(name) for name in scores])
    if not scores:
        raise InputError("no scores: there is no ranker to evaluate")
    return arrays(
        y_true,
        {str(name): values for name, values in scores.items()},
        pos_label=pos_label,
        weight=sample_weight,
        cluster=clusters,
        group=by,
        higher_is_better=higher_is_better,
        missing=missing,
    )


def _of_tables(
    tables: Mapping[str, Any], metrics: tuple[Metric, ...], undefined: str, doubt: Doubt, single_class: str
) -> Evaluation | GroupedEvaluation:
    if not isinstance(tables, Mapping):
        raise ParameterError(f"tables must map names to HitTable values, got {type(tables).__name__}")
    if not tables:
        raise InputError("no tables: there is no ranker to evaluate")
    if any(isinstance(table, Mapping) for table in tables.values()):
        return _of_grouped_tables(tables, metrics, undefined, doubt, single_class)
    return _of_single(tables, metrics, undefined, doubt)


def _of_single(tables: Mapping[str, Any], metrics: tuple[Metric, ...], undefined: str, doubt: Doubt) -> Evaluation:
    for name, table in tables.items():
        if not isinstance(table, HitTable):
            raise ParameterError(f"tables must be HitTable values, {name!r} is {type(table).__name__}")
    _checks.distinct("ranker", [str(name) for name in tables])
    named = {str(name): table for name, table in tables.items()}
    return _conclude(named, metrics, undefined, [], doubt, notes=_UNPAIRED[: len(tables) - 1])


def _conclude(
    tables: dict[str, HitTable],
    metrics: tuple[Metric, ...],
    undefined: str,
    said: list[HitcurveWarning],
    doubt: Doubt,
    **kept: Any,
) -> Evaluation:
    if doubt.prevalence is not None:
        tables = {name: table.at_prevalence(doubt.prevalence) for name, table in tables.items()}
    values: dict[tuple[str, Metric], float] = {}
    reasons: dict[str, None] = {}
    for name, table in tables.items():
        for m in metrics:
            try:
                values[name, m] = m.value(table)
            except (SingleClassError, UndefinedMetricError) as error:
                if undefined == "raise":
                    raise
                values[name, m] = math.nan
                reasons[f"{m} of {name!r} is nan: {error}"] = None
    if reasons:
        said.append(UndefinedMetricWarning("; ".join(reasons)))
    cautions = [m.caution(tables[name]) for (name, m), value in values.items() if not math.isnan(value)]
    if any(cautions):
        said.append(SaturationWarning("; ".join(dict.fromkeys(text for text in cautions if text))))
    said += _about_direction(_areas(tables))
    kept |= {"design": doubt.design, "confidence_level": doubt.confidence_level, "paired": doubt.paired}
    return Evaluation(tables, metrics, tuple(said), _values=values, **kept)


def _about_missing(tally: Tally) -> list[HitcurveWarning]:
    said = []
    if tally.dropped:
        said.append(f"{tally.dropped} of {tally.rows} rows were dropped for a missing value")
    last = [f"{count} of {name!r}" for name, count in tally.ranked_last.items() if count]
    if last:
        said.append(f"missing scores were ranked last: {', '.join(last)}")
    return [MissingValueWarning("; ".join(said))] if said else []


def _about_scores(distinct: Mapping[str, np.ndarray[Any, Any]]) -> list[HitcurveWarning]:
    said: list[HitcurveWarning] = []
    two, one = ([repr(name) for name, seen in distinct.items() if seen.size == size] for size in (2, 1))
    if two:
        said.append(TwoValuedScoreWarning(f"{', '.join(two)} has only two values: is it a decision, not a score?"))
    if one:
        said.append(
            ConstantScoreWarning(
                f"{', '.join(one)} is the same for every subject: nobody is ranked, and an interval of this list says "
                "nothing of a score that varies"
            )
        )
    return said


def _areas(tables: Mapping[str, HitTable]) -> dict[str, float]:
    """Return the AUC of each ranker that has one."""
    found = {}
    for name, table in tables.items():
        with suppress(HitcurveError):
            found[name] = AUC().value(table)
    return found


def _about_direction(areas: Mapping[str, float], of: str = "AUC") -> list[HitcurveWarning]:
    low = [f"{name!r} ({rows.number(area)})" for name, area in areas.items() if area < 0.5]
    if not low:
        return []
    advice = "if low scores are the good ones, say so (higher_is_better=False, or name:low on the command line)"
    return [DirectionWarning(f"{of} is below one half for {', '.join(low)}: {advice}")]
