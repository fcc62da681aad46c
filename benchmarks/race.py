"""Two ways to do one piece of work, taking turns: what is timed, and what is written down."""

from __future__ import annotations

import csv
import resource
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Race:
    """Two ways to do one piece of work.

    Attributes
    ----------
    work, against : str
    ours, theirs : callable
    floor : float or None
        The ratio that is asked for.
    times : float
        By how much the time of ``theirs``, done on a sample, is multiplied.
    limit : callable or None
        What no way could do without, as a bare sort.
    few : bool
        Whether the work is so long that three runs of it must do.
    again : int
        How often a short piece of work is done in one run, so that the clock sees it.
    """

    work: str
    against: str
    ours: Callable[[], object]
    theirs: Callable[[], object]
    floor: float | None = None
    times: float = 1.0
    limit: Callable[[], object] | None = None
    few: bool = False
    again: int = 1


class Missing(NamedTuple):
    """A row that cannot be run because a package is not installed."""

    work: str
    package: str


@dataclass(frozen=True)
class Row:
    """What a race gave; ratios are theirs over ours, so that above 1 is faster."""

    work: str
    against: str
    runs: int
    floor: float | None
    ratio: float
    ratio_min: float
    ratio_max: float
    cpu_ratio: float
    ours_ms: float
    ours_cpu_ms: float
    theirs_ms: float
    theirs_cpu_ms: float
    in_sorts: float | None

    def __str__(self) -> str:
        """Return the row in words."""
        asked = "" if self.floor is None else f", {self.floor:.3g} asked"
        limit = "" if self.in_sorts is None else f"; {self.in_sorts:.1f} bare sorts in two threads"
        sides = ((self.ours_ms, self.ours_cpu_ms), (self.theirs_ms, self.theirs_cpu_ms))
        took = " to ".join(f"{wall:.4g} ms (CPU {cpu:.4g})" for wall, cpu in sides)
        return (
            f"{self.work}: {self.ratio:.3g} times as fast as {self.against} ({self.ratio_min:.3g} to "
            f"{self.ratio_max:.3g}{asked}; CPU {self.cpu_ratio:.3g}); {took}{limit}"
        )


class WrongValueError(AssertionError):
    """A number that differs from another tool's."""


def agree(what: str, ours: object, theirs: object, tolerance: float = 1e-12) -> None:
    off = float(np.max(np.abs(np.asarray(ours, float) - np.asarray(theirs, float))))
    if not off <= tolerance:
        raise WrongValueError(f"{what}: off by {off:.1e}")


# ---- the clock


def spent(call: Callable[[], object], again: int = 1) -> tuple[float, float]:
    """Return milliseconds on the clock and of CPU, of all threads and of processes that ended."""

    def cpu() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    before, start = cpu(), time.perf_counter()
    for _ in range(again):
        call()
    return 1e3 * (time.perf_counter() - start) / again, 1e3 * (cpu() - before) / again


def run(race: Race, repeats: int) -> Row:
    """Let both sides take turns."""
    runs = min(repeats, 3) if race.few else repeats
    ours, theirs, limits = [], [], []
    for _ in range(runs):
        theirs.append([race.times * t for t in spent(race.theirs, race.again)])
        ours.append(spent(race.ours, race.again))
        if race.limit is not None:
            limits.append(spent(race.limit, race.again)[0])
    pairs = [b[0] / a[0] for a, b in zip(ours, theirs, strict=True)]
    in_cpu = [b[1] / max(a[1], 1e-6) for a, b in zip(ours, theirs, strict=True)]
    mine, others = ([statistics.median(x) for x in zip(*side, strict=True)] for side in (ours, theirs))
    return Row(
        work=race.work,
        against=race.against,
        runs=runs,
        floor=race.floor,
        ratio=statistics.median(pairs),
        ratio_min=min(pairs),
        ratio_max=max(pairs),
        cpu_ratio=statistics.median(in_cpu),
        ours_ms=mine[0],
        ours_cpu_ms=mine[1],
        theirs_ms=others[0],
        theirs_cpu_ms=others[1],
        in_sorts=mine[0] / statistics.median(limits) if limits else None,
    )


def write(path: Path, rows: list[Row]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Row)], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in asdict(row).items()})
