"""Rankers of subjects whose outcome is still to come for some: what is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hitcurve import _checks
from hitcurve._progress import Progress, reports
from hitcurve.errors import ParameterError
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.evaluation.warned import warned
from hitcurve.metrics import Metric
from hitcurve.metrics import metrics as read_metrics
from hitcurve.sources import backend_of
from hitcurve.survival import aptools
from hitcurve.survival.censoring import RULES, Censoring, KaplanMeier, KnownDistribution, Sample
from hitcurve.survival.evaluated import evaluations_of
from hitcurve.survival.outcome import EventCodes, horizons_of
from hitcurve.survival.result import SurvivalEvaluation
from hitcurve.survival.subjects import KAPLAN_MEIER, Options, Subjects, sample_of, subjects_of
from hitcurve.survival.weights import CONTROLS, Cohort

DEFAULT = ("ap", "auc")


@reports
def evaluate_survival(
    time: Any,
    event: Any = None,
    scores: Any = None,
    *,
    data: Any = None,
    horizons: float | Iterable[float],
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT,
    cause: Any = None,
    censored: Any = None,
    controls: str = "free",
    censoring: Any = KAPLAN_MEIER,
    censoring_from: Any = None,
    rule: str | None = None,
    clusters: Any = None,
    sample_weight: Any = None,
    higher_is_better: bool | Mapping[str, bool] = True,
    missing: str = "raise",
    where: str | None = None,
    query: str | None = None,
    undefined: str = "raise",
    design: str | None = None,
    confidence_level: float = 0.95,
    interval_method: str = "auto",
    progress: Progress = False,
) -> SurvivalEvaluation:
    """Evaluate one or several rankers by events up to one or several horizons, with censoring and competing events.

    At a horizon t, cases are subjects with the event up to t, and controls are subjects observed for longer. Subjects
    censored before t are neither; all others weigh the inverse of their probability to be uncensored, G: cases and
    competing events 1/G(T-), subjects observed beyond t 1/G(t). Metrics are computed for this weighted binary
    outcome; those that count single subjects are refused if there are censored ones. Standard errors have a part for
    the estimate of G; metrics without influence values, as ``recall@precision``, have none.

    Parameters
    ----------
    time : array-like (n,), str, or structured array (n,)
        Time of the event or of the censoring, at least 0; or the name of its column in ``data``. Or a structured array
        of scikit-survival, with events and times; ``event`` is then left out.
    event : array-like (n,) or str
        True or 1: the event happened at ``time``. False or 0: the subject was censored. Other whole numbers above 0 are
        competing events. The words true and false count as bools unless codes are given. Or the name of its column.
    scores : mapping of str to array-like (n,) or (n, number of horizons), array-like, str, list of str
        Scores of rankers by name, higher for subjects expected to have the event earlier. Scores that depend on time
        have one column for each horizon. With ``data``, names of columns (a list of them for each ranker that depends
        on time).
    data : data frame, path, list of paths, address of a database, stream or query, optional
        As in :func:`hitcurve.evaluate`, which has ``where`` and ``query``, too. The columns that are named are read
        into memory.
    horizons : float or sequence of float
        Times above 0, ascending or not, in the unit of ``time``.
    metrics : str, Metric, or an iterable of these
        Metric strings, such as ``"croc(exp, alpha=20)"``.
    cause, censored : optional
        Codes of the event and of the censored in ``event``: 1 and 0 unless given. Required if codes are other text.
    controls : {"free", "all"}
        ``free``: controls are subjects without any event at the horizon. ``all``: subjects with a competing event are
        controls, too.
    censoring : {"kaplan-meier"}, array-like (n,), str, list of str or callable
        How G is estimated: by Kaplan and Meier, where events come before censorings of the same time; or so within
        strata, given as an array or as columns of ``data``. Or the known G: a function of times (n,), in the order of
        the rows, that returns probabilities.
    censoring_from : pair of array-like, structured array, data frame or path, optional
        Times and events of another sample from which G is estimated, such as the training data. Data frames and files
        have them in the columns that ``time`` and ``event`` name. Horizons end with its follow-up.
    rule : {"timeroc", "sksurv", "aptools"}, optional
        Weights of another program, to reproduce its numbers. ``timeroc`` is the default. ``sksurv`` has 1/G(T) instead
        of 1/G(T-). ``aptools`` has the exponential of the hazard up to T with events at risk, and AP by unweighted
        numbers of subjects; only the values of ``ap`` and ``auc``, without errors.
    clusters, sample_weight, higher_is_better, missing, where, query, undefined
        As in :func:`hitcurve.evaluate`.
    design : {"cohort", "case-control"}, optional
        Whether the fraction of cases at each horizon was sampled (a cohort, the default) or is known.
    confidence_level : float in (0, 1)
    interval_method : str
        As in :func:`hitcurve.evaluate`.
    progress : bool or callable
        Show the steps, or call a function with each; see :func:`hitcurve.progress`.

    Returns
    -------
    SurvivalEvaluation

    Raises
    ------
    InsufficientDataError
        If no case or no control is at a horizon, or the probability to be uncensored is 0 there; with the horizons that
        work.
    LabelError
        If codes of events are unknown, it is open which of them means censored, or all subjects are censored.
    InputError
        Or another subclass, for input that cannot be evaluated.

    Notes
    -----
    Errors by the influence of every subject: its weight times the derivative of the metric by the weight, and what it
    adds through the estimate of G; their variance is n/(n - 1) times the sum of squares. For AUC these are the errors
    of timeROC (Blanche, Dartigues and Jacqmin-Gadda 2013). Weights add up to n at every horizon, and the weights of the
    cases to n times the Aalen-Johansen cumulative incidence (of each stratum, if there are strata).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> risk = rng.normal(size=400)
    >>> onset, lost = rng.exponential(size=400) * np.exp(-risk) * 10, rng.exponential(size=400) * 20
    >>> ev = evaluate_survival(np.minimum(onset, lost), onset <= lost, {"risk": risk}, horizons=[2, 5], metrics="ap")
    >>> e = ev["risk", "ap", 5]
    >>> round(e.value, 3), round(e.standard_error, 3), round(e.random, 3)
    (0.78, 0.029, 0.442)
    """
    wanted = read_metrics(metrics)
    _checks.choice("undefined", undefined, ("raise", "nan"))
    _checks.choice("controls", controls, CONTROLS)
    own_rule = "timeroc" if rule is None else _checks.choice("rule", rule, RULES)
    if own_rule == "aptools":
        aptools.check(wanted)
    sampling = SamplingDesign.of(design, None, confidence_level, interval_method=interval_method)
    times = horizons_of(horizons)
    codes = EventCodes(cause, censored)
    is_name = isinstance(censoring, str) and censoring == KAPLAN_MEIER
    strata = None if is_name or callable(censoring) else censoring
    if isinstance(strata, str) and data is None:
        raise ParameterError(
            f"censoring must be 'kaplan-meier', strata (an array, or columns of data) or a function, got {censoring!r}"
        )
    if censoring_from is not None and not is_name:
        raise ParameterError("censoring_from cannot be combined with strata or a known distribution of the censoring")
    options = Options(data, codes, strata, clusters, sample_weight, higher_is_better, missing, where, query)
    other = None if censoring_from is None else sample_of(censoring_from, codes, (time, event))
    subjects = subjects_of(time, event, scores, times, options)
    cohort = Cohort(subjects.sample, _censoring(censoring, other, subjects, own_rule), controls, subjects.strata)
    backend = backend_of(data)
    found = evaluations_of(subjects, cohort, wanted, undefined, sampling, own_rule, backend)
    return warned(SurvivalEvaluation(found, wanted, cohort, subjects, own_rule, sampling.design, backend))


def _censoring(given: Any, other: Sample | None, subjects: Subjects, rule: str) -> Censoring:
    if callable(given):
        return KnownDistribution(given, subjects.order)
    return KaplanMeier.of(subjects.sample if other is None else other, rule, of_others=other is not None)
