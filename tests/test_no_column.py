"""What is not one value for each subject, and the sentence that says what to give instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import InputError

Y, SCORES = [1, 0, 1, 0], [0.4, 0.1, 0.3, 0.2]
OTHER = {
    "set": (set(SCORES), "in the order of the subjects, which a set does not keep"),
    "frozenset": (frozenset(SCORES), "which a frozenset does not keep"),
    "array of a set": (np.array(set(SCORES)), "which a set does not keep"),
    "values": (dict(enumerate(SCORES)).values(), "got dict_values: pass a list of them"),
    "keys": (dict.fromkeys(SCORES).keys(), "got dict_keys: pass a list of them"),
    "dict": (dict(enumerate(SCORES)), "got a dict: pass its values in the order of the subjects"),
    "bytes": (b"\x01\x00\x01\x00", "got bytes: pass list"),
    "generator": ((score for score in SCORES), "which a generator does not allow: pass a list"),
    "number": (0.5, "got 0.5: pass a list"),
}
DOORS: dict[str, Any] = {
    "y_true": lambda given: hc.evaluate(given, SCORES),
    "score": lambda given: hc.evaluate(Y, {"a": given}),
    "sample_weight": lambda given: hc.evaluate(Y, SCORES, sample_weight=given),
    "groups": lambda given: hc.evaluate(Y, SCORES, by=given),
    "clusters": lambda given: hc.evaluate(Y, SCORES, clusters=given),
    "y_score": lambda given: hc.HitTable.from_scores(Y, given),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", OTHER)
def test_what_is_no_column_is_refused_with_advice(door: str, kind: str) -> None:
    given, said = OTHER[kind]
    with pytest.raises(InputError, match=said) as refused:
        DOORS[door](given)
    assert door in str(refused.value)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (65_500, "65.5 kB"),
        (999_700, "1 MB"),
        (1_339_000_000, "1.34 GB"),
        (4e12, "4 TB"),
    ],
)
def test_sizes_have_a_unit_that_fits(number: float, said: str) -> None:
    assert rows.size(number) == said
