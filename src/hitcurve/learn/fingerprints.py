"""Binary fingerprints in any form, held as positions of their bits."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.errors import InputError, ParameterError
from hitcurve.sources import refuse_masked

Array = npt.NDArray[Any]
ZeroDivision: TypeAlias = Literal["raise", 0, 1]
_ROWS = 4096  # read at a time


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """Fingerprints of molecules, one a row.

    Attributes
    ----------
    bits : scipy.sparse.csr_array of float32
        1 where a bit is on.
    """

    bits: Any

    @classmethod
    def of(cls, name: str, X: Any, *, packed: bool, zero_division: ZeroDivision) -> Fingerprints:
        """Read a dense, packed or sparse matrix.

        Raises
        ------
        InputError
            If a value is neither 0 nor 1 (or, packed, the matrix is not of bytes), or a fingerprint has no bit on
            and ``zero_division`` is "raise".
        """
        check_zero_division(zero_division)
        packed = _checks.flag("packed", packed)
        refuse_masked(**{name: X})
        if sparse.issparse(X):
            if packed:
                raise ParameterError(f"packed=True is for matrices of bytes, and {name} is sparse: leave packed out")
            bits = _of_sparse(name, X)
        else:
            bits = _of_dense(name, np.asarray(X), packed=packed)
        read = cls(bits)
        if zero_division == "raise" and not read.sizes.all():
            empty = np.flatnonzero(read.sizes == 0)
            raise InputError(
                f"{empty.size} of {read.sizes.size} fingerprints of {name} are all zero (the first in row {empty[0]}): "
                "the similarity of two such fingerprints is 0/0; drop them, or set zero_division=0 (nothing in "
                "common) or zero_division=1 (the same)"
            )
        return read

    @property
    def n(self) -> int:
        """Number of molecules."""
        return int(self.bits.shape[0])

    @property
    def width(self) -> int:
        """Number of bits, on or off."""
        return int(self.bits.shape[1])

    @cached_property
    def sizes(self) -> Array:
        """Number of bits that are on, of each molecule."""
        return np.asarray(np.diff(self.bits.indptr), np.float32)

    def __getitem__(self, rows: Any) -> Fingerprints:
        """Return some of the molecules."""
        return Fingerprints(self.bits[rows])

    def columns(self) -> Array:
        """Return the bits as a dense matrix, one molecule a column."""
        dense = np.zeros((self.width, self.n), np.float32)
        dense[self.bits.indices, np.repeat(np.arange(self.n), np.diff(self.bits.indptr))] = 1
        return dense


def arrays_of(matrix: Any) -> list[Array]:
    """Return the arrays that hold a matrix, or fingerprints."""
    matrix = matrix.bits if isinstance(matrix, Fingerprints) else matrix
    return [matrix.indptr, matrix.indices, matrix.data] if hasattr(matrix, "indptr") else [matrix]


def digest(matrix: Any) -> int:
    """Return a number that differs where the content does, but for one chance in 4,000 million."""
    number = 0
    for part in arrays_of(matrix):
        number = zlib.crc32(np.ascontiguousarray(part).data, number)
    return number


def check_zero_division(value: Any) -> None:
    """Raise unless the value defines the similarity of two all-zero fingerprints."""
    is_one = value == "raise" if isinstance(value, str) else isinstance(value, Real) and value in (0, 1)
    if isinstance(value, bool) or not is_one:
        raise ParameterError(f"zero_division must be 'raise', 0 or 1, got {_checks.quoted(value)}")


def _of_sparse(name: str, X: Any) -> Any:
    bits = sparse.csr_array(X, copy=True)
    bits.sum_duplicates()
    bits.eliminate_zeros()
    wrong = np.flatnonzero(bits.data != 1)
    if wrong.size:
        row = int(np.searchsorted(bits.indptr, wrong[0], side="right")) - 1
        raise _not_binary(name, bits.data[wrong[0]], row, int(bits.indices[wrong[0]]))
    bits.data = np.ones(bits.data.size, np.float32)
    return bits


def _of_dense(name: str, X: Array, *, packed: bool) -> Any:
    if X.ndim != 2:
        raise InputError(f"{name} must be a matrix with one fingerprint a row, got {X.ndim} dimensions")
    if packed and X.dtype != np.uint8:
        raise InputError(f"packed fingerprints are bytes (uint8, as numpy.packbits makes them), {name} is {X.dtype}")
    starts = range(0, X.shape[0], _ROWS)

    def on(start: int) -> Array:
        block = X[start : start + _ROWS]
        return np.unpackbits(block, axis=1).view(bool) if packed else block == 1

    # counted first, so that the places are written where they stay and are never there twice
    ends = np.zeros(X.shape[0] + 1, np.int64)
    for start in starts:
        block, bits = X[start : start + _ROWS], on(start)
        if not packed and not (bits | (block == 0)).all():
            row, column = np.argwhere(~(bits | (block == 0)))[0]
            raise _not_binary(name, block[row, column], start + int(row), int(column))
        ends[start + 1 : start + 1 + len(bits)] = bits.sum(axis=1)
    np.cumsum(ends, out=ends)
    places = np.empty(ends[-1], np.int32)
    for start in starts:
        bits = on(start)
        places[ends[start] : ends[start + len(bits)]] = np.nonzero(bits)[1]
    shape = (X.shape[0], X.shape[1] * (8 if packed else 1))
    # scipy holds places in as many bytes as these
    ends = ends.astype(np.int32 if places.size < 2**31 else np.int64)
    return sparse.csr_array((np.ones(places.size, np.float32), places, ends), shape=shape)


def _not_binary(name: str, value: Any, row: int, column: int) -> InputError:
    return InputError(
        f"fingerprints must be 0 or 1, {name} has {value!s} in row {row}, column {column}; bytes of packed bits are "
        "read with packed=True, other features compared by a callable similarity"
    )


def same_width(name: str, X: Fingerprints, Y: Fingerprints) -> None:
    """Raise if fingerprints differ in length."""
    _checks.same_length({f"a fingerprint of {name}": range(X.width), "one it is compared with": range(Y.width)})
