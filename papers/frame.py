"""What the scripts of papers share: numbers beside the published ones, verdicts, files, the command line.

A row claims a verdict, and the claim is checked where the row is made: what does not hold is ``failed``, and a script
with such a row ends with exit code 1. Of a number that chance or an open choice moves the verdict follows from its
error or its range by rule (``by_error``, ``by_range``), and cannot be claimed.

matched
    Ours, rounded as the paper rounds, is what it prints; or the statement of the paper holds.
approached
    Ours is another number, and the distance is beside it: no more than two standard errors, or what is printed lies in
    the range over what the paper leaves open. Of a statement: it holds in part.
misprint
    What is printed cannot be right, and a computation shows it.
not reproduced
    Ours is another number, or the statement does not hold here, for a stated reason.
holds
    The paper does not say it; it is shown beside what the paper says.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import scipy
from validation.running import shown

import hitcurve as hc

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RESULTS = Path(__file__).parent / "results"
FAILED = "failed"
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")  # series are told apart by these as well as by colour
STYLES = ("-", "--", "-.", ":")  # of lines without points

Line: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One number of a paper beside ours.

    Attributes
    ----------
    item : str
        Where it stands, and of what it is.
    published : str
        As printed.
    ours : float or str
    verdict : str
        One of those above.
    reason : str
        Why it is not what is printed; empty if it is.
    tolerance : float or None
        Share of what is published that two standard errors are.
    """

    item: str
    published: str
    ours: float | str
    verdict: str
    reason: str = ""
    tolerance: float | None = None

    @property
    def line(self) -> Line:
        """What goes into a file."""
        ours = f"{self.ours:.6g}" if isinstance(self.ours, float) else str(self.ours)
        return {
            "item": self.item,
            "published": self.published,
            "ours": ours,
            "verdict": self.verdict,
            "tolerance": "" if self.tolerance is None else f"{self.tolerance:.4g}",
            "distance": self.distance,
            "reason": self.reason,
        }

    @property
    def distance(self) -> str:
        """How far a number is from what is printed; empty if it is that number, or no number."""
        if self.verdict == "matched" or not isinstance(self.ours, float | int):
            return ""
        try:
            return f"{self.ours - float(self.published):+.3g}"
        except ValueError:
            return ""


def rounds_to(value: float, printed: str) -> bool:
    """Say whether a value is what is printed, in the digits that are printed."""
    places = len(printed.partition(".")[2])
    # a hair more than half a unit: the half itself may be rounded to either side
    return abs(value - float(printed)) <= 0.500001 * 10.0**-places


def matched(item: str, printed: str, ours: float, reason: str = "") -> Row:
    """Return the row of a number that must be what is printed."""
    return Row(item, printed, float(ours), "matched" if rounds_to(ours, printed) else FAILED, reason)


def stated(item: str, published: str, ours: float | str, holds: bool, reason: str = "") -> Row:
    """Return the row of a statement of the paper, or of a picture without numbers, that must hold."""
    return Row(item, published, ours, "matched" if holds else FAILED, reason)


def by_error(item: str, printed: str, ours: float, error: float, reason: str) -> Row:
    """Return the row of a number that chance moves: approached within two of its standard errors, or not reproduced.

    Half a unit of the last printed digit is added, which the paper may have rounded away.
    """
    if rounds_to(ours, printed):
        return Row(item, printed, float(ours), "matched")
    off, half = abs(ours - float(printed)), 0.5 * 10.0 ** -len(printed.partition(".")[2])
    if off <= 2 * error + half:
        return Row(item, printed, float(ours), "approached", reason, 2 * error / abs(float(printed)))
    return Row(item, printed, float(ours), "not reproduced", f"{off / error:.1f} standard errors off; {reason}")


def by_range(item: str, printed: str, ours: float, ends: tuple[float, float], reason: str) -> Row:
    """Return the row of a number that a choice moves which the paper leaves open, with its range over the choices."""
    if rounds_to(ours, printed):
        return Row(item, printed, float(ours), "matched")
    half = 0.500001 * 10.0 ** -len(printed.partition(".")[2])
    inside = min(ends) - half <= float(printed) <= max(ends) + half
    return Row(item, printed, float(ours), "approached" if inside else "not reproduced", reason)


def in_part(item: str, published: str, ours: str, holds: bool, reason: str) -> Row:
    """Return the row of a statement that holds in part: ``holds`` is that part."""
    return Row(item, published, ours, "approached" if holds else FAILED, reason)


def misprint(item: str, printed: str, ours: float | str, shown: bool, reason: str) -> Row:
    """Return the row of a number or formula that is misprinted.

    ``shown``: whether a computation shows that what is printed is wrong, and that ours is right.
    """
    return Row(item, printed, ours, "misprint" if shown and not _same(ours, printed) else FAILED, reason)


def not_reproduced(item: str, printed: str, ours: float, reason: str) -> Row:
    """Return the row of a number that nothing public gives; ours must not be what is printed."""
    return Row(item, printed, float(ours), FAILED if rounds_to(ours, printed) else "not reproduced", reason)


def refuted(item: str, published: str, ours: float | str, holds: bool, reason: str) -> Row:
    """Return the row of a statement that does not hold here: the claim fails if it does after all."""
    return Row(item, published, ours, FAILED if holds else "not reproduced", reason)


def claimed(item: str, published: str, ours: float | str, holds: bool, why_not: str = "") -> Row:
    """Return the row of a statement of the paper; with a reason why it does not hold here, that is what is claimed."""
    return refuted(item, published, ours, holds, why_not) if why_not else stated(item, published, ours, holds)


def shown_here(item: str, ours: float | str, holds: bool, reason: str = "") -> Row:
    """Return the row of what the paper does not say."""
    return Row(item, "", ours, "holds" if holds else FAILED, reason)


def _same(ours: float | str, printed: str) -> bool:
    return ours == printed if isinstance(ours, str) else rounds_to(ours, printed)


# ---- files


@dataclass(frozen=True)
class Folder:
    """The results of one paper, ``papers/results/NAME``.

    Attributes
    ----------
    name : str
        The script, without ``papers.``.
    """

    name: str

    @property
    def path(self) -> Path:
        """Where it lies."""
        return RESULTS / self.name

    def write(self, table: str, lines: Iterable[Mapping[str, Any]], said: str = "") -> Path:
        """Write a table under one line that says where it is from: the whole table, or nothing."""
        body = list(lines)
        about = f"python -m papers.{self.name}; {said + '; ' if said else ''}{versions()}"
        with self._whole(f"{table}.csv") as path, path.open("w", newline="", encoding="utf-8") as file:
            file.write(f"# {about}\n")
            writer = csv.DictWriter(file, list(body[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(body)
        return self.path / f"{table}.csv"

    def save(self, picture: str, figure: Figure) -> Path:
        """Write a picture, and close it."""
        import matplotlib.pyplot as plt

        with self._whole(f"{picture}.png") as path:
            # without the version of matplotlib: the same picture is the same file
            figure.savefig(path, dpi=110, format="png", metadata={"Software": None})
        plt.close(figure)
        return self.path / f"{picture}.png"

    def write_all(
        self,
        rows: Sequence[Row],
        tables: Mapping[str, Sequence[Mapping[str, Any]]],
        figures: Mapping[str, Callable[[], Figure]],
        said: str = "",
    ) -> None:
        """Write the rows as ``comparison.csv``, the tables, and the pictures, which are drawn from the tables."""
        for name, lines in {**tables, "comparison": [row.line for row in rows]}.items():
            self.write(name, lines, said)
        for name, draw in figures.items():
            self.save(name, draw())

    def read(self, table: str) -> list[dict[str, str]]:
        """Read a table that was written."""
        with (self.path / f"{table}.csv").open(newline="", encoding="utf-8") as file:
            next(file)
            return list(csv.DictReader(file))

    def numbers(self, table: str) -> list[Line]:
        """Read a table that was written, with numbers where its cells are numbers."""
        return [{name: _number(cell) for name, cell in line.items()} for line in self.read(table)]

    def about(self, table: str) -> str:
        """Return the line that says where a table is from."""
        with (self.path / f"{table}.csv").open(encoding="utf-8") as file:
            return next(file).removeprefix("# ").rstrip()

    @contextmanager
    def _whole(self, file: str) -> Iterator[Path]:
        self.path.mkdir(parents=True, exist_ok=True)
        unfinished = self.path / f".{file}.{os.getpid()}"
        try:
            yield unfinished
            unfinished.replace(self.path / file)
        finally:
            unfinished.unlink(missing_ok=True)
        print(self.path / file, file=sys.stderr, flush=True)


def _number(cell: str) -> str | bool | int | float:
    if cell in ("True", "False"):
        return cell == "True"
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def versions() -> str:
    """Return what numbers may depend on."""
    return (
        f"hitcurve {hc.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"Python {platform.python_version()}"
    )


def draw_into_nothing(figures: Mapping[str, Callable[[], Figure]]) -> None:
    """Draw pictures and keep none, as a quick run does: what draws them must not be broken."""
    import matplotlib.pyplot as plt

    for draw in figures.values():
        figure = draw()
        figure.savefig(io.BytesIO(), dpi=30, format="png")
        plt.close(figure)


# ---- the command line


def arguments(description: str | None, argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Read what is said after ``python -m papers.NAME``."""
    folder = Path(os.environ.get("HITCURVE_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few seconds: few draws, nothing written")
    parser.add_argument("--data", type=Path, default=folder, help="folder of the public data (or HITCURVE_DATA)")
    return parser.parse_args(argv)


def public_data(args: argparse.Namespace, name: str) -> Path | None:
    """Return the path of a file of the public data, or say that it is not there.

    Raises
    ------
    SystemExit
        With code 2, if it is not there and the run is not quick: results would be incomplete.
    """
    path: Path = args.data / name
    if path.is_file():
        return path
    print(f"no {name} in {args.data}: set HITCURVE_DATA or say --data", file=sys.stderr)
    if args.quick:
        return None
    raise SystemExit(2)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Say how long something took."""
    start = time.perf_counter()
    yield
    print(f"{what}: {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)


def conclude(rows: Sequence[Row]) -> int:
    """Print the rows without their reasons, and return the exit code: 1 if a claim of one does not hold."""
    print(shown([{key: value for key, value in row.line.items() if key != "reason"} for row in rows]))
    return _counted(rows)


def conclude_quick(said: str, rows: Sequence[Row], folder: Folder) -> int:
    """Conclude a run of too few draws for a claim by the rows that the committed tables give.

    The exit code is 1 if a claim of one does not hold, or its verdict is not the committed one.
    """
    print(f"{said}; rows of the committed tables:")
    code, committed = _counted(rows), [(line["item"], line["verdict"]) for line in folder.read("comparison")]
    for item, verdict in sorted(set(committed) ^ {(row.item, row.verdict) for row in rows}):
        print(f"committed or given by the committed tables, not both: {item}, {verdict}")
        code = 1
    return code


def _counted(rows: Sequence[Row]) -> int:
    counts = Counter(row.verdict for row in rows)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()), flush=True)
    return int(FAILED in counts)
