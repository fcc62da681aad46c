"""The page of censored outcomes: metrics over time with the number at risk, tables of all horizons, comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.counts import Array
from hitcurve.errors import HitcurveError, ParameterError
from hitcurve.report.html import words
from hitcurve.report.html.still import TICKS, tables_of_tests, text_at, ticks
from hitcurve.report.html.survival_data import data
from hitcurve.report.html.template import file_of, markup, rendered, seen
from hitcurve.survival import OverTime, SurvivalEvaluation
from hitcurve.survival.line import Line

_TITLE = "Rankers of events that are still to come"
_WIDTH, _HEIGHT = 520.0, 330.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 8.0, 8.0, 62.0
_MOST_PAIRS = 3
_MOST_RANKERS = 24


def page(found: SurvivalEvaluation, title: str | None = None, *, date: str | None = None) -> str:
    """Return the page of censored outcomes; see :func:`hitcurve.report`.

    Raises
    ------
    ParameterError
        If there are more than 24 rankers.
    """
    if len(found.rankers) > _MOST_RANKERS:
        raise ParameterError(f"an HTML report shows at most {_MOST_RANKERS} rankers, got {len(found.rankers)}")
    names = [*found.rankers, *map(str, found.metrics)]
    lines = _lines(found)
    charts, means = _over_time(found, lines)
    compared = {
        f"{metric} at horizon {rows.exact(t)}": partial(found.compare_all, metric, t)
        for t in found.horizons
        for metric in found.metrics
        if len(found.rankers) > 1
    }
    tests, why = tables_of_tests(compared, names)
    level = next(iter(found.evaluations.values())).confidence_level
    return rendered(
        "survival",
        title=title or _TITLE,
        lead=[words.sentence(line, names) for line in found.heading()],
        warnings=[words.sentence(str(one), names) for one in found.warnings],
        charts=[{"caption": caption, "svg": markup(svg)} for caption, svg in charts],
        means=means,
        about={
            "charts": "Over time",
            "hint": f"Shaded: {100 * level:g}% simultaneous limits, for all times together. Dotted: random "
            "baseline, or no difference. Below: number of subjects at risk.",
            "numbers": "Numbers at each horizon",
        },
        sections=[section._asdict() for section in found.sections()],
        notes=[words.sentence(line, names) for line in [*found.about(), *why]],
        tests=tests,
        methods=[line for line in found.methods_text().strip().splitlines() if line],
        style=file_of("screen.css"),
        rankers=found.rankers,
        data=seen(data(found, lines)),
        scripts=[file_of("sheet.js") + file_of("survival.js")],
        date=date,
    )


def _lines(found: SurvivalEvaluation) -> list[OverTime]:
    """Return the metrics that can be had over time."""
    lines = []
    for metric in found.metrics:
        try:
            one = found.over_time(metric)
        except HitcurveError:  # no errors, or too few events
            continue
        if one.times.size > 1:
            lines.append(one)
    return lines


def _over_time(found: SurvivalEvaluation, lines: Sequence[OverTime]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return charts of all metrics with their captions, and means over time in words."""
    charts: list[tuple[str, str]] = []
    means: list[str] = []
    for one in lines:
        metric = one.metric
        own = [(name, place, one[name]) for place, name in enumerate(one.rankers)]
        charts.append((str(metric), chart(one, own, one.random, f"{metric} over time")))
        means += one.notes()
        pairs = list(combinations(one.rankers, 2))
        for first, second in pairs if len(pairs) <= _MOST_PAIRS else ():
            caption = f"{metric}, {first} - {second}"
            line = [(f"{first} - {second}", 6, one.difference(first, second))]
            charts.append((caption, chart(one, line, np.zeros(one.times.size), f"{caption} over time")))
            difference = one.integrated_difference(first, second)
            means.append(f"mean difference of {metric} over time, {first} - {second}: {difference}")
    return charts, means


def chart(found: OverTime, lines: Sequence[tuple[str, int, Line]], random: Array, label: str) -> str:
    """Return a chart as SVG: lines with their bands, the random baseline, and the number at risk below the times."""
    low = min(float(random.min()), *(float(line.band_low.min()) for _, _, line in lines))
    high = max(float(random.max()), *(float(line.band_high.max()) for _, _, line in lines))
    heights = ticks(low, high)
    low, high = min(low, heights[0]), max(high, heights[-1])
    times = found.times
    first, last = float(times[0]), float(times[-1])

    def x(value: Any) -> Any:
        return _LEFT + (np.asarray(value) - first) / (last - first) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: Any) -> Any:
        return _TOP + (high - np.asarray(value)) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    def path(values: Array, *, back: bool = False) -> str:
        order = slice(None, None, -1) if back else slice(None)
        points = zip(x(times)[order].tolist(), y(values)[order].tolist(), strict=True)
        return " ".join(f"{a:.1f},{b:.1f}" for a, b in points)

    box = f"{_LEFT:g} {_WIDTH - _RIGHT:g} {_TOP:g} {_HEIGHT - _BOTTOM:g}"
    out = [
        f'<svg viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" data-box="{box}" '
        f'aria-label="{rows.html_text(seen(label))}">'
    ]
    for height in heights:
        place = float(y(height))
        out.append(f'<path d="M{_LEFT:g} {place:.1f}H{_WIDTH - _RIGHT:g}" stroke="var(--line)"/>')
        out.append(text_at(_LEFT - 6, place + 4, f"{height:g}", "end"))
    below = _HEIGHT - _BOTTOM
    for time in [tick for tick in ticks(first, last) if first <= tick <= last]:
        place = float(x(time))
        out.append(f'<path d="M{place:.1f} {below:g}v4" stroke="var(--soft)"/>')
        out.append(text_at(place, below + 17, rows.short(time, 6), "middle"))
        nearest = int(np.argmin(np.abs(times - time)))
        out.append(text_at(place, below + 34, rows.count(float(found.at_risk[nearest])), "middle"))
    out += [text_at(_LEFT - 6, below + 17, "time", "end"), text_at(_LEFT - 6, below + 34, "at risk", "end")]
    for _, place, line in lines:
        area = f"{path(line.band_low)} {path(line.band_high, back=True)}"
        out.append(f'<polygon points="{area}" fill="var(--ranker-{place})" fill-opacity=".16"/>')
    dotted = 'fill="none" stroke="var(--soft)" stroke-width="1.3" stroke-dasharray="2 4"'
    out.append(f'<polyline points="{path(random)}" {dotted}/>')
    for number, (name, place, line) in enumerate(lines):
        colour = f"var(--ranker-{place})"
        out.append(f'<polyline points="{path(line.value)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if number < TICKS:
            at = _LEFT + number * (_WIDTH - _LEFT) / min(len(lines), TICKS)
            out.append(f'<path d="M{at:.1f} {_HEIGHT - 8:g}h14" stroke="{colour}" stroke-width="3"/>')
            out.append(text_at(at + 18, _HEIGHT - 4, name, "start"))
    return "".join([*out, "</svg>"])
