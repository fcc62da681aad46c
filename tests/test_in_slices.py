"""Lists with more scores than are held in memory: sorted on disk and read in slices, they have the same numbers."""

from __future__ import annotations

import errno
import functools
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve.errors import HitcurveWarning, InsufficientDataError, ParameterError, UnreadableFileError
from hitcurve.evaluation.passes import exactly, limits, on_disk
from hitcurve.inference.estimation.in_slices import can_be_read
from hitcurve.sources.files import batches as reader
from hitcurve.sums import Sums
from tests.metrics_under_test import METRICS
from tests.shell import Shell, shell

__all__ = ["shell"]
RNG = np.random.default_rng(24)
N = 127  # odd: no row ends at half of the list, where rounding decides on which side a jump is
Y = (RNG.random(N) < 0.3).astype(int)
A = RNG.normal(size=N) + Y
B = A / 2 + RNG.normal(size=N)
DATA = {
    "y": Y,
    "a": A,
    "b": B,
    "tied": np.round(A, 1),
    "whole": np.rint(100 * A).astype(np.int32),
    "w": 1 + Y / 2 + A % 0.5,
}
READ = tuple(m for m in METRICS if can_be_read(m))
TMPDIR = "TMPDIR names another place"

pytestmark = pytest.mark.filterwarnings(f"ignore::{HitcurveWarning.__module__}.HitcurveWarning")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("slices") / "all.parquet"
    pq.write_table(pa.table(DATA), path)
    return path


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def distinct(ranker: str, n: int = N) -> int:
    return int(np.unique(DATA[ranker][:n][Y[:n] == 1]).size)


def evaluated(path: Path, ranker: str, *, most: int | None = None, **options: Any) -> hc.Evaluation:
    options = {"metrics": READ, "undefined": "nan", **options}
    if most is not None:
        options["max_grid"] = most
    found: hc.Evaluation = hc.evaluate("y", ranker, data=path, **options)
    return found


def attempt(ask: Any) -> Any:
    try:
        return ask()
    except hc.errors.InputError as error:
        return str(error)


def check_same(found: hc.Estimate, wanted: hc.Estimate) -> None:
    def near(a: Any, b: Any, rel: float) -> None:
        assert a == pytest.approx(b, rel=rel, abs=1e-12 if rel > 1e-13 else 1e-15, nan_ok=True), str(found.metric)

    near(found.value, wanted.value, 1e-13)
    if np.isnan(wanted.value):
        assert found.reason == wanted.reason
        return
    errors = [attempt(lambda e=e: e.standard_error) for e in (found, wanted)]
    if isinstance(errors[1], float):
        near(errors[0], errors[1], 1e-11)
    assert isinstance(errors[0], float) or errors[0] == errors[1]
    for name in ("n", "n_pos", "tied", "random", "best", "convention", "cut"):
        assert getattr(found, name) == getattr(wanted, name), (str(found.metric), name)
    assert (found.tie_range is None) == (wanted.tie_range is None)
    near(found.tie_range or (), wanted.tie_range or (), 1e-12)
    assert (found.interval is None) == (wanted.interval is None)
    if found.interval is not None:
        near(tuple(found.interval), tuple(wanted.confidence_interval(method=found.interval_method)), 1e-10)


SHORT = 41  # each slice takes as long as all of a short list


@functools.cache
def in_memory(path: Path, ranker: str, half: int) -> hc.Evaluation:
    """Return the evaluation in memory by every other metric."""
    return evaluated(path, ranker, metrics=READ[half::2])


@pytest.fixture(scope="module")
def short(path: Path) -> Path:
    short = path.with_name("short.parquet")
    pq.write_table(pa.table(DATA).slice(0, SHORT), short)
    return short


# any two of a metric, a size and a ranker
@pytest.mark.slow
@pytest.mark.parametrize(("size", "rankers"), [(1, ("a", "tied")), (7, ("tied", "a")), (10**6, ("a", "tied"))])
@pytest.mark.parametrize("half", [0, 1])
def test_numbers_are_those_of_memory(
    half: int,
    rankers: tuple[str, str],
    size: int,
    path: Path,
    short: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "SLICE", size)
    ranker = rankers[half]
    path, n = (path, N) if size > N else (short, SHORT)
    found = evaluated(path, ranker, most=distinct(ranker, n) - 1, metrics=READ[half::2])
    assert "sorted on disk in" in found.notes[0]
    slices = int(found.notes[0].partition("disk in ")[2].split()[0])
    assert slices == 1 if size > N else slices > int(Y[:n].sum()) / size / 4
    wanted = in_memory(path, ranker, half)
    assert found.heading()[0] == wanted.heading()[0]
    assert not found.warnings or [str(w) for w in found.warnings] == [str(w) for w in wanted.warnings]
    for metric in READ[half::2]:
        check_same(found[ranker, metric], wanted[ranker, metric])
    assert len(list(temporary.iterdir())) == 1  # of the file that is still open


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"prevalence": 0.02}, {"design": "case-control"}, {"higher_is_better": False}])
def test_numbers_of_a_design_are_those_of_memory(
    options: dict[str, Any], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SLICE", 50)
    found, wanted = (evaluated(path, "whole", most=most, **options) for most in (distinct("whole") - 1, None))
    for metric in READ:
        check_same(found["whole", metric], wanted["whole", metric])


@pytest.mark.parametrize("chunk", [1, 7, 10**6])
def test_chunks_of_files_make_no_difference(chunk: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SLICE", 7)
    options: dict[str, Any] = {"metrics": ["ap", "auc", "ef@10%"], "most": 20}
    wanted = evaluated(path, "a", **options)
    monkeypatch.setattr(reader, "_ROWS", chunk)
    monkeypatch.setattr(on_disk, "_CHUNK", 3)
    assert evaluated(path, "a", **options).to_dict() == wanted.to_dict()


def test_slices_beside_rankers_that_fit(path: Path) -> None:
    found = evaluated(path, ["a", "tied"], most=30, metrics=["ap", "auc"])  # type: ignore[arg-type]
    wanted = evaluated(path, ["a", "tied"], metrics=["ap", "auc"])  # type: ignore[arg-type]
    assert "positives of a have more than 30 distinct scores (max_grid)" in found.notes[0]
    for ranker in ("a", "tied"):
        assert found[ranker, "ap"].value == pytest.approx(wanted[ranker, "ap"].value, rel=1e-13)
    assert found["tied", "ap"].interval == wanted["tied", "ap"].interval


THREE: Any = ["a", "b", "tied"]
PAIRS = (("a", "b"), ("tied", "b"))


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("most", [20, 30])  # all of them are read in slices, or those of more than 30 scores
def test_differences_are_those_of_the_printed_values(
    most: int, half: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any two of a metric, a limit and a pair of rankers."""
    monkeypatch.setattr(limits, "SLICE", 30)
    (first, second), asked = PAIRS[half ^ (most == 30)], READ[half::2]
    both: Any = [first, second]
    found, wanted = (evaluated(path, both, most=limit, metrics=asked) for limit in (most, None))
    compared = 0
    for metric in asked:
        known, test = (
            attempt(lambda m=metric, ev=ev: ev.compare(first, second, m, method="delta")) for ev in (wanted, found)
        )
        if isinstance(known, str) or isinstance(test, str):
            continue
        compared += 1
        values = tuple(found[name, metric].value for name in (first, second))
        assert test.values == values
        assert test.difference.value == pytest.approx(values[0] - values[1], rel=1e-13, abs=1e-15)
        assert test.difference.value == pytest.approx(known.difference.value, rel=1e-12, abs=1e-14)
        (said,) = [text for text in test.cautions if text.startswith("the difference is exact")]
        assert "bins; without bins the standard error is " in said
        assert ("tied" in said) == (first == "tied" and most == 20)
    assert compared > len(asked) / 2


def test_tests_of_slices_need_no_rows(path: Path, tmp_path: Path) -> None:
    found = evaluated(path, THREE, most=20, metrics=["auc", "ef@20%", "fpr@tpr=50%"])
    for metric in found.metrics:
        test = found.compare("a", "tied", metric)
        assert test.n_resamples is None
        assert test.difference.value == pytest.approx(test.values[0] - test.values[1], abs=1e-15)
        for method in ("bootstrap", "swap-permutation"):
            with pytest.raises(ParameterError, match=rf"'{method}' needs all rows of a and tied at once.*bins= \("):
                found.compare("a", "tied", metric, method=method)
    for pair in found.compare_all("auc", adjust="max-t"):
        assert pair.difference.value == found[pair.first, "auc"].value - found[pair.second, "auc"].value
    same: Any = ["a", "whole"]
    with pytest.raises(
        InsufficientDataError, match=r"of scores within the same bins.*20 bins of a and whole, in which"
    ):
        evaluated(path, same, most=20, metrics=["ap"]).compare("a", "whole", "ap")
    best = found.winner("auc")
    assert best.value == max(e.value for e in found.metric("auc").values())
    found.without_data().to_json(tmp_path / "ev.json")
    again = hc.from_json(tmp_path / "ev.json")
    assert isinstance(again, hc.Evaluation)
    assert again.compare("a", "tied", "auc").to_dict() == found.compare("a", "tied", "auc").to_dict()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"metrics": ["ap", "max_f1", "prg_area"]}, "max_f1 and prg_area need all rows at once"),
        ({"sample_weight": "w"}, "subjects have weights"),
        ({"clusters": "whole"}, "errors of clusters"),
        ({"interval_method": "bca"}, "the interval method bca needs all rows at once"),
        ({"contamination": 0.1}, "labels are corrected"),
    ],
)
def test_what_is_counted_in_bins_instead(options: dict[str, Any], why: str, path: Path) -> None:
    found = evaluated(path, "a", most=20, **{"metrics": ["auc"], **options})
    assert "so scores are counted in bins; a larger limit counts them exactly" in found.notes[0]
    assert f"they are not sorted on disk, since {why}" in found.notes[0]
    assert "counted in 20 bins" in found.notes[1]


def test_a_folder_without_space_is_seen_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exactly, "bytes_needed", lambda _: 10**18)
    found = evaluated(path, "a", most=20, metrics=["auc"])
    assert "since that takes 1,000 PB, and " in found.notes[0]
    assert TMPDIR in found.notes[0]


def test_a_disk_that_is_full_is_one_sentence(path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(UnreadableFileError, match=f"scores cannot be sorted in .*No space left.*{TMPDIR}, bins="):
        evaluated(path, "a", most=20, metrics=["auc"])
    assert not list(temporary.rglob("rows-*"))


def test_a_disk_that_fills_while_scores_are_written(path: Path, temporary: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of POSIX")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
        with pytest.raises(UnreadableFileError, match=f"scores cannot be sorted in .*File too large.*{TMPDIR}"):
            evaluated(path, "a", most=20, metrics=["auc"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(temporary.rglob("pos-*"))


@pytest.mark.parametrize("method", ["bca", "region", "tilted", "jeffreys"])
def test_what_needs_all_rows_is_refused(method: str, path: Path) -> None:
    e = evaluated(path, "a", most=20, metrics=["auc"])["a", "auc"]
    with pytest.raises(ParameterError, match=r"needs all rows of 'a' at once.*bins= \(--bins\)"):
        e.confidence_interval(method=method)
    with pytest.raises(ParameterError, match="a test against random orders needs all rows"):
        e.test_random()
    assert e.bias_reduced is None
    assert e.confidence_interval(0.9).low > e.confidence_interval(0.99).low


def test_a_file_of_the_evaluation_has_the_same_numbers(path: Path, tmp_path: Path) -> None:
    found = evaluated(path, "tied", most=20, metrics=["ap", "ef@10%"])
    found.without_data().to_json(tmp_path / "ev.json")
    again = hc.from_json(tmp_path / "ev.json")
    assert again.to_dict() == found.to_dict()


def test_the_command_says_what_was_done(path: Path, shell: Shell) -> None:
    asked = ("evaluate", path, "--label", "y", "--score", "a", "--max-grid", 20, "-m", "auc")
    assert "exact, from scores sorted on disk in 1 slice" in shell(*asked).out
    found = shell(*asked, "--format", "json").json
    assert any("sorted on disk" in note for note in found["notes"])
    assert found["results"][0]["method"] == "half-subject"


def test_strict_orders_of_a_slice_are_made_once_for_all_metrics(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    in_order = Sums.in_strict_order

    def counted(self: Sums, *, positives_first: bool) -> Sums:
        made.append(self.pos.size)
        return in_order(self, positives_first=positives_first)

    monkeypatch.setattr(limits, "SLICE", 7)
    monkeypatch.setattr(Sums, "in_strict_order", counted)
    calls = []
    for metrics in (("auc",), ("auc", "ap", "bedroc(alpha=20)", "ndcg", "roc(50)")):
        made.clear()
        ends = [e.tie_range for e in evaluated(path, "tied", most=10, metrics=metrics)]
        assert all(end is not None for end in ends)
        calls.append(list(made))
    assert calls[0] == calls[1]
    assert len(calls[0]) >= 4
