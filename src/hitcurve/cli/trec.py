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
from hitcurve.cli.outputs import Writer
from hitcurve.cli.tests import Tests
from hitcurve.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIST = "The list"

Runs = Annotated[
    list[str],
    typer.Argument(
        help="Runs, then the qrels unless --qrels names them; plain or gzip; - is standard input.",
        show_default=False,
    ),
]
QrelsFile = Annotated[
    str | None, typer.Option("--qrels", help="File of judgments; all other files are runs.", show_default=False)
]
Measure = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        autocompletion=offered.metrics,
        help="Metric; repeat for each metric. Names of ir_measures and trec_eval are read too: AP, P@10, R@100, Rprec, "
        "nDCG@10, ndcg_cut_10.",
        show_default=False,
        rich_help_panel="Metrics",
    ),
]
Ties = Annotated[
    str,
    typer.Option(
        "--ties",
        autocompletion=offered.listed("hitcurve.evaluation.trec_lists", "TIES"),
        help="Equal scores: trec (ordered by name, last name first, compared in single precision) or group (tied).",
        rich_help_panel=_LIST,
    ),
]
Unjudged = Annotated[
    str,
    typer.Option(
        "--unjudged",
        autocompletion=offered.listed("hitcurve.evaluation.trec_lists", "UNJUDGED"),
        help="Retrieved documents without a judgment: negative, drop or raise.",
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
        show_default=False,
        rich_help_panel=_LIST,
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(
        "--depth",
        min=1,
        help="Read only the first documents of each topic, at most this number.",
        show_default=False,
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


def trec(
    file: Runs,
    qrels: QrelsFile = None,
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
    compare: opt.Compare = None,
    baseline: opt.Baseline = None,
    method: Method = "auto",
    seed: opt.Seed = None,
    n_resamples: opt.Resamples = None,
    form: opt.Format = None,
    output: opt.Output = None,
    methods: opt.Methods = False,
) -> None:
    """Evaluate TREC runs topic by topic, with the order and rules of trec_eval.

    [bold]Examples[/bold]

    hitcurve trec run.txt qrels.txt

    hitcurve trec bm25.txt.gz dense.txt.gz qrels.txt --metric AP --metric nDCG@10 --compare AP --method sign-flip
    """
    from hitcurve.evaluation import TREC_DEFAULT, evaluate_trec
    from hitcurve.sources.files import names_after

    writer = Writer.of(form, output, methods, has_page=True)
    tests = Tests(tuple(compare or ()), baseline, method, "holm", seed, n_resamples, grouped=True)
    if method == "corrected-t":
        raise ParameterError("--method corrected-t is for cross-validation folds, not for topics: use paired-t")
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        runs, judged = _opened(file, qrels, stack)
        result = evaluate_trec(
            dict(zip(names_after(runs), runs, strict=True)),
            judged,
            metrics=[*(metric or TREC_DEFAULT), *tests.metrics] if metric or tests.metrics else None,
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
    writer.write(result, found)


def _opened(names: Sequence[str], qrels: str | None, stack: ExitStack) -> tuple[list[Path], Path]:
    """Open the runs and the qrels, which are the last file unless they are named."""
    if qrels is None:
        *runs, last = open_all(names, stack)
        if not runs:
            raise ParameterError(f"got one file, {last}: give a run and its qrels, or --qrels FILE")
        return runs, last
    if qrels == "-" and "-" in names:
        raise ParameterError("standard input (-) can be read only once: name it once")
    return open_all(names, stack), stack.enter_context(readable(qrels))
