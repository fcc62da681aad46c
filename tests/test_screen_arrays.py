"""Expression sets whose licences keep them out of this package, read by rdata from the folder of the public data.

``colon.rda`` (Alon et al. 1999) and ``leukemia.rda`` (Golub et al. 1999) of the R package plsgenomics, each a list of a
matrix ``X``, classes ``Y`` of 1 and 2 and names: the values are those of scikit-learn and scipy, one gene at a time,
and genes are counted from 0. The second is ``golub.RData`` of the Bioconductor package multtest as well, which Debian
installs by ``r-bioc-multtest``. ``exprs.rda`` and ``y.rda`` of the R package presto: the values are those that its
first article prints of ``wilcoxauc``. What ``wilcoxauc`` computes is compared without its data as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import false_discovery_control, norm, rankdata

import hitcurve as hc
from tests.data import data_folder

rdata = pytest.importorskip("rdata", reason="no reader of R files: pip install rdata")


@dataclass(frozen=True)
class Known:
    """What another program found for all genes of a set; the second class is positive.

    ``below`` has how many adjusted p values are below a level, ``best`` AUC and AP of some genes, in the direction of
    the better ones.
    """

    shape: tuple[int, int]
    positives: int
    sum_ap: float
    sum_auc: float
    sum_error_ap: float
    below: dict[tuple[str, float], int]
    best: dict[int, tuple[float, float]]
    least_p: tuple[int, float] | None = None


KNOWN = {
    "colon": Known(
        (62, 2000),
        40,
        1410.269276775,
        1070.239772727,
        142.699771502,
        {("bh", 0.05): 96, ("bh", 0.01): 24, ("holm", 0.05): 11},
        {1771: (0.875, 0.935814), 1041: (0.864773, 0.933397), 512: (0.864773, 0.927301), 492: (1 - 0.115909, 0.928444)},
        (492, 6.85655e-07),
    ),
    "leukemia": Known(
        (38, 3051),
        11,
        1124.781736739,
        1492.351851852,
        305.414251162,
        {("bh", 0.05): 639, ("holm", 0.05): 29},
        {2123: (1.0, 1.0), 895: (1.0, 1.0), 828: (0.993266, 0.986014)},
    ),
}
INSTALLED = Path("/usr/lib/R/site-library")
# of genes G1 to G6, group A against the rest
PRESTO = {
    "statistic": [2889.5, 2189.5, 2429, 3176, 3025.5, 2424],
    "auc": [0.553014, 0.419043, 0.464880, 0.607847, 0.579043, 0.463923],
    "pval": [0.257202, 0.080884, 0.452211, 0.020045, 0.093059, 0.438671],
    "padj": [0.643, 0.409, 0.748, 0.409, 0.409, 0.748],
}


def wilcoxauc(X: Any, positive: Any) -> tuple[Any, Any, Any, Any]:
    """Return U, AUC, two-sided p and adjusted p as presto documents them.

    Normal, with the variance of these ties and a continuity correction.
    """
    n1, n0 = int(positive.sum()), int((~positive).sum())
    n = n1 + n0
    U, p = np.empty((2, X.shape[1]))
    for i, values in enumerate(X.T):
        ties = np.unique(values, return_counts=True)[1]
        U[i] = rankdata(values)[positive].sum() - n1 * (n1 + 1) / 2
        spread = np.sqrt(n1 * n0 / 12 * (n + 1 - np.sum(ties**3 - ties) / (n * (n - 1))))
        p[i] = 2 * norm.sf(max(abs(U[i] - n1 * n0 / 2) - 0.5, 0) / spread)
    return U, U / (n1 * n0), np.minimum(p, 1), false_discovery_control(np.minimum(p, 1))


def read(path: Path, name: str) -> tuple[Any, Any]:
    held = rdata.read_rda(path)[name]
    return np.asarray(held["X"], float), np.asarray(held["Y"], int)


def genes_of(name: str) -> tuple[Any, Any]:
    """Return the values of the genes and which subjects are positive."""
    path = data_folder() / f"{name}.rda"
    if path.exists():
        X, y = read(path, name)
        return X, y == 2
    if name == "leukemia":
        for path in (data_folder() / "golub.RData", INSTALLED / "multtest" / "data" / "golub.RData"):
            if path.exists():
                held = rdata.read_rda(path, default_encoding="ascii")
                return np.asarray(held["golub"], float).T, np.asarray(held["golub.cl"]) == 1
    or_else = ", or install r-bioc-multtest" if name == "leukemia" else ""
    pytest.skip(f"no {name}.rda: put that of the R package plsgenomics into the folder of the public data{or_else}")


@pytest.mark.parametrize("name", KNOWN)
def test_genes_have_the_values_of_other_programs(name: str) -> None:
    X, y = genes_of(name)
    known = KNOWN[name]
    assert (X.shape, int(np.sum(y))) == (known.shape, known.positives)
    genes = hc.screen(X, y, metrics=["ap", "auc"], direction="high")
    values, errors = genes.value, genes.standard_error
    assert values[0].sum() == pytest.approx(known.sum_ap, abs=1e-8)
    assert values[1].sum() == pytest.approx(known.sum_auc, abs=1e-8)
    assert errors[0].sum() == pytest.approx(known.sum_error_ap, abs=1e-8)
    # the test of Mann and Whitney has two sides, as a direction that the data choose
    for adjust in ("bh", "holm"):
        tested = hc.screen(X, y, metrics=["auc", "ap"], direction="auto", adjust=adjust, n_resamples=99)
        for (way, level), count in known.below.items():
            assert way != adjust or int(np.sum(tested.adjusted[0] < level)) == count
    for gene, (auc, ap) in known.best.items():
        assert tested.value[:, tested.place(gene)] == pytest.approx([auc, ap], abs=1e-6)
    assert tested["auc"].max() == pytest.approx(max(auc for auc, _ in known.best.values()), abs=1e-6)
    if known.least_p is not None:
        gene, p = known.least_p
        assert int(np.argmin(tested.pvalue[0])) == tested.place(gene)
        assert tested.pvalue[0].min() == pytest.approx(p, rel=1e-5)


def test_groups_have_the_numbers_that_presto_prints() -> None:
    paths = [data_folder() / name for name in ("exprs.rda", "y.rda")]
    for path in paths:
        if not path.exists():
            pytest.skip(f"no {path.name}: put data/{path.name} of the R package presto into the folder of public data")
    exprs, y = (np.asarray(rdata.read_rda(path)[path.stem]) for path in paths)
    assert exprs.shape == (25, 150)
    found = hc.screen_one_vs_rest(exprs.T, y.astype(str), metrics="auc", direction="auto")["A"]
    high = np.where(found.low_first, 1 - found["auc"], found["auc"])[:6]
    assert high == pytest.approx(PRESTO["auc"], abs=5.1e-7)
    assert high * found.n_pos[:6] * found.n_neg[:6] == pytest.approx(PRESTO["statistic"], abs=1e-6)
    assert found.pvalue[0, :6] == pytest.approx(PRESTO["pval"], abs=5.1e-7)
    assert found.adjusted[0, :6] == pytest.approx(PRESTO["padj"], abs=5.1e-4)


@pytest.mark.parametrize("zeros", [0.0, 0.6])
def test_groups_have_the_numbers_of_wilcoxauc(zeros: float) -> None:
    rng = np.random.default_rng(8)
    y = np.repeat(["A", "B", "C"], [55, 50, 45])
    X = rng.gamma(2.0, size=(150, 25)).round(1) * (rng.random((150, 25)) >= zeros) + 0.4 * (y == "A")[:, None]
    found = hc.screen_one_vs_rest(sparse.csc_array(X), y, metrics="auc", direction="auto")
    for group, one in found.items():
        U, auc, p, adjusted = wilcoxauc(X, y == group)
        high = np.where(one.low_first, 1 - one["auc"], one["auc"])
        assert high * one.n_pos * one.n_neg == pytest.approx(U, abs=1e-8)
        assert high == pytest.approx(auc, abs=1e-14)
        assert one.pvalue[0] == pytest.approx(p, rel=1e-9)
        assert one.adjusted[0] == pytest.approx(adjusted, rel=1e-9)


def test_sets_are_read_as_r_writes_them(tmp_path: Path) -> None:
    X, y = np.arange(6.0).reshape(3, 2), np.array([1, 2, 2])
    rdata.write_rda(tmp_path / "x.rda", {"x": {"X": X, "Y": y}})
    read_x, read_y = read(tmp_path / "x.rda", "x")
    assert np.array_equal(read_x, X)
    assert np.array_equal(read_y, y)
