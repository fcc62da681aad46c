"""The permutation tests that deal out the ranks of the positives."""

import warnings
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve.inference.resampling.permute import Subjects
from hitcurve.inference.resampling.rank_permutation import OF_RANKS, on_ranks
from tests.sampled import binormal
from tests.strategies import law

CROC = "croc(exp, alpha=20)"


def area(ranks: list[int], n: int, alpha: float = 20.0) -> float:
    """The area under the CROC curve of a list, as the paper computes it from the ranks of the positives."""
    places = [(rank - j) / (n - len(ranks)) for j, rank in enumerate(sorted(ranks), start=1)]
    return float(np.mean([1 - (1 - np.exp(-alpha * x)) / (1 - np.exp(-alpha)) for x in places]))


def scores_of(ranks: list[int], n: int) -> np.ndarray:
    """Scores that put the first subjects at these ranks, and the others in between."""
    rest = iter([rank for rank in range(1, n + 1) if rank not in ranks])
    return -np.array([*ranks, *(next(rest) for _ in range(n - len(ranks)))], float)


@pytest.mark.parametrize("method", OF_RANKS)
def test_all_partitions_are_those_of_the_paper(method: str) -> None:
    """By its formulas, of 5 positives among 40: two lists that share no rank."""
    n, a, b = 40, [1, 4, 9, 16, 30], [2, 3, 21, 26, 38]
    if method.startswith("paired"):
        parts = [
            [[pair[k ^ turn] for pair, turn in zip(zip(a, b, strict=True), turns, strict=True)] for k in (0, 1)]
            for turns in product((0, 1), repeat=5)
        ]
    else:
        pool = {*a, *b}
        parts = [[list(chosen), list(pool - {*chosen})] for chosen in combinations(sorted(pool), 5)]
    observed = area(a, n) - area(b, n)
    every = np.array([area(first, n) - area(second, n) for first, second in parts])
    y = np.arange(n) < 5
    ev = hc.evaluate(y, {"a": scores_of(a, n), "b": scores_of(b, n)}, metrics=CROC)
    for alternative, extreme in (
        ("two-sided", np.abs(every) >= abs(observed) - 1e-12),
        ("greater", every >= observed - 1e-12),
        ("less", every <= observed + 1e-12),
    ):
        found = ev.compare("a", "b", CROC, method=method, alternative=alternative)
        assert found.pvalue == pytest.approx(np.mean(extreme), abs=1e-12)
        assert found.n_resamples is None
        assert found.statistic == pytest.approx(observed, abs=1e-12)


@pytest.mark.parametrize("method", OF_RANKS)
def test_draws_approach_all_partitions(method: str) -> None:
    sample = binormal(6, 60, 1.0, 1.0, seed=3)
    subjects = Subjects(sample.y.astype(bool), sample.scores)
    exact = on_ranks(hc.metric("ap"), subjects, ("a", "b"), 1.0, method, "two-sided", 1, 0)
    many = binormal(20, 200, 1.0, 1.0, seed=4)
    subjects = Subjects(many.y.astype(bool), many.scores)
    few, more = (on_ranks(hc.metric("ap"), subjects, ("a", "b"), 1.0, method, "two-sided", 4000, rng) for rng in (0, 1))
    assert exact.resamples is None
    assert few.resamples == 4000
    assert few.pvalue == pytest.approx(more.pvalue, abs=0.04)


@pytest.mark.parametrize("method", OF_RANKS)
def test_ranks_are_found_once_whichever_ranker_is_ahead(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = binormal(20, 60, 1.0, 1.0, seed=5)
    subjects, midranks = Subjects(sample.y.astype(bool), sample.scores), Subjects.midranks
    read: list[str] = []

    def counted(self: Subjects, ranker: str) -> np.ndarray:
        read.append(ranker)
        return midranks(self, ranker)

    monkeypatch.setattr(Subjects, "midranks", counted)
    for pair in (("a", "b"), ("b", "a")):
        read.clear()
        sign = 1 if pair[0] == "a" else -1
        on_ranks(hc.metric("ap"), subjects, pair, sign * 0.1, method, "two-sided", 99, 0)
        assert sorted(read) == ["a", "b"]


@pytest.mark.parametrize("method", OF_RANKS)
@law(15)
@given(seed=st.integers(0, 10**6), levels=st.sampled_from([0, 4, 9]))
def test_order_and_names_do_not_matter(method: str, seed: int, levels: int) -> None:
    """Of subjects, and of rankers but for the sign; a monotone transform changes nothing."""
    sample = binormal(18, 40, 1.0, 1.0, seed=seed, levels=levels or None)
    ev = hc.evaluate(sample.y, sample.scores, metrics="ap")
    assume(ev["a", "ap"].value != ev["b", "ap"].value)
    found = ev.compare("a", "b", "ap", method=method, n_resamples=99, alternative="greater")
    order = np.random.default_rng(seed).permutation(sample.y.size)
    other = hc.evaluate(sample.y[order], {"a": np.exp(sample.a[order] / 9), "b": sample.b[order]}, metrics="ap")
    assert other.compare("a", "b", "ap", method=method, n_resamples=99, alternative="greater").pvalue == found.pvalue
    turned = ev.compare("b", "a", "ap", method=method, n_resamples=99, alternative="less")
    assert turned.pvalue == found.pvalue
    assert turned.statistic == -found.statistic


@pytest.mark.slow
@pytest.mark.parametrize("method", OF_RANKS)
def test_it_holds_its_size_among_ties(method: str) -> None:
    """A constant list against four levels, and two levels against a continuous score; means of tied ranks had 1.00."""
    y = np.arange(300) < 117
    for kind in ("constant", "two levels"):
        rejected = 0
        for seed in range(60):
            rng = np.random.default_rng(seed)
            a = np.zeros(300) if kind == "constant" else rng.integers(0, 2, 300)
            b = rng.integers(0, 4, 300) if kind == "constant" else rng.random(300)
            ev = evaluated_quietly(y, {"a": a, "b": b})
            rejected += ev.compare("a", "b", "ap", method=method, n_resamples=199).pvalue <= 0.05
        assert rejected <= 8


def evaluated_quietly(y: np.ndarray, scores: dict[str, np.ndarray]) -> hc.Evaluation:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hc.evaluate(y, scores, metrics=["ap", "interpolated_ap"])


@pytest.mark.parametrize("method", OF_RANKS)
def test_equal_values_have_p_1(method: str) -> None:
    """A constant list and one that has the positives last, by the interpolated AP."""
    ev = evaluated_quietly(np.arange(300) < 4, {"a": np.zeros(300), "b": np.arange(300.0)})
    found = ev.compare("a", "b", "interpolated_ap", method=method)
    assert found.difference.value == 0
    assert found.pvalue == 1


def test_equal_rankers_are_not_told_apart() -> None:
    sample = binormal(30, 100, 1.0, 1.0, seed=1)
    ev = hc.evaluate(sample.y, {"a": sample.a, "b": sample.a * 2}, metrics=["ap", CROC, "recall@10%"])
    for form in ev.metrics:
        assert ev.compare("a", "b", form, method="paired-rank-permutation").pvalue == 1


@pytest.mark.slow
def test_it_is_careful_where_positives_are_many_and_says_so() -> None:
    """Two equal rankers, 100 positives and 200 negatives: none of 60 below 5%; the Fisher-Pitman test has a quarter."""
    rejected = {"paired-rank-permutation": 0, "paired-permutation": 0}
    for seed in range(60):
        sample = binormal(100, 200, 1.5, 1.5, seed=seed)
        ev = hc.evaluate(sample.y, sample.scores, metrics=CROC)
        for method in rejected:
            found = ev.compare("a", "b", CROC, method=method, n_resamples=199)
            rejected[method] += found.pvalue <= 0.05
            assert ("is conservative" in str(found.cautions)) is (method == "paired-rank-permutation")
            assert ("valid only if" in str(found)) is (method == "paired-permutation")
    assert rejected["paired-rank-permutation"] <= 1
    assert rejected["paired-permutation"] >= 6


def test_other_designs_are_refused() -> None:
    sample = binormal(20, 40, 1.0, 1.0, seed=1)
    weighted = hc.evaluate(sample.y, sample.scores, metrics="ap", sample_weight=np.arange(60) % 3 + 0.5)
    with pytest.raises(ValueError, match="cannot be combined with weights"):
        weighted.compare("a", "b", "ap", method="paired-rank-permutation")
