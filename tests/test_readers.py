"""Several readers of the same cases: published numbers, laws, and bad input."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import f, ncf

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import (
    AlignmentWarning,
    ColumnNotFoundError,
    HitcurveError,
    InputError,
    InsufficientDataError,
    LabelError,
    LengthMismatchError,
    MetricParseError,
    MissingValueError,
    ParameterError,
    ScoreError,
    SingleClassError,
    UndefinedMetricError,
)
from tests.data import NO_DATA, data_folder, read_columns
from tests.sampled import quietly

Columns = dict[str, npt.NDArray[Any]]
NAMES = {"reader": "reader", "modality": "modality", "case": "case"}
METRICS = (
    "auc",
    "ap",
    "pauc(fpr, 0, 0.3)",
    "croc(exp, alpha=7)",
    "bedroc(alpha=20)",
    "gini",
    "tpr@fpr=20%",
    "max_f1",
    "sensitivity@rating>=1",
    "specificity@rating>=1",
    "youden@rating>=1",
    "accuracy@rating>=1",
    "ppv@rating>=1",
    "npv@rating>=1",
)


def simulated(
    readers: int = 4, modalities: int = 2, sizes: tuple[int, int] = (30, 40), seed: int = 0, *, ordinal: bool = False
) -> Columns:
    """Return readings with effects of cases, readers, modalities and their interactions."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([1, 0], sizes)
    n = truth.size
    case = rng.normal(size=n) * 0.7
    rows = []
    for m in range(modalities):
        of_case = case + rng.normal(size=n) * 0.4
        for r in range(readers):
            rating = truth * (1.2 + 0.2 * m) + of_case + rng.normal(size=n) * 0.7 + rng.normal() * 0.2
            if ordinal:
                rating = np.clip(np.round(rating + 2), 1, 5)
            rows.append((np.full(n, r + 1), np.full(n, f"m{m + 1}"), np.arange(n), truth, rating))
    columns = (np.concatenate(column) for column in zip(*rows, strict=True))
    return dict(zip(("reader", "modality", "case", "truth", "rating"), columns, strict=True))


def study(data: Any, metrics: Any = "auc", **options: Any) -> hc.ReaderStudy:
    return hc.evaluate_readers("truth", "rating", data=data, metrics=metrics, **(NAMES | options))


# ---- published numbers, and numbers of MRMCaov 0.3

needs_data = pytest.mark.skipif(not data_folder().is_dir(), reason=NO_DATA)
VANDYKE, FRANKEN, KUNDEL = (f"mrmc/{name}.csv" for name in ("vandyke", "franken", "kundel"))


def of_file(file: str, metrics: Any = "auc", **options: Any) -> hc.ReaderStudy:
    return study(read_columns(file), metrics, **({"modality": "treatment"} | options))


def numbers(found: hc.ReaderStudy) -> dict[str, float]:
    (one,) = found
    assert one.equality
    (difference,) = one.differences
    return {
        "difference": difference.value,
        "se": difference.standard_error,
        "df": difference.degrees_of_freedom,
        "p": difference.pvalue,
        "statistic": one.equality.statistic,
        "p of equality": one.equality.pvalue,
        **vars(one.components),
        **{f"mean {mean.modality}": mean.value for mean in one.means},
    }


PRINTED: list[tuple[str, Any, dict[str, Any], dict[str, str]]] = [
    # MRMCaov 0.3, summary(mrmc(empirical_auc(truth, rating), treatment, reader, case, method=...))
    (
        VANDYKE,
        "auc",
        {},
        {
            "var": "0.0007921325",
            "cov1": "0.0003420090",
            "cov2": "0.0003395265",
            "cov3": "0.0002358497",
            "ms_modality": "0.004796171",
            "ms_interaction": "0.0005510306",
            "statistic": "4.484854",
            "df": "15.06611",
            "se": "0.0206825",
            "p": "0.05123303",
            "p of equality": "0.05123303",
            "difference": "-0.04380032",
        },
    ),
    (
        VANDYKE,
        "auc",
        {"covariance": "jackknife", "random": "cases"},
        {"se": "0.01871748", "statistic": "5.475953", "p": "0.01927984", "p of equality": "0.01927984"},
    ),
    (VANDYKE, "auc", {"random": "readers"}, {"statistic": "8.704", "p": "0.04195875"}),
    (VANDYKE, "auc", {"nested": "cases in readers"}, {"p": "0.04195875"}),
    (
        VANDYKE,
        "auc",
        {"nested": "cases in modalities", "covariance": "jackknife"},
        {"df": "68.42325", "p": "0.1514363"},
    ),
    (
        VANDYKE,
        "auc",
        {"covariance": "unbiased"},
        {
            "var": "0.0007883925",
            "cov1": "0.0003416706",
            "cov2": "0.0003390650",
            "cov3": "0.0002356148",
            "df": "15.03418",
            "p": "0.0511618",
        },
    ),
    *(
        (
            VANDYKE,
            "sensitivity@rating>=3",
            {"covariance": covariance},
            {"difference": "-0.09777778", "se": "0.03780451", "df": "15.71732", "p": "0.02008822"},
        )
        for covariance in ("delong", "unbiased")
    ),
    # from the same formulas in a few lines of numpy, with influence values that a bootstrap agrees with
    (
        VANDYKE,
        "ap",
        {"design": "cohort"},
        {
            "mean 1": "0.86310528",
            "mean 2": "0.91920051",
            "difference": "-0.0560952334",
            "se": "0.0216948745",
            "df": "19.3915298",
            "p": "0.0179434",
            "cov2": "0.000604",
        },
    ),
    (
        VANDYKE,
        "ap",
        {"covariance": "jackknife"},
        {"se": "0.0219414", "p": "0.0186796", "cov2": "0.000629"},
    ),
    (VANDYKE, "ap", {"design": "case-control"}, {"p": "0.0160", "cov2": "0.000461"}),
    (
        VANDYKE,
        "pauc(fpr, 0, 0.1)",
        {"design": "cohort"},
        {"mean 1": "0.07060844", "mean 2": "0.0804821", "p": "0.0176708"},
    ),
    (
        VANDYKE,
        "croc(exp, alpha=7)",
        {"design": "cohort"},
        {"mean 1": "0.76377862", "mean 2": "0.85349541", "p": "0.0202231"},
    ),
    (FRANKEN, "auc", {}, {"mean 1": "0.84774989", "mean 2": "0.83689507", "df": "3.00000000", "p": "0.118837857"}),
]


@needs_data
@pytest.mark.parametrize(("file", "metric", "options", "printed"), PRINTED)
def test_printed_numbers(file: str, metric: str, options: dict[str, Any], printed: dict[str, str]) -> None:
    found = numbers(of_file(file, metric, **options))
    for name, text in printed.items():
        places = len(text.partition(".")[2])
        assert abs(found[name] - float(text)) <= 0.500001 * 10.0**-places, (name, found[name])


@needs_data
def test_a_negative_difference_of_covariances_is_0() -> None:
    """Franken: Cov2 < Cov3, so that readers alone decide, as if cases were fixed."""
    both, of_readers = of_file(FRANKEN), of_file(FRANKEN, random="readers")
    assert both["auc"].components.clamped
    assert both["auc"].differences[0] == of_readers["auc"].differences[0]
    assert both["auc"].differences[0].degrees_of_freedom == 3


@needs_data
def test_kundel_whose_first_modality_has_other_cases() -> None:
    columns = read_columns(KUNDEL)
    names = {"modality": "treatment"}
    with pytest.raises(MissingValueError, match="1,140 of 2,280 readings are missing"):
        study(columns, **names)
    # the two modalities of common cases
    common = {name: column[columns["treatment"] > 1] for name, column in columns.items()}
    assert study(common, **names).readings.sizes == (29, 66)
    # all three, by what was read
    found = study(columns, covariance="unbiased", **names)
    covariance, modality = found["auc"].cells.covariance, found.readings.modality_of
    apart = (modality[:, None] == 0) & (modality > 0)
    assert np.abs(covariance[apart]).max() < 1e-15  # no common cases
    pair = study(common, covariance="unbiased", **names)["auc"].cells.covariance
    np.testing.assert_allclose(covariance[4:, 4:], pair, rtol=1e-12)
    # the two of common cases are compared as they are alone
    alone = study(common, covariance="unbiased", **names)["auc"].differences[0]
    together = found["auc"].differences[2]
    assert together.standard_error == pytest.approx(alone.standard_error)
    assert together.degrees_of_freedom == pytest.approx(alone.degrees_of_freedom)
    assert "1,140 readings, 1,140 missing" in str(found)
    assert "each difference has the components of variance of its two modalities" in str(found)


# ---- laws


@pytest.mark.parametrize("design", ["case-control", "cohort"])
def test_one_reader_is_the_test_of_two_rankers(design: str) -> None:
    data = simulated(readers=1)
    found = study(data, ["auc", "ap"], random="cases", design=design)
    wide = pd.DataFrame(data).pivot(index="case", columns="modality", values="rating")
    truth = data["truth"][: len(wide)]
    rankers = {name: wide[name].to_numpy() for name in wide}
    (difference,) = found["auc"].differences
    if design == "case-control":
        expected = hc.compare(truth, rankers["m1"], rankers["m2"], metric="auc", method="delong")
        assert difference.pvalue == pytest.approx(expected.pvalue, rel=1e-10)
    evaluated = hc.evaluate(truth, rankers, metrics=["auc", "ap"], design=design)
    n1, n0 = found.readings.sizes
    for metric, place in product(("auc", "ap"), range(2)):
        estimate = evaluated[f"m{place + 1}", metric]
        assert found[metric].value[place] == pytest.approx(estimate.value, rel=1e-12)
        if design == "cohort":
            more = math.sqrt((n1 + n0) / (n1 + n0 - 1))
            assert found[metric].cells.standard_error[place] == pytest.approx(more * estimate.standard_error)


@pytest.mark.parametrize("metric", [metric for metric in METRICS if not metric.startswith("tpr@")])
@pytest.mark.parametrize("ordinal", [False, True])
def test_influence_values_and_the_jackknife_agree(metric: str, ordinal: bool) -> None:
    data = simulated(sizes=(150, 250), ordinal=ordinal)
    metric = metric.replace(">=1", ">=3") if ordinal else metric
    by_influence, left_out = (study(data, metric, covariance=one) for one in ("influence", "jackknife"))
    a, b = (one.results[0].cells.standard_error for one in (by_influence, left_out))
    # the best of all cuts may change with one case
    np.testing.assert_allclose(a, b, rtol=0.3 if metric == "max_f1" else 0.07)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("options", [{}, {"design": "cohort"}, {"clusters": "cluster"}], ids=str)
def test_the_order_of_the_rows_does_not_matter(metric: str, options: dict[str, Any]) -> None:
    data = simulated(ordinal=True)
    data["cluster"] = data["case"] // 3
    shuffled = pd.DataFrame(data).sample(frac=1, random_state=1)
    if "@rating" in metric:
        metric = metric.replace(">=1", ">=3")
    one, other = (study(x, metric, **options) for x in (data, shuffled))
    assert one.results[0].differences == other.results[0].differences
    assert one.results[0].means == other.results[0].means


def test_low_ratings_may_be_of_positives() -> None:
    data = simulated()
    turned = data | {"rating": -data["rating"]}
    forms, low = ["auc", "ap", "sensitivity@rating>=1"], ["auc", "ap", "sensitivity@rating<=-1"]
    one, other = study(data, forms), study(turned, low, higher_is_better=False)
    for a, b in zip(one, other, strict=True):
        assert a.differences == b.differences
    for covariance in ("jackknife", "unbiased"):
        one = study(data, covariance=covariance)
        other = study(turned, covariance=covariance, higher_is_better=False)
        assert one["auc"].differences == other["auc"].differences
    with pytest.raises(ParameterError, match="calls the wrong end positive"):
        study(turned, "sensitivity@rating>=1", higher_is_better=False)


@pytest.mark.parametrize("metric", METRICS)
def test_two_modalities_have_one_test(metric: str) -> None:
    for random in (("readers", "cases"), "readers", "cases"):
        one = study(simulated(sizes=(40, 60)), metric, random=random).results[0]
        assert one.equality
        assert one.equality.statistic == pytest.approx(one.differences[0].statistic ** 2)
        assert one.equality.pvalue == pytest.approx(one.differences[0].pvalue)


def test_the_baseline_is_the_second() -> None:
    data = simulated(modalities=3)
    pairs = study(data)["auc"].differences
    assert [(one.first, one.second) for one in pairs] == [("m1", "m2"), ("m1", "m3"), ("m2", "m3")]
    against = study(data, baseline="m1")["auc"].differences
    assert [(one.first, one.second) for one in against] == [("m2", "m1"), ("m3", "m1")]
    assert against[0].value == -pairs[0].value
    assert against[0].low == -pairs[0].high
    # Holm's method: the smallest of m p values times m
    adjusted = [float(one.adjusted or 0) for one in pairs]
    smallest = int(np.argmin([one.pvalue for one in pairs]))
    assert adjusted[smallest] == min(1, 3 * pairs[smallest].pvalue)
    assert all(adjusted[i] >= pairs[i].pvalue for i in range(3))
    assert study(simulated())["auc"].differences[0].adjusted is None


def test_margins() -> None:
    data = simulated()
    found = study(data, baseline="m1", margin=0.1)["auc"].differences[0]
    from scipy.stats import t

    tail = t.sf((found.value + 0.1) / found.standard_error, found.degrees_of_freedom)
    assert found.margin_pvalue == pytest.approx(tail)
    # one-sided at 2.5%: the lower end of the interval is above the margin
    for margin in (0.001, 0.01, 0.02, 0.05, 0.1, 0.2):
        one = study(data, baseline="m2", margin=margin)["auc"].differences[0]
        assert (float(one.margin_pvalue or 0) < 0.025) == (one.low > -margin)
        both = study(data, baseline="m2", margin=margin, hypothesis="equivalence")["auc"].differences[0]
        assert (float(both.margin_pvalue or 0) < 0.025) == (both.low > -margin and both.high < margin)
    # of a rate of errors more is worse
    worse = study(data, "fpr@tpr=80%", baseline="m1", margin=0.1).results[0].differences[0]
    tail = t.sf((-worse.value + 0.1) / worse.standard_error, worse.degrees_of_freedom)
    assert worse.margin_pvalue == pytest.approx(tail)


@pytest.mark.parametrize("missing", [0, 9])
def test_unbiased_covariances_by_all_pairs_of_pairs(missing: int) -> None:
    """Products of kernels over pairs that have no case in common, term by term."""
    data = simulated(readers=2, sizes=(4, 5), ordinal=True)
    kept = np.random.default_rng(5).permutation(data["truth"].size)[missing:]
    data = {name: column[kept] for name, column in data.items()}
    found = study(data, covariance="unbiased")
    x, positive = found.readings.ratings, found.readings.positive
    value, covariance = found["auc"].value, found["auc"].cells.covariance
    pos, neg = np.flatnonzero(positive), np.flatnonzero(~positive)
    for i, j in product(range(4), repeat=2):
        products = [
            (float(x[i, k] > x[i, m]) + 0.5 * (x[i, k] == x[i, m]))
            * (float(x[j, p] > x[j, q]) + 0.5 * (x[j, p] == x[j, q]))
            for k, p, m, q in product(pos, pos, neg, neg)
            if k != p and m != q and not np.isnan(x[i, [k, m]]).any() and not np.isnan(x[j, [p, q]]).any()
        ]
        assert covariance[i, j] == pytest.approx(value[i] * value[j] - np.mean(products), abs=1e-14)


def test_clusters_of_one_case_are_cases() -> None:
    """The part of a class of m of n cases is (1 - 1/n)/(1 - 1/m) times that of cases, as the jackknife has it."""
    data = simulated()
    for design in ("case-control", "cohort"):
        alone, without = study(data, clusters="case", design=design), study(data)
        phi, positive = without.study.influence(hc.metric("auc"))[1], without.readings.positive
        expected = sum(
            phi[:, side] @ phi[:, side].T * (1 - 1 / 70) / (1 - 1 / side.sum()) ** 2 for side in (positive, ~positive)
        )
        np.testing.assert_allclose(alone["auc"].cells.covariance, expected, rtol=1e-12)
        np.testing.assert_allclose(alone["auc"].cells.covariance, without["auc"].cells.covariance, rtol=0.03)
        found = alone["auc"].design_effect
        assert found is not None
        assert found.effect == pytest.approx(1, rel=1e-12)
        assert math.isnan(found.correlation)


@pytest.mark.parametrize("metric", ["auc", "ap", "sensitivity@rating>=1", "youden@rating>=1"])
def test_clusters_and_their_jackknife_agree(metric: str) -> None:
    """Influence values by cluster are the jackknife by clusters to first order; of unequal clusters too."""
    data = simulated(sizes=(60, 90))
    data["patient"] = np.minimum(data["case"] % 30, 20)
    by_influence = study(data, metric, clusters="patient", design="cohort")[metric]
    found = study(data, metric, clusters="patient", covariance="jackknife")
    by_jackknife = found[metric]
    wide, other = by_influence.cells.covariance, by_jackknife.cells.covariance
    np.testing.assert_allclose(np.diag(wide), np.diag(other), rtol=0.08)
    assert by_influence.components.cov2 == pytest.approx(by_jackknife.components.cov2, rel=0.12)
    if metric in ("auc", "ap"):  # each cluster left out and the values computed anew
        place = [found.readings.name(row) for row in range(8)].index("reader 2, modality m2")
        one = {name: column[(data["reader"] == 2) & (data["modality"] == "m2")] for name, column in data.items()}
        left = [
            quietly(one["truth"][kept], one["rating"][kept], metrics=metric)["score", metric].value
            for kept in (one["patient"] != cluster for cluster in range(21))
        ]
        assert other[place, place] == pytest.approx(np.var(left) * 20, rel=1e-9)


def test_the_design_effect_is_told() -> None:
    data = simulated()
    twice = {name: np.concatenate([column, column]) for name, column in data.items()}
    twice["case"] = np.concatenate([data["case"], data["case"] + 1000])
    twice["patient"] = np.concatenate([data["case"], data["case"]])
    found = study(twice, ["auc", "ap"], clusters="patient")
    for one in found:
        assert one.design_effect is not None
        assert one.design_effect.effect == pytest.approx(2, rel=1e-9)
        assert one.design_effect.correlation == pytest.approx(1, rel=1e-9)
        assert one.design_effect.mean_size == 2
    assert any("design effect 2, intra-cluster correlation 1 (70 clusters" in note for note in found.notes())
    assert study(data)["auc"].design_effect is None


def test_clusters_limit_the_degrees_of_freedom() -> None:
    data = simulated()
    data["patient"] = data["case"] % 12
    one = study(data, clusters="patient", random="cases")["auc"]
    assert one.differences[0].degrees_of_freedom == 11
    assert one.equality
    assert (one.equality.name, one.equality.denominator_degrees) == ("F", 11)
    assert one.equality.pvalue == pytest.approx(one.differences[0].pvalue)
    assert {x.degrees_of_freedom for x in one.of_readers} == {11}
    both = study(data, clusters="patient")["auc"]
    parts = both.components
    D, of_cases = parts.ms_interaction + 4 * parts.above, 4 * parts.above
    assert of_cases > 0
    expected = D**2 / (parts.ms_interaction**2 / 3 + of_cases**2 / 11)
    assert both.differences[0].degrees_of_freedom == pytest.approx(expected)


def test_copies_of_cases_as_clusters_add_nothing() -> None:
    """Every case twice: by cluster the errors are those of the cases."""
    data = simulated()
    twice = {name: np.concatenate([column, column]) for name, column in data.items()}
    twice["case"] = np.concatenate([data["case"], data["case"] + 1000])
    twice["patient"] = np.concatenate([data["case"], data["case"]])
    once = study(data, ["auc", "ap"], clusters="case", design="cohort")
    found = study(twice, ["auc", "ap"], clusters="patient", design="cohort")
    np.testing.assert_allclose(found["auc"].cells.covariance, once["auc"].cells.covariance, rtol=1e-9)
    assert found["ap"].components.var == pytest.approx(once["ap"].components.var, rel=0.2)


def test_readers_of_their_own() -> None:
    """Readers nested in modalities: with equal numbers of readers the test of the F ratio is that of t."""
    data = simulated(readers=3)
    data["reader"] = np.where(data["modality"] == "m2", data["reader"] + 10, data["reader"])
    of_all = study(data, nested="readers in modalities")
    assert any("no differences of single readers" in note for note in of_all.notes())
    found = of_all["auc"]
    assert found.of_readers == ()
    assert found.equality
    assert found.equality.pvalue == pytest.approx(found.differences[0].pvalue)
    assert found.components.cov1 == 0
    means = [np.var(found.value[:3], ddof=1), np.var(found.value[3:], ddof=1)]
    assert found.components.ms_reader == pytest.approx(np.mean(means))
    # one reader fewer in one modality
    fewer = study({name: column[data["reader"] != 13] for name, column in data.items()}, nested="readers in modalities")
    assert [mean.n_readers for mean in fewer["auc"].means] == [3, 2]
    parts = fewer["auc"].components
    variance = parts.ms_reader * (1 / 3 + 1 / 2) + 2 * parts.above
    assert fewer["auc"].differences[0].standard_error == pytest.approx(math.sqrt(variance))
    with pytest.raises(InputError, match=r"reader 11 has no reading with modality m1.*nested='readers in modalities'"):
        study(data)


def test_cases_of_their_own() -> None:
    """Cases named alike in every reader are other cases where the design says so."""
    data = simulated()
    data["own"] = np.array([f"{r}-{c}" for r, c in zip(data["reader"], data["case"], strict=True)])
    one = study(data, nested="cases in readers")["auc"]
    other = study(data, case="own", nested="cases in readers")["auc"]
    assert one.differences == other.differences
    assert one.components.cov2 == one.components.cov3 == 0
    covariance, reader = one.cells.covariance, np.tile(np.arange(4), 2)
    assert np.all(covariance[reader[:, None] != reader] == 0)
    with pytest.raises(MissingValueError, match="every case has one reader, so pass nested='cases in readers'"):
        study(data, case="own")


def test_operating_points_are_those_of_a_decision() -> None:
    data = simulated(ordinal=True)
    called = data | {"rating": (data["rating"] >= 3).astype(float)}
    wanted = {"sensitivity": "sensitivity@rating>=3", "specificity": "specificity@rating>=3"}
    for relation in (">=3", ">2.5"):
        youden = study(data, f"youden@rating{relation}").results[0]
        # AUC of a decision is the mean of sensitivity and specificity
        auc = study(called)["auc"]
        np.testing.assert_allclose(2 * auc.value - 1, youden.value, rtol=1e-12)
        np.testing.assert_allclose(4 * auc.cells.covariance, youden.cells.covariance, rtol=1e-9)
    shares = {name: study(data, form).results[0].value for name, form in wanted.items()}
    np.testing.assert_allclose(sum(shares.values()) - 1, youden.value)
    pi = 30 / 70
    ppv = study(data, "precision@rating>=3").results[0].value
    t, f = shares["sensitivity"], 1 - shares["specificity"]
    np.testing.assert_allclose(ppv, pi * t / (pi * t + (1 - pi) * f))
    rare = study(data, "ppv@rating>=3", prevalence=0.01).results[0].value
    np.testing.assert_allclose(rare, 0.01 * t / (0.01 * t + 0.99 * f))


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table, pl.LazyFrame, dict])
def test_every_frame_is_the_same(kind: Callable[[Any], Any]) -> None:
    data = simulated(ordinal=True)
    assert study(kind(data))["auc"].differences == study(data)["auc"].differences
    arrays = hc.evaluate_readers(
        data["truth"], data["rating"], **{name: data[column].tolist() for name, column in NAMES.items()}
    )
    assert arrays["auc"].differences == study(data)["auc"].differences


def test_one_modality_has_a_mean_with_an_interval() -> None:
    data = simulated()
    one = {name: column[data["modality"] == "m1"] for name, column in data.items()}
    found, both = study(one, modality=None)["auc"], study(data)["auc"]
    assert found.equality is None
    assert found.differences == ()
    assert (found.means[0].value, found.means[0].low) == (both.means[0].value, both.means[0].low)
    parts = found.components
    D = parts.ms_reader + 4 * max(parts.cov2, 0)
    assert found.means[0].standard_error == pytest.approx(math.sqrt(D / 4))
    assert found.means[0].degrees_of_freedom == pytest.approx(D**2 / (parts.ms_reader**2 / 3))


def test_readers_who_do_not_vary_have_no_test() -> None:
    data = simulated(readers=1)
    alike = {name: np.concatenate([column, column]) for name, column in data.items()}
    alike["reader"] = np.repeat([1, 2], data["reader"].size)
    same = alike | {"rating": np.tile(data["rating"][: data["rating"].size // 2], 4)}
    found = study(same)["auc"].differences[0]
    assert (found.value, found.standard_error, found.statistic, found.pvalue) == (0, 0, 0, 1)
    assert (found.low, found.high) == (0, 0)
    test = study(same)["auc"].equality
    assert test is not None
    assert (test.statistic, test.pvalue) == (0, 1)

    # all readers differ by the same: what does not vary is not tested
    found = study(alike, random="readers")["auc"].differences[0]
    assert found.value != 0
    assert found.standard_error == 0
    assert math.isnan(found.pvalue)
    assert math.isnan(found.low)


# ---- plans, and the bootstrap as a check


DESIGNS: list[dict[str, Any]] = [
    {},
    {"random": "cases"},
    {"random": "readers"},
    {"nested": "readers in modalities"},
    {"nested": "cases in readers"},
    {"nested": "cases in modalities"},
    {"nested": "readers in modalities", "random": "cases"},
]


@pytest.mark.parametrize("metric", ["auc", "ap", "sensitivity@rating>=1"])
@pytest.mark.parametrize("options", DESIGNS, ids=str)
def test_a_plan_of_the_size_of_the_pilot_has_its_error(metric: str, options: dict[str, Any]) -> None:
    data = simulated(sizes=(40, 60), seed=3)
    data["rating"] = data["rating"] + 0.3 * data["truth"] * np.sin(3 * data["reader"] + 7 * (data["modality"] == "m1"))
    found = study(data, metric, **options)
    plan = found.power_analysis(0.05, readers=4, cases=100)
    one = found.results[0].differences[0]
    assert plan.standard_error == pytest.approx(one.standard_error)
    assert plan.degrees_of_freedom == pytest.approx(one.degrees_of_freedom)
    assert (plan.cases, plan.n_pos) == (100, 40)
    # the power of the F test
    if math.isfinite(plan.degrees_of_freedom):
        limit = f.isf(0.05, 1, plan.degrees_of_freedom)
        expected = ncf.sf(limit, 1, plan.degrees_of_freedom, (0.05 / plan.standard_error) ** 2)
        assert plan.power == pytest.approx(expected, rel=1e-6)


def test_least_numbers() -> None:
    found = study(simulated(sizes=(60, 90)))
    by_cases = found.power_analysis(0.08, readers=8, power=0.8)
    assert by_cases.power >= 0.8 > found.power_analysis(0.08, readers=8, cases=by_cases.cases - 1).power
    by_readers = found.power_analysis(0.08, cases=200, power=0.8)
    assert by_readers.power >= 0.8 > found.power_analysis(0.08, cases=200, readers=by_readers.readers - 1).power
    assert "find a difference of 0.08 with power" in str(by_cases)
    assert by_cases.to_record()["cases"] == by_cases.cases
    # a margin is a distance
    inferior = found.power_analysis(0.02, readers=8, cases=200, margin=0.06)
    two_sided = found.power_analysis(0.08, readers=8, cases=200)
    assert inferior.power == pytest.approx(two_sided.power, abs=1e-4)
    assert "non-inferiority by a margin of 0.06 at a true difference of 0.02" in str(inferior)
    fixed = study(simulated(sizes=(60, 90)), random="cases")
    assert fixed.power_analysis(0.08, power=0.8).readers == 4
    assert study(simulated(sizes=(60, 90)), random="readers").power_analysis(0.2, power=0.8).cases == 150


PLANS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "one number": ({}, {"readers": 5}, "give two of readers, cases and power"),
    "three numbers": ({}, {"readers": 5, "cases": 50, "power": 0.8}, "give two of readers, cases and power"),
    "no effect": ({}, {"effect": 0, "readers": 5, "cases": 50}, "effect must not be 0"),
    "too few readers": ({}, {"effect": 0.001, "readers": 2, "power": 0.8}, "with no number of cases"),
    "too few cases": ({}, {"effect": 0.001, "cases": 4, "power": 0.8}, "with no number of readers"),
    "one reader": ({}, {"readers": 1, "cases": 50}, "readers must be a whole number of at least 2"),
    "readers fixed": ({"random": "cases"}, {"readers": 9, "cases": 50}, "readers are fixed in the pilot, which has 4"),
    "cases fixed": ({"random": "readers"}, {"readers": 9, "cases": 50}, "cases are fixed in the pilot, which has 70"),
    "small power": ({}, {"readers": 9, "power": 0.01}, "power must be above the significance"),
    "beyond the margin": ({}, {"effect": -0.1, "margin": 0.05, "readers": 5, "cases": 50}, "is as bad as the margin"),
}


@pytest.mark.parametrize("case", PLANS)
def test_plans_that_cannot_be(case: str) -> None:
    options, asked, message = PLANS[case]
    data = simulated()
    data["rating"] = data["rating"] + 0.5 * data["truth"] * np.sin(3 * data["reader"] + 7 * (data["modality"] == "m1"))
    with pytest.raises(ParameterError, match=message):
        study(data, **options).power_analysis(**({"effect": 0.1} | asked))


def test_one_modality_has_no_plan() -> None:
    data = simulated(modalities=1)
    with pytest.raises(ParameterError, match="a plan is for the difference of two"):
        study(data).power_analysis(0.1, readers=5, cases=50)


@pytest.mark.parametrize("metric", ["auc", "ap", "sensitivity@rating>=1", "ppv@rating>=1"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"design": "cohort"},
        {"nested": "cases in readers"},
        {"nested": "readers in modalities"},
        {"clusters": "patient", "design": "cohort"},
    ],
    ids=str,
)
def test_the_bootstrap_of_cases_agrees(metric: str, options: dict[str, Any]) -> None:
    data = simulated(sizes=(150, 200), seed=1)
    data["patient"] = data["case"] // 2
    found = study(data, metric, random="cases", **options)
    check = found.bootstrap(n_resamples=400, rng=1)
    np.testing.assert_allclose(check.standard_error, check.by_formula, rtol=0.15)
    assert check.by_formula[2] == found.results[0].differences[0].standard_error


def test_the_bootstrap_of_readers_agrees() -> None:
    data = simulated(readers=6)
    for options in ({}, {"nested": "readers in modalities"}):
        check = study(data, random="readers", **options).bootstrap(n_resamples=2000, rng=1)
        np.testing.assert_allclose(check.standard_error, np.array(check.by_formula) * math.sqrt(5 / 6), rtol=0.08)


def test_the_bootstrap_of_both() -> None:
    found = study(simulated(sizes=(60, 80)))
    check = found.bootstrap(n_resamples=300)
    alone = study(simulated(sizes=(60, 80)), random="cases").bootstrap(n_resamples=300)
    assert all(both > cases for both, cases in zip(check.standard_error, alone.standard_error, strict=True))
    assert check == found.bootstrap(n_resamples=300)
    assert check != found.bootstrap(n_resamples=300, rng=1)
    assert check.names == ("m1", "m2", "m1 - m2")
    assert f"300 replicates, seed {check.seed}" in str(check)
    assert check.to_records()[0]["name"] == "m1"
    assert all(low < value < high for low, value, high in zip(check.low, check.value, check.high, strict=True))
    # each reader calls one case of his own
    data = simulated()
    data["rating"] = np.where(data["case"] == 3, 9.0, data["rating"])
    with pytest.raises(InsufficientDataError, match=r"is undefined on \d+ of 50 replicates"):
        study(data, "ppv@rating>=9", nested="cases in readers").bootstrap(n_resamples=50)


def test_replicates_that_are_alike_give_no_interval() -> None:
    data = simulated()
    data["rating"] = data["truth"] * 5.0 + data["case"] % 3
    check = study(data).bootstrap(n_resamples=50)
    assert (check.value, check.standard_error) == ((1.0, 1.0, 0.0), (0.0, 0.0, 0.0))
    assert np.isnan([*check.low, *check.high]).all()
    assert "[" not in str(check)
    assert "'m1', 'm2', 'm1 - m2' did not vary in the replicates" in str(check)
    assert check.to_records()[0]["low"] is None


# ---- outputs


def test_every_format_has_the_numbers() -> None:
    options = {"baseline": "m1", "margin": 0.05}
    found = study(simulated(modalities=3), ["auc", "sensitivity@rating>=1"], **options)
    text = str(found)
    assert (
        "4 readers (1, 2, 3 and 4), 3 modalities (m1, m2 and m3), 70 cases, 30 positive (42.9%), 840 readings" in text
    )
    assert "readers and cases random; every reader reads every case; case-control design" in text
    assert "p of non-inferiority" in text
    difference = found["auc"].differences[0]
    shown = rows.number(difference.value)
    for form in (text, found.to_markdown(), found.to_latex(), found._repr_html_()):
        assert shown in form
        assert "sensitivity" in form
    frame = found.to_frame(backend="pandas")
    own = frame[(frame["part"] == "difference") & (frame["metric"] == "auc")].iloc[0]
    assert (own["modality"], own["versus"]) == ("m2", "m1")
    assert own["value"] == difference.value
    assert own["margin_pvalue"] == difference.margin_pvalue
    assert frame["degrees_of_freedom"].dtype == float
    assert set(frame["part"]) == {"value", "mean", "difference", "reader difference", "equality", "component"}
    assert frame.shape == found.to_frame(backend="polars").shape
    read = pd.read_csv(io.StringIO(found.to_csv()))
    np.testing.assert_allclose(read["value"], frame["value"], rtol=1e-12)  # pandas 2 reads a digit less
    content = json.loads(found.to_json())
    assert len(content["numbers"]) == len(frame)
    assert content["n_pos"] == 30
    assert content["margin"] == 0.05
    # of a fixed reader degrees of freedom are infinite
    assert json.loads(study(simulated(), random="cases").to_json())["numbers"][8]["degrees_of_freedom"] == "inf"


def test_caveats_are_told() -> None:
    data = simulated(readers=3, sizes=(10, 10))
    perfect = data | {"rating": np.where(data["reader"] == 1, data["truth"], data["rating"])}
    notes = study(perfect).notes()
    assert any("no error over cases was observed of 'reader 1, modality m1'" in note for note in notes)
    assert any("fewer than 4 readers" in note for note in notes)
    wide = study(perfect, scale="identity").notes()
    assert any("an interval of a mean ends outside of the range" in note for note in wide)
    assert not any("ends outside of the range" in note for note in notes)
    alike = data | {"rating": data["rating"].reshape(6, -1)[[0, 1, 2, 0, 1, 2]].ravel()}
    assert any("because nothing varies: p is 1 of no difference" in note for note in study(alike).notes())


def test_its_size_is_told() -> None:
    found = study(simulated(), ["auc", "ap"])
    assert repr(found) == "<ReaderStudy of 4 readers, 2 modalities and 70 cases by auc and ap>"
    assert len(found) == 2
    assert [str(one.metric) for one in found] == ["auc", "ap"]


# ---- bad input: one sentence each


def changed(name: str, row: int, value: Any, dtype: Any = None) -> Columns:
    data = simulated(ordinal=True)
    column = data[name].astype(dtype or data[name].dtype)
    column[row] = value
    return data | {name: column}


def without(row: int) -> Columns:
    return {name: np.delete(column, row) for name, column in simulated().items()}


BAD: dict[str, tuple[Callable[[], Any], type[HitcurveError], str]] = {
    "missing reading": (
        lambda: study(without(3)),
        MissingValueError,
        r"1 of 560 readings are missing \(1 of reader 1, modality m1\): leave these cases out, or pass",
    ),
    "missing rating": (lambda: study(changed("rating", 3, np.nan)), MissingValueError, "1 of 560 readings are missing"),
    "missing truth": (
        lambda: study(changed("truth", 3, np.nan, float)),
        MissingValueError,
        "1 of 560 truths are missing",
    ),
    "missing reader": (
        lambda: study(changed("reader", 3, None, object)),
        MissingValueError,
        "1 of 560 readers are missing: every reading needs a reader",
    ),
    "truth differs": (
        lambda: study(changed("truth", 3, 0)),
        LabelError,
        "truth of case 3 differs between its readings: 0 and 1",
    ),
    "text": (lambda: study(changed("rating", 3, "high", object)), ScoreError, "must be real numbers.*'high'|such as"),
    "duplicates": (
        lambda: study({n: np.concatenate([c, c[:2]]) for n, c in simulated().items()}),
        InputError,
        r"reader 1 rated case 0 with modality m1 2 times \(1 more are repeated\)",
    ),
    "one reader": (
        lambda: study(simulated(readers=1)),
        InsufficientDataError,
        r"one reader shows nothing of how readers vary: pass random='cases'",
    ),
    "one class": (lambda: study(simulated() | {"truth": np.ones(560, int)}), SingleClassError, "no negative"),
    "one class of a reader": (
        lambda: study(
            {n: c[(simulated()["reader"] > 1) | (simulated()["truth"] == 1)] for n, c in simulated().items()},
            covariance="unbiased",
        ),
        UndefinedMetricError,
        "reader 1, modality m1: no negative case was read",
    ),
    "one case of a class": (
        lambda: study(simulated(sizes=(1, 20))),
        InsufficientDataError,
        "reader 1, modality m1: one positive case was read",
    ),
    "cluster differs": (
        lambda: study(simulated() | {"cluster": np.arange(560)}, clusters="cluster"),
        InputError,
        "the cluster of case 0 differs between its readings",
    ),
    "one cluster": (
        lambda: study(simulated() | {"cluster": np.ones(560)}, clusters="cluster"),
        InsufficientDataError,
        "only one cluster",
    ),
    "no column": (
        lambda: study(simulated(), case="cases"),
        ColumnNotFoundError,
        "no column 'cases'; did you mean 'case'",
    ),
    "no reader": (lambda: study(simulated(), reader=None), ParameterError, "give the reader of each reading"),
    "names without data": (lambda: study(None), ParameterError, "truth='truth' is the name of a column"),
    "lengths": (
        lambda: hc.evaluate_readers([1, 0], [1.0, 2.0], reader=[1, 1], case=[1]),
        LengthMismatchError,
        "rating has 2, truth has 2, reader has 2, case has 1",
    ),
    "unbiased ap": (lambda: study(simulated(), "ap", covariance="unbiased"), ParameterError, "is for auc and for"),
    "cohort of delong": (
        lambda: study(simulated(), covariance="delong", design="cohort"),
        ParameterError,
        "covariance='delong' is that of design='case-control'",
    ),
    "jackknife of a cut": (
        lambda: study(simulated(), "tpr@fpr=20%", covariance="jackknife"),
        ParameterError,
        "is not for tpr@fpr=20%, whose cut jumps",
    ),
    "unbiased of clusters": (
        lambda: study(simulated(), covariance="unbiased", clusters="case"),
        ParameterError,
        "is of independent cases and cannot be combined with clusters",
    ),
    "percent as a margin": (
        lambda: study(simulated(), ["ef@10%", "auc"], margin=5, baseline="m1"),
        ParameterError,
        "margin=5 is not on the scale of auc, whose values differ by less than 1: 5 points of 100 are 0.05",
    ),
    "scale": (lambda: study(simulated(), scale="log"), ParameterError, "scale must be"),
    "no randomness": (lambda: study(simulated(), random=()), ParameterError, "with neither nothing varies"),
    "random": (lambda: study(simulated(), random="reader"), ParameterError, "did you mean 'readers'"),
    "nested": (lambda: study(simulated(), nested="cases"), ParameterError, "nested must be one of"),
    "baseline": (
        lambda: study(simulated(), baseline="m3"),
        ColumnNotFoundError,
        "baseline 'm3' is no modality; modalities are 'm1', 'm2'",
    ),
    "margin without baseline": (lambda: study(simulated(), margin=0.1), ParameterError, "needs the modality that"),
    "margin of nothing": (lambda: study(simulated(), margin=0, baseline="m1"), ParameterError, "above 0"),
    "hypothesis without margin": (
        lambda: study(simulated(), hypothesis="equivalence"),
        ParameterError,
        "needs a margin",
    ),
    "point": (lambda: study(simulated(), "sensitivity@rating=3"), MetricParseError, "is written sensitivity@rating>=3"),
    "point of nothing": (lambda: study(simulated(), "ef@rating>=3"), MetricParseError, "no quantity 'ef'"),
    "no number": (lambda: study(simulated(), "ppv@rating>=x"), MetricParseError, "no finite number"),
    "nobody called": (
        lambda: study(simulated(), "ppv@rating>=99"),
        UndefinedMetricError,
        "reader 1, modality m1: ppv@rating>=99 is undefined: no case is called positive",
    ),
    "not evaluated": (lambda: study(simulated())["ap"], ParameterError, "ap was not evaluated; metrics are auc"),
    "waits for the last": (
        lambda: study(simulated(), "wss@100%"),
        InsufficientDataError,
        "reader 1, modality m1: .*rank of the last",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence(case: str) -> None:
    call, error, message = BAD[case]
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


# ---- names


def test_columns_follow_their_index() -> None:
    """Series of one index are one table, in whatever order; of other indexes they are refused."""
    data = pd.DataFrame(simulated()).set_index(np.arange(560) + 1000)
    turned = data.sample(frac=1, random_state=0)
    names = {"reader": data["reader"], "modality": turned["modality"], "case": data["case"]}
    with pytest.warns(AlignmentWarning, match="rating and modality put in the order of truth by the index"):
        found = hc.evaluate_readers(data["truth"], turned["rating"], **names)
    np.testing.assert_array_equal(found["auc"].value, study(simulated())["auc"].value)
    with pytest.raises(InputError, match="truth and rating have different indexes"):
        hc.evaluate_readers(data["truth"], data["rating"].set_axis(range(560)[::-1]), **names)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_ordered_categories_stay_in_order(kind: str) -> None:
    data, order = simulated(modalities=3), ["m2", "m3", "m1"]
    frame: Any = pd.DataFrame(data).assign(modality=pd.Categorical(data["modality"], order, ordered=True))
    if kind == "polars":
        frame = pl.DataFrame(data).with_columns(pl.col("modality").cast(pl.Enum(order)))
    found = study(frame)
    assert found.modalities == tuple(order)
    assert [(one.first, one.second) for one in found["auc"].differences] == [("m2", "m3"), ("m2", "m1"), ("m3", "m1")]
    plain = {one.modality: one for one in study(data)["auc"].means}
    assert all(one == plain[one.modality] for one in found["auc"].means)
    loose = study(pd.DataFrame(data).assign(modality=pd.Categorical(data["modality"], order)))
    assert loose.modalities == ("m1", "m2", "m3")


@pytest.mark.parametrize(
    ("nested", "text"),
    [
        ("cases in readers", "all names of cases occur in all readers, each with one truth"),
        ("cases in modalities", "all names of cases occur in all modalities, each with one truth"),
        ("readers in modalities", "all names of readers occur in all modalities"),
    ],
)
def test_nesting_of_crossed_names_is_said(nested: str, text: str) -> None:
    found = study(simulated(), nested=nested)
    assert any(text in note for note in found.notes())
    assert any(text in note for note in found.to_dict()["notes"])
    data = simulated()
    own = data["case"] if nested == "cases in readers" else data["reader"]
    whole = own.astype(str)
    outer = data["reader"].astype(str) if nested == "cases in readers" else data["modality"]
    named = np.char.add(np.char.add(whole, " of "), outer.astype(str))
    if nested != "cases in modalities":
        column = "case" if nested == "cases in readers" else "reader"
        alone = study(data | {column: named}, nested=nested)
        assert not alone.readings.notes
        assert alone["auc"].differences[0].standard_error == found["auc"].differences[0].standard_error
        # some names in two places
        some = study(data | {column: np.where(own == own[0], own.astype(str), named)}, nested=nested)
        assert any("1 of " in note and "occur in several" in note for note in some.readings.notes)


def test_names_that_are_rows_or_nothing() -> None:
    data = simulated()
    names = np.where(data["reader"] == 1, "mean", data["reader"].astype(str))
    text = str(study(data | {"reader": names}))
    assert "\nmean of readers  " in text
    assert "\nmean             " in text
    for blank in ("", " "):
        nameless = np.where(data["reader"] == 1, blank, data["reader"].astype(str))
        with pytest.raises(MissingValueError, match="140 of 560 readers are blank: every reading needs a reader"):
            study(data | {"reader": nameless})
    with pytest.raises(InputError, match="or name the column of the modalities"):
        study(data, modality=None)


def test_infinite_and_large_ratings_are_numbers() -> None:
    """They are ranked; whole numbers that floats do not keep apart are refused."""
    data = simulated()
    top = np.where(data["rating"] > 2, np.inf, data["rating"])
    same = np.where(data["rating"] > 2, 9.0, data["rating"])
    forms = ["auc", "sensitivity@rating>=1"]
    both = [study(data | {"rating": rating}, forms) for rating in (top, same, 1e30 * data["rating"])]
    for form in forms:
        np.testing.assert_array_equal(both[0][form].value, both[1][form].value)
    np.testing.assert_allclose(both[2]["auc"].value, study(data)["auc"].value)
    with pytest.raises(ScoreError, match="whole numbers beyond 2"):
        study(data | {"rating": np.round(data["rating"]).astype(np.int64) + 2**60})
