"""Pictures of the HTML report, taken in a browser while the documentation is built, or by `python docs/screenshots.py`.

They are of the docking data that come with the package. One of them is kept with the sources, for the README:
`python docs/screenshots.py README` takes it anew.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import hitcurve as hc
from hitcurve.errors import HitcurveWarning

FOLDER = Path(__file__).parent / "_static" / "screenshots"
README = Path(__file__).parent / "_static" / "report-curves.png"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PROGRAMS = ("smina", "ifp", "cnn_score", "rf_score_vs")
METRICS = ("ap", "auc", "bedroc(alpha=20)", "ef@1%")
_FIGURE = re.compile(r"^:::\{figure\} \S*_static/screenshots/\S+\n(?::\w+:[^\n]*\n)*\n(.*?)\n:::$", re.S | re.M)


def browser() -> str | None:
    """Return the path of a browser that takes pictures; None without one, or without playwright."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return None
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def without(text: str) -> str:
    """Return a page of the documentation without its pictures: their captions stay, and say so."""
    return _FIGURE.sub(r"*(The picture is missing: this copy was built without a browser.)* \1", text)


def take_all(folder: Path = FOLDER) -> None:
    """Take every picture of the documentation."""
    folder.mkdir(exist_ok=True)
    with _reports() as (open_, one, groups):
        page = open_(one, width=1180, height=820)
        page.screenshot(path=folder / "report.png")
        _curves(page)
        page.screenshot(path=folder / "report-curves.png")
        page.mouse.move(1, 1)
        page.locator("#theme").click()
        page.locator("#alpha-typed").fill("80")
        page.locator("#alpha-typed").blur()
        _scroll(page, "#magnification")
        page.screenshot(path=folder / "report-magnification.png")
        page.locator("#theme").click()
        _scroll(page, "#budget")
        page.screenshot(path=folder / "report-budget.png")
        page = open_(groups, width=1180, height=980)
        _scroll(page, "#numbers")
        page.screenshot(path=folder / "report-groups.png")
        page = open_(one, width=390, height=844, scheme="dark")
        page.screenshot(path=folder / "report-phone.png")


def take_readme(path: Path = README) -> None:
    """Take the picture of the README."""
    with _reports() as (open_, one, _):
        page = open_(one, width=1180, height=820)
        _curves(page)
        page.screenshot(path=path)


@contextmanager
def _reports() -> Iterator[tuple[Any, Path, Path]]:
    """Write a report of one target and one of all; yield how they are opened, and their files."""
    from playwright.sync_api import sync_playwright

    data = hc.datasets.docking()
    here = data["target"] == "ACHE"
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings(), sync_playwright() as playwright:
        warnings.simplefilter("ignore", HitcurveWarning)
        scores = {program: data[program][here] for program in PROGRAMS}
        ev = hc.evaluate(data["active"][here], scores, metrics=METRICS)
        one = hc.report(ev, Path(name) / "report.html", "Acetylcholinesterase: four docking programs")
        grouped = hc.evaluate("active", list(PROGRAMS), data=data, by="target", metrics=METRICS)
        groups = hc.report(grouped, Path(name) / "groups.html", "Four docking programs")
        program = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])

        def open_(path: Path, *, width: int, height: int, scheme: str = "light") -> Any:
            window = program.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = window.new_page()
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready=yes]")
            return page

        yield open_, one, groups
        program.close()


def _curves(page: Any) -> None:
    """Show the curves with one cutoff pointed at, the accumulation curve on a logarithmic axis."""
    page.locator("input.log[value=hits]").check()
    _scroll(page, "#curves")
    box = page.locator("#chart-roc svg").bounding_box()
    for share in (0.2, 0.22):
        page.mouse.move(box["x"] + share * box["width"], box["y"] + 0.35 * box["height"])
    page.wait_for_timeout(300)


def _scroll(page: Any, section: str) -> None:
    page.evaluate("section => scrollTo(0, document.querySelector(section).offsetTop - 76)", section)
    page.wait_for_timeout(300)


if __name__ == "__main__":
    take_readme() if "README" in sys.argv else take_all()
