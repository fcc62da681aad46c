"""Groups that are test sets of one data set: how far their training data overlap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray
from hitcurve.errors import ParameterError

_ROUGHLY = 0.05  # shares are rounded: three of .33


class Folds(NamedTuple):
    """How one data set was cut into training and test sets.

    Attributes
    ----------
    test_fraction : float or None
        Share of the data that one test set holds; None if the groups are the parts of the data, each tested once.
    repeated : bool or None
        Whether subjects were tested more than once; None if it is not known.
    """

    test_fraction: float | None = None
    repeated: bool | None = None

    def are_parts(self, number: int) -> bool:
        """Whether so many test sets are the parts of the data; where it is not known, whether their shares say so."""
        if self.repeated is not None:
            return not self.repeated
        return self.test_fraction is None or abs(number * self.test_fraction - 1) <= _ROUGHLY

    def overlap(self, sizes: AnyArray) -> float:
        """Return the test subjects for each training subject, n2 / n1 of Nadeau and Bengio (2003).

        Parameters
        ----------
        sizes : array (G,)
            Subjects of each test set.

        Raises
        ------
        ParameterError
            If the fraction is not in (0, 1), or is not given and one group holds all subjects, or subjects repeat.
        """
        if self.test_fraction is not None:
            share = _checks.open_unit("test_fraction", self.test_fraction)
            if np.max(sizes, initial=0.0) > 2**53 * share:
                raise ParameterError(
                    f"test_fraction {share:.3g} is too small: no data are so large that test sets of "
                    f"{np.max(sizes):.6g} subjects are that share of them"
                )
            return share / (1 - share)
        if self.repeated:
            raise ParameterError(
                "subjects were tested in several folds, so the sizes of folds do not say which share of the data each "
                "tests: give the fraction of the data in each test set (test_fraction, --test-fraction), or use by= "
                "(--by)"
            )
        rest = np.sum(sizes) - sizes
        if not np.all(rest > 0):
            raise ParameterError(
                "one fold contains all subjects, which leaves no training data: give the fraction of the data in "
                "each test set (test_fraction, --test-fraction), or use by= (--by)"
            )
        return float(np.mean(sizes / rest))
