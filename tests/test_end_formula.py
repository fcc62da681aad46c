"""Average precision of many positives: lengths of the path by formula, against models that are drawn."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.special import logit
from validation.populations import Population, sample
from validation.running import blocks, stacked

from hitcurve import HitTable, evaluate, metric
from hitcurve.inference.estimation.estimates import Estimates
from hitcurve.inference.intervals.interval import interval, intervals
from hitcurve.inference.models import pivot
from hitcurve.inference.models.end_formula import EndFormula
from hitcurve.inference.models.end_model import EndModel
from hitcurve.inference.models.fiducial import Binormals
from hitcurve.inference.variance.spread import Spread
from tests.sampled import Sample, binormal, side_by_side

AP = metric("ap")
SAMPLES = {
    "100 of 1,000": binormal(100, 900, 1.0, seed=1),
    "60 of 240": binormal(60, 180, 1.5, seed=2),
    "half": binormal(200, 200, 0.7, seed=3),
    "rare": binormal(80, 8000, 2.0, seed=4),
    "some ties": binormal(120, 1000, 1.0, seed=5, levels=4000),
}
each_sample = pytest.mark.parametrize("sample", SAMPLES.values(), ids=list(SAMPLES))


def made(sample: Sample) -> Spread:
    return Spread(AP, sample.table(), "cohort")


@each_sample
def test_ends_are_those_of_many_models(sample: Sample) -> None:
    spread = made(sample)
    assert spread.end_formula.there
    found, drawn = spread.end_formula.ends(0.95), EndModel.of(spread.lists, [np.random.default_rng(1)], 2000).ends(0.95)
    half = (logit(drawn[1]) - logit(drawn[0])) / 2
    # quantiles of 2,000 draws have errors of .03 half widths, those of the default 200 of .1
    assert np.all(np.abs(logit(found) - logit(drawn)) < 0.1 * half)


def test_quantiles_of_the_formula_are_those_of_tables() -> None:
    """The numbers the formula starts from, by the influence of subjects in a large table of the model."""
    mean, spread, pi, n = 1.2, 0.9, 0.2, 500
    nature = pivot.nature_of(np.array([mean]), np.array([spread]), np.array([pi]), np.array([n]))
    skewness, own, pull = nature
    score = np.concatenate([mean + spread * stats.norm.ppf((np.arange(4000) + 0.5) / 4000), np.empty(16_000)])
    score[4000:] = stats.norm.ppf((np.arange(16_000) + 0.5) / 16_000)
    y = np.concatenate([np.ones(4000, int), np.zeros(16_000, int)])
    made_of = Spread(AP, HitTable.from_scores(y, score), "cohort")
    influence, sums = made_of.influence, made_of.sums
    assert influence is not None
    squares = float(made_of.variance)
    cubes = float(influence.third_moment(sums))
    assert skewness[0] == pytest.approx(cubes / squares**1.5 * math.sqrt(20_000 / n), abs=0.02)
    error = math.sqrt(squares * 20_000 / n)
    share = (sums.pos + sums.neg) / 20_000
    more = float(np.sum(share * (influence.pos / 2 + influence.neg))) * 20_000 / n
    assert pull[0] == pytest.approx(more / error, abs=0.01)
    c = made_of.counts
    precision = c.H / (c.H + c.B)
    above = n * (c.H + c.B) / 20_000
    expected = np.sum(c.p * (1 - precision) * -np.expm1(-above) / above) / error
    assert own[0] == pytest.approx(expected, abs=0.02)


def test_slopes_of_models_are_differences() -> None:
    mean, spread, pi = np.array([1.0, -0.2, 2.5]), np.array([1.0, 1.7, 0.6]), np.array([0.1, 0.4, 0.003])
    found = Binormals(mean, spread, pi).slopes
    h = 1e-5

    def at(i: int, by: float) -> np.typing.NDArray[np.float64]:
        moved = [by * (i == k) for k in range(3)]
        odds = pi / (1 - pi) * math.exp(moved[2])
        return Binormals(mean + moved[0], spread * math.exp(moved[1]), odds / (1 + odds)).log_odds

    for i in range(3):
        assert found[i] == pytest.approx((at(i, h) - at(i, -h)) / (2 * h), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(
    "sample",
    [
        binormal(49, 900, 1.0, seed=1),
        binormal(100, 19, 1.0, seed=2),
        binormal(100, 900, 1.0, seed=3, levels=7),
        binormal(100, 900, 5.0, seed=4),
        Sample(np.arange(300) < 60, {"a": -np.arange(300.0)}),
    ],
    ids=["few positives", "few negatives", "few levels", "nearly perfect", "perfect"],
)
def test_models_are_drawn_where_it_is_not_for(sample: Sample) -> None:
    assert not made(sample).end_formula.there
    found = interval(made(sample), 0.95)[0]
    assert (found.method, found.n_resamples) == ("end-model", 200)
    assert found.seed is not None


def test_nothing_is_drawn_unless_it_is_asked_for() -> None:
    sample = SAMPLES["100 of 1,000"]
    e = evaluate(sample.y, sample.a, metrics="ap")["score", "ap"]
    found = e.confidence_interval()
    assert (found.method, found.n_resamples, found.seed) == ("end-model", None, None)
    drawn = e.confidence_interval(rng=1)
    assert (drawn.n_resamples, drawn.seed) == (200, 1)
    more = e.confidence_interval(n_resamples=1000)
    assert more.n_resamples == 1000
    assert more.seed is not None
    assert tuple(more) == pytest.approx(tuple(found), abs=0.06 * (found.high - found.low))


def test_a_list_in_a_stack_is_the_list_alone() -> None:
    samples = [*SAMPLES.values(), binormal(20, 300, 1.0, seed=9), binormal(90, 800, 1.0, seed=9, levels=6)]
    tables = [one.table() for one in samples]
    found = Estimates.of(AP, side_by_side(tables), design="cohort", confidence_level=0.9)
    for i, table in enumerate(tables):
        alone = interval(Spread(AP, table, "cohort"), 0.9)[0]
        assert (found.low[i], found.high[i]) == pytest.approx(tuple(alone), rel=1e-12)
        assert (found.method[i], found.seed[i]) == ("end-model", alone.seed)


@each_sample
def test_it_holds_the_value_and_grows_with_the_level(sample: Sample) -> None:
    spread, value = made(sample), AP.value(sample.table())
    found = [interval(spread, level)[0] for level in (0.2, 0.5, 0.8, 0.9, 0.95, 0.975, 0.985, 0.999, 0.999999)]
    for one in found:
        assert 0 <= one.low < value < one.high <= 1
    assert all(a.low > b.low and a.high < b.high for a, b in pairwise(found))


def test_it_covers() -> None:
    population, pi, draws = Population("binormal", 1.0, 1.6), 0.05, 400
    truth = population.average_precision(pi)
    ((_, rng),) = blocks(draws, 99, 80, size=draws)
    spread = Spread(AP, stacked(sample(population, 1600, pi, draws, rng), ordinal=False), "cohort")
    found = intervals(spread, 0.95)
    assert np.mean(EndFormula.of(spread.lists).there) > 0.5
    assert np.mean((found.low <= truth) & (truth <= found.high)) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / draws)
