"""The command line as its users see it: its output and its exit code."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer
from typer.models import CommandInfo

import hitcurve as hc
from hitcurve.cli import app
from hitcurve.evaluation import COLUMNS
from tests.shell import Shell, new_terminal
from tests.shell import in_process as run

Y = ["active", "inactive", "active", "inactive", "inactive", "inactive", "active", "inactive", "inactive", "inactive"]
A = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
ENERGY = [-9.5, -9.0, -8.5, -8.5, -7.0, -6.5, -6.0, -5.5, -5.0, -4.5]


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.csv"
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "y", "a", "energy"])
        writer.writerows([f"m{i}", *row] for i, row in enumerate(zip(Y, A, ENERGY, strict=True)))
    return path


def test_json_equals_python(scores: Path) -> None:
    wanted = ["ap", "auc", "bedroc(alpha=2)", "ef@10%", "rauc(beta(6.23, 32.8))"]
    options = [option for m in wanted for option in ("--metric", m)]
    done = run("evaluate", str(scores), "--label", "y", "--score", "a", "--score", "energy:low", "-f", "json", *options)
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    assert content["schema"] == 1
    ev = hc.evaluate(Y, {"a": A, "energy": [-e for e in ENERGY]}, metrics=wanted)
    seen = {(record["ranker"], record["metric"]): record for record in content["results"]}
    assert {key: record["value"] for key, record in seen.items()} == {(e.ranker, str(e.metric)): e.value for e in ev}
    assert seen["energy", "ap"]["tied"] == 2
    assert seen["energy", "ap"]["worst_ties"] is not None
    assert seen["a", "ap"]["worst_ties"] is None


def test_csv_has_the_stable_columns(scores: Path) -> None:
    done = run("evaluate", str(scores), "-l", "y", "-s", "a", "-m", "ap", "-f", "csv")
    table = list(csv.DictReader(io.StringIO(done.stdout)))
    assert list(table[0]) == list(COLUMNS)
    assert float(table[0]["value"]) == hc.metrics.AveragePrecision()(Y, A)


def test_text_and_markdown_say_what_was_evaluated(scores: Path) -> None:
    for form in ("text", "markdown"):
        done = run("evaluate", str(scores), "-l", "y", "-s", "a", "-m", "ap", "-f", form)
        assert "10 subjects, 3 positive (30%)" in done.stdout
        assert f"{hc.metrics.AveragePrecision()(Y, A):.4f}" in done.stdout


def test_standard_input(scores: Path) -> None:
    from_file = run("evaluate", str(scores), "-l", "y", "-s", "a")
    piped = run("evaluate", "-", "-l", "y", "-s", "a", stdin=scores.read_bytes())
    assert piped.stdout == from_file.stdout


def test_output_file_is_written_whole(scores: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    done = run("evaluate", str(scores), "-l", "y", "-s", "a", "-f", "markdown", "-o", str(target))
    assert done.returncode == 0
    assert done.stdout == ""
    assert target.read_text().endswith("\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.md", "scores.csv"]


def test_a_failed_run_leaves_the_old_output(scores: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    target.write_text("old")
    assert run("evaluate", str(scores), "-l", "nope", "-s", "a", "-o", str(target)).returncode == 2
    assert target.read_text() == "old"


def test_metrics_lists_every_name() -> None:
    done = run("metrics")
    assert done.returncode == 0
    for written in hc.metrics.examples().values():
        if type(hc.metric(written)).__module__.startswith("hitcurve."):  # examples in the docs register their own
            assert written in done.stdout


def test_demo_prints_the_published_numbers_and_writes_a_report(tmp_path: Path) -> None:
    done = run("demo", cwd=tmp_path)
    assert done.returncode == 0
    assert "wrote demo-report.md" in done.stdout
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    shown = readme.split("`make demo` prints, among others:")[1].split("Digital mammography")[0]
    printed = [" ".join(line.split()) for line in done.stdout.splitlines()]
    for line in filter(None, (" ".join(line.split()) for line in shown.splitlines() if "---" not in line)):
        assert line in printed
    for number in ("0.1659", "0.1439", "0.7351", "0.7529"):
        assert number in done.stdout
        assert number in (tmp_path / "demo-report.md").read_text()


def test_direction_is_reported(scores: Path) -> None:
    done = run("evaluate", str(scores), "-l", "y", "-s", "energy", "-m", "auc")
    assert done.returncode == 0
    assert "AUC is below one half for 'energy'" in done.stdout
    assert "energy:low" in run("evaluate", "--help").stdout


def test_labels_typed_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("y,s\n2,0.9\n1,0.5\n1,0.4\n")
    refused = run("evaluate", str(path), "-l", "y", "-s", "s")
    assert refused.returncode == 2
    assert "give the positive label" in refused.stderr
    assert run("evaluate", str(path), "-l", "y", "-s", "s", "--positive", "2", "-m", "auc").returncode == 0


def test_missing_values_follow_the_policy(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("y,s\n1,0.9\n0,\n1,0.5\n0,0.4\n")
    refused = run("evaluate", str(path), "-l", "y", "-s", "s")
    assert refused.returncode == 2
    assert "1 of 4" in refused.stderr
    dropped = run("evaluate", str(path), "-l", "y", "-s", "s", "--missing", "drop", "-f", "json")
    assert json.loads(dropped.stdout)["rows"] == {"read": 4, "dropped": 1, "ranked_last": {"s": 0}}
    last = run("evaluate", str(path), "-l", "y", "-s", "s", "--missing", "last", "-f", "json")
    assert json.loads(last.stdout)["rows"]["ranked_last"] == {"s": 1}


BAD = {
    "no such column": (["-l", "yy", "-s", "a"], "did you mean 'y'"),
    "text as scores": (["-l", "y", "-s", "id"], "must hold real numbers"),
    "unknown metrics, all at once": (
        ["-l", "y", "-s", "a", "-m", "aprc", "-m", "bedroc(alhpa=2)"],
        "did you mean 'alpha'",
    ),
    "ambiguous metric": (["-l", "y", "-s", "a", "-m", "auprc"], "ambiguous"),
    "unknown format": (["-l", "y", "-s", "a", "-f", "xml"], "--format must be one of"),
    "cut beyond the list": (["-l", "y", "-s", "a", "-m", "precision@100"], "exceeds the list"),
    "no score": (["-l", "y"], "--score"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_exits_2_without_a_traceback(case: str, scores: Path) -> None:
    arguments, said = BAD[case]
    done = run("evaluate", str(scores), *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "no file"), (b"", "is empty"), (b"y,a\n", "no rows"), (b"y,a\n1,2\n1,3\n", "no negative")],
)
def test_bad_files_exit_2(content: bytes | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    if content is not None:
        path.write_bytes(content)
    done = run("evaluate", str(path), "-l", "y", "-s", "a")
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_is_not_a_file(tmp_path: Path) -> None:
    done = run("evaluate", str(tmp_path), "-l", "y", "-s", "a")
    assert done.returncode == 2
    assert "is a folder, not a file, in which no name ends as that of a table" in done.stderr


def test_a_bug_exits_1_and_asks_for_a_report() -> None:
    code = "import hitcurve.cli.app as app\napp.app = lambda: 1 / 0\nfrom hitcurve.cli import main\nmain()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "please report" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_closed_pipe_is_silent() -> None:
    shell = f"{sys.executable} -m hitcurve metrics | head -c 1 > /dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True)
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="/dev/stdout is a name of POSIX")
@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "-m", "auc", "-o", "/dev/stdout"),
        ("evaluate", "-m", "auc", "-f", "parquet", "-o", "/dev/fd/1"),
        ("curve", "-o", "/dev/fd/1"),
        ("table", "-o", "/dev/stdout"),
    ],
)
def test_a_pipe_that_is_the_output_may_be_closed(scores: Path, words: tuple[str, ...]) -> None:
    kept, closed = os.pipe()
    os.close(kept)  # as a reader that has left before anything is written
    command = [sys.executable, "-m", "hitcurve", words[0], str(scores), "-l", "y", "-s", "a", *words[1:]]
    done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True)
    os.close(closed)
    assert (done.returncode, "cannot write" in done.stderr) == (0, False), done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_device_that_is_full_is_still_an_error(scores: Path) -> None:
    done = run("curve", str(scores), "-l", "y", "-s", "a", "-o", "/dev/full")
    assert (done.returncode, "cannot write /dev/full" in done.stderr) == (2, True), done.stderr


@pytest.mark.slow
def test_a_dash_is_standard_output(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("y,a\n1,3\n0,2\n0,1\n")
    words = ("evaluate", "s.csv", "-l", "y", "-s", "a", "-m", "auc", "-f", "csv")
    plain, dash = run(*words, cwd=tmp_path), run(*words, "-o", "-", cwd=tmp_path)
    assert plain.returncode == dash.returncode == 0
    assert plain.stdout == dash.stdout != ""
    piped = [sys.executable, "-m", "hitcurve", *words, "-o", "/dev/stdout"]
    assert subprocess.run(piped, stdout=subprocess.PIPE, text=True, cwd=tmp_path).stdout == plain.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["s.csv"]


def test_ctrl_c_exits_130() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "hitcurve", "evaluate", "-", "-l", "y", "-s", "a"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(b"y,a\n" + b"1,2\n" * 100_000)  # more than a pipe holds: it was begun to read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in said


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bootstrap", "swap-permutation", "paired-permutation"])
def test_ctrl_c_while_drawing(method: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    y = rng.random(20_000) < 0.05
    columns = [y.astype(int), rng.normal(size=y.size) + y, rng.normal(size=y.size) + y]
    rows = "\n".join(f"{a},{b:.4f},{c:.4f}" for a, b, c in zip(*columns, strict=True))
    (tmp_path / "s.csv").write_text(f"y,a,b\n{rows}\n")
    words = f"evaluate s.csv -l y -s a -s b -m ap --compare ap --method {method} --n-resamples 1000000"
    process, output = _on_a_terminal(words.split(), tmp_path)
    try:
        seen = b""
        while b"replicates" not in seen:  # shown on a terminal
            seen += os.read(output, 1 << 16)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=5) == 130
    finally:
        process.kill()
        os.close(output)
    assert b"of 1,000,000" in seen


def _on_a_terminal(words: list[str], folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    ours, theirs = new_terminal()
    command = [sys.executable, "-m", "hitcurve", *words]
    process = subprocess.Popen(
        command, stdout=theirs, stderr=theirs, cwd=folder, env={**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    )
    os.close(theirs)
    return process, ours


def evaluate_text(content: str | bytes, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = tmp_path / "given.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return run("evaluate", str(path), "-l", "y", "-s", "a", "-m", "auc", *arguments)


ACCEPTED = {
    "ids that look like comments": "id,y,a\n#1,1,3\n#2,0,2\n3,1,1\n4,0,0\n",
    "semicolons and Windows line ends": "y;a\r\n1;3\r\n0;2\r\n1;1\r\n0;0\r\n",
    "tabs": "y\ta\n1\t3\n0\t2\n1\t1\n0\t0\n",
    "a byte order mark, no final newline": "\ufeffy,a\n1,3\n0,2\n1,1\n0,0",
    "names that differ in case": "y,A,a\n1,9,3\n0,9,2\n1,9,1\n0,9,0\n",
    "words as labels": "y,a\nYes,3\nno,2\nYes,1\nno,0\n",
    "infinities and signs": "y,a\n1,inf\n0,+4\n1,1e-3\n0,-Infinity\n",
    "quoted newlines": 'note,y,a\n"two\nlines",1,3\n"",0,2\nx,1,1\nx,0,0\n',
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_every_row_of_an_odd_file_counts(case: str, tmp_path: Path) -> None:
    done = evaluate_text(ACCEPTED[case], tmp_path, "-f", "json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["rows"]["read"] == 4
    assert result["results"][0]["value"] == 0.75


REFUSED: dict[str, tuple[str | bytes, tuple[str, ...]]] = {
    "a second table below the first": ("y,a\n1,3\n0,2\ny,a,b\n1,2,3\n0,1,2\n", ("line 4",)),
    "a short row": ("y,a\n1,3\n0\n1,1\n", ("line 3",)),
    "a quote that does not close": ('y,a\n1,3\n0,2\n1,5,"open\n', ("line 4",)),
    "another encoding": ("y,a\n1,3\n0,\xe9\n".encode("latin-1"), ("line 3",)),
    "two columns of one name": ("y,a,a\n1,3,2\n0,2,1\n", ("2 columns named 'a'",)),
    "letters as labels": ("y,a\nT,3\nF,2\n", ("--positive",)),
    "whole numbers beyond 64 bits": (
        "y,a\n1,18446744073709551615\n0,18446744073709551616\n",
        ("'18446744073709551616' in line 3", "at most 64 bits"),
    ),
    "a missing label": ("y,a\n1,4\n0,3\nNaN,2\n0,1\n", ("1 of 4 values of label", "; the first is in line 4 of ")),
    "a gzip file that is cut off": (gzip.compress(b"y,a\n1,3\n0,2\n")[:-6], ("given.csv", "cut off")),
    "digits with underscores": ("y,a\n1,1_000\n0,2\n", ("1_000",)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_broken_files_are_refused_with_the_place(case: str, tmp_path: Path) -> None:
    content, said = REFUSED[case]
    done = evaluate_text(content, tmp_path)
    assert done.returncode == 2
    for words in said:
        assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_wildcard_in_a_name_is_a_letter(tmp_path: Path) -> None:
    (tmp_path / "q?.csv").write_text("y,a\n1,3\n0,2\n1,1\n0,0\n")
    (tmp_path / "qq.csv").write_text("y,a\n0,3\n1,2\n0,1\n1,0\n")
    done = run("evaluate", str(tmp_path / "q?.csv"), "-l", "y", "-s", "a", "-m", "auc", "-f", "json")
    assert json.loads(done.stdout)["rows"]["read"] == 4
    assert json.loads(done.stdout)["results"][0]["value"] == 0.75


def test_positive_names_a_word_of_the_file(tmp_path: Path) -> None:
    done = evaluate_text("y,a\nyes,3\nno,2\nno,1\n", tmp_path, "--positive", "no")
    assert "AUC is below one half" in done.stdout
    missing = evaluate_text("y,a\nyes,3\nno,2\n", tmp_path, "--positive", "yep")
    assert missing.returncode == 2
    assert "did you mean 'yes'" in missing.stderr


def test_refusals_count_the_whole_file(tmp_path: Path) -> None:
    rows = [f"{i % 2},{i},1" for i in range(300_000)]
    rows[5], rows[299_000] = "1,,1", "0,,1"
    done = evaluate_text("y,a,w\n" + "\n".join(rows) + "\n", tmp_path)
    assert "2 of 300000 values of score 'a' are missing" in done.stderr
    assert "; the first is in line 7 of " in done.stderr
    rows[5], rows[299_000] = "1,5,1", "0,299000,-1"
    done = evaluate_text("y,a,w\n" + "\n".join(rows) + "\n", tmp_path, "--weight", "w")
    assert "in line 299002" in done.stderr


def test_one_column_is_one_ranker(scores: Path) -> None:
    done = run("evaluate", str(scores), "-l", "y", "-s", "a", "-s", "a:low")
    assert done.returncode == 2
    assert "names the column 'a' twice" in done.stderr


def test_output_follows_links_and_keeps_modes(scores: Path, tmp_path: Path) -> None:
    target, link = tmp_path / "real.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    assert run("evaluate", str(scores), "-l", "y", "-s", "a", "-f", "csv", "-o", str(link)).returncode == 0
    assert link.is_symlink()
    assert target.read_text().startswith("ranker,")
    assert target.stat().st_mode & 0o777 == 0o600
    assert run("evaluate", str(scores), "-l", "y", "-s", "a", "-o", "/dev/null").returncode == 0
    assert not Path("/dev/null").is_file()


def test_version() -> None:
    assert run("--version").stdout == f"hitcurve {hc.__version__}\n"


def test_file_in_chunks_equals_file_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hitcurve.evaluation import evaluate_source
    from hitcurve.metrics import metrics
    from hitcurve.sources import Reading
    from hitcurve.sources.files import batches
    from hitcurve.sources.files import source as source_of

    path = tmp_path / "long.csv"
    rows = [(int(i % 7 == 0), (i * 37) % 101 + 20 * int(i % 7 == 0)) for i in range(20_000)]
    path.write_text("y,s\n" + "\n".join(f"{y},{s}" for y, s in rows) + "\n")
    whole = hc.evaluate([y for y, _ in rows], [s for _, s in rows], metrics="ap")
    monkeypatch.setattr(batches, "_ROWS", 2048)
    chunks: list[int] = []
    source = source_of.FileSource((path,), "y", ("s",), Reading())
    source.reduce(lambda block: chunks.append(block.positive.size), lambda a, b: None)
    assert len(chunks) > 5
    assert sum(chunks) == len(rows)
    streamed = evaluate_source(source, metrics("ap"))
    assert streamed.tables["s"] == whole.tables["score"]
    assert streamed["s", "ap"].value == whole["score", "ap"].value


def test_average_curves_are_those_of_python(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y, fold = np.tile([1, 0, 0, 0], 60), np.repeat(np.arange(6), 40)
    frame = pd.DataFrame({"y": y, "a": rng.normal(size=240) + y, "fold": fold})
    frame.to_csv(tmp_path / "folds.csv", index=False)
    common = ("curve", "folds.csv", "-l", "y", "-s", "a")
    grouped = hc.evaluate("y", "a", data=frame, by="fold", metrics="auc", confidence_level=0.9)
    for along in ("rate", "vertical", "pool"):
        level = () if along == "pool" else ("--confidence-level", "0.9")  # a pooled curve has no intervals
        done = run(*common, "--by", "fold", "--along", along, *level, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        found = pd.read_csv(io.StringIO(done.stdout))
        wanted = grouped.average_curve("a", "roc", along)
        for name in ("x", "y", "x_error", "y_error", "low", "high"):
            np.testing.assert_allclose(found[name], getattr(wanted, name))
    for wrong, said in (
        (("--by", "fold"), "--by (or --folds) and --along need each other"),
        (("--along", "rate"), "--by (or --folds) and --along need each other"),
        (("--by", "fold", "--along", "mean"), "--along must be one of"),
        (("--by", "fold", "--along", "rate", "--reference", "random"), "cannot be combined with --along"),
        (("--single-class", "skip"), "need --by or --folds"),
    ):
        refused = run(*common, *wrong, cwd=tmp_path)
        assert refused.returncode == 2
        assert said in refused.stderr


def test_thresholds_of_a_curve_are_scores_that_were_given(tmp_path: Path) -> None:
    pd.DataFrame({"y": [1, 0, 1, 0], "a": [0.1, 0.2, 0.3, 0.4]}).to_csv(tmp_path / "scores.csv", index=False)
    done = run("curve", "scores.csv", "-l", "y", "-s", "a:low", cwd=tmp_path)
    points = pd.read_csv(io.StringIO(done.stdout))
    assert points["threshold"].tolist()[:2] == [-np.inf, 0.1]
    assert set(points["threshold"][1:]) <= {0.1, 0.2, 0.3, 0.4, np.inf}


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("curve", ["roc", "precision_recall"])
def test_every_point_of_a_curve_is_what_its_threshold_selects(tmp_path: Path, curve: str, lower: bool) -> None:
    """Also at the end of a gap between the scores that a table keeps, where the score itself is not selected."""
    rng = np.random.default_rng(3)
    y, a = rng.random(80) < 0.3, np.round(rng.normal(size=80), 1)
    a[0] = -np.inf if lower else np.inf
    lines = "\n".join(f"{int(label)},{score}" for label, score in zip(y, a, strict=True))
    (tmp_path / "scores.csv").write_text(f"y,a\n{lines}\n", encoding="utf-8")
    done = run("curve", "scores.csv", "-l", "y", "-s", "a:low" if lower else "a", "--curve", curve, cwd=tmp_path)
    points = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {point["exclusive"] for point in points} == {"True", "False"}
    for point in points[1:]:
        cut, turned = float(point["threshold"]), -1 if lower else 1
        above = turned * a > turned * cut
        chosen = above if point["exclusive"] == "True" else above | (a == cut)
        tpr, fpr = np.mean(chosen[y]), np.mean(chosen[~y])
        expected = (fpr, tpr) if curve == "roc" else (tpr, np.mean(y[chosen]))
        assert (float(point["x"]), float(point["y"])) == pytest.approx(expected)


def test_a_curve_and_its_band_are_those_of_python(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.tile([1, 0, 0, 0], 30)
    s = rng.normal(size=120) + y
    pd.DataFrame({"y": y, "a": s}).to_csv(tmp_path / "scores.csv", index=False)
    common = ("scores.csv", "-l", "y", "-s", "a", "--curve", "det")
    done = run("curve", *common, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    points = pd.read_csv(io.StringIO(done.stdout))
    table = hc.HitTable.from_scores(y, s)
    # the file is counted on the scores of the positives
    np.testing.assert_allclose(points["y"], table.collapse().curve("det").y)
    done = run("band", *common, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    wanted = hc.band(y, s, curve="det")
    np.testing.assert_allclose(pd.read_csv(io.StringIO(done.stdout))["low"], wanted.low.y, atol=1e-12)
    assert f"seed {wanted.seed}" in done.stderr
    done = run("band", *common, "--coverage", "pointwise", cwd=tmp_path)
    assert "95% pointwise band of the det curve" in done.stderr
    dashed = run("curve", *common[:-1], "precision-recall", cwd=tmp_path)
    assert dashed.stdout == run("curve", *common[:-1], "precision_recall", cwd=tmp_path).stdout != ""
    for command, said in (("curve", "did you mean 'roc'"), ("band", "did you mean 'roc'")):
        refused = run(command, *common[:-1], "rock", cwd=tmp_path)
        assert refused.returncode == 2
        assert said in refused.stderr


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.csv"
    rows = [f"{i % 2},{(i * 7) % 11},{(i * 5) % 13},{1 + i % 3},{i // 10}" for i in range(20)]
    path.write_text("\n".join(["y,a,b,w,g", *rows]))
    return path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("evaluate FILE --compare auc --method anytime", "use hitcurve compare --method anytime"),
        ("evaluate FILE --compare auc --method obrien-fleming", "use hitcurve compare --method obrien-fleming"),
        ("evaluate FILE --compare auc --by g --method anytime", "use hitcurve compare --method anytime"),
        ("evaluate FILE --compare auc --baseline zz", "no ranker 'zz'; rankers are 'a', 'b'"),
        ("evaluate FILE --compare auc --by g --baseline zz", "no ranker 'zz'; rankers are 'a', 'b'"),
        (
            "evaluate FILE --preset fraud --weight w",
            "precision@100 of 'a' is undefined: a cutoff at rank 100 counts subjects",
        ),
        ("evaluate FILE -m auc -m hits@5 --weight w", "hits@5"),
        ("power FILE -m auc --effect 0.05", "give --power for the number of subjects, or --n-pos"),
        ("power FILE -m auc --effect 0.05 --n-neg 9", "give --power for the number of subjects, or --n-pos"),
        ("power FILE -m auc --effect 0.05 --n-neg 9 --power 0.8", "give either --power or --n-pos"),
    ],
)
def test_refusals_name_what_the_shell_has(small: Path, shell: Shell, words: str, said: str) -> None:
    refusal = shell(*words.replace("FILE", str(small)).split(), "-l", "y", "-s", "a", "-s", "b").refusal
    assert said in refusal
    assert "horizon=" not in refusal
    assert "n_pos" not in refusal


def test_groups_have_no_winner_and_say_so() -> None:
    y, s = [1, 0, 1, 0] * 2, {"a": [4, 3, 2, 1] * 2, "b": [4, 2, 3, 1] * 2}
    grouped = hc.evaluate(y, s, by=[1] * 4 + [2] * 4, metrics="auc")
    with pytest.raises(hc.errors.UndefinedMetricError, match="a winner by auc is of one list of subjects: compare"):
        grouped.winner("auc")


def test_without_a_command_the_help_is_no_result() -> None:
    """As ruff and uv do: the help on standard error, and the code of a wrong call."""
    bare, asked = run(), run("--help")
    assert (bare.returncode, bare.stdout, asked.returncode, asked.stderr) == (2, "", 0, "")
    assert bare.stderr.split() == asked.stdout.split()


@pytest.mark.slow
def test_the_help_names_html_where_it_is_written(scores: Path, tmp_path: Path) -> None:
    """A command that has no HTML report refuses the format, and neither names nor completes it."""
    documented: dict[str, bool] = {}
    for command, one in typer.main.get_command(app.app).commands.items():  # type: ignore[attr-defined]
        found = [p for p in one.params if "--format" in p.opts and "parquet" in (p.help or "")]
        documented.update((command, "html" in p.help) for p in found)
    without = {name for name, has_page in documented.items() if not has_page}
    assert {"certify", "confusion", "compare", "curve", "decision", "power", "stop", "winner"} <= without
    with_page = set(documented) - without
    assert with_page >= {"drift", "evaluate", "gap", "meta", "ranks", "readers", "screen", "survival"}
    for name in ("certify", "confusion", "curve", "winner"):
        at = ["--at", "1"] if name == "confusion" else []
        done = run(name, str(scores), "-l", "y", "-s", "a", *at, "-o", str(tmp_path / "x.html"))
        assert "has no html" in done.stderr
    days = [str(tmp_path / f"{day}.hit") for day in (1, 2, 3)]
    for place, day in enumerate(days):
        part = tmp_path / f"{place}.csv"
        part.write_text("y,a\n" + "".join(f"{i % 2},{i % 7 + i % 2 + place}\n" for i in range(40)))
        assert run("table", str(part), "-l", "y", "-s", "a", "-o", day).returncode == 0
    done = run("drift", *days, "-o", str(tmp_path / "x.html"))
    assert done.returncode == 0, done.stderr
    assert "<html" in (tmp_path / "x.html").read_text()


def test_a_refusal_reads_the_parameters_of_its_command_and_reads_them_once(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    of_typer = typer.main.get_command_from_info

    def reading(command_info: CommandInfo, **options: Any) -> Any:
        read.append(getattr(command_info.callback, "__name__", ""))
        return of_typer(command_info, **options)

    monkeypatch.setattr(typer.main, "get_command_from_info", reading)
    app._read.cache_clear()
    for _ in range(2):
        done = run("evaluate", str(small), "-l", "y", "-s", "a", "-m", "ap", "--interval-method", "jeffreys")
        assert done.returncode == 2
        assert "--interval-method jeffreys is " in done.stderr
    assert read == ["evaluate"]
    assert run("no-such-command").returncode == 2
    assert len(read) > 20
