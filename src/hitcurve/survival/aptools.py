"""Values as APtools computes them, for comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.evaluation import Evaluation
from hitcurve.metrics import Metric, metric
from hitcurve.survival.rankings import Ranking
from hitcurve.survival.weights import AtHorizon


def check(metrics: Sequence[Metric]) -> None:
    """Refuse metrics that APtools does not have.

    Raises
    ------
    ParameterError
    """
    for one in metrics:
        if one not in (metric("ap"), metric("auc")):
            raise ParameterError(f"rule='aptools' reproduces ap and auc alone, not {one}: leave rule out")


def average_precision(ranking: Ranking, at: AtHorizon, own: Array) -> float:
    """Return AP by the number of all subjects above each score, the censored ones included.

    APtools 6.8.8: weights of the cases over the sum of them, times the weight of the cases over the number of subjects.
    """
    rows = ranking.scores.size
    cases = np.bincount(ranking.row[at.case], at.weight[at.case], minlength=rows)
    subjects = np.bincount(ranking.row, own, minlength=rows)
    shares = np.divide(np.cumsum(cases), np.cumsum(subjects), out=np.zeros(rows), where=np.cumsum(subjects) > 0)
    return float(np.sum(cases * shares) / np.sum(cases))


def with_values(ev: Evaluation, values: Mapping[str, float]) -> Evaluation:
    """Return an evaluation with these values of AP."""
    ap = metric("ap")
    return replace(ev, _values={**ev._values, **{(name, ap): value for name, value in values.items()}})
