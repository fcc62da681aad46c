"""Doors that take text or bytes that the package itself writes: metrics, magnifications, tables, evaluations."""

from __future__ import annotations

import itertools
import json
from functools import cache, partial
from pathlib import Path
from random import Random

import hitcurve as hc
from hitcurve.magnify import magnification
from tests.fuzz import odd
from tests.fuzz.case import Door, FaultError, Verdict, answer
from tests.metrics_under_test import FORMS

# with the numbers of a list that is short, and of one whose scores are tied
TABLES = (hc.HitTable.from_counts([3, 1, 0, 2], [0, 2, 30, 5]), hc.HitTable.from_scores([1, 0, 0, 1], [4, 3, 2, 1]))
MAGNIFICATIONS = ("exp(alpha=7)", "power(alpha=2.3)", "log(alpha=80)", "cutoff(t=0.15)", "window(lower=0.1, upper=0.6)")
FAR = 1e-9  # beyond its range, where a value is a sum of many terms


def metric_strings(rng: Random, folder: Path) -> Verdict:
    """Read a metric that is nearly right; its values lie in its range, and what is printed is read back."""
    text = rng.choice(FORMS)
    if rng.random() < 0.5:
        text = odd.renumbered(rng, text)
    else:
        text = odd.mutated(rng, text, (rng.choice(FORMS), "@", "%", "(", ")", "=", ", ", "nan", "inf"))
    m, refused = answer(lambda: hc.metric(text))
    if refused:
        return Verdict.REFUSED
    if hc.metric(str(m)) != m:
        raise FaultError(f"{text!r} is read as {m}, which is read as another metric")
    for table in TABLES:
        ev, refused = answer(partial(hc.evaluate, tables={"a": table}, metrics=m))
        if not refused and not m.range[0] - FAR <= ev["a", m].value <= m.range[1] + FAR:
            raise FaultError(f"{m} is {ev['a', m].value!r}, outside {m.range}: {text!r}")
    return Verdict.CONFIRMED


def magnifications(rng: Random, folder: Path) -> Verdict:
    """Read a magnification that is nearly right: it rises from 0 to 1, and so do its means."""
    text = rng.choice(MAGNIFICATIONS)
    text = odd.renumbered(rng, text) if rng.random() < 0.6 else odd.mutated(rng, text, MAGNIFICATIONS)
    f, refused = answer(lambda: magnification(text))
    if refused:
        return Verdict.REFUSED
    edges = [0.0, 1e-9, 0.01, 0.5, 0.9, 1.0]
    means = [float(f.mean(a, b)) for a, b in itertools.pairwise(edges)]
    if not all(-FAR <= a <= b + FAR <= 1 + 2 * FAR for a, b in zip(means, [*means[1:], 1.0], strict=True)):
        raise FaultError(f"{f} has the means {means}: {text!r}")
    return Verdict.CONFIRMED


@cache
def _state(folder: Path, weighted: bool) -> tuple[hc.HitTable, bytes]:
    weights = [0.25, 1.0, 2.5, 1.0, 3.0] if weighted else None
    table = hc.HitTable.from_scores([1, 0, 1, 0, 0], [5, 4, 4, 2, 1], sample_weight=weights)
    path = folder / "whole.hit"
    table.save(path)
    return table, path.read_bytes()


def state_files(rng: Random, folder: Path) -> Verdict:
    """Read a file of tables of which bytes were changed: the same table, or a refusal."""
    table, content = _state(folder, rng.random() < 0.5)
    path = folder / "changed.hit"
    path.write_bytes(odd.mutated_bytes(rng, content))
    found, refused = answer(lambda: hc.load_table(path))
    if not refused and found != table:
        raise FaultError(f"changed bytes were read as {found}")
    return Verdict.REFUSED if refused else Verdict.CONFIRMED


@cache
def _evaluation() -> str:
    ev = hc.evaluate([1, 0, 1, 0, 0], {"a": [5, 4, 4, 2, 1], "b": [1, 2, 3, 4, 5]}, metrics=["ap", "auc"])
    return ev.to_json()


def evaluations(rng: Random, folder: Path) -> Verdict:
    """Read the JSON of an evaluation of which characters were changed: the same, or a refusal."""
    given = _evaluation()
    text = odd.mutated(rng, given)
    found, refused = answer(lambda: hc.from_json(text=text))
    if not refused and json.loads(found.to_json()) != json.loads(given):
        raise FaultError(f"changed JSON was read as {found.to_dict()}: {text!r}")
    return Verdict.REFUSED if refused else Verdict.CONFIRMED


DOORS: dict[str, Door] = {
    "metric strings": metric_strings,
    "magnifications and rates": magnifications,
    "state files": state_files,
    "evaluations as JSON": evaluations,
}
