"""A support vector machine with the Tanimoto kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from sklearn.svm import SVC, LinearSVC

from hitcurve import _checks
from hitcurve.errors import InputError, ParameterError
from hitcurve.inference.resampling.resample import generator
from hitcurve.learn.fingerprints import Array, ZeroDivision
from hitcurve.learn.rankers import SimilarityRanker, weights_of_rows
from hitcurve.learn.similarity import Precomputed, Similarities, Similarity, dense_similarities, matrix, weighted_sums
from hitcurve.sources import put_in_order

_FLAT = 1e-10  # share of the largest eigenvalue below which a direction is noise


class TanimotoSVC(SimilarityRanker):
    """Support vector machine with the Tanimoto kernel.

    Parameters
    ----------
    C : float
        Inverse strength of the regularisation.
    similarity, packed, zero_division
        As in :class:`~hitcurve.learn.MaxSimilarityRanker`; a callable must be a kernel, and precomputed similarities
        a dense matrix.
    class_weight : dict or "balanced", optional
        As in ``sklearn.svm.SVC``.
    tol : float
        When the solver stops, as in ``sklearn.svm.SVC``.
    n_landmarks : int, optional
        None: the whole kernel of the training molecules, n x n numbers of 8 bytes. A number: Nystroem's approximation
        by the similarities to so many of them, and a linear machine (with squared hinge loss) on these. Half of the
        landmarks, rounded down, are active ones, and the rest inactive, as far as there are so many. Scores are then
        the same only to rounding (about 1e-8) for another number of threads of the linear algebra; scores of the whole
        kernel are the same to the bit.
    max_bytes : int
        Largest size of the whole kernel in bytes; a larger kernel raises an error before anything is computed. The
        default, 2 GiB, suffices for 16,384 molecules; 37,000 take 10 GiB.
    rng : None, int or numpy.random.Generator
        Draws the landmarks.

    Attributes
    ----------
    classes_ : ndarray (2,)
        The second one is the active one.
    support_ : ndarray of int
        Rows of the training molecules that others are compared with: the support vectors, or the landmarks.

    References
    ----------
    Swamidass et al. 2010, Bioinformatics 26:1348, section 4; Williams and Seeger 2001, NIPS 13:682, for the
    approximation.

    Examples
    --------
    >>> X = [[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> TanimotoSVC().fit(X, [1, 1, 0, 0]).predict([[1, 1, 0, 0], [0, 1, 1, 1]])
    array([1, 0])
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        similarity: Similarity = "tanimoto",
        packed: bool = False,
        zero_division: ZeroDivision = "raise",
        class_weight: Mapping[Any, float] | str | None = None,
        tol: float = 1e-3,
        n_landmarks: int | None = None,
        max_bytes: int = 2 * 2**30,
        rng: np.random.Generator | int | None = None,
    ) -> None:
        self.C = C
        self.similarity = similarity
        self.packed = packed
        self.zero_division = zero_division
        self.class_weight = class_weight
        self.tol = tol
        self.n_landmarks = n_landmarks
        self.max_bytes = max_bytes
        self.rng = rng

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn the machine.

        Parameters
        ----------
        X : array-like or sparse matrix (n, bits)
        y : array-like (n,)
            Two classes; the last in order is the active one.
        sample_weight : array-like (n,), optional
            Multiplies C of each row: 2 is the same as the row twice, 0 as the row left out. With ``n_landmarks`` a
            row twice may be drawn twice, so that the two differ by the landmarks.

        Raises
        ------
        ParameterError
            If the whole kernel is too large.
        InputError
            If fingerprints are not binary, or all zero with ``zero_division="raise"``; if precomputed similarities are
            a sparse graph; if no landmark is similar to itself.
        SingleClassError, LabelError, MissingValueError
            If labels are not two classes with weights above 0, a label is missing, or the active class is known not to
            be the last in order.
        """
        options = {"C": _checks.positive_number("C", self.C), "class_weight": self.class_weight}
        options["tol"] = _checks.positive_number("tol", self.tol)
        found = put_in_order({"X": X, "y": y, "sample_weight": sample_weight}, parts=True)
        molecules, active = self._read_molecules(X, found["y"])
        weight = weights_of_rows(found["sample_weight"], active)
        # libsvm drops rows of weight 0 itself, but reads a precomputed kernel as if it had not
        used = np.flatnonzero(weight)
        labels, weight = self.classes_[active[used].astype(int)], weight[used]
        if self.n_landmarks is None:
            machine = SVC(kernel="precomputed", **options)
            machine.fit(self._whole_kernel(molecules, used), labels, sample_weight=weight)
            self.support_, self._weights = used[machine.support_], machine.dual_coef_[0]
        else:
            wanted = _checks.whole_number("n_landmarks", self.n_landmarks)
            self.support_ = used[_landmarks(active[used], wanted, self.rng)]
            values, vectors = eigh(matrix(self._similarities(molecules, self.support_, self.support_)))
            if not values[-1] > 0:
                raise InputError(
                    f"none of the {self.support_.size} landmarks is similar to itself, so the machine cannot "
                    "be trained: drop all-zero fingerprints"
                )
            kept = values > _FLAT * values[-1]
            roots = vectors[:, kept] / np.sqrt(values[kept])
            machine = LinearSVC(dual=False, **options)
            machine.fit(matrix(self._similarities(molecules, used, self.support_)) @ roots, labels, weight)
            self._weights = roots @ machine.coef_[0]
        self._offset = float(machine.intercept_[0])
        self._molecules = None if self._measure.is_given else molecules[self.support_]
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the signed distance from the separating surface, in units of the margin: any number."""
        molecules = self._read_query(X)
        if self._measure.is_given:
            similarities: Similarities = self._given(molecules[:, self.support_])
        else:
            similarities = self._measure.between(molecules, self._molecules)
        return weighted_sums(similarities, self._weights) + self._offset

    def _similarities(self, molecules: Any, rows: Array, columns: Array) -> Similarities:
        """Return the similarities of some training molecules to some others."""
        if self._measure.is_given:
            return self._given(molecules[np.ix_(rows, columns)])
        return self._measure.between(molecules[rows], molecules[columns])

    def _given(self, values: Any) -> Precomputed:
        return dense_similarities(values, type(self).__name__)

    def _whole_kernel(self, molecules: Any, used: Array) -> Array:
        """Return the similarities of all training molecules that have a weight."""
        n = used.size
        given = self._given(molecules).values if self._measure.is_given else None
        if given is not None and n == given.shape[0]:
            return given  # as it is: it may fill the memory
        if 8 * n * n > _checks.whole_number("max_bytes", self.max_bytes):
            raise ParameterError(
                f"the kernel of {n:,} molecules takes {8 * n * n / 2**30:.1f} GiB: give max_bytes={8 * n * n} if "
                "there is enough memory, or n_landmarks=2000 for an approximation"
            )
        if given is None:
            return matrix(self._similarities(molecules, used, used))
        kernel = np.empty((n, n))
        for row, molecule in zip(kernel, used, strict=True):
            row[:] = given[molecule, used]
        return kernel


def _landmarks(active: Array, wanted: int, rng: Any) -> Array:
    """Draw landmarks, half of them active as far as there are so many."""
    own = generator(rng)
    some, rest = np.flatnonzero(active), np.flatnonzero(~active)
    of_active = min(some.size, max(wanted // 2, wanted - rest.size))
    of_rest = min(rest.size, wanted - of_active)
    drawn = [own.choice(some, of_active, replace=False), own.choice(rest, of_rest, replace=False)]
    return np.sort(np.concatenate(drawn))
