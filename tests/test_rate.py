"""Time budgets: the law of the minutes per item, several reviewers, logged times, and the command that prints them."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import hitcurve as hc
from hitcurve import errors
from hitcurve.rates.fit import of_sample
from tests.shell import in_process as run
from tests.strategies import law

RAPID = hc.rates.Beta.from_time_budget(2500, 7200, (10, 45))
SECOND = hc.rates.Beta.from_time_budget(2500, 3600, (8, 30))
LOG = [14.2, 18.5, 16.1, 25.0, 31.5, 19.8, 12.9]
LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)


# ---- minutes per item


@law(60)
@given(a=st.floats(0.3, 200), b=st.floats(0.3, 200), items=st.integers(1, 10**6), minutes=st.floats(1, 1e5))
def test_minutes_per_item_are_inverse_beta(a: float, b: float, items: int, minutes: float) -> None:
    """T / (M R) - T / M is beta prime with the shapes exchanged, in units of T / M."""
    ours = hc.rates.Beta(a, b).minutes_per_item(items, minutes)
    least = minutes / items
    theirs = stats.betaprime(b, a, loc=least, scale=least)
    rate = stats.beta(a, b)
    for level in LEVELS:
        here = ours.quantile(level)
        assert here == pytest.approx(least / rate.isf(level), rel=1e-9)
        assert float(ours.cdf(here)) == pytest.approx(level, rel=1e-6)
        assert float(ours.cdf(here)) == pytest.approx(theirs.cdf(here), rel=1e-6)
    assert ours.cdf([least / 2, least]).tolist() == [0, 0]
    if a > 1.1:
        assert ours.mean == pytest.approx(theirs.mean(), rel=1e-9)
    if a <= 1:
        assert ours.mean == math.inf


def test_the_elicited_minutes_come_back() -> None:
    of_rapid = RAPID.minutes_per_item(2500, 7200)
    assert (of_rapid.quantile(0.025), of_rapid.quantile(0.975)) == pytest.approx((10, 45), rel=1e-7)
    assert of_rapid.shortest == 2.88
    draws = 7200 / (2500 * np.random.default_rng(0).beta(RAPID.a, RAPID.b, 400_000))
    assert of_rapid.mean == pytest.approx(draws.mean(), rel=0.005)
    assert of_rapid.quantile(0.5) == pytest.approx(np.median(draws), rel=0.005)


# ---- several reviewers


@pytest.mark.parametrize(
    "densities",
    [
        (RAPID, SECOND),
        (hc.rates.Beta(0.6, 12), hc.rates.Beta(3, 20)),
        (hc.rates.Beta(4000, 16000), hc.rates.Beta(2, 30)),
    ],
    ids=["two budgets", "one unbounded at 0", "one nearly sure"],
)
def test_the_sum_of_two_is_their_convolution(densities: tuple[hc.rates.Beta, hc.rates.Beta]) -> None:
    team = hc.rates.RateSum(densities)
    x, y = (stats.beta(d.a, d.b) for d in densities)
    of_second = y.ppf((np.arange(200_000) + 0.5) / 200_000)
    for rate in (0.05, 0.15, 0.22, 0.3, 0.5):
        exact = float(np.mean(x.cdf(rate - of_second)))
        assert team.cdf(rate) == pytest.approx(exact, abs=2e-5)
    assert team.mean == pytest.approx(x.mean() + y.mean())
    assert team.density.mean == pytest.approx(team.mean)
    assert team.density.variance == pytest.approx(x.var() + y.var())


@pytest.mark.slow
def test_the_distance_of_a_sum_is_what_sampling_finds() -> None:
    team = hc.rates.RateSum([RAPID, SECOND, hc.rates.Beta(0.5, 20)])
    rng = np.random.default_rng(1)
    draws = np.minimum(sum(rng.beta(d.a, d.b, 1_000_000) for d in team.densities), 1)
    # the Kolmogorov-Smirnov distance of so many draws is below 0.002 in all but one of a thousand cases
    assert team.distance == pytest.approx(team.density.distance(draws), abs=0.002)
    assert team.distance > 0.002


def test_the_distance_bounds_the_error_of_expected_recall() -> None:
    team = hc.rates.RateSum([hc.rates.Beta(0.5, 6), hc.rates.Beta(0.5, 6)])
    rng = np.random.default_rng(2)
    errors_of = []
    for strength in (0.0, 1.0, 5.0):
        y = (rng.random(400) < 0.1).astype(int)
        table = hc.HitTable.from_scores(y, rng.normal(size=400) + strength * y)
        rate, recall = (np.append(0.0, column) for column in (table.rate, table.tpr))
        # recall rises evenly between two vertices: its expectation is 1 less the mean of the distribution function
        means = [np.mean([team.cdf(x) for x in np.linspace(a, b, 9)]) for a, b in pairwise(rate.tolist())]
        exact = 1 - float(np.sum(np.diff(recall) * means))
        errors_of.append(abs(hc.metrics.ExpectedRecall(team.density).value(table) - exact))
    assert max(errors_of) <= team.distance
    assert max(errors_of) > team.distance / 20  # which is not far from what it bounds


def test_the_narrower_the_densities_the_nearer_is_a_beta() -> None:
    """A sum of many goes to the normal law, and so does a narrow beta density."""
    distances = [hc.rates.RateSum([hc.rates.Beta(a, 60 * a)] * 12).distance for a in (0.05, 0.5, 5.0, 50.0)]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 0.1 * distances[0]


def test_who_may_finish_the_list_is_refused() -> None:
    half = hc.rates.Beta(50, 60)
    beyond = 1 - stats.norm.cdf((1 - 2 * half.mean) / math.sqrt(2 * half.variance))
    assert beyond > 0.025
    with pytest.raises(errors.ParameterError, match="finish the whole list") as caught:
        hc.rates.RateSum([half, half])
    assert float(str(caught.value).split("probability ")[1].split(":")[0]) == pytest.approx(beyond, abs=0.01)
    assert hc.rates.RateSum([half, hc.rates.Beta(30, 70)]).cdf(1) > 0.975


@pytest.mark.parametrize(("densities", "words"), [([RAPID], "at least two"), ([RAPID, hc.rates.Point(0.1)], "Point")])
def test_what_is_no_sum(densities: list[Any], words: str) -> None:
    with pytest.raises(errors.ParameterError, match=words):
        hc.rates.RateSum(densities)


# ---- logged times


@law(40)
@given(
    a=st.floats(0.7, 100),
    b=st.floats(5, 400),
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(20, 300),
)
def test_logged_times_give_the_density_of_largest_likelihood(a: float, b: float, seed: int, n: int) -> None:
    rates = np.random.default_rng(seed).beta(a, b, n)
    found = hc.rates.Beta(*of_sample(rates))  # from_times refuses one in a hundred of these
    best = stats.beta(found.a, found.b).logpdf(rates).sum()
    for da, db in ((1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99), (1.01, 1.01), (0.99, 0.99)):
        assert stats.beta(found.a * da, found.b * db).logpdf(rates).sum() < best
    assert found.distance(rates) == pytest.approx(stats.kstest(rates, stats.beta(found.a, found.b).cdf).statistic)


def test_many_logged_times_give_the_density_they_came_from() -> None:
    rates = np.random.default_rng(3).beta(RAPID.a, RAPID.b, 50_000)
    found = hc.rates.Beta.from_times(7200 / (2500 * rates), 2500, 7200)
    assert (found.a, found.b) == pytest.approx((RAPID.a, RAPID.b), rel=0.03)


@pytest.mark.slow
def test_the_refusal_of_logged_times_has_the_level_it_names() -> None:
    """1 to 3 of 100 samples of a beta density are refused, whatever their size."""
    rng = np.random.default_rng(4)
    for n in (5, 40):
        refused = 0
        for _ in range(600):
            try:
                hc.rates.Beta.from_times(2.88 / rng.beta(6, 33, n), 2500, 7200)
            except errors.ParameterError:
                refused += 1
        assert 0 < refused / 600 < 0.04


def refusals() -> dict[str, tuple[Callable[[], Any], type[Exception], str]]:
    def times(log: Any, items: int = 2500) -> Callable[[], Any]:
        return lambda: hc.rates.Beta.from_times(log, items, 7200)

    two = [9, 10, 10.5, 10, 11, 9.5, 10.2, 500, 510, 520, 490, 505, 515, 495]
    return {
        "too few": (times(LOG[:4]), errors.InsufficientDataError, "at least 5 logged times, got 4"),
        "no time": (times([*LOG, 0]), errors.ParameterError, "minutes per item must be a finite number above 0, got 0"),
        "text": (times([*LOG, "9"]), errors.ParameterError, "minutes per item"),
        "fast enough for all": (times([*LOG, 2.88]), errors.ParameterError, "suffice for all 2500 items"),
        "no spread": (times([12.0] * 6), errors.ParameterError, "all 6 logged times are 12 minutes"),
        "two kinds of review": (times(two), errors.ParameterError, "no beta density fits the 14 logged times"),
        "no items": (times(LOG, 0), errors.ParameterError, "items must be a whole number"),
        "no level": (lambda: RAPID.minutes_per_item(2500, 7200).quantile(1), errors.ParameterError, "level"),
        "no minutes": (lambda: RAPID.minutes_per_item(2500, 0), errors.ParameterError, "minutes must be"),
        "no rate": (lambda: RAPID.distance([0.1, 1.5]), errors.ParameterError, "a rate must be a fraction"),
    }


@pytest.mark.parametrize("name", refusals())
def test_refusals(name: str) -> None:
    wrong, kind, words = refusals()[name]
    with pytest.raises(kind) as caught:
        wrong()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "density", [RAPID, hc.rates.Uniform(0.1, 0.4), hc.rates.RateMixture([RAPID, SECOND], [3, 1])], ids=str
)
def test_quantiles_invert_the_distribution_function(density: hc.rates.RateDensity) -> None:
    for level in LEVELS:
        assert float(density.magnification()(density.quantile(level))) == pytest.approx(level, abs=1e-9)


# ---- the command

BUDGET = ("rate", "--items", "2500", "--minutes", "7200", "--per-item", "10:45")


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    y = (rng.random(800) < 0.06).astype(int)
    path = tmp_path_factory.mktemp("scored") / "scores.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["y", "a", "b"])
        writer.writerows(zip(y, rng.normal(size=800) + 1.6 * y, np.round(-rng.normal(size=800) - y, 1), strict=True))
    return path


def parts(*arguments: str) -> dict[str, Any]:
    done = run(*arguments, "-f", "json")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def read(path: Path) -> tuple[list[int], dict[str, list[float]]]:
    with path.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return [int(r["y"]) for r in rows], {"a": [float(r["a"]) for r in rows], "b": [-float(r["b"]) for r in rows]}


def test_the_example_of_the_paper() -> None:
    done = run(*BUDGET)
    assert done.returncode == 0, done.stderr
    assert "beta(6.226, 32.79)" in done.stdout
    assert "on [2.88, inf)" in done.stdout
    assert "no upper limit" in done.stdout
    found = parts(*BUDGET)
    assert found["density"] == [{"who": "reviewer", "density": str(RAPID), "minutes": 7200, "distance": None}]
    shares = {record["level"] or record["quantity"]: record["share"] for record in found["rate"]}
    assert shares == {"mode": RAPID.mode, "mean": RAPID.mean} | {level: RAPID.quantile(level) for level in LEVELS}
    assert all(record["items"] == pytest.approx(2500 * record["share"]) for record in found["rate"])
    minutes = {record["level"] or record["quantity"]: record["minutes"] for record in found["minutes_per_item"]}
    per_item = RAPID.minutes_per_item(2500, 7200)
    assert minutes["least"] == 2.88
    assert minutes["mean"] == per_item.mean
    assert [minutes[level] for level in LEVELS] == [per_item.quantile(level) for level in LEVELS]


def test_several_reviewers_on_the_command_line() -> None:
    two = ("rate", "--items", "2500", "--reviewer", "7200/10:45", "--reviewer", "3600/8:30")
    team = hc.rates.RateSum([RAPID, SECOND])
    together = parts(*two)
    assert together == parts(*two, "--combine", "sum")
    assert [record["density"] for record in together["density"]] == [str(RAPID), str(SECOND), str(team.density)]
    assert together["density"][-1]["distance"] == team.distance
    one_of = hc.rates.RateMixture([RAPID, SECOND], [1, 1])
    mixed = parts(*two, "--combine", "mixture")
    assert mixed["density"][-1]["density"] == str(one_of)
    assert [r["share"] for r in mixed["rate"] if r["quantity"] == "quantile"] == [one_of.quantile(x) for x in LEVELS]
    assert {record["who"] for record in mixed["minutes_per_item"]} == {"reviewer 1", "reviewer 2"}


def test_logged_times_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("\n".join(map(str, LOG)) + "\n\n")
    budget = ("rate", "--items", "2500", "--minutes", "7200", "--times")
    expected = hc.rates.Beta.from_times(LOG, 2500, 7200)
    (found,) = parts(*budget, str(path))["density"]
    assert found["density"] == str(expected)
    assert found["distance"] == pytest.approx(
        stats.kstest(7200 / (2500 * np.array(LOG)), stats.beta(expected.a, expected.b).cdf).statistic
    )
    assert run(*budget, "-", stdin=path.read_bytes()).stdout == run(*budget, str(path)).stdout


def test_what_is_found_is_what_python_says(scored: Path) -> None:
    y, scores = read(scored)
    metrics = [hc.metrics.RateWeightedAUC(RAPID), hc.metrics.ExpectedRecall(RAPID)]
    ev = hc.evaluate(y, scores, metrics=metrics, design="case-control", confidence_level=0.9)
    content = parts(*BUDGET, str(scored), "-l", "y", "-s", "a", "-s", "b:low", "--confidence-level", "0.9")
    found = {(record["ranker"], record["quantity"]): record for record in content["found"]}
    n_pos = sum(y)
    for name in scores:
        for quantity, metric in zip(("rauc", "expected recall"), metrics, strict=True):
            e, record = ev[name, metric], found[name, quantity]
            low, high = e.confidence_interval()
            assert (record["value"], record["low"], record["high"]) == pytest.approx((e.value, low, high), rel=1e-12)
        recall, number = found[name, "expected recall"], found[name, "expected number found"]
        for key in ("value", "low", "high"):
            assert number[key] == pytest.approx(n_pos * recall[key])
    assert any(f"the number of positives, {n_pos}" in line for line in content["notes"])
    assert any("800 subjects and the budget is for 2,500 items" in line for line in content["notes"])


def test_the_stopping_table(scored: Path) -> None:
    y, scores = read(scored)
    n, n_pos = len(y), sum(y)
    content = parts(*BUDGET, str(scored), "-l", "y", "-s", "a", "-s", "b:low")
    stops = [record["after"] for record in content["after"] if record["ranker"] == "a"]
    assert {math.ceil(RAPID.quantile(level) * n) for level in LEVELS} <= set(stops)
    assert {10, 20, 50, 100, 200, 500} <= set(stops)
    assert stops == sorted(stops)
    ranked = np.array(y)[np.argsort(-np.array(scores["a"]))]
    ev = hc.evaluate(y, scores, metrics="auc", design="case-control")
    recall = ev.sensitivity("budget", stops)
    for place, record in enumerate(record for record in content["after"] if record["ranker"] == "a"):
        k = record["after"]
        assert record["found"] == pytest.approx(ranked[:k].sum())  # a has no ties
        assert record["precision"] == pytest.approx(ranked[:k].mean())
        assert record["reached"] == pytest.approx(stats.beta(RAPID.a, RAPID.b).sf(k / n), abs=1e-12)
        line = recall.of("a", "recall")
        assert record["recall_low"] == pytest.approx(line.low[0, place])
        assert record["recall_high"] == pytest.approx(min(line.high[0, place], k / n_pos))
        for key, factor in (("found", n_pos), ("precision", n_pos / k)):
            for end in ("", "_low", "_high"):
                assert record[f"{key}{end}"] == pytest.approx(factor * record[f"recall{end}"])
        assert 0 <= record["found_low"] <= record["found"] <= record["found_high"] <= min(k, n_pos) + 1e-9


@pytest.mark.slow
def test_every_format_has_the_same_numbers(scored: Path, tmp_path: Path) -> None:
    command = (*BUDGET, str(scored), "-l", "y", "-s", "a")
    content = parts(*command)
    table = list(csv.DictReader(io.StringIO(run(*command, "-f", "csv").stdout)))
    for part in ("density", "rate", "minutes_per_item", "found", "after"):
        records = [{key: value for key, value in row.items() if value} for row in table if row["part"] == part]
        assert len(records) == len(content[part])
        for record, plain in zip(records, content[part], strict=True):
            assert record == {"part": part} | {key: str(value) for key, value in plain.items() if value is not None}
    for form in ("text", "markdown", "latex"):
        done = run(*command, "-f", form)
        assert done.returncode == 0
        assert "expected number found" in done.stdout
        for record in content["found"]:
            assert f"{record['value']:#.4g}".removesuffix(".") in done.stdout
    target = tmp_path / "plan.md"
    assert run(*command, "-f", "markdown", "-o", str(target)).stdout == ""
    assert target.read_text() == run(*command, "-f", "markdown").stdout


@pytest.mark.slow
def test_items_are_counted(scored: Path, tmp_path: Path) -> None:
    """Without a number the subjects of the scores, else the rows of a file, or the values of a column."""
    command = (str(scored), "-l", "y", "-s", "a", "--minutes", "900", "--per-item", "10:45")
    plain = parts("rate", *command, "--items", "800")
    for how, said in (((), "the subjects of the scores"), (("--items", str(scored)), "the rows of scores.csv")):
        found = parts("rate", *command, *how)
        assert found["notes"][0] == f"800 items: {said}"
        assert {**found, "notes": found["notes"][1:]} == plain
    grouped = tmp_path / "grouped.csv"
    lines = scored.read_text().splitlines()
    grouped.write_text("\n".join([f"{lines[0]},id", *(f"{line},{i // 4}" for i, line in enumerate(lines[1:]))]))
    few = parts("rate", str(grouped), *command[1:5], "--minutes", "225", "--per-item", "10:45", "--items", "id")
    assert few["notes"][0] == "200 items: the different values of 'id'"
    assert few["density"][0]["density"] == plain["density"][0]["density"]
    piped = run("rate", "-", *command[1:], "-f", "json", stdin=scored.read_bytes())
    assert json.loads(piped.stdout) == parts("rate", *command)


@pytest.mark.parametrize(
    ("written", "minutes"),
    [("7200", 7200), ("120h", 7200), ("5d", 7200), ("7200min", 7200), ("4d 24h", 7200), ("432000s", 7200)],
)
def test_durations(written: str, minutes: float) -> None:
    assert hc.rates.Beta.from_time_budget(2500, written, (10, "45min")) == RAPID
    assert hc.rates.Beta.from_time_budget(2500, timedelta(minutes=minutes), ("600s", 45)) == RAPID
    found = parts("rate", "--items", "2500", "--time", written, "--per-item", "10min:2700s")
    assert found["density"] == parts(*BUDGET)["density"]
    assert ("a day has 24 hours" in found["notes"][0]) is ("d" in written)
    assert parts("rate", "--items", "2500", "--reviewer", f"{written}/10:45")["density"][0]["density"] == str(RAPID)


def test_rankers_stand_side_by_side(scored: Path) -> None:
    done = run("rate", str(scored), "-l", "y", "-s", "a", "-s", "b:low", "--time", "15h", "--per-item", "10:45")
    header = next(line for line in done.stdout.splitlines() if line.startswith("after"))
    assert re.split(r"  +", header) == ["after", "share", "reached", "found: a", "found: b", "recall: a", "recall: b"]
    content = parts("rate", str(scored), "-l", "y", "-s", "a", "-s", "b:low", "--time", "15h", "--per-item", "10:45")
    for record in content["after"]:
        line = next(line for line in done.stdout.splitlines() if re.match(rf" *{record['after']}  ", line))
        assert f"{record['found']:#.4g}".removesuffix(".") in line


BAD = {
    "no items": (["--items", "0", "--minutes", "7200", "--per-item", "10:45"], "--items must be a whole number"),
    "half an item": (["--items", "2.5", "--minutes", "7200", "--per-item", "10:45"], "at least 1, got 2.5"),
    "no list": (["--minutes", "7200", "--per-item", "10:45"], "give the number of items: --items 2500"),
    "no such file": (
        ["--items", "no.csv", "--minutes", "7200", "--per-item", "10:45"],
        "no such file and no file of scores",
    ),
    "no such column of items": (
        ["SCORES", "-l", "y", "-s", "a", "--items", "idd", "--minutes", "72", "--per-item", "10:45"],
        "no column 'idd'",
    ),
    "no duration": (
        ["--items", "9", "--minutes", "3 weeks", "--per-item", "1:2"],
        "--minutes must be a number of minutes",
    ),
    "no duration, by its other name": (
        ["--items", "2500", "--time", "-1h", "--per-item", "10:45"],
        "--time must be a number of minutes or a duration such as 90min, 24h, 3d or 1h30min, got '-1h'",
    ),
    "no duration of all logged": (["--items", "9", "--time=0", "--times", "LOG"], "--time must be a finite number"),
    "time twice": (["--items", "9", "--time", "9", "--reviewer", "7200/10:45"], "--time cannot be combined with"),
    "time for all, if fast": (
        ["--items", "50", "--time", "90min", "--per-item", "1:3"],
        "for all 50 items at 1 minute each: the rate",
    ),
    "time for all, however slow": (
        ["--items", "50", "--time", "5d", "--per-item", "10:45"],
        "even at 45 minutes each, which takes 2250 minutes: screen the whole list",
    ),
    "reversed": (
        ["--items", "2500", "--minutes", "7200", "--per-item", "45:10"],
        "--per-item must have the shorter time and then the longer time, got '45:10'",
    ),
    "one time twice": (
        ["--items", "2500", "--time", "120h", "--per-item", "600s:10min"],
        "--per-item must have the shorter time and then the longer time, got '600s:10min'",
    ),
    "reversed for a reviewer": (
        ["--items", "2500", "--reviewer", "7200/45:10"],
        "--reviewer must have the shorter time and then the longer time, got '45:10'",
    ),
    "one time": (["--items", "2500", "--minutes", "7200", "--per-item", "45"], "such as 10:45, got '45'"),
    "a word": (
        ["--items", "2500", "--minutes", "7200", "--per-item", "ten:45"],
        "3d or 1h30min, got 'ten'",
    ),
    "time for all": (
        ["--items", "500", "--minutes", "7200", "--per-item", "10:45"],
        "recall(uniform(0.32, 1))",
    ),
    "no density": (["--items", "2500", "--minutes", "7200", "--per-item", "10:1e300"], "(off by 0.025 in probability)"),
    "no minutes": (["--items", "2500", "--per-item", "10:45"], "--minutes"),
    "negative": (["--items", "2500", "--minutes", "-1", "--per-item", "10:45"], "--minutes must be"),
    "no way": (["--items", "2500", "--minutes", "7200"], "--per-item 10:45, --times FILE or --reviewer"),
    "two ways": (["--items", "9", "--minutes", "9", "--per-item", "1:2", "--times", "x"], "--per-item and --times"),
    "minutes twice": (
        ["--items", "2500", "--minutes", "9", "--reviewer", "7200/10:45"],
        "--minutes cannot be combined with",
    ),
    "one to combine": (["--items", "9", "--reviewer", "7200/10:45", "--combine", "sum"], "at least two reviewers"),
    "no combination": (["--items", "9", "--reviewer", "7/1:2", "--reviewer", "7/1:2", "--combine", "max"], "--combine"),
    "too many": (["--items", "900", "--reviewer", "7200/10:45", "--reviewer", "7200/10:45"], "finish the whole list"),
    "half a reviewer": (["--items", "2500", "--reviewer", "7200"], "or 120h/10:45, got '7200'"),
    "no file": (["--items", "2500", "--minutes", "7200", "--times", "none.txt"], "cannot read none.txt"),
    "coverage": (["--items", "2500", "--minutes", "7200", "--per-item", "10:45", "--coverage", "1"], "--coverage"),
    "format": ([*BUDGET[1:], "-f", "xml"], "--format must be one of"),
    "label without scores": ([*BUDGET[1:], "--label", "y"], "need a file of scores"),
    "no score": ([*BUDGET[1:], "SCORES", "--label", "y"], "--score"),
    "no label": ([*BUDGET[1:], "SCORES", "--score", "a"], "--label"),
    "no such column": ([*BUDGET[1:], "SCORES", "--score", "a", "--label", "yy"], "did you mean 'y'"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(name: str, scored: Path, tmp_path: Path) -> None:
    arguments, words = BAD[name]
    target = tmp_path / "out.txt"
    given = [str(scored) if argument == "SCORES" else argument for argument in arguments]
    done = run("rate", *given, "-o", str(target))
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not target.exists()


def test_a_log_that_no_density_fits(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_text("\n".join(map(str, [9, 10, 10.5, 10, 11, 9.5, 10.2, 500, 510, 520, 490, 505, 515, 495])))
    done = run("rate", "--items", "2500", "--minutes", "7200", "--times", str(path))
    assert done.returncode == 2
    assert "no beta density fits the 14 logged times" in done.stderr
    path.write_text("12\n14\nten\n")
    done = run("rate", "--items", "2500", "--minutes", "7200", "--times", str(path))
    assert done.returncode == 2
    assert "log.txt, line 3" in done.stderr


# ---- densities of your own


def test_a_density_from_a_function_is_the_named_one() -> None:
    """Its metrics, their standard errors, its mean and its quantiles, to the precision of the quadrature."""
    named = hc.rates.Beta(6.23, 32.8)
    own = hc.rates.FromDensity(lambda rate: rate**5.23 * (1 - rate) ** 31.8)
    assert own.mean == pytest.approx(named.mean, abs=1e-12)
    assert [own.quantile(level) for level in LEVELS] == pytest.approx([named.quantile(level) for level in LEVELS])
    rng = np.random.default_rng(0)
    y = rng.random(120) < 0.2
    s = np.round(rng.normal(size=120) + y, 1)
    kinds = (hc.metrics.RateWeightedAUC, hc.metrics.ExpectedRecall, hc.metrics.ExpectedNegativeRecall)
    for kind in kinds:
        ev = hc.evaluate(y, s, metrics=[kind(own), kind(named)])
        ours, theirs = (ev["score", m] for m in ev.metrics)
        assert ours.value == pytest.approx(theirs.value, abs=1e-11)
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-9)
        assert ours.interval == pytest.approx(theirs.interval, rel=1e-8)


@pytest.mark.parametrize("density", [lambda x: x - 0.5, lambda x: 0 * x, lambda x: 1 / x])
def test_what_is_no_density_is_refused(density: Callable[[Any], Any]) -> None:
    with pytest.raises(errors.ParameterError, match="density of a magnification"):
        hc.rates.FromDensity(density)
