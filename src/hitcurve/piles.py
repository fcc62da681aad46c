"""Results of many parts, merged so that no part is merged more than a few times."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Pile: TypeAlias = tuple[T, ...]


def piling(
    merge: Callable[[T, T], T], size: Callable[[T], float], times: float = 1
) -> Callable[[Pile[T], Pile[T]], Pile[T]]:
    """Return what combines piles of results: neighbours merge while one is at most so many times as large as the next.

    With 2, all results of a pile are at most twice the first.
    """
    return partial(_piled, merge, size, times)


def _piled(
    merge: Callable[[T, T], T], size: Callable[[T], float], times: float, left: Pile[T], right: Pile[T]
) -> Pile[T]:
    pile = [*left, *right]
    while len(pile) > 1 and size(pile[-2]) <= times * size(pile[-1]):
        last = pile.pop()
        pile[-1] = merge(pile[-1], last)
    return tuple(pile)


def whole(pile: Pile[T], merge: Callable[[T, T], T]) -> T:
    """Merge a pile to one result."""
    return reduce(merge, pile)


def from_its_end(pile: Pile[T], merge: Callable[[T, T], T]) -> T:
    """Merge a pile to one result from its end, where the parts are smallest, and let go of them."""
    left = list(pile)
    del pile
    while len(left) > 1:
        last = left.pop()
        left[-1] = merge(left[-1], last)
    return left[0]
