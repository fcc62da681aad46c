"""Frames of Spark give what the same frame in memory gives; a worker that dies changes nothing."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import venv
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import hitcurve as hc
from tests.shell import Shell

sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")

METRICS = ["auc", "ap", "recall@1%"]
# the better compiler of Java and its threads that collect garbage cost more than so few seconds give back; nor are
# thousands of classes of Spark verified, which are no concern of ours
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
pytestmark = pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning"
)


def session(master: str, **options: str) -> Any:
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        # continuous integration installs it
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no Java is installed, which Spark needs")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    given = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        # nor do classes that are written and compiled for each of so small queries
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.driver.extraJavaOptions": SHORT_LIVED,
        "spark.executor.extraJavaOptions": SHORT_LIVED,
        **options,
    }
    builder = sql.SparkSession.builder.master(master)
    for name, value in given.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    return started


@pytest.fixture
def spark() -> Any:
    """Return the session of this process, or a new one after a test that stopped it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return session("local[2,4]")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(25)
    n = 20_000
    y = (rng.random(n) < 0.02).astype(int)
    scores = rng.normal(size=(n, 2)) + y[:, None]
    a = np.round(scores[:, 0], 2)
    a[a == 0] = np.where(rng.random(np.sum(a == 0)) < 0.5, -0.0, 0.0)
    return pd.DataFrame(
        {
            "y": y,
            "a": a,
            "b": scores[:, 1].astype("float32"),
            "w": rng.integers(1, 9, n) / 4,
            # most rows in one group, beside many of ten
            "country": np.where(np.arange(n) < n - 3000, "all", np.arange(n) // 10).astype(str),
            "patient": rng.integers(0, 900, n),
        }
    )


def sent(spark: Any, frame: pd.DataFrame) -> Any:
    return sent_table(spark, pa.Table.from_pandas(frame, preserve_index=False))


def sent_table(spark: Any, table: pa.Table) -> Any:
    if hasattr(sql.DataFrame, "toArrow"):  # from version 4 on
        return spark.createDataFrame(table)
    from pyspark.sql.pandas.types import from_arrow_schema

    return spark.createDataFrame(table.to_pylist(), from_arrow_schema(table.schema))


def brought(frame: Any) -> pa.Table:
    if hasattr(sql.DataFrame, "toArrow"):
        return frame.toArrow()
    from pyspark.sql.pandas.types import to_arrow_schema

    with warnings.catch_warnings(action="ignore", category=ResourceWarning):  # it leaves a socket to the collector
        rows = frame.collect()
        gc.collect()
    return pa.Table.from_pylist([row.asDict() for row in rows], to_arrow_schema(frame.schema))


def same_tables(found: hc.Evaluation, wanted: hc.Evaluation) -> bool:
    return all(
        np.array_equal(getattr(found.tables[name], side), getattr(wanted.tables[name], side))
        for name in wanted.tables
        for side in ("pos", "neg", "grid")
    )


def test_one_list_with_weights_and_clusters(spark: Any, frame: pd.DataFrame) -> None:
    names: dict[str, Any] = {"sample_weight": "w", "clusters": "patient", "metrics": METRICS}
    wanted = hc.evaluate("y", ["a", "b"], data=frame, **names)
    found = hc.evaluate("y", ["a", "b"], data=sent(spark, frame).repartition(5), **names)
    assert same_tables(found, wanted)
    assert found.tally == wanted.tally
    np.testing.assert_allclose(found.covariance().matrix, wanted.covariance().matrix, rtol=1e-12, atol=1e-18)


def test_empty_partitions_and_partitions_of_one_class(spark: Any, frame: pd.DataFrame) -> None:
    wanted = hc.evaluate("y", ["a", "b"], data=frame, metrics=METRICS)
    by_class = sent(spark, frame).repartition(9, "y")  # at least seven are empty
    found = hc.evaluate("y", ["a", "b"], data=by_class, metrics=METRICS)
    assert same_tables(found, wanted)
    np.testing.assert_allclose(found.covariance().matrix, wanted.covariance().matrix, rtol=1e-12, atol=1e-18)
    for method in ("bootstrap", "swap-permutation"):
        with pytest.raises(hc.errors.ParameterError, match="needs every row in memory, and the data stay in Spark"):
            found.compare("a", "b", "ap", method=method)


def test_a_large_group_beside_many_small_ones(spark: Any, frame: pd.DataFrame) -> None:
    names: dict[str, Any] = {"by": "country", "single_class": "skip", "metrics": ["auc", "ap"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = hc.evaluate("y", ["a", "b"], data=frame, **names)
        found = hc.evaluate("y", ["a", "b"], data=sent(spark, frame).repartition(3), **names)
    assert list(found.groups) == list(wanted.groups)
    assert "all" in found.groups
    assert found.left_out == wanted.left_out
    assert all(same_tables(found.groups[name], group) for name, group in wanted.groups.items())
    assert found.compare("a", "b", "ap").pvalue == pytest.approx(wanted.compare("a", "b", "ap").pvalue, rel=1e-12)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.MissingValueWarning")
def test_nan_and_null_are_missing(spark: Any, frame: pd.DataFrame) -> None:
    some = frame.assign(b=frame.b.where(frame.index % 100 != 7))
    table = pa.Table.from_pandas(some.assign(b=some.b.to_numpy()), preserve_index=False)
    nulls = pa.array(some.a, mask=(some.index % 90 == 3))
    table = table.set_column(table.schema.names.index("a"), "a", nulls)
    given = sent_table(spark, table)
    with pytest.raises(hc.errors.MissingValueError, match="223 of 20000 values of score 'a' are missing"):
        hc.evaluate("y", ["a", "b"], data=given)
    wanted = hc.evaluate("y", ["a", "b"], data=table, metrics="ap", missing="last")
    found = hc.evaluate("y", ["a", "b"], data=given, metrics="ap", missing="last")
    assert same_tables(found, wanted)
    assert found.tally == wanted.tally


def test_results_are_merged_on_workers_where_they_are_large(
    spark: Any, frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hitcurve.engines import spark as room

    monkeypatch.setattr(room, "_ON_DRIVER", 1000)
    monkeypatch.setattr(room, "_TOGETHER", 30_000)
    brought: list[int] = []
    unpacked = room.unpacked

    def heard(partial: bytes) -> Any:
        brought.append(len(partial))
        return unpacked(partial)

    monkeypatch.setattr(room, "unpacked", heard)
    found = hc.evaluate("y", ["a", "b"], data=sent(spark, frame).repartition(7), metrics="ap")
    assert len(brought) == 2  # one result for each of two passes
    assert same_tables(found, hc.evaluate("y", ["a", "b"], data=frame, metrics="ap"))


def test_failures_are_one_sentence(spark: Any, frame: pd.DataFrame) -> None:
    from pyspark.sql import functions

    given = sent(spark, frame[:2000])
    raising = given.withColumn("a", functions.raise_error(functions.lit("boom")).cast("double"))
    with pytest.raises(hc.errors.EngineError, match=r"^Spark failed: .*boom") as failed:
        hc.evaluate("y", ["a"], data=raising)
    assert "\n" not in str(failed.value)
    with pytest.raises(hc.errors.ColumnNotFoundError, match="no column 'c'"):
        hc.evaluate("y", ["a", "c"], data=given)
    with pytest.raises(hc.errors.LabelError, match="labels must be two classes"):
        hc.evaluate("y", ["a"], data=given.withColumn("y", functions.col("patient")))
    with pytest.raises(hc.errors.ParameterError, match="name of a column"):
        hc.evaluate("y", ["a"], data=given, sample_weight=frame.w[:2000])


def test_vectors_and_the_evaluator(spark: Any, frame: pd.DataFrame, tmp_path: Path) -> None:
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.functions import array_to_vector
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder, TrainValidationSplit
    from pyspark.sql import functions

    given = sent(spark, frame).coalesce(2)
    own = given.withColumn("p", array_to_vector(functions.array(-functions.col("a"), functions.col("a"))))
    wanted = hc.evaluate("y", ["a"], data=frame, metrics="ap")["a", "ap"].value
    evaluator = hc.spark.Evaluator(metric="ap", labelCol="y", rawPredictionCol="p")
    assert evaluator.evaluate(own) == wanted
    three = functions.array(*[functions.col("a")] * 3)
    with pytest.raises(hc.errors.ScoreError, match="'p' is a vector of 3 elements, and only of two"):
        evaluator.evaluate(given.withColumn("p", array_to_vector(three)))

    assembled = VectorAssembler(inputCols=["a", "b"], outputCol="features").transform(given)
    model = LogisticRegression(labelCol="y", maxIter=1)
    grid = ParamGridBuilder().addGrid(model.regParam, [0.0, 10.0]).build()
    early = hc.spark.Evaluator(metric="bedroc(20)", labelCol="y", rawPredictionCol="probability")
    how = {"estimator": model, "estimatorParamMaps": grid, "evaluator": early, "seed": 1}
    values = TrainValidationSplit(**how).fit(assembled).validationMetrics
    means = CrossValidator(**how, numFolds=2).fit(assembled).avgMetrics
    assert (len(values), len(means)) == (2, 2)
    assert all(0 < value < 1 for value in (*values, *means))
    evaluator.save(str(tmp_path / "evaluator"))
    assert hc.spark.Evaluator.load(str(tmp_path / "evaluator")).getOrDefault("metric") == "ap"
    assert hc.spark.Evaluator(metric="auc").setParams(labelCol="y").getOrDefault("metric") == "auc"
    with pytest.raises(hc.errors.MetricParseError):
        hc.spark.Evaluator(metric="apx")


def test_areas_of_spark_beside_ours(spark: Any) -> None:
    """The list in the documentation of BinaryClassificationEvaluator: its areaUnderPR is no average precision."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator

    scores, labels = [0.1, 0.1, 0.4, 0.6, 0.6, 0.6, 0.8], [0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    weights = [1.0, 0.9, 0.7, 0.9, 1.0, 0.3, 1.0]
    rows = sent_table(spark, pa.table({"score": scores, "label": labels, "weight": weights}))
    for weight, areas in ((None, (0.7083, 0.8339, 0.7679)), ("weight", (0.7025, 0.8221, 0.7597))):
        theirs = BinaryClassificationEvaluator(rawPredictionCol="score", numBins=0)
        theirs = theirs if weight is None else theirs.setWeightCol(weight)
        roc, trapezoid = (theirs.setMetricName(name).evaluate(rows) for name in ("areaUnderROC", "areaUnderPR"))
        found = hc.evaluate("label", ["score"], data=rows, metrics=["auc", "ap"], sample_weight=weight)
        assert roc == pytest.approx(found["score", "auc"].value, abs=1e-12)
        assert (roc, trapezoid, found["score", "ap"].value) == pytest.approx(areas, abs=5e-5)


def deadly(room: Any, mark: Path, *, executor: bool = False) -> Any:
    """Return what reads a partition, and once kills its own worker, or the executor of it, after some rows."""
    reading = room._reading
    place = str(mark)

    def of(*given: Any) -> Any:
        inner = reading(*given)

        def run(batches: Any) -> Any:
            import os
            import signal

            def some(rows: Any) -> Any:
                for batch in rows:
                    yield batch
                    try:
                        os.close(os.open(place, os.O_CREAT | os.O_EXCL))
                    except FileExistsError:
                        continue
                    victim = os.getpid()
                    for _ in range(2 if executor else 0):  # the daemon that forks workers, and its executor
                        with open(f"/proc/{victim}/stat") as stat:
                            victim = int(stat.read().rpartition(")")[2].split()[1])
                    os.kill(victim, signal.SIGKILL)

            yield from inner(some(batches))

        return run

    return of


def test_a_worker_that_dies_changes_nothing(
    spark: Any, frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hitcurve.engines import spark as room

    monkeypatch.setattr(room, "_reading", deadly(room, tmp_path / "died"))
    found = hc.evaluate("y", ["a", "b"], data=sent(spark, frame).repartition(4), metrics=METRICS)
    assert (tmp_path / "died").exists()
    assert same_tables(found, hc.evaluate("y", ["a", "b"], data=frame, metrics=METRICS))


def test_names_with_dots_and_columns_without_their_frame(spark: Any, frame: pd.DataFrame) -> None:
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import functions

    named = {"y": "true.label", "a": "model.v1", "b": "b`c", "country": "1"}
    given = sent(spark, frame[:2000]).coalesce(1)
    wanted = hc.evaluate("y", ["a", "b"], data=frame[:2000], metrics="ap", by="country")
    dotted = given.withColumn("a", array_to_vector(functions.array(-functions.col("a"), functions.col("a"))))
    found = hc.evaluate("true.label", ["model.v1", "b`c"], data=dotted.withColumnsRenamed(named), metrics="ap", by="1")
    assert found.mean("model.v1", "ap").value == wanted.mean("a", "ap").value
    assert found.mean("b`c", "ap").value == wanted.mean("b", "ap").value
    for ask in (lambda: hc.evaluate(given.y, {"a": given.a}), lambda: hc.roc_curve(given.y, given.a)):
        with pytest.raises(hc.errors.InputError, match="a column of Spark has no values without its frame"):
            ask()


def test_workers_without_what_they_need(
    spark: Any, frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = sent(spark, frame[:2000]).coalesce(1)
    monkeypatch.setattr(spark.sparkContext, "pythonVer", "3.9")
    with pytest.raises(hc.errors.EngineError, match=r"another version of Python .*: set PYSPARK_PYTHON"):
        hc.evaluate("y", ["a"], data=given)
    monkeypatch.undo()
    venv.create(tmp_path / "bare", with_pip=False)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(tmp_path / "bare/bin/python"))
    with pytest.raises(hc.errors.EngineError, match=r"the workers lack pyarrow: .* set PYSPARK_PYTHON to"):
        hc.evaluate("y", ["a"], data=given)
    (folder,) = (tmp_path / "bare/lib").glob("python*/site-packages")
    os.symlink(Path(pa.__file__).parent, folder / "pyarrow")
    with pytest.raises(
        hc.errors.EngineError, match=r"^a worker cannot run the pass \(No module named '(hitcurve|numpy)"
    ):
        hc.evaluate("y", ["a"], data=given)


def test_an_executor_that_dies_changes_nothing(
    spark: Any, frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cluster of two executors, each a process, takes the place of the session."""
    from hitcurve.engines import spark as room

    spark.stop()
    options = {"spark.executor.memory": "512m", "spark.ui.enabled": "false"}
    cluster = session("local-cluster[2,1,512]", **options)
    try:
        monkeypatch.setattr(room, "_reading", deadly(room, tmp_path / "died", executor=True))
        found = hc.evaluate("y", ["a", "b"], data=sent(cluster, frame).repartition(4), metrics=["ap"])
        assert (tmp_path / "died").exists()
        assert same_tables(found, hc.evaluate("y", ["a", "b"], data=frame, metrics=["ap"]))
    finally:
        cluster.stop()


def test_the_shell(frame: pd.DataFrame, tmp_path: Path, shell: Shell, spark: Any) -> None:
    spark.stop()  # the command starts one of its own
    frame.to_parquet(tmp_path / "scores.parquet")
    frame.to_csv(tmp_path / "scores.csv", index=False)
    columns = ("--label", "y", "--score", "a", "--score", "b:low", "--metric", "ap", "--format", "json")
    where = ("--where", "country = 'all'")
    wanted = shell("evaluate", tmp_path / "scores.parquet", *columns, *where).json
    for name in ("scores.parquet", "scores.csv"):
        found = shell("evaluate", "--spark", "local[2,4]", tmp_path / name, *columns, *where)
        assert found.json["results"] == wanted["results"]
    refused = shell("evaluate", "--spark", "local[2,4]", tmp_path / "absent.parquet", *columns)
    assert refused.code == 2
    assert "PATH_NOT_FOUND" in refused.err


def test_the_shell_says_what_spark_does_not_take(tmp_path: Path, shell: Shell) -> None:
    columns = ("--spark", "local[2]", "--label", "y", "--score", "a")
    for option in (("--on", "id"), ("--na", "x"), ("--no-header",), ("--decimal", ",")):
        assert (
            f"{option[0]} is for files that are read without Spark" in shell("evaluate", "f", *columns, *option).refusal
        )
    assert "name --label and --score" in shell("evaluate", "--spark", "local[2]", "f").refusal
    assert "not standard input" in shell("evaluate", "-", *columns).refusal
    for master in ("", "x", "local[", "spark:host", "https://host"):
        assert "the address of a master" in shell("evaluate", "f", *columns[2:], "--spark", master).refusal


def test_java_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hitcurve", "evaluate", "--spark", "local[2]", "f", "--label", "y", "--score", "a"]
    bare = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"} | {"PATH": str(tmp_path)}
    done = subprocess.run(command, env=bare, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith("hitcurve: error: Spark cannot run: Java 17 or newer is missing")
