"""What :func:`hitcurve.evaluate` takes, as types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, TypedDict

from hitcurve._progress import Progress
from hitcurve.metrics import Metric
from hitcurve.stack import TableStack
from hitcurve.table import HitTable

OfGroups: TypeAlias = Mapping[str, Mapping[str, HitTable]] | Mapping[str, TableStack] | TableStack


class Options(TypedDict, total=False):
    """What :func:`evaluate` takes beside the data, whatever it returns."""

    data: Any
    metrics: str | Metric | Iterable[str | Metric]
    pos_label: Any
    where: str | None
    query: str | None
    sample_weight: Any
    higher_is_better: bool | Mapping[str, bool]
    missing: str
    undefined: str
    design: str | None
    prevalence: float | tuple[float, float] | None
    contamination: float | tuple[float, float] | None
    mislabelled: float | tuple[float, float] | None
    unlabelled: bool
    verification: Any
    clusters: Any
    confidence_level: float
    paired: bool
    interval_method: str
    single_class: str
    test_fraction: float | None
    bins: int | None
    max_grid: int | None
    memory_limit: int | str | None
    progress: Progress


OF_GROUPS = (
    "interval_method is for rankers of one list: means over groups have t intervals, so leave it out (for one group "
    "ask its estimate for confidence_interval(method=...))"
)
