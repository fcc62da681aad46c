"""What every evaluation shows: lines for a printer, and a small page of a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod

from hitcurve.errors import HitcurveWarning


class Shown(ABC):
    """An evaluation that says what it holds in words and tables."""

    warnings: tuple[HitcurveWarning, ...]

    @abstractmethod
    def heading(self) -> list[str]:
        """Return what was evaluated, in words."""

    @abstractmethod
    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of the main table."""

    def tie_rows(self) -> tuple[list[str], list[list[str]], str]:
        """Return header and rows of what strict orders of the ties would give, and a note; no rows without ties."""
        return [], [], ""

    @abstractmethod
    def about_intervals(self) -> str:
        """Return level and meaning of the intervals, in words."""

    def warning_lines(self) -> list[str]:
        """Return a line for each warning."""
        return [f"warning: {message}" for message in self.warnings]

    def _repr_html_(self) -> str:
        """Return the numbers as a small page of a notebook."""
        from hitcurve.report import small

        return small(self)
