"""A trial published as counts: the test of the difference, and every door that takes counts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import hitcurve as hc
from hitcurve.cli.counts import names_of_columns
from hitcurve.errors import ParameterError
from hitcurve.inference import NOT_SHARED
from hitcurve.sources.category_counts import row_of_sums, run_of_sums
from tests.shell import Shell

TABLES = hc.datasets.mammography()
EV = hc.evaluate(tables=TABLES, metrics=["ap", "auc"])
ONE = ["--counts", "--positives", "cancers", "--total", "screened"]
BESIDE = ["--counts"]
for reader in TABLES:
    BESIDE += ["--positives", f"{reader}_cancers", "--total", f"{reader}_screened"]


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a file for each reader, and one of both."""
    monkeypatch.chdir(tmp_path)
    columns: dict[str, list[int]] = {}
    for name, table in TABLES.items():
        own = {"cancers": table.pos.astype(int).tolist(), "screened": (table.pos + table.neg).astype(int).tolist()}
        with open(f"{name}.csv", "w", newline="") as file:
            csv.writer(file).writerows([own, *zip(*own.values(), strict=True)])
        columns |= {f"{name}_{key}": values for key, values in own.items()}
    with open("trial.csv", "w", newline="") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])
    return tmp_path


@pytest.mark.parametrize("form", ["ap", "auc"])
@pytest.mark.parametrize("rho", [None, 0.0, 0.5, -0.2])
def test_counts_are_compared_as_two_estimates(form: str, rho: float | None) -> None:
    found = EV.compare("film", "digital", form, correlation=rho)
    expected = hc.compare_from_stats(EV["film", form], EV["digital", form], correlation=rho or 0.0)
    assert (found.difference, found.pvalue, found.statistic) == (
        expected.difference,
        expected.pvalue,
        expected.statistic,
    )
    assert (NOT_SHARED in found.cautions) is (rho is None)
    assert found.paired is False
    (one,) = EV.compare_all(form, correlation=rho)
    assert one.difference.value == abs(found.difference.value)
    assert one.pvalue == found.pvalue


def test_what_was_assumed_is_said() -> None:
    assert "as two samples; if they ranked the same subjects, give the correlation" in str(EV.compare_all("ap"))
    known = EV.compare("film", "digital", "ap", correlation=0.5)
    assert "with correlation 0.5" in str(known)
    assert "unpaired" not in str(known)
    assert "taken as correlated by 0.5. Both rankings together have 669 positives" in known.methods_text()
    assert "two samples" not in known.methods_text() + str(known) + EV.compare_all("ap", correlation=0.5).to_latex()
    assert "as two samples unless a correlation is given" in EV.notes[0]
    unknown = EV.compare("film", "digital", "ap")
    assert "treated as ranking different subjects, together 669 positives" in unknown.methods_text()


def test_three_readers_are_one_table() -> None:
    three = {**TABLES, "both": TABLES["film"] + TABLES["digital"]}
    found = hc.evaluate(tables=three, metrics="auc").compare_all("auc")
    assert [(c.first, c.second) for c in found] == list(combinations(found.rankers, 2))
    assert {c.adjustment for c in found} == {"Holm"}
    assert str(found).count("as two samples") == 1


@pytest.mark.parametrize("in_groups", [False, True])
def test_tables_in_the_wrong_order_are_told_how_to_turn(in_groups: bool) -> None:
    turned = hc.HitTable.from_counts([1, 2, 7], [40, 10, 5])
    tables: Any = {"one": {"a": turned}, "two": {"a": turned}} if in_groups else {"a": turned}
    with pytest.warns(hc.errors.DirectionWarning, match="rows must go from the highest category down"):
        found = hc.evaluate(tables=tables, metrics="auc")
    of_one: Any = found["one"] if in_groups else found
    said = [str(one) for one in (*found.warnings, *of_one.warnings) if isinstance(one, hc.errors.DirectionWarning)]
    assert len(said) == 2
    assert not any("higher_is_better" in text for text in said)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a test of subjects": ({"method": "swap-permutation"}, "counts hold none"),
    "no test": ({"method": "swap"}, "method must be one of"),
    "no correlation": ({"correlation": 1.5}, r"must lie in \[-1, 1\]"),
    "an interval of replicates": ({"interval": "bca"}, "a comparison of two samples does not draw"),
    "many looks": ({"horizon": 500}, "horizon is for"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_subjects_is_refused(name: str) -> None:
    options, words = REFUSED[name]
    with pytest.raises(ParameterError, match=words):
        EV.compare("film", "digital", "ap", **options)


def test_correlation_is_for_counts_alone() -> None:
    with pytest.raises(ParameterError, match="counts hold none: use 'holm'"):
        EV.compare_all("ap", adjust="max-t")
    y, s = [1, 1, 0, 0] * 20, {"a": [3, 2, 1, 0] * 20, "b": [3, 1, 2, 0] * 20}
    for options, why in (({}, "their subjects are known"), ({"paired": False}, "they ranked different subjects")):
        ev = hc.evaluate(y, s, metrics="auc", **options)  # type: ignore[call-overload]
        for own in (ev, ev.without_data()):
            with pytest.raises(ParameterError, match=why):
                own.compare("a", "b", "auc", correlation=0.5)


# ---- rows that are no categories

PLAIN = ([10, 18, 25, 5], [1, 11, 44, 495])


@pytest.mark.filterwarnings("ignore:AUC is below one half")
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda column: np.append(column, np.sum(column)), r"row 5 of 'a' \(58 positives, 551 negatives\)"),
        (np.cumsum, "'a' both grow from row to row"),
        (lambda column: np.cumsum(column)[::-1], "'a' both shrink"),
    ],
)
def test_counts_that_look_like_sums_give_a_warning(change: Callable[[list[int]], Any], said: str) -> None:
    with pytest.warns(hc.errors.CountsWarning, match=said):
        hc.evaluate(tables={"a": hc.HitTable.from_counts(*map(change, PLAIN))}, metrics="ap")


@given(st.lists(st.tuples(*[st.integers(0, 60)] * 2), min_size=3, max_size=7))
def test_only_counts_that_look_like_sums_give_one(rows: list[tuple[int, int]]) -> None:
    pos, neg = np.array(rows).T
    total = any(all(2 * c[i] == c.sum() > 0 for c in (pos, neg)) for i in range(len(rows)))
    total &= sum(map(any, rows)) > 2
    runs = len(rows) > 3 and any(
        all(list(c) == sorted(c, reverse=down) and len(set(c)) > 1 for c in (pos, neg)) for down in (False, True)
    )
    assert (row_of_sums(pos, neg) is not None) is total
    assert bool(run_of_sums(pos, neg)) is runs


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("r,p,n\n2,5,9\n1,6,80\nTotal,11,89\n", "row 3 is a total ('Total'): its 11 positives and 78 negatives"),
        ("r,p,n\nGrand total,99,989\n2,5,9\n1,6,80\n", "row 1 is a total ('Grand total')"),
        ("r,p,n\n2,5,9\n1,6,80\n,11,89\n", "row 3 is a total (it has no name and the sums of the other rows)"),
        ("r,cum_p,n\n4,1,4\n3,2,8\n2,3,30\n1,5,90\n", "'cum_p' only grow from row to row, so they are cumulative"),
    ],
)
def test_files_with_rows_that_are_no_categories_are_refused(text: str, said: str, tmp_path: Path, shell: Shell) -> None:
    file = tmp_path / "counts.csv"
    file.write_text(text)
    column = text.partition(",")[2].partition(",")[0]
    done = shell("evaluate", str(file), "--counts", "--positives", column, "--total", "n")
    assert (done.code, said in done.err) == (2, True), done.err


def test_a_column_of_totals_alone_names_no_row(tmp_path: Path, shell: Shell) -> None:
    file = tmp_path / "counts.csv"
    file.write_text("who,p,n\ntotal,5,9\ntotal,6,80\n")
    assert shell("evaluate", str(file), "--counts", "--positives", "p", "--total", "n").code == 0


# ---- on the command line


def test_the_shell_tests_the_difference(trial: Path, shell: Shell) -> None:
    done = shell("evaluate", "film.csv", "digital.csv", *ONE, "-m", "ap", "--compare", "ap", "--compare", "auc")
    assert done.code == 0
    for form in ("ap", "auc"):
        assert f"\n\n{EV.compare_all(form)}\n" in done.out
    known = shell("evaluate", "film.csv", "digital.csv", *ONE, "--compare", "ap", "--correlation", "0.5", "-f", "json")
    (test,) = known.json["comparisons"]
    assert test["pvalue"] == EV.compare("film", "digital", "ap", correlation=0.5).pvalue
    assert test["correlation"] == 0.5


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "-m", "ap", "--compare", "ap"],
        ["curve", "--curve", "precision_recall"],
        ["band", "--curve", "roc"],
        ["confusion", "--at", "5%"],
    ],
    ids=lambda command: command[0],
)
def test_readers_side_by_side_are_as_in_files_of_their_own(command: list[str], trial: Path, shell: Shell) -> None:
    name, *options = command
    apart = shell(name, "film.csv", "digital.csv", *ONE, *options)
    beside = shell(name, "trial.csv", *BESIDE, *options)
    assert apart.code == 0
    assert apart == beside


@pytest.mark.parametrize("rho", [None, 0.5])
def test_a_pilot_of_counts_plans_the_test_of_counts(rho: float | None, trial: Path, shell: Shell) -> None:
    test = EV.compare("film", "digital", "auc", correlation=rho)
    found = hc.power_analysis("auc", EV, 0.05, n_pos=int(TABLES["digital"].n_pos), correlation=rho)
    # both readers have about as many cancers, so the plan for as many has the error of the test
    expected = norm.sf(norm.ppf(0.975) - 0.05 / test.difference.standard_error)
    assert found.power == pytest.approx(expected, abs=0.002)
    assert found.paired is (rho is not None)
    assert ("negatives for each ranker find" in str(found)) is (rho is None)
    needed = hc.power_analysis("auc", EV, 0.05, power=found.power, correlation=rho)
    assert abs(needed.n_pos - found.n_pos) <= 1
    more = [] if rho is None else ["--correlation", str(rho)]
    files = ["film.csv", "digital.csv", *ONE, "-m", "auc", "--effect", "0.05", "--power", "0.8", "-f", "json"]
    (told,) = shell("power", *files, *more).json["power"]
    assert told["n_pos"] == hc.power_analysis("auc", EV, 0.05, power=0.8, correlation=rho).n_pos


def test_plans_that_counts_do_not_give_are_refused(trial: Path, shell: Shell) -> None:
    with pytest.raises(ParameterError, match="keeps the ratio of the classes: leave n_neg"):
        hc.power_analysis("auc", EV, 0.05, n_pos=100, n_neg=100)
    done = shell("power", "film.csv", *ONE, "-m", "auc", "--effect", "0.05", "--power", "0.8")
    assert "give two rankers: two files, or --positives twice, got 1" in done.err
    done = shell(
        "power", "film.csv", "-l", "y", "-s", "a", "--effect", "0.05", "--power", "0.8", "--correlation", "0.5"
    )
    assert "--correlation needs --counts" in done.err


def test_curves_and_bands_of_counts(trial: Path, shell: Shell) -> None:
    points = pd.read_csv(io.StringIO(shell("curve", "film.csv", *ONE).out))
    curve = hc.roc_curve(TABLES["film"])
    assert points["x"].to_numpy() == pytest.approx(curve.x)
    assert points["y"].to_numpy() == pytest.approx(curve.y)
    band = pd.read_csv(io.StringIO(shell("band", "film.csv", *ONE, "--curve", "roc").out))
    assert band["low"].to_numpy() == pytest.approx([r["low"] for r in EV.band("film", "roc").to_records()])
    cells = json.loads(shell("confusion", "film.csv", *ONE, "--at", "1%", "-f", "json").out)
    assert cells[0]["tp"] == pytest.approx(TABLES["film"].confusion(rate=0.01).tp)


WRONG = {
    "no comparison": (
        ["evaluate", "film.csv", *ONE, "--correlation", "0.5"],
        "needs --counts or files of hit tables, and --compare METRIC",
    ),
    "no counts": (["evaluate", "film.csv", "-l", "y", "-s", "a", "--correlation", "0.5"], "needs --counts"),
    "a method": (["evaluate", "film.csv", *ONE, "--compare", "ap", "--method", "delta"], "leave --method out"),
    "max-t": (["evaluate", "film.csv", *ONE, "--compare", "ap", "--adjust", "max-t"], "counts hold none: use holm"),
    "files and rankers": (["evaluate", "film.csv", "digital.csv", *BESIDE], "several files are a ranker each"),
    "a column less": (["evaluate", "trial.csv", *BESIDE[:-2]], "--positives is given twice and --total once"),
    "a column twice": (["evaluate", "film.csv", *ONE, *ONE[1:]], "names the column 'cancers' twice"),
    "both others": (["evaluate", "film.csv", *ONE, "--negatives", "x"], "--total COLUMN or --negatives COLUMN"),
    "a difference": (["band", "trial.csv", *BESIDE, "--difference"], "--difference needs the subjects"),
    "groups": (["curve", "film.csv", *ONE, "--by", "g", "--along", "rate"], "counts are of one list"),
    "a threshold": (["confusion", "film.csv", *ONE, "--threshold", "3"], "counts have none: use --at"),
    "columns of subjects": (["curve", "film.csv", *ONE, "-l", "y"], "rows of subjects: leave out --label"),
    "no --counts": (["curve", "film.csv", *ONE[1:]], "need --counts"),
}


@pytest.mark.parametrize("name", WRONG)
def test_options_that_do_not_fit_are_refused(name: str, trial: Path, shell: Shell) -> None:
    words, why = WRONG[name]
    assert why in shell(*words).refusal


def test_names_of_rankers_in_one_file() -> None:
    assert names_of_columns(["film_cancers", "digital_cancers"]) == ["film", "digital"]
    assert names_of_columns(["n pos film", "n pos digital 2"]) == ["film", "digital_2"]
    assert names_of_columns(["cancers", "cancers_2"]) == ["cancers", "cancers_2"]
    assert names_of_columns(["a_x", "A x"]) == ["a", "A"]
    assert names_of_columns(["a_b", "a b"]) == ["a_b", "a b"]
