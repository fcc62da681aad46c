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
    ours = hc.screen(data.filter(regex="^p"), data["y"], by=data["batch"].to_numpy(), **FEW)
    assert shell("screen", path, *CALL, "--by", "batch", "--format", "csv").out == ours.to_csv()
    assert json.loads(shell("screen", path, *CALL, "--by", "batch", "--format", "json").out) == ours.to_dict()
    # the groups are no marker
    assert "batch" not in shell("screen", path, "--label", "y", "--by", "batch", "--n-resamples", 9).out


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
        (("--best", 3, "--format", "csv"), "text, markdown, latex or json"),
        (("--best", 3, "--by", "batch"), "text, markdown, latex or json"),
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
