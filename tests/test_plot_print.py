"""Figures beside the page and in print: one order of colours, titles, sizes, what legends may not cover."""

from __future__ import annotations

import re
from collections.abc import Iterator
from colorsys import rgb_to_hls
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import plot
from hitcurve.plot.style import COLORS
from tests.shell import Shell

pyplot = pytest.importorskip("matplotlib.pyplot")
RNG, Y = np.random.default_rng(2), np.repeat([1, 0], [200, 1800])
SCORES = {name: RNG.normal(size=2000) + shift * Y for name, shift in (("a", 2.0), ("b", 1.0))}
EV = hc.evaluate(Y, SCORES, metrics=["auc", "auac", "ap"])


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def test_the_palettes_of_figures_and_page_have_one_order() -> None:
    css = (Path(plot.__file__).parents[1] / "report" / "html" / "page.css").read_text()
    page = dict(re.findall(r"--color-(\d): (#[0-9a-f]{6})", css.partition("@media")[0]))

    def hue(color: str) -> float:
        return rgb_to_hls(*(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)))[0]

    for place, color in enumerate(COLORS[:6]):
        assert abs(hue(color) - hue(page[str(place)])) < 0.06, (place, color)


def test_a_legend_does_not_cover_who_is_ahead() -> None:
    ax = plot.difference_band(EV.difference_band("a", "b"))
    ax.figure.canvas.draw()
    legend = ax.get_legend()
    assert legend is not None
    box = legend.get_window_extent()
    marks = [line for line in ax.lines if line.get_label() == "a is ahead at the 5% level"]
    assert marks
    for x, y in ax.transData.transform(marks[0].get_xydata()):
        assert not box.contains(x, y)


def test_the_area_over_the_rate_is_not_that_of_a_logarithmic_axis() -> None:
    titles = []
    for log_x in (False, True):
        legend = plot.accumulation(EV, log_x=log_x).get_legend()
        assert legend is not None
        titles.append(legend.get_title().get_text())
    assert titles[0].startswith("auac")
    assert not titles[1]


def test_values_in_panels_have_the_colours_that_are_given() -> None:
    grouped = hc.evaluate(Y, SCORES, by=np.arange(2000) % 2, metrics="auc")
    for panel in plot.small_multiples(grouped, "roc", metric="auc", rankers=["b"], colors={"b": "black"}):
        assert [text.get_color() for text in panel.texts] == ["black"]


@pytest.mark.parametrize("words", [("precision-recall", "precision_recall"), ("forest", "intervals")])
def test_the_shell_takes_both_spellings(
    words: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{y},{a}" for y, a in zip(Y[150:350], SCORES["a"][150:350], strict=True)]
    Path("d.csv").write_text("\n".join(["y,a", *lines]))
    for word in words:
        assert shell("plot", word, "d.csv", "-l", "y", "-s", "a", "-o", f"{word}.svg").code == 0
    first, second = (Path(f"{word}.svg").read_bytes() for word in words)
    assert first == second


def test_title_size_and_legend_of_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{y},{a}" for y, a in zip(Y[150:350], SCORES["a"][150:350], strict=True)]
    Path("d.csv").write_text("\n".join(["y,a", *lines]))
    roc: tuple[Any, ...] = ("plot", "roc", "d.csv", "-l", "y", "-s", "a")
    assert shell(*roc, "-o", "f.svg", "--title", "Cost in $", "--size", "3", "2", "--legend", "none").code == 0
    text = Path("f.svg").read_text()
    assert 'width="216pt" height="144pt"' in text
    assert "--legend must be one of" in shell(*roc, "--legend", "below").refusal
    assert "--size must be a finite number above 0" in shell(*roc, "--size", "0", "2").refusal
    assert "--legend cannot be combined with intervals" in shell("plot", "forest", *roc[2:], "--legend", "none").refusal
