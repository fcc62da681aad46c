"""How files were read is said at every door that reads them, once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from tests.shell import Shell, shell

__all__ = ["shell"]
RNG = np.random.default_rng(0)
Y = np.repeat([1, 0], [20, 60])[RNG.permutation(80)]
A, B = (RNG.normal(size=80) + Y for _ in range(2))
COMMA = "with a decimal comma"


def _comma(value: float) -> str:
    return f"{value:.6f}".replace(".", ",")


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    lines = [
        f"{y};{_comma(a)};{_comma(b)};g{i % 3};{i};{_comma(a)}" for i, (y, a, b) in enumerate(zip(Y, A, B, strict=True))
    ]
    path = tmp_path / "comma.csv"
    path.write_text("\n".join(["y;a;b;g;whole;k", *lines]) + "\n", encoding="utf-8")
    return path


COMMANDS = {
    **{f"evaluate as {form}": f"evaluate -m auc -f {form}" for form in ("text", "csv", "json", "markdown", "latex")},
    "evaluate to a file": "evaluate -m auc -o {folder}/out.txt",
    "evaluate groups": "evaluate -m auc --by g",
    "evaluate groups as csv": "evaluate -m auc --by g -f csv",
    **{f"compare as {form}": f"compare --score b --metric auc -f {form}" for form in ("text", "csv", "json")},
    **{
        f"power as {form}": f"power --score b --metric auc --effect 0.1 --power 0.8 -f {form}"
        for form in ("text", "csv", "json")
    },
    "curve": "curve",
    "average curve": "curve --by g --along rate",
    "band": "band",
    "confusion": "confusion --at 10%",
    "report": "report -o {folder}/page.html",
    "rate": "rate --items 80 --minutes 40 --per-item 2:4",
    "rate as csv": "rate --items 80 --minutes 40 --per-item 2:4 -f csv",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_decimal_comma_is_said_once(name: str, scores: Path, tmp_path: Path, shell: Shell) -> None:
    command, *options = COMMANDS[name].format(folder=tmp_path).split(" ")
    done = shell(command, *(["--score", "a"]), *options, scores, "--label", "y")
    assert done.code == 0, done.err
    said = done.out + done.err
    assert said.count(COMMA) == 1, said
    if any(form in name for form in ("csv", "curve", "band", "confusion", "file", "report")):
        assert f"note: numbers of comma.csv were read {COMMA}" in done.err


def test_a_decimal_comma_of_the_condition_alone_is_read_and_said(scores: Path, shell: Shell) -> None:
    done = shell("evaluate", scores, "--label", "y", "--score", "whole", "-m", "auc", "--where", "k > 0.25")
    assert f"numbers in column 'k' of comma.csv, which the condition names, were read {COMMA}" in done.out
    assert done.out.startswith(f"{int(np.sum(np.round(A, 6) > 0.25))} subjects")


def test_a_mark_that_may_be_either_is_said_with_the_condition(tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "either.csv"
    path.write_text("y;s;k\n" + "".join(f"{i % 2};{i};{i % 9 + 1},{100 + i}\n" for i in range(12)), encoding="utf-8")
    given = ("evaluate", path, "--label", "y", "--score", "s", "-m", "auc", "--where", "k > 2")
    refusal = shell(*given).refusal
    assert "column 'k'" in refusal
    assert "--decimal , or --decimal ." in refusal
    assert shell(*given, "--decimal", ",").out.startswith("10 subjects")


def test_a_comparison_says_what_was_left_out_and_turned_round(tmp_path: Path, shell: Shell) -> None:
    lines = [f"{y},{-a},{'' if i % 9 == 0 else b}" for i, (y, a, b) in enumerate(zip(Y, A, B, strict=True))]
    path = tmp_path / "holes.csv"
    path.write_text("\n".join(["y,a,b", *lines]) + "\n", encoding="utf-8")
    given = ("compare", path, "--label", "y", "--score", "a", "--score", "b", "--metric", "auc", "--missing", "drop")
    for form in ("text", "json", "csv"):
        done = shell(*given, "-f", form)
        said = done.out + done.err
        assert said.count("9 of 80 rows were dropped") == 1, said
        assert said.count("AUC is below one half for 'a'") == 1, said


@pytest.mark.parametrize("count", ["1.000", "12.000"])
def test_a_count_that_may_be_thousands_is_refused(count: str, tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(f"pos,total\n{count},20000\n0,5\n", encoding="utf-8")
    refusal = shell("evaluate", path, "--counts", "--positives", "pos", "--total", "total").refusal
    assert f"{count!r} may be {count[:-4]} or {count[:-4]} thousand" in refusal


# ---- conditions


@pytest.fixture
def joined(tmp_path: Path) -> tuple[Path, Path]:
    scores = ["id,s,My Col,Größe,split", *(f"i{i},{a},{i},{i / 2},{'ab'[i % 2]}" for i, a in enumerate(A))]
    labels = ["id,y,Site,Anteil", *(f'i{i},{y},{"AB"[i % 4 < 2]},"{i},5"' for i, y in enumerate(Y))]
    paths = tmp_path / "scores.csv", tmp_path / "labels.csv"
    for path, lines in zip(paths, (scores, labels), strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


@pytest.mark.parametrize(
    ("condition", "of"),
    [
        ("Site = 'B'", lambda i: i % 4 < 2),
        ("site = 'B' AND \"My Col\" < 40", lambda i: i % 4 < 2 and i < 40),
        ("y = 1 OR Größe >= 20", lambda i: Y[i] == 1 or i >= 40),
        ("Anteil < 30", lambda i: i + 0.5 < 30),
    ],
)
def test_a_condition_names_columns_of_the_labels(
    condition: str, of: Any, joined: tuple[Path, Path], shell: Shell
) -> None:
    scores, labels = joined
    given = ("--on", "id", "--label", "y", "--score", "s", "-m", "auc", "-f", "json")
    found = shell("evaluate", scores, "--labels", labels, *given, "--where", condition).json
    kept = [i for i in range(80) if of(i)]
    expected = hc.evaluate(Y[kept], A[kept], metrics="auc")["score", "auc"]
    (result,) = found["results"]
    assert (result["n"], result["value"]) == (len(kept), expected.value)
    assert f"joined by 'id': {len(kept)} matched, 0 without a label, 0 without a score" in found["notes"]
    assert any(COMMA in note for note in found["notes"]) == ("Anteil" in condition)


def test_unknown_columns_of_conditions_are_refused_with_near_names_of_both_files(
    joined: tuple[Path, Path], shell: Shell
) -> None:
    given = ("evaluate", joined[0], "--labels", joined[1], "--on", "id", "--label", "y", "--score", "s", "--where")
    assert "no column 'Sitee'; did you mean 'Site'" in shell(*given, "Sitee = 'A'").refusal
    assert "no column 'My Cl'; did you mean 'My Col'" in shell(*given, '"My Cl" < 3').refusal


def test_labels_without_scores_are_chosen_by_their_own_columns(joined: tuple[Path, Path], shell: Shell) -> None:
    scores, labels = joined
    with labels.open("a", encoding="utf-8") as more:
        more.write('x1,1,A,"1,5"\nx2,0,B,"1,5"\n')
    given = ("--on", "id", "--label", "y", "--score", "s", "-m", "auc", "--where", "Site = 'A'")
    assert (
        "1 of labels.csv have no score (such as 'x1')" in shell("evaluate", scores, "--labels", labels, *given).refusal
    )
    with labels.open("a", encoding="utf-8") as more:
        more.write('i0,1,A,"1,5"\n')
    refusal = shell("evaluate", scores, "--labels", labels, *given).refusal
    assert "'i0' has rows of different 'Site' in labels.csv" in refusal
