"""Options on labels that are wrong in a known way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from hitcurve.cli import offered

if TYPE_CHECKING:
    from hitcurve.metrics import Metric

Share = float | tuple[float, ...]

Contamination = Annotated[
    str | None,
    typer.Option(
        "--contamination",
        metavar="SHARE[,ERROR]",
        help="Correct for wrong labels: the share of the labelled positives that are negatives, as 0.05, or with its "
        "standard error, as 0.05,0.01.",
        show_default=False,
        rich_help_panel="Wrong or missing labels",
    ),
]
Mislabelled = Annotated[
    str | None,
    typer.Option(
        "--mislabelled",
        metavar="SHARE[,ERROR]",
        help="Correct for wrong labels: the share of the other subjects that are positives, as 0.1 or 0.1,0.02.",
        show_default=False,
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
    typer.Option(
        "--verification",
        autocompletion=offered.columns,
        help="Only some subjects have a verified label, which is missing for the others: column of the probability "
        "with which a label was verified. Each verified subject weighs its inverse.",
        show_default=False,
        rich_help_panel="Wrong or missing labels",
    ),
]
Prevalence = Annotated[
    str | None,
    typer.Option(
        "--prevalence",
        metavar="SHARE[,ERROR]",
        help="Evaluate at a known prevalence, such as for case-control data. With --unlabelled the share of positives "
        "among the unlabelled, as 0.2, or with its standard error, as 0.2,0.04.",
        show_default=False,
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
        return cls(share("--contamination", contamination), share("--mislabelled", mislabelled), unlabelled)

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


def share(option: str, text: str | None) -> Share | None:
    """Return a share, or a share and its standard error; None of nothing.

    Raises
    ------
    ParameterError
        If the text is neither.
    """
    from hitcurve.errors import ParameterError

    if text is None:
        return None
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) not in (1, 2):
        raise ParameterError(f"{option} must be a number or SHARE,ERROR, as 0.05 or 0.05,0.01, got {text!r}")
    return numbers[0] if len(numbers) == 1 else numbers
