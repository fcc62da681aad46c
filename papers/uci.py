"""Models of five UCI data sets, as in section 5 of Millard, Flach and Higgins 2014: 5 sets, 3 learners, 10 samples.

What the paper does not say is a choice that is named here: which class is positive, which binary column of autos is the
label, what a one-rule model scores, and on whom a model is tested.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.naive_bayes import CategoricalNB
from sklearn.tree import DecisionTreeClassifier

Array: TypeAlias = npt.NDArray[Any]

SHARE = 0.54
SAMPLES = 10
SEED = 2014
LEARNERS = ("naive Bayes", "decision tree", "one-rule")
_DECILES = np.arange(1, 10) / 10


class Task(NamedTuple):
    """A file of the folder uci, its label, and the class that is positive."""

    file: str
    label: str
    positive: str


# of every label the rarer class is positive
TASKS = (
    Task("vote", "Class", "republican"),
    Task("autos", "num-of-doors", "two"),
    Task("credit_g", "class", "bad"),
    Task("breast_w", "Class", "malignant"),
    Task("colic", "surgical_lesion", "no"),
)
OTHER_AUTOS = (Task("autos", "aspiration", "turbo"), Task("autos", "fuel-type", "diesel"))


@dataclass(frozen=True)
class Subjects:
    """What is known of the subjects of one task.

    Attributes
    ----------
    positive : array of bool (n,)
    nominal : list of array of int (n,)
        Columns of words as numbers from 1 on, 0 where the cell is empty.
    numeric : list of array (n,)
        Columns of numbers, nan where the cell is empty.
    """

    positive: Array
    nominal: Sequence[Array]
    numeric: Sequence[Array]

    @classmethod
    def read(cls, folder: Path, task: Task) -> Subjects:
        """Read a task; subjects whose label is empty are left out."""
        with (folder / "uci" / f"{task.file}.csv").open(newline="", encoding="utf-8") as file:
            lines = [line for line in csv.DictReader(file) if line[task.label]]
        nominal, numeric = [], []
        for name in lines[0]:
            cells = [line[name] for line in lines]
            words = sorted(set(cells) - {""})
            if name == task.label:
                continue
            if all(_is_number(word) for word in words):
                numeric.append(np.array([float(cell) if cell else math.nan for cell in cells]))
            else:
                code = {word: number for number, word in enumerate(["", *words])}
                nominal.append(np.array([code[cell] for cell in cells]))
        return cls(np.array([line[task.label] == task.positive for line in lines]), nominal, numeric)

    def codes(self, train: Array) -> Array:
        """Return all columns as whole numbers: numbers by the tenths of a training sample, 0 where a cell is empty."""
        columns = list(self.nominal)
        for x in self.numeric:
            known = x[train][~np.isnan(x[train])]
            cuts = np.unique(np.quantile(known, _DECILES)) if known.size else np.zeros(0)
            columns.append(np.where(np.isnan(x), 0, 1 + np.searchsorted(cuts, x, "left")))
        return np.column_stack(columns)

    def numbers(self) -> Array:
        """Return all columns as numbers: a column of words as one of 0 and 1 for each word."""
        words = [x == code for x in self.nominal for code in range(1, int(x.max()) + 1)]
        return np.column_stack([*words, *self.numeric]).astype(float)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Model:
    """One learned model, and how it scores every subject of its task.

    Attributes
    ----------
    task : Task
    learner : str
    sample : int
    positive : array of bool (n,)
    scores : array (n,)
        Of one-rule the class it predicts, 0 or 1.
    shares : array (n,)
        Of one-rule the share of positives that its rule saw; of the others the same as ``scores``.
    unseen : array of bool (n,)
        Subjects outside of the bootstrap sample that it was learned from.
    """

    task: Task
    learner: str
    sample: int
    positive: Array
    scores: Array
    shares: Array
    unseen: Array


def models(folder: Path, tasks: Sequence[Task] = TASKS, samples: int = SAMPLES) -> Iterator[Model]:
    """Learn three models from each bootstrap sample of 54% of each data set."""
    for task in tasks:
        subjects = Subjects.read(folder, task)
        y = subjects.positive
        for sample in range(samples):
            rng = np.random.default_rng([SEED, sample, *task.file.encode()])
            train = rng.integers(y.size, size=round(SHARE * y.size))
            unseen = ~np.isin(np.arange(y.size), train)
            for learner, (scores, shares) in zip(LEARNERS, _learned(subjects, train), strict=True):
                yield Model(task, learner, sample, y, scores, shares, unseen)


def _learned(subjects: Subjects, train: Array) -> Iterator[tuple[Array, Array]]:
    y, codes, numbers = subjects.positive, subjects.codes(train), subjects.numbers()
    bayes = CategoricalNB(min_categories=codes.max(axis=0) + 1).fit(codes[train], y[train])
    logs = bayes.predict_joint_log_proba(codes)
    odds = logs[:, 1] - logs[:, 0]  # probabilities near 1 would be tied
    yield odds, odds
    tree = DecisionTreeClassifier(min_samples_leaf=2, ccp_alpha=0.005, random_state=SEED)
    leaf = tree.fit(numbers[train], y[train]).predict_proba(numbers)[:, 1]
    yield leaf, leaf
    share = _one_rule(codes, y, train)
    yield (share > 0.5).astype(float), share


def _one_rule(codes: Array, y: Array, train: Array) -> Array:
    """Return the share of positives with the same value in the one column that errs least in training (Holte 1993)."""
    best, fewest = np.zeros(0), math.inf
    for column in codes.T:
        total = np.bincount(column[train], minlength=column.max() + 1)
        pos = np.bincount(column[train], y[train], minlength=total.size)
        errors = float(np.minimum(pos, total - pos).sum())
        if errors < fewest:
            fewest, prior = errors, float(y[train].mean())
            best = np.divide(pos, total, out=np.full(total.size, prior), where=total > 0)[column]
    return best
