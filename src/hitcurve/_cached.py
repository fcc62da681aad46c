"""A ``cached_property`` that does not make threads wait for each other.

Before Python 3.12 that of functools holds one lock for all objects of a class while it computes, so that two lists
could not be worked on at once. Two threads may compute the same value; either finds a right one.
"""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING or sys.version_info >= (3, 12):
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
            value = instance.__dict__[self.name] = self.func(instance)
            return value
