"""Certified cuts of many groups, one for each, as a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hitcurve import _checks, rows
from hitcurve.immutable import Compared
from hitcurve.inference.plain_columns import columns_of_plain
from hitcurve.inference.promises.certified_cut import PROMISES, CertifiedCut, Promise
from hitcurve.sources import to_frame

_NUMBERS = ("naive_score", "naive_selected", "price", "expected", "misses", "needed", "score", "positives", "negatives")


@dataclass(frozen=True, eq=False)
class CertifiedCuts(Compared):
    """Certified cutoffs of a ranker in each of many groups, such as the merchants of a fraud log.

    ``cuts["shop 1"]`` is the :class:`CertifiedCut` of one group.

    Attributes
    ----------
    ranker : str
    cuts : mapping of str to CertifiedCut
    confidence_level : float
        Of each cut alone, or of all of them together.
    together : bool
        Whether the confidence level is that all promises are kept together. Otherwise it is the level of each promise.
    unit : str
        What the groups are called.
    """

    ranker: str
    cuts: Mapping[str, CertifiedCut]
    confidence_level: float
    together: bool
    unit: str = "groups"

    def __getitem__(self, group: str) -> CertifiedCut:
        """Return the cut of one group.

        Raises
        ------
        ColumnNotFoundError
            If there is no such group.
        """
        return self.cuts[_checks.named("group", group, self.cuts)]

    def __iter__(self) -> Iterator[str]:
        """Go through the groups."""
        return iter(self.cuts)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.cuts)

    @property
    def certified(self) -> bool:
        """Whether every group has a certified cutoff."""
        return all(cut.certified for cut in self.cuts.values())

    def heading(self) -> list[str]:
        """Return the sentences above the table: target, meaning of the confidence, groups without a cutoff."""
        one = next(iter(self.cuts.values()))
        promise = Promise(one.promise, one.target)
        level, without = f"{rows.short(100 * self.confidence_level)}%", sum(not c.certified for c in self.cuts.values())
        lines = [f"{rows.in_line(self.ranker)}: {promise}, in {len(self.cuts)} {self.unit}"]
        if self.together:
            lines.append(
                f"all promises hold together with {level} confidence, each with {100 * one.confidence_level:.6g}%"
            )
        else:
            broken = rows.short((1 - self.confidence_level) * len(self.cuts), 2)
            lines.append(f"each promise holds with {level} confidence by itself: on average up to {broken} are broken")
        if without:
            lines.append(f"nothing can be certified in {without} of the {self.unit}")
        return [*lines, *dict.fromkeys(text for cut in self.cuts.values() for text in cut.caveats)]

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the printed table: the cutoff of each group, or the reason for its absence."""
        body = []
        for record in self.to_records():
            ratios = ["-" if record[key] is None else rows.value(record[key]) for key in PROMISES]
            score = "-" if record["score"] is None else rows.exact(record["score"])
            share = f"{rows.short(100 * record['share'])}%"
            line = [record["group"], score, rows.count(record["selected"]), share, *ratios, record["reason"] or ""]
            body.append(line)
        return ["group", "score", "selected", "share", *PROMISES, "reason"], body

    def __str__(self) -> str:
        """State the promise and the confidence above the cuts."""
        return f"{rows.text_lines(self.heading())}\n\n{rows.text_table(*self.table_rows())}"

    def _repr_html_(self) -> str:
        return rows.html_block([rows.html_paragraphs(self.heading()), rows.html_table(*self.table_rows())])

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record of each group: its guarantee and cutoff as of :class:`CertifiedCut`; None if missing."""
        return [{"group": group, **cut.to_record(), "together": self.together} for group, cut in self.cuts.items()]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the records as a data frame; see :meth:`to_records`."""
        records = self.to_records()
        return to_frame(columns_of_plain(records, [*_NUMBERS, *PROMISES]), backend)
