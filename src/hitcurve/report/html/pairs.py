"""The best ranker by each metric, in a sentence for the first screen, and all pairs as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from hitcurve import rows
from hitcurve._progress import counted
from hitcurve.errors import HitcurveError
from hitcurve.evaluation import Evaluation, GroupedEvaluation
from hitcurve.evaluation.methods import for_readers
from hitcurve.inference import NOT_SHARED, Comparison, Comparisons
from hitcurve.inference.comparing.letters import letters_of
from hitcurve.metrics import Metric
from hitcurve.report.html import words
from hitcurve.report.html.words import named

_ALL_PAIRS = 12  # rankers up to which every pair is compared
_CURVES = {"auc": "roc", "ap": "pr", "pr_area": "pr"}  # of the first chart; other metrics look at the top of the list
_NONE: list[dict[str, Any]] = []


def answers(
    ev: Evaluation | GroupedEvaluation,
    baseline: str | None,
    levels: Sequence[float],
    cells: Sequence[Sequence[dict[str, Any]]],
) -> list[dict[str, Any]]:
    """Return the best ranker by each metric, and the tests of all pairs.

    ``cells`` are those of the table of results, by metric and ranker: the page has one interval per number.
    """
    out = []
    if isinstance(ev, Evaluation):
        ev.compare_ahead(_against(ev, baseline))
    of_metrics = list(zip(ev.metrics, cells, strict=True))
    for m, of_metric in counted(of_metrics, "comparisons of the report"):
        found, about = compared(ev, m, baseline)
        out.append(_answer(ev, m, found, about, levels, of_metric))
    return out


def compared(ev: Evaluation | GroupedEvaluation, m: Metric, baseline: str | None) -> tuple[Comparisons | None, str]:
    """Compare the rankers by a metric, and say which pairs and how; or why not."""
    if len(ev.rankers) < 2:
        return None, "There is only one ranker, so there is no comparison."
    against = _against(ev, baseline)
    try:
        found, how = _compared(ev, m, against) if isinstance(ev, Evaluation) else _across(ev, m, against)
    except HitcurveError as error:
        return None, f"No comparison by {m}: {words.in_text(for_readers(str(error)), ev.rankers)}."
    if len(found) == 1:
        return found, f"The rankers are compared by {m}.{how}"
    pairs = "All pairs of rankers are compared" if against is None else f"Each ranker is compared with {named(against)}"
    adjusted = "p values are adjusted for the number of comparisons (Holm); intervals are not adjusted"
    return found, f"{pairs} by {m}. The {adjusted}.{how}"


def _against(ev: Evaluation | GroupedEvaluation, baseline: str | None) -> str | None:
    """Return whom all rankers are compared with, None for all pairs."""
    return ev.rankers[0] if baseline is None and len(ev.rankers) > _ALL_PAIRS else baseline


def _across(ev: GroupedEvaluation, m: Metric, against: str | None) -> tuple[Comparisons, str]:
    """Compare the means over groups."""
    how = " The test assumes independent topics."
    if ev.unit == "groups":
        how = " The test assumes independent groups; folds of one data set are not independent."
    if ev.overlap:
        how = " The test accounts for the training data that folds share (Nadeau and Bengio 2003)."
    return ev.compare_all(m, baseline=against), how


def _compared(ev: Evaluation, m: Metric, against: str | None) -> tuple[Comparisons, str]:
    """Compare paired subjects or, where subjects are not identified, two samples, with a note."""
    how = ""
    if not ev.paired or ev.tally is None:
        for e in ev.metric(m).values():
            e.confidence_interval()  # refuses what is too little
        how = " The rankers ranked different subjects."
        if ev.paired:
            how = (
                " Counts do not identify subjects. If the rankers ranked the same subjects, differences are usually "
                "more precise."
            )
    return ev.compare_all(m, baseline=against), how


def _answer(
    ev: Evaluation | GroupedEvaluation,
    m: Metric,
    found: Comparisons | None,
    about: str,
    levels: Sequence[float],
    cells: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    sign = -1 if m.lower_is_better else 1
    values = [sign * float(cell["sort"]) for cell in cells]
    best = found.rankers[0] if found else ev.rankers[max(range(len(values)), key=values.__getitem__)]
    leader = ev.rankers.index(best)
    tests = [] if found is None else [test for test in found if best in (test.first, test.second)]
    # the next best, or the baseline, comes first
    turned = [test if test.first == best else test.mirrored() for test in tests]
    turned.sort(key=lambda test: -sign * test.values[1])
    of = f"mean {m}" if isinstance(ev, GroupedEvaluation) else str(m)
    behind = [_behind(found, best, level) for level in levels]
    said: list[dict[str, Any]] = [
        {
            "against": ev.rankers.index(test.second),
            "levels": [_verdict(test, of, level, more) for level, more in zip(levels, behind, strict=True)],
        }
        for test in turned
    ]
    if not said:
        extreme = "lowest" if m.lower_is_better else "highest"
        head = f"{named(best)} has {f'the {extreme} ' if len(ev.rankers) > 1 else ''}{of}"
        alone = _alone(f"{head} {cells[leader]['value']}.", cells[leader], levels, _between(ev, m))
        said = [{"against": -1, "levels": [(head, f"{text} {about}".strip(), "") for head, text in alone]}]
    return {
        "metric": str(m),
        "leader": leader,
        "against": said[0]["against"],
        "options": [one["against"] for one in said if one["against"] >= 0],
        "chart": _CURVES.get(str(m).split("(")[0], "hits-log"),
        "verdicts": said,
        "about": about,
        "baseline": found is not None and found.baseline is not None,
        "pairs": _table(ev, found, levels),
        "letters": _letters(ev, found, levels, cells),
        "cautions": [] if found is None else [words.sentence(text, [*ev.rankers, str(m)]) for text in cautions(found)],
    }


# ---- the sentence of the first screen


def _verdict(c: Comparison, of: str, level: float, behind: str) -> tuple[str, str, str]:
    """Return the better of two rankers, the difference with its test, and how to interpret it."""
    first, second, alpha = named(c.first), named(c.second), f"{100 * (1 - level):.3g}%"
    significant = decisive(c) <= 1 - level
    ahead, behind_it = (rows.number(value) for value in c.values)
    if c.difference.value == 0:
        head = f"{first} and {second} have the same {of}: {ahead}."
    elif significant:
        head = f"{first} is ahead of {second} in {of}: {ahead} against {behind_it}."
    else:
        more = "lower" if c.metric is not None and c.metric.lower_is_better else "higher"
        head = f"{first} has a {more} {of} than {second}, {ahead} against {behind_it}, but not significantly."
    text = f"The difference is {signed(c.difference.value)}"
    if not math.isnan(c.difference.standard_error):
        low, high = c.difference.confidence_interval(level)
        text += f", {100 * level:g}% interval {signed(low, 3)} to {signed(high, 3)}"
    else:
        text += " (this test gives no interval)"
    adjusted = "" if c.adjusted is None else f", adjusted {rows.p_value(c.adjusted, 3).removeprefix('= ')}"
    text += (
        f"; p {rows.p_value(c.pvalue, 3)}{adjusted}, {'' if significant else 'not '}significant at the {alpha} level."
    )
    text += behind
    if significant:
        return (
            head,
            text,
            f"If both had the same {of}, a difference this large would occur in at most {alpha} of such samples.",
        )
    return (
        head,
        text,
        (
            "These data do not show which of the two is better. Not significant does not mean equal: the interval "
            "contains the differences that agree with the data."
        ),
    )


def _behind(found: Comparisons | None, best: str, level: float) -> str:
    """Return how many rankers are behind the best, if all pairs of three or more were compared."""
    if found is None or found.baseline is not None or len(found) < 3:
        return ""
    lower = found.metric is not None and found.metric.lower_is_better
    extreme, worse = ("lowest", "higher") if lower else ("highest", "lower")
    tests = [test for test in found if best in (test.first, test.second)]
    count = sum(decisive(test) <= 1 - level for test in tests)
    some = {0: "none of the others is", 1: "one of the others is"}.get(count, f"{count} of the others are")
    return (
        f" {named(best)} has the {extreme} value of {len(tests) + 1} rankers; {some} significantly {worse} at the "
        f"{100 * (1 - level):.3g}% level."
    )


def _alone(head: str, cell: dict[str, Any], levels: Sequence[float], between: str) -> list[tuple[str, str]]:
    """Return the value of the best, or of the only ranker, with what it lies between."""
    if not cell["ends"]:
        return [(head, between)] * len(levels)
    ends = zip(levels, cell["ends"], strict=True)
    return [(head, f"{100 * level:g}% interval {own}. {between}".strip()) for level, own in ends]


def _between(ev: Evaluation | GroupedEvaluation, m: Metric) -> str:
    """Return what the only ranker is measured against; nothing of several, and of groups, which have their own."""
    if len(ev.rankers) > 1 or not isinstance(ev, Evaluation):
        return ""
    one = ev[ev.rankers[0], m]
    if math.isnan(one.random) or math.isnan(one.best):
        return ""
    return f"The random baseline is {rows.short(one.random)}, the best value {rows.short(one.best)}."


def decisive(c: Comparison) -> float:
    """Return the p value that decides: the adjusted one, where there are several tests."""
    return c.pvalue if c.adjusted is None else c.adjusted


def signed(value: float, digits: int = 4) -> str:
    """Return a number with a minus sign that is one."""
    return rows.number(value, digits).replace("-", "\N{MINUS SIGN}", 1) if value < 0 else rows.number(value, digits)


# ---- tables


def _table(
    ev: Evaluation | GroupedEvaluation, found: Comparisons | None, levels: Sequence[float]
) -> list[dict[str, Any]]:
    """Return a row for each pair, in the order of the comparisons."""
    if found is None:
        return _NONE
    return [
        {
            "first": ev.rankers.index(c.first),
            "second": ev.rankers.index(c.second),
            "value": signed(c.difference.value),
            "sort": c.difference.value,
            "ends": _ends(c, levels),
            "p": rows.p_alone(c.pvalue, 3),
            "sort_p": c.pvalue,
            "adjusted": "" if c.adjusted is None else rows.p_alone(c.adjusted, 3),
            "sort_adjusted": decisive(c),
            "wins": f"{c.wins:,}-{c.ties:,}-{c.losses:,}" if c.over_groups else "",
            "test": f"{c.title[0].lower()}{c.title[1:]}" + (f"; random draws: {c.draws_text}" if c.draws_text else ""),
        }
        for c in found
    ]


def _ends(c: Comparison, levels: Sequence[float]) -> list[str]:
    if math.isnan(c.difference.standard_error):
        return []
    found = [c.difference.confidence_interval(level) for level in levels]
    return [f"[{signed(low, 3)}, {signed(high, 3)}]" for low, high in found]


def _letters(
    ev: Evaluation | GroupedEvaluation,
    found: Comparisons | None,
    levels: Sequence[float],
    cells: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return the letters of all rankers at all levels, where three or more were compared pair by pair."""
    if found is None or found.baseline is not None or len(found.rankers) < 3:
        return _NONE
    names = found.rankers
    p = {frozenset((c.first, c.second)): decisive(c) for c in found}
    if any(frozenset(pair) not in p for pair in combinations(names, 2)):
        return _NONE
    of_level = [letters_of(names, _differ(p, 1 - level)) for level in levels]
    places = [ev.rankers.index(name) for name in names]
    return [
        {"ranker": place, "cell": cells[place], "letters": [letters[name] for letters in of_level]}
        for place, name in zip(places, names, strict=True)
    ]


def _differ(p: Mapping[frozenset[str], float], most: float) -> Callable[[str, str], bool]:
    return lambda a, b: p[frozenset((a, b))] <= most


def cautions(found: Sequence[Comparison]) -> list[str]:
    """Return the caveats on the validity of the tests, each once."""
    return list(dict.fromkeys(text for c in found for text in c.cautions if text != NOT_SHARED))
