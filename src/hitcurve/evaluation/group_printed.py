"""An evaluation of groups in words: tables for printers, headings, the paragraph for a paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hitcurve import rows
from hitcurve._threads import in_threads
from hitcurve.evaluation.group_numbers import MOST_SHOWN, NO_NEGATIVES, NO_POSITIVES, GroupNumbers
from hitcurve.evaluation.group_warnings import OF_CLUSTERS, about_undefined
from hitcurve.evaluation.kept import Kept
from hitcurve.evaluation.methods import methods_of_groups
from hitcurve.evaluation.shown import Shown
from hitcurve.inference.intervals.interval import POINTS
from hitcurve.metrics import Metric


@dataclass(frozen=True, eq=False)
class PrintedGroups(GroupNumbers, Shown, Kept):
    """How the numbers of many groups are shown."""

    def heading(self) -> list[str]:
        """Return a description of the evaluated data."""
        lines = self._about_groups()
        for lacks in (NO_POSITIVES, NO_NEGATIVES):
            names = [name for name, reason in self.left_out.items() if reason == lacks]
            if names:
                counted = "counts as 0" if len(names) == 1 else "count as 0"
                done = counted if self.single_class == "zero" and lacks == NO_POSITIVES else "left out"
                lines.append(f"{self.counted_in_words(len(names))} with {lacks} {done}: {rows.some(names)}")
        return [*lines, *self.notes]

    def counted_in_words(self, count: int) -> str:
        """Return a number of groups (folds, topics) in words."""
        return f"1 {self.called_one}" if count == 1 else f"{rows.count(count)} {self.called}"

    def _about_groups(self) -> list[str]:
        n, n_pos = float(np.sum(self.groups.sizes("n"))), float(np.sum(self.groups.sizes("n_pos")))
        sizes = np.sort(self.groups.sizes("n_pos")).tolist()
        between = f"{rows.count(sizes[0])} to {rows.count(sizes[-1])} positives per {self.called_one}"
        each = between if sizes[0] < sizes[-1] else f"{rows.counted(sizes[0], 'positive')} in each"
        by = "" if self.by == self.called_one else f" by {self.by}"
        return [f"{self.counted_in_words(len(self))}{by}: {self.subjects_in_words(n, n_pos)}, {each}"]

    def table_rows(self, *, standard_error: bool = False) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: the mean over groups of each metric, a column for each ranker."""
        header = [f"mean over {self.called}", *self.rankers, "lowest", "highest"]
        body = []
        for m in self.metrics:
            means = [self._means[name, m] for name in self.rankers]
            lowest, highest = (np.array([getattr(mean, end) for mean in means]) for end in ("lowest", "highest"))
            ends = (float(np.fmin.reduce(lowest)), float(np.fmax.reduce(highest)))
            errors = [mean.standard_error if standard_error else math.nan for mean in means]
            shown = zip(means, errors, strict=True)
            cells = [rows.with_interval(mean.value, mean.interval, error=error) for mean, error in shown]
            body.append([str(m), *cells, *map(rows.value, ends)])
        return header, body

    def pooled_rows(self) -> tuple[list[str], list[list[str]]] | None:
        """Return header and rows of the metrics of the pooled list; None without a pooled list."""
        if self._pooled is None:
            return None
        self._pooled.read_ahead()
        # of the longest list: intervals side by side
        cells = list(in_threads(lambda e: rows.with_interval(e.value, e.interval), self._pooled))
        body = [[str(m), *cells[place :: len(self.metrics)]] for place, m in enumerate(self.metrics)]
        return ["all subjects pooled", *self.rankers], body

    def group_rows(self, wanted: Metric) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: one metric group by group, a column for each ranker."""
        sizes = np.stack([self.groups.sizes("n"), self.groups.sizes("n_pos")], axis=1)
        about = [list(map(rows.count, size)) for size in sizes] + [["", "0"]] * len(self.counted_as_zero)
        in_order = [about[place] for place in self._evaluated_first]
        return [str(wanted), "n", "positive", *self.rankers], self._rows_of_groups(wanted, in_order)

    def _rows_of_groups(self, wanted: Metric, about: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return the rows of one metric: the group, what is said about each of ``counted``, the values of rankers."""
        values = [self.values(ranker, wanted) for ranker in self.rankers]
        return [
            [name, *about[place], *(rows.value(own[place]) for own in values)]
            for place, name in enumerate(self.counted)
        ]

    def tables_of_groups(self) -> list[tuple[list[str], list[list[str]]]]:
        """Return header and rows of one list of all, and of each metric group by group unless groups are many."""
        pooled = self.pooled_rows()
        few = self.metrics if len(self.counted) <= MOST_SHOWN else ()
        each = [table for m in few for table in (self.group_rows(m), self.cut_rows(m)) if table is not None]
        return each if pooled is None else [pooled, *each]

    def cut_rows(self, wanted: Metric) -> tuple[list[str], list[list[str]]] | None:
        """Return header and rows of the cutoffs of an operating point, group by group; None of other metrics."""
        if wanted.default_interval not in POINTS or "cut_rate" not in self.columns:
            return None
        shape, place = (len(self.counted), len(self.rankers), len(self.metrics)), self.metrics.index(wanted)
        nowhere = np.full(self.columns["cut_rate"].size, math.nan)  # of tables without scores
        scores, rates = (
            np.reshape(self.columns.get(key, nowhere), shape)[..., place].tolist() for key in ("cut_score", "cut_rate")
        )
        body = [
            [name, *(_cutoff(*at) for at in zip(*of_rankers, strict=True))]
            for name, *of_rankers in zip(self.counted, scores, rates, strict=True)
        ]
        return [f"cutoff of {wanted}: score (% selected)", *self.rankers], body

    def about_cuts(self) -> str:
        """Return the scores at which operating points cut the list of all subjects, a line for each metric."""
        lines = [] if self._pooled is None else self._pooled.about_cuts().splitlines()
        return "\n".join(f"all subjects pooled: {line}" for line in lines)

    def methods_text(self) -> str:
        """Return a paragraph for the methods section of a paper: groups, metrics, means and their intervals."""
        return methods_of_groups(
            self.heading(),
            self.rankers,
            self.metrics,
            self.confidence_level,
            self.tally,
            self.overlap,
            self.about_clusters(),
            about_undefined(self.groups.names, self.groups.lists, self.called),
            self.called,
        )

    def about_intervals(self) -> str:
        """Return level and meaning of the intervals, in words."""
        if all(mean.n_groups < 2 for mean in self._means.values()):
            return f"note: no interval: an interval of a mean needs at least 2 {self.unit}"
        by = f"t over {self.unit}, which are treated as a sample"
        if self.overlap:
            by = "corrected t over folds that share training data (Nadeau and Bengio 2003)"
        text = f"[{100 * self.confidence_level:g}%] intervals of means by {by}"
        if self._pooled is not None:
            whose = " (including those of groups left out)" if self.left_out else ""
            text += f"; pooling all subjects{whose} requires scores that are comparable between groups"
        elif self.overlap:
            text += "; subjects were tested more than once, so they are not pooled"
        notes = [
            *self._about_unlike_means(),
            *self._about_same_means(),
            *self._about_other_means(),
            self.about_clusters(),
            *self.cautions_of_means,
            *self.cautions_of_pooled,
        ]
        return rows.text_lines([text, *(f"note: {note}" for note in notes if note)])

    def _about_unlike_means(self) -> list[str]:
        """Say of which metrics the rankers' means are over different groups."""
        notes = []
        for m in self.metrics:
            defined = [~np.isnan(self.values(name, m)) for name in self.rankers]
            if any((one != defined[0]).any() for one in defined):
                each = ", ".join(f"{one.sum():,} for {name}" for name, one in zip(self.rankers, defined, strict=True))
                notes.append(
                    f"means of {m} are over the {self.unit} in which it is defined, which differ between rankers "
                    f"({each}); comparisons use the {self.unit} they share"
                )
        return notes

    def _about_same_means(self) -> list[str]:
        """Say which means have no interval since all groups have one value."""
        notes = []
        for m in self.metrics:
            means = [self._means[name, m] for name in self.rankers]
            same = [one.ranker for one in means if one.is_mean and one.n_groups > 1 and one.interval is None]
            if same:
                why = f"the {self.unit} do not vary there, and a standard error of 0 gives none"
                notes.append(f"no interval of {m} of {rows.some(same)}: {why}")
        return notes

    def _about_other_means(self) -> list[str]:
        """Say which values over groups are no means."""
        kinds = {str(m): self._means[self.rankers[0], m] for m in self.metrics}
        of = [f"{name} is a {mean.kind}" for name, mean in kinds.items() if not mean.is_mean]
        return [f"{rows.listed(of)} over {self.unit}, without interval and test"] if of else []

    def about_clusters(self) -> str:
        """Return which numbers clusters change, in words; empty if there are none."""
        return OF_CLUSTERS if self.groups.clustered else ""

    def __str__(self) -> str:
        """Return the numbers as text tables."""
        parts = [rows.text_lines(self.heading()), rows.text_table(*self.table_rows())]
        parts += [rows.text_table(*lines) for lines in self.tables_of_groups()]
        if len(self.counted) > MOST_SHOWN:
            parts.append(
                f"{self.counted_in_words(len(self.counted))} are too many to print each: use --format csv or to_frame()"
            )
        parts += [text for text in (self.about_cuts(), self.about_intervals()) if text]
        if self.warnings:
            parts.append(rows.text_lines(self.warning_lines()))
        return "\n\n".join(parts)


def _cutoff(score: float, rate: float) -> str:
    """Return score and depth of a cutoff: ``0.83 (12%)``; empty where there is none."""
    if math.isnan(rate):
        return ""
    return f"{'none' if math.isnan(score) else rows.exact(score)} ({rows.short(100 * rate)}%)"
