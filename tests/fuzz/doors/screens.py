"""The door of many markers: their values, and p values over all orders of the labels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

import hitcurve as hc
from tests.fuzz import odd
from tests.fuzz.case import Door, FaultError, Verdict, answer, confirm
from tests.fuzz.doors.designs import CHOSEN, near
from tests.fuzz.doors.files import number
from tests.fuzz.slow import Slow, Subject, UnreadError, exact, of_columns

# what holds the columns of markers, and what is in it then
HELD: tuple[Callable[[list[list[Any]]], Any], ...] = (
    lambda x: np.array(x).T, lambda x: np.array(x).T, lambda x: np.array(x, np.float32).T,
    lambda x: np.asfortranarray(np.array(x, float).T), lambda x: np.array(x, object).T,
    lambda x: pd.DataFrame({f"m{i}": column for i, column in enumerate(x)}),
    lambda x: pl.DataFrame({f"m{i}": column for i, column in enumerate(x)}, strict=False),
    lambda x: sparse.csr_array(np.array(x, float).T), lambda x: sparse.csc_matrix(np.array(x, float).T),
    lambda x: [list(row) for row in zip(*x, strict=True)], lambda x: np.ma.masked_invalid(np.array(x, float).T),
)  # fmt: skip
NAMES = (("a", "b", "c"), ("=1+1", "<b>", "a|b"), ("", " ", "x"), (1, 2, 3), ("a", "a", "b"), ("é", "\u202e", "a\nb"))


def _held(rng: Random, columns: list[list[Any]]) -> tuple[Any, list[list[Any]]]:
    for _ in range(3):
        try:
            held = rng.choice(HELD)(columns)
            return held, _inside(held)
        except (KeyboardInterrupt, TimeoutError):
            raise
        except BaseException:  # as in arguments.contained
            continue
    return np.array(columns, object).T, columns


def _inside(held: Any) -> list[list[Any]]:
    if isinstance(held, pd.DataFrame):
        return [[None if v is pd.NA else v for v in held[name]] for name in held.columns]
    if isinstance(held, pl.DataFrame):
        return [held[name].to_list() for name in held.columns]
    if isinstance(held, np.ma.MaskedArray):
        return [list(column) for column in held.filled(np.nan).T]
    dense: Any = held.toarray() if isinstance(held, (sparse.csr_array, sparse.csc_matrix)) else held
    return [list(column) for column in (np.array(dense, object) if isinstance(dense, list) else dense).T]


def screens(rng: Random, folder: Path) -> Verdict:
    """Screen a few markers: each has the values of its own list, p values by all orders, and these adjusted."""
    n, m = rng.choice((4, 5, 6, 7)), rng.choice((1, 2, 3))
    y: list[Any] = [int(i < 2) if i < 4 else rng.randrange(2) for i in range(n)]
    rng.shuffle(y)
    columns: list[list[Any]] = [[rng.choice((0, 0, 1, 2, 0.5, -1)) for _ in range(n)] for _ in range(m)]
    if rng.random() < 0.3:
        rng.choice(columns)[rng.randrange(n)] = float("nan") if rng.random() < 0.6 else odd.value(rng)
    X, inside = _held(rng, columns)
    how: dict[str, Any] = {}
    if rng.random() < 0.6:
        how["missing"] = rng.choice(("drop", "last", "omit"))
    if rng.random() < 0.4:
        how["direction"] = rng.choice(("low", "auto", "high"))
    if rng.random() < 0.4:
        how["adjust"] = rng.choice(("by", "holm"))
    if rng.random() < 0.3:
        how["names"] = list(rng.choice(NAMES)[:m])
    if rng.random() < 0.2:
        other = (
            "direction",
            "adjust",
            "names",
            "missing",
            "n_resamples",
            "confidence_level",
            "prevalence",
            "by",
            "rng",
        )
        how[rng.choice((*other, "clusters", "columns", "pos_label", "unusable", "orders", "metrics"))] = odd.value(rng)
    found, refused = answer(lambda: hc.screen(X, y, **{"metrics": CHOSEN, **how}))
    if refused:
        return Verdict.REFUSED
    if not all((found.to_text(), found.to_csv(), found.to_html(), found.to_latex(), found.to_markdown())):
        raise FaultError(f"nothing is printed: {how}")
    given = (y, inside, how)
    if set(how) - {"missing", "direction", "adjust", "names"} or not isinstance(found, hc.Screen):
        return Verdict.CONFIRMED
    columns_of_frame: Any = getattr(X, "columns", range(m))
    names = [str(name) for name in how.get("names") or columns_of_frame]
    if [*found.names, *found.left_out] != [name for name in names if name in found.names] + [
        name for name in names if name in found.left_out
    ]:
        raise FaultError(f"{found.names} and {dict(found.left_out)} are not {names}: {given}")
    pvalues: dict[str, list[float]] = {metric: [] for metric in CHOSEN}
    for place, name in enumerate(found.names):
        column = inside[names.index(name)]
        low = bool(found.low_first[place])
        if how.get("direction") != "auto" and low != (how.get("direction") == "low"):
            raise FaultError(f"{name} has low values first: {given}")
        try:
            slow = _marker(y, column, how, low)
        except UnreadError as why:
            raise FaultError(f"{name} has a value without a meaning ({why!r}): {given}") from None
        if how.get("direction") == "auto" and low != _is_below_half(y, column):
            raise FaultError(f"{name} has {'low' if low else 'high'} values first: {given}")
        values = {metric: float(found[metric][place]) for metric in CHOSEN}
        confirm(values, slow, given)
        for i, metric in enumerate(CHOSEN):
            share = float(_share_as_good(slow, metric)) * (2 if how.get("direction") == "auto" else 1)
            near(f"p of {metric} of {name}", float(found.pvalue[i][place]), min(share, 1.0), given)
            pvalues[metric].append(float(found.pvalue[i][place]))
    for i, metric in enumerate(CHOSEN):
        for value, right in zip(found.adjusted[i], _adjusted(pvalues[metric], how.get("adjust", "bh")), strict=True):
            near(f"adjusted p of {metric}", float(value), right, given)
    return Verdict.CONFIRMED


def _marker(y: list[int], column: list[Any], how: dict[str, Any], low: bool) -> Slow:
    column = _numbers(column)
    gone = [exact(value) is None for value in column]
    if any(gone) and how.get("missing") in (None, "omit", "raise"):
        raise UnreadError("missing")
    return of_columns(y, column, missing=how.get("missing", "raise"), lower=low)


def _is_below_half(y: list[int], column: list[Any]) -> bool:
    """Say whether AUC of the subjects with a value is below one half."""
    try:
        return of_columns(y, _numbers(column), missing="drop").auc < Fraction(1, 2)
    except UnreadError:  # one class only
        return False


def _numbers(column: list[Any]) -> list[Any]:
    """Return numbers for words of them."""
    return [number(str(value)) if isinstance(value, str) else value for value in column]


def _share_as_good(slow: Slow, metric: str) -> Fraction:
    """Return the share of the orders of the labels that are at least as good."""
    own, scores = slow.value(metric), [score for _, score, _ in slow.rows]
    good = total = 0
    for chosen in itertools.combinations(range(len(scores)), int(slow.P)):
        other = Slow(Subject(i in chosen, score) for i, score in enumerate(scores))
        good, total = good + (other.value(metric) >= own), total + 1
    return Fraction(good, total)


def _adjusted(pvalues: list[float], how: str) -> list[float]:
    """Return p values adjusted for their number, by their definitions."""
    m = len(pvalues)
    order = sorted(range(m), key=pvalues.__getitem__)
    out = [0.0] * m
    if how == "holm":
        worst = 0.0
        for rank, i in enumerate(order):
            worst = max(worst, min(1.0, (m - rank) * pvalues[i]))
            out[i] = worst
        return out
    scale = math.fsum(1 / k for k in range(1, m + 1)) if how == "by" else 1.0
    least = 1.0
    for rank, i in reversed(list(enumerate(order, 1))):
        least = min(least, scale * pvalues[i] * m / rank)
        out[i] = least
    return out


DOORS: dict[str, Door] = {"screens": screens}
