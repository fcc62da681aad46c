"""The largest enrichment over all cuts of a ranking, and how large one is with confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.confusion import Confusion
from hitcurve.counts import Array
from hitcurve.inference.cutting.cut_places import CutPlaces
from hitcurve.inference.plain_columns import columns_of_plain
from hitcurve.sources import to_frame

_ODDS = 1.5 ** np.arange(1, 13)
"""Odds ratios over which likelihood ratios are mixed."""
_FAR = 500.0  # log odds beyond which no precision of a sample lies


def log_evidence(hits: Array, selected: Array, log_odds: float) -> Array:
    """Return the log of the mean likelihood ratio of twelve larger precisions against one, at every cut.

    A hit multiplies the ratio of ``q = p w/(1 - p + p w)`` to ``p`` by ``w/(1 - p + p w)``, a negative by
    ``1/(1 - p + p w)``: of cuts whose precision is p at most, the mean ever reaches 1/error with that probability.
    """
    from scipy.special import log_expit, logsumexp

    spread = np.logaddexp(log_expit(-log_odds), log_expit(log_odds) + np.log(_ODDS))
    terms = np.multiply.outer(hits, np.log(_ODDS)) - np.multiply.outer(selected, spread)
    return np.asarray(logsumexp(terms, axis=-1) - math.log(_ODDS.size))


def largest_with_evidence(hits: Array, selected: Array, error: float) -> tuple[float, int]:
    """Return the largest log odds of a precision that some cut exceeds with confidence, and this cut.

    Evidence falls as the precision rises, so the largest is where its maximum over the cuts is 1/error; minus infinity
    where hits are too few for so small an error.
    """
    from scipy.optimize import brentq

    def over(log_odds: float) -> float:
        return float(np.max(log_evidence(hits, selected, log_odds))) + math.log(error)

    if over(-_FAR) < 0:
        return -math.inf, int(np.argmax(log_evidence(hits, selected, -_FAR)))
    found = float(brentq(over, -_FAR, _FAR, xtol=1e-12, rtol=1e-12))
    return found, int(np.argmax(log_evidence(hits, selected, found)))


@dataclass(frozen=True)
class LargestEnrichment:
    """The largest enrichment of a ranking over all cuts (EFB max), with a lower confidence limit.

    The enrichment of a cut is its true positive rate over its false positive rate. Its largest value over the cuts of a
    sample is far too high: it has no interval, and its target may be infinite. The lower limit is exceeded by the
    enrichment of ``cut`` itself, with confidence.

    Attributes
    ----------
    ranker : str
    value : float
        Largest enrichment over the cuts with at least one negative above them. Negatives that tie with positives
        there are above a cut with them.
    value_cut : Confusion
        Where it is attained.
    limit : float
        With confidence, the enrichment at ``cut`` is above it on new subjects.
    cut : Confusion
    confidence_level : float
    higher_is_better : bool
        True if scores at or above the cutoff are selected, False if scores at or below it are.
    """

    ranker: str
    value: float
    value_cut: Confusion
    limit: float
    cut: Confusion
    confidence_level: float
    higher_is_better: bool = True

    @property
    def certified(self) -> bool:
        """Whether the limit is above 1, the enrichment of a random order."""
        return self.limit > 1

    def __str__(self) -> str:
        """State value and limit, with their cuts."""
        return f"{rows.text_lines(self.heading())}\n\n{rows.text_table(*self.table_rows())}"

    def heading(self) -> list[str]:
        """Return the sentences above the table."""
        level = rows.short(100 * self.confidence_level)
        name, limit = rows.in_line(self.ranker), rows.number(self.limit)
        if self.certified:
            certain = f"with {level}% confidence the enrichment at the certified cut is above {limit}"
        else:
            certain = f"no cut is certified with {level}% confidence to have an enrichment above 1"
        return [
            f"{name}: {certain}",
            f"the largest enrichment in the sample is {rows.number(self.value)}, which is too high on average",
        ]

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the printed table: the cutoff of the limit and the cutoff of the value."""
        body = [
            [
                record["cut"],
                "-" if record["score"] is None else rows.exact(record["score"]),
                rows.count(record["positives"]),
                rows.count(record["negatives"]),
                rows.value(record["enrichment"]),
                "-" if record["limit"] is None else rows.number(record["limit"]),
            ]
            for record in self._records()
        ]
        return ["cut", "score", "positives", "negatives", "enrichment", "lower limit"], body

    def _repr_html_(self) -> str:
        return rows.html_block([rows.html_paragraphs(self.heading()), rows.html_table(*self.table_rows())])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record of the certified cut and one of the cut with the largest enrichment in the sample.

        The first is called ``not certified`` where its limit is not above 1.
        """
        return [rows.plain(record) for record in self._records()]

    def _records(self) -> list[dict[str, Any]]:
        """Return the records with infinities as numbers."""
        cuts = (
            ("certified" if self.certified else "not certified", self.cut, self.limit),
            ("of the sample", self.value_cut, None),
        )
        return [
            {
                "ranker": self.ranker,
                "cut": name,
                "score": at.threshold,
                "positives": int(at.tp),
                "negatives": int(at.fp),
                "enrichment": at.positive_likelihood_ratio,
                "limit": limit,
                "level": self.confidence_level,
            }
            for name, at, limit in cuts
        ]

    def to_record(self) -> dict[str, Any]:
        """Return limit and value as plain values, each with its cut."""
        certified, largest = self.to_records()
        keys = ("score", "positives", "negatives")
        return rows.plain(
            {
                "ranker": self.ranker,
                "limit": self.limit,
                "certified": self.certified,
                "level": self.confidence_level,
                **{key: certified[key] for key in keys},
                "value": self.value,
                **{f"value_{key}": largest[key] for key in keys},
            }
        )

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the records as a data frame; see :meth:`to_records`."""
        return to_frame(columns_of_plain(self.to_records(), ("score", "enrichment", "limit")), backend)


def largest_enrichment(
    ranker: str, places: CutPlaces, *, confidence_level: float, higher_is_better: bool = True
) -> LargestEnrichment:
    """Return the largest enrichment with its limit; see :meth:`hitcurve.Evaluation.largest_enrichment`."""
    level = _checks.level("confidence_level", confidence_level)
    table = places.table
    n_pos, n_neg = float(table.n_pos), float(table.n_neg)
    log_odds, at = largest_with_evidence(places.hits, places.selected, 1 - level)
    value, best = places.most_enriched()
    made = (n_pos, n_neg, table.prevalence)
    return LargestEnrichment(
        ranker,
        value,
        best.confusion(*made, higher_is_better=higher_is_better),
        math.exp(log_odds) * n_neg / n_pos,
        places.at(at).confusion(*made, higher_is_better=higher_is_better),
        level,
        higher_is_better,
    )
