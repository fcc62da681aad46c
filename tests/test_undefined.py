"""What is undefined is said with its reason wherever people or programs read it, and never as the word nan."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import HitcurveWarning
from hitcurve.report import FORMATS, render

METRICS = ("momentum", "precision@9", "auc", "scaled_ap", "recall@9", "hits@9", "ef@9", "wss@95%", "dcg@9")
Y = [1, 1, 0, 0, 0, 0]
WORD = re.compile(r"(?i)(?<![\w.])nan(?!\w)")


def _of_one_list(**options: Any) -> hc.Evaluation:
    found: hc.Evaluation = hc.evaluate(
        Y, {"a": [1, 1, 0, 0, 0, 0], "b": [0, 1, 2, 3, 4, 5]}, metrics=METRICS, undefined="nan", **options
    )
    return found


def _of_groups() -> hc.GroupedEvaluation:
    y = np.r_[Y, np.repeat([1, 0], [10, 30]), np.repeat([1, 0], [2, 5]), 0, 0]
    rng = np.random.default_rng(0)
    scores = {"a": rng.normal(size=y.size) + y, "b": rng.normal(size=y.size)}
    where = np.repeat(["p", "q", "r", "z"], [6, 40, 7, 2])
    return hc.evaluate(y, scores, metrics=METRICS, undefined="nan", single_class="zero", by=where)


@pytest.fixture(params=["one", "weights", "groups", "none defined"])
def found(request: pytest.FixtureRequest) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        if request.param == "one":
            return _of_one_list()
        if request.param == "weights":
            return _of_one_list(sample_weight=[1, 2, 3, 1, 2, 1.5])
        if request.param == "groups":
            return _of_groups()
        return hc.evaluate([1, 0, 0] * 3, [3, 2, 1] * 3, by=np.repeat([1, 2, 3], 3), metrics=METRICS, undefined="nan")


def _texts(ev: Any, folder: Path) -> dict[str, str]:
    out = {form: render(ev, form) for form in FORMATS}
    out |= {
        "methods": ev.methods_text(),
        "notebook": ev._repr_html_(),
        "dict": json.dumps(ev.to_dict(), allow_nan=False),
    }
    page = folder / "page.html"
    hc.report(ev, page)
    # without scripts, which know NaN
    out["page"] = re.sub(r"(?s)<script.*?</script>", "", page.read_text(encoding="utf-8"))
    return out


@pytest.mark.slow
def test_the_word_nan_is_nowhere(found: Any, tmp_path: Path) -> None:
    for name, text in _texts(found, tmp_path).items():
        near = [text[max(0, m.start() - 60) : m.end() + 60] for m in WORD.finditer(text)]
        assert not near, f"{name}: {near[0]!r}"
        assert "exceeds the list of" in text or "counts subjects" in text, name


def test_estimates_and_means_say_why(found: Any) -> None:
    if isinstance(found, hc.Evaluation):
        said = [str(e) for e in found]
        assert all(("is undefined: " in text) == bool(np.isnan(e.value)) for text, e in zip(said, found, strict=True))
    else:
        said = [json.dumps(record) for record in found.to_dict()["means"]]
    assert not any(map(WORD.search, said))


def test_methods_say_why_and_leave_out_conventions_of_what_is_undefined() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        text = _of_one_list().methods_text()
    assert "precision@9, recall@9, hits@9 and ef@9 (a cutoff at rank 9 exceeds the list of 6 subjects)" in text
    assert "No value is reported for momentum of b (" in text
    assert "precision@9: " not in text


def test_records_without_a_value_have_a_reason(found: Any) -> None:
    content = found.to_dict()
    records = [*content.get("results", ()), *content.get("groups", ())]
    assert records
    assert all(record["reason"] for record in records if record["value"] is None)
    assert all(record["reason"] for record in content.get("means", ()) if record["mean"] is None)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_wide_frames_say_why_a_value_is_missing(backend: str) -> None:
    pytest.importorskip(backend)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        ev = _of_one_list()
    frame = ev.to_frame(wide=True, backend=backend)
    reasons = frame["reason"].to_pylist() if backend == "pyarrow" else frame["reason"].to_list()
    assert reasons[0].startswith("precision@9: a cutoff at rank 9 exceeds the list of 6 subjects; recall@9: ")
    assert reasons[1].startswith("momentum: ")
    defined = hc.evaluate(Y, {"a": [6, 5, 4, 3, 2, 1]}, metrics="auc").to_frame(wide=True, backend=backend)
    columns = defined.column_names if backend == "pyarrow" else list(defined.columns)
    assert columns == ["ranker", "auc"]


def test_frames_and_csv_have_a_reason_beside_every_value_that_is_missing(found: Any) -> None:
    frames = [found.to_frame(backend="pandas")]
    if isinstance(found, hc.GroupedEvaluation):
        frames.append(found.to_frame(per="mean", backend="pandas"))
    for frame in frames:
        key = "mean" if "mean" in frame else "value"
        lacking = frame[frame.reindex(columns=[key, "standard_error"]).isna().any(axis=1)]
        assert (lacking["reason"] != "").all()
