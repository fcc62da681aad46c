"""The data sets in the package: they are there, say what they are, are evaluated as they are, and cannot change."""

from __future__ import annotations

import hashlib
import io
import math
import pickle
import runpy
import warnings
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

import hitcurve as hc
from hitcurve.datasets.stored import unpacked
from hitcurve.errors import ColumnNotFoundError, HitcurveWarning, InputError, ParameterError, UnreadableFileError
from tests.shell import Shell

SETS = {name: hc.datasets.load(name) for name in hc.datasets.names()}
FILES = files("hitcurve.datasets").joinpath("files")
packed = runpy.run_path(str(Path(__file__).parents[1] / "packaging" / "columns.py"))["packed"]  # beside the package
STORED = ("docking", "egfr", "hiv", "reviews")
BY_HAND = {  # label, positive label, scores, whether larger is better
    "docking": ("active", 1, ["smina", "ifp", "cnn_score", "rf_score_vs"], True),
    "egfr": ("ligand", 1, ["energy"], False),
    "hiv": ("active", 1, ["maxsim", "knn10"], True),
    "reviews": ("included", 1, ["waterloo_a", "waterloo_b", "qut"], False),
    "transactions": ("status", "fraud", ["rules", "model"], True),
    "credit": ("default", 1, ["card_a", "card_b"], False),
    "biomarkers": ("group", "case", ["shifted", "subset", "noise"], True),
}


def test_every_stored_set_has_its_file_and_its_licence() -> None:
    there = {entry.name for entry in FILES.iterdir()}
    assert there == {f"{name}.zip" for name in STORED} | {"licences"}
    for name in STORED:
        text = FILES.joinpath("licences", f"{name}.txt").read_text()
        assert f"{name}.zip" in text
        assert SETS[name].licence.split(",")[0] in text
        assert ("Copyright (c)" in text) == (SETS[name].licence == "MIT")
    assert {entry.name for entry in FILES.joinpath("licences").iterdir()} == {f"{name}.txt" for name in STORED}


def test_together_they_are_small() -> None:
    folder = Path(str(FILES))
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 400_000


def test_nothing_keeps_the_files_out_of_what_is_built() -> None:
    root = Path(__file__).parents[1]
    ignored = (root / ".gitignore").read_text().split()
    assert not any(pattern.strip("*/.") in ("csv", "gz", "txt", "files", "licences") for pattern in ignored)
    built = (root / "pyproject.toml").read_text()
    assert 'packages = ["src/hitcurve"]' in built  # hatchling takes every file of the folder
    assert "exclude" not in built.partition("[tool.hatch")[2].partition("[tool.ruff")[0]


@pytest.mark.parametrize("name", SETS)
def test_a_set_says_what_it_is(name: str) -> None:
    one = SETS[name]
    assert one.name == name
    assert list(one.fields) == list(one)
    assert all(words.strip() for words in (one.title, one.description, one.source, one.licence, *one.fields.values()))
    assert {column.size for column in one.values()} == {one.n_rows}
    said = str(one)
    assert all(words in said for words in (one.title, one.description, one.source, one.licence, *one))
    assert repr(one).startswith(f"Dataset {name!r}: {one.n_rows:,} rows of ")


@pytest.mark.parametrize("name", BY_HAND)
def test_columns_are_evaluated_as_they_are(name: str) -> None:
    label, positive, scores, high = BY_HAND[name]
    options: Any = {"pos_label": positive, "higher_is_better": high, "missing": "last", "metrics": ["ap", "auc"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        own = hc.evaluate(label, scores, data=SETS[name], **options)
        frame = hc.evaluate(label, scores, data=SETS[name].to_frame("pandas"), **options)
    assert [e.value for e in own] == [e.value for e in frame]


@pytest.mark.parametrize("name", SETS)
def test_nothing_can_be_changed(name: str) -> None:
    one = SETS[name]
    column = next(iter(one))
    with pytest.raises(ValueError, match="read-only"):
        one[column][0] = one[column][1]
    with pytest.raises(TypeError):
        one[column] = []
    assert hc.datasets.load(name) == one
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != one.only(**{column: one[column][0]}) or one.n_rows == 1


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("name", ["mammography", "reviews", "transactions"])
def test_frames_of_every_library(name: str, backend: str) -> None:
    frame = SETS[name].to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    assert frame.shape == (SETS[name].n_rows, len(SETS[name]))


def test_names_of_columns_are_not_taken_for_data() -> None:
    one = SETS["docking"]
    for take in (pd.DataFrame, pl.DataFrame):  # they take a dictionary of columns
        assert take(one).shape == (3720, 7)
        assert list(take(one).columns) == list(one)
    with pytest.raises(InputError, match=r"data set 'docking' is a mapping of columns: use to_frame\(\)"):
        np.asarray(one)


@pytest.mark.parametrize("name", SETS)
def test_csv_reads_back(name: str, tmp_path: Path) -> None:
    one = SETS[name]
    path = tmp_path / "data.csv"
    one.to_csv(path)
    assert path.read_text() == one.to_csv()
    read = pd.read_csv(path, dtype={column: str for column in one if one[column].dtype.kind == "U"})
    assert list(read) == list(one)
    for column, values in one.items():
        assert read[column].tolist() == pytest.approx(values.tolist(), nan_ok=True, abs=0) or (
            values.dtype.kind == "U" and read[column].tolist() == values.tolist()
        )


@settings(deadline=None)
@given(
    decimals=st.integers(0, 9),
    least=st.integers(-(10**12), 10**12),
    spread=st.sampled_from([0, 1, 255, 256, 70_000, 10**10]),
    n=st.integers(1, 300),
)
def test_what_is_packed_is_read_as_it_was(decimals: int, least: int, spread: int, n: int) -> None:
    whole = [least + (7919 * row) % (spread + 1) for row in range(n)]
    numbers = [str(Decimal(one).scaleb(-decimals)) for one in whole]
    table = {
        "pid": [str(one) for one in whole],
        "active": [str(row % 2) for row in range(n)],
        "score": numbers,
        "missing": ["", *numbers[1:]],
        "zero": ["-0.0", *numbers[1:]],
        "topic": [f"{row % 3}ä" for row in range(n)],
    }
    columns = unpacked(packed(table))
    assert list(columns) == list(table)
    assert list(columns["pid"]) == table["pid"]
    assert list(columns["active"]) == [row % 2 for row in range(n)]
    assert list(columns["topic"]) == table["topic"]
    for name in ("score", "missing", "zero"):
        assert list(map(repr, map(float, columns[name]))) == [repr(float(cell or "nan")) for cell in table[name]]


def test_numbers_take_the_form_that_is_smaller() -> None:
    scores = [f"{value:.6f}" for value in np.random.default_rng(1).normal(size=5000)]
    archive = packed({"score": scores})
    assert len(archive) < len(packed({"score": [*scores, ""]})) - 2000
    assert list(unpacked(archive)["score"]) == [float(cell) for cell in scores]


@pytest.mark.parametrize(
    ("name", "source", "names"),
    [
        ("docking", "docking/dekois2_generic_scores.csv.gz", {"id": "molecule", "label": "active"}),
        ("egfr", "docking/dud_egfr_dock.csv.gz", {"label": "ligand"}),
        ("hiv", "hiv/hiv_similarity_scores.csv.gz", {"label": "active"}),
        (
            "reviews",
            "screening/clef2017_tar_runs.csv.gz",
            {
                "rel_abstract": "included",
                "rel_content": "included_full_text",
                "rank_waterloo_a": "waterloo_a",
                "rank_waterloo_b": "waterloo_b",
                "rank_qut_bool_es": "qut",
            },
        ),
    ],
)
def test_stored_sets_are_their_sources(name: str, source: str, names: dict[str, str], shared_data: Path) -> None:
    one = SETS[name]
    published = pd.read_csv(shared_data / source, dtype={"pid": str}).rename(columns=names)
    if name == "reviews":
        published = published[published["topic"].isin(set(one["topic"].tolist()))]
    assert len(published) == one.n_rows
    for column, values in one.items():
        assert np.array_equal(published[column].to_numpy(values.dtype), values, equal_nan=values.dtype.kind == "f")


def test_the_counts_of_the_trial() -> None:
    counts = SETS["mammography"]
    for name, table in hc.datasets.mammography().items():
        assert counts[f"{name}_cancers"].tolist() == table.pos.tolist()
        assert (counts[f"{name}_screened"] - counts[f"{name}_cancers"]).tolist() == table.neg.tolist()


def test_only_rows() -> None:
    review = SETS["reviews"].only(topic="CD009647", included=1)
    assert review.n_rows == 56
    assert (review.name, review.licence) == ("reviews", "MIT")
    with pytest.raises(ParameterError, match="column 'topic' of 'reviews' has no value 'CD00964'; did you mean"):
        SETS["reviews"].only(topic="CD00964")
    with pytest.raises(ParameterError, match="no value 2; its values are 1, 0"):
        SETS["docking"].only(active=2)
    with pytest.raises(ColumnNotFoundError, match="no column 'topics'; did you mean 'topic'"):
        SETS["reviews"].only(topics="CD009647")
    with pytest.raises(ParameterError, match="no row of 'mammography' has all of"):
        SETS["mammography"].only(film_cancers=13, digital_cancers=18)
    with pytest.raises(ParameterError, match=r"data set must be one of .* did you mean 'docking'"):
        hc.datasets.load("dockin")
    with pytest.raises(UnreadableFileError, match="cannot write"):
        SETS["mammography"].to_csv("/nowhere/at/all.csv")


# ---- generators


GENERATORS = {"transactions": "n_fraud", "credit": "n_bad", "biomarkers": "n_cases", "reader_study": "n_readers"}


@pytest.mark.parametrize("name", GENERATORS)
def test_a_seed_gives_the_same_data(name: str) -> None:
    make = getattr(hc.datasets, name)
    assert make() == make(seed=0)
    assert make(seed=1) != make()
    assert f"seed={1}" in make(seed=1).source
    for wrong in ({"seed": -1}, {"seed": 0.5}, {GENERATORS[name]: 0}):
        with pytest.raises(ParameterError, match="must be a whole number of at least"):
            make(**wrong)


def test_the_data_are_the_same_everywhere() -> None:
    digests = {name: hashlib.sha256(SETS[name].to_csv().encode()).hexdigest()[:12] for name in GENERATORS}
    assert digests == {
        "transactions": "942d349c557d",
        "credit": "ccb04453f3f7",
        "biomarkers": "614170630358",
        "reader_study": "4b931b1ec96c",
    }


def test_sizes_of_classes() -> None:
    with pytest.raises(ParameterError, match="n_fraud must be at most n - 20 = 80, got 90"):
        hc.datasets.transactions(100, 90)
    with pytest.raises(ParameterError, match="n_bad must be at most n - 1 = 9, got 10"):
        hc.datasets.credit(10, 10)
    small = hc.datasets.credit(10, 1)
    assert (small.n_rows, small["default"].sum()) == (10, 1)


def test_properties_of_transactions() -> None:
    many = hc.datasets.transactions(400_000, 100_000, seed=3)
    fraud, model = many["status"] == "fraud", many["model"]
    assert fraud.sum() == 100_000
    gone = np.isnan(model)
    assert (gone[fraud].mean(), gone[~fraud].mean()) == (0.1, 0.02)
    auc = hc.metric("auc")(fraud[~gone], model[~gone])
    expected = 0.25 * norm.cdf(5 / math.sqrt(2)) + 0.75 * norm.cdf(1 / math.sqrt(2))
    assert round(expected, 2) == 0.82
    assert auc == pytest.approx(expected, abs=0.004)
    assert many["rules"].max() == 6
    assert many["rules"][fraud].mean() == pytest.approx(1.5, abs=0.02)
    assert many["rules"][~fraud].mean() == pytest.approx(0.3, abs=0.01)
    assert abs(np.corrcoef(many["rules"][fraud & ~gone], model[fraud & ~gone])[0, 1]) < 0.02
    assert np.corrcoef(fraud, np.log(many["amount"]))[0, 1] == pytest.approx(0, abs=0.005)


def test_properties_of_credit() -> None:
    many = hc.datasets.credit(400_000, 100_000, seed=3)
    bad = many["default"] == 1
    for card, mean, deviation in (("card_a", 550, 50), ("card_b", 536, 76)):
        assert many[card][bad].mean() == pytest.approx(mean, abs=1)
        assert many[card][bad].std() == pytest.approx(deviation, abs=1)
        assert many[card][~bad].mean() == pytest.approx(600, abs=0.5)
        assert many[card][~bad].std() == pytest.approx(50, abs=0.5)
        assert hc.metric("auc")(bad, many[card], higher_is_better=False) == pytest.approx(0.76, abs=0.005)
    for of_class in (bad, ~bad):
        assert np.corrcoef(many["card_a"][of_class], many["card_b"][of_class])[0, 1] == pytest.approx(0.6, abs=0.01)
    top = [hc.metric("recall@1%")(bad, many[card], higher_is_better=False) for card in ("card_a", "card_b")]
    assert top[1] > top[0]


def test_properties_of_biomarkers() -> None:
    many = hc.datasets.biomarkers(150_000, 150_000, seed=3)
    case = many["group"] == "case"
    expected = {"shifted": (0.7576, 0.09), "subset": (0.7576, 0.40), "noise": (0.5, 0.01)}
    for marker, (auc, sensitivity) in expected.items():
        assert roc_auc_score(case, many[marker]) == pytest.approx(auc, abs=0.004)
        assert (many[marker][case] > norm.ppf(0.99)).mean() == pytest.approx(sensitivity, abs=0.006)


def test_properties_of_reader_study() -> None:
    many = hc.datasets.reader_study(40, 500, 500, seed=3)
    truth, rating = many["truth"], many["rating"]
    assert many.n_rows == 80_000
    assert (set(rating), truth.sum()) == ({1, 2, 3, 4, 5}, 40_000)
    # of normal ratings cut at four points
    cuts = np.array([-np.inf, -0.4, 0.4, 1.1, 1.8, np.inf])
    for modality, shift in (("film", 1.3), ("digital", 1.6)):
        assert round(norm.cdf(shift / math.sqrt(2 * 1.011)), 2) == {"film": 0.82, "digital": 0.87}[modality]
        own = many["modality"] == modality
        for label, mean in ((0, 0.0), (1, shift)):
            shares = np.bincount(rating[own & (truth == label)], minlength=6)[1:] / (own & (truth == label)).sum()
            expected = np.diff(norm.cdf((cuts - mean) / math.sqrt(1.011)))
            np.testing.assert_allclose(shares, expected, atol=0.03)
    # readers agree on a case more than by its truth
    wide = rating.reshape(2, 40, 1000)
    assert np.corrcoef(wide[0, 0, many["truth"][:1000] == 0], wide[1, 1, many["truth"][:1000] == 0])[0, 1] > 0.1


# ---- from the shell


def test_the_shell_lists_them(shell: Shell) -> None:
    code, out, _ = shell("data")
    assert code == 0
    for one in SETS.values():
        assert f"{one.name} " in out
        assert one.title in out
        assert one.licence in out


@pytest.mark.parametrize("name", ["mammography", "docking", "transactions"])
def test_the_shell_writes_what_python_has(name: str, tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / f"{name}.csv"
    code, out, said = shell("data", name, "-o", path)
    assert (code, out) == (0, "")
    assert f"wrote {path}: {SETS[name].n_rows:,} rows, licence: {SETS[name].licence}" in said
    assert path.read_text() == SETS[name].to_csv() == shell("data", name)[1]
    assert shell("data", name, "--about")[1] == f"{SETS[name]}\n"


def test_the_shell_takes_rows(shell: Shell) -> None:
    out = shell("data", "reviews", "--only", "topic=CD009647", "--only", "included=1")[1]
    assert len(pd.read_csv(io.StringIO(out))) == 56
    assert shell("data", "mammography", "--only", "score=7")[1].splitlines()[1:] == ["7,13,17,10,11"]


def test_the_shell_evaluates_what_it_wrote(tmp_path: Path, shell: Shell) -> None:
    path = tmp_path / "trial.csv"
    assert shell("data", "mammography", "-o", path).code == 0
    pairs = ["--positives", "film_cancers", "--total", "film_screened"]
    pairs += ["--positives", "digital_cancers", "--total", "digital_screened"]
    found = shell("evaluate", path, "--counts", *pairs, "-m", "ap", "-f", "json").json
    values = [e.value for e in hc.evaluate(tables=hc.datasets.mammography(), metrics="ap")]
    assert [row["value"] for row in found["results"]] == values


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dockin"], "did you mean 'docking'"),
        (["docking", "--only", "target"], "--only must be COLUMN=VALUE, got 'target'"),
        (["docking", "--only", "targt=ACHE"], "no column 'targt'; did you mean 'target'"),
        (["docking", "--only", "active=yes"], "column 'active' has numbers, got 'yes'"),
        (["docking", "--only", "active=1", "--only", "active=0"], "names the column 'active' twice"),
        (["docking", "-o", "docking.xlsx"], "data sets are written as CSV"),
        (["--about"], "--about needs the name of a data set"),
        (["-o", "all.csv"], "--output needs the name of a data set"),
    ],
)
def test_the_shell_says_what_is_wrong(words: list[str], message: str, shell: Shell) -> None:
    code, out, said = shell("data", *words)
    assert (code, out) == (2, "")
    assert message in said
