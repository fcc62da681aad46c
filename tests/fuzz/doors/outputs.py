"""Doors of commands whose result is a file: figures, pages, sums and days of tables; and of what Spark is not asked."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import numpy as np

import hitcurve as hc
from hitcurve.cli.images import image_of
from hitcurve.datasets import mammography
from tests.fuzz.case import Door, FaultError, Verdict, confirm
from tests.fuzz.doors.commands import A, B, Files, Y, columns_of, inputs_in, judged, line_of
from tests.fuzz.slow import Slow, Subject

P = ["-s", "p"]
FOLDERS = 6  # of columns
SELDOM = (0, 0, 0, 1, 1, 2)  # options more
FIGURES: tuple[list[str], ...] = (
    ["plot", "roc", "x.csv", *Y, *A, *B, "-o", "new.svg"], ["plot", "roc", "x.csv", *Y, *A, "-o", "new.png"],
    ["plot", "roc", "x.csv", *Y, *A, "-m", "auc", "-o", "new.svg"], ["plot", "hit", "x.csv", *Y, *A, "-o", "new.pdf"],
    ["plot", "precision-recall", "x.csv", *Y, *B, "-o", "new.svg"], ["plot", "croc", "x.csv", *Y, *A, "-o", "new.svg"],
    ["plot", "forest", "x.csv", *Y, *A, *B, "-m", "auc", "-m", "ap", "-o", "new.svg"],
    ["plot", "forest", "x.csv", *Y, *A, *B, "-o", "new.svg"],
    ["plot", "forest", "x.csv", *Y, *A, *B, "--compare", "ap", "-o", "new.svg"],
    ["plot", "decision", "x.csv", *Y, *P, "-o", "new.svg"], ["plot", "roc", "day1.hit", "-o", "new.svg"],
    ["plot", "roc", "counts.csv", "--counts", "--positives", "y", "--total", "n", "-o", "new.svg"],
    ["plot", "roc", "x.csv", *Y, *A, "--by", "g", "--along", "rate", "-o", "new.svg"],
    ["plot", "heatmap", "x.csv", *Y, *A, *B, "--by", "g", "-o", "new.svg"],
    ["plot", "groups", "x.csv", *Y, *A, "--by", "g", "-o", "new.svg"],
    ["plot", "wins", "x.csv", *Y, *A, *B, "--by", "g", "-o", "new.svg"],
    ["drift", "day1.hit", "day2.hit", "day3.hit", "-o", "new.svg"],
)  # fmt: skip
PAGES: tuple[list[str], ...] = (
    ["report", "x.csv", *Y, *A, *B, "-m", "ap", "-m", "auc", "-o", "new.html"],
    ["report", "x.csv", *Y, *B, "-m", "ap", "-o", "new.html"], ["report", "x.csv", *Y, *A, "-o", "new.html"],
    ["report", "x.csv", *Y, *A, *B, "-m", "ap", "--by", "g", "-o", "new.html"],
    ["report", "day1.hit", "-m", "ap", "-o", "new.html"],
    ["report", "counts.csv", "--counts", "--positives", "y", "--total", "n", "-m", "ap", "-o", "new.html"],
    ["demo", "-o", "new.md"], ["drift", "day1.hit", "day2.hit", "day3.hit", "-o", "new.html"],
    ["evaluate", "x.csv", *Y, *A, "-m", "ap", "-o", "new.html"],
)  # fmt: skip
# options that change no value, with the number of their values
PLAIN = {
    "-l": 1, "-s": 1, "-m": 1, "-o": 1, "--output": 1, "--title": 1, "--legend": 1, "--size": 2, "--bands": 0,
    "--confidence-level": 1, "--color": 1, "--date": 1, "--weight": 1, "--design": 1, "--undefined": 1,
}  # fmt: skip
SHOWN = 6e-4  # of a number of four digits


def _parsed(line: Sequence[str]) -> dict[str, list[str]] | None:
    """Return the values of the options of a line over the whole table, None of other lines."""
    found: dict[str, list[str]] = {"-s": [], "-m": [], "--weight": [], "-l": [], "words": []}
    at = 0
    while at < len(line):
        word = line[at]
        if not word.startswith("-"):
            found["words"].append(word)
            at += 1
            continue
        if word not in PLAIN:
            return None
        found.setdefault(word, []).extend(line[at + 1 : at + 1 + PLAIN[word]])
        at += 1 + PLAIN[word]
    return found if found["words"][-1:] == ["x.csv"] and found["-l"] == ["y"] else None


def _slow(asked: dict[str, list[str]], seed: int) -> dict[str, Slow] | None:
    """Return the lists of the rankers of a line, None if they are named in another way."""
    columns, out = columns_of(seed), {}
    weights = columns["w"] if asked["--weight"][-1:] == ["w"] else [1] * len(columns["y"])
    if asked["--weight"] not in ([], ["w"]) or len(set(asked["-s"])) < len(asked["-s"]):
        return None
    for given in asked["-s"]:
        name, _, side = given.partition(":")
        if name not in "abpt" or side not in ("", "low", "high"):
            return None
        rows = zip(columns["y"], columns[name], weights, strict=True)
        out[name] = Slow((Subject(y == 1, Fraction(s), Fraction(w)) for y, s, w in rows), lower=side == "low")
    return out


def vertices(slow: Slow) -> list[tuple[Fraction, Fraction]]:
    """Return FPR and TPR at the end of each score."""
    hits = misses = Fraction(0)
    out = [(misses, hits)]
    for pos, neg in slow.groups:
        hits, misses = hits + pos / slow.P, misses + neg / slow.N
        out.append((misses, hits))
    return out


def _off(point: tuple[float, float], line: Sequence[tuple[Any, Any]]) -> float:
    """Return how far a point is from a line of points."""
    x, y = map(float, point)
    found = math.inf
    for (x0, y0), (x1, y1) in itertools.pairwise(line):
        a, b, u, v = float(x1 - x0), float(y1 - y0), x - float(x0), y - float(y0)
        along = min(max((u * a + v * b) / (a * a + b * b), 0.0), 1.0) if a or b else 0.0
        found = min(found, math.hypot(u - along * a, v - along * b))
    return found


def _alike(first: Iterable[tuple[Any, Any]], second: Iterable[tuple[Any, Any]], slack: float) -> bool:
    """Say whether two lines of points are one."""
    a, b = list(first), list(second)
    return all(_off(point, b) <= slack for point in a) and all(_off(point, a) <= slack for point in b)


def figures(rng: Random, folder: Path) -> Verdict:
    """Draw: the curve of ROC runs through its vertices, and points of intervals are at their values."""
    seed = rng.randrange(FOLDERS)
    kept = folder / f"of figures {seed}"
    inputs, line, drawn = inputs_in(kept, seed), line_of(rng, FIGURES, SELDOM), []

    def seen(axes: Any, form: str) -> bytes:
        drawn.append(np.asarray(axes, object).ravel()[0])
        return image_of(axes, form)

    def check(out: str, new: Files, line: list[str], given: str) -> None:
        asked = _parsed(line[1:])
        if line[0] != "plot" or asked is None or len(asked["words"]) != 2 or not drawn:
            return
        slow = _slow(asked, seed)
        what = asked["words"][0]
        if slow and what in ("roc", "hit"):
            _check_lines(drawn[0], what, slow, given)
        elif slow and what in ("forest", "intervals") and set(asked["-m"]) <= {"auc", "ap"}:
            _check_points(drawn[0], slow, (asked["-m"] or ["ap"])[0], given)

    try:
        with mock.patch("hitcurve.cli.plot.image_of", seen):
            return judged(rng, kept, inputs, line, check)
    finally:
        import matplotlib.pyplot as plt

        plt.close("all")


def _check_lines(axes: Any, what: str, slow: dict[str, Slow], given: str) -> None:
    for name, own in slow.items():
        found = [one for one in axes.lines if str(one.get_label()).split(" ")[0] == name]
        if len(found) != 1:
            raise FaultError(f"{len(found)} lines are labelled {name!r}: {given}")
        path = list(zip(found[0].get_xdata(), found[0].get_ydata(), strict=True))
        expected = vertices(own)
        if what == "hit":
            whole = own.P + own.N
            expected = [((f * own.N + t * own.P) / whole, t * own.P / whole) for f, t in expected]
        if not _alike(path, expected, 1e-12):
            raise FaultError(f"the {what} curve of {name} is {path}, by definition {expected}: {given}")


def _check_points(axes: Any, slow: dict[str, Slow], metric: str, given: str) -> None:
    points = [float(one.get_xdata()[0]) for one in axes.lines if len(one.get_xdata()) == 1]
    if len(points) != len(slow):
        raise FaultError(f"{points} of {list(slow)}: {given}")
    for value, own in zip(points, slow.values(), strict=True):
        confirm({metric: value}, own, given)


def pages(rng: Random, folder: Path) -> Verdict:
    """Write pages: all of it is there, and its numbers are those of the slow definitions to the digits shown."""
    seed = rng.randrange(FOLDERS)
    kept = folder / f"of pages {seed}"

    def check(out: str, new: Files, line: list[str], given: str) -> None:
        if line[0] == "demo":
            for text in (*(held.decode() for held in new.values()), out):
                _check_demo(text, given)
        for held in new.values():
            for data in re.findall(
                r'<script type="application/json" id="hitcurve">(.*?)</script>', held.decode(), re.DOTALL
            ):
                found = json.loads(data, parse_constant=lambda word: _refuse(f"{word} is no JSON: {given}"))
                asked = _parsed(line[1:]) if line[0] == "report" else None
                slow = _slow(asked, seed) if asked is not None and len(asked["words"]) == 1 else None
                if slow and asked is not None and not asked["--weight"]:
                    _check_page(found, slow, asked["-m"], given)

    return judged(rng, kept, inputs_in(kept, seed), line_of(rng, PAGES, SELDOM), check)


def _refuse(why: str) -> None:
    raise FaultError(why)


def _check_page(found: dict[str, Any], slow: dict[str, Slow], metrics: list[str], given: str) -> None:
    if found["rankers"] != list(slow):
        raise FaultError(f"rankers are {found['rankers']}: {given}")
    for place, own in enumerate(slow.values()):
        shown = found["drawn"][place]
        points = list(zip(_numbers(shown["fpr"]), _numbers(shown["recall"]), strict=True))
        for point in points:
            if _off(point, vertices(own)) > SHOWN:
                raise FaultError(f"{point} is not on the ROC curve of ranker {place}: {given}")
        hits = _numbers(found["budget"]["lines"]["hits"][place]["value"])
        depths = _numbers(found["budget"]["grid"])
        pairs = [(f"hits@{k:g}", value, own.hits(Fraction(k))) for k, value in zip(depths, hits, strict=True)]
        if "ap" in metrics:
            value = float(found["precision"]["here"]["lines"]["ap"][place]["value"])
            pairs.append(("ap", value, own.ap))
        for what, value, right in pairs:
            if not math.isclose(value, right, rel_tol=SHOWN, abs_tol=SHOWN):
                raise FaultError(f"{what} of ranker {place} is {value}, by definition {float(right)}: {given}")


def _numbers(text: str) -> list[float]:
    return [float(word) for word in text.split(" ")]


def _check_demo(text: str, given: str) -> None:
    """Compare AP and AUC of both rankers with those of the counts of the trial."""
    found: dict[str, list[str]] = {}
    for one in text.splitlines():
        cells = [cell for cell in re.split(r"\s*\|\s*|\s{2,}", one.strip("| ")) if cell]
        if cells and cells[0] in ("ap", "auc"):
            found.setdefault(cells[0], cells)
    for metric in ("ap", "auc"):
        for place, table in enumerate(mammography().values()):
            own = Slow(
                Subject(positive, Fraction(-row), Fraction(int(count)))
                for positive, counts in ((True, table.pos), (False, table.neg))
                for row, count in enumerate(counts)
                if count
            )
            value = float(re.findall(r"\d+\.\d+", found[metric][1 + place])[0])
            if not math.isclose(value, own.value(metric), rel_tol=SHOWN):
                raise FaultError(f"{metric} is {value}, by definition {float(own.value(metric))}: {given}")


def days(rng: Random, folder: Path) -> Verdict:
    """Add files of tables, or look for changes over them: each value is that of its subjects, and sums are of all."""
    kept = folder / "of days"
    kept.mkdir(exist_ok=True)
    subjects: list[list[tuple[int, int]]] = []
    files, rows = {}, rng.choice(("full", "full", "collapsed"))
    names = ["a"] if rng.random() < 0.7 else ["a", "b"]
    for day in range(rng.choice((1, 2, 2, 3, 3, 5))):
        n = rng.choice((6, 20, 40, 40))
        own = [(y, rng.randrange(6) + rng.randrange(3) * y) for y in (int(rng.random() < 0.4) for _ in range(n))]
        if day and rng.random() < 0.02:
            names = names[::-1] if len(names) > 1 else ["b"]
        columns = {name: [s for _, s in own] for name in names}
        hc.count_tables([y for y, _ in own], columns, rows=rows).save(kept / f"d{day}.hit")
        subjects.append(own)
        files[f"d{day}.hit"] = (kept / f"d{day}.hit").read_bytes()
    metric = rng.choice(("auc", "ap", "auc", "ks", "recall@2"))
    ranker = ["--ranker", "a"] if len(names) > 1 else []
    adds, finds = ["merge", *files, "-o", "new.hit"], ["drift", *files, "-m", metric, "-f", "json", *ranker]
    line = line_of(rng, [adds, finds], SELDOM)

    def check(out: str, new: Files, line: list[str], given: str) -> None:
        if line == adds:
            (kept / "new.hit").write_bytes(new["new.hit"])
            found = hc.load_tables(kept / "new.hit")["a"]
            (kept / "new.hit").unlink()
            slow = _of_rows([row for own in subjects for row in own])
            confirm({name: float(hc.metric(name).value(found)) for name in ("auc", "ap")}, slow, given)
        elif line == finds:
            found = json.loads(out)["days"]
            for record, own in zip(found, subjects, strict=True):
                confirm({metric: record["value"]}, _of_rows(own), given)

    try:
        return judged(rng, kept, files, line, check)
    finally:
        for path in kept.iterdir():
            path.unlink()


def _of_rows(rows: Iterable[tuple[int, int]]) -> Slow:
    return Slow(Subject(y == 1, Fraction(s)) for y, s in rows)


class _StartedError(BaseException):
    """Spark would start now; no handler of exceptions takes it for one."""


ON_SPARK = ["--spark", "local[1]"]
OF_FILES = ("--labels", "--on", "--no-header", "--na", "--decimal", "--verified-by")
LINES_OF_SPARK: tuple[list[str], ...] = (
    ["evaluate", "x.csv", *ON_SPARK, *Y, *A, *B], ["evaluate", "x.csv", *ON_SPARK, *Y, *A, "--by", "g"],
    ["evaluate", *ON_SPARK, "x.csv", "x.csv", *Y, *A], ["evaluate", "x.csv", *ON_SPARK, *Y, *A, "--cluster", "c"],
    ["evaluate", "x.csv", *ON_SPARK, *Y, *A, "-o", "new.json"], ["evaluate", "day1.hit", *ON_SPARK],
    ["evaluate", "x.csv", *ON_SPARK, *A], ["evaluate", "x.csv", *ON_SPARK, *Y], ["evaluate", "-", *ON_SPARK, *Y, *A],
    *(["evaluate", "x.csv", *ON_SPARK, *Y, *A, *more] for more in (
        ["--labels", "labels.csv"], ["--on", "id"], ["--no-header"], ["--na", "-9"], ["--decimal", ","],
        ["--verified-by", "b"], ["--verification", "p"], ["--counts"], ["--weight", "w"], ["--unlabelled"],
    )),
)  # fmt: skip


def on_spark(rng: Random, folder: Path) -> Verdict:
    """Ask for Spark: what it does not take is refused before it starts, and nothing is written until then."""
    kept = folder / "of Spark"
    inputs, line = inputs_in(kept), line_of(rng, LINES_OF_SPARK, SELDOM)

    def start(master: str) -> Any:
        raise _StartedError

    try:
        with mock.patch("hitcurve.engines.spark_session.started", start):
            return judged(rng, kept, inputs, line, _only_without_spark)
    except _StartedError:
        given = [word for i, word in enumerate(line) if word in OF_FILES and not line[i - 1].startswith("-")]
        named = all(any(re.match(f"-[a-z]*{one[0]}|--{one}", word) for word in line) for one in ("label", "score"))
        if given or not named:
            raise FaultError(f"Spark would start for {line}") from None
        if sorted(path.name for path in kept.iterdir()) != sorted(inputs):
            raise FaultError(f"files were written before Spark starts: {line}") from None
        return Verdict.CONFIRMED


def _only_without_spark(out: str, new: Files, line: list[str], given: str) -> None:
    """Refuse an answer that Spark did not give; a word that took the place of the option is no address."""
    if line.count("--spark") and "--help" not in line and line[0] == "evaluate":
        raise FaultError(f"an answer without Spark: {given}")


DOORS: dict[str, Door] = {
    "figures": figures,
    "pages": pages,
    "days of tables": days,
    "before Spark": on_spark,
}
