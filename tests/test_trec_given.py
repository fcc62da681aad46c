"""Runs and judgements as values: mappings, frames, tuples and the objects of other packages."""

from __future__ import annotations

import math
import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import errors
from tests.test_trec import AS_QRELS, AS_RUN

pd = pytest.importorskip("pandas")


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class OfRanx:
    """What ranx has of a run or of judgements, as far as it is used."""

    def __init__(self, held: dict[str, Any], name: str | None = None) -> None:
        self.name, self._held = name, held

    def to_dict(self) -> dict[str, Any]:
        return self._held


def rows(nested: dict[str, dict[str, Any]]) -> list[tuple[str, str, Any]]:
    return [(topic, name, value) for topic, of in nested.items() for name, value in of.items()]


def frame(nested: dict[str, dict[str, Any]], *names: str) -> Any:
    return pd.DataFrame(rows(nested), columns=list(names))


def ap(runs: Any, qrels: Any) -> dict[str, dict[str, float]]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ev = hc.evaluate_trec(runs, qrels, metrics="ap")
    return {name: {topic: e.value for topic, e in ev.estimates(name, "ap").items()} for name in ev.rankers}


EXPECTED = {"301": pytest.approx(0.25), "302": pytest.approx(1.0)}


def polars(nested: dict[str, dict[str, Any]], *names: str) -> Any:
    return pytest.importorskip("polars").DataFrame(rows(nested), schema=list(names), orient="row")


@pytest.mark.parametrize(
    "given",
    [
        lambda: (AS_RUN, AS_QRELS),
        lambda: (
            frame(AS_RUN, "q_id", "doc_id", "score"),
            frame(AS_QRELS, "q_id", "doc_id", "score").rename(columns={"score": "rel"}),
        ),
        lambda: (frame(AS_RUN, "query_id", "doc_id", "score"), frame(AS_QRELS, "query_id", "doc_id", "relevance")),
        # PyTerrier: its number of the document beside its name, and the words of the query
        lambda: (
            frame(AS_RUN, "qid", "docno", "score").assign(docid=7, rank=0, query="words"),
            frame(AS_QRELS, "qid", "docno", "label").assign(iteration="0"),
        ),
        lambda: (frame(AS_RUN, "QID", "docID", "Score"), frame(AS_QRELS, "Topic", "Document", "Grade")),
        lambda: (polars(AS_RUN, "qid", "docid", "score"), polars(AS_QRELS, "qid", "docid", "rel")),
        lambda: (polars(AS_RUN, "qid", "docid", "score").lazy(), polars(AS_QRELS, "qid", "docid", "rel").lazy()),
        lambda: tuple(
            polars(nested, "qid", "docid", name).to_arrow() for nested, name in ((AS_RUN, "score"), (AS_QRELS, "rel"))
        ),
        lambda: (
            polars(AS_RUN, "qid", "docid", "score").to_arrow().to_reader(),
            polars(AS_QRELS, "qid", "docid", "rel").to_arrow().to_reader(),
        ),
        lambda: ([ScoredDoc(*row) for row in rows(AS_RUN)], [Qrel(*row) for row in rows(AS_QRELS)]),
        lambda: (iter([ScoredDoc(*row) for row in rows(AS_RUN)]), (Qrel(*row) for row in rows(AS_QRELS))),
        lambda: (OfRanx(AS_RUN), OfRanx(AS_QRELS)),
        lambda: (
            frame(AS_RUN, "qid", "docno", "score").astype({"qid": int}),
            frame(AS_QRELS, "qid", "docno", "label").astype({"label": float}),
        ),
    ],
    ids=[
        "mapping", "ranx frame", "ir_measures frame", "PyTerrier", "capitals", "polars", "lazy", "arrow", "stream",
        "tuples", "generators", "ranx", "numbers",
    ],
)  # fmt: skip
def test_a_run_is_read_however_it_is_given(given: Any) -> None:
    assert ap(*given()) == {"run": EXPECTED}
    run, qrels = given()
    assert ap({"bm25": run}, qrels) == {"bm25": EXPECTED}


@pytest.mark.parametrize("nothing", [None, 3])
def test_what_is_no_run_at_all_is_refused(nothing: Any) -> None:
    with pytest.raises(errors.InputError, match="runs must be files, mappings, data frames or tuples, got"):
        hc.evaluate_trec(nothing, AS_QRELS)


def test_a_column_called_name_is_no_name_of_the_run() -> None:
    run = frame(AS_RUN, "query_id", "doc_id", "score").assign(name="bm25")
    assert ap(run, AS_QRELS) == {"run": EXPECTED}
    with pytest.raises(errors.InputError, match="need names: give a mapping"):
        hc.evaluate_trec([run, run], AS_QRELS)


def test_runs_of_ranx_keep_their_names() -> None:
    assert ap(OfRanx(AS_RUN, "bm25"), OfRanx(AS_QRELS)) == {"bm25": EXPECTED}
    assert set(ap([OfRanx(AS_RUN, "a"), OfRanx(AS_RUN, "b")], AS_QRELS)) == {"a", "b"}
    with pytest.raises(errors.InputError, match="need names: give a mapping"):
        ap([OfRanx(AS_RUN), OfRanx(AS_RUN)], AS_QRELS)
    with pytest.raises(errors.InputError, match="'a'"):
        ap([OfRanx(AS_RUN, "a"), OfRanx(AS_RUN, "a")], AS_QRELS)


RUN_FRAME = {"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [2.0, 1.0, 3.0]}


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"docno": None}, errors.ColumnNotFoundError, "run 'r': no column 'docno' or 'doc_id'"),
        ({"score": None}, errors.ColumnNotFoundError, "no column 'score'; columns are 'qid', 'docno'"),
        ({"score": [1.0, "high", 2.0]}, errors.ScoreError, "run 'r': score in row 1 must be a number, got 'high'"),
        ({"score": ["1", "2", "3"]}, errors.ScoreError, "run 'r': score in row 0 must be a number, got '1'"),
        ({"score": [1.0, math.nan, 2.0]}, errors.MissingValueError, "score is missing in row 1"),
        ({"docno": ["a", None, "b"]}, errors.MissingValueError, "docno is missing in row 1"),
        ({"docno": ["a", "a", "b"]}, errors.InputError, "document 'a' of topic '1' is in rows 0 and 1"),
        ({"qid": [], "docno": [], "score": []}, errors.EmptyInputError, "run 'r' contains no document"),
    ],
)
def test_bad_frames_are_refused(change: dict[str, Any], kind: type[Exception], said: str) -> None:
    columns = {name: values for name, values in (RUN_FRAME | change).items() if values is not None}
    with pytest.raises(kind, match=re.escape(said)):
        hc.evaluate_trec({"r": pd.DataFrame(columns)}, AS_QRELS)


@pytest.mark.parametrize(
    ("label", "kind", "said"),
    [
        ([0.5, 1, 0], errors.LabelError, "the relevance 0.5 of 'a' is not a whole number"),
        (["yes", "no", "no"], errors.LabelError, "qrels: label in row 0 must be a number, got 'yes'"),
        ([1, None, 0], errors.MissingValueError, "qrels: label is missing in row 1"),
        ([1.0, math.inf, 0], errors.LabelError, "the relevance inf of 'b' is not a whole number"),
    ],
)
def test_bad_judgements_in_frames_are_refused(label: list[Any], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=re.escape(said)):
        hc.evaluate_trec(AS_RUN, pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": label}))


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ([("301", "d3", 1.0)], "got tuple"),
        ([ScoredDoc("301", "d3", 1.0), Qrel("301", "d7", 1)], "of different kinds"),
        (3.0, "run 'r' must be a file, a mapping of topics to the scores of their documents, a data frame"),
        ([], "run 'r' contains no document"),
    ],
)
def test_what_is_no_run_is_refused(run: Any, said: str) -> None:
    with pytest.raises(errors.InputError, match=re.escape(said)):
        hc.evaluate_trec({"r": run}, AS_QRELS)


def said(runs: Any, qrels: Any) -> str:
    with pytest.raises(errors.HitcurveError) as caught:
        hc.evaluate_trec(runs, qrels, metrics="AP")
    return str(caught.value)


def test_runs_in_the_place_of_qrels_are_recognised() -> None:
    pd, ir = pytest.importorskip("pandas"), pytest.importorskip("ir_measures")
    run, qrels = {"1": {"a": 0.5, "b": 0.25}}, {"1": {"a": 1, "b": 0}}
    scored, judged = [ir.ScoredDoc("1", "a", 0.5)], [ir.Qrel("1", "a", 1)]
    frames = [pd.DataFrame({"qid": ["1"], "docno": ["a"], name: [0.5]}) for name in ("score", "label")]
    for given in ((qrels, run), (judged, scored), (judged, judged), tuple(frames[::-1]), (frames[1], frames[1])):
        assert said(*given).endswith("(are runs and qrels swapped?)"), given
    assert "swapped" not in said({"r": run}, {"1": {"a": "x"}})


@pytest.mark.parametrize("whole", [2, 2.0, np.float32(2), np.int8(2), "2", "2.0", "+2."])
def test_a_relevance_is_a_whole_number_wherever_it_is(whole: Any, tmp_path: Path) -> None:
    run, path = {"1": {"a": 2.0, "b": 1.0}}, tmp_path / "qrels.txt"
    path.write_text(f"1 s a {whole}\n1 s b 0\n")
    ways = [path, hc.read_subtopics(path)]
    if not isinstance(whole, str):
        ways += [{"1": {"a": whole, "b": 0}}, {"1": {"a": {"s": whole}, "b": {"s": 0}}}]
    for given in ways:
        assert hc.evaluate_trec({"r": run}, given, metrics="AP(rel=2)").values("r", "AP(rel=2)").tolist() == [1.0]
    for odd in (0.5, np.float64("nan"), np.inf):
        path.write_text(f"1 s a {odd}\n")
        for given in (path, {"1": {"a": odd}}, {"1": {"a": {"s": odd}}}):
            assert "is not a whole number" in said({"r": run}, given)


def test_measures_of_ir_measures_are_read() -> None:
    ir = pytest.importorskip("ir_measures")
    run, qrels = {"1": {"a": 2.0, "b": 1.0, "c": 0.5}}, {"1": {"a": 0, "b": 2, "c": 1}}
    wanted = [
        ir.AP(rel=2) @ 10,
        ir.nDCG @ 2,
        ir.nDCG(dcg="exp-log2") @ 2,
        ir.RR,
        ir.P @ 1,
        ir.SetP(rel=2),
    ]
    theirs = ir.calc_aggregate(wanted, qrels, run)
    ev = hc.evaluate_trec(run, qrels, metrics=wanted)
    assert list(map(str, ev.metrics)) == list(map(str, wanted))
    for one in wanted:
        assert ev.mean("run", one).value == pytest.approx(theirs[one], abs=5e-5)  # gdeval has four digits
