"""Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.errors import EmptyInputError, UnreadableFileError
from hitcurve.sources.files.formats.format import NO_FOLDERS, Asked, Format, no_table
from hitcurve.sources.files.pages import check_pages
from hitcurve.sources.files.reasons import encrypted

_ENCRYPTED = b"PARE"  # how a file begins whose footer is encrypted


@dataclass(frozen=True, eq=False)
class Parquet(Format):
    """A Parquet file, which DuckDB reads."""

    asked: Asked

    called = "Parquet"
    endings = (".parquet", ".pq")
    packs_itself = True
    typed = True

    @classmethod
    def begins(cls, start: bytes, *, promised: bool) -> bool:
        """Return whether content begins as Parquet does."""
        return start.startswith((b"PAR1", _ENCRYPTED))

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns."""
        parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
        content = self.asked.content
        if content.start.startswith(_ENCRYPTED):
            raise UnreadableFileError(encrypted(content.path.name))
        try:
            names = list(parquet.read_schema(content.path).names)
        except (OSError, ValueError):
            raise no_table(content, self.called) from None
        if not names:
            raise EmptyInputError(f"{content.path.name} has no columns")
        return names

    @cached_property
    def durations(self) -> frozenset[str]:
        """Columns of durations: DuckDB reads their numbers without the unit."""
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
        schema = parquet.read_schema(self.asked.content.path)
        return frozenset(field.name for field in schema if arrow.types.is_duration(field.type))

    @cached_property
    def filled(self) -> frozenset[str]:
        """Columns of which the file says beside them that they hold a value."""
        parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
        metadata = parquet.read_metadata(self.asked.content.path)
        found: set[str] = set()
        for place, name in enumerate(metadata.schema.names):
            alone = metadata.schema.column(place).path == name and self.names.count(name) == 1
            for group in range(metadata.num_row_groups) if alone and name in self.asked.wanted else ():
                column = metadata.row_group(group).column(place)
                known = column.statistics
                if known is not None and known.has_null_count and known.null_count < column.num_values:
                    found.add(name)
                    break
        return frozenset(found)

    def relation(self, places: Sequence[str]) -> str:
        """Return the SQL that reads the file, once the pages that are read are what their checksums say."""
        check_pages(
            self.asked.content.path,
            {name for name in self.names if name in self.asked.wanted or self.asked.may_name(name)},
        )
        return f"read_parquet({self.asked.content.literal}, {NO_FOLDERS}) AS t({', '.join(places)})"
