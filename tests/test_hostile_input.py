"""What comes in and goes out at the doors: conditions, files, names and columns that mean harm, or are odd."""

from __future__ import annotations

import csv
import errno
import fcntl
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pandas as pd
import polars as pl
import pytest

import hitcurve as hc
from hitcurve import plot, rows
from hitcurve._writing import write_whole
from hitcurve.cli import files
from hitcurve.cli.app import app
from hitcurve.cli.files import INPUTS, OUTPUT
from hitcurve.errors import ColumnNotFoundError, InputError, MissingValueWarning, ParameterError
from hitcurve.evaluation import evaluate_source
from hitcurve.inference import Comparisons
from hitcurve.metrics import metrics
from hitcurve.report import render
from hitcurve.report.html import page
from hitcurve.report.html.words import ISOLATED
from hitcurve.sources import Reading
from hitcurve.sources.files import FileSource, duck, one_row
from tests.shell import Shell, shell

__all__ = ["shell"]

EVALUATE = ("-l", "y", "-s", "s", "-m", "auc")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of scores and times, in the working folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.csv"
    path.write_text("y,s,t\n1,3,2026-01-01\n0,2,2026-02-01\n1,1,2027-01-01\n")
    return path


# ---- conditions on the rows


@pytest.mark.parametrize(
    "condition",
    [
        "(SELECT content LIKE 'secret%' FROM read_text('secret.txt'))",
        "s < (SELECT count(*) FROM read_csv('secret.txt', header = false))",
        "s < (SELECT count(*) FROM 'secret.csv')",
        "s < (SELECT count(*) FROM glob('*'))",
        "s IN (SELECT s FROM (VALUES (1)) v(s) TABLESAMPLE 50 PERCENT)",
        "EXISTS (SELECT 1)",
        "list_contains([1, 2], (SELECT 1))",
    ],
)
def test_a_condition_is_about_one_row(condition: str, data: Path, shell: Shell) -> None:
    (data.parent / "secret.txt").write_text("secret")
    (data.parent / "secret.csv").write_text("a\n1\n")
    assert "cannot contain a SELECT" in shell("evaluate", data, *EVALUATE, "--where", condition).refusal


@pytest.mark.parametrize(
    ("condition", "name"),
    [
        ('"random"() < 0.5', "random()"),
        ("main.random() < 0.5", "random()"),
        ("list_filter([1], lambda x: random() < 0.5) = [1]", "random()"),
        ("uuid() IS NOT NULL", "uuid()"),
        ("t < now()", "now()"),
        ("t < today()", "today()"),
        ("t < current_timestamp", "current_timestamp"),
        ("t::DATE < CURRENT_DATE", "current_date"),
        ("t < localtimestamp", "localtimestamp"),
        ("t::TIME < localtime", "localtime"),
        ("age(t) < INTERVAL 1 DAY", "age()"),
        ("t < ago(INTERVAL 1 DAY)", "ago()"),
        ("txid_current() > 1", "txid_current()"),
    ],
)
def test_what_changes_between_readings_is_refused(condition: str, name: str, data: Path, shell: Shell) -> None:
    said = shell("evaluate", data, *EVALUATE, "--where", condition).refusal
    assert f"{name} selects different rows each time" in said


@pytest.mark.parametrize(
    "name",
    [
        "pg_sleep(10)",
        "current_setting('threads')",
        "getvariable('x')",
        "in_search_path('a', 'b')",
        "get_block_size('x')",
    ],
)
def test_what_looks_beyond_the_row_is_refused(name: str, data: Path, shell: Shell) -> None:
    said = shell("evaluate", data, *EVALUATE, "--where", f"{name} IS NULL").refusal
    assert f"{name.partition('(')[0]}() depends on the session or the clock, not on the row" in said


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("user = 'duckdb'", "user depends on the session"),
        ("current_user() = 'duckdb'", "current_user() depends on the session"),
        ("current_schema = 'main'", "current_schema depends on the session"),
        ("version() LIKE 'v%'", "version() depends on the session"),
        (
            "json_serialize_plan('FROM read_csv(''secret.csv'')') IS NULL",
            "json_serialize_plan() depends on the session",
        ),
        ("#2 = 3", "#2 is a place: write the name of the column"),
        ("COLUMNS('s') > 1", "stand for several columns"),
        ("COLUMNS(*) IS NOT NULL", "stand for several columns"),
        ("list_aggregate([1, 2], 'reservoir_quantile', 0.5) > 1", "which draws at random"),
        ("list_aggr([1, 2], 'reservoir' || '_quantile', 0.5) > 1", "needs the name of an aggregate"),
        ("write_log('x') IS NULL", "write_log() does something"),
        ("s > 1 AND error('x')", "error() does something, such as ending with an error"),
        ("CASE WHEN s > 1 THEN true ELSE assert_true(false) END", "assert_true() does something"),
        ("vector_type(s) = 'FLAT'", "vector_type() depends on the session"),
        ("nextval('x') > 0", "nextval() selects different rows each time"),
        ("getenv('HOME') = ''", "there is no function getenv()"),
        ("s IN glob('*')", "glob() reads a table"),
        ("s > 1 ORDER BY s", "is more than one condition"),
        ("s > 1; COPY (SELECT 1) TO 'z.csv'", "is more than one condition"),
        ("s > 1) OR (1 = 1", "is not an SQL condition at ')'"),
        ("s > 1 -- )", "without a comment"),
        ("s > $1", "a parameter has no value"),
        ("x.s > 1", "there is no table 'x': write the name of a column alone"),
        ("regexp_matches(t::TEXT, '(')", "a regular expression cannot be read: 'missing )"),
        ("regexp_matches(t::TEXT, '*')", "a regular expression cannot be read: 'no argument for repetition"),
        ("strptime(t::TEXT, '%Q') IS NULL", "a format of times cannot be read at '%Q'"),
        ("printf('%s%s', 'a') = ''", "a format has more places than values"),
        ("range(1000000000)[1] > 0", "range() may make a value of any size"),
        ("len(generate_series(s)) > 0", "generate_series() may make a value of any size"),
        ("[i FOR i IN range(s)] = [1]", "range() may make a value of any size"),
        ("len(repeat('a', 1000000000)) > s", "repeat() may make a value of any size"),
        ("'a'.repeat(1000000000) = 'b'", "repeat() may make a value of any size"),
        ("list_resize([s], 100000000)[1] > 0", "list_resize() may make a value of any size"),
        ("len(list_reduce(['a', 'a'], lambda x, y: x || x)) > 0", "list_reduce() may make a value of any size"),
        ("lpad(t::TEXT, 1000000000, 'a') = 'a'", "lpad() needs a length that is written as a number of at most 10,000"),
        ("rpad(t::TEXT, s, 'a') = 'a'", "rpad() needs a length that is written as a number"),
        ("printf('%1000000000d', s) = ''", "printf() needs a format that is written as text, with widths below 10,000"),
        ("printf('%*d', s, s) = ''", "printf() needs a format that is written as text"),
        ("format('{:{}}', s, s) = ''", "format() needs a format that is written as text"),
        ("(s > 3", "a parenthesis is not closed"),
        ("s IN [1, 2", "a bracket is not closed"),
        ("s > 1 AND t::TEXT IN (')'", "a parenthesis is not closed"),
        ("-- x", "must be one condition without a comment"),
        ("/* x */", "must be one condition without a comment"),
        ("s > \u0661\u0662", "is no number with the digits 0 to 9"),
        ("t < DATE '2026-13-01'", "there is no such time"),
        ("factorial(1000) > s", "a number is too large"),
        ("s > 5 // 0", "a number is divided by 0"),
        ("t AT TIME ZONE 'Mars' > t", "there is no time zone 'Mars'"),
        ("chr(-5) = 'a'", "DuckDB cannot compute it: 'Invalid UTF8 Codepoint -5'"),
        ("[" * 600 + "1" + "]" * 600 + " IS NOT NULL", "is nested too deeply"),
        ("NOT " * 100_000 + "s > 1", "cannot be applied"),
    ],
)
def test_a_condition_is_closed(condition: str, said: str, data: Path) -> None:
    (data.parent / "secret.csv").write_text("a\n1\n")
    with pytest.raises(ParameterError) as refused:
        hc.evaluate("y", "s", data=data, metrics="auc", where=condition)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 2000
    assert sorted(os.listdir(data.parent)) == ["secret.csv", "x.csv"]


def test_levels_of_a_condition_are_counted_alike(data: Path) -> None:
    """Python 3.12 and later read JSON of more levels than 3.11."""
    for levels, fits in ((250, True), (420, False)):
        where = "[" * levels + "1" + "]" * levels + " IS NOT NULL"
        if fits:
            assert hc.evaluate("y", "s", data=data, metrics="auc", where=where)
        else:
            with pytest.raises(ParameterError, match="nested too deeply"):
                hc.evaluate("y", "s", data=data, metrics="auc", where=where)


def test_what_functions_look_at_is_asked_once(data: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB lists its functions in as much time as all else takes that is done with a condition."""
    asked = []
    macros = one_row._macros_of

    def heard(*given: Any) -> set[str]:
        asked.append(given)
        return macros(*given)

    monkeypatch.setattr(one_row, "_FUNCTIONS", [])
    monkeypatch.setattr(one_row, "_macros_of", heard)
    for _ in range(2):
        for condition, said in (("t < today()", "today() selects"), ("pg_sleep(s) > 1", "pg_sleep() depends")):
            assert said in shell("evaluate", data, *EVALUATE, "--where", condition).refusal
    assert len(asked) == 1


@pytest.mark.parametrize(
    "condition",
    [
        "lpad(s::TEXT, 3, '0') > '000'",
        "rpad('a', 10000, 'b') > ''",
        "printf('%05d', s) > '00000'",
        "format('{}', s) > '0'",
    ],
)
def test_lengths_that_are_written_are_no_danger(condition: str, data: Path) -> None:
    data.write_text("y,s\n1,3\n0,2\n1,4\n0,1\n")
    assert hc.evaluate("y", "s", data=data, metrics="auc", where=condition).tables["s"].n == 4


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata"])
def test_times_of_a_condition_are_those_of_no_place(zone: str, data: Path) -> None:
    frame = pd.DataFrame({"y": [1, 0, 1, 0], "s": [4, 3, 2, 1]})
    frame["t"] = pd.to_datetime(
        ["2026-01-01 00:30", "2026-01-01 01:00", "2026-01-01 22:00", "2026-01-02 03:00"], utc=True
    )
    frame.to_parquet(data.parent / "t.parquet")
    asked = [sys.executable, "-m", "hitcurve", "evaluate", "t.parquet", *EVALUATE, "-f", "json", "--where"]
    done = subprocess.run([*asked, "t::DATE = '2026-01-01'"], capture_output=True, env=os.environ | {"TZ": zone})
    assert json.loads(done.stdout)["rows"]["read"] == 3


@pytest.mark.parametrize("condition", ["t < TIMESTAMP '2026-12-31'", "age(t, TIMESTAMP '2026-12-31') < INTERVAL 1 DAY"])
def test_conditions_on_times_that_stay(condition: str, data: Path, shell: Shell) -> None:
    assert shell("evaluate", data, *EVALUATE, "--where", condition, "-f", "json").json["rankers"]


def test_a_column_may_be_called_as_a_clock(data: Path, shell: Shell) -> None:
    data.write_text("y,s,current_date\n1,3,1\n0,2,1\n1,1,2\n")
    found = shell("evaluate", data, *EVALUATE, "--where", "current_date = 1", "-f", "csv")
    assert (found.code, found.out.count("\n")) == (0, 2)


def test_a_connection_reads_the_given_files_alone(data: Path) -> None:
    other = data.parent / "other.csv"
    other.write_text("a\n1\n")
    duckdb = pytest.importorskip("duckdb")
    for spelling in (data, Path(os.path.relpath(data)), data.parent / "b[1]*.csv"):
        spelling.write_text("a\n1\n")
        with duck.connect([spelling]) as connection:
            assert connection.sql(f"FROM read_csv({duck.text(duck.literal(spelling))})").fetchall() == [(1,)]
            for sql in (
                f"FROM read_csv('{other}')",
                f"FROM read_text('{other}')",
                f"FROM glob('{other.parent}/*')",
                f"COPY (SELECT 1) TO '{other}'",
                f"ATTACH '{other.parent / 'new.db'}'",
                "INSTALL httpfs",
                "LOAD httpfs",
                "SET enable_external_access = true",
                "SET allowed_directories = ['/']",
            ):
                with pytest.raises(duckdb.Error):
                    connection.execute(sql)
    assert other.read_text() == "a\n1\n"


def test_a_connection_has_a_folder_of_its_own(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(data.parent))
    first, second = duck.connect([data]), duck.connect([data])
    folders = [Path(c.sql("SELECT current_setting('temp_directory')").fetchall()[0][0]) for c in (first, second)]
    assert folders[0] != folders[1]
    assert all(not folder.stat().st_mode & 0o077 for folder in folders)
    del first, second
    assert not any(folder.exists() for folder in folders)


# ---- files that are written


def _spellings(path: Path) -> dict[str, Path]:
    (path.parent / "link.csv").symlink_to(path)
    os.link(path, path.parent / "hard.csv")
    return {
        "plain": path,
        "relative": Path(path.name),
        "through a folder": path.parent / "sub" / ".." / path.name,
        "link": path.parent / "link.csv",
        "hard link": path.parent / "hard.csv",
    }


COMMANDS = {
    "evaluate": ("evaluate", "x.csv", *EVALUATE),
    "wildcard": ("evaluate", "*.csv", *EVALUATE),
    "labels": ("evaluate", "other.csv", "--labels", "x.csv", "--on", "id", *EVALUATE),
    "counts": ("evaluate", "x.csv", "--counts", "--positives", "y", "--total", "s"),
    "ranks": ("ranks", "100", "x.csv"),
    "curve": ("curve", "x.csv", "-l", "y", "-s", "s"),
    "band": ("band", "x.csv", "-l", "y", "-s", "s"),
    "confusion": ("confusion", "x.csv", "-l", "y", "-s", "s", "--at", "1"),
    "report": ("report", "x.csv", *EVALUATE),
    "rate": ("rate", "x.csv", "--items", "100", "--minutes", "60", "--per-item", "1:2", "-l", "y", "-s", "s"),
    "times": ("rate", "--items", "100", "--minutes", "60", "--times", "x.csv"),
    "trec": ("trec", "x.csv", "qrels.txt"),
    "qrels": ("trec", "run.txt", "--qrels", "x.csv"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_writes_over_its_input(command: str, data: Path, shell: Shell) -> None:
    (data.parent / "sub").mkdir()
    before = data.read_bytes()
    for spelling, path in _spellings(data).items():
        assert "is the input file" in shell(*COMMANDS[command], "-o", path).refusal, spelling
    assert data.read_bytes() == before


@pytest.mark.parametrize("command", ["evaluate", "ranks", "report"])
def test_no_command_goes_up_from_a_folder_that_is_not_there(command: str, data: Path, shell: Shell) -> None:
    before = data.read_bytes()
    for path in (Path("nowhere", "..", data.name), data.parent / "nowhere" / ".." / data.name):
        assert "is the input file" in shell(*COMMANDS[command], "-o", path).refusal
    if command != "ranks":  # whose input is no file of ranks
        new = Path("nowhere", "..", "new.html" if command == "report" else "new.csv")
        assert "there is no folder" in shell(*COMMANDS[command], "-o", new).refusal
    assert data.read_bytes() == before
    assert not list(data.parent.glob("new.*"))


def test_every_parameter_for_a_file_is_known() -> None:
    found = set()
    for command in app.registered_commands:
        assert command.callback is not None
        for name, kind in get_type_hints(command.callback, include_extras=True).items():
            said = str(getattr(kind.__metadata__[0], "help", "")) if hasattr(kind, "__metadata__") else ""
            if re.match(r"(File|Files|CSV|Runs|Optional scores|HTML report|Report)\b", said):
                found.add(name)
    assert found - {"counts", "form"} == {OUTPUT, *INPUTS}


def test_standard_input_is_an_input(data: Path) -> None:
    before = data.read_bytes()
    with data.open("rb") as stdin:
        command = [sys.executable, "-m", "hitcurve", "evaluate", "-", *EVALUATE, "-o", "x.csv"]
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
    assert (done.returncode, "is the input file standard input" in done.stderr) == (2, True)
    assert data.read_bytes() == before


def test_another_output_is_written(data: Path, shell: Shell) -> None:
    (data.parent / "y.txt").write_text("old")
    assert shell("evaluate", data, *EVALUATE, "-o", "y.txt").code == 0
    assert "auc" in (data.parent / "y.txt").read_text()


def test_remnants_of_killed_writers_are_removed(data: Path) -> None:
    killed = (
        "import os, pathlib\nfrom hitcurve import _writing as writing\n"
        "writing.os.replace = lambda *_: os.kill(os.getpid(), 9)\n"
        "writing.write_whole(pathlib.Path('x.html'), 'half')\n"
    )
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode == -signal.SIGKILL
    remnants = list(data.parent.glob(".x.html.*"))
    assert len(remnants) == 1
    mine = [data.parent / name for name in (".x.html.original", ".x.html.12345678", ".y.html.abcdefgh.hitcurve")]
    for path in mine:
        path.write_text("kept")
    with remnants[0].open("r+") as held:  # a writer that is alive
        fcntl.flock(held, fcntl.LOCK_EX)
        write_whole(data.parent / "x.html", "new")
        assert remnants[0].exists()
    write_whole(data.parent / "x.html", "newer")
    assert (data.parent / "x.html").read_text() == "newer"
    assert sorted(data.parent.glob(".*")) == sorted(mine)


@contextmanager
def _obeyed(number: signal.Signals) -> Iterator[None]:
    """Let commands started here obey a signal, which they would not under nohup."""
    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
    yield
    signal.signal(number, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_leaves_nothing_behind(number: signal.Signals, data: Path) -> None:
    folder = data.parent / "temporary"
    folder.mkdir()
    command = [sys.executable, "-m", "hitcurve", "evaluate", "-", *EVALUATE]
    environment = os.environ | {"TMPDIR": str(folder)}
    with (
        _obeyed(number),
        subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process,
    ):
        try:
            assert process.stdin is not None
            process.stdin.write(b"y,s\n" + b"1,2\n" * 100_000)
            process.stdin.flush()
            until = time.monotonic() + 20
            while not any(path.stat().st_size for path in folder.rglob("standard input")):
                assert time.monotonic() < until, "no copy of standard input"
                time.sleep(0.05)
            process.send_signal(number)
            assert process.wait(20) == 128 + number
        finally:
            process.kill()
    assert list(folder.iterdir()) == []


def test_what_a_killed_run_left_is_removed_by_the_next_one(data: Path) -> None:
    folder = data.parent / "temporary"
    folder.mkdir()
    command = [sys.executable, "-m", "hitcurve", "evaluate", "-", *EVALUATE]
    environment = os.environ | {"TMPDIR": str(folder)}
    foreign = folder / "hitcurve-of-another"  # without the lock of a run
    foreign.mkdir()
    begun: list[subprocess.Popen[bytes]] = []
    try:
        for place in (1, 2):
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
            begun.append(process)
            assert process.stdin is not None
            process.stdin.write(b"y,s\n" + b"1,2\n" * 100_000)
            process.stdin.flush()
            until = time.monotonic() + 20
            while sum(path.stat().st_size > 0 for path in folder.rglob("standard input")) < place:
                assert time.monotonic() < until, "no copy of standard input"
                time.sleep(0.05)
        begun[0].kill()
        begun[0].wait(20)
        assert len(list(folder.rglob("standard input"))) == 2
        done = subprocess.run([sys.executable, "-m", "hitcurve", "metrics"], capture_output=True, env=environment)
        assert done.returncode == 0
        # that of the process that still reads stays
        assert len(list(folder.rglob("standard input"))) == 1
        assert foreign.exists()
    finally:
        for process in begun:
            process.kill()
            process.communicate()


def test_what_a_killed_program_of_python_left_is_removed_by_the_next_one(data: Path) -> None:
    folder = data.parent / "of python"
    folder.mkdir()
    environment = os.environ | {"TMPDIR": str(folder)}
    text = "import os, hitcurve as hc\nev = hc.evaluate('y', 's', data={data!r}, metrics='auc')\n{end}"
    killed = [sys.executable, "-c", text.format(data=str(data), end="os.kill(os.getpid(), 9)")]
    assert subprocess.run(killed, check=False, env=environment).returncode == -signal.SIGKILL
    assert len(list(folder.glob("hitcurve-*"))) == 1
    alive = [sys.executable, "-c", text.format(data=str(data), end="print(*os.listdir(os.environ['TMPDIR']))")]
    done = subprocess.run(alive, capture_output=True, text=True, check=True, env=environment)
    assert len(done.stdout.split()) == 1, done.stdout  # its own
    assert not list(folder.iterdir())


def test_a_third_label_is_named_with_its_line(data: Path, shell: Shell) -> None:
    lines = ["y,s", *(f"{i % 2},{i}" for i in range(40)), "2,7"]
    (data.parent / "other.csv").write_text("\n".join(lines))
    refusal = shell("evaluate", data, data.parent / "other.csv", *EVALUATE).refusal
    assert refusal.endswith("; the first '2' is in line 42 of other.csv")


@pytest.mark.parametrize(("kept", "said"), [(0, "0 bytes"), (3 << 20, "3.15 MB")])
def test_a_disk_that_is_full_before_the_end_of_standard_input(
    kept: int, said: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Any, out: Any) -> None:
        out.write(bytes(kept))
        out.flush()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "_copy", full)
    assert shell("evaluate", "-", *EVALUATE, stdin=b"y,s\n1,2\n").refusal == (
        f"standard input is kept in a temporary file, since data may be read twice, and after {said} there is "
        "no space left for it (TMPDIR names the folder of temporary files)"
    )


# ---- names that mean harm

NAMES = {
    "colour": "\x1b[31mred",
    "bell": "a\x07b",
    "one line over another": "a\rb",
    "C1": "a\x9b31mb",
    "turned": "a\u202eb",
    "isolated": "a\u2066b",
    "formula": '=cmd|"/C calc"!A0',
    "image": "<img src=x onerror=alert(1)>",
    "link": "[a](javascript:alert(1))",
    "cell": "a\\|b",
    "command": r"\input{/etc/passwd}$x^2$",
    "fence": "````\n<script>",
    "half a sign": "a\ud800b",
    "mark of an order of bytes": "\ufeffb",
    "signs that are not seen": "a\u200bb\u2060c\xadd\U000e0041",
}
OBEYED = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u061c\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\U000e0041]"
)


@pytest.fixture(scope="module")
def named() -> dict[str, hc.Evaluation | hc.GroupedEvaluation]:
    y = [1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1] * 2
    scores = {name: [(i * 7 + j * 5) % 12 for i in range(24)] for j, name in enumerate(NAMES.values())}
    groups = [list(NAMES.values())[i % 4] for i in range(12)] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "rankers": hc.evaluate(y, scores, metrics=["auc", "ap"]),
            "groups": hc.evaluate(y, scores, metrics=["auc"], by=groups, single_class="skip"),
        }


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex"])
@pytest.mark.parametrize("kind", ["rankers", "groups"])
def test_names_are_seen_and_not_obeyed(kind: str, form: str, named: dict[str, Any]) -> None:
    first, second = list(NAMES.values())[:2]
    comparisons = [] if form == "csv" else [Comparisons((named[kind].compare(first, second, "auc"),))]
    text = render(named[kind], form, comparisons)
    assert OBEYED.search(text) is None
    if form == "json":
        assert json.loads(text)["rankers"] == list(NAMES.values())
    if form == "csv":
        cells = [cell for line in csv.reader(io.StringIO(text)) for cell in line]
        assert [cell for cell in cells if cell[:1] in "=+@" and cell] == []
        assert '\'=cmd|"/C calc"!A0' in cells
    if form == "markdown":
        outside = re.sub(r"^(`{3,})$.*?^\1$", "", text, flags=re.M | re.S)
        assert "<" not in outside
        assert "](" not in outside
        assert all(line.count("|") in (0, 1 + len(line.split(" | "))) for line in outside.splitlines())
    if form == "latex":
        body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
        assert r"\input" not in body
        assert r"\$x" in body


def test_names_in_notebooks(named: dict[str, Any]) -> None:
    for evaluation in named.values():
        text = evaluation._repr_html_()
        assert "<img" not in text
        assert OBEYED.search(text) is None


def test_names_in_words(named: dict[str, Any]) -> None:
    for evaluation in named.values():
        first, second = evaluation.rankers[-2:]
        compared = evaluation.compare(first, second, "auc")
        for text in (str(evaluation), evaluation.methods_text(), str(compared), compared.methods_text()):
            assert OBEYED.search(text) is None
            text.encode()
        # a name does not begin a line or a paragraph of its own
        assert not any(line.startswith("<script>") for line in evaluation.methods_text().splitlines())


def test_names_on_a_page(named: dict[str, Any]) -> None:
    for evaluation in named.values():
        text = page(evaluation)
        own = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", text, flags=re.S)
        # what the page isolates turns nothing around
        assert OBEYED.search(ISOLATED.sub(r"\1", own)) is None
        assert "\\u202e" in own
        data = re.search(r'<script type="application/json" id="hitcurve">(.*?)</script>', own, flags=re.S)
        assert data
        read = json.dumps(json.loads(data[1]), ensure_ascii=False)
        assert OBEYED.search(ISOLATED.sub(r"\1", read)) is None
        text.encode()


def test_a_fence_holds_what_it_fences(named: dict[str, Any]) -> None:
    text = render(
        named["rankers"], "markdown", [Comparisons((named["rankers"].compare(NAMES["fence"], "a\rb", "auc"),))]
    )
    assert r"\`\`\`\` &lt;script>" in text
    assert "<script>" not in text
    assert not re.search(r"^ *`{3,}", text, flags=re.M)


def test_words_of_markdown_are_shown_as_they_are() -> None:
    shown = {"__a__": r"\_\_a\_\_", "a*b*": r"a\*b\*", "`c`": r"\`c\`", "~~x~~": r"\~\~x\~\~", "$7$": r"\$7\$"}
    shown |= {r"a\|b": r"a\\&#124;b", "&lt;": "&amp;lt;", "score_a": "score_a", "R & D": "R & D", "x@10%": "x@10%"}
    assert {text: rows.markdown(text) for text in shown} == shown


@pytest.mark.parametrize("value", ["+1.5", "-1", "1e5", "a-b", "", 3.5, None])
def test_numbers_are_no_formulas(value: object) -> None:
    assert rows.csv_cell(value) == value


def test_standard_error_shows_control_characters(data: Path, shell: Shell) -> None:
    named = data.rename(data.parent / "\x1b[31mx.csv")
    assert "\\x1b[31mx" in shell("evaluate", named, "-l", "nothing", "-s", "s").refusal
    found = shell("evaluate", data, *EVALUATE, "-o", "a\x07.txt")
    assert "\x07" not in found.err


# ---- names of groups


class Odd:
    """A value of which only the text is like another one."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __str__(self) -> str:
        return "odd"

    def __lt__(self, other: Odd) -> bool:
        return self.value < other.value


@pytest.mark.parametrize("groups", [[1, 1, "1", "1"], [b"a", b"a", "a", "a"], [Odd(1)] * 2 + [Odd(2)] * 2])
def test_groups_of_one_text_are_refused(groups: list[object]) -> None:
    for door in (
        lambda: hc.evaluate([1, 0, 1, 0], [4, 3, 2, 1], by=groups, metrics="auc"),
        lambda: hc.TableStack.from_scores([1, 0, 1, 0], [4, 3, 2, 1], groups),
    ):
        with pytest.raises(InputError, match=r"make all of them text|different names"):
            door()


# ---- one schema of plain values


def _keys(content: object) -> set[frozenset[str]]:
    assert isinstance(content, list)
    return {frozenset(record) for record in content}


def test_everything_is_json(shell: Shell, data: Path) -> None:
    rng = np.random.default_rng(0)
    y, some = rng.integers(0, 2, 60), rng.normal(size=(2, 60))
    scores = dict(zip("ab", some, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = hc.evaluate(y, scores, metrics=["auc", "roc(50)", "slr", "pauc(tpr, 0.9, 1)"])
        single = hc.evaluate([0] * 5, {"a": range(5)}, metrics=["auc", "recall@2"], undefined="nan")
        tied = hc.evaluate([1, 0, 0], {"a": [1, 1, 0]}, metrics=["auc", "ap"])
        groups = hc.evaluate(y, scores, by=np.arange(60) % 3, metrics=["auc", "ap"])
        one = hc.evaluate(y, scores, by=np.zeros(60), metrics=["auc"])
        lacking = hc.evaluate(
            [*y, 0, 0], {"a": [*some[0], 1, 2]}, by=[*np.arange(60) % 3, 9, 9], single_class="zero", metrics="auc"
        )
        topics = hc.evaluate_trec(
            {"r": {"1": {"d1": 2.0}, "2": {"d2": 1.0}}}, {"1": {"d1": 1}, "2": {"d3": 0}}, single_class="skip"
        )
        tests = [
            *(
                whole.compare("a", "b", "auc", method=method, n_resamples=99)
                for method in ("delta", "swap-permutation")
            ),
            *(groups.compare("a", "b", "ap", method=method) for method in ("paired-t", "sign-flip", "wilcoxon")),
        ]
        line = whole.sensitivity("prevalence", [0.01, 0.1])
        few = tied.sensitivity("prevalence", [0.01, 0.1])
        bands = [whole.band("a", curve).to_records() for curve in ("roc", "precision_recall")]
    evaluations: list[Any] = [whole, single, tied, groups, one, lacking, topics]
    plain = [*(ev.to_dict() for ev in evaluations), *(test.to_dict() for test in tests), line.to_records(), *bands]
    for content in plain:
        assert json.loads(json.dumps(content, allow_nan=False)) == content
    results = [ev.to_dict()["results"] for ev in (whole, single, tied)]
    assert len(set.union(*map(_keys, results))) == 1
    assert {record["value"] for record in results[1]} == {None}
    assert len(set.union(*(_keys(ev.to_dict()["groups"]) for ev in (groups, one, lacking)))) == 1
    assert len(set.union(*(_keys(ev.to_dict()["means"]) for ev in (groups, one, lacking)))) == 1
    assert len(_keys([test.to_dict() for test in tests])) == 1
    assert len(_keys(line.to_records() + few.to_records())) == 1
    assert one.to_dict()["means"][0]["standard_error"] is None

    data.write_text("y,s\n0,1\n0,2\n")
    asked = ("evaluate", data, "-l", "y", "-s", "s", "--undefined", "nan", "-f", "json")
    (record,) = shell(*asked, "-m", "auc").json["results"]
    assert frozenset(record) in _keys(results[0])
    assert record["value"] is None


# ---- names of columns


@pytest.mark.parametrize(
    ("score", "ranker", "auc"),
    [
        ("vina:high", "vina:high", 1),
        ("vina:low", "vina:low", 0.25),
        ("vina:low:low", "vina:low", 0.75),
        ("vina", "vina", 0),
        ("other:low", "other", 0),
    ],
)
def test_the_exact_name_of_a_column_wins(score: str, ranker: str, auc: float, data: Path, shell: Shell) -> None:
    data.write_text("y,vina:high,vina:low,vina,other\n1,4,3,1,4\n1,3,1,2,3\n0,2,4,3,2\n0,1,2,4,1\n")
    for form in ("csv", "parquet"):
        path = data
        if form == "parquet":
            path = data.with_suffix(".parquet")
            pl.read_csv(data).write_parquet(path)
        (record,) = shell("evaluate", path, "-l", "y", "-s", score, "-m", "auc", "-f", "json").json["results"]
        assert (record["ranker"], record["value"]) == (ranker, auc)
    low = score != ranker
    column = [row[ranker] for row in pl.read_csv(data).to_dicts()]
    (cells,) = shell("confusion", data, "-l", "y", "-s", score, "--threshold", column[1], "-f", "json").json
    assert cells["tp"] == sum(value <= column[1] if low else value >= column[1] for value in column[:2])


@pytest.mark.parametrize("make", [pd.DataFrame, dict])
def test_columns_may_be_numbered(make: Any) -> None:
    columns = {
        0: [1, 0, 1, 0],
        1: [4, 3, 2, 1],
        np.int64(2): [1.0, 2.0, 3.0, 4.0],
        "w": [1, 1, 2, 2],
        3: [1, 1, 2, 2],
        4: ["a", "a", "b", "b"],
    }
    frame = make(columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = {"1": columns[1], "2": columns[2]}
        expected = hc.evaluate(columns[0], scores, sample_weight=columns["w"], metrics="auc")
        found = hc.evaluate(0, [1, 2], data=frame, sample_weight="w", metrics="auc")
        weighted = hc.evaluate(0, [1, np.int64(2)], data=frame, sample_weight=3, metrics="auc")
        single = hc.evaluate(0, 1, data=frame, metrics="auc", higher_is_better={"1": False})
        grouped = hc.evaluate(0, 1, data=frame, by=4, metrics="auc")
    assert found.to_dict() == expected.to_dict() == weighted.to_dict()
    assert single["1", "auc"].value == 0.25
    assert (grouped.by, list(grouped)) == ("4", ["a", "b"])
    assert hc.fuse_scores([1, 2], data=frame).tolist() == hc.fuse_scores(scores).tolist()
    with pytest.raises(ColumnNotFoundError, match="no column 7"):
        hc.evaluate(0, 7, data=frame)
    with pytest.raises(ParameterError, match="ranker '1' is named twice"):
        hc.evaluate(0, [1, "1"], data=frame)


def test_numbers_of_columns_name_rankers() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)))
    frame[0] = np.arange(60) % 2
    frame[1] += 2 * frame[0]
    frame[2] += frame[0]
    ev: Any = hc.evaluate(0, [1, 2], data=frame, metrics="auc")
    by: Any = hc.evaluate(0, [1, 2], data=frame, metrics="auc", by=[1, 1, 2, 2, 3, 3] * 10)
    assert ev[1, "auc"] == ev["1", "auc"]
    assert ev.compare(1, np.int64(2), "auc").difference.value == ev.compare("1", "2", "auc").difference.value
    assert ev.band(1, "roc") == ev.band("1", "roc")
    assert [c.first for c in ev.compare_all("auc", baseline=1)] == ["2"]
    assert by.mean(1, "auc") == by.mean("1", "auc")
    assert by.compare(1, 2, "auc").pvalue == by.compare("1", "2", "auc").pvalue
    numbered: Any = [1]
    assert plot.roc(ev, rankers=numbered).get_legend_handles_labels()[1][0].startswith("1 ")
    with pytest.raises(ColumnNotFoundError, match="no column '0'; did you mean 0"):
        hc.evaluate("0", 1, data=frame)
    with pytest.raises(ColumnNotFoundError, match="no ranker 3; rankers are '1', '2'"):
        ev.compare(1, 3, "auc")


def test_repeated_numbers_of_columns_are_refused() -> None:
    with pytest.raises(InputError, match="several columns of one name"):
        hc.evaluate(0, 1, data=pd.DataFrame([[1, 2, 3], [0, 1, 2]], columns=[0, 1, 1]))


# ---- missing values and numbers as people write them


@pytest.mark.parametrize("word", ["NA", "N/A", "n/a", "null", "NULL", "None", ".", "-", "nan", "NaN", "", " NA "])
@pytest.mark.parametrize("form", ["csv", "jsonl", "quoted"])
def test_words_for_missing_values(word: str, form: str, data: Path, shell: Shell) -> None:
    rows_of = [("1", "4"), ("0", "3"), (word, "9"), ("1", "2"), ("0", word), ("0", "1")]
    if form == "jsonl":
        values = [{"y": y if y == word else int(y), "s": s if s == word else int(s)} for y, s in rows_of]
        data = data.with_suffix(".jsonl")
        data.write_text("".join(json.dumps(row) + "\n" for row in values))
    else:
        quote = '"' if form == "quoted" else ""
        data.write_text("y,s\n" + "".join(f"{quote}{y}{quote},{quote}{s}{quote}\n" for y, s in rows_of))
    assert "1 of 6 values of label are missing" in shell("evaluate", data, *EVALUATE).refusal
    found = shell("evaluate", data, *EVALUATE, "--missing", "drop", "-f", "json").json
    assert found["rows"]["dropped"] == 2
    assert found["results"][0]["value"] == 0.75
    kept = shell("evaluate", data, *EVALUATE, "--missing", "drop", "--where", "s < 3", "-f", "json").json
    assert kept["rows"]["read"] == 2


@pytest.mark.parametrize("word", ["?", "missing", "-999", "-999.0", "1e9"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_more_words_for_missing_values(word: str, form: str, data: Path, shell: Shell) -> None:
    if form == "csv":
        data.write_text(f"y,s\n1,4\n0,3\n{word},9\n1,2\n0,{word}\n0,1\n")
    elif word.lstrip("-")[0].isdigit():
        gone = float(word)
        data = data.with_suffix(".parquet")
        pl.DataFrame({"y": [1, 0, gone, 1, 0, 0], "s": [4, 3, 9, 2, gone, 1]}, strict=False).write_parquet(data)
    else:
        pytest.skip("columns of numbers hold no words")
    spelling = word.removesuffix(".0")
    found = shell("evaluate", data, *EVALUATE, "--missing", "drop", "--na", spelling, "--na", "x", "-f", "json").json
    assert (found["rows"]["dropped"], found["results"][0]["value"]) == (2, 0.75)
    source = FileSource((data,), "y", ("s",), Reading(missing="drop"), na=(spelling,))
    assert evaluate_source(source, metrics("auc")).to_dict()["results"] == found["results"]
    if form == "csv":
        shell("evaluate", data, *EVALUATE, "--missing", "drop").refusal  # noqa: B018  it raises


@pytest.mark.parametrize("word", ["?", "#N/A", "unknown"])
@pytest.mark.parametrize("labels", ["10", "1", "yn"])
def test_a_label_that_may_stand_for_a_missing_value(word: str, labels: str, data: Path, shell: Shell) -> None:
    data.write_text("y,s\n" + "".join(f"{y},{i}\n" for i, y in enumerate([*labels, word])))
    assert f"replace it by None (--na {word!r})" in shell("evaluate", data, *EVALUATE).refusal


def test_a_minus_beside_a_plus_is_a_label(data: Path, shell: Shell) -> None:
    data.write_text("y,s\n+,4\n-,3\n+,2\n-,1\n")
    (record,) = shell("evaluate", data, *EVALUATE, "--positive", "+", "-f", "json").json["results"]
    assert (record["n"], record["value"]) == (4, 0.75)
    data.write_text("y,s\nnone,4\nsome,3\nnone,2\nsome,1\n")
    (record,) = shell("evaluate", data, *EVALUATE, "--positive", "none", "-f", "json").json["results"]
    assert (record["n"], record["value"]) == (4, 0.75)


def test_missing_labels_in_another_file(data: Path, shell: Shell) -> None:
    data.write_text("id,s\na,4\nb,NA\nc,2\nd,1\ne,5\n")
    labels = data.parent / "labels.csv"
    labels.write_text("id,y\na,1\nb,1\nc,0\nd,0\ne,N/A\n")
    asked = ("evaluate", data, "--labels", labels, "--on", "id", "-s", "s", "-m", "auc", "--missing")
    assert shell(*asked, "drop", "-f", "json").json["rows"]["dropped"] == 2
    assert "are missing" in shell(*asked, "raise").refusal


def _with_names(data: Path, form: str, names: list[str]) -> Path:
    rows_of = [(i % 2, 8 - i, name) for i, name in enumerate(names)]
    if form == "csv":
        data.write_text("y,s,c\n" + "".join(f"{y},{s},{name}\n" for y, s, name in rows_of))
        return data
    data = data.with_suffix(f".{form}")
    if form == "jsonl":
        objects = [{"y": y, "s": s, "c": float(n) if n[0].isdigit() else n} for y, s, n in rows_of]
        data.write_text("".join(json.dumps(row) + "\n" for row in objects))
    else:
        pl.DataFrame(rows_of, schema=["y", "s", "c"], orient="row").write_parquet(data)
    return data


@pytest.mark.parametrize(
    ("option", "form", "word"),
    # each two of the three
    [
        (("--cluster", "--by", "--folds")[(i + j) % 3], form, word)
        for i, form in enumerate(("csv", "jsonl", "parquet"))
        for j, word in enumerate(("NA", "None", "-", "N/A"))
    ],
)
def test_words_for_missing_names_among_numbers(option: str, form: str, word: str, data: Path, shell: Shell) -> None:
    asked = (*EVALUATE, option, "c", "--positive", "1")
    of_numbers = _with_names(data, form, ["1", "1", word, "2", "2", word, "3", "3"])
    for more in ((), ("--missing", "drop")):
        assert "2 of 8 values of 'c' are missing" in shell("evaluate", of_numbers, *asked, *more).refusal
    of_words = _with_names(data, form, ["US", "US", word, word, "DE", "DE", word, word])
    found = shell("evaluate", of_words, *asked, "-f", "json").json
    assert any(f"{word!r} in column 'c' is read as a name, in 4 rows" in note for note in found["notes"])
    assert "4 of 8 values of 'c' are missing" in shell("evaluate", of_words, *asked, "--na", word).refusal


def test_words_for_missing_ids(data: Path, shell: Shell) -> None:
    data.write_text("id,y,s\n1,1,4\nNA,0,3\n2,1,2\nNA,0,1\n")
    refusal = shell("evaluate", data, *EVALUATE, "--on", "id", "--per-id", "best").refusal
    assert "2 of 4 rows of x.csv have no 'id'" in refusal


@pytest.mark.parametrize("word", ["NA", "", "."])
def test_missing_weights_follow_the_policy(word: str, data: Path, shell: Shell) -> None:
    data.write_text(f"y,s,w\n1,4,3\n0,3,1\n1,9,{word}\n1,2,2\n0,1,5\n")
    asked = (*EVALUATE, "--weight", "w")
    for more in ((), ("--missing", "last")):
        refusal = shell("evaluate", data, *asked, *more).refusal
        assert "in line 4 of x.csv; use missing='drop' (--missing drop) to drop rows without a weight" in refusal
    found = shell("evaluate", data, *asked, "--missing", "drop", "-f", "json").json
    assert found["rows"]["dropped"] == 1
    y, s, w = [1, 0, 1, 0], [4, 3, 2, 1], [3, 1, 2, 5]
    expected = hc.metric("auc")(y, s, sample_weight=w)
    assert found["results"][0]["value"] == pytest.approx(expected, rel=1e-13)
    with pytest.warns(MissingValueWarning):
        in_memory = hc.metric("auc")([*y, 0], [*s, 9], sample_weight=[*w, float("nan")], missing="drop")
    assert in_memory == pytest.approx(expected, rel=1e-13)


def test_a_wrong_weight_of_a_file_has_a_line(data: Path, shell: Shell) -> None:
    data.write_text("y,s,w\n1,4,1\n0,3,-2\n")
    assert "got -2.0 in line 3 of x.csv" in shell("evaluate", data, *EVALUATE, "--weight", "w").refusal


def test_a_missing_count_has_a_way_out(data: Path, shell: Shell) -> None:
    data.write_text("p,n\n1,5\nNA,3\n")
    refusal = shell("evaluate", data, "--counts", "--positives", "p", "--negatives", "n").refusal
    assert "row 2: a count is missing ('NA'); write 0" in refusal


AUC = 0.75  # of all tables of numbers below: 1, 0, 1, 0 from the top
NUMERALS = {
    "decimal commas with exponents": (
        ["9,000e-02", "8,000e-02", "7,000e-02", "-9,123e+00"],
        ",",
        "with a decimal comma",
    ),
    "decimal commas": (["0,5", "0,25", "0,125", "0,1"], ",", "with a decimal comma"),
    "commas that may be either, beside one that may not": (
        ["9,125", "8,5", "1,125", "1,1"],
        ",",
        "with a decimal comma",
    ),
    "points between thousands": (["1.234.567,5", "1.234,5", "12,5", "3"], ",", "with a decimal comma"),
    "commas between thousands": (["1,234,567", "1,234.5", "12.5", "3"], ".", "with separators between thousands"),
    "spaces": (["1 234 567,5", "1 234,5", "12,5", "3"], ",", "with a decimal comma"),
    "apostrophes": (["1'234'567.5", "1'234.5", "12.5", "3"], ".", "with separators between thousands"),
    "exponents": (["1,5e3", "1,5E2", "1,5", "1,5e-3"], ",", "with a decimal comma"),
}


@pytest.mark.parametrize("case", NUMERALS)
@pytest.mark.parametrize("delimiter", [";", "\t", ","])
def test_numbers_as_people_write_them(case: str, delimiter: str, data: Path, shell: Shell) -> None:
    values, decimal, said = NUMERALS[case]
    lines = [f'{y}{delimiter}"{s}"{delimiter}{place}' for place, (y, s) in enumerate(zip("1010", values, strict=True))]
    data.write_text("\n".join([delimiter.join(["y", "s", "k"]), *lines, ""]))
    plain = [
        float(re.sub(r"[ ']", "", v).translate({ord("," if decimal == "." else "."): None}).replace(",", "."))
        for v in values
    ]
    found = shell("evaluate", data, *EVALUATE, "-f", "json").json
    assert any(said in note for note in found["notes"])
    assert found["results"][0]["value"] == AUC
    asked = shell("evaluate", data, *EVALUATE, "--decimal", decimal, "-f", "json").json
    assert asked["results"] == found["results"]
    assert not any(said in note for note in asked["notes"])
    kept = shell("evaluate", data, *EVALUATE, "--where", f"s <= {plain[0]} AND s > {plain[3]}", "-f", "json").json
    assert kept["rows"]["read"] == 3
    source = FileSource((data,), "y", ("s",), Reading(), decimal=decimal)
    scores = source.reduce(lambda block: block.scores["s"].tolist(), lambda a, b: a + b)
    assert scores == plain


def test_a_mark_that_may_be_either_is_refused(data: Path, shell: Shell) -> None:
    data.write_text("y;s\n1;4,125\n0;3,125\n1;2,125\n0;1,125\n")
    said = shell("evaluate", data, *EVALUATE).refusal
    assert "'4,125' in line 2" in said
    assert "--decimal" in said
    for decimal, expected in {",": 4.125, ".": 4125.0}.items():
        source = FileSource((data,), "y", ("s",), Reading(), decimal=decimal)
        assert source.reduce(lambda block: block.scores["s"].tolist(), lambda a, b: a + b)[0] == expected


@pytest.mark.parametrize(
    ("values", "more", "said"),
    [
        (
            ["0,5", "1.5", "2", "3"],
            [],
            "got '0,5' in line 2 and '1.5' in line 3: write all of them with one decimal mark",
        ),
        (["2", "1,5", "0.5", "3"], [], "got '1,5' in line 3 and '0.5' in line 4: write all"),
        (["\u0661\u0662", "1", "2", "3"], [], "in line 2; numbers are written with the digits 0 to 9"),
        (["0,5", "1.5", "2", "3"], ["--decimal", ","], "got '1.5' in line 3; the decimal mark is ','"),
        (["1,23,4", "1", "2", "3"], [], "got '1,23,4' in line 2"),
        (["0.5", "1.5", "2", "3"], ["--decimal", ";"], "--decimal must be"),
    ],
)
def test_numbers_that_do_not_agree(values: list[str], more: list[str], said: str, data: Path, shell: Shell) -> None:
    data.write_text("y;s\n" + "".join(f"{y};{s}\n" for y, s in zip("1010", values, strict=True)))
    assert said in shell("evaluate", data, *EVALUATE, *more).refusal


@pytest.mark.parametrize(
    "values", [["1.2.3", "1", "2"], ["1.2.3", "1.5", "2"], ["1,2,3", "1,5", "2"], ["1..5", "1,5", "2"]]
)
def test_what_no_mark_reads_has_no_mark_advised(values: list[str], data: Path, shell: Shell) -> None:
    data.write_text("y;s\n" + "".join(f"{y};{s}\n" for y, s in zip("101", values, strict=True)))
    assert shell("evaluate", data, *EVALUATE).refusal.endswith(f"got {values[0]!r} in line 2")


def test_marks_that_differ_between_columns_are_both_named(data: Path, shell: Shell) -> None:
    data.write_text("y;s;k\n1;2,5;0.5\n0;1,5;1.5\n")
    said = shell("evaluate", data, *EVALUATE, "-s", "k").refusal
    assert "got '2,5' in line 2 and '0.5' in line 2 of column 'k': write all of them with one decimal mark" in said


def test_a_quote_that_is_not_closed(data: Path, shell: Shell) -> None:
    data.write_text('y,"s\n1,3\n0,2\n')
    for words in (("evaluate", data, *EVALUATE), ("screen", data, "-l", "z")):
        assert "a quote in the first line may not be closed" in shell(*words).refusal


def test_one_mark_for_all_columns_of_a_file(data: Path) -> None:
    data.write_text("y;s;t\n1;0,5;1,125\n0;0,25;2,125\n1;0,1;3,125\n0;0;4,125\n")
    source = FileSource((data,), "y", ("s", "t"), Reading())
    assert source.reduce(lambda block: block.scores["t"].tolist(), lambda a, b: a + b) == [1.125, 2.125, 3.125, 4.125]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("delimiter", [";", ",", "\t", "#"])
def test_the_first_line_of_excel(delimiter: str, mark: str, end: str, data: Path, shell: Shell) -> None:
    lines = [f"sep={delimiter}", *(delimiter.join(line) for line in (["y", "s"], *zip("1010", "4321", strict=True)))]
    data.write_bytes((mark + end.join(lines) + end).encode())
    assert shell("evaluate", data, *EVALUATE, "-f", "json").json["results"][0]["value"] == AUC
    data.write_bytes((mark + end.join([*lines, f"0{delimiter}x"]) + end).encode())
    assert "got 'x' in line 7" in shell("evaluate", data, *EVALUATE).refusal
    data.write_bytes((mark + end.join([*lines, f"0{delimiter}1{delimiter}2"]) + end).encode())
    assert "3 columns in line 7" in shell("evaluate", data, *EVALUATE).refusal
    data.write_bytes((mark + end.join([lines[0], *lines[2:]]) + end).encode())
    bare = shell("evaluate", data, "--no-header", "-l", "1", "-s", "2", "-m", "auc", "-f", "json")
    assert bare.json["results"][0]["value"] == AUC


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_a_line_end_in_a_name_ends_no_line() -> None:
    y, s = [1, 0] * 14, list(range(28))
    names = {"a\nb": s, "c\rd": s[::-1]}
    ev = hc.evaluate(y, names, metrics="auc", by=[1] * 14 + [2] * 14)
    whole = hc.evaluate(y, names, metrics="auc")
    compared = whole.compare("a\nb", "c\rd", "auc")
    for text in (str(whole["a\nb", "auc"]), str(ev.mean("a\nb", "auc")), str(compared), compared.methods_text()):
        assert "a b" in text
        assert "a\nb" not in text
        assert "\r" not in text


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_file_of_very_many_columns_is_refused_at_once(form: str, data: Path, shell: Shell) -> None:
    path = data.parent / f"wide.{form}"
    names = ["y", "s", *(f"c{i}" for i in range({"csv": 1_000_000, "jsonl": 40_000}[form]))]
    if form == "csv":
        path.write_text(f"{','.join(names)}\n" + "".join(f"{y},{y}{',1' * (len(names) - 2)}\n" for y in (0, 1)))
    else:
        path.write_text("".join(f"{json.dumps(dict.fromkeys(names, y))}\n" for y in (0, 1)))
    start = time.process_time()
    said = shell("evaluate", path, *EVALUATE).refusal
    assert re.search(r"has [\d,]+ columns, and at most (100|30),000 of (CSV|JSON) are read: leave out columns", said)
    assert time.process_time() - start < 30
