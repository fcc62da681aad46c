"""Censored outcomes as text, tables and data, and on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.errors import ParameterError
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
    assert found == json.loads(ev.to_json())


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
    assert json.loads(done.out) == json.loads(_evaluated(**options).to_json())


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
        ([*ASKED, "--horizon", "1000"], "beyond the follow-up: nobody is observed longer than"),
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


def test_the_page(shell: Shell, file: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    path = tmp_path / "report.html"
    done = shell("survival", str(file), *ASKED, "-o", str(path))
    assert done.code == 0, done.err
    ev, text = _evaluated(), path.read_text()
    assert text == hc.report(ev, tmp_path / "again.html").read_text()
    # both metrics and their difference over time, each with the number at risk
    assert text.count("<svg") == text.count(">at risk<") == 4
    assert not any(word in text for word in ("http://", "https://", "<script"))
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
