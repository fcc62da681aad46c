"""Markers of each group of subjects by itself; few subjects with values; markers that do not fit into memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import hitcurve as hc
from hitcurve.errors import (
    HitcurveWarning,
    InputError,
    InsufficientDataError,
    LengthMismatchError,
    MissingValueError,
    MissingValueWarning,
    ParameterError,
    SingleClassError,
)
from hitcurve.screens.columns import Block, DenseBlock, Places
from tests.data import NO_DATA, data_folder
from tests.test_screen import markers


def test_each_group_is_screened_by_itself() -> None:
    X, y = markers(count=8)
    X = np.where(np.abs(X) < 0.5, 0, X)
    site = np.where(np.arange(60) % 3 > 0, "north", "south")
    found = hc.screen(X, y, by=site, direction="auto", n_resamples=99)
    thin = hc.screen(sparse.csc_array(X), y, by=site, direction="auto", n_resamples=99)
    assert list(found) == ["north", "south"]
    for name, one in found.items():
        alone = hc.screen(X[site == name], y[site == name], direction="auto", n_resamples=99)
        assert one.to_csv() == alone.to_csv()
        assert thin[name].value == pytest.approx(one.value, abs=1e-12)
    assert "8 markers in each of 2 groups" in str(found)
    assert len(found.to_frame(backend="pandas")) == 32


def test_groups_that_cannot_be_screened_are_named() -> None:
    X, y = markers(count=8)
    with pytest.raises(SingleClassError, match="group 'a': there is no positive"):
        hc.screen(X, y, by=np.where(y == 1, "b", "a"))
    half, few = np.where(np.arange(60) % 2, "b", "a"), np.where(np.arange(60) % 2, np.arange(60), 99)
    with pytest.raises(InsufficientDataError, match="group 'a': there is only one cluster"):
        hc.screen(X, y, by=half, clusters=few)
    with pytest.raises(InsufficientDataError, match="group 'a': one cluster contains all positives"):
        hc.screen_one_vs_rest(X, half, clusters=few)
    with pytest.raises(InputError, match=r"^group 'a': no marker is left: 1 constant"):
        hc.screen(np.where(half == "a", 1, X[:, 0])[:, None], y, by=half)
    with pytest.raises(ParameterError, match=r"^adjust must be"):
        hc.screen(X, y, by=half, adjust="x")
    with pytest.raises(LengthMismatchError, match="by has 3 entries"):
        hc.screen(X, y, by=["a", "b", "c"])
    with pytest.raises(ParameterError, match="by names the column 'site', and X has no named columns"):
        hc.screen(X, y, by="site")
    X = X.copy()
    X[::2, 3] = 1
    with pytest.warns(HitcurveWarning, match="group 'even': 1 of 8 markers left out: 1 constant .'3'."):
        found = hc.screen(X, y, by=np.where(np.arange(60) % 2, "odd", "even"), n_resamples=99)
    assert "3" not in found["even"].names
    assert found.heading()[0] == "7 to 8 markers in each of 2 groups"
    assert "warning: group 'even': 1 of 8 markers left out: 1 constant ('3')" in found.notes()
    assert found.more(7) == ["0 to 1 more marker in each group, in to_frame() (--top 0)"]


@pytest.mark.filterwarnings("ignore::hitcurve.errors.MissingValueWarning")
@pytest.mark.parametrize("missing", ["raise", "drop"])
def test_what_stands_beside_the_markers_has_their_length(missing: str) -> None:
    X, y = markers(count=3)
    half, pairs = np.where(np.arange(60) % 2, "b", "a"), np.arange(60) // 2
    label = np.ma.MaskedArray(y, np.arange(60) < 4) if missing == "drop" else y
    for clusters in (np.r_[[99], pairs], pairs[:-1]):
        said = f"clusters has {clusters.size} entries, and X has 60 rows"
        for by in (None, half):
            with pytest.raises(LengthMismatchError, match=said):
                hc.screen(X, label, by=by, clusters=clusters, missing=missing, n_resamples=99)
        with pytest.raises(LengthMismatchError, match=said):
            hc.screen_one_vs_rest(X, half, clusters=clusters, n_resamples=99)
    for by in (np.r_[half, half], half[:-1]):
        with pytest.raises(LengthMismatchError, match="by has"):
            hc.screen(X, label, by=by, missing=missing, n_resamples=99)


@pytest.mark.parametrize("kind", ["masked", "nan", "none"])
def test_missing_labels_of_groups_are_refused_or_left_out(kind: str) -> None:
    X, y = markers(count=3)
    half, gone = np.where(np.arange(60) % 2, "b", "a"), np.arange(60) < 10
    label = {
        "masked": np.ma.MaskedArray(y, gone),
        "nan": np.where(gone, np.nan, y),
        "none": [None if absent else int(one) for absent, one in zip(gone, y, strict=True)],
    }[kind]
    with pytest.raises(MissingValueError, match="10 of 60 values of label are missing"):
        hc.screen(X, label, by=half, n_resamples=99)
    with pytest.warns(MissingValueWarning, match="10 of 60 subjects have no label and are left out"):
        found = hc.screen(X, label, by=half, clusters=np.arange(60) // 2, missing="drop", n_resamples=99)
    rest = hc.screen(X[10:], y[10:], by=half[10:], clusters=np.arange(10, 60) // 2, missing="drop", n_resamples=99)
    assert found.to_dict() == rest.to_dict()


@pytest.mark.parametrize("by", [None, np.arange(60) % 2])
def test_masked_clusters_are_missing_ones(by: Any) -> None:
    X, y = markers(count=3)
    clusters = np.ma.MaskedArray(np.arange(60) // 2, np.arange(60) == 59)
    label = np.where(np.arange(60) < 4, np.nan, y)
    with pytest.raises(MissingValueError, match="1 of 60 clusters are missing"):
        hc.screen(X, y, by=by, clusters=clusters, n_resamples=99)
    with pytest.warns(MissingValueWarning), pytest.raises(MissingValueError, match="1 of 56 clusters are missing"):
        hc.screen(X, label, by=by, clusters=clusters, missing="drop", n_resamples=99)


def test_notes_name_the_groups_that_they_are_about() -> None:
    X, y = markers(count=8)
    X = np.round(X)
    X[:4, 0], X[30:, 1], X[4, 2] = np.nan, np.nan, np.nan
    site = np.array(["a", "b", "c"])[np.arange(60) % 3]
    with pytest.warns(HitcurveWarning) as caught:
        found = hc.screen(X, y, by=site, missing="drop", metrics="auc")
    told = [str(one.message) for one in caught]
    assert {f"warning: {message}" for message in told} <= set(found.notes())
    for name, one in found.items():
        for message in map(str, one.warnings):
            assert message in told or any(repr(name) in line and line.endswith(message) for line in told)
        for metric, methods in one.test_methods.items():
            assert any(f"p values of {metric} by {methods[0]}" in line for line in found.notes())
    assert len(found.notes()) == len(set(found.notes()))
    cells = hc.screen_one_vs_rest(np.round(X[:, 3:]), np.repeat(["x", "y", "z"], [27, 30, 3]), metrics="auc")
    few = [line for line in cells.notes() if line.startswith("group 'z': ")]
    assert few[0].startswith("group 'z': no interval of auc for the best: 3 positives are too few")
    assert any("random orders" in line for line in few)


def test_a_marker_of_which_few_have_a_value_has_exact_p_values_with_ties() -> None:
    y = np.repeat([1, 0], 20)
    X = np.full((40, 2), np.nan)
    X[:, 0] = np.arange(40)
    X[:5, 1], X[20:26, 1] = [5, 4, 4, 3, 3], [3, 2, 2, 1, 1, 0]
    with pytest.warns(MissingValueWarning):
        found = hc.screen(X, y, metrics="auc", missing="drop")
    # of 462 orders, 5 of 11 positive, those with as high a rank sum
    assert found.pvalue[0, 1] == pytest.approx(3 / 462)


@dataclass(frozen=True)
class Made:
    """Columns that are made when they are asked for."""

    rows: int = 1000
    names: tuple[str, ...] = tuple(map(str, range(15_000)))
    unreadable: Mapping[str, str] = field(default_factory=dict)

    def blocks(self, numbers: int) -> Iterator[Block]:
        width = numbers // self.rows
        for first in range(0, len(self.names), width):
            yield self.taken(np.arange(first, min(first + width, len(self.names))))

    def taken(self, places: Places) -> Block:
        return DenseBlock(places, np.random.default_rng(int(places[0])).random((places.size, self.rows)))


def test_more_columns_than_memory_are_screened_by_blocks() -> None:
    columns = Made()
    tracemalloc.start()
    found = hc.screen(columns, np.arange(1000) < 300, metrics="auc")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 15_000
    assert peak < 8 * columns.rows * len(found) / 2


@pytest.mark.skipif(not (data_folder() / "seldi").is_dir(), reason=NO_DATA)
def test_the_peaks_of_the_published_table() -> None:
    """Su, Yuan and Zhu (2015), Table 4; how they joined the two spectra of a man is not known, here it is the mean."""
    folder = data_folder() / "seldi"
    mass = pd.read_csv(folder / "prostate_seldi_mz.csv").iloc[:, 1].to_numpy()
    frame = pd.read_csv(folder / "prostate_seldi_late_vs_normal.csv.gz")
    rows = {
        3896.641: (0.917, 0.881, 0.878),
        8355.562: (0.855, 0.895, 0.856),
        8141.232: (0.811, 0.868, 0.850),
        8295.641: (0.848, 0.854, 0.833),
        5074.164: (0.879, 0.818, 0.833),
        4071.184: (0.852, 0.877, 0.831),
        6949.220: (0.888, 0.866, 0.824),
    }
    names = [f"p{int(np.argmin(np.abs(mass - peak))) + 1:03d}" for peak in rows]
    found = hc.screen(frame[names], frame["label"], direction="auto", n_resamples=99)
    for name, (auc, ap, published) in zip(names, rows.values(), strict=True):
        place = found.place(name)
        assert found["auc"][place] == pytest.approx(auc, abs=5.1e-4)
        assert found["ap"][place] == pytest.approx(ap, abs=5.1e-4)
        assert found["ap"][place] == pytest.approx(published, abs=0.05)
