"""Threads, forks and spawned processes: the same bits as alone, and nobody waits for a thread that is not there."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import hitcurve as hc
from tests.shell import AS_USERS_HAVE_IT

SCRIPT = """
import faulthandler, multiprocessing, pickle, sys
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
import hitcurve as hc

def data(seed, n=1000):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    return y, {name: rng.normal(size=n) + y for name in "ab"}

def told(ev):
    return str(ev), str(ev.compare_all("ap"))

def work(given):
    faulthandler.dump_traceback_later(150, exit=True)  # where it waits, instead of for ever
    seed, pickled, path = given
    y, s = data(seed)
    drawn = hc.evaluate(y, s, metrics=["ap"], interval_method="percentile")
    copy = pickle.loads(pickled)
    of_file = hc.evaluate("y", ["a", "b"], data=path, where="a > -1", metrics=["ap"])
    out = [told(hc.evaluate(y, s, metrics=["auc", "ap"])), str(drawn), told(copy), told(of_file)]
    out.append(pickle.dumps(copy) == pickle.dumps(pickle.loads(pickle.dumps(copy))))
    faulthandler.cancel_dump_traceback_later()
    return out

if __name__ == "__main__":
    path, how = sys.argv[1:]
    y, s = data(0, 40_000)
    pq.write_table(pa.table({"y": y, **s}), path, row_group_size=10_000)
    square = np.random.default_rng(0).normal(size=(400, 400))
    square @ square
    given = [(seed, pickle.dumps(hc.evaluate(*data(9), metrics=["auc", "ap"])), path) for seed in range(2)]
    alone = list(map(work, given))
    with multiprocessing.get_context(how).Pool(2) as pool:
        assert pool.map_async(work, given).get(200) == alone
    print("equal")
"""


# joblib adds methods of its own to a process that imports it
@pytest.mark.slow
@pytest.mark.parametrize("how", [how for how in multiprocessing.get_all_start_methods() if "loky" not in how])
def test_processes_give_the_same_bits(how: str, tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "x.py", "x.parquet", how],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        env=AS_USERS_HAVE_IT | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))},
    )
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr


FORKED = """
import faulthandler, os, sys, threading
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
import hitcurve as hc
from hitcurve import _folders
from hitcurve.errors import UnreadableFileError

rng = np.random.default_rng(0)
y = rng.random(40_000) < 0.1
columns = {"y": y, "a": rng.normal(size=y.size) + y, "b": rng.normal(size=y.size) + y}
pq.write_table(pa.table(columns), "x.parquet", row_group_size=10_000)
ev = hc.evaluate("y", ["a", "b"], data="x.parquet", where="a > -1", metrics=["auc", "ap"])
entered, left = threading.Event(), threading.Event()

def occupy():
    with _folders._GUARD:
        entered.set()
        left.wait(1)

threading.Thread(target=occupy).start()
entered.wait()
reader, writer = os.pipe()
if os.fork() == 0:
    faulthandler.dump_traceback_later(150, exit=True)
    os.write(writer, str(ev.compare_all("ap")).encode())  # asks the file again
    os._exit(0)
os.close(writer)
with open(reader, "rb") as said:
    found = said.read().decode()
os.wait()
left.set()
assert found == str(ev.compare_all("ap")), found
print("equal")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a fork of POSIX")
def test_a_fork_asks_the_file_of_its_parent_by_itself(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED], cwd=tmp_path, capture_output=True, text=True, timeout=240,
        env=AS_USERS_HAVE_IT | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr


@pytest.mark.slow
def test_threads_with_data_of_their_own_give_the_same_bits() -> None:
    def told(seed: int) -> str:
        rng = np.random.default_rng(seed)
        y = rng.random(400 + seed) < 0.2
        ev = hc.evaluate(y, {name: rng.normal(size=y.size) + y for name in "ab"}, metrics=["auc", "ap"])
        return f"{ev}\n{ev.compare_all('ap')}"

    alone = list(map(told, range(32)))
    with ThreadPoolExecutor(32) as pool:
        assert list(pool.map(told, range(32))) == alone
    assert len(set(alone)) == 32
