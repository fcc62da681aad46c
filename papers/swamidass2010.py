"""The CROC paper's experiment on the HIV screen: Swamidass et al. 2010, Bioinformatics 26:1348.

``python -m papers.swamidass2010 [--quick]``. Five rankers of the molecules of the DTP AIDS antiviral screen by ten-fold
cross-validation, their metrics, the tests of all pairs, and early-retrieval re-weighting of the influence relevance
voter. The long run takes about two hours on two processors and 14 GB, for the whole kernel of the support vector
machine; it writes
``papers/results/swamidass2010``, and keeps fingerprints, neighbours and scores in the user's cache folder
(``XDG_CACHE_HOME``). The quick one takes 1,000 molecules, writes nothing and claims nothing.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import sklearn
from scipy import sparse
from sklearn.model_selection import StratifiedKFold
from validation.running import shown

import hitcurve as hc
from hitcurve import learn
from papers.frame import (
    Folder,
    Line,
    Row,
    arguments,
    by_error,
    claimed,
    conclude,
    conclude_quick,
    not_reproduced,
    public_data,
    refuted,
    shown_here,
    stated,
    timed,
)

SEED = 2010
FOLDS = 10
FILE = "hiv/hiv_moleculenet.csv.gz"
BITS = 2048
KEPT = 60  # neighbours in the graph, of which those in the fold that is left out are lost
LANDMARKS = (500, 2000)
FOLDER = Folder("swamidass2010")

ALPHAS = (7, 14, 80)  # send a rate of .1, .05 and .0086 to one half
AREAS = (
    "auc",
    *(f"croc(exp, alpha={alpha})" for alpha in ALPHAS),
    "auac",
    *(f"cac(exp, alpha={alpha})" for alpha in ALPHAS),
)
CUTOFFS = ("roc(50)", *(f"croc(cutoff, t={t})" for t in (0.1, 0.05, 0.0086)))  # areas up to 50 negatives, and up to t
METRICS = (*AREAS, "bedroc(alpha=20)", "rie(alpha=20)", "slr", "proc", *CUTOFFS, "hits@1000")
TESTS = (
    "delta",
    "paired-permutation",
    "unpaired-permutation",
    "paired-t",
    "unpaired-t",
    "paired-wilcoxon",
    "unpaired-wilcoxon",
)

# of 42,678 molecules, 1,503 of them active; what the text of the paper says, whose tables were not at hand
PUBLISHED = {
    ("IRV", "auc"): ".845",
    ("SVM", "auc"): ".852",
    ("IRV", "croc(exp, alpha=80)"): ".400",
    ("SVM", "croc(exp, alpha=80)"): ".310",
    ("IRV", "hits@1000"): "645",
    ("SVM", "hits@1000"): "616",
    ("kNN", "hits@1000"): "603",
}
OTHERS = "1,551 molecules fewer, 60 of them active; other folds and folded fingerprints"
MACHINE = (
    "neither its C, nor weights of its classes, nor how its scores were taken is published; see the table of machines"
)
FOLDED = "pooled it is lower, in the row of the IRV: scores of different folds are not on one scale"
LOST = "which column and line the number stands in is lost in the text: the nearest of ours"
STEPS = "an epoch is one step down the gradient of all molecules here; how the paper descends and stops is not said"
PATIENCE = 100  # epochs; the first twenty gain next to nothing, and some folds rest for thirty later on
MOST = 1000  # epochs
SOFTER = 0.1  # C of the machine that stands where the paper has it
ORDER = "IRV > kNN > SVM > MAX-SIM"

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class Screen:
    """The molecules.

    Attributes
    ----------
    fingerprints : scipy.sparse.csr_array (n, 2048)
    active : ndarray of int (n,)
    unread : int
        Molecules that the toolkit could not read: their fingerprint is empty.
    """

    fingerprints: Any
    active: Array
    unread: int

    @property
    def folds(self) -> StratifiedKFold:
        """The ten folds."""
        return StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)

    @property
    def key(self) -> str:
        """What tells this set of molecules from another in the cache."""
        bits = self.fingerprints
        return hashlib.sha256(bits.indices.tobytes() + bits.indptr.tobytes() + self.active.tobytes()).hexdigest()[:16]


def read(path: Path, few: int | None) -> tuple[list[str], Array]:
    """Return the molecules as SMILES, and which are active; a stratified sample if only few are wanted."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    active = np.array([int(line["HIV_active"]) for line in lines])
    chosen = np.arange(active.size)
    if few is not None:
        rng = np.random.default_rng(SEED)
        parts = [rng.permutation(np.flatnonzero(active == label)) for label in (0, 1)]
        chosen = np.sort(np.concatenate([part[: round(few * part.size / active.size)] for part in parts]))
    return [lines[i]["smiles"] for i in chosen], active[chosen]


def fingerprints(smiles: Sequence[str]) -> Any:
    """Return circular fingerprints of depth 2, empty for a molecule that the toolkit cannot read.

    Atoms are told apart by element and number of heavy neighbours, bonds by type, as in the paper.
    """
    try:
        from rdkit import Chem, rdBase
        from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator
    except ImportError:
        raise SystemExit("fingerprints need rdkit: pip install 'hitcurve[chem]'") from None
    generator = GetMorganGenerator(radius=2, fpSize=BITS, includeRingMembership=False)

    def places(molecule: Any) -> Array:
        if molecule is None:
            return np.zeros(0, int)
        atoms = [16 * atom.GetAtomicNum() + atom.GetDegree() for atom in molecule.GetAtoms()]
        bits = generator.GetFingerprint(molecule, customAtomInvariants=atoms)
        return np.sort(np.fromiter(bits.GetOnBits(), int))

    with rdBase.BlockLogs():
        rows = [places(Chem.MolFromSmiles(text)) for text in smiles]
    ends = np.cumsum([0, *(row.size for row in rows)])
    on = np.concatenate(rows)
    return sparse.csr_array((np.ones(on.size, np.float32), on, ends), shape=(len(rows), BITS))


class Cache:
    """Arrays that take long to make, in a folder outside of the repository; none if there is no folder.

    What the code of the estimators was is part of a name: nothing is read that other code has made.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        code = b"".join(path.read_bytes() for path in sorted(Path(learn.__file__).parent.glob("*.py")))
        self.made_by = f"{hashlib.sha256(code).hexdigest()} {hc.__version__} {sklearn.__version__}"

    def get(self, name: str, make: Callable[[], dict[str, Array]], *of: Any) -> dict[str, Array]:
        """Return arrays made of something, from the folder if they are there."""
        said = hashlib.sha256(f"{self.made_by} {of!r}".encode()).hexdigest()[:16]
        path = None if self.folder is None else self.folder / f"{name}-{said}.npz"
        if path is not None and path.exists():
            with np.load(path) as kept:
                return {key: kept[key] for key in kept.files}
        made = make()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(f".{os.getpid()}.npz")
            np.savez_compressed(unfinished, **made)  # type: ignore[arg-type]
            unfinished.replace(path)
        return made

    def sparse(self, name: str, make: Callable[[], Any], *of: Any) -> Any:
        """Return a sparse matrix, from the folder if it is there."""

        def parts() -> dict[str, Array]:
            matrix = make()
            shape = np.array(matrix.shape)
            return {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": shape}

        kept = self.get(name, parts, *of)
        return sparse.csr_array((kept["data"], kept["indices"], kept["indptr"]), shape=tuple(kept["shape"]))


def screen(path: Path, cache: Cache, few: int | None) -> Screen:
    """Read the molecules and make their fingerprints."""
    smiles, active = read(path, few)
    key = hashlib.sha256("\n".join(smiles).encode()).hexdigest()[:16]
    bits = cache.sparse(f"fingerprints-{BITS}", lambda: fingerprints(smiles), key)
    return Screen(bits, active, int(np.sum(np.diff(bits.indptr) == 0)))


# ---- the five rankers


@dataclass(frozen=True)
class Machine:
    """A support vector machine.

    Attributes
    ----------
    C : float
    balanced : bool
        Whether both classes have the same weight in all.
    landmarks : int or None
        None: the whole kernel.
    """

    C: float = 1.0
    balanced: bool = False
    landmarks: int | None = None

    def model(self, similarity: str) -> Any:
        """Return the estimator."""
        weight = "balanced" if self.balanced else None
        return learn.TanimotoSVC(
            self.C,
            similarity=similarity,
            zero_division=0,
            class_weight=weight,
            n_landmarks=self.landmarks,
            rng=SEED,
        )


WHOLE = tuple(Machine(C, balanced) for balanced in (False, True) for C in (0.1, 1.0, 10.0, 100.0))


def scores_of_all(molecules: Screen, graph: Any, cache: Cache) -> dict[str, Array]:
    """Return the out-of-fold scores of the rankers but the machine."""
    wanted = {
        "RANDOM": (learn.RandomRanker(rng=SEED), molecules.fingerprints),
        "MAX-SIM": (learn.MaxSimilarityRanker(zero_division=0), molecules.fingerprints),
        "kNN": (learn.SimilarityKNN(20, similarity="precomputed"), graph),
        "IRV": (learn.InfluenceRelevanceVoter(20, similarity="precomputed"), graph),
    }
    return {name: scores(name, *wanted[name], molecules, cache) for name in wanted}


def scores(name: str, model: Any, X: Any, molecules: Screen, cache: Cache) -> Array:
    """Return the out-of-fold scores of a model."""

    def run() -> dict[str, Array]:
        return {"scores": learn.out_of_fold(model, X, molecules.active, cv=molecules.folds).scores}

    with timed(name):
        return cache.get(f"scores-{name}", run, molecules.key, model)["scores"]


def scores_of_machines(molecules: Screen, cache: Cache) -> dict[Machine, Array]:
    """Return the out-of-fold scores of the machines with the whole kernel, which they share in each fold."""

    def run() -> dict[str, Array]:
        found = np.empty((len(WHOLE), molecules.active.size))
        for train, test in molecules.folds.split(molecules.active, molecules.active):
            kernel = learn.tanimoto_kernel(molecules.fingerprints[train], zero_division=0)
            query = learn.tanimoto_kernel(molecules.fingerprints[test], molecules.fingerprints[train], zero_division=0)
            for place, machine in enumerate(WHOLE):
                model = machine.model("precomputed").fit(kernel, molecules.active[train])
                found[place, test] = model.decision_function(query)
            del kernel, query  # before the next ones are made
        return {"scores": found}

    with timed("machines"):
        found = cache.get("machines", run, molecules.key, WHOLE)["scores"]
    return dict(zip(WHOLE, found, strict=True))


def machines(molecules: Screen, whole: dict[Machine, Array], cache: Cache, landmarks: Sequence[int]) -> list[Line]:
    """Return what the machine owes to its C, to weights of its classes, and to an approximation."""
    fewer = [Machine(landmarks=count) for count in landmarks]
    found = whole | {m: scores("SVM", m.model("tanimoto"), molecules.fingerprints, molecules, cache) for m in fewer}
    lines = []
    for machine, of in found.items():
        ev = hc.evaluate(molecules.active, of, metrics=(*WATCHED, "hits@1000"))
        kernel = "whole" if machine.landmarks is None else f"{machine.landmarks} landmarks"
        weights = "balanced" if machine.balanced else "none"
        about = {"kernel": kernel, "C": machine.C, "class_weight": weights}
        lines.append(about | {str(e.metric): round(e.value, 6) for e in ev})
    return lines


def values(ev: Any) -> list[Line]:
    """Return every metric of every ranker, with its interval and what was published."""
    lines = []
    for estimate in ev:
        low, high = estimate.interval or (None, None)
        name = str(estimate.metric)
        lines.append(
            {
                "ranker": estimate.ranker,
                "metric": name,
                "value": round(estimate.value, 6),
                "standard_error": round(estimate.standard_error, 6),
                "low": None if low is None else round(low, 6),
                "high": None if high is None else round(high, 6),
                "random": round(float(estimate.metric.random(estimate.table)), 6),
                "published": PUBLISHED.get((estimate.ranker, name)),
            }
        )
    return lines


def tests(ev: Any, n_resamples: int) -> Iterator[Line]:
    """Yield the p values of the tests of all pairs, by all metrics."""
    for name, (first, second) in ((m, pair) for m in METRICS for pair in combinations(ev.rankers, 2)):
        line = {"metric": name, "first": first, "second": second}
        for method in TESTS:
            test = ev.compare(first, second, name, method=method, n_resamples=n_resamples, rng=SEED)
            line["difference"] = round(test.difference.value, 6)
            line[method] = float(f"{test.pvalue:.4g}")
        yield {key: line[key] for key in ("metric", "first", "second", "difference", *TESTS)}


# ---- re-weighting


@dataclass(frozen=True)
class Weighting:
    """A way of weighting training examples.

    Attributes
    ----------
    scheme : str
    density : bool
    alpha : float or None
    schedule : str
    published : str
        Epochs until convergence in the paper.
    """

    scheme: str
    density: bool = False
    alpha: float | None = None
    schedule: str = "constant"
    published: str = ""

    def model(self, max_epochs: int) -> Any:
        """Return the voter with these weights."""
        return learn.EarlyRetrievalWeights(
            learn.InfluenceRelevanceVoter(20, similarity="precomputed"),
            scheme=self.scheme,
            density=self.density,
            alpha=self.alpha,
            alpha_schedule=self.schedule,
            metrics=WATCHED,
            max_epochs=max_epochs,
            patience=PATIENCE,
        )

    @property
    def named(self) -> Line:
        """Return what opens a line of a table."""
        alpha = {"uniform": 0.0, "power": 1.0}.get(self.scheme, self.alpha)
        return {"scheme": self.scheme, "density": self.density, "alpha": alpha, "schedule": self.schedule}


WATCHED = ("croc(exp, alpha=80)", "croc(exp, alpha=14)", "croc(exp, alpha=7)", "auc")
WEIGHTINGS = (
    Weighting("uniform", published="101"),
    Weighting("uniform", density=True),
    Weighting("power", published="42"),
    Weighting("power", density=True, published="33"),
    Weighting("power", schedule="linear"),
    Weighting("power", density=True, schedule="linear"),
    *(
        Weighting("exponential", density=density, alpha=alpha, schedule=schedule, published="4 to 8")
        for alpha in (7.0, 80.0)
        for schedule in ("constant", "linear")
        for density in (False, True)
    ),
)


def reweighted(molecules: Screen, graph: Any, cache: Cache, *, most: int) -> tuple[list[Line], list[Line]]:
    """Return the table of weightings, and the mean history of each."""
    # all begin with uniform weights, so the first epoch is the same
    once = trained(WEIGHTINGS[0], molecules, graph, cache, most=1)
    runs = {weighting: trained(weighting, molecules, graph, cache, most=most) for weighting in WEIGHTINGS}
    found = {str(place): run["scores"] for place, run in enumerate(runs.values())}
    ev = hc.evaluate(molecules.active, found | {"once": once["scores"]}, metrics=WATCHED)

    first = {**WEIGHTINGS[0].named, "after": "one epoch", **measured(molecules, once, ev, "once")}
    lines, history = [{**first, "published": None}], []
    for place, (weighting, run) in enumerate(runs.items()):
        line = {**weighting.named, "after": "convergence", **measured(molecules, run, ev, str(place))}
        lines.append({**line, "published": weighting.published or None})
        for epoch, values in enumerate(_held_on(run["history"]).mean(axis=0), start=1):
            if epoch > run["epochs"].max():
                break
            means = {text: round(float(value), 5) for text, value in zip(WATCHED, values, strict=True)}
            history.append({**weighting.named, "epoch": epoch, **means})
    return lines, history


def _held_on(history: Array) -> Array:
    """Return the history with the last values of each fold in the epochs after it stopped."""
    last = np.sum(np.isfinite(history[:, :, 0]), axis=1) - 1
    reached = np.minimum(np.arange(history.shape[1]), last[:, None])
    return np.take_along_axis(history, reached[:, :, None], axis=1)


def trained(weighting: Weighting, molecules: Screen, graph: Any, cache: Cache, *, most: int) -> dict[str, Array]:
    """Return out-of-fold scores, the folds, their best epochs, and the history of each, filled up with nan."""
    model = weighting.model(most)

    def run() -> dict[str, Array]:
        out = learn.out_of_fold(model, graph, molecules.active, cv=molecules.folds)
        history = np.full((FOLDS, most, len(WATCHED)), np.nan)
        for fold, learned in enumerate(out.models):
            values = [[epoch.values[text] for text in WATCHED] for epoch in learned.history_]
            history[fold, : len(values)] = values
        epochs = np.array([learned.best_epoch_ for learned in out.models])
        return {"scores": out.scores, "fold": out.fold, "epochs": epochs, "history": history}

    with timed(f"{weighting.named}, up to {most}"):
        return cache.get("weights", run, molecules.key, model, WATCHED)


def measured(molecules: Screen, run: dict[str, Array], ev: Any, name: str) -> Line:
    """Return the epochs, the watched metrics of the pooled scores, and their mean over the folds.

    ``ev`` has the pooled scores of all runs, this one by name; p is of the difference from 0, uniform weights.
    """
    epochs, active = run["epochs"], molecules.active
    found: Line = {"epochs": int(np.median(epochs)), "fewest": int(epochs.min()), "most": int(epochs.max())}
    # folds that were still learning when epochs were at their end
    found["cut off"] = int(np.isfinite(run["history"][:, -1, 0]).sum())
    parts = [run["fold"] == fold for fold in range(FOLDS)]
    for text in WATCHED:
        metric = hc.metric(text)
        found[text] = round(ev[name, text].value, 5)
        each = [metric(active[part], run["scores"][part]) for part in parts]
        found[f"{text} over folds"] = round(float(np.mean(each)), 5)
    p = {f"p {text}": "" if name == "0" else f"{ev.compare(name, '0', text).pvalue:.2g}" for text in WATCHED}
    return found | p


# ---- beside the paper


def beside(ev: Any, tested: Sequence[Line], weighted: Sequence[Line], machine: Sequence[Line]) -> list[Row]:
    """Return every number and statement of the paper beside ours."""
    return [*of_rankers(ev, machine), *of_random(ev), *of_tests(tested), *of_weights(ev, weighted)]


def of_rankers(ev: Any, machine: Sequence[Line]) -> Iterator[Row]:
    """Yield what the paper says of the five rankers."""
    for (ranker, metric), printed in PUBLISHED.items():
        estimate = ev[ranker, metric]
        why = MACHINE if ranker == "SVM" else OTHERS
        yield by_error(f"{metric}, {ranker}", printed, estimate.value, estimate.standard_error, why)
    value = {(name, m): ev[name, m].value for name in ev.rankers for m in METRICS}
    ahead = value["SVM", "auc"] > value["IRV", "auc"]
    says = f"{value['SVM', 'auc']:.3f} and {value['IRV', 'auc']:.3f}"
    yield refuted("AUC", "SVM slightly better than IRV", says, ahead, MACHINE)
    whole = [x for x in machine if x["kernel"] == "whole"]
    best = max(whole, key=lambda x: x["auc"])
    about = f"C = {best['C']:g}, weights of classes {best['class_weight']}"
    error = ev["SVM", "auc"].standard_error
    yield by_error(f"auc, SVM, the best of eight: {about}", ".852", best["auc"], error, MACHINE)
    softer, balanced = (x for w in ("none", "balanced") for x in whole if (x["C"], x["class_weight"]) == (SOFTER, w))
    alike = f"SVM with C = {SOFTER:g} and balanced classes"
    yield by_error(f"auc, {alike}", ".852", balanced["auc"], error, MACHINE)
    for alpha in ALPHAS:
        metric = f"croc(exp, alpha={alpha})"
        of = {name: value[name, metric] for name in ev.rankers if name != "RANDOM"}
        item, says = f"order at alpha = {alpha}", _order(of)
        yield claimed(item, ORDER, says, says == ORDER, MACHINE if alpha == 80 else "")
        says = _order(of | {"SVM": softer[metric]})
        yield stated(f"{item}, SVM with C = {SOFTER:g}", ORDER, says, says == ORDER)
        says = _order(of | {"SVM": balanced[metric]})
        yield claimed(f"{item}, {alike}", ORDER, says, says == ORDER, "" if alpha == 80 else MACHINE)
        worth = [value[name, metric] for name in ("IRV", "kNN", "MAX-SIM", "RANDOM")]
        says = " > ".join(f"{x:.3f}" for x in worth)
        item = f"order at alpha = {alpha} without the machine"
        yield stated(item, "IRV > kNN > MAX-SIM, and random last", says, worth == sorted(worth)[::-1])


def of_random(ev: Any) -> Iterator[Row]:
    """Yield that the random ranker is random, by the variance of random lists."""
    for metric in ("auc", "croc(exp, alpha=80)"):
        estimate = ev["RANDOM", metric]
        table, test = estimate.table, estimate.test_random(alternative="two-sided")
        rng = np.random.default_rng(SEED)
        n, n1 = int(table.n), int(table.n_pos)
        ranks = (np.sort(1 + rng.choice(n, n1, replace=False)) for _ in range(400))
        drawn = [hc.metric(metric).value(hc.HitTable.from_ranks(own, n)) for own in ranks]
        analytic, by_draws = test.standard_deviation, float(np.std(drawn))
        yield stated(
            f"sec. 2.1 and 2.3, variance of the {metric} of random lists",
            "analytically or by Monte Carlo",
            f"s.d. {analytic:.5f} and {by_draws:.5f}; the random ranker has z = {test.statistic:.2f}",
            abs(by_draws / analytic - 1) < 4 / math.sqrt(800) and abs(test.statistic) < 3,
        )


def _order(of: dict[str, float]) -> str:
    return " > ".join(sorted(of, key=lambda name: -of[name]))


def of_tests(tested: Sequence[Line]) -> Iterator[Row]:
    """Yield what the paper says of the tests."""
    p = {x["metric"]: x["paired-permutation"] for x in tested if (x["first"], x["second"]) == ("IRV", "SVM")}
    for alpha in ALPHAS:
        by_croc, by_auc = p[f"croc(exp, alpha={alpha})"], p["auc"]
        item, says = (
            f"IRV against SVM, paired permutation of worths, alpha = {alpha}",
            f"{by_croc:.2g} and {by_auc:.2g}",
        )
        why_not = "level at this alpha, so there is nothing to find" if alpha == 80 else ""
        yield claimed(item, "p by CROC(exp) below p by AUC", says, by_croc < by_auc, why_not)
    found = {test: sum(x[test] < 0.01 for x in tested if "RANDOM" not in (x["first"], x["second"])) for test in TESTS}
    counted = "tests of a pair by a metric with p < .01"
    paired, unpaired, by_t = (found[test] for test in ("paired-permutation", "unpaired-permutation", "paired-t"))
    says = "paired permutation finds more than unpaired, of worths"
    yield stated(counted, says, f"{paired} and {unpaired}", paired > unpaired)
    says = "paired permutation finds more than the paired t test, of worths"
    reason = "hardly: the mean of 1,443 worths is as good as normal"
    yield stated(counted, says, f"{paired} and {by_t}", paired > by_t, reason)


def of_weights(ev: Any, weighted: Sequence[Line]) -> Iterator[Row]:
    """Yield what appendix A says of re-weighting."""
    of = {_weights(line): line for line in weighted[1:]}
    for name, line in of.items():
        if line["published"]:
            published = str(line["published"])
            first, *last = (float(x) for x in published.split(" to "))
            within = first <= line["epochs"] <= (last or [first])[0]
            yield refuted(f"epochs, {name}", published, str(line["epochs"]), within, STEPS)
    uniform, power, dense = (of[name] for name in ("uniform", "power, alpha=1", "power x density, alpha=1"))
    at_80 = WATCHED[0]
    error = ev["IRV", at_80].standard_error
    yield by_error(f"{at_80}, unweighted", ".396", uniform[at_80], error, OTHERS)
    yield by_error(f"{at_80}, power", ".396", power[at_80], error, OTHERS)
    yield by_error(f"{at_80}, power x density", ".396", dense[at_80], error, OTHERS)
    yield by_error(
        "auc, IRV, mean over folds", ".845", uniform["auc over folds"], ev["IRV", "auc"].standard_error, FOLDED
    )
    says = f"{power['auc']:.3f} and {uniform['auc']:.3f}, p = {power['p auc']}"
    same, reason = float(power["p auc"]) >= 0.05, "what is far down the list has next to no weight"
    yield refuted("AUC, power and unweighted", "the same level", says, same, reason)
    once = weighted[0]
    columns = [text for text in WATCHED if text != "auc"]
    nearest = min(columns, key=lambda text: abs(once[text] - 0.569))
    yield by_error(
        f"table of re-weighting, after one iteration: {nearest}",
        ".569",
        once[nearest],
        ev["IRV", nearest].standard_error,
        LOST,
    )
    best = max(weighted, key=lambda x: x[at_80])
    for printed in (".403", ".404"):
        yield by_error(
            f"table of re-weighting, last line: {at_80}, the best of ours, {_weights(best)}",
            printed,
            best[at_80],
            error,
            LOST,
        )
    faster = min(x["epochs"] for x in of.values() if x["scheme"] == "exponential")
    says = f"{faster} at least, and {uniform['epochs']}"
    yield refuted("epochs, exponential and unweighted", "a tenth", says, faster < 0.2 * uniform["epochs"], STEPS)
    faster = uniform["epochs"] / power["epochs"]
    yield not_reproduced("epochs, unweighted over power", "2.4", faster, STEPS)
    says = f"{power['epochs']} and {dense['epochs']}"
    yield refuted("epochs, power, times density", "fewer with it", says, dense["epochs"] < power["epochs"], STEPS)
    better = [f"{dense[m]:.3f} and {power[m]:.3f} ({m})" for m in WATCHED]
    holds = all(dense[m] > power[m] for m in WATCHED)
    yield stated("metrics, power, times density", "slightly better with it", ", ".join(better), holds)
    exponential = [x for x in of.values() if x["scheme"] == "exponential"]
    lowest, highest = (pick(x[at_80] for x in exponential) for pick in (min, max))
    knn = ev["kNN", at_80].value
    says = f"{lowest:.3f} to {highest:.3f}; kNN {knn:.3f}, unweighted {uniform[at_80]:.3f}"
    yield stated(f"{at_80}, exponential", "better than kNN", says, lowest > knn)
    inferior = all(x[at_80] < uniform[at_80] for x in exponential)
    says = f"{highest:.4f} at most, and {uniform[at_80]:.4f}"
    reason = "some end a little above it, by less than a standard error"
    yield refuted(f"{at_80}, exponential", "slightly inferior to unweighted", says, inferior, reason)
    clear = [x for name, x in of.items() if name != "uniform" and float(x[f"p {at_80}"]) < 0.05]
    worse = sum(x[at_80] < uniform[at_80] for x in clear)
    says = f"{worse} of {len(of) - 1} weightings worse, {len(clear) - worse} better, by the delta test at p < .05"
    yield shown_here(f"{at_80}, weightings told from unweighted", says, worse > len(clear) - worse)


def _weights(line: Line) -> str:
    density = " x density" if line["density"] else ""
    alpha = "" if line["scheme"] == "uniform" else f", alpha={line['alpha']:g}"
    return f"{line['scheme']}{density}{alpha}" + (" rising" if line["schedule"] == "linear" else "")


# ---- files


def tables(ev: Any) -> list[Line]:
    """Return the hit tables of the rankers, from which every number can be had again."""
    lines = []
    for name, table in ev.tables.items():
        counts = table.counts
        lines += [
            {"ranker": name, "positives": int(pos), "negatives": int(neg)}
            for pos, neg in zip(counts.pos, counts.neg, strict=True)
        ]
    return lines


def read_tables() -> dict[str, hc.HitTable]:
    """Return the hit tables of the rankers, as they were written."""
    counts: dict[str, list[tuple[int, int]]] = {}
    for row in FOLDER.read("tables"):
        counts.setdefault(row["ranker"], []).append((int(row["positives"]), int(row["negatives"])))
    return {name: hc.HitTable.from_counts(*map(list, zip(*rows, strict=True))) for name, rows in counts.items()}


def actives(active: Array, found: dict[str, Array]) -> list[Line]:
    """Return the place of each active molecule among the scores of actives, which pairs the rows of the tables."""
    places = {name: np.unique(-scores[active == 1], return_inverse=True)[1] + 1 for name, scores in found.items()}
    return [dict(zip(places, line, strict=True)) for line in zip(*(p.tolist() for p in places.values()), strict=True)]


def read_paired() -> tuple[Array, dict[str, Array]]:
    """Return labels and scores that give the tables again; which scores an inactive molecule has is not kept."""
    places, scores, n_pos = FOLDER.numbers("actives"), {}, 0
    for name, table in read_tables().items():
        rows, n_pos = np.flatnonzero(table.pos), int(table.n_pos)
        own = rows[[line[name] - 1 for line in places]]
        scores[name] = -np.concatenate([own, np.repeat(np.arange(table.pos.size), np.asarray(table.neg, int))])
    n = next(iter(scores.values())).size
    return (np.arange(n) < n_pos).astype(int), scores


def write(made: dict[str, list[Line]], molecules: Screen) -> None:
    """Write tables."""
    said = (
        f"{molecules.active.size} molecules, {int(molecules.active.sum())} active, {molecules.unread} unread; "
        f"seed {SEED}; scikit-learn {sklearn.__version__}"
    )
    for name, lines in made.items():
        FOLDER.write(name, lines, said)


def again() -> list[Row]:
    """Return the rows as the committed tables have them, without training."""
    ev = hc.evaluate(tables=read_tables(), metrics=METRICS)
    return beside(ev, *(FOLDER.numbers(name) for name in ("tests", "reweighting", "machines")))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the experiment."""
    args = arguments(__doc__, argv)
    path = public_data(args, FILE)
    if path is None:
        return conclude_quick("nothing run", again(), FOLDER)
    caches = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    cache = Cache(None if args.quick else caches / "hitcurve" / "papers")
    with timed("fingerprints"):
        molecules = screen(path, cache, 1000 if args.quick else None)
    n = molecules.active.size
    print(f"{n} molecules, {molecules.active.sum()} active, {molecules.unread} that could not be read", flush=True)
    with timed("neighbours"):
        graph = cache.sparse(
            f"neighbours-{KEPT}",
            lambda: learn.similarity_graph(molecules.fingerprints, KEPT, zero_division=0),
            molecules.key,
        )
    whole = scores_of_machines(molecules, cache)
    found = scores_of_all(molecules, graph, cache) | {"SVM": whole[Machine()]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hc.errors.DirectionWarning)  # half of all random rankers are worse than chance
        ev = hc.evaluate(molecules.active, found, metrics=METRICS)
    print(ev)
    with timed("tests"):
        tested = list(tests(ev, 199 if args.quick else 9999))
    made = {"metrics": values(ev), "tests": tested, "tables": tables(ev)}
    made["actives"] = actives(molecules.active, found)
    if not args.quick:  # what was made so far is kept if the rest does not come to its end
        write(made, molecules)
    made["machines"] = machines(molecules, whole, cache, (100,) if args.quick else LANDMARKS)
    made["reweighting"], made["history"] = reweighted(molecules, graph, cache, most=5 if args.quick else MOST)
    for name in ("machines", "reweighting"):
        print(shown(made[name]), flush=True)
    rows = beside(ev, tested, made["reweighting"], made["machines"])
    made["comparison"] = [row.line for row in rows]
    if args.quick:
        return conclude_quick(f"{len(rows)} rows beside the paper, none claimed of so few molecules", again(), FOLDER)
    write(made, molecules)
    return conclude(rows)


if __name__ == "__main__":
    sys.exit(main())
