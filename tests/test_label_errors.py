"""Labels that are wrong in a known way: reference numbers, laws, doors, bad input."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve import HitTable
from hitcurve.datasets import mammography
from hitcurve.errors import GridMismatchError, LabelError, MissingValueError, ParameterError, UndefinedMetricError
from hitcurve.inference.intervals.interval import interval
from hitcurve.inference.variance.spread import Spread
from hitcurve.label_errors import CorrectedCounts, LabelErrors
from hitcurve.sums import Lists, Sums
from tests.metrics_under_test import METRICS
from tests.shell import Shell

LABELLED, OTHERS = np.array([3, 1, 2, 0, 1, 1]), np.array([1, 2, 3, 4, 5, 10])
DOCS = Path(__file__).parents[1] / "docs"
CORRECTED = ("auc", "gini", "loss", "ap", "croc(exp, alpha=7)", "area(log, alpha=20)")


def _table(errors: LabelErrors, prevalence: float | None = None) -> HitTable:
    table = HitTable.from_counts(LABELLED, OTHERS)
    return (table if prevalence is None else table.at_prevalence(prevalence)).corrected(errors)


# ---- reference numbers: a script of numpy alone, written before this code from the formulas


def test_values_and_variances_of_a_short_list() -> None:
    table = _table(LabelErrors(0.1, 0.05), 0.2)
    for name, value, variance in (
        ("auc", 0.823529411765, 0.015885133465),
        ("ap", 0.597236525066, 0.056238348021),
    ):
        spread = Spread(hc.metric(name), table, "case-control")
        assert float(spread.value) == pytest.approx(value, abs=1e-12)
        assert float(spread.variance) == pytest.approx(variance, abs=1e-12)


def test_values_of_unlabelled_data() -> None:
    table = _table(LabelErrors(0.0, 0.2, unlabelled=True))
    assert table.prevalence == 0.2
    assert hc.metric("auc").value(table) == pytest.approx(0.84375, abs=1e-12)
    assert hc.metric("ap").value(table) == pytest.approx(0.696875, abs=1e-12)


@pytest.mark.parametrize(
    ("move", "slope"), [("contamination", 0.5508683805), ("mislabelled", 1.5792586996), ("prevalence", 1.1796714672)]
)
def test_derivatives_of_ap(move: str, slope: float) -> None:
    errors, step, ap = LabelErrors(0.1, 0.05), 1e-5, hc.metric("ap")
    if move == "prevalence":
        low, high = (ap.value(_table(errors, 0.2 + by)) for by in (-step, step))
    else:
        low, high = (ap.value(_table(errors.moved(move, by), 0.2)) for by in (-step, step))
    assert (high - low) / (2 * step) == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize(("pi", "ap"), [(0.01, 0.184044805810), (0.05, 0.340557398689), (0.2, 0.546634860782)])
def test_film_mammography_mixed_and_corrected(pi: float, ap: float) -> None:
    film = mammography()["film"]
    share = film.pos / film.n_pos
    # a labelled sample of cancers, and an unlabelled one with a share of cancers in every category
    unlabelled = Sums(film.pos * 1.0, 1e6 * (pi * share + (1 - pi) * film.neg / film.n_neg))
    lists = Lists(unlabelled, errors=LabelErrors(0.0, pi, unlabelled=True))
    assert float(hc.metric("auc").value(lists.counts)) == pytest.approx(0.735092504936, abs=1e-12)
    assert float(hc.metric("ap").value(lists.counts)) == pytest.approx(ap, abs=1e-11)
    assert float(hc.metric("ap").value(film.at_prevalence(pi))) == pytest.approx(ap, abs=1e-11)


# ---- laws


@st.composite
def _rows(draw: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    size = draw(st.integers(2, 8))
    counts = st.lists(st.integers(0, 9), min_size=size, max_size=size).map(np.array)
    pos, neg = draw(counts), draw(counts)
    pos[draw(st.integers(0, size - 1))] += 2
    neg[draw(st.integers(0, size - 1))] += 2
    return pos, neg


@settings(max_examples=40, deadline=None)
@given(_rows(), st.sampled_from(CORRECTED))
def test_right_labels_are_left_as_they_are(rows: tuple[Any, Any], name: str) -> None:
    table = HitTable.from_counts(*rows)
    plain, corrected = hc.metric(name).value(table), hc.metric(name).value(table.corrected(LabelErrors()))
    assert corrected == pytest.approx(plain, abs=1e-12)
    for design in ("cohort", "case-control"):
        by_class = Spread(hc.metric(name), table, design).influence
        own = Spread(hc.metric(name), table.corrected(LabelErrors()), design).influence
        assert by_class is not None
        assert own is not None
        held = table.pos > 0
        assert own.pos[held] == pytest.approx(by_class.pos[held], abs=1e-12)
        held = table.neg > 0
        assert own.neg[held] == pytest.approx(by_class.neg[held], abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(_rows(), st.floats(0, 0.4), st.floats(0, 0.4), st.sampled_from(CORRECTED))
def test_expected_labels_are_corrected_to_the_true_value(rows: tuple[Any, Any], a: float, b: float, name: str) -> None:
    p, q = (side / side.sum() for side in rows)
    labels = Sums(50 * ((1 - a) * p + a * q), 200 * (b * p + (1 - b) * q))
    pi = (50 * (1 - a) + 200 * b) / 250
    true = hc.Counts(p, q, pi)
    found = Lists(labels, errors=LabelErrors(a, b)).counts
    assert float(found.pi) == pytest.approx(pi)
    assert float(hc.metric(name).kernel(found)) == pytest.approx(float(hc.metric(name).kernel(true)), abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(_rows(), st.floats(0, 0.4), st.floats(0, 0.4), st.sampled_from(CORRECTED))
def test_influence_is_the_derivative_by_a_subject(rows: tuple[Any, Any], a: float, b: float, name: str) -> None:
    metric, step = hc.metric(name), 1e-6
    sums, errors = Sums(*(side + 0.5 for side in rows)), LabelErrors(a, b)
    lists = Lists(sums, errors=errors)
    found = lists.counts
    assert isinstance(found, CorrectedCounts)
    if np.min(found.Q) < 1e-3 or np.max(found.Q[:-1], initial=0.5) > 0.999 or np.min(found.P) < 1e-3:
        return  # what is cut off keeps its variance, so it is no derivative
    spread = Spread(metric, lists, "cohort")
    for side in (0, 1):
        for row in range(sums.pos.size):
            ends = []
            for sign in (-1, 1):
                moved = [np.array(column, float) for column in (sums.pos, sums.neg)]
                moved[side][row] += sign * step
                ends.append(float(metric.kernel(Lists(Sums(*moved), errors=errors).counts)))
            assert spread.influence is not None
            own = (spread.influence.pos, spread.influence.neg)[side][row]
            assert own == pytest.approx((ends[1] - ends[0]) / (2 * step), abs=1e-6)


def test_order_of_rows_of_subjects_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    y, s = rng.random(80) < 0.3, rng.integers(0, 30, 80)
    order = rng.permutation(80)
    one, other = (
        hc.evaluate(y[o], {"score": s[o], "other": -s[o] % 7}, contamination=(0.1, 0.02), mislabelled=0.05)
        for o in (slice(None), order)
    )
    assert one.tables == other.tables
    assert [tuple(e.interval or ()) for e in one] == [tuple(e.interval or ()) for e in other]
    assert one.compare("score", "other", "ap").pvalue == other.compare("score", "other", "ap").pvalue


def test_errors_of_the_shares_widen_intervals() -> None:
    table = _table(LabelErrors(0.1, 0.05), 0.2)
    for name in CORRECTED:
        known, estimated = (
            interval(Spread(hc.metric(name), table.corrected(errors), "case-control"), 0.95)[0]
            for errors in (LabelErrors(0.1, 0.05), LabelErrors(0.1, 0.05, 0.03, 0.03))
        )
        assert estimated.low <= known.low
        assert estimated.high >= known.high
        assert estimated.high - estimated.low > known.high - known.low


def test_intervals_exist_at_the_ends() -> None:
    apart = HitTable.from_counts([12, 0], [0, 90])
    for errors in (LabelErrors(), LabelErrors(0.1, 0.2), LabelErrors(0, 0.4, 0, 0.05, unlabelled=True)):
        for table in (apart, HitTable.from_counts([0, 12], [90, 0])):
            for name in CORRECTED:
                low, high = interval(Spread(hc.metric(name), table.corrected(errors), "cohort"), 0.95)[0]
                assert hc.metric(name).range[0] <= low <= high <= hc.metric(name).range[1]
                assert errors.left < 1 or low < high


# ---- doors


@pytest.fixture(scope="module")
def ev() -> hc.Evaluation:
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [60, 500])
    scores = {name: rng.normal(size=560) + shift * y for name, shift in (("a", 1.5), ("b", 1.0))}
    return hc.evaluate(y, scores, contamination=0.1, mislabelled=(0.03, 0.01))


def test_methods_say_only_what_was_done() -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [60, 500])
    known = hc.evaluate(y, rng.normal(size=560) + y, metrics="auc", mislabelled=0.03).methods_text()
    assert "computed from the observed rates" in known
    assert "uncertainty of the shares" not in known
    assert "no negatives" not in known


def test_printed_kept_and_described(ev: hc.Evaluation) -> None:
    said = "10% of the labelled positives are negatives and 3% (standard error 1%) of the other subjects are positives"
    assert said in str(ev)
    assert said in ev.methods_text()
    assert "The uncertainty of the shares of wrong labels is included" in ev.methods_text()
    assert "Where the corrected labels leave no negatives" in ev.methods_text()
    assert ev.to_dict()["label_errors"]["contamination"] == 0.1
    back = hc.from_json(text=ev.to_json())
    assert isinstance(back, hc.Evaluation)
    assert back.tables == ev.tables
    assert str(back) == str(ev)
    assert str(back.compare("a", "b", "ap", method="delta")) == str(ev.compare("a", "b", "ap", method="delta"))


def test_default_metrics_are_those_that_are_corrected(ev: hc.Evaluation) -> None:
    assert list(map(str, ev.metrics)) == ["ap", "auc", "croc(exp, alpha=7)"]


def test_paired_tests(ev: hc.Evaluation) -> None:
    found = ev.compare("a", "b", "auc")
    assert found.method == "delta"
    assert "labels corrected" in found.cautions[0]
    plain = hc.evaluate(*_subjects(ev), metrics="auc").compare("a", "b", "auc", method="delta")
    assert found.difference.value == pytest.approx(plain.difference.value / 0.87)
    assert found.difference.standard_error > plain.difference.standard_error / 0.87  # the share was estimated
    assert ev.compare("a", "b", "ap", n_resamples=99).method == "swap-permutation"
    swapped = ev.compare("a", "b", "auc", method="swap-permutation", n_resamples=99)
    assert "labels as they are" in " ".join(swapped.cautions)
    for method in ("bootstrap", "delong", "paired-permutation"):
        with pytest.raises(ParameterError, match="wrong in a known way"):
            ev.compare("a", "b", "auc", method=method)


def _subjects(ev: hc.Evaluation) -> tuple[Any, dict[str, Any]]:
    assert ev.source is not None
    block = ev.source.reduce(lambda block: block, lambda a, b: a)
    return block.positive, dict(block.scores)


def test_clusters_and_weights_go_with_it() -> None:
    rng = np.random.default_rng(3)
    y, s = np.repeat([1, 0], [60, 300]), rng.normal(size=360)
    shared: dict[str, Any] = {"contamination": 0.1, "mislabelled": 0.05, "metrics": ["auc", "ap"]}
    alone = hc.evaluate(y, s + y, **shared)
    single = hc.evaluate(y, s + y, clusters=np.arange(360), **shared)
    weighted = hc.evaluate(y, s + y, sample_weight=np.where(np.arange(360) % 2, 1.0, 1.0 + 1e-9), **shared)
    for name in ("auc", "ap"):
        e = alone["score", name]
        assert single["score", name].standard_error == pytest.approx(e.standard_error, rel=0.02)
        assert weighted["score", name].standard_error == pytest.approx(e.standard_error, rel=1e-6)


def test_curves_never_run_back(ev: hc.Evaluation) -> None:
    for kind in ("roc", "precision_recall", "hit"):
        curve = ev.tables["a"].curve(kind)
        assert np.all(np.diff(curve.x) >= 0)
        assert curve.x.min() >= 0
        assert curve.x.max() == 1
        assert curve.y.min() >= 0
        assert curve.y.max() <= 1


_REFUSED: dict[str, Callable[[hc.Evaluation], Any]] = {
    "band": lambda ev: ev.band("a"),
    "difference band": lambda ev: ev.difference_band("a", "b"),
    "winner": lambda ev: ev.winner("auc"),
    "power": lambda ev: ev.power_analysis("auc", 0.05, power=0.8),
    "certify": lambda ev: ev.certify("a", recall=0.8),
    "enrichment": lambda ev: ev.largest_enrichment("a"),
    "sensitivity": lambda ev: ev.sensitivity("prevalence"),
    "chance": lambda ev: ev["a", "auc"].test_random(),
    "bootstrap": lambda ev: hc.bootstrap(ev.tables["a"], "auc"),
    "confusion": lambda ev: ev.tables["a"].confusion(k=10),
    "stack": lambda ev: hc.TableStack.from_tables(dict(ev.tables)),
    "decision curve": lambda ev: ev.decision_curve("a"),
    "decision difference": lambda ev: ev.decision_difference("a", "b"),
    "momentum": lambda ev: hc.fit_quasi_concave(ev.tables["a"]),
    "average": lambda ev: hc.average_curve(list(ev.tables.values())),
    "two samples": lambda ev: replace(ev, paired=False).compare("a", "b", "auc"),
    "summaries": lambda ev: hc.compare_from_stats(ev["a", "auc"], ev["b", "auc"]),
    "strict ties": lambda ev: ev.tables["a"].best_ties(),
}


@pytest.mark.parametrize("what", _REFUSED)
def test_what_is_not_corrected_is_refused_by_name(ev: hc.Evaluation, what: str) -> None:
    with pytest.raises(UndefinedMetricError, match=r"wrong labels|labels are corrected"):
        _REFUSED[what](ev)


def test_the_page_has_corrected_values_and_curves_and_no_controls(
    ev: hc.Evaluation, tmp_path: Path, shell: Shell
) -> None:
    text = hc.report(ev, tmp_path / "page.html", "Wrong <labels>", baseline="a", date="2026").read_text()
    assert "<h1>Wrong &lt;labels&gt;</h1>" in text
    assert "<script" not in text
    for line in ev.table_rows()[1]:
        assert all(cell in text for cell in line[:3])
    for metric in ev.metrics:
        assert all(cell in text for row in ev.compare_all(metric, baseline="a").table_rows()[1] for cell in row[:4])
    assert "labelled positives are negatives" in text
    assert text.count("<polyline") == 2 * len(ev.rankers)
    assert "Bands and the controls of other reports are left out" in text
    alone = hc.report(replace(ev, interval_method="auto"), tmp_path / "again.html", date="2026").read_text()
    assert "Corrected curves" in alone
    (tmp_path / "d.csv").write_text("y,s\n" + "".join(f"{i % 3 == 0:d},{i * 7 % 31}\n" for i in range(120)))
    told = ("evaluate", tmp_path / "d.csv", "-l", "y", "-s", "s", "-m", "auc", "--mislabelled", "5%")
    done = shell(*told, "-o", tmp_path / "shell.html")
    assert done.code == 0
    assert "5% of the other subjects are positives" in (tmp_path / "shell.html").read_text()


def test_tables_of_groups_are_refused(ev: hc.Evaluation) -> None:
    plain = {name: table.corrected(LabelErrors()) for name, table in ev.tables.items()}
    bare = {name: replace(table, label_errors=None) for name, table in plain.items()}
    for tables in ({"g": bare, "h": bare}, {"a": hc.TableStack.from_tables(bare)}):
        with pytest.raises(ParameterError, match="evaluate each group by itself"):
            hc.evaluate(tables=tables, metrics="auc", contamination=0.1)


def test_tables_corrected_differently_do_not_add(ev: hc.Evaluation) -> None:
    table = ev.tables["a"]
    assert (table + table).label_errors == table.label_errors
    with pytest.raises(GridMismatchError, match="different shares"):
        _ = table + table.corrected(LabelErrors(0.2))


def test_the_command_line_says_the_same(ev: hc.Evaluation, tmp_path: Path, shell: Shell) -> None:
    y, scores = _subjects(ev)
    columns = [column.tolist() for column in scores.values()]
    lines = ["y,a,b", *(f"{int(p)},{a!r},{b!r}" for p, a, b in zip(y, *columns, strict=True))]
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n")
    told = ("evaluate", tmp_path / "d.csv", "-l", "y", "-s", "a", "-s", "b")
    done = shell(*told, "--contamination", "0.1", "--mislabelled", "0.03,0.01", "-f", "json")
    found = done.json
    assert found["label_errors"] == ev.to_dict()["label_errors"]
    assert found["results"] == json.loads(json.dumps(ev.to_dict()["results"]))
    part = hc.evaluate(y, scores, unlabelled=True, prevalence=(0.05, 0.01))
    done = shell(*told, "--unlabelled", "--prevalence", "0.05,0.01", "-f", "json")
    assert done.json["results"] == json.loads(json.dumps(part.to_dict()["results"]))
    for options, sentence in (
        (["--unlabelled"], "unlabelled data need the prevalence"),
        (["--contamination", "a"], "--contamination must be a number or SHARE,ERROR"),
        (["--contamination", "0.5", "--mislabelled", "0.6"], "must add up to less than 1"),
        (["--prevalence", "0.1,0.2"], "is that of unlabelled data"),
    ):
        assert sentence in shell(*told, *options).refusal


@pytest.mark.parametrize("nothing", [np.nan, None])
def test_missing_labels_are_unlabelled(nothing: Any, tmp_path: Path, shell: Shell) -> None:
    rng = np.random.default_rng(8)
    known = np.repeat([1, 0], [30, 200])
    s = rng.normal(size=230) + known + (rng.random(230) < 0.2)
    options: dict[str, Any] = {"metrics": ["auc", "ap"], "unlabelled": True, "prevalence": 0.2}
    blank = [1 if one else nothing for one in known]
    plain, own = hc.evaluate(known, s, **options), hc.evaluate(blank, s, **options)
    assert [e.interval for e in own] == [e.interval for e in plain]
    assert "200 subjects without a label count as unlabelled" in str(own)
    assert hc.evaluate(blank, s, missing="drop", **options)["score", "ap"].value == plain["score", "ap"].value
    lines = [f"{'' if label != 1 else 1},{score!r}" for label, score in zip(blank, s.tolist(), strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["y,s", *lines]) + "\n")
    told = ("evaluate", tmp_path / "d.csv", "-l", "y", "-s", "s", "-m", "auc", "-m", "ap", "-f", "json")
    found = shell(*told, "--unlabelled", "--prevalence", "0.2").json
    assert [line["value"] for line in found["results"]] == [e.value for e in plain]
    output = tmp_path / "d.json"
    assert shell(*told, "--unlabelled", "--prevalence", "0.2", "-o", output).code == 0
    assert json.loads(output.read_text()) == found
    with pytest.raises(LabelError, match="leave out known negatives"):
        hc.evaluate([*blank[:100], *[0] * 130], s, **options)
    with pytest.raises(MissingValueError, match="see unlabelled and verification of evaluate"):
        hc.evaluate(blank, s)


# ---- caveats and bad input


def test_caveats() -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [20, 500])
    near = hc.evaluate(y, rng.normal(size=520) + 3 * y, contamination=0.1)
    assert "only about 2 of the labelled positives are wrong" in " ".join(near["score", "auc"].cautions)
    mixed = np.concatenate([np.ones(520)[:20], rng.random(500) < 0.3])  # labelled positives, and some unlabelled
    cut = hc.evaluate(y, rng.normal(size=520) + 3 * mixed, unlabelled=True, prevalence=0.3)
    assert "cut off there" in " ".join(cut["score", "ap"].cautions)
    above = hc.evaluate(y, rng.normal(size=520) + 6 * y, unlabelled=True, prevalence=0.025)["score", "auc"]
    assert above.value > 1
    assert "above its range" in " ".join(above.cautions)


@pytest.mark.parametrize(
    ("options", "right", "sentence"),
    [
        ({"mislabelled": 0.3}, {"mislabelled": 0.02}, "contradict mislabelled=0.3: by its ranking at most about"),
        ({"contamination": 0.4}, {"contamination": 0.02}, "% of the labelled positives can be negatives"),
        (
            {"unlabelled": True, "prevalence": 0.4},
            {"unlabelled": True, "prevalence": 0.02},
            "give a smaller prevalence, or check the labels",
        ),
    ],
)
def test_shares_that_the_labels_contradict_are_said_once(
    options: dict[str, Any], right: dict[str, Any], sentence: str
) -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [100, 900])
    s = rng.normal(size=1000) + 3 * y
    for turned in (False, True):  # where the other side of each cutoff contradicts
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ev = hc.evaluate(y, -s if turned else s, metrics=["auc", "ap"], **options)
        assert sum(sentence in text for text in ev.cautions) == 1
        assert not any("by chance" in text for text in ev.cautions)
    assert not any("contradict" in text for text in hc.evaluate(y, s, metrics=["auc", "ap"], **right).cautions)


def test_right_shares_are_not_called_contradicted() -> None:
    found = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        hidden = np.r_[rng.random(60) < 0.9, rng.random(800) < 0.2]
        s = np.round(rng.normal(size=860) + 3.6 * hidden, 1)
        ev = hc.evaluate(np.repeat([1, 0], [60, 800]), s, metrics="auc", contamination=0.1, mislabelled=0.2)
        found += any("contradict" in text for text in ev.cautions)
    assert found == 0


def test_percentages_are_shares_on_the_command_line(tmp_path: Path, shell: Shell) -> None:
    rng = np.random.default_rng(8)
    lines = [f"{y},{s!r}" for y, s in zip([1, 0] * 60, rng.normal(size=120).tolist(), strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["y,s", *lines]) + "\n")
    given = ("evaluate", tmp_path / "d.csv", "-l", "y", "-s", "s", "-m", "auc", "-f", "json")
    for percent, plain in (
        (
            ("--mislabelled", "5%,1%", "--contamination", "2%"),
            ("--mislabelled", "0.05,0.01", "--contamination", "0.02"),
        ),
        (("--unlabelled", "--prevalence", "12.5%,2%"), ("--unlabelled", "--prevalence", "0.125,0.02")),
        (("--prevalence", "3%", "--confidence-level", "90%"), ("--prevalence", "0.03", "--confidence-level", "0.9")),
    ):
        assert shell(*given, *percent).json == shell(*given, *plain).json
    record = shell(*given, "--mislabelled", "5%,1%").json["results"][0]
    assert (record["mislabelled"], record["mislabelled_error"], record["contamination"]) == (0.05, 0.01, 0.0)
    assert shell(*given, "--mislabelled", "5%,x").refusal.startswith("--mislabelled must be a number or SHARE,ERROR")


@pytest.mark.parametrize("metric", ["ap", "croc(exp, alpha=7)"])
def test_an_interval_near_one_is_not_the_whole_range(metric: str) -> None:
    rng = np.random.default_rng(2)
    hidden = np.r_[rng.random(200) < 0.95, rng.random(2000) < 0.1]
    y = np.repeat([1, 0], [200, 2000])
    s = rng.normal(size=2200) + 4 * hidden
    e = hc.evaluate(y, s, metrics=metric, contamination=0.05, mislabelled=0.1)["score", metric]
    assert e.interval is not None
    assert e.value > 0.97
    assert 1.96 * e.standard_error < e.value - e.interval.low < 3.2 * e.standard_error
    assert e.interval.high == 1


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"contamination": 0.5, "mislabelled": 0.5}, ParameterError, "must add up to less than 1, got 0.5 \\+ 0.5"),
        ({"contamination": -0.1}, ParameterError, "contamination must be a share of at least 0 and below 1"),
        ({"mislabelled": 1}, ParameterError, "mislabelled must be a share of at least 0 and below 1"),
        ({"mislabelled": (0.1, -1)}, ParameterError, "standard error of mislabelled must be at least 0"),
        ({"mislabelled": (0.1, 0.1, 0.1)}, ParameterError, "must be a number or \\(value, standard_error\\)"),
        ({"contamination": "few"}, ParameterError, "contamination must be a number"),
        ({"contamination": float("nan")}, ParameterError, "contamination must be a number"),
        ({"unlabelled": True}, ParameterError, "unlabelled data need the prevalence"),
        ({"unlabelled": "yes"}, ParameterError, "unlabelled must be True or False"),
        ({"unlabelled": True, "prevalence": 0}, ParameterError, "prevalence"),
        ({"unlabelled": True, "prevalence": 0.2, "mislabelled": 0.1}, ParameterError, "cannot be combined"),
        ({"unlabelled": True, "prevalence": 0.2, "design": "cohort"}, ParameterError, "prevalence of a cohort"),
        ({"contamination": 0.1, "prevalence": (0.1, 0.02)}, ParameterError, "is that of unlabelled data"),
        ({"contamination": 5}, ParameterError, "below 1, got 5: write 0.05 for 5%"),
        ({"contamination": 0.1, "interval_method": "wald"}, ParameterError, "method='wald' is not for labels"),
        ({"interval_method": "corrected"}, ParameterError, "is for labels that are wrong"),
        ({"contamination": 0.1, "by": [1, 2] * 30}, ParameterError, "evaluate each group by itself"),
        ({"contamination": 0.1, "metrics": "ef@1%"}, UndefinedMetricError, "ef@1% is not corrected"),
        ({"contamination": 0.1, "metrics": "croc(power, alpha=2)"}, UndefinedMetricError, "is not corrected"),
        ({"contamination": 0.1, "metrics": "ap(ties=expected)"}, UndefinedMetricError, "is not corrected"),
    ],
)
def test_bad_input(options: dict[str, Any], error: type[Exception], sentence: str) -> None:
    rng = np.random.default_rng(6)
    with pytest.raises(error, match=sentence):
        hc.evaluate(np.repeat([1, 0], 30), rng.normal(size=60), **options)


# ---- what is said to be corrected


def test_lists_of_what_is_corrected_are_complete() -> None:
    forms = (*METRICS, *map(hc.metric, (*hc.metrics.examples().values(), *CORRECTED)))
    wanted = {m.name for m in forms if m.label_correction}
    assert wanted == {hc.metric(form).name for form in CORRECTED}
    with pytest.raises(UndefinedMetricError) as refused:
        hc.metric("bedroc(alpha=20)").value(_table(LabelErrors(0.1, 0.05)))
    in_refusal = re.search(r"only (.*?) along the FPR are ", str(refused.value))
    assert hc.evaluate.__doc__ is not None
    in_docstring = re.search(r"less than 1\. (.*?) along the FPR are corrected", " ".join(hc.evaluate.__doc__.split()))
    guide = (DOCS / "how-to" / "wrong-labels.md").read_text(encoding="utf-8").split("## What is corrected")[1]
    in_guide = re.search(
        r"^- (`auc`.*?) are linear.*?^- (.*?) along the FPR are cut off", guide, re.MULTILINE | re.DOTALL
    )
    for found in (in_refusal, in_docstring, in_guide):
        assert found is not None
        assert sorted(re.findall(r"\w+", " ".join(found.groups()).replace(" and ", " "))) == sorted(wanted)
