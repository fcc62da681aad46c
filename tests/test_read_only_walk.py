"""Numbers that results hand out: no change of theirs changes another number."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.immutable import ReadOnly
from tests.results_under_test import SCORES, Y, results

FEW = 3  # parts of a tuple or a mapping that are looked at


def parts(first: Any, second: Any, where: str, depth: int = 4) -> Iterator[tuple[str, Any, Any]]:
    """Yield what a result hands out by its public attributes to two who ask, and the same of what is found there."""
    below: list[tuple[str, Any, Any]] = []
    if isinstance(first, Mapping):
        below = [(f"{where}[{key!r}]", first[key], second[key]) for key in list(first)[:FEW]]
    elif isinstance(first, (tuple, list)) and not hasattr(first, "_fields"):
        below = [(f"{where}[{place}]", *both) for place, both in enumerate(zip(first[:FEW], second, strict=False))]
    elif type(first).__module__.partition(".")[0] == "hitcurve":
        below = [(f"{where}.{name}", *both) for name, *both in _attributes(first, second)]
    yield from below
    if depth > 1:
        for name, one, other in below:
            yield from parts(one, other, name, depth - 1)


def _attributes(first: Any, second: Any) -> Iterator[tuple[str, Any, Any]]:
    for name in dir(first):
        if name.startswith("_"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                both = getattr(first, name), getattr(second, name)
            except (ValueError, LookupError, TypeError, AttributeError):
                continue  # undefined for these data
        if not callable(both[0]) or isinstance(both[0], Mapping):
            yield name, *both


def shared(value: Any, where: str) -> list[str]:
    """Return the arrays, dictionaries and lists that a caller can change and another caller gets."""
    found = []
    for name, first, second in parts(value, value, where):
        if isinstance(first, np.ndarray):
            if first.flags.writeable and first.size and np.shares_memory(first, second):
                found.append(name)
        elif type(first) in (dict, list, set) and first is second:
            found.append(name)
    return found


def test_the_walk_sees_what_is_shared() -> None:
    """A writable array in a result is found."""
    table = hc.HitTable.from_scores(Y, SCORES["a"])
    vars(table)["planted"] = (np.zeros(3), {"key": [1]})
    assert shared(table, "table") == ["table.planted[0]", "table.planted[1]", "table.planted[1]['key']"]


def test_what_results_hand_out_is_read_only_or_a_copy() -> None:
    """Every array, dictionary and list that is reached from a result cannot be changed, or is made anew."""
    assert [place for name, result in results().items() for place in shared(result, name)] == []


def test_copies_are_read_only_too() -> None:
    """So are those of a result that was copied."""
    copies = {name: copy.deepcopy(result) for name, result in results().items()}
    assert [place for name, result in copies.items() for place in shared(result, name)] == []


def test_what_was_given_stays_as_it_is() -> None:
    """Arrays and dictionaries of the caller can be changed after all that is asked of them."""
    rng = np.random.default_rng(0)
    y, time = np.array(Y), rng.random(40)
    a, b = rng.normal(size=(2, 40)) + 2 * Y
    weight, cluster, group, markers = (
        1 + rng.random(40),
        np.arange(40) // 2,
        np.arange(40) % 2,
        rng.normal(size=(40, 3)),
    )
    scores, lower, markers_by_name = {"a": a, "b": b}, {"a": True, "b": True}, {"p": markers[:, 0], "q": markers[:, 1]}
    arrays = [y, a, b, time, weight, cluster, group, markers]
    made = [
        hc.evaluate(y, scores, metrics="ap", sample_weight=weight, higher_is_better=lower),
        hc.evaluate(y, scores, metrics="ap", clusters=cluster),
        hc.evaluate(y, scores, metrics="ap", by=group),
        hc.evaluate_survival(
            time, y, scores, horizons=0.5, metrics="auc", sample_weight=weight, higher_is_better=lower
        ),
        hc.screen(markers, y, clusters=cluster),
        hc.screen(markers_by_name, y),
    ]
    assert [place for result in made for place in shared(result, type(result).__name__)] == []
    assert all(array.flags.writeable for array in arrays)
    assert {type(one) for one in (scores, lower, markers_by_name)} == {dict}


def test_a_dictionary_of_a_result_refuses_changes_and_is_one_for_json() -> None:
    """It is a dictionary for whoever reads it; each way to change it ends in one sentence."""
    found: Any = hc.evaluate(Y, SCORES, metrics="auc").compare_all("auc")
    before = dict(found.values)
    changes: list[Any] = [
        lambda d: d.__setitem__("a", 0.0),
        lambda d: d.__delitem__("a"),
        lambda d: d.__ior__({"a": 0.0}),
        lambda d: d.update(a=0.0),
        lambda d: d.pop("a"),
        lambda d: d.popitem(),
        lambda d: d.setdefault("z", 0.0),
        lambda d: d.clear(),
    ]
    assert {name for name in dir(dict) if name not in dir(Mapping)} - {"copy", "fromkeys"} <= {
        *("__setitem__", "__delitem__", "__ior__", "update", "pop", "popitem", "setdefault", "clear"),
        *("__or__", "__ror__"),  # which make another one
    }
    for change in changes:
        with pytest.raises(hc.errors.ReadOnlyError, match=r"cannot be changed: change a copy, dict\(\.\.\.\) of it"):
            change(found.values)
    assert json.loads(json.dumps(found.values)) == before == found.values
    assert type(found.values.copy()) is type(found.values | {}) is dict


def test_arrays_in_a_dictionary_are_viewed() -> None:
    """As are those in tuples in it; the array of the caller can be changed."""
    own = np.arange(3)
    kept: Any = ReadOnly({"x": own, "y": (own, {"z": own})})
    assert own.flags.writeable
    assert not any(one.flags.writeable for one in (kept["x"], kept["y"][0], kept["y"][1]["z"]))
