"""Rows in partitions of an engine give what the same rows in memory give, whatever engine that is."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from pyspark import cloudpickle

import hitcurve as hc
from hitcurve.engines import EngineSource, Partial, SubjectColumns, Task
from hitcurve.engines import partial as room
from hitcurve.evaluation import evaluate_groups, evaluate_source
from hitcurve.evaluation.passes.limits import Limits
from hitcurve.sources import Reading, in_memory

METRICS = ("auc", "ap", "recall@1%", "bedroc(20)")


@dataclass(eq=False)
class Parts(EngineSource):
    """The least engine: a list of frames, a few rows at a time; what is sent is pickled as an engine does it."""

    engine: ClassVar[str] = "Parts"
    chunk: int = 1000
    passes: list[int] = field(default_factory=list)

    def _run(self, task: Task[Any]) -> Partial[Any]:
        payload = cloudpickle.dumps(task)
        self.passes.append(len(payload))

        def of(place: int) -> bytes:
            sent: Task[Any] = pickle.loads(payload)
            return sent.of_partition(place, self._frames(place)).packed()

        return reduce(task.merged, map(pickle.loads, map(of, range(len(self.frame)))), Partial())

    def _frames(self, place: int) -> Iterator[pd.DataFrame]:
        frame = self.frame[place]
        return (frame.iloc[start : start + self.chunk] for start in range(0, max(len(frame), 1), self.chunk))


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(25)
    n = 6000
    y = (rng.random(n) < 0.05).astype(int)
    scores = rng.normal(size=(n, 2)) + y[:, None]
    return pd.DataFrame(
        {
            "y": y,
            "a": np.round(scores[:, 0], 2),
            "b": scores[:, 1].astype("float32"),
            "w": rng.integers(1, 9, n) / 4,
            "country": rng.integers(0, 4, n).astype(str),
            "patient": rng.integers(0, 900, n),
        }
    )


def cut(frame: pd.DataFrame, *ends: int) -> list[pd.DataFrame]:
    return [frame.iloc[start:end] for start, end in zip((0, *ends), (*ends, len(frame)), strict=True)]


def parts(frame: Any, missing: str = "raise", **columns: Any) -> Parts:
    given = cut(frame, 10, 10, 2500, 5999) if isinstance(frame, pd.DataFrame) else frame
    return Parts(given, SubjectColumns("y", ("a", "b"), Reading(missing=missing), **columns))


def same_tables(found: hc.Evaluation, wanted: hc.Evaluation) -> bool:
    return all(
        np.array_equal(getattr(found.tables[name], side), getattr(wanted.tables[name], side))
        for name in wanted.tables
        for side in ("pos", "neg", "grid")
    )


@pytest.mark.parametrize("given", [{}, {"weight": "w"}, {"cluster": "patient"}, {"weight": "w", "cluster": "patient"}])
def test_one_list(frame: pd.DataFrame, given: dict[str, str]) -> None:
    beside: Any = {"sample_weight": given.get("weight"), "clusters": given.get("cluster")}
    wanted = hc.evaluate("y", ["a", "b"], data=frame, metrics=METRICS, **beside)
    found = evaluate_source(parts(frame, **given), wanted.metrics)
    assert same_tables(found, wanted)
    assert found.tally == wanted.tally
    assert [str(one) for one in found.warnings] == [str(one) for one in wanted.warnings]
    np.testing.assert_allclose(found.covariance().matrix, wanted.covariance().matrix, rtol=1e-12, atol=1e-18)
    assert found.compare("a", "b", "ap").pvalue == pytest.approx(wanted.compare("a", "b", "ap").pvalue, rel=1e-12)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.SaturationWarning")
@pytest.mark.parametrize("cluster", [None, "patient"])
def test_groups(frame: pd.DataFrame, cluster: str | None) -> None:
    wanted = hc.evaluate("y", ["a", "b"], data=frame, metrics=METRICS, by="country", clusters=cluster)
    found = evaluate_groups(parts(frame, by="country", cluster=cluster), wanted.metrics, by="country")
    assert list(found.groups) == list(wanted.groups)
    for name, group in wanted.groups.items():
        assert same_tables(found.groups[name], group)
    ours, theirs = (one.compare("a", "b", "ap") for one in (found, wanted))
    assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-12)


def test_equal_weights_are_counts(frame: pd.DataFrame) -> None:
    found = evaluate_source(parts(frame.assign(w=0.1), weight="w"), hc.metrics.metrics("ap"))
    assert found.tables["a"] == hc.evaluate("y", ["a"], data=frame.assign(w=0.1), sample_weight="w").tables["a"]
    assert found.tables["a"].pos.dtype.kind == "i"


@pytest.mark.filterwarnings("ignore::hitcurve.errors.MissingValueWarning")
def test_missing_values_are_counted_over_all_partitions(frame: pd.DataFrame) -> None:
    some = frame.assign(a=frame.a.where(frame.index % 100 != 7))
    for missing in ("raise", "drop", "last"):
        if missing == "raise":
            with pytest.raises(hc.errors.MissingValueError) as expected:
                hc.evaluate("y", ["a", "b"], data=some)
            with pytest.raises(hc.errors.MissingValueError) as refused:
                evaluate_source(parts(some), hc.metrics.metrics("ap"))
            assert str(refused.value) == str(expected.value)
            continue
        wanted = hc.evaluate("y", ["a", "b"], data=some, metrics="ap", missing=missing)
        found = evaluate_source(parts(some, missing), wanted.metrics)
        assert same_tables(found, wanted)
        assert found.tally == wanted.tally


def test_bins_where_positives_have_too_many_scores(frame: pd.DataFrame) -> None:
    found = evaluate_source(parts(frame), hc.metrics.metrics("ap"), limits=Limits(max_grid=50))
    wanted = hc.evaluate("y", ["a", "b"], data=frame, metrics="ap", bins=50)
    assert same_tables(found, wanted)
    assert np.shape(np.asarray(found.tables["b"].grid)) == (50,)
    assert any("more than 50 distinct scores (max_grid)" in note for note in found.notes)


@pytest.mark.parametrize("column", ["patient", "country"])
def test_missing_names(frame: pd.DataFrame, column: str) -> None:
    some = frame.assign(**{column: frame[column].astype(object).where(frame.index % 100 != 7)})
    option, role = ("clusters", "cluster") if column == "patient" else ("by", "by")
    beside: Any = {option: column}
    with pytest.raises(hc.errors.MissingValueError) as expected:
        hc.evaluate("y", ["a", "b"], data=some, **beside)
    with pytest.raises(hc.errors.MissingValueError) as refused:
        evaluate_source(parts(some, **{role: column}), hc.metrics.metrics("ap"))
    assert str(refused.value) == str(expected.value)


def test_refusals_keep_their_type_and_sentence(frame: pd.DataFrame) -> None:
    ap = hc.metrics.metrics("ap")
    with pytest.raises(hc.errors.LabelError, match="labels must be two classes"):
        evaluate_source(parts(frame.assign(y=frame.index % 3)), ap)
    with pytest.raises(hc.errors.WeightError, match=r"partition 3: weights must .* in row 500"):
        evaluate_source(parts(frame.assign(w=np.where(frame.index == 3000, -1.0, 1.0)), weight="w"), ap)
    with pytest.raises(hc.errors.EmptyInputError, match="the input has no rows"):
        evaluate_source(parts([frame[:0], frame[:0]]), ap)
    with pytest.raises(hc.errors.SingleClassError):
        evaluate_source(parts(frame[frame.y == 0]), ap)


def test_a_failure_is_one_sentence(frame: pd.DataFrame) -> None:
    with pytest.raises(hc.errors.EngineError, match=r"^partition 2 failed: ZeroDivisionError: division by zero$"):
        parts(frame).reduce(lambda block: 1 / (block.positive.size < 1000), lambda a, b: a + b)


def test_other_versions_and_large_results(frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "LARGEST", 1 << 12)
    with pytest.raises(hc.errors.InputError, match=r"count scores in bins \(bins=1000, --bins\)"):
        evaluate_source(parts(frame), hc.metrics.metrics("ap"))
    monkeypatch.setattr(room, "VERSION", "0.0.1")
    with pytest.raises(hc.errors.EngineError, match=r"0\.0\.1 on a worker: install the same version"):
        evaluate_source(parts(frame), hc.metrics.metrics("ap"))


def test_rows_stay_where_they_are(frame: pd.DataFrame) -> None:
    source = parts(frame)
    with pytest.raises(hc.errors.ParameterError, match="needs every row in memory, and the data stay in Parts"):
        in_memory(source, "a gap")
    evaluated = evaluate_source(source, hc.metrics.metrics(["auc", "ap"]))
    again = pickle.loads(pickle.dumps(evaluated))
    assert same_tables(again, evaluated)
    with pytest.raises(hc.errors.EngineError, match="stayed in Parts when this value was pickled"):
        again.covariance()


def test_rows_that_change_are_noticed(frame: pd.DataFrame) -> None:
    source = parts(frame)
    evaluated = evaluate_source(source, hc.metrics.metrics("ap"))
    source.frame = cut(frame[1:], 100)
    with pytest.raises(hc.errors.EngineError, match=r"the rows changed between two passes, from 6,000 with"):
        evaluated.covariance()


@pytest.mark.parametrize("column", ["y", "a", "b", "w", "country"])
def test_values_that_change_are_noticed(frame: pd.DataFrame, column: str) -> None:
    """As many rows with as many positives may be other rows, such as where a score is drawn anew in each pass."""
    source = parts(frame, weight="w", by="country")
    shuffled = parts(cut(frame.sample(frac=1.0, random_state=2), 3000, 4000))
    assert count_rows(source) == len(frame)
    source.frame = shuffled.frame
    assert count_rows(source) == len(frame)  # the same rows in another order, in other partitions
    other, values = frame.copy(), frame[column].to_numpy()
    swapped = np.array([0, np.flatnonzero(values != values[0])[0]])
    other.loc[swapped, column] = values[swapped[::-1]]
    source.frame = cut(other, 100)
    for _ in range(2):
        with pytest.raises(hc.errors.EngineError, match="changed between two passes: as many rows with as many"):
            count_rows(source)


def count_rows(source: Parts) -> int:
    return source.reduce(lambda block: block.tally.rows, int.__add__)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_a_group_of_most_rows_beside_thousands_of_ten() -> None:
    rng = np.random.default_rng(12)
    small, large = 10_000, 200_000
    y = np.concatenate([np.tile(np.repeat([1, 0], [3, 7]), small), rng.random(large) < 0.01]).astype(int)
    names = np.concatenate([np.repeat(np.arange(small), 10), np.full(large, small)])
    scores = np.round(rng.normal(size=(2, y.size)) + y, 2)
    frame = pd.DataFrame({"y": y, "a": scores[0], "b": scores[1], "group": names}).sample(frac=1, random_state=1)
    wanted = hc.evaluate("y", ["a", "b"], data=frame, metrics=["auc", "ap"], by="group")
    source = Parts(cut(frame, 3, 150_000), SubjectColumns("y", ("a", "b"), Reading(), by="group"), chunk=1 << 18)
    found = evaluate_groups(source, wanted.metrics, by="group")
    pd.testing.assert_frame_equal(found.to_frame(backend="pandas"), wanted.to_frame(backend="pandas"), check_exact=True)
