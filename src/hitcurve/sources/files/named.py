"""Columns of names (of groups, clusters, subjects), and words in them that stand for no name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hitcurve.sources.codes import name_of_word
from hitcurve.sources.files.datafile import DataFile


@dataclass(frozen=True)
class NamedColumn:
    """A column of names in one or several files.

    NA and other usual words for a missing value are missing where all other names are numbers, which no group or
    subject among them is called. Beside names in words they are names, since NA may be Namibia.

    Attributes
    ----------
    name : str
    of_numbers : bool
        Whether all other names are numbers.
    found : mapping of str to int
        The usual words that occur, and how often.
    """

    name: str
    of_numbers: bool = False
    found: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Sequence[DataFile], name: str) -> NamedColumn:
        """Look at the words of a column."""
        files = [file for file in files if file.type_of(name) in (None, "VARCHAR")]  # others hold no words
        found: Counter[str] = Counter()
        for file in files:
            word = file.word(name)
            usual = f"{file.asked.absent.usual(word)} AND lower(trim({word})) NOT IN ('', 'nan', '-nan', '+nan')"
            of_file = file.rows(f"SELECT {word}, count(*) FROM {file.relation} WHERE {usual} GROUP BY ALL")
            found.update(dict(of_file))
        if not found:
            return cls(name)
        return cls(name, not any(_has_words(file, name) for file in files), found)

    def sql(self, file: DataFile, missing: str) -> str:
        """Return the SQL of the names in a file, NULL where there is none.

        Parameters
        ----------
        file : DataFile
        missing : str
            The condition that is always one of no name.
        """
        word, absent = file.word(self.name), file.asked.absent
        gone = [missing, *([absent.named(word)] if absent.more else []), *([absent.usual(word)] * self.of_numbers)]
        return f"CASE WHEN {' OR '.join(gone)} THEN NULL ELSE {word} END"

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


def meaning_of(name: str, files: Sequence[DataFile]) -> Callable[[str], str]:
    """Return what words of a column of names mean: numbers are named as numbers unless the column is text."""
    kinds = {file.type_of(name) for file in files}
    if kinds == {"BOOLEAN"}:
        return str.capitalize
    return str if kinds == {"VARCHAR"} else name_of_word


def _has_words(file: DataFile, name: str) -> bool:
    word = file.word(name)
    number = f"TRY_CAST({word} AS DOUBLE) IS NOT NULL"
    condition = f"{word} IS NOT NULL AND NOT ({number}) AND NOT {file.missing(name)}"
    return bool(file.rows(f"SELECT 1 FROM {file.relation} WHERE {condition} LIMIT 1"))
