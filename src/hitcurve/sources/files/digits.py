"""Numbers that differ as they are written, and are one as floats: they would be ties that nobody has seen."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from hitcurve.errors import ScoreError
from hitcurve.sources.files import duck
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.measures import Measure
from hitcurve.sources.files.numerals import read

_LARGE = "[eE][-+]?0*[1-9][0-9][0-9]"  # exponents


def is_cut(text: str) -> str:
    """Return the SQL that says whether a number has digits that no program writes of the float it becomes.

    Numbers of up to 15 digits are all different as floats, and a float is written with the fewest digits that tell it
    apart, with 17, or with 19 (``numpy.savetxt``). Beyond the largest float and below the smallest one of all digits,
    numbers that differ become infinite, 0 or one however few digits they have.
    """
    number = f"TRY_CAST({text} AS DOUBLE)"
    shortest = f"{_digits(text)} = {_digits(f'CAST({number} AS VARCHAR)')}"  # with other zeros or another exponent
    beyond = f"isinf({number}) AND NOT contains(lower({text}), 'inf')"
    below = f"abs({number}) < {sys.float_info.min!r} AND regexp_matches({text}, '^[^eE]*[1-9]')"
    return (
        # short numbers need an exponent to be that far; most numbers are told by their length
        f"CASE WHEN coalesce(length({text}) <= 16 AND NOT regexp_matches({text}, '{_LARGE}'), true) THEN false "
        f"WHEN coalesce({text} = CAST({number} AS VARCHAR), true) THEN false "
        f"WHEN ({beyond}) OR ({below}) THEN true "
        f"WHEN length({text}) <= 16 OR isinf({number}) OR coalesce({shortest}, false) THEN false "
        f"ELSE coalesce({text} NOT IN (printf('%.17g', {number}), printf('%.18e', {number})), false) END"
    )


def _digits(text: str) -> str:
    """Return the SQL of the digits of a number between its first and its last that is not 0."""
    return f"trim(translate(split_part(lower({text}), 'e', 1), '+-. ', ''), '0')"


def have_cut(file: DataFile, names: Sequence[str], decimal: str | None) -> dict[str, bool]:
    """Return which columns of floats hold a number whose digits are cut off."""
    if not names:
        return {}
    texts, relation = _as_written(file, names, decimal)
    (found,) = file.rows(f"SELECT {', '.join(f'bool_or({is_cut(text)})' for text in texts)} FROM {relation}")
    return {name: bool(one) for name, one in zip(names, found, strict=True)}


def check_digits(name: str, files: Sequence[DataFile], measures: Sequence[Measure]) -> None:
    """Refuse a column of scores in which numbers that differ become one.

    Raises
    ------
    ScoreError
        With two such numbers.
    """
    if not any(measure.cut for measure in measures):
        return
    parts = []
    for file, measure in zip(files, measures, strict=True):
        (text,), relation = _as_written(file, [name], measure.decimal)
        parts.append(f"SELECT {text} AS t FROM {relation}")
    numbers = f"(SELECT t, TRY_CAST(t AS DOUBLE) AS d FROM ({' UNION ALL '.join(parts)}))"
    sql = (
        f"SELECT list(DISTINCT t) FROM {numbers} WHERE d IN (SELECT d FROM {numbers} WHERE {is_cut('t')}) "
        "GROUP BY d HAVING min(t) <> max(t) ORDER BY d"
    )
    for (same,) in duck.rows(files[0].asked.db, sql, files):
        different = {_value(text): text for text in sorted(same)}
        if len(different) > 1:
            first, second = list(different.values())[:2]
            raise ScoreError(
                f"column {name!r} of {files[0].path.name} holds {first.strip()[:60]} and {second.strip()[:60]}, which "
                "are equal as 64-bit floats and would create a tie: round them, or store their ranks"
            )


def _as_written(file: DataFile, names: Sequence[str], decimal: str | None) -> tuple[list[str], str]:
    """Return the SQL of numbers with all the digits they have in the file, and of the relation that has them."""
    texts, relation = file.format.digits(dict(zip(names, map(file.column, names), strict=True)), file.relation)
    return texts if decimal is None else [read(text, decimal) for text in texts], relation


def _value(text: str) -> Decimal | str:
    try:
        return Decimal(text.strip())
    except InvalidOperation:
        return text
