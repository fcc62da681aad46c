"""Runs and qrels of TREC: what is read, what is computed and by which rules, what is written."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import re
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import hitcurve as hc
from hitcurve import errors
from tests.data import data_folder
from tests.odd import odd_scores
from tests.shell import in_process as command

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]

RUN = "301 Q0 d7 1 2.5 bm25\n301 Q0 d3 2 1.25 bm25\n302 Q0 d1 1 0.5 bm25\n"
QRELS = "301 0 d3 1\n301 0 d9 1\n301 0 d7 0\n302 0 d1 1\n302 0 d2 0\n"
AS_RUN: Run = {"301": {"d7": 2.5, "d3": 1.25}, "302": {"d1": 0.5}}
AS_QRELS: Qrels = {"301": {"d3": 1, "d9": 1, "d7": 0}, "302": {"d1": 1, "d2": 0}}


def evaluated(run: Any, qrels: Any, metrics: Any = "ap", **options: Any) -> hc.TrecEvaluation:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return hc.evaluate_trec({"a": run}, qrels, metrics=metrics, **options)


def values(ev: hc.GroupedEvaluation, form: str, run: str = "a") -> dict[str, float]:
    return {topic: e.value for topic, e in ev.estimates(run, form).items()}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    run, qrels = tmp_path / "bm25.run", tmp_path / "qrels.txt"
    run.write_text(RUN)
    qrels.write_text(QRELS)
    return run, qrels


# ---- files


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace(" ", " \t  ").encode(),
        lambda text: text.replace("\n", "\n\n").encode(),
        lambda text: text.rstrip().encode(),
        lambda text: gzip.compress(text.encode(), mtime=0),
        lambda text: bz2.compress(text.encode()),
        lambda text: lzma.compress(text.encode()),
        lambda text: pytest.importorskip("pyarrow").compress(text.encode(), "zstd", asbytes=True),
    ],
    ids=["plain", "windows", "mark", "blanks", "empty lines", "no end", "gzip", "bzip2", "xz", "zstd"],
)
def test_files_are_read_however_they_are_written(tmp_path: Path, change: Any) -> None:
    path = tmp_path / "file"
    path.write_bytes(change(RUN))
    assert hc.read_trec_run(path) == AS_RUN
    path.write_bytes(change(QRELS))
    assert hc.read_qrels(path) == AS_QRELS


BAD_RUNS = [
    (b"", errors.EmptyInputError, "file.txt contains no line"),
    (b"\n \n", errors.EmptyInputError, "file.txt contains no line"),
    (b"301 Q0 d1 1 2 a\n301 Q0 d2 2 a\n", errors.InputError, "line 2: 5 fields; a line of a run has 6"),
    (b"301\n", errors.InputError, "line 1: 1 field;"),
    (b"301 Q0 d 1 1 2 a\n", errors.InputError, "line 1: 7 fields"),
    (b"\n301 0 d1 1\n", errors.InputError, "line 2: 4 fields as in qrels .are the two files swapped"),
    (b"301 Q0 d1 1 high a\n", errors.ScoreError, "line 1: the score 'high' is not a number"),
    (b"301 Q0 d1 1 nan a\n", errors.ScoreError, "line 1: the score 'nan' is not a number"),
    (b"301 Q0 d1 1 1_000 a\n", errors.ScoreError, "line 1: the score '1_000' is not a number"),
    (
        b"301 Q0 d1 1 2 a\n302 Q0 d1 1 2 a\n301 Q0 d1 2 1 a\n",
        errors.InputError,
        "line 3: .*'301' .* first is in line 1",
    ),
    (b"301 Q0 d\xff 1 2 a\n", errors.UnreadableFileError, "line 1 is not UTF-8"),
    (gzip.compress(RUN.encode(), mtime=0)[:-12], errors.UnreadableFileError, "not a complete gzip file"),
    (bz2.compress(RUN.encode())[:-12], errors.UnreadableFileError, "not a complete bzip2 file"),
    (lzma.compress(RUN.encode())[:-12], errors.UnreadableFileError, "not a complete xz file"),
    (b"\x89PNG\x00\r\n\x1a\n\x00\xff", errors.UnreadableFileError, "file.txt, line 1 is not text"),
]


@pytest.mark.parametrize(("content", "kind", "said"), BAD_RUNS)
def test_bad_runs_are_refused(tmp_path: Path, content: bytes, kind: type[Exception], said: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    with pytest.raises(kind, match=said) as refused:
        hc.read_trec_run(path)
    assert "file.txt" in str(refused.value)


@pytest.mark.parametrize(
    ("content", "kind", "said"),
    [
        (b"", errors.EmptyInputError, "contains no line"),
        (b"301 0 d1\n", errors.InputError, "line 1: 3 fields; a line of qrels has 4"),
        (RUN.encode(), errors.InputError, "line 1: 6 fields as in a run"),
        (b"301 0 d1 yes\n", errors.LabelError, "line 1: the relevance 'yes' is not a whole number"),
        (b"301 0 d1 1\n301 0 d2 0.5\n", errors.LabelError, "line 2: the relevance '0.5'"),
        (b"301 0 d1 1\n301 0 d1 1\n", errors.InputError, "line 2: document 'd1' of topic '301'"),
    ],
)
def test_bad_qrels_are_refused(tmp_path: Path, content: bytes, kind: type[Exception], said: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    with pytest.raises(kind, match=said):
        hc.read_qrels(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(errors.UnreadableFileError, match="no file"):
        hc.read_trec_run(tmp_path / "none.txt")
    with pytest.raises(errors.UnreadableFileError, match="folder"):
        hc.read_qrels(tmp_path)


def test_files_and_mappings_are_the_same(files: tuple[Path, Path]) -> None:
    run, qrels = files
    of_files, of_mappings = hc.evaluate_trec(run, qrels, metrics="ap"), evaluated(AS_RUN, AS_QRELS)
    assert of_files.rankers == ("bm25",)
    assert values(of_files, "ap", "bm25") == values(of_mappings, "ap") == {"301": pytest.approx(0.25), "302": 1.0}


@pytest.mark.parametrize(
    ("runs", "qrels", "kind", "said"),
    [
        ({"a": {"1": ["d"]}}, AS_QRELS, errors.InputError, "run 'a' must be a file, a mapping"),
        ({"a": {"1": {"d": "x"}}}, AS_QRELS, errors.ScoreError, "run 'a': score must be a number, got 'x'"),
        ({"a": {"1": {"d": math.nan}}}, AS_QRELS, errors.ScoreError, "nan"),
        ({"a": {"1": {}}}, AS_QRELS, errors.EmptyInputError, "run 'a' contains no document"),
        ({"a": {1: {"d": 1}, "1": {"d": 1}}}, AS_QRELS, errors.InputError, "differ as values"),
        ({}, AS_QRELS, errors.InputError, "no run"),
        ([], AS_QRELS, errors.InputError, "no run"),
        ({"a": AS_RUN}, {"301": {"d3": 0.5}}, errors.LabelError, "relevance 0.5 of 'd3' is not a whole number"),
        ({"a": AS_RUN}, {"301": 1}, errors.InputError, "qrels must be a file, a mapping"),
        ({"a": AS_RUN}, {"7": {"d3": 1}}, errors.InputError, "the qrels have '7', 'a' has '301', '302'"),
        ({"a": AS_RUN, "b": {"302": {"d1": 1}}}, {"301": {"d3": 1}}, errors.InputError, "in every run"),
    ],
)
def test_bad_mappings_are_refused(runs: Any, qrels: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=re.escape(said)):
        hc.evaluate_trec(runs, qrels, metrics="ap")


# ---- against trec_eval, called from Python


@st.composite
def collections(draw: st.DrawFn) -> tuple[Run, Qrels]:
    """Draw runs with ties, some only in single precision, unjudged, unretrieved and no relevant documents."""
    names = [f"d{i}" for i in range(12)]
    scores = st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 1.0 + 1e-3, 2.5, -3.0])
    run, qrels = {}, {}
    for topic in map(str, range(draw(st.integers(1, 4)))):
        run[topic] = draw(st.dictionaries(st.sampled_from(names), scores, min_size=1))
        qrels[topic] = draw(st.dictionaries(st.sampled_from(names), st.integers(0, 1), min_size=1))
    return run, qrels


THEIRS = ("map", "Rprec", "P_5", "P_10", "recall_5", "recall_100", "ndcg", "ndcg_cut_5", "relative_P_5")


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(collections())
def test_values_are_those_of_trec_eval(given: tuple[Run, Qrels]) -> None:
    called = pytest.importorskip("pytrec_eval")
    run, qrels = given
    measures = {"map", "Rprec", "P", "recall", "ndcg", "ndcg_cut", "relative_P"}
    theirs = called.RelevanceEvaluator(qrels, measures).evaluate(run)
    some = {topic for topic, judged in qrels.items() if any(judged.values())}
    if not some:
        with pytest.raises(errors.SingleClassError):
            evaluated(run, qrels, THEIRS, single_class="zero")
        return
    ours = evaluated(run, qrels, THEIRS, single_class="zero")
    assert set(ours) == some
    for name in THEIRS:
        for topic, value in values(ours, name).items():
            assert value == pytest.approx(theirs[topic][name], abs=1e-9), (name, topic)
        means = np.mean([of_topic[name] for of_topic in theirs.values()])
        assert ours.mean("a", name).value == pytest.approx(means, abs=1e-9)
    records = ours.to_dict()["groups"]
    for record, (topic, name) in zip(records, product(ours.topics, THEIRS), strict=True):
        assert record["group"] == topic
        assert record["value"] == pytest.approx(theirs[topic][name], abs=1e-9), (name, topic)


# ---- rules


def by_hand(run: dict[str, float], judged: dict[str, int], ties: str, unjudged: str, depth: int | None) -> hc.HitTable:
    """Return the list of one topic without an end, document by document."""
    score = {name: float(np.float32(s)) if ties == "trec" else s for name, s in run.items()}
    ordered = sorted(run, key=lambda name: (score[name], name), reverse=True)[:depth]
    ordered = [name for name in ordered if unjudged == "negative" or name in judged]
    rows: dict[Any, list[int]] = {}
    for name in ordered:
        row = rows.setdefault(name if ties == "trec" else score[name], [0, 0])
        row[0 if judged.get(name, 0) >= 1 else 1] += 1
    lost = sum(judged[name] >= 1 for name in judged if name not in ordered)
    end = [[0, 10**15 - len(ordered) - lost], *[[1, 0]] * lost]
    pos, neg = np.array([*rows.values(), *end]).T
    return hc.HitTable(pos, neg, "rows").collapse()


@pytest.mark.slow
@settings(deadline=None)
@given(
    collections(),
    st.sampled_from([("trec", None), ("trec", 3), ("group", None)]),
    st.sampled_from(["negative", "drop"]),
)
def test_lists_of_all_topics_are_those_made_one_by_one(
    given: tuple[Run, Qrels], rule: tuple[str, int | None], unjudged: str
) -> None:
    run, qrels = given
    ties, depth = rule
    if not any(map(any, (judged.values() for judged in qrels.values()))):
        return
    found = evaluated(run, qrels, "ap", single_class="skip", ties=ties, depth=depth, unjudged=unjudged)
    for topic in found:
        assert found[topic].tables["a"] == by_hand(run[topic], qrels[topic], ties, unjudged, depth)


def test_equal_scores_go_by_name_or_as_a_group() -> None:
    run, qrels = {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"1": {"a": 1, "b": 0, "c": 0}}
    by_name, as_group = (evaluated(run, qrels, "precision@1", ties=ties) for ties in ("trec", "group"))
    assert values(by_name, "precision@1")["1"] == 0
    assert values(as_group, "precision@1")["1"] == pytest.approx(1 / 3)
    assert by_name.topics["1"]["a"].tied == 3
    assert any("3 retrieved documents of equal score, last name first" in note for note in by_name.notes)


def test_single_precision_is_that_of_trec_eval_only() -> None:
    run, qrels = {"1": {"a": 1.0 + 1e-12, "b": 1.0}}, {"1": {"a": 1, "b": 0}}
    assert values(evaluated(run, qrels), "ap")["1"] == pytest.approx(0.5)
    assert values(evaluated(run, qrels, ties="group"), "ap")["1"] == pytest.approx(1.0)


def test_documents_without_a_judgement() -> None:
    run, qrels = {"1": {"x": 3.0, "y": 2.0, "a": 1.0}}, {"1": {"a": 1, "b": 0}}
    assert values(evaluated(run, qrels), "ap")["1"] == pytest.approx(1 / 3)
    dropped = evaluated(run, qrels, unjudged="drop")
    assert values(dropped, "ap")["1"] == pytest.approx(1.0)
    assert dropped.topics["1"]["a"] == hc.evaluation.TopicCounts(retrieved=1, relevant=1, found=1, unjudged=2, tied=0)
    with pytest.raises(errors.MissingValueError, match="2 of 3 retrieved documents are not judged, the first is 'x'"):
        evaluated(run, qrels, unjudged="raise")


def test_depth_reads_the_first_documents() -> None:
    run, qrels = {"1": {"x": 3.0, "a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 1}}
    cut = evaluated(run, qrels, depth=2)
    assert values(cut, "ap")["1"] == pytest.approx(0.25)
    assert cut.topics["1"]["a"].retrieved == 2


def test_relevance_from_a_grade_on() -> None:
    run, qrels = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"a": 1, "b": 2}}
    assert values(evaluated(run, qrels), "ap")["1"] == pytest.approx(1.0)
    strict = evaluated(run, qrels, ["ap", "precision@1"], relevant_from=2)
    assert values(strict, "ap")["1"] == pytest.approx(0.5)
    assert any("relevant from a relevance of 2" in note for note in strict.notes)


def test_topics_that_the_run_lacks() -> None:
    run = {"1": {"a": 1.0}, "9": {"a": 1.0}}
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    ev = evaluated(run, qrels)
    assert set(ev) == {"1"}
    assert any(re.search(r"1 topic without judgements left out: '9'", note) for note in ev.notes)
    assert any(
        re.search(r"1 topic of the qrels not in the run, left out unless complete .*: '2'", note) for note in ev.notes
    )
    whole = evaluated(run, qrels, complete=True)
    assert values(whole, "ap") == {"1": pytest.approx(1.0), "2": pytest.approx(0.0, abs=1e-9)}
    assert whole.mean("a", "ap").value == pytest.approx(0.5)


def test_topics_without_relevant_documents() -> None:
    run, qrels = {"1": {"a": 1.0}, "2": {"a": 1.0}}, {"1": {"a": 1}, "2": {"a": 0}}
    with pytest.raises(errors.SingleClassError, match="1 of 2 topics have no positives"):
        evaluated(run, qrels)
    means = {policy: evaluated(run, qrels, single_class=policy).mean("a", "ap").value for policy in ("skip", "zero")}
    assert means == {"skip": pytest.approx(1.0), "zero": pytest.approx(0.5)}


def test_topics_that_count_as_zero_stand_in_order_and_are_counted_in_the_heading() -> None:
    run = {topic: {"a": 1.0} for topic in "123"}
    ev = evaluated(run, {"1": {"a": 1}, "2": {"a": 0}, "3": {"a": 1}}, ["map"], single_class="zero")
    columns = [line.split() for line in ev.to_trec_eval(per_topic=True).splitlines()]
    assert [row[1:] for row in columns if row[0] == "map"] == [
        ["1", "1.0000"],
        ["2", "0.0000"],
        ["3", "1.0000"],
        ["all", "0.6667"],
    ]
    assert "3 topics, 1 without relevant documents: 2 relevant documents, 1 in each of the others" in str(ev)
    assert "a: 3 documents retrieved, 2 of them relevant" in str(ev)
    assert ev.group_rows(ev.metrics[0])[1] == [["1", "1", "1.000"], ["2", "0", "0.000"], ["3", "1", "1.000"]]
    assert ev.topics["2"]["a"] == (1, 0, 0, 0, 0)
    of_two = ev.to_dict()["groups"][1]
    assert (of_two["group"], of_two["value"], of_two["n_pos"]) == ("2", 0.0, 0)
    assert of_two["reason"] == "the topic has no positives"


@pytest.mark.parametrize("ties", ["trec", "group"])
def test_average_precision_of_a_list_without_end_adds_nothing_for_documents_not_retrieved(ties: str) -> None:
    run = {"1": {"a": 3.0, "b": 3.0, "c": 1.0}, "2": {"x": 1.0}, "3": {"a": 1.0}}
    qrels = {"1": {"a": 1, "c": 1, "z": 1}, "2": {"z": 1, "y": 1}, "3": {"a": 1}}
    names = ["AP"] if ties == "group" else ["AP", "AP@10", "AP(rel=1)"]
    ev = hc.evaluate_trec({"r": run}, qrels, metrics=names, ties=ties)
    for name in names:
        assert ev.values("r", name).tolist() == [(1 / 2 + 2 / 3) / 3, 0.0, 1.0]
        assert [ev[topic, "r", name].value for topic in "23"] == [0.0, 1.0]
        assert ev["1", "r", name].tie_range == ((1 / 2 + 2 / 3) / 3, (1 + 2 / 3) / 3)


def test_ndcg_of_a_list_without_end_adds_nothing_for_documents_not_retrieved() -> None:
    # the ideal holds all relevant documents, though fewer were retrieved
    ev = evaluated({"1": {"x": 2.0, "a": 1.0}}, {"1": {"a": 1, "b": 1, "c": 1, "d": 1}}, ["nDCG", "dcg"])
    gain, ideal = 1 / math.log2(3), sum(1 / math.log2(rank + 1) for rank in range(1, 5))
    assert values(ev, "dcg")["1"] == pytest.approx(gain)
    assert values(ev, "ndcg")["1"] == ev["1", "a", "nDCG"].value == pytest.approx(gain / ideal)


@pytest.mark.parametrize(
    "form", ["auc", "ef@1%", "recall@10%", "scaled_ap", "bedroc(alpha=20)", "rauc", "slr", "wss@95%"]
)
def test_metrics_that_ask_for_the_end_are_refused(form: str) -> None:
    with pytest.raises(errors.ParameterError, match=r"depends on the length of the list.*collection_size"):
        evaluated(AS_RUN, AS_QRELS, form)
    assert not math.isnan(evaluated(AS_RUN, AS_QRELS, form, collection_size=40).mean("a", form).value)


@odd_scores
@pytest.mark.parametrize("ties", ["trec", "group"])
def test_a_collection_ties_what_was_not_retrieved_at_its_end(ties: str) -> None:
    rng = np.random.default_rng(7)
    names = [f"d{i:02}" for i in range(40)]
    run = {"1": {name: float(rng.integers(0, 6)) for name in names[:25]}}
    qrels = {"1": {name: int(rng.random() < 0.4) for name in names[10:35]}}
    forms = ["ap", "auc", "ef@10%", "ndcg", "croc(exp, alpha=7)", "precision@10"]
    ev = evaluated(run, qrels, forms, ties=ties, collection_size=len(names))
    y = [qrels["1"].get(name, 0) for name in names]
    if ties == "trec":
        order = sorted(run["1"], key=lambda name: (run["1"][name], name))
        s = [order.index(name) + 1.0 if name in order else 0.0 for name in names]
    else:
        s = [run["1"].get(name, -1.0) for name in names]
    for form in forms:
        assert values(ev, form)["1"] == pytest.approx(hc.metric(form)(y, s), rel=1e-12), form


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ties": "name"}, "ties must be one of"),
        ({"unjudged": "zero"}, "unjudged must be one of"),
        ({"relevant_from": 0}, "relevant_from must be a whole number of at least 1"),
        ({"collection_size": 2}, "collection_size is 2, but run and qrels name 3 documents of topic '301'"),
        ({"collection_size": 9, "unjudged": "drop"}, "unjudged='drop' keeps judged documents only"),
        ({"depth": 2, "ties": "group"}, "depth may divide equal scores"),
        ({"depth": 0}, "depth must be a whole number"),
        ({"single_class": "none"}, "single_class must be one of"),
    ],
)
def test_rules_are_checked(options: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.ParameterError, match=re.escape(said)):
        evaluated(AS_RUN, AS_QRELS, **options)


def test_a_list_without_end_has_no_curve_and_no_pool() -> None:
    ev = evaluated(AS_RUN, AS_QRELS)
    with pytest.raises(errors.ParameterError, match="a ranking of unknown length has no curve"):
        ev.average_curve("a")
    with pytest.raises(errors.ParameterError):
        _ = ev.pooled


def test_few_found_documents_are_no_matter_of_direction() -> None:
    # AUC would be the share that was retrieved
    ev = evaluated({"1": {"x": 1.0}}, {"1": {"a": 1, "x": 0}})
    assert ev.warnings == ()
    assert ev["1"].warnings == ()


# ---- several runs


def two_runs() -> tuple[dict[str, Run], Qrels]:
    rng = np.random.default_rng(3)
    names = [f"d{i}" for i in range(30)]
    topics = [str(i) for i in range(12)]
    qrels = {topic: {name: int(rng.random() < 0.3) for name in names} for topic in topics}
    runs = {
        which: {topic: {n: float(rng.normal() + lift * qrels[topic][n]) for n in names} for topic in topics}
        for which, lift in (("good", 2.0), ("poor", 0.5))
    }
    return runs, qrels


def test_runs_are_compared_across_topics() -> None:
    runs, qrels = two_runs()
    ev = hc.evaluate_trec(runs, qrels, metrics=["AP", "nDCG"])
    for name in ("AP", "nDCG"):
        test = ev.compare("good", "poor", name)
        expected = stats.ttest_rel(ev.values("good", name), ev.values("poor", name))
        assert test.statistic == pytest.approx(expected.statistic)
        assert test.pvalue == pytest.approx(expected.pvalue)


def test_each_run_is_what_it_is_alone() -> None:
    runs, qrels = two_runs()
    both = hc.evaluate_trec(runs, qrels, metrics="ap")
    for name, run in runs.items():
        assert values(both, "ap", name) == values(hc.evaluate_trec({name: run}, qrels, metrics="ap"), "ap", name)


def test_topics_are_those_of_all_runs() -> None:
    runs, qrels = two_runs()
    del runs["poor"]["3"]
    ev = hc.evaluate_trec(runs, qrels, metrics="ap")
    assert set(ev) == set(qrels) - {"3"}
    assert any(note.startswith("poor: 1 topic of the qrels not in the run") for note in ev.notes)
    whole = hc.evaluate_trec(runs, qrels, metrics="ap", complete=True)
    assert whole["3", "poor", "ap"].value == pytest.approx(0.0, abs=1e-9)
    assert whole["3", "good", "ap"].value > 0


def test_files_are_told_apart_by_as_much_of_their_names_as_it_takes(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    paths = [
        tmp_path / "bm25.txt",
        tmp_path / "run.x",
        tmp_path / "run.y",
        tmp_path / "run.z",
        tmp_path / "b" / "run.z",
    ]
    for path in paths:
        path.write_text(RUN)
    ev = hc.evaluate_trec(paths, AS_QRELS, metrics="ap")
    assert ev.rankers == ("bm25", "run.x", "run.y", str(paths[3]), str(paths[4]))
    with pytest.raises(errors.ParameterError, match="given twice"):
        hc.evaluate_trec([paths[0], paths[0]], AS_QRELS, metrics="ap")


# ---- names


@pytest.mark.parametrize("form", ["ap", "ap(ties=expected)", "ef@1%", "precision@R", "roc(50)", "croc(exp, alpha=7)"])
def test_other_forms_are_read_as_ever(form: str) -> None:
    assert hc.trec_metric(form) == hc.metric(form)
    assert hc.trec_metric(hc.metric(form)) == hc.metric(form)


# ---- out


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.dictionaries(
        st.text("ab1-ü", min_size=1),
        st.dictionaries(st.text("ab1-ü", min_size=1), st.floats(width=32, allow_nan=False), min_size=1),
        min_size=1,
    ),
    st.sampled_from(["scores", "ranks"]),
)
def test_a_written_run_reads_back(tmp_path_factory: pytest.TempPathFactory, run: Run, write: str) -> None:
    path = tmp_path_factory.mktemp("run") / "run.txt"
    columns = [(topic, name, score) for topic, of in run.items() for name, score in of.items()]
    assert hc.write_trec_run(path, *map(list, zip(*columns, strict=True)), write=write) == path
    back = hc.read_trec_run(path)
    if write == "scores":
        assert back == run
    for topic, of_topic in run.items():
        ranked = {name: stats.rankdata(list(of.values())) for name, of in (("given", of_topic), ("read", back[topic]))}
        kept = dict(zip(back[topic], ranked["read"], strict=True))
        assert [kept[name] for name in of_topic] == ranked["given"].tolist()
        # the rank column is the order of trec_eval
        lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
        order = [(int(rank), float(score), name) for t, _, name, rank, score, _ in lines if t == topic]
        assert [rank for rank, _, _ in order] == list(range(1, len(order) + 1))
        assert [(score, name) for _, score, name in order] == sorted(((s, n) for _, s, n in order), reverse=True)


def test_written_qrels_read_back(tmp_path: Path) -> None:
    path = hc.write_qrels(tmp_path / "q.txt", [7, 7, 8], ["a", "b", "a"], ["good", "bad", "good"], pos_label="good")
    assert hc.read_qrels(path) == {"7": {"a": 1, "b": 0}, "8": {"a": 1}}


def test_what_was_written_evaluates_as_what_was_given(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    topic, y = np.repeat([1, 2, 3], 40), rng.random(120) < 0.3
    s = rng.integers(0, 9, 120) + 3.0 * y
    name = np.tile([f"d{i}" for i in range(40)], 3)
    run, qrels = hc.write_trec_run(tmp_path / "a.run", topic, name, s), hc.write_qrels(tmp_path / "q", topic, name, y)
    forms = ["ap", "auc", "ndcg", "ef@10%"]
    read = hc.evaluate_trec(run, qrels, metrics=forms, ties="group", collection_size=40)
    given = hc.evaluate(y, {"a": s}, by=topic, metrics=forms)
    for form in forms:
        assert values(read, form) == pytest.approx(values(given, form), rel=1e-12)


def test_scores_whose_order_would_be_lost_are_refused(tmp_path: Path) -> None:
    path, columns = tmp_path / "run.txt", ([1, 1], ["a", "b"], [1.0 + 1e-12, 1.0])
    for lost in (columns, ([1, 1], ["a", "b"], [1e300, 1e301])):
        with pytest.raises(errors.ScoreError, match="are equal in single precision"):
            hc.write_trec_run(path, *lost)
    assert not path.exists()
    hc.write_trec_run(path, *columns, write="ranks")
    assert values(evaluated(path, {"1": {"a": 1}}), "ap")["1"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("columns", "options", "kind", "said"),
    [
        ((["a b"], ["d"], [1.0]), {}, errors.InputError, "topics: 'a b' cannot be written"),
        (([1], [""], [1.0]), {}, errors.InputError, "documents: '' cannot be written"),
        (([1], ["d\n"], [1.0]), {}, errors.InputError, "cannot be written"),
        (([1], ["d"], [1.0]), {"tag": "my run"}, errors.InputError, "tag: 'my run'"),
        (
            ([1, 1], ["d", "d"], [1.0, 2.0]),
            {},
            errors.InputError,
            "document 'd' of topic '1' occurs twice, in rows 0 and 1",
        ),
        (([1, 1], ["d", "e"], [1.0, math.nan]), {}, errors.MissingValueError, "1 of 2 scores are missing"),
        (([1, None], ["d", "e"], [1.0, 2.0]), {}, errors.MissingValueError, "1 of 2 topics are missing"),
        (([1], ["d", "e"], [1.0, 2.0]), {}, errors.LengthMismatchError, "lengths differ"),
        (([], [], []), {}, errors.InputError, "no document"),
        (([1], ["d"], [1.0]), {"write": "all"}, errors.ParameterError, "write must be one of"),
    ],
)
def test_runs_that_cannot_be_written(
    tmp_path: Path, columns: Any, options: dict[str, str], kind: type[Exception], said: str
) -> None:
    path = tmp_path / "run.txt"
    path.write_text("before")
    with pytest.raises(kind, match=re.escape(said)):
        hc.write_trec_run(path, *columns, **options)
    assert path.read_text() == "before"


def test_qrels_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(errors.MissingValueError, match="1 of 2 labels are missing"):
        hc.write_qrels(tmp_path / "q", [1, 1], ["a", "b"], [1, None])
    with pytest.raises(errors.LabelError, match="two classes"):
        hc.write_qrels(tmp_path / "q", [1, 1, 1], ["a", "b", "c"], [0, 1, 2.5])
    with pytest.raises(errors.UnreadableFileError, match="cannot write"):
        hc.write_qrels(tmp_path / "none" / "q", [1], ["a"], [1])


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_grades_and_compressed_files_are_read_again(tmp_path: Path, suffix: str) -> None:
    qrels = hc.write_qrels(tmp_path / f"q{suffix}", [1, 1, 1, 2], ["a", "b", "c", "a"], [0, 1, 2, -1])
    assert hc.read_qrels(qrels) == {"1": {"a": 0, "b": 1, "c": 2}, "2": {"a": -1}}
    run = hc.write_trec_run(tmp_path / f"r{suffix}", [1, 1], ["a", "b"], [0.5, 2.0])
    assert hc.read_trec_run(run) == {"1": {"a": 0.5, "b": 2.0}}
    assert (run.read_bytes()[:2] == b"1 ") is (not suffix)
    with pytest.raises(errors.ParameterError, match="compressed are"):
        hc.write_trec_run(tmp_path / "r.zst", [1], ["a"], [0.5])


def test_refusals_say_what_is_wrong() -> None:
    run, qrels = {"q": {"d1": 1.0, "d2": 2.0}}, {"q": {"d1": 1, "d2": 0}}
    for odd, said in [
        ({"q": {"d1": None}}, "score must be a number, got None"),
        ({"q": {"d1": 10**400}}, "beyond 10.308"),
        (np.array(5), "runs must be files"),
    ]:
        with pytest.raises(errors.InputError, match=said):
            hc.evaluate_trec(odd, qrels)
    with pytest.raises(errors.InputError, match="qrels must be"):
        hc.evaluate_trec(run, np.array(5))
    with pytest.raises(errors.ParameterError, match=r"no relevance reaches relevant_from=4 .* is 1"):
        hc.evaluate_trec(run, qrels, relevant_from=4)


def test_topics_of_a_geometric_mean_are_on_its_scale() -> None:
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    mean = hc.evaluate_trec({"x": run}, {"1": {"a": 1}, "2": {"b": 1}}, metrics="GMAP").mean("x", "GMAP")
    assert (mean.lowest, mean.highest) == pytest.approx((0.5, 1.0))
    assert mean.median == pytest.approx(mean.value) == pytest.approx(math.sqrt(0.5))


def test_what_ties_decide_is_said_in_every_format(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("1 Q0 a 1 1 t\n1 Q0 b 2 1 t\n")
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    said = "r: the order of equal scores changes AP in up to 1 of 1 topics"
    found = {form: command("trec", "r", "q", "-m", "AP", "-f", form, cwd=tmp_path) for form in ("json", "csv", "trec")}
    assert any(note.startswith(said) for note in json.loads(found["json"].stdout)["notes"])
    assert all(said in " ".join(found[form].stderr.split()) for form in ("csv", "trec"))


# ---- the command


def test_the_command_says_what_python_says(files: tuple[Path, Path]) -> None:
    run, qrels = files
    done = command("trec", str(run), str(qrels), "-m", "AP", "-m", "nDCG@10", "-f", "json")
    assert done.returncode == 0, done.stderr
    content, ev = json.loads(done.stdout), hc.evaluate_trec(run, qrels, metrics=["AP", "nDCG@10"])
    assert content["metrics"] == list(map(str, ev.metrics)) == ["AP", "nDCG@10"]
    assert content["canonical"] == {"AP": "ap", "nDCG@10": "ndcg@10"}
    seen = {(r["group"], r["metric"]): r["value"] for r in content["groups"]}
    assert seen == {(topic, str(m)): ev[topic, "bm25", m].value for topic in ev for m in ev.metrics}
    means = {r["metric"]: r["mean"] for r in content["means"]}
    assert means == {str(m): ev.mean("bm25", m).value for m in ev.metrics}
    assert content["topics"]["301"]["bm25"] == ev.topics["301"]["bm25"]._asdict()
    assert command("trec", str(run), str(qrels), "-m", "AP").stdout == f"{hc.evaluate_trec(run, qrels, metrics='AP')}\n"


def test_the_command_takes_qrels_by_name_and_standard_input(files: tuple[Path, Path]) -> None:
    run, qrels = files
    usual = command("trec", str(run), str(qrels))
    assert usual.returncode == 0, usual.stderr
    assert command("trec", str(run), "--qrels", str(qrels)).stdout == usual.stdout
    assert command("trec", str(run), "-", stdin=qrels.read_bytes()).stdout == usual.stdout


def test_the_command_compares_runs(tmp_path: Path) -> None:
    runs, judged = two_runs()
    paths = []
    for name, run in runs.items():
        columns = [(topic, document, score) for topic, of in run.items() for document, score in of.items()]
        paths.append(hc.write_trec_run(tmp_path / f"{name}.txt", *map(list, zip(*columns, strict=True))))
    rows = [(topic, document, label) for topic, of in judged.items() for document, label in of.items()]
    qrels = hc.write_qrels(tmp_path / "qrels.txt", *map(list, zip(*rows, strict=True)))
    arguments = ["trec", *map(str, paths), str(qrels), "-m", "P@5", "--compare", "nDCG", "--method", "wilcoxon"]
    done = command(*arguments, "-f", "json")
    assert done.returncode == 0, done.stderr
    (test,) = json.loads(done.stdout)["comparisons"]
    expected = hc.evaluate_trec(paths, qrels, metrics="ndcg").compare("good", "poor", "ndcg", method="wilcoxon")
    assert test["pvalue"] == expected.pvalue
    assert "Wilcoxon" in command(*arguments, "-f", "markdown").stdout
    options = ["-m", "AP", "-m", "P@5", "--compare", "all", "--correction", "tukey", "--superscripts", "--seed", "1"]
    done = command("trec", *map(str, paths), str(qrels), *options, "-f", "latex")
    assert done.returncode == 0, done.stderr
    ev = hc.evaluate_trec(paths, qrels, metrics=["AP", "P@5"])
    tests = [ev.compare_all(m, adjust="tukey", rng=1) for m in ("AP", "P@5")]
    assert done.stdout.endswith(hc.superscripts(tests, "latex"))
    assert tests[0].to_latex() in done.stdout


def test_the_command_prints_the_columns_of_trec_eval(files: tuple[Path, Path]) -> None:
    run, qrels = files
    ev = hc.evaluate_trec(run, qrels, metrics=["map", "ndcg_cut.10"])
    done = command("trec", "-q", str(qrels), str(run), "-m", "map", "-m", "ndcg_cut.10")  # in the order of trec_eval
    assert done.returncode == 0, done.stderr
    assert done.stdout == ev.to_trec_eval(per_topic=True)
    assert "note: documents that were not retrieved are never found" in done.stderr
    assert "ndcg_cut_10           \tall\t" in done.stdout
    done = command("trec", str(run), str(qrels), "-m", "map", "-m", "ndcg_cut.10", "-f", "trec")
    assert done.stdout == ev.to_trec_eval()


SIZED = ["--collection-size", "100"]


def test_measures_that_are_none_are_said_after_those_that_are(files: tuple[Path, Path]) -> None:
    run, qrels = files
    done = command("trec", str(run), str(qrels), "-f", "trec", "-m", "map", "-m", "nonsense", "-m", "rbq.5")
    assert done.returncode == 2
    assert done.stdout == hc.evaluate_trec(run, qrels, metrics="map").to_trec_eval()
    assert "nonsense" in done.stderr
    assert "rbq" in done.stderr
    done = command("trec", str(run), str(qrels), "-m", "nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    done = command("trec", str(run), str(qrels), "-f", "trec", "-m", "nonsense", "-m", "auc", "-m", "map")
    assert (done.returncode, done.stdout) == (2, hc.evaluate_trec(run, qrels, metrics="map").to_trec_eval())
    assert "nonsense" in done.stderr
    assert "auc depends on the length" in " ".join(done.stderr.split())
    with pytest.raises(errors.MetricParseError, match=r"(?s)nonsense.*auc depends on the length"):
        hc.evaluate_trec(run, qrels, metrics=["nonsense", "auc", "map"])
    done = command("trec", str(run), str(qrels), "-f", "trec", "-m", "nonsense", "-m", "auc", "-m", "map", *SIZED)
    assert "auc depends" not in done.stderr


def test_topics_have_one_order_everywhere() -> None:
    run = {topic: {"a": 2.0, "b": 1.0} for topic in ("1", "2", "3", "10")}
    qrels = {"1": {"a": 0}, "2": {"a": 1}, "3": {"a": 0}, "10": {"b": 1}}
    ev = hc.evaluate_trec({"x": run}, qrels, metrics=["AP", "Judged@1"], single_class="zero")
    assert ev.counted == tuple(ev.topics) == tuple(ev.to_frame()["group"].unique()) == ("1", "2", "3", "10")
    assert ev.values("x", "AP").tolist() == [0, 1, 0, 0.5]
    assert ev.values("x", "Judged@1").tolist() == [1, 1, 1, 0]
    assert ev.to_frame()["value"].tolist() == [0, 1, 1, 1, 0, 1, 0.5, 0]
    assert [line[0] for line in ev.group_rows(ev.metrics[0])[1]] == list(ev.counted)
    y, topic = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0], np.repeat([1, 2, 3, 10], 3)
    grouped = hc.evaluate(y, [3, 2, 1] * 4, by=topic, metrics="ap", single_class="zero")
    assert grouped.counted == tuple(ev.topics)
    assert grouped.values("score", "ap").tolist() == [0, 1, 0, 0.5]


def test_an_interval_of_zeros_and_one_topic_is_not_denied() -> None:
    ev = hc.evaluate_trec(
        {"x": {"1": {"a": 1.0}, "2": {"a": 1.0}}}, {"1": {"a": 1}, "2": {"a": 0}}, metrics="AP", single_class="zero"
    )
    assert ev.mean("x", "AP").interval is not None
    assert "no interval" not in ev.about_intervals()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bm25.run"], "give a run and its qrels"),
        (["bm25.run", "qrels.txt", "-q", "-f", "json"], "--per-topic (-q) is for --format trec, got --format json"),
        (["bm25.run", "qrels.txt", "-q", "-o", "x.json"], "--per-topic (-q) writes three columns of text"),
        (["bm25.run", "qrels.txt", "-q", "--compare", "ap"], "--format trec (-q) has values only"),
        (["bm25.run", "qrels.txt", "--compare", "ap", "-o", "p.html"], "a page compares the rankers itself"),
        (["bm25.run", "qrels.txt", "--adjust", "tukey"], "--adjust needs --compare METRIC"),
        (["bm25.run", "qrels.txt", "--seed", "1"], "--seed needs --compare METRIC"),
        (["bm25.run", "qrels.txt", "--n-resamples", "99"], "--n-resamples needs --compare METRIC"),
        (["bm25.run", "qrels.txt", "--superscripts"], "--superscripts needs --compare METRIC"),
        (["bm25.run", "qrels.txt", "--compare", "ap", "--adjust", "max-t"], "use --adjust holm or tukey"),
        (["bm25.run", "bm25.run"], "are the two files swapped"),
        (["qrels.txt", "qrels.txt"], "are the two files swapped"),
        (["bm25.run", "none.txt"], "no file none.txt"),
        (["bm25.run", "qrels.txt", "-m", "auc"], "--collection-size"),
        (["bm25.run", "qrels.txt", "-m", "INST"], "see RBP, ERR and nDCG"),
        (["bm25.run", "qrels.txt", "--ties", "random"], "ties must be one of"),
        (["bm25.run", "qrels.txt", "--unjudged", "raise", "--compare", "ap"], "two rankers"),
        (["bm25.run", "qrels.txt", "--compare", "ap", "--method", "corrected-t"], "not for topics"),
        (["-", "--qrels", "-"], "can be read only once"),
    ],
)
def test_the_command_refuses(files: tuple[Path, Path], arguments: list[str], said: str) -> None:
    done = command("trec", *arguments, cwd=files[0].parent, stdin=b"")
    assert done.returncode == 2
    assert said in done.stderr
    assert not done.stdout


def test_all_that_is_compared_is_all_that_can_be_tested(files: tuple[Path, Path]) -> None:
    run, qrels = files
    other = run.with_name("other.run")
    other.write_bytes(run.read_bytes())
    done = command(
        "trec", str(run), str(other), str(qrels), "-m", "AP", "-m", "num_ret", "--compare", "all", "-f", "json"
    )
    assert done.returncode == 0, done.stderr
    assert {one["metric"] for one in json.loads(done.stdout)["comparisons"]} == {"AP"}
    assert "--compare all leaves out num_ret, which no test" in done.stderr


def test_the_published_means_of_trec_eval_on_the_command_line(shared_data: Path) -> None:
    folder = data_folder() / "trec"
    names = {"map": "map", "Rprec": "Rprec", "P_10": "P@10", "P_1000": "P@1000"}
    options = [part for name in names.values() for part in ("-m", name)]
    done = command(
        "trec", *(str(folder / f"trec_eval_{of}.test") for of in ("results", "qrels")), *options, "-f", "json"
    )
    assert done.returncode == 0, done.stderr
    means = {record["metric"]: record["mean"] for record in json.loads(done.stdout)["means"]}
    printed = dict(line.split()[::2] for line in (folder / "trec_eval_out.test").read_text().splitlines())
    for theirs, ours in names.items():
        assert f"{means[ours]:.4f}" == printed[theirs]


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_how_many_documents_a_list_without_an_end_holds_is_not_said() -> None:
    run, qrels = {"q": {"d1": 3.0, "d2": 1.0, "d3": 0.5}}, {"q": {"d1": 1, "d2": 0, "d3": 1}}
    endless, ended = (hc.evaluate_trec({"x": run}, qrels, metrics="ap", collection_size=size) for size in (None, 100))
    assert endless.to_frame(per="group")["n"].isna().all()
    assert json.loads(json.dumps(endless.to_dict(), allow_nan=False))["groups"][0]["n"] is None
    assert ended.to_frame(per="group")["n"].tolist() == [100]


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_three_columns_are_those_of_trec_eval(shared_data: Path) -> None:
    folder = data_folder() / "trec"
    run = {"STANDARD": folder / "trec_eval_results.test"}
    qrels = folder / "trec_eval_qrels.test"

    def compared(text: str) -> list[str]:
        # the shipped output is of a version that interpolated precision otherwise; a relstring is no number
        other = ("iprec_at_recall", "11pt_avg", "relstring")
        return [line for line in text.splitlines() if not line.startswith(other)]

    official = hc.evaluate_trec(run, qrels, metrics="official", single_class="zero")
    assert compared(official.to_trec_eval()) == compared((folder / "trec_eval_out.test").read_text())
    assert official.to_trec_eval().count("\n") == (folder / "trec_eval_out.test").read_text().count("\n")
    every = hc.evaluate_trec(run, qrels, metrics="all_trec", single_class="zero")
    shipped = compared((folder / "trec_eval_out.test.aq").read_text())
    ours = dict(line.rsplit("\t", 1) for line in every.to_trec_eval(per_topic=True).splitlines())
    assert len(ours) > 300
    theirs = dict(line.rsplit("\t", 1) for line in shipped)
    assert {name: value for name, value in ours.items() if name in theirs} == {
        name: value for name, value in theirs.items() if name in ours
    }
    missing = {name.split()[0] for name in theirs.keys() - ours.keys()}
    assert {name.partition("_")[0] for name in missing} == {"rbp", "unj"}  # all_trec of the program has neither


def test_names_of_topics_are_seen_in_the_columns_of_trec_eval() -> None:
    """A topic that clears the screen, and one that turns what follows."""
    topics = ("\x1b[2J", "\u202eq", "Größe", "7")
    ev = evaluated(
        {name: {"a": 2.0, "b": 1.0} for name in topics}, {name: {"a": 1, "b": 0} for name in topics}, ["map"]
    )
    shown = [line.split("\t")[1] for line in ev.to_trec_eval(per_topic=True).splitlines()]
    assert sorted(shown[:4]) == sorted(["\\x1b[2J", "\\u202eq", "Größe", "7"])


def test_judgements_by_subtopic_on_the_command_line(tmp_path: Path) -> None:
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    run.write_text("1 Q0 d9 1 3 t\n1 Q0 d3 2 2 t\n")
    qrels.write_text("1 a d3 1\n1 b d3 0\n1 b d9 1\n")
    done = command("trec", str(run), "--subtopics", str(qrels), "-m", "StRecall@1", "-q")
    assert (done.returncode, done.stdout.splitlines()[0].split()) == (0, ["StRecall@1", "1", "0.5000"])
    done = command("trec", str(run), str(qrels), "-m", "StRecall@1")
    assert done.returncode == 2
    assert "by subtopic are read by read_subtopics (--subtopics)" in " ".join(done.stderr.split())
    done = command("trec", str(run), "--subtopics", str(qrels), "--qrels", str(qrels))
    assert (done.returncode, "give one of them" in done.stderr) == (2, True)


def test_a_random_order_of_a_list_without_end_finds_nothing() -> None:
    run, qrels = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 1, "c": 1}}
    names = ["AP", "nDCG@2", "P@1", "R@2", "roc(50)"]
    ev = evaluated(run, qrels, names)
    assert [ev["1", "a", name].random for name in names] == [0.0] * 5
    assert 0 < evaluated(run, qrels, names, collection_size=100)["1", "a", "AP"].random < 1


def test_relevances_that_no_number_holds_are_refused() -> None:
    for large in (2**53 + 2, -(2**60), 10**20, 10**400):
        with pytest.raises(errors.LabelError, match=r"topic '1': a relevance of -?\d.* is out of range"):
            evaluated({"1": {"a": 1.0}}, {"1": {"a": large, "b": 1}})
    with pytest.raises(errors.ParameterError, match="takes relevances up to 1,000, and one is 1100"):
        evaluated({"1": {"a": 1.0}}, {"1": {"a": 1100, "b": 1}}, ["nDCG(dcg='exp-log2')"])
