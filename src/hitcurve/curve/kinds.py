"""The list of curves. A new one is added here, and nowhere else."""

from __future__ import annotations

import math

import numpy as np

from hitcurve.counts import Array
from hitcurve.curve.kind import Axis, BandPart, CurveKind, Picture, Ranking
from hitcurve.magnify import LogWindow

_FPR, _RATE = "false positive rate", "rate (fraction of the list)"
_TPR = "recall (true positive rate)"


def _same(x: Array) -> Array:
    return np.asarray(x, float)


def _reversed(x: Array) -> Array:
    return 1 - np.asarray(x, float)


def _tpr(pi: float, P: Array, Q: Array) -> Array:
    return np.array(P, float)


def _tnr(pi: float, P: Array, Q: Array) -> Array:
    return np.asarray(1 - Q)


def _fnr(pi: float, P: Array, Q: Array) -> Array:
    return np.asarray(1 - P)


def _hits(pi: float, P: Array, Q: Array) -> Array:
    return np.asarray(pi * P)


def _accuracy(pi: float, P: Array, Q: Array) -> Array:
    return np.asarray(pi * P + (1 - pi) * (1 - Q))


def _precision(pi: float, P: Array, Q: Array) -> Array:
    called = pi * P + (1 - pi) * Q
    return np.divide(pi * P, called, out=np.zeros(np.shape(called)), where=called > 0)


def _lift(pi: float, P: Array, Q: Array) -> Array:
    called = pi * P + (1 - pi) * Q
    return np.divide(P, called, out=np.zeros(np.shape(called)), where=called > 0)


def _precision_gain(pi: float, P: Array, Q: Array) -> Array:
    return np.asarray(1 - Q / P)


def _recall_gain(ranking: Ranking) -> Axis:
    odds = ranking.prevalence / (1 - ranking.prevalence)
    return Axis(lambda P: 1 - odds * (1 - P) / P, lambda x: odds / (odds + 1 - x))


def _log_fpr(ranking: Ranking) -> Axis:
    floor = 0.5 / ranking.n
    window, span = LogWindow(floor, 1.0), -math.log10(floor)
    return Axis(lambda s: (window(s) - 1) * span, lambda x: window.inverse(1 + x / span), has_flats=True)


def _log10(values: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log10(values))


def _power10(values: Array) -> Array:
    return np.asarray(10.0**values)


def _log_rate(ranking: Ranking) -> Axis:
    return Axis(_log10, _power10)


_ALL = (
    CurveKind(
        "hit",
        "rate",
        "hits",
        "rate",
        _hits,
        Picture(_RATE, "hits (fraction of the list)", is_share=False, metrics=("ap",)),
        BandPart(by_prevalence=lambda pi, r, T: T, most=_same),
        along_rate=True,
    ),
    CurveKind(
        "roc",
        "FPR",
        "TPR",
        "fpr",
        _tpr,
        Picture(_FPR, _TPR, bounded=False, random=_same, metrics=("auc",)),
        BandPart(),
        along_rate=True,
    ),
    # Martin et al. 1997: the two errors, on axes where normal scores give a straight line
    CurveKind(
        "det",
        "FPR",
        "FNR",
        "fpr",
        _fnr,
        Picture(
            _FPR,
            "false negative rate",
            x_scale="normal-deviate",
            y_scale="normal-deviate",
            bounded=False,
            random=_reversed,
            metrics=("auc",),
        ),
        BandPart(),
        lower_is_better=True,
        along_rate=True,
    ),
    CurveKind(
        "precision_recall",
        "recall",
        "precision",
        "recall",
        _precision,
        Picture("recall", "precision", metrics=("ap", "pr_area")),
        BandPart("precision"),
        is_straight=False,
        starts_at_limit=True,
        along_rate=True,
    ),
    CurveKind(
        "accumulation",
        "rate",
        "TPR",
        "rate",
        _tpr,
        Picture(_RATE, _TPR, random=_same, metrics=("auac",)),
        BandPart(),
        along_rate=True,
    ),
    CurveKind(
        "croc",
        "FPR",
        "TPR",
        "fpr",
        _tpr,
        Picture(_FPR, _TPR, x_scale="magnified", bounded=False, metrics=("croc(exp, alpha=7)",)),
        BandPart(),
        magnified=True,
    ),
    CurveKind(
        "cac",
        "rate",
        "TPR",
        "rate",
        _tpr,
        Picture(_RATE, _TPR, x_scale="magnified", metrics=("cac(exp, alpha=7)",)),
        BandPart(),
        magnified=True,
    ),
    CurveKind(
        "rate_accuracy",
        "rate",
        "accuracy",
        "rate",
        _accuracy,
        Picture(_RATE, "accuracy", metrics=("rauc", "expected_recall", "auac")),
        BandPart(by_prevalence=lambda pi, r, T: np.abs(2 * T - 1), most=np.ones_like),
        along_rate=True,
    ),
    CurveKind(
        "rate_recall",
        "rate",
        "TPR",
        "rate",
        _tpr,
        Picture(_RATE, _TPR, random=_same, metrics=("expected_recall", "rauc", "recall@1%")),
        BandPart(),
        along_rate=True,
    ),
    CurveKind(
        "rate_negative_recall",
        "rate",
        "TNR",
        "rate",
        _tnr,
        Picture(_RATE, "true negative rate", random=_reversed, metrics=("expected_negative_recall", "rauc")),
        along_rate=True,
    ),
    CurveKind(
        "lift",
        "rate",
        "lift",
        "rate",
        _lift,
        Picture(_RATE, "lift", is_share=False, metrics=("ef@1%",)),
        BandPart(),
        is_straight=False,
        starts_at_limit=True,
        along_rate=True,
    ),
    CurveKind(
        "proc",
        "log10 FPR",
        "TPR",
        "fpr",
        _tpr,
        Picture(_FPR, _TPR, x_scale="log10", bounded=False, metrics=("proc",)),
        BandPart(),
        axis=_log_fpr,
    ),
    CurveKind(
        "pac",
        "log10 rate",
        "TPR",
        "rate",
        _tpr,
        Picture(_RATE, _TPR, x_scale="log10", metrics=("auac",)),
        BandPart(),
        axis=_log_rate,
    ),
    CurveKind(
        "prg",
        "recall gain",
        "precision gain",
        "recall",
        _precision_gain,
        Picture("recall gain", "precision gain", bounded=False, metrics=("prg_area",)),
        axis=_recall_gain,
        is_straight=False,
        starts_at_prevalence=True,
    ),
)
KINDS: dict[str, CurveKind] = {kind.name: kind for kind in _ALL}
