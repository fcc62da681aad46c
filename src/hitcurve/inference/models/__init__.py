"""Models fitted to a list, and tables drawn from them: what levels and lengths of intervals are calibrated with.

- ``Places``: the negatives above each positive, all that a ranking says of its classes.
- ``KernelFit``: the normal scores of the places, smoothed; where an interval needs tables like this one.
- ``Tables``: tables drawn from a model in time proportional to their positives.
- ``moments``: of a sum over the ranks of the positives in samples of a fit that is moved, without drawing them;
  ``weights_of``: the weights of a metric, checked against its kernel.
- ``paths``, ``end_model``, ``end_formula``: of average precision, how far the ends of an interval are along its path.
"""

from hitcurve.inference.models.kernel import KernelFit
from hitcurve.inference.models.places import Places
from hitcurve.inference.models.rank_moments import Moments, moments, weights_of
from hitcurve.inference.models.tables import Tables

__all__ = ["KernelFit", "Moments", "Places", "Tables", "moments", "weights_of"]
