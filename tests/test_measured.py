"""What is said of intervals whose coverage was low in simulations, or not simulated."""

import csv
import math
from pathlib import Path

import numpy as np

import hitcurve as hc
from hitcurve.inference.estimation.measured import (
    BY_FORMULA,
    COHORTS,
    COHORTS_OF_POINTS,
    COVERAGE,
    FRESH,
    POINTS,
    UP_TO,
    coverage_of,
    lowest,
    of_simulations,
)
from tests.metrics_under_test import METRICS
from tests.sampled import binormal

RESULTS = Path(__file__).parents[1] / "validation" / "results"
SAID = "in the worst of 50 cohorts"


def read(name: str) -> list[dict[str, str]]:
    with (RESULTS / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_what_is_said_is_what_was_found() -> None:
    """The lowest and the median of each metric in the study of every default."""
    found = {line["metric"]: (float(line["lowest"]), float(line["median"])) for line in read("defaults_weakest")}
    assert {text: (round(low, 2), round(median, 2)) for text, (low, median) in found.items()} == COVERAGE
    by_name: dict[str, float] = {}
    for text, (low, _) in COVERAGE.items():
        by_name[hc.metric(text).name] = min(by_name.get(hc.metric(text).name, 1.0), low, FRESH.get(text, 1.0))
    assert {name: lowest(name) for name in by_name} == by_name
    said = {name for name in by_name if of_simulations(hc.metric(hc.metrics.examples()[name]), 10)}
    assert said == {name for name, low in by_name.items() if low < 0.85}
    lines = read("defaults")
    assert max(int(line["n1"]) for line in lines) == UP_TO
    assert len({tuple(line[key] for key in ("population", "shift", "spread", "pi", "n1")) for line in lines}) == COHORTS


def test_no_number_is_above_what_was_found_in_other_populations() -> None:
    found: dict[str, float] = {}
    for line in read("shortfalls"):
        form, by_formula, _ = line["what"].partition(", interval by formula")
        if by_formula:
            found[form] = min(found.get(form, 1.0), float(line["now"]))
    floor = {form: math.floor(100 * share) / 100 for form, share in found.items()}
    named = {form: share for form, share in floor.items() if hc.metric(form).name not in BY_FORMULA}
    assert named == FRESH
    assert {hc.metric(form).name: share for form, share in floor.items() if form not in named} == BY_FORMULA
    for form, low in FRESH.items():
        (said,) = coverage_of(hc.metric(form))
        assert said.lowest == low < COVERAGE[form][0]
        assert said.elsewhere
    assert "57% in the worst of 50 cohorts and of others" in of_simulations(hc.metric("momentum"), 10)[0]
    assert of_simulations(hc.metric("ndcg"), 10) == []
    assert "ndcg by formula was 71%" in of_simulations(hc.metric("ndcg"), 10, may_draw=False)[0]


def test_momentum_near_an_auc_of_one_half_is_cautioned() -> None:
    said = "standard errors above 1/2"
    for shift, expected in ((0.3, True), (1.5, False)):
        sample = binormal(15, 100, shift, seed=4)
        e = hc.evaluate(sample.y, sample.a, metrics="momentum")["score", "momentum"]
        assert any(said in text for text in e.cautions) is expected
        assert (said in str(hc.evaluate(sample.y, sample.a, metrics="momentum"))) is expected


def test_what_is_said_of_operating_points_is_what_was_found() -> None:
    # of net benefit at a prevalence of .1 the threshold of 10% is that prevalence
    lines = [{**line, "metric": line["metric"].replace(" at pi", "@10%")} for line in read("points")]
    cells = {text: [float(line["coverage"]) for line in lines if line["metric"] == text] for text in POINTS}
    assert {text: (round(min(own), 2), round(float(np.median(own)), 2)) for text, own in cells.items()} == POINTS
    assert {len(own) for own in cells.values()} == {COHORTS_OF_POINTS}
    # they are among every default too, in other cohorts
    assert coverage_of(hc.metric("fpr@tpr=95%")) == [
        ("fpr@tpr=95%", *COVERAGE["fpr@tpr=95%"], COHORTS, False),
        ("fpr@tpr=95%", *POINTS["fpr@tpr=95%"], COHORTS_OF_POINTS, False),
    ]


def test_every_metric_was_simulated() -> None:
    found = {hc.metric(line["metric"]).name for line in read("defaults_weakest")}
    assert {m.name for m in METRICS} <= found
    assert all(coverage_of(m) for m in METRICS)


def test_it_is_said_where_the_interval_is() -> None:
    few, many = binormal(30, 200, 1.0), binormal(UP_TO + 1, 400, 1.0)
    for sample, said in ((few, True), (many, False)):
        ev = hc.evaluate(sample.y, sample.a, metrics=["momentum", "auc"])
        assert any(SAID in text for text in ev["score", "momentum"].cautions) is said
        assert not any(SAID in text for text in ev["score", "auc"].cautions)
        assert (SAID in str(ev)) is said


def test_of_a_metric_of_your_own_it_is_said_that_nobody_looked() -> None:
    class Own(hc.metrics.AUC):
        pass

    assert "was not simulated" in of_simulations(Own(), 1000)[0]
    assert coverage_of(Own()) == []
    assert of_simulations(hc.metrics.AUC(), 10) == []


def test_few_weighted_positives_below_a_recall_are_said() -> None:
    sample = binormal(60, 300, 1.0)
    weights = np.linspace(0.5, 4, 360)
    said = "positives of equal weight rank below the cutoff"
    for form, given, expected in (("wss@95%", weights, True), ("wss@95%", None, False), ("wss@70%", weights, False)):
        e = hc.evaluate(sample.y, sample.a, metrics=form, sample_weight=given)["score", form]
        assert any(said in text for text in e.cautions) is expected
