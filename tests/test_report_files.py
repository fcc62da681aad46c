"""Charts and tables of the page as files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import HitcurveWarning
from tests.pages import evaluation, opened

pytest.importorskip("vl_convert")
pytestmark = pytest.mark.filterwarnings(f"ignore::{HitcurveWarning.__module__}.HitcurveWarning")


@pytest.mark.usefixtures("coarse_grids")
def test_charts_and_tables_are_saved(browser: Any, tmp_path: Path) -> None:
    ev = evaluation(("=a", "b, c"), 30, 400, metrics=["ap", "auc"])
    with opened(browser, hc.report(ev, tmp_path / "page.html")) as seen:

        def saved(button: Any) -> bytes:
            with seen.page.expect_download() as download:
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
        assert header == ["ranker", "ap", "ap low", "ap high", "auc", "auc low", "auc high"]
        for name, line in zip(ev.rankers, body, strict=False):
            # spreadsheets must not run a name
            assert line[0] == ("'=a" if name == "=a" else name)
            for place, metric in ((1, "ap"), (4, "auc")):
                e = ev[name, metric]
                wanted = [rows.number(e.value), *(rows.number(end, 3) for end in e.confidence_interval())]
                assert line[place : place + 3] == wanted
        assert seen.said == []
