"""Options of the command line that are given where nothing would come of them, and advice in the words of the shell."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hitcurve._checks import did_you_mean
from hitcurve.errors import LabelError
from hitcurve.sources.labels import check
from hitcurve.sources.placed import placed
from tests.shell import Shell


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    y = (rng.random(90) < 0.4).astype(int)
    columns = {"y": y, "site": np.arange(90) % 3, "days": np.round(rng.exponential(size=90), 3) + 0.01}
    columns |= {name: np.round(1 / (1 + np.exp(-y - rng.normal(size=90))), 3) for name in ("a", "b")}
    _write("s.csv", columns)
    _write("study2.csv", {name: values[::-1][:60] for name, values in columns.items()})
    rare = np.flatnonzero((y == 0) | (np.arange(90) % 3 == 0))
    _write("other.csv", {name: values[rare] for name, values in columns.items()})
    _write("counts.csv", {"p": [9, 5, 2], "q": [8, 6, 2], "n": [2, 8, 20], "o": [3, 8, 19]})
    cases = [(f"r{i % 3}", "film" if i % 2 else "digital", i // 6, y[i // 6], rng.integers(1, 6)) for i in range(240)]
    names = ("reader", "modality", "case", "truth", "rating")
    _write("readings.csv", dict(zip(names, map(list, zip(*cases, strict=True)), strict=True)))
    for run in ("one", "two"):
        Path(f"{run}.run").write_text("".join(f"{t} Q0 d{d} 1 {rng.random():.3f} x\n" for t in "123" for d in range(9)))
    Path("qrels.txt").write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in "123" for d in range(9)))
    Path("times.txt").write_text("12\n20\n22\n31\n40\n")
    return tmp_path


def _write(name: str, columns: Mapping[str, Any]) -> None:
    with Path(name).open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(columns)
        out.writerows(zip(*columns.values(), strict=True))


TWO = "s.csv -l y -s a -s b"
COUNTS = "counts.csv --counts --positives p --negatives n --positives q --negatives o"
SURVIVAL = "survival s.csv --time days --event y -s a -s b --horizon 1"
READERS = "readers readings.csv --truth truth --rating rating --reader reader --case case --modality modality"
TREC = "trec one.run two.run qrels.txt"
RATE = "rate --items 2500 --minutes 7200"
NEEDS = "needs --compare METRIC"

UNUSED = [
    ("data docking --about", "-o ab.csv", "--output is of the data, which --about does not print"),
    ("data docking --about", "--only active=1", "--only is of the data, which --about does not print"),
    (f"evaluate {TWO}", "--method bootstrap", f"--method {NEEDS}"),
    (f"evaluate {TWO}", "--method delong", f"--method {NEEDS}"),
    (f"evaluate {TWO} --by site", "--method wilcoxon", f"--method {NEEDS}"),
    (f"evaluate {TWO} -o page.html", "--method bootstrap", f"--method {NEEDS}"),
    (f"evaluate {TWO} --compare auc --method delong", "--n-resamples 99", "--n-resamples cannot be combined with"),
    (
        f"evaluate {TWO} --compare auc --adjust max-t --method delta --seed 1",
        "--n-resamples 99",
        "--n-resamples cannot be combined with",
    ),
    (f"evaluate {COUNTS} --compare ap", "--n-resamples 99", "--n-resamples is of random draws"),
    (f"evaluate {COUNTS} --compare ap", "--seed 1", "--seed is of random draws"),
    (TREC, "--method sign-flip", f"--method {NEEDS}"),
    (TREC, "--adjust tukey", f"--adjust {NEEDS}"),
    (TREC, "--correction tukey", f"--correction {NEEDS}"),
    (f"{TREC} -f trec", "--confidence-level 0.9", "--confidence-level is of intervals"),
    (SURVIVAL, "--adjust max-t", f"--adjust {NEEDS}"),
    (SURVIVAL, "--adjust bh", "--adjust must be one of 'holm', 'max-t', got 'bh'"),
    (SURVIVAL, "--adjust tukey", "--adjust must be one of 'holm', 'max-t', got 'tukey'"),
    (SURVIVAL, "--seed 3", f"--seed {NEEDS}"),
    (f"{SURVIVAL} --compare auc", "--seed 3", "--seed is of the random draws of --adjust max-t"),
    (f"{SURVIVAL} --effect 0.1 --power 80%", "--seed 3", f"--seed {NEEDS}"),
    (f"{SURVIVAL} --effect 0.1 --power 80%", "--confidence-level 0.9", "--confidence-level is not of plans"),
    (f"confusion {TWO} --at 20", "--cut ceil", "--cut rounds a fraction of subjects, and --at 20 is a number"),
    (f"confusion {TWO} --threshold 0.5", "--cut ceil", "--cut rounds a fraction of subjects (--at)"),
    (f"curve {TWO} --by site --along pool", "--confidence-level 0.9", "a pooled curve has none"),
    (f"band {TWO} -k roc --difference", "--method bootstrap", "--method cannot be combined with --difference"),
    (f"band {TWO} -k roc --difference", "--coverage pointwise", "--coverage cannot be combined with --difference"),
    (f"band {TWO} -k roc --difference", "--magnify exp(3)", "--magnify cannot be combined with --difference"),
    (f"band {TWO} -k roc --method distribution-free", "--seed 1", "a distribution-free band has none"),
    (f"band {TWO} -k roc --coverage pointwise", "--seed 1", "a pointwise band has none by this method"),
    (f"evaluate {TWO} --compare auc --method delong", "--seed 1", "--seed cannot be combined with --method delong"),
    (f"evaluate {TWO} --compare auc --method unpaired-wilcoxon", "--seed 1", "--seed cannot be combined with"),
    (f"evaluate {TWO} --by site --compare auc", "--seed 1", "--seed is of random draws, which across groups"),
    (f"evaluate {TWO} --by site --compare auc --method wilcoxon", "--n-resamples 99", "--n-resamples is of random"),
    (f"decision {TWO}", "--seed 1", "--seed is of the draws of --coverage simultaneous"),
    ("meta s.csv study2.csv -l y -s a --method fixed", "--interval modified", "--interval is of the mean of random"),
    (READERS, "--seed 1", "--seed is of the random draws of --bootstrap"),
    (READERS, "--significance 0.1", "--significance is of a plan"),
    (f"{READERS} --bootstrap 50", "--scale identity", "--scale cannot be combined with --bootstrap"),
    (f"{READERS} --bootstrap 50 --baseline film", "--margin 0.1", "--margin cannot be combined with --bootstrap"),
    (f"{READERS} --effect 0.3 --n-readers 3 --n-cases 40", "--confidence-level 0.9", "--confidence-level is of this"),
    (f"{READERS} --effect 0.3 --n-readers 3 --n-cases 40", "--baseline film", "--baseline is of this study"),
    (f"{RATE} --per-item 10:45", "--confidence-level 0.9", "needs a file of scores"),
    (f"{RATE} --times times.txt", "--coverage 0.8", "--coverage is of the span"),
    ("screen s.csv -l y --columns a --columns b -f csv", "--top 1", "--top is of text, markdown and latex, and csv"),
    (
        "screen s.csv -l y --columns a --columns b -o s.html",
        "--top 1",
        "--top is of text, markdown and latex, and html",
    ),
    (f"plot decision {TWO}", "--metric ap", "--metric cannot be combined with decision"),
    (f"plot roc {TWO} --by site --along rate", "--metric ap", "--metric cannot be combined with --along"),
    (f"plot intervals {TWO} --compare auc", "--metric ap", "--metric cannot be combined with --compare"),
    (f"plot roc {TWO} -m auc", "-m ap", "roc shows one metric: give --metric once, got 2"),
    (f"plot heatmap {TWO} --by site -m auc", "-m ap", "heatmap shows one metric"),
    (f"plot heatmap {TWO} --by site", "--confidence-level 0.9", "heatmap has none"),
]


@pytest.mark.parametrize(("command", "option", "said"), UNUSED)
@pytest.mark.usefixtures("folder")
def test_an_option_that_would_not_be_used_is_refused(shell: Shell, command: str, option: str, said: str) -> None:
    there = set(Path().iterdir())
    assert said in shell(*command.split(), *option.split()).refusal
    assert set(Path().iterdir()) == there


@pytest.mark.parametrize("command", sorted({command for command, *_ in UNUSED}))
@pytest.mark.usefixtures("folder")
def test_the_same_command_without_the_option_runs(shell: Shell, command: str) -> None:
    done = shell(*["meta", "s.csv", "other.csv", "-l", "y", "-s", "a", "-m", "ap"])
    assert "prevalence= (--prevalence) evaluates all studies" in done.out, done


def _located(sentence: str) -> tuple[list[str], str]:
    """Return the labels that a refusal lists, and the one that it locates."""
    found = re.search(r"got more: (.*?)(?:, \.\.\.)?; .*?; (?:the first )?'?([^' ]+)'? is (?:in|that of)", sentence)
    assert found is not None, sentence
    return found[1].split(", "), found[2]


@pytest.mark.parametrize("joined", [False, True])
def test_a_label_that_is_located_is_one_of_those_listed(shell: Shell, folder: Path, joined: bool) -> None:
    # scores in place of labels: each occurs once
    labels = np.round(np.random.default_rng(1).permutation(300) / 100 - 1, 2)
    _write("mixed.csv", {"id": np.arange(300), "y": labels, "a": np.arange(300)})
    words = ["mixed.csv", "-l", "y", "-s", "a", *(["--on", "id"] if joined else [])]
    sentence = shell("evaluate", *words).refusal
    listed, located = _located(sentence)
    assert len(listed) == 5
    assert ", ...; " in sentence
    assert located in listed
    rows = [row for row, label in enumerate(labels) if str(label) in listed]
    if not joined:
        assert labels[rows[0]] == float(located)
        assert f"is in line {rows[0] + 2} of mixed.csv" in sentence
    with pytest.raises(LabelError) as caught, placed("the answer", labels, {}, None, None):
        check(frozenset(labels.tolist()))
    assert _located(str(caught.value))[1] == str(labels[rows[0]])
    assert f"is in row {rows[0] + 1} of the answer" in str(caught.value)


def test_the_odd_label_of_few_is_located(shell: Shell, folder: Path) -> None:
    _write("odd.csv", {"y": [0, 1, 0, 1, 2, 1], "a": range(6)})
    assert _located(shell("evaluate", "odd.csv", "-l", "y", "-s", "a").refusal) == (["0", "1", "2"], "2")
    _write("odd.csv", {"y": [0, 1, 2], "a": range(3)})
    assert "the first '2' is in line 4" in shell("evaluate", "odd.csv", "-l", "y", "-s", "a").refusal


def test_a_near_name_is_near() -> None:
    assert did_you_mean("latex", ("text", "markdown")) == ""
    for word, option in (("txt", "text"), ("ext", "text"), ("rocauc", "auc"), ("yy", "y"), ("ap", "apc")):
        assert did_you_mean(word, (option, "zzz")) == f"; did you mean {option!r}?"
    # letters in another order, the first letters of words
    assert did_you_mean("uac", ("auac", "auc", "zzz")) == "; did you mean 'auc'?"
    assert did_you_mean("PR", ("precision", "precision_recall", "proc")) == "; did you mean 'precision_recall'?"
    # another first letter, and otherwise the same
    assert did_you_mean("bocking", ("docking",)) == "; did you mean 'docking'?"


def test_a_format_that_is_none_of_metrics_is_not_guessed(shell: Shell) -> None:
    said = shell("metrics", "--format", "latex").refusal
    assert said == "--format must be one of 'text', 'markdown', got 'latex'"
