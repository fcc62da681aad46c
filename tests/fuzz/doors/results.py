"""The door of what is asked of results: methods and functions with one argument that nobody expects."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import hitcurve as hc
from tests.fuzz import odd
from tests.fuzz.case import Door, FaultError, Verdict, answer

N = 60
NOT_ASKED = {"progress", "path"}
FEW: dict[str, Any] = {"n_resamples": 99, "rng": 1}  # of what draws, unless it is the odd one
LEVEL: dict[str, Any] = {"confidence_level": 0.9, "method": "influence"}


class Ask:
    """A call that has an answer."""

    def __init__(self, call: Callable[..., Any], **given: Any) -> None:
        self.call, self.given = call, given
        there = inspect.signature(call).parameters
        # what a keyword is passed on to is not seen
        self.names = sorted({*given, *(name for name, one in there.items() if one.kind in (1, 3))} - NOT_ASKED)
        self.given = {key: value for key, value in FEW.items() if key in there} | given

    def __call__(self, **other: Any) -> Any:
        """Call it, with an argument replaced."""
        return self.call(**{**self.given, **other})


def _of_means(
    mean1: Any, std1: Any, nobs1: Any, mean2: Any, std2: Any, nobs2: Any, null: Any, metric: Any
) -> hc.Comparison:
    compared: Callable[..., hc.Comparison] = hc.compare_from_stats
    return compared(mean1, std1, nobs1, mean2, std2, nobs2, null=null, metric=metric)


@cache
def asks() -> list[Ask]:
    """Return calls of every kind of result."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % 2
    scores = {name: np.round(rng.normal(size=N) + y, 1) for name in "abc"}
    part, risk = np.arange(N) // 20, 1 / (1 + np.exp(-scores["a"]))
    ev = hc.evaluate(y, scores, metrics=["auc", "ap"])
    of_groups = hc.evaluate(y, scores, metrics=["auc", "ap"], by=part)
    of_risks = hc.evaluate(y, {"a": risk, "b": risk**2}, metrics="ap")
    two = hc.evaluate(y, scores, metrics="auc", paired=False)
    clustered = hc.evaluate(y, scores, metrics="auc", clusters=np.arange(N) // 3)
    censored = hc.evaluate_survival(rng.exponential(size=N), rng.random(N) < 0.7, scores, horizons=1, metrics="auc")
    table, days = ev.tables["a"], dict(ev.tables)
    pair = {"first": "a", "second": "b", "metric": "auc"}
    mean = {"mean1": 0.8, "std1": 0.1, "nobs1": 5, "mean2": 0.7, "std2": 0.1, "nobs2": 5}
    return [
        *(Ask(one.compare, method=how, **pair) for one in (ev, of_groups, two, censored) for how in ("auto",)),
        *(Ask(ev.compare, method=how, **pair) for how in ("delta", "swap-permutation", "bootstrap")),
        Ask(ev.compare, method="anytime", horizon=100, **pair),
        *(Ask(one.compare_all, metric="auc", baseline="a") for one in (ev, of_groups, two, censored)),
        *(Ask(one.power_analysis, metric="auc", effect=0.1, power=0.8) for one in (ev, of_groups)),
        Ask(ev.power_analysis, metric="auc", effect=0.1, n_pos=50),
        Ask(censored.power_analysis, metric="auc", effect=0.1, subjects=500),
        Ask(ev.winner, metric="auc"), Ask(ev.contrast, weights={"a": 1, "b": -1}, metric="auc"),
        Ask(ev.band, ranker="a", curve="roc", **FEW, **LEVEL), Ask(ev.confusion, ranker="a", rate=0.1),
        Ask(ev.difference_band, first="a", second="b", curve="roc", confidence_level=0.9),
        Ask(ev.certify, ranker="a", recall=0.5), Ask(of_groups.certify, ranker="a", recall=0.5),
        Ask(ev.covariance), Ask(clustered.design_effect, ranker="a", metric="auc"),
        Ask(ev.influence, ranker="a", metric="ap"),
        Ask(ev.gap, metric="auc", by=part, ranker="a"), Ask(ev.sensitivity, along="prevalence"),
        Ask(ev.ties, ranker="a"),
        Ask(ev.to_frame), Ask(of_groups.to_frame), Ask(of_groups.scalars), Ask(ev.to_latex), Ask(ev.metric, text="auc"),
        Ask(ev.largest_enrichment, ranker="a"), Ask(of_groups.mean, ranker="a", wanted="auc"),
        Ask(of_groups.average_curve, ranker="a", along="vertical"), Ask(of_groups.values, ranker="a", wanted="ap"),
        Ask(of_risks.decision_curve, ranker="a"), Ask(of_risks.decision_difference, first="a", second="b"),
        Ask(censored.at, horizon=1.0), Ask(censored.over_time, metric="auc", times=[0.5, 1], n_resamples=199),
        Ask(ev["a", "auc"].confidence_interval, method="wald"), Ask(ev["a", "ap"].confidence_interval, method="bca"),
        Ask(ev["a", "auc"].test_random), Ask(table.confusion, k=5), Ask(table.curve, name="roc"),
        Ask(table.at_prevalence, prevalence=0.1), Ask(hc.band, y_true=y, y_score=scores["a"], **LEVEL),
        Ask(hc.bootstrap, table=table, metrics="ap"), Ask(hc.drift, tables=days, metric="auc", draws=99),
        Ask(hc.average_curve, tables=list(days.values())), Ask(hc.rank_weights, metric="ap", table=table),
        Ask(hc.stopping, found=40, unread=500, sampled=100, hits=1),
        Ask(hc.meta_analysis, studies={"x": ev, "z": (0.8, 0.1)}, metric="auc", ranker="a"),
        Ask(hc.fuse_scores, scores=scores), Ask(hc.superscripts, comparisons=ev.compare_all("auc")),
        Ask(_of_means, **mean, null=0.0, metric="auc"),
    ]  # fmt: skip


def results(rng: Random, folder: Path) -> Verdict:
    """Ask with one odd argument: it is refused, or the answer is that of the same plain number."""
    ask = rng.choice(asks())
    name = rng.choice(ask.names)
    plain = ask.given.get(name)
    if isinstance(plain, str) and rng.random() < 0.3:
        value: Any = odd.mutated(rng, plain)
    elif isinstance(plain, (list, dict)) and rng.random() < 0.5:
        value = [odd.value(rng)] if isinstance(plain, list) else {**plain, rng.choice([*plain, "x"]): odd.value(rng)}
    else:
        value = odd.value(rng)
    found, refused = answer(lambda: ask(**{name: value}))
    if refused:
        return Verdict.REFUSED
    given = f"{getattr(ask.call, '__qualname__', ask.call)}({name}={value!r})"
    told = _told(found)
    if not told:
        raise FaultError(f"{given} has nothing to say")
    if isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_)):
        same = int(value) if float(value).is_integer() and not isinstance(plain, float) else float(value)
        other, refused = answer(lambda: ask(**{name: same}))
        if refused or _told(other) != told:
            raise FaultError(f"{given} is {told[:200]!r}, and {_told(other)[:200]!r} with {same!r}")
    return Verdict.CONFIRMED


def _told(found: Any) -> str:
    return str(found)


DOORS: dict[str, Door] = {"arguments of results": results}
