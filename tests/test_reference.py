from __future__ import annotations

import hashlib
import math
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import chi2, norm

from hitcurve import Counts, HitTable, evaluate, metric, precision_recall_curve, roc_curve
from hitcurve.errors import (
    ConstantScoreWarning,
    DirectionWarning,
    MissingValueError,
    SingleClassError,
    UndefinedMetricWarning,
)
from hitcurve.inference import ConfidenceInterval
from hitcurve.inference.bands.limits import Process, accumulation_process, sup_quantile
from hitcurve.inference.cutting.step import variance_at_rate
from hitcurve.magnify import Exponential
from hitcurve.metrics import CROC, AveragePrecision, LogAUC, PRArea
from tests.data import NO_DATA, Column, read_reference, reference_folder
from tests.odd import ODD_SCORES

pytestmark = ODD_SCORES

if not reference_folder().is_dir():
    pytest.skip(NO_DATA, allow_module_level=True)

EARLY = read_reference("early-recognition.json")
ROC_PR = read_reference("roc-pr.json")


def run_recipe(recipe: str) -> dict[str, Any]:
    names: dict[str, Any] = {"np": np}
    exec(recipe, names)
    return names


def numbers(values: Any) -> list[float]:
    listed = values if isinstance(values, list) else [values]
    return [float(value) for value in listed]


@dataclass(frozen=True, eq=False)
class Case:
    """The subjects of one input; ``value`` asks the full table and lets the collapsed one confirm it."""

    name: str
    y: Column
    s: Column
    s2: Column | None = None
    w: Column | None = None
    pos_label: Any = None

    @property
    def missing(self) -> str:
        # the tools that print a number for nan_score leave the subject out without a word
        return "drop" if self.name == "nan_score" else "raise"

    def table(self, *, weighted: bool = False, second: bool = False) -> HitTable:
        return HitTable.from_scores(
            self.y,
            self.s2 if second else self.s,
            pos_label=self.pos_label,
            sample_weight=self.w if weighted else None,
            missing=self.missing,
        )

    def value(self, form: str, *, weighted: bool = False, second: bool = False) -> float:
        value = float(metric(form).value(self.table(weighted=weighted, second=second)))
        collapsed = metric(form)(
            self.y,
            self.s2 if second else self.s,
            pos_label=self.pos_label,
            sample_weight=self.w if weighted else None,
            missing=self.missing,
        )
        assert collapsed == pytest.approx(value, rel=1e-12, abs=1e-15)
        return value


# ---- early recognition: the exact rows

TIES = "exact tie expectation (reference)"
LINE = "exact integral of the tie-aware ROC polyline (reference)"
CEIL, FLOOR = "exact tie expectation, k=ceil (reference)", "exact tie expectation, k=floor (min 1)"
EXACT = {
    ("bedroc_alpha20", TIES): "bedroc(alpha=20)",
    ("bedroc_alpha80.5", TIES): "bedroc(alpha=80.5)",
    ("rie_alpha20", TIES): "rie(alpha=20)",
    ("ef_0.01", CEIL): "ef@1%",
    ("ef_0.01", FLOOR): "ef@1%(cut=floor)",
    ("ef_0.05", CEIL): "ef@5%",
    ("ef_0.05", FLOOR): "ef@5%(cut=floor)",
    ("ef_0.1", CEIL): "ef@10%",
    ("ef_0.1", FLOOR): "ef@10%(cut=floor)",
    ("auac", TIES): "auac",
    ("croc_exp_alpha7", LINE): "croc(exp, alpha=7)",
    ("logauc_0.001_1", LINE): "logauc(0.001, 1)",
    ("logauc_0.001_1", "exact, adjusted (minus random 0.144620)"): "logauc(0.001, 1, adjusted)",
    ("logauc_0.001_0.1", LINE): "logauc(0.001, 0.1)",
    ("slr", "slr_exact_tie_expectation"): "slr",
}
# rows of tools that follow the same definition
FRACTIONAL = "enrichvs 0.0.5 enrichment_factor (fractional k, interpolated)"
SAME_DEFINITION = {
    ("roc_auc", "sklearn 1.9.1 roc_auc_score"): "auc",
    ("average_precision", "sklearn 1.9.1 average_precision_score"): "ap",
    ("auac", "enrichvs 0.0.5 auac"): "auac",
    ("ef_0.01", FRACTIONAL): "ef@1%(cut=fractional)",
    ("ef_0.05", FRACTIONAL): "ef@5%(cut=fractional)",
    ("ef_0.1", FRACTIONAL): "ef@10%(cut=fractional)",
}
# these walk down the list, so that ties are in the order of the file
REACHED = "DrugCLIP re_new (ROC enrichment at FPR=f)"
IN_FILE_ORDER = {
    ("ef_0.01", REACHED): "roc_enrichment@1%(cut=ceil)",
    ("ef_0.05", REACHED): "roc_enrichment@5%(cut=ceil)",
    ("ef_0.1", REACHED): "roc_enrichment@10%(cut=ceil)",
    ("proc_auc", "DockStream pROC AUC (mean log10(1/max(FPR,1/n_decoys)))"): "proc(floor=negative)",
}
# croc 1.2.6 draws straight lines across ties on the magnified axis; without ties it is the exact integral
SAME_WITHOUT_TIES = {
    ("croc_exp_alpha7", "croc 1.2.6 smooth"): "croc(exp, alpha=7)",
    ("croc_log_alpha7", "croc 1.2.6 smooth, Logarithm(7)"): "croc(log, alpha=7)",
    ("croc_pow_alpha7", "croc 1.2.6 smooth, Power(7)"): "croc(power, alpha=7)",
}


@cache
def early_case(name: str) -> Case:
    given = EARLY["cases"][name]["input"]
    if "recipe_numpy_2" in given:
        names = run_recipe(given["recipe_numpy_2"])
        y, s = names["y"], names["s"]
        assert hashlib.sha256(y.tobytes()).hexdigest() == given["sha256_y_int64"]
        assert hashlib.sha256(s.tobytes()).hexdigest() == given["sha256_score_float64"]
        return Case(name, y, s)
    return Case(name, np.asarray(given["y"]), np.asarray(given["score"], float))


def early_rows(forms: dict[tuple[str, str], str]) -> list[Any]:
    return [
        pytest.param(name, quantity, row, form, id=f"{name}-{form}".replace(" ", ""))
        for name, case in EARLY["cases"].items()
        for (quantity, row), form in forms.items()
        # a tool that was not run on a case has no row there; the exact rows are complete
        if row in case["values"][quantity] or forms is EXACT
    ]


def test_exact_rows_are_all_mapped() -> None:
    found = {
        (quantity, row)
        for case in EARLY["cases"].values()
        for quantity, rows in case["values"].items()
        for row in rows
        if "exact" in row
    }
    assert found == set(EXACT)
    assert [name[0] for name in EARLY["cases"]] == list("ABCEGIJ")


@pytest.mark.parametrize(("name", "quantity", "row", "form"), early_rows(EXACT))
def test_exact_row(name: str, quantity: str, row: str, form: str) -> None:
    expected = EARLY["cases"][name]["values"][quantity][row]
    assert early_case(name).value(form) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("name", "quantity", "row", "form"), early_rows(SAME_DEFINITION))
def test_tool_of_the_same_definition(name: str, quantity: str, row: str, form: str) -> None:
    expected = EARLY["cases"][name]["values"][quantity][row]
    assert early_case(name).value(form) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(("name", "quantity", "row", "form"), early_rows(SAME_WITHOUT_TIES))
def test_trapezoids_are_exact_only_without_ties(name: str, quantity: str, row: str, form: str) -> None:
    case, printed = early_case(name), EARLY["cases"][name]["values"][quantity][row]
    value = case.value(form)
    if case.table().tied:
        # the chord of a concave map is below it, so that the area comes out too high
        assert value < printed - 1e-4
    else:
        assert value == pytest.approx(printed, rel=1e-12)


@pytest.mark.parametrize(("name", "quantity", "row", "form"), early_rows(IN_FILE_ORDER))
def test_walks_down_the_list_are_exact_without_ties(name: str, quantity: str, row: str, form: str) -> None:
    case, printed = early_case(name), EARLY["cases"][name]["values"][quantity][row]
    if case.table().tied:
        low, high = (metric(form).value(t) for t in (case.table().worst_ties(), case.table().best_ties()))
        assert low - 1e-12 <= printed <= high + 1e-12
    else:
        assert case.value(form) == pytest.approx(printed, rel=1e-12)


@pytest.mark.parametrize(
    ("quantity", "row"),
    [
        ("bedroc_alpha20", "rdkit 2026.9.1 CalcBEDROC (stable sort)"),
        ("bedroc_alpha20", "scikit-fingerprints 2.0.0 bedroc_score"),
        ("bedroc_alpha20", "scikit-chem 0.0.6 bedroc_score (with the missing numpy import added)"),
        ("bedroc_alpha80.5", "deepchem 2.8.0 bedroc_score"),
        ("rie_alpha20", "enrichvs 0.0.5 rie"),
        ("roc_auc", "rdkit 2026.9.1 CalcAUC (stable sort)"),
        ("logauc_0.001_1", "oddt 0.7 roc_log_auc(ascending_score=False)"),
    ],
)
def test_row_order_decides_nothing(quantity: str, row: str) -> None:
    exact = {"roc_auc": "auc"} | {q: form for (q, r), form in EXACT.items() if r in (TIES, LINE)}
    case = early_case("B_ties10")
    value = case.value(exact[quantity])
    assert abs(value - EARLY["cases"]["B_ties10"]["values"][quantity][row]) > 1e-9
    for order in (slice(None, None, -1), np.random.default_rng(0).permutation(case.y.size)):
        assert metric(exact[quantity])(case.y[order], case.s[order]) == pytest.approx(value, rel=1e-14)


# ---- early recognition: facts


def fact(name: str) -> tuple[Column, Column, float]:
    given = EARLY["degenerate_and_facts"][name]["input"]
    return np.asarray(given["y"]), np.asarray(numbers(given["score"])), float(given["alpha"])


@pytest.mark.parametrize("form", ["auc", "bedroc(alpha=20)", "ef@10%", "logauc(0.001, 0.1)", "ap"])
def test_fact_no_positives(form: str) -> None:
    y, s, _ = fact("no_positives")
    with pytest.raises(SingleClassError, match="no positive"):
        metric(form)(y, s)
    with pytest.warns(UndefinedMetricWarning) as caught:
        assert math.isnan(metric(form)(y, s, undefined="nan"))
    assert len(caught) == 1


def test_fact_labels_minus1_plus1() -> None:
    y, s, alpha = fact("labels_minus1_plus1")
    rows = EARLY["degenerate_and_facts"]["labels_minus1_plus1"]
    assert metric("auc")(y, s) == pytest.approx(rows["sklearn roc_auc"], rel=1e-12)
    assert metric(f"bedroc(alpha={alpha})")(y, s) == pytest.approx(rows["oddt bedroc presorted"], rel=1e-12)
    assert metric("ef@10%")(y, s) == pytest.approx(rows["oddt enrichment_factor 10%"], rel=1e-12)


@pytest.mark.parametrize("form", ["auc", "ap", "bedroc(alpha=20)", "ef@10%", "logauc"])
def test_fact_nan_score_on_active(form: str) -> None:
    y, s, _ = fact("nan_score_on_active")
    with pytest.raises(MissingValueError, match="missing"):
        metric(form)(y, s)
    kept = ~np.isnan(s)
    dropped = metric(form)(y, s, missing="drop")
    assert dropped == metric(form)(y[kept], s[kept])
    last = np.where(kept, s, -np.inf)
    assert metric(form)(y, s, missing="last") == metric(form)(y, last)


def test_fact_inf_scores() -> None:
    y, s, alpha = fact("inf_scores")
    rows = EARLY["degenerate_and_facts"]["inf_scores"]
    assert metric("auc")(y, s) == rows["rdkit CalcAUC"] == 0.5
    assert metric(f"bedroc(alpha={alpha})")(y, s) == pytest.approx(rows["croc BEDROC"], rel=1e-12)
    assert metric("ef@10%")(y, s) == pytest.approx(rows["rdkit CalcEnrichment[0.1]"], rel=1e-12)


def test_fact_alpha_1000() -> None:
    y, s, alpha = fact("alpha_1000")
    value = metric(f"bedroc(alpha={alpha})")(y, s)
    assert value == pytest.approx(EARLY["degenerate_and_facts"]["alpha_1000"]["croc BEDROC"], rel=1e-12)
    assert value <= 1
    assert math.isfinite(metric(f"rie(alpha={alpha})")(y, s))


def test_fact_alpha_near_0_is_auc() -> None:
    y, s, alpha = fact("alpha_1e-8")
    auc = EARLY["degenerate_and_facts"]["alpha_1e-8"]["sklearn roc_auc"]
    assert str(auc) in EARLY["published_or_known_limits"]["BEDROC alpha->0 limit"]
    assert metric(f"bedroc(alpha={alpha})")(y, s) == pytest.approx(auc, rel=1e-8)
    # first order in alpha: halving it halves what is left
    left = [metric(f"bedroc(alpha={a})")(y, s) - auc for a in (1e-3, 5e-4, 1e-5)]
    assert left[0] / left[1] == pytest.approx(2, rel=1e-2)
    assert left[0] / left[2] == pytest.approx(100, rel=1e-2)


def test_fact_pr_area_all_tied() -> None:
    rows, case = EARLY["degenerate_and_facts"]["pr_area_all_tied"], early_case("E_alltied_posfirst")
    for form in ("ap", "pr_area(keilwagen)", "pr_area(davis_goadrich)"):
        assert case.value(form) == pytest.approx(rows["sklearn average_precision"], rel=1e-12)


def test_fact_rdkit_issue_2843() -> None:
    right = EARLY["degenerate_and_facts"]["rdkit_issue_2843"]["right"]
    assert metric("auc")([1, 0], [0.5, 0.5]) == metric("auc")([0, 1], [0.5, 0.5]) == right


@pytest.mark.parametrize("y", [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [1, 0, 1, 0, 1]])
def test_fact_rdkit_issue_7981(y: list[int]) -> None:
    right = EARLY["degenerate_and_facts"]["rdkit_issue_7981"]["right (k=ceil(4.5)=5 -> EF=1)"]
    assert metric("ef@90%")(y, [5, 4, 3, 2, 1]) == pytest.approx(right, rel=1e-12)


@pytest.mark.parametrize("decoys", [50, 100, 1000])
def test_fact_sklearn_27249_perfect_logauc(decoys: int) -> None:
    y = np.r_[np.ones(5, int), np.zeros(decoys, int)]
    right = EARLY["degenerate_and_facts"]["sklearn_27249_suggested_logauc"]["right"]
    assert metric("logauc(0.001, 0.1)")(y, -np.arange(y.size)) == pytest.approx(right, rel=1e-12)


def test_fact_sklearn_6377() -> None:
    rows = EARLY["degenerate_and_facts"]["sklearn_6377"]
    names = run_recipe(rows["recipe"])
    value = metric("ap")(names["y"], names["s"])
    assert value == pytest.approx(rows["right (sklearn today)"], rel=1e-12)
    assert abs(value - rows["then"]) > 0.4


LIMITS = EARLY["published_or_known_limits"]
TABLE = HitTable.from_counts([1, 2, 3], [3, 2, 9])


@pytest.mark.parametrize("alpha", list(LIMITS["CROC_exp of a random ranker"]))
def test_limit_croc_of_a_random_ranker(alpha: str) -> None:
    expected = LIMITS["CROC_exp of a random ranker"][alpha]
    assert CROC(Exponential(float(alpha))).random(TABLE) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("upper", ["1", "0.1"])
def test_limit_logauc_of_a_random_ranker(upper: str) -> None:
    expected = LIMITS[f"logAUC of a random ranker [0.001,{upper}]"]
    assert LogAUC(0.001, float(upper)).random(TABLE) == pytest.approx(expected, rel=1e-12)
    assert LogAUC(0.001, float(upper), adjusted=True).random(TABLE) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(("n_pos", "place"), [(10, 0), (50, 1), (200, 2)])
def test_limit_bedroc_of_a_random_ranker(n_pos: int, place: int) -> None:
    table = HitTable.from_counts([n_pos], [1000 - n_pos])
    expected = LIMITS["BEDROC20 of a random ranker (N=1000, n=10,50,200)"][place]
    assert metric("bedroc(alpha=20)").random(table) == pytest.approx(expected, abs=5.1e-5)


def test_facts_are_all_tested() -> None:
    assert set(EARLY["degenerate_and_facts"]) == {
        "no_positives",
        "labels_minus1_plus1",
        "nan_score_on_active",
        "inf_scores",
        "alpha_1000",
        "alpha_1e-8",
        "pr_area_all_tied",
        "rdkit_issue_2843",
        "rdkit_issue_7981",
        "sklearn_27249_suggested_logauc",
        "sklearn_6377",
    }
    # pydock3's floor of the logarithm is a choice of that tool, no value
    assert set(LIMITS) - {"pydock3 alpha"} == {
        "BEDROC alpha->0 limit",
        "CROC_exp of a random ranker",
        "logAUC of a random ranker [0.001,1]",
        "logAUC of a random ranker [0.001,0.1]",
        "BEDROC20 of a random ranker (N=1000, n=10,50,200)",
    }


@pytest.mark.parametrize("place", range(5))
def test_recall_of_the_band_data(place: int) -> None:
    bands = EARLY["bands"]
    names, values = run_recipe(bands["recipe_numpy_2"]), bands["values"]
    recall = metric(f"recall@{100 * values['r'][place]:g}%")
    assert recall(names["y"], names["s1"]) == pytest.approx(values["recall"][place], rel=1e-12)
    difference = recall(names["y"], names["s1"]) - recall(names["y"], names["s2"])
    assert difference == pytest.approx(values["EmProc"]["diff_estimate"][place], rel=1e-10)


@cache
def of_chemmodlab(*, more: int) -> Process:
    """Return the curve of the band data with what chemmodlab 2.0.0 makes its limits of.

    The local precision is read off densities of the scores (ours is a share of the ranks around the cut), and ``more``
    subjects are added, all active, half of them above the cut (ours: half a subject of either class on either side).
    """
    given = EARLY["bands"]
    names, values = run_recipe(given["recipe_numpy_2"]), given["values"]
    y, s, r, slope = names["y"], names["s1"], np.array(values["r"]), np.array(values["Lambda"])
    n, n1 = y.size + more, int(y.sum()) + more
    n0, pi = n - n1, n1 / n
    recall = (n1 - more) * np.array(values["recall"]) + more / 2
    rate = ((n - more) * r + more / 2) / n
    T, Q = recall / n1, (rate - pi * recall / n1) / (1 - pi)
    variance = variance_at_rate(T, Q, slope, pi, n1, n0, pi * (1 - pi) / n)
    ours = accumulation_process(HitTable.from_scores(y, s), r, sampled=True)
    return replace(ours, T_=T, Q_=Q, slope=slope, variance=variance, n1=n1, n0=n0, pi=pi)


@pytest.mark.parametrize(("rows", "more"), [("JZ_noplus", 0), ("JZ_plus", 4)])
def test_pointwise_limits_are_those_of_chemmodlab_once_its_local_precision_is_taken(rows: str, more: int) -> None:
    values, at = EARLY["bands"]["values"], of_chemmodlab(more=more)
    reach = norm.ppf(0.975) * np.sqrt(at.variance)
    most = np.array(values["r"]) / (EARLY["bands"]["positives"] / 1000)  # it ends where all above the cut are active
    ours = np.stack([at.T_ - reach, np.minimum(at.T_ + reach, most)], axis=1)
    np.testing.assert_allclose(ours, values[rows], atol=1e-12)


def test_the_sup_t_band_is_that_of_chemmodlab_once_its_local_precision_is_taken() -> None:
    values, at = EARLY["bands"]["values"], of_chemmodlab(more=4)
    most = np.array(values["r"]) / (EARLY["bands"]["positives"] / 1000)
    # at 5 rates of the list, as there; 100,000 draws on either side, s.d. of the quantile .006
    q = sup_quantile(at, 0.95, 100_000, 0)
    reach = q * np.sqrt(at.variance)
    ours = np.stack([at.T_ - reach, np.minimum(at.T_ + reach, most)], axis=1)
    np.testing.assert_allclose(ours, values["supt_band"], atol=1e-3)
    # its projection band takes Scheffe's quantile of the same process, that of any number of contrasts
    reach = math.sqrt(chi2.ppf(0.95, most.size)) * np.sqrt(at.variance)
    ours = np.stack([at.T_ - reach, np.minimum(at.T_ + reach, most)], axis=1)
    np.testing.assert_allclose(ours, values["thetaproj_band"], atol=1e-12)


@pytest.mark.parametrize(("rows", "simultaneous"), [("JZ_plus", False), ("supt_band", True)])
def test_our_limits_approach_those_of_chemmodlab(rows: str, simultaneous: bool) -> None:
    """What differs: the window of the slope, the half subjects, a beta shape for a normal one, t for z.

    From 2% of the list on, 11 of 110 found, the ends are within a fifth of the width. At 1%, 7 found of 10, the slope
    is .60 and not .47, and the upper end does not stop at 10 of 110: the prevalence is not known.
    """
    names, values = run_recipe(EARLY["bands"]["recipe_numpy_2"]), EARLY["bands"]["values"]
    ours = accumulation_process(HitTable.from_scores(names["y"], names["s1"]), np.array(values["r"]), sampled=True)
    limits = ours.limits(0.95, simultaneous=simultaneous)
    got, theirs = np.stack([limits.low, limits.high], axis=1), np.array(values[rows])
    width = theirs[:, 1] - theirs[:, 0]
    assert np.all(np.abs(got - theirs)[1:] < 0.2 * width[1:, None])
    assert np.all(np.abs(got - theirs)[0] < 0.4 * width[0])


# ---- ROC and precision-recall: the rows of every tool


@cache
def roc_pr_case(name: str) -> Case:
    given = ROC_PR["inputs"][name]
    names = run_recipe(given["recipe"])
    for key, digest in given["md5"].items():
        assert hashlib.md5(np.ascontiguousarray(names[key]).tobytes()).hexdigest() == digest
    label = given["pos_label"]
    return Case(
        name,
        np.asarray(names["y"]),
        np.asarray(names["s"]),
        names.get("s2"),
        names.get("w"),
        label if isinstance(label, str) else None,
    )


class Ours(NamedTuple):
    """Where a tool's number must lie, and with what relative tolerance."""

    low: float
    high: float
    tolerance: float = 1e-10

    def admits(self, value: float) -> bool:
        slack = self.tolerance * max(abs(self.low), abs(self.high)) + 1e-15
        return self.low - slack <= value <= self.high + slack


Answer = Callable[[Case], "list[Ours | None]"]


def exactly(value: float, tolerance: float = 1e-10) -> Ours:
    return Ours(value, value, tolerance)


def forms(*wanted: str | None, tolerance: float = 1e-10, weighted: bool = False) -> Answer:
    """Answer a row whose numbers are these metrics; None stands for a number that is no metric."""

    def answer(case: Case) -> list[Ours | None]:
        return [None if form is None else exactly(case.value(form, weighted=weighted), tolerance) for form in wanted]

    return answer


def two_rankers(*wanted: str | None) -> Answer:
    """Answer a row that ends with a metric of the first and of the second ranker."""

    def answer(case: Case) -> list[Ours | None]:
        *others, last = wanted
        assert last is not None
        return [*(None for _ in others), exactly(case.value(last)), exactly(case.value(last, second=True))]

    return answer


def in_order(*, later_first: bool) -> Answer:
    """Answer average precision after ties were broken by the place of the rows."""

    def answer(case: Case) -> list[Ours | None]:
        places = np.arange(case.y.size)
        order = np.lexsort((places if later_first else -places, case.s))
        strict = np.empty(case.y.size)
        strict[order] = places
        return [exactly(Case(case.name, case.y, strict, pos_label=case.pos_label).value("ap"))]

    return answer


def between_tie_orders(case: Case) -> list[Ours | None]:
    """Answer average precision after ties were broken somehow: ranx sorts unstably."""
    table, ap = case.table(), AveragePrecision()
    return [Ours(float(ap.value(table.worst_ties())), float(ap.value(table.best_ties())))]


def both_tie_orders(case: Case) -> list[Ours | None]:
    table, ap = case.table(), AveragePrecision()
    return [exactly(float(ap.value(table.best_ties()))), exactly(float(ap.value(table.worst_ties())))]


def at_prevalence(prevalence: float) -> Answer:
    def answer(case: Case) -> list[Ours | None]:
        moved = case.table().at_prevalence(prevalence)
        assert AveragePrecision().value(moved.collapse()) == pytest.approx(AveragePrecision().value(moved))
        share = case.y.mean()
        weights = np.where(case.y == 1, prevalence / share, (1 - prevalence) / (1 - share))
        weighted = AveragePrecision()(case.y, case.s, sample_weight=weights)
        assert weighted == pytest.approx(AveragePrecision().value(moved), rel=1e-12)
        return [exactly(float(AveragePrecision().value(moved)))]

    return answer


def random_of_pr_area(case: Case) -> list[Ours | None]:
    return [exactly(PRArea().random(case.table()))]


def areas_on_a_grid(case: Case) -> list[Ours | None]:
    """Answer precrec, whose area under precision-recall is taken on a grid of 1000 recalls."""
    return [exactly(case.value("auc")), exactly(case.value("pr_area(keilwagen)"), 1e-5)]


def early_pr_area(case: Case) -> list[Ours | None]:
    """Answer the area of precision over the first tenth of recall, which precrec takes on that grid too."""
    assert_area_of_curve(case)
    forms = ("pr_area(keilwagen, upper=0.1)", "pr_area(keilwagen, upper=0.1, scale=max)")
    return [exactly(case.value(form), 5e-5) for form in forms]


def assert_area_of_curve(case: Case) -> None:
    curve = precision_recall_curve(case.table())
    ends = np.unique(np.append(curve.x[curve.x < 0.1], 0.1))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    area = 0.0
    for low, high in pairwise(ends.tolist()):
        half = (high - low) / 2
        area += half * float(weights @ curve.at((low + high) / 2 + half * nodes))
    assert case.value("pr_area(keilwagen, upper=0.1)") == pytest.approx(area, rel=1e-12)


def delong(case: Case) -> ConfidenceInterval:
    options: dict[str, Any] = {"pos_label": case.pos_label, "missing": case.missing}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantScoreWarning)
        found = evaluate(case.y, case.s, metrics="auc", **options)
    interval: ConfidenceInterval = found["score", "auc"].confidence_interval(method="delong")
    return interval


def delong_interval(case: Case) -> list[Ours | None]:
    low, high = delong(case)
    return [exactly(low, 1e-12), exactly(case.value("auc"), 1e-12), exactly(high, 1e-12)]


def delong_variance(case: Case) -> list[Ours | None]:
    error = delong(case).standard_error
    assert error is not None
    return [exactly(error**2, 1e-12)]


def three_digits(case: Case) -> list[Ours | None]:
    """Answer CompareAP: prevalence, AP of both, difference, ratio, in three significant digits."""
    first, second = case.value("ap"), case.value("ap", second=True)
    values = [case.table().prevalence, first, second, first - second, first / second]
    return [exactly(value, 5e-3) for value in values]


RAW, MAX = "pauc(fpr, 0, 0.1)", "pauc(fpr, 0, 0.1, scale=max)"
MCCLISH = "pauc(fpr, 0, 0.1, scale=mcclish)"
DIRECT, SKLEARN, PROC = "direct-formula", "scikit-learn", "pROC"
XGB = "on base_margin=float32(s) (binary:logitraw)"
PREVALENCES = (0.0001, 0.001, 0.01, 0.05, 0.2, 0.5, 0.9)

MAPPED: dict[tuple[str, str], Answer] = {
    (SKLEARN, "roc_auc_score(y,s)"): forms("auc"),
    (SKLEARN, "average_precision_score(y,s)"): forms("ap"),
    (SKLEARN, "roc_auc_score(y,s,max_fpr=0.1) [McClish]"): forms(MCCLISH),
    (SKLEARN, "raw partial AUC FPR<=0.1 (from roc_curve)"): forms(RAW),
    (SKLEARN, "ndcg_score([y],[s]) (tie-averaged)"): forms("ndcg"),
    (SKLEARN, "roc_auc_score(sample_weight=w)"): forms("auc", weighted=True),
    (SKLEARN, "average_precision_score(sample_weight=w)"): forms("ap", weighted=True),
    ("MLstatkit", "Delong_test(y,A,B): z,p,ciA,ciB,aucA,aucB"): two_rankers(*[None] * 6, "auc"),
    ("pauc", "ROC.auc direction=auto"): forms("auc"),
    ("pauc", "partial_auc spec 0.9-1 raw (direction '<')"): forms(RAW),
    ("pauc", "partial_auc spec 0.9-1 standardized"): forms(MCCLISH),
    ("pytrec_eval-terrier", "map (docids d00000..)"): in_order(later_first=True),
    ("pytrec_eval-terrier", "map with docids reversed (same scores)"): in_order(later_first=False),
    ("ir_measures", "AP"): in_order(later_first=True),
    ("ranx", "map"): between_tie_orders,
    ("ranx", "map with input order reversed"): between_tie_orders,
    ("scipy", "mannwhitneyu U/(n1 n0)"): forms("auc"),
    ("xgboost", f"eval_metric=aucpr {XGB}"): forms("pr_area(keilwagen)"),
    ("xgboost", f"eval_metric=auc {XGB}"): forms("auc"),
    # right where nothing is tied; DEFECT elsewhere
    ("xgboost", f"eval_metric=map {XGB}"): forms("ap"),
    # weights are float32 there
    ("xgboost", "eval_metric=aucpr weight=w"): forms("pr_area(keilwagen)", weighted=True, tolerance=1e-7),
    ("lightgbm", "metric=average_precision on init_score=s"): forms("ap"),
    ("lightgbm", "metric=auc on init_score=s"): forms("auc"),
    ("lightgbm", "metric=average_precision weight=w"): forms("ap", weighted=True, tolerance=1e-7),
    ("pyroc", "ROC.auc & ci"): forms("auc", None, None),
    (PROC, "auc(direction='<')"): forms("auc"),
    (PROC, "auc(direction='auto')"): forms("auc"),
    (PROC, "partial auc specificity 1..0.9 raw"): forms(RAW),
    (PROC, "partial auc specificity 1..0.9 McClish-corrected"): forms(MCCLISH),
    (PROC, "partial auc sensitivity 1..0.8 raw"): forms("pauc(tpr, 0.8, 1)"),
    (PROC, "ci.auc delong 95% (lo,auc,hi)"): delong_interval,
    (PROC, "var(method='delong')"): delong_variance,
    ("pauc", "var delong"): delong_variance,
    (PROC, "roc.test delong paired: Z,p,auc1,auc2"): two_rankers(None, None, "auc"),
    ("PRROC", "pr.curve auc.integral"): forms("pr_area(keilwagen)"),
    ("PRROC", "pr.curve auc.davis.goadrich"): forms("pr_area(davis_goadrich)"),
    ("PRROC", "pr.curve(rand.compute) random-classifier auc.integral"): random_of_pr_area,
    ("PRROC", "pr.curve weighted: class0 scores/weights=w*y, class1=w*(1-y): integral"): forms(
        "pr_area(keilwagen)", weighted=True
    ),
    ("PRROC", "roc.curve weighted auc"): forms("auc", weighted=True),
    ("precrec", "evalmod AUC (ROC,PRC)"): areas_on_a_grid,
    ("precrec", "pauc ROC xlim(0,0.1): raw, standardized"): forms(RAW, MAX),
    ("precrec", "pauc PRC xlim(0,0.1): raw, standardized"): early_pr_area,
    ("APtools", "APBinary method none: ap,auc"): forms("ap", "auc"),
    ("APtools", "APBinary weight=w: ap,auc"): forms("ap", "auc", weighted=True),
    ("APtools", "CompareAP none"): three_digits,
    ("Hmisc", "rcorr.cens(s,y): C index and S.D. of Dxy (SE of C = S.D./2)"): forms("auc", None),
    (DIRECT, "AP step, ties as one group (sklearn/LightGBM/APtools)"): forms("ap"),
    (DIRECT, "Keilwagen continuous interpolation (PRROC auc.integral, XGBoost aucpr)"): forms("pr_area(keilwagen)"),
    (DIRECT, "Davis-Goadrich integer interpolation (PRROC auc.davis.goadrich)"): forms("pr_area(davis_goadrich)"),
    (DIRECT, "expected AP under random tie-breaking"): forms("ap(ties=expected)"),
    (DIRECT, "max-envelope interpolated AP (VOC2010+ style)"): forms("interpolated_ap", tolerance=1e-12),
    (DIRECT, "11-point interpolated AP (VOC2007)"): forms("interpolated_ap(points=11)", tolerance=1e-12),
    (DIRECT, "AP tie-break optimistic / pessimistic"): both_tie_orders,
    ("pyprg", "calc_auprg (Flach-Kull AUPRG, authors' code)"): forms("prg_area"),
} | {
    (
        DIRECT,
        f"AP transported to prevalence {prevalence} (= sklearn AP with sample_weight pi/P, (1-pi)/N)",
    ): at_prevalence(prevalence)
    for prevalence in PREVALENCES
}
CURVES = {(SKLEARN, "precision_recall_curve"), (SKLEARN, "roc_curve(drop_intermediate=False)")}

# standard errors, intervals, tests, bands and survival: tested where those live
ELSEWHERE = {
    ("confidenceinterval", "roc_auc_score DeLong (auc,(lo,hi)) 95%"),
    ("confidenceinterval", "delong_roc_variance (auc,var)"),
    ("confidenceinterval", "roc_auc_score bootstrap_bca, n_resamples=999, RandomState(0)"),
    ("confidenceinterval", "roc_auc_score bootstrap_percentile, n_resamples=999, RandomState(0)"),
    ("confidenceinterval", "roc_auc_score bootstrap_basic, n_resamples=999, RandomState(0)"),
    ("confidenceinterval", "bootstrap_ci(average_precision_score) bca, n_resamples=999, RandomState(0)"),
    ("confidenceinterval", "bootstrap_ci(average_precision_score) percentile, n_resamples=999, RandomState(0)"),
    ("confidenceinterval", "bootstrap_ci(average_precision_score) basic, n_resamples=999, RandomState(0)"),
    ("MLstatkit", "Permutation_test average_precision B=1000 seed 0: A,B,p"),
    ("MLstatkit", "Bootstrapping average_precision n=1000 seed 0: est,lo,hi"),
    ("MLstatkit", "Permutation_test AP p-value with s2 rescaled a*s2+b, a=1, b=0"),
    ("MLstatkit", "Permutation_test AP p-value with s2 rescaled a*s2+b, a=1000, b=5000"),
    ("rocauc_comparison", "delong_roc_test p-value"),
    ("pauc", "compare delong paired: z,p"),
    ("rocci", "roc_band(seed 0, n_boot 2000) 95% simultaneous"),
    ("scipy", "stats.bootstrap paired indices AP percentile n_resamples=999 rng=default_rng(0)"),
    ("scipy", "stats.bootstrap paired indices AP basic n_resamples=999 rng=default_rng(0)"),
    ("scipy", "stats.bootstrap paired indices AP BCa n_resamples=999 rng=default_rng(0)"),
    ("scipy", "mannwhitneyu asymptotic two-sided p"),
    ("research-roc-utils", "roc_t_stat / roc_z_score kendall"),
    (PROC, "ci.auc bootstrap stratified set.seed(1) n=2000"),
    (PROC, "ci.se at spec 0.95,0.9 set.seed(1) n=2000 (lo,med,hi per row, column-major)"),
    (PROC, "cov delong paired"),
    (PROC, "roc.test venkatraman paired set.seed(1) boot.n=500: E,p"),
    (PROC, "roc.test bootstrap stratified set.seed(1) boot.n=2000: D,p"),
    (PROC, "roc.test bootstrap pAUC spec 1..0.9 set.seed(1) boot.n=2000: D,p,est"),
    (PROC, "roc.test delong with partial.auc"),
    ("APtools", "APBinary perturbation B=1000 set.seed(1): event rate, AP rows x (est,lo,hi); AUC"),
    ("APtools", "APBinary bootstrap B=1000 set.seed(1)"),
    (
        "APtools",
        "CompareAP perturbation B=1000 set.seed(1) (rows: pi,AP1,AP2,diff,ratio; cols est,lo,hi column-major)",
    ),
    (DIRECT, "Boyd-Eng-Page 2013 binomial 95% CI for AP (n=#positives)"),
    (DIRECT, "Boyd-Eng-Page 2013 logit 95% CI for AP"),
    (DIRECT, "unstratified bootstrap AP: SE, 2.5%, 97.5% (B=20000, default_rng(12345))"),
    (DIRECT, "stratified bootstrap AP: SE, 2.5%, 97.5% (B=20000, default_rng(12345))"),
    (DIRECT, "unstratified bootstrap AP: SE, 2.5%, 97.5% (B=4000, default_rng(12345))"),
    (DIRECT, "stratified bootstrap AP: SE, 2.5%, 97.5% (B=4000, default_rng(12345))"),
    (DIRECT, "unstratified paired bootstrap AP(s)-AP(s2): diff, SE, 2.5%, 97.5%, Wald z, Wald p"),
    (DIRECT, "stratified paired bootstrap AP(s)-AP(s2): diff, SE, 2.5%, 97.5%, Wald z, Wald p"),
    ("APtools", "APSurv none t0=3,6,10: ap_summary (t0,event rate,AP,AP/rate) column-major, then auc_summary"),
    ("APtools", "APSurv bootstrap B=500 set.seed(1): ap_summary column-major"),
    (
        "APtools",
        "APSurv perturbation B=500 set.seed(1): auc_summary column-major (see anchors-ml.md: defective)",
    ),
    ("APtools", "APSurv formula full precision t0=3: AP(t),AUC(t)"),
    ("APtools", "APSurv formula full precision t0=6: AP(t),AUC(t)"),
    ("APtools", "APSurv formula full precision t0=10: AP(t),AUC(t)"),
    ("timeROC", "timeROC marginal iid t=3,6,10: AUC, SE"),
    ("timeROC", "timeROC marginal t=6 with marker*1e-10: AUC"),
    ("riskRegression", "Score AUC t=3,6,10: AUC, se"),
    ("lifelines", "concordance_index(time,-s,event)"),
    ("scikit-survival", "cumulative_dynamic_auc t=3.0 (estimate=s)"),
    ("scikit-survival", "cumulative_dynamic_auc t=6.0 (estimate=s)"),
    ("scikit-survival", "cumulative_dynamic_auc t=10.0 (estimate=s)"),
    ("scikit-survival", "concordance_index_ipcw tau=3.0"),
    ("scikit-survival", "concordance_index_ipcw tau=6.0"),
    ("scikit-survival", "concordance_index_ipcw tau=10.0"),
    ("scikit-survival", "cumulative_dynamic_auc t=6 with estimate=s*1.0"),
    ("scikit-survival", "cumulative_dynamic_auc t=6 with estimate=s*1e-08"),
    ("scikit-survival", "cumulative_dynamic_auc t=6 with estimate=s*1e-10"),
    ("scikit-survival", "concordance_index_censored with estimate=s*1.0"),
    ("scikit-survival", "concordance_index_censored with estimate=s*1e-08"),
    ("scikit-survival", "concordance_index_censored with estimate=s*1e-10"),
}
# definitions this package refuses on purpose (trapezoids, bins) or does not have (H measure)
TRAPEZOIDS = {
    (SKLEARN, "auc(recall,precision) trapezoid of precision_recall_curve"),
    (SKLEARN, "auc(recall,precision) trapezoid (sample_weight=w)"),
    (DIRECT, "trapezoid, first point (0,1) (sklearn auc(recall,precision), yardstick pr_auc)"),
    (DIRECT, "trapezoid, first point (0,p1) (Spark >=2.3 areaUnderPR)"),
}
FOREIGN = (
    TRAPEZOIDS
    | {
        ("hmeasure", "h_score"),
    }
    | {
        (
            "emulation",
            f"binned AP, AUC with {bins} thresholds on [0,1], p=sigmoid(s-4) (emulates torchmetrics binned state)",
        )
        for bins in (5, 100, 200, 1000)
    }
)


def key_of(row: dict[str, Any]) -> tuple[str, str]:
    name = re.match(r"[A-Za-z0-9_.-]+", row["tool"])
    assert name is not None
    return name[0], row["quantity"]


def has_number(row: dict[str, Any]) -> bool:
    # pROC says NA below the diagonal, and for the interval of one positive
    value = row.get("value")
    values = value if isinstance(value, list) else [value]
    return "error" not in row and any(value not in (None, "NA") for value in values)


def must_match(row: dict[str, Any]) -> bool:
    """Say whether the row must be matched: CAUTION of the prg authors is about their packaging, not the value."""
    trusted = "trust" not in row or (row["trust"] == "CAUTION" and key_of(row) in MAPPED)
    return trusted and has_number(row) and not row.get("stochastic", False)


def identify(row: dict[str, Any]) -> str:
    tool, quantity = key_of(row)
    return f"{row['input']}-{tool}-{quantity}".replace(" ", "_")


MATCHED = [row for row in ROC_PR["results"] if key_of(row) in MAPPED and must_match(row)]


@pytest.mark.parametrize("row", [pytest.param(row, id=identify(row)) for row in MATCHED])
def test_row(row: dict[str, Any]) -> None:
    case, answer = roc_pr_case(row["input"]), MAPPED[key_of(row)]
    if case.name == "all_negative":  # the tools say nan, 0 or 1 here
        with pytest.raises(SingleClassError):
            answer(case)
        return
    values, ours = numbers(row["value"]), answer(case)
    assert len(values) == len(ours)
    for value, own in zip(values, ours, strict=True):
        assert own is None or own.admits(value), f"{row['tool']} has {value!r}, we have {own}"


def test_every_row_is_accounted_for() -> None:
    keys = {key_of(row) for row in ROC_PR["results"]}
    assert not set(MAPPED) & (ELSEWHERE | FOREIGN | CURVES)
    # nothing is listed that is not there
    assert set(MAPPED) | CURVES | ELSEWHERE | FOREIGN <= keys
    rest = keys - set(MAPPED) - CURVES - ELSEWHERE - FOREIGN
    trust = {key: {row.get("trust") for row in ROC_PR["results"] if key_of(row) == key} for key in rest}
    assert {key for key in rest if trust[key] != {"DEFECT"}} == set()
    assert len(MATCHED) > 400


CURVE_ROWS = [
    pytest.param(row, id=f"{row['input']}-{row['quantity'].split('(')[0]}")
    for row in ROC_PR["results"]
    if key_of(row) in CURVES and has_number(row)
]


@pytest.mark.parametrize("row", CURVE_ROWS)
def test_vertices(row: dict[str, Any]) -> None:
    case, printed = roc_pr_case(row["input"]), row["value"]
    draw = roc_curve if row["quantity"].startswith("roc") else precision_recall_curve
    curve = draw(case.table())
    if case.name == "all_negative":
        with pytest.raises(SingleClassError):
            _ = curve.x
        return
    assert curve.threshold is not None
    if draw is roc_curve:
        x, y, threshold = (numbers(printed[key]) for key in ("fpr", "tpr", "thresholds"))
        assert curve.threshold[0] == threshold[0] == math.inf
        first = 0
    else:
        # scikit-learn goes from the end of the list to its top and adds an unobserved point (0, 1) there;
        # ours starts at the limit along the counts, which is marked as no observation
        x, y, threshold = (numbers(printed[key])[::-1] for key in ("recall", "precision", "thresholds"))
        assert (x[0], y[0]) == (0.0, 1.0)
        x, y, first = x[1:], y[1:], 1
        assert curve.starts_at_limit
        assert curve.x[0] == 0
        assert curve.y[0] == pytest.approx(y[0])
    assert curve.x[first:] == pytest.approx(x, abs=1e-14)
    assert curve.y[first:] == pytest.approx(y, abs=1e-14)
    assert curve.threshold[first:].tolist() == threshold


# ---- what must not be reproduced

# rows that say the right answer in the same words as the wrong ones
TRUSTED: dict[str, list[tuple[str, str, int]]] = {
    "auc": [(PROC, "auc(direction='<')", 0), ("APtools", "APBinary method none: ap,auc", 1)],
    "ap": [
        ("APtools", "APBinary method none: ap,auc", 0),
        (DIRECT, "AP step, ties as one group (sklearn/LightGBM/APtools)", 0),
    ],
    "pr_area(keilwagen)": [("PRROC", "pr.curve auc.integral", 0)],
    "pr_area(davis_goadrich)": [
        ("PRROC", "pr.curve auc.davis.goadrich", 0),
        (DIRECT, "Davis-Goadrich integer interpolation (PRROC auc.davis.goadrich)", 0),
    ],
    RAW: [(PROC, "partial auc specificity 1..0.9 raw", 0)],
    MCCLISH: [(PROC, "partial auc specificity 1..0.9 McClish-corrected", 0)],
}
PR_AREAS = ["pr_area(keilwagen)", "pr_area(davis_goadrich)", "ap"]
DEFECTS: dict[tuple[str, str], list[tuple[int, list[str]]]] = {
    (SKLEARN, "roc_auc_score(y,s)"): [(0, ["auc"])],
    (SKLEARN, "roc_auc_score(y,s,max_fpr=0.1) [McClish]"): [(0, [MCCLISH])],
    ("confidenceinterval", "roc_auc_score DeLong (auc,(lo,hi)) 95%"): [(0, ["auc"])],
    ("confidenceinterval", "delong_roc_variance (auc,var)"): [(0, ["auc"])],
    # what is wrong there is the p-value
    ("MLstatkit", "Delong_test(y,A,B): z,p,ciA,ciB,aucA,aucB"): [(6, ["auc"])],
    ("pauc", "partial_auc spec 0.9-1 raw (direction '<')"): [(0, [RAW])],
    ("pauc", "partial_auc spec 0.9-1 standardized"): [(0, [MCCLISH])],
    ("xgboost", f"eval_metric=map {XGB}"): [(0, ["ap"])],
    ("ROCR", "performance aucpr / auc"): [(0, PR_AREAS), (1, ["auc"])],
    ("MLmetrics", "PRAUC"): [(0, PR_AREAS)],
}


@cache
def truth(name: str, form: str) -> float | None:
    for tool, quantity, place in TRUSTED[form]:
        for row in ROC_PR["results"]:
            if key_of(row) == (tool, quantity) and row["input"] == name and must_match(row):
                return numbers(row["value"])[place]
    return None


def compared(row: dict[str, Any]) -> list[tuple[str, float, float | None]]:
    """Return metric, printed number and right number for each number of a row that is a metric of ours."""
    values = numbers(row["value"])
    return [
        (form, values[place], truth(row["input"], form))
        for place, wanted in DEFECTS.get(key_of(row), [])
        for form in wanted
    ]


# nan_score has no right number but a refusal, tested below
DEFECT_ROWS = [
    row for row in ROC_PR["results"] if row.get("trust") == "DEFECT" and has_number(row) and row["input"] != "nan_score"
]
WRONG = [
    pytest.param(row["input"], form, printed, right, id=f"{identify(row)}-{form}")
    for row in DEFECT_ROWS
    for form, printed, right in compared(row)
    # some defective tools are right on easy inputs
    if right is not None and not abs(printed - right) <= 1e-9
]


@pytest.mark.parametrize(("name", "form", "printed", "right"), WRONG)
def test_defect_is_not_reproduced(name: str, form: str, printed: float, right: float) -> None:
    value = roc_pr_case(name).value(form)
    assert value == pytest.approx(right, rel=1e-10)
    assert not abs(value - printed) <= 1e-9


PRG_DEFECTS = {
    ("precision-recall-gain", "area_under_precision_recall_gain_score"),
    ("sklearn-prg", "average_precision_recall_gain"),
}


def test_defects_are_all_looked_at() -> None:
    for row in DEFECT_ROWS:
        known = compared(row)
        assert known or key_of(row) in ELSEWHERE | PRG_DEFECTS, identify(row)
        assert all(right is not None for _, _, right in known), identify(row)
    assert len(WRONG) > 80


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=identify(row)) for row in ROC_PR["results"] if key_of(row) in PRG_DEFECTS],
)
def test_precision_recall_gain_defect(row: dict[str, Any]) -> None:
    value = roc_pr_case(row["input"]).value("prg_area")
    assert math.isfinite(value)
    assert value <= 1
    assert not abs(value - numbers(row["value"])[0]) <= 1e-9
    stated = {"perfect": 1.0, "all_tied": 0.0}
    assert value == pytest.approx(stated.get(row["input"], value), abs=1e-15)


def test_defect_of_string_labels_states_the_right_answer() -> None:
    row = next(row for row in ROC_PR["results"] if row["input"] == "string_labels" and row.get("trust") == "DEFECT")
    assert "right answer 0.875" in row["why"]
    assert roc_pr_case("string_labels").value("auc") == 0.875


@pytest.mark.parametrize("form", ["auc", "ap", "pr_area", RAW, "prg_area", "bedroc(alpha=20)", "ndcg"])
def test_nan_score_is_refused(form: str) -> None:
    case = roc_pr_case("nan_score")
    with pytest.raises(MissingValueError, match="1 of 4 values"):
        metric(form)(case.y, case.s)
    # precrec ranks the subject last without a word: here that has to be asked for
    assert metric("auc")(case.y, case.s, missing="last") == 0.5


@pytest.mark.parametrize("form", ["auc", "ap", "pr_area", RAW, "prg_area", "bedroc(alpha=20)", "ndcg"])
def test_all_negative_is_nan_with_one_warning(form: str) -> None:
    case = roc_pr_case("all_negative")
    with pytest.warns(UndefinedMetricWarning, match="no positive") as caught:
        assert math.isnan(metric(form)(case.y, case.s, undefined="nan"))
    assert len(caught) == 1


def test_inf_scores_are_ranked() -> None:
    case = roc_pr_case("inf_scores")
    assert case.value("auc") == pytest.approx(0.733333, abs=1e-6)
    assert case.value("ap") == pytest.approx(0.722222, abs=1e-6)
    # the same order without infinities
    finite = np.clip(case.s, -9, 9)
    for form in ("auc", "ap", "ndcg", "pr_area", "logauc", RAW):
        assert case.value(form) == Case("finite", case.y, finite).value(form)


@pytest.mark.parametrize("form", ["auc", "ap", "pr_area(keilwagen)"])
def test_float32_scores_lose_nothing(form: str) -> None:
    case = roc_pr_case("float32_scores")
    assert case.s.dtype == np.float32
    assert case.value(form) == Case("float64", case.y, case.s.astype(np.float64)).value(form)


@pytest.mark.parametrize("bins", [5, 100, 200, 1000])
def test_binned_state_is_not_reproduced(bins: int) -> None:
    row = next(row for row in ROC_PR["results"] if f"with {bins} thresholds" in row["quantity"])
    case = roc_pr_case(row["input"])
    exact = [float(number) for number in re.findall(r"0\.\d+", row["note"])]
    for form, right, binned in zip(("ap", "auc"), exact, numbers(row["value"]), strict=True):
        assert case.value(form) == pytest.approx(right, abs=5.1e-8)
        assert abs(case.value(form) - binned) > 1e-4
        # a sigmoid keeps the order of these scores, so that it changes nothing
        squashed = Case("sigmoid", case.y, 1 / (1 + np.exp(4 - case.s)))
        assert squashed.value(form) == pytest.approx(case.value(form), rel=1e-12)


@pytest.mark.parametrize("name", ["ties_small", "heavy_ties", "all_tied"])
def test_trapezoids_under_ties_are_not_reproduced(name: str) -> None:
    case = roc_pr_case(name)
    printed = [
        value
        for row in ROC_PR["results"]
        if key_of(row) in TRAPEZOIDS and row["input"] == name and "first point (0,p1)" not in row["quantity"]
        for value in numbers(row["value"])
    ]
    assert len(printed) == 2
    for form in PR_AREAS:
        assert min(abs(case.value(form) - value) for value in printed) > 1e-2


# ---- the issues listed with the rows


def issue_sklearn_6688(scale: float) -> dict[str, float]:
    return {"AUC": metric("auc")([0, 0, 1, 1], scale * np.array([0.1, 0.4, 0.35, 0.8]))}


def constant(n: int, n_pos: int) -> tuple[Column, Column]:
    return (np.arange(n) < n_pos).astype(int), np.full(n, 0.3)


def issue_sklearn_9980() -> dict[str, float]:
    case = Case(
        "zero weight on top",
        np.array([0, 0, 0, 1, 1, 1]),
        np.array([0.1, 0.4, 0.85, 0.35, 0.8, 0.9]),
        w=np.array([1, 1, 0, 1, 1, 0]),
    )
    return {"AP": case.value("ap", weighted=True), "AUC": case.value("auc", weighted=True)}


def issue_anomalib_3781() -> dict[str, float]:
    perfect = metric("ap")([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9])
    return {"AP": perfect, "constant AP": metric("ap")(*constant(2000, 100))}


def issue_pytrec_eval_56() -> dict[str, float]:
    case = Case("tied", np.array([0, 0, 1]), np.ones(3))
    return {
        "AP grouped": case.value("ap"),
        "AP expected over ties": case.value("ap(ties=expected)"),
        "trec_eval": float(AveragePrecision().value(case.table().best_ties())),
    }


def issue_anomalib_2003() -> dict[str, float]:
    s = np.arange(-2, 2, 0.2)
    return {"AUC": metric("auc")(s > 0, s)}


def issue_proc_25() -> dict[str, float]:
    y, s = ["A", "B", "A", "B"], [1, 0, 1, 0]
    return {
        "AUC (A as control)": metric("auc")(y, s, pos_label="B"),
        "AUC flipped": metric("auc")(y, s, pos_label="B", higher_is_better=False),
    }


PROC_68 = {
    "response": [1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1],
    "pred_1": [15, 0, 30, 32, 0, 10, 64, None, 10, 0, 0, 0, 0, 0, 108, 0, 0, 0, 56, 22],
    "pred_2": [0.7, 0.1, 0.2, 0.2, 1.4, 0.1, 0.2, 1.9, 0.8, 0.4, None, 0.5, 0.6, None, 3.7, 1.7, 0.3, 0.7, 0.7, None],
}


def issue_proc_68() -> dict[str, Any]:
    own = metric("auc")(PROC_68["response"], PROC_68["pred_1"], missing="drop")
    with pytest.warns(UserWarning, match="4 of 20 rows were dropped"):
        paired = evaluate("response", ["pred_1", "pred_2"], data=PROC_68, metrics="auc", missing="drop")
    both = [paired[name, "auc"] for name in ("pred_1", "pred_2")]
    return {
        "AUC pred_1 complete cases": own,
        "paired complete cases n": both[0].n,
        "AUC1, AUC2 on paired complete cases": [float(estimate) for estimate in both],
    }


def issue_yardstick_229() -> dict[str, Any]:
    y, s = constant(10_000, 100)
    return {
        "AP": "prevalence" if metric("ap")(y, s) == pytest.approx(0.01, rel=1e-12) else "something else",
        "AUC": metric("auc")(y, s),
    }


ISSUES: dict[str, Callable[[], dict[str, Any]]] = {
    "sklearn#5379": lambda: {"AP": metric("ap")([1] * 7 + [-1] + [1, 1], range(10))},
    "sklearn#9618": lambda: {"AP": metric("ap")([0, 1, 0, 0, 0], [0.7, 0.8, 0.5, 0.9, 0.1])},
    "sklearn#6688 k=1": lambda: issue_sklearn_6688(1),
    "sklearn#6688 k=1e-07": lambda: issue_sklearn_6688(1e-7),
    "sklearn#6688 k=1e-300": lambda: issue_sklearn_6688(1e-300),
    "sklearn#9980": issue_sklearn_9980,
    "sklearn#9359": lambda: {
        form.upper(): metric(form)([0, 1, 0, 1, 1, 1, 0, 0], np.linspace(0, 1, 8)) for form in ("ap", "auc")
    },
    "anomalib#3781": issue_anomalib_3781,
    "pytrec_eval#56": issue_pytrec_eval_56,
    "anomalib#2003": issue_anomalib_2003,
    "pROC#25": issue_proc_25,
    "pROC#68": issue_proc_68,
    "yardstick#229": issue_yardstick_229,
}
NO_VALUES = {"DeLong var"}  # a standard error


def test_issues_are_all_here() -> None:
    assert {issue["id"] for issue in ROC_PR["issue_cases"]} == set(ISSUES)


@pytest.mark.parametrize("issue", [pytest.param(issue, id=issue["id"]) for issue in ROC_PR["issue_cases"]])
def test_issue(issue: dict[str, Any]) -> None:
    found = ISSUES[issue["id"]]()
    assert set(found) == set(issue["expected"]) - NO_VALUES
    for name, expected in issue["expected"].items():
        if name not in NO_VALUES:
            assert found[name] == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-12))


def test_direction_is_said_when_auc_is_low() -> None:
    y, s = [0, 1, 0, 1], [1, 0, 1, 0]
    with pytest.warns(DirectionWarning, match="AUC is below one half"), pytest.warns(UserWarning, match="two values"):
        evaluate(y, s, metrics="auc")


def test_replicates_see_the_same_kernels() -> None:
    # the kernels take many tables at once; two inputs of one shape must not disturb each other
    first, second = (roc_pr_case(name).table() for name in ("small10", "ties_small"))
    rows = 2 * max(first.pos.size, second.pos.size)
    pos, neg = np.zeros((2, rows)), np.zeros((2, rows))
    for place, table in enumerate((first, second)):
        pos[place, : table.pos.size], neg[place, : table.neg.size] = table.pos, table.neg
    for form in ("auc", "ap", "pr_area(keilwagen)", "pr_area(davis_goadrich)", "prg_area", RAW, "ndcg", "slr"):
        both = metric(form).value(Counts(pos, neg))
        alone = [metric(form).value(table) for table in (first, second)]
        assert both == pytest.approx(alone, rel=1e-13)
