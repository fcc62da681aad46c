"""Options that are given where nothing would come of them."""

from __future__ import annotations

from collections.abc import Mapping


def refuse_unused(given: Mapping[str, object], why: str) -> None:
    """Refuse the first option that is given, that is whose value is neither None nor False nor empty.

    Raises
    ------
    ParameterError
        With the option and ``why``.
    """
    from hitcurve.errors import ParameterError

    for option, value in given.items():
        if value is not None and value is not False and value != ():
            raise ParameterError(f"{option} {why}")
