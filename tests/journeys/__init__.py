"""Five people do their whole job, on the command line and in Python, from the package and its data alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
PEOPLE = ("trial", "docking", "review", "fraud", "pipelines")
DOORS = ("sh", "py")


def walk(person: str, door: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the script of a person in a folder; files are written there."""
    script = str(FOLDER / f"{person}.{door}")
    command = ["bash", "-euo", "pipefail", script] if door == "sh" else [sys.executable, script]
    beside = str(Path(sys.executable).parent)
    settings = {**os.environ, "PATH": f"{beside}{os.pathsep}{os.environ['PATH']}", "MPLBACKEND": "Agg"}
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True)
