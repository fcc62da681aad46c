"""Similarities of molecules, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve._threads import in_threads
from hitcurve.errors import InputError, ParameterError
from hitcurve.learn.fingerprints import Array, Fingerprints, ZeroDivision, same_width

Similarity: TypeAlias = str | Callable[[Any, Any], npt.ArrayLike]  # tanimoto, precomputed or a function
_DENSE = 2**23  # numbers of a block of columns that is made dense, 32 MB
_COMMON = 2**18  # similarities computed at a time by a thread


def tanimoto_kernel(X: Any, Y: Any = None, *, packed: bool = False, zero_division: ZeroDivision = "raise") -> Array:
    """Return the Jaccard-Tanimoto similarities of binary fingerprints.

    The number of bits that two molecules share over the number that at least one of them has: ``|A & B| / |A | B|``,
    in [0, 1], 1 for equal fingerprints. It is positive semi-definite, so it is a kernel of support vector machines.

    Parameters
    ----------
    X : array-like or sparse matrix (n, bits)
        0 and 1 (or bool), dense or sparse; with ``packed=True`` bytes of 8 bits (n, bytes), as ``numpy.packbits``
        makes them.
    Y : like X (m, bits), optional
        X itself if absent.
    packed : bool
        Whether fingerprints are bytes of 8 bits.
    zero_division : {"raise", 0, 1}
        Similarity of two all-zero fingerprints, which is 0/0. By default a fingerprint without any bit raises an error.
        0: they have nothing in common (for molecules that could not be read); 1: they are the same. The similarity of
        an all-zero fingerprint and another one is 0. Both values keep the kernel positive semi-definite.

    Returns
    -------
    ndarray of float (n, m)
        Computed in blocks and threads. Beside the result, memory is used for the positions of bits, 8 bytes for each
        bit that is on, and for blocks of about 100 MB.

    Raises
    ------
    InputError
        If a value is not binary, or a fingerprint all zero with ``zero_division="raise"``.
    LengthMismatchError
        If the fingerprints of X and Y differ in length.

    References
    ----------
    Swamidass et al. 2010, Bioinformatics 26:1348, section 3.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1, 1, 0, 0], [1, 1, 1, 1], [0, 0, 1, 1]])
    >>> tanimoto_kernel(X)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    >>> bool((tanimoto_kernel(np.packbits(X, axis=1), packed=True) == tanimoto_kernel(X)).all())
    True
    """
    first = Fingerprints.of("X", X, packed=packed, zero_division=zero_division)
    second = first if Y is None else Fingerprints.of("Y", Y, packed=packed, zero_division=zero_division)
    return matrix(Tanimoto(first, second, zero_division))


class Similarities(Protocol):
    """Similarities of some molecules to others, computed where they are needed."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many molecules, to how many others."""
        ...

    @property
    def step(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        ...

    def columns(self, columns: slice) -> Callable[[slice], Array]:
        """Return the function from rows to their similarities to these columns."""
        ...


@dataclass(frozen=True, eq=False)
class Tanimoto:
    """Jaccard-Tanimoto similarities of fingerprints."""

    X: Fingerprints
    Y: Fingerprints
    zero_division: ZeroDivision

    def __post_init__(self) -> None:
        same_width("X", self.X, self.Y)

    @property
    def shape(self) -> tuple[int, int]:
        """How many molecules, to how many others."""
        return self.X.n, self.Y.n

    @cached_property
    def step(self) -> tuple[int, int]:
        """Rows and columns of a block: few columns if there are many bits."""
        columns = min(max(_DENSE // max(self.Y.width, 1), 64), 4096)
        return max(_COMMON // columns, 1), columns

    def columns(self, columns: slice) -> Callable[[slice], Array]:
        """Return the function from rows to their similarities to these columns."""
        others = self.Y[columns]
        dense, sizes = others.columns(), others.sizes
        nothing = 0.0 if self.zero_division == "raise" else float(self.zero_division)

        def of(rows: slice) -> Array:
            # numbers of bits are exact in float32
            common = self.X.bits[rows] @ dense
            union = self.X.sizes[rows, None] + sizes - common
            empty = union == 0
            union[empty] = 1
            similarity = np.array(common, float)
            similarity /= union
            similarity[empty] = nothing
            return similarity

        return of


@dataclass(frozen=True, eq=False)
class Called:
    """Similarities by a function of two matrices."""

    function: Callable[[Any, Any], npt.ArrayLike]
    X: Any
    Y: Any

    @property
    def shape(self) -> tuple[int, int]:
        """How many molecules, to how many others."""
        return int(self.X.shape[0]), int(self.Y.shape[0])

    @property
    def step(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        return 256, 4096

    def columns(self, columns: slice) -> Callable[[slice], Array]:
        """Return the function from rows to their similarities to these columns."""
        others = self.Y[columns]

        def of(rows: slice) -> Array:
            some = self.X[rows]
            found = np.asarray(self.function(some, others))
            wanted = (some.shape[0], others.shape[0])
            if found.shape != wanted:
                wrong = str(found.shape)
            elif found.dtype.kind not in "biuf":
                wrong = f"values of type {found.dtype}"
            elif not np.isfinite(found).all():
                wrong = str(found[~np.isfinite(found)][0])
            else:
                return np.array(found, float)  # its own: what is written into it must not reach the function
            raise InputError(
                "the similarity must be a function of two matrices that gives a finite number for each pair of rows, "
                f"of {wanted[0]} and {wanted[1]} rows it gave {wrong}"
            )

        return of


@dataclass(frozen=True, eq=False)
class Precomputed:
    """Similarities given as a matrix."""

    values: Array

    @property
    def shape(self) -> tuple[int, int]:
        """How many molecules, to how many others."""
        return int(self.values.shape[0]), int(self.values.shape[1])

    @property
    def step(self) -> tuple[int, int]:
        """Rows and columns of a block."""
        return 256, 4096

    def columns(self, columns: slice) -> Callable[[slice], Array]:
        """Return the function from rows to their similarities to these columns."""
        return lambda rows: np.array(self.values[rows, columns], float)


@dataclass(frozen=True)
class Measure:
    """How similarities are measured: the arguments that similarity rankers have in common.

    Attributes
    ----------
    similarity : {"tanimoto", "precomputed"} or callable
    packed : bool
    zero_division : {"raise", 0, 1}
    """

    similarity: Similarity
    packed: bool
    zero_division: ZeroDivision

    def __post_init__(self) -> None:
        named = isinstance(self.similarity, str) and self.similarity in ("tanimoto", "precomputed")
        if not (named or callable(self.similarity)):
            got = _checks.quoted(self.similarity)
            raise ParameterError(f"similarity must be 'tanimoto', 'precomputed' or a callable, got {got}")
        _checks.flag("packed", self.packed)

    @property
    def is_given(self) -> bool:
        """Whether matrices hold similarities, not molecules."""
        return is_given(self.similarity)

    def read(self, X: Any) -> Any:
        """Return molecules as they are compared: fingerprints, what a callable takes, or similarities."""
        if callable(self.similarity) or self.is_given:
            return X
        return Fingerprints.of("X", X, packed=self.packed, zero_division=self.zero_division)

    def between(self, X: Any, Y: Any) -> Similarities:
        """Return the similarities of molecules that were read."""
        if callable(self.similarity):
            return Called(self.similarity, X, Y)
        return Tanimoto(X, Y, self.zero_division)


def is_given(similarity: Any) -> bool:
    """Whether matrices hold similarities, not molecules; for any argument, valid or not."""
    return isinstance(similarity, str) and similarity == "precomputed"


def dense_similarities(X: Any, needed_by: str) -> Precomputed:
    """Raise for a graph of nearest neighbours where all similarities are needed."""
    if sparse.issparse(X):
        raise InputError(
            f"{needed_by} needs the similarities to all molecules: give a dense matrix, not a sparse graph"
        )
    return Precomputed(np.asarray(X))


def blocks(similarities: Similarities, do: Callable[[slice, slice, Array], None]) -> None:
    """Call a function with every block of similarities, in threads over the rows."""
    n, m = similarities.shape
    rows, columns = similarities.step
    for some_columns in _slices(m, columns):
        of = similarities.columns(some_columns)

        def one(some_rows: slice, of: Any = of, some_columns: slice = some_columns) -> None:
            do(some_rows, some_columns, of(some_rows))

        for _ in in_threads(one, list(_slices(n, rows))):
            pass


def _slices(n: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def matrix(similarities: Similarities) -> Array:
    """Return all similarities as a matrix."""
    out = np.empty(similarities.shape)

    def put(rows: slice, columns: slice, values: Array) -> None:
        out[rows, columns] = values

    blocks(similarities, put)
    return out


def weighted_sums(similarities: Similarities, weights: Array) -> Array:
    """Return the sum of each row, each column times its weight, without holding the matrix."""
    out = np.zeros(similarities.shape[0])

    def add(rows: slice, columns: slice, values: Array) -> None:
        # not by a matrix product, whose last bits depend on the block: equal molecules must stay tied
        values *= weights[columns]
        out[rows] += np.ascontiguousarray(values).sum(axis=1)

    blocks(similarities, add)
    return out


def largest(similarities: Similarities, *, themselves: Array | None = None) -> Array:
    """Return the largest similarity of each row; where there is none 0, or the least of all rows if that is less.

    Parameters
    ----------
    similarities : Similarities
    themselves : array of int, optional
        The row that each column is, which is not counted.
    """
    out = np.full(similarities.shape[0], -np.inf)

    def compare(rows: slice, columns: slice, values: Array) -> None:
        if themselves is not None:
            leave_out(values, rows, themselves[columns])
        np.maximum(out[rows], values.max(axis=1, initial=-np.inf), out=out[rows])

    blocks(similarities, compare)
    none = np.isneginf(out)
    out[none] = out[~none].min(initial=0.0)
    return out


def leave_out(values: Array, rows: slice, themselves: Array) -> None:
    """Put -inf where a column of a block is the row itself."""
    inside = (themselves >= rows.start) & (themselves < rows.stop)
    values[themselves[inside] - rows.start, np.flatnonzero(inside)] = -np.inf
