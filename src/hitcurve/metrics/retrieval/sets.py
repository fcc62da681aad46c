"""Numbers of documents, and measures of what was retrieved as a set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.metrics.retrieval.measure import Binary, flag, ratio
from hitcurve.metrics.written import keyword
from hitcurve.ragged import Places
from hitcurve.topics import RankedTopics


class _Numbers(NamedTuple):
    """Documents of each topic: retrieved, relevant, and both."""

    retrieved: Places
    relevant: Places
    found: Places


@dataclass(frozen=True)
class _OfSet(Binary):
    is_set: ClassVar[bool] = True

    def _of(self, topics: RankedTopics, level: int) -> Array:
        relevant = topics.grade >= level
        found = topics.count(relevant & (topics.rank > 0))
        return np.asarray(self._from(_Numbers(topics.retrieved, topics.count(relevant), found)), float)

    def _from(self, n: _Numbers) -> Any:
        raise NotImplementedError


@dataclass(frozen=True)
class SetP(_OfSet):
    """Precision of the retrieved documents.

    Parameters
    ----------
    relative : bool
        As a share of the highest precision of so many documents.
    rel : int, optional
        Smallest relevance of a relevant document; that of the evaluation unless given.
    judged_only : bool
        Leave documents out that were not judged.
    """

    name: ClassVar[str] = "SetP"
    relative: bool = keyword(False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "relative", flag("relative", self.relative))

    def _from(self, n: _Numbers) -> Array:
        return ratio(n.found, np.minimum(n.retrieved, n.relevant) if self.relative else n.retrieved)


@dataclass(frozen=True)
class SetR(_OfSet):
    """Recall of the retrieved documents."""

    name: ClassVar[str] = "SetR"

    def _from(self, n: _Numbers) -> Array:
        return ratio(n.found, n.relevant)


@dataclass(frozen=True)
class SetF(_OfSet):
    """F measure of what was retrieved: ``(1 + beta) P R / (R + beta P)``, as in trec_eval.

    Parameters
    ----------
    beta : float
        Relative importance of recall; trec_eval does not square it.
    rel, judged_only
        As for :class:`SetP`.
    """

    name: ClassVar[str] = "SetF"
    beta: float = keyword(1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "beta", _checks.positive_number("beta", self.beta))

    def _from(self, n: _Numbers) -> Array:
        precision, recall = ratio(n.found, n.retrieved), ratio(n.found, n.relevant)
        return ratio((1 + self.beta) * precision * recall, recall + self.beta * precision)


@dataclass(frozen=True)
class SetAP(_OfSet):
    """Precision times recall of the retrieved documents."""

    name: ClassVar[str] = "SetAP"

    def _from(self, n: _Numbers) -> Array:
        return ratio(n.found, n.retrieved) * ratio(n.found, n.relevant)


@dataclass(frozen=True)
class Utility(_OfSet):
    """Worth of what was retrieved: each relevant document counts a, each other b, each relevant one not retrieved c.

    Parameters
    ----------
    worth : three numbers
    rel, judged_only
        As for :class:`SetP`.
    """

    name: ClassVar[str] = "utility"
    worth: tuple[float, ...] = keyword((1.0, -1.0, 0.0))

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.worth
        if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 3:
            raise ParameterError(f"worth must be three numbers, got {given!r}")
        object.__setattr__(self, "worth", tuple(_checks.real_number("worth", value) for value in given))

    def _from(self, n: _Numbers) -> Array:
        a, b, c = self.worth
        return np.asarray(a * n.found + b * (n.retrieved - n.found) + c * (n.relevant - n.found))

    def _text(self, value: Any) -> str:
        return "[" + ",".join(f"{part:g}" for part in value) + "]" if isinstance(value, tuple) else super()._text(value)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return -math.inf, math.inf


@dataclass(frozen=True)
class _Number(_OfSet):
    aggregate: ClassVar[str] = "sum"

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, math.inf


@dataclass(frozen=True)
class NumRet(_Number):
    """Number of documents that were retrieved; with ``rel``, of relevant ones among them."""

    name: ClassVar[str] = "NumRet"

    def about(self, relevant_from: int) -> str:
        """Say the level if there is one."""
        return "" if self.rel is None else super().about(relevant_from)

    def _from(self, n: _Numbers) -> Any:
        return n.retrieved if self.rel is None else n.found


@dataclass(frozen=True)
class NumRel(_Number):
    """Number of relevant documents, retrieved or not."""

    name: ClassVar[str] = "NumRel"

    def _from(self, n: _Numbers) -> Any:
        return n.relevant


@dataclass(frozen=True)
class NumRelRet(_Number):
    """Number of relevant documents that were retrieved."""

    name: ClassVar[str] = "NumRelRet"

    def _from(self, n: _Numbers) -> Any:
        return n.found


@dataclass(frozen=True)
class NumQ(_Number):
    """Number of topics."""

    name: ClassVar[str] = "NumQ"

    def about(self, relevant_from: int) -> str:
        """Return nothing: relevance is of no matter."""
        return ""

    def _from(self, n: _Numbers) -> Any:
        return np.ones(n.retrieved.size)


@dataclass(frozen=True)
class NumNonrelJudgedRet(_Number):
    """Number of documents that were retrieved and judged not relevant."""

    name: ClassVar[str] = "NumNonrelJudgedRet"

    def _of(self, topics: RankedTopics, level: int) -> Array:
        chosen = (topics.rank > 0) & (topics.grade >= 0) & (topics.grade < level)
        return topics.count(chosen).astype(float)
