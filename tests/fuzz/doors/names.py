"""Doors that take the name of a file, and values that are too long to be quoted whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import hitcurve as hc
from tests.fuzz import odd
from tests.fuzz.case import Door, FaultError, Verdict, answer

_Y, _S = [0, 1, 0, 1, 1, 0, 0, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
_MOST = 700  # characters of a refusal that quotes several values
NAMES: tuple[Any, ...] = (
    "", ".", "..", "/", "x", "x.csv", "x.html", "x.json", "x.hit", "x.txt", "x/y", "no/such/x.hit", "a\0b", "\ud800",
    "*", "?", "[", "x\ny", "-", "~", "x" * 300, "x/" * 3000, None, b"x", bytearray(b"x"), Path(), Path("x.hit"), 0, 1,
)  # fmt: skip
_TABLE = hc.HitTable.from_scores(_Y, _S)
_EVALUATION = hc.evaluate(_Y, _S, metrics="auc")
_WRITERS: tuple[Callable[[Any], Any], ...] = (
    _TABLE.save,
    lambda path: _EVALUATION.to_json(path) if path is not None else None,
    lambda path: hc.write_trec_run(path, ["1", "1"], ["a", "b"], [2.0, 1.0]),
    lambda path: hc.write_qrels(path, ["1", "1"], ["a", "b"], [1, 0]),
)
_READERS: tuple[Callable[[Any], Any], ...] = (
    hc.load_tables,
    hc.from_json,
    hc.read_trec_run,
    hc.read_qrels,
    lambda path: hc.evaluate("y", "s", data={"y": _Y, "s": _S} if path is None else path),
)


def names_of_files(rng: Random, folder: Path) -> Verdict:
    """Write a file of this name, or read one: what is read back was written, and a refused call leaves no file."""
    place = folder / f"names {rng.random()}"
    place.mkdir()
    before = Path.cwd()
    os.chdir(place)
    try:
        name = rng.choice(NAMES) if rng.random() < 0.8 else odd.value(rng)
        kind = rng.randrange(len(_WRITERS))
        made, refused = answer(lambda: _WRITERS[kind](name))
        there = [path for path in place.rglob("*") if path.is_file()]
        if refused and there:
            raise FaultError(f"{there} was left by a refusal of {name!r}: {made}")
        other, unread = answer(lambda: rng.choice(_READERS)(name))
        if refused:
            if not unread and not isinstance(name, dict) and name is not None:
                raise FaultError(f"{name!r} is no file to write, and was read as {other!r}")
            return Verdict.REFUSED
        if name is not None and len(there) != 1:
            raise FaultError(f"{there} were written as {name!r}")
        again, lost = answer(lambda: _READERS[kind](name)) if name is not None else (None, False)
        if lost:
            raise FaultError(f"{name!r} was written and cannot be read: {again}")
        return Verdict.CONFIRMED
    finally:
        os.chdir(before)


def _long(rng: Random) -> Any:
    size = 10 ** rng.randrange(1, 6)
    sign = rng.choice(("x", "9", "é", "'", '"', "\\", "x ", "'\"", "[1, ", "{", "\n", "1,", "(", "a=", "@1", "%", "٣"))
    return rng.choice(
        (
            sign * size,
            sign * size,
            (sign * size).encode(),
            [sign] * size,
            [[1, 2]] * size,
            dict.fromkeys(range(size), sign),
            10**size,
            -(10**size),
            tuple(range(size)),
        )
    )


_TAKERS: tuple[Callable[[Any], Any], ...] = (
    hc.metric,
    hc.magnify.magnification,
    hc.load_tables,
    lambda value: hc.evaluate(_Y, _S, metrics=[value]),
    lambda value: hc.evaluate(_Y, _S, metrics="auc", missing=value),
    lambda value: hc.evaluate(_Y, _S, metrics="auc", confidence_level=value),
    lambda value: hc.evaluate(_Y, _S, metrics="auc", prevalence=value),
    lambda value: hc.evaluate(_Y, _S, metrics="auc", pos_label=value),
    lambda value: hc.evaluate(_Y, _S, metrics="auc", sample_weight=[1.0] * 7 + [value]),
    lambda value: hc.evaluate(_Y, [*_S[:7], value], metrics="auc"),
    lambda value: hc.evaluate([*_Y[:7], value], _S, metrics="auc"),
    lambda value: hc.evaluate(value, ["s"], data={"y": _Y, "s": _S}, metrics="auc"),
    lambda value: hc.evaluate("y", [value], data={"y": _Y, "s": _S}, metrics="auc"),
    lambda value: hc.HitTable.from_counts([1, value], [2, 3]),
    lambda value: hc.HitTable.from_ranks([1, 2], n=value),
    lambda value: _EVALUATION.metrics if value is None else _EVALUATION[value, "auc"],
)


def long_values(rng: Random, folder: Path) -> Verdict:
    """Give a value of up to 100,000 characters where another is wanted: no refusal quotes more than a part of it."""
    if rng.random() < 0.1:  # one that is no longer than it may be
        scores = [*_S[:7], 10.0 ** rng.randrange(1, 300)]
        if hc.evaluate(_Y, scores, metrics="auc").tables["score"].n != len(_S):
            raise FaultError(f"not all of {scores} were ranked")
        return Verdict.CONFIRMED
    value = _long(rng)
    found, refused = answer(lambda: rng.choice(_TAKERS)(value))
    if refused and len(str(found)) > _MOST:
        raise FaultError(f"a refusal of {len(str(found))} characters: {found}")
    return Verdict.REFUSED if refused else Verdict.CONFIRMED


DOORS: dict[str, Door] = {"names of files": names_of_files, "long values": long_values}
