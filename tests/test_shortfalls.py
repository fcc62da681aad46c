"""What an independent check found to fall short: the numbers are those of the studies that they are read from."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from validation import shortfalls
from validation.held_out import NOT_TUNED
from validation.populations import sample_of
from validation.running import RESULTS, Line, read, tables
from validation.shortfalls_simulated import CLUSTERS, OF_CLUSTER, Found, clustered_levels, of_clusters

import hitcurve as hc
from hitcurve.inference.intervals.interval import resolve
from hitcurve.inference.variance.spread import Spread

READ = [cell for cell in shortfalls.CELLS if cell.file]


def test_every_cell_is_there_once() -> None:
    names = [(cell.what, cell.name) for cell in shortfalls.CELLS]
    assert len(set(names)) == len(names) == 61
    assert {cell.kind for cell in shortfalls.CELLS} == {"coverage", "size", "power"}


@pytest.mark.parametrize("cell", READ, ids=lambda cell: f"{cell.what} {cell.name}")
def test_a_cell_of_a_study_is_one_line_of_its_results(cell: shortfalls.Cell) -> None:
    line = cell.line(0)
    assert 0 < line["now"] <= 1
    assert line["draws"] >= 100
    assert line["read_from"] == cell.file


DEFAULTS: list[tuple[str, str, int, int, str, float | None]] = [
    ("ndcg", "gamma", 20, 4000, "cohort", None),
    ("ndcg", "lognormal", 50, 5000, "cohort", None),
    ("recall@1%", "t2 hook", 20, 100, "cohort", None),
    ("ef@1%", "t2 hook", 100, 300, "case-control", 0.2),
    ("ef@1%", "5 levels", 50, 350, "case-control", 0.2),
    ("ap", "subgroup", 20, 4000, "cohort", None),
    ("logauc", "gamma", 20, 100, "case-control", None),
]


@pytest.mark.parametrize(("form", "name", "n1", "n", "design", "prevalence"), DEFAULTS)
def test_what_is_read_is_of_the_default(
    form: str, name: str, n1: int, n: int, design: str, prevalence: float | None
) -> None:
    population = NOT_TUNED[name]
    (table,) = tables(sample_of(population, np.array([n1]), n, np.random.default_rng(3)), ordinal=population.ordinal)
    if prevalence is not None:
        table = table.at_prevalence(prevalence)
    what = {"ndcg": "NDCG", "ap": "AP", "logauc": "logAUC"}.get(form, form)
    methods = {
        cell.line(0)["method"]
        for cell in READ
        if what in cell.what
        and cell.kind == "coverage"
        and name.replace("t2 hook", "t2 negatives") in cell.name
        and (design == "case-control") == ("case-control" in cell.name or form == "logauc")
    }
    assert methods == {str(resolve(Spread(hc.metric(form), table, design), "auto"))}


def test_verdicts_are_about_twice_the_error() -> None:
    def of(share: float, kind: str, draws: int = 400) -> Line:
        found = Found(share, draws, "a")
        aim = 0.05 if kind == "size" else 0.95
        return shortfalls.Cell("a", "b", kind, ".9", lambda _: found, aim=aim).line(draws)

    # twice the error at .95 of 400 draws is .0218
    assert of(0.925, "coverage")["verdict"] == "short"
    assert of(0.93, "coverage")["verdict"] == "within error"
    assert of(0.98, "coverage")["verdict"] == "covers more"
    assert of(0.08, "size")["verdict"] == "short"
    assert of(0.08, "size")["short_by"] == pytest.approx(0.03)
    assert of(0.02, "size")["verdict"] == "rejects less"


def test_clusters_share_labels_and_scores() -> None:
    rng = np.random.default_rng(5)
    drawn = [of_clusters(NOT_TUNED["gamma"], 0.2, 2, rng) for _ in range(60)]
    y = np.concatenate([labels for labels, _ in drawn])
    a, b = (np.concatenate([scores[i] for _, scores in drawn]) for i in (0, 1))
    assert y.size == 60 * CLUSTERS * OF_CLUSTER
    assert y.mean() == pytest.approx(0.2, abs=0.01)
    # positives of a gamma distribution of shape 3.5, negatives exponential
    assert (a[y].mean(), a[~y].mean()) == pytest.approx((3.5, 1.0), abs=0.1)
    assert np.corrcoef(a[~y], b[~y])[0, 1] > 0.3
    first, second = (y.reshape(-1, OF_CLUSTER)[:, i].astype(float) for i in (0, 1))
    assert np.corrcoef(first, second)[0, 1] > 0.1


def test_a_slice_of_the_study_of_shortfalls() -> None:
    found = clustered_levels(60)
    assert found.draws + found.refused == 60
    assert found.share >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 60)
    assert found.method == "jeffreys"


# ---- the committed results


def test_committed_numbers_are_those_of_the_studies_they_are_read_from() -> None:
    committed = {(line["what"], line["cell"]): line for line in read("shortfalls")}
    assert set(committed) == {(cell.what, cell.name) for cell in shortfalls.CELLS}
    for cell in READ:
        # run python -m validation.shortfalls after one of the studies that it reads
        assert committed[cell.what, cell.name] == {name: str(value) for name, value in cell.line(0).items()}
    for cell in shortfalls.CELLS:
        if not cell.file:
            line = committed[cell.what, cell.name]
            assert int(line["draws"]) + int(line["refused"]) == cell.times * shortfalls.DRAWS


def test_the_readme_has_every_line_the_worst_first() -> None:
    lines = read("shortfalls")
    text = (RESULTS.parent / "README.md").read_text(encoding="utf-8")
    places = [text.index(f"| {x['what']} | {x['cell']} | {x['found_then']} | {_shown(x)} |") for x in lines]
    assert places == sorted(places)
    short = [float(line["short_by"]) for line in lines]
    assert short == sorted(short, reverse=True)


def _shown(line: Mapping[str, str]) -> str:
    return f"{float(line['now']):.3f} ± {float(line['standard_error']):.3f}"
