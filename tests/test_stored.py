"""Hit tables as files: what is read back is what was written, or there is an error."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve import stored
from hitcurve.cli.stored import OF_TABLES
from hitcurve.errors import GridMismatchError, InputError, ParameterError, UnreadableFileError
from hitcurve.immutable import same
from hitcurve.label_errors import LabelErrors
from hitcurve.tables import merged
from tests.metrics_under_test import FORMS
from tests.shell import Shell, shell
from tests.strategies import law

__all__ = ["shell"]

OLD = Path(__file__).parent / "stored"
RNG = np.random.default_rng(24)
Y = np.repeat([1, 0], [30, 90])[RNG.permutation(120)]
A = RNG.normal(size=120) + Y
GROUPS = np.array(["x", "ÿ", ""])[np.arange(120) % 3]


def _weights() -> Any:
    return 0.25 + RNG.random(120)


CASES: dict[str, Any] = {
    "full": hc.HitTable.from_scores(Y, A),
    "float32": hc.HitTable.from_scores(Y, A.astype(np.float32)),
    "float16": hc.HitTable.from_scores(Y, A.astype(np.float16)),
    "long floats": hc.HitTable.from_scores(Y, A.astype(np.longdouble) / 3),
    "infinite": hc.HitTable.from_scores(Y, np.where(A > 2, np.inf, np.where(A < -1, -np.inf, A))),
    "whole": hc.HitTable.from_scores(Y, np.rint(4 * A).astype(np.int16)),
    "huge": hc.HitTable.from_scores(Y, 2**63 + np.arange(120, dtype=np.uint64)),
    "collapsed": hc.HitTable.from_scores(Y, A).collapse(),
    "on a grid": hc.HitTable.from_scores(Y, A, grid=A[Y == 1]),
    "weights": hc.HitTable.from_scores(Y, A, sample_weight=_weights()),
    "unit": hc.HitTable.from_scores(Y, A, sample_weight=np.full(120, 0.1)),
    "one class": hc.HitTable.from_scores(np.zeros(5, bool), np.arange(5.0)),
    "counts": hc.HitTable.from_counts([10, 18, 25], [1, 11, 44]),
    "ranks": hc.HitTable.from_ranks([3, 17, 240], n=10**12),
    "strict": hc.HitTable.from_scores(Y, np.rint(A)).best_ties(),
    "prevalence": hc.HitTable.from_scores(Y, A).at_prevalence(1 / 3),
    "corrected": hc.HitTable.from_scores(Y, A).corrected(LabelErrors(0.1, 0.05, 0.01, 1 / 7)),
    "stack": hc.TableStack.from_scores(Y, A, GROUPS),
    "collapsed stack": hc.TableStack.from_tables({"a": hc.HitTable.from_scores(Y, A).collapse()}),
    "stack of weights": hc.TableStack.from_scores(Y, A, GROUPS, sample_weight=_weights()),
    "stack of units": hc.TableStack.from_scores(Y, A, GROUPS, sample_weight=1.0 + (GROUPS == "x")),
    "stack at prevalences": hc.TableStack.from_scores(Y, A, GROUPS).at_prevalence(np.array([0.1, 1 / 3, 0.5])),
}


def _fields(value: Any) -> dict[str, Any]:
    return {f.name: getattr(value, f.name) for f in fields(value)}


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and same(_fields(a), _fields(b))


@pytest.mark.parametrize("case", CASES)
def test_what_is_read_is_what_was_written(case: str, tmp_path: Path) -> None:
    value = CASES[case]
    path = tmp_path / "t.hit"
    value.save(path)
    found = hc.load_table(path)
    assert _same(found, value)
    assert not found.pos.flags.writeable
    assert path.read_bytes() != b""
    first = path.read_bytes()
    found.save(path)
    assert path.read_bytes() == first  # the same table is the same file


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_every_metric_is_the_same_to_the_bit(tmp_path: Path) -> None:
    table = CASES["collapsed"]
    table.save(tmp_path / "t.hit")
    before = hc.evaluate(tables={"a": table}, metrics=FORMS, undefined="nan")
    stored = hc.load_table(tmp_path / "t.hit")
    assert isinstance(stored, hc.HitTable)
    after = hc.evaluate(tables={"a": stored}, metrics=FORMS, undefined="nan")
    assert before.to_dict() == after.to_dict()


@st.composite
def _stacks(draw: Any, *, weighted: bool) -> hc.TableStack:
    """Stacks that one can make, of groups with equal, unequal and no weights."""
    n = draw(st.integers(1, 9))
    y, scores = (draw(st.lists(st.integers(0, most), min_size=n, max_size=n)) for most in (1, 3))
    groups = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    weight = draw(st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0]), min_size=n, max_size=n))
    weight[0] = weight[0] or 1.0
    given_scores = np.array(scores, draw(st.sampled_from(["i2", "f4", "f8"])))
    stack = hc.TableStack.from_scores(y, given_scores, groups, pos_label=1, sample_weight=weight if weighted else None)
    made = draw(st.sampled_from(["", "collapsed", "strict", "taken", "assumed"]))
    if made == "collapsed":
        return hc.TableStack.from_tables({name: stack[name].collapse() for name in stack.names})
    if made == "strict" and not weighted:
        return stack.strict(positives_first=True)
    if made == "taken":
        return stack[::-1][: draw(st.integers(1, len(stack)))]
    return stack.at_prevalence(np.linspace(0.1, 0.4, len(stack))) if made == "assumed" else stack


@pytest.mark.slow
@law(100)
@given(st.booleans().flatmap(lambda weighted: st.tuples(_stacks(weighted=weighted), _stacks(weighted=weighted))))
def test_every_stack_that_can_be_made_is_read_as_it_was(pair: tuple[hc.TableStack, hc.TableStack]) -> None:
    every = list(pair)
    with contextlib.suppress(GridMismatchError):
        every.append(pair[0] + pair[1])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.hit"
        for stack in every:
            stack.save(path)
            assert _same(hc.load_table(path), stack)
        tables = hc.Tables({"": every[0], "score": every[0]})
        tables.save(path)
        assert hc.load_tables(path) == tables


@pytest.mark.parametrize("rows", ["collapsed", "full"])
def test_groups_of_equal_weights_beside_groups_of_unequal_ones(rows: Any, tmp_path: Path) -> None:
    weight = [1, 1, 0.5, 0.7, 0, 0]
    path = tmp_path / "t.hit"
    tables = hc.count_tables(
        [1, 0, 1, 0, 1, 0], {"a": [1, 2, 3, 4, 5, 6]}, by=list("xxyyzz"), sample_weight=weight, rows=rows
    )
    assert np.isnan(tables["a"].unit).tolist() == [False, True, True]
    tables.save(path)
    assert hc.load_tables(path) == tables


def test_a_unit_of_nothing_is_refused_where_all_lists_hold_counts(tmp_path: Path) -> None:
    path = tmp_path / "t.hit"
    CASES["stack of units"].save(path)
    (own,) = stored.read(path).tables
    stored.write(path, stored.Stored([{**own, "unit": np.array([1.0, np.nan, 2.0])}], {}))
    with pytest.raises(UnreadableFileError, match=r"t.hit is damaged: the unit is not a positive number"):
        hc.load_table(path)


def test_half_a_character_is_one_sentence(tmp_path: Path) -> None:
    half = "site \udcff"
    stack = hc.TableStack.from_scores(Y, A, np.where(np.arange(120) < 60, half, "b"))
    for value in (stack, hc.Tables({half: CASES["full"]}), hc.Tables({"a": CASES["full"]}, notes=(half,))):
        with pytest.raises(ParameterError, match=r"half a character .* it is in 'site .udcff'; give the group"):
            value.save(tmp_path / "t.hit")
    assert not list(tmp_path.iterdir())
    ev = hc.evaluate(tables=stack, metrics="auc")
    if pd.Series(["a"]).dtype == object:  # pandas before 3 has text as objects, which hold anything
        assert half in ev.to_frame(backend="pandas")["group"].tolist()
        return
    with pytest.raises(ParameterError, match=r"half a character .* it is in 'site .udcff'"):
        ev.to_frame(backend="pandas")


def test_labels_that_json_lacks_are_one_sentence(tmp_path: Path) -> None:
    days = np.array(["2020-01-01", "2021-01-01"], "M8[D]")[Y]
    tables = hc.count_tables(days, {"a": A}, pos_label=days[Y == 1][0].item())
    with pytest.raises(ParameterError, match=r"labels of type date cannot be written .*turn them into text"):
        tables.save(tmp_path / "t.hit")


def _tables() -> hc.Tables:
    ev = hc.evaluate(Y, {"a": A, "b c": -A}, higher_is_better={"b c": False}, metrics="auc")
    return hc.Tables(ev.tables, ev.tally, frozenset({"b c"}), ("rows where x > 1", "é"))


def test_several_rankers_with_the_numbers_of_rows(tmp_path: Path) -> None:
    tables = _tables()
    tables.save(tmp_path / "t.hit")
    found = hc.load_tables(tmp_path / "t.hit")
    assert found == tables
    assert found.tally is not None
    assert found.tally.vocabulary == {0, 1}
    assert list(found) == ["a", "b c"]
    assert {type(label) for label in found.tally.vocabulary} == {int}
    with pytest.raises(ParameterError, match=r"2 rankers: take one of load_tables, such as load_tables\(path\)\['a'\]"):
        hc.load_table(tmp_path / "t.hit")


def test_an_evaluation_of_tables_knows_their_rows(tmp_path: Path) -> None:
    a = np.where(np.arange(120) < 3, np.nan, A)
    with pytest.warns(hc.errors.MissingValueWarning, match="3 of 120 rows were dropped"):
        ev = hc.evaluate(Y, {"a": a, "b": -A}, missing="drop", metrics="auc", higher_is_better={"b": False})
    hc.Tables(ev.tables, ev.tally, ev.lower_is_better, ("rows where x > 1",)).save(tmp_path / "t.hit")
    with pytest.warns(hc.errors.MissingValueWarning, match="3 of 120 rows were dropped"):
        found = hc.evaluate(tables=hc.load_tables(tmp_path / "t.hit"), metrics="auc")
    assert isinstance(found, hc.Evaluation)
    assert found["b", "auc"].value == ev["b", "auc"].value
    assert (found.tally, found.lower_is_better) == (ev.tally, ev.lower_is_better)
    assert "rows where x > 1" in str(found)
    assert "counts do not identify the subjects that rankers share" in str(found)
    assert not found.compare("a", "b", "auc").paired


def test_days_add(tmp_path: Path) -> None:
    whole = hc.Tables({"a": hc.HitTable.from_scores(Y, A)})
    parts = []
    for place, part in enumerate(np.array_split(np.arange(120), 3)):
        hc.Tables({"a": hc.HitTable.from_scores(Y[part], A[part])}).save(tmp_path / f"{place}.hit")
        parts.append(hc.load_tables(tmp_path / f"{place}.hit"))
    assert sum(parts) == whole


def test_what_does_not_add_says_so() -> None:
    table = CASES["full"]
    one = hc.Tables({"a": table})
    with pytest.raises(GridMismatchError, match="different rankers do not add: 'a' and 'b'"):
        one + hc.Tables({"b": table})
    with pytest.raises(GridMismatchError, match="'a' do not add: lower is better in one"):
        one + hc.Tables({"a": table}, lower_is_better=frozenset({"a"}))
    words = (
        r"one has groups and the other has none; count both with the column of groups \(by, --by\), or both without$"
    )
    for left, right in itertools.permutations(({"a": CASES["stack"]}, {"a": table})):
        with pytest.raises(GridMismatchError, match=words):
            merged({"one": hc.Tables(left), "two": hc.Tables(right)})
    with pytest.raises(GridMismatchError, match=r"with the same scores \(--score\), or .* both have \(.*--ranker a\)"):
        one + hc.Tables({"a": table, "b": table})
    with pytest.raises(GridMismatchError, match="'a': a table of kind 'full' and one of kind 'collapsed'"):
        one + hc.Tables({"a": CASES["collapsed"]})
    with pytest.raises(InputError, match="no tables"):
        hc.Tables({})
    with pytest.raises(ParameterError, match="'a' is int"):
        hc.Tables({"a": 3})  # type: ignore[dict-item]


def test_a_table_of_one_ranker_is_evaluated_without_a_name(tmp_path: Path) -> None:
    path = tmp_path / "one.hit"
    hc.HitTable.from_scores(Y, A).save(path)
    alone = hc.evaluate(tables=hc.load_table(path), metrics=["auc", "ap"])
    named = hc.evaluate(tables=hc.load_tables(path), metrics=["auc", "ap"])
    assert alone.rankers == ("score",)
    assert alone.to_dict() == named.to_dict()
    with pytest.raises(hc.errors.ParameterError, match="must be a HitTable or map names to HitTable values, got list"):
        hc.evaluate(tables=[hc.load_table(path)])  # type: ignore[call-overload]


def _day(folder: Path, name: str, y: Any = Y, **how: Any) -> hc.Tables:
    hc.count_tables(y, {"a": A}, rows="full", **how).save(folder / f"{name}.hit")
    return hc.load_tables(folder / f"{name}.hit")


def test_opposite_classes_do_not_add(tmp_path: Path) -> None:
    ones = _day(tmp_path, "ones")
    assert ones.counted_as.positives == {"1"}
    assert (ones + _day(tmp_path, "bools", Y.astype(bool)))["a"].n == 240  # the same label in another type
    words = ones + _day(tmp_path, "words", np.where(Y, "Yes", "no"))
    assert words["a"].n == 240
    note = "tables with different labels of the positives were added: 1, yes"
    files = {"one": ones, "two": ones, "three": _day(tmp_path, "words", np.where(Y, "Yes", "no"))}
    assert words.notes == (words + ones).notes == (ones + words).notes == (note,)
    assert merged(files).notes == (note, "tables of 3 files")
    assert merged({"both": words, "one": ones}).notes == (note, "tables of 2 files")
    assert (ones + _day(tmp_path, "bools", Y.astype(bool))).notes == (ones + ones).notes == ()
    zeros = _day(tmp_path, "zeros", pos_label=0)
    for left, right in ((ones, zeros), (zeros, ones), (ones + ones, zeros)):
        with pytest.raises(
            GridMismatchError, match=r"[01] is the label of positives in one and of negatives in the other"
        ):
            left + right
    with pytest.raises(GridMismatchError, match="a and b do not compare: 0 is the label"):
        hc.drift({"a": ones, "b": zeros}, "auc")
    unknown = hc.Tables({"a": zeros["a"]})
    assert (ones + unknown)["a"].n == 240  # of a table by hand nothing is known


def test_weights_and_counts_do_not_add(tmp_path: Path) -> None:
    plain, weighted = _day(tmp_path, "plain"), _day(tmp_path, "weighted", sample_weight=_weights())
    ones = _day(tmp_path, "ones", sample_weight=np.ones(120))
    for other in (weighted, ones, hc.Tables({"a": CASES["weights"]})):
        with pytest.raises(GridMismatchError, match="with and without weights do not add"):
            plain + other
    assert (weighted + ones)["a"].n == pytest.approx(float(weighted["a"].n) + 120)


@pytest.mark.parametrize("how", [{}, {"bins": 5}])
def test_what_would_not_add_to_a_grid_is_not_counted_on_it(how: dict[str, Any], tmp_path: Path) -> None:
    def counted(y: Any = Y, **more: Any) -> hc.Tables:
        hc.count_tables(y, {"a": A}, **more).save(tmp_path / "day.hit")
        return hc.load_tables(tmp_path / "day.hit")

    weights = _weights()
    plain, weighted = counted(**how), counted(sample_weight=weights, **how)
    with pytest.raises(GridMismatchError, match="not counted on the grid, which has no weights where they have them"):
        counted(grid=plain, sample_weight=weights)
    with pytest.raises(GridMismatchError, match="not counted on the grid, which has weights where they have none"):
        counted(grid=weighted)
    for mine, other in ((1, 0), (0, 1)):
        every = counted(pos_label=mine, **(how or {"bins": 120}))
        with pytest.raises(GridMismatchError, match=r"not counted on the grid: [01] is the label of positives in one"):
            counted(grid=every, pos_label=other)
    assert (plain + counted(grid=plain))["a"].n == 240
    assert (weighted + counted(grid=weighted, sample_weight=weights))["a"].n == pytest.approx(2 * weights.sum())
    # of tables by hand nothing is known
    assert counted(grid=dict(plain))["a"].n == 120


def test_the_column_of_the_groups_is_kept(tmp_path: Path) -> None:
    frame = {"y": Y, "a": A, "site": GROUPS}
    for place in range(2):
        hc.count_tables("y", "a", data=frame, by="site", rows="full").save(tmp_path / f"{place}.hit")
    days = [hc.load_tables(tmp_path / f"{place}.hit") for place in range(2)]
    found = hc.evaluate(tables=days[0] + days[1], metrics="auc")
    assert isinstance(found, hc.GroupedEvaluation)
    assert "3 groups by site" in str(found)


def test_one_table_of_lower_scores_is_not_taken_without_its_direction(tmp_path: Path) -> None:
    path = tmp_path / "low.hit"
    hc.Tables({"a": CASES["full"]}, lower_is_better=frozenset({"a"})).save(path)
    with pytest.raises(ParameterError, match=r"low.hit counts scores of which lower is better.*load_tables\(path"):
        hc.load_table(path)
    assert hc.load_tables(path).lower_is_better == {"a"}
    hc.Tables({"a": CASES["full"]}).save(path)
    assert _same(hc.load_table(path), CASES["full"])


# ---- files of earlier layouts


def old_values() -> dict[str, Any]:
    """What the files in tests/stored hold, made without random numbers."""
    y, a = [1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.8, 0.25, 0.2, 0.1, -1.5, -2.0]
    groups = ["x", "x", "y", "y", "y", "x", "x", "y"]
    weighted = hc.HitTable.from_scores(y, a, sample_weight=[1, 2, 1.5, 1, 1, 1, 3, 1])
    ev = hc.evaluate(y, {"a": a, "b": [-x for x in a]}, metrics="auc", higher_is_better={"b": False})
    return {
        "full": hc.Tables({"score": hc.HitTable.from_scores(y, a)}),
        "weighted": hc.Tables({"score": weighted.collapse().at_prevalence(0.125)}),
        "corrected": hc.Tables({"score": hc.HitTable.from_counts([3, 1], [1, 4]).corrected(LabelErrors(0.1, 0.0))}),
        "stack": hc.Tables({"score": hc.TableStack.from_scores(y, a, groups)}),
        "rankers": hc.Tables(ev.tables, ev.tally, frozenset({"b"}), ("rows where day = 1",)),
    }


@pytest.mark.parametrize("path", sorted(OLD.glob("*.hit")), ids=lambda path: path.name)
def test_files_of_earlier_versions_stay_readable(path: Path) -> None:
    found, wanted = hc.load_tables(path), old_values()[path.name.split("-")[0]]
    assert list(found) == list(wanted)
    assert all(_same(found[name], wanted[name]) for name in wanted)
    assert (found.tally, found.notes, found.lower_is_better) == (wanted.tally, wanted.notes, wanted.lower_is_better)


def test_every_layout_is_kept() -> None:
    from hitcurve.stored import VERSION

    kept = {path.name for path in OLD.glob("*.hit")}
    assert kept == {f"{name}-{version}.hit" for name in old_values() for version in range(1, VERSION + 1)}


def _rewritten(path: Path, out: Path, **changes: Any) -> None:
    """Write a file again with other metadata."""
    with pa.ipc.open_file(path) as found:
        batch = found.get_batch(0)
        about = json.loads(found.schema.metadata[b"hitcurve"]) | changes
    with pa.ipc.new_file(out, batch.schema.with_metadata({b"hitcurve": json.dumps(about)})) as writer:
        writer.write_batch(batch)


# ---- files that are none


def test_a_later_version_and_damage_are_refused(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.hit", tmp_path / "bad.hit"
    CASES["full"].save(good)
    _rewritten(good, bad, version=99)
    with pytest.raises(UnreadableFileError, match=r"bad.hit was written by a later version .*layout 99.*update"):
        hc.load_table(bad)
    _rewritten(good, bad, digest="0" * 32)
    with pytest.raises(UnreadableFileError, match=r"bad.hit is damaged: its content does not match its digest"):
        hc.load_table(bad)
    for version in (0, -1, "1", None, 1.0, True):
        _rewritten(good, bad, version=version)
        with pytest.raises(UnreadableFileError, match=rf"bad.hit is damaged: its layout is {version!r}, and layouts"):
            hc.load_table(bad)
    bad.write_bytes(good.read_bytes().replace(b'"digest"', b'"dogest"'))
    with pytest.raises(UnreadableFileError, match=r"bad.hit is no file of hit tables"):
        hc.load_table(bad)
    data = good.read_bytes()
    for cut in (0, 3, 8, len(data) // 2, len(data) - 1):
        bad.write_bytes(data[:cut])
        with pytest.raises(UnreadableFileError, match=r"bad.hit is no file of hit tables, or was cut off"):
            hc.load_table(bad)
    with pa.ipc.new_file(bad, pa.schema([("x", pa.int64())])) as writer:
        writer.write_batch(pa.RecordBatch.from_pydict({"x": [1]}))
    with pytest.raises(UnreadableFileError, match=r"bad.hit contains no hit tables"):
        hc.load_table(bad)
    with pa.ipc.new_file(bad, pa.schema([("x", pa.int64())]).with_metadata({b"hitcurve": b"[" * 100_000})) as writer:
        writer.write_batch(pa.RecordBatch.from_pydict({"x": [1]}))
    with pytest.raises(UnreadableFileError, match=r"bad.hit is no file of hit tables"):
        hc.load_table(bad)
    with pytest.raises(UnreadableFileError, match=r"cannot read .*absent.hit: No such file"):
        hc.load_table(tmp_path / "absent.hit")
    with pytest.raises(UnreadableFileError, match=r"there is no folder"):
        CASES["full"].save(tmp_path / "no" / "t.hit")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("pos", -1, "pos must be at least 0 in each row, got -1"),
        ("neg", -5, "neg must be at least 0 in each row, got -5"),
        ("grid", np.nan, "grid must hold distinct scores from the highest down, without nan"),
        ("grid", 1e9, "grid must hold distinct scores from the highest down"),
        ("assumed_prevalence", 5.0, "prevalence"),
        ("unit", -1.0, "the unit is not a positive number"),
        ("label_errors", {"no_such": 1}, "no_such"),
    ],
)
def test_impossible_numbers_are_refused_whatever_the_digest(field: str, value: Any, words: str, tmp_path: Path) -> None:
    path = tmp_path / "t.hit"
    hc.HitTable.from_scores([1, 0, 1, 0, 1, 0], np.arange(6.0)[::-1]).save(path)
    (own,) = stored.read(path).tables
    written = dict(own)
    if isinstance(own[field], np.ndarray):
        written[field] = own[field].copy()
        written[field][1] = value
    else:
        written[field] = value
    stored.write(path, stored.Stored([written], {}))
    with pytest.raises(UnreadableFileError, match=f"t.hit is damaged: .*{words}"):
        hc.load_table(path)


def test_a_changed_bit_never_gives_another_table(tmp_path: Path) -> None:
    path, bad = tmp_path / "t.hit", tmp_path / "bad.hit"
    CASES["weights"].save(path)
    data = bytearray(path.read_bytes())
    for place in range(0, len(data), max(len(data) // 150, 1)):
        data[place] ^= 0x10
        bad.write_bytes(data)
        try:
            found = hc.load_table(bad)
        except UnreadableFileError:
            pass
        else:
            assert _same(found, CASES["weights"]), place
        data[place] ^= 0x10


@pytest.mark.filterwarnings("error")
def test_a_hole_in_whole_numbers_is_refused_before_they_are_cast(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.hit", tmp_path / "bad.hit"
    CASES["counts"].save(good)
    with pa.ipc.open_file(good) as found:
        batch, about = found.get_batch(0), found.schema.metadata
    place = batch.schema.names.index("0.pos")
    holed = pa.array([[10, None, 25]], batch.schema.field(place).type)
    columns = [holed if at == place else column for at, column in enumerate(batch.columns)]
    with pa.ipc.new_file(bad, batch.schema.with_metadata(about)) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=batch.schema.with_metadata(about)))
    with pytest.raises(UnreadableFileError, match=r"bad.hit is no file of hit tables"):
        hc.load_table(bad)


_KILLED = """
import os, signal, sys
import numpy as np
import hitcurve as hc
from hitcurve import _writing

table = hc.HitTable.from_counts(np.arange(1, 100_001), np.arange(1, 100_001))
def stop(*given):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[2] == "rename":
    os.replace = stop
else:
    import pyarrow as pa
    import pyarrow.ipc as ipc
    own = ipc.new_file
    class Half:
        def __init__(self, writer, out): self.writer, self.out = writer, out
        def __enter__(self): return self
        def __exit__(self, *given): stop()
        def write_batch(self, batch): self.writer.write_batch(batch); self.out.flush()
    ipc.new_file = lambda out, schema, **how: Half(own(out, schema, **how), out)
table.save(sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("when", ["middle", "rename"])
def test_a_killed_write_leaves_the_old_file_whole(when: str, tmp_path: Path) -> None:
    path = tmp_path / "t.hit"
    CASES["full"].save(path)
    done = subprocess.run([sys.executable, "-c", _KILLED, str(path), when], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2  # what the process left
    assert _same(hc.load_table(path), CASES["full"])
    CASES["weights"].save(path)
    assert [one.name for one in tmp_path.iterdir()] == ["t.hit"]
    assert _same(hc.load_table(path), CASES["weights"])


# ---- the commands


def test_commands_say_what_to_do_with_files_of_tables(tmp_path: Path, shell: Shell) -> None:
    rows = "\n".join(f"{y},{a},{-a}" for y, a in zip(Y, A, strict=True))
    (tmp_path / "d.csv").write_text(f"y,a,b\n{rows}\n")
    columns = ("--label", "y", "--score", "a", "--score", "b", "--full")
    for place in range(2):
        shell("table", tmp_path / "d.csv", *columns, "-o", tmp_path / f"{place}.hit")
    one, other = tmp_path / "0.hit", tmp_path / "1.hit"
    commands: dict[str, tuple[Any, ...]] = {
        "table": (tmp_path / "d.csv", *columns),
        "merge": (one, other),
    }
    for options in (columns, ()):
        refusal = shell("table", one, *options, "-o", tmp_path / "x.hit").refusal
        assert "contains hit tables already: hitcurve merge" in refusal
    for command, arguments in commands.items():
        refusal = shell(command, *arguments, "-o", tmp_path / "x.csv").refusal
        assert "hit tables are written as .hit: write" in refusal
        assert not (tmp_path / "x.csv").exists()
    compared = ("evaluate", one, "-m", "auc", "--compare", "auc")
    assert "correlation given" in shell(*compared, "--correlation", "0.5").out
    assert "correlation given" not in shell(*compared).out
    assert "count the scores into tables again" in shell("evaluate", one, "-m", "auc").out
    shell("table", tmp_path / "d.csv", *columns, "--positive", "0", "-o", other)
    refusal = shell("merge", one, other, "-o", tmp_path / "x.hit").refusal
    assert "1.hit does not add to" in refusal
    assert "--positive" in refusal


@pytest.mark.slow
def test_no_damage_crashes_the_process(tmp_path: Path) -> None:
    # a length of 2^32 - 1 values made numpy read beyond the end of the bytes
    path = tmp_path / "x.hit"
    CASES["weights"].save(path)
    whole = path.read_bytes()
    refused = 0
    for at in range(0, len(whole), 4):
        path.write_bytes(whole[:at] + b"\xff" * 4 + whole[at + 4 :])
        try:
            assert hc.load_table(path) == CASES["weights"]
        except UnreadableFileError:
            refused += 1
    assert refused > 50


def test_many_files_are_merged_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(12)
    days = {}
    for day in range(32):
        y = rng.random(50) < 0.5
        days[f"day{day}"] = hc.count_tables(y, {"a": rng.normal(size=50)}, rows="full")
    in_turn: Any = sum(days.values())
    added: list[int] = []
    own = hc.HitTable.__add__

    def add(self: hc.HitTable, other: object) -> Any:
        found = own(self, other)
        added.append(found.pos.size)
        return found

    monkeypatch.setattr(hc.HitTable, "__add__", add)
    assert merged(days)["a"] == in_turn["a"]
    assert sum(added) < 7 * 32 * 50  # one after the other 16 times as many rows are added


@pytest.mark.parametrize("linked", [Path.symlink_to, Path.hardlink_to])
@pytest.mark.parametrize("command", [("merge", "-o", "m.hit"), ("evaluate", "--metric", "auc"), ("drift",)])
def test_a_file_and_a_link_to_it_are_not_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell, linked: Any, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    hc.HitTable.from_scores([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]).save("day.hit")
    linked(Path("link.hit"), Path("day.hit"))
    refusal = shell(command[0], "day.hit", "link.hit", *command[1:]).refusal
    assert "day.hit and link.hit are the same file: its rows would be counted twice" in refusal


def test_a_copy_is_noted_of_the_ranker_that_is_asked_for(tmp_path: Path, shell: Shell) -> None:
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.3
    lines = [f"{int(label)},{s},{s + rng.normal()}" for label, s in zip(y, rng.normal(size=200) + y, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["y,a,b", *lines]))
    for name, more in (("one", ()), ("two", ("-s", "b"))):
        shell("table", tmp_path / "d.csv", "-l", "y", "-s", "a", *more, "-o", tmp_path / f"{name}.hit")
    files = [tmp_path / "one.hit", tmp_path / "two.hit"]
    for command in (("drift",), ("merge", "-o", tmp_path / "m.hit")):
        done = shell(command[0], *files, "--ranker", "a", *command[1:])
        assert done.code == 0
        assert f"{files[1]} has the same tables as {files[0]}" in done.err


def test_hit_tables_are_not_written_to_standard_output(
    tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text("y,s\n1,3\n0,1\n1,2\n0,0\n")
    for name in ("a", "b"):
        hc.HitTable.from_scores([1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]).save(f"{name}.hit")
    for command in (("table", "d.csv", "-l", "y", "-s", "s"), ("merge", "a.hit", "b.hit")):
        assert "name a file, such as day.hit" in shell(*command, "-o", "-").refusal
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.hit", "b.hit", "d.csv"]


@pytest.mark.parametrize("positives", [0, 3])
def test_a_copy_is_noted_where_it_has_a_positive(tmp_path: Path, shell: Shell, positives: int) -> None:
    day = hc.HitTable.from_counts(pos=[positives, 0], neg=[1, 4])
    other = hc.HitTable.from_counts(pos=[0, positives + 1], neg=[1, 4])
    for name, table in {"day": day, "other": other, "copy": day}.items():
        table.save(tmp_path / f"{name}.hit")
    files = [tmp_path / f"{name}.hit" for name in ("day", "other", "copy")]
    out = tmp_path / "m.hit"
    found = shell("merge", *files, "-o", out)
    notes = [note for note in hc.load_tables(out).notes if "same tables" in note]
    assert len(notes) == (positives > 0)
    assert all(note.startswith(f"{files[2]} has the same tables as {files[0]}") for note in notes)
    assert ("same tables" in found.err) == (positives > 0)


@pytest.fixture
def kept(tmp_path: Path, shell: Shell) -> tuple[Path, Path]:
    """Subjects with two rankers, as rows and as hit tables."""
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [40, 160])
    rows = "".join(
        f"{one},{a!r},{b!r}\n" for one, a, b in zip(y, *(rng.normal(size=(2, 200)) + y).tolist(), strict=True)
    )
    data, tables = tmp_path / "d.csv", tmp_path / "d.hit"
    data.write_text(f"y,a,b\n{rows}")
    assert shell("table", data, "-l", "y", "-s", "a", "-s", "b:low", "-o", tables).code == 0
    return data, tables


@pytest.mark.parametrize(
    "words",
    ["compare", "gap", "meta", "power --effect 0.1", "rate", "screen", "survival", "winner --metric ap"],
)
def test_commands_of_rows_refuse_tables_in_one_sentence(kept: tuple[Path, Path], shell: Shell, words: str) -> None:
    command, *options = words.split()
    refusal = shell(command, kept[1], *options).refusal
    assert f"hitcurve {command} needs the rows of the subjects" in refusal
    assert "hit tables are taken by evaluate" in refusal
    assert "=False" not in refusal


@pytest.mark.slow
def test_commands_named_for_tables_take_them(kept: tuple[Path, Path], shell: Shell, tmp_path: Path) -> None:
    data, tables = kept
    options: dict[str, tuple[Any, ...]] = {
        "certify": ("--fpr", "20%"),
        "confusion": ("--at", "10%"),
        "decision": ("--best-cut",),
        "drift": (tables.rename(tmp_path / "1.hit"), "--score", "a"),
        "merge": (tmp_path / "1.hit", "-o", tmp_path / "m.hit"),
        "plot": ("-o", tmp_path / "x.svg"),
        "report": ("-o", tmp_path / "x.html"),
    }
    assert shell("table", data, "-l", "y", "-s", "a", "-s", "b:low", "-o", tables).code == 0
    for command in OF_TABLES:
        files = ("roc", tables) if command == "plot" else (tables,)
        done = shell(command, *files, *options.get(command, ()))
        assert done.code == 0, done.err


def test_bands_of_tables_are_those_of_the_rows(kept: tuple[Path, Path], shell: Shell) -> None:
    data, tables = kept
    found = shell("band", tables, "--seed", 1, "-f", "json").json
    assert found == shell("band", data, "-l", "y", "-s", "a", "-s", "b:low", "--seed", 1, "-f", "json").json
    assert "needs the subjects of both rankers" in shell("band", tables, "--difference", "-k", "roc").refusal
    assert "needs the rows" in shell("curve", tables, "--by", "g", "--along", "rate").refusal


def test_a_ranker_of_tables_is_chosen_as_a_score(kept: tuple[Path, Path], shell: Shell) -> None:
    data, tables = kept
    own = ("-f", "json")
    both = shell("confusion", tables, "--at", "10%", *own).json
    for ranker, column in (("a", "a"), ("b", "b:low")):
        given = ("-l", "y", "-s", column)
        found = shell("evaluate", tables, "--score", ranker, "-m", "max_f1", *own).json
        of_rows = shell("evaluate", data, *given, "-m", "max_f1", *own).json
        assert found["rankers"] == [ranker]
        assert [x["cut_score"] for x in found["results"]] == [x["cut_score"] for x in of_rows["results"]]
        assert shell("confusion", tables, "--score", ranker, "--at", "10%", *own).json == [
            record for record in both if record["ranker"] == ranker
        ]
        assert shell("curve", tables, "--score", ranker).out == shell("curve", data, *given).out
    assert "d.hit has no ranker 'c'; rankers are a, b" in shell("evaluate", tables, "--score", "c").refusal
    assert "the ranker 'a' twice" in shell("evaluate", tables, "--score", "a", "--score", "a").refusal
    assert "leave out --label" in shell("evaluate", tables, "--score", "a", "--label", "y").refusal


def test_notes_on_comparisons_stand_where_rankers_are_compared(kept: tuple[Path, Path], shell: Shell) -> None:
    commands = ("confusion --at 10%", "certify --fpr 20%", "curve", "band", "decision --best-cut")
    for words, form in itertools.product(commands, ("text", "csv", "json")):
        command, *options = words.split()
        done = shell(command, kept[1], *options, "-f", form)
        assert (done.code, "two samples" in done.out + done.err) == (0, False), done
    assert "two samples" in shell("evaluate", kept[1], "--compare", "ap").out


def test_merged_files_say_how_many_are_in_them(tmp_path: Path, shell: Shell) -> None:
    for place in range(5):
        rows = "".join(f"{i % 2},{i % 7}\n" for i in range(20 + place))
        (tmp_path / f"{place}.csv").write_text(f"y,a\n{rows}")
        done = shell(
            "table", tmp_path / f"{place}.csv", "-l", "y", "-s", "a", "--full", "-o", tmp_path / f"{place}.hit"
        )
        assert done.code == 0
    days = [tmp_path / f"{place}.hit" for place in range(5)]
    two, three, all_of_them = (tmp_path / f"{name}.hit" for name in ("two", "three", "all"))
    assert shell("merge", *days[:2], "-o", two).err.count("tables of 2 files") == 1
    assert shell("merge", *days[2:], "-o", three).err.count("tables of 3 files") == 1
    said = shell("merge", two, three, "-o", all_of_them).err
    assert [line for line in said.splitlines() if "tables of" in line] == ["note: tables of 5 files"]
    said = shell("merge", two, days[4], "-o", all_of_them).err
    assert [line for line in said.splitlines() if "tables of" in line] == ["note: tables of 3 files"]
    added = hc.load_tables(two) + hc.load_tables(three)
    assert added.notes == ("tables of 5 files",)
    assert (hc.load_tables(days[0]) + hc.load_tables(days[1])).notes == ()


def test_a_table_of_weights_says_that_its_numbers_are_weights(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("y,s,w\n1,3,1.5\n0,2,4\n0,1,2.25\n")
    said = shell("table", tmp_path / "d.csv", "-l", "y", "-s", "s", "--weight", "w", "-o", tmp_path / "x.hit").out
    assert "s: subjects of weight 7.75, positives of weight 1.50, " in said
    said = shell("table", tmp_path / "d.csv", "-l", "y", "-s", "s", "-o", tmp_path / "y.hit").out
    assert "s: 3 subjects, 1 positive, " in said
