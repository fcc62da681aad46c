"""Results of every kind as values: equal to their copies, and the same after any protocol of pickle."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from tests.results_under_test import GROUPS, SCORES, Y, results


def _pickled(protocol: int, one: Any) -> Any:
    return pickle.loads(pickle.dumps(one, protocol))


COPIED: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"protocol {n}": partial(_pickled, n) for n in range(pickle.HIGHEST_PROTOCOL + 1)},
}


def _of_hitcurve() -> dict[str, Any]:
    return {name: one for name, one in results().items() if type(one).__module__.startswith("hitcurve")}


@pytest.mark.parametrize("how", COPIED)
def test_a_copy_is_equal(how: str) -> None:
    """By ``==``, with the same hash where there is one, and in print."""
    odd = []
    for name, one in _of_hitcurve().items():
        other = COPIED[how](one)
        if not (one == other and str(one) == str(other)):
            odd.append(name)
        elif isinstance(one, Hashable) and hash(one) != hash(other):
            odd.append(f"hash of {name}")
    assert odd == []


def test_every_kind_of_result_is_among_them() -> None:
    """What the package names and its functions return, tables and curves included."""
    kinds = {type(one).__name__ for one in results().values()}
    assert kinds >= {
        *("Evaluation", "GroupedEvaluation", "TrecEvaluation", "SurvivalEvaluation", "HorizonEvaluation"),
        *("ReaderStudy", "Screen", "GroupScreens", "HitTable", "TableStack", "Tables", "Curve", "Band"),
        *("Comparison", "Comparisons", "Covariance", "Gap", "Sensitivity", "OverTime", "MetaAnalysis", "Drift"),
        *("Winner", "CertifiedCuts", "CertifiedCut", "DecisionCurve", "AverageCurve", "GroupMean"),
    }


@pytest.mark.parametrize(
    "make",
    [
        lambda y, s: hc.evaluate(y, s, metrics="auc"),
        lambda y, s: hc.evaluate(y, s, metrics="auc", by=GROUPS),
        lambda y, s: hc.screen(s, y),
        lambda y, s: hc.screen_one_vs_rest(s, y + GROUPS % 2),
        lambda y, s: hc.evaluate_survival(np.arange(40.0), y, s, horizons=20, metrics="auc"),
        lambda y, s: hc.evaluate_survival(np.arange(40.0), y, s, horizons=[20, 30], metrics="auc").over_time(
            "auc", n_resamples=199
        ),
        lambda y, s: hc.evaluate_readers(
            np.tile(y, 2), s["a"].tolist() + s["b"].tolist(), reader=np.repeat([1, 2], 40), case=np.tile(range(40), 2)
        ),
    ],
)
def test_of_other_data_it_is_another(make: Callable[[Any, Any], Any]) -> None:
    """The same call of equal data gives an equal result; another score of one subject gives another."""
    y = np.array(Y)
    y[20] = 1
    moved = {"a": np.where(np.arange(40) == 3, -9.0, SCORES["a"]), "b": SCORES["b"]}
    assert make(y, SCORES) == make(y.copy(), {name: own.copy() for name, own in SCORES.items()})
    assert make(y, SCORES) != make(y, moved)


def test_a_data_set_stays_one() -> None:
    """With read-only columns and its words, by every protocol."""
    data = hc.datasets.docking()
    for how in COPIED.values():
        other = how(data)
        assert other == data
        assert type(other) is type(data)
        assert not any(column.flags.writeable for column in other.values())
