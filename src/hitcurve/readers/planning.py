"""How many readers and cases a study needs, from the components of variance of a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from hitcurve import _checks, rows
from hitcurve.errors import ParameterError
from hitcurve.inference import power_of_t
from hitcurve.readers.components import Components
from hitcurve.readers.numbers import Numbers, ReaderMetric
from hitcurve.readers.points import check_size
from hitcurve.readers.testing import CASES, READERS

_MOST_CASES, _MOST_READERS = 10**9, 10**5


@dataclass(frozen=True)
class ReaderPower:
    """Readers and cases of a study of two modalities, and its power.

    Attributes
    ----------
    metric : str
    effect : float
        True difference of the two modalities.
    margin : float or None
        Of a test of non-inferiority; None of a test of a difference.
    power : float
    significance : float
        Two-sided level; a test of non-inferiority is one-sided at half of it.
    readers : int
        Of both modalities, or of each where readers are nested in modalities.
    cases : int
        That each reader reads with each modality.
    n_pos : int
        How many of them are positive, at the share of the pilot.
    standard_error : float
        Of the difference.
    degrees_of_freedom : float
    """

    metric: str
    effect: float
    margin: float | None
    power: float
    significance: float
    readers: int
    cases: int
    n_pos: int
    standard_error: float
    degrees_of_freedom: float

    def to_record(self) -> dict[str, Any]:
        """Return the numbers as plain values."""
        return rows.plain(asdict(self))

    def __str__(self) -> str:
        """Return the numbers in one sentence."""
        what = f"a difference of {rows.short(self.effect)}"
        level = f"two-sided level {self.significance:g}"
        if self.margin is not None:
            what = f"non-inferiority by a margin of {rows.short(self.margin)} at a true difference of "
            what += rows.short(self.effect)
            level = f"one-sided level {self.significance / 2:g}"
        return (
            f"{self.metric}: {self.readers:,} readers and {self.cases:,} cases ({self.n_pos:,} positive) find {what} "
            f"with power {self.power:.3f} at {level}"
        )


class _Plan(NamedTuple):
    """What a planned study is expected to show."""

    standard_error: float
    degrees: float


@dataclass(frozen=True)
class _Pilot:
    """What a pilot says of a study of two modalities with other numbers of readers and cases.

    Attributes
    ----------
    parts : Components
    cases : float
        That a reader read with a modality.
    readers_nested : bool
        Whether readers are nested in modalities.
    random : tuple of str
    """

    parts: Components
    cases: float
    readers_nested: bool
    random: tuple[str, ...]

    def plan(self, readers: int, cases: float) -> _Plan:
        """Return the error of the difference of two modalities (Hillis, Obuchowski and Berbaum 2011)."""
        parts, share = self.parts, self.cases / cases
        same = parts.cov2 if self.readers_nested else parts.cov1
        if READERS not in self.random:
            other = parts.cov3 if self.readers_nested else parts.cov1
            more = (readers - 1) * (parts.cov2 - parts.cov3) if readers > 1 else 0.0
            return _Plan(math.sqrt(max(share * (parts.var - other + more) * 2 / readers, 0.0)), math.inf)
        square = parts.ms_reader if self.readers_nested else parts.ms_interaction
        degrees = (2 if self.readers_nested else 1) * (readers - 1)
        if CASES not in self.random:
            return _Plan(math.sqrt(2 * square / readers), degrees)
        # what cases add to a mean square; in the other design the covariance of readers is counted in cov2
        of_cases = parts.var - same - (0.0 if self.readers_nested else parts.above)
        of_readers = max(square - of_cases, 0.0)
        random = max(of_readers + share * of_cases, 0.0)
        whole = random + readers * share * parts.above
        found = whole**2 / (random**2 / degrees) if random > 0 else math.inf
        return _Plan(math.sqrt(2 * whole / readers), found)


def analyse_readers(
    study: Numbers,
    one: ReaderMetric,
    effect: float,
    *,
    readers: int | None,
    cases: int | None,
    power: float | None,
    margin: float | None,
    significance: float,
) -> ReaderPower:
    """Return a plan; see :meth:`hitcurve.ReaderStudy.power_analysis`."""
    readings = study.readings
    if one.equality is None:
        raise ParameterError("the pilot has one modality, and a plan is for the difference of two")
    pilot = _Pilot(
        one.components,
        float(sum(side.mean() for side in study.study.sizes)),
        readings.nested == "readers in modalities",
        study.random,
    )
    effect, significance = _checks.real_number("effect", effect), _checks.level("significance", significance)
    distance = abs(effect)
    check_size("effect", effect, one.metric)
    if margin is not None:
        margin = _checks.positive_number("margin", margin)
        check_size("margin", margin, one.metric)
        distance = (-effect if one.metric.lower_is_better else effect) + margin
        if distance <= 0:
            raise ParameterError(
                f"a true difference of {effect:g} is as bad as the margin {margin:g}: nothing shows it"
            )
    elif effect == 0:
        raise ParameterError("effect must not be 0, which no study can detect")
    readers, cases = _numbers(study, pilot, readers, cases, power)

    def reached(readers: int, cases: float) -> float:
        plan = pilot.plan(readers, cases)
        if not plan.standard_error > 0:
            raise ParameterError("differences do not vary in the pilot, which gives no variance to plan with")
        return power_of_t(distance / plan.standard_error, plan.degrees, significance, two_sided=margin is None)

    if power is not None:
        power = _checks.open_unit("power", power)
        if power <= significance:
            raise ParameterError(f"power must be above the significance {significance:g}, got {power:g}")
        if cases is None and readers is not None:
            number = readers
            cases = _least(lambda n: reached(number, n) >= power, 4, _MOST_CASES)
            if cases is None:
                most = reached(readers, _MOST_CASES)
                raise ParameterError(
                    f"{one.metric}: {readers} readers have power {power:g} with no number of cases (at most "
                    f"{most:.3f}): plan more readers"
                )
        elif readers is None and cases is not None:
            size = cases
            readers = _least(lambda number: reached(number, size) >= power, 2, _MOST_READERS)
            if readers is None:
                raise ParameterError(
                    f"{one.metric}: {cases} cases have power {power:g} with no number of readers: plan more cases"
                )
    if readers is None or cases is None:
        raise ParameterError("give two of readers, cases and power, and the third follows")
    plan = pilot.plan(readers, cases)
    share = readings.sizes[0] / sum(readings.sizes)
    return ReaderPower(
        str(one.metric),
        effect,
        margin,
        reached(readers, cases),
        significance,
        readers,
        cases,
        round(cases * share),
        *plan,
    )


def _numbers(
    study: Numbers, pilot: _Pilot, readers: int | None, cases: int | None, power: float | None
) -> tuple[int | None, int | None]:
    """Return the numbers that are given; what is fixed in the pilot stays as it is.

    Raises
    ------
    ParameterError
        If too few or too many are given.
    """
    if READERS not in study.random and readers is None:
        readers = int(study.readings.readers_of_modality.min())
    elif CASES not in study.random and cases is None:
        cases = round(pilot.cases)
    if (readers, cases, power).count(None) != 1:
        raise ParameterError("give two of readers, cases and power, and the third follows")
    if readers is not None:
        readers = _checks.whole_number("readers", readers, least=2 if READERS in study.random else 1)
        own = int(study.readings.readers_of_modality.min())
        if READERS not in study.random and readers != own:
            raise ParameterError(f"readers are fixed in the pilot, which has {own}: plan with random readers")
    if cases is not None:
        cases = _checks.whole_number("cases", cases, least=4)
        if CASES not in study.random and cases != round(pilot.cases):
            raise ParameterError(
                f"cases are fixed in the pilot, which has {round(pilot.cases)}: plan with random cases"
            )
    return readers, cases


def _least(enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the least number that is enough; None if none is."""
    if enough(least):
        return least
    low, high = least, 2 * least
    while not enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
