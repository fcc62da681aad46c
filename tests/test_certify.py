"""Certified cuts of evaluations: against a search through all cuts, for every kind of table, and what is refused."""

import dataclasses
import itertools
import json
import math
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import hitcurve as hc
from hitcurve import rows
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import (
    ColumnNotFoundError,
    MissingValueError,
    ParameterError,
    UndefinedMetricError,
)
from hitcurve.inference.promises import certified as rules
from tests.sampled import quietly
from tests.shell import Shell
from tests.shell import in_process as run
from tests.test_certified import RANKS

POINTS = (
    np.array([9, 8, 8, 7, 7, 7, 6, 6, 5, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0]),
    np.array([1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]),
)


def _sample(seed: int, *, levels: int | None = None, n_pos: int = 60, n_neg: int = 240) -> tuple[AnyArray, Array]:
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos, n_neg])
    scores = rng.normal(size=y.size) + 2 * y
    return y, scores if levels is None else np.round(scores * levels) / levels


def _ends(y: AnyArray, scores: Array) -> Iterator[tuple[float, int, int]]:
    """Yield every cut: the score, the positives and the subjects above it."""
    for score in np.unique(scores)[::-1]:
        above = scores >= score
        yield float(score), int(y[above].sum()), int(above.sum())


def _searched(y: AnyArray, scores: Array, error: float, **promise: float) -> tuple[float | None, float | None]:
    """Return the certified and the naive cut, by the definitions, cut after cut."""
    [(what, target)] = promise.items()
    n_pos, n_neg = int(y.sum()), int((1 - y).sum())
    cuts = list(_ends(y, scores))
    certified = naive = None
    if what == "recall":
        most = max((c for c in range(n_pos) if stats.binom.cdf(c, n_pos, 1 - target) <= error), default=-1)
        certified = next((s for s, h, _ in cuts if most >= 0 and n_pos - h <= most), None)
        naive = next(s for s, h, _ in cuts if h / n_pos >= target)
    elif what == "fpr":
        most = max((c for c in range(n_neg) if stats.binom.cdf(c, n_neg, target) <= error), default=-1)
        certified = min((s for s, h, k in cuts if k - h <= most), default=None)
        naive = min((s for s, h, k in cuts if (k - h) / n_neg <= target), default=None)
    else:
        misses = 0 if n_pos < 30 else 1 if n_pos < 100 else 2
        first = next(k for k in itertools.count(misses + 1) if stats.binom.sf(k - misses - 1, k, target) <= error)
        for s, h, k in cuts:
            if k >= first:
                if stats.binom.sf(h - 1, k, target) > error:
                    break
                certified = s
        most = max((h for _, h, k in cuts if h / k >= target), default=0)
        naive = next((s for s, h, _ in cuts if h == most), None) if most else None
    return certified, naive


def _promises(**targets: float) -> list[dict[str, Any]]:
    return [{what: target} for what, target in targets.items()]


PROMISES = [
    *(one for p in (0.3, 0.6, 0.9, 0.97) for one in _promises(precision=p)),
    *(one for r in (0.5, 0.8, 0.99) for one in _promises(recall=r)),
    *(one for x in (0.01, 0.05, 0.3) for one in _promises(fpr=x)),
]


@pytest.mark.slow
@pytest.mark.parametrize("promise", PROMISES, ids=str)
@pytest.mark.parametrize("levels", [None, 8, 2])
def test_a_cut_is_that_of_a_search_through_all(promise: dict[str, Any], levels: int | None) -> None:
    """Of subjects, of which the table keeps the scores of positives only, and of a table with all scores."""
    for seed in range(6):
        y, scores = _sample(seed, levels=levels, n_pos=(25, 60, 110)[seed % 3])
        expected = _searched(y, scores, 0.05, **promise)
        ev = quietly(y, {"a": scores}, metrics="ap")
        full = hc.evaluate(tables={"a": hc.HitTable.from_scores(y, scores)}, metrics="ap")
        low = quietly(y, {"a": -scores}, metrics="ap", higher_is_better=False)
        for found in (ev.certify("a", **promise), full.certify("a", **promise)):
            assert (found.threshold, found.naive and found.naive.threshold) == expected
            if found.confusion is not None and found.threshold is not None:
                assert found.confusion.tp == y[scores >= found.threshold].sum()
                assert found.selected == (scores >= found.threshold).sum()
        turned = low.certify("a", **promise)
        assert turned.threshold == (None if expected[0] is None else -expected[0])
        assert not turned.higher_is_better


def test_the_mixture_is_searched_through_all_cuts() -> None:
    y, scores = _sample(3)
    found = quietly(y, {"a": scores}, metrics="ap").certify("a", precision=0.6, method="mixture")
    deepest = min(s for s, h, k in _ends(y, scores) if rules.log_mixture(h, k, 0.6) >= math.log(20))
    assert (found.threshold, found.method, found.misses) == (deepest, "mixture", None)


def test_depths_of_the_design() -> None:
    """120 subjects without ties, by ranks: negatives between two positives have places of their own."""
    ev = hc.evaluate(tables={"a": hc.HitTable.from_ranks(RANKS, 120)}, metrics="ap")
    assert [ev.certify("a", precision=0.5, misses=c).selected for c in (0, 1, 2, 4)] == [14, 14, 14, 18]
    assert ev.certify("a", precision=0.5, method="mixture").selected == 11
    none = ev.certify("a", precision=0.7)
    assert (none.certified, none.selected, none.threshold) == (False, 0, None)
    assert none.reason.startswith("the first test needs 9 subjects above the cut with at most 0 negatives")
    assert "select the first 14 of 120 subjects" in str(ev.certify("a", precision=0.5))
    long = hc.evaluate(tables={"a": hc.HitTable.from_ranks(RANKS, 10**12)}, metrics="ap")
    assert long.certify("a", precision=0.5).selected == 14
    assert long.certify("a", fpr=0.01).selected > 10**9


def test_a_sequence_says_whether_it_ended_early() -> None:
    """Against a search through all cuts: some deeper one passes its test, and the sequence did not reach it."""
    seen = set()
    for seed, misses, precision, levels in itertools.product(range(12), (0, 2), (0.5, 0.7), (None, 5)):
        y, scores = _sample(seed, levels=levels)
        found = quietly(y, {"a": scores}, metrics="ap").certify("a", precision=precision, misses=misses)
        if not found.certified:
            continue
        deeper = [(h, k) for _, h, k in _ends(y, scores) if k > found.selected]
        early = any(stats.binom.sf(h - 1, k, precision) <= 0.05 for h, k in deeper)
        said = [text for text in found.caveats if "ended at its first test that failed" in text]
        assert (len(said) == 1) is early
        assert all("--misses" in text and "--method mixture" in text and "before the data" in text for text in said)
        assert all(text in str(found) for text in said)
        seen.add((early, levels))
    assert len(seen) == 4


def test_twenty_subjects_certify_little() -> None:
    scores, y = POINTS
    ev = quietly(y, {"a": scores}, metrics="ap")
    assert ev.certify("a", precision=0.5).reason == (
        "the first test needs 5 subjects above the cut with at most 0 negatives; among the first 6 subjects 2 are "
        "negative; another number of misses (--misses) or method='mixture' (--method mixture) may certify more, and "
        "must be chosen before the data are seen"
    )
    for promise in _promises(recall=0.95, fpr=0.05):
        found = ev.certify("a", **promise)
        assert (found.certified, found.needed) == (False, 59)
        assert "needs at least 59" in found.reason
        assert "nothing can be certified" in str(found)
    assert ev.certify("a", precision=0.99).reason.startswith("this precision needs at least 299 subjects")
    assert ev.certify("a", precision=0.9, method="mixture").needed == 43
    assert ev.certify("a", precision=0.5, confidence_level=0.5).certified
    top = quietly(np.r_[1, 0, 0, np.zeros(57, int)], {"a": np.r_[3, 3, 3, np.arange(57) / 99]}, metrics="ap")
    assert "more have the highest score" in top.certify("a", fpr=0.05).reason


def test_a_table_of_positive_scores_stays_above_its_gaps() -> None:
    """A cut among negatives that are not known apart is not made up: the one above holds, with a caveat."""
    y, scores = _sample(2)
    ev = quietly(y, {"a": scores}, metrics="ap")
    for promise in _promises(precision=0.6, fpr=0.05, recall=0.8):
        whole, table = ev.certify("a", **promise), ev.without_data().certify("a", **promise)
        assert table.threshold in scores[y == 1]
        assert table.confusion is not None
        assert whole.confusion is not None
        assert table.confusion.tp == whole.confusion.tp
        assert table.selected <= whole.selected
        assert table.caveats or table.selected == whole.selected
    assert not ev.without_data().certify("a", recall=0.8).caveats


def test_levels_and_promises_are_in_order() -> None:
    """More confidence or a harder promise never cuts deeper; of recall, never less deep."""
    y, scores = _sample(7, n_pos=150, n_neg=800)
    ev = quietly(y, {"a": scores}, metrics="ap")
    for what, targets, sign in (("fpr", (0.2, 0.1, 0.05, 0.02), -1), ("recall", (0.5, 0.7, 0.9, 0.95), 1)):
        options: list[dict[str, Any]] = [{what: target} for target in targets]
        depths = [ev.certify("a", **one).selected for one in options]
        assert depths == sorted(depths, reverse=sign < 0)
        options = [{what: targets[1], "confidence_level": level} for level in (0.5, 0.8, 0.95, 0.999)]
        depths = [ev.certify("a", **one).selected for one in options]
        assert depths == sorted(depths, reverse=sign < 0)


# ---- a finite list


def test_a_finite_list_is_cut_where_its_labels_say() -> None:
    y, scores = _sample(2, n_pos=400, n_neg=1600)
    chosen = np.random.default_rng(0).permutation(2000)[:500]
    rest = np.setdiff1d(np.arange(2000), chosen)
    ev = quietly(y[chosen], {"a": scores[chosen]}, metrics="ap")
    found = ev.certify("a", precision=0.7, unlabelled=scores[rest])
    assert (found.method, found.n) == ("hypergeometric", 2000)
    assert found.threshold is not None
    assert found.selected == (scores >= found.threshold).sum()
    assert y[scores >= found.threshold].mean() >= 0.7
    assert found.confusion is not None
    assert found.confusion.tp + found.confusion.fp == (scores[chosen] >= found.threshold).sum()
    low = quietly(y[chosen], {"a": -scores[chosen]}, metrics="ap", higher_is_better=False)
    turned = low.certify("a", precision=0.7, unlabelled=-scores[rest])
    assert (turned.threshold, turned.selected) == (-found.threshold, found.selected)
    none = ev.certify("a", precision=0.999, unlabelled=scores[rest])
    assert (none.certified, none.needed) == (False, 2995)
    assert "at least 2,995 labelled subjects" in none.reason
    known = ev.certify("a", precision=0.7, unlabelled=scores[rest][:1])
    assert known.selected > 0.8 * known.naive_selected


# ---- as a value


def test_a_cut_is_a_value() -> None:
    y, scores = _sample(4)
    ev = quietly(y, {"a": scores}, metrics="ap")
    for promise in _promises(precision=0.7, recall=0.7, fpr=0.001):
        found = ev.certify("a", **promise)
        assert pickle.loads(pickle.dumps(found)) == found
        record = found.to_record()
        assert json.loads(json.dumps(record)) == record
        assert record["score"] == found.threshold
        frame = found.to_frame(backend="pandas")
        assert frame["cut"].tolist() == ["certified", "of the sample"]
        assert frame["selected"].tolist() == [found.selected, found.naive_selected]
        assert "<table>" in found._repr_html_()
        assert str(found).splitlines()[0].startswith("a: ")
    assert hc.from_json(text=ev.to_json()).certify("a", recall=0.7) == ev.certify("a", recall=0.7)
    assert isinstance(ev.certify("a", recall=0.7), hc.CertifiedCut)


def test_a_cut_without_a_price_is_that_of_the_sample() -> None:
    y, scores = _sample(4)
    found = quietly(y, {"a": scores}, metrics="ap").certify("a", recall=0.7)
    assert "times as many subjects as the cut of the sample" in str(found)
    assert found.price > 1
    same = dataclasses.replace(found, naive=found.confusion, naive_selected=found.selected)
    assert "it is also the cut of the sample" in same.heading()
    assert "times as many" not in str(same)


def test_a_kept_evaluation_knows_the_direction_of_its_scores() -> None:
    """The cut is that of the scores that were given, not of those turned round."""
    y, scores = _sample(4)
    ev = quietly(y, {"a": scores, "b": -scores}, metrics="ap", higher_is_better={"b": False})
    kept = hc.from_json(text=ev.to_json())
    assert isinstance(kept, hc.Evaluation)
    for name in "ab":
        assert kept.certify(name, recall=0.7) == ev.certify(name, recall=0.7)
    assert kept.certify("b", recall=0.7).threshold == -ev.certify("a", recall=0.7).threshold  # type: ignore[operator]
    assert not kept.certify("b", recall=0.7).higher_is_better


def test_the_mean_recall_of_certified_cuts_is_said() -> None:
    """Over samples: 1 - (c + 1)/(n + 1) at the cut of an order statistic."""
    rng, means = np.random.default_rng(8), []
    for _ in range(400):
        y = np.repeat([1, 0], [60, 60])
        found = quietly(y, {"a": rng.normal(size=120) + 1.5 * y}, metrics="ap").certify("a", recall=0.8)
        assert found.threshold is not None
        means.append(stats.norm.sf(found.threshold - 1.5))
    assert np.mean(means) == pytest.approx(found.expected, abs=4 * float(np.std(means)) / 20)
    assert np.mean(np.array(means) < 0.8) <= 0.05 + 3 * 0.011


def test_the_mean_over_samples_is_not_said_of_ties() -> None:
    y = np.repeat([1, 0], [200, 300])
    for scores in (np.ones(500), np.random.default_rng(0).integers(0, 5, 500) + y):
        found = quietly(y, {"a": scores}, metrics="ap").certify("a", recall=0.9)
        assert found.certified
        assert found.expected is None
        assert "a mean recall of" not in str(found)
    assert quietly(y, {"a": y * 10 + np.arange(500) % 5}, metrics="ap").certify("a", fpr=0.5).expected is None


# ---- what is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "give one of precision, recall, fpr, got none"),
        ({"precision": 0.5, "recall": 0.5}, "got precision and recall"),
        ({"precision": 1}, "no cut can be certified for a precision of 1"),
        ({"recall": 1.0}, "no cut can be certified for a recall of 1.0: .*, such as 0.9$"),
        ({"fpr": 0}, "no cut can be certified for a false positive rate of 0: .*, such as 0.01$"),
        ({"recall": 80}, "no cut can be certified for a recall of 80: .* 0 and 1: write 0.8 for 80%$"),
        ({"recall": "80%"}, "recall must be a number, got '80%': write 0.8$"),
        ({"fpr": 1e-320}, "no sample is large enough to certify a false positive rate of 1e-320"),
        ({"recall": "x"}, "recall must be a number"),
        ({"precision": 0.5, "confidence_level": 1}, "confidence_level"),
        ({"precision": 0.5, "method": "bonferroni"}, "method must be one of"),
        ({"recall": 0.5, "method": "mixture"}, "is for precision"),
        ({"fpr": 0.5, "misses": 1}, "misses= is for precision"),
        ({"precision": 0.5, "misses": -1}, "misses must be a whole number"),
        ({"precision": 0.5, "misses": 1, "method": "mixture"}, "misses= is for a fixed sequence"),
        ({"recall": 0.5, "unlabelled": [1.0]}, "unlabelled= is for the precision of a finite list"),
        ({"precision": 0.5, "unlabelled": [1.0], "misses": 1}, "unlabelled= is for the precision of a finite list"),
        ({"precision": 0.5, "unlabelled": []}, "unlabelled is empty"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], words: str) -> None:
    y, scores = _sample(0)
    with pytest.raises(ParameterError, match=words):
        quietly(y, {"a": scores}, metrics="ap").certify("a", **options)


def test_what_is_not_exact_is_refused() -> None:
    y, scores = _sample(0)
    weighted = quietly(y, {"a": scores}, metrics="ap", sample_weight=np.arange(1, 301.0))
    clustered = quietly(y, {"a": scores}, metrics="ap", clusters=np.arange(300) // 2)
    known = quietly(y, {"a": scores}, metrics="ap", prevalence=0.01)
    fixed = quietly(y, {"a": scores}, metrics="ap", design="case-control")
    for ev, words in ((weighted, "without weights"), (clustered, "one subject of each cluster")):
        for promise in _promises(precision=0.5, recall=0.5, fpr=0.5):
            with pytest.raises(UndefinedMetricError, match=words):
                ev.certify("a", **promise)
    for ev, words in ((known, "this prevalence was set"), (fixed, "sampled together")):
        with pytest.raises(UndefinedMetricError, match=words):
            ev.certify("a", precision=0.5)
        plain = quietly(y, {"a": scores}, metrics="ap")
        for promise in _promises(recall=0.5, fpr=0.5):
            assert ev.certify("a", **promise).threshold == plain.certify("a", **promise).threshold
    plain = quietly(y, {"a": scores}, metrics="ap")
    with pytest.raises(ColumnNotFoundError, match="no ranker 'b'"):
        plain.certify("b", recall=0.5)
    with pytest.raises(ParameterError, match="holds no subjects"):
        plain.without_data().certify("a", precision=0.5, unlabelled=[1.0])
    with pytest.raises(ParameterError, match="unlabelled is empty"):
        plain.certify("a", precision=0.5, unlabelled=[])


def test_censored_subjects_and_groups_are_refused_with_what_to_do() -> None:
    y, scores = _sample(0)
    time = np.random.default_rng(1).exponential(size=300)
    censored = hc.evaluate_survival(time, y, {"a": scores}, horizons=[0.5], metrics=["auc"]).at(0.5)
    with pytest.raises(UndefinedMetricError, match=r"subjects were censored .*: evaluate tpr@fpr=1%"):
        censored.certify("a", recall=0.5)
    grouped = hc.evaluate(y, {"a": scores}, metrics="ap", by=np.tile(["g", "h"], 150))
    with pytest.raises(UndefinedMetricError, match="ask for a in one of the groups"):
        grouped.largest_enrichment("a")
    assert grouped["g"].largest_enrichment("a").ranker == "a"


def test_groups_are_certified_one_by_one() -> None:
    y, scores = _sample(0)
    groups = np.tile(["g", "h"], 150)
    ev = hc.evaluate(y, {"a": scores}, metrics="ap", by=groups)
    one, alone = ev["g"], quietly(y[groups == "g"], {"a": scores[groups == "g"]}, metrics="ap")
    for promise in PROMISES:
        assert one.certify("a", **promise) == alone.certify("a", **promise)
        found = ev.certify("a", **promise)
        assert found["g"] == alone.certify("a", **promise)
        assert found.certified == all(ev[name].certify("a", **promise).certified for name in "gh")


def test_the_confidence_of_many_groups_is_said() -> None:
    y, scores = _sample(0)
    ev = hc.evaluate(y, {"a": scores}, metrics="ap", by=np.arange(y.size) % 3)
    alone, together = (ev.certify("a", precision=0.6, together=choice) for choice in (False, True))
    assert alone["0"] == ev["0"].certify("a", precision=0.6)
    assert together["0"] == ev["0"].certify("a", precision=0.6, confidence_level=0.95 ** (1 / 3))
    assert "by itself: on average up to 0.15 are broken" in str(alone)
    assert "all promises hold together with 95% confidence, each with 98.3048%" in str(together)
    assert [record["group"] for record in together.to_records()] == ["0", "1", "2"]
    assert together.to_frame(backend="pandas")["together"].tolist() == [True] * 3
    assert json.loads(json.dumps(together.to_records())) == together.to_records()
    assert "nothing can be certified in 3 of the groups" in str(ev.certify("a", recall=0.99))
    folds = hc.evaluate(y, {"a": scores}, metrics="ap", folds=np.arange(y.size) % 3)
    with pytest.raises(ParameterError, match="scored by models of their own"):
        folds.certify("a", precision=0.6)


def test_the_cut_of_the_sample_is_that_of_recall_at_a_precision() -> None:
    """Both end with the deepest positive at which the precision is reached."""
    for seed in range(8):
        y, scores = _sample(seed, levels=(None, 8, 2)[seed % 3])
        ev = quietly(y, {"a": scores}, metrics="recall@precision=60%")
        e, found = ev["a", "recall@precision=60%"], ev.certify("a", precision=0.6)
        assert e.cut is not None
        assert found.naive is not None
        assert found.naive.threshold == e.cut.score
        assert found.naive.sensitivity == pytest.approx(e.value)
        assert found.naive_selected == round(e.cut.rate * y.size)
        rest = np.random.default_rng(seed).normal(size=50)
        part = ev.certify("a", precision=0.6, unlabelled=rest).naive
        assert part is not None
        assert (part.tp, part.threshold) == (found.naive.tp, found.naive.threshold)


def test_the_reason_names_the_first_cut_that_is_tested() -> None:
    """Negatives below the last positive above it have scores of their own, and the first test stops among them."""
    y = np.array([1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
    scores = np.array([9, 8, 7, 6, 6, 5, 4, 3, 2, 1, 0.0])
    words = "among the first 5 subjects 4 are negative"
    ev = quietly(y, {"a": scores}, metrics="ap")
    assert words in ev.certify("a", precision=0.5).reason
    full = quietly(tables={"a": hc.HitTable.from_scores(y, scores)}, metrics="ap")
    assert words in full.certify("a", precision=0.5).reason
    ranks = quietly(tables={"a": hc.HitTable.from_ranks([1, 10, 11], 11)}, metrics="ap")
    assert words in ranks.certify("a", precision=0.5).reason
    assert words in ev.without_data().certify("a", precision=0.5).reason


def test_no_score_is_said_where_subjects_have_none() -> None:
    """A cut below subjects that were ranked last selects all of them, and has no score."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [100, 100])
    for scores in (rng.normal(size=200) + y, np.ma.array(rng.integers(0, 50, 200), mask=np.arange(200) % 3 == 0)):
        if not isinstance(scores, np.ma.MaskedArray):
            scores[::3] = np.nan
        ev = quietly(y, {"a": scores}, metrics=["recall@precision=10%", "max_f1"], missing="last")
        found = ev.certify("a", recall=0.9)
        assert (found.selected, found.threshold) == (200, None)
        assert "select all 200 subjects" in str(found)
        assert found.to_record()["score"] is None
        cut = ev["a", "recall@precision=10%"].cut
        assert cut is not None
        assert cut.score is None


def test_unlabelled_subjects_without_a_score_are_ranked_last_or_refused() -> None:
    y, scores = _sample(3)
    rest = np.append(np.random.default_rng(1).normal(size=99), np.nan)
    ev = quietly(y, {"a": scores}, metrics="ap")
    with pytest.raises(MissingValueError, match="1 of 100 unlabelled scores of 'a' are missing"):
        ev.certify("a", precision=0.7, unlabelled=rest)
    last = quietly(y, {"a": scores}, metrics="ap", missing="last")
    found = last.certify("a", precision=0.7, unlabelled=rest)
    want = ev.certify("a", precision=0.7, unlabelled=np.where(np.isnan(rest), -100, rest))
    assert (found.threshold, found.selected, found.n) == (want.threshold, want.selected, want.n)
    with pytest.raises(MissingValueError, match="all unlabelled scores of 'a' are missing"):
        last.certify("a", precision=0.7, unlabelled=[np.nan])


# ---- the command


def _file(path: Path, y: AnyArray, **scores: Array) -> str:
    lines = [",".join(["y", *scores]), *(",".join(map(str, row)) for row in zip(y, *scores.values(), strict=True))]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_the_command_says_what_python_says(tmp_path: Path) -> None:
    y, scores = _sample(5)
    name = _file(tmp_path / "s.csv", y, a=scores, b=-scores)
    given = ["certify", name, "--label", "y", "--score", "a", "--score", "b:low"]
    ev = quietly(y, {"a": scores, "b": -scores}, metrics="ap", higher_is_better={"b": False})
    for option, text, target in (("precision", "70%", 0.7), ("recall", "0.8", 0.8), ("fpr", "5%", 0.05)):
        promise: dict[str, Any] = {option: target}
        found = [ev.certify(ranker, **promise) for ranker in "ab"]
        done = run(*given, f"--{option}", text)
        assert done.returncode == (0 if all(one.certified for one in found) else 3)
        for one in found:
            for line in one.heading():
                assert line in done.stdout
        asked = run(*given, f"--{option}", text, "--format", "json")
        assert json.loads(asked.stdout)["certify"] == [one.to_record() for one in found]
    table = run(*given, "--fpr", "5%", "--format", "csv")
    assert len(table.stdout.splitlines()) == 3
    assert "by order statistics" in run(*given, "--fpr", "5%", "--format", "markdown").stdout
    mixed = run(*given, "--precision", "70%", "--method", "mixture", "--format", "json").stdout
    assert json.loads(mixed)["certify"][0] == ev.certify("a", precision=0.7, method="mixture").to_record()


def test_the_command_ends_with_3_if_nothing_can_be_certified(tmp_path: Path) -> None:
    name = _file(tmp_path / "s.csv", *[POINTS[1]], a=POINTS[0])
    given = ["certify", name, "--label", "y", "--score", "a"]
    none = run(*given, "--recall", "95%")
    assert none.returncode == 3
    assert "this recall needs at least 59 positives, and there are 8" in none.stdout
    assert none.stderr == ""
    for options, words in (
        ((), "give one of --precision, --recall and --fpr, got none"),
        (("--precision", "x"), "--precision must be a share such as 5% or 0.05, got 'x'"),
        (("--precision", "90"), "no cut can be certified for a precision of 90"),
        (("--recall", "50%", "--misses", "1"), "--misses is for precision"),
        (("--recall", "50%", "--method", "mixture"), "--method mixture is for precision"),
        (("--recall", "50%", "--weight", "a"), "no option --weight"),
    ):
        refused = run(*given, *options)
        assert refused.returncode == 2
        assert words in refused.stderr


def test_several_rankers_are_each_certified_alone_in_print(tmp_path: Path, shell: Shell) -> None:
    y, scores = _sample(5)
    name = _file(tmp_path / "s.csv", y, a=scores, b=-scores)
    given = ("certify", name, "-l", "y", "-s", "a", "--recall", "60%", "--confidence-level", "90%")
    assert "by itself" not in shell(*given).out
    found = shell(*given, "-s", "b:low").out
    assert "each ranker keeps its promise with 90% confidence by itself" in found
    assert "give --confidence-level 95%, by which all promises hold together" in found


def test_an_enrichment_that_is_not_certified_is_not_called_so(tmp_path: Path, shell: Shell) -> None:
    y, scores = [0, 1] * 30, list(range(60))
    name = _file(tmp_path / "s.csv", np.array(y), a=np.array(scores, float))
    none = shell("certify", name, "-l", "y", "-s", "a", "--enrichment")
    assert none.code == 3
    assert "a       not certified" in none.out
    assert hc.evaluate(y, {"a": scores}, metrics="auc").largest_enrichment("a").to_record()["certified"] is False


def test_one_negative_is_no_negatives() -> None:
    y, scores = _sample(5)
    found = hc.evaluate(y, {"a": scores}, metrics="auc").certify("a", precision=0.95, misses=1)
    assert "with at most 1 negative;" in found.reason
    assert (rows.too_few(1, "negative"), rows.counted(2.5, "hit", 3)) == ("1 negative is too few", "2.5 hits")


def test_counts_are_certified_by_the_command(tmp_path: Path) -> None:
    """Categories are blocks of equal scores, without scores."""
    (tmp_path / "c.csv").write_text("hits,read\n40,50\n20,50\n10,400\n", encoding="utf-8")
    given = ["certify", str(tmp_path / "c.csv"), "--counts", "--positives", "hits", "--total", "read"]
    done = run(*given, "--precision", "50%", "--format", "json")
    [record] = json.loads(done.stdout)["certify"]
    assert (done.returncode, record["selected"], record["score"]) == (0, 100, None)
    assert "select the first 100 of 500 subjects" in run(*given, "--precision", "50%").stdout


def test_the_command_takes_the_rest_of_a_list(tmp_path: Path, shell: Shell) -> None:
    """In a file of scores alone, or in the file of the labels, as rows without one."""
    y, scores = _sample(5)
    rest = np.random.default_rng(2).normal(size=120)
    given = ["--label", "y", "--score", "a", "--precision", "70%", "--format", "json"]
    labelled = _file(tmp_path / "labelled.csv", y, a=scores)
    (tmp_path / "rest.csv").write_text("a\n" + "".join(f"{value!r}\n" for value in rest.tolist()))
    (tmp_path / "whole.csv").write_text(
        Path(labelled).read_text() + "\n" + "".join(f",{value!r}\n" for value in rest.tolist())
    )
    want = quietly(y, {"a": scores}, metrics="ap").certify("a", precision=0.7, unlabelled=rest).to_record()
    whole = str(tmp_path / "whole.csv")
    for file, more, options in (
        (labelled, str(tmp_path / "rest.csv"), []),
        (whole, whole, ["--missing", "drop"]),
    ):
        found = shell("certify", file, *given, "--unlabelled", more, *options).json["certify"]
        assert found == [want]
    for options, why in (
        (["--unlabelled", labelled], "no row without a label in 'y'"),
        (["--unlabelled", str(tmp_path / "absent.csv")], "absent.csv"),
        (["--unlabelled", labelled, "--by", "a"], "--unlabelled is the rest of one list"),
        (["--together"], "--together is of the promises of several groups"),
    ):
        assert why in shell("certify", labelled, *given, *options).refusal


def test_the_command_certifies_groups(tmp_path: Path, shell: Shell) -> None:
    y, scores = _sample(6)
    groups = np.tile(["g", "h"], 150)
    file = _file(tmp_path / "groups.csv", y, a=scores, shop=groups)
    given = ["certify", file, "--label", "y", "--score", "a", "--by", "shop", "--precision", "40%"]
    want = hc.evaluate(y, {"a": scores}, metrics="ap", by=groups).certify("a", precision=0.4, together=True)
    found = shell(*given, "--together", "--format", "json").json["certify"]
    assert found == want.to_records()
    assert "all promises hold together" in shell(*given, "--together").out
    assert shell(*given[:-2], "--recall", "99%").code == 3
