"""Words and rounding, once: what every printer prints."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence


def number(value: float, digits: int = 4) -> str:
    """Return a number with so many significant digits, in plain notation where that is short."""
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-4 <= abs(value) < 1e6:
        text = f"{value:.0f}"
    return text


def count(value: float) -> str:
    """Return a count: whole, with separators, or a sum of weights with digits."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def fixed(values: Sequence[float], digits: int = 4) -> list[str]:
    """Return a column of numbers with the same number of decimals, so that they can be compared down it."""
    finite = [abs(value) for value in values if math.isfinite(value) and value]
    largest = max(finite, default=1.0)
    decimals = max(0, min(digits, digits - 1 - math.floor(math.log10(largest)))) if largest < 1e15 else 0
    if largest < 10 ** (1 - digits):
        return [number(value, digits) for value in values]
    return [f"{value:.{decimals}f}" if math.isfinite(value) else number(value) for value in values]


def width(text: str) -> int:
    """Return the number of terminal columns a text takes."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1
        for sign in text
    )


def text_table(header: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Return an aligned table; columns in ``left`` are flushed left, numbers right."""
    table = [list(header), *map(list, body)]
    widths = [max(width(line[i]) for line in table) for i in range(len(header))]

    def padded(line: Sequence[str]) -> str:
        cells = []
        for i, cell in enumerate(line):
            space = " " * (widths[i] - width(cell))
            cells.append(cell + space if i in left else space + cell)
        return "  ".join(cells).rstrip()

    rule = "  ".join("-" * size for size in widths)
    return "\n".join([padded(table[0]), rule, *(padded(line) for line in table[1:])])


def markdown_table(header: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Return a table in markdown."""
    marks = [":---" if i in left else "---:" for i in range(len(header))]
    lines = [header, marks, *body]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
