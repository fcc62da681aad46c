"""Momentum and stamina: the quasi-concave model of the hit curve (Su, Yuan and Zhu 2015)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.label_errors import refuse_corrected
from hitcurve.table import HitTable

_STARTS = 512  # change points tried before the best is refined


@dataclass(frozen=True)
class QuasiConcave:
    """A hit curve of two straight pieces: ``beta t`` up to ``alpha``, then on to (1, prevalence).

    Attributes
    ----------
    alpha : float in [0, prevalence / beta]
        Stamina: the rate up to which the initial precision lasts.
    beta : float in [prevalence, 1]
        Momentum: the initial precision.
    prevalence : float in (0, 1)
    residual : float or None
        Root mean square distance to the hit curve it was fitted to.

    Raises
    ------
    ParameterError
        If a parameter is out of range.

    Examples
    --------
    >>> model = QuasiConcave(alpha=0.1, beta=0.5, prevalence=0.1)
    >>> round(model.auc, 4), round(model.ap, 4), round(model.approximate_ap, 4)
    (0.7222, 0.3346, 0.3)
    """

    alpha: float
    beta: float
    prevalence: float
    residual: float | None = None

    def __post_init__(self) -> None:
        pi = _checks.prevalence(self.prevalence)
        slack = 1e-12
        if not pi * (1 - slack) <= self.beta <= 1 + slack:
            raise ParameterError(f"beta must lie between the prevalence {pi:g} and 1, got {self.beta!r}")
        if not 0 <= self.alpha <= pi / self.beta * (1 + slack):
            raise ParameterError(f"alpha must lie in [0, prevalence / beta], got {self.alpha!r}")

    def __call__(self, rate: npt.ArrayLike) -> Array:
        """Return the hit curve at a rate."""
        t = np.asarray(rate, float)
        bend = self.alpha * self.beta
        later = bend + (self.prevalence - bend) * (t - self.alpha) / max(1 - self.alpha, 1e-300)
        return np.where(t <= self.alpha, self.beta * t, later)

    @property
    def auc(self) -> float:
        """Exact AUC of the model, 1/2 + (beta - pi) alpha / (2 pi (1 - pi))."""
        return 0.5 + (self.beta - self.prevalence) * self.alpha / (2 * self.prevalence * (1 - self.prevalence))

    @property
    def ap(self) -> float:
        """Exact average precision of the model."""
        a, b, pi = self.alpha, self.beta, self.prevalence
        if a in (0.0, 1.0):
            return pi
        slope = (pi - a * b) / (1 - a)
        # precision on the second piece is slope + (bend - slope alpha)/t, whose integral brings in log alpha
        lead = a * (b - slope)
        return (b * b * a + slope * (slope * (1 - a) - lead * math.log(a))) / pi

    @property
    def approximate_ap(self) -> float:
        """Average precision by Theorem 2: scaled AP is about beta times scaled AUC."""
        return self.prevalence + (1 - self.prevalence) * self.beta * (2 * self.auc - 1)

    def with_same_auc(self, beta: float) -> QuasiConcave:
        """Return the model of another momentum and the same AUC (Theorem 1).

        Raises
        ------
        ParameterError
            If no stamina gives it that AUC.

        Examples
        --------
        >>> round(QuasiConcave(0.1, 0.5, 0.1).with_same_auc(0.6).alpha, 4)
        0.08
        """
        if not self.prevalence < beta <= 1:
            raise ParameterError(f"beta must lie above the prevalence and at most at 1, got {beta!r}")
        alpha = (self.beta - self.prevalence) * self.alpha / (beta - self.prevalence)
        return QuasiConcave(alpha, beta, self.prevalence)


def fit_quasi_concave(t: HitTable) -> QuasiConcave:
    """Fit the two pieces to a hit curve by least squares over the rate.

    For a given change point the slope follows in closed form; the change point is searched.

    Returns
    -------
    QuasiConcave
        With the root mean square residual.

    Examples
    --------
    >>> model = fit_quasi_concave(HitTable.from_counts(pos=[50, 50], neg=[50, 850]))
    >>> round(model.alpha, 6), round(model.beta, 6), round(model.residual, 6)
    (0.1, 0.5, 0.0)
    """
    from scipy.optimize import minimize_scalar

    if not isinstance(t, HitTable):
        raise ParameterError(f"the model is fitted to a HitTable, got {t!r}")
    refuse_corrected(t.label_errors, "a quasi-concave fit")
    c = t.counts
    profile = _Profile(np.append(0.0, c.r), np.append(0.0, float(c.pi) * c.P), float(c.pi))
    tried = np.linspace(0, 1, _STARTS + 1)[1:-1]
    losses = np.array([profile.loss(alpha) for alpha in tried])
    best = int(np.argmin(losses))
    step = tried[1] - tried[0]
    found = minimize_scalar(
        profile.loss,
        bounds=(max(tried[best] - step, 1e-12), min(tried[best] + step, 1 - 1e-12)),
        method="bounded",
        options={"xatol": 1e-12},
    )
    alpha = float(found.x) if found.fun < losses[best] else float(tried[best])
    beta = profile.slope(alpha)
    residual = math.sqrt(max(profile.loss(alpha), 0.0))
    return QuasiConcave(min(alpha, profile.pi / beta), beta, profile.pi, residual)


class _Profile:
    """Squared distance of a piecewise linear hit curve to the model, as a function of the change point."""

    def __init__(self, r: Array, h: Array, pi: float) -> None:
        self.r, self.h, self.pi = r, h, pi
        width = np.diff(r)
        # exact integrals of h and h t over the pieces, and of h^2 over all
        self.plain = np.append(0.0, np.cumsum(width * (h[1:] + h[:-1]) / 2))
        self.moment = np.append(0.0, np.cumsum(_moment(r[:-1], width, h[:-1], h[1:])))
        self.square = float(np.sum(width * (h[:-1] ** 2 + h[:-1] * h[1:] + h[1:] ** 2) / 3))

    def _up_to(self, alpha: float) -> tuple[float, float]:
        """Return the integrals of h and h t from 0 to alpha."""
        i = int(np.clip(np.searchsorted(self.r, alpha, "right") - 1, 0, self.r.size - 2))
        width = alpha - self.r[i]
        end = float(np.interp(alpha, self.r, self.h))
        plain = self.plain[i] + width * (self.h[i] + end) / 2
        return float(plain), float(self.moment[i] + _moment(self.r[i], width, self.h[i], end))

    def _overlap(self, alpha: float) -> tuple[float, float]:
        """Return the integrals of h with the parts of the model that beta and pi multiply."""
        plain, moment = self._up_to(alpha)
        rest_plain, rest_moment = self.plain[-1] - plain, self.moment[-1] - moment
        length = 1 - alpha
        with_beta = moment + alpha * (rest_plain - rest_moment) / length
        return with_beta, (rest_moment - alpha * rest_plain) / length

    def slope(self, alpha: float) -> float:
        """Return the best beta within its bounds."""
        with_beta, _ = self._overlap(alpha)
        free = (with_beta - (1 - alpha) * alpha * self.pi / 6) * 3 / alpha**2
        return float(np.clip(free, self.pi, min(1.0, self.pi / alpha)))

    def loss(self, alpha: float) -> float:
        """Return the integrated squared distance at the best beta."""
        beta = self.slope(alpha)
        with_beta, with_pi = self._overlap(alpha)
        bend = alpha * beta
        model = beta**2 * alpha**3 / 3 + (1 - alpha) * (bend**2 + bend * self.pi + self.pi**2) / 3
        return float(self.square - 2 * (beta * with_beta + self.pi * with_pi) + model)


def _moment(start: npt.ArrayLike, width: npt.ArrayLike, h0: npt.ArrayLike, h1: npt.ArrayLike) -> Array:
    """Return the integral of h t over pieces on which h goes straight from h0 to h1."""
    start, width, h0, h1 = (np.asarray(value, float) for value in (start, width, h0, h1))
    return np.asarray(width * (start * (h0 + h1) / 2 + width * (h0 + 2 * h1) / 6))
