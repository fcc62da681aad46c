"""The page: what it says, and what a browser makes of it."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.datasets import mammography
from hitcurve.errors import MissingExtraError, ParameterError, UnreadableFileError
from hitcurve.evaluation.sensitivities.sensitivity_grids import default_grid
from hitcurve.report import page, report, small
from hitcurve.report.html.build import RESULTS
from hitcurve.report.html.drawn import distances, draw, points_of
from tests.pages import ODD, bracket, evaluation, normal_scores
from tests.shell import Shell

pytest.importorskip("vl_convert")
pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")


def embedded(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="hitcurve">(.*?)</script>', text, re.DOTALL)
    assert found
    return json.loads(found.group(1))


# ---- the file


@pytest.mark.slow
def test_the_file_is_whole_and_small(whole_page: Path) -> None:
    text = whole_page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert len(text.encode()) < 3_000_000
    assert "Three rankers" in text
    # nothing is asked of anybody: no address but those of namespaces
    page_alone = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert not re.findall(r"(?:src|href)=[\"'](?!#|data:,)", page_alone)


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
def test_the_same_evaluation_makes_the_same_file() -> None:
    pages = [page(evaluation(("a", "b"), 20, 300)) for _ in range(2)]
    assert pages[0] == pages[1]
    dated = page(evaluation(("a", "b"), 20, 300), date="1 May")
    assert dated.replace(", 1 May</footer>", "</footer>") == pages[0]


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
def test_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ev = evaluation(("a",), 20, 300)
    path = hc.report(ev, str(tmp_path / "report.html"))
    before = path.read_text(encoding="utf-8")
    with pytest.raises(UnreadableFileError, match="cannot write"):
        hc.report(ev, tmp_path / "nowhere" / "report.html")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(UnreadableFileError, match="No space left"):
        hc.report(ev, path, "another")
    assert path.read_text(encoding="utf-8") == before
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_what_has_a_page_is_listed_once() -> None:
    for function in (report, page):
        assert inspect.signature(function).parameters["ev"].annotation == " | ".join(RESULTS)


@pytest.mark.slow
def test_what_is_no_report_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns: Any = {"reader": "reader", "modality": "modality", "case": "case"}
    of_readers = hc.evaluate_readers("truth", "rating", data=hc.datasets.reader_study(), **columns)["auc"]
    nothing: Any
    for nothing in (None, {}, hc.metric("auc"), of_readers):
        sentence = f"a report needs one of {', '.join(RESULTS)}, got {type(nothing).__name__}"
        with pytest.raises(ParameterError, match=f"^{sentence}$"):
            hc.report(nothing, tmp_path / "x.html")
    ev = evaluation(("a", "b"), 20, 300)
    with pytest.raises(ParameterError, match="baseline must be one of 'a', 'b'"):
        hc.report(ev, tmp_path / "x.html", baseline="c")
    many = {f"r{i}": hc.HitTable.from_counts([3, 2], [1, 9]) for i in range(25)}
    with pytest.raises(ParameterError, match="at most 24 rankers"):
        hc.report(hc.evaluate(tables=many, metrics="auc"), tmp_path / "x.html")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"hitcurve\[report\]"):
        hc.report(ev, tmp_path / "x.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["zz.md", "zz.CSV", "zz.html.gz"])
def test_a_page_has_the_name_of_one_in_python_and_in_the_shell(name: str, tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / name
    ev = hc.evaluate([1, 0, 1, 0], {"a": [4, 3, 2, 1]}, metrics="auc")
    with pytest.raises(ParameterError, match=r"^a report is an HTML page, got .*: end it in \.html; ") as refused:
        hc.report(ev, path)
    in_python, _, way = str(refused.value).rpartition(" are returned by its method ")
    assert way in ("to_markdown()", "to_frame()")
    said = shell("report", "none.csv", "-l", "y", "-s", "a", "-o", path).refusal
    assert said == f"{in_python} are written by hitcurve evaluate --output {name}"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("given", [{"title": 3}, {"title": b"x"}, {"title": ["a"]}, {"date": 20260131}])
def test_a_title_is_text(given: dict[str, Any], tmp_path: Path) -> None:
    ev = hc.evaluate([1, 0, 1, 0], {"a": [4, 3, 2, 1]}, metrics="auc")
    option = next(iter(given))
    with pytest.raises(ParameterError, match=f"^{option} must be text, got "):
        hc.report(ev, tmp_path / "r.html", **given)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_page_does_not_grow_with_the_data(tmp_path: Path) -> None:
    sizes = []
    for subjects in (10_000, 10_000_000):
        rng = np.random.default_rng(3)
        y = np.zeros(subjects, bool)
        y[:1000] = True
        scores = rng.standard_normal(subjects, dtype=np.float32)
        scores[:1000] += 1.5
        text = page(hc.evaluate(y, {"a": scores}, metrics=["ap", "auc"]))
        sizes.append(len(text.encode()))
        assert re.search(r"No line deviates from its curve by more than 0\.[234]% of an axis", text)
    assert sizes[1] < 1.1 * sizes[0]


@pytest.mark.parametrize(("positives", "subjects"), [(5, 40), (80, 900), (3000, 100_000)])
def test_lines_are_as_near_to_their_curves_as_the_page_says(positives: int, subjects: int) -> None:
    y, scores = normal_scores(("a",), positives, subjects)
    for table in (hc.HitTable.from_scores(y, scores["a"]).collapse(), mammography()["film"]):
        grids = [default_grid(along, {"a": table}) for along in ("alpha", "prevalence")]
        drawn = draw(table, *grids)
        assert drawn.off < 0.004
        assert drawn.points.P.size < 700
        # between the points that are drawn the curve itself is looked at
        line = np.flatnonzero(drawn.line)
        P, Q = drawn.points.P[line], drawn.points.Q[line]
        for f in (hc.magnify.Exponential(7), hc.magnify.Exponential(200)):
            curve = hc.croc_curve(table, magnification=f)
            x = np.linspace(0, 1, 4001)
            exact = curve.at(x)
            # distance to the line through the points: at most that of a point to one of its pieces
            fx = np.asarray(f(Q))
            low = np.interp(x - 0.004, fx, P) - 0.004
            high = np.interp(x + 0.004, fx, P) + 0.004
            assert np.all((exact >= low) & (exact <= high))
        assert np.max(distances(points_of(table), np.ones(points_of(table).P.size, bool), lambda p: (p.Q, p.P))) == 0


def test_thresholds_of_low_scores_that_are_good_are_those_that_were_given() -> None:
    table = hc.HitTable.from_scores([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4], higher_is_better=False)
    drawn = draw(table, (1.0,), (0.5,), higher_is_better=False)
    assert next(text for text in drawn.thresholds if "0." in text) == "\N{LESS-THAN OR EQUAL TO} 0.1"


def test_points_are_read_off_the_curves(ev: hc.Evaluation) -> None:
    table = ev.tables["trees"]
    drawn = draw(table, (1.0, 7.0), (0.04, 0.5))
    for i in np.flatnonzero(drawn.points.vertex >= 0)[1:-1:7]:
        text = drawn.thresholds[i]
        if not text.startswith(">"):
            cut = table.confusion(k=round(drawn.called[i]))
            assert drawn.hits[i] == pytest.approx(cut.tp)
            assert drawn.precision[i] == pytest.approx(cut.precision)
            assert drawn.lift[i] == pytest.approx(cut.lift)
            assert drawn.points.Q[i] == pytest.approx(cut.false_positive_rate)


# ---- the words


def plain(text: str) -> str:
    body = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def minus(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}")


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
def test_what_was_evaluated_is_said() -> None:
    y, scores = normal_scores(("a", "b"), 30, 400, decimals=1)
    scores["b"][5] = np.nan
    ev = hc.evaluate(y, scores, metrics=["ap", "auc"], missing="drop")
    said = plain(page(ev))
    for text in (
        "2 rankers of 399 subjects, 29 of them positive (7.27%).",
        "Design cohort (the number of positives was sampled)",
        "1 of 400 rows had a missing value and were dropped for all rankers",
        "subjects in ties of positives and negatives",
        "Subjects 399, the same for all rankers",
        "1 of 400 rows were dropped for a missing value",
        "Effect of the order of ties",
        "The rankers are compared by ap.",
        "random baseline",
    ):
        assert text in said, text
    for e in ev:
        assert f"{rows.number(e.value)} {bracket(*e.confidence_interval(0.9))}" in said
        assert bracket(*e.confidence_interval(0.99)) in said


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
def test_comparisons_are_in_words(ev: hc.Evaluation) -> None:
    said = plain(page(ev))
    found = ev.compare_all("ap", rng=0)
    adjusted = "The p values are adjusted for the number of comparisons (Holm); intervals are not adjusted."
    assert f"All pairs of rankers are compared by ap. {adjusted}" in said
    for c in found:
        assert minus(bracket(*c.difference.confidence_interval(0.95))) in said
        assert rows.p_alone(c.pvalue, 3) in said
    against = page(ev, baseline="rule")
    assert "Each ranker is compared with rule by ap" in plain(against)
    for one in embedded(against)["answers"]:
        assert all(2 in (one["leader"], option) for option in one["options"])


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
def test_counts_are_compared_as_two_samples() -> None:
    table = mammography()["film"]
    three = hc.evaluate(tables={**mammography(), "later": table + table}, metrics=["ap", "auc"])
    said = plain(page(three))
    tests = [
        hc.compare_from_stats(three[a, "ap"], three[b, "ap"])
        for a, b in combinations(three.compare_all("ap").rankers, 2)
    ]
    for c in tests:
        assert minus(bracket(*c.difference.confidence_interval(0.99))) in said
        assert rows.p_alone(c.pvalue, 3) in said
    # Holm: the smallest of three counts three times
    assert f"adjusted {rows.short(min(3 * min(c.pvalue for c in tests), 1), 3)}, " in said
    assert "test of two samples" in said
    few = {name: hc.HitTable.from_ranks([1, 4, 9], 90) for name in ("a", "b")}
    few_said = plain(page(hc.evaluate(tables=few, metrics="auc")))
    assert "No comparison by auc: 3 positives are too few for an interval (at least 5 of either class)." in few_said


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
def test_why_there_is_no_interval_is_said_below_the_numbers() -> None:
    y, scores = normal_scores(("a", "b"), 30, 400)
    said = plain(page(hc.evaluate(y, scores, metrics=["wss@100%", "auc"])))
    assert "No interval of wss@100%: wss@100% depends on the rank of the last of 30 positives" in said
    some = plain(page(hc.evaluate(y, scores, metrics=["ap", "auc"], prevalence=0.001)))
    assert "No interval of ap: ap at a set prevalence depends on only" in some
    none = plain(page(hc.evaluate(*normal_scores(("a", "b"), 3, 40), metrics=["ap", "auc"])))
    assert "No interval: 3 positives are too few for an interval (at least 5 of either class)." in none


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
def test_a_name_turns_nothing_around() -> None:
    turning = "\N{OWL} \N{RIGHT-TO-LEFT OVERRIDE}abc"
    ev = evaluation((turning, "\N{HEBREW LETTER ALEF}" * 200), 40, 500)
    text = re.sub(r"<(script|style)\b.*?</\1>", "", page(ev), flags=re.DOTALL)
    whole, cut = (
        f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"
        for name in (rows.visible(turning), "\N{HEBREW LETTER ALEF}" * 59 + "\N{HORIZONTAL ELLIPSIS}")
    )
    assert f"The rankings by {whole} and {cut} of 500 subjects" in text
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in text


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"paired": False},
            "The rankers are compared by ap. The rankers ranked different subjects. ",
        ),
        ({"higher_is_better": {"b": False}}, "Direction higher is better; lower is better for b"),
        ({"higher_is_better": False}, "Direction lower is better"),
        ({"clusters": np.arange(400) % 40}, ", clustered subjects"),
        ({"prevalence": 0.01}, "evaluated at the known prevalence 1%"),
        ({"sample_weight": np.linspace(0.5, 2, 400)}, "subjects by weight"),
    ],
)
def test_what_there_is_not_is_said(options: dict[str, Any], said: str) -> None:
    y, scores = normal_scores(("a", "b"), 30, 400)
    text = page(hc.evaluate(y, scores, metrics=["ap", "auc"], **options))
    assert said in plain(text)
    data = embedded(text)
    if "sample_weight" in options:
        assert data["bands"]["roc"][0]["why"] == "bands need whole subjects and cannot be combined with weights"
    if "clusters" in options:
        assert data["bands"]["roc"][0]["why"] == "subjects within clusters are dependent"
    if "prevalence" in options:
        assert list(data["budget"]["lines"]) == ["precision", "recall", "ef"]


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
def test_where_lower_is_better_the_best_is_lower() -> None:
    found = plain(page(evaluation(("a", "b"), 30, 400, metrics=["loss", "auc"])))
    assert re.search(r"(a|b) has a lower loss than (a|b)", found)
    assert found.count("lower is better") == 1
    assert re.search(r"(a|b) has a higher auc than (a|b)", found)


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
def test_few_positives_and_ready_tables() -> None:
    few = page(hc.evaluate(*normal_scores(("a", "b"), 3, 40), metrics=["ap", "auc"]))
    assert "too few for an interval" in plain(few)
    data = embedded(few)
    assert data["bands"]["roc"][0]["why"].startswith("3 positives are too few for a simultaneous band")
    assert data["alpha"]["reasons"][1] == "3 positives are too few for an interval (at least 5 of either class)"
    tables = plain(page(hc.evaluate(tables=mammography(), metrics=["ap", "auc"])))
    assert "If the rankers ranked the same subjects, differences are usually more precise." in tables
    assert "Direction counts are given from the best score down" in tables
    assert "unknown: the input was counts" in tables
    alone = plain(page(hc.evaluate(*normal_scores(("a",), 30, 400), metrics=["ap", "momentum"])))
    assert "There is only one ranker, so there is no comparison." in alone
    random = evaluation(("a",), 30, 400, metrics="ap")["a", "ap"].random
    assert f"The random baseline is {rows.short(random)}, the best value 1." in alone
    assert "scaled AP over scaled AUC" in alone


@pytest.mark.usefixtures("coarse_grids")
def test_undefined_metrics_and_ties_everywhere() -> None:
    y = np.repeat([1, 0], [20, 200])
    scores = {"tied": np.zeros(220), "perfect": np.arange(220, 0, -1)}
    text = page(hc.evaluate(y, scores, metrics=["momentum", "auc"], undefined="nan"))
    said = plain(text)
    assert "momentum of &#39;tied&#39; is undefined" in said
    assert "No comparison" in said
    assert embedded(text)["bands"]["roc"][0]["why"].startswith("all scores are tied")


@pytest.mark.usefixtures("coarse_grids")
def test_weights_that_sum_to_one() -> None:
    y, scores = normal_scores(("a",), 30, 400)
    data = embedded(page(hc.evaluate(y, scores, metrics="ap", sample_weight=np.tile([0.5, 1.5], 200) / 400)))
    budgets = [float(k) for k in data["budget"]["grid"].split()]
    assert 0 < budgets[0] < 0.005 < 0.5 < budgets[-1] <= 1
    assert data["budget"]["says"][0].endswith("% of the list")
    assert data["charts"]["time"]["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0.01, 1.0]


@pytest.mark.usefixtures("coarse_grids")
def test_few_negatives_that_decide_are_said_at_other_prevalences() -> None:
    y, scores = normal_scores(("a",), 30, 400)
    data = embedded(page(hc.evaluate(y, scores, metrics="ap")))["precision"]
    for pi, said in zip(map(float, data["grid"]), data["says"], strict=True):
        number = 400 * pi / (1 - pi)
        here = pi == float(data["grid"][data["start"]])
        assert ("ap is extrapolated" in said) == (5 <= number < 80 and not here), (pi, said)
    assert any("extrapolated" in said for said in data["says"])


# ---- in a notebook


def test_a_notebook_shows_a_small_table() -> None:
    ev = hc.evaluate(tables=mammography(), metrics=["ap", "auc"])
    shown = ev._repr_html_()
    assert shown == small(ev)
    assert len(shown) < 4000
    assert "<script" not in shown
    table = re.sub(r"<style>.*?</style>", "", shown)
    assert table.startswith('<div class="hitcurve"><p>')
    assert all(line in table for line in ev.heading())
    header, body = ev.table_rows()
    for text in (*ev.levelled(header, body), *(cell for line in body for cell in line)):
        assert f">{text}</t" in table
    odd = hc.evaluate([1, 0, 1, 0], {ODD[0]: [4, 3, 2, 1]}, metrics="auc")
    assert "<script" not in odd._repr_html_()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in odd._repr_html_()


@pytest.mark.slow
def test_scores_of_operating_points_are_in_every_format() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [30, 90])
    ev = hc.evaluate(y, {name: rng.normal(size=120) + y for name in "ab"}, metrics=["auc", "fpr@tpr=90%"])
    (line,) = ev.about_cuts().splitlines()
    assert line.startswith("cutoff of fpr@tpr=90% of a: score at least ")
    for text in (str(ev), ev.to_markdown(), ev.to_latex().replace("\\", ""), ev.to_html()):
        assert line in text
    assert f"C{line[1:]}." in page(ev)


@pytest.mark.slow
def test_a_notebook_needs_no_extra() -> None:
    code = (
        "import sys\nfor name in ('jinja2', 'vl_convert'): sys.modules[name] = None\n"
        "import hitcurve as hc\nprint(hc.evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics='auc')._repr_html_()[:20])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("<div")


# ---- on the command line


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "hitcurve", *arguments], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_command_writes_the_page(tmp_path: Path) -> None:
    y, scores = normal_scores(("a", "b"), 12, 80)
    pd.DataFrame({"y": y, **scores}).to_parquet(tmp_path / "scores.parquet")
    out = tmp_path / "report.html"
    data = ("report", str(tmp_path / "scores.parquet"), "--label", "y", "--score", "a", "--score", "b")
    done = command(*data, "-o", str(out), "--title", "Two & two", "--prevalence", "0.01", "-m", "ap", "-m", "auc")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert f"wrote {out}" in done.stderr
    said = plain(out.read_text(encoding="utf-8"))
    assert "Two &amp; two" in said
    assert "evaluated at the known prevalence 1%" in said
    refused = command(*data, "-o", str(tmp_path / "nowhere" / "x.html"))
    assert refused.returncode == 2
    assert "cannot write" in refused.stderr
    assert command(*data, "--baseline", "c", "-o", str(out)).returncode == 2


@pytest.mark.slow
@pytest.mark.usefixtures("coarse_grids")
def test_progress_hears_every_part_once(ev: hc.Evaluation, tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    quiet = hc.report(ev, tmp_path / "quiet.html").read_bytes()
    told = hc.report(ev, tmp_path / "told.html", progress=lambda *said: heard.append(said)).read_bytes()
    assert told == quiet
    parts = [(done, count) for what, done, count in heard if what == "parts of the report"]
    assert parts == [(done, len(parts) - 1) for done in range(len(parts))]
    assert len(parts) > 1
    # what takes long says its name
    named = {"curves thinned for drawing", "roc bands", "precision-recall bands", "rankers along the budget"}
    assert named | {"comparisons of the report"} <= {what for what, *_ in heard}
