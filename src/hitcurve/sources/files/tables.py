"""Files that hold counts or ranks instead of subjects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hitcurve.errors import CountError, EmptyInputError, RankError, UnreadableFileError
from hitcurve.sources.category_counts import names_a_total, names_running_sums, row_of_sums, run_of_sums
from hitcurve.sources.files import duck
from hitcurve.sources.files.numerals import Absent
from hitcurve.sources.files.opening import column_names, open_file
from hitcurve.sources.files.paths import check_is_file, unreadable


def read_counts(
    path: Path, positives: str, *, total: str | None = None, negatives: str | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Read a table of counts, a line for each category from the highest score down.

    Parameters
    ----------
    positives : str
        Column of the positives.
    total, negatives : str
        Column of all subjects, or of the negatives: one of the two.

    Raises
    ------
    CountError
        If a count is missing, negative or not whole, a total is below its positives, a row is named as a total, or
        columns named as cumulative only grow or shrink.
    """
    other = str(total if total is not None else negatives)
    with duck.connect([path]) as connection:
        names = [name for name, times in Counter(column_names(path)).items() if times == 1 and name]
        file = open_file(
            path, (positives, other, *(name for name in names if name not in (positives, other))), connection
        )
        file.check_end()
        columns = ", ".join(file.word(name) for name in file.asked.wanted)
        found = duck.rows(connection, f"SELECT {columns} FROM {file.relation}", [file])
    if not found:
        raise EmptyInputError(f"{path.name} has no rows")
    counts = [[_whole(value, path, row) for value in line[:2]] for row, line in enumerate(found, start=1)]
    pos, rest = np.array(counts, dtype=np.int64).T
    if total is not None:
        if np.any(rest < pos):
            row = int(np.argmax(rest < pos))
            raise CountError(f"{path.name}, row {row + 1}: {pos[row]} of {positives!r} exceed {rest[row]} of {other!r}")
        rest = rest - pos
    _check_categories(path, (positives, other), [line[2:] for line in found], pos, rest)
    return pos, rest


def _check_categories(
    path: Path,
    columns: tuple[str, str],
    words: Sequence[Sequence[str | None]],
    pos: npt.NDArray[np.int64],
    neg: npt.NDArray[np.int64],
) -> None:
    """Refuse rows that are named as totals, and columns that are named as running sums and are such.

    Parameters
    ----------
    words : sequence of sequence of str
        The other columns of each row.
    """
    sums = row_of_sums(pos, neg)
    totals = {row: cell for own in zip(*words, strict=True) for row, cell in _totals_among(own).items()}
    nameless = sums is not None and words[0] and not any((cell or "").strip() for cell in words[sums])
    if totals or nameless:
        row = min(totals) if totals else sums or 0
        name = f"{totals[row]!r}" if totals else "it has no name and the sums of the other rows"
        raise CountError(
            f"{path.name}, row {row + 1} is a total ({name}): its {pos[row]} positives and {neg[row]} negatives would "
            "be one more category; leave the row out"
        )
    run = run_of_sums(pos, neg)
    cumulative = next((column for column in columns if names_running_sums(column)), None)
    if run and cumulative is not None:
        raise CountError(
            f"{path.name}: the counts of {cumulative!r} only {run} from row to row, so they are cumulative; give the "
            "counts of each category alone, the differences of neighbouring rows"
        )


def _totals_among(cells: Sequence[str | None]) -> dict[int, str]:
    """Return the cells of a column that name totals, by row; none if all do."""
    found = {row: cell for row, cell in enumerate(cells) if cell is not None and names_a_total(cell)}
    return found if len(found) < len(cells) else {}


def _whole(value: str | None, path: Path, row: int) -> int:
    if value is not None and re.fullmatch(r"\+?[1-9]\d{0,2}\.000", value.strip()):
        raise CountError(
            f"{path.name}, row {row}: {value!r} may be {value.strip()[:-4]} or {value.strip()[:-4]} thousand: write "
            "counts without a point"
        )
    if value is None or not re.fullmatch(r"\+?\d{1,18}(\.0*)?", value.strip()):
        if value is None or Absent().holds(value):
            shown = f" ({value!r})" if value else ""
            raise CountError(
                f"{path.name}, row {row}: a count is missing{shown}; write 0 for a category without subjects, or "
                "leave its row out"
            )
        raise CountError(
            f"{path.name}, row {row}: {value!r} is not a count; counts are whole numbers from 0, in digits only"
        )
    return int(value.strip().partition(".")[0])


def count_rows(path: Path) -> int:
    """Return how many rows a table has.

    Raises
    ------
    UnreadableFileError, EmptyInputError
        If it is no table, or has no rows.
    """
    with duck.connect([path]) as connection:
        file = open_file(path, (), connection)
        file.check_end()
        ((found,),) = duck.rows(connection, f"SELECT count(*) FROM {file.relation}", [file])
    if not found:
        raise EmptyInputError(f"{path.name} has no rows")
    return int(found)


def read_ranks(path: Path) -> list[int]:
    """Read ranks, one a line; empty lines are passed over.

    Raises
    ------
    RankError
        If a line is no whole number, with its place.
    """
    check_is_file(path)
    ranks = []
    try:
        with path.open(encoding="utf-8-sig") as lines:
            for place, line in enumerate(lines, start=1):
                text = line.strip()
                if not re.fullmatch(r"\+?\d*", text):
                    raise RankError(
                        f"{path.name}, line {place}: {text[:40]!r} is not a rank; ranks are whole numbers from 1"
                    )
                ranks += [int(text)] if text else []
    except UnicodeDecodeError:
        raise UnreadableFileError(f"{path.name} is not text: ranks are whole numbers, one a line") from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not ranks:
        raise EmptyInputError(f"{path.name} contains no rank")
    return ranks
