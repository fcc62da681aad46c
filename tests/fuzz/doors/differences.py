"""Doors of differences: of the same subjects, of two samples, of summaries alone, and of censored outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import hitcurve as hc
from tests.fuzz import odd
from tests.fuzz.case import Door, FaultError, Verdict, answer
from tests.fuzz.doors.designs import CHOSEN, near
from tests.fuzz.dual import Dual, Ranked, by_class, jackknife, moved, of_n_less_1, root, satterthwaite, tail
from tests.fuzz.slow import Slow, Subject, UnreadError

SIDES = ("two-sided", "less", "greater")
DESIGNS = ("cohort", "case-control")
PAIRED = ("auto", "delta", "delong", "swap-permutation", "bootstrap", "paired-permutation")
METHODS = ("auto", "auto", "delta", "delong", "bootstrap", "swap-permutation")


def check_test(
    found: Any, difference: Fraction | float, variance: Fraction | float, degrees: float, given: Any, limit: float = 1.0
) -> None:
    """Compare a test by formula with its definition: statistic, p value and interval, from a variance.

    Raises
    ------
    FaultError
        If they differ, or a difference was tested that nothing varies.
    """
    near("the difference", found.difference.value, float(difference), given)
    error = root(Fraction(variance))
    near("its error", found.difference.standard_error, error, given)
    distance = float(difference) - found.null
    if error <= 1e-9:
        if abs(distance) > 1e-9 and found.pvalue not in (0.0, 1.0):
            raise FaultError(f"p is {found.pvalue} where nothing varies: {given}")
        return
    near("p", found.pvalue, tail(distance / error, degrees, found.alternative), given)
    level = found.difference.confidence_level
    if math.isfinite(degrees):
        near("its degrees", found.degrees_of_freedom, degrees, given)
    low, high = found.difference.confidence_interval()
    if not low <= found.difference.value <= high:
        raise FaultError(f"{found.difference.value} outside its interval {low}, {high}: {given}")
    for end, sign in ((low, -1), (high, 1)):
        if abs(end) < limit:  # the level that ends there
            reached = 1 - tail((float(difference) - end) / error, degrees, "two-sided")
            near("the level of its interval", reached, level, (sign, given))
        elif abs(end) > limit:
            raise FaultError(f"{end} is beyond {limit}: {given}")


def comparisons(rng: Random, folder: Path) -> Verdict:
    """Compare two rankers: the difference of their values, the test of DeLong, and the mirror of it all."""
    n = rng.choice((6, 10, 24, 70))
    y = [int(rng.random() < 0.5) for _ in range(n)]
    a, b = ([rng.randrange(6) + rng.randrange(3) * c for c in y] for _ in range(2))
    name, method = rng.choice(CHOSEN), rng.choice(PAIRED)
    how: dict[str, Any] = {"alternative": rng.choice(("two-sided", "less", "greater")), "null": 0.0}
    if method in PAIRED[3:]:
        how |= {"n_resamples": 99, "rng": 1}
    if rng.random() < 0.3:
        how[rng.choice(("alternative", "null", "n_resamples", "rng", "interval", "horizon"))] = odd.value(rng)
    ev, refused = answer(lambda: hc.evaluate(y, {"a": a, "b": b}, metrics=CHOSEN))
    if refused:
        return Verdict.REFUSED
    found, refused = answer(lambda: ev.compare("a", "b", name, method=method, **how))
    if refused:
        return Verdict.REFUSED
    given = (y, a, b, name, method, how)
    slow = [Slow(Subject(bool(c), Fraction(v)) for c, v in zip(y, s, strict=True)) for s in (a, b)]
    difference = slow[0].value(name) - slow[1].value(name)
    near("the difference", found.difference.value, float(difference), given)
    if not 0 <= found.pvalue <= 1 or not str(found):
        raise FaultError(f"p is {found.pvalue}: {given}")
    if found.method in ("delta", "delong") and found.difference.interval_method == "normal":
        own = [Ranked.of(y, s).influence(name) for s in (a, b)]
        parts = of_n_less_1([p - q for p, q in zip(*own, strict=True)], Ranked.of(y, a))
        degrees = math.inf if found.method == "delong" else satterthwaite(parts)
        check_test(found, difference, sum(v for v, _ in parts), degrees, given)
    if method in ("delta", "delong") and isinstance(how["null"], (int, float)):
        turned = {"less": "greater", "greater": "less"}.get(how["alternative"], how["alternative"])
        mirror = ev.compare("b", "a", name, method=method, **{**how, "alternative": turned, "null": -how["null"]})
        near("p of the mirror", mirror.pvalue, found.pvalue, given)
    return Verdict.CONFIRMED


def _sample(rng: Random) -> tuple[list[int], list[Any], Any, Any]:
    """Return labels and scores of one sample, with weights and clusters or without."""
    n = rng.choice((4, 6, 9, 14, 25))
    y = [int(rng.random() < 0.5) for _ in range(n)]
    s = [rng.choice((rng.randrange(5) + rng.randrange(3) * c, rng.gauss(c, 1))) for c in y]
    weights = [rng.choice((0.5, 1, 2, 3)) for _ in y]
    clusters = [rng.randrange(4) for _ in y]
    return y, s, weights, clusters


def two_samples(rng: Random, folder: Path) -> Verdict:
    """Compare rankers of different subjects: variances add, with Welch's degrees of freedom, or those of DeLong."""
    sides, name = (_sample(rng), _sample(rng)), rng.choice(CHOSEN)
    how: dict[str, Any] = {"method": rng.choice(METHODS), "alternative": rng.choice(SIDES)}
    if rng.random() < 0.3:
        how["null"] = rng.choice((0.1, -0.25, 0, 1))
    design, kind = rng.choice(DESIGNS), rng.random()
    own: dict[str, Any] = {"design": design}
    if kind < 0.25:
        own["sample_weight"] = tuple(side[2] for side in sides)
    elif kind < 0.5:
        own["clusters"] = tuple(side[3] for side in sides)
    if rng.random() < 0.2:
        how[rng.choice(("null", "method", "alternative", "interval", "horizon", "n_resamples", "rng"))] = odd.value(rng)
    (y, a, *_), (z, b, *_) = sides
    call = partial(hc.compare, (y, z), a, b, metric=name, paired=False, **how, **own)
    given = (sides, name, how, own)
    found, refused = answer(call)
    if refused:
        return Verdict.REFUSED
    if set(y) != {0, 1} or set(z) != {0, 1}:
        raise FaultError(f"a sample of one class was compared: {given}")
    if found.paired or not str(found) or not found.methods_text():
        raise FaultError(f"{found}: {given}")
    weights = own.get("sample_weight", (None, None))
    lists = [Ranked.of(side[0], side[1], w, design) for side, w in zip(sides, weights, strict=True)]
    parts = [_variance(each, name, found.method, own, side[3]) for each, side in zip(lists, sides, strict=True)]
    degrees = math.inf if found.method == "delong" else satterthwaite(parts)
    difference = lists[0].value(name) - lists[1].value(name)
    check_test(found, difference, sum(v for v, _ in parts), degrees, given)
    mirror = {"less": "greater", "greater": "less"}.get(how["alternative"], how["alternative"])
    turned: dict[str, Any] = {key: value[::-1] if isinstance(value, tuple) else value for key, value in own.items()}
    back = hc.compare(
        (z, y), b, a, metric=name, paired=False, **{**how, "alternative": mirror, "null": -found.null}, **turned
    )
    if (back.pvalue, back.difference.value + found.difference.value) != (found.pvalue, 0):
        raise FaultError(f"the mirror has p {back.pvalue}, not {found.pvalue}: {given}")
    return Verdict.CONFIRMED


def _variance(
    ranked: Ranked, name: str, method: str, own: dict[str, Any], clusters: Sequence[int]
) -> tuple[Fraction, Fraction]:
    """Return the variance of one value, with its degrees of freedom."""
    influence = ranked.influence(name)
    if "clusters" in own:
        parts = [[i for i, c in enumerate(clusters) if c == one] for one in sorted(set(clusters))]
        with_positive = sum(any(ranked.y[i] for i in part) for part in parts)
        return jackknife(influence, ranked, parts), Fraction(with_positive - 1)
    whole = of_n_less_1(influence, ranked) if method == "delong" else [(v, 0) for v in by_class(influence, ranked.y)]
    return sum((v for v, _ in whole), Fraction(0)), ranked.numbers()[0] - 1


SUMMARIES: tuple[Callable[[Random], Any], ...] = (
    lambda rng: rng.random(), lambda rng: rng.gauss(0, 1), lambda rng: rng.randrange(2, 40),
    lambda rng: 10 ** rng.uniform(-12, 6), lambda rng: 0,
)  # fmt: skip


def summaries(rng: Random, folder: Path) -> Verdict:
    """Compare means and deviations over groups by Welch's formula, or two estimates with a correlation."""
    how: dict[str, Any] = {"alternative": rng.choice(SIDES)}
    if rng.random() < 0.4:
        how["null"] = rng.choice((0.1, -0.25, 0, 1, rng.choice(odd.NUMBERS)))
    if rng.random() < 0.4:
        how["confidence_level"] = rng.choice((0.9, 0.5, 0.999, rng.choice(odd.NUMBERS)))
    if rng.random() < 0.15:
        how[rng.choice(("null", "alternative", "confidence_level", "metric", "correlation"))] = odd.value(rng)
    return _of_six(rng, how) if rng.random() < 0.6 else _of_two(rng, how)


def _of_six(rng: Random, how: dict[str, Any]) -> Verdict:
    stats: list[Any] = []
    for _ in range(2):
        stats += [rng.choice(SUMMARIES)(rng), abs(rng.choice(SUMMARIES)(rng)), rng.randrange(2, 40)]
    if rng.random() < 0.4:
        stats[rng.randrange(6)] = odd.value(rng)
    if rng.random() < 0.4:
        how.setdefault("metric", rng.choice(("auc", "ap", "ef@1%", "dcg")))
    found, refused = answer(lambda: hc.compare_from_stats(*stats, **how))
    if refused:
        return Verdict.REFUSED
    given = (stats, how)
    if found.paired or not str(found) or not found.methods_text():
        raise FaultError(f"{found}: {given}")
    m1, s1, n1, m2, s2, n2 = (Fraction(_plain(x)) for x in stats)
    u, v = s1**2 / n1, s2**2 / n2
    degrees = satterthwaite([(u, n1 - 1), (v, n2 - 1)]) if u + v else float(n1 + n2 - 2)
    low, high = (-math.inf, math.inf) if found.metric is None else found.metric.range
    _check_scaled(found, m1 - m2, u + v, degrees, high - low, given)
    return Verdict.CONFIRMED


def _plain(value: Any) -> Any:
    """Return a number as a float, which the package takes it for, or as a whole number."""
    return value if isinstance(value, int) else float(value)


def _check_scaled(found: Any, mean: Fraction, variance: Fraction, degrees: float, limit: float, given: Any) -> None:
    """Check a test of numbers of any size, by their size."""
    error, null = root(variance), Fraction(found.null)
    if not math.isclose(found.difference.value, float(mean), rel_tol=1e-9, abs_tol=1e-15 * _largest(given)):
        raise FaultError(f"the difference is {found.difference.value!r}, not {float(mean)!r}: {given}")
    if not math.isclose(found.difference.standard_error, error, rel_tol=1e-9):
        raise FaultError(f"its error is {found.difference.standard_error!r}, not {error!r}: {given}")
    low, high = found.difference.confidence_interval()
    if not low <= found.difference.value <= high or max(abs(low), abs(high)) > limit:
        raise FaultError(f"{found.difference.value} has the interval {low}, {high} within {limit}: {given}")
    if not error:
        if found.pvalue != 1 or abs(mean - null) > 1e-9 * max(1.0, float(abs(mean)), float(abs(null))):
            raise FaultError(f"p is {found.pvalue} where nothing varies: {given}")
        return
    near("its degrees", found.degrees_of_freedom, degrees, given)
    if error > 1e-5 * _largest(given):  # else digits of the means are lost in their difference
        statistic = float((mean - null) / Fraction(error))
        near("p", found.pvalue, tail(statistic, degrees, found.alternative), given)


def _largest(given: tuple[list[Any], dict[str, Any]]) -> float:
    stats, how = given
    sizes = [abs(float(value)) for value in (stats[0], stats[3], how.get("null", 0))]
    return max(1.0, *sizes)


def _of_two(rng: Random, how: dict[str, Any]) -> Verdict:
    sides, name = (_sample(rng), _sample(rng)), rng.choice(CHOSEN)
    of_tables = rng.random() < 0.4  # of one evaluation, which has one design
    designs = [rng.choice(DESIGNS)] * 2 if of_tables else [rng.choice(DESIGNS) for _ in sides]
    if rng.random() < 0.6:
        how.setdefault("correlation", rng.choice((0.5, 0, -1, 1, rng.uniform(-1, 1), 1.5, odd.value(rng))))
    call = _by_tables if of_tables else _by_estimates
    found, refused = answer(partial(call, sides, designs, name, how))
    if refused:
        return Verdict.REFUSED
    given = (sides, designs, name, how, of_tables)
    if not str(found) or not found.methods_text():
        raise FaultError(f"{found}: {given}")
    lists = [Ranked.of(y, s, None, design) for (y, s, *_), design in zip(sides, designs, strict=True)]
    u, v = (sum(by_class(each.influence(name), each.y), Fraction(0)) for each in lists)
    rho = Fraction(float(how.get("correlation") or 0))
    apart = root(u) - root(v)
    # of equal errors that are correlated fully nothing is left
    variance = max(0.0, apart * apart + 2 * float(1 - rho) * root(u) * root(v))
    check_test(found, lists[0].value(name) - lists[1].value(name), variance, math.inf, given)
    return Verdict.CONFIRMED


def _by_estimates(sides: Sequence[Any], designs: Sequence[str], name: str, how: dict[str, Any]) -> Any:
    estimates = [
        hc.evaluate(y, {"a": s}, metrics=CHOSEN, design=design)["a", name]
        for (y, s, *_), design in zip(sides, designs, strict=True)
    ]
    return hc.compare_from_stats(*estimates, **how)


def _by_tables(sides: Sequence[Any], designs: Sequence[str], name: str, how: dict[str, Any]) -> Any:
    counted = {str(place): hc.HitTable.from_scores(y, s) for place, (y, s, *_) in enumerate(sides)}
    level = {key: value for key, value in how.items() if key == "confidence_level"}
    ev = hc.evaluate(tables=counted, metrics=CHOSEN, design=designs[0], **level)
    return ev.compare("0", "1", name, **{key: value for key, value in how.items() if key not in {*level, "metric"}})


def censored(rng: Random, folder: Path) -> Verdict:
    """Compare rankers at a horizon: by the derivatives of the whole value, its weights by Kaplan and Meier included."""
    n = rng.choice((6, 8, 12, 16))
    times = [rng.choice((rng.randrange(1, 6), rng.randrange(2, 12) / 2)) for _ in range(n)]
    events = rng.choices((0, 1, 1, 2) if rng.random() < 0.4 else (0, 1, 1), k=n)
    columns = {name: [rng.randrange(5) for _ in range(n)] for name in "ab"}
    how: dict[str, Any] = {"controls": rng.choice(("free", "all"))}
    weights = [rng.choice((1, 2, 0.5)) for _ in range(n)] if rng.random() < 0.3 else None
    if rng.random() < 0.3:
        how["clusters"] = [rng.randrange(5) for _ in range(n)]
    if rng.random() < 0.25:
        how["censoring"] = [rng.randrange(2) for _ in range(n)]
    horizon = rng.choice((1.5, 2, 2.5, 3, 4))
    ask: dict[str, Any] = {"alternative": rng.choice(SIDES), "method": rng.choice(("delta", "delta", "auto", "delong"))}
    if rng.random() < 0.2:
        ask[rng.choice(("null", "method", "alternative", "rng", "interval"))] = odd.value(rng)
    name = rng.choice(CHOSEN)
    call = partial(hc.evaluate_survival, times, events, columns, horizons=[horizon], metrics=CHOSEN)
    ev, refused = answer(lambda: call(sample_weight=weights, **how))
    if refused:
        return Verdict.REFUSED
    found, refused = answer(lambda: ev.compare("a", "b", name, **ask))
    given = (times, events, columns, horizon, how, weights, ask, name)
    if refused:
        return Verdict.REFUSED
    if not 0 <= found.pvalue <= 1 or not str(found):
        raise FaultError(f"p is {found.pvalue}: {given}")
    cohort = _Censored(times, events, weights, horizon, how)
    values = [cohort.value(columns[one], name) for one in "ab"]
    near("the difference", found.difference.value, float(values[0] - values[1]), given)
    if found.method not in ("delta", "delong"):
        return Verdict.CONFIRMED  # swaps, where nobody was censored
    each = [cohort.influence(columns[one], name) for one in "ab"]
    for one, own in zip("ab", each, strict=True):
        error, refused = answer(lambda one=one: ev[one, name, horizon].standard_error)  # type: ignore[misc]
        if not refused:
            near(f"the error of {one}", error, root(cohort.variance(own)), given)
    apart = [p - q for p, q in zip(*each, strict=True)]
    variance, degrees = cohort.of_difference(apart)
    check_test(found, values[0] - values[1], variance, math.inf if found.method == "delong" else degrees, given)
    return Verdict.CONFIRMED


class _Censored:
    """Cases and controls at a horizon, whose weights move with those of all subjects."""

    def __init__(self, times: Any, events: Any, weights: Any, horizon: Any, how: dict[str, Any]) -> None:
        self.times, self.events, self.horizon = [Fraction(t) for t in times], list(events), Fraction(horizon)
        self.weights = [Fraction(w) for w in weights] if weights else [Fraction(1)] * len(self.times)
        self.strata, self.clusters = how.get("censoring", [0] * len(self.times)), how.get("clusters")
        self.all = how["controls"] == "all"
        self.censored = any(t <= self.horizon and e == 0 for t, e in zip(self.times, self.events, strict=True))

    def at_horizon(self, weights: Sequence[Any]) -> list[tuple[int, bool, Any]]:
        """Return the place, class and weight of those that are ranked."""
        found: list[tuple[int, bool, Any]] = []
        for i, (t, e, w) in enumerate(zip(self.times, self.events, weights, strict=True)):
            if t > self.horizon:
                found.append((i, False, w / self._uncensored(weights, self.strata[i], self.horizon, before=False)))
            elif e == 1 or (e == 2 and self.all):
                found.append((i, e == 1, w / self._uncensored(weights, self.strata[i], t, before=True)))
        return found

    def _uncensored(self, weights: Sequence[Any], stratum: int, at: Fraction, *, before: bool) -> Any:
        rows = [
            (t, e, w)
            for t, e, w, own in zip(self.times, self.events, weights, self.strata, strict=True)
            if own == stratum
        ]
        left: Any = Fraction(1)
        for time in sorted({t for t, e, _ in rows if e == 0}):
            if time > at or (before and time == at):
                break
            gone = sum((w for t, e, w in rows if t == time and e == 0), Fraction(0))
            beyond = sum((w for t, _, w in rows if t > time), Fraction(0))
            left = left * beyond / (beyond + gone)
        if not left:
            raise UnreadError("nobody is left")
        return left

    def _value(self, scores: Sequence[Any], name: str, weights: Sequence[Any]) -> Any:
        return Slow(Subject(case, Fraction(scores[i]), w) for i, case, w in self.at_horizon(weights)).value(name)

    def value(self, scores: Sequence[Any], name: str) -> Fraction:
        """Return the value of a metric."""
        found: Fraction = self._value(scores, name, self.weights)
        return found

    def influence(self, scores: Sequence[Any], name: str) -> list[Fraction]:
        """Return what each subject moves a value by, to first order."""
        each = [Dual.of(self._value(scores, name, moved(self.weights, i))).slope for i in range(len(self.weights))]
        return [w * d for w, d in zip(self.weights, each, strict=True)]

    def variance(self, influence: Sequence[Fraction]) -> Fraction:
        """Return the sum of squares of the subjects, or of sums within clusters, as of n - 1."""
        if self.clusters is None:
            n = len(influence)
            return Fraction(n, n - 1) * sum((v * v for v in influence), Fraction(0))
        if not self.censored:
            return jackknife(*self._binary(influence))
        names = sorted(set(self.clusters))
        sums = [
            sum((v for v, c in zip(influence, self.clusters, strict=True) if c == one), Fraction(0)) for one in names
        ]
        return Fraction(len(names), len(names) - 1) * sum((v * v for v in sums), Fraction(0))

    def _binary(self, influence: Sequence[Fraction]) -> tuple[list[Fraction], Ranked, list[list[int]]]:
        """Return the ranked subjects as those of a binary outcome, with their clusters."""
        used = [(i, case) for i, case, _ in self.at_horizon(self.weights)]
        ranked = Ranked.of([int(case) for _, case in used], [0] * len(used), [self.weights[i] for i, _ in used])
        own = [self.clusters[i] for i, _ in used] if self.clusters is not None else []
        parts = [[j for j, c in enumerate(own) if c == one] for one in sorted(set(own))]
        return [influence[i] for i, _ in used], ranked, parts

    def of_difference(self, apart: Sequence[Fraction]) -> tuple[Fraction, float]:
        """Return the variance of a difference and its degrees of freedom."""
        used = self.at_horizon(self.weights)
        if self.clusters is not None:
            with_case = {self.clusters[i] for i, case, _ in used if case}
            return self.variance(apart), float(len(with_case) - 1)
        if self.censored:
            cases = [w for _, case, w in used if case]
            number = sum(cases, Fraction(0)) ** 2 / sum((w * w for w in cases), Fraction(0))
            return self.variance(apart), float(number - 1)
        own, ranked, _ = self._binary(apart)
        parts = of_n_less_1(own, ranked)
        return sum((v for v, _ in parts), Fraction(0)), satterthwaite(parts)


DOORS: dict[str, Door] = {
    "comparisons": comparisons,
    "two samples": two_samples,
    "estimates and summaries": summaries,
    "censored comparisons": censored,
}
