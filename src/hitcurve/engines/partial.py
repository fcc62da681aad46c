"""What a worker does with a partition, and how results of partitions are merged in their order.

A refusal is a result too: an error that is raised on a worker reaches the driver without its type and its sentence.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from hitcurve import rows
from hitcurve._threads import one_thread
from hitcurve.errors import EmptyInputError, EngineError, HitcurveError, InputError

T = TypeVar("T")
VERSION: str = sys.modules["hitcurve"].__version__  # also of a package that was sent as a zip file
LARGEST = 1 << 29  # bytes of the result of a pass
_TRANSIENT = (MemoryError, OSError, EOFError)  # the engine tries again


@dataclass(frozen=True)
class Partial(Generic[T]):
    """The result of some partitions.

    Attributes
    ----------
    rows, positives : int
        Rows read, and positives among the subjects.
    checksum : int
        Of the values that were read, in any order of the rows, modulo 2^64.
    found : tuple
        What a pass found; empty if there were no rows.
    refusal : HitcurveError or None
        Why there is no result.
    """

    rows: int = 0
    positives: int = 0
    checksum: int = 0
    found: tuple[T, ...] = ()
    refusal: HitcurveError | None = None

    def packed(self) -> bytes:
        """Return the result as bytes; a result that is too large to be brought together is a refusal."""
        out = pickle.dumps(self, protocol=5)
        if len(out) <= LARGEST or self.refusal is not None:
            return out
        refusal = InputError(
            f"a pass over the data would bring together more than {rows.size(LARGEST)}, as many as "
            f"{rows.size(len(out))} of some partitions: count scores in bins (bins=1000, --bins), or exactly up to a "
            "smaller max_grid (--max-grid)"
        )
        return replace(self, found=(), refusal=refusal).packed()


class Looked(NamedTuple, Generic[T]):
    """What was found in some rows: how many there are, positives among subjects, a checksum, and the result."""

    rows: int
    positives: int
    checksum: int
    found: T


@dataclass(frozen=True)
class Task(Generic[T]):
    """A pass: what each worker does with the rows of a partition.

    Attributes
    ----------
    look : callable
        Of some rows, as a data frame or a record batch, and the place of the first of them in the partition; returns
        `Looked`.
    combine : callable
        Of two results, in the order of the rows.
    version : str
        Of this package, where the pass was asked for.
    """

    look: Callable[[Any, int], Looked[T]]
    combine: Callable[[T, T], T]
    version: str = VERSION

    def of_partition(self, place: int, frames: Iterable[Any]) -> Partial[T]:
        """Return the result of a partition.

        Parameters
        ----------
        place : int
            Of the partition among all.
        frames : iterable of data frame or record batch
            The rows of the partition in their order, some at a time; ``len`` of a frame is the number of its rows,
            which may be 0.
        """
        if self.version != VERSION:
            return Partial(
                refusal=EngineError(
                    f"hitcurve is {self.version} here and {VERSION} on a worker: install the same version on both"
                )
            )
        rows = positives = checksum = 0
        found: tuple[T, ...] = ()
        try:
            with one_thread():  # the other processors have partitions of their own
                for frame in frames:
                    if len(frame):
                        one = self.look(frame, rows)
                        rows, positives = rows + one.rows, positives + one.positives
                        checksum += one.checksum
                        found = (self.combine(found[0], one.found) if found else one.found,)
        except HitcurveError as error:
            return Partial(rows, positives, refusal=_in_partition(error, place))
        except _TRANSIENT:
            raise
        except Exception as error:
            return Partial(rows, positives, refusal=EngineError(f"partition {place} failed: {in_words(error)}"))
        return Partial(rows, positives, checksum, found)

    def merged(self, left: Partial[T], right: Partial[T]) -> Partial[T]:
        """Merge the results of neighbours; the refusal of the first partition that has one is that of all."""
        size = left.rows + right.rows, left.positives + right.positives, left.checksum + right.checksum
        refusal = left.refusal or right.refusal
        if refusal is not None:
            return Partial(*size, refusal=refusal)
        if not (left.found and right.found):
            return Partial(*size, left.found or right.found)
        try:
            return Partial(*size, (self.combine(left.found[0], right.found[0]),))
        except HitcurveError as error:
            return Partial(*size, refusal=error)

    def settled(self, whole: Partial[T]) -> T:
        """Return the result of all partitions.

        Raises
        ------
        HitcurveError
            That of the first partition that refused, or if there are no rows.
        """
        if whole.refusal is not None:
            raise whole.refusal
        if not whole.found:
            raise EmptyInputError("the input has no rows")
        return whole.found[0]


@contextmanager
def in_one_sentence(sentence: Callable[[Exception], str]) -> Iterator[None]:
    """Raise what fails in an engine as an `EngineError` of the sentence for it."""
    try:
        yield
    except HitcurveError:
        raise
    except Exception as error:
        raise EngineError(sentence(error)) from error


def in_words(error: BaseException) -> str:
    """Return an error in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _in_partition(error: HitcurveError, place: int) -> HitcurveError:
    """Say of a row in which partition it is."""
    return type(error)(f"partition {place}: {error}") if " in row " in str(error) else error
