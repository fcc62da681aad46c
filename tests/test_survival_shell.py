"""Censored outcomes as text, tables and data, and on the command line."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import InputError, ParameterError
from tests.shell import Shell

HORIZONS = [3.0, 8.0]


def _columns() -> dict[str, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(7)
    s = rng.normal(size=300)
    onset, other, lost = (
        rng.exponential(size=(3, 300)) * np.array([10, 40, 15])[:, None] * np.exp(np.array([[-1], [0], [0]]) * s)
    )
    time = np.minimum(np.minimum(onset, other), lost)
    return {
        "days": np.round(time, 2) + 0.01,
        "status": np.where(time == onset, 1, np.where(time == other, 2, 0)),
        "a": np.round(s, 3),
        "b": np.round(-s + rng.normal(size=300), 3),
        "site": rng.integers(0, 30, 300),
        "centre": np.arange(300) % 2,
    }


def _evaluated(**options: Any) -> hc.SurvivalEvaluation:
    return hc.evaluate_survival(
        "days", "status", ["a", "b"], data=_columns(), horizons=HORIZONS, higher_is_better={"b": False}, **options
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    columns = _columns()
    text = io.StringIO()
    out = csv.writer(text)
    out.writerow(columns)
    out.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
    path = tmp_path / "trial.csv"
    path.write_text(text.getvalue())
    return path


ASKED = ["--time", "days", "--event", "status", "--score", "a", "--score", "b:low", "--horizon", "3", "--horizon", "8"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_events_of_files_may_be_bools(shell: Shell, tmp_path: Path, ending: str) -> None:
    pd = pytest.importorskip("pandas")
    columns = _columns() | {"status": _columns()["status"] == 1}
    path = tmp_path / f"trial.{ending}"
    frame = pd.DataFrame(columns)
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    ev = hc.evaluate_survival(
        "days", "status", ["a", "b"], data=columns, horizons=HORIZONS, higher_is_better={"b": False}
    )
    found = shell("survival", path, *ASKED, "--format", "json").json
    assert found == ev.to_dict()


def test_the_shell_prints_what_python_does(shell: Shell, file: Path) -> None:
    done = shell("survival", str(file), *ASKED)
    assert done.code == 0
    assert done.out.rstrip("\n") == str(_evaluated())
    for line in (
        "horizon 3:",
        "at risk",
        "competing",
        "censoring by Kaplan-Meier",
        "intervals by half-subject: ap, auc",
    ):
        assert line in done.out


@pytest.mark.parametrize(
    ("more", "options"),
    [
        (["--controls", "all", "--strata", "centre"], {"controls": "all", "censoring": "centre"}),
        (["--cluster", "site", "--metric", "ef@10%"], {"clusters": "site", "metrics": "ef@10%"}),
        (["--rule", "sksurv", "--where", "days >= 0"], {"rule": "sksurv"}),
        (["--cause", "1", "--censored", "0"], {}),
    ],
)
def test_options_of_the_shell(shell: Shell, file: Path, more: list[str], options: dict[str, Any]) -> None:
    done = shell("survival", str(file), *ASKED, *more, "--format", "json")
    assert done.code == 0, done.err
    assert done.json == _evaluated(**options).to_dict()


def test_the_censoring_of_another_file(shell: Shell, file: Path, tmp_path: Path) -> None:
    other = tmp_path / "train.csv"
    lines = file.read_text().splitlines()
    other.write_text("\n".join([lines[0], *lines[1::2]]) + "\n")
    own = _columns()
    expected = _evaluated(censoring_from=(own["days"][::2], own["status"][::2]))
    asked = shell("survival", str(file), *ASKED, "--censoring-from", str(other), "--format", "json")
    assert asked.json == expected.to_dict()
    for given in (str(other), {name: own[name][::2] for name in ("days", "status")}):
        assert _evaluated(censoring_from=given).to_dict() == asked.json
    done = shell("survival", str(file), *ASKED, "--censoring-from", str(tmp_path / "no.csv"))
    assert (done.code, "no file" in done.err) == (2, True)


@pytest.mark.filterwarnings("ignore::hitcurve.errors.DirectionWarning")
def test_scores_that_depend_on_time(shell: Shell, file: Path) -> None:
    ev = hc.evaluate_survival("days", "status", {"m": ["a", "b"], "a": "a"}, data=str(file), horizons=HORIZONS)
    asked = [*ASKED[:4], *ASKED[8:], "--score", "m=a,b", "--score", "a"]
    assert shell("survival", str(file), *asked, "--format", "json").json == ev.to_dict()
    low = shell("survival", str(file), *asked[:-4], "--score", "m=a,b:low", "--format", "json").json
    assert low["results"][1]["value"] == pytest.approx(1 - ev["m", "auc", 3].value)
    done = shell("survival", str(file), *asked, "--score", "m=a,b,a")
    assert (done.code, "'m' twice" in done.err) == (2, True)
    done = shell("survival", str(file), *asked[:-4], "--score", "m=a,b,a")
    assert "3 columns for 2 horizons" in done.err


@pytest.mark.parametrize("kind", ["csv", "parquet", "polars"])
def test_data_elsewhere(file: Path, tmp_path: Path, kind: str) -> None:
    data: Any = str(file)
    if kind == "parquet":
        pd = pytest.importorskip("pandas")
        data = tmp_path / "trial.parquet"
        pd.DataFrame(_columns()).to_parquet(data)
    if kind == "polars":
        data = pytest.importorskip("polars").scan_csv(file)
    ev = hc.evaluate_survival(
        "days", "status", ["a", "b"], data=data, horizons=HORIZONS, higher_is_better={"b": False}, censoring="centre"
    )
    assert [e.value for e in ev] == [e.value for e in _evaluated(censoring="centre")]
    if kind == "csv":
        some = hc.evaluate_survival("days", "status", "a", data=data, horizons=3, where="centre = 1")
        assert some.at(3).subjects == 150
        assert "rows where centre = 1" in str(some)
        with pytest.raises(ParameterError, match="condition on the rows of files"):
            hc.evaluate_survival("days", "status", "a", data=_columns(), horizons=3, where="centre = 1")


def test_durations_of_files_are_refused(shell: Shell, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    path = tmp_path / "trial.parquet"
    frame = pd.DataFrame(_columns())
    frame["days"] = pd.to_timedelta(frame["days"], unit="D")
    frame.to_parquet(path)
    done = shell("survival", str(path), *ASKED)
    assert (done.code, "got durations: divide by a unit" in done.err) == (2, True)
    with pytest.raises(hc.errors.InputError, match="durations: divide by a unit"):
        hc.evaluate_survival("days", "status", "a", data=frame, horizons=3)


def test_hit_tables_have_no_times(shell: Shell, file: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.hit"
    hc.HitTable.from_scores([1, 0, 1], [3, 2, 1]).save(path)
    done = shell("survival", str(path), *ASKED)
    assert (done.code, "a.hit contains hit tables" in done.err) == (2, True)
    with pytest.raises(hc.errors.InputError, match="counts and no times"):
        hc.evaluate_survival("days", "status", "a", data=path, horizons=3)


def test_plans_of_the_shell(shell: Shell, file: Path) -> None:
    asked = [*ASKED, "--metric", "ap", "--effect", "0.05"]
    found = shell("survival", str(file), *asked, "--power", "80%", "--format", "json").json["power"]
    ev = _evaluated(metrics="ap")
    assert found == [rows.plain(ev.power_analysis("ap", 0.05, t, power=0.8).to_record()) for t in HORIZONS]
    text = shell("survival", str(file), *asked, "--subjects", "900").out
    assert str(ev.power_analysis("ap", 0.05, 8, subjects=900)) in text
    for more, words in (
        ([], "give --power for the number of subjects, or --subjects"),
        (["--power", "0.8", "--subjects", "9"], "give --power for the number of subjects, or --subjects"),
        (["--power", "0.8", "--compare", "ap"], "cannot be combined with --compare"),
        (["--power", "0.8", "-o", "plan.html"], "not as html"),
    ):
        done = shell("survival", str(file), *asked, *more)
        assert (done.code, words in " ".join(done.err.split())) == (2, True)


def test_every_format_has_every_number(shell: Shell, file: Path, tmp_path: Path) -> None:
    ev = _evaluated()
    lines = list(csv.DictReader(io.StringIO(ev.to_csv())))
    assert len(lines) == len(ev) == 8
    for line, e in zip(lines, ev, strict=True):
        assert (line["ranker"], line["metric"], float(line["value"])) == (e.ranker, str(e.metric), e.value)
        assert float(line["standard_error"]) == e.standard_error
    record = ev.to_dict()["results"][0]
    assert record["horizon"] == 3
    assert record["event_rate"] == ev.at(3).event_rate
    frame = ev.to_frame()
    assert frame["value"].tolist() == [e.value for e in ev]
    assert ev.to_frame(wide=True).shape == (4, 4)
    for name in ("out.md", "out.tex", "out.csv", "out.json", "out.txt"):
        done = shell("survival", str(file), *ASKED, "--compare", "ap", "-o", str(tmp_path / name))
        assert done.code == 0, done.err
        text = (tmp_path / name).read_text()
        assert "horizon" in text
        assert "elta" in text
    assert "<table" in ev.to_html()


def test_the_paragraph_of_a_paper() -> None:
    text = _evaluated().methods_text()
    for words in (
        "300 subjects",
        "competing event",
        "at horizons 3 (",
        "Kaplan-Meier",
        "account for the estimate",
        "[1]",
    ):
        assert words in text
    known = _evaluated(censoring=lambda t: np.exp(-t / 15)).methods_text()
    assert "account for the estimate" not in known


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (ASKED[2:], "give --time"),
        (ASKED[:2] + ASKED[4:], "give --event"),
        (ASKED[:4], "give --score"),
        (ASKED[:6], "give --horizon"),
        ([*ASKED, "--horizon", "1000"], "beyond the follow-up: no subject is observed for longer than"),
        ([*ASKED, "--cause", "9"], "no subject has the event code 9"),
        ([*ASKED, "--strata", "center"], "no column 'center'"),
        ([*ASKED, "--baseline", "a"], "--baseline needs --compare"),
    ],
)
def test_bad_input_is_one_sentence(shell: Shell, file: Path, asked: list[str], words: str) -> None:
    done = shell("survival", str(file), *asked)
    assert done.code == 2
    assert words in " ".join(done.err.split())
    assert "Traceback" not in done.err


@pytest.mark.slow
def test_the_page(shell: Shell, file: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    path = tmp_path / "report.html"
    done = shell("survival", str(file), *ASKED, "-o", str(path))
    assert done.code == 0, done.err
    ev, text = _evaluated(), path.read_text()
    assert text == hc.report(ev, tmp_path / "again.html").read_text()
    # both metrics and their difference over time, each with the number at risk
    assert text.count("<svg viewBox") == text.count(">at risk<") == 4
    assert "https://" not in text
    assert text.replace("http://www.w3.org/2000/svg", "").count("http://") == 0
    header, body = ev.at(3).table_rows()
    for cell in (*header[1:3], *body[0][:3], ev.title(ev.at(8))):
        assert cell in text
    found = ev.over_time("ap")
    assert str(found.integrated("a")) in text
    assert rows.p_alone(ev.compare_all("auc", 8)[0].pvalue) in text
    plain = hc.evaluate_survival(_columns()["days"], _columns()["status"], {"<b>": _columns()["a"]}, horizons=3)
    odd = hc.report(plain, tmp_path / "odd.html", "<i>").read_text()
    assert "<b>" not in odd
    assert "<i>" not in odd
    assert "Comparisons</h2>" not in odd


def test_what_a_page_refuses(shell: Shell, file: Path, tmp_path: Path) -> None:
    ev = _evaluated()
    with pytest.raises(ParameterError, match="not one horizon of it"):
        hc.report(ev.at(3), tmp_path / "one.html")
    with pytest.raises(ParameterError, match="neither a baseline nor colours"):
        hc.report(ev, tmp_path / "one.html", baseline="a")
    done = shell("survival", str(file), *ASKED, "--compare", "ap", "-o", str(tmp_path / "page.html"))
    assert done.code == 2
    assert "compares the rankers itself" in done.err


@pytest.mark.parametrize(
    ("column", "value", "options", "said"),
    [
        ("days", "-2", [], "time must be finite and at least 0, got -2 in line 4 of trial.csv"),
        ("days", "-2", ["--where", "site >= 0"], "got -2 in row 3 of the rows where site >= 0"),
        ("status", "", [], "values of event are missing: .*; the first is in line 4 of trial.csv"),
        ("a", "", [], "values of score 'a' are missing: .*; the first is in line 4 of trial.csv"),
        ("site", "-1", ["--weight", "site"], "weights must be finite and at least 0, got -1.0 in line 4 of trial.csv"),
    ],
)
def test_what_a_file_lacks_is_named_with_its_line(
    shell: Shell, file: Path, column: str, value: str, options: list[str], said: str
) -> None:
    _put(file, column, value)
    refusal = shell("survival", file, *ASKED, *options).refusal
    assert re.search(said, refusal), refusal


@pytest.mark.parametrize("value", ["-2", ""])
def test_lines_of_the_file_of_the_censoring(shell: Shell, file: Path, tmp_path: Path, value: str) -> None:
    other = tmp_path / "train.csv"
    other.write_text(file.read_text())
    _put(other, "days", value)
    refusal = shell("survival", file, *ASKED, "--censoring-from", other).refusal
    assert re.search(r"censoring_from: .* in line 4 of train.csv$", refusal), refusal
    with pytest.raises(InputError, match=r"^censoring_from: .* in line 4 of train.csv$"):
        hc.evaluate_survival("days", "status", "a", data=file, horizons=3, censoring_from=other)


def _put(file: Path, column: str, value: str) -> None:
    """Write a value into the fourth line of a file."""
    lines = list(csv.reader(file.read_text().splitlines()))
    lines[3][lines[0].index(column)] = value
    file.write_text("".join(f"{','.join(line)}\n" for line in lines))
