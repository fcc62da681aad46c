"""Gaps between subgroups of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.evaluation.linear import LinearNumbers, several
from hitcurve.metrics import Metric

if TYPE_CHECKING:
    from hitcurve.inference.linear.gap import Gap


@dataclass(frozen=True, eq=False)
class SubgroupNumbers(LinearNumbers):
    """How the rankers of an evaluation do in subgroups of the subjects."""

    def gap(
        self,
        metric: str | Metric,
        by: Any,
        *,
        ranker: str | Sequence[str] | None = None,
        cut: str | Metric | float | None = None,
        reference: Any = None,
        prevalence: float | None = None,
        confidence_level: float | None = None,
        rng: Any = None,
    ) -> Gap:
        """Return the differences of a metric between subgroups of the subjects, such as sexes, sites or devices.

        Each subgroup is ranked by itself (its own list), unless ``cut`` is given: then all subjects are one list that
        is cut at one score, and a rate above the cutoff is compared. Intervals and tests are by the delta method with
        degrees of freedom by Satterthwaite; simultaneous intervals and adjusted p values hold for all pairs together
        (max-T), and one Wald test says whether all subgroups may be equal.

        Parameters
        ----------
        metric : str or Metric
            Any metric, evaluated before or not. With ``cut`` one of ``tpr`` (or ``recall``), ``fpr``, ``precision`` and
            ``rate`` (the fraction selected) of a subgroup.
        by : str or array-like (n,)
            Column of the frame that was given as ``data``, or the subgroup of each row in the order of the labels. A
            series of pandas is put in their order by its index. Ordered categories stay in their order.
        ranker : str or (str, str), optional
            The ranker; of a pair, the difference first minus second in each subgroup. The only one if absent.
        cut : str, Metric or float, optional
            Where the whole list is cut: a metric at a rate, an FPR or a recall (``"recall@10%"``, ``"tpr@fpr=5%"``,
            ``"fpr@tpr=90%"``), whose cutoff is estimated, which the errors contain; or a score that is known.
        reference : str, optional
            The subgroup that all others are compared with; all pairs if absent.
        prevalence : float in (0, 1), optional
            One prevalence for all subgroups, at which metrics that follow it are compared; taken as known.
        confidence_level : float in (0, 1), optional
            The level of the evaluation if absent.
        rng : None, int or numpy.random.Generator
            Of the draws of max-T; None derives a seed from the values.

        Returns
        -------
        Gap
            Values, pairs, the largest difference and the test of all. Subgroups without positives, without negatives or
            with too few subjects for an error are named in ``left_out``.

        Raises
        ------
        ParameterError, InputError
            If there are no subjects, ``by`` does not suit them, or there are several rankers and none is named.
        InsufficientDataError
            If fewer than two subgroups have a value and an error.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(1)
        >>> y, sex = rng.random(500) < 0.3, rng.choice(["f", "m"], 500)
        >>> s = rng.normal(size=500) + y * np.where(sex == "f", 1.6, 0.8)
        >>> ev = evaluate(y, s, metrics="auc")
        >>> print(ev.gap("auc", by=sex))
        auc of score by subgroup
        <BLANKLINE>
        subgroup  subjects  positives   value    s.e.    95% interval
        --------  --------  ---------  ------  ------  --------------
        f              239         69  0.9117  0.0199  0.860 to 0.942
        m              261         90  0.6952  0.0336  0.624 to 0.757
        <BLANKLINE>
        difference   value    s.e.    95% interval          p
        ----------  ------  ------  --------------  ---------
        f - m       0.2165  0.0392  0.139 to 0.294  7.242e-08
        <BLANKLINE>
        all subgroups equal: F = 30.48 on 1 and 303.2 degrees of freedom, p = 7.242e-08
        >>> found = ev.gap("tpr", by=sex, cut="recall@20%")
        >>> found.metric, round(found["f", "m"].value, 3), found["f", "m"].pvalue < 1e-6
        ('true positive rate (recall) at the cutoff recall@20% of the whole list', 0.451, True)
        """
        from hitcurve.evaluation.gaps import Asked, gap_of, subjects_by

        if ranker is None and len(self.tables) > 1:
            raise ParameterError(
                f"there are {len(self.tables)} rankers: name one, as in ranker={self.rankers[0]!r}, or two whose "
                "difference is compared"
            )
        names = list(self.tables) if ranker is None else several("rankers", ranker, self.tables)
        if len(names) > 2:
            raise ParameterError(f"a gap is of one ranker, or of the difference of two, got {len(names)}")
        level = self.confidence_level if confidence_level is None else confidence_level
        level = _checks.level("confidence_level", level)
        prevalence = None if prevalence is None else _checks.prevalence(prevalence)
        block, name, order = subjects_by(self, by)
        return gap_of(self, block, name, Asked(metric, tuple(names), cut, reference, prevalence, level, rng), order)
