"""What long work reports while it is done, and the line that shows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve._progress import ROWS, Bar, counted
from hitcurve.errors import ParameterError
from tests.sampled import binormal
from tests.shell import new_terminal

SAMPLE = binormal(40, 200, 1.0)
SCORES = {"a": SAMPLE.a, "b": np.round(SAMPLE.a, 1), "c": np.abs(SAMPLE.a)}


class Heard(list[tuple[str, int, int]]):
    """The steps, in the order in which they were reported."""

    def __call__(self, step: str, done: int, count: int) -> None:
        self.append((step, done, count))

    @property
    def ends(self) -> dict[str, tuple[int, int]]:
        return {step: (done, count) for step, done, count in self}


def evaluated(metrics: Any = "ap", **options: Any) -> hc.Evaluation:
    found: hc.Evaluation = hc.evaluate(SAMPLE.y, SCORES, metrics=metrics, **options)
    return found


LONG: dict[str, tuple[Callable[..., Any], str]] = {
    "evaluate": (lambda **o: evaluated(["ap", "auc"], **o).to_dict(), "values"),
    "evaluate by groups": (
        lambda **o: hc.evaluate(SAMPLE.y, SCORES, metrics="ap", by=[i % 4 for i in range(240)], **o).to_dict(),
        "lists",
    ),
    "evaluate_trec": (
        lambda **o: hc.evaluate_trec({"q": {"d1": 2.0, "d2": 1.0}}, {"q": {"d1": 1}}, metrics=["AP"], **o).to_dict(),
        "runs",
    ),
    "compare_all": (lambda **o: evaluated().compare_all("ap", method="bootstrap", **o).to_records(), "comparisons"),
    "winner": (lambda **o: evaluated("auc").winner("auc", **o).to_dict(), "rankers"),
    "band": (lambda **o: hc.band(SAMPLE.y, SAMPLE.a, method="bootstrap", **o).to_records(), "replicates"),
    "band of an evaluation": (lambda **o: evaluated().band("a", method="bootstrap", **o).to_records(), "replicates"),
    "sensitivity": (lambda **o: evaluated().sensitivity("alpha", [1, 7], **o).to_records(), "rankers along the alpha"),
}


@pytest.mark.parametrize("name", LONG)
def test_long_work_reports_its_steps_and_gives_the_same(name: str) -> None:
    work, step = LONG[name]
    heard = Heard()
    assert work(progress=heard) == work() == work(progress=False)
    assert step in heard.ends
    for done, count in heard.ends.values():
        assert done == count
    before: dict[str, int] = {}
    for what, done, _ in heard:
        assert not done or done > before.get(what, -1) or what == "replicates", what
        before[what] = done


def test_a_block_hears_what_is_computed_when_it_is_asked_for() -> None:
    ev = evaluated(["ap", "auc"])
    heard = Heard()
    with hc.progress(heard):
        str(ev)
    assert heard.ends["intervals"] == (6, 6)
    told = len(heard)
    str(evaluated())
    assert len(heard) == told


@pytest.mark.parametrize("given", ["yes", 1, None])
def test_what_is_no_listener_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="progress must be True, False or a function"):
        evaluated(progress=given)


def test_the_line_names_the_step_and_the_one_inside() -> None:
    bar = Bar()
    for step in (("comparisons", 0, 3), ("comparisons", 1, 3), ("replicates", 0, 2000), ("replicates", 500, 2000)):
        bar.hear(*step)
    assert bar.__rich__().startswith("comparisons: 1 of 3, replicates: 500 of 2,000  ")
    bar.hear("replicates", 2000, 2000)
    assert bar.__rich__().startswith("comparisons: 1 of 3  ")
    for done in (0, 70_000, 0, 70_000):
        bar.hear(ROWS, done, 0)
    assert "70,000 rows read in pass 2" in bar.__rich__()
    bar.hear("values", 0, 4)
    assert bar.__rich__().startswith("comparisons: 1 of 3, values: 0 of 4  ")
    assert list(counted("ab", "letters")) == ["a", "b"]


SCRIPT = """
import sys, time
import hitcurve._progress as p
p._PATIENCE = {patience}
from hitcurve.metrics import AUC
own = AUC.kernel
AUC.kernel = lambda self, c: (time.sleep(0.3), own(self, c))[1]
sys.argv = ["hitcurve", "evaluate", "t.csv", "-l", "y", "-s", "a", "-m", "auc", "-f", "json"]
from hitcurve.cli import main
main()
"""


@pytest.mark.parametrize(("patience", "shown"), [(0.0, True), (60.0, False)])
def test_the_line_is_shown_on_a_terminal_once_work_takes_long(tmp_path: Path, patience: float, shown: bool) -> None:
    lines = (f"{i % 2},{i * 7919 % 1000 / 7}" for i in range(20_000))
    (tmp_path / "t.csv").write_text("\n".join(["y,a", *lines]))
    command = [sys.executable, "-c", SCRIPT.format(patience=patience)]
    ours, theirs = new_terminal()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, cwd=tmp_path, env=environment) as running:
        os.close(theirs)
        seen = b"".join(_read_all(ours))
        out = running.stdout.read() if running.stdout else b""
    assert (b"values: 0 of 1" in seen) is shown, seen
    assert shown or not seen
    assert json.loads(out)["rows"]["read"] == 20_000
    if shown:  # but where no terminal is
        assert subprocess.run(command, capture_output=True, cwd=tmp_path, check=True).stderr == b""


def _read_all(handle: int) -> Iterator[bytes]:
    while True:
        try:
            part = os.read(handle, 1 << 16)
        except OSError:  # the other side was closed
            return
        if not part:
            return
        yield part
