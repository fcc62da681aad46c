"""What is refused: the kind of the error, and a sentence that names what was given where it was given."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import hitcurve as hc
from hitcurve import learn
from hitcurve.errors import (
    HitcurveError,
    InputError,
    InsufficientDataError,
    LabelError,
    ParameterError,
    SingleClassError,
    UnreadableFileError,
)
from hitcurve.metrics import Metric, metric
from tests.metrics_under_test import FORMS
from tests.shell import Shell, shell

__all__ = ["shell"]

LABELS = np.array([0, 1] * 10)
BITS = np.random.default_rng(0).integers(0, 2, (20, 8)) | np.eye(1, 8, dtype=int)
STUDY = pd.DataFrame(
    [
        (f"r{r}", m, f"c{c}", c % 2, (7 * c + 3 * r + (m == "b")) % 11)
        for r in range(3)
        for m in "ab"
        for c in range(20)
    ],
    columns=["reader", "modality", "case", "truth", "rating"],
)
READERS = [word for name in STUDY for word in (f"--{name}", name)]
RANKERS: tuple[Callable[..., Any], ...] = (
    learn.MaxSimilarityRanker,
    learn.SimilarityKNN,
    learn.InfluenceRelevanceVoter,
    learn.TanimotoSVC,
)


# ---- errors are of our own kinds


@pytest.mark.parametrize("given", [0.5, 1, None, ..., [], ["x"], [0.5], "x"], ids=repr)
def test_what_is_random_in_a_reader_study_is_one_of_two(given: Any) -> None:
    with pytest.raises(ParameterError, match="random must be"):
        hc.evaluate_readers(**{str(name): STUDY[name] for name in STUDY}, random=given)


@pytest.mark.parametrize("column", [1, 0.5, None, "x" * 20, np.array(1.0), ...], ids=repr)
@pytest.mark.parametrize("beside", [{}, {"b": LABELS}])
def test_a_marker_that_is_no_row_of_values_is_named(column: Any, beside: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a column of X must have a value for each subject, 'a' is"):
        hc.screen({"a": column, **beside}, LABELS)


@pytest.mark.parametrize("labels", [None, 0.5, np.nan, 1, "x"], ids=repr)
def test_a_scorer_refuses_labels_that_are_one_value(labels: Any) -> None:
    model = LogisticRegression().fit(BITS, LABELS)
    with pytest.raises(LabelError, match=f"labels must be one for each subject, got {labels!r}"):
        hc.scorer("auc")(model, BITS, labels)


ODD: tuple[Any, ...] = (
    np.array([0.5, 0.9]),
    np.array([1, 2]),
    pd.Series([1, 2]),
    None,
    "x",
    0.5,
    [],
    {},
    np.nan,
    ...,
)


@pytest.mark.parametrize("ranker", RANKERS)
@pytest.mark.parametrize("name", ["packed", "zero_division", "similarity"])
@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value).replace("\n", " "))
def test_rankers_refuse_odd_options(ranker: Callable[..., Any], name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be"):
        ranker(**{name: value}).fit(BITS, LABELS)


@pytest.mark.parametrize("name", ["packed", "zero_division"])
@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value).replace("\n", " "))
def test_a_kernel_refuses_odd_options(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be"):
        learn.tanimoto_kernel(BITS, **{name: value})


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value).replace("\n", " "))
def test_a_voter_goes_on_or_does_not(value: Any) -> None:
    with pytest.raises(ParameterError, match="warm_start must be True or False"):
        learn.InfluenceRelevanceVoter(k=3, warm_start=value).fit(BITS, LABELS)


@pytest.mark.parametrize("ranker", [learn.RandomRanker, learn.MarkerSelector, *RANKERS])
@pytest.mark.parametrize(
    ("labels", "kinds"),
    [
        (np.array(["a", 1] * 10, object), "int and str"),
        (np.array([b"a", b"b"] * 10, object), "bytes"),
    ],
    ids=str,
)
def test_labels_of_several_kinds_are_refused(ranker: Callable[..., Any], labels: Any, kinds: str) -> None:
    with pytest.raises(LabelError, match=f"labels must be all numbers or all texts, got {kinds}"):
        ranker().fit(BITS, labels)


@pytest.mark.parametrize("value", [0, 1, 1.0, np.int64(1), np.float32(0)], ids=repr)
def test_a_value_of_two_empty_fingerprints_is_a_number(value: Any) -> None:
    empty = np.zeros((2, 8), int)
    assert (learn.tanimoto_kernel(empty, zero_division=value) == value).all()


# ---- advice where it works


def test_a_day_of_few_subjects_is_no_reason_to_choose_a_method(shell: Shell, tmp_path: Path) -> None:
    few = hc.HitTable.from_scores([1, 0, 0], [2, 3, 1])
    many = hc.HitTable.from_scores(LABELS, np.arange(20))
    with pytest.raises(InsufficientDataError, match="monday: 1 positive is too few for an interval of auc") as refused:
        hc.drift({"monday": few, "tuesday": many}, "auc")
    hc.Tables({"s": few}).save(tmp_path / "monday.hit")
    hc.Tables({"s": many}).save(tmp_path / "tuesday.hit")
    said = shell("drift", tmp_path / "monday.hit", tmp_path / "tuesday.hit", "--metric", "auc").refusal
    for text in (str(refused.value), said):
        assert "method" not in text
        assert "; merge days (hitcurve merge)" in text


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ((0, 0, 0, 1, 1, 1), "use a horizon above 0 and below 1"),
        ((1, 1, 1, 2, 2, 2), "use a horizon from 1 and below 2"),
    ],
)
def test_the_horizons_that_are_advised_work(times: tuple[float, ...], words: str) -> None:
    given: dict[str, Any] = {"time": times, "event": [1, 1, 0, 1, 0, 1], "scores": [3, 2, 1, 0.5, 2, 1]}
    with pytest.raises(InsufficientDataError, match=words):
        hc.evaluate_survival(**given, horizons=times[-1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for horizon in (times[0] or 1e-9, (times[0] + times[-1]) / 2):
            assert hc.evaluate_survival(**given, horizons=horizon).horizons == (horizon,)


def test_ratings_with_another_decimal_mark_say_so(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "study.csv"
    STUDY.assign(rating=STUDY.rating - 0.65).to_csv(path, index=False)
    said = shell("readers", path, *READERS, "--decimal", ",").refusal
    assert said == (
        "ratings 'rating' of study.csv must be numbers: it has '-0.65' in line 2; the decimal mark is ',', as specified"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--bootstrap", "1"), "--bootstrap must be a whole number of at least 50, got 1"),
        (("--bootstrap", "20000000"), "--bootstrap must be at most"),
        (("--effect", "0.1", "--n-readers", "0", "--power", "0.8"), "--n-readers must be a whole number"),
        (("--effect", "0.1", "--n-cases", "1", "--power", "0.8"), "--n-cases must be a whole number"),
    ],
    ids=str,
)
def test_options_of_a_reader_study_are_named(
    options: tuple[str, ...], words: str, shell: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "study.csv"
    STUDY.to_csv(path, index=False)
    assert shell("readers", path, *READERS, *options).refusal.startswith(words)


@pytest.mark.parametrize("low", ["m1", "/^m/"])
def test_a_marker_that_is_not_there_is_said_beside_those_that_are(low: str, shell: Shell, data: Path) -> None:
    said = shell("screen", data, "--label", "y", "--columns", "g", "--low", low).refusal
    assert said == f"--low {low!r} matches no column; columns are 'g'"
    assert "not numeric" in shell("screen", data, "--label", "y", "--columns", "g", "--low", "g").refusal


# ---- the place of what is refused


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "in.csv"
    path.write_text("y,s,w,g\n1,-1,-9,a\n0,2,1,b\n1,3,-0.5,a\n0,4,1,b\n")
    return path


@pytest.mark.parametrize("command", ["table", "evaluate"])
@pytest.mark.parametrize(
    ("chosen", "place"),
    [((), "got -9.0 in line 2 of in.csv"), (("--where", "s > 0"), "got -0.5 in row 2 of the rows where s > 0")],
)
def test_a_weight_is_refused_with_its_place(
    command: str, chosen: tuple[str, ...], place: str, shell: Shell, data: Path
) -> None:
    output = ("-o", data.with_name("t.hit")) if command == "table" else ()
    said = shell(command, data, "--label", "y", "--score", "s", "--weight", "w", *chosen, *output).refusal
    assert said == f"weights must be finite and at least 0, {place}"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("1,2\n1,3\n", "there is no negative among the 2 subjects"),
        ("1,2\n0,3\n0,1\n", "a standard error of auc needs at least 2 subjects of each class"),
    ],
)
def test_a_study_of_too_few_subjects_is_named(rows: str, words: str, shell: Shell, tmp_path: Path) -> None:
    few, many = tmp_path / "few.csv", tmp_path / "many.csv"
    few.write_text(f"y,s\n{rows}")
    many.write_text("y,s\n" + "".join(f"{i % 2},{i % 7}\n" for i in range(40)))
    said = shell("meta", few, many, "--label", "y", "--score", "s").refusal
    assert said.startswith(f"study 'few': {words}")
    table = hc.HitTable.from_scores(*np.array([row.split(",") for row in rows.split()], float).T)
    with pytest.raises((SingleClassError, InsufficientDataError), match=f"study 'few': {words}"):
        hc.meta_analysis({"few": table, "many": (0.8, 0.1)}, "auc")


@pytest.mark.parametrize("command", ["drift", "merge"])
def test_a_file_without_tables_is_named_as_it_was_given(
    command: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("days").mkdir()
    Path("days/empty.csv").write_bytes(b"")
    hc.Tables({"s": hc.HitTable.from_scores(LABELS, np.arange(20))}).save("good.hit")
    output = ("-o", "sum.hit") if command == "merge" else ()
    for given in ("/dev/null", "days/empty.csv"):
        said = shell(command, "good.hit", given, *output).refusal
        assert said.startswith(f"{given} is no file of hit tables")


def test_tables_are_refused_by_the_path_that_was_given(tmp_path: Path) -> None:
    path = tmp_path / "x.hit"
    path.write_bytes(b"no tables")
    with pytest.raises(UnreadableFileError, match=f"^{re.escape(str(path))} is no file of hit tables"):
        hc.load_tables(path)


# ---- one sentence, and the way that is there


def test_several_metrics_that_cannot_be_read_are_one_sentence(shell: Shell, data: Path, tmp_path: Path) -> None:
    study, run, qrels = (tmp_path / name for name in ("study.csv", "run", "qrels"))
    STUDY.to_csv(study, index=False)
    run.write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    qrels.write_text("q 0 a 1\nq 0 b 0\n")
    commands: list[list[Any]] = [
        ["evaluate", data, "--label", "y", "--score", "s"],
        ["screen", data, "--label", "y", "--columns", "s"],
        ["survival", data, "--time", "w", "--event", "y", "--score", "s", "--horizon", "1"],
        ["readers", study, *READERS],
        ["trec", run, qrels],
    ]
    for command in commands:
        said = shell(*command, "-m", "P@0", "-m", "foo").refusal
        assert "P@0" in said
        assert "'foo'" in said


def test_known_measures_of_trec_are_written_beside_unknown_ones(shell: Shell, tmp_path: Path) -> None:
    run, qrels, output = (tmp_path / name for name in ("run", "qrels", "o.md"))
    run.write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    qrels.write_text("q 0 a 1\nq 0 b 0\n")
    done = shell("trec", run, qrels, "-m", "AP", "-m", "P@0", "-o", output)
    assert done.code == 2
    assert done.err.count("hitcurve: error: ") == 1
    assert "AP" in output.read_text()
    reference = Path(__file__).parents[1] / "docs" / "reference" / "command-line.md"
    row = next(line for line in reference.read_text().splitlines() if line.startswith("| 2 |"))
    assert "nothing written; only `trec`" in row


@pytest.mark.parametrize("suffix", [".md", ".json", ".tex", ".csv", ".parquet"])
def test_a_page_of_another_name_says_what_writes_the_numbers(suffix: str, shell: Shell, data: Path) -> None:
    ev = hc.evaluate(LABELS, {"s": np.arange(20)}, metrics="auc")
    with pytest.raises(ParameterError, match="the numbers alone are returned by its method") as refused:
        hc.report(ev, data.with_name(f"x{suffix}"))
    assert "hitcurve evaluate" not in str(refused.value)
    method = str(refused.value).split()[-1].removesuffix("()")
    assert callable(getattr(ev, method))
    said = shell("report", data, "--label", "y", "--score", "s", "-o", data.with_name(f"x{suffix}")).refusal
    assert said.endswith(f"the numbers alone are written by hitcurve evaluate --output x{suffix}")


def test_every_error_of_a_metric_is_our_own() -> None:
    for given in (["foo", "bar"], ["foo"] * 30):
        with pytest.raises(HitcurveError) as refused:
            hc.evaluate(LABELS, np.arange(20), metrics=given)
        assert "\n" not in str(refused.value)


# ---- what random means in a docstring

APART = {
    type(one)
    for one in map(metric, FORMS)
    for table in (hc.HitTable.from_scores([1, 0, 0, 1, 0, 0, 0, 1, 0, 0], np.arange(10)),)
    if (mean := one.random_mean(table)) is not None and abs(mean - one.random(table)) > 1e-9
}


@pytest.mark.parametrize("kind", sorted(APART, key=str), ids=lambda kind: kind.__name__)
def test_a_docstring_says_of_which_order_random_is(kind: type[Metric]) -> None:
    above = " ".join((kind.__doc__ or "").split("Parameters\n")[0].split())
    assert re.search(r"[Rr]andom\b.*\btied\b", above)
    assert "random_mean" in above
