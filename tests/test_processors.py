"""Results are those of any processor: counts and printed digits are equal, values but for rounding."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.machine import differences, levels

ROOT = Path(__file__).parents[1]
WIDE = [name for name in levels() if "512" in name or name == "X86_V4"]

pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="levels of instructions are named as on x86-64"
)


def run(*arguments: str, **environment: str) -> str:
    """Run the results in a process of its own, since libraries choose their instructions as they are loaded."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.machine", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("machine") / "here.json"
    path.write_text(run(), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("without", "core"), [(WIDE, "Haswell"), (levels(), "Prescott")], ids=["256 bits", "least"])
def test_instructions_change_no_count_and_no_digit(here: Path, without: list[str], core: str) -> None:
    said = run(str(here), NPY_DISABLE_CPU_FEATURES=" ".join(without), OPENBLAS_CORETYPE=core)
    assert f"'simd': '{' '.join(name for name in levels() if name not in without)}'" in said, said
    assert "\n0 faults" in said


def test_a_value_that_differs_is_a_fault(here: Path) -> None:
    mine: dict[str, Any] = json.loads(here.read_text(encoding="utf-8"))
    other = json.loads(json.dumps(mine))
    value = float.fromhex(other["values"]["metrics fine"][0])
    other["values"]["metrics fine"][0] = (value + 3e-13).hex()
    other["values"]["metrics fine"][1] = (float.fromhex(other["values"]["metrics fine"][1]) + 3e-14).hex()
    other["counts"]["certified"][0][1] += 1
    other["printed"]["winner"] += " "
    faults, bits, _ = differences(mine, other)
    assert len(faults) == 3
    assert bits == {"metrics fine": 2}
