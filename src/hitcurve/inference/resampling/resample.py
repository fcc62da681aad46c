"""Resampling on the table: the only room with a random generator.

A replicate of one ranker is two multinomial draws over the cells of its table, after a binomial one for the number
of positives in a cohort: exact in distribution, whatever n is. Replicates come in blocks of a fixed size, each with
a generator of its own, so that neither memory nor threads change them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._callers import warn
from hitcurve._progress import tell
from hitcurve._threads import in_threads, keep_memory
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import HitcurveWarning, ParameterError, UndefinedMetricError
from hitcurve.inference.resampling.draws import binomial, multinomial
from hitcurve.inference.resampling.multinomial import Multinomial
from hitcurve.label_errors import refuse_corrected
from hitcurve.metrics import Metric
from hitcurve.sums import Sums
from hitcurve.table import HitTable

T = TypeVar("T")
BLOCK = 64  # replicates that share a generator
_CELLS = 200_000  # numbers drawn at a time in a block
_CACHED = 1 << 16  # numbers that a kernel sees at a time
_CROWDED = 32  # subjects in a cell, from which on it costs less to draw their number
_OFTEN = 1e-3  # share of draws with an empty class from which on it is said


def generator(rng: Any) -> np.random.Generator:
    """Return a random generator from None, a seed or a generator (SPEC 7).

    Raises
    ------
    ParameterError
        If it is none of these.
    """
    if isinstance(rng, np.random.RandomState):
        raise ParameterError("rng must be a seed or a numpy Generator, not a RandomState")
    try:
        if isinstance(rng, (bool, np.bool_)):  # numpy takes True for 1
            raise TypeError
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ParameterError(f"rng must be None, a seed or a numpy Generator, got {rng!r}") from None


def seeded(rng: Any, derive: Callable[[], int]) -> tuple[Any, int | None]:
    """Return the random generator and the seed to record: the seed given, or a derived one.

    A generator that was given has no seed to record.
    """
    if rng is None:
        rng = derive()
    whole = isinstance(rng, (int, np.integer)) and not isinstance(rng, bool)
    return rng, int(rng) if whole else None


def seed_of(*tables: HitTable) -> int:
    """Return a seed that follows from the counts of tables alone.

    It is the same for every order of the subjects and of the tables, every rising transformation of the scores, however
    many scores of negatives tables keep, and on every machine.
    """
    digests = sorted(_digest_of_rows(table.pos, table.neg) for table in map(_shortest, tables))
    return int.from_bytes(_digest(b"".join(digests)), "little")


def seed_of_rows(pos: AnyArray, neg: AnyArray) -> int:
    """Return the seed of the table of these rows, of which empty ones say nothing."""
    held = (pos > 0) | (neg > 0)
    return int.from_bytes(_digest(_digest_of_rows(pos[held], neg[held])), "little")


def seed_of_list(sums: Sums) -> int:
    """Return a seed that follows from the rows of one list, however they are collapsed and padded."""
    rows = sums.folded(negatives_join=False)
    return seed_of_rows(rows.pos, rows.neg)


def seed_of_values(*values: Array) -> int:
    """Return a seed that follows from values, equal up to their tenth decimal."""
    return int.from_bytes(_digest(b"".join((np.round(x, 10) + 0.0).astype("<f8").tobytes() for x in values)), "little")


def bytes_of(*columns: AnyArray) -> bytes:
    """Return what columns hold, the same on every machine."""
    return b"".join(column.astype(column.dtype.newbyteorder("<"), copy=False).tobytes() for column in columns)


def _shortest(table: HitTable) -> HitTable:
    """Return the table that all tables of the same data have in common."""
    return table.canonical().collapse()


def _digest_of_rows(pos: AnyArray, neg: AnyArray) -> bytes:
    return _digest(np.concatenate([pos, neg]).astype("<f8").tobytes())


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=4).digest()


def replicates_drawn(rows: int) -> int:
    """Return how many replicates of so many rows are drawn at a time: 200,000 numbers, one replicate at least."""
    return max(1, min(BLOCK, _CELLS // max(rows, 1)))


def replicates_at_once(rows: int) -> int:
    """Return how many replicates of so many rows a kernel sees at a time: 65,536 numbers, one replicate at least.

    So many numbers, and what a kernel makes of them, stay in the cache of a processor.
    """
    return max(1, min(BLOCK, _CACHED // max(rows, 1)))


def normal_draws(covariance: Array, count: int, rng: Any) -> Array:
    """Return draws of normal variables with mean 0 and a covariance that may be singular, one a row."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(generator(rng).standard_normal((count, values.size)) @ root.T)


def blocks(count: int, rng: Any, size: int = BLOCK) -> Iterator[tuple[int, np.random.Generator]]:
    """Yield the sizes of the blocks of so many replicates, each with its generator."""
    source = generator(rng)
    sizes = [size] * (count // size) + ([count % size] if count % size else [])
    yield from zip(sizes, source.spawn(len(sizes)), strict=True)


def in_blocks(do: Callable[[tuple[int, np.random.Generator]], T], count: int, rng: Any) -> list[T]:
    """Do the blocks of so many replicates in threads; the results are in order."""
    keep_memory()
    work, results, done = list(blocks(count, rng)), [], 0
    for (size, _), result in zip(work, in_threads(do, work), strict=True):
        results.append(result)
        done += size
        tell("replicates", done, count)
    return results


class Draws:
    """Replicates of one table."""

    def __init__(self, table: HitTable, design: str, kind: str = "nonparametric") -> None:
        _checks.choice("kind", kind, ("nonparametric", "parametric"))
        refuse_corrected(table.label_errors, "a bootstrap")
        if table.weighted:
            raise UndefinedMetricError(
                "a weighted table cannot be resampled, because it does not store the subjects: use a method by formula "
                "(of intervals, method='auto', 'logit' or 'wald')"
            )
        self.sampled = design == "cohort" and table.assumed_prevalence is None
        self.n, self.n1 = int(table.n), int(table.n_pos)
        self._prevalence = table.assumed_prevalence
        table = _shortest(table)  # other rows would be other draws
        # empty rows stay empty in every replicate
        occupied = (table.pos > 0) | (table.neg > 0)
        self.rows = int(occupied.sum())
        self._sides = [_Side(np.asarray(side, float)[occupied]) for side in (table.pos, table.neg)]

    def counts(self, size: int, rng: np.random.Generator) -> tuple[Counts, int]:
        """Return replicates as counts with a leading axis, and how many draws had an empty class.

        Their rows are those of the collapsed table that are not empty.
        """
        positives, redrawn = np.full(size, self.n1), 0
        if self.sampled:
            positives, redrawn = sizes_of_positives(self.n, self.n1, size, rng)
        sizes = (positives, self.n - positives)
        pos, neg = (side.counts(of_class, rng) for side, of_class in zip(self._sides, sizes, strict=True))
        return Counts(pos, neg, self._prevalence), redrawn


class _Side:
    """The cells of one class: the crowded ones are drawn as numbers, the subjects of all others by themselves."""

    def __init__(self, subjects: Array) -> None:
        self._crowded = np.flatnonzero(subjects >= _CROWDED)
        others = np.where(subjects < _CROWDED, subjects, 0).astype(np.int64)
        numbers = np.concatenate([[others.sum()], subjects[self._crowded]])
        self._share = numbers / numbers.sum()
        self._others = Multinomial([np.repeat(np.arange(subjects.size), others)], [subjects.size])

    def counts(self, sizes: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return how many are in each cell of samples of such sizes."""
        if not self._crowded.size:
            return self._others.counts(sizes, rng)[0]
        # shares that add to a hair above 1 are refused by numpy
        numbers = multinomial(rng, sizes, self._share / max(self._share.sum(), 1.0))
        (counts,) = self._others.counts(numbers[:, 0], rng)
        counts[:, self._crowded] = numbers[:, 1:]
        return counts


def sizes_of_positives(n: int, n1: int, size: int, rng: np.random.Generator) -> tuple[npt.NDArray[np.int64], int]:
    """Return the numbers of positives of cohorts, and how many draws had an empty class and were drawn again."""
    positives, redrawn = binomial(rng, n, n1 / n, size), 0
    while (empty := (positives == 0) | (positives == n)).any():
        redrawn += int(empty.sum())
        positives[empty] = binomial(rng, n, n1 / n, int(empty.sum()))
    return np.asarray(positives, np.int64), redrawn


def say_redraws(n: int, n1: int) -> None:
    """Warn if more than one draw in a thousand of a cohort has an empty class, which no replicate may have."""
    share = n1 / n
    empty = (1 - share) ** n + share**n
    if empty > _OFTEN:
        warn(
            HitcurveWarning(
                f"{empty:.2g} of all bootstrap draws have an empty class and are drawn again, so the replicates of so "
                "few subjects vary too little"
            )
        )


def replicates(
    table: HitTable,
    statistic: Callable[[Counts], Array],
    design: str,
    n_resamples: int,
    rng: Any = None,
    kind: str = "nonparametric",
) -> tuple[Array, float]:
    """Return a statistic of bootstrap replicates, and the share of draws that had an empty class.

    Parameters
    ----------
    statistic : callable
        Takes counts with a leading axis of replicates and returns an array with the same leading axis.
    """
    n_resamples = _checks.resamples(n_resamples)
    draws = Draws(table, design, kind)
    rng, _ = seeded(rng, lambda: seed_of(table))
    if draws.sampled:
        say_redraws(draws.n, draws.n1)
    size = replicates_drawn(draws.rows)
    batch = replicates_at_once(draws.rows)

    def do(work: tuple[int, np.random.Generator]) -> tuple[Array, int]:
        count, own = work
        values, redrawn = [], 0
        # the block is one stream of draws, taken in parts that fit the memory
        for start in range(0, count, size):
            c, again = draws.counts(min(size, count - start), own)
            redrawn += again
            parts = (slice(first, first + batch) for first in range(0, c.pos.shape[0], batch))
            values += [statistic(Counts(c.pos[part], c.neg[part], c.prevalence)) for part in parts]
        return np.concatenate(values), redrawn

    done = in_blocks(do, n_resamples, rng)
    redrawn = sum(again for _, again in done)
    return np.concatenate([values for values, _ in done]), redrawn / (n_resamples + redrawn)


def kernels(metrics: Sequence[Metric]) -> Callable[[Counts], Array]:
    """Return the function that evaluates several metrics on replicates, metrics on the last axis."""
    return lambda c: np.stack([np.asarray(m.value(c), float) for m in metrics], axis=-1)


def bootstrap(
    table: HitTable,
    metrics: Metric | str | Sequence[Metric | str],
    *,
    n_resamples: int = 2000,
    kind: str = "nonparametric",
    design: str | None = None,
    rng: Any = None,
) -> Any:
    """Draw bootstrap replicates of metrics of one table.

    Parameters
    ----------
    table : HitTable
        Without weights.
    metrics : Metric, str, or a sequence of these
    n_resamples : int
    kind : {"nonparametric", "parametric"}
        Subjects are drawn with replacement, or cells from the multinomial model of Su, Yuan and Zhu (2015). On a
        table the two are one and the same draw.
    design : {"cohort", "case-control"}, optional
        Whether the number of positives is drawn as well. A cohort, unless the prevalence of the table was set.
    rng : None, int or numpy.random.Generator
        None derives a seed from the counts of the table, so that two calls return the same replicates.

    Returns
    -------
    array (n_resamples,), or (n_resamples, number of metrics) for several

    Raises
    ------
    ParameterError
        If an argument is none of these.
    UndefinedMetricError
        If the table has weights.

    Examples
    --------
    >>> from hitcurve import HitTable
    >>> t = HitTable.from_counts(pos=[10, 18, 25], neg=[1, 11, 44])
    >>> values = bootstrap(t, "auc", n_resamples=500, rng=0)
    >>> values.shape, round(float(values.std()), 2)
    ((500,), 0.04)
    """
    from hitcurve.inference.design import resolve
    from hitcurve.metrics import metrics as read

    if not isinstance(table, HitTable):
        raise ParameterError(
            f"a HitTable is resampled, as HitTable.from_scores(y, s) gives, got {type(table).__name__}"
        )
    wanted = read(metrics)
    n_resamples = _checks.resamples(n_resamples, numbers=len(wanted))
    how = resolve(design, table.assumed_prevalence)
    values, _ = replicates(table, kernels(wanted), how, n_resamples, rng, kind)
    several = not (isinstance(metrics, str) or hasattr(metrics, "kernel"))
    return values if several else values[:, 0]
