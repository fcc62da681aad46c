"""What a browser makes of the page of many groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hitcurve as hc
from hitcurve import rows
from tests.pages import METRICS, ODD, Opened, bracket, coarse, grouped, opened

pytest.importorskip("vl_convert")
pytestmark = [
    pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning"),
    pytest.mark.usefixtures("coarse_grids"),
]
LEVELS = (0.9, 0.95, 0.99)


def numbers(seen: Opened) -> dict[str, list[str]]:
    found = seen.answers("numbers")
    return {name: cells for name, cells in found.items() if cells}


def wanted(ev: hc.Evaluation, level: float) -> dict[str, list[str]]:
    return {
        name: [
            f"{rows.number(ev[name, m].value)} {bracket(*ev[name, m].confidence_interval(level))}" for m in ev.metrics
        ]
        for name in ev.rankers
    }


def column(seen: Opened, place: int) -> list[str]:
    texts: list[str] = seen.page.evaluate(
        "place => [...document.querySelectorAll('#table-groups tbody tr')].map(row => row.cells[place].textContent)",
        place,
    )
    return texts


@pytest.fixture(scope="module")
def thirty(tmp_path_factory: pytest.TempPathFactory) -> tuple[hc.GroupedEvaluation, Path]:
    ev = grouped(30)
    with coarse():
        return ev, hc.report(ev, tmp_path_factory.mktemp("groups") / "page.html", "Thirty topics")


def test_the_numbers_of_each_group_are_pythons(browser: Any, thirty: tuple[hc.GroupedEvaluation, Path]) -> None:
    ev, path = thirty
    with opened(browser, path) as seen:
        assert (seen.said, seen.asked) == ([], [path.as_uri()])
        for place, name in ((0, "topic 1"), (7, list(ev)[7]), (29, list(ev)[29])):
            seen.page.locator("#group").select_option(str(place))
            assert seen.text("#h-one") == f"One group: {name}"
            for i, level in enumerate(LEVELS):
                seen.page.locator(f"input[name=level][value='{i}']").check(force=True)
                assert numbers(seen) == wanted(ev[name], level)
        assert seen.text("#group-says") == "60 subjects, 6 of them positive"
        assert seen.said == []


def test_the_selector(browser: Any, thirty: tuple[hc.GroupedEvaluation, Path]) -> None:
    ev, path = thirty
    names = list(ev)
    with opened(browser, path) as seen:
        assert seen.page.locator("#group option").all_inner_texts() == names
        assert seen.page.locator("#previous").is_disabled()
        curves = {chart: seen.path_of(chart) for chart in ("hits", "roc", "pr")}
        averages = {chart: seen.path_of(chart) for chart in ("average-hits", "average-roc")}
        assert all(curves.values())
        assert all(averages.values())
        seen.page.locator("#next").click()
        assert seen.text("#h-one") == f"One group: {names[1]}"
        assert all(seen.path_of(chart) != before for chart, before in curves.items())
        assert all(seen.path_of(chart) == before for chart, before in averages.items())
        seen.page.locator("#previous").click()
        assert {chart: seen.path_of(chart) for chart in curves} == curves
        # a name in the table, wherever it was sorted to
        seen.page.locator("#table-groups thead button").nth(3).click()
        row = seen.page.locator("#table-groups tbody tr").nth(4)
        name = row.locator("bdi").inner_text()
        row.locator("button.group").click()
        assert seen.page.locator("#group option:checked").inner_text() == name
        assert numbers(seen) == wanted(ev[name], 0.95)
        assert seen.page.locator("tr.chosen").inner_text().startswith(name)
        seen.page.locator("#group").select_option("29")
        assert seen.page.locator("#next").is_disabled()
        # on logarithmic axes too
        for chart in ("hits", "roc", "pr", "average-hits", "average-roc"):
            linear = seen.path_of(chart)
            seen.page.locator(f"input.log[value={chart}]").check()
            seen.page.wait_for_function(
                "id => document.querySelector(`#chart-${id} svg`).textContent.includes('logarithmic')", arg=chart
            )
            assert len(seen.path_of(chart)) >= 3
            assert seen.path_of(chart) != linear
        assert seen.said == []


def test_the_table_of_groups(browser: Any, thirty: tuple[hc.GroupedEvaluation, Path]) -> None:
    ev, path = thirty
    with opened(browser, path) as seen:
        heads = seen.page.locator("#table-groups thead button")
        for i, metric in enumerate(ev.metrics):
            seen.page.locator("#metric").select_option(str(i))
            of_name = {name: [rows.number(ev[name, ranker, metric].value) for ranker in ev.rankers] for name in ev}
            shown = zip(column(seen, 0), column(seen, 3), column(seen, 4), strict=True)
            assert {name: [a, b] for name, a, b in shown} == of_name
            for place in (3, 4):
                heads.nth(place).click()
                falling = [float(text) for text in column(seen, place)]
                assert falling == sorted(falling, reverse=True)
                heads.nth(place).click()
                rising = [float(text) for text in column(seen, place)]
                assert rising == sorted(rising)
        heads.nth(0).click()
        assert column(seen, 0)[:3] == ["topic 1", "topic 2", "topic 3"]
        order = seen.page.locator("#table-numbers thead button")
        order.nth(1).click()
        best = max(ev.rankers, key=lambda name: ev.mean(name, ev.metrics[0]).value)
        assert seen.page.locator("#table-numbers tbody th").first.inner_text() == best


def test_three_groups_have_all_controls(browser: Any, tmp_path: Path) -> None:
    ev = grouped(3, positives=20, subjects=200)
    path = hc.report(ev, tmp_path / "page.html")
    charts = ("hits", "roc", "croc", "pr", "alpha", "prevalence", "budget", "time", "average-hits", "average-roc")
    with opened(browser, path) as seen:
        assert seen.said == []
        assert all(seen.path_of(chart) for chart in charts)
        assert float(seen.page.locator("#alpha-typed").input_value()) > 1
        seen.slide("alpha", 0)
        seen.slide("budget", 4)
        k = int(seen.page.locator("#budget-typed").input_value())
        for place, name in enumerate(ev):
            seen.page.locator("#group").select_option(str(place))
            one = ev[name]
            # what was asked of one group is asked of the next
            assert seen.page.locator("#alpha-typed").input_value() == "1"
            assert seen.page.locator("#budget-typed").input_value() == str(k)
            metric = hc.metrics.CROC(hc.magnify.Exponential(1))
            for ranker, cells in seen.answers("alpha").items():
                e = hc.Estimate(ranker, metric, float(metric.value(one.tables[ranker])), one.tables[ranker])
                assert cells == [f"{rows.number(e.value)} {bracket(*e.confidence_interval())}"]
            recall = hc.metrics.RecallAt(k)
            for ranker, cells in seen.answers("budget").items():
                assert cells[2].startswith(rows.number(recall.value(one.tables[ranker])))
            assert list(seen.answers("cut")) == list(ev.rankers)
        seen.page.locator("button.ranker").first.click()
        for table in ("numbers", "cut", "alpha", "precision", "budget", "rate"):
            assert ev.rankers[0] not in seen.answers(table)
        assert len(seen.path_of("average-roc")) == 2  # a ranker and the diagonal
        assert seen.said == []


@pytest.mark.parametrize(("width", "rankers"), [(390, len(ODD)), (1280, 2)])
def test_odd_names_of_groups(browser: Any, tmp_path: Path, width: int, rankers: int) -> None:
    path = hc.report(grouped(ODD, ODD[:rankers]), tmp_path / "odd.html", "<img src=x onerror=alert(1)>")
    with opened(browser, path, viewport={"width": width, "height": 844}) as seen:
        assert (seen.said, seen.dialogs, seen.asked) == ([], [], [path.as_uri()])
        assert seen.page.locator("img").count() == 0
        assert sorted(column(seen, 0)) == sorted(map(rows.visible, ODD))
        for place in range(len(ODD)):
            seen.page.locator("#group").select_option(str(place))
            name = column(seen, 0)[place]
            short = name if len(name) <= 60 else name[:57] + "..."
            assert seen.page.locator("#h-one bdi").text_content() == seen.page.evaluate(
                "place => document.querySelectorAll('#group option')[place].textContent", place
            )
            assert seen.page.locator("#h-one bdi").text_content() == short
        seen.page.locator("#table-groups thead button").nth(3).click()
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert (seen.said, seen.dialogs) == ([], [])


@pytest.mark.parametrize(
    ("groups", "rankers", "said"),
    [
        (1, 2, "No interval: an interval of a mean needs at least 2 groups."),
        (1, 1, "There is only one ranker"),
        (60, 4, "at most 24 curves (groups times rankers). This report has 240"),
        (84, 12, "at most 1,000. Here they are 1,008"),
    ],
)
def test_few_and_many_groups(browser: Any, tmp_path: Path, groups: int, rankers: int, said: str) -> None:
    chosen = METRICS if groups < 60 else METRICS[:2]  # of many groups intervals take their time
    ev = grouped(groups, tuple(f"ranker {i}" for i in range(rankers)), metrics=chosen)
    path = hc.report(ev, tmp_path / "page.html")
    with opened(browser, path, viewport={"width": 390, "height": 844}) as seen:
        assert said in seen.text("body")
        assert len(column(seen, 0)) == groups
        seen.page.locator("#metric").select_option("1")
        assert column(seen, 3) == [rows.number(value) for value in ev.values("ranker 0", "auc")]
        if groups * rankers <= 1000:
            seen.page.locator("#group").select_option(str(groups - 1))
            assert numbers(seen)["ranker 0"] == wanted(ev[list(ev)[-1]], 0.95)["ranker 0"]
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert seen.said == []


def test_keyboard_dark_and_print(browser: Any, thirty: tuple[hc.GroupedEvaluation, Path]) -> None:
    ev, path = thirty
    with opened(browser, path, color_scheme="dark") as seen:
        selector = seen.page.locator("#group")
        selector.focus()
        selector.press("ArrowDown")
        assert seen.text("#h-one") == f"One group: {list(ev)[1]}"
        button = seen.page.locator("button.group").nth(5)
        button.focus()
        button.press("Enter")
        assert seen.text("#h-one") == f"One group: {list(ev)[5]}"
        assert seen.page.evaluate("document.activeElement.id") == "group"
        names = seen.page.evaluate(
            "() => [...document.querySelectorAll('button, input, select')].map(e => e.textContent.trim()"
            " || e.ariaLabel || [...(e.labels ?? [])].map(label => label.textContent.trim()).join(' '))"
        )
        assert all(names)
        described = seen.page.evaluate("() => [...document.querySelectorAll('.plot')].map(e => e.ariaLabel)")
        assert all(text and len(text) > 20 for text in described)
        # numbers on shaded cells can be read, in the dark too: contrast of 4.5 and more
        for scheme in ("dark", "light"):
            seen.page.emulate_media(color_scheme=scheme)
            assert min(contrasts(seen)) >= 4.5
        seen.page.emulate_media(media="print")
        for hidden in ("#next", "#theme"):
            assert not seen.page.locator(hidden).is_visible()
        for there in ("#table-groups", "#chart-average-roc svg", "#chart-roc svg", "#answers-numbers"):
            assert seen.page.locator(there).is_visible()
        # all rows are printed
        box, table = (seen.page.locator(one).bounding_box() for one in ("#groups .tall", "#table-groups"))
        assert box["height"] >= table["height"]
        assert len(seen.page.pdf(format="A4")) > 20_000


def contrasts(seen: Opened) -> list[float]:
    """Return the contrast of text and ground in each cell of the table of groups (WCAG 2)."""
    found: list[float] = seen.page.evaluate(
        """() => {
          const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
          const light = (...colours) => {
            context.clearRect(0, 0, 1, 1);
            for (const one of colours) { context.fillStyle = one; context.fillRect(0, 0, 1, 1); }
            const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
              .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const paper = getComputedStyle(document.body).backgroundColor;
          return [...document.querySelectorAll("#table-groups td[class^=s]")].map((cell) => {
            const style = getComputedStyle(cell), both = [light(style.color), light(paper, style.backgroundColor)];
            return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
          });
        }"""
    )
    return found
