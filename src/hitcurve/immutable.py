"""Values that cannot be changed: of arrays and mappings, equal if what they hold is equal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from hitcurve._cached import read_only

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

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields without values derived from them."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the fields, with arrays in the order of bytes of this processor."""
        for name, value in state.items():
            array = isinstance(value, np.ndarray)
            self.__dict__[name] = value.astype(value.dtype.newbyteorder("="), copy=False) if array else value
        self.__post_init__()


def freeze(*arrays: np.ndarray[Any, Any]) -> None:
    """Make arrays that nobody else holds read-only, so that no value copies them."""
    for array in arrays:
        array.setflags(write=False)


def view_fields(value: object) -> None:
    """Make the arrays and dictionaries among the fields of a value read-only; those that were given stay as they are.

    Fields that begin with _ may be dictionaries in which results are kept.
    """
    for name, given in list(vars(value).items()):
        if type(given) is np.ndarray and given.flags.writeable:
            object.__setattr__(value, name, read_only(given))
        elif type(given) is dict and not name.startswith("_"):
            object.__setattr__(value, name, ReadOnly(given))


class ReadOnly(Mapping[K, V]):
    """A mapping that cannot be changed, and can be pickled."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[K, V]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: K) -> V:
        """Return one value."""
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        """Go through the keys."""
        return iter(self._items)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._items)

    def __repr__(self) -> str:
        """Return the text of a dictionary."""
        return repr(self._items)


class Compared:
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

    def __post_init__(self) -> None:
        view_fields(self)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the fields without values derived from them."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the fields."""
        self.__dict__.update(state)
        view_fields(self)


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
