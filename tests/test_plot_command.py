"""Figures from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hitcurve as hc
from hitcurve.curve import KINDS
from tests.shell import Shell

pytest.importorskip("matplotlib")

RNG = np.random.default_rng(0)
Y = np.repeat([1, 0], [30, 170])
SCORES = {"a": RNG.normal(size=200) + Y, "b": RNG.normal(size=200) + 1.6 * Y}
FILE = ["s.csv", "-l", "y", "-s", "a", "-s", "b"]
COUNTS = ["--counts", "--positives", "cancers", "--total", "screened"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame({"y": Y, "g": np.arange(200) % 4, **SCORES}).to_csv("s.csv", index=False)
    for name, t in hc.datasets.mammography().items():
        counts = {"cancers": t.pos.astype(int), "screened": (t.pos + t.neg).astype(int)}
        pd.DataFrame(counts).to_csv(f"{name}.csv", index=False)
    return tmp_path


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Collect the axes that are written."""
    from hitcurve.cli import images, plot

    found: list[Any] = []
    write = images.image_of

    def kept(axes: Any, form: str) -> bytes:
        found.append(np.asarray(axes, object).ravel()[0])
        return write(axes, form)

    monkeypatch.setattr(plot, "image_of", kept)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_every_curve_is_drawn_as_in_python(kind: str, here: Path, shell: Shell, drawn: list[Any]) -> None:
    done = shell("plot", kind, *FILE, "-o", "f.svg")
    assert (done.code, done.out, done.err) == (0, "", "wrote f.svg\n")
    assert (here / "f.svg").read_text().startswith("<?xml")
    metric = KINDS[kind].picture.metrics[0]
    options = {"magnification": "exp(7)"} if kind in ("croc", "cac") else {}
    expected: Any = hc.plot.curve(hc.evaluate(Y, SCORES, metrics=metric), kind, **options)
    for one, other in zip(drawn[0].lines, expected.lines, strict=True):
        assert np.array_equal(one.get_xydata(), other.get_xydata())
        assert one.get_label() == other.get_label()
    assert drawn[0].get_legend_handles_labels()[1] == expected.get_legend_handles_labels()[1]


@pytest.mark.parametrize(
    ("words", "label"),
    [
        (["intervals", "-m", "auc"], "auc"),
        (["intervals", "--compare", "ap"], "difference in ap, 95% interval"),
        (["intervals", "--compare", "ap", "--by", "g"], "difference in ap, 95% interval"),
        (["groups", "--by", "g", "-m", "auc"], "auc"),
        (["heatmap", "--by", "g", "-m", "auc"], ""),
        (["wins", "--by", "g", "-m", "auc"], ""),
        (["roc", "--by", "g", "--along", "rate"], "false positive rate"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else None,
)
def test_other_figures(words: list[str], label: str, here: Path, shell: Shell, drawn: list[Any]) -> None:
    assert shell("plot", words[0], *FILE, *words[1:]).err == "wrote figure.png\n"
    assert (here / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert label in drawn[0].get_xlabel()


def test_intervals_by_a_method(here: Path, shell: Shell, drawn: list[Any]) -> None:
    for method in ("auto", "delong"):
        assert shell("plot", "forest", *FILE, "-m", "auc", "--interval-method", method).code == 0
    e = hc.evaluate(Y, SCORES["a"], metrics="auc")["score", "auc"]
    shown = [[text.get_text() for text in ax.get_yticklabels()] + [t.get_text() for t in ax.texts] for ax in drawn]
    assert shown[0] != shown[1]
    low, high = e.confidence_interval(method="delong")
    assert any(f"[{low:.3f}, {high:.3f}]" in text for text in shown[1])


def test_counts_bands_and_a_log_axis(here: Path, shell: Shell, drawn: list[Any]) -> None:
    words = ["film.csv", "digital.csv", *COUNTS, "--bands", "--log-x", "-o", "f.pdf"]
    assert shell("plot", "roc", *words).code == 0
    assert drawn[0].get_xscale() == "log"
    labels = drawn[0].get_legend_handles_labels()[1]
    assert [label.split()[0] for label in labels][:2] == ["film", "digital"]
    assert any("simultaneous band" in label for label in labels)


@pytest.mark.parametrize("form", ["pdf", "svg", "png"])
def test_the_same_data_give_the_same_file(form: str, here: Path, shell: Shell) -> None:
    for name in ("one", "two"):
        assert shell("plot", "roc", *FILE, "-o", f"{name}.{form}").code == 0
    assert (here / f"one.{form}").read_bytes() == (here / f"two.{form}").read_bytes()


def test_colours_of_rankers(here: Path, shell: Shell, drawn: list[Any]) -> None:
    for words in (["roc"], ["intervals", "-m", "auc"], ["groups", "--by", "g"]):
        assert shell("plot", words[0], *FILE, *words[1:], "--color", "b=#cc0000", "-o", "f.svg").code == 0
    from hitcurve.plot import sheet

    for ax in drawn:
        assert [line.get_color() for line in sheet.marked(ax, sheet.RANKER)][1] == "#cc0000"


WRONG = {
    "no colour": (["roc", "--color", "a"], "is a ranker and a colour"),
    "no such colour": (["roc", "--color", "a=reddish"], "is a ranker and a colour"),
    "no such ranker": (["roc", "--color", "x=red"], "the ranker of --color must be one of 'a', 'b'"),
    "a colour of a difference": (["intervals", "--compare", "ap", "--color", "a=red"], "no colour of their own"),
    "no such curve": (["rok"], "did you mean 'roc'"),
    "no format": (["roc", "-o", "f.txt"], "use f.pdf, .svg or .png"),
    "no suffix": (["roc", "-o", "f"], "use f.pdf, .svg or .png"),
    "no folder": (["roc", "-o", "no/f.png"], "there is no folder no"),
    "no groups": (["heatmap"], "name their column with --by or --folds"),
    "groups of curves": (["roc", "--by", "g"], "such as --along rate"),
    "an average of one list": (["roc", "--along", "rate"], "--by (or --folds) and --along need each other"),
    "bands of averages": (["roc", "--by", "g", "--along", "rate", "--bands"], "averages have intervals"),
    "a log axis of intervals": (["intervals", "--log-x"], "--log-x cannot be combined with intervals"),
    "a magnified roc": (["roc", "--magnify", "exp(7)"], "--magnify cannot be combined with roc"),
    "a compared curve": (["roc", "--compare", "ap"], "--compare cannot be combined with roc"),
    "intervals of groups": (["intervals", "--by", "g"], "add --compare METRIC"),
    "a method of a curve": (["roc", "--interval-method", "wald"], "--interval-method is of the intervals of values"),
    "a method of differences": (["forest", "--compare", "ap", "--interval-method", "wald"], "without --compare"),
    "bands that are not known": (["rate-negative-recall", "--bands"], "no band of the rate_negative_recall curve"),
    "a folder": (["roc", "-o", "folder.png"], "which is a folder: give the name of a file in it"),
    "a baseline alone": (["intervals", "--baseline", "a"], "--baseline needs --compare"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused(name: str, here: Path, shell: Shell) -> None:
    words, why = WRONG[name]
    (here / "folder.png").mkdir()
    assert why in shell("plot", words[0], *FILE, *words[1:]).refusal
    assert not (here / "figure.png").exists()
