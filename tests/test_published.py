"""Numbers that papers, official result files and documentation print."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta as beta_distribution

from hitcurve import HitTable, metric
from hitcurve.magnify import Exponential, Log2Power, Logarithmic, Magnification, Power
from hitcurve.metrics import ExpectedNegativeRecall, ExpectedRecall, RateWeightedAUC
from hitcurve.rates import Beta, Point, RateDensity, RateMixture, Uniform
from tests.data import data_folder, read_columns
from tests.odd import ODD_SCORES
from tests.public_tables import SELDI

pytestmark = ODD_SCORES

# ---- Su, Yuan and Zhu 2015: digital and film mammography (DMIST)

CANCERS = {
    "digital": [10, 18, 25, 85, 49, 25, 122],
    "film": [13, 24, 25, 74, 35, 33, 131],
}
SCREENED = {
    "digital": [11, 29, 69, 1061, 2224, 6588, 32588],
    "film": [17, 29, 70, 942, 2291, 6910, 32486],
}


def dmist(name: str) -> HitTable:
    pos, total = np.array(CANCERS[name]), np.array(SCREENED[name])
    return HitTable.from_counts(pos, total - pos)


@pytest.mark.parametrize(
    ("name", "form", "printed", "digits"),
    [
        ("digital", "ap", 0.144, "0.143894"),
        ("film", "ap", 0.166, "0.165940"),
        ("digital", "auc", 0.753, "0.752911"),
        ("film", "auc", 0.735, "0.735093"),
    ],
)
def test_dmist(name: str, form: str, printed: float, digits: str) -> None:
    value = metric(form).value(dmist(name))
    assert round(value, 3) == printed
    assert f"{value:.6f}" == digits


@pytest.mark.parametrize("name", ["digital", "film"])
def test_dmist_auc_is_not_the_misprinted_formula(name: str) -> None:
    # Eq. 15 as printed gives .907 for digital: it forgets that ties count half
    table = dmist(name)
    h, d = np.cumsum(table.pos) / table.n, (table.pos + table.neg) / table.n
    n, n1, n0 = table.n, table.n_pos, table.n_neg
    misprinted = n / n0 * float(h @ d) * n / n1 - n1 / (2 * n0)
    assert misprinted > metric("auc").value(table) + 0.1
    if name == "digital":
        assert misprinted == pytest.approx(0.907, abs=5e-4)


@pytest.mark.parametrize("name", ["digital", "film"])
@pytest.mark.parametrize("copies", [2, 10])
def test_copies_of_the_controls_move_ap_only(name: str, copies: int) -> None:
    # Table 6 of the paper moves the AUC as well, which no correct AUC can
    table = dmist(name)
    more = HitTable.from_counts(table.pos, copies * table.neg)
    for form in ("auc", "croc(exp, alpha=7)", "logauc", "pauc(fpr, 0, 0.1)", "half_auc(specific)"):
        assert metric(form).value(more) == pytest.approx(metric(form).value(table), rel=1e-13)
    assert metric("ap").value(more) < metric("ap").value(table)
    moved = table.at_prevalence(table.n_pos / (table.n_pos + copies * table.n_neg))
    assert metric("ap").value(moved) == pytest.approx(metric("ap").value(more), rel=1e-13)


@pytest.mark.parametrize(("labels", "ap"), [([1, 1, 1, 0, 0], 1.0), ([1, 0, 1, 0, 1], 0.76), ([0, 0, 1, 1, 1], 0.48)])
def test_slides_five_items(labels: list[int], ap: float) -> None:
    assert round(metric("ap")(labels, [5, 4, 3, 2, 1]), 2) == ap


# ---- ties (the numbers of the theory page)

TIED_Y, TIED_S = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [3, 3, 3, 2, 2, 2, 2, 1, 1, 0]


@pytest.mark.parametrize(
    ("form", "digits"),
    [
        ("ap", "0.551587"),
        ("ap(ties=expected)", "0.663244"),
        ("pr_area(keilwagen)", "0.5713"),
        ("pr_area(davis_goadrich)", "0.5794"),
    ],
)
def test_ties_sample(form: str, digits: str) -> None:
    value = metric(form)(TIED_Y, TIED_S)
    assert f"{value:.{len(digits) - 2}f}" == digits


def test_ties_straight_lines_are_wrong() -> None:
    precision, recall = [2 / 3, 3 / 7, 4 / 9, 4 / 10], [1 / 2, 3 / 4, 1, 1]
    straight = float(np.trapezoid([1.0, *precision], [0.0, *recall]))
    assert straight == pytest.approx(0.6627, abs=5e-5)
    for form in ("ap", "ap(ties=expected)", "pr_area(keilwagen)", "pr_area(davis_goadrich)"):
        assert abs(metric(form)(TIED_Y, TIED_S) - straight) > 5e-4


def test_ties_line_and_mean_over_orders_differ_for_croc() -> None:
    table, croc = HitTable.from_counts([2], [8]), metric("croc(exp, alpha=7)")
    assert f"{croc.value(table):.6f}" == "0.141944"
    by_orders = croc.random_mean(table)
    assert f"{by_orders:.6f}" == "0.189729"
    # two positives in 8 negatives: each has 0..8 negatives above it, all alike
    worth = 1 - Exponential(7)(np.arange(9) / 8)
    assert by_orders == pytest.approx(float(worth.mean()), rel=1e-12)


def test_random_mean_of_average_precision() -> None:
    table = HitTable.from_counts([10], [990])
    ap = metric("ap")
    assert round(ap.random(table), 4) == 0.0100
    mean = ap.random_mean(table)
    assert mean is not None
    assert round(mean, 4) == 0.0164


# ---- Swamidass et al. 2010: magnifications


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (Exponential(7), 0.1),
        (Exponential(14), 0.05),
        (Exponential(80), 0.0086),
        (Power(2.3), 0.1),
        (Logarithmic(80), 0.1),
    ],
)
def test_magnification_sends_this_to_one_half(f: Magnification, x: float) -> None:
    assert float(f(x)) == pytest.approx(0.5, abs=6e-3)


@pytest.mark.parametrize(
    ("kind", "x", "alpha"),
    [(Exponential, 0.1, 7), (Exponential, 0.05, 14), (Exponential, 0.0086, 80), (Power, 0.1, 2.3)],
)
def test_magnification_solved_for_one_half(kind: type[Exponential | Power], x: float, alpha: float) -> None:
    solved = kind.solve(x, 0.5)
    assert solved.alpha == pytest.approx(alpha, rel=0.02)
    assert float(solved(x)) == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("alpha", [5, 7, 14, 20, 80])
def test_magnification_formulas(alpha: float) -> None:
    x = np.linspace(0, 1, 11)
    assert Exponential(alpha)(x) == pytest.approx((1 - np.exp(-alpha * x)) / (1 - math.exp(-alpha)), rel=1e-12)
    assert Power(alpha)(x) == pytest.approx(x ** (1 / (1 + alpha)), rel=1e-12)
    assert Logarithmic(alpha)(x) == pytest.approx(np.log1p(alpha * x) / math.log1p(alpha), rel=1e-12)
    assert Log2Power(alpha)(x) == pytest.approx(np.log2(1 + x) ** (1 / (1 + alpha)), rel=1e-12)
    unit = Exponential(alpha).unit_point()
    assert unit == pytest.approx(math.log(alpha / (1 - math.exp(-alpha))) / alpha, rel=1e-12)
    assert float(Exponential(alpha).derivative(unit)) == pytest.approx(1, rel=1e-12)
    random = metric(f"croc(exp, alpha={alpha})").random(HitTable.from_counts([3], [5]))
    assert random == pytest.approx(1 / alpha - math.exp(-alpha) / (1 - math.exp(-alpha)), rel=1e-12)


# ---- Millard, Flach and Higgins 2014: rates


def test_rate_elicitation() -> None:
    density = Beta.from_time_budget(2500, 7200, (10, 45))
    assert (round(density.a, 3), round(density.b, 2), round(density.mode, 3)) == (6.226, 32.79, 0.141)
    law = beta_distribution(density.a, density.b)
    slow, fast = 7200 / (2500 * 45), 7200 / (2500 * 10)
    assert (slow, fast) == (0.064, 0.288)
    assert law.cdf([slow, fast]) == pytest.approx([0.025, 0.975], abs=1e-9)


RATED = {
    "dmist": lambda: dmist("digital"),
    "ties": lambda: HitTable.from_scores(TIED_Y, TIED_S),
    "dense": lambda: HitTable.from_counts([5, 4, 3, 2, 1], [0, 1, 2, 3, 1]),
    "weighted": lambda: HitTable.from_scores(TIED_Y, TIED_S, sample_weight=np.linspace(0.5, 2, 10)),
    "moved": lambda: HitTable.from_scores(TIED_Y, TIED_S).at_prevalence(0.03),
}


@pytest.mark.parametrize("name", RATED)
def test_rauc_of_a_uniform_rate_is_auc(name: str) -> None:
    table = RATED[name]()
    assert RateWeightedAUC(Uniform()).value(table) == pytest.approx(metric("auc").value(table), rel=1e-12)


def of_beta(a: float, b: float) -> Callable[[float], float]:
    law = beta_distribution(a, b)
    return lambda r: float(law.pdf(r))


DENSITIES: list[tuple[RateDensity, Callable[[float], float], tuple[float, float]]] = [
    (Beta(6.226, 32.79), of_beta(6.226, 32.79), (0, 1)),
    (Beta(3, 19), of_beta(3, 19), (0, 1)),
    (Beta(11, 11), of_beta(11, 11), (0, 1)),
    (Beta(19, 3), of_beta(19, 3), (0, 1)),
    (Uniform(0.1, 0.6), lambda r: 2.0, (0.1, 0.6)),
    (
        RateMixture([Beta(7, 15), Uniform()], [3, 1]),
        lambda r: 0.75 * of_beta(7, 15)(r) + 0.25,
        (0, 1),
    ),
]


@pytest.mark.parametrize("name", RATED)
@pytest.mark.parametrize(("density", "w", "support"), DENSITIES, ids=[str(d[0]) for d in DENSITIES])
def test_theorem_6(name: str, density: RateDensity, w: Callable[[float], float], support: tuple[float, float]) -> None:
    table = RATED[name]()
    pi = table.prevalence
    low, high = support

    def integral(f: Callable[[float], float], start: float, end: float) -> float:
        start, end = max(start, low), min(end, high)
        return float(quad(lambda r: w(r) * f(r), start, end, epsabs=1e-14)[0]) if start < end else 0.0

    C = integral(lambda r: (pi - r) / pi, 0, pi)
    B = integral(lambda r: (r - (1 - pi)) / pi, 1 - pi, 1)
    expected, rauc = ExpectedRecall(density).value(table), RateWeightedAUC(density).value(table)
    assert expected == pytest.approx((1 - B - C) * rauc + B, rel=1e-9)
    # the expectation itself, piece by piece along the list
    rates, recalls = np.append(0.0, table.rate), np.append(0.0, table.tpr)
    own = sum(
        integral(lambda r: float(np.interp(r, rates, recalls)), start, end) for start, end in pairwise(rates.tolist())
    )
    assert expected == pytest.approx(own, rel=1e-9)
    spared = ExpectedNegativeRecall(density).value(table)
    assert pi * expected + (1 - pi) * (1 - spared) == pytest.approx(density.mean, rel=1e-12)


def test_expected_recall_at_one_rate_is_recall() -> None:
    table = dmist("film")
    value = ExpectedRecall(Point(0.1)).value(table)
    assert value == pytest.approx(metric("recall@10%(cut=fractional)").value(table), rel=1e-14)


# ---- prostate SELDI


def peak(mz: float) -> str:
    peaks = read_columns("seldi/prostate_seldi_mz.csv")
    return str(peaks["peak"][np.argmin(np.abs(peaks["mz"] - mz))])


def seldi(name: str) -> tuple[HitTable, bool]:
    """Return the table of a peak in the direction in which its AUC is at least one half."""
    columns = read_columns(SELDI)
    high = metric("auc")(columns["label"], columns[name]) >= 0.5
    return HitTable.from_scores(columns["label"], columns[name], higher_is_better=high), high


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize(
    ("mz", "auc", "ap", "high"),
    [
        (3896.641, 0.917, 0.881, False),
        (8355.562, 0.855, 0.895, True),
        (8141.232, 0.811, 0.868, True),
        (8295.641, 0.848, 0.854, True),
        (5074.164, 0.879, 0.818, False),
        (4071.184, 0.852, 0.877, True),
        (6949.220, 0.888, 0.866, False),
    ],
)
def test_seldi(mz: float, auc: float, ap: float, high: bool) -> None:
    table, direction = seldi(peak(mz))
    assert direction is high
    assert (table.n_pos, table.n_neg) == (83, 82)
    assert round(metric("auc").value(table), 3) == auc
    assert round(metric("ap").value(table), 3) == ap


@pytest.mark.usefixtures("shared_data")
def test_collapse_is_exact_and_its_mirror_image_is_not() -> None:
    table, _ = seldi(peak(5074.164))
    ap, auc = metric("ap"), metric("auc")
    assert f"{ap.value(table):.5f}" == f"{ap.value(table.collapse()):.5f}" == "0.81756"
    assert ap.value(table.collapse()) == pytest.approx(ap.value(table), rel=1e-14)
    # the same with the classes exchanged: rows of the negatives, positives between them summed
    keep = np.flatnonzero(table.neg > 0)
    row = 2 * np.searchsorted(keep, np.arange(table.neg.size))
    row[keep] += 1
    pos, neg = (np.bincount(row, side, 2 * keep.size + 1).astype(int) for side in (table.pos, table.neg))
    mirror = HitTable.from_counts(pos, neg)
    assert f"{ap.value(mirror):.5f}" == "0.82086"
    assert auc.value(mirror) == pytest.approx(auc.value(table), rel=1e-14)


# ---- where the data lie


def test_the_data_folder_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HITCURVE_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.delenv("HITCURVE_DATA")
    assert data_folder().parts[-2:] == ("shared", "data")
