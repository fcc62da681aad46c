"""Frames and arrays of Dask give what the same rows in memory give, with every scheduler; workers may die."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.callbacks import Callback
from distributed import Client, LocalCluster

import hitcurve as hc
from hitcurve.cells import Grid
from hitcurve.errors import (
    ColumnNotFoundError,
    EngineError,
    InputError,
    LabelError,
    LengthMismatchError,
    MissingValueError,
    ParameterError,
)
from hitcurve.grids import GridStack

RNG = np.random.default_rng(25)
N = 6000
Y = (RNG.random(N) < 0.04).astype(int)
SCORES = RNG.normal(size=(N, 2)) + Y[:, None]
FRAME = pd.DataFrame(
    {
        "y": Y,
        "a": np.round(SCORES[:, 0], 2),
        "b": SCORES[:, 1].astype("float32"),
        "w": RNG.integers(1, 9, N) / 4,
        "country": RNG.integers(0, 4, N).astype(str),
        "patient": RNG.integers(0, 900, N),
    }
)
METRICS = ("auc", "ap", "recall@1%", "bedroc(10)")
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"sample_weight": "w"},
    "clusters": {"clusters": "patient"},
    "both": {"sample_weight": "w", "clusters": "patient"},
    "groups": {"by": "country"},
}


class Runs(Callback):  # type: ignore[misc]
    """Counts what Dask computes in this process."""

    count = 0

    def _start(self, dsk: Any) -> None:
        self.count += 1


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50, memory_limit=None
    ) as found:
        yield found


@contextmanager
def scheduler(name: str, cluster: Any) -> Iterator[None]:
    if name == "cluster":
        with Client(cluster):
            yield
    elif name == "processes":
        with ProcessPoolExecutor(1, get_context("spawn")) as pool, dask.config.set(scheduler=name, pool=pool):
            yield
    else:
        with dask.config.set(scheduler=name):
            yield


def framed(frame: pd.DataFrame, *ends: int) -> Any:
    """Return a frame in partitions that end there; some may have no rows."""
    ends = ends or (10, 10, 2500, 5999)
    parts = [frame.iloc[start:end] for start, end in zip((0, *ends), (*ends, len(frame)), strict=True)]
    return dd.from_map(lambda place: parts[place], range(len(parts)), meta=frame.iloc[:0])


def evaluated(data: Any, **options: Any) -> Any:
    return hc.evaluate("y", ["a", "b"], data=data, metrics=METRICS, **options)


def same(found: Any, wanted: Any) -> None:
    for name in wanted.tables:
        for side in ("pos", "neg", "grid"):
            ours, theirs = (getattr(ev.tables[name], side) for ev in (found, wanted))
            np.testing.assert_array_equal(ours, theirs, strict=True)
    assert found.tally == wanted.tally
    assert [str(one) for one in found.warnings] == [str(one) for one in wanted.warnings]
    np.testing.assert_allclose(found.covariance().matrix, wanted.covariance().matrix, rtol=1e-12, atol=1e-18)


def same_groups(found: Any, wanted: Any) -> None:
    assert tuple(found.groups) == tuple(wanted.groups)
    assert found.left_out == wanted.left_out
    frames = [ev.to_frame(backend="pandas").drop(columns=["convention"], errors="ignore") for ev in (found, wanted)]
    pd.testing.assert_frame_equal(*frames, check_exact=False, rtol=1e-12)
    ours, theirs = (ev.compare("a", "b", "ap").pvalue for ev in (found, wanted))
    assert ours == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "options"), [*(("threads", name) for name in OPTIONS), *(("cluster", name) for name in ("both", "groups"))]
)
def test_a_frame(name: str, options: str, cluster: LocalCluster) -> None:
    wanted = evaluated(FRAME, **OPTIONS[options])
    with scheduler(name, cluster):
        found = evaluated(framed(FRAME), **OPTIONS[options])
        (same_groups if options == "groups" else same)(found, wanted)


def test_processes() -> None:
    with scheduler("processes", None):
        found = hc.count_tables("y", "b", data=framed(FRAME, 3000))
    assert found["b"] == hc.count_tables("y", "b", data=FRAME)["b"]


@pytest.mark.parametrize("partitions", [1, 2, 9, 20])
def test_partitions_change_nothing(partitions: int) -> None:
    frame = dd.from_pandas(FRAME.sort_values("y"), npartitions=partitions, sort=False)  # most have one class
    same(evaluated(frame), evaluated(FRAME))
    same(evaluated(framed(FRAME).repartition(npartitions=partitions)), evaluated(FRAME))


def test_one_group_of_most_rows_beside_ten_thousand_of_ten(cluster: LocalCluster) -> None:
    rows = 200_000
    y = RNG.random(rows) < 0.5
    group = np.where(np.arange(rows) < 100_000, 0, np.arange(rows) // 10)
    frame = pd.DataFrame({"y": y, "a": RNG.normal(size=rows) + y, "g": group})
    options: dict[str, Any] = {"by": "g", "single_class": "skip", "metrics": "ap"}
    data = dd.from_pandas(frame, npartitions=8)
    found, wanted = (hc.evaluate("y", ["a"], data=one, **options) for one in (data, frame))
    assert len(found.groups) > 9900
    np.testing.assert_array_equal(*(ev.to_frame(backend="pandas")["value"] for ev in (found, wanted)))
    assert found.mean("a", "ap").value == wanted.mean("a", "ap").value


def test_many_scores_are_counted_in_bins_of_bounded_size() -> None:
    wanted = evaluated(FRAME, bins=50)
    same(evaluated(framed(FRAME), bins=50), wanted)
    with dask.config.set(scheduler="sync"), Runs() as runs:
        found = hc.evaluate("y", ["a", "b"], data=framed(FRAME), metrics=["ap"], max_grid=50)
    assert runs.count == 5  # too many scores, their bins in two, what is in the bins, counts
    for name in ("a", "b"):
        np.testing.assert_array_equal(found.tables[name].pos, wanted.tables[name].pos)
    assert any("more than 50 distinct scores (max_grid)" in note for note in found.notes)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.MissingValueWarning")
def test_nan_null_zeros_and_float32_follow_the_rules_of_memory() -> None:
    odd = np.array([np.nan, 0.0, -0.0, np.inf, -np.inf])
    a = np.where(np.arange(N) % 17 < 5, odd[np.arange(N) % 17 % 5], FRAME["a"]).astype("float32")
    frame = FRAME.assign(a=a, b=FRAME["patient"].astype("Int64").mask(FRAME["patient"] % 9 == 1))
    for missing in ("drop", "last"):
        same(evaluated(framed(frame), missing=missing), evaluated(frame, missing=missing))
    with pytest.raises(MissingValueError) as theirs:
        evaluated(frame)
    with pytest.raises(MissingValueError) as ours:
        evaluated(framed(frame))
    assert str(ours.value) == str(theirs.value)
    with pytest.raises(LabelError, match="labels must be two classes, got more: 0, 1, 2"):
        evaluated(framed(frame.assign(y=np.arange(N) % 3, a=0, b=0)))


def test_nothing_runs_before_the_passes_and_each_runs_once() -> None:
    read = []

    def part(place: int) -> pd.DataFrame:
        read.append(place)
        return FRAME.iloc[place * 2000 : place * 2000 + 2000]

    frame = dd.from_map(part, range(3), meta=FRAME.iloc[:0])
    with dask.config.set(scheduler="sync"), Runs() as runs:
        with pytest.raises(ColumnNotFoundError, match="no column 'c'"):
            hc.evaluate("y", ["a", "c"], data=frame)
        with pytest.raises(ParameterError, match="is the name of a column"):
            hc.evaluate("y", ["a"], data=frame, sample_weight=FRAME["w"])
        assert (runs.count, read) == (0, [])
        found = hc.evaluate("y", ["a", "b"], data=frame, metrics=["ap", "auc"])
        assert (runs.count, sorted(read)) == (2, [0, 0, 1, 1, 2, 2])
        found.covariance()
        found.compare("a", "b", "ap", method="delta")
        assert runs.count == 3


def test_arrays_of_any_chunks(cluster: LocalCluster) -> None:
    wanted = hc.evaluate(Y, {"a": FRAME["a"], "b": FRAME["b"]}, metrics=METRICS, sample_weight=FRAME["w"])
    y, a, b = (da.from_array(FRAME[name].to_numpy(), chunks) for name, chunks in [("y", 900), ("a", 1500), ("b", 77)])
    weights = FRAME["w"].to_numpy()
    for given in (weights, da.from_array(weights, 4000)):
        same(hc.evaluate(y, {"a": a, "b": b}, metrics=METRICS, sample_weight=given), wanted)
    unknown = [values.rechunk(1500)[da.from_array(Y, 1500) >= 0] for values in (y, a, b)]
    assert np.isnan(unknown[0].chunks[0][0])
    found = hc.evaluate(unknown[0], {"a": unknown[1], "b": unknown[2]}, metrics=METRICS)
    same(found, evaluated(FRAME))
    series = framed(FRAME)
    same(hc.evaluate(series["y"], {"a": series["a"], "b": series["b"]}, metrics=METRICS), evaluated(FRAME))
    # labels in memory beside scores that Dask predicts
    same(hc.evaluate(Y, {"a": a, "b": b}, metrics=METRICS), evaluated(FRAME))
    assert hc.compare(y, a, b, metric="ap").pvalue == pytest.approx(
        hc.compare(Y, FRAME["a"], FRAME["b"], metric="ap").pvalue, rel=1e-12
    )


def test_arrays_that_do_not_fit() -> None:
    y, a = da.from_array(Y, 1500), da.from_array(FRAME["a"].to_numpy(), 1500)
    some = a[a > 0]
    with pytest.raises(LengthMismatchError, match=r"y_true has 6,000 values and score 'a' has 5,999"):
        hc.evaluate(y, {"a": a[1:]})
    with pytest.raises(InputError, match=r"score 'a' of Dask has 2 dimensions instead of 1: pass column 1"):
        hc.evaluate(y, {"a": da.stack([a, a], axis=1)})
    with pytest.raises(InputError, match=r"score 'a' has 7 chunks and y_true has 4 of unknown sizes"):
        hc.evaluate(y, {"a": da.from_array(FRAME["a"].to_numpy(), 900)[a.rechunk(900) > 0]})
    with pytest.raises(InputError, match=r"y_true is in memory and score 'a' has 4 of unknown sizes"):
        hc.evaluate(Y, {"a": some})
    with pytest.raises(LengthMismatchError):
        hc.evaluate(y, {"a": some})
    with pytest.raises(InputError, match="series of Dask have different indexes"):
        hc.evaluate(framed(FRAME)["y"], {"a": framed(FRAME[::-1])["a"]})
    with pytest.raises(InputError, match="pass the frame as data"):
        hc.evaluate(framed(FRAME)["y"], {"a": framed(FRAME)[["a", "b"]]})


ELSEWHERE: dict[str, Callable[[Any, Any], Any]] = {
    "table": lambda y, a: hc.HitTable.from_scores(y, a),
    "curve": lambda y, a: hc.roc_curve(y, a),
    "metric": lambda y, a: hc.metric("ap")(y, a),
    "weights": lambda y, a: hc.evaluate(Y, {"a": SCORES[:, 0]}, sample_weight=a),
    "screen": lambda y, a: hc.screen(framed(FRAME[["y", "a", "b"]]), "y"),
    "subgroups": lambda y, a: evaluated(FRAME).gap("auc", ranker="a", by=framed(FRAME)["country"]),
}


@pytest.mark.parametrize("door", ELSEWHERE)
def test_what_needs_memory_does_not_fetch_the_rows(door: str) -> None:
    y, a = da.from_array(Y, 1500), da.from_array(FRAME["a"].to_numpy(), 1500)
    with Runs() as runs, pytest.raises(InputError, match=r"data of Dask stay where they are .* by compute\(\)"):
        ELSEWHERE[door](y, a)
    assert runs.count == 0


def die(frame: pd.DataFrame, folder: str, times: int) -> pd.DataFrame:
    """End the worker that has row 2500, so many times."""
    if 2500 in frame.index:
        before = len(list(Path(folder).iterdir()))
        if before < times:
            (Path(folder) / str(before)).touch()
            os._exit(1)
    return frame


def test_a_worker_that_is_killed_changes_nothing(tmp_path: Path, cluster: LocalCluster) -> None:
    frame = framed(FRAME).map_partitions(die, str(tmp_path), 1, meta=FRAME.iloc[:0])
    with Client(cluster):
        same(evaluated(frame), evaluated(FRAME))
    assert len(list(tmp_path.iterdir())) == 1


def test_a_partition_that_kills_every_worker_is_one_sentence(tmp_path: Path, cluster: LocalCluster) -> None:
    frame = framed(FRAME).map_partitions(die, str(tmp_path), 99, meta=FRAME.iloc[:0])
    with Client(cluster) as client:
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 1))
        with pytest.raises(EngineError, match=r"^Dask failed: workers died one after another .*repartition"):
            evaluated(frame)
        deadline = time.monotonic() + 20
        while len(client.scheduler_info()["workers"]) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)


def fail(frame: pd.DataFrame) -> pd.DataFrame:
    raise FileNotFoundError(f"no file part-{len(frame)}.parquet\nsecond line")


@pytest.mark.parametrize("name", ["threads", "cluster"])
def test_what_fails_in_the_graph_is_one_sentence(name: str, cluster: LocalCluster) -> None:
    frame = framed(FRAME, 3000).map_partitions(fail, meta=FRAME.iloc[:0])
    with scheduler(name, cluster), pytest.raises(EngineError) as refused:
        evaluated(frame)
    assert str(refused.value) == "Dask failed: FileNotFoundError: no file part-3000.parquet second line"


def test_persisted_partitions_go_with_their_client() -> None:
    quiet: dict[str, Any] = {"processes": False, "n_workers": 1, "dashboard_address": "127.0.0.1:0"}
    with Client(**quiet):
        found = hc.evaluate("y", ["a", "b"], data=dd.from_pandas(FRAME, npartitions=3).persist(), metrics="ap")
    with pytest.raises(EngineError, match="partitions that were persisted are gone"):
        found.covariance()
    with Client(**quiet), pytest.raises(EngineError, match="partitions that were persisted are gone"):
        found.covariance()


def test_few_positives_are_compared_without_their_rows() -> None:
    few = FRAME[:350].rename(columns={"a": 1})
    found = hc.evaluate("y", [1, "b"], data=dd.from_pandas(few, npartitions=3), metrics="ap")
    test, swapped = (one.compare("1", "b", "ap") for one in (found, hc.evaluate("y", [1, "b"], data=few, metrics="ap")))
    assert (test.method, swapped.method) == ("delta", "swap-permutation")
    assert test.difference.value == swapped.difference.value
    assert any("swap-permutation could not be used" in caution for caution in test.cautions)


def test_a_ranker_is_named_once() -> None:
    with pytest.raises(ParameterError, match="ranker 'a' is named twice"):
        hc.evaluate("y", ["a", "a"], data=dd.from_pandas(FRAME, npartitions=3))


def test_grids_are_sent_without_what_is_worked_out_of_them() -> None:
    scores = np.unique(RNG.normal(size=20_000))
    grid, stack = Grid(scores), GridStack.alike(scores, 1)
    before = len(pickle.dumps(grid)), len(pickle.dumps(stack))
    grid.rows_of(RNG.normal(size=1_000_000))
    _ = stack.whole._buckets, stack.code
    assert grid._made is not None
    assert (len(pickle.dumps(grid)), len(pickle.dumps(stack))) == before
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(grid)).rows_of(scores), grid.rows_of(scores))
