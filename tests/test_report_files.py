"""Charts and tables of the page as files."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import HitcurveWarning
from tests.pages import evaluation, grouped, opened

pytest.importorskip("vl_convert")
pytestmark = pytest.mark.filterwarnings(f"ignore::{HitcurveWarning.__module__}.HitcurveWarning")


@pytest.mark.usefixtures("coarse_grids")
def test_charts_and_tables_are_saved(browser: Any, tmp_path: Path) -> None:
    ev = evaluation(("=a", "b, c"), 30, 400, metrics=["ap", "loss"])
    with opened(browser, hc.report(ev, tmp_path / "page.html")) as seen:
        assert "lower is better" in seen.text("#table-numbers thead")

        def saved(button: Any) -> bytes:
            with seen.page.expect_download(timeout=120_000) as download:  # a picture takes long on a busy machine
                button.click()
            return Path(download.value.path()).read_bytes()

        assert seen.page.locator(".plot + .files").count() == seen.page.locator(".plot").count()
        assert seen.page.locator(".wide + .files").count() == seen.page.locator(".wide").count()
        first = seen.page.locator("#chart-first + .files button")
        svg = saved(first.nth(0)).decode()
        assert svg.startswith("<svg")
        # whatever shows it knows no style sheet
        assert "var(" not in svg
        assert "currentColor" not in svg
        assert saved(first.nth(1)).startswith(b"\x89PNG")
        text = saved(seen.page.locator(".wide:has(#table-numbers) + .files button")).decode()
        header, *body = csv.reader(text.splitlines())
        assert header == ["ranker", "ap", "ap 95% low", "ap 95% high", "loss", "loss 95% low", "loss 95% high"]
        for name, line in zip(ev.rankers, body, strict=False):
            # spreadsheets must not run a name
            assert line[0] == ("'=a" if name == "=a" else name)
            for place, metric in ((1, "ap"), (4, "loss")):
                e = ev[name, metric]
                wanted = [rows.number(e.value), *(rows.number(end, 3) for end in e.confidence_interval())]
                assert line[place : place + 3] == wanted
        assert seen.said == []


@pytest.mark.parametrize(
    "make",
    [
        lambda: hc.evaluate(tables=hc.datasets.mammography(), metrics=["ap", "auc"]),
        lambda: grouped(3, ("a", "b", "c"), positives=20, subjects=200),
    ],
)
@pytest.mark.usefixtures("coarse_grids")
def test_every_file_stands_alone(browser: Any, tmp_path: Path, make: Any) -> None:
    ev = make()
    with opened(browser, hc.report(ev, tmp_path / "page.html")) as seen:
        buttons, names = seen.page.locator(".files button:visible"), set()
        unfold = "document.querySelectorAll('details').forEach((e) => { e.open = true; })"
        seen.page.evaluate(unfold)
        for i in range(buttons.count()):
            if i and i % 8 == 0:  # of more than ten files in a row Chromium asks whether they are wanted
                seen.page.reload()
                seen.page.wait_for_selector("html[data-ready=yes]", timeout=60_000)
                seen.page.evaluate(unfold)
            with seen.page.expect_download(timeout=120_000) as download:  # a picture takes long on a busy machine
                buttons.nth(i).click()
            name, text = download.value.suggested_filename, Path(download.value.path()).read_bytes()
            names.add(name)
            if name.endswith(".svg"):
                svg = ElementTree.fromstring(text)
                written = [e.text for e in svg.findall("{http://www.w3.org/2000/svg}text")]
                # a title, and the rankers shown
                assert written[0]
                assert len(written) == 1 + (2 if name == "first.svg" else len(ev.rankers))
                assert {str(one).removesuffix(" with 95% band") for one in written[1:]} <= set(ev.rankers)
            elif name.endswith(".csv"):
                header, *body = csv.reader(text.decode().splitlines())
                assert body
                assert {len(line) for line in body} == {len(header)}
                # numbers are numbers, and the values of the controls are in the name
                assert not [cell for line in body for cell in line if re.fullmatch(r"\d{1,3}(,\d{3})+", cell)]
            else:
                assert text.startswith(b"\x89PNG")
        assert any(re.fullmatch(r"areas-at-this-magnification-[\d.]+\.csv", name) for name in names)
        assert any(re.fullmatch(r"all-rankers-at-this-rank-the-first-.*\.csv", name) for name in names)
        assert seen.said == []
