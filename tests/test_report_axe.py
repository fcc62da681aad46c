"""The page can be read by everybody: what axe finds, and the contrast of lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from tests.pages import Opened, evaluation, grouped, normal_scores, opened

pytest.importorskip("vl_convert")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = [
    pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning"),
    pytest.mark.usefixtures("coarse_grids"),
]

PAGES: dict[str, Callable[[], hc.Evaluation | hc.GroupedEvaluation]] = {
    "one": lambda: evaluation(("only",), 40, 500),
    "few": lambda: evaluation(("a", "b"), 3, 60),
    "twelve": lambda: evaluation(tuple(f"ranker {i}" for i in range(12)), 40, 500, metrics=["ap", "auc"]),
    "trial": lambda: hc.evaluate(tables=hc.datasets.mammography(), metrics=["ap", "auc"]),
    "weights": lambda: hc.evaluate(
        *normal_scores(("a", "b"), 30, 400), metrics=["ap", "auc"], sample_weight=np.linspace(1, 2, 400)
    ),
    "groups": lambda: grouped(30),
    "few groups": lambda: grouped(3, positives=20, subjects=200),
}


def violations(seen: Opened) -> list[tuple[str, list[str]]]:
    found = axe.Axe().run(seen.page).response["violations"]
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found]


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(browser: Any, tmp_path: Path, name: str) -> None:
    """Folded at one width, unfolded at the other: four pages after one another, of two schemes, are all eight looks."""
    place = list(PAGES).index(name)
    widths = (1280, 390) if place % 2 else (390, 1280)
    scheme = "dark" if place // 2 % 2 else "light"
    path = hc.report(PAGES[name](), tmp_path / "page.html")
    with opened(browser, path, viewport={"width": widths[0], "height": 844}, color_scheme=scheme) as seen:
        assert violations(seen) == []
        seen.page.set_viewport_size({"width": widths[1], "height": 844})
        # everything unfolded, used and said
        seen.page.evaluate(
            """() => {
              document.querySelectorAll("details").forEach((e) => { e.open = true; });
              navigator.clipboard.writeText = () => Promise.reject(new Error("no"));
              for (const e of document.querySelectorAll("#copy, .ranker, .sortable thead button")) e.click();
              document.querySelector(".ranker").click();
            }"""
        )
        assert violations(seen) == []


def test_lines_of_24_rankers_are_seen(browser: Any, tmp_path: Path) -> None:
    ev = evaluation(tuple(f"ranker {i}" for i in range(24)), 20, 200, metrics=["auc"])
    with opened(browser, hc.report(ev, tmp_path / "page.html")) as seen:
        for scheme in ("light", "dark"):
            seen.page.emulate_media(color_scheme=scheme)
            looks = seen.page.evaluate(
                """() => [...document.querySelectorAll("button.ranker line")].map((e) => {
                  const light = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
                    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
                    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
                  const style = getComputedStyle(e), paper = getComputedStyle(document.body).backgroundColor;
                  const both = [light(style.stroke), light(paper)].sort((a, b) => b - a);
                  return [(both[0] + 0.05) / (both[1] + 0.05), style.stroke, style.strokeDasharray, light(paper)];
                })"""
            )
            assert min(contrast for contrast, *_ in looks) >= 3  # WCAG 2, of graphics
            assert len({(colour, dash) for _, colour, dash, _ in looks}) == 24
            assert {paper > 0.5 for *_, paper in looks} == {scheme == "light"}
