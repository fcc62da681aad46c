"""Files through DuckDB: CSV, Parquet, Arrow and JSON lines, plain or compressed, joined with their labels."""

from __future__ import annotations

from hitcurve.sources.files.columns import in_lines, read_columns
from hitcurve.sources.files.joined import PER_ID, Join
from hitcurve.sources.files.opening import column_names, has_column, leading
from hitcurve.sources.files.paths import check_differ, expand, names_after
from hitcurve.sources.files.scores import read_scores
from hitcurve.sources.files.source import FileSource
from hitcurve.sources.files.tables import count_rows, read_counts, read_ranks

__all__ = [
    "PER_ID",
    "FileSource",
    "Join",
    "check_differ",
    "column_names",
    "count_rows",
    "expand",
    "has_column",
    "in_lines",
    "leading",
    "names_after",
    "read_columns",
    "read_counts",
    "read_ranks",
    "read_scores",
]
