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


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
