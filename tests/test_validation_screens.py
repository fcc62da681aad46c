"""Screens in simulation: a slice with a fixed seed, and what the committed results must say."""

from __future__ import annotations

import pytest
from validation.running import read
from validation.screens import CELLS, study


def test_a_slice_of_screens() -> None:
    ap, auc = study(CELLS[3], 4)
    assert (ap["metric"], auc["metric"]) == ("ap", "auc")
    for line in (ap, auc):
        assert line["bias_1"] > line["bias_corrected_1"]
        assert line["corrected_1"] >= 0.75
        assert line["power"] > 0.3
        assert line["false_discovery_rate"] < 0.3


@pytest.mark.parametrize("metric", ["ap", "auc"])
def test_committed_screens_hold_what_they_say(metric: str) -> None:
    lines = [
        {key: float(text) for key, text in x.items() if _is_number(text)}
        for x in read("screens")
        if x["metric"] == metric
    ]
    assert len(lines) == len(CELLS)
    for line in lines:
        assert 0.035 <= line["null_p"] <= 0.065
        assert line["false_discovery_rate"] <= 0.06
        assert line["corrected_1"] >= 0.94
        assert abs(line["bias_corrected_1"]) <= 0.05
        assert line["some_too_high"] <= 0.03
        assert line["simultaneous"] >= 0.95
    assert min(line["alone_1"] for line in lines) < 0.1


def _is_number(text: str) -> bool:
    return text.replace(".", "").replace("-", "").isdigit()
