"""Parquet that every thread decodes by itself: the same tables and the same refusals as by any other way."""

from __future__ import annotations

import functools
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve import grids
from hitcurve.errors import HitcurveError, UnreadableFileError
from hitcurve.sources import Reading, once
from hitcurve.sources.files import FileSource, row_groups

N = 1200


def subjects(seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(N) < 0.1
    return {"y": y.astype(np.int8), "a": np.round(rng.normal(size=N) + y, 2), "b": rng.integers(0, 50, N) + 9 * y}


def write(path: Path, columns: dict[str, Any], rows: int = 700) -> Path:
    pq.write_table(pa.table(columns), path, row_group_size=rows)
    return path


def decoded(path: Path) -> bool:
    """Whether threads decode the file, instead of DuckDB."""
    return bool(FileSource((path,), "y", ("a", "b"), Reading())._row_groups.pieces)


def check_same(found: hc.Evaluation, memory: hc.Evaluation) -> None:
    """Compare tables and numbers, to the bit."""
    for name, table in memory.tables.items():
        for own, other in zip(found.tables[name].sums, table.sums, strict=True):
            np.testing.assert_array_equal(own, other)
        np.testing.assert_array_equal(found.tables[name].grid, table.grid)
    assert found.tally == memory.tally
    for key in ((name, metric) for name in memory.rankers for metric in memory.metrics):
        assert (found[key].value, found[key].interval) == (memory[key].value, memory[key].interval)


WAYS = ("kept", "positives first", "DuckDB")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One of three ways to read the same file."""
    if request.param == "positives first":
        monkeypatch.setattr(once, "_MOST_BYTES", 0)
    elif request.param == "DuckDB":
        monkeypatch.setattr(row_groups, "_LARGEST", 0)
    return str(request.param)


LABELS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "int8": (lambda y: y, None),
    "booleans": (lambda y: y.astype(bool), None),
    "floats": (lambda y: y.astype(float), None),
    "minus one": (lambda y: 2 * y - 1, None),
    "thirds of 32 bits": (lambda y: (y / 3).astype(np.float32), float(np.float32(1 / 3))),
    "two": (lambda y: y.astype(np.uint16) + 1, 2),
    "zero, from the shell": (lambda y: 1 - y.astype(np.int64), "0"),
    "words": (lambda y: np.where(y == 1, "yes", "no"), None),
}


@functools.cache
def in_memory(labels: str, n: int) -> tuple[hc.Evaluation, str]:
    """Return the evaluation of the first subjects in memory, and a comparison."""
    columns = {name: column[:n] for name, column in subjects().items()}
    make, pos_label = LABELS[labels]
    scores = {name: columns[name] for name in "ab"}
    memory = hc.evaluate(make(columns["y"]), scores, metrics=["ap", "auc"], pos_label=pos_label)
    return memory, str(memory.compare("a", "b", "ap"))


@pytest.mark.slow
@pytest.mark.parametrize("labels", LABELS)
def test_tables_are_those_of_memory(tmp_path: Path, way: str, labels: str) -> None:
    """Any two of a way, of labels and of the size of a row group."""
    few = (WAYS.index(way) + list(LABELS).index(labels)) % 2 == 0
    rows, n = ((1, 300) if labels == "int8" else (7, N)) if few else (10_000, N)
    columns = {name: column[:n] for name, column in subjects().items()}
    make, pos_label = LABELS[labels]
    columns["y"] = make(columns["y"])
    path = write(tmp_path / "x.parquet", columns, rows)
    assert decoded(path) == (way != "DuckDB" and labels != "words")
    found = hc.evaluate("y", ["a", "b"], data=path, metrics=["ap", "auc"], pos_label=pos_label)
    memory, compared = in_memory(labels, n)
    check_same(found, memory)
    assert str(found.compare("a", "b", "ap")) == compared


@pytest.mark.filterwarnings("ignore::hitcurve.errors.MissingValueWarning")
@pytest.mark.parametrize("missing", ["drop", "last"])
def test_missing_scores(tmp_path: Path, way: str, missing: str) -> None:
    columns = subjects()
    gone = np.arange(N) % 17 == 3
    assert columns["y"][gone].any()
    path = write(tmp_path / "x.parquet", {**columns, "b": pa.array(columns["b"], mask=gone)})
    columns["b"] = np.ma.MaskedArray(columns["b"], gone)
    found = hc.evaluate("y", ["a", "b"], data=path, metrics=["ap"], missing=missing)
    memory = hc.evaluate(columns["y"], {name: columns[name] for name in "ab"}, metrics=["ap"], missing=missing)
    check_same(found, memory)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.MissingValueWarning")
@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64, np.float32, bool])
def test_missing_labels(tmp_path: Path, way: str, kind: type) -> None:
    columns = subjects()
    y = np.ma.MaskedArray(columns["y"].astype(kind), np.arange(N) < 705)  # one row group, and more
    assert np.any(columns["y"][y.mask] == 1)
    path = write(tmp_path / "x.parquet", {**columns, "y": pa.array(y.data, mask=y.mask)})
    found = hc.evaluate("y", ["a", "b"], data=path, metrics=["ap"], missing="drop")
    memory = hc.evaluate(y, {name: columns[name] for name in "ab"}, metrics=["ap"], missing="drop")
    check_same(found, memory)


def test_weights_and_several_files_of_one_type(tmp_path: Path, way: str) -> None:
    parts = [{**subjects(seed), "w": np.random.default_rng(seed).integers(1, 4, N)} for seed in (0, 1)]
    paths = [write(tmp_path / f"{i}.parquet", part) for i, part in enumerate(parts)]
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    found = hc.evaluate("y", ["a", "b"], data=paths, sample_weight="w", metrics=["ap"])
    memory = hc.evaluate(whole["y"], {name: whole[name] for name in "ab"}, sample_weight=whole["w"], metrics=["ap"])
    check_same(found, memory)


def test_types_that_differ_between_files_are_left_to_duckdb(tmp_path: Path) -> None:
    first, second = subjects(0), subjects(1)
    second["a"] = second["a"].astype(np.float32)
    paths = [write(tmp_path / f"{i}.parquet", part) for i, part in enumerate((first, second))]
    found = hc.evaluate("y", ["a", "b"], data=paths, metrics=["ap"])
    y, a, b = (np.concatenate([first[name], second[name].astype(first[name].dtype)]) for name in "yab")
    check_same(found, hc.evaluate(y, {"a": a, "b": b}, metrics=["ap"]))


def test_names_with_dots_and_columns_inside_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once, "_MOST_BYTES", 0)
    columns = subjects()
    dotted = {"y": columns["y"], "a": columns["a"], "a.b": -columns["a"], "b": columns["b"]}
    inside = pa.array([{"b": one} for one in columns["b"].tolist()])
    for name, of in {"dots": dotted, "inside": {**columns, "c": inside}}.items():
        path = write(tmp_path / f"{name}.parquet", of)
        assert decoded(path)
        found = hc.evaluate("y", ["a"], data=path, metrics=["ap"])
        check_same(found, hc.evaluate(columns["y"], {"a": columns["a"]}, metrics=["ap"]))
    found = hc.evaluate("y", ["a.b"], data=tmp_path / "dots.parquet", metrics=["ap"], higher_is_better=False)
    assert found["a.b", "ap"].value == hc.evaluate(columns["y"], {"a": columns["a"]}, metrics=["ap"])["a", "ap"].value


def refusal(do: Callable[[], Any]) -> str:
    with pytest.raises(HitcurveError) as caught:
        do()
    return f"{type(caught.value).__name__}: {caught.value}"


BAD: dict[str, tuple[str, Callable[[dict[str, Any]], None]]] = {
    "a missing score of a negative": (
        "MissingValueError: 1 of 1200 values of score 'a' are missing",
        lambda c: c["a"].__setitem__(int(np.flatnonzero(c["y"] == 0)[-1]), np.nan),
    ),
    "missing scores of all positives": (
        "MissingValueError: {pos} of 1200 values of score 'a' are missing",
        lambda c: c["a"].__setitem__(c["y"] == 1, np.nan),
    ),
    "a third label": ("LabelError: labels must be two classes, got more: 0, 1, 2", lambda c: c["y"].__setitem__(-1, 2)),
    "nobody positive": ("SingleClassError: ", lambda c: c["y"].fill(0)),
    "nobody negative": ("SingleClassError: ", lambda c: c["y"].fill(1)),
    "no known pair": ("LabelError: labels are 1, 2", lambda c: c["y"].__iadd__(1)),
}


@pytest.mark.parametrize("case", BAD)
def test_refusals(tmp_path: Path, way: str, case: str) -> None:
    said, spoil = BAD[case]
    columns = subjects()
    pos = int(columns["y"].sum())
    spoil(columns)
    path = write(tmp_path / "x.parquet", columns)
    assert refusal(lambda: hc.evaluate("y", ["a", "b"], data=path, metrics=["ap"])).startswith(said.format(pos=pos))


@pytest.mark.parametrize("column", ["a", "y"])
def test_a_file_that_is_damaged_between_two_row_groups(tmp_path: Path, way: str, column: str) -> None:
    path = write(tmp_path / "x.parquet", subjects())
    group = pq.read_metadata(path).row_group(1)
    place = next(group.column(i) for i in range(3) if group.column(i).path_in_schema == column)
    with path.open("r+b") as file:
        file.seek(place.dictionary_page_offset or place.data_page_offset)
        file.write(b"\xff" * 64)
    assert refusal(lambda: hc.evaluate("y", ["a", "b"], data=path, metrics=["ap"])).startswith(
        "UnreadableFileError: x.p"
    )


def test_a_page_that_is_not_what_its_checksum_says(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table(subjects()), path, compression="none", use_dictionary=False, write_page_checksum=True)
    assert decoded(path)
    content = bytearray(path.read_bytes())
    place = next(c for c in map(pq.read_metadata(path).row_group(0).column, range(3)) if c.path_in_schema == "b")
    content[place.data_page_offset + place.total_compressed_size - 8] ^= 1  # a score is another then
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match=r"x\.parquet is damaged: a page of 'b' is not what its checksum"):
        hc.evaluate("y", ["a", "b"], data=path, metrics=["ap"])


@pytest.mark.parametrize("how", ["other values", "a third label", "cut off", "gone", "no table"])
def test_a_file_that_is_replaced_between_two_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setattr(once, "_MOST_BYTES", 0)
    path = write(tmp_path / "x.parquet", subjects())
    whole = FileSource.reduce_positives

    def then_replaced(self: FileSource, *args: Any) -> Any:
        found = whole(self, *args)
        if how == "gone":
            path.unlink()
        elif how == "cut off":
            os.truncate(path, path.stat().st_size // 2)
        elif how == "no table":
            path.write_text("y,a\n")
        else:
            other = subjects(1)
            other["y"][5] = 2 if how == "a third label" else 0
            write(path, other, 500)
        return found

    monkeypatch.setattr(FileSource, "reduce_positives", then_replaced)
    with pytest.raises(HitcurveError) as caught:
        hc.evaluate("y", ["a", "b"], data=path, metrics=["ap"])
    assert isinstance(caught.value, UnreadableFileError)
    assert "x.parquet" in str(caught.value)
    assert how == "gone" or "changed while it was read" in str(caught.value)


def test_positives_held_at_a_time_are_as_few_as_the_memory_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_groups, "_BLOCK", 10)
    monkeypatch.setattr(row_groups, "_FEWEST", 1)
    path = write(tmp_path / "x.parquet", subjects(), 100)
    width = 8 + 8 + 8  # of a label, as of all that is computed with, however short it is

    def held(memory: int | None) -> int:
        found = row_groups.RowGroups.of([path], ["y", "a", "b"], {"a": "DOUBLE", "b": "BIGINT"}, memory)
        return max(int(batch.num_rows) for read in found._read(1.0) for batch, _ in read())

    assert held(None) > 30
    assert 20 < held(30 * width * row_groups._COPIES) <= 30  # by one thread, of so little


def test_row_groups_are_decoded_page_by_page(tmp_path: Path) -> None:
    size = 250_000
    path = tmp_path / "x.parquet"
    columns = {"y": np.arange(8 * size) % 2, "a": np.random.default_rng(5).normal(size=8 * size)}
    pq.write_table(pa.table(columns), path, row_group_size=size)
    found = row_groups.RowGroups.of([path], ["y", "a"], {"a": "DOUBLE"})
    before = pa.total_allocated_bytes()
    most = max(pa.total_allocated_bytes() - before for groups in found.pieces for _ in found._decoded(groups))
    assert most < 8 * size * 8 / 2  # of one column of one thread; all row groups that are asked for take more


@pytest.mark.parametrize("there", [True, False])
def test_whether_a_column_has_a_score_is_read_beside_the_rows(tmp_path: Path, there: bool) -> None:
    columns = {**subjects(), "c": pa.nulls(N, pa.float64())}
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=700, write_statistics=there)
    source = FileSource((path,), "y", ("a", "b"), Reading())
    assert source._files[0].format.filled == (frozenset("yab") if there else frozenset())
    with pytest.raises(HitcurveError, match="no rows with a value of 'c'"):
        FileSource((path,), "y", ("c",), Reading())


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("labelled", ["plain", "weights"])
@pytest.mark.parametrize("piece", [1, 500])
def test_chunks_with_fewer_subjects_than_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labelled: str, piece: int
) -> None:
    monkeypatch.setattr(grids, "_LONG", 0)
    monkeypatch.setattr(once, "_MOST_BYTES", 0)
    monkeypatch.setattr(row_groups, "_ROWS", 1)
    monkeypatch.setattr(row_groups, "_BLOCK", 100)
    monkeypatch.setattr(row_groups, "_PIECE", piece)
    columns = {**subjects(), "w": np.random.default_rng(2).integers(1, 4, N)}
    columns["b"] = np.minimum(np.arange(N), 2)  # one cell of more than 255 subjects, counted in chunks of fewer
    weight = "w" if labelled == "weights" else None
    path = write(tmp_path / "x.parquet", columns, 200)
    found = hc.evaluate("y", ["a", "b"], data=path, metrics=["ap", "auc"], sample_weight=weight)
    given = None if weight is None else columns[weight]
    scores = {name: columns[name] for name in "ab"}
    check_same(found, hc.evaluate(columns["y"], scores, metrics=["ap", "auc"], sample_weight=given))
    assert found.tables["b"].sums.pos.dtype.itemsize == 8


def test_blocks_with_weights_are_added_as_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_groups, "_BLOCK", 1000)
    monkeypatch.setattr(once, "_MOST_BYTES", 0)
    n = 60_000
    rng = np.random.default_rng(2)
    y = rng.random(n) < 0.3
    columns = {"y": y, "a": rng.normal(size=n) + y, "w": rng.choice([1.0, 2.5], n)}
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table(columns), path)
    tracemalloc.start()
    try:
        ev = hc.evaluate("y", "a", data=path, sample_weight="w", metrics="auc")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = sum(getattr(ev.tables["a"], name).nbytes for name in ("pos", "neg", "pos_squares", "neg_squares"))
    assert peak < 30 * size  # of 60 blocks, each of which has as many rows
