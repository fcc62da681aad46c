"""Several readers of the same cases: what is called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hitcurve import _checks
from hitcurve.errors import ColumnNotFoundError, ParameterError
from hitcurve.inference import resolve
from hitcurve.metrics import metrics as read_metrics
from hitcurve.readers.cells import COVARIANCES, DELONG, INFLUENCE, JACKKNIFE, UNBIASED, Study
from hitcurve.readers.components import components_of
from hitcurve.readers.numbers import ReaderMetric
from hitcurve.readers.points import Quantity, check_size, metric_of_ratings
from hitcurve.readers.readings import Given, Readings, readings_of
from hitcurve.readers.result import ReaderStudy
from hitcurve.readers.tested import Margin
from hitcurve.readers.testing import CASES, HYPOTHESES, LOGIT, READERS, SCALES, Tests, check_random
from hitcurve.sources import group_name


def evaluate_readers(
    truth: Any = None,
    rating: Any = None,
    *,
    data: Any = None,
    reader: Any = None,
    modality: Any = None,
    case: Any = None,
    metrics: str | Quantity | Iterable[str | Quantity] = "auc",
    random: str | Iterable[str] = (READERS, CASES),
    design: str | None = None,
    covariance: str | None = None,
    nested: str | None = None,
    clusters: Any = None,
    prevalence: float | None = None,
    pos_label: Any = None,
    higher_is_better: bool = True,
    confidence_level: float = 0.95,
    scale: str = LOGIT,
    baseline: Any = None,
    margin: float | None = None,
    hypothesis: str | None = None,
) -> ReaderStudy:
    """Evaluate a study of several readers of the same cases: means over readers and differences of modalities.

    Readers and cases are both samples by default, so that intervals and tests are about readers and cases like these
    (Obuchowski and Rockette 1995, with the degrees of freedom of Hillis 2007). Covariances over cases come from
    influence values, which every metric has.

    Parameters
    ----------
    truth, rating, reader, modality, case : array-like (N,) or str
        One entry for each reading, or the names of columns of ``data``. ``modality`` may be missing: means over
        readers then have an interval, and there is nothing to compare.
    data : data frame or path, optional
        pandas, polars, pyarrow or another frame that narwhals supports, or a mapping of columns; or the path of a file
        with a row for each reading (CSV, TSV, JSON lines, Parquet or Arrow IPC), as of ``hitcurve readers``.
    metrics : str, Metric, RatingPoint, or an iterable of these
        Metric strings, or operating points on the scale of the ratings such as ``"sensitivity@rating>=3"``.
    random : {"readers", "cases"} or both
        What is a sample of a larger population.
    design : {"case-control", "cohort"}, optional
        Whether the numbers of positive and negative cases were fixed, as in most reader studies (the default), or only
        their sum. It hardly matters for AUC, but for average precision and other metrics that depend on prevalence.
    covariance : {"delong", "influence", "jackknife", "unbiased"}, optional
        Of the values over cases. ``delong`` (the default of case-control studies) and ``influence`` (that of cohorts)
        are from influence values, with n/(n - 1); for AUC the former is that of DeLong, DeLong and Clarke-Pearson.
        ``jackknife`` leaves out cases of a cohort, or clusters, one by one. ``unbiased`` is for AUC, sensitivity and
        specificity (Gallas, Pennello and Myers 2007), and the only one that takes missing readings.
    nested : {"cases in readers", "cases in modalities", "readers in modalities"}, optional
        Which of them do not meet; by default every reader reads every case with every modality.
    clusters : array-like (N,) or str, optional
        Names of clusters of cases, such as patients with several lesions: influence values are added within clusters,
        those of a class over one less the share that the cluster has of it (as in a jackknife by clusters).
    prevalence : float in (0, 1), optional
        A known prevalence to evaluate at; implies ``design="case-control"``.
    pos_label : object, optional
        Truth of positive cases; needed unless it is unambiguous.
    higher_is_better : bool
        Whether higher ratings are of positive cases.
    confidence_level : float in (0, 1)
        Of the intervals.
    scale : {"logit", "identity"}
        Of the intervals of means: the logit of the share of the way from the worst to the best value, or the metric as
        it is, as other programs have it. In simulation the former cover closer to what they say. Differences stay as
        they are.
    baseline : object, optional
        The modality that each other one is compared with; differences are the others minus it. By default all pairs.
    margin : float, optional
        Size of a difference that is still acceptable, on the scale of the metrics.
    hypothesis : {"non-inferiority", "equivalence"}, optional
        What the margin is for. By default non-inferiority, which needs ``baseline``: that the others are worse than it
        by less than the margin.

    Returns
    -------
    ReaderStudy

    Raises
    ------
    InputError
        One of its kinds, if these are no readings of such a study: missing or repeated readings, a truth that differs
        between readings of a case, ratings that are text, one class only, one reader where readers are random.
    ParameterError
        For parameters that do not exist or do not go together.
    UnreadableFileError
        If there is no such file, or it cannot be read.

    Notes
    -----
    With I modalities, J readers, mean squares MS of the values, and mean covariances over cases Cov2 (different
    readers, one modality) and Cov3 (different readers and modalities): ``D = MS_TR + J max(Cov2 - Cov3, 0)``;
    ``F = MS_T / D`` on I - 1 and ``D^2 / (MS_TR^2 / ((I - 1)(J - 1)))`` degrees of freedom; the standard error of a
    difference is ``sqrt(2 D / J)``. Holm's method adjusts the p values of three or more modalities.

    Examples
    --------
    Three readers rate eight cases with two modalities:

    >>> truth = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> film = [[4, 3, 5, 2, 2, 3, 1, 1], [5, 2, 4, 3, 3, 2, 1, 2], [3, 4, 5, 3, 1, 4, 2, 1]]
    >>> digital = [[5, 4, 5, 3, 2, 3, 1, 1], [5, 3, 4, 4, 2, 1, 1, 2], [4, 4, 5, 3, 2, 3, 2, 1]]
    >>> columns = {"truth": [], "rating": [], "reader": [], "modality": [], "case": []}
    >>> for name, ratings in {"film": film, "digital": digital}.items():
    ...     for reader, row in enumerate(ratings):
    ...         columns["truth"] += truth
    ...         columns["rating"] += row
    ...         columns["reader"] += [reader] * 8
    ...         columns["modality"] += [name] * 8
    ...         columns["case"] += range(8)
    >>> study = evaluate_readers(
    ...     "truth", "rating", data=columns, reader="reader", modality="modality", case="case", baseline="film"
    ... )
    >>> difference = study["auc"].differences[0]
    >>> difference.first, difference.second, round(difference.value, 4), round(difference.pvalue, 3)
    ('digital', 'film', 0.125, 0.038)
    """
    wanted: tuple[Quantity, ...] = read_metrics(metrics, metric_of_ratings)  # type: ignore[arg-type]
    samples = _random(random)
    level = _checks.level("confidence_level", confidence_level)
    _checks.choice("scale", scale, SCALES)
    kind, how = _covariance(covariance, design, prevalence)
    prevalence = None if prevalence is None else float(prevalence)
    if clusters is not None and kind == UNBIASED:
        raise ParameterError(
            "covariance='unbiased' is of independent cases and cannot be combined with clusters: leave covariance out, "
            "or pass covariance='jackknife', which leaves out clusters"
        )
    _checks.one_label(pos_label)
    readings = readings_of(
        Given(truth, rating, reader, modality, case, clusters),
        data,
        pos_label=pos_label,
        higher_is_better=bool(higher_is_better),
        nested=nested,
        missing=kind == UNBIASED,
    )
    check_random(readings, samples)
    base = None if baseline is None else _baseline(baseline, readings.modalities)
    against = _margin(margin, hypothesis, base, readings)
    study = Study(readings, how, kind, prevalence)
    study.check_sizes()
    if against is not None:
        for one in wanted:
            check_size("margin", against.size, one)
    results = tuple(_evaluated(study, metric, samples, level, scale, base, against) for metric in wanted)
    return ReaderStudy(results, study, samples, level, base, against, scale)


def _evaluated(
    study: Study,
    metric: Quantity,
    random: tuple[str, ...],
    level: float,
    scale: str,
    baseline: str | None,
    margin: Margin | None,
) -> ReaderMetric:
    cells = study.cells(metric)
    components = components_of(cells.value, cells.covariance, study.readings)
    tests = Tests(cells, components, study.readings, random, level, scale)
    return ReaderMetric(
        metric,
        cells,
        components,
        tests.means(),
        tests.differences(baseline, margin),
        tests.of_readers(baseline),
        tests.equality(),
        study.design_effect(metric),
    )


def _random(given: str | Iterable[str]) -> tuple[str, ...]:
    sentence = "random must be 'readers', 'cases' or both"
    wanted = (given,) if isinstance(given, str) else tuple(_checks.listed(sentence, given))
    for one in wanted:
        _checks.choice("random", one, (READERS, CASES))
    if not wanted:
        raise ParameterError(f"{sentence}: with neither nothing varies")
    return tuple(one for one in (READERS, CASES) if one in wanted)


def _covariance(covariance: str | None, design: str | None, prevalence: float | None) -> tuple[str, str]:
    """Return the kind of covariance and the design; each has a default by the other."""
    if covariance is not None:
        _checks.choice("covariance", covariance, COVARIANCES)
    if design is None and prevalence is None:
        design = "cohort" if covariance in (INFLUENCE, JACKKNIFE) else "case-control"
    how = resolve(design, prevalence)
    kind = covariance or (DELONG if how == "case-control" else INFLUENCE)
    if kind == INFLUENCE and how == "case-control":
        kind = DELONG
    wanted = {DELONG: "case-control", UNBIASED: "case-control", JACKKNIFE: "cohort"}.get(kind, how)
    if how != wanted:
        raise ParameterError(
            f"covariance={kind!r} is that of design={wanted!r}, and the design is {how!r}: leave one of them out"
        )
    return kind, how


def _baseline(given: Any, modalities: Sequence[str]) -> str:
    name = group_name(given)
    if name not in modalities:
        near = _checks.did_you_mean(name, modalities) or f"; modalities are {', '.join(map(repr, modalities))}"
        raise ColumnNotFoundError(f"baseline {name!r} is no modality{near}")
    return name


def _margin(margin: float | None, hypothesis: str | None, baseline: str | None, readings: Readings) -> Margin | None:
    if hypothesis is not None:
        _checks.choice("hypothesis", hypothesis, HYPOTHESES)
    if margin is None:
        if hypothesis not in (None, HYPOTHESES[0]):
            raise ParameterError(f"hypothesis={hypothesis!r} needs a margin")
        return None
    size = _checks.positive_number("margin", margin)
    if hypothesis == HYPOTHESES[0]:
        raise ParameterError("hypothesis='difference' has no margin: pass 'non-inferiority' or 'equivalence'")
    if len(readings.modalities) < 2:
        raise ParameterError("a margin is for a difference of modalities, and there is one modality")
    kind = hypothesis or "non-inferiority"
    if kind == "non-inferiority" and baseline is None:
        raise ParameterError(
            "non-inferiority needs the modality that the others must not be worse than: pass baseline= (--baseline)"
        )
    return Margin(kind, size)
