"""An evaluation as text, JSON, CSV, markdown or LaTeX."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hitcurve import _checks, rows
from hitcurve.evaluation import COLUMNS, LABEL_COLUMNS, Evaluation, GroupedEvaluation
from hitcurve.inference import Comparisons

FORMATS = ("text", "json", "csv", "markdown", "latex")


def render(
    evaluation: Evaluation | GroupedEvaluation,
    form: str = "text",
    comparisons: Comparisons | Sequence[Comparisons] = (),
    *,
    standard_error: bool = False,
) -> str:
    """Return the numbers of an evaluation in one of the formats.

    Parameters
    ----------
    evaluation : Evaluation or GroupedEvaluation
        ``csv`` has a line for each number, of groups with the name of the group before it; means over groups are in
        the other formats.
    form : {"text", "json", "csv", "markdown", "latex"}
        ``text``, ``markdown`` and ``latex`` (a table for booktabs) are rounded for reading, ``json`` and ``csv``
        carry all digits.
    comparisons : Comparisons or sequence of Comparisons
        Tests of its rankers, of each metric a table below the numbers. ``csv`` then has the columns of both, and before
        them a column ``part``: ``results`` or ``comparisons``.
    standard_error : bool
        Whether standard errors stand in the cells of ``markdown`` and ``latex``; ``json`` and ``csv`` have them anyway.

    Raises
    ------
    ParameterError
        If the format is none of these.
    """
    _checks.choice("format", form, FORMATS)
    tests = [comparisons] if isinstance(comparisons, Comparisons) else comparisons
    if form == "json":
        return _json(evaluation, tests)
    if form == "csv":
        return _csv(evaluation, tests)
    if form == "text":
        return "\n\n".join([str(evaluation), *map(str, tests)]) + "\n"
    if form == "markdown":
        return "\n".join([_markdown(evaluation, standard_error), *(test.to_markdown() for test in tests)])
    return "\n".join([_latex(evaluation, standard_error), *(test.to_latex() for test in tests)])


def render_records(records: Sequence[Mapping[str, Any]], form: str, *, turned: bool = False) -> str:
    """Return records, all of the same keys, in one of the formats.

    Parameters
    ----------
    records : sequence of mapping
        ``json`` and ``csv`` carry all digits; what is undefined is null or empty there.
    form : {"text", "json", "csv", "markdown", "latex"}
    turned : bool
        Whether a table for reading has a column for each record.
    """
    _checks.choice("format", form, FORMATS)
    if form == "json":
        plain = [rows.plain(record) for record in records]
        return rows.json_text(json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False)) + "\n"
    header = list(records[0])
    if form == "csv":
        return rows.csv_text(records, header)
    body = [[_cell(record[key]) for key in header] for record in records]
    words = [place for place, key in enumerate(header) if isinstance(records[0][key], str)]
    if turned:
        header, *body = [list(line) for line in zip(header, *body, strict=True)]
    table = {"text": rows.text_table, "markdown": rows.markdown_table, "latex": rows.latex_table}[form]
    return f"{table(header, body, left=(0,) if turned else words)}\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else rows.short(value)


def _json(evaluation: Evaluation | GroupedEvaluation, comparisons: Sequence[Comparisons]) -> str:
    content = evaluation.to_dict()
    if comparisons:
        content["comparisons"] = [test.to_dict() for of_metric in comparisons for test in of_metric]
        content["letters"] = {str(of_metric.metric): of_metric.letters for of_metric in comparisons}
    return rows.json_text(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


def _csv(evaluation: Evaluation | GroupedEvaluation, comparisons: Sequence[Comparisons]) -> str:
    records = rows_of(evaluation, comparisons)
    return rows.csv_text(records, list(records[0]))


def rows_of(
    evaluation: Evaluation | GroupedEvaluation, comparisons: Comparisons | Sequence[Comparisons] = ()
) -> list[dict[str, Any]]:
    """Return the rows of a table of all numbers, and of the tests of the rankers: what CSV and Parquet hold.

    Columns are the same whatever the data, so that outputs can be put together; they are empty where there is nothing.
    """
    grouped = isinstance(evaluation, GroupedEvaluation)
    columns: tuple[str, ...] = ("group", *COLUMNS, "worst_ties", "best_ties") if grouped else COLUMNS
    found = evaluation.to_dict()["groups" if grouped else "results"]
    if "canonical" in found[0]:  # beside the name that a metric was asked for by
        place = columns.index("metric") + 1
        columns = (*columns[:place], "canonical", *columns[place:])
    if "contamination" in found[0]:
        columns = (*columns, *LABEL_COLUMNS)
    if not comparisons:
        return [{key: record.get(key, "") for key in columns} for record in found]
    several = [comparisons] if isinstance(comparisons, Comparisons) else comparisons
    tests = [record for of_metric in several for record in of_metric.to_records()]
    every = ("part", *dict.fromkeys((*columns, *tests[0])))
    parts = {"results": found, "comparisons": tests}
    lines = [{"part": part} | record for part, records in parts.items() for record in records]
    return [{key: line.get(key, "") for key in every} for line in lines]


def _latex(evaluation: Evaluation | GroupedEvaluation, standard_error: bool) -> str:
    header, body = evaluation.table_rows(standard_error=standard_error)
    levelled = evaluation.levelled(header, body, standard_error=standard_error)
    lines = [*evaluation.heading(), *_below(evaluation), *evaluation.warning_lines()]
    tables = [rows.latex_table(levelled, body, left=_words_of(evaluation, header))]
    if isinstance(evaluation, GroupedEvaluation):
        of_groups = evaluation.tables_of_groups()
        tables += [rows.latex_table(evaluation.levelled(own, own_body), own_body) for own, own_body in of_groups]
    return "\n".join([rows.latex_comments(lines), "\n\n".join(tables)]) + "\n"


def _below(evaluation: Evaluation | GroupedEvaluation) -> list[str]:
    """Return the lines that tables are followed by: cutoffs, and how intervals were made."""
    return [*evaluation.about_cuts().splitlines(), *evaluation.about_intervals().splitlines()]


def _words_of(evaluation: Evaluation | GroupedEvaluation, header: Sequence[str]) -> tuple[int, ...]:
    """Return the columns of words: conventions stand last in an evaluation, numbers in a mean over groups."""
    return (0,) if isinstance(evaluation, GroupedEvaluation) else (0, len(header) - 1)


def _markdown(evaluation: Evaluation | GroupedEvaluation, standard_error: bool) -> str:
    header, body = evaluation.table_rows(standard_error=standard_error)
    levelled = evaluation.levelled(header, body, standard_error=standard_error)
    table = rows.markdown_table(levelled, body, left=_words_of(evaluation, header))
    parts = [rows.markdown_list(evaluation.heading()), table]
    if isinstance(evaluation, GroupedEvaluation):
        for own_header, own_body in evaluation.tables_of_groups():
            parts.append(rows.markdown_table(evaluation.levelled(own_header, own_body), own_body))
    else:
        tie_header, tie_body, tie_note = evaluation.tie_rows()
        if tie_body:
            parts += [rows.markdown_table(tie_header, tie_body), *([tie_note] if tie_note else [])]
    parts += [rows.markdown(line) for line in _below(evaluation)]
    parts += [f"> {rows.markdown(line)}" for line in evaluation.warning_lines()]
    return "\n\n".join(parts) + "\n"
