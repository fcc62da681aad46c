"""Reader studies in simulation: a slice with a fixed seed, and what the committed results must say."""

from __future__ import annotations

import pytest
from scipy.special import ndtr
from validation.readers import CELLS, mean_of, study
from validation.running import read


@pytest.mark.slow
def test_a_slice_of_reader_studies() -> None:
    for cell in (CELLS[1], CELLS[18]):
        for line in study(cell, 20):
            assert line["covered"] >= 0.8
            assert line["fixed_covered"] >= 0.8
            assert abs(line["bias_of_difference"]) < 0.04


def test_the_truth_is_that_of_normal_readers() -> None:
    assert mean_of("auc", 1.5, 0.12, 0.5) == pytest.approx(ndtr(1.5 / 2.12**0.5), abs=2e-5)


@pytest.mark.parametrize("metric", ["auc", "ap"])
def test_committed_reader_studies_hold_what_they_say(metric: str) -> None:
    lines = [line for line in read("readers") if line["metric"] == metric]
    assert len(lines) == len(CELLS)
    for line in lines:
        few = line["readers"] == "3" or line["clusters"] == "10"
        assert abs(float(line["covered"]) - 0.95) <= (0.03 if few else 0.02)
        assert abs(float(line["fixed_covered"]) - 0.95) <= 0.022
        assert 0.966 >= float(line["mean_covered"]) >= (0.91 if few else 0.925)
        assert float(line["fixed_mean_covered"]) >= (0.905 if few else 0.915)
        assert abs(float(line["bias_of_difference"])) <= 0.004
        if float(line["difference"]):
            assert -0.01 <= float(line["planned"]) - float(line["rejected"]) <= 0.08
        else:
            assert float(line["rejected"]) <= (0.08 if few else 0.07)


def test_committed_subgroups_hold_what_they_say() -> None:
    """200 samples a cell, standard error .015."""
    lines = read("gaps")
    alike = [line for line in lines if line["equal"] == "True"]
    assert max(float(line["rejected"]) for line in alike) <= 0.1
    assert max(float(line["rejected_pairs"]) for line in alike) <= 0.1
    assert min(float(line["coverage"]) for line in lines) >= 0.91
