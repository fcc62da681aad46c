"""The influence relevance voter."""

from __future__ import annotations

import math
import warnings
from dataclasses import astuple, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.special import entr, expit
from sklearn.exceptions import ConvergenceWarning

from hitcurve import _checks
from hitcurve.errors import InputError
from hitcurve.inference.resampling.resample import generator
from hitcurve.learn.descent import batches_of_pass, step_length
from hitcurve.learn.fingerprints import Array, ZeroDivision, arrays_of, digest
from hitcurve.learn.neighbours import Neighbours, check_enough, neighbours_of
from hitcurve.learn.rankers import SimilarityRanker, weights_of_rows
from hitcurve.learn.similarity import Similarity
from hitcurve.sources import put_in_order, read_names

_SHORTEST = 1e-12  # share of the slope that a step is not shorter than


@dataclass(frozen=True)
class InfluenceWeights:
    """The six parameters of the influence relevance voter.

    Attributes
    ----------
    similarity : float
        w_s, of the similarity of a neighbour.
    rank : float
        w_r, of the rank of a neighbour over k: 1/k for the nearest, 1 for the last.
    relevance : float
        w_y, bias of the relevance.
    active, inactive : float
        w_1 and w_0, votes of active and inactive neighbours.
    bias : float
        w_z, bias of the output.
    """

    similarity: float = 0.0
    rank: float = 0.0
    relevance: float = 0.0
    active: float = 1.0
    inactive: float = -1.0
    bias: float = 0.0


class Votes(NamedTuple):
    """Similarities and labels of the neighbours of molecules.

    Attributes
    ----------
    similarity : ndarray of float (n, k)
    active : ndarray of bool (n, k)
    """

    similarity: Array
    active: Array

    @classmethod
    def of(cls, neighbours: Neighbours, active: Array) -> Votes:
        """Look up the labels of neighbours."""
        return cls(neighbours.similarity, active[neighbours.row])

    @property
    def rank(self) -> Array:
        """Rank of each neighbour over k."""
        k = self.similarity.shape[1]
        return np.asarray(np.arange(1, k + 1) / k)


class Output(NamedTuple):
    """Output of the voter for molecules.

    Attributes
    ----------
    weights : InfluenceWeights
    vote : ndarray of float (n, k)
        Of each neighbour.
    relevance : ndarray of float (n, k)
        How much each neighbour matters, in (0, 1).
    log_odds : ndarray of float (n,)
        Of being active: bias plus the influences, relevance times vote, of the neighbours.
    """

    weights: InfluenceWeights
    vote: Array
    relevance: Array
    log_odds: Array

    @classmethod
    def of(cls, weights: InfluenceWeights, votes: Votes) -> Output:
        """Let the neighbours vote."""
        vote = np.where(votes.active, weights.active, weights.inactive)
        heard = weights.similarity * votes.similarity + (weights.relevance + weights.rank * votes.rank)
        relevance = np.asarray(expit(heard, out=heard), float)
        return cls(weights, vote, relevance, np.asarray(weights.bias + np.einsum("ij,ij->i", relevance, vote)))


def log_loss(output: Output, active: Array, sample_weight: Array) -> float:
    """Return the weighted mean of the negative log-likelihood."""
    z = np.where(active, -output.log_odds, output.log_odds)
    return float(np.sum(sample_weight * np.logaddexp(0.0, z)) / np.sum(sample_weight))


def gradient(output: Output, votes: Votes, active: Array, sample_weight: Array) -> InfluenceWeights:
    """Return the derivatives of :func:`log_loss` by the six parameters."""
    relevance = output.relevance
    by_z = sample_weight * (expit(output.log_odds) - active) / np.sum(sample_weight)
    slope = by_z[:, None] * (output.vote * relevance * (1 - relevance))
    inside = np.sum(slope, axis=0)  # by neighbour, for what all molecules share: its rank
    heard = np.einsum("i,ij,ij->", by_z, relevance, votes.active)
    return InfluenceWeights(
        similarity=float(np.einsum("ij,ij->", slope, votes.similarity)),
        rank=float(np.sum(inside * votes.rank)),
        relevance=float(np.sum(inside)),
        active=float(heard),
        inactive=float(np.einsum("i,ij->", by_z, relevance) - heard),
        bias=float(np.sum(by_z)),
    )


class InfluenceRelevanceVoter(SimilarityRanker):
    """Influence relevance voter (IRV): log-odds from the votes of the k most similar molecules, weighted by relevance.

    The log-odds of being active are ``w_z + sum_i R_i V_i`` over the k nearest training molecules: relevance
    ``R_i = sigmoid(w_y + w_s s_i + w_r i/k)`` of the similarity ``s_i`` and the rank ``i``, and vote ``V_i = w_1`` of
    active neighbours, ``w_0`` of inactive ones. The six parameters are learned by gradient descent on the log loss of
    the training molecules; a training molecule is not its own neighbour.

    Parameters
    ----------
    k : int
        Neighbours.
    similarity, packed, zero_division
        As in :class:`~hitcurve.learn.SimilarityKNN`; precomputed similarities may be a
        :func:`~hitcurve.learn.similarity_graph`.
    max_iter : int
        Epochs at most: steps down the gradient of all training molecules, as long as the curvature of the last step
        says (Barzilai and Borwein), and halved until the loss falls.
    tol : float
        Descent stops once the last ``n_iter_no_change`` epochs together lowered the loss by less than this share of
        the loss of a model that knows only the prevalence. 0: after ``max_iter`` epochs, without a warning.
    n_iter_no_change : int
        Large enough for slow stretches of the descent: some take fifty epochs before the loss falls steeply again.
    batch_size : int, optional
        None: an epoch is one step down the gradient of all molecules. A number: an epoch is a pass over the molecules
        in random order, with a step after each so many of them; each molecule is drawn in proportion to its weight. The
        loss need not fall in each epoch then.
    learning_rate : float
        Of the steps of a pass: the gradient of the mean loss of a batch times this.
    rng : None, int or numpy.random.Generator
        Order of the molecules in passes; None is seed 0, so that two fits are the same.
    warm_start : bool
        Whether ``fit`` goes on from the parameters of the last one. Neighbours are not searched again, and molecules
        not read again, if X, y, ``ids``, k and the similarity are the same.

    Attributes
    ----------
    classes_ : ndarray (2,)
        The second one is the active one.
    weights_ : InfluenceWeights
        The six parameters.
    loss_ : float
        Log loss of the training molecules.
    n_iter_ : int
        Epochs of the last ``fit``.
    oob_decision_function_ : ndarray (n,)
        Log-odds of the training molecules, each without itself among the neighbours.

    Notes
    -----
    ``sample_weight`` says how much a training molecule counts in the loss, not its vote as a neighbour: a molecule of
    weight 0 does not enter the loss and still votes. A row that is there twice is not the same as a row of weight 2:
    the two would be each other's nearest neighbour, and give their label away. Rows that are copies of one molecule are
    named by ``ids`` in ``fit``: they are no neighbours of each other, take one place among those of others, and their
    weights add, so that doubling all weights, and doubling all rows, give the same fit. Different molecules with equal
    fingerprints (stereoisomers, say) are neighbours.

    Among equally similar molecules those that come first in the training set are nearer.

    Descent stops before the minimum, and means to: of few molecules the loss often falls on towards parameters
    without bound, whose scores of other molecules are worse.

    References
    ----------
    Swamidass et al. 2010, Bioinformatics 26:1348, section 4; rank over k in place of rank is a change of units of w_r.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [20, 80])
    >>> X = rng.random((100, 32)) < np.where(y[:, None] == 1, np.linspace(0.1, 0.6, 32), 0.3)
    >>> voter = InfluenceRelevanceVoter(k=10).fit(X, y)
    >>> voter.weights_.active > 0 > voter.weights_.inactive
    True
    """

    weights_: InfluenceWeights
    _searched: tuple[Any, ...]  # what the neighbours are of
    _k: int
    _molecules: Any
    _active: Array
    _columns: Array | None
    _votes: Votes
    _output: Output
    _before: tuple[Array, Array] | None
    _steps: int
    _order: np.random.Generator

    def __init__(
        self,
        k: int = 20,
        *,
        similarity: Similarity = "tanimoto",
        packed: bool = False,
        zero_division: ZeroDivision = "raise",
        max_iter: int = 2000,
        tol: float = 1e-3,
        n_iter_no_change: int = 100,
        batch_size: int | None = None,
        learning_rate: float = 0.1,
        rng: Any = None,
        warm_start: bool = False,
    ) -> None:
        self.k = k
        self.similarity = similarity
        self.packed = packed
        self.zero_division = zero_division
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.rng = rng
        self.warm_start = warm_start

    def fit(
        self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None, ids: npt.ArrayLike | None = None
    ) -> Self:
        """Find the neighbours and learn the six parameters.

        Parameters
        ----------
        X : array-like or sparse matrix (n, bits)
            More than k molecules.
        y : array-like (n,)
            Two classes; the last in order is the active one.
        sample_weight : array-like (n,), optional
            How much each row counts in the loss; at least 0, and not 0 for a whole class.
        ids : array-like (n,), optional
            Names of molecules: rows that share one are copies, with the same fingerprint and label. Of precomputed
            similarities the row and the column of the first copy are taken, and only labels are compared. Copies take
            up places of neighbours in a graph, so keep more of these.

        Raises
        ------
        ParameterError
            If there are no more than k molecules.
        InputError
            If fingerprints are not binary, or all zero with ``zero_division="raise"``; if copies differ.
        SingleClassError, LabelError
            If labels are not two classes with weights above 0, or the active class is known not to be the last in
            order.
        WeightError, LengthMismatchError
            If weights or ids are not one for each row.
        MissingValueError
            If a label or an id is missing.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            If the loss still falls after ``max_iter`` epochs.
        """
        tol = _checks.real_number("tol", self.tol)
        epochs = _checks.whole_number("max_iter", self.max_iter)
        patience = _checks.whole_number("n_iter_no_change", self.n_iter_no_change)
        if self.batch_size is not None:
            _checks.whole_number("batch_size", self.batch_size)
            _checks.positive_number("learning_rate", self.learning_rate)
        warm = _checks.flag("warm_start", self.warm_start)
        found = put_in_order({"X": X, "y": y, "sample_weight": sample_weight, "ids": ids}, parts=True)
        X, active = self._read_training(X, found["y"])
        weight = weights_of_rows(found["sample_weight"], active)
        copy = np.arange(active.size) if ids is None else _copies(found["ids"], active.size)
        again = warm and hasattr(self, "weights_")
        # known by their digests: the molecules themselves would have to be kept, and copied with the voter
        of = (self._measure, self.k, X.shape, digest(X), digest(active), digest(copy))
        if not (again and of == self._searched):
            self._search(X, active, copy)
            self._output = Output.of(self.weights_ if again else InfluenceWeights(), self._votes)
            self._before, self._steps = None, 0
            self._order = generator(0 if self.rng is None else self.rng)
            self._searched = of
        self._descend(np.bincount(copy, weights=weight), epochs, tol, patience)
        self.weights_ = self._output.weights
        self.oob_decision_function_ = self._output.log_odds[copy]
        return self

    def _search(self, X: Any, active: Array, copy: Array) -> None:
        """Find the neighbours of the molecules, of which rows are copies."""
        given = self._measure.is_given
        molecules = self._measure.read(X)
        _, kept = np.unique(copy, return_index=True)
        copies = kept.size < copy.size
        if copies:
            first = kept[copy]
            if not (_same(active[first], active) and (given or _same(molecules[first], molecules))):
                raise InputError(
                    "rows that share an id are copies of one molecule, and some differ in fingerprint or label"
                )
            molecules, active = molecules[np.ix_(kept, kept) if given else kept], active[kept]
        k = check_enough(self.k, kept.size)
        self._votes = Votes.of(neighbours_of(self._measure, None, molecules, k), active)
        self._k, self._active = k, active
        self._molecules, self._columns = (None, kept if copies else None) if given else (molecules, None)

    def _descend(self, weight: Array, epochs: int, tol: float, patience: int) -> None:
        loss = log_loss(self._output, self._active, weight)
        losses = [loss]
        prevalence = float(weight[self._active].sum() / weight.sum())
        least = tol * float(entr(prevalence) + entr(1 - prevalence))
        while len(losses) <= patience or losses[-1 - patience] - loss >= least:
            if len(losses) > epochs:
                if tol > 0:
                    text = f"after max_iter={epochs} epochs the loss still falls: raise max_iter or tol"
                    warnings.warn(text, ConvergenceWarning, stacklevel=3)
                break
            now = self._step_down(weight, loss) if self.batch_size is None else self._pass(weight)
            if now is None:  # no way down is left
                break
            loss = now
            losses.append(loss)
        self.loss_, self.n_iter_ = loss, len(losses) - 1

    def _step_down(self, weight: Array, loss: float) -> float | None:
        """Take one step down the gradient of all molecules, and return the loss; None if there is none."""
        here = np.array(astuple(self._output.weights))
        slope = np.array(astuple(gradient(self._output, self._votes, self._active, weight)))
        step = step_length(self._before, here, slope, even=self._steps % 2 == 1)
        now = math.inf
        while not now < loss and step > _SHORTEST:
            there = Output.of(InfluenceWeights(*(here - step * slope).tolist()), self._votes)
            now = log_loss(there, self._active, weight)
            step /= 2
        if not now < loss:
            return None
        self._output, self._before, self._steps = there, (here, slope), self._steps + 1
        return now

    def _pass(self, weight: Array) -> float:
        """Go through the molecules batch by batch, and return the loss."""
        here, rate = np.array(astuple(self._output.weights)), float(self.learning_rate)
        for batch in batches_of_pass(weight, int(self.batch_size or 1), self._order):
            votes, active = Votes(*(part[batch] for part in self._votes)), self._active[batch]
            output = Output.of(InfluenceWeights(*here.tolist()), votes)
            here = here - rate * np.array(astuple(gradient(output, votes, active, np.ones(batch.size))))
        self._output = Output.of(InfluenceWeights(*here.tolist()), self._votes)
        return log_loss(self._output, self._active, weight)

    def decision_function(self, X: Any) -> Array:
        """Return the log-odds of being active: any number, above 0 where this is the likelier."""
        query = self._read_query(X)
        query = query if self._columns is None else query[:, self._columns]
        found = neighbours_of(self._measure, query, self._molecules, self._k)
        return Output.of(self.weights_, Votes.of(found, self._active)).log_odds

    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of being inactive and active."""
        z = self.decision_function(X)
        return np.column_stack([expit(-z), expit(z)])


def _copies(ids: Any, n: int) -> Array:
    """Return which molecule each of n rows is a copy of, numbered in the order in which they come."""
    ids = read_names("ids", ids)
    _checks.same_length({"y": range(n), "ids": ids})
    _, kept, copy = np.unique(ids, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(kept))[copy])


def _same(a: Any, b: Any) -> bool:
    """Whether two matrices, or fingerprints, hold the same."""
    first, second = arrays_of(a), arrays_of(b)
    return len(first) == len(second) and all(np.array_equal(*part) for part in zip(first, second, strict=True))
