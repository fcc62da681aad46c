"""The door of the command line: whole lines of it, run in this process."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq
import typer.main

import hitcurve as hc
from hitcurve.cli.app import app
from tests.fuzz import odd
from tests.fuzz.case import Door, FaultError, Verdict, confirm
from tests.fuzz.slow import of_columns
from tests.metrics_under_test import FORMS
from tests.shell import in_process

SUBJECTS = 48


@cache
def columns_of(seed: int = 1) -> dict[str, list[Any]]:
    """Return the columns of the table that commands read."""
    rng = Random(seed)
    y = [int(i % 3 == 0) for i in range(SUBJECTS)]
    return {
        "id": [f"i{i}" for i in range(SUBJECTS)],
        "y": y,
        "a": [rng.randrange(5) + 2 * v for v in y],
        "b": [round(rng.gauss(v, 1), 2) for v in y],
        "p": [round((rng.random() + v) / 2, 3) for v in y],
        "w": [rng.choice((0.5, 1, 2)) for _ in y],
        "g": ["xyz"[i % 3 - (i // 7) % 3] for i in range(SUBJECTS)],
        "c": [i // 2 for i in range(SUBJECTS)],
        "t": [rng.randrange(1, 12) for _ in y],
        "e": [rng.randrange(3) for _ in y],
    }


@cache
def inputs_in(folder: Path, seed: int = 1) -> dict[str, bytes]:
    """Write files of every kind that a command takes."""
    folder.mkdir(exist_ok=True)
    columns = columns_of(seed)
    text = io.StringIO()
    csv.writer(text).writerows([list(columns), *zip(*columns.values(), strict=True)])
    (folder / "x.csv").write_text(text.getvalue())
    (folder / "labels.csv").write_text("id,truth\n" + "".join(f"i{i},{v}\n" for i, v in enumerate(columns["y"])))
    (folder / "counts.csv").write_text("category,y,n\n5,8,9\n4,6,12\n3,3,20\n2,2,50\n1,1,90\n")
    for day in (1, 2, 3):
        hc.count_tables(columns["y"][day:], {"a": columns["a"][day:]}).save(folder / f"day{day}.hit")
    (folder / "ranks.txt").write_text("1\n3\n17\n240\n")
    (folder / "run.txt").write_text("".join(f"{t} Q0 d{i} {i} {9 - i} r\n" for t in (1, 2, 3) for i in range(8)))
    (folder / "qrels.txt").write_text("".join(f"{t} 0 d{i} {int(i % t == 0)}\n" for t in (1, 2, 3) for i in range(8)))
    readings = [(r, m, i, columns["y"][i], (i * r + m) % 5 + columns["y"][i]) for r in (1, 2, 3) for m in (1, 2)
                for i in range(20)]  # fmt: skip
    (folder / "readings.csv").write_text("r,m,i,y,s\n" + "".join(",".join(map(str, row)) + "\n" for row in readings))
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


Y, A, B = ["-l", "y"], ["-s", "a"], ["-s", "b"]
LINES: tuple[list[str], ...] = (
    ["evaluate", "x.csv", *Y, *A, *B], ["evaluate", "x.csv", *Y, *A], ["evaluate", "x.csv", *Y, *A, *B, "--by", "g"],
    ["evaluate", "x.csv", "--labels", "labels.csv", "--on", "id", "-l", "truth", *A], ["evaluate", "day1.hit"],
    ["evaluate", "counts.csv", "--counts", "--positives", "y", "--total", "n"],
    ["compare", "x.csv", *Y, *A, *B], ["winner", "x.csv", *Y, *A, *B],
    ["survival", "x.csv", "-t", "t", "-e", "e", *A, "--horizon", "5"],
    ["gap", "x.csv", *Y, *A, "--by", "g"], ["meta", "day1.hit", "day2.hit"], ["meta", "x.csv", "x.csv", *Y, *A],
    ["screen", "x.csv", *Y, "--columns", "[abpt]"], ["readers", "readings.csv", *Y, "-s", "s", "--reader", "r",
    "--case", "i", "--modality", "m"], ["certify", "x.csv", *Y, *A, "--precision", "50%"],
    ["certify", "x.csv", *Y, *A, "--recall", "0.5"], ["decision", "x.csv", *Y, "-s", "p", "-t", "0.2"],
    ["power", "x.csv", *Y, *A, *B, "--effect", "0.1", "--power", "0.8"], ["ranks", "1000", "1", "3", "17"],
    ["ranks", "1000", "ranks.txt"], ["table", "x.csv", *Y, *A, "-o", "new.hit"],
    ["table", "x.csv", *Y, *A, "--by", "g", "-o", "new.hit"],
    ["merge", "day1.hit", "day1.hit", "-o", "new.hit"], ["drift", "day1.hit", "day2.hit", "day3.hit"],
    ["curve", "x.csv", *Y, *A, "-k", "roc"], ["band", "x.csv", *Y, *A, "-k", "roc"],
    ["confusion", "x.csv", *Y, *A, "--at", "10%"], ["confusion", "x.csv", *Y, *A, "--threshold", "2"],
    ["metrics"], ["metrics", "bedroc"], ["data"], ["rate", "--items", "1000", "--time", "24h", "--per-item", "1:3"],
    ["stop", "--found", "40", "--unread", "500", "--sampled", "100", "--hits", "1"],
    ["trec", "run.txt", "qrels.txt"],
)  # fmt: skip
USUAL: dict[str, tuple[str, ...]] = {
    "label": ("y", "truth"), "score": ("a", "b", "p", "a:low", "a:high", "t"), "weight": ("w",), "cluster": ("c",),
    "by": ("g",), "folds": ("g", "c"), "on": ("id",), "labels": ("labels.csv", "x.csv"), "time": ("t",),
    "event": ("e",), "output": ("new.csv", "new.json", "new.md", "new.tex", "new.html", "new.parquet", "new.hit", "-",
    "new.txt", "new", "x.csv", "no/new.csv", ".", ""), "form": ("json", "csv", "markdown", "latex", "parquet", "html",
    "text", "trec"), "verification": ("p",), "verified_by": ("b",), "grid": ("day1.hit",), "unlabelled": ("x.csv",),
    "censoring_from": ("x.csv",), "strata": ("g",), "qrels": ("qrels.txt",), "times": ("ranks.txt",), "where":
    ("a > 1", "g = 'x'", "t < 9 AND b > 0"), "positives": ("y",), "total": ("n",), "negatives": ("n", "10", "100"),
    "metric": FORMS, "compare": ("auc", "ap", "all"), "baseline": ("a", "b"), "horizon": ("3", "5", "100"),
    "n_resamples": ("99", "200"), "bootstrap": ("99",), "bins": ("4",), "memory_limit": ("300MB", "4GB"),
    "legend": ("inside", "outside", "none"), "along": ("rate", "vertical", "threshold", "pool"), "color": ("a=#0072b2",
    "b=black", "a=red"), "magnify": ("exp(7)", "power(8)", "log(2)"), "size": ("3.5", "2", "20"), "window": ("0", "0.1",
    "0.9", "1"), "title": ("two", "<b>", "$x$"), "ranker": ("a", "b"),
    "threshold": ("2", "0.3"), "ends": ("0.1", "0.5"), "x_range": ("0.1", "0.5"), "columns": ("a", "[ab]", "/a|b/"),
}  # fmt: skip
NUMBERS = ("0", "1", "2", "0.5", "10%", "0.05", "0.9", "95%", "5,1", "0.2,0.05", "100%", "1e-3", "30", "-1")
ELSEWHERE = {"spark"}  # which starts another machine


@cache
def _options(command: str) -> list[Any]:
    group: Any = typer.main.get_command(app)
    found = group.commands[command].params
    return [one for one in found if one.param_type_name == "option" and one.name not in {*ELSEWHERE, "help"}]


def _value(rng: Random, option: Any) -> str:
    kind = rng.random()
    if option.name in USUAL and kind < 0.7:
        return rng.choice(USUAL[option.name])
    words = re.findall(r"[a-z]+(?:-[a-z]+)*", option.help or "")
    if kind < 0.5 and words:
        return str(rng.choice(words))
    if kind < 0.85 or option.name == "output":
        return rng.choice(NUMBERS)
    return odd.text(rng) if rng.random() < 0.5 else str(odd.value(rng))[:40]


OFTEN = (0, 1, 1, 1, 2)  # options more


def line_of(rng: Random, lines: Sequence[Sequence[str]], more: Sequence[int] = OFTEN) -> list[str]:
    """Return a line that works, with some options more, and some words of it other ones."""
    line = list(rng.choice(lines))
    options = _options(line[0])
    for _ in range(rng.choice(more)):
        option = rng.choice(options)
        line.append(option.opts[-1])
        if not option.is_flag:
            line += [_value(rng, option) for _ in range(option.nargs)]
    if rng.random() < 0.2 and len(line) > 2:
        at = rng.randrange(1, len(line))
        match rng.randrange(4):
            case 0:
                del line[at]
            case 1:
                line.insert(at, rng.choice(line[1:]))
            case 2:
                line[at] = odd.mutated(rng, line[at])
            case _:
                line[at] = rng.choice(("x.csv", "day1.hit", "-", "*.csv", "nothing.csv", "", "--", "readings.csv"))
    return [word.replace("\0", "") for word in line]


Files = dict[str, bytes]
Check = Callable[[str, Files, list[str], str], None]


def commands(rng: Random, folder: Path) -> Verdict:
    """Run a line that prints or writes numbers."""
    kept = folder / "of commands"
    return judged(rng, kept, inputs_in(kept), line_of(rng, LINES), _check_json)


def judged(rng: Random, kept: Path, inputs: Files, line: list[str], check: Check) -> Verdict:
    """Run a line: exit code 0 and whole results, or 2 with one sentence, and never a changed or half a file.

    Raises
    ------
    FaultError
        If it ends otherwise, or ``check`` says so of what was printed and written.
    """
    old = rng.random() < 0.3
    if old:
        (kept / "new.csv").write_text("old")
    try:
        done = in_process(*line, cwd=kept)
    finally:
        after = {path.name: path for path in sorted(kept.iterdir())}
        new = {name: path.read_bytes() for name, path in after.items() if name not in inputs}
        for name in new:
            after[name].unlink()
    changed = [name for name, held in inputs.items() if name not in after or after[name].read_bytes() != held]
    asked = [name for name in changed if name in after and _is_output_alone(name, line)]
    new |= {name: after[name].read_bytes() for name in asked}
    for name in changed:  # the next cases read it
        (kept / name).write_bytes(inputs[name])
    changed = [name for name in changed if name not in asked]
    given = f"hitcurve {line} -> {done.returncode}, {done.stderr[-400:]!r}"
    if changed:
        raise FaultError(f"{changed} were changed: {given}")
    if done.returncode == 2:
        if new != ({"new.csv": b"old"} if old else {}):
            raise FaultError(f"refused, and {list(new)} were written: {given}")
        if done.stdout or len(done.stderr.splitlines()) != 1 or not done.stderr.startswith("hitcurve: error: "):
            raise FaultError(f"a refusal is not one sentence, after {done.stdout[:99]!r}: {given}")
        return Verdict.REFUSED
    if done.returncode not in ((0, 3) if line[0] in ("certify", "stop") else (0,)) or "Traceback" in done.stderr:
        raise FaultError(given)
    if old and new.get("new.csv") == b"old":
        del new["new.csv"]
    if len(new) > 1:
        raise FaultError(f"{list(new)} were written: {given}")
    for name, held in new.items():
        _check_whole(kept / name, held, given)
    check(done.stdout, new, line, given)
    return Verdict.CONFIRMED


def _is_output_alone(name: str, line: list[str]) -> bool:
    """Say whether a command is to write to a file that others read and it does not."""
    named = [at for at, word in enumerate(line) if name in word or "*" in word]
    return len(named) == 1 and line[named[0]] == name and line[named[0] - 1] in ("-o", "--output")


def _check_whole(path: Path, held: bytes, given: str) -> None:
    """Read a file that was written, by the end of its name."""
    try:
        match path.suffix:
            case ".json":
                json.loads(held)
            case ".csv":
                if len({len(row) for row in csv.reader(io.StringIO(held.decode())) if row}) > 1:
                    raise ValueError("rows of unlike length")
            case ".parquet":
                pq.read_table(io.BytesIO(held))
            case ".svg":
                ElementTree.fromstring(held)
            case ".png" if not (held.startswith(b"\x89PNG") and held.endswith(b"IEND\xaeB`\x82")):
                raise ValueError("no end")
            case ".pdf" if not held.rstrip().endswith(b"%%EOF"):
                raise ValueError("no end")
            case ".html" if not held.rstrip().endswith(b"</html>"):
                raise ValueError("no end")
            case ".hit":
                read = path.with_name(f"read-{path.name}")
                read.write_bytes(held)
                try:
                    hc.load_tables(read)
                finally:
                    read.unlink()
            case _ if not held:
                raise ValueError("nothing")
    except Exception as why:
        raise FaultError(f"{path.name} is not whole ({why!r}): {given}") from why


def _check_json(out: str, new: Files, line: list[str], given: str) -> None:
    """Compare the numbers of a plain evaluation with their slow definition."""
    form = next((line[i + 1] for i, word in enumerate(line[:-1]) if word == "-f"), None)
    if form != "json" or new or line.count("-f") > 1:
        return
    found = json.loads(out)
    plain = ["evaluate", "x.csv", *Y, *A]
    if line[: len(plain)] != plain or set(line[len(plain) :]) - {"-f", "json", "-m", "auc", "ap", "-s", "b"}:
        return
    columns = columns_of()
    for record in found["estimates"]:
        values = {record["metric"]: record["value"]}
        if record["metric"] in ("auc", "ap"):
            confirm(values, of_columns(columns["y"], columns[record["ranker"]]), given)


DOORS: dict[str, Door] = {"command lines": commands}
