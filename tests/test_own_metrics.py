"""Metrics of users: what their kernels return, the range of their values, undefined values, and their names."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.metrics import Metric, flag, keyword, positional, register_metric, registry

RNG = np.random.default_rng(0)
Y = np.repeat([1, 0], [30, 70])
S = RNG.normal(size=100) + Y
G = np.tile(np.arange(5), 20)


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Forget what a test registers."""
    monkeypatch.setattr(registry, "_METRICS", dict(registry._METRICS))
    yield
    registry._cached.cache_clear()


def made(name: str, kernel: Any, **own: Any) -> Any:
    """Return a metric class as a user writes it."""
    return dataclass(frozen=True)(type("Made", (Metric,), {"name": name, "kernel": kernel, **own}))


def youden(self: Any, c: hc.Counts) -> Any:
    """Return the largest difference of TPR and FPR."""
    return (c.P - c.Q).max(axis=-1)


RETURNED: dict[str, tuple[Any, str]] = {
    "one number for all": (lambda self, c: (c.P - c.Q).max(), r"an array of shape \(5,\), got float64 of shape \(\)"),
    "a constant": (lambda self, c: 0.5, r"an array of shape \(5,\), got float of shape \(\) and type float64"),
    "one number for each row": (lambda self, c: c.P, r"an array of shape \(5,\), got ndarray of shape \(5, 13\)"),
    "nothing": (lambda self, c: None, "an array of shape .*, got NoneType"),
    "text": (lambda self, c: "x", "an array of shape .*, got str"),
    "complex numbers": (lambda self, c: 1j * c.P.max(axis=-1), "got ndarray of shape .* and type complex128"),
    "a ragged list": (lambda self, c: [[1.0], [1.0, 2.0]], "got list"),
    "None for a list": (lambda self, c: np.full(c.shape, None), "and type object"),
}


@pytest.mark.parametrize("case", RETURNED)
def test_what_a_kernel_returns_is_one_number_for_each_list(case: str) -> None:
    kernel, words = RETURNED[case]
    one = made("returned", kernel)()
    with pytest.raises(ParameterError, match=f"returned: its kernel must return .*{words}"):
        hc.evaluate(Y, S, by=G, metrics=one)
    with pytest.raises(ParameterError, match="returned: its kernel must return one number for each list"):
        hc.evaluate(Y, S, metrics=one)["score", one].confidence_interval(method="bca", n_resamples=99, rng=0)


@pytest.mark.parametrize("kind", [int, bool, object, "f4", list])
def test_numbers_of_any_type_are_values(kind: Any) -> None:
    def kernel(self: Any, c: hc.Counts) -> Any:
        found = np.asarray(youden(self, c) > 0.1)
        return found.tolist() if kind is list else found.astype(kind)

    assert hc.evaluate(Y, S, by=G, metrics=made("typed", kernel)()).values("score", "typed").tolist() == [1.0] * 5


def test_a_gradient_has_the_shape_of_the_counts() -> None:
    def gradient(self: Any, c: hc.Counts) -> Any:
        return hc.metrics.Gradient(c.P.sum(axis=-1), c.Q, c.pi)

    counts = hc.HitTable.from_scores(Y, S).counts
    with pytest.raises(ParameterError, match=r"steep: P of its gradient must be one number for each row of each list"):
        made("steep", youden, kernel_gradient=gradient)().gradient(counts)
    with pytest.raises(ParameterError, match=r"steep: kernel_gradient must return a Gradient or None, got tuple"):
        made("steep", youden, kernel_gradient=lambda self, c: (c.P, c.Q, c.pi))().gradient(counts)


def lift(self: Any, c: hc.Counts) -> Any:
    """Return the largest precision of a depth over the prevalence."""
    return (c.precision / np.asarray(c.pi)[..., None]).max(axis=-1)


def test_a_value_beyond_the_range_is_refused_by_name() -> None:
    words = r"lift has the value 3\.33333, beyond its range \(0, 1\): give its class the range of its values, such"
    for how in ({}, {"by": G}):
        with pytest.raises(ParameterError, match=words):
            hc.evaluate(Y, S, metrics=made("lift", lift)(), **how)  # type: ignore[call-overload]
    declared = made("lift", lift, range=(0.0, math.inf))()
    mean = hc.evaluate(Y, S, by=G, metrics=declared).mean("score", declared)
    assert mean.interval is not None
    assert mean.interval[0] < mean.value < mean.interval[1]


@pytest.mark.parametrize("ends", [(1.0, 0.0), (1.0, 1.0), (0.0, math.nan), 3, None, (0.0, 0.5, 1.0), "ab"])
def test_a_range_is_two_numbers_the_lower_one_first(ends: Any) -> None:
    with pytest.raises(ParameterError, match="upside: range must be its lowest and its highest value, such as"):
        made("upside", youden, range=ends)().value(hc.HitTable.from_scores(Y, S))


def test_rounding_is_not_beyond_a_range() -> None:
    kernel = lambda self, c: 1 + 2e-16 + 0 * youden(self, c)  # noqa: E731
    assert made("rounded", kernel)().value(hc.HitTable.from_scores(Y, S)) == 1.0


def some(self: Any, c: hc.Counts) -> Any:
    """Return nan of lists with few positives, without a reason."""
    return np.where(c.n1 >= 4, youden(self, c), np.nan)


def few_in_one_group() -> Any:
    """Return labels of which one group has two positives."""
    y = np.where(G == 2, 0, Y)
    y[np.flatnonzero(G == 2)[:2]] = 1
    return y


def test_nan_without_a_reason_is_undefined() -> None:
    y, one = few_in_one_group(), made("some", some)()
    here = G == 2
    reason = "some is undefined: its kernel returned nan"
    for raising in (
        lambda: one.value(hc.HitTable.from_scores(y[here], S[here])),
        lambda: one(y[here], S[here]),
        lambda: hc.evaluate(y[here], S[here], metrics=one),
        lambda: hc.evaluate(y, S, by=G, metrics=one),
    ):
        with pytest.raises(UndefinedMetricError, match=reason):
            raising()
    with pytest.warns(hc.errors.UndefinedMetricWarning, match=reason):
        ev = hc.evaluate(y, S, by=G, metrics=one, undefined="nan")
    assert ev["2"]["score", one].reason == reason
    assert ev.columns["reason"].tolist() == ["", "", reason, "", ""]
    assert ev.mean("score", one).n_groups == 4


def test_a_mean_over_nothing_but_nan_is_undefined() -> None:
    never = made("never", lambda self, c: np.full(c.shape, np.nan))()
    with pytest.warns(hc.errors.UndefinedMetricWarning):
        ev = hc.evaluate(Y, S, by=G, metrics=never, undefined="nan")
    with pytest.raises(UndefinedMetricError, match="never of 'score' is undefined in every group, as in '0': never is"):
        ev.mean("score", never)


def test_a_reason_that_is_given_stands() -> None:
    def why_nan(self: Any, c: hc.Counts) -> Any:
        yield hc.metrics.Refusal(c.n1 < 4, "some needs 4 positives")

    one, y = made("some", some, why_nan=why_nan)(), few_in_one_group()
    with pytest.raises(UndefinedMetricError, match=r"\('2'\): some of 'score' is undefined: some needs 4 positives"):
        hc.evaluate(y, S, by=G, metrics=one)


# ---- at registration


@dataclass(frozen=True)
class Named(Metric):
    """A metric of a user that is as it should be."""

    name = "named"
    alpha: float = keyword(2.0)
    strict: bool = flag()

    def kernel(self, c: hc.Counts) -> Any:
        """Return Youden's index, to some power."""
        return np.maximum(youden(self, c), 0) ** self.alpha


def with_fields(**fields: Any) -> Any:
    """Return a class with some fields."""
    own = {"name": "with_fields", "kernel": youden, "__annotations__": dict.fromkeys(fields, float), **fields}
    return dataclass(frozen=True)(type("WithFields", (Metric,), own))


def plain(how: Any, **own: Any) -> Any:
    """Return a class, made a dataclass in some way."""
    return how(type("Plain", (Metric,), {"name": "plain", "kernel": youden, "__annotations__": {}, **own}))


BAD: dict[str, tuple[Any, str]] = {
    "an instance": (lambda: Named(), r"takes a class .*, got Named\(.*\): give the class, Named"),
    "a number": (lambda: 3, "takes a class that inherits from hitcurve.Metric, got 3"),
    "another class": (lambda: int, "takes a class that inherits from hitcurve.Metric, got <class 'int'>"),
    "no dataclass": (lambda: plain(lambda kind: kind), r"Plain must be a frozen dataclass: write @dataclass\(frozen"),
    "not frozen": (lambda: plain(dataclass), "Plain must be a frozen dataclass"),
    "no equality": (lambda: plain(dataclass(frozen=True, eq=False)), "Plain must be a frozen dataclass"),
    "no kernel": (
        lambda: dataclass(frozen=True)(type("Plain", (Metric,), {"name": "plain", "__annotations__": {}})),
        "Plain has no kernel",
    ),
    "no name": (lambda: made(None, youden), "the name of Made must be a word of small letters.*, got None"),  # type: ignore[arg-type]
    "a reversed range": (lambda: made("upside", youden, range=(1.0, 0.0)), "range must be its lowest and its highest"),
    "an interval of no name": (
        lambda: made("nameless", youden, default_interval="nonsense"),
        "default_interval of 'nameless' must be one of .*, got 'nonsense'",
    ),
    "a field that is not written": (lambda: with_fields(beta=1.0), r"the field beta of WithFields .*with keyword\("),
    "a field of a dataclass": (lambda: with_fields(beta=field(default=1.0)), "the field beta of WithFields"),
    "a boolean keyword": (lambda: with_fields(beta=keyword(False)), r"the field beta of WithFields .* with flag\(\)"),
    "words of two": (lambda: with_fields(kind=positional("a b")), r"is written 'with_fields\(a b\)', which is read"),
    "none": (lambda: with_fields(kind=positional(None)), r"is written 'with_fields\(None\)', which is read as"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_metric_is_refused_at_registration(case: str) -> None:
    make, words = BAD[case]
    kind, before = make(), hc.metrics.names()
    with pytest.raises(ParameterError, match=words):
        register_metric(kind)
    assert hc.metrics.names() == before


@pytest.mark.parametrize(
    "name", ["", "a b", "x@1", "x(", "1x", "\u00e9", "x,", "x\ny", "AP", "nDCG", "MyMetric", "-x", "x=1", "a@b@c"]
)
def test_a_name_that_does_not_parse_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="the name of Made must be a word of small letters, digits, _ and -"):
        register_metric(made(name, youden))


@pytest.mark.parametrize("name", ["mine", "my-own_2", "ef1", "bedroc20", "hits_at_3", "mine@rank"])
def test_what_is_registered_parses_back(name: str) -> None:
    kind = register_metric(made(name, youden))
    assert hc.metric(str(kind())) == kind()


def test_parameters_of_what_is_registered_parse_back() -> None:
    register_metric(Named)
    for one in (Named(), Named(alpha=0.1), Named(strict=True), Named(1 / 3, True)):
        assert hc.metric(str(one)) == one


def test_an_interval_of_no_name_is_refused_without_registration() -> None:
    with pytest.raises(ParameterError, match="default_interval of 'nameless' must be one of"):
        hc.evaluate(Y, S, metrics=made("nameless", youden, default_interval="nonsense")())
