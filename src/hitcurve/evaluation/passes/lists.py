"""One ranker on many lists: every number as a column over the lists, computed for all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve._progress import tell
from hitcurve._threads import in_threads
from hitcurve.adding import likeness
from hitcurve.counts import AnyArray, Array
from hitcurve.inference.estimation.estimates import Estimates
from hitcurve.inference.estimation.found_cut import rows_of_cuts
from hitcurve.inference.estimation.strict import AT_ONCE, strict_values
from hitcurve.inference.intervals.interval import RESAMPLES, ConfidenceInterval
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import AUC, Metric
from hitcurve.parts import Part
from hitcurve.ragged import Places
from hitcurve.refusals import reasons
from hitcurve.stack import TableStack
from hitcurve.table import HitTable

Texts = npt.NDArray[np.object_]
MOST_DRAWN = 200  # lists whose default intervals may draw, which takes milliseconds of each
OF_MANY = (
    f"of more than {MOST_DRAWN} lists evaluated together, default intervals of single lists are by formulas instead of "
    "random draws"
)


def with_note_of_many(notes: tuple[str, ...], metrics: Sequence[Metric], table: HitTable) -> tuple[str, ...]:
    """Add that default intervals of so many lists are by formulas, if metrics of one list may have others."""
    drawn = ("end-model", "inversion")
    for m in metrics if OF_MANY not in notes else ():
        extrapolates = type(m).extrapolates is not Metric.extrapolates
        cut = not m.default_interval and m.of_tables and m.cut_at(table.counts) is not None
        if m.of_tables and (m.default_interval in drawn or extrapolates or cut):
            return (*notes, OF_MANY)
    return notes


class Context(NamedTuple):
    """What a value is read against, on each list; nan and empty where the metric is undefined."""

    random: Array
    best: Array
    convention: Texts


@dataclass(frozen=True, eq=False)
class ListEstimates:
    """Estimates on many lists: the columns of a metric are computed when one of its numbers is asked for.

    Attributes
    ----------
    lists : RankerLists
    design : {"cohort", "case-control"}
    confidence_level : float
    """

    lists: RankerLists
    design: str
    confidence_level: float
    _found: dict[Metric, Estimates] = field(default_factory=dict, init=False, repr=False)

    def of(self, metric: Metric) -> Estimates:
        """Return the columns of a metric."""
        if metric not in self._found:
            self._found[metric] = self.lists.estimates(metric, self.design, self.confidence_level)
        return self._found[metric]


@dataclass(frozen=True, eq=False)
class Entry:
    """One metric on one of many lists: a :class:`~hitcurve.inference.estimation.known.KnownNumbers`.

    Attributes
    ----------
    columns : ListEstimates
    metric : Metric
    place : int
        Of the list.
    """

    columns: ListEstimates
    metric: Metric
    place: int

    @property
    def _context(self) -> Context:
        return self.columns.lists.context[self.metric]

    @property
    def value(self) -> float:
        """The value."""
        return float(self.columns.lists.values[self.metric][self.place])

    @property
    def standard_error(self) -> float:
        """Standard error."""
        return float(self.columns.of(self.metric).standard_error[self.place])

    @property
    def interval(self) -> ConfidenceInterval:
        """The default interval."""
        own, i = self.columns.of(self.metric), self.place
        method, seed = str(own.method[i]), own.seed[i]
        return ConfidenceInterval(float(own.low[i]), float(own.high[i]), method, RESAMPLES.get(method), seed)

    @property
    def interval_method(self) -> str:
        """The method of the interval."""
        return str(self.columns.of(self.metric).method[self.place])

    @property
    def random(self) -> float:
        """Value of the list whose subjects are all tied."""
        return float(self._context.random[self.place])

    @property
    def best(self) -> float:
        """Value of the perfect order."""
        return float(self._context.best[self.place])

    @property
    def convention(self) -> str:
        """Which of the conventions that differ between tools the value follows."""
        return str(self._context.convention[self.place])

    @property
    def tie_range(self) -> tuple[float, float]:
        """Values with every tie broken against and in favour of the positives."""
        low, high = self.columns.lists.tie_ends[self.metric]
        return float(low[self.place]), float(high[self.place])


class Swept(NamedTuple):
    """Values of every metric, and the lists that need a warning.

    Attributes
    ----------
    values : dict of Metric to array (L,)
        nan where the metric is undefined.
    areas : array (L,)
        AUC.
    undefined, cautions : dict of Metric to array of str (L,)
        Why the metric is undefined, or misleads; empty where it is neither. Metrics of which there is nothing to say
        are not in it.
    """

    values: dict[Metric, Array]
    areas: Array
    undefined: dict[Metric, Texts]
    cautions: dict[Metric, Texts]

    @property
    def is_undefined(self) -> npt.NDArray[np.bool_]:
        """Whether some metric is undefined on each list."""
        found = np.zeros(self.areas.size, bool)
        for why in self.undefined.values():
            found |= why != ""
        return found


@dataclass(frozen=True, eq=False)
class RankerLists:
    """The tables of one ranker on many lists, and what all metrics say of them.

    Attributes
    ----------
    stacks : tuple of (array of int, TableStack)
        Tables that are alike, with their places among all lists.
    metrics : tuple of Metric
    """

    stacks: tuple[tuple[Places, TableStack], ...]
    metrics: tuple[Metric, ...]

    @classmethod
    def of_tables(
        cls, tables: Sequence[HitTable], metrics: tuple[Metric, ...], prevalence: float | None
    ) -> RankerLists:
        """Put ready tables together, those apart that differ in kind."""
        alike: dict[Any, list[int]] = {}
        for place, table in enumerate(tables):
            alike.setdefault(likeness(table), []).append(place)
        stacks = []
        for places in alike.values():
            stack = TableStack.from_tables({str(place): tables[place] for place in places})
            stacks.append((np.array(places, np.intp), stack if prevalence is None else stack.at_prevalence(prevalence)))
        return cls(tuple(stacks), metrics)

    @classmethod
    def of_stack(cls, stack: TableStack, metrics: tuple[Metric, ...], prevalence: float | None) -> Self:
        """Take a stack of all lists."""
        stack = stack if prevalence is None else stack.at_prevalence(prevalence)
        return cls(((np.arange(len(stack)), stack),), metrics)

    def taken(self, lists: Places) -> RankerLists:
        """Return some of the lists, in this order."""
        ((_, stack),) = self.stacks
        return RankerLists(((np.arange(lists.size), stack.taken(lists)),), self.metrics)

    def __len__(self) -> int:
        """Return the number of lists."""
        return sum(len(stack) for _, stack in self.stacks)

    def table(self, place: int) -> HitTable:
        """Return the table of one list."""
        which, own = map(int, self._where[:, place])
        return self.stacks[which][1][own]

    def __iter__(self) -> Iterator[HitTable]:
        """Go through the tables of all lists."""
        return map(self.table, range(len(self)))

    @cached_property
    def _where(self) -> Places:
        """The stack of each list, and below it its place in that stack."""
        found = np.empty((2, len(self)), np.intp)
        for which, (places, _) in enumerate(self.stacks):
            found[0, places], found[1, places] = which, np.arange(places.size)
        return found

    def column(self, of: Callable[[TableStack], AnyArray]) -> AnyArray:
        """Return what stacks say of their lists as one column."""
        found = [(places, of(stack)) for places, stack in self.stacks]
        out = np.empty(len(self), np.result_type(*(values for _, values in found)))
        for places, values in found:
            out[places] = values
        return out

    def parts(self) -> Iterator[tuple[Places, Part]]:
        """Yield the lists in padded parts, with their places among all."""
        for places, stack in self.stacks:
            for part in stack.parts():
                yield places[part.places], part

    def _of_parts(self, do: Callable[[tuple[Places, Part]], None], what: str) -> None:
        """Do some work on every part, in threads; parts hold different lists."""

        def sized(part: tuple[Places, Part]) -> int:
            do(part)
            return part[0].size

        done = 0
        tell(what, done, len(self))
        for size in in_threads(sized, self.parts()):
            done += size
            tell(what, done, len(self))

    # ---- values

    @property
    def on_tables(self) -> tuple[Metric, ...]:
        """The metrics that are evaluated on the tables."""
        return tuple(m for m in self.metrics if m.of_tables)

    @property
    def given(self) -> dict[Metric, Array]:
        """The values of metrics that are not evaluated on the tables."""
        return {}

    def context_given(self, metric: Metric) -> Context:
        """Return the reference values of such a metric."""
        raise NotImplementedError

    def entry(self, metric: Metric, place: int, design: str, confidence_level: float) -> Entry | None:
        """Return the numbers of one metric on one list, None where they are computed from its table alone."""
        return None

    @property
    def values(self) -> dict[Metric, Array]:
        """The value of each metric on each list, nan where it is undefined."""
        return self.swept.values

    @cached_property
    def swept(self) -> Swept:
        """Values of all metrics, and the lists that need a warning."""
        size = len(self)
        values = {m: self.given[m] if m in self.given else np.full(size, np.nan) for m in self.metrics}
        undefined, cautions = ({m: np.full(size, "", object) for m in self.on_tables} for _ in range(2))
        areas = np.full(size, np.nan)

        def sweep(own: tuple[Places, Part]) -> None:
            places, c = own[0], own[1].counts
            areas[places] = AUC().value(c)
            for m in self.on_tables:
                values[m][places] = m.value(c)
                gone = np.isnan(values[m][places])
                if gone.any():
                    undefined[m][places] = reasons(m.undefined(c), c.shape)
                cautions[m][places] = np.where(gone, "", np.asarray(m.caution(c), object))

        self._of_parts(sweep, "lists")
        said = ({m: why for m, why in texts.items() if (why != "").any()} for texts in (undefined, cautions))
        return Swept(values, areas, *said)

    # ---- context

    @cached_property
    def context(self) -> dict[Metric, Context]:
        """What the values are read against."""
        size = len(self)
        out = {
            m: Context(np.full(size, np.nan), np.full(size, np.nan), np.full(size, "", object)) for m in self.on_tables
        }
        for places, part in self.parts():
            c = part.counts
            for m, found in out.items():
                defined = ~np.isnan(self.values[m][places])
                found.random[places] = np.where(defined, m.baseline(c), np.nan)
                found.best[places] = np.where(defined, m.best(c), np.nan)
                found.convention[places] = np.where(defined, m.convention(c), "")
        return {m: out[m] if m in out else self.context_given(m) for m in self.metrics}

    def estimates(
        self, metric: Metric, design: str, confidence_level: float, clustered: Clustered | None = None
    ) -> Estimates:
        """Return one metric with standard errors and default intervals.

        Parameters
        ----------
        clustered : Clustered, optional
            Variance and degrees of freedom of each list.
        """
        size = len(self)
        value, error, low, high = (np.full(size, np.nan) for _ in range(4))
        method, reason = np.full(size, "", object), np.full(size, "", object)
        seed, known = np.full(size, None, object), self.values[metric]

        def estimate(part: tuple[Places, Part]) -> None:
            places, lists = part[0], part[1].lists
            own = None if clustered is None else Clustered(*(column[places] for column in clustered))
            few = size <= MOST_DRAWN
            found = Estimates.of(
                metric,
                lists,
                design=design,
                confidence_level=confidence_level,
                clustered=own,
                may_draw=few,
                known=known[places],
            )
            value[places], error[places] = found.value, found.standard_error
            low[places], high[places] = found.low, found.high
            method[places], reason[places], seed[places] = found.method, found.reason, found.seed

        self._of_parts(estimate, f"intervals of {metric}")
        return Estimates(value, error, low, high, method, reason, seed)

    @cached_property
    def tie_ends(self) -> dict[Metric, tuple[Array, Array]]:
        """Values with every tie broken against and in favour of the positives; nan where no order decides."""
        out = {m: (np.full(len(self), np.nan), np.full(len(self), np.nan)) for m in self.metrics}
        wanted = {m: ends for m, ends in out.items() if m.divided_by is None}
        for places, stack in self.stacks:
            open_lists = np.flatnonzero(stack.whole & ((stack.tied > 0) | (stack.tied_pos > 0)))
            long = stack.n_pos[open_lists] > AT_ONCE
            for place in open_lists[long].tolist():
                at, table = places[place], stack[place]
                for m, ends in wanted.items():
                    if not np.isnan(self.values[m][at]):
                        ends[0][at], ends[1][at] = strict_values(m, table)
            open_lists = open_lists[~long]
            undecided = stack.taken(open_lists)
            for side, positives_first in enumerate((False, True)):
                for part in undecided.strict(positives_first=positives_first).parts():
                    for m, ends in wanted.items():
                        ends[side][places[open_lists[part.places]]] = m.value(part.counts)
        for m, ends in out.items():
            # where low values are good the best order gives the lower one
            ends[0][:], ends[1][:] = np.minimum(*ends), np.maximum(*ends)
            gone = np.isnan(ends[0]) | np.isnan(ends[1]) | np.isnan(self.values[m])
            for end in ends:
                end[gone] = np.nan
        return out

    @cached_property
    def cuts(self) -> dict[Metric, tuple[Array, Array]]:
        """Score and depth of the cut of each metric, nan where a list has none."""
        out = {m: (np.full(len(self), np.nan), np.full(len(self), np.nan)) for m in self.metrics}
        for places, stack in self.stacks:
            for part in stack.parts():
                at = places[part.places]
                for m in self.on_tables:
                    found = rows_of_cuts(Spread(m, part.lists, "cohort"), part.counts)
                    if found is not None:
                        defined = ~np.isnan(self.values[m][at])
                        scores = stack.scores_at(part.places, found.row)
                        for column, own in zip(out[m], (scores, found.rate), strict=True):
                            column[at] = np.where(defined, own, np.nan)
        return out
