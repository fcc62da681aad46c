"""Columns of a data set, with their source and licence."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from functools import partial
from os import PathLike
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, rows
from hitcurve._file_names import path_of
from hitcurve._writing import write_whole
from hitcurve.errors import InputError, ParameterError
from hitcurve.immutable import ReadOnly, same
from hitcurve.sources.frames import to_frame


class Dataset(ReadOnly[str, npt.NDArray[Any]]):
    """Immutable mapping of column names to arrays of one length, which ``evaluate(..., data=)`` takes as it is.

    Attributes
    ----------
    name : str
        Name of the function that returns the data, and of the data on the command line.
    title : str
        What the data are, in a few words.
    description : str
        What the rows are, in one or two sentences.
    source : str
        Publication or repository that the data come from, or how they are generated.
    licence : str
    fields : Mapping of str to str
        What each column contains.

    Examples
    --------
    >>> from hitcurve.datasets import docking
    >>> data = docking()
    >>> data
    Dataset 'docking': 3,720 rows of target, molecule, active, smina, ifp, cnn_score, rf_score_vs
    >>> data.licence
    'MIT'
    >>> data["active"].sum()
    np.int64(120)
    """

    __slots__ = ("description", "fields", "licence", "name", "source", "title")

    def __init__(
        self,
        name: str,
        columns: Mapping[str, npt.ArrayLike],
        *,
        title: str,
        description: str,
        source: str,
        licence: str,
        fields: Mapping[str, str],
    ) -> None:
        super().__init__({key: _kept(values) for key, values in columns.items()})
        self.name, self.title, self.description = name, title, description
        self.source, self.licence = source, licence
        self.fields = ReadOnly(fields)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return next(iter(self.values())).size

    def only(self, **values: Any) -> Dataset:
        """Return the rows in which columns have the values given.

        Parameters
        ----------
        **values : object
            One value for each column named.

        Returns
        -------
        Dataset

        Raises
        ------
        ColumnNotFoundError
            If there is no such column.
        ParameterError
            If no row has these values.

        Examples
        --------
        >>> from hitcurve.datasets import reviews
        >>> reviews().only(topic="CD009647").n_rows
        2785
        """
        chosen = np.ones(self.n_rows, dtype=bool)
        for name, value in values.items():
            here = np.asarray(self[_checks.named("column", name, self)] == value, dtype=bool)
            if not here.any():
                there = list(dict.fromkeys(self[name].tolist()))
                near = _checks.did_you_mean(value, there) or f"; its values are {', '.join(map(repr, there[:12]))}"
                raise ParameterError(f"column {name!r} of {self.name!r} has no value {value!r}{near}")
            chosen &= here
        if not chosen.any():
            raise ParameterError(f"no row of {self.name!r} has all of {values}: name fewer columns")
        return self._with({name: column[chosen] for name, column in self.items()})

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the columns as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Default: the first of these that is installed.

        Returns
        -------
        data frame
        """
        return to_frame({name: column.tolist() for name, column in self.items()}, backend)

    @overload
    def to_csv(self) -> str: ...

    @overload
    def to_csv(self, path: str | PathLike[str]) -> None: ...

    def to_csv(self, path: str | PathLike[str] | None = None) -> str | None:
        """Write the columns as comma-separated text with a header; missing values are empty.

        Parameters
        ----------
        path : str or path, optional
            File to write, atomically. Without one the text is returned.

        Returns
        -------
        str or None
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self)
        writer.writerows(zip(*([_cell(value) for value in column.tolist()] for column in self.values()), strict=True))
        if path is None:
            return out.getvalue()
        write_whole(path_of(path), out.getvalue())
        return None

    def __array__(self, *_: Any, **__: Any) -> npt.NDArray[Any]:
        """Raise: the names of the columns would be taken for the data."""
        raise InputError(f"data set {self.name!r} is a mapping of columns: use to_frame(), or one of its columns")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the columns and the words."""
        words = {key: getattr(self, key) for key in ("title", "description", "source", "licence")}
        return partial(Dataset, fields=dict(self.fields), **words), (self.name, dict(self))

    def _with(self, columns: Mapping[str, npt.ArrayLike]) -> Dataset:
        words = {key: getattr(self, key) for key in ("title", "description", "source", "licence", "fields")}
        return Dataset(self.name, columns, **words)

    def __eq__(self, other: object) -> bool:
        """Compare columns and words; nan is equal to nan."""
        if not isinstance(other, Dataset):
            return NotImplemented
        mine, theirs = ([getattr(one, key) for key in self.__slots__] for one in (self, other))
        return same(dict(self), dict(other)) and same(mine, theirs)

    def __ne__(self, other: object) -> bool:
        """Compare the same, which a dictionary would by itself."""
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # as of every mapping

    def __repr__(self) -> str:
        """Return name, number of rows and columns."""
        return rows.in_line(f"Dataset {self.name!r}: {self.n_rows:,} rows of {', '.join(self)}")

    def __str__(self) -> str:
        """Return the description, the columns, the source and the licence."""
        width = max(map(len, self.fields))
        lines = [f"  {name:{width}}  {words}" for name, words in self.fields.items()]
        head = f"{self.name}: {self.title}, {self.n_rows:,} rows\n\n{self.description}\n\nColumns"
        return "\n".join([head, *lines, "", f"Source: {self.source}", f"Licence: {self.licence}"])


def _kept(values: npt.ArrayLike) -> npt.NDArray[Any]:
    column = np.array(values)
    column.setflags(write=False)
    return column


def _cell(value: object) -> object:
    """Return a number as short as it can be read back; nothing for a missing one."""
    if not isinstance(value, float):
        return value
    return "" if value != value else repr(value).removesuffix(".0")
