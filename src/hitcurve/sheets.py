"""Results of several tables: as text, for a notebook, in Markdown, for LaTeX and as JSON."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from hitcurve import rows


class Section(NamedTuple):
    """A table with its title."""

    title: str
    header: Sequence[str]
    body: Sequence[Sequence[str]]


class Sheets(ABC):
    """Base of results that are a description, some tables and notes."""

    @abstractmethod
    def heading(self) -> list[str]:
        """Return a description of what was evaluated."""

    @abstractmethod
    def sections(self) -> list[Section]:
        """Return all tables."""

    @abstractmethod
    def notes(self) -> list[str]:
        """Return tests and caveats, in words."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain lists and dictionaries."""

    def to_text(self) -> str:
        """Return all tables as plain text, with a description above and notes below."""
        parts = [rows.text_lines(self.heading())]
        for title, header, body in self.sections():
            above = f"{rows.in_line(title)}\n" if title else ""
            parts.append(f"{above}{rows.text_table(header, body)}")
        return "\n\n".join([*parts, rows.text_lines(self.notes())]).rstrip()

    def __str__(self) -> str:
        """Return the same."""
        return self.to_text()

    def to_html(self) -> str:
        """Return all tables as HTML, with a description above and notes below."""
        parts = [rows.html_paragraphs(self.heading())]
        for title, header, body in self.sections():
            parts += [rows.html_paragraphs([title] if title else []), rows.html_table(header, body)]
        return rows.html_block([*parts, rows.html_paragraphs(self.notes())])

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        return self.to_html()

    def to_markdown(self) -> str:
        """Return all tables in Markdown, with a description above and notes below."""
        parts = [rows.markdown_list(self.heading())]
        for title, header, body in self.sections():
            parts += [f"**{rows.markdown(title)}**"] if title else []
            parts.append(rows.markdown_table(header, body))
        parts.append(rows.markdown_list(self.notes()))
        return "\n\n".join(parts).rstrip() + "\n"

    def to_latex(self) -> str:
        """Return all tables for the booktabs package; the description and the notes are comments."""
        parts = [rows.latex_comments(self.heading())]
        for title, header, body in self.sections():
            parts += [rows.latex_comments([title])] if title else []
            parts += [rows.latex_table(header, body), ""]  # a line between tables, which begins another paragraph
        return "\n".join([*parts, rows.latex_comments(self.notes())]).rstrip() + "\n"

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON."""
        return rows.json_text(json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)) + "\n"
