"""No message in the words of the libraries below: bad files and values, at every command."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer

from hitcurve.cli.app import app
from tests.shell import Shell

RNG = np.random.default_rng(0)
Y = (np.arange(60) % 4 == 0).astype(int)
FRAME = pd.DataFrame(
    {"id": [f"m{i}" for i in range(60)], "y": Y, "a": RNG.normal(size=60) + Y, "b": RNG.normal(size=60)}
)
FOREIGN = re.compile(
    r"(?i)duckdb|pydantic|numpy|pyarrow|thrift|snappy|binder|parser error|conversion error|catalog|VARCHAR|INTEGER|"
    r"STRUCT|traceback|NoneType|internal error|invalid value|input should|usage:|no such option|"
    r"magic bytes|deserialize|literal|Candidate|unable to parse"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("good.csv", index=False)
    FRAME.to_parquet("good.parquet")
    whole = Path("good.parquet").read_bytes()
    Path("cut.parquet").write_bytes(whole[: len(whole) // 2])
    for name, places in {"body.parquet": slice(20, 800), "footer.parquet": slice(-40, -10)}.items():
        content = bytearray(whole)
        content[places] = b"\x07" * len(content[places])
        Path(name).write_bytes(bytes(content))
    FRAME.to_feather("whole.feather")
    feather = Path("whole.feather").read_bytes()
    Path("cut.feather").write_bytes(feather[: len(feather) // 2])
    texts = {"empty.csv": "", "header.csv": "id,y,a,b\n", "ragged.csv": "y,a\n1,2\n1,2,3\n", "quote.csv": 'y,a\n1,"2\n'}
    texts |= {"cut.json": '{"y":1,', "list.jsonl": "[1]\n", "fake.parquet": "y,a\n1,2\n", "runs.txt": "1 Q0 d 1 2.0\n"}
    texts |= {"run.txt": "1 Q0 d1 1 2.0 r\n1 Q0 d2 2 1.0 r\n", "qrels.txt": "1 0 d1 1\n1 0 d2 0\n"}
    for name, text in texts.items():
        Path(name).write_text(text)
    Path("binary.csv").write_bytes(bytes(range(256)) * 20)
    Path("latin.csv").write_bytes("y,a\n1,2\né,3\n".encode("latin-1"))
    Path("cut.csv.gz").write_bytes(gzip.compress(Path("good.csv").read_bytes())[:200])
    pd.DataFrame({"y": [1, 0], "a": [{"k": 1}, {"k": 2}]}).to_parquet("nested.parquet")
    Path("folder").mkdir()
    return tmp_path


FILES = (
    *("cut.parquet", "body.parquet", "footer.parquet", "cut.feather", "empty.csv", "header.csv", "ragged.csv"),
    *("quote.csv", "cut.json", "list.jsonl", "fake.parquet", "binary.csv", "latin.csv", "cut.csv.gz", "nested.parquet"),
    *("folder", "absent.csv", "*.absent", "/dev/null"),
)
ONE = ("-l", "y", "-s", "a")
TWO = (*ONE, "-s", "b")
COMMANDS: dict[str, Callable[[str], list[str]]] = {
    "evaluate": lambda f: ["evaluate", f, *ONE],
    "evaluate where": lambda f: ["evaluate", f, *ONE, "--where", "a > 0"],
    "evaluate by": lambda f: ["evaluate", f, *ONE, "--by", "id"],
    "labels": lambda f: ["evaluate", "good.csv", "--labels", f, "--on", "id", *ONE],
    "counts": lambda f: ["evaluate", f, "--counts", "--positives", "y", "--total", "a"],
    "compare": lambda f: ["compare", f, *TWO],
    "winner": lambda f: ["winner", f, *TWO],
    "power": lambda f: ["power", f, *TWO, "--effect", "0.1", "--power", "0.8"],
    "curve": lambda f: ["curve", f, *ONE],
    "band": lambda f: ["band", f, *ONE],
    "plot": lambda f: ["plot", "roc", f, *ONE, "-o", "o.png"],
    "confusion": lambda f: ["confusion", f, *ONE, "--at", "10%"],
    "report": lambda f: ["report", f, *ONE, "-o", "o.html"],
    "rate": lambda f: ["rate", f, *ONE, "--time", "10", "--per-item", "1:2"],
    "times": lambda f: ["rate", "--items", "900", "--time", "10", "--times", f],
    "run": lambda f: ["trec", f, "qrels.txt"],
    "qrels": lambda f: ["trec", "run.txt", f],
    "ranks": lambda f: ["ranks", "100", f],
}


# they read files as `evaluate` does: each is given a third of the bad ones, and each bad one is given to three
AS_EVALUATE = ("compare", "winner", "power", "curve", "band", "plot", "confusion", "report", "rate")


@pytest.mark.parametrize("command", COMMANDS)
def test_bad_files_are_one_sentence_of_ours(shell: Shell, folder: Path, command: str) -> None:
    for name in FILES[AS_EVALUATE.index(command) % 3 :: 3] if command in AS_EVALUATE else FILES:
        sentence = shell(*COMMANDS[command](name)).refusal
        assert not FOREIGN.search(sentence), sentence
        assert len(sentence) < 350, sentence


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(shell: Shell, folder: Path) -> None:
    Path("good.csv").chmod(0)
    assert "cannot read good.csv" in shell("evaluate", "good.csv", *ONE).refusal


def test_options_that_take_shares_say_so() -> None:
    shares = {"--confidence-level", "--precision", "--recall", "--fpr", "--prevalence", "--power", "--significance"}
    seen = set()
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        for one in command.params:
            of_one = {"stop": "--target", "decision": "--threshold", "rate": "--coverage"}.get(name)
            if shares & {*one.opts} or of_one in one.opts:
                assert str(one.metavar).startswith("SHARE"), (name, one.opts)
                seen.add(one.opts[0])
    assert seen == shares | {"--target", "--threshold", "--coverage"}


GOOD = ("evaluate", "good.csv", *TWO)
SAID: dict[str, tuple[tuple[str, ...], str]] = {
    # words that the parser reads
    "no number": (
        (*GOOD, "--confidence-level", "abc"),
        "--confidence-level must be a share such as 5% or 0.05, got 'abc'",
    ),
    "no whole number": ((*GOOD, "--seed", "1.5"), "--seed must be a whole number, got '1.5'"),
    "below the least": ((*GOOD, "--seed", "-1"), "--seed must be at least 0, got -1"),
    "an argument": (("ranks", "x"), "N must be a whole number, got 'x'"),
    "no argument": (("evaluate",), "hitcurve evaluate needs FILE: see hitcurve evaluate --help"),
    "an option that is needed": (("power", "good.csv", *TWO), "hitcurve power needs --effect"),
    "an option that is not there": (
        (*GOOD, "--prevalance", "1"),
        "did you mean '--prevalence'",
    ),
    "an option that only dashes make like others": (
        (*GOOD, "--nonsense", "1"),
        "hitcurve evaluate has no option --nonsense: see hitcurve evaluate --help",
    ),
    "two numbers that do not go together": (
        ("stop", "--found", "9", "--unread", "5", "--sampled", "6"),
        "--sampled 6 is more than the --unread 5 subjects",
    ),
    "a command that is not there": (
        ("evalute", "good.csv"),
        "no command 'evalute'; did you mean 'evaluate'",
    ),
    "no value": ((*GOOD, "--label"), "--label needs a value after it"),
    "one value of two": (("plot", "roc", "good.csv", *ONE, "--window", "1"), "--window needs 2 values after it"),
    "a value of a flag": ((*GOOD, "--no-header=1"), "--no-header takes no value"),
    "one word too many": (("demo", "x"), "hitcurve demo cannot use 'x'"),
    # names of arguments of Python
    "a level": ((*GOOD, "--confidence-level", "2"), "--confidence-level must lie strictly between 0 and 1, got 2.0"),
    "a choice": ((*GOOD, "--design", "x"), "--design must be one of 'cohort', 'case-control', got 'x'"),
    "a window": (("plot", "roc", "good.csv", *ONE, "--window", "1", "0"), "--window must be an interval"),
    "a range": (("band", "good.csv", *ONE, "--x-range", "1", "0"), "--x-range must be an interval"),
    "a number of positives": (
        ("power", "good.csv", *TWO, "--effect", ".1", "--n-pos", "-3"),
        "--n-pos must be a whole number of at least 1, got -3",
    ),
    "a method": (("winner", "good.csv", *TWO, "--method", "x"), "--method must be one of 'hybrid'"),
    "a cutoff": (("confusion", "good.csv", *ONE, "--at", "200%"), "--at must be a fraction up to 100%"),
    "a size": (("plot", "roc", "good.csv", *ONE, "--size", "1e9", "1e9"), "--size must be at most 200 inches"),
    "a report that is a PDF": (("report", "good.csv", *ONE, "-o", "x.pdf"), "end it in .html"),
    # conditions
    "SQL that ends": ((*GOOD, "--where", "a >"), "--where 'a >' is not an SQL condition at '>'"),
    "a text and a number": ((*GOOD, "--where", "id > 1"), "text and a number cannot be compared"),
    "a text that is no number": ((*GOOD, "--where", "a > 'x'"), "'x' is not a number"),
    "a cast that fails": ((*GOOD, "--where", "CAST(id AS INT) > 1"), "'m0' is not a number"),
    "an aggregate": ((*GOOD, "--where", "sum(a) > 1"), "cannot contain an aggregate"),
    "a window function": ((*GOOD, "--where", "rank() OVER () > 1"), "cannot contain a window function"),
    "a table function": ((*GOOD, "--where", "read_csv('x')"), "read_csv() reads a table"),
    "a function that is not there": ((*GOOD, "--where", "zork(a) > 1"), "there is no function zork()"),
    "types of a function": ((*GOOD, "--where", "a LIKE 3"), "LIKE cannot be used with a number and a number"),
    "an open quote": ((*GOOD, "--where", '"a'), "a quote or a comment is not closed"),
    "unnest": ((*GOOD, "--where", "unnest([1, 2]) > 1"), "cannot contain unnest()"),
}


@pytest.mark.parametrize("case", SAID)
def test_bad_values_are_one_sentence_of_ours(shell: Shell, folder: Path, case: str) -> None:
    command, said = SAID[case]
    sentence = shell(*command).refusal
    assert said in sentence
    assert not FOREIGN.search(sentence), sentence


def test_help_and_version_are_no_errors(shell: Shell) -> None:
    assert "--confidence-level" in shell("evaluate", "--help").out
    assert shell("--version").out.startswith("hitcurve ")
    assert shell("evaluate", "--help").code == 0
