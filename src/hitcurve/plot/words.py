"""Names and numbers as texts of a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hitcurve import rows
from hitcurve.magnify import Magnification
from hitcurve.metrics import CROC

_LONGEST = 28  # signs of a name; a longer one loses its middle
_TOO_WIDE = 46  # signs of a line of a legend


def plain(text: str) -> str:
    """Return a text on one line in which matplotlib finds nothing to interpret: no mathematics, no hidden entry."""
    from matplotlib import rcParams

    signs = " ".join(text.split())
    shown = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in signs) or repr("")
    shown = f" {shown}" if shown.startswith("_") else shown  # such a label has no place in a legend
    return rows.latex(shown) if rcParams["text.usetex"] else shown.replace("$", r"\$")


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return names that fit a legend and are still distinct, by the full name."""
    cut = {name: _shortened(" ".join(name.split())) for name in names}
    taken = list(cut.values())
    return {
        name: f"{place}: {short}" if taken.count(short) > 1 else short
        for place, (name, short) in enumerate(cut.items(), 1)
    }


def _shortened(name: str) -> str:
    if len(name) <= _LONGEST:
        return name
    tail = _LONGEST // 3
    return f"{name[: _LONGEST - tail - 1]}…{name[-tail:]}"


def entry(name: str, number: str = "") -> str:
    """Return a line of a legend, broken in two where it is long."""
    parts = [plain(part) for part in (name, number) if part]
    return ("\n" if sum(map(len, parts)) > _TOO_WIDE else " ").join(parts)


def broken(text: str) -> str:
    """Return a label of an axis, on several lines where it is long."""
    from textwrap import wrap

    return "\n".join(map(plain, wrap(" ".join(text.split()), _TOO_WIDE))) or plain(text)


def level_text(level: float) -> str:
    """Return ``95% interval``."""
    return f"{100 * level:g}% interval"


def shown_range(values: Sequence[float]) -> str:
    """Return one number, or the two ends where rankers differ."""
    texts = list(dict.fromkeys(rows.short(value) for value in sorted(values)))
    return texts[0] if len(texts) == 1 else f"{texts[0]} to {texts[-1]}"


def written(f: Magnification) -> str:
    """Return the written form of a magnification: ``exp, alpha=7``."""
    return str(CROC(f)).removeprefix("croc(").removesuffix(")")
