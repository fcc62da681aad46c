"""The peak of a process with a memory limit, as the system measures it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc"),
]
LIMIT = 320 * 10**6
# not ru_maxrss, which begins with the size of the process that starts the command
COMMAND = """import atexit, pathlib, sys
atexit.register(lambda: sys.stderr.write(pathlib.Path("/proc/self/status").read_text()))
from hitcurve.cli import main
main()
"""
ROWS = 2 * 10**6


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return half positive rows with more scores than the limit holds, which take 60 MB as columns."""
    rng = np.random.default_rng(24)
    y = rng.random(ROWS) < 0.5
    a = rng.normal(size=ROWS) + 1.5 * y
    columns: dict[str, Any] = {"y": y.astype(np.int8), "a": a, "b": 0.7 * a + rng.normal(size=ROWS)}
    columns["w"] = rng.integers(1, 9, ROWS) / 4
    folder = tmp_path_factory.mktemp("long")
    table = pa.table(columns)
    pq.write_table(table, folder / "t.parquet")
    pyarrow.csv.write_csv(table, folder / "t.csv")
    return {"parquet": folder / "t.parquet", "csv": folder / "t.csv"}


def peak(*asked: object) -> int:
    """Return the largest resident size of the command, in bytes."""
    done = subprocess.run([sys.executable, "-c", COMMAND, *map(str, asked)], capture_output=True, text=True, check=True)
    return 1024 * int(done.stderr.rpartition("VmHWM:")[2].split()[0])


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("parquet", ()),
        ("parquet", ("--score", "b", "--weight", "w")),
        ("parquet", ("--bins", 1000, "--weight", "w")),
        ("csv", ()),
    ],
)
def test_evaluate_stays_within_its_limit(kind: str, options: tuple[object, ...], files: dict[str, Path]) -> None:
    asked = ("evaluate", files[kind], "--label", "y", "--score", "a", "-m", "auc", "-m", "ap")
    assert peak(*asked, *options, "--memory-limit", "320MB") < LIMIT


def test_table_stays_within_its_limit(files: dict[str, Path], tmp_path: Path) -> None:
    asked = ("table", files["parquet"], "--label", "y", "--score", "a", "-o", tmp_path / "a.hit")
    assert peak(*asked, "--memory-limit", "320MB") < LIMIT
