"""Exact sequential test of the hits of two top lists, by betting on the hits that only one of them has."""

from __future__ import annotations

import math

PRIOR = 2.0
"""Both parameters of the beta distribution over which bets are mixed: 0.5 bets on large, 5 on small differences."""


def evidence(first: int, second: int, prior: float = PRIOR) -> float:
    """Return the evidence against equal hits: what a fair game has made of a stake of 1.

    ``B(W + a, L + a)/B(a, a) 2^(W + L)``, of W and L hits that only the first and only the second have. Where each of
    them is either's with probability 1/2, it ever reaches 1/alpha with probability alpha at most.

    Parameters
    ----------
    first, second : int
    prior : float
    """
    log_beta = _log_beta(first + prior, second + prior) - _log_beta(prior, prior)
    return math.exp(min(log_beta + (first + second) * math.log(2), 700.0))


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def reachable(first: int, second: int, left_first: int, left_second: int, needed: float) -> bool:
    """Return whether labels to come could bring the evidence to what is needed.

    Parameters
    ----------
    first, second : int
        Hits so far that only one has.
    left_first, left_second : int
        Subjects without a label that are in the top list of one only.
    needed : float
    """
    return max(evidence(first + left_first, second), evidence(first, second + left_second)) >= needed
