"""An evaluation as text, JSON, CSV or markdown."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

from hitcurve import _checks, rows
from hitcurve.evaluation import COLUMNS, Evaluation

FORMATS = ("text", "json", "csv", "markdown")


def render(evaluation: Evaluation, form: str = "text") -> str:
    """Return the numbers of an evaluation in one of the formats.

    Parameters
    ----------
    evaluation : Evaluation
    form : {"text", "json", "csv", "markdown"}
        ``text`` and ``markdown`` are rounded for reading, ``json`` and ``csv`` carry all digits.

    Raises
    ------
    ParameterError
        If the format is none of these.
    """
    _checks.choice("format", form, FORMATS)
    if form == "text":
        return f"{evaluation}\n"
    return {"json": _json, "csv": _csv, "markdown": _markdown}[form](evaluation)


def _json(evaluation: Evaluation) -> str:
    content = evaluation.to_dict()
    content["results"] = [_without_nan(record) for record in content["results"]]
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _without_nan(record: dict[str, Any]) -> dict[str, Any]:
    """Leave out what has no value: JSON knows no nan, and an absent key cannot be taken for a number."""
    return {key: value for key, value in record.items() if not (isinstance(value, float) and math.isnan(value))}


def _csv(evaluation: Evaluation) -> str:
    records = [{key: record[key] for key in COLUMNS} for record in evaluation.to_dict()["results"]]
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def _markdown(evaluation: Evaluation) -> str:
    header, body = evaluation.table_rows()
    heading = "\n".join(f"- {line}" for line in evaluation.heading())
    table = rows.markdown_table(header, body, left=(0, len(header) - 1))
    parts = [heading, table]
    tie_header, tie_body, tie_note = evaluation.tie_rows()
    if tie_body:
        parts += [rows.markdown_table(tie_header, tie_body), *([tie_note] if tie_note else [])]
    parts += [f"> warning: {message}" for message in evaluation.warnings]
    return "\n\n".join(parts) + "\n"
