"""Every metric against a slow definition written here, which shares no code with the package."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betaln

import hitcurve as hc
from hitcurve import HitTable, metric
from tests.strategies import Ranking, strict_orders

Real = Callable[[float], float]


def ranking(y: list[int], s: list[int]) -> Ranking:
    return Ranking(np.array(y, bool), np.array(s))


def drawn(n: int, n1: int, levels: int, seed: int) -> Ranking:
    """Draw subjects whose positives lean to high scores; with few levels they are heavily tied."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) < n1)
    s = np.floor(rng.beta(np.where(y, 2.0, 1.0), 2) * levels).astype(int)
    return Ranking(y, s)


DATA = {
    "theory": ranking([1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [3, 3, 3, 2, 2, 2, 2, 1, 1, 0]),
    "strict": ranking([1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0], list(range(13, 0, -1))),
    "negatives first": ranking([0, 0, 1, 0, 1, 1, 0], [5, 5, 4, 4, 3, 3, 1]),
    "all tied": ranking([1, 0, 0, 1, 0, 0, 0], [2] * 7),
    "mostly positive": drawn(30, 22, 6, 1),
    "rare": drawn(60, 3, 12, 2),
    "ties": drawn(45, 15, 5, 3),
    # long enough for the asymptotic series of harmonic numbers and discounts
    "long": drawn(400, 60, 4, 4),
}
each_ranking = pytest.mark.parametrize("r", DATA.values(), ids=list(DATA))


class Roc:
    """The polyline through the points of the distinct scores."""

    def __init__(self, r: Ranking) -> None:
        n1, n0 = int(r.y.sum()), int((~r.y).sum())
        self.n, self.n1, self.n0, self.pi = n1 + n0, n1, n0, n1 / (n1 + n0)
        levels = sorted(set(r.s.tolist()), reverse=True)
        self.groups = [(int((r.y & (r.s == s)).sum()), int((~r.y & (r.s == s)).sum())) for s in levels]
        self.tpr = [0.0, *(int((r.y & (r.s >= s)).sum()) / n1 for s in levels)]
        self.fpr = [0.0, *(int((~r.y & (r.s >= s)).sum()) / n0 for s in levels)]
        self.rate = [self.pi * t + (1 - self.pi) * f for t, f in zip(self.tpr, self.fpr, strict=True)]

    def along(self, axis: list[float], heights: list[float]) -> Iterator[tuple[float, float, Real]]:
        """Go through the straight pieces: start, end and height between them."""
        for x0, x1, y0, y1 in zip(axis, axis[1:], heights, heights[1:], strict=False):
            if x1 > x0:
                yield x0, x1, lambda x, a=x0, b=x1, c=y0, d=y1: c + (d - c) * (x - a) / (b - a)  # type: ignore[misc]

    def integral(
        self, axis: list[float], heights: list[float], weight: Real, kinks: tuple[float, ...] = (0.0, 1.0)
    ) -> float:
        """Integrate height times weight along an axis, from the first kink to the last; it may be singular at 0."""
        total = mpmath.mpf(0)
        for x0, x1, height in self.along(axis, heights):
            low, high = max(x0, kinks[0]), min(x1, kinks[-1])
            with mpmath.workdps(30 if low else 60):
                if low < high:
                    ends = [low, *(k for k in kinks if low < k < high), high]
                    total += mpmath.quad(lambda x, h=height: h(x) * weight(x), ends)
        return float(total)

    def ranks(self) -> Iterator[tuple[int, range]]:
        """Go through the groups: positives, and the ranks that the group takes up."""
        start = 0
        for z, y in self.groups:
            yield z, range(start + 1, start + z + y + 1)
            start += z + y

    def sum_over_positives(self, worth: Callable[[int], float]) -> float:
        """Sum what the ranks of the positives are worth; a tied positive has any rank of its group alike."""
        return math.fsum(z * math.fsum(map(worth, ranks)) / len(ranks) for z, ranks in self.ranks())

    def hits(self, k: float) -> float:
        """Return the positives expected among the first k."""
        return math.fsum(z * min(max(k - (ranks[0] - 1), 0), len(ranks)) / len(ranks) for z, ranks in self.ranks())


def value(form: str, r: Ranking) -> float:
    return float(metric(form).value(r.table))


@each_ranking
def test_auc_by_pairs(r: Ranking) -> None:
    pairs = [(a > b) + (a == b) / 2 for a in r.s[r.y] for b in r.s[~r.y]]
    assert value("auc", r) == pytest.approx(np.mean(pairs), rel=1e-14)


@each_ranking
def test_average_precision_by_positives(r: Ranking) -> None:
    precisions = [r.y[r.s >= own].mean() for own in r.s[r.y]]
    ap, pi = np.mean(precisions), r.y.mean()
    assert value("ap", r) == pytest.approx(ap, rel=1e-14)
    assert value("scaled_ap", r) == pytest.approx((ap - pi) / (1 - pi), rel=1e-13, abs=1e-15)


@each_ranking
def test_expected_average_precision_by_ranks(r: Ranking) -> None:
    """A positive at rank j of its group has 1 + (z - 1)(j - 1)/(s - 1) of the group's positives down to itself."""
    total, above, called = 0.0, 0, 0
    for z, y in Roc(r).groups:
        s = z + y
        share = (z - 1) / (s - 1) if s > 1 else 0.0
        total += math.fsum(z / s * (above + 1 + share * (j - 1)) / (called + j) for j in range(1, s + 1) if z)
        above, called = above + z, called + s
    assert value("ap(ties=expected)", r) == pytest.approx(total / r.y.sum(), rel=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "slope", "kinks"),
    [
        ("exp, alpha=7", lambda x: 7 * mpmath.exp(-7 * x) / (1 - mpmath.exp(-7)), (0.0, 1.0)),
        ("exp, alpha=1000", lambda x: 1000 * mpmath.exp(-1000 * x), (0.0, 0.001, 0.01, 0.1, 1.0)),
        ("power, alpha=2.3", lambda x: mpmath.mpf(x) ** (1 / mpmath.mpf("3.3") - 1) / mpmath.mpf("3.3"), (0.0, 1.0)),
        ("log, alpha=80", lambda x: 80 / (1 + 80 * x) / mpmath.log(81), (0.0, 0.01, 0.1, 1.0)),
        (
            "log2power, alpha=2",
            lambda x: mpmath.log(1 + x, 2) ** (-mpmath.mpf(2) / 3) / 3 / (1 + x) / mpmath.log(2),
            (0.0, 1.0),
        ),
        ("cutoff, t=0.15", lambda x: 1 / mpmath.mpf("0.15"), (0.0, 0.15)),
        ("step, t=0.15", None, (0.0, 0.15)),
        ("window, lower=0.1, upper=0.6", lambda x: 2, (0.1, 0.6)),
        ("logwindow, lower=0.01, upper=0.9", lambda x: 1 / x / mpmath.log(90), (0.01, 0.9)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@each_ranking
def test_magnified_areas_by_integration(r: Ranking, words: str, slope: Real | None, kinks: tuple[float, ...]) -> None:
    roc = Roc(r)
    for name, axis in (("croc", roc.fpr), ("cac", roc.rate)):
        if slope is None:
            # all the weight at one place: the height of the curve there
            expected = max(h(kinks[1]) for x0, x1, h in roc.along(axis, roc.tpr) if x0 <= kinks[1] <= x1)
        else:
            expected = roc.integral(axis, roc.tpr, slope, kinks)
        assert value(f"{name}({words})", r) == pytest.approx(expected, rel=1e-12, abs=1e-15)
        along = "fpr" if name == "croc" else "rate"
        assert value(f"area({words}, along={along})", r) == value(f"{name}({words})", r)


@each_ranking
@pytest.mark.parametrize(("a", "b"), [(0.0, 0.1), (0.0, 1.0), (0.2, 0.7), (0.85, 1.0)])
def test_partial_areas_by_integration(r: Ranking, a: float, b: float) -> None:
    roc = Roc(r)
    over_fpr = roc.integral(roc.fpr, roc.tpr, lambda x: 1, (a, b))
    over_tpr = roc.integral(roc.tpr, [1 - x for x in roc.fpr], lambda t: 1, (a, b))
    for over, area, by_chance in (
        ("fpr", over_fpr, (b * b - a * a) / 2),
        ("tpr", over_tpr, (b - a) - (b * b - a * a) / 2),
    ):
        mcclish = 0.5 * (1 + (area - by_chance) / (b - a - by_chance))
        for scale, expected in (("raw", area), ("max", area / (b - a)), ("mcclish", mcclish)):
            assert value(f"pauc({over}, {a}, {b}, scale={scale})", r) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@each_ranking
def test_logarithmic_areas_by_integration(r: Ranking) -> None:
    roc = Roc(r)
    log_area = roc.integral(roc.fpr, roc.tpr, lambda x: 1 / x / mpmath.log(100), (0.01, 1.0))
    by_chance = 0.99 / math.log(100)
    assert value("logauc(0.01, 1)", r) == pytest.approx(log_area, rel=1e-12)
    assert value("logauc(0.01, 1, adjusted)", r) == pytest.approx(log_area - by_chance, rel=1e-11, abs=1e-13)
    floor = 0.5 / roc.n
    p_area = roc.integral(roc.fpr, roc.tpr, lambda x: 1 / x / mpmath.log(10), (floor, 1.0))
    assert value("proc", r) == pytest.approx(p_area, rel=1e-12)


@pytest.mark.parametrize("k", [1, 3, 9, 50])
def test_roc_k_by_its_first_false_positives(k: int) -> None:
    r = DATA["strict"]
    order = r.y[np.argsort(-r.s)]
    before = [int(order[:i].sum()) / r.y.sum() for i in np.flatnonzero(~order)]
    assert value(f"roc({k})", r) == pytest.approx(np.mean((before + [1.0] * k)[:k]), rel=1e-14)


@each_ranking
def test_roc_k_by_integration(r: Ranking) -> None:
    roc = Roc(r)
    end = 3 / roc.n0
    inside = roc.integral(roc.fpr, roc.tpr, lambda x: roc.n0 / 3, (0.0, min(end, 1.0)))
    assert value("roc(3)", r) == pytest.approx(inside + max(0.0, 1 - 1 / end), rel=1e-13)


@each_ranking
def test_half_areas_by_integration(r: Ranking) -> None:
    roc = Roc(r)
    specific = sensitive = 0.0
    for x0, x1, h in roc.along(roc.fpr, roc.tpr):
        # TPR - TNR rises along a piece: one place at most where it changes sign
        low, high = h(x0) - (1 - x0), h(x1) - (1 - x1)
        ends = [x0, x0 + (x1 - x0) * low / (low - high), x1] if low < 0 < high else [x0, x1]
        for a, b in itertools.pairwise(ends):
            specific += quad(lambda x, h=h: min(h(x), 1 - x), a, b)[0]
            sensitive += quad(lambda x, h=h: max(h(x) - (1 - x), 0), a, b)[0]
    assert value("half_auc(specific)", r) == pytest.approx(specific, abs=1e-12)
    assert value("half_auc(sensitive)", r) == pytest.approx(sensitive, abs=1e-12)


@each_ranking
def test_area_that_follows_the_precision_recall_curve(r: Ranking) -> None:
    roc = Roc(r)
    total = 0.0
    for t0, t1, fpr in roc.along(roc.tpr, roc.fpr):
        total += quad(lambda t, f=fpr: roc.pi * t / (roc.pi * t + (1 - roc.pi) * f(t)), t0, t1, epsabs=1e-13)[0]
    assert value("pr_area(keilwagen)", r) == pytest.approx(total, rel=1e-11)


@each_ranking
def test_area_through_whole_true_positives(r: Ranking) -> None:
    """Davis and Goadrich: a point for every true positive, negatives interpolated, straight between points."""
    total, above, called = 0.0, 0, 0
    for z, y in Roc(r).groups:
        points = [(above + i, called + i + y * i / z) for i in range(z + 1)] if z else []
        precisions = [hits / at if at else z / (z + y) for hits, at in points]
        total += sum((a + b) / 2 for a, b in itertools.pairwise(precisions)) / r.y.sum()
        above, called = above + z, called + z + y
    assert value("pr_area(davis_goadrich)", r) == pytest.approx(total, rel=1e-13)


@each_ranking
def test_area_of_gains_by_integration(r: Ranking) -> None:
    roc = Roc(r)
    odds, total = roc.pi / (1 - roc.pi), 0.0
    for t0, t1, fpr in roc.along(roc.tpr, roc.fpr):
        if t1 > roc.pi:
            # recall gain 1 - odds (1 - t)/t has slope odds/t^2
            start = max(t0, roc.pi)
            total += quad(lambda t, f=fpr: (1 - f(t) / t) * odds / t**2, start, t1, epsabs=1e-13)[0]
    assert value("prg_area", r) == pytest.approx(total, rel=1e-11, abs=1e-12)


@each_ranking
@pytest.mark.parametrize("alpha", [0.5, 20.0, 80.5])
def test_enhancement_by_discrete_sums(r: Ranking, alpha: float) -> None:
    """Truchon and Bayly 2007, equations 18 and 36."""
    roc = Roc(r)
    n, pi = roc.n, roc.pi
    mean = roc.sum_over_positives(lambda rank: math.exp(-alpha * rank / n)) / roc.n1
    rie = mean / ((1 - math.exp(-alpha)) / n / math.expm1(alpha / n))
    bedroc = rie * pi * math.sinh(alpha / 2) / (math.cosh(alpha / 2) - math.cosh(alpha / 2 - alpha * pi))
    bedroc += 1 / (1 - math.exp(alpha * (1 - pi)))
    assert value(f"rie(alpha={alpha})", r) == pytest.approx(rie, rel=1e-12)
    assert value(f"bedroc(alpha={alpha})", r) == pytest.approx(bedroc, rel=1e-11, abs=1e-13)


@each_ranking
def test_sums_over_ranks(r: Ranking) -> None:
    roc = Roc(r)
    assert value("slr", r) == pytest.approx(roc.sum_over_positives(lambda i: -math.log(i / roc.n)), rel=1e-13)
    for form, k in (("", roc.n), ("@10", 10), ("@3", 3), ("@1", 1)):
        dcg = roc.sum_over_positives(lambda i, k=k: (i <= k) / math.log2(i + 1))  # type: ignore[misc]
        ideal = sum(1 / math.log2(i + 1) for i in range(1, min(k, roc.n1) + 1))
        assert value(f"dcg{form}", r) == pytest.approx(dcg, rel=1e-13)
        assert value(f"dcg{form}(base=10)", r) == pytest.approx(dcg / math.log10(2), rel=1e-13)
        assert value(f"ndcg{form}", r) == pytest.approx(dcg / ideal, rel=1e-13)
        assert value(f"ndcg{form}(base=10)", r) == pytest.approx(dcg / ideal, rel=1e-13)


@each_ranking
@pytest.mark.parametrize("share", ["1%", "7%", "10%", "25%", "50%", "100%"])
def test_cuts_by_expected_hits(r: Ranking, share: str) -> None:
    roc = Roc(r)
    exact = Fraction(share[:-1]) / 100 * roc.n
    cuts: dict[str, Fraction | int] = {
        "ceil": math.ceil(exact),
        "floor": max(math.floor(exact), 1),
        "round": max(round(exact), 1),
        "fractional": exact,
    }
    for cut, k in cuts.items():
        hits, rate = roc.hits(float(k)), float(k) / roc.n
        at = f"@{share}(cut={cut})"
        ef = hits / roc.n1 / rate
        assert value(f"recall{at}", r) == pytest.approx(hits / roc.n1, rel=1e-13)
        assert value(f"hits{at}", r) == pytest.approx(hits, rel=1e-13)
        assert value(f"precision{at}", r) == pytest.approx(hits / float(k), rel=1e-13)
        assert value(f"ef{at}", r) == pytest.approx(ef, rel=1e-13)
        assert value(f"relative_ef{at}", r) == pytest.approx(ef / min(1 / rate, 1 / roc.pi), rel=1e-13)


@each_ranking
def test_cuts_at_whole_ranks(r: Ranking) -> None:
    roc = Roc(r)
    for at, k in (("1", 1), ("5", 5), ("R", roc.n1)):
        assert value(f"hits@{at}", r) == pytest.approx(roc.hits(k), rel=1e-13)
        assert value(f"recall@{at}", r) == pytest.approx(roc.hits(k) / roc.n1, rel=1e-13)
        assert value(f"precision@{at}", r) == pytest.approx(roc.hits(k) / k, rel=1e-13)


def test_cut_shares_do_not_lose_a_subject_to_rounding() -> None:
    t = HitTable.from_counts([1] * 100, [1] * 100)
    # 0.07 * 200 is 14.000000000000002 in floating point
    assert hc.metrics.HitsAt(0.07).convention(t) == "first 14 of 200 (ceil)"
    assert hc.metrics.HitsAt(0.29, "floor").convention(t) == "first 58 of 200 (floor)"


def beta_density(r: float) -> float:
    return math.exp(5.23 * math.log(r) + 31.8 * math.log1p(-r) - betaln(6.23, 32.8)) if 0 < r < 1 else 0.0


@each_ranking
@pytest.mark.parametrize(
    ("words", "density", "support"),
    [
        ("beta(6.23, 32.8)", beta_density, (0.0, 0.1, 0.2, 0.4, 0.7, 1.0)),
        ("uniform(0.1, 0.5)", lambda r: 2.5, (0.1, 0.5)),
        ("mixture(1, uniform(0, 0.4), 3, uniform(0.4, 1))", lambda r: 0.625 if r < 0.4 else 1.25, (0.0, 0.4, 1.0)),
    ],
    ids=["beta", "uniform", "mixture"],
)
def test_rate_weighted_auc_by_three_roads(r: Ranking, words: str, density: Real, support: tuple[float, ...]) -> None:
    """Theorems 3 and 5 of Millard et al.: rate-accuracy, positive and negative recall give one number."""
    roc = Roc(r)
    pi, rest = roc.pi, 1 - roc.pi

    def expected(heights: list[float]) -> float:
        return sum(
            quad(lambda x, h=h: h(x) * density(x), max(x0, a), min(x1, b), epsabs=1e-13)[0]
            for x0, x1, h in roc.along(roc.rate, heights)
            for a, b in itertools.pairwise(support)
            if max(x0, a) < min(x1, b)
        )

    def mean(of: Real, kink: float) -> float:
        ends = sorted({*support, *([kink] if support[0] < kink < support[-1] else [])})
        return sum(quad(lambda x: of(x) * density(x), a, b, epsabs=1e-13)[0] for a, b in itertools.pairwise(ends))

    recall = expected(roc.tpr)
    negative_recall = expected([1 - x for x in roc.fpr])
    accuracy = expected([pi * t + rest * (1 - f) for t, f in zip(roc.tpr, roc.fpr, strict=True)])
    roads = [
        (accuracy, mean(lambda x: abs(rest - x), rest), mean(lambda x: 1 - abs(pi - x), pi)),
        (recall, mean(lambda x: max(0, (x - rest) / pi), rest), mean(lambda x: min(1, x / pi), pi)),
        (negative_recall, mean(lambda x: max(0, 1 - x / rest), rest), mean(lambda x: min(1, (1 - x) / rest), pi)),
    ]
    for reached, low, high in roads:
        assert value(f"rauc({words})", r) == pytest.approx((reached - low) / (high - low), rel=1e-9, abs=1e-11)
    assert value(f"expected_recall({words})", r) == pytest.approx(recall, rel=1e-10)
    assert value(f"expected_negative_recall({words})", r) == pytest.approx(negative_recall, rel=1e-10)


@pytest.mark.parametrize("name", ["theory", "negatives first", "all tied", "strict"])
@pytest.mark.parametrize(
    ("level", "cut"), [(0.95, "ceil"), (0.5, "ceil"), (0.6, "round"), (0.5, "floor"), (1.0, "ceil")]
)
def test_work_saved_by_enumeration(name: str, level: float, cut: str) -> None:
    r = DATA[name]
    n1, n = int(r.y.sum()), r.y.size
    exact = Fraction(repr(level)) * n1
    wanted = {"ceil": math.ceil(exact), "floor": max(math.floor(exact), 1), "round": max(round(exact), 1)}[cut]
    places = []
    for parts in itertools.product(*(strict_orders(z, y) for z, y in Roc(r).groups)):
        order = np.concatenate(parts)
        places.append(np.flatnonzero(order)[wanted - 1] + 1)
    saved = (n - np.mean(places)) / n - (1 - level)
    assert value(f"wss@{level * 100:g}%(cut={cut})", r) == pytest.approx(saved, abs=1e-13)


def test_the_example_of_the_concentrated_curve() -> None:
    """Swamidass et al. 2010, section 3: positives at ranks 1, 2, 4, 5, 7 of 10."""
    t = HitTable.from_ranks([1, 2, 4, 5, 7], n=10)
    for f in (hc.magnify.Exponential(7), hc.magnify.Power(2.3), hc.magnify.Logarithmic(80)):
        by_hand = np.mean(1 - f([0, 0, 0.2, 0.2, 0.4]))
        assert hc.metrics.CROC(f).value(t) == pytest.approx(by_hand, rel=1e-13)


# ---- areas under curves


@each_ranking
def test_areas_under_curves_are_metrics(r: Ranking) -> None:
    t = r.table
    pi = t.prevalence
    roads = [
        (hc.roc_curve(t), value("auc", r)),
        (hc.accumulation_curve(t), value("auac", r)),
        (hc.rate_recall_curve(t), value("auac", r)),
        (hc.rate_recall_curve(t, negative=True), value("expected_negative_recall(uniform(0, 1))", r)),
        (hc.hit_curve(t), pi * value("auac", r)),
        (hc.rate_accuracy_curve(t), 2 * pi * value("auac", r) + 0.5 - pi),
        (hc.proc_curve(t), value("proc", r)),
        (hc.precision_recall_curve(t), value("pr_area(keilwagen)", r)),
        (hc.prg_curve(t), value("prg_area", r)),
    ]
    maps = (
        hc.magnify.Exponential(7),
        hc.magnify.Power(2.3),
        hc.magnify.Logarithmic(80),
        hc.magnify.Log2Power(2),
        hc.magnify.Window(0.1, 0.6),
    )
    roads += [(hc.croc_curve(t, magnification=f), hc.metrics.CROC(f).value(t)) for f in maps]
    roads += [(hc.cac_curve(t, magnification=f), hc.metrics.CAC(f).value(t)) for f in maps]
    for curve, expected in roads:
        assert curve.area() == pytest.approx(expected, rel=1e-11, abs=1e-12), curve


@each_ranking
def test_area_under_lift_and_logarithmic_accumulation(r: Ranking) -> None:
    roc = Roc(r)
    lift = sum(quad(lambda x, h=h: h(x) / x, x0, x1, epsabs=1e-13)[0] for x0, x1, h in roc.along(roc.rate, roc.tpr))
    assert hc.lift_curve(r.table).area() == pytest.approx(lift, rel=1e-10)
    # d log10 x = dx / (x ln 10)
    assert hc.pac_curve(r.table).area() == pytest.approx(lift / math.log(10), rel=1e-10)
