"""What the shell's screen adds: groups, the best corrected, and other prevalences."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import hitcurve as hc
from tests.shell import Shell
from tests.test_screen_doors import FEW, frame, h5ad, written

CALL = ("--label", "y", "--columns", "p*", "--n-resamples", 99)


@pytest.mark.parametrize("name", ["m.csv", "m.parquet"])
def test_each_group_of_a_file_is_screened_by_itself(tmp_path: Path, name: str, shell: Shell) -> None:
    data = frame()
    path = written(data, tmp_path / name)
    ours = hc.screen(data.filter(regex="^[pyb]"), "y", by="batch", **FEW)
    assert ours.heading()[0] == "12 markers in each of 2 groups by batch"
    assert hc.screen(path, "y", columns="p*", by="batch", **FEW).to_dict() == ours.to_dict()
    assert shell("screen", path, *CALL, "--by", "batch", "--format", "csv").out == ours.to_csv()
    assert json.loads(shell("screen", path, *CALL, "--by", "batch", "--format", "json").out) == ours.to_dict()
    # the groups are no marker
    every = shell("screen", path, "--label", "y", "--by", "batch", "--n-resamples", 9, "-f", "csv")
    assert "batch" not in every.out


def test_groups_of_an_annotated_matrix_are_columns_of_obs(tmp_path: Path, shell: Shell) -> None:
    data = frame()
    X, names = data.filter(regex="^p").to_numpy(), [f"p{i}" for i in range(12)]
    obs = {"y": data["y"].to_numpy(), "site": np.arange(40) % 2}
    path = h5ad(tmp_path / "m.h5ad", X, obs, names)
    ours = hc.screen(X, data["y"].to_numpy(), by=obs["site"], names=names, **FEW)
    assert shell("screen", path, "--label", "y", "--n-resamples", 99, "--by", "site", "-f", "csv").out == ours.to_csv()


def test_the_best_and_other_prevalences_are_added(tmp_path: Path, shell: Shell) -> None:
    data = frame()
    path = written(data, tmp_path / "m.csv")
    found = hc.screen(data.filter(regex="^p"), data["y"], **FEW)
    best, changes = found.top(3), found.rank_changes(negatives=[1, 50])
    more = ("--best", 3, "--negatives", 1, "--negatives", 50)
    shown = json.loads(shell("screen", path, *CALL, *more, "--format", "json").out)
    assert shown == found.to_dict() | {"best": best.to_dict(), "rank_changes": changes.to_records()}
    assert json.loads(shell("screen", path, *CALL, "--format", "json").out) == found.to_dict()
    assert shell("screen", path, *CALL, *more).out == f"{found}\n\n{best}\n\n{changes}\n"
    for form in ("markdown", "latex"):
        out = shell("screen", path, *CALL, *more, "--format", form).out
        for one in (found, best, changes):
            assert getattr(one, f"to_{form}")() in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--best", 3, "--format", "csv"), "--format is csv"),
        (("--best", 3, "--output", "few.csv"), "few.csv is csv"),
        (("--best", 3, "--by", "batch"), "leave out --by"),
        (("--negatives", 10, "--negatives", 10), "negatives x 10 is given twice"),
        (("--where", "bach = 'a'"), "did you mean 'batch'?"),
        (("--where", "y > 7"), "no row of m.csv is one where y > 7"),
        (("--by", "batch", "--one-vs-rest"), "each group by itself"),
        (("--by", "sites"), "sites"),
        (("--negatives", -1), "negatives"),
    ],
)
def test_what_does_not_go_together_is_refused(
    tmp_path: Path, shell: Shell, words: tuple[object, ...], said: str
) -> None:
    path = written(frame(), tmp_path / "m.csv")
    assert said in shell("screen", path, *CALL, *words).refusal


@pytest.mark.slow
@pytest.mark.parametrize("end", ["csv", "parquet", "feather", "jsonl"])
def test_several_files_are_one_table_of_which_some_rows_are_chosen(tmp_path: Path, shell: Shell, end: str) -> None:
    data = frame()
    written(data[:15], tmp_path / f"a.{end}")
    written(data[15:], tmp_path / f"b.{end}")
    both = str(tmp_path / f"?.{end}")
    where = "batch = 'a' OR p3 > 0.5"
    chosen = data[(data["batch"] == "a") | (data["p3"] > 0.5)]
    for condition, rows in ((None, data), (where, chosen)):
        ours = hc.screen(rows.filter(regex="^p"), rows["y"].to_numpy(), clusters=rows["donor"].to_numpy(), **FEW)
        found = hc.screen(both, "y", columns="p*", clusters="donor", where=condition, **FEW)
        assert found.to_csv() == ours.to_csv()
        assert str(found.top(2)) == str(ours.top(2))
        more = () if condition is None else ("--where", condition)
        files = (both,) if condition is None else (tmp_path / f"a.{end}", tmp_path / f"b.{end}")
        call = ("screen", *files, *CALL, "--cluster", "donor", *more, "-f", "csv")
        assert shell(*call).out == ours.to_csv()


def test_a_condition_reads_only_the_columns_it_names_of_a_wide_file(tmp_path: Path, shell: Shell) -> None:
    data = frame(count=600)
    path = written(data, tmp_path / "wide.csv")
    chosen = data[(data["batch"] == "a") & (data["p599"] < 1)]
    ours = hc.screen(chosen.filter(regex="^p"), chosen["y"].to_numpy(), metrics="auc")
    where = "batch = 'a' AND p599 < 1"
    call = ("screen", path, "--label", "y", "--columns", "p*", "-m", "auc", "-f", "csv")
    assert shell(*call, "--where", where).out == ours.to_csv()
    assert "no column 'p600'" in shell(*call, "--where", "p600 < 1").refusal


def test_files_that_differ_in_markers_are_refused(tmp_path: Path, shell: Shell) -> None:
    data = frame()
    a, b = written(data, tmp_path / "a.csv"), written(data.drop(columns="p3"), tmp_path / "b.csv")
    assert "differ in markers ('p3')" in shell("screen", a, b, *CALL).refusal
    assert shell("screen", a, b, *CALL, "--omit", "p3").code == 2  # b has none to leave out
    # text in one of them is text in both
    words = written(data.assign(p3="many"), tmp_path / "c.csv")
    assert "'p3'" in shell("screen", a, words, *CALL).out.splitlines()[-1]


@pytest.mark.parametrize("end", ["csv", "parquet"])
@pytest.mark.parametrize("option", ["--by", "--cluster"])
def test_subjects_without_a_group_or_cluster_are_refused_with_their_number(
    tmp_path: Path, shell: Shell, option: str, end: str
) -> None:
    column = {"--by": "batch", "--cluster": "donor"}[option]
    data = frame()
    data[column] = data[column].astype(object)
    lacking = [*data.index[data["y"] == 1][:2], data.index[data["y"] == 0][0]]
    data.loc[lacking, column] = None
    path = written(data.astype({column: "string"}), tmp_path / f"m.{end}")
    refused = shell("screen", path, *CALL, option, column).refusal
    assert f"3 of 40 values of {column!r} are missing" in refused
    # among numbers NA is missing; among names it is one, unless it is said
    data[column] = data[column].fillna("NA")
    path = written(data.astype({column: "string"}), tmp_path / f"n.{end}")
    if option == "--cluster":
        assert "3 of 40 values" in shell("screen", path, *CALL, option, column).refusal
    else:
        assert "'NA' in column 'batch' is read as a name, in 3 rows" in shell("screen", path, *CALL, option, column).err
        assert "3 of 40 values" in shell("screen", path, *CALL, option, column, "--na", "NA").refusal


def test_labels_in_the_file_of_markers_are_no_marker_beside_a_file_of_labels(tmp_path: Path, shell: Shell) -> None:
    data = frame()
    data.insert(0, "id", [f"s{i}" for i in range(40)])
    path, apart = written(data, tmp_path / "m.csv"), written(data[["id", "y"]][::-1], tmp_path / "labels.csv")
    call = ("screen", path, "--label", "y", "--labels", apart, "--on", "id", "--omit", "batch", "--omit", "donor")
    out = shell(*call, "--n-resamples", 99)
    assert "column 'y' of m.csv is left out: labels are those of labels.csv" in out.err
    assert out.out.startswith("12 markers of 40 subjects, 13 positive")
    # unless it is asked for by name
    assert "markers whose values are the labels: 'y'" in shell(*call, "--columns", "y", "--columns", "p1").err


def test_names_of_columns_may_hold_line_ends(tmp_path: Path, shell: Shell) -> None:
    data = frame().rename(columns={"p0": "p\n0", "p7": "p7\nof\nthree"})
    path = written(data, tmp_path / "m.csv")
    ours = hc.screen(data.filter(regex="^p"), data["y"], **FEW)
    assert shell("screen", path, *CALL, "-f", "csv").out == ours.to_csv()
