"""Files of TREC: runs (who was retrieved for which topic, with which score) and qrels (who is relevant)."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar

from hitcurve import _checks
from hitcurve._file_names import path_of
from hitcurve.errors import EmptyInputError, InputError, LabelError, ScoreError, UnreadableFileError
from hitcurve.sources.files.content import ZSTD
from hitcurve.sources.files.paths import check_is_file, unreadable
from hitcurve.sources.python_numbers import makes_ties
from hitcurve.sources.trec_columns import TopicColumns
from hitcurve.sources.trec_lines import regular_columns

V = TypeVar("V")
Run: TypeAlias = Mapping[str, Mapping[str, float]]
Qrels: TypeAlias = Mapping[str, Mapping[str, int]]

_RUN = ("topic", "Q0", "document", "rank", "score", "tag")
_QRELS = ("topic", "iteration", "document", "relevance")
_LARGE = 1 << 18  # bytes from which a file is read as columns
_BOM = b"\xef\xbb\xbf"


def read_trec_run(path: str | Path) -> dict[str, dict[str, float]]:
    r"""Read a run in the format of TREC: ``topic Q0 document rank score tag``, one retrieved document a line.

    The columns are separated by blanks; rank and tag are not used, as in trec_eval.

    Parameters
    ----------
    path : str or Path
        Plain, or compressed by gzip, bzip2, xz or zstd.

    Returns
    -------
    dict of str to dict of str to float
        The score of each document of each topic.

    Raises
    ------
    UnreadableFileError, EmptyInputError
        If the file cannot be read, or holds nothing.
    InputError, ScoreError
        With the line, if one does not have six fields, its score is not a number, or its document was listed before.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     run = Path(folder) / "run.txt"
    ...     _ = run.write_text("301 Q0 d7 1 2.5 bm25\n301 Q0 d3 2 1.25 bm25\n")
    ...     read_trec_run(run)
    {'301': {'d7': 2.5, 'd3': 1.25}}
    """
    return _as_dicts(run_of_file(path))


def read_qrels(path: str | Path) -> dict[str, dict[str, int]]:
    r"""Read judgements in the format of TREC: ``topic iteration document relevance``, one judged document a line.

    Parameters
    ----------
    path : str or Path
        Plain, or compressed by gzip, bzip2, xz or zstd.

    Returns
    -------
    dict of str to dict of str to int
        The relevance of each judged document of each topic.

    Raises
    ------
    UnreadableFileError, EmptyInputError
        If the file cannot be read, or holds nothing.
    InputError, LabelError
        With the line, if one does not have four fields, its relevance is not a whole number, or its document was judged
        before.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     qrels = Path(folder) / "qrels.txt"
    ...     _ = qrels.write_text("301 0 d3 1\n301 0 d9 0\n")
    ...     read_qrels(qrels)
    {'301': {'d3': 1, 'd9': 0}}
    """
    return _as_dicts(qrels_of_file(path))


def run_of_file(path: str | Path) -> Run:
    """Return a run as :func:`read_trec_run` does; of a large file as columns."""
    path = path_of(path)
    columns = _columns(path, _RUN, 4)
    if columns is not None:
        return columns
    run: dict[str, dict[str, float | Decimal]] = _read(path, _RUN, 4, _score)
    return {topic: _as_floats(scores, f"{path.name}, topic {topic!r}") for topic, scores in run.items()}


def qrels_of_file(path: str | Path) -> Qrels:
    """Return judgements as :func:`read_qrels` does; of a large file as columns."""
    path = path_of(path)
    columns = _columns(path, _QRELS, 3)
    return _read(path, _QRELS, 3, _relevance) if columns is None else columns


def judgements_of_file(path: str | Path) -> Iterator[tuple[str, str, str, str, int]]:
    """Yield the judgements of a file line by line: where, topic, iteration, document, relevance."""
    path, empty = path_of(path), True
    for where, topic, document, parts in _fields_of_lines(path, _QRELS):
        try:
            yield where, topic, parts[1].decode(), document, _relevance(parts[3])
        except LabelError as error:
            raise LabelError(f"{where}: {error}") from None
        empty = False
    if empty:
        raise EmptyInputError(_nothing_in(path, _QRELS))


def looks_like_qrels(path: Path) -> bool:
    """Say whether the first line of a file has the fields of judgements."""
    found = next((line.split() for _, line in _lines(path) if line.split()), [])
    return len(found) == len(_QRELS)


def _columns(path: Path, fields: tuple[str, ...], at: int) -> TopicColumns | None:
    if check_is_file(path).st_size < _LARGE:  # Arrow takes a while to be imported
        return None
    try:
        return regular_columns(lambda: _opened(path), fields, fields[at])
    except UnreadableFileError:  # of a compressed file that is damaged; its lines say where
        return None


def _as_dicts(found: Mapping[str, Mapping[str, V]]) -> dict[str, dict[str, V]]:
    return {topic: dict(of_topic) for topic, of_topic in found.items()}


def _read(path: Path, fields: tuple[str, ...], at: int, value: Callable[[bytes], V]) -> dict[str, dict[str, V]]:
    found: dict[str, dict[str, V]] = {}
    for where, topic, document, parts in _fields_of_lines(path, fields):
        of_topic = found.setdefault(topic, {})
        if document in of_topic:
            first, before = next(
                (n, other.split()) for n, other in _lines(path) if other.split()[0:3:2] == parts[0:3:2]
            )
            hint = "; judgements by subtopic are read by read_subtopics (--subtopics)"
            raise InputError(
                f"{where}: document {document!r} of topic {topic!r} occurs a second time, the first is in line {first}"
                f"{hint if fields is _QRELS and before[1] != parts[1] else ''}"
            )
        try:
            of_topic[document] = value(parts[at])
        except (LabelError, ScoreError) as error:
            raise type(error)(f"{where}: {error}") from None
    if not found:
        raise EmptyInputError(_nothing_in(path, fields))
    return found


def _fields_of_lines(path: Path, fields: tuple[str, ...]) -> Iterator[tuple[str, str, str, list[bytes]]]:
    """Yield of each line where it is, its topic, its document and all of its fields."""
    for place, raw in _lines(path):
        parts = raw.split()
        if not parts:
            continue
        where = f"{path.name}, line {place}"
        if b"\0" in raw:
            raise UnreadableFileError(f"{where} is not text: runs and qrels must be text, plain or compressed")
        if len(parts) != len(fields):
            raise InputError(f"{where}: {_counted(len(parts), fields)}")
        try:
            topic, document = parts[0].decode(), parts[2].decode()
        except UnicodeDecodeError:
            raise UnreadableFileError(
                f"{where} is not UTF-8: runs and qrels must be text, plain or compressed (gzip, bzip2, xz, zstd)"
            ) from None
        yield where, topic, document, parts


def _nothing_in(path: Path, fields: tuple[str, ...]) -> str:
    return f"{path.name} contains no line: each line has {len(fields)} fields, {' '.join(fields)}"


def _counted(count: int, fields: tuple[str, ...]) -> str:
    asked, other, others = ("a run", "qrels", _QRELS) if fields is _RUN else ("qrels", "a run", _RUN)
    found = "1 field" if count == 1 else f"{count} fields"
    swapped = f" as in {other} (are the two files swapped?)" if count == len(others) else ""
    return f"{found}{swapped}; a line of {asked} has {len(fields)}: {' '.join(fields)}"


def _score(text: bytes) -> float | Decimal:
    """Return a score as a float, or exactly where it has digits that no program writes of its float."""
    try:
        # Python would also take 1_000
        score = math.nan if b"_" in text else float(text)
    except ValueError:
        score = math.nan
    if math.isnan(score):
        raise ScoreError(f"the score {_shown(text)} is not a number")
    if _is_out_of_range(text, score):
        return Decimal(text.decode())
    if len(text) <= 16 or text.decode() in (repr(score), f"{score:.17g}", f"{score:.18e}"):
        return score
    return Decimal(text.decode())


def _is_out_of_range(text: bytes, score: float) -> bool:
    """Say whether a number is beyond the floats, or below those of all digits, where numbers that differ become one."""
    if math.isinf(score):
        return b"inf" not in text.lower()
    return abs(score) < sys.float_info.min and bool(re.match(rb"[^eE]*[1-9]", text))


def _as_floats(scores: dict[str, Any], where: str) -> dict[str, float]:
    if all_are(float, scores.values()):
        return scores
    floats = {name: float(score) for name, score in scores.items()}
    if makes_ties((Decimal(str(score)) for score in scores.values()), floats.values()):
        raise ScoreError(
            f"{where}: different scores are equal as 64-bit floats, which would create ties: give their ranks"
        )
    return floats


def all_are(kind: type, values: Iterable[Any]) -> bool:
    """Say whether all values are exactly of a type."""
    return set(map(type, values)) <= {kind}


def _relevance(text: bytes) -> int:
    if not re.fullmatch(rb"[-+]?\d+(\.0*)?", text):
        raise LabelError(f"the relevance {_shown(text)} is not a whole number")
    return int(text.partition(b".")[0])


def _shown(text: bytes) -> str:
    return repr(text.decode(errors="replace")[:40])


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers, unpacked and without the mark that some editors put first."""
    with _opened(path) as file:
        for place, line in enumerate(file, start=1):
            yield place, line.removeprefix(_BOM) if place == 1 else line


def _zstd(file: IO[bytes]) -> IO[bytes]:
    pyarrow = _checks.extra("pyarrow", "files", "reading a file compressed by zstd")
    return io.BufferedReader(pyarrow.CompressedInputStream(pyarrow.PythonFile(file), "zstd"))


_PACKED: dict[bytes, tuple[str, Callable[[IO[bytes]], Any]]] = {
    b"\x1f\x8b": ("gzip", gzip.open),
    b"BZh": ("bzip2", bz2.open),
    b"\xfd7zXZ\x00": ("xz", lzma.open),
    **dict.fromkeys(ZSTD, ("zstd", _zstd)),
}
"""How files are compressed, by their first bytes."""


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    check_is_file(path)
    how = ""
    try:
        with path.open("rb") as file:
            start = file.read(6)
            file.seek(0)
            how, unpack = next((kind for magic, kind in _PACKED.items() if start.startswith(magic)), ("", None))
            with file if unpack is None else unpack(file) as unpacked:
                yield unpacked
    except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        if not how and isinstance(error, OSError):
            raise unreadable(path, error) from None
        raise UnreadableFileError(f"{path.name} is not a complete {how} file: {error}") from None
