"""Doors that take Python values: columns, options, counts and ranks."""

from __future__ import annotations

import itertools
from array import array
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import hitcurve as hc
from tests.fuzz import odd
from tests.fuzz.case import Door, Verdict, answer, confirm
from tests.fuzz.slow import METRICS, Slow, Subject, UnreadError, exact, of_columns, positive

LABELS: tuple[tuple[Any, ...], ...] = (
    (0, 1), (0, 1), (False, True), (-1, 1), (0.0, 1.0), ("no", "yes"), ("inactive", "active"), (1, 2), ("a", "b"),
    (0, 1, 2), (1, 1.0), ("Yes", "yes"), (True, 1), ("0", "1"), ("No ", "YES"),
)  # fmt: skip
CONTAINERS: tuple[Callable[[list[Any]], Any], ...] = (
    list, list, tuple, np.asarray, np.asarray, lambda x: np.array(x, object), pd.Series,
    lambda x: pl.Series(x, strict=False),
    deque, lambda x: np.array(x)[:, None], lambda x: np.array(x, np.float16), lambda x: np.array(x, ">f8"),
    lambda x: np.ma.masked_invalid(x), lambda x: np.array(x, np.longdouble), lambda x: pd.Series(x, dtype="Float64"),
    lambda x: pd.Categorical(x), lambda x: pd.array(x, dtype="Int64"), lambda x: array("d", x), iter,
    dict.fromkeys, set, str,
    lambda x: np.array(x)[::-1][::-1], lambda x: x[0], lambda x: [x], lambda x: np.array(x, "U4"),
    lambda x: np.array(x, "S4"),
)  # fmt: skip


def contained(rng: Random, values: list[Any]) -> tuple[Any, list[Any]]:
    """Return values in a container that takes them, and what is in it."""
    usual = rng.random() < 0.7
    for _ in range(3):
        try:
            held = rng.choice(CONTAINERS[:8] if usual else CONTAINERS)(values)
            return held, _inside(held)
        except (KeyboardInterrupt, TimeoutError):
            raise
        except BaseException:  # the container is not ours, and polars panics: it does not take such values
            continue
    return values, values


def _inside(held: Any) -> list[Any]:
    """Return the values of a container, as they are there."""
    if isinstance(held, np.ma.MaskedArray):
        return [None if gone else v for v, gone in zip(held.data, np.ma.getmaskarray(held), strict=True)]
    if isinstance(held, np.ndarray):
        values: list[Any] = list(held.ravel() if held.ndim == 2 and held.shape[1] == 1 else held)
        return values
    if isinstance(held, pd.Categorical):
        return list(held)
    if isinstance(held, (pd.Series, pd.api.extensions.ExtensionArray)):
        return [None if v is pd.NA else v for v in held]
    if isinstance(held, (set, dict, str, bytes)) or not hasattr(held, "__len__"):
        return [Ellipsis]  # without an order, or read once: no column
    return list(held)


def _columns(rng: Random) -> tuple[list[Any], list[Any]]:
    n = rng.choice((0, 1, 2, 4, 5, 6, 8, 8, 12))
    labels: list[Any] = rng.choices(rng.choice(LABELS[:7] if rng.random() < 0.7 else LABELS), k=n)
    few = rng.sample(odd.NUMBERS, 4)
    scores: list[Any] = [rng.choice(few) if rng.random() < 0.6 else rng.choice(odd.NUMBERS[:29]) for _ in range(n)]
    if rng.random() < 0.5:
        scores = [rng.choice((rng.randrange(4), float(rng.randrange(3)), rng.gauss(0, 1))) for _ in range(n)]
    for column in (labels, scores):
        if n and rng.random() < 0.15:
            column[rng.randrange(n)] = odd.value(rng)
    if rng.random() < 0.03:
        scores = scores[:-1]
    return labels, scores


def columns(rng: Random, folder: Path) -> Verdict:
    """Evaluate columns of all kinds of values in all kinds of containers."""
    labels, scores = _columns(rng)
    (y, in_y), (s, in_s) = contained(rng, labels), contained(rng, scores)
    how: dict[str, Any] = {}
    if rng.random() < 0.2:
        how["missing"] = rng.choice(("drop", "last"))
    if rng.random() < 0.2:
        how["higher_is_better"] = False
    pos_label = rng.choice((*labels, 1, "yes")) if rng.random() < 0.2 else None
    chosen = rng.sample(METRICS, 3)
    found, refused = answer(lambda: hc.evaluate(y, s, metrics=chosen, pos_label=pos_label, **how))
    if refused:
        return Verdict.REFUSED
    (ranker,) = found.rankers
    slow = {"missing": how.get("missing", "raise"), "lower": not how.get("higher_is_better", True)}
    return confirm(
        {m: found[ranker, m].value for m in chosen},
        lambda: of_columns(in_y, in_s, pos_label, **slow),
        (in_y, in_s, type(y), type(s), pos_label, how),
    )


def weights(rng: Random, folder: Path) -> Verdict:
    """Evaluate columns with weights: exact counts are not asked of them, values to 1e-13 are."""
    n = rng.randrange(2, 8)
    y, s = [rng.randrange(2) for _ in range(n)], [rng.randrange(4) for _ in range(n)]
    w: list[Any] = [rng.choice((0, 1, 2, 0.5, 0.1, 3.25, 1e-3, 1e6)) for _ in range(n)]
    if rng.random() < 0.3:
        w[rng.randrange(n)] = odd.value(rng)
    held, inside = contained(rng, w)
    chosen = ["auc", "ap"]
    found, refused = answer(lambda: hc.evaluate(y, s, metrics=chosen, sample_weight=held))
    if refused:
        return Verdict.REFUSED

    def slow() -> Slow:
        # None are no weights: what a container made of the first one
        exactly = [Fraction(1)] * n if held is None else [exact(v) for v in inside]
        if not all(isinstance(v, Fraction) and v >= 0 for v in exactly) or len(exactly) != n:
            raise UnreadError(exactly)
        return Slow(Subject(positive(a), exact(b), c) for a, b, c in zip(y, s, exactly, strict=True))

    return confirm({m: found["score", m].value for m in chosen}, slow, (y, s, inside, type(held)))


OPTIONS: dict[str, tuple[Any, ...]] = {
    "design": ("cohort", "case-control"),
    "prevalence": (0.1, (0.1, 0.01)),
    "confidence_level": (0.9, 0.99),
    "interval_method": ("auto", "wald", "bootstrap"),
    "missing": ("raise", "drop", "last"),
    "undefined": ("raise", "nan"),
    "paired": (True, False),
    "clusters": ([1, 1, 2, 2, 3, 3, 4, 4],),
    "by": (list("aabbaabb"),),
    "folds": ([0, 0, 0, 0, 1, 1, 1, 1],),
    "single_class": ("raise", "skip"),
    "test_fraction": (0.5,),
    "contamination": (0.1,),
    "mislabelled": (0.1, (0.1, 0.01)),
    "unlabelled": (True, False),
    "pos_label": (1, 0),
    "higher_is_better": (True, False, {"a": False}),
    "metrics": (["auc"], "ap", "drug-discovery"),
    "sample_weight": ([1.0] * 8,),
    "verification": ([0.5] * 8,),
    "data": ({"y": [1, 0], "a": [1, 2]},),
    "where": ("a > 1",),
    "query": ("SELECT 1",),
    "tables": ({},),
}
Y = [1, 0, 1, 0, 0, 1, 0, 1]
A = [8, 7, 7, 5, 4, 3, 3, 1]


def options(rng: Random, folder: Path) -> Verdict:
    """Evaluate a good list with options of any value: a value for itself, or a refusal; AUC only depends on some."""
    names = rng.sample(sorted(OPTIONS), rng.choice((1, 1, 2, 3)))
    given = {name: rng.choice(OPTIONS[name]) if rng.random() < 0.5 else odd.value(rng) for name in names}
    found, refused = answer(lambda: hc.evaluate(Y, {"a": A}, **{"metrics": ["auc"], **given}))
    if refused:
        return Verdict.REFUSED
    changes = {"by", "folds", "contamination", "mislabelled", "unlabelled", "verification", "sample_weight", "metrics"}
    if not isinstance(found, hc.Evaluation) or changes & set(given):
        return Verdict.CONFIRMED if str(found) else Verdict.REFUSED
    labels = Y if given.get("pos_label") is None else [positive(y, given["pos_label"]) for y in Y]
    ahead = given.get("higher_is_better", True)
    lower = not (ahead.get("a", True) if isinstance(ahead, dict) else ahead)
    return confirm({"auc": found["a", "auc"].value}, lambda: of_columns(labels, A, lower=lower), given)


def counts_and_ranks(rng: Random, folder: Path) -> Verdict:
    """Make tables of counts, or of the ranks of the positives."""
    if rng.random() < 0.5:
        rows = rng.randrange(5)
        pos, neg = ([rng.choice((0, 1, 2, 7, 1.0)) for _ in range(rows)] for _ in range(2))
        for column in (pos, neg):
            if rows and rng.random() < 0.2:
                column[rng.randrange(rows)] = odd.value(rng)
        (a, pos), (b, neg) = contained(rng, pos), contained(rng, neg)
        table, refused = answer(lambda: hc.HitTable.from_counts(a, b))
        given: Any = (pos, neg)
    else:
        n = rng.choice((3, 5, 10, 10, odd.value(rng)))
        ranks = [rng.randrange(1, 11) if rng.random() < 0.9 else odd.value(rng) for _ in range(rng.randrange(5))]
        a, ranks = contained(rng, ranks)
        table, refused = answer(lambda: hc.HitTable.from_ranks(a, n))
        given = (ranks, n)
    if refused:
        return Verdict.REFUSED
    found, refused = answer(lambda: hc.evaluate(tables={"a": table}, metrics=["auc", "ap"]))
    if refused:
        return Verdict.REFUSED
    return confirm({m: found["a", m].value for m in ("auc", "ap")}, lambda: _of_tables(*given), given)


def _of_tables(first: list[Any], second: Any) -> Slow:
    """Return the list of counts, or of ranks and the length of the list."""
    if isinstance(second, list):
        columns = [[exact(v) for v in column] for column in (first, second)]
        good = [isinstance(v, Fraction) and v >= 0 and v.denominator == 1 for column in columns for v in column]
        if not all(good):
            raise UnreadError(columns)
        rows = zip(*columns, strict=True)
        return Slow(
            Subject(p, Fraction(-i), w) for i, row in enumerate(rows) for p, w in zip((True, False), row, strict=True)
        )
    n, ranks = exact(second), [exact(v) for v in first]
    if not isinstance(n, Fraction) or n.denominator != 1 or n > 2**62 or len({*ranks}) < len(ranks):
        raise UnreadError(second)
    if any(not isinstance(r, Fraction) or r.denominator != 1 or not 1 <= r <= n for r in ranks):
        raise UnreadError(ranks)
    ends = [Fraction(0), *sorted(ranks), n + 1]
    between = [Subject(False, -(a + b) / 2, b - a - 1) for a, b in itertools.pairwise(ends)]
    return Slow([*between, *(Subject(True, -r) for r in ends[1:-1])])


DOORS: dict[str, Door] = {
    "columns": columns,
    "weights": weights,
    "options": options,
    "counts and ranks": counts_and_ranks,
}
