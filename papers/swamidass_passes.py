"""Epochs of the CROC paper's appendix by two ways of descending: Swamidass et al. 2010, Bioinformatics 26:1348.

``python -m papers.swamidass_passes [--quick]``. The paper counts epochs until convergence and does not say what an
epoch is. Here the influence relevance voter learns by one step down the gradient of all molecules an epoch, and by a
pass over them batch by batch, with the weightings of the appendix, on a stratified sample of the HIV screen. The long
run takes some minutes and writes ``papers/results/swamidass_passes``; the quick one claims nothing.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

import hitcurve as hc
from hitcurve import learn
from papers.frame import (
    Folder,
    Line,
    Row,
    arguments,
    conclude,
    conclude_quick,
    public_data,
    refuted,
    shown_here,
    stated,
    timed,
)
from papers.swamidass2010 import FILE, KEPT, Cache, screen

FOLDER = Folder("swamidass_passes")
SEED = 2010
SAMPLE, FOLDS = 5000, 5
BATCH, RATE = 100, 0.1
WATCHED = ("croc(exp, alpha=80)", "auc")
WAYS: dict[str, dict[str, Any]] = {  # and after how many epochs without a rise learning stops
    "full gradients": {"patience": 100},
    "passes": {"patience": 20, "batch_size": BATCH, "learning_rate": RATE},
}
SCHEMES = (  # scheme, alpha, density, epochs of the paper
    ("uniform", None, False, "101"),
    ("power", 1.0, False, "42"),
    ("power", 1.0, True, "33"),
    ("power", 1.0, "by-class", ""),
    ("exponential", 7.0, False, "4 to 8"),
    ("exponential", 80.0, False, "4 to 8"),
    ("exponential", 80.0, True, "4 to 8"),
    ("exponential", 80.0, "by-class", ""),
)


def named(scheme: str, alpha: float | None, density: bool | str) -> str:
    """Return a weighting in words."""
    times = {False: "", True: " x density", "by-class": " x density of its class"}[density]
    return scheme + ("" if scheme != "exponential" else f"({alpha:g})") + times


def trained(
    graph: Any, active: Any, way: str, scheme: str, alpha: float | None, density: bool | str, most: int
) -> Line:
    """Return epochs until the best one, by fold, and the watched metrics of the pooled scores."""
    how = dict(WAYS[way])
    patience = how.pop("patience")
    voter = learn.InfluenceRelevanceVoter(20, similarity="precomputed", rng=SEED, **how)
    model = learn.EarlyRetrievalWeights(
        voter, scheme=scheme, alpha=alpha, density=density, metrics=WATCHED, max_epochs=most, patience=patience
    )
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    out = learn.out_of_fold(model, graph, active, cv=folds)
    epochs = [learned.best_epoch_ for learned in out.models]
    table = hc.HitTable.from_scores(active, out.scores)
    values = {text: round(float(hc.metric(text).value(table)), 5) for text in WATCHED}
    return {"epochs": int(np.median(epochs)), "fewest": min(epochs), "most": max(epochs), **values}


def rows_of(lines: Sequence[Line]) -> Iterator[Row]:
    """Yield what the appendix says of epochs, by either way of descending."""
    at = {(x["way"], x["weights"]): x for x in lines}
    for way in WAYS:
        epochs = {weights: x["epochs"] for (of, weights), x in at.items() if of == way}
        text = ", ".join(f"{weights} {count}" for weights, count in epochs.items())
        yield shown_here(f"epochs until the best one, {way}", text, min(epochs.values()) >= 1, HOW[way])
        for item, says, faster, slower, share in (
            ("power less than unweighted", "101 and 42", "power", "uniform", 1.0),
            ("power x density less than power", "42 and 33", "power x density", "power", 1.0),
            (
                "exponential(80) x density a tenth of unweighted",
                "4 to 8",
                "exponential(80) x density",
                "uniform",
                0.2,
            ),
        ):
            so = epochs[faster] < share * epochs[slower]
            text = f"{epochs[faster]} and {epochs[slower]}"
            claim = stated if so else refuted
            yield claim(f"epochs, {item}, {way}", says, text, so, HOW[way])


HOW = {
    "full gradients": "one step down the gradient of all molecules an epoch",
    "passes": f"steps of {RATE:g} times the gradient of {BATCH} molecules, each met as often as its weight says",
}


def again() -> list[Row]:
    """Return the rows as the committed table has them, without training."""
    return list(rows_of(FOLDER.numbers("epochs")))


def main(argv: Sequence[str] | None = None) -> int:
    """Train both ways."""
    args = arguments(__doc__, argv)
    path = public_data(args, FILE)
    if path is None:
        return conclude_quick("nothing run", again(), FOLDER)
    warnings.simplefilter("ignore", ConvergenceWarning)
    with timed("fingerprints and neighbours"):
        molecules = screen(path, Cache(None), 600 if args.quick else SAMPLE)
        graph = learn.similarity_graph(molecules.fingerprints, KEPT, zero_division=0)
    lines: list[Line] = []
    for way in WAYS:
        for scheme, alpha, density, published in SCHEMES[:: 3 if args.quick else 1]:
            with timed(f"{way}, {named(scheme, alpha, density)}"):
                found = trained(graph, molecules.active, way, scheme, alpha, density, 4 if args.quick else 1000)
            about = {"way": way, "weights": named(scheme, alpha, density), "published": published}
            lines.append(about | found)
    if args.quick:
        return conclude_quick(f"{len(lines)} lines, none claimed of so few molecules", again(), FOLDER)
    rows = list(rows_of(lines))
    n, n1 = molecules.active.size, int(molecules.active.sum())
    FOLDER.write_all(rows, {"epochs": lines}, {}, f"{n} molecules, {n1} active, {FOLDS} folds; seed {SEED}")
    return conclude(rows)


if __name__ == "__main__":
    sys.exit(main())
