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
        Columns ``reading`` (``film`` or ``digital``), ``score`` from 7 down to 1, ``cancers``, ``screened``.

    Examples
    --------
    >>> film = mammography_counts().only(reading="film")
    >>> print(film.to_csv().splitlines()[1])
    film,7,13,17
    """
    return Dataset(
        "mammography",
        {
            "reading": [name for name, counts in _CANCERS.items() for _ in counts],
            "score": [score for counts in _CANCERS.values() for score in range(len(counts), 0, -1)],
            "cancers": [count for counts in _CANCERS.values() for count in counts],
            "screened": [count for counts in _SCREENED.values() for count in counts],
        },
        title="counts of film and digital mammography",
        description="Women with cancer at 15 months and all women screened, by malignancy score from 7 down to 1, for "
        "film and digital mammography of the same women.",
        source="Pisano et al., New England Journal of Medicine 353 (2005), Table 3",
        licence="published counts",
        fields={
            "reading": "film or digital",
            "score": "malignancy score, 7 is the most suspicious",
            "cancers": "women with cancer at 15 months",
            "screened": "all women with this score",
        },
    )
