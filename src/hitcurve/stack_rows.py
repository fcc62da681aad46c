"""What the rows of a stack of hit tables say of each list: numbers of subjects, units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, units
from hitcurve._cached import cached_property
from hitcurve.assumed import Assumed
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import CountError, LengthMismatchError, ParameterError
from hitcurve.immutable import ReadOnly
from hitcurve.ragged import Places
from hitcurve.stored import Storable
from hitcurve.sums import Sums
from hitcurve.table_rows import Kind


@dataclass(frozen=True, eq=False)
class StackRows(Storable):
    """The rows of many ranked lists; see :class:`hitcurve.TableStack`, which makes and changes them."""

    pos: AnyArray
    neg: AnyArray
    starts: Places
    names: tuple[str, ...]
    kind: Kind
    grid: AnyArray | None = None
    pos_squares: Array | None = None
    neg_squares: Array | None = None
    assumed_prevalence: Assumed = None
    unit: units.Unit = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.places) < len(self.names):
            _checks.distinct("list", self.names)
        _checks.choice("kind", self.kind, get_args(Kind))
        rows = self.pos.size
        fits = self.starts.size == len(self.names) + 1 and self.starts[0] == 0 and self.starts[-1] == rows
        if not fits or np.any(self.starts[1:] < self.starts[:-1]):
            raise ParameterError(
                f"starts must be the first row of each of {len(self.names):,} lists, ascending from 0, and then the "
                f"number of rows, {rows:,}: make a stack with from_scores or from_tables"
            )
        for name, column in zip(Sums._fields, self.sums, strict=True):
            if column is not None and column.size != rows:
                raise LengthMismatchError(f"lengths differ: pos has {rows:,}, {name} has {column.size:,}")
            if column is not None and rows and column.min() < 0:
                raise CountError(f"{name} must be at least 0 in each row, got {column.min():g}")

    @property
    def sums(self) -> Sums:
        """The columns, with their sums of squared weights."""
        return Sums(self.pos, self.neg, self.pos_squares, self.neg_squares)

    @property
    def weighted(self) -> bool:
        """Whether some list holds sums of weights."""
        return self.pos_squares is not None

    @cached_property
    def units(self) -> Array:
        """The unit of each list; nan for lists of sums of weights."""
        return units.of_each(self.unit, self.weighted, len(self))

    @property
    def whole(self) -> npt.NDArray[np.bool_]:
        """Whether each list holds counts of subjects."""
        return ~np.isnan(self.units)

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each name."""
        return ReadOnly({name: place for place, name in enumerate(self.names)})

    def __len__(self) -> int:
        """Return the number of lists."""
        return len(self.names)

    def _each(self, column: AnyArray) -> AnyArray:
        return np.asarray(np.add.reduceat(column, self.starts[:-1]))

    @cached_property
    def n_pos(self) -> AnyArray:
        """Number of positives (sum of weights) of each list."""
        return self._each(self.pos)

    @cached_property
    def n_neg(self) -> AnyArray:
        """Number of negatives (sum of weights) of each list."""
        return self._each(self.neg)

    @property
    def n(self) -> AnyArray:
        """Number of subjects (sum of weights) of each list."""
        return self.n_pos + self.n_neg

    @property
    def tied(self) -> AnyArray:
        """Number of subjects of each list in rows with both classes."""
        return self._each(np.where(self.sums.mixed, self.pos + self.neg, 0))

    @property
    def tied_pos(self) -> AnyArray:
        """Positives of each list that share their score with another positive."""
        return self._each(np.where(self.sums.several_positives, self.pos, 0))
