"""Memory of arrays that is kept for the next ones."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import sums, table_rows
from hitcurve.counts import Counts

AGAIN = """
import resource
import numpy as np
from hitcurve._threads import {0}
{0}()
for _ in range(3):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones(500_000) for _ in range(25)]  # 100 MB together
    del arrays
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(faults * resource.getpagesize())
"""


def bytes_asked_again(first: str = "keep_memory", **environment: str) -> int:
    free = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    done = subprocess.run(
        [sys.executable, "-c", AGAIN.format(first)],
        env={**free, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc is the C library of Linux")
def test_memory_that_was_freed_is_not_asked_for_again_unless_the_environment_says_so() -> None:
    assert bytes_asked_again() < 5_000_000
    assert bytes_asked_again(MALLOC_TRIM_THRESHOLD_="131072") > 50_000_000
    assert bytes_asked_again("keep_little_memory") > 50_000_000


def test_one_large_table_at_a_time_keeps_what_is_worked_out_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.2
    scores = {name: rng.normal(size=500) + y for name in "ab"}
    kept = [(one.value, one.standard_error, one.interval) for one in hc.evaluate(y, scores, metrics=["ap", "auc"])]
    for name in ("LONG", "_LARGE"):
        monkeypatch.setattr(table_rows, name, 10)
    found = hc.evaluate(y, scores, metrics=["ap", "auc"])
    first, last = (vars(found.tables[name]) for name in "ab")
    for own, other in zip(found, kept, strict=True):
        assert (own.value, own.standard_error, own.interval) == other
    assert not {"counts", "lists", "_all_rows"} & first.keys()
    assert "lists" in last
    # nor do estimates keep its columns
    gc.collect()
    live = [one.neg for one in gc.get_objects() if isinstance(one, Counts)]
    for name, there in (("b", True), ("a", False)):
        rows = found.tables[name].lists.counts.neg
        assert any(np.array_equal(one, rows) for one in live) is there


def test_counts_that_wait_stay_short_and_do_not_overflow() -> None:
    one = sums.Sums(np.array([200, 0]), np.array([3, 70_000])).short()
    both = one + one
    assert [column.dtype for column in both[:2]] == [np.uint16, np.uint32]
    assert [column.tolist() for column in both[:2]] == [[400, 0], [6, 140_000]]
