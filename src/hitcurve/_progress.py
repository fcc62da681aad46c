"""What long work says of itself while it is done: how much of what is done. Nobody listens by default."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

Listener: TypeAlias = Callable[[str, int, int], None]


def _nobody(what: str, done: int, count: int) -> None:
    """Take no notice."""


_listener: ContextVar[Listener] = ContextVar("listener", default=_nobody)


def tell(what: str, done: int, count: int) -> None:
    """Say how many of something are done, and of how many."""
    _listener.get()(what, done, count)


@contextmanager
def heard(listener: Listener | None) -> Iterator[None]:
    """Let a function hear what long work says of itself: what is counted, how many are done, of how many."""
    if listener is None:
        yield
        return
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)
