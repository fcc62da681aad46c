"""Texts in one block of bytes, compared eight bytes at a time without an object for each."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitcurve._threads import in_threads

Keys = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]
_STEP = 8
PADDING = bytes(_STEP)
_FACTOR, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
_FEW = 8  # keys for each that is wanted, above which most are left out at once
_PART = 1 << 17  # keys at once
_KEPT = np.array([(1 << (8 * size)) - 1 for size in range(_STEP + 1)], np.uint64)


class Texts(NamedTuple):
    """Texts in a block of bytes.

    Attributes
    ----------
    words : array of uint64
        The eight bytes from each byte of the block on.
    start, size : array of int (n,)
        Where each text starts, and how many bytes it has.
    """

    words: Keys
    start: Places
    size: Places

    @classmethod
    def within(cls, block: Any, start: Places, end: Places) -> Self:
        """Return texts of a block that ends with the padding."""
        words = np.ndarray((len(block) - _STEP + 1,), "<u8", block, strides=(1,))
        return cls(words, start, end - start)

    @classmethod
    def of_arrow(cls, column: Any) -> Self:
        """Return the texts of an array of Arrow, none of them missing."""
        import pyarrow as pa

        _, ends, data = column.cast(pa.large_string()).buffers()
        ends = np.frombuffer(ends, np.int64)[column.offset :][: len(column) + 1] if len(column) else np.zeros(1, int)
        held = b"" if data is None else memoryview(data)[: ends[-1]]
        return cls.within(b"".join((held, PADDING)), ends[:-1], ends[1:])

    def keys(self) -> Keys:
        """Return a number for each text: equal texts have the same, other texts almost never."""
        out = np.zeros(self.start.size, np.uint64)
        for place in range(0, max(int(self.size.max(initial=0)), 1), _STEP):
            rest: Any = slice(None)
            if place and np.any(self.size <= place):
                rest = np.flatnonzero(self.size > place)
            out[rest] = _spread(out[rest] ^ self._word(rest, place))
        return out

    def taken(self, rows: Places) -> Texts:
        """Return some of the texts."""
        return Texts(self.words, self.start[rows], self.size[rows])

    def differ_from_last(self) -> npt.NDArray[np.bool_]:
        """Say of each text but the first whether it is another than the one before."""
        out: npt.NDArray[np.bool_] = self.size[1:] != self.size[:-1]
        for place in range(0, int(self.size.max(initial=0)), _STEP):
            word = self._word(slice(None), place)
            out |= word[1:] != word[:-1]
        return out

    def _word(self, rows: Any, place: int) -> Keys:
        """Return eight bytes of some texts, 0 behind their end."""
        at = self.start[rows] + place if place else self.start[rows]
        left = np.clip(self.size[rows] - place, 0, _STEP)
        return np.asarray(self.words[np.minimum(at, self.words.size - 1)] & _KEPT[left])


def joint_keys(topics: Keys, documents: Keys) -> Keys:
    """Return a key for each pair of a topic and a document by their keys."""
    return _spread(documents ^ topics)


def _spread(key: Keys) -> Keys:
    """Return numbers whose low bits depend on all bits of some numbers; different numbers stay different."""
    key = key * _FACTOR
    key ^= key >> _HALF
    return key


def find_keys(keys: Keys, wanted: Keys) -> Places:
    """Return the place of each wanted key among many keys, -1 of one that is not there."""
    if keys.size <= _FEW * wanted.size:
        return _index_in(keys, wanted)
    # most of the keys are not wanted: they are recognised by their last bits
    bits = max(64 * wanted.size, 1 << 10).bit_length()
    last, asked = np.uint64((1 << bits) - 1), np.zeros(1 << bits, bool)
    asked[wanted & last] = True

    def some(start: int) -> Places:
        return np.flatnonzero(asked[keys[start : start + _PART] & last]) + start

    likely = np.concatenate(list(in_threads(some, range(0, keys.size, _PART))))
    return np.asarray(np.append(likely, -1)[_index_in(keys[likely], wanted)])


def _index_in(keys: Keys, wanted: Keys) -> Places:
    from pyarrow import compute

    found = compute.index_in(to_arrow(wanted), value_set=to_arrow(keys))
    return np.where(truth(found.is_valid()), from_arrow(found, np.int32), -1)


# ---- numbers of Arrow, whose own ways to and from numpy import pandas


def to_arrow(numbers: npt.NDArray[Any]) -> Any:
    """Return whole numbers as an array of Arrow, without copying those of 64 bits."""
    import pyarrow as pa

    held = np.ascontiguousarray(numbers)
    held = held.view(np.int64) if held.itemsize == _STEP else held.astype(np.int64)
    return pa.Array.from_buffers(pa.int64(), held.size, [None, pa.py_buffer(held)])


def from_arrow(column: Any, kind: type[np.generic]) -> npt.NDArray[Any]:
    """Return an array of Arrow, whose numbers are of a kind, without copying it; missing ones are any number."""
    values = column.buffers()[1]
    if values is None:
        return np.empty(0, kind)
    return np.frombuffer(values, kind)[column.offset :][: len(column)]


def truth(column: Any) -> npt.NDArray[np.bool_]:
    """Return an array of Arrow of true and false."""
    import pyarrow as pa

    return from_arrow(column.cast(pa.uint8()), np.uint8).astype(bool)
