"""Differences of a metric between subgroups: pairs, the largest of them, and the test that all are equal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hitcurve import _checks, rows
from hitcurve.errors import ColumnNotFoundError, ParameterError
from hitcurve.immutable import Compared
from hitcurve.inference.intervals.interval import ConfidenceInterval
from hitcurve.inference.linear.contrasts import Contrast, Contrasts, WaldTest
from hitcurve.sheets import Section, Sheets
from hitcurve.sources import to_frame

SUBGROUP_COLUMNS = ("subgroup", "value", "standard_error", "low", "high", "level", "n", "n_pos")
PAIR_COLUMNS = (
    "first",
    "second",
    "difference",
    "standard_error",
    "low",
    "high",
    "level",
    "pvalue",
    "adjusted",
    "simultaneous_low",
    "simultaneous_high",
)


class Subgroup(NamedTuple):
    """The value of one subgroup.

    Attributes
    ----------
    name : str
    value, standard_error : float
    interval : ConfidenceInterval or None
        Of this subgroup alone.
    n, n_pos : float
        Subjects and positives (sums of weights).
    """

    name: str
    value: float
    standard_error: float
    interval: ConfidenceInterval | None
    n: float
    n_pos: float


@dataclass(frozen=True, eq=False)
class Gap(Compared, Sheets):
    """Differences of a metric between subgroups of the subjects.

    ``gap["f", "m"]`` is the difference of a pair, whichever is named first: in the order in which it was compared, the
    higher value first if there is no reference. Its ``label`` names the order.

    Attributes
    ----------
    metric : str
        What is compared, in words.
    by : str
        What the subgroups are.
    ranker : str
        The ranker, or the difference of two.
    subgroups : mapping of str to Subgroup
        In the order of their names.
    pairs : Contrasts
        All pairs, the higher value first; or each against the reference. Simultaneous intervals and adjusted p values
        are by the largest statistic under the null (max-T).
    test : WaldTest
        That all subgroups are equal. Of more than two that are each ranked by itself by log odds along the range of the
        metric, whose errors depend less on the value.
    reference : str or None
    left_out : mapping of str to str
        Subgroups without a value or an error, and the reason.
    cautions : tuple of str
        Caveats: small subgroups, prevalences that differ.
    confidence_level : float
    backend : str or None

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import evaluate
    >>> rng = np.random.default_rng(0)
    >>> y, site = rng.random(600) < 0.3, rng.integers(0, 3, 600)
    >>> s = rng.normal(size=600) + y * np.array([1.5, 1.4, 0.4])[site]
    >>> gap = evaluate(y, s, metrics="auc").gap("auc", by=site)
    >>> gap.largest.label, round(gap.largest.value, 3), gap.test.pvalue < 0.001
    ('0 - 2', 0.228, True)
    """

    metric: str
    by: str
    ranker: str
    subgroups: Mapping[str, Subgroup]
    pairs: Contrasts
    test: WaldTest | None
    reference: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()
    confidence_level: float = 0.95
    backend: str | None = field(default=None, repr=False)

    @property
    def largest(self) -> Contrast:
        """The largest difference; of many pairs its simultaneous interval is the one that is valid."""
        return max(self.pairs, key=lambda one: abs(one.value))

    def __iter__(self) -> Iterator[Contrast]:
        """Go through the pairs that were compared."""
        return iter(self.pairs)

    def __getitem__(self, key: tuple[str, str]) -> Contrast:
        """Return the difference of a pair that was compared, in the order in which it was.

        Raises
        ------
        ColumnNotFoundError
            If a subgroup has no value, or the pair was not compared.
        """
        if not isinstance(key, tuple) or len(key) != 2:
            raise ParameterError(f"ask for a pair of subgroups, as in gap['f', 'm'], got {key!r}")
        names = [_checks.named("subgroup", str(name), self.subgroups) for name in key]
        for one in self.pairs:
            if {name for name, _ in one.terms} == set(names):
                return one
        raise ColumnNotFoundError(
            f"{names[0]!r} and {names[1]!r} were not compared: all were compared with {self.reference!r}"
        )

    # ---- out

    @property
    def title(self) -> str:
        """What is compared, in a line."""
        return f"{self.metric} of {self.ranker} by {self.by}"

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the subgroups."""
        level = f"{100 * self.confidence_level:g}%"
        body = [
            [
                one.name,
                rows.count(one.n),
                rows.count(one.n_pos),
                rows.number(one.value),
                rows.number(one.standard_error, 3),
                ""
                if one.interval is None
                else f"{rows.number(one.interval[0], 3)} to {rows.number(one.interval[1], 3)}",
            ]
            for one in self.subgroups.values()
        ]
        return ["subgroup", "subjects", "positives", "value", "s.e.", f"{level} interval"], body

    def pair_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the differences."""
        header, body = self.pairs.table_rows()
        return ["difference", *header[1:]], body

    def heading(self) -> list[str]:
        """Return what is compared, in a line."""
        return [self.title]

    def sections(self) -> list[Section]:
        """Return the table of the subgroups, and that of the differences."""
        return [Section("", *self.table_rows()), Section("", *self.pair_rows())]

    def notes(self) -> list[str]:
        """Return the test of all, the largest difference, subgroups that were left out, and caveats."""
        out = []
        if self.test is not None:
            out.append(f"all subgroups equal: {self.test}")
        if len(self.pairs) > 1:
            largest = self.largest
            ends = largest.simultaneous or largest.confidence_interval()
            kind = "simultaneous" if largest.simultaneous is not None else f"{100 * self.confidence_level:g}%"
            out.append(
                f"largest difference: {largest.label} = {rows.number(largest.value)}, {kind} interval "
                f"{rows.number(ends[0], 3)} to {rows.number(ends[1], 3)}"
            )
        out += [f"left out: {name!r}, {reason}" for name, reason in self.left_out.items()]
        return [*out, *self.cautions]

    def __repr__(self) -> str:
        """Return what is compared."""
        return f"<Gap of {rows.in_line(self.title)}: {len(self.subgroups)} subgroups>"

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each pair."""
        out = []
        for one in self.pairs:
            record = {**one.to_dict(), "difference": one.value}
            record["first"], record["second"] = (name for name, _ in sorted(one.terms, key=lambda term: -term[1]))
            out.append({key: record[key] for key in PAIR_COLUMNS})
        return out

    def to_frame(self, per: str = "pair", *, backend: str | None = None) -> Any:
        """Return a data frame with a row for each pair, or for each subgroup.

        Parameters
        ----------
        per : {"pair", "subgroup"}
        backend : {"pandas", "polars", "pyarrow"}, optional
            The package of the data that were evaluated, or the first that is installed.
        """
        _checks.choice("per", per, ("pair", "subgroup"))
        records = self.to_records() if per == "pair" else self.records_of_subgroups
        names = PAIR_COLUMNS if per == "pair" else SUBGROUP_COLUMNS
        columns = {key: [math.nan if record[key] is None else record[key] for record in records] for key in names}
        return to_frame(columns, self.backend if backend is None else backend)

    def to_csv(self) -> str:
        """Return both tables as CSV, with all digits: ``part`` says whether a row is a subgroup or a pair."""
        records = [{"part": "subgroup", **one} for one in self.records_of_subgroups]
        records += [{"part": "pair", **one} for one in self.to_records()]
        header = list(dict.fromkeys(("part", *SUBGROUP_COLUMNS, *PAIR_COLUMNS)))
        return rows.csv_text([{key: record.get(key) for key in header} for record in records], header)

    @property
    def records_of_subgroups(self) -> list[dict[str, Any]]:
        """A record for each subgroup."""
        return [
            rows.plain(
                {
                    "subgroup": one.name,
                    "value": one.value,
                    "standard_error": one.standard_error,
                    "low": None if one.interval is None else one.interval[0],
                    "high": None if one.interval is None else one.interval[1],
                    "level": self.confidence_level,
                    "n": one.n,
                    "n_pos": one.n_pos,
                }
            )
            for one in self.subgroups.values()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values."""
        test = self.test
        return {
            "metric": self.metric,
            "by": self.by,
            "ranker": self.ranker,
            "reference": self.reference,
            "subgroups": self.records_of_subgroups,
            "pairs": self.to_records(),
            "statistic": None if test is None else test.statistic,
            "degrees": None if test is None else [test.degrees[0], rows.plain({"of": test.degrees[1]})["of"]],
            "pvalue": None if test is None else test.pvalue,
            "left_out": dict(self.left_out),
            "notes": self.notes(),
        }
