"""What the reader chose is in the address, and a link opens the page as it was left."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

import hitcurve as hc
from tests.pages import ODD, Opened, coarse, evaluation, grouped, opened

pytest.importorskip("vl_convert")
pytestmark = [
    pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning"),
    pytest.mark.usefixtures("coarse_grids"),
]

STATE = """() => JSON.stringify({
  values: [...document.querySelectorAll("select, input")].map((e) => (
    ["radio", "checkbox"].includes(e.type) ? e.checked : e.value)),
  sorted: [...document.querySelectorAll("[aria-sort]")].map((e) => e.getAttribute("aria-sort")),
  pressed: [...document.querySelectorAll("[aria-pressed], [aria-checked]")].map((e) => (
    e.getAttribute("aria-pressed") ?? e.getAttribute("aria-checked"))),
  text: document.querySelector("main").innerText + document.querySelector("#answer").innerText,
  lines: [...document.querySelectorAll(".plot g.mark-line path")].map((e) => e.getAttribute("d")),
})"""


def address(seen: Opened) -> str:
    seen.page.wait_for_timeout(400)  # changes are written together
    return str(seen.page.evaluate("location.href"))


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with coarse():
        return hc.report(
            evaluation(ODD[:4], 40, 500, metrics=["ap", "auc", "ef@1%"]), tmp_path_factory.mktemp("p") / "p.html"
        )


@pytest.fixture(scope="module")
def usual(browser: Any, odd: Path) -> Any:
    with opened(browser, odd) as seen:
        return seen.page.evaluate(STATE)


def test_a_link_opens_the_page_as_it_was_left(browser: Any, odd: Path) -> None:
    with opened(browser, odd) as seen:
        assert urlsplit(address(seen)).fragment == ""
        seen.page.locator("#by").select_option("1")
        seen.page.locator("#against").select_option(index=1)
        seen.page.locator("input[name=level][value='2']").check(force=True)
        seen.page.locator("#bands").select_option("2")
        seen.page.locator("button.ranker").nth(3).click()
        seen.page.locator("input.log[value=hits]").check()
        seen.slide("alpha", 1)
        seen.slide("precision", 2)
        seen.slide("budget", 3)
        seen.page.get_by_role("radio", name="Precision").click()
        seen.slide("cut", 9)
        for name, value in (("minutes", "33"), ("fast", "0.5"), ("slow", "2")):
            seen.type(f"#{name}", value)
        seen.page.locator("#table-numbers thead button").nth(2).click()
        seen.page.locator("#comparisons [data-of]:not([hidden]) table.pairs thead button").nth(1).click()
        link, before = address(seen), seen.page.evaluate(STATE)
        asked = parse_qs(urlsplit(link).fragment)
        assert asked["by"] == ["auc"]
        assert asked["level"] == ["99%"]
        assert asked["log"] == ["hits"]
        seen.page.locator("input.log[value=roc]").check()
        assert parse_qs(urlsplit(address(seen)).fragment)["log"] == ["hits roc"]
        seen.page.locator("input.log[value=roc]").uncheck()
        assert asked["minutes"] == ["33"]
        assert seen.said == []
    with opened(browser, odd, fragment=urlsplit(link).fragment) as seen:
        seen.page.wait_for_timeout(300)
        assert seen.page.evaluate(STATE) == before
        assert address(seen) == link
        assert seen.said == []


def test_the_link_of_groups(browser: Any, tmp_path: Path) -> None:
    path = hc.report(grouped(6), tmp_path / "page.html")
    with opened(browser, path) as seen:
        seen.page.locator("#next").click()
        seen.page.locator("button.group").nth(3).click()
        seen.page.locator("#metric").select_option("2")
        seen.page.locator("#table-groups thead button").nth(4).click()
        link, before = address(seen), seen.page.evaluate(STATE)
        assert parse_qs(urlsplit(link).fragment)["group"] == ["topic 4"]
    with opened(browser, path, fragment=urlsplit(link).fragment) as seen:
        assert seen.page.evaluate(STATE) == before


def test_the_link_is_copied_with_the_place(browser: Any, odd: Path) -> None:
    with opened(browser, odd, permissions=["clipboard-read", "clipboard-write"]) as seen:
        seen.page.locator("#by").select_option("2")
        seen.page.evaluate("document.querySelector('#budget').scrollIntoView()")
        seen.page.evaluate("document.querySelector('#copy').click()")
        seen.page.wait_for_function("() => document.querySelector('#copied').textContent === 'Link copied.'")
        link = seen.page.evaluate("navigator.clipboard.readText()")
        assert parse_qs(urlsplit(link).fragment) == {"by": ["ef@1%"], "at": ["budget"]}
    with opened(browser, odd, fragment=urlsplit(link).fragment) as seen:
        assert abs(seen.page.locator("#budget").bounding_box()["y"]) < 200
        # a page that may not write to the clipboard shows the link
        seen.page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
        seen.page.evaluate("document.querySelector('#copy').click()")
        field = seen.page.locator("#copied input")
        assert parse_qs(urlsplit(field.input_value()).fragment) == {"by": ["ef@1%"], "at": ["budget"]}


def test_another_link_in_the_open_page(browser: Any, odd: Path) -> None:
    with opened(browser, odd) as seen:
        seen.page.evaluate("location.hash = 'numbers'")  # a place, no state
        assert seen.page.locator("#by").input_value() == "0"
        seen.page.evaluate("location.hash = 'by=auc'")
        seen.page.wait_for_function("() => document.querySelector('#by').value === '1'")
        assert seen.said == []


@pytest.mark.parametrize(
    "fragment",
    [
        "by=nothing&against=%3Cb%3E&level=1000%25&bands=of+nobody&hidden=__proto__&log=hits+__proto__&rank=-1&rank=9",
        "alpha=-1&prevalence=0x10&budget=1e999&minutes=NaN&from=&to=Infinity&measure=constructor",
        "sort-numbers=99+descending&sort-pairs-0=1+sideways&sort-numbers=0+ascending",
        "rank=999999999&rank=1&group=1&metric=<img src=x onerror=alert(1)>",
        "%E0%A4%A=%&&&==&by=%00&__proto__=1&constructor=2&at=<script>alert(1)</script>",
        "by=<script>alert(1)</script>&against=javascript:alert(1)&at=chart-first",
        "#".join(["by=auc"] * 3),
        "by=" + "a" * 100_000,
        "by=auc&x=" + "a" * 100_000,
        quote("by=auc"),
    ],
)
def test_hostile_fragments_are_ignored(browser: Any, odd: Path, usual: Any, fragment: str) -> None:
    with opened(browser, odd, fragment=fragment) as seen:
        assert seen.page.evaluate(STATE) == usual
        assert (seen.said, seen.dialogs) == ([], [])
        assert len(seen.asked) == 1
        assert seen.page.locator("img").count() == 0
