"""Tables that are counted to be kept: the same from memory, files, chunks of any size and merged parts."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve.bins import codes_of, scores_of
from hitcurve.errors import GridMismatchError, ParameterError
from hitcurve.evaluation import count_source
from hitcurve.sources import Reading
from hitcurve.sources.files import FileSource, row_groups
from hitcurve.sources.files import batches as reader
from tests.metrics_under_test import METRICS
from tests.shell import Shell, shell

__all__ = ["shell"]
RNG = np.random.default_rng(5)
N = 600
Y = (RNG.random(N) < 0.2).astype(int)
A = RNG.normal(size=N) + Y
DATA = {
    "y": Y,
    "a": A,
    "low": np.round(-A, 1),
    "f": A.astype(np.float32),
    "i": np.rint(20 * A).astype(np.int16),
    "g": RNG.integers(0, 5, N),
}
RANKERS = ("a", "low", "f", "i")
WAYS: dict[str, dict[str, Any]] = {
    "collapsed": {},
    "full": {"rows": "full"},
    "bins": {"bins": 9},
    "grid": {"grid": hc.count_tables("y", RANKERS, data=DATA, higher_is_better={"low": False})},
    "grid of bins": {"grid": hc.count_tables("y", RANKERS, data=DATA, bins=7, higher_is_better={"low": False})},
}


def _counted(data: Any = DATA, **how: Any) -> hc.Tables:
    return hc.count_tables("y", RANKERS, data=data, higher_is_better={"low": False}, **how)


def _of(tables: hc.Tables, name: str) -> Any:
    """Return a table whose kind the test knows."""
    return tables[name]


def _source(paths: list[Path], **more: Any) -> FileSource:
    return FileSource(tuple(paths), "y", RANKERS, Reading(higher_is_better={"low": False}), **more)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("parts")
    table, paths = pa.table(DATA), []
    for place, start in enumerate(range(0, N, 250)):
        paths.append(folder / f"{place}.parquet")
        pq.write_table(table.slice(start, 250), paths[-1])
    return paths


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [1, 7, 10**6])
@pytest.mark.parametrize("way", WAYS)
def test_memory_files_and_chunks_give_the_same_tables(
    way: str, chunk: int, parts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_ROWS", chunk)
    monkeypatch.setattr(row_groups, "_BLOCK", chunk)
    assert count_source(_source(parts), **WAYS[way]) == _counted(**WAYS[way])


@pytest.mark.parametrize("largest", [0, 10**6], ids=["by DuckDB", "by threads"])
def test_chunks_are_as_long_as_said(largest: int, parts: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_groups, "_LARGEST", largest)
    monkeypatch.setattr(reader, "_ROWS", 7)
    monkeypatch.setattr(row_groups, "_BLOCK", 7)
    sizes = _source(parts).reduce(lambda block: [block.positive.size], lambda a, b: a + b)
    assert max(sizes) == 7
    assert sum(sizes) == N
    assert count_source(_source(parts)) == _counted()


@pytest.mark.parametrize("by", ["g"])
@pytest.mark.parametrize("rows", ["collapsed", "full"])
def test_groups_too(by: str, rows: str, parts: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_ROWS", 7)
    monkeypatch.setattr(reader, "_SCORES_OF_NAMED", 28)
    found = count_source(_source(parts, by=by), rows=rows, grouped=True)
    wanted = _counted(by=by, rows=rows)
    assert all(_of(found, name)[group] == _of(wanted, name)[group] for name in RANKERS for group in map(str, range(5)))


@pytest.mark.parametrize("way", ["full", "grid", "grid of bins"])
def test_merged_parts_are_the_whole(way: str, parts: list[Path]) -> None:
    days = [count_source(_source([path]), **WAYS[way]) for path in parts]
    assert sum(days) == _counted(**WAYS[way])
    assert sum(days[::-1]).tables == _counted(**WAYS[way]).tables  # type: ignore[union-attr]


def test_rows_in_any_order_give_the_same_bins() -> None:
    order = np.random.default_rng(1).permutation(N)
    turned = {name: values[order] for name, values in DATA.items()}
    assert _counted(turned, bins=9) == _counted(bins=9)


def test_a_bin_holds_its_share_of_the_positives() -> None:
    y, a = np.repeat([1, 0], [4000, 100]), np.random.default_rng(2).standard_cauchy(4100) ** 3
    table = _of(hc.count_tables(y, {"a": a}, bins=50), "a")
    assert table.pos[:-1].min() > 80 * (1 - 1 / 8)
    assert table.pos.max() < 80 * (1 + 1 / 4)
    assert table.pos[-1] == 0
    assert np.isin(table.grid, a[:4000]).all()
    assert table.grid[-1] == a[:4000].min()
    np.testing.assert_array_equal(table.neg, -np.diff([100, *[(a[4000:] < end).sum() for end in table.grid], 0]))


def test_few_scores_have_a_bin_each() -> None:
    table = hc.count_tables(Y, {"a": np.rint(A)}, bins=1000)["a"]
    np.testing.assert_array_equal(table.grid, np.unique(np.rint(A[Y == 1]))[::-1])


@pytest.mark.parametrize("metric", METRICS, ids=str)
@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_the_range_of_bins_contains_the_exact_value(metric: str) -> None:
    table = hc.HitTable.from_scores(Y, A)
    exact = hc.metric(metric).value(table)
    for bins in (4, 25):
        binned = _of(hc.count_tables(Y, {"a": A}, bins=bins), "a")
        ends = [hc.metric(metric).value(order) for order in (binned.worst_ties(), binned.best_ties())]
        assert min(ends) - 1e-12 <= exact <= max(ends) + 1e-12, (bins, ends)


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i1", "i2", "i8", "u1", "u8"])
def test_codes_have_the_order_of_the_scores(kind: str) -> None:
    if kind[0] == "f":
        scores = np.sort(np.concatenate([A, [0.0, np.inf, -np.inf, 1e-7, -1e-7]]).astype(kind))
    else:
        info = np.iinfo(kind)
        scores = np.unique(np.array([info.min, info.min + 1, 0, 1, 3, info.max - 1, info.max], kind))
    codes = codes_of("a", scores)
    assert codes.tolist() == sorted(codes.tolist())
    np.testing.assert_array_equal(codes[1:] == codes[:-1], scores[1:] == scores[:-1])
    np.testing.assert_array_equal(scores_of(codes, scores.dtype), scores)
    assert codes_of("a", np.array([-0.0])) == codes_of("a", np.array([0.0]))


def test_a_binned_table_as_a_value(tmp_path: Path) -> None:
    table = hc.count_tables(Y, {"a": A}, bins=6)["a"]
    assert isinstance(table, hc.HitTable)
    assert table.kind == "binned"
    assert (table + table).n == 2 * N
    table.save(tmp_path / "t.hit")
    assert hc.load_table(tmp_path / "t.hit") == table
    end = float(np.asarray(table.grid)[2])
    called = table.confusion(threshold=end)
    assert (called.tp, called.fp) == (np.sum(A[Y == 1] >= end), np.sum(A[Y == 0] >= end))
    with pytest.raises(hc.errors.UndefinedMetricError, match="inside a bin"):
        table.confusion(threshold=end + 1e-9)
    curve = table.curve("roc")
    assert curve.threshold is not None
    assert curve.threshold[1] == np.asarray(table.grid)[0]
    stack = hc.TableStack.from_tables({"x": table, "y": table + table})
    assert stack["y"] == table + table
    assert (stack + stack)["x"] == table + table
    assert table.collapse().kind == "derived"


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "full within a limit": (
        {"rows": "full", "memory_limit": "1GB"},
        ParameterError,
        r"memory_limit \(--memory-limit\) and rows='full' \(--full\) cannot be combined",
    ),
    "two ways": ({"rows": "full", "bins": 3}, ParameterError, r"rows='full' \(--full\) and bins cannot be combined"),
    "no such rows": ({"rows": "all"}, ParameterError, "rows must be one of 'collapsed', 'full'"),
    "no bin": ({"bins": 0}, ParameterError, "bins must be a whole number of at least 1"),
    "too many": ({"bins": 2**21}, ParameterError, "bins must be at most 1048576"),
    "bins of groups": ({"bins": 3, "by": "g"}, ParameterError, "are for rankers of one list"),
    "full grid": ({"grid": _counted(rows="full")}, GridMismatchError, "must be a collapsed or a binned table"),
    "another ranker": ({"grid": {"b": 3}}, GridMismatchError, "the grid has no table of 'a'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    how, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        _counted(**how)


def test_scores_off_the_grid_are_refused() -> None:
    first = hc.count_tables(Y[:300], {"a": A[:300]})
    with pytest.raises(GridMismatchError, match=r"the grid of 'a' lacks .*the score of a positive: use full tables"):
        hc.count_tables(Y[300:], {"a": A[300:]}, grid=first)


@pytest.mark.parametrize("bins", [None, 5])
@pytest.mark.parametrize("kind", [np.float32, np.int64, np.int16, np.uint8])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_grid_counts_scores_of_any_type(kind: Any, bins: int | None, weighted: bool) -> None:
    scores = np.rint(10 * A - 10 * A.min()).astype(kind) / (8 if np.dtype(kind).kind == "f" else 1)
    scores = scores.astype(kind)
    weight = RNG.random(N) + 0.5 if weighted else None
    grid = hc.count_tables(Y, {"a": scores}, bins=bins, sample_weight=weight)
    wide = hc.count_tables(Y, {"a": scores.astype(np.float64)}, bins=bins, sample_weight=weight)
    # negatives a hair beside each cut, which the narrow type would round onto it
    day = np.where(Y == 1, scores, np.nextafter(scores.astype(np.float64), RNG.choice([-np.inf, np.inf], N)))
    found, exact = (hc.count_tables(Y, {"a": day}, grid=one, sample_weight=weight) for one in (grid, wide))
    for one, other in zip(found["a"].sums, exact["a"].sums, strict=True):
        np.testing.assert_array_equal(one, other)
    assert np.asarray(found["a"].grid).dtype == kind
    np.testing.assert_array_equal(found["a"].grid, exact["a"].grid)
    days = [found, grid, hc.count_tables(Y, {"a": scores.astype(np.float64)}, grid=grid, sample_weight=weight)]
    assert days[2]["a"] == grid["a"]
    total, backwards = days[0] + days[1] + days[2], days[2] + days[1] + days[0]
    assert total["a"].n == pytest.approx(3 * grid["a"].n)
    np.testing.assert_allclose(total["a"].pos, backwards["a"].pos, rtol=1e-12)
    assert hc.evaluate(tables=total, metrics=["auc"])


def test_a_day_of_decimals_joins_a_day_of_whole_scores(tmp_path: Path, shell: Shell) -> None:
    one, two, month = (tmp_path / name for name in ("one.hit", "two.hit", "month.hit"))
    (tmp_path / "one.csv").write_text("y,a\n1,3\n0,2\n1,1\n0,0\n")
    (tmp_path / "two.csv").write_text("y,a\n1,3.5\n0,2.9\n1,1.5\n0,0.9\n")
    columns = ("--label", "y", "--score", "a")
    assert shell("table", tmp_path / "one.csv", *columns, "--bins", 2, "-o", one).code == 0
    assert shell("table", tmp_path / "two.csv", *columns, "--grid", one, "-o", two).code == 0
    assert shell("merge", one, two, "-o", month).code == 0
    table = hc.load_table(month)
    assert (np.asarray(table.grid).tolist(), table.pos.tolist(), table.neg.tolist()) == ([3, 1], [2, 2, 0], [0, 2, 2])


@pytest.mark.parametrize("turned", [False, True])
def test_whole_numbers_beyond_floats_do_not_meet_them_on_a_grid(turned: bool) -> None:
    scores = [np.where(Y == 1, 2**53 + 1, 2**53), A]
    one, other = scores[::-1] if turned else scores
    with pytest.raises(GridMismatchError, match=r"whole numbers beyond 2\^53 do not compare exactly"):
        hc.count_tables(Y, {"a": other}, grid=hc.count_tables(Y, {"a": one}, bins=5))
    huge = {"a": A * 1e30}  # floats have no such limit
    assert hc.count_tables(Y, huge, grid=hc.count_tables(Y, huge, bins=5))["a"].n == N


@pytest.mark.parametrize("how", [{"bins": 5}, {}])
def test_a_grid_of_the_other_direction_is_refused(how: dict[str, Any]) -> None:
    first = hc.count_tables(Y, {"a": A}, **how)
    words = "scores of 'a' are not counted on the grid: lower is better in one and higher in the other"
    with pytest.raises(GridMismatchError, match=words):
        hc.count_tables(Y, {"a": A}, grid=first, higher_is_better=False)
    low = hc.count_tables(Y, {"a": A}, higher_is_better=False, **how)
    with pytest.raises(GridMismatchError, match=words):
        hc.count_tables(Y, {"a": A}, grid=low)
    assert hc.count_tables(Y, {"a": A}, grid=low, higher_is_better=False)["a"] == low["a"]


# ---- the commands


def _days(folder: Path, parts: list[Path], shell: Shell, *options: str) -> list[str]:
    out = []
    for place, path in enumerate(parts):
        out.append(str(folder / f"day{place}.hit"))
        columns = [word for name in RANKERS for word in ("--score", f"{name}:low" if name == "low" else name)]
        done = shell("table", path, "--label", "y", *columns, "-o", out[-1], *options)
        assert done.code == 0, done.err
    return out


@pytest.mark.slow
def test_files_of_days_are_merged_and_evaluated(tmp_path: Path, parts: list[Path], shell: Shell) -> None:
    days = _days(tmp_path, parts, shell, "--full")
    month = tmp_path / "month.hit"
    done = shell("merge", *days, "-o", month)
    assert done.code == 0, done.err
    assert done.out.startswith(f"a: {N} subjects, {Y.sum()} positive, full, {N} rows\n")
    assert hc.load_tables(month).tables == _counted(rows="full").tables
    options = ["-f", "json", "-m", "ap", "-m", "auc", "-m", "ef@10%"]
    rankers = [word for name in RANKERS for word in ("--score", f"{name}:low" if name == "low" else name)]
    of_files = shell("evaluate", *parts, "--label", "y", *rankers, *options).json
    for given in ([month], days, [tmp_path / "day*.hit"]):
        found = shell("evaluate", *given, *options).json
        assert found["metrics"] == of_files["metrics"]
        assert found["rows"] == of_files["rows"]
    assert "two samples" in shell("evaluate", month, "--compare", "ap").out


@pytest.mark.slow
def test_a_command_for_one_list_takes_tables(tmp_path: Path, parts: list[Path], shell: Shell) -> None:
    days = _days(tmp_path, parts, shell, "--full")
    assert shell("confusion", *days, "--at", "10%", "-f", "json").json[0]["tp"] > 0
    assert shell("report", *days, "-o", tmp_path / "page.html").code == 0
    assert shell("curve", *days, "--curve", "roc", "-f", "json").code == 0


def test_the_way_out_of_tables_that_do_not_add_leads_out(tmp_path: Path, shell: Shell) -> None:
    columns = ("--label", "y", "--score", "a")
    for day, first in enumerate((0.5, 0.25), 1):  # no positive of the second day has a score of the first
        rows = "".join(f"{int(row % 3 == 0)},{first - row}\n" for row in range(40))
        (tmp_path / f"day{day}.csv").write_text("y,a\n" + rows)
        assert shell("table", tmp_path / f"day{day}.csv", *columns, "-o", tmp_path / f"day{day}.hit").code == 0
    one, two, month = (tmp_path / name for name in ("day1.hit", "day2.hit", "month.hit"))
    assert f"--bins for {one} and --grid {one} for the others" in shell("merge", one, two, "-o", month).refusal
    assert shell("table", tmp_path / "day1.csv", *columns, "--bins", 5, "-o", one).code == 0
    assert f"--grid {one} for the others" in shell("merge", two, one, "-o", month).refusal
    assert shell("table", tmp_path / "day2.csv", *columns, "--grid", one, "-o", two).code == 0
    assert shell("merge", two, one, "-o", month).code == 0
    assert hc.load_tables(month)["a"].n == 80


def test_what_the_commands_refuse(tmp_path: Path, parts: list[Path], shell: Shell) -> None:
    days = _days(tmp_path, parts, shell)
    refusal = shell("merge", *days, "-o", tmp_path / "m.hit").refusal
    assert "tables over different grids do not add" in refusal
    assert f"--full for every file, or with --bins for {days[0]} and --grid {days[0]} for the others" in refusal
    assert not (tmp_path / "m.hit").exists()
    assert "name at least two" in shell("merge", days[0], "-o", tmp_path / "m.hit").refusal
    assert (
        "is given twice: its rows would be counted twice"
        in shell("merge", days[0], days[0], "-o", tmp_path / "m.hit").refusal
    )
    assert "is the input file" in shell("merge", *days, "-o", days[1]).refusal
    assert "cannot be combined with options on columns" in shell("evaluate", days[0], "--label", "y").refusal
    assert "has no ranker 'absent'; rankers are" in shell("evaluate", days[0], "--score", "absent").refusal
    assert "does not: evaluate them apart" in shell("evaluate", days[0], parts[0]).refusal
    (tmp_path / "cut.hit").write_bytes(Path(days[0]).read_bytes()[:500])
    assert "cut.hit is no file of hit tables, or was cut off" in shell("evaluate", tmp_path / "cut.hit").refusal
    assert "absent.hit" in shell("evaluate", tmp_path / "absent.hit").refusal


_FULL_DISK = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
import hitcurve as hc, numpy as np
rng = np.random.default_rng(0)
try:
    hc.HitTable.from_scores(rng.random(20_000) < 0.5, rng.random(20_000)).save(sys.argv[1])
except hc.errors.UnreadableFileError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="limits of POSIX")
def test_a_write_that_does_not_fit_leaves_the_old_file(tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "t.hit"
    table = hc.HitTable.from_scores(Y, A)
    table.save(path)
    done = subprocess.run([sys.executable, "-c", _FULL_DISK, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == f"cannot write {path}: File too large\n"
    assert [one.name for one in tmp_path.iterdir()] == ["t.hit"]
    assert hc.load_table(path) == table
    if Path("/dev/full").exists():
        with pytest.raises(hc.errors.UnreadableFileError, match="cannot write /dev/full: No space left on device"):
            table.save("/dev/full")
