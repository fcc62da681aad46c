"""Covariances of the values of several rankers and metrics over samples of subjects, as one value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.counts import Array
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.immutable import Compared
from hitcurve.inference.design import cluster_degrees, effective
from hitcurve.inference.variance.cluster_sums import ClusterSums, side_by_side
from hitcurve.inference.variance.corrected import deviations_by_share
from hitcurve.inference.variance.influence import Divided, Influence, influence
from hitcurve.inference.variance.joint import Joint, covariances, quadratic
from hitcurve.metrics import Metric
from hitcurve.sources import to_frame
from hitcurve.table import HitTable

Key = tuple[str, Metric]


class Part(NamedTuple):
    """An independent part of the covariance of K values: of positives, negatives, clusters, or groups.

    Attributes
    ----------
    covariance : array (K, K)
        As it is in the standard errors of the values.
    degrees : float
        Degrees of freedom.
    factor : float
        By which tests of contrasts multiply it: n/(n - 1) of a class of n subjects.
    """

    covariance: Array
    degrees: float
    factor: float = 1.0


@dataclass(frozen=True, eq=False)
class Covariance(Compared):
    """Covariances of the values of rankers and metrics over samples of subjects (or of groups).

    The square roots of the diagonal are the standard errors of the values. ``numpy.asarray(covariance)`` is the matrix.

    Attributes
    ----------
    keys : tuple of (str, Metric)
        Ranker and metric of each row and column.
    values : array (K,)
        The values themselves.
    parts : tuple of Part
        Independent parts that the covariance is the sum of.
    explained : array (K, d)
        What a fit of verification probabilities takes away: the outer product of its rows.
    confidence_level : float
        Of the intervals of contrasts.
    sample : str
        The sample in words.
    backend : str or None
        Package of the frames.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import evaluate
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [50, 450])
    >>> s = {"a": rng.normal(size=500) + 1.5 * y, "b": rng.normal(size=500) + y}
    >>> ev = evaluate(y, s, metrics=["auc", "ap"])
    >>> found = ev.covariance(metrics="auc")
    >>> found.matrix.shape, bool(np.isclose(found["a", "a"], ev["a", "auc"].standard_error ** 2))
    ((2, 2), True)
    >>> round(float(found.correlation[0, 1]), 3)
    0.023
    """

    keys: tuple[Key, ...]
    values: Array
    parts: tuple[Part, ...]
    explained: Array
    confidence_level: float = 0.95
    sample: str = ""
    backend: str | None = None

    @cached_property
    def matrix(self) -> Array:
        """The covariances, an array (K, K)."""
        total = np.sum([part.covariance for part in self.parts], axis=0) - self.explained @ self.explained.T
        return np.asarray((total + total.T) / 2)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the matrix."""
        return np.array(self.matrix, dtype=dtype)

    @property
    def standard_errors(self) -> Array:
        """Standard errors of the values, an array (K,)."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.matrix), 0.0)))

    @property
    def correlation(self) -> Array:
        """Correlations, an array (K, K); 0 where a value does not vary."""
        scale = np.outer(self.standard_errors, self.standard_errors)
        found = np.divide(self.matrix, scale, out=np.eye(len(self.keys)), where=scale > 0)
        return np.asarray(np.clip(found, -1.0, 1.0))

    def __getitem__(self, key: tuple[Any, Any]) -> float:
        """Return the covariance of two values, each named by its label or by its ranker and metric.

        Raises
        ------
        ColumnNotFoundError
            If a value is not one of these.
        """
        if not isinstance(key, tuple) or len(key) != 2:
            raise ParameterError(f"ask for two values, as in covariance['a', 'b'], got {key!r}; .matrix has all")
        first, second = (self.place(one) for one in key)
        return float(self.matrix[first, second])

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the values."""
        return iter(self.labels)

    def place(self, key: Any) -> int:
        """Return the row of a value.

        Raises
        ------
        ColumnNotFoundError
        """
        if isinstance(key, tuple) and len(key) == 2:
            texts = [(ranker, str(metric)) for ranker, metric in self.keys]
            wanted = (str(key[0]), str(key[1]))
            if wanted in texts:
                return texts.index(wanted)
            key = "/".join(wanted)
        return self.labels.index(_checks.named("value", key, self.labels))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Name of each value: its ranker, its metric, or ``ranker/metric`` if both differ."""
        rankers, metrics = (list(dict.fromkeys(map(str, side))) for side in zip(*self.keys, strict=True))
        if len(metrics) == 1:
            return tuple(ranker for ranker, _ in self.keys)
        if len(rankers) == 1:
            return tuple(str(metric) for _, metric in self.keys)
        return tuple(f"{ranker}/{metric}" for ranker, metric in self.keys)

    @property
    def sampled(self) -> str:
        """What the degrees of freedom count, in words."""
        if self.sample.endswith("clusters"):
            return "clusters with a positive"
        return "subjects of a class"

    def variances(self, weights: Array) -> list[float]:
        """Return the variance of a linear combination of the values by part, as tests take it."""
        found = [quadratic(weights, part.covariance) for part in self.parts]
        whole, left = sum(found), 1.0
        if self.explained.size and whole > 0:
            left = max(1.0 - float(np.sum((weights @ self.explained) ** 2)) / whole, 0.0)
        return [left * one * part.factor for one, part in zip(found, self.parts, strict=True)]

    # ---- as data

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each pair of values: both rankers and metrics, covariance and correlation."""
        found, correlation = self.matrix, self.correlation
        return [
            {
                "ranker": a[0],
                "metric": str(a[1]),
                "other_ranker": b[0],
                "other_metric": str(b[1]),
                "covariance": float(found[i, j]),
                "correlation": float(correlation[i, j]),
            }
            for i, a in enumerate(self.keys)
            for j, b in enumerate(self.keys)
        ]

    def to_frame(self, *, form: str = "square", backend: str | None = None) -> Any:
        """Return the covariances as a data frame.

        Parameters
        ----------
        form : {"square", "long"}
            ``square``: a row for each value with its ranker and metric, and a column for each value, named by its
            label. ``long``: a row for each pair of values.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The package of the data that were evaluated, or the first that is installed.

        Raises
        ------
        MissingExtraError
            If none is installed.
        """
        _checks.choice("form", form, ("square", "long"))
        backend = self.backend if backend is None else backend
        if form == "long":
            records = self.to_records()
            return to_frame({key: [record[key] for record in records] for key in records[0]}, backend)
        columns: dict[str, Any] = {"ranker": [ranker for ranker, _ in self.keys]}
        columns["metric"] = [str(metric) for _, metric in self.keys]
        taken = {*columns}
        for place, label in enumerate(self.labels):
            columns[f"{label} (covariance)" if label in taken else label] = self.matrix[:, place].tolist()
        return to_frame(columns, backend)

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = ["", "value", "s.e.", *self.labels]
        lines = zip(self.labels, self.values.tolist(), self.standard_errors.tolist(), self.matrix.tolist(), strict=True)
        return header, [
            [label, rows.number(value), rows.number(error, 3), *(rows.number(one, 3) for one in line)]
            for label, value, error, line in lines
        ]

    @property
    def _heading(self) -> str:
        rankers, metrics = (list(dict.fromkeys(map(str, side))) for side in zip(*self.keys, strict=True))
        return f"Covariances of {rows.listed(metrics)} of {rows.listed(rankers)}: {self.sample}"

    def __str__(self) -> str:
        """Return values, standard errors and the matrix."""
        return rows.visible(f"{rows.in_line(self._heading)}\n\n{rows.text_table(*self._table())}")

    def __repr__(self) -> str:
        """Return the size."""
        return rows.in_line(f"<Covariance of {len(self.keys)} values: {', '.join(self.labels[:6])}>")

    def _repr_html_(self) -> str:
        """Return the matrix for a notebook."""
        return rows.html_block([rows.html_paragraphs([self._heading]), rows.html_table(*self._table())])


def lacks_influence(ranker: str, metric: Metric) -> UndefinedMetricError:
    """Return the refusal of a value without influence values."""
    return UndefinedMetricError(
        f"{metric} of {ranker!r} has no influence values here, so its covariances are not known: leave it out"
    )


def of_joint(joint: Joint, keys: Sequence[Key], *, corrected: bool) -> tuple[tuple[Part, ...], Array]:
    """Return the parts of the covariance of some values, and what a fit of weights explains, from the subjects.

    ``corrected`` says whether labels are corrected for known errors, whose standard errors have n - 1.

    Raises
    ------
    UndefinedMetricError
        If one has no influence values.
    InsufficientDataError
        If there is one cluster only, or one only that holds positives.
    """
    for key in keys:
        if key not in joint.place:
            raise lacks_influence(*key)
    of = [joint.place[key] for key in keys]
    if joint.clustered:
        sums = joint.cluster_sums(np.eye(len(joint.keys))[of])
        found = [Part(len(sums) / (len(sums) - 1) * sums.T @ sums, joint.cluster_degrees)]
    else:
        sides = ((joint.products.pos, joint.n_pos), (joint.products.neg, joint.n_neg))
        found = [_of_class(covariances(side[np.ix_(of, of)]), n, corrected=corrected) for side, n in sides]
        if joint.degrees is not None:
            found = [Part(found[0].covariance + found[1].covariance, joint.degrees)]
    return (*found, *_of_shares(joint.by_share[of])), joint.products.explained[of]


def of_table(ranker: str, metrics: Sequence[Metric], table: HitTable, design: str) -> tuple[tuple[Part, ...], Array]:
    """Return the same for the metrics of one ranker, from its table.

    Raises
    ------
    UndefinedMetricError, InsufficientDataError
        If a metric has no influence values.
    """
    lists, sizes = table.lists.of_gaps, effective(table.sums)
    every = []
    for metric in metrics:
        try:
            every.append(influence(metric, lists.counts, design, sizes))
        except UndefinedMetricError:
            raise lacks_influence(ranker, metric) from None
    sums = lists.sums
    pos, neg = (
        np.asarray(side if squares is None else squares, float)
        for side, squares in ((sums.pos, sums.pos_squares), (sums.neg, sums.neg_squares))
    )
    of_pos, of_neg = (np.array([getattr(one, side) for one in every]) for side in ("pos", "neg"))
    found = (of_pos * pos @ of_pos.T, of_neg * neg @ of_neg.T + _divided(every, neg))
    corrected = table.label_errors is not None
    parts = [_of_class(one, float(n), corrected=corrected) for one, n in zip(found, sizes, strict=True)]
    shares = np.array([deviations_by_share(metric, lists.counts) for metric in metrics])
    return (*parts, *_of_shares(shares)), np.zeros((len(every), 0))


def _divided(every: Sequence[Influence], neg: Array) -> Array:
    """Return what rows that cuts divide add: who is above one cut is above every deeper one."""
    out = np.zeros((len(every), len(every)))
    there = {i: one.divided for i, one in enumerate(every) if one.divided is not None}
    for i, a in there.items():
        for j, b in there.items():
            out[i, j] = _of_both(a, b, neg)
    return out


def _of_both(a: Divided, b: Divided, neg: Array) -> float:
    above = np.where((a.share > 0) & (b.share > 0), np.minimum(a.share, b.share) - a.share * b.share, 0.0)
    return float(np.sum(neg * above) * a.jump[0] * b.jump[0])


def _of_class(covariance: Array, n: float, *, corrected: bool) -> Part:
    factor = n / (n - 1) if n > 1 else math.nan
    return Part(covariance * factor, n - 1) if corrected else Part(covariance, n - 1, factor)


def _of_shares(deviations: Array) -> tuple[Part, ...]:
    """Return the part of estimated shares of wrong labels."""
    return (Part(deviations @ deviations.T, math.inf),) if deviations.any() else ()


def apart(blocks: Iterable[tuple[tuple[Part, ...], Array]]) -> tuple[tuple[Part, ...], Array]:
    """Return the parts of values of different samples, of which those of different samples do not covary."""
    every = list(blocks)
    sizes = [len(explained) for _, explained in every]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    directions = np.concatenate([[0], np.cumsum([explained.shape[1] for _, explained in every])])
    together = np.zeros((int(starts[-1]), int(directions[-1])))
    out = []
    for place, (parts, explained) in enumerate(every):
        own = slice(int(starts[place]), int(starts[place + 1]))
        together[own, directions[place] : directions[place + 1]] = explained
        for part in parts:
            whole = np.zeros((int(starts[-1]), int(starts[-1])))
            whole[own, own] = part.covariance
            out.append(part._replace(covariance=whole))
    return tuple(out), together


def of_clusters(joints: Sequence[Joint], keys: Sequence[Key]) -> Part | None:
    """Return the covariance of values of different subjects some of whose clusters are the same; None if none is.

    The values of a sample are in the order of the keys, one sample after the other.

    Raises
    ------
    InsufficientDataError
        If one cluster only holds positives.
    """
    if not all(joint.clustered for joint in joints):
        return None
    width, samples = len(keys), []
    for joint in joints:
        weights = np.eye(len(joint.keys))[[joint.place[key] for key in keys]]
        sums = joint.sums_of_clusters(weights)
        positives = joint.products.clusters.sums[:, -3:-2]
        samples.append(ClusterSums(sums.names, np.hstack([sums.sums, positives])))
    found = side_by_side(samples)
    if found is None:
        return None
    each = found.sums.reshape(len(found), len(joints), width + 1)
    with_positive = int(np.count_nonzero(each[:, :, width].any(axis=1)))
    matrix = each[:, :, :width].reshape(len(found), -1)
    matrix = matrix[np.lexsort(matrix.T)]
    n = len(matrix)
    return Part(n / (n - 1) * matrix.T @ matrix, cluster_degrees(n, with_positive))


def of_groups(values: Mapping[Key, Array], overlap: float = 0.0) -> tuple[Part, ...]:
    """Return the part of the means over G groups; those of folds are correlated (Nadeau and Bengio 2003)."""
    matrix = np.array(list(values.values()))
    groups = matrix.shape[1]
    covariance = np.atleast_2d(np.cov(matrix)) * (1 / groups + overlap)
    return (Part(covariance, groups - 1.0),)
