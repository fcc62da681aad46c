"""Whether the numbers of so many markers fit in memory."""

from __future__ import annotations

import os
from typing import Any

from hitcurve import rows
from hitcurve.errors import InputError

_EACH = 500  # bytes of the name and the numbers of a marker
_FEW = 1_000_000  # markers that fit everywhere


def check_number(X: Any) -> None:
    """Refuse more columns than there is memory for what is found of them; their values may be more.

    Raises
    ------
    InputError
        If there are too many.
    """
    shape = getattr(X, "shape", None)
    count = shape[1] if isinstance(shape, tuple) and len(shape) == 2 else 0
    if not isinstance(count, int) or count <= _FEW or not hasattr(os, "sysconf"):
        return
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if _EACH * count > memory:
        raise InputError(
            f"X has {count:,} columns, the numbers of which take about {rows.size(_EACH * count)}, and the memory is "
            f"{rows.size(memory)}: screen parts of the columns, as X[:, :{_FEW}], and adjust their p values together"
        )
