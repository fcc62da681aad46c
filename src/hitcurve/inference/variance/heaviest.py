"""One cluster that holds much of a class: how it would vary is seen once."""

from __future__ import annotations

from hitcurve.counts import AnyArray

_HEAVY = 0.25  # share of a class
_OF_ERRORS = (
    "standard errors may be too small (simulated coverage of 95% intervals down to .90, size of tests up to .13 at the "
    "5% level)"
)


def largest_share(sums: AnyArray) -> float:
    """Return the largest share that one cluster holds; 0 where there is nothing to hold."""
    total = float(sums.sum())
    return float(sums.max()) / total if total > 0 else 0.0


def one_cluster(share: float, of: str = "a class", but: str = _OF_ERRORS) -> list[str]:
    """Return a caveat if the largest share that one cluster holds is large."""
    return [f"one cluster holds {100 * share:.0f}% of {of}: {but}"] if share >= _HEAVY else []
