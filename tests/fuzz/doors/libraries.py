"""The door of other libraries, where they compute the same number."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu
from sklearn.metrics import average_precision_score, roc_auc_score

import hitcurve as hc
from tests.fuzz.case import Door, Verdict, answer
from tests.fuzz.doors.designs import CHOSEN, near


def libraries(rng: Random, folder: Path) -> Verdict:
    """Compare AUC and average precision with scikit-learn, and p of AUC with the rank sum test of scipy."""
    n = rng.choice((4, 8, 20, 60))
    y = [rng.randrange(2) for _ in range(n)]
    tied = rng.random() < 0.5
    s = [rng.randrange(6) if tied else rng.gauss(0, 1) for _ in y]
    weight = [rng.choice((0.5, 1, 2, 3.25)) for _ in y] if rng.random() < 0.4 else None
    found, refused = answer(lambda: hc.evaluate(y, {"a": s}, metrics=CHOSEN, sample_weight=weight))
    if refused:
        return Verdict.REFUSED
    given: Any = (y, s, weight)
    near("auc", found["a", "auc"].value, float(roc_auc_score(y, s, sample_weight=weight)), given)
    near("ap", found["a", "ap"].value, float(average_precision_score(y, s, sample_weight=weight)), given)
    screened, refused = answer(lambda: hc.screen(np.array(s)[:, None], y, metrics="auc"))
    if refused or tied:
        return Verdict.CONFIRMED
    if screened.test_methods["auc"] == ("the exact distribution of the rank sum",):
        high, low = (np.array([v for v, c in zip(s, y, strict=True) if c == side], float) for side in (1, 0))
        expected = float(mannwhitneyu(high, low, alternative="greater", method="exact").pvalue)
        near("p of the rank sum", float(screened.pvalue[0][0]), expected, given)
    return Verdict.CONFIRMED


DOORS: dict[str, Door] = {"other libraries": libraries}
