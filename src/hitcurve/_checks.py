"""One check per kind of argument; the sentence names the argument, the rule and the value."""

from __future__ import annotations

import difflib
import importlib
import math
import operator
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any

from hitcurve.errors import (
    ColumnNotFoundError,
    CountError,
    LengthMismatchError,
    MissingExtraError,
    ParameterError,
    SingleClassError,
)

LEAST_SHARE = 1e-60  # squares of its inverse are floats
NEAREST_LEVEL = 1e-15  # to 0 and to 1
_LEAST = 1e-300
_MODERATE = 1e-100, 1e100
_LONGEST = 128  # bits
_QUOTED = 60  # characters
LARGEST_COUNT = 2**62  # sums of counts stay within int64
MOST_DRAWS = 10_000_000
_HELD = 1 << 27  # numbers of all draws: 1 GB
OLDEST = {
    "adbc_driver_manager": "1.4",
    "dask": "2025.1",
    "duckdb": "2.0",
    "h5py": "3.11",
    "jinja2": "3.1",
    "matplotlib": "3.9",
    "pyarrow": "18",
    "pyspark": "3.5",
    "sklearn": "1.6.1",
    "typer": "0.26",
    "vl_convert": "1.9",
}
"""Versions that the extras ask for: pip holds to them where it installs an extra, and not where hitcurve alone."""


def positive_number(name: str, value: Any) -> float:
    """Return ``value`` as a finite float above 0."""
    number = real_number(name, value)
    if not 0 < number < math.inf:
        raise ParameterError(f"{name} must be a finite number above 0, got {written(value)}")
    if number < _LEAST:
        raise ParameterError(f"{name} must be at least {_LEAST:g}, where numbers lose no digits, got {written(value)}")
    return number


def real_number(name: str, value: Any) -> float:
    """Return ``value`` as a float that is not nan."""
    try:  # numpy before 2.4 takes an array of one number for it
        none = isinstance(value, (str, bytes, bool)) or getattr(value, "ndim", None)
        number = math.nan if none else float(value)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a number, got {written(value)}") from None
    except OverflowError:
        raise ParameterError(f"{name} must be a number of 64-bit floats, and one is beyond 10^308") from None
    if math.isnan(number):
        raise ParameterError(f"{name} must be a number, got {written(value)}{_written_in_percent(value)}")
    return number


def moderate_number(name: str, value: Any) -> float:
    """Return ``value`` as a float whose square and the square of whose inverse are floats: 0, or 1e-100 to 1e100."""
    number = real_number(name, value)
    if number and not _MODERATE[0] <= abs(number) <= _MODERATE[1]:
        raise ParameterError(
            f"{name} must be 0 or between {_MODERATE[0]:g} and {_MODERATE[1]:g} in size, got {written(value)}"
        )
    return number + 0.0  # no -0


def flag(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False."""
    if type(value).__name__ in ("bool", "bool_"):  # that of numpy, too, which is not imported for it
        return bool(value)
    raise ParameterError(f"{name} must be True or False, got {written(value)}")


def in_percent(value: Any, number: float | None = None) -> str:
    """Return ``": write 0.9 for 90%"`` for a share that may be given in percent, or an empty string."""
    number = float(value) if number is None else number
    if not 1 < number <= 100 or repr(value).endswith("%"):  # which it was, and too large
        return ""
    return f": write {number / 100:.12g} for {number:.12g}%"


def _written_in_percent(value: Any) -> str:
    try:
        return f": write {float(value.strip().removesuffix('%')) / 100:.12g}" if "%" in value else ""
    except (TypeError, ValueError, AttributeError):
        return ""


def fraction(name: str, value: Any) -> float:
    """Return ``value`` as a float in (0, 1]."""
    number = real_number(name, value)
    if not 0 < number <= 1:
        raise ParameterError(f"{name} must be a fraction in (0, 1], got {written(value)}{in_percent(value, number)}")
    return number


def open_unit(name: str, value: Any) -> float:
    """Return ``value`` as a float in (0, 1)."""
    number = real_number(name, value)
    if not 0 < number < 1:
        raise ParameterError(
            f"{name} must lie strictly between 0 and 1, got {written(value)}{in_percent(value, number)}"
        )
    return number


def level(name: str, value: Any) -> float:
    """Return a level as a float in (0, 1), not so near to an end that a quantile of its half is 0 or infinite."""
    number = open_unit(name, value)
    if not NEAREST_LEVEL <= number <= 1 - NEAREST_LEVEL:
        raise ParameterError(
            f"{name} must lie between {NEAREST_LEVEL:g} and 1 - {NEAREST_LEVEL:g}, got {written(value)}: "
            "quantiles of levels nearer to 0 or 1 have no digits"
        )
    return number


def open_share(name: str, value: Any) -> float:
    """Return ``value`` as a float in (0, 1), not so small that squares of its inverse are no floats."""
    return share_of_a_cut(name, open_unit(name, value))


def prevalence(value: Any) -> float:
    """Return a prevalence as a float in (0, 1), not so small that squares of its inverse are no floats."""
    number = open_unit("prevalence", value)
    if number < LEAST_SHARE:
        raise ParameterError(f"prevalence must be at least {LEAST_SHARE:g}, got {written(value)}")
    return number


def share_of_a_cut(name: str, value: Any) -> float:
    """Return a share as a float in (0, 1], not so small that squares of its inverse are no floats."""
    number = fraction(name, value)
    if number < LEAST_SHARE:
        raise ParameterError(f"{name} must be at least {LEAST_SHARE:g}, got {written(value)}")
    return number


def interval(name: str, lower: Any, upper: Any, *, least: float = LEAST_SHARE) -> tuple[float, float]:
    """Return ``lower, upper`` as floats with 0 <= lower < upper <= 1; ends are 0 or at least ``least``."""
    low, high = real_number(f"lower end of {name}", lower), real_number(f"upper end of {name}", upper)
    if not 0 <= low < high <= 1:
        raise ParameterError(f"{name} must be an interval inside [0, 1] with lower < upper, got {lower!r}, {upper!r}")
    if 0 < low < least or high < least:
        raise ParameterError(f"ends of {name} must be 0 or at least {least:g}, got {lower!r}, {upper!r}")
    return low, high


def whole_number(name: str, value: Any, *, least: int = 1, most: float = LARGEST_COUNT) -> int:
    """Return ``value`` as an int of at least ``least`` and at most ``most``; True and 2.5 are not whole numbers."""
    try:
        number = operator.index(value)
    except TypeError:
        number = int(value) if isinstance(value, float) and value.is_integer() else least - 1
    if isinstance(value, bool) or number < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, got {written(value)}")
    if number > most:
        raise ParameterError(f"{name} must be at most {most:,}, got {written(number)}")
    return number


def written(value: Any) -> str:
    """Return a value as a sentence quotes it, cut; a number may have more digits than Python writes."""
    return f"{value:,}" if _is_int(value) and value.bit_length() <= _LONGEST else quoted(value)


def quoted(value: Any) -> str:
    """Return a value as Python writes it, cut; one that Python does not write is said."""
    value = value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") and not value.shape else value
    if _is_int(value) and (size := value.bit_length()) > _LONGEST:
        return f"one of about {math.ceil(size * math.log10(2))} digits"
    if isinstance(value, (str, bytes)):
        return f"{value[:_QUOTED]!r}{'...' if len(value) > _QUOTED else ''}"
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of too many digits in it
        text = f"a {type(value).__name__} that cannot be written"
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED - 3]}..."


def plain(value: Any) -> str:
    """Return a value as text, also a number of more digits than Python writes."""
    try:
        return str(value)
    except ValueError:
        return quoted(value)


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def resamples(value: Any, *, least: int = 1, numbers: int = 1, name: str = "n_resamples") -> int:
    """Return a number of random draws, of at least ``least``.

    Parameters
    ----------
    numbers : int
        How many numbers of each draw are held until all are drawn.

    Raises
    ------
    ParameterError
        If it is no such number, above 10,000,000, or the draws would take more than 1 GB.
    """
    number = whole_number(name, value, least=least, most=MOST_DRAWS)
    if number * numbers > _HELD:
        raise ParameterError(
            f"{name} must be at most {max(_HELD // numbers, 1):,} here, where {numbers:,} numbers of each draw are "
            f"held, got {number:,}"
        )
    return number


def one_label(value: Any) -> None:
    """Refuse what cannot be one label: a missing value, a list."""
    is_label = False
    with suppress(TypeError):
        is_label = value is None or (hash(value) is not None and bool(value == value))
    if not is_label:
        raise ParameterError(f"pos_label must be one label, got {quoted(value)}")


def choice(name: str, value: Any, options: Sequence[str]) -> str:
    """Return ``value`` if it is one of ``options``."""
    if not isinstance(value, str) or value not in options:
        listed = ", ".join(map(repr, options))
        raise ParameterError(f"{name} must be one of {listed}, got {written(value)}{did_you_mean(value, options)}")
    return str(value)


def did_you_mean(word: Any, options: Iterable[Any]) -> str:
    """Return ``"; did you mean 'x'?"`` for the options near ``word``, or an empty string."""
    lowered = {str(option).lower(): option for option in options}
    given = plain(word).lower()
    # its letters in another order, or the first letters of its words: auc for uac, precision_recall for pr
    words = [one for one in lowered if "_" in one and given == "".join(word[:1] for word in one.split("_"))]
    near = words or [one for one in lowered if sorted(one) == sorted(given)]
    # few mistype the first letter: latex is not text
    may_be = [one for one in lowered if one[:1] == given[:1] or one in given or given in one]
    for some, cutoff in ((may_be, 0.6), (lowered, 0.75)):
        near = near or difflib.get_close_matches(given, some, n=3, cutoff=cutoff)
    return f"; did you mean {' or '.join(repr(lowered[n]) for n in near[:3])}?" if near else ""


def named(what: str, name: Any, names: Iterable[str]) -> str:
    """Return one of the names; a whole number, as of columns without names, stands for its text.

    Raises
    ------
    ColumnNotFoundError
        If there is none, with the near names or else the first of all.
    """
    text = name
    with suppress(TypeError):
        text = plain(operator.index(name))
    if not isinstance(text, str) or text not in names:
        every = list(names)
        there = f"; {what}s are {', '.join(map(repr, every[:12]))}{', ...' if len(every) > 12 else ''}"
        raise ColumnNotFoundError(f"no {what} {quoted(name)}{did_you_mean(name, every) or there}")
    return str(text)


def listed(what: str, given: Any) -> list[Any]:
    """Return what is given in a row as a list."""
    try:
        return list(given)
    except TypeError:
        raise ParameterError(f"{what}, got {written(given)}") from None


def pair(rankers: Any, there: Iterable[str]) -> tuple[str, str]:
    """Return the names of two different rankers, the first two if none are given."""
    every = list(there)
    sentence = "rankers must be two different names"
    given = every[:2] if rankers is None else listed(sentence, rankers)
    if isinstance(rankers, str) or len(given) != 2:
        raise ParameterError(f"{sentence}, got {written(rankers)}")
    first, second = (named("ranker", name, every) for name in given)
    if first == second:
        raise ParameterError(f"{sentence}, got {written(rankers)}")
    return first, second


def extra(module: str, name: str, purpose: str) -> ModuleType:
    """Import an optional dependency, or say which extra brings it or a newer one, or why it cannot be loaded."""
    package = module.partition(".")[0]
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"{purpose} needs {package}: pip install 'hitcurve[{name}]'") from error
    except ImportError as error:
        # it is there: too little memory, a library of the system that is missing, a version that does not fit
        reason = str(error).strip().partition("\n")[0]
        if is_of_memory(error):
            reason = f"there is not enough memory or address space for it (ulimit -v): {reason}"
        raise MissingExtraError(
            f"{purpose} needs {package}, which is installed and cannot be loaded: {reason}"
        ) from error
    if package in OLDEST:
        oldest, there = OLDEST[package], str(getattr(sys.modules[package], "__version__", OLDEST[package]))
        if _parts(there) < _parts(oldest):
            raise MissingExtraError(
                f"{purpose} needs {package} {oldest} or newer, and {there} is installed: pip install 'hitcurve[{name}]'"
            )
    return found


@cache
def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def is_of_memory(error: BaseException) -> bool:
    """Say whether a library could not be loaded for want of memory or address space."""
    return re.search("failed to map|[Cc]annot allocate|cannot apply additional memory", str(error)) is not None


def half_a_character(error: UnicodeEncodeError) -> ParameterError:
    """Return the error that names the text which UTF-8 cannot hold, as Python may read it from names of files."""
    text = re.search('[^"\0]*[\ud800-\udfff][^"\0]*', error.object)
    return ParameterError(
        f"half a character (a lone surrogate) cannot be written: it is in {text[0] if text else error.object!a}; "
        "give the group, ranker or label another name"
    )


def rows_of_x(name: str, size: int, rows: int) -> None:
    """Refuse what does not have a value for each row of X."""
    if size != rows:
        raise LengthMismatchError(f"{name} has {size} entries, and X has {rows} rows")


def tables_by_name(tables: object, *kinds: type) -> None:
    """Refuse what does not map names to tables of these kinds."""
    words = " or ".join(kind.__name__ for kind in kinds)
    if not isinstance(tables, Mapping):
        raise ParameterError(f"tables must map names to {words} values, got {type(tables).__name__}")
    for name, table in tables.items():
        if not isinstance(table, kinds):
            raise ParameterError(f"tables must be {words} values, {name!r} is {type(table).__name__}")


def distinct(what: str, names: Sequence[Any]) -> None:
    """Refuse a name that is given twice."""
    seen = set()
    for name in names:
        if name in seen:
            raise ParameterError(f"{what} {name!r} is named twice")
        seen.add(name)


def both_classes(positives: float, negatives: float) -> None:
    """Refuse a ranking of one class."""
    for name, count in (("positive", positives), ("negative", negatives)):
        if not count:
            raise SingleClassError(
                f"there is no {name} among {the_subjects(positives + negatives)}: both classes are needed"
            )


def the_subjects(n: float) -> str:
    """Return how many subjects there are; a number that is not whole is a sum of weights."""
    return f"subjects of total weight {n:.6g}" if n % 1 else f"the {n:.12g} subjects"


def same_length(parts: dict[str, Any]) -> int:
    """Return the common length of ``parts``."""
    lengths = {name: len(part) for name, part in parts.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise LengthMismatchError(f"lengths differ: {listed}")
    return next(iter(lengths.values()))


def counts(name: str, values: Sequence[float]) -> None:
    """Refuse counts that are negative, not whole or too large to add."""
    for row, value in enumerate(values):
        if not 0 <= value <= LARGEST_COUNT or value % 1:
            raise CountError(f"{name} must be whole numbers of at least 0, got {value} in row {row}")
    if sum(values) > LARGEST_COUNT:
        raise CountError(f"{name} must sum to at most 2^62")
