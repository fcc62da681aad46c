"""Draw the figure of the paper: ``python joss/figure.py`` writes ``joss/mammography.png``."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import hitcurve as hc
from hitcurve import plot

ev = hc.evaluate(tables=hc.datasets.mammography(), metrics=["ap", "auc", "recall@5%"])
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
plot.roc(ev, ax=left)
plot.precision_recall(ev, ax=right)
figure.savefig(Path(__file__).with_name("mammography.png"), dpi=150)
