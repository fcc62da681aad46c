"""From a ranking and a promise to the cut that keeps it."""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve.confusion import Confusion
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.inference.cutting.cut_places import CutPlace, CutPlaces, Flags, Holds
from hitcurve.inference.promises import certified as rules
from hitcurve.inference.promises.certified_cut import CertifiedCut, Promise

METHODS = ("auto", "fixed-sequence", "mixture")
_COARSE = (
    "the table does not distinguish negatives between the scores of positives: with all scores the cut may be deeper"
)
_OTHERWISE = (
    "another number of misses (--misses) or method='mixture' (--method mixture) may certify more, and must be chosen "
    "before the data are seen"
)
_EARLY = f"the sequence ended at its first test that failed, though tests of deeper cuts pass: {_OTHERWISE}"


class _Rule(NamedTuple):
    """Result of a certification rule: the cutoff, its error counts, or the reason why none is certified."""

    method: str
    cut: CutPlace | None
    misses: int | None = None
    expected: float | None = None
    needed: int | None = None
    reason: str = ""
    early: bool = False


def certified_cut(
    ranker: str,
    places: CutPlaces,
    promise: Promise,
    *,
    confidence_level: float,
    method: str = "auto",
    misses: int | None = None,
    higher_is_better: bool = True,
) -> CertifiedCut:
    """Return the cut of a sample that keeps a promise with confidence.

    It is the shallowest for recall, the deepest for a false positive rate, and the deepest that a method reaches for a
    precision: a fixed sequence ends before the first test that fails.

    See :meth:`hitcurve.Evaluation.certify`.
    """
    level = _checks.level("confidence_level", confidence_level)
    _checks.choice("method", method, METHODS)
    error = 1 - level
    table = places.table
    n_pos, n_neg = int(table.n_pos), int(table.n_neg)
    if promise.what == "precision":
        rule = _precision(places, promise.target, error, method, misses)
    else:
        _refuse_options(promise, method, misses)
        rule = (_recall if promise.what == "recall" else _fpr)(places, promise.target, error)
    naive = _of_sample(places, promise)

    def confusion(cut: CutPlace | None) -> Confusion | None:
        return cut and cut.confusion(n_pos, n_neg, table.prevalence, higher_is_better=higher_is_better)

    return CertifiedCut(
        ranker,
        *promise,
        level,
        rule.method,
        confusion(rule.cut),
        confusion(naive),
        rule.cut.positives + rule.cut.negatives if rule.cut else 0,
        naive.positives + naive.negatives if naive else 0,
        n_pos + n_neg,
        higher_is_better,
        rule.misses,
        rule.expected,
        rule.needed,
        rule.reason,
        caveats=(_COARSE,) * places.inexact + (_EARLY,) * rule.early,
    )


def _refuse_options(promise: Promise, method: str, misses: int | None) -> None:
    if method != "auto":
        raise ParameterError(f"method={method!r} is for precision: leave it out for {promise.what}")
    if misses is not None:
        raise ParameterError(f"misses= is for precision by a fixed sequence: leave it out for {promise.what}")


def _of_sample(places: CutPlaces, promise: Promise) -> CutPlace | None:
    """Return the cut at which the sample just keeps the target."""
    target, n_neg = promise.target, places.table.n_neg
    if promise.what == "recall":
        return places.first_with(math.ceil(target * places.table.n_pos - 1e-9))
    if promise.what == "fpr":
        return places.deepest(lambda hits, selected: (selected - hits) / n_neg <= target)
    cut = places.deepest(lambda hits, selected: hits / selected >= target)
    # as that of recall@precision it ends with a positive: no negative behind it adds to what was found
    return cut and places.first_with(cut.positives)


def _lacking(promise: str, needed: int, n: int, which: str) -> str:
    return (
        f"{promise} needs at least {rows.count(needed)} {which}, and there {'is' if n == 1 else 'are'} {rows.count(n)}"
    )


def _recall(places: CutPlaces, target: float, error: float) -> _Rule:
    n, of = int(places.table.n_pos), "order-statistic"
    beyond = rules.most_beyond(n, 1 - target, error)
    if beyond < 0:
        needed = rules.labels_needed(1 - target, error)
        return _Rule(of, None, needed=needed, reason=_lacking("this recall", needed, n, "positives"))
    cut = places.first_with(n - beyond)
    # with ties the mean is larger, and by how much the sample does not say
    tied = places.is_tied(cut, places.table.pos)
    return _Rule(of, cut, expected=None if tied else 1 - (beyond + 1) / (n + 1))


def _fpr(places: CutPlaces, target: float, error: float) -> _Rule:
    n, of = int(places.table.n_neg), "order-statistic"
    beyond = rules.most_beyond(n, target, error)
    if beyond < 0:
        needed = rules.labels_needed(target, error)
        return _Rule(of, None, needed=needed, reason=_lacking("this false positive rate", needed, n, "negatives"))
    cut = places.deepest(lambda hits, selected: selected - hits <= beyond)
    if cut is None:
        reason = f"at most {rows.counted(beyond, 'negative')} may be above the cut, and more have the highest score"
        return _Rule(of, None, reason=reason)
    tied = cut.negatives < beyond or places.is_tied(cut, places.table.neg)
    return _Rule(of, cut, expected=None if tied else (beyond + 1) / (n + 1))


def _precision(places: CutPlaces, target: float, error: float, method: str, misses: int | None) -> _Rule:
    if method == "mixture":
        if misses is not None:
            raise ParameterError("misses= is for a fixed sequence: a mixture has no first look")
        evidence = -math.log(error)
        cut = places.deepest(lambda hits, selected: rules.log_mixture(hits, selected, target) >= evidence)
        needed = rules.hits_needed(target, error)
        reason = (
            "no cut has enough evidence that its precision is above the target: "
            f"{rows.counted(needed, 'positive')} above a cut and no negative would do"
        )
        return _Rule(method, cut) if cut else _Rule(method, None, needed=needed, reason=reason)
    allowed = rules.misses_of(places.table.n_pos) if misses is None else _checks.whole_number("misses", misses, least=0)
    first = rules.first_look(target, error, allowed)
    holds: Holds = partial(_rejects, target=target, error=error)
    cut = places.deepest_of_sequence(holds, first)
    if cut:
        return _Rule("fixed-sequence", cut, allowed, early=places.holds_below(cut, holds))
    reason = _first_look_failed(places, first, allowed, target)
    return _Rule("fixed-sequence", None, allowed, needed=first, reason=reason)


def _rejects(hits: Array, selected: Array, *, target: float, error: float) -> Flags:
    return np.asarray(rules.tail(hits, selected, target) <= error)


def _first_look_failed(places: CutPlaces, first: int, allowed: int, target: float) -> str:
    n = places.table.n
    if first > n:
        return _lacking("this precision", first, int(n), "subjects above the cut")
    at = places.first_of(first)
    return (
        f"the first test needs {rows.counted(first, 'subject')} above the cut with at most "
        f"{rows.counted(allowed, 'negative')}; among "
        f"the first {rows.counted(at.positives + at.negatives, 'subject')} {rows.count(at.negatives)} "
        f"{'is' if at.negatives == 1 else 'are'} negative; {_OTHERWISE}"
    )


# ---- a finite list, labelled in part


def certified_list_cut(
    ranker: str,
    scores: AnyArray,
    positive: AnyArray,
    unlabelled: AnyArray,
    promise: Promise,
    *,
    confidence_level: float,
    higher_is_better: bool = True,
) -> CertifiedCut:
    """Return the deepest cut of a finite list whose precision is certified by the labels of a random part of it.

    Scores are turned so that high is good, and of one type.
    """
    level = _checks.level("confidence_level", confidence_level)
    n_pos = int(np.sum(positive))
    n_neg = positive.size - n_pos
    _checks.both_classes(n_pos, n_neg)
    ascending, block = np.unique(np.concatenate([scores, unlabelled]), return_inverse=True)
    descending = ascending[::-1]
    block = ascending.size - 1 - block
    counts = [np.bincount(block, minlength=ascending.size)]
    of_labelled = block[: scores.size]
    counts += [np.bincount(part, minlength=ascending.size) for part in (of_labelled, of_labelled[positive])]
    selected, labelled, hits = (np.cumsum(count, dtype=float) for count in counts)
    place = rules.finite_list(hits, labelled, selected, promise.target, 1 - level)
    there = np.flatnonzero((labelled > 0) & (hits >= promise.target * labelled))

    def at(place: int) -> tuple[Confusion | None, int]:
        if place < 0:
            return None, 0
        cut = CutPlace(int(hits[place]), int(labelled[place] - hits[place]), descending[place].item())
        share = n_pos / positive.size
        return cut.confusion(n_pos, n_neg, share, higher_is_better=higher_is_better), int(selected[place])

    shallowest = int(np.searchsorted(hits, hits[there[-1]], "left")) if there.size else -1
    (confusion, depth), (naive, naive_depth) = at(place), at(shallowest)
    reason, needed = "", None
    if confusion is None:
        needed = rules.labels_needed(1 - promise.target, 1 - level)
        reason = (
            "no cut of the list has enough labelled positives above it: in a list that is long beside its labels, at "
            f"least {rows.count(needed)} labelled subjects, all of them positive, are needed"
        )
    return CertifiedCut(
        ranker,
        *promise,
        level,
        "hypergeometric",
        confusion,
        naive,
        depth,
        naive_depth,
        int(selected[-1]),
        higher_is_better,
        needed=needed,
        reason=reason,
    )
