"""What five people end up with: the file they wanted, and in it the numbers of a computation of its own."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from sklearn.metrics import average_precision_score

import hitcurve as hc
from tests.journeys import DOORS, FOLDER, PEOPLE, walk


def ended(person: str, door: str, folder: Path) -> None:
    done = walk(person, door, folder)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr


def numbers(text: str) -> list[float]:
    return [float(word) for word in re.findall(r"-?\d+\.\d+", text)]


# ---- a trial: average precision of counts, and its error from the multinomial distribution


def average_precision(cells: np.ndarray[Any, Any]) -> float:
    positives, negatives = np.split(cells, 2)
    found, read = np.cumsum(positives), np.cumsum(positives + negatives)
    return float(np.sum(positives * found / read) / found[-1])


def with_error(cells: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Return average precision and its standard error by the delta method, derivatives by differences."""
    n = cells.sum()
    steps = np.eye(cells.size) * 1e-4 * n
    slope = np.array([(average_precision(cells + d) - average_precision(cells - d)) / (2e-4 * n) for d in steps])
    return average_precision(cells), math.sqrt(float(np.sum(cells * slope**2) - np.sum(cells * slope) ** 2 / n))


def check_trial(folder: Path, door: str) -> None:
    text = (folder / "trial.tex").read_text(encoding="utf-8")
    data = hc.datasets.load("mammography")
    estimates = {}
    for name in ("film", "digital"):
        pos, total = (np.asarray(data[f"{name}_{what}"], float) for what in ("cancers", "screened"))
        estimates[name] = with_error(np.concatenate([pos, total - pos]))
    row = next(line for line in text.splitlines() if line.startswith("ap &"))
    shown = [numbers(cell) for cell in row.split("&")[1:3]]
    for cell, (value, error) in zip(shown, estimates.values(), strict=True):
        assert cell[0] == pytest.approx(value, abs=5e-5)
        if door == "py":
            assert cell[1] == pytest.approx(error, rel=0.03)  # with n - 1, and of half a subject more or not
    (film, film_error), (digital, digital_error) = estimates.values()
    difference, low, high, p = numbers(next(line for line in text.splitlines() if line.startswith("film & digital &")))
    error = math.hypot(film_error, digital_error)
    assert difference == pytest.approx(film - digital, abs=5e-5)
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.03)
    assert p == pytest.approx(2 * stats.norm.sf(abs(film - digital) / error), abs=0.02)
    assert text.count(r"\begin{tabular}") == text.count(r"\bottomrule") == 2


# ---- docked molecules: enrichment with ties in expectation


def check_docking(folder: Path, door: str) -> None:
    with (folder / "enrichment.csv").open(newline="") as file:
        rows = {(row["ranker"], row["metric"]): float(row["value"]) for row in csv.DictReader(file)}
    data = hc.datasets.docking().only(target="ACHE")
    y = np.asarray(data["active"], float)
    first, n = math.ceil(0.01 * y.size), y.size
    for program in ("smina", "ifp", "cnn_score", "rf_score_vs"):
        s = np.asarray(data[program], float)
        above = np.array([(s > value).sum() for value in s])
        tied = np.array([(s == value).sum() for value in s])
        inside = np.clip((first - above) / tied, 0, 1)  # the chance of each molecule to be among the first
        ef = float(np.sum(y * inside) / first / y.mean())
        assert rows[program, "ef@1%"] == pytest.approx(ef, rel=1e-9)
        weight = np.exp(-20 * np.arange(1, n + 1) / n)
        mean = [float(np.mean(weight[a : a + t])) for a, t in zip(above, tied, strict=True)]
        ends = [float(np.sum(part)) for part in (weight[-int(y.sum()) :], weight[: int(y.sum())])]
        bedroc = (float(np.sum(y * mean)) - ends[0]) / (ends[1] - ends[0])
        assert rows[program, "bedroc(alpha=20)"] == pytest.approx(bedroc, rel=1e-9)
    figure = (folder / "enrichment.pdf").read_bytes()
    assert figure.startswith(b"%PDF-")
    assert figure.rstrip().endswith(b"%%EOF")
    assert len(figure) > 5_000


# ---- a review: the density of the rate, and the recall expected under it


def check_review(folder: Path, door: str) -> None:
    text = (folder / "plan.md").read_text(encoding="utf-8")
    review = hc.datasets.reviews().only(topic="CD009647")
    y, n = np.asarray(review["included"], float), review.n_rows
    wanted = 1200 / (n * 3.0), 1200 / (n * 0.5)

    def off(logs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        a, b = np.exp(logs)
        return np.array(
            [stats.beta.cdf(rate, a, b) - level for rate, level in zip(wanted, (0.025, 0.975), strict=True)]
        )

    budget = stats.beta(*np.exp(optimize.root(off, [1.0, 1.0], tol=1e-12).x))
    assert f"{math.ceil(budget.ppf(0.5) * n):,}" in text or f"{budget.ppf(0.5) * n:.0f}" in text
    line = next(line for line in text.splitlines() if re.match(r"\| expected.recall", line))
    cells = [numbers(cell) for cell in line.replace("\\", "").split("|")[2:4]]
    rate = (np.arange(n) + 0.5) / n
    for cell, run in zip(cells, ("waterloo_a", "waterloo_b"), strict=True):
        order = np.argsort(np.asarray(review[run], float), kind="stable")
        recall = np.cumsum(y[order]) / y.sum()
        between = (np.concatenate([[0.0], recall[:-1]]) + recall) / 2  # straight between two ranks
        density = budget.pdf(rate)
        assert cell[0] == pytest.approx(float(np.sum(between * density) / np.sum(density)), abs=2e-4)
        assert cell[1] < cell[0] < cell[2]
    if door == "sh":
        found = next(line for line in text.splitlines() if line.startswith("| 500 |"))
        order = np.argsort(np.asarray(review["waterloo_a"], float), kind="stable")
        assert f"| {y[order][:500].sum():.2f} [" in found
        assert f"| {100 * budget.sf(500 / n):.3g}% |" in found


# ---- fraud: what the page says of each model


def check_fraud(folder: Path, door: str) -> None:
    page = (folder / "fraud.html").read_text(encoding="utf-8")
    assert "<h1" in page
    assert "Rules and model" in page
    assert len(page) < 3_000_000
    data = hc.datasets.transactions()
    y = np.asarray(data["status"]) == "fraud"
    words = re.sub(r"<[^>]+>", " ", page[page.index("<table") :])
    for name in ("rules", "model"):
        s = np.asarray(data[name], float)
        s = np.where(np.isnan(s), np.nanmin(s) - 1, s)
        assert f"{average_precision_score(y, s):.4f}" in words
        above = np.array([(s > value).sum() for value in s])
        tied = np.array([(s == value).sum() for value in s])
        assert f"{float(np.sum(y * np.clip((100 - above) / tied, 0, 1))) / 100:.4f}" in words
        cost = 0.05 / 0.95  # of a false alarm, in frauds found
        benefits = [np.sum(y & (s >= cut)) - cost * np.sum(~y & (s >= cut)) for cut in np.unique(s)]
        assert f"{max(0.0, float(max(benefits))) / y.size:.6f}"[:7] in words


# ---- pipelines: the corrected resampled t test


def corrected(differences: np.ndarray[Any, Any], overlap: float) -> tuple[float, float]:
    """Return t and p of Nadeau and Bengio (2003); ``overlap`` is test over training subjects."""
    k = differences.size
    t = differences.mean() / math.sqrt((1 / k + overlap) * differences.var(ddof=1))
    return float(t), float(2 * stats.t.sf(abs(t), k - 1))


def check_pipelines(folder: Path, door: str) -> None:
    written = json.loads((folder / "comparison.json").read_text(encoding="utf-8"))
    test = written["comparisons"][0] if door == "sh" else written
    values: dict[str, list[float]] = {}
    if door == "sh":
        data = hc.datasets.hiv()
        fold, y = np.asarray(data["fold"]), np.asarray(data["active"])
        for name in ("maxsim", "knn10"):
            s = np.asarray(data[name], float)
            values[name] = [average_precision_score(y[fold == k], s[fold == k]) for k in np.unique(fold)]
        sizes = np.array([(fold == k).sum() for k in np.unique(fold)])
        overlap = float(np.mean(sizes / (y.size - sizes)))
    else:
        kept = hc.from_json(folder / "models.json")
        assert isinstance(kept, hc.GroupedEvaluation)
        values = {name: [kept[fold, name, "ap"].value for fold in kept] for name in ("logistic", "neighbours")}
        overlap = 1 / 4
        assert len(values["logistic"]) == 20
    differences = np.array(values[test["first"]]) - np.array(values[test["second"]])
    t, p = corrected(differences, overlap)
    assert test["method"] == "corrected-t"
    assert test["difference"] == pytest.approx(differences.mean(), rel=1e-9)
    assert (test["statistic"], test["pvalue"]) == pytest.approx((t, p), rel=1e-3)


CHECKS: dict[str, Callable[[Path, str], None]] = {
    "trial": check_trial,
    "docking": check_docking,
    "review": check_review,
    "fraud": check_fraud,
    "pipelines": check_pipelines,
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("person", PEOPLE)
def test_a_person_ends_with_the_file_they_wanted(person: str, door: str, tmp_path: Path) -> None:
    for extra in {"fraud": ("jinja2", "vl_convert"), "docking": ("matplotlib",)}.get(person, ()):
        pytest.importorskip(extra)
    ended(person, door, tmp_path)
    CHECKS[person](tmp_path, door)


def test_scripts_use_nothing_but_the_package() -> None:
    """No path, no file of other data, no private name."""
    assert {path.stem for path in FOLDER.glob("*.sh")} == set(PEOPLE)
    for person in PEOPLE:
        for door in DOORS:
            text = (FOLDER / f"{person}.{door}").read_text(encoding="utf-8")
            assert not re.search(r"shared|/\w+/|\b_\w+|import hitcurve\.", text), (person, door)
