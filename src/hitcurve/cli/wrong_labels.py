"""Options on labels that are wrong in a known way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from hitcurve.cli import options as opt
from hitcurve.cli.shares import share_with_error

if TYPE_CHECKING:
    from hitcurve.metrics import Metric

Share = float | tuple[float, ...]

Contamination = Annotated[
    str | None,
    typer.Option(
        "--contamination",
        metavar="SHARE[,ERROR]",
        help="Correct for wrong labels: the share of the labelled positives that are negatives, as 5%, or with its "
        "standard error, as 5%,1%.",
        rich_help_panel="Wrong or missing labels",
    ),
]
Mislabelled = Annotated[
    str | None,
    typer.Option(
        "--mislabelled",
        metavar="SHARE[,ERROR]",
        help="Correct for wrong labels: the share of the other subjects that are positives, as 10% or 10%,2%.",
        rich_help_panel="Wrong or missing labels",
    ),
]
Unlabelled = Annotated[
    bool,
    typer.Option(
        "--unlabelled",
        help="Positive-unlabelled data: all but the labelled positives are an unlabelled sample, whose share of "
        "positives is --prevalence.",
        rich_help_panel="Wrong or missing labels",
    ),
]
Verification = Annotated[
    str | None,
    opt.column(
        "--verification",
        help="Only some subjects have a verified label, which is missing for the others: column of the probability "
        "with which a label was verified. Each verified subject weighs its inverse.",
        panel="Wrong or missing labels",
    ),
]
VerifiedBy = Annotated[
    list[str] | None,
    opt.column(
        "--verified-by",
        help="Instead of --verification, estimate the probabilities by logistic regression on this column; repeat for "
        "each column that verification depends on, scores among them.",
        panel="Wrong or missing labels",
    ),
]
Prevalence = Annotated[
    str | None,
    typer.Option(
        "--prevalence",
        metavar="SHARE[,ERROR]",
        help="Evaluate at a known prevalence, such as for case-control data. With --unlabelled the share of positives "
        "among the unlabelled, as 20%, or with its standard error, as 20%,4%.",
        rich_help_panel="Uncertainty",
    ),
]


class WrongLabels(NamedTuple):
    """What is known of wrong labels, as options of :func:`hitcurve.evaluate`."""

    contamination: Share | None = None
    mislabelled: Share | None = None
    unlabelled: bool = False

    @classmethod
    def of(cls, contamination: str | None, mislabelled: str | None, *, unlabelled: bool) -> WrongLabels:
        """Read the options.

        Raises
        ------
        ParameterError
            If a share is not a number, or a number and its standard error.
        """
        return cls(
            share_with_error("--contamination", contamination),
            share_with_error("--mislabelled", mislabelled),
            unlabelled,
        )

    @property
    def given(self) -> bool:
        """Whether labels are to be corrected."""
        return self != WrongLabels()

    def defaults(self, metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
        """Return those of the default metrics that are corrected for wrong labels, where labels are."""
        return tuple(m for m in metrics if m.label_correction) if self.given else metrics

    @property
    def options(self) -> dict[str, Any]:
        """The arguments."""
        return self._asdict()
