"""Doors of hit tables: sums, files and frames of them, other prevalences, cuts, days."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import hitcurve as hc
from tests.fuzz import odd
from tests.fuzz.case import TOLERANCE, Door, FaultError, Verdict, answer, confirm
from tests.fuzz.dual import Ranked, of_n_less_1
from tests.fuzz.slow import Slow, Subject, UnreadError, exact

Part = tuple[list[int], list[Any], list[Any] | None]
BACKENDS = ("pandas", "polars", "pyarrow")


def _part(rng: Random, scores: tuple[Any, ...], weighted: bool) -> Part:
    """Return labels, scores and weights of some subjects, of one class only at times."""
    n = rng.choice((1, 2, 3, 5, 8))
    y, s = [rng.randrange(2) for _ in range(n)], [rng.choice(scores) for _ in range(n)]
    return y, s, [rng.choice((1, 2, 0.5, 0.1, 3.25)) for _ in range(n)] if weighted else None


def _of_parts(parts: list[Part], lower: bool = False) -> Slow:
    subjects = []
    for y, s, w in parts:
        weights = w or [1] * len(y)
        # each part is read by itself: what is no float becomes one
        read = [float(b) if isinstance(b, (Decimal, Fraction)) else b for b in s]
        subjects += [Subject(bool(a), exact(b), Fraction(c)) for a, b, c in zip(y, read, weights, strict=True)]
    return Slow(subjects, lower=lower)


def sums(rng: Random, folder: Path) -> Verdict:
    """Add tables of parts of the subjects, kept in files and frames in between: the table of all of them."""
    scores = rng.choice(((0, 1, 2, 3), (0.5, 0.1, 0.1 + 0.2, 0.3, 1e300), (2**53, 2**53 + 1, 7), odd.NUMBERS[:22]))
    lower, weighted = rng.random() < 0.3, rng.random() < 0.3
    parts = [_part(rng, scores, weighted and rng.random() < 0.9) for _ in range(rng.choice((1, 2, 2, 3, 4)))]
    if rng.random() < 0.2:
        parts[0][1][0] = odd.value(rng)

    def made(y: list[int], s: list[Any], w: list[Any] | None) -> hc.HitTable:
        return hc.HitTable.from_scores(y, s, sample_weight=w, higher_is_better=not lower)

    tables, refused = answer(lambda: [made(*part) for part in parts])
    if refused:
        return Verdict.REFUSED
    kept = [_there_and_back(rng, table, folder / "x.hit") for table in tables]
    rng.shuffle(kept)
    total, refused = answer(lambda: sum(kept))
    if refused:
        return Verdict.REFUSED
    if len({w is None for *_, w in parts}) == 1 and not weighted:
        y, s = ([value for part in parts for value in part[i] or ()] for i in (0, 1))
        whole, refused = answer(lambda: made(y, s, None))
        if not refused and whole != total:
            raise FaultError(f"{total!r} is not the table of all subjects {whole!r}: {parts}, {lower}")
    for table in (total, total.collapse()):
        found, refused = answer(partial(hc.evaluate, tables={"a": table}, metrics=["auc", "ap"]))
        if refused:
            return Verdict.REFUSED
        confirm({m: found["a", m].value for m in ("auc", "ap")}, lambda: _of_parts(parts, lower), (parts, lower))
    return Verdict.CONFIRMED


def _there_and_back(rng: Random, table: hc.HitTable, path: Path) -> hc.HitTable:
    """Return a table, at times as it is read from a file."""
    if rng.random() < 0.5:
        return table
    table.save(path)
    read = hc.load_table(path)
    if not isinstance(read, hc.HitTable) or read != table:
        raise FaultError(f"{table!r} was read as {read!r}")
    if table.n_pos and table.n_neg and read.to_frame(rng.choice(BACKENDS)).shape[0] != table.pos.size:
        raise FaultError(f"the frame of {table!r} has other rows")
    return read


def prevalences(rng: Random, folder: Path) -> Verdict:
    """Set a prevalence of any kind: positives and negatives weigh as it says, and a cut is a part of a subject."""
    part = _part(rng, (0, 1, 2, 3, 4), rng.random() < 0.3)
    pi = rng.choice((0.5, 0.1, 1e-3, 1 / 3, 0.999, rng.random(), odd.value(rng)))
    share = rng.choice((0.1, 0.5, 1.0, 0.01, round(rng.random(), 3) or 0.2))
    names = {"auc": "auc", "ap": "ap", "ks": "ks", f"recall@{100 * share:.4g}%": "share"}
    table, refused = answer(lambda: hc.HitTable.from_scores(part[0], part[1], sample_weight=part[2]).at_prevalence(pi))
    if refused:
        return Verdict.REFUSED
    found, refused = answer(lambda: hc.evaluate(tables={"a": table}, metrics=list(names)))
    if refused:
        return Verdict.REFUSED

    def slow() -> Slow:
        own, exactly = _of_parts([part]), exact(pi)
        if not isinstance(exactly, Fraction) or not 0 < exactly < 1:
            raise UnreadError(pi)
        scale = {True: exactly / own.P, False: (1 - exactly) / own.N}
        return _Shared(
            (Subject(p, s, w * scale[bool(p)]) for p, s, w in own.rows), Fraction(f"{100 * share:.4g}") / 100
        )

    return confirm({of: found["a", name].value for name, of in names.items()}, slow, (part, pi, share))


class _Shared(Slow):
    """A list with the recall at a share of it."""

    def __init__(self, subjects: Any, share: Fraction) -> None:
        super().__init__(subjects)
        self.at = share

    @property
    def share(self) -> Fraction:
        return self.hits(self.at * (self.P + self.N)) / self.P


CUTS = ("auto", "ceil", "floor", "round", "fractional")
_HAIR = Fraction(1, 10**9)  # 0.07 * 100 is above 7 in binary fractions


def cuts(rng: Random, folder: Path) -> Verdict:
    """Cut a list at a share, a number of subjects or a score of any kind: the counts of both sides."""
    part = _part(rng, rng.choice(((0, 1, 2, 3, 4), (0.5, 0.25, 1e-300, -1.0))), False)
    by = rng.choice(("rate", "k", "threshold"))
    usual = {"rate": (0.1, 0.5, 1.0, rng.random()), "k": (1, 2, 5), "threshold": (0, 1, 2.5, -1, 0.25, float("inf"))}
    at = rng.choice(usual[by]) if rng.random() < 0.7 else odd.value(rng)
    how = rng.choice(CUTS) if rng.random() < 0.4 else "auto"
    lower = rng.random() < 0.3
    table, refused = answer(lambda: hc.HitTable.from_scores(*part[:2], higher_is_better=not lower))
    if refused:
        return Verdict.REFUSED
    if rng.random() < 0.3:
        table = table.collapse()
    found, refused = answer(lambda: table.confusion(**{by: at}, cut=how))
    if refused:
        return Verdict.REFUSED

    def slow() -> _Cut:
        return _Cut(_of_parts([part], lower), by, exact(at), how)

    names = ("tp", "fp", "fn", "tn", "sensitivity", "specificity")
    return confirm({name: getattr(found, name) for name in names}, slow, (part, by, at, how, lower))


class _Cut(Slow):
    """The counts on both sides of a cut, in fractions."""

    def __init__(self, own: Slow, by: str, at: Any, how: str) -> None:
        super().__init__(Subject(*row) for row in own.rows)
        if by == "threshold" and at is not None:
            called = [(p, w) for p, s, w in own.rows if s >= at]
            self.tp = sum((w for p, w in called if p), Fraction(0))
            self.fp = sum((w for p, w in called if not p), Fraction(0))
        else:
            self.tp, self.fp = self._by_number(by, at, how)
        self.fn, self.tn = self.P - self.tp, self.N - self.fp
        self.sensitivity, self.specificity = self.tp / self.P, self.tn / self.N

    def _by_number(self, by: str, at: Any, how: str) -> tuple[Fraction, Fraction]:
        if not isinstance(at, Fraction) or at <= 0 or (by == "k" and at.denominator > 1) or (by == "rate" and at > 1):
            raise UnreadError(at)
        n = at
        if by == "rate":
            n = at * (self.P + self.N)
            rules: dict[str, Callable[[Fraction], Fraction | int]] = {
                "ceil": lambda x: max(1, -((_HAIR - x) // 1)),
                "floor": lambda x: max(1, (x + _HAIR) // 1),
                "round": lambda x: max(1, round(x)),
                "fractional": lambda x: x,
            }
            n = Fraction(rules["ceil" if how == "auto" else how](n))
        hits = self.hits(n)
        return hits, n - hits


def _weights(days: Sequence[Ranked], metric: str) -> list[Fraction]:
    """Return 1/(V1/n1 + V0/n0) of days, with the variances of a subject of either class pooled over them."""
    parts = [[v for v, _ in of_n_less_1(day.influence(metric), day)] for day in days]
    sizes = [day.numbers() for day in days]
    of_one = [
        sum((n[c] ** 2 * own[c] for n, own in zip(sizes, parts, strict=True)), Fraction(0)) / sum(n[c] for n in sizes)
        for c in (0, 1)
    ]
    return [1 / (of_one[0] / n1 + of_one[1] / n0) for n1, n0 in sizes]


def days(rng: Random, folder: Path) -> Verdict:
    """Look for changes over days: values and their weighted mean; what is printed is said of days that were given."""
    names = rng.sample(("mon", "tue", "wed", "é", "<b>", "=1", "a b", "\u202e", " "), rng.choice((1, 2, 2, 3, 5)))
    metric = rng.choice(("auc", "ap"))
    parts: list[Part] = []
    for _ in names:
        n = rng.choice((22, 30, 44))
        y = [i % 2 for i in range(n)]
        parts.append((y, [rng.randrange(5) + a for a in y], None))
    if rng.random() < 0.1:
        parts[-1] = _part(rng, (0, 1), False)
    how: dict[str, Any] = {"draws": rng.choice((99, 200))}
    if rng.random() < 0.4:
        how[rng.choice(("draws", "confidence_level", "rng"))] = odd.value(rng)
    tables = {name: hc.HitTable.from_scores(*part[:2]) for name, part in zip(names, parts, strict=True)}
    found, refused = answer(lambda: hc.drift(tables, metric, **how))
    if refused:
        return Verdict.REFUSED
    slow = [_of_parts([part]) for part in parts]
    for one, value, low, high in zip(slow, found.values, found.low, found.high, strict=True):
        confirm({metric: float(value)}, one, (parts, how))
        if not low <= value <= high:
            raise FaultError(f"{value} lies outside {low} to {high}: {parts}, {how}")
    weights = _weights([Ranked.of(*part[:2]) for part in parts], metric)
    mean = sum(w * one.value(metric) for w, one in zip(weights, slow, strict=True)) / sum(weights)
    pvalues = [found.q_pvalue, found.largest.pvalue, *(one.pvalue for one in (*found.changes, *found.odd_days))]
    if abs(found.mean - mean) > TOLERANCE or not all(0 <= p <= 1 for p in pvalues):
        raise FaultError(f"mean {found.mean}, by definition {float(mean)}; p {pvalues}: {parts}, {how}")
    if found.days != tuple(names) or not {one.first for one in found.changes} <= set(names) or not found.to_text():
        raise FaultError(f"{found.days} are not {names}")
    return Verdict.CONFIRMED


DOORS: dict[str, Door] = {
    "sums of tables": sums,
    "prevalences": prevalences,
    "cuts": cuts,
    "days": days,
}
