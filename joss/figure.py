"""Draw the figures of the paper, ``joss/mammography.png`` and ``joss/differences.png``: ``python joss/figure.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import hitcurve as hc
from hitcurve import plot

HERE = Path(__file__).parent
METRICS = ["ap", "auc", "recall@5%"]

ev = hc.evaluate(tables=hc.datasets.mammography(), metrics=METRICS)
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
plot.roc(ev, ax=left)
plot.precision_recall(ev, ax=right)
figure.savefig(HERE / "mammography.png", dpi=150)

figure, axes = plt.subplots(1, len(METRICS), figsize=(9, 1.5), layout="constrained")
for metric, ax in zip(METRICS, axes, strict=True):
    plot.intervals(ev.compare("film", "digital", metric), ax=ax)
figure.savefig(HERE / "differences.png", dpi=150)
