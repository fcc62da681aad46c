"""Values that cannot be changed: of arrays and mappings, equal if what they hold is equal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from operator import is_not
from typing import Any, NoReturn, TypeVar

import numpy as np

from hitcurve._cached import read_only
from hitcurve.errors import ReadOnlyError

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, eq=False)
class ArrayValue:
    """A frozen dataclass some fields of which are arrays, from which more is derived when it is asked for."""

    def __post_init__(self) -> None:
        for name, value in list(vars(self).items()):
            if isinstance(value, np.ndarray) and value.flags.writeable:
                kept = value.copy()  # the array of the caller stays as it is
                kept.setflags(write=False)
                object.__setattr__(self, name, kept)
            elif type(value) is dict:
                object.__setattr__(self, name, ReadOnly(value))

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields without values derived from them."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the fields, with arrays in the order of bytes of this processor."""
        for name, value in state.items():
            array = isinstance(value, np.ndarray)
            self.__dict__[name] = value.astype(value.dtype.newbyteorder("="), copy=False) if array else value
        self.__post_init__()


def view_fields(value: object) -> None:
    """Make the arrays and dictionaries among the fields of a value read-only; those that were given stay as they are.

    Fields that begin with _ may be dictionaries in which results are kept.
    """
    for name, given in vars(value).items():  # of which no key comes or goes: this is done for each small call
        kind = type(given)
        if kind in _PLAIN or (kind is dict and name[0] == "_"):
            continue
        seen = viewed(given)
        if seen is not given:
            object.__setattr__(value, name, seen)


_PLAIN = frozenset({type(None), bool, int, float, str, frozenset})


def viewed(given: Any) -> Any:
    """Return a value that holds the same, whose arrays and dictionaries are read-only, also those in tuples."""
    kind = type(given)
    if kind is np.ndarray:
        return read_only(given) if given.flags.writeable else given
    if kind is dict:
        return ReadOnly(given)
    if isinstance(given, tuple) and given:
        # the parts of a tuple are alike, those of a named one are not
        named = kind is not tuple and hasattr(given, "_fields")
        if named or type(given[0]) not in _PLAIN:
            seen = [one if type(one) in _PLAIN else viewed(one) for one in given]
            if any(map(is_not, seen, given)):
                return kind(*seen) if named else tuple(seen)
    return given


class ReadOnly(dict[K, V]):
    """A dictionary that cannot be changed, nor can the arrays in it; JSON and data frames take it as any other."""

    __slots__ = ()

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        super().__init__(items)
        for key, one in self.items():
            if type(one) not in _PLAIN and (seen := viewed(one)) is not one:
                dict.__setitem__(self, key, seen)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ReadOnlyError("this dictionary belongs to a result and cannot be changed: change a copy, dict(...) of it")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a plain dictionary, of which the values are viewed again."""
        return type(self), (dict(self),)


class Viewed:
    """A frozen dataclass whose arrays and dictionaries cannot be changed, also after it was copied or pickled."""

    def __post_init__(self) -> None:
        view_fields(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the fields."""
        self.__dict__.update(state)
        view_fields(self)


class Compared(Viewed):
    """A frozen dataclass that is equal to another if all fields are: arrays by their elements, nan equal to nan.

    What is computed when it is asked for, and functions that compute it, are not compared.
    """

    def __eq__(self, other: object) -> bool:
        """Compare the fields."""
        return NotImplemented if type(other) is not type(self) else same(self, other)

    def __hash__(self) -> int:
        """Hash the fields that are text or whole numbers."""
        own = (getattr(self, f.name) for f in fields(self))  # type: ignore[arg-type]
        return hash((type(self), *(value for value in own if isinstance(value, (str, int)))))

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields without values derived from them."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]


class Accumulated:
    """What takes data step by step: equal to another that was asked the same and was given the same.

    It changes, so that it has no hash.
    """

    def __eq__(self, other: object) -> bool:
        """Compare all that was asked, given and found."""
        return NotImplemented if type(other) is not type(self) else same(vars(self), vars(other))

    __hash__ = None  # type: ignore[assignment]


def same(a: Any, b: Any) -> bool:
    """Say whether two values hold the same: arrays by their elements, nan equal to nan."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        is_float = a.dtype.kind in "fc" and b.dtype.kind in "fc"
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=is_float)
    if is_dataclass(a):
        own = [f.name for f in fields(a) if f.init and f.compare]
        return all(same(getattr(a, name), getattr(b, name)) for name in own)
    if isinstance(a, Mapping):
        return list(a) == list(b) and all(same(value, b[key]) for key, value in a.items())
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return a == b or (a != a and b != b)
    if isinstance(a, BaseException):
        return same(a.args, b.args)
    return callable(a) or bool(a == b)
