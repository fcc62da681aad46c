"""The scripts of papers: their quick modes, what they committed, and the frame that says what holds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from papers import frame, su_yuan_zhu, yuan_slides
from papers.frame import FAILED, Folder, Row, approached, conclude, matched, misprint, not_reproduced, stated

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
        assert line["verdict"] in ("matched", "approached", "misprint", "not reproduced")
        assert line["reason"] or line["verdict"] == "matched"
        assert bool(line["tolerance"]) == (line["verdict"] == "approached")
        if line["tolerance"]:
            assert abs(float(line["ours"]) - float(line["published"])) <= float(line["tolerance"])


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
        (approached("a", "0.85", 0.87, 0.02, "why"), "approached"),
        (approached("a", "0.85", 0.88, 0.02, "why"), FAILED),
        (approached("a", "0.85", 0.851, 0.02, "why"), "matched"),
        (misprint("a", "0.907", 0.753, "why"), "misprint"),
        (misprint("a", "0.907", 0.9068, "why"), FAILED),
        (misprint("a", "x - 1", "x + 1", "why"), "misprint"),
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
