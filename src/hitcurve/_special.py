"""Functions of scipy.special for calls that are many and short: those of a package take longer to find.

Import them inside the function that needs them, as scipy.special itself.
"""

from scipy.special import (
    betainc,
    betaincc,
    betaincinv,
    betaln,
    expit,
    gammaln,
    logit,
    ndtr,
    ndtri,
    stdtrit,
    xlog1py,
    xlogy,
)

__all__ = [
    "betainc",
    "betaincc",
    "betaincinv",
    "betaln",
    "expit",
    "gammaln",
    "logit",
    "ndtr",
    "ndtri",
    "stdtrit",
    "xlog1py",
    "xlogy",
]
