"""Numbers that papers, official result files and documentation print."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta as beta_distribution

from hitcurve import (
    Beta,
    ExpectedNegativeRecall,
    ExpectedRecall,
    Exponential,
    HitTable,
    Log2Power,
    Logarithmic,
    Magnification,
    Point,
    Power,
    RateDensity,
    RateMixture,
    RateWeightedAUC,
    Uniform,
    metric,
)
from tests.data import Column, data_folder, read_columns

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


# ---- the shared data


@pytest.fixture(scope="module")
def printed(shared_data: Path) -> dict[tuple[str, str], list[str]]:
    """Values by file and quantity; some quantities have several sources."""
    found: dict[tuple[str, str], list[str]] = {}
    with (shared_data / "reference_values.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            found.setdefault((row["file"], row["quantity"]), []).append(row["value"])
    return found


Printed = dict[tuple[str, str], list[str]]


def matches(value: float, text: str) -> bool:
    """Say whether a value rounds to the printed digits, or differs in the last of twelve."""
    decimals = len(text.partition(".")[2])
    return abs(value - float(text)) <= max(0.5001 * 10.0**-decimals, 2e-11 * abs(value))


# ---- prostate SELDI

SELDI = "seldi/prostate_seldi_late_vs_normal.csv.gz"


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


def test_seldi_rows(printed: Printed) -> None:
    rows = {quantity: values for (file, quantity), values in printed.items() if file == SELDI}
    assert len(rows) == 10
    for quantity, (values,) in rows.items():
        name = quantity.split()[0]
        table, high = seldi(name.removeprefix("-"))
        assert high is not name.startswith("-")
        for form, text in zip(("auc", "ap"), values.split(", "), strict=True):
            assert matches(metric(form).value(table), text), (quantity, form)


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


# ---- all rankers with an area, an average precision and areas under CROC in reference_values.csv

EGFR, PPARG = "docking/dud_egfr_dock.csv.gz", "docking/pparg_scores.csv.gz"
DEKOIS, ASAH = "docking/dekois2_generic_scores.csv.gz", "roc/asah.csv"
HIV, PANCREAS = "hiv/hiv_similarity_scores.csv.gz", "roc/pancreas_wieand.csv"
MLSF = "docking/mlsf_ots_scores.csv.gz"
TARGETS, GENERIC = ("ACHE", "HMGR", "PPARA"), ("smina", "ifp", "cnn_score", "rf_score_vs")

RANKERS = (
    [(EGFR, "-energy")]
    + [(PPARG, f"{name}_scores") for name in ("surf", "icm", "vina", "minr", "maxz")]
    + [(DEKOIS, f"{target} {score}") for target in TARGETS for score in GENERIC]
    + [(ASAH, name) for name in ("wfns", "s100b", "ndka")]
    + [(HIV, name) for name in ("maxsim", "knn10")]
)


def subjects(file: str, ranker: str) -> tuple[Column, Column]:
    """Return labels and scores, high scores first."""
    if file == EGFR:
        columns = read_columns(file)
        return columns["label"], -columns["energy"]
    if file == PPARG:
        columns = read_columns(file)
        return columns[ranker.replace("scores", "actives")], columns[ranker]
    if file in (DEKOIS, MLSF):
        target, score = ranker.split(" ")
        columns = read_columns(file)
        here = columns["target"] == target
        return columns["label"][here], columns[score][here]
    if file == ASAH:
        columns = read_columns(file)
        return columns["outcome"] == "Poor", columns[ranker]
    columns = read_columns(file)
    return columns["status" if file == PANCREAS else "label"], columns[ranker]


@cache
def table_of(file: str, ranker: str) -> HitTable:
    return HitTable.from_scores(*subjects(file, ranker))


def test_rankers_are_all_here(printed: Printed) -> None:
    found = {(file, quantity.split(":")[0]) for file, quantity in printed if ": area under CROC" in quantity}
    assert found == set(RANKERS)


@pytest.mark.parametrize(("file", "ranker"), RANKERS, ids=[f"{f.split('/')[1]}-{r}" for f, r in RANKERS])
def test_areas(printed: Printed, file: str, ranker: str) -> None:
    table = table_of(file, ranker)
    for quantity, form in (("AUC", "auc"), ("average precision (ties grouped)", "ap")):
        (text,) = printed[file, f"{ranker}: {quantity}"]
        assert matches(metric(form).value(table), text), quantity


@pytest.mark.parametrize("alpha", [7, 20, 80])
@pytest.mark.parametrize(("file", "ranker"), RANKERS, ids=[f"{f.split('/')[1]}-{r}" for f, r in RANKERS])
def test_croc(printed: Printed, file: str, ranker: str, alpha: int) -> None:
    # the printed areas are trapezoids between transformed points: exact without ties between the classes,
    # above the integral with them
    table = table_of(file, ranker)
    value = metric(f"croc(exp, alpha={alpha})").value(table)
    (text,) = printed[file, f"{ranker}: area under CROC, exponential alpha={alpha}"]
    if table.tied:
        # the printed value has twelve digits
        assert -1e-11 < float(text) - value < 4e-4
    else:
        assert matches(value, text)


@pytest.mark.usefixtures("shared_data")
def test_croc_of_asah_wfns_under_ties() -> None:
    value = metric("croc(exp, alpha=80)").value(table_of(ASAH, "wfns"))
    assert f"{value:.6f}" == "0.097878"


# ---- EGFR


@cache
def egfr_in_file_order() -> HitTable:
    y, s = subjects(EGFR, "-energy")
    order = np.argsort(-s, kind="stable")
    return HitTable.from_ranks(np.flatnonzero(y[order]) + 1, n=y.size)


@pytest.mark.usefixtures("shared_data")
def test_egfr_bedroc_with_ties_averaged() -> None:
    y, energy = read_columns(EGFR)["label"], read_columns(EGFR)["energy"]
    table = table_of(EGFR, "-energy")
    assert (table.n, table.n_pos, table.pos.size) == (88888, 444, 3886)
    bedroc = metric("bedroc(alpha=20)")
    assert f"{bedroc.value(table):.6f}" == "0.136708"
    assert bedroc(y, energy, higher_is_better=False) == pytest.approx(bedroc.value(table), rel=1e-12)
    assert bedroc.value(table.worst_ties()) < bedroc.value(egfr_in_file_order()) < bedroc.value(table.best_ties())


@pytest.mark.parametrize("form", ["BEDROC alpha=20", "BEDROC alpha=80.5", "BEDROC alpha=100", "BEDROC alpha=160.9"])
def test_egfr_bedroc_in_file_order(printed: Printed, form: str) -> None:
    (text,) = printed[EGFR, f"{form} (ties in file order)"]
    value = metric(form.lower().replace(" ", "(") + ")").value(egfr_in_file_order())
    assert value == pytest.approx(float(text), rel=1e-11)


@pytest.mark.parametrize(
    ("quantity", "form"),
    [
        ("BEDROC alpha=321.9 (ties in file order)", "bedroc(alpha=321.9)"),
        ("RIE alpha=20 (ties in file order)", "rie(alpha=20)"),
        ("RIE alpha=100 (ties in file order)", "rie(alpha=100)"),
    ],
)
def test_egfr_in_file_order(printed: Printed, quantity: str, form: str) -> None:
    (text,) = printed[EGFR, quantity]
    assert metric(form).value(egfr_in_file_order()) == pytest.approx(float(text), rel=1e-11)


@pytest.mark.parametrize(
    ("quantity", "form"),
    [
        ("AUC", "auc"),
        ("AUAC", "auac"),
        ("EF 1%", "ef@1%(cut=fractional)"),
        ("EF 5%", "ef@5%(cut=fractional)"),
        ("EF 10%", "ef@10%(cut=fractional)"),
    ],
)
def test_egfr(printed: Printed, quantity: str, form: str) -> None:
    (text,) = printed[EGFR, quantity]
    assert metric(form).value(table_of(EGFR, "-energy")) == pytest.approx(float(text), rel=1e-9)


# ---- ROC data sets


@pytest.mark.parametrize(
    ("file", "ranker", "form", "quantity"),
    [
        *((ASAH, name, "auc", f"AUC {name}") for name in ("wfns", "s100b", "ndka")),
        *((ASAH, name, "pauc(fpr, 0, 0.1)", f"pAUC specificity 1-0.9 {name}") for name in ("wfns", "s100b", "ndka")),
        *(
            (ASAH, name, "pauc(fpr, 0.01, 0.1)", f"pAUC specificity 0.99-0.9 {name}")
            for name in ("wfns", "s100b", "ndka")
        ),
        (ASAH, "s100b", "pauc(tpr, 0.9, 0.99)", "pAUC sensitivity 0.99-0.9 s100b"),
        *((PANCREAS, name, "auc", f"AUC {name}") for name in ("ca199", "ca125")),
        *((PANCREAS, name, "pauc(fpr, 0, 0.2)", f"pAUC fpr<=0.2 {name}") for name in ("ca199", "ca125")),
    ],
)
def test_roc_areas(printed: Printed, file: str, ranker: str, form: str, quantity: str) -> None:
    value = metric(form).value(table_of(file, ranker))
    for text in printed[file, quantity]:
        assert matches(value, text), text


@pytest.mark.parametrize(
    ("file", "ranker", "quantity"),
    [
        *((ASAH, name, f"AUC-PR {name}") for name in ("wfns", "s100b", "ndka")),
        *((PANCREAS, name, f"AUC-PR {name}") for name in ("ca199", "ca125")),
        *((PPARG, f"{name}_scores", f"AUC-PR {name}") for name in ("surf", "maxz")),
        ("roc/rocr_simple.csv", "score", "AUC-PR"),
        ("roc/precrec_p10n10.csv", "score", "AUC-PR"),
    ],
)
def test_pr_areas(printed: Printed, file: str, ranker: str, quantity: str) -> None:
    (texts,) = printed[file, quantity]
    for form, text in zip(("keilwagen", "davis_goadrich"), texts.split(" / "), strict=True):
        assert matches(metric(f"pr_area({form})").value(table_of(file, ranker)), text), form


@pytest.mark.parametrize("marker", ["marker1", "marker2"])
def test_aptools_example(printed: Printed, marker: str) -> None:
    file = "roc/aptools_binary.csv"
    columns = read_columns(file)
    table = HitTable.from_scores(columns["status"], columns[marker])
    assert matches(metric("ap").value(table), printed[file, f"AP {marker}"][0])
    assert matches(metric("auc").value(table), printed[file, f"AUC {marker}"][0])
    assert matches(table.prevalence, printed[file, "event rate"][0])


@pytest.mark.parametrize("ranker", ["score_svm", "score_nn"])
def test_rocr_hiv_mean_of_folds(printed: Printed, ranker: str) -> None:
    file = "roc/rocr_hiv.csv.gz"
    columns = read_columns(file)
    (texts,) = printed[file, f"mean over 10 folds of AUC, AP: {ranker}"]
    for form, text in zip(("auc", "ap"), texts.split(", "), strict=True):
        values = [
            metric(form)(columns["label"][here], columns[ranker][here])
            for here in (columns["fold"] == fold for fold in range(1, 11))
        ]
        assert matches(float(np.mean(values)), text)


def test_sales_with_missing_scores(printed: Printed) -> None:
    file = "lowprev/sales_inspected.csv.gz"
    columns = read_columns(file, ("Insp", "boxplot_score"))
    table = HitTable.from_scores(columns["Insp"], columns["boxplot_score"], pos_label="fraud", missing="drop")
    assert table.n == 15546
    (texts,) = (values[0] for (name, _), values in printed.items() if name == file)
    for form, text in zip(("auc", "ap"), texts.split(", "), strict=True):
        assert matches(metric(form).value(table), text)


def test_vandyke_readers(printed: Printed) -> None:
    file = "mrmc/vandyke.csv"
    columns = read_columns(file)
    for treatment in (1, 2):
        areas = []
        for reader in range(1, 6):
            here = (columns["treatment"] == treatment) & (columns["reader"] == reader)
            areas.append(metric("auc")(columns["truth"][here], columns["rating"][here]))
            (text,) = printed[file, f"single-reader AUC t{treatment} r{reader}"]
            assert matches(areas[-1], text)
        (text,) = printed[file, f"reader-mean empirical AUC treatment {treatment}"]
        assert matches(float(np.mean(areas)), text)


# ---- enrichment of docking


@pytest.mark.parametrize("score", GENERIC)
@pytest.mark.parametrize("target", TARGETS)
def test_dekois_enrichment(printed: Printed, target: str, score: str) -> None:
    # the paper divides the recall among floor(n/100) molecules by 1%, in the order of its hit lists
    y, place = subjects(DEKOIS, f"{target} {score}_listpos")
    table = HitTable.from_ranks(place[y == 1], n=y.size)
    assert (table.n, table.n_pos) == (1240, 40)
    (text,) = printed[DEKOIS, f"EF1% {target} {score} (12 of 1240, order given by *_listpos)"]
    assert matches(100 * metric("recall@1%(cut=floor)").value(table), text)
    # ours divides by the share that was cut, 12/1240
    ef = metric("ef@1%(cut=floor)").value(table)
    assert ef == pytest.approx(float(text) * 1240 / 1200, rel=1e-12, abs=1e-15)


MACHINES = ("rf", "xgb", "svm", "ann", "dnn")


@pytest.mark.parametrize("score", [*MACHINES, *GENERIC])
@pytest.mark.parametrize("target", TARGETS)
def test_mlsf_enrichment(printed: Printed, target: str, score: str) -> None:
    # scores tie at the cut in several lists, where the paper followed some order
    runs = [f"{score}_run{run}" for run in range(1, 11)] if score in MACHINES else [score]
    recall = metric("recall@1%(cut=floor)")
    tables = [table_of(MLSF, f"{target} {run}") for run in runs]
    orders = ([t.worst_ties() for t in tables], tables, [t.best_ties() for t in tables])
    low, middle, high = (100 * float(np.median([recall.value(t) for t in order])) for order in orders)
    how = "median of 10 runs " if score in MACHINES else ""
    (text,) = printed[MLSF, f"EF1% {target} {score} {how}(floor(n/100) molecules)"]
    assert low <= middle <= high
    assert low - 0.005001 <= float(text) <= high + 0.005001


def test_pparg_difference_in_recall(printed: Printed) -> None:
    surf, maxz = (table_of(PPARG, f"{name}_scores") for name in ("surf", "maxz"))
    for k in (3, 321):
        recall = metric(f"recall@{k}")
        (text,) = printed[PPARG, f"difference in recall maxz minus surf at {k} of 3212 tested"]
        assert matches(recall.value(maxz) - recall.value(surf), text)
    # at 32 two actives are tied at the cut of surf, and chemmodlab counts the 31 molecules above it
    hits = [metric(f"hits@{k}").value(surf) for k in (31, 32, 33)]
    assert hits == pytest.approx([22, 23, 24], rel=1e-13)
    (text,) = printed[PPARG, "difference in recall maxz minus surf at 32 of 3212 tested"]
    assert matches(metric("recall@32").value(maxz) - hits[0] / 85, text)


# ---- CLEF 2017: technologically assisted reviews

RUNS, LEVELS = ("waterloo_a", "waterloo_b", "qut_bool_es"), {"abstract": "rel_abstract", "document": "rel_content"}
CLEF, OFFICIAL = "screening/clef2017_tar_runs.csv.gz", "screening/clef2017_tar_official.csv"


@cache
def official() -> dict[tuple[str, str, str, str], float]:
    columns = read_columns(OFFICIAL)
    keys = zip(*(columns[name] for name in ("run", "level", "topic", "measure")), strict=True)
    return {tuple(map(str, key)): float(value) for key, value in zip(keys, columns["value"], strict=True)}  # type: ignore[misc]


@cache
def topics(run: str, level: str) -> dict[str, tuple[Column, int, int]]:
    """Return for each topic the ranks of the inclusions in the run, how many there are, and the documents."""
    columns = read_columns(CLEF)
    found = {}
    for topic in np.unique(columns["topic"].astype(str)):
        here = columns["topic"] == topic
        included = here & (columns[LEVELS[level]] == 1)
        ranks = columns[f"rank_{run}"][included]
        if ranks.size:
            found[str(topic)] = (ranks[~np.isnan(ranks)].astype(int), ranks.size, int(here.sum()))
    return found


def average_precision(ranks: Column, inclusions: int, documents: int) -> float:
    # inclusions that are not in a run are never found: they add nothing to the mean
    share = ranks.size / inclusions
    return share * metric("ap").value(HitTable.from_ranks(ranks, n=documents)) if ranks.size else 0.0


def norm_area(ranks: Column, inclusions: int, documents: int) -> float:
    if ranks.size == inclusions:
        return float(metric("auac(scale=max)").value(HitTable.from_ranks(ranks, n=documents)))
    if not ranks.size:
        return 0.0
    raw = metric("auac").value(HitTable.from_ranks(ranks, n=documents))
    return float(raw * ranks.size / inclusions / (1 - inclusions / documents / 2))


def work_saved(form: str, level: float) -> Callable[[Column, int, int], float]:
    def of(ranks: Column, inclusions: int, documents: int) -> float:
        if ranks.size < round(level * inclusions):
            return 0.0
        # those that are not in the run stand at its end, behind the inclusion that is waited for
        free = np.setdiff1d(np.arange(1, documents + 1), ranks)[::-1]
        at_end = np.append(ranks, free[: inclusions - ranks.size])
        return float(metric(form).value(HitTable.from_ranks(at_end, n=documents)))

    return of


MEASURES = {
    "ap": average_precision,
    "norm_area": norm_area,
    "wss_95": work_saved("wss@95%(cut=round)", 0.95),
    "wss_100": work_saved("wss@100%", 1.0),
}


@pytest.mark.usefixtures("shared_data")
def test_clef_has_177_rankings() -> None:
    rankings = [topics(run, level) for run in RUNS for level in LEVELS]
    assert sum(map(len, rankings)) == 177
    for run in RUNS:
        for level in LEVELS:
            for topic, (ranks, inclusions, documents) in topics(run, level).items():
                key = (run, level, topic)
                assert official()[*key, "num_docs"] == documents
                assert official()[*key, "num_rels"] == inclusions
                assert official()[*key, "rels_found"] == ranks.size


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("run", RUNS)
def test_clef_official(run: str, level: str, measure: str) -> None:
    ours = {topic: MEASURES[measure](*given) for topic, given in topics(run, level).items()}
    theirs = {topic: official()[run, level, topic, measure] for topic in ours}
    assert ours == pytest.approx(theirs, abs=5.001e-4)
    assert float(np.mean(list(ours.values()))) == pytest.approx(official()[run, level, "ALL", measure], abs=5.001e-4)


def test_clef_overall_values(printed: Printed) -> None:
    for run in RUNS:
        for level in LEVELS:
            for measure in MEASURES:
                (text,) = printed[CLEF, f"{run} {level} {measure}"]
                assert float(text) == official()[run, level, "ALL", measure]


@pytest.mark.usefixtures("shared_data")
@pytest.mark.parametrize("run", RUNS)
def test_clef_scores_and_ranks_agree(run: str) -> None:
    # a list of scores that fall with the rank is the same table
    for ranks, _, documents in list(topics(run, "abstract").values())[:5]:
        if ranks.size:
            y = np.isin(np.arange(1, documents + 1), ranks)
            by_score = HitTable.from_scores(y, -np.arange(documents))
            by_rank = HitTable.from_ranks(ranks, n=documents)
            for form in ("ap", "auac(scale=max)", "wss@95%(cut=round)", "bedroc(alpha=20)", "ndcg"):
                assert metric(form).value(by_score) == pytest.approx(metric(form).value(by_rank), rel=1e-12)


def test_the_data_folder_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HITCURVE_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.delenv("HITCURVE_DATA")
    assert data_folder().parts[-2:] == ("shared", "data")
