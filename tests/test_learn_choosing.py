"""Estimators that train others: folds, re-weighting, the choice among models."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import loguniform

import hitcurve as hc
from hitcurve.errors import (
    EmptyInputError,
    InputError,
    LabelError,
    LengthMismatchError,
    MissingValueError,
    ParameterError,
    ScoreError,
    SingleClassError,
    WeightError,
)

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    SGDClassifier,
    SGDOneClassSVM,
    SGDRegressor,
)
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RandomizedSearchCV,
    StratifiedGroupKFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from hitcurve import learn
from tests.odd import odd_scores

Array = Any


def shifted(n: int = 240, share: float = 0.2, seed: int = 0, features: int = 4, by: float = 1.0) -> tuple[Array, Array]:
    """Return features of which the positives have more, and labels."""
    rng = np.random.default_rng(seed)
    y = (rng.permutation(n) < share * n).astype(int)
    return rng.normal(size=(n, features)) + by * y[:, None], y


def molecules(n: int = 120, active: int = 30, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = (rng.permutation(n) < active).astype(int)
    X = (rng.random((n, 96)) < np.where(y[:, None] == 1, np.linspace(0.02, 0.4, 96), 0.2)).astype(np.uint8)
    X[:, 0] = 1
    return X, y


class Untouched(LogisticRegression):  # type: ignore[misc]
    """One that must not be trained."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        raise AssertionError

    transform = fit  # also as a step of a pipeline


# ---- what is predicted


@pytest.mark.parametrize("base", [GaussianNB(), LogisticRegression(), RandomForestClassifier(20, random_state=0)])
def test_classes_are_those_that_the_inner_model_predicts(base: Any) -> None:
    X, y = shifted()
    for model in (
        learn.ModelChoice({"only": base}, metric="auc").fit(X, y),
        learn.EarlyRetrievalWeights(base, metrics="auc", max_epochs=3, patience=3).fit(X, y),
    ):
        inner = model.best_estimator_ if isinstance(model, learn.ModelChoice) else model.estimator_
        assert np.array_equal(model.predict(X), inner.predict(X))
        assert np.array_equal(model.predict(X), (model.decision_function(X) > 0).astype(int))
        if not hasattr(inner, "decision_function"):
            p = inner.predict_proba(X)[:, 1]
            assert np.isfinite(model.decision_function(X)).all()
            assert hc.metrics.AUC()(y, model.decision_function(X)) == hc.metrics.AUC()(y, p)


@pytest.mark.slow
def test_a_detector_of_outliers_knows_no_classes() -> None:
    X, y = shifted()
    choice = learn.ModelChoice({"lonely": IsolationForest(random_state=0)}, metric="auc")
    model = choice.fit(X, np.where(y, 1, -1))
    assert set(model.predict(X)) <= {-1, 1}


@pytest.mark.slow
def test_a_detector_of_outliers_scores_inliers_high() -> None:
    X, y = shifted()
    forest = IsolationForest(random_state=0)
    choice = learn.ModelChoice({"lonely": forest}, metric="auc")
    with pytest.raises(LabelError, match="label inliers 1 and outliers -1"):
        choice.fit(X, y)
    with pytest.raises(LabelError, match="label inliers 1 and outliers -1"):
        learn.EarlyRetrievalWeights(forest, metrics="auc").fit(X, y)
    # the rare are outliers
    rare = np.r_[np.random.default_rng(0).normal(size=(90, 2)), np.full((10, 2), 6.0) + np.eye(10, 2)]
    y = np.r_[np.ones(90, int), -np.ones(10, int)]
    found = learn.out_of_fold(forest, rare, y, cv=5)
    assert hc.metric("auc")(y, found.scores, pos_label=1) > 0.9


SMOOTHED = "its smoothing is a share of the variance of the rows, whatever their weights"


@pytest.mark.slow
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        learn.ModelChoice({"p": GaussianNB()}, metric="auc", cv=2),
        learn.EarlyRetrievalWeights(GaussianNB()),
    ],
    expected_failed_checks=lambda estimator: (
        {"check_sample_weight_equivalence_on_dense_data": SMOOTHED}
        if isinstance(estimator, learn.EarlyRetrievalWeights)
        else {"check_classifiers_one_label_sample_weights": "it takes the logarithm of the share of a class, 0"}
    ),
)
def test_estimators_of_models_with_probabilities_are_those_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_data_go_to_the_models_as_they_are() -> None:
    pd = pytest.importorskip("pandas")
    X, y = shifted(features=2)
    X[::7, 1] = np.nan
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "word": np.where(y + (np.arange(240) % 3 == 0) > 0, "u", "v")})
    trees = HistGradientBoostingClassifier(max_iter=5, random_state=0)
    chosen = learn.ModelChoice({"trees": trees}, metric="auc").fit(X, y)
    assert np.array_equal(chosen.predict(X), clone(trees).fit(X, y).predict(X))
    named = make_pipeline(ColumnTransformer([("a", StandardScaler(), ["a"])]), LogisticRegression())
    choice = learn.ModelChoice({"named": named}, metric="auc").fit(frame, y)
    assert list(choice.feature_names_in_) == ["a", "b", "word"]
    assert np.array_equal(choice.decision_function(frame), clone(named).fit(frame, y).decision_function(frame))
    weighted = learn.EarlyRetrievalWeights(named, metrics="auc", max_epochs=3, patience=3).fit(frame, y)
    assert weighted.estimator_[0].transform(frame).shape == (240, 1)
    with pytest.raises(ValueError, match="feature names"):
        choice.predict(frame.rename(columns={"a": "z"}))


# ---- weights of the top


def test_weights_of_copies_are_those_of_one_row_that_is_so_often_there() -> None:
    rng = np.random.default_rng(0)
    s = rng.integers(0, 12, 60) / 7
    times = rng.integers(0, 4, 60)
    times[np.argmax(s)] = 0
    for scheme in ("power", "exponential", "uniform"):
        for density in (False, True):
            how: dict[str, Any] = {"scheme": scheme, "density": density}
            one = learn.early_retrieval_weights(s, sample_weight=times, **how)
            copies = learn.early_retrieval_weights(np.repeat(s, times), **how)
            assert np.allclose(np.repeat(one, times), copies, rtol=1e-12)
            assert math.isclose(np.average(one, weights=times), 1)
            ones = learn.early_retrieval_weights(s, sample_weight=np.ones(60), **how)
            assert np.array_equal(ones, learn.early_retrieval_weights(s, **how))


@pytest.mark.parametrize("density", [False, True])
def test_a_doubled_weight_is_a_row_twice_in_every_epoch(*, density: bool) -> None:
    X, y = molecules()
    times = np.random.default_rng(0).integers(1, 4, y.size)
    rows = np.repeat(np.arange(y.size), times)
    model = learn.EarlyRetrievalWeights(
        learn.InfluenceRelevanceVoter(10), density=density, metrics="auc", max_epochs=8, patience=8
    )
    heavy = model.fit(X, y, sample_weight=times)
    scores, kept = heavy.decision_function(X), heavy.sample_weights_
    copies = model.fit(X[rows], y[rows], ids=rows)
    assert np.allclose(copies.decision_function(X), scores, atol=1e-9)
    assert np.allclose(copies.sample_weights_, kept[:, rows], rtol=1e-5)


@pytest.mark.parametrize("alpha", [None, 0.5, 7.0])
@pytest.mark.parametrize("schedule", ["constant", "linear", lambda epochs: 3.0])
def test_uniform_is_uniform_whatever_alpha(alpha: float | None, schedule: Any) -> None:
    X, y = shifted()
    assert (learn.early_retrieval_weights(X[:, 0], scheme="uniform", alpha=alpha) == 1).all()
    dense, plain = (learn.early_retrieval_weights(X[:, 0], scheme="uniform", density=True, alpha=a) for a in (alpha, 0))
    assert np.array_equal(dense, plain)
    model = learn.EarlyRetrievalWeights(
        LogisticRegression(), scheme="uniform", alpha=alpha, alpha_schedule=schedule, metrics="auc", max_epochs=3
    ).fit(X, y)
    assert (model.sample_weights_ == 1).all()
    assert {epoch.alpha for epoch in model.history_} == {0.0}


def test_weights_that_fall_steeply_stay_numbers() -> None:
    s = np.arange(100.0)
    for scheme, alpha in (("exponential", 1000), ("exponential", 1e5), ("power", 1e3), ("power", 1e300)):
        weight = learn.early_retrieval_weights(s, scheme=scheme, alpha=alpha)
        assert (weight > 0).all()
        assert math.isclose(weight.mean(), 1)
        assert (np.diff(weight) >= 0).all()
    # where the plain formula still is a number it is the same
    near = [learn.early_retrieval_weights(s, scheme="exponential", alpha=a)[-20:] for a in (708, 709)]
    assert np.allclose(near[0] * np.exp(np.arange(20) / 100 - 0.19), near[1], rtol=1e-2)


@pytest.mark.parametrize(
    ("scores", "options", "kind", "said"),
    [
        ([], {}, EmptyInputError, "empty"),
        ([1.0, math.nan], {}, MissingValueError, "1 of 2 scores are missing"),
        ([1.0, math.nan], {"density": True}, MissingValueError, "1 of 2 scores are missing"),
        ([1.0, math.inf], {"density": True}, ScoreError, "needs finite scores"),
        ([[1.0, 2.0], [1.0, 2.0]], {}, ScoreError, "two columns"),
        ([[1.0, 2.0, 3.0]], {}, InputError, "one column"),
        (["a", "b"], {}, ScoreError, "real numbers"),
        ([1.0, 2.0], {"sample_weight": [1.0]}, LengthMismatchError, "sample_weight has 1"),
        ([1.0, 2.0], {"sample_weight": [-1.0, 1.0]}, WeightError, "at least 0"),
        ([1.0, 2.0], {"sample_weight": [0, 0]}, WeightError, "all weights are 0"),
        ([1.0, 2.0], {"scheme": "uniform", "alpha": math.inf}, ParameterError, "finite number"),
        ([1.0, 2.0], {"density": "no"}, ParameterError, "density must be True, False or 'by-class', got 'no'"),
    ],
)
def test_scores_that_cannot_be_weighted_are_refused(
    scores: Any, options: dict[str, Any], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        learn.early_retrieval_weights(scores, **options)


# ---- what learns on


@pytest.mark.parametrize(
    "base", [GradientBoostingClassifier(random_state=0), RandomForestClassifier(random_state=0, max_depth=3)]
)
def test_an_epoch_of_trees_is_one_more_tree(base: Any) -> None:
    X, y = shifted()
    model = learn.EarlyRetrievalWeights(base, metrics="auc", max_epochs=6, patience=6).fit(X, y)
    assert len(model.estimator_.estimators_) == model.best_epoch_
    by_hand = clone(base).set_params(warm_start=True)
    for count, weight in enumerate(model.sample_weights_[: model.best_epoch_], start=1):
        by_hand.set_params(n_estimators=count).fit(X, y, sample_weight=weight.astype(float))
    assert np.allclose(by_hand.predict_proba(X), model.estimator_.predict_proba(X), atol=1e-4)


def test_the_last_step_of_a_pipeline_learns_on() -> None:
    X, y = shifted()
    X *= [1, 10, 100, 1000]
    base = SGDClassifier(random_state=0)
    how: dict[str, Any] = {"metrics": "auc", "max_epochs": 5, "patience": 5}
    piped = learn.EarlyRetrievalWeights(make_pipeline(StandardScaler(), base), **how).fit(X, y)
    alone = learn.EarlyRetrievalWeights(base, **how).fit(StandardScaler().fit_transform(X), y)
    assert np.array_equal(piped.decision_function(X), alone.decision_function(StandardScaler().fit_transform(X)))
    assert piped.history_ == alone.history_
    single = learn.EarlyRetrievalWeights(make_pipeline(base), **how).fit(X, y)
    assert np.array_equal(single.sample_weights_, learn.EarlyRetrievalWeights(base, **how).fit(X, y).sample_weights_)


def test_the_steps_of_a_pipeline_see_the_labels() -> None:
    X, y = shifted(features=20)
    X[:, :15] = np.random.default_rng(1).normal(size=(240, 15))
    base = SGDClassifier(random_state=0)
    how: dict[str, Any] = {"metrics": "auc", "max_epochs": 5, "patience": 5}
    piped = learn.EarlyRetrievalWeights(make_pipeline(SelectKBest(k=3), base), **how).fit(X, y)
    best = SelectKBest(k=3).fit(X, y)
    assert np.array_equal(piped.estimator_[0].get_support(), best.get_support())
    alone = learn.EarlyRetrievalWeights(base, **how).fit(best.transform(X), y)
    assert np.array_equal(piped.decision_function(X), alone.decision_function(best.transform(X)))


def test_the_steps_of_a_pipeline_with_a_memory_are_kept(tmp_path: Any) -> None:
    X, y = shifted()
    piped = make_pipeline(StandardScaler(), LogisticRegression(), memory=str(tmp_path))
    model = learn.EarlyRetrievalWeights(piped, metrics="auc", max_epochs=3, patience=3).fit(X, y)
    assert model.predict(X).shape == y.shape


@pytest.mark.parametrize(
    ("base", "said"),
    [
        (HistGradientBoostingClassifier(random_state=0), "learned nothing in its second epoch"),
        (LogisticRegression(solver="liblinear"), "learned nothing in its second epoch"),
        (SGDClassifier(class_weight="balanced"), "with class_weight='balanced'"),
        (SGDClassifier(early_stopping=True), "with early_stopping=True"),
        (GradientBoostingClassifier(n_iter_no_change=2), "with n_iter_no_change=2"),
        (RandomForestClassifier(class_weight="balanced_subsample"), "with class_weight='balanced_subsample'"),
        (SGDOneClassSVM(), "SGDOneClassSVM.partial_fit takes no classes: use a classifier"),
        (make_pipeline(Untouched(), "passthrough"), "the pipeline ends in 'passthrough', which cannot be trained"),
        ("x", "estimator must be an estimator, got 'x'"),
        (SGDClassifier, "estimator must be an estimator, got <class"),
        (SGDRegressor(), "neither decision_function nor predict_proba"),
        (make_pipeline(StandardScaler(), DecisionTreeClassifier()), "DecisionTreeClassifier has neither partial_fit"),
    ],
)
@pytest.mark.parametrize(
    "how", [{}, {"scheme": "uniform"}, {"alpha_schedule": lambda epochs: 0.0}, {"alpha_schedule": "linear"}]
)
def test_what_stands_still_is_refused_under_every_scheme(base: Any, said: str, how: dict[str, Any]) -> None:
    X, y = shifted()
    with pytest.raises(ParameterError, match=said):
        learn.EarlyRetrievalWeights(base, metrics="auc", **how).fit(X, y)


def test_what_was_not_done_after_the_last_epoch_is_said() -> None:
    X, y = molecules()
    model = learn.EarlyRetrievalWeights(learn.InfluenceRelevanceVoter(10), metrics="auc", max_epochs=3, patience=2)
    with pytest.warns(ConvergenceWarning, match="auc had risen within the last 2 epochs when max_epochs=3 ended"):
        model.fit(X, y)
    model.set_params(patience=3).fit(X, y)  # all are asked for


@pytest.mark.parametrize("scheme", ["uniform", "power", "exponential"])
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"tol": math.inf}, "tol must be a finite number of at least 0, got inf"),
        ({"tol": -1}, "tol must be a finite number of at least 0, got -1"),
        ({"alpha": -1}, "alpha must be a finite number of at least 0, got -1"),
        ({"alpha": "7"}, "alpha must be a number, got '7'"),
        ({"alpha": -1, "alpha_schedule": lambda epochs: 1.0}, "alpha must be a finite number of at least 0, got -1"),
        ({"alpha_schedule": "liner"}, "alpha_schedule must be one of .*; did you mean 'linear'"),
        ({"max_epochs": 0}, "max_epochs must be a whole number"),
        ({"patience": 0}, "patience must be a whole number"),
        ({"metrics": ()}, "metric"),
        ({"density": "yes"}, "density must be True, False or 'by-class', got 'yes'"),
    ],
)
def test_arguments_are_read_before_anything_is_trained(scheme: str, how: dict[str, Any], said: str) -> None:
    X, y = shifted()
    for base in (Untouched(), make_pipeline(Untouched(), SGDClassifier())):
        with pytest.raises(ParameterError, match=said):
            learn.EarlyRetrievalWeights(base, scheme=scheme, **how).fit(X, y)


def test_a_schedule_is_asked_before_the_first_epoch() -> None:
    X, y = shifted()
    with pytest.raises(ParameterError, match="alpha must be a number, got nan"):
        learn.EarlyRetrievalWeights(Untouched(), alpha_schedule=lambda epochs: math.nan).fit(X, y)


# ---- copies of molecules


def copied() -> tuple[Array, Array, Array]:
    """Return molecules that are each there twice, and their names."""
    X, y = molecules()
    ids = np.repeat(np.arange(y.size), 2)
    order = np.random.default_rng(1).permutation(ids.size)
    return X[ids][order], y[ids][order], ids[order]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of voters
def test_names_of_molecules_go_through_folds() -> None:
    X, y, ids = copied()
    voter = learn.InfluenceRelevanceVoter(10)
    out = learn.out_of_fold(voter, X, y, cv=GroupKFold(4), clusters=ids, params={"ids": ids})
    wanted = np.empty(y.size)
    for train, test in GroupKFold(4).split(X, y, ids):
        wanted[test] = clone(voter).fit(X[train], y[train], ids=ids[train]).decision_function(X[test])
    assert np.array_equal(out.scores, wanted)
    assert not np.array_equal(learn.out_of_fold(voter, X, y, cv=GroupKFold(4), clusters=ids).scores, wanted)


@pytest.mark.slow
@odd_scores
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of voters
def test_names_of_molecules_go_through_every_choice() -> None:
    X, y, ids = copied()
    candidates = {f"k={k}": learn.InfluenceRelevanceVoter(k) for k in (10, 5)}
    choice = learn.ModelChoice(candidates, metric="auc", cv=3).fit(X, y, clusters=ids, ids=ids)
    by_hand = learn.out_of_fold(candidates["k=5"], X, y, cv=3, clusters=ids, params={"ids": ids}).scores
    assert choice.evaluation_["k=5", "auc"].value == hc.metrics.AUC()(y, by_hand)
    alone = clone(candidates[choice.best_name_]).fit(X, y, ids=ids)
    assert np.array_equal(choice.decision_function(X), alone.decision_function(X))
    for search in (
        learn.ModelChoice(candidates, metric="auc", cv=3),
        GridSearchCV(learn.InfluenceRelevanceVoter(), {"k": [10, 5]}, scoring=hc.scorer("auc"), cv=GroupKFold(3)),
        learn.ModelChoice(
            {"w": learn.EarlyRetrievalWeights(candidates["k=5"], metrics="auc", max_epochs=2, patience=2)}, metric="auc"
        ),
    ):
        result = learn.nested_cross_validation(
            search, X, y, metric="auc", cv=3, clusters=ids, params={"ids": ids, "sample_weight": None}
        )
        fold = dict(zip(ids, result.out_of_fold.fold, strict=True))
        assert [fold[name] for name in ids] == result.out_of_fold.fold.tolist()
        train = result.out_of_fold.fold != 0
        params = {"groups" if isinstance(search, GridSearchCV) else "clusters": ids[train], "ids": ids[train]}
        chosen = clone(search).fit(X[train], y[train], **params)
        assert np.array_equal(chosen.decision_function(X[~train]), result.out_of_fold.scores[~train])


def test_what_fit_does_not_take_is_refused() -> None:
    X, y = molecules()
    ids = np.arange(y.size)
    with pytest.raises(ParameterError, match=r"MaxSimilarityRanker\.fit takes no ids"):
        learn.out_of_fold(learn.MaxSimilarityRanker(), X, y, params={"ids": ids})
    with pytest.raises(ParameterError, match=r"MaxSimilarityRanker\.fit takes no idz"):
        learn.ModelChoice({"a": learn.MaxSimilarityRanker()}).fit(X, y, idz=ids)
    with pytest.raises(ParameterError, match=r"SGDClassifier\.partial_fit takes no ids"):
        learn.EarlyRetrievalWeights(SGDClassifier()).fit(X, y, ids=ids)
    with pytest.raises(LengthMismatchError, match="ids has 3"):
        learn.out_of_fold(learn.InfluenceRelevanceVoter(), X, y, params={"ids": [1, 2, 3]})
    with pytest.raises(ParameterError, match="sample_weight must be one value for each row, got 2"):
        learn.out_of_fold(LogisticRegression(), X, y, params={"sample_weight": 2})


def test_what_is_not_one_for_each_row_is_refused() -> None:
    X, y = shifted()
    wrong: Any
    for wrong, kind, said in (
        (np.arange(9), LengthMismatchError, "y has 240, clusters has 9"),
        (
            [None, *range(239)],
            MissingValueError,
            "1 of 240 clusters are missing: give an independent subject a cluster of its own",
        ),
        (["a", *range(239)], InputError, "clusters mix"),
    ):
        for cv in (3, GroupKFold(3)):
            with pytest.raises(kind, match=said):
                learn.out_of_fold(Untouched(), X, y, cv=cv, clusters=wrong)
            with pytest.raises(kind, match=said):
                learn.ModelChoice({"a": Untouched()}, cv=cv).fit(X, y, wrong)
    wrong = [1]
    with pytest.raises(ParameterError, match=r"params must be a mapping from names .*, got \[1\]"):
        learn.out_of_fold(Untouched(), X, y, params=wrong)
    with pytest.raises(ParameterError, match="estimator must be an estimator, got 3"):
        learn.out_of_fold(3, X, y)


def test_a_number_of_folds_keeps_clusters_together() -> None:
    X, y, ids = copied()
    fold = learn.out_of_fold(learn.MaxSimilarityRanker(), X, y, cv=4, clusters=ids).fold
    assert len(set(zip(ids, fold, strict=True))) == len(set(ids))


def test_a_kernel_in_a_data_frame_is_cut_out() -> None:
    pd = pytest.importorskip("pandas")
    X, y = molecules()
    kernel = learn.tanimoto_kernel(X)
    given = learn.MaxSimilarityRanker(similarity="precomputed")
    framed = learn.out_of_fold(given, pd.DataFrame(kernel), y, cv=4)
    assert np.array_equal(framed.scores, learn.out_of_fold(given, kernel, y, cv=4).scores)
    assert np.array_equal(
        learn.out_of_fold(learn.MaxSimilarityRanker(), sparse.coo_array(X), y, cv=4).scores, framed.scores
    )


def test_scores_of_probabilities_are_those_of_the_positive_class() -> None:
    X, y = shifted()
    forest = RandomForestClassifier(20, random_state=0)
    out = learn.out_of_fold(forest, X, y, cv=4)
    theirs = cross_val_predict(forest, X, y, cv=4, method="predict_proba")
    assert np.array_equal(out.scores, theirs[:, 1])
    assert hc.metrics.AUC()(y, out.scores) > 0.7


ROWS = np.arange(240)


@pytest.mark.parametrize(
    ("cv", "said"),
    [
        ([(ROWS, ROWS)], "fold 1 trains on 240 of the 240 subjects that it leaves out, the first in row 0"),
        (
            [(ROWS[:120], ROWS[120:]), (ROWS[119:], ROWS[:120])],
            "fold 2 trains on 1 of the 120 .* in row 119: give folds",
        ),
        ([(ROWS[:120], ROWS[120:]), (ROWS[120:] - 240, ROWS[:120] - 240), (ROWS[-9:] - 240, ROWS)], "fold 3 trains"),
        ([(ROWS < 120, ROWS >= 100), (ROWS >= 120, ROWS < 120)], "fold 1 trains on 20 of the 140"),
        ([(ROWS[:120], ROWS[120:]), (ROWS[120:], np.r_[ROWS[:120], 7])], "they leave out row 7 2 times"),
        (
            [(ROWS[:120], ROWS[120:]), (ROWS[120:], np.r_[7, ROWS[8:120], ROWS[:7], -233])],
            "they leave out row 7 2 times",
        ),
        (
            [(ROWS[:120], ROWS[120:] + 1), (ROWS[120:], ROWS[:120])],
            "fold 1 selects rows that are not among the 240 subjects: .*240",
        ),
        ([(ROWS[:99] < 9, ROWS >= 9)], "fold 1 selects rows that are not among the 240 subjects"),
        ([(ROWS / 2, ROWS)], "fold 1 selects rows that are not among the 240 subjects"),
    ],
)
def test_folds_that_show_what_they_leave_out_are_refused(cv: Any, said: str) -> None:
    X, y = shifted()
    with pytest.raises(ParameterError, match=said):
        learn.out_of_fold(LogisticRegression(), X, y, cv=cv)
    with pytest.raises(ParameterError, match=said):
        learn.ModelChoice({"a": LogisticRegression()}, metric="auc", cv=cv).fit(X, y)


def test_folds_are_of_numbers_or_masks() -> None:
    X, y = shifted()
    numbers = [(ROWS[120:], ROWS[:120]), (ROWS[:120], ROWS[120:])]
    wanted = learn.out_of_fold(LogisticRegression(), X, y, cv=numbers)
    for cv in (
        [(ROWS >= 120, ROWS < 120), (ROWS < 120, ROWS >= 120)],
        [(train - 240, tuple(test)) for train, test in numbers],
        iter(numbers),
    ):
        out = learn.out_of_fold(LogisticRegression(), X, y, cv=cv)
        assert np.array_equal(out.scores, wanted.scores)
        assert np.array_equal(out.fold, wanted.fold)
    with pytest.raises(SingleClassError, match="fold 1 has no active among its 0 test subjects"):
        learn.out_of_fold(LogisticRegression(), X, y, cv=[(ROWS, [])])
    # a training row that is there twice is learned twice, and does no harm
    doubled = [(np.r_[train, train], test) for train, test in numbers]
    assert learn.out_of_fold(LogisticRegression(), X, y, cv=doubled).scores.size == 240


# ---- the choice


class Column(LogisticRegression):  # type: ignore[misc]
    """One that scores by a column, whatever it was trained on."""

    def __init__(self, column: int = 0) -> None:
        super().__init__()
        self.column = column

    def decision_function(self, X: Any) -> Array:
        return np.asarray(X)[:, self.column]


def columns() -> tuple[Array, Array, dict[str, Any]]:
    """Return scores as features, of which the second is a little, but reliably, better than the first."""
    rng = np.random.default_rng(0)
    y = np.tile([1, 0, 0, 0], 100)
    good = rng.normal(size=400) + 1.5 * y
    X = np.column_stack([good - 0.1 * y, good])
    return X, y, {"simple": Column(0), "good": Column(1)}


def test_the_rule_is_told_whether_errors_are_those_of_differences() -> None:
    X, y, candidates = columns()
    choice = learn.ModelChoice(candidates, metric="auc")
    for paired, name in ((True, "good"), (False, "simple")):
        choice.set_params(paired=paired).fit(X, y)
        assert choice.best_name_ == name
        assert learn.one_standard_error(choice.evaluation_, "auc", paired=paired) == name
    assert learn.one_standard_error(choice.evaluation_, "auc", simplest_first=["good", "simple"]) == "good"
    with pytest.raises(ParameterError, match="simplest_first is empty"):
        learn.one_standard_error(choice.evaluation_, "auc", simplest_first=[])


def test_all_candidates_get_the_same_folds() -> None:
    X, y = shifted()
    random = np.random.RandomState(0)  # one that is used up draws other folds each time
    drawn = list(StratifiedKFold(3, shuffle=True, random_state=np.random.RandomState(0)).split(X, y))
    wanted = learn.out_of_fold(LogisticRegression(), X, y, cv=drawn).scores
    twins = {"one": LogisticRegression(), "two": LogisticRegression(), "three": LogisticRegression()}
    for cv in (StratifiedKFold(3, shuffle=True, random_state=random), iter(drawn)):
        choice = learn.ModelChoice(twins, metric="auc", cv=cv, rule="best").fit(X, y)
        assert [choice.evaluation_[name, "auc"].value for name in twins] == [hc.metrics.AUC()(y, wanted)] * 3


# ---- the honest estimate


@pytest.mark.parametrize("turning", [False, True])
def test_the_confidence_level_is_the_one_asked_for(*, turning: bool) -> None:
    X, y = shifted(400)
    kind = Turns if turning else learn.ModelChoice
    search = kind({"plain": LogisticRegression(), "twin": LogisticRegression()}, metric="auc", cv=3)
    wide, narrow = (
        learn.nested_cross_validation(search, X, y, metric="auc", cv=6, confidence_level=level).estimate
        for level in (0.95, 0.5)
    )
    assert wide.value == narrow.value
    assert (wide.confidence_level, narrow.confidence_level) == (0.95, 0.5)
    outer, inner = wide.confidence_interval(), narrow.confidence_interval()
    assert outer.low < inner.low < inner.high < outer.high
    search.set_params(candidates={"untouched": Untouched()})
    with pytest.raises(ParameterError, match="confidence_level must lie strictly between 0 and 1, got 95"):
        learn.nested_cross_validation(search, X, y, metric="auc", confidence_level=95)


def test_an_estimate_is_of_one_metric() -> None:
    X, y = shifted()
    several: Any = ["auc", "ap"]
    search = learn.ModelChoice({"a": LogisticRegression()}, metric="auc")
    with pytest.raises(ParameterError, match=r"a metric must be a metric string or a Metric, got \['auc', 'ap'\]"):
        learn.nested_cross_validation(search, X, y, metric=several)
    with pytest.raises(ParameterError, match="a metric must be a metric string or a Metric"):
        search.set_params(metric=several).fit(X, y)


class Grouped(learn.ModelChoice):
    """A choice that keeps the clusters it was given."""

    def fit(self, X: Any, y: Any, clusters: Any = None, **params: Any) -> Any:
        self.clusters_ = clusters
        return super().fit(X, y, clusters, **params)


def test_clusters_are_kept_together_without_and_within() -> None:
    X, y = shifted()
    clusters = np.arange(240) // 4
    result = learn.nested_cross_validation(
        Grouped({"a": LogisticRegression()}, metric="auc", cv=GroupKFold(3)),
        X,
        y,
        metric="auc",
        cv=4,
        clusters=clusters,
    )
    fold = result.out_of_fold.fold
    assert len(set(zip(clusters, fold, strict=True))) == 60
    for number, model in enumerate(result.out_of_fold.models):
        assert np.array_equal(model.clusters_, clusters[fold != number])
    choice = learn.ModelChoice({"a": LogisticRegression()}, metric="auc", cv=3).fit(X, y, clusters)
    wanted = learn.out_of_fold(LogisticRegression(), X, y, cv=StratifiedGroupKFold(3), clusters=clusters)
    assert choice.best_score_ == hc.metrics.AUC()(y, wanted.scores)
    assert wanted.fold.tolist() != learn.out_of_fold(LogisticRegression(), X, y, cv=3).fold.tolist()


@pytest.mark.slow
def test_optimism_is_above_0_where_too_much_was_promised() -> None:
    _, y = shifted()
    noise = np.random.default_rng(1).normal(size=(240, 20))
    search = learn.ModelChoice({str(i): Column(i) for i in range(20)}, metric="auc", rule="best", cv=3)
    result = learn.nested_cross_validation(search, noise, y, metric="auc", cv=4)
    assert result.optimism is not None
    assert result.optimism > 0.03


@pytest.mark.slow
def test_what_was_promised_in_another_measure_is_not_compared() -> None:
    X, y = shifted()
    grid = {"C": [0.01, 1.0]}
    result = learn.nested_cross_validation(GridSearchCV(LogisticRegression(), grid, cv=3), X, y, metric="ap", cv=3)
    assert result.promised is None
    assert result.optimism is None
    assert "did not use this metric" in str(result)
    for scoring, refit in (
        (hc.scorer("ap"), True),
        (hc.metric("ap"), True),
        ({"ap": hc.scorer("ap"), "accuracy": "accuracy"}, "ap"),
        (hc.scorer("ap"), lambda results: int(np.argmax(results["mean_test_score"]))),
    ):
        search = GridSearchCV(LogisticRegression(), grid, scoring=scoring, refit=refit, cv=3)
        same = learn.nested_cross_validation(search, X, y, metric=hc.metric("ap"), cv=3)
        assert same.promised is not None
        assert same.optimism == np.mean(same.promised) - same.estimate.value
    # the function chose the largest, as refit=True does
    plain = GridSearchCV(LogisticRegression(), grid, scoring=hc.scorer("ap"), cv=3)
    assert learn.nested_cross_validation(plain, X, y, metric="ap", cv=3).promised == same.promised
    assert learn.nested_cross_validation(plain, X, y, metric="auc", cv=3).promised is None
    by_auc = learn.ModelChoice({"a": LogisticRegression()}, metric="auc")
    assert learn.nested_cross_validation(by_auc, X, y, metric="ap", cv=3).promised is None


@pytest.mark.parametrize("metric", ["hits@20", "recall@20", "precision@20", "ef@20", "slr", "dcg", "ndcg"])
def test_values_of_lists_of_unlike_lengths_are_not_compared(metric: str) -> None:
    X, y = shifted()
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=hc.scorer(metric), cv=3)
    result = learn.nested_cross_validation(search, X, y, metric=metric, cv=3)
    assert result.promised is not None
    assert result.optimism is None
    assert str(result).endswith(" for lists of another length, so the two are not comparable")
    share = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=hc.scorer("recall@10%"), cv=3)
    of_share = learn.nested_cross_validation(share, X, y, metric="recall@10%", cv=3)
    assert of_share.optimism is not None
    assert "length" not in str(of_share)


@pytest.mark.parametrize(
    ("search", "said"),
    [
        (GridSearchCV(LogisticRegression(), {"C": [1.0]}, refit=False), "refit=False does not train"),
        (TunedThresholdClassifierCV(Untouched()), "TunedThresholdClassifierCV does not choose among models"),
        (LogisticRegressionCV(), "LogisticRegressionCV does not choose among models"),
        (LogisticRegression(), "LogisticRegression does not choose among models"),
    ],
)
def test_what_chooses_no_model_is_refused(search: Any, said: str) -> None:
    X, y = shifted()
    with pytest.raises(ParameterError, match=said):
        learn.nested_cross_validation(search, X, y, metric="ap")


class Scaled(LogisticRegression):  # type: ignore[misc]
    """One whose scores are on a scale of its own."""

    def decision_function(self, X: Any) -> Array:
        return np.asarray(super().decision_function(X)) * 1e3 + 1e6


class Turns(learn.ModelChoice):
    """A choice that is another one in every fold."""

    def fit(self, X: Any, y: Any, clusters: Any = None, **params: Any) -> Any:
        super().fit(X, y, clusters, **params)
        self.best_name_ = list(self.candidates)[int(np.sum(X) * 1e6) % 2]
        self.best_estimator_ = self.candidates[self.best_name_].fit(X, y)
        return self


@pytest.mark.slow
@odd_scores
def test_unlike_models_are_not_put_on_one_list() -> None:
    X, y = shifted(400)
    search = Turns({"plain": LogisticRegression(), "scaled": Scaled()}, metric="ap", cv=3)
    result = learn.nested_cross_validation(search, X, y, metric="ap", cv=StratifiedKFold(6))
    assert set(result.chosen) == {"plain", "scaled"}
    out = result.out_of_fold
    by_fold = [hc.metric("ap")(y[out.fold == fold], out.scores[out.fold == fold]) for fold in range(6)]
    assert math.isclose(result.estimate.value, np.mean(by_fold))
    assert isinstance(result.estimate, hc.groups.GroupMean)
    share = 1 / 6 + result.estimate.overlap  # folds share their training data
    assert result.estimate.overlap > 0
    assert math.isclose(result.estimate.standard_error, np.std(by_fold, ddof=1) * math.sqrt(share))
    assert str(result).startswith("chosen: ap = ")
    assert "mean of 6" in str(result)
    assert hc.metric("ap")(y, out.scores) < result.estimate.value - 0.1
    alike = learn.nested_cross_validation(learn.ModelChoice({"plain": LogisticRegression()}), X, y, metric="ap", cv=6)
    assert alike.estimate.value == hc.metric("ap")(y, alike.out_of_fold.scores)


class Wave:
    """A similarity that prints where it lies in memory."""

    def __call__(self, X: Any, Y: Any) -> Array:
        return np.cos(np.asarray(X)[:, :1] - np.asarray(Y)[:, 0])


@odd_scores
def test_copies_of_a_parameter_are_the_same_choice() -> None:
    X, y = shifted()
    grid = {"similarity": [Wave(), Wave()]}
    search = GridSearchCV(learn.SimilarityKNN(5), grid, scoring=hc.scorer("auc"), cv=3)
    result = learn.nested_cross_validation(search, X, y, metric="auc", cv=3)
    assert len(set(map(repr, result.chosen))) == 3
    assert result.estimate.value == hc.metrics.AUC()(y, result.out_of_fold.scores)


def test_drawn_candidates_are_compared_by_their_parameters() -> None:
    X, y = shifted()
    drawn = RandomizedSearchCV(LogisticRegression(), {"C": loguniform(1e-4, 1e4)}, n_iter=1, cv=3)
    result = learn.nested_cross_validation(drawn, X, y, metric="auc", cv=3)
    assert {model.best_index_ for model in result.out_of_fold.models} == {0}
    assert len({chosen["C"] for chosen in result.chosen}) == 3
    assert "mean of 3" in str(result)


def by_chance(results: dict[str, Any]) -> int:
    return int(-np.sum(results["mean_test_score"]) * 1e6) % 2


@pytest.mark.slow
@pytest.mark.parametrize("piped", [False, True])
def test_what_a_choice_within_a_choice_chose_counts(*, piped: bool) -> None:
    X, y = shifted(400)
    inner = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, scoring="neg_log_loss", cv=2, refit=by_chance)
    within: Any = make_pipeline("passthrough", inner) if piped else inner
    grid = {"gridsearchcv__cv" if piped else "cv": [2]}
    search = GridSearchCV(within, grid, scoring=hc.scorer("auc"), cv=2)
    result = learn.nested_cross_validation(search, X, y, metric="auc", cv=StratifiedKFold(6))
    assert len(set(map(repr, result.chosen))) == 1
    assert "mean of 6" in str(result)


def test_a_search_is_no_candidate() -> None:
    X, y = shifted()
    grid = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]})
    for search in (
        grid,
        make_pipeline(StandardScaler(), grid),
        learn.ModelChoice({"a": LogisticRegression()}),
        RandomizedSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}),
    ):
        choice = learn.ModelChoice({"plain": Untouched(), "grid": search})
        with pytest.raises(ParameterError, match="candidate 'grid' is a search, which may choose another model"):
            choice.fit(X, y)


# ---- names and kinds


def test_candidates_are_named_by_anything_once() -> None:
    X, y = shifted()
    candidates: Any = {1: LogisticRegression(C=0.01), 2: LogisticRegression()}
    assert learn.ModelChoice(candidates, metric="auc").fit(X, y).best_name_ in ("1", "2")
    with pytest.raises(ParameterError, match="candidate '1' is named twice"):
        learn.ModelChoice({1: LogisticRegression(), "1": LogisticRegression()}).fit(X, y)  # type: ignore[dict-item]
    with pytest.raises(ParameterError, match="mapping from names to estimators, got a list"):
        learn.ModelChoice([LogisticRegression()]).fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="candidates is empty"):
        learn.ModelChoice({}).fit(X, y)
    with pytest.raises(ParameterError, match=r"^candidate 'a' must be an estimator, got 3$"):
        learn.ModelChoice({"a": 3}).fit(X, y)


def test_the_rule_takes_one_list() -> None:
    X, y = shifted()
    grouped = hc.evaluate(y, {"a": X[:, 0], "b": X[:, 1]}, by=np.arange(240) % 2, metrics="auc")
    with pytest.raises(ParameterError, match="got a GroupedEvaluation: evaluate without by"):
        learn.one_standard_error(grouped, "auc")  # type: ignore[arg-type]
