"""Reader studies from files, by the command line: the numbers of Python, in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.feather
import pyarrow.parquet
import pytest

import hitcurve as hc
from hitcurve.errors import InputError, ParameterError
from tests.shell import Shell
from tests.test_readers import simulated

COLUMNS = ("--truth", "truth", "--rating", "rating", "--reader", "reader", "--case", "case")
BOTH = (*COLUMNS, "--modality", "modality")


def frame() -> pd.DataFrame:
    return pd.DataFrame(simulated(ordinal=True))


def written(data: pd.DataFrame, path: Path) -> Path:
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pandas(data, preserve_index=False), path)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(pyarrow.Table.from_pandas(data, preserve_index=False), path)
    elif path.suffix == ".jsonl":
        data.to_json(path, orient="records", lines=True)
    else:
        data.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


def expected(**options: Any) -> hc.ReaderStudy:
    names: dict[str, Any] = {"reader": "reader", "modality": "modality", "case": "case", "data": frame()}
    return hc.evaluate_readers("truth", "rating", **(names | options))


@pytest.mark.parametrize(
    "name", ["study.csv", "study.tsv", "study.csv.gz", "study.parquet", "study.feather", "study.jsonl"]
)
def test_every_file_has_the_same_numbers(shell: Shell, tmp_path: Path, name: str) -> None:
    path = written(frame(), tmp_path / name)
    done = shell("readers", path, *BOTH, "--format", "json")
    assert done.json == json.loads(expected().to_json())
    assert done.err == ""
    for data in (path, str(path)):
        assert expected(data=data).to_json() == expected().to_json()


def test_a_file_is_read_as_the_command_reads_it(tmp_path: Path) -> None:
    turned = frame().assign(rating=-frame()["rating"], truth=frame()["truth"].map({1: "none", 0: "ill"}))
    path = written(turned, tmp_path / "study.csv")
    low = expected(data=path, pos_label="none", higher_is_better=False, clusters="case", covariance="jackknife")
    alone = expected(clusters="case", covariance="jackknife")
    assert low["auc"].means[0].value == alone["auc"].means[0].value
    assert low["auc"].means[0].standard_error == alone["auc"].means[0].standard_error
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"data": tmp_path / "no.csv"}, hc.errors.UnreadableFileError, "no.csv"),
        ({"data": path, "reader": "raeder"}, hc.errors.ColumnNotFoundError, "did you mean 'reader'"),
        (
            {"data": path, "reader": frame()["reader"]},
            ParameterError,
            "with data in a file, reader is the name of a col",
        ),
    ]
    what = "data must be a data frame, a mapping, an Arrow stream or the path of one file"
    nothing: list[Any] = [[str(path)], 3, object(), io.StringIO(), []]
    refused += [({"data": data}, InputError, f"{what}, got") for data in nothing]
    for options, kind, sentence in refused:
        with pytest.raises(kind, match=sentence):
            expected(**options)


def test_standard_input_and_options(shell: Shell) -> None:
    content = frame().to_csv(index=False).encode()
    metrics = ["auc", "ap", "sensitivity@rating>=3"]
    asked = [part for one in metrics for part in ("--metric", one)]
    done = shell(
        "readers", "-", *BOTH, *asked, "--baseline", "m1", "--margin", "0.1", "--random", "cases", stdin=content
    )
    found = expected(metrics=metrics, baseline="m1", margin=0.1, random="cases")
    assert done.out == f"{found}\n"
    equal = shell("readers", "-", *BOTH, "--margin", "0.1", "--equivalence", "--format", "json", stdin=content)
    assert equal.json["hypothesis"] == "equivalence"
    one = frame()[frame()["modality"] == "m1"].to_csv(index=False).encode()
    assert "mean    " in shell("readers", "-", *COLUMNS, stdin=one).out
    turned = frame().assign(rating=-frame()["rating"]).to_csv(index=False).encode()
    low = shell("readers", "-", *BOTH, "--low", "--format", "json", stdin=turned).json
    assert low == json.loads(expected().to_json())
    more = shell("readers", "-", *BOTH, "--cluster", "case", "--design", "cohort", "-f", "json", stdin=content).json
    assert (more["clusters"], more["design"], more["covariance"]) == (70, "cohort", "influence")


@pytest.mark.parametrize("end", ["csv", "json", "md", "tex", "txt", "parquet"])
def test_every_format_is_written(shell: Shell, tmp_path: Path, end: str) -> None:
    path, out = written(frame(), tmp_path / "study.csv"), tmp_path / f"out.{end}"
    done = shell("readers", path, *BOTH, "-o", out)
    notes = expected().notes() if end in ("csv", "parquet") else []  # for which columns have no place
    assert (done.code, done.err.splitlines()) == (0, [f"wrote {out}", *(f"note: {note}" for note in notes)])
    records = expected().to_records()
    if end == "parquet":
        assert pyarrow.parquet.read_table(out).column("value").to_pylist() == [one["value"] for one in records]
    elif end == "csv":
        assert len(list(csv.DictReader(io.StringIO(out.read_text())))) == len(records)
    else:
        assert "auc" in out.read_text()


@pytest.mark.parametrize("figure", [None, "curves", "differences", "components"])
def test_figures_are_written(shell: Shell, tmp_path: Path, figure: str | None) -> None:
    path, out = written(frame(), tmp_path / "study.csv"), tmp_path / "figure.svg"
    done = shell("readers", path, *BOTH, *(["--figure", figure] if figure else []), "-o", out)
    assert (done.code, done.err) == (0, f"wrote {out}\n")
    text = out.read_text()
    assert text.startswith("<?xml")
    if figure == "differences":
        assert "<!-- reader 4 -->" in text


def test_plans_and_checks_are_printed(shell: Shell, tmp_path: Path) -> None:
    path, found = written(frame(), tmp_path / "study.csv"), expected(metrics=["auc", "ap"])
    asked = ["--metric", "auc", "--metric", "ap", "--effect", "0.1", "--n-readers", "12"]
    plan = shell("readers", path, *BOTH, *asked, "--power", "80%", "-f", "json").json["plan"]
    assert plan == [found.power_analysis(0.1, metric=m, readers=12, power=0.8).to_record() for m in ("auc", "ap")]
    text = shell("readers", path, *BOTH, *asked, "--n-cases", "200", "--margin", "0.05", "--significance", "0.1").out
    own: dict[str, Any] = {"readers": 12, "cases": 200, "margin": 0.05, "significance": 0.1}
    assert str(found.power_analysis(0.1, metric="ap", **own)) in text.splitlines()
    check = shell("readers", path, *BOTH, "--bootstrap", "60", "--seed", "3", "-f", "json").json["bootstrap of auc"]
    assert check == found.bootstrap("auc", n_resamples=60, rng=3).to_records()
    same = shell("readers", path, *BOTH, "--scale", "identity", "-f", "json").json
    assert same == json.loads(expected(scale="identity").to_json())


REFUSED = {
    "no column": ([*BOTH, "--cluster", "cases"], "no column 'cases' in study.csv; did you mean 'case'?"),
    "text": (
        [*BOTH[:2], "--rating", "modality", *BOTH[4:]],
        "ratings 'modality' of study.csv must be numbers: it has 'm1' in line 2",
    ),
    "random": ([*BOTH, "--random", "all"], "--random must be one of 'both', 'readers', 'cases', got 'all'"),
    "nested": ([*BOTH, "--nested", "cases"], "nested must be one of"),
    "metric": ([*BOTH, "--metric", "sensitivity@rating=3"], "is written sensitivity@rating>=3"),
    "margin": ([*BOTH, "--margin", "0.1"], "needs the modality that the others must not be worse than"),
    "equivalence": ([*BOTH, "--equivalence"], "--equivalence needs a margin (--margin)"),
    "plan without an effect": ([*BOTH, "--power", "0.8"], "a plan needs the true difference"),
    "plan of two": ([*BOTH, "--effect", "0.1", "--power", "0.8"], "give two of readers, cases and power"),
    "plan and check": ([*BOTH, "--effect", "0.1", "--bootstrap", "60"], "give one of them"),
    "plan of equivalence": (
        [*BOTH, "--effect", "0", "--margin", "0.1", "--equivalence", "--power", "0.8", "--n-readers", "9"],
        "plans are of differences and of non-inferiority",
    ),
    "plan as a page": ([*BOTH, "--effect", "0.1", "-f", "html"], "html"),
    "percent as an effect": (
        [*BOTH, "--effect", "10", "--power", "0.8", "--n-readers", "9"],
        "--effect 10 is not on the scale of auc",
    ),
    "baseline": ([*BOTH, "--baseline", "m4"], "baseline 'm4' is no modality; modalities are 'm1', 'm2'"),
    "figure": ([*BOTH, "--figure", "curves"], "--figure needs a file"),
    "other figure": ([*BOTH, "--figure", "curve", "-o", "x.svg"], "did you mean 'curves'"),
    "decimal": ([*BOTH, "--decimal", ";"], "decimal must be one of"),
    "repeated": ([*BOTH[:-1], "case"], "reader 1 rated case 0 with modality 0 2 times (279 more are repeated)"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_are_one_sentence(shell: Shell, tmp_path: Path, case: str) -> None:
    arguments, message = REFUSED[case]
    path = written(frame(), tmp_path / "study.csv")
    assert message in shell("readers", path, *arguments).refusal


def test_missing_readings_are_told(shell: Shell, tmp_path: Path) -> None:
    path = written(frame().drop(index=[0, 100]), tmp_path / "study.csv")
    refusal = shell("readers", path, *BOTH).refusal
    assert "2 of 560 readings are missing (1 of reader 1, modality m1; 1 of reader 2, modality m1)" in refusal
    assert shell("readers", path, *BOTH, "--covariance", "unbiased", "-f", "json").json["missing"] == 2
    blank = frame().astype({"rating": object})
    blank.loc[3, "rating"] = "NA"
    path = written(blank, tmp_path / "blank.csv")
    assert "1 of 560 readings are missing" in shell("readers", path, *BOTH).refusal
    nobody = frame().astype({"reader": object})
    nobody.loc[3, "reader"] = None
    path = written(nobody, tmp_path / "nobody.csv")
    assert "1 of 560 readers are missing" in shell("readers", path, *BOTH).refusal
