"""Covariances of the means of an evaluation of many groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.evaluation.group_certified import GroupCuts
from hitcurve.evaluation.linear import OneOrMore, several
from hitcurve.inference import Covariance
from hitcurve.inference.variance.covariance import Key, of_groups


@dataclass(frozen=True, eq=False)
class LinearGroups(GroupCuts):
    """Covariances of means over groups."""

    def covariance(self, *, metrics: OneOrMore | None = None, rankers: str | Sequence[str] | None = None) -> Covariance:
        """Return the covariances of means over groups, over samples of groups.

        The square roots of the diagonal are the standard errors of the means; for folds they are corrected for the
        shared training data (Nadeau and Bengio 2003). For covariances within one group, take its evaluation,
        ``grouped["t1"]``.

        Parameters
        ----------
        metrics : str, Metric or an iterable of these, optional
            Some of those that were evaluated; all if absent.
        rankers : str or sequence of str, optional
            All if absent.

        Returns
        -------
        Covariance

        Raises
        ------
        UndefinedMetricError
            If a metric is undefined in a group, or its value over groups is no mean.
        InsufficientDataError
            If there is one group only.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(0)
        >>> y, topic = np.tile([1, 0, 0, 0], 100), np.repeat(np.arange(10), 40)
        >>> s = {"a": rng.normal(size=400) + 2 * y, "b": rng.normal(size=400) + y}
        >>> grouped = evaluate(y, s, by=topic, metrics="auc")
        >>> found = grouped.covariance()
        >>> bool(np.isclose(found["a", "a"], grouped.mean("a", "auc").standard_error ** 2))
        True
        """
        names = list(self.rankers) if rankers is None else several("rankers", rankers, self.rankers)
        asked = (
            self.metrics
            if metrics is None
            else [metrics]
            if isinstance(metrics, str) or not isinstance(metrics, Iterable)
            else list(metrics)
        )
        values: dict[Key, Array] = {}
        for name in names:
            for one in asked:
                mean = self.mean(name, one)
                if not mean.is_mean:
                    raise UndefinedMetricError(f"{mean.metric} is a {mean.kind} over {self.unit}, which has no error")
                found = self.values(name, one)
                if np.isnan(found).any():
                    raise UndefinedMetricError(
                        f"{mean.metric} of {name!r} is undefined in {int(np.isnan(found).sum())} of {found.size} "
                        f"{self.unit}: leave it out"
                    )
                values[name, mean.metric] = found
        if not values:
            raise ParameterError("metrics is empty: name at least one")
        groups = next(iter(values.values())).size
        if groups < 2:
            raise InsufficientDataError(f"covariances over {self.unit} need at least 2 {self.unit}, got {groups}")
        means = np.array([float(np.mean(own)) for own in values.values()])
        parts = of_groups(values, self.overlap)
        nothing = np.zeros((len(values), 0))
        level, sample = self.confidence_level, f"{groups:,} {self.unit}"
        return Covariance(tuple(values), means, parts, nothing, level, sample, self.backend)
