"""Doors that take files: tables of text and Parquet, runs of retrieval, conditions on rows."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

import hitcurve as hc
from tests.fuzz import odd
from tests.fuzz.case import Door, FaultError, Verdict, answer, confirm
from tests.fuzz.slow import Slow, Subject, UnreadError, exact, of_columns, positive

MISSING = ("", "na", "n/a", "nan", "-nan", "+nan", "null", "none", ".", "-")
LABELS = (("0", "1"), ("no", "yes"), ("-1", "1"), ("false", "true"), ("0.0", "1.0"), ("0", "1.0"), ("a", "b"))
CELLS = (
    "NA",
    "",
    "nan",
    "inf",
    "-inf",
    "1e3",
    "1e400",
    "-0.0",
    "0x10",
    "1_000",
    "1,5",
    "1 000",
    "x",
    "9007199254740993",
    "0.1",
)
_NUMBER = re.compile(
    r"\s*[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+([eE][-+]?\d+)?|inf|infinity)\s*", re.ASCII | re.IGNORECASE
)
_BLANK = re.compile(r"[ \t\r\f\v]+")  # what parts the fields of a run: no other blank of Unicode
_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*", re.ASCII)
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}( \d{3})+")
CHOSEN = ("auc", "ap")


def _rows(rng: Random) -> tuple[list[str], list[list[str]]]:
    """Return a header and rows, with an odd cell here and there."""
    names = ["y", "s", *rng.sample(("id", "note", "Y ", "s s", "é"), rng.randrange(3))]
    pair, n = rng.choice(LABELS), rng.choice((0, 1, 2, 3, 5, 9))
    rows = [
        [rng.choice(pair), str(rng.choice((rng.randrange(4), round(rng.gauss(0, 1), 2)))), *names[2:]] for _ in range(n)
    ]
    if rows and rng.random() < 0.4:
        rng.choice(rows)[rng.randrange(2)] = rng.choice(CELLS)
    return names, rows


def number(cell: str) -> Any:
    if cell.strip().lower() in MISSING:
        return None
    if _THOUSANDS.fullmatch(cell):
        cell = cell.replace(" ", "")
    if _COMMA.fullmatch(cell):
        cell = cell.replace(",", ".")  # where another character parts the cells
    if not _NUMBER.fullmatch(cell):
        raise UnreadError(cell)
    return exact(float(cell)) if "." in cell or "e" in cell.lower() or "i" in cell.lower() else Fraction(int(cell))


def _label(cell: str) -> bool | None:
    bare = cell.strip().lower()
    if bare in MISSING:
        return None
    return number(bare) == 1 if _NUMBER.fullmatch(bare) else positive(bare)


def _slow(rows: list[list[str]], names: list[str]) -> Slow:
    if names.count("y") != 1 or names.count("s") != 1 or any(len(row) != len(names) for row in rows):
        raise UnreadError(names)
    at_y, at_s = names.index("y"), names.index("s")
    labels = {row[at_y].strip().lower() for row in rows}
    if any(_NUMBER.fullmatch(word) and number(word) not in (0, 1, -1) for word in labels):
        raise UnreadError(labels)
    return Slow(Subject(_label(row[at_y]), number(row[at_s])) for row in rows)


def _evaluated(path: Path, slow: Any, given: Any, **how: Any) -> Verdict:
    found, refused = answer(lambda: hc.evaluate("y", "s", data=str(path), metrics=CHOSEN, **how))
    if refused:
        return Verdict.REFUSED
    return confirm({m: found["s", m].value for m in CHOSEN}, slow, given)


def tables_of_text(rng: Random, folder: Path) -> Verdict:
    """Read a CSV in one of many dialects, of which bytes may be changed."""
    names, rows = _rows(rng)
    mark, end = rng.choice(",,,;\t|"), rng.choice(("\n", "\n", "\r\n", "\r"))
    written = io.StringIO(newline="")
    how: Literal[0, 1] = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    csv.writer(written, delimiter=mark, lineterminator=end, quoting=how).writerows([names, *rows])
    text = written.getvalue()
    changed = rng.random() < 0.5
    if changed:
        text = odd.mutated(rng, text, ('"', end, mark, "\n\n", "#", mark * 2))
    content = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        content = rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"# x\n")) + content
        changed = True
    path = folder / "x.csv"
    path.write_bytes(content)

    def slow() -> Slow:
        if not changed:
            return _slow(rows, names)
        plain = content.decode("utf-8-sig")
        lines = [row for row in csv.reader(io.StringIO(plain, newline=""), delimiter=mark, strict=True) if row]
        head = lines[0] if lines else []
        if not {"y", "s"} <= set(head):  # a column is the one whose name is the same, spaces included, if there is one
            head = [name.strip() for name in head]
        for row in lines[1:]:
            while len(row) > len(head) and not row[-1]:
                del row[-1]  # marks at the end of a line, as spreadsheets write them
        return _slow(lines[1:], head)

    return _evaluated(path, slow, content)


def json_lines(rng: Random, folder: Path) -> Verdict:
    """Read JSON lines, of which characters may be changed."""
    n = rng.choice((1, 2, 4, 7))
    cells: tuple[Any, ...] = (0, 1, 2.5, -1, None, "3", "x", True, [1], {"a": 1}, 1e308, 2**53 + 1, 10**30)
    lines = [{"y": rng.randrange(2), "s": rng.choice((rng.randrange(4), rng.gauss(0, 1)))} for _ in range(n)]
    if rng.random() < 0.4:
        rng.choice(lines)[rng.choice("ys")] = rng.choice(cells)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    if rng.random() < 0.4:
        text = odd.mutated(rng, text, ("{", "}", "\n", "null", ","))
    path = folder / "x.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))

    def slow() -> Slow:
        try:
            read = list(_objects(re.sub(r",\s*}", "}", text)))  # a comma before the end is read over
        except json.JSONDecodeError as error:
            raise UnreadError(error) from None
        texts = [[_text(row.get(name)) for name in "ys"] for row in read if isinstance(row, dict)]
        if len(texts) < len(read):
            raise UnreadError(read)
        return _slow(texts, ["y", "s"])

    return _evaluated(path, slow, text)


def _objects(text: str) -> Iterator[Any]:
    """Yield the values of a text, each on a line of its own or not."""
    decoder, at = json.JSONDecoder(), 0
    while rest := text[at:].lstrip(" \t\r\n"):
        value, used = decoder.raw_decode(rest)
        at = len(text) - len(rest) + used
        yield value


def _text(value: Any) -> str:
    if isinstance(value, (list, dict)):
        raise UnreadError(value)
    return "" if value is None else str(value)


TYPES = (
    pa.int8(), pa.int64(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.string(),
    pa.large_string(),
    pa.decimal128(12, 3), pa.dictionary(pa.int8(), pa.string()), pa.date32(), pa.timestamp("us"), pa.duration("s"),
    pa.list_(pa.float64()), pa.null(), pa.binary(),
)  # fmt: skip


def parquet(rng: Random, folder: Path) -> Verdict:
    """Read Parquet with columns of any type, of which bytes may be changed."""
    n = rng.choice((0, 1, 3, 6))
    values: list[list[Any]] = [
        [rng.randrange(2) for _ in range(n)],
        [rng.choice((0, 1, 2, 3, None if rng.random() < 0.1 else 4)) for _ in range(n)],
    ]
    columns = []
    for held in values:
        kind = rng.choice(TYPES) if rng.random() < 0.5 else pa.float64()
        texts = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind)
        try:
            columns.append(pa.array([None if v is None else str(v) for v in held] if texts else held, kind))
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, TypeError):
            columns.append(pa.array(held, pa.int64()))
    path = folder / "x.parquet"
    pq.write_table(pa.table(dict(zip(rng.choice(("ys", ["y", "s"])), columns, strict=True))), path)
    content = path.read_bytes()
    if rng.random() < 0.3:
        content = odd.mutated_bytes(rng, content)
        path.write_bytes(content)
        _, refused = answer(lambda: hc.evaluate("y", "s", data=str(path), metrics=CHOSEN))
        # Parquet has no digest of its values: what was changed may be another number
        return Verdict.REFUSED if refused else Verdict.CONFIRMED

    def slow() -> Slow:
        if any(t.type in TYPES[11:13] + TYPES[14:] for t in columns) or n == 0:
            raise UnreadError(columns)
        return of_columns(*values)

    return _evaluated(path, slow, [(str(c.type), v) for c, v in zip(columns, values, strict=True)])


def retrieval(rng: Random, folder: Path) -> Verdict:
    """Evaluate a run and judgements of which characters may be changed."""
    docs = [f"d{i}" for i in range(rng.randrange(1, 6))]
    run = "".join(f"{t} Q0 {d} 1 {rng.choice((rng.randrange(3), 0.5, 1e-3))} r\n" for t in ("1", "2") for d in docs)
    qrels = "".join(f"{t} 0 {d} {rng.choice((0, 1, 1, 2))}\n" for t in ("1", "2") for d in docs)
    if rng.random() < 0.6:
        which = rng.randrange(2)
        changed = odd.mutated(rng, (run, qrels)[which], ("\n", " ", "\t", "nan", "inf", "1e400"))
        run, qrels = (changed, qrels) if which == 0 else (run, changed)
    a, b = folder / "run.txt", folder / "qrels.txt"
    a.write_bytes(run.encode("utf-8", "surrogatepass"))
    b.write_bytes(qrels.encode("utf-8", "surrogatepass"))
    found, refused = answer(lambda: (hc.read_trec_run(a), hc.read_qrels(b)))
    if refused:
        return Verdict.REFUSED
    for path, text, fields in ((0, run, 6), (1, qrels, 4)):
        lines = [_BLANK.split(line.strip(" \t\r\f\v")) for line in text.split("\n") if line.strip(" \t\r\f\v")]
        by_hand: dict[str, dict[str, float]] = {}
        for line in lines:
            if len(line) != fields:
                raise FaultError(f"a line of {len(line)} fields was read: {text!r}")
            by_hand.setdefault(line[0], {})[line[2]] = float(line[4]) if fields == 6 else int(Decimal(line[3]))
        if by_hand != found[path]:
            raise FaultError(f"{found[path]} was read from {text!r}")
    return Verdict.CONFIRMED


# SQLite refuses a word right after a number, as in "s < 2AND y = 1", which DuckDB reads
_TOUCHING = re.compile(
    r"""('[^']*'|"[^"]*")|\b\d+(?:e\d+)?\.?(?=(?:AND|OR|NOT|IN|IS|BETWEEN|LIKE|THEN|ELSE|END|WHEN)\b)""", re.IGNORECASE
)
PIECES = (
    "s", "s > 1", "c = 'a'", "NOT", "AND", "OR", "(", ")", "s IS NULL", "s IN (1, 2)", "s BETWEEN 0 AND 2",
    "c <> 'b'", "s + 1 < 3",
    "-s", "1 = 1", "c IS NOT NULL", "coalesce(s, 0) >= 1", "abs(s) < 2", "length(c) = 1",
    "CASE WHEN s > 1 THEN 1 ELSE 0 END = 1",
)  # fmt: skip
HARM = (
    "; DROP TABLE t", "; ATTACH 'z.db'", "(SELECT 1)", "read_text('x.csv')", "random() < 0.5", "now() > s",
    "COPY (SELECT 1) TO 'z'",
    "getenv('HOME') = ''", "pg_sleep(9)", "--", "/*", "*", "$1", "?", "\x00", "s LIKE '%", "'",
    '"', "query('SELECT 1')",
    "range(999999999)[1] > s", "len(repeat(c, 999999999)) > 1", "lpad(c, s, 'a') = c", "(s > 1", "s > \u0661",
    "1) UNION SELECT (1", "install httpfs", "current_setting('x')", "s = ALL(VALUES (1))",
)  # fmt: skip


def conditions(rng: Random, folder: Path) -> Verdict:
    """Read the rows for which a condition holds; another database, SQLite, says which they are."""
    kept = folder / "of a condition"
    kept.mkdir(exist_ok=True)
    path = kept / "x.csv"
    rows = [(1, 3, "a"), (0, 2, "b"), (1, 1, "a"), (0, 0, "c"), (1, 2, "b"), (0, -1, "a")]
    path.write_text("y,s,c\n" + "".join(f"{y},{s},{c}\n" for y, s, c in rows))
    parts: list[str] = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        parts += [
            rng.choice(PIECES[:1] + PIECES[1:3] + PIECES[8:11] + PIECES[11:]),
            rng.choice(("AND", "OR", "AND NOT")),
        ]
    text = " ".join(parts[:-1])
    harmless = rng.random() < 0.5
    if not harmless:
        text = rng.choice((odd.mutated(rng, text, PIECES + HARM), f"{text} {rng.choice(HARM)}", rng.choice(HARM)))
    found, refused = answer(lambda: hc.evaluate("y", "s", data=str(path), where=text, metrics=CHOSEN))
    if os.listdir(kept) != ["x.csv"]:
        raise FaultError(f"files were written: {os.listdir(kept)}: {text!r}")
    if refused:
        return Verdict.REFUSED

    def slow() -> Slow:
        with closing(sqlite3.connect(":memory:")) as db:
            db.execute("CREATE TABLE t (y INTEGER, s REAL, c TEXT)")
            db.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
            try:
                spaced = _TOUCHING.sub(lambda found: found[0] if found[1] else f"{found[0]} ", text)
                chosen = db.execute(f"SELECT y, s FROM t WHERE (\n{spaced}\n)").fetchall()
            except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
                raise UnreadError(error) from None
        return of_columns(*([row[i] for row in chosen] for i in (0, 1)))

    return confirm({m: found["s", m].value for m in CHOSEN}, slow, text)


DOORS: dict[str, Door] = {
    "csv": tables_of_text,
    "json lines": json_lines,
    "parquet": parquet,
    "trec": retrieval,
    "where": conditions,
}
