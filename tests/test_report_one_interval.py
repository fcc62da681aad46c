"""A number that the page shows in two places has one interval."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import rows
from hitcurve.datasets import mammography
from hitcurve.report.html.data import Data
from tests.pages import bracket, normal_scores

pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")

METRICS = ["ap", "precision@1%", "precision@10%", "croc(exp, alpha=7)"]


def subjects(**options: Any) -> hc.Evaluation:
    y, scores = normal_scores(("a", "b"), 30, 400)
    found: hc.Evaluation = hc.evaluate(y, scores, metrics=METRICS, **options)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        subjects,
        lambda: subjects(design="case-control"),
        lambda: subjects(prevalence=0.02),
        lambda: subjects(clusters=np.arange(400) % 100),
        lambda: hc.evaluate(tables=mammography(), metrics=METRICS),
    ],
    ids=["cohort", "case-control", "known prevalence", "clusters", "counts"],
)
def test_the_controls_begin_with_the_numbers_of_the_results(make: Callable[[], hc.Evaluation]) -> None:
    ev = make()
    data = Data(ev, (0.9, 0.95))
    for control, metrics in (("alpha", {"croc": METRICS[3]}), ("precision", {m: m for m in METRICS[:3]})):
        made = data._alpha() if control == "alpha" else data._precision()["here"]
        at = made["start"] if control == "alpha" else 0
        if control == "alpha" and made["grid"].split()[at] != "7":
            continue
        for shown, metric in metrics.items():
            for name, line in zip(ev.rankers, made["lines"][shown], strict=True):
                e = ev[name, metric]
                assert line["value"].split()[at] == rows.number(e.value)
                for place, level in enumerate((0.9, 0.95)):
                    low, high = line["low"][place].split()[at], line["high"][place].split()[at]
                    try:
                        wanted = bracket(*e.confidence_interval(level))
                    except hc.errors.HitcurveError:
                        wanted = "[-, -]"
                    assert f"[{low}, {high}]" == wanted, (metric, name, level)
