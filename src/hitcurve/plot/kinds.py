"""The kinds of curves, as pictures show them: what the axes are called, and which number belongs to which curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from hitcurve.metrics import (
    AUAC,
    AUC,
    PROC,
    AveragePrecision,
    EnrichmentFactor,
    ExpectedNegativeRecall,
    ExpectedRecall,
    Metric,
    PRArea,
    RateWeightedAUC,
    RecallAt,
)
from hitcurve.table import HitTable

Wanted: TypeAlias = Metric | type[Metric]  # a metric, or any of a class

FPR, RATE = "false positive rate", "rate (share of the list)"
TPR = "recall (true positive rate)"


@dataclass(frozen=True)
class Kind:
    """How a kind of curve is shown.

    Attributes
    ----------
    x, y : str
        Names of the axes.
    along : {"neg", "pos", "all"}
        Whose share the x axis is.
    numbers : tuple of Metric or type
        What belongs into the legend: the first of them that was evaluated.
    scale : {"linear", "log10", "magnified"}
        Whether x is a share, its decimal logarithm, or magnified.
    bounded : bool
        Whether there is a region that no curve can reach.
    is_share : bool
        Whether y fills [0, 1].
    """

    x: str
    y: str
    along: str
    numbers: tuple[Wanted, ...] = ()
    scale: str = "linear"
    bounded: bool = True
    is_share: bool = True

    def smallest_step(self, table: HitTable) -> float:
        """Return the share of one subject on the x axis."""
        return 1 / {"neg": table.n_neg, "pos": table.n_pos, "all": table.n}[self.along]


_RATES = (RateWeightedAUC, ExpectedRecall, AUAC)
KINDS = {
    "roc": Kind(FPR, TPR, "neg", (AUC(),), bounded=False),
    "croc": Kind(FPR, TPR, "neg", scale="magnified", bounded=False),
    "proc": Kind(FPR, TPR, "neg", (PROC(),), scale="log10", bounded=False),
    "precision_recall": Kind("recall", "precision", "pos", (AveragePrecision, PRArea)),
    "hit": Kind(RATE, "hits (share of the list)", "all", (AveragePrecision,), is_share=False),
    "accumulation": Kind(RATE, TPR, "all", (AUAC,)),
    "cac": Kind(RATE, TPR, "all", scale="magnified"),
    "pac": Kind(RATE, TPR, "all", (AUAC,), scale="log10"),
    "rate_accuracy": Kind(RATE, "accuracy", "all", _RATES),
    "rate_recall": Kind(RATE, TPR, "all", (ExpectedRecall, RateWeightedAUC, RecallAt)),
    "rate_negative_recall": Kind(RATE, "true negative rate", "all", (ExpectedNegativeRecall, RateWeightedAUC)),
    "lift": Kind(RATE, "lift", "all", (EnrichmentFactor,), is_share=False),
}


def number_of(metrics: tuple[Metric, ...], wanted: tuple[Wanted, ...]) -> Metric | None:
    """Return the metric that belongs to a curve: of the wanted ones the first that was evaluated."""
    for one in wanted:
        for metric in metrics:
            if isinstance(metric, one) if isinstance(one, type) else metric == one:
                return metric
    return None
