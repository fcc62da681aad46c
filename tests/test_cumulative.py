"""Searches in cumulative columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hitcurve.cumulative import first_reaching


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.float64])
def test_whole_columns_are_searched_as_columns_of_floats(side: Any, kind: type) -> None:
    column: Any = np.array([0, 0, 1, 3, 3, 7], kind)
    values = np.array([-2.5, -1, 0, 0.5, 1, 2, 2.999, 3, 3.001, 6.5, 7, 7.5, 100, np.nan, np.inf, -np.inf])
    expected = column.astype(float).searchsorted(values, side)
    assert first_reaching(column, values, side).tolist() == expected.tolist()
    assert [int(first_reaching(column, value, side)) for value in values] == expected.tolist()
