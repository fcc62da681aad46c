"""From labels and scores, or a table, to bands and smoothed curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from hitcurve import _checks, rows
from hitcurve._progress import Progress, reports
from hitcurve.curve import KINDS, magnification_of
from hitcurve.curves import table_of
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.bands import methods
from hitcurve.inference.bands.band import Band, SampledCurve, check_range
from hitcurve.inference.bands.by_region import region_limits
from hitcurve.inference.bands.difference import difference_of
from hitcurve.inference.bands.options import BandOptions
from hitcurve.inference.bands.smooth import Smoothed, smooth
from hitcurve.inference.design import effective, resolve
from hitcurve.inference.resampling.permute import Subjects
from hitcurve.inference.resampling.resample import seed_of, seeded
from hitcurve.label_errors import refuse_corrected
from hitcurve.magnify import Magnification
from hitcurve.sources import arrays
from hitcurve.table import HitTable

CURVES = tuple(name for name, kind in KINDS.items() if kind.band is not None)
_FEWEST = 10  # positives for a simultaneous band
_FEWEST_OF_EITHER = 5
Recipe: TypeAlias = Callable[[methods.Task], methods.Found]
_RECIPES: dict[str, Recipe] = {
    "region": region_limits,
    "influence": methods.influence_limits,
    "distribution-free": methods.free_of_distribution,
    "bootstrap": methods.resampled,
    "smoothed-bootstrap": methods.smoothed_bootstrap,
    "studentized-smoothed": methods.smoothed_bootstrap,
}


def band_of_table(table: HitTable, curve: str, options: BandOptions, recipe: Recipe | None = None) -> Band:
    """Return the band of one curve of a table; see :func:`hitcurve.band`. A recipe takes the place of the method."""
    kind = KINDS[_checks.choice("curve", curve, tuple(KINDS))]
    if kind.band is None:
        raise ParameterError(
            f"there is no band of the {curve} curve: leave it out, or take one of {rows.listed(CURVES)}"
        )
    refuse_corrected(table.label_errors, "a band")
    magnification = magnification_of(kind, options.magnification)
    design = resolve(options.design, table.assumed_prevalence)
    _check_subjects(table, options, may_weigh=recipe is not None)
    # the same band of a table, collapsed or not
    rng, seed = seeded(options.rng, lambda: seed_of(table.collapse())) if options.draws else (options.rng, None)
    axis = table.curve(curve, magnification=options.magnification).axis
    task = methods.Task(
        table,
        kind,
        axis,
        options,
        None if options.x_range is None else check_range(options.x_range, *axis.forward(np.array([0.0, 1.0]))),
        design == "cohort" and table.assumed_prevalence is None,
        rng,
    )
    limits, replicates, cautions = (recipe or _RECIPES[options.method])(task)
    n1 = float(effective(table.sums)[0])
    if n1 < 20:
        cautions = (*cautions, f"only {rows.counted(n1, 'positive', 6)}: the band is approximate")
    return Band(
        curve,
        SampledCurve(limits.x, limits.value),
        SampledCurve(limits.x, limits.low),
        SampledCurve(limits.x, limits.high),
        options.coverage,
        options.method,
        options.confidence_level,
        design,
        float(table.n_pos),
        float(table.n_neg),
        replicates,
        cautions,
        magnification,
        seed,
    )


def _check_subjects(table: HitTable, options: BandOptions, *, may_weigh: bool) -> None:
    """Raise if there are no whole subjects, or too few of them, or none ahead of another."""
    if table.weighted and not may_weigh:
        raise UndefinedMetricError("bands need whole subjects and cannot be combined with weights")
    c = table.counts
    n1, n0 = (float(number) for number in effective(table.sums))
    if options.simultaneous and n1 < _FEWEST:
        raise InsufficientDataError(
            f"{rows.too_few(n1, 'positive', 6)} for a simultaneous band (at least {_FEWEST}): use "
            "coverage='pointwise', or an interval of one metric"
        )
    if min(n1, n0) < _FEWEST_OF_EITHER:
        raise InsufficientDataError(
            f"{rows.counted(n1, 'positive', 6)} and {rows.counted(n0, 'negative', 6)}: a band needs at least "
            f"{_FEWEST_OF_EITHER} of either class"
        )
    if np.count_nonzero(np.asarray(c.pos) + np.asarray(c.neg)) < 2:
        raise UndefinedMetricError("all scores are tied: the curve is the diagonal and has no band")


@reports
def band(
    y_true: Any,
    y_score: Any = None,
    *,
    curve: str = "precision_recall",
    coverage: str = "simultaneous",
    method: str = "region",
    x_range: tuple[float, float] | None = None,
    confidence_level: float = 0.95,
    design: str | None = None,
    prevalence: float | None = None,
    magnification: Magnification | str | None = None,
    n_resamples: int | None = None,
    kernel: str = "gaussian",
    bandwidth: str | float = "n^-1/5",
    importance: float | str | None = None,
    centring: str = "smoothed",
    pos_label: Any = None,
    higher_is_better: bool = True,
    missing: str = "raise",
    rng: Any = None,
    progress: Progress = False,
) -> Band:
    """Return a confidence band of a whole curve of one ranker.

    Parameters
    ----------
    y_true : array-like (n,) or HitTable
        Labels, or a ready table instead of labels and scores.
    y_score : array-like (n,)
    curve : {"precision_recall", "roc", "det", "hit", "accumulation", "croc", "cac", "rate_accuracy", \
"rate_recall", "lift", "proc", "pac"}
    coverage : {"simultaneous", "pointwise"}
        Whether the level is for the whole curve, or for each point alone.
    method : {"region", "influence", "smoothed-bootstrap", "bootstrap", "distribution-free", "studentized-smoothed"}
        ``region``: the curves through all points (FPR, TPR) that some threshold of the sample makes credible. A
        threshold with so many positives and negatives above it is as far from a point as the root of the sum of the
        squares of two normal deviates, those of TPR and FPR in their Jeffreys posteriors; the band reaches as far as
        whole curves of a smooth model of the list are from samples of it. No slope of the curve is estimated. Tied
        subjects are spread evenly over their row, which is an approximation on the safe side: the curve between two
        thresholds is straight, and random orders of the tied would vary more.
        ``influence``: Gaussian process of the curve with analytic variance and a beta shape; precision-recall is read
        off the ROC band. It fails where the curve begins flat, with negatives above all positives.
        ``smoothed-bootstrap``: Algorithm 1 of Clémençon and Vayatis (2009), constant width.
        ``bootstrap``: multinomial draws, constant width. ``distribution-free``: equal local levels for each class;
        assumes nothing, wider. ``studentized-smoothed``: quantiles of the smoothed bootstrap at each point, in standard
        deviations that are smoothed with a bandwidth of order n^{-1/3} (the end of section 4.2 there).
    x_range : (float, float), optional
        The part of the x axis that the band is for, in units of the curve. Precision-recall begins at a recall of two
        positives if absent.
    confidence_level : float in (0, 1)
    design : {"cohort", "case-control"}, optional
    prevalence : float, optional
        A known prevalence; implies case-control.
    magnification : Magnification or str, optional
        Of croc and cac; ``Exponential(7)`` if absent.
    n_resamples : int, optional
        Samples of the model (400; ``region``), draws of the process (5000; ``influence``) or replicates (2000; of the
        smoothed bootstrap n, at most 2000).
    kernel : {"gaussian", "uniform"}
        Of the smoothed bootstrap.
    bandwidth : {"n^-1/5", "theorem", "printed"} or float
        Of each class. ``theorem`` undersmooths as much as Theorem 2 needs, by (log n)^{-(2 + eta)/5}; ``printed`` as is
        printed after it, by (log n)^{-(2 + eta)}.
    importance : float, "auto" or None
        Importance sampling of the number of positives at this prevalence; ``auto`` minimises the variance of the
        weights. None draws it given one positive, which is exact.
    centring : {"smoothed", "empirical", "printed"}
        Where a smoothed band lies, and what the deviations of its replicates are taken from: ``smoothed`` for both,
        ``printed`` the empirical curve for both, as Algorithm 1 has it. ``empirical`` lies around the empirical curve
        with the radius of the smoothed one, which replicates do not have to make up for their distance from it.
    pos_label, higher_is_better, missing
        As in :meth:`hitcurve.HitTable.from_scores`.
    rng : None, int or numpy.random.Generator
        If absent, the seed is derived from the counts, so that the same data give the same band. The result has
        it as ``seed``.
    progress : bool or callable
        Show the steps, or call a function with each; see :func:`hitcurve.progress`.

    Returns
    -------
    Band

    Raises
    ------
    InsufficientDataError
        If there are fewer than 10 positives for a simultaneous band.
    ParameterError, UndefinedMetricError
        If an argument is none of these, or all scores are tied.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [50, 450])
    >>> b = band(y, rng.normal(size=500) + 1.5 * y, curve="precision_recall", x_range=(0.1, 0.9))
    >>> print(b)
    95% simultaneous band of the precision recall curve (region, seed 1015342257, cohort), 50 positives, \
450 negatives, x from 0.1 to 0.9, mean width 0.524
    >>> round(b.low.at(0.5), 2), round(b.center.at(0.5), 2), round(b.high.at(0.5), 2)
    (0.29, 0.54, 0.81)
    """
    if isinstance(y_true, HitTable):
        table = table_of(y_true, y_score)
    else:
        table = table_of(y_true, y_score, pos_label=pos_label, higher_is_better=higher_is_better, missing=missing)
    options = BandOptions(
        coverage=coverage,
        method=method,
        x_range=x_range,
        confidence_level=confidence_level,
        design=design,
        magnification=magnification,
        n_resamples=n_resamples,
        kernel=kernel,
        bandwidth=bandwidth,
        importance=importance,
        centring=centring,
        rng=rng,
    )
    return band_of_table(table if prevalence is None else table.at_prevalence(prevalence), curve, options)


@reports
def difference_band(
    y_true: Any,
    first: Any,
    second: Any,
    *,
    curve: str = "accumulation",
    x_range: tuple[float, float] | None = None,
    confidence_level: float = 0.95,
    design: str | None = None,
    pos_label: Any = None,
    higher_is_better: bool = True,
    missing: str = "raise",
    rng: Any = None,
    progress: Progress = False,
) -> Band:
    """Return a simultaneous band of the difference of two rankers' curves, first minus second.

    ``excludes()`` gives the ranges of the list where they differ at the level of the band. To test whether they differ
    at all, use :func:`hitcurve.compare`, which has more power.

    Parameters
    ----------
    y_true : array-like (n,)
    first, second : array-like (n,)
        Scores of the same subjects.
    curve : {"accumulation", "roc"}
    x_range : (float, float), optional
        Rates or FPR, 0.01 to 0.5 if absent.
    confidence_level, design, pos_label, higher_is_better, missing, rng, progress
        As in :func:`hitcurve.band`.

    Returns
    -------
    Band

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [100, 900])
    >>> b = difference_band(y, rng.normal(size=1000) + 2 * y, rng.normal(size=1000) + 0.5 * y)
    >>> [(round(low, 2), round(high, 2)) for low, high in b.excludes()]
    [(0.01, 0.5)]
    """
    source = arrays(
        y_true,
        {"first": first, "second": second},
        pos_label=pos_label,
        higher_is_better=higher_is_better,
        missing=missing,
    )
    tables = (HitTable.of_block(source.told(), "first"), HitTable.of_block(source.block, "second"))
    options = BandOptions(x_range=x_range, confidence_level=confidence_level, design=design, rng=rng)
    return difference_of(tables, Subjects.of(source, ["first", "second"]), ("first", "second"), curve, options)


def smooth_roc(
    y_true: Any, y_score: Any, *, kernel: str = "gaussian", bandwidth: str | float = "n^-1/5", points: int = 201
) -> SampledCurve:
    """Return the ROC curve of the kernel-smoothed classes (Clémençon and Vayatis 2009).

    Parameters
    ----------
    y_true, y_score : array-like (n,)
    kernel : {"gaussian", "uniform"}
    bandwidth : {"n^-1/5", "theorem", "printed"} or float
    points : int
        Of the curve, over FPR in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [500, 4500])
    >>> round(smooth_roc(y, rng.normal(size=5000) + 1.5 * y).at(0.1), 2)
    0.55
    """
    x = np.linspace(0, 1, _checks.whole_number("points", points, least=2))
    return SampledCurve(x, _smoothed(y_true, y_score, kernel, bandwidth)[0].roc(x))


def smooth_precision_recall(
    y_true: Any, y_score: Any, *, kernel: str = "gaussian", bandwidth: str | float = "n^-1/5", points: int = 200
) -> SampledCurve:
    """Return the precision-recall curve of the kernel-smoothed classes (Clémençon and Vayatis 2009).

    Parameters
    ----------
    y_true, y_score, kernel, bandwidth
        As in :func:`smooth_roc`.
    points : int
        Of the curve, over recalls in (0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [500, 4500])
    >>> round(smooth_precision_recall(y, rng.normal(size=5000) + 1.5 * y).at(0.5), 2)
    0.41
    """
    count = _checks.whole_number("points", points, least=2)
    x = np.arange(1, count + 1) / count
    smoothed, pi = _smoothed(y_true, y_score, kernel, bandwidth)
    return SampledCurve(x, smoothed.precision(x, pi))


def _smoothed(y_true: Any, y_score: Any, kernel: str, rule: str | float) -> tuple[Smoothed, float]:
    table = table_of(y_true, y_score)
    c = table.counts
    if table.score is None or table.kind != "full":
        raise ParameterError("smoothing needs the scores of all subjects: give labels and scores")
    return smooth(table.score, c.pos, c.neg, kernel=kernel, rule=rule), float(c.pi)
