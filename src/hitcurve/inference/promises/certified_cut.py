"""A cut of a ranking that keeps a promise with confidence, as a value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from hitcurve import _checks, rows
from hitcurve.confusion import Confusion
from hitcurve.errors import ParameterError
from hitcurve.inference.plain_columns import columns_of_plain
from hitcurve.sources import to_frame

PROMISES = ("precision", "recall", "fpr")
_WORDS = {"precision": "precision", "recall": "recall", "fpr": "false positive rate"}
_SUCH_AS = {"precision": 0.9, "recall": 0.9, "fpr": 0.01}
_NEAREST = 1e-12  # to 0 and to 1
_HOW = {
    "order-statistic": "by order statistics",
    "fixed-sequence": "by a fixed sequence of exact tests",
    "mixture": "by a mixture martingale",
    "hypergeometric": "by hypergeometric tests of cuts of the list",
}


class Promise(NamedTuple):
    """What a cut is to keep: ``precision`` or ``recall`` of at least, or ``fpr`` of at most a target."""

    what: str
    target: float

    @classmethod
    def given(cls, **targets: float | None) -> Promise:
        """Take the only target that is given.

        Raises
        ------
        ParameterError
            If none or several are, or no cut of a sample could show it.
        """
        there = {what: target for what, target in targets.items() if target is not None}
        if len(there) != 1:
            got = rows.listed(list(there)) or "none"
            raise ParameterError(f"a cut keeps one promise: give one of {', '.join(PROMISES)}, got {got}")
        [(what, target)] = there.items()
        number = _checks.real_number(what, target)
        if not 0 < number < 1:
            hint = _checks.in_percent(number) or f", such as {_SUCH_AS[what]}"
            raise ParameterError(
                f"no cut can be certified for a {_WORDS[what]} of {target!r}: give a target strictly between 0 and 1"
                f"{hint}"
            )
        if not _NEAREST <= number <= 1 - _NEAREST:
            raise ParameterError(
                f"no sample is large enough to certify a {_WORDS[what]} of {target!r}: give a target from {_NEAREST:g} "
                f"to 1 - {_NEAREST:g}"
            )
        return cls(what, number)

    def __str__(self) -> str:
        """Return the promise in words."""
        side = "at most" if self.what == "fpr" else "at least"
        return f"{_WORDS[self.what]} of {side} {rows.percent(self.target)}"


@dataclass(frozen=True)
class CertifiedCut:
    """A cutoff of a ranking certified to meet a target on new subjects, and the cutoff that the sample alone suggests.

    Attributes
    ----------
    ranker : str
    promise : {"precision", "recall", "fpr"}
    target : float
        Precision or recall of at least, or false positive rate of at most so much.
    confidence_level : float
    method : {"order-statistic", "fixed-sequence", "mixture", "hypergeometric"}
    confusion : Confusion or None
        Labelled subjects above and below the cut, with its score; None if nothing can be certified.
    naive : Confusion or None
        The same at the cut where the sample just keeps the target, which promises nothing; None if there is none. That
        of a precision is the cut of ``recall@precision``, and ends with a positive.
    selected, naive_selected : int
        Number of subjects above the cutoffs, including unlabelled subjects of a finite list; 0 without a cutoff.
    n : int
        Subjects of the list.
    higher_is_better : bool
        True if scores at or above the cutoff are selected, False if scores at or below it are.
    misses : int or None
        Negatives that the first test of a fixed sequence allows.
    expected : float or None
        Mean recall or false positive rate of such cuts over samples; None where the cut ends among equal scores.
    needed : int or None
        If nothing can be certified: the number of subjects that ``reason`` names as needed; None if it names none.
    reason : str
        Why nothing can be certified; empty otherwise.
    caveats : tuple of str
    """

    ranker: str
    promise: str
    target: float
    confidence_level: float
    method: str
    confusion: Confusion | None
    naive: Confusion | None
    selected: int
    naive_selected: int
    n: int
    higher_is_better: bool = True
    misses: int | None = None
    expected: float | None = None
    needed: int | None = None
    reason: str = ""
    caveats: tuple[str, ...] = ()

    @property
    def certified(self) -> bool:
        """Whether a cutoff meets the target with the requested confidence."""
        return self.confusion is not None

    @property
    def threshold(self) -> float | None:
        """The score of the cut; None without one, or in a table without scores."""
        return None if self.confusion is None else self.confusion.threshold

    @property
    def share(self) -> float:
        """Fraction of the list that is selected."""
        return self.selected / self.n

    @property
    def price(self) -> float:
        """Ratio of the number of subjects selected to the number selected at the sample cutoff; nan if either is 0."""
        return self.selected / self.naive_selected if self.selected and self.naive_selected else math.nan

    def __str__(self) -> str:
        """State the promise, the cut, and what it costs."""
        return f"{rows.text_lines(self.heading())}\n\n{rows.text_table(*self.table_rows())}"

    def heading(self) -> list[str]:
        """Return the sentences above the table."""
        level = f"{rows.short(100 * self.confidence_level)}% confidence"
        promise = f"{rows.in_line(self.ranker)}: {Promise(self.promise, self.target)}, with {level}"
        if self.confusion is None:
            lines = [f"{promise}: nothing can be certified", self.reason]
        else:
            lines = [f"{promise}: {self._selection()}", *self._about_price()]
        return [*lines, *self.caveats]

    def _selection(self) -> str:
        """Return the rule for selecting subjects, in words."""
        if self.selected == self.n:
            return f"select all {rows.count(self.n)} subjects"
        count = f"{rows.count(self.selected)} of {rows.count(self.n)} subjects ({rows.short(100 * self.share)}%)"
        if self.threshold is None:
            return f"select the first {count}"
        side = "at least" if self.higher_is_better else "at most"
        return f"select scores of {side} {rows.exact(self.threshold)}, {count}"

    def _about_price(self) -> list[str]:
        lines = [_HOW[self.method]]
        if self.misses is not None:
            lines[0] += f", the first of which allows {rows.counted(self.misses, 'negative')}"
        if self.expected is not None:
            lines.append(
                f"over samples, such a cut has a mean {_WORDS[self.promise]} of about {rows.number(self.expected, 3)}"
            )
        if self.price == 1:
            lines.append("it is also the cut of the sample")
        elif not math.isnan(self.price):
            lines.append(
                f"it selects {rows.short(self.price, 3)} times as many subjects as the cut of the sample, which "
                "promises nothing"
            )
        return lines

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the printed table: the certified cutoff and the sample cutoff."""
        header = ["cut", "score", "selected", "share", "positives", "negatives", "precision", "recall", "fpr"]
        body = []
        for record in self.to_records():
            score, ratios = record["score"], [record[key] for key in PROMISES]
            counts = [rows.count(record[key]) if record[key] is not None else "-" for key in ("positives", "negatives")]
            body.append(
                [
                    record["cut"],
                    "-" if score is None else rows.exact(score),
                    rows.count(record["selected"]),
                    f"{rows.short(100 * record['share'])}%",
                    *counts,
                    *("-" if x is None else rows.value(x) for x in ratios),
                ]
            )
        return header, body

    def _repr_html_(self) -> str:
        return rows.html_block([rows.html_paragraphs(self.heading()), rows.html_table(*self.table_rows())])

    def to_record(self) -> dict[str, Any]:
        """Return the guarantee and the cutoff as plain values; missing values are None."""
        certified, _ = self.to_records()
        del certified["cut"]
        return {
            **certified,
            "naive_score": None if self.naive is None else self.naive.threshold,
            "naive_selected": self.naive_selected,
            "price": None if math.isnan(self.price) else self.price,
            "expected": self.expected,
            "misses": self.misses,
            "needed": self.needed,
            "reason": self.reason or None,
        }

    def to_records(self) -> list[dict[str, Any]]:
        """Return two records: the certified cutoff and the sample cutoff."""
        promise = {
            "ranker": self.ranker,
            "promise": self.promise,
            "target": self.target,
            "level": self.confidence_level,
            "method": self.method,
        }
        cuts = (("certified", self.confusion, self.selected), ("of the sample", self.naive, self.naive_selected))
        out = []
        for name, at, selected in cuts:
            found: dict[str, Any] = dict.fromkeys(("score", "positives", "negatives", *PROMISES))
            if at is not None:
                found = {"score": at.threshold, "positives": int(at.tp), "negatives": int(at.fp)}
                found |= {"precision": at.precision, "recall": at.sensitivity, "fpr": at.false_positive_rate}
            depth = {"selected": selected, "share": selected / self.n}
            out.append(rows.plain({**promise, "cut": name, **depth, **found}))
        return out

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the records as a data frame; see :meth:`to_records`."""
        return to_frame(columns_of_plain(self.to_records(), ("score", "positives", "negatives", *PROMISES)), backend)
