"""Data sets that are files of the package."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from hitcurve.datasets.dataset import Dataset

_INTEGERS = {"active", "ligand", "fold", "included", "included_full_text"}
_WORDS = {"target", "molecule", "topic", "pid"}


def docking() -> Dataset:
    """Return scores of 3,720 molecules against three protein targets, 120 of them active.

    Molecules of the DEKOIS 2.0 sets of three targets (ACHE, HMGR, PPARA), each with 40 actives and 1,200 decoys, scored
    by four programs: Smina, an interaction fingerprint (IFP), CNN-Score and RF-Score-VS; larger is better. Scores of
    Smina have one decimal, so many are tied. Published with Tran-Nguyen et al., Nature Protocols 18 (2023) 3460.

    Returns
    -------
    Dataset
        Columns ``target``, ``molecule``, ``active``, ``smina``, ``ifp``, ``cnn_score``, ``rf_score_vs``.

    Examples
    --------
    >>> ache = docking().only(target="ACHE")
    >>> ache.n_rows, int(ache["active"].sum())
    (1240, 40)
    """
    return _load(
        "docking",
        title="docking scores of three targets",
        description="Molecules of the DEKOIS 2.0 sets of three targets, each with 40 actives and 1,200 decoys, scored "
        "by four programs. Larger is better.",
        source="Tran-Nguyen et al., Nature Protocols 18 (2023) 3460; github.com/vktrannguyen/MLSF-protocol",
        licence="MIT",
        fields={
            "target": "protein: ACHE, HMGR or PPARA",
            "molecule": "name of the molecule in DEKOIS",
            "active": "1 of an active, 0 of a decoy",
            "smina": "score of Smina, with one decimal",
            "ifp": "similarity of interaction fingerprints",
            "cnn_score": "CNN-Score",
            "rf_score_vs": "RF-Score-VS",
        },
    )


def egfr() -> Dataset:
    """Return docking energies of 88,888 molecules, 444 of them ligands of EGFR, with many ties.

    Energies by DOCK for the target EGFR of the Directory of Useful Decoys; lower is better. They have 3,886 distinct
    values. Huang et al., Journal of Medicinal Chemistry 49 (2006) 6789.

    Returns
    -------
    Dataset
        Columns ``ligand``, ``energy``.

    Examples
    --------
    >>> egfr().n_rows
    88888
    """
    return _load(
        "egfr",
        title="docking energies with many ties",
        description="Docking energies of ligands and decoys for the target EGFR of the Directory of Useful Decoys. "
        "Lower is better.",
        source="Huang et al., J. Med. Chem. 49 (2006) 6789; R package enrichvs 0.0.5",
        licence="BSD, as stated by the R package",
        fields={"ligand": "1 of a ligand, 0 of a decoy", "energy": "energy by DOCK; lower is better"},
    )


def hiv() -> Dataset:
    """Return two similarity scores of 41,127 molecules of an antiviral screen, 1,443 of them active.

    The AIDS Antiviral Screen of the US National Cancer Institute as in MoleculeNet (Wu et al., Chemical Science 9
    (2018) 513). Each molecule was scored from the nine other of ten stratified folds, by Morgan fingerprints of radius
    2 with 2,048 bits: by the largest Tanimoto similarity to an active molecule (``maxsim``), and by a vote of the ten
    nearest molecules weighted by similarity (``knn10``). Larger is better.

    Returns
    -------
    Dataset
        Columns ``fold``, ``active``, ``maxsim``, ``knn10``.

    Examples
    --------
    >>> hiv().n_rows
    41127
    """
    return _load(
        "hiv",
        title="similarity scores of an antiviral screen, with folds",
        description="Similarity scores of the molecules of the AIDS Antiviral Screen, each from the nine other of ten "
        "folds. Larger is better.",
        source="US National Cancer Institute, as in MoleculeNet (Wu et al., Chem. Sci. 9 (2018) 513); "
        "github.com/GLambard/Molecules_Dataset_Collection",
        licence="MIT",
        fields={
            "fold": "fold in which the molecule was scored, 1 to 10",
            "active": "1 of an active molecule, 0 of an inactive one",
            "maxsim": "largest similarity to an active molecule of the other folds",
            "knn10": "vote of the ten nearest molecules of the other folds",
        },
    )


def reviews() -> Dataset:
    """Return ranks of 11,649 records of eight systematic reviews, 394 of them included by abstract.

    Topics of the CLEF eHealth 2017 task on technologically assisted reviews, with the ranks of three submitted runs;
    lower is better. The runs of Waterloo rank every record. The run of QUT returned a part of them: its other ranks are
    missing.

    Returns
    -------
    Dataset
        Columns ``topic``, ``pid``, ``included``, ``included_full_text``, ``waterloo_a``, ``waterloo_b``, ``qut``.

    Examples
    --------
    >>> topic = reviews().only(topic="CD009647")
    >>> topic.n_rows, int(topic["included"].sum())
    (2785, 56)
    """
    return _load(
        "reviews",
        title="records of eight systematic reviews, with ranks",
        description="Records found by the searches of eight systematic reviews, with their ranks in three submitted "
        "runs of CLEF eHealth 2017, task 2. Lower is better.",
        source="Kanoulas et al., CLEF eHealth 2017; github.com/CLEF-TAR/tar",
        licence="MIT",
        fields={
            "topic": "review, by its number in the Cochrane Library",
            "pid": "PubMed identifier of the record",
            "included": "1 of a record included by its abstract, else 0",
            "included_full_text": "1 of a record included by its full text, else 0",
            "waterloo_a": "rank in run A-rank-normal of Waterloo",
            "waterloo_b": "rank in run B-rank-normal of Waterloo",
            "qut": "rank in run bool_es of QUT; missing where it was not returned",
        },
    )


def _load(name: str, **words: Any) -> Dataset:
    packed = files("hitcurve.datasets").joinpath("files", f"{name}.zip").read_bytes()
    return Dataset(name, unpacked(packed), **words)


def unpacked(packed: bytes) -> dict[str, Sequence[Any] | npt.NDArray[Any]]:
    """Return the columns of an archive that ``packaging/columns.py`` made, which says what its form is."""
    with ZipFile(io.BytesIO(packed)) as archive:
        numbers = json.loads(archive.comment)
        contents = {column: archive.read(column) for column in archive.namelist()}
    return {
        column: _whole(column, content, **numbers[column]) if column in numbers else _lines(column, content)
        for column, content in contents.items()
    }


def _lines(column: str, content: bytes) -> Sequence[Any]:
    cells = content.decode("utf-8").split("\n")
    if column in _WORDS:
        return cells
    if column in _INTEGERS:
        return [int(cell) for cell in cells]
    return [float(cell or "nan") for cell in cells]


def _whole(
    column: str, content: bytes, *, decimals: int, least: int, n_bytes: int
) -> Sequence[str] | npt.NDArray[np.int64 | np.float64]:
    places = np.frombuffer(content, np.uint8).reshape(n_bytes, -1).astype(np.int64)
    whole: npt.NDArray[np.int64] = least + (places << 8 * np.arange(n_bytes)[:, None]).sum(axis=0)
    if column in _WORDS:
        return [str(one) for one in whole]
    return whole if column in _INTEGERS else whole / 10**decimals
