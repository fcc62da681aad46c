"""Rows of papers from the tables that are committed, and the two readings of the permutation tests."""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn")
from papers import __main__ as every
from papers import again, frame, swamidass_tests, verdicts
from papers.frame import FAILED

import hitcurve as hc


def test_all_papers_run_and_the_worst_code_is_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[str, list[str]]] = []
    for name in every.SCRIPTS:

        def main(argv: list[str], name: str = name) -> int:
            said.append((name, argv))
            return int(name == "beyond")

        monkeypatch.setattr(import_module(f"papers.{name}"), "main", main)
    assert every.main(["--quick", "--data", "nowhere"]) == 1
    assert said == [(name, ["--data", "nowhere", "--quick"]) for name in every.SCRIPTS]
    committed = {path.name for path in frame.RESULTS.iterdir() if (path / "comparison.csv").exists()}
    assert committed <= set(every.SCRIPTS)


@pytest.mark.parametrize("name", again.SCRIPTS)
def test_the_committed_rows_are_those_of_the_committed_tables(name: str) -> None:
    script = import_module(f"papers.{name}")
    rows = [row.line for row in script.again()]
    committed = script.FOLDER.read("comparison")
    columns = ("item", "published", "verdict", "reason")  # last digits may depend on the machine
    assert [[row[c] for c in columns] for row in rows] == [[row[c] for c in columns] for row in committed]
    for row, before in zip(rows, committed, strict=True):
        assert float(row["tolerance"] or 0) == pytest.approx(float(before["tolerance"] or 0), abs=1.5e-5), row["item"]
    assert FAILED not in {row["verdict"] for row in rows}


def test_sizes_part_where_positives_are_many() -> None:
    """Equal rankers: ranks dealt out anew are careful, fixed worths are not."""
    lines = swamidass_tests.FOLDER.numbers("simulation")
    at = {(x["positives"], x["negatives"], x["scenario"], x["test"]): x["rejected"] for x in lines}
    assert at[100, 200, "equal", "paired-rank-permutation"] == 0
    assert at[100, 200, "equal", "paired-permutation"] > 0.15
    for size in swamidass_tests.SIZES:
        assert at[*size, "better", "paired-rank-permutation"] < at[*size, "better", "paired-permutation"]


def test_areas_by_hand_are_the_metric_and_z_is_that_of_the_draws() -> None:
    rng = np.random.default_rng(4)
    n, ranks = 300, np.stack([rng.permutation(120)[:30] + 1 for _ in range(2)])
    for alpha, text in ((None, "auc"), (20.0, "croc(exp, alpha=20)")):
        table = hc.HitTable.from_ranks(np.sort(ranks[0]), n)
        assert swamidass_tests.area(ranks[0], n, alpha) == pytest.approx(hc.metric(text).value(table))
    z = swamidass_tests.z_values(ranks, n, 20.0, 4000, rng)
    y, scores = np.zeros(n), {name: np.zeros(n) for name in "ab"}
    y[:30] = 1
    for name, own in zip("ab", ranks, strict=True):
        rest = np.setdiff1d(np.arange(1, n + 1), own)
        scores[name] = -np.concatenate([own, rest]).astype(float)
    ev = hc.evaluate(y, scores, metrics="croc(exp, alpha=20)")
    found = ev.compare("a", "b", "croc(exp, alpha=20)", method="paired-t")
    assert abs(z["worths"]) == pytest.approx(abs(found.statistic), rel=0.25)
    assert np.sign(z["ranks"]) == np.sign(found.statistic)


def test_a_quick_run_of_the_tests_claims_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert swamidass_tests.main(["--quick", "--data", "nowhere"]) == 0
    assert "none claimed" in capsys.readouterr().out


SPOILT = {
    "swamidass2010": ("reweighting", "constant,convergence,160,", "constant,convergence,101,"),
    "swamidass_areas": (
        "simulation",
        'everywhere,"croc(exp, alpha=20)",paired-permutation,400,0.5',
        'everywhere,"croc(exp, alpha=20)",paired-permutation,400,0.9',
    ),
    "swamidass_tests": (
        "simulation",
        "100,200,better,unpaired-permutation,300,0.6",
        "100,200,better,unpaired-permutation,300,0.9",
    ),
    "swamidass_passes": ("epochs", "full gradients,power,42,192,", "full gradients,power,42,32,"),
}


@pytest.mark.parametrize("name", again.SCRIPTS)
def test_a_quick_run_fails_where_the_committed_tables_do_not_bear_a_row_out(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One number of them is another one."""
    table, number, another = SPOILT[name]
    shutil.copytree(frame.RESULTS, tmp_path / "results")
    monkeypatch.setattr(frame, "RESULTS", tmp_path / "results")
    path = tmp_path / "results" / name / f"{table}.csv"
    text = path.read_text(encoding="utf-8")
    assert number in text
    path.write_text(text.replace(number, another), encoding="utf-8")
    assert import_module(f"papers.{name}").main(["--quick", "--data", "nowhere"]) == 1
    assert "not both" in capsys.readouterr().out


@pytest.mark.parametrize("script", ["su_yuan_zhu", "yuan_slides", "millard_flach_higgins"])
def test_a_quick_run_fails_where_a_metric_is_off(
    script: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By a thousandth: no verdict is written by hand."""
    for form in ("ap", "rauc(beta(3, 19))"):
        kind = type(hc.metric(form))
        monkeypatch.setattr(kind, "kernel", lambda self, c, own=kind.kernel: 0.999 * own(self, c))
    assert import_module(f"papers.{script}").main(["--quick", "--data", "nowhere"]) == 1
    assert FAILED in capsys.readouterr().out


def test_every_row_that_is_not_reproduced_says_what_was_tried() -> None:
    rows = verdicts.changes()
    for change in rows:
        assert change.now in verdicts.ORDER
        if change.now == "not reproduced":
            assert verdicts.readings(change.paper, change.item)
    assert "gradients" in verdicts.readings("swamidass2010", "AUC, power and unweighted")
    with pytest.raises(KeyError, match="no readings"):
        verdicts.readings("beyond", "nothing of the kind")
    before = list(verdicts.FOLDER.read("before"))  # found again, but for what is withdrawn
    assert sum(change.then != "" for change in rows) + len(verdicts.withdrawn()) == len(before)
    fell = {change.item for change in rows if change.fell}
    assert {"auc, SVM", "Figure 3, order of the 15 by AP", "Table 4, 7195.206: AP"} <= fell


def test_the_distance_is_that_of_the_numbers() -> None:
    for _, line in verdicts.now():
        if line["distance"]:
            assert float(line["distance"]) == pytest.approx(
                float(line["ours"]) - float(line["published"]), rel=0.01, abs=1e-4
            )
