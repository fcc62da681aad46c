"""The last line of a long file counts, or the file is refused: DuckDB drops one where a buffer of it ends."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import hitcurve as hc
from hitcurve.errors import UnreadableFileError

BUFFER = 32_000_000  # bytes that DuckDB reads at once
ROW = b"17,some words of no use,1,0.25\n18,some words of no use,0,0.125\n"
ROWS = b"id,text,y,s\n" + ROW * (BUFFER // len(ROW))

pytestmark = pytest.mark.slow


def ending(last: bytes) -> bytes:
    """Return a table that ends with this line, in the middle of which a buffer ends."""
    return ROWS[: ROWS.rindex(b"\n", 0, BUFFER - len(last) // 2) + 1] + last


BAD: dict[str, tuple[bytes, str]] = {
    "cut off": (ending(b"19,words" + b"s" * 60), "has 2 columns in its last line .*no line end, and 4 in its first"),
    "a total": (ending(b"total of all rows of this table, without an end of this line"), "has 2 columns in its last"),
    "too many": (ending(b"19,words, of no use,1,0.25,and some more of these words here"), "has 6 columns in its last"),
    "an open quote": (ending(b'19,some words of no use,1,"0.25, and what follows after it'), "misplaced quote in line"),
    "zeros after the rows": (ROWS[:100_004] + b"\0" * BUFFER, r"a line that is too long in line \d+"),
    "zeros in place of rows": (ROWS[:16_000_000] + b"\0" * 26_000_000, r"a line that is too long in line \d+"),
    "a long last line": (
        ROWS[:100_004].rpartition(b"\n")[0] + b"\n" + b"x" * BUFFER + b"\n",
        "that is too long in line",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_no_last_line_is_dropped(name: str, tmp_path: Path) -> None:
    content, said = BAD[name]
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match=said):
        hc.evaluate("y", "s", data=path, metrics="auc")


@pytest.mark.parametrize(
    "read",
    [
        lambda path: hc.evaluate("y", "s", data=[path, path.with_name("other.csv")], metrics="auc"),
        lambda path: hc.evaluate("y", "s", data=path, metrics="auc", max_grid=100),
        lambda path: hc.evaluate("y", "s", data=path, metrics="auc", memory_limit="400MB"),
        lambda path: hc.evaluate("y", "s", data=path, metrics="auc", where="id < 18"),
        lambda path: hc.count_tables("y", "s", data=path),
        lambda path: hc.screen(path, "y", columns=["s"]),
        lambda path: hc.evaluate_survival("id", "y", "s", data=path, horizons=[5]),
    ],
)
def test_at_no_door(read: Callable[[Path], object], tmp_path: Path) -> None:
    content = BAD["cut off"][0]
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    path.with_name("other.csv").write_bytes(ROWS[:1000].rpartition(b"\n")[0])
    with pytest.raises(UnreadableFileError, match="in its last line"):
        read(path)


def test_nor_of_packed_files(tmp_path: Path) -> None:
    content, said = BAD["cut off"]
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress(content, 1))
    with pytest.raises(UnreadableFileError, match=said):
        hc.evaluate("y", "s", data=packed, metrics="auc")


@pytest.mark.parametrize(
    "last",
    [
        b"19,some words that are of no use to anybody at all,1,0.75",
        b'19,"words with\nan end of a line, and a comma, in quotes",1,0.75',
        b'19,"words with\nan end of a line, and a comma, in quotes",1,0.75\n',
    ],
)
def test_a_whole_last_line_counts(last: bytes, tmp_path: Path) -> None:
    content = ending(last)
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    table = hc.count_tables("y", "s", data=path)["s"]
    assert (table.n_pos, table.n_neg) == (content.count(b"\n17,") + 1, content.count(b"\n18,"))
