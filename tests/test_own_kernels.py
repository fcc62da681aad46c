"""A metric of one's own that is another metric with another kernel: nothing that is true of the other is taken over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.counts import Array, Counts
from hitcurve.errors import ParameterError
from hitcurve.metrics import AUC, AveragePrecision, Metric, PrecisionAt, metric
from tests.metrics_under_test import FORMS

RNG = np.random.default_rng(0)
Y = np.repeat([1, 0], [40, 260])
S = RNG.normal(size=300) + Y
TABLE = hc.HitTable.from_scores(Y, S)


def _halved(one: Metric) -> Any:
    """Return a metric of a class of the same parameters, whose kernel is half of that of the other."""
    kind: Any = type(one)
    low, high = one.range

    def kernel(self: Any, c: Counts) -> Array:
        return 0.5 * np.asarray(kind.kernel(self, c))

    own = {"__module__": "elsewhere", "kernel": kernel, "range": (min(low, 0.5 * low), max(high, 0.5 * high))}
    made: Any = object.__new__(type(f"Half{kind.__name__}", (kind,), own))
    vars(made).update(vars(one) | {"_written": f"half {one}"})
    return made


@pytest.mark.filterwarnings("ignore::hitcurve.errors.SaturationWarning")
@pytest.mark.parametrize("form", FORMS)
def test_half_of_a_value_has_half_of_its_error(form: str) -> None:
    """By derivatives or, of what jumps at a cutoff, by samples; it was the error of the whole value."""
    whole = metric(form)
    own, other = (next(iter(hc.evaluate(tables={"a": TABLE}, metrics=[one]))) for one in (_halved(whole), whole))
    assert own.value == pytest.approx(other.value / 2)
    if 0.02 < other.value / (other.best or 1) < 0.98:  # not at an end, where samples show next to nothing
        sampled = own.metric.jumps or whole.jumps
        assert own.standard_error == pytest.approx(other.standard_error / 2, rel=0.3 if sampled else 0.05)
    assert own.best == pytest.approx(other.best / 2)


@dataclass(frozen=True)
class _Squared(AveragePrecision):
    name: ClassVar[str] = "squared_ap"

    def kernel(self, c: Counts) -> Array:
        return super().kernel(c) ** 2


@dataclass(frozen=True)
class _Same(AveragePrecision):
    name: ClassVar[str] = "same_ap"


def test_the_interval_of_average_precision_is_not_that_of_another_kernel() -> None:
    """It has the general one; a class that changes no kernel keeps that of average precision."""
    e = hc.evaluate(Y, S, metrics=[_Squared()])["score", _Squared()]
    ap = hc.evaluate(Y, S, metrics="ap")["score", "ap"]
    assert (ap.interval_method, e.interval_method) == ("end-model", "half-subject")
    assert e.standard_error == pytest.approx(2 * ap.value * ap.standard_error, rel=1e-6)
    assert e.metric.leave_one_out(TABLE.counts) is None
    same = hc.evaluate(Y, S, metrics=[_Same()])["score", _Same()]
    assert same.confidence_interval() == ap.confidence_interval()


def test_what_a_class_says_of_its_kernel_stays() -> None:
    """Also what a base without a kernel says, and what a class says that inherits from one with a kernel of its own."""

    class Base(Metric):
        default_interval: ClassVar[str] = "inversion"

    @dataclass(frozen=True)
    class Own(Base):
        name: ClassVar[str] = "own"

        def kernel(self, c: Counts) -> Array:
            return AUC().kernel(c)

    @dataclass(frozen=True)
    class Later(Own):
        def kernel(self, c: Counts) -> Array:
            return AUC().kernel(c) ** 2

    @dataclass(frozen=True)
    class Said(AveragePrecision):
        default_interval: ClassVar[str] = "inversion"
        perfect_value: ClassVar[float] = 1.0

        def kernel(self, c: Counts) -> Array:
            return super().kernel(c)

    assert Own().default_interval == "inversion"
    assert Later().default_interval == "inversion"  # of Base, which has no kernel
    assert (Said().default_interval, Said().perfect_value) == ("inversion", 1.0)
    assert not _halved(AUC()).is_mann_whitney
    assert _halved(metric("loss")).perfect_value is None  # it was 0
    assert _halved(PrecisionAt(5)).jumps
    assert not _halved(AUC()).jumps


def test_an_interval_that_is_declared_and_none_is_refused() -> None:
    """With the intervals that there are; nothing is said of what a class inherits."""

    @dataclass(frozen=True)
    class Wrong(AveragePrecision):
        default_interval: ClassVar[str] = "end-model"
        name: ClassVar[str] = "wrong_ap"

        def kernel(self, c: Counts) -> Array:
            return super().kernel(c) ** 2

    with pytest.raises(ParameterError, match=r"default_interval of 'wrong_ap' must be one of '', 'tilted', .* got"):
        hc.evaluate(Y, S, metrics=[Wrong()])
