"""A metric by day as a chart that stays as it is."""

from __future__ import annotations

from hitcurve import rows
from hitcurve.evaluation.over_time.by_day import CHANGE, ODD, Drift
from hitcurve.report.html.still import text_at, ticks

_LEFT, _TOP, _BOTTOM, _HEIGHT = 58.0, 12.0, 252.0, 300
_ENDS = {"wide": (908.0, 8), "narrow": (388.0, 3)}  # the end of the axis, and how many days are named below it
STYLE = """svg.narrow { display: none; }
@media screen and (max-width: 760px) { svg.wide { display: none; } svg.narrow { display: block; width: 100%; } }
"""


def chart(found: Drift) -> str:
    """Return the days as SVG for wide and for narrow screens, of which the page shows one: letters keep their size."""
    return "".join(_drawn(found, name) for name in _ENDS)


def _drawn(found: Drift, screen: str) -> str:
    """Return the days from left to right, with the mean of each level and a ring around odd days."""
    count, (right, most_names) = len(found.days), _ENDS[screen]
    heights = ticks(float(found.low.min()), float(found.high.max()))
    low, high = heights[0], heights[-1]

    def x(day: float) -> float:
        return _LEFT + (day + 0.5) / count * (right - _LEFT)

    def y(value: float) -> float:
        return _BOTTOM - (value - low) / (high - low) * (_BOTTOM - _TOP)

    parts = [f'<path d="M{_LEFT} {_TOP}V{_BOTTOM}H{right}" stroke="var(--soft)" fill="none"/>']
    parts += [text_at(_LEFT - 8, y(at) + 4, f"{at:.6g}", "end") for at in heights]
    step = -(-count // most_names)
    parts += [text_at(x(day), _BOTTOM + 20, _cut(found.days[day]), "middle") for day in range(0, count, step)]
    for level in found.levels():
        start, end = (found.days.index(day) for day in (level.first, level.last))
        across = f"M{x(start - 0.5):.1f} {y(level.mean):.1f}H{x(end + 0.5):.1f}"
        parts.append(f'<path d="{across}" stroke="var(--ink)" stroke-width="1.5" stroke-dasharray="6 3"/>')
    marks = found.marks()
    for day, name in enumerate(found.days):
        value, ends = float(found.values[day]), (float(found.low[day]), float(found.high[day]))
        mark = marks.get(name, "")
        whole = rows.html_text(f"{name}: {rows.with_interval(value, ends)}{mark and f' ({mark})'}")
        fill = "var(--ranker-0)" if mark == CHANGE else "var(--paper)"
        if mark == ODD:
            left, middle = x(day) - 8, y(value)
            ring = f"M{left:.1f} {middle:.1f}a8 8 0 1 0 16 0a8 8 0 1 0 -16 0"
            parts.append(f'<path d="{ring}" class="odd" stroke="var(--ink)" stroke-width="1.5" fill="none"/>')
        parts.append(
            f'<g><title>{whole}</title><path d="M{x(day):.1f} {y(ends[0]):.1f}V{y(ends[1]):.1f}" '
            f'stroke="var(--ranker-0)" stroke-width="2"/><circle cx="{x(day):.1f}" cy="{y(value):.1f}" r="4" '
            f'stroke="var(--ranker-0)" stroke-width="1.5" fill="{fill}"/></g>'
        )
    label = rows.html_text(f"{found.looked_at} by day")
    size = f"0 0 {right + 12:.0f} {_HEIGHT}"
    return f'<svg class="{screen}" viewBox="{size}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _cut(name: str) -> str:
    return name if len(name) <= 14 else f"{name[:13]}…"
