"""Chunks of columns: the same subjects in the same order, of long and short parts."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hitcurve import chunks


@pytest.mark.parametrize("columns", [1, 2, 7])
@pytest.mark.parametrize("sizes", [[], [0], [5], [30, 30, 30], [100, 1, 99], [250, 10, 250], [33] * 20])
def test_chunks_hold_all_subjects(monkeypatch: pytest.MonkeyPatch, sizes: list[int], columns: int) -> None:
    monkeypatch.setattr(chunks, "_MOST", 100)
    ends = np.cumsum([0, *sizes])
    parts = [[np.arange(a, b), -np.arange(a, b, dtype=float)] for a, b in itertools.pairwise(ends)]
    most = 100 // max(columns // 2, 1)
    found: list[list[np.ndarray]] = []
    for chunk in chunks.in_chunks(parts, columns):
        assert chunk[0].size <= max(most, *sizes)
        found.append([column.copy() for column in chunk])
    assert all(chunk[0].size for chunk in found[1:])
    assert bool(found) == bool(sizes)
    own = np.concatenate([np.empty(0, int), *(chunk[0] for chunk in found)])
    np.testing.assert_array_equal(np.sort(own), np.arange(ends[-1]))
    np.testing.assert_array_equal(-own, np.concatenate([np.empty(0), *(chunk[1] for chunk in found)]))
    assert len(found) <= 1 + len([size for size in sizes if size > most]) + 2 * sum(sizes) // most


def test_parts_of_another_type_stay_apart() -> None:
    parts = [[np.array([1.5])], [np.array([2**53 + 1])], [np.array([2.5])]]
    found = [chunk[0].copy() for chunk in chunks.in_chunks(parts, 1)]
    assert [part.dtype.kind for part in found] == ["i", "f"]
    assert [part.tolist() for part in found] == [[2**53 + 1], [1.5, 2.5]]
