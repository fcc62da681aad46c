"""Subjects that are known by an id: labels from another file, several rows of one id, and what matched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.errors import EmptyInputError, InputError, LabelError, MissingValueError, ParameterError, WeightError
from hitcurve.sources.block import Reading, missing_error
from hitcurve.sources.files.batches import meant
from hitcurve.sources.files.datafile import ROW
from hitcurve.sources.labels import rarest

PER_ID = ("refuse", "best", "mean")
SCORES, LABELS, SUBJECTS = "scores", "labels", "subjects"  # tables


@dataclass(frozen=True)
class Join:
    """Subjects that are known by an id.

    Attributes
    ----------
    on : str
        Column of the ids, in every file.
    labels : Path or None
        A file of labels that is joined to the scores.
    per_id : {"refuse", "best", "mean"}
        What to do with several rows of one id: refuse, the best score of each ranker (the best pose of a
        molecule), or the mean score.
    """

    on: str
    labels: Path | None = None
    per_id: str = "refuse"

    def __post_init__(self) -> None:
        _checks.choice("--per-id", self.per_id, PER_ID)


def check_label(label: str | None, join: Join | None) -> None:
    """Refuse labels of which the column is not known, or is that of the ids.

    Raises
    ------
    ParameterError
        If it is so.
    """
    if label is None and (join is None or join.labels is None):
        raise ParameterError("give the column of the labels (--label)")
    if label is not None and join is not None and label == join.on:
        apart = "" if join.labels is None else f" of {join.labels.name}"
        raise ParameterError(
            f"{label!r} is named as the column of the labels (--label) and as that of the ids (--on): name the column"
            f"{apart} that contains the labels"
        )


@dataclass(frozen=True)
class Joined:
    """Tables of what the files say about ids, which are asked many things: the files themselves are read once.

    Attributes
    ----------
    ask : callable
        Runs SQL and returns the rows.
    join : Join
    name : str
        What the files of scores are called.
    rankers : mapping of str to str
        Columns of the scores in the tables, by ranker.
    weight : bool
        Whether there is a column of weights.
    reading : Reading
    names : tuple of str
        Columns of names: ``clusters``, ``groups``.
    names_of_labels : tuple of str
        Which of them come from the file of labels.
    """

    ask: Callable[[str], list[tuple[Any, ...]]]
    join: Join
    name: str
    rankers: dict[str, str]
    weight: bool
    reading: Reading
    names: tuple[str, ...] = ()
    names_of_labels: tuple[str, ...] = ()

    @property
    def _carried(self) -> list[str]:
        """What a subject has beside label and scores."""
        return [*(["weight"] if self.weight else []), *self.names]

    @property
    def _carried_by_scores(self) -> list[str]:
        return [column for column in self._carried if column not in self.names_of_labels]

    @property
    def _per_group(self) -> bool:
        """Whether a subject may be scored once in each of several groups, such as folds that are repeated."""
        return "groups" in self._carried_by_scores

    @property
    def _apart(self) -> bool:
        return self.join.labels is not None

    @property
    def _several(self) -> bool:
        return self.join.per_id != "refuse"

    @property
    def _label_table(self) -> str:
        return LABELS if self._apart else SCORES

    @property
    def _label_name(self) -> str:
        return self.name if self.join.labels is None else self.join.labels.name

    # ---- refusals

    def with_id(self, error: InputError) -> InputError:
        """Return the refusal of a weight with the id of its subject in place of its row, counted from 0.

        Or that of more labels than two with an id that has the rarest one of those that it lists.
        """
        if isinstance(error, WeightError) and (found := ROW.fullmatch(str(error))):
            table = SUBJECTS if self._apart or self._several else SCORES
            of = self.ask(f"SELECT id FROM {table} LIMIT 1 OFFSET {found[2]}")[0][0]
            return WeightError(f"{found[1]}the row of {self.join.on} {_shown(of)}{found[3]}")
        if isinstance(error, LabelError) and "got more" in str(error):
            of_label = self.ask(
                f"SELECT label, count(*), min(id) FROM {self._label_table} WHERE label IS NOT NULL GROUP BY label "
                "ORDER BY label"
            )
            label = rarest(str(error), {word: count for word, count, _ in of_label}, meant)
            of = next(least for word, _, least in of_label if word == label)
            return LabelError(f"{error}; {_shown(label)} is that of {self.join.on} {_shown(of)}")
        return error

    def check(self) -> None:
        """Refuse ids that are missing, repeated without a policy, of two labels, or in one file only.

        Raises
        ------
        InputError
            One of its kinds, with numbers and an example.
        """
        sides = [(self.name, SCORES), *([(self._label_name, LABELS)] if self._apart else [])]
        for name, table in sides:
            gone, total = self.ask(f"SELECT count(*) FILTER (id IS NULL), count(*) FROM {table}")[0]
            if not total:
                raise EmptyInputError(f"{name} has no rows")
            if gone:
                raise MissingValueError(f"{gone} of {total} rows of {name} have no {self.join.on!r}: an id is needed")
            if not self._several:
                self._check_distinct(name, table, "id, groups" if table == SCORES and self._per_group else "id")
        self._check_labels()
        if self._several:
            self._check_rows_of_ids()
        if self._apart:
            self._check_match()

    def _check_distinct(self, name: str, table: str, what: str) -> None:
        count, example, times = self.ask(
            f"SELECT count(*), min(id), arg_min(k, id) FROM "
            f"(SELECT id, count(*) AS k FROM {table} GROUP BY {what} HAVING count(*) > 1)"
        )[0]
        if count:
            raise InputError(
                f"{count} {'ids repeat' if count > 1 else 'id repeats'} in "
                f"{'a group of ' if 'groups' in what else ''}{name}, such as {_shown(example)} "
                f"({times} rows): take the best or the mean score of each with --per-id best or --per-id mean"
            )

    def _check_labels(self) -> None:
        # 1 and 1.0 are one label
        meant = "coalesce(CAST(TRY_CAST(label AS DOUBLE) AS VARCHAR), label)"
        two = self.ask(
            f"SELECT id, min(label), max(label) FROM {self._label_table} GROUP BY id "
            f"HAVING min({meant}) <> max({meant}) ORDER BY id LIMIT 1"
        )
        if two:
            raise LabelError(
                f"{self.join.on} {_shown(two[0][0])} has two labels in {self._label_name}: "
                f"{_shown(two[0][1])} and {_shown(two[0][2])}"
            )

    def _check_rows_of_ids(self) -> None:
        """Refuse what would be chosen silently among the rows of an id."""
        for column in self._carried:
            table, name = (LABELS, self._label_name) if column in self.names_of_labels else (SCORES, self.name)
            two = self.ask(
                f"SELECT id FROM {table} GROUP BY id HAVING min({column}) <> max({column}) "
                f"OR count({column}) NOT IN (0, count(*)) ORDER BY id LIMIT 1"
            )
            if two:
                what = "weights" if column == "weight" else column
                raise InputError(f"{self.join.on} {_shown(two[0][0])} has rows of different {what} in {name}")
        if self.reading.missing == "raise":
            gone, total = self.ask(f"SELECT count(*) FILTER (label IS NULL), count(*) FROM {self._label_table}")[0]
            if gone and not self.reading.unlabelled:
                raise missing_error("label", gone, total)
            for ranker, gone in self._without_score.items():
                if gone:
                    raise missing_error(f"score {ranker!r}", gone, self._counts[0])

    def _check_match(self) -> None:
        both, only_scores, only_labels, example, other = self._match
        where, there, on = self.name, self._label_name, self.join.on
        if not both:
            raise InputError(f"no {on} of {where} is in {there}: examples are {_shown(example)} and {_shown(other)}")
        if (only_scores or only_labels) and self.reading.missing == "raise":
            parts = [
                *([f"{only_scores} of {where} have no label (such as {_shown(example)})"] if only_scores else []),
                *([f"{only_labels} of {there} have no score (such as {_shown(other)})"] if only_labels else []),
            ]
            advice = "drop these with --missing drop, or rank subjects without a score last with --missing last"
            if self.reading.unlabelled and not only_labels:
                advice = f"unlabelled subjects need a row with an empty label in {there}"
            raise MissingValueError(f"by {on!r}, {both} subjects match, {' and '.join(parts)}: {advice}")
        if only_labels and self._carried_by_scores and self.reading.missing == "last":
            lacks = {"weight": "no weight to be ranked last with", "groups": "no group to be ranked last in"}
            raise MissingValueError(
                f"{only_labels} of {there} have no score (such as {_shown(other)}), and "
                f"{lacks.get(self._carried_by_scores[-1], 'no cluster')}: drop them with --missing drop"
            )

    # ---- what is known

    @cached_property
    def _match(self) -> tuple[int, int, int, str | None, str | None]:
        """Return how many ids are in both, only with a score, only with a label, and an example of the last two."""
        both, scores, labels, example, other = self.ask(
            f"SELECT count(*) FILTER (s.id IS NOT NULL AND l.id IS NOT NULL), count(*) FILTER (l.id IS NULL), "
            f"count(*) FILTER (s.id IS NULL), min(s.id) FILTER (l.id IS NULL), min(l.id) FILTER (s.id IS NULL) "
            f"FROM (SELECT DISTINCT id FROM {SCORES}) s FULL OUTER JOIN (SELECT DISTINCT id FROM {LABELS}) l "
            "ON s.id = l.id"
        )[0]
        return both, scores, labels, example, other

    @cached_property
    def _counts(self) -> tuple[int, int]:
        rows, ids = self.ask(f"SELECT count(*), count(DISTINCT id) FROM {SCORES}")[0]
        return rows, ids

    @cached_property
    def _without_score(self) -> dict[str, int]:
        counts = ", ".join(f"count(*) FILTER ({is_missing(column)})" for column in self.rankers.values())
        return dict(zip(self.rankers, self.ask(f"SELECT {counts} FROM {SCORES}")[0], strict=True))

    @property
    def repeats(self) -> bool:
        """Whether an id is in several groups, each a subject of its own."""
        rows, ids = self._counts
        return not self._several and rows > ids

    @property
    def notes(self) -> list[str]:
        """What happened on the way to the subjects, in words."""
        notes = []
        if self._apart:
            both, only_scores, only_labels, *_ = self._match
            notes.append(
                f"joined by {self.join.on!r}: {both} matched, {only_scores} without a label, "
                f"{only_labels} without a score"
            )
        rows, ids = self._counts if self._several or self._per_group else (0, 0)
        if self._per_group and self.repeats:
            notes.append(f"{rows} rows of {ids} ids, each once in a group")
        if self._several:
            notes.append(f"{self.join.per_id} score of each {self.join.on!r}: {rows} rows of {ids} ids")
            notes += [
                f"{gone} rows without a score {ranker!r} were ignored because their id has another score"
                for ranker, gone in self._without_score.items()
                if gone
            ]
        return notes

    # ---- the subjects

    @cached_property
    def relation(self) -> str:
        """Return SQL of the subjects: label, scores, weight, names."""
        columns = ", ".join(["label", *self.rankers.values(), *self._carried])
        if not self._apart and not self._several:
            return f"SELECT {columns} FROM {SCORES}"
        # sums of weights, and of clusters, are added in a fixed order
        order = " ORDER BY id" if self._carried else ""
        found = f"SELECT id, {columns} FROM ({self._one_row_per_id}){order}"
        self.ask(f"CREATE OR REPLACE TEMP TABLE {SUBJECTS} AS {found}")
        return f"SELECT {columns} FROM {SUBJECTS}"

    @property
    def _one_row_per_id(self) -> str:
        scores = SCORES
        if self._several:
            picked = ["id", *([] if self._apart else ["any_value(label) AS label"])]
            picked += [f"{self._of_rows(column, name)} AS {column}" for name, column in self.rankers.items()]
            picked += [f"any_value({column}) AS {column}" for column in self._carried_by_scores]
            scores = f"(SELECT {', '.join(picked)} FROM {SCORES} GROUP BY id)"
        if not self._apart:
            return f"SELECT * FROM {scores}"
        columns = ["coalesce(s.id, l.id) AS id", "label", *self.rankers.values()]
        # a subject without a score, which is about to be dropped, must not be refused for what it lacks besides
        columns += ["CASE WHEN s.id IS NULL THEN 0 ELSE weight END AS weight"] if self.weight else []
        columns += [
            f"CASE WHEN {'l' if name in self.names_of_labels else 's'}.id IS NULL THEN '' ELSE {name} END AS {name}"
            for name in self.names
        ]
        of_labels = ", ".join(f"any_value({name}) AS {name}" for name in ("label", *self.names_of_labels))
        labels = f"(SELECT id, {of_labels} FROM {LABELS} GROUP BY id)"
        return f"SELECT {', '.join(columns)} FROM {scores} s FULL OUTER JOIN {labels} l ON s.id = l.id"

    def _of_rows(self, column: str, ranker: str) -> str:
        there = f"FILTER (NOT ({is_missing(column)}))"
        if self.join.per_id == "mean":
            return f"avg(CAST({column} AS DOUBLE) ORDER BY {column}) {there}"  # in a fixed order: the same digits
        return f"{'max' if self.reading.is_high_good(ranker) else 'min'}({column}) {there}"


def is_missing(column: str) -> str:
    """Return the SQL that says whether a number is missing."""
    return f"{column} IS NULL OR isnan(CAST({column} AS DOUBLE))"


def is_missing_word(column: str) -> str:
    """Return the SQL that says whether a word is missing."""
    # most words are told by a search alone, at half of the time
    return f"{column} IS NULL OR ({column} ILIKE '%nan%' AND lower(trim({column})) IN ('nan', '-nan', '+nan'))"


def _shown(value: str | None) -> str:
    return repr(value if value is None or len(value) <= 60 else f"{value[:60]}...")
