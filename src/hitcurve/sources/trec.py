"""Files of TREC: runs (who was retrieved for which topic, with which score) and qrels (who is relevant)."""

from __future__ import annotations

import gzip
import math
import operator
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar

from hitcurve import _checks
from hitcurve.errors import EmptyInputError, InputError, LabelError, ScoreError, UnreadableFileError
from hitcurve.sources.columns import makes_ties
from hitcurve.sources.files.paths import check_is_file, unreadable

V = TypeVar("V")
Run: TypeAlias = dict[str, dict[str, float]]
Qrels: TypeAlias = dict[str, dict[str, int]]

_RUN = ("topic", "Q0", "document", "rank", "score", "tag")
_QRELS = ("topic", "iteration", "document", "relevance")
_BOM = b"\xef\xbb\xbf"


def read_trec_run(path: str | Path) -> Run:
    r"""Read a run in the format of TREC: ``topic Q0 document rank score tag``, one retrieved document a line.

    The columns are separated by blanks; rank and tag are not used, as in trec_eval.

    Parameters
    ----------
    path : str or Path
        Plain or gzip.

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
    run: dict[str, dict[str, float | Decimal]] = _read(Path(path), _RUN, 4, _score)
    return {topic: _as_floats(scores, f"{Path(path).name}, topic {topic!r}") for topic, scores in run.items()}


def read_qrels(path: str | Path) -> Qrels:
    r"""Read judgements in the format of TREC: ``topic iteration document relevance``, one judged document a line.

    Parameters
    ----------
    path : str or Path
        Plain or gzip.

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
    return _read(Path(path), _QRELS, 3, _relevance)


def _read(path: Path, fields: tuple[str, ...], at: int, value: Callable[[bytes], V]) -> dict[str, dict[str, V]]:
    found: dict[str, dict[str, V]] = {}
    place = 0
    for place, raw in _lines(path):
        parts = raw.split()
        if not parts:
            continue
        where = f"{path.name}, line {place}"
        if len(parts) != len(fields):
            raise InputError(f"{where}: {_counted(len(parts), fields)}")
        try:
            topic, document = parts[0].decode(), parts[2].decode()
        except UnicodeDecodeError:
            raise UnreadableFileError(
                f"{where} is not UTF-8: runs and qrels must be text, plain or compressed by gzip"
            ) from None
        of_topic = found.setdefault(topic, {})
        if document in of_topic:
            raise InputError(f"{where}: document {document!r} of topic {topic!r} occurs a second time")
        try:
            of_topic[document] = value(parts[at])
        except (LabelError, ScoreError) as error:
            raise type(error)(f"{where}: {error}") from None
    if not found:
        raise EmptyInputError(f"{path.name} contains no line: each line has {len(fields)} fields, {' '.join(fields)}")
    return found


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
    if _are(float, scores.values()):
        return scores
    floats = {name: float(score) for name, score in scores.items()}
    if makes_ties((Decimal(str(score)) for score in scores.values()), floats.values()):
        raise ScoreError(
            f"{where}: different scores are equal as 64-bit floats, which would create ties: give their ranks"
        )
    return floats


def _relevance(text: bytes) -> int:
    if not text[text[:1] in (b"-", b"+") :].isdigit():
        raise LabelError(f"the relevance {_shown(text)} is not a whole number")
    return int(text)


def _shown(text: bytes) -> str:
    return repr(text.decode(errors="replace")[:40])


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers, unpacked and without the mark that some editors put first."""
    with _opened(path) as file:
        for place, line in enumerate(file, start=1):
            yield place, line.removeprefix(_BOM) if place == 1 else line


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    check_is_file(path)
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            with gzip.open(file) if packed else file as unpacked:
                yield unpacked  # type: ignore[misc]
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UnreadableFileError(f"{path.name} is not a complete gzip file: {error}") from None
    except OSError as error:
        raise unreadable(path, error) from None


# ---- the same in memory


def checked_run(what: str, given: Any) -> Run:
    """Return a run that was passed as mappings.

    Raises
    ------
    InputError, ScoreError
        If it is not a mapping of topics to the scores of their documents.
    """
    found = _nested(what, given, "topics to the scores of their documents")
    try:
        return {topic: _real_numbers(of_topic) for topic, of_topic in found.items()}
    except InputError as error:
        raise ScoreError(f"{what}: {error}") from None


def checked_qrels(given: Any) -> Qrels:
    """Return judgements that were passed as mappings.

    Raises
    ------
    InputError, LabelError
        If they are not a mapping of topics to the relevance of their documents.
    """
    found = _nested("qrels", given, "topics to the relevance of their documents")
    try:
        return {
            topic: of_topic if _are(int, of_topic.values()) else {k: operator.index(v) for k, v in of_topic.items()}
            for topic, of_topic in found.items()
        }
    except TypeError:
        odd = next(value for of in found.values() for value in of.values() if not hasattr(value, "__index__"))
        raise LabelError(f"qrels: the relevance {odd!r} is not a whole number") from None


def _nested(what: str, given: Any, wanted: str) -> dict[str, dict[str, Any]]:
    if not isinstance(given, Mapping) or not all(isinstance(of_topic, Mapping) for of_topic in given.values()):
        raise InputError(f"{what} must be a file or a mapping of {wanted}, got {type(given).__name__}")
    if not any(given.values()):
        raise EmptyInputError(f"{what} contains no document")
    return {name: _by_text(what, of_topic) for name, of_topic in _by_text(what, given).items()}


def _are(kind: type, values: Iterable[Any]) -> bool:
    return set(map(type, values)) <= {kind}


def _real_numbers(given: dict[str, Any]) -> dict[str, float]:
    # a sum of floats is nan if one of them is, or if there are two infinities to look at one by one
    if _are(float, given.values()) and not math.isnan(sum(given.values())):
        return given
    floats = {name: _checks.real_number("score", value) for name, value in given.items()}
    if makes_ties(given.values(), floats.values()):
        raise ScoreError("different scores are equal as 64-bit floats, which would create ties: pass their ranks")
    return floats


def _by_text(what: str, given: Mapping[Any, Any]) -> dict[str, Any]:
    if _are(str, given):
        return given if isinstance(given, dict) else dict(given)
    out = {str(name): value for name, value in given.items()}
    if len(out) < len(given):
        raise InputError(f"{what} has ids that differ as values but not as text, such as 1 and '1'")
    return out
