"""Lemma 3 of Clemencon and Vayatis (2009), and what is left of its expansion, by simulation.

Positives are drawn as the recalls of their scores and negatives as the false positive rates of theirs: both are
uniform, and the population is the function alpha from the one to the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from validation.limit_law import POPULATION, PREVALENCE

from papers.frame import Line, Row, misprint, refuted, stated

SEED = 2009
RECALLS = np.linspace(0.1, 0.9, 161)
AT = (0.2, 0.5, 0.8)
SIZES = (200, 800, 3200, 12_800, 51_200, 204_800)
_STEP = 1e-5


def alpha(recall: np.ndarray) -> np.ndarray:
    """Return the false positive rate of the population at a recall."""
    return np.asarray(POPULATION.fpr(POPULATION.score(recall)), float)


def slope(recall: np.ndarray) -> np.ndarray:
    """Return its derivative, the ratio of the densities of negatives and positives."""
    return np.asarray((alpha(recall + _STEP) - alpha(recall - _STEP)) / (2 * _STEP))


def deviations(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return r of Lemma 3, what is left of its expansion, and of that the part of the second bridge.

    The bridges are the quantile process of the positives and the empirical process of the negatives; those of a strong
    approximation are within (log n)/sqrt(n) of them.
    """
    n1 = round(n * PREVALENCE)
    places = np.sort(rng.random(n1))[np.ceil(RECALLS * n1 - 1e-9).astype(int) - 1]
    negatives = np.sort(rng.random(n - n1))

    def process(share: np.ndarray) -> np.ndarray:
        return np.asarray(np.searchsorted(negatives, share, side="right") / (n - n1) - share)

    shown = alpha(places)
    found = process(shown) + shown - alpha(RECALLS)
    moved = process(shown) - process(alpha(RECALLS))
    left = found - slope(RECALLS) * (places - RECALLS) - process(alpha(RECALLS))
    root = math.sqrt(n)
    return root * found, root * left, root * moved


def simulate(draws: int, sizes: Sequence[int] = SIZES) -> list[Line]:
    """Return mean largest deviations by sample size, and the s.d. of r at three recalls beside that of z."""
    lines = []
    here = [int(np.argmin(np.abs(RECALLS - b))) for b in AT]
    a, s = alpha(RECALLS), slope(RECALLS)
    sd = np.sqrt(s**2 * RECALLS * (1 - RECALLS) / PREVALENCE + a * (1 - a) / (1 - PREVALENCE))
    for n in sizes:
        rng = np.random.default_rng([SEED, 3, n])
        r, left, moved = (np.array(part) for part in zip(*(deviations(n, rng) for _ in range(draws)), strict=True))
        highest = [float(np.mean(np.max(np.abs(part), axis=1))) for part in (r / math.sqrt(n), left, moved)]
        lines.append(
            {
                "n": n,
                "draws": draws,
                "largest_deviation": round(highest[0], 6),
                "largest_remainder": round(highest[1], 5),
                "of_the_bridge_moved": round(highest[2], 5),
                "(log n)/sqrt(n)": round(math.log(n) / math.sqrt(n), 5),
                **{f"sd_at_{b}": round(float(r[:, place].std()), 4) for b, place in zip(AT, here, strict=True)},
                **{f"limit_at_{b}": round(float(sd[place]), 4) for b, place in zip(AT, here, strict=True)},
            }
        )
    return lines


def power(lines: Sequence[Line], quantity: str) -> float:
    """Return the power of n with which a quantity falls."""
    n, value = (np.log([float(line[name]) for line in lines]) for name in ("n", quantity))
    return float(np.polyfit(n, value, 1)[0])


def lemma_rows(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield Lemma 3, the rates of the remainders, and a formula of the proof."""
    first, last = lines[0], lines[-1]
    ends = f"n = {first['n']:,} to {last['n']:,}"
    falls = power(lines, "largest_deviation")
    text = f"{first['largest_deviation']:.4f} to {last['largest_deviation']:.5f}, as n^({falls:.3f})"
    yield stated(
        f"Lemma 3 (i), mean largest deviation of the false positive rate at a recall, {ends}",
        "goes to 0",
        text,
        last["largest_deviation"] < first["largest_deviation"] / 1.5,
    )
    off = {b: last[f"sd_at_{b}"] / last[f"limit_at_{b}"] - 1 for b in AT}
    room = 4 / math.sqrt(2 * last["draws"])
    yield stated(
        f"Lemma 3 (ii), s.d. of the scaled deviation at recalls {', '.join(map(str, AT))}, n = {last['n']:,}",
        "that of the two bridges",
        f"off by {', '.join(f'{100 * x:+.1f}%' for x in off.values())}; four standard errors are {100 * room:.0f}%",
        max(map(abs, off.values())) < room,
        "with the density ratio at G^-1(1 - b); as printed, at G(1 - b)",
    )
    for item, quantity, printed in (
        ("Lemma 3 (ii) and Theorem 1 (ii), remainder", "largest_remainder", "o((log log n)^rho1 (log n)^rho2/sqrt(n))"),
        (
            "proof of Theorem 2, a bridge at the rates of a sample and at the true ones",
            "of_the_bridge_moved",
            "O((log n)/sqrt(n))",
        ),
    ):
        found = power(lines, quantity)
        over = [line[quantity] / line["(log n)/sqrt(n)"] for line in (first, last)]
        yield refuted(
            f"{item}, {ends}",
            printed,
            f"falls as n^({found:.3f}), from {over[0]:.2f} to {over[1]:.2f} of (log n)/sqrt(n)",
            found < -0.4,
            "the bridge of the negatives is taken n^(-1/2) away from its place, over which a bridge moves by n^(-1/4); "
            "with the processes of the sample for the bridges, which strong approximations are nearer to than that",
        )
    p = PREVALENCE
    yield misprint(
        "proof of Theorem 2, alpha_n",
        "sqrt(1 - p_n/p_n)",
        "sqrt(1 - p_n)/p_n",
        math.sqrt(1 - p / p) == 0 < math.sqrt(1 - p) / p,
        f"as printed it is 0; Theorem 1 has alpha_p = sqrt(1 - p)/p, {math.sqrt(1 - p) / p:.2f} at p = {p}",
    )
