"""The command that evaluates the data of the package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hitcurve.cli.formats import check_markdown
from hitcurve.cli.streams import say

_DEMO_METRICS = (
    "ap",
    "scaled_ap",
    "auc",
    "croc(exp, alpha=7)",
    "bedroc(alpha=20)",
    "rauc",
    "recall@1%",
    "ef@1%",
)


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Report to write, in markdown.")] = Path(
        "demo-report.md"
    ),
) -> None:
    """Evaluate film against digital mammography (42,000 women, 335 cancers) and write a report."""
    from hitcurve._writing import write_whole
    from hitcurve.datasets import mammography
    from hitcurve.evaluation import evaluate as run
    from hitcurve.report import render

    check_markdown(output)
    result = run(tables=mammography(), metrics=_DEMO_METRICS)
    tests = [result.compare_all(metric) for metric in ("ap", "auc")]
    write_whole(output, _demo_report(result, tests))
    say(f"{render(result, comparisons=tests)}\nwrote {output}\n")


def _demo_report(result: Any, tests: Any) -> str:
    from hitcurve import rows
    from hitcurve.metrics import Momentum
    from hitcurve.quasi_concave import fit_quasi_concave
    from hitcurve.report import render

    shape = []
    for name, table in result.tables.items():
        model = fit_quasi_concave(table)
        shape.append(
            [name, *map(rows.number, (Momentum().value(table), model.beta, model.alpha, model.residual or 0.0))]
        )
    header = ["", "momentum", "fitted momentum", "fitted stamina", "residual"]
    words = [f"- by {m}: {_order(result, m)}" for m in ("auc", "ap", "ef@1%")]
    return "\n".join(
        [
            "# Film against digital mammography",
            "",
            "Malignancy scores on a seven-point scale and cancers found within 15 months, from the Digital",
            "Mammographic Imaging Screening Trial (Pisano et al. 2005, Table 3).",
            "",
            render(result, "markdown", tests),
            "Momentum is scaled AP over scaled AUC, an estimate of the precision at the top of the list; stamina is",
            "the fraction of the list over which it lasts. The fit is the quasi-concave hit curve of Su, Yuan and Zhu",
            "(2015) by least squares.",
            "",
            rows.markdown_table(header, shape),
            "",
            "Which of the two has the higher value depends on the metric:",
            "",
            *words,
            "",
        ]
    )


def _order(result: Any, metric: str) -> str:
    from hitcurve import rows

    ranked = sorted(result.metric(metric).values(), key=lambda e: -e.value)
    return ", then ".join(f"{e.ranker} ({rows.number(e.value)})" for e in ranked)
