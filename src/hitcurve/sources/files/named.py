"""Columns of names (of groups, clusters, subjects), and words in them that stand for no name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hitcurve.sources.codes import WHOLE, name_of_word
from hitcurve.sources.files import duck
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.measures import is_float


@dataclass(frozen=True)
class NamedColumn:
    """A column of names in one or several files.

    NA and other usual words for a missing value are missing where all other names are numbers, which no group or
    subject among them is called. Beside names in words they are names, since NA may be Namibia.

    Numbers are named as numbers: 1.0 and 1 are one name where a column holds numbers, as it does in memory. Text keeps
    how it is written: in a column of text, between the quotes of JSON, and where a text file has any other name.

    Attributes
    ----------
    name : str
    of_numbers : bool
        Whether all other names are numbers.
    found : mapping of str to int
        The usual words that occur, and how often.
    meaning : function
        What a word of the column means as a name.
    """

    name: str
    of_numbers: bool = False
    found: Mapping[str, int] = field(default_factory=dict)
    meaning: Callable[[str], str] = str

    @classmethod
    def of(cls, files: Sequence[DataFile], name: str) -> NamedColumn:
        """Look at the words of a column."""
        kinds = {file.type_of(name) for file in files}
        if kinds == {"BOOLEAN"}:
            return cls(name, meaning=str.capitalize)
        found: Counter[str] = Counter()
        whole_with_point = False
        of_words = [file for file in files if file.type_of(name) in (None, "VARCHAR")]  # others hold no words
        for file in of_words:
            word, written = file.word(name), file.written(name)
            usual = f"{file.asked.absent.usual(word)} AND lower(trim({word})) NOT IN ('', 'nan', '-nan', '+nan')"
            pointed = f"bool_or({written} LIKE '%.' OR {written} LIKE '%.%0')"
            columns = f"CASE WHEN {usual} THEN {word} END, count(*), {pointed}"
            for one, count, has_point in file.rows(f"SELECT {columns} FROM {file.relation} GROUP BY ALL"):
                whole_with_point |= bool(has_point)
                if one is not None:
                    found[one] += count
        of_numbers = bool(found) and not any(_has_words(file, name, file.word(name)) for file in of_words)
        numbers = not of_words or (
            whole_with_point
            and "VARCHAR" not in kinds
            and not any(_has_words(file, name, file.written(name)) for file in of_words)
        )
        return cls(name, of_numbers, found, name_of_word if numbers else str)

    def sql(self, file: DataFile, missing: str) -> str:
        """Return the SQL of the names in a file, NULL where there is none.

        Parameters
        ----------
        file : DataFile
        missing : str
            The condition that is always one of no name.
        """
        word, absent, kind = file.word(self.name), file.asked.absent, file.type_of(self.name)
        name = _number_as_name(word) if self.meaning is str and kind is not None and is_float(kind) else word
        if kind is not None and kind.startswith("TIMESTAMP"):  # a day has no hour, as in memory
            name = f"regexp_replace({word}, ' 00:00:00$', '')"
        gone = [missing, *([absent.named(word)] if absent.more else []), *([absent.usual(word)] * self.of_numbers)]
        return f"CASE WHEN {' OR '.join(gone)} THEN NULL ELSE {name} END"

    @property
    def notes(self) -> list[str]:
        """Which words for missing values were taken for names, in words."""
        if self.of_numbers:
            return []
        return [
            f"{word!r} in column {self.name!r} is read as a name, in {count:,} rows: if it means a missing value, "
            f"give --na {word}"
            for word, count in sorted(self.found.items())
        ]


def _has_words(file: DataFile, name: str, text: str) -> bool:
    """Return whether some name, of which ``text`` is the SQL, is no number."""
    number = f"TRY_CAST({text} AS DOUBLE) IS NOT NULL"
    condition = f"{text} IS NOT NULL AND NOT ({number}) AND NOT {file.missing(name)}"
    return bool(file.rows(f"SELECT 1 FROM {file.relation} WHERE {condition} LIMIT 1"))


def _number_as_name(word: str) -> str:
    """Return the SQL of :func:`name_of_word` for numbers of a file beside files of text."""
    whole = f"CAST(CAST({word} AS BIGINT) AS VARCHAR)"
    return f"CASE WHEN regexp_full_match({word}, {duck.text(WHOLE)}) THEN {whole} ELSE {word} END"
