"""Rankers at one or several horizons: what is asked of them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import IO, Any, Self

from hitcurve import _checks, rows
from hitcurve._file_names import path_of
from hitcurve._progress import Progress, reports
from hitcurve._writing import check_folder, write_whole
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.evaluation.kept import content_given
from hitcurve.inference import Comparison, Comparisons
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as read_metric
from hitcurve.survival.evaluated import evaluations_of
from hitcurve.survival.kept import content_of, kept_in
from hitcurve.survival.line import DRAWS, OverTime
from hitcurve.survival.outcome import horizons_of
from hitcurve.survival.over_time import default_times, over_time
from hitcurve.survival.planning import Plan, SurvivalPower
from hitcurve.survival.printed import PrintedSurvival
from hitcurve.survival.rankings import Ranking

_NO_ERRORS = "rule='aptools' reproduces values without errors: leave rule out"


@dataclass(frozen=True, eq=False)
class SurvivalEvaluation(PrintedSurvival):
    """Metrics of one or several rankers at one or several horizons.

    ``evaluation["a", "ap", 365]`` is one :class:`~hitcurve.Estimate`, and ``evaluation.at(365)`` the evaluation of one
    horizon, with everything that an :class:`~hitcurve.Evaluation` has.

    Attributes
    ----------
    horizons : tuple of float
        Ascending.
    metrics : tuple of Metric
    rule : {"timeroc", "sksurv", "aptools"}
    design : {"cohort", "case-control"}
    """

    # ---- files

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return the evaluation as JSON, or write it to a file; :meth:`from_json` reads it.

        The file has all subjects, with their times, events and scores, and the options. What is read back has the same
        numbers, bit for bit, and everything can be asked of it. For other programs the file has the keys of
        :meth:`to_dict`. Names of clusters and strata are not written.

        Parameters
        ----------
        path : str or path, optional
            The file, written atomically. Without it the text is returned.

        Returns
        -------
        str, or None if there is a path

        Raises
        ------
        ParameterError
            If the distribution of the censoring is a function, or a metric has no metric string.
        UnreadableFileError
            If the file cannot be written.
        """
        if path is not None:
            check_folder(path_of(path))
        text = rows.json_text(json.dumps(content_of(self), ensure_ascii=False, allow_nan=False)) + "\n"
        if path is None:
            return text
        write_whole(path_of(path), text)
        return None

    @classmethod
    def from_json(
        cls, path: str | os.PathLike[str] | IO[str] | IO[bytes] | None = None, *, text: str | bytes | None = None
    ) -> Self:
        """Read an evaluation that :meth:`to_json` wrote.

        Parameters
        ----------
        path : str, path or open file
        text : str or bytes, optional
            The JSON itself, instead of a file.

        Raises
        ------
        ParameterError
            If it is not such JSON, is of another version, or was changed after it was written.
        UnreadableFileError
            If the file cannot be read.

        Examples
        --------
        >>> from hitcurve import SurvivalEvaluation, evaluate_survival
        >>> ev = evaluate_survival([1, 2, 3, 4], [1, 0, 1, 0], {"a": [4, 3, 2, 1]}, horizons=3)
        >>> SurvivalEvaluation.from_json(text=ev.to_json())["a", "ap"].value == ev["a", "ap"].value
        True
        """
        kept = kept_in(*content_given(path, text))
        found = evaluations_of(kept.subjects, kept.cohort, kept.metrics, "nan", kept.sampling, kept.rule, kept.backend)
        return cls(found, kept.metrics, kept.cohort, kept.subjects, kept.rule, kept.sampling.design, kept.backend)

    # ---- comparisons

    def compare(
        self, first: str, second: str, metric: str | Metric, horizon: float | None = None, **options: Any
    ) -> Comparison:
        """Test the difference of two rankers at one horizon, first minus second.

        Parameters
        ----------
        first, second : str
        metric : str or Metric
        horizon : float, optional
            The only one if absent.
        **options
            As in :meth:`hitcurve.Evaluation.compare`. Where subjects were censored, ``auto`` is ``delta``: by influence
            values that know that the distribution of the censoring was estimated.
        """
        return self._one(horizon).compare(first, second, metric, **options)

    def compare_all(self, metric: str | Metric, horizon: float | None = None, **options: Any) -> Comparisons:
        """Compare all rankers at one horizon; options as in :meth:`hitcurve.Evaluation.compare_all`."""
        return self._one(horizon).compare_all(metric, **options)

    # ---- plans

    @reports
    def power_analysis(
        self,
        metric: str | Metric,
        effect: float,
        horizon: float | None = None,
        *,
        rankers: tuple[str, str] | None = None,
        power: float | None = None,
        subjects: int | None = None,
        significance: float = 0.05,
        progress: Progress = False,
    ) -> SurvivalPower:
        """Plan a comparison of two rankers at a horizon from this pilot: the number of subjects, or the power.

        New subjects have events and are censored as those of the pilot. The test is the paired delta-method test of
        :meth:`compare`.

        Parameters
        ----------
        metric : str or Metric
        effect : float
            True difference to be detected.
        horizon : float, optional
            The only one if absent.
        rankers : (str, str), optional
            The first two if absent.
        power : float in (0, 1), optional
            Gives the number of subjects.
        subjects : int, optional
            Gives the power.
        significance : float in (0, 1)
            Two-sided level of the test.
        progress : bool or callable
            Show the steps, or call a function with each; see :func:`hitcurve.progress`.

        Returns
        -------
        SurvivalPower
            With a 95% interval, because the pilot only estimates the variance (200 bootstrap replicates).

        Raises
        ------
        ParameterError
            If an argument is out of range, or not exactly one of power and subjects is given.
        InsufficientDataError, UndefinedMetricError
            If the pilot has fewer than 2 cases, or its rankers do not differ.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate_survival
        >>> rng = np.random.default_rng(0)
        >>> risk = rng.normal(size=400)
        >>> onset, lost = rng.exponential(size=400) * np.exp(-risk) * 10, rng.exponential(size=400) * 20
        >>> scores = {"a": risk, "b": risk + rng.normal(size=400)}
        >>> ev = evaluate_survival(np.minimum(onset, lost), onset <= lost, scores, horizons=5)
        >>> found = ev.power_analysis("ap", 0.05, power=0.8)
        >>> found.subjects > 400, found.subjects_interval[0] < found.subjects < found.subjects_interval[1]
        (True, True)
        """
        ev = self._one(horizon)
        if self.rule == "aptools":
            raise UndefinedMetricError(_NO_ERRORS)
        if len(self.rankers) < 2:
            raise ParameterError("a pilot needs two rankers")
        chosen = _checks.pair(rankers, self.subjects.scores)
        place = self.subjects.horizons.index(ev.horizon)
        rankings = {name: Ranking.of(self.subjects.column(name, place)) for name in chosen}
        plan = Plan(self.cohort, rankings, ev.horizon, read_metric(metric), self.design, self.subjects.clusters)
        return plan.made(effect, power=power, subjects=subjects, significance=significance)

    # ---- over time

    @reports
    def over_time(
        self,
        metric: str | Metric,
        times: Any = None,
        *,
        confidence_level: float | None = None,
        n_resamples: int = DRAWS,
        rng: Any = None,
        progress: Progress = False,
    ) -> OverTime:
        """Return a metric as a function of the horizon, with a band for all times together.

        Parameters
        ----------
        metric : str or Metric
            Any metric, evaluated before or not.
        times : sequence of float, optional
            Up to 40 times of events with at least 5 cases and 5 controls if absent. For scores that depend on time,
            the horizons, which are the times if absent.
        confidence_level : float in (0, 1), optional
            The level of the evaluation if absent.
        n_resamples : int
            Draws of all times together (multiplier bootstrap of the influence values).
        rng : None, int or numpy.random.Generator
            None derives a seed from the values.
        progress : bool or callable
            Show the steps, or call a function with each; see :func:`hitcurve.progress`.

        Returns
        -------
        OverTime
            With differences of rankers over time, and means over time, with their errors.

        Raises
        ------
        InsufficientDataError
            If there are fewer than 2 cases or controls at a time.
        UndefinedMetricError
            If the rule of the evaluation has no errors.

        Examples
        --------
        >>> import numpy as np
        >>> from hitcurve import evaluate_survival
        >>> rng = np.random.default_rng(0)
        >>> risk = rng.normal(size=400)
        >>> onset, lost = rng.exponential(size=400) * np.exp(-risk) * 10, rng.exponential(size=400) * 20
        >>> ev = evaluate_survival(np.minimum(onset, lost), onset <= lost, {"risk": risk}, horizons=5)
        >>> found = ev.over_time("auc", [2, 5, 8])
        >>> found["risk"].value.round(3).tolist(), found.at_risk.tolist()
        ([0.746, 0.792, 0.798], [280.0, 176.0, 116.0])
        """
        wanted = read_metric(metric)
        if self.rule == "aptools":
            raise UndefinedMetricError(_NO_ERRORS)
        fixed = any(len(columns) > 1 for columns in self.subjects.scores.values())
        if times is None:
            times = self.horizons if fixed else default_times(self.cohort)
        given = tuple(sorted(horizons_of(times, "times")))
        if fixed and given != self.horizons:
            raise ParameterError(
                "scores that depend on time are known at the horizons only: leave times out, or evaluate these times "
                "as horizons"
            )
        level = next(iter(self.evaluations.values())).confidence_level
        return over_time(
            self.cohort,
            {name: self.subjects.over_time(name) for name in self.rankers},
            wanted,
            given,
            design=self.design,
            clusters=self.subjects.clusters,
            confidence_level=level if confidence_level is None else confidence_level,
            n_resamples=n_resamples,
            rng=rng,
        )

    def __repr__(self) -> str:
        """Return the size."""
        times = ", ".join(rows.exact(horizon) for horizon in self.horizons)
        return (
            f"<SurvivalEvaluation of {len(self.rankers)} rankers at horizons {times} by "
            f"{rows.listed(list(map(str, self.metrics)))}>"
        )
