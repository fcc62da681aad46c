"""What a metric is: a frozen value that says what a rank is worth."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import ParameterError, SingleClassError, UndefinedMetricError, UndefinedMetricWarning
from hitcurve.metrics.written import write
from hitcurve.sources import arrays
from hitcurve.table import HitTable


class Gradient(NamedTuple):
    """Derivatives of a metric with respect to the cumulative vectors and the prevalence.

    Attributes
    ----------
    P, Q : array (..., K)
        Derivatives with respect to TPR and FPR down to each row, the other rows held fixed.
    pi : array (...)
        Derivative with respect to the prevalence, TPR, FPR and n held fixed.
    """

    P: Array
    Q: Array
    pi: Array


class RankWeights(NamedTuple):
    """What a positive of each row adds to a metric that is a mean, or a sum, over the positives.

    The metric is ``offset + factor * sum_k p_k w_k``, with p_k the share of the positives that are in row k; of a
    metric that is a sum, the number of positives stands in the place of the share.

    Attributes
    ----------
    rows : array (..., K)
        The weights w.
    offset, factor : array (...) or float
    summed : bool
        Whether the metric is the sum of the weights of the positives, not the mean.
    """

    rows: Array
    offset: Array | float = 0.0
    factor: Array | float = 1.0
    summed: bool = False


class Metric(Protocol):
    """What a rank is worth, as a value: it prints, parses back, compares and hashes.

    To add one, write a frozen dataclass that inherits from this class, give it a ``name`` and a ``kernel``, and
    pass it to :func:`hitcurve.register_metric`. A kernel sees :class:`~hitcurve.counts.Counts`, never a table,
    and must treat all axes but the last as replicates and rows that hold nobody as neutral.

    Attributes
    ----------
    name : str
        Word that opens the written form.
    summary : str
        One line for lists.
    reference : str
        Where it was published; empty if it is your own.
    axis : {"fpr", "rate", "rank", "own"}
        What the weights of the ranks depend on. Metrics on ranks refuse tables whose prevalence was set.
    needs_subjects : bool
        Whether a row must hold whole subjects, so that sums of weights are refused.
    """

    name: ClassVar[str]
    summary: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    axis: ClassVar[str] = "own"
    needs_subjects: ClassVar[bool] = False

    def kernel(self, c: Counts) -> Array:
        """Return the value of each replicate: an array of the leading shape."""
        ...

    def kernel_gradient(self, c: Counts) -> Gradient | None:
        """Return the gradient of each replicate, or None if there is no closed form."""
        return None

    def kernel_rank_weights(self, c: Counts, *, of_ranks: bool = False) -> RankWeights | None:
        """Return what a positive of each row adds to the metric, or None if it is not a mean over the positives.

        Parameters
        ----------
        c : Counts
        of_ranks : bool
            Ask for weights of the ranks alone, which are the same for every order of the subjects; None if there are
            none.
        """
        return None

    # ---- evaluation

    def value(self, table: HitTable | Counts) -> Any:
        """Evaluate the metric.

        Parameters
        ----------
        table : HitTable or Counts
            One ranking, or counts with replicates on leading axes.

        Returns
        -------
        float, or array of the leading shape

        Raises
        ------
        SingleClassError
            If there is no positive or no negative.
        UndefinedMetricError
            If the metric has no meaning on this table; the sentence says why.
        """
        return plain(self.kernel(self._admit(table)))

    def gradient(self, table: HitTable | Counts) -> Gradient | None:
        """Return the derivatives at a table, or None where they must be taken numerically."""
        return self.kernel_gradient(self._admit(table))

    def __call__(
        self,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        higher_is_better: bool = True,
        missing: str = "raise",
        undefined: str = "raise",
    ) -> float:
        """Evaluate the metric on labels and scores; arguments as in :meth:`hitcurve.HitTable.from_scores`.

        Parameters
        ----------
        undefined : {"raise", "nan"}
            Whether a metric that has no meaning on these data raises, or is nan with one warning.
        """
        _checks.choice("undefined", undefined, ("raise", "nan"))
        source = arrays(
            y_true,
            {"y_score": y_score},
            pos_label=pos_label,
            weight=sample_weight,
            higher_is_better=higher_is_better,
            missing=missing,
        )
        try:
            return float(self.value(HitTable.of_block(source.block, "y_score")))
        except (SingleClassError, UndefinedMetricError) as error:
            if undefined == "raise":
                raise
            warn_undefined(str(self), str(error))
            return math.nan

    def _admit(self, table: HitTable | Counts) -> Counts:
        if not isinstance(table, (HitTable, Counts)):
            raise ParameterError(
                f"{self} is evaluated on a HitTable, got {table!r}: make one with HitTable.from_scores"
            )
        c = table.counts if isinstance(table, HitTable) else table
        _checks.both_classes(float(np.min(c.n1)), float(np.min(c.n0)))
        if self.axis == "rank" and c.prevalence is not None:
            raise UndefinedMetricError(
                f"{self} depends on whole ranks, which a table whose prevalence was set does not have"
            )
        if self.needs_subjects and not c.whole:
            raise UndefinedMetricError(f"{self} needs whole subjects: weights and set prevalences have none")
        return c

    # ---- context

    def random(self, table: HitTable | Counts) -> Any:
        """Return the value of the list whose subjects are all tied."""
        return plain(self.kernel(_reference(self._admit(table), "random")))

    def random_mean(self, table: HitTable) -> float | None:
        """Return the expectation over all strict orders of one table, or None where it has no closed form."""
        return None

    def best(self, table: HitTable | Counts) -> Any:
        """Return the value of the perfect order: what is attainable with these classes."""
        return plain(self.kernel(_reference(self._admit(table), "best")))

    def worst(self, table: HitTable | Counts) -> Any:
        """Return the value of the reversed perfect order."""
        return plain(self.kernel(_reference(self._admit(table), "worst")))

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value over all tables."""
        return 0.0, 1.0

    def convention(self, table: HitTable | Counts) -> str:
        """Say which of the conventions that differ between tools the number follows; empty if there is none."""
        return ""

    def caution(self, table: HitTable | Counts) -> str:
        """Say why the number misleads on this table; empty if it does not."""
        return ""

    # ---- as a value

    def __str__(self) -> str:
        """Return the written form, which parses back to an equal metric."""
        return write(self)

    @property
    def __name__(self) -> str:
        """Written form; scikit-learn's make_scorer asks for it."""
        return str(self)


def _reference(c: Counts, order: str) -> Counts:
    """Return one of the three lists that bound a metric: all tied, perfect, reversed."""
    n1, n0 = c.n1[..., None], c.n0[..., None]
    rows = {"random": [(n1, n0)], "best": [(n1, 0 * n0), (0 * n1, n0)], "worst": [(0 * n1, n0), (n1, 0 * n0)]}[order]
    pos, neg = (np.concatenate(column, axis=-1) for column in zip(*rows, strict=True))
    return Counts(pos, neg, c.prevalence, c.weighted)


def plain(values: AnyArray) -> Any:
    """Return a float where there are no replicates."""
    array = np.asarray(values)
    return float(array) if array.ndim == 0 else array


def warn_undefined(metric: str, reason: str) -> None:
    """Warn that a metric is nan, with the reason."""
    import warnings

    warnings.warn(f"{metric} is nan: {reason}", UndefinedMetricWarning, stacklevel=3)
