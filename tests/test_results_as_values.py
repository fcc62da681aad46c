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


# ---- asked by keys, gone through

KEYS: tuple[Any, ...] = (0, -1, 99, 1.5, None, "zz", b"a", (), ("a",), (None, None), ("zz",) * 3, [], {}, object, ...)


def _first_of_each_kind() -> dict[str, Any]:
    return {type(one).__name__: one for one in reversed(_of_hitcurve().values()) if not hasattr(one, "_fields")}


def test_whatever_key_is_asked_for_ends_in_a_value_or_a_sentence() -> None:
    """What has places is a sequence, beyond whose end is an ``IndexError``."""
    odd = []
    for kind, one in _first_of_each_kind().items():
        if not hasattr(one, "__getitem__"):
            continue
        for key in KEYS:
            try:
                one[key]
            except hc.errors.HitcurveError as error:
                odd += [] if len(str(error)) > 15 else [f"{kind}[{key!r}]: {error!r}"]
            except Exception as error:
                if isinstance(error, IndexError) and isinstance(key, int):
                    continue
                odd.append(f"{kind}[{key!r}]: {error!r}")
    assert odd == []


def test_whatever_can_be_asked_can_be_gone_through() -> None:
    """Each time the same, as many as it is long, and ``in`` says what is among them."""
    lengths = {}
    for kind, one in _first_of_each_kind().items():
        if hasattr(one, "__getitem__"):
            every = list(one)
            lengths[kind] = len(every)
            assert not hasattr(one, "__len__") or len(every) == len(one), kind
            assert every[0] in one, kind
            assert "zz" not in one, kind
    assert len(lengths) > 12
    assert min(lengths.values()) > 0


def test_mappings_have_a_default() -> None:
    """A name that is not there is a ``KeyError`` with a sentence, as mappings need it."""
    for made in (results()["screens"], results()["tables"]):
        assert made.get("zz") is None
        with pytest.raises(KeyError, match=r"^no (group|ranker) 'zz'"):
            made["zz"]


def test_what_a_result_goes_through() -> None:
    """A screen its markers, a covariance its values, a gap its pairs, a metric over time its rankers."""
    screen = hc.screen({"p": SCORES["a"], "q": SCORES["b"]}, Y)
    assert list(screen) == ["p", "q"]
    assert "p" in screen
    assert "auc" not in screen
    kinds = _first_of_each_kind()
    assert list(kinds["Covariance"]) == list(kinds["Covariance"].labels)
    assert list(kinds["Gap"]) == list(kinds["Gap"].pairs)
    assert list(kinds["OverTime"]) == list(kinds["OverTime"].rankers)
    with pytest.raises(hc.errors.ParameterError, match=r"ask for two values, as in covariance\['a', 'b'\], got 0"):
        kinds["Covariance"][0]
    with pytest.raises(hc.errors.ColumnNotFoundError, match=r"no group \(\) was evaluated"):
        kinds["GroupedEvaluation"][()]
