"""The default interval of average precision: against loops, laws, and a slice of its coverage."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import expit, logit
from validation.populations import Population, sample
from validation.running import blocks, stacked

from hitcurve import HitTable, evaluate, metric
from hitcurve.counts import Counts
from hitcurve.errors import ParameterError
from hitcurve.inference.estimation.estimates import Estimates
from hitcurve.inference.intervals.interval import interval, intervals
from hitcurve.inference.intervals.near_ends import reaching
from hitcurve.inference.models import Places, end_model, paths
from hitcurve.inference.models.fiducial import Binormals, Levels, models_of
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.variance.spread import Spread
from tests.sampled import Sample, binormal, side_by_side

AP = metric("ap")
SAMPLES = {
    "no ties": binormal(20, 180, 1.5, seed=1),
    "levels": binormal(30, 50, 1.2, seed=2, levels=7),
    "few": binormal(6, 300, 2.0, seed=3),
    "mostly positive": binormal(60, 8, 1.0, seed=4),
    "perfect": Sample(np.arange(40) < 8, {"a": -np.arange(40.0)}),
    "reversed": Sample(np.arange(40) >= 32, {"a": -np.arange(40.0)}),
    "some ties": binormal(25, 300, 1.0, seed=5, levels=150),
    "all tied": Sample(np.arange(30) < 9, {"a": np.zeros(30)}),
}
each_sample = pytest.mark.parametrize("sample", SAMPLES.values(), ids=list(SAMPLES))
Floats = npt.NDArray[np.float64]


def made(sample: Sample) -> Spread:
    return Spread(AP, sample.table(), "cohort")


def ends(sample: Sample, level: float = 0.95, **more: Any) -> tuple[float, float]:
    return interval(made(sample), level, "end-model", **more)[0]


# ---- by loops


def precision(w: Floats) -> float:
    """Return average precision of rows, positives in w[0] and negatives in w[1]."""
    H = B = total = 0.0
    for p, q in w.T:
        H, B = H + p, B + q
        total += p * H / (H + B) if p else 0.0
    return total / H


def influence(w: Floats) -> Floats:
    """Return what a subject more in each row adds to average precision."""
    H, R = np.cumsum(w[0]), np.cumsum(w[0] + w[1])
    theta, out = precision(w), np.zeros_like(w)
    for j in range(w.shape[1]):
        out[0, j] = H[j] / R[j] - theta
        for k in range(j, w.shape[1]):
            out[0, j] += w[0, k] * (R[k] - H[k]) / R[k] ** 2
            out[1, j] -= w[0, k] * H[k] / R[k] ** 2
    return np.asarray(out / H[-1])


def step_along(w: Floats, length: float) -> Floats:
    g = influence(w)
    more = w * np.exp(length * g / math.sqrt(np.sum(w * g**2)))
    return np.asarray(more * w.sum() / more.sum())


def start(pos: Floats, neg: Floats) -> Floats:
    held = (pos + neg) > 0
    pos, neg = pos[held], neg[held]
    share = (pos + neg) / (pos + neg).sum()
    return np.stack([pos + share / 2, neg + share])


def length_to(pos: Floats, neg: Floats, target: float, step: float) -> float:
    """Return the signed length of the path, in small steps until it crosses the target."""
    w = start(pos, neg)
    at, length = logit(precision(w)), 0.0
    side = math.copysign(step, target - at)
    while abs(length) < 6:
        w = step_along(w, side)
        following = logit(precision(w))
        if (following - target) * side >= 0:
            return length + side * (target - at) / (following - at)
        at, length = following, length + side
    return length


def of_model(mean: float, spread: float, pi: float) -> float:
    """Return the logit of average precision of a binormal model by quadrature."""

    def share(x: float) -> float:
        hits, alarms = pi * stats.norm.sf(x), (1 - pi) * stats.norm.sf(mean + spread * x)
        return stats.norm.pdf(x) * hits / (hits + alarms)

    return float(logit(quad(share, -9, 9, limit=200, epsabs=1e-12)[0]))


def of_levels(p: Floats, q: Floats, pi: float) -> float:
    return float(logit(precision(np.stack([pi * p, (1 - pi) * q]))))


@pytest.mark.parametrize("name", ["no ties", "few", "levels"])
def test_the_interval_by_loops(name: str) -> None:
    """The same models and tables; everything that follows from them in loops and small steps."""
    sample, draws, step = SAMPLES[name], 50, 0.02
    spread = made(sample)
    apart, joined = (spread.lists.folded(negatives_join=join).counts for join in (False, True))
    rng = np.random.default_rng(5)
    models = models_of(apart, draws, rng)
    rows = models.draw(sample.y.size, rng)
    if isinstance(models, Binormals):
        true = [of_model(*one) for one in zip(models.mean, models.spread, models.prevalence, strict=True)]
    else:
        true = [of_levels(*one) for one in zip(models.positives, models.negatives, models.prevalence, strict=True)]
    s = np.array([length_to(rows.pos[:, b], rows.neg[:, b], true[b], step) for b in range(draws)])
    L = np.array(true)
    x = np.clip((L - L.mean()) / L.std(), -2.5, 2.5)
    middle = x.mean()
    x -= middle
    b, a = np.polyfit(x, s, 1)
    rest = s - a - b * x
    d = np.polyfit(x, np.log(np.maximum(np.abs(rest), 0.05)), 1)[0]
    level, n1 = 0.8, sample.y.sum()
    low, high = np.quantile(rest * np.exp(-d * x), [0.1, 0.9], method="weibull")
    t = stats.t.ppf(0.9, n1 - 1)
    part = min(1, (10 / n1) ** (1 / 3))
    expected = []
    for side, quantile in ((-1, low), (1, high)):
        w = start(np.asarray(joined.pos, float), np.asarray(joined.neg, float))
        path, small = [logit(precision(w))], 2.1 * t / 300
        for _ in range(300):
            w = step_along(w, side * small)
            path.append(logit(precision(w)))

        def at(length: float, path: Any = path, small: float = small) -> float:
            return float(np.interp(length, small * np.arange(301), path))

        length = t
        for _ in range(6):
            place = np.clip((at(length) - L.mean()) / L.std(), -2.5, 2.5) - middle
            aim = side * (a + b * place + math.exp(d * place) * quantile)
            length = min(max((length + aim) / 2, 0.4 * t), 2.1 * t)
        expected.append(at((1 - 0.02 * min(1, max(0, 2 - n1 / 10))) * ((1 - part) * t + part * length)))
    found = ends(sample, level, n_resamples=draws, rng=5)
    # near the best value it reaches as far as the sample alone, which tests of intervals work out by hand
    low_end, high_end = expit(np.array(expected))
    widened = reaching(spread, (np.asarray(low_end), np.asarray(high_end)), (t, t))
    # steps of .02 have errors of about .005 standard errors
    assert logit(found) == pytest.approx(logit(np.array(widened)), abs=0.02)


@each_sample
def test_average_precision_of_models_by_quadrature(sample: Sample) -> None:
    apart = made(sample).lists.folded(negatives_join=False).counts
    models = Binormals.fiducial(Places.of(apart, np.random.default_rng(1), evenly=True), 15, np.random.default_rng(2))
    expected = [of_model(*one) for one in zip(models.mean, models.spread, models.prevalence, strict=True)]
    assert models.log_odds == pytest.approx(expected, abs=0.003)


def test_places_of_fiducial_draws_are_those_of_uniform_negatives() -> None:
    """A positive with B negatives above is uniform between two of n0 uniform places in order."""
    rng, above = np.random.default_rng(7), np.array([0, 3, 3, 20])
    found = Binormals.fiducial(Places(above, 20), 4000, np.random.default_rng(8))
    means, spreads = np.empty(4000), np.empty(4000)
    for i in range(4000):
        edges = np.concatenate([[0], np.sort(rng.random(20)), [1]])
        z = -np.asarray(stats.norm.ppf([rng.uniform(edges[b], edges[b + 1]) for b in above]))
        spreads[i] = math.sqrt(np.sum((z - z.mean()) ** 2) / rng.chisquare(3))
        means[i] = z.mean() + spreads[i] * rng.standard_normal() / 2
    for ours, theirs in ((found.mean, means), (found.spread, spreads)):
        assert stats.ks_2samp(ours, theirs).pvalue > 1e-3
    assert stats.kstest(found.prevalence, stats.beta(4.5, 20.5).cdf).pvalue > 1e-3


def test_tables_of_models_follow_them() -> None:
    one, rng = np.ones(3000), np.random.default_rng(9)
    models = Binormals(1.2 * one, 0.8 * one, 0.2 * one)
    rows = models.draw(60, rng)
    assert np.all(rows.pos.sum(axis=0) + rows.neg.sum(axis=0) == 60)
    assert stats.binom(60, 0.2).mean() == pytest.approx(rows.pos.sum(axis=0).mean(), abs=4 * math.sqrt(9.6 / 3000))
    auc = np.asarray(
        metric("auc").kernel(Counts(rows.pos.T, rows.neg.T))
    )  # joined rows without ties: half a pair too few
    pairs = rows.pos.sum(axis=0) * rows.neg.sum(axis=0)
    auc = auc - np.sum(rows.pos * rows.neg, axis=0) / 2 / pairs
    assert auc.mean() == pytest.approx(stats.norm.cdf(1.2 / math.hypot(1, 0.8)), abs=4 * auc.std() / math.sqrt(3000))
    levels = models.in_levels(np.array([1.0, 5.0, 30.0]), rng)
    assert levels.positives.sum(axis=-1) == pytest.approx(one)
    drawn = levels.draw(60, rng)
    assert np.all(drawn.neg[:-1][drawn.pos[:-1] == 0] == 0)  # negatives join the next row with a positive
    assert drawn.pos.sum(axis=0).mean() == pytest.approx(12, abs=0.25)


def test_lists_with_many_ties_are_cut_into_levels() -> None:
    def kind(sample: Sample) -> type:
        apart = made(sample).lists.folded(negatives_join=False).counts
        return type(models_of(apart, 5, np.random.default_rng(1)))

    assert kind(SAMPLES["levels"]) is kind(SAMPLES["all tied"]) is Levels
    assert kind(SAMPLES["no ties"]) is kind(SAMPLES["perfect"]) is Binormals


# ---- the path


@each_sample
def test_lengths_of_paths_in_small_steps(sample: Sample) -> None:
    c = made(sample).lists.folded(negatives_join=True).counts
    pos, neg = np.asarray(c.pos, float), np.asarray(c.neg, float)
    at = logit(precision(start(pos, neg)))
    targets = at + np.array([-0.9, -0.2, 0.0, 0.4, 0.8])
    several = [np.repeat(side[:, None], 5, axis=1) for side in (pos, neg)]
    found = paths.lengths(several[0], several[1], targets)
    assert found[2] == pytest.approx(0, abs=1e-12)
    assert np.all(np.diff(found) > 0)
    for i in (0, 1, 3, 4):
        assert found[i] == pytest.approx(length_to(pos, neg, targets[i], 0.01), rel=0.02, abs=0.01)


@each_sample
def test_the_way_along_a_path_is_as_long_as_the_way_to_its_end(sample: Sample) -> None:
    c = made(sample).lists.folded(negatives_join=True).counts
    pos, neg = (np.repeat(np.asarray(side, float)[:, None], 2, axis=1) for side in (c.pos, c.neg))
    angle, _ = paths.along(pos, neg, np.array([-1.5, 1.0]), 40)
    assert np.all(np.diff(angle[:, 1]) > 0)
    assert paths.lengths(pos, neg, 2 * np.log(np.tan(angle[-1] / 2))) == pytest.approx([-1.5, 1.0], abs=0.03)


def test_a_path_that_reaches_1_stays_there() -> None:
    c = made(SAMPLES["perfect"]).lists.folded(negatives_join=True).counts
    pos, neg = (np.asarray(side, float)[:, None] for side in (c.pos, c.neg))
    for steps in (20, 60, 200):
        angle, _ = paths.along(pos, neg, np.array([5.0]), steps)
        assert np.all(np.diff(angle[:, 0]) >= -1e-9)
        assert angle[-1, 0] == pytest.approx(math.pi, abs=2e-3)


def test_the_way_of_a_list_between_its_nodes() -> None:
    """Against small steps, in parts of the way from the middle."""
    for name in ("few", "perfect", "levels", "reversed"):
        sample = SAMPLES[name]
        joined = made(sample).lists.folded(negatives_join=True).counts
        one = Counts(joined.pos[None], joined.neg[None])
        own = end_model.OwnPath.of(one, np.array([5.0]), 20)
        for length in (-4.7, -0.3, 0.9, 2.6):
            w, small = start(np.asarray(joined.pos, float), np.asarray(joined.neg, float)), length / 150
            middle = precision(w)
            for _ in range(150):
                w = step_along(w, small) if precision(w) < 1 - 1e-9 else w
            away = precision(w) - middle
            assert own.precision(np.array([length]))[0] - middle == pytest.approx(away, rel=0.05, abs=0.002), name


# ---- laws


@each_sample
def test_a_list_in_a_stack_is_the_list_alone(sample: Sample) -> None:
    samples = [sample, *SAMPLES.values()]
    tables = [one.table() for one in samples]
    found = Estimates.of(AP, side_by_side(tables), design="cohort", confidence_level=0.9)
    alone = interval(Spread(AP, tables[0], "cohort"), 0.9)[0]
    assert (found.low[0], found.high[0]) == pytest.approx(tuple(alone), rel=1e-13)
    assert (found.method[0], found.seed[0]) == (alone.method, alone.seed) == ("end-model", alone.seed)


def test_pieces_and_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    ((_, rng),) = blocks(1, 99, 5)
    spread = Spread(AP, stacked(sample(Population("binormal", 1.0), 100, 0.2, 12, rng), ordinal=False), "cohort")
    whole = intervals(spread, 0.95)
    monkeypatch.setattr(end_model, "_NUMBERS", 1)
    monkeypatch.setattr(paths, "_BLOCK", 70)
    pieces = intervals(Spread(AP, spread.lists, "cohort"), 0.95)
    assert np.array_equal(whole.low, pieces.low)
    assert np.array_equal(whole.high, pieces.high)


@each_sample
def test_order_and_scale_of_scores_change_nothing(sample: Sample) -> None:
    order = np.random.default_rng(3).permutation(sample.y.size)
    expected = interval(made(sample), 0.95)[0]
    for y, score in ((sample.y[order], sample.a[order]), (sample.y, 7 + 3 * sample.a)):
        found = interval(Spread(AP, HitTable.from_scores(y, score).collapse(), "cohort"), 0.95)[0]
        assert (tuple(found), found.seed) == (tuple(expected), expected.seed)


def test_the_draws_are_recorded() -> None:
    e = evaluate(SAMPLES["no ties"].y, SAMPLES["no ties"].a, metrics="ap")["score", "ap"]
    default = e.confidence_interval()
    assert (default.method, default.n_resamples) == ("end-model", 200)
    assert e.interval is not None
    assert (e.interval.method, e.interval.n_resamples, e.interval.seed) == ("end-model", 200, default.seed)
    again = e.confidence_interval(rng=default.seed)
    assert (tuple(again), again.seed) == (tuple(default), default.seed)
    other = e.confidence_interval(rng=1, n_resamples=1000)
    assert (other.n_resamples, other.seed) == (1000, 1)
    assert tuple(other) != tuple(default)
    # what 200 draws leave open is little beside the width
    assert tuple(other) == pytest.approx(tuple(default), abs=0.12 * (default.high - default.low))
    assert e.confidence_interval(rng=np.random.default_rng(1)).seed is None


def test_lists_of_groups_record_their_draws() -> None:
    sample = binormal(40, 200, seed=8)
    ev = evaluate(sample.y, {"a": sample.a}, metrics="ap", by=np.arange(240) % 2)
    found = [e.interval for one in ev.groups.values() for e in one]
    assert all(x is not None and x.method == "end-model" and x.n_resamples == 200 and x.seed for x in found)


@each_sample
def test_it_holds_the_value_and_grows_with_the_level(sample: Sample) -> None:
    spread, value = made(sample), AP.value(sample.table())
    found = [interval(spread, level, "end-model")[0] for level in (0.2, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999)]
    for one in found:
        assert 0 <= one.low <= value <= one.high <= 1
        assert one.low < one.high
    assert all(a.low >= b.low and a.high <= b.high for a, b in pairwise(found))


@pytest.mark.parametrize("n1", [2, 3, 5])
def test_few_positives(n1: int) -> None:
    low, high = ends(binormal(n1, 100, 1.5, seed=n1))
    assert 0 < low < high < 1


def test_many_positives_by_name() -> None:
    """Where the path is the default, models change it little."""
    sample = binormal(2000, 6000, 1.0, seed=6)
    e = evaluate(sample.y, sample.a, metrics="ap")["score", "ap"]
    assert e.interval_method == "tilted"
    plain = e.confidence_interval()
    assert ends(sample) == pytest.approx(tuple(plain), abs=0.15 * (plain.high - plain.low))


@pytest.mark.parametrize(
    ("form", "more"),
    [
        ("auc", {}),
        ("scaled_ap", {}),
        ("ap(ties=expected)", {}),
        ("ap", {"design": "case-control"}),
        ("ap", {"prevalence": 0.1}),
        ("ap", {"sample_weight": np.arange(200) % 3 + 1}),
        ("ap", {"clusters": np.arange(200) // 2}),
    ],
)
def test_what_it_is_not_for(form: str, more: dict[str, Any]) -> None:
    sample = SAMPLES["no ties"]
    e = evaluate(sample.y, sample.a, metrics=form, **more)["score", form]
    assert e.interval_method != "end-model"
    with pytest.raises(ParameterError, match="'end-model' is for average precision"):
        e.confidence_interval(method="end-model")


def test_too_few_draws_are_refused() -> None:
    with pytest.raises(ParameterError, match="n_resamples"):
        ends(SAMPLES["few"], n_resamples=5)


# ---- coverage


@pytest.mark.parametrize(("n1", "pi"), [(10, 0.002), (20, 0.01)])
def test_it_covers_where_tilting_does_not(n1: int, pi: float) -> None:
    population = Population("binormal", 1.0, 1.6)
    truth, draws = population.average_precision(pi), 250
    ((_, rng),) = blocks(draws, 99, n1, size=draws)
    drawn = sample(population, round(n1 / pi), pi, draws, rng)
    spread = Spread(AP, stacked(drawn, ordinal=False), "cohort")
    covered = {
        name: float(np.mean((found.low <= truth) & (truth <= found.high)))
        for name in ("tilted", "end-model")
        for found in [intervals(spread, 0.95, name)]
    }
    error = math.sqrt(0.95 * 0.05 / draws)
    assert covered["end-model"] >= 0.95 - 3 * error
    assert covered["tilted"] < covered["end-model"]


def test_it_is_named_where_intervals_are_printed() -> None:
    ev = evaluate(SAMPLES["no ties"].y, SAMPLES["no ties"].a, metrics="ap")
    assert "intervals by end-model: ap" in ev.about_intervals()
    assert "binormal models of the list" in ev.methods_text()


def test_quantiles_near_the_median_have_all_digits() -> None:
    """Against distribution functions in closed form, and the normal one."""
    for level in (1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 2.1e-3, 5e-3, 1.9e-2, 2.1e-2):
        p = (1 + level) / 2
        u = p - 0.5
        quantiles = t_quantile(p, np.array([1.0, 2.0, 4.0, 1e9, np.inf]))
        one, two, four, many, normal = quantiles
        assert np.all(np.diff(quantiles) <= 0)
        assert one == pytest.approx(math.tan(math.pi * u), rel=1e-12, abs=0)
        assert two == pytest.approx(u * math.sqrt(8 / (1 - 4 * u**2)), rel=1e-12, abs=0)
        square = four**2 / (1 + four**2 / 4)
        # scipy alone has 1e-11 at a level of .002, and no digit of the first ones
        assert 3 / 8 * math.sqrt(square) * (1 - square / 12) == pytest.approx(u, rel=1e-10, abs=0)
        assert many == pytest.approx(normal, rel=1e-8, abs=0)
        assert t_quantile(p, 4) == four
        assert t_quantile(1 - p, 4) == pytest.approx(-four, rel=max(1e-10, 1e-15 / level), abs=0)


@pytest.mark.parametrize("n1", range(2, 13))
def test_intervals_of_the_least_levels(n1: int) -> None:
    sample = binormal(n1, 9, 1.0, seed=n1)
    spread, value = made(sample), AP.value(sample.table())
    found = [interval(spread, level, "end-model")[0] for level in (1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.2)]
    assert all(0 < one.low <= value <= one.high < 1 for one in found)
    assert all(a.low >= b.low - 1e-12 and a.high <= b.high + 1e-12 for a, b in pairwise(found))
