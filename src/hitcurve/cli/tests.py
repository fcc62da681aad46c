"""Comparisons that the options ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hitcurve.cli.unused import refuse_unused
from hitcurve.cli.usage import as_written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitcurve.evaluation import Evaluation, GroupedEvaluation
    from hitcurve.inference import Comparisons
    from hitcurve.metrics import Metric


NEEDED = "needs --compare METRIC"
_OF_POSITIVES = ("paired-t", "unpaired-t", "paired-wilcoxon", "unpaired-wilcoxon")
_WITHOUT_DRAWS = ("delta", "delong", "inversion", *_OF_POSITIVES)


@dataclass(frozen=True)
class Tests:
    """The rankers compared, the metrics and the method."""

    metrics: tuple[str, ...]
    baseline: str | None
    method: str
    adjust: str
    seed: int | None
    n_resamples: int | None
    grouped: bool = False
    interval: str = "normal"
    correlation: float | None = None
    counts: bool = False

    def __post_init__(self) -> None:
        from hitcurve import _checks
        from hitcurve.errors import ParameterError
        from hitcurve.groups import METHODS as ACROSS
        from hitcurve.inference import INTERVALS, METHODS
        from hitcurve.inference.comparing.looks import LOOKED

        adjust = as_written("--adjust", "--correction")
        if self.method in LOOKED:
            raise ParameterError(
                f"--method {self.method} is for labels that arrive over time: use hitcurve compare --method "
                f"{self.method}"
            )
        _checks.choice("--method", self.method, ("auto", *ACROSS) if self.grouped else METHODS)
        if self.adjust == "tukey" and not self.grouped:
            raise ParameterError(f"{adjust} tukey is for comparisons across groups: use {adjust} max-t or holm")
        if self.adjust == "max-t" and self.grouped:
            raise ParameterError(
                f"{adjust} max-t is for rankers of one list: use {adjust} holm or tukey for comparisons across groups"
            )
        _checks.choice(adjust, self.adjust, ("holm", "tukey") if self.grouped else ("holm", "max-t"))
        _checks.choice("--interval", self.interval, INTERVALS)
        if self.interval != "normal" and self.grouped:
            raise ParameterError(
                f"--interval {self.interval} is for rankers of one list: comparisons across groups have intervals over "
                "groups, so leave --interval out"
            )
        if self.interval != "normal" and self.method != "bootstrap":
            raise ParameterError(f"--interval {self.interval} needs bootstrap replicates: add --method bootstrap")
        if self.counts and self.adjust == "max-t":
            raise ParameterError(f"{adjust} max-t needs the subjects of the rankers, and counts hold none: use holm")
        if self.counts and self.method != "auto":
            raise ParameterError(
                f"--method {self.method} needs the subjects of the rankers, and counts hold none: leave --method out "
                "for the test of two samples"
            )
        if self.correlation is not None and not (self.counts and self.metrics):
            raise ParameterError(
                "--correlation is for comparisons of counts: it needs --counts or files of hit tables, and --compare "
                "METRIC"
            )
        if not self.metrics:
            given = {"--baseline": self.baseline, adjust: self.adjust != "holm", "--method": self.method != "auto"}
            refuse_unused(given | {"--seed": self.seed, "--n-resamples": self.n_resamples}, NEEDED)
        elif self.counts:
            random = {"--seed": self.seed, "--n-resamples": self.n_resamples}
            refuse_unused(random, "is of random draws, and the test of two samples of counts has none: leave it out")
        elif self.grouped and self.method != "sign-flip" and self.adjust != "tukey":
            refuse_unused(
                {"--n-resamples": self.n_resamples, "--seed": self.seed},
                f"is of random draws, which across groups --method sign-flip and {adjust} tukey make, and not "
                f"{'paired-t' if self.method == 'auto' else self.method}: leave it out",
            )
        elif self.method in _WITHOUT_DRAWS and not self.grouped:
            # max-T has draws of its own, and so have intervals that are inverted, which may draw tables
            draws = self.adjust == "max-t" or self.method == "inversion"
            seed = {} if draws else {"--seed": self.seed}
            refuse_unused(
                {"--n-resamples": self.n_resamples, **seed},
                f"cannot be combined with --method {self.method}, which draws nothing: leave it out",
            )

    def with_metrics(self, wanted: tuple[Metric, ...]) -> tuple[Metric, ...]:
        """Return the metrics to evaluate, including the metrics of the comparisons."""
        from hitcurve.metrics import metrics

        return metrics([*wanted, *self.metrics]) if self.metrics else wanted

    def run(self, result: Evaluation | GroupedEvaluation) -> Sequence[Comparisons]:
        """Compare: all pairs, or all with the baseline, adjusted within each metric."""
        own: dict[str, Any] = {"adjust": self.adjust} | ({} if self.grouped else {"interval": self.interval})
        if self.correlation is not None:
            own["correlation"] = self.correlation
        options: dict[str, Any] = {
            "baseline": self.baseline,
            "method": self.method,
            "n_resamples": self.n_resamples,
            "rng": self.seed,
        }
        return [result.compare_all(metric, **options, **own) for metric in self.metrics]
