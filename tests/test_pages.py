"""Damaged files: a flipped bit gives no answer where there are checksums, and ends no process where there are none."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve.errors import UnreadableFileError
from hitcurve.sources import Reading
from hitcurve.sources.files import FileSource, Join, read_counts
from hitcurve.sources.files.pages import check_pages

N = 3000
_rng = np.random.default_rng(8)
Y = _rng.random(N) < 0.2
COLUMNS: dict[str, Any] = {
    "id": [f"s{i:04}" for i in range(N)],
    "y": np.where(Y, "yes", "no"),
    "a": np.round(_rng.normal(size=N) + Y, 3),
    "b": (_rng.normal(size=N) + 2 * Y).astype(np.float32),
    "g": _rng.integers(0, 3, N),
    "other": np.arange(N) % 90 + 5,
}
LAYOUTS: dict[str, dict[str, Any]] = {
    "plain": {"compression": "none", "use_dictionary": False},
    "dictionaries": {"compression": "snappy"},
    "small pages of version 2": {"compression": "zstd", "data_page_version": "2.0", "data_page_size": 512},
    "row groups": {"compression": "gzip", "row_group_size": 700, "write_statistics": False},
}


def _evaluated(**options: Any) -> Callable[[Path], Any]:
    def use(path: Path) -> Any:
        options.setdefault("pos_label", "yes")
        ev = hc.evaluate("y", ["a", "b"], data=path, metrics=["auc", "ap"], **options)
        return ev.to_json()

    return use


def _joined(path: Path) -> Any:
    labels = path.with_name("labels.parquet")
    if not labels.exists():
        pq.write_table(pa.table({name: COLUMNS[name] for name in ("id", "y")}), labels)
    source = FileSource((path,), "y", ("a", "b"), Reading(pos_label="yes"), join=Join("id", labels, "refuse"))
    # joined rows come in the order of threads, which counts forget and sums of scores would not
    return sorted(source.reduce(lambda block: block.scores["a"][block.positive].tolist(), lambda a, b: [*a, *b]))


ROADS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "labels in words": (_evaluated(), "y"),
    "a condition": (_evaluated(where="g < 2"), "a"),
    "a column that only the condition names": (_evaluated(where="g < 2"), "g"),
    "groups": (_evaluated(by="g"), "g"),
    "clusters": (_evaluated(clusters="id"), "id"),
    "weights": (_evaluated(sample_weight="other"), "other"),
    "a join": (_joined, "id"),
    "counts": (lambda path: read_counts(path, "g", total="other")[0].tolist(), "g"),
}


def written(path: Path, layout: str = "plain", **how: Any) -> Path:
    pq.write_table(pa.table(COLUMNS), path, **{"write_page_checksum": True, **LAYOUTS[layout], **how})
    return path


def bytes_of(path: Path, column: str) -> list[int]:
    """Return the places of the bytes of a column."""
    metadata = pq.read_metadata(path)
    found: list[int] = []
    for group in range(metadata.num_row_groups):
        one = metadata.row_group(group).column(list(COLUMNS).index(column))
        start = one.dictionary_page_offset or one.data_page_offset
        found += range(start, start + one.total_compressed_size)
    return found


def flip(path: Path, place: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1 << bit
    path.write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize("road", ROADS)
def test_no_road_takes_a_page_that_is_not_what_its_checksum_says(road: str, tmp_path: Path) -> None:
    use, column = ROADS[road]
    path = written(tmp_path / "x.parquet")
    sound = use(path)
    if road != "counts":  # for which all columns may say that a row is a total
        flip(path, bytes_of(path, "other" if column == "id" else "id")[-8])
    assert use(path) == sound  # what is not read is not looked at
    flip(path, bytes_of(path, column)[-8])
    with pytest.raises(UnreadableFileError) as damaged:
        use(path)
    assert str(damaged.value) == (
        f"x.parquet is damaged: a page of {column!r} is not what its checksum says; write the file again"
    )


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_flipped_bit_gives_another_answer(layout: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", layout)
    use, column = ROADS["a condition"]
    sound, content = use(path), path.read_bytes()
    rng = np.random.default_rng(3)
    places = rng.choice(bytes_of(path, column), 24, replace=False).tolist()
    said = []
    for place in places:
        flip(path, place, int(rng.integers(8)))
        try:
            found = use(path)
        except UnreadableFileError as error:
            said.append(str(error))
        else:
            assert found == sound, place  # nothing reads statistics in the header of a page
        path.write_bytes(content)
    assert len(said) > 18
    assert all(one.startswith("x.parquet ") for one in said)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sound_pages_of_every_layout_pass(layout: str, tmp_path: Path) -> None:
    check_pages(written(tmp_path / "x.parquet", layout), list(COLUMNS))
    path = tmp_path / "nested.parquet"
    nested = {
        "s": [{"v": [1, 2], "a.b": float(i)} for i in range(500)],
        "s.t": np.arange(500),
        "st": ["x" * 9000] * 500,
    }
    pq.write_table(pa.table(nested), path, write_page_checksum=True, **LAYOUTS[layout])
    check_pages(path, ["s", "s.t", "st"])  # headers with long statistics
    group = pq.read_metadata(path).row_group(0)
    (place,) = (one for one in map(group.column, range(group.num_columns)) if one.path_in_schema == "s.a.b")
    flip(path, place.data_page_offset + place.total_compressed_size - 8)
    check_pages(path, ["st"])
    with pytest.raises(UnreadableFileError, match="a page of 's' is not"):
        check_pages(path, ["st", "s"])


def test_pages_without_checksums_are_taken_as_they_are(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", write_page_checksum=False)
    flip(path, bytes_of(path, "a")[-8])
    check_pages(path, list(COLUMNS))
    written(path, write_page_checksum=True)
    path.write_bytes(path.read_bytes()[:-5])  # no Parquet: the reader says why
    check_pages(path, list(COLUMNS))


_FLIPPED = """
import json, sys, warnings
import numpy as np, pyarrow as pa, pyarrow.feather, pyarrow.ipc
import hitcurve as hc
warnings.simplefilter("ignore")
path, kind = sys.argv[1:]
rng = np.random.default_rng(0)
y = rng.random(600) < 0.2
words = pa.array(np.where(y, "yes", "no")).dictionary_encode()
table = pa.table({"y": words, "a": rng.normal(size=600) + y, "g": [f"g{i % 5}" for i in range(600)]})
if kind == "stream":
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=200)
else:
    pa.feather.write_feather(table, path, compression=kind)
sound, said = open(path, "rb").read(), []
asked = [{}, {"where": "g <> 'g1'"}, {"by": "g", "single_class": "skip"}]
for place in (*range(8, 400, 23), *rng.choice(len(sound), 40), *range(len(sound) - 400, len(sound), 23)):
    content = bytearray(sound)
    content[place] ^= 1 << int(rng.integers(8))
    open(path, "wb").write(content)
    print(place, file=sys.stderr)  # the last one is where a process ended
    try:
        hc.evaluate("y", "a", data=path, metrics="auc", pos_label="yes", **asked[int(place) % 3])
    except hc.errors.HitcurveError as error:
        said.append(str(error))
print(json.dumps(said))
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["uncompressed", "lz4", "zstd", "stream"])
def test_no_flipped_bit_of_arrow_ends_the_process(kind: str, tmp_path: Path) -> None:
    words = [sys.executable, "-c", _FLIPPED, str(tmp_path / "x.arrow"), kind]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert len([one for one in said if "damaged" in one]) > 5
    assert [one for one in said if "\n" in one] == []
