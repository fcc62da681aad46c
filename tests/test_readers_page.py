"""The page of a reader study in a browser: its numbers and controls, whatever readers and modalities are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import ParameterError
from tests.pages import ODD, opened
from tests.shell import Shell
from tests.test_readers import simulated, study

pytest.importorskip("jinja2")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")


def odd() -> dict[str, Any]:
    """Return readings of readers and modalities of odd names."""
    data = simulated(readers=5, modalities=2, ordinal=True)
    reader = np.array([*ODD[:4], "5"], object)[data["reader"] - 1]
    modality = np.where(data["modality"] == "m1", ODD[4], ODD[5]).astype(object)
    return data | {"reader": reader, "modality": modality}


def test_a_page_draws_and_has_the_numbers(browser: Any, tmp_path: Path) -> None:
    data = odd()
    found = study(data, ["auc", "sensitivity@rating>=3"], baseline=ODD[4], margin=0.05)
    path = hc.report(found, tmp_path / "page.html", "Readers <1>")
    assert path.read_bytes() == hc.report(found, tmp_path / "again.html", "Readers <1>").read_bytes()
    for width, scheme in ((1280, "light"), (390, "dark")):
        with opened(browser, path, viewport={"width": width, "height": 844}) as seen:
            page = seen.page
            assert page.locator("#lines .of-reader").count() == 10
            assert page.locator("#lines .average").count() == 2
            first = page.get_attribute("#lines .of-reader >> nth=0", "d")
            page.select_option("#curve", "precision_recall")
            assert page.get_attribute("#lines .of-reader >> nth=0", "d") != first
            page.select_option("#reader", "2")
            assert page.locator("#lines .of-reader").count() == 2
            assert page.locator("#forest .row").count() == 6
            # steps that are summed pass beside 0
            assert page.evaluate("ticks(-0.19, 0.06)") == pytest.approx([-0.15, -0.1, -0.05, 0, 0.05], rel=1e-12, abs=0)
            page.select_option("#metric", "1")
            told = page.locator("#forest .row >> nth=5").locator("title").text_content()
            mean = found["sensitivity@rating>=3"].differences[0]
            assert told == f"mean: {rows.with_interval(mean.value, (mean.low, mean.high))}"
            shown = page.locator("#tables table >> nth=1").text_content()
            difference = found["auc"].differences[0]
            assert (
                rows.with_interval(difference.value, (difference.low, difference.high), error=difference.standard_error)
                in shown
            )
            page.emulate_media(color_scheme=scheme)
            problems = axe.Axe().run(page).response["violations"]
            assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in problems] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.emulate_media(media="print")
            assert not page.locator("#curve").is_visible()
            assert page.locator("#lines").is_visible()
            assert (seen.said, seen.dialogs) == ([], [])
            assert all(url.startswith(("file:", "data:")) for url in seen.asked)


def test_pages_of_one_modality_and_of_one_reader(browser: Any, tmp_path: Path) -> None:
    alone = study(simulated(modalities=1))
    with opened(browser, hc.report(alone, tmp_path / "modality.html")) as seen:
        assert seen.page.locator("#forest").count() == 0
        assert seen.page.locator("#lines .average").count() == 1
        assert seen.said == []
    one = study(simulated(readers=1, modalities=3), random="cases")
    with opened(browser, hc.report(one, tmp_path / "reader.html")) as seen:
        assert seen.page.locator("#lines .average").count() == 0
        assert seen.page.locator("#forest .row").count() == 6
        assert seen.said == []


def test_the_command_writes_a_page(tmp_path: Path, shell: Shell) -> None:
    from tests.test_readers_shell import BOTH, expected, frame, written

    path = written(frame(), tmp_path / "study.csv")
    assert shell("readers", path, *BOTH, "-o", tmp_path / "s.html").err == f"wrote {tmp_path / 's.html'}\n"
    assert (tmp_path / "s.html").read_text(encoding="utf-8") == hc.report(expected(), tmp_path / "t.html").read_text(
        encoding="utf-8"
    )


def test_what_a_page_of_a_reader_study_does_not_take(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="neither colours nor a baseline of its own"):
        hc.report(study(simulated()), tmp_path / "page.html", baseline="m1")
    with pytest.raises(ParameterError, match="at most 400 readers times modalities, got 402"):
        hc.report(study(simulated(readers=201, sizes=(3, 3))), tmp_path / "page.html")
