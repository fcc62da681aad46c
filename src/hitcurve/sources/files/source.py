"""Files -> blocks: the needed columns, rows chosen and joined, in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve._progress import ROWS, tell
from hitcurve._threads import share_of_memory
from hitcurve.errors import EmptyInputError, InputError, MissingValueError, ParameterError, UnreadableFileError
from hitcurve.sources.block import Block, Reading
from hitcurve.sources.files import duck
from hitcurve.sources.files.batches import meant, numbered, rows_of_chunk, together
from hitcurve.sources.files.blocks import BlockMaker
from hitcurve.sources.files.condition import Condition
from hitcurve.sources.files.datafile import DataFile, in_place, measured, of_first
from hitcurve.sources.files.digits import check_digits
from hitcurve.sources.files.joined import LABELS, SCORES, Join, Joined, check_label, is_missing, is_missing_word
from hitcurve.sources.files.measures import Measure, common_weight, count_missing, is_float, is_whole, one_type
from hitcurve.sources.files.named import NamedColumn
from hitcurve.sources.files.numerals import DECIMALS, Absent
from hitcurve.sources.files.opening import column_beside, only_in
from hitcurve.sources.files.parts import Parts, open_parts
from hitcurve.sources.files.paths import check_differ
from hitcurve.sources.files.row_groups import RowGroups, folded

T = TypeVar("T")


@dataclass(frozen=True)
class FileSource:
    """One table in one or several files: delimited text, Parquet, Arrow or JSON lines.

    Attributes
    ----------
    paths : tuple of Path
        Files that are read one after another.
    label : str or None
        Column of the labels; None for the only column of the label file beside the id.
    rankers : tuple of str
        Columns of the scores.
    reading : Reading
    weight : str or None
        Column of the weights.
    where : str or None
        SQL condition on the columns of the files of scores and of the labels; other rows are not read.
    join : Join or None
    header : bool
        Whether text files begin with the names of the columns; they are named 1, 2, ... otherwise.
    cluster, by : str or None
        Columns of the clusters and of the groups, in the files of scores or else of labels.
    na : sequence of str
        Words for missing values, beside the usual ones (NA, null, nan, a point, nothing and such), which are missing in
        columns of numbers and labels, and in those of names where all other names are numbers; else this is noted.
    decimal : {".", ","} or None
        The decimal mark of text files. None to see it in the numbers where it is unambiguous, which is noted.
    memory : int or None
        Bytes that reading may take.
    """

    paths: tuple[Path, ...]
    label: str | None
    rankers: tuple[str, ...]
    reading: Reading
    weight: str | None = None
    where: str | None = None
    join: Join | None = None
    header: bool = True
    cluster: str | None = None
    by: str | None = None
    na: Sequence[str] = ()
    decimal: str | None = None
    memory: int | None = field(default_factory=share_of_memory)

    def __post_init__(self) -> None:
        if not self.paths:
            raise ParameterError("no file given")
        check_differ(self.paths)
        if isinstance(self.na, str):
            raise ParameterError(f"na must be a list of words, got {self.na!r}")
        if self.decimal is not None:
            _checks.choice("decimal", self.decimal, DECIMALS)
        check_label(self.label, self.join)
        self.reading.check_rankers(self.rankers)
        _ = self._parts, self._label_file
        if self._condition is not None:
            _ = self._condition.needs_labels  # refuses what is no condition
        _ = self._types
        if self._joined is not None:
            self._joined.check()

    def __getstate__(self) -> dict[str, Any]:
        """Leave the connection behind: what is pickled opens its own."""
        return {name: value for name, value in self.__dict__.items() if name in self.__dataclass_fields__}

    # ---- the files

    @property
    def _labels_apart(self) -> bool:
        return self.join is not None and self.join.labels is not None

    @property
    def _named_by(self) -> dict[str, str]:
        """Return the columns of names."""
        given = {"clusters": self.cluster, "groups": self.by}
        return {place: column for place, column in given.items() if column is not None}

    @property
    def _measured(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.rankers, *([self.weight] if self.weight else [])]))

    @cached_property
    def _parts(self) -> Parts:
        ids = [self.join.on] if self.join else []
        named = [column for place, column in self._named_by.items() if place not in self._names_of_labels]
        words = [*ids, *([] if self._labels_apart else [str(self.label)]), *named]
        needed = tuple(dict.fromkeys([*words, *self._measured]))
        how: dict[str, Any] = {"header": self.header, "absent": self._absent, "decimal": self.decimal}
        how |= {"condition": self.where or "", "numbers": self._measured}
        return open_parts(self.paths, needed, self._db, **how)

    @property
    def _files(self) -> list[DataFile]:
        return self._parts.files

    @cached_property
    def _names_of_labels(self) -> tuple[str, ...]:
        """Return which names stand in the file of labels, and not in the first file of scores."""
        labels = None if self.join is None else self.join.labels
        there = () if labels is None else only_in(labels, self._named_by.values(), self.paths, header=self.header)
        return tuple(place for place, column in self._named_by.items() if column in there)

    def _files_of(self, column: str) -> list[DataFile]:
        """Return the files that hold a column of names."""
        apart = any(self._named_by[place] == column for place in self._names_of_labels)
        return [self._label_file] if apart and self._label_file is not None else self._files

    @cached_property
    def _absent(self) -> Absent:
        return Absent(tuple(self.na), self.reading.pos_label)

    @cached_property
    def _label_file(self) -> DataFile | None:
        """Return the file of the labels, if they are apart."""
        if self.join is None or self.join.labels is None:
            return None
        on, label = self.join.on, self.label
        if label is None:
            label = column_beside(self.join.labels, on, self._db)
        how: dict[str, Any] = {"condition": self.where or "", "decimal": self.decimal}
        wanted = tuple(dict.fromkeys([on, label, *(self._named_by[place] for place in self._names_of_labels)]))
        return open_parts([self.join.labels], wanted, self._db, absent=self._absent, **how).files[0]

    @property
    def _every_file(self) -> list[DataFile]:
        return [*self._files, *([self._label_file] if self._label_file else [])]

    @property
    def _name(self) -> str:
        return self._files[0].path.name if len(self._files) == 1 else f"{len(self._files)} files"

    @cached_property
    def _db(self) -> Any:
        apart = [self.join.labels] if self.join is not None and self.join.labels is not None else []
        return duck.connect([*self.paths, *apart], self.memory)

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._asked(sql, lambda found: list(found.fetchall()))

    def _asked(self, sql: str, use: Callable[[Any], T]) -> T:
        try:
            return duck.query(self._db, sql, use, self._every_file, self.where)
        except (UnreadableFileError, ParameterError):
            # what goes wrong in a file that is being written is no fault of its content
            self._check_unchanged()
            raise

    @property
    def _nobody(self) -> EmptyInputError:
        return EmptyInputError(f"{self._name} has no rows{'' if self.where is None else f' where {self.where}'}")

    def _check_unchanged(self) -> None:
        for file in self._every_file:
            file.asked.content.check_unchanged()

    @cached_property
    def _measures(self) -> list[dict[str, Measure]]:
        return measured(self._files, self._measured)

    @cached_property
    def _types(self) -> dict[str, str]:
        """Return the SQL type of each column of numbers, the same in all files."""
        out = {}
        for name in self._measured:
            found = [measures[name] for measures in self._measures]
            if any(measure.there for measure in found):
                out[name] = one_type(name, [file.path.name for file in self._files], found)
            elif self.reading.missing == "last" and name in self.rankers:
                out[name] = "DOUBLE"  # all subjects are last, tied
            else:
                raise EmptyInputError(f"{self._name} has no rows with a value of {name!r}")
            if name in self.rankers:
                check_digits(name, self._files, found)
        return out

    @cached_property
    def _condition(self) -> Condition | None:
        return None if self.where is None else Condition(self.where, self._db, self._files, self._label_file)

    @cached_property
    def _typed_labels(self) -> bool:
        """Whether labels are numbers or booleans in all files, and need not pass through text."""
        kinds = [None] if self.join else [file.type_of(str(self.label)) for file in self._files]
        return (
            all(kind is not None and (is_whole(kind) or is_float(kind)) for kind in kinds) and not self._absent.numbers
        )

    @cached_property
    def _whole_names(self) -> frozenset[str]:
        """Columns of names that are whole numbers of one type in all files, and need not pass through text."""
        columns = () if self.join or self._absent.numbers else self._named_by.values()
        kinds = {column: {file.type_of(column) for file in self._files} for column in columns}
        one = {column: kind for column, (kind, *others) in kinds.items() if not others}
        return frozenset(c for c, kind in one.items() if kind is not None and is_whole(kind) and kind != "BOOLEAN")

    def _label(self, word: str) -> Any:
        """Return the label that a word means: a number if it is written as one, None if it is missing."""
        return None if self._absent.holds(word) else meant(word)

    # ---- the relation: label, s0, s1, ..., weight

    @property
    def _columns(self) -> dict[str, str]:
        """Return the columns of the scores in the relation, by ranker."""
        return {name: f"s{place}" for place, name in enumerate(self.rankers)}

    @property
    def _scores(self) -> str:
        """Return the SQL of the files of scores, one after another."""
        return " UNION ALL ".join(f"({sql})" for sql in map(self._of_file, self._files, self._measures))

    def _of_file(self, file: DataFile, measures: Mapping[str, Measure]) -> str:
        picked = []
        if self.join is not None:
            picked.append(f"{self._id(file, self.join.on)} AS id")
        if not self._labels_apart:
            label = str(self.label)
            picked.append(f"{file.column(label) if self._typed_labels else file.word(label)} AS label")
        numbers = [*self._columns.items(), *([(self.weight, "weight")] if self.weight else [])]
        picked += [f"{file.number(name, self._types[name], measures[name])} AS {place}" for name, place in numbers]
        for place, c in self._named_by.items():
            if place not in self._names_of_labels:
                picked.append(f"{file.column(c) if c in self._whole_names else self._name_in(file, c)} AS {place}")
        columns = ", ".join(picked)
        if self._condition is None:
            return f"SELECT {columns} FROM {file.relation}"
        return self._condition.chosen(file, columns, self._own_id)

    @cached_property
    def _names(self) -> dict[str, NamedColumn]:
        """Return the columns of names, and which words in them stand for none."""
        found = {name: NamedColumn.of(self._files_of(name), name) for name in dict.fromkeys(self._named_by.values())}
        return found if self.join is None else {**found, self.join.on: NamedColumn.of(self._every_file, self.join.on)}

    def _name_in(self, file: DataFile, column: str) -> str:
        return self._names[column].sql(file, is_missing_word(file.word(column)))

    def _id(self, file: DataFile, on: str) -> str:
        return self._names[on].sql(file, f"{file.word(on)} = ''")

    def _own_id(self, file: DataFile) -> str:
        return self._id(file, self.join.on if self.join is not None else "")

    @cached_property
    def _joined(self) -> Joined | None:
        if self.join is None:
            return None
        label = f"CASE WHEN {self._absent.label_sql('label')} THEN NULL ELSE label END AS label"
        if self._label_file is None:
            self._rows(f"CREATE TEMP TABLE {SCORES} AS SELECT * REPLACE ({label}) FROM ({self._scores})")
        else:
            self._rows(f"CREATE TEMP TABLE {SCORES} AS {self._scores}")
            name, chosen = self._label_file.asked.wanted[1], self._label_file.relation
            if self._condition is not None:
                chosen = self._condition.labels_chosen(SCORES, self._own_id)
                self._condition.check_labels(self._rows, self._own_id)
            columns = f"{self._id(self._label_file, self.join.on)} AS id, {self._label_file.word(name)} AS label"
            for place in self._names_of_labels:
                columns += f", {self._name_in(self._label_file, self._named_by[place])} AS {place}"
            found = f"SELECT * REPLACE ({label}) FROM (SELECT {columns} FROM {chosen})"
            self._rows(f"CREATE TEMP TABLE {LABELS} AS {found}")
        if not self._rows(f"SELECT 1 FROM {SCORES} LIMIT 1"):
            raise self._nobody
        names, weighted = (tuple(self._named_by), self._names_of_labels), self.weight is not None
        return Joined(self._rows, self.join, self._name, self._columns, weighted, self.reading, *names)

    @cached_property
    def _relation(self) -> str:
        if self._joined is not None:
            return self._joined.relation
        more = [*(["weight"] if self.weight else []), *self._named_by]
        return f"SELECT {', '.join(['label', *self._columns.values(), *more])} FROM ({self._scores})"

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What happened on the way to the subjects, in words."""
        chosen = [*self._parts.notes, *([] if self.where is None else [f"rows where {self.where}"])]
        for file, measures in zip(self._files, self._measures, strict=True):
            chosen += file.notes(measures)
        if self._label_file is not None and self._condition is not None and self._condition.needs_labels:
            chosen += self._label_file.notes({})
        chosen += [note for column in self._names.values() for note in column.notes]
        return (*chosen, *(self._joined.notes if self._joined else []))

    @property
    def repeats(self) -> bool | None:
        """Whether an id is in several groups; None if subjects have no ids, so that it is not known."""
        return None if self._joined is None else self._joined.repeats

    # ---- as a source

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Read the files once: apply ``map`` to every chunk, combine in the order of the files."""

        def fold(found: Any) -> tuple[T] | tuple[()]:
            tell(ROWS, 0, 0)
            rows = rows_of_chunk(len(self.rankers), len(self._named_by), self.memory)
            with found.to_arrow_reader(rows) as reader:
                batches = numbered(together(reader, rows) if self._named_by else reader)
                return folded((partial(list, [one]) for one in batches), self._maker, map, combine)

        with self.refusing():
            found = self._row_groups.folded(self._maker, map, combine) or self._asked(self._relation, fold)
        if not found:
            raise self._nobody
        self._check_unchanged()
        return found[0]

    def reduce_positives(self, map: Callable[[Block], T], combine: Callable[[T, T], T], most: int) -> T | None:
        """Read the positives alone, where that is quick and all rows take more than so many bytes; else None."""
        label, groups = self.reading.positive_number, self._row_groups
        with self.refusing():
            quick = label is not None and groups.rows * sum(groups.widths) > most
            return next(iter(groups.folded(self._maker, map, combine, label) if quick else ()), None)

    @property
    def bytes_at_least(self) -> int:
        """How much memory the blocks of all rows take; 0 where that is not known before they are read."""
        return 0 if self.reading.missing == "drop" else self._row_groups.bytes_of_blocks(len(self.rankers))

    @cached_property
    def _row_groups(self) -> RowGroups:
        columns = [str(self.label), *self.rankers, *([self.weight] if self.weight else [])]
        simple = self._typed_labels and not (self.where or self._named_by) and len({*columns}) == len(columns)
        if not simple or any(file.format.called != "Parquet" for file in self._files):
            return RowGroups()
        return RowGroups.of([file.path for file in self._files], columns, self._types, self.memory)

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Say of what is refused in a chunk how much or where it is in all files, unless they changed meanwhile."""
        try:
            yield
        except InputError as error:
            self._check_unchanged()
            files = [] if self.where or self.join else self._files  # chosen rows have no places in their files
            place = partial(of_first, files, map(self._of_file, files, self._measures))
            missing = (self._rows, self._relation, self._named_by, self._gone, place)
            gone = count_missing(*missing) if isinstance(error, MissingValueError) else None
            named = None if self._joined is None else self._joined.with_id
            raise gone or (named(error) if named else in_place(error, files, self.label, self.where)) from None

    @cached_property
    def _common_weight(self) -> float | None:
        gone = [*self._gone.values(), is_missing("weight")] if self.reading.missing == "drop" else []
        return common_weight(self._rows, self._relation, gone)

    @property
    def _gone(self) -> dict[str, str]:
        """Return the conditions under which a label or a score is missing."""
        label = is_missing("label") if self._typed_labels else self._absent.label_sql("label")
        of_label = {} if self.reading.unlabelled else {"label": label}
        return {**of_label, **{f"score {name!r}": is_missing(column) for name, column in self._columns.items()}}

    @property
    def _maker(self) -> BlockMaker:
        return BlockMaker(
            self.rankers,
            self.reading,
            None if self._typed_labels else self._label,
            self.weight is not None,
            None if self.weight is None else self._common_weight,
            {place: self._names[column].meaning for place, column in self._named_by.items()},
        )
