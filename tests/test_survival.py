"""Censored outcomes and competing events: laws of the weights, and numbers of other programs."""

from __future__ import annotations

import datetime
import math
import pickle
import re
import warnings
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import (
    ColumnNotFoundError,
    EmptyInputError,
    HitcurveError,
    InputError,
    InsufficientDataError,
    LabelError,
    LengthMismatchError,
    MissingValueError,
    ParameterError,
    UndefinedMetricError,
)
from hitcurve.inference.intervals.interval import METHODS as INTERVALS
from hitcurve.survival.censoring import KaplanMeier
from hitcurve.survival.subjects import sample_of
from hitcurve.survival.weights import Cohort
from tests.data import read_columns
from tests.sampled import censored_sample

pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.SaturationWarning")  # events are many here
MAYO, PAQUID = "survival/mayo.csv", "survival/paquid.csv"
EVERY = ["ap", "auc", "croc(exp, alpha=20)", "ef@5%", "recall@5%", "bedroc(alpha=20)", "precision@10%", "tpr@fpr=10%"]


def _of_mayo(horizons: Sequence[float], **options: Any) -> hc.SurvivalEvaluation:
    return hc.evaluate_survival(
        "time", "censor", ["mayoscore5", "mayoscore4"], data=read_columns(MAYO), horizons=horizons, **options
    )


def _of_paquid(horizons: Sequence[float], **options: Any) -> hc.SurvivalEvaluation:
    own = read_columns(PAQUID)
    return hc.evaluate_survival(
        own["time"], own["status"], {"dsst": own["DSST"]}, horizons=horizons, higher_is_better=False, **options
    )


# ---- numbers of other programs


def test_values_and_errors_of_timeroc(shared_data: Path) -> None:
    # timeROC 0.4.1 (R), marginal weights
    horizons = [365, 730, 1825, 2000]
    ev = _of_mayo(horizons, metrics="auc")
    found = [ev["mayoscore5", "auc", t] for t in horizons]
    auc, error = (
        [0.9180250784, 0.8732729074, 0.9153621040, 0.9105981124],
        [0.04207365006, 0.04105996679, 0.02098146507, 0.02268954962],
    )
    assert [e.value for e in found] == pytest.approx(auc, abs=6e-11)
    assert [e.standard_error for e in found] == pytest.approx(error, abs=1e-8)
    other = [0.9173981191, 0.8908618112, 0.8285379290, 0.8183960754]
    assert [ev["mayoscore4", "auc", t].value for t in horizons] == pytest.approx(other, abs=6e-11)


def test_competing_events_of_timeroc(shared_data: Path) -> None:
    # timeROC 0.4.1 (R), marginal weights: AUC_1 and AUC_2
    horizons = [3, 5, 10]
    free, every = (_of_paquid(horizons, metrics="auc", controls=controls) for controls in ("free", "all"))
    assert [e.value for e in free] == pytest.approx([0.8089452319, 0.7971702242, 0.7671948911], abs=6e-11)
    assert [e.value for e in every] == pytest.approx([0.7991316915, 0.7779761262, 0.7217076936], abs=6e-11)
    errors = [0.02498302337, 0.01919100147, 0.01500302228]
    assert [e.standard_error for e in free] == pytest.approx(errors, abs=1e-8)


def test_cumulative_incidence(shared_data: Path) -> None:
    # Aalen and Johansen, by the R package survival
    ev = _of_paquid([3, 5, 10])
    assert [ev.at(t).event_rate for t in (3, 5, 10)] == pytest.approx([0.028739, 0.051432, 0.148274], abs=6e-7)
    ev = _of_mayo([365, 730, 1825])
    assert [ev.at(t).event_rate for t in (365, 730, 1825)] == pytest.approx([0.070513, 0.105848, 0.289272], abs=6e-7)


@pytest.mark.parametrize("given", ["strata", "function", "others"])
def test_the_event_rate_is_that_of_the_weights(given: str) -> None:
    """So it is the random AP, and over strata the mean of their own rates by Kaplan and Meier."""
    rng = np.random.default_rng(8)
    s = rng.integers(0, 3, 900)
    event_at, censored_at = rng.exponential(np.array([9.0, 4.0, 2.0])[s]), rng.exponential(np.array([20, 6, 2.5])[s])
    time, event = np.minimum(event_at, censored_at), (event_at <= censored_at).astype(int)
    ways: dict[str, dict[str, Any]] = {
        "strata": {"censoring": s},
        "function": {"censoring": lambda t: np.exp(-t / 6)},
        "others": {"censoring_from": (time[:400], event[:400])},
    }
    ev = hc.evaluate_survival(time, event, {"y": rng.random(900)}, horizons=1.5, metrics="ap", **ways[given])
    assert ev.at(1.5).event_rate == pytest.approx(ev["y", "ap"].random, rel=1e-12)
    if given != "strata":
        return
    of_strata = []
    for stratum in range(3):
        own, left = s == stratum, 1.0
        for moment in np.unique(time[own & (event == 1) & (time <= 1.5)]):
            left *= 1 - np.sum(own & (event == 1) & (time == moment)) / np.sum(own & (time >= moment))
        of_strata.append(np.mean(own) * (1 - left))
    assert ev.at(1.5).event_rate == pytest.approx(sum(of_strata), rel=1e-12)


def test_numbers_of_the_formula(shared_data: Path) -> None:
    # average precision and its errors, by a few lines of numpy that sum over subjects (see the next test)
    horizons = [365, 730, 1825, 2000, 3000]
    ev = _of_mayo(horizons)
    value = [0.61184275, 0.64430161, 0.85422700, 0.85800127, 0.81844665]
    error = [0.10892309, 0.07616537, 0.03429739, 0.03485587, 0.03453835]
    found = [ev["mayoscore5", "ap", t] for t in horizons]
    assert [e.value for e in found] == pytest.approx(value, abs=6e-9)
    assert [e.standard_error for e in found] == pytest.approx(error, abs=6e-9)
    with pytest.raises(ParameterError, match=r"give horizon= as one of 365, .*1825"):
        ev.compare("mayoscore5", "mayoscore4", "ap")
    test = ev.compare("mayoscore5", "mayoscore4", "ap", 1825)
    assert test.difference.value == pytest.approx(0.13526570, abs=6e-9)
    assert test.difference.standard_error == pytest.approx(0.03209724, abs=6e-9)
    test = ev.compare("mayoscore5", "mayoscore4", "auc", 730)
    assert test.difference.value == pytest.approx(-0.01758890, abs=6e-9)
    assert test.difference.standard_error == pytest.approx(0.01292955, abs=6e-9)
    free, every = (_of_paquid([3, 5, 10], metrics="ap", controls=controls) for controls in ("free", "all"))
    assert [e.value for e in free] == pytest.approx([0.13136965, 0.19775394, 0.46166002], abs=6e-9)
    assert [e.value for e in every] == pytest.approx([0.11255940, 0.15188239, 0.30850243], abs=6e-9)
    assert [e.standard_error for e in every] == pytest.approx([0.02511825, 0.02304908, 0.02398144], abs=6e-9)


def test_error_subject_by_subject() -> None:
    s, time, event = censored_sample()
    t = 6.0
    ev = hc.evaluate_survival(time, event, s, horizons=t, metrics="auc")
    case, free = (time <= t) & (event == 1), time > t
    moments = np.unique(time[event == 0])
    hazard = {
        u: np.sum((time == u) & (event == 0)) / np.sum((time > u) | ((time == u) & (event == 0))) for u in moments
    }

    def uncensored(upto: Any) -> float:
        return float(np.prod([1 - hazard[u] for u in moments if upto(u)]))

    weight = np.zeros(200)
    for i in np.flatnonzero(case):
        weight[i] = 1 / uncensored(lambda u, i=i: u < time[i])
    weight[free] = 1 / uncensored(lambda u: u <= t)
    assert weight.sum() == pytest.approx(200, abs=1e-9)
    ahead = np.sign(s[:, None] - s[None, :]) / 2 + 0.5
    w1, w0 = weight * case, weight * free
    auc = w1 @ ahead @ w0 / w1.sum() / w0.sum()
    phi = w1 * (ahead @ w0 / w0.sum() - auc) / w1.sum() + w0 * (w1 @ ahead / w1.sum() - auc) / w0.sum()
    base = phi.copy()
    for u in moments[moments <= t]:
        left, censored = np.sum(time > u), (time == u) & (event == 0)
        h = base[time > u].sum() / left
        phi += h * censored - h * hazard[u] * ((time > u) | censored)
    assert ev["score", "auc"].value == pytest.approx(auc, abs=1e-12)
    assert phi.sum() == pytest.approx(0, abs=1e-12)
    assert ev["score", "auc"].standard_error == pytest.approx(math.sqrt(200 / 199 * np.sum(phi**2)), rel=1e-10)


def test_aptools() -> None:
    # APtools 6.8.8 (R), APSurv, in full precision
    s, time, event = censored_sample()
    ev = hc.evaluate_survival(time, event, s, horizons=[3, 6, 10], rule="aptools")
    ap, auc = (
        [0.594827715673262, 0.784549679990781, 0.802515184742608],
        [0.767354893422637, 0.807990384950204, 0.757559681056428],
    )
    assert [ev["score", "ap", t].value for t in (3, 6, 10)] == pytest.approx(ap, abs=1e-12)
    assert [ev["score", "auc", t].value for t in (3, 6, 10)] == pytest.approx(auc, abs=1e-12)
    assert "has no errors" in ev["score", "ap", 3].reason
    with pytest.raises(UndefinedMetricError, match="leave rule out"):
        _ = ev["score", "ap", 3].standard_error
    with pytest.raises(ParameterError, match="reproduces ap and auc alone"):
        hc.evaluate_survival(time, event, s, horizons=3, metrics="dcg", rule="aptools")


def test_aptools_of_mayo(shared_data: Path) -> None:
    ev = _of_mayo([365, 730, 1825], rule="aptools")
    for name, ap, auc in (
        ("mayoscore5", ["0.612", "0.645", "0.827"], ["0.918", "0.873", "0.915"]),
        ("mayoscore4", ["0.596", "0.647", "0.718"], ["0.917", "0.891", "0.829"]),
    ):
        assert [f"{ev[name, 'ap', t].value:.3f}" for t in ev.horizons] == ap
        assert [f"{ev[name, 'auc', t].value:.3f}" for t in ev.horizons] == auc


@pytest.mark.parametrize("ties", [False, True])
def test_scikit_survival(ties: bool) -> None:
    sksurv = pytest.importorskip("sksurv.metrics", reason="scikit-survival is not installed")
    from sksurv.util import Surv

    s, time, event = censored_sample()
    if ties:
        s, time = np.round(s), np.ceil(time)
    horizons = [3.0, 6.0, 10.0]
    outcome = Surv.from_arrays(event.astype(bool), time)
    expected, _ = sksurv.cumulative_dynamic_auc(outcome, outcome, s, horizons)
    # times, and events; or the structured array of both
    for first, second in ((time, event), (outcome, None)):
        ev = hc.evaluate_survival(first, second, s, horizons=horizons, metrics="auc", rule="sksurv")
        assert [e.value for e in ev] == pytest.approx(expected.tolist(), abs=1e-12)
    train, test = outcome[:100], outcome[100:]
    expected, _ = sksurv.cumulative_dynamic_auc(train, test, s[100:], horizons)
    ev = hc.evaluate_survival(
        test, None, s[100:], horizons=horizons, metrics="auc", rule="sksurv", censoring_from=train
    )
    assert [e.value for e in ev] == pytest.approx(expected.tolist(), abs=1e-12)


# ---- laws


@pytest.mark.parametrize("weighted", [False, True])
def test_weights_add_up_to_all_subjects(weighted: bool) -> None:
    rng = np.random.default_rng(1)
    time = np.ceil(rng.exponential(size=300) * 20)
    event = rng.integers(0, 3, 300)
    event[np.argmax(time)] = 0
    sample = sample_of((time, event), hc.survival.outcome.EventCodes())
    kind = event[np.lexsort((event == 0, time))].astype(np.int8)
    sample = sample._replace(kind=kind)
    if weighted:
        sample = sample._replace(weight=rng.integers(1, 4, 300).astype(float))
    cohort = Cohort(sample, KaplanMeier.of(sample, "timeroc", of_others=False), "all")
    n = sample.weight.sum()
    survival, incidence = 1.0, {0.0: 0.0}
    for u in np.unique(time):  # Aalen and Johansen
        at, risk = sample.time == u, sample.weight[sample.time >= u].sum()
        incidence[u] = list(incidence.values())[-1] + survival * sample.weight[at & (kind == 1)].sum() / risk
        survival *= 1 - sample.weight[at & (kind > 0)].sum() / risk
    for horizon in (5.0, 10.0, 25.0):
        found = cohort.at(horizon)
        assert found.weight.sum() == pytest.approx(n, rel=1e-13)
        assert found.weight[found.case].sum() / n == pytest.approx(incidence[horizon], rel=1e-12)
    # with events at risk of being censored at their own time the first law fails
    plain = Cohort(sample, KaplanMeier.of(sample, "aptools", of_others=False), "all").at(10.0)
    assert abs(plain.weight.sum() / n - 1) > 1e-3


def test_no_censoring_is_the_binary_case() -> None:
    rng = np.random.default_rng(2)
    time = rng.exponential(size=300)
    y = time <= 0.3
    scores = {"a": rng.normal(size=300) + y, "b": np.round(rng.normal(size=300) + 0.5 * y, 1)}
    weight = rng.random(300) + 0.5
    for own in (None, weight):
        ev = hc.evaluate_survival(time, np.ones(300), scores, horizons=0.3, metrics=EVERY, sample_weight=own)
        binary = hc.evaluate(y, scores, metrics=EVERY, sample_weight=own)
        for e in binary:
            found = ev[e.ranker, e.metric]
            assert (found.value, found.random, found.best, found.interval) == (e.value, e.random, e.best, e.interval)
            assert found.standard_error == pytest.approx(e.standard_error * math.sqrt(300 / 299), rel=1e-14)
        ours, theirs = ev.compare("a", "b", "ap"), binary.compare("a", "b", "ap")
        assert (ours.pvalue, ours.method, ours.difference) == (theirs.pvalue, theirs.method, theirs.difference)
    assert ev.at(0.3).band("a") == binary.band("a") if own is None else True


def test_censored_after_the_horizon_change_nothing() -> None:
    s, time, event = censored_sample()
    early = np.where(event == 0, np.maximum(time, 5.0), time)
    ev = hc.evaluate_survival(early, event, s, horizons=4, metrics=EVERY)
    binary = hc.evaluate(early <= 4, s, metrics=EVERY)
    assert [e.value for e in ev] == [e.value for e in binary]
    assert not ev.at(4).censored


@pytest.mark.parametrize("factor", [1e-8, 1e-300, 1e8])
def test_scale_of_scores_and_times_changes_nothing(factor: float) -> None:
    s, time, event = censored_sample()
    every = {"a": s, "b": np.round(s, 1)}
    ev = hc.evaluate_survival(time, event, every, horizons=6, metrics=EVERY)
    other = hc.evaluate_survival(time, event, {n: x * factor for n, x in every.items()}, horizons=6, metrics=EVERY)
    assert [(e.value, e.standard_error) for e in ev] == [(e.value, e.standard_error) for e in other]
    later = hc.evaluate_survival(time * 365, event, every, horizons=6 * 365, metrics=EVERY)
    assert [e.value for e in ev] == [e.value for e in later]


def test_order_of_rows_changes_nothing() -> None:
    s, time, event = censored_sample()
    time, s = np.ceil(time), np.round(s, 1)
    rng = np.random.default_rng(0)
    weight, group = rng.random(200) + 0.5, rng.integers(0, 40, 200)
    order = rng.permutation(200)
    options: dict[str, Any] = {"horizons": [6.0, 10.0], "metrics": EVERY}
    ev = hc.evaluate_survival(time, event, s, sample_weight=weight, clusters=group, **options)
    other = hc.evaluate_survival(
        time[order], event[order], s[order], sample_weight=weight[order], clusters=group[order], **options
    )
    assert [(e.value, e.standard_error) for e in ev] == [(e.value, e.standard_error) for e in other]


def test_whole_weights_are_repeated_subjects() -> None:
    s, time, event = censored_sample(3, 150)
    times = np.random.default_rng(0).integers(1, 4, 150)
    metrics = [m for m in EVERY if "@" not in m]  # a cutoff may divide a subject, but not equal ones
    ev = hc.evaluate_survival(time, event, s, horizons=6, metrics=metrics, sample_weight=times)
    own = np.repeat(np.arange(150), times)
    other = hc.evaluate_survival(time[own], event[own], s[own], horizons=6, metrics=metrics, clusters=own)
    for e in ev:
        assert e.value == pytest.approx(other["score", e.metric].value, rel=1e-12)
        # what a subject of weight 3 adds is what three equal ones add together
        assert e.standard_error == pytest.approx(other["score", e.metric].standard_error, rel=1e-9)


@pytest.mark.slow
def test_estimating_the_censoring_of_metrics_by_replicates() -> None:
    # the derivative by the weight of each subject, with the distribution of the censoring estimated anew
    s, time, event = censored_sample(4, 120)
    group = np.arange(120) % 2
    metrics = ["ap", "auc", "croc(exp, alpha=7)", "area(exp, alpha=7, along=rate)"]
    for censoring in ("kaplan-meier", group):

        def values(weight: Any, censoring: Any = censoring) -> Any:
            ev = hc.evaluate_survival(
                time, event, s, horizons=6, metrics=metrics, sample_weight=weight, censoring=censoring
            )
            return np.array([e.value for e in ev])

        phi = np.zeros((120, len(metrics)))
        for i in range(120):
            up, down = (1 + sign * 1e-5 * (np.arange(120) == i) + 0 * s for sign in (1, -1))
            phi[i] = (values(up) - values(down)) / 2e-5
        ev = hc.evaluate_survival(time, event, s, horizons=6, metrics=metrics, censoring=censoring)
        assert phi.sum(axis=0) == pytest.approx(np.zeros(len(metrics)), abs=1e-7)
        expected = np.sqrt(120 / 119 * np.sum(phi**2, axis=0))
        assert [e.standard_error for e in ev] == pytest.approx(expected.tolist(), rel=1e-5)


def test_clusters_of_one_are_subjects() -> None:
    s, time, event = censored_sample()
    own, other = (
        hc.evaluate_survival(
            time, event, {"a": s, "b": s + np.sin(50 * s)}, horizons=6, metrics=EVERY, clusters=clusters
        )
        for clusters in (None, np.arange(200))
    )
    for e in own:
        assert other[e.ranker, e.metric].standard_error == pytest.approx(e.standard_error, rel=1e-9)
    tests = [ev.compare("a", "b", "ap") for ev in (own, other)]
    assert tests[0].difference.standard_error == pytest.approx(tests[1].difference.standard_error, rel=1e-9)
    assert "cluster" in tests[1].methods_text()
    assert "cluster" not in tests[0].methods_text()


def test_censoring_of_another_sample_adds_its_own_variance() -> None:
    s, time, event = censored_sample()
    _, other_time, other_event = censored_sample(6, 5000)
    known = hc.evaluate_survival(time, event, s, horizons=6, censoring=lambda t: np.exp(-(t - 0.01) / 15))
    errors = []
    for size in (100, 5000):
        ev = hc.evaluate_survival(time, event, s, horizons=6, censoring_from=(other_time[:size], other_event[:size]))
        errors.append(ev["score", "ap"].standard_error)
    assert errors[1] == pytest.approx(known["score", "ap"].standard_error, rel=0.01)
    assert errors[0] > errors[1] * 1.002


def test_another_sample_in_which_nobody_was_censored() -> None:
    s, time, event = censored_sample()
    other = np.linspace(1, 20, 50)
    every = [
        hc.evaluate_survival(time, event, s, horizons=6, censored=code, censoring_from=(other, flags))["score", "ap"]
        for code, flags in ((None, np.ones(50, bool)), (0, 1 + np.arange(50) % 2))
    ]
    known = hc.evaluate_survival(time, event, s, horizons=6, censoring=np.ones_like)["score", "ap"]
    assert [e.value for e in every] == [known.value] * 2


def test_a_case_alone_is_named_as_one() -> None:
    ev = hc.evaluate_survival([1, 2, 3, 4], [1, 1, 1, 0], [4, 3, 2, 1], horizons=[1, 3], metrics="auc")
    assert "horizon 1: 1 case (" in str(ev)
    assert "horizon 3: 3 cases (" in str(ev)


def test_scores_that_depend_on_time() -> None:
    s, time, event = censored_sample()
    late = s + np.sin(50 * s)
    both = np.stack([s, late], axis=1)
    ev = hc.evaluate_survival(time, event, {"m": both, "s": s}, horizons=[3, 6])
    one = hc.evaluate_survival(time, event, {"s": s, "late": late}, horizons=[3, 6])
    assert ev["m", "ap", 3].value == one["s", "ap", 3].value
    assert ev["m", "ap", 6].value == one["late", "ap", 6].value
    assert ev["s", "ap", 6].value == one["s", "ap", 6].value
    named = {"time": time, "event": event, "early": s, "late": late}
    found = hc.evaluate_survival("time", "event", {"m": ["early", "late"]}, data=named, horizons=[3, 6])
    assert [e.value for e in found] == [ev["m", m, t].value for t in (3, 6) for m in ("ap", "auc")]


def test_frames_of_pandas_and_lifelines() -> None:
    pd = pytest.importorskip("pandas")
    s, time, event = censored_sample()
    frame = pd.DataFrame({"T": time, "E": event.astype(bool), "risk": s, "site": np.arange(200) % 3})
    ev = hc.evaluate_survival("T", "E", "risk", data=frame, horizons=6, censoring="site", clusters="site")
    plain = hc.evaluate_survival(time, event, {"risk": s}, horizons=6, censoring=frame["site"], clusters=frame["site"])
    assert [(e.value, e.standard_error) for e in ev] == [(e.value, e.standard_error) for e in plain]
    frame.loc[3, "risk"] = np.nan
    with pytest.raises(MissingValueError, match="score 'risk'"):
        hc.evaluate_survival("T", "E", "risk", data=frame, horizons=6)
    with pytest.warns(hc.errors.MissingValueWarning):
        dropped = hc.evaluate_survival("T", "E", "risk", data=frame, horizons=6, missing="drop")
    kept = np.arange(200) != 3
    assert (
        dropped["risk", "ap"].value
        == hc.evaluate_survival(time[kept], event[kept], s[kept], horizons=6)["score", "ap"].value
    )


# ---- bad input


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"horizons": 0.5}, InsufficientDataError, "first event is at 1; use a horizon from 1 and below 8"),
        ({"horizons": 8}, InsufficientDataError, "beyond the follow-up: no subject is observed for longer than 8"),
        ({"horizons": 100}, InsufficientDataError, "use a horizon from 1 and below 8"),
        ({"horizons": 0}, ParameterError, "horizon"),
        ({"horizons": [3, 3]}, ParameterError, "twice"),
        ({"horizons": []}, ParameterError, "no horizons"),
        ({"time": [1, 2, 3, 4, 5, 6, 7, -8]}, InputError, "at least 0, got -8 in row 7"),
        ({"time": [1, 2, 3, 4, 5, 6, 7, math.inf]}, InputError, "finite"),
        ({"time": [1, 2, 3, 4, 5, 6, 7, math.nan]}, MissingValueError, "1 of 8 values of time are missing"),
        ({"time": list("abcdefgh")}, InputError, "time must be numbers, got 'a' in row 0"),
        ({"time": ["41", "5", "abc", "7", "8", "9", "10", "x"]}, InputError, "got 'abc' in row 2"),
        ({"time": [41, None, "abc", 7, 8, 9, 10, 11]}, InputError, "got 'abc' in row 2"),
        ({"time": [41, None, "5", 7, 8, 9, 10, 11]}, InputError, "got '5' in row 2"),
        ({"time": [41, b"5", 7, 8, 9, 10, 11, 12]}, InputError, "got b'5' in row 1"),
        ({"time": list("12345678")}, InputError, "time must be numbers, got text such as '1'"),
        ({"time": np.arange(8) + 2**53}, InputError, r"time holds whole numbers beyond 2\^53.*: use a coarser unit"),
        ({"time": [2**53 + 1, 1.5, 2, 3, 4, 5, 6, 7]}, InputError, r"beyond 2\^53"),
        ({"time": [10**400, 1, 2, 3, 4, 5, 6, 7]}, InputError, r"beyond 2\^53"),
        ({"horizons": "1825"}, ParameterError, "horizons must be numbers above 0, got '1825'"),
        ({"cause": [1, 2]}, ParameterError, r"cause must be one code, got \[1, 2\]"),
        ({"censored": np.array([0, 2])}, ParameterError, "censored must be one code"),
        (
            {"sample_weight": [0, 1, 0, 1, 1, 0, 1, 1]},
            hc.errors.WeightError,
            "all subjects with the event have weight 0",
        ),
        ({"time": [1, 2]}, InputError, "length|rows|values"),
        ({"event": [0] * 8}, LabelError, "all 8 subjects are censored"),
        ({"event": [1, 0, 1, 0, -1, 1, 0, 1]}, LabelError, "unknown event code -1 in row 4"),
        ({"event": [1, 0, 1, 0, "x", 1, 0, 1]}, LabelError, "'x' beside 1"),
        ({"event": [1, 0, 1, 0, b"x", 1, 0, 1]}, LabelError, "whole numbers or text, got b'x'"),
        ({"event": [1, 0, 1, 0, datetime.date(2026, 1, 1), 1, 0, 1]}, LabelError, "got datetime.date"),
        ({"event": np.array([b"a", b"b"] * 4)}, LabelError, "whole numbers or text, got bytes"),
        ({"event": [1, 0, 1, 0, Fraction(10**400, 3), 1, 0, 1]}, LabelError, "unknown event code"),
        ({"event": [1, 0, 1, 0, 0.5, 1, 0, 1]}, LabelError, "unknown event code 0.5 in row 4"),
        ({"event": [1, 2, 1, 2, 2, 1, 2, 1]}, LabelError, "none is 0, so it is open which of them means censored"),
        ({"event": [2, 0, 2, 0, 0, 2, 0, 2]}, LabelError, "no subject has the event code 1"),
        ({"event": [1, 0, 1, None, 0, 1, 0, 1]}, MissingValueError, "values of event are missing"),
        ({"event": ["dead", "alive"] * 4}, LabelError, "give those of the event and of the censored"),
        ({"event": None}, InputError, "needs time and event"),
        ({"cause": 0}, ParameterError, "both 0"),
        ({"controls": "none"}, ParameterError, "controls"),
        ({"rule": "none"}, ParameterError, "rule"),
        ({"censoring": "km"}, ParameterError, "'kaplan-meier', strata"),
        ({"censoring": lambda t: 0 * t}, ParameterError, "above 0 and up to 1"),
        ({"censoring": lambda t: 1.0}, ParameterError, "one probability for each"),
        ({"censoring_from": 3}, ParameterError, "a pair of times and events"),
        ({"censoring_from": ([1, 2, 4], [1, 1, 0])}, InsufficientDataError, "uncensored is 0 by horizon 4"),
        (
            {"censoring_from": ([1, 2, 3], [0, 1, 1])},
            InsufficientDataError,
            "of censoring_from, which ends at 3; use a",
        ),
        ({"censoring_from": ([], [])}, EmptyInputError, "censoring_from has no subjects"),
        ({"censoring_from": ([5, 6], [0, 0.5])}, LabelError, "censoring_from: unknown event code 0.5 in row 1"),
        ({"censoring_from": ([5, 6], [1, 2])}, LabelError, "censoring_from: event codes are 1 and 2 and none is 0"),
        ({"censoring_from": ([5, 6], ["A", "B"])}, LabelError, "censoring_from: no subject has the code 0 of the cen"),
        ({"sample_weight": 2.0}, InputError, "sample_weight must be one column"),
        ({"sample_weight": np.ones(9)}, LengthMismatchError, "time has 8, score 'score' has 8, sample_weight has 9"),
        (
            {"censoring": np.array([*"abababa", "c"]), "time": [1, 4, 3, 2, 5, 6, 7, 1.5]},
            InsufficientDataError,
            "in stratum 'c'",
        ),
        ({"scores": None}, ParameterError, "needs scores"),
        ({"scores": [1, 2]}, InputError, "time has 8, score 'score' has 2"),
        ({"sample_weight": [0] * 8}, hc.errors.WeightError, "all weights are 0"),
        ({"horizons": None}, ParameterError, "numbers above 0, got None"),
        ({"event": [1j] * 8}, LabelError, "got complex numbers"),
        ({"censored": 7}, LabelError, "no subject has the code 7 of the censored"),
        ({"scores": {}}, InputError, "no scores"),
        ({"scores": {"a": np.zeros((8, 3))}}, InputError, "3 columns for 1 horizons"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], kind: type[HitcurveError], words: str) -> None:
    given: dict[str, Any] = {
        "time": [1, 2, 3, 4, 5, 6, 7, 8],
        "event": [1, 0, 1, 0, 0, 1, 0, 0],
        "scores": [8, 7, 6, 5, 4, 3, 2, 1],
        "horizons": 4,
    }
    with pytest.raises(kind, match=words):
        hc.evaluate_survival(**given | change)


def test_codes_of_events() -> None:
    s, time, event = censored_sample()
    expected = hc.evaluate_survival(time, event, s, horizons=6)["score", "ap"].value
    for codes, options in (
        (event.astype(bool), {}),
        (event.astype(float), {}),
        (event.astype(bool).astype(str), {}),
        (event.astype(bool).astype(str), {"cause": "True", "censored": "False"}),
        (event + 1, {"censored": 1, "cause": 2}),
        (np.where(event == 1, "dead", "alive"), {"censored": "alive", "cause": "dead"}),
        (np.where(event == 1, 7, 0), {"cause": 7}),
        (np.where(event == 1, 7, 0), {"cause": "7"}),
    ):
        assert hc.evaluate_survival(time, codes, s, horizons=6, **options)["score", "ap"].value == expected


def test_times_up_to_the_largest_exact_float_are_read() -> None:
    time = np.arange(8) + 2**53 - 7
    ev = hc.evaluate_survival(time, [1, 0] * 4, np.arange(8)[::-1], horizons=2**53 - 4)
    assert ev["score", "auc"].value == 1
    floats = hc.evaluate_survival(time * 1024.0, [1, 0] * 4, np.arange(8)[::-1], horizons=(2**53 - 4) * 1024.0)
    assert floats["score", "auc"].value == 1


def test_bools_in_words_are_read_as_bools_in_the_sample_of_the_censoring() -> None:
    s, time, event = censored_sample()
    flags = event.astype(bool)
    values = [
        hc.evaluate_survival(time, flags, s, horizons=6, censoring_from=(time, codes))["score", "ap"].value
        for codes in (flags, flags.astype(str))
    ]
    assert values[0] == values[1]


def test_random_average_precision_is_the_share_of_the_cases() -> None:
    rng = np.random.default_rng(3)
    time, event, s = rng.permutation(60) + 1.0, rng.integers(0, 3, 60), rng.normal(size=60)
    s -= time / 30
    free = hc.evaluate_survival(time, event, s, horizons=30, metrics="ap")
    every = hc.evaluate_survival(time, event, s, horizons=30, metrics="ap", controls="all")
    rate = free.at(30).event_rate
    competing = hc.evaluate_survival(time, event, s, horizons=30, metrics="ap", cause=2).at(30).event_rate
    assert every["score", "ap"].random == pytest.approx(rate)
    # cases and controls are all but the subjects with a competing event
    assert free["score", "ap"].random == pytest.approx(rate / (1 - competing))


def test_keys_are_a_ranker_a_metric_and_a_horizon() -> None:
    s, time, event = censored_sample()
    ev = hc.evaluate_survival(time, event, s, horizons=[3, 6])
    assert ev.horizons == (3.0, 6.0)
    with pytest.raises(ParameterError, match="a ranker, a metric and a horizon"):
        _ = ev["score", "ap"]
    with pytest.raises(ColumnNotFoundError, match="horizons are 3, 6"):
        ev.at(4)
    with pytest.raises(ParameterError, match="several horizons"):
        ev.compare("score", "score", "ap")


def test_influence_values_are_those_of_the_rows() -> None:
    s, time, event = censored_sample()
    both = {"a": s, "b": s + np.sin(50 * s)}
    ev = hc.evaluate_survival(time, event, both, horizons=6).at(6)
    covariance = np.asarray(ev.covariance())
    phi = np.stack([ev.influence(e.ranker, e.metric) for e in ev], axis=1)
    assert phi.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-12)
    assert 200 / 199 * phi.T @ phi == pytest.approx(covariance, rel=1e-9)
    assert np.sqrt(np.diag(covariance)) == pytest.approx([e.standard_error for e in ev], rel=1e-12)
    order = np.random.default_rng(0).permutation(200)
    moved = hc.evaluate_survival(time[order], event[order], s[order], horizons=6).at(6)
    assert moved.influence("score", "ap").tolist() == pytest.approx(phi[order, 0].tolist(), abs=1e-15)
    contrast = ev.contrast({"a": 1, "b": -1}, "ap")
    assert contrast.standard_error == pytest.approx(ev.compare("a", "b", "ap").difference.standard_error, rel=1e-9)


def test_what_is_pickled_has_the_same_errors() -> None:
    s, time, event = censored_sample()
    ev = hc.evaluate_survival(time, event, {"a": s, "b": s + np.sin(50 * s)}, horizons=[3, 6])
    again = pickle.loads(pickle.dumps(ev))
    assert [(e.value, e.standard_error) for e in again] == [(e.value, e.standard_error) for e in ev]
    assert again.compare("a", "b", "ap", 6).pvalue == ev.compare("a", "b", "ap", 6).pvalue
    alone = pickle.loads(pickle.dumps(ev.at(6).without_data()))
    assert [e.standard_error for e in alone] == [e.standard_error for e in ev.at(6)]
    with pytest.raises(ParameterError, match="keep its data"):
        alone.influence("a", "ap")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"censoring": np.arange(200) % 3, "controls": "all", "clusters": np.arange(200) // 2},
        {"censoring_from": (np.arange(1.0, 40), np.arange(39) % 2), "sample_weight": np.linspace(1, 2, 200)},
        {"rule": "aptools", "metrics": ["ap", "auc"]},
        {"design": "case-control", "confidence_level": 0.9, "higher_is_better": {"b": False}},
    ],
)
def test_files_give_back_everything(options: dict[str, Any], tmp_path: Path) -> None:
    options = dict(options)
    s, time, event = censored_sample()
    scores = {"a": s, "b": -s + np.sin(50 * s)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metrics = options.pop("metrics", ["ap", "recall@10%"])
        ev = hc.evaluate_survival(time, event, scores, horizons=[0.3, 6.0], metrics=metrics, **options)
    ev.to_json(tmp_path / "ev.json")
    again = hc.SurvivalEvaluation.from_json(tmp_path / "ev.json")
    assert again.to_dict() == ev.to_dict()
    assert str(again) == str(ev)
    assert again.to_json() == ev.to_json()
    if ev.rule != "aptools":
        assert str(again.compare("a", "b", "ap", 6)) == str(ev.compare("a", "b", "ap", 6))
        assert str(again.over_time("auc", [3, 6])) == str(ev.over_time("auc", [3, 6]))
        assert again.at(6).band("a", "roc", n_resamples=50).low.y.tolist() == (
            ev.at(6).band("a", "roc", n_resamples=50).low.y.tolist()
        )


def test_what_files_refuse(tmp_path: Path) -> None:
    s, time, event = censored_sample()
    ev = hc.evaluate_survival(time, event, s, horizons=6)
    text = ev.to_json()
    assert text is not None
    with pytest.raises(ParameterError, match="of censored subjects: SurvivalEvaluation"):
        hc.from_json(text=text)
    with pytest.raises(ParameterError, match="was changed after it was written"):
        hc.SurvivalEvaluation.from_json(text=text.replace('"controls": "free"', '"controls": "all"'))
    other = hc.evaluate(event, s, metrics="auc").to_json()
    for wrong, words in ((other, "not an evaluation written by to_json of a Surv"), ("{", "is not JSON")):
        with pytest.raises(ParameterError, match=words):
            hc.SurvivalEvaluation.from_json(text=wrong)
    with pytest.raises(ParameterError, match="use pickle"):
        hc.evaluate_survival(time, event, s, horizons=6, censoring=lambda t: np.exp(-t / 15)).to_json()


@pytest.mark.parametrize("metric", ["auc", "ap", "tpr@fpr=10%", "max_f1", "recall@10%"])
def test_an_interval_of_censored_subjects_is_made_or_another_is_named(metric: str) -> None:
    s, time, event = censored_sample()
    e = hc.evaluate_survival(time, event, s, horizons=6, metrics=metric)["score", metric]
    made, refused = [], []
    for method in INTERVALS:
        try:
            made.append(e.confidence_interval(method=method))
        except ParameterError as error:
            refused.append(str(error))
    assert len(made) >= 3
    assert all(interval.low <= e.value <= interval.high for interval in made)
    assert any("cannot be combined with censored subjects" in said for said in refused)
    for said in refused:
        assert re.search(f"use '?({'|'.join(INTERVALS)})'?", said), said
        assert "cannot be combined with clusters" not in said  # none were given


def test_tests_that_do_not_know_the_censoring_are_refused() -> None:
    s, time, event = censored_sample()
    ev = hc.evaluate_survival(time, event, {"a": s, "b": s + np.sin(50 * s)}, horizons=6)
    for method in ("bootstrap", "swap-permutation", "delong"):
        with pytest.raises(ParameterError, match="use 'delta'"):
            ev.compare("a", "b", "auc", method=method)
    with pytest.raises(UndefinedMetricError, match="before horizon 6: check whether confidence_interval"):
        ev["a", "auc"].test_random()
    with pytest.raises(ParameterError, match="would lose how its errors are made"):
        ev.at(6).to_json()
    aptools = hc.evaluate_survival(time, event, {"a": s, "b": s + np.sin(50 * s)}, horizons=6, rule="aptools")
    with pytest.raises(UndefinedMetricError, match="leave rule out"):
        aptools.compare("a", "b", "ap")


# ---- what few controls say


def _with_few_controls(controls: int) -> hc.SurvivalEvaluation:
    n = 60 + controls
    rng = np.random.default_rng(7)
    time = np.concatenate([rng.uniform(0.1, 0.9, 60), rng.uniform(1.1, 3, controls)])
    score = rng.normal(size=n) + 2.0 * (time < 1)
    metrics = ["tpr@fpr=5%", "tpr@fpr=50%", "auc"]
    return hc.evaluate_survival(time, rng.random(n) < 0.8, {"a": score}, horizons=1, metrics=metrics)


def test_an_fpr_that_few_controls_reach_has_the_limits_of_a_profile() -> None:
    """With 4 controls above the cut the place of the cut is hardly known, which influence values do not see."""
    beyond = {}
    for controls in (80, 2000):
        e = _with_few_controls(controls)["a", "tpr@fpr=5%", 1]
        assert e.interval is not None
        assert e.interval.method == "profile"
        beyond[controls] = (e.value - e.interval.low) / e.standard_error
    assert beyond[80] > 1.5 * beyond[2000]


def test_no_interval_that_is_not_there_is_to_be_read() -> None:
    rng = np.random.default_rng(8)
    time = np.concatenate([rng.uniform(0.1, 0.9, 60), rng.uniform(1.1, 3, 140)])
    score = np.where(time < 1, 5.0, 0.0) + rng.random(200)
    metrics = ["precision@5%", "ap"]
    found = hc.evaluate_survival(time, rng.random(200) < 0.9, {"a": score}, horizons=1, metrics=metrics)
    best = found["a", "ap", 1]
    assert (best.value, best.interval) == (1, None)
    assert "do not vary" in best.reason_no_interval
    assert not any("read the interval" in caution for caution in best.cautions)
    # of a cut the number above it says how far down the share may be
    counted = found["a", "precision@5%", 1]
    assert counted.interval is not None
    assert 0.6 < counted.interval.low < 0.9 < counted.interval.high == 1


@pytest.mark.parametrize(("mean", "said"), [(0.5, True), (20.0, False)])
def test_heavy_weights_of_a_censoring_are_cautioned(mean: float, said: bool) -> None:
    """Not of auc, over all pairs, nor of limits by counts."""
    rng = np.random.default_rng(3)
    n = 600
    z = rng.normal(size=n)
    event, gone = np.exp(0.8 * np.log(rng.exponential(size=n)) - z), rng.exponential(mean, size=n)
    scores = {name: z + rng.normal(size=n) for name in "ab"}
    metrics = ["ap", "precision@30%", "auc", "ks"]
    ev = hc.evaluate_survival(np.minimum(event, gone), event <= gone, scores, horizons=0.6, metrics=metrics)
    words = "subjects stand for those censored with up to"
    for metric in metrics:
        of_it = said and metric not in ("auc", "ks")
        assert any(words in one for one in ev["a", metric].cautions) == of_it
        for found in (ev.compare("a", "b", metric), ev.at(0.6).winner(metric)):
            assert any(words in one for one in found.cautions) == of_it
    largest = float(ev["a", "ap"].cautions[0].partition("up to ")[2].split()[0]) if said else 1.0
    t, d = np.minimum(event, gone), event <= gone
    order = np.argsort(t)
    left = np.cumprod(1 - ~d[order] / (n - np.arange(n)))[t[order] <= 0.6].min()
    assert not said or largest == pytest.approx(1 / left, rel=0.06)


def test_horizons_that_differ_are_told_apart() -> None:
    s, time, event = censored_sample()
    other = 0.1 + 0.2
    ev = hc.evaluate_survival(10 * time, event, s, horizons=[30, 30 * (1 + 1e-15)], metrics="auc")
    assert len(set(re.findall(r"horizon (\S+):", str(ev)))) == 2
    ev = hc.evaluate_survival(time / 10, event, s, horizons=other, metrics="auc")
    with pytest.raises(ColumnNotFoundError, match=r"horizon 0\.3 was not evaluated; horizons are 0\.30000000000000004"):
        ev.at(0.3)


@pytest.mark.parametrize("one", [Decimal("6"), Fraction(6), np.array(6.0), np.float32(6), [Fraction(6)], iter([6])])
def test_one_horizon_is_any_number(one: Any) -> None:
    s, time, event = censored_sample()
    assert hc.evaluate_survival(time, event, s, horizons=one, metrics="auc").horizons == (6.0,)


@pytest.mark.parametrize("one", [True, None, np.array("6"), np.array([[6.0]]), object()])
def test_what_is_no_horizon_is_refused(one: Any) -> None:
    s, time, event = censored_sample()
    with pytest.raises(ParameterError, match=r"must be (a number|numbers above 0), got"):
        hc.evaluate_survival(time, event, s, horizons=one, metrics="auc")
