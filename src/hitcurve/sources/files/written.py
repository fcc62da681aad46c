"""Files whose columns have no types, as text and JSON: numbers are what is written as numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hitcurve.errors import ScoreError
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.measures import Measure

# a number as people write it: DuckDB would also take 1_000 and +-1
_WHOLE = r"\s*[-+]?[0-9]+\s*"
_PADDED = r"\s*[-+]?0[0-9].*"  # 007 is a word
_ABSENT = ("NA", "N/A", "n/a", "null", "NULL", "None", "none", "-", ".", "?")


class WrittenFile(DataFile):
    """A file of written values: all of them say what a column holds."""

    def type_of(self, name: str) -> str | None:
        """Return None: columns have no types."""
        return None

    def measure(self, names: Sequence[str]) -> dict[str, Measure]:
        """Return what columns of numbers hold, by looking at every value."""
        classes = {name: _class_of(self.written(name)) for name in names}
        columns = ", ".join(f"{sql} AS k{i}, {self.written(n)} AS t{i}" for i, (n, sql) in enumerate(classes.items()))
        counts = [
            f"count(*) FILTER (k{i} = 'float'), count(*) FILTER (k{i} = 'bool'), count(*) FILTER (k{i} = 'odd'), "
            f"min(CASE WHEN k{i} = 'whole' THEN CAST(t{i} AS HUGEINT) END), "
            f"max(CASE WHEN k{i} = 'whole' THEN CAST(t{i} AS HUGEINT) END)"
            for i in range(len(names))
        ]
        answer = self.rows(f"SELECT count(*), {', '.join(counts)} FROM (SELECT {columns} FROM {self.relation})")
        total, *found = answer[0]
        self._check_rows(total)
        out = {}
        for i, name in enumerate(names):
            floats, booleans, odd, low, high = found[5 * i : 5 * i + 5]
            mixed = bool(booleans and (floats or low is not None))
            if odd or mixed:
                wrong = "('odd', 'bool')" if mixed else "('odd')"
                raise self._no_number(name, f"{classes[name]} IN {wrong}")
            whole = (0, 1) if booleans else None if low is None else (int(low), int(high))
            out[name] = Measure(whole, "DOUBLE" if floats else None, "BOOLEAN" if booleans else None, bool(booleans))
        return out

    def _no_number(self, name: str, condition: str) -> ScoreError:
        value, where = self.first(self.written(name), condition)
        advice = ""
        if value in _ABSENT:
            advice = "; a missing value is left empty, or written nan"
        elif re.fullmatch(r"\s*[-+]?\d[\d.,' \u00a0\u202f]*\s*", value):
            advice = (
                "; whole numbers have at most 64 bits"
                if value.strip("+- ").isdigit()
                else "; numbers are written with a decimal point, and without separators"
            )
        return ScoreError(
            f"column {name!r} of {self.path.name} must hold real numbers, got {value[:60]!r} in {where}{advice}"
        )

    def nameable_types(self) -> dict[str, str]:
        """Return the types that fit all values of the columns that the condition may name, and words for others."""
        spoken = [name for name in self.nameable if self.asked.may_name(name)]
        classes = {name: (self.written(name), _class_of(self.written(name))) for name in spoken}
        counts = [
            f"count({c}), count(*) FILTER ({kind} = 'whole'), count(TRY_CAST({c} AS BIGINT)), "
            f"count(*) FILTER ({kind} = 'float'), count(*) FILTER (regexp_full_match({c}, '{_PADDED}')), "
            f"count(*) FILTER ({kind} = 'bool'), "
            f"count(CASE WHEN {c} LIKE '____-__-__%' THEN TRY_CAST({c} AS TIMESTAMP) END)"
            for c, kind in classes.values()
        ]
        found = self.rows(f"SELECT {', '.join(counts)} FROM {self.relation}")[0] if counts else ()
        out = dict.fromkeys(self.nameable, "VARCHAR")
        for i, name in enumerate(spoken):
            there, whole, fit, floats, padded, booleans, times = found[7 * i : 7 * i + 7]
            fits = {
                "BIGINT": whole == fit == there and not padded,
                "HUGEINT": whole == there and not padded,
                "DOUBLE": whole + floats == there and not padded,
                "BOOLEAN": booleans == there,
                "TIMESTAMP": times == there,
            }
            out[name] = next((kind for kind, all_fit in fits.items() if there and all_fit), "VARCHAR")
        return out

    def _in_type(self, name: str, kind: str) -> str:
        return self.word(name) if kind == "VARCHAR" else f"CAST({self.written(name)} AS {kind})"


def _class_of(text: str) -> str:
    """Return the SQL that says what a text is: a whole number, a float (nan is one), a boolean, odd, or NULL."""
    return (
        f"CASE WHEN {text} IS NULL THEN NULL "
        f"WHEN regexp_full_match({text}, '{_WHOLE}') THEN CASE WHEN TRY_CAST({text} AS HUGEINT) "
        "BETWEEN -9223372036854775808 AND 18446744073709551615 THEN 'whole' ELSE 'odd' END "
        f"WHEN TRY_CAST({text} AS DOUBLE) IS NOT NULL AND NOT contains({text}, '_') AND NOT contains({text}, '+-') "
        f"THEN 'float' WHEN lower({text}) IN ('true', 'false') THEN 'bool' ELSE 'odd' END"
    )
