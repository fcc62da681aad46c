"""Pictures, by the data of their artists."""

from __future__ import annotations

import functools
import inspect
import io
import itertools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import hitcurve as hc
from hitcurve import HitTable, rows
from hitcurve.curve import KINDS
from hitcurve.errors import (
    ColumnNotFoundError,
    HitcurveError,
    InputError,
    MissingExtraError,
    ParameterError,
    UndefinedMetricError,
)
from hitcurve.magnify import Magnification
from tests.strategies import Floats, count_tables, law

matplotlib: Any = pytest.importorskip("matplotlib")
pyplot: Any = pytest.importorskip("matplotlib.pyplot")

from hitcurve.plot import sheet, words  # noqa: E402
from hitcurve.plot.path import MANY, TOLERANCE, thinned, traced  # noqa: E402
from hitcurve.plot.scales import LINEAR, LOG, NORMAL, Scale  # noqa: E402
from hitcurve.plot.style import look  # noqa: E402

plot: Any = hc.plot  # what is drawn is looked at through and through
RNG = np.random.default_rng(7)
Y = np.repeat([1, 0], [40, 360])
SCORES = {
    "sharp": RNG.normal(size=400) + 1.7 * Y,
    "tied": np.round(RNG.normal(size=400) + 1.2 * Y),
}
METRICS = (
    "auc",
    "ap",
    "auac",
    "proc",
    "momentum",
    "ef@5%",
    "pauc(fpr, 0, 0.1)",
    "croc(exp, alpha=7)",
    "cac(exp, alpha=7)",
    "rauc",
    "expected_recall",
    "prg_area",
    "expected_negative_recall",
)
EV = hc.evaluate(Y, SCORES, metrics=METRICS)
# groups: one without positives, and a metric without a value in another
TOPIC = np.repeat([f"topic {i}" for i in range(1, 9)], 50)
LABEL = np.where(TOPIC == "topic 8", 0, np.tile(np.repeat([1, 0], [8, 42]), 8))
BY = hc.evaluate(LABEL, SCORES, by=TOPIC, metrics=["auc", "ap"], single_class="zero")
Draw = Callable[..., Any]
# kind of the curve, how it is drawn, the metric of its legend
CURVES: dict[str, tuple[Draw, str]] = {
    "roc": (plot.roc, "auc"),
    "croc": (plot.croc, "croc(exp, alpha=7)"),
    "proc": (plot.proc, "proc"),
    "precision_recall": (plot.precision_recall, "ap"),
    "hit": (plot.hit, "ap"),
    "accumulation": (plot.accumulation, "auac"),
    "cac": (plot.cac, "cac(exp, alpha=7)"),
    "pac": (plot.pac, "auac"),
    "rate_accuracy": (plot.rate_accuracy, "rauc"),
    "rate_recall": (plot.rate_recall, "expected_recall"),
    "lift": (plot.lift, "ef@5%"),
    "det": (lambda ev, **more: plot.curve(ev, "det", **more), "auc"),
    "rate_negative_recall": (
        lambda ev, **more: plot.curve(ev, "rate_negative_recall", **more),
        "expected_negative_recall",
    ),
    "prg": (lambda ev, **more: plot.curve(ev, "prg", **more), "prg_area"),
}
each_curve = pytest.mark.parametrize("kind", CURVES)
STRAIGHT = ("roc", "hit", "accumulation", "rate_accuracy", "rate_recall")
BAND = EV.band("sharp", "roc", n_resamples=200, rng=0)
CROC_BAND = EV.band("sharp", "croc", n_resamples=200, rng=0)
DIFFERENCE = EV.difference_band("sharp", "tied", rng=0)
# every picture, on axes that are given or new
PICTURES: dict[str, Draw] = {
    **{kind: lambda draw=draw, **more: draw(EV, **more) for kind, (draw, _) in CURVES.items()},
    "croc, three": lambda **more: plot.croc(EV, [7, 20, hc.magnify.Power(2.3)], **more),
    "roc, isometrics": lambda **more: plot.roc(EV, isometrics="rate", **more),
    "roc, accuracy": lambda **more: plot.roc(EV, isometrics="accuracy", **more),
    "roc, logarithmic": lambda **more: plot.roc(EV, isometrics="rate", log_x=True, **more),
    "rate and true negatives": lambda **more: plot.rate_recall(EV, negative=True, **more),
    "band": lambda **more: plot.band(BAND, **more),
    "difference_band": lambda **more: plot.difference_band(DIFFERENCE, **more),
    "intervals": lambda **more: plot.intervals(EV, metrics=["ap", "auc"], **more),
    "differences": lambda **more: plot.intervals(EV.compare("sharp", "tied", "auc"), **more),
    "ap_versus_auc": lambda **more: plot.ap_versus_auc(EV, **more),
    "momentum": lambda **more: plot.momentum(EV, **more),
    "prevalence_profile": lambda **more: plot.prevalence_profile(EV, grid=[0.01, 0.1, 0.5], **more),
    "magnification": lambda **more: plot.magnification(
        [hc.magnify.Exponential(7), hc.magnify.Window(0, 0.1)], log_x=True, **more
    ),
    "score_distribution": lambda **more: plot.score_distribution(Y, SCORES["sharp"], **more),
    "rank_weights": lambda **more: plot.rank_weights(EV, **more),
    "groups": lambda **more: plot.groups(BY, "ap", **more),
    "heatmap": lambda **more: plot.heatmap(BY, "ap", **more),
    "wins": lambda **more: plot.wins(BY, "ap", **more),
    "average_curve": lambda **more: plot.average_curve({name: BY.average_curve(name) for name in BY.rankers}, **more),
    "small_multiples": lambda **more: plot.small_multiples(BY, "precision_recall", **more),
}
each_picture = pytest.mark.parametrize("draw", PICTURES.values(), ids=list(PICTURES))


@pytest.fixture(autouse=True)
def _figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def axes_of(drawn: Any) -> list[Any]:
    return list(np.ravel(np.asarray(drawn, object)))


def ranker_lines(ax: Any) -> list[Any]:
    return [line for line in ax.lines if line.get_gid() == sheet.RANKER]


def labels(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def path_of(line: Any) -> tuple[Floats, Floats]:
    return np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)


def paint(ax: Any) -> None:
    """Draw everything: warnings, of a missing sign for one, are failures."""
    axes_of(ax)[0].figure.canvas.draw()


# ---- lines


@pytest.mark.parametrize("kind", STRAIGHT)
def test_straight_curves_are_their_vertices(kind: str) -> None:
    draw, _ = CURVES[kind]
    for line, table in zip(ranker_lines(draw(EV)), EV.tables.values(), strict=True):
        x, y = path_of(line)
        np.testing.assert_array_equal(x, table.curve(kind).x)
        np.testing.assert_array_equal(y, table.curve(kind).y)


@each_curve
def test_all_vertices_are_on_the_line(kind: str) -> None:
    draw, _ = CURVES[kind]
    for line, table in zip(ranker_lines(draw(EV)), EV.tables.values(), strict=True):
        c = table.curve(kind)
        x, y = path_of(line)
        points = set(zip(x.tolist(), y.tolist(), strict=True))
        seen = (c.x >= x[0]) & (c.x <= x[-1])  # other axes begin at half of one subject
        assert set(zip(c.x[seen].tolist(), c.y[seen].tolist(), strict=True)) <= points


def gap(c: Any, x: Floats, y: Floats, x_scale: Scale, y_scale: Scale) -> float:
    """Return how far a drawn line is off a curve, in y as it is drawn, away from jumps."""
    u = x_scale.forward(x)
    dense = np.unique(np.concatenate([np.linspace(u[0], u[-1], 2001), (u[1:] + u[:-1]) / 2]))
    dense = dense[np.min(np.abs(dense[:, None] - u[None, :]), axis=1) > 1e-6]
    at = np.clip(x_scale.backward(dense), x[0], x[-1])
    return float(np.max(np.abs(np.interp(dense, u, y_scale.forward(y)) - y_scale.forward(c.at(at))), initial=0.0))


@pytest.mark.parametrize("scale", [LINEAR, LOG], ids=["linear", "logarithmic"])
@each_curve
@law(15)
@given(t=count_tables())
def test_lines_follow_the_counts(kind: str, scale: Scale, t: HitTable) -> None:
    c = t.curve(kind)
    low = c.x[0] if np.isfinite(c.x[0]) else -3.0
    if scale is LOG:
        if kind in ("proc", "pac"):
            return
        low = 1e-3
    height = float(c.y.max() - c.y.min()) or 1.0
    x, y, vertex = traced(c, (low, float(c.x[-1])), height, scale)
    assert np.all(np.diff(x) >= 0)
    assert np.count_nonzero(vertex) == np.count_nonzero(c.x >= low)
    assert gap(c, x, y, scale, LINEAR) <= TOLERANCE * height * 1.000001


@law(15)
@given(t=count_tables())
def test_lines_follow_the_counts_on_normal_deviate_axes(t: HitTable) -> None:
    c = t.curve("det")
    x, y, _ = traced(c, (1e-3, 1 - 1e-3), 6.0, NORMAL, NORMAL)
    assert np.all(np.diff(x) >= 0)
    assert gap(c, x, y, NORMAL, NORMAL) <= TOLERANCE * 6 * 1.000001


def test_a_window_without_a_vertex_shows_the_line_through_it() -> None:
    tied = HitTable.from_counts([3], [3])
    assert [side.tolist() for side in traced(tied.curve("roc"), (0.25, 0.75), 1.0)[:2]] == [[0.25, 0.75], [0.25, 0.75]]


def test_normal_scores_give_a_straight_det_curve() -> None:
    """Two normal classes of one spread: the deviate of FNR falls by 1 where that of FPR rises by 1."""
    fpr = norm.sf(np.linspace(3, -2, 2001))
    tpr = norm.sf(norm.isf(fpr) - 1.5)
    counts = [np.diff(np.round(1e9 * np.concatenate([[0], share, [1]]))).astype(int) for share in (tpr, fpr)]
    ev = hc.evaluate(tables={"normal": HitTable.from_counts(*counts)}, metrics="auc")
    ax = plot.curve(ev, "det", window=(0.01, 0.9))
    (line,) = ranker_lines(ax)
    points = ax.transData.transform(np.column_stack(path_of(line)))
    inside = np.all((points > 1) & (points < 1e4), axis=1)
    x, y = points[inside].T
    slope, offset = np.polyfit(x, y, 1)
    np.testing.assert_allclose(y, slope * x + offset, atol=0.5)
    assert slope < 0


def test_det_axes_are_shares_on_normal_deviates() -> None:
    ax = plot.curve(EV, "det")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positive rate", "false negative rate")
    for get, n in ((ax.get_xlim, 360), (ax.get_ylim, 40)):
        low, high = get()
        assert 0 < low < 0.5 / n
        assert 1 - 0.5 / n < high < 1
    at = ax.transData.transform([(0.5, 0.5), (norm.cdf(1), norm.cdf(1)), (norm.cdf(2), norm.cdf(2))])
    np.testing.assert_allclose(at[2] - at[1], at[1] - at[0], rtol=1e-9)
    assert all(0 < float(tick.get_text()) < 1 for tick in ax.get_xticklabels())
    paint(plot.curve(EV, "det", bands={"sharp": EV.band("sharp", "det", rng=0)}))
    paint(plot.band(EV.band("sharp", "det", rng=0)))
    with pytest.raises(ParameterError, match="the axis of a det curve is"):
        plot.curve(EV, "det", log_x=True)


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.band is not None])
def test_every_band_has_a_picture(kind: str) -> None:
    b = EV.band("sharp", kind, n_resamples=100, rng=0)
    ax = plot.band(b)
    (line,) = ranker_lines(ax)
    x, y = path_of(line)
    points = set(zip(x.tolist(), y.tolist(), strict=True))
    assert set(zip(b.x.tolist(), b.center.y.tolist(), strict=True)) <= points
    paint(ax)


def test_precision_lies_on_the_hyperbola_of_the_counts() -> None:
    for line, table in zip(ranker_lines(plot.precision_recall(EV)), EV.tables.values(), strict=True):
        recall, precision = path_of(line)
        H, B = np.append(0, np.cumsum(table.pos)), np.append(0, np.cumsum(table.neg))
        n1 = H[-1]
        inside = (recall > 0) & ~np.isin(recall, H / n1)
        assert inside.any()
        hits = recall[inside] * n1
        k = np.searchsorted(H, hits, "right")
        share = (hits - H[k - 1]) / (H[k] - H[k - 1])
        alarms = B[k - 1] + share * (B[k] - B[k - 1])
        np.testing.assert_allclose(precision[inside], hits / (hits + alarms), rtol=1e-12)


def test_a_tie_is_no_chord() -> None:
    ev = hc.evaluate(tables={"two rows": HitTable.from_counts([1, 9], [0, 90])}, metrics="ap")
    x, y = path_of(ranker_lines(plot.precision_recall(ev))[0])
    middle = float(np.interp(0.55, x, y))
    assert middle == pytest.approx(5.5 / (5.5 + 45), abs=2 * TOLERANCE)
    assert middle < (1 + 0.1) / 2 - 0.3


def test_long_curves_are_thinned_within_the_bound() -> None:
    rng = np.random.default_rng(0)
    order = rng.random(60_000) < np.linspace(0.9, 0.1, 60_000)
    t = HitTable.from_counts(order.astype(int), (~order).astype(int))
    for kind in ("roc", "precision_recall", "rate_accuracy", "lift"):
        c = t.curve(kind)
        height = float(c.y.max() - c.y.min())
        path = traced(c, (float(c.x[0]), float(c.x[-1])), height)
        assert path.x.size < c.x.size / 5
        # on both sides of every jump: halfway between vertices that are not above each other
        middle = ((c.x[1:] + c.x[:-1]) / 2)[np.diff(c.x) > 0]
        off = np.abs(np.interp(middle, path.x, path.y) - c.at(middle))
        assert np.max(off) <= TOLERANCE * height


@law(50)
@given(
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(-4, 4)), min_size=1, max_size=60),
    tolerance=st.sampled_from([0.0, 0.5, 2.0, 5.0]),
)
def test_thinning_keeps_the_line_within_the_tolerance(steps: list[tuple[int, int]], tolerance: float) -> None:
    # where x stays, y goes one way
    walk = np.array([(dx, abs(dy) if dx == 0 else dy) for dx, dy in steps], float)
    x, y = np.cumsum(np.concatenate([[[0.0, 0.0]], walk]), axis=0).T
    kept = thinned(x, y, tolerance)
    assert kept[0] == 0
    assert kept[-1] == x.size - 1
    for i, j in itertools.pairwise(kept):
        if x[j] > x[i]:
            chord = y[i] + (x[i : j + 1] - x[i]) / (x[j] - x[i]) * (y[j] - y[i])
            assert np.max(np.abs(chord - y[i : j + 1])) <= tolerance + 1e-9


def test_a_picture_of_many_subjects_is_small() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(200_000) < 60_000
    ev = hc.evaluate(y, rng.normal(size=y.size) + 1.2 * y, metrics=["auc", "ap"])
    assert ev.tables["score"].pos.size > 100_000
    for draw in (plot.roc, plot.precision_recall, plot.accumulation, plot.hit):
        ax, file = draw(ev), io.BytesIO()
        assert ranker_lines(ax)[0].get_xdata().size < MANY
        ax.figure.savefig(file, format="svg")
        assert len(file.getvalue()) < 150_000


def test_windows_limit_the_axes() -> None:
    ax = plot.roc(EV, window=(0, 0.1))
    x, y = path_of(ranker_lines(ax)[0])
    c = hc.roc_curve(EV.tables["sharp"])
    assert (x[0], x[-1]) == (0, 0.1)
    assert y[-1] == c.at(0.1)
    assert ax.get_xlim()[1] == pytest.approx(0.102)
    assert ax.get_ylim()[1] < 1
    assert ax.get_legend().get_title().get_text().startswith("pauc(fpr, 0, 0.1)")
    ax = plot.croc(EV, window=(0, 0.1))
    assert ranker_lines(ax)[0].get_xdata()[-1] == float(hc.magnify.Exponential(7)(0.1))


def test_logarithmic_axes_begin_at_half_a_subject() -> None:
    ax = plot.roc(EV, log_x=True)
    assert ax.get_xscale() == "log"
    assert ranker_lines(ax)[0].get_xdata()[0] == 0.5 / 360
    ax = plot.pac(EV)
    assert ranker_lines(ax)[0].get_xdata()[0] == pytest.approx(np.log10(0.5 / 400))
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0.01", "0.1", "1"]


def test_ticks_of_a_magnified_axis_are_rates() -> None:
    f = hc.magnify.Exponential(20)
    ax = plot.croc(EV, f)
    for place, text in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True):
        assert place == float(f(float(text.get_text())))


def test_steep_maps_are_drawn() -> None:
    maps: list[Magnification] = [
        hc.magnify.Step(0.1),
        hc.magnify.CutOff(0.05),
        hc.magnify.LogWindow(0.001, 1),
        hc.magnify.Power(2.3),
    ]
    for ax in plot.croc(EV, maps):
        for line in ranker_lines(ax):
            x, y = path_of(line)
            assert np.all(np.isfinite(x) & np.isfinite(y))


# ---- legends


@each_curve
def test_legends_carry_value_and_interval(kind: str) -> None:
    draw, metric = CURVES[kind]
    ax = draw(EV)
    assert ax.get_legend().get_title().get_text() == f"{hc.metric(metric)}, 95% interval"
    shown = labels(ax)
    for place, name in enumerate(EV.rankers):
        e = EV[name, metric]
        low, high = e.confidence_interval()
        number = f"{rows.number(e.value)} [{rows.number(low, 3)}, {rows.number(high, 3)}]"
        assert shown[place] == f"{name} {number}"
    tied = hc.metric(metric).random(EV.tables["sharp"])  # the list that is drawn
    assert shown[2] == f"random {rows.short(tied)}"


def test_the_metric_of_a_legend_can_be_chosen() -> None:
    assert labels(plot.roc(EV, metric="ap"))[0].startswith(f"sharp {rows.number(EV['sharp', 'ap'].value)}")
    with pytest.raises(ColumnNotFoundError, match="was not evaluated"):
        plot.roc(EV, metric="ndcg")


def test_without_its_metric_a_legend_has_names() -> None:
    ev = hc.evaluate(Y, SCORES, metrics="ndcg")
    assert labels(plot.roc(ev)) == ["sharp", "tied", "random"]
    assert ev.metrics == (hc.metrics.NDCG(),)


def test_too_few_subjects_leave_the_interval_out() -> None:
    ev = hc.evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="auc")
    assert labels(plot.roc(ev))[0] == "score 0.7500"


def test_undefined_metrics_are_nan_in_the_legend() -> None:
    with pytest.warns(hc.errors.HitcurveWarning):
        ev = hc.evaluate([0, 1, 0, 1], [4, 3, 2, 1], metrics="momentum", undefined="nan")
    assert labels(plot.hit(ev, metric="momentum"))[0] == "score undefined"


HOSTILE = (
    "<script>alert(1)</script>",
    "$\\alpha$",
    "costs $5 to $7",
    "\\$x$",
    "x" * 200,
    "x" * 199 + "y",
    "x" * 100 + "z" + "x" * 99,
    "Größe «ß» Ωμέγα",
    "_hidden",
    'a"b',
    "100% {of} #1 & ~^",
    "two\nlines\tand\x00more",
)


@functools.cache
def odd_groups() -> hc.GroupedEvaluation:
    """Return an evaluation whose rankers and groups have the names."""
    y = np.tile([1, 1, 0, 0, 0, 0], len(HOSTILE))
    scores = {name: np.random.default_rng(i).normal(size=y.size) + y for i, name in enumerate(HOSTILE)}
    ev: hc.GroupedEvaluation = hc.evaluate(y, scores, by=np.repeat(HOSTILE, 6), metrics="auc")
    return ev


@pytest.fixture(scope="module")
def hostile() -> hc.Evaluation:
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(size=400) + (0.5 + 0.1 * i) * Y for i, name in enumerate(HOSTILE)}
    return hc.evaluate(Y, scores, metrics=["auc", "ap", "momentum"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw",
    [
        plot.roc,
        plot.precision_recall,
        plot.lift,
        plot.ap_versus_auc,
        plot.momentum,
        plot.intervals,
        plot.rank_weights,
        lambda ev: plot.roc(ev, isometrics="rate"),
        lambda ev: plot.prevalence_profile(ev, grid=[0.05, 0.1]),
        lambda ev: plot.intervals([ev.compare(HOSTILE[1], HOSTILE[4], "auc")]),
        lambda ev: plot.band({name: ev.band(name, "roc", n_resamples=50) for name in HOSTILE[:3]}),
        lambda ev: plot.difference_band(ev.difference_band(*HOSTILE[1:3]), names=HOSTILE[1:3]),
        lambda ev: plot.groups(odd_groups(), "auc"),
        lambda ev: plot.heatmap(odd_groups(), "auc"),
        lambda ev: plot.wins(odd_groups(), "auc"),
        lambda ev: plot.average_curve({name: odd_groups().average_curve(name) for name in HOSTILE}),
        lambda ev: plot.small_multiples(odd_groups()),
        lambda ev: plot.drift(
            hc.drift({name: hc.HitTable.from_scores(Y, Y + RNG.normal(size=400)) for name in HOSTILE}, "auc")
        ),
        lambda ev: plot.decision(ev, cut="best"),
        lambda ev: plot.forest(hc.meta_analysis({name: ev[name, "auc"] for name in HOSTILE}, "auc")),
    ],
)
def test_no_name_breaks_a_picture(hostile: hc.Evaluation, draw: Draw) -> None:
    from matplotlib.cbook import is_math_text
    from matplotlib.text import Text

    drawn = draw(hostile)
    paint(drawn)
    for ax in axes_of(drawn):
        shown = [text.get_text() for text in ax.findobj(Text)]
        assert not any(is_math_text(text) for text in shown)
        assert all(line.isprintable() for text in shown for line in text.split("\n"))  # SVG has no place for others
        if ax.get_legend() is not None:
            assert not any(label.startswith("_") for label in labels(ax))


def test_twelve_names_stay_apart(hostile: hc.Evaluation) -> None:
    shown = labels(plot.roc(hostile))
    assert len(shown) == 13
    assert len(set(shown)) == 13
    assert all(len(line) < 50 for text in shown for line in text.split("\n"))
    styles = {(line.get_color(), line.is_dashed()) for line in ranker_lines(plot.roc(hostile))}
    assert len(styles) == 12
    assert len({look(place) for place in range(28)}) == 28


def test_names_are_written_as_they_are() -> None:
    assert words.plain("$\\alpha$").replace("\\$", "$") == "$\\alpha$"
    assert words.plain("two\n lines") == "two lines"
    assert words.plain("_x") == " _x"
    assert words.plain("") == "''"
    with matplotlib.rc_context({"text.usetex": True}):
        assert words.plain("5% of a_b") == "5\\% of a\\_b"
    same = words.short_names(["a" * 100, "a" * 99, "b"])
    assert len(set(same.values())) == 3


@pytest.mark.slow
def test_one_ranker_needs_no_second() -> None:
    ev = hc.evaluate(Y, SCORES["sharp"], metrics=METRICS)
    for draw, _ in CURVES.values():
        paint(draw(ev))
    for more in (plot.ap_versus_auc, plot.momentum, plot.rank_weights):
        paint(more(ev))
    paint(plot.intervals(ev, metrics="ap"))


# ---- references


@pytest.mark.parametrize("kind", [kind for kind in CURVES if KINDS[kind].picture.bounded])
def test_what_no_list_can_reach_is_shaded(kind: str) -> None:
    draw, _ = CURVES[kind]
    ax = draw(EV)
    c = EV.tables["sharp"].curve(kind)
    above, below = (art for art in ax.collections if art.get_gid() == sheet.REFERENCE)
    for area, line, side in ((above, c.perfect, np.min), (below, c.worst, np.max)):
        corners = area.get_paths()[0].vertices
        inner = np.unique(corners[:, 0])[1:-1]
        heights = [side(corners[corners[:, 0] == x, 1]) for x in inner]
        wanted = line.at(np.clip(inner, line.x[0], line.x[-1]))
        assert np.allclose(heights, wanted, atol=1e-9)
    assert "unreachable" in labels(ax)


@pytest.mark.parametrize("kind", ["roc", "croc", "proc", "det"])
def test_over_the_false_positive_rate_everything_can_be_reached(kind: str) -> None:
    assert "unreachable" not in labels(CURVES[kind][0](EV))


def test_references_can_be_left_out() -> None:
    ax = plot.accumulation(EV, references=False)
    assert labels(ax) == [label for label in labels(plot.accumulation(EV)) if label.startswith(("sharp", "tied"))]
    assert not ax.collections


def test_several_prevalences_shade_what_none_reaches() -> None:
    tables = {"few": HitTable.from_counts([5, 5], [10, 180]), "many": HitTable.from_counts([50, 50], [20, 80])}
    ev = hc.evaluate(tables=tables, metrics="auac")
    ax = plot.accumulation(ev)
    above = next(art for art in ax.collections if art.get_gid() == sheet.REFERENCE)
    corners = above.get_paths()[0].vertices
    lowest = {float(x): float(corners[corners[:, 0] == x, 1].min()) for x in np.unique(corners[:, 0])}
    few, many = (hc.accumulation_curve(t).perfect for t in tables.values())
    for x, y in list(lowest.items())[1:-1]:
        assert y == pytest.approx(max(few.at(x), many.at(x)), abs=1e-9)


@pytest.mark.parametrize("of", ["rate", "accuracy"])
@pytest.mark.parametrize("more", [{}, {"log_x": True}, {"window": (0, 0.05)}])
def test_isometrics_hold_one_value(of: str, more: dict[str, Any]) -> None:
    ax = plot.roc(EV, isometrics=of, **more)
    pi = EV.tables["sharp"].prevalence
    lines = [line for line in ax.lines if line.get_linewidth() == 0.6]
    values = []
    for line in lines:
        fpr, tpr = path_of(line)
        value = pi * tpr + (1 - pi) * (fpr if of == "rate" else 1 - fpr)
        assert np.ptp(value) < 1e-12
        values.append(float(value[0]))
    assert len(set(values)) == len(values) > 1
    written = {text.get_text() for text in ax.texts}
    assert written <= {f"{value:.3g}" for value in values}
    assert f"equal {of}" in labels(ax)


def test_the_density_is_under_the_axis() -> None:
    ax = plot.rate_recall(EV)
    (strip,) = ax.child_axes
    x, y = path_of(strip.lines[0])
    density = hc.rates.Beta(6.23, 32.8)
    np.testing.assert_allclose(y, density.magnification().derivative(x))
    assert strip.get_xlim() == ax.get_xlim()
    assert strip.texts[0].get_text() == str(density)
    mixture = hc.rates.RateMixture([hc.rates.Uniform(0, 0.5), hc.rates.Point(0.25)], [1, 3])
    (strip,) = plot.rate_recall(EV, density=mixture).child_axes
    assert list(strip.lines[0].get_xdata()) == [0.25, 0.25]
    assert max(strip.lines[1].get_ydata()) == pytest.approx(0.25 * 2)
    assert not plot.rate_recall(hc.evaluate(Y, SCORES, metrics="auc")).child_axes


# ---- bands, intervals, sensitivity


def test_bands_are_those_that_were_given() -> None:
    ax = plot.band({"a": BAND, "b": BAND})
    x, y = path_of(ranker_lines(ax)[0])
    np.testing.assert_array_equal(x, BAND.x)
    np.testing.assert_array_equal(y, BAND.center.y)
    fill = next(art for art in ax.collections if art.get_gid() == sheet.BAND).get_paths()[0].vertices
    for at in BAND.x:
        ends = fill[fill[:, 0] == at, 1]
        assert {BAND.low.at(at), BAND.high.at(at)} <= set(ends.tolist())
    assert labels(ax)[-1] == "95% simultaneous band"
    assert f"95% simultaneous band, {BAND.method}, {BAND.design}" in labels(plot.roc(EV, bands={"sharp": BAND}))


def test_a_band_of_a_magnified_curve_has_the_axis_of_the_curve() -> None:
    ax, of_curve = plot.band(CROC_BAND), plot.croc(EV, 7, bands={"sharp": CROC_BAND})
    assert ax.get_xlabel() == of_curve.get_xlabel()
    texts = [text.get_text() for text in ax.get_xticklabels()]
    for place, text in zip(ax.get_xticks(), texts, strict=True):
        assert place == pytest.approx(float(hc.magnify.Exponential(7)(float(text))))


def test_a_difference_band_marks_what_it_excludes() -> None:
    ax = plot.difference_band(DIFFERENCE, names=("sharp", "tied"))
    marked = [line.get_xdata() for line in ax.lines if line.get_linewidth() == 5]
    assert [tuple(ends) for ends in marked] == DIFFERENCE.excludes()
    x, y = path_of(ranker_lines(ax)[0])
    np.testing.assert_allclose(np.interp(DIFFERENCE.x, x, y), DIFFERENCE.center.y)


def test_intervals_are_those_of_the_estimates() -> None:
    panels = plot.intervals(EV, metrics=["ap", "auc"])
    for panel, metric in zip(axes_of(panels), ("ap", "auc"), strict=True):
        reference, *others = panel.lines
        assert reference.get_xdata()[0] == EV["sharp", metric].random
        bars = [line.get_xdata() for line in others if line.get_gid() is None]
        assert [tuple(bar) for bar in bars] == [tuple(EV[name, metric].confidence_interval()) for name in EV.rankers]
        assert [line.get_xdata()[0] for line in ranker_lines(panel)] == [EV[name, metric].value for name in EV.rankers]
    assert not isinstance(plot.intervals(EV, metrics="ap"), np.ndarray)
    assert isinstance(plot.intervals(EV, metrics=["ap"]), np.ndarray)
    assert isinstance(plot.intervals(hc.evaluate(Y, SCORES, metrics="auc")), np.ndarray)
    assert len(axes_of(plot.intervals(EV))) == len(METRICS)


def test_intervals_of_comparisons() -> None:
    test = EV.compare("sharp", "tied", "auc")
    ax = plot.intervals([test])
    zero, bar, mark = ax.lines
    assert zero.get_xdata()[0] == 0
    assert tuple(bar.get_xdata()) == tuple(test.difference.confidence_interval())
    assert mark.get_xdata()[0] == test.difference.value
    assert ax.get_yticklabels()[0].get_text() == "sharp - tied"


def test_lines_of_equal_momentum_are_those_of_the_model() -> None:
    ax = plot.ap_versus_auc(EV)
    pi = EV.tables["sharp"].prevalence
    points = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ranker_lines(ax)]
    assert points == [(EV[name, "auc"].value, EV[name, "ap"].value) for name in EV.rankers]
    lines = [line for line in ax.lines if line.get_gid() == sheet.REFERENCE]
    betas = [float(text.get_text().removeprefix("β = ")) for text in ax.texts if text.get_text().startswith("β")]
    assert len(lines) == len(betas) > 1
    for line, beta in zip(lines, betas, strict=True):
        auc, ap = path_of(line)
        alpha = (auc - 0.5) * 2 * pi * (1 - pi) / (beta - pi)
        model = [hc.QuasiConcave(min(a, pi / beta), beta, pi).ap for a in alpha]
        np.testing.assert_allclose(ap, model, rtol=1e-9)


def test_momentum_shows_the_fitted_model() -> None:
    hits, plane = plot.momentum(EV)
    dashed = [line for line in hits.lines if line.get_linewidth() == 1.1]
    for line, name, mark in zip(dashed, EV.rankers, ranker_lines(plane), strict=True):
        model = hc.fit_quasi_concave(EV.tables[name])
        x, y = path_of(line)
        np.testing.assert_array_equal(y, model(x))
        assert (mark.get_xdata()[0], mark.get_ydata()[0]) == (model.alpha, model.beta)
    for line, name in zip([one for one in plane.lines if one.get_gid() == sheet.REFERENCE], EV.rankers, strict=True):
        alpha, beta = path_of(line)
        there = np.flatnonzero(np.isfinite(alpha))[::100]
        auc = hc.fit_quasi_concave(EV.tables[name]).auc
        assert [hc.QuasiConcave(alpha[i], beta[i], EV.tables[name].prevalence).auc for i in there] == pytest.approx(
            [auc] * there.size
        )


def test_a_ranker_no_better_than_chance_has_a_picture_of_momentum() -> None:
    ev = hc.evaluate([1, 0, 0, 1, 0, 1] * 10, [0, 1, 0, 1, 2, 2] * 10, metrics="auc")
    assert ev["score", "auc"].value == 0.5
    paint(plot.momentum(ev))


def test_the_prevalence_profile_is_that_of_the_evaluation() -> None:
    grid = [0.02, 0.1, 0.4]
    sensitivity = EV.sensitivity("prevalence", grid)
    ax = plot.prevalence_profile(EV, grid=grid)
    for line, name in zip(ranker_lines(ax), EV.rankers, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), sensitivity.of(name, "ap").value)
    random = next(line for line in ax.lines if line.get_label() == "random")
    np.testing.assert_allclose(random.get_ydata(), grid)
    with pytest.raises(ParameterError, match="no 'auc'"):
        plot.prevalence_profile(EV, "auc", grid=grid)


def test_magnifications_are_drawn_with_their_slopes() -> None:
    f = hc.magnify.Exponential(7)
    map_ax, slope_ax = plot.magnification(f)
    x, y = path_of(map_ax.lines[0])
    np.testing.assert_array_equal(y, f(x))
    np.testing.assert_array_equal(slope_ax.lines[0].get_ydata(), f.derivative(x))
    assert map_ax.lines[1].get_xdata()[0] == f.unit_point()
    paint(
        plot.magnification([hc.magnify.Power(2.3), hc.magnify.Window(0, 0.1), hc.magnify.Custom(lambda x: x * (2 - x))])
    )


def test_weights_average_to_the_metric() -> None:
    ax = plot.rank_weights(EV, metrics=["ap", "auc", "croc(exp, alpha=7)", "cac(exp, alpha=7)"])
    lines = iter(ranker_lines(ax))
    for name, table in EV.tables.items():
        held = table.pos[table.pos > 0]
        for metric in ("ap", "auc", "croc(exp, alpha=7)", "cac(exp, alpha=7)"):
            y = next(lines).get_ydata()
            assert np.average(y, weights=held) == pytest.approx(EV[name, metric].value)
    with pytest.raises(UndefinedMetricError, match="momentum is not a mean over the positives"):
        plot.rank_weights(EV, metrics=["momentum"])


@pytest.mark.parametrize("name", SCORES)
def test_score_distributions_hold_everybody(name: str) -> None:
    ax = plot.score_distribution(Y, SCORES[name])
    negatives, positives = (patch.get_data() for patch in ax.patches)
    assert negatives.values.sum() == pytest.approx(1)
    assert positives.values.sum() == pytest.approx(1)
    np.testing.assert_array_equal(negatives.edges, positives.edges)
    assert labels(ax) == ["360 negatives", "40 positives"]


def test_score_distributions_of_unusual_scores() -> None:
    ax = plot.score_distribution([1, 0, 1, 0], [np.inf, 0.0, 1.0, -np.inf], log_y=True)
    assert [patch.get_data().values.sum() for patch in ax.patches] == [1, 1]
    paint(plot.score_distribution([1, 0], [3.0, 3.0]))
    paint(plot.score_distribution(HitTable.from_scores(Y, SCORES["sharp"])))


# ---- groups


def test_dots_are_groups_and_diamonds_means() -> None:
    ax = plot.groups(BY, "ap", rankers=["tied", "sharp"])
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    bars = [line for line in ax.lines if line.get_marker() == "None"]
    for name, dot, bar, mark in zip(("tied", "sharp"), dots, bars, ranker_lines(ax), strict=True):
        mean = BY.mean(name, "ap")
        assert sorted(dot.get_xdata()) == sorted(mean.values)
        assert mean.n_groups == 8
        assert mark.get_xdata()[0] == mean.value
        assert tuple(bar.get_xdata()) == tuple(mean.confidence_interval())
    assert [text.get_text().splitlines()[0] for text in ax.get_yticklabels()] == ["tied", "sharp"]


def test_dots_of_one_lane_stay_apart() -> None:
    y = np.tile(np.repeat([1, 0], [4, 16]), 60)
    ev = hc.evaluate(y, RNG.normal(size=y.size) + y, by=np.repeat(range(60), 20), metrics="auc")
    ax = plot.groups(ev, "auc")
    (dots,) = (line for line in ax.lines if line.get_marker() == "o")
    x, y = path_of(dots)
    assert np.ptp(y) < 0.6  # within the row
    width = np.ptp(ax.get_xlim())
    assert x.size == 60
    for lane in np.unique(y):
        assert np.min(np.diff(x[y == lane]), initial=1.0) > 0.02 * width


def cells(ax: Any) -> dict[tuple[float, float], str]:
    return {text.get_position(): text.get_text() for text in ax.texts}


def test_a_heatmap_is_of_the_values() -> None:
    ax = plot.heatmap(BY, "ap")
    shown = np.asarray(ax.images[0].get_array())
    values = np.column_stack([BY.values(name, "ap") for name in BY.rankers])
    np.testing.assert_array_equal(shown, values)
    assert [text.get_text() for text in ax.get_yticklabels()] == list(BY.counted)
    assert [text.get_text() for text in ax.get_xticklabels()] == list(BY.rankers)
    assert cells(ax) == {(j, i): rows.number(value, 3) for (i, j), value in np.ndenumerate(values)}
    # the last one has no positives, and counts as 0
    assert BY.counted[-1] == "topic 8"
    assert np.all(shown[-1] == 0)
    by_mean = np.asarray(plot.heatmap(BY, "ap", order="mean").images[0].get_array())
    np.testing.assert_array_equal(by_mean, values[np.argsort(-values.mean(axis=1), kind="stable")])


def test_numbers_are_written_where_they_fit() -> None:
    _, small = pyplot.subplots(figsize=(0.9, 0.9))
    assert not plot.heatmap(BY, "ap", ax=small).texts
    many = hc.evaluate(np.tile([0, 0, 1], 300), np.arange(900.0), by=np.repeat(np.arange(300), 3), metrics="auc")
    ax = plot.heatmap(many, "auc")
    assert not ax.texts
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.get_yticklabels()]
    assert 30 < len(boxes) < 300
    assert all(a.y1 > a.y0 >= b.y1 for a, b in itertools.pairwise(boxes))


@pytest.mark.parametrize("groups", [3, 60])
def test_cells_hold_their_numbers(groups: int) -> None:
    y = np.tile(np.repeat([1, 0], [5, 15]), groups)
    scores = {name: RNG.normal(size=y.size) + y for name in ("first", "a longer name", "third")}
    ev = hc.evaluate(y, scores, by=np.repeat(np.arange(groups), 20), metrics="auc")
    ax = plot.heatmap(ev, "auc")
    ax.figure.canvas.draw()
    assert len(ax.texts) == 3 * groups
    height, width = ax.bbox.height / groups, ax.bbox.width / 3
    for text in ax.texts:
        box = text.get_window_extent()
        assert box.height <= height
        assert box.width <= width


def test_what_is_missing_is_hatched() -> None:
    y, topic = np.array([1, 0, 0, 0] * 3), np.repeat(["a", "b", "c"], 4)
    score = np.where(topic == "b", 0.0, [4, 3, 2, 1] * 3)
    with pytest.warns(hc.errors.HitcurveWarning):
        ev = hc.evaluate(y, score, by=topic, metrics="momentum", undefined="nan")
    values = ev.values("score", "momentum")
    missing = np.flatnonzero(np.isnan(values))
    assert missing.tolist() == [1]
    ax = plot.heatmap(ev, "momentum")
    assert [(cell.get_y() + 0.5, cell.get_hatch()) for cell in ax.patches] == [(1, "////")]
    assert (0, 1) not in cells(ax)


def test_wins_are_those_of_the_comparison() -> None:
    found = BY.compare("sharp", "tied", "ap")
    said = cells(plot.wins(BY, "ap"))
    assert said == {
        (1, 0): f"{found.wins}-{found.ties}-{found.losses}",
        (0, 1): f"{found.losses}-{found.ties}-{found.wins}",
    }
    assert found.wins + found.ties + found.losses == found.n_groups == 8


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["roc", "precision_recall", "accumulation", "lift", "det"])
@pytest.mark.parametrize("along", ["rate", "vertical", "pool"])
def test_an_average_curve_is_drawn_with_its_band(kind: str, along: str) -> None:
    curves = {name: BY.average_curve(name, kind, along) for name in BY.rankers}
    ax = plot.average_curve(curves)
    fills = [art for art in ax.collections if art.get_gid() == sheet.BAND]
    assert len(fills) == (0 if along == "pool" else 2)
    for line, one in zip(ranker_lines(ax), curves.values(), strict=True):
        x, y = path_of(line)
        points = set(zip(x.tolist(), y.tolist(), strict=True))
        seen = (one.x > 0) & (one.x < 1) if kind == "det" else slice(None)
        assert set(zip(one.x[seen].tolist(), one.y[seen].tolist(), strict=True)) <= points
    for fill, one in zip(fills, curves.values(), strict=False):
        corners = {tuple(corner) for corner in fill.get_paths()[0].vertices.tolist()}
        assert set(zip(one.x.tolist(), one.low.tolist(), strict=True)) <= corners
        assert set(zip(one.x.tolist(), one.high.tolist(), strict=True)) <= corners
    shown = labels(ax)
    if kind != "lift":
        assert [text.split("area ")[1] for text in shown[:2]] == [rows.number(c.area()) for c in curves.values()]
    assert ("random" in shown) == (kind in ("roc", "accumulation", "det"))
    assert any("t interval over groups" in text for text in shown) == (along != "pool")
    paint(plot.average_curve(curves["sharp"], log_x=kind != "det", window=(0.01, 0.5)))


@pytest.mark.parametrize("kind", ["lift", "precision_recall", "roc"])
@pytest.mark.parametrize("along", ["rate", "vertical", "pool"])
@pytest.mark.parametrize("log_x", [False, True])
def test_the_picture_of_the_average_of_copies_is_the_curve(kind: str, along: str, log_x: bool) -> None:
    table = hc.HitTable.from_scores([1, 1, 0, 0, 1, 0, 0, 0], [3, 3, 2, 1, 1, 1, 1, 1])
    own = table.curve(kind)
    ax = plot.average_curve(hc.average_curve([table, table], kind, along), log_x=log_x)
    x, y = path_of(ranker_lines(ax)[0])
    if kind != "lift":
        assert labels(ax)[0] == f"area {rows.number(own.area())}"
    places = np.setdiff1d(np.linspace(x.min(), 1, 801)[1:], own.x)
    drawn = np.interp(np.log(places), np.log(x), y) if log_x else np.interp(places, x, y)
    assert np.max(np.abs(drawn - own.at(places))) <= max(1.0, own.y.max()) / 2000


def test_small_multiples_have_a_panel_for_each_group() -> None:
    panels = plot.small_multiples(BY, "roc", metric="auc")
    assert [panel.get_title() for panel in panels] == list(BY)
    for panel, name in zip(panels, BY, strict=True):
        for line, table in zip(ranker_lines(panel), BY[name].tables.values(), strict=True):
            np.testing.assert_array_equal(path_of(line), [hc.roc_curve(table).x, hc.roc_curve(table).y])
        said = [text.get_text() for text in panel.texts]
        assert said == [rows.number(BY[name, ranker, "auc"].value, 3) for ranker in BY.rankers]
        assert panel.get_legend() is None
    (legend,) = panels[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["sharp", "tied", "random"]
    assert [panel.get_ylabel() != "" for panel in panels] == [True, False, False, False] * 1 + [True, False, False]
    lift = plot.small_multiples(BY, "lift", groups=["topic 3", "topic 1"], rankers="tied")
    assert [panel.get_title() for panel in lift] == ["topic 3", "topic 1"]
    assert len({(panel.get_xlim(), panel.get_ylim()) for panel in lift}) == 1
    tallest = max(float(ranker_lines(panel)[0].get_ydata().max()) for panel in lift)
    assert lift[0].get_ylim()[1] >= tallest


def test_one_group_has_pictures() -> None:
    one = hc.evaluate(Y, SCORES, by=np.zeros(Y.size, int), metrics="auc")
    paint(plot.groups(one, "auc"))
    paint(plot.heatmap(one, "auc"))
    paint(plot.small_multiples(one, "accumulation"))
    assert ranker_lines(plot.groups(one, "auc"))[0].get_markerfacecolor() == "none"


# ---- axes


@pytest.mark.slow
@each_picture
def test_axes_go_in_and_come_out(draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(*_: Any, **__: Any) -> None:
        raise AssertionError("a picture was shown")

    monkeypatch.setattr(pyplot, "show", shown)
    settings = dict(matplotlib.rcParams)
    drawn = draw()
    assert dict(matplotlib.rcParams) == settings
    axes = axes_of(drawn)
    figure, given = pyplot.subplots(1, len(axes), squeeze=False)
    given = list(given[0])
    before = len(pyplot.get_fignums())
    again = draw(ax=given if isinstance(drawn, np.ndarray) else given[0])
    assert all(a is b for a, b in zip(axes_of(again), given, strict=True))
    assert len(pyplot.get_fignums()) == before
    figure.canvas.draw()


@each_picture
def test_axes_must_be_axes(draw: Draw) -> None:
    with pytest.raises(ParameterError, match=r"ax must be .*matplotlib axes, got"):
        draw(ax="here")


def test_a_second_call_goes_on() -> None:
    first = hc.evaluate(Y, {"one": SCORES["sharp"]}, metrics="auc")
    second = hc.evaluate(Y, {"two": SCORES["tied"]}, metrics="auc")
    ax = plot.roc(first)
    assert plot.roc(second, ax=ax) is ax
    one, two = ranker_lines(ax)
    assert one.get_color() != two.get_color()
    assert [label.split()[0] for label in labels(ax)] == ["one", "two", "random"]


def test_rankers_can_be_chosen() -> None:
    assert labels(plot.roc(EV, rankers="tied"))[0].startswith("tied")
    assert [label.split()[0] for label in labels(plot.roc(EV, rankers=["tied", "sharp"]))[:2]] == ["tied", "sharp"]


@pytest.mark.slow
def test_legends_have_their_place(hostile: hc.Evaluation) -> None:
    assert plot.roc(EV, legend="none").get_legend() is None
    for ax in (plot.roc(hostile), plot.roc(EV, legend="outside")):
        ax.figure.canvas.draw()
        box = ax.get_legend().get_window_extent()
        assert box.x0 > ax.bbox.x1
        assert box.x1 <= ax.figure.bbox.x1
        assert box.y0 >= 0
    for draw, _ in CURVES.values():
        ax = draw(EV)
        ax.figure.canvas.draw()
        box, frame = ax.get_legend().get_window_extent(), ax.bbox
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert frame.y0 <= box.y0 < box.y1 <= frame.y1


# ---- what is refused


@pytest.mark.parametrize("name", sorted(set(plot.__all__) - {"CurveDisplay", "CurveOptions"}))
def test_what_no_figure_is_made_of_is_refused_by_each_figure(name: str) -> None:
    draw = getattr(plot, name)
    needed = [p.name for p in inspect.signature(draw).parameters.values() if p.default is p.empty and p.kind < 2][1:]
    others = [{"curve": "roc", "first": "sharp", "second": "tied"}.get(other, "ap") for other in needed]
    table = EV.tables["sharp"]
    days = hc.drift({"monday": table, "tuesday": table}, "auc")
    for nothing in (None, 3, object(), "x", [object()], {"a": 3}, *([] if name == "drift" else [days, days.days])):
        with pytest.raises(InputError):
            draw(nothing, *others)
    assert not pyplot.get_fignums()


UNPAIRED = hc.evaluate(
    tables={"few": HitTable.from_counts([5, 5], [10, 180]), "many": HitTable.from_counts([50, 50], [20, 80])},
    metrics=["ap", "auc"],
)
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "no evaluation": (lambda: plot.roc([1, 0]), "a figure needs an Evaluation, got list"),
    "isometrics": (lambda: plot.roc(EV, isometrics="rates"), "did you mean 'rate'"),
    "prevalences": (lambda: plot.roc(UNPAIRED, isometrics="rate"), "isometrics need one prevalence"),
    "prevalences of models": (lambda: plot.ap_versus_auc(UNPAIRED), "lines of equal momentum need one prevalence"),
    "ranker": (lambda: plot.roc(EV, rankers=["sharpe"]), "did you mean 'sharp'"),
    "no ranker": (lambda: plot.roc(EV, rankers=[]), "at least one ranker"),
    "rankers": (lambda: plot.roc(EV, rankers=3), "ranker must be one of 'sharp', 'tied', got '3'"),
    "window": (lambda: plot.roc(EV, window=3), "window must be two numbers, got 3"),
    "turned window": (lambda: plot.roc(EV, window=(0.2, 0.1)), "lower < upper"),
    "empty window": (lambda: plot.roc(EV, window=(0, 1e-9), log_x=True), "does not overlap the curve"),
    "logarithm twice": (lambda: plot.croc(EV, log_x=True), "the axis of a croc curve is"),
    "legend": (lambda: plot.hit(EV, legend="left"), "legend must be one of"),
    "f": (lambda: plot.croc(EV, "exp"), "the map exp needs alpha"),
    "no f": (lambda: plot.cac(EV, []), "got none"),
    "window of a step": (
        lambda: plot.croc(EV, hc.magnify.Step(0.5), window=(0, 0.1)),
        "to a point, so nothing is left",
    ),
    "density": (lambda: plot.rate_recall(EV, density=hc.magnify.Exponential(7)), "density must be a RateDensity"),
    "bands": (lambda: plot.roc(EV, bands=BAND), "bands must map rankers to Band"),
    "band of nobody": (lambda: plot.roc(EV, bands={"x": BAND}), "a ranker of bands must be one of"),
    "band of another curve": (lambda: plot.hit(EV, bands={"sharp": BAND}), "needs bands of hit curves"),
    "no band": (lambda: plot.band(EV), "bands must be a Band"),
    "band of another magnification": (
        lambda: plot.croc(EV, 20, bands={"sharp": CROC_BAND}),
        "needs a band with the same magnification, got Exponential(alpha=7.0)",
    ),
    "mixed magnifications": (
        lambda: plot.band({"a": CROC_BAND, "b": EV.band("sharp", "croc", magnification=hc.magnify.Exponential(20))}),
        "the same magnification",
    ),
    "logarithm of a magnified axis": (lambda: plot.band(CROC_BAND, log_x=True), "log_x"),
    "mixed bands": (lambda: plot.band({"a": BAND, "b": EV.band("sharp")}), "must be of one kind of curve"),
    "difference as a band": (lambda: plot.band(DIFFERENCE), "use difference_band"),
    "band as a difference": (lambda: plot.difference_band(BAND), "the band of a difference, got one of the roc"),
    "names": (lambda: plot.difference_band(DIFFERENCE, names=("a", "a")), "two different names"),
    "no comparison": (lambda: plot.intervals([]), "at least one comparison, got none"),
    "no result": (lambda: plot.intervals(3), "an Evaluation or Comparison values, got int"),
    "two metrics": (
        lambda: plot.intervals([EV.compare("sharp", "tied", m) for m in ("ap", "auc")]),
        "must be of one metric",
    ),
    "too few axes": (
        lambda: plot.magnification(hc.magnify.Identity(), ax=pyplot.subplots()[1]),
        "ax must be 2 matplotlib",
    ),
    "no magnification": (lambda: plot.magnification([]), "at least one Magnification"),
    "table without scores": (
        lambda: plot.score_distribution(HitTable.from_counts([1], [1])),
        "does not contain the scores",
    ),
    "scores alone": (lambda: plot.score_distribution([1, 0]), "give labels and scores"),
    "bins": (lambda: plot.score_distribution([1, 0], [1, 0], bins=0), "bins must be a whole number"),
    "infinite scores": (lambda: plot.score_distribution([1, 0], [np.inf, -np.inf]), "all scores are infinite"),
    "curve": (lambda: plot.CurveDisplay(EV, "rock"), "did you mean 'roc'"),
    "no groups": (lambda: plot.heatmap(EV, "ap"), "evaluate with by=..."),
    "order": (lambda: plot.heatmap(BY, "ap", order="size"), "order must be one of"),
    "metric of groups": (lambda: plot.groups(BY, "ndcg"), "was not evaluated"),
    "ranker of groups": (lambda: plot.groups(BY, "ap", rankers="x"), "ranker must be one of"),
    "wins of one": (lambda: plot.wins(BY, "ap", rankers="tied"), "at least 2 rankers"),
    "no average curve": (lambda: plot.average_curve(BAND), "curves must be an AverageCurve"),
    "mixed averages": (
        lambda: plot.average_curve({"a": BY.average_curve("tied"), "b": BY.average_curve("tied", along="vertical")}),
        "must have one along, got rate and vertical",
    ),
    "curve of small multiples": (lambda: plot.small_multiples(BY, "croc"), "curve must be one of"),
    "group of small multiples": (lambda: plot.small_multiples(BY, groups=["topic 8"]), "it has no positives"),
    "too many panels": (
        lambda: plot.small_multiples(hc.evaluate([0, 0, 1] * 25, range(75), by=np.repeat(range(25), 3), metrics="auc")),
        "at most 24 panels, got 25 groups",
    ),
    "no classifier": (lambda: plot.CurveDisplay.from_estimator(object(), [[1]], [1]), "has no classes_"),
    "no folds": (lambda: plot.CurveDisplay.from_cv_results({}, [[1]], [1]), "return_estimator=True"),
}


@pytest.mark.parametrize(("wrong", "said"), REFUSED.values(), ids=list(REFUSED))
def test_wrong_input_is_refused_in_a_sentence(wrong: Callable[[], Any], said: str) -> None:
    with pytest.raises(HitcurveError) as refusal:
        wrong()
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        plot.roc(EV, colour="red")


def test_weights_of_expected_ties_are_not_known() -> None:
    ev = hc.evaluate(Y, SCORES, metrics="ap(ties=expected)")
    with pytest.raises(UndefinedMetricError, match="not a mean over the positives"):
        plot.rank_weights(ev, metrics=["ap(ties=expected)"])


# ---- scikit-learn


def test_displays_of_predictions() -> None:
    for kind, (_, metric) in CURVES.items():
        if kind != "lift":
            display = plot.CurveDisplay.from_predictions(Y, SCORES["sharp"], curve=kind, name="model")
            e = display.evaluation["model", metric]
            assert labels(display.ax_)[0].startswith(f"model {rows.number(e.value)}")
            assert display.figure_ is display.ax_.figure
    display = plot.CurveDisplay.from_predictions(Y, SCORES["sharp"])
    again = plot.CurveDisplay.from_predictions(Y, SCORES["tied"], name="other", ax=display.ax_)
    assert again.ax_ is display.ax_
    assert len(ranker_lines(display.ax_)) == 2


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_displays_of_estimators_agree_with_scikit_learn(positive: str) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) + Y[:200, None]
    y = np.where(X[:, 0] + rng.normal(size=200) > 0.3, "yes", "no")
    for model in (linear_model.LogisticRegression(), naive_bayes.GaussianNB()):
        model.fit(X, y)
        ours = plot.CurveDisplay.from_estimator(model, X, y, pos_label=positive)
        theirs = metrics.RocCurveDisplay.from_estimator(model, X, y, pos_label=positive, drop_intermediate=False)
        name = type(model).__name__
        assert ours.evaluation[name, "auc"].value == pytest.approx(theirs.roc_auc)
        x, height = path_of(ranker_lines(ours.ax_)[0])
        low, high = (np.interp(theirs.fpr + side * 1e-12, x, height) for side in (-1, 1))
        assert np.all((theirs.tpr >= low - 1e-9) & (theirs.tpr <= high + 1e-9))


def test_displays_of_cross_validation() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    linear_model = pytest.importorskip("sklearn.linear_model")
    metrics = pytest.importorskip("sklearn.metrics")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = pandas.DataFrame(rng.normal(size=(120, 2)) + y[:, None], columns=["a", "b"])
    done = selection.cross_validate(
        linear_model.LogisticRegression(), X, y, cv=3, return_estimator=True, return_indices=True, scoring="roc_auc"
    )
    display = plot.CurveDisplay.from_cv_results(done, X, y)
    values = [display.evaluation[f"fold {fold}", "auc"].value for fold in (1, 2, 3)]
    assert values == pytest.approx(done["test_score"])
    assert len(ranker_lines(display.ax_)) == 3
    assert metrics is not None
    weight = np.linspace(1, 2, 120)
    of_frame = plot.CurveDisplay.from_cv_results(done, X, y, sample_weight=weight).evaluation
    columns = {"a": X["a"].to_numpy(), "b": X["b"].to_numpy()}
    for others in (pandas.DataFrame(columns, index=np.arange(120)[::-1]), pytest.importorskip("polars").DataFrame(X)):
        same = plot.CurveDisplay.from_cv_results(done, others, y.tolist(), sample_weight=weight.tolist()).evaluation
        assert [e.value for e in same] == [e.value for e in of_frame]
    with pytest.raises(ParameterError, match="return_indices=True"):
        plot.CurveDisplay.from_cv_results({"estimator": []}, X, y)


def test_estimators_that_do_not_rank_are_refused() -> None:
    svm = pytest.importorskip("sklearn.linear_model")
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1, 2], 4)
    with pytest.raises(ParameterError, match="has 3 classes"):
        plot.CurveDisplay.from_estimator(svm.LogisticRegression().fit(X, y), X, y)
    model = svm.Perceptron().fit(X[:8], y[:8])
    with pytest.raises(ParameterError, match="Perceptron has no predict_proba"):
        plot.CurveDisplay.from_estimator(model, X[:8], y[:8], response_method="predict_proba")
    with pytest.raises(ParameterError, match="pos_label must be one of the classes"):
        plot.CurveDisplay.from_estimator(model, X[:8], y[:8], pos_label=7)


# ---- what it costs, where it stands


@pytest.mark.slow
def test_the_face_does_not_load_matplotlib() -> None:
    code = (
        "import hitcurve as hc, sys; hc.evaluate; assert 'hitcurve.plot' not in sys.modules\n"
        "hc.plot.roc; assert 'plot' in dir(hc)\n"
        "assert not {'matplotlib', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (plot.roc, plot.momentum):
        with pytest.raises(MissingExtraError, match=r"pip install 'hitcurve\[plot\]'"):
            draw(EV)


def test_every_picture_is_in_the_gallery() -> None:
    page = Path(__file__).parents[1] / "docs" / "gallery.md"
    called = set(re.findall(r"hc\.plot\.(\w+)", page.read_text(encoding="utf-8")))
    assert called == set(plot.__all__) - {"CurveOptions"}
