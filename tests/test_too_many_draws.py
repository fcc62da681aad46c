"""Numbers of random draws that no machine would get through are refused in one sentence, wherever they are taken."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.learn import MarkerSelector
from tests.shell import Shell

RNG = np.random.default_rng(5)
N = 60
Y = np.repeat([1, 0], [20, 40])
X = RNG.normal(size=(N, 8)) + 1.5 * Y[:, None]
SCORES = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]}
GROUPS = np.tile(np.arange(6), 10)
TOO_MANY = 10**9


def evaluation(**options: Any) -> Any:
    return hc.evaluate(Y, SCORES, metrics=["ap", "auc"], **options)


def readers() -> Any:
    data = hc.datasets.reader_study()
    return hc.evaluate_readers("truth", "rating", data=data, reader="reader", modality="modality", case="case")


def survival() -> Any:
    return hc.evaluate_survival(RNG.exponential(8, N), RNG.random(N) < 0.7, X[:, 0], horizons=4)


DOORS: dict[str, Callable[[int], object]] = {
    "screen": lambda b: hc.screen(X, Y, n_resamples=b),
    "screen by group": lambda b: hc.screen(X, Y, by=GROUPS, n_resamples=b),
    "weighted orders": lambda b: hc.screen(X, Y, n_resamples=b, orders="weighted"),
    "top": lambda b: hc.screen(X, Y).top(2, n_resamples=b),
    "ranks": lambda b: hc.screen(X, Y).simultaneous(n_resamples=b),
    "marker_score": lambda b: hc.marker_score("ap", n_resamples=b),
    "MarkerSelector": lambda b: MarkerSelector(k=None, n_resamples=b).fit(X, Y),
    "interval": lambda b: evaluation()["a", "ap"].confidence_interval(method="percentile", n_resamples=b),
    "end-model": lambda b: evaluation()["a", "ap"].confidence_interval(method="end-model", n_resamples=b),
    "against random": lambda b: evaluation()["a", "ap"].test_random(n_resamples=b),
    "compare": lambda b: evaluation().compare("a", "b", "ap", method="bootstrap", n_resamples=b),
    "compare by swaps": lambda b: evaluation().compare("a", "b", "ap", method="swap-permutation", n_resamples=b),
    "compare_all": lambda b: evaluation().compare_all("ap", n_resamples=b),
    "compare groups": lambda b: evaluation(by=GROUPS).compare("a", "b", "ap", method="sign-flip", n_resamples=b),
    "tukey": lambda b: evaluation(by=GROUPS).compare_all("ap", adjust="tukey", n_resamples=b),
    "bootstrap": lambda b: hc.bootstrap(hc.HitTable.from_scores(Y, X[:, 0]), ["ap", "auc"], n_resamples=b),
    "band": lambda b: hc.band(Y, X[:, 0], curve="roc", method="bootstrap", n_resamples=b),
    "smoothed band": lambda b: hc.band(Y, X[:, 0], curve="accumulation", method="smoothed-bootstrap", n_resamples=b),
    "readers": lambda b: readers().bootstrap(n_resamples=b),
    "over time": lambda b: survival().over_time("auc", (3, 5), n_resamples=b),
    "drift": lambda b: hc.drift({d: hc.HitTable.from_scores(Y, s) for d, s in SCORES.items()}, "auc", draws=b),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_billion_draws_are_refused_at_once(door: str) -> None:
    start = time.process_time()
    with pytest.raises(ParameterError, match=r"^(n_resamples|draws) must be at most [\d,]+(,| here)") as refused:
        DOORS[door](TOO_MANY)
    assert "got 1,000,000,000" in str(refused.value)
    assert time.process_time() - start < 5


def test_what_holds_many_numbers_of_each_draw_takes_fewer() -> None:
    with pytest.raises(ParameterError, match=r"at most 2,236,962 here, where 60 numbers of each draw are held, got 3,"):
        hc.screen(X, Y).top(2, n_resamples=3_000_000)
    with pytest.raises(ParameterError, match="of each draw are held, got 9,000,000"):
        hc.band(Y, X[:, 0], curve="roc", method="bootstrap", n_resamples=9_000_000)


def test_the_most_is_taken() -> None:
    assert _checks.resamples(_checks.MOST_DRAWS) == 10_000_000
    with pytest.raises(ParameterError, match="n_resamples must be at most 10,000,000, got 10,000,001"):
        _checks.resamples(_checks.MOST_DRAWS + 1)


def test_on_the_shell_too(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    lines = [f"{label},{a!r},{b!r}" for label, a, b in zip(Y.tolist(), X[:, 0].tolist(), X[:, 1].tolist(), strict=True)]
    path.write_text("\n".join(["y,a,b", *lines]) + "\n")
    for command in (
        ["evaluate", path, "--label", "y", "--score", "a", "--score", "b", "--compare", "ap"],
        ["screen", path, "--label", "y"],
    ):
        assert shell(*command, "--n-resamples", TOO_MANY).refusal.startswith("--n-resamples must be at most 10,000,000")
