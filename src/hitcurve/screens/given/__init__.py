"""Where a screen takes its markers and labels from: arrays, data frames, files and annotated matrices."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hitcurve.errors import ParameterError
from hitcurve.screens.given.parts import Given
from hitcurve.screens.given.patterns import matching, picked
from hitcurve.screens.given.size import check_number
from hitcurve.screens.given.subset import with_labels
from hitcurve.sources.alignment import put_in_order

__all__ = ["Given", "annotated_path", "in_one_order", "matching", "omitted", "opened", "picked", "with_labels"]

_OF_ARRAYS = {".npy": "numpy.load({!r}, mmap_mode='r')", ".npz": "scipy.sparse.load_npz({!r})"}


def opened(
    X: Any,
    y: Any,
    clusters: Any = None,
    *,
    markers: str | Sequence[str] | None = None,
    layer: str | None = None,
    pos_label: Any = None,
    where: str | None = None,
    by: Any = None,
) -> Given:
    """Return markers, labels, clusters and groups, of which the last three may be named columns of the first.

    Parameters
    ----------
    X : path, AnnData, data frame, matrix
    y, clusters, by : str or array-like (n,)
    markers : str or sequence of str, optional
        Patterns of the columns that are read of a text file.
    layer : str, optional
        Of an AnnData.
    pos_label : object
        The positive label, which is never missing.
    where : str, optional
        SQL condition on the rows of files.
    """
    from hitcurve.screens.given import annotated

    if isinstance(X, (str, os.PathLike)):
        return _of_path(os.fspath(X), y, clusters, markers, layer, pos_label, where, by)
    check_number(X)
    if isinstance(X, Mapping) and hasattr(X, "tocsc"):  # a sparse matrix that is a dictionary as well
        X = X.tocsc()
    if where is not None:
        raise ParameterError("where is a condition on the rows of a file, which X is not: choose the rows of X itself")
    if annotated.is_annotated(X):
        return annotated.of_object(X, y, clusters, layer, by)
    _refuse_layer(layer, "X")
    named = {name: given for name, given in (("y", y), ("clusters", clusters), ("by", by)) if isinstance(given, str)}
    if not named:
        return Given(X, y, clusters, by=by)
    return _of_frame(X, {"y": y, "clusters": clusters, "by": by}, named)


def in_one_order(X: Any, index: Any = None, **beside: Any) -> dict[str, Any]:
    """Return markers and what is beside them in one order of subjects, where their indexes name these.

    Parameters
    ----------
    X : Columns, array, data frame, sparse matrix or mapping
    index : pandas.Index, optional
        Names of the subjects of an AnnData.
    **beside : array-like (n,) or None

    Raises
    ------
    InputError
        If the indexes name different subjects.

    Warns
    -----
    AlignmentWarning
        If columns were put in another order.
    """
    if index is not None:
        from hitcurve.screens.given import annotated

        return {**put_in_order(annotated.named_alike(index, beside)), "X": X}
    if isinstance(X, Mapping):
        found = put_in_order({**{f"X[{key!r}]": column for key, column in X.items()}, **beside})
        return {"X": {key: found[f"X[{key!r}]"] for key in X}, **{name: found[name] for name in beside}}
    if hasattr(X, "shape"):
        return put_in_order({"X": X, **beside})
    return {"X": X, **put_in_order(beside)}


def _of_path(
    name: str, y: Any, clusters: Any, markers: Any, layer: str | None, pos_label: Any, where: str | None, by: Any
) -> Given:
    from hitcurve.screens.given import annotated
    from hitcurve.screens.given.files import MarkerFile
    from hitcurve.sources.files import expand
    from hitcurve.sources.files.paths import check_is_file

    paths = expand(name)
    annotated_one = annotated_path(paths)
    if not isinstance(y, str) or not all(one is None or isinstance(one, str) for one in (clusters, by)):
        raise ParameterError(f"y, clusters and by must be names of columns of {Path(name).name}")
    for path in paths:
        check_is_file(path)
    if annotated_one is not None:
        if where is not None:
            raise ParameterError("where cannot be combined with an .h5ad file: leave it out")
        return annotated.AnnotatedFile(annotated_one, layer).read(y, clusters, by)
    _refuse_layer(layer, Path(name).name)
    return MarkerFile(paths, y, clusters, markers, pos_label=pos_label, by=by, where=where).read()


def annotated_path(paths: Sequence[Path]) -> Path | None:
    """Return the file whose name is the name of an AnnData; None if there is none.

    Raises
    ------
    ParameterError
        If there are others beside it, or files of arrays.
    """
    from hitcurve.screens.given import annotated

    if arrays := [path for path in paths if path.suffix.lower() in _OF_ARRAYS]:
        load = _OF_ARRAYS[arrays[0].suffix.lower()].format(arrays[0].name)
        raise ParameterError(
            f"{arrays[0].name} is an array, its columns have no names: write a table such as Parquet, or pass "
            f"X={load} in Python, and y as an array"
        )
    found = [path for path in paths if path.suffix.lower() in annotated.ENDINGS]
    if found and len(paths) > 1:
        raise ParameterError("an .h5ad file is read alone: give one file")
    return found[0] if found else None


def omitted(given: Given, patterns: Sequence[str]) -> Given:
    """Return markers without those that patterns match."""
    from hitcurve.screens.columns import columns_of

    if not patterns:
        return given
    every = columns_of(given.X, given.names)
    gone = frozenset(matching(patterns, every.names, "--omit"))
    return given._replace(X=picked(every, [name for name in every.names if name not in gone]), names=None)


def _refuse_layer(layer: str | None, what: str) -> None:
    if layer is not None:
        raise ParameterError(f"a layer is a part of AnnData, which {what} is not: leave it out")


def _of_frame(X: Any, given: Mapping[str, Any], named: Mapping[str, str]) -> Given:
    """Return a data frame without the columns that are labels, clusters and groups, and these."""
    import narwhals.stable.v2 as nw

    from hitcurve.sources.frames import as_frame, check_columns, column_names, pick_columns

    frame = None if hasattr(X, "tocsc") or hasattr(X, "__array_interface__") else X
    frame = as_frame(frame) if frame is not None and not isinstance(X, Mapping) else frame
    if frame is None:
        what = next(iter(named))
        raise ParameterError(f"{what} names the column {named[what]!r}, and X has no named columns: pass an array")
    own = list(dict.fromkeys(named.values()))
    there = list(X) if isinstance(X, Mapping) else column_names(frame)
    check_columns(own, there)
    found = pick_columns(X, own)
    if isinstance(X, Mapping):
        rest: Any = {key: values for key, values in X.items() if key not in own}
    elif isinstance(frame, (nw.DataFrame, nw.LazyFrame)):
        rest = frame.drop(own).to_native()
    else:
        rest = frame.drop(columns=own)
    y, clusters, by = (found[named[name]] if name in named else given[name] for name in ("y", "clusters", "by"))
    return Given(rest, y, clusters, by=by)
