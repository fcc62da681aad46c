"""Evaluations of many rankings at once, one for each group, and what they say together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from hitcurve import _checks, rows
from hitcurve._progress import Progress, reports
from hitcurve.errors import (
    InsufficientDataError,
    ParameterError,
    UndefinedMetricError,
)
from hitcurve.evaluation.linear_groups import LinearGroups
from hitcurve.groups import (
    AverageCurve,
    Folds,
    GroupPower,
    across,
    average_curve,
    plan_groups,
    pooled_curve,
    residual_deviation,
    seed_of_range,
    tukey,
)
from hitcurve.groups.across import METHODS
from hitcurve.groups.average import ALONG
from hitcurve.inference import Comparison, Comparisons, compared_pairs, holm
from hitcurve.inference.pvalues import ALTERNATIVES
from hitcurve.inference.resampling.resample import generator
from hitcurve.inference.rounding import differences
from hitcurve.metrics import Metric
from hitcurve.table import HitTable


@dataclass(frozen=True, eq=False)
class GroupedEvaluation(LinearGroups):
    """Metrics of one or several rankers in each of many groups: folds, targets, queries, reviews.

    ``grouped["t1"]`` is the :class:`~hitcurve.Evaluation` of one group, ``grouped["t1", "a", "ap"]`` one of its
    estimates, ``grouped.mean("a", "ap")`` the mean over groups, ``grouped.pooled`` the evaluation of all subjects
    pooled.

    Attributes
    ----------
    groups : mapping of str to Evaluation
        In the order of their names (of their numbers, if all are numbers).
    left_out : mapping of str to str
        Groups of one class, and which class they lack.
    single_class : {"raise", "skip", "zero"}
        How groups of one class were treated.
    by : str
        What the groups are, as the name of their column.
    metrics : tuple of Metric
    warnings : tuple of HitcurveWarning
        Warnings about groups, each reason once.
    tally : Tally or None
    notes : tuple of str
    backend : str or None
    design : {"cohort", "case-control"}
    confidence_level : float
    overlap : float
        Test subjects for each training subject, if groups are folds of one data set: intervals of means and
        comparisons are then by the corrected t of Nadeau and Bengio (2003). 0 if groups are independent.
    """

    def __repr__(self) -> str:
        """Return rankers, metrics and the number of groups."""
        metrics = rows.some([str(m) for m in self.metrics])
        return f"<{type(self).__name__} of {rows.some(self.rankers)} by {metrics}: {self.counted_in_words(len(self))}>"

    def without_data(self) -> GroupedEvaluation:
        """Return the same evaluation without its data, which is smaller to store and to pickle.

        What needs the subjects of a group (see :meth:`hitcurve.Evaluation.without_data`) is computed before.
        """
        groups, pooled = self.groups.without_data(), self._pooled
        if pooled is not None:
            pooled = replace(pooled, source=None, _kept_joint=groups.joints.get(None), _joint_of_many=None)
        return replace(self, groups=groups, _pooled=pooled, _on_one_grid=None, _on_one_list=None)

    def compare(
        self,
        first: str,
        second: str,
        metric: str | Metric,
        *,
        method: str = "auto",
        null: float = 0.0,
        alternative: str = "two-sided",
        test_fraction: float | None = None,
        n_resamples: int | None = None,
        rng: Any = None,
        interval: str = "normal",
    ) -> Comparison:
        """Test the mean difference of two rankers over groups, first minus second.

        Parameters
        ----------
        first, second : str
        metric : str or Metric
        method : {"auto", "paired-t", "corrected-t", "wilcoxon", "sign-flip", "unpaired-t"}
            ``auto`` is the paired t test, and ``corrected-t`` if the groups are known as folds (``folds=`` of
            :func:`hitcurve.evaluate`, :func:`hitcurve.evaluate_cv_results`), whose training data overlap (Nadeau and
            Bengio 2003); ``sign-flip`` is exact up to 14 groups; ``wilcoxon`` ranks differences of 0 and then leaves
            them out (Pratt 1959), and tied differences have their mean rank; ``unpaired-t`` ignores the pairing of
            values within groups (Swamidass et al. 2010). Differences within the rounding of their terms are 0, or tied.
        null : float
        alternative : {"two-sided", "less", "greater"}
        test_fraction : float in (0, 1), optional
            Share of the data in each test set, for ``corrected-t``: 0.1 for ten folds, repeated or not, and 0.3 for
            random test sets of 30%. The default is the share given to the evaluation. Without one, the groups are taken
            as the parts of one data set, each tested once.
        n_resamples : int, optional
            Random sign flips.
        rng : None, int or numpy.random.Generator
            None derives a seed from the values of the groups, so that two calls return the same p value; ``seed`` of
            the result records it.
        interval : {"normal"}
            Of one list there are others (:meth:`hitcurve.Evaluation.compare`); across groups intervals are t intervals
            over groups.

        Returns
        -------
        Comparison

        Raises
        ------
        ParameterError
            If an argument is none of these.
        InsufficientDataError
            If there is one group only.
        UndefinedMetricError
            If the value over groups is no mean, as of numbers of documents and of GMAP.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(0)
        >>> y, fold = np.tile([1, 0, 0, 0], 100), np.repeat(np.arange(10), 40)
        >>> s = {"a": rng.normal(size=400) + 2 * y, "b": rng.normal(size=400) + y}
        >>> test = evaluate(y, s, folds=fold, metrics="auc").compare("a", "b", "auc")
        >>> test.n_groups, test.method, round(test.difference.value, 3), round(test.pvalue, 4)
        (10, 'corrected-t', 0.16, 0.0045)
        """
        first, second = (_checks.named("ranker", name, self.rankers) for name in (first, second))
        wanted = self._known(first, metric)
        if first == second:
            raise ParameterError(f"a comparison needs two rankers, got {first!r} twice")
        self._only_of_one_list("interval", interval, "normal")
        if not (mean := self._means[first, wanted]).is_mean:
            raise UndefinedMetricError(f"{wanted} is a {mean.kind} over {self.unit}, which no test compares")
        overlap = self._overlap(method, test_fraction)
        both = (self.values(first, wanted), self.values(second, wanted))
        there = ~np.isnan(both[0] + both[1])
        gone = int(np.sum(~there))
        note = f"{wanted} is undefined in {gone} of {there.size} {self.unit}, which are excluded"
        if gone and there.size - gone < 2:
            raise InsufficientDataError(f"{note}: a test across {self.unit} needs at least 2 {self.unit}")
        found = across(
            wanted,
            (first, second),
            (both[0][there], both[1][there]),
            method=method,
            null=null,
            alternative=alternative,
            confidence_level=self.confidence_level,
            overlap=overlap,
            n_resamples=n_resamples,
            rng=rng,
            unit=self.unit,
        )
        return replace(found, cautions=(*found.cautions, note)) if gone else found

    def _only_of_one_list(self, name: str, value: str, *own: str) -> None:
        """Refuse an option that comparisons of one list have beside those across groups."""
        if not isinstance(value, str) or value not in own:
            raise ParameterError(
                f"{name}={value!r} is for rankers of one list: comparisons across {self.unit} take {name}="
                f"{' or '.join(map(repr, own))}"
            )

    def _overlap(self, method: str, test_fraction: float | None) -> float | None:
        """Return test subjects for each training subject, None of groups that are not said to be folds."""
        _checks.choice("method", method, ("auto", *METHODS))
        if test_fraction is None and (self.overlap or method != "corrected-t"):
            return self.overlap or None
        if method not in ("auto", "corrected-t"):
            raise ParameterError(f"test_fraction is for method='corrected-t', got method={method!r}")
        return Folds(test_fraction).overlap(self.groups.sizes("n"))

    @reports
    def compare_all(
        self,
        metric: str | Metric,
        *,
        baseline: str | None = None,
        adjust: str = "holm",
        rng: Any = None,
        progress: Progress = False,
        **options: Any,
    ) -> Comparisons:
        """Compare all rankers with a baseline, or with each other, and adjust for the number of comparisons.

        Parameters
        ----------
        metric : str or Metric
        baseline : str, optional
            The ranker that all others are compared with, the second of each pair; all pairs if absent.
        adjust : {"holm", "tukey"}
            ``holm`` adjusts the p values of any method. ``tukey`` is the randomised Tukey HSD test of all pairs: values
            are exchanged at random within groups, and each difference is compared with the range of all means
            (Carterette 2012). It gives simultaneous intervals that agree with its p values.
        rng : None, int or numpy.random.Generator
        progress : bool or callable
            Show the steps, or call a function with each; see :func:`hitcurve.progress`.
        **options
            As in :meth:`compare`.

        Returns
        -------
        Comparisons
            Best first. In each of all pairs the ranker of the higher mean is first, unless ``alternative`` names a
            side or ``null`` a difference: then the order of the rankers is kept.
        """
        if len(self.rankers) < 2:
            raise ParameterError("a comparison needs two rankers")
        baseline = None if baseline is None else _checks.named("ranker", baseline, self.rankers)
        self._only_of_one_list("adjust", adjust, "holm", "tukey")
        if adjust == "tukey" and (baseline is not None or self.overlap):
            why = (
                "tests all pairs: leave baseline out"
                if baseline is not None
                else "is for independent groups, not folds"
            )
            raise ParameterError(f"adjust='tukey' {why}, or use adjust='holm'")
        generator(rng)  # refuses what is none
        side = _checks.choice("alternative", options.get("alternative", "two-sided"), ALTERNATIVES)
        values = {name: self.values(name, metric) for name in self.rankers}
        if adjust == "tukey" and rng is None:
            rng = seed_of_range(values)  # also of the pairs, so that one seed is recorded
        found = compared_pairs(
            {name: self.mean(name, metric).value for name in self.rankers},
            baseline,
            lambda a, b: self.compare(a, b, metric, rng=rng, **options),
            turned=side == "two-sided" and options.get("null", 0) == 0,
            lowest_first=self.mean(self.rankers[0], metric).metric.lower_is_better,
        )
        matrix = np.array(list(values.values()))
        matrix = matrix[:, ~np.isnan(matrix).any(axis=0)]
        if found[0].residual is not None and matrix.shape[1] > 1:
            found = [replace(test, residual=residual_deviation(matrix)) for test in found]
        if adjust == "tukey":
            return Comparisons(tuple(tukey(found, values, draws=options.get("n_resamples"), rng=rng)))
        return Comparisons(tuple(holm(found) if len(found) > 1 else found), baseline)

    def power_analysis(
        self,
        metric: str | Metric,
        effect: float,
        *,
        rankers: tuple[str, str] | None = None,
        power: float | None = None,
        n_groups: int | None = None,
        significance: float = 0.05,
    ) -> GroupPower:
        """Return how many groups the paired t test of two rankers needs, with these groups as the pilot.

        Parameters
        ----------
        metric : str or Metric
        effect : float
            True mean difference to be detected.
        rankers : (str, str), optional
            The first two if absent.
        power : float in (0, 1), optional
            The number of groups with this power is returned.
        n_groups : int, optional
            The power with this number of groups is returned.
        significance : float
            Two-sided level of the test.

        Returns
        -------
        GroupPower
            With a 95% interval, since the pilot does not know the standard deviation of the differences.

        Raises
        ------
        ParameterError
            If an argument is out of range, or the groups are folds of one data set.
        InsufficientDataError, UndefinedMetricError
            If the pilot has one group, or its differences do not vary.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(0)
        >>> y, topic = np.tile([1, 0, 0, 0], 100), np.repeat(np.arange(20), 20)
        >>> s = {"a": rng.normal(size=400) + 2 * y, "b": rng.normal(size=400) + y}
        >>> plan = evaluate(y, s, by=topic, metrics="ap").power_analysis("ap", 0.05, power=0.8)
        >>> plan.n_groups, plan.n_groups_interval
        (103, (61, 217))
        """
        if len(self.rankers) < 2:
            raise ParameterError("a pilot needs two rankers")
        if self.overlap:
            raise ParameterError("folds of one data set are no pilot of more: their number does not add data")
        first, second = _checks.pair(rankers, self.rankers)
        if not (mean := self.mean(first, metric)).is_mean:
            raise UndefinedMetricError(f"{mean.metric} is a {mean.kind} over {self.unit}, which cannot be planned")
        found = differences(self.values(first, metric), self.values(second, metric))
        return plan_groups(
            self._known(first, metric),
            (first, second),
            found[~np.isnan(found)],
            effect,
            power=power,
            n_groups=n_groups,
            significance=significance,
            unit=self.unit,
        )

    def winner(self, metric: str | Metric, **options: Any) -> NoReturn:
        """Raise ``ParameterError``: the best of all rankers needs one list; see :meth:`hitcurve.Evaluation.winner`.

        Raises
        ------
        UndefinedMetricError
        """
        raise UndefinedMetricError(
            f"a winner by {metric} is of one list of subjects: compare the means over groups with compare_all, or take "
            "the winner of one group, as in grouped['t1'].winner('ap')"
        )

    def average_curve(
        self, ranker: str, curve: str = "roc", along: str = "rate", *, confidence_level: float | None = None
    ) -> AverageCurve:
        """Return the average curve of a ranker over groups.

        Parameters
        ----------
        ranker : str
        curve : str
        along : {"rate", "vertical", "threshold", "pool"}
            See :func:`hitcurve.average_curve`; the last two need scores that are comparable between groups.
            ``threshold`` takes every score of a positive as a threshold, or 1,000 of them, evenly by rank, if there are
            more.
        confidence_level : float in (0, 1), optional
            The level of the evaluation if absent.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> grouped = evaluate([1, 0, 1, 0, 1, 1, 0, 0], [4, 3, 2, 1] * 2, by=[1] * 4 + [2] * 4, metrics="auc")
        >>> mean = grouped.average_curve("score")
        >>> mean.x.tolist(), mean.y.tolist()
        ([0.0, 0.0, 0.25, 0.5, 1.0], [0.0, 0.5, 0.75, 1.0, 1.0])
        """
        ranker = _checks.named("ranker", ranker, self.rankers)
        level = self.confidence_level if confidence_level is None else confidence_level
        _checks.choice("along", along, ALONG)
        if along == "pool" and self._on_one_list is not None:
            return pooled_curve(self._on_one_list(ranker), len(self), curve, confidence_level=level)
        one_grid = along == "threshold" and self._on_one_grid is not None
        tables = self._on_one_grid(ranker) if one_grid and self._on_one_grid else self._tables_of(ranker)
        return average_curve(tables, curve, along, confidence_level=level, overlap=self.overlap)

    def _tables_of(self, ranker: str) -> list[HitTable]:
        return list(self.groups.lists[ranker])
