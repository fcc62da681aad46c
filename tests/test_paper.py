"""The numbers of the paper are those that the package computes."""

from __future__ import annotations

import re
from pathlib import Path

import hitcurve as hc
from hitcurve.metrics.registry import names

JOSS = Path(__file__).parents[1] / "joss"
PAPER = " ".join((JOSS / "paper.md").read_text(encoding="utf-8").split())


def test_numbers_of_the_paper() -> None:
    tables = hc.datasets.mammography()
    film, digital = (f"{int(t.n):,} women, {int(t.n_pos)} of them" for t in (tables["film"], tables["digital"]))
    assert film in PAPER
    assert digital.replace(" women", "") in PAPER
    for metric, first, second in (("auc", "digital", "film"), ("ap", "film", "digital")):
        high, low = (hc.metric(metric).value(tables[name]) for name in (first, second))
        assert high > low
        assert f"({high:.3f} against {low:.3f})" in PAPER
    recall = hc.metric("recall@5%")
    found = f"digital mammography finds {recall.value(tables['digital']):.0%} of the cancers"
    assert f"{found} and film {recall.value(tables['film']):.0%}" in PAPER
    metrics = ["ap", "auc", "recall@5%"]
    ev = hc.evaluate(tables=tables, metrics=metrics)
    assert all(ev.compare("film", "digital", metric).pvalue > 0.05 for metric in metrics)
    assert "more than forty of them" in PAPER
    assert len(names()) > 40


def test_length_of_the_paper() -> None:
    _, text = PAPER.split(" --- ", maxsplit=1)
    assert 250 < len(text.split()) < 1000
    assert all(f"]({picture.name})" in PAPER for picture in JOSS.glob("*.png"))


def test_every_source_is_cited_and_can_be_found() -> None:
    entries = re.split(r"^@\w+\{", (JOSS / "paper.bib").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = {entry.partition(",")[0]: entry for entry in entries}
    assert len(found) == len(entries)
    assert {key for cited in re.findall(r"\[(@[^\]]+)\]", PAPER) for key in re.findall(r"@(\w+)", cited)} == set(found)
    for key, entry in found.items():
        # the Journal of Machine Learning Research gives no digital identifiers
        assert re.search(r"^  (doi|url) = ", entry, re.MULTILINE) or "Machine Learning Research" in entry, key
