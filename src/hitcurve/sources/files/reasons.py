"""What DuckDB reports, in our words: of a condition, and of a file."""

from __future__ import annotations

import re

_ROW = "a condition is about one row"
_OPERATORS = {"~~": "LIKE", "!~~": "NOT LIKE", "~~*": "ILIKE", "list_aggr": "the list function"}
_KINDS = (
    # what is nested names the types in it, and an interval has an INT
    (r"STRUCT|UNION|\[\d*\]|LIST|MAP|ARRAY", "a nested value"),
    (r"TIME|DATE|INTERVAL", "a time"),
    (r"VARCHAR|STRING", "text"),
    (r"INT|DOUBLE|FLOAT|DECIMAL|HUGE", "a number"),
    (r"BOOL", "true or false"),
)
# of conditions: what DuckDB reports -> what it means
_MEANINGS = (
    (r"unterminated", "unterminated: a quote or a comment is not closed"),
    (r'syntax error at or near "(?P<at>.*)"', "is not an SQL condition at {at!r}"),
    (r"syntax error", "is not an SQL condition: it ends too early"),
    (r"more than one statement|not an expression list", "is more than one condition"),
    (r"without selection list", "is empty"),
    (r"contain aggregates|aggregate function", f"{_ROW} and cannot contain an aggregate such as sum() or count()"),
    (r"window functions", f"{_ROW} and cannot contain a window function"),
    (r"UNNEST|unnest", f"{_ROW} and cannot contain unnest()"),
    (r'"(?P<at>\w+)" is a table function', "{at}() reads a table, and a condition is about one row"),
    (r"[Ff]unction with name \"?(?P<at>\w+)", "there is no function {at}()"),
    (r"[Cc]ould not convert string '(?P<at>.*?)' to (?P<kind>\w+)", "{at!r} is not {kind}"),
    (r"Cannot compare values of type (?P<one>.+?) and type (?P<two>.+?) - ", "{one} and {two} cannot be compared: "
     "write texts in quotes and numbers without, or convert a column, as in CAST(a AS DOUBLE)"),
    (r"No function matches .*?'(?P<at>[^'(]+)\((?P<types>.*?)\)'", "{at} cannot be used with {types}"),
    (r'Referenced table "(?P<at>.*?)" not found', "there is no table {at!r}: write the name of a column alone"),
    (r": (?P<at>(?:missing [])]|unexpected \)|no argument for repetition|bad repetition|trailing \\|"
     r"invalid (?:escape seq|character class|perl op|repetition size|named capture|UTF-8))[^\n]*)",
     "a regular expression cannot be read: {at!r}"),
    (r"format specifier (?P<at>.*?): ", "a format of times cannot be read at {at!r}"),
    (r"Argument index .* out of range", "a format has more places than values"),
    (r"(?i)(?:date|time)\w*(?: field value)? out of range", "there is no such time"),
    (r"(?i)overflow|out of range", "a number is too large"),
    (r"[Dd]ivision by zero", "a number is divided by 0: write nullif(divisor, 0)"),
    (r"(?i)unknown time ?zone:? '(?P<at>.*?)'", "there is no time zone {at!r}"),
    (r"Unimplemented type for cast|[Cc]onver|cast", "a value cannot be converted to the type that is asked for"),
    # what a function says of what it is given
    (r"^(?:Invalid Input|Binder|Catalog) Error: (?P<at>[^\n]+)", "DuckDB cannot compute it: {at!r}"),
)  # fmt: skip
# of files
_DISK = re.compile(
    r"(?i)no space left|disk.*full|could not write file|failed to offload|exceed.*temp_directory|max_temp_directory"
)
_ENCRYPTED = re.compile(r"(?i)is encrypted")
_MEMORY = re.compile(r"(?i)out of memory|failed to allocate|could not allocate")
_WITHIN = " within memory_limit (--memory-limit): raise it"
_OF_CONDITION = re.compile(
    r"^(?:Conversion|Out of Range|Binder|Parser|Mismatch Type|Invalid Input|Catalog) Error"
    r"|^Not implemented Error: Unknown TimeZone"
)
_OF_FILE = re.compile(r"(?i)decompress|snappy|zstd|thrift|deserial|corrupt|checksum|page header|what type")


def of_condition(condition: str, reason: str) -> str:
    """Return the error in a condition, as one sentence.

    Examples
    --------
    >>> print(of_condition("a >", 'Parser Error: syntax error at or near ">"'))
    --where 'a >' is not an SQL condition at '>': write one, as in "split = 'test'"
    >>> print(of_condition("a = 'x'", "Conversion Error: Could not convert string 'x' to DOUBLE"))
    --where "a = 'x'": 'x' is not a number
    """
    for pattern, meaning in _MEANINGS:
        found = re.search(pattern, reason, re.DOTALL)
        if found is None:
            continue
        parts = {
            key: in_words(text) if key in ("one", "two", "kind") else text for key, text in found.groupdict().items()
        }
        if "types" in parts:
            parts["at"] = _OPERATORS.get(parts["at"], parts["at"])
            types = re.split(r",\s*(?![^(]*\))", parts["types"])
            parts["types"] = " and ".join(in_words(kind) for kind in types) if parts["types"] else "no argument"
        said = meaning.format(**parts)
        if said.startswith("is "):
            return f"--where {condition!r} {said}: write one, as in \"split = 'test'\""
        return f"--where {condition!r}: {said}"
    return f"--where {condition!r} cannot be applied: write one condition on columns, as in \"split = 'test'\""


def is_of_condition(reason: str) -> bool:
    """Say whether a condition is to blame, and not a file that is read with it."""
    return _OF_CONDITION.match(reason) is not None and _OF_FILE.search(reason) is None


def of_file(name: str, reason: str, *, limited: bool = False) -> str:
    """Return the error in a file that DuckDB cannot read, as one sentence; ``limited`` if its memory is.

    Examples
    --------
    >>> print(of_file("a.parquet", "Invalid Error: Snappy decompression failure"))
    a.parquet cannot be read as a table: it is cut off or damaged
    """
    if _DISK.search(reason):  # also called a lack of memory, since that was written to the disk
        return f"{name} cannot be read: there is not enough space for temporary files (TMPDIR names their folder)"
    if _MEMORY.search(reason):
        return f"{name} cannot be read: there is not enough memory for it{_WITHIN if limited else ''}"
    return (
        encrypted(name) if _ENCRYPTED.search(reason) else f"{name} cannot be read as a table: it is cut off or damaged"
    )


def encrypted(name: str) -> str:
    """Return the refusal of a file, or of columns in it, that need a key."""
    return f"{name} is encrypted: write it again without encryption"


def in_words(sql: str) -> str:
    """Return a type of SQL in words."""
    return next((words for pattern, words in _KINDS if re.search(pattern, sql)), f"a value of type {sql}")
