"""Certified cuts of the groups of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from hitcurve import _checks
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.evaluation.group_printed import PrintedGroups
from hitcurve.inference.promises.certified_cuts import CertifiedCuts


@dataclass(frozen=True, eq=False)
class GroupCuts(PrintedGroups):
    """How cuts are certified in each group."""

    def decision_curve(self, ranker: str, *_: Any, **options: Any) -> NoReturn:
        """Refuse: a decision curve is of one list; see :meth:`hitcurve.Evaluation.decision_curve`.

        Raises
        ------
        UndefinedMetricError
        """
        raise UndefinedMetricError(
            f"a decision curve is of one list of subjects: draw the curve of {ranker} in one of the {self.unit}, as in "
            "grouped['t1'].decision_curve('a')"
        )

    def largest_enrichment(self, ranker: str, **_: Any) -> NoReturn:
        """Refuse: it is of one list; see :meth:`hitcurve.Evaluation.largest_enrichment`.

        Raises
        ------
        UndefinedMetricError
        """
        raise UndefinedMetricError(
            f"the largest enrichment is of one list of subjects: ask for {ranker} in one of the {self.unit}, as in "
            "grouped['t1'].largest_enrichment('a')"
        )

    def certify(
        self,
        ranker: str,
        *,
        precision: float | None = None,
        recall: float | None = None,
        fpr: float | None = None,
        confidence_level: float | None = None,
        together: bool = False,
        method: str = "auto",
        misses: int | None = None,
    ) -> CertifiedCuts:
        """Return the cut of each group that keeps a promise on new subjects of that group, with confidence.

        Each group has a cut of its own, made of its own subjects as in :meth:`hitcurve.Evaluation.certify`.

        Parameters
        ----------
        ranker : str
        precision, recall, fpr : float in (0, 1)
            The promise, exactly one of them.
        confidence_level : float in (0, 1), optional
            That of the evaluation unless given.
        together : bool
            Whether the confidence is of all promises together: each is then made with ``level ** (1 / groups)``, as
            groups are independent. Otherwise each promise holds with the confidence level by itself, and of twenty
            such promises one is broken on average at 95%.
        method, misses
            As in :meth:`hitcurve.Evaluation.certify`.

        Returns
        -------
        CertifiedCuts

        Raises
        ------
        ParameterError
            If an argument is out of range, or the groups are folds of one data set.
        UndefinedMetricError
            As in :meth:`hitcurve.Evaluation.certify`.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(0)
        >>> y, shop = np.tile([1, 0, 0, 0], 250), np.repeat(["north", "south"], 500)
        >>> ev = evaluate(y, {"a": rng.normal(size=1000) + 2 * y}, by=shop, metrics="ap")
        >>> cuts = ev.certify("a", precision=0.6, together=True)
        >>> {group: cut.selected for group, cut in cuts.cuts.items()}
        {'north': 157, 'south': 160}
        """
        if self.overlap:
            raise ParameterError(
                "folds of one data set are scored by models of their own, so no cut of one fold is for new subjects: "
                "certify a cut of one model, on subjects it was not trained on"
            )
        ranker = _checks.named("ranker", ranker, self.rankers)
        level = self.confidence_level if confidence_level is None else confidence_level
        level = _checks.level("confidence_level", level)
        together = _checks.flag("together", together)
        each = level ** (1 / len(self.groups)) if together else level
        cuts = {
            name: own.certify(
                ranker,
                precision=precision,
                recall=recall,
                fpr=fpr,
                confidence_level=each,
                method=method,
                misses=misses,
            )
            for name, own in self.groups.items()
        }
        return CertifiedCuts(ranker, cuts, level, bool(together), self.unit)
