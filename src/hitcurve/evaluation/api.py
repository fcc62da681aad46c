"""Functions that take data and return an evaluation, without arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Unpack, overload

from hitcurve import _checks
from hitcurve._progress import Progress, reports
from hitcurve.errors import ParameterError
from hitcurve.evaluation.by_group import SINGLE_CLASS, evaluate_groups
from hitcurve.evaluation.given import source_of
from hitcurve.evaluation.given_tables import of_tables
from hitcurve.evaluation.grouped import GroupedEvaluation
from hitcurve.evaluation.options import OF_GROUPS, OfGroups, Options
from hitcurve.evaluation.passes.limits import limited, within
from hitcurve.evaluation.passes.two_passes import SourceOptions, evaluate_source
from hitcurve.evaluation.result import Evaluation
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.evaluation.warned import warned
from hitcurve.groups import Folds
from hitcurve.inference import INTERVALS, Comparison, PowerAnalysis, compare_samples
from hitcurve.metrics import DEFAULT, Metric
from hitcurve.metrics import metrics as read_metrics
from hitcurve.sources import MISSING, backend_of, is_column, tell_of_order
from hitcurve.table import HitTable
from hitcurve.tables import Tables


@overload
def evaluate(
    y_true: Any = ...,
    y_score: Any = ...,
    *,
    tables: HitTable | Mapping[str, HitTable] | None = ...,
    by: None = ...,
    folds: None = ...,
    **options: Unpack[Options],
) -> Evaluation: ...


@overload
def evaluate(y_true: Any = ..., y_score: Any = ..., *, by: Any, **options: Unpack[Options]) -> GroupedEvaluation: ...


@overload
def evaluate(y_true: Any = ..., y_score: Any = ..., *, folds: Any, **options: Unpack[Options]) -> GroupedEvaluation: ...


@overload
def evaluate(*, tables: OfGroups, **options: Unpack[Options]) -> GroupedEvaluation: ...


@overload
def evaluate(*, tables: Tables, **options: Unpack[Options]) -> Evaluation | GroupedEvaluation: ...


@reports
def evaluate(
    y_true: Any = None,
    y_score: Any = None,
    *,
    data: Any = None,
    where: str | None = None,
    query: str | None = None,
    tables: HitTable | Mapping[str, HitTable] | Tables | OfGroups | None = None,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT,
    pos_label: Any = None,
    sample_weight: Any = None,
    higher_is_better: bool | Mapping[str, bool] = True,
    missing: str = "raise",
    undefined: str = "raise",
    design: str | None = None,
    prevalence: float | tuple[float, float] | None = None,
    contamination: float | tuple[float, float] | None = None,
    mislabelled: float | tuple[float, float] | None = None,
    unlabelled: bool = False,
    verification: Any = None,
    clusters: Any = None,
    confidence_level: float = 0.95,
    interval_method: str = "auto",
    paired: bool = True,
    by: Any = None,
    folds: Any = None,
    test_fraction: float | None = None,
    single_class: str = "raise",
    bins: int | None = None,
    max_grid: int | None = None,
    memory_limit: int | str | None = None,
    progress: Progress = False,
) -> Evaluation | GroupedEvaluation:
    """Evaluate one or several rankers of the same subjects, or of the subjects of each of many groups.

    Parameters
    ----------
    y_true : array-like (n,) or str
        Labels, or the name of their column in ``data``. Arrays of Dask stay in their chunks.
    y_score : array-like, mapping of str to array-like, str or list of str
        Scores of one ranker, of several by name, or the names of their columns in ``data``. Names of columns may be
        whole numbers; rankers are named by their text.
    data : data frame, mapping, str, path, list of paths, or Arrow stream, optional
        pandas, polars, pyarrow or another frame that narwhals supports, or a mapping of columns. Files that the command
        line reads, by name or wildcard (``"scores/*.parquet"``), path or a list of these: read in chunks. The address
        of a database (``"postgresql://user@host/name"``, ``"sqlite:///path"``) with ``query``. A query that has not run
        (a lazy frame of Polars, a DuckDB relation, an Ibis table), a reader or an iterable of Arrow batches, or
        whatever has ``__arrow_c_stream__``: read once; what exceeds 256 MB is kept in a temporary file, which is noted.
        Of a query whose rows repeat each other, the distinct ones are counted where the data are. Rows of a frame of
        Spark or Dask stay in their partitions.
    where : str, optional
        SQL condition on the rows of files, as ``--where`` of the command line.
    query : str, optional
        What a database is asked, such as ``"SELECT y, a FROM scores"``.
    tables : HitTable, Tables, mapping of str to HitTable, of str to such mappings, or of str to TableStack, optional
        Ready tables instead of labels and scores. A mapping of groups to the tables of their rankers, and a stack of
        lists for each ranker, are evaluated group by group. One table or stack without a name is that of ``score``.
    metrics : str, Metric, or an iterable of these
        Metric strings such as ``"croc(exp, alpha=7)"``.
    pos_label : object, optional
        Label of the positives; needed unless it is unambiguous (see :meth:`hitcurve.HitTable.from_scores`).
    sample_weight : array-like (n,) or str, optional
        Weights of at least 0, or the name of their column.
    higher_is_better : bool or mapping of str to bool
        Direction of all scores, or of each named score.
    missing : {"raise", "drop", "last"}
        Treatment of missing values: raise an error, drop the row for all rankers, or rank the subject last for the
        ranker without a score, tied with scores of ``-inf`` (``inf`` where lower is better).
    undefined : {"raise", "nan"}
        Undefined metrics: raise, or return nan with a warning.

    design : {"cohort", "case-control"}, optional
        Whether the number of positives was sampled (a cohort, the default) or fixed. Standard errors of metrics that
        depend on the prevalence differ between the two.
    prevalence : float in (0, 1), optional
        A known prevalence to evaluate at, such as for case-control data; implies ``design="case-control"``. Of
        unlabelled data the share of positives among the unlabelled, or that and its standard error.
    contamination, mislabelled : float in [0, 1) or (float, float), optional
        Labels that are wrong in a known way: the share of the labelled positives that are negatives, and the share of
        the others that are positives, each known or with its standard error. They add up to less than 1. ``auc``,
        ``gini``, ``loss``, ``ap``, ``croc`` and ``area`` along the FPR are corrected; other metrics raise an error.
    unlabelled : bool
        Whether all but the labelled positives are an unlabelled sample of the population (positive-unlabelled data),
        whose label may be missing; needs ``prevalence``.
    verification : array-like (n,), str, True, list of str or mapping of str to array-like (n,), optional
        Where only some subjects have a label, which is missing for the others: the probability in (0, 1] with which
        the label of each subject was verified, or the name of its column. Or what it is estimated from by logistic
        regression: the scores (True), columns of ``data``, or covariates by name. Verified subjects weigh its inverse.
    clusters : array-like (n,) or str, optional
        Names of clusters within which subjects depend on each other (patients, scaffolds), or their column.
    confidence_level : float in (0, 1)
    interval_method : str
        Method of the intervals of values, as in :meth:`hitcurve.Estimate.confidence_interval`. ``auto`` is the default
        method of each metric, whose coverage was simulated. Not for groups, whose means have t intervals.
    paired : bool
        Whether the rankers ranked the same subjects, so that differences are compared subject by subject.
    by : array-like (n,) or str, optional
        The group of each subject (its target, query, review), or the column of it: every group is a ranking of its
        own, and groups are independent.
    folds : array-like (n,) or str, optional
        Instead of ``by``: the fold in which each subject was tested, or the column of it. Folds of one data set share
        training data; intervals of means and comparisons are corrected for this (Nadeau and Bengio 2003).
    test_fraction : float in (0, 1), optional
        Fraction of the data in one fold, needed if subjects are tested several times: 0.3 for random test sets of 30%.
    single_class : {"raise", "skip", "zero"}
        Treatment of groups without positives or without negatives (of a weight above 0): raise an error; leave them
        out; or count those without positives as 0 in means, and leave out the others: where higher is better.
    bins : int, optional
        Count the scores into so many bins between quantiles of the positives, instead of exactly. Subjects of a bin are
        tied, and the range of orders of ties brackets each metric without weights. Not for groups.
    max_grid : int, optional
        Distinct scores of positives of a ranker that are counted in memory; 5,000,000 if absent. Of files and streams
        with more, scores are sorted on disk and read in slices, or counted in 100,000 bins where that does not do, as a
        note says. Data in memory are always counted exactly.
    memory_limit : int or str, optional
        Bytes that this process may take, or a size such as ``"4GB"``, where it reads files and streams and holds no
        other data: at least 320 MB, of which Python and the libraries take 270. Of the rest a half is what reading
        takes at most; beyond one distinct score of a positive for 600 bytes of it, it is as beyond ``max_grid``.
    progress : bool or callable
        Show the steps, or call a function with each; see :func:`hitcurve.progress`.

    Returns
    -------
    Evaluation, or GroupedEvaluation if there are groups

    Raises
    ------
    InputError, ColumnNotFoundError
        Or a subclass, for input that cannot be evaluated; nothing is computed then.
    EngineError
        If Spark or Dask cannot run a pass over its rows.

    Warns
    -----
    DirectionWarning, TwoValuedScoreWarning, ConstantScoreWarning
        For scores with AUC below one half, with two values, or with one value.
    MissingValueWarning, SaturationWarning, UndefinedMetricWarning
        For dropped rows and missing scores, and for misleading or undefined values. Each is given once per call, and
        listed in ``warnings`` of the result.

    Examples
    --------
    >>> y = [1, 0, 1, 0, 0, 0]
    >>> ev = evaluate(y, {"a": [6, 5, 4, 3, 2, 1], "b": [6, 2, 5, 1, 3, 4]}, metrics=["ap", "auc"])
    >>> print(ev)
    6 subjects, 2 positive (33.3%), no ties across classes
    <BLANKLINE>
    metric       a      b  random  best  convention
    ------  ------  -----  ------  ----  ----------
    ap      0.8333  1.000  0.5267     1
    auc     0.8750  1.000     0.5     1
    <BLANKLINE>
    note: only 2 positives: too few for an interval (at least 5 of either class)
    >>> ev["a", "ap"].value
    0.8333333333333333
    """
    wanted = read_metrics(metrics)
    _checks.choice("missing", missing, MISSING)
    _checks.choice("undefined", undefined, ("raise", "nan"))
    _checks.choice("single_class", single_class, SINGLE_CLASS)
    wrong: dict[str, Any] = {"contamination": contamination, "mislabelled": mislabelled, "unlabelled": unlabelled}
    sampling = SamplingDesign.of(
        design, prevalence, confidence_level, paired=paired, interval_method=interval_method, **wrong
    )
    if metrics is DEFAULT:
        wanted = sampling.default_metrics()
    if test_fraction is not None and folds is None:
        raise ParameterError("test_fraction is for folds that share training data: give folds (their column)")
    if interval_method != "auto" and (by is not None or folds is not None):
        raise ParameterError(OF_GROUPS)
    if tables is not None:
        belongings = (y_true, y_score, data, pos_label, sample_weight, clusters, by, folds, verification)
        rows = (bins, max_grid, memory_limit)
        of_scores = higher_is_better is not True or missing != "raise"
        if of_scores or any(given is not None for given in (*belongings, *rows)):
            theirs = "their options, such as higher_is_better and missing"
            raise ParameterError(f"give either tables or labels and scores with {theirs}, not both")
        found = of_tables(tables, wanted, undefined, sampling, single_class)
        if interval_method != "auto" and isinstance(found, GroupedEvaluation):
            raise ParameterError(OF_GROUPS)
        return warned(found)
    if by is not None and folds is not None:
        raise ParameterError(
            "by and folds cannot be combined: give by for independent groups, or folds for test sets of one data set"
        )
    groups = by if folds is None else folds
    if verification is not None and sampling.errors is not None:
        raise ParameterError("verification cannot be combined with wrong labels: verified labels are taken as right")
    belonging = (sample_weight, clusters, groups, pos_label, higher_is_better, missing, verification)
    with within(memory_limit):
        source = source_of(y_true, y_score, data, *belonging, unlabelled, where, query, bool(max_grid or memory_limit))
    source, limits = limited(source, bins, max_grid, memory_limit, grouped=groups is not None)
    options: SourceOptions = {"pos_label": pos_label, "undefined": undefined, "sampling": sampling}
    options["backend"] = backend_of(data)
    if groups is None:
        return warned(evaluate_source(source, wanted, limits=limits, **options))
    name = str(groups) if is_column(groups) else "group" if folds is None else "fold"
    cut = None if folds is None else Folds(test_fraction)
    return warned(evaluate_groups(source, wanted, by=name, single_class=single_class, folds=cut, **options))


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
    interval: str = "normal",
    horizon: int | None = None,
    paired: bool = True,
    **options: Any,
) -> Comparison:
    """Test the difference of two rankers, first minus second, on the same subjects or on two samples.

    Parameters
    ----------
    y_true : array-like (n,), or a tuple of two
        Labels. Two samples of different subjects, with ``paired=False``, have a tuple of their labels.
    first, second : array-like (n,)
        Scores.
    metric : str or Metric
    method, null, alternative, n_resamples, rng, interval, horizon
        As in :meth:`hitcurve.Evaluation.compare`.
    paired : bool
        Whether both scores are of the same subjects, so that they are compared subject by subject. Otherwise the
        variance of the difference is the sum of the two variances, and t has Welch's degrees of freedom.
    **options
        As in :func:`hitcurve.evaluate`: ``design``, ``prevalence``, ``clusters``, ``sample_weight``, ... With a tuple
        of labels, ``clusters`` and ``sample_weight`` are tuples too.

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
    >>> other = np.repeat([1, 0], [30, 200])
    >>> test = compare((y, other), rng.normal(size=500) + y, rng.normal(size=230) + other, metric="auc", paired=False)
    >>> test.paired, round(test.difference.value, 3), round(test.difference.standard_error, 3)
    (False, -0.003, 0.053)
    """
    if isinstance(y_true, tuple) and len(y_true) == 2:
        if paired:
            raise ParameterError("a tuple of two arrays of labels means different subjects: add paired=False")
        _checks.choice("interval", interval, INTERVALS)
        if interval != "normal":
            raise ParameterError(
                f"interval={interval!r} needs bootstrap replicates, which a comparison of two samples does not draw"
            )
        estimates = []
        for place, (name, scores) in enumerate({"first": first, "second": second}.items()):
            own = {key: options[key][place] for key in ("clusters", "sample_weight") if options.get(key) is not None}
            sample: Evaluation = evaluate(y_true[place], {name: scores}, metrics=metric, **options | own)
            tell_of_order(sample.notes)
            estimates.append(sample[name, metric])
        return compare_samples(*estimates, null=null, alternative=alternative, method=method)
    result: Evaluation = evaluate(y_true, {"first": first, "second": second}, metrics=metric, paired=paired, **options)
    tell_of_order(result.notes)
    return result.compare(
        "first",
        "second",
        metric,
        null=null,
        alternative=alternative,
        method=method,
        n_resamples=n_resamples,
        rng=rng,
        interval=interval,
        horizon=horizon,
    )


def power_analysis(
    metric: str | Metric,
    pilot: Evaluation,
    effect: float,
    *,
    rankers: tuple[str, str] | None = None,
    power: float | None = None,
    n_pos: int | None = None,
    n_neg: int | None = None,
    significance: float = 0.05,
    correlation: float | None = None,
) -> PowerAnalysis:
    """Plan a comparison of two rankers: compute the number of subjects for a power, or the power of a number.

    The variance comes from the influence values of a pilot, and the power from the t distribution of the test. The
    ratio of the classes is kept unless ``n_neg`` is given. A small pilot estimates the variance poorly: the result has
    a 95% interval of the number of positives (or of the power), from 200 bootstrap replicates of the variance. A pilot
    of counts plans two samples, or with ``correlation`` the same subjects; it has no such interval.

    Parameters
    ----------
    metric : str or Metric
        One that the pilot evaluated.
    pilot : Evaluation
        Of at least two rankers of the same subjects, or of tables of counts.
    effect : float
        True difference to be detected.
    rankers : (str, str), optional
        The first two of the pilot if absent.
    power : float in (0, 1), optional
        Power to reach; gives the number of subjects.
    n_pos, n_neg : int, optional
        Numbers of positives and negatives; give the power.
    significance : float in (0, 1)
        Two-sided level of the test.
    correlation : float in [-1, 1], optional
        Of the two values over samples, for counts of the same subjects; see :meth:`hitcurve.Evaluation.compare`.

    Returns
    -------
    PowerAnalysis

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [50, 450])
    >>> pilot = evaluate(y, {"a": rng.normal(size=500) + 1.5 * y, "b": rng.normal(size=500) + y}, metrics="auc")
    >>> print(power_analysis("auc", pilot, 0.05, power=0.8))
    auc of a and b: 236 positives and 2,124 negatives find a difference of 0.05 with power 0.800 at two-sided level \
0.05; from 50 positives in the pilot, the 95% interval is 160 to 385 positives
    """
    if not isinstance(pilot, Evaluation):
        raise ParameterError(f"the pilot must be an Evaluation, got {type(pilot).__name__}")
    wanted: dict[str, Any] = {"power": power, "n_pos": n_pos, "n_neg": n_neg, "significance": significance}
    return pilot.power_analysis(metric, effect, rankers=rankers, correlation=correlation, **wanted)
