"""Subjects only some of whose labels are verified: the others are left out, and these weigh for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from hitcurve import rows
from hitcurve._cached import cached_property
from hitcurve.errors import InputError, MissingValueError, ParameterError, WeightError
from hitcurve.sources import columns
from hitcurve.sources.block import Block, OfAnother, Source
from hitcurve.sources.memory import MemorySource, arrays

T = TypeVar("T")
Array = npt.NDArray[np.float64]
_MOST_STEPS = 50
_RANGE = "verification probabilities must be above 0 and at most 1"
_FAR = 4  # standard errors of the number of verified labels
_SURE = 1e-9  # a probability so near 0 that no subject like it is verified


@dataclass(frozen=True, eq=False)
class Verified(OfAnother):
    """A source whose weights are the probabilities with which labels were verified, which are known.

    Attributes
    ----------
    whole : Source
        It drops rows without a label.
    name : str
        Of the probabilities, in words.
    may_drop : bool
        Whether rows that miss a score or a probability may be dropped too.
    doubts : tuple of str
        What speaks against the probabilities, in words.
    """

    whole: Source
    name: str
    may_drop: bool
    doubts: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened on the way from the data to the subjects, in words."""
        labelled, without = self._numbers
        return (
            *self.whole.notes,
            f"labels of {labelled:,} of {labelled + without:,} subjects are verified: each weighs the inverse of its "
            f"verification probability ({self.name})",
            *self.doubts,
        )

    @cached_property
    def _numbers(self) -> tuple[int, int]:
        def of(block: Block) -> tuple[int, int]:
            return block.positive.size, block.tally.unlabelled

        return self.whole.reduce(of, lambda a, b: (a[0] + b[0], a[1] + b[1]))

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to every block and combine the results, in the order of the source."""

        def of(block: Block) -> tuple[T, _Checked]:
            return map(_weighed(block)), _Checked.of_block(block)

        def both(a: tuple[T, _Checked], b: tuple[T, _Checked]) -> tuple[T, _Checked]:
            return combine(a[0], b[0]), a[1].merged(b[1])

        with _in_words():
            # sources say where in a file a weight is wrong, so what is wrong as a probability only is said afterwards
            found, checked = self.whole.reduce(of, both)
        checked.check(" of verified labels", may_drop=self.may_drop)
        return found


class _Checked(NamedTuple):
    """How many probabilities are none, up to how large they are, and how many such subjects miss something else."""

    number: int
    none: int
    above: int
    most: float
    missing: int = 0

    @classmethod
    def of(cls, chance: Array, missing: int = 0) -> _Checked:
        """Look through probabilities."""
        return cls(chance.size, int(np.sum(chance <= 0)), int(np.sum(chance > 1)), chance.max(initial=0.0), missing)

    @classmethod
    def of_block(cls, block: Block) -> _Checked:
        """Look through the verified subjects of a block."""
        chance = np.full(block.positive.size, block.unit) if block.weight is None else block.weight
        return cls.of(chance, block.tally.dropped - block.tally.unlabelled)

    def merged(self, other: _Checked) -> _Checked:
        """Merge with another block."""
        number, none, above = self.number + other.number, self.none + other.none, self.above + other.above
        return _Checked(number, none, above, max(self.most, other.most), self.missing + other.missing)

    def check(self, whose: str = "", *, may_drop: bool) -> None:
        """Refuse what is no probability, and subjects that miss something.

        Raises
        ------
        MissingValueError, WeightError
        """
        if self.missing and not may_drop:
            raise MissingValueError(
                f"a score or a verification probability is missing for {self.missing:,} of the subjects with a "
                "verified label: drop those rows with missing='drop' (--missing drop)"
            )
        counts = {"0 or less": self.none, f"more than 1, up to {rows.short(self.most)}": self.above}
        odd = [f"{count:,} {'is' if count == 1 else 'are'} {words}" for words, count in counts.items() if count]
        if odd:
            advice = "; leave out subjects that could not be verified: no label weighs for them" if self.none else ""
            raise WeightError(f"{_RANGE}, and of {self.number:,}{whose} {' and '.join(odd)}{advice}")


def _weighed(block: Block) -> Block:
    """Return the verified subjects of a block with weights; those without a label were never read."""
    tally = block.tally
    kept = replace(tally, rows=tally.rows - tally.unlabelled, dropped=tally.dropped - tally.unlabelled)
    if block.weight is None:
        return replace(block, unit=1 / block.unit, tally=kept)
    weight = np.divide(1.0, block.weight, out=np.ones(block.weight.shape), where=block.weight > 0)
    return replace(block, weight=weight, tally=kept)


@contextmanager
def _in_words() -> Iterator[None]:
    """Say of a weight that is none that it is no probability."""
    try:
        yield
    except InputError as error:
        text = str(error).replace("weights must be finite and at least 0", _RANGE)
        text = text.replace("weights must be", "verification probabilities must be")
        raise type(error)(text.replace("sample_weight", "verification")) from None


class Fit(NamedTuple):
    """A logistic regression of being verified on covariates.

    Attributes
    ----------
    chance : array (n,)
        Probability of each subject.
    explains : array (n, d)
        What the fit takes of the influence of a verified subject, in directions of unit information.
    """

    chance: Array
    explains: Array


def fitted(
    y_true: Any, scores: Mapping[str, Any], covariates: Mapping[str, Any] | None, **options: Any
) -> MemorySource:
    """Return the verified subjects, with the inverse of their estimated verification probabilities as weights.

    Parameters
    ----------
    y_true : array-like (n,)
        Labels, missing where they are not verified.
    scores : mapping of str to array-like (n,)
    covariates : mapping of str to array-like (n,), or None
        What the probabilities are estimated from: the scores if absent.
    **options
        As of :func:`~hitcurve.sources.arrays`.

    Raises
    ------
    InputError
        One of its kinds: if a covariate is not of finite numbers, or tells exactly who is verified.
    """
    label = columns.labels("y_true", y_true)
    if label.gone is None:
        raise InputError("every label is there, so there is no verification to estimate: leave out verification")
    there = ~label.gone
    used = {name: columns.scores(name, values) for name, values in (covariates or scores).items()}
    what = []
    for name, (values, gone) in used.items():
        if values.size != there.size:
            raise InputError(f"the covariate {name!r} has {values.size} values, and there are {there.size} labels")
        if gone is not None or not np.all(np.isfinite(np.asarray(values, float))):
            raise MissingValueError(f"the covariate {name!r} of the verification has a missing or infinite value")
        what.append(np.asarray(values, float))
    fit = _fit(there, np.stack(what, axis=1), list(used))
    kept = {name: columns.vector(name, values).values[there] for name, values in scores.items()}
    source = arrays(label.values[there], kept, weight=1 / fit.chance[there], **options)
    if source.block.positive.size != int(there.sum()):
        raise MissingValueError("a score of a verified subject is missing: estimate verification from complete scores")
    block = replace(source.block, explains=fit.explains[there], kept=there)
    low, high = float(fit.chance[there].min()), float(fit.chance[there].max())
    note = (
        f"labels of {int(there.sum()):,} of {there.size:,} subjects are verified: each weighs the inverse of its "
        f"verification probability ({rows.short(low)} to {rows.short(high)}), estimated by logistic regression on "
        f"{rows.listed(list(used))}"
    )
    return MemorySource(block, (*source.notes, note))


def _fit(verified: npt.NDArray[np.bool_], given: Array, names: list[str]) -> Fit:
    """Fit by Newton's method on standardised covariates; halve steps that make the likelihood worse.

    Raises
    ------
    InputError
        If the covariates separate subjects with and without a label.
    """
    from scipy.special import expit

    spread = given.std(axis=0)
    x = np.column_stack([np.ones(len(given)), (given - given.mean(axis=0)) / np.where(spread > 0, spread, 1.0)])
    beta = np.zeros(x.shape[1])

    def loss(beta: Array) -> float:
        eta = x @ beta
        return float(np.sum(np.logaddexp(0, eta) - verified * eta))

    for _ in range(_MOST_STEPS):
        chance = np.asarray(expit(x @ beta))
        information = (x * (chance * (1 - chance))[:, None]).T @ x
        step = np.linalg.pinv(information, hermitian=True) @ (x.T @ (verified - chance))
        now, size = loss(beta), 1.0
        while loss(beta + size * step) > now and size > 1e-6:
            size /= 2
        beta = beta + size * step
        if np.max(np.abs(size * step)) < 1e-10:
            break
    chance = np.asarray(expit(x @ beta))
    if np.min(chance) < _SURE:
        raise InputError(
            f"{rows.listed(names)} tell exactly which labels are verified, so labels of the others cannot be weighed "
            "for: there is no subject like them with a label"
        )
    information = (x * (chance * (1 - chance))[:, None]).T @ x
    values, vectors = np.linalg.eigh(information)
    held = values > 1e-10 * values.max()
    root = vectors[:, held] / np.sqrt(values[held])
    return Fit(chance, (1 - chance)[:, None] * (x @ root))


def verified_source(
    y_true: Any, scores: Mapping[str, Any], verification: Any, name: str, *, missing: str, **options: Any
) -> Source:
    """Return the subjects whose labels are verified, with weights.

    Parameters
    ----------
    y_true : array-like (n,)
        Labels, missing where they are not verified.
    scores : mapping of str to array-like (n,)
    verification : array-like (n,), mapping of str to array-like (n,), or True
        Known probabilities; covariates or, if True, scores from which they are estimated.
    name : str
        Of the probabilities, in words.

    Raises
    ------
    InputError
        One of its kinds.
    """
    if verification is not True and isinstance(verification, bool):
        raise ParameterError("verification must be probabilities, covariates, or True for the scores, got False")
    if missing == "last":
        raise ParameterError("missing='last' cannot be combined with verification: use 'raise' or 'drop'")
    if verification is True or isinstance(verification, Mapping):
        if options.get("cluster") is not None or options.get("group") is not None or missing == "drop":
            raise ParameterError(
                "verification by logistic regression cannot be combined with clusters, groups and missing='drop': give "
                "known probabilities"
            )
        if isinstance(verification, Mapping) and not verification:
            raise ParameterError("verification has no covariate: name some, or give True for the scores")
        return fitted(y_true, scores, None if verification is True else verification, **options)
    with _in_words():
        found = arrays(y_true, scores, weight=verification, missing="drop", **options)
    return Verified(found, name, may_drop=missing == "drop", doubts=_against(y_true, verification))


def _against(y_true: Any, verification: Any) -> tuple[str, ...]:
    """Compare the probabilities with who was verified.

    Raises
    ------
    WeightError
        If a label is missing that is verified for sure, or a probability is none, with a label or without.
    """
    unseen = columns.labels("y_true", y_true).gone
    given = columns.vector("verification", verification).values
    if unseen is None or given.shape != unseen.shape or given.dtype.kind not in "fiub":
        return ()
    chance = given.astype(float)
    known = np.isfinite(chance)
    p, there = chance[known], ~unseen[known]
    _Checked.of(p).check(may_drop=False)
    if np.any(sure := (p == 1) & ~there):
        raise WeightError(
            f"{int(sure.sum()):,} subjects have the verification probability 1 and no label: a label that is verified "
            "for sure is there; give the probabilities with which labels were verified"
        )
    error = float(np.sum(np.clip(p * (1 - p), 0, None))) ** 0.5
    away = int(there.sum()) - float(p.sum())
    if abs(away) <= _FAR * error + _SURE * p.size:
        return ()
    return (
        f"the verification probabilities add up to {rows.short(float(p.sum()))} verified labels, and there are "
        f"{int(there.sum()):,}: check that labels were verified with these probabilities",
    )
