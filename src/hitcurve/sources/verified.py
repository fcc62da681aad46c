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
from hitcurve._checks import in_percent
from hitcurve.errors import InputError, MissingValueError, ParameterError, WeightError
from hitcurve.sources import columns
from hitcurve.sources.alignment import aligned
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
    """

    whole: Source
    name: str
    may_drop: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened on the way from the data to the subjects, in words."""
        of = self._probabilities
        return (
            *self.whole.notes,
            f"labels of {of.labelled:,} of {of.labelled + of.unlabelled:,} subjects are verified: each weighs the "
            f"inverse of its verification probability ({self.name})",
            *of.doubts,
        )

    @cached_property
    def _probabilities(self) -> _Probabilities:
        with _in_words():
            return self.whole.reduce(_Probabilities.of, _Probabilities.merged)

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to every block and combine the results, in the order of the source."""

        def of(block: Block) -> tuple[T, _Probabilities]:
            return map(_weighed(block)), _Probabilities.of(block)

        def both(a: tuple[T, _Probabilities], b: tuple[T, _Probabilities]) -> tuple[T, _Probabilities]:
            return combine(a[0], b[0]), a[1].merged(b[1])

        with _in_words():
            # sources say where in a file a weight is wrong, so what is wrong as a probability only is said afterwards
            found, probabilities = self.whole.reduce(of, both)
        probabilities.check(may_drop=self.may_drop)
        return found


class _Probabilities(NamedTuple):
    """What the verification probabilities of some rows say: of those with a verified label, and of all others.

    Attributes
    ----------
    labelled, unlabelled : int
        Verified subjects that are kept, and rows without a label.
    none, above, sure : int
        Probabilities of 0 or less, of more than 1, and of 1 without a label.
    most : float
        The largest.
    total, variance : float
        Sums of p and of p(1 - p).
    lost, unknown : int
        Verified subjects that miss a score or a probability, and rows without a label that miss a probability.
    """

    labelled: int
    unlabelled: int
    none: int
    above: int
    sure: int
    most: float
    total: float
    variance: float
    lost: int
    unknown: int

    @classmethod
    def of(cls, block: Block) -> _Probabilities:
        """Look through a block of which rows without a label were dropped."""
        own = np.full(block.positive.size, block.unit) if block.weight is None else block.weight
        unseen = np.zeros(0) if block.unseen is None else block.unseen
        others = unseen[np.isfinite(unseen)]
        p = np.concatenate([own, others])
        return cls(
            own.size,
            block.tally.unlabelled,
            int(np.sum(p <= 0)),
            int(np.sum(p > 1)),
            int(np.sum(others == 1)),
            float(p.max(initial=0.0)),
            float(p.sum()),
            float(np.sum(np.clip(p * (1 - p), 0, None))),
            block.tally.dropped - block.tally.unlabelled,
            unseen.size - others.size,
        )

    def merged(self, other: _Probabilities) -> _Probabilities:
        """Merge with another block."""
        pairs = zip(self._asdict().items(), other, strict=True)
        added: dict[str, Any] = {name: a + b for (name, a), b in pairs}
        return _Probabilities(**added | {"most": max(self.most, other.most)})

    def check(self, *, may_drop: bool) -> None:
        """Refuse what is no probability, and verified subjects that miss something.

        Raises
        ------
        MissingValueError, WeightError
        """
        if self.lost and not may_drop:
            raise MissingValueError(
                f"a score or a verification probability is missing for {self.lost:,} of the subjects with a verified "
                "label: drop those rows with missing='drop' (--missing drop)"
            )
        counts = {"0 or less": self.none, f"more than 1, up to {rows.short(self.most)}": self.above}
        odd = [f"{count:,} {'is' if count == 1 else 'are'} {words}" for words, count in counts.items() if count]
        if odd:
            advice = "; leave out subjects that could not be verified: no label weighs for them" if self.none else ""
            number = self.labelled + self.unlabelled - self.unknown
            raise WeightError(f"{_RANGE}, and of {number:,} rows {' and '.join(odd)}{in_percent(self.most)}{advice}")
        if self.sure:
            raise WeightError(
                f"{self.sure:,} {'subject has' if self.sure == 1 else 'subjects have'} the verification probability 1 "
                "and no label: a label that is verified for sure is there; give the probabilities with which labels "
                "were verified"
            )

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against the probabilities, in words; nothing where some are missing."""
        away = self.labelled - self.total
        rounding = _SURE * (self.labelled + self.unlabelled)
        if not self.unlabelled or self.lost or self.unknown or abs(away) <= _FAR * self.variance**0.5 + rounding:
            return ()
        return (
            f"the verification probabilities add up to {rows.short(self.total)} verified labels, and there are "
            f"{self.labelled:,}: check that labels were verified with these probabilities",
        )


def _weighed(block: Block) -> Block:
    """Return the verified subjects of a block with weights; those without a label were never read."""
    tally = block.tally
    kept = replace(tally, rows=tally.rows - tally.unlabelled, dropped=tally.dropped - tally.unlabelled)
    if block.weight is None:
        return replace(block, unit=1 / block.unit, tally=kept, unseen=None)
    weight = np.divide(1.0, block.weight, out=np.ones(block.weight.shape), where=block.weight > 0)
    return replace(block, weight=weight, tally=kept, unseen=None)


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
    named = {f"covariate {name!r}": name for name in covariates or ()}
    beside = {key: (covariates or {})[name] for key, name in named.items()}
    y_true, scores, beside, notes = _in_one_order(y_true, scores, beside)
    used = {named[key]: values for key, values in beside.items()} or scores
    label = columns.labels("y_true", y_true)
    if label.gone is None:
        raise InputError("every label is there, so there is no verification to estimate: leave out verification")
    there = ~label.gone
    what = []
    for name, given in used.items():
        values, gone = columns.scores(name, given)
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
    return MemorySource(block, (*notes, note))


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
    beside = {"verification": verification, "clusters": options.pop("cluster", None)}
    y_true, scores, beside, notes = _in_one_order(y_true, scores, {**beside, "groups": options.pop("group", None)})
    options |= {"cluster": beside["clusters"], "group": beside["groups"]}
    with _in_words():
        found = arrays(y_true, scores, weight=beside["verification"], missing="drop", **options)
    return Verified(replace(found, notes=notes), name, may_drop=missing == "drop")


def _in_one_order(
    y_true: Any, scores: Mapping[str, Any], others: Mapping[str, Any]
) -> tuple[Any, dict[str, Any], dict[str, Any], tuple[str, ...]]:
    """Return labels, scores and other columns in one order, and what was done, in words."""
    named = {f"score {name!r}": name for name in scores}
    found, notes = aligned({"y_true": y_true, **{key: scores[name] for key, name in named.items()}, **others})
    own = {name: found[key] for key, name in named.items()}
    return found["y_true"], own, {name: found[name] for name in others}, notes
