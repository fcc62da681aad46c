"""How many rows were read, and what was missing in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hitcurve.errors import EmptyInputError, LabelError
from hitcurve.immutable import ReadOnly


@dataclass(frozen=True)
class Tally:
    """Counts of rows, dropped rows and missing scores; tallies add.

    Attributes
    ----------
    rows : int
        Rows read, those dropped included.
    dropped : int
        Rows dropped because a label, a score or a weight was missing.
    ranked_last : mapping of str to int
        Missing scores of each ranker that were ranked last.
    vocabulary : frozenset
        The distinct labels.
    unlabelled : int
        Rows dropped that had no label.
    filled : int
        Rows without a label that count as unlabelled subjects.
    """

    rows: int
    dropped: int
    ranked_last: Mapping[str, int]
    vocabulary: frozenset[Any]
    unlabelled: int = 0
    filled: int = 0

    def __post_init__(self) -> None:
        if type(self.ranked_last) is dict:
            object.__setattr__(self, "ranked_last", ReadOnly(self.ranked_last))

    def check_anybody(self) -> None:
        """Raise if no subject is left.

        Raises
        ------
        EmptyInputError
            If all rows were dropped.
        """
        if self.rows == self.dropped:
            raise EmptyInputError(f"all {self.rows} rows have a missing value, so no row is left to rank")

    def __add__(self, other: object) -> Tally:
        """Add counts, unite vocabularies."""
        if not isinstance(other, Tally):
            return NotImplemented
        last = {name: count + other.ranked_last[name] for name, count in self.ranked_last.items()}
        vocabulary = self.vocabulary | other.vocabulary
        rows, dropped = self.rows + other.rows, self.dropped + other.dropped
        without = (self.unlabelled + other.unlabelled, self.filled + other.filled)
        return Tally(rows, dropped, last, vocabulary, *without)

    def check_unlabelled(self) -> None:
        """Raise if some labels are missing, and others negative: known negatives are no unlabelled subjects.

        Raises
        ------
        LabelError
        """
        if self.filled and len(self.vocabulary) > 1:
            raise LabelError(
                f"{self.filled:,} labels are missing, which counts as unlabelled, and others are "
                f"{', '.join(sorted(map(repr, self.vocabulary)))}: leave out known negatives, or give one label to all "
                "subjects that are not labelled positive"
            )
