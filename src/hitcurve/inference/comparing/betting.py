"""Exact sequential test of the hits of two top lists, by betting on the hits that only one of them has."""

from __future__ import annotations

import math

import numpy as np

from hitcurve.counts import Array

_MOST_BETS = 256
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


def evidence_of_shares(shares: Array) -> float:
    """Return the evidence where equal scores are on both sides of a cutoff, so that a positive is in a list in part.

    ``integral of prod(1 + l s_i)`` over bets ``(1 + l)/2`` with a beta distribution, of shares s_i of each positive in
    the first list less its share in the second. Of shares of 1 and -1 it is :func:`evidence`.

    Parameters
    ----------
    shares : array
        In [-1, 1], not 0.
    """
    from scipy.special import logsumexp, roots_jacobi

    parts = shares[np.abs(shares) < 1]
    won, lost = int(np.sum(shares == 1)), int(np.sum(shares == -1))
    if not parts.size:
        return evidence(won, lost)
    # exact for polynomials of twice the degree
    bets, weights = roots_jacobi(min(shares.size // 2 + 1, _MOST_BETS), PRIOR - 1, PRIOR - 1)
    logs = won * np.log1p(bets) + lost * np.log1p(-bets) + np.sum(np.log1p(np.outer(bets, parts)), axis=1)
    return math.exp(min(float(logsumexp(logs, b=weights / weights.sum())), 700.0))


def reachable(shares: Array, left: Array, needed: float) -> bool:
    """Return whether the remaining labels could raise the evidence to the required level.

    Parameters
    ----------
    shares : array
        Of the positives so far.
    left : array
        Of the subjects without a label.
    needed : float
    """
    ends = (np.concatenate([shares, left[sign * left > 0]]) for sign in (1, -1))
    return max(map(evidence_of_shares, ends)) >= needed
