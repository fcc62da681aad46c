"""Each of several groups against all other subjects: one screen for each group."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._callers import warn
from hitcurve._progress import reports
from hitcurve.counts import AnyArray
from hitcurve.errors import (
    HitcurveWarning,
    InputError,
    InsufficientDataError,
    MissingValueError,
    ParameterError,
    SingleClassError,
)
from hitcurve.screens.adjusting import WORDS
from hitcurve.screens.api import screen
from hitcurve.screens.columns import columns_of
from hitcurve.screens.given import in_one_order, opened, picked
from hitcurve.screens.result import Screen
from hitcurve.screens.tabular import SHOWN, Tabular
from hitcurve.sources import columns as source_columns

_WARNING = "warning: "


@dataclass(frozen=True, eq=False, repr=False)
class GroupScreens(Tabular, Mapping[str, Screen]):
    """Markers of each group against all other subjects, by :func:`hitcurve.screen_one_vs_rest`.

    A mapping of the names of the groups to a :class:`hitcurve.Screen` each.

    Attributes
    ----------
    screens : mapping of str to Screen
    """

    screens: Mapping[str, Screen]

    def __getitem__(self, group: str) -> Screen:
        """Return the screen of a group.

        Raises
        ------
        ColumnNotFoundError
            If there is no such group.
        """
        return self.screens[_checks.named("group", group, self.screens)]

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the groups."""
        return iter(self.screens)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.screens)

    def __repr__(self) -> str:
        """Return the size."""
        return f"<GroupScreens of {len(self)} groups by {self._counted()}>"

    @property
    def _one(self) -> Screen:
        return next(iter(self.screens.values()))

    def _counted(self, shown: int = 0, what: str = "marker") -> str:
        """Return how many markers each group has beyond those shown."""
        counts = [max(len(one) - shown, 0) for one in self.values()]
        least, most = min(counts), max(counts)
        number = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        return f"{number} {what}{'' if most == 1 else 's'}"

    def heading(self) -> list[str]:
        """Return a description of the data."""
        sizes = [f"{group} {rows.count(one.subjects.sizes[0])}" for group, one in self.items()]
        return [
            f"{self._counted()} of {rows.count(self._one.subjects.n)} subjects in {len(self)} groups, "
            "each against all others",
            f"subjects: {', '.join(sizes)}",
        ]

    def notes(self) -> list[str]:
        """Return notes on the numbers."""
        one = self._one
        count = self._counted()
        return [
            f"adjusted p: {WORDS[one.adjust]}, over the {count} of a group, for each group by itself",
            *together({group: own.notes()[1:] for group, own in self.items()}),
        ]

    def table_rows(self, shown: int | None = SHOWN) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: the best markers of each group by the first metric."""
        tables = {group: one.table_rows(shown) for group, one in self.items()}
        header = max((own for own, _ in tables.values()), key=len)
        body = []
        for group, (own, lines) in tables.items():
            # a table has directions where some are low
            between = ["high"] * (len(header) - len(own))
            body += [[group, line[0], *between, *line[1:]] for line in lines]
        return ["group", *header], body

    def more(self, shown: int | None = SHOWN) -> list[str]:
        """Return a line for the markers that a table does not show."""
        if shown is None or all(len(one) <= shown for one in self.values()):
            return []
        return [f"{self._counted(shown, 'more marker')} in each group, in to_frame() (--top 0)"]

    def to_columns(self) -> dict[str, AnyArray]:
        """Return all numbers as columns: a row for each group, marker and metric."""
        parts = {group: one.to_columns() for group, one in self.items()}
        keys = next(iter(parts.values()))
        group = np.repeat(np.array(list(parts), object), [part["marker"].size for part in parts.values()])
        return {"group": group} | {key: np.concatenate([part[key] for part in parts.values()]) for key in keys}

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain lists and dictionaries."""
        return {"groups": {group: one.to_dict() for group, one in self.items()}}

    def _json(self, depth: int) -> Iterator[str]:
        margin = "\n" + " " * (depth + 1)
        yield f'{{{margin}"groups": {{'
        before = ""
        for group, one in self.items():
            yield f"{before}{margin} {json.dumps(group, ensure_ascii=False)}: "
            yield from one._json(depth + 2)
            before = ","
        yield f"{margin}}}\n" + " " * depth + "}"


@reports
def screen_one_vs_rest(
    X: Any,
    groups: Any,
    *,
    columns: Any = None,
    layer: str | None = None,
    names: Any = None,
    clusters: Any = None,
    rng: Any = None,
    progress: Any = False,
    **options: Any,
) -> GroupScreens:
    """Evaluate each marker as a ranking of each group ahead of all other subjects, such as genes of each cell type.

    Parameters
    ----------
    X : array (n, m), data frame, sparse matrix, AnnData or path
        As in :func:`hitcurve.screen`.
    groups : array-like (n,) or str
        Name of the group of each subject, or their column in ``X`` (in ``obs`` of an AnnData).
    columns, layer, names, clusters, rng, progress
        As in :func:`hitcurve.screen`.
    **options
        Further arguments of :func:`hitcurve.screen`: metrics, direction, adjust, missing, unusable, design,
        confidence_level, n_resamples, orders.

    Returns
    -------
    GroupScreens
        P values are adjusted over the markers of each group by itself.

    Raises
    ------
    SingleClassError
        If there are not at least two groups.
    MissingValueError
        If a subject has no group.
    InputError
        One of its kinds, for input that cannot be evaluated.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> cells = np.repeat(["B", "NK", "T"], 40)
    >>> X = rng.poisson(1.0, size=(120, 30)) + 2 * (cells == "NK")[:, None] * (np.arange(30) == 5)
    >>> found = screen_one_vs_rest(X, cells, n_resamples=99)
    >>> found["NK"].names[found["NK"].order()[0]]
    '5'
    """
    for name in ("pos_label", "prevalence"):
        if name in options:
            raise ParameterError(f"{name} is of one outcome, and each group is one here: leave it out")
    given = opened(X, groups, clusters, markers=columns, layer=layer)
    parts = in_one_order(given.X, given.index, groups=given.y, clusters=given.clusters)
    markers = picked(columns_of(parts["X"], given.names if names is None else names), columns)
    of_subject = source_columns.labels("groups", parts["groups"])
    _checks.rows_of_x("groups", of_subject.values.size, markers.rows)
    if of_subject.gone is not None:
        gone = int(of_subject.gone.sum())
        # what numpy makes of a nan among words
        of_text = of_subject.values.dtype.kind == "U"
        or_else = "; if 'nan' is a name, make the array of text one of objects" if of_text else ""
        raise MissingValueError(
            f"{gone:,} of {markers.rows:,} subjects have no group: name their group, or leave them out{or_else}"
        )
    found, codes = np.unique(np.array([str(one) for one in of_subject.values.tolist()]), return_inverse=True)
    if found.size < 2:
        raise SingleClassError(
            f"one group ({str(found[0])!r}) has no others to be ranked ahead of: at least 2 are needed"
        )
    screens, said = {}, Said()
    for code, group in enumerate(found.tolist()):
        with said.of(group):
            screens[group] = screen(markers, codes == code, clusters=parts["clusters"], rng=rng, **options)
    said.tell()
    return GroupScreens(screens)


class Said:
    """Warnings and errors about groups, with their names."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}
        self._kinds: dict[str, type[HitcurveWarning]] = {}

    @contextmanager
    def of(self, group: str) -> Iterator[None]:
        """Keep warnings, and name the group in errors about its subjects; those about options are about all groups."""
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                yield
        except InputError as error:
            if type(error) not in (InputError, InsufficientDataError, SingleClassError):
                raise
            raise type(error)(f"group {group!r}: {error}") from None
        own = [one.message for one in caught if isinstance(one.message, HitcurveWarning)]
        self._lines[group] = list(map(str, own))
        self._kinds |= {str(message): type(message) for message in own}

    def tell(self) -> None:
        """Warn, once where all groups are alike."""
        for line, groups in _groups_of(self._lines).items():
            warn(self._kinds[line](_named(line, groups, len(self._lines))))


def together(lines: Mapping[str, Sequence[str]]) -> list[str]:
    """Return notes on groups, warnings last: once where all groups are alike, else with the names of the groups."""
    every = sorted(_groups_of(lines).items(), key=lambda item: item[0].startswith(_WARNING))
    return [_named(line, groups, len(lines)) for line, groups in every]


def _groups_of(lines: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for group, own in lines.items():
        for line in own:
            out.setdefault(line, []).append(group)
    return out


def _named(line: str, groups: Sequence[str], among: int) -> str:
    if len(groups) == among:
        return line
    start = _WARNING if line.startswith(_WARNING) else ""
    return f"{start}group{'s' if len(groups) > 1 else ''} {rows.some(groups)}: {line.removeprefix(_WARNING)}"
