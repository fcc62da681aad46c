"""A condition on rows: over the columns of the files of scores, and of a file of labels joined to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hitcurve._cached import cached_property
from hitcurve.errors import InputError, ParameterError
from hitcurve.sources.files import duck, one_row
from hitcurve.sources.files.datafile import DataFile

_WITH_TEXT = re.compile(r"\btext (?:and|cannot)|(?:and|with) text\b")
_ID = "id of the labels"


@dataclass(frozen=True)
class Condition:
    """One SQL expression that says which rows are read.

    Attributes
    ----------
    text : str
    db : DuckDBPyConnection
    files : sequence of DataFile
        The files of scores. A name that they and the file of labels have is a column of theirs.
    labels : DataFile or None
        The file of labels, if it is apart.
    """

    text: str
    db: Any = field(repr=False)
    files: Sequence[DataFile]
    labels: DataFile | None = None

    @cached_property
    def types(self) -> dict[DataFile, dict[str, str]]:
        """The types of the columns that may be named, in each file of scores."""
        return {file: file.nameable_types() for file in self.files}

    @cached_property
    def _types_of_labels(self) -> dict[str, str]:
        if self.labels is None:
            return {}
        taken = {name.lower() for file in self.files for name in (*file.names, *file.places)}
        return {name: kind for name, kind in self.labels.nameable_types().items() if name.lower() not in taken}

    @cached_property
    def needs_labels(self) -> bool:
        """Whether a column of the file of labels is named.

        Raises
        ------
        ParameterError
            If the text is not one condition on columns that are there.
        """
        for file in self.files:
            try:
                self._check(file, {})
            except ParameterError:
                self._check(file, self._types_of_labels)
                return True
        return False

    def _check(self, file: DataFile, more: dict[str, str]) -> None:
        twins = [name for name in file.names if name not in self.types[file]]
        try:
            one_row.check_condition(self.db, self.text, self.types[file] | more, twins)
        except ParameterError as error:
            raise ParameterError(f"{error}{file.doubt if _WITH_TEXT.search(str(error)) else ''}") from None

    # ---- SQL

    def chosen(self, file: DataFile, columns: str, on: Callable[[DataFile], str]) -> str:
        """Return the SQL of columns of a file, in the rows for which the condition holds.

        Parameters
        ----------
        on : callable
            Returns the SQL of the ids in a file.
        """
        found = f"SELECT *, {file.named(self.types[file])} FROM {file.relation}"
        if self.needs_labels:
            name = duck.quoted(_ID)
            scores = f"SELECT *, {on(file)} AS {name} FROM ({found})"
            found = f"SELECT * FROM ({scores}) LEFT JOIN ({self._of_ids(on)}) USING ({name})"
        return f"SELECT {columns} FROM ({found}) WHERE (\n{self.text}\n)"

    def _of_ids(self, on: Callable[[DataFile], str]) -> str:
        """Return the SQL of what the file of labels says of each id."""
        assert self.labels is not None
        names = map(duck.quoted, self._types_of_labels)
        picked = ", ".join(f"any_value({name}) AS {name}" for name in names)
        return f"SELECT {duck.quoted(_ID)}, {picked} FROM ({self._labels_named(on)}) GROUP BY {duck.quoted(_ID)}"

    def _labels_named(self, on: Callable[[DataFile], str]) -> str:
        assert self.labels is not None
        named = self.labels.named(self._types_of_labels)
        return f"SELECT *, {on(self.labels)} AS {duck.quoted(_ID)}, {named} FROM {self.labels.relation}"

    def labels_chosen(self, scores: str, on: Callable[[DataFile], str]) -> str:
        """Return the SQL of the rows of the file of labels that are read.

        An id that the files of scores have is read if a row of it was chosen there. Another one is read unless the
        condition names columns of the labels and does not hold without scores.

        Parameters
        ----------
        scores : str
            The table of the rows that were chosen, with their ids.
        on : callable
            Returns the SQL of the ids in a file.
        """
        assert self.labels is not None
        name = duck.quoted(_ID)
        every = " UNION ALL ".join(f"SELECT {on(file)} AS id FROM {file.relation}" for file in self.files)
        if not self.needs_labels:
            labels = f"SELECT *, {on(self.labels)} AS {name} FROM {self.labels.relation}"
            return (
                f"(SELECT * FROM ({labels}) WHERE {name} IS NULL OR {name} IN (SELECT id FROM {scores}) "
                f"OR {name} NOT IN (SELECT id FROM ({every}) WHERE id IS NOT NULL))"
            )
        known = {column: kind for types in self.types.values() for column, kind in types.items()}
        nothing = ", ".join(f"CAST(NULL AS {kind}) AS {duck.quoted(column)}" for column, kind in known.items())
        return (
            f"(SELECT * FROM (SELECT *, {nothing} FROM ({self._labels_named(on)})) WHERE {name} IS NULL "
            f"OR {name} IN (SELECT id FROM {scores}) "
            f"OR ({name} NOT IN (SELECT id FROM ({every}) WHERE id IS NOT NULL) AND (\n{self.text}\n)))"
        )

    def check_labels(self, rows: Callable[[str], list[tuple[Any, ...]]], on: Callable[[DataFile], str]) -> None:
        """Refuse several rows of one id in the file of labels, of which the condition would take any.

        Raises
        ------
        InputError
        """
        if not self.needs_labels or self.labels is None:
            return
        id_, own = duck.quoted(_ID), [name for name in self._types_of_labels if self.labels.asked.names(name)]
        for name in own:
            column = duck.quoted(name)
            found = rows(
                f"SELECT {id_} FROM ({self._labels_named(on)}) GROUP BY {id_} HAVING min({column}) <> max({column}) "
                f"OR count({column}) NOT IN (0, count(*)) ORDER BY 1 LIMIT 1"
            )
            if found:
                raise InputError(
                    f"{found[0][0]!r} has rows of different {name!r} in {self.labels.path.name}, which --where names"
                )
