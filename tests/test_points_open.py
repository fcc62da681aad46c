"""What the committed results say of the questions that the design of operating points leaves open."""

from __future__ import annotations

import numpy as np
import pytest
from validation import points_open
from validation.running import read

import hitcurve as hc
from tests.sampled import quietly


def test_intervals_by_the_cut_cover_every_kind_of_data() -> None:
    """120 draws a cell, standard error .020."""
    lines = [line for line in read("points_open") if line["coverage"]]
    by_cut = [line for line in lines if line["method"] in ("profile", "cut-limits", "best-cut")]
    assert {line["kind"] for line in by_cut} == set(points_open.KINDS)
    assert min(float(line["coverage"]) for line in by_cut) >= 0.92


def test_best_cuts_of_clusters_and_weights_cover() -> None:
    """Of 300 and 150 draws a cell."""
    best = read("points_open_best_cuts")
    assert {line["kind"] for line in best} == {"weights", "clusters"}
    assert min(float(line["coverage"]) for line in best) >= 0.94  # which a caution says
    assert np.mean([float(line["coverage"]) for line in best]) >= 0.95


def test_no_band_certifies_as_deep_a_cut_as_a_fixed_sequence() -> None:
    lines = {(line["population"], line["n1"], line["rule"]): line for line in read("certified_bands")}
    for (population, n1, rule), line in lines.items():
        assert float(line["violated"]) <= 0.05 + 3 * 0.028
        assert float(line["mean_recall"]) <= float(lines[population, n1, "fixed sequence"]["mean_recall"]), rule


def test_a_slice_is_run() -> None:
    found = points_open.study(points_open.Cell("weights", "beta"), 1)
    assert {line["metric"] for line in found} == set(points_open.FORMS)
    assert [line["rule"] for line in points_open.bands("beta", 1)][:2] == ["fixed sequence", "region"]


def test_ks_of_weights_is_that_of_as_many_equal_ones() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.2
    scores = rng.normal(size=400) + y

    def estimate(**options: object) -> hc.Estimate:
        return quietly(y, {"a": scores}, metrics="ks", **options)["a", "ks"]

    plain, equal = estimate(), estimate(sample_weight=np.full(400, 3.0))
    assert plain.interval is not None
    assert equal.interval == pytest.approx(plain.interval)
    unequal = estimate(sample_weight=rng.exponential(size=400) + 0.1)
    assert unequal.interval_method == "best-cut"
    assert unequal.interval is not None
    assert unequal.interval.high - unequal.interval.low > plain.interval.high - plain.interval.low
    clustered = estimate(clusters=np.arange(400) // 2)
    assert clustered.interval_method == "best-cut"
