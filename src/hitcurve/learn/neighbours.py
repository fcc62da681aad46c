"""The most similar molecules of each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from hitcurve import _checks
from hitcurve.errors import InputError, ParameterError
from hitcurve.learn.fingerprints import Array, ZeroDivision
from hitcurve.learn.similarity import Measure, Precomputed, Similarities, Similarity, blocks, leave_out
from hitcurve.sources import refuse_masked


class Neighbours(NamedTuple):
    """The most similar molecules of each, the most similar first; among equals, the one that comes first.

    Attributes
    ----------
    row : ndarray of int (n, k)
        Which of the others each is.
    similarity : ndarray of float (n, k)
    """

    row: Array
    similarity: Array


def nearest(similarities: Similarities, k: int, *, to_themselves: bool) -> Neighbours:
    """Return the k nearest of each row; a molecule that is compared with itself is not its own neighbour."""
    n, m = similarities.shape
    index, best = np.full((n, k), m, np.int64), np.full((n, k), -np.inf)

    def merge(rows: slice, columns: slice, values: Array) -> None:
        if to_themselves:
            leave_out(values, rows, np.arange(columns.start, columns.stop))
        # only columns nearer than the k-th so far are added: less work than sorting all
        least = best[rows, -1:]
        if columns.start == 0 and values.shape[1] > k:
            taken = values >= np.partition(values, -k, axis=1)[:, -k, None]
        else:
            taken = values > least
        row, column = np.nonzero(taken)
        if row.size:
            size = rows.stop - rows.start
            found = first(
                np.concatenate([np.repeat(np.arange(size), k), row]),
                np.concatenate([index[rows].ravel(), column + columns.start]),
                np.concatenate([best[rows].ravel(), values[row, column]]),
                size,
                k,
            )
            index[rows], best[rows] = found

    blocks(similarities, merge)
    return Neighbours(index, best)


def first(row: Array, column: Array, value: Array, n: int, k: int) -> Neighbours:
    """Return the k largest of the values of each row; every row has at least k."""
    order = np.lexsort((column, -value, row))
    starts = np.searchsorted(row[order], np.arange(n))
    taken = order[starts[:, None] + np.arange(k)]
    return Neighbours(column[taken], value[taken])


def in_graph(graph: Any, k: int, *, to_themselves: bool) -> Neighbours:
    """Return the k nearest of each row among those that a sparse graph holds."""
    graph = sparse.csr_array(graph)
    n = graph.shape[0]
    row = np.repeat(np.arange(n), np.diff(graph.indptr))
    kept = graph.indices != row if to_themselves else np.ones(row.size, bool)
    row, column, value = row[kept], graph.indices[kept], graph.data[kept]
    has = np.bincount(row, minlength=n)
    if (has < k).any():
        short = int(np.argmax(has < k))
        raise InputError(
            f"the graph has only {has[short]} neighbours of the molecule in row {short}, k={k} are needed: keep more "
            "in similarity_graph (neighbours in the left-out fold are lost)"
        )
    return first(row, column, value, n, k)


def neighbours_of(measure: Measure, X: Any, Y: Any, k: int) -> Neighbours:
    """Return the k nearest among Y of each of X, or of each of Y if X is None."""
    if measure.is_given:
        given = Y if X is None else X
        if sparse.issparse(given):
            return in_graph(given, k, to_themselves=X is None)
        return nearest(Precomputed(np.asarray(given)), k, to_themselves=X is None)
    return nearest(measure.between(Y if X is None else X, Y), k, to_themselves=X is None)


def check_enough(k: int, n: int, *, name: str = "k") -> int:
    """Raise if there are no more molecules than neighbours."""
    k = _checks.whole_number(name, k)
    if n <= k:
        raise ParameterError(
            f"{name}={k} neighbours need at least {k + 1} training molecules, for a molecule is not its own neighbour; "
            f"there {'is' if n == 1 else 'are'} {n} (n_samples = {n})"
        )
    return k


def similarity_graph(
    X: Any,
    n_neighbors: int,
    *,
    similarity: Similarity = "tanimoto",
    packed: bool = False,
    zero_division: ZeroDivision = "raise",
) -> Any:
    """Return the most similar molecules of each molecule, to be computed once for all folds.

    An estimator with ``similarity="precomputed"`` takes the graph in place of fingerprints, and cross-validation cuts
    rows and columns out of it. Keep more neighbours than the estimator looks at: those in the fold that is left out
    are lost (60 for ``k=20`` and 10 folds; too few raise an error).

    Parameters
    ----------
    X : array-like or sparse matrix (n, bits)
    n_neighbors : int
        Neighbours kept of each.
    similarity, packed, zero_division
        As in :class:`~hitcurve.learn.SimilarityKNN`.

    Returns
    -------
    scipy.sparse.csr_array of float (n, n)
        Similarities; none of a molecule to itself. Among equally similar ones those that come first are kept.

    Raises
    ------
    ParameterError
        If there are no more than ``n_neighbors`` molecules, or the similarity is precomputed.
    InputError
        If fingerprints are not binary, or all zero with ``zero_division="raise"``; if a callable does not give a finite
        number for each pair.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve.learn import SimilarityKNN
    >>> X, y = np.random.default_rng(0).integers(0, 2, (40, 16)), np.arange(40) % 2
    >>> graph = similarity_graph(X, 39)
    >>> given = SimilarityKNN(k=5, similarity="precomputed").fit(graph[:30, :30], y[:30])
    >>> direct = SimilarityKNN(k=5).fit(X[:30], y[:30])
    >>> bool((given.decision_function(graph[30:, :30]) == direct.decision_function(X[30:])).all())
    True
    """
    measure = Measure(similarity, packed, zero_division)
    if measure.is_given:
        raise ParameterError("similarity_graph computes similarities: give 'tanimoto' or a callable, not 'precomputed'")
    refuse_masked(X=X)
    molecules = measure.read(X if sparse.issparse(X) else np.asarray(X))
    n, _ = measure.between(molecules, molecules).shape
    k = check_enough(n_neighbors, n, name="n_neighbors")
    found = neighbours_of(measure, None, molecules, k)
    graph = sparse.csr_array((found.similarity.ravel(), found.row.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    graph.sort_indices()
    return graph
