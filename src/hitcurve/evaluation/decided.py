"""The decision curves of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hitcurve import _checks
from hitcurve.evaluation import decisions
from hitcurve.evaluation.compared import ComparedNumbers
from hitcurve.inference import Band, DecisionCurve


@dataclass(frozen=True, eq=False)
class DecidedNumbers(ComparedNumbers):
    """Net benefit of the rankers of an evaluation for decisions."""

    def decision_curve(
        self,
        ranker: str,
        thresholds: Any = None,
        *,
        cut: str = "probability",
        coverage: str = "pointwise",
        confidence_level: float | None = None,
        rng: Any = None,
    ) -> DecisionCurve:
        """Return the net benefit of one ranker over threshold probabilities (decision curve analysis).

        Parameters
        ----------
        ranker : str
        thresholds : array-like, optional
            Threshold probabilities in (0, 1), ascending: 0.01, 0.02, ..., 0.99 if absent. At most 1,000, and 200 for a
            simultaneous band.
        cut : {"probability", "best"}
            ``probability``: the standard decision curve. Scores are probabilities of being positive, and a subject is
            selected where its score is at least the threshold. ``best``: the scores only rank, and the list is cut
            where its net benefit is largest. That cutoff is chosen on the same data, so the curve is too high on
            average and never below selecting all or none. A score that is not calibrated loses net benefit in the first
            reading and not in the second.
        coverage : {"pointwise", "simultaneous"}
            Whether the confidence level is for each threshold alone, or for all limits of the curve together.
            ``simultaneous`` needs ``cut="probability"``.
        confidence_level : float in (0, 1), optional
            The level of the evaluation if absent.
        rng : None, int or numpy.random.Generator
            For simultaneous coverage, whose critical value is drawn; None derives a seed from the counts.

        Returns
        -------
        DecisionCurve

        Raises
        ------
        ScoreError
            If the scores do not lie in [0, 1] or lower ones are better, and ``cut`` is ``probability``.
        ParameterError
            If an argument is out of range, or the evaluation holds neither subjects nor their scores.
        UndefinedMetricError
            With clusters.

        Notes
        -----
        In a case-control design, or at a prevalence that was set, the rates of each class are taken from the data and
        weighted by that prevalence. The scores are compared with the threshold as they are: they must be probabilities
        at that prevalence.

        References
        ----------
        Vickers and Elkin 2006, Med. Decis. Making 26:565.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> y = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0]
        >>> p = [0.9, 0.8, 0.7, 0.4, 0.3, 0.2, 0.2, 0.1, 0.1, 0.05]
        >>> curve = evaluate(y, {"model": p}, metrics="auc").decision_curve("model", [0.2, 0.5])
        >>> curve.net_benefit.round(3).tolist(), curve.treat_all.round(3).tolist()
        ([0.2, 0.1], [0.125, -0.4])
        >>> curve.interventions_avoided.round(3).tolist()
        [0.3, 0.5]
        """
        ranker = _checks.named("ranker", ranker, self.tables)
        level = self.confidence_level if confidence_level is None else confidence_level
        return decisions.curve_of(self, ranker, cut, decisions.How.of(thresholds, coverage, level, rng))

    def decision_difference(
        self,
        first: str,
        second: str,
        thresholds: Any = None,
        *,
        coverage: str = "pointwise",
        confidence_level: float | None = None,
        rng: Any = None,
    ) -> Band:
        """Return the difference of the net benefits of two rankers over threshold probabilities, first minus second.

        Both scores are probabilities, cut at the threshold itself. The limits depend on the subjects that only one of
        the rankers selects. To compare the best cuts of two rankings, test ``net_benefit@t`` by :meth:`compare`.

        Parameters
        ----------
        first, second : str
        thresholds, coverage, confidence_level, rng
            As in :meth:`decision_curve`.

        Returns
        -------
        Band
            Over the thresholds; ``excludes()`` has the ranges where one ranker is better.

        Raises
        ------
        ScoreError, ParameterError, UndefinedMetricError
            As in :meth:`decision_curve`.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> y = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0]
        >>> a = [0.9, 0.8, 0.7, 0.4, 0.3, 0.2, 0.2, 0.1, 0.1, 0.05]
        >>> b = [0.6, 0.2, 0.7, 0.4, 0.3, 0.2, 0.2, 0.1, 0.1, 0.5]
        >>> ev = evaluate(y, {"a": a, "b": b}, metrics="auc")
        >>> round(ev.decision_difference("a", "b", [0.45]).to_records()[0]["value"], 4)
        0.1818
        """
        first, second = (_checks.named("ranker", name, self.tables) for name in (first, second))
        level = self.confidence_level if confidence_level is None else confidence_level
        return decisions.difference_of(self, first, second, decisions.How.of(thresholds, coverage, level, rng))
