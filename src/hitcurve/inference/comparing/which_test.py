"""Why the delta test of two rankers of the same subjects may be off, so that another is made."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hitcurve import rows
from hitcurve.inference.comparing.of_rates import few_beyond
from hitcurve.inference.design import subjects_alike
from hitcurve.inference.variance.joint import Joint
from hitcurve.inference.variance.lacking import FEWEST, of_clusters
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric

FEW_POSITIVES = 20
_FEW_NEGATIVES, _FEW_HITS = 10, 10
_FEW_AT_PREVALENCE = 30  # that decide at a set prevalence
_DELONG = 30  # of either class


def is_delong(metric: Metric, n_pos: float, n_neg: float) -> bool:
    """Return whether the default test is DeLong's: of AUC, whose normal statistic holds its size from 30 on."""
    return metric.is_mann_whitney and min(n_pos, n_neg) >= _DELONG


def why_not_delta(
    spreads: Sequence[Spread], joint: Joint, names: tuple[str, str], fewest: int, clusters: float
) -> str | None:
    """Say why a test by influence values is not for two rankers; None if it is.

    Parameters
    ----------
    spreads : (Spread, Spread)
        Of the metric of both.
    joint : Joint
    names : (str, str)
    fewest : int
        Positives that are needed.
    clusters : float
        That hold a positive.
    """
    metric, n1, n0 = spreads[0].metric, joint.n_pos, joint.n_neg
    if n1 < fewest:
        return f"only {rows.counted(n1, 'positive', 3)}"
    if n0 < FEWEST:
        return f"only {rows.counted(n0, 'negative', 3)}"
    if clusters < FEW_POSITIVES:
        return f"only {of_clusters(clusters)}"
    if any((name, metric) not in joint.place for name in names):
        return f"{metric} has no influence values here"
    if any(metric.extrapolates(spread.counts).any() for spread in spreads):
        return f"{metric} begins below the FPR of the first negative"
    if spreads[0].is_profiled:
        return few_beyond(spreads[0])
    if spreads[0].lists.errors is not None and metric.label_correction == "cut-off":
        return f"the delta test of a corrected {metric} is conservative (simulated size .00 to .03 at the 5% level)"
    spread = min(spreads, key=lambda spread: (float(spread.deciding), spread.who_decides))
    is_set = spread.lists.prevalence is not None
    if metric.decided_by_prevalence:
        odds = float(spread.counts.pi / (1 - spread.counts.pi))
        few, which = min((float(spread.deciding), "negatives"), (float(spread.effective[0]) / odds, "positives"))
        if is_set and few < _FEW_AT_PREVALENCE:
            return f"precision at the set prevalence depends on about {few:.3g} {which}"
    else:
        rate = metric.deciding_rate(spreads[0].counts)
        if spread.deciding < (_FEW_AT_PREVALENCE if is_set and rate is not None else _FEW_NEGATIVES):
            return f"the metric depends on about {spread.deciding:.3g} {spread.who_decides}"
        top = math.inf if rate is None else float(rate) * (n1 + n0)
        if top < _FEW_NEGATIVES:
            return f"the metric depends on about {top:.3g} subjects"
    if reason := _beside_a_chosen_cut(spreads):
        return reason
    if any(spread.step is not None for spread in spreads):
        hits = joint.discordant_hits((names[0], metric), (names[1], metric)) * float(subjects_alike(spread.sums)[0])
        said = "hit is" if hits == 1 else "hits are"
        return f"only {hits:.3g} {said} found by one ranker alone" if hits < _FEW_HITS else None
    return None


def _beside_a_chosen_cut(spreads: Sequence[Spread]) -> str | None:
    """Say so if few are on the wrong side of a cutoff that was chosen for its value, which then hardly varies."""
    found = []
    for spread in spreads:
        cut = spread.metric.chosen(spread.counts)
        if cut is None or cut.rule not in ("f1", "net benefit") or cut.row < 0:
            continue
        c, (n1, n0) = spread.counts, spread.effective
        found.append((float(c.Q[cut.row]) * float(n0), "negatives above"))
        found.append((float(1 - c.P[cut.row]) * float(n1), "positives below"))
    few, which = min(found, default=(math.inf, ""))
    return f"only {few:.3g} {which} the cutoff of {spreads[0].metric}" if few < _FEW_NEGATIVES else None


def neither_test(reason: str, error: float, may_rearrange: bool) -> str:
    """Say why no test is made by default, and which can be asked for by name.

    Parameters
    ----------
    reason : str
        Why the delta test may be off.
    error : float
        Standard error of the difference: nan or 0 where there is none to test by.
    may_rearrange : bool
        Whether subjects can be exchanged, though so many times that it is not done unasked.
    """
    lacks = "which the delta test needs" if error == 0 else "too few for the delta test"
    by_name = "delta" if error > 0 else "swap-permutation" if may_rearrange else None
    anyway = f"; pass method={by_name!r} (command line: --method {by_name}) to test anyway" if by_name else ""
    rest = "" if may_rearrange else ", and swap-permutation is not available here"
    joined = ", " if error == 0 else ": "
    return f"{reason}{joined}{lacks}{rest}{anyway}"


def delta_instead(joint: Joint) -> str:
    """Return the advice to take the delta test, empty where it has no standard error."""
    return ": use 'delta'" if joint.clustered or min(joint.n_pos, joint.n_neg) > 1 else ""
