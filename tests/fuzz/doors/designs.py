"""Doors of outcomes to come, clusters and groups."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import hitcurve as hc
from tests.fuzz import odd
from tests.fuzz.case import Door, FaultError, Verdict, answer, confirm
from tests.fuzz.doors.arguments import contained
from tests.fuzz.slow import Slow, Subject, UnreadError, exact

NEAR = 1e-9  # of errors and p values, which are roots and tails of sums of many terms
CHOSEN = ("auc", "ap")


def near(what: str, found: float, expected: float, given: Any) -> None:
    """Compare a number with its slow definition in floats.

    Raises
    ------
    FaultError
        If they differ.
    """
    if not math.isclose(found, expected, rel_tol=NEAR, abs_tol=NEAR):
        raise FaultError(f"{what} is {found!r}, by definition {expected!r}: {given}")


EVENTS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    ((0, 1), {}), ((False, True), {}), ((0, 1, 2), {}), ((0, 1, 2, 3), {}), ((0.0, 1.0), {}), ((1,), {}),
    (("lost", "ill", "dead"), {"cause": "ill", "censored": "lost"}), ((0, 1, 2), {"cause": 2}),
    ((1, 2), {"censored": 2}), ((1, 2), {"cause": 2, "censored": 1}), ((1, 2), {}), (("false", "true"), {}),
)  # fmt: skip


def survival(rng: Random, folder: Path) -> Verdict:
    """Evaluate by events up to a horizon: cases and controls by the weights of Kaplan and Meier, in fractions."""
    n = rng.choice((2, 4, 6, 8, 12))
    pool, codes = rng.choice(EVENTS)
    times: list[Any] = [rng.choice((rng.randrange(1, 6), rng.randrange(8) / 2, rng.random())) for _ in range(n)]
    events: list[Any] = rng.choices(pool, k=n)
    scores: list[Any] = [rng.randrange(4) for _ in range(n)]
    for column in (times, events, scores):
        if rng.random() < 0.08:
            column[rng.randrange(n)] = odd.value(rng)
    (t, in_t), (e, in_e), (s, in_s) = (contained(rng, column) for column in (times, events, scores))
    horizon = rng.choice((1, 2, 2.5, 3, 0.5)) if rng.random() < 0.9 else odd.value(rng)
    how: dict[str, Any] = dict(codes)
    if rng.random() < 0.3:
        how["controls"] = rng.choice(("free", "all"))
    if rng.random() < 0.3:
        how["higher_is_better"] = False
    if rng.random() < 0.2:
        how["missing"] = "drop"
    weights = [rng.choice((0, 1, 2, 0.5)) for _ in range(n)] if rng.random() < 0.3 else None
    if rng.random() < 0.15:
        how[rng.choice(("cause", "censored", "controls", "censoring", "clusters", "rule"))] = odd.value(rng)
    call = partial(hc.evaluate_survival, t, e, {"a": s}, horizons=[horizon], metrics=CHOSEN, sample_weight=weights)
    found, refused = answer(lambda: call(**how))
    if refused:
        return Verdict.REFUSED
    if not found.to_text() or hc.SurvivalEvaluation.from_json(text=found.to_json()).to_json() != found.to_json():
        raise FaultError(f"{found} is not read back")
    known = {"cause", "censored"} <= set(codes) or not codes
    plain = {name: value for name, value in how.items() if codes.get(name, ...) != value}
    if not known or set(plain) - {"controls", "higher_is_better", "missing"}:
        return Verdict.CONFIRMED  # other codes and rules: that there is an answer
    return confirm(
        {m: found["a", m, float(horizon)].value for m in CHOSEN},
        lambda: _at_horizon(list(zip(in_t, in_e, in_s, weights or [1] * n, strict=True)), horizon, how),
        (in_t, in_e, in_s, horizon, how, weights),
    )


def _at_horizon(rows: list[tuple[Any, Any, Any, Any]], horizon: Any, how: dict[str, Any]) -> Slow:
    """Return cases and controls at a horizon, each by the inverse of its probability to be uncensored."""
    kept = []
    for time, event, score, weight in rows:
        t, s, kind = exact(time), exact(score), _kind(event, how)
        if t is None or s is None or kind is None:
            if how.get("missing") != "drop":
                raise UnreadError("missing")
            continue
        if not isinstance(t, Fraction) or t < 0:
            raise UnreadError(t)
        kept.append((t, kind, s, Fraction(weight)))
    h = exact(horizon)
    free: list[Subject] = []
    for t, kind, s, w in kept:
        if t > h:
            free.append(Subject(False, s, w / _uncensored(kept, h, before=False)))
        elif kind == "case":
            free.append(Subject(True, s, w / _uncensored(kept, t, before=True)))
        elif kind == "competing" and how.get("controls") == "all":
            free.append(Subject(False, s, w / _uncensored(kept, t, before=True)))
    return Slow(free, lower=not how.get("higher_is_better", True))


def _kind(event: Any, how: dict[str, Any]) -> str | None:
    if "cause" in how:
        if event in (None, "nan") or event != event:
            return None
        named: dict[Any, str] = {how["cause"]: "case", how["censored"]: "censored"}
        return named.get(_plain(event), "competing")
    if isinstance(event, str):
        word = event.strip().lower()
        if event == "nan":
            return None
        if word not in ("true", "false"):
            raise UnreadError(event)
        return "case" if word == "true" else "censored"
    number = exact(event)
    if number is None:
        return None
    if not isinstance(number, Fraction) or number.denominator > 1 or number < 0:
        raise UnreadError(event)
    return {0: "censored", 1: "case"}.get(int(number), "competing")


def _plain(event: Any) -> Any:
    return event.item() if isinstance(event, np.generic) else event


def _uncensored(rows: Iterable[tuple[Fraction, str, Any, Fraction]], at: Fraction, *, before: bool) -> Fraction:
    """Return the estimate of Kaplan and Meier, events first where both have one time."""
    kept, left = list(rows), Fraction(1)
    for time in sorted({t for t, kind, *_ in kept if kind == "censored"}):
        if time > at or (before and time == at):
            break
        gone = sum((w for t, kind, _, w in kept if t == time and kind == "censored"), Fraction(0))
        beyond = sum((w for t, _, _, w in kept if t > time), Fraction(0))
        if gone:
            left *= beyond / (beyond + gone)
    if not left:
        raise UnreadError("nobody is left")
    return left


NAMES: tuple[tuple[Any, ...], ...] = (
    (1, 2, 3), ("a", "b", "c"), (0.5, 1.5, 2.5), (True, False), ("1", "2"), (1, "1", 2), ("a", "A", " a"), (-1, 10**18),
    ("", " ", "x"), (1, 1.0, 2), ("é", "e\u0301", "e"), (2**53, 2**53 + 1, 1), ("nan", "x"), ("2026", "2027"),
)  # fmt: skip


def _named(rng: Random, n: int) -> tuple[Any, list[Any]]:
    """Return names of clusters or groups of some subjects in a container, an odd one here and there."""
    names: list[Any] = rng.choices(rng.choice(NAMES[:4] if rng.random() < 0.6 else NAMES), k=n)
    if rng.random() < 0.1:
        names[rng.randrange(n)] = odd.value(rng)
    return contained(rng, names)


def _parts(names: Sequence[Any]) -> list[list[int]]:
    """Return the places of the subjects of each name; numbers are equal where they are equal exactly."""
    found: dict[Any, list[int]] = {}
    for place, name in enumerate(names):
        if isinstance(name, (str, np.str_)):
            key: Any = str(name)
        else:
            try:
                key = exact(name)
            except UnreadError:
                key = repr(name)
        if key is None:
            raise UnreadError(name)
        found.setdefault(key, []).append(place)
    return list(found.values())


def clusters(rng: Random, folder: Path) -> Verdict:
    """Evaluate subjects in clusters: values do not change, errors are those of sums of influence by cluster."""
    n = rng.choice((6, 8, 12))
    y, s = [rng.randrange(2) for _ in range(n)], [rng.randrange(5) for _ in range(n)]
    held, inside = _named(rng, n)
    design = rng.choice(("cohort", "case-control"))
    found, refused = answer(lambda: hc.evaluate(y, {"a": s}, metrics=CHOSEN, clusters=held, design=design))
    if refused:
        return Verdict.REFUSED
    given = (y, s, inside, design)
    if len(inside) != n:
        raise FaultError(f"an answer without clusters: {given}")
    slow = Slow(Subject(bool(a), Fraction(b)) for a, b in zip(y, s, strict=True))
    verdict = confirm({m: found["a", m].value for m in CHOSEN}, slow, given)
    error, refused = answer(lambda: found["a", "auc"].standard_error)
    if held is None or refused:
        return verdict
    parts = _parts(inside)
    near("the standard error", error, _by_cluster(_placements(y, s, slow), y, parts), given)
    return verdict


def _placements(y: list[int], s: list[Any], slow: Slow) -> list[Fraction]:
    """Return the share of the other class that each subject is ranked rightly against, less AUC."""
    out: list[Fraction] = []
    for a, b in zip(y, s, strict=True):
        others = [t for c, t in zip(y, s, strict=True) if c != a]
        wins = (Fraction(1, 2) if t == b else Fraction((b > t) == bool(a)) for t in others)
        right = sum(wins, Fraction(0))
        out.append(right / len(others) - slow.auc)
    return out


def _by_cluster(influence: list[Fraction], y: list[int], parts: list[list[int]]) -> float:
    """Return the jackknife of clusters, to first order: each less its own share of the class."""
    size, total = {c: y.count(c) for c in (0, 1)}, Fraction(0)
    g = len(parts)
    for part in parts:
        own = Fraction(0)
        for c in (0, 1):
            members = [i for i in part if y[i] == c]
            share = Fraction(len(members), size[c])
            factor = (1 - Fraction(1, g)) / (1 - share) if share < 1 else 1
            own += factor * sum((influence[i] for i in members), Fraction(0)) / size[c]
        total += own**2
    return math.sqrt(Fraction(g, g - 1) * total)


def groups(rng: Random, folder: Path) -> Verdict:
    """Evaluate groups: each has the value of its own list, and the mean is theirs."""
    n = rng.choice((6, 8, 12, 20))
    y, s = [rng.randrange(2) for _ in range(n)], [rng.randrange(5) for _ in range(n)]
    held, inside = _named(rng, n)
    lacking = rng.choice(("raise", "skip", "skip", "zero", odd.value(rng)))
    call = partial(hc.evaluate, y, {"a": s}, metrics=CHOSEN, by=held)
    found, refused = answer(lambda: call(single_class=lacking))
    if refused:
        return Verdict.REFUSED
    given = (y, s, inside, lacking)
    if held is None and isinstance(found, hc.Evaluation):
        return Verdict.CONFIRMED
    expected: dict[str, list[Fraction]] = {m: [] for m in CHOSEN}
    for part in _parts(inside):
        try:
            own = Slow(Subject(bool(y[i]), Fraction(s[i])) for i in part)
        except UnreadError:
            if lacking == "raise":
                raise FaultError(f"groups of one class were not refused: {given}") from None
            if lacking == "zero" and not any(y[i] for i in part):
                for m in CHOSEN:
                    expected[m].append(Fraction(0))
            continue
        for m in CHOSEN:
            expected[m].append(own.value(m))
    for m in CHOSEN:
        values = sorted(found.values("a", m).tolist())
        if len(values) != len(expected[m]):
            raise FaultError(f"{len(values)} groups, and there are {len(expected[m])}: {given}")
        for value, right in zip(values, sorted(expected[m]), strict=True):
            near(m, value, float(right), given)
        near(f"mean {m}", found.mean("a", m).value, float(sum(expected[m]) / len(expected[m])), given)
    return Verdict.CONFIRMED


DOORS: dict[str, Door] = {
    "survival": survival,
    "clusters": clusters,
    "groups": groups,
}
