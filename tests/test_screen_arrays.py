"""Two expression sets of the R package plsgenomics, whose licence keeps them out of this one.

``colon.rda`` (Alon et al. 1999) and ``leukemia.rda`` (Golub et al. 1999), each a list of a matrix ``X``, classes ``Y``
of 1 and 2 and names, are read by rdata from the folder of the public data. The values are those of scikit-learn and
scipy, one gene at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from tests.data import data_folder

rdata = pytest.importorskip("rdata", reason="no reader of R files: pip install rdata")


@dataclass(frozen=True)
class Known:
    """What another program found for all genes of a set; the second class is positive."""

    shape: tuple[int, int]
    positives: int
    sum_ap: float
    sum_auc: float
    sum_error_ap: float
    below_bh: int
    below_holm: int
    best_auc: float


KNOWN = {
    "colon": Known((62, 2000), 40, 1410.269276775, 1070.239772727, 142.699771502, 96, 11, 0.875),
    "leukemia": Known((38, 3051), 11, 1124.781736739, 1492.351851852, 305.414251162, 639, 29, 1.0),
}


def read(path: Path, name: str) -> tuple[Any, Any]:
    held = rdata.read_rda(path)[name]
    return np.asarray(held["X"], float), np.asarray(held["Y"], int)


@pytest.mark.parametrize("name", KNOWN)
def test_genes_have_the_values_of_other_programs(name: str) -> None:
    path = data_folder() / f"{name}.rda"
    if not path.exists():
        pytest.skip(f"no {path.name}: put that of the R package plsgenomics into the folder of the public data")
    X, y = read(path, name)
    known = KNOWN[name]
    assert (X.shape, int(np.sum(y == 2))) == (known.shape, known.positives)
    genes = hc.screen(X, y, metrics=["ap", "auc"], pos_label=2, direction="high")
    values, errors = genes.value, genes.standard_error
    assert values[0].sum() == pytest.approx(known.sum_ap, abs=1e-8)
    assert values[1].sum() == pytest.approx(known.sum_auc, abs=1e-8)
    assert errors[0].sum() == pytest.approx(known.sum_error_ap, abs=1e-8)
    assert values[1].max() == pytest.approx(known.best_auc, abs=1e-12)
    # the test of Mann and Whitney has two sides, as a direction that the data choose
    for adjust, below in (("bh", known.below_bh), ("holm", known.below_holm)):
        tested = hc.screen(X, y, metrics=["auc"], pos_label=2, direction="auto", adjust=adjust)
        assert int(np.sum(tested.adjusted[0] < 0.05)) == below


def test_sets_are_read_as_r_writes_them(tmp_path: Path) -> None:
    X, y = np.arange(6.0).reshape(3, 2), np.array([1, 2, 2])
    rdata.write_rda(tmp_path / "x.rda", {"x": {"X": X, "Y": y}})
    read_x, read_y = read(tmp_path / "x.rda", "x")
    assert np.array_equal(read_x, X)
    assert np.array_equal(read_y, y)
