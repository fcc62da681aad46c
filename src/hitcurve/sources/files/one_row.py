"""What a condition may look at: the row that it is about, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.sources.files import duck, reasons

_DEEPEST = 800  # levels of what DuckDB reads: two or three for each word, function or list within another
# clocks that are no functions without arguments
_CLOCK_MACROS = ("ago", "pg_conf_load_time", "pg_postmaster_start_time")
_CLOCK_WORDS = ("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp")
# functions of one row that look beyond it: at the session, the program, or a query of their own
_OF_SESSION = frozenset(
    {
        "current_setting",
        "getvariable",
        "in_search_path",
        "current_schemas",
        "version",
        "json_serialize_plan",
        "stats",
        "vector_type",
    }
)
_SESSION_WORDS = ("user", "current_user", "session_user", "current_role", "current_schema", "current_catalog")
# functions that do something, whatever the row
_ACTING = frozenset({"assert_true", "error", "setseed", "setval", "sleep_ms", "write_log"})
# functions that are given the name of another one
_BY_NAME = frozenset({"list_aggregate", "list_aggr", "array_aggregate", "array_aggr", "aggregate"})
# functions that make a value of a size that a number says, and those that do where this number is not small
_OF_ANY_SIZE = frozenset(
    {
        "array_reduce",
        "array_resize",
        "bar",
        "bitstring",
        "equi_width_bins",
        "generate_series",
        "list_reduce",
        "list_resize",
        "range",
        "reduce",
        "repeat",
    }
)
_PADDED, _FORMATTED = frozenset({"lpad", "rpad"}), frozenset({"format", "printf"})
_LONGEST = 10_000  # characters
_DRAWN = "reservoir_quantile"  # the one aggregate that draws at random
# what `_functions` returned: of DuckDB alone, as connections make none, and long to ask for
_FUNCTIONS: list[tuple[frozenset[str], frozenset[str]]] = []


def check_condition(connection: Any, condition: str, types: Mapping[str, str], twins: Sequence[str]) -> None:
    """Refuse a condition that is not one SQL expression over columns that are there.

    Parameters
    ----------
    types : mapping of str to str
        Columns that can be named in SQL, and their types.
    twins : sequence of str
        Columns that cannot, since others differ from them in case only.

    Raises
    ------
    ParameterError
        With what is wrong with it.
    """
    duckdb = _checks.extra("duckdb", "files", "reading a file")
    if not condition.strip():
        raise ParameterError("--where is empty: it must be one SQL condition, as in \"split = 'test'\"")
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {duck.quoted(name)}" for name, kind in types.items())
    try:
        if any(kind == duckdb.token_type.comment for _, kind in duckdb.tokenize(condition)):
            raise ParameterError(f"--where must be one condition without a comment, got {condition!r}")
        duckdb.SQLExpression(condition)
        tree = _tree(connection, condition)
        if tree is not None:
            _check_parts(connection, condition, tree, types)
        connection.sql(f"SELECT 1 FROM (SELECT {columns or 1}) WHERE (\n{condition}\n)").fetchall()
        if tree is None:  # DuckDB runs what it does not take apart
            raise ParameterError(reasons.of_condition(condition, ""))
    except duckdb.Error as error:
        if "yntax error" in str(error) and (unclosed := _unclosed(condition)):
            raise ParameterError(f"--where {condition!r}: {unclosed}") from None
        missing = re.search(r'Referenced column "(.+?)" not found', str(error))
        if missing is None:
            raise ParameterError(reasons.of_condition(condition, str(error))) from None
        raise ParameterError(f"--where {condition!r}: {_no_column(missing[1], types, twins)}") from None


def _unclosed(condition: str) -> str:
    """Return which bracket is not closed, in words, or an empty string."""
    marks = re.sub(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""", "", condition)
    names = {"a parenthesis": ("(", ")"), "a bracket": ("[", "]")}
    return next((f"{name} is not closed" for name, (a, b) in names.items() if marks.count(a) > marks.count(b)), "")


def _tree(connection: Any, condition: str) -> Any:
    """Return the parts of a condition as DuckDB reads it, None if it does not say."""
    sql = "SELECT json_serialize_sql(?)"
    said = connection.execute(sql, [f"SELECT 1 WHERE (\n{condition}\n)"]).fetchall()[0][0]
    try:
        tree = json.loads(said)
    except RecursionError:
        tree = None
    # versions of Python read to other depths
    if tree is None or _is_deeper(tree, _DEEPEST):
        raise ParameterError(f"--where {condition!r} is nested too deeply: write it in fewer levels of parentheses")
    return None if tree["error"] else tree["statements"][0]["node"]["where_clause"]


def _is_deeper(tree: Any, most: int) -> bool:
    """Say whether a tree has more levels; it is walked level by level, as one may be too deep for calls."""
    level, depth = [tree], 0
    while level and depth <= most:
        level = [one for part in level for one in _within(part) if isinstance(one, (dict, list))]
        depth += 1
    return depth > most


def _within(part: Any) -> Sequence[Any]:
    return [*part.values()] if isinstance(part, dict) else part if isinstance(part, list) else ()


def _check_parts(connection: Any, condition: str, tree: Any, names: Collection[str]) -> None:
    """Refuse a condition that looks beyond its row: at other rows, at a clock or at chance."""
    moving, beyond = _functions(connection)
    looking = _Looking(moving, beyond, {name.lower() for name in names})
    for part in _parts(tree):
        said = looking.refusal(part)
        if said is not None:
            raise ParameterError(f"--where {condition!r}: {said}")


@dataclass(frozen=True)
class _Looking:
    """What looks beyond a row: functions that change between readings, those of the session, and words of either."""

    moving: Collection[str]
    beyond: Collection[str]
    columns: Collection[str]

    def refusal(self, part: Mapping[str, Any]) -> str | None:
        """Return why a part is refused, None if it is not."""
        match part.get("class"):
            case "SUBQUERY":
                return "a condition is about one row and cannot contain a SELECT: compare columns"
            case "PARAMETER":
                return "a parameter has no value: write the value"
            case "POSITIONAL_REFERENCE":
                return f"#{part['index']} is a place: write the name of the column"
            case "STAR":
                return "* and COLUMNS() stand for several columns: write the name of each"
            case "COLUMN_REF":
                return self._of_word(".".join(part["column_names"]).lower())
            case "FUNCTION":
                return self._of_function(part["function_name"].lower(), part["arguments"]) or _of_size(part)
        return None

    def _of_word(self, word: str) -> str | None:
        if word in self.columns:
            return None
        return _moves(word) if word in _CLOCK_WORDS else _looks(word) if word in _SESSION_WORDS else None

    def _of_function(self, name: str, arguments: Sequence[Mapping[str, Any]]) -> str | None:
        if name in _BY_NAME:
            named = [argument["expression"].get("literal", {}).get("text") for argument in arguments[1:2]]
            if named in ([None], [_DRAWN]):
                return (
                    f"{name}() needs the name of an aggregate, such as 'sum', and not {_DRAWN}, which draws at random"
                )
        if (name == "age" and len(arguments) == 1) or name in _CLOCK_MACROS:  # the age today
            return _moves(f"{name}()")
        if name in _ACTING:
            return f"{name}() does something, such as ending with an error, whatever the row: compare columns"
        if name in self.beyond or name in _SESSION_WORDS:
            return _looks(f"{name}()")
        return _moves(f"{name}()") if name in self.moving else None


def _of_size(part: Mapping[str, Any]) -> str | None:
    """Return why a function is refused that may make a value of any size, None if it is not."""
    name = part["function_name"].lower()
    if name in _OF_ANY_SIZE:
        return f"{name}() may make a value of any size, which no condition on a row needs: compare columns"
    if name not in _PADDED | _FORMATTED:
        return None
    # as in code.lpad(5, '0'), of which the column is no argument
    place = 0 if part.get("schema") or name in _FORMATTED else 1
    given = [argument["expression"].get("literal", {}).get("text") for argument in part["arguments"]]
    text = given[place] if place < len(given) else None
    if name in _PADDED and (text is None or not re.fullmatch("-?[0-9]+", text) or int(text) > _LONGEST):
        return f"{name}() needs a length that is written as a number of at most {_LONGEST:,}"
    if name in _FORMATTED and (text is None or re.search(r"[0-9]{5}|[*]|\{[^}]*\{", text)):
        return f"{name}() needs a format that is written as text, with widths below {_LONGEST:,}"
    return None


def _moves(name: str) -> str:
    return (
        f"{name} selects different rows each time, and files are read twice; a fixed sample is hash(id) % 10 = 0, "
        "and a fixed time is TIMESTAMP '2026-01-31 12:00:00'"
    )


def _looks(name: str) -> str:
    return f"{name} depends on the session or the clock, not on the row: compare columns"


def _functions(connection: Any) -> tuple[frozenset[str], frozenset[str]]:
    """Return the functions that change between readings, and those that look beyond a row."""
    if not _FUNCTIONS:
        found = connection.execute(
            "SELECT function_name FROM duckdb_functions() WHERE stability = 'VOLATILE' "
            "OR (stability = 'CONSISTENT_WITHIN_QUERY' AND len(parameters) = 0)"
        ).fetchall()
        moving = frozenset(name for (name,) in found)
        _FUNCTIONS.append((moving, _OF_SESSION | _macros_of(connection, moving | _OF_SESSION)))
    return _FUNCTIONS[0]


def _macros_of(connection: Any, names: Collection[str]) -> set[str]:
    """Return the macros that stand for some functions, also by way of other macros, or for a SELECT."""
    sql = "SELECT lower(function_name), lower(macro_definition) FROM duckdb_functions() WHERE macro_definition NOT NULL"
    words = {name: set(re.findall(r"\w+", text)) for name, text in connection.execute(sql).fetchall()}
    found: set[str] = set()
    while more := {name for name, used in words.items() if used & {"select", *names, *found} and name not in found}:
        found |= more
    return found


def _parts(tree: Any) -> Iterator[Mapping[str, Any]]:
    """Return all parts of a parsed expression."""
    left = [tree]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            yield part
        left += reversed(_within(part))


def _no_column(name: str, types: Mapping[str, str], twins: Sequence[str]) -> str:
    if name.isdigit():
        return f"{name!r} is no number with the digits 0 to 9"
    same = [twin for twin in twins if twin.lower() == name.lower()]
    if same:
        return f"columns {' and '.join(map(repr, same))} have the same name in SQL: rename all but one"
    return f"no column {name!r}{_checks.did_you_mean(name, types) or duck.columns_are(list(types))}"
