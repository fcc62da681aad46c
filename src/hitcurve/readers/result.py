"""A reader study, evaluated: what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass

from hitcurve import rows
from hitcurve.readers.printed import Printed


@dataclass(frozen=True, eq=False)
class ReaderStudy(Printed):
    """A study of several readers of the same cases, by :func:`hitcurve.evaluate_readers`.

    ``study["auc"]`` has the numbers of a metric; iteration is over the metrics.

    Attributes
    ----------
    results : tuple of ReaderMetric
    study : Study
        The readings as ranked lists, with the design and the kind of covariance.
    random : tuple of str
        What is a sample: ``"readers"``, ``"cases"`` or both.
    confidence_level : float
    baseline : str or None
        The modality that the others are compared with; None for all pairs.
    margin : Margin or None
    """

    def __repr__(self) -> str:
        """Return the size."""
        return (
            f"<ReaderStudy of {len(self.readers)} readers, {len(self.modalities)} modalities and "
            f"{len(self.readings.cases):,} cases by {rows.listed([str(one) for one in self.metrics])}>"
        )
