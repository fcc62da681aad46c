"""The page on paper."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import rows
from tests.pages import Opened, coarse, grouped, normal_scores, opened

pytest.importorskip("vl_convert")
pytestmark = [
    pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning"),
    pytest.mark.usefixtures("coarse_grids"),
]


def pages(seen: Opened, paper: str = "A4") -> int:
    pdf = seen.page.pdf(format=paper, prefer_css_page_size=False)
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    y, scores = normal_scores(("model", "rule"), 60, 1500)
    with coarse():
        return hc.report(
            hc.evaluate(y, scores), tmp_path_factory.mktemp("two") / "page.html", 'A "title" </style> \\ } end'
        )


@pytest.mark.parametrize("width", [390, 1280])
def test_two_rankers_are_three_pages(browser: Any, two: Path, width: int) -> None:
    with opened(browser, two, viewport={"width": width, "height": 844}, color_scheme="dark") as seen:
        assert seen.text("h1") == 'A "title" </style> \\ } end'
        assert [pages(seen, paper) for paper in ("A4", "Letter")] == [3, 3]
        assert seen.said == []


@pytest.mark.usefixtures("coarse_grids")
def test_more_stay_short(browser: Any, tmp_path: Path) -> None:
    y, scores = normal_scores(("model", "rule"), 60, 1500)
    weighted = hc.evaluate(y, scores, sample_weight=np.linspace(1, 3, 1500))
    tied = hc.evaluate(*normal_scores(("model", "rule", "forest", "baseline"), 60, 1500, decimals=1))
    trial = hc.evaluate(tables=hc.datasets.mammography())
    for ev, most in ((weighted, 3), (tied, 3), (trial, 3), (grouped(30), 3)):
        with opened(browser, hc.report(ev, tmp_path / "page.html")) as seen:
            assert pages(seen) <= most


def test_what_is_on_paper(browser: Any, two: Path) -> None:
    with opened(browser, two) as seen:
        sizes = "() => [...document.querySelectorAll('.plot svg')].map((e) => [e.width.baseVal.value, e.clientHeight])"
        screen = seen.page.evaluate(sizes)
        # paper has its own size of charts, and nothing that is folded
        printed = seen.page.evaluate(
            f"""async () => {{
              dispatchEvent(new Event("beforeprint"));
              await Promise.resolve().then(() => new Promise(requestAnimationFrame));
              const own = ({sizes})(), folded = document.querySelectorAll("details:not([open])").length;
              dispatchEvent(new Event("afterprint"));
              return [own, folded];
            }}"""
        )
        assert {width for width, _ in printed[0]} == {345}
        assert printed[1] == 0
        # on the screen it is as it was
        seen.page.wait_for_timeout(100)
        for (width, height), (before, high) in zip(seen.page.evaluate(sizes), screen, strict=True):
            assert width == before
            assert abs(height - high) < 10
        assert seen.page.locator("details[open]").count() == 0
        seen.page.emulate_media(media="print")
        split = "() => [...document.querySelectorAll('tr, .chart')].map((e) => getComputedStyle(e).breakInside)"
        assert set(seen.page.evaluate(split)) == {"avoid"}
        for hidden in ("#copy", "#by", ".files >> nth=0", "#level"):
            assert not seen.page.locator(hidden).is_visible()


def test_sums_of_weights_are_one_number() -> None:
    assert [rows.count(value) for value in (3000.0, 3000.0000000004, 2999.9999999996)] == ["3,000"] * 3
    assert [rows.count(value) for value in (0.5, 62.36, 1e-9, float("inf"), float("nan"))] == [
        "0.50",
        "62.36",
        "0.00",
        "inf",
        "nan",
    ]


@pytest.mark.usefixtures("coarse_grids")
def test_no_table_of_twelve_is_cut_on_paper(browser: Any, tmp_path: Path) -> None:
    names = tuple(f"ranker number {i} of twelve" for i in range(12))
    path = hc.report(hc.evaluate(*normal_scores(names, 60, 1000, decimals=1)), tmp_path / "page.html")
    # 186 mm between the margins of A4
    with opened(browser, path, viewport={"width": 703, "height": 900}) as seen:
        seen.page.emulate_media(media="print")
        beyond = seen.page.evaluate(
            """() => [...document.querySelectorAll(".wide")].filter((e) => e.offsetParent)
              .filter((e) => e.querySelector("table").getBoundingClientRect().right > innerWidth + 1)
              .map((e) => e.getAttribute("aria-label"))"""
        )
        assert beyond == []
        assert pages(seen) <= 7  # 66 pairs are a page and a half
