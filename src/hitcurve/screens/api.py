"""Thousands of markers against one outcome: what is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

import numpy as np

from hitcurve import _checks, rows
from hitcurve._callers import warn
from hitcurve._progress import Progress, reports
from hitcurve.counts import AnyArray, Counts
from hitcurve.errors import (
    HitcurveWarning,
    InputError,
    MissingValueError,
    ParameterError,
)
from hitcurve.inference import resolve
from hitcurve.inference.resampling.resample import generator, seed_of_values, seeded
from hitcurve.metrics import Metric
from hitcurve.metrics import metrics as read_metrics
from hitcurve.refusals import raise_first
from hitcurve.screens import adjusting
from hitcurve.screens.cluster_orders import ClusterOrders
from hitcurve.screens.columns import Columns, columns_of
from hitcurve.screens.engine import AUTO, HIGH, LOW
from hitcurve.screens.given import in_one_order, opened, picked, with_labels
from hitcurve.screens.numbers import LeftOut
from hitcurve.screens.orders import SharedOrders
from hitcurve.screens.passing import Found, Job, are_labels, over_all
from hitcurve.screens.quick import AUC
from hitcurve.screens.result import Screen
from hitcurve.screens.subjects import subjects_of
from hitcurve.screens.testing import against_random, by_clusters

if TYPE_CHECKING:
    from hitcurve.screens.by_group import ScreensByGroup

MISSING = ("raise", "drop", "last", "omit")
_DIRECTIONS = {"high": HIGH, "low": LOW, "auto": AUTO}


class _Options(TypedDict, total=False):
    """What :func:`screen` takes beside the data, whatever it returns."""

    metrics: str | Metric | Iterable[str | Metric]
    columns: str | Sequence[str] | None
    layer: str | None
    where: str | None
    names: Sequence[Any] | None
    direction: str | Mapping[str, str]
    adjust: str
    pos_label: Any
    missing: str
    unusable: str
    design: str | None
    prevalence: float | None
    clusters: Any
    confidence_level: float
    n_resamples: int
    orders: str
    rng: Any
    progress: Progress


@overload
def screen(X: Any, y: Any, *, by: None = ..., **options: Unpack[_Options]) -> Screen: ...


@overload
def screen(X: Any, y: Any, *, by: Any, **options: Unpack[_Options]) -> ScreensByGroup: ...


@reports
def screen(
    X: Any,
    y: Any,
    *,
    metrics: str | Metric | Iterable[str | Metric] = ("ap", "auc"),
    columns: str | Sequence[str] | None = None,
    layer: str | None = None,
    where: str | None = None,
    names: Sequence[Any] | None = None,
    direction: str | Mapping[str, str] = "high",
    adjust: str = "bh",
    pos_label: Any = None,
    missing: str = "raise",
    unusable: str = "omit",
    design: str | None = None,
    prevalence: float | None = None,
    clusters: Any = None,
    by: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    orders: str = "uniform",
    rng: Any = None,
    progress: Progress = False,
) -> Screen | ScreensByGroup:
    """Evaluate each of many markers of the same subjects as a ranking of them.

    Every marker gets values, standard errors and one-sided p values against random orders, adjusted for the number of
    markers. All columns of a block are sorted at once, in threads. Memory holds a few blocks at a time.

    Parameters
    ----------
    X : array (n, m), data frame, sparse matrix, AnnData or path
        A row for each subject and a column for each marker. Zeros of a sparse matrix are values like all others, tied;
        they cost nothing. A numpy array may be mapped from a file. A path names a file of text, Parquet or Arrow,
        whose columns are read by blocks where the format allows it, or an ``.h5ad`` file; wildcards (``"*.parquet"``)
        name several files with the same columns, one below the other.
    y : array-like (n,) or str
        Labels, or the name of their column in ``X`` (in ``obs`` of an AnnData), which is then no marker. Indexes of
        pandas put labels, clusters and groups in the order of the rows of a frame or the cells of an AnnData.
    metrics : str, Metric, or an iterable of these
        The first one orders the markers.
    columns : str or sequence of str, optional
        Markers by name, with wildcards (``"p*"``) or by a regular expression between slashes (``"/^p[0-9]+$/"``). By
        default all columns but those of labels and clusters.
    layer : str, optional
        The layer of an AnnData to use instead of its ``X``.
    where : str, optional
        An SQL condition on the columns of a file, such as ``"split = 'test'"``; other rows are left out.
    names : sequence, optional
        Names of the markers; those of the columns of a data frame, or whole numbers from 0 on unless given.
    direction : {"high", "low", "auto"} or mapping of str to these
        Whether high values or low values of a marker come first. ``auto`` takes low values first if AUC is below
        1/2, and doubles the p values for the choice. Markers that a mapping does not name have high values first.
    adjust : {"bh", "by", "holm"}
        Adjustment of the p values of each metric for the number of markers: the false discovery rate by Benjamini and
        Hochberg (independent or positively dependent markers) or Benjamini and Yekutieli (any markers), or the
        probability of one false discovery or more by Holm.
    pos_label : object, optional
        Label of the positives; needed unless it is unambiguous.
    missing : {"raise", "drop", "last", "omit"}
        What to do with subjects without a value of a marker: raise an error, evaluate the marker on all other
        subjects, rank them last (tied with values of ``-inf``, or ``inf`` where low is good), or leave the marker out.
    unusable : {"omit", "raise"}
        What to do with markers that are constant, have no values, or are not numbers: leave them out with a warning,
        or raise an error.
    design : {"cohort", "case-control"}, optional
        Whether the number of positives was sampled (a cohort, the default) or fixed.
    prevalence : float in (0, 1), optional
        A known prevalence to evaluate at; implies ``design="case-control"``.
    clusters : array-like (n,) or str, optional
        Names of clusters, or the name of their column, within which subjects depend on each other. Standard errors are
        then by cluster. P values of AUC are those of independent subjects with the distance from 1/2 divided by the
        root of the design effect (variance by cluster over that of independent subjects), with the tails of t. Those
        of other metrics count random orders of the labels: clusters of the same size change theirs as a whole, and the
        subjects of a cluster among themselves. Sizes that fewer than 10 clusters have are taken together with others.
    by : array-like (n,) or str, optional
        The group of each subject, such as its site or batch, or the name of their column: every group is screened by
        itself.
    confidence_level : float in (0, 1)
        Of the intervals.
    n_resamples : int
        Random orders for p values that have no formula, at most 10,000,000; no such p value is below
        ``1/(n_resamples + 1)``, unless the orders are weighted.
    orders : {"uniform", "weighted"}
        Whether these orders are equally probable, or have more positives at the top and are weighted for it: p values
        of the best markers are then found far below ``1/(n_resamples + 1)``. Weighted orders take more time with ties.
    rng : None, int or numpy.random.Generator
        None derives a seed from the numbers of positives and negatives.
    progress : bool or callable
        Show the steps, or call a function with each; see :func:`hitcurve.progress`.

    Returns
    -------
    Screen, or GroupScreens if there are groups
        The latter is a mapping of the names of the groups to a screen each.

    Raises
    ------
    InputError
        One of its kinds, for input that cannot be evaluated.

    Warns
    -----
    HitcurveWarning, MissingValueWarning
        For markers that are left out, for subjects without a value, and for markers whose values are the labels.
    AlignmentWarning
        If labels or clusters were put in the order of the markers by their index.

    Notes
    -----
    P values are one-sided: of random orders that are at least as good in the direction of the marker. Those of AUC are
    by its exact mean and variance over random orders with these ties, normal with a continuity correction, where the
    smaller class is expected to have more than 8 subjects outside the largest group of equal values and the skewness is
    at most 0.1. Elsewhere, and with two values, they are exact (of two values, hypergeometric), or with more ties count
    random orders as those of other metrics do: ``(b + 1)/(B + 1)``. Markers without ties share one null distribution.
    Of a marker with ties, no more orders are drawn once 100 are at least as good as the marker (Besag and Clifford
    1991). If there are no more than ``n_resamples`` orders, all are taken. Weighted orders are drawn with odds of a
    positive at rank i that fall as a power of i, of several powers; their p values are valid whatever the weights
    (Harrison 2012, Biometrika 99:57).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [30, 70])
    >>> X = rng.normal(size=(100, 500))
    >>> X[:, 7] += 1.5 * y
    >>> found = screen(X, y)
    >>> found.names[found.order()[0]]
    '7'
    """
    wanted = read_metrics(metrics)
    _checks.choice("adjust", adjust, adjusting.METHODS)
    _checks.choice("missing", missing, MISSING)
    _checks.choice("unusable", unusable, ("omit", "raise"))
    _checks.choice("orders", orders, ("uniform", "weighted"))
    if clusters is not None and orders == "weighted":
        raise ParameterError(
            "orders='weighted' (--orders weighted) is for independent subjects: leave it out, or leave out clusters"
        )
    level = _checks.level("confidence_level", confidence_level)
    draws = _checks.resamples(n_resamples)
    how = resolve(design, prevalence)
    prevalence = None if prevalence is None else float(prevalence)
    _checks.one_label(pos_label)
    given = opened(X, y, clusters, markers=columns, layer=layer, pos_label=pos_label, where=where, by=by)
    if by is not None:
        from hitcurve.screens.by_group import screen_by_group

        return screen_by_group(
            given,
            by if isinstance(by, str) else str(getattr(by, "name", None) or ""),
            markers=columns,
            names=names,
            pos_label=pos_label,
            metrics=wanted,
            direction=direction,
            adjust=adjust,
            missing=missing,
            unusable=unusable,
            design=design,
            prevalence=prevalence,
            confidence_level=level,
            n_resamples=draws,
            orders=orders,
            rng=rng,
        )
    parts = in_one_order(given.X, given.index, y=given.y, clusters=given.clusters)
    markers = picked(columns_of(parts["X"], given.names if names is None else names), columns)
    if not len(markers.names):
        raise _nothing_left(_not_numeric(markers))
    markers, of_subject, beside = with_labels(markers, parts["y"], missing, clusters=parts["clusters"])
    subjects = subjects_of(markers, of_subject, beside["clusters"], pos_label, how, prevalence, missing)
    rng, seed = seeded(rng, lambda: seed_of_values(np.array([subjects.positive.sum(), subjects.n], float)))
    own_seed = int(generator(rng).integers(1 << 63))
    n_pos, n_neg = (np.array([size]) for size in subjects.sizes)
    for metric in wanted:
        raise_first(metric.unsuited(Counts(n_pos, n_neg, prevalence)))
    directions = _directions(direction, markers.names)
    by_cluster = None if clusters is None else ClusterOrders(draws, own_seed)
    needs_orders = clusters is None and any(m != AUC for m in wanted)
    job = Job(subjects, wanted, directions, needs_orders, orders == "weighted", by_cluster)
    found = over_all(markers, job)
    left_out = _left_out(markers, found, missing, unusable)
    kept = np.array([name not in left_out for name in markers.names], bool)
    if not kept.any():
        raise _nothing_left(left_out)
    found = found.kept(kept)
    two_sided = directions[kept] == AUTO
    pvalue, methods = [], {}
    shared = SharedOrders(draws, own_seed, weighted=orders == "weighted")
    for place, metric in enumerate(wanted):
        if clusters is None:
            tested = against_random(metric, found.value[place], found, subjects, shared)
        else:
            tested = by_clusters(metric, place, found, subjects, shared)
        pvalue.append(np.where(two_sided, np.minimum(1.0, 2 * tested.pvalue), tested.pvalue))
        methods[str(metric)] = tested.methods
    few = np.minimum(found.n_pos, found.n_neg) < 2
    result = Screen(
        metrics=wanted,
        names=tuple(name for name, there in zip(markers.names, kept.tolist(), strict=True) if there),
        value=found.value,
        standard_error=np.where(few, np.nan, np.sqrt(found.variance)),
        pvalue=np.array(pvalue),
        adjusted=np.array([adjusting.adjusted(p, adjust) for p in pvalue]),
        low_first=found.low,
        chosen=two_sided,
        n_pos=found.n_pos,
        n_neg=found.n_neg,
        missing=found.missing,
        tied=found.tied,
        left_out=LeftOut(left_out),
        duplicates=_duplicates(np.array(markers.names, object)[kept], found.digest),
        adjust=adjust,
        confidence_level=level,
        test_methods=methods,
        n_resamples=draws,
        seed=seed,
        columns=markers,
        places=np.flatnonzero(kept),
        subjects=subjects,
        random_ap=found.random_ap,
    )
    for message in result.warnings:
        warn(message)
    same = np.flatnonzero(are_labels(found.digest, subjects.positive))
    if same.size:
        equal = rows.some([result.names[place] for place in same.tolist()])
        warn(HitcurveWarning(f"markers whose values are the labels: {equal}; leave them out if they are the outcome"))
    return result


def _directions(given: Any, names: Sequence[str]) -> AnyArray:
    if not isinstance(given, Mapping):
        return np.full(len(names), _DIRECTIONS[_checks.choice("direction", given, tuple(_DIRECTIONS))])
    place = {name: i for i, name in enumerate(names)}
    out = np.full(len(names), HIGH)
    for key, value in given.items():
        if str(key) not in place:
            raise ParameterError(f"direction names {key!r}, which is not a marker{_checks.did_you_mean(key, names)}")
        out[place[str(key)]] = _DIRECTIONS[_checks.choice(f"direction of {key!r}", value, tuple(_DIRECTIONS))]
    return out


def _left_out(columns: Columns, found: Found, missing: str, unusable: str) -> dict[str, str]:
    """Return the markers that cannot be used, each with the reason.

    Raises
    ------
    MissingValueError, InputError
        If the policy is to raise an error.
    """
    n = columns.rows
    reasons = {
        "without any value": found.missing == n,
        "with missing values": (found.missing > 0) & (missing == "omit"),
        "without a positive or a negative that has a value": np.minimum(found.n_pos, found.n_neg) == 0,
        "constant": found.levels <= 1,
    }
    incomplete = np.flatnonzero((found.missing > 0) & (found.missing < n))
    if missing == "raise" and incomplete.size:
        names = [columns.names[place] for place in incomplete.tolist()]
        raise MissingValueError(
            f"{_lack(incomplete.size, len(columns.names))} values ({rows.some(names)}): "
            "evaluate each on the subjects that have one with missing='drop' (--missing drop), rank those without last "
            "with missing='last', or leave these markers out with missing='omit'"
        )
    out = _not_numeric(columns)
    for reason, where in reasons.items():
        for place in np.flatnonzero(where).tolist():
            out.setdefault(columns.names[place], reason)
    if unusable == "raise" and out:
        raise InputError(f"{'; '.join(LeftOut(out).lines())}: drop these columns, or pass unusable='omit'")
    return out


def _not_numeric(columns: Columns) -> dict[str, str]:
    return {name: f"not numeric ({what})" for name, what in columns.unreadable.items()}


def _nothing_left(left_out: Mapping[str, str]) -> InputError:
    return InputError(f"no marker is left: {'; '.join(LeftOut(left_out).lines())}")


def _lack(count: int, of: int) -> str:
    return f"{count:,} of {of:,} markers {'lacks' if count == 1 else 'lack'}"


def _duplicates(names: AnyArray, digest: AnyArray) -> dict[str, str]:
    """Return the markers that are equal to an earlier one, each with it."""
    if np.unique(digest[0]).size == len(names):
        return {}
    first: dict[tuple[int, ...], int] = {}
    earlier = [first.setdefault(key, place) for place, key in enumerate(zip(*digest.tolist(), strict=True))]
    return {str(names[i]): str(names[place]) for i, place in enumerate(earlier) if place != i}
