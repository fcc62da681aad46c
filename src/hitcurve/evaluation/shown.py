"""What every evaluation shows: lines for a printer, and a small page of a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from hitcurve import _checks
from hitcurve.errors import HitcurveWarning


class Shown(ABC):
    """Base of evaluations that prints their content as text and tables."""

    warnings: tuple[HitcurveWarning, ...]

    @abstractmethod
    def heading(self) -> list[str]:
        """Return a description of the evaluated data."""

    confidence_level: float

    @abstractmethod
    def table_rows(self, *, standard_error: bool = False) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the main table, values with their intervals, and standard errors if asked for."""

    def tie_rows(self) -> tuple[list[str], list[list[str]], str]:
        """Return header and rows of what strict orders of the ties would give, and a note; no rows without ties."""
        return [], [], ""

    def about_cuts(self) -> str:
        """Return the scores at which operating points cut the lists, in words; empty without any."""
        return ""

    @abstractmethod
    def about_intervals(self) -> str:
        """Return level and meaning of the intervals, in words."""

    def warning_lines(self) -> list[str]:
        """Return a line for each warning."""
        return [f"warning: {message}" for message in self.warnings]

    def levelled(self, header: list[str], body: list[list[str]], *, standard_error: bool = False) -> list[str]:
        """Return the header of a table; its first cell names the standard error and the level of the intervals."""
        parts = [" (standard error)"] if standard_error else []
        if any(cell.endswith("]") for line in body for cell in line[1:]):
            parts.append(f" [{100 * self.confidence_level:g}% interval]")
        return [header[0] + "".join(parts), *header[1:]]

    def _repr_html_(self) -> str:
        """Return the numbers as a small page of a notebook."""
        return self.to_html()

    def to_html(self, *, standard_error: bool = False) -> str:
        """Return the results as HTML tables, with a description of the data above and notes below.

        Parameters
        ----------
        standard_error : bool
            Whether the standard error follows each value, in parentheses before the interval.
        """
        from hitcurve.report import small

        return small(self, standard_error=standard_error)

    def to_markdown(self, *, standard_error: bool = False) -> str:
        """Return the results as tables in Markdown, as ``--format markdown`` does; see :meth:`to_html`."""
        return self._rendered("markdown", standard_error)

    def to_latex(self, *, standard_error: bool = False) -> str:
        r"""Return the results as a table for the booktabs package, as ``--format latex`` does; see :meth:`to_html`.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> from hitcurve.datasets import mammography
        >>> text = evaluate(tables=mammography(), metrics="auc").to_latex(standard_error=True)
        >>> print("\n".join(text.splitlines()[-5:-2]))
        metric (standard error) [95\% interval] & film & digital & random & best & convention \\
        \midrule
        auc & 0.7351 (0.0157) [0.703, 0.764] & 0.7529 (0.0154) [0.721, 0.782] & 0.5 & 1 &  \\
        """
        return self._rendered("latex", standard_error)

    def _rendered(self, form: str, standard_error: bool) -> str:
        from hitcurve.report import render

        _checks.flag("standard_error", standard_error)
        shown: Any = self  # an evaluation of one list or of groups
        return render(shown, form, standard_error=standard_error)
