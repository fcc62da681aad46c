"""What is found of the means over readers and of the differences of modalities."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Margin:
    """What a difference is compared with.

    Attributes
    ----------
    hypothesis : {"non-inferiority", "equivalence"}
    size : float
        Above 0, on the scale of the metric.
    """

    hypothesis: str
    size: float


@dataclass(frozen=True)
class ReaderMean:
    """The mean of a metric over the readers of one modality.

    Attributes
    ----------
    modality : str
    n_readers : int
    value, standard_error : float
    degrees_of_freedom : float
        Infinite where readers are fixed and cases independent.
    low, high : float
        Of the t interval on the scale of the study: the logit, whose intervals end inside the range of the metric, or
        the metric itself. nan without an error, and of a value at an end of the range on the logit scale.
    """

    modality: str
    n_readers: int
    value: float
    standard_error: float
    degrees_of_freedom: float
    low: float
    high: float


@dataclass(frozen=True)
class ReaderDifference:
    """The difference of two modalities, of their means over readers or of one reader.

    Attributes
    ----------
    first, second : str
        Modalities; the difference is first minus second.
    reader : str or None
        None of the means over readers.
    value, standard_error : float
    degrees_of_freedom : float
    low, high : float
    statistic : float
        t, or z where the degrees of freedom are infinite. With a standard error of 0 it is 0 of no difference, else
        nan.
    pvalue : float
        Two-sided, of no difference. With a standard error of 0 it is 1 of no difference, else nan: what does not vary
        is not tested.
    adjusted : float or None
        By Holm's method for all pairs of modalities; None of one pair.
    margin_pvalue : float or None
        One-sided, of a difference beyond the margin: small values say that the first is not inferior to the second, or
        that both are equivalent (the larger p value of two one-sided tests). None without a margin.
    margin_adjusted : float or None
        By Holm's method.
    """

    first: str
    second: str
    reader: str | None
    value: float
    standard_error: float
    degrees_of_freedom: float
    low: float
    high: float
    statistic: float
    pvalue: float
    adjusted: float | None = None
    margin_pvalue: float | None = None
    margin_adjusted: float | None = None

    @property
    def decisive_pvalue(self) -> float:
        """The adjusted p value if there is one, else the p value."""
        return self.pvalue if self.adjusted is None else self.adjusted


@dataclass(frozen=True)
class EqualityTest:
    """The test that all modalities are equal.

    Attributes
    ----------
    name : {"F", "chi-square"}
    statistic : float
    degrees_of_freedom : float
        Of the modalities.
    denominator_degrees : float
        Infinite of chi-square.
    pvalue : float
    """

    name: str
    statistic: float
    degrees_of_freedom: float
    denominator_degrees: float
    pvalue: float
