"""Lengths of tilting paths from samples of binormal models: the formula of their quantiles, fitted and checked.

``python -m validation.path_lengths [--quick]``. Tables of many models are drawn, and the sorted lengths from them to
the average precision of their model are a cubic of normal scores. Its coefficients, quadratics of what ``nature_of``
says of a model, are fitted to half of the models and checked on the other half; the exit code is 1 if those of the
package are not the fitted ones.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from hitcurve.inference.models import paths, pivot
from hitcurve.inference.models.fiducial import Binormals
from validation.populations import Array
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY = 44
MODELS, TABLES = 800, 2000
WIDEST = np.array([[-0.805, 0.805], [0.0, 0.92], [-0.69, 0.115]])  # nature of the models that are drawn
MOST_LOG_ODDS = 3.5
LEVELS = (0.005, 0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975, 0.995)
SAME = 0.002  # of coefficients


class Model(NamedTuple):
    """A binormal model and the size of its samples."""

    number: int
    mean: float
    spread: float
    pi: float
    n: int

    def binormals(self, times: int = 1) -> Binormals:
        """Return it so many times."""
        return Binormals(*(np.full(times, x) for x in (self.mean, self.spread, self.pi)))


def models(count: int) -> list[Model]:
    """Draw models beyond those for which the formula is: AP, prevalence, spread and positives at random."""
    ((_, rng),) = blocks(count, STUDY, 0, size=count)
    found: list[Model] = []
    while len(found) < count:
        n1 = np.exp(rng.uniform(np.log(45), np.log(450)))
        place = rng.uniform(logit(0.0003), logit(0.8))
        spread, pi = float(np.exp(rng.uniform(np.log(0.35), np.log(2.8)))), float(expit(place))
        aim = rng.uniform(place - 0.1, MOST_LOG_ODDS)
        low, high = -6.0, 14.0
        for _ in range(50):
            middle = (low + high) / 2
            above = float(Binormals(*(np.array([x]) for x in (middle, spread, pi))).log_odds[0]) > aim
            low, high = (low, middle) if above else (middle, high)
        one = Model(len(found), (low + high) / 2, spread, pi, round(n1 / pi))
        nature = _nature([one])[0]
        if np.all((nature > WIDEST[:, 0]) & (nature < WIDEST[:, 1])):
            found.append(one)
    return found


def _nature(of: Sequence[Model]) -> Array:
    columns = zip(*((m.mean, m.spread, m.pi, m.n) for m in of), strict=True)
    return np.stack(pivot.nature_of(*(np.array(x) for x in columns)), axis=-1)


def lengths(model: Model, tables: int) -> list[Line]:
    """Return the cubic of the sorted lengths of a model, and some quantiles of them."""
    many = model.binormals(tables)
    ((_, rng),) = blocks(tables, STUDY, 1 + model.number, size=tables)
    rows = many.draw(model.n, rng)
    found = np.sort(paths.lengths(rows.pos, rows.neg, many.log_odds))
    terms = pivot.hermite(ndtri((np.arange(tables) + 0.5) / tables))
    cubic = np.linalg.lstsq(terms, found, rcond=None)[0]
    log_odds = float(model.binormals().log_odds[0])
    line = {"mean": model.mean, "spread": model.spread, "pi": model.pi, "n": model.n, "log_odds": log_odds}
    line |= {f"c{i}": c for i, c in enumerate(cubic)}
    line |= {f"q{p:g}": q for p, q in zip(LEVELS, np.quantile(found, LEVELS, method="weibull"), strict=True)}
    return [{name: x if name == "n" else float(f"{x:.6g}") for name, x in line.items()}]


def fitted(nature: Array, cubics: Array) -> Array:
    """Return the coefficients of least squares, one row for each term of the cubic."""
    return np.asarray(np.linalg.lstsq(pivot.quadratic(nature), cubics, rcond=None)[0].T, float)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    chosen = models(24 if args.quick else MODELS)
    tables = 100 if args.quick else TABLES
    lines = over(partial(lengths, tables=tables), chosen, args.processes)
    mean, log_odds = (np.array([line[name] for line in lines]) for name in ("mean", "log_odds"))
    near = pivot.fits(mean, log_odds, _nature(chosen), 1.1)
    nature = _nature(chosen)[near]
    cubics = np.array([[line[f"c{i}"] for i in range(4)] for line in lines])[near]
    there = np.array([[line[f"q{p:g}"] for p in LEVELS] for line in lines])[near]
    half = np.arange(nature.shape[0]) % 2 == 0
    terms = pivot.hermite(ndtri(np.array(LEVELS)))
    own = fitted(nature[half], cubics[half]) if not args.quick else pivot.COEFFICIENTS
    off = (pivot.quadratic(nature) @ own.T @ terms.T - there)[~half]
    density = np.exp(-(ndtri(np.array(LEVELS)) ** 2) / 2) / np.sqrt(2 * np.pi)
    checks = [
        {
            "level": p,
            "models": int(np.sum(~half)),
            "mean_difference": round(float(np.mean(off[:, i])), 4),
            "root_mean_square": round(float(np.sqrt(np.mean(off[:, i] ** 2))), 4),
            # those of the tables, of a normal pivot, and of the 200 draws of a list
            "by_tables": round(float(np.sqrt(p * (1 - p) / tables) / density[i]), 4),
            "by_200_draws": round(float(np.sqrt(p * (1 - p) / 200) / density[i]), 4),
        }
        for i, p in enumerate(LEVELS)
    ]
    if not args.quick:
        write("path_lengths", lines)
        write("path_lengths_checks", checks)
    print(shown(checks), f"\nseed {SEED}")
    if args.quick:
        return 0
    all_of_them = fitted(nature, cubics)
    print(np.array2string(all_of_them, precision=4, separator=", ", suppress_small=True))
    return int(np.max(np.abs(all_of_them - pivot.COEFFICIENTS)) > SAME)


if __name__ == "__main__":
    sys.exit(main())
