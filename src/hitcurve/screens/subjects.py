"""The subjects of a screen, from labels and clusters that were given."""

from __future__ import annotations

from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray
from hitcurve.errors import LabelError, LengthMismatchError
from hitcurve.inference.design import cluster_degrees
from hitcurve.screens.columns import Columns
from hitcurve.screens.engine import Subjects
from hitcurve.sources import columns as source_columns
from hitcurve.sources import labels
from hitcurve.sources.block import missing_error

_MOST_GROUPS = 100


def subjects_of(
    columns: Columns,
    y: Any,
    clusters: Any,
    pos_label: Any,
    design: str,
    prevalence: float | None,
    missing: str,
) -> Subjects:
    """Return the subjects from their labels and clusters.

    Raises
    ------
    InputError
        One of its kinds: labels or clusters of another length or with gaps, labels that are not two classes, or one
        cluster that holds all positives.
    """
    given = source_columns.labels("y", y)
    if given.values.size != columns.rows:
        raise LengthMismatchError(f"y has {given.values.size} labels, and X has {columns.rows} rows")
    if given.gone is not None:
        raise missing_error("label", int(given.gone.sum()), given.values.size)
    try:
        positive, _ = labels.encode(given.values, pos_label)
    except LabelError as error:
        if not _are_groups(given.values):
            raise
        raise LabelError(
            f"{error}, or evaluate each group against all others by screen_one_vs_rest (--one-vs-rest)"
        ) from None
    _checks.both_classes(int(positive.sum()), int((~positive).sum()))
    codes = None
    if clusters is not None:
        of_subject = source_columns.names("clusters", clusters)
        _checks.rows_of_x("clusters", of_subject.size, columns.rows)
        codes = np.unique(of_subject, return_inverse=True)[1]
        cluster_degrees(int(codes.max()) + 1, np.unique(codes[positive]).size)
    return Subjects(positive, design, prevalence, codes, "last" if missing == "last" else "drop")


def _are_groups(given: AnyArray) -> bool:
    """Say whether labels look like names of several groups, and not like measurements."""
    if given.dtype.kind == "f" and np.any(given != np.floor(given)):
        return False
    return 2 < len(set(given.tolist())) <= min(_MOST_GROUPS, given.size // 2)
