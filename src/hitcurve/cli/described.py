"""What the command line prints of one metric."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hitcurve.metrics import Metric

_SUBJECTS, _POSITIVES = 10_000, 100  # of the list whose reference values are printed
_SIZES = (50, 200, 2000)  # positives of the lists whose default interval is named
_WIDTH, _INDENT = 100, 24


def about(spec: str, form: str) -> str:
    """Return the description of a metric as text or Markdown.

    Raises
    ------
    MetricParseError
        If it does not parse, with the near names.
    """
    from hitcurve import rows
    from hitcurve.metrics.described import definition, described, parameters

    m = described(spec)
    entries = [("definition", definition(m)), *_values(m), *_forms(m), *_uncertainty(m), ("source", m.reference)]
    header = ["argument", "written", "here", "default", "values"]
    given = parameters(m)
    body = [[p.name, p.written, p.value, p.default or "must be given", p.values] for p in given]
    meanings = [(p.name, p.text) for p in given if p.text]
    if form == "markdown":
        lines = [f"**`{m}`**: {m.summary}", *(f"- {name}: {rows.markdown(text)}" for name, text in entries if text)]
        table = [rows.markdown_table(header, body, left=range(5))] if body else []
        return "\n\n".join([lines[0], "\n".join(lines[1:]), *table, *(f"`{n}`: {t}" for n, t in meanings)]) + "\n"
    top = "\n".join([f"{m}: {m.summary}", "", *(line for entry in entries if entry[1] for line in _entry(*entry))])
    if not body:
        return f"{top}\n"
    # values of maps are long: one line each, below
    short = [[*line[:4], line[4] if len(line[4]) <= 60 else "see below"] for line in body]
    below = [(p.name, p.values) for p in given if len(p.values) > 60]
    arguments = rows.text_table(header, short, left=range(5))
    said = "\n".join(line for entry in (*below, *meanings) for line in _entry(*entry))
    return f"{top}\n\n{arguments}\n" + (f"\n{said}\n" if said else "")


def _entry(name: str, text: str) -> list[str]:
    lines = textwrap.wrap(text, _WIDTH - _INDENT, break_long_words=False, break_on_hyphens=False)
    return [f"{name:<{_INDENT}}{lines[0]}", *(f"{'':<{_INDENT}}{line}" for line in lines[1:])]


def _values(m: Metric) -> Iterator[tuple[str, str]]:
    """Yield the range and the reference values."""
    from hitcurve import rows
    from hitcurve.table import HitTable

    low, high = m.range
    better = "lower" if m.lower_is_better else "higher"
    yield "range", f"{rows.short(low)} to {rows.short(high)}, {better} is better"
    table = HitTable.from_counts([_POSITIVES], [_SUBJECTS - _POSITIVES])
    orders = (("random", m.baseline(table)), ("perfect order", m.best(table)), ("reversed", m.worst(table)))
    shown = [f"{name} {'none' if math.isnan(value) else rows.short(float(value))}" for name, value in orders]
    yield "reference values", f"{', '.join(shown)} (of {_SUBJECTS:,} subjects with {_POSITIVES} positives)"


def _forms(m: Metric) -> Iterator[tuple[str, str]]:
    from hitcurve.metrics.described import metric_strings

    yield "written", "  ".join(text.replace(" ", "\N{NO-BREAK SPACE}") for text in metric_strings(m))


def _uncertainty(m: Metric) -> Iterator[tuple[str, str]]:
    """Yield the default interval and its simulated coverage."""
    from hitcurve import rows
    from hitcurve.inference.estimation.measured import UP_TO, coverage_of

    for design in ("cohort", "case-control"):
        of_sizes = [(f"{n_pos:,}", _method(m, n_pos, design)) for n_pos in _SIZES]
        methods = {method: [size for size, own in of_sizes if own == method] for _, method in of_sizes}
        texts = [f"{method} with {rows.listed(sizes)} positives" for method, sizes in methods.items()]
        yield f"interval, {design}", "; ".join(texts) if len(methods) > 1 else next(iter(methods))
    found = coverage_of(m)
    for one in found:
        whose = "" if one.form == str(m) else f"{one.form}: "
        elsewhere = ", the worst one of others that nothing was tuned on" if one.elsewhere else ""
        yield (
            "coverage of 95%",
            f"{whose}{100 * one.lowest:.0f}% in the worst and {100 * one.median:.0f}% in the median of {one.cohorts} "
            f"simulated cohorts with up to {UP_TO} positives{elsewhere}",
        )
    if not found:
        yield "coverage of 95%", "not simulated"


def _method(m: Metric, n_pos: int, design: str) -> str:
    """Return the default interval for so many positives, evenly spaced among 20 times as many subjects."""
    from hitcurve.inference import Estimate
    from hitcurve.table import HitTable

    table = HitTable.from_ranks(range(10, 20 * n_pos, 20), 20 * n_pos)
    return Estimate("", m, float(m.value(table)), table, design).interval_method
