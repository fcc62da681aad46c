"""A ``cached_property`` whose arrays are read-only, and that does not make threads wait for each other.

What is kept is shared by all who ask for it: an array changed by one of them would be a wrong number for the others.

Before Python 3.12 that of functools holds one lock for all objects of a class while it computes, so that two lists
could not be worked on at once. Two threads may compute the same value; either finds a right one.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

T = TypeVar("T")


def frozen(value: T) -> T:
    """Return an array, or a tuple with arrays, that was made here, after making the arrays read-only."""
    parts: tuple[object, ...] = value if isinstance(value, tuple) else (value,)
    for part in parts:
        if type(part) is np.ndarray:
            part.setflags(write=False)
    return value


def read_only(array: np.ndarray[Any, Any]) -> Any:
    """Return a view that cannot be written to; the array itself stays as it is."""
    view = array.view()
    view.setflags(write=False)
    return view


if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property[T]):  # noqa: N801 -- the name it has in functools
        """An attribute that is computed when it is first asked for, and kept in the ``__dict__`` of its object."""

        def __set_name__(self, owner: type, name: str) -> None:
            """Learn the name under which the value is kept."""
            super().__set_name__(owner, name)
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """Return the value; from then on it is found in the ``__dict__`` before this is asked."""
            if instance is None:
                return self
            value = instance.__dict__[self.name] = frozen(self.func(instance))
            return value
