"""What an evaluation is: every number of every ranker, and how to look at them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hitcurve import _checks
from hitcurve._progress import Progress, reports
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.evaluation.compared import ComparedNumbers
from hitcurve.evaluation.sensitivity import Sensitivity, sensitivity_of
from hitcurve.evaluation.sensitivity_grids import ALONG, checked_grid, default_grid
from hitcurve.inference import (
    Band,
    BandOptions,
    band_of_table,
    difference_of,
)
from hitcurve.inference.permute import Subjects


@dataclass(frozen=True, eq=False)
class Evaluation(ComparedNumbers):
    """Metrics of one or several rankers.

    ``evaluation["a", "ap"]`` is one :class:`~hitcurve.Estimate`.

    Attributes
    ----------
    tables : mapping of str to HitTable
        The hit table of each ranker.
    metrics : tuple of Metric
    warnings : tuple of HitcurveWarning
        Warnings about data and values, each reason once.
    tally : Tally or None
        Rows read, dropped and ranked last; None if tables were given.
    source : Source or None
        The data, kept for resampling; see :meth:`without_data`.
    notes : tuple of str
        How the data were handled: what was joined, selected, or left unread.
    backend : str or None
        The package of the data frame that was evaluated: frames are returned in it.
    design : {"cohort", "case-control"}
        Whether the number of positives was sampled too, or fixed (or the prevalence known).
    confidence_level : float
        Confidence level of the intervals, unless another is requested.
    paired : bool
        Whether the rankers ranked the same subjects.
    clustered : bool
        Whether subjects within clusters are dependent.
    """

    def without_data(self) -> Evaluation:
        """Return the same evaluation without its data, which is smaller to store and to pickle.

        What needs no subjects but their covariances (standard errors of clusters, tests by formula) is computed
        before.
        """
        joint = self._joint if self.source is not None and (self.clustered or self._compares) else self._kept_joint
        return replace(self, source=None, _kept_joint=joint, _joint_of_many=None)

    # ---- bands

    @reports
    def band(self, ranker: str, curve: str = "precision_recall", *, progress: Progress = False, **options: Any) -> Band:
        """Return a confidence band of a whole curve of one ranker; options as in :func:`hitcurve.band`.

        Methods that smooth need the scores of all subjects, which a table that was counted does not keep: use
        :func:`hitcurve.band` on labels and scores for those.

        Raises
        ------
        UndefinedMetricError
            If subjects depend on each other within clusters; else as in :func:`hitcurve.band`.
        """
        self._refuse_band_of_clusters()
        ranker = _checks.named("ranker", ranker, self.tables)
        options = {"design": self.design, "confidence_level": self.confidence_level, **options}
        return band_of_table(self.tables[ranker], curve, BandOptions.named(options))

    def _refuse_band_of_clusters(self) -> None:
        if self.clustered:
            raise UndefinedMetricError(
                "bands cannot be combined with clusters, whose subjects are dependent: use intervals and tests of "
                "one metric, which support clusters"
            )

    @reports
    def difference_band(
        self, first: str, second: str, curve: str = "accumulation", *, progress: Progress = False, **options: Any
    ) -> Band:
        """Return a band of the difference of two rankers' curves; options as in :func:`hitcurve.difference_band`."""
        self._refuse_band_of_clusters()
        first, second = (_checks.named("ranker", name, self.tables) for name in (first, second))
        if first == second:
            raise ParameterError(f"a difference needs two rankers, got {first!r} twice")
        if self.source is None or not self.paired or self.tables[first].weighted:
            raise ParameterError("a difference band needs the subjects of both rankers, without weights")
        options = {"design": self.design, "confidence_level": self.confidence_level, **options}
        return difference_of(
            (self.tables[first], self.tables[second]),
            Subjects.of(self.source, [first, second]),
            (first, second),
            curve,
            BandOptions.named(options),
        )

    # ---- sensitivity

    @reports
    def sensitivity(
        self, along: str, grid: Any = None, *, confidence_level: float | None = None, progress: Progress = False
    ) -> Sensitivity:
        """Return metrics as functions of the magnification, the prevalence, the budget or the rate.

        Parameters
        ----------
        along : {"alpha", "prevalence", "budget", "rate"}
            ``alpha``: ``croc`` over the magnification. ``prevalence``: ``ap`` and precision at a share of the list over
            a prevalence that is known. ``budget``: hits, precision, recall and enrichment over the number of subjects
            screened. ``rate``: ``rauc`` and expected recall over the ends between which the fraction of the list
            screened lies with 95% probability (see :meth:`hitcurve.rates.Beta.from_time_budget`).
        grid : sequence, optional
            Numbers, or pairs of rates; that of the report if absent.
        confidence_level : float in (0, 1), optional
            That of the evaluation unless given.
        progress : bool or callable
            Show the steps, or call a function with each; see :func:`hitcurve.progress`.

        Returns
        -------
        Sensitivity
            ``to_records()`` and ``to_frame()`` give value, low and high of each ranker and grid point.

        Raises
        ------
        ParameterError
            If an argument is none of these.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> from hitcurve.datasets import mammography
        >>> ev = evaluate(tables=mammography(), metrics="ap")
        >>> for record in ev.sensitivity("prevalence", [0.01, 0.1]).to_records()[:2]:
        ...     print(record["prevalence"], *(round(record[key], 3) for key in ("value", "low", "high")))
        0.01 0.184 0.145 0.231
        0.1 0.434 0.387 0.48
        """
        _checks.choice("along", along, ALONG)
        level = self.confidence_level if confidence_level is None else confidence_level
        level = _checks.open_unit("confidence_level", level)
        points = default_grid(along, self.tables) if grid is None else checked_grid(along, grid)
        return sensitivity_of(
            self.tables,
            along,
            points,
            (level,),
            design=self.design,
            clustered=self.clustered,
            source=self.source,
        )
