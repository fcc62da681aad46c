"""What an evaluation is: every number of every ranker, and how to look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hitcurve import _checks, rows
from hitcurve._progress import Progress, reports
from hitcurve.confusion import Confusion
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.evaluation import certified
from hitcurve.evaluation.confused import confusion_at
from hitcurve.evaluation.sensitivities.sensitivity import Sensitivity, sensitivity_of
from hitcurve.evaluation.sensitivities.sensitivity_grids import ALONG, checked_grid, default_grid
from hitcurve.evaluation.subgroups import SubgroupNumbers
from hitcurve.inference import (
    Band,
    BandOptions,
    CertifiedCut,
    LargestEnrichment,
    Promise,
    band_of_table,
    difference_of,
)
from hitcurve.inference.bands import redrawn
from hitcurve.inference.cutting.cuts import Wanted
from hitcurve.inference.resampling.permute import Subjects
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.label_errors import refuse_corrected


@dataclass(frozen=True, eq=False)
class Evaluation(SubgroupNumbers):
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
    interval_method : str
        Method of the intervals of values; ``auto`` is the default method of each metric.
    fitted : bool
        Whether weights were estimated, by ``verification``.
    lower_is_better : frozenset of str
        Rankers whose scores were turned round; scores at cuts are as they were given.
    """

    def __repr__(self) -> str:
        """Return rankers and metrics."""
        return f"<{type(self).__name__} of {rows.some(self.rankers)} by {rows.some([str(m) for m in self.metrics])}>"

    def without_data(self) -> Evaluation:
        """Return the same evaluation without its data, which is smaller to store and to pickle.

        What needs no subjects but their covariances (standard errors of clusters, tests by formula) is computed
        before.
        """
        needed = self.clustered or self.fitted or self._compares
        joint = self._joint if self.source is not None and needed else self._kept_joint
        return replace(self, source=None, _kept_joint=joint, _joint_of_many=None)

    # ---- bands

    @reports
    def band(self, ranker: str, curve: str = "precision_recall", *, progress: Progress = False, **options: Any) -> Band:
        """Return a confidence band of a whole curve of one ranker; options as in :func:`hitcurve.band`.

        Methods that smooth need the scores of all subjects, which a table that was counted does not keep: for these
        methods call :func:`hitcurve.band` with labels and scores. Of clustered subjects whole clusters are drawn again
        (``method="bootstrap"``, the default then and the only one).

        Raises
        ------
        ParameterError
            With clusters, if another method is named or the data were dropped; else as in :func:`hitcurve.band`.
        """
        ranker = _checks.named("ranker", ranker, self.tables)
        options = {"design": self.design, "confidence_level": self.confidence_level, **options}
        if self._is_redrawn:
            named = BandOptions.named({**options, "method": options.get("method", redrawn.METHOD)})
            draws = self._draws([ranker])
            if named.method != redrawn.METHOD:
                raise ParameterError(
                    f"method={named.method!r} is for independent subjects of equal weight: bands of {draws.of} draw "
                    f"{draws.unit} (method={redrawn.METHOD!r})"
                )
            return band_of_table(self.tables[ranker], curve, named, redrawn.recipe(draws))
        return band_of_table(self.tables[ranker], curve, BandOptions.named(options))

    @property
    def _is_redrawn(self) -> bool:
        """Whether bands are made from samples of clusters, or of other parts than single subjects."""
        return self.clustered

    def _draws(self, rankers: Sequence[str]) -> redrawn.Draws:
        """Return what is drawn again."""
        from hitcurve.inference.bands.clustered import DrawnClusters

        if self.source is None:
            raise ParameterError("a band of clusters needs the subjects, and this evaluation holds none: keep the data")
        if any(self.tables[name].weighted for name in rankers):
            raise UndefinedMetricError("bands of clusters need whole subjects and cannot be combined with weights")
        return DrawnClusters.from_source(self.source, [self.tables[name] for name in rankers], rankers)

    @reports
    def difference_band(
        self, first: str, second: str, curve: str = "accumulation", *, progress: Progress = False, **options: Any
    ) -> Band:
        """Return a band of the difference of two rankers' curves; options as in :func:`hitcurve.difference_band`."""
        first, second = (_checks.named("ranker", name, self.tables) for name in (first, second))
        if first == second:
            raise ParameterError(f"a difference needs two rankers, got {first!r} twice")
        options = {"design": self.design, "confidence_level": self.confidence_level, **options}
        pair = (self.tables[first], self.tables[second])
        if self._is_redrawn and self.paired:
            draws = self._draws([first, second])
            return redrawn.difference(draws, pair, (first, second), curve, BandOptions.named(options))
        if self.source is None or not self.paired or pair[0].weighted:
            raise ParameterError("a difference band needs the subjects of both rankers, without weights")
        return difference_of(
            pair,
            Subjects.of(self.source, [first, second]),
            (first, second),
            curve,
            BandOptions.named(options),
        )

    # ---- cuts

    def certify(
        self,
        ranker: str,
        *,
        precision: float | None = None,
        recall: float | None = None,
        fpr: float | None = None,
        confidence_level: float | None = None,
        method: str = "auto",
        misses: int | None = None,
        unlabelled: Any = None,
    ) -> CertifiedCut:
        """Return the cutoff of one ranker that meets a target on new subjects with the requested confidence.

        The cut at which a sample just keeps a target breaks it on new subjects about every second time. A certified cut
        breaks it in at most 5% of the samples (1 - ``confidence_level``), whatever the distributions of the scores. It
        is the deepest such cut for a false positive rate, the shallowest for recall, and for precision the deepest that
        ``method`` reaches. It never divides subjects of equal score.

        Parameters
        ----------
        ranker : str
        precision, recall, fpr : float in (0, 1)
            The promise, exactly one of them: precision or recall of at least so much, or a false positive rate of at
            most so much.
        confidence_level : float in (0, 1), optional
            The level of the evaluation if absent. The confidence is one-sided.
        method : {"auto", "fixed-sequence", "mixture"}
            For precision, chosen before the data are seen. ``fixed-sequence`` (``auto``) tests cut after cut from the
            top with exact binomial tests, and certifies the last one before the first test that fails: one unlucky
            start may end it early, which ``caveats`` state. ``mixture`` takes the deepest cut at which a martingale
            exceeds 1 / (1 - ``confidence_level``): shallower on average in simulations, but deeper where a sequence
            ends early. Recall and fpr need no choice: one order statistic answers.
        misses : int, optional
            Negatives that the first test of the fixed sequence allows, chosen before the data are seen: more of them
            begin deeper. By default 0 below 30 positives, 1 below 100, and 2 from there on.
        unlabelled : array-like, optional
            Scores of the rest of a finite list, whose labelled subjects are a random part of it. The promise is then
            the precision of the list above the cut, not of new subjects (hypergeometric tests of cuts at 1, 1.25,
            1.25**2, ... subjects, a test that rejects passes its level on).

        Returns
        -------
        CertifiedCut
            With the cut of the sample beside it. Where nothing can be certified, ``reason`` says why: too few labels,
            with the number needed, or which subjects a first test found.

        Raises
        ------
        ParameterError
            If there is not exactly one promise, or an argument is out of its range.
        UndefinedMetricError
            If the error would not be exact: with weights or clusters, and of a precision at a set prevalence or in a
            case-control design.

        Notes
        -----
        An evaluation of tables, or without its data, does not contain the direction of the scores. Its cuts are cuts of
        the tables, where higher scores come first; where lower was better, scores are negated.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat([1, 0], [100, 900])
        >>> ev = evaluate(y, {"a": rng.normal(size=1000) + 2 * y}, metrics="ap")
        >>> cut = ev.certify("a", precision=0.6)
        >>> cut.selected, cut.naive_selected, round(cut.threshold, 3)
        (83, 116, 1.816)
        >>> ev.certify("a", fpr=0.001).reason
        'this false positive rate needs at least 2,995 negatives, and there are 900'
        """
        promise = Promise.given(precision=precision, recall=recall, fpr=fpr)
        return certified.certify(
            self,
            _checks.named("ranker", ranker, self.tables),
            promise,
            confidence_level=self.confidence_level if confidence_level is None else confidence_level,
            method=method,
            misses=misses,
            unlabelled=unlabelled,
        )

    def confusion(
        self,
        ranker: str,
        *,
        rate: float | None = None,
        k: int | None = None,
        threshold: float | None = None,
        cut: str = "auto",
    ) -> Confusion:
        """Return the confusion matrix of one ranker at one cut.

        :meth:`HitTable.confusion` does not know the scores of negatives between two positives, unless the table is
        full. This method counts them again, so that every threshold has a matrix, also the one of a certified cut.

        Parameters
        ----------
        ranker : str
        rate : float in (0, 1], optional
            Share of the list that is selected; ``cut`` says how it becomes a whole number of subjects.
        k : int, optional
            Number of subjects selected.
        threshold : float, optional
            Select the subjects with this score or a better one.
        cut : {"auto", "ceil", "floor", "round", "fractional"}
            As in :class:`hitcurve.metrics.RecallAt`.

        Raises
        ------
        ParameterError
            Unless exactly one of the three is given, and within its range.
        UndefinedMetricError
            If the cut is beyond the list, or labels are corrected; without data, if the threshold is between two scores
            of positives.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> ev = evaluate([1, 0, 0, 1, 0], {"a": [9, 8, 7, 6, 5]}, metrics="auc")
        >>> found = ev.confusion("a", threshold=8)
        >>> found.tp, found.fp, found.fn, found.tn
        (1.0, 1.0, 1.0, 2.0)
        """
        ranker = _checks.named("ranker", ranker, self.tables)
        if threshold is None or rate is not None or k is not None:
            return self.tables[ranker].confusion(rate=rate, k=k, threshold=threshold, cut=cut)
        return confusion_at(self, ranker, threshold)

    def largest_enrichment(self, ranker: str, *, confidence_level: float | None = None) -> LargestEnrichment:
        """Return the largest enrichment of one ranker over all cuts (EFB max), with a lower confidence limit.

        Enrichment is the true over the false positive rate above a cut. The largest of a sample is far too high: with
        200 positives and 5,000 negatives a ranker without any skill has 5 on average. The limit holds for the cut that
        comes with it, over whatever distributions of the scores.

        Parameters
        ----------
        ranker : str
        confidence_level : float in (0, 1), optional
            The level of the evaluation if absent. The limit is one-sided.

        Returns
        -------
        LargestEnrichment

        Raises
        ------
        UndefinedMetricError
            With weights or clusters.

        Examples
        --------
        >>> from hitcurve import HitTable, evaluate
        >>> table = HitTable.from_counts(pos=[3, 2, 1, 3, 3, 8], neg=[0, 1, 2, 7, 50, 920])
        >>> found = evaluate(tables={"a": table}, metrics="auc").largest_enrichment("a")
        >>> found.value, round(found.limit, 2), int(found.cut.tp)
        (245.0, 21.77, 5)
        """
        ranker = _checks.named("ranker", ranker, self.tables)
        level = self.confidence_level if confidence_level is None else confidence_level
        return certified.enriched(self, ranker, confidence_level=level)

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
            screened; with weights, without hits, over a sum of weights, in their unit: the number of those that the
            subjects stand for. ``rate``: ``rauc`` and expected recall over the ends between which the fraction of the
            list screened lies with 95% probability (see :meth:`hitcurve.rates.Beta.from_time_budget`).
        grid : sequence, optional
            Numbers, or pairs of rates. The default is the grid of the HTML report.
        confidence_level : float in (0, 1), optional
            The level of the evaluation if absent.
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
        level = _checks.level("confidence_level", level)
        for table in self.tables.values():
            refuse_corrected(table.label_errors, "a sensitivity analysis")
        if self.fitted:
            raise UndefinedMetricError(
                "a sensitivity analysis has no errors for estimated verification probabilities: give known ones"
            )
        weighted = any(table.weighted for table in self.tables.values())
        points = default_grid(along, self.tables) if grid is None else checked_grid(along, grid, weighted=weighted)
        return sensitivity_of(
            self.tables,
            along,
            points,
            (level,),
            design=self.design,
            clustered=self.clustered,
            source=self.source,
            variances=self._variances_of_many,
            may_draw=self._may_draw,
        )

    @property
    def _variances_of_many(self) -> Callable[[Wanted, str], Mapping[str, Iterable[Clustered | None]]] | None:
        """Variances that neither counts nor clusters give, None if there are none."""
        return None
