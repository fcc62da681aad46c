"""From the options of a time budget to the density of the rate, and the reviewers behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hitcurve.cli.files import readable
from hitcurve.errors import ParameterError, UnreadableFileError

if TYPE_CHECKING:
    from hitcurve.rates import Beta, RateDensity

COMBINE = ("sum", "mixture")


@dataclass(frozen=True)
class Reviewer:
    """One reviewer: total minutes, the density of the fraction of the list screened in them, and a description."""

    name: str
    minutes: float
    density: Beta
    description: str


@dataclass(frozen=True)
class Elicited:
    """The density of the rate, its reviewers, notes on its origin, and its error (None if exact)."""

    density: RateDensity
    reviewers: tuple[Reviewer, ...]
    notes: tuple[str, ...]
    distance: float | None = None


@dataclass(frozen=True)
class Budget:
    """The options that define how far a list will be screened."""

    items: int
    minutes: float | None
    per_item: str | None
    reviewers: Sequence[str]
    combine: str | None
    times: str | None
    coverage: float

    def __post_init__(self) -> None:
        from hitcurve import _checks

        _checks.whole_number("--items", self.items)
        _checks.open_unit("--coverage", self.coverage)
        if self.combine is not None:
            _checks.choice("--combine", self.combine, COMBINE)
        ways = [name for name, value in (("--per-item", self.per_item), ("--times", self.times)) if value is not None]
        if self.reviewers:
            ways.append("--reviewer")
        if len(ways) != 1:
            raise ParameterError(
                "give the time per item with one of --per-item 10:45, --times FILE or --reviewer 7200/10:45"
                + (f", got {' and '.join(ways)}" if ways else "")
            )
        if self.reviewers and self.minutes is not None:
            raise ParameterError(
                "--minutes cannot be combined with --reviewer, which contains the total minutes of each reviewer"
            )
        if not self.reviewers and self.minutes is None:
            raise ParameterError("no total time is given: add --minutes")
        if self.combine is not None and len(self.reviewers) < 2:
            raise ParameterError("--combine needs at least two reviewers: repeat --reviewer")

    def elicited(self) -> Elicited:
        """Return the density."""
        if self.times is not None:
            return self._from_times(self.times)
        if self.per_item is not None:
            texts = [("reviewer", self._minutes, self.per_item, "--per-item")]
        else:
            texts = [self._of_reviewer(i, text) for i, text in enumerate(self.reviewers, 1)]
        return self._together([self._reviewer(*text) for text in texts])

    @property
    def _minutes(self) -> float:
        from hitcurve import _checks

        return _checks.positive_number("--minutes", self.minutes)

    def _of_reviewer(self, place: int, text: str) -> tuple[str, float, str, str]:
        total, mark, span = text.partition("/")
        if not mark:
            raise ParameterError(
                f"--reviewer must be total minutes / minutes per item, such as 7200/10:45, got {text!r}"
            )
        return f"reviewer {place}", _number("--reviewer", total, text), span, "--reviewer"

    def _reviewer(self, name: str, minutes: float, span: str, option: str) -> Reviewer:
        from hitcurve import rows
        from hitcurve.rates import Beta

        fast, slow = _span(option, span)
        density = Beta.from_time_budget(self.items, minutes, (fast, slow), coverage=self.coverage)
        description = (
            f"{name}: {density.rounded}: fraction of {rows.count(self.items)} items screened in {rows.count(minutes)} "
            f"minutes, if the mean time per item is {rows.short(fast)} to {rows.short(slow)} minutes with probability "
            f"{rows.percent(self.coverage)}"
        )
        return Reviewer(name, minutes, density, description)

    def _together(self, reviewers: list[Reviewer]) -> Elicited:
        from hitcurve.rates import RateMixture, RateSum

        densities, notes = [r.density for r in reviewers], [r.description for r in reviewers]
        if len(reviewers) == 1:
            return Elicited(densities[0], tuple(reviewers), tuple(notes))
        if self.combine == "mixture":
            mixture = RateMixture(densities, [1] * len(densities))
            notes.append("together (mixture): one reviewer screens the list, each equally likely")
            return Elicited(mixture, tuple(reviewers), tuple(notes))
        team = RateSum(densities)
        notes.append(
            f"together (sum): independent reviewers share the list; {team.density.rounded} has the same mean and "
            f"variance; its distribution function, and so expected recall, is off by at most {team.distance:.2g}"
        )
        return Elicited(team.density, tuple(reviewers), tuple(notes), team.distance)

    def _from_times(self, name: str) -> Elicited:
        from hitcurve import rows
        from hitcurve.rates import Beta

        minutes = self._minutes
        times = _logged(name)
        density = Beta.from_times(times, self.items, minutes)
        off = density.distance([minutes / (self.items * time) for time in times])
        description = (
            f"reviewer: {density.rounded}: fraction of {rows.count(self.items)} items screened in "
            f"{rows.count(minutes)} minutes, fitted to {len(times)} logged times; the distribution functions differ by "
            f"at most {off:.2g}"
        )
        return Elicited(density, (Reviewer("reviewer", minutes, density, description),), (description,), off)


def _span(option: str, text: str) -> tuple[float, float]:
    fast, mark, slow = text.partition(":")
    if not mark:
        raise ParameterError(
            f"{option} must contain the shorter and the longer minutes per item, such as 10:45, got {text!r}"
        )
    return _number(option, fast, text), _number(option, slow, text)


def _number(option: str, text: str, whole: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise ParameterError(f"{option} must contain finite numbers above 0, got {text!r} in {whole!r}")
    return number


def _logged(name: str) -> list[float]:
    """Read mean minutes per item, one per line; empty lines are ignored."""
    with readable(name) as path:
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise UnreadableFileError(f"cannot read {path}: it is not UTF-8 text") from None
        except OSError as error:
            raise UnreadableFileError(f"cannot read {path}: {error.strerror}") from None
        return [
            _number(f"{path.name}, line {i},", line.strip(), line.strip())
            for i, line in enumerate(lines, 1)
            if line.strip()
        ]
