"""A ranker looks alike on the page and in the figures."""

from __future__ import annotations

import colorsys
import re
from pathlib import Path

import pytest

from hitcurve.report import html
from hitcurve.report.html.charts import colours, dashes, shapes

pytest.importorskip("matplotlib")
from hitcurve.plot.style import COLORS, look

MARKERS = {"o": "circle", "s": "square", "D": "diamond", "^": "triangle-up"}
CSS = (Path(html.__file__).parent / "page.css").read_text(encoding="utf-8")


def colour_of(place: int) -> str:
    text = colours(24)[place]
    while text.startswith("var("):
        found = re.search(rf"{text[4:-1]}: ([^;]+);", CSS)
        assert found, text
        text = found.group(1)
    return text


def rgb(text: str) -> tuple[float, ...]:
    return tuple(int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))


def hue(text: str) -> float | None:
    of, saturation, _ = colorsys.rgb_to_hsv(*rgb(text))
    return of if saturation > 0.4 else None


def contrast_with_white(text: str) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb(text)]
    return 1.05 / (sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True)) + 0.05)


@pytest.mark.parametrize("place", range(24))
def test_colours_dashes_and_marks_are_those_of_the_figures(place: int) -> None:
    own = look(place)
    turn = place // len(COLORS)
    assert colour_of(place) == colour_of(place % len(COLORS))
    ours, theirs = hue(colour_of(place)), hue(own.color)
    if ours is None or theirs is None:
        assert max(rgb(own.color)) < 0.2 or own.color == COLORS[3]
    else:
        assert abs(ours - theirs) < 0.06
    assert MARKERS[own.marker] == shapes(24)[place]
    given = [] if own.dashes == "-" else list(own.dashes[1])
    drawn = dashes(24)[place] if turn else []
    assert len(given) == len(drawn)


def test_rankers_differ_in_colour_or_dash_and_are_seen_on_white() -> None:
    assert len({(colour_of(place), tuple(dash)) for place, dash in enumerate(dashes(24))}) == 24
    assert min(contrast_with_white(colour_of(place)) for place in range(24)) > 3
