"""The page of censored outcomes in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from tests.pages import opened

pytest.importorskip("jinja2")


def _evaluated(rule: str | None = None, n: int = 240) -> hc.SurvivalEvaluation:
    rng = np.random.default_rng(3)
    s = rng.normal(size=n)
    onset, lost = rng.exponential(size=(2, n)) * np.array([[12.0], [15.0]])
    onset = onset * np.exp(-s)
    probability = 1 / (1 + np.exp(0.5 - s))
    scores = {"a": probability, "<b>": np.clip(probability + 0.2 * np.sin(40 * s), 0, 1)}
    return hc.evaluate_survival(
        np.minimum(onset, lost), onset <= lost, scores, horizons=[1.0, 6.0], metrics=["ap", "auc"], rule=rule
    )


@pytest.fixture(scope="module")
def ev() -> hc.SurvivalEvaluation:
    return _evaluated()


@pytest.fixture(scope="module")
def path(ev: hc.SurvivalEvaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hc.report(ev, tmp_path_factory.mktemp("survival") / "page.html")


def test_a_time_is_chosen(browser: Any, ev: hc.SurvivalEvaluation, path: Path) -> None:
    found = ev.over_time("auc")
    with opened(browser, path) as seen:
        seen.page.locator("#time-slider").fill("3")
        says = seen.page.locator("#time-says").inner_text()
        assert f"{found.cases[3]:g} cases" in says
        assert seen.page.locator("#time-slider").get_attribute("aria-valuetext") == says
        assert f"{found.at_risk[3]:g} at risk" in says
        row = seen.page.locator("#at-time tr", has_text="auc").inner_text()
        assert f"{found['a'].value[3]:.4f}" in row
        assert seen.page.locator("#charts svg .at").count() == 4
        seen.page.locator("#time-slider").press("ArrowRight")
        assert f"{found.at_risk[4]:g} at risk" in seen.page.locator("#time-says").inner_text()


def test_a_horizon_and_a_curve_are_chosen(browser: Any, ev: hc.SurvivalEvaluation, path: Path) -> None:
    with opened(browser, path) as seen:
        assert seen.page.locator("#horizon option").all_inner_texts() == ["1", "6"]
        assert "decision curve" in seen.page.locator("#curve option").all_inner_texts()
        seen.page.locator("#horizon").select_option(label="6")
        for kind in ("roc", "precision_recall", "accumulation", "decision"):
            seen.page.locator("#curve").select_option(kind)
            assert seen.page.locator("#lines path title").all_text_contents() == ["a", "<b>"]
            assert seen.page.locator("#lines path[style*=fill-opacity]").count() == 2
        says = seen.page.locator("#curve-says").inner_text()
        assert f"{ev.at(6).cases:g} cases, {ev.at(6).at_risk:g} at risk" in says
        assert "pointwise" in says


def test_light_and_dark_and_print(browser: Any, path: Path) -> None:
    with opened(browser, path, color_scheme="light") as seen:
        paper = "getComputedStyle(document.body).backgroundColor"
        before = seen.page.evaluate(paper)
        seen.page.locator("#theme").click()
        assert seen.page.evaluate(paper) != before
        seen.page.emulate_media(media="print")
        assert not seen.page.locator("#theme").is_visible()
        assert seen.page.locator("#lines").is_visible()
        assert "ROC at horizon 1:" in seen.page.locator("#curve-says").inner_text()


@pytest.mark.parametrize("rule", [None, "aptools"])
def test_axe_finds_nothing(browser: Any, path: Path, tmp_path: Path, rule: str | None) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    path = path if rule is None else hc.report(_evaluated(rule=rule), tmp_path / "page.html")
    for width, scheme in ((1280, "light"), (390, "dark")):
        with opened(browser, path, viewport={"width": width, "height": 844}, color_scheme=scheme) as seen:
            found = axe.Axe().run(seen.page).response["violations"]
            assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found] == []
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_page_without_errors_or_many_subjects_has_no_bands(browser: Any, tmp_path: Path) -> None:
    with opened(browser, hc.report(_evaluated(rule="aptools"), tmp_path / "page.html")) as seen:
        assert seen.page.locator("#charts").count() == 0
        assert seen.page.locator("#curve option").all_inner_texts() == ["ROC", "precision-recall", "cases found"]
        assert seen.page.locator("#curve-says").inner_text().endswith("censored before.")


def test_tests_stand_with_their_notes_and_say_why_some_are_missing(
    browser: Any, ev: hc.SurvivalEvaluation, path: Path
) -> None:
    test = ev.compare_all("auc", 6.0)
    with opened(browser, path) as seen:
        section = seen.page.locator("#comparisons")
        assert section.locator("h3").all_inner_texts()[-1] == "auc at horizon 6"
        notes = section.locator("p.note").all_inner_texts()
    assert any("assumes: " in note for note in notes)
    assert all(any(line[1:] in note for note in notes) for line in test.notes())
    content = ev.to_dict({6.0: [test]})
    assert content["letters"] == [{"horizon": 6.0, "metric": "auc", "letters": test.letters}]
    assert content["comparisons"][0]["assumes"] in "".join(test.notes())
