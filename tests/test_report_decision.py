"""What a browser makes of the decision curves of the page, and of the cutoffs of the selected group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import report, rows
from tests.pages import bracket, opened

pytest.importorskip("vl_convert")
pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")

LEVELS = (0.9, 0.95, 0.99)
METRICS = ("auc", "max_f1")


def _risks() -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(11)
    y = (rng.random(300) < 0.2).astype(int)
    z = rng.normal(size=300) + 1.4 * y
    return y, {"risk": 1 / (1 + np.exp(-(1.4 * z - 2.4))), "points": np.round(3 * z)}


@pytest.fixture(scope="module")
def risks() -> hc.Evaluation:
    y, scores = _risks()
    found: hc.Evaluation = hc.evaluate(y, scores, metrics=METRICS)
    return found


def test_net_benefit_of_the_page_is_pythons(browser: Any, risks: hc.Evaluation, tmp_path: Path) -> None:
    page = report(risks, tmp_path / "risks.html")
    with opened(browser, page) as seen:
        assert seen.said == []
        slider = seen.page.locator("#decision-slider")
        last = int(slider.get_attribute("max"))
        drawn = seen.path_of("decision")
        assert drawn
        for place in (0, last // 2, last):
            seen.slide("decision", place)
            threshold = float(seen.page.locator("#decision-typed").input_value())
            for number, level in enumerate(LEVELS):
                seen.page.locator(f"input[name=level][value='{number}']").check(force=True)
                curve = risks.decision_curve("risk", [threshold], confidence_level=level)
                cell = seen.answers("decision")["risk"][0]
                value, low, high = (float(x[0]) for x in (curve.net_benefit, curve.low, curve.high))
                assert cell == f"{rows.number(value)} {bracket(low, high)}"
            assert "none 0" in seen.text("#decision-says")
        assert "not probabilities" in seen.text("#why-decision")


def test_a_page_without_probabilities_has_no_decision_curve(browser: Any, tmp_path: Path) -> None:
    y, scores = _risks()
    page = report(hc.evaluate(y, scores["points"], metrics=METRICS), tmp_path / "points.html")
    with opened(browser, page) as seen:
        assert seen.said == []
        assert seen.page.locator("#decision").count() == 0


def test_the_selected_group_says_its_cutoffs(browser: Any, tmp_path: Path) -> None:
    y, scores = _risks()
    ev = hc.evaluate(y, scores, metrics=METRICS, by=np.repeat(["east", "west", "north"], 100))
    page = report(ev, tmp_path / "groups.html")
    with opened(browser, page) as seen:
        assert seen.said == []
        for name in ("east", "west"):
            seen.page.select_option("#group", label=name)
            own = ev[name].about_cuts()
            assert own.startswith("cutoff of max_f1 of risk: score at least")
            assert seen.text("#cuts-numbers").strip() == f"{own[0].upper()}{own[1:]}."
