"""Letters shared by names whose differences are not significant: the compact letter display (Piepho 2004)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations


def letters_of(names: Sequence[str], differ: Callable[[str, str], bool]) -> dict[str, str]:
    """Return letters such that two names share one exactly if they do not differ.

    Each letter is a set of names no two of which differ, grown from the first pair in order that has none yet.
    """
    shared: list[list[str]] = []
    for a, b in combinations(names, 2):
        if differ(a, b) or any(a in own and b in own for own in shared):
            continue
        grown = [a, b]
        for name in names:
            if name not in grown and not any(differ(name, other) for other in grown):
                grown.append(name)
        shared.append(grown)
    shared += [[name] for name in names if not any(name in own for own in shared)]
    shared.sort(key=lambda own: sorted(map(names.index, own)))
    return {name: "".join(letter(place) for place, own in enumerate(shared) if name in own) for name in names}


def letter(place: int) -> str:
    """Return a, b, ... z, a1, b1, ...: letters that stay distinct when written side by side."""
    return chr(ord("a") + place % 26) + (str(place // 26) if place >= 26 else "")
