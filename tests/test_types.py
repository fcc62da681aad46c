"""What a type checker of users knows of values: one number or an array, by what they are asked of."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import hitcurve as hc
from hitcurve.metrics.metric import Metric
from hitcurve.table import HitTable

Array = npt.NDArray[np.float64]
TABLE = HitTable.from_scores([1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1])


def value_of(metric: hc.Metric, table: hc.HitTable) -> float:
    return metric.value(table)


def values_of(metric: hc.Metric, stack: hc.TableStack) -> Array:
    return metric.value(stack)


class Shifted(Metric):
    """A metric of a user whose value is one method, as it was before there were several signatures."""

    def value(self, table: Any) -> Any:
        return super().value(table) + 1


def test_values_are_of_their_types() -> None:
    auc = hc.metric("auc")
    assert type(value_of(auc, TABLE)) is float
    values = values_of(auc, hc.TableStack.from_tables({"a": TABLE, "b": TABLE}))
    assert type(values) is np.ndarray
    assert values.dtype == np.float64
    assert_type(auc.value(TABLE), float)
    assert_type(auc.value(TABLE.counts), Any)


def test_heights_of_curves_and_bands_are_of_their_types() -> None:
    ev = hc.evaluate([0, 1] * 6, {"a": [*range(12)]}, metrics="auc")
    curve, mean = TABLE.curve("roc"), hc.average_curve([TABLE, TABLE], "roc")
    band = ev.band("a", "roc", coverage="pointwise")
    at_one = [assert_type(line.at(0.5), float) for line in (curve, mean)]
    at_one += [assert_type(line.at(0.5), float) for line in (band.low, band.high, band.center)]
    at_one += [assert_type(curve.at(np.float64(0.5), "left"), float), assert_type(curve.at(np.int64(1)), float)]
    assert all(type(one) is float for one in at_one)
    at_many = [assert_type(curve.at([0, 0.5]), Array), assert_type(mean.at(np.zeros(2)), Array)]
    at_many += [assert_type(line.at(np.linspace(0.2, 0.8, 3)), Array) for line in (band.low, band.high, band.center)]
    assert all(type(many) is np.ndarray and many.dtype == np.float64 for many in at_many)
    assert_type(curve.at([[0.0, 1.0]]), Any)
