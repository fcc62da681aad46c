"""The doors by name."""

from __future__ import annotations

from tests.fuzz.case import Door
from tests.fuzz.doors import (
    arguments,
    commands,
    designs,
    differences,
    files,
    libraries,
    names,
    outputs,
    results,
    screens,
    tables,
    written,
)

DOORS: dict[str, Door] = {
    name: door
    for room in (
        written,
        arguments,
        files,
        tables,
        designs,
        differences,
        screens,
        libraries,
        names,
        commands,
        outputs,
        results,
    )
    for name, door in room.DOORS.items()
}
# how often each is tried: those of files take a hundred times as long as texts
SHARES: dict[str, int] = {
    "metric strings": 300, "magnifications and rates": 200, "columns": 200, "weights": 60, "options": 60,
    "counts and ranks": 100,
    "state files": 60, "evaluations as JSON": 30, "csv": 20, "json lines": 8, "parquet": 6, "trec": 10, "where": 6,
    "sums of tables": 60, "prevalences": 60, "cuts": 60, "days": 20,
    "survival": 40, "clusters": 40, "groups": 40, "comparisons": 40, "two samples": 40,
    "estimates and summaries": 40, "censored comparisons": 20, "screens": 20,
    "other libraries": 40, "command lines": 4,
    "figures": 4, "pages": 2, "days of tables": 20, "before Spark": 10,
    "arguments of results": 40, "names of files": 60, "long values": 60,
}  # fmt: skip
