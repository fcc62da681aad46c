"""Texts, dates and truth values are no numbers, wherever numbers are given."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import HitcurveError, InsufficientDataError, ParameterError
from tests.shell import Shell

Y, S = np.array([1, 0, 1, 0, 1, 0]), np.array([0.9, 0.8, 0.7, 0.4, 0.3, 0.1])
NONE = ("0.5", "\u0661", True, np.datetime64("1970-01-01"), b"0.5", [0.1, True], [0.1, "a"], [[0.1], [0.2, 0.3]], None)
PLACES = ("roc", "precision_recall", "lift", "accumulation", "det", "thresholds")


def _give(place: str, given: Any) -> Any:
    if place == "thresholds":
        return hc.evaluate(Y, S, metrics="auc").decision_curve("score", "0.5" if given is None else given, cut="best")
    return hc.HitTable.from_scores(Y, S).curve(place).at(given)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("given", NONE, ids=repr)
def test_they_are_refused(place: str, given: Any) -> None:
    with pytest.raises(ParameterError, match="must be numbers, got"):
        _give(place, given)


@pytest.mark.parametrize("given", [[0.25, 0.5], (0.25, 0.5), np.array([0.25, 0.5], np.float32), [Decimal("0.25"), 0.5]])
def test_numbers_of_any_kind_are_taken(given: Any) -> None:
    curve = hc.HitTable.from_scores(Y, S).curve("roc")
    assert curve.at(given).tolist() == [curve.at(0.25), curve.at(0.5)]


@pytest.mark.parametrize(
    "make",
    [lambda: hc.HitTable.from_ranks([True, 2], n=10), lambda: hc.HitTable.from_counts(pos=[1, True], neg=[1, 1])],
)
def test_truth_values_are_no_counts(make: Callable[[], Any]) -> None:
    with pytest.raises(HitcurveError, match="must be a row of whole numbers"):
        make()


def test_no_list_is_counted_as_none() -> None:
    with pytest.raises(InsufficientDataError, match="got 0"):
        hc.average_curve([])


def test_names_in_a_database_have_no_nul() -> None:
    with pytest.raises(ParameterError, match=re.escape("and 'a\\x00b' has a NUL character")):
        hc.sql("a\0b", "s")


def test_a_threshold_that_is_given_twice_is_refused(shell: Shell, tmp_path: Any) -> None:
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["y,p", *(f"{y},{s}" for y, s in zip(Y, S, strict=True))]) + "\n")
    given = ("decision", str(path), "-l", "y", "-s", "p", "-t", "20%", "-t", "0.2")
    assert shell(*given).refusal == "--threshold 0.2 is given twice"
