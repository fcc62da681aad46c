"""The figures: coverage of intervals of average precision and of bands, and the limit law of the curve.

``python -m validation.figure`` draws ``coverage.png``, ``bands.png`` and ``limit_law.png`` in ``results`` from the
files of results beside them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from validation.running import RESULTS, arguments, read

SHOWN = {
    "wald-z": ("average_precision", "many at once", "value ± 1.96 standard errors", "#c8553d"),
    "percentile": ("average_precision", "package", "percentile bootstrap", "#e0a030"),
    "half-subject": ("average_precision", "many at once", "half-subject, logit, t", "#6f9bc8"),
    "tilted": ("average_precision", "many at once", "tilted", "#3f74b0"),
    "end-model": ("precision_sets", "", "end-model (the default)", "#12335c"),
}
POSITIVES = (10, 20, 50, 200)
BANDS = {
    "bootstrap": ("bootstrap", "#c8553d"),
    "smoothed-bootstrap": ("smoothed bootstrap", "#e0a030"),
    "distribution-free": ("distribution-free", "#6f9bc8"),
    "influence": ("influence", "#5b9a68"),
    "region": ("region (the default)", "#1b4f8a"),
}
BAND_POSITIVES = (20, 50, 200)
CURVES = ("precision_recall", "roc", "accumulation")


def of_precision(method: str, n1: int) -> list[dict[str, str]]:
    """Return the results of a method of ``SHOWN`` in the 144 scenarios, of so many positives."""
    file, functions, *_ = SHOWN[method]
    return [
        line
        for line in read(file)
        if (line["method"], line["n1"]) == (method, str(n1))
        and line.get("functions", "") == functions
        and line.get("set", "the 144") == "the 144"
    ]


def _nominal(axes: Any) -> None:
    axes.axhspan(0.935, 0.965, color="#dde8dd", zorder=0)
    axes.axhline(0.95, color="#557755", linewidth=0.8, zorder=1)


def _dots(axes: Any, x: float, values: Sequence[float], color: str, label: str | None, jitter: Any) -> None:
    """Draw a dot for each value, and a bar at their median."""
    axes.plot(
        x + jitter.uniform(-0.06, 0.06, len(values)),
        values,
        "o",
        markersize=3,
        markeredgewidth=0,
        alpha=0.6,
        color=color,
        label=label,
    )
    axes.plot([x - 0.08, x + 0.08], [np.median(values)] * 2, color=color, linewidth=2)


def draw() -> Any:
    """Return the figure of intervals: a dot is a scenario, a bar the median of the 36."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.4), layout="constrained")
    _nominal(axes)
    jitter = np.random.default_rng(0)
    for place, (method, (*_, label, color)) in enumerate(SHOWN.items()):
        for group, n1 in enumerate(POSITIVES):
            coverage = [float(line["coverage"]) for line in of_precision(method, n1)]
            _dots(axes, group + (place - 2) * 0.18, coverage, color, None if group else label, jitter)
    axes.set_xticks(range(len(POSITIVES)), [f"{n1} positives" for n1 in POSITIVES])
    axes.set(ylim=(0.48, 1.005), ylabel="coverage of 95% intervals of AP")
    axes.legend(frameon=False, loc="lower right", title="a dot: one of 36 populations and prevalences")
    return figure


def simultaneous_bands() -> list[dict[str, str]]:
    """Return the results of simultaneous bands of the thirty cohorts: of the default, and of the others."""
    others = [line for line in read("bands") if line["kind"] == "simultaneous"]
    default = [line for line in read("regions") if (line["group"], line["method"]) == ("cohorts", "region")]
    return [*others, *(line for line in default if line["kind"] == "simultaneous")]


def draw_bands() -> Any:
    """Return the figure of simultaneous bands: coverage above, width below; a dot is one of ten scenarios."""
    from matplotlib import pyplot as plt

    lines = simultaneous_bands()
    figure, axes = plt.subplots(2, 3, figsize=(10, 6), layout="constrained", sharex=True, sharey="row")
    for column, curve in enumerate(CURVES):
        top, bottom = axes[:, column]
        _nominal(top)
        top.set_title(curve.replace("_", " "))
        jitter = np.random.default_rng(0)
        for place, (method, (label, color)) in enumerate(BANDS.items()):
            for group, n1 in enumerate(BAND_POSITIVES):
                of = [x for x in lines if (x["curve"], x["method"], x["n1"]) == (curve, method, str(n1))]
                x = group + (place - 2) * 0.17
                _dots(top, x, [float(line["coverage"]) for line in of], color, None, jitter)
                widths = [float(line["mean_width"]) for line in of]
                _dots(bottom, x, widths, color, None if group else label, jitter)
        bottom.set_xticks(range(len(BAND_POSITIVES)), [f"{n1} positives" for n1 in BAND_POSITIVES])
    axes[0, 0].set(ylabel="simultaneous coverage", ylim=(None, 1.005))
    axes[1, 0].set(ylabel="mean width", ylim=(0, None))
    figure.legend(*axes[1, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(BANDS), frameon=False)
    return figure


def draw_limit_law() -> Any:
    """Return the figure of the limit law: the largest deviation over n, and the laws of what is scaled."""
    from matplotlib import pyplot as plt

    lines = read("limit_law")
    sizes = sorted({int(line["n"]) for line in lines})
    figure, (first, second, third) = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")

    def of(quantity: str, column: str, **where: str) -> list[float]:
        kept = [x for x in lines if x["quantity"] == quantity and all(x[name] == v for name, v in where.items())]
        return [float(x[column]) for x in kept]

    mean = "largest deviation, mean"
    first.loglog(sizes, of(mean, "limit"), color="#557755", linewidth=1, label="limit, of order n^(-1/2)")
    first.loglog(sizes, of(mean, "found"), "o", color="#1b4f8a", label="samples")
    first.set(xlabel="n", ylabel="mean of the largest deviation")
    first.legend(frameon=False)

    sd = "scaled deviation, s.d. at recall"
    recalls = sorted({x["at"] for x in lines if x["quantity"] == sd})
    for recall, color in zip(recalls, ("#1b4f8a", "#c8553d", "#e0a030"), strict=True):
        second.semilogx(sizes, of(sd, "limit", at=recall), color=color, linewidth=1)
        second.errorbar(
            sizes,
            of(sd, "found", at=recall),
            2 * np.array(of(sd, "standard_error", at=recall)),
            fmt="o",
            markersize=4,
            color=color,
            label=f"recall {recall}",
        )
    second.set(xlabel="n", ylabel="s.d. of √n (precision - truth)", ylim=(0, None))
    second.legend(frameon=False, title="line: the formula")

    quantile = "scaled largest deviation, quantile"
    levels = sorted({x["at"] for x in lines if x["quantity"] == quantile}, key=float)
    expected = of(quantile, "limit", n=str(sizes[0]))
    third.plot(expected, [float(x) for x in levels], color="#557755", linewidth=1, label="limit")
    for n, color in zip((sizes[0], sizes[len(sizes) // 2], sizes[-1]), ("#c8553d", "#e0a030", "#1b4f8a"), strict=True):
        found = of(quantile, "found", n=str(n))
        third.plot(found, [float(x) for x in levels], "o", markersize=4, color=color, label=f"n = {n:,}")
    third.set(xlabel="√n times the largest deviation", ylabel="share of samples below")
    third.legend(frameon=False)
    return figure


FIGURES = {"coverage": draw, "bands": draw_bands, "limit_law": draw_limit_law}


def main(argv: Sequence[str] | None = None) -> int:
    """Draw the figures into the results."""
    arguments(__doc__, argv)
    for name, drawn in FIGURES.items():
        path = RESULTS / f"{name}.png"
        drawn().savefig(path, dpi=130, metadata={"Software": None})
        print(f"{path}: {path.stat().st_size / 1e3:.0f} kB", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
