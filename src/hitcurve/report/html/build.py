"""The HTML report: one self-contained file."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hitcurve import _checks
from hitcurve._file_names import path_of
from hitcurve._progress import Progress, reports
from hitcurve._writing import check_folder, write_whole
from hitcurve.errors import ParameterError, SingleClassError
from hitcurve.evaluation import Evaluation, GroupedEvaluation, TrecEvaluation
from hitcurve.report.html import corrected, over, pairs, topics, words
from hitcurve.report.html.bundle import library
from hitcurve.report.html.data import Data
from hitcurve.report.html.numbers import numbers
from hitcurve.report.html.template import environment, file_of, rendered, seen

if TYPE_CHECKING:
    from hitcurve.evaluation.meta import MetaAnalysis
    from hitcurve.evaluation.over_time.by_day import Drift
    from hitcurve.inference.linear.gap import Gap
    from hitcurve.readers import ReaderStudy
    from hitcurve.screens import Screen
    from hitcurve.survival import SurvivalEvaluation

_TITLE = "Ranking evaluation"
_METHODS = {".json": "to_json", ".md": "to_markdown", ".tex": "to_latex"}
_SHEETS = ("Gap", "MetaAnalysis", "Drift")
RESULTS = ("Evaluation", "GroupedEvaluation", "Screen", "ReaderStudy", "SurvivalEvaluation", *_SHEETS)
"""Names of what has a page, and not the classes, of which most are not loaded for the page of an evaluation."""
_LEVELS = (0.9, 0.95, 0.99)
_MOST = 24  # rankers: seven colours in four dashes; the file stays below 3 MB
_MOST_GROUPS, _MOST_NUMBERS = 1_000, 120_000  # so that the file stays below 3 MB
# of the script, in the order in which each needs those before it
_PARTS = ("reading", "charts", "first", "drawing", "tables", "cut", "controls", "shown", "start")


@reports
def report(
    ev: Evaluation | GroupedEvaluation | Screen | ReaderStudy | SurvivalEvaluation | Gap | MetaAnalysis | Drift,
    path: str | Path,
    title: str | None = None,
    *,
    baseline: str | None = None,
    date: str | None = None,
    colors: Mapping[str, str] | None = None,
    progress: Progress = False,
) -> Path:
    """Write an evaluation as an HTML report with charts and controls: one file, which needs no network.

    It contains who is ahead by each metric, curves with bands, every number with its interval, comparisons of all
    pairs, and controls for the magnification of the top, the prevalence, the screening budget, the time limit and the
    confidence level. All numbers are precomputed, so inputs are rounded to a grid. The same evaluation gives the same
    file. Of labels that are wrong in a known way it has corrected values with intervals, curves and comparisons of all
    pairs, without bands and controls.

    Parameters
    ----------
    ev : Evaluation, GroupedEvaluation, Screen, ReaderStudy, SurvivalEvaluation, Gap, MetaAnalysis or Drift
        Of groups the page has means and tests over them, a table of all, average curves, and each group for itself.
        Up to 24 curves (groups times rankers) a group has all that the page of one evaluation has; up to 1,000 its
        curves and intervals. Of a screen it has a table of all markers, up to 50,000, to sort and to search, a volcano
        plot, and the curve of the marker that is chosen. Of censored outcomes it has each metric over time with the
        number at risk, and the tables and comparisons of all horizons. Of a reader study
        it has the curves of all readers with the average, differences of each reader, and all tables. Of subgroups
        compared and of a meta-analysis it has a forest plot and the tables.
    path : str or Path
        The file, written atomically.
    title : str, optional
        Heading of the report.
    baseline : str, optional
        The ranker that the others are compared with; all pairs if absent, or the first ranker against the others
        where there are more than 12.
    date : str, optional
        Date shown in the report; none if absent.
    colors : mapping of str to str, optional
        Colours of some rankers, such as ``"#d62728"`` or a colour name of browsers. By default the colour follows the
        position of the ranker, as in figures.
    progress : bool or callable
        Show the steps, or call a function with each; see :func:`hitcurve.progress`.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    MissingExtraError
        If vl-convert-python or jinja2 is not installed (``pip install 'hitcurve[report]'``).
    ParameterError
        If ``path`` is no name of a file (:class:`FileNameError <hitcurve.errors.FileNameError>`), ``ev`` is not an
        evaluation, there are more than 24 rankers, or the baseline is not one of them; of groups, if there are more
        than 1,000, or 120,000 numbers; if the name of the file ends as that of no page.
    SingleClassError
        If the list of a ranker has one class only.
    UnreadableFileError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hitcurve import evaluate
    >>> from hitcurve.datasets import mammography
    >>> ev = evaluate(tables=mammography(), metrics=["ap", "auc"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = report(ev, Path(folder) / "report.html", "Film against digital mammography")
    ...     page.stat().st_size < 3_000_000
    True
    """
    where = path_of(path)
    check_page(where)
    check_folder(where)  # before minutes are spent
    write_whole(where, page(ev, title, baseline=baseline, date=date, colors=colors))
    return where


def check_page(path: Path, way: str = "") -> None:
    """Raise if the name of an HTML report ends as that of another format.

    Parameters
    ----------
    way : str
        What writes the numbers alone; the methods of the result if empty.

    Raises
    ------
    ParameterError
    """
    # the last ones are names that say nothing
    if path.suffix.lower() not in (".html", ".htm", "", ".log", ".out"):
        method = _METHODS.get(path.suffix.lower(), "to_frame")
        raise ParameterError(
            f"a report is an HTML page, got {path}: end it in .html; the numbers alone are "
            f"{way or f'returned by its method {method}()'}"
        )


def page(
    ev: Evaluation | GroupedEvaluation | Screen | ReaderStudy | SurvivalEvaluation | Gap | MetaAnalysis | Drift,
    title: str | None = None,
    *,
    baseline: str | None = None,
    date: str | None = None,
    colors: Mapping[str, str] | None = None,
) -> str:
    """Return the page; see :func:`report`."""
    environment()  # without templates nothing is computed
    for option, text in (("title", title), ("date", date)):
        if not isinstance(text, str | None):
            raise ParameterError(f"{option} must be text, got {text!r}")
    if type(ev).__module__.startswith("hitcurve.screens."):
        # not loaded for the page of an evaluation
        from hitcurve.report.html import screens

        if baseline is not None or colors is not None:
            raise ParameterError("a page of a screen has neither a baseline nor colours of rankers: leave them out")
        return screens.page(ev, title, date=date)
    kind = type(ev).__name__
    if kind in ("SurvivalEvaluation", "HorizonEvaluation"):
        from hitcurve.report.html import survival

        if isinstance(ev, Evaluation):
            raise ParameterError("a report is of all horizons: give the SurvivalEvaluation, not one horizon of it")
        if baseline is not None or colors is not None:
            raise ParameterError("a page of censored outcomes has neither a baseline nor colours: leave them out")
        of_survival: Any = ev
        return survival.page(of_survival, title, date=date)
    if kind == "ReaderStudy":
        from hitcurve.report.html import readers

        if baseline is not None or colors is not None:
            raise ParameterError(
                "a page of a reader study has neither colours nor a baseline of its own: leave them out, and pass "
                "baseline to evaluate_readers"
            )
        of_readers: Any = ev
        return readers.page(of_readers, title, date=date)
    if kind in _SHEETS:
        from hitcurve.report.html import sheets

        if baseline is not None or colors is not None:
            raise ParameterError(
                "a page of a gap, a meta-analysis or of days has neither a baseline nor colours: leave them out"
            )
        of_tables: Any = ev
        return sheets.page(of_tables, title, date=date)
    if not isinstance(ev, Evaluation | GroupedEvaluation):
        raise ParameterError(f"a report needs one of {', '.join(RESULTS)}, got {kind}")
    if isinstance(ev, Evaluation) and ev.interval_method != "auto":
        raise ParameterError(
            "an HTML report has the default intervals, and this evaluation has "
            f"interval_method={ev.interval_method!r}: evaluate without it, or use print or to_latex"
        )
    _check_size(ev)
    _check_classes(ev)
    if baseline is not None:
        _checks.choice("baseline", baseline, ev.rankers)
    own_style = _style_of(colors, ev.rankers)
    if isinstance(ev, Evaluation) and ev.label_errors is not None:
        return corrected.page(ev, title or _TITLE, baseline=baseline, date=date, style=own_style)
    levels = tuple(sorted({*_LEVELS, ev.confidence_level}))
    own = _of_one(ev, levels) if isinstance(ev, Evaluation) else _of_groups(ev, levels)
    name = "page" if isinstance(ev, Evaluation) else "groups"
    cells = [one["cells"] for one in (own["means"] if "means" in own else own["numbers"]["metrics"])]
    answers = pairs.answers(ev, baseline, levels, cells)
    own["data"]["answers"] = [{key: one[key] for key in ("leader", "against", "options", "chart")} for one in answers]
    files = [*(["groups.js"] if name == "groups" else []), "address.js"]
    return rendered(
        name,
        **{**own, "data": seen(own["data"])},
        title=title or _TITLE,
        notes=_sentences(ev, ev.notes),
        warnings=_sentences(ev, ev.warnings),
        rankers=ev.rankers,
        levels=[f"{100 * level:g}%" for level in levels],
        alphas=[f"{100 * (1 - level):.3g}%" for level in levels],
        level=levels.index(ev.confidence_level),
        answers=answers,
        first=_first(ev, own["data"], answers[0]["chart"]),
        methods=_readable(ev, ev.methods_text().strip().split("\n\n")),
        style=own_style,
        scripts=[library(), *map(file_of, files), _script(), file_of("files.js")],
        date=date,
    )


def _check_size(ev: Evaluation | GroupedEvaluation) -> None:
    if len(ev.rankers) > _MOST:
        raise ParameterError(
            f"an HTML report shows at most {_MOST} rankers, got {len(ev.rankers)}: evaluate fewer rankers, or use "
            "print, to_frame or hitcurve evaluate for all"
        )
    if isinstance(ev, Evaluation):
        return
    many = len(ev.counted) * len(ev.rankers) * len(ev.metrics)
    if len(ev.counted) > _MOST_GROUPS or many > _MOST_NUMBERS:
        raise ParameterError(
            f"an HTML report shows at most {_MOST_GROUPS:,} {ev.unit} and {_MOST_NUMBERS:,} values ({ev.unit} times "
            f"rankers times metrics), got {len(ev.counted):,} and {many:,}: evaluate fewer {ev.unit}, metrics or "
            "rankers, or use print, to_frame or hitcurve evaluate for all"
        )


def _check_classes(ev: Evaluation | GroupedEvaluation) -> None:
    """Refuse rankers whose list has one class: no curve, band or baseline of the page exists for it."""
    for name, table in ev.tables.items() if isinstance(ev, Evaluation) else ():
        for of_class, number in (("positive", table.n_pos), ("negative", table.n_neg)):
            if not number:
                raise SingleClassError(
                    f"an HTML report shows rankings of both classes, and {name!r} has no {of_class} among its "
                    f"{table.n:g} subjects: evaluate the other rankers without it"
                )


def _readable(ev: Evaluation | GroupedEvaluation, texts: Iterable[object]) -> list[str]:
    return [words.in_text(str(one), ev.rankers) for one in texts]


def _sentences(ev: Evaluation | GroupedEvaluation, texts: Iterable[object]) -> list[str]:
    names = [*ev.rankers, *map(str, ev.metrics)]
    return [words.sentence(text, names) for text in _readable(ev, texts)]


def _style_of(colors: Mapping[str, str] | None, rankers: Sequence[str]) -> str:
    """Return the style sheet of colours that are given."""
    if not colors:
        return ""
    for name, color in colors.items():
        _checks.choice("a ranker of colors", name, rankers)
        if not re.fullmatch(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-zA-Z]+", str(color)):
            raise ParameterError(
                f"the colour of {name!r} on a page must be like '#d62728', or a name that browsers know, got {color!r}"
            )
    own = " ".join(f"--ranker-{rankers.index(name)}: {color} !important;" for name, color in colors.items())
    return f":root {{ {own} }}\n"


def _off(share: float) -> str:
    return words.share(math.ceil(share * 1000) / 1000)


def _of_one(ev: Evaluation, levels: Sequence[float]) -> dict[str, Any]:
    """Return what the page of one evaluation shows."""
    data = Data(ev, levels)
    return {
        "lead": words.lead(ev),
        "facts": words.facts(ev),
        "each": _readable(ev, words.each(ev)),
        "cautions": _sentences(ev, ev.cautions),
        "numbers": numbers(ev, levels),
        "picture": words.picture(ev.tables),
        "controls": True,
        "off": _off(data.off),
        "data": data.all(),
    }


def _of_groups(ev: GroupedEvaluation, levels: Sequence[float]) -> dict[str, Any]:
    """Return what the page of many groups shows."""
    made = over.GroupData(ev, levels)
    data, means = made.all(), over.means(ev, levels)
    about = topics.about_topics(ev) if isinstance(ev, TrecEvaluation) else words.about_groups(ev)
    return {
        **about,
        "each": [],
        "cautions": [],
        "means": means,
        "units": ev.called,
        "unit": ev.called_one,
        "most": max(cell["groups"] for m in means for cell in m["cells"]),
        "pooled": ev.pooled_rows(),
        "pooled_cautions": _sentences(ev, [*ev.cautions_of_means, *ev.cautions_of_pooled]),
        "by": ev.by,
        "groups": over.by_group(ev, data),
        "cuts": over.cuts(ev, data),
        "picture_of_average": over.picture(ev),
        "sampled": words.sampled(ev),
        "clusters": words.sentence(ev.about_clusters()),
        "folds": ev.overlap > 0,
        "picture": words.picture(next(iter(ev.groups.values())).tables) if made.has_controls else "",
        "why_not": made.why,
        "controls": made.has_controls,
        "curves": made.has_curves,
        "lines": made.lines,
        "most_controls": over.CONTROLS,
        "off": _off(made.off),
        "data": data,
    }


def _first(ev: Evaluation | GroupedEvaluation, data: Mapping[str, Any], chart: str) -> tuple[str, str] | None:
    """Return the chart of the first screen and its description; None where groups have no average curve."""
    if isinstance(ev, Evaluation):
        return chart, "Curves of the ranker that is ahead, with its band, and of the one it is compared with."
    if not data["average"]:
        return None
    chart = "roc" if chart == "roc" else "hits"
    return chart, "Average curves of the ranker that is ahead, with its band, and of the one it is compared with."


def _script() -> str:
    """Return the script of the page: its parts in one scope, which nothing outside sees."""
    parts = "\n".join(file_of(f"script/{name}.js") for name in _PARTS)
    return f'"use strict";\n(async () => {{\n{parts}}})();\n'
