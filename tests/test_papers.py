"""The scripts of papers: their quick modes, what they committed, and the frame that says what holds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from papers import frame, su_yuan_zhu, yuan_slides
from papers.frame import (
    FAILED,
    Folder,
    Row,
    by_error,
    by_range,
    claimed,
    conclude,
    in_part,
    matched,
    misprint,
    not_reproduced,
    refuted,
    shown_here,
    stated,
)

import hitcurve as hc
from hitcurve.datasets import mammography

SCRIPTS = [su_yuan_zhu, yuan_slides]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__.rpartition(".")[2])
def test_quick_mode_claims_only_what_holds_and_agrees_with_what_is_committed(script: ModuleType) -> None:
    rows, _ = script.reproduce(frame.arguments(script.__doc__, ["--quick"]))
    assert [row for row in rows if row.verdict == FAILED] == []
    assert conclude(rows) == 0
    committed = {line["item"]: line for line in script.FOLDER.read("comparison")}
    assert len(committed) > 30
    steady = [row for row in rows if row.item.endswith((": AP", ": AUC"))]
    assert len(steady) >= 5
    for row in steady:
        assert row.line == committed[row.item]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__.rpartition(".")[2])
def test_committed_rows_say_why(script: ModuleType) -> None:
    for line in script.FOLDER.read("comparison"):
        assert line["verdict"] in ("matched", "approached", "misprint", "not reproduced", "holds")
        assert line["reason"] or line["verdict"] in ("matched", "holds")
        assert bool(line["published"]) == (line["verdict"] != "holds")
        assert line["verdict"] == "approached" or not line["tolerance"]
        if line["tolerance"]:
            published, half = float(line["published"]), 0.5 * 10.0 ** -len(line["published"].partition(".")[2])
            assert abs(float(line["distance"])) <= (float(line["tolerance"]) * published + half) * 1.01


def test_what_must_be_exact_is_matched() -> None:
    """The counts of the mammography trial are public: there is no excuse."""
    verdicts = {line["item"]: line["verdict"] for line in su_yuan_zhu.FOLDER.read("comparison")}
    for name in ("digital", "film"):
        for what in ("AUC", "AP", "s.e. of AP, asymptotic"):
            assert verdicts[f"Table 5, {name}: {what}"] == "matched"
    slides = {line["item"]: line["verdict"] for line in yuan_slides.FOLDER.read("comparison")}
    assert [slides[f"five items, classifier {i}: AP"] for i in (1, 2, 3)] == ["matched"] * 3


def test_the_rho_from_which_the_difference_is_significant() -> None:
    """In closed form: a quadratic of the standard error, from which rho follows."""
    ev = hc.evaluate(tables=mammography(), metrics="ap")
    a, b = (ev[name, "ap"].standard_error for name in ("film", "digital"))
    needed = (ev["film", "ap"].value - ev["digital", "ap"].value) / 1.959963984540054
    rho = (a * a + b * b - needed**2) / (2 * a * b)
    (row,) = (r for r in su_yuan_zhu.against_correlation()[0] if "significant" in r.item)
    assert f"{rho:.4f}" in str(row.ours)


def test_appendix_b_is_the_delta_method_and_the_bootstrap_by_subject_agrees() -> None:
    table = hc.HitTable.from_counts([9, 7, 4, 2], [2, 6, 11, 30])
    ((_, e),) = hc.evaluate(tables={"a": table}, metrics="ap").metric("ap").items()
    assert su_yuan_zhu.appendix_b(table) == pytest.approx(e.standard_error, rel=1e-12)
    drawn = su_yuan_zhu.one_by_one(table, 4000, np.random.default_rng(1))
    on_table = hc.bootstrap(table, "ap", n_resamples=20_000, rng=2).std(ddof=1)
    assert drawn == pytest.approx(on_table, rel=4 / np.sqrt(2 * 4000))


def test_the_standard_error_of_delong_is_that_of_its_components() -> None:
    """DeLong et al. 1988 from what each subject contributes, with the divisors n1 - 1 and n0 - 1."""
    for name, published in (("digital", 0.01547), ("film", 0.01569)):
        table = mammography()[name]
        of_pos, below = hc.rank_weights("auc", table), np.cumsum(table.pos) - table.pos / 2
        parts = ((of_pos, table.pos), (below / table.n_pos, table.neg))
        variance = 0.0
        for values, counts in parts:
            n = counts.sum()
            off = values - values @ counts / n
            variance += off**2 @ counts / (n - 1) / n
        found = su_yuan_zhu.delong(table)
        assert found == pytest.approx(np.sqrt(variance), rel=1e-9)
        assert round(found, 5) == published


def test_the_null_deviation_is_that_of_all_orders_of_the_labels() -> None:
    """By enumeration, with ties; it is what the slides print as standard error of both AUCs."""
    scores = [3, 3, 2, 2, 2, 1, 0]
    areas = []
    for chosen in combinations(range(7), 3):
        labels = np.isin(np.arange(7), chosen)
        areas.append(float(hc.metrics.AUC().value(hc.HitTable.from_scores(labels, scores))))
    table = hc.HitTable.from_scores([1, 0, 1, 0, 0, 1, 0], scores)
    assert yuan_slides.null_deviation(table) == pytest.approx(np.std(areas))
    found = {name: yuan_slides.null_deviation(table) for name, table in mammography().items()}
    assert {name: f"{value:.5f}" for name, value in found.items()} == {"film": "0.01181", "digital": "0.01173"}


def test_momentum_by_eq_14_has_no_bound_on_the_model() -> None:
    models = su_yuan_zhu.grid(5)
    inner = [g for g in models if g.found > 0 and g.model.beta > g.model.prevalence]
    for g in inner:
        by_hand = hc.QuasiConcave(g.model.alpha, g.model.beta, g.model.prevalence)
        scaled = (by_hand.ap - by_hand.prevalence) / (1 - by_hand.prevalence) / (2 * by_hand.auc - 1)
        assert g.ratio == pytest.approx(scaled / by_hand.beta)
        assert g.ratio > 1 - 1e-9
    for pi in su_yuan_zhu.PREVALENCES:
        of = [g for g in inner if g.model.prevalence == pi]
        assert max(of, key=lambda g: g.ratio).found == 0.01


def test_a_claim_of_theory_fails_if_the_theory_holds() -> None:
    """Models that find all at their first rate are exact: nothing is left to refute."""
    exact = [su_yuan_zhu.OnGrid(hc.QuasiConcave(pi / 0.8, 0.8, pi), 1.0) for pi in su_yuan_zhu.PREVALENCES]
    rows = [row for row in su_yuan_zhu.theorems(exact) if row.item.startswith(("Theorem 2, size", "Eq. 14"))]
    assert len(rows) == 6
    assert {row.verdict for row in rows} == {FAILED}


def test_a_scenario_is_judged_by_the_share_it_is_off() -> None:
    line = {
        "pi": 0.1,
        "shift": 0.5,
        "draws": 3,
        "momentum": 0.3,
        "precision_of_top": 0.2,
        "top": 25,
        "fitted_beta": 0.2,
    }
    verdicts = [
        row.verdict
        for shift, momentum in ((0.5, 0.3), (0.5, 0.21), (2.0, 0.3), (2.0, 0.21))
        for row in su_yuan_zhu.about_simulation([{**line, "shift": shift, "momentum": momentum}])
    ]
    assert verdicts == ["not reproduced", FAILED, FAILED, "approached"]


def test_a_formula_is_no_misprint_where_it_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    table = mammography()["film"]
    assert su_yuan_zhu.eq_15_row("film", table).verdict == "misprint"
    assert su_yuan_zhu.shares_row("film", table).verdict == "misprint"
    row = su_yuan_zhu.moved("a", "0.849", "0.849", table, su_yuan_zhu.exact_auc(table.pos.tolist(), table.neg.tolist()))
    assert row.verdict == FAILED
    assert su_yuan_zhu.moved("a", "0.849", "0.783", table, Fraction(1, 2)).verdict == FAILED
    monkeypatch.setattr(su_yuan_zhu, "eq_15", lambda table: float(hc.metric("auc").value(table)))
    monkeypatch.setattr(su_yuan_zhu, "eq_24", lambda table, p, q: float(hc.metric("ap").value(table)))
    assert su_yuan_zhu.eq_15_row("film", table).verdict == FAILED
    assert su_yuan_zhu.shares_row("film", table).verdict == FAILED


def test_a_published_value_in_reach_is_not_said_to_be_out_of_it() -> None:
    line = {"peak": "9149.121", "ap": 0.85, "ap_worst_order": 0.84, "ap_best_order": 0.9}
    others = [{**line, "peak": peak} for peak in su_yuan_zhu.OUT_OF_REACH[1:]]
    assert next(su_yuan_zhu.out_of_reach([line, *others])).verdict == "holds"
    assert next(su_yuan_zhu.out_of_reach([{**line, "ap_worst_order": 0.8}, *others])).verdict == FAILED


def test_copies_of_controls_leave_the_exact_auc() -> None:
    pos, neg = [3, 0, 2, 1], [1, 4, 2, 5]
    pairs = [(i, j) for i in range(4) for j in range(4)]
    brute = sum(pos[i] * neg[j] * Fraction(2 * (i < j) + (i == j), 2) for i, j in pairs) / Fraction(sum(pos) * sum(neg))
    for copies in (1, 10, 100):
        assert su_yuan_zhu.exact_auc(pos, [copies * y for y in neg]) == brute


# ---- the frame


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (matched("a", "0.144", 0.14389), "matched"),
        (matched("a", "0.144", 0.1434), FAILED),
        (matched("a", "0.0340", 0.03404), "matched"),
        (matched("a", "0.0340", 0.03406), FAILED),
        (by_error("a", "0.85", 0.865, 0.01, "why"), "approached"),
        (by_error("a", "0.85", 0.876, 0.01, "why"), "not reproduced"),
        (by_error("a", "-10", -10.8, 0.2, "why"), "approached"),
        (by_error("a", "0.85", 0.8504, 0.01, "why"), "matched"),
        (by_range("a", "0.85", 0.9, (0.8, 0.95), "why"), "approached"),
        (by_range("a", "0.85", 0.9, (0.854, 0.95), "why"), "approached"),
        (by_range("a", "0.85", 0.9, (0.86, 0.95), "why"), "not reproduced"),
        (by_range("a", "0.85", 0.853, (0.86, 0.95), "why"), "matched"),
        (in_part("a", "all", "most", True, "why"), "approached"),
        (in_part("a", "all", "none", False, "why"), FAILED),
        (misprint("a", "0.907", 0.753, True, "why"), "misprint"),
        (misprint("a", "0.907", 0.753, False, "why"), FAILED),
        (misprint("a", "0.907", 0.9068, True, "why"), FAILED),
        (misprint("a", "x - 1", "x + 1", True, "why"), "misprint"),
        (misprint("a", "x - 1", "x + 1", False, "why"), FAILED),
        (misprint("a", "x - 1", "x - 1", True, "why"), FAILED),
        (refuted("a", "falls", "rises", False, "why"), "not reproduced"),
        (refuted("a", "falls", "falls", True, "why"), FAILED),
        (claimed("a", "falls", "falls", True), "matched"),
        (claimed("a", "falls", "rises", False), FAILED),
        (claimed("a", "falls", "rises", False, "why"), "not reproduced"),
        (claimed("a", "falls", "falls", True, "why"), FAILED),
        (shown_here("a", "falls", True), "holds"),
        (shown_here("a", 0.3, False), FAILED),
        (not_reproduced("a", "0.012", 0.0154, "why"), "not reproduced"),
        (not_reproduced("a", "0.012", 0.0122, "why"), FAILED),
        (stated("a", "larger", "larger", True), "matched"),
        (stated("a", "larger", "smaller", False), FAILED),
    ],
)
def test_a_claim_is_checked_where_it_is_made(row: Row, verdict: str) -> None:
    assert row.verdict == verdict
    assert conclude([matched("b", "1", 1.0), row]) == int(verdict == FAILED)


def test_a_table_is_written_whole_or_not(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(frame, "RESULTS", tmp_path)
    folder = Folder("some_paper")
    folder.write("table", [{"a": 1, "b": "x, y"}], "seed 3")
    before = (folder.path / "table.csv").read_bytes()
    assert folder.read("table") == [{"a": "1", "b": "x, y"}]
    assert folder.about("table").startswith("python -m papers.some_paper; seed 3; hitcurve ")

    def breaks() -> Iterator[dict[str, object]]:
        yield {"a": 2, "b": "z"}
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        folder.write("table", breaks())
    with pytest.raises(ValueError, match="fields not in fieldnames"):
        folder.write("table", [{"a": 2, "b": "z"}, {"c": 1}])
    assert (folder.path / "table.csv").read_bytes() == before
    assert [path.name for path in folder.path.iterdir()] == ["table.csv"]


def test_without_data_a_quick_run_goes_on_and_a_whole_one_stops(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quick, whole = (frame.arguments("A paper.", [*said, "--data", str(tmp_path)]) for said in (["--quick"], []))
    assert frame.public_data(quick, "seldi/x.csv") is None
    with pytest.raises(SystemExit) as ended:
        frame.public_data(whole, "seldi/x.csv")
    assert ended.value.code == 2
    assert "HITCURVE_DATA" in capsys.readouterr().err
