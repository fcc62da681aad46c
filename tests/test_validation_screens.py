"""Screens in simulation: a slice with a fixed seed, and what the committed results must say."""

from __future__ import annotations

from pathlib import Path

import pytest
from validation.running import read
from validation.screens import CELLS, study


@pytest.mark.slow
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
        assert abs(line["null_p"] - 0.05) <= (0.015 if line["correlation"] <= 0.5 else 0.03)
        assert line["false_discovery_rate"] <= 0.06
        assert line["corrected_1"] >= 0.94
        assert abs(line["bias_corrected_1"]) <= 0.05
        assert line["some_too_high"] <= 0.03
        assert line["simultaneous"] >= 0.95
    assert min(line["alone_1"] for line in lines) < 0.1


SAID = {
    "share of p values of null markers up to .05": "null_p",
    "false discovery rate, Benjamini-Hochberg at .05 (family-wise error where no marker differs)": (
        "false_discovery_rate"
    ),
    "interval of the best marker, corrected": "corrected_1",
    "interval of the best marker, alone": "alone_1",
    "mean error of the value of the best marker": "bias_1",
    "interval of the fifth best, corrected": "corrected_5",
    "simultaneous intervals that hold all 200 markers": "simultaneous",
    "some interval is too low": "some_too_low",
    "some interval is too high": "some_too_high",
}


def test_the_description_has_the_committed_numbers() -> None:
    text = (Path(__file__).parents[1] / "validation" / "README.md").read_text(encoding="utf-8")
    lines = read("screens")
    for what, key in SAID.items():
        assert f"| {what} | {' | '.join(_range(lines, key, metric) for metric in ('ap', 'auc'))} |" in text
    for rank in (1, 5):
        both = " | ".join(_range(lines, f"bias_corrected_{rank}", metric) for metric in ("ap", "auc"))
        assert f"| mean error of its corrected value | {both} |" in text


def _range(lines: list[dict[str, str]], key: str, metric: str) -> str:
    values = [float(line[key]) for line in lines if line["metric"] == metric]
    sign = "+" if key.startswith("bias") else ""
    low, high = (f"{end:{sign}.3f}".replace("0.", ".", 1) for end in (min(values), max(values)))
    return f"{low} to {high}"


def _is_number(text: str) -> bool:
    return text.replace(".", "").replace("-", "").isdigit()
