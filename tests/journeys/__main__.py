"""``python -m tests.journeys`` prints how long each person takes by each door, in seconds."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests.journeys import DOORS, PEOPLE, walk


def seconds(person: str, door: str) -> float:
    """Return the time of one script, in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        before = time.perf_counter()
        walk(person, door, Path(folder)).check_returncode()
        return time.perf_counter() - before


if __name__ == "__main__":
    print(f"{'':10}{'shell':>8}{'Python':>8}")
    for person in PEOPLE:
        print(f"{person:10}" + "".join(f"{seconds(person, door):8.1f}" for door in DOORS))
