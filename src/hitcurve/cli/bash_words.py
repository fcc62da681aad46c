"""Words that bash breaks at @ and : while it completes, whole for the command and in parts for bash."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence

_BREAK = re.compile(r"[@:]")


@contextlib.contextmanager
def whole_words() -> Iterator[None]:
    """Put broken words together before a completion for bash, and cut what it offers to the part that bash replaces."""
    completes = any(name.endswith("_COMPLETE") and value == "complete_bash" for name, value in os.environ.items())
    words, place = os.environ.get("COMP_WORDS", "").split("\n"), os.environ.get("COMP_CWORD", "")
    if not completes or not place.isdecimal() or int(place) >= len(words):
        yield
        return
    whole, own, breaks = joined(words, int(place))
    os.environ |= {"COMP_WORDS": "\n".join(whole), "COMP_CWORD": str(own)}
    offered = io.StringIO()
    try:
        with contextlib.redirect_stdout(offered):
            yield
    finally:
        lines = offered.getvalue().splitlines(keepends=True)
        sys.stdout.write("".join(_BREAK.split(line, breaks)[-1] if breaks else line for line in lines))


def joined(words: Sequence[str], place: int) -> tuple[list[str], int, int]:
    """Return whole words, the place of the one that is typed, and the breaks before the part of it that bash replaces.

    Examples
    --------
    >>> joined(["hitcurve", "evaluate", "--metric", "recall", "@", "5"], 5)
    (['hitcurve', 'evaluate', '--metric', 'recall@5'], 3, 1)
    """
    whole: list[str] = []
    own = breaks = 0
    for at, word in enumerate(words):
        is_break = at > 1 and bool(word) and not _BREAK.sub("", word)
        after = at > 2 and bool(words[at - 1]) and not _BREAK.sub("", words[at - 1]) and not word.startswith("-")
        if is_break or after:
            before = whole[-1]
            whole[-1] += word
        else:
            before = ""
            whole.append(word)
        if at == place:
            own, breaks = len(whole) - 1, len(_BREAK.findall(before + word if is_break else before))
    return whole, own, breaks
