"""Numbers of one estimate that are there before it is asked."""

from __future__ import annotations

from typing import Protocol

from hitcurve.inference.intervals.interval import ConfidenceInterval


class KnownNumbers(Protocol):
    """The numbers of one estimate that are worked out for many lists at once; nan and empty where there is none."""

    @property
    def standard_error(self) -> float:
        """Standard error."""

    @property
    def interval(self) -> ConfidenceInterval:
        """The default interval."""

    @property
    def interval_method(self) -> str:
        """The method of the interval."""

    @property
    def random(self) -> float:
        """Random baseline."""

    @property
    def best(self) -> float:
        """Value of the perfect order."""

    @property
    def convention(self) -> str:
        """The definition used where tools differ."""

    @property
    def tie_range(self) -> tuple[float, float]:
        """Values with every tie broken against and in favour of the positives."""
