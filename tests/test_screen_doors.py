"""Screens by every door: files, frames, annotated matrices and the command line give the same numbers."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from matplotlib.text import Text
from scipy import sparse

import hitcurve as hc
from hitcurve.errors import (
    AlignmentWarning,
    ColumnNotFoundError,
    HitcurveError,
    HitcurveWarning,
    InputError,
    MissingExtraError,
    MissingValueError,
    MissingValueWarning,
    ParameterError,
    SingleClassError,
    UnreadableFileError,
)
from hitcurve.screens.given import matching
from hitcurve.screens.given.files import MarkerFile
from tests.shell import Shell

Array = npt.NDArray[Any]
FEW: dict[str, Any] = {"n_resamples": 99}


def frame(rows: int = 40, count: int = 12) -> pd.DataFrame:
    """Return markers p0, p1, ... beside an id, a label and a column of text."""
    rng = np.random.default_rng(3)
    y = rng.permutation(np.arange(rows) < rows // 3).astype(int)
    X = np.round(rng.normal(size=(rows, count)) + np.linspace(-1, 1, count) * y[:, None], 2)
    markers = pd.DataFrame(X, columns=[f"p{i}" for i in range(count)])
    markers.insert(0, "y", y)
    markers["batch"] = rng.choice(["a", "b"], rows)
    markers["donor"] = np.arange(rows) // 4
    return markers


def written(data: pd.DataFrame, path: Path) -> Path:
    """Write a frame in the format of the name."""
    table = pa.Table.from_pandas(data, preserve_index=False)
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=16)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, str(path), chunksize=16)
    elif path.suffix == ".arrows":
        with pa.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table, max_chunksize=16)
    elif path.suffix == ".jsonl":
        data.to_json(path, orient="records", lines=True)
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(data.to_csv(index=False).encode()))
    else:
        data.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


def same(a: hc.Screen, b: hc.Screen) -> None:
    assert a.names == b.names
    assert a.value == pytest.approx(b.value, rel=1e-12)
    assert a.pvalue == pytest.approx(b.pvalue, rel=1e-9)


# ---- files


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "jsonl", "parquet", "feather", "arrows"])
def test_every_format_gives_the_numbers_of_the_frame(tmp_path: Path, ending: str) -> None:
    data = frame()
    path = written(data, tmp_path / f"markers.{ending}")
    with pytest.warns(HitcurveWarning, match=r"1 of 14 markers left out: 1 not numeric \(.*'batch'"):
        found = hc.screen(path, "y", **FEW)
    with pytest.warns(HitcurveWarning, match="not numeric"):
        same(found, hc.screen(data, "y", **FEW))
    same(hc.screen(str(path), "y", columns="p*", **FEW), hc.screen(data.filter(like="p"), data["y"], **FEW))
    same(
        hc.screen(path, "y", columns="p*", clusters="donor"),
        hc.screen(data.filter(like="p"), data["y"], clusters=data["donor"]),
    )
    assert found.table("p3").n == 40


def test_words_for_missing_values_and_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text('y;a;b;c;d\n1;"1,5";NA;-9;1.000,5\n0;"2,5";2;3;2\n1;3;;4;3\n0;4;5;5;4\n')
    with pytest.warns(
        HitcurveWarning, match="3 of 4 markers left out: 1 not numeric .*'1,5' in line 2; give --decimal ,"
    ):
        found = hc.screen(path, "y", missing="omit", **FEW)
    assert found.names == ("c",)
    given = MarkerFile([path], "y", decimal=",", na=["-9"]).read()
    block = given.X.taken(np.arange(4)).values
    assert block.tolist()[0] == [1.5, 2.5, 3, 4]
    assert np.isnan(block[1]).tolist() == [True, False, True, False]
    assert np.isnan(block[2]).tolist() == [True, False, False, False]
    assert block[3].tolist() == [1000.5, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("y,a,b\n1,2\n0,1,2\n", "m.csv has 2 columns"),
        ("y,a,a\n1,2,3\n0,1,2\n", "m.csv has several columns of one name: 'a'"),
        ("y\n1\n0\n", "there are no markers: m.csv has no columns beside 'y'"),
        ("y,a\n", "m.csv has no rows"),
        ("z,a\n1,2\n", "no column 'y' in m.csv"),
        ("y,a\n1,2\n0,x\n", r"no marker is left: 1 not numeric \(it has 'x' in line 3\)"),
        ("y,a\n1,2\n0,9007199254740993\n1,9007199254740992\n", "no marker is left: 1 not numeric .*equal as 64-bit"),
        ("y,a\n1,2\n0,1e400\n", "no marker is left: 1 not numeric .*'1e400'"),
        ("y,a\n1,2\n0,3\n2,4\n", "labels must be two classes"),
        ("y,a\n1,2\n,3\n0,4\n", "1 of 3 values of label are missing"),
    ],
)
def test_files_that_cannot_be_screened(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(HitcurveError, match=said):
        hc.screen(path, "y")
    with pytest.raises(InputError, match="no marker is left: 1 not numeric"):
        hc.screen(pd.DataFrame({"a": ["x", "z"]}), [1, 0])


def test_a_long_line_and_quotes_are_read(tmp_path: Path) -> None:
    names = [f'"m{i}, ""x""\n"' for i in range(3000)]
    path = tmp_path / "m.csv"
    path.write_text(
        ",".join(["y", *names]).replace("\n", "")
        + "\n"
        + "\n".join(",".join([str(row % 2), *(str(row * i % 7) for i in range(3000))]) for row in range(8))
        + "\n"
    )
    given = MarkerFile([path], "y").read()
    assert given.X.names[1] == 'm1, "x"'
    assert given.X.taken(np.array([5])).values.tolist() == [[row * 5 % 7 for row in range(8)]]


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = written(frame(), tmp_path / "m.parquet")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UnreadableFileError, match=r"m\.parquet cannot be read as a table"):
        hc.screen(path, "y")
    pa.parquet.write_table(
        pa.Table.from_pandas(frame()), path, compression="none", use_dictionary=False, write_page_checksum=True
    )
    content = bytearray(path.read_bytes())
    place = pa.parquet.read_metadata(path).row_group(0).column(0)
    content[place.data_page_offset + place.total_compressed_size - 1] ^= 1  # the values of a page are others then
    path.write_bytes(content)
    with pytest.raises(UnreadableFileError, match=r"m\.parquet cannot be read as a table"):
        hc.screen(path, "y")
    (tmp_path / "m.h5ad").write_bytes(b"nothing")
    with pytest.raises(UnreadableFileError, match=r"m\.h5ad is not an \.h5ad file"):
        hc.screen(tmp_path / "m.h5ad", "y")


def test_columns_by_name_wildcard_and_regular_expression() -> None:
    names = ["p1", "p2", "p10", "q[1]", "y"]
    assert matching("p*", names) == ["p1", "p2", "p10"]
    assert matching(["/^p[0-9]$/", "q[1]"], names) == ["p1", "p2", "q[1]"]
    with pytest.raises(ColumnNotFoundError, match="'r\\*' matches no column; columns are 'p1'"):
        matching("r*", names)
    with pytest.raises(ParameterError, match="not a regular expression"):
        matching("/(/", names)
    data = frame()
    whole = hc.screen(data.filter(like="p"), data["y"], **FEW)
    for X in (data.filter(like="p"), pl.from_pandas(data.filter(like="p"))):
        some = hc.screen(X, data["y"].to_numpy(), columns=["p1", "p1?"], **FEW)
        assert some.names == ("p1", "p10", "p11")
        assert some["auc"] == pytest.approx([whole["auc"][whole.place(name)] for name in some.names])
    X = data.filter(like="p").to_numpy()
    for matrix in (X, sparse.csr_array(X)):
        found = hc.screen(matrix, data["y"], columns=["3", "7"], **FEW)
        assert found["ap"] == pytest.approx([whole["ap"][3], whole["ap"][7]])
        assert found.table("7").n == 40


def test_the_label_is_a_column_of_the_frame_or_of_nothing() -> None:
    data = frame()
    for X in (data, pl.from_pandas(data), pa.Table.from_pandas(data), {name: data[name] for name in data}):
        with pytest.warns(HitcurveWarning, match="not numeric"):
            assert "y" not in hc.screen(X, "y", **FEW).names
    with pytest.raises(ColumnNotFoundError, match="no column 'yy'; did you mean 'y'"):
        hc.screen(data, "yy")
    with pytest.raises(ParameterError, match="y names the column 'y', and X has no named columns"):
        hc.screen(data[["p1"]].to_numpy(), "y")
    with pytest.raises(ParameterError, match="a layer is a part of AnnData"):
        hc.screen(data, "y", layer="counts")


def test_subjects_without_a_label_are_left_out_if_rows_may_be_dropped() -> None:
    data = frame()
    X, y = data.filter(like="p").to_numpy(), np.array(data["y"], object)
    y[[2, 5]] = None
    kept = np.delete(np.arange(len(y)), [2, 5])
    clusters = np.arange(len(y)) // 4
    for matrix in (X, sparse.csr_array(np.where(X > 0.5, X, 0))):
        with pytest.raises(MissingValueError, match="2 of 40 values of label are missing"):
            hc.screen(matrix, y, **FEW)
        with pytest.warns(MissingValueWarning, match="2 of 40 subjects have no label and are left out"):
            found = hc.screen(matrix, y, missing="drop", clusters=clusters)
        same(found, hc.screen(matrix[kept], y[kept].astype(int), clusters=clusters[kept]))


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_array, pd.DataFrame])
def test_the_labels_among_the_markers_are_named(make: Any) -> None:
    data = frame()
    X = make(np.column_stack([data["p1"], data["y"], 1 - data["y"], data["p2"]]))
    with pytest.warns(HitcurveWarning, match="markers whose values are the labels: '1', '2'; leave them out"):
        assert hc.screen(X, data["y"], **FEW).names == ("0", "1", "2", "3")


@pytest.mark.filterwarnings("error")
def test_columns_of_odd_kinds() -> None:
    data = frame()[["p1", "p2", "y"]]
    assert hc.screen(pl.from_pandas(data).lazy(), "y", **FEW).names == ("p1", "p2")
    with pytest.warns(HitcurveWarning, match=r"1 not numeric \(complex\) \('z'\)"):
        hc.screen(data.assign(z=1j), "y", **FEW)
    for series in (data["p1"], pl.Series(data["p1"])):
        with pytest.raises(InputError, match="X must have two dimensions"):
            hc.screen(series, data["y"])
    for columns in ([], 3, [1]):
        with pytest.raises(ParameterError, match="columns must be names or patterns"):
            hc.screen(data, "y", columns=columns)  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_files_without_rows_beside_others_are_passed_over_and_named(tmp_path: Path, ending: str, shell: Shell) -> None:
    data = frame().drop(columns="batch")
    expected = hc.screen(data, "y", clusters="donor", metrics="auc")
    for place, part in enumerate((data[:0], data[:25], data[:0], data[25:])):
        written(part, tmp_path / f"p{place}.{ending}")
    said = f"2 of 4 files have no rows: p0.{ending}, p2.{ending}"
    for where in (None, "donor >= 0"):
        with pytest.warns(HitcurveWarning, match=said):
            found = hc.screen(str(tmp_path / f"p?.{ending}"), "y", clusters="donor", metrics="auc", where=where)
        same(found, expected)
    done = shell("screen", *sorted(tmp_path.glob("p*")), "-l", "y", "-o", tmp_path / "out.csv")
    assert (done.code, said in done.err) == (0, True), done
    with pytest.raises(InputError, match=f"none of 2 files has rows: p0.{ending}, p2.{ending}"):
        hc.screen(str(tmp_path / f"p[02].{ending}"), "y")


# ---- annotated matrices


def h5ad(path: Path, matrix: Any, obs: dict[str, Any], names: list[str]) -> Path:
    """Write an .h5ad file by its published layout: X, a sparse layer, and columns of every kind."""
    with h5py.File(path, "w") as file:
        file.attrs["encoding-type"] = "anndata"
        _put(file, "X", matrix)
        layers = file.create_group("layers")
        _put(layers, "csc", sparse.csc_array(matrix))
        for what, index, columns in (("obs", [f"c{i}" for i in range(matrix.shape[0])], obs), ("var", names, {})):
            group = file.create_group(what)
            group.attrs["_index"] = "_index"
            group.create_dataset("_index", data=np.array(index, object), dtype=h5py.string_dtype())
            for name, values in columns.items():
                _put(group, name, values)
    return path


def _put(group: Any, name: str, values: Any) -> None:
    if isinstance(values, (sparse.csr_array, sparse.csc_array)):
        own = group.create_group(name)
        own.attrs["encoding-type"] = f"{values.format}_matrix"
        own.attrs["shape"] = values.shape
        for part in ("data", "indices", "indptr"):
            own.create_dataset(part, data=getattr(values, part))
    elif isinstance(values, pd.Categorical):
        own = group.create_group(name)
        own.create_dataset("codes", data=values.codes)
        own.create_dataset("categories", data=values.categories.to_numpy(object), dtype=h5py.string_dtype())
    else:
        group.create_dataset(name, data=values)


def cells() -> tuple[Array, dict[str, Any], list[str]]:
    rng = np.random.default_rng(5)
    X = rng.poisson(0.7, size=(90, 15)).astype("f4")
    kind = np.repeat(["B", "NK", "T"], 30)
    X[:, 4] += 3 * (kind == "NK")
    obs = {"kind": pd.Categorical(kind), "case": np.arange(90) % 2 == 0, "donor": np.arange(90) // 9}
    return X, obs, [f"g{i}" for i in range(15)]


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_annotated_matrices_in_memory_and_in_files(tmp_path: Path, make: Any) -> None:
    X, obs, names = cells()
    path = h5ad(tmp_path / "cells.h5ad", make(X), obs, names)
    object_ = SimpleNamespace(X=make(X), obs=pd.DataFrame(obs), var_names=pd.Index(names), layers={"csc": make(X)})
    expected = hc.screen(X, obs["case"], names=names, **FEW)
    for data in (path, object_):
        same(hc.screen(data, "case", **FEW), expected)
        same(hc.screen(data, "case", layer="csc", **FEW), expected)
        found = hc.screen_one_vs_rest(data, "kind", **FEW)
        assert list(found) == ["B", "NK", "T"]
        same(found["NK"], hc.screen(X, obs["kind"] == "NK", names=names, **FEW))
        with pytest.raises(ColumnNotFoundError, match="no column 'kinds' in obs; did you mean 'kind'"):
            hc.screen(data, "kinds")
        with pytest.raises(ColumnNotFoundError, match="no layer 'x'"):
            hc.screen(data, "case", layer="x")
    clustered = hc.screen(path, "case", clusters="donor", columns=["g1", "g2"])
    same(clustered, hc.screen(X[:, 1:3], obs["case"], clusters=obs["donor"], names=["g1", "g2"]))


@pytest.mark.parametrize("names", ["cells", "default", "numbers"])
def test_the_index_of_cells_tells_whose_labels_are_given(names: str) -> None:
    X, obs, genes = cells()
    label = pd.Series(
        obs["case"], {"cells": [f"c{i}" for i in range(90)], "default": None, "numbers": range(7, 97)}[names]
    )
    frame = pd.DataFrame(obs).set_axis(label.index.astype(str))  # names are text, as in anndata
    data = SimpleNamespace(X=X, obs=frame, var_names=pd.Index(genes), layers={})
    mixed = label.sample(frac=1, random_state=3)
    donor = pd.Series(obs["donor"], frame.index)[::-1]
    expected = hc.screen(X, obs["case"], names=genes, clusters=obs["donor"], **FEW)
    with pytest.warns(AlignmentWarning, match="y and clusters put in the order of X"):
        same(hc.screen(data, mixed, clusters=donor, **FEW), expected)
    with pytest.warns(AlignmentWarning, match="clusters put in the order of X"):
        same(hc.screen(data, "case", clusters=donor, **FEW), expected)
    with pytest.warns(AlignmentWarning, match="groups put in the order of X"):
        found = hc.screen_one_vs_rest(data, mixed.map({False: "a", True: "b"}), **FEW)
    assert found["b"].to_csv() == hc.screen(X, obs["case"], names=genes, **FEW).to_csv()
    with pytest.warns(AlignmentWarning, match="by put in the order of X"):
        site = hc.screen(data, "case", by=donor % 2, **FEW)
    assert site["1"].n_pos[0] == np.sum(obs["case"] & (obs["donor"] % 2 == 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error", AlignmentWarning)
        same(hc.screen(data, label, clusters=pd.Series(obs["donor"]), **FEW), expected)
    if names == "cells":
        with pytest.raises(InputError, match="X and y have different indexes"):
            hc.screen(data, label.add_prefix("x"), **FEW)


def test_repeated_names_of_genes_are_told_apart(tmp_path: Path) -> None:
    X, obs, _ = cells()
    path = h5ad(tmp_path / "cells.h5ad", X[:, :4], obs, ["a", "b", "a", "a-1"])
    with pytest.warns(HitcurveWarning, match=r"1 names of markers repeat .*'a'"):
        assert hc.screen(path, "case", **FEW).names == ("a", "b", "a-2", "a-1")


def test_without_h5py_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    path = h5ad(tmp_path / "cells.h5ad", *cells())
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingExtraError, match=r"hitcurve\[anndata\]"):
        hc.screen(path, "case")


# ---- each group against the rest


def test_groups_have_the_numbers_of_their_own_screens() -> None:
    X, obs, names = cells()
    found = hc.screen_one_vs_rest(X, list(obs["kind"]), names=names, metrics=["auc", "ap"], adjust="holm", **FEW)
    columns = found.to_columns()
    assert columns["group"].tolist() == np.repeat(["B", "NK", "T"], 30).tolist()
    assert [record["group"] for record in found.to_records()] == columns["group"].tolist()
    assert found.to_frame(backend="pandas").loc[columns["group"] == "NK", "marker"].iloc[0] == "g4"
    assert set(found.to_dict()["groups"]) == set(json.loads(found.to_json())["groups"]) == {"B", "NK", "T"}
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        assert "NK" in text
        assert "g4" in text
    with pytest.raises(ColumnNotFoundError, match="no group 'NKK'; did you mean 'NK'"):
        found["NKK"]
    with pytest.raises(SingleClassError, match="one group"):
        hc.screen_one_vs_rest(X, ["a"] * 90)
    with pytest.raises(MissingValueError, match="1 of 90 subjects have no group"):
        hc.screen_one_vs_rest(X, [None, *["a", "b"] * 44, "a"])
    words = np.repeat(["a", "nan", "b"], 30)
    with pytest.raises(
        MissingValueError, match=r"30 of 90 subjects have no group.*; if 'nan' is a name, make the array"
    ):
        hc.screen_one_vs_rest(X, words, **FEW)
    assert list(hc.screen_one_vs_rest(X, words.astype(object), **FEW)) == ["a", "b", "nan"]
    with pytest.raises(ParameterError, match="prevalence is of one outcome"):
        hc.screen_one_vs_rest(X, obs["kind"], prevalence=0.1)


def test_what_is_left_out_is_said_once_for_all_groups() -> None:
    X, obs, _ = cells()
    X[:, 3] = 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hc.screen_one_vs_rest(X, obs["kind"], **FEW)
    assert [str(one.message) for one in caught] == ["1 of 15 markers left out: 1 constant ('3')"]


# ---- figures


def test_figures_show_every_marker_at_its_numbers() -> None:
    data = frame()
    found = hc.screen(data.filter(like="p"), data["y"], direction="auto", **FEW)
    ax = hc.plot.markers(found, top=2)
    points = np.concatenate([np.asarray(c.get_offsets()) for c in ax.collections[:-1]])
    assert np.sort(points, axis=0) == pytest.approx(np.sort(np.stack([found["auc"], found["ap"]], axis=1), axis=0))
    best = [found.names[i] for i in found.order()[:2]]
    assert [text.get_text() for text in ax.texts if text.get_text() != " random"] == best
    ax = hc.plot.volcano(found, "auc", top=0)
    effect = np.where(found.low_first, 0.5 - found["auc"], found["auc"] - 0.5)
    points = np.concatenate([np.asarray(c.get_offsets()) for c in ax.collections[:-1]])
    expected = np.stack([effect, -np.log10(found.pvalue[1])], axis=1)
    assert np.sort(points, axis=0) == pytest.approx(np.sort(expected, axis=0))
    line = np.asarray(ax.lines[-1].get_ydata())[0]
    small = found.adjusted[1] <= 0.05
    assert -np.log10(found.pvalue[1][small].max()) > line > -np.log10(found.pvalue[1][~small].min())
    changes = found.rank_changes("ap")
    ax = hc.plot.rank_changes(changes, top=3)
    lines = {tuple(np.asarray(line.get_ydata()).tolist()) for line in ax.lines}
    assert lines <= set(map(tuple, changes.rank.T.tolist()))
    for draw in (hc.plot.markers, hc.plot.volcano, hc.plot.rank_changes):
        with pytest.raises(ParameterError, match="this figure needs"):
            draw(data)


@pytest.mark.parametrize("figure", ["volcano", "markers", "rank-changes"])
def test_the_command_draws(tmp_path: Path, shell: Shell, figure: str) -> None:
    path = written(frame(), tmp_path / "m.csv")
    call = ("screen", path, "--label", "y", "--columns", "p*", "--n-resamples", 99, "--figure", figure)
    out = tmp_path / "figure.svg"
    assert shell(*call, "-o", out).err == f"wrote {out}\n"
    assert out.read_text().startswith("<?xml")
    assert "--figure needs a file" in shell(*call).refusal
    assert "leave out --one-vs-rest" in shell(*call, "--one-vs-rest", "-o", out).refusal


# ---- the command line


def test_the_command_has_the_numbers_of_python(tmp_path: Path, shell: Shell) -> None:
    data = frame()
    path = written(data, tmp_path / "m.csv")
    call = (
        "screen",
        path,
        "--label",
        "y",
        "--omit",
        "batch",
        "--omit",
        "donor",
        "--n-resamples",
        99,
        "--direction",
        "auto",
    )
    found = hc.screen(data.filter(like="p"), data["y"], direction="auto", **FEW)
    done = shell(*call, "--top", 3)
    assert done.code == 0
    assert done.err == ""
    assert done.out == found.to_text(shown=3) + "\n"
    assert shell(*call, "--format", "json").json == json.loads(found.to_json())
    for ending, text in {
        "csv": found.to_csv(),
        "md": found.to_markdown(shown=20),
        "tex": found.to_latex(shown=20),
    }.items():
        out = tmp_path / f"found.{ending}"
        assert shell(*call, "-o", out).code == 0
        assert out.read_text(encoding="utf-8") == text
    assert shell(*call, "-o", tmp_path / "found.parquet").code == 0
    read = pyarrow.parquet.read_table(tmp_path / "found.parquet").to_pylist()
    assert [line["value"] for line in read] == [line["value"] for line in found.to_records()]


def test_the_command_reads_standard_input_and_names_what_it_left_out(tmp_path: Path, shell: Shell) -> None:
    data = frame()
    text = data.to_csv(index=False).encode()
    done = shell("screen", "-", "--label", "y", "--n-resamples", 99, "-f", "csv", stdin=text)
    assert done.code == 0
    assert done.err.startswith("warning: 1 of 14 markers left out: 1 not numeric (it has ")
    lines = list(csv.DictReader(io.StringIO(done.out)))
    assert len(lines) == 26
    done = shell("screen", "-", "--label", "y", "--n-resamples", 99, stdin=text)
    assert "warning: 1 of 14 markers left out" in done.out
    assert done.err == ""


def test_labels_of_another_file_are_joined(tmp_path: Path, shell: Shell) -> None:
    data = frame()
    data.insert(0, "id", [f"s{i}" for i in range(len(data))])
    labels = data[["id", "y"]].sample(frac=1, random_state=0)
    path, apart = (
        written(data.drop(columns=["y", "batch"]), tmp_path / "m.parquet"),
        written(labels, tmp_path / "l.csv"),
    )
    call = ("screen", path, "--label", "y", "--labels", apart, "--on", "id", "--columns", "p*", "--n-resamples", 99)
    found = hc.screen(data.filter(like="p"), data["y"], **FEW)
    assert shell(*call, "-f", "json").json == json.loads(found.to_json())
    written(labels.iloc[2:], apart)
    assert "2 of 40 subjects of m.parquet have no label in l.csv by 'id'" in shell(*call).refusal
    written(pd.concat([labels, labels.iloc[:1]]), apart)
    assert "1 id repeats in l.csv" in shell(*call).refusal


def test_the_command_by_groups_and_low_markers(tmp_path: Path, shell: Shell) -> None:
    X, obs, names = cells()
    path = h5ad(tmp_path / "cells.h5ad", sparse.csr_array(X), obs, names)
    call = ("screen", path, "--n-resamples", 99)
    found = hc.screen_one_vs_rest(path, "kind", **FEW)
    assert shell(*call, "--group", "kind", "--one-vs-rest", "-f", "json").json == json.loads(found.to_json())
    done = shell(*call, "--label", "case", "--low", "/^g[12]$/", "--omit", "g1?", "-f", "json").json
    low = {one["marker"] for one in done["markers"] if one["direction"] == "low"}
    assert low == {"g1", "g2"}
    assert len(done["markers"]) == 2 * 10


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "give the column of the labels (--label)"),
        (("--label", "y", "--columns", "x*"), "--columns 'x*' matches no column"),
        (("--label", "y", "--columns", "/(/"), "not a regular expression"),
        (("--label", "y", "--layer", "x"), "--layer is of .h5ad files: leave it out"),
        (("--label", "y", "--low", "p1", "--direction", "auto"), "leave out --direction auto"),
        (("--label", "y", "--labels", "l.csv"), "--labels needs the column of subject ids: name it with --on"),
        (("--label", "batch", "--one-vs-rest", "--positive", "a"), "leave out --positive and --prevalence"),
        (("--label", "y", "--adjust", "bonferroni"), "--adjust must be one of 'bh', 'by', 'holm'"),
        (("--label", "y", "--missing", "skip"), "--missing must be one of"),
        (("--label", "y", "-o", "x.xlsx"), "no format is known"),
    ],
)
def test_refusals_of_the_command(tmp_path: Path, shell: Shell, options: tuple[str, ...], said: str) -> None:
    path = written(frame(), tmp_path / "m.csv")
    assert said in shell("screen", path, *options).refusal


@pytest.mark.parametrize("figure", ["markers", "volcano"])
def test_names_in_figures_cover_nothing_and_stay_inside(figure: str) -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [60, 90])
    X = rng.normal(size=(150, 60)) + np.linspace(0, 1.5, 60) ** 2 * y[:, None]
    found = hc.screen(X, y, names=[f"marker {i}" for i in range(60)], **FEW)
    ax = getattr(hc.plot, figure)(found, "auc") if figure == "volcano" else hc.plot.markers(found)
    ax.figure.canvas.draw()
    points = np.concatenate([ax.transData.transform(np.asarray(part.get_offsets())) for part in ax.collections])
    # without the line to the point
    names = [Text.get_window_extent(text) for text in ax.texts if text.get_text().startswith("marker")]
    assert len(names) == 5
    for i, box in enumerate(names):
        assert ax.bbox.x0 <= box.x0
        assert box.x1 <= ax.bbox.x1
        assert not any(box.contains(*point) for point in points)
        assert not any(box.overlaps(other) for other in names[:i])


@pytest.mark.parametrize("kind", ["csc", "csr", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("form", ["matrix", "array"])
def test_sparse_matrices_of_every_kind_are_read(kind: str, form: str) -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [20, 30])
    X = rng.poisson(0.7, (50, 8)).astype(float)
    dense = hc.screen(X, y, n_resamples=99)
    given = getattr(sparse, f"{kind}_{form}")(X)
    found = hc.screen(given, y, n_resamples=99)
    assert found.value == pytest.approx(dense.value, abs=1e-15)
    assert np.array_equal(found.pvalue, dense.pvalue)
    groups = hc.screen_one_vs_rest(given, np.where(y, "a", "b"), n_resamples=99)
    assert np.array_equal(groups["a"].value, found.value)


def test_files_of_arrays_and_more_columns_than_memory_are_refused(tmp_path: Path, shell: Shell) -> None:
    y = np.repeat([1, 0], [20, 30])
    np.save(tmp_path / "x.npy", np.zeros((50, 3)))
    sparse.save_npz(tmp_path / "x.npz", sparse.csc_array(np.eye(50)))
    with pytest.raises(ParameterError, match=r"x\.npy is an array, .*X=numpy\.load\('x\.npy', mmap_mode='r'\)"):
        hc.screen(tmp_path / "x.npy", y)
    with pytest.raises(ParameterError, match=r"scipy\.sparse\.load_npz\('x\.npz'\)"):
        hc.screen(tmp_path / "x.npz", "y")
    assert "x.npy is an array" in shell("screen", tmp_path / "x.npy", "--label", "y").refusal
    assert hc.screen(np.load(tmp_path / "x.npy", mmap_mode="r") + np.arange(50)[:, None], y).value.shape == (2, 3)
    if hasattr(os, "sysconf"):
        for X in (np.broadcast_to(np.float64(1), (50, 10**12)), sparse.coo_array((50, 10**12))):
            with pytest.raises(InputError, match=r"X has 1,000,000,000,000 columns, .* memory is"):
                hc.screen(X, y)
