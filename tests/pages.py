"""A browser for the tests of the page, and evaluations to make pages of."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.evaluation.sensitivities.sensitivity_grids import default_grid
from hitcurve.report.html import data

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NAMES = ("trees", "model", "rule")
VIEWPORT = {"width": 1280, "height": 900}
_OPENERS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
METRICS = ("ap", "auc", "croc(exp, alpha=7)", "recall@1%", "ef@1%")
ODD = (
    "<script>alert(1)</script>",
    'a"b',
    "x" * 200,
    "\N{LATIN CAPITAL LETTER U WITH DIAERESIS}bung \N{OWL} \N{RIGHT-TO-LEFT OVERRIDE}abc",
    "</script><b>",
    "a\nb\t`${1}`",
    "{{7*7}}",
    "&amp;'",
    "$&",
    "</textarea><!--",
    "0",
    "\N{LINE SEPARATOR}\\u003c",
)


def normal_scores(
    names: tuple[str, ...], positives: int, subjects: int, *, seed: int = 0, decimals: int | None = None
) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    y = np.zeros(subjects, int)
    y[:positives] = 1
    common = rng.normal(size=subjects)
    scores = {name: common / 2 + rng.normal(size=subjects) + (1.8 - 0.1 * i) * y for i, name in enumerate(names)}
    return y, scores if decimals is None else {name: np.round(s, decimals) for name, s in scores.items()}


def evaluation(names: tuple[str, ...], positives: int, subjects: int, **options: Any) -> hc.Evaluation:
    y, scores = normal_scores(names, positives, subjects)
    found: hc.Evaluation = hc.evaluate(y, scores, metrics=options.pop("metrics", METRICS), **options)
    return found


def grouped(
    groups: int | tuple[str, ...],
    names: tuple[str, ...] = NAMES[:2],
    positives: int = 6,
    subjects: int = 60,
    **options: Any,
) -> hc.GroupedEvaluation:
    """Evaluate groups of which some are harder than others."""
    which = groups if isinstance(groups, tuple) else tuple(f"topic {i}" for i in range(1, groups + 1))
    rng = np.random.default_rng(1)
    y = np.tile(np.repeat([1, 0], [positives, subjects - positives]), len(which))
    ease = np.repeat(rng.normal(1.2, 0.8, len(which)), subjects)
    scores = {name: rng.normal(size=y.size) + ease * y * (1 - 0.05 * i) for i, name in enumerate(names)}
    metrics = options.pop("metrics", METRICS)
    found: hc.GroupedEvaluation = hc.evaluate(y, scores, by=np.repeat(which, subjects), metrics=metrics, **options)
    return found


def bracket(low: float, high: float) -> str:
    return f"[{rows.number(low, 3)}, {rows.number(high, 3)}]"


@dataclass
class Opened:
    """A page in a browser, with everything that it said or asked for."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        text: str = self.page.locator(selector).inner_text()
        return text

    def answers(self, name: str) -> dict[str, list[str]]:
        """Return the cells of a table of answers, by ranker."""
        rows = self.page.evaluate(
            "id => [...document.querySelectorAll(`#answers-${id} tbody tr`)].map(row => [...row.cells].map(cell =>"
            " [...cell.children].length ? [...cell.children].map(part => part.textContent).join(' ')"
            " : cell.textContent))",
            name,
        )
        return {row[0]: row[1:] for row in rows}

    def slide(self, name: str, place: int) -> None:
        self.page.locator(f"#{name}-slider").fill(str(place))

    def type(self, selector: str, text: str) -> None:
        self.page.locator(selector).fill(text)
        self.page.locator(selector).press("Tab")

    def path_of(self, chart: str) -> list[str]:
        paths: list[str] = self.page.evaluate(
            "id => [...document.querySelectorAll(`#chart-${id} g.mark-line path`)].map(path => path.getAttribute('d'))",
            chart,
        )
        return paths


@contextmanager
def coarse() -> Iterator[None]:
    """Make grids so coarse that a page is made in no time."""

    def few(along: str, tables: Any, *, part: int = 1) -> tuple[Any, ...]:
        grid = default_grid(along, tables, part=part)
        here = next(iter(tables.values())).prevalence
        kept = {*grid[:: max(len(grid) // 6, 1)], *([here] if along == "prevalence" else [])}
        return tuple(sorted(kept))

    with mock.patch.object(data, "default_grid", few):
        yield


def installed_browser() -> str:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        missing = f"no browser: none of {', '.join(BROWSERS)} is installed"
        # continuous integration installs one
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    return path


def _popup(browser: Any) -> Any:
    """Return a new page of the one window of all pages, in the process of the empty page that opens it."""
    if browser not in _OPENERS:
        _OPENERS[browser] = browser.new_context().new_page()
        # of the scheme of the others, which stay in its process
        _OPENERS[browser].goto(Path(__file__).with_name("empty.html").as_uri())
    with _OPENERS[browser].expect_popup() as popup:
        _OPENERS[browser].evaluate("() => { window.open('about:blank'); }")
    return popup.value


@contextmanager
def opened(
    browser: Any, where: Path | str, *, fragment: str = "", ready: str = "html[data-ready=yes]", **context: Any
) -> Iterator[Opened]:
    """Open a file or an address and wait until its script is done.

    The pages, which store nothing, are opened by one page, in whose process the libraries of charts are compiled: a
    process of its own takes twice as long, and is for a page that may do more than others.
    """
    address = where if isinstance(where, str) else where.as_uri()
    viewport, scheme = context.pop("viewport", VIEWPORT), context.pop("color_scheme", "light")
    window = browser.new_context(**context) if context else None
    page = window.new_page() if window else _popup(browser)
    page.set_viewport_size(viewport)
    page.emulate_media(color_scheme=scheme)
    out = Opened(page)

    def dialog(box: Any) -> None:
        out.dialogs.append(box.message)
        box.dismiss()

    page.on("console", lambda message: out.said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: out.said.append(f"error: {error}"))
    page.on("request", lambda request: out.asked.append(request.url))
    page.on("dialog", dialog)
    try:
        page.goto(address + (f"#{fragment}" if fragment else ""))
        page.wait_for_selector(ready, timeout=60_000)
        yield out
    finally:
        (window or page).close()
