"""The evaluations of many groups: their numbers as columns, and one evaluation of whichever group is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray
from hitcurve.errors import HitcurveWarning, InsufficientDataError, SingleClassError, UndefinedMetricError
from hitcurve.evaluation.group_warnings import about_undefined, warnings_of_groups
from hitcurve.evaluation.passes.lists import MOST_DRAWN, RankerLists
from hitcurve.evaluation.passes.two_passes import build_evaluation
from hitcurve.evaluation.records import present
from hitcurve.evaluation.result import Evaluation
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.immutable import ReadOnly
from hitcurve.inference import Joint, passes_of_products
from hitcurve.inference.estimation.estimates import Estimates
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.metrics import Metric
from hitcurve.metrics.remarks import about_scores, advice_of_tables
from hitcurve.ragged import Places
from hitcurve.sources import GroupSource, Source, follow_groups
from hitcurve.table import HitTable


@dataclass(frozen=True, eq=False)
class GroupViews(Mapping[str, Evaluation]):
    """The evaluation of each group, made when it is asked for; the numbers of all groups are columns.

    Attributes
    ----------
    names : tuple of str
        The groups, in order.
    lists : mapping of str to RankerLists
        The lists of each ranker, one for each group.
    metrics : tuple of Metric
    sampling : SamplingDesign
    distinct : mapping of str to array of int
        How many distinct scores each list has (3 for more than two); empty if tables were given.
    source : Source or None
        The data of all groups.
    backend : str or None
    clustered : bool
    notes : tuple of str
        Notes of each evaluation.
    unsaid : tuple of type
        Kinds of warnings that are left out.
    whole : mapping of str to HitTable
        The tables of one list of all subjects, if there is one.
    joints : mapping of str or None to Joint
        Covariances that were computed before the data were left behind; None is the one list of all.
    endless : bool
        Whether lists have no end: how many subjects they hold is not known.
    unit : {"groups", "topics"}
        What the groups are called.
    """

    names: tuple[str, ...]
    lists: Mapping[str, RankerLists]
    metrics: tuple[Metric, ...]
    sampling: SamplingDesign
    distinct: Mapping[str, Places] = field(default_factory=dict)
    source: Source | None = None
    backend: str | None = None
    clustered: bool = False
    notes: tuple[str, ...] = ()
    unsaid: tuple[type[HitcurveWarning], ...] = ()
    whole: Mapping[str, HitTable] = field(default_factory=dict)
    joints: Mapping[str | None, Joint] = field(default_factory=dict)
    endless: bool = False
    unit: str = "groups"
    lower_is_better: frozenset[str] = frozenset()
    _made: dict[str, Evaluation] = field(default_factory=dict, init=False, repr=False)
    _estimates: dict[tuple[str, Metric, float], Estimates] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.source is not None:
            lower = frozenset(name for name in self.lists if not self.source.reading.is_high_good(name))
            object.__setattr__(self, "lower_is_better", lower)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        """Go through the names of the groups."""
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        """Say whether a group was evaluated."""
        return name in self._places

    def __getitem__(self, name: str) -> Evaluation:
        """Return the evaluation of one group."""
        if name not in self._made:
            self._made[name] = self._evaluation(name)
        return self._made[name]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the rankers."""
        return tuple(self.lists)

    def _evaluation(self, name: str, undefined: str = "nan") -> Evaluation:
        place = self._places[name]
        own = self.sampling.design, self.sampling.confidence_level
        entries = {(r, m): lists.entry(m, place, *own) for r, lists in self.lists.items() for m in self.metrics}
        found = build_evaluation(
            {ranker: lists.table(place) for ranker, lists in self.lists.items()},
            self.metrics,
            undefined,
            about_scores({ranker: int(distinct[place]) for ranker, distinct in self.distinct.items()}),
            self.sampling,
            entries={key: entry for key, entry in entries.items() if entry is not None},
            source=None if self.source is None else GroupSource(self.source, name),
            backend=self.backend,
            clustered=self.clustered,
            notes=self.notes,
            advice="" if self.distinct else advice_of_tables(lists.table(place).grid for lists in self.lists.values()),
            _kept_joint=self.joints.get(name),
            lower_is_better=self.lower_is_better,
            _one_of_many=len(self) > MOST_DRAWN,
            # what varies within clusters is asked of every group: it is found for all of them in the same passes
            _joint_of_many=partial(self.joint, name) if self.clustered and self.source is not None else None,
        )
        remaining = tuple(warning for warning in found.warnings if not isinstance(warning, self.unsaid))
        return found if remaining == found.warnings else replace(found, warnings=remaining)

    def refuse_undefined(self) -> None:
        """Raise why metrics are undefined, and in which groups.

        Raises
        ------
        SingleClassError, UndefinedMetricError
        """
        somewhere = np.logical_or.reduce([lists.swept.is_undefined for lists in self.lists.values()])
        if somewhere.any():
            group = self.names[int(np.argmax(somewhere))]
            try:
                self._evaluation(group, "raise")
            except SingleClassError as error:
                raise SingleClassError(f"{self.unit.removesuffix('s')} {group!r}: {error}") from None
            except UndefinedMetricError:
                why = about_undefined(self.names, self.lists, self.unit)
                raise UndefinedMetricError(f"{why}; undefined='nan' (--undefined nan) keeps all other values") from None

    def warnings(self) -> list[HitcurveWarning]:
        """Return the warnings about groups, one for each kind, with the groups that it applies to."""
        return warnings_of_groups(self.names, self.lists, self.distinct, self.unsaid, self.unit)

    # ---- what is computed for all groups at once

    def estimates(self, ranker: str, metric: Metric, confidence_level: float | None = None) -> Estimates:
        """Return one metric of one ranker with standard errors and default intervals, for all groups.

        Intervals are of the level of the evaluation unless another is given.
        """
        level = self.sampling.confidence_level if confidence_level is None else confidence_level
        key = ranker, metric, level
        if key not in self._estimates:
            clustered = self._clustered(ranker, metric)
            self._estimates[key] = self.lists[ranker].estimates(metric, self.sampling.design, level, clustered)
        return self._estimates[key]

    def _clustered(self, ranker: str, metric: Metric) -> Clustered | None:
        """Return the variances of each group from sums within clusters, nan where they cannot be had."""
        if not self.clustered:
            return None
        columns = np.full((len(Clustered._fields), len(self)), np.nan)
        for place, name in enumerate(self.names):
            with suppress(InsufficientDataError):
                columns[:, place] = self.joint(name).cluster_variance(ranker, metric)
        return Clustered(*columns)

    def sizes(self, what: str) -> AnyArray:
        """Return ``n`` or ``n_pos`` of every list of the first ranker."""
        return next(iter(self.lists.values())).column(lambda stack: getattr(stack, what))

    @cached_property
    def columns(self) -> dict[str, AnyArray]:
        """The numbers of all groups: a row for each group, ranker and metric."""
        keys = [(ranker, m) for ranker in self.lists for m in self.metrics]

        def put(of: Callable[[str, Metric], AnyArray]) -> AnyArray:
            return np.stack([of(*key) for key in keys], axis=1).ravel()

        def of_stack(what: str) -> AnyArray:
            found = {name: lists.column(lambda stack: getattr(stack, what)) for name, lists in self.lists.items()}
            return put(lambda ranker, _: found[ranker])

        value = put(lambda ranker, m: self.lists[ranker].values[m])
        low = put(lambda ranker, m: self.estimates(ranker, m).low)
        return ReadOnly(
            present(
                {
                    "group": np.repeat(np.array(self.names, object), len(keys)),
                    "ranker": np.tile(np.array([ranker for ranker, _ in keys], object), len(self)),
                    "metric": np.tile(np.array([str(m) for _, m in keys], object), len(self)),
                    "value": value,
                    "standard_error": put(lambda ranker, m: self.estimates(ranker, m).standard_error),
                    "low": low,
                    "high": put(lambda ranker, m: self.estimates(ranker, m).high),
                    "level": np.where(np.isnan(low), np.nan, self.sampling.confidence_level),
                    "method": put(lambda ranker, m: self.estimates(ranker, m).method),
                    "design": np.where(np.isnan(value), "", np.array(self.sampling.design, object)),
                    "n": np.full(value.size, np.nan) if self.endless else of_stack("n"),
                    "n_pos": of_stack("n_pos"),
                    "tied": of_stack("tied"),
                    "random": put(lambda ranker, m: self.lists[ranker].context[m].random),
                    "best": put(lambda ranker, m: self.lists[ranker].context[m].best),
                    "convention": put(lambda ranker, m: self.lists[ranker].context[m].convention),
                    "cut_score": put(lambda ranker, m: self._scores_of_cuts(ranker, m)),
                    "cut_rate": put(lambda ranker, m: self.lists[ranker].cuts[m][1]),
                    "reason": put(lambda ranker, m: self.estimates(ranker, m).reason),
                    "worst_ties": put(lambda ranker, m: self.lists[ranker].tie_ends[m][0]),
                    "best_ties": put(lambda ranker, m: self.lists[ranker].tie_ends[m][1]),
                }
            )
        )

    def _scores_of_cuts(self, ranker: str, metric: Metric) -> AnyArray:
        """Return the scores at which a metric cuts the lists, as they were given."""
        scores = self.lists[ranker].cuts[metric][0]
        return 0.0 - scores if ranker in self.lower_is_better else scores

    def joint(self, name: str | None) -> Joint:
        """Return the covariances of one group, or of the one list of all (None); they are found for all at once."""
        return self.joints[name] if name in self.joints else self._all_joints[name]

    @cached_property
    def _all_joints(self) -> dict[str | None, Joint]:
        """The covariances of every group and of the one list of all, in the same passes."""
        if self.source is None:
            return {}
        tables: dict[str | None, Mapping[str, HitTable]] = {None: self.whole} if self.whole else {}
        tables |= {
            name: {ranker: lists.table(place) for ranker, lists in self.lists.items()}
            for place, name in enumerate(self.names)
        }
        design = self.sampling.design
        passes = {name: passes_of_products(own, self.metrics, design) for name, own in tables.items()}
        return follow_groups(self.source, passes)

    def without_data(self) -> GroupViews:
        """Return the same without the source; what needs subjects (see ``Evaluation.without_data``) is computed."""
        needed = self.source is not None and (self.clustered or (self.sampling.paired and len(self.lists) > 1))
        joints = self._all_joints if needed else self.joints
        return replace(self, source=None, joints=joints)
