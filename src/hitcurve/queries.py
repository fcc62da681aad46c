"""The hit table as one query of a database, and its result as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import AnyArray
from hitcurve.errors import (
    ColumnNotFoundError,
    CountError,
    InputError,
    LabelError,
    MissingValueError,
    ParameterError,
    WeightError,
)
from hitcurve.sources import pick_columns
from hitcurve.sources.columns import LARGEST_WEIGHT, SMALLEST_WEIGHT
from hitcurve.sums import Sums


class _Dialect(NamedTuple):
    """How a database says what differs: marks of names, types, whether a number is nan, text, and a score as a number.

    ``escapes`` are the marks before which a backslash is one of its own: a mark is doubled where it is not.
    """

    mark: str
    whole: str
    real: str
    is_nan: str
    text: str
    number: str = "CAST({} AS {})"
    escapes: str = ""

    def marked(self, text: str, mark: str) -> str:
        """Return a name or a text between marks, so that no sign of it ends it."""
        if mark in self.escapes:
            inside = text.replace("\\", "\\\\").replace(mark, f"\\{mark}")
        else:
            inside = text.replace(mark, mark * 2)
        return f"{mark}{inside}{mark}"


DIALECTS = {
    "duckdb": _Dialect('"', "BIGINT", "DOUBLE", "isnan({})", "VARCHAR"),
    "postgres": _Dialect('"', "BIGINT", "DOUBLE PRECISION", "{} = CAST('NaN' AS DOUBLE PRECISION)", "VARCHAR"),
    # it has no nan; a name between double quotes that is no column is a text, and a text cast to a number may be 0
    "sqlite": _Dialect(
        "`",
        "INTEGER",
        "REAL",
        "1 = 0",
        "TEXT",
        "CASE WHEN typeof({0}) IN ('integer', 'real') THEN CAST({0} AS {1}) END",
    ),
    "clickhouse": _Dialect("`", "Int64", "Nullable(Float64)", "isNaN({})", "Nullable(String)", escapes="'`"),
    "spark": _Dialect("`", "BIGINT", "DOUBLE", "isnan({})", "STRING", escapes="'"),
    "bigquery": _Dialect("`", "INT64", "FLOAT64", "IS_NAN({})", "STRING", escapes="'`"),
    "snowflake": _Dialect('"', "BIGINT", "DOUBLE", "{} = CAST('NaN' AS DOUBLE)", "VARCHAR", escapes="'"),
}
RUN = ("duckdb", "postgres", "sqlite", "clickhouse", "spark")
"""Dialects that the tests run; the others follow their documentation."""
_MISSING, _LABELS, _WEIGHTS = -1, -2, -3  # cells that report instead of counting


def sql(
    label: str,
    score: str,
    *,
    table: str = "scores",
    dialect: str = "duckdb",
    by: str | None = None,
    weight: str | None = None,
    positive: bool | int | float | str = 1,
    higher_is_better: bool = True,
) -> str:
    """Return the query that counts labels and scores into a hit table where the data are.

    The result has a row for each distinct score of a positive and for each gap between two, whatever the number of rows
    of the data. :meth:`HitTable.from_frame` and, with ``by``, :meth:`TableStack.from_frame` read it.

    Parameters
    ----------
    label, score : str
        Columns. Scores are compared as 64-bit floats: whole numbers beyond 2^53, and decimals of more than 15 digits,
        can become one score there, and are then tied.
    table : str
        The table, or a query in parentheses; written into the query as it is.
    dialect : {"duckdb", "postgres", "sqlite", "clickhouse", "spark", "bigquery", "snowflake"}
        The first five are run by the tests of this package. The others were not run, which the query says in a
        comment.
    by : str, optional
        Column of groups, each of which is a list of its own.
    weight : str, optional
        Column of weights, of which the result has the sums and those of their squares. A database adds up in any order,
        so these agree with sums in memory to about 1e-13 of them, to the bit where weights are whole numbers. Where all
        weights are equal leave them out: they are counts.
    positive : bool, number or str
        The label of the positives.
    higher_is_better : bool
        False turns the order round: scores in the result are negated.

    Returns
    -------
    str
        Missing labels, scores and weights, nan, text among numbers, a third label and weights below 0 or not finite do
        not vanish: the result reports them, and ``from_frame`` raises.

    Raises
    ------
    ParameterError
        If the dialect is not known, or the label of the positives cannot be written.

    Examples
    --------
    >>> import duckdb
    >>> import hitcurve as hc
    >>> data = duckdb.sql("SELECT * FROM (VALUES (1, 0.9), (0, 0.8), (1, 0.8), (0, 0.1)) AS scores(y, a)")
    >>> found = duckdb.sql(hc.sql("y", "a", table="data"))
    >>> hc.HitTable.from_frame(found.to_arrow_table()).neg.tolist()
    [0, 0, 0, 1, 1]
    """
    known = DIALECTS[_checks.choice("dialect", dialect, tuple(DIALECTS))]

    for what, given in {"label": label, "score": score, "table": table, "by": by, "weight": weight}.items():
        if not isinstance(given, str) and not (what in ("by", "weight") and given is None):
            raise ParameterError(f"{what} must be a name in the database, got {given!r}")
        if given is not None and "\0" in given:
            raise ParameterError(f"{what} must be a name in the database, and {given!r} has a NUL character")

    def named(column: str) -> str:
        return known.marked(column, known.mark)

    value = known.number.format(named(score), known.real)
    group = "0" if by is None else named(by)
    turned = "hc_given + 0.0" if higher_is_better else "0.0 - hc_given"  # -0.0 becomes 0.0
    gone = f"hc_label IS NULL OR hc_given IS NULL OR hc_group IS NULL OR {known.is_nan.format('hc_given')}"
    columns: tuple[str, ...] = ("pos", "neg")
    kept, times, reported = "", "", known.whole
    weighing = weights = odd = ""
    if weight is not None:
        weighing = f", {known.number.format(named(weight), known.real)} AS hc_weight"
        gone += f" OR hc_weight IS NULL OR {known.is_nan.format('hc_weight')}"
        kept, times, reported = ", hc_weight", " * hc_weight", known.real
        columns = (*columns, "pos_squares", "neg_squares")
    each = {"pos": f"hc_hit{times}", "neg": f"(1 - hc_hit){times}"}
    each |= {f"{side}_squares": f"{own}{times}" for side, own in each.items()}
    of_scores = ", ".join(f"SUM({each[name]}) AS hc_{name}" for name in columns)
    inner = ", ".join(f"hc_{name}" for name in columns)
    of_cells = ", ".join(f"CAST(SUM(hc_{name}) AS {reported}) AS {name}" for name in columns)
    nothing = f", CAST(0 AS {reported})" * (len(columns) - 1)
    # names of the result differ from those inside: some databases take one for the other
    shown, any_list = ("", "") if by is None else ("hc_group AS list, ", "(SELECT MAX(hc_group) FROM hc_rows), ")
    # PostgreSQL before version 16 requires a name of a query in parentheses
    rows = f"{table} AS hc_given_rows" if table.lstrip().startswith("(") and table.rstrip().endswith(")") else table
    if weight is not None:
        out = f"hc_weight < 0 OR hc_weight > {LARGEST_WEIGHT!r} OR (hc_weight > 0 AND hc_weight < {SMALLEST_WEIGHT!r})"
        odd = f" OR {out}"  # squares of these are no floats
        weights = f"""
UNION ALL
SELECT {any_list}{_WEIGHTS}, NULL, CAST(COUNT(*) AS {reported}){nothing}
FROM hc_rows WHERE NOT ({gone}) AND ({out})"""
    # labels and groups may be text or numbers: of each value, not of each row, it is asked whether it is nan
    names = ("hc_label",) if by is None else ("hc_label", "hc_group")
    not_a_number = "".join(
        f"""
UNION ALL
SELECT {any_list}{_MISSING}, NULL, CAST(COALESCE(SUM(hc_count), 0) AS {reported}){nothing}
FROM (SELECT {name} AS hc_name, COUNT(*) AS hc_count FROM hc_rows WHERE NOT ({gone}) GROUP BY {name}) AS hc_names
WHERE CAST(hc_name AS {known.text}) IN ('NaN', 'nan')"""
        for name in names
    )
    first = "" if dialect in RUN else f"-- not run by the tests of hitcurve: {dialect}\n"
    return f"""{first}WITH hc_rows AS (
  SELECT {group} AS hc_group, {named(label)} AS hc_label, {value} AS hc_given{weighing} FROM {rows}
), hc_known AS (
  SELECT hc_group, {turned} AS hc_value{kept},
    CASE WHEN hc_label = {_literal(positive, known)} THEN 1 ELSE 0 END AS hc_hit
  FROM hc_rows WHERE NOT ({gone}{odd})
), hc_scores AS (
  SELECT hc_group, hc_value, {of_scores},
    CASE WHEN SUM(hc_hit) > 0 THEN 1 ELSE 0 END AS hc_found
  FROM hc_known GROUP BY hc_group, hc_value
), hc_cells AS (
  SELECT hc_group, hc_value, {inner}, hc_found, 2 * SUM(hc_found) OVER (
    PARTITION BY hc_group ORDER BY hc_value DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - hc_found AS hc_cell
  FROM hc_scores
)
SELECT {shown}CAST(hc_cell AS {known.whole}) AS cell, MAX(CASE WHEN hc_found = 1 THEN hc_value END) AS score,
  {of_cells}
FROM hc_cells GROUP BY hc_group, hc_cell
UNION ALL
SELECT {any_list}{_MISSING}, NULL, CAST(COUNT(*) AS {reported}){nothing}
FROM hc_rows WHERE {gone}
UNION ALL
SELECT {any_list}{_LABELS}, NULL, CAST(COUNT(DISTINCT hc_label) AS {reported}){nothing}
FROM hc_rows{not_a_number}{weights}"""


def _literal(value: Any, known: _Dialect) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float, np.number)) and math.isfinite(value):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, str):
        return known.marked(value, "'")
    raise ParameterError(f"positive must be a label: True, a number or a text, got {value!r}")


def lists_of_rows(frame: Any, *, grouped: bool) -> Iterator[tuple[str, Sums, AnyArray]]:
    """Yield the name, the columns and the scores of each list in the result of a query.

    Raises
    ------
    MissingValueError, LabelError, CountError, InputError
        If labels or scores are missing, there is a third label, or the frame is no such result.
    """
    names = [*(["list"] if grouped else []), "cell", "score", "pos", "neg"]
    columns = pick_columns(
        frame, names, taken="the result of a query must be a data frame, a mapping or an Arrow stream"
    )
    try:
        squares: dict[str, Any] = pick_columns(frame, ["pos_squares", "neg_squares"])
    except ColumnNotFoundError:
        squares = {}
    cell = _whole("cell", columns["cell"])
    sums = {name: (_sums if squares else _whole)(name, columns[name]) for name in ("pos", "neg")}
    sums |= {name: _sums(name, column) for name, column in squares.items()}
    if not squares:
        _checks.counts("pos", sums["pos"].tolist())
        _checks.counts("neg", sums["neg"].tolist())
    score = np.array([math.nan if value is None else float(value) for value in _plain(columns["score"])])
    of_list = [str(value) for value in _plain(columns["list"])] if grouped else [""] * cell.size
    missing, labels, odd = (int(sums["pos"][cell == what].sum()) for what in (_MISSING, _LABELS, _WEIGHTS))
    if missing:
        what = "labels, scores, groups or weights" if squares else "labels, scores or groups"
        raise MissingValueError(f"{missing} {what} are missing, nan or no number: leave these rows out (WHERE)")
    if labels > 2:
        raise LabelError(f"there are {labels} labels, not two classes: compare a column of two classes")
    if odd:
        raise WeightError(
            f"{odd} weights are not 0 and not between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g}: correct them, or "
            "leave these rows out (WHERE)"
        )
    lists = np.array(of_list, object)
    for name in sorted(set(lists[cell >= 0].tolist())):
        own = np.flatnonzero((lists == name) & (cell >= 0))
        own = own[np.argsort(cell[own])]
        found = own[cell[own] % 2 == 1]
        grid = score[found]
        if not (np.all(np.diff(grid) < 0) and np.array_equal(cell[found], np.arange(1, 2 * found.size, 2))):
            raise InputError("the rows are not the result of hitcurve.sql: each odd cell has a score, descending")
        inside = own[cell[own] <= 2 * found.size]
        counts = {what: np.zeros(2 * found.size + 1, column.dtype) for what, column in sums.items()}
        for what, column in counts.items():
            column[cell[inside]] = sums[what][inside]
        yield name, Sums(**counts), grid


def _plain(column: Any) -> list[Any]:
    for way in ("to_pylist", "to_list", "tolist"):  # of Arrow, of polars and pandas, of numpy
        if hasattr(column, way):
            return list(getattr(column, way)())
    return list(column)


def _whole(name: str, column: Any) -> npt.NDArray[np.int64]:
    values = _plain(column)
    if any(value is None or value != value or int(value) != value for value in values):
        raise CountError(f"column {name!r} must hold whole numbers")
    return np.array([int(value) for value in values], np.int64)


def _sums(name: str, column: Any) -> npt.NDArray[np.float64]:
    values = np.array([math.nan if value is None else float(value) for value in _plain(column)])
    if bad := np.flatnonzero(~(np.isfinite(values) & (values >= 0))).tolist():
        raise WeightError(
            f"column {name!r} must hold sums of weights of at least 0, got {values[bad[0]]} in row {bad[0]}"
        )
    return values
