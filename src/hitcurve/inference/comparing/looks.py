"""The paired test of two rankers, looked at again and again while labels arrive."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from hitcurve import _checks, rows
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.inference.estimation.difference import Difference
from hitcurve.inference.intervals.boundaries import Boundary, NormalMixture, OBrienFleming, crossing, taken_to_normal
from hitcurve.inference.pvalues import HAIR, Outcome

LOOKED = ("anytime", "obrien-fleming")
TARGETS = ("population", "pool")
ADVISED = 20  # positives before the first look
_FEWEST = {"population": 10, "pool": 40}
_FEW_NEGATIVES = 10
_NOTHING = 1e-9  # of a pool, where all have labels
_POWER = 0.8  # of one test, beside which the price is said
_LOOKS = 50  # of which a price is told


class Price(NamedTuple):
    """What a test over many looks costs beside one test of all labels.

    Attributes
    ----------
    width_factor : float
        How many times as wide the interval is at the end.
    power_of_one : float
        Power of one test of all labels against some difference.
    power : float
        Power of the looks against the same difference.
    labels : float
        Share of the labels that is used on average then.
    """

    width_factor: float
    power_of_one: float
    power: float
    labels: float

    def __str__(self) -> str:
        """Return one sentence."""
        return (
            f"at the end the interval is {self.width_factor:.2f} times as wide as the interval of one test of all "
            f"labels; a difference that one test finds with probability {self.power_of_one:.2g} is found with "
            f"probability {self.power:.2f}, after {100 * self.labels:.0f}% of the labels on average"
        )


@dataclass(frozen=True)
class Looks:
    """How a comparison is looked at while labels arrive: everything is chosen before the first look.

    Attributes
    ----------
    method : {"anytime", "obrien-fleming"}
    horizon : int
        Labels expected in all (anytime), or at the end (O'Brien-Fleming).
    target : {"population", "pool"}
        What the difference is of: the population that subjects come from, or the pool of ``horizon`` subjects once
        all of them have labels.
    """

    method: str
    horizon: int
    target: str = "population"

    def __post_init__(self) -> None:
        _checks.choice("method", self.method, LOOKED)
        _checks.choice("target", self.target, TARGETS)
        object.__setattr__(self, "horizon", _checks.whole_number("horizon", self.horizon, least=2))
        if self.target == "pool" and self.method != "anytime":
            raise ParameterError("target='pool' needs method='anytime': no other boundary was validated for it")

    @property
    def start(self) -> int:
        """Positives before the first look: with fewer the standard error is too rough."""
        return _FEWEST[self.target]

    @property
    def target_text(self) -> str:
        """What the difference is of, in words."""
        return "population" if self.target == "population" else f"this pool of {self.horizon:,} subjects"

    @property
    def end(self) -> str:
        """What becomes of the interval of a pool."""
        at = f"once all {self.horizon:,} subjects have labels"
        return f"the interval of a pool shrinks to a point, which is reached {at}"

    def boundary(self, labels: float, confidence_level: float) -> Boundary:
        """Return the boundary of a look after so many labels."""
        if self.method == "obrien-fleming":
            return OBrienFleming(labels / self.horizon)
        left = max(1 - labels / self.horizon, _NOTHING) if self.target == "pool" else 1.0
        return NormalMixture(labels / left, self.horizon, 1 - confidence_level)

    def check(self, n_pos: float, n_neg: float, why_not: str | None) -> None:
        """Refuse a look that was measured to fail, or cannot be.

        Parameters
        ----------
        n_pos, n_neg : float
        why_not : str or None
            Why one test by the delta method would fail here.

        Raises
        ------
        InsufficientDataError
            If there are too few positives or negatives, or too few of them decide.
        ParameterError
            If there are more labels than the horizon, where it is the end.
        """
        ends = self.method == "obrien-fleming" or self.target == "pool"
        if ends and n_pos + n_neg > self.horizon:
            raise ParameterError(
                f"{n_pos + n_neg:.0f} labels are more than horizon={self.horizon}, which must be chosen before the "
                "first look: give the number of labels expected in all"
            )
        if n_pos < self.start:
            of_pool = " for target='pool'" if self.target == "pool" else ""
            raise InsufficientDataError(
                f"only {rows.counted(n_pos, 'positive')}: a test{of_pool} needs {self.start} positives, before which "
                "the standard error is too inaccurate for many looks"
            )
        if n_neg < _FEW_NEGATIVES:
            raise InsufficientDataError(
                f"only {rows.counted(n_neg, 'negative')}: a test needs {_FEW_NEGATIVES} negatives"
            )
        if why_not is not None:
            raise InsufficientDataError(f"{why_not}: too few for a test over many looks")

    def of(self, difference: Difference, labels: float) -> Difference:
        """Return a difference with the interval that holds at all looks."""
        boundary = self.boundary(labels, difference.confidence_level)
        error = difference.standard_error
        if self.target == "pool":
            error *= math.sqrt(max(1 - labels / self.horizon, 0.0))
        return replace(difference, standard_error=error, boundary=boundary)

    def test(self, difference: Difference, null: float) -> Outcome:
        """Test a difference at one look."""
        distance = difference.value - null
        if difference.standard_error == 0 or difference.boundary is None:
            # of a pool without a subject left, the difference is known
            return Outcome(0.0, 1.0 if abs(distance) <= HAIR else 0.0)
        t = distance / difference.standard_error
        z = taken_to_normal(t, difference.degrees_of_freedom)
        return Outcome(t, difference.boundary.pvalue(z), difference.degrees_of_freedom)

    def price(self, confidence_level: float = 0.95) -> Price:
        """Return what looking costs, over evenly spaced looks up to the horizon at a population, in large samples.

        Raises
        ------
        ParameterError
            If the target is the pool: its interval shrinks to a point, and no test of all labels is left to compare.
        """
        from scipy.special import ndtri

        shares = [(k + 1) / _LOOKS for k in range(_LOOKS)]
        if self.target == "pool":
            raise ParameterError(f"looks at a pool have no price: {self.end}")
        limits = [self.boundary(share * self.horizon, confidence_level).critical(confidence_level) for share in shares]
        one_test = float(ndtri((1 + confidence_level) / 2))
        stopped = crossing(limits, shares, one_test + float(ndtri(_POWER)))
        reached = sum(stopped)
        labels = sum(p * share for p, share in zip(stopped, shares, strict=True)) + 1 - reached
        return Price(limits[-1] / one_test, _POWER, reached, labels)
