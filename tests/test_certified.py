"""Cuts that keep a promise with confidence: the rules, against their definitions and against all samples of a few."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from hitcurve import HitTable
from hitcurve.counts import Array
from hitcurve.inference import CutPlaces, Promise, certified_cut
from hitcurve.inference.promises import certified as rules

# positives at these ranks of 120 subjects without ties
RANKS = (*range(1, 9), 10, 11, 13, 16, 17, 20, 25, 30, 41, 55)


def hits_of_120() -> tuple[Array, Array]:
    return np.cumsum(np.isin(np.arange(1, 121), RANKS)).astype(float), np.arange(1, 121.0)


# ---- recall and false positive rate


@pytest.mark.parametrize(
    ("n", "counts", "probabilities"),
    [
        (50, (-1, -1, 1, 5), (None, None, 0.033786, 0.048027)),
        (59, (-1, 0, 1, 6), (None, 0.048495, 0.015086, 0.035052)),
        (100, (-1, 1, 4, 13), (None, 0.037081, 0.023711, 0.046912)),
        (200, (-1, 4, 12, 30), (None, 0.026447, 0.032047, 0.043022)),
        (299, (0, 8, 21, 48), (0.049536, 0.034993, 0.047576, 0.048370)),
        (500, (1, 16, 38, 84), (0.039755, 0.034290, 0.039340, 0.039415)),
        (1000, (4, 38, 84, 178), (0.028686, 0.043348, 0.048503, 0.043114)),
        (4000, (29, 177, 368, 758), (0.042467, 0.049302, 0.047153, 0.049746)),
    ],
)
def test_so_many_may_be_beyond_a_cut(n: int, counts: tuple[int, ...], probabilities: tuple[float | None, ...]) -> None:
    """The table of the design, which prints .048032 for .048027, and one subject more is too many."""
    for share, count, probability in zip((0.01, 0.05, 0.1, 0.2), counts, probabilities, strict=True):
        assert rules.most_beyond(n, share, 0.05) == count
        if probability is not None:
            assert stats.binom.cdf(count, n, share) == pytest.approx(probability, abs=5e-7)
        assert stats.binom.cdf(count + 1, n, share) > 0.05


def test_so_many_labels_certify_with_none_beyond() -> None:
    assert [rules.labels_needed(share, 0.05) for share in (0.05, 0.01, 0.2, 0.1)] == [59, 299, 14, 29]
    for share, error in itertools.product((0.003, 0.07, 0.5, 0.95), (0.01, 0.05, 0.1, 0.125)):
        n = rules.labels_needed(share, error)
        assert rules.most_beyond(n, share, error) >= 0 > rules.most_beyond(n - 1, share, error)


def _samples(n: int, cells: int) -> Array:
    """Return how n subjects fall into cells, in every way, one in each row."""
    bars = np.array(list(itertools.combinations(range(n + cells - 1), cells - 1)))
    return np.diff(bars, axis=1, prepend=-1, append=n + cells - 1) - 1.0


@pytest.mark.parametrize("masses", [(0.1, 0.1, 0.2, 0.6), (0.22, 0.02, 0.06, 0.7), (0.05, 0.14, 0.01, 0.8)])
def test_no_sample_of_a_few_negatives_breaks_the_promise_too_often(masses: tuple[float, ...]) -> None:
    """Of all samples of 12 negatives in four levels of scores, the cuts with a rate above 0.2 have at most 10%."""
    allowed, above = rules.most_beyond(12, 0.2, 0.1), np.cumsum(masses)
    broken = 0.0
    samples = _samples(12, 4)
    assert len(samples) == math.comb(15, 3)
    for counts, probability in zip(samples, np.atleast_1d(stats.multinomial.pmf(samples, 12, masses)), strict=True):
        down = np.cumsum(counts)
        places = np.flatnonzero(down <= allowed)
        if places.size and above[places[-1]] > 0.2:
            broken += probability
    assert broken <= 0.1 + 1e-12


# ---- precision


def test_tails_and_first_looks() -> None:
    hits, selected = hits_of_120()
    found = rules.tail(hits, selected, 0.5)
    for k, expected in ((10, 0.01074219), (16, 0.03840637), (20, 0.05765915), (24, 0.27062809), (25, 0.21217811)):
        assert found[k - 1] == pytest.approx(expected, abs=5e-9)
    assert rules.tail(np.array([5, 8]), np.array([5, 10]), 0.5).tolist() == pytest.approx([0.03125, 0.0546875])
    assert rules.tail(np.array(29), np.array(29), 0.9) == pytest.approx(0.047101286972, abs=5e-13)
    assert rules.tail(np.array(0), np.array(3), 0.9) == 1
    assert [rules.first_look(p, 0.05, 0) for p in (0.5, 0.8, 0.9)] == [5, 14, 29]
    for precision, misses in itertools.product((0.02, 0.3, 0.7, 0.99), (0, 1, 2, 4)):
        k = rules.first_look(precision, 0.05, misses)
        assert stats.binom.sf(k - misses - 1, k, precision) <= 0.05
        assert k == misses + 1 or stats.binom.sf(k - 1 - misses - 1, k - 1, precision) > 0.05


def _likelihood(q: float, h: float, k: float) -> float:
    return math.exp(h * math.log(q) + (k - h) * math.log1p(-q)) if q < 1 else float(h == k)


def test_the_mixture_is_its_integral() -> None:
    for h, k, p, expected in (
        (5, 5, 0.5, 2.3513752572),
        (8, 10, 0.5, 1.3867992841),
        (40, 60, 0.5, 2.1942480014),
        (95, 100, 0.9, 1.0171001872),
    ):
        assert rules.log_mixture(h, k, p) == pytest.approx(expected, abs=5e-11)
        area = integrate.quad(_likelihood, p, 1, (h, k), epsabs=0)[0]
        assert rules.log_mixture(h, k, p) == pytest.approx(math.log(area / (1 - p) / p**h / (1 - p) ** (k - h)))
    assert [rules.hits_needed(p, 0.05) for p in (0.5, 0.8, 0.9)] == [7, 20, 43]
    assert rules.log_mixture(3, 5000, 0.5) == -np.inf


def _depth(hits: Array, selected: Array, precision: float, error: float, misses: int | None) -> int:
    """Return how many subjects are above the cut by a fixed sequence, or by the mixture where no misses are given."""
    pos = np.diff(hits, prepend=0)
    table = HitTable.from_counts(pos, np.diff(selected, prepend=0) - pos)
    method, promise = "auto" if misses is not None else "mixture", Promise("precision", precision)
    return certified_cut(
        "a", CutPlaces(table), promise, confidence_level=1 - error, method=method, misses=misses
    ).selected


def test_certified_depths_of_the_design() -> None:
    hits, selected = hits_of_120()
    assert [_depth(hits, selected, 0.5, 0.05, c) for c in (0, 1, 2, 4)] == [14, 14, 14, 18]
    assert _depth(hits, selected, 0.5, 0.05, None) == 11
    assert [_depth(hits, selected, 0.7, 0.05, c) for c in (0, 1, 2, 4, None)] == [0] * 5
    assert [rules.misses_of(n) for n in (1, 29, 30, 99, 100, 4000)] == [0, 0, 1, 1, 2, 2]


def _slow_sequence(hits: Array, selected: Array, precision: float, error: float, misses: int) -> int:
    k0 = next(k for k in itertools.count(misses + 1) if stats.binom.sf(k - misses - 1, k, precision) <= error)
    last = -1
    for place, (h, k) in enumerate(zip(hits, selected, strict=True)):
        if k >= k0:
            if stats.binom.sf(h - 1, k, precision) > error:
                break
            last = place
    return int(selected[last]) if last >= 0 else 0


def test_a_fixed_sequence_is_followed_look_by_look() -> None:
    rng = np.random.default_rng(5)
    lengths = []
    for _ in range(200):
        sizes = rng.integers(1, 4, 40)
        hits = np.cumsum(rng.binomial(sizes, np.linspace(1.0, 0.2, 40))).astype(float)
        selected, precision, misses = np.cumsum(sizes).astype(float), rng.choice([0.3, 0.5, 0.8]), int(rng.integers(3))
        found = _depth(hits, selected, precision, 0.05, misses)
        assert found == _slow_sequence(hits, selected, precision, 0.05, misses)
        lengths.append(found)
    assert min(lengths) == 0
    assert max(lengths) > 40


@pytest.mark.slow
def test_no_sample_of_a_few_subjects_breaks_a_precision_too_often() -> None:
    """Of all samples of 10 subjects in three levels, 10% may."""
    samples = _samples(10, 6)
    hits, selected = np.cumsum(samples[:, ::2], axis=1), np.cumsum(samples[:, ::2] + samples[:, 1::2], axis=1)
    both = (hits[:, -1] > 0) & (hits[:, -1] < selected[:, -1])
    samples, hits, selected = samples[both], hits[both], selected[both]
    depths = {
        misses: np.array([_depth(h, k, 0.6, 0.1, misses) for h, k in zip(hits, selected, strict=True)])
        for misses in (0, 1, 2, None)
    }
    for precisions, masses in itertools.product(
        [(0.58, 0.59, 0.6), (0.9, 0.55, 0.2), (0.8, 0.61, 0.59)], [(0.5, 0.3, 0.2), (0.2, 0.2, 0.6)]
    ):
        cells = np.array([m * q for m, p in zip(masses, precisions, strict=True) for q in (p, 1 - p)])
        true = np.cumsum(cells[::2]) / np.cumsum(masses)
        probability = stats.multinomial.pmf(samples, 10, cells)
        for misses, depth in depths.items():
            place = (selected < depth[:, None]).sum(axis=1)
            wrong = (depth > 0) & (true[place] < 0.6 - 1e-12)
            broken = float(probability[wrong].sum())
            assert broken <= 0.1 + 1e-12, (precisions, masses, misses)


# ---- a finite list


@pytest.mark.slow
def test_a_finite_list_is_labelled_in_every_way() -> None:
    """Of all ways to label 9 of 14 subjects, those that certify a precision the list lacks are 10% at most."""
    for positives in itertools.islice(itertools.combinations(range(14), 8), 0, None, 900):
        y = np.isin(np.arange(14), positives)
        true, selected = np.cumsum(y) / np.arange(1, 15), np.arange(1, 15.0)
        broken = certified = ways = 0
        for chosen in itertools.combinations(range(14), 9):
            labelled = np.isin(np.arange(14), chosen)
            place = rules.finite_list(np.cumsum(labelled & y), np.cumsum(labelled), selected, 0.6, 0.1)
            certified += place >= 0
            broken += place >= 0 and true[place] < 0.6
            ways += 1
        assert broken <= 0.1 * ways
        assert certified or not y[:5].all()


def test_labels_of_a_finite_list_are_counted_without_replacement() -> None:
    """The tail is that of an urn, and a list labelled as a whole is known."""
    assert rules.hypergeometric_tail(3, 4, 10, 0.5) == pytest.approx((4 * 6 + 1) / math.comb(10, 4))
    hits, selected = hits_of_120()
    deepest = rules.finite_list(hits, selected, selected, 0.7, 0.05)
    looks = rules.looks_of(selected)
    assert deepest == max(i for i in looks if hits[i] / selected[i] >= 0.7)
    assert rules.finite_list(np.zeros(120), np.zeros(120), selected, 0.7, 0.05) == -1
    assert rules.looks_of(np.array([50.0, 120.0])).tolist() == [0, 1]


def test_certified_depths_of_finite_lists() -> None:
    """2,000 subjects, 400 of them positive, binormal 1.5: the means of the design by 400 draws are 129 and 346."""
    rng, selected = np.random.default_rng(1), np.arange(1, 2001.0)
    for m, mean in ((200, 129), (500, 346)):
        depths, broken = [], 0
        for _ in range(120):
            y = np.repeat([1, 0], [400, 1600])
            y = y[np.argsort(-rng.normal(size=2000) - 1.5 * y)]
            labelled = np.zeros(2000)
            labelled[rng.choice(2000, m, replace=False)] = 1
            place = rules.finite_list(np.cumsum(labelled * y), np.cumsum(labelled), selected, 0.5, 0.05)
            depths.append(place + 1)
            broken += place >= 0 and y[: place + 1].mean() < 0.5
        assert np.mean(depths) == pytest.approx(mean, abs=4 * float(np.std(depths)) / math.sqrt(120))
        assert broken <= 10
