"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Files = Annotated[
    list[str],
    typer.Argument(
        help="CSV, TSV, Parquet or JSON lines, plain, gzip or zstd; several files (or a quoted wildcard) are read as "
        "one table; - is standard input.",
        show_default=False,
    ),
]
Label = Annotated[
    str | None,
    typer.Option("--label", "-l", help="Column of the labels.", show_default=False, rich_help_panel="Columns"),
]
Score = Annotated[
    list[str] | None,
    typer.Option(
        "--score",
        "-s",
        help="Column of scores, again for each ranker; NAME:low if low is good.",
        show_default=False,
        rich_help_panel="Columns",
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        "--positive",
        help="Label of the positives, unless beyond doubt (1/0, yes/no, active/inactive, ...).",
        show_default=False,
        rich_help_panel="Columns",
    ),
]
Weight = Annotated[
    str | None, typer.Option("--weight", help="Column of weights.", show_default=False, rich_help_panel="Columns")
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The file has no header: columns are 1, 2, ...; two columns are score and label unless said otherwise.",
        rich_help_panel="Columns",
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        "--missing",
        help="Missing values: raise, drop (the row, for all rankers) or last (in that ranker).",
        rich_help_panel="Rows",
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        help="Read only rows that meet an SQL condition, as \"split = 'test'\".",
        show_default=False,
        rich_help_panel="Rows",
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        help="File of labels, joined to the scores by the column --on.",
        show_default=False,
        rich_help_panel="Rows",
    ),
]
On = Annotated[
    str | None,
    typer.Option("--on", help="Column of the ids of the subjects.", show_default=False, rich_help_panel="Rows"),
]
PerId = Annotated[
    str,
    typer.Option(
        "--per-id",
        help="Several rows of one id: refuse, or take the best (as the best pose of a molecule) or mean score.",
        rich_help_panel="Rows",
    ),
]
Metric = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="Metric, again for each; see [bold]hitcurve metrics[/bold].",
        show_default=False,
        rich_help_panel="Metrics",
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        "--preset",
        help="Metrics of a field: docking, screening, review or fraud.",
        show_default=False,
        rich_help_panel="Metrics",
    ),
]
Undefined = Annotated[
    str,
    typer.Option("--undefined", help="Metrics that have no meaning here: raise, or nan.", rich_help_panel="Metrics"),
]
AreCounts = Annotated[
    bool,
    typer.Option(
        "--counts",
        help="Files hold counts, a line for each category from the highest score down; each file is a ranker.",
        rich_help_panel="Counts instead of subjects",
    ),
]
Positives = Annotated[
    str | None,
    typer.Option(
        "--positives",
        help="Column of the number of positives.",
        show_default=False,
        rich_help_panel="Counts instead of subjects",
    ),
]
Total = Annotated[
    str | None,
    typer.Option(
        "--total",
        help="Column of the number of subjects.",
        show_default=False,
        rich_help_panel="Counts instead of subjects",
    ),
]
Negatives = Annotated[
    str | None,
    typer.Option(
        "--negatives",
        help="Or: column of the number of negatives.",
        show_default=False,
        rich_help_panel="Counts instead of subjects",
    ),
]
Design = Annotated[
    str | None,
    typer.Option(
        "--design",
        help="cohort (the number of positives was sampled, the default) or case-control (it was fixed).",
        show_default=False,
        rich_help_panel="Doubt",
    ),
]
Prevalence = Annotated[
    float | None,
    typer.Option(
        "--prevalence",
        help="Evaluate at a known prevalence, as of case-control data.",
        show_default=False,
        rich_help_panel="Doubt",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Column of clusters within which subjects depend on each other (patients, scaffolds).",
        show_default=False,
        rich_help_panel="Doubt",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        help="Column of groups (targets, queries, folds, reviews): every group is a ranking of its own.",
        show_default=False,
        rich_help_panel="Groups",
    ),
]
SingleClass = Annotated[
    str,
    typer.Option(
        "--single-class",
        help="Groups that lack positives or negatives: raise, skip, or zero (those without positives count as 0).",
        rich_help_panel="Groups",
    ),
]
Repeats = Annotated[
    int,
    typer.Option(
        "--repeats",
        min=1,
        help="How often the data were cut into folds, for --method corrected-t.",
        rich_help_panel="Groups",
    ),
]
Level = Annotated[float, typer.Option("--confidence-level", help="Of the intervals.", rich_help_panel="Doubt")]
Compare = Annotated[
    list[str] | None,
    typer.Option(
        "--compare",
        help="Test the differences of all rankers by this metric, again for each.",
        show_default=False,
        rich_help_panel="Comparisons",
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        help="Compare all others with this ranker, instead of all pairs.",
        show_default=False,
        rich_help_panel="Comparisons",
    ),
]
TestMethod = Annotated[
    str,
    typer.Option(
        "--method",
        help="auto, delta, delong, bootstrap, swap-permutation, or paired- or unpaired-permutation, -t, -wilcoxon. "
        "With --by: auto (paired-t), paired-t, corrected-t (folds), wilcoxon, sign-flip or unpaired-t.",
        rich_help_panel="Comparisons",
    ),
]
Adjust = Annotated[
    str, typer.Option("--adjust", help="For several comparisons: holm or max-t.", rich_help_panel="Comparisons")
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        min=0,
        help="Random seed; derived from the data if not given.",
        show_default=False,
        rich_help_panel="Comparisons",
    ),
]
Resamples = Annotated[
    int | None,
    typer.Option(
        "--n-resamples",
        help="Random arrangements or bootstrap replicates.",
        show_default=False,
        rich_help_panel="Comparisons",
    ),
]
Methods = Annotated[
    bool,
    typer.Option(
        "--methods", help="Print a paragraph for the methods section of a paper as well.", rich_help_panel="Output"
    ),
]
Format = Annotated[
    str,
    typer.Option("--format", "-f", help="text, json, csv, markdown or latex.", rich_help_panel="Output"),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="File to write, whole or not at all; - is standard output.",
        show_default=False,
        rich_help_panel="Output",
    ),
]
