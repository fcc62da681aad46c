"""How the subjects were sampled."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.inference import resolve
from hitcurve.inference.intervals.interval import METHODS
from hitcurve.label_errors import LabelErrors
from hitcurve.metrics import DEFAULT, Metric
from hitcurve.metrics import metrics as read_metrics
from hitcurve.table import HitTable


class SamplingDesign(NamedTuple):
    """How the subjects were sampled, and the confidence level."""

    design: str = "cohort"
    prevalence: float | None = None
    confidence_level: float = 0.95
    paired: bool = True
    interval_method: str = "auto"
    errors: LabelErrors | None = None

    @classmethod
    def of(
        cls,
        design: str | None,
        prevalence: Any,
        confidence_level: float,
        *,
        paired: bool = True,
        interval_method: str = "auto",
        contamination: Any = None,
        mislabelled: Any = None,
        unlabelled: bool = False,
    ) -> Self:
        """Check and complete what was asked for; the prevalence of unlabelled data is that of the wrong labels."""
        errors = LabelErrors.given(contamination, mislabelled, unlabelled=unlabelled, prevalence=prevalence)
        if errors is not None and errors.unlabelled:
            own = cls.of(design, errors.mislabelled, confidence_level, paired=paired, interval_method=interval_method)
            return own._replace(prevalence=None, errors=errors)
        level = _checks.level("confidence_level", confidence_level)
        _checks.choice("interval_method", interval_method, METHODS)
        how = resolve(design, prevalence)
        return cls(how, None if prevalence is None else float(prevalence), level, paired, interval_method, errors)

    def on(self, table: HitTable) -> HitTable:
        """Return a table at the prevalence that is known, corrected for wrong labels."""
        at = table if self.prevalence is None else table.at_prevalence(self.prevalence)
        return at.corrected(self.errors)

    def default_metrics(self) -> tuple[Metric, ...]:
        """Return the default metrics; where labels are corrected, those that can be."""
        wanted = read_metrics(DEFAULT)
        return wanted if self.errors is None else tuple(m for m in wanted if m.label_correction)

    def refuse_groups(self) -> None:
        """Refuse groups whose labels are to be corrected.

        Raises
        ------
        ParameterError
        """
        if self.errors is not None:
            raise ParameterError(
                "contamination, mislabelled and unlabelled are for rankers of one list: evaluate each group by itself, "
                "with the shares of wrong labels there"
            )
