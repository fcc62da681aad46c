"""The command that draws figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.counts import Counts
from hitcurve.cli.evaluate import IntervalMethod
from hitcurve.cli.images import figure_form, image_of
from hitcurve.cli.inputs import Groups, Request, Subjects
from hitcurve.cli.shares import of_level, of_share
from hitcurve.cli.streams import tell
from hitcurve.cli.unused import refuse_unused
from hitcurve.errors import ParameterError

if TYPE_CHECKING:
    from hitcurve.evaluation import Evaluation, GroupedEvaluation
    from hitcurve.magnify import Magnification
    from hitcurve.metrics import Metric

_OF_GROUPS = ("groups", "heatmap", "wins")
OTHERS = ("decision", "intervals", *_OF_GROUPS)
_LEGENDS = ("auto", "inside", "outside", "none")
_MOST_INCHES = 200


@dataclass(frozen=True)
class Figure:
    """A figure to draw, with its options."""

    what: str
    metric: tuple[str, ...]
    compare: str | None
    baseline: str | None
    along: str | None
    magnify: str | None
    log_x: bool
    window: tuple[float, float] | None
    bands: bool
    grouped: bool
    color: tuple[str, ...] = ()
    legend: str = "auto"
    best_cut: bool = False

    def __post_init__(self) -> None:
        from hitcurve import _checks
        from hitcurve.curve import KINDS
        from hitcurve.groups import ALONG

        _checks.choice("what to draw", self.what, (*KINDS, *OTHERS))
        _checks.choice("--legend", self.legend, _LEGENDS)
        is_curve, decides = self.what in KINDS, self.what == "decision"
        unsuited = {
            "--log-x": self.log_x and not (is_curve or decides),
            "--window": self.window is not None and not (is_curve or decides),
            "--bands": self.bands and not (is_curve or decides),
            "--best-cut": self.best_cut and not decides,
            "--along": self.along is not None and not is_curve,
            "--magnify": self.magnify is not None and self.what not in ("croc", "cac"),
            "--compare": self.compare is not None and self.what != "intervals",
            "--legend": self.legend != "auto" and not (is_curve or decides),
        }
        refuse_unused(unsuited, f"cannot be combined with {self.what}: leave it out")
        if decides or self.along is not None or self.compare is not None:
            what = "--compare" if self.compare is not None else "--along" if self.along is not None else self.what
            refuse_unused({"--metric": self.metric}, f"cannot be combined with {what}, which shows none: leave it out")
        if len(self.metric) > 1 and self.what != "intervals":
            raise ParameterError(f"{self.what} shows one metric: give --metric once, got {len(self.metric)}")
        if self.color and (self.what in ("heatmap", "wins") or self.compare is not None):
            raise ParameterError(
                "--color is of rankers, which have no colour of their own in this figure: leave it out"
            )
        if self.what in _OF_GROUPS and not self.grouped:
            raise ParameterError(f"{self.what} is drawn of groups: name their column with --by or --folds")
        if decides and self.grouped:
            raise ParameterError("a decision curve is of one list: leave out --by and --folds")
        if is_curve and self.grouped != (self.along is not None):
            raise ParameterError(
                "curves of groups are averaged: --by (or --folds) and --along need each other, such as --along rate"
            )
        if self.along is not None:
            _checks.choice("--along", self.along, ALONG)
            if self.bands or self.magnify is not None:
                raise ParameterError("--bands and --magnify cannot be combined with --along: averages have intervals")
        if self.what == "intervals" and self.grouped and self.compare is None:
            raise ParameterError("intervals of groups show differences: add --compare METRIC, or draw groups")
        if self.baseline is not None and self.compare is None:
            raise ParameterError("--baseline needs --compare METRIC")

    def metrics(self) -> tuple[Metric, ...]:
        """Return what to evaluate: as asked for, or the metric that belongs to the figure."""
        from hitcurve.curve import KINDS
        from hitcurve.metrics import CAC, CROC
        from hitcurve.metrics import metrics as read

        wanted: list[Any] = [*self.metric, *([self.compare] if self.compare else [])]
        if not wanted and self.what in KINDS:
            own: Any = KINDS[self.what].picture.metrics[0]
            if self.magnification is not None:
                own = (CROC if self.what == "croc" else CAC)(self.magnification)
            wanted = ["logauc" if self.what == "roc" and self.log_x else own]
        return read(wanted or ["ap"])

    @property
    def magnification(self) -> Magnification | None:
        """The magnification of the x axis of croc and cac, None of other curves."""
        from hitcurve.magnify import magnification

        if self.what not in ("croc", "cac"):
            return None
        return magnification("exp(7)" if self.magnify is None else self.magnify)

    def draw(self, ev: Evaluation | GroupedEvaluation) -> Any:
        """Draw it, and return its axes or an array of them."""
        import hitcurve.plot as plot

        found: Any = ev
        shown: dict[str, Any] = {} if not self.color else {"colors": _colors_of(self.color, ev.rankers)}
        if self.what == "intervals":
            if self.compare is None:
                return plot.intervals(found, **shown)
            return plot.intervals(found.compare_all(self.compare, baseline=self.baseline))
        if self.what in _OF_GROUPS:
            return getattr(plot, self.what)(found, ev.metrics[0], **shown)
        if self.what == "decision":
            return self._decision(found, shown)
        shown |= {"log_x": self.log_x, "window": self.window, "legend": self.legend}
        if self.along is not None:
            curves = {name: found.average_curve(name, self.what, self.along) for name in ev.rankers}
            return plot.average_curve(curves, **shown)
        f = self.magnification
        if self.bands:
            shown["bands"] = {name: found.band(name, self.what, magnification=f) for name in ev.rankers}
        own = {} if f is None else {"magnification": f}
        return plot.curve(found, self.what, metric=self.metric[0] if self.metric else None, **own, **shown)

    def _decision(self, ev: Evaluation, shown: dict[str, Any]) -> Any:
        """Draw decision curves; bands are simultaneous where they can be, as those of other curves."""
        import hitcurve.plot as plot
        from hitcurve.cli.decision import spaced

        cut, coverage = ("best", "pointwise") if self.best_cut else ("probability", "simultaneous")
        thresholds = None if self.window is None else spaced("--window", self.window)
        how: dict[str, Any] = {"coverage": coverage if self.bands else "pointwise", "bands": self.bands}
        return plot.decision(ev, thresholds, cut=cut, log_x=self.log_x, legend=self.legend, **how, **shown)


def plot(
    what: Annotated[
        str,
        typer.Argument(
            autocompletion=offered.curves,
            help="A curve (roc, det, precision-recall, hit, accumulation, croc, cac, rate-accuracy, rate-recall, "
            "rate-negative-recall, lift, proc, pac or prg), decision (net benefit over thresholds), forest (values "
            "with intervals, or intervals), or of groups: groups, heatmap, wins.",
        ),
    ],
    file: opt.Files,
    label: opt.Label = None,
    score: opt.ScoreOrRanker = None,
    metric: opt.Metric = None,
    log_x: Annotated[
        bool, typer.Option("--log-x", help="Logarithmic x axis: the top of the list.", rich_help_panel="Figure")
    ] = False,
    window: Annotated[
        tuple[float, float] | None,
        of_share("--window", metavar="SHARE SHARE", help="Range of the x axis, such as 0 10%.", panel="Figure"),
    ] = None,
    bands: Annotated[
        bool, typer.Option("--bands", help="Draw the simultaneous band of each curve.", rich_help_panel="Figure")
    ] = False,
    best_cut: Annotated[
        bool,
        typer.Option(
            "--best-cut",
            help="Of decision: scores only rank; cut each list where its net benefit is largest.",
            rich_help_panel="Figure",
        ),
    ] = False,
    magnify: Annotated[
        str | None,
        typer.Option(
            "--magnify",
            help="Magnification of the x axis of croc and cac; exp(7) if not given.",
            rich_help_panel="Figure",
        ),
    ] = None,
    color: Annotated[
        list[str] | None,
        typer.Option(
            "--color",
            help="Colour of a ranker, as in --color 'a=#0072b2'; repeat for each.",
            rich_help_panel="Figure",
        ),
    ] = None,
    legend: Annotated[
        str,
        typer.Option(
            "--legend",
            autocompletion=offered.one_of(*_LEGENDS),
            help="Legend: auto, inside, outside or none.",
            rich_help_panel="Figure",
        ),
    ] = "auto",
    title: Annotated[str | None, typer.Option("--title", help="Title of the figure.", rich_help_panel="Figure")] = None,
    size: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--size",
            metavar="WIDTH HEIGHT",
            help="Width and height in inches, such as 3.5 2.8.",
            rich_help_panel="Figure",
        ),
    ] = None,
    along: Annotated[
        str | None,
        typer.Option(
            "--along",
            autocompletion=offered.listed("hitcurve.groups", "ALONG"),
            help="Average the curves of the groups along: rate, vertical (the same x) or threshold (the same score); "
            "or pool: pool their subjects.",
            rich_help_panel="Groups",
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            autocompletion=offered.metrics,
            help="Of intervals: draw the differences of the rankers in this metric instead of their values.",
            rich_help_panel="Comparisons",
        ),
    ] = None,
    baseline: opt.Baseline = None,
    positive: opt.Positive = None,
    weight: opt.Weight = None,
    no_header: opt.NoHeader = False,
    missing: opt.Missing = "raise",
    na: opt.Na = None,
    decimal: opt.Decimal = None,
    where: opt.Where = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    per_id: opt.PerId = "refuse",
    counts: opt.AreCounts = False,
    positives: opt.Positives = None,
    total: opt.Total = None,
    negatives: opt.Negatives = None,
    design: opt.Design = None,
    prevalence: opt.Prevalence = None,
    cluster: opt.Cluster = None,
    confidence_level: Annotated[float, of_level("of the intervals and bands.")] = 0.95,
    interval_method: IntervalMethod = "auto",
    by: opt.By = None,
    folds: opt.Folds = None,
    test_fraction: opt.TestFraction = None,
    single_class: opt.SingleClass = "raise",
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Figure to write (atomically); the end of its name is the format: .pdf, .svg, .png and others that "
            "matplotlib writes.",
            rich_help_panel="Output",
        ),
    ] = Path("figure.png"),
) -> None:
    r"""Draw curves, intervals or maps of groups, and write the figure.

    [bold]Examples[/bold]

    hitcurve plot roc scores.csv --label y --score a --score b --log-x --bands \
        -o roc.pdf

    hitcurve plot precision_recall film.csv digital.csv --counts \
        --positives cancers --total screened -o pr.svg

    hitcurve plot decision risks.csv --label y --score a --score b \
        --window 0.01 0.5 --bands -o decision.pdf

    hitcurve plot intervals scores.csv --label y --score a --score b --score c \
        --compare ap -o differences.pdf

    hitcurve plot heatmap targets.csv --label active --score a --score b \
        --by target --metric ef@1% -o targets.png
    """
    groups = Groups.of(by, folds, test_fraction)
    figure = Figure(
        _name_of(what),
        tuple(metric or ()),
        compare,
        baseline,
        along,
        magnify,
        log_x,
        window,
        bands,
        groups.by is not None,
        tuple(color or ()),
        legend,
        best_cut,
    )
    if interval_method != "auto" and (figure.what != "intervals" or compare is not None):
        raise ParameterError("--interval-method is of the intervals of values: draw forest, without --compare")
    if figure.what in ("heatmap", "wins"):
        refuse_unused(
            {"--confidence-level": confidence_level != 0.95},
            f"is of intervals, and {figure.what} has none: leave it out",
        )
    form = figure_form(output)
    reading = (file, label, score or (), positive, weight, no_header, missing, where, labels, on, per_id)
    subjects = Subjects(*reading, cluster, groups.by, na=tuple(na or ()), decimal=decimal)
    columns = Counts.of(counts, positives, total, negatives)
    inference = (design, prevalence, confidence_level)
    rest = (*inference, single_class, groups.folds, interval_method)
    request = Request(subjects, figure.metrics(), "raise", columns, *rest)
    with request.evaluation() as result:
        axes = figure.draw(result)
        _dress(axes, title, size)
        image = image_of(axes, form)
    from hitcurve._writing import write_whole

    write_whole(output, image)
    for warning in result.warnings:
        tell(f"warning: {warning}")
    tell(f"wrote {output}")


def _colors_of(given: Sequence[str], rankers: Sequence[str]) -> dict[str, str]:
    """Return colours by ranker."""
    from matplotlib.colors import is_color_like

    from hitcurve import _checks

    found = {}
    for text in given:
        name, mark, color = text.rpartition("=")
        if not mark or not is_color_like(color):
            raise ParameterError(f"--color is a ranker and a colour, such as 'a=#0072b2' or a=black, got {text!r}")
        found[_checks.choice("the ranker of --color", name, tuple(rankers))] = color
    return found


def _name_of(what: str) -> str:
    """Return what is drawn, however it is written: precision-recall, forest."""
    name = what.replace("-", "_")
    return "intervals" if name == "forest" else name


def _dress(axes: Any, title: str | None, size: tuple[float, float] | None) -> None:
    """Give the figure its title, and its size in inches."""
    import numpy as np

    from hitcurve import _checks
    from hitcurve.plot import words

    figure = np.asarray(axes, object).ravel()[0].figure
    if title is not None:
        figure.suptitle(words.plain(title))
    if size is not None:
        for length in size:
            if _checks.positive_number("--size", length) > _MOST_INCHES:
                raise ParameterError(f"--size must be at most {_MOST_INCHES} inches, got {length:g}")
        figure.set_size_inches(*size)
