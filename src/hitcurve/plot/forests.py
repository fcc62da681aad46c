"""Forest plots: studies with their mean, and subgroups with their differences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hitcurve import _checks, rows
from hitcurve.errors import ParameterError
from hitcurve.evaluation.meta import MetaAnalysis
from hitcurve.inference.linear.gap import Gap
from hitcurve.plot import sheet, words
from hitcurve.plot.forest import Row, draw_forest, size_of
from hitcurve.plot.style import COLORS, DARK, SMALL, TINY, Look, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def forest(results: MetaAnalysis | Gap, *, per: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the studies of a meta-analysis with their mean, or subgroups or their differences, below each other.

    Parameters
    ----------
    results : MetaAnalysis or Gap
    per : {"pair", "subgroup"}, optional
        Of a gap: differences of pairs (the default), with simultaneous intervals where there are several, or the
        values of the subgroups.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        Of a meta-analysis with a row for each study (its weight in brackets), one for the mean, and with random effects
        one for the prediction interval of another study.

    Raises
    ------
    ParameterError
        If it is neither, or ``per`` is given with a meta-analysis.

    Examples
    --------
    >>> from hitcurve import meta_analysis, plot
    >>> ax = plot.forest(meta_analysis({"a": (0.80, 0.04), "b": (0.85, 0.03), "c": (0.70, 0.05)}, "auc"))
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_yticklabels()][-2:]
    ('auc, 95% interval', ['mean', 'another study'])
    """
    if isinstance(results, MetaAnalysis):
        if per is not None:
            raise ParameterError("per is of a gap; a meta-analysis has one row for each study")
        return _of_studies(results, ax)
    if not isinstance(results, Gap):
        raise ParameterError(f"a forest needs a MetaAnalysis or a Gap, got {type(results).__name__}")
    kind = "pair" if per is None else _checks.choice("per", per, ("pair", "subgroup"))
    return _of_pairs(results, ax) if kind == "pair" else _of_subgroups(results, ax)


def _of_studies(found: MetaAnalysis, ax: Any) -> Axes:
    records = found.to_records()
    short = words.short_names(found.names)
    lines = [
        Row(f"{short[one['study']]} ({100 * one['weight']:.0f}%)", one["value"], (one["low"], one["high"]))
        for one in records
    ]
    low, high = found.interval
    lines.append(Row("mean", found.value, None if math.isnan(low) else (low, high)))
    styles = [look(0)] * len(records) + [_marked("D")]
    below, above = found.prediction_interval
    if found.method == "reml" and not math.isnan(below):
        lines.append(Row("another study", math.nan, (below, above)))
        styles.append(look(0)._replace(color=COLORS[1]))
    panel = _drawn(lines, styles, [found.value], f"{found.metric}, {words.level_text(found.confidence_level)}", ax)
    if math.isnan(lines[-1].value):
        beside: dict[str, Any] = {"textcoords": "offset points", "va": "bottom", "ha": "center", "fontsize": TINY}
        text = f"{rows.number(below, 3)} to {rows.number(above, 3)}"
        panel.annotate(words.plain(text), ((below + above) / 2, len(lines) - 1), (0, 5), **beside)
    return panel


def _of_subgroups(found: Gap, ax: Any) -> Axes:
    short = words.short_names(found.subgroups)
    lines = [Row(short[one.name], one.value, one.interval) for one in found.subgroups.values()]
    label = f"{found.metric} of {found.ranker}, {words.level_text(found.confidence_level)}"
    return _drawn(lines, [look(0)] * len(lines), [], label, ax)


def _of_pairs(found: Gap, ax: Any) -> Axes:
    short = words.short_names(found.subgroups)
    lines = []
    for one, record in zip(found.pairs, found.to_records(), strict=True):
        name = f"{short[record['first']]} - {short[record['second']]}"
        lines.append(Row(name, one.value, one.simultaneous or one.confidence_interval()))
    together = "simultaneous " if any(one.simultaneous is not None for one in found.pairs) else ""
    label = f"difference in {found.metric} of {found.ranker}, {together}{words.level_text(found.confidence_level)}"
    return _drawn(lines, [_marked("o")] * len(lines), [0.0], label, ax)


def _marked(marker: str) -> Look:
    return look(0)._replace(color=DARK, marker=marker)


def _drawn(lines: list[Row], styles: list[Look], references: list[float], label: str, ax: Any) -> Axes:
    panel: Axes = sheet.single(ax, size_of(lines))
    draw_forest(panel, lines, references, styles)
    panel.set_xlabel(words.broken(label), fontsize=SMALL)
    return panel
