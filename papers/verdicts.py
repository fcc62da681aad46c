"""Verdicts of all papers for a referee: counts before and after, rows that fell, what was tried for those that fail.

``papers/results/verdicts/before.csv`` has the verdicts from when a tolerance could be chosen. Since then that of a
number follows from its digits, its error or the range over what the paper leaves open (``papers.frame``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from papers.frame import Folder

FOLDER = Folder("verdicts")
PAPERS = {
    "su_yuan_zhu": "Su, Yuan and Zhu",
    "yuan_slides": "Yuan, slides",
    "clemencon_vayatis": "Clémençon and Vayatis",
    "millard_flach_higgins": "Millard, Flach and Higgins",
    "swamidass2010": "Swamidass et al., the screen",
    "swamidass_areas": "Swamidass et al., areas",
    "swamidass_tests": "Swamidass et al., tests",
    "swamidass_passes": "Swamidass et al., epochs",
    "beyond": "all, with what they did not have",
}
ORDER = ("matched", "holds", "misprint", "approached", "not reproduced")  # from best to worst

# words of items that were put more exactly since
_RENAMED = (
    (
        "paired permutation finds more than the other five",
        "paired permutation of worths finds more than t and Wilcoxon tests",
    ),
    ("permutation test against the unpaired one", "permutation test of worths against the unpaired one"),
    ("paired t test against the unpaired one", "paired t test of worths against the unpaired one"),
    ("power of the tests by", "power of the tests of worths by"),
    ("IRV against SVM, paired permutation,", "IRV against SVM, paired permutation of worths,"),
    ("coverage of Algorithm 1 centred at the smoothed curve", "coverage of Algorithm 1 from the smoothed curve"),
    ("Figure 4 (b), pair B", "Figure 4 (b), pair B, AP"),
    (
        "section 6, pair B: AP of 8141.232 less that of 5074.164, n0 x 1, 10, 100",
        "section 6, pair B: AP of 8141.232 less that of 5074.164, n0 x 1",
    ),
)

_JOINING = (
    "two spectra of a man joined by mean, first, second, largest, smallest, geometric mean, mean of logarithms, "
    "of ranks, of shares, rounded, and as two men; tied men in the best and in the worst order"
)
_MODELS = (
    "three binary columns of autos, tested on unseen or on all subjects, one-rule scores as classes or shares, either "
    "class positive in all data sets or by data set; K of Eq. 16 and the ideal DCG: 768 tables"
)
_MACHINES = "C of .1, 1, 10 and 100, equal weights and equal classes, the whole kernel and 500 and 2,000 landmarks"
_DESCENT = (
    "full gradients by Barzilai and Borwein steps; alpha constant and rising; with and without the density of scores"
)
READINGS = {  # by paper and by the first words of an item, the longest first
    "su_yuan_zhu": {
        "Theorem 2": "all of 918 models on a grid, by closed form and by quadrature",
        "Eq. 14": "all of 918 models on a grid, by closed form and by quadrature",
        "section 3.5": "the initial rate as the precision of the top, half as many as positives, and as fitted beta",
        "Table": _JOINING,
        "Figure 4": _JOINING,
        "section 6": _JOINING,
    },
    "yuan_slides": {
        "example 1": "both tables of counts, of women and of scores; no sum of their cells gives it",
        "thought experiment": _JOINING,
    },
    "clemencon_vayatis": {
        "sec. 4, bootstrap samples": "one to twenty positives, by the exact probability",
        "sec. 4.1, p~": "p~ from .01 to one half and the best, by formula and by draws",
        "sec. 4, coverage of Algorithm 1 with p~": "five settings of few positives; p~ from .01 to one half",
        "sec. 4, coverage of Algorithm 1 as printed": "two bandwidths; from the empirical and the smoothed curve",
        "sec. 4, coverage of the naive": "five settings of few positives; its radius as well, by sample size",
        "sec. 4.2, error of the radius": "200 to 12,800 subjects, each band made twice so that draws do not count",
        "Lemma 3": "the processes of the sample for the bridges, 200 to 204,800 subjects; parts of it apart",
        "proof of Theorem 2": "the same expansion, the bridge at the rates of the sample and at the true ones",
    },
    "millard_flach_higgins": {
        "Table 1": _MODELS,
        "sec. 5, correlation": _MODELS,
        "sec. 5, largest variance": f"divisors 4 and 5, variances and standard deviations; {_MODELS}",
        "sec. 5.1": "the texts are not public; ten folds of credit_g and topics of CLEF 2017 stand beside it",
    },
    "swamidass2010": {
        "auc, SVM": _MACHINES,
        "croc(exp, alpha=80), SVM": _MACHINES,
        "AUC": _MACHINES,
        "AUC, power": _DESCENT,
        "auc, IRV": _DESCENT,
        "order": _MACHINES,
        "hits@1000": f"{_MACHINES}; tied molecules in expectation",
        "IRV against SVM": "six tests of worths and the delta test",
        "tests of a pair": "six tests of worths and the delta test, 17 metrics",
        "epochs": _DESCENT,
        "croc(exp, alpha=80), exponential": _DESCENT,
        "croc": f"{_DESCENT}; pooled scores and the mean over folds",
        "table": f"{_DESCENT}; each column of ours",
        "metrics": _DESCENT,
    },
    "swamidass_areas": {
        "sec. 5.2, five rankers": "t, Wilcoxon, Fisher-Pitman and delta tests of six pairs; 17 metrics",
        "sec. 5.2, simulated": "three pairs of binormal rankers; t, Wilcoxon, Fisher-Pitman and delta tests",
        "sec. 5.1": "the counts of the paper and ours",
    },
    "swamidass_tests": {
        "sec. 4": "ranks dealt out anew and fixed worths, four sizes of sample",
        "sec. 5.2": "ranks dealt out anew and fixed worths; four sizes of sample, two rankings of the screen",
        "sec. 5.2, five": "ranks dealt out anew, with the fixed worths of the page of areas; 13 metrics, six pairs",
    },
    "swamidass_passes": {
        "epochs": "full gradients and passes in batches; eight weightings, densities by class too",
    },
    "beyond": {
        "Su et al.": "delta tests and intervals, ten prevalences, max-T and Holm",
        "Millard et al.": "t tests with and without the correction for shared training data; one pooled list",
    },
}


class Change(NamedTuple):
    """A row with its verdict then and now; none then if it is new."""

    paper: str
    item: str
    then: str
    now: str
    line: dict[str, str]

    @property
    def fell(self) -> bool:
        """Whether the verdict is a worse one than it was."""
        return self.then in ORDER and self.now in ORDER[3:] and ORDER.index(self.now) > ORDER.index(self.then)


def now() -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the rows that are committed, with their paper."""
    for paper in PAPERS:
        for line in Folder(paper).read("comparison"):
            yield paper, line


def changes() -> list[Change]:
    """Return every row with its verdict before and after."""
    before: dict[tuple[str, str], list[str]] = {}
    for line in FOLDER.read("before"):
        before.setdefault((line["paper"], _renamed(line["item"])), []).append(line["verdict"])
    found = []
    for paper, line in now():
        then = before.get((paper, line["item"])) or [""]
        found.append(Change(paper, line["item"], then.pop(0), line["verdict"], line))
    return found


def withdrawn() -> list[tuple[str, str, str]]:
    """Return paper, item and verdict of each row that is not made any more."""
    still = {(c.paper, c.item) for c in changes()}
    return [
        (line["paper"], line["item"], line["verdict"])
        for line in FOLDER.read("before")
        if (line["paper"], _renamed(line["item"])) not in still
    ]


def _renamed(item: str) -> str:
    for old, new in _RENAMED:
        if old == item or (old in item and new not in item and not old.startswith(("Figure", "section"))):
            return item.replace(old, new)
    return item


def counts() -> list[tuple[str, Counter[str], Counter[str]]]:
    """Return the counts of verdicts of each paper, before and after."""
    before, after = ({paper: Counter[str]() for paper in PAPERS} for _ in range(2))
    for line in FOLDER.read("before"):
        before[line["paper"]][line["verdict"]] += 1
    for paper, line in now():
        after[paper][line["verdict"]] += 1
    return [(paper, before[paper], after[paper]) for paper in PAPERS]


def readings(paper: str, item: str) -> str:
    """Return which readings of a row were tried.

    Raises
    ------
    KeyError
        If none are given: a row that is not reproduced must have some.
    """
    given = READINGS[paper]
    for start in sorted(given, key=len, reverse=True):
        if item.startswith(start):
            return given[start]
    raise KeyError(f"no readings of {paper}: {item}")
