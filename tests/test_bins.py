"""Evaluations in bins: exact values lie in the brackets, and bins come where positives have too many scores."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve import bins
from hitcurve._threads import processors
from hitcurve.bins import Binned, ends_of_bins
from hitcurve.errors import HitcurveError, HitcurveWarning, InsufficientDataError, ParameterError
from hitcurve.evaluation.passes import counting, limits
from hitcurve.sources import ReadOnce, arrays
from hitcurve.sources.files import batches as reader
from tests.metrics_under_test import METRICS
from tests.shell import Shell, shell

__all__ = ["shell"]
RNG = np.random.default_rng(24)
N = 4000
Y = (RNG.random(N) < 0.3).astype(int)
A = RNG.normal(size=N) + Y
DATA = {"y": Y, "a": A, "b": A + RNG.normal(size=N), "w": 1 + RNG.integers(0, 4, N) / 4, "g": RNG.integers(0, 3, N)}
SCORES: dict[str, Any] = {
    "floats": A,
    "singles": A.astype(np.float32),
    "whole": np.rint(1e6 * A).astype(np.int64),
    "unsigned": (np.uint64(2**63) + np.rint(1e6 * A).astype(np.int64).astype(np.uint64)),
    "infinite": np.where(A > 3, np.inf, np.where(A < -2, -np.inf, A)),
}


def _tables(ev: Any) -> list[Any]:
    return list(ev.tables.values())


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bins") / "all.parquet"
    pq.write_table(pa.table(DATA), path)
    return path


@pytest.mark.parametrize("bins", [1, 7, 300])
@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.filterwarnings(f"ignore::{HitcurveWarning.__module__}.HitcurveWarning")
def test_values_without_ties_lie_in_the_brackets(kind: str, bins: int) -> None:
    scores, some = SCORES[kind], np.arange(0, N, 4)
    exact = hc.HitTable.from_scores(Y[some], scores[some])
    if kind == "infinite":  # strict, so that each metric has one value
        exact = exact.best_ties()
    held = hc.evaluate(Y[some], {"a": scores[some]}, bins=bins, metrics="auc").tables["a"]
    for metric in METRICS:
        value = metric.value(exact)
        ends = sorted(metric.value(order) for order in (held.worst_ties(), held.best_ties()))
        assert ends[0] - 1e-12 <= value <= ends[1] + 1e-12, str(metric)


@pytest.mark.parametrize("kind", SCORES)
def test_a_bin_stands_for_its_scores(kind: str) -> None:
    scores = SCORES[kind]
    source = arrays(Y, {"a": scores})
    ends = ends_of_bins(source, 20)
    found = Binned(source, ends).reduce(lambda block: block, lambda a, b: a).scores["a"]
    assert found.dtype == scores.dtype
    place = np.searchsorted(ends["a"], scores, "right") - 1
    above = place >= 0
    np.testing.assert_array_equal(found[above], ends["a"][place[above]])
    assert above.all() == (kind == "infinite")  # a positive has the lowest score
    assert np.all(found[~above] < ends["a"][0])


@pytest.mark.parametrize("parts", [1, 1 << 18])
def test_a_search_for_ends_holds_buckets_in_proportion_to_the_bins(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    held = []
    made = bins._Buckets.of

    def count(*given: Any) -> Any:
        found = made(*given)
        held.append(found.low.size)
        return found

    monkeypatch.setattr(bins._Buckets, "of", count)
    monkeypatch.setattr(bins, "_FEWEST_PARTS", parts)
    n = 100_000
    scores = np.sort(1000 + np.random.default_rng(3).random(n))  # all have the same leading bits
    ends = ends_of_bins(arrays(np.append(np.ones(n, int), 0), {"a": np.append(scores, 0.0)}), 40)["a"]
    own = np.diff(np.append(np.searchsorted(scores, ends), n))
    assert ends.size == 40
    assert own.min() > 0.8 * n / 40
    assert own.max() < 1.2 * n / 40
    assert (max(held) <= 64 * 40) == (parts == 1)


def test_nothing_is_below_the_lowest_score_of_its_type() -> None:
    source = arrays([1, 0, 1, 0], {"a": np.array([-128, -128, 5, 7], np.int8)})
    found = Binned(source, ends_of_bins(source, 2)).reduce(lambda block: block, lambda a, b: a).scores["a"]
    assert found.tolist() == [-128, -128, 5, 5]


@pytest.mark.parametrize("chunk", [1, 7, 10**6])
def test_files_and_chunks_have_the_bins_of_memory(chunk: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {name: values[:300] for name, values in DATA.items()}
    pq.write_table(pa.table(small), path.with_name("small.parquet"))
    monkeypatch.setattr(reader, "_ROWS", chunk)
    options: dict[str, Any] = {"bins": 20, "metrics": "auc"}
    found = hc.evaluate("y", ["a", "b"], data=path.with_name("small.parquet"), **options)
    wanted = hc.evaluate("y", ["a", "b"], data=small, **options)
    assert _tables(found) == _tables(wanted)
    assert found.compare("a", "b", "auc").pvalue == pytest.approx(wanted.compare("a", "b", "auc").pvalue, rel=1e-9)


def test_fine_bins_compare_as_exact_scores_do(path: Path) -> None:
    exact, held = (hc.evaluate("y", ["a", "b"], data=path, metrics=["ap", "auc"], bins=b) for b in (None, 600))
    for metric in ("ap", "auc"):
        ours, theirs = (ev.compare("a", "b", metric, method="delta") for ev in (held, exact))
        assert ours.paired
        assert ours.difference.value == pytest.approx(theirs.difference.value, abs=1e-3)
        assert ours.difference.standard_error == pytest.approx(theirs.difference.standard_error, rel=0.01)


def _between(test: hc.Comparison) -> tuple[float, float]:
    (said,) = [text for text in test.cautions if "without bins" in text]
    numbers = [float(x) for x in re.findall(r"[0-9]+\.[0-9]+(?:e-[0-9]+)?", said.partition("standard error is ")[2])]
    return (0.0, *numbers)[-2:]  # type: ignore[return-value]


@pytest.mark.slow
@pytest.mark.filterwarnings(f"ignore::{HitcurveWarning.__module__}.HitcurveWarning")
@pytest.mark.parametrize(("noise", "bins"), [(0.3, 100), (0.01, 20)])
def test_exact_standard_errors_of_differences_lie_in_the_brackets(noise: float, bins: int) -> None:
    some = slice(0, 1000)
    data: Any = {"y": Y[some], "a": A[some], "b": (A + noise * np.random.default_rng(5).normal(size=N))[some]}
    exact, held = (hc.evaluate("y", ["a", "b"], data=data, metrics=METRICS, bins=b) for b in (None, bins))
    compared = 0
    for metric in METRICS:
        try:
            wanted = exact.compare("a", "b", metric, method="delta").difference.standard_error
            test = held.compare("a", "b", metric, method="delta")
        except HitcurveError:
            continue
        compared += 1
        low, high = _between(test)
        assert low * (1 - 1e-3) <= wanted <= high * (1 + 1e-3), str(metric)
        assert low <= test.difference.standard_error * (1 + 1e-3), str(metric)
    assert compared > len(METRICS) / 2
    test = held.compare("a", "b", "auc", method="delta")
    again = hc.from_json(text=held.without_data().to_json())
    assert isinstance(again, hc.Evaluation)
    assert again.compare("a", "b", "auc", method="delta").cautions == test.cautions
    assert not exact.compare("a", "b", "auc", method="delta").cautions


def test_differences_within_bins_are_refused() -> None:
    held = hc.evaluate(Y, {"a": A, "b": 2 * A}, bins=7, metrics="auc")
    with pytest.raises(
        InsufficientDataError, match=r"within the same bins.*from 7 bins of a and b.*more bins \(bins, --bins\)"
    ):
        held.compare("a", "b", "auc")


def test_brackets_of_weights_and_of_clusters() -> None:
    options: dict[str, Any] = {"data": DATA, "metrics": "auc"}
    for extra in ({"sample_weight": "w"}, {"clusters": "c"}):
        data = DATA | {"c": np.arange(N) // 2}
        exact, held = (
            hc.evaluate("y", ["a", "b"], **options | extra | {"data": data, "bins": b}).compare("a", "b", "auc")
            for b in (None, 50)
        )
        if "clusters" in extra:
            assert held.cautions[0].endswith("see whether more bins move them")
            continue
        low, high = _between(held)
        assert low < exact.difference.standard_error < high
        assert high < 1.2 * low


def test_too_many_scores_are_binned_and_that_is_noted(path: Path) -> None:
    positives = int(Y.sum())
    exact = hc.evaluate("y", ["a", "b"], data=path, metrics="auc", max_grid=positives)
    assert _tables(exact) == _tables(hc.evaluate("y", ["a", "b"], data=path, metrics="auc"))
    assert not exact.notes
    options: dict[str, Any] = {"metrics": ["auc", "prg_area"]}
    held = hc.evaluate("y", ["a", "b"], data=path, max_grid=positives - 1, **options)
    wanted = hc.evaluate("y", ["a", "b"], data=DATA, bins=positives - 1, **options)
    assert _tables(held) == _tables(wanted)
    assert f"more than {positives - 1:,} distinct scores (max_grid)" in held.notes[0]
    assert "prg_area needs all rows at once" in held.notes[0]
    low, high = sorted(held["a", "auc"].tie_range or ())
    assert low <= exact["a", "auc"].value <= high


def test_only_rankers_with_too_many_scores_are_binned(tmp_path: Path) -> None:
    data = {"y": Y, "a": A, "few": np.round(A, 1)}
    pq.write_table(pa.table(data), tmp_path / "t.parquet")
    found = hc.evaluate("y", ["a", "few"], data=tmp_path / "t.parquet", metrics="auc", max_grid=200)
    assert found.tables["few"] == hc.evaluate(Y, {"few": data["few"]}, metrics="auc").tables["few"]
    assert found.tables["a"] == hc.evaluate(Y, {"a": A}, metrics="auc", bins=200).tables["a"]
    assert not any("scores of few" in note for note in found.notes)


def test_the_memory_limit_is_obeyed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_OF_PROGRAMS", 2**28)
    held = hc.evaluate("y", ["a", "b"], data=path, metrics="auc", memory_limit="384 MiB")
    source: Any = held.source
    assert source._rows("SELECT current_setting('memory_limit'), current_setting('threads')") == [
        ("64.0 MiB", min(2, processors()))
    ]
    monkeypatch.setattr(limits, "_BYTES", 2**27 // 2 // 500)
    held = hc.evaluate("y", ["a", "b"], data=path, metrics="auc", memory_limit="384 MiB")
    assert "more than 500 distinct scores (memory_limit)" in held.notes[0]


def test_weights_have_no_bracket(path: Path) -> None:
    held = hc.evaluate("y", ["a"], data=path, metrics="auc", sample_weight="w", bins=50)
    exact = hc.evaluate("y", ["a"], data=path, metrics="auc", sample_weight="w")
    assert held["a", "auc"].value == pytest.approx(exact["a", "auc"].value, abs=0.01)
    assert held["a", "auc"].tie_range is None
    assert "sums of weights do not say" in held.notes[-1]


@pytest.mark.parametrize(
    ("given", "options", "why"),
    [
        ("file", {"bins": 0}, "bins must be a whole number of at least 1"),
        ("file", {"bins": 2**21}, "bins must be at most"),
        ("file", {"bins": 5, "max_grid": 7}, "bins and max_grid cannot be combined"),
        (
            "file",
            {"memory_limit": "1 MB"},
            "at least 320 MB, of which .* 270, such as '4GB', got '1 MB'",
        ),
        ("file", {"memory_limit": True}, "memory_limit must be a size"),
        ("file", {"memory_limit": "1.2.3GB"}, "memory_limit must be a size"),
        ("file", {"bins": 5, "by": "g"}, "bins is for rankers of one list, not for groups"),
        ("memory", {"memory_limit": "4"}, "memory_limit must be a size"),
    ],
)
def test_refusals(given: str, options: dict[str, Any], why: str, path: Path) -> None:
    with pytest.raises(ParameterError, match=why):
        hc.evaluate("y", "a", data=path if given == "file" else DATA, **options)


def test_data_in_memory_are_counted_exactly(path: Path) -> None:
    found = hc.evaluate("y", ["a"], data=DATA, metrics="auc", max_grid=7, memory_limit="320MB")
    assert _tables(found) == _tables(hc.evaluate("y", ["a"], data=path, metrics="auc"))


def test_limits_hold_for_a_stream_as_for_a_file(path: Path) -> None:
    limits: dict[str, Any] = {"metrics": "auc", "max_grid": 7, "memory_limit": "320MB"}
    found = hc.evaluate("y", ["a"], data=pa.table(DATA).to_reader(), **limits)
    assert _tables(found) == _tables(hc.evaluate("y", ["a"], data=path, **limits))
    assert _tables(found) != _tables(hc.evaluate("y", ["a"], data=path, metrics="auc"))


def test_ready_tables_are_not_binned() -> None:
    with pytest.raises(ParameterError, match="give either tables or labels"):
        hc.evaluate(tables={"a": hc.HitTable.from_scores(Y, A)}, bins=3)


def test_the_command(path: Path, shell: Shell) -> None:
    asked = ("evaluate", path, "--label", "y", "--score", "a", "-m", "auc")
    found = shell(*asked, "--bins", 40)
    assert "scores of a are counted in 40 bins" in found.out
    assert "ties broken" in found.out
    assert "(max_grid)" in shell(*asked, "--max-grid", 100).out
    assert shell(*asked, "--memory-limit", "4GB").out == shell(*asked).out
    for options, why in {("--bins", "3", "--by", "g"): "groups", ("--memory-limit", "x"): "must be a size"}.items():
        refused = shell(*asked, *options)
        assert refused.code == 2
        assert why in refused.err


def test_tables_of_rankers_with_too_many_scores_are_binned(path: Path, tmp_path: Path, shell: Shell) -> None:
    data = {"y": Y, "a": A, "few": np.round(A, 1)}
    found = hc.count_tables("y", ["a", "few"], data=data, max_grid=200)
    assert found["a"] == hc.count_tables("y", "a", data=data, bins=200)["a"]
    assert found["few"] == hc.count_tables("y", "few", data=data)["few"]
    assert "scores of a are counted in 200 bins" in found.notes[0]
    assert hc.count_tables("y", "a", data=data, max_grid=N)["a"].kind == "collapsed"
    done = shell("table", path, "--label", "y", "--score", "a", "--max-grid", 100, "-o", tmp_path / "a.hit")
    assert "binned" in done.out
    for options, why in ({"bins": 5}, "cannot be combined"), ({"by": "few"}, "for rankers of one list"):
        with pytest.raises(ParameterError, match=why):
            hc.count_tables("y", "a", data=data, max_grid=7, **options)


def test_tables_are_made_within_a_memory_limit(
    path: Path, tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[ReadOnce] = []

    def kept(source: Any, memory: int | None = None) -> ReadOnce:
        read.append(ReadOnce(source, memory))
        return read[-1]

    monkeypatch.setattr(counting, "ReadOnce", kept)
    given, limit = 3 << 27, (3 << 27) - limits._OF_PROGRAMS
    every: list[dict[str, Any]] = [{}, {"bins": 40}]
    for how in every:
        exact = hc.count_tables("y", "a", data=path, **how)["a"]
        assert hc.count_tables("y", "a", data=path, memory_limit="384 MiB", **how)["a"] == exact
        assert read[-1].memory == limit
        assert read[-1].whole.memory == limit // 2  # type: ignore[attr-defined]
    monkeypatch.setattr(limits, "_BYTES_IN_A_TABLE", limit // 200)
    more: list[dict[str, Any]] = [{}, {"max_grid": 10_000}]
    for how in more:
        found = hc.count_tables("y", "a", data=path, memory_limit=given, **how)
        assert found["a"] == hc.count_tables("y", "a", data=path, bins=200)["a"]
        assert "scores of a are counted in 200 bins" in found.notes[0]
    assert hc.count_tables("y", "a", data={"y": Y, "a": A}, memory_limit=given)["a"].kind == "collapsed"
    asked = ("table", path, "--label", "y", "--score", "a", "-o", tmp_path / "a.hit", "--memory-limit")
    assert "binned" in shell(*asked, "384MiB").out
    for words, why in (
        (["x"], "must be a size"),
        (["320MB", "--by", "g"], "not for groups"),
        (["1GB", "--full"], "--full"),
    ):
        refused = shell(*asked, *words)
        assert refused.code == 2
        assert why in refused.err


def test_groups_stand_in_the_order_of_their_names() -> None:
    data = {"y": [1, 0, 1, 0, 1, 0], "a": [6, 5, 4, 3, 2, 1], "g": [10, 10, 9, 9, 8, 8]}
    for rows in ("collapsed", "full"):
        found = hc.count_tables("y", "a", data=data, by="g", rows=rows)["a"]
        assert isinstance(found, hc.TableStack)
        assert found.names == ("8", "9", "10"), rows
        assert found["8"].grid is not None
        assert found["8"].grid.tolist() == ([2] if rows == "collapsed" else [2, 1])
    result: dict[str, list[Any]] = {
        "list": [10, 10, 9, 9],
        "cell": [1, 2, 1, 2],
        "score": [6.0, None, 4.0, None],
        "pos": [1, 0, 1, 0],
    }
    result["neg"] = [0, 1, 0, 1]
    result = {name: [*values, last] for (name, values), last in zip(result.items(), (10, -1, None, 0, 0), strict=True)}
    assert hc.TableStack.from_frame(result).names == ("9", "10")


@pytest.mark.parametrize("how", ["evaluate", "count_tables"])
def test_bins_beyond_the_scores_say_that_they_are_not_exact(how: str) -> None:
    data = {"y": Y, "a": A, "few": np.round(A, 1)}
    ask: Any = functools.partial(hc.evaluate, metrics="auc") if how == "evaluate" else hc.count_tables
    of_bins = {note.split()[2]: note for note in ask("y", ["a", "few"], data=data, bins=200).notes}
    assert "fewer than 200 bins" in of_bins["few"]
    assert "exact" not in of_bins["a"]
