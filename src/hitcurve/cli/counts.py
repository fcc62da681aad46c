"""Tables of counts: their columns, and the rankers they are of."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitcurve.cli.files import open_all

if TYPE_CHECKING:
    from hitcurve.cli.inputs import Subjects
    from hitcurve.evaluation import Evaluation
    from hitcurve.table import HitTable


@dataclass(frozen=True)
class Counts:
    """Whether files contain counts, and the columns of each ranker: of one in each file, or of several in one file."""

    given: bool
    positives: Sequence[str]
    total: Sequence[str]
    negatives: Sequence[str]

    @classmethod
    def of(
        cls, given: bool, positives: list[str] | None, total: list[str] | None, negatives: list[str] | None
    ) -> Counts:
        """Read --counts, --positives, --total and --negatives.

        Raises
        ------
        ParameterError
            If they do not fit each other.
        """
        return cls(given, tuple(positives or ()), tuple(total or ()), tuple(negatives or ()))

    def __post_init__(self) -> None:
        from hitcurve.errors import ParameterError

        if not self.given:
            if self.positives or self.total or self.negatives:
                raise ParameterError("--positives, --total and --negatives need --counts")
            return
        if not self.positives or bool(self.total) == bool(self.negatives):
            raise ParameterError("--counts needs --positives COLUMN, and --total COLUMN or --negatives COLUMN")
        others, name = (self.total, "--total") if self.total else (self.negatives, "--negatives")
        if len(others) != len(self.positives):
            raise ParameterError(
                f"each ranker has a column of positives and one of {name.removeprefix('--')}: --positives is given "
                f"{_times(len(self.positives))} and {name} {_times(len(others))}"
            )
        for column in self.positives:
            if self.positives.count(column) > 1:
                raise ParameterError(f"--positives names the column {column!r} twice: name it once")

    def tables(self, files: Sequence[str]) -> dict[str, HitTable]:
        """Read the tables: named after the files, or of one file with several rankers after the columns of positives.

        Raises
        ------
        ParameterError
            If there are several files and several rankers in each.
        """
        from hitcurve.errors import ParameterError
        from hitcurve.sources.files import names_after, read_counts
        from hitcurve.table import HitTable

        with ExitStack() as stack:
            paths = open_all(files, stack)
            if len(self.positives) > 1 and len(paths) > 1:
                raise ParameterError(
                    f"several files are a ranker each, and take one column of positives, got {len(self.positives)}: "
                    "give one file with the columns of all rankers, or name --positives once"
                )
            names = names_after(paths) if len(self.positives) == 1 else names_of_columns(self.positives)
            found = {}
            for place, name in enumerate(names):
                own = 0 if len(self.positives) == 1 else place
                path = paths[0] if len(paths) == 1 else paths[place]
                columns = {
                    "total": self.total[own] if self.total else None,
                    "negatives": self.negatives[own] if self.negatives else None,
                }
                found[name] = HitTable.from_counts(*read_counts(path, self.positives[own], **columns))
            return found

    def evaluation(self, subjects: Subjects, **options: Any) -> Evaluation:
        """Evaluate the tables; warnings are part of the result."""
        from hitcurve.evaluation import evaluate

        subjects.check_only_files()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: Evaluation = evaluate(tables=self.tables(subjects.files), **options)
            return found


def names_of_columns(columns: Sequence[str]) -> list[str]:
    """Return what columns are called without the words they share at either end: film of film_cancers."""
    words = [[word for word in re.split(r"[\s_.:/-]+", column) if word] for column in columns]
    least = min(map(len, words))
    start = next((i for i in range(least) if len({own[i] for own in words}) > 1), least)
    end = next((i for i in range(least) if len({own[-1 - i] for own in words}) > 1), least)
    short = ["_".join(own[start : len(own) - end]) for own in words]
    return short if all(short) and len(set(short)) == len(short) else list(columns)


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
