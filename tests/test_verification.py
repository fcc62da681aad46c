"""Labels of some subjects only: inverse probability of verification weighting, known and estimated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import (
    InputError,
    MissingValueError,
    MissingValueWarning,
    ParameterError,
    TwoValuedScoreWarning,
    UndefinedMetricError,
    WeightError,
)
from tests.shell import Shell

METRICS = ["auc", "ap", "croc(exp, alpha=7)", "tpr@fpr=10%"]


def _drawn(seed: int, n: int = 400) -> tuple[np.ndarray[Any, Any], ...]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    x, s = rng.normal(size=n) + 0.8 * y, rng.normal(size=n) + 1.2 * y
    chance = 1 / (1 + np.exp(-(s + 0.5 * x)))
    return np.where(rng.random(n) < chance, y.astype(float), np.nan), s, x, chance, y


def test_known_probabilities_are_weights() -> None:
    y, s, x, chance, _ = _drawn(0)
    there = ~np.isnan(y)
    own = hc.evaluate(y, {"s": s, "x": x}, metrics=METRICS, verification=chance)
    weighted = hc.evaluate(y[there], {"s": s[there], "x": x[there]}, metrics=METRICS, sample_weight=1 / chance[there])
    for e in own:
        other = weighted[e.ranker, e.metric]
        assert (e.value, e.standard_error, e.interval) == (other.value, other.standard_error, other.interval)
    assert own.compare("s", "x", "auc").pvalue == weighted.compare("s", "x", "auc").pvalue
    assert f"labels of {there.sum()} of 400 subjects are verified" in str(own)
    assert "are verified" in own.methods_text()
    by_hand = sum(
        wi * wj * ((s[i] > s[j]) + 0.5 * (s[i] == s[j]))
        for i, wi in zip(np.flatnonzero(y == 1), 1 / chance[y == 1], strict=True)
        for j, wj in zip(np.flatnonzero(y == 0), 1 / chance[y == 0], strict=True)
    ) / ((1 / chance[y == 1]).sum() * (1 / chance[y == 0]).sum())
    assert own["s", "auc"].value == pytest.approx(by_hand, abs=1e-12)


def test_every_label_verified_is_the_plain_evaluation() -> None:
    _, s, _, _, y = _drawn(1)
    own = hc.evaluate(y, s, metrics=METRICS, verification=np.ones(400))
    for e in hc.evaluate(y, s, metrics=METRICS):
        assert own["score", e.metric].value == e.value
        assert own["score", e.metric].interval == e.interval


def test_begg_and_greenes_of_a_saturated_fit() -> None:
    # with one covariate of two levels the fit is saturated: sensitivity and specificity of a test are those of
    # Begg and Greenes (1983), made of the share of positives among the verified of each result
    result = np.repeat([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [40, 20, 30, 12, 18, 80])
    y = np.repeat([1.0, 0.0, np.nan, 1.0, 0.0, np.nan], [40, 20, 30, 12, 18, 80])
    with pytest.warns(TwoValuedScoreWarning):
        ev = hc.evaluate(y, result, metrics="auc", verification=True)
    positive, negative = 90 / 200, 110 / 200
    diseased = np.array([40 / 60 * positive, 12 / 30 * negative])
    healthy = np.array([20 / 60 * positive, 18 / 30 * negative])
    sensitivity, false = diseased[0] / diseased.sum(), healthy[0] / healthy.sum()
    table = ev.tables["score"]
    assert table.tpr[table.tpr > 0][0] == pytest.approx(sensitivity, abs=1e-9)
    assert ev["score", "auc"].value == pytest.approx((1 + sensitivity - false) / 2, abs=1e-9)
    assert ev["score", "auc"].standard_error > 0


def test_error_of_a_fit_is_that_of_its_replicates() -> None:
    found = []
    for seed in range(60):
        y, s, x, chance, _ = _drawn(seed + 100, 600)
        for kind in (chance, {"s": s, "x": x}):
            e = hc.evaluate(y, s, metrics="auc", verification=kind)["score", "auc"]
            found.append((e.value, e.standard_error))
    values, errors = np.array(found).reshape(60, 2, 2).transpose(2, 1, 0)
    assert errors.mean(axis=1) == pytest.approx(values.std(axis=1), rel=0.25)  # s.e. of a deviation of 60: .09
    assert values.mean(axis=1) == pytest.approx(0.802, abs=0.02)


def test_a_fit_explains_part_of_the_variance() -> None:
    y, s, x, _, _ = _drawn(3)
    fit = hc.evaluate(y, {"s": s, "x": x}, metrics=METRICS, verification={"s": s, "x": x})
    block = fit.source.reduce(lambda b: b, lambda a, b: a)  # type: ignore[union-attr]
    fixed = hc.evaluate(block.positive, dict(block.scores), metrics=METRICS, sample_weight=block.weight)
    for e in fit:
        assert e.value == fixed[e.ranker, e.metric].value
        assert e.standard_error <= fixed[e.ranker, e.metric].standard_error
    assert fit["s", "auc"].standard_error < fixed["s", "auc"].standard_error
    back = hc.from_json(text=fit.to_json())
    assert isinstance(back, hc.Evaluation)
    assert str(back) == str(fit)
    assert back.compare("s", "x", "auc").pvalue == fit.compare("s", "x", "auc").pvalue
    with pytest.raises(UndefinedMetricError, match="sensitivity analysis has no errors for estimated"):
        fit.sensitivity("budget")


def test_one_subject_that_weighs_much_gets_a_caveat() -> None:
    y, s, _, chance, _ = _drawn(8, 200)
    chance[np.flatnonzero(y == 1)[0]] = 0.05
    e = hc.evaluate(y, s, metrics="auc", verification=chance)["score", "auc"]
    assert "standard errors may be too small" in " ".join(e.cautions)


def test_order_of_subjects_does_not_matter() -> None:
    y, s, x, _, _ = _drawn(4)
    order = np.random.default_rng(0).permutation(400)
    one = hc.evaluate(y, s, metrics="ap", verification={"s": s, "x": x})["score", "ap"]
    other = hc.evaluate(y[order], s[order], metrics="ap", verification={"s": s[order], "x": x[order]})["score", "ap"]
    assert one.value == pytest.approx(other.value, rel=1e-12)
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)


def test_columns_of_a_frame() -> None:
    pd = pytest.importorskip("pandas")
    y, s, x, chance, _ = _drawn(5)
    frame = pd.DataFrame({"y": y, "s": s, "x": x, "p": chance})
    known, fit = (hc.evaluate("y", "s", data=frame, metrics="auc", verification=v) for v in ("p", ["s", "x"]))
    assert "(column p)" in str(known)
    assert known["s", "auc"].value == hc.evaluate(y, s, metrics="auc", verification=chance)["score", "auc"].value
    own = hc.evaluate(y, s, metrics="auc", verification={"s": s, "x": x})["score", "auc"]
    assert fit["s", "auc"].value == own.value


def test_the_command_line_weighs_the_same(tmp_path: Path, shell: Shell) -> None:
    y, s, x, chance, _ = _drawn(7, 80)
    columns = zip(("" if np.isnan(v) else str(int(v)) for v in y), s.tolist(), x.tolist(), chance.tolist(), strict=True)
    (tmp_path / "d.csv").write_text("y,s,x,p\n" + "".join(f"{v},{a!r},{b!r},{p!r}\n" for v, a, b, p in columns))
    told = ("evaluate", tmp_path / "d.csv", "-l", "y", "-s", "s", "-s", "x", "-m", "auc", "-m", "ap")
    done = shell(*told, "--verification", "p", "-f", "json")
    own = hc.evaluate(y, {"s": s, "x": x}, metrics=["auc", "ap"], verification=chance)
    found = done.json
    assert found["results"] == json.loads(json.dumps(own.to_dict()["results"]))
    assert "are verified: each weighs" in " ".join(found["notes"])
    assert "verification probabilities must be" in shell(*told, "--verification", "x").refusal
    first, *rows = (tmp_path / "d.csv").read_text().splitlines()
    labelled = next(i for i, row in enumerate(rows) if row[0] in "01")
    label, *scores, _ = rows[labelled].split(",")
    for name, row, sentence in (
        ("percent.csv", ",".join([label, *scores, "45.5"]), "1 is more than 1, up to 45.5: write 0.455 for 45.5%"),
        ("blank.csv", ",".join([label, *scores, ""]), "is missing for 1 of the subjects with a verified label"),
    ):
        changed = [first, *rows[:labelled], row, *rows[labelled + 1 :]]
        (tmp_path / name).write_text("\n".join(changed) + "\n")
        assert sentence in shell("evaluate", tmp_path / name, *told[2:], "--verification", "p").refusal
    assert "cannot be combined with --weight" in shell(*told, "--verification", "p", "--weight", "p").refusal
    assert "taken as right" in shell(*told, "--verification", "p", "--mislabelled", "0.1").refusal


Y, S, X, CHANCE, TRUE = _drawn(6, 60)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"verification": CHANCE - 0.9}, WeightError, "verification probabilities must be above 0 and at most 1"),
        ({"verification": CHANCE + 1}, WeightError, "verification probabilities must be above 0 and at most 1"),
        ({"verification": np.zeros(60)}, WeightError, "of 60 rows 60 are 0 or less"),
        ({"verification": np.full(60, "x")}, WeightError, "verification probabilities must be numbers"),
        ({"verification": CHANCE[:5]}, InputError, "60"),
        ({"verification": CHANCE, "sample_weight": CHANCE}, ParameterError, "cannot be combined with sample_weight"),
        ({"verification": CHANCE, "missing": "last"}, ParameterError, "cannot be combined with verification"),
        ({"verification": CHANCE, "contamination": 0.1}, ParameterError, "verified labels are taken as right"),
        ({"verification": True, "missing": "drop"}, ParameterError, "give known probabilities"),
        ({"verification": True, "clusters": np.arange(60)}, ParameterError, "give known probabilities"),
        ({"verification": {"x": np.where(X > 1, np.nan, X)}}, MissingValueError, "missing or infinite value"),
        ({"verification": {"x": X[:3]}}, InputError, "'x' has 3 values"),
        ({"verification": {"x": (~np.isnan(Y)).astype(float)}}, InputError, "tell exactly which labels are verified"),
        ({"verification": False}, ParameterError, "True for the scores, got False"),
        ({"verification": ["a", "b"]}, ParameterError, "names of columns need data"),
        ({"verification": np.ones((2, 3))}, InputError, "verification must be one column"),
        ({"verification": {}}, ParameterError, "no covariate"),
        ({"verification": "p"}, ParameterError, "names of columns need data"),
    ],
)
def test_bad_input(options: dict[str, Any], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        hc.evaluate(Y, S, metrics="auc", **options)


def test_missing_scores_and_complete_labels_are_refused() -> None:
    with pytest.raises(MissingValueError, match="is missing for"):
        hc.evaluate(Y, np.where(S > 1, np.nan, S), verification=CHANCE)
    with pytest.raises(InputError, match="no verification to estimate"):
        hc.evaluate(TRUE, S, verification=True)
    with pytest.warns(MissingValueWarning, match="rows were dropped"):
        hc.evaluate(Y, np.where(S > 1.5, np.nan, S), verification=CHANCE, missing="drop", metrics="auc")


def test_no_weights_were_given_and_impossible_probabilities_are_said() -> None:
    y = np.tile([1.0, 0.0, np.nan], 40)
    chance = np.where(np.isnan(y), 0.5, np.where(np.arange(120) < 60, 1.0, 0.5))
    scores = np.random.default_rng(0).normal(size=120) + 2 * (y == 1)
    ev = hc.evaluate(y, scores, metrics="auc", verification=chance)
    assert not any("whole numbers" in str(w) for w in ev.warnings)
    grouped = hc.evaluate(y, scores, metrics="auc", verification=chance, by=np.arange(120) // 60)
    assert not any("whole numbers" in str(w) for w in grouped.warnings)
    with pytest.raises(WeightError, match="40 subjects have the verification probability 1 and no label"):
        hc.evaluate(y, scores, metrics="auc", verification=np.ones(120))
    far = hc.evaluate(y, scores, metrics="auc", verification=np.full(120, 0.1))
    assert any("add up to 12 verified labels, and there are 80" in note for note in far.notes)
    assert not any("add up to" in note for note in ev.notes)


def test_impossible_probabilities_are_counted(tmp_path: Path, shell: Shell) -> None:
    y, s, p = [1, 0, None, 1, 0, None] * 10, np.arange(60.0), np.full(60, 0.5)
    p[[0, 6]], p[2], p[3] = 0, 0, 1.5
    said = "of 60 rows 3 are 0 or less and 1 is more than 1, up to 1.5: write 0.015 for 1.5%; leave out subjects"
    with pytest.raises(WeightError, match=said):
        hc.evaluate(y, s, metrics="auc", verification=p)
    lines = [f"{'' if a is None else a},{b},{c}" for a, b, c in zip(y, s, p, strict=True)]
    (tmp_path / "v.csv").write_text("\n".join(["y,s,p", *lines]) + "\n")
    found = shell("evaluate", tmp_path / "v.csv", "-l", "y", "-s", "s", "-m", "auc", "--verification", "p").refusal
    assert said in found


@pytest.mark.slow
def test_rows_without_a_label_are_checked_by_each_door(tmp_path: Path, shell: Shell) -> None:
    rng = np.random.default_rng(2)
    s, p = np.arange(60.0), np.full(60, 0.5)
    y = np.where(np.arange(60) % 3 == 2, np.nan, rng.random(60) < s / 60)
    path = tmp_path / "v.csv"
    at: Any
    for at, wrong, said in (
        (2, 1.0, "1 subject has the verification probability 1 and no label"),
        (2, 7.0, "of 60 rows 1 is more than 1, up to 7"),
        (2, 0.0, "of 60 rows 1 is 0 or less"),
        (slice(None), 0.01, "add up to 0.6 verified labels, and there are 40"),
        (2, np.nan, "labels of 40 of 60 subjects are verified"),
    ):
        own = p.copy()
        own[at] = wrong
        lines = [
            f"{'' if np.isnan(a) else int(a)},{b},{'' if np.isnan(c) else c}" for a, b, c in zip(y, s, own, strict=True)
        ]
        path.write_text("\n".join(["y,s,p", *lines]) + "\n")
        told = ("evaluate", path, "-l", "y", "-s", "s", "-m", "auc", "--verification", "p")
        if wrong in (1.0, 7.0, 0.0):
            with pytest.raises(WeightError, match=said):
                hc.evaluate(y, s, metrics="auc", verification=own)
            with pytest.raises(WeightError, match=said):
                hc.evaluate("y", "s", data=str(path), metrics="auc", verification="p")
            assert said in shell(*told).refusal
        else:
            notes = (
                *hc.evaluate(y, s, metrics="auc", verification=own).notes,
                *hc.evaluate("y", "s", data=str(path), metrics="auc", verification="p").notes,
                *shell(*told, "-f", "json").json["notes"],
            )
            assert sum(said in note for note in notes) == 3
            assert sum("add up to" in note for note in notes) == (3 if wrong == 0.01 else 0)


def test_columns_with_names_are_put_in_order() -> None:
    pd = pytest.importorskip("pandas")
    y, s, x, chance, _ = _drawn(9)
    index = [f"p{i}" for i in range(400)]
    frame = pd.DataFrame({"y": y, "s": s, "x": x, "p": chance}, index=index)
    order = np.random.default_rng(0).permutation(400)
    straight: Any
    for straight, moved in (
        (chance, frame["p"].iloc[order]),
        ({"s": s, "x": x}, {"s": frame["s"], "x": frame["x"].iloc[order]}),
    ):
        own = hc.evaluate(frame["y"], {"s": frame["s"]}, metrics="auc", verification=moved)
        plain = hc.evaluate(y, {"s": s}, metrics="auc", verification=straight)
        assert own["s", "auc"].value == plain["s", "auc"].value
        assert own["s", "auc"].standard_error == plain["s", "auc"].standard_error
        assert "put in the order of y_true by the index" in " ".join(own.notes)
    stranger = pd.Series(x, index=[f"q{i}" for i in range(400)])
    with pytest.raises(InputError, match="y_true and covariate 'x' have different indexes"):
        hc.evaluate(frame["y"], {"s": frame["s"]}, metrics="auc", verification={"x": stranger})


def test_the_command_estimates_probabilities_as_python_does(tmp_path: Path, shell: Shell) -> None:
    rng = np.random.default_rng(5)
    y = (rng.random(400) < 0.3).astype(float)
    s, age = rng.normal(size=400) + y, rng.normal(60, 10, size=400)
    gone = rng.random(400) > 1 / (1 + np.exp(-0.5 * s - (age - 60) / 20))
    label = np.where(gone, np.nan, y)
    lines = [
        f"{'' if np.isnan(a) else ('ill' if a else 'well')},{b!r},{c!r}"
        for a, b, c in zip(label.tolist(), s.tolist(), age.tolist(), strict=True)
    ]
    (tmp_path / "v.csv").write_text("\n".join(["y,s,age", *lines]) + "\n")
    told = ("evaluate", tmp_path / "v.csv", "-l", "y", "--positive", "ill", "-s", "s", "-m", "auc", "-m", "ap")
    found = shell(*told, "--verified-by", "s", "--verified-by", "age", "-f", "json").json
    ev = hc.evaluate(label, {"s": s}, metrics=["auc", "ap"], verification={"s": s, "age": age})
    for record in found["results"]:
        e = ev["s", record["metric"]]
        assert e.interval is not None
        assert [record[key] for key in ("value", "standard_error", "low", "high")] == [
            pytest.approx(x, rel=1e-9) for x in (e.value, e.standard_error, *e.interval)
        ]
    for option, words in (
        (("--by", "age"), "--by cannot be combined with --verified-by"),
        (("--verification", "age"), "--verification cannot be combined with --verified-by"),
        (("--mislabelled", "5%"), "--verified-by cannot be combined with"),
    ):
        assert words in shell(*told, "--verified-by", "age", *option).refusal
