"""Scripts of two papers and of what goes beyond them: quick runs, and what their committed results must say."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

pytest.importorskip("sklearn")
from papers import beyond, clemencon_vayatis, millard_flach_higgins
from papers.frame import FAILED, Folder
from papers.rauc_algorithm import MISPRINTS, algorithm_1

import hitcurve as hc

SCRIPTS = {script.FOLDER.name: script for script in (millard_flach_higgins, clemencon_vayatis, beyond)}


def committed(name: str) -> list[dict[str, str]]:
    return Folder(name).read("comparison")


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_claim_of_a_quick_run_holds(name: str, shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert SCRIPTS[name].main(["--quick", "--data", str(shared_data)]) == 0
    assert "matched" in capsys.readouterr().out


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_claim_of_the_committed_results_holds(name: str) -> None:
    rows = committed(name)
    assert len(rows) > 15
    assert not [row["item"] for row in rows if row["verdict"] == FAILED]
    assert all(row["reason"] for row in rows if row["verdict"] not in ("matched", "holds"))
    assert all(bool(row["published"]) == (row["verdict"] != "holds") for row in rows)


def test_without_data_a_quick_run_does_what_needs_none(tmp_path: Path) -> None:
    assert millard_flach_higgins.main(["--quick", "--data", str(tmp_path)]) == 0
    with pytest.raises(SystemExit, match="2"):
        millard_flach_higgins.main(["--data", str(tmp_path)])


# ---- Millard, Flach and Higgins


@pytest.mark.parametrize("density", [hc.rates.Beta(1, 1), hc.rates.Beta(3, 19), hc.rates.Beta(0.7, 2.5)])
def test_algorithm_1_is_the_closed_form(density: hc.rates.Beta) -> None:
    rng = np.random.default_rng(3)
    for n1, n0 in ((1, 1), (3, 8), (9, 4)):
        table = hc.HitTable.from_scores(rng.permutation([1] * n1 + [0] * n0), rng.integers(0, 6, n1 + n0))
        pos, neg = ([int(z) for z in side] for side in (table.counts.pos, table.counts.neg))
        assert math.isclose(
            algorithm_1(pos, neg, density), hc.metrics.RateWeightedAUC(density).value(table), abs_tol=1e-12
        )


@pytest.mark.parametrize("name", MISPRINTS)
def test_each_misprint_alone_breaks_algorithm_1(name: str) -> None:
    pos, neg, density = [2, 3, 0, 1, 2], [0, 2, 3, 1, 4], hc.rates.Beta(7, 15)
    assert abs(algorithm_1(pos, neg, density, (name,)) - algorithm_1(pos, neg, density)) > 1e-3


def test_no_misprint_is_claimed_of_a_right_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = list(millard_flach_higgins.algorithm_rows(12))
    assert [row.verdict for row in rows] == ["matched", *["misprint"] * len(MISPRINTS)]
    monkeypatch.setattr(
        millard_flach_higgins, "algorithm_1", lambda pos, neg, density, misprints: algorithm_1(pos, neg, density)
    )
    rows = list(millard_flach_higgins.algorithm_rows(12))
    assert [row.verdict for row in rows] == ["matched", *[FAILED] * len(MISPRINTS)]
    monkeypatch.setattr(
        millard_flach_higgins,
        "algorithm_1",
        lambda pos, neg, density, misprints: algorithm_1(pos, neg, density, ["loops"]),
    )
    assert {row.verdict for row in millard_flach_higgins.algorithm_rows(12)} == {FAILED}


def test_the_search_of_the_shapes_ends_near_the_quantiles() -> None:
    a, b = millard_flach_higgins.coarse_search((0.025, 0.064), (0.975, 0.288))
    exact = hc.rates.Beta.from_quantiles(0.064, 0.288)
    assert math.isclose(a, exact.a, rel_tol=1e-3)
    assert math.isclose(b, exact.b, rel_tol=1e-3)
    assert (round(a, 2), round(b, 2)) == (6.23, 32.8) != (round(exact.a, 2), round(exact.b, 2))


def test_the_regions_are_the_whole_and_rauc_is_a_share_of_two() -> None:
    table, density = hc.HitTable.from_counts([1, 0, 3, 1], [0, 4, 2, 3]), hc.rates.Beta(2, 3)
    A, B, C, D = millard_flach_higgins.regions(table, density)
    assert math.isclose(A + B + C + D, 1, abs_tol=1e-8)
    assert math.isclose(A / (A + D), hc.metrics.RateWeightedAUC(density).value(table), abs_tol=1e-8)
    recall = hc.metrics.ExpectedRecall(density)
    assert math.isclose(B, recall.worst(table), abs_tol=1e-8)
    assert math.isclose(1 - C, recall.best(table), abs_tol=1e-8)


def test_the_density_of_the_rapid_review_is_the_published_one() -> None:
    (alpha,) = (row for row in committed("millard_flach_higgins") if row["item"] == "sec. 5.1, alpha of the rate")
    assert alpha["verdict"] == "matched"
    assert round(millard_flach_higgins.REVIEW.a, 2) == float(alpha["published"])


def test_table_1_follows_from_the_models_beside_it() -> None:
    folder = Folder("millard_flach_higgins")
    models = folder.read("models")
    assert len(models) == 150
    ours = {row["item"]: float(row["ours"]) for row in folder.read("comparison") if row["item"].startswith("Table 1")}
    columns = {"AUC": "auc", "NDCG": "ndcg of Eq. 16", "NDCG over the ideal DCG": "ndcg"}
    for label, column in columns.items():
        for name in millard_flach_higgins.NAMES:
            first, second = (np.array([float(m[key]) for m in models]) for key in (column, f"rauc {name}"))
            found = millard_flach_higgins.correlation(first, second)
            assert abs(found - ours[f"Table 1, {label} with {name}"]) < 2e-3, (label, name)


def test_autos_is_divided_by_its_doors() -> None:
    models = Folder("millard_flach_higgins").read("models")
    assert {(m["label"], m["positive"]) for m in models if m["data"] == "autos"} == {("num-of-doors", "two")}


# ---- Clémençon and Vayatis


def test_the_effective_share_is_that_of_binomial_weights() -> None:
    n, p, other = 40, 0.2, 0.3
    k = np.arange(n + 1)
    weights = (p / other) ** k * ((1 - p) / (1 - other)) ** (n - k)
    drawn = binom.pmf(k, n, other)
    brute = np.sum(drawn * weights) ** 2 / np.sum(drawn * weights**2)
    assert math.isclose(clemencon_vayatis.effective_share(n, p, other), brute, rel_tol=1e-10)


def test_algorithm_1_covers_under_asymmetry() -> None:
    lines = Folder("clemencon_vayatis").read("coverage")
    for name in (clemencon_vayatis.PRINTED, clemencon_vayatis.SMOOTHED):
        own = [x for x in lines if x["method"] == name]
        assert len(own) == len(clemencon_vayatis.CELLS)
        for line in own:
            assert clemencon_vayatis.off_level(float(line["coverage"]), int(line["draws"])) > -3


def test_the_slope_is_that_of_the_errors() -> None:
    lines = [{"n": n, "relative_error": n**-0.4, "standard_error": 0.1 * n**-0.4} for n in (100, 400, 1600)]
    power, error = clemencon_vayatis.slope(lines)
    assert math.isclose(power, -0.4)
    assert math.isclose(error, 0.1 / (math.log(4) * math.sqrt(2)))


def test_the_curves_get_nearer_to_the_true_one() -> None:
    lines = Folder("clemencon_vayatis").read("bandwidth")
    for name in ("empirical", "n^-1/5 (Remark 5)", "theorem (Theorem 2)"):
        off = [float(x["largest_deviation"]) for x in lines if x["curve"] == name]
        assert all(later < before for before, later in pairwise(off))


# ---- beyond


def test_tests_adjusted_for_each_other_are_no_sharper_than_alone() -> None:
    lines = [x for x in Folder("beyond").read("tests") if x["adjusted"]]
    assert {x["adjustment"] for x in lines} == {"Holm", "max-t"}
    for line in lines:
        assert float(line["p"]) <= float(line["adjusted"]) <= 1
        if line["simultaneous_low"]:
            assert float(line["simultaneous_low"]) <= float(line["low"]) <= float(line["difference"])
