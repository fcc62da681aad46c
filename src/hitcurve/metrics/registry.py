"""Names -> metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any, TypeVar

from hitcurve import _checks
from hitcurve.errors import HitcurveError, MetricParseError, ParameterError
from hitcurve.grammar import read
from hitcurve.metrics import (
    at_rate,
    best_cut,
    gini,
    half_auc,
    interpolated_ap,
    log_roc,
    magnified_area,
    own,
    pr_area,
    precision,
    rank,
    rate,
    review,
    roc,
    spelling,
    topk,
    work_saved,
)
from hitcurve.metrics.area import Area
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.written import build

M = TypeVar("M", bound=type[Metric])

_METRICS: dict[str, type[Metric]] = {}
_LISTED = 20  # metric strings that one error lists
PRESETS = {
    "docking": (
        "auc",
        "croc(exp, alpha=80)",
        "bedroc(alpha=20)",
        "bedroc(alpha=80.5)",
        "ef@0.5%",
        "ef@1%",
        "ef@5%",
        "logauc",
    ),
    "screening": ("ap", "scaled_ap", "auc", "recall@1%", "recall@5%", "momentum"),
    "review": ("rauc", "wss@95%", "wss@100%", "recall@10%", "recall@20%", "ap"),
    "fraud": ("ap", "precision@100", "precision@1000", "recall@0.1%", "recall@1%", "ef@0.1%"),
}
DEFAULT = ("ap", "auc", "croc(exp, alpha=7)", "bedroc(alpha=20)", "ef@1%")


def register_metric(kind: M) -> M:
    """Register a metric class by its name, so that its metric string parses.

    Parameters
    ----------
    kind : type
        A frozen dataclass that inherits from :class:`hitcurve.Metric`.

    Returns
    -------
    type
        The same class, so that this works as a decorator.

    Raises
    ------
    ParameterError
        If the name is taken by another metric, it is no such class, or the metric string of a metric of it does not
        parse back to it.
    """
    own.check_class(kind, Metric)
    name = kind.name
    if kind._is_own:
        own.check_default_interval(kind)
        own.check_tilting(kind, Metric)
    taken = _METRICS.get(name)
    again = taken is not None and (taken.__module__, taken.__qualname__) == (kind.__module__, kind.__qualname__)
    if name in spelling.ALIASES or name in spelling.AMBIGUOUS or (taken is not None and not again):
        raise ParameterError(f"the name {name!r} is taken by another metric")
    _METRICS[name] = kind
    _cached.cache_clear()
    try:
        if kind._is_own:
            _check_is_read_back(kind)
    except ParameterError:
        del _METRICS[name]
        if taken is not None:
            _METRICS[name] = taken
        raise
    return kind


def _check_is_read_back(kind: type[Metric]) -> None:
    """Refuse a class whose metric string is read as another metric, as far as one can be made of its defaults.

    Raises
    ------
    ParameterError
    """
    if any(f.init and f.default is f.default_factory is MISSING for f in fields(kind)):  # type: ignore[arg-type]
        return
    made = kind()
    own.range_of(made)
    try:
        found: Any = _parsed(str(made))
    except HitcurveError as error:
        found = error
    if found != made:
        raise ParameterError(f"{kind.__name__}() is written {str(made)!r}, which is read as {found!r}")


def names() -> tuple[str, ...]:
    """Return the names of the metrics."""
    return tuple(_METRICS)


def metric(spec: str | Metric) -> Metric:
    """Return the metric of a metric string; a metric is returned unchanged.

    Parameters
    ----------
    spec : str or Metric
        As ``"ap"``, ``"croc(exp, alpha=7)"``, ``"ef@1%"``, ``"rauc(beta(6.23, 32.8))"``.

    Raises
    ------
    MetricParseError
        If it does not parse, with the near names.

    Examples
    --------
    >>> metric("bedroc(alpha=20)")
    BEDROC(alpha=20.0)
    >>> str(metric("enrichment_factor@1%(cut=floor)"))
    'ef@1%(cut=floor)'
    """
    if not isinstance(spec, str):
        if isinstance(spec, type) or not callable(getattr(spec, "kernel", None)):
            hint = f", perhaps {spec.__name__}()" if isinstance(spec, type) else ""
            hint = ": decode it to text" if isinstance(spec, (bytes, bytearray)) else hint
            raise ParameterError(f"a metric must be a metric string or a Metric, got {_checks.written(spec)}{hint}")
        return spec
    try:
        return _cached(spec)
    except MetricParseError as error:
        raise MetricParseError(f"cannot read metric {spec!r}: {error}") from None
    except HitcurveError as error:
        raise MetricParseError(f"metric {spec!r}: {error}") from None
    except (OverflowError, RecursionError):
        raise MetricParseError(f"metric {spec[:60]!r}: a number is too large, or the text too deep") from None


@lru_cache(maxsize=1024)
def _cached(text: str) -> Metric:
    """Return the metric of a string that was read before; forgotten when a name is registered."""
    return _parsed(text)


def _parsed(text: str) -> Metric:
    call = spelling.understood(read(text if text.strip().lower() in _METRICS else spelling.spelled(text)), _METRICS)
    if call.name not in _METRICS:
        near = _checks.did_you_mean(call.name, [*_METRICS, *spelling.ALIASES])
        raise MetricParseError(f"no metric {call.name!r}{near or '; hitcurve metrics lists them all'}")
    made: Metric = build(_METRICS[call.name], call)
    return made


def metrics(
    specs: str | Metric | Iterable[str | Metric], reader: Callable[[str | Metric], Metric] = metric
) -> tuple[Metric, ...]:
    """Return the metrics of several metric strings; one error lists all that do not parse.

    Parameters
    ----------
    specs : str, Metric, or an iterable of these
    reader : callable
        What reads one of them, if they are written otherwise.

    Raises
    ------
    MetricParseError
        Which says of each form why it does not parse, of 20 at most.
    """
    # an array without an axis has the method, and no elements
    several = (
        isinstance(specs, Iterable) and not isinstance(specs, (str, bytes, bytearray)) and getattr(specs, "ndim", 1) > 0
    )
    wanted: list[Any] = list(specs) if several else [specs]  # type: ignore[arg-type]
    found: list[Metric] = []
    errors: list[str] = []
    for spec in wanted:
        try:
            found.append(reader(spec))
        except MetricParseError as error:
            errors.append(str(error))
    if errors:
        more = [f"and {len(errors) - _LISTED:,} others cannot be read"] if len(errors) > _LISTED else []
        raise MetricParseError("; ".join([*errors[:_LISTED], *more]))
    if not found:
        raise ParameterError("no metric given")
    distinct = tuple(dict.fromkeys(found))
    forms = [str(m) for m in distinct]
    for form in forms:
        if forms.count(form) > 1:
            raise ParameterError(
                f"two different metrics have the metric string {form!r}: register their maps under names"
            )
    return distinct


def preset(name: str) -> tuple[Metric, ...]:
    """Return the usual metrics of a field.

    Parameters
    ----------
    name : {"docking", "screening", "review", "fraud"}

    Raises
    ------
    ParameterError
        If the name is not a preset.

    Examples
    --------
    >>> [str(m) for m in preset("review")]
    ['rauc(beta(6.23, 32.8))', 'wss@95%', 'wss@100%', 'recall@10%', 'recall@20%', 'ap']
    """
    return metrics(PRESETS[_checks.choice("preset", name, tuple(PRESETS))])


def examples() -> dict[str, str]:
    """Return for each name a metric string that parses."""
    shown: dict[str, Any] = {
        "pauc": "pauc(fpr, 0, 0.1)",
        "roc": "roc(50)",
        "croc": "croc(exp, alpha=7)",
        "cac": "cac(exp, alpha=7)",
        "area": "area(exp, alpha=7, along=rate)",
        "half_auc": "half_auc(specific)",
        "magnified_area": "magnified_area(x=exp(alpha=7), y=exp(alpha=3))",
        "wss": "wss@95%",
        "hits": "hits@100",
        "precision": "precision@100",
        "roc_enrichment": "roc_enrichment@1%",
        "tpr@fpr": "tpr@fpr=1%",
        "fpr@tpr": "fpr@tpr=95%",
        "sensitivity@specificity": "sensitivity@specificity=95%",
        "specificity@sensitivity": "specificity@sensitivity=95%",
        "precision@recall": "precision@recall=80%",
        "recall@precision": "recall@precision=90%",
        "net_benefit": "net_benefit@10%",
        "nwss": "nwss@95%",
        "erf": "erf@10%",
        "f1": "f1@10%",
    }
    for name, kind in _METRICS.items():
        needs_place = any(f.metadata.get("form") == "at" for f in kind.__dataclass_fields__.values())  # type: ignore[attr-defined]
        if name not in shown:
            shown[name] = f"{name}@1%" if needs_place and name not in ("dcg", "ndcg") else name
    return {name: str(metric(shown[name])) for name in _METRICS}


for _kind in (
    precision.AveragePrecision,
    precision.ScaledAP,
    precision.Momentum,
    interpolated_ap.InterpolatedAP,
    pr_area.PRArea,
    pr_area.PRGArea,
    roc.AUC,
    gini.Gini,
    roc.PartialAUC,
    roc.ROCk,
    roc.CROC,
    log_roc.LogAUC,
    log_roc.PROC,
    roc.ROCEnrichment,
    half_auc.HalfAUC,
    magnified_area.MagnifiedArea,
    rate.AUAC,
    rate.CAC,
    rate.RIE,
    rate.BEDROC,
    rate.RateWeightedAUC,
    rate.ExpectedRecall,
    rate.ExpectedNegativeRecall,
    topk.RecallAt,
    topk.HitsAt,
    topk.PrecisionAt,
    topk.EnrichmentFactor,
    topk.RelativeEnrichmentFactor,
    rank.SLR,
    rank.DCG,
    rank.NDCG,
    topk.ExtraRelevantFound,
    topk.F1At,
    work_saved.WSS,
    work_saved.NormalisedWSS,
    review.Loss,
    review.AverageTimeToDiscovery,
    at_rate.TPRAtFPR,
    at_rate.FPRAtTPR,
    at_rate.SensitivityAtSpecificity,
    at_rate.SpecificityAtSensitivity,
    at_rate.PrecisionAtRecall,
    best_cut.RecallAtPrecision,
    best_cut.MaxF1,
    best_cut.NetBenefit,
    best_cut.KolmogorovSmirnov,
    Area,
):
    register_metric(_kind)
