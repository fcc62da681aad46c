"""Arrays that results hand out are shared by all who ask: nobody can change the numbers of the others."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import ParameterError
from hitcurve.metrics import Metric

RNG = np.random.default_rng(0)
Y = np.tile([1, 0, 0], 100)
A = RNG.normal(size=300) + Y
B = A + RNG.normal(size=300)


def _results() -> dict[str, Any]:
    ev = hc.evaluate(Y, {"a": A, "b": B}, metrics=["ap", "auc"])
    grouped = hc.evaluate(Y, {"a": A, "b": B}, metrics=["ap", "auc"], by=np.repeat(list("uvwxy"), 60))
    table = ev.tables["a"]
    return {
        "table": table,
        "curve": table.curve("roc"),
        "magnified curve": table.curve("croc"),
        "band": ev.band("a", "roc"),
        "covariance": ev.covariance(),
        "decision curve": ev.decision_curve("a", cut="best"),
        "comparisons": ev.compare_all("ap"),
        "winner": ev.winner("ap"),
        "mean of groups": grouped.mean("a", "ap"),
        "comparison of groups": grouped.compare("a", "b", "ap"),
        "certified cuts": grouped.certify("a", recall=0.5),
        "drift": hc.drift({"monday": table, "tuesday": ev.tables["b"]}, "auc"),
        "screen": hc.screen(np.column_stack([A, B]), Y),
    }


@pytest.mark.parametrize("name", _results())
def test_arrays_of_results_are_read_only_or_copies(name: str) -> None:
    result = _results()[name]
    seen = 0
    for attribute in (one for one in dir(result) if not one.startswith("_")):
        try:
            value = getattr(result, attribute)
        except hc.errors.HitcurveError:
            continue
        if isinstance(value, np.ndarray) and getattr(result, attribute) is value:
            assert not value.flags.writeable, attribute
            seen += 1
    assert seen or name in ("comparisons", "winner", "comparison of groups", "certified cuts")


def test_rates_of_a_table_cannot_be_changed() -> None:
    table = hc.HitTable.from_scores(Y, A)
    area = hc.roc_curve(table).area()
    for rates in (table.tpr, table.fpr, table.rate):
        with pytest.raises(ValueError, match="read-only"):
            rates *= 100
    assert hc.roc_curve(table).area() == area


def test_a_column_that_was_given_stays_writable() -> None:
    pos, neg = np.array([3, 2, 1]), np.array([4, 5, 6])
    hc.evaluate(tables={"a": hc.HitTable.from_counts(pos, neg)}, metrics="ap")
    labels, scores = Y.copy(), A.copy()
    hc.evaluate(labels, scores, metrics="ap")
    assert all(column.flags.writeable for column in (pos, neg, labels, scores))


@dataclass(frozen=True)
class _InPlace(Metric):
    what: str = "P"
    name: ClassVar[str] = "in_place"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def kernel(self, c: Any) -> Any:
        x = getattr(c, self.what)
        x *= 0.5
        return x.max(axis=-1) * 0 + 0.5


@dataclass(frozen=True)
class _Masked(Metric):
    name: ClassVar[str] = "masked"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def kernel(self, c: Any) -> Any:
        return np.ma.MaskedArray(np.zeros(c.P.shape[:-1]), mask=True)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("what", ["P", "Q", "pos", "neg", "H", "B", "r"])
def test_a_kernel_cannot_change_the_counts_of_other_metrics(what: str, grouped: bool) -> None:
    metric = _InPlace(what)
    by: dict[str, Any] = {"by": np.repeat(list("uvwxy"), 60)} if grouped else {}
    with pytest.raises(ParameterError, match=r"changes counts in place, which are read-only .* change a copy"):
        hc.evaluate(Y, A, metrics=[metric, "ap", "auc"], **by)


def test_a_metric_is_a_dataclass() -> None:
    class Plain(Metric):
        name = "plain"

        def kernel(self, c: Any) -> Any:
            return c.P.max(axis=-1)

    with pytest.raises(
        ParameterError, match=r"Plain must be a dataclass: put @dataclass\(frozen=True\) above the class"
    ):
        hc.evaluate(Y, A, metrics=[Plain()])


def test_a_masked_value_is_no_value() -> None:
    with pytest.raises(ParameterError, match="got a masked array: put nan where the value is undefined"):
        hc.evaluate(Y, A, metrics=[_Masked()])


# ---- other things that are done with results


def test_results_can_be_pickled_and_gone_through() -> None:
    results = _results()
    results["readers"] = hc.evaluate_readers(**_readings())
    for name, result in results.items():
        for protocol in (2, pickle.HIGHEST_PROTOCOL):
            assert str(pickle.loads(pickle.dumps(result, protocol))) == str(result), name
    cuts = results["certified cuts"]
    assert [*cuts] == [*"uvwxy"]
    assert "u" in cuts
    assert "z" not in cuts
    with pytest.raises(hc.errors.ColumnNotFoundError, match="no group 'z'"):
        cuts["z"]


def _readings() -> dict[str, Any]:
    case, reader, modality = (side.ravel() for side in np.meshgrid(np.arange(60), [1, 2, 3], ["x", "y"]))
    truth = case % 3 == 0
    return {
        "truth": truth,
        "rating": RNG.normal(size=case.size) + truth,
        "reader": reader,
        "modality": modality,
        "case": case,
    }
