"""Data sets by name, as the command line has them."""

from __future__ import annotations

from collections.abc import Callable

from hitcurve import _checks
from hitcurve.datasets.dataset import Dataset
from hitcurve.datasets.generated import biomarkers, credit, reader_study, transactions
from hitcurve.datasets.stored import docking, egfr, hiv, reviews
from hitcurve.datasets.trial import mammography_counts

_LOADERS: dict[str, Callable[[], Dataset]] = {
    "mammography": mammography_counts,
    "docking": docking,
    "egfr": egfr,
    "hiv": hiv,
    "reviews": reviews,
    "transactions": transactions,
    "credit": credit,
    "biomarkers": biomarkers,
    "reader_study": reader_study,
}


def names() -> tuple[str, ...]:
    """Return the names of all data sets.

    Examples
    --------
    >>> names()[:3]
    ('mammography', 'docking', 'egfr')
    """
    return tuple(_LOADERS)


def load(name: str) -> Dataset:
    """Return a data set by its name; generated ones with their default arguments.

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Returns
    -------
    Dataset

    Raises
    ------
    ParameterError
        If there is no such data set.

    Examples
    --------
    >>> load("credit").n_rows
    5000
    """
    return _LOADERS[_checks.choice("data set", name, names())]()
