"""Classes of labels, as classifiers of scikit-learn read them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from hitcurve.errors import LabelError, MissingValueError, SingleClassError
from hitcurve.learn.fingerprints import Array
from hitcurve.sources import columns, encode_labels


def classes_of(y: Any) -> tuple[Array, Array]:
    """Return the classes in order, and of each row which it is.

    Raises
    ------
    LabelError
        If labels have no order, or are bytes.
    """
    values = np.asarray(y)
    try:
        if isinstance(next(iter(values.flat), None), bytes):
            raise TypeError  # as of scikit-learn 1.7, before which they are deprecated
        check_classification_targets(y)
        classes, codes = np.unique(values, return_inverse=True)
    except TypeError:  # texts beside numbers
        kinds = sorted({type(one).__name__ for one in values.tolist()})
        raise LabelError(
            f"labels must be all numbers or all texts, got {' and '.join(kinds)}: write them as one kind"
        ) from None
    return classes, codes


def two_classes(y: Any) -> tuple[Array, Array]:
    """Return the two classes, and which rows are of the second, the active one.

    Raises
    ------
    LabelError
        If there are more than two classes, or the active one is known not to be the last in order.
    SingleClassError
        If there is only one class.
    MissingValueError
        If a label is missing.
    """
    gone = columns.labels("y", y).gone
    if gone is not None:
        raise MissingValueError(f"{int(gone.sum())} of {gone.size} labels are missing: leave these rows out")
    classes, codes = classes_of(y)
    if classes.size > 2:
        raise LabelError(f"Only binary classification is supported. The type of the target is {type_of_target(y)}.")
    if classes.size < 2:
        raise SingleClassError(
            f"all {codes.size} training molecules are of one class, {classes.tolist()[0]!r}: give both classes, in "
            "every fold (use stratified folds)"
        )
    try:
        active, _ = encode_labels(np.asarray(y))
    except LabelError:  # a pair of labels that is ambiguous
        active = codes == 1
    if not (active == (codes == 1)).all():
        raise LabelError(
            f"scikit-learn takes the last label in order, {classes.tolist()[1]!r}, as the positive one, which here is "
            "the negative one: give 1 for positives and 0 for negatives"
        )
    return classes, active
