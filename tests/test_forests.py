"""Forest plots and pages of gaps and of meta-analyses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import ParameterError
from tests.sampled import quietly
from tests.shell import in_process as run

STUDIES = {"first <b>": (0.80, 0.04), "second $x$": (0.85, 0.03), "third": (0.70, 0.05)}


@pytest.fixture(autouse=True)
def closed_figures() -> Any:
    yield
    plt.close("all")


def a_gap(names: tuple[str, ...] = ("north", "south", "west")) -> Any:
    rng = np.random.default_rng(0)
    y, site = rng.random(600) < 0.3, rng.integers(0, len(names), 600)
    s = rng.normal(size=600) + y * np.linspace(1.5, 0.5, len(names))[site]
    return quietly(y, s, metrics="auc").gap("auc", by=np.array(names)[site])


def rows_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


@pytest.mark.parametrize("method", ["reml", "fixed"])
def test_studies_with_their_mean(method: str) -> None:
    found = hc.meta_analysis(STUDIES, "auc", method=method)
    ax = hc.plot.forest(found)
    more = ["mean", "another study"] if method == "reml" else ["mean"]
    assert [name.rpartition(" (")[0] or name for name in rows_of(ax)] == ["first <b>", r"second \$x\$", "third", *more]
    bars: list[Any] = [
        line.get_xdata() for line in ax.lines if np.size(line.get_xdata()) == 2 and line.get_linestyle() == "-"
    ]
    assert [tuple(bar) for bar in bars[3:]] == (
        [found.interval, found.prediction_interval] if method == "reml" else [found.interval]
    )
    assert "auc, 95% interval" in ax.get_xlabel()


def test_subgroups_and_their_differences() -> None:
    gap = a_gap()
    pairs = hc.plot.forest(gap)
    assert rows_of(pairs) == [one.label for one in gap.pairs]
    assert "simultaneous" in pairs.get_xlabel()
    drawn = [tuple(np.asarray(line.get_xdata()).tolist()) for line in pairs.lines if line.get_linestyle() == "-"]
    assert drawn == [tuple(one.simultaneous) for one in gap.pairs]
    assert rows_of(hc.plot.forest(gap, per="subgroup")) == ["north", "south", "west"]
    other: Any = STUDIES
    for wrong, per, text in ((other, None, "needs a MetaAnalysis or a Gap, got dict"), (gap, "pairs", "per must be")):
        with pytest.raises(ParameterError, match=text):
            hc.plot.forest(wrong, per=per)
    with pytest.raises(ParameterError, match="per is of a gap"):
        hc.plot.forest(hc.meta_analysis(STUDIES, "auc"), per="pair")


def test_long_labels_stay_inside_of_the_figure() -> None:
    gap = a_gap(("a very long name of a subgroup that is cut", "another very long name of a subgroup", "west"))
    ax = hc.plot.forest(gap)
    ax.figure.canvas.draw()
    box = ax.xaxis.label.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= ax.figure.bbox.x1
    assert box.y0 >= 0


def test_pages_are_whole_and_hold_the_numbers(tmp_path: Path) -> None:
    found = hc.meta_analysis(STUDIES, "auc")
    page = hc.report(found, tmp_path / "meta.html", "Three studies").read_text()
    assert "<h1>Three studies</h1>" in page
    assert "first &lt;b&gt;" in page
    assert "<b>" not in page
    assert page.count('class="row"') == 0
    assert page.count("<circle") == 4
    assert "another study" in page
    gap = a_gap(("a name so long that it is cut: one", "a name so long that it is cut: two", "x\nline"))
    text = hc.report(gap, tmp_path / "gap.html", date="2026-01-01").read_text()
    assert text.count("<circle") == 3 + len(gap.pairs)
    assert "All subgroups equal: F" in text
    assert "2026-01-01" in text
    assert "auc of score by subgroup" in text
    assert "script" not in text.partition("<body>")[2]
    for wrong in (found, gap):
        with pytest.raises(ParameterError, match="neither a baseline nor colours"):
            hc.report(wrong, tmp_path / "x.html", baseline="a")


@pytest.mark.slow
def test_pages_and_figures_on_the_shell(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    files = []
    for k in range(3):
        y = rng.random(200) < 0.3
        s, site = rng.normal(size=200) + y, rng.choice(["a", "b"], 200)
        lines = [
            f"{int(one)},{score!r},{-score!r},{place}" for one, score, place in zip(y, s.tolist(), site, strict=True)
        ]
        files.append(str(tmp_path / f"s{k}.csv"))
        Path(files[-1]).write_text("\n".join(["y,s,t,site", *lines]) + "\n")
    columns = ["--label", "y", "--score", "s"]
    for end, begin in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("html", b"<!doctype html>")):
        for name, asked in (("meta", files), ("gap", [files[0], "--by", "site", "--metric", "auc"])):
            out = tmp_path / f"{name}.{end}"
            done = run(name, *asked, *columns, "-o", str(out))
            assert (done.returncode, done.stdout) == (0, ""), done.stderr
            assert out.read_bytes().startswith(begin)
    twice = run(
        "gap", files[0], "--by", "site", "--metric", "auc", *columns, "--score", "t", "-o", str(tmp_path / "x.html")
    )
    assert twice.returncode == 2
    assert "a page or a figure is of one ranker: give --score once, got 2" in twice.stderr
    assert not (tmp_path / "x.html").exists()
    plain, modified = (run("meta", *files, *columns, "--interval", one).stdout for one in ("hartung-knapp", "modified"))
    assert "Hartung and Knapp, modified" in modified
    assert "modified" not in plain.splitlines()[6]
