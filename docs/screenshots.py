"""Pictures of the page for the documentation: `python docs/screenshots.py`.

They are of the docking data of the tutorial, taken in the Chromium that is installed.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from examples import data

import hitcurve as hc

FOLDER = Path(__file__).parent / "_static" / "screenshots"
PROGRAMS = {"surf_scores": "Surflex-dock", "icm_scores": "ICM", "vina_scores": "Vina", "maxz_scores": "consensus"}


def main() -> None:
    """Make the page and take its pictures."""
    from playwright.sync_api import sync_playwright

    frame = pd.read_csv(data("docking/pparg_scores.csv.gz"))
    scores = {name: frame[column] for column, name in PROGRAMS.items()}
    metrics = ["ap", "auc", "croc(exp, alpha=80)", "bedroc(alpha=20)", "ef@1%"]
    ev = hc.evaluate(frame["surf_actives"], scores, metrics=metrics)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = hc.report(
            ev, Path(folder) / "report.html", "PPAR\N{GREEK SMALL LETTER GAMMA}: which program should choose?"
        )
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        _whole_width(browser, page)
        _groups(browser, Path(folder))
        _phone(browser, page)
        browser.close()


def _open(browser: Any, path: Path, **context: Any) -> Any:
    page = browser.new_context(**context).new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    return page


def _whole_width(browser: Any, path: Path) -> None:
    page = _open(browser, path, viewport={"width": 1180, "height": 820}, color_scheme="light")
    page.screenshot(path=FOLDER / "report.png")
    page.locator("#bands").select_option("3")
    _scroll(page, "#curves")
    box = page.locator("#chart-hits svg").bounding_box()
    for share in (0.28, 0.3):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + 0.25 * box["height"])
    page.screenshot(path=FOLDER / "report-curves.png")
    page.mouse.move(1, 1)
    page.locator("#theme").click()
    page.locator("#alpha-typed").fill("80")
    page.locator("#alpha-typed").blur()
    _scroll(page, "#magnification")
    page.screenshot(path=FOLDER / "report-magnification.png")
    page.locator("#theme").click()
    _scroll(page, "#budget")
    page.screenshot(path=FOLDER / "report-budget.png")


def _scroll(page: Any, section: str) -> None:
    page.evaluate("section => scrollTo(0, document.querySelector(section).offsetTop - 76)", section)
    page.wait_for_timeout(300)


def _groups(browser: Any, folder: Path) -> None:
    frame = pd.read_csv(data("docking/dekois2_generic_scores.csv.gz"))
    programs = ["smina", "ifp", "cnn_score", "rf_score_vs"]
    ev = hc.evaluate("label", programs, data=frame, by="target", metrics=["ap", "auc", "bedroc(alpha=20)", "ef@1%"])
    path = hc.report(ev, folder / "groups.html", "Four docking programs")
    page = _open(browser, path, viewport={"width": 1180, "height": 980}, color_scheme="light")
    page.evaluate("document.querySelector('#comparisons').hidden = true")  # so that both tables are in the picture
    _scroll(page, "#numbers")
    page.screenshot(path=FOLDER / "report-groups.png")


def _phone(browser: Any, path: Path) -> None:
    page = _open(browser, path, viewport={"width": 390, "height": 844}, color_scheme="dark")
    _scroll(page, "#curves")
    page.screenshot(path=FOLDER / "report-phone.png")


if __name__ == "__main__":
    main()
