"""How files were read is said at every door that reads them, once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

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
