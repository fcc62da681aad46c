"""Bootstrap replicates and delta errors against resampling with scikit-learn and scipy, on the same arrays.

``python -m benchmarks.inference [--quick]``. The exit code is 1 if a standard error is wrong, whatever the times.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

import hitcurve as hc
from benchmarks.evaluate import METRICS, SEED, milliseconds, setting

DRAWN = ("auc", "ap", "bedroc(alpha=20)")

Labels = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


def binormal(n: int, prevalence: float) -> tuple[Labels, Scores]:
    """Return labels and scores that are one standard deviation higher for the positives."""
    rng = np.random.default_rng(SEED)
    y = np.zeros(n, np.int64)
    y[rng.choice(n, max(20, int(n * prevalence)), replace=False)] = 1
    return y, rng.normal(size=n) + y


def bedroc(y: Labels, s: Scores, alpha: float = 20.0) -> float:
    """Return BEDROC by a sort, as one writes it without a package (scikit-learn has none)."""
    ranks = np.flatnonzero(y[np.argsort(-s)]) + 1
    n, share = y.size, ranks.size / y.size
    total = np.exp(-alpha * ranks / n).sum()
    rie = total / (share * (1 - np.exp(-alpha)) / (np.exp(alpha / n) - 1))
    scale = share * np.sinh(alpha / 2) / (np.cosh(alpha / 2) - np.cosh(alpha / 2 - alpha * share))
    return float(rie * scale + 1 / (1 - np.exp(alpha * (1 - share))))


def one_resample(y: Labels, s: Scores, rng: np.random.Generator) -> tuple[float, float, float]:
    """Draw subjects and evaluate, as one does with scikit-learn."""
    drawn = rng.integers(0, y.size, y.size)
    a, b = y[drawn], s[drawn]
    return float(roc_auc_score(a, b)), float(average_precision_score(a, b)), bedroc(a, b)


def scipy_bootstrap(y: Labels, s: Scores, replicates: int) -> None:
    """Let scipy draw; it evaluates one statistic."""
    stats.bootstrap(
        (y, s),
        lambda a, b: average_precision_score(a, b),
        paired=True,
        vectorized=False,
        n_resamples=replicates,
        method="percentile",
        rng=np.random.default_rng(0),
    )


def standard_errors(evaluation: hc.Evaluation) -> list[float]:
    """Return all standard errors."""
    return [e.standard_error for e in evaluation]


def measure(n: int, prevalence: float, replicates: int, repeats: int) -> bool:
    """Print the ratios of one setting; return whether the standard errors agree."""
    y, s = binormal(n, prevalence)
    rng = np.random.default_rng(0)
    table = hc.HitTable.from_scores(y, s).collapse()
    ours, theirs, scipys = [], [], []
    for _ in range(repeats):  # interleaved: one of theirs, some of ours
        theirs.append(milliseconds(lambda: one_resample(y, s, rng)))
        ours.append(milliseconds(lambda: hc.bootstrap(table, DRAWN, n_resamples=replicates, rng=1)) / replicates)
        scipys.append(milliseconds(lambda: scipy_bootstrap(y, s, 2)) / 2)
    mine, other, third = (statistics.median(times) for times in (ours, theirs, scipys))
    size = f"n = {n:.0e}, {100 * prevalence:g}%"
    print(
        f"bootstrap, {size}: {other / mine:.0f} times scikit-learn (AUC, AP) with BEDROC by hand, {third / mine:.0f} "
        f"times scipy.stats.bootstrap of scikit-learn's AP; {mine:.3f}, {other:.0f}, {third:.0f} ms a replicate"
    )
    build, whole, errors = [], [], []
    for _ in range(repeats):
        build.append(milliseconds(lambda: hc.evaluate(y, s, metrics="auc")))
        whole.append(milliseconds(lambda: hc.HitTable.from_scores(y, s)))
        errors.append(milliseconds(partial(standard_errors, hc.evaluate(y, s, metrics=METRICS))))
    took, of_auc, of_table = (statistics.median(times) for times in (errors, build, whole))
    print(
        f"delta errors of {len(METRICS)} metrics, {size}: {took:.1f} ms, {100 * took / of_table:.0f}% of a full table "
        f"({of_table:.1f} ms), {100 * took / of_auc:.0f}% of an evaluation of AUC, which sorts a part ({of_auc:.1f} ms)"
    )
    values = hc.bootstrap(table, DRAWN, n_resamples=max(400, replicates), rng=2)
    by_formula = [hc.evaluate(tables={"": table}, metrics=m)["", m].standard_error for m in DRAWN]
    return bool(np.all(np.abs(values.std(axis=0) / by_formula - 1) < 0.2))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small sizes, a few seconds")
    quick = parser.parse_args().quick
    print(setting())
    start = time.perf_counter()
    settings = [(20_000, 0.01)] if quick else [(1_000_000, 0.01), (1_000_000, 0.001)]
    agree = [measure(n, share, 100 if quick else 2000, 3 if quick else 5) for n, share in settings]
    print(f"took {time.perf_counter() - start:.0f} s")
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
