"""Files in the format that their names say, at every command that writes one."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hitcurve.report import file_of
from tests.shell import Shell

COMMANDS = {
    "evaluate": ("evaluate", "d.csv", "-l", "y", "-s", "a", "-s", "b", "-m", "auc", "--compare", "auc"),
    "groups": ("evaluate", "d.csv", "-l", "y", "-s", "a", "-m", "auc", "--by", "g"),
    "ranks": ("ranks", "1000", "r.txt", "-m", "auc"),
    "curve": ("curve", "d.csv", "-l", "y", "-s", "a"),
    "average": ("curve", "d.csv", "-l", "y", "-s", "a", "--by", "g", "--along", "rate"),
    "band": ("band", "d.csv", "-l", "y", "-s", "a", "--curve", "roc"),
    "confusion": ("confusion", "d.csv", "-l", "y", "-s", "a", "--at", "10%"),
    "compare": ("compare", "d.csv", "-l", "y", "-s", "a", "-s", "b", "-m", "auc"),
    "power": ("power", "d.csv", "-l", "y", "-s", "a", "-s", "b", "-m", "auc", "--effect", "0.1", "--power", "0.8"),
    "rate": ("rate", "--items", "2500", "--minutes", "7200", "--per-item", "10:45"),
    "trec": ("trec", "run.txt", "qrels.txt", "-m", "AP"),
}


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng, y = np.random.default_rng(0), np.repeat([1, 0], [40, 160])
    order = rng.permutation(200)
    columns = {"y": y, "a": rng.normal(size=200) + 2 * y, "b": rng.normal(size=200) + y, "g": np.arange(200) % 2}
    pd.DataFrame(columns).iloc[order].to_csv("d.csv", index=False)
    Path("r.txt").write_text("3\n17\n240\n")
    Path("run.txt").write_text("1 Q0 x 1 2.0 r\n1 Q0 y 2 1.0 r\n")
    Path("qrels.txt").write_text("1 0 x 0\n1 0 y 1\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_name_of_the_file_says_the_format(name: str, shell: Shell) -> None:
    command = COMMANDS[name]
    for form, end in (("json", "json"), ("csv", "CSV"), ("markdown", "md"), ("latex", "tex"), ("text", "txt")):
        printed = shell(*command, "-f", form)
        assert printed.code == 0, printed
        written = shell(*command, "-o", f"out.{end}")
        assert (written.code, written.out) == (0, ""), written
        assert Path(f"out.{end}").read_text(encoding="utf-8") == printed.out
        both = shell(*command, "-f", form, "-o", f"other.{end}")
        assert both.code == 0
        assert Path(f"other.{end}").read_text(encoding="utf-8") == printed.out


@pytest.mark.parametrize("more", [(), ("--by", "g")], ids=["one list", "groups"])
@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_tables_of_papers_say_the_level_of_their_brackets(form: str, more: tuple[str, ...], shell: Shell) -> None:
    given = ("evaluate", "d.csv", "-l", "y", "-s", "a", "-m", "auc", *more, "--confidence-level", "0.9")
    (line,) = (line for line in shell(*given, "-f", "text").out.splitlines() if line.startswith("[90%"))
    said = shell(*given, "-f", form).out.replace("\\", "")
    assert line in said


@pytest.mark.parametrize("name", COMMANDS)
def test_parquet_arrow_and_feather_hold_the_rows_of_csv(name: str, shell: Shell) -> None:
    assert shell(*COMMANDS[name], "-o", "out.parquet").code == 0
    assert shell(*COMMANDS[name], "-o", "out.csv").code == 0
    lines = list(csv.DictReader(io.StringIO(Path("out.csv").read_text())))
    frame = pd.read_parquet("out.parquet")
    for end in ("arrow", "feather"):
        assert shell(*COMMANDS[name], "-o", f"out.{end}").code == 0
        assert shell(*COMMANDS[name], "-f", end, "-o", f"{end}.data").code == 0
        assert Path(f"{end}.data").read_bytes() == Path(f"out.{end}").read_bytes()
        pd.testing.assert_frame_equal(pd.read_feather(f"out.{end}"), frame)
    assert list(frame) == list(lines[0])
    assert len(frame) == len(lines)
    for key in frame:
        for own, text in zip(frame[key], (line[key] for line in lines), strict=True):
            said = str(own) == text if isinstance(own, bool | np.bool_ | str) else text != "" and own == float(text)
            assert said or (pd.isna(own) and text == "")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_contradiction_and_an_unknown_end_are_refused_before_anything_is_read(name: str, shell: Shell) -> None:
    command = [part.replace("d.csv", "none.csv").replace("run.txt", "none.txt") for part in COMMANDS[name]]
    said = shell(*command, "-f", "csv", "-o", "out.json").refusal
    assert said.startswith("--format csv contradicts --output out.json, whose name says json")
    assert (
        "no format is known by the end of --output out.xlsx: end it in .txt, "
        in shell(*command, "-o", "out.xlsx").refusal
    )
    assert "out.csv.gz: end it in" in shell(*command, "-o", "out.csv.gz").refusal
    for form in ("parquet", "arrow", "feather"):
        assert f"--format {form} needs a file" in shell(*command, "-f", form).refusal
    assert not list(Path().glob("out*"))


def test_a_format_that_is_asked_for_may_have_any_other_name(shell: Shell) -> None:
    for name in ("out.data", "out", "out.csv.bak"):
        assert shell(*COMMANDS["curve"], "-f", "json", "-o", name).code == 0
        json.loads(Path(name).read_text())
    assert shell(*COMMANDS["curve"], "-o", "points").code == 0
    assert Path("points").read_text().startswith("ranker,curve,x,y")


def test_html_is_the_page_where_there_is_one(shell: Shell) -> None:
    command = COMMANDS["evaluate"]
    assert shell(*command[:-2], "-o", "out.html").code == 0
    assert Path("out.html").read_text().startswith("<!doctype html>")
    assert "leave out --compare" in shell(*command, "-o", "out.html").refusal
    assert "this result has no html" in shell(*COMMANDS["curve"], "-o", "out.html").refusal
    assert "a report is an HTML page" in shell("report", "d.csv", "-l", "y", "-s", "a", "-o", "x.csv").refusal
    refused = shell("demo", "-o", "x.csv").refusal
    assert "x.csv, whose name says csv: end it in .md" in refused
    assert "--format" not in refused  # it has none


def test_types_of_parquet_do_not_follow_the_data() -> None:
    empty, full = (
        pd.read_parquet(
            io.BytesIO(file_of([{"ranker": "inf", "low": low, "reason": why, "seed": 2**64 - 1}], "parquet"))
        )
        for low, why in ((None, ""), ("-inf", "none"))
    )
    assert dict(empty.dtypes) == dict(full.dtypes)
    assert full.loc[0].tolist() == ["inf", -np.inf, "none", 2**64 - 1]
    assert pd.isna(empty.loc[0, "low"])
