"""The page of a screen in a browser: its numbers, its controls, and whatever markers are called."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import ParameterError
from hitcurve.report.html.screens import curves
from tests.pages import ODD, opened
from tests.shell import Shell
from tests.test_screen_doors import frame, written

pytest.importorskip("jinja2")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")


def screened(count: int = 130, **options: Any) -> hc.Screen:
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [40, 80])
    X = np.round(rng.normal(size=(120, count)) + np.linspace(-0.8, 0.8, count) * y[:, None], 1)
    names = [*ODD, *(f"m{i}" for i in range(len(ODD), count))]
    found: hc.Screen = hc.screen(X, y, names=names, direction="auto", n_resamples=99, **options)
    return found


def test_curves_of_the_page_are_those_of_the_tables() -> None:
    found = screened(20, metrics="auc")
    shares, text = curves(found)
    recall = np.frombuffer(base64.b64decode(text), "<u2").reshape(20, -1) / 65535
    for name, own in zip(found.names, recall, strict=True):
        table = found.table(name)
        size = np.concatenate([[0], np.cumsum(table.pos + table.neg)]) / table.n
        hits = np.concatenate([[0], np.cumsum(table.pos)]) / table.n_pos
        assert own == pytest.approx(np.interp(shares, size, hits), abs=1e-5)


def test_a_page_sorts_searches_and_draws(browser: Any, tmp_path: Path) -> None:
    found = screened()
    path = hc.report(found, tmp_path / "page.html", "Markers <1>")
    assert path.read_bytes() == hc.report(found, tmp_path / "again.html", "Markers <1>").read_bytes()
    for width, scheme in ((1280, "light"), (390, "dark")):
        with opened(browser, path, viewport={"width": width, "height": 844}) as seen:
            page = seen.page
            first = "#markers tbody tr:first-child th"
            best = found.names[found.order()[0]]
            assert seen.text(first) == seen.text("#which") == best
            assert seen.text("#count") == "1 to 50 of 130 markers"
            page.click("#after")
            page.click("#after")
            assert seen.text("#count") == "101 to 130 of 130 markers"
            assert page.locator("#after").is_disabled()
            page.click("th[data-key=p1] button")
            assert page.get_attribute("th[data-key=p1]", "aria-sort") == "ascending"
            assert found.pvalue[1][found.place(seen.text(first))] == found.pvalue[1].min()
            for order, place in (("descending", 0), ("ascending", -1)):  # of values, of which the best come first
                page.click("th[data-key=rank1] button")
                assert page.get_attribute("th[data-key=rank1]", "aria-sort") == order
                assert found["auc"][found.place(seen.text(first))] == np.sort(found["auc"])[::-1][place]
            # the names of the markers stay where the table is moved, and so does the word above them
            page.evaluate("document.querySelector('#markers').parentElement.scrollLeft = 200")
            sides = [page.locator(f"#markers {one} th").first.bounding_box()["x"] for one in ("thead", "tbody")]
            assert sides[0] == pytest.approx(sides[1], abs=1)
            page.click("th[data-key=p1] button")
            page.fill("#search", "M5")
            assert seen.text("#count") == "1 to 10 of 10 of 130 markers"
            page.click("#markers button.marker:has-text('m55')")
            assert seen.text("#which") == "m55"
            assert f"auc {found['auc'][found.place('m55')]:.4g}"[:8] in seen.text("#about")
            line = page.get_attribute("#line .curve", "d")
            page.select_option("#curve", "roc")
            assert page.get_attribute("#line .curve", "d") != line
            page.select_option("#curve", "precision")
            page.select_option("#metric", "1")
            assert "auc - random" in page.locator("#volcano").text_content()
            page.fill("#search", "no such")
            assert seen.text("#count") == "no marker has this in its name"
            page.fill("#search", "")
            page.emulate_media(color_scheme=scheme)
            problems = axe.Axe().run(page).response["violations"]
            assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in problems] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.emulate_media(media="print")
            assert not page.locator("#search").is_visible()
            assert page.locator("#volcano").is_visible()
            assert (seen.said, seen.dialogs) == ([], [])
            assert all(url.startswith(("file:", "data:")) for url in seen.asked)


def test_a_point_of_the_volcano_chooses_its_marker(browser: Any, tmp_path: Path) -> None:
    found = screened(30)
    with opened(browser, hc.report(found, tmp_path / "page.html")) as seen:
        box = seen.page.locator("#volcano .here").bounding_box()
        other = seen.page.locator("#markers button.marker").nth(7)
        other.click()
        assert seen.text("#which") != found.names[found.order()[0]]
        seen.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        place = found.place(seen.text("#which"))
        best = found.order()[0]
        assert found.pvalue[0][place] == found.pvalue[0][best]


def test_the_command_writes_a_page(tmp_path: Path, shell: Shell) -> None:
    path = written(frame(), tmp_path / "m.csv")
    call = ("screen", path, "--label", "y", "--columns", "p*", "--n-resamples", 99)
    assert shell(*call, "-o", tmp_path / "m.html").err == f"wrote {tmp_path / 'm.html'}\n"
    found = hc.screen(path, "y", columns="p*", n_resamples=99, rng=None)
    assert (tmp_path / "m.html").read_text(encoding="utf-8") == hc.report(found, tmp_path / "n.html").read_text(
        encoding="utf-8"
    )
    assert "leave out --one-vs-rest" in shell(*call, "--one-vs-rest", "-o", tmp_path / "m.html").refusal


def test_what_a_page_of_a_screen_does_not_take(tmp_path: Path) -> None:
    found = screened(14)
    with pytest.raises(ParameterError, match="neither a baseline nor colours"):
        hc.report(found, tmp_path / "page.html", baseline="a")
    groups = hc.screen_one_vs_rest(np.random.default_rng(0).normal(size=(20, 3)), ["a", "b"] * 10, n_resamples=9)
    with pytest.raises(ParameterError, match=r"write the report of a group, as in report\(found\[.a.\], path\)"):
        hc.report(groups, tmp_path / "page.html")  # type: ignore[arg-type]
