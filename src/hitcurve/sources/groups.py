"""One group of any data as a source of its own, and many of them in the same passes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from hitcurve.errors import EmptyInputError
from hitcurve.sources.block import Block, OfAnother, Source

T = TypeVar("T")
Pass: TypeAlias = tuple[Callable[[Block], Any], Callable[[Any, Any], Any]]
# what needs several passes yields ``map`` and ``combine`` of each, is sent what they found, and returns its result
Passes: TypeAlias = Generator[Pass, Any, T]


@dataclass(frozen=True)
class GroupSource(OfAnother):
    """The subjects of one group of a source.

    Attributes
    ----------
    whole : Source
        One whose subjects have groups.
    group : str
    """

    whole: Source
    group: str

    @property
    def notes(self) -> tuple[str, ...]:
        """Nothing: what happened, happened to the whole."""
        return ()

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to what each block holds of the group."""

        def of_group(block: Block) -> list[T]:
            part = block.of_group(self.group)
            return [] if part is None else [map(part)]

        def both(left: list[T], right: list[T]) -> list[T]:
            return [combine(left[0], right[0])] if left and right else left or right

        found = self.whole.reduce(of_group, both)
        if not found:
            raise EmptyInputError(f"no subject belongs to group {self.group!r}")
        return found[0]


def follow(source: Source, passes: Passes[T]) -> T:
    """Make the passes over all subjects of a source."""
    try:
        asked = next(passes)
        while True:
            asked = passes.send(source.reduce(*asked))
    except StopIteration as end:
        found: T = end.value
        return found


def follow_groups(source: Source, passes: Mapping[str | None, Passes[T]]) -> dict[str | None, T]:
    """Make the passes of many groups, each over its own subjects, at the same time.

    The source is read as often as the group that needs most passes asks for.

    Parameters
    ----------
    source : Source
    passes : mapping of str or None to Passes
        Of each group by its name; None is the one list of all subjects.
    """
    found: dict[str | None, T] = {}
    asked: dict[str | None, Pass] = {}

    def send(group: str | None, value: Any) -> None:
        try:
            asked[group] = passes[group].send(value)
        except StopIteration as end:
            asked.pop(group, None)
            found[group] = end.value

    def map(block: Block) -> dict[str | None, Any]:
        out: dict[str | None, Any] = {None: asked[None][0](block)} if None in asked else {}
        return out | {group: asked[group][0](part) for group, part in block.groups.items() if group in asked}

    def both(left: dict[str | None, Any], right: dict[str | None, Any]) -> dict[str | None, Any]:
        return left | {name: asked[name][1](left[name], own) if name in left else own for name, own in right.items()}

    for group in passes:
        send(group, None)
    while asked:
        for group, value in source.reduce(map, both).items():
            send(group, value)
    return found
