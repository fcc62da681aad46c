"""Objects of anndata, and the files that it writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import hitcurve as hc
from hitcurve.errors import ColumnNotFoundError, MissingValueError
from tests.shell import Shell

anndata = pytest.importorskip("anndata", reason="no anndata, which needs another pandas: .ci/annotated installs both")
# of its own uses of other packages
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

FEW: dict[str, Any] = {"n_resamples": 99}
KINDS = np.repeat(["B", "NK", "nan"], 40)


def same(a: hc.Screen, b: hc.Screen) -> None:
    assert a.names == b.names
    assert a.value == pytest.approx(b.value, rel=1e-12)
    assert a.pvalue == pytest.approx(b.pvalue, rel=1e-9)


def cells(make: Any = sparse.csr_matrix) -> Any:
    rng = np.random.default_rng(7)
    X = rng.poisson(0.4, size=(120, 20)).astype(np.float32)
    X[:, 4] += 3 * (KINDS == "NK")
    mask = np.arange(120) % 11 == 0
    obs = pd.DataFrame(
        {
            "kind": pd.Categorical(KINDS),
            "text": KINDS,
            "case": rng.random(120) < 0.4,
            "maybe": pd.array(np.where(mask, 0, np.arange(120) % 2), dtype="Int64"),
            "donor": np.arange(120) // 12,
        },
        index=[f"c{i}" for i in range(120)],
    )
    obs.loc[obs.index[mask], "maybe"] = pd.NA
    var = pd.DataFrame(index=[f"g{i}" for i in range(20)])
    return anndata.AnnData(make(X), obs=obs, var=var, layers={"logs": make(np.log1p(X))})


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array])
def test_an_object_its_file_and_a_part_of_it_are_screened(make: Any, tmp_path: Path) -> None:
    found = cells(make)
    dense = found.X if make is np.asarray else found.X.toarray()
    path = tmp_path / "cells.h5ad"
    found.write_h5ad(path)
    names = list(found.var_names)
    some = [name for name in names if name.startswith("g1")]
    of_some = np.log1p(dense[:, found.var_names.isin(some)])
    logs: hc.Screen = hc.screen(of_some, found.obs["case"].to_numpy(), names=some, **FEW)
    expected = hc.screen(dense, found.obs["case"].to_numpy(), names=names, **FEW)
    for data in (found, path, anndata.read_h5ad(path), anndata.read_h5ad(path, backed="r")):
        same(hc.screen(data, "case", **FEW), expected)
        for group in ("kind", "text"):
            groups = hc.screen_one_vs_rest(data, group, **FEW)
            assert list(groups) == ["B", "NK", "nan"]  # a name like others
            assert groups["NK"].names[groups["NK"].order()[0]] == "g4"
        same(hc.screen(data, "case", layer="logs", columns="g1*", **FEW), logs)
        assert hc.screen(data, "case", clusters="donor", metrics="auc").standard_error.size == 20
        with pytest.raises(MissingValueError, match="11 of 120"):
            hc.screen(data, "maybe", **FEW)
        with pytest.raises(ColumnNotFoundError, match="no column 'cases' in obs; did you mean 'case'"):
            hc.screen(data, "cases", **FEW)
    half = found[::2]
    assert half.is_view
    same(hc.screen(half, "case", **FEW), hc.screen(dense[::2], half.obs["case"].to_numpy(), names=names, **FEW))
    # labels of cells in another order come by name
    other = found.obs["case"].iloc[::-1]
    with pytest.warns(hc.errors.AlignmentWarning):
        same(hc.screen(found, other, **FEW), expected)


def test_a_file_of_anndata_is_screened_on_the_shell(tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "cells.h5ad"
    cells().write_h5ad(path)
    done = shell("screen", path, "--group", "kind", "--one-vs-rest", "--format", "csv")
    assert done.code == 0, done
    assert {line.split(",")[0] for line in done.out.splitlines()[1:]} == {"B", "NK", "nan"}
