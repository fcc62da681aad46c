"""What the shell offers while a command is typed, by the protocol that shells use."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import typer

import hitcurve as hc
from hitcurve.cli.app import _read, app
from tests.shell import Shell

FRAME = {"molecule": ["m1", "m2"], "active": [1, 0], "my score": [0.5, 0.25], "energy": [-2.0, -1.0]}
BY_ROWS = ("trec", "readers")  # commands whose baseline is named in the rows of a file
# options that take any text or number, and files, which shells complete themselves
FREE = {
    *(
        "--positive",
        "--na",
        "--where",
        "--labels",
        "--confidence-level",
        "--prevalence",
        "--contamination",
        "--mislabelled",
        "--test-fraction",
        "--grid",
        "--bins",
        "--max-grid",
        "--memory-limit",
        "--spark",
        "--ranker",
    ),
    *("--layer", "--top", "--best", "--negatives", "--cause", "--censored", "--reference"),
    *("--correlation", "--seed", "--n-resamples", "--output", "--only", "--title", "--date", "--color", "--size"),
    *(
        "--window",
        "--range",
        "--unlabelled",
        "--subtopics",
        "--x-range",
        "--magnify",
        "--at",
        "--threshold",
        "--effect",
        "--power",
        "--n-pos",
        "--n-neg",
        "--n-readers",
        "--n-cases",
        "--bootstrap",
    ),
    *("--precision", "--recall", "--fpr", "--misses", "--margin"),
    *(
        "--significance",
        "--looks",
        "--horizon",
        "--censoring-from",
        "--subjects",
        "--qrels",
        "--relevant-from",
        "--collection-size",
        "--depth",
    ),
    *("--found", "--unread", "--sampled", "--hits"),
    *("--minutes", "--per-item", "--coverage", "--reviewer", "--times", "--items"),
}

Complete = Callable[..., list[str]]


@pytest.fixture
def complete(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """What bash is told to offer for the last of the words."""

    def run(*words: str | Path, quoted: str | None = None) -> list[str]:
        line = ["hitcurve", *map(str, words)]
        if quoted is not None:
            line[-1] = quoted
        monkeypatch.setenv("_HITCURVE_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", "\n".join(line))
        monkeypatch.setenv("COMP_CWORD", str(len(line) - 1))
        done = shell()
        monkeypatch.delenv("_HITCURVE_COMPLETE")
        assert done.err == ""
        return [word for word in done.out.split("\n") if word]

    return run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    pd.DataFrame(FRAME).to_csv(path, index=False)
    return path


def test_metrics_presets_formats_methods_curves(complete: Complete, table: Path) -> None:
    assert complete("evaluate", table, "--metric", "bed") == ["bedroc", r"bedroc\(alpha=20\)", r"bedroc\(alpha=80.5\)"]
    assert complete("evaluate", table, "--preset", "") == list(hc.metrics.PRESETS)
    assert "parquet" in complete("evaluate", table, "--format", "")
    assert complete("evaluate", table, "--method", "swap") == ["swap-permutation"]
    assert "corrected-t" in complete("evaluate", table, "--folds", "molecule", "--method", "")
    assert complete("curve", table, "--curve", "pr") == ["precision_recall", "proc", "prg"]
    assert "heatmap" in complete("plot", "")
    assert complete("metrics", "mom") == ["momentum"]
    assert "docking" in complete("data", "")


def test_every_metric_that_is_offered_parses(complete: Complete, table: Path) -> None:
    offered = complete("evaluate", table, "--metric", "", quoted="'")
    assert {name for name in hc.metrics.names() if name in offered} >= {"ap", "auc", "bedroc"}
    assert set(hc.metrics.examples().values()) <= set(offered)
    for text in offered:
        hc.metric(text)


WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "a.csv": lambda frame, path: frame.to_csv(path, index=False),
    "a.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "a.csv.gz": lambda frame, path: path.write_bytes(gzip.compress(frame.to_csv(index=False).encode())),
    "a.parquet": lambda frame, path: frame.to_parquet(path),
    "a.feather": lambda frame, path: frame.to_feather(path),
    "a.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "a.json": lambda frame, path: path.write_text(json.dumps(frame.to_dict("records"))),
}


@pytest.mark.parametrize("name", WRITERS)
def test_columns_of_a_file_of_any_format(complete: Complete, tmp_path: Path, name: str) -> None:
    WRITERS[name](pd.DataFrame(FRAME), tmp_path / name)
    escaped = [column.replace(" ", r"\ ") for column in FRAME]
    assert complete("evaluate", tmp_path / name, "--label", "") == escaped
    assert complete("evaluate", tmp_path / name, "--score", "my", quoted="'my") == ["my score"]


def test_only_the_beginning_is_read(complete: Complete, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('y,s\n1,2\n"broken' + 1000 * "\n1,2,3,4\n")
    (tmp_path / "a.jsonl").write_text('{"y": 1, "s": 2}\n' + 100_000 * '{"y": 1, "s": 2}\n' + "{broken")
    for name in ("a.csv", "a.jsonl"):
        assert complete("evaluate", tmp_path / name, "--label", "") == ["y", "s"]


def test_columns_of_labels_directions_and_rankers(complete: Complete, table: Path, tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("molecule,truth\nm1,1\n")
    assert "truth" in complete("evaluate", table, "--labels", tmp_path / "truth.csv", "--label", "t")
    assert complete("evaluate", table, "--score", "energy") == ["energy", "energy:low", "energy:high"]
    options = ("--score", "energy:low", "--score", "active")
    assert complete("evaluate", table, *options, "--baseline", "") == ["energy", "active"]
    assert complete("report", table, "--no-header", "--label", "") == ["1", "2", "3", "4"]
    counts = ("--counts", "--positives", "film_pos", "--positives", "digital_pos", "--baseline", "")
    assert complete("evaluate", table, *counts) == ["film", "digital"]


@pytest.mark.parametrize("content", [b"", b"PAR1 broken", b"\x00\x01\x02", b"PK\x03\x04", b"ARROW1", b"{broken", None])
def test_a_broken_file_offers_nothing_and_says_nothing(
    complete: Complete, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "broken"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    complete("evaluate", path, "--label", "")
    assert complete("evaluate", tmp_path / "absent.csv", "--label", "") == []


def test_a_pipe_is_not_read(complete: Complete, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert complete("evaluate", tmp_path / "pipe", "--label", "") == []


def test_every_option_with_a_choice_is_completed(complete: Complete, table: Path) -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    seen = set()
    for name, command in commands.items():
        for one in command.params:
            flag = one.opts[0]
            takes = one.param_type_name == "option" and not getattr(one, "is_flag", False)
            if (
                not takes
                or (flag in FREE and (name, flag) != ("band", "--coverage"))
                or (name, flag) == ("stop", "--target")
            ):
                continue
            if (flag, one.help) in seen:  # an option that commands share
                continue
            seen.add((flag, one.help))
            before = ("--score", "energy") if flag == "--baseline" and name not in BY_ROWS else ()
            offered = complete(name, *(["roc"] if name == "plot" else []), table, *before, flag, "")
            assert offered or (flag == "--baseline" and name in BY_ROWS), (name, flag)


def test_bash_itself(table: Path) -> None:
    """The script that bash loads, and what bash then has to offer."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    script = f"""
hitcurve() {{ {sys.executable} -m hitcurve "$@"; }}
export -f hitcurve
source <(_HITCURVE_COMPLETE=source_bash hitcurve)
cat > {table.parent}/hitcurve <<'END'
#!/bin/sh
exec {sys.executable} -m hitcurve "$@"
END
chmod +x {table.parent}/hitcurve
offer() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hitcurve_completion {table.parent}/hitcurve
printf '%s|' "${{COMPREPLY[@]}}"; echo; }}
offer hitcurve evaluate {table} --label my
offer hitcurve evaluate {table} --metric recall @ 1
"""
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True)
    column, at_one = done.stdout.splitlines()
    assert column == "my\\ score|", done.stderr
    assert "1%" in at_one.split("|")  # of recall@1%, which bash has typed up to the @


def test_words_that_bash_broke_are_put_together(complete: Complete, table: Path) -> None:
    whole = complete("evaluate", table, "--metric", "recall@", quoted="recall@")
    parts = complete("evaluate", table, "--metric", "recall", "@")
    assert [f"recall@{text}" for text in parts] == whole != []
    assert "95%" in complete("evaluate", table, "--metric", "wss", "@")
    assert complete("evaluate", table, "--score", "energy", ":", "l") == ["low"]
    assert complete("evaluate", table, "--score", "energy", ":", "low", "--baseline", "") == ["energy"]


@pytest.mark.parametrize(
    ("words", "read"),
    {
        ("complete_bash", "hitcurve\nevaluate\n--preset\n", "3"): ["evaluate"],
        ("complete_zsh", "hitcurve evaluate --preset ", ""): ["evaluate"],
        ("complete_zsh", "hitcurve evaluate --preset", ""): ["evaluate"],
        ("complete_bash", "hitcurve\nevaluate", "1"): None,
        ("complete_bash", "hitcurve\nevaluate\n--preset", "1"): None,
        ("complete_zsh", "hitcurve evaluate", ""): None,
        ("complete_zsh", "hitcurve eva", ""): None,
        ("complete_zsh", "hitcurve ", ""): None,
        ("complete_zsh", "hitcurve nothing ", ""): None,
        ("", "--version", ""): ["demo"],
    }.items(),
)
def test_the_parameters_of_the_command_that_is_typed_are_read_alone(
    words: tuple[str, str, str], read: list[str] | None, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of all commands take a fifth of a second, at each key that asks for words."""
    how, line, place = words
    found: list[str] = []
    whole = typer.main.get_command_from_info

    def heard(command_info: Any, **how: Any) -> Any:
        found.append(command_info.callback.__name__)
        return whole(command_info, **how)

    _read.cache_clear()
    monkeypatch.setattr(typer.main, "get_command_from_info", heard)
    if how:
        given = {"COMP_WORDS": line, "COMP_CWORD": place} if place else {"_TYPER_COMPLETE_ARGS": line}
        for name, value in ({"_HITCURVE_COMPLETE": how} | given).items():
            monkeypatch.setenv(name, value)
    done = shell(*([] if how else [line]))
    assert found == (read or [command.callback.__name__ for command in app.registered_commands if command.callback])
    assert done.err == ""
    if "eva" in line and read is None:
        assert "evaluate" in done.out
    elif line.endswith(("--preset ", "--preset\n")):
        assert all(name in done.out for name in hc.metrics.PRESETS)
