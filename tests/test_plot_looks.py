"""Colours, numbers and legends of figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import ParameterError

matplotlib: Any = pytest.importorskip("matplotlib")
pyplot: Any = pytest.importorskip("matplotlib.pyplot")

from hitcurve.plot import sheet  # noqa: E402
from hitcurve.plot.looks import looks_of  # noqa: E402
from hitcurve.plot.style import COLORS  # noqa: E402

plot: Any = hc.plot
RNG = np.random.default_rng(0)
Y = np.repeat([1, 0], [50, 450])
SCORES = {name: RNG.normal(size=500) + shift * Y for name, shift in (("a", 0.5), ("b", 1.6), ("c", 1.5), ("d", 1.2))}
EV = hc.evaluate(Y, SCORES, metrics=["ap", "auc", "logauc"])
GROUPED = hc.evaluate(Y, SCORES, by=np.arange(500) % 5, metrics=["ap", "auc"])
PALETTE = dict(zip(EV.rankers, COLORS, strict=False))


@pytest.fixture(autouse=True)
def closed() -> Any:
    yield
    pyplot.close("all")


def colors_of(axes: Any) -> list[str]:
    ax = np.asarray(axes, object).ravel()[0]
    return [line.get_color() for line in sheet.marked(ax, sheet.RANKER)]


FIGURES: dict[str, Any] = {
    "roc": lambda **options: plot.roc(EV, **options),
    "hit": lambda **options: plot.curve(EV, "hit", **options),
    "intervals": lambda **options: plot.intervals(EV, metrics="ap", **options),
    "groups": lambda **options: plot.groups(GROUPED, "auc", **options),
    "ap_versus_auc": lambda **options: plot.ap_versus_auc(EV, **options),
    "prevalence_profile": lambda **options: plot.prevalence_profile(EV, grid=[0.01, 0.1], **options),
    "momentum": lambda **options: plot.momentum(EV, **options),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_ranker_keeps_its_colour(name: str) -> None:
    draw = FIGURES[name]
    assert colors_of(draw())[: len(PALETTE)] == list(PALETTE.values())
    assert colors_of(draw(rankers=["c", "b"]))[:2] == [PALETTE["c"], PALETTE["b"]]
    assert colors_of(draw(rankers=["c", "b"], colors={"b": "crimson"}))[:2] == [PALETTE["c"], "crimson"]


@pytest.mark.parametrize("name", FIGURES)
def test_colours_are_checked(name: str) -> None:
    for colors, why in (
        ({"x": "red"}, "a ranker of colors"),
        ({"a": "reddish"}, "colours of matplotlib"),
        ("red", "map"),
    ):
        with pytest.raises(ParameterError, match=why):
            FIGURES[name](colors=colors)


def test_bands_and_averages_take_colours() -> None:
    bands = {name: EV.band(name, "roc") for name in ("a", "b")}
    assert colors_of(plot.band(bands, colors={"a": "crimson"})) == ["crimson", COLORS[1]]
    averages = {name: GROUPED.average_curve(name) for name in ("a", "b")}
    assert colors_of(plot.average_curve(averages, colors={"b": "crimson"})) == [COLORS[0], "crimson"]


def test_a_second_call_on_the_same_axes() -> None:
    ax = plot.roc(EV, rankers=["b"])
    plot.roc(EV, rankers=["a", "c"], ax=ax)
    assert colors_of(ax) == [PALETTE["b"], PALETTE["a"], PALETTE["c"]]
    other = hc.evaluate(Y, {"new": SCORES["a"], "b": SCORES["c"]}, metrics="auc")
    plot.roc(other, ax=ax)
    *_, new, same = sheet.marked(ax, sheet.RANKER)
    assert new.get_color() == COLORS[3]
    # another list of the same name: its colour, with dashes
    assert (same.get_color(), same.is_dashed()) == (PALETTE["b"], True)
    looks = looks_of(None, [str(i) for i in range(20)], [str(i) for i in range(20)])
    assert len(set(looks.values())) == 20


def test_a_difference_has_the_colour_of_no_ranker() -> None:
    assert set(colors_of(plot.intervals(EV.compare_all("ap")))) & set(COLORS[:-1]) == set()


def test_the_number_belongs_to_the_axis() -> None:
    assert plot.roc(EV).get_legend().get_title().get_text().startswith("auc,")
    assert plot.roc(EV, log_x=True).get_legend().get_title().get_text().startswith("logauc(0.001, 1),")
    alone = hc.evaluate(Y, SCORES, metrics="auc")
    ax = plot.roc(alone, log_x=True)
    assert ax.get_legend_handles_labels()[1][:4] == ["a", "b", "c", "d"]
    assert plot.roc(alone, log_x=True, metric="auc").get_legend().get_title().get_text().startswith("auc,")


def test_a_band_has_the_swatch_of_its_ranker() -> None:
    bands = {name: EV.band(name, "roc") for name in ("a", "b")}
    ax = plot.roc(EV, bands=bands)
    box = ax.get_legend()
    swatches = {tuple(np.round(patch.get_facecolor()[:3], 3)) for patch in box.get_patches()}
    for name in bands:
        assert tuple(np.round(matplotlib.colors.to_rgb(PALETTE[name]), 3)) in swatches
    assert tuple(np.round(matplotlib.colors.to_rgb(PALETTE["c"]), 3)) not in swatches


def covered(ax: Any) -> bool:
    """Say whether the legend lies on a band anywhere."""
    ax.figure.canvas.draw()
    extent = ax.get_legend().get_window_extent()
    x, y = np.meshgrid(np.linspace(extent.x0, extent.x1, 60), np.linspace(extent.y0, extent.y1, 60))
    cells = np.column_stack([x.ravel(), y.ravel()])
    paths = [ax.transData.transform_path(path) for band in sheet.marked(ax, sheet.BAND) for path in band.get_paths()]
    return bool(np.mean([path.contains_points(cells).mean() for path in paths]) > 0.05)


@pytest.mark.parametrize("kind", ["roc", "precision_recall", "accumulation"])
@pytest.mark.parametrize("log_x", [False, True])
def test_legends_do_not_lie_on_bands(kind: str, log_x: bool) -> None:
    bands = {name: EV.band(name, kind) for name in EV.rankers}
    assert not covered(plot.curve(EV, kind, bands=bands, log_x=log_x))
    assert not covered(plot.band(bands, log_x=log_x))


def test_groups_are_told_what_to_call() -> None:
    for draw in (plot.roc, plot.curve, plot.ap_versus_auc, plot.momentum):
        with pytest.raises(ParameterError, match=r"5 groups of a GroupedEvaluation.*plot\.average_curve"):
            draw(GROUPED)


def test_the_band_of_a_difference_knows_its_rankers() -> None:
    band = EV.difference_band("b", "a")
    assert band.rankers == ("b", "a")
    assert EV.band("b", "roc").rankers is None
    labels = plot.difference_band(band).get_legend_handles_labels()[1]
    assert labels[:2] == ["b - a", "b is ahead at the 5% level"]
    assert plot.difference_band(band, names=("new", "old")).get_ylabel() == "recall of new - old"
