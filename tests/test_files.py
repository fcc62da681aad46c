"""Files are what they hold: every format, compression and chunk gives the numbers of the same data in memory."""

from __future__ import annotations

import csv
import errno
import gzip
import io
import json
import math
import os
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from importlib import import_module
from itertools import pairwise
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather
from typer.main import get_group

import hitcurve as hc
from hitcurve._progress import ROWS
from hitcurve.cli.app import app
from hitcurve.errors import (
    EmptyInputError,
    LabelError,
    MissingValueError,
    ParameterError,
    UnreadableFileError,
    WeightError,
)
from hitcurve.evaluation import Evaluation, evaluate_groups, evaluate_source
from hitcurve.metrics import metrics
from hitcurve.sources import Reading, once
from hitcurve.sources.files import FileSource, Join, batches, duck, read_columns
from tests.shell import Shell

METRICS = ("ap", "auc", "bedroc(alpha=5)", "croc(exp, alpha=7)", "ef@10%", "slr")
Table = dict[str, list[Any]]


# ---- ways to write a table


def as_csv(table: Table, delimiter: str = ",", end: str = "\n", mark: str = "") -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))  # floats as repr, None as nothing
    return (mark + out.getvalue()).encode()


def as_lines(table: Table, end: str = "\n") -> bytes:
    return "".join(json.dumps(row) + end for row in as_objects(table)).encode()


def as_objects(table: Table) -> list[dict[str, Any]]:
    # a missing value is null or no key at all
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return [{key: value for key, value in row.items() if value is not None or i % 2} for i, row in enumerate(rows)]


def as_parquet(table: Table | pa.Table, **options: Any) -> bytes:
    out = pa.BufferOutputStream()
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), out, **options)
    return bytes(out.getvalue().to_pybytes())


def as_arrow(
    table: Table | pa.Table, *, stream: bool = False, compression: str | None = None, rows: int = 333
) -> bytes:
    out = pa.BufferOutputStream()
    content = table if isinstance(table, pa.Table) else pa.table(table)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(out, content.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(content, max_chunksize=rows)
    return bytes(out.getvalue().to_pybytes())


def as_feather(table: Table | pa.Table) -> bytes:
    out = pa.BufferOutputStream()
    content = table if isinstance(table, pa.Table) else pa.table(table)
    feather.write_feather(content, out, compression="lz4", chunksize=100)
    return bytes(out.getvalue().to_pybytes())


def in_codes(table: Table) -> pa.Table:
    """Words as dictionaries, of which every batch has its own."""
    words = {name for name, values in table.items() if any(isinstance(value, str) for value in values)}
    columns = {name: pa.array(values) for name, values in table.items()}
    return pa.table({name: c.dictionary_encode() if name in words else c for name, c in columns.items()})


def by_polars(table: Table) -> bytes:
    """What another library writes: views of words, zstd."""
    out = io.BytesIO()
    pl.DataFrame(table).write_ipc(out, compression="zstd")
    return out.getvalue()


def zstd(content: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as packed:
        packed.write(content)
    return bytes(out.getvalue().to_pybytes())


def members(content: bytes) -> bytes:
    """Several gzip members one after another, as log files have them."""
    return b"".join(gzip.compress(content[i : i + 5000]) for i in range(0, len(content), 5000))


FORMS: dict[str, tuple[str, Callable[[Table], bytes]]] = {
    "csv": ("t.csv", as_csv),
    "semicolons, Windows line ends": ("t.csv", lambda t: as_csv(t, ";", "\r\n")),
    "old Macintosh line ends": ("t.csv", lambda t: as_csv(t, end="\r")),
    "tabs": ("t.tsv", lambda t: as_csv(t, "\t")),
    "bars, a byte order mark": ("t.txt", lambda t: as_csv(t, "|", mark="\ufeff")),
    "csv.gz": ("t.csv.gz", lambda t: gzip.compress(as_csv(t))),
    "csv.gz of several members": ("t.csv.gz", lambda t: members(as_csv(t))),
    "csv.zst": ("t.csv.zst", lambda t: zstd(as_csv(t))),
    "gzip without saying so": ("t.csv", lambda t: gzip.compress(as_csv(t))),
    "plain in spite of saying so": ("t.csv.gz", as_csv),
    "parquet": ("t.parquet", lambda t: as_parquet(t, row_group_size=333)),
    "parquet, zstd": ("t.pq", lambda t: as_parquet(t, compression="zstd", version="1.0")),
    "parquet under another name": ("t.csv", as_parquet),
    "arrow": ("t.arrow", as_arrow),
    "arrow, a stream": ("t.arrows", lambda t: as_arrow(t, stream=True)),
    "arrow, a packed stream": ("t.ipc", lambda t: as_arrow(t, stream=True, compression="zstd")),
    "arrow of dictionaries": ("t.ipc", lambda t: as_arrow(in_codes(t), rows=10**6)),
    "arrow, a stream of dictionaries": ("t.arrow", lambda t: as_arrow(in_codes(t), stream=True)),
    "arrow of polars": ("t.arrow", by_polars),
    "arrow under another name": ("t.csv", lambda t: as_arrow(t, compression="lz4")),
    "feather": ("t.feather", as_feather),
    "jsonl": ("t.jsonl", as_lines),
    "jsonl, Windows line ends, empty lines": ("t.ndjson", lambda t: as_lines(t, "\r\n\r\n")),
    "jsonl.gz": ("t.jsonl.gz", lambda t: gzip.compress(as_lines(t))),
    "jsonl.zst": ("t.jsonl.zst", lambda t: zstd(as_lines(t))),
    "jsonl under another name": ("t.log", as_lines),
    "json array": ("t.json", lambda t: json.dumps(as_objects(t), indent=1).encode()),
}

# one of each format: every law of reading holds in all of them
TYPED: dict[str, Callable[[Any], bytes]] = {
    "parquet": as_parquet,
    "arrow": as_arrow,
    "arrows": lambda t: as_arrow(t, stream=True),
    "feather": as_feather,
}
EACH = ("csv", "tsv", "jsonl", *TYPED)


def as_format(form: str, table: Table) -> bytes:
    written = {"csv": as_csv, "tsv": lambda t: as_csv(t, "\t"), "jsonl": as_lines}
    return {**written, **TYPED}[form](table)


def put(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.fixture(scope="module")
def table() -> Table:
    """Ties, infinities, whole numbers that floats would merge, digits to the last, words as labels."""
    rng = random.Random(20)
    n = 1000
    y = [rng.random() < 0.2 for _ in range(n)]
    infinite = {0: math.inf, 1: -math.inf, 2: math.inf}
    return {
        "note": [f'"{i}", or\n{i};' if i % 3 else "" for i in range(n)],
        "y": ["yes" if positive else "no" for positive in y],
        "a": [infinite.get(i, rng.gauss(0, 1) + positive) for i, positive in enumerate(y)],
        "ties": [rng.randrange(20) + 3 * positive for positive in y],
        "energy": [round(rng.gauss(-7, 1) - positive, 1) for positive in y],
        "big": [2**60 + rng.randrange(300) + 30 * positive for positive in y],
        "w": [rng.choice([0.25, 0.5, 1.0, 2.5]) for _ in range(n)],  # sums of others differ in their last digit
    }


@pytest.fixture(scope="module")
def expected(table: Table) -> Evaluation:
    return in_memory(table)


RANKERS = ("a", "ties", "energy", "big")
DOWN = {"energy": False}


def in_memory(table: Table, rankers: Sequence[str] = RANKERS, weight: str | None = None, **options: Any) -> Evaluation:
    scores = {name: _floats(table[name]) if None in table[name] else table[name] for name in rankers}
    directions = {name: high for name, high in DOWN.items() if name in rankers}
    found: Evaluation = hc.evaluate(
        table["y"],
        scores,
        metrics=METRICS,
        sample_weight=table[weight] if weight else None,
        higher_is_better=directions,
        **options,
    )
    return found


def _floats(values: Sequence[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in values]


def of_files(
    *paths: Path,
    rankers: Sequence[str] = RANKERS,
    label: str | None = "y",
    missing: str = "raise",
    **options: Any,
) -> Evaluation:
    directions = {name: high for name, high in DOWN.items() if name in rankers}
    source = FileSource(paths, label, tuple(rankers), Reading(None, directions, missing), **options)
    return evaluate_source(source, metrics(METRICS), undefined="nan")


class Reads(list[int]):
    """How many rows were read when it was said."""

    def __call__(self, step: str, done: int, count: int) -> None:
        if step == ROWS:
            self.append(done)


def assert_same(seen: Evaluation, expected: Evaluation) -> None:
    assert seen.tables == expected.tables
    found, wanted = ({(e.ranker, str(e.metric)): repr(e.value) for e in each} for each in (seen, expected))
    assert found == wanted


# ---- files equal memory, bit for bit

pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_what_it_holds(form: str, table: Table, expected: Evaluation, tmp_path: Path) -> None:
    name, write = FORMS[form]
    assert_same(of_files(put(tmp_path, name, write(table))), expected)


CHUNKED = ("csv", "parquet", "arrow", "arrow, a packed stream", "jsonl.gz")


@pytest.mark.parametrize(
    ("form", "rows", "passes"),
    # each two of the three
    [(f, rows, 1 + (i + j) % 2) for i, f in enumerate(CHUNKED) for j, rows in enumerate((7, 100, 999, 1000, 1 << 18))],
)
def test_chunks_of_any_size_give_the_same(
    rows: int,
    form: str,
    passes: int,
    table: Table,
    expected: Evaluation,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name, write = FORMS[form]
    path = put(tmp_path, name, write(table))
    monkeypatch.setattr(batches, "_ROWS", rows)
    if passes == 2:
        monkeypatch.setattr(once, "_MOST_BYTES", 10_000)
    read = Reads()
    with hc.progress(read):
        seen = of_files(path)
    assert read.count(0) == passes
    assert read.count(len(table["y"])) == passes
    assert max(np.diff(read)) <= rows
    assert_same(seen, expected)


@pytest.mark.parametrize("form", EACH)
def test_weights(form: str, table: Table, tmp_path: Path) -> None:
    path = put(tmp_path, f"t.{form}", as_format(form, table))
    assert_same(of_files(path, weight="w"), in_memory(table, weight="w", undefined="nan"))


def split(table: Table, parts: int) -> list[Table]:
    n = len(table["y"])
    ends = [n * i // parts for i in range(parts + 1)]
    return [{k: v[start:stop] for k, v in table.items()} for start, stop in pairwise(ends)]


def test_files_of_different_kinds_and_orders_are_one_table(table: Table, tmp_path: Path) -> None:
    parts = split(table, len(FORMS))
    paths: list[Path] = []
    for (name, write), part in zip(FORMS.values(), parts, strict=True):
        names = sorted(part, reverse=len(paths) % 2 == 1)
        paths.append(put(tmp_path, f"{len(paths)}-{name}", write({name: part[name] for name in names})))
    assert_same(of_files(*paths), in_memory(table))


def test_a_wildcard_is_all_its_files(table: Table, tmp_path: Path, shell: Shell) -> None:
    for i, part in enumerate(split(table, 3)):
        put(tmp_path, f"day-{i}.csv", as_csv(part))
    put(tmp_path, "night.csv", "nothing of the kind")
    done = shell("evaluate", tmp_path / "day-*.csv", "-l", "y", "-s", "a", "-m", "ap", "-f", "json")
    assert done.json["results"][0]["value"] == in_memory(table)["a", "ap"].value


@pytest.mark.parametrize("form", ["csv", "tabs", "parquet", "arrow", "feather", "jsonl", "json array"])
@pytest.mark.parametrize("missing", ["drop", "last"])
def test_missing_values_follow_the_same_policy(form: str, missing: str, table: Table, tmp_path: Path) -> None:
    holes = {**table, "a": [None if i % 11 == 0 else v for i, v in enumerate(table["a"])]}
    holes["ties"] = [None if i % 7 == 3 else v for i, v in enumerate(table["ties"])]
    if missing == "drop":
        holes["y"] = [None if i % 13 == 5 else v for i, v in enumerate(table["y"])]
    name, write = FORMS[form]
    seen = of_files(put(tmp_path, name, write(holes)), rankers=("a", "energy"), missing=missing)
    expected = in_memory(holes, ("a", "energy"), missing=missing)
    assert_same(seen, expected)
    assert seen.tally == expected.tally
    # whole numbers with holes stay whole
    path = put(tmp_path, name, write(holes))
    whole = of_files(path, rankers=("ties",), missing=missing).tables["ties"]
    assert whole.grid is not None
    assert whole.grid.dtype == np.int64


ARROW: dict[str, pa.Array] = {
    "float32": pa.array([0.1, 0.2, 0.2, 0.3, -1.5, 7e20], pa.float32()),
    "float16": pa.array(np.array([0.1, 0.2, 0.2, 0.3, -1.5, 7], np.float16)),
    "int8": pa.array([-128, 5, 5, 127, 0, 1], pa.int8()),
    "uint64 to the end": pa.array([2**64 - 1, 2**64 - 2, 5, 5, 0, 1], pa.uint64()),
    "int64 to the end": pa.array([2**63 - 1, 2**63 - 2, -(2**63), 5, 5, 1], pa.int64()),
    "bool": pa.array([True, False, True, False, False, True]),
    "decimal": pa.array([Decimal("1.10"), Decimal("2.25"), Decimal("2.25"), Decimal("-3"), Decimal(0), Decimal(7)]),
    "whole decimal": pa.array([Decimal(2**60 + i) for i in range(6)]),
    "dictionary": pa.array([0.5, 0.25, 0.25, 1.0, 2.0, 3.0]).dictionary_encode(),
    "infinite": pa.array([math.inf, -math.inf, 0.0, -0.0, math.inf, 1.0]),
}


@pytest.mark.parametrize("kind", ARROW)
@pytest.mark.parametrize("form", TYPED)
def test_types_of_columns(form: str, kind: str, tmp_path: Path) -> None:
    y = [True, False, True, False, False, True]
    path = put(tmp_path, f"t.{form}", TYPED[form](pa.table({"y": y, "a": ARROW[kind]})))
    column = ARROW[kind]
    if kind == "decimal":
        column = column.cast(pa.float64())
    if kind == "whole decimal":
        column = column.cast(pa.int64())
    if kind == "float16":
        column = column.cast(pa.float32())
    expected = hc.evaluate(y, {"a": column}, metrics=METRICS)
    assert_same(of_files(path, rankers=("a",)), expected)


LABELS: dict[str, tuple[pa.Array, str | None]] = {
    "bool": (pa.array([True, False, True, False]), None),
    "int8": (pa.array([1, 0, 1, 0], pa.int8()), None),
    "float": (pa.array([1.0, 0.0, 1.0, 0.0]), None),
    "two and one": (pa.array([2, 1, 2, 1]), "2"),
    "decimal": (pa.array([Decimal("1.0"), Decimal("0.0"), Decimal("1.0"), Decimal("0.0")]), None),
    "words": (pa.array(["Active", "inactive", "Active", "inactive"]), None),
    "dictionary": (pa.array(["yes", "no", "yes", "no"]).dictionary_encode(), None),
    "numbers as words": (pa.array(["1", "0", "1", "0"]), None),
    "words with zeros": (pa.array(["b", "007", "b", "007"]), "b"),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("form", EACH)
def test_labels_of_any_type(kind: str, form: str, tmp_path: Path) -> None:
    column, positive = LABELS[kind]
    frame: Table = {"y": column.to_pylist(), "a": [4, 2, 3, 1]}
    if form == "jsonl":
        frame["y"] = [float(v) if isinstance(v, Decimal) else v for v in frame["y"]]
    content = TYPED[form](pa.table({"y": column, "a": frame["a"]})) if form in TYPED else as_format(form, frame)
    source = FileSource((put(tmp_path, f"t.{form}", content),), "y", ("a",), Reading(positive))
    assert evaluate_source(source, metrics("auc"), pos_label=positive)["a", "auc"].value == 1


SPELLINGS = [
    *["+4", "1.", ".5", "1e5", " 3 ", "Infinity", "-inf", "+INF", "1e-320", "-0", "007", "\t8", "1E+05"],
    *["0.1234567890123456789012345", "9007199254740993.0", "2.2250738585072011e-308", "179769313486231570000e288"],
]


def test_numbers_are_read_to_the_last_digit(tmp_path: Path) -> None:
    rng = random.Random(3)
    odd = [repr(rng.uniform(-1, 1) * 10.0 ** rng.randrange(-300, 300)) for _ in range(2000)]
    words = [*SPELLINGS, *odd]
    path = put(tmp_path, "t.csv", as_csv({"y": [i % 2 for i in range(len(words))], "a": words}))
    numbers: list[float] = []
    source = FileSource((path,), "y", ("a",), Reading())
    source.reduce(lambda block: numbers.extend(block.scores["a"].tolist()), lambda a, b: None)
    assert numbers == [float(word) for word in words]


def test_only_the_needed_columns_are_read(tmp_path: Path) -> None:
    # other columns may hold anything, and may be named alike
    content = b"y,x,x,a,a.b,A\n1,\xff,2,3,x,1\n0,1,2,2,y,1\n1,1,\xe9,1,z,1\n0,1,2,0,,1\n"
    assert of_files(put(tmp_path, "t.csv", content), rankers=("a",))["a", "auc"].value == 0.75
    columns = [pa.array([1, 0, 1, 0]), pa.array([{"k": 1}] * 4), pa.array([3, 2, 1, 0]), pa.array(["x"] * 4)]
    twice = pa.Table.from_arrays([*columns, columns[1]], names=["y", "x", "a", "A", "x"])
    for form, write in TYPED.items():
        assert of_files(put(tmp_path, f"t.{form}", write(twice)), rankers=("a",))["a", "auc"].value == 0.75


def test_a_source_of_files_can_be_sent_to_another_process(table: Table, tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", as_csv({**table, "id": list(range(len(table["y"])))}))
    source = FileSource((path,), "y", RANKERS, Reading(None, DOWN), where="ties > 3", join=Join("id"))
    again = pickle.loads(pickle.dumps(source))
    assert evaluate_source(again, metrics("ap")).tables == evaluate_source(source, metrics("ap")).tables


# ---- rows of one id, labels in another file

Row = Mapping[str, Any]


def written(rows: Sequence[Row], names: Sequence[str], form: str) -> bytes:
    columns = {name: [row[name] for row in rows] for name in names}
    return FORMS[form][1](columns)


def one_per_id(rows: Sequence[Row], policy: str, rankers: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Plain Python of what --per-id says."""
    poses: dict[str, list[Row]] = {}
    for row in rows:
        poses.setdefault(row["id"], []).append(row)
    out: dict[str, dict[str, Any]] = {}
    for name, group in poses.items():
        out[name] = dict(group[0])
        for ranker in rankers:
            there = sorted(row[ranker] for row in group if row[ranker] is not None)
            if not there:
                out[name][ranker] = None
            elif policy == "mean":
                # not sum(), which is compensated from Python 3.12 on
                out[name][ranker] = reduce(add, there) / len(there)
            else:
                out[name][ranker] = there[-1] if DOWN.get(ranker, True) else there[0]
    return out


def made_rows(seed: int, holes: float) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rng = random.Random(seed)
    ids = [f"m{i:03}" for i in range(120)]
    label = {name: "yes" if rng.random() < 0.3 else "no" for name in ids}
    rows = [
        {
            "id": name,
            "y": label[name],
            "a": None if rng.random() < holes else round(rng.gauss(0, 1), 2),
            "energy": rng.gauss(-7, 2),
            "w": float(1 + int(name[1:]) % 3),
        }
        for name in ids[:110]
        for _ in range(rng.choice([1, 1, 2, 5]))
    ]
    rng.shuffle(rows)
    labels = [{"id": name, "y": label[name]} for name in ids[5:]]
    rng.shuffle(labels)
    return rows, labels


def as_table(rows: Sequence[Row], names: Sequence[str] = ("id", "y", "a", "energy", "w")) -> Table:
    return {name: [row.get(name) for row in rows] for name in names}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("policy", ["best", "mean"])
@pytest.mark.parametrize("missing", ["raise", "drop", "last"])
def test_one_row_for_each_id(seed: int, policy: str, missing: str, tmp_path: Path) -> None:
    rows, _ = made_rows(seed, holes=0 if missing == "raise" else 0.3)
    path = put(tmp_path, "t.jsonl", written(rows, ("id", "y", "a", "energy", "w"), "jsonl"))
    seen = of_files(path, rankers=("a", "energy"), missing=missing, weight="w", join=Join("id", per_id=policy))
    chosen = one_per_id(rows, policy, ("a", "energy"))
    by_id = as_table([chosen[name] for name in sorted(chosen)])
    assert_same(seen, in_memory(by_id, ("a", "energy"), weight="w", missing=missing, undefined="nan"))
    assert f"{policy} score of each 'id': {len(rows)} rows of {len(chosen)} ids" in seen.notes


@pytest.mark.parametrize(
    ("seed", "forms"), [(0, ("csv", "parquet")), (1, ("arrow", "feather")), (2, ("arrows", "tsv"))]
)
@pytest.mark.parametrize("missing", ["drop", "last"])
@pytest.mark.parametrize("policy", ["refuse", "best", "mean"])
def test_labels_are_joined_by_id(seed: int, forms: tuple[str, str], missing: str, policy: str, tmp_path: Path) -> None:
    rows, labels = made_rows(seed, holes=0.2)
    if policy == "refuse":
        rows = list({row["id"]: row for row in rows}.values())
    if missing == "last":
        rows = [row for row in rows if row["id"] > "m004"]  # what has no label cannot be ranked
    content = as_format(forms[0], as_table(rows, ("a", "id", "energy")))
    scores = put(tmp_path, "s.csv.gz", gzip.compress(content)) if seed == 0 else put(tmp_path, "s.arrow", content)
    truth = put(tmp_path, f"truth.{forms[1]}", as_format(forms[1], as_table(labels, ("id", "y"))))
    join = Join("id", truth, policy)
    seen = of_files(scores, rankers=("a", "energy"), label=None, missing=missing, join=join)

    chosen = one_per_id(rows, policy, ("a", "energy"))
    label = {row["id"]: row["y"] for row in labels}
    both = [{"id": name, "y": label.get(name), **_scores(chosen.get(name))} for name in sorted({*chosen, *label})]
    expected = in_memory(as_table(both), ("a", "energy"), missing=missing)
    assert_same(seen, expected)
    assert seen.tally == expected.tally
    matched = len({*chosen} & {*label})
    note = f"{matched} matched, {len(chosen) - matched} without a label, {len(label) - matched} without a score"
    assert f"joined by 'id': {note}" in seen.notes


def _scores(row: Row | None) -> dict[str, Any]:
    return {name: None if row is None else row[name] for name in ("a", "energy")}


SAME_IDS: dict[str, tuple[Any, Any, str]] = {
    "zeros in front": (pa.array(["007", "7", "08"]), ["007", "7", "08"], "csv"),
    "whole numbers": (pa.array([7, 8, 2**63 - 1]), [7, 8, 2**63 - 1], "csv"),
    "beyond 64 bits": (["1" + "0" * 30, "1" + "0" * 29 + "1", "5"], [10**30, 10**30 + 1, 5], "jsonl"),
    "days": (pa.array(["2020-1-1", "2020-01-01", "x"]), ["2020-1-1", "2020-01-01", "x"], "jsonl"),
    "numbers and words": (pa.array(["7", "8", "x"]), [7, "8", "x"], "jsonl"),
    "cases": (pa.array(["5B0D1BD0", "5b0d1bd0", "x"]), ["5B0D1BD0", "5b0d1bd0", "x"], "jsonl"),
    "quotes, line ends, spaces": (['"a"\nb', " c ", "ü'"], ['"a"\nb', " c ", "ü'"], "csv"),
    "long": (["x" * 100_000, "y" * 100_000, "z"], ["x" * 100_000, "y" * 100_000, "z"], "csv"),
}


@pytest.mark.parametrize("kind", SAME_IDS)
def test_ids_are_compared_as_they_are_written(kind: str, tmp_path: Path) -> None:
    one, other, form = SAME_IDS[kind]
    scores = put(tmp_path, "s.parquet", as_parquet(pa.table({"id": one, "a": [3, 1, 2]})))
    name, write = FORMS[form]
    truth = put(tmp_path, name, write({"id": other, "y": [1, 0, 0]}))
    seen = of_files(scores, rankers=("a",), label=None, join=Join("id", truth))
    assert seen["a", "auc"].value == 1


# ---- input that is refused, in one sentence


class Bad(NamedTuple):
    content: bytes | str | None
    said: Sequence[str]
    options: Sequence[str] = ()
    name: str = "given.csv"


GOOD = "id,y,a\nm1,1,3\nm2,0,2\nm3,1,1\nm4,0,0\n"
LONG = "id,y,a\n" + "".join(f"m{i},{i % 2},{i * 7919 % 1000 / 7}\n" for i in range(20_000))
OBJECTS = '{"y":1,"a":3}\n{"y":0,"a":2}\n{"y":1,"a":1}\n'
PARQUET = as_parquet({"id": ["m1", "m2", "m3"], "y": [1, 0, 1], "a": [3.0, 2.0, 1.0]})
ARROWS = {
    form: TYPED[form]({"id": ["m1", "m2", "m3"], "y": [1, 0, 1], "a": [3.0, 2.0, 1.0]}) for form in ("arrow", "arrows")
}
LONG_ARROW = as_arrow({"y": [i % 2 for i in range(5000)], "a": [i * 7919 % 1000 / 7 for i in range(5000)]}, stream=True)
PACKED_ARROW = as_arrow({"y": [i % 2 for i in range(500)], "a": [i % 90 for i in range(500)]}, compression="zstd")
MESSAGE, ZSTD = b"\xff\xff\xff\xff", b"\x28\xb5\x2f\xfd"
TWICE = pa.Table.from_arrays([pa.array([1, 0])] * 3, names=["y", "a", "a"])


def damaged(content: bytes, place: int = -7) -> bytes:
    out = bytearray(content)
    out[place] ^= 0xFF
    return bytes(out)


BAD: dict[str, Bad] = {
    "nothing": Bad(None, ["no file ", "given.csv"]),
    "an empty file": Bad("", ["given.csv is empty"]),
    "a packed empty file": Bad(gzip.compress(b""), ["given.csv is empty"]),
    "line ends only": Bad("\n \r\n\n", ["is empty"]),
    "a byte order mark only": Bad("\ufeff", ["is empty"]),
    "a header only": Bad("id,y,a\n", ["given.csv has no rows"]),
    "a header without its end": Bad("id,y,a", ["has no rows"]),
    "Parquet without rows": Bad(as_parquet(pa.table({"y": pa.array([], "i8"), "a": pa.array([], "f8")})), ["no rows"]),
    "Parquet without columns": Bad(as_parquet(pa.table({})), ["has no columns"]),
    "Arrow without rows": Bad(as_arrow(pa.table({"y": pa.array([], "i8"), "a": pa.array([], "f8")})), ["no rows"]),
    "Arrow without columns": Bad(as_arrow(pa.table({})), ["has no columns"]),
    "an empty JSON array": Bad("[]", ["given.json has no rows"], name="given.json"),
    "a first line that is empty": Bad("\n" + GOOD, ["line 1 of given.csv is empty"]),
    # packed
    "gzip cut in its end": Bad(gzip.compress(GOOD.encode())[:-3], ["cut off", "gzip"], name="g.csv.gz"),
    "gzip cut in the middle": Bad(gzip.compress(LONG.encode())[:9000], ["cut off"], name="g.csv.gz"),
    "gzip cut at a line": Bad(gzip.compress(LONG.encode())[:-8], ["cut off"], name="g.csv.gz"),
    "gzip whose checksum is wrong": Bad(damaged(gzip.compress(LONG.encode())), ["damaged"], name="g.csv.gz"),
    "gzip with more behind it": Bad(gzip.compress(GOOD.encode()) + b"more", ["damaged"], name="g.csv.gz"),
    "zstd cut in its end": Bad(zstd(LONG.encode())[:-3], ["cut off", "zstd"], name="z.csv.zst"),
    "zstd cut in the middle": Bad(zstd(LONG.encode())[:20_000], ["cut off"], name="z.csv.zst"),
    "only the start of gzip": Bad(b"\x1f\x8b\x08\x00", ["cut off"]),
    "packed Parquet": Bad(gzip.compress(PARQUET), ["was compressed twice"], name="p.parquet.gz"),
    "a zip archive": Bad(b"PK\x03\x04....", ["zip archive or a spreadsheet"]),
    "a spreadsheet": Bad(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ["spreadsheet"]),
    "bzip2": Bad(b"BZh91AY", ["gzip or zstd"]),
    "xz": Bad(b"\xfd7zXZ\x00", ["gzip or zstd"]),
    "7-zip": Bad(b"7z\xbc\xaf\x27\x1c", ["gzip or zstd"]),
    # not what they say
    "CSV named Parquet": Bad(GOOD, ["is not a file of the format Parquet"], name="given.parquet"),
    "CSV named JSON": Bad(GOOD, ["is not a file of the format JSON"], name="given.jsonl"),
    "Parquet cut off": Bad(PARQUET[:-20], ["given.parquet", "cut off"], name="given.parquet"),
    "Parquet cut by one": Bad(PARQUET[:-1], ["given.parquet", "cut off"], name="given.parquet"),
    "the start of Parquet": Bad(b"PAR1", ["cut off"]),
    "CSV named Arrow": Bad(GOOD, ["is not a file of the format Arrow"], name="given.arrow"),
    "Parquet named Feather": Bad(PARQUET, ["is not a file of the format Arrow"], name="given.feather"),
    "Arrow cut off": Bad(ARROWS["arrow"][:-20], ["given.arrow", "cut off"], name="given.arrow"),
    "Arrow cut by one": Bad(ARROWS["arrow"][:-1], ["given.csv", "cut off"]),
    "Arrow cut in its data": Bad(ARROWS["arrow"][: len(ARROWS["arrow"]) // 2], ["cut off"], name="given.feather"),
    "the start of Arrow": Bad(b"ARROW1", ["cut off"]),
    "an Arrow stream cut off": Bad(LONG_ARROW[:-2000], ["given.arrow", "cut off"], name="given.arrow"),
    "an Arrow stream cut by one": Bad(LONG_ARROW[:-1], ["cut off"], name="given.arrow"),
    "an Arrow stream without its end": Bad(LONG_ARROW[:-8], ["the mark at the end of a stream"], name="given.arrows"),
    "the start of an Arrow stream": Bad(ARROWS["arrows"][:4], ["cut off"]),
    "an Arrow stream whose second batch is damaged": Bad(
        damaged(LONG_ARROW, LONG_ARROW.index(MESSAGE, 1000) + 30), ["given.arrow", "damaged"], name="given.arrow"
    ),
    "an Arrow file whose last column is damaged": Bad(
        damaged(PACKED_ARROW, PACKED_ARROW.rindex(ZSTD) + 1),
        ["given.arrow", "damaged"],
        ["--where", "a > 0"],
        name="given.arrow",
    ),
    "packed Arrow": Bad(gzip.compress(ARROWS["arrow"]), ["is an Arrow file", "compressed twice"], name="a.arrow.gz"),
    "packed Arrow stream": Bad(zstd(ARROWS["arrows"]), ["was compressed twice"], name="a.arrow.zst"),
    "Feather of version 1": Bad(b"FEA1\x00\x00\x00\x00", ["version 1", "version 2"], name="given.feather"),
    "an image": Bad(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", ["neither text nor Parquet nor Arrow IPC"]),
    "a NUL byte": Bad(GOOD + "m5,\x001,3\n", ["NUL byte in line 6"]),
    "a late NUL byte": Bad(LONG + "m5,1,\x003\n", ["'\\x003' in line 20002"]),
    "UTF-16": Bad(GOOD.encode("utf-16"), ["UTF-16", "UTF-8"]),
    "UTF-16 without a mark": Bad(GOOD.encode("utf-16-le"), ["NUL byte in line 1"]),
    "UTF-32": Bad(GOOD.encode("utf-32"), ["UTF-32"]),
    "Latin-1 in the header": Bad("größe,y,a\n1,1,1\n".encode("latin-1"), ["line 1", "not UTF-8"]),
    "Latin-1 in a column": Bad("y,a\n1,3\n0,\xe9\n".encode("latin-1"), ["line 3"]),
    # text
    "a short row": Bad(GOOD + "m5,1\n", ["line 6", "m5,1"]),
    "a long row": Bad(GOOD + "m5,1,2,3\n", ["line 6", "m5,1,2,3"]),
    "a long row, late": Bad(LONG + "m5,1,2,3\n", ["line 20002"]),
    "a quote that does not close": Bad(GOOD + '"m5,1,2\n', ["line 6", "a misplaced quote"]),
    "a short row below quoted line ends": Bad('n,y,a\n"1\n2\n3",1,3\n\n"",0\n', ["2 columns in line 6"]),
    "a late quote that does not close": Bad(LONG + '"m5,1,2\n', ["line 20002"]),
    "cut amid a line": Bad(GOOD + "m5,1", ["line 6"]),
    "cut before the last value": Bad(GOOD + "m5,1,", ["1 of 5 values of score 'a' are missing"]),
    "two kinds of line ends": Bad("y,a\n1,3\r\n0,2\n", ["mixed line endings"]),
    "a header over two lines": Bad('y,"a\nb"\r\n1,3\r\n0,2\r\n', ["line 1 of given.csv"], ["-s", "a\nb"]),
    "spaces between columns": Bad(GOOD.replace(",", " "), ["no column 'y' in given.csv", "'id y a'"]),
    "decimal commas and points": Bad(
        "y;a\n1;3,5\n0;2.5\n", ["'3,5' in line 2 and '2.5' in line 3", "one decimal mark"]
    ),
    "thousands separated by commas": Bad('y,a\n1,5\n0,"2,250"\n', ["'2,250' in line 3", "--decimal"]),
    "hundreds separated by spaces": Bad("y,a\n1,3 50\n0,5\n", ["'3 50' in line 2"]),
    "underscores": Bad("y,a\n1,1_000\n0,2\n", ["'1_000' in line 2"]),
    "hexadecimals": Bad("y,a\n1,0x10\n0,0x11\n", ["'0x10' in line 2"]),
    "two signs": Bad("y,a\n1,+-1\n0,2\n", ["'+-1' in line 2"]),
    "another word for missing": Bad("y,a\n1,1\n0,NA\n", ["1 of 2 values of score 'a' are missing"]),
    "percent": Bad("y,a\n1,35%\n0,20%\n", ["'35%' in line 2"]),
    "days": Bad("y,a\n1,2020-01-01\n0,2020-01-02\n", ["'2020-01-01' in line 2"]),
    "true among numbers": Bad("y,a\n1,3\n0,true\n", ["'true' in line 3"]),
    "a word, late": Bad(LONG + "m5,1,x\n", ["'x' in line 20002"]),
    "a word below quoted line ends": Bad('n,y,a\n"1\n2\n3",1,3\n\n"",0,x\n', ["'x' in line 6"]),
    "a word in a packed file": Bad(gzip.compress(b"y,a\n1,3\n0,x\n"), ["'x' in line 3"]),
    "beyond 64 bits": Bad("y,a\n1,3\n0,18446744073709551616\n", ["line 3", "at most 64 bits"]),
    "beyond 128 bits": Bad(f"y,a\n1,{10**60}\n0,2\n", ["line 2", "at most 64 bits"]),
    "more than 64 bits tell apart": Bad(f"y,a\n1,-1\n0,{2**64 - 1}\n", ["from -1 to 18446744073709551615"]),
    "floats and beyond 2^53": Bad("y,a\n1,9007199254740993\n0,0.5\n", ["column 'a'", "beyond 2^53"]),
    "no value at all": Bad("y,a\n1,\n0,\n", ["no rows with a value of 'a'"]),
    # JSON
    "JSON lines cut off": Bad(OBJECTS[:-5], ["given.jsonl is not JSON in line 3: unexpected end"], name="given.jsonl"),
    "JSON lines cut off, late": Bad(OBJECTS * 9000 + '{"y"', ["line 27001"], name="given.jsonl"),
    "a JSON array cut off": Bad('[{"y":1,"a":2},{"y":0', ["given.json"], name="given.json"),
    "no JSON in a line": Bad(OBJECTS + "garbage\n", ["line 4"], name="given.jsonl"),
    "a number in JSON": Bad(OBJECTS + "\n5\n", ["holds '5'", "not an object"], name="given.jsonl"),
    "arrays in JSON": Bad("[[1,2],[0,3]]", ["holds '[1,2]'", "not an object"], name="given.json"),
    "a key twice": Bad('{"y":1,"a":2}\n{"y":0,"a":2,"a":1}\n', ["key twice in line 2"], name="given.jsonl"),
    "a text in JSON": Bad(OBJECTS + '{"y":0,"a":"3"}\n', ["'\"3\"' in line 4"], name="given.jsonl"),
    "a nested value": Bad(OBJECTS + '\n{"y":0,"a":{"b":1}}\n', ["in line 5"], name="given.jsonl"),
    "an array in JSON": Bad('[\n{"y":1,\n"a":[1]}]', ["'[1]' in record 1"], name="given.json"),
    "a missing key": Bad(OBJECTS + '{"y":0}\n', ["1 of 4 values of score 'a' are missing"], name="given.jsonl"),
    "JSON beyond 64 bits": Bad(f'{{"y":1,"a":{2**64}}}', ["at most 64 bits"], name="given.jsonl"),
    # columns
    "no such column": Bad(GOOD.replace(",a", ",score"), ["no column 'a' in given.csv", "'score'"]),
    "a column twice": Bad("y,a,a\n1,3,2\n0,2,1\n", ["given.csv has 2 columns named 'a'"]),
    "a column twice in Parquet": Bad(as_parquet(TWICE), ["2 columns named 'a'"]),
    "text in Parquet": Bad(as_parquet({"y": [1, 0], "a": [None, "3"]}), ["'3' in row 2", "which is text"]),
    "a column twice in Arrow": Bad(as_arrow(TWICE), ["2 columns named 'a'"]),
    "text in Arrow": Bad(as_arrow({"y": [1, 0], "a": [None, "3"]}), ["'3' in row 2", "which is text"]),
    "text in dictionaries": Bad(as_arrow(in_codes({"y": [1, 0], "a": [None, "3"]})), ["'3' in row 2", "which is text"]),
    "a list in Arrow": Bad(as_arrow({"y": [1, 0], "a": [[1], [2]]}), ["'[1]' in row 1"]),
    "only missing in Arrow": Bad(as_arrow({"y": [1, 0], "a": [None, None]}), ["no rows with a value of 'a'"]),
    "nan in Arrow": Bad(as_arrow({"y": [1, 0], "a": [1, math.nan]}), ["1 of 2 values of score 'a' are missing"]),
    "a missing label in Arrow": Bad(as_arrow({"y": [True, None], "a": [1, 2]}), ["1 of 2 values of label"]),
    "a condition over no column of Arrow": Bad(ARROWS["arrow"], ["no column 'split'"], ["--where", "split = 1"]),
    "a condition that fails on a row of Arrow": Bad(
        ARROWS["arrow"], ["--where", "'m1'"], ["--where", "CAST(id AS INT) > 1"]
    ),
    "a list in Parquet": Bad(as_parquet({"y": [1, 0], "a": [[1], [2]]}), ["'[1]' in row 1"]),
    "a structure in Parquet": Bad(
        as_parquet({"y": [1, 0], "a": [{"s": 1.5}, {"s": 2.5}]}), ["which is a nested value"]
    ),
    "a duration in Parquet": Bad(
        as_parquet({"y": [1, 0], "a": pa.array([1, 2], pa.duration("us"))}), ["got durations: divide by a unit"]
    ),
    "a duration in Arrow": Bad(as_arrow({"y": [1, 0], "a": pa.array([1, 2], pa.duration("us"))}), ["which is a time"]),
    "an encrypted file": Bad(
        b"PARE" + bytes(40) + b"PARE", ["given.parquet is encrypted: write it again"], name="given.parquet"
    ),
    "one column of two": Bad(
        "y,a\n" + "1,2\n0,1\n" * 9 + "1\n", ["has 1 column in line 20", "and 2 in its first line"]
    ),
    "a day in Parquet": Bad(as_parquet({"y": [1, 0], "a": pa.array([1, 2], pa.date32())}), ["which is a time"]),
    "only missing in Parquet": Bad(as_parquet({"y": [1, 0], "a": [None, None]}), ["no rows with a value of 'a'"]),
    "nan in Parquet": Bad(as_parquet({"y": [1, 0], "a": [1, math.nan]}), ["1 of 2 values of score 'a' are missing"]),
    "a missing label in Parquet": Bad(as_parquet({"y": [True, None], "a": [1, 2]}), ["1 of 2 values of label"]),
    "three labels": Bad(GOOD + "m5,2,1\n", ["two classes", "0, 1, 2"]),
    "a label that is the score": Bad(GOOD, ["two classes"], ["-l", "a"]),
    "one label": Bad("y,a\n1,3\n1,2\n", ["no negative among the 2 subjects"]),
    "a negative weight": Bad("y,a,w\n1,3,1\n0,2,-1\n", ["-1.0 in line 3 of given.csv"], ["--weight", "w"]),
    "words as weights": Bad("y,a,w\n1,3,1\n0,2,x\n", ["column 'w'", "'x' in line 3"], ["--weight", "w"]),
    # conditions
    "no condition": Bad(GOOD, ["--where is empty"], ["--where", " "]),
    "no SQL": Bad(GOOD, ["--where 'a >' is not an SQL condition at '>'"], ["--where", "a >"]),
    "a condition over no column": Bad(GOOD, ["no column 'split'", "'id', 'y', 'a'"], ["--where", "split = 'test'"]),
    "a column that is nearly there": Bad(GOOD, ["did you mean 'id'"], ["--where", "idd = 'm1'"]),
    "a place for a column": Bad(GOOD, ["no column 'c2'"], ["--where", "c2 > 1"]),
    "two statements": Bad(GOOD, ["--where"], ["--where", "a > 1; DROP TABLE scores"]),
    "an empty statement": Bad(GOOD, ["--where"], ["--where", "a > 1;"]),
    "a condition that closes ours": Bad(GOOD, ["--where"], ["--where", "1=1) OR (1=1"]),
    "a comment": Bad(GOOD, ["without a comment"], ["--where", "a > 1 -- so"]),
    "a comment in the middle": Bad(GOOD, ["without a comment"], ["--where", "a /* so */ > 1"]),
    "a comment that does not close": Bad(GOOD, ["without a comment"], ["--where", "a > 1 /* so"]),
    "a quote in a condition": Bad(GOOD, ["--where", "unterminated"], ["--where", "id = 'm1"]),
    "an order": Bad(GOOD, ["--where"], ["--where", "a > 1 ORDER BY a"]),
    "an aggregate": Bad(GOOD, ["cannot contain an aggregate"], ["--where", "count(*) > 1"]),
    "a parameter": Bad(GOOD, ["--where '?'"], ["--where", "?"]),
    "a word against numbers": Bad(GOOD, ["--where", "'x'"], ["--where", "a > 'x'"]),
    "a condition that fails on a row": Bad(GOOD, ["--where", "'m1'"], ["--where", "CAST(id AS INT) > 1"]),
    "chance": Bad(GOOD, ["random()", "hash(id)"], ["--where", "Random () < 0.5"]),
    "no row meets it": Bad(GOOD, ["given.csv has no rows where a > 5"], ["--where", "a > 5"]),
    "names SQL cannot tell apart": Bad(
        "y,A,a\n1,1,1\n0,2,2\n", ["'A' and 'a' have the same name in SQL"], ["--where", "a > 1"]
    ),
    # ids
    "an id without rows": Bad(GOOD.replace("m4", ""), ["1 of 4 rows of given.csv have no 'id'"], ["--on", "id"]),
    "an empty id in quotes": Bad(GOOD.replace("m4", '""'), ["have no 'id'"], ["--on", "id"]),
    "an empty id in Parquet": Bad(
        as_parquet({"id": ["", "b"], "y": [1, 0], "a": [1, 2]}), ["1 of 2 rows", "no 'id'"], ["--on", "id"]
    ),
    "an id twice": Bad(GOOD + "m4,0,1\n", ["1 id repeats", "'m4' (2 rows)", "--per-id best"], ["--on", "id"]),
    "two labels of an id": Bad(
        GOOD + "m4,1,1\n", ["'m4' has two labels in given.csv: '0' and '1'"], ["--on", "id", "--per-id", "best"]
    ),
    "a row of an id without a label": Bad(
        GOOD + "m4,,1\n", ["1 of 5 values of label"], ["--on", "id", "--per-id", "best"]
    ),
    "a row of an id without a score": Bad(
        GOOD + "m4,0,\n", ["1 of 5 values of score 'a'"], ["--on", "id", "--per-id", "mean"]
    ),
    "two weights of an id": Bad(
        "id,y,a,w\n1,1,3,1\n1,1,2,2\n2,0,1,1\n",
        ["'1' has rows of different weights"],
        ["--on", "id", "--per-id", "best", "--weight", "w"],
    ),
    "a choice without ids": Bad(GOOD, ["name it with --on"], ["--per-id", "best"]),
    "an unknown choice": Bad(GOOD, ["--per-id must be one of"], ["--on", "id", "--per-id", "worst"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_one_sentence(case: str, tmp_path: Path, shell: Shell) -> None:
    content, said, options, name = BAD[case]
    path = tmp_path / name
    if content is not None:
        put(tmp_path, name, content)
    target = tmp_path / "result.json"
    done = shell("evaluate", path, "-l", "y", "-s", "a", "-m", "auc", "-o", target, "-f", "json", *options)
    sentence = done.refusal
    for words in said:
        assert words in sentence
    assert "\n" not in sentence.strip()
    assert len(sentence) < 500
    assert not target.exists()


@pytest.mark.parametrize(("before", "line"), [("", 1), ("y,a,", 1), ("y,a,t\n1,3,x\n0,2,", 3)])
def test_a_line_longer_than_the_buffers_of_duckdb_is_named(
    before: str, line: int, tmp_path: Path, shell: Shell
) -> None:
    path = put(tmp_path, "long.csv", before + "x" * 40_000_000 + "\n1,1,x\n0,0,x\n")
    done = shell("evaluate", path, "-l", "y", "-s", "a", "-m", "auc")
    assert f"long.csv has a line that is too long in line {line}: check" in done.refusal


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("policy", ["refuse", "best", "mean"])
def test_one_column_is_not_label_and_id(apart: bool, policy: str, tmp_path: Path, shell: Shell) -> None:
    scores, truth = put(tmp_path, "given.csv", GOOD), put(tmp_path, "truth.csv", GOOD)
    said = "'y' is named as the column of the labels (--label) and as that of the ids (--on): name the column"
    options = ["-l", "y", "-s", "a", "--on", "y", "--per-id", policy, *(["--labels", truth] if apart else [])]
    for command in (["evaluate"], ["table", "-o", tmp_path / "o.hit"], ["certify", "--recall", "0.5"]):
        refusal = shell(command[0], scores, *command[1:], *options).refusal
        assert said in refusal
        assert ("of truth.csv" in refusal) == apart
    with pytest.raises(ParameterError, match=re.escape(said)):
        of_files(scores, join=Join("y", truth if apart else None, policy))


LABEL_FILES: dict[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "no id in common": ("id,y\nx1,1\nx2,0\n", (), ["no id of given.csv is in truth.csv", "'m1'", "'x1'"]),
    "another case": (GOOD.upper().replace("ID,Y,A", "id,y,b"), ["-l", "y"], ["'m1'", "'M1'"]),
    "an id in one file only": (
        "id,y\nm1,1\nm2,0\nm3,1\nm5,0\nm6,1\n",
        (),
        ["3 subjects match", "1 of given.csv have no label (such as 'm4')", "2 of truth.csv have no score", "'m5'"],
    ),
    "three labels": ("id,y\nm1,1\nm2,0\nm3,2\nm4,0\n", (), ["two classes", "0, 1, 2"]),
    "conflicting labels": ("id,y\nm1,1\nm1,0\nm2,0\n", ["--per-id", "best"], ["'m1' has two labels in truth.csv"]),
    "a label twice": ("id,y\nm1,1\nm1,1\nm2,0\n", (), ["1 id repeats in truth.csv"]),
    "two columns of labels": (
        "id,y,z\nm1,1,1\n",
        (),
        ["give the column of truth.csv that contains the labels", "'y', 'z'"],
    ),
    "no column of labels": ("id\nm1\n", (), ["truth.csv has no column of labels beside 'id'"]),
    "no column of ids": ("name,y\nm1,1\n", (), ["no column 'id' in truth.csv"]),
    "a header only": ("id,y\n", (), ["truth.csv has no rows"]),
    "nothing": ("", (), ["truth.csv is empty"]),
    "a missing label": ("id,y\nm1,1\nm2,0\nm3,\nm4,0\n", (), ["1 of 4 values of label are missing"]),
    "an empty id": ("id,y\nm1,1\n,0\n", (), ["1 of 2 rows of truth.csv have no 'id'"]),
    "no weight to be ranked last with": (
        "id,y\nm1,1\nm2,0\nm3,1\nm4,0\nm5,0\n",
        ["--weight", "a", "--missing", "last"],
        ["1 of truth.csv have no score (such as 'm5'), and no weight"],
    ),
}


@pytest.mark.parametrize("case", LABEL_FILES)
def test_label_files_are_refused_in_one_sentence(case: str, tmp_path: Path, shell: Shell) -> None:
    content, options, said = LABEL_FILES[case]
    scores, truth = put(tmp_path, "given.csv", GOOD), put(tmp_path, "truth.csv", content)
    sentence = shell("evaluate", scores, "-s", "a", "--labels", truth, "--on", "id", *options).refusal
    for words in said:
        assert words in sentence


def test_the_file_that_is_damaged_is_named(tmp_path: Path, shell: Shell) -> None:
    content = as_arrow({"y": [i % 2 for i in range(900)], "a": list(range(900))}, compression="zstd")
    good = put(tmp_path, "good.arrow", content)
    bad = put(tmp_path, "bad.arrow", damaged(content, content.rindex(ZSTD) + 1))
    for files in ((good, bad), (bad, good)):
        sentence = shell("evaluate", *files, "-l", "y", "-s", "a").refusal
        assert sentence == "bad.arrow cannot be read as a table: it is cut off or damaged"


def test_zeros_in_front_are_not_lost_silently(tmp_path: Path, shell: Shell) -> None:
    scores = put(tmp_path, "s.parquet", as_parquet({"id": [7, 8], "a": [1, 2]}))
    truth = put(tmp_path, "truth.csv", "id,y\n007,1\n008,0\n")
    sentence = shell("evaluate", scores, "-s", "a", "--labels", truth, "--on", "id").refusal
    assert "examples are '7' and '007'" in sentence


@pytest.mark.parametrize("form", EACH)
def test_a_ranker_without_any_score_is_last_in_files_as_in_memory(form: str, tmp_path: Path) -> None:
    frame: Table = {"y": [1, 0, 1, 0], "a": [9, 2, 3, 1], "b": [None] * 4}
    content = TYPED[form](pa.table({**frame, "b": pa.nulls(4, pa.float64())})) if form in TYPED else None
    path = put(tmp_path, f"t.{form}", as_format(form, frame) if content is None else content)
    found = hc.evaluate("y", ["a", "b"], data=path, metrics=["auc", "ap"], missing="last")
    there = hc.evaluate(frame["y"], {"a": frame["a"], "b": [math.nan] * 4}, metrics=["auc", "ap"], missing="last")
    assert found.tables == there.tables
    assert found.tally == there.tally
    assert list(map(str, found.warnings)) == list(map(str, there.warnings))
    for policy in ("raise", "drop"):
        with pytest.raises(EmptyInputError, match="no rows with a value of 'b'"):
            hc.evaluate("y", ["a", "b"], data=path, missing=policy)


def test_weights_that_are_all_missing_are_refused_whatever_ranks_last(tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", "y,a,w\n1,3,\n0,2,\n")
    with pytest.raises(EmptyInputError, match="no rows with a value of 'w'"):
        hc.evaluate("y", "a", data=path, sample_weight="w", missing="last")


SECOND: dict[str, tuple[str, Sequence[str]]] = {
    "lacks a column": ("y,b\n1,2\n0,1\n", ["no column 'a' in second.csv"]),
    "is empty": ("", ["second.csv is empty"]),
    "has neither rows nor the column": ("y,b\n", ["no column 'a' in second.csv"]),
    "holds a word": ("y,a\n1,x\n0,1\n", ["of second.csv", "'x' in line 2"]),
    "has other labels": ("y,a\nyes,5\nno,6\n", ["two classes"]),
    "floats beside large numbers": (
        "y,a\n1,0.5\n0,9.5\n",
        ["column 'a' mixes floats (in second.csv) and whole numbers beyond 2^53 (in first.csv), which"],
    ),
    "numbers that fit into no type with the others": (
        "y,a\n1,18446744073709551615\n0,-3\n",
        ["column 'a' of second.csv holds whole numbers from -3 to 18446744073709551615, which 64 bits"],
    ),
}


@pytest.mark.parametrize("case", SECOND)
def test_every_file_must_fit(case: str, tmp_path: Path, shell: Shell) -> None:
    content, said = SECOND[case]
    first = put(tmp_path, "first.csv", f"y,a\n1,{2**60 + 1}\n0,{2**60}\n")
    sentence = shell("evaluate", first, put(tmp_path, "second.csv", content), "-l", "y", "-s", "a").refusal
    for words in said:
        assert words in sentence


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_labels_that_differ_from_file_to_file_are_named(form: str, tmp_path: Path) -> None:
    days: list[list[Any]] = [[1, 0, None], [1, 0, 0], ["fraud", "ok", "ok"], ["ok", "ok", "ok"]]
    files = [
        put(tmp_path, f"d{place}.{form}", as_format(form, {"y": y, "a": [3, 2, 1]})) for place, y in enumerate(days)
    ]
    said = f"got more: 0, 1 in d0.{form} and 'fraud', 'ok' in d2.{form}; make a column that is 1 for positives"
    with pytest.raises(LabelError, match=re.escape(said)):
        hc.evaluate("y", "a", data=files[:3], missing="drop")
    for do in (hc.evaluate, hc.count_tables):
        with pytest.raises(LabelError, match=re.escape(said)):
            do("y", "a", data=files[:3], pos_label="fraud", missing="drop")
    stray = put(tmp_path, f"x.{form}", as_format(form, {"y": ["fraud", "ok", "fruad"], "a": [3, 2, 1]}))
    with pytest.raises(LabelError, match=re.escape(f"'fruad' is in {'line 4' if form == 'csv' else ''}")) as refused:
        hc.evaluate("y", "a", data=[files[2], stray], pos_label="fraud")
    assert f"of x.{form}" in str(refused.value)
    two = hc.evaluate("y", "a", data=files[2:], pos_label="fraud", metrics="auc")
    assert two.tables["a"].n == 6


@pytest.mark.parametrize(
    ("bad", "said"),
    {"0,x": "got 'x' in line {}", "1": "has 1 column in line {} ('1')", "1,2,3": "has 3 columns in line {} "}.items(),
)
@pytest.mark.parametrize("line", [131_073, 200_001])
def test_a_bad_line_far_down_is_named(bad: str, said: str, line: int, tmp_path: Path, shell: Shell) -> None:
    lines = ["y,a", *["1,3.25", "0,2.5"] * 100_000]
    lines[line - 1] = bad
    path = put(tmp_path, "long.csv", "\n".join(lines) + "\n")
    assert said.format(line) in shell("evaluate", path, "-l", "y", "-s", "a").refusal


def _without_rows(form: str) -> bytes:
    if form in TYPED:
        return TYPED[form](pa.table({"y": pa.array([], "i8"), "a": pa.array([], "f8"), "id": pa.array([], "str")}))
    return {"csv": b"y,a,id\n", "tsv": b"y\ta\tid\n", "jsonl": b"", "json": b"[]\n"}[form]


@pytest.mark.parametrize("form", [*EACH, "json"])
def test_parts_without_rows_are_passed_over_and_named(form: str, tmp_path: Path, shell: Shell) -> None:
    table: Table = {"y": [1, 0, 1, 0], "a": [0.9, 0.2, 0.3, 0.1], "id": ["p", "q", "r", "s"]}
    good = put(tmp_path, f"p1.{form}", as_format("jsonl" if form == "json" else form, table))
    before, after = (put(tmp_path, f"p{place}.{form}", _without_rows(form)) for place in (0, 2))
    alone = hc.evaluate("y", "a", data=good, metrics="auc")
    for files in ([before, good], [good, before], tmp_path / f"p[01].{form}"):
        found = hc.evaluate("y", "a", data=files, metrics="auc")
        assert found.tables == alone.tables
        assert f"1 of 2 files has no rows: p0.{form}" in found.notes
    ways: list[dict[str, Any]] = [{"where": "a > 0.15"}, {"by": "id"}, {"missing": "drop"}]
    for how in ways:
        counted = hc.count_tables("y", "a", data=[before, good, after], **how)
        assert dict(counted) == dict(hc.count_tables("y", "a", data=good, **how))
        assert counted.notes[0] == f"2 of 3 files have no rows: p0.{form}, p2.{form}"
    columns, notes = read_columns([before, good], ["a"], ["id"])
    assert (columns["a"].tolist(), columns["id"].tolist()) == (table["a"], table["id"])
    assert notes == (f"1 of 2 files has no rows: p0.{form}",)
    asked = [str(tmp_path / f"p*.{form}"), "-l", "y", "-s", "a:high"]
    for command, target in (("evaluate", "e.json"), ("table", "t.hit")):
        done = shell(command, *asked, "-o", tmp_path / target)
        assert (done.code, f"2 of 3 files have no rows: p0.{form}, p2.{form}" in done.out + done.err) == (0, True), done
    sentence = shell("evaluate", before, after, "-l", "y", "-s", "a").refusal
    assert sentence == f"none of 2 files has rows: p0.{form}, p2.{form}"


def test_what_is_damaged_is_no_part_without_rows(tmp_path: Path, shell: Shell) -> None:
    good = put(tmp_path, "good.csv", "y,a\n1,3\n0,2\n")
    cut = gzip.compress(b"y,a\n")[:-8]
    bad = {"cut.csv.gz": (cut, "cut off"), "e.csv": (b"", "is empty"), "e.parquet": (b"", "is empty")}
    bad["e.arrow"] = (b"", "is empty")
    for name, (content, said) in bad.items():
        sentence = shell("evaluate", good, put(tmp_path, name, content), "-l", "y", "-s", "a").refusal
        assert name in sentence
        assert said in sentence


def test_places_that_are_no_files(tmp_path: Path, shell: Shell) -> None:
    assert "is a folder" in shell("evaluate", tmp_path, "-l", "y", "-s", "a").refusal
    assert "no file matches" in shell("evaluate", tmp_path / "*.csv", "-l", "y", "-s", "a").refusal
    assert "is a folder" in shell("ranks", "9", tmp_path).refusal
    assert "no file" in shell("ranks", "9", tmp_path / "ranks.txt").refusal
    good = put(tmp_path, "good.csv", GOOD)
    for target in (tmp_path, tmp_path / "no" / "folder.md", Path("/dev/full"), tmp_path / ("x" * 300)):
        assert "cannot write" in shell("evaluate", good, "-l", "y", "-s", "a", "-m", "auc", "-o", target).refusal


def test_files_that_may_not_be_read(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    good, real = put(tmp_path, "good.csv", GOOD), Path.open

    def refuse(self: Path, *arguments: Any, **options: Any) -> Any:
        if self == good:
            raise PermissionError(13, "Permission denied")
        return real(self, *arguments, **options)

    monkeypatch.setattr(Path, "open", refuse)  # the tests may be run by root, who may read all
    assert shell("evaluate", good, "-l", "y", "-s", "a").refusal == f"cannot read {good}: Permission denied"
    assert shell("ranks", "9", good).refusal == f"cannot read {good}: Permission denied"


def test_a_file_that_grows_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", GOOD)
    source = FileSource((path,), "y", ("a",), Reading())
    with path.open("a") as more:
        more.write("m5,1,9\n")
    with pytest.raises(UnreadableFileError, match=r"t\.csv changed while it was read"):
        source.reduce(lambda block: 0, lambda a, b: 0)
    with path.open("a") as more:  # half a line
        more.write("m6,")
    with pytest.raises(UnreadableFileError, match=r"t\.csv changed while it was read"):
        source.reduce(lambda block: 0, lambda a, b: 0)


def test_clusters(tmp_path: Path, shell: Shell) -> None:
    rng = random.Random(8)
    # 7 and 007 are two patients
    patients = [rng.choice(["7", "007", *map(str, range(50, 90))]) for _ in range(400)]
    y = [int(rng.random() < 0.3) for _ in patients]
    frame: Table = {"patient": patients, "y": y, "a": [rng.gauss(0, 1) + label for label in y]}
    expected = hc.evaluate(y, {"a": frame["a"]}, metrics=("ap", "auc"), clusters=patients)
    for form in EACH:
        path = put(tmp_path, f"t.{form}", as_format(form, frame))
        asked = ["evaluate", path, "-l", "y", "-s", "a", "-m", "ap", "-m", "auc", "--cluster", "patient", "-f", "json"]
        errors = [record["standard_error"] for record in shell(*asked).json["results"]]
        assert errors == pytest.approx([e.standard_error for e in expected], rel=1e-12)
    frame["patient"][5] = ""
    refused = shell(*[put(tmp_path, "t.csv", as_csv(frame)) if part == path else part for part in asked]).refusal
    assert "1 of 400 values of 'patient' are missing" in refused


@pytest.mark.parametrize("kind", ["whole numbers", "words", "two words of a number", "weighted"])
def test_clusters_of_several_chunks(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters are in several chunks of two files, some in one file only."""
    monkeypatch.setattr(batches, "_ROWS", 64)
    monkeypatch.setattr(batches, "_SCORES_OF_NAMED", 1)
    rng = np.random.default_rng(9)
    y, number = rng.random(900) < 0.2, rng.integers(0, 150, 900)
    number[:200] += 100
    columns = {"y": y.astype(int), "a": rng.normal(size=900) + y, "b": rng.normal(size=900) + y, "w": rng.random(900)}
    asked: dict[str, Any] = {"sample_weight": "w"} if kind == "weighted" else {}
    written = {
        "words": [f"c{own}" for own in number],
        "two words of a number": [str(own) if place % 2 else f"{own}.0" for place, own in enumerate(number)],
    }.get(kind, number)
    form = "csv" if kind.startswith("two") else "parquet"
    paths = [tmp_path / f"{part}.{form}" for part in ("one", "two")]
    for path, rows in zip(paths, (slice(0, 330), slice(330, None)), strict=True):
        data = {**{name: values[rows] for name, values in columns.items()}, "c": written[rows]}
        pl.DataFrame(data).write_csv(path) if form == "csv" else pq.write_table(pa.table(data), path)
    how: dict[str, Any] = {"metrics": ("ap", "auc")}
    read = hc.evaluate("y", ["a", "b"], data=paths, clusters="c", **asked, **how)
    memory = hc.evaluate("y", ["a", "b"], data=columns, clusters=number, **asked, **how)
    for ours, theirs in zip(read, memory, strict=True):
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-12)
    for metric in ("ap", "auc"):
        ours, theirs = (ev.compare("a", "b", metric=metric) for ev in (read, memory))
        assert ours.difference.standard_error == pytest.approx(theirs.difference.standard_error, rel=1e-12)


@pytest.mark.parametrize(
    ("form", "kind", "scores"),
    # each two of the three; in several chunks or in one
    [
        (form, kind, (190, 1 << 20)[(i + j) % 2])
        for i, form in enumerate(EACH)
        for j, kind in enumerate(("words", "numbers", "zeros in front"))
    ],
)
def test_groups(
    kind: str, form: str, scores: int, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(11)
    numbers = [rng.randrange(-3, 8) for _ in table["y"]]
    names: dict[str, list[Any]] = {
        "words": [f"set {number}" for number in numbers],
        "numbers": list(numbers),
        "zeros in front": [f"{number:03}" for number in numbers],
    }
    frame = {**table, "g": names[kind]}
    monkeypatch.setattr(batches, "_ROWS", 190)
    monkeypatch.setattr(batches, "_SCORES_OF_NAMED", scores)
    seen = grouped(put(tmp_path, f"t.{form}", as_format(form, frame)))
    expected = hc.evaluate(
        table["y"], {"a": table["a"]}, by=frame["g"], metrics=METRICS, single_class="skip", undefined="nan"
    )
    assert list(seen) == list(expected)
    for name in expected:
        assert_same(seen[name], expected[name])
    frame["g"][700] = None
    with pytest.raises(MissingValueError, match="1 of 1000 values of 'g' are missing"):
        grouped(put(tmp_path, f"holes.{form}", as_format(form, frame)))


def grouped(*paths: Path) -> hc.GroupedEvaluation:
    source = FileSource(paths, "y", ("a",), Reading(), by="g")
    return evaluate_groups(source, metrics(METRICS), by="g", single_class="skip", undefined="nan")


def test_groups_of_files_that_differ_in_type(table: Table, tmp_path: Path) -> None:
    """Whole numbers of several widths, and the same as words, are the same groups."""
    g = [i * i % 7 for i in range(len(table["y"]))]
    expected = hc.evaluate(table["y"], {"a": table["a"]}, by=g, metrics=METRICS, undefined="nan")
    parts = split({**table, "g": g}, 4)
    kinds = [pa.int8(), pa.int8(), pa.uint64(), pa.string()]
    tables = [pa.table({**part, "g": pa.array(part["g"]).cast(k)}) for part, k in zip(parts, kinds, strict=True)]
    for chosen in ([0, 1, 2, 3], [1, 0], [0, 2]):
        paths = [put(tmp_path, f"{i}.{form}", TYPED[form](tables[i])) for i, form in enumerate(TYPED) if i in chosen]
        seen = grouped(*paths)
        assert set(seen) <= set(expected)
        assert sum(ev.tables["a"].n for ev in seen.groups.values()) == 250 * len(chosen)
    assert_same(grouped(*[put(tmp_path, f"{i}.arrow", as_arrow(t)) for i, t in enumerate(tables)])["2"], expected["2"])


# ---- input that is accepted

NAMES = ['sel"ect', "order", "a b", "größe", "it's", "a,b", "(a)", "%s", "{a}", "\\", "c0", "C_", "t", "s0", "label"]
NAMES += ["weight", "id", "json", "row", "a;b", "-a", "/a~b", "$", "*", "0", "#1", " a ", "a\tb"]


@pytest.mark.parametrize("name", NAMES)
def test_columns_of_any_name(name: str, tmp_path: Path) -> None:
    frame: Table = {"y": [1, 0, 1, 0], name: [3, 2, 1, 0], f"{name}2": [0, 0, 0, 0]}
    in_sql = '"' + name.replace('"', '""') + '"'
    # with a condition and without one in turn, so that each format and each name is read in both ways
    for place, form in enumerate(("csv", "parquet", "arrow", "jsonl"), NAMES.index(name)):
        path = put(tmp_path, f"t.{form}", as_format(form, frame))
        where, wanted = (f"{in_sql} > 0 AND y IS NOT NULL", [3, 2, 1]) if place % 2 else (None, [3, 2, 1, 0])
        assert scores_of(path, name, where=where) == wanted


# by score: 23:30 the day before, 00:30 and 05:30 in UTC, as written in three zones
OFFSETS = {9: "2026-01-01 00:30:00+01", 8: "2026-01-01T00:30:00Z", 7: "2026-01-01 00:30:00-05"}


@pytest.mark.parametrize(
    ("condition", "kept"),
    {
        "CAST(t AS TIMESTAMPTZ) >= TIMESTAMPTZ '2026-01-01 00:00:00'": [8, 7],
        "t >= TIMESTAMPTZ '2026-01-01 01:30:00+01:00'": [8, 7],
        "t >= '2026-01-01 01:30:00+01'": [8, 7],
        "t = '2026-01-01 00:30:00+01'": [9],
        "t > TIMESTAMP '2026-01-01 00:30:00'": [7],
        "t::DATE = '2025-12-31'": [9],
    }.items(),
)
def test_conditions_see_offsets_of_times(condition: str, kept: list[int], tmp_path: Path) -> None:
    lines = ["y,s,t", *(f"{score % 2},{score},{time}" for score, time in OFFSETS.items())]
    assert scores_of(put(tmp_path, "t.csv", "\n".join(lines)), "s", where=condition) == kept
    if "CAST" in condition:  # times are text in JSON
        lines = [json.dumps({"y": score % 2, "s": score, "t": time}) for score, time in OFFSETS.items()]
        assert scores_of(put(tmp_path, "t.jsonl", "\n".join(lines)), "s", where=condition) == kept


def test_times_without_a_zone_beside_others_are_utc(tmp_path: Path) -> None:
    path = put(tmp_path, "t.csv", "y,s,t\n1,3,2026-01-01 00:30\n0,2,2026-01-01 00:30+01\n1,1,2025-12-31\n")
    assert scores_of(path, "s", where="t >= TIMESTAMPTZ '2026-01-01 00:00:00+00'") == [3]
    assert scores_of(path, "s", where="typeof(t) = 'TIMESTAMP WITH TIME ZONE'") == [3, 2, 1]
    plain = put(tmp_path, "p.csv", "y,s,t\n1,3,2026-01-01 00:30\n0,2,2026-01-01\n")
    assert scores_of(plain, "s", where="typeof(t) = 'TIMESTAMP'") == [3, 2]


def scores_of(path: Path, name: str, where: str | None = None) -> list[float]:
    source = FileSource((path,), "y", (name,), Reading(), where=where)
    return source.reduce(lambda block: list(block.scores[name].tolist()), lambda a, b: a + b)


FILE_NAMES = ["q?", "q[1]", "q*", "sp ace", "ü", "it's", 'q"uote', "a;b", "-x", "{a,b}", "two\nlines", "%41", "back\\"]


@pytest.mark.parametrize("name", FILE_NAMES)
def test_files_of_any_name(name: str, tmp_path: Path) -> None:
    put(tmp_path, "qq.csv", "y,a\n0,3\n1,2\n")  # what a wildcard would match as well
    frame: Table = {"y": [1, 0, 1, 0], "a": [3, 2, 1, 0]}
    folder = tmp_path / "y=7"  # not a column, as it is elsewhere
    folder.mkdir()
    for form in ("csv", "parquet", "arrow", "jsonl"):
        path = put(folder, f"{name}.{form}", as_format(form, frame))
        assert scores_of(path, "a", where="y < 2") == [3, 2, 1, 0]


CONDITIONS = {
    "score > 9": 2,  # not as words, of which "9" is the last
    "score BETWEEN 9 AND 10": 2,
    'SCORE > 9 AND "score" < 100': 1,
    "code = '007'": 1,
    "day >= '2020-02-01'": 2,
    "month(CAST(day AS DATE)) = 2": 1,
    "day IS NULL": 1,
    "fresh": 2,
    "NOT fresh": 2,
    "kind LIKE 'a%' AND kind <> '--'": 2,
    "kind = 'a''b'": 1,
    "hash(code) % 1 = 0": 4,
    "half > 0.5 AND whole <> 9007199254740993": 1,
    "whole = 18446744073709551615": 1,
}


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("form", EACH)
def test_conditions(condition: str, form: str, tmp_path: Path) -> None:
    frame: Table = {
        "y": [1, 0, 1, 0],
        "score": [9, 10, 100, 8],
        "code": ["007", "7", "08", "8"],
        "day": ["2020-01-31", "2020-02-01", "2020-03-01", None],
        "fresh": [True, False, True, False],
        "kind": ["a'b", "ab", "c", "--"],
        "half": [0.25, 0.75, 1, 0],
        "whole": [9007199254740992, 9007199254740993, 18446744073709551615, 0],
    }
    if form in TYPED:
        days = pa.array(frame["day"]).cast(pa.date32())
        # what no condition names may be of any type
        other = {"day": days, "whole": pa.array(frame["whole"], pa.uint64()), "none": pa.nulls(4)}
        content = TYPED[form](pa.table({**frame, **other}))
    else:
        content = as_format(form, frame)
    source = FileSource((put(tmp_path, f"t.{form}", content),), "y", ("score",), Reading(), where=condition)
    count = source.reduce(lambda block: block.positive.size, lambda a, b: a + b)
    assert count == CONDITIONS[condition]
    assert source.notes == (f"rows where {condition}",)


def test_two_columns_without_a_header(tmp_path: Path, shell: Shell) -> None:
    rows = [(3, 1), (2, 0), (1, 1), (0, 0)]
    for mark in (" ", "\t", ",", ";"):
        path = put(tmp_path, "t.txt", "".join(f"{score}{mark}{label}\n" for score, label in rows))
        done = shell("evaluate", path, "--no-header", "-m", "auc", "-f", "json")
        assert (done.json["rows"]["read"], done.json["results"][0]["value"]) == (4, 0.75)
    swapped = shell("evaluate", path, "--no-header", "-l", "1", "-s", "2", "-m", "auc").refusal
    assert "two classes" in swapped
    assert "no column 'a' in t.txt" in shell("evaluate", path, "--no-header", "-s", "a", "-l", "1").refusal


def test_thousands_of_columns(tmp_path: Path) -> None:
    names = [f"expression of gene {i}" for i in range(5000)]
    frame: Table = {"y": [1, 0, 1, 0], **{name: [3, 2, 1, i] for i, name in enumerate(names)}}
    path = put(tmp_path, "t.csv", as_csv(frame))
    assert of_files(path, rankers=names[:1])[names[0], "auc"].value == 0.75


# ---- counts and ranks


def test_counts_in_files(tmp_path: Path, shell: Shell) -> None:
    film = {"score": [5, 4, 3], "cancers": [13, 24, 25], "screened": [17, 29, 700], "healthy": [4, 5, 675]}
    expected = hc.metrics.AveragePrecision().value(hc.HitTable.from_counts(film["cancers"], film["healthy"]))
    options = ["--counts", "--positives", "cancers", "-m", "ap", "-f", "json"]
    other = {"csv": "--total=screened", "csv.zst": "--negatives=healthy", "parquet": "--total=screened"}
    for form in (*other, "feather", "semicolons, Windows line ends", "jsonl.gz"):
        name, write = FORMS[form]
        path = put(tmp_path, name, write(film))
        done = shell("evaluate", path, *options, other.get(form, "--negatives=healthy")).json
        assert (done["rankers"], done["results"][0]["value"]) == (["t"], expected)
    piped = shell("evaluate", "-", *options, "--total=screened", stdin=as_csv(film))
    assert piped.json["rankers"] == ["standard input"]


BAD_COUNTS: dict[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "a negative": ("p,t\n1,5\n-1,3\n", ["--total", "t"], ["row 2: '-1' is not a count"]),
    "a half": ("p,t\n1.5,5\n", ["--total", "t"], ["'1.5' is not a count"]),
    "a hole": ("p,t\n1,\n", ["--total", "t"], ["row 1: a count is missing"]),
    "a word": ("p,t\n1,x\n", ["--total", "t"], ["'x' is not a count"]),
    "more positives than all": ("p,t\n1,5\n7,3\n", ["--total", "t"], ["row 2: 7 of 'p' exceed 3 of 't'"]),
    "no rows": ("p,t\n", ["--total", "t"], ["has no rows"]),
    "no column": ("p,t\n1,2\n", ["--total", "n"], ["no column 'n' in c.csv"]),
    "both": ("p,t\n1,2\n", ["--total", "t", "--negatives", "t"], ["--counts needs"]),
    "neither": ("p,t\n1,2\n", [], ["--counts needs"]),
    "with options of subjects": ("p,t\n1,2\n", ["--total", "t", "-l", "p"], ["--counts cannot be combined with"]),
    "cut off": ('p,t\n1,2\n"3,', ["--total", "t"], ["c.csv", "line 3"]),
}


@pytest.mark.parametrize("case", BAD_COUNTS)
def test_bad_counts_are_refused(case: str, tmp_path: Path, shell: Shell) -> None:
    content, options, said = BAD_COUNTS[case]
    path = put(tmp_path, "c.csv", content)
    sentence = shell("evaluate", path, "--counts", "--positives", "p", *options).refusal
    for words in said:
        assert words in sentence


def test_ranks(tmp_path: Path, shell: Shell) -> None:
    expected = hc.HitTable.from_ranks([3, 17, 240], 10**9)
    text = "\ufeff3\r\n\r\n17\n 240"
    for done in (
        shell("ranks", "1000000000", put(tmp_path, "r.txt", text), "-m", "ap", "-f", "json"),
        shell("ranks", "1000000000", "-m", "ap", "-f", "json", stdin=text.encode()),
    ):
        assert done.json["results"][0]["value"] == hc.metrics.AveragePrecision().value(expected)


BAD_RANKS = {
    "a word": ("3\nx\n", "line 2: 'x' is not a rank"),
    "a half": ("3\n1.5\n", "line 2: '1.5' is not a rank"),
    "nothing": ("\n\n", "contains no rank"),
    "zero": ("0\n", "1..9"),
    "beyond": ("10\n", "1..9"),
    "twice": ("3\n3\n", "3"),
    "no text": ("\udcff\udcfe", "is not text"),
}


@pytest.mark.parametrize("case", BAD_RANKS)
def test_bad_ranks_are_refused(case: str, tmp_path: Path, shell: Shell) -> None:
    content, said = BAD_RANKS[case]
    path = put(tmp_path, "r.txt", content.encode(errors="surrogateescape"))
    assert said in shell("ranks", "9", path).refusal


# ---- the command line around it


def test_standard_input_is_read_once(tmp_path: Path, shell: Shell) -> None:
    for form in ("csv", "csv.gz", "parquet", "arrow", "arrow, a stream", "feather", "jsonl"):
        content = FORMS[form][1]({"y": [1, 0, 1, 0], "a": [3, 2, 1, 0]})
        done = shell("evaluate", "-", "-l", "y", "-s", "a", "-m", "auc", "-f", "json", stdin=content)
        assert done.json["results"][0]["value"] == 0.75
    assert "can be read only once" in shell("evaluate", "-", "-", "-l", "y", "-s", "a").refusal
    assert "can be read only once" in shell("evaluate", "-", "-s", "a", "--labels", "-", "--on", "id").refusal
    assert (
        "can be read only once" in shell("evaluate", "-", "-", "--counts", "--positives", "y", "--total", "a").refusal
    )
    assert "standard input is empty" in shell("evaluate", "-", "-l", "y", "-s", "a", stdin=b"").refusal
    assert "'x' in line 2" in shell("evaluate", "-", "-l", "y", "-s", "a", stdin=b"y,a\n1,x\n").refusal


FORMATS = ("text", "json", "csv", "markdown", "latex")


@pytest.mark.parametrize("form", FORMATS)
def test_every_command_writes_every_format(form: str, tmp_path: Path, shell: Shell) -> None:
    path = put(tmp_path, "t.csv", as_csv({"y": [1, 0, 1, 0, 0], "a & b": [3, 2, 1, 0, 0], "c|d": [0, 3, 3, 1, 2]}))
    subjects = [path, "-l", "y", "-s", "a & b", "-s", "c|d", "-f", form]
    commands = {
        "evaluate": [*subjects, "-m", "ap", "-m", "ef@20%"],
        "curve": [*subjects, "-k", "croc", "--magnify", "exp(7)", "--reference", "random"],
        "confusion": [*subjects, "--at", "20%"],
    }
    for command, options in commands.items():
        printed = shell(command, *options)
        assert printed.code == 0
        assert printed.out.endswith("\n")
        target = tmp_path / f"{command}.out"
        done = shell(command, *options, "-o", target)
        assert (done.code, done.out) == (0, "")
        assert f"wrote {target}" in done.err
        assert target.read_text(encoding="utf-8") == printed.out
        if form == "json":
            json.loads(printed.out)
        elif form == "csv":
            lines = list(csv.reader(io.StringIO(printed.out)))
            assert {len(line) for line in lines} == {len(lines[0])}
        else:
            assert {"text": "a & b", "markdown": "c&#124;d", "latex": "a \\& b"}[form] in printed.out


def test_a_paragraph_for_the_paper(tmp_path: Path, shell: Shell) -> None:
    path = put(tmp_path, "t.csv", GOOD)
    asked = ["evaluate", path, "-l", "y", "-s", "a", "-m", "ap", "--where", "a >= 0", "--methods", "-f"]
    text = shell(*asked, "text").out
    assert "4 subjects, 2 of them positive" in text
    assert "Data: rows where a >= 0." in text
    latex = shell(*asked, "latex").out
    # a paragraph, or comments, but never half of each
    table, text = latex.split(r"\end{tabular}")
    assert all(line.startswith(("%", "\\", " ")) or "&" in line for line in table.splitlines() if line)
    assert r"Data: rows where a \textgreater{}= 0." in text
    assert not [line for line in text.splitlines() if line.startswith("%")]
    weighted = put(tmp_path, "w.csv", "y,a,w\n1,3,0.5\n0,2,2\n1,1,1\n0,0,1\n")
    text = shell("evaluate", weighted, *asked[2:-4], "--weight", "w", "--methods").out
    assert "subjects of weight 4.50 (as 3.24 of equal weight), 1.50 positive (33.3%)" in text
    for form in ("json", "csv"):
        assert f"--methods cannot be combined with the format {form}" in shell(*asked, form).refusal


def test_presets(tmp_path: Path, shell: Shell) -> None:
    rng = random.Random(1)
    frame: Table = {"y": [int(rng.random() < 0.1) for _ in range(2000)], "a": [rng.random() for _ in range(2000)]}
    path = put(tmp_path, "t.csv", as_csv(frame))
    for field in ("docking", "screening", "review", "fraud"):
        listed = shell("metrics", "--preset", field).out
        seen = shell("evaluate", path, "-l", "y", "-s", "a", "--preset", field, "-f", "json").json["metrics"]
        assert seen == [str(m) for m in hc.metrics.preset(field)]
        assert all(name in listed for name in seen)
    more = shell("evaluate", path, "-l", "y", "-s", "a", "--preset", "fraud", "-m", "auc", "-f", "json").json["metrics"]
    assert more[-1] == "auc"
    assert "preset must be one of" in shell("metrics", "--preset", "frauds").refusal


OPTIONS = {
    "no such command": ["evaluat"],
    "no such option": ["evaluate", "t.csv", "--lable", "y"],
    "no value": ["evaluate", "t.csv", "--label"],
    "no file": ["evaluate", "-l", "y"],
    "a word for a number": ["ranks", "many"],
    "a negative seed": ["evaluate", "t.csv", "-l", "y", "-s", "a", "--compare", "ap", "--seed", "-1"],
    "no length": ["ranks"],
    "a length of nothing": ["ranks", "0"],
    "a length beyond all": ["ranks", "9" * 30],
    "no such kind": ["curve", "t.csv", "-l", "y", "-s", "a", "-k", "rock"],
    "no such map": ["curve", "t.csv", "-l", "y", "-s", "a", "-k", "croc", "--magnify", "exq(7)"],
    "a map that is not closed": ["curve", "t.csv", "-l", "y", "-s", "a", "-k", "croc", "--magnify", "exp("],
    "a curve that takes no map": ["curve", "t.csv", "-l", "y", "-s", "a", "-k", "roc", "--magnify", "exp(7)"],
    "no such reference": ["curve", "t.csv", "-l", "y", "-s", "a", "--reference", "best"],
    "no cut": ["confusion", "t.csv", "-l", "y", "-s", "a"],
    "two cuts": ["confusion", "t.csv", "-l", "y", "-s", "a", "--at", "1%", "--threshold", "3"],
    "a cut that is none": ["confusion", "t.csv", "-l", "y", "-s", "a", "--at", "first"],
    "a cut of nothing": ["confusion", "t.csv", "-l", "y", "-s", "a", "--at", "0"],
    "a cut beyond the list": ["confusion", "t.csv", "-l", "y", "-s", "a", "--at", "5"],
    "a cut beyond all": ["confusion", "t.csv", "-l", "y", "-s", "a", "--at", "200%"],
    "a threshold of nan": ["confusion", "t.csv", "-l", "y", "-s", "a", "--threshold", "nan"],
    "a word as threshold": ["confusion", "t.csv", "-l", "y", "-s", "a", "--threshold", "x"],
    "no way to cut": ["confusion", "t.csv", "-l", "y", "-s", "a", "--at", "1%", "--cut", "up"],
    "no such preset": ["evaluate", "t.csv", "-l", "y", "-s", "a", "--preset", "dock"],
    "no such format": ["metrics", "-f", "json"],
    "an option of counts alone": ["evaluate", "t.csv", "-l", "y", "-s", "a", "--total", "a"],
    "labels without ids": ["evaluate", "t.csv", "-s", "a", "--labels", "t.csv"],
    "no label": ["evaluate", "t.csv", "-s", "a"],
    "what is no text": ["evaluate", "t.csv", "-l", "\udce9", "-s", "a"],
}


@pytest.mark.parametrize("case", OPTIONS)
def test_bad_options_exit_2_without_a_traceback(
    case: str, tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "t.csv", GOOD)
    monkeypatch.chdir(tmp_path)
    done = shell(*OPTIONS[case])
    assert done.code == 2
    assert done.out == ""
    assert "Traceback" not in done.err
    assert "internal error" not in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.csv"]


def test_ctrl_c_in_a_query_exits_130(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, "t.csv", GOOD)

    class Interrupted:
        def __init__(self, paths: Sequence[Path], memory: int | None = None) -> None: ...

        def __enter__(self) -> Interrupted:
            return self

        def __exit__(self, *error: object) -> None: ...

        def sql(self, text: str) -> None:
            raise RuntimeError("Query interrupted")  # what DuckDB makes of it

    monkeypatch.setattr(duck, "connect", Interrupted)
    monkeypatch.setattr(os, "_exit", sys.exit)  # it would end this process too
    done = shell("evaluate", path, "-l", "y", "-s", "a")
    assert (done.code, done.out) == (130, ""), done.err
    assert "internal error" not in done.err


def test_nothing_is_left_in_the_folder(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, labels = made_rows(1, holes=0)
    put(tmp_path, "s.csv", written(rows, ("id", "a"), "csv"))
    put(tmp_path, "truth.csv", written(labels, ("id", "y"), "csv"))
    monkeypatch.chdir(tmp_path)
    join = ["--labels", "truth.csv", "--on", "id", "--per-id", "best", "--missing", "drop"]
    assert shell("evaluate", "s.csv", "-s", "a", *join).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.csv", "truth.csv"]


COMMANDS = sorted(get_group(app).commands)


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_of_the_help_are_lines_of_bash(command: str, shell: Shell) -> None:
    text = shell(command, "--help").out
    assert "Usage" in text
    examples = re.split(r"\n Examples? *\n", text)[1:]
    lines = [line.rstrip() for line in "".join(examples).partition("╭")[0].splitlines()]
    assert all(len(line) < 80 for line in lines)  # a narrow terminal does not break them once more
    found = [example.strip() for example in re.split(r"\n{2,}", "\n".join(lines)) if example.strip()]
    assert found or command == "demo"
    for example in found:
        *broken, last = example.splitlines()
        assert example.startswith(f"hitcurve {command}")
        assert all(line.endswith(" \\") for line in broken)
        assert not last.endswith("\\")
        checked = subprocess.run(["bash", "-n"], input=example, capture_output=True, text=True)
        assert (checked.returncode, checked.stderr) == (0, ""), example


def test_the_page_of_the_command_line_shows_the_help_of_every_command() -> None:
    page = (Path(__file__).parents[1] / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    assert set(re.findall(r'^show_help\("(\w+)"\)$', page, re.MULTILINE)) == {*COMMANDS}


def test_help_of_the_documentation_is_that_of_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "docs")
    examples = import_module("examples")
    found = examples._helps(100)
    assert {*found} == {"hitcurve --help", *(f"hitcurve {name} --help" for name in COMMANDS)}
    for command in ("hitcurve --help", "hitcurve evaluate --help", "hitcurve demo --help"):
        assert found[command] == examples.run(command).rstrip() != ""


# ---- in a process of its own


def process(command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line of bash, in which H is hitcurve; the exit code is that of the first in the pipe."""
    line = f'H() {{ {sys.executable} -m hitcurve "$@"; }}; {command}; exit ${{PIPESTATUS[0]}}'
    surroundings = {**os.environ, "TERM": "dumb", **environment}
    return subprocess.run(["bash", "-c", line], capture_output=True, cwd=cwd, env=surroundings)


EVALUATED = "evaluate t.csv -l y -s a -m auc"
PRINT = [EVALUATED, f"{EVALUATED} -f json", *(f"{name} t.csv -l y -s a" for name in ("curve", "confusion --at 2"))]
PIPES = ["H --help | true", "H evaluate --help | head -1", "H metrics | head -c 1", "H --version | true"]
PIPES += ["H curve t.csv -l y -s a -f json | true", "H evaluate t.csv -l y -s a -m auc 2>&-"]


@pytest.mark.parametrize("command", PIPES)
def test_a_reader_who_leaves_is_no_error(command: str, tmp_path: Path) -> None:
    put(tmp_path, "t.csv", as_csv({"y": [i % 2 for i in range(5000)], "a": list(range(5000))}))
    done = process(command, tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("command", ["--help", "--version", "evaluate --help", "metrics", "data", *PRINT])
def test_what_cannot_be_printed_is_no_success(command: str, tmp_path: Path) -> None:
    put(tmp_path, "t.csv", "y,a\n1,3\n0,2\n1,1\n0,0\n")
    done = process(f"H {command} >&-", tmp_path)  # as ls and sort do
    assert done.returncode == 2
    assert done.stderr.decode() == f"hitcurve: error: cannot write to standard output: {os.strerror(errno.EBADF)}\n"


def test_a_file_is_written_without_standard_output(tmp_path: Path) -> None:
    put(tmp_path, "t.csv", "y,a\n1,3\n0,2\n1,1\n0,0\n")
    written = process(f"H {EVALUATED} -o new.csv >&-", tmp_path)
    assert written.returncode == 0
    assert written.stderr.startswith(b"wrote new.csv\nnote: only 2 positives: too few for an interval")


@pytest.mark.parametrize("closed", ["<&- 2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_no_file_stands_for_a_closed_stream(closed: str, tmp_path: Path) -> None:
    code = """
import contextlib, os
from hitcurve.cli.streams import standard_streams
with standard_streams(), open("x.txt", "w") as file:
    with contextlib.suppress(OSError):
        os.write(2, b"a library complains")
    with contextlib.suppress(OSError):
        os.write(1, b"a library prints")
    file.write(str(file.fileno()))
"""
    line = f'{sys.executable} -c "$CODE" {closed}'
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=os.environ | {"CODE": code}, timeout=240)
    assert done.returncode == 0
    assert int((tmp_path / "x.txt").read_text()) > 2


def test_a_full_disk_is_no_bug(tmp_path: Path) -> None:
    for command in ("H --help > /dev/full", "H metrics > /dev/full"):
        done = process(command, tmp_path)
        assert done.returncode == 2
        assert done.stderr == b"hitcurve: error: cannot write to standard output: No space left on device\n"


def test_pipes_are_files(tmp_path: Path) -> None:
    put(tmp_path, "s.csv", "id,a\nm1,3\nm2,2\nm3,1\nm4,0\n")
    put(tmp_path, "truth.csv.gz", gzip.compress(b"id,y\nm1,1\nm2,0\nm3,1\nm4,0\n"))
    done = process("H evaluate <(cat s.csv) -s a --labels <(cat truth.csv.gz) --on id -m auc -f csv", tmp_path)
    cautions, joined = done.stderr.decode().splitlines()
    assert cautions.startswith("note: only 2 positives")
    assert joined == "note: joined by 'id': 4 matched, 0 without a label, 0 without a score"
    assert done.stdout.splitlines()[1].startswith(b"a,auc,0.75,")


def test_completion(tmp_path: Path) -> None:
    assert b"_HITCURVE_COMPLETE=complete_bash" in process("H --show-completion; true", tmp_path).stdout
    installed = process("H --install-completion; true", tmp_path, HOME=str(tmp_path))
    assert installed.returncode == 0
    assert "hitcurve" in (tmp_path / ".bashrc").read_text()
    environment = {"_HITCURVE_COMPLETE": "complete_bash", "COMP_WORDS": "hitcurve ev", "COMP_CWORD": "1"}
    assert process("H", tmp_path, **environment).stdout == b"evaluate\n"


NUMBERED = {
    "floats": pa.array([1.0, 1.0, -0.0, 0.0, 0.0, 2.5, 2.5, 1e20, 1e20, 1e300, 1e300]),
    "single": pa.array(np.array([1, 1, -0.0, 0, 0, 0.1, 0.1, 0.3, 0.3, 1e20, 1e20], np.float32)),
    "boolean": pa.array([True, True, False, False, True, False, True, False, True, False, True]),
    "text": pa.array(["1.0", "1.0", "-0.0", "0.0", "0.0", "a", "a", "a\0", "a\0", "true", "true"]),
}
WRITTEN = ("floats", "single")


@pytest.mark.parametrize(
    ("kind", "form"),  # a file of words alone does not say what is text
    [(kind, form) for kind in NUMBERED for form in ("parquet", "arrow", "csv") if form != "csv" or kind in WRITTEN],
)
@pytest.mark.parametrize("joined", [False, True], ids=["alone", "joined"])
def test_groups_have_the_names_they_have_in_memory(kind: str, joined: bool, form: str, tmp_path: Path) -> None:
    groups = NUMBERED[kind]
    y, s = [1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0], list(range(11, 0, -1))
    path = tmp_path / f"x.{form}"
    data = pa.table({"id": list(map(str, range(11))), "y": y, "s": s, "g": groups})
    if form == "parquet":
        pq.write_table(data, path)
    elif form == "arrow":
        feather.write_feather(data, path)
    else:
        pl.from_arrow(data).write_csv(path)  # type: ignore[union-attr]
        if "1e20" in path.read_text():
            pytest.skip("this Polars writes 1e+20 as 1e20, and names are as they are written")
    join = Join("id", None) if joined else None
    source = FileSource((path,), "y", ("s",), Reading(pos_label=1), join=join, by="g", cluster="g")
    block = source.reduce(lambda block: block, lambda a, b: a)
    there = hc.TableStack.from_scores(y, s, groups.to_numpy(zero_copy_only=False))
    assert sorted(block.lists[0]) == sorted(there.names)
    assert block.cluster is not None
    assert sorted(block.cluster.texts) == sorted(there.names)


AS_NUMBERS, AS_TEXT = ("1.0", "1", "1.00", "-0.0"), ("1.0", "1", "1.00", "-0.0", "A")


def _names_in(paths: list[Path], **how: Any) -> tuple[list[str], list[str]]:
    """Return the names of groups and of clusters of files with the columns y, s and g."""
    source = FileSource(tuple(paths), "y", ("s",), Reading(pos_label=1), by="g", cluster="g", **how)
    block = source.reduce(lambda block: block, lambda a, b: a)
    assert block.cluster is not None
    return sorted(block.lists[0]), sorted(block.cluster.texts)


@pytest.mark.parametrize("joined", [False, True], ids=["alone", "joined"])
@pytest.mark.parametrize("form", ["csv", "text of json", "numbers of json", "parquet", "arrow"])
@pytest.mark.parametrize("names", [AS_NUMBERS, AS_TEXT], ids=["numbers", "text"])
def test_names_are_numbers_only_where_all_are(names: Sequence[str], form: str, joined: bool, tmp_path: Path) -> None:
    g = [name for name in names for _ in range(2)]
    y, s = [1, 0] * len(names), list(range(len(g)))
    path = tmp_path / "x"
    data = pa.table({"id": list(map(str, s)), "y": y, "s": s, "g": g})
    quoted = form == "text of json"
    if form == "csv":
        pl.from_arrow(data).write_csv(path, quote_style="necessary")  # type: ignore[union-attr]
    elif form == "parquet":
        pq.write_table(data, path)
    elif form == "arrow":
        feather.write_feather(data, path)
    else:
        written = [name if form == "numbers of json" and name != "A" else f'"{name}"' for name in g]
        rows = zip(y, s, written, strict=True)
        path.write_text("".join(f'{{"id": "{b}", "y": {a}, "s": {b}, "g": {name}}}\n' for a, b, name in rows))
    found = _names_in([path], join=Join("id", None) if joined else None)
    merges = names is AS_NUMBERS and not quoted and form not in ("parquet", "arrow")
    wanted = ["0", "1"] if merges else sorted(names)
    if form == "numbers of json" and not merges:  # beside text, numbers are text; 1.00 of JSON is 1.0
        wanted = ["-0.0", "1", "1.0", "A"]
    assert found == (wanted, wanted)


def test_names_of_several_files_are_those_of_one_table(tmp_path: Path) -> None:
    parts = [tmp_path / name for name in ("a.csv", "b.csv", "c.parquet")]
    parts[0].write_text("y,s,g\n1,1,1.0\n0,2,1\n")
    parts[1].write_text("y,s,g\n1,1,2.0\n0,2,3\n")
    pq.write_table(pa.table({"y": [1, 0], "s": [1, 2], "g": [1.0, 2.5]}), parts[2])
    assert _names_in(parts)[0] == ["1", "2", "2.5", "3"]
    parts[1].write_text("y,s,g\n1,1,A\n0,2,3\n")
    assert _names_in(parts)[0] == ["1", "1.0", "2.5", "3", "A"]  # the numbers of Parquet are numbers


def test_a_word_that_no_float_holds_keeps_its_digits(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "y,s,g\n1,2,12345678901234567890.0\n0,1,12345678901234567890.0\n1,2,12345678901234567891.0\n0,1,01\n"
    )
    source = FileSource((path,), "y", ("s",), Reading(pos_label=1), by="g")
    names = ("12345678901234567890.0", "12345678901234567891.0", "01")
    assert source.reduce(lambda block: block.lists[0], lambda a, b: a) == names


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("per_id", ["refuse", "best"])
def test_ids_that_a_condition_left_out_do_not_lack_a_score(tmp_path: Path, form: str, per_id: str) -> None:
    ids = [f"m{i}" for i in range(12)]
    scores: dict[str, list[Any]] = {
        "id": ids,
        "a": [float(i) for i in range(12)],
        "split": ["test", "train", "test"] * 4,
    }
    labels: dict[str, list[Any]] = {"id": ids[::-1], "y": [1, 0, 0, 1] * 3}
    path = put(tmp_path, f"scores.{form}", as_format(form, scores))
    apart = put(tmp_path, f"labels.{form}", as_format(form, labels))

    def read(missing: str = "raise") -> FileSource:
        reading = Reading(None, True, missing)
        return FileSource((path,), "y", ("a",), reading, where="split = 'test'", join=Join("id", apart, per_id))

    ev = evaluate_source(read(), metrics("auc"))
    assert ev.tables["a"].n == 8
    assert "joined by 'id': 8 matched, 0 without a label, 0 without a score" in ev.notes
    # of an id that no row of scores has it is not known whether the condition holds
    put(tmp_path, f"labels.{form}", as_format(form, {"id": [*labels["id"], "new"], "y": [*labels["y"], 1]}))
    with pytest.raises(MissingValueError, match=r"8 subjects match, 1 of labels.* have no score \(such as 'new'\)"):
        read()
    assert evaluate_source(read("drop"), metrics("auc")).tables["a"].n == 8


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("apart", [True, False], ids=["labels apart", "labels beside"])
@pytest.mark.parametrize("where", [None, "a < 9"])
def test_what_is_refused_of_a_subject_with_an_id_names_it(
    tmp_path: Path, form: str, apart: bool, where: str | None
) -> None:
    scores: dict[str, list[Any]] = {"id": ["d", "c", "b", "a"], "a": [1.0, 2.0, 4.0, 3.0], "w": [1.0, 2.0, -1.0, -2.0]}
    labels: dict[str, list[Any]] = {"id": ["a", "b", "c", "d"], "y": [1, 0, 0, 1]}
    beside = tmp_path / f"labels.{form}"

    def refused(kind: type[Exception]) -> str:
        if apart:
            put(tmp_path, beside.name, as_format(form, labels))
        there = dict(zip(labels["id"], labels["y"], strict=True))
        more = {} if apart else {"y": [there[one] for one in scores["id"]]}
        path = put(tmp_path, f"scores.{form}", as_format(form, scores | more))
        join = Join("id", beside if apart else None)
        source = FileSource((path,), "y", ("a",), Reading(), weight="w", where=where, join=join)
        with pytest.raises(kind) as found:
            evaluate_source(source, metrics("auc"))
        return str(found.value)

    # joined subjects are in the order of their ids, others in that of the file
    value, of = ("-2.0", "a") if apart else ("-1.0", "b")
    assert refused(WeightError) == f"weights must be finite and at least 0, got {value} in the row of id '{of}'"
    scores["w"], labels["y"] = [1.0] * 4, [1, 0, 7, 1]
    said = "labels must be two classes, got more: 0, 1, 7; make a column that is 1 for positives; '7' is that of id 'c'"
    assert refused(LabelError) == said
