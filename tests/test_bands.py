"""Confidence bands of whole curves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import hitcurve as hc
from hitcurve import Band, HitTable, smooth_precision_recall, smooth_roc
from hitcurve.curve import KINDS
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.bands import CURVES, METHODS
from hitcurve.inference.bands.free import local_level
from hitcurve.inference.bands.limits import accumulation_process, bridge, roc_process
from hitcurve.inference.bands.options import CENTRINGS
from hitcurve.inference.bands.smooth import auto_importance, bandwidth, positives_of_replicates, smooth
from hitcurve.inference.resampling.resample import seed_of
from hitcurve.inference.variance.influence import influence

SHIFT = 1.5


def sample(seed: int, n1: int = 50, n0: int = 450, shift: float = SHIFT) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n1, n0])
    return y, rng.normal(size=n1 + n0) + shift * y


Y, S = sample(0)


def band(*data: Any, **options: Any) -> Band:
    """Return a band of one seed, whatever the data."""
    return hc.band(*data, **{"rng": 0, **options})


def difference_band(*data: Any, **options: Any) -> Band:
    """Return a band of a difference, of one seed."""
    return hc.difference_band(*data, **{"rng": 0, **options})


def coverage_of(method: str) -> str:
    return "pointwise" if method == "studentized-smoothed" else "simultaneous"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("curve", CURVES)
def test_every_method_bounds_every_curve(method: str, curve: str) -> None:
    b = band(Y, S, curve=curve, method=method, coverage=coverage_of(method), n_resamples=100)
    assert np.all(np.diff(b.x) > 0)
    assert np.all(b.low.y <= b.high.y)
    assert np.all(np.isfinite(b.low.y) & np.isfinite(b.high.y))
    assert np.any(b.high.y - b.low.y > 0.01)
    if curve != "lift":
        assert np.all((b.low.y >= 0) & (b.high.y <= 1))
    if not method.startswith(("smoothed", "studentized")):  # those are centred at the smoothed curve
        assert np.all((b.low.y <= b.center.y + 1e-12) & (b.center.y <= b.high.y + 1e-12))
        table = HitTable.from_scores(Y, S)
        points, heights = b.x[1:-1], b.center.y[1:-1]
        np.testing.assert_allclose(heights, table.curve(curve).at(points), atol=1e-9)
    assert f"{coverage_of(method)} band" in str(b)


@pytest.mark.parametrize("method", METHODS)
def test_same_seed_same_bits_and_another_seed_another_band(method: str) -> None:
    def of(rng: Any) -> Any:
        return band(Y, S, curve="roc", method=method, coverage=coverage_of(method), n_resamples=200, rng=rng)

    np.testing.assert_array_equal(of(3).low.y, of(3).low.y)
    np.testing.assert_array_equal(of(3).low.y, of(np.random.default_rng(3)).low.y)
    if method != "distribution-free":
        assert not np.array_equal(of(3).low.y, of(4).low.y)


@pytest.mark.parametrize("method", ["influence", "bootstrap", "distribution-free"])
@pytest.mark.parametrize("curve", CURVES)
def test_a_collapsed_table_gives_the_same_band(method: str, curve: str) -> None:
    table = HitTable.from_scores(Y, S)
    options: dict[str, Any] = {"curve": curve, "method": method, "n_resamples": 200}
    np.testing.assert_allclose(band(table, **options).low.y, band(table.collapse(), **options).low.y, atol=1e-12)


def test_monotone_maps_of_the_scores_change_nothing() -> None:
    for curve in CURVES:
        np.testing.assert_array_equal(
            band(Y, S, curve=curve).high.y, band(Y, np.exp(S), curve=curve, n_resamples=None).high.y
        )


def test_a_higher_level_is_wider_and_simultaneous_is_wider_than_pointwise() -> None:
    for curve in CURVES:
        widths = [band(Y, S, curve=curve, confidence_level=level).mean_width for level in (0.8, 0.9, 0.95, 0.99)]
        assert widths == sorted(widths)
        assert band(Y, S, curve=curve, coverage="pointwise").mean_width < widths[2]


def test_more_subjects_narrow_the_band() -> None:
    large = sample(1, 500, 4500)
    for curve in CURVES:
        x_range = (-1.0, -0.05) if KINDS[curve].picture.x_scale == "log10" else (0.1, 0.9)
        few, many = (band(*data, curve=curve, x_range=x_range).mean_width for data in ((Y, S), large))
        assert many < 0.6 * few


# ---- the process


def test_bridges_have_the_covariance_of_bridges() -> None:
    times = np.array([0.1, 0.3, 0.5, 0.9])
    draws = bridge(times, 40_000, np.random.default_rng(0))
    expected = np.minimum.outer(times, times) - np.outer(times, times)
    np.testing.assert_allclose(np.cov(draws.T), expected, atol=0.01)


@pytest.mark.parametrize("place", [0.05, 0.2, 0.5])
def test_the_variance_is_that_of_the_metric_at_the_point(place: float) -> None:
    """Two roads: the process of the curve, and the influence values of the cut."""
    table = HitTable.from_scores(*sample(2, 400, 3600))
    at = accumulation_process(table, np.array([place]), sampled=True)
    metric = hc.metric(f"recall@{100 * place:g}%(cut=fractional)")
    other = influence(metric, table.counts, "cohort").variance(table.sums)
    assert at.variance[0] == pytest.approx(other, rel=0.15)
    at = roc_process(table, np.array([place]))
    metric = hc.metric(f"roc_enrichment@{100 * place:g}%")
    other = influence(metric, table.counts, "cohort").variance(table.sums) * place**2
    assert at.variance[0] == pytest.approx(other, rel=0.15)


def test_equal_local_levels_hold_together() -> None:
    n, level = 60, 0.95
    eta = local_level(n, level)
    from scipy.special import betainc

    rng = np.random.default_rng(1)
    u = np.sort(rng.random((4000, n)), axis=1)
    tail = betainc(np.arange(1, n + 1), n - np.arange(n), u)
    inside = np.all((tail >= eta / 2) & (tail <= 1 - eta / 2), axis=1).mean()
    assert inside == pytest.approx(level, abs=0.012)


# ---- smoothing


def test_smoothed_curves_estimate_the_truth() -> None:
    y, s = sample(3, 4000, 16_000)
    x = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(smooth_roc(y, s).at(x), norm.cdf(norm.ppf(x) + SHIFT), atol=0.02)
    fpr = norm.sf(norm.isf(x) + SHIFT)
    truth = 0.2 * x / (0.2 * x + 0.8 * fpr)
    np.testing.assert_allclose(smooth_precision_recall(y, s).at(x), truth, atol=0.03)
    assert smooth_roc(y, s, kernel="uniform").at(0.2) == pytest.approx(smooth_roc(y, s).at(0.2), abs=0.02)
    assert smooth_roc(y, s, bandwidth="theorem").at(0.2) == pytest.approx(norm.cdf(norm.ppf(0.2) + SHIFT), abs=0.02)


def test_smoothing_is_a_mean_of_kernels() -> None:
    score, pos, neg = np.array([3.0, 2.0, 1.0, 0.0]), np.array([2, 1, 1, 0]), np.array([0, 1, 3, 4])
    smoothed = smooth(score, pos, neg, rule=0.5)
    for threshold in (0.3, 1.4, 2.2):
        tpr = np.sum(pos * norm.sf((threshold - score) / 0.5)) / 4
        fpr = np.sum(neg * norm.sf((threshold - score) / 0.5)) / 8
        assert smoothed.roc(np.array(fpr)) == pytest.approx(tpr, abs=2e-4)


def test_replicates_of_the_smoothed_bootstrap_have_its_law() -> None:
    """Two roads: order statistics from spacings, and subjects with noise, sorted."""
    from hitcurve.inference.bands.smooth import bandwidth, draw_curves

    y, s = sample(4, 40, 160)
    table = HitTable.from_scores(y, s)
    assert table.score is not None
    smoothed = smooth(table.score, table.pos, table.neg)
    x = np.array([0.1, 0.3, 0.6])
    rng = np.random.default_rng(0)
    drawn = draw_curves(smoothed, x, "roc", (40, 160), 3000, known=0.2, importance=None, rng=rng).values
    h1, h0 = (bandwidth(part, np.ones(part.size), part.size, "n^-1/5") for part in (s[y == 1], s[y == 0]))
    slow = []
    for _ in range(3000):
        pos = rng.choice(s[y == 1], 40) + h1 * rng.normal(size=40)
        neg = np.sort(rng.choice(s[y == 0], 160) + h0 * rng.normal(size=160))[::-1]
        slow.append([np.mean(pos > neg[int(np.ceil(160 * a)) - 1]) for a in x])
    np.testing.assert_allclose(drawn.mean(axis=0), np.mean(slow, axis=0), atol=0.01)
    np.testing.assert_allclose(drawn.std(axis=0), np.std(slow, axis=0), rtol=0.08)


@pytest.mark.slow
def test_importance_weights_are_those_of_theory() -> None:
    n, pi = 1000, 0.02
    for p, share in ((0.03, 0.03), (0.02, 1.0)):
        _, log_weights = positives_of_replicates(n, pi, 2_000_000, p, np.random.default_rng(0))
        w = np.exp(log_weights)
        found = w.sum() ** 2 / np.sum(w**2) / w.size
        exact = (pi**2 / p + (1 - pi) ** 2 / (1 - p)) ** -n
        assert found == pytest.approx(exact, rel=0.25)
        assert exact == pytest.approx(share, abs=0.01)
    assert auto_importance(n, pi) == pytest.approx(pi, rel=1e-3)
    poor = band(Y, S, method="smoothed-bootstrap", importance=0.3, n_resamples=200)
    assert poor.effective_sample_size is not None
    assert poor.effective_sample_size < 20
    assert "importance" in str(poor.cautions)
    assert band(Y, S, method="smoothed-bootstrap", n_resamples=200).effective_sample_size is None


@pytest.mark.slow
def test_algorithm_1_as_printed_takes_deviations_from_the_empirical_curve() -> None:
    """By its steps with the noise of Remark 4, sharing no code: radius and centre."""
    y, s = sample(5, 200, 800)
    x, h, resamples = np.linspace(0.1, 0.9, 81), 0.5, 1500
    options: dict[str, Any] = {"method": "smoothed-bootstrap", "bandwidth": h, "x_range": (0.1, 0.9)}
    bands = {how: band(y, s, centring=how, n_resamples=resamples, **options) for how in CENTRINGS}

    def curve(labels: Any, scores: Any) -> Any:
        order = np.argsort(-scores)
        recall = np.cumsum(labels[order]) / labels.sum()
        place = np.searchsorted(recall, x - 1e-12)
        return recall[place] * labels.sum() / (place + 1) * x / recall[place]

    rng = np.random.default_rng(8)
    around, off = curve(y, s), []
    for _ in range(resamples):
        chosen = rng.integers(y.size, size=y.size)
        off.append(np.max(np.abs(curve(y[chosen], s[chosen] + h * rng.standard_normal(y.size)) - around)))
    radius = {how: float(np.max(b.center.at(x) - b.low.at(x))) for how, b in bands.items()}
    assert radius["printed"] == pytest.approx(np.quantile(off, 0.95), rel=0.06)
    assert radius["printed"] > 1.2 * radius["smoothed"]
    assert radius["empirical"] == pytest.approx(radius["smoothed"])
    np.testing.assert_allclose(bands["printed"].center.at(x), bands["empirical"].center.at(x))
    assert np.max(np.abs(bands["printed"].center.at(x) - around)) < 0.02


def test_both_bandwidths_of_theorem_2_are_named() -> None:
    scores, weights = np.arange(1000.0), np.ones(1000)
    classic, under, printed = (bandwidth(scores, weights, 1000, rule) for rule in ("n^-1/5", "theorem", "printed"))
    assert under / classic == pytest.approx(math.log(1000) ** -0.42)
    assert printed / classic == pytest.approx(math.log(1000) ** -2.1)


@pytest.mark.slow
def test_smoothed_replicates_have_the_deviations_of_samples() -> None:
    """Pointwise, in its own terms: half the width is about 1.96 standard deviations of the curve over samples."""
    x = np.array([0.2, 0.5])
    for curve in ("roc", "precision_recall"):
        samples = [HitTable.from_scores(*sample(seed, 200, 800)).curve(curve).at(x) for seed in range(100, 400)]
        b = band(
            *sample(0, 200, 800),
            curve=curve,
            coverage="pointwise",
            method="studentized-smoothed",
            design="case-control",
        )
        half = (b.high.at(x) - b.low.at(x)) / 2
        np.testing.assert_allclose(half, 1.96 * np.std(samples, axis=0), rtol=0.25)


def test_at_a_low_prevalence_rates_are_fpr() -> None:
    """Then nearly all subjects are negatives, and TPR over the rate is TPR over FPR."""
    rare = {
        method: band(Y, S, curve="accumulation", method=method, prevalence=1e-6, x_range=(0.05, 0.5))
        for method in ("influence", "bootstrap", "smoothed-bootstrap", "distribution-free")
    }
    for method, b in rare.items():
        roc = band(Y, S, curve="roc", method=method, design="case-control", x_range=(0.05, 0.5))
        x = np.linspace(0.05, 0.5, 10)
        np.testing.assert_allclose(b.center.at(x), roc.center.at(x), atol=0.03)
        assert b.mean_width == pytest.approx(roc.mean_width, rel=0.08)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("curve", CURVES)
def test_where_the_prevalence_is_known_no_more_are_found_than_there_are(method: str, curve: str) -> None:
    table = HitTable.from_scores(Y, S).at_prevalence(0.02)
    b = band(table, curve=curve, method=method, coverage=coverage_of(method), n_resamples=100)
    assert b.design == "case-control"
    assert np.all(np.isfinite(b.low.y) & np.isfinite(b.high.y))
    if curve in ("hit", "accumulation", "lift"):
        scale = {"hit": 1.0, "accumulation": 1 / 0.02, "lift": 1 / 0.02}[curve]
        most = (b.x if curve != "lift" else np.ones_like(b.x)) * scale
        assert np.all(b.high.y <= most * (1 + 1e-9))
        found = b.low.y * (b.x if curve == "lift" else 1) / scale  # in subjects, as a share of all
        assert np.all(0.02 - found <= 1 - b.x + 1e-9)


# ---- coverage: a seed-fixed slice of the study in validation/


@pytest.mark.slow
@pytest.mark.parametrize(("curve", "least"), [("precision_recall", 0.90), ("roc", 0.90), ("accumulation", 0.90)])
def test_the_default_covers(curve: str, least: float) -> None:
    t = np.linspace(-6, 8, 8001)
    P, Q = norm.sf(t - SHIFT)[::-1], norm.sf(t)[::-1]
    pi = 0.2
    covered = 0
    for seed in range(150):
        rng = np.random.default_rng([7, seed])
        n1 = rng.binomial(250, pi)
        b = band(*sample(seed, n1, 250 - n1), curve=curve, x_range=(0.1, 0.9), n_resamples=200, rng=seed)
        x = np.linspace(0.1, 0.9, 17)
        if curve == "precision_recall":
            fpr = np.interp(x, P, Q)
            truth = pi * x / (pi * x + (1 - pi) * fpr)
        else:
            truth = np.interp(x, Q if curve == "roc" else pi * P + (1 - pi) * Q, P)
        covered += bool(np.all((b.low.at(x) <= truth) & (truth <= b.high.at(x))))
    assert covered / 150 >= least - 3 * math.sqrt(0.95 * 0.05 / 150)


# ---- differences


def test_identical_rankers_differ_nowhere_and_the_band_has_width() -> None:
    b = difference_band(Y, S, S)
    assert np.all(b.center.y == 0)
    assert b.excludes() == []
    assert b.mean_width > 0


@pytest.mark.parametrize("curve", ["accumulation", "roc"])
def test_swapping_the_rankers_mirrors_the_band(curve: str) -> None:
    other = S + np.random.default_rng(9).normal(size=S.size)
    there, back = (difference_band(Y, a, b, curve=curve) for a, b in ((S, other), (other, S)))
    np.testing.assert_allclose(there.low.y, -back.high.y, atol=1e-9)
    np.testing.assert_allclose(there.center.y, -back.center.y, atol=1e-12)


def test_a_clear_difference_is_found_and_correlation_narrows() -> None:
    y, s = sample(5, 200, 1800, 2.0)
    noise = np.random.default_rng(6).normal(size=s.size)
    near, far = s + 0.3 * noise, np.random.default_rng(7).normal(size=s.size) + 0.3 * y
    assert difference_band(y, s, near).mean_width < 0.75 * difference_band(y, s, far).mean_width
    ranges = difference_band(y, s, far).excludes()
    assert ranges
    assert ranges[-1][1] == pytest.approx(0.5)


def test_bands_of_an_evaluation() -> None:
    ev = hc.evaluate(Y, {"a": S, "b": -S}, metrics="auc", higher_is_better={"b": False})
    np.testing.assert_allclose(ev.band("a", "roc", rng=0).low.y, band(Y, S, curve="roc").low.y, atol=1e-12)
    assert ev.difference_band("a", "b").excludes() == []
    assert ev.band("a", "hit").to_frame(backend="pandas").columns.tolist() == ["x", "value", "low", "high"]


@pytest.mark.slow
def test_bands_of_clusters_draw_whole_clusters() -> None:
    """Rows that are there twice have the band of the rows once; in any order, under any names of clusters."""
    once = hc.evaluate(Y, {"a": S, "b": 2 * S + np.sin(9 * S)}, metrics="auc", clusters=np.arange(Y.size))
    names = np.char.add("c", np.random.default_rng(0).permutation(Y.size).astype(str))
    order = np.random.default_rng(1).permutation(2 * Y.size)
    both = {name: np.tile(once.source.block.scores[name], 2)[order] for name in "ab"}  # type: ignore[union-attr]
    twice = hc.evaluate(np.tile(Y, 2)[order], both, metrics="auc", clusters=np.tile(names, 2)[order])
    for curve in ("roc", "precision_recall", "accumulation"):
        alone, found = (ev.band("a", curve, rng=0, x_range=(0.1, 0.9)) for ev in (once, twice))
        assert found.method == "bootstrap"
        assert np.mean(found.high.y - found.low.y) == pytest.approx(np.mean(alone.high.y - alone.low.y), rel=0.06)
        assert np.all(found.low.y <= found.center.y)
    alone, found = (ev.difference_band("a", "b", rng=0) for ev in (once, twice))
    assert np.mean(found.high.y - found.low.y) == pytest.approx(np.mean(alone.high.y - alone.low.y), rel=0.08)
    assert str(twice.band("a", "roc")) == str(twice.band("a", "roc"))


def test_bands_of_clusters_say_what_they_are_not() -> None:
    ev = hc.evaluate(Y, {"a": S, "b": 2 * S}, metrics="auc", clusters=np.arange(Y.size) // 5)
    with pytest.raises(ParameterError, match="draw whole clusters"):
        ev.band("a", "roc", method="region")
    with pytest.raises(ParameterError, match="a band of clusters is simultaneous"):
        ev.band("a", "roc", coverage="pointwise")
    with pytest.raises(ParameterError, match="holds none: keep the data"):
        ev.without_data().band("a", "roc")
    few = hc.evaluate(Y, {"a": S}, metrics="auc", clusters=np.arange(Y.size) % 4)
    with pytest.raises(InsufficientDataError, match="a band needs at least 5"):
        few.band("a", "roc")


def test_bands_of_weights_are_refused() -> None:
    table = HitTable.from_scores(Y, S, sample_weight=np.linspace(0.5, 1.5, Y.size))
    with pytest.raises(UndefinedMetricError, match="weights"):
        band(table)


def test_contains() -> None:
    b = band(Y, S, curve="roc")
    assert b.contains(hc.roc_curve(HitTable.from_scores(Y, S)))
    assert not b.contains(hc.roc_curve(HitTable.from_scores(Y, -S)))
    with pytest.raises(ParameterError, match="does not hold"):
        b.contains(hc.lift_curve(HitTable.from_scores(Y, S)))


def test_a_band_of_a_magnified_curve_knows_its_magnification() -> None:
    table, f = HitTable.from_scores(Y, S), hc.magnify.Exponential(20)
    for kind, of in (("croc", hc.croc_curve), ("cac", hc.cac_curve)):
        b = band(Y, S, curve=kind, magnification=f)
        assert b.magnification == f
        assert repr(f) in str(b)
        assert b.contains(of(table, magnification=f))
        for other in (of(table), of(table, magnification=f, y_magnification=f)):
            with pytest.raises(ParameterError, match="does not hold"):
                b.contains(other)
        flat = band(Y, S, curve=kind, magnification=hc.magnify.Window(0.1, 0.3))
        assert flat.contains(of(table, magnification=hc.magnify.Window(0.1, 0.3)))
    assert band(Y, S, curve="croc").magnification == hc.magnify.Exponential(7)
    assert band(Y, S, curve="roc").magnification is None


# ---- from one kind of curve to another


@pytest.mark.parametrize("method", METHODS)
def test_a_det_band_is_the_roc_band_upside_down(method: str) -> None:
    roc, det = (
        band(Y, S, curve=curve, method=method, coverage=coverage_of(method), n_resamples=100)
        for curve in ("roc", "det")
    )
    np.testing.assert_array_equal(det.x, roc.x)
    np.testing.assert_allclose(det.low.y, 1 - roc.high.y, atol=1e-15)
    np.testing.assert_allclose(det.high.y, 1 - roc.low.y, atol=1e-15)
    if method != "smoothed-bootstrap" and method != "studentized-smoothed":
        assert det.contains(HitTable.from_scores(Y, S).curve("det"))


@pytest.mark.parametrize(
    ("curve", "straight"), [("proc", "roc"), ("pac", "accumulation"), ("rate_recall", "accumulation")]
)
def test_another_axis_is_another_axis_of_the_same_band(curve: str, straight: str) -> None:
    one, other = (band(Y, S, curve=name) for name in (curve, straight))
    np.testing.assert_allclose(one.low.y, other.low.y, atol=1e-15)
    x = other.x if curve == "rate_recall" else np.log10(np.maximum(other.x, 0.5 / Y.size if curve == "proc" else 0))
    np.testing.assert_allclose(one.x, x, atol=1e-12)


def test_a_range_is_in_units_of_the_curve() -> None:
    b = band(Y, S, curve="proc", x_range=(-2, -0.5))
    assert (b.x[0], b.x[-1]) == pytest.approx((-2, -0.5))
    with pytest.raises(ParameterError, match=r"inside \[-3, 0\]"):
        band(Y, S, curve="proc", x_range=(0.1, 0.9))


def test_gains_have_no_band() -> None:
    with pytest.raises(ParameterError, match="no band of the prg curve: leave it out, or take one of hit"):
        band(Y, S, curve="prg")


# ---- seeds


def test_without_a_seed_the_counts_are_the_seed() -> None:
    table = HitTable.from_scores(Y, S)
    one = hc.band(Y, S, curve="roc")
    assert one.seed is not None
    assert f"seed {one.seed}" in str(one)
    for data in ((Y, np.exp(S)), (table,), (table.collapse(),)):
        other = hc.band(*data, curve="roc")
        assert other.seed == one.seed
        np.testing.assert_allclose(other.low.y, one.low.y, atol=1e-15)
    np.testing.assert_array_equal(hc.band(table, curve="roc", rng=one.seed).low.y, one.low.y)
    assert hc.band(Y, -S, curve="roc").seed != one.seed
    assert hc.band(Y, S, curve="roc", rng=np.random.default_rng(1)).seed is None
    assert hc.band(Y, S, curve="roc", coverage="pointwise").seed is None
    assert hc.band(Y, S, curve="roc", method="distribution-free").seed is None


def test_a_difference_has_one_seed_whichever_comes_first() -> None:
    other = S + np.random.default_rng(9).normal(size=S.size)
    there, back = hc.difference_band(Y, S, other), hc.difference_band(Y, other, S)
    assert there.seed == back.seed
    assert f"seed {there.seed}" in str(there)
    np.testing.assert_allclose(there.low.y, -back.high.y, atol=1e-9)


def test_a_seed_is_the_same_on_every_machine() -> None:
    assert seed_of(HitTable.from_counts([3, 1], [0, 5])) == 2709397585


def test_a_difference_takes_no_options_of_one_curve() -> None:
    ev = hc.evaluate(Y, {"a": S, "b": -S}, metrics="auc", higher_is_better={"b": False})
    with pytest.raises(ParameterError, match="method is for the band of one curve"):
        ev.difference_band("a", "b", method="bootstrap")


# ---- bad input


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"curve": "rock"}, ParameterError, "'roc'"),
        ({"method": "dkw"}, ParameterError, "method"),
        ({"coverage": "both"}, ParameterError, "coverage"),
        ({"x_range": (0.5, 0.5)}, ParameterError, "x_range"),
        ({"x_range": (-0.1, 0.5)}, ParameterError, "x_range"),
        ({"x_range": (0.1, 1.5)}, ParameterError, "x_range"),
        ({"x_range": 3}, ParameterError, "x_range"),
        ({"confidence_level": 1.0}, ParameterError, "confidence_level"),
        ({"n_resamples": 0}, ParameterError, "n_resamples"),
        ({"curve": "roc", "magnification": hc.magnify.Exponential(7)}, ParameterError, "not magnified"),
        ({"method": "smoothed-bootstrap", "coverage": "pointwise"}, ParameterError, "simultaneous"),
        ({"method": "studentized-smoothed"}, ParameterError, "pointwise"),
        ({"method": "smoothed-bootstrap", "bandwidth": -1}, ParameterError, "bandwidth"),
        ({"method": "smoothed-bootstrap", "kernel": "cosine"}, ParameterError, "kernel"),
        ({"method": "smoothed-bootstrap", "importance": 1.0}, ParameterError, "importance"),
        ({"method": "smoothed-bootstrap", "importance": "auto", "prevalence": 0.1}, ParameterError, "case-control"),
        ({"kernel": "cosine"}, ParameterError, "kernel"),
        ({"bandwidth": "wide"}, ParameterError, "bandwidth"),
        ({"importance": "best"}, ParameterError, "importance"),
        ({"method": "distribution-free", "n_resamples": 0}, ParameterError, "n_resamples"),
        ({"curve": "croc", "magnification": 7}, ParameterError, "magnification must be"),
        ({"x_range": (0, 1e-9)}, ParameterError, "within one subject"),
        ({"x_range": (0, 1e-9), "curve": "roc"}, ParameterError, "within one subject"),
        ({"x_range": (0.9999, 1), "curve": "hit"}, ParameterError, "within one subject"),
        ({"x_range": ("0.1", "0.9")}, ParameterError, "must be a number"),
        ({"design": "cohort", "prevalence": 0.1}, ParameterError, "cohort"),
    ],
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        band(Y, S, **options)


def test_too_few_positives_say_what_is_possible() -> None:
    y, s = sample(0, 9, 100)
    with pytest.raises(InsufficientDataError, match="coverage='pointwise'"):
        band(y, s)
    assert band(y, s, coverage="pointwise").mean_width > 0
    with pytest.raises(InsufficientDataError):
        difference_band(y, s, s)


@pytest.mark.parametrize(("n1", "n0"), [(4, 50), (50, 4), (1, 1)])
def test_bands_need_five_of_either_class(n1: int, n0: int) -> None:
    y, s = sample(0, n1, n0)
    with pytest.raises(InsufficientDataError, match="too few" if n1 < 10 else "negatives"):
        band(y, s)
    with pytest.raises(InsufficientDataError, match="at least 5"):
        band(y, s, coverage="pointwise")
    with pytest.raises(InsufficientDataError):
        difference_band(y, s, -s)


def test_all_tied_has_no_band() -> None:
    tied = np.zeros(Y.size)
    for curve in CURVES:
        with pytest.raises(UndefinedMetricError, match="tied"):
            band(Y, tied, curve=curve)
    with pytest.raises(UndefinedMetricError, match="tied"):
        difference_band(Y, tied, tied)
    assert difference_band(Y, S, tied).mean_width > 0


def test_a_difference_band_needs_a_subject_in_its_range() -> None:
    for curve in ("accumulation", "roc"):
        with pytest.raises(ParameterError, match="within one subject"):
            difference_band(Y, S, -S, curve=curve, x_range=(0, 1e-9))


def test_a_class_whose_scores_are_all_equal_needs_a_bandwidth() -> None:
    flat = np.where(Y == 1, 0.5, S)
    with pytest.raises(ParameterError, match="no bandwidth"):
        band(Y, flat, method="smoothed-bootstrap")
    assert band(Y, flat, method="smoothed-bootstrap", bandwidth=0.1, n_resamples=50).mean_width > 0


def test_a_band_holds_curves() -> None:
    with pytest.raises(ParameterError, match="holds a Curve or a SampledCurve"):
        band(Y, S).contains(3)  # type: ignore[arg-type]


def test_smoothing_needs_scores() -> None:
    with pytest.raises(ParameterError, match="scores"):
        band(HitTable.from_counts([20, 10], [5, 50]), method="smoothed-bootstrap")
