"""Colours of rankers on the page, as in figures."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import ParameterError
from hitcurve.report import page
from tests.shell import Shell

Y = np.repeat([1, 0], [10, 30])
RNG = np.random.default_rng(0)
SCORES = {name: RNG.normal(size=40) + Y for name in ("a", "b c")}


def test_a_ranker_has_the_colour_that_is_given() -> None:
    ev = hc.evaluate(Y, SCORES, metrics="auc")
    plain, own = page(ev), page(ev, colors={"b c": "#D62728"})
    added = ":root { --ranker-1: #D62728 !important; }\n"
    assert added in own
    # the policy of the page has the digest of its style sheet
    without = [re.sub(r"style-src '[^']*'", "style-src", text.replace(added, "")) for text in (own, plain)]
    assert without[0] == without[1]
    assert without[1] != plain
    assert 'stroke="var(--ranker-1)"' in own


@pytest.mark.parametrize("color", ["red; } body { display: none", "</style>", "tab:red", "", "#12345"])
def test_what_is_no_colour_of_a_page_is_refused(color: str) -> None:
    with pytest.raises(ParameterError, match="must be like '#d62728', or a name that browsers know"):
        page(hc.evaluate(Y, SCORES, metrics="auc"), colors={"a": color})
    with pytest.raises(ParameterError, match="a ranker of colors must be one of"):
        page(hc.evaluate(Y, SCORES, metrics="auc"), colors={"d": "red"})


def test_every_ranker_of_a_page_has_a_colour_of_the_style_sheet() -> None:
    css = (Path(hc.__file__).parent / "report" / "html" / "page.css").read_text()
    assert [int(place) for place in re.findall(r"--ranker-(\d+):", css.partition("@media")[0])] == list(range(24))


def test_the_shell_takes_colours_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{y},{a}" for y, a in zip(Y, SCORES["a"], strict=True)]
    Path("d.csv").write_text("\n".join(["y,a", *lines]))
    words = ("report", "d.csv", "-l", "y", "-s", "a", "-m", "auc", "-o", "r.html")
    assert shell(*words, "--color", "a=black").code == 0
    assert "--ranker-0: black !important" in Path("r.html").read_text()
    assert "--color is a ranker and a colour" in shell(*words, "--color", "black").refusal


def test_a_colour_that_is_given_is_that_of_one_ranker() -> None:
    """An eighth ranker has the colour of the first one's place, whatever colour the first was given."""
    css = (Path(hc.__file__).parent / "report" / "html" / "page.css").read_text()
    assert not re.search(r"--ranker-\d+: var\(--ranker", css)
    assert len(re.findall(r"--ranker-\d+: var\(--color-[0-6]\)", css)) == 24
