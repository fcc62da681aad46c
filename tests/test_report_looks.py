"""A ranker looks alike on the page and in the figures."""

from __future__ import annotations

import colorsys
import re
from itertools import combinations
from pathlib import Path

import numpy as np
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


# linear sRGB to XYZ of the white point D65, and what those without red or green cones see (Machado et al. 2009)
TO_XYZ = np.array([[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1095, 0.8728]])
EYES = {
    "all": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


def lab(text: str, eyes: str) -> np.ndarray:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb(text)]
    xyz = TO_XYZ @ np.clip(np.array(EYES[eyes]) @ linear, 0, 1)
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_are_told_apart(eyes: str, scheme: str) -> None:
    found = re.findall(r"--color-\d: (#\w{6})", CSS)
    colours_of = {"light": found[:7], "dark": found[7:14]}[scheme]
    assert len(set(colours_of)) == 7
    for a, b in combinations(colours_of, 2):
        assert np.linalg.norm(lab(a, eyes) - lab(b, eyes)) > 15, (a, b)
