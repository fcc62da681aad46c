"""One rule for every door: options, texts of magnifications, seeds and tie columns."""

from __future__ import annotations

import csv
import io
import json
import pickle
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from typer.testing import CliRunner

import hitcurve as hc
from hitcurve import plot
from hitcurve.cli.app import app
from hitcurve.errors import HitcurveWarning, InputError, MetricParseError, ParameterError, WeightError
from hitcurve.magnify import Exponential
from hitcurve.report import render
from tests.metrics_under_test import FORMS
from tests.strategies import Ranking, law, rankings

mpl.use("Agg")
Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 1, 0] * 4)
S = np.random.default_rng(0).normal(size=Y.size).round(1) + Y
OTHER = np.random.default_rng(1).normal(size=Y.size).round(1) + Y
FILE = "y,a,b,g\n" + "\n".join(f"{y},{a},{b},{i % 2}" for i, (y, a, b) in enumerate(zip(Y, S, OTHER, strict=True)))


def run(*words: object) -> str:
    found = CliRunner().invoke(app, [*map(str, words)])
    assert found.exit_code == 0, found.output
    return found.stdout


def test_an_option_that_bands_do_not_have_is_named() -> None:
    ev = hc.evaluate(Y, {"a": S, "b": OTHER}, metrics="auc")
    makes: list[Callable[..., Any]] = [partial(ev.band, "a"), partial(ev.difference_band, "a", "b")]
    for make in makes:
        with pytest.raises(ParameterError, match="a band has no option 'kind': there are coverage"):
            make(kind="pointwise")
        with pytest.raises(ParameterError, match="no option 'coverag'; did you mean 'coverage'"):
            make(coverag="pointwise")


def test_magnifications_are_given_by_their_text_everywhere() -> None:
    table = hc.HitTable.from_scores(Y, S)
    f = Exponential(9)
    for make in (hc.croc_curve, hc.cac_curve):
        text, own = (make(table, magnification=one, y_magnification=one) for one in ("exp(9)", f))
        assert (text.x.tolist(), text.y.tolist(), text.magnification) == (own.x.tolist(), own.y.tolist(), f)
    ev = hc.evaluate(Y, S, metrics="auc")
    found = ev.band("score", "croc", magnification="exp(9)")
    assert found.magnification == f
    assert str(found) == str(ev.band("score", "croc", magnification=f))
    assert hc.band(Y, S, curve="cac", magnification="exp(9)").magnification == f
    for draw in (plot.croc, plot.cac):
        ax = draw(ev, "exp(9)")
        assert ax.get_legend_handles_labels() is not None
        assert len(draw(ev, ["exp(9)", f, 9])) == 3
    assert [ax.get_legend_handles_labels()[1] for ax in plot.magnification("exp(9)")] == [
        ax.get_legend_handles_labels()[1] for ax in plot.magnification(f)
    ]
    with pytest.raises(MetricParseError, match="cannot read magnification 'expp\\(9\\)'"):
        hc.croc_curve(table, magnification="expp(9)")
    with pytest.raises(ParameterError, match="its text such as 'exp\\(7\\)', got 7"):
        hc.croc_curve(table, magnification=7)  # type: ignore[arg-type]


@pytest.mark.slow
@law(100)
@given(rankings(levels=3))
def test_tie_columns_are_ordered(data: Ranking) -> None:
    forms = ["momentum", "ap", "auc", "slr", "recall@20%"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        ev = hc.evaluate(data.y, data.s, metrics=forms, undefined="nan")
        groups = hc.evaluate(data.y, data.s, metrics=forms, by=np.zeros(data.y.size), undefined="nan")
    pairs = [e.tie_range for e in ev if e.tie_range is not None]
    pairs += [(r["worst_ties"], r["best_ties"]) for r in groups.to_dict()["groups"] if r["worst_ties"] is not None]
    assert all(low <= high for low, high in pairs)


def test_csv_by_group_has_the_tie_columns_of_json() -> None:
    ev = hc.evaluate([1, 0, 1, 0, 1, 0, 1, 0], [2, 2, 3, 1, 3, 3, 4, 1], metrics=["ap", "auc"], by=[0] * 4 + [1] * 4)
    lines = list(csv.DictReader(io.StringIO(render(ev, "csv"))))
    for line, record in zip(lines, json.loads(render(ev, "json"))["groups"], strict=True):
        for key in ("worst_ties", "best_ties"):
            assert line[key] == str(record.get(key, ""))
    assert any(line["best_ties"] for line in lines)
    untied = hc.evaluate([1, 0, 0] * 2, [3, 2, 1] * 2, metrics="ap", by=[0] * 3 + [1] * 3)
    assert render(untied, "csv").splitlines()[0] == render(ev, "csv").splitlines()[0]


def test_intervals_that_are_drawn_say_how() -> None:
    e = hc.evaluate(Y, S, metrics="auc")["score", "auc"]
    for method in ("percentile", "bca", "studentized"):
        found = e.confidence_interval(method=method, n_resamples=200)
        assert (found.method, found.n_resamples) == (method, 200)
        assert found.seed is not None
        again = e.confidence_interval(method=method, n_resamples=200, rng=found.seed)
        assert found == again == pickle.loads(pickle.dumps(found))
        assert pickle.loads(pickle.dumps(found)).seed == again.seed == found.seed
        assert e.confidence_interval(method=method, n_resamples=200, rng=np.random.default_rng(1)).seed is None
    found = e.confidence_interval()
    assert (found.method, found.n_resamples, found.seed) == (e.interval_method, None, None)


@pytest.mark.slow
@pytest.mark.parametrize("more", [[], ["--difference"], ["--method", "bootstrap"], ["--seed", 5]])
def test_bands_of_the_shell_have_their_seed(more: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(FILE)
    words = ["band", path, "--label", "y", "--score", "a", "--score", "b", "--curve", "roc", *more]
    records = json.loads(run(*words, "-f", "json"))
    lines = list(csv.DictReader(io.StringIO(run(*words, "-f", "csv"))))
    assert [str(record["seed"]) for record in records] == [line["seed"] for line in lines]
    assert {record["seed"] for record in records} == {5} if "--seed" in more else all(r["seed"] >= 0 for r in records)


@pytest.mark.slow
def test_the_page_says_the_seed_of_what_was_drawn(tmp_path: Path) -> None:
    ev = hc.evaluate(Y[:20], {"a": S[:20], "b": OTHER[:20]}, metrics="auc")
    c = ev.compare("a", "b", "auc")
    assert c.method == "swap-permutation"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        hc.report(ev, tmp_path / "x.html")
    assert f"random draws: 999, seed {c.seed}" in (tmp_path / "x.html").read_text()


@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e-165, 1e61, 1e155, 1e308])
def test_weights_whose_squares_are_no_floats_are_refused(size: float) -> None:
    weight = np.where(Y, 1.0, size)
    way = "multiply" if 1e-120 < size < 1e120 else "no unit"
    with pytest.raises(WeightError, match=rf"weights must be 0 or between 1e-60 and 1e\+60, got .* in row 1: {way}"):
        hc.evaluate(Y, S, metrics="auc", sample_weight=weight)


@pytest.mark.parametrize("size", [1e-60, 1e60], ids=["smallest", "largest"])
def test_every_form_takes_the_largest_and_the_smallest_weights(size: float) -> None:
    weight = np.clip(np.random.default_rng(0).uniform(0.5, 1, Y.size) * size, 1e-60, 1e60)
    for form in FORMS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HitcurveWarning)
            try:
                ev = hc.evaluate(Y, S, metrics=[form], sample_weight=weight)
            except InputError:
                continue
            assert np.isfinite(ev["score", form].value), form
            assert str(ev)


@pytest.mark.parametrize("form", ["ef@5e-324", "hits@1e-320", "precision@1e-320", "recall@5e-324"])
def test_shares_whose_inverse_is_no_float_are_refused(form: str) -> None:
    with pytest.raises(InputError, match="the fraction of a cutoff must be at least 1e-60"):
        hc.metric(form)


def test_percentages_beyond_all_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="1e999999999% exceeds the range"):
        hc.metric("recall@1e999999999%")


def test_scaled_ap_says_why_it_is_undefined_at_a_prevalence_that_rounds_to_1() -> None:
    with pytest.raises(InputError, match="undefined where the prevalence rounds to 1"):
        hc.evaluate(Y, S, metrics="scaled_ap", sample_weight=np.where(Y, 1e9, 1e-9))


def test_scores_of_16_bits_are_read_without_a_warning() -> None:
    scores = np.array([0.9, 0.1, 0.5, 0.3], np.float16)
    assert hc.metric("auc")([1, 0, 1, 0], scores) == 1
    assert hc.metric("auc")([1, 0, 1, 0], np.array([9, 1, 5, np.inf], np.float16)) == 0.5
