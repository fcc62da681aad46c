"""Files that Spark reads: `evaluate --spark MASTER`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from hitcurve.cli.inputs import Subjects
    from hitcurve.engines.spark import SparkSource

Spark = Annotated[
    str | None,
    typer.Option(
        "--spark",
        metavar="MASTER",
        help="Evaluate on Spark: the address of the master (spark://host:7077, yarn, k8s://...) or local[*]. FILE is "
        "what Spark reads: a folder or files of Parquet, CSV, TSV, JSON lines or ORC, also at s3a:// or hdfs://. "
        "--where is an expression of Spark SQL.",
        rich_help_panel="Long lists",
    ),
]


def refuse_options_of_files(subjects: Subjects) -> None:
    """Refuse what only files that are read here have.

    Raises
    ------
    ParameterError
    """
    from hitcurve.errors import ParameterError

    given = {
        "--labels": subjects.labels is not None,
        "--on": subjects.on is not None,
        "--no-header": subjects.no_header,
        "--na": bool(subjects.na),
        "--decimal": subjects.decimal is not None,
        "--verified-by": bool(subjects.verified_by),
    }
    for option, there in given.items():
        if there:
            raise ParameterError(
                f"{option} is for files that are read without Spark: leave it out, or leave out --spark"
            )
    if "-" in subjects.files:
        raise ParameterError("Spark reads files, not standard input: name a file")


@contextmanager
def on_spark(subjects: Subjects, master: str) -> Iterator[SparkSource]:
    """Start Spark, read the files there, and stop it at the end."""
    from hitcurve.cli.inputs import split_directions
    from hitcurve.engines import SubjectColumns
    from hitcurve.engines.spark import SparkSource
    from hitcurve.engines.spark_session import read_files, started
    from hitcurve.errors import ParameterError
    from hitcurve.sources import Reading

    refuse_options_of_files(subjects)
    if subjects.label is None or not subjects.score:
        raise ParameterError("--spark needs the columns of labels and scores: name --label and --score")
    with started(master) as session:
        frame = read_files(session, subjects.files, subjects.where)
        names, directions = split_directions(subjects.score, frame.columns.__contains__)
        missing = subjects.missing if subjects.verification is None else "drop"  # rows without a label
        reading = Reading(subjects.positive, directions, missing, subjects.unlabelled)
        weight = subjects.weight if subjects.verification is None else subjects.verification
        columns = SubjectColumns(subjects.label, names, reading, weight, subjects.cluster, subjects.by)
        yield SparkSource.of(frame, columns)
