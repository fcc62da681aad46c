"""Warnings that point at the line that called this package."""

from __future__ import annotations

import sys
import warnings

# a scorer is called by scikit-learn, and that by joblib
_BETWEEN = ("hitcurve", "sklearn", "joblib")


def warn(warning: Warning) -> None:
    """Give a warning at the innermost line outside of this package and of what calls it back."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)
