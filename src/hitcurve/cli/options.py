"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hitcurve.cli import offered, shares


def column(*names: str, help: str, panel: str | None = "Columns") -> Any:
    """Return an option whose values are names of columns."""
    return typer.Option(*names, autocompletion=offered.columns, help=help, rich_help_panel=panel)


Files = Annotated[
    list[str],
    typer.Argument(
        help="CSV, TSV or JSON lines (plain, or compressed by gzip or zstd), Parquet or Arrow IPC (Feather). Several "
        "files (or a quoted wildcard) are read as one table. - is standard input."
    ),
]
Label = Annotated[str | None, column("--label", "-l", help="Column of labels.")]
_SCORE = "Column of scores; repeat for each ranker; NAME:low if lower is better, unless a column is called so."


def _score(help: str) -> Any:
    return typer.Option("--score", "-s", autocompletion=offered.scores, help=help, rich_help_panel="Columns")


Score = Annotated[list[str] | None, _score(_SCORE)]
ScoreOrRanker = Annotated[list[str] | None, _score(f"{_SCORE} Of files of hit tables, a ranker.")]
Positive = Annotated[
    str | None,
    typer.Option(
        "--positive",
        help="Label of the positives; not needed for unambiguous labels (1/0, yes/no, active/inactive, ...).",
        rich_help_panel="Columns",
    ),
]
Weight = Annotated[str | None, column("--weight", help="Column of subject weights.")]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The file has no header: columns are 1, 2, ...; without --label and --score, column 1 is the score and "
        "column 2 the label.",
        rich_help_panel="Columns",
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        "--missing",
        autocompletion=offered.listed("hitcurve.sources.block", "MISSING"),
        help="Missing values: raise, drop (the row, for all rankers) or last (rank it last, in that ranker).",
        rich_help_panel="Rows",
    ),
]
Na = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        help="Another word for a missing value, such as -999; repeat for each. NA, N/A, null, None, nan, . and - are "
        "missing among numbers and labels.",
        rich_help_panel="Rows",
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        autocompletion=offered.one_of(".", ","),
        help="Decimal mark of text files: . or , (then the other mark may stand between thousands). By default it is "
        "detected if the numbers are unambiguous.",
        rich_help_panel="Columns",
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        help="Read only rows that satisfy an SQL condition, such as \"split = 'test'\".",
        rich_help_panel="Rows",
    ),
]
Labels = Annotated[
    str | None,
    typer.Option("--labels", help="File of labels, joined to the scores by the column --on.", rich_help_panel="Rows"),
]
On = Annotated[str | None, column("--on", help="Column of subject ids.", panel="Rows")]
PerId = Annotated[
    str,
    typer.Option(
        "--per-id",
        autocompletion=offered.listed("hitcurve.sources.files", "PER_ID"),
        help="Several rows with one id: refuse (raise an error), best (the best score, such as the best pose of a "
        "molecule) or mean (the mean score).",
        rich_help_panel="Rows",
    ),
]
Metric = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        autocompletion=offered.metrics,
        help="Metric; repeat for each metric. [bold]hitcurve metrics[/bold] lists them.",
        rich_help_panel="Metrics",
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        "--preset",
        autocompletion=offered.listed("hitcurve.metrics", "PRESETS"),
        help="Metrics of a field: docking, screening, review or fraud.",
        rich_help_panel="Metrics",
    ),
]
Undefined = Annotated[
    str,
    typer.Option(
        "--undefined",
        autocompletion=offered.one_of("raise", "nan"),
        help="Metrics that are undefined for these data: raise, or nan with a warning.",
        rich_help_panel="Metrics",
    ),
]
AreCounts = Annotated[
    bool,
    typer.Option(
        "--counts",
        help="Files contain counts, one line for each category from the highest score down. Each file is a ranker, or "
        "one file has the columns of several.",
        rich_help_panel="Counts instead of subjects",
    ),
]
Positives = Annotated[
    list[str] | None,
    column(
        "--positives",
        help="Column of the number of positives; repeat for each ranker of one file, which is named after it.",
        panel="Counts instead of subjects",
    ),
]
Total = Annotated[
    list[str] | None,
    column(
        "--total",
        help="Column of the number of subjects; repeat for each column of positives.",
        panel="Counts instead of subjects",
    ),
]
Negatives = Annotated[
    list[str] | None,
    column(
        "--negatives", help="Column of the number of negatives, instead of --total.", panel="Counts instead of subjects"
    ),
]
Design = Annotated[
    str | None,
    typer.Option(
        "--design",
        autocompletion=offered.listed("hitcurve.inference.design", "DESIGNS"),
        help="Design: cohort (the number of positives was sampled, the default) or case-control (it was fixed).",
        rich_help_panel="Uncertainty",
    ),
]
Prevalence = shares.Prevalence
Cluster = Annotated[
    str | None,
    column(
        "--cluster",
        help="Column of clusters within which subjects depend on each other (patients, scaffolds).",
        panel="Uncertainty",
    ),
]
By = Annotated[
    str | None,
    column(
        "--by", help="Column of groups (targets, queries, reviews). Each group is ranked separately.", panel="Groups"
    ),
]
SingleClass = Annotated[
    str,
    typer.Option(
        "--single-class",
        autocompletion=offered.one_of("raise", "skip", "zero"),
        help="Groups without positives or without negatives: raise, skip, or zero (groups without positives count "
        "as 0; not for metrics of which lower is better).",
        rich_help_panel="Groups",
    ),
]
Folds = Annotated[
    str | None,
    column(
        "--folds",
        help="Column of folds, instead of --by: test sets that share training data, for which errors of means and of "
        "their differences are corrected (corrected-t).",
        panel="Groups",
    ),
]
TestFraction = Annotated[
    float | None,
    shares.of_share(
        "--test-fraction",
        help="Fraction of the data in one fold, such as 30% for random test sets; needed if subjects are tested "
        "more than once.",
        panel="Groups",
    ),
]
Level = shares.Level
Compare = Annotated[
    list[str] | None,
    typer.Option(
        "--compare",
        autocompletion=offered.metrics,
        help="Test the differences between all rankers in this metric; repeat for each metric.",
        rich_help_panel="Comparisons",
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        autocompletion=offered.rankers,
        help="Compare all other rankers with this one, instead of all pairs.",
        rich_help_panel="Comparisons",
    ),
]
TestMethod = Annotated[
    str,
    typer.Option(
        "--method",
        autocompletion=offered.tests,
        help="Test: auto, delta, inversion, delong, bootstrap, swap-permutation, or paired- or unpaired-permutation, "
        "-rank-permutation, -t, -wilcoxon. With --by: auto (paired-t), paired-t, wilcoxon, sign-flip or unpaired-t; "
        "with --folds: auto (corrected-t).",
        rich_help_panel="Comparisons",
    ),
]
Interval = Annotated[
    str,
    typer.Option(
        "--interval",
        autocompletion=offered.listed("hitcurve.inference", "INTERVALS"),
        help="Interval of the differences (values: --interval-method): normal (by the standard error), or with "
        "--method bootstrap percentile or bca.",
        rich_help_panel="Comparisons",
    ),
]
_ADJUST = (
    "Adjustment for several comparisons: holm, or max-t with simultaneous intervals, which rejects less often with few "
    "positives."
)


def _adjust(help: str, *methods: str) -> Any:
    return typer.Option("--adjust", autocompletion=offered.one_of(*methods), help=help, rich_help_panel="Comparisons")


Adjust = Annotated[str, _adjust(_ADJUST, "holm", "max-t")]
AdjustOrGroups = Annotated[
    str, _adjust(f"{_ADJUST} With --by: holm, or tukey (randomised Tukey HSD).", "holm", "max-t", "tukey")
]
Correlation = Annotated[
    float | None,
    typer.Option(
        "--correlation",
        help="Of counts of the same subjects: correlation of the values of two rankers over samples, if it is known. "
        "Without it, two samples are compared.",
        rich_help_panel="Comparisons",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        help="Random seed of what is drawn. By default it is derived from the data.",
        rich_help_panel="Comparisons",
    ),
]
Resamples = Annotated[
    int | None,
    typer.Option(
        "--n-resamples",
        help="Number of random arrangements or bootstrap replicates, of a test that draws.",
        rich_help_panel="Comparisons",
    ),
]
Methods = Annotated[
    bool,
    typer.Option(
        "--methods", help="Also print a paragraph for the methods section of a paper.", rich_help_panel="Output"
    ),
]
_FORMATS = "Format: text (the default), json, csv, markdown, latex, parquet, arrow or feather"
_ENDS = (
    "If not given, the end of the name of --output decides: .txt, .json, .csv, .md, .tex, .parquet, .arrow, .feather"
)
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        autocompletion=offered.listed("hitcurve.cli.formats", "FORMATS"),
        help=f"{_FORMATS}. {_ENDS}.",
        rich_help_panel="Output",
    ),
]
FormatOrPage = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        autocompletion=offered.listed("hitcurve.cli.formats", "FORMATS", "html"),
        help=f"{_FORMATS}, or an HTML report: html. {_ENDS}, .html.",
        rich_help_panel="Output",
    ),
]
FormatOfPoints = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        autocompletion=offered.listed("hitcurve.cli.formats", "FORMATS"),
        help="Format: csv (the default), json, text, markdown, latex, parquet, arrow or feather. If not given, "
        "the end of the name of --output decides: .csv, .json, .txt, .md, .tex, .parquet, .arrow, .feather.",
        rich_help_panel="Output",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="File to write (atomically), in the format of its name; - is standard output.",
        rich_help_panel="Output",
    ),
]
