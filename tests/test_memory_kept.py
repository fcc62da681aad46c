"""Memory of arrays that is kept for the next ones."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

AGAIN = """
import resource
import numpy as np
from hitcurve._threads import keep_memory
keep_memory()
for _ in range(3):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones(500_000) for _ in range(25)]  # 100 MB together
    del arrays
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(faults * resource.getpagesize())
"""


def bytes_asked_again(**environment: str) -> int:
    free = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    done = subprocess.run(
        [sys.executable, "-c", AGAIN], env={**free, **environment}, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc is the C library of Linux")
def test_memory_that_was_freed_is_not_asked_for_again_unless_the_environment_says_so() -> None:
    assert bytes_asked_again() < 5_000_000
    assert bytes_asked_again(MALLOC_TRIM_THRESHOLD_="131072") > 50_000_000
