"""Learning for the top of the list: similarity rankers, the voter, re-weighting, the choice of models."""

from __future__ import annotations

import math
import pickle
import tracemalloc
from dataclasses import astuple, dataclass
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

import hitcurve as hc
from hitcurve import _threads
from hitcurve.errors import (
    ColumnNotFoundError,
    InputError,
    LabelError,
    LengthMismatchError,
    MissingValueError,
    ParameterError,
    SingleClassError,
    WeightError,
)

pytest.importorskip("sklearn")
from sklearn import __version__ as version_of_sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from hitcurve import learn
from hitcurve.learn import voter as irv
from hitcurve.learn.fingerprints import Fingerprints
from hitcurve.learn.neighbours import in_graph, nearest
from hitcurve.learn.similarity import Precomputed
from tests.odd import odd_scores

Array = Any
BITS = 96


def molecules(n: int = 160, active: int = 40, seed: int = 0) -> tuple[Array, Array]:
    """Return fingerprints of which the active ones share some bits, and labels."""
    rng = np.random.default_rng(seed)
    y = np.zeros(n, int)
    y[rng.choice(n, active, replace=False)] = 1
    share = np.where(y[:, None] == 1, np.linspace(0.02, 0.5, BITS), 0.25)
    X = (rng.random((n, BITS)) < share).astype(np.uint8)
    X[:, 0] = 1  # so that none is empty
    return X, y


def forms(X: Array) -> dict[str, tuple[Any, bool]]:
    """Return the same fingerprints in every form that is read, and whether it is packed."""
    return {
        "bytes": (X, False),
        "bool": (X.astype(bool), False),
        "float": (X.astype(float), False),
        "packed": (np.packbits(X, axis=1), True),
        "csr": (sparse.csr_array(X), False),
        "csc matrix": (sparse.csc_matrix(X), False),
        "coo": (sparse.coo_array(X), False),
    }


def brute_tanimoto(X: Array, Y: Array) -> Array:
    def one(a: Array, b: Array) -> float:
        first, second = set(np.flatnonzero(a)), set(np.flatnonzero(b))
        return len(first & second) / len(first | second)

    return np.array([[one(a, b) for b in Y] for a in X])


RANKERS: dict[str, Any] = {
    "maxsim": learn.MaxSimilarityRanker,
    "knn": learn.SimilarityKNN,
    "voter": learn.InfluenceRelevanceVoter,
    "svc": learn.TanimotoSVC,
}


# ---- the kernel


@pytest.mark.parametrize("form", forms(molecules(4, 1)[0]))
def test_kernel_is_what_sets_give(form: str) -> None:
    X, Y = molecules(23, 5)[0], molecules(17, 5, seed=1)[0]
    (a, packed), (b, _) = forms(X)[form], forms(Y)[form]
    assert np.array_equal(learn.tanimoto_kernel(a, b, packed=packed), brute_tanimoto(X, Y))
    assert np.array_equal(learn.tanimoto_kernel(a, packed=packed), brute_tanimoto(X, X))


def test_kernel_over_many_blocks() -> None:
    rng = np.random.default_rng(1)
    X: Any = sparse.random_array((300, 200_000), density=2e-4, rng=rng, format="csr")
    X.data[:] = 1.0
    shared = (X @ X.T).toarray()
    size = shared.diagonal()
    assert np.array_equal(learn.tanimoto_kernel(X), shared / (size[:, None] + size - shared))


@pytest.mark.parametrize("value", [0, 1])
def test_kernel_of_nothing_and_nothing_is_what_was_said(value: Any) -> None:
    X = np.array([[0, 0, 0], [1, 0, 1], [0, 0, 0]])
    k = learn.tanimoto_kernel(X, zero_division=value)
    assert np.array_equal(k, [[value, 0, value], [0, 1, 0], [value, 0, value]])
    assert np.linalg.eigvalsh(k).min() > -1e-12


# ---- neighbours


def brute_nearest(s: Array, k: int, *, to_themselves: bool) -> tuple[Array, Array]:
    rows = []
    for i, line in enumerate(s):
        others = [(-value, j) for j, value in enumerate(line) if not (to_themselves and i == j)]
        rows.append(sorted(others)[:k])
    return np.array([[j for _, j in row] for row in rows]), np.array([[-v for v, _ in row] for row in rows])


@pytest.mark.parametrize("to_themselves", [True, False])
@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_neighbours_are_those_of_sorting_ties_by_place(levels: int, *, to_themselves: bool) -> None:
    s = np.random.default_rng(levels).integers(0, levels, (70, 70)) / levels
    found = nearest(Small(s), 12, to_themselves=to_themselves)
    index, value = brute_nearest(s, 12, to_themselves=to_themselves)
    assert np.array_equal(found.row, index)
    assert np.array_equal(found.similarity, value)


class Small(Precomputed):
    """Similarities in blocks so small that there are many, the first with fewer columns than neighbours."""

    @property
    def step(self) -> tuple[int, int]:
        return 16, 9


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("form", forms(molecules(4, 1)[0]))
def test_rankers_give_the_same_for_every_form(name: str, form: str) -> None:
    X, y = molecules()
    Z = molecules(30, 10, seed=1)[0]
    plain = RANKERS[name]().fit(X, y).decision_function(Z)
    (a, packed), (b, _) = forms(X)[form], forms(Z)[form]
    assert np.array_equal(RANKERS[name](packed=packed).fit(a, y).decision_function(b), plain)


@pytest.mark.slow
@pytest.mark.parametrize("name", RANKERS)
def test_rankers_give_the_same_for_precomputed_and_called_similarities(name: str) -> None:
    X, y = molecules()
    Z = molecules(30, 10, seed=1)[0]
    plain = RANKERS[name]().fit(X, y).decision_function(Z)
    called = RANKERS[name](similarity=brute_tanimoto).fit(X, y).decision_function(Z)
    given = RANKERS[name](similarity="precomputed").fit(brute_tanimoto(X, X), y)
    assert np.array_equal(called, plain)
    assert np.array_equal(given.decision_function(brute_tanimoto(Z, X)), plain)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["knn", "voter"])
def test_a_graph_of_neighbours_stands_for_fingerprints_in_cross_validation(name: str) -> None:
    X, y = molecules()
    graph = learn.similarity_graph(sparse.csr_array(X), 60)
    direct = cross_val_predict(RANKERS[name](), X, y, cv=4, method="decision_function")
    given = RANKERS[name](similarity="precomputed")
    assert np.array_equal(cross_val_predict(given, graph, y, cv=4, method="decision_function"), direct)
    assert np.array_equal(learn.out_of_fold(given, graph, y, cv=4).scores, direct)


def test_knn_is_that_of_scikit_learn_where_nothing_is_tied() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 2, 80)
    Z = rng.normal(size=(30, 4))
    theirs = KNeighborsClassifier(7).fit(X, y).predict_proba(Z)
    ours = learn.SimilarityKNN(7, similarity=rbf_kernel).fit(X, y).predict_proba(Z)
    assert np.allclose(ours, theirs, atol=1e-15)


def test_maxsim_is_the_largest_similarity_to_an_active_one() -> None:
    X, y = molecules()
    Z = molecules(30, 10, seed=1)[0]
    ranker = learn.MaxSimilarityRanker().fit(X, y)
    wanted = brute_tanimoto(Z, X[y == 1]).max(axis=1)
    assert np.array_equal(ranker.decision_function(Z), wanted)
    assert np.array_equal(ranker.predict(Z), wanted > ranker.threshold_)
    s = brute_tanimoto(X, X)
    np.fill_diagonal(s, -1)
    assert np.array_equal(ranker.oob_decision_function_, s[:, y == 1].max(axis=1))
    own = ranker.oob_decision_function_
    assert np.sum(own > ranker.threshold_) <= 40 <= np.sum(own >= ranker.threshold_)


def test_similarities_of_all_folds_are_on_one_scale() -> None:
    X, y = molecules()
    out = learn.out_of_fold(learn.MaxSimilarityRanker(), X, y, cv=5)
    s = brute_tanimoto(X, X)
    s[:, y == 0] = -1
    s[out.fold[:, None] == out.fold] = -1
    assert np.array_equal(out.scores, s.max(axis=1))
    assert len({model.threshold_ for model in out.models}) > 1


@pytest.mark.parametrize("name", [*RANKERS, "graph", "kernel"])
def test_the_number_of_threads_does_not_change_a_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = molecules(700, 100)

    def run(threads: int) -> bytes:
        monkeypatch.setattr(_threads, "processors", lambda: threads)
        if name == "graph":
            return bytes(learn.similarity_graph(X, 30).data.tobytes())
        if name == "kernel":
            return bytes(learn.tanimoto_kernel(X).tobytes())
        return bytes(RANKERS[name]().fit(X[:500], y[:500]).decision_function(X[500:]).tobytes())

    assert run(1) == run(2)


@pytest.mark.parametrize("packed", [True, False])
def test_fingerprints_are_held_once(packed: bool) -> None:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (6000, 2048), dtype=np.uint8)
    X = np.packbits(bits, axis=1) if packed else bits
    on = int(bits.sum())
    tracemalloc.start()
    learn.tanimoto_kernel(X, X[:20], packed=packed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * on + 100e6


def test_memory_stays_below_that_of_all_similarities() -> None:
    X: Any = sparse.random_array((5000, 2048), density=0.02, rng=np.random.default_rng(0), format="csr")
    X.data[:] = 1.0
    tracemalloc.start()
    learn.similarity_graph(X, 60)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 5000**2 / 2


# ---- the voter


def votes(n: int = 60, k: int = 7, seed: int = 0) -> tuple[irv.Votes, Array, Array]:
    rng = np.random.default_rng(seed)
    similarity = -np.sort(-rng.random((n, k)), axis=1)
    known = irv.Votes(similarity, rng.random((n, k)) < 0.4)
    return known, rng.random(n) < 0.3, rng.exponential(size=n)


def test_log_odds_are_the_formula() -> None:
    known, _, _ = votes()
    w = irv.InfluenceWeights(1.3, -0.7, 0.2, 1.9, -1.1, 0.4)
    for i, z in enumerate(irv.Output.of(w, known).log_odds):
        total = w.bias
        for j in range(7):
            relevance = 1 / (
                1 + math.exp(-(w.relevance + w.similarity * known.similarity[i, j] + w.rank * (j + 1) / 7))
            )
            total += relevance * (w.active if known.active[i, j] else w.inactive)
        assert math.isclose(z, total, rel_tol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_gradient_is_that_of_finite_differences(seed: int) -> None:
    known, active, weight = votes(seed=seed)
    at = np.random.default_rng(seed).normal(size=6)
    slope = astuple(irv.gradient(irv.Output.of(irv.InfluenceWeights(*at), known), known, active, weight))
    for i in range(6):
        h = np.zeros(6)
        h[i] = 1e-5
        high, low = (
            irv.log_loss(irv.Output.of(irv.InfluenceWeights(*(at + s * h)), known), active, weight) for s in (1, -1)
        )
        assert math.isclose(slope[i], (high - low) / 2e-5, rel_tol=1e-6, abs_tol=1e-9)


@pytest.mark.slow
def test_descent_ends_where_the_slope_is_flat_and_the_loss_less() -> None:
    X, y = molecules(400, 100)
    first = learn.InfluenceRelevanceVoter(max_iter=1, tol=0).fit(X, y)
    voter = learn.InfluenceRelevanceVoter(max_iter=5000, tol=0).fit(X, y)
    known = voter._votes
    output = irv.Output.of(voter.weights_, known)
    slope = irv.gradient(output, known, y == 1, np.ones(400))
    assert max(map(abs, astuple(slope))) < 1e-4
    assert voter.loss_ < first.loss_
    assert math.isclose(voter.loss_, irv.log_loss(output, y == 1, np.ones(400)), rel_tol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_descent_is_not_stopped_by_a_slow_stretch(seed: int) -> None:
    X, y = molecules(200, 50, seed)
    voter = learn.InfluenceRelevanceVoter().fit(X, y)
    known, one = voter._votes, np.ones(200)

    def fall(at: Array) -> tuple[float, Array]:
        output = irv.Output.of(irv.InfluenceWeights(*at.tolist()), known)
        return irv.log_loss(output, y == 1, one), np.array(astuple(irv.gradient(output, known, y == 1, one)))

    least = minimize(fall, astuple(irv.InfluenceWeights()), jac=True, method="BFGS").fun
    assert voter.loss_ < least + 0.03
    assert voter.n_iter_ < voter.max_iter


def test_a_descent_cut_short_is_said() -> None:
    X, y = molecules()
    with pytest.warns(ConvergenceWarning, match=r"after max_iter=3 epochs the loss still falls: raise max_iter or tol"):
        assert learn.InfluenceRelevanceVoter(max_iter=3).fit(X, y).n_iter_ == 3
    assert learn.InfluenceRelevanceVoter(max_iter=3, tol=0).fit(X, y).n_iter_ == 3


@pytest.mark.parametrize("patience", [10, 100])
def test_descent_stops_where_the_rule_says(patience: int) -> None:
    X, y = molecules(200, 50)
    voter = learn.InfluenceRelevanceVoter(n_iter_no_change=patience, tol=0.01).fit(X, y)
    step = learn.InfluenceRelevanceVoter(max_iter=1, tol=0, warm_start=True)
    losses = [irv.log_loss(irv.Output.of(irv.InfluenceWeights(), voter._votes), y == 1, np.ones(200))]
    least = -0.01 * (0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    while len(losses) <= patience or losses[-1 - patience] - losses[-1] >= least:
        losses.append(step.fit(X, y).loss_)
    assert voter.n_iter_ == len(losses) - 1
    assert voter.loss_ == losses[-1]


@pytest.mark.slow
def test_probabilities_are_those_of_the_log_odds() -> None:
    X, y = molecules()
    Z = molecules(30, 10, seed=1)[0]
    voter = learn.InfluenceRelevanceVoter(max_iter=5000, tol=0).fit(X, y)
    p = voter.predict_proba(Z)
    assert np.allclose(np.log(p[:, 1] / p[:, 0]), voter.decision_function(Z), rtol=1e-9)
    assert np.allclose(p.sum(axis=1), 1, atol=1e-15)
    # where the loss does not fall by the bias, probabilities are right on average
    own = 1 / (1 + np.exp(-voter.oob_decision_function_))
    assert math.isclose(own.mean(), 0.25, abs_tol=1e-3)


def test_training_scores_leave_the_molecule_itself_out() -> None:
    X, y = molecules()
    voter = learn.InfluenceRelevanceVoter(k=10).fit(X, y)
    rest = np.arange(len(y)) != 5
    s = brute_tanimoto(X[5:6], X[rest])[0]
    nearest_ten = np.lexsort((np.arange(s.size), -s))[:10]
    known = irv.Votes(s[None, nearest_ten], y[rest][None, nearest_ten] == 1)
    z = irv.Output.of(voter.weights_, known).log_odds[0]
    assert math.isclose(voter.oob_decision_function_[5], z, rel_tol=1e-12)


def test_warm_start_goes_on() -> None:
    X, y = molecules()
    once = learn.InfluenceRelevanceVoter(max_iter=7, tol=0).fit(X, y)
    step = learn.InfluenceRelevanceVoter(max_iter=1, tol=0, warm_start=True)
    losses = [step.fit(X, y).loss_ for _ in range(7)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == once.loss_
    assert step.weights_ == once.weights_
    other, labels = molecules(120, 30, seed=3)
    assert step.fit(other, labels).oob_decision_function_.shape == (120,)


@pytest.mark.parametrize(
    "changed", [{"similarity": rbf_kernel}, {"zero_division": 0}, {"k": 5}], ids=lambda changed: str(*changed)
)
def test_warm_start_searches_anew_for_another_similarity(changed: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (80, 16), dtype=np.uint8), np.arange(80) % 4 == 0
    X[::3] = 0
    step = learn.InfluenceRelevanceVoter(7, zero_division=1, max_iter=1, tol=0, warm_start=True).fit(X, y)
    before = step._votes.similarity
    fresh = learn.InfluenceRelevanceVoter(**{**step.get_params(), **changed}).fit(X, y)
    assert not np.array_equal(fresh._votes.similarity, before)
    assert np.array_equal(step.set_params(**changed).fit(X, y)._votes.similarity, fresh._votes.similarity)


def test_epochs_read_the_molecules_once_and_what_has_changed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = molecules()
    of = Mock(wraps=Fingerprints.of)
    monkeypatch.setattr(Fingerprints, "of", of)
    step = learn.InfluenceRelevanceVoter(max_iter=1, tol=0, warm_start=True)
    for _ in range(3):
        step.fit(X, y)
    assert of.call_count == 1
    X[:40] = X[40:80]  # the same array, of other molecules
    assert np.array_equal(step.fit(X, y)._votes.similarity, learn.InfluenceRelevanceVoter().fit(X, y)._votes.similarity)
    assert np.array_equal(step.fit(X, 1 - y)._active, y == 0)
    y[:40] = y[40:80]
    assert step.fit(X, y, ids=np.r_[40:80, 40:160])._active.size == 120
    assert step.fit(X, y)._active.size == 160


@pytest.mark.parametrize("name", ["maxsim", "knn", "voter", "svc"])
def test_rankers_do_not_keep_precomputed_similarities(name: str) -> None:
    X, y = molecules(600, 150)
    s = learn.tanimoto_kernel(X)
    assert len(pickle.dumps(RANKERS[name](similarity="precomputed").fit(s, y))) < s.nbytes / 5


def test_one_full_row_of_a_graph_does_not_fill_the_memory() -> None:
    n, k = 4000, 20
    full = np.random.default_rng(0).random(n)
    near = sparse.coo_array(
        (np.ones(n * k), (np.repeat(np.arange(n), k), (np.arange(n * k) * 7 + 1) % n)), shape=(n, n)
    )
    graph = sparse.csr_array(near)
    graph = sparse.vstack([graph[:-1], sparse.csr_array(full[None])], format="csr")
    tracemalloc.start()
    found = in_graph(graph, 5, to_themselves=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n**2 / 4
    assert np.array_equal(found.row[-1], np.argsort(-full)[:5])


# ---- weights


def doubled(estimator: Any, X: Array, y: Array, w: Array) -> tuple[Array, Array]:
    """Return scores after learning with doubled weights, and with every row twice."""
    ids = np.tile(np.arange(len(y)), 2)
    named = {"ids": ids} if "ids" in estimator.fit.__code__.co_varnames else {}
    heavy = estimator.fit(X, y, sample_weight=2 * w).decision_function(X)
    twice = estimator.fit(np.vstack([X, X]), np.tile(y, 2), sample_weight=np.tile(w, 2), **named)
    return heavy, twice.decision_function(X)


@pytest.mark.parametrize("name", ["voter", "svc"])
def test_a_doubled_weight_is_a_row_twice(name: str) -> None:
    X, y = molecules()
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    estimator = learn.TanimotoSVC(tol=1e-10) if name == "svc" else learn.InfluenceRelevanceVoter()
    heavy, twice = doubled(estimator, X, y, w)
    assert np.allclose(heavy, twice, atol=1e-6)
    assert not np.allclose(heavy, estimator.fit(X, y).decision_function(X), atol=1e-3)


def test_rows_twice_without_ids_give_their_label_away() -> None:
    X, y = molecules()
    noise = np.random.default_rng(0).permutation(y)
    twice = learn.InfluenceRelevanceVoter().fit(np.vstack([X, X]), np.tile(noise, 2))
    named = learn.InfluenceRelevanceVoter().fit(np.vstack([X, X]), np.tile(noise, 2), ids=np.tile(np.arange(160), 2))
    auc = hc.metrics.AUC()
    assert auc(np.tile(noise, 2), twice.oob_decision_function_) > 0.9
    assert auc(np.tile(noise, 2), named.oob_decision_function_) < 0.7


def test_ids_may_be_names_in_any_order() -> None:
    X, y = molecules()
    order = np.random.default_rng(0).permutation(np.repeat(np.arange(160), np.arange(160) % 3 + 1))
    _, at = np.unique(order, return_index=True)
    kept = order[np.sort(at)]
    ids = np.array([f"m{i:x}" for i in order])
    copies = learn.InfluenceRelevanceVoter().fit(X[order], y[order], ids=ids)
    single = learn.InfluenceRelevanceVoter().fit(X[kept], y[kept], sample_weight=kept % 3 + 1)
    assert np.allclose(copies.decision_function(X), single.decision_function(X), atol=1e-9)
    assert copies.oob_decision_function_.shape == order.shape


@pytest.mark.parametrize("form", ["dense", "graph"])
def test_copies_are_told_by_ids_in_precomputed_similarities(form: str) -> None:
    X, y = molecules()
    rows = np.random.default_rng(0).permutation(np.tile(np.arange(160), 2))
    s = learn.tanimoto_kernel(X[rows]) if form == "dense" else learn.similarity_graph(X[rows], 120)
    given = learn.InfluenceRelevanceVoter(similarity="precomputed")
    # scores are those of fingerprints, fold by fold, copies of a molecule being in one fold
    test = rows % 4 == 0
    train = np.flatnonzero(~test)
    direct = learn.InfluenceRelevanceVoter().fit(X[rows[train]], y[rows[train]], ids=rows[train])
    given.fit(s[train][:, train], y[rows[train]], ids=rows[train])
    assert np.array_equal(given.oob_decision_function_, direct.oob_decision_function_)
    assert np.array_equal(given.decision_function(s[test][:, train]), direct.decision_function(X[rows[test]]))
    with pytest.raises(InputError, match="copies of one molecule, and some differ"):
        given.fit(s, y[rows], ids=np.arange(320) // 2)
    # and a fit without copies forgets those of the last one
    assert given.fit(s, y[rows]).decision_function(s).shape == (320,)


@pytest.mark.slow
@odd_scores
@pytest.mark.parametrize("name", RANKERS)
def test_permuted_labels_give_chance(name: str) -> None:
    aucs = []
    for seed in range(6):
        X, y = molecules(300, 90, seed)
        shuffled = np.random.default_rng(seed).permutation(y)
        aucs.append(hc.metrics.AUC()(shuffled, learn.out_of_fold(RANKERS[name](), X, shuffled, cv=5).scores))
        if seed == 0:
            assert hc.metrics.AUC()(y, learn.out_of_fold(RANKERS[name](), X, y, cv=5).scores) > 0.75
    # the standard error of one AUC of 90 and 210 is .036 by chance
    assert abs(np.mean(aucs) - 0.5) < 4 * 0.036 / math.sqrt(6)


# ---- re-weighting


@pytest.mark.parametrize(("scheme", "alpha"), [("power", 1.0), ("power", 0.5), ("exponential", 7.0), ("uniform", 0.0)])
def test_weights_are_the_formula(scheme: str, alpha: float) -> None:
    s = np.random.default_rng(0).permutation(50).astype(float)
    got = learn.early_retrieval_weights(s, scheme=scheme, alpha=alpha)
    raw = []
    for value in s:
        r = 1 + sum(other > value for other in s)
        raw.append({"power": r**-alpha, "exponential": math.exp(-alpha * r / 50), "uniform": 1.0}[scheme])
    assert np.allclose(got, 50 * np.array(raw) / sum(raw), rtol=1e-12)


def test_weights_do_not_depend_on_the_order_of_rows_or_ties() -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 8, 40).astype(float)
    order = rng.permutation(40)
    for density in (False, True):
        one = learn.early_retrieval_weights(s, density=density)
        assert np.allclose(one[order], learn.early_retrieval_weights(s[order], density=density), rtol=1e-12)
        assert len(set(one.round(12))) == len(set(s))


def test_density_is_that_of_a_gaussian_kernel() -> None:
    s = np.random.default_rng(0).normal(size=3000)
    plain, dense = (learn.early_retrieval_weights(s, density=d) for d in (False, True))
    from scipy.stats import gaussian_kde

    ratio = dense / plain
    wanted = gaussian_kde(s, bw_method=s.size**-0.2)(s)
    inside = np.abs(s) < 2
    assert np.allclose(ratio[inside] / ratio[inside].mean(), wanted[inside] / wanted[inside].mean(), rtol=0.02)


@pytest.mark.parametrize("schedule", ["constant", "linear", lambda epochs: 0.5 * epochs])
def test_each_epoch_learns_with_the_weights_of_the_one_before(schedule: Any) -> None:
    X, y = molecules()
    model = learn.EarlyRetrievalWeights(
        learn.InfluenceRelevanceVoter(), alpha_schedule=schedule, max_epochs=4, patience=9, metrics=["auc", "ap"]
    ).fit(X, y)
    assert [epoch.number for epoch in model.history_] == [1, 2, 3, 4]
    rises = np.array({"constant": [0, 1, 1, 1], "linear": [0, 0.1, 0.2, 0.3]}.get(schedule, [0, 0.5, 1, 1.5]), float)
    assert np.allclose([epoch.alpha for epoch in model.history_], rises)
    by_hand = learn.InfluenceRelevanceVoter(max_iter=1, tol=0, warm_start=True)
    weight = np.ones(len(y))
    for epoch, kept in zip(model.history_, model.sample_weights_, strict=True):
        by_hand.fit(X, y, sample_weight=weight)
        scores = by_hand.oob_decision_function_
        assert np.allclose(kept, weight, rtol=1e-6)
        assert math.isclose(epoch.values["ap"], hc.metric("ap")(y, scores), rel_tol=1e-9)
        weight = learn.early_retrieval_weights(scores, alpha=rises[min(epoch.number, 3)])


def test_the_best_epoch_is_kept_and_learning_stops() -> None:
    X, y = molecules()
    model = learn.EarlyRetrievalWeights(
        learn.InfluenceRelevanceVoter(), scheme="exponential", metrics="auc", patience=4
    ).fit(X, y)
    watched = [epoch.values["auc"] for epoch in model.history_]
    assert watched[model.best_epoch_ - 1] >= max(watched) - 1e-4
    assert len(watched) in (model.best_epoch_ + 4, 200)
    assert math.isclose(hc.metrics.AUC()(y, model.estimator_.oob_decision_function_), watched[model.best_epoch_ - 1])
    assert np.array_equal(model.decision_function(X), model.estimator_.decision_function(X))


@pytest.mark.parametrize("base", [SGDClassifier(random_state=0), LogisticRegression()])
def test_any_estimator_that_learns_on_is_reweighted(base: Any) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [40, 360])
    X = rng.normal(size=(400, 5)) + 0.8 * y[:, None]
    model = learn.EarlyRetrievalWeights(base, metrics="auc", patience=5).fit(X, y)
    assert hc.metrics.AUC()(y, model.decision_function(X)) > 0.8
    assert model.sample_weights_.shape == (len(model.history_), 400)
    assert np.allclose(model.sample_weights_.mean(axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("base", "said"),
    [
        (KNeighborsClassifier(), "takes no sample_weight"),
        (LinearSVC(), "neither partial_fit nor warm_start"),
        (HistGradientBoostingClassifier(random_state=0), "learned nothing in its second epoch"),
    ],
)
def test_an_estimator_that_does_not_learn_on_is_refused(base: Any, said: str) -> None:
    X, y = molecules()
    with pytest.raises(ParameterError, match=said):
        learn.EarlyRetrievalWeights(base).fit(X, y)


# ---- the choice


def test_out_of_fold_scores_are_those_of_models_that_did_not_see_them() -> None:
    X, y = molecules()
    out = learn.out_of_fold(LogisticRegression(), X, y, cv=5)
    theirs = cross_val_predict(LogisticRegression(), X, y, cv=5, method="decision_function")
    assert np.array_equal(out.scores, theirs)
    test = out.fold == 3
    assert np.array_equal(out.models[3].decision_function(X[test]), out.scores[test])


def delong(y: Array, best: Array, other: Array | None = None) -> float:
    """Return the standard error of an AUC, or of the difference of two on the same subjects, pair by pair."""
    wins = [
        (s[y == 1][:, None] > s[y == 0]) + 0.5 * (s[y == 1][:, None] == s[y == 0])
        for s in (best, other)
        if s is not None
    ]
    won = wins[0] - wins[1] if len(wins) > 1 else wins[0]
    return math.sqrt(won.mean(axis=1).var(ddof=1) / won.shape[0] + won.mean(axis=0).var(ddof=1) / won.shape[1])


def test_one_standard_error_takes_the_first_that_is_near_enough() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [60, 600])
    base = rng.normal(size=660)
    scores = {f"{shift}": base + shift * y for shift in (0.5, 1.9, 1.99, 2.0)}
    ev = hc.evaluate(y, scores, metrics="auc")
    values = {name: ev[name, "auc"].value for name in scores}
    for paired in (True, False):
        gaps = {name: delong(y, scores["2.0"], scores[name] if paired else None) for name in list(scores)[:-1]}
        wanted = next((n for n in gaps if values["2.0"] - values[n] <= gaps[n]), "2.0")
        assert learn.one_standard_error(ev, "auc", paired=paired) == wanted
    assert learn.one_standard_error(ev, "auc", paired=False) == "1.9"
    assert learn.one_standard_error(ev, "auc", simplest_first=["2.0", "0.5"]) == "2.0"
    with pytest.raises(ColumnNotFoundError, match="no ranker '3'"):
        learn.one_standard_error(ev, "auc", simplest_first=["3"])


def test_choice_by_rule() -> None:
    X, y = molecules()
    candidates = {f"k={k}": learn.SimilarityKNN(k) for k in (60, 20, 3)}
    best = learn.ModelChoice(candidates, metric="auc", rule="best").fit(X, y)
    scores = {name: learn.out_of_fold(model, X, y, cv=5).scores for name, model in candidates.items()}
    values = {name: hc.metrics.AUC()(y, s) for name, s in scores.items()}
    assert best.best_name_ == max(values, key=lambda name: values[name])
    assert math.isclose(best.best_score_, max(values.values()))
    assert np.array_equal(best.decision_function(X), candidates[best.best_name_].fit(X, y).decision_function(X))
    loose = learn.ModelChoice(candidates, metric="auc", paired=False).fit(X, y)
    least = values[best.best_name_] - delong(y, scores[best.best_name_])
    assert loose.best_name_ == next(name for name in candidates if values[name] >= least)


@pytest.mark.slow
def test_nested_cross_validation_is_honest_where_there_is_nothing_to_learn() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 5)), np.arange(120) % 3 == 0
    promised, honest = [], []
    for seed in range(8):
        own = np.random.default_rng(seed)
        candidates = {str(i): Noise(int(own.integers(2**31))) for i in range(12)}
        result = learn.nested_cross_validation(
            learn.ModelChoice(candidates, metric="auc", rule="best", cv=3), X, y, metric="auc", cv=3
        )
        assert result.promised is not None
        assert result.optimism is not None
        promised.append(np.mean(result.promised))
        honest.append(result.estimate.value)
        assert math.isclose(result.optimism, promised[-1] - honest[-1])
    # the best of twelve coins looks good, and is none
    assert np.mean(promised) > 0.55
    assert abs(np.mean(honest) - 0.5) < 4 * 0.056 / math.sqrt(8)
    assert "estimate from model selection" in str(result)


class Noise(learn.RandomRanker):
    """A ranker of noise that depends on the row, so that folds do not share it."""

    def __init__(self, seed: int) -> None:
        super().__init__(rng=seed)
        self.seed = seed

    def decision_function(self, X: Any) -> Array:
        X = self._read(X)
        return np.sin(np.asarray(X) @ np.random.default_rng(self.seed).normal(size=X.shape[1]) * 1e4)


def test_nested_cross_validation_takes_a_search_of_scikit_learn() -> None:
    X, y = molecules()
    search = GridSearchCV(learn.SimilarityKNN(), {"k": [3, 20]}, scoring=hc.scorer("croc(exp, alpha=7)"), cv=3)
    result = learn.nested_cross_validation(search, X, y, metric="croc(exp, alpha=7)", cv=4)
    assert [set(chosen) for chosen in result.chosen] == [{"k"}] * 4
    assert result.estimate.value == hc.metric("croc(exp, alpha=7)")(y, result.out_of_fold.scores)
    with pytest.raises(ParameterError, match="does not choose"):
        learn.nested_cross_validation(learn.SimilarityKNN(), X, y, metric="auc")


# ---- bad input


def refused(name: str, X: Any, y: Any, kind: type[Exception], said: str, **options: Any) -> None:
    with pytest.raises(kind, match=said):
        RANKERS[name](**options).fit(X, y)


@pytest.mark.parametrize("name", RANKERS)
def test_fingerprints_must_be_binary(name: str) -> None:
    X, y = molecules()
    wrong = X.astype(int)
    wrong[7, 5] = 3
    refused(name, wrong, y, InputError, r"X has 3 in row 7, column 5; .* packed=True")
    refused(name, sparse.csr_array(wrong), y, InputError, r"X has 3 in row 7, column 5")
    refused(name, X.astype(float), y, InputError, "bytes .*float64", packed=True)
    refused(name, sparse.csr_array(X), y, ParameterError, "sparse: leave packed out", packed=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", RANKERS)
def test_an_empty_fingerprint_is_refused_until_it_is_said_what_it_is(name: str) -> None:
    X, y = molecules()
    X[[3, 9]] = 0
    refused(name, X, y, InputError, r"2 of 160 fingerprints of X are all zero \(the first in row 3\).*zero_division=0")
    for value in (0, 1):
        scores = RANKERS[name](zero_division=value).fit(X, y).decision_function(X)
        assert np.isfinite(scores).all()
    refused(name, X, y, ParameterError, "zero_division must be", zero_division=0.5)


@pytest.mark.parametrize("name", ["knn", "voter"])
def test_fewer_molecules_than_neighbours(name: str) -> None:
    X, y = molecules(20, 5)
    refused(name, X, y, ParameterError, r"k=20 neighbours need at least 21 training molecules.*there are 20")
    RANKERS[name](k=19).fit(X, y)
    graph = learn.similarity_graph(X, 6)
    with pytest.raises(InputError, match="only 6 neighbours of the molecule in row 0, k=7"):
        RANKERS[name](k=7, similarity="precomputed").fit(graph, y).decision_function(graph)


@pytest.mark.parametrize("name", RANKERS)
def test_labels_of_one_class_or_of_three(name: str) -> None:
    X, y = molecules()
    refused(name, X, 0 * y, SingleClassError, "all 160 training molecules are of one class, 0")
    refused(name, X, y + np.arange(160) % 2, LabelError, "Only binary classification")
    refused(name, X, np.where(y == 1, "active", "inactive"), LabelError, "'inactive', as the positive one")


@pytest.mark.parametrize("name", RANKERS)
def test_missing_labels(name: str) -> None:
    X, y = molecules()
    for labels in (y.astype(object), np.where(y == 1, "yes", "no").astype(object)):
        labels[[3, 9]] = None
        refused(name, X, labels, MissingValueError, "2 of 160 labels are missing")
    with pytest.raises(MissingValueError, match="2 of 160 labels are missing"):
        learn.out_of_fold(RANKERS[name](), X, labels)


def test_no_active_in_a_fold() -> None:
    X, y = molecules(60, 3)
    with (
        pytest.raises(SingleClassError, match="has no active among its 12 test subjects"),
        pytest.warns(match="least populated"),
    ):
        learn.out_of_fold(learn.SimilarityKNN(), X, y, cv=5)
    ordered = np.sort(y)
    with pytest.raises(SingleClassError, match="fold 1 has no active among its 30 training subjects"):
        learn.out_of_fold(learn.SimilarityKNN(), X, ordered, cv=[(np.arange(30), np.arange(30, 60))])
    half = [(np.arange(0, 60, 2), np.arange(1, 60, 2))]
    with pytest.raises(ParameterError, match="leave out every subject exactly once, they leave out row 0 0 times"):
        learn.out_of_fold(learn.SimilarityKNN(), X, np.arange(60) // 2 % 2, cv=half)


def test_other_mistakes_are_said() -> None:
    X, y = molecules()
    with pytest.raises(LengthMismatchError, match="fingerprint of X has 96"):
        learn.tanimoto_kernel(X, X[:, :50])
    with pytest.raises(ParameterError, match="similarity must be"):
        RANKERS["knn"](similarity="cosine").fit(X, y)
    with pytest.raises(ParameterError, match=r"similarity must be .* got array"):
        RANKERS["knn"](similarity=np.eye(160)).fit(X, y)
    with pytest.raises(ParameterError, match="n_neighbors must be a whole number of at least 1, got 0"):
        learn.similarity_graph(X, 0)
    with pytest.raises(ParameterError, match="n_neighbors=160 neighbours need at least 161"):
        learn.similarity_graph(X, 160)
    with pytest.raises(InputError, match="none of the 50 landmarks is similar to itself"):
        learn.TanimotoSVC(n_landmarks=50, zero_division=0).fit(0 * X, y)
    with pytest.raises(InputError, match="square matrix, got 160 by 96"):
        learn.SimilarityKNN(similarity="precomputed").fit(X, y)
    with pytest.raises(InputError, match="a dense matrix, not a sparse graph"):
        learn.MaxSimilarityRanker(similarity="precomputed").fit(learn.similarity_graph(X, 20), y)
    for value, said in (
        (np.ones(160), r"\(160,\)"),
        (np.full((160, 160), -np.inf), "-inf"),
        (np.full((160, 160), np.nan), "nan"),
        (np.ones((160, 160), complex), "values of type complex128"),
    ):
        with pytest.raises(InputError, match=f"of 160 and 160 rows it gave {said}$"):
            RANKERS["knn"](similarity=lambda a, b, value=value: value).fit(X, y).decision_function(X)
    with pytest.raises(WeightError, match=r"at least 0, got -1\.0 in row 0"):
        learn.InfluenceRelevanceVoter().fit(X, y, sample_weight=-np.ones(160))
    with pytest.raises(SingleClassError, match="weights of a class are all zero"):
        learn.TanimotoSVC().fit(X, y, sample_weight=y)
    with pytest.raises(InputError, match="copies of one molecule, and some differ"):
        learn.InfluenceRelevanceVoter().fit(X, y, ids=np.zeros(160))
    with pytest.raises(LengthMismatchError, match="ids has 3"):
        learn.InfluenceRelevanceVoter().fit(X, y, ids=[1, 2, 3])
    with pytest.raises(
        MissingValueError, match="1 of 160 ids are missing: give a molecule without copies an id of its own"
    ):
        learn.InfluenceRelevanceVoter().fit(X, y, ids=[None, *range(159)])
    with pytest.raises(InputError, match="ids mix int and str: make all of them text, or all numbers"):
        learn.InfluenceRelevanceVoter().fit(X, y, ids=np.array(["a", *range(159)], object))
    with pytest.raises(InputError, match=r"ids must be one column, got an array of shape \(160, 1\)"):
        learn.InfluenceRelevanceVoter().fit(X, y, ids=np.arange(160)[:, None])
    with pytest.raises(ParameterError, match="alpha must be a finite number of at least 0"):
        learn.early_retrieval_weights([1.0, 2.0], alpha=-1)
    with pytest.raises(ParameterError, match="scheme must be one of"):
        learn.EarlyRetrievalWeights(LogisticRegression(), scheme="log").fit(X, y)


def test_a_kernel_that_does_not_fit_is_refused_before_it_is_made() -> None:
    n = 20_000
    X = sparse.csr_array((np.ones(n), (np.arange(n), np.arange(n) % 50)), shape=(n, 50))
    with pytest.raises(ParameterError, match=r"20,000 molecules takes 3\.0 GiB: give max_bytes=3200000000 if"):
        learn.TanimotoSVC().fit(X, np.arange(n) % 2)
    with pytest.raises(ParameterError, match=r"kernel of 160 molecules"):
        learn.TanimotoSVC(max_bytes=8 * 160**2 - 1).fit(*molecules())


@pytest.mark.parametrize("similarity", ["tanimoto", "precomputed", learn.tanimoto_kernel])
def test_the_machine_is_that_of_scikit_learn(similarity: Any) -> None:
    X, y = molecules()
    Z = molecules(60, 20, seed=1)[0]
    K, Q = learn.tanimoto_kernel(X), learn.tanimoto_kernel(Z, X)
    weight = np.arange(y.size) % 3
    theirs = SVC(kernel="precomputed", C=2, class_weight="balanced").fit(
        K[np.ix_(weight > 0, weight > 0)], y[weight > 0], weight[weight > 0]
    )
    ours = learn.TanimotoSVC(2, similarity=similarity, class_weight="balanced", max_bytes=8 * 160**2)
    ours.fit(K if similarity == "precomputed" else X, y, weight)
    scores = ours.decision_function(Q if similarity == "precomputed" else Z)
    assert np.allclose(scores, theirs.decision_function(Q[:, weight > 0]), rtol=0, atol=1e-12)
    assert np.array_equal(ours.support_, np.flatnonzero(weight)[theirs.support_])


@pytest.mark.parametrize("kind", [float, np.float32])
def test_a_precomputed_kernel_is_copied_once_at_most(kind: Any) -> None:
    X, y = molecules(800, 200)
    K = learn.tanimoto_kernel(X).astype(kind)
    tracemalloc.start()
    learn.TanimotoSVC(similarity="precomputed").fit(K, y, sample_weight=np.arange(800) > 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.3 * 8 * 800**2


def test_all_landmarks_are_the_whole_kernel() -> None:
    X, y = molecules()
    Z = molecules(60, 20, seed=1)[0]
    K, Q = learn.tanimoto_kernel(X), learn.tanimoto_kernel(Z, X)
    model = learn.TanimotoSVC(n_landmarks=160, tol=1e-8).fit(X, y)
    # of the squared hinge loss, the representer theorem: the same machine learned on the root of the kernel
    root = np.linalg.cholesky(K)
    direct = LinearSVC(dual=False, tol=1e-8).fit(root, y).decision_function(np.linalg.solve(root, Q.T).T)
    assert np.allclose(model.decision_function(Z), direct, atol=1e-4)


def test_landmarks_are_half_active() -> None:
    X, y = molecules()
    model = learn.TanimotoSVC(n_landmarks=50, rng=0).fit(X, y)
    drawn = np.asarray(model.support_)
    assert np.unique(drawn).size == 50
    assert y[drawn].sum() == 25
    more = np.asarray(learn.TanimotoSVC(n_landmarks=130, rng=0).fit(X, y).support_)
    assert np.unique(more).size == 130
    assert y[more].sum() == 40


@odd_scores
def test_random_ranks_at_random() -> None:
    X = np.zeros((4000, 1))
    y = np.arange(4000) % 10 == 0
    ranker = learn.RandomRanker(rng=3).fit(X, y)
    scores = ranker.decision_function(X)
    assert np.array_equal(scores, learn.RandomRanker(rng=3).fit(X, y).decision_function(X))
    assert abs(hc.metrics.AUC()(y, scores) - 0.5) < 4 * 0.0152
    assert 0 <= scores.min() < 0.01 < 0.99 < scores.max() < 1
    assert abs(np.mean(ranker.predict(X)) - 0.1) < 4 * 0.0048


@pytest.mark.slow
@odd_scores
def test_random_scores_of_folds_of_unlike_prevalence_are_on_one_scale() -> None:
    group = np.repeat(np.arange(5), 60)
    y = np.arange(300) % 60 < np.array([3, 6, 12, 24, 42])[group]
    X = np.arange(300)[:, None]
    aucs = []
    for seed in range(60):
        scores = learn.out_of_fold(learn.RandomRanker(rng=seed), X, y, cv=GroupKFold(5), clusters=group).scores
        aucs.append(hc.metrics.AUC()(y, scores))
    # the standard error of one AUC of 87 and 213 is .037
    assert abs(np.mean(aucs) - 0.5) < 4 * 0.037 / math.sqrt(60)


def test_random_scores_of_folds_alike_in_all_are_the_same() -> None:
    y = np.tile([1, 0, 0, 0], 100)
    halves = [(np.arange(200, 400), np.arange(200)), (np.arange(200), np.arange(200, 400))]
    for X, alike in ((np.zeros((400, 1)), True), (np.arange(400)[:, None] < 200, False)):
        scores = learn.out_of_fold(learn.RandomRanker(rng=0), X, y, cv=halves).scores
        assert np.array_equal(scores[:200], scores[200:]) == alike


@pytest.mark.parametrize("model", [learn.RandomRanker(rng=True), learn.TanimotoSVC(n_landmarks=9, rng=True)])
def test_true_is_no_seed(model: Any) -> None:
    with pytest.raises(ParameterError, match="rng must be None, a seed or a numpy Generator, got True"):
        model.fit(*molecules())


@pytest.mark.slow
@odd_scores
@pytest.mark.parametrize("sorted_labels", [True, False])
def test_random_scores_of_folds_are_not_the_same(sorted_labels: bool) -> None:
    n = 2000
    y = np.sort(np.arange(n) % 10 == 0) if sorted_labels else np.arange(n) % 10 == 0
    X = np.arange(n)[:, None]
    aucs = []
    for seed in range(60):
        out = learn.out_of_fold(learn.RandomRanker(rng=seed), X, y, cv=10)
        assert np.unique(out.scores).size == n
        aucs.append(hc.metrics.AUC()(y, out.scores))
    # the standard error of one AUC is .0215; folds with the same scores would make it three times as large
    assert np.std(aucs) < 1.4 * 0.0215


def test_who_has_no_active_one_to_be_compared_with_is_as_bad_as_the_worst() -> None:
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1, 0, 0])
    ranker = learn.MaxSimilarityRanker(similarity=lambda a, b: -np.abs(a - b.T) - 1).fit(X, y)
    assert ranker.oob_decision_function_.tolist() == [-3.0, -2.0, -3.0]


# ---- scikit-learn


NOT_A_NEIGHBOUR = (
    "a row that is there twice is a neighbour of itself unless ids say that it is a copy; weights do not vote"
)
NOT_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": NOT_A_NEIGHBOUR,
    "check_sample_weight_equivalence_on_sparse_data": NOT_A_NEIGHBOUR,
}
STEPS = "steps are taken row by row, so a row twice is two steps"
LANDMARKS = "landmarks are drawn from other rows"
SHARE = "the score is in [0, 1], and is compared with a threshold, not with 0"
SWAPPED = "before scikit-learn 1.7 the check took the label of the first row for the negative one, in any order"


@dataclass(frozen=True)
class Gaussian:
    """A similarity of any numbers, written the same in every process."""

    def __call__(self, X: Any, Y: Any) -> Array:
        return rbf_kernel(X, Y)


GAUSSIAN = Gaussian()


def expected_failures(estimator: Any) -> dict[str, str]:
    inner = getattr(estimator, "estimator", estimator)
    if isinstance(inner, learn.InfluenceRelevanceVoter):
        return NOT_WEIGHTS
    if isinstance(inner, (learn.MaxSimilarityRanker, learn.RandomRanker)):
        return dict.fromkeys(("check_classifiers_train", "check_classifiers_classes"), SHARE)
    if isinstance(inner, SGDClassifier):
        return dict.fromkeys(NOT_WEIGHTS, STEPS)
    if isinstance(inner, learn.TanimotoSVC) and inner.n_landmarks:
        return dict.fromkeys(NOT_WEIGHTS, LANDMARKS)
    if [int(part) for part in version_of_sklearn.split(".")[:2]] < [1, 7]:
        return dict.fromkeys(NOT_WEIGHTS, SWAPPED)
    return {}


# before scikit-learn 1.8 these checks have a few subjects at random
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:after max_iter=2000 epochs", "ignore:'b' has only two values")
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        learn.RandomRanker(rng=0),
        learn.MaxSimilarityRanker(similarity=GAUSSIAN),
        learn.SimilarityKNN(3, similarity=GAUSSIAN),
        learn.InfluenceRelevanceVoter(3, similarity=GAUSSIAN),
        learn.TanimotoSVC(similarity=GAUSSIAN, tol=1e-10),
        learn.TanimotoSVC(similarity=GAUSSIAN, n_landmarks=8, rng=0),
        learn.EarlyRetrievalWeights(SGDClassifier(random_state=0)),
        learn.EarlyRetrievalWeights(LogisticRegression()),
        learn.EarlyRetrievalWeights(learn.InfluenceRelevanceVoter(3, similarity=GAUSSIAN)),
        learn.ModelChoice(
            {"a": LogisticRegression(C=0.01), "b": learn.SimilarityKNN(3, similarity=GAUSSIAN)}, metric="auc", cv=2
        ),
    ],
    expected_failed_checks=expected_failures,
)
def test_estimators_are_those_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
