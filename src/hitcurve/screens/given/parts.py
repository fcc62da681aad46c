"""Markers with the labels and clusters of their subjects."""

from __future__ import annotations

from typing import Any, NamedTuple


class Given(NamedTuple):
    """What a screen takes.

    Attributes
    ----------
    X : Columns, array, data frame or sparse matrix
    y : array-like (n,)
    clusters : array-like (n,) or None
    names : sequence of str or None
        Names of the markers, where ``X`` has none.
    by : array-like (n,) or None
        The group of each subject.
    index : pandas.Index or None
        Names of the subjects, where ``X`` has none.
    """

    X: Any
    y: Any
    clusters: Any = None
    names: Any = None
    by: Any = None
    index: Any = None
