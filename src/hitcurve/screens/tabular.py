"""Tables of markers in every format, from a few words and columns."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from hitcurve import rows
from hitcurve.counts import AnyArray
from hitcurve.sources import to_frame

SHOWN = 20
_ROWS = 4096  # that are records at a time
_WORDS = ("group", "marker", "direction")  # columns of text


class Tabular(ABC):
    """What has a heading, a table of its best rows, notes, and columns of all numbers."""

    @abstractmethod
    def heading(self) -> list[str]:
        """Return a description of the data."""

    @abstractmethod
    def notes(self) -> list[str]:
        """Return notes on the numbers."""

    @abstractmethod
    def table_rows(self, shown: int | None = SHOWN) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer."""

    @abstractmethod
    def more(self, shown: int | None = SHOWN) -> list[str]:
        """Return a line for the rows that a table does not show."""

    @abstractmethod
    def to_columns(self) -> dict[str, AnyArray]:
        """Return all numbers as columns."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain lists and dictionaries."""

    # ---- words

    def __str__(self) -> str:
        """Return the best markers as a table."""
        return self.to_text()

    def _repr_html_(self) -> str:
        """Return the best markers for a notebook."""
        return self.to_html()

    def to_text(self, *, shown: int | None = SHOWN) -> str:
        """Return the best markers as a plain table, with a description of the data above and notes below.

        Parameters
        ----------
        shown : int or None
            How many; None for all.
        """
        header, body = self.table_rows(shown)
        table = rows.text_table(header, body, _left(header))
        return "\n".join(
            [rows.text_lines(self.heading()), "", table, *self.more(shown), "", rows.text_lines(self.notes())]
        )

    def to_html(self, *, shown: int | None = SHOWN) -> str:
        """Return the best markers as an HTML table, with a description of the data above and notes below.

        Parameters
        ----------
        shown : int or None
            How many; None for all.
        """
        parts = [rows.html_paragraphs(self.heading()), rows.html_table(*self.table_rows(shown))]
        return rows.html_block([*parts, rows.html_paragraphs([*self.more(shown), *self.notes()])])

    def to_markdown(self, *, shown: int | None = SHOWN) -> str:
        """Return the best markers as a table in Markdown; see :meth:`to_html`."""
        header, body = self.table_rows(shown)
        parts = [rows.markdown_list(self.heading())]
        parts.append(rows.markdown_table(header, body, _left(header)))
        parts.append(rows.markdown_list([*self.more(shown), *self.notes()]))
        return "\n\n".join(parts) + "\n"

    def to_latex(self, *, shown: int | None = SHOWN) -> str:
        """Return the best markers as a table for the booktabs package; see :meth:`to_html`."""
        header, body = self.table_rows(shown)
        table = rows.latex_table(header, body, _left(header))
        parts = [rows.latex_comments(self.heading()), table, rows.latex_comments([*self.more(shown), *self.notes()])]
        return "\n".join(parts) + "\n"

    # ---- data

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each marker and metric, of the same keys whatever the data; nan is None."""
        return list(_records(self.to_columns()))

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return a data frame with a row for each marker and metric, the best marker by the first metric first.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first that is installed unless given.

        Raises
        ------
        MissingExtraError
            If none is installed.
        """
        return to_frame(
            {key: column.tolist() if column.dtype == object else column for key, column in self.to_columns().items()},
            backend,
        )

    def to_csv(self) -> str:
        """Return the rows of :meth:`to_frame` as CSV, with all digits."""
        columns = self.to_columns()
        return rows.csv_text(_records(columns), list(columns))

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON."""
        return rows.json_text("".join(self._json(0))) + "\n"

    @abstractmethod
    def _json(self, depth: int) -> Iterator[str]:
        """Yield pieces of the JSON, indented by a depth."""


def json_of(head: Mapping[str, Any], columns: Mapping[str, AnyArray], depth: int) -> Iterator[str]:
    """Yield pieces of a JSON object whose last entry, ``markers``, has a record for each row of the columns."""
    margin = "\n" + " " * depth
    yield _dumped(head)[: -len("\n}")].replace("\n", margin) + f',{margin} "markers": ['
    before = ""
    for some in _parts(columns):
        text = _dumped(list(_records(some)))[1 : -len("\n]")]
        yield before + text.replace("\n", f"{margin} ")
        before = ","
    yield f"{margin} ]{margin}}}"


def _dumped(what: Any) -> str:
    return json.dumps(what, indent=1, ensure_ascii=False, allow_nan=False)


def _parts(columns: Mapping[str, AnyArray]) -> Iterator[dict[str, AnyArray]]:
    """Yield some rows after the other: as Python objects they take ten times the memory of the columns."""
    size = next(iter(columns.values())).size
    for start in range(0, size, _ROWS):
        yield {key: column[start : start + _ROWS] for key, column in columns.items()}


def _records(columns: Mapping[str, AnyArray]) -> Iterator[dict[str, Any]]:
    for some in _parts(columns):
        for line in zip(*(column.tolist() for column in some.values()), strict=True):
            yield rows.plain(dict(zip(some, line, strict=True)))


def _left(header: list[str]) -> tuple[int, ...]:
    return tuple(i for i, name in enumerate(header) if name in _WORDS)
