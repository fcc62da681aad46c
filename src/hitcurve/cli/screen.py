"""The command that evaluates thousands of markers against one outcome."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.files import check_one_input, open_all, readable
from hitcurve.cli.formats import BINARY, DATA
from hitcurve.cli.images import drawn_as, figure_of
from hitcurve.cli.outputs import Writer
from hitcurve.cli.streams import tell
from hitcurve.cli.unused import refuse_unused

if TYPE_CHECKING:
    from hitcurve.screens import GroupScreens, RankChanges, Screen, TopMarkers
    from hitcurve.screens.given import Given

_MARKERS = "Markers"
_DRAWN = ("volcano", "markers", "rank-changes")
_TEXTS = ("text", "markdown", "latex")
_OF_TEXT = {"na": "--na", "decimal": "--decimal", "labels": "--labels", "on": "--on", "where": "--where"}

Files = Annotated[
    list[str],
    typer.Argument(
        help="A row for each subject and a column for each marker: CSV, TSV or JSON lines (plain, or compressed by "
        "gzip or zstd), Parquet or Arrow IPC (Feather), read by blocks of columns, or .h5ad. Several files (or a "
        "quoted wildcard) are read as one table. - is standard input."
    ),
]
Label = Annotated[
    str | None,
    opt.column(
        "--label", "-l", "--group", help="Column of labels, or of groups with --one-vs-rest; of .h5ad a column of obs."
    ),
]
OneVsRest = Annotated[
    bool,
    typer.Option("--one-vs-rest", help="Each group of --group against all other subjects.", rich_help_panel="Columns"),
]
Columns = Annotated[
    list[str] | None,
    opt.column(
        "--columns",
        help="Markers: a name, wildcards such as 'p*', or a regular expression between slashes such as '/^p[0-9]+$/'; "
        "repeat for each. By default all columns of numbers that no other option names.",
        panel=_MARKERS,
    ),
]
Omit = Annotated[
    list[str] | None,
    opt.column(
        "--omit",
        help="Columns that are not markers, such as age, written as in --columns; repeat for each.",
        panel=_MARKERS,
    ),
]
Layer = Annotated[
    str | None, typer.Option("--layer", help="Of .h5ad: this layer instead of X.", rich_help_panel=_MARKERS)
]
Direction = Annotated[
    str,
    typer.Option(
        "--direction",
        autocompletion=offered.one_of("high", "low", "auto"),
        help="Values that come first: high, low, or auto (low where AUC is below 1/2; p values are doubled).",
        rich_help_panel=_MARKERS,
    ),
]
Low = Annotated[
    list[str] | None,
    opt.column(
        "--low",
        help="Markers of which low values come first, written as in --columns; repeat for each.",
        panel=_MARKERS,
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        autocompletion=offered.metrics,
        help="Metric; repeat for each. The first one orders the markers. By default ap and auc.",
        rich_help_panel="Metrics",
    ),
]
Adjust = Annotated[
    str,
    typer.Option(
        "--adjust",
        autocompletion=offered.listed("hitcurve.screens.adjusting", "METHODS"),
        help="Adjustment of p values for the number of markers: bh or by (false discovery rate), or holm.",
        rich_help_panel="Uncertainty",
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        "--missing",
        autocompletion=offered.listed("hitcurve.screens.api", "MISSING"),
        help="Subjects without a value of a marker: raise, drop (for this marker), last (rank them last), or omit the "
        "marker.",
        rich_help_panel=_MARKERS,
    ),
]
Unusable = Annotated[
    str,
    typer.Option(
        "--unusable",
        autocompletion=offered.one_of("omit", "raise"),
        help="Markers that are constant, have no values or are not numbers: omit with a warning, or raise.",
        rich_help_panel=_MARKERS,
    ),
]
Top = Annotated[
    int,
    typer.Option(
        "--top",
        min=0,
        help="Markers shown as text, markdown or latex; 0 for all. json, csv and parquet always have all.",
        rich_help_panel="Output",
    ),
]

By = Annotated[
    str | None,
    opt.column("--by", help="Column of groups of subjects, such as sites or batches: each is screened by itself."),
]
Best = Annotated[
    int | None,
    typer.Option(
        "--best",
        min=1,
        help="Add a table of so many of the best markers by the first metric, with values and intervals corrected for "
        "the choice, to text, markdown, latex and json.",
        rich_help_panel="Output",
    ),
]
Negatives = Annotated[
    list[float] | None,
    typer.Option(
        "--negatives",
        help="Add a table of values and ranks by the first metric if negatives were so many times as frequent, such as "
        "10, to text, markdown, latex and json; repeat for each.",
        rich_help_panel="Output",
    ),
]
Orders = Annotated[
    str,
    typer.Option(
        "--orders",
        autocompletion=offered.one_of("uniform", "weighted"),
        help="Random orders for p values: uniform, or weighted (more positives at the top, so that p values of the "
        "best markers may be far below 1 in the number of orders).",
        rich_help_panel="Uncertainty",
    ),
]
FigureOf = Annotated[
    str | None,
    typer.Option(
        "--figure",
        autocompletion=offered.one_of(*_DRAWN),
        help="What to draw if --output ends in .pdf, .svg or .png: volcano (p values against effects, the default), "
        "markers (AP against AUC) or rank-changes (1, 10 and 100 times as many negatives).",
        rich_help_panel="Output",
    ),
]


def screen(
    file: Files,
    label: Label = None,
    one_vs_rest: OneVsRest = False,
    positive: opt.Positive = None,
    columns: Columns = None,
    omit: Omit = None,
    layer: Layer = None,
    direction: Direction = "high",
    low: Low = None,
    missing: Missing = "raise",
    unusable: Unusable = "omit",
    where: opt.Where = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    na: opt.Na = None,
    decimal: opt.Decimal = None,
    metric: Metrics = None,
    adjust: Adjust = "bh",
    design: opt.Design = None,
    prevalence: opt.Prevalence = None,
    cluster: opt.Cluster = None,
    by: By = None,
    confidence_level: opt.Level = 0.95,
    n_resamples: opt.Resamples = None,
    orders: Orders = "uniform",
    seed: opt.Seed = None,
    top: Top = 20,
    best: Best = None,
    negatives: Negatives = None,
    figure: FigureOf = None,
    form: opt.FormatOrPage = None,
    output: opt.Output = None,
) -> None:
    r"""Evaluate each of many markers against one outcome: values, intervals, p values adjusted for their number.

    [bold]Examples[/bold]

    hitcurve screen peaks.csv --label y --columns 'p*' --direction auto

    hitcurve screen peaks.parquet --label y --metric ap \
        --metric 'bedroc(alpha=20)' --adjust by -o markers.csv

    hitcurve screen cells.h5ad --group cell_type --one-vs-rest --top 5

    hitcurve screen peaks.csv --label y --figure volcano -o volcano.pdf

    hitcurve screen peaks.csv --label y -o markers.html

    hitcurve screen peaks.csv --label y --by site

    hitcurve screen 'parts/*.parquet' --label y --where "split = 'test'"

    hitcurve screen peaks.csv --label y --best 10 --negatives 1 \
        --negatives 100
    """
    from hitcurve.errors import ParameterError

    drawn = figure_of(figure, form, output, _DRAWN)
    writer = Writer("figure", output) if drawn else Writer.of(form, output, has_page=True)
    if one_vs_rest and (drawn or writer.form == "html"):
        raise ParameterError("a figure or a page is of one outcome: leave out --one-vs-rest, or write a table")
    if by is not None and (one_vs_rest or drawn or writer.form == "html"):
        raise ParameterError("--by screens each group by itself: leave out --one-vs-rest, figures and pages")
    more = best is not None or bool(negatives)
    if more and (one_vs_rest or by is not None):
        raise ParameterError("--best and --negatives are of one screen: leave out --by and --one-vs-rest")
    if more and (drawn or writer.form not in (*_TEXTS, "json")):
        raise ParameterError(
            f"--best and --negatives add tables to text, markdown, latex and json, and {output or '--format'} is "
            f"{'a figure' if drawn else writer.form}: write one of these (.txt, .md, .tex or .json), or leave them out"
        )
    if drawn or writer.form not in _TEXTS:
        refuse_unused(
            {"--top": top != 20},
            f"is of text, markdown and latex, and {'a figure' if drawn else writer.form} has all markers: leave it out",
        )
    if label is None:
        raise ParameterError("give the column of the labels (--label)")
    if low and direction != "high":
        raise ParameterError(f"--low names the markers of low values: leave out --direction {direction}")
    if one_vs_rest and (positive is not None or prevalence is not None):
        raise ParameterError("--one-vs-rest has each group as positives: leave out --positive and --prevalence")
    words = {"na": tuple(na or ()), "decimal": decimal, "labels": labels, "on": on, "where": where}
    with ExitStack() as stack, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = _given(file, label, cluster, columns, omit or (), layer, positive, by, words, stack)
        options: dict[str, Any] = {
            "names": given.names,
            "columns": columns,
            "metrics": metric or ("ap", "auc"),
            "adjust": adjust,
            "missing": missing,
            "unusable": unusable,
            "design": design,
            "clusters": given.clusters,
            "confidence_level": confidence_level,
            "orders": orders,
            "rng": seed,
        }
        if n_resamples is not None:
            options["n_resamples"] = n_resamples
        options["direction"] = _directions(given, low) if low else direction
        found = _found(given, one_vs_rest, options, positive, prevalence, by)
        if drawn and output is not None:
            one: Any = found
            made = one.rank_changes() if drawn == "rank-changes" else one
            writer.put(drawn_as(drawn.replace("-", "_"), made, output))
        else:
            below = _below(found, best, negatives or []) if more else {}
            _write(writer, found, None if top == 0 else top, below)
    notes = set(found.notes())
    shown = writer.form not in DATA and writer.output is None
    for warned in caught:
        if not (shown and f"warning: {warned.message}" in notes):
            tell(f"warning: {warned.message}")


def _given(
    names: Sequence[str],
    label: str,
    cluster: str | None,
    columns: Sequence[str] | None,
    omit: Sequence[str],
    layer: str | None,
    positive: str | None,
    by: str | None,
    words: dict[str, Any],
    stack: ExitStack,
) -> Given:
    from hitcurve.errors import ParameterError
    from hitcurve.screens.given import annotated_path, omitted, opened
    from hitcurve.screens.given.files import MarkerFile

    check_one_input([*names, words["labels"]])
    paths = open_all(names, stack)
    path = annotated_path(paths)
    if path is not None:
        unsuited = [_OF_TEXT[name] for name, value in words.items() if value]
        if unsuited:
            raise ParameterError(f"{unsuited[0]} cannot be combined with an .h5ad file: leave it out")
        return omitted(opened(path, label, cluster, layer=layer, by=by), omit)
    if layer is not None:
        raise ParameterError("--layer is of .h5ad files: leave it out")
    words["labels"] = None if words["labels"] is None else stack.enter_context(readable(words["labels"]))
    return MarkerFile(paths, label, cluster, columns, omit, pos_label=positive, by=by, **words).read()


def _directions(given: Given, low: Sequence[str]) -> dict[str, str]:
    from hitcurve.screens.columns import columns_of
    from hitcurve.screens.given import matching

    columns = columns_of(given.X, given.names)
    # what is wrong with a column that holds no numbers is said later
    return dict.fromkeys(matching(low, [*columns.names, *columns.unreadable], "--low"), "low")


def _found(
    given: Given,
    one_vs_rest: bool,
    options: dict[str, Any],
    positive: str | None,
    prevalence: float | None,
    by: str | None,
) -> Screen | GroupScreens:
    from hitcurve.screens import screen as of_outcome
    from hitcurve.screens import screen_one_vs_rest

    if one_vs_rest:
        return screen_one_vs_rest(given.X, given.y, **options)
    found: Any = of_outcome(given.X, given.y, pos_label=positive, prevalence=prevalence, by=given.by, **options)
    named: Screen | GroupScreens = found if by is None else replace(found, by=by)
    return named


def _below(found: Any, best: int | None, negatives: Sequence[float]) -> dict[str, TopMarkers | RankChanges]:
    """Return the tables that stand below that of all markers, by their key in JSON."""
    out = {} if best is None else {"best": found.top(best)}
    return out | ({"rank_changes": found.rank_changes(negatives=list(negatives))} if negatives else {})


def _write(
    writer: Writer,
    found: Screen | GroupScreens,
    shown: int | None,
    below: dict[str, TopMarkers | RankChanges],
) -> None:
    if writer.form == "html":
        from hitcurve.report import page

        one: Any = found
        writer.put(page(one))
    elif writer.form in BINARY:
        from hitcurve.report import file_of_columns

        writer.put(file_of_columns(found.to_columns(), writer.form))
    elif writer.form == "csv":
        writer.put(found.to_csv())
    elif writer.form == "json":
        # more keys of the same object
        more = (f',\n "{key}": ' + one.to_json().rstrip("\n").replace("\n", "\n ") for key, one in below.items())
        writer.put(found.to_json().removesuffix("\n}\n") + "".join(more) + "\n}\n")
    elif writer.form == "text":
        writer.put("\n\n".join([found.to_text(shown=shown), *map(str, below.values())]) + "\n")
    elif writer.form == "markdown":
        writer.put("\n".join([found.to_markdown(shown=shown), *(one.to_markdown() for one in below.values())]))
    else:
        writer.put("\n".join([found.to_latex(shown=shown), *(one.to_latex() for one in below.values())]))
