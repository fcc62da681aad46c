"""The rankers of the public data as hit tables."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import expit

from hitcurve import HitTable
from tests.data import Column, read_columns

EGFR, PPARG = "docking/dud_egfr_dock.csv.gz", "docking/pparg_scores.csv.gz"
DEKOIS, MLSF = "docking/dekois2_generic_scores.csv.gz", "docking/mlsf_ots_scores.csv.gz"
HIV, SELDI = "hiv/hiv_similarity_scores.csv.gz", "seldi/prostate_seldi_late_vs_normal.csv.gz"
ASAH, PANCREAS, APTOOLS = "roc/asah.csv", "roc/pancreas_wieand.csv", "roc/aptools_binary.csv"
ROCR_HIV, ROCR_SIMPLE, P10N10 = "roc/rocr_hiv.csv.gz", "roc/rocr_simple.csv", "roc/precrec_p10n10.csv"
VANDYKE, SALES = "mrmc/vandyke.csv", "lowprev/sales_inspected.csv.gz"
CARAVAN, SYNERGY = "lowprev/caravan.csv.gz", "screening/synergy_labels.csv.gz"

LABELS = {ASAH: "outcome", PANCREAS: "status", APTOOLS: "status", SALES: "Insp", VANDYKE: "truth"}
POSITIVE = {ASAH: "Poor", SALES: "fraud"}


def subjects(file: str, ranker: str, **where: object) -> tuple[Column, Column]:
    """Return labels and scores, high scores first, of the rows whose columns hold these values.

    A minus before a name turns the scores round.
    """
    columns = read_columns(file)
    name = ranker.removeprefix("-")
    # every ranker of PPARg has its own copy of the labels
    label = name.replace("scores", "actives") if file == PPARG else LABELS.get(file, "label")
    here = np.ones(columns[label].size, bool)
    for column, value in where.items():
        here &= columns[column] == value
    scores = columns[name][here]
    return columns[label][here], -scores if ranker.startswith("-") else scores


@cache
def table_of(file: str, ranker: str, **where: object) -> HitTable:
    """Return the table of a ranker; rows without a score are dropped."""
    y, s = subjects(file, ranker, **where)
    return HitTable.from_scores(y, s, pos_label=POSITIVE.get(file), missing="drop" if file == SALES else "raise")


@cache
def table_in_file_order(file: str, ranker: str, **where: object) -> HitTable:
    """Return the table whose ties are broken by the order of the rows."""
    y, s = subjects(file, ranker, **where)
    order = np.argsort(-s, kind="stable")
    return HitTable.from_ranks(np.flatnonzero(y[order] == 1) + 1, n=y.size)


def table_of_places(file: str, ranker: str, **where: object) -> HitTable:
    """Return the table of a published hit list, from the place of every molecule on it."""
    y, place = subjects(file, ranker, **where)
    return HitTable.from_ranks(place[y == 1], n=y.size)


# ---- data without scores


@cache
def reviews() -> HitTable:
    """Return the works of all SYNERGY reviews: a row for each review."""
    columns = read_columns(SYNERGY)
    names, review = np.unique(columns["review"].astype(str), return_inverse=True)
    included = columns["label_included"] == 1
    pos, neg = (np.bincount(review[chosen], minlength=names.size) for chosen in (included, ~included))
    return HitTable.from_counts(pos, neg)


class Caravan:
    """Scores of the first thousand customers of the insurance data, learned from the others.

    As in section 4.6.6 of James et al. 2013: standardised predictors, nearest neighbours and logistic regression.
    """

    TESTED = slice(0, 1000)
    TRAINED = slice(1000, None)

    def __init__(self) -> None:
        columns = dict(read_columns(CARAVAN))
        self.bought = columns.pop("Purchase") == "Yes"
        raw = np.column_stack(list(columns.values())).astype(float)
        self.predictors = (raw - raw.mean(axis=0)) / raw.std(axis=0, ddof=1)

    def votes(self, k: int) -> HitTable:
        """Return the table of the share of buyers among the k nearest customers and those as near as the last."""
        tested, trained = self.predictors[self.TESTED], self.predictors[self.TRAINED]
        square = (tested**2).sum(axis=1)[:, None] + (trained**2).sum(axis=1) - 2 * tested @ trained.T
        near = square <= np.partition(square, k - 1, axis=1)[:, k - 1 : k] + 1e-6
        votes = near @ self.bought[self.TRAINED].astype(float) / near.sum(axis=1)
        return HitTable.from_scores(self.bought[self.TESTED], votes)

    def logistic(self) -> HitTable:
        """Return the table of the fitted probabilities; some predictors are sums of others."""
        x = np.column_stack([np.ones(self.bought.size), self.predictors])
        trained, bought = x[self.TRAINED], self.bought[self.TRAINED]
        coefficients = np.zeros(x.shape[1])
        for _ in range(25):
            p = expit(trained @ coefficients)
            information = (trained * (p * (1 - p))[:, None]).T @ trained
            coefficients += np.linalg.pinv(information, hermitian=True) @ (trained.T @ (bought - p))
        return HitTable.from_scores(self.bought[self.TESTED], expit(x[self.TESTED] @ coefficients))


@cache
def caravan() -> Caravan:
    return Caravan()
