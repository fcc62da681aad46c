"""What all tests share, examples in docstrings and pages among them: pictures are drawn without a screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

os.environ["MPLBACKEND"] = "Agg"
# several processes of tests share the processors: threads of BLAS that wait for each other take many times as long
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--part 2/3``: every third test, from the second on, so that each part has tests of all files."""
    parser.addoption("--part", type=_part, default=(1, 1), help="which of how many parts of the tests: 2/3")


def _part(text: str) -> tuple[int, int]:
    which, of = map(int, text.split("/"))
    if not 1 <= which <= of:
        raise ValueError(text)
    return which, of


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests of the other parts."""
    which, of = config.option.part
    config.hook.pytest_deselected(items=[item for place, item in enumerate(items) if place % of != which - 1])
    items[:] = items[which - 1 :: of]


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
