"""A session of Spark for the command line, and the files that it reads."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hitcurve import _checks
from hitcurve.engines.spark_errors import in_one_sentence
from hitcurve.errors import ParameterError

_SUFFIXES = {"csv": "csv", "tsv": "tsv", "json": "json", "jsonl": "json", "ndjson": "json", "orc": "orc"}
_MASTER = re.compile(r"(local|local-cluster)(\[[^\[\]]+\])?|yarn|(spark|k8s)://.+")


@contextmanager
def started(master: str) -> Iterator[Any]:
    """Give a session, and stop it at the end; settings of Spark (SPARK_CONF_DIR, spark-submit) hold.

    Raises
    ------
    ParameterError
        If the master is no address of one: Java would say so in many lines.
    MissingExtraError
        If pyspark is not installed.
    EngineError
        If Java is missing or the master does not answer.
    """
    if not _MASTER.fullmatch(master):
        raise ParameterError(
            "--spark must be the address of a master, such as local[*], spark://host:7077, yarn or k8s://..., "
            f"got {master!r}"
        )
    sql = _checks.extra("pyspark.sql", "spark", "--spark")
    if master.startswith("local"):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers are processes of this machine
    with in_one_sentence():
        builder = sql.SparkSession.builder.master(master).appName("hitcurve")
        quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
        session = builder.config(map=quiet).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def read_files(session: Any, paths: Sequence[str], where: str | None) -> Any:
    """Return files as one frame: by their suffix CSV, TSV, JSON lines or ORC, else Parquet.

    Raises
    ------
    ParameterError
        If their kinds differ.
    EngineError
        If Spark cannot read them.
    """
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise ParameterError(f"Spark reads files of one kind at a time, got {' and '.join(sorted(kinds))}")
    kind = kinds.pop()
    with in_one_sentence():
        if kind in ("csv", "tsv"):
            separator = "," if kind == "csv" else "\t"
            frame = session.read.csv(list(paths), sep=separator, header=True, inferSchema=True)
        else:
            frame = session.read.format(kind).load(list(paths))
        return frame if where is None else frame.where(where)


def _kind(path: str) -> str:
    suffix = re.sub(r"\.(gz|bz2|zst|lz4|snappy)$", "", path.lower().rstrip("/")).rpartition(".")[2]
    return _SUFFIXES.get(suffix, "parquet")
