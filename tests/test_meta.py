"""Meta-analysis of metrics over studies."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.evaluation.meta import meta_analysis
from hitcurve.inference.random_effects import pooled
from hitcurve.table import HitTable
from tests.sampled import binormal, quietly
from tests.shell import in_process as run

# BCG vaccine trials (Colditz et al. 1994): cases and others, vaccinated and not
BCG = np.array(
    [
        (4, 119, 11, 128),
        (6, 300, 29, 274),
        (3, 228, 11, 209),
        (62, 13536, 248, 12619),
        (33, 5036, 47, 5761),
        (180, 1361, 372, 1079),
        (8, 2537, 10, 619),
        (505, 87886, 499, 87892),
        (29, 7470, 45, 7232),
        (17, 1699, 65, 1600),
        (186, 50448, 141, 27197),
        (5, 2493, 3, 2338),
        (27, 16886, 29, 17825),
    ],
    float,
)

_SETS = [(2 + i % 6, -1 + i % 3, np.random.default_rng(i)) for i in range(40)]


def test_the_numbers_of_metafor() -> None:
    """Documentation of metafor, rma(yi, vi, data=dat) of dat.bcg: REML, confint by the Q profile."""
    a, b, c, d = BCG.T
    y, v = np.log(a / (a + b) / (c / (c + d))), 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)
    found = pooled(y, v, 0.95, random=True)
    assert found.mean == pytest.approx(-0.7145, abs=5e-5)
    assert found.tau2 == pytest.approx(0.3132, abs=5e-5)
    assert found.tau2_interval == pytest.approx((0.1197, 1.1115), abs=5e-5)
    assert found.i2 == pytest.approx(0.9222, abs=5e-5)
    assert found.q == pytest.approx(152.2330, abs=5e-5)
    w = 1 / (v + found.tau2)
    assert 1 / np.sqrt(w.sum()) == pytest.approx(0.1798, abs=5e-5)
    # Hartung and Knapp, written out
    error = np.sqrt(np.sum(w * (y - found.mean) ** 2) / (12 * w.sum()))
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert found.interval[1] == pytest.approx(found.mean + stats.t.ppf(0.975, 12) * error, rel=1e-9)
    fixed = pooled(y, v, 0.95, random=False)
    assert fixed.mean == pytest.approx(np.sum(y / v) / np.sum(1 / v), rel=1e-12)


def test_equal_studies_have_no_heterogeneity() -> None:
    """And no error by Hartung and Knapp: there is no interval, rather than one of width 0."""
    found = meta_analysis([(0.8, 0.03)] * 4, "auc")
    assert found.pooled.tau2 == 0
    assert found.value == pytest.approx(0.8, rel=1e-12)
    assert np.isnan(found.interval).all()
    assert "all values are equal, which leaves no error" in str(found)
    json.loads(found.to_json())
    modified = meta_analysis([(0.8, 0.03)] * 4, "auc", interval="modified")
    half = stats.t.ppf(0.975, 3) * 0.03 / 0.16 / 2
    assert modified.interval == pytest.approx(special.expit(special.logit(0.8) + np.array([-half, half])))
    assert not modified.cautions


def test_the_interval_of_hartung_and_knapp_may_be_kept_from_shrinking() -> None:
    """Three studies that agree by chance: q is far below 1, and that is said; elsewhere both are one."""
    near = {"a": (0.80, 0.05), "b": (0.81, 0.05), "c": (0.795, 0.05)}
    plain, modified = (meta_analysis(near, "auc", interval=one) for one in ("hartung-knapp", "modified"))
    assert plain.pooled.ratio < 0.1
    assert modified.pooled.standard_error == pytest.approx(1 / np.sqrt(np.sum(1 / plain_variances(near))), rel=1e-9)
    assert modified.interval[0] < plain.interval[0] < plain.interval[1] < modified.interval[1]
    assert f"q = {rows.short(plain.pooled.ratio, 3)}" in str(plain)
    assert "--interval modified" in plain.to_markdown()
    far = {"a": (0.60, 0.02), "b": (0.81, 0.03), "c": (0.90, 0.01)}
    both = [meta_analysis(far, "auc", interval=one).interval for one in ("hartung-knapp", "modified")]
    assert both[0] == pytest.approx(both[1], rel=0.02)
    assert not meta_analysis(far, "auc").cautions


def plain_variances(studies: dict[str, tuple[float, float]]) -> Any:
    value, error = np.array(list(studies.values())).T
    return (error / (value * (1 - value))) ** 2


@pytest.mark.parametrize("method", ["reml", "fixed"])
def test_every_format_has_the_studies_and_their_mean(method: str) -> None:
    studies = {"a & b": (0.80, 0.04), "line\nbreak": (0.85, 0.03), "=1+1": (0.70, 0.05)}
    found = meta_analysis(studies, "auc", method=method)
    content = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [one["part"] for one in content] == ["study"] * 3 + ["pooled"]
    assert float(content[3]["value"]) == found.value
    assert content[2]["study"] == "'=1+1"
    assert json.loads(found.to_json()) == json.loads(json.dumps(found.to_dict()))
    assert json.loads(found.to_json())["studies"][1]["study"] == "line\nbreak"
    assert r"a \& b &" in found.to_latex()
    assert "line break &" in found.to_latex()
    assert "| line break |" in found.to_markdown()
    for text in (found.to_text(), found.to_html(), found.to_latex(), found.to_markdown()):
        assert "tau^2" in text
        assert rows.number(found.value) in text


def test_studies_of_any_kind() -> None:
    samples = [binormal(40, 160, 1.2, seed=k) for k in range(4)]
    evaluations = {f"s{k}": quietly(one.y, one.a, metrics=["ap", "auc"]) for k, one in enumerate(samples)}
    tables = {name: ev.tables["score"] for name, ev in evaluations.items()}
    estimates = {name: ev["score", "auc"] for name, ev in evaluations.items()}
    numbers = {name: (e.value, e.standard_error) for name, e in estimates.items()}
    of: list[Any] = [evaluations, tables, estimates, numbers]
    values = [meta_analysis(one, "auc").value for one in of]
    assert values == pytest.approx([values[0]] * 4, rel=1e-9)
    found = meta_analysis(evaluations, "ap", prevalence=0.05)
    alone = hc.evaluate(tables={"a": tables["s0"]}, metrics="ap", prevalence=0.05)["a", "ap"]
    assert found.values[0] == pytest.approx(alone.value, rel=1e-12)
    assert found.to_frame(backend="pandas").shape == (4, 7)
    assert "tau^2" in str(found)
    assert "all studies at prevalence 0.05" in found._repr_html_()
    other = binormal(100, 100, 1.2, seed=9)
    mixed = meta_analysis({**evaluations, "other": quietly(other.y, other.a, metrics=["ap", "auc"])}, "ap")
    assert any("the prevalence of the studies is 20% to 50%" in note for note in mixed.cautions)


def test_what_cannot_be_pooled_is_refused_in_a_sentence() -> None:
    wrong: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
        ([(0.8, 0.1)], {}, InsufficientDataError, "at least 2 studies"),
        ([(0.8, 0.1), (1.0, 0.1)], {}, UndefinedMetricError, "has no logit"),
        ([(0.8, 0.1), (0.7, 0.0)], {}, InsufficientDataError, "'study 2' has no value"),
        ([(0.8, 0.1), "x"], {}, ParameterError, "must be an Evaluation"),
        ([(0.8, 0.1), (0.7, 0.1)], {"scale": "log"}, ParameterError, "scale must be"),
        ([(0.8, 0.1), (0.7, 0.1)], {"prevalence": 0.1}, ParameterError, "leave prevalence out"),
        ([(0.8, 0.1), (0.7, 0.1)], {"metric": "ef@1%"}, ParameterError, "no logit"),
        (0.8, {}, ParameterError, "a mapping or a sequence"),
    ]
    sample = binormal(40, 160, 1.2, seed=0)
    twice = quietly(sample.y, sample.a, metrics="auc")
    wrong.append(({1: (0.8, 0.1), "1": (0.7, 0.1), "b": (0.9, 0.1)}, {}, ParameterError, "'1' is named twice"))
    wrong.append(([twice, twice], {}, ParameterError, "one evaluation or table is given as several studies"))
    for studies, options, kind, text in wrong:
        with pytest.raises(kind, match=text):
            meta_analysis(studies, **options)


def test_the_command_pools_files(tmp_path: Path) -> None:
    samples = {f"s{k}": binormal(40, 160, 1.2, seed=k) for k in range(3)}
    files = []
    for name, one in samples.items():
        files.append(str(tmp_path / f"{name}.csv"))
        lines = [f"{int(y)},{float(s)!r}" for y, s in zip(one.y, one.a, strict=True)]
        Path(files[-1]).write_text("\n".join(["y,s", *lines]) + "\n")
    studies = {name: quietly(one.y, one.a, metrics="auc") for name, one in samples.items()}
    expected = meta_analysis(studies, "auc")
    done = run("meta", *files, "--label", "y", "--score", "s", "--format", "json")
    found = json.loads(done.stdout)
    assert found["studies"] == [pytest.approx(one, nan_ok=True) for one in expected.to_records()]
    assert found["pooled"][0]["value"] == pytest.approx(expected.value, rel=1e-12)
    other = tmp_path / "site" / "s0.csv"
    other.parent.mkdir()
    other.write_text(Path(files[1]).read_text())
    done = run("meta", files[0], str(other), files[2], "--label", "y", "--score", "s", "--format", "json")
    assert [one["study"] for one in json.loads(done.stdout)["studies"]] == [files[0], str(other), "s2"]
    refused = run("meta", files[0], files[0], files[2], "--label", "y", "--score", "s")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "is named twice" in refused.stderr
    refused = run("meta", files[0], "--label", "y", "--score", "s")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "at least 2 studies" in refused.stderr


def test_a_common_effect_of_unlike_studies_says_so() -> None:
    y, v = np.array([0.6, 0.9]), np.array([0.01, 0.01]) ** 2
    found = hc.meta_analysis({"a": (0.6, 0.01), "b": (0.9, 0.01)}, "auc", scale="identity", method="fixed")
    q = np.sum((y - y.mean()) ** 2 / v)
    assert found.pooled.q == pytest.approx(q, rel=1e-12)
    assert found.pooled.i2 == pytest.approx(1 - 1 / q, rel=1e-12)
    assert "tau^2 taken as 0" in str(found)


def test_logits_far_out_do_not_overflow() -> None:
    found = hc.meta_analysis({"a": (0.9999, 0.04), "b": (0.9, 0.02)}, "auc")
    frame = found.to_records()
    assert all(0 <= one["low"] <= one["value"] <= one["high"] <= 1 for one in frame)
    with pytest.raises(InsufficientDataError, match="standard error above 0"):
        hc.meta_analysis({"a": (0.8, 1e-200), "b": (0.9, 0.02)}, "auc")
    with pytest.raises(ParameterError, match=r"auc of study 'a' is 80, outside \[0, 1\]"):
        hc.meta_analysis({"a": (80, 4), "b": (90, 2)}, "auc", scale="identity")


def test_no_interval_leaves_the_range_of_the_metric() -> None:
    found = hc.meta_analysis({"a": (0.9, 0.06), "b": (0.6, 0.07)}, "auc", scale="identity")
    assert (found.interval, found.prediction_interval) == ((0.0, 1.0), (0.0, 1.0))
    assert found.to_records()[0]["high"] == 1.0
    assert found.pooled.interval[0] < 0
    of_ef = hc.meta_analysis({"a": (9.0, 2.0), "b": (3.0, 1.0)}, "ef@1%", scale="identity")
    assert of_ef.interval[0] == 0.0
    assert of_ef.interval[1] == pytest.approx(of_ef.pooled.interval[1])


@pytest.mark.parametrize(
    ("y", "error"),
    [
        # AUC of .58, .62, .93 and of .36, .72, .35, .35 on the logit scale: a maximum at 0, and a higher one
        ([0.3228, 0.4895, 2.5867], [0.1806, 0.0297, 0.6298]),
        ([-0.5754, 0.9445, -0.6190, -0.6190], [0.1172, 0.2827, 0.0264, 0.0396]),
        *((rng.normal(size=k) * 10**u, 10 ** rng.uniform(-3, 0, k)) for k, u, rng in _SETS),
    ],
)
def test_of_several_maxima_of_the_likelihood_the_highest_is_taken(y: Any, error: Any) -> None:
    """Errors of studies of very different sizes give the restricted likelihood two maxima."""
    y, v = np.asarray(y, float), np.asarray(error, float) ** 2

    def likelihood(tau2: Any) -> Any:
        w = 1 / (v + np.asarray(tau2)[..., None])
        mean = np.sum(w * y, axis=-1, keepdims=True) / np.sum(w, axis=-1, keepdims=True)
        return np.sum(np.log(w) - w * (y - mean) ** 2, axis=-1) - np.log(np.sum(w, axis=-1))

    most = likelihood(np.append(0.0, np.geomspace(1e-9, 1e4, 20_000))).max()
    assert likelihood(pooled(y, v, 0.95, random=True).tau2) >= most - 1e-9


def test_an_error_that_is_tiny_beside_others_gives_finite_heterogeneity() -> None:
    """One weight exceeds the sum of all others beyond double precision."""
    found = meta_analysis({"a": (0.8, 1e-12), "b": (0.9, 0.02), "c": (0.7, 0.1)}, "auc")
    assert 0 < found.pooled.tau2 < 1
    assert 0 <= found.pooled.i2 <= 1
    assert found.interval[0] < found.value < found.interval[1]


@pytest.mark.parametrize(("studies", "n_pos", "said"), [(12, 20, True), (3, 100, False), (4, 200, False)])
def test_the_bias_of_many_small_studies_is_said(studies: int, n_pos: int, said: bool) -> None:
    samples = [binormal(n_pos, 4 * n_pos, 1.2, seed=k) for k in range(studies)]
    found = meta_analysis([quietly(one.y, one.a, metrics="ap") for one in samples], "ap")
    assert any("does not average out" in note for note in found.cautions) == (said and found.pooled.i2 < 0.7)
    # pairs of a value and its error do not say of how many subjects they are
    pairs = list(zip(found.values, found.standard_errors, strict=True))
    assert not any("does not average out" in note for note in meta_analysis(pairs, "ap").cautions)


@pytest.mark.parametrize(
    ("metric", "said"), [("ks", True), ("max_f1", True), ("net_benefit@20%", True), ("auc", False)]
)
def test_the_bias_of_largest_values_is_said_of_larger_studies(metric: str, said: bool) -> None:
    studies = [binormal(400, 1600, 1.2, seed=k).table() for k in range(4)]
    note = next((n for n in meta_analysis(studies, metric).cautions if "too high in every study" in n), "")
    assert bool(note) == said
    large = [HitTable.from_counts(t.pos * 1000, t.neg * 1000) for t in studies[:2]]
    assert not any("too high in every study" in n for n in meta_analysis(large, metric).cautions)


def test_ends_beyond_the_range_are_said() -> None:
    near = {"a": (0.97, 0.02), "b": (0.99, 0.03), "c": (0.9, 0.05)}
    found = meta_analysis(near, "auc", scale="identity")
    assert found.interval[1] == 1.0
    assert any("would go beyond the range of auc, [0, 1]" in note for note in found.cautions)
    assert not any("beyond the range" in note for note in meta_analysis(near, "auc").cautions)


def test_a_copy_of_a_study_is_named_and_a_wildcard_names_studies(tmp_path: Path) -> None:
    for name, seed in (("s1", 1), ("s2", 2), ("s3", 1)):
        one = binormal(40, 160, 1.2, seed=seed)
        lines = [f"{int(y)},{float(s)!r}" for y, s in zip(one.y, one.a, strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y,s", *lines]) + "\n")
    done = run("meta", "s*.csv", "--label", "y", "--score", "s", "--format", "json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert [one["study"] for one in found["studies"]] == ["s1", "s2", "s3"]
    copied = [note for note in found["notes"] if "has the same table as" in note]
    assert copied == ["s3 has the same table as s1: if it is a copy, its subjects are counted twice"]


def test_a_prevalence_that_a_metric_does_not_follow_is_said() -> None:
    samples = [binormal(40, 160, 1.2, seed=k) for k in range(3)]
    tables = [hc.HitTable.from_scores(one.y, one.a) for one in samples]
    for metric, follows in (("auc", False), ("ap", True)):
        notes = meta_analysis(tables, metric, prevalence=0.05).cautions
        assert any("does not depend" in note for note in notes) == (not follows)


@pytest.mark.parametrize(("prevalence", "said"), [(0.01, "refused"), (0.05, "few"), (0.4, "")])
def test_few_negatives_that_decide_in_studies_are_refused_or_said(prevalence: float, said: str) -> None:
    """As of one evaluation: 160 negatives, of which 1.6, 8.4 and 107 decide."""
    tables = [binormal(40, 160, 1.2, seed=k).table() for k in range(3)]
    if said == "refused":
        with pytest.raises(InsufficientDataError, match=r"'study 1' depends on only 1\.62 negatives .* leave it out"):
            meta_analysis(tables, "ap", prevalence=prevalence)
        assert math.isfinite(meta_analysis(tables, "auc", prevalence=prevalence).value)
        return
    notes = [note for note in meta_analysis(tables, "ap", prevalence=prevalence).cautions if "extrapolated" in note]
    assert [note[: note.index(" studies")] for note in notes] == (["in 3 of 3"] if said else [])


@pytest.mark.parametrize(
    ("first", "k", "said"),
    [(0.1, 5, True), (0.25, 5, False), (0.15, 8, False), (0.1, 8, True), (0.2, 2, False), (0.1, 2, True)],
)
def test_a_study_with_much_of_the_weight_is_named(first: float, k: int, said: bool) -> None:
    """Of studies that agree it is its share of one over the squared errors."""
    errors = [first, *[0.3] * (k - 1)]
    values = [0.7 + 0.005 * i for i in range(k)]
    studies = {f"s{i}": (v, e * v * (1 - v)) for i, (v, e) in enumerate(zip(values, errors, strict=True))}
    share = first**-2 / sum(e**-2 for e in errors)
    for interval in ("hartung-knapp", "modified"):
        texts = [text for text in meta_analysis(studies, "auc", interval=interval).cautions if "of the weight" in text]
        assert bool(texts) == said
        assert all(f"study 's0' has {100 * share:.0f}% of the weight" in text for text in texts)
    assert not any("of the weight" in text for text in meta_analysis(studies, "auc", method="fixed").cautions)
