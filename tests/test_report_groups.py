"""The page of many groups: what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import ParameterError
from hitcurve.report import page, small
from hitcurve.report.html import over
from hitcurve.report.html.drawn import sketch
from tests.pages import METRICS, ODD, bracket, grouped, normal_scores
from tests.shell import in_process
from tests.test_report import embedded, plain

pytest.importorskip("vl_convert")
pytestmark = [
    pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning"),
    pytest.mark.usefixtures("coarse_grids"),
]
MINUS = "\N{MINUS SIGN}"


def places(text: str) -> Any:
    return np.cumsum([int(step) for step in text.split()]) / 2000


@pytest.mark.parametrize(("groups", "rankers"), [(1, 2), (3, 4), (30, 2), (200, 4)])
def test_the_file_stays_small(groups: int, rankers: int) -> None:
    chosen = METRICS if groups < 200 else METRICS[:3]  # of many groups intervals take their time
    ev = grouped(groups, tuple(f"r{i}" for i in range(rankers)), metrics=chosen)
    text = page(ev)
    assert len(text.encode()) * len(METRICS) / len(chosen) < 3_000_000
    data = embedded(text)
    assert len(data["groups"]) == groups
    # up to 24 curves all controls, beyond that what is looked at
    assert all(("alpha" in one) == (groups * rankers <= 24) for one in data["groups"])
    assert all(("sketch" in one) == (groups * rankers > 24) for one in data["groups"])


def test_beyond_a_thousand_curves_groups_are_in_the_table(tmp_path: Path) -> None:
    ev = grouped(260, ("a", "b", "c", "d"), positives=3, subjects=12, metrics=["auc", "ap"])
    text = page(ev)
    assert embedded(text)["groups"] == [{}]
    assert "groups times rankers are at most 1,000. Here they are 1,040" in plain(text)
    assert "topic 260" in plain(text)
    long = hc.evaluate([1, 0, 0] * 1100, range(3300), by=np.repeat(np.arange(1100), 3), metrics="auc")
    with pytest.raises(ParameterError, match=r"at most 1,000 groups and 120,000 values .* got 1,100 and 1,100: "):
        hc.report(long, tmp_path / "x.html")
    with pytest.raises(ParameterError, match="baseline must be one of"):
        hc.report(ev, tmp_path / "x.html", baseline="e")
    assert not list(tmp_path.iterdir())


def test_the_same_groups_make_the_same_file() -> None:
    assert page(grouped(12)) == page(grouped(12))
    assert page(grouped(13)) == page(grouped(13))


def test_means_and_intervals_are_pythons() -> None:
    ev = grouped(14)
    said = plain(page(ev))
    assert "2 rankers in 14 groups: 840 subjects, 84 of them positive (10%)." in said
    for name in ev.rankers:
        for metric in ev.metrics:
            mean = ev.mean(name, metric)
            ends = " ".join(bracket(*mean.confidence_interval(level)) for level in (0.9, 0.95, 0.99))
            spread = f"{rows.number(mean.values.min(), 3)} to {rows.number(mean.values.max(), 3)}"
            assert f"{rows.number(mean.value)} {ends} {spread}" in said
    pooled = ev.pooled
    for e in pooled:
        assert rows.with_interval(e.value, e.interval) in said


def test_comparisons_across_groups_are_in_words() -> None:
    ev = grouped(14, ("a", "b", "c"))
    said = plain(page(ev))
    assert "All pairs of rankers are compared by ap. The p values are adjusted for the number of comparisons" in said
    assert "assumes independent groups" in said
    for c in ev.compare_all("ap"):
        assert bracket(*c.difference.confidence_interval(0.99)).replace("-", MINUS) in said
        assert rows.p_alone(c.pvalue, 3) in said
        assert f"{c.wins}-{c.ties}-{c.losses}" in said
    against = plain(page(ev, baseline="c"))
    assert "Each ranker is compared with c by" in against


@pytest.mark.parametrize("policy", ["skip", "zero"])
def test_what_was_left_out_is_said(policy: str) -> None:
    y = np.tile([1, 0, 0, 0], 20)
    topic = np.repeat([f"t{i}" for i in range(5)], 16)
    y[topic == "t3"] = 0
    y[topic == "t4"] = 1
    scores = {"a": np.random.default_rng(0).normal(size=80) + y}
    ev = hc.evaluate(y, scores, by=topic, metrics=["ap", "auc"], single_class=policy)
    text = page(ev)
    said = plain(text)
    counted = ", which counts as 0" if policy == "zero" else ""
    assert f"Left out 1 with no positives{counted}: t3; 1 with no negatives: t4" in said
    values = embedded(text)["values"][0]["value"][0].split(" ")
    assert values == [rows.number(value) for value in ev.values("a", "ap")]
    assert len(values) == (4 if policy == "zero" else 3)
    assert ('title="t3"' in text) == (policy == "zero")
    assert len(embedded(text)["groups"]) == 3


def test_shades_follow_the_values() -> None:
    ev = grouped(40)
    data = embedded(page(ev))
    for metric, found in zip(ev.metrics, data["values"], strict=True):
        values = np.concatenate([ev.values(name, metric) for name in ev.rankers])
        shades = np.array([int(digit) for digit in "".join(found["shade"])])
        order = np.argsort(values, kind="stable")
        assert np.all(np.diff(shades[order]) >= 0)
        assert (shades.min(), shades.max()) == (0, 9)


def test_the_average_curves_are_those_of_python() -> None:
    ev = grouped(30)
    data = embedded(page(ev))
    for name, kind in (("hits", "accumulation"), ("roc", "roc")):
        for r, ranker in enumerate(ev.rankers):
            drawn = data["average"][name][r]
            for i, level in enumerate((0.9, 0.95, 0.99)):
                curve = ev.average_curve(ranker, kind, confidence_level=level)
                x = np.array(drawn["x"].split(), float)
                y, low, high = (places(text) for text in (drawn["y"], drawn["low"][i], drawn["high"][i]))
                for one, other in ((y, curve.y), (low, curve.low), (high, curve.high)):
                    # every point of the curve is near the line through those that are drawn
                    line = np.array([np.interp(curve.x + d, x, one) for d in (-0.005, 0.0, 0.005)])
                    assert np.all((other >= line.min(axis=0) - 0.005) & (other <= line.max(axis=0) + 0.005))
    assert embedded(page(grouped(1)))["average"] == {}


def test_sketches_are_as_near_as_the_page_says() -> None:
    ev = grouped(30)
    off = over.GroupData(ev, (0.95,)).off
    assert off < 0.01
    for group in ev.groups.values():
        for table in group.tables.values():
            drawn, curve = sketch(table), hc.roc_curve(table)
            line = np.array([np.interp(curve.x + d, drawn.fpr, drawn.recall) for d in (-off, -1e-9, 0.0, 1e-9, off)])
            assert np.all((curve.y >= line.min(axis=0) - off) & (curve.y <= line.max(axis=0) + off))


def test_groups_of_tables_and_undefined_metrics() -> None:
    made = {name: {"engine": hc.HitTable.from_ranks(ranks, n=90)} for name, ranks in {"q": [1, 4], "r": [2, 9]}.items()}
    said = plain(page(hc.evaluate(tables=made, metrics=["ap", "auc"])))
    assert "One ranker in 2 groups" in said
    assert "There is only one ranker, so there is no comparison." in said
    assert "unknown: the input was counts" in said
    assert "All subjects as one list" not in said
    y, topic = np.array([1, 0, 0, 0] * 3), np.repeat(["a", "b", "c"], 4)
    score = np.where(topic == "b", 0.0, [4, 3, 2, 1] * 3)
    ev = hc.evaluate(y, score, by=topic, metrics=["momentum", "auc"], undefined="nan")
    text = page(ev)
    found = embedded(text)["values"][0]
    assert found["value"][0].split(" ")[1] == "-"
    assert found["shade"][0][1] == "-"
    assert "of 2 groups" in plain(text)
    nowhere = hc.evaluate(y, np.zeros(12), by=topic, metrics=["auc", "momentum"], undefined="nan")
    assert "none no interval" in plain(page(nowhere))


def test_lists_without_an_end_have_no_curves() -> None:
    qrels = {topic: {"d1": 1, "d2": 0, "d3": 1} for topic in ("1", "2", "3")}
    runs = {name: {topic: {"d1": 3.0 - i, "d2": 2.0, "d3": 1.0} for topic in qrels} for i, name in enumerate("ab")}
    runs["b"]["3"]["d3"] = 9.0
    endless = hc.evaluate_trec(runs, qrels, metrics=["ap", "precision@2"])
    text = page(endless)
    said = plain(text)
    assert "2 runs on 3 topics: 6 relevant documents." in said
    assert (
        "Judged 9 documents, 3 in a topic Relevant from a relevance of 1 Equal scores in the order of the names" in said
    )
    assert "Run a 9 documents retrieved, 6 of them relevant" in said
    assert "The lengths of these rankings are unknown, so there are no curves" in said
    assert "000,000" not in said
    assert embedded(text)["average"] == {}
    with pytest.raises(ParameterError, match="a ranking of unknown length has no curve"):
        hc.plot.small_multiples(endless)
    whole = hc.evaluate_trec(runs, qrels, metrics="ap", collection_size=50)
    assert len(embedded(page(whole))["average"]["roc"]) == 2


def test_a_notebook_shows_the_means() -> None:
    ev = grouped(30)
    shown = ev._repr_html_()
    assert shown == small(ev)
    assert len(shown) < 4000
    header, body = ev.table_rows()
    header = ev.levelled(header, body)
    for text in (*header, *(cell for line in body for cell in line)):
        assert f">{text}</t" in shown
    odd = grouped(ODD[:3], ODD[:2], metrics="auc")
    assert "<script" not in odd._repr_html_()


def test_the_command_takes_groups(tmp_path: Path) -> None:
    y, scores = normal_scores(("a", "b"), 12, 80)
    topic = np.tile(np.arange(4), 20)
    y[topic == 3] = 0
    pd.DataFrame({"y": y, **scores, "topic": topic}).to_csv(tmp_path / "scores.csv", index=False)
    out = tmp_path / "report.html"
    words = ["report", str(tmp_path / "scores.csv"), "-l", "y", "-s", "a", "-s", "b", "-m", "auc", "--by", "topic"]
    refused = in_process(*words, "-o", str(out))
    assert refused.returncode == 2
    assert "--single-class skip" in refused.stderr
    assert not out.exists()
    done = in_process(*words, "-o", str(out), "--single-class", "skip")
    assert done.returncode == 0, done.stderr
    said = plain(out.read_text(encoding="utf-8"))
    assert "2 rankers in 3 groups by topic" in said
    assert "1 with no positives: 3" in said
