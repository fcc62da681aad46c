"""The figure: coverage of intervals of average precision, by method and number of positives.

``python -m validation.figure`` draws ``results/coverage.png`` from ``results/average_precision.csv``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from validation.running import RESULTS, arguments, read

SHOWN = {
    "wald-z": ("many at once", "value ± 1.96 standard errors", "#c8553d"),
    "percentile": ("package", "percentile bootstrap", "#e0a030"),
    "half-subject": ("many at once", "half-subject, logit, t", "#6f9bc8"),
    "tilted": ("many at once", "tilted (the default)", "#1b4f8a"),
}
POSITIVES = (10, 20, 50, 200)


def draw() -> Any:
    """Return the figure: a dot is a scenario, a bar the median of the 36."""
    from matplotlib import pyplot as plt

    lines = read("average_precision")
    figure, axes = plt.subplots(figsize=(8, 4.4), layout="constrained")
    axes.axhspan(0.935, 0.965, color="#dde8dd", zorder=0)
    axes.axhline(0.95, color="#557755", linewidth=0.8, zorder=1)
    jitter = np.random.default_rng(0)
    for place, (method, (functions, label, color)) in enumerate(SHOWN.items()):
        for group, n1 in enumerate(POSITIVES):
            coverage = [
                float(line["coverage"])
                for line in lines
                if line["method"] == method and line["functions"] == functions and line["n1"] == str(n1)
            ]
            x = group + (place - 1.5) * 0.2
            axes.plot(
                x + jitter.uniform(-0.06, 0.06, len(coverage)),
                coverage,
                "o",
                markersize=3,
                markeredgewidth=0,
                alpha=0.6,
                color=color,
                label=label if group == 0 else None,
            )
            axes.plot([x - 0.08, x + 0.08], [np.median(coverage)] * 2, color=color, linewidth=2)
    axes.set_xticks(range(len(POSITIVES)), [f"{n1} positives" for n1 in POSITIVES])
    axes.set(ylim=(0.48, 1.005), ylabel="coverage of 95% intervals of AP")
    axes.legend(frameon=False, loc="lower right", title="a dot: one of 36 populations and prevalences")
    return figure


def main(argv: Sequence[str] | None = None) -> int:
    """Draw the figure into the results."""
    arguments(__doc__, argv)
    path = RESULTS / "coverage.png"
    draw().savefig(path, dpi=130, metadata={"Software": None})
    print(f"{path}: {path.stat().st_size / 1e3:.0f} kB", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
