"""Comparisons of several rankers as a value: order, letters, tables, and the test of a pair."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import pickle
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import ColumnNotFoundError, ParameterError, UndefinedMetricWarning
from hitcurve.inference.comparing.comparisons import COLUMNS, Comparisons
from hitcurve.inference.comparing.letters import letters_of
from hitcurve.report import render
from tests.shell import Shell
from tests.strategies import law

SHIFTS = {"weak": 0.5, "best": 1.6, "second": 1.5, "third": 1.2}


def evaluated(**options: Any) -> Any:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [50, 450])
    scores = {name: rng.normal(size=500) + shift * y for name, shift in SHIFTS.items()}
    return hc.evaluate(y, scores, metrics=["ap", "auc"], **options)


EV = evaluated()
GROUPED = evaluated(by=np.arange(500) % 10)
FOUND = EV.compare_all("ap")


@pytest.mark.parametrize("ev", [EV, GROUPED, evaluated(paired=False)], ids=["paired", "groups", "two samples"])
@pytest.mark.parametrize("form", ["ap", "auc"])
def test_the_winner_is_first(ev: Any, form: str) -> None:
    found = ev.compare_all(form)
    assert len(found) == 6
    assert [test.difference.value >= 0 for test in found] == [True] * 6
    assert [test.values[0] >= test.values[1] for test in found] == [True] * 6
    assert list(found.values.values()) == sorted(found.values.values(), reverse=True)
    pairs = [(test.first, test.second) for test in found]
    assert pairs == list(combinations(found.rankers, 2))
    for test in found:
        own = ev.compare(test.first, test.second, form)
        assert (own.pvalue, own.difference) == (test.pvalue, test.difference)


def test_sides_and_null_differences_keep_the_order_of_the_rankers() -> None:
    given_pairs = list(combinations(SHIFTS, 2))
    for side in ("greater", "less"):
        for ev in (EV, GROUPED):
            found = ev.compare_all("ap", alternative=side)
            assert [(test.first, test.second) for test in found] == given_pairs
            assert found.letters is None
    assert [(t.first, t.second) for t in GROUPED.compare_all("ap", null=0.1)] == given_pairs


def test_a_baseline_is_second_and_the_best_is_first() -> None:
    for ev in (EV, GROUPED):
        found = ev.compare_all("ap", baseline="second")
        assert [test.second for test in found] == ["second"] * 3
        differences = [test.difference.value for test in found]
        assert differences == sorted(differences, reverse=True)
        assert found.baseline == "second"
        assert found.letters is None
        assert "each ranker minus second" in str(found)
        with pytest.raises(ColumnNotFoundError, match="'weak' and 'best' were not compared: all were compared"):
            found["weak", "best"]


def test_it_is_a_sequence_of_comparisons() -> None:
    assert len(FOUND) == len(list(FOUND)) == 6
    assert FOUND[0] is FOUND.tests[0]
    assert FOUND[-1] == list(FOUND)[-1]
    assert FOUND[:2] == FOUND.tests[:2]
    assert FOUND.tests[3] in FOUND
    assert pickle.loads(pickle.dumps(FOUND)) == FOUND
    assert EV.compare_all("ap") == FOUND
    assert EV.compare_all("auc") != FOUND
    with pytest.raises(ParameterError, match="pair of rankers"):
        FOUND["best", "weak", "third"]
    with pytest.raises(ColumnNotFoundError, match="no ranker 'bets'; did you mean 'best'"):
        FOUND["bets", "weak"]
    with pytest.raises(ParameterError, match="at least one test"):
        hc.Comparisons(())
    with pytest.raises(ParameterError, match="of one metric, got ap and auc"):
        hc.Comparisons((FOUND[0], EV.compare_all("auc")[0]))


METHODS = ["delta", "delong", "bootstrap", "swap-permutation", "inversion", "paired-permutation", "unpaired-t"]


@pytest.mark.parametrize("method", METHODS)
def test_a_pair_may_be_asked_for_in_either_order(method: str) -> None:
    form = {"delong": "auc", "inversion": "ndcg"}.get(method, "ap")
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [30, 170])
    ev = hc.evaluate(y, {"a": rng.normal(size=200) + y, "b": rng.normal(size=200) + 1.5 * y}, metrics=form)
    options: dict[str, Any] = {} if method in ("delta", "delong", "inversion", "unpaired-t") else {"n_resamples": 99}
    if method == "bootstrap":
        options["interval"] = "bca"
    found = ev.compare_all(form, method=method, **options)
    for pair in (("a", "b"), ("b", "a")):
        own, expected = found[pair], ev.compare(*pair, form, method=method, **options)
        assert (own.first, own.second) == pair
        assert own.values == pytest.approx(expected.values)
        assert own.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
        assert own.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert own.difference.value == pytest.approx(expected.difference.value)
        for level in (None, 0.8):
            limits = own.difference.confidence_interval(level), expected.difference.confidence_interval(level)
            assert tuple(limits[0]) == pytest.approx(tuple(limits[1]), rel=1e-9)


def test_mirrored_in_every_number() -> None:
    together = EV.compare_all("ap", adjust="max-t")
    one, other = together["best", "weak"], together["weak", "best"]
    assert one.simultaneous is not None
    assert other.simultaneous is not None
    assert (other.simultaneous.low, other.simultaneous.high) == (-one.simultaneous.high, -one.simultaneous.low)
    assert other.mirrored() == one
    of_groups = GROUPED.compare_all("ap")
    assert of_groups["weak", "best"].wins == of_groups["best", "weak"].losses
    side = EV.compare_all("ap", alternative="greater")["best", "weak"]
    assert side.alternative == "less"
    assert side.pvalue == EV.compare("best", "weak", "ap", alternative="less").pvalue
    ranks = GROUPED.compare_all("ap", method="wilcoxon")
    first, second = ranks[0].first, ranks[0].second
    assert ranks[first, second] is ranks[0]
    with pytest.raises(ParameterError, match="sum of ranks"):
        ranks[second, first]


# ---- letters


@pytest.mark.slow
@law(200)
@given(data=st.data(), count=st.integers(1, 9))
def test_letters_are_shared_exactly_by_those_that_do_not_differ(data: st.DataObject, count: int) -> None:
    names = [f"r{i}" for i in range(count)]
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    apart = {pair for pair in pairs if data.draw(st.booleans())}
    letters = letters_of(names, lambda a, b: frozenset((a, b)) in apart)
    assert list(letters) == names
    sets = {name: set(re.findall(r"[a-z]\d*", text)) for name, text in letters.items()}
    assert all(sets.values())
    for a, b in combinations(names, 2):
        assert bool(sets[a] & sets[b]) is (frozenset((a, b)) not in apart)


def test_letters_by_hand() -> None:
    """A chain in which neighbours are alike, and more letters than the alphabet has."""
    assert letters_of("wxyz", lambda a, b: abs(ord(a) - ord(b)) > 1) == {"w": "a", "x": "ab", "y": "bc", "z": "c"}
    many = letters_of([str(i) for i in range(60)], lambda a, b: True)
    assert [many[str(i)] for i in (0, 25, 26, 59)] == ["a", "z", "a1", "h2"]


def test_letters_follow_the_adjusted_p_values() -> None:
    names = FOUND.rankers
    assert FOUND.letters == {"best": "a", "second": "ab", "third": "b", "weak": "c"}
    for a, b in combinations(names, 2):
        shared = set(FOUND.letters[a]) & set(FOUND.letters[b])
        assert bool(shared) is ((FOUND[a, b].adjusted or 0) > 0.05)
    wide = evaluated(confidence_level=0.999).compare_all("ap")
    assert wide.letters != FOUND.letters
    assert "differ at the 0.1% level" in str(wide)


# ---- printed and as data


def test_many_pairs_print_as_one_table() -> None:
    text = str(FOUND)
    lines = text.splitlines()
    assert lines[0] == "Comparisons by ap: all pairs"
    assert lines[2].split()[:3] == ["first", "second", "difference"]
    assert len(lines) == 24
    assert text.count("p values are adjusted by Holm's method") == 1
    assert text.count("subjects are drawn independently") == 1
    assert "50 positives, 450 negatives" in text
    assert re.search(r"^best +weak +0\.4440 \[0\.303, 0\.585\] +1\.509e-08 +9\.052e-08 +delta$", text, re.M)
    two = EV.compare_all("ap", baseline="best")
    assert "letters" not in str(two)
    y = np.repeat([1, 0], 40)
    pair = hc.evaluate(y, {"a": range(80, 0, -1), "b": (80 - np.arange(80)) % 50}, metrics="auc").compare_all("auc")
    assert str(pair) == str(pair[0])
    assert "simultaneous 95% interval" in str(EV.compare_all("ap", adjust="max-t"))
    assert "wins-ties-losses" in str(GROUPED.compare_all("ap"))
    drawn = EV.compare_all("ap", method="swap-permutation", n_resamples=99, rng=3)
    assert str(drawn).count("99, seed 3") == 6


def test_every_format_has_the_same_rows() -> None:
    frame = FOUND.to_frame(backend="pandas")
    assert tuple(frame.columns) == COLUMNS
    read = pd.read_csv(io.StringIO(FOUND.to_csv()))
    assert tuple(read.columns) == COLUMNS
    content = json.loads(FOUND.to_json())
    assert content == FOUND.to_dict()
    assert content["letters"] == FOUND.letters
    for place, test in enumerate(FOUND):
        low, high = test.difference.confidence_interval()
        read_row = read.iloc[place]
        for row in (frame.iloc[place], read_row, content["comparisons"][place]):
            assert (row["first"], row["second"], row["method"]) == (test.first, test.second, test.method)
            numbers = [row[key] for key in ("difference", "low", "high", "pvalue", "adjusted")]
            exact = [test.difference.value, low, high, test.pvalue, test.adjusted]
            # pandas 2 reads a digit less
            assert numbers == (pytest.approx(exact, rel=1e-14) if row is read_row else exact)
    assert math.isnan(frame["simultaneous_low"][0])
    assert FOUND.to_frame(backend="polars").shape == (6, len(COLUMNS))
    markdown, latex, page = FOUND.to_markdown(), FOUND.to_latex(), FOUND.to_html()
    for text, joint, end in ((markdown, " | ", " |"), (latex, " & ", r" \\")):
        for line in FOUND.table_rows()[1]:
            assert joint.join(line) + end in text
    assert latex.count(r"\begin{tabular}") == 2
    assert page.count("<table>") == 2
    assert page.count("<tr>") == 1 + 6 + 1 + 4


def test_columns_are_the_same_whatever_the_tests() -> None:
    made = [
        FOUND,
        GROUPED.compare_all("auc"),
        EV.compare_all("ap", adjust="max-t"),
        EV.compare_all("ap", method="paired-wilcoxon"),
        evaluated(paired=False).compare_all("auc"),
    ]
    for found in made:
        assert next(csv.reader([found.to_csv().splitlines()[0]])) == list(COLUMNS)
        assert tuple(found.to_frame(backend="pandas").columns) == COLUMNS
        assert "nan" not in str(found)
        assert "nan" not in found.to_json().lower().replace("dominan", "")


# ---- beside an evaluation, and on the command line


def four(folder: Path) -> str:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [50, 450])
    scores = {name: rng.normal(size=500) + shift * y for name, shift in SHIFTS.items()}
    pd.DataFrame({"y": y, "g": np.arange(500) % 10, **scores}).to_csv(folder / "four.csv", index=False)
    chosen = " ".join(f"-s {name}" for name in SHIFTS)
    return f"evaluate {folder / 'four.csv'} -l y {chosen} -m ap -m auc --compare ap"


def test_four_rankers_are_one_table_on_the_shell(tmp_path: Path, shell: Shell) -> None:
    words = four(tmp_path)
    code, out, err = shell(*words.split())
    assert (code, err) == (0, "")
    assert out.endswith(f"\n\n{FOUND}\n")
    assert out.count("Delta-method test") == 1
    _, by, _ = shell(*words.split(), "--by", "g")
    assert by.endswith(f"\n\n{evaluated(by=np.arange(500) % 10).compare_all('ap')}\n")
    _, two, _ = shell(*words.split(), "--compare", "auc")
    assert two.count("Comparisons by") == 2


def test_every_output_carries_comparisons(tmp_path: Path, shell: Shell) -> None:
    words = four(tmp_path).split()
    _, markdown, _ = shell(*words, "-f", "markdown")
    assert markdown.endswith(f"\n\n{FOUND.to_markdown()}")
    _, latex, _ = shell(*words, "-f", "latex")
    assert latex.endswith(f"\n\n{FOUND.to_latex()}")
    _, text, _ = shell(*words, "-f", "json")
    content = json.loads(text)
    assert content["comparisons"] == FOUND.to_dict()["comparisons"]
    assert content["letters"] == {"ap": FOUND.letters}


@pytest.mark.parametrize("groups", [(), ("--by", "g")], ids=["one list", "groups"])
def test_csv_names_its_parts(groups: tuple[str, ...], tmp_path: Path, shell: Shell) -> None:
    words = four(tmp_path).split()
    code, text, _ = shell(*words, "--compare", "auc", *groups, "-f", "csv")
    assert code == 0
    read = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    assert list(read.columns[:1]) == ["part"]
    tests = read[read["part"] == "comparisons"]
    assert list(tests["metric"]) == ["ap"] * 6 + ["auc"] * 6
    own = GROUPED if groups else EV
    for form in ("ap", "auc"):
        expected = own.compare_all(form).to_frame(backend="pandas")
        found = tests[tests["metric"] == form]
        for key in ("difference", "low", "high", "pvalue", "adjusted"):
            assert found[key].to_numpy(float) == pytest.approx(expected[key].to_numpy(), rel=1e-12)
    alone = pd.read_csv(io.StringIO(shell(*words[:-2], *groups, "-f", "csv")[1]), dtype=str, keep_default_na=False)
    assert "part" not in alone.columns
    pd.testing.assert_frame_equal(read[read["part"] == "results"][alone.columns.tolist()], alone)


def shown_as(ev: Any, form: str, **options: Any) -> str:
    return str(getattr(ev, f"to_{form}")(**options))


@pytest.mark.parametrize("form", ["latex", "markdown", "html"])
@pytest.mark.parametrize("ev", [EV, GROUPED], ids=["one list", "groups"])
def test_evaluations_as_tables_with_standard_errors(ev: Any, form: str) -> None:
    joint = {"latex": " & ", "markdown": " | ", "html": "</td><td>"}[form]
    without = shown_as(ev, form)
    if form == "html":
        assert without == ev._repr_html_()
    else:
        assert without == render(ev, form)
    assert "(standard error)" not in without
    text = shown_as(ev, form, standard_error=True)
    level = r"95\%" if form == "latex" else "95%"
    assert f"(standard error) [{level} interval]" in text
    table = without[without.index({"latex": "tabular", "markdown": "|", "html": "<thead"}[form]) :]
    assert f"[{level} interval]" in table  # where the numbers stand, not in a comment
    for m in ("ap", "auc"):
        of = [ev[name, m] if ev is EV else ev.mean(name, m) for name in SHIFTS]
        cells = []
        for e in of:
            low, high = (rows.number(end, 3) for end in e.interval)
            cells.append(f"{rows.number(e.value)} ({rows.number(e.standard_error, 3)}) [{low}, {high}]")
        assert joint.join(cells) in text


def test_one_test_has_the_formats_of_several() -> None:
    test = EV.compare("best", "weak", "ap")
    assert test.to_latex() == Comparisons((test,)).to_latex()
    assert test.to_markdown() == Comparisons((test,)).to_markdown()
    assert test.to_html() == test._repr_html_()
    assert r"difference [95\% interval]" in test.to_latex()
    assert "None" not in hc.compare_from_stats(0.5, 0.1, 20, 0.4, 0.1, 20).to_markdown()


def test_methods_are_text_of_latex(tmp_path: Path, shell: Shell) -> None:
    file = tmp_path / "s.csv"
    file.write_text("y,a_b,c%\n" + "".join(f"{i % 3 == 0:d},{i * 7 % 31},{i * 5 % 29}\n" for i in range(30)))
    done = shell("evaluate", str(file), "-l", "y", "-s", "a_b", "-s", "c%", "-f", "latex", "--methods", "-m", "ef@10%")
    end = done.out[done.out.index(r"\end{tabular}") :]
    assert r"The rankings by a\_b and c\% of 30 subjects" in end
    assert not re.search(r"(?<!\\)[%_&#$]", end)
    first = {"[1]": "{[}1]", "*star": "{*}star", "*[x]": "{*}[x]", "a--b---c": "a-{}-b-{}-{}-c", "``x''": None}
    for name, written in first.items():
        written = written or r"\textasciigrave{}\textasciigrave{}x'{}'"
        assert rows.latex_table(["a"], [[name]]).splitlines()[4] == rf"{written} \\"


def test_standard_errors_that_cannot_be_had_are_left_out() -> None:
    ev = hc.evaluate([1, 0, 0, 0], [4, 3, 2, 1], metrics="ap")
    text = ev.to_markdown(standard_error=True)
    assert "| 1.000 |" in text
    assert not re.search(r"\bnan\b", text)


def test_names_of_rankers_are_shown_not_obeyed() -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], 40)
    names = ["<b>x</b>", "=1+1", "a|b\x1b[31m", "50%_$"]
    found = hc.evaluate(y, {name: rng.normal(size=80) + y for name in names}, metrics="auc").compare_all("auc")
    assert "<b>" not in found.to_html()
    assert "<b>" not in found.to_markdown()
    assert "\x1b" not in str(found) + found.to_html() + found.to_csv() + found.to_json() + found.to_latex()
    assert "'=1+1" in found.to_csv()
    assert r"50\%\_\$" in found.to_latex()
    assert r"a|b\x1b" not in found.to_markdown()


def test_a_comparison_is_shown_in_a_notebook() -> None:
    page = FOUND[0]._repr_html_()
    assert page.count("<table>") == 1
    assert "Delta-method test of ap: best - second" in page
    assert '<th scope="row">p value</th><td>0.05211</td>' in page


def read_table(page: str) -> dict[str, str]:
    """Return the cells of tables without a head by the names of their rows."""
    cells = re.findall(r'<tr><th scope="row">(.*?)</th><td>(.*?)</td></tr>', page)
    return {name: html.unescape(text) for name, text in cells}


def test_single_results_are_shown_in_a_notebook() -> None:
    e = EV["best", "ap"]
    assert e.interval is not None
    shown = read_table(e._repr_html_())
    assert shown["value"] == rows.number(e.value)
    assert shown["standard error"] == rows.number(e.standard_error)
    assert shown["95% interval"] == f"{' to '.join(map(rows.number, e.interval))} ({e.interval_method})"
    mean = GROUPED.mean("best", "ap")
    shown = read_table(mean._repr_html_())
    assert (shown["mean"], shown["groups"]) == (rows.number(mean.value), "10")
    cut = EV.tables["best"].confusion(k=11)
    assert '<tr><th scope="row">selected' in cut._repr_html_()
    assert read_table(cut._repr_html_())["precision"] == rows.number(cut.precision)
    power = hc.power_analysis("ap", EV, 0.1, power=0.8)
    shown = read_table(power._repr_html_())
    assert (shown["positives"], shown["power"]) == (f"{power.n_pos:,}", "0.800")
    assert " to " in shown["95% interval of the positives"]


def test_what_cannot_be_had_has_a_reason_in_a_notebook() -> None:
    few = hc.evaluate([1, 0, 1, 0], {"<i>": [4, 3, 2, 1]}, metrics="ap")["<i>", "ap"]
    shown = few._repr_html_()
    assert "<i>" not in shown
    assert "too few for an interval" in read_table(shown)["95% interval"]
    assert "too few for an interval" in read_table(shown)["reason"]
    with pytest.warns(UndefinedMetricWarning):
        gone = hc.evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="precision@9", undefined="nan")["score", "precision@9"]
    assert read_table(gone._repr_html_())["value"] == "undefined"
    nothing = EV.tables["best"].confusion(threshold=99)
    for page in (shown, gone._repr_html_(), nothing._repr_html_()):
        assert not re.search(r"\bnan\b", page)


@pytest.mark.parametrize("adjust", ["holm", "max-t"])
@pytest.mark.parametrize("baseline", [None, "weak"])
def test_a_paper_gets_the_adjusted_p_values(adjust: str, baseline: str | None) -> None:
    found = EV.compare_all("ap", adjust=adjust, baseline=baseline)
    *sentences, about = found.methods_text().splitlines()
    name = {"holm": "Holm's method", "max-t": "max-T"}[adjust]
    assert f"adjusted by {name} for the {len(found)} comparisons" in about
    assert ("simultaneous" in about) is (adjust == "max-t")
    for test, sentence in zip(found, sentences, strict=True):
        told = test.adjusted_text if test.adjusted_text.startswith("<") else f"= {test.adjusted_text}"
        drawn = "" if test.adjustment_draws is None else f", {test.adjustment_draws:,} random draws"
        assert f"(adjusted p {told}, {name}{drawn})" in sentence
        assert (test.simultaneous is not None) is (adjust == "max-t")
        if test.simultaneous is not None:
            low, high = map(rows.number, test.simultaneous)
            assert f"simultaneous 95% interval {low} to {high})" in sentence


def test_a_paper_gets_the_adjusted_p_values_of_groups_and_on_the_shell(shell: Shell, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = np.tile([1, 0, 0, 0], 60)
    scores = {name: rng.normal(size=240) + shift * y for name, shift in SHIFTS.items()}
    by = np.repeat(np.arange(6), 40)
    found = hc.evaluate(y, scores, by=by, metrics="auc").compare_all("auc")
    assert found.methods_text().count("adjusted p ") == len(found) == 6
    assert "adjusted by Holm's method for the 6 comparisons" in found.methods_text()
    alone = hc.evaluate(y, {name: scores[name] for name in ("weak", "best")}, by=by, metrics="auc").compare_all("auc")
    assert "adjusted" not in alone.methods_text()
    path = tmp_path / "list.csv"
    pd.DataFrame({"y": y, **scores}).to_csv(path, index=False)
    given = [x for name in SHIFTS for x in ("--score", name)]
    for adjust, name in (("holm", "Holm's method"), ("max-t", "max-T")):
        text = shell("evaluate", path, "--label", "y", *given, "--compare", "auc", "--adjust", adjust, "--methods").out
        assert text.count("(adjusted p ") == 6
        assert f"adjusted by {name} for the 6 comparisons" in text


def test_an_adjusted_p_value_that_no_draw_exceeds_is_a_bound() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [200, 1000])
    common = rng.normal(size=1200) + y
    scores = {"near": common + rng.normal(size=1200) / 9, "same": common + rng.normal(size=1200) / 9}
    found = hc.evaluate(y, {**scores, "noise": rng.normal(size=1200) + y / 9}, metrics="ap").compare_all(
        "ap", adjust="max-t"
    )
    far, close = found["near", "noise"], found["near", "same"]
    assert far.adjusted == 1 / 100_001
    assert far.pvalue < 1e-12
    for text in (str(found), str(far)):
        assert "<= 1e-05" in text
        assert "1.000e-05" not in text
    assert "adjusted p <= 1e-05, max-T" in far.methods_text()
    assert far.to_dict()["adjustment_draws"] == 100_000
    assert (close.adjusted or 0) > 0.001
    assert close.adjusted_text == rows.p_alone(close.adjusted or 0)
    by_formula = EV.compare_all("ap")[0]
    assert (by_formula.adjustment_draws, by_formula.adjusted_text) == (None, rows.p_alone(by_formula.adjusted or 0))


def test_max_t_is_not_said_to_be_sharper() -> None:
    said = hc.Evaluation.compare_all.__doc__ or ""
    assert "more power" not in said
    assert "rejected less often than Holm" in said
