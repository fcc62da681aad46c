"""What is checked of the metrics of users: their classes, what their kernels return, the range of their values."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, ClassVar, Protocol

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray, Counts
from hitcurve.errors import ParameterError
from hitcurve.metrics.pieces import Gradient
from hitcurve.refusals import Refusal

_ROUNDING = 1e-6  # of the ends of a range
_WORD = "[a-z_][a-z0-9_-]*"
_OF_KERNEL = frozenset(
    {
        *("kernel_gradient", "kernel_rank_weights", "gradient_from_here", "gradient_moments", "row_derivatives"),
        *("smooth_from", "bounds", "bounds_of_cohort", "leave_one_out", "of_replicates", "negatives_join"),
        *("random", "random_mean", "baseline", "best", "worst", "perfect_value", "reversed_value", "convention"),
        *(
            "cut_at",
            "is_mann_whitney",
            "adds_over_rows",
            "divided_by",
            "rank_sum",
            "default_interval",
            "label_correction",
        ),
    }
)
"""What is true of one kernel: derivatives, values of reference, and what intervals and tests rest on."""
_TWO_ROWS = Counts(np.full(2, 500), np.full(2, 500))
_FORMS = ("positional", "keyword", "flag", "at")
# of one list without draws, as inference makes them
_BY_CUTS = ("profile", "cut-limits", "best-cut")
_INTERVALS = ("tilted", "half-subject", "inversion", "region", *_BY_CUTS, "jeffreys", "log", "wald", "logit")


def check_class(kind: Any, base: Any) -> None:
    """Refuse what is no class of metrics, or one whose metrics cannot be written and read.

    Raises
    ------
    ParameterError
    """
    if not (isinstance(kind, type) and base in kind.__mro__):
        of = f": give the class, {type(kind).__name__}" if base in type(kind).__mro__ else ""
        raise ParameterError(f"register_metric takes a class that inherits from hitcurve.Metric, got {kind!r}{of}")
    called, name = kind.__name__, getattr(kind, "name", None)
    if not (isinstance(name, str) and re.fullmatch(f"{_WORD}(@{_WORD})?", name)):
        raise ParameterError(
            f"the name of {called} must be a word of small letters, digits, _ and - that begins with a letter, as in "
            f"metric strings, got {name!r}"
        )
    if getattr(kind, "kernel", None) is base.kernel:
        raise ParameterError(f"{called} has no kernel: write a method kernel(self, c) that returns one number per list")
    how = getattr(kind, "__dataclass_params__", None)
    if how is None or not (how.frozen and how.eq):
        raise ParameterError(f"{called} must be a frozen dataclass: write @dataclass(frozen=True) above the class")
    for f in dataclasses.fields(kind):
        form = f.metadata.get("form")
        if f.init and f.compare and (form not in _FORMS or (isinstance(f.default, bool) and form != "flag")):
            way = "flag()" if isinstance(f.default, bool) else "keyword(default), positional() or at()"
            raise ParameterError(f"the field {f.name} of {called} is not part of its metric string: make it with {way}")


class OfUsers(Protocol):
    """A metric of which the kernel may be that of a user; those of this package are tested instead."""

    _is_own: ClassVar[bool] = False

    def __init_subclass__(cls, **given: Any) -> None:
        """Check what the kernel and the gradient of a class outside this package return, wherever they are called."""
        super().__init_subclass__(**given)
        if not _is_elsewhere(cls):
            return
        cls._is_own = True
        if "kernel" in cls.__dict__:
            _forget_other_kernels(cls)
        for name, checked in (("kernel", _checked_kernel), ("kernel_gradient", _checked_gradient)):
            if name in cls.__dict__:
                setattr(cls, name, checked(cls.__dict__[name]))


def _is_elsewhere(kind: type[Any]) -> bool:
    """Say whether a class is none of this package."""
    return kind.__module__.partition(".")[0] != __name__.partition(".")[0]


def _forget_other_kernels(kind: Any) -> None:
    """Take back what a class inherits that is true of another kernel than its own.

    Without it, a class that changes the kernel of another metric alone would have the errors of the other. What it does
    not say anew is found by numbers. How a value depends on a cutoff is known of the other kernel: this one may jump.
    """
    *metrics, base = (one for one in kind.__mro__[1:] if OfUsers in one.__mro__[1:])

    def inherited(name: str) -> Any:
        of = next((one for one in metrics if name in vars(one)), base)
        return None if name in vars(kind) or getattr(of, "kernel", None) is base.kernel else of

    cuts = inherited("cut_at")
    for name in filter(inherited, _OF_KERNEL):
        setattr(kind, name, vars(base)[name])
    if cuts is not None and inherited("jumps") is None and "jumps" not in vars(kind):
        cut_at = vars(cuts)["cut_at"]
        kind.jumps = property(lambda self: cut_at(self, _TWO_ROWS) is not None)


def _checked_kernel(kernel: Callable[[Any, Counts], Any]) -> Callable[[Any, Counts], Any]:
    @wraps(kernel)
    def of_lists(self: Any, c: Counts) -> Any:
        return _numbers(
            self,
            "its kernel must return one number for each list (a sum or a maximum over axis=-1)",
            _on_counts("kernel", kernel, self, c),
            c.shape,
        )

    return of_lists


def _checked_gradient(gradient: Callable[[Any, Counts], Any]) -> Callable[[Any, Counts], Any]:
    @wraps(gradient)
    def derivatives(self: Any, c: Counts) -> Any:
        found = _on_counts("kernel_gradient", gradient, self, c)
        if found is None:
            return None
        if not isinstance(found, Gradient):
            raise ParameterError(f"{self}: kernel_gradient must return a Gradient or None, got {type(found).__name__}")
        of_rows = "of its gradient must be one number for each row of each list"
        return Gradient(
            _numbers(self, f"P {of_rows}", found.P, c.pos.shape),
            _numbers(self, f"Q {of_rows}", found.Q, c.pos.shape),
            _numbers(self, "pi of its gradient must be one number for each list", found.pi, c.shape),
        )

    return derivatives


def _on_counts(what: str, call: Callable[[Any, Counts], Any], metric: Any, c: Counts) -> Any:
    """Call a method of a user with counts, which it cannot change.

    Raises
    ------
    ParameterError
        If it tries to.
    """
    try:
        return call(metric, c)
    except ValueError as error:
        if not str(error).endswith("is read-only"):
            raise
        raise ParameterError(
            f"{metric}: its {what} changes counts in place, which are read-only because other metrics use them too: "
            "change a copy, as in c.P.copy()"
        ) from error


def _numbers(metric: Any, wanted: str, found: Any, shape: tuple[int, ...]) -> AnyArray:
    """Return an array of real numbers of this shape.

    Raises
    ------
    ParameterError
        If it is none.
    """
    got = type(found).__name__
    if isinstance(found, np.ma.MaskedArray):
        raise ParameterError(f"{metric}: {wanted}, got a masked array: put nan where the value is undefined")
    try:
        values = np.asarray(found)
        if values.dtype.kind == "O" and None not in values.ravel().tolist():
            values = values.astype(float)
        if values.shape == shape and values.dtype.kind in "biuf":
            return np.asarray(values, float)
        got += f" of shape {values.shape} and type {values.dtype}"
    except (TypeError, ValueError):  # no array, or none of numbers
        pass
    raise ParameterError(f"{metric}: {wanted}, here an array of shape {shape}, got {got}")


def check_default_interval(kind: Any) -> None:
    """Refuse the name of no interval, unless it is inherited; of a class a property is not read.

    Raises
    ------
    ParameterError
    """
    default = kind.default_interval
    every = (kind if isinstance(kind, type) else type(kind)).__mro__
    if isinstance(default, str) and _is_elsewhere(next(one for one in every if "default_interval" in vars(one))):
        _checks.choice(f"default_interval of {kind.name!r}", default, ("", *_INTERVALS))


def check_tilting(kind: Any, base: Any) -> None:
    """Refuse a class that declares tilting for a bounded metric and has no gradient, without which there is none.

    Raises
    ------
    ParameterError
    """
    makers = ("kernel_gradient", "row_derivatives", "gradient_from_here", "gradient_moments")
    if kind.default_interval == "tilted" and all(getattr(kind, name) is getattr(base, name) for name in makers):
        raise ParameterError(
            f"default_interval of {kind.name!r} is 'tilted', which needs a gradient: write row_derivatives(self, c), "
            "or declare 'half-subject' or 'inversion'"
        )


def range_of(metric: Any) -> tuple[float, float]:
    """Return the range that a metric declares.

    Raises
    ------
    ParameterError
        If it is no pair of numbers, the lower one first.
    """
    try:
        low, high = map(float, metric.range)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high:
        raise ParameterError(
            f"{metric}: range must be its lowest and its highest value, such as (0.0, math.inf), got {metric.range!r}"
        )
    return low, high


def in_declared_range(metric: Any, values: Any) -> Any:
    """Return values, none of them beyond the range that their metric declares.

    Raises
    ------
    ParameterError
        If one is, by more than rounding, or if it declares no range or no interval.
    """
    check_default_interval(metric)
    low, high = range_of(metric)
    beyond = (values < low - _ROUNDING * max(abs(low), 1)) | (values > high + _ROUNDING * max(abs(high), 1))
    if np.any(beyond):
        value = np.asarray(values)[beyond].flat[0].item()
        raise ParameterError(
            f"{metric} has the value {value:.6g}, beyond its range ({low:g}, {high:g}): give its class the range of "
            "its values, such as range = (0.0, math.inf)"
        )
    return values


def without_a_reason(metric: Any, c: Counts) -> Iterator[Refusal]:
    """Yield the lists on which the kernel is nan, for those of which ``why_nan`` does not say why."""
    yield Refusal(np.isnan(metric.kernel(c)), f"{metric} is undefined: its kernel returned nan")
