"""Ways down a gradient: the length of a step of all examples, and passes over them batch by batch."""

from __future__ import annotations

import numpy as np

from hitcurve.learn.fingerprints import Array


def batches_of_pass(weight: Array, size: int, rng: np.random.Generator) -> list[Array]:
    """Return which examples are met in each batch of one pass.

    As many are met as there are of weight above 0, each as often as its share of the weight says, rounded up or down at
    random (systematic sampling): where weights are equal each is met once. The step of a batch is then of its plain
    mean, and does not jump with one heavy example.

    Parameters
    ----------
    weight : array (n,)
        At least 0, not all 0.
    size : int
        Of a batch; the last may be smaller.
    rng : Generator
    """
    met = int(np.count_nonzero(weight))
    places = np.arange(met) + rng.random()
    reached = np.cumsum(weight) * (met / np.sum(weight))
    chosen = np.minimum(np.searchsorted(reached, places, side="right"), np.flatnonzero(weight)[-1])
    chosen = rng.permutation(chosen)
    return [chosen[start : start + size] for start in range(0, met, size)]


def step_length(before: tuple[Array, Array] | None, here: Array, slope: Array, *, even: bool) -> float:
    """Return how far to go down: the inverse of the curvature met on the last step, by both of its estimates in turn.

    Barzilai and Borwein 1988, IMA J. Numer. Anal. 8:141.
    """
    if before is None:
        return 1.0
    went, bent = here - before[0], slope - before[1]
    along = float(np.sum(went * bent))
    if not along > 0:
        return 1.0
    return along / float(np.sum(bent * bent)) if even else float(np.sum(went * went)) / along
