"""Binomial and multinomial draws, which must not depend on the version of numpy."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import hitcurve
from hitcurve.inference.resampling.draws import binomial, multinomial


@pytest.mark.parametrize("n", [1, 60, 61, 5000, 10**12])
@pytest.mark.parametrize("zeros", [False, True])
def test_multinomial_is_a_chain_of_binomials(n: int, zeros: bool) -> None:
    share = np.random.default_rng(1).dirichlet(np.full(9, 0.4), 40)
    if zeros:
        share[:20, ::3] = 0
        share[10:15, -1] = 0
    share /= np.maximum(share.sum(axis=1, keepdims=True), 1.0)
    one, other = np.random.default_rng(2), np.random.default_rng(2)
    found = multinomial(one, n, share)
    expected = np.zeros(share.shape, np.int64)
    for row, own in zip(expected, share, strict=True):
        left, rest = n, 1.0
        for cell, part in enumerate(own[:-1]):
            if left:
                row[cell] = binomial(other, left, part / rest)
            left, rest = left - row[cell], rest - part
        row[-1] = left
    np.testing.assert_array_equal(found, expected)
    assert one.random() == other.random()


def test_few_subjects_are_drawn_as_numpy_does() -> None:
    n, p = np.arange(61), np.linspace(0, 1, 50)[:, None]
    one, other = np.random.default_rng(3), np.random.default_rng(3)
    np.testing.assert_array_equal(binomial(one, n, p), other.binomial(n, p))
    assert one.random() == other.random()


def test_moments() -> None:
    found = binomial(np.random.default_rng(4), 1000, 0.2, 40_000)
    assert abs(found.mean() - 200) < 4 * np.sqrt(160 / 40_000)
    assert abs(found.var() / 160 - 1) < 4 * np.sqrt(2 / 40_000)


def test_no_draws_but_these() -> None:
    """A generator's own binomial and multinomial numbers follow the version of numpy."""
    source = Path(hitcurve.__file__).parent
    own = source / "inference" / "resampling" / "draws.py"
    drawn = re.compile(r"\b\w+\.(multinomial|binomial)\((?!\[)")
    assert not [
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if path != own and drawn.search(path.read_text(encoding="utf-8"))
    ]
