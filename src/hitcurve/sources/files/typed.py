"""Files whose columns have types."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hitcurve._cached import cached_property
from hitcurve.errors import ScoreError
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.measures import Measure, is_float, is_whole
from hitcurve.sources.files.reasons import in_words


class TypedFile(DataFile):
    """A file whose columns have types: they say what is a number."""

    @cached_property
    def _types(self) -> dict[str, str]:
        wanted = self.asked.wanted
        return dict(zip(wanted, self._described(map(self.column, wanted)), strict=True))

    def _described(self, columns: Iterable[str]) -> list[str]:
        return [row[1] for row in self.rows(f"DESCRIBE SELECT {', '.join(columns)} FROM {self.relation}")]

    def type_of(self, name: str) -> str | None:
        """Return the SQL type of a wanted column."""
        return self._types[name]

    def nameable_types(self) -> dict[str, str]:
        """Return the SQL types of the columns that can be named."""
        columns = self.nameable
        return dict(zip(columns, self._described(columns.values()), strict=True)) if columns else {}

    def _in_type(self, name: str, kind: str) -> str:
        return self.column(name)

    def measure(self, names: Sequence[str]) -> dict[str, Measure]:
        """Return what columns of numbers hold, by their types and ends."""
        numeric = {name: self._numeric(name) for name in names}
        absent = bool(self.asked.absent.numbers)
        # the ends of floats say nothing, and whether there is one is seen in the first rows
        some = "(SELECT any_value({0}) FROM (SELECT {0} FROM {1} WHERE {0} IS NOT NULL LIMIT 1)), NULL"
        known = "0, NULL"
        ends = ", ".join(
            (known if name in self.format.filled else some.format(sql, self.relation))
            if is_float(self._types[name])
            else f"min({sql}), max({sql})"
            for name, sql in numeric.items()
        )
        total, *found = self.rows(f"SELECT count(*), {ends} FROM {self.relation}")[0]
        self._check_rows(total)
        out = {}
        for name, low, high in zip(names, found[::2], found[1::2], strict=True):
            kind = self._types[name]
            if low is None:
                out[name] = Measure()
            elif is_float(kind) or (kind.startswith("DECIMAL") and not kind.endswith(",0)")):
                if not is_float(kind):
                    self._check_exact(name, kind)
                out[name] = Measure(floats=kind if is_float(kind) else "DOUBLE", absent=absent)
            else:
                out[name] = Measure((int(low), int(high)), kind=kind if is_whole(kind) else None, absent=absent)
        return out

    def _check_exact(self, name: str, kind: str) -> None:
        """Refuse decimals that are one as floats; floats tell 15 digits apart."""
        if int(kind.partition("(")[2].partition(",")[0]) <= 15:
            return
        column = self.column(name)
        differ = f"SELECT count(DISTINCT {column}), count(DISTINCT CAST({column} AS DOUBLE)) FROM {self.relation}"
        ((exact, floats),) = self.rows(differ)
        if floats < exact:
            raise ScoreError(
                f"column {name!r} of {self.path.name} holds values of type {kind} that are equal as 64-bit floats, "
                "which would create ties: store their ranks, or whole numbers"
            )

    def _numeric(self, name: str) -> str:
        if name in self.format.durations:
            raise ScoreError(
                f"column {name!r} of {self.path.name} must hold real numbers, got durations: divide by a unit, such as "
                "one day, before the file is written"
            )
        column, kind = self.column(name), self._types[name]
        if is_whole(kind) or is_float(kind) or kind.startswith("DECIMAL"):
            return column
        value, where = self.first(f"CAST({column} AS VARCHAR)", f"{column} IS NOT NULL")
        if value is None:
            return column
        raise ScoreError(
            f"column {name!r} of {self.path.name} must hold real numbers, got {value[:60]!r} in {where}, "
            f"which is {in_words(kind)}"
        )
