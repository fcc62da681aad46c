"""Confusion matrices of an evaluation at any score, as counts of the subjects themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.confusion import Confusion
from hitcurve.errors import ParameterError, UndefinedMetricError
from tests.sampled import binormal
from tests.shell import Shell

SAMPLE = binormal(40, 400, 1.5, seed=8)


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize("weight", [None, np.arange(440) % 3 + 0.5])
@pytest.mark.parametrize("digits", [1, 9])
def test_every_threshold_counts_the_subjects(low: bool, weight: Any, digits: int) -> None:
    y, s = SAMPLE.y, np.round(SAMPLE.a, digits)
    given = -s if low else s
    ev = hc.evaluate(y, {"a": given}, metrics="auc", higher_is_better=not low, sample_weight=weight)
    of = np.ones(y.size) if weight is None else weight
    for threshold in (-9.0, -0.55, 0.2, 0.731, *s[:5], 9.0):
        found = ev.confusion("a", threshold=-threshold if low else threshold)
        above = s >= threshold
        expected = [of[above == selected][y[above == selected] == label].sum() for selected, label in CELLS]
        assert (found.tp, found.fp, found.fn, found.tn) == pytest.approx(expected)
        assert found.threshold == (-threshold if low else threshold)


CELLS = ((True, 1), (True, 0), (False, 1), (False, 0))


def test_a_certified_cut_has_the_matrix_that_it_says(tmp_path: Path, shell: Shell) -> None:
    ev = hc.evaluate(SAMPLE.y, {"a": SAMPLE.a}, metrics="auc")
    cut = ev.certify("a", fpr=0.1)
    assert cut.threshold not in SAMPLE.a[SAMPLE.y == 1]  # a score of a negative, which the table does not have
    assert ev.confusion("a", threshold=cut.threshold) == cut.confusion
    data = tmp_path / "s.csv"
    data.write_text(
        "y,a\n" + "".join(f"{y},{s!r}\n" for y, s in zip(SAMPLE.y.astype(int), SAMPLE.a.tolist(), strict=True))
    )
    (record,) = shell("confusion", data, "-l", "y", "-s", "a", "--threshold", repr(cut.threshold), "-f", "json").json
    assert cut.confusion is not None
    assert (record["tp"], record["fp"]) == (cut.confusion.tp, cut.confusion.fp)


@pytest.mark.parametrize("at", ["2.298", "1.5", "0", "-3", "150%"])
def test_a_score_given_as_a_place_is_told_from_it(tmp_path: Path, shell: Shell, at: str) -> None:
    (tmp_path / "s.csv").write_text("y,a\n1,3\n0,2\n0,1\n")
    said = shell("confusion", tmp_path / "s.csv", "-l", "y", "-s", "a", "--at", at).refusal
    assert "a whole number of at least 1" in said
    assert f"got {at}; a score is given by --threshold" in said


def test_shares_are_quotients_of_the_counts() -> None:
    """Rounded once: cuts of equally many subjects have the same rate, whatever is above them."""
    for tp in range(31):
        found = Confusion(tp, 480 - tp, 400 - tp, 47_600 - (480 - tp), 400 / 48_000)
        assert (found.rate, found.precision) == (480 / 48_000, tp / 480)
        assert found.negative_predictive_value == (47_600 - 480 + tp) / (48_000 - 480)
        assert found.accuracy == (tp + 47_600 - 480 + tp) / 48_000
    assumed = Confusion(8, 10, 2, 90, 0.25)
    assert assumed.precision == pytest.approx(0.25 * 0.8 / (0.25 * 0.8 + 0.75 * 0.1))
    assert assumed.rate == pytest.approx(0.275)


def test_other_cuts_are_those_of_the_table() -> None:
    ev = hc.evaluate(SAMPLE.y, {"a": SAMPLE.a}, metrics="auc")
    assert ev.confusion("a", rate=0.1) == ev.tables["a"].confusion(rate=0.1)
    assert ev.confusion("a", k=7) == ev.tables["a"].confusion(k=7)
    with pytest.raises(ParameterError, match="exactly one of rate, k and threshold"):
        ev.confusion("a", k=7, threshold=1.0)
    with pytest.raises(ParameterError, match="threshold"):
        ev.confusion("a", threshold=float("nan"))


def test_without_data_a_threshold_between_positives_says_why() -> None:
    ev = hc.evaluate(SAMPLE.y, {"a": SAMPLE.a}, metrics="auc").without_data()
    with pytest.raises(UndefinedMetricError, match="lies between scores of positives"):
        ev.confusion("a", threshold=0.2)
