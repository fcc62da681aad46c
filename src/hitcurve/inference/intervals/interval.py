"""Confidence intervals of one metric, of one list or of each of many: the measured recipes, and the usual ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.inference.intervals import by_weight, drawn, hard_cuts, inversion, near_ends, operating
from hitcurve.inference.intervals.in_range import inside
from hitcurve.inference.intervals.tilting import tilted
from hitcurve.inference.models.end_model import DRAWS, FEWEST_DRAWS, EndModel
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import generator, seed_of, seeded
from hitcurve.inference.variance import corrected
from hitcurve.inference.variance.half_subject import Bounds
from hitcurve.inference.variance.influence import not_seen
from hitcurve.inference.variance.lacking import too_few, without_error
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.inference.variance.spread import Spread
from hitcurve.refusals import Refusal, raise_first, reasons

METHODS = (
    "auto",
    "end-model",
    "tilted",
    "half-subject",
    "inversion",
    "region",
    "profile",
    "cut-limits",
    "best-cut",
    "jeffreys",
    "log",
    "wald",
    "logit",
    "delong",
    "corrected",
    "percentile",
    "bca",
    "studentized",
)


class _LowHigh(NamedTuple):
    low: float
    high: float


class ConfidenceInterval(_LowHigh):
    """The ends of a confidence interval, a pair with the method that gave it.

    Attributes
    ----------
    low, high : float
    method : str or None
        None where an interval has one method only, such as the interval of a difference.
    n_resamples : int or None
        Bootstrap replicates, models of ``end-model``, or tables drawn for inversion; None by formula.
    seed : int or None
        Seed of what was drawn: given, or derived from the counts. None by formula, or if a generator was given.
    standard_error : float or None
        That of DeLong's method, which divides by one less than the number of a class; None of the others, which take
        the one of the estimate.

    Examples
    --------
    >>> from hitcurve import evaluate
    >>> y, s = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0], list(range(12, 0, -1))
    >>> e = evaluate(y, s, metrics="auc", design="case-control")["score", "auc"]
    >>> found = e.confidence_interval(method="percentile", n_resamples=500, rng=7)
    >>> found.method, found.n_resamples, found.seed
    ('percentile', 500, 7)
    """

    method: str | None
    n_resamples: int | None
    seed: int | None
    standard_error: float | None

    def __new__(
        cls,
        low: float,
        high: float,
        method: str | None = None,
        n_resamples: int | None = None,
        seed: int | None = None,
        standard_error: float | None = None,
    ) -> Self:
        """Take the ends, and how they were made."""
        made = super().__new__(cls, low, high)
        made.method, made.n_resamples, made.seed = method, n_resamples, seed
        made.standard_error = standard_error
        return made


class Ends(NamedTuple):
    """The intervals of many lists.

    Attributes
    ----------
    low, high : array (...)
        nan where there is none.
    method, reason : array of str (...)
        How each was made, and why there is none; empty where there is none, and where there is one.
    seed : array of int or None (...)
        What was drawn for it with; None by formula.
    """

    low: Array
    high: Array
    method: AnyArray
    reason: AnyArray
    seed: AnyArray


_BY_CUT = ("jeffreys", "log", "profile")
POINTS = ("profile", "cut-limits", "best-cut")
"""Methods of operating points."""
RESAMPLES = {"end-model": DRAWS, "inversion": inversion.TABLES, **dict.fromkeys(drawn.METHODS, 2000)}

# whose width is what varies in the sample, and nothing else; DeLong's without any is printed as other programs print it
_BY_SAMPLE = ("wald", "logit", *drawn.METHODS)

Recipe = Callable[[Spread, float], tuple[Array, Array]]


def resolve(spread: Spread, method: str) -> AnyArray:
    """Return what ``auto`` becomes: the default method for this metric and design.

    An array of str of the leading shape.

    Raises
    ------
    ParameterError
        If there is no such method.
    """
    _checks.choice("method", method, METHODS)
    if spread.lists.errors is not None and method not in ("auto", corrected.METHOD):
        raise ParameterError(
            f"method={method!r} is not for labels that are wrong in a known way: use 'auto', which corrects for them"
        )
    if method != "auto":
        return np.full(spread.shape, method, object)
    return spread.default_method.copy()


def interval(
    spread: Spread, level: float, method: str = "auto", *, n_resamples: int | None = None, rng: Any = None
) -> tuple[ConfidenceInterval, str]:
    """Return an interval of the only list, and the method it was made by.

    So many draws, where the method draws, are those of ``RESAMPLES`` unless given.

    Raises
    ------
    InsufficientDataError, UndefinedMetricError
        If there is none.
    ParameterError
        If the method is unknown or not for this metric, or the level not in (0, 1).
    """
    level = _checks.level("confidence_level", level)
    chosen = str(resolve(spread, method).item())
    raise_first(_refusals(spread, method))
    seed = resamples = None
    # models are drawn where that is asked for, also if a formula gives their lengths
    may_draw = chosen == "region" or chosen in RESAMPLES
    if (may_draw and _draws(spread, chosen).all()) or (
        chosen == "end-model" and not (rng is None and n_resamples is None)
    ):
        if chosen in RESAMPLES:
            resamples = RESAMPLES[chosen] if n_resamples is None or chosen == "inversion" else n_resamples
        rng, seed = seeded(rng, lambda: _seed(spread, chosen))
    recipe = _recipe(chosen, resamples, rng)
    low, high = recipe(spread, level)
    if chosen in ("half-subject", "logit"):
        raise_first(_at_the_end(spread, low))
    low, high = inside(spread, chosen, low, high)
    raise_first(_without_width(chosen, low, high))
    error = float(_of_delong(spread)) if chosen == "delong" else None
    made = None if resamples is None else int(resamples)
    return ConfidenceInterval(float(low), float(high), chosen, made, seed, error), chosen


def intervals(spread: Spread, level: float, method: str = "auto") -> Ends:
    """Return an interval of each of many lists; drawing methods are for one list.

    Raises
    ------
    ParameterError
        If the method is unknown or not for this metric, or the level not in (0, 1).
    """
    level = _checks.level("confidence_level", level)
    chosen = resolve(spread, method)
    reason = reasons(_refusals(spread, method), spread.shape)
    low, high = np.full(spread.shape, math.nan), np.full(spread.shape, math.nan)
    for one in sorted(set(chosen[reason == ""])):
        where = (chosen == one) & (reason == "")
        own = spread if where.all() else spread.of(where)
        ends = inside(own, one, *_recipe(one, RESAMPLES.get(one))(own, level))
        low[where], high[where] = ends
        reason[where] = reasons(_without_width(one, *ends), own.shape)
    absent = np.isnan(low) & (reason == "")
    reason[absent] = _NO_WIDTH.format(spread.metric)
    chosen[reason != ""] = ""
    seed = np.full(spread.shape, None, object)
    for one in sorted(set(chosen[reason == ""])):
        where = np.asarray(chosen == one)
        where[where] = _draws(spread if where.all() else spread.of(where), one)
        if where.any():
            seed[where] = spread.seeds[where]
    return Ends(low, high, chosen, reason, seed)


_NO_WIDTH = "{} is at the end of its range: a logit interval has no width there"


def _at_the_end(spread: Spread, low: Array) -> Iterator[Refusal]:
    yield Refusal(np.isnan(low), _NO_WIDTH.format(spread.metric))


def _without_width(method: str, low: Array, high: Array) -> Iterator[Refusal]:
    """Yield the lists of which an error of 0, or replicates that are all alike, would be taken for certainty."""
    if method in _BY_SAMPLE:
        yield Refusal(
            low == high,
            f"nothing varies in this sample, and method={method!r} would have no width: use 'auto'",
            InsufficientDataError,
        )


def _refusals(spread: Spread, method: str) -> Iterator[Refusal]:
    if method == "auto":
        yield from too_few(spread)
    yield from not_seen(spread.metric, spread.counts)
    yield from without_error(spread, "interval")
    if spread.clustered is not None:
        by_counts = np.zeros(spread.shape, bool)
        if spread.step is not None:
            # of one class alone above the cut its number says what the share may be
            by_counts |= np.isin(resolve(spread, method), _BY_CUT) & (by_weight.mixed_above(spread) <= 0)
        if method in ("auto", "best-cut"):
            by_counts |= operating.is_nobody(spread)
        yield Refusal(
            (spread.variance == 0) & ~by_counts,
            f"the {'subjects' if spread.clustered.of_subjects else 'clusters'} do not vary here: a standard error of 0 "
            "gives no interval",
            InsufficientDataError,
        )


def _seed(spread: Spread, method: str) -> int:
    return seed_of(drawn.table_drawn(spread)) if method in drawn.METHODS else int(spread.seeds)


def _draws(spread: Spread, method: str) -> npt.NDArray[np.bool_]:
    """Say of which lists a method draws: the region of a cut breaks ties at random, others draw if formulas fail."""
    if method == "inversion":
        return inversion.draws(spread)
    if method == "end-model" and spread.may_be_modelled:
        return ~spread.end_formula.there
    if method == "region":
        return np.asarray(spread.sums.mixed.any(axis=-1))
    return np.full(spread.shape, method in RESAMPLES)


def _recipe(method: str, n_resamples: Any, rng: Any = None) -> Recipe:
    recipes: dict[str, Recipe] = {
        "end-model": partial(_end_model, draws=n_resamples, rng=rng),
        "tilted": _tilted,
        "half-subject": _half_subject,
        "inversion": lambda spread, level: inversion.interval(spread, level, rng),
        "region": lambda spread, level: hard_cuts.region(spread, level, rng),
        "profile": operating.profile,
        "cut-limits": operating.cut_limits,
        "best-cut": operating.best_cut,
        "jeffreys": hard_cuts.jeffreys,
        "log": hard_cuts.log,
        "wald": _wald,
        "logit": _logit,
        "delong": _delong,
        corrected.METHOD: corrected.interval,
    }
    if method not in recipes:
        return drawn.recipe(method, n_resamples, rng)
    own = recipes[method]
    if method not in near_ends.METHODS:
        return own
    has_more = method == "half-subject"
    return lambda spread, level: near_ends.reaching(
        spread, own(spread, level), _tails(spread, level), has_more=has_more
    )


def _end_model(spread: Spread, level: float, draws: int | None, rng: Any) -> tuple[Array, Array]:
    if not spread.may_be_modelled:
        raise ParameterError(
            "method='end-model' is for average precision (ties='group') of an unweighted cohort without clusters: use "
            "'auto'"
        )
    if rng is None:
        ends = spread.end_formula.beside(
            level, lambda rest: (spread if rest.all() else spread.of(rest)).end_model.ends(level)
        )
    elif draws == DRAWS and isinstance(rng, int) and rng == spread.seeds:
        ends = spread.end_model.ends(level)
    else:
        pos = spread.sums.pos
        rows = min(pos.shape[-1], 2 * int(pos.sum(axis=-1).max()) + 1)
        draws = _checks.resamples(draws, least=FEWEST_DRAWS, numbers=2 * rows)
        ends = EndModel.of(spread.lists, [generator(rng)], draws).ends(level)
    low, high = ends
    return low.reshape(spread.shape), high.reshape(spread.shape)


def _t(spread: Spread, level: float) -> Any:
    return t_quantile((1 + level) / 2, spread.degrees)


def _tilted(spread: Spread, level: float) -> tuple[Array, Array]:
    if not spread.may_be_tilted:
        raise ParameterError(
            "method='tilted' is for average precision (ties='group') and metrics of your own that declare it, of an "
            "unweighted cohort without clusters: use 'auto'"
        )
    rows = spread.lists.folded(negatives_join=spread.metric.negatives_join)
    return tilted(spread.metric, rows.sums, np.asarray(_t(spread, level)))


def _half_subject(spread: Spread, level: float) -> tuple[Array, Array]:
    more = spread.with_half_subject
    if more.bounds is None:
        (below, above), error = _tails(spread, level), np.sqrt(more.variance)
        return more.value - below * error, more.value + above * error
    return _on_logit(spread, more.value, more.variance, more.bounds, level)


def _logit(spread: Spread, level: float) -> tuple[Array, Array]:
    if spread.bounds is None:
        raise ParameterError(f"method='logit' needs a bounded metric, and {spread.metric} is not")
    return _on_logit(spread, spread.value, spread.variance, spread.bounds, level)


def _on_logit(spread: Spread, centre: Array, variance: Array, bounds: Bounds, level: float) -> tuple[Array, Array]:
    """Make the interval on the logit of the share of the way from worst to best, where the centre has these.

    nan where the centre is at an end.
    """
    scale, back = LogitScale(*bounds), LogitScale(*(spread.bounds or bounds))
    place, error = scale.around(centre, np.sqrt(variance))
    below, above = _tails(spread, level)
    return back.down(place - below * error), back.down(place + above * error)


def _tails(spread: Spread, level: float) -> tuple[Any, Any]:
    """Return the t of either end: below the value of a cutoff that was chosen because it is the largest it is further.

    As in :func:`~hitcurve.inference.intervals.operating.best_cut`, to which subjects that can be counted go.
    """
    t = _t(spread, level)
    return (_t(spread, 1 - operating.TAIL_BELOW * (1 - level)), t) if spread.is_chosen else (t, t)


def _delong(spread: Spread, level: float) -> tuple[Array, Array]:
    half = t_quantile((1 + level) / 2, math.inf) * _of_delong(spread)
    return spread.value - half, spread.value + half


def _of_delong(spread: Spread) -> Array:
    """Return the standard error of DeLong, DeLong and Clarke-Pearson (1988): of n - 1 per class."""
    if not spread.metric.is_mann_whitney:
        raise ParameterError(f"method='delong' is for auc, not for {spread.metric}: use 'wald'")
    if spread.sums.weighted or spread.clustered is not None or spread.influence is None:
        what = "weights" if spread.clustered is None else spread.clustered.what
        raise ParameterError(f"method='delong' cannot be combined with {what}: use 'wald'")
    c, phi = spread.counts, spread.influence
    by_class = (
        np.sum(count * influence**2, axis=-1) * n / (n - 1)
        for count, influence, n in ((c.pos, phi.pos, c.n1), (c.neg, phi.neg, c.n0))
    )
    return np.sqrt(sum(by_class, start=np.zeros(spread.shape)))


def _wald(spread: Spread, level: float) -> tuple[Array, Array]:
    half = _t(spread, level) * np.sqrt(spread.variance)
    return spread.value - half, spread.value + half
