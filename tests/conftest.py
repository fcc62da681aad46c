from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hitcurve as hc
from tests.data import NO_DATA, data_folder
from tests.pages import NAMES, coarse, evaluation, installed_browser
from tests.shell import shell

__all__ = ["shell"]

collect_ignore_glob = ["journeys/*.py"]  # scripts, which work as soon as they are imported

# Files of which most tests open a browser, start other processes (the shell, Spark, Dask) or simulate. `make test`
# leaves them to `make slow`, as it does each test elsewhere that takes some seconds in all its cases: they are marked
# where they stand. Together they are three quarters of the time of all tests.
SLOW = frozenset(
    [
        "completion",
        "dask",
        "difference_intervals",
        "end_model",
        "estimates",
        "files",
        "formats",
        "golden",
        "hostile_input",
        "journeys",
        "kept",
        "many_rankers",
        "messages",
        "mirrored",
        "page_colors",
        "page_policy",
        "papers",
        "papers_again",
        "papers_areas",
        "papers_rates",
        "plot_command",
        "plot_looks",
        "plot_print",
        "points_open",
        "progress",
        "readers_page",
        "report_address",
        "report_answer",
        "report_axe",
        "report_browser",
        "report_decision",
        "report_files",
        "report_groups",
        "report_groups_browser",
        "report_looks",
        "report_print",
        "screen_page",
        "spark",
        "survival_page",
        "tutorials",
        "validation_quick",
    ]
)


def pytest_configure() -> None:
    """Take Ctrl-C, which a shell that starts tests in the background lets them ignore, and all that they start."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run one process more than there are processors where tests wait for browsers, Java and processes of their own."""
    if config.option.markexpr != "slow" or "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage among tests that are collected, then or later: they stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave unread the files of which ``-m slow``, or ``-m "not slow"``, would take no test."""
    asked, name = config.option.markexpr, collection_path.stem.removeprefix("test_")
    if asked not in ("slow", "not slow") or not collection_path.is_file() or name == collection_path.stem:
        return None
    if name in SLOW:
        return asked == "not slow" or None
    return (asked == "slow" and "mark.slow" not in collection_path.read_text(encoding="utf-8")) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    gone = sorted(name for name in SLOW if not (here / f"test_{name}.py").is_file())
    if gone:
        raise pytest.UsageError(f"tests/conftest.py calls files slow that are not there: {', '.join(gone)}")
    for item in items:
        if item.path.parent == here and item.path.stem.removeprefix("test_") in SLOW:
            item.add_marker(pytest.mark.slow)
    # at the head of the list they stay with one process, which starts one Java
    items.sort(key=lambda item: "spark" not in item.nodeid.casefold())


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip(NO_DATA)
    return folder


@pytest.fixture(scope="session")
def ev() -> hc.Evaluation:
    return evaluation(NAMES, 60, 1500)


@pytest.fixture(scope="session")
def whole_page(ev: hc.Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hc.report(ev, tmp_path_factory.mktemp("page") / "report.html", "Three rankers")


@pytest.fixture
def coarse_grids() -> Iterator[None]:
    """Make grids so coarse that a page is made in no time."""
    with coarse():
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    # looked for first: the driver needs libraries that come with a browser, and ends without a word where they lack
    path = installed_browser()
    with sync_api.sync_playwright() as playwright:
        # one process less, to which every frame would be sent
        args = ["--no-sandbox", "--in-process-gpu"]
        program = playwright.chromium.launch(executable_path=path, args=args)
        yield program
        program.close()
