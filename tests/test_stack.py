"""Every list is a row of a stack: a stack says of each list what its table says."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve import HitTable, parts
from hitcurve.cells import some_distinct
from hitcurve.cumulative import downwards, from_here, row_by_row
from hitcurve.errors import (
    ColumnNotFoundError,
    CountError,
    EmptyInputError,
    GridMismatchError,
    LengthMismatchError,
    ParameterError,
)
from hitcurve.grids import CountedLists, Few, GridStack
from hitcurve.metrics import metric
from hitcurve.ragged import ByList, descending_in_lists, first_below, first_not_above, in_lists
from hitcurve.sources import Block, Reading, arrays
from hitcurve.stack import TableStack
from tests.metrics_under_test import FORMS
from tests.strategies import law

Column = npt.NDArray[Any]


class Lists(NamedTuple):
    """Labels, heavily tied scores and groups of some subjects; any group may lack a class."""

    y: Column
    s: Column
    group: Column

    @property
    def names(self) -> list[str]:
        return [str(name) for name in np.unique(self.group)]

    @property
    def stack(self) -> TableStack:
        return TableStack.from_scores(self.y, self.s, self.group)

    def block(self, weight: Column | None = None) -> Block:
        return Reading(pos_label=1).block(self.y, {"s": self.s}, weight, group=self.group)

    def at(self, places: Column) -> Lists:
        return Lists(self.y[places], self.s[places], self.group[places])

    def tables(self) -> dict[str, HitTable]:
        inside = {str(name): self.group == name for name in np.unique(self.group)}
        return {name: full_table(self.y[chosen], self.s[chosen]) for name, chosen in inside.items()}


def full_table(y: Column, s: Column) -> HitTable:
    """Return the full table of subjects that may be of one class, which labels alone would not tell."""
    levels = np.unique(s)[::-1]
    pos, neg = ([int(np.sum((s == level) & (y == side))) for level in levels] for side in (1, 0))
    return HitTable(np.array(pos), np.array(neg), "full", levels)


@st.composite
def lists(draw: Callable[[st.SearchStrategy[Any]], Any], *, most: int = 40) -> Lists:
    n = draw(st.integers(2, most))
    y = np.array([1, 0, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    s = np.array(draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)))
    group = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    dtype = draw(st.sampled_from([np.int64, np.int8, np.float64, np.float32]))
    return Lists(y, s.astype(dtype), group)


def counted(data: Lists, chunks: list[Column], weight: Column | None = None) -> TableStack:
    """Count lists in two passes over chunks of the subjects, as data that do not fit in memory are."""
    names = data.names
    place = {name: i for i, name in enumerate(names)}
    blocks = [data.at(chunk).block(None if weight is None else weight[chunk]) for chunk in chunks]

    def code(block: Block) -> Column:
        found, own = block.lists
        return np.array([place[name] for name in found], np.intp)[own]

    every = np.arange(len(names))
    grids: GridStack | None = None
    for block in blocks:
        own = GridStack.of(code(block)[block.positive], block.positive_scores("s"), len(names))
        grids = own if grids is None else grids.merged(own, every, every, len(names))
    assert grids is not None
    first, *others = (grids.count(block, "s", code(block))[0] for block in blocks)
    total: Any = first
    for other in others:
        total = total + other
    return TableStack.of_grids(grids, total, names)


# ---- a stack is its tables


@pytest.mark.slow
@law(150)
@given(lists())
def test_full_stack_is_the_tables_of_its_lists(data: Lists) -> None:
    found = data.stack
    assert dict(zip(found.names, found, strict=True)) == data.tables()
    assert found == TableStack.from_tables(data.tables())


@law(100)
@given(lists(), st.randoms(use_true_random=False))
def test_any_row_order_gives_the_same_stack(data: Lists, random: Any) -> None:
    order = list(range(data.y.size))
    random.shuffle(order)
    assert data.at(np.array(order)).stack == data.stack


@pytest.mark.slow
@law(100)
@given(lists(), st.integers(1, 4), st.booleans())
def test_any_chunking_counts_what_each_list_counts_alone(data: Lists, size: int, weighted: bool) -> None:
    weight = np.random.default_rng(0).integers(0, 3, data.y.size).astype(float) if weighted else None
    chunks = [chunk for chunk in np.array_split(np.arange(data.y.size), size) if chunk.size]
    found = counted(data, chunks, weight)
    whole = data.block(weight)
    for name in data.names:
        part = whole.of_group(name)
        assert part is not None
        assert found[name] == HitTable.of_block(part, "s")


def test_scores_are_compared_exactly_in_their_own_precision() -> None:
    near = np.array([2**53, 2**53 + 1, 2**53 + 2, 5], np.int64)
    found = TableStack.from_scores([1, 0, 1, 0], near, [0, 0, 0, 0])
    assert found[0].grid is not None
    assert found[0].grid.tolist() == sorted(near.tolist(), reverse=True)
    single = np.array([0.1, 0.1 + 1e-9, 0.3, -0.0, 0.0], np.float32)
    found = TableStack.from_scores([1, 0, 1, 0, 0], single, ["a", "a", "b", "b", "b"])
    assert found["a"].pos.size == 1
    assert found["b"].pos.tolist() == [1, 0]


def test_order_of_many_lists_is_by_list_and_then_by_score() -> None:
    rng = np.random.default_rng(0)
    code, scores = rng.integers(0, 70_000, 5_000), rng.integers(0, 3, 5_000)
    order = in_lists(code, scores)
    assert np.array_equal(
        np.stack([code[order], scores[order]]), np.stack(sorted(zip(code, -scores, strict=True)), axis=1) * [[1], [-1]]
    )


def test_weights_are_summed_in_the_order_of_the_rows() -> None:
    rng = np.random.default_rng(1)
    y, group, weight = rng.integers(0, 2, 200), rng.integers(0, 4, 200), rng.random(200)
    s = rng.integers(0, 6, 200)
    found = TableStack.from_scores(y, s, group, sample_weight=weight)
    for name in range(4):
        chosen = group == name
        table = HitTable.from_scores(y[chosen], s[chosen], sample_weight=weight[chosen])
        assert found[str(name)] == table
        assert found.n[name] == pytest.approx(table.n, rel=1e-14)
    data = Lists(y, s, group)
    assert (
        counted(data, [np.arange(200)], weight)["2"]
        == HitTable.from_scores(y[group == 2], s[group == 2], sample_weight=weight[group == 2]).collapse()
    )


@law(60)
@given(lists())
def test_numbers_of_each_list_are_those_of_its_table(data: Lists) -> None:
    found = data.stack
    for what in ("n", "n_pos", "n_neg", "tied", "tied_pos"):
        assert getattr(found, what).tolist() == [getattr(table, what) for table in found]


def test_lists_are_found_by_place_and_name() -> None:
    found = TableStack.from_scores([1, 0, 1, 0], [4, 3, 2, 1], ["b", "b", "a", "a"])
    assert found.names == ("a", "b")
    assert found[-1] == found["b"] == next(iter(found.taken([1])))
    assert len(found) == 2
    with pytest.raises(ColumnNotFoundError, match="no list 'c'"):
        found["c"]
    with pytest.raises(IndexError):
        found[2]


# ---- parts


@law(60)
@given(lists(), st.sampled_from([1.0, 1.5, 4.0]))
def test_parts_hold_every_list_once_padded_below(data: Lists, factor: float) -> None:
    found = data.stack
    seen: list[int] = []
    for part in found.parts(factor):
        seen += part.places.tolist()
        sizes = [found[place].pos.size for place in part.places.tolist()]
        assert part.sums.pos.shape == (len(sizes), max(sizes))
        assert max(sizes) <= factor * min(sizes)
        for place, size, pos, neg in zip(part.places.tolist(), sizes, part.sums.pos, part.sums.neg, strict=True):
            assert pos[:size].tolist() == found[place].pos.tolist()
            assert neg[:size].tolist() == found[place].neg.tolist()
            assert not pos[size:].any()
            assert not neg[size:].any()
    assert sorted(seen) == list(range(len(found)))


def test_parts_are_bounded_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_MOST_CELLS", 12)
    group = np.repeat(np.arange(7), 5)
    found = TableStack.from_scores(np.tile([1, 0, 1, 0, 0], 7), np.tile(np.arange(5), 7), group)
    assert [part.places.tolist() for part in found.parts()] == [[0, 1], [2, 3], [4, 5], [6]]


def test_prevalence_goes_along() -> None:
    found = TableStack.from_scores([1, 0, 1, 0], [4, 3, 2, 1], ["a", "a", "b", "b"])
    assert [part.lists.prevalence for part in found.parts()] == [None]
    assert [part.lists.prevalence for part in found.at_prevalence(0.1).parts()] == [0.1]
    each = found.at_prevalence(np.array([0.1, 0.2]))
    assert [table.prevalence for table in each] == [0.1, 0.2]
    (part,) = each.parts()
    assert part.counts.pi.tolist() == [0.1, 0.2]
    assert each.taken([1])[0] == found["b"].at_prevalence(0.2)
    for wrong in (1.0, np.array([0.1, 0.0]), np.array([0.1])):
        with pytest.raises(ParameterError, match="prevalence"):
            found.at_prevalence(wrong)


@pytest.mark.parametrize("form", FORMS)
def test_a_list_says_the_same_in_a_stack_of_any_order(form: str) -> None:
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(6), [12, 30, 17, 40, 12, 25])
    y = (rng.random(group.size) < 0.4).astype(int)
    s = rng.integers(0, 9, group.size) + 2 * y
    found, wanted = TableStack.from_scores(y, s, group), metric(form)
    alone = np.array([wanted.value(table) for table in found])
    for order in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4], [3]):
        for factor in (1.0, 10.0):
            values = np.full(len(order), np.nan)
            for part in found.taken(order).parts(factor):
                values[part.places] = wanted.kernel(part.counts)
            assert values == pytest.approx(alone[order], rel=1e-13, abs=1e-15)


# ---- sums


@law(100)
@given(lists(), lists())
def test_full_stacks_add_as_their_tables_do(a: Lists, b: Lists) -> None:
    tables, others = a.tables(), b.tables()
    names = list(dict.fromkeys([*tables, *others]))
    dtype = np.result_type(a.s, b.s)
    total = a.stack + b.stack
    assert list(total.names) == names
    for name in names:
        expected = tables[name] + others[name] if name in tables and name in others else {**others, **tables}[name]
        own = total[name]
        assert (own.pos.tolist(), own.neg.tolist()) == (expected.pos.tolist(), expected.neg.tolist())
        assert own.grid is not None
        assert own.grid.dtype == dtype
        assert own.grid.tolist() == expected.grid.tolist()  # type: ignore[union-attr]


def test_collapsed_stacks_add_cell_by_cell() -> None:
    rng = np.random.default_rng(3)
    data = Lists(rng.integers(0, 2, 300), rng.integers(0, 30, 300), rng.integers(0, 5, 300))
    where = np.arange(300)
    once, twice = counted(data, [where]), counted(data, [where, where])
    assert once + once == twice
    some = once.taken([0, 3])
    total = once.taken([3, 1]) + some
    assert total.names == ("3", "1", "0")
    assert total["3"] == once["3"] + once["3"]
    assert total["1"] == once["1"]
    assert total["0"] == once["0"]
    with pytest.raises(GridMismatchError, match="different grids"):
        _ = once + counted(data.at(where[:200]), [where[:200]])
    with pytest.raises(GridMismatchError, match="'full'"):
        _ = once + data.stack
    with pytest.raises(GridMismatchError, match="prevalence"):
        _ = once + once.at_prevalence(0.1)
    each = once.at_prevalence(np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    assert (each.taken([0, 1]) + each.taken([1, 4])).at_prevalence(np.array([0.1, 0.2, 0.5])) == (
        each.taken([0, 1]) + each.taken([1, 4])
    )
    with pytest.raises(GridMismatchError, match=r"0.1, 0.3"):
        _ = each.taken([0]) + once.taken([0]).at_prevalence(np.array([0.3]))


def test_weights_add_to_counts() -> None:
    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    counts = TableStack.from_scores(y, s, list("aabb"))
    weights = TableStack.from_scores(y, s, list("aabb"), sample_weight=[0.5, 1, 2, 3])
    assert (counts + weights)["b"] == counts["b"] + weights["b"]


def test_stacks_are_values() -> None:
    found = TableStack.from_scores([1, 0, 1, 0], [4, 3, 2, 1], list("aabb"))
    assert pickle.loads(pickle.dumps(found)) == found
    assert found != found.taken([1, 0])
    assert found != found.at_prevalence(0.5)
    assert found.at_prevalence(0.5) == found.at_prevalence(0.5)
    assert found != 1
    with pytest.raises(ValueError, match="read-only"):
        found.pos[0] = 7


def test_tables_of_a_stack_are_alike() -> None:
    full, rows = HitTable.from_scores([1, 0], [2, 1]), HitTable.from_counts([1, 0], [0, 1])
    with pytest.raises(GridMismatchError, match="'b' is 'rows', 'a' is 'full' of int64 scores"):
        TableStack.from_tables({"a": full, "b": rows})
    with pytest.raises(GridMismatchError, match="at an assumed prevalence"):
        TableStack.from_tables({"a": full, "b": full.at_prevalence(0.1)})
    with pytest.raises(EmptyInputError):
        TableStack.from_tables({})
    each = TableStack.from_tables({"a": full.at_prevalence(0.2), "b": full.at_prevalence(0.1)})
    assert list(each) == [full.at_prevalence(0.2), full.at_prevalence(0.1)]


# ---- grids


def test_whole_list_is_counted_beside_its_groups() -> None:
    rng = np.random.default_rng(4)
    data = Lists(rng.integers(0, 2, 100), rng.integers(0, 20, 100), rng.integers(0, 4, 100))
    block = data.block()
    names, code = block.lists
    grids = GridStack.of(code[block.positive], block.positive_scores("s"), len(names))
    alone = HitTable.of_block(block, "s")
    for kept in ([0, 1, 2, 3], [2, 0]):
        place = np.full(len(names), -1)
        place[kept] = np.arange(len(kept))
        lists, whole = grids.taken(kept).count(block, "s", place[code])
        assert whole.sums.pos.tolist() == alone.pos.tolist()
        assert whole.sums.neg.tolist() == alone.neg.tolist()
        found = TableStack.of_grids(grids.taken(kept), lists, [names[i] for i in kept])
        for name in found.names:
            part = block.of_group(name)
            assert part is not None
            assert found[name] == HitTable.of_block(part, "s")


def few_of(code: npt.NDArray[np.intp], scores: npt.NDArray[Any], lists: int) -> Few:
    by_list = ByList.of(code, lists)
    return Few.of_lists(descending_in_lists(by_list.put(scores), by_list.starts), by_list.starts)


@law(80)
@given(lists(), st.integers(0, 40))
def test_few_distinct_scores_are_told_from_many(data: Lists, cut: int) -> None:
    code = np.unique(data.group, return_inverse=True)[1]
    size = code.max() + 1
    halves = [few_of(code[part], data.s[part], size) for part in (slice(cut), slice(cut, None))]
    expected = [min(np.unique(data.s[code == i]).size, 3) for i in range(size)]
    assert (halves[0] + halves[1]).distinct.tolist() == expected
    assert few_of(code, data.s, size).distinct.tolist() == expected
    for i, number in enumerate(expected):
        own = some_distinct(data.s[code == i])
        one, alone = Few.of_one(own), few_of(np.zeros(own.size, np.intp), own, 1)
        assert one.distinct.tolist() == [number]
        assert all(a == b and a.dtype == b.dtype for a, b in zip(one, alone, strict=True))


def test_one_list_is_a_stack_of_one() -> None:
    rng = np.random.default_rng(5)
    y, s = rng.integers(0, 2, 500), rng.normal(size=500)
    for weight in (None, rng.random(500)):
        block = arrays(y, {"s": s}, weight=weight).block
        grids = GridStack.of(None, block.positive_scores("s"), 1)
        lists, whole = grids.count(block, "s", None)
        assert isinstance(lists, CountedLists)
        assert TableStack.of_grids(grids, lists, [""])[0] == HitTable.of_block(block, "s")
        assert whole.few.distinct.tolist() == [3]


# ---- lists of different length


@law(150)
@given(lists(), st.booleans())
def test_every_list_is_sorted_and_searched_by_itself(data: Lists, in_order: bool) -> None:
    code = np.unique(data.group, return_inverse=True)[1]
    if in_order:
        data, code = data.at(np.argsort(code, kind="stable")), np.sort(code)
    size = int(code.max()) + 2  # the last list holds nobody
    by_list = ByList.of(code, size)
    starts, ordered = by_list.starts, descending_in_lists(by_list.put(data.s), by_list.starts)
    assert np.diff(starts).tolist() == np.bincount(code, minlength=size).tolist()
    wanted = np.unique(data.s)
    for i in range(size):
        own = np.sort(data.s[code == i])[::-1]
        assert ordered[starts[i] : starts[i + 1]].tolist() == own.tolist()
        low, high = np.full(wanted.size, starts[i]), np.full(wanted.size, starts[i + 1])
        above = first_not_above(ordered, low, high, wanted)
        assert (above - low).tolist() == [int(np.sum(own > score)) for score in wanted]
        assert (first_below(ordered, above, high, wanted) - low).tolist() == [int(np.sum(own >= s)) for s in wanted]


def test_short_lists_stand_row_by_row_and_sum_as_others_do() -> None:
    rng = np.random.default_rng(0)
    x = np.asfortranarray(rng.random((50, 7)))
    assert row_by_row(x)
    assert not row_by_row(np.ascontiguousarray(x))
    assert np.array_equal(downwards(x), np.cumsum(x, axis=1))
    assert np.array_equal(from_here(x), np.cumsum(x[:, ::-1], axis=1)[:, ::-1])
    assert downwards(x > 0.5).dtype == np.cumsum(x[0] > 0.5).dtype


def test_a_stack_is_evaluated_as_the_groups_it_holds() -> None:
    rng = np.random.default_rng(3)
    y, group = rng.random(300) < 0.3, np.repeat(["a", "b", "c"], 100)
    scores = {"one": np.round(rng.normal(size=300) + y, 1), "two": rng.normal(size=300) + y}
    stacks = {name: TableStack.from_scores(y, s, group) for name, s in scores.items()}
    turned = {"one": stacks["one"], "two": stacks["two"].taken([2, 0, 1])}
    ready, own = (
        hc.evaluate(tables=turned, metrics=["ap", "auc"]),
        hc.evaluate(y, scores, by=group, metrics=["ap", "auc"]),
    )
    for ranker in scores:
        for m in ("ap", "auc"):
            np.testing.assert_allclose(ready.values(ranker, m), own.values(ranker, m), rtol=1e-13)
            np.testing.assert_allclose(hc.metric(m).value(stacks[ranker]), own.values(ranker, m), rtol=1e-13)
    alone = hc.evaluate(tables=stacks["one"], metrics="ap")
    assert alone.rankers == ("score",)
    assert sum([stacks["one"], stacks["one"]]) == stacks["one"] + stacks["one"]
    with pytest.raises(hc.errors.ParameterError, match="stacks for all rankers or for none"):
        hc.evaluate(tables={"one": stacks["one"], "two": stacks["two"]["a"]})  # type: ignore[dict-item]
    with pytest.raises(hc.errors.ParameterError, match="needs the same lists"):
        hc.evaluate(tables={"one": stacks["one"], "two": stacks["two"].taken([0, 1])})


def test_negative_whole_numbers_beyond_floats_do_not_become_ties() -> None:
    whole = TableStack.from_scores([1, 0, 1, 0, 0], [-(2**60) - 1, -(2**60), 3, 2, 1], list("aabbb"))
    real = TableStack.from_scores([1, 0, 1, 0, 0], [5.5, 4, 3, 2, 1], list("aabbb"))
    for a, b in ((whole, real), (whole["a"], real["a"])):
        with pytest.raises(hc.errors.GridMismatchError, match=r"beyond 2\^53"):
            _ = a + b


def test_long_weighted_lists_have_errors_of_discounts_by_group() -> None:
    y, weight = np.tile([1, 0], 30), np.full(60, 1.5e8)
    for seed in range(5):
        s = np.random.default_rng(seed).normal(size=60) + y
        for m in ("ndcg", "dcg"):
            own = hc.evaluate(y, s, metrics=m, sample_weight=weight)["score", m]
            of_group = hc.evaluate(y, s, by=np.zeros(60), metrics=m, sample_weight=weight).to_dict()["groups"][0]
            assert of_group["standard_error"] == pytest.approx(own.standard_error, rel=1e-9)


# ---- several lists of a stack, as numpy takes them


@pytest.mark.slow
@law(100)
@given(lists(), st.data())
def test_several_lists_are_taken_as_numpy_takes_them(data: Lists, draw: st.DataObject) -> None:
    stack, every = data.stack, np.array(data.names)
    key = draw.draw(
        st.one_of(
            st.slices(len(stack)),
            st.lists(st.integers(-len(stack), len(stack) - 1), max_size=4),
            st.lists(st.booleans(), min_size=len(stack), max_size=len(stack)).map(np.array),
        )
    )
    wanted = every[key].tolist()
    if not wanted:
        assert len(stack[key]) == 0
        assert stack[key].n_pos.tolist() == stack[key].tied.tolist() == metric("auc").value(stack[key]).tolist() == []
    elif len(set(wanted)) < len(wanted):
        with pytest.raises(ParameterError, match="named twice"):
            _ = stack[key]
    else:
        assert stack[key] == TableStack.from_tables({name: stack[name] for name in wanted})
        assert stack.taken(np.arange(len(stack))[key]) == stack[key]


@pytest.mark.parametrize("key", [1.5, None, [0.0], [[0]], (0, "b"), np.array([True]), True])
def test_other_keys_are_refused_with_the_ways_to_choose(key: Any) -> None:
    stack = TableStack.from_scores([1, 0, 1, 0], [4, 3, 2, 1], ["a", "a", "b", "b"])
    with pytest.raises(ParameterError, match="lists are chosen by a name"):
        _ = stack[key]


@pytest.mark.parametrize("key", [2, -3, [0, 2], np.array([-3])])
def test_places_that_are_not_there_are_said(key: Any) -> None:
    stack = TableStack.from_scores([1, 0, 1, 0], [4, 3, 2, 1], ["a", "a", "b", "b"])
    with pytest.raises(IndexError, match="the 2 lists are at 0 to 1"):
        _ = stack[key]
    with pytest.raises(IndexError, match="the 2 lists are at 0 to 1"):
        stack.taken(np.atleast_1d(key))


@pytest.mark.parametrize("make", [TableStack.from_tables, hc.Tables, lambda tables: hc.evaluate(tables=tables)])
def test_what_is_no_table_is_refused_by_its_name(make: Callable[[Any], object]) -> None:
    table = HitTable.from_scores([1, 0], [2, 1])
    for wrong, said in (
        ([table, table], r"map names to HitTable (or TableStack )?values, got list"),
        ((table,), r"map names to HitTable (or TableStack )?values, got tuple"),
        (3, r"map names to HitTable (or TableStack )?values, got int"),
        ({"a": table, "b": 3}, r"must be HitTable (or TableStack )?values, 'b' is int"),
        ({"a": table, "b": [table]}, r"must be HitTable (or TableStack )?values, 'b' is list"),
    ):
        with pytest.raises(ParameterError, match=said):
            make(wrong)
    with pytest.raises(ParameterError, match="must be HitTable values, 'a' is TableStack"):
        TableStack.from_tables({"a": TableStack.from_tables({"x": table})})  # type: ignore[dict-item]


def test_names_of_lists_and_rankers_are_told_apart() -> None:
    table = HitTable.from_scores([1, 0], [2, 1])
    with pytest.raises(ParameterError, match="list '1' is named twice"):
        TableStack.from_tables({1: table, "1": table})  # type: ignore[dict-item]
    stack = TableStack.from_tables({"a": table})
    with pytest.raises(ParameterError, match="ranker '1' is named twice"):
        hc.evaluate(tables={1: stack, "1": stack})  # type: ignore[dict-item]
    run = {"t": {"d": 1.0, "e": 0.5}}
    with pytest.raises(ParameterError, match="run '1' is named twice"):
        hc.evaluate_trec({1: run, "1": run}, {"t": {"d": 1}})


@pytest.mark.parametrize(
    ("changed", "kind", "words"),
    [
        ({"pos": np.array([1, -2, 3])}, CountError, "pos must be at least 0 in each row, got -2"),
        ({"neg": np.array([1, 2])}, LengthMismatchError, "lengths differ: pos has 3, neg has 2"),
        ({"kind": "zzz"}, ParameterError, "kind must be one of 'full', .*, got 'zzz'"),
        ({"names": ("a",)}, ParameterError, "starts must be the first row of each of 1 lists"),
        ({"names": ("a", "a")}, ParameterError, "list 'a' is named twice"),
        ({"starts": np.array([0, 2, 4])}, ParameterError, "and then the number of rows, 3: make a stack with"),
        ({"starts": np.array([1, 2, 3])}, ParameterError, "ascending from 0"),
        ({"starts": np.array([0, 4, 3])}, ParameterError, "ascending from 0"),
    ],
)
def test_a_stack_made_by_hand_is_one(changed: dict[str, Any], kind: type[Exception], words: str) -> None:
    whole: dict[str, Any] = {"pos": np.array([1, 2, 3]), "neg": np.array([1, 0, 3]), "starts": np.array([0, 2, 3])}
    whole |= {"names": ("a", "b"), "kind": "rows"}
    assert len(hc.TableStack(**whole)) == 2
    with pytest.raises(kind, match=words):
        hc.TableStack(**{**whole, **changed})
