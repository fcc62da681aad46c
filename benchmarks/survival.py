"""Censored outcomes: a million subjects at ten horizons, beside the AUC of scikit-survival.

Rows of ``python -m benchmarks.many --only survival``.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

import hitcurve as hc
from benchmarks.race import Missing, Race, agree

SEED = 20260101
HORIZONS = tuple(range(1, 11))
_THEIRS = "scikit-survival's cumulative_dynamic_auc, without errors"


def races(quick: bool) -> Iterator[Race | Missing]:
    """Yield AUC alone, and AUC with its standard errors."""
    n = 20_000 if quick else 1_000_000
    for what in ("AUC", "AUC and its errors"):
        work = f"survival of {n:,} subjects at {len(HORIZONS)} horizons: {what}"
        yield Missing(work, "sksurv") if find_spec("sksurv") is None else _race(work, n, errors="errors" in what)


def _race(work: str, n: int, *, errors: bool) -> Race:
    from sksurv.metrics import cumulative_dynamic_auc
    from sksurv.util import Surv

    rng = np.random.default_rng(SEED)
    risk = rng.normal(size=n)
    onset, lost = rng.exponential(size=n) * np.exp(-risk) * 10, rng.exponential(size=n) * 20
    outcome = Surv.from_arrays(onset <= lost, np.minimum(onset, lost))

    def ours(rule: str | None = None) -> Any:
        ev = hc.evaluate_survival(outcome, None, {"risk": risk}, horizons=HORIZONS, metrics="auc", rule=rule)
        return [(e.value, e.standard_error) if errors else e.value for e in ev]

    def theirs() -> Any:
        return cumulative_dynamic_auc(outcome, outcome, risk, HORIZONS)[0]

    if not errors:
        agree("AUC at horizons", ours("sksurv"), theirs(), 1e-8)
    return Race(work, _THEIRS, ours, theirs, None, few=True)
