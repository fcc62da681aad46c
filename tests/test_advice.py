"""What messages advise can be done, and names in them are written as they were given."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import errors
from hitcurve.metrics import metric
from tests.shell import in_process as run

SMALL = "y,a,b,w\n1,3,2,1\n0,2,2,1.5\n0,2,0,2\n0,1,1,1\n"


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("ndcg", "a rank (10)"),
        ("dcg", "a rank (10)"),
        ("recall", "a fraction (1%), a rank (100) or R"),
        ("ef", "a fraction (1%), a rank (100) or R"),
        ("wss", "a fraction (10%)"),
        ("tpr@fpr", "a fraction (10%)"),
    ],
)
def test_a_metric_says_what_it_takes_after_its_name(name: str, takes: str) -> None:
    mark = "=" if "@" in name else "@"
    for place in ("1%", "100", "R", "n10"):
        if ("fraction" in takes and place == "1%") or place in takes or ("rank" in takes and place == "100"):
            metric(f"{name}{mark}{place}")
            continue
        if place == "100":  # of a fraction: has advice of its own
            continue
        said = f"{name} takes {takes} after {mark}, got {place!r}"
        with pytest.raises(errors.MetricParseError, match=re.escape(said)):
            metric(f"{name}{mark}{place}")
    for example in re.findall(r"\(([^)]+)\)", takes):
        metric(f"{name}{mark}{example}")


@pytest.mark.parametrize("labels", [[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0]])
@pytest.mark.parametrize("policy", ["raise", "skip", "zero"])
def test_groups_of_one_class_are_not_to_be_left_out_where_there_are_no_others(labels: list[int], policy: str) -> None:
    with pytest.raises(errors.SingleClassError, match=r"^none of 2 groups has both classes$"):
        hc.evaluate(labels, [1, 2, 3, 4], by=list("aabb"), metrics="auc", single_class=policy)


@pytest.mark.parametrize("weights", [[1e-70, 1, 1, 1e40], [1, 1, 1e61, 0], [1e-70, 1, 1, 1e59], [1e-61, 1e61, 1, 1]])
def test_weights_are_to_be_multiplied_only_where_that_helps(weights: list[float]) -> None:
    def auc(given: list[float]) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return hc.evaluate([1, 0, 1, 0], [1, 2, 3, 4], sample_weight=given, metrics="auc")

    with pytest.raises(errors.WeightError) as refused:
        auc(weights)
    known = [w for w in weights if w]
    unit = 1 / (min(known) ** 0.5 * max(known) ** 0.5)
    if "multiply all weights by one number" in str(refused.value):
        auc([w * unit for w in weights])
    else:
        assert "set these weights to 0" in str(refused.value)
        with pytest.raises(errors.WeightError):
            auc([w * unit for w in weights])
        auc([0 if w < 1e-50 else w * 1e-20 for w in weights])


@pytest.mark.parametrize("method", ["log", "tilted", "delong"])
def test_an_interval_that_is_not_for_a_metric_names_the_argument_and_the_option(method: str, tmp_path: Path) -> None:
    with pytest.raises(errors.ParameterError, match=f"^interval_method='{method}' is for ") as refused:
        hc.evaluate([1, 0, 1, 0], [1, 2, 3, 4], metrics="gini", interval_method=method)
    assert "default_interval" not in str(refused.value)
    path = tmp_path / "t.csv"
    path.write_text(SMALL + "1,0,3,1\n")
    asked = ["evaluate", str(path), "--label", "y", "--score", "a", "--score", "b", "--metric", "gini"]
    assert f"error: --interval-method {method} is for " in run(*asked, "--interval-method", method).stderr
    if method == "delong":
        assert "error: --method delong is for " in run(*asked, "--compare", "gini", "--method", method).stderr


def test_a_test_is_advised_by_the_name_of_its_option_and_only_if_it_can_be_made(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    asked = ["evaluate", str(path), "-l", "y", "-s", "a", "-s", "b", "--weight", "w", "-m", "auc", "--compare", "auc"]
    path.write_text(SMALL)
    assert "method" not in run(*asked).stderr
    assert "use 'delta'" not in run(*asked, "--method", "bootstrap").stderr
    path.write_text(SMALL + "1,1,4,2\n")
    assert "--method delta" in run(*asked).stderr
    assert run(*asked, "--method", "delta").returncode == 0


@pytest.mark.parametrize("name", ["\u202eabc", "a\nb", "a\tb"])
@pytest.mark.parametrize("what", ["matrix", "iterator"])
def test_names_of_rankers_are_quoted(name: str, what: str) -> None:
    values: Any = np.array([[1], [2]]) if what == "matrix" else iter([1, 2])
    with pytest.raises(errors.InputError) as refused:
        hc.evaluate([1, 0], {name: values})
    assert repr(name) in str(refused.value)
    assert name not in str(refused.value)


def test_a_sum_of_weights_is_no_number_of_subjects() -> None:
    with pytest.raises(errors.SingleClassError, match=r"among subjects of total weight 2\.52395"):
        hc.evaluate([0, 0], [1, 2], sample_weight=[1.2, 1.32395295643], metrics="auc")
    with pytest.raises(errors.SingleClassError, match="among the 2 subjects"):
        hc.evaluate([0, 0], [1, 2], metrics="auc")
