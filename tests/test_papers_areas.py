"""Areas and power of the CROC paper: the quick run, what the committed results must say, and the relations by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
from papers import swamidass_areas as areas
from papers.frame import FAILED, Folder, Row, draw_into_nothing
from papers.swamidass2010 import read_tables

import hitcurve as hc

SHORT = hc.HitTable.from_ranks([1, 2, 4, 5, 7], 10)
TIED = hc.HitTable.from_counts([2, 0, 3, 1], [1, 4, 3, 2])


def committed(start: str) -> list[dict[str, str]]:
    found = [row for row in areas.FOLDER.read("comparison") if row["item"].startswith(start)]
    assert found
    return found


def test_every_claim_of_a_quick_run_holds_and_is_the_committed_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[Row] = []
    monkeypatch.setattr(areas, "conclude_quick", lambda _, found, folder: rows.extend(found))
    monkeypatch.setattr(Folder, "write", lambda *_: pytest.fail("a quick run writes"))
    drawn: list[str] = []

    def draw(figures: dict[str, Any]) -> None:
        drawn.extend(figures)
        draw_into_nothing(figures)

    monkeypatch.setattr(areas, "draw_into_nothing", draw)
    areas.main(["--quick"])
    assert drawn == ["magnification", "cases", "shaded", "logarithms", "areas", "power"]
    assert "simulation" in capsys.readouterr().err
    assert [row for row in rows if row.verdict == FAILED] == []
    kept = {row["item"]: row for row in committed("sec.")}
    assert len(rows) > 50
    # last digits may depend on the machine, verdicts not
    assert [row.verdict for row in rows] == [kept[row.item]["verdict"] for row in rows]


def test_committed_rows_hold_and_say_why() -> None:
    for row in committed("sec."):
        assert row["verdict"] in ("matched", "approached", "misprint", "not reproduced", "holds")
        assert row["reason"] or row["verdict"] == "matched"
        assert bool(row["published"]) == (row["verdict"] != "holds")


@pytest.mark.parametrize("start", ["sec. 1", "sec. 2", "sec. 5.1", "sec. 6"])
def test_what_is_mathematics_is_matched_or_misprinted(start: str) -> None:
    other = {row["item"]: row["verdict"] for row in committed(start) if row["verdict"] != "matched"}
    assert set(other.values()) <= {"misprint", "holds", "approached"}
    assert len(other) <= 2


@pytest.mark.parametrize("slope", [0.5, 3.0, 10.0])
def test_both_axes_magnified_have_a_limit_below_one(slope: float) -> None:
    assert math.isclose(areas.both_axes(hc.magnify.Exponential(300), slope), slope / (1 + slope), rel_tol=1e-4)


def test_three_lists_of_one_auc() -> None:
    for table in areas.three_cases().values():
        assert (table.n, table.n_pos) == (1000, 20)
        assert math.isclose(hc.metrics.AUC().value(table), 0.5, abs_tol=1e-12)


@pytest.mark.parametrize("table", [SHORT, TIED], ids=["strict", "tied"])
@pytest.mark.parametrize("alpha", [0.5, 7.0, 20.0])
def test_definitions_by_rank_are_the_metrics(table: hc.HitTable, alpha: float) -> None:
    assert math.isclose(areas.rie(table, alpha), hc.metrics.RIE(alpha=alpha).value(table), rel_tol=1e-12)
    assert math.isclose(areas.bedroc(table, alpha), hc.metrics.BEDROC(alpha=alpha).value(table), rel_tol=1e-9)
    assert math.isclose(areas.slr(table), hc.metrics.SLR().value(table), rel_tol=1e-12)


def test_mean_worth_is_the_mean_over_orders() -> None:
    worth = np.arange(1, 17.0) ** 2
    means = [worth[0:3].mean(), worth[3:7].mean(), worth[7:13].mean(), worth[13:16].mean()]
    assert math.isclose(areas.mean_worth(TIED, worth), (2 * means[0] + 3 * means[2] + means[3]) / 6)
    assert areas.mean_worth(SHORT, np.arange(1, 11.0)) == 3.8


def test_rectangles_are_below_and_above_the_area() -> None:
    f = hc.magnify.Exponential(7)
    by_hand = np.mean([1 - float(f(r / 10)) for r in (1, 2, 4, 5, 7)])
    low, high = areas.rectangles(SHORT, f)
    assert math.isclose(low, by_hand)
    assert low < hc.metrics.CAC(f).value(SHORT) < high
    assert math.isclose(
        areas.rectangles(SHORT, hc.magnify.Identity())[1] - areas.rectangles(SHORT, hc.magnify.Identity())[0], 0.1
    )


@pytest.mark.parametrize("metric", ["rie(alpha=20)", "bedroc(alpha=20)", "slr", "proc"])
def test_committed_relations_are_affine_and_near(metric: str) -> None:
    lines = [line for line in areas.FOLDER.read("relations") if line["metric"] == metric]
    assert len(lines) == 5
    tables = read_tables()
    assert len({(line["slope"], line["intercept"]) for line in lines}) == 1
    for line in lines:
        table = tables[line["ranker"]]
        assert math.isclose(float(line["value"]), hc.metric(metric).value(table), rel_tol=1e-7)
        assert math.isclose(float(line["area"]), hc.metric(line["area_of"]).value(table), rel_tol=1e-7)
        found = float(line["intercept"]) + float(line["slope"]) * float(line["area"])
        assert math.isclose(found, float(line["from_area"]), rel_tol=1e-6)
        assert abs(found / float(line["value"]) - 1) < 0.01


def test_the_power_table_counts_the_committed_tests() -> None:
    p = areas.p_values()
    by = {line["metric"]: line for line in areas.FOLDER.read("power")}
    assert set(by) == set(areas.POWERED)
    for name in ("auc", "croc(exp, alpha=80)"):
        assert len(p[name]) == 6
        assert int(by[name]["delta: p < .01"]) == sum(of["delta"] < 0.01 for of in p[name].values())
    for test in ("paired-t", "delta"):
        assert sum(int(line[f"{test}: least p"]) for line in by.values()) >= 6


def test_the_simulated_rankers_are_what_is_said_of_them() -> None:
    """The AUC of binormal positives of shift m and spread s is Phi(m / sqrt(1 + s^2))."""
    null, everywhere, top = (m / math.hypot(1, s) for m, s in areas.SCENARIOS.values())
    assert math.isclose(null, top, rel_tol=1e-12)
    assert everywhere > null
    rng = np.random.default_rng(4)
    drawn = [areas.draw(*areas.SCENARIOS["better at the top, same AUC"], rng) for _ in range(300)]
    for name in ("first", "second"):
        positives = np.concatenate([scores[name][y == 1] for y, scores in drawn])
        negatives = np.concatenate([scores[name][y == 0] for y, scores in drawn])
        shift, spread = (1.0, 1.0) if name == "first" else areas.SCENARIOS["better at the top, same AUC"]
        assert abs(positives.mean() - shift) < 5 * spread / math.sqrt(positives.size)
        assert abs(positives.std() / spread - 1) < 5 / math.sqrt(2 * positives.size)
        assert abs(negatives.std() - 1) < 5 / math.sqrt(2 * negatives.size)


def test_early_metrics_see_what_auc_cannot() -> None:
    share = {(x["scenario"], x["metric"], x["test"]): float(x["rejected"]) for x in areas.FOLDER.read("simulation")}
    top = "better at the top, same AUC"
    for test in ("delta", "paired-permutation", "paired-t"):
        assert share[top, "croc(exp, alpha=20)", test] > 0.5
        assert share[top, "auc", test] < 0.1
    for (scenario, _, _), value in share.items():
        if scenario == "no difference":
            assert value < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 400)
