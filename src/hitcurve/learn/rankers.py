"""Rankers by similarity to training molecules, and a random ranker."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from hitcurve import _checks
from hitcurve.errors import InputError, SingleClassError
from hitcurve.inference.resampling.resample import generator
from hitcurve.learn.classes import two_classes
from hitcurve.learn.fingerprints import Array, ZeroDivision, digest
from hitcurve.learn.neighbours import check_enough, neighbours_of
from hitcurve.learn.similarity import Measure, Similarities, Similarity, dense_similarities, is_given, largest
from hitcurve.sources import put_in_order, read_weights, refuse_masked


class Ranker(ClassifierMixin, BaseEstimator, ABC):
    """Common part of all rankers: two classes, of which the second is the active one."""

    classes_: Array

    @abstractmethod
    def decision_function(self, X: Any) -> Array:
        """Return a score for each row: higher is ranked earlier."""

    def predict(self, X: Any) -> Array:
        """Return the class of each row: the active one where the score is above 0, or the ranker's threshold."""
        check_is_fitted(self)
        return np.asarray(self.classes_[(self.decision_function(X) > self._border).astype(int)])

    @property
    def _border(self) -> float:
        """The score above which a row is predicted active."""
        return 0.0

    def _read_training(self, X: Any, y: Any, **how: Any) -> tuple[Any, Array]:
        """Return the molecules, and which are active; keep the classes."""
        refuse_masked(X=X, y=y)
        found = put_in_order({"X": X, "y": y}, parts=True)
        X, y = validate_data(self, X, found["y"], accept_sparse="csr", **how)
        self.classes_, positive = two_classes(y)
        return X, positive

    def _read(self, X: Any) -> Any:
        check_is_fitted(self)
        refuse_masked(X=X)
        return validate_data(self, X, accept_sparse="csr", reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def weights_of_rows(sample_weight: Any, active: Array) -> Array:
    """Return weights of rows, all 1 if there are none.

    Raises
    ------
    WeightError
        If they are not one number of at least 0 for each row.
    SingleClassError
        If all rows of a class have weight 0.
    """
    if sample_weight is None:
        return np.ones(active.size)
    weight = read_weights(sample_weight)
    _checks.same_length({"y": active, "sample_weight": weight})
    if not (weight[active].any() and weight[~active].any()):
        raise SingleClassError("the weights of a class are all zero: give at least one above 0 in each class")
    return weight


class RandomRanker(Ranker):
    """Random ranker, a reference for other rankers.

    Parameters
    ----------
    rng : None, int or numpy.random.Generator
        With a seed, scores depend on it, on which training molecules are active, and on the bytes of the molecules,
        those of training and those that are ranked, as they are given: the same call gives the same scores. Folds that
        differ in any of it give others, and folds that are alike in all of it the same ones, as where all rows of X
        are alike. A sparse matrix, and one of other numbers (``float`` in place of ``int``), are other bytes, and some
        of the molecules alone get other scores than among all. Without a seed, scores are drawn anew by every ``fit``.

    Attributes
    ----------
    classes_ : ndarray (2,)
        The second one is the active one.
    prevalence_ : float
        Fraction of active molecules in training. On average this fraction is predicted active: the molecules with a
        score above ``1 - prevalence_``. It is not subtracted from the score, so that the scores of folds, each with its
        own prevalence, are on one scale.

    Examples
    --------
    >>> ranker = RandomRanker(rng=0).fit([[0], [1], [2], [3]], [0, 0, 1, 0])
    >>> ranker.decision_function([[4], [5]]).round(3)
    array([0.989, 0.848])
    >>> ranker.predict([[4], [5]]).tolist()
    [1, 1]
    """

    def __init__(self, *, rng: np.random.Generator | int | None = None) -> None:
        self.rng = rng

    def fit(self, X: Any, y: npt.ArrayLike) -> Self:
        """Learn the prevalence, nothing else.

        Parameters
        ----------
        X : array-like or sparse matrix (n, features)
        y : array-like (n,)
            Two classes; the last in order is the active one.

        Raises
        ------
        ParameterError
            If ``rng`` is no seed.
        SingleClassError, LabelError, MissingValueError
            If labels are not two classes, a label is missing, or the active class is known not to be the last in order.
        """
        own = generator(self.rng)
        X, active = self._read_training(X, y)
        self.prevalence_ = float(active.mean())
        self._seed = [int(own.integers(2**63)), digest(X), digest(active)]
        return self

    def decision_function(self, X: Any) -> Array:
        """Return random scores: uniform in [0, 1)."""
        X = self._read(X)
        return np.asarray(np.random.default_rng([*self._seed, digest(X)]).random(X.shape[0]))

    @property
    def _border(self) -> float:
        return 1 - self.prevalence_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.classifier_tags.poor_score = True
        return tags


class SimilarityRanker(Ranker):
    """Common part of rankers by similarity."""

    similarity: Similarity
    packed: bool
    zero_division: ZeroDivision

    @property
    def _measure(self) -> Measure:
        return Measure(self.similarity, self.packed, self.zero_division)

    def _read_training(self, X: Any, y: Any, **how: Any) -> tuple[Any, Array]:
        measure = self._measure
        X, active = super()._read_training(X, y, dtype=None if measure.packed else "numeric", **how)
        if measure.is_given and X.shape[0] != X.shape[1]:
            raise InputError(
                f"precomputed similarities of training molecules are a square matrix, got {X.shape[0]} by {X.shape[1]}"
            )
        return X, active

    def _read_molecules(self, X: Any, y: Any) -> tuple[Any, Array]:
        """Return the training molecules as they are compared, and which are active."""
        X, active = self._read_training(X, y)
        return self._measure.read(X), active

    def _read_query(self, X: Any) -> Any:
        return self._measure.read(self._read(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = is_given(self.similarity)
        return tags


class MaxSimilarityRanker(SimilarityRanker):
    """Ranker by the largest similarity to an active molecule (MAX-SIM).

    Parameters
    ----------
    similarity : {"tanimoto", "precomputed"} or callable
        ``tanimoto`` of binary fingerprints (see :func:`~hitcurve.learn.tanimoto_kernel`); ``precomputed``: X holds
        the similarities to the training molecules; or a function of two matrices that returns a matrix.
    packed : bool
        Whether fingerprints are bytes of 8 bits.
    zero_division : {"raise", 0, 1}
        Similarity of two all-zero fingerprints.

    Attributes
    ----------
    classes_ : ndarray (2,)
        The second one is the active one.
    oob_decision_function_ : ndarray (n,)
        Scores of the training molecules, each without itself among the active ones.
    threshold_ : float
        Score above which a molecule is predicted active: the number of training molecules predicted active (each
        without itself) is about the number that are active. It is not subtracted from the score, which is the
        similarity, so that the scores of folds, each with its own threshold, are on one scale.

    References
    ----------
    Swamidass et al. 2010, Bioinformatics 26:1348, section 4.

    Examples
    --------
    >>> X = [[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> ranker = MaxSimilarityRanker().fit(X, [1, 1, 0, 0])
    >>> ranker.decision_function([[1, 1, 1, 1], [1, 1, 0, 0]]).tolist()
    [0.75, 1.0]
    >>> ranker.predict([[1, 1, 0, 0], [0, 0, 1, 1]]).tolist()
    [1, 0]
    """

    def __init__(
        self, *, similarity: Similarity = "tanimoto", packed: bool = False, zero_division: ZeroDivision = "raise"
    ) -> None:
        self.similarity = similarity
        self.packed = packed
        self.zero_division = zero_division

    def fit(self, X: Any, y: npt.ArrayLike) -> Self:
        """Keep the active molecules.

        Parameters
        ----------
        X : array-like or sparse matrix (n, bits)
        y : array-like (n,)
            Two classes; the last in order is the active one.

        Raises
        ------
        InputError
            If fingerprints are not binary, or all zero with ``zero_division="raise"``; if precomputed similarities are
            not square.
        SingleClassError, LabelError, MissingValueError
            If labels are not two classes, a label is missing, or the active class is known not to be the last in order.
        """
        molecules, active = self._read_molecules(X, y)
        self._active = np.flatnonzero(active)
        self._molecules = None if self._measure.is_given else molecules[self._active]
        scores = largest(self._similarities(molecules), themselves=self._active)
        ordered = np.sort(scores)[::-1]
        self.threshold_ = float(np.mean(ordered[[self._active.size - 1, self._active.size]]))
        self.oob_decision_function_ = scores
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the largest similarity to an active molecule: of Tanimoto in [0, 1]."""
        return largest(self._similarities(self._read_query(X)))

    @property
    def _border(self) -> float:
        return self.threshold_

    def _similarities(self, molecules: Any) -> Similarities:
        """Return the similarities to the active molecules."""
        if self._measure.is_given:
            return dense_similarities(molecules[:, self._active], type(self).__name__)
        return self._measure.between(molecules, self._molecules)


class SimilarityKNN(SimilarityRanker):
    """Ranker by the fraction of active molecules among the k most similar molecules.

    Parameters
    ----------
    k : int
        Neighbours.
    similarity, packed, zero_division
        As in :class:`~hitcurve.learn.MaxSimilarityRanker`; precomputed similarities may be a
        :func:`~hitcurve.learn.similarity_graph`.

    Attributes
    ----------
    classes_ : ndarray (2,)
        The second one is the active one.

    Notes
    -----
    Among equally similar molecules those that come first in the training set are nearer.

    References
    ----------
    Swamidass et al. 2010, Bioinformatics 26:1348, section 4.

    Examples
    --------
    >>> X = [[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> SimilarityKNN(k=2).fit(X, [1, 1, 0, 0]).predict_proba([[1, 1, 0, 0], [0, 1, 1, 1]])
    array([[0. , 1. ],
           [0.5, 0.5]])
    """

    def __init__(
        self,
        k: int = 20,
        *,
        similarity: Similarity = "tanimoto",
        packed: bool = False,
        zero_division: ZeroDivision = "raise",
    ) -> None:
        self.k = k
        self.similarity = similarity
        self.packed = packed
        self.zero_division = zero_division

    def fit(self, X: Any, y: npt.ArrayLike) -> Self:
        """Keep the molecules.

        Parameters
        ----------
        X : array-like or sparse matrix (n, bits)
            More than k molecules.
        y : array-like (n,)
            Two classes; the last in order is the active one.

        Raises
        ------
        ParameterError
            If there are no more than k molecules.
        InputError
            If fingerprints are not binary, or all zero with ``zero_division="raise"``; if precomputed similarities are
            not square.
        SingleClassError, LabelError, MissingValueError
            If labels are not two classes, a label is missing, or the active class is known not to be the last in order.
        """
        molecules, self._active = self._read_molecules(X, y)
        self._k = check_enough(self.k, self._active.size)
        self._molecules = None if self._measure.is_given else molecules
        return self

    def decision_function(self, X: Any) -> Array:
        """Return the fraction of active neighbours minus one half: in [-0.5, 0.5]."""
        query = self._read_query(X)
        found = neighbours_of(self._measure, query, self._molecules, self._k)
        return np.asarray(self._active[found.row].mean(axis=1) - 0.5)

    def predict_proba(self, X: Any) -> Array:
        """Return the fractions of inactive and of active neighbours."""
        share = self.decision_function(X) + 0.5
        return np.column_stack([1 - share, share])
