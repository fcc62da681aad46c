"""What others build on: covariances of all values, influence values of the subjects, contrasts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypedDict, Unpack, overload

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.evaluation.decided import DecidedNumbers
from hitcurve.inference import Contrast, Contrasts, Covariance, DesignEffect
from hitcurve.inference.linear.contrasting import Wanted, contrast, contrasts, label_of
from hitcurve.inference.variance.covariance import Key, Part, apart, of_joint, of_table
from hitcurve.inference.variance.design_effect import design_effect
from hitcurve.inference.variance.of_subjects import influence_of_subjects
from hitcurve.metrics import Metric

Weights: TypeAlias = Mapping[Any, float]
OneOrMore: TypeAlias = str | Metric | Iterable[str | Metric]


class _Options(TypedDict, total=False):
    """What a contrast takes beside weights and metrics."""

    ranker: str | None
    null: float
    alternative: str
    confidence_level: float | None
    rng: Any


@dataclass(frozen=True, eq=False)
class LinearNumbers(DecidedNumbers):
    """Covariances, influence values and contrasts of an evaluation."""

    def covariance(self, *, metrics: OneOrMore | None = None, rankers: str | Sequence[str] | None = None) -> Covariance:
        """Return the covariances of values over samples of subjects, of all rankers and metrics at once.

        The square roots of the diagonal are the standard errors of the estimates. Values of rankers covary if they
        ranked the same subjects, and do not if the subjects differ (``paired=False``).

        Parameters
        ----------
        metrics : str, Metric or an iterable of these, optional
            Some of those that were evaluated; all if absent.
        rankers : str or sequence of str, optional
            All if absent.

        Returns
        -------
        Covariance
            ``to_frame()`` gives a labelled frame (square, or long with ``form="long"``), ``numpy.asarray`` the matrix.

        Raises
        ------
        ParameterError
            If rankers of the same subjects were given as counts, which do not say how they covary.
        UndefinedMetricError
            If a metric has no influence values.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> from hitcurve.datasets import mammography
        >>> ev = evaluate(tables=mammography(), metrics=["ap", "auc"])
        >>> print(ev.covariance(rankers="film"))
        Covariances of ap and auc of film: cohort, 335 positives, 42,410 negatives
        <BLANKLINE>
              value    s.e.        ap       auc
        ---  ------  ------  --------  --------
        ap   0.1659  0.0219  0.000480  0.000177
        auc  0.7351  0.0157  0.000177  0.000246
        """
        names = list(self.tables) if rankers is None else several("rankers", rankers, self.tables)
        keys = [(name, m) for name in names for m in self._wanted(metrics)]
        return self._covariance(keys)

    def _wanted(self, metrics: OneOrMore | None) -> list[Metric]:
        if metrics is None:
            return list(self.metrics)
        one = isinstance(metrics, str) or not isinstance(metrics, Iterable)
        asked: list[Any] = [metrics] if one else _checks.listed("metrics must be one metric or several", metrics)
        if not asked:
            raise ParameterError("metrics is empty: name at least one")
        some = next(iter(self.tables))
        return list(dict.fromkeys(self[some, one].metric for one in asked))

    def _covariance(self, keys: Sequence[Key]) -> Covariance:
        rankers = list(dict.fromkeys(name for name, _ in keys))
        if self._has_joint and (self.paired or len(rankers) == 1):
            parts, explained = of_joint(self._joint, keys, corrected=self._less_one)
        elif self.paired and len(rankers) > 1:
            raise ParameterError(
                "counts do not say how rankers of the same subjects covary: evaluate labels and scores, ask for one "
                f"ranker (rankers={rankers[0]!r}), or say that subjects differ (paired=False)"
            )
        else:
            keys = sorted(keys, key=lambda key: rankers.index(key[0]))
            parts, explained = apart(self._of_ranker(name, [m for of, m in keys if of == name]) for name in rankers)
        values = np.array([self[key].value for key in keys])
        return Covariance(tuple(keys), values, parts, explained, self.confidence_level, self._sample, self.backend)

    @property
    def _less_one(self) -> bool:
        """Whether variances of a class of n are divided by n - 1 of n."""
        return self.label_errors is not None

    @property
    def _has_joint(self) -> bool:
        held = (self.source, self._kept_joint, self._joint_of_many)
        return any(one is not None for one in held)

    def _of_ranker(self, name: str, metrics: Sequence[Metric]) -> tuple[tuple[Part, ...], Array]:
        """Return the parts of one of several samples, whose variance has one number of degrees of freedom."""
        table = self.tables[name]
        if self._has_joint:
            found = of_joint(self._joint, [(name, m) for m in metrics], corrected=self._less_one)
        else:
            found = of_table(name, metrics, table, self.design)
        if self.paired:
            return found
        whole = np.sum([part.covariance for part in found[0]], axis=0)
        return (Part(whole, float(self[name, metrics[0]].degrees_of_freedom)),), found[1]

    @property
    def _sample(self) -> str:
        several = not self.paired and len(self.tables) > 1
        clusters = ", clusters" if self.clustered else ""
        n = ", different subjects" if several else self._sizes
        return f"{self.design}{n}{clusters}"

    @property
    def _sizes(self) -> str:
        table = next(iter(self.tables.values()))
        return f", {rows.count(table.n_pos)} positives, {rows.count(table.n_neg)} negatives"

    def influence(self, ranker: str, metric: str | Metric) -> Array:
        """Return the influence of each subject on a value: the first-order change of the value due to the subject.

        The column has a value for each row of the data, in the order of the rows (of the labels, where columns were
        aligned by an index), so that it can be joined to the data: ``frame["influence"] = ev.influence("a", "ap")``.
        Values add up to 0, and their squares to the variance of the estimate, the square of ``standard_error``. With
        clusters, add the values within clusters first; the squares of these sums, times G/(G - 1) of G clusters, are
        the variance where clusters have equal shares of each class. Elsewhere the sums of a class are divided by one
        less the share of the cluster, and multiplied by 1 - 1/G, as in a jackknife by clusters. Products of two columns
        add up to a covariance. With weights each value contains the weight of its subject.

        Parameters
        ----------
        ranker : str
        metric : str or Metric
            One that was evaluated.

        Returns
        -------
        array (n,)
            nan in rows that were dropped. Of one of many groups: the rows of the group.

        Raises
        ------
        ParameterError
            If the evaluation holds no subjects (tables were given, or the data were dropped).
        UndefinedMetricError
            If the metric has no influence values, or weights are estimated verification probabilities, whose estimation
            is influenced by subjects without a label too.

        Notes
        -----
        With labels that are wrong in a known way, the standard error also has the factor n/(n - 1) of each class and
        the errors of the shares.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> y, s = [1, 1, 0, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
        >>> ev = evaluate(y, s, metrics="auc")
        >>> phi = ev.influence("score", "auc")
        >>> phi.round(3).tolist()
        [0.062, 0.062, -0.062, 0.0, 0.0, 0.0, -0.125, 0.062]
        >>> bool(np.isclose(np.sum(phi**2), ev["score", "auc"].standard_error ** 2))
        True
        """
        e = self[ranker, metric]
        if self.source is None:
            raise ParameterError(
                "influence values are of subjects, and this evaluation holds none: evaluate labels and scores, and do "
                "not drop the data"
            )
        if self.fitted:
            raise UndefinedMetricError(
                "influence values of estimated verification probabilities belong to subjects without a label too: give "
                "known probabilities, or use covariance()"
            )
        return influence_of_subjects(self.source, e.ranker, self.tables[e.ranker], e.metric, self.design)

    def design_effect(self, ranker: str, metric: str | Metric) -> DesignEffect:
        """Return by how much clusters widen the error of one value, and the correlation within them.

        Parameters
        ----------
        ranker : str
        metric : str or Metric
            One that was evaluated.

        Returns
        -------
        DesignEffect

        Raises
        ------
        ParameterError
            Without clusters.
        UndefinedMetricError
            If the value has no influence values, or does not vary.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(0)
        >>> patient, y = np.repeat(np.arange(40), 5), rng.random(200) < 0.3
        >>> s = rng.normal(size=40)[patient] + rng.normal(size=200) + 2 * y
        >>> ev = evaluate(y, s, metrics=["auc", "ap"], clusters=patient)
        >>> found = ev.design_effect("score", "auc")
        >>> round(found.effect, 3), round(found.correlation, 3), found.clusters, found.with_positive
        (1.176, 0.044, 40, 30)
        """
        e = self[ranker, metric]
        if not self.clustered:
            raise ParameterError("a design effect is of clusters: evaluate with clusters=")
        sizes = (float(e.table.n_pos), float(e.table.n_neg))
        return design_effect(self._joint, e.ranker, e.metric, sizes)

    @overload
    def contrast(
        self, weights: Weights, metric: str | Metric | None = ..., **options: Unpack[_Options]
    ) -> Contrast: ...
    @overload
    def contrast(
        self, weights: Sequence[Weights], metric: OneOrMore | None = ..., **options: Unpack[_Options]
    ) -> Contrasts: ...
    @overload
    def contrast(
        self, weights: Weights, metric: list[Any] | tuple[Any, ...], **options: Unpack[_Options]
    ) -> Contrasts: ...
    def contrast(
        self,
        weights: Any,
        metric: Any = None,
        *,
        ranker: str | None = None,
        null: float = 0.0,
        alternative: str = "two-sided",
        confidence_level: float | None = None,
        rng: Any = None,
    ) -> Contrast | Contrasts:
        """Test a linear combination of values: of rankers by a metric, of metrics of a ranker, or of both.

        Weights of a difference are 1 and -1; of one ranker against the mean of two others 1, -1/2 and -1/2; of a
        difference of differences 1, -1, -1 and 1. The difference of two rankers is the delta-method test of
        :meth:`compare`.

        Parameters
        ----------
        weights : mapping of str to float, or a sequence of these
            By ranker; by metric, if ``ranker`` is given; or by ranker and metric, as in ``{("a", "ap"): 1, ...}``.
            Several have simultaneous intervals (max-T) and a test of all together.
        metric : str, Metric or a sequence of these, optional
            What the rankers are combined by. Several are several contrasts.
        ranker : str, optional
            The ranker whose metrics are combined.
        null : float
            Value under the null hypothesis.
        alternative : {"two-sided", "less", "greater"}
        confidence_level : float in (0, 1), optional
            The level of the evaluation if absent.
        rng : None, int or numpy.random.Generator
            Of the draws of max-T; None derives a seed from the values.

        Returns
        -------
        Contrast, or Contrasts of several

        Raises
        ------
        ParameterError, ColumnNotFoundError
            If a name is unknown, all weights are 0, or counts do not say how rankers covary.
        InsufficientDataError
            If a class has one subject only.
        UndefinedMetricError
            If a metric has no influence values.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate
        >>> rng = np.random.default_rng(0)
        >>> y = np.repeat([1, 0], [50, 450])
        >>> s = {name: rng.normal(size=500) + d * y for name, d in (("a", 2.0), ("b", 1.2), ("c", 1.0))}
        >>> ev = evaluate(y, s, metrics=["ap", "auc"])
        >>> print(ev.contrast({"a": 1, "b": -0.5, "c": -0.5}, "ap"))
        Contrast of ap: a - 0.5 b - 0.5 c
          value           0.3447 (standard error 0.06404)
          95% interval    0.2176 to 0.4718
          null, against   0, two-sided
          statistic       5.383 on 97.1 degrees of freedom
          p value         5.094e-07
          sample          cohort, 50 positives, 450 negatives
        >>> round(ev.contrast({"ap": 1, "auc": -1}, ranker="a").value, 3)
        -0.213
        """
        sentence = "weights must be a mapping such as {'a': 1, 'b': -1}, or a sequence of these"
        many = [weights] if isinstance(weights, Mapping) else _checks.listed(sentence, weights)
        if metric is not None and ranker is not None:
            raise ParameterError("give metric= to combine rankers, or ranker= to combine metrics, not both")
        if not many or not all(isinstance(one, Mapping) and one for one in many):
            raise ParameterError(sentence)
        metrics = self._contrasted(metric, ranker)
        asked = [(one, m) for m in metrics for one in map(self._checked, many)]
        keyed = [({self._key(name, m, ranker): w for name, w in one.items()}, one, m) for one, m in asked]
        keys = list(dict.fromkeys(key for by_key, _, _ in keyed for key in by_key))
        covariance = self._covariance(keys)
        place = {key: i for i, key in enumerate(covariance.keys)}
        wanted = []
        for by_key, one, m in keyed:
            row = np.zeros(len(place))
            for key, weight in by_key.items():
                row[place[key]] += weight
            what = str(m) if m is not None else ranker or ""
            wanted.append(Wanted(label_of({_named(name): w for name, w in one.items()}), row, what, null))
        level = self.confidence_level if confidence_level is None else confidence_level
        if isinstance(weights, Mapping) and not isinstance(metric, (list, tuple)):
            return self._doubted(contrast(covariance, wanted[0], alternative, level), keyed[0][0])
        found = contrasts(covariance, wanted, alternative, level, "Contrasts", rng)
        doubted = (self._doubted(one, by_key) for one, (by_key, _, _) in zip(found, keyed, strict=True))
        return replace(found, contrasts=tuple(doubted))

    def _doubted(self, found: Contrast, keys: Iterable[Key]) -> Contrast:
        return replace(found, cautions=(*found.cautions, *self._cautions_of_combined(keys)))

    def _contrasted(self, metric: Any, ranker: str | None) -> list[Metric | None]:
        """Return the metrics by which rankers are combined; None where metrics are combined, or both."""
        if metric is not None:
            return list(self._wanted(metric))
        return [None] if ranker is not None or len(self.metrics) > 1 else list(self.metrics)

    @staticmethod
    def _checked(weights: Weights) -> dict[Any, float]:
        return {name: _checks.moderate_number(f"the weight of {name!r}", weight) for name, weight in weights.items()}

    def _key(self, name: Any, metric: Metric | None, ranker: str | None) -> Key:
        if isinstance(name, tuple) and len(name) == 2:
            if (metric is not None and len(self.metrics) > 1) or ranker is not None:
                raise ParameterError(
                    f"{name!r} names a ranker and a metric: leave {'metric' if ranker is None else 'ranker'} out"
                )
            e = self[name]
        elif ranker is not None:
            e = self[ranker, name]
        elif metric is None:
            raise ParameterError(
                f"{name!r} was evaluated by {len(self.metrics)} metrics: name one, as in contrast({{'a': 1, 'b': -1}}, "
                "'ap'), or give ranker= to combine metrics"
            )
        else:
            e = self[name, metric]
        return e.ranker, e.metric


def _named(name: Any) -> str:
    return "/".join(map(str, name)) if isinstance(name, tuple) else str(name)


def several(what: str, names: Any, there: Iterable[str]) -> list[str]:
    """Return the one that is named, or those, each once."""
    asked = [names] if isinstance(names, (str, int)) else _checks.listed(f"{what} must be one name or several", names)
    if not asked:
        raise ParameterError(f"{what} is empty: name at least one")
    return list(dict.fromkeys(_checks.named(what.removesuffix("s"), one, there) for one in asked))
