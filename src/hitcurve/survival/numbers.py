"""The numbers of rankers at one or several horizons, looked up by ranker, metric and horizon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.errors import ColumnNotFoundError, HitcurveWarning, ParameterError
from hitcurve.immutable import Compared
from hitcurve.inference import Estimate
from hitcurve.metrics import Metric
from hitcurve.survival.horizon import HorizonEvaluation
from hitcurve.survival.subjects import Subjects
from hitcurve.survival.weights import Cohort


@dataclass(frozen=True, eq=False)
class SurvivalNumbers(Compared):
    """Estimates of all horizons; see :class:`hitcurve.SurvivalEvaluation`."""

    evaluations: Mapping[float, HorizonEvaluation]
    metrics: tuple[Metric, ...]
    cohort: Cohort = field(repr=False)
    subjects: Subjects = field(repr=False)
    rule: str = "timeroc"
    design: str = "cohort"
    backend: str | None = field(default=None, repr=False)

    @property
    def horizons(self) -> tuple[float, ...]:
        """The horizons, ascending."""
        return tuple(self.evaluations)

    @property
    def numbers_of_kinds(self) -> tuple[float, float, float]:
        """Numbers of the censored, of the events and of the competing events (sums of weights)."""
        kind, weight = self.cohort.sample.kind, self.cohort.sample.weight
        return tuple(float(weight[kind == one].sum()) for one in (0, 1, 2))  # type: ignore[return-value]

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to be wary of in the intervals, with the horizon."""
        return tuple(
            f"horizon {rows.exact(horizon)}: {one}" for horizon, ev in self.evaluations.items() for one in ev.cautions
        )

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the rankers."""
        return tuple(self.subjects.scores)

    def at(self, horizon: float) -> HorizonEvaluation:
        """Return the evaluation of one horizon.

        Raises
        ------
        ColumnNotFoundError
            If it was not evaluated.
        """
        horizon = _checks.real_number("horizon", horizon)
        if horizon not in self.evaluations:
            known = ", ".join(rows.exact(one) for one in self.horizons)
            raise ColumnNotFoundError(f"horizon {horizon!r} was not evaluated; horizons are {known}")
        return self.evaluations[horizon]

    def __getitem__(self, key: tuple[str, str | Metric, float] | tuple[str, str | Metric]) -> Estimate:
        """Return one estimate: of a ranker, a metric and a horizon, which may be left out where there is one only.

        Raises
        ------
        ColumnNotFoundError
            If one of them was not evaluated.
        """
        sizes = (2, 3) if len(self.evaluations) == 1 else (3,)
        if not isinstance(key, tuple) or len(key) not in sizes:
            raise ParameterError(
                f"ask for a ranker, a metric and a horizon, as in evaluation['a', 'ap', "
                f"{rows.exact(self.horizons[0])}], got {key!r}"
            )
        return self._one(key[2] if len(key) == 3 else None)[key[0], key[1]]

    def __iter__(self) -> Iterator[Estimate]:
        """Go through all estimates, horizon by horizon."""
        for ev in self.evaluations.values():
            yield from ev

    def __len__(self) -> int:
        """Return the number of estimates."""
        return sum(map(len, self.evaluations.values()))

    @cached_property
    def warnings(self) -> tuple[HitcurveWarning, ...]:
        """Warnings about data and values, each once, with the horizons that it is about unless it is about all."""
        where: dict[tuple[type[HitcurveWarning], str], list[str]] = {}
        for horizon, ev in self.evaluations.items():
            for one in ev.warnings:
                where.setdefault((type(one), str(one)), []).append(rows.exact(horizon))
        return tuple(
            kind(text if len(of) == len(self.evaluations) else f"horizon {', '.join(of)}: {text}")
            for (kind, text), of in where.items()
        )

    def _one(self, horizon: float | None) -> HorizonEvaluation:
        if horizon is None and len(self.evaluations) > 1:
            there = ", ".join(rows.exact(one) for one in self.horizons)
            raise ParameterError(f"several horizons were evaluated: give horizon= as one of {there}")
        return self.at(self.horizons[0] if horizon is None else horizon)
