"""Annotated matrices of cells by genes: AnnData in memory, and its files (.h5ad) by the published layout.

A file is read by h5py alone: matrices (dense, CSR, CSC) and the columns of ``obs`` and ``var``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve._callers import warn
from hitcurve.counts import AnyArray
from hitcurve.errors import ColumnNotFoundError, HitcurveError, HitcurveWarning, InputError, UnreadableFileError
from hitcurve.screens.columns import Block, DenseBlock, MatrixColumns, Places
from hitcurve.screens.given.parts import Given
from hitcurve.sources.alignment import has_index, is_default

ENDINGS = (".h5ad",)
_SPARSE = ("csr_matrix", "csc_matrix")


def is_annotated(data: Any) -> bool:
    """Return whether data are an AnnData."""
    return all(hasattr(data, name) for name in ("X", "obs", "var_names", "layers"))


def of_object(data: Any, y: Any, clusters: Any, layer: str | None, by: Any = None) -> Given:
    """Return markers, labels, clusters and groups of an AnnData."""
    matrix = data.X if layer is None else _layer(data.layers, layer)
    if matrix is None:
        raise InputError("this AnnData has no X: name a layer (layer=)")
    if hasattr(matrix, "to_memory"):  # a sparse matrix on disk
        matrix = matrix.to_memory()
    elif not isinstance(matrix, np.ndarray) and not hasattr(matrix, "tocsc"):
        matrix = DiskColumns(matrix, unique([str(name) for name in data.var_names]))
    return Given(
        matrix,
        _of_obs(data.obs, y, list(data.obs.columns)),
        _of_obs(data.obs, clusters, list(data.obs.columns)),
        None if isinstance(matrix, DiskColumns) else unique([str(name) for name in data.var_names]),
        _of_obs(data.obs, by, list(data.obs.columns)),
        data.obs.index,
    )


def named_alike(index: Any, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of the subjects as a column X, and columns whose indexes are text as these are.

    Names from "0" on are those of an AnnData that was given none, and whole numbers as the default index of pandas is.
    """
    names = index.astype(str)
    numbered = names.tolist() == list(map(str, range(len(names))))
    out = {"X": (names.astype(int) if numbered else names).to_series()}
    for name, values in columns.items():
        out[name] = values
        if not has_index(values) or is_default(values.index) or values.index.nlevels > 1:
            continue
        own = values.index.astype(str)
        same = numbered and set(own) == set(names)
        out[name] = values.set_axis(own.astype(int) if same else own)
    return out


def _of_obs(obs: Any, wanted: Any, names: Sequence[str]) -> Any:
    if not isinstance(wanted, str):
        return wanted
    _check_column(wanted, names)
    column = obs[wanted]
    return column.astype(object) if hasattr(column, "astype") else np.asarray(column)


def _check_column(name: str, names: Sequence[str]) -> None:
    if name not in names:
        near = _checks.did_you_mean(name, names) or f"; columns are {', '.join(map(repr, names[:12]))}"
        raise ColumnNotFoundError(f"no column {name!r} in obs{near}")


def _layer(layers: Mapping[str, Any], name: str) -> Any:
    if name not in layers:
        there = ", ".join(map(repr, layers)) or "none"
        raise ColumnNotFoundError(
            f"no layer {name!r}{_checks.did_you_mean(name, list(layers)) or f'; there are {there}'}"
        )
    return layers[name]


def unique(names: Sequence[str]) -> list[str]:
    """Return names of which no two are the same: those that repeat get -1, -2, ... as in anndata, with a warning."""
    taken, times = set(names), dict.fromkeys(names, 0)
    out, seen, again = [], set(), []
    for name in names:
        own = name
        while own in seen or (own != name and own in taken):
            times[name] += 1
            own = f"{name}-{times[name]}"
        if own != name:
            again.append(name)
        seen.add(own)
        out.append(own)
    if again:
        from hitcurve import rows

        warn(
            HitcurveWarning(
                f"{len(again):,} names of markers repeat and got -1, -2, ... at their end "
                f"({rows.some(list(dict.fromkeys(again)))})"
            )
        )
    return out


class DiskColumns(MatrixColumns):
    """Columns of a dense matrix on disk (h5py.Dataset), which hands out parts of itself as arrays."""

    def taken(self, places: Places) -> Block:
        """Return a few columns."""
        order, back = np.unique(places, return_inverse=True)  # as h5py wants them
        return DenseBlock(places, np.ascontiguousarray(np.asarray(self.matrix[:, order.tolist()]).T[back]))


@dataclass(frozen=True)
class AnnotatedFile:
    """A file of AnnData.

    Attributes
    ----------
    path : Path
    layer : str or None
        The matrix of this layer instead of ``X``.
    """

    path: Path
    layer: str | None = None

    def read(self, y: str, clusters: str | None = None, by: str | None = None) -> Given:
        """Return the markers, and columns of ``obs`` as labels, clusters and groups.

        Raises
        ------
        UnreadableFileError, ColumnNotFoundError
            If it is no such file, or lacks a column or the layer.
        """
        h5py = _checks.extra("h5py", "anndata", "reading an .h5ad file")
        try:
            file = h5py.File(self.path, "r")
        except OSError:
            raise UnreadableFileError(
                f"{self.path.name} is not an .h5ad file: it is cut off, damaged or no HDF5"
            ) from None
        try:
            if any(part not in file for part in ("obs", "var")):
                raise UnreadableFileError(f"{self.path.name} is HDF5 without the parts of an .h5ad file (obs, var)")
            found = file.get("X") if self.layer is None else _layer(file.get("layers", {}), self.layer)
            if found is None:
                raise UnreadableFileError(f"{self.path.name} has no X: name a layer (layer=, --layer)")
            names = unique([str(name) for name in _column(file["var"], _index(file["var"]))])
            labels = self._of_obs(file["obs"], y)
            within, groups = (None if one is None else self._of_obs(file["obs"], one) for one in (clusters, by))
            return Given(_matrix(found, names), labels, within, names if hasattr(found, "keys") else None, groups)
        except HitcurveError:
            raise
        except (OSError, KeyError) as error:
            raise UnreadableFileError(
                f"{self.path.name} cannot be read: it is cut off, damaged, or its layout is not the layout of .h5ad "
                f"({str(error).splitlines()[0]})"
            ) from None

    def _of_obs(self, obs: Any, name: str) -> AnyArray:
        index = _index(obs)
        _check_column(name, [key for key in obs if key not in (index, "__categories")])
        return _column(obs, name)


def _matrix(found: Any, names: Sequence[str]) -> Any:
    """Return a matrix of a file: a sparse one in memory, a dense one where it is."""
    if not hasattr(found, "keys"):
        return DiskColumns(found, names)
    from scipy import sparse

    kind = str(found.attrs.get("encoding-type") or f"{found.attrs.get('h5sparse_format')}_matrix")
    if kind not in _SPARSE:
        raise KeyError(f"a matrix is of type {kind}")
    height, width = map(int, found.attrs.get("shape", found.attrs.get("h5sparse_shape")))
    make = sparse.csr_array if kind == "csr_matrix" else sparse.csc_array
    return make((found["data"][:], found["indices"][:], found["indptr"][:]), shape=(height, width))


def _index(frame: Any) -> str:
    return str(frame.attrs["_index"])


def _column(frame: Any, name: str) -> AnyArray:
    """Return a column of a table; missing values are None."""
    found = frame[name]
    if hasattr(found, "keys"):
        if "codes" in found:
            return _of_codes(found["codes"][:], _values(found["categories"]))
        out = np.array(_values(found["values"]), object)
        out[found["mask"][:].astype(bool)] = None
        return out
    if "categories" in found.attrs:  # files of before 2021
        return _of_codes(found[:], _values(frame[found.attrs["categories"]]))
    return _values(found)


def _of_codes(codes: AnyArray, categories: AnyArray) -> AnyArray:
    named = np.array([*categories.tolist(), None], object)  # -1 is missing
    return np.asarray(named[codes])


def _values(dataset: Any) -> AnyArray:
    found = dataset.asstr()[:] if dataset.dtype.kind == "O" else dataset[:]
    return np.asarray(np.char.decode(found, "utf-8") if found.dtype.kind == "S" else found)
