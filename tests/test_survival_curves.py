"""Bands, decision curves, sensitivity and plans at a horizon, where subjects were censored before."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import ParameterError, ScoreError, UndefinedMetricError
from hitcurve.survival.censoring import KnownDistribution
from hitcurve.survival.covariances import OfHorizon
from hitcurve.survival.decisions import covariance
from hitcurve.survival.redrawn import DrawnCohorts

pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.SaturationWarning")
Drawn = dict[str, Any]
T = 6.0


def _drawn(n: int = 240, seed: int = 3) -> Drawn:
    rng = np.random.default_rng(seed)
    s = rng.normal(size=n)
    onset, other, lost = rng.exponential(size=(3, n)) * np.array([[12.0], [60.0], [15.0]])
    onset = onset * np.exp(-s)
    time = np.minimum(np.minimum(onset, other), lost)
    event = np.where(lost == time, 0, np.where(onset == time, 1, 2))
    probability = 1 / (1 + np.exp(0.5 - s))
    scores = {"a": probability, "b": np.clip(probability + 0.2 * np.sin(40 * s), 0, 1)}
    return {"time": np.round(time, 1) + 0.1, "event": event, "scores": scores}


def _at(n: int = 240, **options: Any) -> hc.HorizonEvaluation:
    return hc.evaluate_survival(**_drawn(n), horizons=T, **{"controls": "all"} | options).at(T)


def _subjects(ev: hc.HorizonEvaluation) -> OfHorizon:
    known = ev._joint_of_many
    assert isinstance(known, OfHorizon)
    return known


@pytest.mark.parametrize(
    "options",
    [{}, {"censoring": np.arange(240) % 3}, {"rule": "sksurv"}, {"censoring": lambda t: np.exp(-t / 15)}],
    ids=["all", "strata", "sksurv", "known"],
)
def test_weights_of_a_drawn_sample_are_those_of_its_rows(options: dict[str, Any]) -> None:
    own, ev = _drawn(), _at(**options)
    known = _subjects(ev)
    draws = DrawnCohorts.at_horizon(known.cohort, known.at, [known.rankings["a"]], None)
    often = np.bincount(np.random.default_rng(4).integers(0, 240, 240), minlength=240)

    class Fixed:
        def integers(self, low: int, high: int, size: int) -> Any:
            return np.repeat(np.arange(high), often)

    found = draws._weights(Fixed())  # type: ignore[arg-type]
    drawn = np.zeros(240, int)
    drawn[known.cohort.censoring.order if isinstance(known.cohort.censoring, KnownDistribution) else ev.order] = often
    again = np.repeat(np.arange(240), drawn)
    censoring = options.get("censoring", "kaplan-meier")
    some = options | ({} if isinstance(censoring, str) or callable(censoring) else {"censoring": censoring[again]})
    repeated = hc.evaluate_survival(
        own["time"][again], own["event"][again], own["scores"]["a"][again], horizons=T, controls="all", **some
    )
    at = repeated.cohort.at(T)
    used = np.flatnonzero(known.at.used)
    for case in (True, False):
        assert found[known.at.case[used] == case].sum() == pytest.approx(at.weight[at.case == case].sum(), rel=1e-12)


@pytest.mark.parametrize("curve", ["precision_recall", "roc", "hit", "croc", "lift"])
def test_bands_of_curves(curve: str) -> None:
    ev = _at()
    band = ev.band("a", curve, n_resamples=300)
    assert band.method == "bootstrap"
    assert band.contains(ev.tables["a"].curve(curve, magnification=band.magnification))
    assert ev.band("a", curve, n_resamples=300).low.y.tolist() == band.low.y.tolist()
    assert 0 < band.mean_width < ev.band("a", curve, n_resamples=300, confidence_level=0.999).mean_width
    few = _at(80).band("a", curve, n_resamples=300)
    assert few.mean_width > band.mean_width


def test_bands_of_differences_and_of_clusters() -> None:
    ev = _at()
    band = ev.difference_band("a", "b")
    assert band.center.y.max() > 0
    assert np.all(band.low.y <= band.center.y)
    other = ev.difference_band("b", "a")
    assert other.center.y.tolist() == pytest.approx((-band.center.y).tolist())
    own = _drawn()
    time, event = (np.repeat(own[key], 2) for key in ("time", "event"))
    scores = {name: np.repeat(values, 2) for name, values in own["scores"].items()}
    pairs = hc.evaluate_survival(
        time, event, scores, horizons=T, controls="all", clusters=np.repeat(np.arange(240), 2)
    ).at(T)
    roc = ev.band("a", "roc")
    assert pairs.band("a", "roc").mean_width == pytest.approx(roc.mean_width, rel=0.1)


def test_what_a_band_refuses() -> None:
    ev = _at()
    with pytest.raises(ParameterError, match="draw samples and estimate the censoring"):
        ev.band("a", method="region")
    with pytest.raises(ParameterError, match="simultaneous"):
        ev.band("a", coverage="pointwise")
    with pytest.raises(ParameterError, match="keep its data"):
        ev.without_data().band("a")
    with pytest.raises(UndefinedMetricError, match="leave rule out"):
        _at(rule="aptools").band("a")


@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_errors_of_net_benefit_are_derivatives_by_the_weights(design: str) -> None:
    own, ev = _drawn(80), _at(80, design=design)
    thresholds = np.array([0.2, 0.45])
    found = np.sqrt(np.diag(covariance(_subjects(ev), "a", thresholds, None)))
    pi = ev.tables["a"].prevalence

    def values(weight: Any) -> Any:
        one = hc.evaluate_survival(**own, horizons=T, controls="all", sample_weight=weight).at(T)
        curve = one.decision_curve("a", thresholds)
        if design == "cohort":
            return np.concatenate([curve.net_benefit, curve.interventions_avoided])
        w = thresholds / (1 - thresholds)
        benefit = pi * curve.tpr - w * (1 - pi) * curve.fpr
        return np.concatenate([benefit, (benefit - pi + w * (1 - pi)) / w])

    phi = np.zeros((80, 4))
    for i in range(80):
        up, down = (1 + sign * 1e-4 * (np.arange(80) == i) for sign in (1, -1))
        phi[i] = (values(up) - values(down)) / 2e-4
    assert found.tolist() == pytest.approx(np.sqrt(80 / 79 * np.sum(phi**2, axis=0)).tolist(), rel=1e-4)


def test_decision_curves() -> None:
    ev = _at()
    pointwise = ev.decision_curve("a", [0.1, 0.3, 0.5])
    together = ev.decision_curve("a", [0.1, 0.3, 0.5], coverage="simultaneous")
    assert np.all(pointwise.low < pointwise.net_benefit)
    assert np.all(pointwise.net_benefit < pointwise.high)
    assert np.all(together.low < pointwise.low)
    best = ev.decision_curve("a", [0.3], cut="best")
    metric = _at(metrics="net_benefit@0.3")["a", "net_benefit@0.3"]
    assert metric.interval is not None
    assert [best.net_benefit[0], best.low[0], best.high[0]] == pytest.approx([metric.value, *metric.interval])
    difference = ev.decision_difference("a", "b", [0.1, 0.3, 0.5])
    other = ev.decision_curve("b", [0.1, 0.3, 0.5])
    assert difference.center.y.tolist() == pytest.approx((pointwise.net_benefit - other.net_benefit).tolist())
    assert ev.decision_difference("a", "b", [0.3], coverage="simultaneous").mean_width > 0
    own = _drawn()
    wide = hc.evaluate_survival(own["time"], own["event"], {"a": 3 * own["scores"]["a"]}, horizons=T).at(T)
    with pytest.raises(ScoreError, match=r"must lie in \[0, 1\]"):
        wide.decision_curve("a")


def test_sensitivity() -> None:
    ev = _at(metrics=["ap", "croc(exp, alpha=20)", "recall@10%"])
    alpha = ev.sensitivity("alpha", [7, 20]).of("b", "croc")
    e = ev["b", "croc(exp, alpha=20)"]
    assert e.interval is not None
    assert [alpha.value[1], alpha.low[0, 1], alpha.high[0, 1]] == pytest.approx([e.value, *e.interval])
    pi = ev.tables["a"].prevalence
    known = _at(design="case-control")["a", "ap"]
    line = ev.sensitivity("prevalence", [0.05, pi]).of("a", "ap")
    assert (line.value[1], line.low[0, 1]) == pytest.approx((known.value, known.interval.low), rel=1e-3)  # type: ignore[union-attr]
    assert line.value[0] < line.value[1]
    budget = ev.sensitivity("budget", [24]).of("a", "recall")
    of_rate = ev["a", "recall@10%"]
    assert (budget.value[0], budget.low[0, 0]) == pytest.approx((of_rate.value, of_rate.interval.low), rel=1e-6)  # type: ignore[union-attr]
    of_clusters = _at(clusters=np.arange(240) // 2).sensitivity("alpha", [7]).of("a", "croc")
    assert of_clusters.value[0] == ev.sensitivity("alpha", [7]).of("a", "croc").value[0]
    assert of_clusters.low[0, 0] != ev.sensitivity("alpha", [7]).of("a", "croc").low[0, 0]


def test_plans() -> None:
    ev = hc.evaluate_survival(**_drawn(), horizons=[3.0, T])
    found = ev.power_analysis("auc", 0.1, T, power=0.8)
    assert found.subjects_interval is not None
    assert found.subjects_interval[0] < found.subjects < found.subjects_interval[1]
    back = ev.power_analysis("auc", 0.1, T, subjects=found.subjects)
    assert back.power == pytest.approx(0.8, abs=0.005)
    assert back.power_interval is not None
    # the standard error of the paired test grows with the root of the subjects
    test = ev.compare("a", "b", "auc", T)
    scaled = found.subjects / 240
    z = 0.1 / (test.difference.standard_error / math.sqrt(scaled))
    assert z == pytest.approx(2.8, abs=0.15)
    for words in ("subjects, with about", "cases in the pilot", "95% interval"):
        assert words in str(found)
    assert found.to_record()["subjects"] == found.subjects
    clustered = hc.evaluate_survival(**_drawn(), horizons=T, clusters=np.arange(240) // 2)
    assert "with clusters" in str(clustered.power_analysis("ap", 0.1, power=0.8).no_interval)
    with pytest.raises(ParameterError, match="either power"):
        ev.power_analysis("ap", 0.1, T)
    with pytest.raises(ParameterError, match="effect must not be 0"):
        ev.power_analysis("ap", 0, T, power=0.8)
    with pytest.raises(UndefinedMetricError, match="plans numbers of subjects"):
        ev.at(T).power_analysis("ap", 0.1, power=0.8)


def test_exact_tests_of_subjects_are_refused() -> None:
    ev = _at()
    for ask in (
        lambda: ev.largest_enrichment("a"),
        lambda: ev.certify("a", precision=0.5),
        lambda: ev.gap("auc", by=np.arange(240) % 2, ranker="a"),
    ):
        with pytest.raises(UndefinedMetricError, match="censored before horizon 6"):
            ask()
    assert ev.winner("ap").ranker in ("a", "b")


def test_cutoffs_of_low_scores_are_scores_as_they_were_given() -> None:
    own = _drawn()
    for t in (0.5, T):
        high, low = (
            hc.evaluate_survival(
                own["time"],
                own["event"],
                {"a": sign * own["scores"]["a"]},
                horizons=t,
                metrics="recall@10%",
                higher_is_better=sign > 0,
            )
            for sign in (1, -1)
        )
        records = [ev.to_records()[0] for ev in (high, low)]
        assert records[0]["cut_score"] == -records[1]["cut_score"]
        assert records[1]["cut_score"] < 0
        assert "score at most" in str(low["a", "recall@10%"].cut)


def test_numbers_of_equal_weight_are_called_so() -> None:
    said = str(_at(metrics="auc").compare("a", "b", "auc"))
    assert re.search(r"paired, [\d.]+ positives, [\d.]+ negatives of equal weight", said)
