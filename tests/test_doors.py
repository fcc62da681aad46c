"""What comes in and goes out at the doors: conditions, files, names and columns that mean harm, or are odd."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hitcurve.sources.files import duck
from tests.shell import Shell

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
    assert "cannot hold a SELECT" in shell("evaluate", data, *EVALUATE, "--where", condition).refusal


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
    assert f"{name} picks other rows each time" in said


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
