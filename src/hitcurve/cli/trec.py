"""The command that evaluates TREC runs."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.files import open_all, readable
from hitcurve.cli.formats import BINARY, SUFFIXES
from hitcurve.cli.outputs import Writer
from hitcurve.cli.streams import tell
from hitcurve.cli.tests import Tests
from hitcurve.cli.unused import refuse_unused
from hitcurve.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIST = "The list"

Runs = Annotated[
    list[str],
    typer.Argument(
        help="Runs and qrels; the qrels stand last or first unless --qrels names them. Plain or compressed; - is "
        "standard input."
    ),
]
QrelsFile = Annotated[str | None, typer.Option("--qrels", help="File of judgements; all other files are runs.")]
Subtopics = Annotated[
    str | None,
    typer.Option(
        "--subtopics",
        help="File of judgements by subtopic (topic, subtopic, document, relevance), for measures of diversity; all "
        "other files are runs.",
    ),
]
Measure = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        autocompletion=offered.metrics,
        help="Metric; repeat for each metric. Names of ir_measures and trec_eval are read too: AP, P@10, RR@10, "
        "nDCG@10, ndcg_cut.10, recip_rank, official, all_trec.",
        rich_help_panel="Metrics",
    ),
]
Ties = Annotated[
    str,
    typer.Option(
        "--ties",
        autocompletion=offered.listed("hitcurve.evaluation.topics.trec_lists", "TIES"),
        help="Equal scores: trec (ordered by name, last name first, compared in single precision) or group (tied).",
        rich_help_panel=_LIST,
    ),
]
Unjudged = Annotated[
    str,
    typer.Option(
        "--unjudged",
        autocompletion=offered.listed("hitcurve.evaluation.topics.trec_lists", "UNJUDGED"),
        help="Retrieved documents without a judgement: negative, drop or raise.",
        rich_help_panel=_LIST,
    ),
]
RelevantFrom = Annotated[
    int,
    typer.Option(
        "--relevant-from", min=1, help="Smallest relevance grade that counts as relevant.", rich_help_panel=_LIST
    ),
]
CollectionSize = Annotated[
    int | None,
    typer.Option(
        "--collection-size",
        min=1,
        help="Number of documents in the collection: documents not retrieved are tied at the end of the list. Without "
        "it they are never found.",
        rich_help_panel=_LIST,
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(
        "--depth",
        min=1,
        help="Read only the first documents of each topic, at most this number.",
        rich_help_panel=_LIST,
    ),
]
Complete = Annotated[
    bool,
    typer.Option(
        "--complete",
        help="Evaluate judged topics that are not in a run as if the run had retrieved nothing.",
        rich_help_panel="Topics",
    ),
]
NoRelevant = Annotated[
    str,
    typer.Option(
        "--single-class",
        autocompletion=offered.one_of("raise", "skip", "zero"),
        help="Topics without a relevant document: raise, skip, or zero (count as 0).",
        rich_help_panel="Topics",
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        autocompletion=offered.listed("hitcurve.groups", "METHODS", "auto"),
        help="Test across topics: auto (paired-t), paired-t, wilcoxon, sign-flip or unpaired-t.",
        rich_help_panel="Comparisons",
    ),
]


Compare = Annotated[
    list[str] | None,
    typer.Option(
        "--compare",
        autocompletion=offered.metrics,
        help="Test the differences between all runs in this metric; repeat for each metric, or all for those of "
        "--metric.",
        rich_help_panel="Comparisons",
    ),
]
Adjust = Annotated[
    str,
    typer.Option(
        "--adjust",
        "--correction",
        autocompletion=offered.one_of("holm", "tukey"),
        help="Adjustment for several comparisons: holm, or tukey (randomised Tukey HSD of all pairs) with simultaneous "
        "intervals.",
        rich_help_panel="Comparisons",
    ),
]
Superscripts = Annotated[
    bool,
    typer.Option(
        "--superscripts",
        help="Add a table of runs by compared metrics, each value with the letters of the runs that it beats.",
        rich_help_panel="Comparisons",
    ),
]
Form = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        autocompletion=offered.listed("hitcurve.cli.formats", "FORMATS", "html", "trec"),
        help="Format: text (the default), json, csv, markdown, latex, parquet, html, or trec (the three columns of "
        "trec_eval). If not given, the end of the name of --output decides: .txt, .json, .csv, .md, .tex, .parquet, "
        ".html.",
        rich_help_panel="Output",
    ),
]
PerTopic = Annotated[
    bool,
    typer.Option(
        "--per-topic",
        "-q",
        help="Print three columns as trec_eval -q: measure, topic, value, and all topics last (--format trec).",
        rich_help_panel="Output",
    ),
]


def trec(
    file: Runs,
    qrels: QrelsFile = None,
    subtopics: Subtopics = None,
    metric: Measure = None,
    ties: Ties = "trec",
    unjudged: Unjudged = "negative",
    relevant_from: RelevantFrom = 1,
    collection_size: CollectionSize = None,
    depth: Depth = None,
    complete: Complete = False,
    single_class: NoRelevant = "raise",
    undefined: opt.Undefined = "raise",
    confidence_level: opt.Level = 0.95,
    compare: Compare = None,
    baseline: opt.Baseline = None,
    method: Method = "auto",
    adjust: Adjust = "holm",
    superscripts: Superscripts = False,
    seed: opt.Seed = None,
    n_resamples: opt.Resamples = None,
    form: Form = None,
    per_topic: PerTopic = False,
    output: opt.Output = None,
    methods: opt.Methods = False,
) -> None:
    r"""Evaluate TREC runs topic by topic, with the order and rules of trec_eval.

    [bold]Examples[/bold]

    hitcurve trec run.txt qrels.txt

    hitcurve trec -q qrels.txt run.txt -m official

    hitcurve trec bm25.txt.gz dense.txt.gz qrels.txt --metric AP \
        --metric nDCG@10 --compare AP --method sign-flip

    hitcurve trec *.run --qrels qrels.txt -m AP -m nDCG@10 --compare all \
        --adjust tukey --superscripts --format latex
    """
    from hitcurve import rows
    from hitcurve.errors import MetricParseError
    from hitcurve.evaluation import TREC_DEFAULT, evaluate_trec
    from hitcurve.evaluation.topics.trec import about_ends
    from hitcurve.metrics import TopicMeasure, read_measures
    from hitcurve.metrics.spelling import asked_as
    from hitcurve.report.superscripts import superscripts as table_of
    from hitcurve.sources.files import names_after
    from hitcurve.sources.trec_subtopics import read_subtopics

    columns = form == "trec" or (per_topic and form is None)
    if per_topic and not columns:
        raise ParameterError(f"--per-topic (-q) is for --format trec, got --format {form}: leave one of them out")
    if columns and output is not None and SUFFIXES.get(output.suffix.lower(), "text") != "text":
        asked_by = "--format trec" if form else "--per-topic (-q)"
        raise ParameterError(f"{asked_by} writes three columns of text, and --output {output} says another format")
    writer = Writer.of("text" if columns else form, output, methods, has_page=True)
    writer.refuse_tests_of_page(compare)
    asked = read_measures(metric or TREC_DEFAULT)
    ended = [m for m in asked.known if collection_size is None and m.needs_end and metric]
    known = [asked.names[m] for m in asked.known if m not in ended]
    # sums and geometric means over topics have no test
    untested = [asked.names[m] for m in asked.known if isinstance(m, TopicMeasure) and m.aggregate != "mean"]
    every = [name for name in known if name not in untested]
    compared = [name for one in compare or () for name in (every if one == "all" else [one])]
    tests = Tests(tuple(dict.fromkeys(compared)), baseline, method, adjust, seed, n_resamples, grouped=True)
    if method == "corrected-t":
        raise ParameterError("--method corrected-t is for cross-validation folds, not for topics: use paired-t")
    if columns and (tests.metrics or methods):
        raise ParameterError("--format trec (-q) has values only: leave --compare and --methods out")
    if columns:
        refuse_unused(
            {"--confidence-level": confidence_level != 0.95},
            "is of intervals, and --format trec (-q) has values only: leave it out",
        )
    if superscripts and (not tests.metrics or writer.form not in ("text", "markdown", "latex")):
        raise ParameterError("--superscripts needs --compare METRIC, and the format text, markdown or latex")
    about = about_ends([asked_as(m, asked.names[m]) for m in ended])
    refused = "; ".join([*asked.unknown.values(), *([about] if about else [])])
    if refused and not known:
        raise MetricParseError(refused)
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if subtopics is not None and qrels is not None:
            raise ParameterError("--qrels and --subtopics are both judgements: give one of them")
        runs, judged = _opened(file, qrels or subtopics, stack)
        result = evaluate_trec(
            dict(zip(names_after(runs), runs, strict=True)),
            judged if subtopics is None else read_subtopics(judged),
            metrics=[*known, *tests.metrics] if metric or tests.metrics else None,
            ties=ties,
            unjudged=unjudged,
            relevant_from=relevant_from,
            collection_size=collection_size,
            complete=complete,
            depth=depth,
            single_class=single_class,
            undefined=undefined,
            confidence_level=confidence_level,
        )
        found = tests.run(result)
    if untested and "all" in (compare or ()):
        tell(f"note: --compare all leaves out {rows.listed(untested)}, which no test compares over topics")
    if columns:
        writer.text(result.to_trec_eval(per_topic=per_topic), result)
    else:
        writer.write(result, found, table_of(found, writer.form) if superscripts else "")
    if columns or writer.form in ("csv", *BINARY) or writer.output is not None:
        for line in result.about_ties():
            tell(f"note: {line}")
    if refused:
        # what is known was computed
        raise MetricParseError(refused)


def _opened(names: Sequence[str], qrels: str | None, stack: ExitStack) -> tuple[list[Path], Path]:
    """Open the runs and the qrels, which are the last or the first file unless they are named."""
    from hitcurve.sources.trec import looks_like_qrels

    if qrels is None:
        files = open_all(names, stack)
        if len(files) < 2:
            raise ParameterError(f"got one file, {files[0]}: give a run and its qrels, or --qrels FILE")
        if looks_like_qrels(files[0]) and not looks_like_qrels(files[-1]):
            return files[1:], files[0]
        return files[:-1], files[-1]
    if qrels == "-" and "-" in names:
        raise ParameterError("standard input (-) can be read only once: name it once")
    return open_all(names, stack), stack.enter_context(readable(qrels))
