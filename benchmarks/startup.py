"""CPU time of ``import hitcurve`` and of ``hitcurve --help`` in fresh processes, and what they load.

``python -m benchmarks.startup [--quick]``. The exit code is 1 if a public name loads a heavy module or a process fails,
whatever the times.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HEAVY = ("pandas", "pyarrow", "matplotlib", "sklearn", "scipy.stats", "duckdb", "polars")


def cpu_milliseconds(command: Sequence[str]) -> float:
    """Run a command to its end; return its user and system time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def console_script() -> str | None:
    """Return the console script beside this interpreter, or the one on the path."""
    beside = Path(sys.executable).with_name("hitcurve")
    return str(beside) if beside.exists() else shutil.which("hitcurve")


def heavy_modules() -> list[str]:
    """Return which heavy modules the public names load."""
    code = f"import sys, hitcurve; hitcurve.evaluate; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()


def commands() -> dict[str, list[str]]:
    def python(code: str) -> list[str]:
        return [sys.executable, "-c", code]

    out = {
        "python": python("pass"),
        "import numpy": python("import numpy"),
        "import hitcurve": python("import hitcurve"),
        "its first name": python("import hitcurve; hitcurve.evaluate"),
    }
    script = console_script()
    if script is None:
        print("hitcurve --help: skipped, the console script is not installed")
    else:
        out["hitcurve --help"] = [script, "--help"]
    return out


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.startup", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few runs")
    parser.add_argument("--repeats", type=int, help="runs of each command, interleaved (15; 3 if quick)")
    given = parser.parse_args(arguments)
    repeats = given.repeats or (3 if given.quick else 15)
    todo = commands()
    spent: dict[str, list[float]] = {name: [] for name in todo}
    failed = []
    for name, command in list(todo.items()):
        try:
            cpu_milliseconds(command)  # the first run may write bytecode
        except subprocess.CalledProcessError as error:
            failed.append(f"{name} left with {error.returncode}")
            del todo[name]
    for _ in range(repeats):
        for name, command in todo.items():
            spent[name].append(cpu_milliseconds(command))
    medians = {name: statistics.median(times) for name, times in spent.items() if times}
    unit = medians.get("import numpy", 0.0) - medians.get("python", 0.0)
    for name, value in medians.items():
        beyond = value - medians["python"]
        relative = f", beyond bare python {beyond / unit:.2f} times import numpy" if unit > 0 else ""
        print(f"{name}: {value:.0f} ms user + system{relative}")
    loaded = heavy_modules()
    print(f"heavy modules after the first name: {', '.join(loaded) or 'none'}")
    if loaded:
        failed.append(f"the public names load {', '.join(loaded)}")
    for message in failed:
        print(message, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
