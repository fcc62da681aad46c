"""Gaps of a metric between subgroups: each ranked by itself, or all cut at one score of the whole list."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.errors import InputError, InsufficientDataError, LengthMismatchError, ParameterError, UndefinedMetricError
from hitcurve.evaluation.by_group import evaluate_groups
from hitcurve.evaluation.group_warnings import cautions_of_groups
from hitcurve.evaluation.numbers import Numbers
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.inference import ConfidenceInterval, Covariance, Joint
from hitcurve.inference.intervals.shares import jeffreys
from hitcurve.inference.linear.contrasting import Wanted, contrasts, wald
from hitcurve.inference.linear.gap import Gap, Subgroup
from hitcurve.inference.linear.same_cut import NAMED, QUANTITIES, SharedCut, at_cut, cut_of, quantity
from hitcurve.inference.variance.covariance import Key, Part, apart, of_clusters, of_joint
from hitcurve.inference.variance.dependent import one_cluster
from hitcurve.inference.variance.lacking import FEWEST
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.label_errors import refuse_corrected
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as read_metric
from hitcurve.sources import Block, GroupCodes, MemorySource, columns_of, in_memory, in_order, is_column, read_names
from hitcurve.sources.codes import given_order

_MOST = 60  # subgroups: 1,770 pairs
_FEW = 20  # subjects of a class below which tests of gaps reject too often
_MANY = 15  # subgroups
_FEW_CLUSTERS = 50
_NO_ERROR = "no error was observed, so its standard error is 0"


@dataclass(frozen=True)
class Asked:
    """What is asked of the subgroups.

    Attributes
    ----------
    metric : str or Metric
    rankers : tuple of str
        One, or two whose difference is compared.
    cut : str, Metric, float or None
    reference : str or None
    prevalence : float or None
    level : float
    rng : None, int or numpy.random.Generator
    """

    metric: Any
    rankers: tuple[str, ...]
    cut: Any
    reference: Any
    prevalence: float | None
    level: float
    rng: Any


class _Found(NamedTuple):
    """Subgroups with values, and the covariance of them."""

    subgroups: dict[str, Subgroup]
    values: Array
    parts: tuple[Part, ...]
    metric: Metric
    what: str
    left_out: dict[str, str]
    notes: list[str]


def subjects_by(ev: Numbers, by: Any) -> tuple[Block, str, list[str] | None]:
    """Return the subjects with the subgroups that a column or an array names, the name of the column, and its order.

    Raises
    ------
    ParameterError, InputError
        If there are no subjects, or the column does not suit them.
    """
    if ev.source is None:
        raise ParameterError(
            "a gap needs the subjects, and this evaluation holds none: evaluate labels and scores, and do not drop the "
            "data"
        )
    name = str(by) if is_column(by) else "subgroup"
    if is_column(by):
        columns = columns_of(ev.source)
        if not columns:
            raise ParameterError(
                f"by={by!r} names a column of the data frame, which this evaluation does not hold: give the column "
                "itself, one value for each row"
            )
        by = columns[by]
    else:
        by = columns_of(ev.source).aligned("by", by)
    block = in_memory(ev.source, "a gap between subgroups")
    names = read_names("groups", by)
    rows = block.positive.size if block.kept is None else block.kept.size
    if names.size != rows:
        raise LengthMismatchError(f"by has {names.size:,} values, and there are {rows:,} rows")
    return (
        replace(block, group=GroupCodes.of(names if block.kept is None else names[block.kept])),
        name,
        given_order(by),
    )


def gap_of(ev: Numbers, block: Block, by: str, asked: Asked, order: Sequence[str] | None = None) -> Gap:
    """Return the gap between the groups of a block; see :meth:`hitcurve.Evaluation.gap`."""
    refuse_corrected(next(iter(ev.tables.values())).label_errors, "a gap between subgroups")
    if ev.fitted:
        raise UndefinedMetricError(
            "a gap has no errors for estimated verification probabilities, which subgroups share: give known ones"
        )
    names = in_order(block.lists[0])
    if order is not None:
        names = sorted(names, key=list(order).index)
    if len(names) < 2:
        raise InputError(f"{by} has one subgroup, {names[0]!r}: a gap needs at least 2")
    if len(names) > _MOST:
        raise InputError(
            f"{by} has {len(names):,} subgroups, and a gap compares at most {_MOST}: evaluate them with by= for means "
            "over groups"
        )
    found = _at_one_cut(ev, block, names, asked) if asked.cut is not None else _each_ranked(ev, block, by, names, asked)
    if len(found.subgroups) < 2:
        reasons = "; ".join(f"{name!r}: {reason}" for name, reason in found.left_out.items())
        raise InsufficientDataError(f"a gap needs at least 2 subgroups with a value and an error ({reasons})")
    there = list(found.subgroups)
    reference = None if asked.reference is None else _checks.named("subgroup", str(asked.reference), there)
    keys: tuple[Key, ...] = tuple((name, found.metric) for name in there)
    clusters = ", clusters" if ev.clustered else ""
    sample = f"{ev.design}, {len(there)} subgroups{clusters}"
    covariance = Covariance(keys, found.values, found.parts, np.zeros((len(keys), 0)), asked.level, sample, ev.backend)
    wanted = [_pair(there, found.values, i, j, reference) for i, j in combinations(range(len(there)), 2)]
    wanted = [one for one in wanted if one is not None]
    # of a rate of few the log odds are as skewed as the rate
    together = _on_logits(covariance) if asked.cut is None and len(asked.rankers) == 1 else covariance
    title = f"{found.what} of {' - '.join(asked.rankers)} by {by}"
    pairs = contrasts(covariance, [one for one in wanted if one], "two-sided", asked.level, title, asked.rng)
    return Gap(
        found.what,
        by,
        " - ".join(asked.rankers),
        found.subgroups,
        pairs,
        wald(together, [one for one in wanted if one]),
        reference,
        found.left_out,
        tuple(found.notes),
        asked.level,
        ev.backend,
    )


def _on_logits(covariance: Covariance) -> Covariance:
    """Return the covariance of log odds along the range, by which more than two subgroups are tested together.

    High values have small errors, which among many subgroups looks like differences; log odds have errors that depend
    on them less. Values at an end of the range, or that have none, stay as they are.
    """
    low, high = covariance.keys[0][1].range
    if len(covariance.values) < 3 or not math.isfinite(high - low):
        return covariance
    values, slope = LogitScale(low, high).around(covariance.values, 1.0)
    if np.isnan(values).any():
        return covariance
    parts = tuple(part._replace(covariance=part.covariance * np.outer(slope, slope)) for part in covariance.parts)
    return replace(covariance, values=values, parts=parts)


def _pair(names: Sequence[str], values: Array, i: int, j: int, reference: str | None) -> Wanted | None:
    """Return the difference of a pair, the higher value first, or against the reference."""
    if reference is not None:
        if reference not in (names[i], names[j]):
            return None
        first, second = (i, j) if names[j] == reference else (j, i)
    else:
        first, second = (i, j) if values[i] >= values[j] else (j, i)
    weights = np.zeros(len(names))
    weights[first], weights[second] = 1.0, -1.0
    return Wanted(f"{names[first]} - {names[second]}", weights, "")


# ---- each subgroup ranked by itself


def _each_ranked(ev: Numbers, block: Block, by: str, names: Sequence[str], asked: Asked) -> _Found:
    if quantity(str(asked.metric)):
        raise ParameterError(
            f"{asked.metric!r} is the rate of a confusion matrix, which needs a cutoff: give cut='recall@10%' (or "
            "another metric at a cutoff), or the score as a number"
        )
    wanted = read_metric(asked.metric)
    table = ev.tables[asked.rankers[0]]
    prevalence = table.assumed_prevalence if asked.prevalence is None else asked.prevalence
    design = ev.design if asked.prevalence is None else None
    sampling = SamplingDesign.of(design, prevalence, asked.level)
    own = replace(
        block,
        scores={name: block.scores[name] for name in asked.rankers},
        tally=replace(block.tally, vocabulary=frozenset({0, 1})),
    )
    grouped = evaluate_groups(
        MemorySource(own), (wanted,), by=by, single_class="skip", undefined="nan", sampling=sampling
    )
    left_out = {
        name: f"no subject is {lack.removeprefix('no ').rstrip('s')}" for name, lack in grouped.left_out.items()
    }
    subgroups: dict[str, Subgroup] = {}
    joints: dict[str, Joint] = {}
    doubts: list[list[str]] = []
    for name, one in sorted(grouped.groups.items(), key=lambda item: names.index(item[0])):
        estimates = [one[ranker, wanted] for ranker in asked.rankers]
        try:
            errors = [e.standard_error for e in estimates]
            joint = grouped.groups.joint(name)
            keys = [(ranker, wanted) for ranker in asked.rankers]
            parts, _ = of_joint(joint, keys, corrected=False)
            sides = [part for part in parts if not part.factor < np.inf]
        except (InsufficientDataError, UndefinedMetricError) as error:
            left_out[name] = str(error)
            continue
        if sides:
            left_out[name] = "a standard error needs at least 2 subjects of each class"
            continue
        lacking = [e.reason_no_interval for e in estimates if e.interval is None]
        if lacking or not max(errors) > 0:
            # a difference of it would have an interval that is much too narrow
            fewest = min(estimates[0].n_pos, estimates[0].n - estimates[0].n_pos)
            too_few = f"fewer than {FEWEST} subjects of a class" if fewest < FEWEST else None
            left_out[name] = too_few or (lacking[0] if lacking else _NO_ERROR)
            continue
        value, deviation = estimates[0].value, errors[0]
        interval: ConfidenceInterval | None = estimates[0].interval
        if len(estimates) == 2:
            test = one.contrast({asked.rankers[0]: 1, asked.rankers[1]: -1}, wanted)
            value, deviation, interval = test.value, test.standard_error, test.confidence_interval()
        subgroups[name] = Subgroup(name, value, deviation, interval, estimates[0].n, estimates[0].n_pos)
        joints[name] = joint
        doubts.append(one._cautions_of_combined(keys))
    there = list(subgroups)
    values = np.array([one.value for one in subgroups.values()])
    parts = _of_joints([joints[name] for name in there], asked.rankers, wanted) if there else ()
    notes = _about_prevalence(wanted, prevalence, subgroups)
    notes += _about_few({name: min(one.n_pos, one.n - one.n_pos) for name, one in subgroups.items()})
    notes += _about_many(len(there))
    notes += cautions_of_groups(there, doubts, "subgroups")
    at = "" if prevalence is None else f" at prevalence {prevalence:g}"
    return _Found(subgroups, values, parts, wanted, f"{wanted}{at}", left_out, notes)


def _of_joints(joints: Sequence[Joint], rankers: Sequence[str], wanted: Metric) -> tuple[Part, ...]:
    """Return the covariance of the values of the subgroups, or of the differences of two rankers in each."""
    keys = [(ranker, wanted) for ranker in rankers]
    shared = of_clusters(joints, keys)
    parts = apart(of_joint(joint, keys, corrected=False) for joint in joints)[0] if shared is None else (shared,)
    if len(rankers) == 1:
        return parts
    turn = np.kron(np.eye(len(joints)), np.array([[1.0, -1.0]]))
    return tuple(part._replace(covariance=turn @ part.covariance @ turn.T) for part in parts)


def _about_prevalence(wanted: Metric, prevalence: float | None, subgroups: Mapping[str, Subgroup]) -> list[str]:
    """Say that a metric follows the prevalence, which differs between subgroups."""
    if wanted.axis == "fpr" or prevalence is not None or len(subgroups) < 2:
        return []
    shares = {name: one.n_pos / one.n for name, one in subgroups.items()}
    low, high = (min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__))
    if shares[high] - shares[low] < 0.1 * shares[high]:
        return []
    return [
        f"the prevalence differs ({100 * shares[low]:.3g}% in {low!r}, {100 * shares[high]:.3g}% in {high!r}), which "
        f"{wanted} may follow: prevalence= (--prevalence) compares the subgroups at one prevalence"
    ]


def _about_many(number: int) -> list[str]:
    """Say that pairs of many subgroups reject too often: high values have small errors."""
    if number < _MANY:
        return []
    return [
        f"{number} subgroups: the adjusted p values of pairs may be too small (simulated with 20 and 30: 9 to 14% at "
        "the 5% level)"
    ]


def _about_few(smallest: Mapping[str, float]) -> list[str]:
    """Say that tests reject too often where a subgroup has few subjects of a class."""
    few = [repr(name) for name, number in smallest.items() if number < _FEW]
    if not few:
        return []
    return [
        f"fewer than {_FEW} subjects of a class in {', '.join(few)}: p values may be too small (simulated: 12 to 20%)"
    ]


def _about_clusters(heaviest: Mapping[str, float]) -> list[str]:
    """Say in which subgroups one cluster holds much."""
    heavy = {name: share for name, share in heaviest.items() if one_cluster(share)}
    if not heavy:
        return []
    most, *others = sorted(heavy, key=heavy.__getitem__, reverse=True)
    also = f" (and much of {', '.join(map(repr, others))})" if others else ""
    return one_cluster(heavy[most], f"the subjects counted in {most!r}{also}")


def _about_few_clusters(number: Mapping[str, float]) -> list[str]:
    """Say that tests at a cutoff reject too often where a subgroup has few clusters."""
    few = [repr(name) for name, clusters in number.items() if clusters < _FEW_CLUSTERS]
    if not few:
        return []
    return [
        f"fewer than {_FEW_CLUSTERS} clusters in {', '.join(few)}: p values at a cutoff may be too small "
        "(simulated with 30: 7 to 9% at the 5% level)"
    ]


# ---- one list, cut at one score


def _at_one_cut(ev: Numbers, block: Block, names: Sequence[str], asked: Asked) -> _Found:
    what = quantity(str(asked.metric))
    if not what:
        raise ParameterError(
            f"with cut= subgroups are compared by {', '.join(QUANTITIES[:-1])} or {QUANTITIES[-1]} above the cutoff, "
            f"got {str(asked.metric)!r}"
        )
    if asked.prevalence is not None or ev.tables[asked.rankers[0]].assumed_prevalence is not None:
        raise ParameterError("with cut= subgroups are compared as they were sampled: leave prevalence out")
    places = {name: place for place, name in enumerate(names)}
    codes = np.array([places[text] for text in block.lists[0]], np.intp)[block.lists[1]]
    found, texts = [], []
    for ranker in asked.rankers:
        cut, text = _cut(ev, block, ranker, asked.cut)
        found.append(at_cut(block, ranker, what, cut, codes, len(names), ev.design))
        texts.append(text)
    if len(found) == 2:
        raise ParameterError("with cut= the gap is of one ranker: name it")
    rates = found[0]
    weight = block.weights(1.0)
    counted = np.ones(codes.size, int) if weight is None else weight
    variances = np.sum([np.diag(part.covariance) for part in rates.parts], axis=0)
    there = [place for place in range(len(names)) if np.isfinite(rates.values[place]) and variances[place] > 0]
    lacking = {"tpr": "no positives", "fpr": "no negatives", "precision": "no subjects above the cutoff", "rate": ""}
    left_out = {
        name: _NO_ERROR if np.isfinite(rates.values[place]) else lacking[what]
        for place, name in enumerate(names)
        if place not in there
    }
    parts = tuple(part._replace(covariance=part.covariance[np.ix_(there, there)]) for part in rates.parts)
    subgroups = {}
    for place in there:
        of = codes == place
        value, error = float(rates.values[place]), float(np.sqrt(variances[place]))
        interval = _interval(value, error, float(rates.counted[place]), asked.level)
        n, n_pos = (np.sum(counted[chosen]).item() for chosen in (of, of & block.positive))
        subgroups[names[place]] = Subgroup(names[place], value, error, interval, n, n_pos)
    by_name = read_metric("recall@50%")  # a share: its range ends the intervals
    label = f"{NAMED[what]} at the cutoff {texts[0]} of the whole list"
    notes = _about_few({names[place]: float(rates.counted[place]) for place in there})
    notes += _about_clusters({names[place]: float(rates.heaviest[place]) for place in there})
    notes += _about_few_clusters({names[place]: float(rates.clusters[place]) for place in there})
    return _Found(subgroups, rates.values[there], parts, by_name, label, left_out, notes)


def _cut(ev: Numbers, block: Block, ranker: str, given: Any) -> tuple[SharedCut, str]:
    scores = block.scores[ranker]
    if isinstance(given, (int, float, np.number)) and not isinstance(given, bool):
        score = block.oriented_grid(ranker, [_checks.real_number("cut", given)])[0]
        return SharedCut(score, 1.0, None), f"{given:g}"
    wanted = read_metric(given)
    weight = block.weights(1.0)
    return (
        cut_of(wanted, ev.tables[ranker], scores, np.ones(scores.size) if weight is None else weight, block.positive),
        str(wanted),
    )


def _interval(value: float, error: float, counted: float, level: float) -> ConfidenceInterval:
    """Return the interval of a share by a beta distribution with an effective number of subjects (Jeffreys)."""
    n = value * (1 - value) / error**2 if error > 0 and 0 < value < 1 else counted
    low, high = jeffreys(n * value, n, (1 - level) / 2)
    return ConfidenceInterval(float(low), float(high), "jeffreys")
