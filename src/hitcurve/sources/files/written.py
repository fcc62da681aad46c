"""Files whose columns have no types, as text and JSON: numbers are what is written as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hitcurve._cached import cached_property
from hitcurve.errors import ScoreError
from hitcurve.sources.files import duck
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.digits import have_cut
from hitcurve.sources.files.measures import Measure
from hitcurve.sources.files.numerals import DECIMALS, matches, read

# a number as people write it: DuckDB would also take 1_000 and +-1
_WHOLE = r"\s*[-+]?[0-9]+\s*"
_PADDED = r"\s*[-+]?0[0-9].*"  # 007 is a word
_MARKED = r"\s*[-+]?[0-9][0-9.,' \u00a0\u202f]*\s*"
_INFINITE = r"(?i)\W*inf(inity)?\W*"  # as text of JSON
_LONGEST = 60  # characters of a word that a sentence quotes whole
_DATE = "____-__-__%"
_ZONE = ".{11}.*[-+A-Za-z].*"  # after a date and its T: an offset, Z or the name of a zone


class WrittenFile(DataFile):
    """A file of written values: all of them say what a column holds."""

    def type_of(self, name: str) -> str | None:
        """Return None: columns have no types."""
        return None

    def measure(self, names: Sequence[str]) -> dict[str, Measure]:
        """Return what columns of numbers hold, by looking at every value."""
        decimal = self.asked.decimal if self.format.numerals else None
        total, found = self._counts(names, decimal)
        if decimal is None and any(found[2::6]) and self._decimal is not None:
            decimal = self._decimal
            total, found = self._counts(names, decimal)
        self._check_rows(total)
        out = {}
        for i, name in enumerate(names):
            floats, booleans, odd, low, high, gone = found[6 * i : 6 * i + 6]
            mixed = bool(booleans and (floats or low is not None))
            if odd or mixed:
                wrong = "('odd', 'bool')" if mixed else "('odd')"
                raise self._no_number(name, f"{self._class_of(name, decimal)} IN {wrong}")
            whole = (0, 1) if booleans else None if low is None else (int(low), int(high))
            kind = "BOOLEAN" if booleans else None
            out[name] = Measure(whole, "DOUBLE" if floats else None, kind, bool(booleans), bool(gone), decimal)
        cut = have_cut(self, [name for name, measure in out.items() if measure.floats], decimal)
        return {name: replace(measure, cut=cut.get(name, False)) for name, measure in out.items()}

    def _counts(self, names: Sequence[str], decimal: str | None) -> tuple[int, list[Any]]:
        """Return the number of rows, and of each column six counts and ends."""
        texts = {name: self._read(name, decimal) for name in names}
        classes = {name: self._class_of(name, decimal) for name in names}
        columns = ", ".join(f"{sql} AS k{i}, {texts[n]} AS t{i}" for i, (n, sql) in enumerate(classes.items()))
        counts = [
            f"count(*) FILTER (k{i} = 'float'), count(*) FILTER (k{i} = 'bool'), count(*) FILTER (k{i} = 'odd'), "
            f"min(CASE WHEN k{i} = 'whole' THEN CAST(t{i} AS HUGEINT) END), "
            f"max(CASE WHEN k{i} = 'whole' THEN CAST(t{i} AS HUGEINT) END), count(*) FILTER (k{i} = 'gone')"
            for i in range(len(names))
        ]
        answer = self.rows(f"SELECT count(*), {', '.join(counts)} FROM (SELECT {columns} FROM {self.relation})")
        total, *found = answer[0]
        return total, found

    def _read(self, name: str, decimal: str | None) -> str:
        """Return the SQL of a column of numbers, written as programs write them."""
        text = self.written(name)
        return text if decimal is None else read(text, decimal)

    def _class_of(self, name: str, decimal: str | None) -> str:
        """Return the SQL that says what a value of a column of numbers is; a missing one is ``gone``."""
        absent, word = self.asked.absent, self.word(name)
        named = f"WHEN {absent.named(word)} THEN 'gone' " if absent.more else ""
        return f"CASE {named}{_cases(self._read(name, decimal))} WHEN {absent.usual(word)} THEN 'gone' ELSE 'odd' END"

    @cached_property
    def _decimal(self) -> str | None:
        """The decimal mark if numbers are not all written as programs write them: as asked, or beyond doubt."""
        if not self.format.numerals:
            return None
        if self.asked.decimal is not None or not self.asked.numbers:
            return self.asked.decimal
        mark, odd = self._mark_of(self.asked.numbers)
        if mark is None and odd:
            raise self._in_doubt(odd)
        return mark

    def _mark_of(self, names: Sequence[str]) -> tuple[str | None, dict[str, str]]:
        """Return the decimal mark of columns of numbers that programs do not write so, None if there is none.

        Beside it, conditions on the rows of each column that are in doubt, where all may have either mark.
        """
        there = {name: f"{self.written(name)} IS NOT NULL AND NOT {self.missing(name)}" for name in names}
        # whole numbers that are odd are too long
        odd = {
            n: f"{ok} AND {_kind(self.written(n))} = 'odd' AND NOT {_is_whole(self.written(n))}"
            for n, ok in there.items()
        }
        asked = [f"bool_or({sql}), bool_or({sql} AND {_has_mark(self.written(n))})" for n, sql in odd.items()]
        found = self.rows(f"SELECT {', '.join(asked)} FROM {self.relation}")[0]
        if not any(found[::2]):
            return None, {}
        marked = any(found[1::2])
        asked = []
        for name, ok in there.items():
            fits = {mark: matches(self.written(name), mark) for mark in DECIMALS}
            asked += [f"count(*) FILTER ({ok} AND {fits[mark]})" for mark in DECIMALS]
            asked += [f"count(*) FILTER ({ok} AND {' AND '.join(fits.values())})", f"count(*) FILTER ({ok})"]
        found = self.rows(f"SELECT {', '.join(asked)} FROM {self.relation}")[0]
        points, commas, both, total = (sum(found[i::4]) for i in range(4))
        for mark, count in zip(DECIMALS, (points, commas), strict=True):
            if count == total and (count > both or not marked):
                return mark, {}
        # otherwise the first value that is no number is to blame
        return None, odd if both == total else {}

    def _in_doubt(self, odd: Mapping[str, str]) -> ScoreError:
        firsts = ((name, *self.first(self.written(name), sql)) for name, sql in odd.items())
        name, value, where = next(first for first in firsts if first[1] is not None)
        return ScoreError(
            f"column {name!r} of {self.path.name} has {value!r} in {where}, where the mark may be a decimal mark or a "
            "thousands separator: give the decimal mark (--decimal , or --decimal .)"
        )

    def notes(self, measures: Mapping[str, Measure]) -> list[str]:
        """Return how numbers of the file were read, in words, where it was not said."""
        if self.asked.decimal is not None:
            return []
        how = {",": "with a decimal comma", ".": "with separators between thousands"}
        seen = dict.fromkeys(mark for measure in measures.values() if (mark := measure.decimal) is not None)
        notes = [f"numbers of {self.path.name} were read {how[mark]}" for mark in seen]
        marks = self._marks_of_condition.items()
        apart = {name: mark for name, mark in marks if mark and mark not in seen and self.asked.names(name)}
        return notes + [
            f"numbers in column {name!r} of {self.path.name}, which the condition names, were read {how[mark]}"
            for name, mark in apart.items()
        ]

    @cached_property
    def _marks_of_condition(self) -> dict[str, str | None]:
        """The decimal mark of each column that the condition may name: that of the scores, or its own."""
        spoken = [name for name in self.nameable if self.asked.may_name(name)]
        own = bool(spoken) and self.format.numerals and self._decimal is None  # looks at every number
        return {name: self._mark_of([name])[0] if own else self._decimal for name in spoken}

    def _no_number(self, name: str, condition: str) -> ScoreError:
        value, where = self.first(self.written(name), condition)
        advice = ""
        if self.asked.decimal is not None and self.format.numerals and not value.strip("+- ").isdigit():
            advice = f"; the decimal mark is {self.asked.decimal!r}, as specified"
        elif any(sign.isdigit() and not sign.isascii() for sign in value):
            advice = "; numbers are written with the digits 0 to 9"
        elif not re.search(r"\d", value):
            advice = self._perhaps_missing(name, value, condition)
        elif re.fullmatch(_MARKED, value):
            advice = (
                "; whole numbers have at most 64 bits"
                if value.strip("+- ").isdigit()
                else self._way_with_mark(name, value)
            )
        return ScoreError(
            f"column {name!r} of {self.path.name} must hold real numbers, got {value[:_LONGEST]!r} in {where}{advice}"
        )

    def _way_with_mark(self, name: str, value: str) -> str:
        """Return which decimal mark makes numbers of a column, or which marks are mixed in it, as far as one does."""
        names = list(dict.fromkeys((name, *self.asked.numbers)))  # have one mark
        odd = {
            mark: {
                n: f"{self.written(n)} IS NOT NULL AND NOT {self.missing(n)} AND NOT {matches(self.written(n), mark)}"
                for n in names
            }
            for mark in DECIMALS
        }
        asked = [
            f"coalesce(bool_or({' OR '.join(f'({sql})' for sql in each.values())}), false)" for each in odd.values()
        ]
        asked += [matches(duck.text(value), mark) for mark in DECIMALS]
        found = self.rows(f"SELECT {', '.join(asked)} FROM {self.relation}")[0]
        if fitting := [mark for mark, wrong in zip(DECIMALS, found[:2], strict=True) if not wrong]:
            return f"; give the decimal mark ({' or '.join(f'--decimal {mark}' for mark in reversed(fitting))})"
        for mark, n in [(mark, n) for mark, fits in zip(DECIMALS, found[2:], strict=True) if fits for n in names]:
            other, where = self.first(self.written(n), odd[mark][n])
            if other is not None and re.fullmatch(_MARKED, other):
                column = "" if n == name else f" of column {n!r}"
                return f" and {other[:_LONGEST]!r} in {where}{column}: write all of them with one decimal mark"
        return ""

    def _perhaps_missing(self, name: str, value: str, condition: str) -> str:
        """Return how to say that a word among numbers stands for a missing value; in a column of words none does."""
        if len(value) > _LONGEST or re.fullmatch(_INFINITE, value):
            return ""
        same, odd = f"{self.written(name)} = {duck.text(value)}", f"coalesce({condition}, false)"
        gone = f"{self.written(name)} IS NULL OR {self.missing(name)}"
        asked = ", ".join(f"count(*) FILTER ({sql})" for sql in (odd, same, gone))
        total, words, count, absent = self.rows(f"SELECT count(*), {asked} FROM {self.relation}")[0]
        if words + absent >= total:
            return ""
        more = words - count
        others = f", {more:,} {'has' if more == 1 else 'have'} another word" if more else ""
        said = f"{count:,} of {total:,} rows {'has' if count == 1 else 'have'} it{others}"
        return f" ({said}); if it means a missing value, give --na {value!r}"

    @property
    def doubt(self) -> str:
        """Which column of the condition may have either decimal mark, as the end of a sentence."""
        marks = self._marks_of_condition if self.format.numerals and self.asked.decimal is None else {}
        for name, mark in marks.items():
            if mark is None and self.asked.names(name) and self._mark_of([name])[1]:
                return (
                    f"; the mark in numbers of column {name!r} may be a decimal mark or a thousands separator: give "
                    "the decimal mark (--decimal , or --decimal .)"
                )
        return ""

    def nameable_types(self) -> dict[str, str]:
        """Return the types that fit all values of the columns that the condition may name, and words for others."""
        texts = {
            name: f"CASE WHEN {self.missing(name)} THEN NULL ELSE {self._read(name, mark)} END"
            for name, mark in self._marks_of_condition.items()
        }
        classes = {name: (text, _kind(text)) for name, text in texts.items()}
        counts = [
            f"count({c}), count(*) FILTER ({kind} = 'whole'), count(TRY_CAST({c} AS BIGINT)), "
            f"count(*) FILTER ({kind} = 'float'), count(*) FILTER (regexp_full_match({c}, '{_PADDED}')), "
            f"count(*) FILTER ({kind} = 'bool'), "
            f"count(CASE WHEN {c} LIKE '{_DATE}' THEN TRY_CAST({c} AS TIMESTAMP) END), "
            f"count(CASE WHEN {c} LIKE '{_DATE}' THEN TRY_CAST({c} AS TIMESTAMPTZ) END), "
            f"count(*) FILTER (regexp_full_match({c}, '{_ZONE}'))"
            for c, kind in classes.values()
        ]
        found = self.rows(f"SELECT {', '.join(counts)} FROM {self.relation}")[0] if counts else ()
        out = dict.fromkeys(self.nameable, "VARCHAR")
        for i, name in enumerate(texts):
            there, whole, fit, floats, padded, booleans, times, instants, zones = found[9 * i : 9 * i + 9]
            fits = {
                "BIGINT": whole == fit == there and not padded,
                "HUGEINT": whole == there and not padded,
                "DOUBLE": whole + floats == there and not padded,
                "BOOLEAN": booleans == there,
                "TIMESTAMP": times == there and not zones,
                "TIMESTAMPTZ": instants == there,  # TIMESTAMP would drop the offset
            }
            out[name] = next((kind for kind, all_fit in fits.items() if there and all_fit), "VARCHAR")
        return out

    def _in_type(self, name: str, kind: str) -> str:
        if kind == "VARCHAR":
            return self.word(name)
        text = self._read(name, self._marks_of_condition[name])
        return f"CAST(CASE WHEN {self.missing(name)} THEN NULL ELSE {text} END AS {kind})"


def _is_whole(text: str) -> str:
    return f"regexp_full_match({text}, '{_WHOLE}')"


def _has_mark(text: str) -> str:
    return f"(contains({text}, ',') OR contains({text}, '.'))"


def _kind(text: str) -> str:
    """Return the SQL that says what a text is: a whole number, a float (nan is one), a boolean, odd, or NULL."""
    return f"CASE {_cases(text)} ELSE 'odd' END"


def _cases(text: str) -> str:
    return (
        f"WHEN {text} IS NULL THEN NULL "
        f"WHEN {_is_whole(text)} THEN CASE WHEN TRY_CAST({text} AS HUGEINT) "
        "BETWEEN -9223372036854775808 AND 18446744073709551615 THEN 'whole' ELSE 'odd' END "
        f"WHEN TRY_CAST({text} AS DOUBLE) IS NOT NULL AND NOT contains({text}, '_') AND NOT contains({text}, '+-') "
        f"THEN 'float' WHEN lower({text}) IN ('true', 'false') THEN 'bool'"
    )
