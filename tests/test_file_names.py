"""Names of files that not everything can take: not UTF-8, not of the locale, with a null character."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hitcurve as hc
from hitcurve.errors import UnreadableFileError
from tests.shell import Shell

CONTENT = "Ölabel,прогноз,日本\n" + "".join(
    f"{i % 7 == 0:d},{i * 37 % 101 + 40 * (i % 7 == 0)},{i * i % 97 + 40 * (i % 7 == 0)}\n" for i in range(200)
)
NOT_UTF8 = os.fsdecode(b"bad\xff\xe9")


def put(path: Path) -> Path:
    try:
        path.write_text(CONTENT, encoding="utf-8")
    except OSError:  # of systems of which all names are UTF-8
        pytest.skip("no such name here")
    return path


def evaluated(path: object) -> Any:
    return hc.evaluate("Ölabel", ["日本"], data=path, metrics="auc")


def area(ev: hc.Evaluation) -> float:
    return float(ev.to_dict()["results"][0]["value"])


def test_a_name_that_is_not_utf8_is_refused(tmp_path: Path, shell: Shell) -> None:
    put(tmp_path / "a.csv")
    bad = put(tmp_path / f"{NOT_UTF8}.csv")
    sentence = f"cannot read {str(bad)!r}: its name is not UTF-8, rename it"
    for given in (bad, str(bad)):
        with pytest.raises(UnreadableFileError) as refused:
            evaluated(given)
        assert str(refused.value) == sentence
    # nobody types such a name, but wildcards find it
    assert shell("evaluate", tmp_path / "*.csv", "-l", "Ölabel", "-s", "日本").refusal == sentence


def test_a_folder_whose_name_is_not_utf8(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / NOT_UTF8
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("no such name here")
    path = put(folder / "x.csv")
    with pytest.raises(UnreadableFileError, match="its name is not UTF-8"):
        evaluated(path)
    # from within it every file can be read and written
    monkeypatch.chdir(folder)
    assert area(evaluated("x.csv")) == area(evaluated(put(tmp_path / "x.csv")))
    done = shell("evaluate", "x.csv", "-l", "Ölabel", "-s", "日本", "-m", "auc", "-o", "out.json")
    assert done.code == 0, done.err
    assert (folder / "out.json").is_file()


@pytest.mark.parametrize("name", ["out/", "out.csv/", "out.hit/", "out.html//"])
def test_a_name_that_ends_as_that_of_a_folder_is_refused(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A path drops the separator, and a file would stand where a folder was meant."""
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "a.csv")
    sentence = f"{name!r} ends as the name of a folder: give the name of a file in it"
    data = ("a.csv", "-l", "Ölabel", "-s", "日本")
    for command in (("evaluate", *data), ("table", *data), ("report", *data), ("plot", "roc", *data), ("demo",)):
        assert shell(*command, "-o", name).refusal == sentence, command
    ev = evaluated(tmp_path / "a.csv")
    for write in (ev.to_json, ev.tables["日本"].save, lambda path: hc.report(ev, path)):
        with pytest.raises(UnreadableFileError) as refused:
            write(name)
        assert str(refused.value) == sentence
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_a_page_may_have_any_name(tmp_path: Path) -> None:
    try:
        (tmp_path / f"{NOT_UTF8}.html").touch()
    except OSError:
        pytest.skip("no such name here")
    path = hc.report(evaluated(put(tmp_path / "x.csv")), tmp_path / f"{NOT_UTF8}.html")
    assert "日本" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("use", "verb"),
    [(evaluated, "read"), (lambda path: hc.report(hc.evaluate([0, 1] * 9, range(18), metrics="auc"), path), "write")],
    ids=["read", "write"],
)
def test_a_null_character_is_in_no_name(use: Callable[[str], Any], verb: str) -> None:
    with pytest.raises(UnreadableFileError) as refused:
        use("a\0b.html")
    assert str(refused.value) == f"cannot {verb} 'a\\x00b.html': no name of a file has a null character"


# ---- a locale that is ASCII, and an interpreter that takes it at its word

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def run_in_ascii(code: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=folder, env=os.environ | ASCII, capture_output=True)
    return subprocess.CompletedProcess(
        command, done.returncode, done.stdout.decode("ascii"), done.stderr.decode("ascii")
    )


@pytest.mark.slow
def test_python_in_an_ascii_locale(tmp_path: Path) -> None:
    for name in ("x.csv", "ä日.csv"):
        put(tmp_path / name)
    code = r"""
import os, sys, warnings
import hitcurve as hc
assert sys.getfilesystemencoding() == "ascii"
ev = hc.evaluate("\xd6label", ["\u65e5\u672c"], data="x.csv", metrics="auc")
print(ev.to_dict()["results"][0]["value"].hex(), ascii(ev.rankers))
named = "names of files are ascii in this locale, set PYTHONUTF8=1"
for use in (
    lambda: hc.evaluate("\xd6label", ["\u65e5\u672c"], data="\xe4\u65e5.csv"),
    lambda: hc.evaluate("\xd6label", ["\u65e5\u672c"], data=os.fsdecode("\xe4\u65e5.csv".encode())),
    lambda: hc.report(ev, "\xe4.html"),
):
    try:
        use()
    except hc.errors.UnreadableFileError as error:
        assert str(error).endswith(named), ascii(str(error))
    else:
        raise AssertionError
page = hc.report(ev, "page.html")
assert "\u65e5\u672c" in page.read_text(encoding="utf-8")
"""
    done = run_in_ascii(code, tmp_path)
    assert done.returncode == 0, done.stderr
    value, rankers = done.stdout.strip().split(maxsplit=1)
    assert float.fromhex(value) == area(evaluated(tmp_path / "x.csv"))
    assert "\\u65e5" in rankers


@pytest.mark.slow
def test_the_shell_in_an_ascii_locale(tmp_path: Path) -> None:
    main = "from hitcurve.cli import main; main()"
    put(tmp_path / "ä日.csv")
    (tmp_path / "x.csv").write_text(CONTENT.replace("Ölabel", "y").replace("прогноз", "a"), encoding="utf-8")
    refused = run_in_ascii(main, tmp_path, "evaluate", "ä日.csv", "-l", "y")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert (
        refused.stderr == r"hitcurve: error: '\xe4\u65e5.csv' is not ascii, as the locale says: set PYTHONUTF8=1" "\n"
    )
    columns = run_in_ascii(main, tmp_path, "evaluate", "x.csv", "-l", "no", "-s", "a")
    assert (columns.returncode, columns.stdout) == (2, "")
    assert r"columns are 'y', 'a', '\u65e5\u672c'" in columns.stderr
    # a column that is named by its ASCII neighbour's file: groups are words of the file
    rows = CONTENT.replace("Ölabel,прогноз,日本", "y,a,g").splitlines()
    text = "\n".join([rows[0], *(f"{row.rpartition(',')[0]},группа {i % 2}" for i, row in enumerate(rows[1:]))])
    (tmp_path / "g.csv").write_text(text, encoding="utf-8")
    grouped = run_in_ascii(
        main, tmp_path, "evaluate", "g.csv", "-l", "y", "-s", "a", "--by", "g", "-m", "auc", "-f", "json"
    )
    assert grouped.returncode == 0, grouped.stderr
    assert r"\u0433" in grouped.stdout
