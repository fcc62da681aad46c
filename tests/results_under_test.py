"""Results of every kind, over which tests go."""

from __future__ import annotations

import warnings
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np

import hitcurve as hc
from tests.fuzz.doors.results import asks

Y = np.repeat([1, 0], [12, 28])
SCORES = {name: np.random.default_rng(place).normal(size=40) + 2 * Y for place, name in enumerate("ab")}
GROUPS = np.arange(40) % 4


@cache
def results() -> dict[str, Any]:
    """Return results of every kind; what they warn of is not looked at."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _made()


def _made() -> dict[str, Any]:
    """Return results of every kind, by the call that makes them."""
    readings = hc.datasets.reader_study()
    columns: dict[str, Any] = {
        name: np.asarray(readings[name]) for name in ("truth", "rating", "reader", "modality", "case")
    }
    markers = np.random.default_rng(0).normal(size=(40, 5))
    ev = hc.evaluate(Y, SCORES, metrics=["ap", "auc"])
    runs = {"r": {"1": {"x": 2.0, "y": 1.0}, "2": {"x": 1.0, "w": 0.5}}, "s": {"1": {"y": 1}, "2": {"w": 3}}}
    table = ev.tables["a"]
    made = {
        "evaluation": ev,
        "weighted": hc.evaluate(Y, SCORES, metrics="auc", sample_weight=1 + GROUPS),
        "clustered": hc.evaluate(Y, SCORES, metrics="ap", clusters=GROUPS + 4 * (np.arange(40) // 10)),
        "groups": hc.evaluate(Y, SCORES, metrics=["ap", "auc"], by=GROUPS),
        "trec": hc.evaluate_trec(runs, {"1": {"x": 0, "y": 1}, "2": {"w": 1}}, metrics=["AP", "P@2"]),
        "survival": hc.evaluate_survival(np.arange(40) + 1.0, Y | (GROUPS == 0), SCORES, horizons=20, metrics="auc"),
        "readers": hc.evaluate_readers(
            columns.pop("truth"), columns.pop("rating"), **columns, metrics="auc", baseline="film"
        ),
        "screen": hc.screen(markers, Y),
        "top": None,
        "screens": hc.screen_one_vs_rest(markers, GROUPS),
        "table": table,
        "prevalence": table.at_prevalence(0.1),
        "stack": hc.TableStack.from_tables({"x": table, "y": table}),
        "tables": hc.Tables(dict(ev.tables)),
        "labels": table.with_label_errors(contamination=0.05) if hasattr(table, "with_label_errors") else None,
    }
    made |= {f"curve {name}": table.curve(name) for name in ("roc", "precision_recall", "cac")}
    for ask in asks():
        name = getattr(ask.call, "__qualname__", str(ask.call))
        with suppress(hc.errors.HitcurveError):
            made.setdefault(f"{name}({', '.join(map(str, ask.given.values()))[:60]})", ask())
    return {name: one for name, one in made.items() if one is not None}
