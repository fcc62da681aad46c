"""Counts of a trial: film against digital mammography."""

from __future__ import annotations

from hitcurve.datasets.dataset import Dataset
from hitcurve.table import HitTable

# women with cancer at 15 months and all women screened, by malignancy score from 7 down to 1
_CANCERS = {
    "film": (13, 24, 25, 74, 35, 33, 131),
    "digital": (10, 18, 25, 85, 49, 25, 122),
}
_SCREENED = {
    "film": (17, 29, 70, 942, 2291, 6910, 32486),
    "digital": (11, 29, 69, 1061, 2224, 6588, 32588),
}
_COUNTS = {"cancers": _CANCERS, "screened": _SCREENED}
_WORDS = {"cancers": "women with cancer at 15 months", "screened": "all women with this score"}


def mammography() -> dict[str, HitTable]:
    """Return the counts of the Digital Mammographic Imaging Screening Trial.

    Cancers and non-cancers by malignancy score on a seven-point scale, for film and for digital mammography;
    Pisano et al., New England Journal of Medicine 353 (2005), Table 3, as analysed by Su, Yuan and Zhu (2015).
    The same women had both, but which scores belong to one woman was not published: the two do not pair.

    Examples
    --------
    >>> from hitcurve.datasets import mammography
    >>> tables = mammography()
    >>> tables["film"].n, tables["film"].n_pos, tables["digital"].n
    (42745, 335, 42570)
    """
    return {
        name: HitTable.from_counts(
            pos=cancers, neg=[all_ - cancer for all_, cancer in zip(_SCREENED[name], cancers, strict=True)]
        )
        for name, cancers in _CANCERS.items()
    }


def mammography_counts() -> Dataset:
    """Return the counts of the Digital Mammographic Imaging Screening Trial as a table, one row for each score.

    The counts of :func:`mammography` as columns, to be written to a file.

    Returns
    -------
    Dataset
        Columns ``score`` from 7 down to 1, ``film_cancers``, ``film_screened``, ``digital_cancers``,
        ``digital_screened``.

    Examples
    --------
    >>> print(mammography_counts().to_csv().splitlines()[1])
    7,13,17,10,11
    """
    counts = {f"{name}_{what}": of[name] for name in _CANCERS for what, of in _COUNTS.items()}
    return Dataset(
        "mammography",
        {"score": range(7, 0, -1), **counts},
        title="counts of film and digital mammography",
        description="Women with cancer at 15 months and all women screened, by malignancy score from 7 down to 1, for "
        "film and digital mammography of the same women.",
        source="Pisano et al., New England Journal of Medicine 353 (2005), Table 3",
        licence="published counts",
        fields={"score": "malignancy score, 7 is the most suspicious"}
        | {f"{name}_{what}": f"{_WORDS[what]}, {name}" for name in _CANCERS for what in _COUNTS},
    )
