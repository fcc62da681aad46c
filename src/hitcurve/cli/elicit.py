"""From the options of a time budget to the density of the rate, and the reviewers behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING

from hitcurve.cli.files import readable
from hitcurve.errors import ParameterError, UnreadableFileError

if TYPE_CHECKING:
    from hitcurve.rates import Beta, RateDensity
    from hitcurve.sources.files import FileSource

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


def items_of(text: str | None, source: FileSource | None) -> tuple[int, str]:
    """Return the number of items in the list, and where it is from in words; empty if it was given.

    Parameters
    ----------
    text : str or None
        A number, a file whose rows are the items, or a column of the scores whose distinct values are; without any, the
        items are the subjects of the scores.
    source : FileSource or None
        The scores.

    Raises
    ------
    ParameterError
        If it is none of these.
    """
    from hitcurve import _checks, rows

    if text is None:
        if source is None:
            raise ParameterError("give the number of items: --items 2500, or --items FILE to count its rows")
        found = source.reduce(lambda block: int(block.positive.size), add)
        return found, f"{rows.count(found)} items: the subjects of the scores"
    try:
        return _checks.whole_number("--items", float(text)), ""
    except ValueError as error:
        if isinstance(error, ParameterError):
            raise ParameterError(f"--items must be a whole number of at least 1, got {text}") from None
    if Path(text).is_file():
        from hitcurve.sources.files import count_rows

        found = count_rows(Path(text))
        return found, f"{rows.count(found)} items: the rows of {Path(text).name}"
    if source is None:
        raise ParameterError(
            f"--items must be a number, a file, or a column of the file of scores, got {text!r}: there is no such file "
            "and no file of scores"
        )
    names: set[str] = replace(source, by=text).reduce(lambda block: set(block.lists[0]), set.union)
    return len(names), f"{rows.count(len(names))} items: the different values of {text!r}"


@dataclass(frozen=True)
class Budget:
    """The options that define how far a list will be screened."""

    minutes: str | None
    per_item: str | None
    reviewers: Sequence[str]
    combine: str | None
    times: str | None
    coverage: float

    def __post_init__(self) -> None:
        from hitcurve import _checks

        _checks.level("--coverage", self.coverage)
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
                f"{_of_total()} cannot be combined with --reviewer, which contains the total minutes of each reviewer"
            )
        if not self.reviewers and self.minutes is None:
            raise ParameterError("no total time is given: add --minutes, such as 7200, 120h or 5d")
        if self.combine is not None and len(self.reviewers) < 2:
            raise ParameterError("--combine needs at least two reviewers: repeat --reviewer")

    def elicited(self, items: int) -> Elicited:
        """Return the density for a list of so many items."""
        if self.times is not None:
            return self._from_times(self.times, items)
        if self.per_item is not None:
            texts = [("reviewer", _of_total(), str(self.minutes), self.per_item, "--per-item")]
        else:
            texts = [self._of_reviewer(i, text) for i, text in enumerate(self.reviewers, 1)]
        return self._together([self._reviewer(items, *text) for text in texts])

    def _of_reviewer(self, place: int, text: str) -> tuple[str, str, str, str, str]:
        total, mark, span = text.partition("/")
        if not mark:
            raise ParameterError(
                f"--reviewer must be total time / minutes per item, such as 7200/10:45 or 120h/10:45, got {text!r}"
            )
        return f"reviewer {place}", "--reviewer", total, span, "--reviewer"

    def _reviewer(self, items: int, name: str, of_total: str, total: str, span: str, option: str) -> Reviewer:
        from hitcurve import rows
        from hitcurve.rates import Beta
        from hitcurve.rates.durations import minutes_of, said

        minutes, (fast, slow) = minutes_of(of_total, total), _span(option, span)
        density = Beta.from_time_budget(items, minutes, (fast, slow), coverage=self.coverage)
        description = (
            f"{name}: {density.rounded}: fraction of {rows.count(items)} items screened in {rows.count(minutes)} "
            f"minutes{said(total)}, if the mean time per item is {rows.short(fast)} to {rows.short(slow)} minutes with "
            f"probability {rows.percent(self.coverage)}"
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

    def _from_times(self, name: str, items: int) -> Elicited:
        from hitcurve import rows
        from hitcurve.rates import Beta
        from hitcurve.rates.durations import minutes_of, said

        minutes, times = minutes_of(_of_total(), str(self.minutes)), _logged(name)
        density = Beta.from_times(times, items, minutes)
        off = density.distance([minutes / (items * time) for time in times])
        description = (
            f"reviewer: {density.rounded}: fraction of {rows.count(items)} items screened in "
            f"{rows.count(minutes)} minutes{said(str(self.minutes))}, fitted to {len(times)} logged times; the "
            f"distribution functions differ by at most {off:.2g}"
        )
        return Elicited(density, (Reviewer("reviewer", minutes, density, description),), (description,), off)


def _of_total() -> str:
    """Return by which of its names the option of the total time was given."""
    from hitcurve.cli.usage import as_written

    return as_written("--minutes", "--time")


def _span(option: str, text: str) -> tuple[float, float]:
    fast, mark, slow = text.partition(":")
    if not mark:
        raise ParameterError(
            f"{option} must contain the shorter and the longer minutes per item, such as 10:45, got {text!r}"
        )
    from hitcurve.rates.durations import minutes_of

    ends = minutes_of(f"{option} {text}", fast), minutes_of(f"{option} {text}", slow)
    if not ends[0] < ends[1]:
        raise ParameterError(f"{option} must have the shorter time and then the longer time, got {text!r}")
    return ends


def _logged(name: str) -> list[float]:
    """Read mean minutes per item, one per line; empty lines are ignored."""
    from hitcurve.rates.durations import minutes_of

    with readable(name) as path:
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise UnreadableFileError(f"cannot read {path}: it is not UTF-8 text") from None
        except OSError as error:
            raise UnreadableFileError(f"cannot read {path}: {error.strerror}") from None
        return [minutes_of(f"{path.name}, line {i},", line) for i, line in enumerate(lines, 1) if line.strip()]
