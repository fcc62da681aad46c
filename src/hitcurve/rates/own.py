"""Densities of the rate given by a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hitcurve.magnify import FromDensity as DensityMagnification
from hitcurve.magnify import Magnification
from hitcurve.rates.densities import RateDensity


@dataclass(frozen=True)
class FromDensity(RateDensity):
    """A rate density given by a function.

    Its metrics have no metric string that parses back; where a named density fits, prefer that.

    Parameters
    ----------
    density : callable
        Array of rates in [0, 1] to array of values of at least 0; it need not integrate to 1.

    Raises
    ------
    ParameterError
        If the density is negative somewhere on a fine grid, or its integral is not a finite number above 0.

    Examples
    --------
    >>> half_normal = FromDensity(lambda rate: np.exp(-(rate**2) / (2 * 0.2**2)))
    >>> round(half_normal.mean, 4), round(half_normal.quantile(0.5), 4)
    (0.1596, 0.1349)
    """

    density: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]

    def __post_init__(self) -> None:
        self.magnification()  # which checks it

    def __str__(self) -> str:
        return f"density({getattr(self.density, '__name__', self.density)!s})"

    def magnification(self) -> Magnification:
        """Return the integral of the density, over that up to 1."""
        return DensityMagnification(self.density)

    @property
    def mean(self) -> float:
        """Mean rate: 1 minus the mean of the distribution function."""
        return float(1 - self.magnification().mean(0.0, 1.0))
