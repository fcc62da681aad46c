"""A reader study, evaluated: what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hitcurve import rows
from hitcurve.groups import AverageCurve
from hitcurve.readers.curves import average_curves
from hitcurve.readers.numbers import ReaderMetric
from hitcurve.readers.planning import ReaderPower, analyse_readers
from hitcurve.readers.printed import Printed
from hitcurve.readers.two_way import ReaderBootstrap, bootstrap_readers


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
    scale : {"logit", "identity"}
        Of the intervals of means.
    """

    def __repr__(self) -> str:
        """Return the size."""
        return (
            f"<ReaderStudy of {rows.counted(len(self.readers), 'reader')}, "
            f"{len(self.modalities)} {'modality' if len(self.modalities) == 1 else 'modalities'} and "
            f"{len(self.readings.cases):,} cases by {rows.listed([str(one) for one in self.metrics])}>"
        )

    def power_analysis(
        self,
        effect: float,
        *,
        metric: Any = None,
        readers: int | None = None,
        cases: int | None = None,
        power: float | None = None,
        margin: float | None = None,
        significance: float = 0.05,
    ) -> ReaderPower:
        """Plan a study of two modalities with this one as the pilot: two of readers, cases and power give the third.

        Parameters
        ----------
        effect : float
            True difference of the modalities.
        metric : str, Metric or RatingPoint, optional
            The first unless given.
        readers : int, optional
            Of both modalities, or of each where readers are nested in modalities.
        cases : int, optional
            That each reader reads with each modality, with the share of positives of the pilot.
        power : float in (0, 1), optional
        margin : float, optional
            Plan a test of non-inferiority by this margin, one-sided at half the significance; ``effect`` is then the
            true difference of the new modality from the old one, and may be 0.
        significance : float in (0, 1)
            Two-sided level.

        Returns
        -------
        ReaderPower

        Raises
        ------
        ParameterError
            If not exactly two are given, or no number is enough.

        Notes
        -----
        Variances over cases shrink with their number, those of readers do not (Hillis, Obuchowski and Berbaum 2011,
        Academic Radiology 18:129). With share s the cases of the pilot over those planned, J readers and
        A = max(Cov2 - Cov3, 0): ``D = V + s (var - Cov1 - A) + J s A`` with ``V = max(MS_TR - var + Cov1 + A, 0)``, and
        the t test of a difference with standard error ``sqrt(2 D / J)``.

        Examples
        --------
        >>> from hitcurve import evaluate_readers
        >>> from hitcurve.datasets import reader_study
        >>> names = {"reader": "reader", "modality": "modality", "case": "case"}
        >>> pilot = evaluate_readers("truth", "rating", data=reader_study(), **names)
        >>> plan = pilot.power_analysis(0.05, readers=8, power=0.8)
        >>> plan.cases > 0 and plan.power >= 0.8
        True
        """
        return analyse_readers(
            self,
            self._chosen(metric),
            effect,
            readers=readers,
            cases=cases,
            power=power,
            margin=margin,
            significance=significance,
        )

    def bootstrap(self, metric: Any = None, *, n_resamples: int = 2000, rng: Any = None) -> ReaderBootstrap:
        """Resample readers and cases together, as a check of the errors by formula.

        Whole readers and whole cases are drawn, or whole clusters; cases within their class in the case-control
        design. What is fixed stays.

        Parameters
        ----------
        metric : str, Metric or RatingPoint, optional
            The first unless given.
        n_resamples : int
        rng : None, int or numpy.random.Generator
            None derives a seed from the values.

        Returns
        -------
        ReaderBootstrap

        Raises
        ------
        InsufficientDataError
            If the metric is undefined on half of the replicates.
        """
        return bootstrap_readers(self, self._chosen(metric), n_resamples, rng)

    def average_curves(self, curve: str = "roc") -> dict[str, AverageCurve]:
        """Return the average of the curves of the readers of each modality: y at the same x.

        The area under the average ROC curve is the mean of the areas of the readers.

        Parameters
        ----------
        curve : str
            As in :meth:`hitcurve.HitTable.curve`, of a kind whose axis is not magnified.

        Returns
        -------
        dict of str to AverageCurve
            By modality; intervals are over readers, point by point.

        Raises
        ------
        ParameterError
            If there is no such curve.
        InsufficientDataError
            If a modality has one reader.
        """
        return average_curves(self.readings, curve, confidence_level=self.confidence_level)

    def _chosen(self, metric: Any) -> ReaderMetric:
        return self.results[0] if metric is None else self[metric]
