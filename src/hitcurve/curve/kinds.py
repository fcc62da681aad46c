"""The twelve curves, each its coordinates in TPR, FPR and prevalence."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.curve.curve import Axis, Curve, Height
from hitcurve.errors import ParameterError
from hitcurve.magnify import Exponential, Identity, LogWindow, Magnification
from hitcurve.table import HitTable


def _same(values: Array) -> Array:
    return np.array(values, float)


def _tpr(pi: float, P: Array, Q: Array) -> Array:
    return np.array(P, float)


_FPR = Axis("fpr", _same, _same)
_RATE = Axis("rate", _same, _same)
_RECALL = Axis("recall", _same, _same)


def _log10(values: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log10(values))


def _power10(values: Array) -> Array:
    return np.asarray(10.0**values)


def _curve(t: HitTable, kind: str, labels: tuple[str, str], axis: Axis, height: Height, **more: Any) -> Curve:
    return Curve(kind, *labels, _admitted(t), axis, height, **more)


def _admitted(t: HitTable) -> HitTable:
    if not isinstance(t, HitTable):
        raise ParameterError(
            f"a curve is drawn from a HitTable, got {type(t).__name__}: make one with HitTable.from_scores"
        )
    return t


def hit_curve(t: HitTable) -> Curve:
    """Return the hit curve: true positives over subjects called, both as shares of all subjects.

    ``h(r) = pi TPR`` over the rate r (Su, Yuan and Zhu 2015); from (0, 0) to (1, pi), slope in [0, 1].

    Examples
    --------
    >>> hit_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).y.tolist()
    [0.0, 0.25, 0.25, 0.5, 0.5]
    """
    return _curve(t, "hit", ("rate", "hits"), _RATE, lambda pi, P, Q: pi * P)


def roc_curve(t: HitTable) -> Curve:
    """Return the ROC curve: TPR over FPR.

    Examples
    --------
    >>> roc = roc_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> roc.x.tolist(), roc.y.tolist(), roc.threshold.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 4.0, 3.0, 2.0, 1.0])
    """
    return _curve(t, "roc", ("FPR", "TPR"), _FPR, _tpr)


def accumulation_curve(t: HitTable) -> Curve:
    """Return the accumulation curve: TPR over the rate; also enrichment or cumulative gains curve.

    Examples
    --------
    >>> accumulation_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).at(0.5)
    0.5
    """
    return _curve(t, "accumulation", ("rate", "TPR"), _RATE, _tpr)


def precision_recall_curve(t: HitTable) -> Curve:
    """Return the precision-recall curve.

    Between vertices it follows the counts (Davis and Goadrich 2006). It starts at the limit along the counts,
    0 if a negative is ranked first; that point is no observation (``starts_at_limit``).

    Examples
    --------
    >>> pr = precision_recall_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> pr.at(0.5), round(pr.at(0.75), 4)
    (1.0, 0.6)
    """

    def precision(pi: float, P: Array, Q: Array) -> Array:
        called = pi * P + (1 - pi) * Q
        return np.divide(pi * P, called, out=np.zeros(np.shape(called)), where=called > 0)

    return _curve(
        t, "precision_recall", ("recall", "precision"), _RECALL, precision, starts_at_limit=True, _is_straight=False
    )


def _magnified(t: HitTable, kind: str, name: str, axis: str, f: Magnification, fy: Magnification | None) -> Curve:
    for given in (f, *([fy] if fy is not None else [])):
        if not isinstance(given, Magnification):
            raise ParameterError(f"a {kind} curve needs a Magnification, got {given!r}")
    tall = Identity() if fy is None else fy
    labels = (f"{f!r} of {name}", "TPR" if fy is None else f"{fy!r} of TPR")
    return _curve(
        t,
        kind,
        labels,
        Axis(axis, f, f.inverse, has_flats=f.has_flats),
        lambda pi, P, Q: tall(P),
        _is_straight=fy is None,
    )


def croc_curve(t: HitTable, f: Magnification | None = None, *, fy: Magnification | None = None) -> Curve:
    """Return the concentrated ROC curve (Swamidass et al. 2010): TPR over the magnified FPR.

    Parameters
    ----------
    t : HitTable
    f : Magnification, optional
        ``Exponential(7)`` if absent.
    fy : Magnification, optional
        Magnifies TPR as well.

    Raises
    ------
    ParameterError
        If a magnification is none.

    Examples
    --------
    >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> round(croc_curve(t, Exponential(7)).area(), 4)
    0.5147
    """
    return _magnified(t, "croc", "FPR", "fpr", Exponential(7) if f is None else f, fy)


def cac_curve(t: HitTable, f: Magnification | None = None, *, fy: Magnification | None = None) -> Curve:
    """Return the concentrated accumulation curve: TPR over the magnified rate; arguments as :func:`croc_curve`.

    Examples
    --------
    >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> round(cac_curve(t, Exponential(7)).area(), 4)
    0.2425
    """
    return _magnified(t, "cac", "rate", "rate", Exponential(7) if f is None else f, fy)


def rate_accuracy_curve(t: HitTable) -> Curve:
    """Return accuracy over the rate, ``pi TPR + (1 - pi)(1 - FPR)``.

    Examples
    --------
    >>> rate_accuracy_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).y.tolist()
    [0.5, 0.75, 0.5, 0.75, 0.5]
    """
    return _curve(t, "rate_accuracy", ("rate", "accuracy"), _RATE, lambda pi, P, Q: pi * P + (1 - pi) * (1 - Q))


def rate_recall_curve(t: HitTable, *, negative: bool = False) -> Curve:
    """Return recall over the rate: TPR, or TNR if ``negative``.

    Examples
    --------
    >>> rate_recall_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), negative=True).y.tolist()
    [1.0, 1.0, 0.5, 0.5, 0.0]
    """
    if negative:
        return _curve(t, "rate_negative_recall", ("rate", "TNR"), _RATE, lambda pi, P, Q: 1 - Q)
    return _curve(t, "rate_recall", ("rate", "TPR"), _RATE, _tpr)


def lift_curve(t: HitTable) -> Curve:
    """Return lift over the rate, ``TPR / rate``; it starts at the limit along the counts.

    Examples
    --------
    >>> lift_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).y.round(3).tolist()
    [2.0, 2.0, 1.0, 1.333, 1.0]
    """

    def lift(pi: float, P: Array, Q: Array) -> Array:
        called = pi * P + (1 - pi) * Q
        return np.divide(P, called, out=np.zeros(np.shape(called)), where=called > 0)

    return _curve(t, "lift", ("rate", "lift"), _RATE, lift, starts_at_limit=True, _is_straight=False)


def proc_curve(t: HitTable) -> Curve:
    """Return the pROC curve: TPR over ``log10(max(FPR, 1/(2n)))`` (Clark and Webster-Clark 2008).

    Examples
    --------
    >>> round(proc_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).area(), 4)
    0.6021
    """
    floor = 0.5 / _admitted(t).n
    window, span = LogWindow(floor, 1.0), -math.log10(floor)
    axis = Axis("fpr", lambda s: (window(s) - 1) * span, lambda x: window.inverse(1 + x / span), has_flats=True)
    return _curve(t, "proc", ("log10 FPR", "TPR"), axis, _tpr)


def pac_curve(t: HitTable) -> Curve:
    """Return the logarithmic accumulation curve: TPR over log10 of the rate; it starts at minus infinity.

    Examples
    --------
    >>> pac_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).x.round(3).tolist()
    [-inf, -0.602, -0.301, -0.125, 0.0]
    """
    return _curve(t, "pac", ("log10 rate", "TPR"), Axis("rate", _log10, _power10), _tpr)


def prg_curve(t: HitTable) -> Curve:
    """Return the precision-recall-gain curve (Flach and Kull 2015), from recall gain 0 on.

    Examples
    --------
    >>> prg = prg_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> prg.x.tolist(), prg.y.tolist()
    ([0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.5, 0.0])
    """
    start = _admitted(t).prevalence
    odds = start / (1 - start)
    axis = Axis("recall", lambda P: 1 - odds * (1 - P) / P, lambda x: odds / (odds + 1 - x))
    return _curve(
        t, "prg", ("recall gain", "precision gain"), axis, lambda pi, P, Q: 1 - Q / P, _is_straight=False, _from=start
    )


KINDS: dict[str, Callable[..., Curve]] = {
    "hit": hit_curve,
    "roc": roc_curve,
    "precision_recall": precision_recall_curve,
    "accumulation": accumulation_curve,
    "croc": croc_curve,
    "cac": cac_curve,
    "rate_accuracy": rate_accuracy_curve,
    "rate_recall": rate_recall_curve,
    "rate_negative_recall": partial(rate_recall_curve, negative=True),
    "lift": lift_curve,
    "proc": proc_curve,
    "pac": pac_curve,
    "prg": prg_curve,
}
MAGNIFIED = ("croc", "cac")


def curve(t: HitTable, kind: str, *, magnification: Magnification | None = None) -> Curve:
    """Return a curve by the name of its kind.

    Parameters
    ----------
    t : HitTable
    kind : {"hit", "roc", "precision_recall", "accumulation", "croc", "cac", "rate_accuracy", "rate_recall", \
"rate_negative_recall", "lift", "proc", "pac", "prg"}
    magnification : Magnification, optional
        Of the x axis; for ``croc`` and ``cac`` only.

    Raises
    ------
    ParameterError
        If there is no such kind, or it is not magnified.

    Examples
    --------
    >>> curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), "lift").at(0.5)
    1.0
    """
    make = KINDS[_checks.choice("kind", kind, tuple(KINDS))]
    if magnification is None:
        return make(t)
    if kind not in MAGNIFIED:
        raise ParameterError(f"a {kind} curve is not magnified: {' and '.join(MAGNIFIED)} curves are")
    return make(t, magnification)
