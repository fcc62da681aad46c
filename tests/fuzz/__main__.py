"""``python -m tests.fuzz``: cases at random, their tally, and every fault with the command that repeats it."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import NamedTuple

from hitcurve.errors import HitcurveWarning
from tests.fuzz.doors import DOORS, SHARES

SECONDS = 20  # of computing that one case may take
_WAITING = 10  # times as long by the clock: other processes may be busy
_BLOCK = 500  # cases of one process at a time
_SHOWN = 10  # faults of one door that are printed


class Result(NamedTuple):
    """Cases of one block."""

    door: str
    seed: int
    first: int
    tally: Counter[str]
    faults: list[str]
    seconds: float


def one(door: str, seed: int, number: int, folder: Path) -> str:
    """Return how one case ended: a verdict.

    Raises
    ------
    Exception
        A fault, of any kind.
    """
    with _limited(), warnings.catch_warnings():
        # what numpy or another package warns of is a fault: a value that is made up, or an interface that will go
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", HitcurveWarning)
        return DOORS[door](Random(f"{door}/{seed}/{number}"), folder).value


@contextmanager
def _limited() -> Iterator[None]:
    def late(signum: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"no answer in {SECONDS} seconds")

    timers = (signal.SIGPROF, signal.ITIMER_PROF, SECONDS), (signal.SIGALRM, signal.ITIMER_REAL, _WAITING * SECONDS)
    before = [signal.signal(number, late) for number, _, _ in timers]
    for _, timer, seconds in timers:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


def block(door: str, seed: int, numbers: range, notes: Path) -> Result:
    """Run some cases of one door; which one it is at is written down, for a process that crashes says nothing."""
    tally: Counter[str] = Counter()
    faults: list[str] = []
    start = time.process_time()
    with tempfile.TemporaryDirectory() as name:
        at = notes / str(os.getpid())
        for number in numbers:
            at.write_text(f"--door {door!r} --seed {seed} --case {number}")
            try:
                tally[one(door, seed, number, Path(name))] += 1
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # a panic of another language is one, and no Exception
                tally["fault"] += 1
                where = traceback.extract_tb(error.__traceback__)[-1]
                says = f"{type(error).__name__}: {error}"[:600]
                faults.append(
                    f"--door {door!r} --seed {seed} --case {number}: {says} [{where.filename}:{where.lineno}]"
                )
    return Result(door, seed, numbers.start, tally, faults, time.process_time() - start)


def blocks(
    cases: int, seed: int, doors: list[str], notes: Path, done: Collection[tuple[str, int, int]] = ()
) -> list[tuple[str, int, range, Path]]:
    """Return the work that is not done, by the shares of the doors, all doors from the beginning on."""
    whole = sum(SHARES[door] for door in doors)
    found = []
    for door in doors:
        count = -(-cases * SHARES[door] // whole)
        found += [
            (first / count, (door, seed, range(first, min(count, first + _BLOCK)), notes))
            for first in range(0, count, _BLOCK)
            if (door, seed, first) not in done
        ]
    return [work for _, work in sorted(found, key=lambda each: each[0])]


def kept(path: Path | None) -> list[Result]:
    """Return the blocks of a file that earlier runs have written, each once."""
    if path is None or not path.exists():
        return []
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    found = {
        (door, seed, first): Result(door, seed, first, Counter(tally), faults, seconds)
        for door, seed, first, tally, faults, seconds in lines
    }
    return list(found.values())


def main() -> int:
    """Run cases; return 1 if there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--door", choices=DOORS, action="append")
    parser.add_argument("--case", type=int, help="one case of one door, with its traceback")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--kept", type=Path, help="file of blocks that are done: what is in it is not run again")
    given = parser.parse_args()
    doors = given.door or list(DOORS)
    if given.case is not None:
        with tempfile.TemporaryDirectory() as name:
            print(one(doors[0], given.seed, given.case, Path(name)))
        return 0
    results = kept(given.kept)
    done = {(r.door, r.seed, r.first) for r in results}
    shown: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(given.processes) as pool:
        work = blocks(given.cases, given.seed, doors, Path(name), done)
        try:
            for result in pool.map(block, *zip(*work, strict=True)) if work else ():
                results.append(result)
                if given.kept:
                    with given.kept.open("a") as out:
                        out.write(json.dumps(result) + "\n")
                for fault in result.faults[: max(0, _SHOWN - shown[result.door])]:
                    print(fault, file=sys.stderr, flush=True)
                shown[result.door] += len(result.faults)
        except BrokenProcessPool:
            last = sorted(note.read_text() for note in Path(name).iterdir())
            print("a process crashed, at one of:", *last, sep="\n", file=sys.stderr)
            return 1
    return _tally(results)


def _tally(results: list[Result]) -> int:
    """Print the cases of each door; return 1 if there was a fault."""
    print("| door | cases | confirmed | refused | faults | CPU s |\n| --- | --: | --: | --: | --: | --: |")
    for door in dict.fromkeys(result.door for result in results):
        mine = [result for result in results if result.door == door]
        tally = sum((result.tally for result in mine), Counter[str]())
        counts = " | ".join(f"{tally[kind]:,}" for kind in ("confirmed", "refused", "fault"))
        print(f"| {door} | {tally.total():,} | {counts} | {sum(result.seconds for result in mine):,.0f} |")
    faults = sum(len(result.faults) for result in results)
    print(f"{sum(result.tally.total() for result in results):,} cases, {faults} faults")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
