"""Resampling: exact in distribution, the same for a seed whatever the threads, close to scipy."""

from __future__ import annotations

import itertools
import math
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from hitcurve import Estimate, HitTable, bootstrap, compare, evaluate, metric
from hitcurve.counts import Counts
from hitcurve.errors import HitcurveWarning, ParameterError, UndefinedMetricError
from hitcurve.evaluation import evaluate_groups, evaluate_source
from hitcurve.inference.comparing.paired_bootstrap import paired_bootstrap
from hitcurve.inference.resampling.multinomial import Multinomial
from hitcurve.inference.resampling.permute import Subjects
from hitcurve.inference.resampling.resample import BLOCK, Draws, blocks, bytes_of, generator, seed_of, seed_of_values
from hitcurve.inference.variance.influence import influence
from hitcurve.metrics import metrics
from hitcurve.sources import Reading
from hitcurve.sources.codes import GroupCodes
from hitcurve.sources.files import FileSource
from tests.metrics_under_test import METRICS
from tests.sampled import Sample, binormal, quietly
from tests.strategies import Floats

DESIGNS = ("cohort", "case-control")
each_design = pytest.mark.parametrize("design", DESIGNS)
ONE_BY_ONE = HitTable.from_counts([2, 0, 1], [0, 2, 1])
BY_ROWS = HitTable.from_counts([9, 0, 4], [2, 3, 1])


def draws(table: HitTable, design: str, count: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """Return replicates as rows of counts: positives, then negatives."""
    c, _ = Draws(table, design).counts(count, np.random.default_rng(seed))
    return np.concatenate([c.pos, c.neg], axis=1)


# ---- in distribution


@each_design
def test_every_replicate_is_as_likely_as_by_subjects(design: str) -> None:
    """Against the probabilities of all samples of 6 subjects with replacement that hold both classes."""
    table = ONE_BY_ONE
    cells = np.concatenate([table.pos, table.neg])
    expected: Counter[tuple[int, ...]] = Counter()
    groups = [range(6)] if design == "cohort" else [range(3), range(3, 6)]
    of_cell = np.repeat(np.arange(6), cells)
    outcomes = [itertools.product(group, repeat=len(group)) for group in groups]
    for parts in itertools.product(*map(list, outcomes)) if design == "case-control" else ((x,) for x in outcomes[0]):
        counts = np.bincount(of_cell[list(itertools.chain(*parts))], minlength=6)
        if counts[:3].any() and counts[3:].any():
            expected[tuple(counts.tolist())] += 1
    total, n = sum(expected.values()), 40_000
    found = Counter(map(tuple, draws(table, design, n).tolist()))
    assert set(found) <= set(expected)
    rare = [key for key, weight in expected.items() if n * weight / total < 5]
    often = [key for key in expected if key not in set(rare)]
    observed = [*(found[key] for key in often), *([sum(found[key] for key in rare)] if rare else [])]
    likely = [*(expected[key] for key in often), *([sum(expected[key] for key in rare)] if rare else [])]
    assert stats.chisquare(observed, np.array(likely) * n / total).pvalue > 1e-3


@each_design
@pytest.mark.parametrize("table", [ONE_BY_ONE, BY_ROWS], ids=["one by one", "by rows"])
@pytest.mark.parametrize("crowded", [1, 4, 32])
def test_moments_of_the_cells(table: HitTable, design: str, crowded: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Means, variances and covariances of a multinomial; the redraws of an empty class are 4% of one table's.

    Cells with many subjects are drawn as numbers, the subjects of the others one by one.
    """
    monkeypatch.setattr("hitcurve.inference.resampling.resample._CROWDED", crowded)
    n, cells = int(table.n), np.concatenate([table.pos, table.neg]).astype(float)
    count = 60_000
    x = draws(table, design, count, seed=1).astype(float)
    if design == "cohort":
        if table is ONE_BY_ONE:
            return
        p = cells / n
        covariance = n * (np.diag(p) - np.outer(p, p))
    else:
        covariance = np.zeros((6, 6))
        for part in (slice(0, 3), slice(3, 6)):
            p = cells[part] / cells[part].sum()
            covariance[part, part] = cells[part].sum() * (np.diag(p) - np.outer(p, p))
    assert x.mean(axis=0) == pytest.approx(cells, abs=4 * math.sqrt(np.max(covariance) / count))
    assert np.cov(x.T) == pytest.approx(covariance, abs=0.06)


@pytest.mark.slow
@each_design
def test_replicates_have_the_distribution_of_resampled_subjects(design: str) -> None:
    """The same quantiles of AP as by drawing labels and scores with replacement."""
    sample = binormal(25, 75, seed=2, levels=12)
    rng, table, values = np.random.default_rng(3), sample.table(), []
    where = [np.flatnonzero(sample.y), np.flatnonzero(~sample.y)]
    for _ in range(2000):
        if design == "cohort":
            drawn = rng.integers(0, 100, 100)
        else:
            drawn = np.concatenate([rng.choice(group, group.size) for group in where])
        values.append(metric("ap").value(sample.at(drawn).table()))
    found = bootstrap(table, "ap", n_resamples=4000, design=design, rng=4)
    assert stats.ks_2samp(values, found).pvalue > 1e-3


def test_replicates_of_auc_are_right_on_average() -> None:
    """With both classes fixed AUC is linear in either: the mean of its replicates is its value."""
    table = binormal(20, 60, seed=5).table()
    found = bootstrap(table, "auc", n_resamples=20_000, design="case-control", rng=0)
    assert found.mean() == pytest.approx(metric("auc").value(table), abs=4 * found.std() / math.sqrt(20_000))


def test_empty_classes_are_drawn_again() -> None:
    table = HitTable.from_counts([1, 1], [0, 3])
    c, redrawn = Draws(table, "cohort").counts(20_000, np.random.default_rng(0))
    assert c.n1.min() >= 1
    assert c.n0.min() >= 1
    assert set(c.n.tolist()) == {5}
    empty = 0.6**5 + 0.4**5
    share = redrawn / (20_000 + redrawn)
    assert share == pytest.approx(empty, abs=4 * math.sqrt(empty / 20_000))
    # binomial, given that it is neither 0 nor n
    left = stats.binom(5, 0.4).pmf([1, 2, 3, 4])
    observed = np.bincount(c.n1.astype(int), minlength=5)[1:]
    assert stats.chisquare(observed, 20_000 * left / left.sum()).pvalue > 1e-3
    with pytest.warns(HitcurveWarning, match="empty class"):
        bootstrap(table, "auc", n_resamples=9, rng=0)
    with pytest.warns(HitcurveWarning, match="empty class"):
        compare([1, 1, 0, 0, 0], [5, 4, 3, 2, 1], [5, 3, 4, 2, 1], metric="auc", method="bootstrap", n_resamples=9)
    bootstrap(table, "auc", n_resamples=9, design="case-control", rng=0)


def test_collapsed_tables_and_full_ones_have_the_same_distribution() -> None:
    sample = binormal(15, 60, seed=6)
    full, collapsed = (
        bootstrap(table, "ap", n_resamples=4000, rng=seed)
        for seed, table in enumerate((sample.table(), sample.table().collapse()))
    )
    assert stats.ks_2samp(full, collapsed).pvalue > 1e-3


def test_parametric_and_nonparametric_are_one() -> None:
    table = binormal(15, 60, seed=6).table()
    kinds = [bootstrap(table, "ap", kind=kind, n_resamples=100, rng=0) for kind in ("parametric", "nonparametric")]
    assert np.array_equal(*kinds)


def test_every_metric_has_replicates() -> None:
    table = binormal(12, 40, seed=7, levels=9).table().collapse()
    found = bootstrap(table, METRICS, n_resamples=70, rng=0)
    assert found.shape == (70, len(METRICS))
    assert np.isfinite(found).all()
    assert np.array_equal(found[:, 3], bootstrap(table, METRICS[3], n_resamples=70, rng=0))


def test_a_set_prevalence_stays() -> None:
    sample = binormal(60, 900, seed=8)
    at = sample.table().at_prevalence(0.05)
    found = bootstrap(at, "ap", n_resamples=4000, rng=0)
    e = Estimate("a", metric("ap"), metric("ap").value(at), at, "case-control")
    assert found.std() == pytest.approx(e.standard_error, rel=0.15)
    assert found.mean() < 0.97 * metric("ap").value(sample.table())


# ---- units that are equally likely

each_way = pytest.mark.parametrize("many", [1, 1000], ids=["Poisson numbers", "one by one"])


@each_way
@pytest.mark.parametrize("total", [5, 12, 30])
def test_samples_of_units_are_multinomial(many: int, total: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every outcome as often as it is likely, whatever the size of the sample."""
    monkeypatch.setattr("hitcurve.inference.resampling.multinomial._MANY", many)
    monkeypatch.setattr("hitcurve.inference.resampling.multinomial._NUMBERS", 120_000)
    n, rows = 40_000, np.repeat([0, 1, 3], [2, 3, 7])
    (counts,) = Multinomial([rows], [4]).counts(np.full(n, total), np.random.default_rng(total))
    assert not counts[:, 2].any()
    assert (counts.sum(axis=1) == total).all()
    expected = {
        (i, j): n * float(stats.multinomial(total, [2 / 12, 3 / 12, 7 / 12]).pmf([i, j, total - i - j]))
        for i in range(total + 1)
        for j in range(total + 1 - i)
    }
    found = Counter((int(i), int(j)) for i, j in counts[:, :2])
    often = [key for key, times in expected.items() if times >= 5]
    rare = n - sum(found[key] for key in often), n - sum(expected[key] for key in often)
    observed = [*(found[key] for key in often), rare[0]]
    assert stats.chisquare(observed, [*(expected[key] for key in often), rare[1]]).pvalue > 1e-3


@each_way
def test_units_have_a_row_under_each_ranking(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Covariances across rankings are those of drawing the same units; samples differ in size."""
    monkeypatch.setattr("hitcurve.inference.resampling.multinomial._MANY", many)
    rng, n = np.random.default_rng(0), 60_000
    rows = [rng.integers(0, size, 16) for size in (3, 4)]
    totals = np.tile([14, 16], n // 2)
    a, b = Multinomial(rows, [3, 4]).counts(totals, np.random.default_rng(1))
    assert np.array_equal(a.sum(axis=1), totals)
    assert np.array_equal(b.sum(axis=1), totals)
    member = np.concatenate([rows[0] == np.arange(3)[:, None], rows[1] == np.arange(4)[:, None]]).astype(float)
    share = member.mean(axis=1)
    unit = member @ member.T / 16 - np.outer(share, share)
    for total in (14, 16):
        drawn = np.concatenate([a, b], axis=1)[totals == total]
        assert drawn.mean(axis=0) == pytest.approx(total * share, abs=0.06)
        assert np.cov(drawn.T) == pytest.approx(total * unit, abs=0.12)


def test_no_units() -> None:
    (counts,) = Multinomial([np.zeros(0, int)], [3]).counts(np.zeros(5, int), np.random.default_rng(0))
    assert counts.shape == (5, 3)
    assert not counts.any()


# ---- seeds and threads

ACTS: dict[str, Callable[[Any], Any]] = {
    "bootstrap": lambda rng: bootstrap(binormal(30, 90, seed=1).table(), ["ap", "auc"], n_resamples=300, rng=rng),
    "many": lambda rng: bootstrap(BY_ROWS, "ap", n_resamples=300, rng=rng, design="case-control"),
    "swap": lambda rng: _compared("swap-permutation", rng).pvalue,
    "paired bootstrap": lambda rng: _compared("bootstrap", rng).difference.standard_error,
    "paired-permutation": lambda rng: _compared("paired-permutation", rng).pvalue,
    "percentile": lambda rng: _estimate().confidence_interval(method="percentile", n_resamples=300, rng=rng),
    "bca": lambda rng: _estimate().confidence_interval(method="bca", n_resamples=300, rng=rng),
    "studentized": lambda rng: _estimate().confidence_interval(method="studentized", n_resamples=150, rng=rng),
    "chance": lambda rng: _estimate().test_random(n_resamples=300, rng=rng).standard_deviation,
}


def _compared(method: str, rng: Any) -> Any:
    sample = binormal(25, 75, 1.5, 1.2, seed=1)
    return compare(sample.y, sample.a, sample.b, metric="ap", method=method, n_resamples=300, rng=rng)


def _estimate() -> Estimate:
    sample = binormal(25, 75, seed=1)
    return evaluate(sample.y, sample.a, metrics="ap")["score", "ap"]


@pytest.mark.parametrize("act", ACTS)
def test_threads_change_nothing(act: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for processors in (1, 2, 5):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, count=processors: set(range(count)), raising=False)
        answers.append(ACTS[act](7))
    assert all(np.array_equal(answers[0], answer) for answer in answers)


@pytest.mark.parametrize("act", ACTS)
def test_a_seed_gives_one_answer_and_a_generator_the_same(act: str) -> None:
    do = ACTS[act]
    assert np.array_equal(do(7), do(7))
    assert np.array_equal(do(np.random.default_rng(7)), do(7))
    assert not np.array_equal(do(8), do(7))
    used = np.random.default_rng(7)
    # a generator that was used goes on
    assert not np.array_equal(do(used), do(used))
    # without a seed one is derived from the counts
    assert np.array_equal(do(None), do(None))


def test_seeds_follow_from_the_counts_alone() -> None:
    sample = binormal(25, 75, 1.5, 1.2, seed=1)
    order = np.random.default_rng(0).permutation(100)
    a, b = sample.table("a"), sample.table("b")
    seed = seed_of(a, b)
    assert 0 <= seed < 1 << 32
    assert seed_of(b, a) == seed
    assert seed_of(*(HitTable.from_scores(sample.y[order], np.exp(s[order])) for s in (sample.a, sample.b))) == seed
    assert seed_of(HitTable.from_counts(a.pos.astype(float), a.neg.astype(">i4"))) == seed_of(
        HitTable.from_counts(a.pos, a.neg)
    )
    assert seed_of(a.collapse()) == seed_of(a)
    assert len({seed, seed_of(a), seed_of(b), seed_of(a, a)}) == 4
    values = np.array([0.1, 0.25, -0.0])
    assert seed_of_values(values) == seed_of_values(values + 1e-14)
    assert seed_of_values(values) != seed_of_values(values[::-1])


@pytest.mark.parametrize("method", ["swap-permutation", "bootstrap", "paired-permutation", "delta"])
def test_a_comparison_records_its_seed(method: str) -> None:
    sample = binormal(25, 75, 1.5, 1.2, seed=1)
    ev = evaluate(sample.y, sample.scores, metrics="ap")
    options: dict[str, Any] = {"method": method, **({} if method == "delta" else {"n_resamples": 99})}
    found = ev.compare("a", "b", "ap", **options)
    assert found == ev.compare("a", "b", "ap", **options)
    if method == "delta":
        assert found.seed is None
        assert found.to_dict()["seed"] is None
        return
    assert found.seed == seed_of(*ev.tables.values())
    assert ev.compare("a", "b", "ap", rng=found.seed, **options) == found
    assert f"99, seed {found.seed}" in str(found)
    assert f"99 random draws (seed {found.seed})" in found.methods_text()
    assert found.to_dict()["seed"] == found.seed
    given = ev.compare("a", "b", "ap", rng=np.random.default_rng(found.seed), **options)
    assert (given.seed, given.pvalue) == (None, found.pvalue)
    assert ev.compare("a", "b", "ap", rng=np.int64(5), **options).seed == 5
    # rows in another order, scores on another scale
    order = np.random.default_rng(1).permutation(100)
    again = evaluate(sample.y[order], {name: 3 * s[order] for name, s in sample.scores.items()}, metrics="ap")
    assert again.compare("a", "b", "ap", **options).seed == found.seed
    if method != "paired-permutation":
        assert again.compare("a", "b", "ap", **options).pvalue == found.pvalue


def test_many_comparisons_have_the_seeds_of_single_ones() -> None:
    sample = binormal(12, 60, 1.5, 1.2, 0.8, seed=1)
    ev = evaluate(sample.y, sample.scores, metrics="ap")
    for rng in (None, 3):
        found = ev.compare_all("ap", n_resamples=99, rng=rng)
        for c in found:
            alone = ev.compare(c.first, c.second, "ap", n_resamples=99, rng=rng)
            assert (c.pvalue, c.seed) == (alone.pvalue, alone.seed)
    together = quietly(sample.y, sample.scores, metrics="ap").compare_all("ap", adjust="max-t")
    again = ev.compare_all("ap", adjust="max-t", rng=together[0].seed)
    assert [c.adjusted for c in together] == [c.adjusted for c in again]
    assert together[0].seed is not None


def test_a_test_against_chance_records_its_seed() -> None:
    e = _estimate()
    test = e.test_random(n_resamples=99)
    assert test == e.test_random(n_resamples=99) == e.test_random(n_resamples=99, rng=test.seed)
    assert test.seed == seed_of(e.table)
    assert f"Monte Carlo, seed {test.seed}" in str(test)
    exact = evaluate(*_labels_and_scores(), metrics="auc")["score", "auc"].test_random()
    assert (exact.method, exact.seed) == ("exact moments", None)


def _labels_and_scores() -> tuple[Any, Any]:
    sample = binormal(25, 75, seed=1)
    return sample.y, sample.a


@pytest.mark.parametrize(
    ("rng", "words"),
    [(np.random.RandomState(0), "not a RandomState"), ("0", "seed"), (-1, "seed"), (1.5, "seed"), (object(), "seed")],
)
@pytest.mark.parametrize("act", ACTS)
def test_what_is_no_generator(act: str, rng: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        ACTS[act](rng)


def test_blocks_have_generators_of_their_own() -> None:
    sizes, streams = zip(*blocks(2 * BLOCK + 5, 0), strict=True)
    assert sizes == (BLOCK, BLOCK, 5)
    assert len({int(stream.integers(1 << 62)) for stream in streams}) == 3
    more = [stream for _, stream in blocks(9 * BLOCK, 0)]
    # more replicates begin with the same ones
    assert int(more[0].integers(1 << 62)) == int(next(blocks(BLOCK, 0))[1].integers(1 << 62))
    assert generator(np.random.SeedSequence(3)).integers(1 << 62) == generator(3).integers(1 << 62)
    table = binormal(30, 90, seed=1).table()
    many, few = (bootstrap(table, "ap", n_resamples=count, rng=0) for count in (5 * BLOCK, BLOCK))
    assert np.array_equal(many[:BLOCK], few)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        *(({"n_resamples": n}, "n_resamples") for n in (0, -3, 1.5, True, "many")),
        ({"kind": "smoothed"}, "kind"),
        ({"kind": "non-parametric"}, "did you mean 'nonparametric'"),
        ({"design": "case control"}, "did you mean 'case-control'"),
    ],
)
def test_what_is_no_bootstrap(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        bootstrap(BY_ROWS, "ap", **more)


def test_what_is_no_table() -> None:
    with pytest.raises(ParameterError, match="a HitTable is resampled"):
        bootstrap([1, 0, 1], "ap")  # type: ignore[arg-type]


def test_weights_are_not_drawn() -> None:
    weighted = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[1, 2, 3, 4])
    with pytest.raises(UndefinedMetricError, match="a weighted table cannot be resampled"):
        bootstrap(weighted, "auc")


# ---- intervals


def average_precisions(y: Any, s: Any, axis: int = -1) -> Floats:
    """Return AP of samples without ties but those of a subject with itself, on the last axis."""
    order = np.argsort(-s, axis=-1, kind="stable")
    y, s = np.take_along_axis(y, order, -1), np.take_along_axis(s, order, -1)
    # the last of every group of equal scores
    last = np.append(np.diff(s, axis=-1) != 0, np.ones((*s.shape[:-1], 1), bool), axis=-1)
    place = np.where(last, np.arange(s.shape[-1]), s.shape[-1])
    end = np.minimum.accumulate(place[..., ::-1], axis=-1)[..., ::-1]
    precision = np.cumsum(y, axis=-1) / np.arange(1, s.shape[-1] + 1)
    return np.asarray(np.sum(y * np.take_along_axis(precision, end, -1), axis=-1) / np.sum(y, axis=-1))


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("seed", [1, 2])
def test_intervals_of_scipy(method: str, seed: int) -> None:
    sample = binormal(40, 80, 1.5, seed=seed)
    assert average_precisions(sample.y, sample.a) == pytest.approx(metric("ap")(sample.y, sample.a), rel=1e-12)
    e = evaluate(sample.y, sample.a, metrics="ap")["score", "ap"]
    found = e.confidence_interval(method=method, n_resamples=6000, rng=0)
    data: Any = (sample.y.astype(float), sample.a)
    named: Any = {"percentile": "percentile", "bca": "BCa"}[method]
    expected = stats.bootstrap(
        data,
        average_precisions,
        paired=True,
        vectorized=True,
        n_resamples=6000,
        method=named,
        rng=np.random.default_rng(1),
    )
    # two Monte Carlo errors of a quantile at 2.5% are some .06 standard errors
    assert found == pytest.approx(expected.confidence_interval, abs=0.2 * e.standard_error)
    assert found.low < e.value < found.high


@pytest.mark.slow
@each_design
def test_studentized_by_subjects(design: str) -> None:
    """Bootstrap-t: samples of subjects, each over its own standard error."""
    sample = binormal(25, 60, 1.2, seed=3)
    rng, statistics = np.random.default_rng(0), []
    m, table = metric("auc"), sample.table()
    where = [np.flatnonzero(sample.y), np.flatnonzero(~sample.y)]
    for _ in range(1500):
        drawn = rng.integers(0, 85, 85) if design == "cohort" else np.r_[tuple(rng.choice(g, g.size) for g in where)]
        own = sample.at(drawn).table()
        error = math.sqrt(influence(m, own.counts, design).variance(own.sums))
        statistics.append((m.value(own) - m.value(table)) / error)
    e = Estimate("a", m, m.value(table), table, design)
    low, high = np.quantile(statistics, [0.025, 0.975])
    expected = (e.value - high * e.standard_error, e.value - low * e.standard_error)
    found = e.confidence_interval(method="studentized", n_resamples=3000, rng=0)
    assert found == pytest.approx(expected, abs=0.35 * e.standard_error)


def test_resampled_intervals_widen_with_the_level() -> None:
    e = _estimate()
    for method in ("percentile", "bca", "studentized"):
        ends = [e.confidence_interval(level, method=method, n_resamples=400, rng=0) for level in (0.5, 0.8, 0.95)]
        for inner, outer in itertools.pairwise(ends):
            assert 0 <= outer.low <= inner.low < inner.high <= outer.high <= 1


@pytest.mark.parametrize("name", ["bedroc(alpha=20)", "rie(alpha=80.5)", "bedroc(alpha=0.5)"])
def test_exponentials_of_whole_ranks_are_looked_up(name: str) -> None:
    rng, m = np.random.default_rng(4), metric(name)
    pos, neg = rng.poisson(0.5, (7, 60)), rng.poisson(2.0, (7, 60))
    pos[:, ::3] = 0
    pos[:, 40] += 1
    neg[:, -1] += 400 - (pos + neg).sum(axis=-1)
    one_by_one = [float(m.kernel(Counts(*columns))) for columns in zip(pos, neg, strict=True)]
    assert np.allclose(m.of_replicates(Counts(pos, neg)), one_by_one, rtol=1e-14, atol=0)
    neg[0, 5] += 3  # samples of several sizes
    one_by_one[0] = float(m.kernel(Counts(pos[0], neg[0])))
    assert np.allclose(m.of_replicates(Counts(pos, neg)), one_by_one, rtol=1e-14, atol=0)


def test_undefined_replicates_are_left_out() -> None:
    """Momentum has no value where AUC is not above one half."""
    sample = binormal(8, 12, 0.8, seed=4)
    e = quietly(sample.y, {"a": sample.a}, metrics="momentum")["a", "momentum"]
    drawn = bootstrap(e.table, "momentum", n_resamples=400, rng=0)
    assert np.isnan(drawn).any()
    low, high = e.confidence_interval(method="percentile", n_resamples=400, rng=0)
    expected = np.quantile(drawn[~np.isnan(drawn)], [0.025, 0.975])
    assert (low, high) == pytest.approx(tuple(expected))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["ap", "bedroc(alpha=20)", "recall@10%", "ap(ties=expected)", "momentum"])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("cells", [1, 500, 200_000])
def test_paired_bootstrap_one_replicate_at_a_time(
    form: str, clustered: bool, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of replicates have the values of single ones, from the same draws."""
    sample = binormal(12, 40, 1.0, 0.6, seed=5, levels=15)
    y, cluster, m = sample.y, np.arange(52) % 17, metric(form)
    subjects = Subjects(y, sample.scores, GroupCodes.of(cluster) if clustered else None)
    monkeypatch.setattr("hitcurve.inference.resampling.resample._CACHED", cells)
    found = paired_bootstrap(m, subjects, "a", "b", "case-control", BLOCK + 5, 3)
    # subjects in the order of their rows under both rankers, so that theirs does not matter
    turned = np.argsort(np.random.default_rng(2).random(52))
    clusters = GroupCodes.of(cluster[turned]) if clustered else None
    moved = Subjects(y[turned], {k: s[turned] for k, s in sample.scores.items()}, clusters)
    again = paired_bootstrap(m, moved, "a", "b", "case-control", BLOCK + 5, 3)
    assert again == pytest.approx(found, rel=1e-12, abs=1e-14, nan_ok=True)
    a, b = (2 * np.searchsorted(np.unique(s[y]), s) + np.isin(s, s[y]) for s in (sample.a, sample.b))
    # the counts of the rankers decide by which of them subjects are sorted first
    for last, order in enumerate((np.lexsort([-a, -b]), np.lexsort([-b, -a]))):
        drawn = [times for block in blocks(BLOCK + 5, 3) for times in _times(*block, order, y, cluster, clustered)]
        one = [_difference(m, sample.at(np.repeat(np.arange(52), times))) for times in drawn]
        if last or found == pytest.approx(one, rel=1e-12, abs=1e-14, nan_ok=True):
            break
    assert found == pytest.approx(one, rel=1e-12, abs=1e-14, nan_ok=True)


def _times(
    count: int, own: np.random.Generator, order: Any, y: Any, cluster: Any, clustered: bool
) -> list[npt.NDArray[np.int64]]:
    """Return how often each subject is in each replicate of a block."""
    if clustered:
        return [np.bincount(drawn, minlength=17)[cluster] for drawn in own.integers(0, 17, (count, 17))]
    times = np.empty((count, y.size), np.int64)
    for side in (order[y[order]], order[~y[order]]):
        drawn = own.integers(0, side.size, (count, side.size))
        times[:, side] = [np.bincount(line, minlength=side.size) for line in drawn]
    return list(times)


def _difference(m: Any, sample: Sample) -> float:
    try:
        return float(m.value(sample.table("a")) - m.value(sample.table("b")))
    except UndefinedMetricError:
        return math.nan


@pytest.mark.slow
def test_paired_bootstrap_has_the_spread_of_resampled_subjects() -> None:
    sample = binormal(25, 75, 1.6, 1.0, seed=5)
    rng, differences = np.random.default_rng(0), []
    for _ in range(1500):
        own: Sample = sample.at(rng.integers(0, 100, 100))
        differences.append(metric("ap").value(own.table("a")) - metric("ap").value(own.table("b")))
    test = compare(sample.y, sample.a, sample.b, metric="ap", method="bootstrap", n_resamples=3000, rng=0)
    assert test.difference.standard_error == pytest.approx(np.std(differences), rel=0.1)
    z = test.difference.value / test.difference.standard_error
    assert test.pvalue == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
    assert test.n_resamples == 3000
    assert test.pvalue_error is None


# ---- in memory and from a file, in any number of threads, twice


def _draws(ev: Any, grouped: Any, clustered: Any) -> dict[str, Any]:
    """Return what is drawn without a seed."""
    one = {"n_resamples": 199}
    tests = ("swap-permutation", "bootstrap", "paired-permutation", "unpaired-permutation")
    bands = [ev.band("a", "roc", method=method) for method in ("influence", "bootstrap")]
    return {
        **{method: ev.compare("a", "b", "ap", method=method, **one) for method in tests},
        "auto": ev.compare("a", "b", "ap"),
        "max-t": [c.adjusted for c in ev.compare_all("ap", adjust="max-t")],
        "clusters": clustered.compare("a", "b", "ap", method="bootstrap", **one),
        "sign-flip": grouped.compare("a", "b", "ap", method="sign-flip", **one),
        "folds": grouped.compare_all("ap"),
        **{m: ev["a", "ap"].confidence_interval(method=m, **one) for m in ("percentile", "bca", "studentized")},
        "chance": ev["a", "ap"].test_random(**one),
        "bands": [(band.low.y.tolist(), band.seed) for band in bands],
        "difference": ev.difference_band("a", "b").low.y.tolist(),
    }


@pytest.mark.slow
def test_what_is_drawn_without_a_seed_is_drawn_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("duckdb")
    sample = binormal(45, 135, 1.5, 1.2, 0.9, seed=4)
    columns = {"y": sample.y, **sample.scores, "g": np.arange(180) % 18, "k": np.arange(180) // 2}
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False, float_format="%.17g")

    def of_memory(**how: str) -> Any:
        given = {{"group": "by", "cluster": "clusters"}[name]: columns[column] for name, column in how.items()}
        return quietly(sample.y, sample.scores, metrics="ap", single_class="skip", **given)

    def of_file(**how: str) -> Any:
        file, by, cluster = tmp_path / "t.csv", how.get("group"), how.get("cluster")
        source = FileSource((file,), "y", tuple(sample.scores), Reading(), by=by, cluster=cluster)
        if "group" in how:
            return evaluate_groups(source, metrics("ap"), by="g", single_class="skip")
        return evaluate_source(source, metrics("ap"))

    found = []
    for count, make in ((1, of_memory), (2, of_memory), (3, of_memory), (1, of_file), (3, of_file)):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, count=count: set(range(count)), raising=False)
        found.append(_draws(make(), make(group="g"), make(cluster="k")))
        assert _draws(make(), make(group="g"), make(cluster="k")) == found[0], (count, make.__name__)
    assert found[0]["swap-permutation"].seed is not None


def test_what_columns_hold_is_the_same_for_both_orders_of_bytes() -> None:
    column = np.arange(300)
    held = bytes_of(column, column / 7, column > 5)
    assert held == bytes_of(column.astype(">i8"), (column / 7).astype(">f8"), column > 5)
    assert held[8:10] == b"\x01\x00"


def test_replicates_do_not_depend_on_the_scores_of_negatives_that_a_table_keeps() -> None:
    rng = np.random.default_rng(24)
    y = rng.random(400) < 0.1
    a = rng.normal(size=400) + y
    full, collapsed = HitTable.from_scores(y, a), HitTable.from_scores(y, a, grid=a[y])
    merged = HitTable.from_scores(y[:150], a[:150]) + HitTable.from_scores(y[150:], a[150:])
    wider = HitTable.from_scores(y, a, grid=np.append(a[y], [-0.5, 0.25, 7]))
    expected = bootstrap(collapsed, ["auc", "ap", "ef@5%"], n_resamples=100)
    for table in (full, merged, wider):
        np.testing.assert_array_equal(bootstrap(table, ["auc", "ap", "ef@5%"], n_resamples=100), expected)
