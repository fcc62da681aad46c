"""Warnings about many groups, each with the groups that it applies to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hitcurve import rows
from hitcurve.counts import Array
from hitcurve.errors import (
    ConstantScoreWarning,
    DirectionWarning,
    HitcurveWarning,
    SaturationWarning,
    TwoValuedScoreWarning,
    UndefinedMetricWarning,
)
from hitcurve.evaluation.passes.lists import RankerLists
from hitcurve.inference.estimation.cautions import FEWEST_TO_DECIDE
from hitcurve.metrics import Metric
from hitcurve.metrics.remarks import about_direction, about_scores, advice_of_tables, areas_of
from hitcurve.ragged import Places
from hitcurve.table import HitTable

_MOST = 3  # sentences of one kind that are printed
_NUMBERS = re.compile(r"\d[\d,.]*(?:e[-+]?\d+)?")
_OFTEN = 0.1  # share of groups
_BELOW = 0.01  # chance that some group of chance rankings is called reversed

Said = tuple[type[HitcurveWarning], str, Places]


def warnings_of_groups(
    names: Sequence[str],
    lists: Mapping[str, RankerLists],
    distinct: Mapping[str, Places],
    unsaid: Collection[type[HitcurveWarning]] = (),
    unit: str = "groups",
) -> list[HitcurveWarning]:
    """Return the warnings about groups, one for each kind.

    Parameters
    ----------
    names : sequence of str
        The groups.
    lists : mapping of str to RankerLists
        The lists of each ranker, one for each group.
    distinct : mapping of str to array of int
        How many distinct scores each list has (3 for more than two).
    unsaid : collection of type
        Kinds of warnings that are left out.
    unit : {"groups", "topics"}
        What the groups are called.
    """
    stacks = (stack for of_ranker in lists.values() for _, stack in of_ranker.stacks)
    advice = "" if distinct else advice_of_tables(stack.grid for stack in stacks)
    warnings = [] if DirectionWarning in unsaid else _about_directions(names, lists, advice)
    found: dict[type[HitcurveWarning], list[tuple[str, Places]]] = {}
    for kind, sentence, groups in (*_of_scores(distinct), *_of_metrics(names, lists)):
        found.setdefault(kind, []).append((sentence, groups))
    for kind, parts in sorted(found.items(), key=lambda item: min(int(groups[0]) for _, groups in item[1])):
        warnings.append(kind(_joined(names, parts, unit)))
    return warnings


def about_one_list(means: Mapping[str, float], whole: Mapping[str, HitTable]) -> list[HitcurveWarning]:
    """Return warnings about rankers whose AUC is below 0.5 in the pooled list, but not on average over groups."""
    low = {
        name: area
        for name, area in areas_of(whole).items()
        if means.get(name, np.nan) >= 0.5 and area < _least_by_chance(whole[name].n_pos, whole[name].n_neg)
    }
    advice = "the mean over groups is not, so check whether scores are comparable between groups"
    return about_direction(low, "AUC of all groups pooled", advice)


def mean_areas(lists: Mapping[str, RankerLists]) -> dict[str, float]:
    """Return the mean AUC over groups of each ranker that has one in some group."""
    areas = {name: own.swept.areas for name, own in lists.items()}
    return {name: float(np.mean(own[~np.isnan(own)])) for name, own in areas.items() if not np.isnan(own).all()}


OF_CLUSTERS = (
    "clusters change the intervals and standard errors of each group and of all subjects pooled; means over groups, "
    "their intervals and tests assume independent groups, so each cluster should lie within one group"
)


def cautions_of_groups(names: Sequence[str], cautions: Sequence[Sequence[str]], unit: str) -> list[str]:
    """Return the caveats on the intervals of single groups, each once, with the groups that it is about."""
    said = ((text, place) for place, texts in enumerate(cautions) for text in texts)
    return [
        f"in {own.size} of {len(names)} {unit} ({rows.some([names[place] for place in own.tolist()])}): {text}"
        for text, own in _alike(names, said)
    ]


def about_means(lists: RankerLists, metrics: Sequence[Metric], unit: str) -> list[str]:
    """Return a caveat on means of metrics that few negatives of many groups decide, at a prevalence that was set."""
    own = [str(m) for m in metrics if m.decided_by_prevalence]
    every = [stack.assumed_prevalence for _, stack in lists.stacks]
    if not own or any(pi is None for pi in every):
        return []
    pi = lists.column(lambda stack: np.broadcast_to(np.asarray(stack.assumed_prevalence, float), len(stack)))
    deciding = pi / (1 - pi) * lists.column(lambda stack: stack.n - stack.n_pos)
    few = deciding < FEWEST_TO_DECIDE
    if few.mean() < _OFTEN:
        return []
    return [
        f"means of {rows.listed(own)}: in {few.sum()} of {few.size} {unit} fewer than {FEWEST_TO_DECIDE} negatives "
        f"decide precision at the set prevalence ({deciding.min():.3g} at the least), so that values are too high on "
        "average, and the interval of the mean is one of such values (in simulations with 1 to 4 of them the mean of "
        "AP was .16, that of many negatives .05)"
    ]


def about_undefined(names: Sequence[str], lists: Mapping[str, RankerLists], unit: str) -> str:
    """Return why metrics are undefined in some groups, and in which; empty if none is."""
    parts = [(said, where) for kind, said, where in _of_metrics(names, lists) if kind is UndefinedMetricWarning]
    return _joined(names, parts, unit)


def _joined(names: Sequence[str], parts: Sequence[tuple[str, Places]], unit: str) -> str:
    """Return sentences with their groups; sentences about the same groups are joined."""
    together: dict[bytes, list[str]] = {}
    groups = {own.tobytes(): own for _, own in parts}
    for sentence, own in parts:
        together.setdefault(own.tobytes(), []).append(sentence)
    out = []
    for key, sentences in list(together.items())[:_MOST]:
        listed = rows.some([names[place] for place in groups[key].tolist()])
        out.append(f"in {groups[key].size} of {len(names)} {unit} ({listed}): {'; '.join(sentences)}")
    rest = np.unique(np.concatenate([groups[key] for key in list(together)[_MOST:]] or [np.empty(0, np.intp)]))
    if rest.size:
        listed = rows.some([names[place] for place in rest.tolist()])
        out.append(
            f"in {rest.size} of {len(names)} {unit} ({listed}) have similar warnings: see the warnings of each "
            f"{unit.removesuffix('s')}"
        )
    return "; ".join(out)


def _of_scores(distinct: Mapping[str, Places]) -> Iterator[Said]:
    """Yield warnings about few distinct scores; rankers with the same affected groups share one."""
    for kind, count in ((TwoValuedScoreWarning, 2), (ConstantScoreWarning, 1)):
        where: dict[bytes, list[str]] = {}
        for ranker, own in distinct.items():
            where.setdefault(np.flatnonzero(own == count).tobytes(), []).append(ranker)
        for key, rankers in where.items():
            if key:
                (said,) = about_scores(dict.fromkeys(rankers, count))
                yield kind, str(said), np.frombuffer(key, np.intp)


def _of_metrics(names: Sequence[str], lists: Mapping[str, RankerLists]) -> Iterator[Said]:
    """Yield why metrics are undefined, or mislead, and where."""
    where: dict[tuple[type[HitcurveWarning], str], list[Places]] = {}
    for ranker, of_ranker in lists.items():
        for m, why in of_ranker.swept.undefined.items():
            for reason, places in _each(names, why):
                where.setdefault((UndefinedMetricWarning, f"{m} of {ranker!r} is undefined: {reason}"), []).append(
                    places
                )
        for why in of_ranker.swept.cautions.values():
            for text, places in _each(names, why):
                where.setdefault((SaturationWarning, text), []).append(places)
    for (kind, sentence), several in where.items():
        yield kind, sentence, np.unique(np.concatenate(several))


def _each(names: Sequence[str], texts: npt.NDArray[np.object_]) -> Iterator[tuple[str, Places]]:
    """Yield the texts that are not empty, as they are met, with their places; those that differ in numbers are one."""
    return _alike(names, ((text, place) for place, text in enumerate(texts.tolist()) if text))


def _alike(names: Sequence[str], said: Iterable[tuple[str, int]]) -> Iterator[tuple[str, Places]]:
    of_text: dict[str, list[int]] = {}
    for text, place in said:
        of_text.setdefault(text, []).append(place)
    alike: dict[str, list[str]] = {}
    for text in of_text:
        alike.setdefault(_NUMBERS.sub("0", text), []).append(text)
    for first, *others in alike.values():
        own = np.sort(np.concatenate([np.array(of_text[text], np.intp) for text in (first, *others)]))
        yield f"{first} (the numbers are those of {names[own[0]]!r})" if others else first, own


def _about_directions(names: Sequence[str], lists: Mapping[str, RankerLists], advice: str) -> list[HitcurveWarning]:
    """Judge the direction by the mean, since in a group it is chance; groups are named where it is not."""
    means = mean_areas(lists)
    warnings = about_direction(means, "the mean AUC over groups", advice)
    said = []
    for ranker, of_ranker in lists.items():
        own = of_ranker.swept.areas
        reversed_ = np.flatnonzero(own < _least_of_each(of_ranker))
        if reversed_.size and means[ranker] >= 0.5:  # otherwise the mean says it
            listed = rows.some([names[place] for place in reversed_.tolist()])
            lowest = rows.number(float(np.min(own[reversed_])))
            said.append(f"{ranker!r} in {reversed_.size} of {len(names)} groups ({listed}; the lowest is {lowest})")
    if said:
        warnings.append(
            DirectionWarning(
                f"AUC is below one half by more than chance for {', '.join(said)}, and the mean over groups is not: "
                "check whether the direction of scores differs in these groups"
            )
        )
    return warnings


def _least_of_each(lists: RankerLists) -> Array:
    """Return the AUC of each list below which no order at random is likely to be; nan where subjects have weights."""
    n_pos = lists.column(lambda stack: np.where(stack.whole, stack.n_pos, np.nan))
    n_neg = lists.column(lambda stack: np.where(stack.whole, stack.n_neg, np.nan))
    with np.errstate(divide="ignore", invalid="ignore"):
        return _least_by_chance(n_pos, n_neg, len(lists))


def _least_by_chance(n_pos: Array | float, n_neg: Array | float, lists: int = 1) -> Array:
    from scipy.special import ndtri

    return np.asarray(0.5 + ndtri(_BELOW / lists) * np.sqrt((n_pos + n_neg + 1) / (12 * n_pos * n_neg)))
