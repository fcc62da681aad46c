"""Rows of papers from the tables that are committed, and the two readings of the permutation tests."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

pytest.importorskip("sklearn")
from papers import again, swamidass_tests, verdicts
from papers.frame import FAILED

import hitcurve as hc


@pytest.mark.parametrize("name", again.SCRIPTS)
def test_the_committed_rows_are_those_of_the_committed_tables(name: str) -> None:
    script = import_module(f"papers.{name}")
    rows = [row.line for row in script.again()]
    committed = script.FOLDER.read("comparison")
    columns = ("item", "published", "verdict", "tolerance", "reason")  # last digits may depend on the machine
    assert [[row[c] for c in columns] for row in rows] == [[row[c] for c in columns] for row in committed]
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


def test_every_row_that_is_not_reproduced_says_what_was_tried() -> None:
    rows = verdicts.changes()
    for change in rows:
        assert change.now in verdicts.ORDER
        if change.now == "not reproduced":
            assert verdicts.readings(change.paper, change.item)
    with pytest.raises(KeyError, match="no readings"):
        verdicts.readings("beyond", "nothing of the kind")
    assert sum(change.then != "" for change in rows) > 450  # rows that are found again
    fell = {change.item for change in rows if change.fell}
    assert {"auc, SVM", "Figure 3, order of the 15 by AP", "Table 4, 7195.206: AP"} <= fell


def test_the_distance_is_that_of_the_numbers() -> None:
    for _, line in verdicts.now():
        if line["distance"]:
            assert float(line["distance"]) == pytest.approx(
                float(line["ours"]) - float(line["published"]), rel=0.01, abs=1e-4
            )
