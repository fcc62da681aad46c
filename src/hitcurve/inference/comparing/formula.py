"""The test of a difference from its standard error."""

from __future__ import annotations

import math

from hitcurve.inference.estimation.difference import Difference
from hitcurve.inference.pvalues import HAIR, Outcome, t_p, without_variance


def t_test(difference: Difference, null: float, alternative: str, unit: str = "subject") -> Outcome:
    """Test whether a difference is the null difference, from its standard error over units."""
    distance, degrees = difference.value - null, difference.degrees_of_freedom
    if difference.standard_error == 0:
        return without_variance(distance, abs(distance) <= HAIR, unit)
    t = distance / difference.standard_error
    return Outcome(t, t_p(t, degrees, alternative), None if math.isinf(degrees) else degrees)
