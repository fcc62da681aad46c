"""Decision curves as results: net benefit and interventions avoided over threshold probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.counts import Array
from hitcurve.immutable import Compared
from hitcurve.inference.plain_columns import columns_of_plain
from hitcurve.sources import to_frame

CUTS = ("probability", "best")
COVERAGES = ("pointwise", "simultaneous")
_PER = 100  # subjects, for which interventions avoided are printed


@dataclass(frozen=True, eq=False)
class DecisionCurve(Compared):
    """Net benefit of one ranker over threshold probabilities (Vickers and Elkin 2006).

    The threshold probability t is the smallest probability of being positive at which a subject is worth selecting. A
    false positive then costs ``w = t / (1 - t)`` true positives. With H positives and B negatives selected of n
    subjects the net benefit is ``(H - w B) / n``. Selecting none has 0, selecting all ``pi - w (1 - pi)``. Higher is
    better; a perfect ranker has the prevalence pi.

    Attributes
    ----------
    ranker : str
    cut : {"probability", "best"}
        Which subjects are selected at t: subjects whose score, a probability, is at least t; or subjects above the
        cutoff with the largest net benefit at t, which needs no probabilities (the metric ``net_benefit@t``).
    thresholds : array (T,)
        Threshold probabilities, ascending.
    net_benefit, low, high : array (T,)
        True positives per subject, with confidence limits.
    interventions_avoided, interventions_avoided_low, interventions_avoided_high : array (T,)
        Negatives spared per subject in comparison with selecting all, after the positives missed are paid for:
        ``(net_benefit - treat_all) / w``. The limits are nan for ``cut="best"``.
    tpr, fpr : array (T,)
        True and false positive rate at each threshold.
    prevalence : float
    coverage : {"pointwise", "simultaneous"}
        Whether the level is for each threshold alone, or for all limits of this curve together.
    confidence_level : float
    design : {"cohort", "case-control"}
    n_pos, n_neg : float
    cautions : tuple of str
    seed : int or None
        Of the draws of a simultaneous band; None where nothing was drawn, or a generator was given.
    """

    ranker: str
    cut: str
    thresholds: Array
    net_benefit: Array
    low: Array
    high: Array
    interventions_avoided: Array
    interventions_avoided_low: Array
    interventions_avoided_high: Array
    tpr: Array
    fpr: Array
    prevalence: float
    coverage: str
    confidence_level: float
    design: str
    n_pos: float
    n_neg: float
    cautions: tuple[str, ...] = ()
    seed: int | None = None

    @property
    def treat_all(self) -> Array:
        """Net benefit of selecting all subjects, at each threshold; selecting none has net benefit 0."""
        return treat_all(self.thresholds, self.prevalence)

    @property
    def rate(self) -> Array:
        """Fraction of all subjects selected, at each threshold."""
        return np.asarray(self.prevalence * self.tpr + (1 - self.prevalence) * self.fpr)

    def beats_both(self) -> list[tuple[float, float]]:
        """Return the ranges of thresholds at which the limits lie above the net benefit of selecting all and none.

        The ranges go from the first to the last of neighbouring thresholds. With simultaneous coverage all of them hold
        together with the confidence level. Empty for ``cut="best"``, whose net benefit is never below either.
        """
        both = (self.low > 0) & (self.interventions_avoided_low > 0)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], both, [False]]).astype(int)))
        pairs = zip(edges[::2], edges[1::2], strict=True)
        return [(float(self.thresholds[start]), float(self.thresholds[end - 1])) for start, end in pairs]

    def heading(self) -> list[str]:
        """Return the lines above the table: data, and thresholds with more net benefit than all and none."""
        at = {
            "probability": "scores as probabilities, cut at the threshold itself",
            "best": "the ranking cut where its net benefit is largest",
        }[self.cut]
        level = f"{100 * self.confidence_level:g}%"
        lines = [
            f"{rows.in_line(self.ranker)}: net benefit of {at}; {rows.counted(self.n_pos, 'positive')}, "
            f"{rows.counted(self.n_neg, 'negative')}, prevalence {rows.short(self.prevalence)} ({self.design})"
        ]
        if self.cut == "probability":
            together = "all limits together" if self.coverage == "simultaneous" else "each threshold alone"
            found = ", ".join(
                rows.short(low) if low == high else f"{rows.short(low)} to {rows.short(high)}"
                for low, high in self.beats_both()
            )
            where = f"at thresholds {found}" if found else "at none of these thresholds"
            lines.append(f"better than selecting all and none {where} ({level}, {together})")
        seed = [] if self.seed is None else [f"seed {self.seed}"]
        return [*lines, *(f"caution: {text}" for text in self.cautions), *seed]

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer."""
        best = self.cut == "best"
        body = []
        for r in self._records():
            avoided = [_PER * r[f"interventions_avoided{end}"] for end in ("", "_low", "_high")]
            body.append(
                [
                    rows.short(r["threshold"]),
                    rows.with_interval(r["net_benefit"], (r["low"], r["high"])),
                    rows.number(r["treat_all"]),
                    f"{avoided[0]:.2f}" if best else f"{avoided[0]:.2f} [{avoided[1]:.2f}, {avoided[2]:.2f}]",
                    f"{100 * r['rate']:.3g}%",
                ]
            )
        return ["threshold", "net benefit", "select all", f"avoided per {_PER}", "selected"], body

    def __str__(self) -> str:
        """State where the curve is better than selecting all and none, above its table."""
        return f"{rows.text_lines(self.heading())}\n\n{rows.text_table(*self.table_rows())}"

    def _repr_html_(self) -> str:
        return rows.html_block([rows.html_paragraphs(self.heading()), rows.html_table(*self.table_rows())])

    def _records(self) -> list[dict[str, Any]]:
        columns = {
            "threshold": self.thresholds,
            "net_benefit": self.net_benefit,
            "low": self.low,
            "high": self.high,
            "treat_all": self.treat_all,
            "interventions_avoided": self.interventions_avoided,
            "interventions_avoided_low": self.interventions_avoided_low,
            "interventions_avoided_high": self.interventions_avoided_high,
            "tpr": self.tpr,
            "fpr": self.fpr,
            "rate": self.rate,
        }
        lines = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [{"ranker": self.ranker, **dict(zip(columns, line, strict=True))} for line in lines]

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record of each threshold; missing values are None."""
        return [rows.plain(record) for record in self._records()]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the records as a data frame; see :meth:`to_records`."""
        records = self.to_records()
        return to_frame(columns_of_plain(records, [key for key in records[0] if key != "ranker"]), backend)


def treat_all(thresholds: Array | Sequence[float], prevalence: float) -> Array:
    """Return the net benefit of selecting all subjects at thresholds."""
    t = np.asarray(thresholds, float)
    return np.asarray(prevalence - t / (1 - t) * (1 - prevalence))
