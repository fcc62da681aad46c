"""The study of certified cuts: a slice of it, and what its committed results must say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from validation import certified
from validation.running import read

from hitcurve.inference import Promise

NAIVE = "of the sample"


@pytest.mark.parametrize("name", certified.POPULATIONS)
def test_what_is_true_of_a_population_is_what_large_samples_have(name: str) -> None:
    population = certified.POPULATIONS[name]()
    rng = np.random.default_rng(0)
    y = np.arange(200_000) < 100_000
    scores = population.draw(rng, y)
    for cut in np.quantile(scores, (0.2, 0.5, 0.9)):
        for above, chosen in zip(population.above, (y, ~y), strict=True):
            assert np.mean(scores[chosen] >= cut) == pytest.approx(float(above(np.asarray(cut))), abs=0.008)


def test_the_deepest_cut_of_a_population() -> None:
    """Binormal 1.5: an FPR of 5% is at score 1.645, a recall of 80% at .658."""
    true = certified._True(certified.POPULATIONS["binormal 1.5"]())
    for promise, cut in ((Promise("fpr", 0.05), 1.6448536), (Promise("recall", 0.8), 0.6583788)):
        assert true.oracle(promise) == pytest.approx(float(true.share(cut)), rel=2e-3)
        assert true.breaks(promise, cut - 0.01) == (promise.what == "fpr")


def test_a_slice_is_run() -> None:
    lines = certified.study(certified.CELLS[0], 3)
    assert {line["rule"] for line in lines} > {"fixed-sequence", "mixture", "order-statistic", NAIVE}
    assert all(line["draws"] == 3 for line in lines)
    assert [line["rule"] for line in certified.of_lists("gamma", 2)] == ["hypergeometric", NAIVE]


def test_no_promise_is_broken_more_often_than_said() -> None:
    """Of all cells the worst is within Monte Carlo error of .05; cuts of the sample break theirs in about half."""
    lines = read("certified")
    exact = [line for line in lines if line["rule"] != NAIVE]
    assert len(lines) == len(certified.CELLS) * 11 + 2 * len(certified.POPULATIONS)
    for line in exact:
        error = math.sqrt(0.05 * 0.95 / int(line["draws"]))
        assert float(line["violated"]) <= 0.05 + 3.2 * error
    assert np.mean([float(line["violated"]) for line in exact]) <= 0.05
    naive = [float(line["violated"]) for line in lines if line["rule"] == NAIVE]
    assert np.median(naive) > 0.4
