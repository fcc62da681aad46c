"""Words and rounding, once: what every printer prints."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

# of terminals, signs that are not seen or turn the direction of writing, ends of lines, and halves of a sign, which
# no encoding has; joiners (U+200C, U+200D) belong to words
_CONTROLS = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# of Markdown: what begins emphasis, code or mathematics, and what it takes for a sign written by its name
_MARKED, _ENTITY = re.compile(r"[\\`*~$]|(?<![^\W_])_|_(?![^\W_])"), re.compile(r"&(?=#?\w+;)")
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")

LEAST_P = 1e-300  # smaller ones are rounding noise, or 0 in floats and not in truth


def number(value: float, digits: int = 4) -> str:
    """Return a number with so many significant digits, zeros included, so that numbers compare down a column."""
    if 10**digits <= abs(value) < 1e15:
        return f"{value:.0f}"
    return f"{value:#.{digits}g}".removesuffix(".")


def value(found: float, digits: int = 4) -> str:
    """Return the value of a metric, which may be undefined."""
    return "undefined" if math.isnan(found) else number(found, digits)


def short(value: float, digits: int = 4) -> str:
    """Return a number without closing zeros: 0.5, 1, 25.79."""
    text = number(value, digits)
    return text.rstrip("0").removesuffix(".") if "." in text and "e" not in text else text


def agreed(values: Sequence[float]) -> str:
    """Return numbers as one, to as many of four digits (two at least) as they agree in, or as lowest to highest."""
    there = [value for value in values if not math.isnan(value)]
    if not there:
        return "none" if values else ""
    for digits in (4, 3, 2):
        texts = {short(value, digits) for value in there}
        if len(texts) == 1:
            return texts.pop()
    return f"{short(min(there))} to {short(max(there))}"


def p_value(p: float, digits: int = 4) -> str:
    """Return a p value as it follows a p: ``= 0.034``, and never as 0."""
    return f"< {LEAST_P:g}" if p < LEAST_P else f"= {short(p, digits)}"


def p_alone(p: float, digits: int = 4) -> str:
    """Return a p value that stands alone: 0.034, or < 1e-300."""
    return p_value(p, digits).removeprefix("= ")


def exact(value: float) -> str:
    """Return the shortest text that reads back to the same number: 7, 0.1, 1e-08."""
    return repr(float(value)).removesuffix(".0")


def percent(share: float) -> str:
    """Return a share as a percentage that reads back to the same float."""
    return f"{(Decimal(repr(float(share))) * 100).normalize():f}%"


def with_interval(
    found: float, interval: tuple[float, float] | None, digits: int = 3, *, error: float = math.nan
) -> str:
    """Return a value with its standard error and interval, if it has them: 0.7351 (0.0157) [0.704, 0.764]."""
    if math.isnan(found):
        return value(found)
    text = number(found) if math.isnan(error) else f"{number(found)} ({number(error, digits)})"
    if interval is None:
        return text
    low, high = interval
    return f"{text} [{number(low, digits)}, {number(high, digits)}]"


def count(value: float) -> str:
    """Return a count: whole, with separators, or a sum of weights with digits."""
    # sums of weights in another order differ in their last digits
    whole = math.isclose(value, float(f"{value:.0f}"), rel_tol=1e-9)
    return f"{value:,.0f}" if whole else f"{value:,.2f}"


def size(number: float) -> str:
    """Return a number of bytes with its unit and three digits: 65.5 kB, 1.34 GB; whole bytes below 1 kB.

    Examples
    --------
    >>> size(65_536), size(999_700), size(12)
    ('65.5 kB', '1 MB', '12 bytes')
    """
    rounded = float(f"{number:.3g}")
    for least, unit in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if rounded >= least:
            return f"{rounded / least:,.4g} {unit}"
    return counted(number, "byte")


def counted(number: float | str, noun: str, digits: int = 0) -> str:
    """Return a count with its noun: 1 negative, 2 negatives; with so many significant digits, if they are given."""
    text = number if isinstance(number, str) else f"{number:.{digits}g}" if digits else count(number)
    return f"{text} {noun}" if text == "1" else f"{text} {noun}s"


def too_few(number: float, noun: str, digits: int = 0) -> str:
    """Return a count that is too small: 1 negative is too few, 2 negatives are too few."""
    found = counted(number, noun, digits)
    return f"{found} {'are' if found.endswith('s') else 'is'} too few"


class Raised(str):
    """A cell of a table with signs above its line.

    Parameters
    ----------
    text, above : str
    """

    __slots__ = ("above",)
    above: str

    def __new__(cls, text: str, above: str) -> Raised:
        """Return the text, which is all that other readers see."""
        out = super().__new__(cls, text)
        out.above = above
        return out


def _raised(cell: str, escaped: Callable[[str], str], begin: str, end: str) -> str:
    """Return an escaped cell, with what stands above its line between two marks."""
    if not isinstance(cell, Raised):
        return escaped(cell)
    return escaped(str(cell)) + (f"{begin}{escaped(cell.above)}{end}" if cell.above else "")


def width(text: str) -> int:
    """Return the number of terminal columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def visible(text: str) -> str:
    """Return a text in which control characters are seen, not obeyed: no colour, bell, or letters in another order.

    Line ends stay.
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return _CONTROLS.sub(lambda sign: _escaped(sign[0]), text)


def in_line(name: str) -> str:
    """Return a name as part of a line: on one line, control characters seen."""
    if name.isascii() and name.isprintable():
        return name
    return visible(" ".join(name.split("\n")))


def of_rankers(names: tuple[str, str]) -> str:
    """Return whose difference something is, as part of a line."""
    first, second = map(in_line, names)
    return f" of {first} and {second}"


def text_lines(lines: Iterable[str]) -> str:
    """Return lines of which none can begin another: a name with an end of line forges no line."""
    return "\n".join(map(in_line, lines))


def _escaped(sign: str) -> str:
    code = ord(sign)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


def text_table(header: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Return an aligned table; columns in ``left`` are flushed left, numbers right."""
    lines = (header, *body)
    cells = list(chain.from_iterable(lines))
    every = "".join(cells)
    usual = every.isascii() and every.isprintable() and set(map(type, cells)) == {str}
    table = lines if usual else [[_raised(cell, in_line, " ", "") for cell in line] for line in lines]
    columns = []
    for i, column in enumerate(zip(*table, strict=True)):
        sizes = list(map(len if usual else width, column))
        most = max(sizes)
        spaces = [" " * (most - size) for size in sizes]
        sides = (column, spaces) if i in left else (spaces, column)
        first, *others = map("".join, zip(*sides, strict=True))
        columns.append([first, "-" * most, *others])
    head, rule, *rest = map("  ".join, zip(*columns, strict=True))
    return "\n".join([head.rstrip(), rule, *map(str.rstrip, rest)])


def markdown_table(header: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Return a table in markdown."""
    marks = [":---" if i in left else "---:" for i in range(len(header))]
    lines = [header, marks, *body]
    cells = ([_raised(cell, markdown, "<sup>", "</sup>") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def markdown(text: str) -> str:
    """Return a text on one line in which nothing is a tag, a link, an image, emphasis, code or the end of a cell."""
    seen = _MARKED.sub(r"\\\g<0>", _ENTITY.sub("&amp;", visible(text).replace("\n", " ")))
    return seen.replace("<", "&lt;").replace("](", "]&#40;").replace("|", "&#124;")


def markdown_list(lines: Iterable[str]) -> str:
    """Return lines as a list in markdown."""
    return "\n".join(f"- {markdown(line)}" for line in lines)


def csv_cell(value: object) -> object:
    """Return a value that no spreadsheet takes for a formula: a text that may be one begins with a quote."""
    if not isinstance(value, str):
        return value
    seen = visible(value)
    return f"'{seen}" if _FORMULA.match(value) and not _is_number(value) else seen


def csv_text(records: Iterable[Mapping[str, Any]], header: Sequence[str]) -> str:
    """Return records of the same keys as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=header, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: csv_cell(value) for key, value in record.items()} for record in records)
    return out.getvalue()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def plain(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record as JSON has it: None for nan, and words for infinities."""
    return {key: _plain(value) for key, value in record.items()}


def _plain(value: Any) -> Any:
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"


def json_text(text: str) -> str:
    """Return JSON in which control characters are escaped, all of which stand in strings."""
    return _CONTROLS.sub(lambda sign: json.dumps(sign[0])[1:-1], text)


_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "`": r"\textasciigrave{}",
}


def latex_table(header: Sequence[str], body: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Return a tabular for the booktabs package."""
    columns = "".join("l" if i in left else "r" for i in range(len(header)))
    cells = ([_raised(cell, latex, r"\textsuperscript{", "}") for cell in line] for line in (header, *body))
    # a row that begins with a bracket or a star would be an argument of the line break before it
    lines = [re.sub(r"^[\[*]", r"{\g<0>}", " & ".join(line)) + r" \\" for line in cells]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def latex(text: str) -> str:
    """Return a text in which nothing is a command."""
    # two of a sign would be a dash or a quote
    seen = re.sub(r"([-'])(?=\1)", "\\1\0", visible(text).replace("\n", " "))
    return "".join(_LATEX.get(sign, sign) for sign in seen).replace("\0", "{}")


def latex_comments(lines: Iterable[str]) -> str:
    """Return lines as comments of LaTeX."""
    return "\n".join(f"% {' '.join(visible(line).split())}".rstrip() for line in lines)


_STYLE = (
    "<style>.hitcurve{font-variant-numeric:tabular-nums}.hitcurve p{margin:.3em 0}"
    ".hitcurve table{border-collapse:collapse}.hitcurve th,.hitcurve td{padding:.25em .7em;text-align:right}"
    ".hitcurve td:not(:last-child){white-space:nowrap}"
    ".hitcurve th:first-child,.hitcurve :is(th,td):last-child{text-align:left}</style>"
)


def html_block(parts: Sequence[str]) -> str:
    """Return tables and paragraphs in HTML as one block of a notebook."""
    return f'<div class="hitcurve">{_STYLE}{"".join(parts)}</div>'


def html_paragraphs(lines: Sequence[str]) -> str:
    """Return lines as paragraphs of HTML."""
    return "".join(f"<p>{html_text(line)}</p>" for line in lines)


def html_table(header: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Return a table in HTML whose rows begin with their names; without a head if there is no header."""
    head = "".join(f'<th scope="col">{html_text(text)}</th>' for text in header)
    lines = []
    for first, *rest in body:
        cells = "".join(f"<td>{_raised(text, html_text, '<sup>', '</sup>')}</td>" for text in rest)
        lines.append(f'<tr><th scope="row">{html_text(first)}</th>{cells}</tr>')
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{''.join(lines)}</tbody></table>"


def html_text(text: str) -> str:
    """Return a text in which nothing is a tag."""
    return html.escape(visible(text))


def some(names: Sequence[str], most: int = 5) -> str:
    """Return the first of many names, and how many there are more."""
    more = len(names) - most
    return ", ".join(map(repr, names[:most])) + (f" and {more} more" if more > 0 else "")


def listed(words: Sequence[str]) -> str:
    """Return words as an enumeration: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
