"""Options of a band, as one value that travels from the caller to the draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from hitcurve import _checks, rows
from hitcurve.errors import ParameterError
from hitcurve.inference.bands.smooth import KERNELS, bandwidth_rule
from hitcurve.magnify import Magnification

METHODS = ("region", "influence", "smoothed-bootstrap", "bootstrap", "distribution-free", "studentized-smoothed")
COVERAGES = ("simultaneous", "pointwise")
CENTRINGS = ("smoothed", "empirical", "printed")
_OF_DIFFERENCES = ("x_range", "confidence_level", "design", "rng")


@dataclass(frozen=True)
class BandOptions:
    """Options of a band, checked; see :func:`hitcurve.band` for their meaning.

    Raises
    ------
    ParameterError
        If one is none of what it may be.
    """

    coverage: str = "simultaneous"
    method: str = "region"
    x_range: tuple[float, float] | None = None
    confidence_level: float = 0.95
    design: str | None = None
    magnification: Magnification | str | None = None
    n_resamples: int | None = None
    kernel: str = "gaussian"
    bandwidth: str | float = "n^-1/5"
    importance: float | str | None = None
    centring: str = "smoothed"
    rng: Any = None

    def __post_init__(self) -> None:
        _checks.choice("coverage", self.coverage, COVERAGES)
        _checks.choice("method", self.method, METHODS)
        _checks.choice("centring", self.centring, CENTRINGS)
        _checks.choice("kernel", self.kernel, KERNELS)
        bandwidth_rule(self.bandwidth)
        if isinstance(self.importance, str):
            _checks.choice("importance", self.importance, ("auto",))
        elif self.importance is not None:
            self._become("importance", _checks.open_unit("importance", self.importance))
        if self.n_resamples is not None:
            self._become("n_resamples", _checks.resamples(self.n_resamples))
        self._become("confidence_level", _checks.level("confidence_level", self.confidence_level))

    def _become(self, name: str, value: float) -> None:
        object.__setattr__(self, name, value)

    def replicates(self, usual: int, numbers: int = 1) -> int:
        """Return how many replicates are drawn, of so many numbers each.

        Raises
        ------
        ParameterError
            If these are too many to be held.
        """
        return usual if self.n_resamples is None else _checks.resamples(self.n_resamples, numbers=numbers)

    @classmethod
    def named(cls, options: Mapping[str, Any]) -> Self:
        """Return options given by their names.

        Raises
        ------
        ParameterError
            If there is no such option.
        """
        names = [option.name for option in fields(cls)]
        for name in options:
            if name not in names:
                near = _checks.did_you_mean(name, names) or f": there are {rows.listed(names)}"
                raise ParameterError(f"a band has no option {name!r}{near}")
        return cls(**options)

    @property
    def simultaneous(self) -> bool:
        """Whether the whole curve is to lie inside."""
        return self.coverage == "simultaneous"

    @property
    def draws(self) -> bool:
        """Whether the method draws at random."""
        return self.method != "distribution-free" and (self.simultaneous or self.method not in ("region", "influence"))

    def check_difference(self) -> None:
        """Check that nothing is asked for that bands of differences do not have.

        Raises
        ------
        ParameterError
            If something is.
        """
        for option in fields(self):
            if option.name not in _OF_DIFFERENCES and getattr(self, option.name) != option.default:
                raise ParameterError(f"{option.name} is for the band of one curve: a difference takes none")
