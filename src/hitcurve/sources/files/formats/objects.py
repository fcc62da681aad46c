"""JSON: one object after another, on lines of their own or in an array."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hitcurve._cached import cached_property
from hitcurve.errors import EmptyInputError, InputError, UnreadableFileError
from hitcurve.sources.files import duck
from hitcurve.sources.files.content import BOM
from hitcurve.sources.files.formats.format import NO_FOLDERS, Asked, Format


@dataclass(frozen=True, eq=False)
class Objects(Format):
    """A file of JSON objects, their values as they are written."""

    asked: Asked

    called = "JSON"
    endings = (".jsonl", ".ndjson", ".json")
    packs_itself = False
    typed = False
    most_columns = 30_000

    @classmethod
    def begins(cls, start: bytes, *, promised: bool) -> bool:
        """Return whether content begins with an object, or as any JSON where its name promises that."""
        looks = rb"\s*[\[{]" if promised else rb'\s*(\[\s*)?\{\s*"'
        return re.match(looks, start.removeprefix(BOM)) is not None

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.asked.content.path

    @cached_property
    def names(self) -> list[str]:
        """The keys of all objects."""
        found = duck.rows(
            self.asked.db,
            "SELECT key, bool_or(again) FROM (SELECT unnest(keys) AS key, unnest(range(len(keys))) AS place, "
            "list_unique(keys) < len(keys) AS again FROM (SELECT DISTINCT CASE json_type(json) WHEN 'OBJECT' "
            f"THEN json_keys(json) ELSE [NULL] END AS keys FROM {self._objects})) "
            "GROUP BY key ORDER BY min(place), key",
            [self],
        )
        keys = [key for key, _ in found]
        if None in keys:
            value, where = self._first("json_type(json) <> 'OBJECT'")
            raise UnreadableFileError(f"{self.path.name} holds {value[:60]!r} in {where}, not an object of columns")
        if any(again for _, again in found):
            value, where = self._first("list_unique(json_keys(json)) < len(json_keys(json))")
            raise InputError(f"{self.path.name} has a key twice in {where}: {value[:60]!r}")
        if not keys:
            raise EmptyInputError(f"{self.path.name} has no rows")
        return keys

    @property
    def header(self) -> list[str]:
        """The keys of the objects that are whole in the beginning of the file."""
        text, decode = self.asked.content.start.decode("utf-8-sig", errors="replace"), json.JSONDecoder().raw_decode
        found: dict[str, None] = {}
        place = _BETWEEN.match(text).end()  # type: ignore[union-attr]  # it matches nothing too
        with suppress(ValueError):  # the last one is cut off
            while place < len(text):
                one, end = decode(text, place)
                found.update(dict.fromkeys(one if isinstance(one, dict) else ()))
                place = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
        return list(found)

    def _first(self, condition: str) -> tuple[str, str]:
        """Return the first object that meets a condition, and its place."""
        value, row = duck.first(self.asked.db, "CAST(json AS VARCHAR)", condition, self._objects, self)
        return value, self.place(row)

    def relation(self, places: Sequence[str]) -> str:
        """Return the SQL that reads the file."""
        # json pointers, since columns of read_json must not differ in case only
        picked = ", ".join(
            f"json_extract(json, {duck.text(_pointer(name))}) AS {place}"
            for name, place in zip(self.names, places, strict=True)
        )
        return f"(SELECT {picked} FROM {self._objects})"

    @property
    def _objects(self) -> str:
        content = self.asked.content
        return (
            f"read_json_objects({content.literal}, format = 'auto', compression = '{content.compression}', "
            f"maximum_object_size = 67108864, {NO_FOLDERS})"
        )

    def word(self, column: str) -> str:
        """Return the SQL of a column as words, without their quotes."""
        return f"({column} ->> '$')"

    def number(self, column: str) -> str:
        """Return the SQL of a column with its quotes, so that "3" is no 3."""
        return f"nullif(CAST({column} AS VARCHAR), 'null')"

    def digits(self, columns: Mapping[str, str], relation: str) -> tuple[list[str], str]:
        """Return the SQL of numbers as they are in the text of the objects; json_extract writes those of floats."""
        texts = []
        for name in columns:
            key = re.escape(json.dumps(name, ensure_ascii=False))
            found = f"regexp_extract(CAST(json AS VARCHAR), {duck.text(key + _NUMBER)}, 1)"
            taken = self.number(f"json_extract(json, {duck.text(_pointer(name))})")
            same = f"TRY_CAST({found} AS DOUBLE) = TRY_CAST({taken} AS DOUBLE)"  # not one of an object inside
            texts.append(f"CASE WHEN {same} THEN {found} ELSE {taken} END")
        return texts, self._objects

    def place(self, row: int) -> str:
        """Return the line of an object, where it has one of its own."""
        with self.asked.content.text() as text:
            filled = ((place, line.strip()) for place, line in enumerate(text, start=1) if line.strip())
            place, line = next(islice(filled, row - 1, None), (None, ""))
        return f"line {place}" if line.startswith("{") and line.endswith("}") else f"record {row}"

    def complaint(self, reason: str) -> str | None:
        """Return where the file is no JSON."""
        if "Malformed JSON" not in reason:
            return None
        line = self._line_that_is_no_json()
        where = f" in line {line}" if line else ""
        return f"{self.path.name} is not JSON{where}{': unexpected end of the file' * ('unexpected end' in reason)}"

    def _line_that_is_no_json(self) -> int | None:
        """Return the first line that is no JSON, None where values go over several lines."""
        seen = False
        with self.asked.content.text() as text:
            for place, line in enumerate(text, start=1):
                try:
                    seen = bool(not line.strip() or json.loads(line)) or seen
                except ValueError:
                    return place if seen else None
        return None


_BETWEEN = re.compile(r"[\s\[,]*")
_NUMBER = r"\s*:\s*(-?[0-9][^,}\s]*)"


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")
