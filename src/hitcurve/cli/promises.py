"""What commands about promises share: how a share is written, and the exit code of what cannot be promised."""

from __future__ import annotations

NOT_SHOWN = 3
"""Exit code where a promise cannot be made."""


def share(option: str, text: str) -> float:
    """Read a share that is written 90% or 0.9.

    Raises
    ------
    ParameterError
    """
    from hitcurve.errors import ParameterError
    from hitcurve.grammar import number

    try:
        return float(number(text.strip()))
    except (ValueError, ArithmeticError):
        raise ParameterError(f"{option} must be a share such as 90% or 0.9, got {text!r}") from None
