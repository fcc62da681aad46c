"""Masked arrays of numpy, where what reads on, such as scikit-learn, takes masked values for known ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from hitcurve.errors import MissingValueError


def refuse_masked(**given: Any) -> None:
    """Refuse arrays with masked values.

    Parameters
    ----------
    **given : object
        By what they are called.

    Raises
    ------
    MissingValueError
        If a value is masked.
    """
    for name, values in given.items():
        if isinstance(values, np.ma.MaskedArray) and (count := int(np.sum(np.ma.getmaskarray(values)))):
            what = "labels" if name == "y" else f"values of {name}"
            raise MissingValueError(
                f"{count:,} of {values.size:,} {what} are masked, that is missing: leave these rows out or fill them in"
            )
