"""How files were read is said at every door that reads them, once."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hitcurve as hc
from hitcurve.evaluation import evaluate_source
from hitcurve.metrics import metrics
from hitcurve.sources import Reading
from hitcurve.sources.files import FileSource
from tests.metrics_under_test import FORMS
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


@pytest.mark.slow
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


@pytest.mark.parametrize("word", ["inf", "z" * 200], ids=["inf", "long"])
def test_no_word_for_missing_values_is_advised_that_would_not_help(word: str, tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "words.jsonl"
    path.write_text(f'{{"y":1,"a":"{word}"}}\n{{"y":0,"a":2}}\n{{"y":1,"a":3}}\n', encoding="utf-8")
    assert "--na" not in shell("evaluate", path, "--label", "y", "--score", "a").refusal


@pytest.mark.parametrize("decimal", [(), ("--decimal", ","), ("--decimal", ".")], ids=" ".join)
@pytest.mark.parametrize("column", ["a", "w"])
def test_an_empty_cell_beside_decimal_marks_is_missing(
    column: str, decimal: tuple[str, ...], tmp_path: Path, shell: Shell
) -> None:
    mark = "." if "." in decimal else ","
    rows = [("1", "1,5", "1,25"), ("0", "2,5", "2,5"), ("1", "3,5", "2"), ("0", "0,5", "1,5"), ("0", "0,25", "1,5")]
    lines = ["\t".join(cells).replace(",", mark) for cells in rows]
    gone = lines[1].split("\t")
    gone["yaw".index(column)] = ""
    path, kept = tmp_path / "empty.tsv", tmp_path / "kept.tsv"
    path.write_text("\n".join(["y\ta\tw", lines[0], "\t".join(gone), *lines[2:]]) + "\n", encoding="utf-8")
    kept.write_text("\n".join(["y\ta\tw", lines[0], *lines[2:]]) + "\n", encoding="utf-8")
    given = ("--label", "y", "--score", "a", "--weight", "w", "-m", "auc", "-f", "csv", *decimal)
    assert "line 3 of empty.tsv" in shell("evaluate", path, *given).refusal
    without = shell("evaluate", path, *given, "--missing", "drop")
    assert without.out == shell("evaluate", kept, *given).out
    assert "1 of 5 rows were dropped" in without.err


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


@pytest.mark.slow
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


# ---- folds and groups of joined files


def _alike(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    for a, b in zip(found, expected, strict=True):
        numbers = {key for key, value in b.items() if isinstance(value, float)}
        assert {key: a[key] for key in numbers} == pytest.approx({key: b[key] for key in numbers}, rel=1e-12)
        assert {key: a[key] for key in a.keys() - numbers} == {key: b[key] for key in b.keys() - numbers}


def _evaluated(shell: Shell, *arguments: str | Path) -> Any:
    given = ("--label", "y", "--score", "a", "--score", "b", "-m", "auc", "-m", "ap", "--compare", "auc", "-f", "json")
    found = shell("evaluate", *arguments, *given).json
    del found["notes"]
    return found


@pytest.fixture
def folds(tmp_path: Path) -> Path:
    """All in one file, and the same in parts: scores of each fold, labels, labels with folds and patients."""
    fold = np.arange(80) % 4
    rows = [(f"i{i}", y, a, b, f, i % 30) for i, (y, a, b, f) in enumerate(zip(Y, A, B, fold, strict=True))]

    def write(name: str, columns: str, lines: list[tuple[Any, ...]]) -> None:
        places = [["id", "y", "a", "b", "fold", "pat"].index(column) for column in columns.split(",")]
        text = [",".join(str(line[place]) for place in places) for line in lines]
        (tmp_path / name).write_text("\n".join([columns, *text]) + "\n", encoding="utf-8")

    write("whole.csv", "id,y,a,b,fold,pat", rows)
    write("labels.csv", "id,y", rows)
    write("labels-folds.csv", "id,y,fold,pat", rows)
    write("only-scores.csv", "id,a,b", rows)
    for f in range(4):
        write(f"scores-{f}.csv", "id,a,b,fold,pat", [row for row in rows if row[4] == f])
    again = [(*row[:2], row[3], row[2], 4 + (i * 7) % 5, row[5]) for i, row in enumerate(rows)]
    write("repeated.csv", "id,y,a,b,fold,pat", [*rows, *again])
    write("repeated-scores.csv", "id,a,b,fold,pat", [*rows, *again])
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--cluster", "pat")], ids=["subjects", "clusters"])
@pytest.mark.parametrize("option", ["--folds", "--by"])
def test_folds_of_joined_files_are_those_of_one_file(
    option: str, more: tuple[str, ...], folds: Path, shell: Shell
) -> None:
    one = _evaluated(shell, folds / "whole.csv", option, "fold", *more)
    scores = [folds / f"scores-{f}.csv" for f in range(4)]
    parts = _evaluated(shell, *scores, "--labels", folds / "labels.csv", "--on", "id", option, "fold", *more)
    apart: tuple[str | Path, ...] = ("--labels", folds / "labels-folds.csv", "--on", "id", option, "fold", *more)
    for found in (parts, _evaluated(shell, folds / "only-scores.csv", *apart)):
        _alike(found["means"], one["means"])
        assert [p["pvalue"] for p in one["comparisons"]] == pytest.approx([p["pvalue"] for p in found["comparisons"]])
        _alike(found["groups"], one["groups"])


@pytest.mark.slow
def test_folds_that_test_subjects_again_have_labels_apart(folds: Path, shell: Shell) -> None:
    tested = ("--folds", "fold", "--test-fraction", "0.25")
    one = _evaluated(shell, folds / "repeated.csv", *tested)
    given = ("--labels", folds / "labels.csv", "--on", "id")
    parts = _evaluated(shell, folds / "repeated-scores.csv", *given, *tested)
    assert parts["means"] == one["means"]
    said = shell("evaluate", folds / "repeated-scores.csv", *given, "--label", "y", "--score", "a", *tested).out
    assert "160 rows of 80 ids, each once in a group" in said
    refusal = shell("evaluate", folds / "repeated-scores.csv", *given, "--label", "y", "--score", "a").refusal
    assert refusal.startswith("80 ids repeat in repeated-scores.csv")
    with (folds / "repeated-scores.csv").open("a", encoding="utf-8") as more:
        more.write("i0,1,1,0,0\n")
    refusal = shell(
        "evaluate", folds / "repeated-scores.csv", *given, "--label", "y", "--score", "a", "--folds", "fold"
    ).refusal
    assert refusal.startswith("1 id repeats in a group of repeated-scores.csv, such as 'i0' (2 rows)")


@pytest.mark.parametrize("command", [("evaluate",), ("curve", "--along", "rate")], ids=["evaluate", "curve"])
def test_sizes_of_folds_that_test_subjects_again_are_no_shares(
    command: tuple[str, ...], folds: Path, shell: Shell
) -> None:
    given = ("--label", "y", "--score", "a", "--on", "id", "--folds", "fold")
    refusal = shell(*command, folds / "repeated.csv", *given).refusal
    assert "tested in several folds" in refusal
    assert "--test-fraction" in refusal
    assert shell(*command, folds / "repeated.csv", *given, "--test-fraction", "0.25").out
    assert shell(*command, folds / "whole.csv", *given).out


# ---- words for missing values


@pytest.mark.slow
@pytest.mark.parametrize("word", ["missing", "?", "nd", "n.d.", "n/d", "Unknown", "#N/A", "--", "*", "<NA>"])
def test_a_word_among_numbers_is_counted_and_comes_with_the_option(word: str, tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "words.csv"
    path.write_text(f"y,s,w\n1,3,1\n0,2,{word}\n1,{word},2\n0,x,1\n1,5,1\n0,{word},1\n1,,1\n", encoding="utf-8")
    given = ("evaluate", path, "--label", "y", "--score", "s", "-m", "auc")
    refusal = shell(*given).refusal
    assert f"got {word!r} in line 4 (2 of 7 rows have it, 1 has another word)" in refusal
    assert refusal.endswith(f"give --na {word!r}")
    refusal = shell("evaluate", path, "--label", "y", "--score", "w").refusal
    assert f"got {word!r} in line 3 (1 of 7 rows has it)" in refusal
    done = shell(*given, "--na", word, "--na", "x", "--missing", "drop")
    assert "4 of 7 rows were dropped" in done.out


def test_a_column_of_words_is_not_taken_for_missing_values(tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "words.csv"
    path.write_text("y,s\n1,red\n0,green\n1,\n", encoding="utf-8")
    assert "--na" not in shell("evaluate", path, "--label", "y", "--score", "s").refusal


@pytest.mark.parametrize("word", ["nd", "inconclusive", "-99", "?"])
@pytest.mark.parametrize(("positive", "negative"), [("1", "0"), ("active", "inactive")])
def test_a_third_label_comes_with_the_option(
    word: str, positive: str, negative: str, tmp_path: Path, shell: Shell
) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(f"y,s\n{positive},3\n{negative},2\n{word},1\n{negative},0\n", encoding="utf-8")
    given = ("evaluate", path, "--label", "y", "--score", "s", "-m", "auc")
    assert f"--na {int(word) if word == '-99' else word!r})" in shell(*given).refusal
    assert "1 of 4 rows were dropped" in shell(*given, "--na", word, "--missing", "drop").out


# ---- one number at every door


@pytest.mark.parametrize("weight", [None, "w"])
def test_every_form_has_the_same_value_of_arrays_frames_files_and_tables(weight: str | None, tmp_path: Path) -> None:
    frame = pd.DataFrame({"y": Y, "s": np.round(A, 1), "w": RNG.uniform(0.2, 3, Y.size)})
    moved = frame.sample(frac=1, random_state=1)
    moved.to_csv(tmp_path / "moved.csv", index=False)
    frame.to_parquet(tmp_path / "whole.parquet")
    w = None if weight is None else frame[weight].to_numpy()
    forms: dict[str, Any] = {"metrics": list(FORMS), "undefined": "nan"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = hc.HitTable.from_scores(frame["y"], frame["s"], sample_weight=w)
        found = {
            "arrays": hc.evaluate(frame["y"], {"s": frame["s"]}, sample_weight=w, **forms),
            "frame": hc.evaluate("y", ["s"], data=moved, sample_weight=weight, **forms),
            "table": hc.evaluate(tables={"s": table}, **forms),
        }
        for name in ("moved.csv", "whole.parquet"):
            source = FileSource((tmp_path / name,), "y", ("s",), Reading(), weight)
            found[name] = evaluate_source(source, metrics(list(FORMS)), undefined="nan")
    first = found["arrays"]
    for name, ev in found.items():
        values = [e.value for e in ev]
        np.testing.assert_allclose(values, [e.value for e in first], rtol=1e-13, atol=1e-300, err_msg=name)
        if weight is None:
            assert (ev.tables["s"].n, ev.tables["s"].n_pos) == (first.tables["s"].n, first.tables["s"].n_pos)
