"""The first screen of the page, and the tables of all pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hitcurve as hc
from hitcurve import rows
from tests.pages import bracket, grouped, opened

pytest.importorskip("vl_convert")
pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")

LEVELS = (0.9, 0.95, 0.99)


def minus(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}")


def test_the_verdict_is_the_test_of_the_leader(browser: Any, whole_page: Path, ev: hc.Evaluation) -> None:
    with opened(browser, whole_page) as seen:
        for m, metric in enumerate(ev.metrics):
            seen.page.locator("#by").select_option(str(m))
            found = ev.compare_all(metric)
            best, *others = found.rankers
            for other in others:
                seen.page.locator("#against").select_option(str(ev.rankers.index(other)))
                c = found[best, other]
                assert c.adjusted is not None
                for place_of_level, level in enumerate(LEVELS):
                    seen.page.locator(f"input[name=level][value='{place_of_level}']").check(force=True)
                    said = seen.text("#verdict")
                    assert best in said
                    assert other in said
                    assert f"The difference is {minus(rows.number(c.difference.value))}, " in said
                    low, high = (minus(rows.number(end, 3)) for end in c.difference.confidence_interval(level))
                    assert f"{100 * level:g}% interval {low} to {high}; p {rows.p_value(c.pvalue, 3)}" in said
                    assert f"adjusted {rows.p_value(c.adjusted, 3).removeprefix('= ')}, " in said
                    assert ("not significant at" in said) == (c.adjusted > 1 - level)
                    assert ("Not significant does not mean equal" in said) == (c.adjusted > 1 - level)
                assert seen.page.locator("#chart-first g.mark-area path").count() == 1
                assert len(seen.path_of("first")) == 3  # the two, and the random baseline
                assert seen.page.locator("#first-legend bdi").all_inner_texts() == [best, other]
        assert seen.said == []


def test_all_pairs_are_a_table_of_any_metric(browser: Any, whole_page: Path, ev: hc.Evaluation) -> None:
    with opened(browser, whole_page) as seen:
        for m, metric in enumerate(ev.metrics):
            seen.page.locator("#by").select_option(str(m))
            found = ev.compare_all(metric)
            # the next best, unless the reader chose another
            assert seen.page.locator("#against").input_value() == str(ev.rankers.index(found.rankers[1]))
            assert seen.text("#comparisons h2") == f"Comparisons by {metric}"
            shown = seen.page.evaluate(
                "() => [...document.querySelectorAll('#comparisons [data-of]:not([hidden]) table.pairs tbody tr')]"
                ".map(row => [...row.cells].map(cell => cell.innerText.trim().replace(/\\s+/g, ' ')))"
            )
            assert [line[:2] for line in shown] == [[c.first, c.second] for c in found]
            for line, c in zip(shown, found, strict=True):
                assert c.adjusted is not None
                interval = minus(bracket(*c.difference.confidence_interval()))
                assert line[2] == f"{minus(rows.number(c.difference.value))} {interval}"
                assert line[3:5] == [rows.p_alone(c.pvalue, 3), rows.p_alone(c.adjusted, 3)]
            letters = seen.page.evaluate(
                "() => [...document.querySelectorAll('#comparisons [data-of]:not([hidden]) table.ranked tbody tr')]"
                ".map(row => [row.cells[0].innerText.trim(), row.cells[2].innerText.trim()])"
            )
            assert found.letters is not None
            assert [tuple(line) for line in letters] == list(found.letters.items())


def test_the_first_screen_holds_verdict_and_chart(browser: Any, whole_page: Path) -> None:
    with opened(browser, whole_page) as seen:
        for there in ("#verdict .verdict:visible", "#chart-first svg", "#by", "#against"):
            box = seen.page.locator(there).first.bounding_box()
            assert box["y"] + box["height"] < 900, there
        # what was evaluated and how is folded below
        assert seen.page.locator("#methods").get_attribute("open") is None
        order = seen.page.evaluate(
            "() => [...document.querySelectorAll('main section, header ~ section')].map(e => e.id)"
        )
        assert order[:3] == ["answer", "numbers", "comparisons"]
        assert order[-1] == "data"


@pytest.mark.usefixtures("coarse_grids")
def test_groups_have_a_verdict_of_means(browser: Any, tmp_path: Path) -> None:
    ev = grouped(8, ("a", "b", "c"), metrics=["ap", "auc"])
    with opened(browser, hc.report(ev, tmp_path / "page.html")) as seen:
        for m, metric in enumerate(ev.metrics):
            seen.page.locator("#by").select_option(str(m))
            c = ev.compare_all(metric)[0]
            assert f"mean {metric}" in seen.text("#verdict")
            assert f"p {rows.p_value(c.pvalue, 3)}" in seen.text("#verdict")
            assert len(seen.path_of("first")) == 3
        assert seen.said == []


@pytest.mark.usefixtures("coarse_grids")
def test_a_baseline_is_second_in_every_pair(browser: Any, tmp_path: Path, ev: hc.Evaluation) -> None:
    path = hc.report(ev, tmp_path / "page.html", baseline=ev.rankers[1])
    with opened(browser, path) as seen:
        said = seen.text("#comparisons")
        assert "The second ranker is the baseline; the others are in the order of their values." in said
        assert "The best ranker comes first" not in said
        seconds = seen.page.locator("#comparisons [data-of]:not([hidden]) table.pairs tbody td:nth-child(2)")
        assert set(seconds.all_inner_texts()) == {ev.rankers[1]}
