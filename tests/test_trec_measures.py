"""Measures of retrieval: names, values against trec_eval, graded relevance, ties."""

from __future__ import annotations

import ast
import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve import errors
from hitcurve.metrics import TopicMeasure, as_written, read_measures, trec_name
from hitcurve.metrics.trec import MEASURES, TREC_EVAL

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]

# what is not a number, and what needs an order that is not a matter of documents
NOT_OURS = ("runid", "relstring")
BY_HAND = {"q": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 1.0}}
GRADES = {"q": {"d1": 0, "d2": 3, "d3": 1, "d4": 2}}


def evaluated(run: Any, qrels: Any, metrics: Any, **options: Any) -> hc.TrecEvaluation:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return hc.evaluate_trec({"a": run}, qrels, metrics=metrics, **options)


def value(name: str, run: Run = BY_HAND, qrels: Qrels = GRADES, **options: Any) -> float:
    return float(evaluated(run, qrels, name, **options).values("a", name)[0])


@st.composite
def collections(draw: st.DrawFn) -> tuple[Run, Qrels]:
    """Draw graded qrels, some below 0, and runs with ties; topics are missing on either side."""
    names = [f"d{i}" for i in range(14)]
    scores = st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 1.0 + 1e-3, 2.5, -3.0])
    run, qrels = {}, {"0": {"d0": draw(st.integers(1, 4))}}
    for topic in map(str, range(draw(st.integers(1, 4)))):
        run[topic] = draw(st.dictionaries(st.sampled_from(names), scores, min_size=1))
        if draw(st.booleans()):
            qrels[topic] = draw(st.dictionaries(st.sampled_from(names), st.integers(-2, 4), min_size=1))
    run.setdefault("0", {"d0": 1.0})
    qrels["0"]["d13"] = draw(st.integers(1, 4))
    return run, qrels


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(collections(), st.integers(1, 3), st.booleans())
def test_every_measure_of_trec_eval_has_its_value(given: tuple[Run, Qrels], level: int, judged_only: bool) -> None:
    called = pytest.importorskip("pytrec_eval")
    run, qrels = given
    for judged in qrels.values():  # trec_eval reads counts of all levels below, and crashes if there are none
        judged["d12"] = max(level - 1, judged.get("d12", 0))
    names = [name for name in called.supported_measures if name in TREC_EVAL]
    theirs = called.RelevanceEvaluator(
        qrels, set(names), relevance_level=level, judged_docs_only_flag=int(judged_only)
    ).evaluate(run)
    if not any(grade >= level for topic in theirs for grade in qrels[topic].values()):
        return
    ours = evaluated(
        run,
        qrels,
        names,
        single_class="zero",
        relevant_from=level,
        unjudged="drop" if judged_only else "negative",
    )
    assert set(ours.counted) == set(theirs)
    for m, name in ours.trec_names.items():
        for topic, found in zip(ours.counted, ours.values("a", m), strict=True):
            # of a run without a document trec_eval divides 0 by 0
            expected = 0.0 if math.isnan(theirs[topic][name]) else theirs[topic][name]
            assert found == pytest.approx(expected, abs=1e-9), (name, topic)


def test_graded_gains_by_hand() -> None:
    discount = [1 / math.log2(rank + 1) for rank in range(1, 5)]
    dcg = sum(gain * d for gain, d in zip((0, 3, 1, 2), discount, strict=True))
    ideal = sum(gain * d for gain, d in zip((3, 2, 1, 0), discount, strict=True))
    assert value("nDCG") == pytest.approx(dcg / ideal)
    assert value("nDCG@2") == pytest.approx(3 * discount[1] / (3 * discount[0] + 2 * discount[1]))
    assert value("dcg") == pytest.approx(dcg)
    assert value("ideal_dcg@3") == pytest.approx(ideal)
    exponential = sum(gain * d for gain, d in zip((0, 7, 1, 3), discount, strict=True))
    best = sum(gain * d for gain, d in zip((7, 3, 1, 0), discount, strict=True))
    assert value("nDCG(dcg='exp-log2')") == value("nDCG(dcg=exp-log2)") == pytest.approx(exponential / best)
    own = sum(gain * d for gain, d in zip((0, 9, 3.5, 2), discount, strict=True))
    most = sum(gain * d for gain, d in zip((9, 3.5, 2, 0), discount, strict=True))
    assert value("ndcg.1=3.5,3=9") == value("nDCG(gains={1:3.5,3:9})") == pytest.approx(own / most)


def test_expected_reciprocal_rank_by_hand() -> None:
    chance = [(2**grade - 1) / 16 for grade in (0, 3, 1, 2)]
    left, total = 1.0, 0.0
    for rank, own in enumerate(chance, start=1):
        total += left * own / rank
        left *= 1 - own
    assert value("ERR") == pytest.approx(total)
    assert value("ERR@2") == pytest.approx(chance[1] / 2)
    assert value("nERR@2") == pytest.approx(chance[1] / 2 / (7 / 16 + 9 / 16 * 3 / 16 / 2))
    assert value("ERR(max_rel=3)@2") == pytest.approx(7 / 8 / 2)
    with pytest.raises(errors.ParameterError, match=r"topic 'q' has 3: write ERR\(max_rel=3\)"):
        value("ERR(max_rel=2)")


def test_levels_of_relevance() -> None:
    assert value("AP") == pytest.approx((1 / 2 + 2 / 3 + 3 / 4) / 3)
    assert value("AP(rel=2)") == value("AP", relevant_from=2) == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert value("AP(rel=2)@3") == pytest.approx(1 / 2 / 2)
    assert value("P(rel=3)@2") == pytest.approx(1 / 2)
    assert value("R(rel=2)@2") == pytest.approx(1 / 2)
    assert value("RR(rel=3)") == value("recip_rank") == pytest.approx(1 / 2)
    assert value("RR@1") == 0


def test_grades_are_said() -> None:
    ev = evaluated(BY_HAND, GRADES, ["nDCG", "AP", "RR"])
    assert "gains of nDCG are relevances: 1, 2 and 3" in ev.notes
    assert "AP and RR take a relevance of at least 1 as relevant; relevances are 1, 2 and 3" in ev.notes
    assert ev["q", "a", "RR"].convention == "relevant from 1"
    assert ev["q", "a", "nDCG"].convention == "gain = relevance, discount 1/log2(rank + 1)"
    own = evaluated(BY_HAND, GRADES, ["AP(rel=2)", "P(rel=3)@2", "RR", "infAP(rel=2)", "ap"], relevant_from=1).notes
    assert (
        "RR and ap take a relevance of at least 1 as relevant; AP(rel=2) and infAP(rel=2) take a relevance of at least "
        "2 as relevant; P(rel=3)@2 takes a relevance of at least 3 as relevant; relevances are 1, 2 and 3"
    ) in own
    binary = evaluated(BY_HAND, {"q": {"d1": 0, "d2": 1}}, ["nDCG", "AP", "RR"])
    assert not any("relevances are" in note for note in binary.notes)


def test_the_default_has_graded_gains() -> None:
    ev = hc.evaluate_trec({"a": BY_HAND}, GRADES)
    assert [str(m) for m in ev.metrics] == ["ap", "precision@R", "precision@10", "recall@100", "ndcg"]
    assert ev.canonical["ndcg"] == "nDCG"
    assert ev.table_rows()[1][-1][-1] == "nDCG"
    assert ev.trec_names[ev.metrics[-1]] == "ndcg"


def test_equal_scores_need_an_order() -> None:
    with pytest.raises(errors.ParameterError, match="RR and nDCG@5 of equal scores need an order: use ties='trec'"):
        evaluated(BY_HAND, GRADES, ["AP", "RR", "nDCG@5"], ties="group")
    assert value("SetP", ties="group") == pytest.approx(3 / 4)
    ev = hc.evaluate_trec({"a": BY_HAND}, GRADES, ties="group")
    assert "ndcg left out: of graded relevance it needs ties='trec'" in ev.notes


def test_metrics_print_as_they_were_asked_for() -> None:
    ev = evaluated(BY_HAND, GRADES, ["map", "P.1,2", " ndcg_cut.2 ", "nDCG", "AP", hc.metric("recall@2")])
    assert list(map(str, ev.metrics)) == ["map", "P_1", "P_2", "ndcg_cut.2", "nDCG", "recall@2"]
    assert list(ev.canonical.values()) == ["ap", "precision@1", "precision@2", "nDCG@2", "nDCG", "recall@2"]
    assert ev.table_rows()[0] == ["mean over topics", "a", "lowest", "highest", "metric"]
    assert ev.to_frame(backend="pandas")["canonical"].tolist() == list(ev.canonical.values())
    assert ev.mean("a", "AP").metric == hc.metric("ap")
    binary = evaluated(BY_HAND, {"q": {"d1": 0, "d2": 1}}, "nDCG")
    assert (list(map(str, binary.metrics)), binary.canonical) == (["nDCG"], {"nDCG": "ndcg"})
    assert not any("nDCG" in note for note in binary.notes)


def test_sums_and_geometric_means() -> None:
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
    ev = evaluated(run, {"1": {"a": 1}, "2": {"b": 2, "a": 0}}, ["num_ret", "NumRel", "gm_map"])
    summary = {str(m): m.summary_of(ev.values("a", m)) for m in ev.metrics if isinstance(m, TopicMeasure)}
    assert summary == {"num_ret": 3, "NumRel": 2, "gm_map": pytest.approx(math.sqrt(1 * 1e-5))}


def test_a_measure_of_a_topic_has_no_error_in_it() -> None:
    e = evaluated(BY_HAND, GRADES, "RR")["q", "a", "RR"]
    assert e.value == 0.5
    assert e.reason == "RR is one value for each topic: take the standard error of the mean over topics"
    assert e.interval is None
    assert e.cautions == ()
    with pytest.raises(errors.UndefinedMetricError, match="RR is of the ranks in a run"):
        e.metric.value(e.table)


def test_topics_that_have_equal_scores() -> None:
    run, qrels = {"1": {"a": 1.0, "b": 1.0, "c": 0.5}, "2": {"a": 2.0, "b": 1.0}}, {"1": {"a": 2}, "2": {"b": 1}}
    ev = evaluated(run, qrels, ["AP", "nDCG", "SetP"])
    assert ev["1", "a", "AP"].tie_range == (pytest.approx(1 / 2), pytest.approx(1.0))
    assert ev["1", "a", "nDCG"].tie_range == (pytest.approx(1 / math.log2(3)), pytest.approx(1.0))
    assert ev["2", "a", "AP"].tie_range is None
    assert ev["1", "a", "SetP"].tie_range is None


def test_topics_in_which_equal_scores_decide_are_reported() -> None:
    run = {"1": {"a": 1.0, "b": 1.0, "c": 0.5}, "2": {"a": 2.0, "b": 1.0}, "3": {"a": 1.0, "b": 1.0}}
    qrels = {"1": {"a": 2}, "2": {"b": 1}, "3": {"a": 1, "b": 1}}
    ev = evaluated(run, qrels, ["AP", "SetP"])
    ap, precision = ev.tie_reports()
    assert ap.topics == ("1",)
    assert (ap.low, ap.value, ap.high) == pytest.approx((2 / 3, 2 / 3, 5 / 6))
    assert precision.topics == ()
    assert precision.low == precision.value == precision.high
    said = "a: the order of equal scores changes AP in up to 1 of 3 topics; AP is 0.6667 to 0.8333 over orders"
    assert any(line.startswith(said) for line in ev.heading()), ev.heading()
    assert not any("order of equal scores changes" in line for line in evaluated(run, qrels, "SetP").heading())


def test_a_range_over_orders_that_is_not_known_is_not_reported_as_none() -> None:
    run, qrels = {"1": {"a": 1.0, "b": 1.0, "c": 0.5}}, {"1": {"a": 1, "c": 0}}
    ev = evaluated(run, qrels, ["AP", "infAP", "Judged@1", "RBP_residual", "SetP"])
    ap, *unknown, precision = ev.tie_reports()
    assert (ap.is_known, precision.is_known) == (True, True)
    for report in unknown:
        assert not report.is_known
        assert math.isnan(report.low)
        assert math.isnan(report.high)
        assert report.topics == ()
        assert report.value == ev.mean("a", report.metric).value
    said = "a: the range of infAP, Judged@1 and RBP_residual over orders of equal scores is not known"
    assert said in ev.heading()
    apart = evaluated({"1": {"a": 2.0, "b": 1.0, "c": 0.5}}, qrels, ["infAP", "Judged@1"])
    assert all(report.low == report.value == report.high for report in apart.tie_reports())
    assert not any("not known" in line for line in apart.heading())


@settings(deadline=None, max_examples=30)
@given(collections(), st.integers(0, 2**13 - 1), st.sampled_from(["", "@1", "@3"]))
def test_complete_judgements_have_a_precision_within_the_residual(
    given: tuple[Run, Qrels], added: int, cutoff: str
) -> None:
    run, qrels = given
    known = {
        topic: {name: int(added >> place & 1) for place, name in enumerate(sorted(of))} | qrels.get(topic, {})
        for topic, of in run.items()
    }
    names = [f"RBP(p=0.6){cutoff}", f"RBP_residual(p=0.6){cutoff}"]
    part = evaluated(run, qrels, names, single_class="zero")
    full = evaluated(run, known, "RBP(p=0.6)", single_class="zero")
    complete = dict(zip(full.counted, full.values("a", "RBP(p=0.6)"), strict=True))
    for topic, own, residual in zip(part.counted, *(part.values("a", name) for name in names), strict=True):
        assert own - 1e-12 <= complete[topic] <= own + residual + 1e-12


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(collections(), st.randoms(use_true_random=False))
def test_other_names_of_documents_stay_within_the_range_of_ties(given: tuple[Run, Qrels], random: Any) -> None:
    run, qrels = given
    names = [f"d{i}" for i in range(14)]
    other = dict(zip(names, random.sample(names, len(names)), strict=True))
    forms = ["AP", "P@3", "nDCG@5", "nDCG", "RR", "ERR", "Bpref", "RBP", "IPrec@0.5", "AP(rel=2)@4", "binG", "dcg"]
    ev = evaluated(run, qrels, forms, single_class="skip")
    renamed_run, renamed_qrels = (
        {topic: {other[name]: value for name, value in of.items()} for topic, of in side.items()}
        for side in (run, qrels)
    )
    renamed = evaluated(renamed_run, renamed_qrels, forms, single_class="skip")
    lists = ev.groups.lists["a"]
    for m in ev.metrics:
        low, high = lists.tie_ends[m]
        for of in (ev, renamed):
            values = of.values("a", m)
            assert np.all(np.isnan(low) | ((low - 1e-12 <= values) & (values <= high + 1e-12))), (m, low, values, high)
        decided = np.isnan(low)
        assert ev.values("a", m)[decided] == pytest.approx(renamed.values("a", m)[decided]), m


def test_measures_are_kept() -> None:
    run, qrels = {"1": {"a": 1.0, "b": 1.0}, "2": {"a": 1.0}}, {"1": {"a": 2}, "2": {"b": 0, "a": 0}}
    ev = evaluated(run, qrels, ["AP", "nDCG", "num_ret", "AP(rel=2)@1"], single_class="zero")
    again = pickle.loads(pickle.dumps(ev))
    for other in (again, hc.from_json(text=ev.to_json())):
        assert isinstance(other, hc.TrecEvaluation)
        for m in ev.metrics:
            assert other.values("a", m).tolist() == ev.values("a", m).tolist()
        assert other["1", "a", "nDCG"].tie_range == ev["1", "a", "nDCG"].tie_range


# ---- subtopics

SUBTOPICS = {
    "1": {"d1": {"a": 1}, "d2": {"a": 2, "b": 1}, "d3": {"b": 1, "c": 0}, "d4": {"c": 1}, "d5": {"a": -1}},
    "2": {"d1": {"x": 0}, "d2": {"x": 1, "y": 2}, "d3": {"y": 1}},
}
OF_SUBTOPICS = {"1": {"d1": 9.0, "d9": 8.0, "d3": 7.0, "d5": 6.0, "d2": 5.0}, "2": {"d1": 3.0, "d3": 2.0, "d2": 1.0}}
# pyndeval 0.0.8 on these
OF_NDEVAL = {
    "alpha_DCG@5": (0.4141983226218883, 0.45470859098935795),
    "alpha_nDCG@5": (0.6093958234116907, 0.5963941700935796),
    "alpha_nDCG@3": (0.5206652463984818, 0.5963941700935795),
    "ERR_IA@5": (0.37115481593545135, 0.3630862329803329),
    "nERR_IA@3": (0.5, 0.4444444444444444),
    "NRBP": (0.328125, 0.328125),
    "nNRBP": (0.4883720930232558, 0.3888888888888889),
    "AP_IA": (0.35555555555555557, 0.45833333333333326),
    "P_IA@5": (0.26666666666666666, 0.3),
    "StRecall@3": (0.6666666666666666, 1.0),
    "alpha_nDCG(rel=2)@5": (0.38685280723454163, 0.5),
    "ERR_IA(rel=2)@5": (0.14523449319213316, 0.24205748865355523),
    "alpha_nDCG(alpha=0.25)@5": (0.6249079220449645, 0.6088999629464307),
}


@pytest.mark.parametrize("name", OF_NDEVAL)
def test_values_of_subtopics_are_those_of_ndeval(name: str) -> None:
    assert evaluated(OF_SUBTOPICS, SUBTOPICS, name).values("a", name) == pytest.approx(OF_NDEVAL[name], abs=1e-12)


def test_relevance_by_subtopic_is_that_of_the_best_where_it_is_not_asked_for() -> None:
    flat = {topic: {name: max(own.values()) for name, own in of.items()} for topic, of in SUBTOPICS.items()}
    names = ["AP", "nDCG", "Bpref", "AP(rel=2)@3"]
    by_subtopic, without = (evaluated(OF_SUBTOPICS, qrels, names) for qrels in (SUBTOPICS, flat))
    for m in without.metrics:
        assert by_subtopic.values("a", m).tolist() == without.values("a", m).tolist()


def test_new_subtopics_by_hand() -> None:
    gains = [1, 0, 1, 0, 1 / 2 + 1 / 2]
    discount = [1 / math.log2(rank + 1) for rank in range(1, 6)]
    dcg = sum(gain * d for gain, d in zip(gains, discount, strict=True))
    ideal = sum(gain * d for gain, d in zip([2, 1, 1 / 2, 1 / 2, 0], discount, strict=True))
    found = evaluated(OF_SUBTOPICS, SUBTOPICS, ["alpha_nDCG@5", "StRecall@3", "P_IA@5"])
    assert found.values("a", "alpha_nDCG@5")[0] == pytest.approx(dcg / ideal)
    assert found.values("a", "StRecall@3")[0] == pytest.approx(2 / 3)
    assert found.values("a", "P_IA@5")[0] == pytest.approx(4 / 15)


def test_subtopics_are_read_kept_and_asked_for(tmp_path: Any) -> None:
    path = tmp_path / "diversity.txt"
    path.write_text(
        "".join(
            f"{topic} {subtopic} {name} {grade}\n"
            for topic, of in SUBTOPICS.items()
            for name, own in of.items()
            for subtopic, grade in own.items()
        )
    )
    assert hc.read_subtopics(path) == SUBTOPICS
    ev = evaluated(OF_SUBTOPICS, hc.read_subtopics(path), ["alpha_nDCG@5", "NRBP(beta=0.8)"])
    again = hc.from_json(text=ev.to_json())
    assert isinstance(again, hc.TrecEvaluation)
    for m in ev.metrics:
        assert again.values("a", m).tolist() == ev.values("a", m).tolist()
    with pytest.raises(errors.ParameterError, match="ERR_IA@5 takes relevance by subtopic"):
        evaluated(BY_HAND, GRADES, "ERR_IA@5")


@pytest.mark.parametrize(
    ("content", "kind", "said"),
    [
        ("1 a d1 1\n1 a d1 0\n", errors.InputError, "line 2: document 'd1' of subtopic 'a' of topic '1' occurs twice"),
        ("1 a d1 x\n", errors.LabelError, "line 1: the relevance 'x' is not a whole number"),
        ("1 a d1\n", errors.InputError, "line 1: 3 fields; a line of qrels has 4"),
        ("", errors.EmptyInputError, "contains no line"),
    ],
)
def test_bad_subtopics_are_refused(tmp_path: Any, content: str, kind: type[Exception], said: str) -> None:
    path = tmp_path / "diversity.txt"
    path.write_text(content)
    with pytest.raises(kind, match=said):
        hc.read_subtopics(path)


@pytest.mark.parametrize(
    ("qrels", "kind", "said"),
    [
        ({"1": {"d1": {"a": 1}, "d2": 1}}, errors.InputError, "topic '1': relevance by subtopic is a mapping"),
        ({"1": {"d1": {"a": 0.5}}}, errors.LabelError, "the relevance 0.5 of 'd1' is not a whole number"),
    ],
)
def test_subtopics_that_are_none_are_refused(qrels: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        evaluated({"1": {"d1": 1.0}}, qrels, "AP")


# ---- names


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("AP", "ap"),
        ("map", "ap"),
        ("P@10", "precision@10"),
        ("P_10", "precision@10"),
        ("P.10", "precision@10"),
        ("recall_100", "recall@100"),
        ("Rprec", "precision@R"),
        ("nDCG@10", "ndcg@10"),
        ("ndcg_cut.10", "ndcg@10"),
        ("relative_P_10", "relative_ef@10"),
        ("recip_rank", "RR"),
        ("MRR@10", "RR@10"),
        ("map_cut_100", "AP@100"),
        ("AP(rel=2)@100", "AP(rel=2)@100"),
        ("AP@100(rel=2)", "AP(rel=2)@100"),
        ("P(rel=2, judged_only=True)@10", "P(rel=2,judged_only=True)@10"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("set_F.0.5", "SetF(beta=0.5)"),
        ("SetRelP", "SetP(relative=True)"),
        ("utility.2,-1,0,0", "utility(worth=[2,-1,0])"),
        ("rbp", "RBP(p=0.9)"),
        ("croc(exp, alpha=7)", "croc(exp, alpha=7)"),
    ],
)
def test_names_of_other_tools(name: str, written: str) -> None:
    found = hc.trec_metric(name)
    assert str(found) == written
    assert hc.trec_metric(written) == found


@pytest.mark.parametrize(
    ("names", "count"), [("P", 9), ("P.5,10", 2), ("iprec_at_recall", 11), ("success", 3), ("set", 10)]
)
def test_names_of_several(names: str, count: int) -> None:
    assert len(read_measures(names).known) == count
    if count > 1:
        with pytest.raises(errors.MetricParseError, match=f"is {count} measures: "):
            hc.trec_metric(names)


def test_tables_of_trec_eval() -> None:
    called = pytest.importorskip("pytrec_eval")
    for name in called.supported_measures:
        read = read_measures(name)
        assert bool(read.unknown) == (name in NOT_OURS), read.unknown
        for found in read.known:
            assert trec_name(found).startswith(name)
    assert len(read_measures("official").known) == 9 + 11 + 9
    assert not read_measures(["all_trec", "official", *MEASURES.keys() - {"P", "R"}]).unknown.keys() - {
        name for name, kind in MEASURES.items() if any(f.metadata.get("form") == "at" for f in _fields(kind))
    }


def _fields(kind: Any) -> Any:
    return kind.__dataclass_fields__.values()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("P@R5", "cannot read"),
        ("P@0", "at least 1"),
        ("AP(rel=0)", "rel must be a whole number of at least 1"),
        ("AP(reel=2)", "did you mean 'rel'"),
        ("AP(2)", "parameters are written rel=2"),
        ("Success", "needs a cutoff after @"),
        ("Bpref@10", "takes nothing after @"),
        ("IPrec@2", "recall must be in"),
        ("nDCG(dcg='log')", "dcg must be one of"),
        ("utility.1,2", "four numbers"),
        ("utility.1,-1,0,2", "the last must be 0"),
        ("map.3", "takes no parameter"),
        ("runid", "not a number"),
        ("prefs_simp", "no metric"),
        ("NERR8", "see RBP, ERR and nDCG"),
        ("recip_rnk", "did you mean 'recip_rank'"),
        ("RBP(p=1)", "p must lie strictly"),
        ("SetP(relative=1)", "True or False"),
    ],
)
def test_names_that_cannot_be_read(name: str, said: str) -> None:
    with pytest.raises(errors.MetricParseError, match=said):
        hc.trec_metric(name)


def test_all_names_that_are_wrong_are_said_at_once() -> None:
    with pytest.raises(errors.MetricParseError, match=r"(?s)'INST'.*'runid'"):
        evaluated(BY_HAND, GRADES, ["INST", "AP", "runid"])
    read = read_measures(["INST", "AP", "runid"])
    assert [str(m) for m in read.known] == ["ap"]
    assert set(read.unknown) == {"INST", "runid"}


# what ir_measures computes without other programs, by the same order of equal scores
SAME_ORDER = (
    *("AP(rel=2)", "AP@5", "P(rel=2)@3", "P(judged_only=True)@4", "R(rel=3)@6", "RR", "Rprec(rel=2)", "Success@2"),
    *("Bpref(rel=2)", "infAP", "IPrec@0.3", "SetP", "SetR", "SetF(beta=2.0)", "SetAP(rel=2)", "SetP(relative=True)"),
    *(
        "nDCG",
        "nDCG@3",
        "nDCG(judged_only=True)@4",
        "nDCG(gains={1:3,2:7})",
        "NumRet",
        "NumRel",
        "NumRet(rel=2)",
        "NumQ",
    ),
)


def that_reads_measures() -> Any:
    called = pytest.importorskip("ir_measures")
    if not hasattr(ast, "Num"):
        pytest.skip("this ir_measures reads no measure on this Python, which has no ast.Num")
    return called


@pytest.mark.slow
@settings(deadline=None, max_examples=20)
@given(collections())
def test_values_are_those_of_ir_measures(given: tuple[Run, Qrels]) -> None:
    called = that_reads_measures()
    run, qrels = given
    for judged in qrels.values():  # as above: bpref at relevance 2 counts those of relevance 1
        judged["d12"] = max(1, judged.get("d12", 0))
    ours = evaluated(run, qrels, SAME_ORDER, single_class="zero")
    wanted = {topic: run[topic] for topic in ours.counted}
    for name in SAME_ORDER:
        # one by one: of several it takes NumRet with whatever judged_only another asks for
        for topic, measure, value in called.iter_calc([called.parse_measure(name)], qrels, wanted):
            found = ours.values("a", name)[ours.counted.index(topic)]
            expected = 0.0 if math.isnan(value) else value
            assert found == pytest.approx(expected, abs=1e-9), (topic, measure)


@settings(deadline=None, max_examples=20)
@given(collections())
def test_ranks_of_ir_measures_are_by_names_the_other_way_round(given: tuple[Run, Qrels]) -> None:
    called = that_reads_measures()
    run, qrels = given
    apart = {topic: {name: score - 1e-2 * i for i, (name, score) in enumerate(of.items())} for topic, of in run.items()}
    names = ("RR@3", "RR(rel=2)@5", "Judged@3", "Judged@10")
    ours = evaluated(apart, qrels, names, single_class="zero")
    for topic, measure, value in called.iter_calc([called.parse_measure(name) for name in names], qrels, apart):
        found = ours.values("a", str(measure))[ours.counted.index(topic)]
        assert found == pytest.approx(value, abs=1e-9), (topic, measure)


# ---- laws of all measures


EVERY = [
    *(
        "AP(rel=2)",
        "AP@4",
        "P(rel=2)@3",
        "P(judged_only=True)@3",
        "R(rel=2)@4",
        "Rprec(rel=2)",
        "RR",
        "RR@2",
        "Success@2",
    ),
    *(
        "nDCG@3",
        "nDCG(dcg='exp-log2')",
        "nDCG(gains={1:5,2:1})@4",
        "DCG@3",
        "ideal_dcg@3",
        "nDCG_rel",
        "Rndcg",
        "G",
        "ERR",
    ),
    *("nERR@3", "Bpref", "infAP", "IPrec@0.4", "IPrec11", "Judged", "Judged@3", "RBP", "RBP(p=0.5)@3", "RBP_residual"),
    *("GMAP", "GMBpref", "Rprec_mult@1.4", "binG", "SetP", "SetP(relative=True)", "SetR", "SetF(beta=0.5)", "SetAP"),
    *(
        "utility",
        "utility(worth=[2,-1,-1])",
        "NumRet",
        "NumRet(rel=2)",
        "NumRel",
        "NumRelRet",
        "NumQ",
        "NumNonrelJudgedRet",
    ),
    *(
        "alpha_DCG@3",
        "alpha_nDCG@3",
        "ERR_IA@3",
        "nERR_IA@3",
        "NRBP",
        "nNRBP(beta=0.7)",
        "AP_IA",
        "P_IA@2",
        "StRecall@3",
    ),
]
OF_TWO_CLASSES = ("ap", "precision@3", "recall@3", "ndcg", "dcg@4")


def by_subtopics(qrels: Qrels) -> dict[str, dict[str, dict[str, int]]]:
    """Return the judgements with a relevance to one or two subtopics."""
    return {
        topic: {name: {f"s{grade % 3}": grade, "all": min(grade, 1)} for name, grade in of.items()}
        for topic, of in qrels.items()
    }


def test_every_measure_is_under_the_laws() -> None:
    assert {as_written(name).name for name in EVERY} == set(MEASURES)


@pytest.mark.parametrize("name", EVERY)
def test_a_measure_is_its_string(name: str) -> None:
    found = as_written(name)
    assert isinstance(found, TopicMeasure)
    assert as_written(str(found)) == found
    assert hash(as_written(str(found))) == hash(found)
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(collections(), st.randoms(use_true_random=False))
def test_topics_are_measured_by_themselves(given: tuple[Run, Qrels], random: Any) -> None:
    run, qrels = given
    judged = by_subtopics(qrels)
    forms = [*EVERY, *OF_TWO_CLASSES]
    ev = evaluated(run, judged, forms, single_class="zero")
    shuffled = [
        {
            topic: dict(random.sample(list(of.items()), len(of)))
            for topic, of in random.sample(list(side.items()), len(side))
        }
        for side in (run, judged)
    ]
    other = evaluated(shuffled[0], shuffled[1], forms, single_class="zero")
    one = {topic: evaluated(run, {topic: judged[topic]}, forms) for topic in ev}
    for name in forms:
        low, high = as_written(str(hc.trec_metric(name))).range
        values = dict(zip(ev.counted, ev.values("a", name), strict=True))
        assert dict(zip(other.counted, other.values("a", name), strict=True)) == pytest.approx(values), name
        for topic, alone in one.items():
            assert alone.values("a", name)[0] == pytest.approx(values[topic], abs=1e-12), (name, topic)
        if "gains" not in name:
            assert all(low - 1e-12 <= found <= high + 1e-12 for found in values.values()), (name, values)


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(collections())
def test_what_a_run_lacks_is_zero_and_the_ideal_run_is_best(given: tuple[Run, Qrels]) -> None:
    _, qrels = given
    qrels = {topic: {**of, "d0": 3} for topic, of in qrels.items()}
    ideal = {topic: {name: 100.0 + grade for name, grade in of.items()} for topic, of in qrels.items()}
    perfect = evaluated(
        {**ideal, "none": {"d": 1.0}}, qrels, ["nDCG", "nERR", "ndcg_rel", "Rndcg", "RR", "Bpref", "AP"]
    )
    for m in perfect.metrics:
        assert perfect.values("a", m) == pytest.approx(1.0), m
    lacking = evaluated({"0": ideal["0"]}, qrels, ["nDCG", "ERR", "RR", "RBP", "num_ret", "GMAP"], complete=True)
    for topic, of in zip(
        lacking.counted, zip(*(lacking.values("a", m) for m in lacking.metrics), strict=True), strict=True
    ):
        assert topic == "0" or of == pytest.approx((0, 0, 0, 0, 0, math.log(1e-5)))
