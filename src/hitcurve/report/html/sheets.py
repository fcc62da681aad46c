"""Pages of a gap between subgroups, of a meta-analysis and of days: intervals side by side, and all tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from hitcurve import rows
from hitcurve.evaluation.meta import MetaAnalysis
from hitcurve.evaluation.over_time.by_day import Drift
from hitcurve.inference.linear.gap import Gap
from hitcurve.report.html import days, words
from hitcurve.report.html.still import text_at, ticks
from hitcurve.report.html.template import markup, rendered
from hitcurve.sheets import Sheets

_WIDTH, _LEFT, _RIGHT, _TOP, _STEP = 520.0, 170.0, 12.0, 6.0, 30.0
_LONGEST = 24  # signs of a name


class _Row(NamedTuple):
    """A value with its interval."""

    name: str
    value: float
    ends: tuple[float, float] | None
    mean: bool = False
    short: str = ""


def page(found: Gap | MetaAnalysis | Drift, title: str | None = None, *, date: str | None = None) -> str:
    """Return the page of a gap, a meta-analysis or of days; see :func:`hitcurve.report`."""
    if isinstance(found, Drift):
        heading, names = (
            "Changes over days",
            [*found.days, str(found.metric), *([found.ranker] if found.ranker else [])],
        )
        drawn = [("Days", days.chart(found))]
        titles = ["Days", "Levels"]
        hint = (
            f"Lines contain all days at once with {100 * found.confidence_level:g}% confidence. Horizontal: the mean "
            f"of each level.{' Full circles: the first day of a new level.' if found.changes else ''}"
            f"{' A ring: an odd day, which differs from the other days of its level.' if found.odd_days else ''}"
        )
        return _rendered(found, title or heading, names, drawn, hint, titles, date)
    if isinstance(found, Gap):
        heading, names = "Subgroups compared", [*found.subgroups, found.metric, found.ranker, found.by]
        charts, titles = _of_gap(found), ["Subgroups", "Differences"]
        hint = f"Lines are {100 * found.confidence_level:g}% intervals. Dotted: no difference."
    else:
        heading, names = "Studies pooled", [*found.names, str(found.metric)]
        charts, titles = [("Studies and their mean", _of_studies(found), [found.value])], ["Studies"]
        hint = f"Lines are {100 * found.confidence_level:g}% intervals. Dotted: the mean."
    drawn = [(caption, _forest(lines, references, caption)) for caption, lines, references in charts]
    return _rendered(found, title or heading, names, drawn, hint, titles, date)


def _rendered(
    found: Sheets,
    title: str,
    names: Sequence[str],
    drawn: Sequence[tuple[str, str]],
    hint: str,
    titles: Sequence[str],
    date: str | None,
) -> str:
    """Return a page of charts with captions, and all tables under their titles."""
    return rendered(
        "sheets",
        title=title,
        style=days.STYLE if isinstance(found, Drift) else "",
        lead=[words.sentence(line, names) for line in found.heading()],
        notes=[words.sentence(note, names) for note in found.notes()],
        forests=[{"caption": caption, "svg": markup(svg)} for caption, svg in drawn],
        wide=isinstance(found, Drift),
        hint=hint,
        sections=[s._replace(title=t)._asdict() for s, t in zip(found.sections(), titles, strict=True)],
        date=date,
    )


def _of_gap(found: Gap) -> list[tuple[str, list[_Row], list[float]]]:
    subgroups = [_Row(one.name, one.value, one.interval) for one in found.subgroups.values()]
    pairs = []
    for one, record in zip(found.pairs, found.to_records(), strict=True):
        # names that are alike in their beginnings differ in what is left of both
        sides = [_cut(record[side], _LONGEST if len(one.label) <= _LONGEST else 10) for side in ("first", "second")]
        ends = one.simultaneous or one.confidence_interval()
        pairs.append(_Row(one.label, one.value, ends, short=" - ".join(sides)))
    together = "simultaneous" if any(one.simultaneous is not None for one in found.pairs) else "with"
    return [
        ("Values of the subgroups", subgroups, []),
        (f"Differences, {together} intervals", pairs, [0.0]),
    ]


def _of_studies(found: MetaAnalysis) -> list[_Row]:
    lines = [_Row(one["study"], one["value"], (one["low"], one["high"])) for one in found.to_records()]
    low, high = found.interval
    lines.append(_Row("mean", found.value, None if math.isnan(low) else (low, high), mean=True))
    below, above = found.prediction_interval
    if found.method == "reml" and not math.isnan(below):
        lines.append(_Row("another study", math.nan, (below, above), mean=True))
    return lines


def _forest(lines: Sequence[_Row], references: Sequence[float], label: str) -> str:
    """Return rows of intervals as SVG."""
    every = [*references, *(one.value for one in lines if not math.isnan(one.value))]
    every += [end for one in lines if one.ends is not None for end in one.ends]
    heights = ticks(min(every), max(every))
    low, high = heights[0], heights[-1]
    bottom = _TOP + _STEP * len(lines)

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    parts = [f'<path d="M{_LEFT} {bottom:.0f}H{_WIDTH - _RIGHT}" stroke="var(--soft)"/>']
    parts += [text_at(x(at), bottom + 18, f"{at:.6g}", "middle") for at in heights]
    dotted = 'stroke="var(--soft)" stroke-dasharray="2 3"'
    parts += [f'<path d="M{x(at):.1f} {_TOP}V{bottom:.0f}" {dotted}/>' for at in references]
    for place, one in enumerate(lines):
        y = _TOP + _STEP * (place + 0.5)
        color = "var(--ink)" if one.mean else "var(--ranker-0)"
        whole = rows.html_text(f"{one.name}: {_numbers(one)}")
        parts.append(
            f"<g><title>{whole}</title>{text_at(_LEFT - 10, y + 4, one.short or _cut(one.name, _LONGEST), 'end')}"
        )
        if one.ends is not None:
            start, end = map(x, one.ends)
            parts.append(f'<path d="M{start:.1f} {y}H{end:.1f}" stroke="{color}" stroke-width="2.5" fill="none"/>')
        if not math.isnan(one.value):
            parts.append(f'<circle cx="{x(one.value):.1f}" cy="{y}" r="{5.5 if one.mean else 4.5}" fill="{color}"/>')
        parts.append("</g>")
    size = f"0 0 {_WIDTH:.0f} {bottom + 28:.0f}"
    return f'<svg viewBox="{size}" role="img" aria-label="{rows.html_text(label)}">{"".join(parts)}</svg>'


def _cut(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _numbers(one: _Row) -> str:
    if one.ends is not None and math.isnan(one.value):
        return f"{rows.number(one.ends[0], 3)} to {rows.number(one.ends[1], 3)}"
    return rows.with_interval(one.value, one.ends)
