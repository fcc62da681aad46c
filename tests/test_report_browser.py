"""What a browser makes of the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.datasets import mammography
from hitcurve.evaluation.sensitivities.sensitivity_grids import default_grid
from tests.pages import NAMES, ODD, Opened, bracket, coarse, evaluation, normal_scores, opened

pytest.importorskip("vl_convert")
pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")


def test_it_opens_without_a_word_and_asks_nobody(browser: Any, whole_page: Path) -> None:
    with opened(browser, whole_page) as seen:
        assert seen.said == []
        assert seen.asked == [whole_page.as_uri()]
        assert seen.page.title() == "Three rankers"
        assert seen.page.locator(".plot svg").count() == 9
        assert all(
            seen.path_of(chart)
            for chart in ("first", "hits", "roc", "croc", "pr", "alpha", "prevalence", "budget", "time")
        )


def estimated(ev: hc.Evaluation, name: str, metric: hc.Metric, level: float, prevalence: float | None = None) -> str:
    table, design = ev.tables[name], ev.design
    if prevalence is not None:
        table, design = table.at_prevalence(prevalence), "case-control"
    e = hc.Estimate(name, metric, float(metric.value(table)), table, design, level)
    return f"{rows.number(e.value)} {bracket(*e.confidence_interval())}"


LEVELS = (0.9, 0.95, 0.99)
MINUS = "\N{MINUS SIGN}"


def each_level(seen: Opened, check: Callable[[float], None]) -> None:
    for place, level in enumerate(LEVELS):
        seen.page.locator(f"input[name=level][value='{place}']").check(force=True)
        check(level)


def test_magnification_is_pythons(browser: Any, whole_page: Path, ev: hc.Evaluation) -> None:
    grid = default_grid("alpha", ev.tables)
    with opened(browser, whole_page) as seen:
        assert seen.page.locator("#alpha-typed").input_value() == "7"
        for place in (0, grid.index(20.0), len(grid) - 1):
            before = [seen.path_of(chart) for chart in ("croc", "roc")]
            seen.slide("alpha", place)
            after = [seen.path_of(chart) for chart in ("croc", "roc")]
            assert before[0] != after[0]
            assert before[1] == after[1]
            metric = hc.metrics.CROC(hc.magnify.Exponential(grid[place]))

            def check(level: float, metric: hc.Metric = metric) -> None:
                assert seen.answers("alpha") == {name: [estimated(ev, name, metric, level)] for name in NAMES}

            each_level(seen, check)
        # what is typed snaps, and the page says so
        seen.type("#alpha-typed", "21")
        nearest = min(grid, key=lambda alpha: abs(np.log(alpha / 21)))
        assert seen.page.locator("#alpha-typed").input_value() == rows.short(nearest, 3)
        assert seen.text("#alpha-says").startswith(f"{rows.short(nearest, 3)} is the nearest value on the grid: ")
        seen.type("#alpha-typed", "-3")
        assert seen.page.locator("#alpha-typed").input_value() == rows.short(nearest, 3)
        assert seen.said == []


def test_prevalence_is_pythons(browser: Any, whole_page: Path, ev: hc.Evaluation) -> None:
    grid = default_grid("prevalence", ev.tables)
    metrics = [hc.metric(text) for text in ("ap", "precision@1%", "precision@10%")]
    with opened(browser, whole_page) as seen:
        assert seen.page.locator("#precision-typed").input_value() == "4"
        for prevalence in (0.04, 0.1, 0.5):
            before = seen.path_of("pr")
            seen.type("#precision-typed", rows.short(100 * prevalence))
            assert (before != seen.path_of("pr")) == (prevalence != 0.04)

            def check(level: float, prevalence: float = prevalence) -> None:
                # at the prevalence of the evaluation the numbers are those of the results
                known = None if prevalence == 0.04 else prevalence
                wanted = {name: [estimated(ev, name, m, level, known) for m in metrics] for name in NAMES}
                assert seen.answers("precision") == wanted

            each_level(seen, check)
        # so rare that the data say nothing
        seen.slide("precision", 0)
        assert "no interval" in seen.answers("precision")["trees"][0]
        assert "the sample lacks the false positives that determine precision" in seen.text("#why-precision")
        assert grid[0] < 0.0002


def test_budget_is_pythons(browser: Any, whole_page: Path, ev: hc.Evaluation) -> None:
    with opened(browser, whole_page) as seen:
        for k in (1, 15, 100, 1500):
            seen.type("#budget-typed", str(k))
            assert seen.text("#budget-says") == f"the first {k:,} of 1,500, {rows.short(k / 15, 3)}% of the list"

            def check(level: float, k: int = k) -> None:
                for name, cells in seen.answers("budget").items():
                    wanted = [
                        estimated(ev, name, kind(k), level)
                        for kind in (hc.metrics.PrecisionAt, hc.metrics.RecallAt, hc.metrics.EnrichmentFactor)
                    ]
                    assert cells[1:] == wanted
                    hits = hc.metrics.HitsAt(k)
                    low, high = hc.Estimate(
                        name, hits, hits.value(ev.tables[name]), ev.tables[name], ev.design, level
                    ).confidence_interval()
                    ends = f"[{rows.short(low, 3)}, {rows.short(high, 3)}]"
                    assert cells[0] == f"{rows.short(hits.value(ev.tables[name]))} {ends}"

            each_level(seen, check)
        drawn = seen.path_of("budget")
        seen.page.get_by_role("radio", name="Precision").click()
        assert seen.path_of("budget") != drawn
        assert seen.text("#budget figcaption").startswith("Precision by number of subjects screened")


def test_time_is_pythons(browser: Any, whole_page: Path, ev: hc.Evaluation) -> None:
    grid = default_grid("rate", ev.tables)
    ends = sorted({end for pair in grid for end in pair})
    with opened(browser, whole_page) as seen:
        for minutes, fast, slow in ((75, 1, 3), (600, 0.8, 2)):
            for name, value in (("minutes", minutes), ("fast", fast), ("slow", slow)):
                seen.type(f"#{name}", str(value))
            low, high = (
                min(ends, key=lambda end: abs(np.log(end / wanted)))
                for wanted in (minutes / (1500 * slow), minutes / (1500 * fast))
            )
            assert (
                f"the nearest values on the grid, {rows.short(100 * low, 3)}% to {rows.short(100 * high, 3)}%."
                in seen.text("#rate-says")
            )
            density = hc.rates.Beta.from_quantiles(low, high)

            def check(level: float, density: hc.rates.Beta = density) -> None:
                for name, cells in seen.answers("rate").items():
                    recall = hc.metrics.ExpectedRecall(density)
                    wanted = [estimated(ev, name, m, level) for m in (hc.metrics.RateWeightedAUC(density), recall)]
                    assert cells[:2] == wanted
                    e = hc.Estimate(name, recall, recall.value(ev.tables[name]), ev.tables[name], ev.design, level)
                    interval = e.confidence_interval()
                    assert cells[2] == f"{rows.number(60 * e.value)} {bracket(60 * interval.low, 60 * interval.high)}"

            each_level(seen, check)
        seen.type("#minutes", "100000")
        assert "may suffice for the whole list" in seen.text("#rate-says")
        assert seen.answers("rate")["trees"] == ["none", "none", "none"]
        seen.type("#slow", "0.5")
        assert "Give the shorter time per subject before the longer time." in seen.text("#rate-says")
        assert seen.said == []


def test_levels_change_table_comparisons_and_bands(browser: Any, whole_page: Path, ev: hc.Evaluation) -> None:
    with opened(browser, whole_page) as seen:
        found = ev.compare_all(ev.metrics[0])
        band = "() => document.querySelector('#chart-roc g.mark-area path').getAttribute('d')"
        before = seen.page.evaluate(band)

        def check(level: float) -> None:
            shown = seen.text("#numbers")
            for e in ev:
                assert bracket(*e.confidence_interval(level)) in shown
            assert f"{100 * level:g}% interval" in seen.text("#verdict")
            for c in found:
                assert bracket(*c.difference.confidence_interval(level)).replace("-", MINUS) in seen.text(
                    "#comparisons"
                )
            assert shown.count("[") == len(ev)

        each_level(seen, check)
        assert seen.page.evaluate(band) != before
        seen.page.locator("#bands").select_option("none")
        assert seen.page.locator("#chart-roc g.mark-area path").count() == 0
        seen.page.locator("#bands").select_option("all")
        assert seen.page.locator("#chart-roc g.mark-area path").count() == 3


def test_pointing_at_a_curve_links_them_all(browser: Any, whole_page: Path, ev: hc.Evaluation) -> None:
    with opened(browser, whole_page) as seen:
        for chart in ("roc", "hits", "croc", "pr"):
            plot = seen.page.locator(f"#chart-{chart} svg")
            plot.scroll_into_view_if_needed()
            box = plot.bounding_box()
            for share in (0.3, 0.6):
                seen.page.mouse.move(box["x"] + share * box["width"], box["y"] + 0.4 * box["height"])
            tip = seen.page.locator("#tip")
            assert tip.is_visible()
            name = tip.locator("b").inner_text()
            terms, texts = tip.locator("dt").all_inner_texts(), tip.locator("dd").all_inner_texts()
            said = dict(zip(terms, texts, strict=True))
            assert list(said) == [
                "threshold",
                "screened",
                "found",
                "false positives",
                "precision",
                "recall",
                "FPR",
                "rate",
                "lift",
            ]
            cut = ev.tables[name].confusion(k=int(said["screened"].replace(",", "")))
            assert int(said["found"]) == round(cut.tp)
            assert said["precision"] == rows.number(cut.precision)
            assert said["recall"] == rows.number(cut.sensitivity)
            assert said["FPR"] == rows.number(cut.false_positive_rate)
            assert said["lift"] == rows.number(cut.lift)
            assert seen.answers("cut")[name] == texts
            for other in ("hits", "roc", "croc", "pr"):
                assert seen.page.locator(f"#chart-{other} g.mark-symbol path").count() == 3
        seen.page.mouse.move(5, 5)
        assert not seen.page.locator("#tip").is_visible()
        assert seen.said == []


def test_it_works_by_keyboard(browser: Any, whole_page: Path) -> None:
    with opened(browser, whole_page) as seen:
        before = seen.answers("cut")
        slider = seen.page.locator("#cut-slider")
        slider.focus()
        slider.press("ArrowRight")
        assert seen.answers("cut") != before
        assert "by trees" in (slider.get_attribute("aria-valuetext") or "")
        alpha = seen.page.locator("#alpha-slider")
        alpha.focus()
        alpha.press("Home")
        assert seen.page.locator("#alpha-typed").input_value() == "1"
        seen.page.locator("input[name=level]:checked").focus()
        seen.page.keyboard.press("ArrowRight")
        assert seen.page.locator("main").get_attribute("data-level") == "2"
        chosen = seen.page.locator("#measures [aria-checked=true]")
        chosen.focus()
        chosen.press("ArrowRight")
        assert seen.text("#budget figcaption").startswith("Enrichment factor")
        # what can be pressed can be reached, and has a name
        names = seen.page.evaluate(
            "() => [...document.querySelectorAll('button, input, select')].map(e => e.textContent.trim()"
            " || e.ariaLabel || [...(e.labels ?? [])].map(label => label.textContent.trim()).join(' '))"
        )
        assert all(names)
        described = seen.page.evaluate("() => [...document.querySelectorAll('.plot')].map(e => e.ariaLabel)")
        assert len(described) == 9
        assert all(text and len(text) > 20 for text in described)
        assert "trees finds " in described[1]


def test_sorting(browser: Any, whole_page: Path, ev: hc.Evaluation) -> None:
    with opened(browser, whole_page) as seen:
        heads = seen.page.locator("#table-numbers thead button")
        for column, metric in enumerate(ev.metrics, start=1):
            values = {name: ev[name, metric].value for name in NAMES}
            for click, falling in ((1, True), (2, False)):
                heads.nth(column).click()
                order = seen.page.locator("#table-numbers tbody th").all_inner_texts()
                assert sorted(order, key=lambda name: values[name], reverse=falling) == order, (metric, click)
                sort = seen.page.locator("#table-numbers thead th").nth(column).get_attribute("aria-sort")
                assert sort == ("descending" if falling else "ascending")
        heads.nth(0).click()
        assert seen.page.locator("#table-numbers tbody th").all_inner_texts() == sorted(NAMES)


def test_rankers_can_be_hidden(browser: Any, whole_page: Path) -> None:
    with opened(browser, whole_page) as seen:
        button = seen.page.locator("button.ranker").first
        button.click()
        assert button.get_attribute("aria-pressed") == "false"
        assert list(seen.answers("cut")) == ["model", "rule"]
        assert len(seen.path_of("roc")) == 3  # two rankers and the diagonal
        for other in (1, 2):
            seen.page.locator("button.ranker").nth(other).click()
        assert seen.answers("alpha") == {}
        button.click()
        assert list(seen.answers("rate")) == ["trees"]
        assert seen.said == []


def test_pointing_at_a_name_shows_its_lines_alone(browser: Any, whole_page: Path) -> None:
    faded = (
        "() => [...new Set([...document.querySelectorAll('#chart-roc .faded')].map(e => e.getAttribute('stroke')))]"
        ".filter(Boolean).sort()"
    )
    with opened(browser, whole_page) as seen:
        button = seen.page.locator("button.ranker").nth(1)
        button.hover()
        assert seen.page.evaluate(faded) == ["var(--ranker-0)", "var(--ranker-2)"]
        seen.page.locator("#table-numbers tbody tr").first.hover()
        assert seen.page.evaluate(faded) == ["var(--ranker-1)", "var(--ranker-2)"]
        seen.page.mouse.move(5, 5)
        assert seen.page.evaluate(faded) == []
        button.focus()
        assert seen.page.evaluate(faded) == ["var(--ranker-0)", "var(--ranker-2)"]
        # one that is hidden is not shown alone
        button.press("Enter")
        assert seen.page.evaluate(faded) == []
        assert seen.said == []


@pytest.mark.parametrize("chart", ["hits", "roc", "pr", "first"])
def test_a_logarithmic_axis(browser: Any, whole_page: Path, ev: hc.Evaluation, chart: str) -> None:
    titled = "([id, log]) => document.querySelector(`#chart-${id} svg`).textContent.includes('logarithmic') === log"
    with opened(browser, whole_page) as seen:
        linear = seen.path_of(chart)
        switch = seen.page.locator(f"input.log[value={chart}]")
        switch.check()
        seen.page.wait_for_function(titled, arg=[chart, True])
        logarithmic = seen.path_of(chart)
        assert logarithmic != linear
        # every line begins at the end of the axis
        assert all(path.startswith("M0,") for path in logarithmic[1:])
        assert seen.page.locator(f"#chart-{chart} g.mark-area path").count() >= 1
        switch.uncheck()
        seen.page.wait_for_function(titled, arg=[chart, False])
        assert seen.path_of(chart) == linear
        assert seen.said == []


def test_the_first_chart_enlarges_the_top_by_itself(browser: Any, whole_page: Path, ev: hc.Evaluation) -> None:
    with opened(browser, whole_page) as seen:
        switch = seen.page.locator("input.log[value=first]")
        for m, metric in enumerate(ev.metrics):
            seen.page.locator("#by").select_option(str(m))
            assert switch.is_checked() == (str(metric) not in ("ap", "auc"))
        # what the reader says holds for every metric
        switch.uncheck()
        for m, _ in enumerate(ev.metrics):
            seen.page.locator("#by").select_option(str(m))
            assert not switch.is_checked()
        assert seen.said == []


def brightness(seen: Opened, what: str = "background-color") -> float:
    colour = seen.page.evaluate("what => getComputedStyle(document.body).getPropertyValue(what)", what)
    return float(np.mean([int(part) for part in re.findall(r"\d+", colour)[:3]]))


def test_dark_and_light(browser: Any, whole_page: Path) -> None:
    with opened(browser, whole_page) as seen:
        assert brightness(seen) > 240
        seen.page.locator("#theme").click()
        assert brightness(seen) < 40
        assert brightness(seen, "color") > 200
    with opened(browser, whole_page, color_scheme="dark") as seen:
        assert brightness(seen) < 40
        line = "() => getComputedStyle(document.querySelector('#chart-roc g.mark-line path[stroke*=ranker]')).stroke"
        dark = seen.page.evaluate(line)
        seen.page.locator("#theme").click()
        assert brightness(seen) > 240
        assert seen.page.evaluate(line) != dark


def test_print(browser: Any, whole_page: Path) -> None:
    with opened(browser, whole_page, color_scheme="dark") as seen:
        seen.slide("alpha", 0)
        seen.page.emulate_media(media="print")
        assert brightness(seen) > 240
        for hidden in ("#theme", "#print", "#alpha-slider", "label.bands"):
            assert not seen.page.locator(hidden).is_visible(), hidden
        for there in ("#alpha-typed", "#alpha-says", "#table-numbers", "#chart-roc svg", "#data"):
            assert seen.page.locator(there).is_visible(), there
        assert len(seen.page.pdf(format="A4")) > 20_000


@pytest.mark.parametrize("width", [390, 1280])
def test_widths(browser: Any, whole_page: Path, width: int) -> None:
    with opened(browser, whole_page, viewport={"width": width, "height": 844}) as seen:
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        boxes = [box.bounding_box() for box in seen.page.locator(".plot svg").all()]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= width + 1 for box in boxes)
        assert all(box["width"] > 280 for box in boxes)
        below = boxes[2]["y"] > boxes[1]["y"] + 100
        assert below == (width == 390)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with coarse():
        place = tmp_path_factory.mktemp("odd") / "odd.html"
        return hc.report(evaluation(ODD, 40, 500), place, "<img src=x onerror=alert(1)> \"'")


@pytest.mark.parametrize("width", [390, 1280])
def test_odd_names(browser: Any, odd: Path, width: int) -> None:
    with opened(browser, odd, viewport={"width": width, "height": 844}) as seen:
        assert (seen.said, seen.dialogs, seen.asked) == ([], [], [odd.as_uri()])
        assert seen.page.title() == "<img src=x onerror=alert(1)> \"'"
        assert seen.page.locator("img").count() == 0
        named = seen.page.evaluate(
            "() => [...document.querySelectorAll('#table-numbers tbody bdi')].map(e => e.textContent)"
        )
        # control characters and those that turn a line around are shown, not obeyed
        shown = [rows.visible(name) for name in ODD]
        assert named == shown
        for table in ("cut", "alpha", "precision", "budget", "rate"):
            assert list(seen.answers(table)) == shown
        # names are in full, and no button is scrolled away
        cut = "e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1"
        whole = "e => [e, e.parentElement, e.closest('.rankers') ?? e]"
        assert (
            seen.page.evaluate(
                f"() => [...document.querySelectorAll('.ranker bdi, .name bdi')].flatMap({whole})"
                f".filter(e => getComputedStyle(e).overflow !== 'visible' && ({cut})(e)).length"
            )
            == 0
        )
        box = seen.page.locator("#chart-roc svg").bounding_box()
        seen.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
        seen.page.locator("#table-numbers thead button").nth(1).click()
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert (seen.said, seen.dialogs) == ([], [])
        firsts = [
            text.strip()
            for text in seen.page.locator("#comparisons [data-of]:not([hidden]) table.ranked bdi").all_inner_texts()
        ]
        assert len(firsts) == len(ODD)


@pytest.mark.usefixtures("coarse_grids")
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: evaluation(("only",), 40, 500), "There is only one ranker"),
        (lambda: evaluation(("a", "b"), 3, 60), "No band for a, b: 3 positives are too few"),
        (lambda: hc.evaluate(tables=mammography(), metrics=["ap", "auc"]), "test of two samples"),
        (
            lambda: hc.evaluate(*normal_scores(("a", "b"), 30, 400), metrics="ap", prevalence=0.01),
            "at the known prevalence 1%",
        ),
        (
            lambda: hc.evaluate(*normal_scores(("a", "b"), 30, 400), metrics="ap", clusters=np.arange(400) % 40),
            "subjects within clusters are dependent",
        ),
        (
            lambda: hc.evaluate(*normal_scores(("a",), 30, 400), metrics="ap", sample_weight=np.linspace(1, 2, 400)),
            "No band for a: bands need whole subjects",
        ),
        (
            lambda: hc.evaluate(
                tables={"a": hc.HitTable.from_ranks([1, 4, 9], 90), "b": hc.HitTable.from_ranks(range(2, 30), 200)},
                metrics="ap",
            ),
            "2 rankers of 90 to 200 subjects",
        ),
        (lambda: hc.evaluate([1, 0], {"a": [2, 1], "b": [1, 2]}, metrics="auc"), "too few"),
    ],
)
def test_other_evaluations_open_too(browser: Any, tmp_path: Path, make: Callable[[], hc.Evaluation], said: str) -> None:
    path = hc.report(make(), tmp_path / "page.html")
    with opened(browser, path) as seen:
        assert seen.said == []
        assert said in (seen.page.locator("body").text_content() or "")  # data and methods are folded
        for control in ("alpha", "precision", "budget"):
            seen.slide(control, 0)
        assert seen.said == []
