"""Hit tables as files of Arrow (Feather): every array a column of one row, all else as JSON in the metadata."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, units
from hitcurve._file_names import path_of
from hitcurve._writing import check_folder, written_whole
from hitcurve.counts import AnyArray
from hitcurve.errors import ParameterError, UnreadableFileError
from hitcurve.immutable import ArrayValue
from hitcurve.label_errors import LabelErrors
from hitcurve.sources import Tally
from hitcurve.sources.files.batches import numbers
from hitcurve.sources.files.paths import check_no_pipe

FORMAT, VERSION = "hitcurve tables", 1
SUFFIX = ".hit"
_KEY = b"hitcurve"  # of the metadata
_MAGIC = b"ARROW1"
_PURPOSE = "a file of hit tables"


class Stored(NamedTuple):
    """What a file holds.

    Attributes
    ----------
    tables : sequence of mapping
        The fields of each table or stack, and its ``ranker`` and ``type``.
    about : mapping of str
        What is known of all of them, as JSON.
    """

    tables: Sequence[Mapping[str, Any]]
    about: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Storable(ArrayValue):
    """A value of arrays that can be written to a file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file that :func:`hitcurve.load_table` reads back, bit for bit.

        The file is Arrow IPC (Feather) with the version of its layout and a digest of its content; it contains counts
        and scores of positives, and no code. It is written atomically.

        Parameters
        ----------
        path : str or path
            Any name, for example ``day.hit``.

        Raises
        ------
        UnreadableFileError
            If it cannot be written.
        ParameterError
            If a name holds half a character.
        MissingExtraError
            If pyarrow is not installed.

        Examples
        --------
        >>> import os, tempfile
        >>> import hitcurve as hc
        >>> path = os.path.join(tempfile.mkdtemp(), "day.hit")
        >>> table = hc.HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> table.save(path)
        >>> hc.load_table(path) == table
        True
        """
        write(path, Stored([{"ranker": None, **fields_of(self)}], {}))


def fields_of(value: ArrayValue) -> dict[str, Any]:
    """Return the fields of a table or a stack that make it equal to another, and what it is."""
    return {"type": type(value).__name__, **{f.name: getattr(value, f.name) for f in fields(value) if f.compare}}


# ---- writing


def write(path: str | os.PathLike[str], stored: Stored) -> None:
    """Write tables to a file, atomically.

    Raises
    ------
    UnreadableFileError, ParameterError, MissingExtraError
    """
    pa = _checks.extra("pyarrow", "files", _PURPOSE)
    ipc = _checks.extra("pyarrow.ipc", "files", _PURPOSE)
    path = path_of(path)
    check_folder(path)
    columns: dict[str, AnyArray] = {}
    heads = []
    for place, table in enumerate(stored.tables):
        head: dict[str, Any] = {}
        for name, value in table.items():
            if isinstance(value, np.ndarray):
                columns[f"{place}.{name}"] = value
            elif name == "names":
                columns[f"{place}.{name}"] = np.array(value, object)
            else:
                head[name] = asdict(value) if isinstance(value, LabelErrors) else value
        heads.append(head)
    types = {name: _type_of(column) for name, column in columns.items()}
    about = {**stored.about, "tables": heads, "types": types}
    try:
        digest = _digest(about, columns)
        head = {"format": FORMAT, "version": VERSION, "digest": digest, **about}
        written = json.dumps(head, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ParameterError(_checks.half_a_character(error)) from None
    lists = [_as_list(pa, column) for column in columns.values()]
    schema = pa.schema([(name, one.type) for name, one in zip(columns, lists, strict=True)], {_KEY: written})
    batch = pa.RecordBatch.from_arrays(lists, schema=schema)
    with (
        written_whole(path) as out,
        ipc.new_file(out, schema, options=ipc.IpcWriteOptions(compression="zstd")) as writer,
    ):
        writer.write_batch(batch)


def _type_of(column: AnyArray) -> str:
    return "str" if column.dtype.kind == "O" else column.dtype.newbyteorder("=").name


def _as_list(pa: Any, column: AnyArray) -> Any:
    """Return a column as a list in one row; floats longer than those of Arrow are text."""
    if column.dtype.kind == "f" and column.dtype.itemsize > 8:
        column = np.array([np.format_float_scientific(value, unique=True) for value in column], object)
    if column.dtype.kind == "O":
        values = pa.array(column.tolist(), pa.large_string())
    else:
        values = pa.array(np.ascontiguousarray(column, column.dtype.newbyteorder("=")))
    return pa.LargeListArray.from_arrays(pa.array([0, column.size], pa.int64()), values)


def _digest(about: Mapping[str, Any], columns: Mapping[str, AnyArray]) -> str:
    """Return a digest of all that a file says, however Arrow lays it out."""
    found = hashlib.blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=16)
    for name, column in columns.items():
        found.update(f"\0{name}\0{column.size}\0".encode())
        if column.dtype.kind == "O" or column.dtype.itemsize > 8:
            found.update("\0".join(map(str, column.tolist())).encode())
        else:
            little = np.ascontiguousarray(column, column.dtype.newbyteorder("<"))
            found.update(little.view(np.uint8).data)
    return found.hexdigest()


# ---- reading


def read(path: str | os.PathLike[str]) -> Stored:
    """Read a file of tables.

    Raises
    ------
    UnreadableFileError
        If it is not there, is no file of tables, is damaged, or was written by a later version.
    """
    pa = _checks.extra("pyarrow", "files", _PURPOSE)
    ipc = _checks.extra("pyarrow.ipc", "files", _PURPOSE)
    path = path_of(path)
    check_no_pipe(path)
    try:
        with path.open("rb") as given, ipc.open_file(given) as found:
            written = (found.schema.metadata or {}).get(_KEY)
            if written is None:
                raise UnreadableFileError(f"{path} contains no hit tables: hitcurve table writes files that do")
            about = _about(path, json.loads(written))
            types = about["types"]
            batch = found.get_batch(0)
            # a damaged file may claim more values than there are bytes: without this the process would crash
            batch.validate(full=True)
            columns = {name: _column(batch.column(name), types[name]) for name in batch.schema.names}
            digest, heads = about.pop("digest"), about["tables"]
    except UnreadableFileError:
        raise
    except (pa.ArrowException, ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError):
        raise _no_file_of_tables(path) from None
    except MemoryError:  # Arrow makes room for as much as a damaged file claims
        raise UnreadableFileError(f"{path} is damaged, or its tables need more memory than there is") from None
    except OSError as error:
        if error.errno is None:  # what Arrow says of a file that is cut off
            raise _no_file_of_tables(path) from None
        raise UnreadableFileError(f"cannot read {path}: {error.strerror}") from None
    if digest != _digest(about, columns):
        raise UnreadableFileError(f"{path} is damaged: its content does not match its digest; write it again")
    about.pop("tables")
    about.pop("types")
    tables = []
    for place, head in enumerate(heads):
        errors = head.get("label_errors")
        try:
            own = {**head, **({} if errors is None else {"label_errors": LabelErrors(**errors)})}
        except (TypeError, ParameterError) as error:
            raise UnreadableFileError(f"{path} is damaged: {error}") from None
        for name, column in columns.items():
            number, _, field = name.partition(".")
            if int(number) == place:
                own[field] = tuple(column.tolist()) if field == "names" else column
        tables.append(own)
    return Stored(tables, about)


def _about(path: Path, about: dict[str, Any]) -> dict[str, Any]:
    """Return the metadata, unless they are of another layout."""
    if about.pop("format") != FORMAT:
        raise _no_file_of_tables(path)
    version = about.pop("version")
    if type(version) is not int or version < 1:
        raise UnreadableFileError(
            f"{path} is damaged: its layout is {version!r}, and layouts are numbered from 1; write it again"
        )
    if version > VERSION:
        raise UnreadableFileError(
            f"{path} was written by a later version of hitcurve (layout {version}; this one reads up to "
            f"{VERSION}): update hitcurve"
        )
    return about


def _column(lists: Any, kind: str) -> AnyArray:
    values = lists.values
    if kind == "str":
        return np.array(values.to_pylist(), object)
    dtype = np.dtype(kind)
    if dtype.kind == "f" and dtype.itemsize > 8:
        return np.array(values.to_pylist(), dtype)
    found = np.asarray(values.to_numpy(zero_copy_only=False)) if values.null_count else numbers(values)
    if found.dtype != dtype:  # as written they are the same; a hole makes whole numbers floats
        raise TypeError(f"{found.dtype}, not {dtype}")
    return found


def check_numbers(table: Any) -> None:
    """Raise ValueError where counts, scores or assumptions are impossible: a digest does not exclude them."""
    for name in ("pos", "neg", "pos_squares", "neg_squares"):
        column = getattr(table, name)
        if column is not None and not np.all(np.isfinite(column) & (column >= 0)):
            raise ValueError(f"{name} has a value that is negative or not finite")
    grid = table.grid
    if grid is not None and np.any(np.isnan(grid)):
        raise ValueError("a score is nan")
    prevalence = table.assumed_prevalence
    if prevalence is not None and not np.all((np.asarray(prevalence) > 0) & (np.asarray(prevalence) < 1)):
        raise ValueError("the assumed prevalence is not between 0 and 1")
    if not units.are_possible(table.unit, table.weighted):
        raise ValueError("the unit is not a positive number")


def _no_file_of_tables(path: Path) -> UnreadableFileError:
    return UnreadableFileError(f"{path} is no file of hit tables, or was cut off: hitcurve table writes them")


def is_stored(path: Path) -> bool:
    """Say whether a file contains hit tables, or is named as if it did, without reading it whole."""
    if path.suffix.lower() == SUFFIX:
        return True  # what is wrong with it is said when it is read
    try:
        if not path.is_file():  # opening a pipe waits for a writer
            return False
        with path.open("rb") as given:
            if given.read(len(_MAGIC)) != _MAGIC:
                return False
            given.seek(0)
            ipc = _checks.extra("pyarrow.ipc", "files", _PURPOSE)
            return _KEY in (ipc.open_file(given).schema.metadata or {})
    except (OSError, ValueError):  # reading it raises what is wrong
        return False


# ---- what is known of the rows


def tally_out(tally: Tally | None) -> dict[str, Any] | None:
    """Return the numbers of rows as JSON."""
    if tally is None:
        return None
    labels = sorted(map(_label_out, tally.vocabulary), key=repr)
    return {**asdict(tally), "ranked_last": dict(tally.ranked_last), "vocabulary": labels}


def tally_in(written: Mapping[str, Any] | None) -> Tally | None:
    """Return the numbers of rows that were written."""
    if written is None:
        return None
    labels = frozenset(_LABELS[kind](value) for kind, value in written["vocabulary"])
    return Tally(**{**written, "vocabulary": labels})


_LABELS = {"bool": bool, "int": int, "float": float, "str": str}


def _label_out(label: Any) -> list[Any]:
    value = label.item() if isinstance(label, np.generic) else label
    kind = type(value).__name__
    if kind not in _LABELS:
        raise ParameterError(f"labels of type {kind} cannot be written to a file of tables: turn them into text")
    return [kind, value]
