"""The numbers of an evaluation: estimates by ranker and metric, and their rows and columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve._progress import tell
from hitcurve._threads import in_threads
from hitcurve.counts import Array
from hitcurve.errors import (
    ColumnNotFoundError,
    HitcurveWarning,
    InsufficientDataError,
    ParameterError,
    UndefinedMetricError,
)
from hitcurve.evaluation.passes.lists import MOST_DRAWN, Entry, ListEstimates, RankerLists, with_note_of_many
from hitcurve.evaluation.records import SCHEMA, columns_of, plain_record, record_of
from hitcurve.evaluation.scalars import keyed, numbers_of, reasons_of
from hitcurve.immutable import Compared
from hitcurve.inference import Estimate, Joint, cross_products
from hitcurve.inference.estimation.cautions_of_several import of_combined
from hitcurve.inference.estimation.in_slices import InSlices
from hitcurve.inference.estimation.sliced import SlicedEstimate
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.label_errors import LabelErrors
from hitcurve.metrics import Metric, metric
from hitcurve.sources import Source, Tally, to_frame
from hitcurve.table import HitTable

_LONG = 1 << 17  # rows
_MANY = 8  # rankers


@dataclass(frozen=True, eq=False)
class Numbers(Compared):
    """The evaluated rankers with all their numbers; see :class:`hitcurve.Evaluation`."""

    tables: Mapping[str, HitTable]
    metrics: tuple[Metric, ...]
    warnings: tuple[HitcurveWarning, ...] = ()
    tally: Tally | None = None
    source: Source | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    backend: str | None = field(default=None, repr=False)
    design: str = "cohort"
    confidence_level: float = 0.95
    paired: bool = True
    clustered: bool = False
    interval_method: str = "auto"
    fitted: bool = False
    _values: Mapping[tuple[str, Metric], float] = field(default_factory=dict, repr=False)
    _entries: Mapping[tuple[str, Metric], Entry] = field(default_factory=dict, repr=False, compare=False)
    _sliced: Mapping[tuple[str, Metric], InSlices] = field(default_factory=dict, repr=False)
    _in_bins: frozenset[str] = field(default=frozenset(), repr=False)
    _kept_joint: Joint | None = field(default=None, repr=False)
    _joint_of_many: Callable[[], Joint] | None = field(default=None, repr=False)
    lower_is_better: frozenset[str] = field(default=frozenset(), repr=False)
    _one_of_many: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        if self.source is not None:  # it may go, and scores at cuts are still those that were given
            lower = frozenset(name for name in self.tables if not self.source.reading.is_high_good(name))
            object.__setattr__(self, "lower_is_better", lower)
        super().__post_init__()
        if not self._may_draw:
            notes = with_note_of_many(self.notes, self.metrics, next(iter(self.tables.values())))
            object.__setattr__(self, "notes", notes)

    @property
    def label_errors(self) -> LabelErrors | None:
        """Shares of wrong labels for which metrics are corrected; None where labels are taken as they are."""
        return next(iter(self.tables.values())).label_errors

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the rankers."""
        return tuple(self.tables)

    def __getitem__(self, key: tuple[str, str | Metric]) -> Estimate:
        """Return one estimate.

        Raises
        ------
        ColumnNotFoundError
            If the ranker or the metric was not evaluated.
        """
        if not isinstance(key, tuple) or len(key) != 2:
            raise ParameterError(f"ask for a ranker and a metric, as in evaluation['a', 'ap'], got {key!r}")
        known = self._by_identity.get((key[0], id(key[1]))) if isinstance(key[0], str) else None
        if known is not None:
            return known
        name = _checks.named("ranker", key[0], self.tables)
        text = key[1]
        wanted = (isinstance(text, str) and next((m for m in self.metrics if str(m) == text), None)) or metric(text)
        if wanted not in self.metrics:
            listed = ", ".join(map(str, self.metrics))
            raise ColumnNotFoundError(f"{wanted} was not evaluated; metrics are {listed}")
        return self._estimates[name, wanted]

    @cached_property
    def _estimates(self) -> dict[tuple[str, Metric], Estimate]:
        """Every estimate once: each keeps its standard error and interval."""
        return {
            (name, m): self._estimate(name, place, m) for place, name in enumerate(self.tables) for m in self.metrics
        }

    @cached_property
    def _by_identity(self) -> dict[tuple[str, int], Estimate]:
        """The same by the metrics of this evaluation themselves, of which nothing is compared."""
        return {(name, id(m)): one for (name, m), one in self._estimates.items()}

    def _estimate(self, name: str, place: int, m: Metric) -> Estimate:
        clustered = partial(self._cluster_variance, name, m) if self.clustered else None
        known = self._entries.get((name, m)) if self._entries else None
        if known is None and self._side_by_side is not None:
            known = Entry(self._side_by_side, m, place)
        high = name not in self.lower_is_better
        if self._sliced and (name, m) in self._sliced:
            own = (self._values[name, m], self.tables[name], self.design, self.confidence_level)
            read = self._sliced[name, m]
            return SlicedEstimate(name, m, *own, _method=self.interval_method, _higher_is_better=high, _read=read)
        given = (self._values[name, m], self.tables[name], self.design, self.confidence_level)
        left = partial(self._share_left, name, m) if self.fitted else None
        return Estimate(name, m, *given, clustered, known, self.interval_method, left, high, self._may_draw)

    def ties(self, ranker: str) -> tuple[float, float]:
        """Return how many subjects of a ranker are tied across classes, and how many positives with positives."""
        ranker = _checks.named("ranker", ranker, self.tables)
        read = next((one.tied for (name, _), one in self._sliced.items() if name == ranker), None)
        return read or (self.tables[ranker].tied, self.tables[ranker].tied_pos)

    @cached_property
    def _side_by_side(self) -> ListEstimates | None:
        """The lists of the rankers, where there are so many that their numbers are worked out together."""
        if len(self.tables) < _MANY or not self._is_together:
            return None
        lists = RankerLists.of_tables(list(self.tables.values()), self.metrics, None)
        return ListEstimates(lists, self.design, self.confidence_level)

    @cached_property
    def _is_together(self) -> bool:
        """Whether numbers of many rankers are worked out together."""
        by_name = self.interval_method != "auto"
        special = bool(self._sliced) or self.clustered or self.fitted or by_name or self.label_errors is not None
        return not special and not any(map(is_long, self.tables.values()))

    @cached_property
    def _may_draw(self) -> bool:
        """Whether default intervals may draw: not those of a list that was evaluated together with very many."""
        return not (self._one_of_many or (len(self.tables) > MOST_DRAWN and self._is_together))

    def __iter__(self) -> Iterator[Estimate]:
        """Go through all estimates, ranker by ranker."""
        return iter(self._estimates.values())

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self.tables) * len(self.metrics)

    @cached_property
    def _by_metric(self) -> list[tuple[Metric, list[Estimate]]]:
        """Each metric with the estimates of all rankers."""
        return [(m, list(self.metric(m).values())) for m in self.metrics]

    def metric(self, text: str | Metric) -> dict[str, Estimate]:
        """Return one metric of all rankers."""
        return {name: self[name, text] for name in self.tables}

    def ranker(self, name: str) -> dict[str, Estimate]:
        """Return all metrics of one ranker, by metric string."""
        return {str(m): self[name, m] for m in self.metrics}

    @cached_property
    def _joint(self) -> Joint:
        if self._kept_joint is not None:
            return self._kept_joint
        if self._joint_of_many is not None:
            return self._joint_of_many()
        if self.source is None:
            raise ParameterError(
                "rankers are compared subject by subject, and this evaluation holds no subjects: evaluate the labels "
                "and scores of the subjects; counts are compared as two samples, by compare (--compare)"
            )
        return cross_products(self.source, self.tables, self.metrics, self.design)

    def _cluster_variance(self, name: str, wanted: Metric) -> Clustered:
        return self._joint.cluster_variance(name, wanted)

    def _covariance_of_decisions(self, ranker: str, thresholds: Array, other: str | None = None) -> Array | None:
        """Return covariances of net benefits at thresholds, None if they follow from counts.

        Of one ranker (2 T, 2 T), with the interventions avoided; of first minus second (T, T).
        """
        return None

    def _variance_beside(self, ranker: str, metric: Metric) -> Clustered | None:
        """Return the variance of a metric that need not be one of this evaluation, None if it follows from counts."""
        return None

    def _cautions_of_combined(self, keys: Iterable[tuple[str, Metric]]) -> list[str]:
        """Return what of the cautions of values holds for what is made of them."""
        return of_combined([self[key]._spread for key in keys])

    def _share_left(self, name: str, wanted: Metric) -> float:
        return self._joint.share_left_of(name, wanted)

    def read_ahead(self) -> None:
        """Read the sums within clusters once, before several threads need them."""
        if self.clustered or self.fitted:
            _ = self._joint

    def _work_out(self, *, errors: bool = True) -> None:
        """Compute intervals, and standard errors if they are wanted, in advance, long lists side by side."""
        long: list[Estimate] = []
        short: list[Estimate] = []
        for e in self:
            (long if is_long(e.table) else short).append(e)
        if (self.clustered or self.fitted) and long:
            _ = self._joint  # read once, not by every thread
        work, number = partial(_worked_out, errors=errors), len(self)
        tell("intervals", 0, number)
        for done, _ in enumerate(chain(in_threads(work, long), map(work, short)), 1):
            tell("intervals", done, number)

    @cached_property
    def _records(self) -> list[dict[str, Any]]:
        self._work_out()
        return [record_of(e) for e in self]

    def to_frame(self, *, wide: bool = False, backend: str | None = None) -> Any:
        """Return the numbers as a data frame.

        Parameters
        ----------
        wide : bool
            One row for each ranker and one column for each metric, instead of one row for each number with its
            context: ranker, metric, value, n, n_pos, tied, random, best, convention. Where a metric is undefined, the
            column ``reason`` says why.
        backend : {"pandas", "polars", "pyarrow"}, optional
            The package of the data that were evaluated, or the first that is installed.

        Raises
        ------
        MissingExtraError
            If none is installed.
        """
        if _checks.flag("wide", wide):
            columns: dict[str, list[Any]] = {"ranker": list(self.tables)}
            columns |= {str(m): [self[name, m].value for name in self.tables] for m in self.metrics}
            reasons = [self._why_undefined(name) for name in self.tables]
            columns |= {"reason": reasons} if any(reasons) else {}
        else:
            columns = columns_of(self._records)
        return to_frame(columns, self.backend if backend is None else backend)

    def _why_undefined(self, ranker: str) -> str:
        """Return why metrics of a ranker are undefined; empty if all have a value."""
        found = (self[ranker, m] for m in self.metrics)
        return "; ".join(f"{e.metric}: {e.reason}" for e in found if math.isnan(e.value))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain lists and dictionaries, with the version of their schema, for JSON.

        Records have the same keys whatever the data; what is undefined or not available is None.
        """
        out: dict[str, Any] = {
            "schema": SCHEMA,
            "rankers": list(self.rankers),
            "metrics": [str(m) for m in self.metrics],
            "results": [plain_record(record) for record in self._records],
            "notes": list(self.notes),
            "cautions": list(self.cautions),
            "label_errors": None if self.label_errors is None else asdict(self.label_errors),
            "warnings": [{"kind": type(w).__name__, "message": str(w)} for w in self.warnings],
        }
        if self.tally is not None:
            out["rows"] = {
                "read": self.tally.rows,
                "dropped": self.tally.dropped,
                "ranked_last": dict(self.tally.ranked_last),
            }
        return out

    def scalars(self) -> dict[str, float]:
        """Return each number under a flat name, for experiment loggers such as mlflow and Weights & Biases.

        Names are ``ranker/metric``, with ``_standard_error``, ``_low`` and ``_high`` behind, and of metrics that cut
        the list ``_cut_score`` and ``_cut_rate`` (share of the subjects above the cutoff). They are made of letters,
        digits and ``_.-/`` only: ``@`` is ``_at_``, ``%`` is ``pct``, other signs are ``_``. A number that is not
        available is left out, and :meth:`reasons` has the reason.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> from hitcurve.datasets import mammography
        >>> found = evaluate(tables=mammography(), metrics=["ap", "ef@1%"]).scalars()
        >>> [(name, round(number, 3)) for name, number in found.items()][:5]
        [('film/ap', 0.166), ('film/ap_standard_error', 0.022), ('film/ap_low', 0.124), ('film/ap_high', 0.215), \
('film/ef_at_1pct', 25.791)]
        """
        return numbers_of(keyed(self._records, "value", ("ranker", "metric")))

    def reasons(self) -> dict[str, str]:
        """Return the reasons of numbers that :meth:`scalars` leaves out, by ``ranker/metric``.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="ap").reasons()["score/ap"].partition(";")[0]
        '2 negatives are too few for an interval of ap (at least 5 of either class)'
        """
        return reasons_of(keyed(self._records, "value", ("ranker", "metric")))

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """Caveats on the reliability of the intervals."""
        rankers: dict[str, list[str]] = {}
        for e in self:
            for text in e.cautions:
                rankers.setdefault(text, []).append(e.ranker)
        return tuple(
            text if len(set(names)) == len(self.tables) else f"{', '.join(dict.fromkeys(names))}: {text}"
            for text, names in rankers.items()
        )


def is_long(table: HitTable) -> bool:
    """Say whether a list is so long that it pays to work on its metrics side by side."""
    return table.pos.size >= _LONG


def _worked_out(e: Estimate, *, errors: bool) -> None:
    _ = e.interval
    if errors:
        with suppress(InsufficientDataError, UndefinedMetricError):
            _ = e.standard_error
