"""The parts of the page that do not depend on an evaluation: its charts and the script that draws them."""

from __future__ import annotations

from pathlib import Path

import pytest

import hitcurve as hc
from hitcurve.errors import SingleClassError
from hitcurve.report.html import build, template, words
from hitcurve.report.html import bundle as of_library
from hitcurve.report.html.bundle import library
from hitcurve.report.html.charts import charts


@pytest.mark.slow
@pytest.mark.parametrize("rankers", [1, 24])
def test_charts_are_valid_vega_lite(rankers: int) -> None:
    altair = pytest.importorskip("altair")
    made = charts(rankers, (1e-6, 0.1), (1.0, 200.0), (1e-4, 0.9), (5.0, 5.0))
    assert len(made) == 11
    for chart in made.values():
        altair.LayerChart.from_dict(chart, validate=True)


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Bundles made, in a cache folder that is empty to begin with; they are short."""
    made: list[str] = []

    def bundle() -> str:
        made.append("let vega = '\N{GREEK SMALL LETTER ALPHA}';\r\n")
        return made[-1]

    monkeypatch.setattr(of_library, "_bundle", bundle)
    monkeypatch.setattr(of_library, "_folder", lambda: tmp_path / "cache")
    return made


def test_the_script_is_bundled_once(tmp_path: Path, bundled: list[str]) -> None:
    pytest.importorskip("vl_convert")
    scripts = [library.__wrapped__() for _ in range(3)]
    assert scripts == bundled * 3
    assert len(list((tmp_path / "cache").iterdir())) == 1


@pytest.mark.parametrize("damage", [b"", b"\xff", b"half of it\nlet vega"])
def test_a_damaged_script_is_bundled_again(tmp_path: Path, bundled: list[str], damage: bytes) -> None:
    pytest.importorskip("vl_convert")
    whole = library.__wrapped__()
    (kept,) = (tmp_path / "cache").iterdir()
    kept.write_bytes(damage)
    assert library.__wrapped__() == whole
    assert len(bundled) == 2
    assert library.__wrapped__() == whole
    assert len(bundled) == 2


def test_without_a_folder_to_write_to(tmp_path: Path, bundled: list[str]) -> None:
    pytest.importorskip("vl_convert")
    (tmp_path / "cache").write_text("a file")
    assert [library.__wrapped__() for _ in range(2)] == bundled
    assert len(bundled) == 2


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize(("lacking", "pos", "neg"), [("negative", [3, 2], [0, 0]), ("positive", [0, 0], [3, 2])])
@pytest.mark.parametrize("alone", [True, False])
def test_rankers_of_one_class_have_no_page(
    lacking: str, pos: list[int], neg: list[int], alone: bool, tmp_path: Path
) -> None:
    tables = {} if alone else {"a": hc.HitTable.from_counts([3, 2], [1, 5])}
    tables["b"] = hc.HitTable.from_counts(pos, neg)
    ev = hc.evaluate(tables=tables, metrics=["auc", "ap"], undefined="nan")
    with pytest.raises(SingleClassError, match=f"'b' has no {lacking} among its 5 subjects"):
        hc.report(ev, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())
    assert str(ev)
    assert ev.to_dict()


@pytest.mark.slow
def test_templates_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    ev = hc.evaluate([1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1], range(12, 0, -1), metrics="auc")
    first, read, file = build.page(ev), [], template.file_of

    def counted(name: str) -> str:
        read.append(name)
        return file(name)

    monkeypatch.setattr(build, "file_of", counted)
    assert build.page(ev) == first
    assert "script/start.js" in read
    assert not any(name.endswith(".jinja") for name in read)


def test_notes_are_sentences_and_names_keep_their_letters() -> None:
    texts = ("counts do not say", "ap is extrapolated", "a is constant", "b: no hit", "ef@1% is 0", "It is so.", "")
    assert [words.sentence(text, ["a", "b", "ap"]) for text in texts] == [
        "Counts do not say.",
        "ap is extrapolated.",
        "a is constant.",
        "b: no hit.",
        "ef@1% is 0.",
        "It is so.",
        "",
    ]
