"""What every source delivers: blocks of subjects with labels known, high scores good, nothing missing."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve._threads import in_pieces
from hitcurve.errors import (
    EmptyInputError,
    GridMismatchError,
    InputError,
    MissingValueError,
    ParameterError,
    WeightError,
)
from hitcurve.immutable import ReadOnly, Viewed
from hitcurve.sources import columns, labels
from hitcurve.sources.codes import GroupCodes
from hitcurve.sources.named import codes_of
from hitcurve.sources.tally import Tally

T = TypeVar("T")
MISSING = ("raise", "drop", "last")


@dataclass(frozen=True)
class Reading:
    """How columns become a block.

    Attributes
    ----------
    pos_label : object
        Label of the positives, or None if it is unambiguous.
    higher_is_better : bool or mapping of ranker to bool
        A ranker that the mapping does not name has high scores first.
    missing : {"raise", "drop", "last"}
    unlabelled : bool
        Whether a subject without a label is an unlabelled one, instead of one whose label is missing.
    """

    pos_label: Any = None
    higher_is_better: bool | Mapping[str, bool] = True
    missing: str = "raise"
    unlabelled: bool = False

    def __post_init__(self) -> None:
        if type(self.higher_is_better) is dict:
            object.__setattr__(self, "higher_is_better", ReadOnly(self.higher_is_better))
        _checks.choice("missing", self.missing, MISSING)
        _checks.one_label(self.pos_label)
        named = isinstance(self.higher_is_better, Mapping)
        for value in self.higher_is_better.values() if named else [self.higher_is_better]:  # type: ignore[union-attr]
            if not isinstance(value, (bool, np.bool_)):
                raise ParameterError(f"higher_is_better must be True or False, got {value!r}")

    def is_high_good(self, ranker: str) -> bool:
        """Return the direction of one ranker."""
        high = self.higher_is_better
        return bool(high.get(ranker, True) if isinstance(high, Mapping) else high)

    @property
    def positive_number(self) -> float | None:
        """The label of the positives as a number, where labels are numbers and no others are positive; else None."""
        if self.unlabelled:
            return None
        try:
            number = 1.0 if self.pos_label is None else labels.number_of(self.pos_label)
        except (TypeError, ValueError):
            return None
        return float(number) if abs(number) < 2**53 else None

    def check_rankers(self, rankers: tuple[str, ...]) -> None:
        """Refuse a direction for a ranker that is not there."""
        for name in self.higher_is_better if isinstance(self.higher_is_better, Mapping) else ():
            if name not in rankers:
                near = _checks.did_you_mean(name, rankers)
                raise ParameterError(f"higher_is_better names {name!r}, which is not a ranker{near}")

    def block(
        self,
        y_true: Any,
        scores: Mapping[str, Any],
        weight: Any = None,
        *,
        cluster: Any = None,
        group: Any = None,
        first_row: int = 0,
        whole: bool = False,
        unit: float | None = None,
    ) -> Block:
        """Clean the columns of some subjects.

        Parameters
        ----------
        y_true, scores, weight, cluster, group : array-like
            Columns; clusters and groups may come as `GroupCodes`.
        first_row : int
            The place of the first subject in all the data.
        whole : bool
            Whether these are all subjects: what their labels lack, no other block has.
        unit : float, optional
            What every subject of all the data weighs, where that is known.
        """
        label, filled = columns.labels("y_true", y_true), 0
        known: frozenset[Any] | None = None
        if self.unlabelled and label.gone is not None:
            there, filled = ~label.gone, int(label.gone.sum())
            marked = np.zeros(label.values.size, bool)
            marked[there], known = labels.encode(label.values[there], self.pos_label, whole=False)
            label = columns.Column(marked, None)
        raw = {name: columns.scores(name, values) for name, values in scores.items()}
        parts = {"y_true": label.values, **{name: column.values for name, column in raw.items()}}
        weighing = None if weight is None else columns.weight_column(weight, first_row)
        if weighing is not None:
            parts["sample_weight"] = weighing.values
        clusters = None if cluster is None else _codes("clusters", cluster)
        groups = None if group is None else _codes("groups", group)
        if clusters is not None:
            parts["clusters"] = clusters.codes
        if groups is not None:
            parts["groups"] = groups.codes
        rows = _checks.same_length(parts)
        if not rows:
            raise EmptyInputError("the input has no rows")
        weightless = None if weighing is None else weighing.gone
        keep = self._keep(rows, label.gone, {name: column.gone for name, column in raw.items()}, weightless, first_row)
        weights = None if weighing is None else weighing.values
        gone = label.gone
        unlabelled = 0 if gone is None else int(gone.sum())
        if keep is not None:
            label = label.kept(keep)
            raw = {name: column.kept(keep) for name, column in raw.items()}
            weights = None if weights is None else weights[keep]
            clusters = None if clusters is None else clusters.kept(keep)
            groups = None if groups is None else groups.kept(keep)
        unseen = None if weighing is None or gone is None or not unlabelled else weighing.values[gone]
        common = columns.common_weight(weights) if unit is None else unit
        # of a part of the data, which others may outweigh, only what is a count for sure
        if common is not None and (whole or common in (1, unit)):
            weights = None
        if known is None:
            positive, vocabulary = labels.encode(label.values, self.pos_label, whole=whole)
        else:
            positive, vocabulary = label.values, known
        ranked_last = dict.fromkeys(raw, 0)
        oriented = {}
        for name, (values, gone) in raw.items():
            oriented[name] = columns.oriented(values, self.is_high_good(name))
            if self.missing == "last" and gone is not None:
                ranked_last[name] = int(gone.sum())
                oriented[name] = columns.ranked_last(oriented[name], gone)
        tally = Tally(rows, rows - label.values.size, ranked_last, vocabulary, unlabelled, filled)
        return Block(positive, oriented, weights, tally, self, clusters, groups, common or 1.0, None, keep, unseen)

    def _keep(
        self,
        rows: int,
        unlabelled: npt.NDArray[np.bool_] | None,
        absent: Mapping[str, npt.NDArray[np.bool_] | None],
        weightless: npt.NDArray[np.bool_] | None,
        first_row: int,
    ) -> npt.NDArray[np.bool_] | None:
        """Return the rows to keep under the policy, None for all."""
        masks = {"label": unlabelled, **{f"score {name!r}": mask for name, mask in absent.items()}}
        gone = {name: mask for name, mask in masks.items() if mask is not None}
        if gone and self.missing == "raise":
            name, mask = next(iter(gone.items()))
            raise missing_error(name, int(mask.sum()), rows)
        if weightless is not None:
            if self.missing != "drop":
                raise WeightError(
                    f"{columns.missing_weight(first_row + int(np.argmax(weightless)))}; use missing='drop' (--missing "
                    "drop) to drop rows without a weight"
                )
            gone["weight"] = weightless
        if not gone:
            return None
        if self.missing == "last":
            if unlabelled is not None:
                raise missing_error("label", int(unlabelled.sum()), rows)
            return None
        return np.asarray(~np.logical_or.reduce(list(gone.values())))


def _codes(what: str, given: Any) -> GroupCodes:
    return given if isinstance(given, GroupCodes) else codes_of(what, given)


def missing_error(name: str, count: int, rows: int) -> MissingValueError:
    """Return the refusal of missing values, with what can be done about them."""
    advice = "drop those rows with missing='drop' (--missing drop)"
    if name == "label":
        advice += "; for subjects that are unlabelled or not verified see unlabelled and verification of evaluate"
    else:
        advice += " or rank them last with missing='last' (--missing last)"
    return MissingValueError(f"{count} of {rows} values of {name} are missing: {advice}")


@dataclass(frozen=True)
class Block(Viewed):
    """Some subjects, ready to be counted.

    Attributes
    ----------
    positive : array of bool (n,)
    scores : mapping of ranker to array (n,)
        High is good, nothing is missing.
    weight : array (n,) or None
        None also where all subjects weigh the same: weights have no unit, and equal ones are counts.
    tally : Tally
    reading : Reading
        How the columns were read, so that a grid can be turned the same way.
    cluster : GroupCodes or None
        The clusters within which subjects depend on each other.
    group : GroupCodes or None
        The groups within which subjects are ranked.
    unit : float
        What every subject weighs, where all weigh the same.
    explains : array (n, d) or None
        What a fit of the weights takes of the influence of each subject, in directions of unit information.
    kept : array of bool (rows,) or None
        Of the rows that were read, those that are subjects here; None if all are, or if it is not known.
    unseen : array of float or None
        Weights of the rows without a label, nan where missing; None without weights or such rows.
    """

    positive: npt.NDArray[np.bool_]
    scores: Mapping[str, npt.NDArray[Any]]
    weight: npt.NDArray[np.float64] | None
    tally: Tally
    reading: Reading = field(repr=False)
    cluster: GroupCodes | None = None
    group: GroupCodes | None = None
    unit: float = 1.0
    explains: npt.NDArray[np.float64] | None = None
    kept: npt.NDArray[np.bool_] | None = None
    unseen: npt.NDArray[np.float64] | None = None

    @cached_property
    def lists(self) -> tuple[tuple[str, ...], npt.NDArray[np.intp]]:
        """The names of the groups that are here, and for each subject the place of its group among them.

        Names are text, in no particular order.

        Raises
        ------
        InputError
            If groups that differ as values are one as text.
        """
        if self.group is None:
            raise ParameterError("the subjects have no groups")
        texts = self.group.texts
        codes = np.asarray(self.group.codes, np.intp)
        if len(set(texts)) == len(texts):
            return texts, codes
        of_text: dict[str, Any] = {}
        for text, name in zip(texts, self.group.names.tolist(), strict=True):
            if of_text.setdefault(text, name) != name:
                raise InputError(
                    f"two groups are called {text!r}, as values of type {type(of_text[text]).__name__} and of type "
                    f"{type(name).__name__}: give them different names"
                )
        places = {text: place for place, text in enumerate(of_text)}
        return tuple(places), np.array([places[text] for text in texts], np.intp)[codes]

    @property
    def nbytes(self) -> int:
        """How much memory the columns take; the objects of columns of objects are not counted."""
        codes = [None if named is None else named.codes for named in (self.group, self.cluster)]
        columns = [self.positive, *self.scores.values(), self.weight, *codes, self.explains, self.unseen]
        return sum(column.nbytes for column in columns if column is not None)

    def weights(self, unit: float) -> npt.NDArray[np.float64] | None:
        """Return the weight of each subject over that of a subject of a table, None where all weigh as much."""
        if self.weight is None:
            return None if self.unit == unit else np.full(self.positive.size, self.unit / unit)
        return self.weight if unit == 1 else self.weight / unit

    def of_group(self, name: str) -> Block | None:
        """Return the subjects of a group in their order; None if the group is empty."""
        names, code = self.lists
        return self.at(np.flatnonzero(code == names.index(name))) if name in names else None

    @cached_property
    def groups(self) -> dict[str, Block]:
        """The subjects of each group that is here, by its name; rows keep their order."""
        names, code = self.lists
        order = np.argsort(code, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(code, minlength=len(names))))[:-1]
        return ReadOnly({name: self.at(part) for name, part in zip(names, parts, strict=True)})

    def among(self, groups: Container[str]) -> Block:
        """Return the subjects of some groups, by their names, as one list."""
        names, code = self.lists
        return self.at(np.flatnonzero(np.array([name in groups for name in names], bool)[code]))

    def at(self, part: npt.NDArray[np.intp]) -> Block:
        """Return the subjects at some places, in that order, without their groups."""
        weight = None if self.weight is None else self.weight[part]
        unit = columns.common_weight(weight)
        return Block(
            self.positive[part],
            {name: values[part] for name, values in self.scores.items()},
            weight if unit is None else None,
            # what was dropped is known of the whole block only
            Tally(part.size, 0, dict.fromkeys(self.scores, 0), self.tally.vocabulary),
            self.reading,
            None if self.cluster is None else self.cluster.taken(part),
            unit=unit or self.unit,
            explains=None if self.explains is None else self.explains[part],
        )

    @cached_property
    def n_pos(self) -> int:
        """How many of the subjects are positive."""
        return int(sum(in_pieces(np.count_nonzero, self.positive)))

    def positive_scores(self, ranker: str) -> npt.NDArray[Any]:
        """Return the scores of the positives, a new array."""
        scores, positive, at = self.scores[ranker], self.positive, 0
        found = np.empty(self.n_pos, scores.dtype)
        for part in in_pieces(np.ndarray.compress, scores, positive):
            found[at : at + part.size] = part
            at += part.size
        return found

    def oriented_grid(self, ranker: str, grid: npt.ArrayLike) -> npt.NDArray[Any]:
        """Turn scores given from outside into the direction of the block; floats take its precision."""
        given, gone = columns.scores("grid", grid)
        values, kept = columns.oriented(given, self.reading.is_high_good(ranker)), self.scores[ranker].dtype
        if gone is not None or not given.size:
            raise GridMismatchError("a grid must contain at least one score, and no missing score")
        if kept.kind != values.dtype.kind and any(map(columns.beyond_floats, (values, self.scores[ranker]))):
            raise GridMismatchError("whole numbers beyond 2^53 are not counted on a grid of another kind")
        return values.astype(kept if kept.kind == values.dtype.kind == "f" else np.result_type(kept, values))


class Source(Protocol):
    """Any data: it answers one question."""

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the score columns."""

    @property
    def reading(self) -> Reading:
        """How the columns are read."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened on the way from the data to the subjects, in words."""

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to every block and combine the results, in a fixed order."""


class OfAnother:
    """A source whose subjects are those of another, or some of them."""

    whole: Source

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the score columns."""
        return self.whole.rankers

    @property
    def reading(self) -> Reading:
        """How the columns are read."""
        return self.whole.reading


@dataclass(frozen=True)
class OfBlock:
    """A source whose columns are those of a block in memory.

    Attributes
    ----------
    block : Block
    """

    block: Block

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the score columns."""
        return tuple(self.block.scores)

    @property
    def reading(self) -> Reading:
        """How the columns were read."""
        return self.block.reading
