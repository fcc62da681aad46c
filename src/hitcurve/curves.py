"""The named curves, from labels and scores or from a table."""

from __future__ import annotations

from typing import Any, TypedDict, Unpack

from hitcurve.curve import Curve
from hitcurve.errors import ParameterError
from hitcurve.magnify import Magnification
from hitcurve.table import HitTable


class ReadingOptions(TypedDict, total=False):
    """How labels and scores are read, as in :meth:`hitcurve.HitTable.from_scores`.

    Attributes
    ----------
    sample_weight : array-like (n,)
    pos_label : object
    higher_is_better : bool
    missing : {"raise", "drop", "last"}
    """

    sample_weight: Any
    pos_label: Any
    higher_is_better: bool
    missing: str


def table_of(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> HitTable:
    """Return the table of labels and scores, or a table as it is.

    Raises
    ------
    ParameterError
        If there are labels without scores, or a table and something to read.
    """
    if not isinstance(y_true, HitTable):
        if y_score is None:
            raise ParameterError(f"give labels and scores, or a HitTable, got {type(y_true).__name__} alone")
        return HitTable.from_scores(y_true, y_score, **reading)
    if y_score is not None or reading:
        extra = ", ".join(reading) or "scores"
        raise ParameterError(
            f"{extra} cannot be given with a HitTable: give the table alone, or labels and scores with {extra}"
        )
    return y_true


def roc_curve(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> Curve:
    """Return the ROC curve: TPR over FPR.

    Parameters
    ----------
    y_true : array-like (n,) or HitTable
        Labels of two classes, or a table instead of labels and scores.
    y_score : array-like (n,), optional
    **reading
        As in :class:`~hitcurve.curves.ReadingOptions`.

    Examples
    --------
    >>> roc = roc_curve([1, 0, 1, 0], [4, 3, 2, 1])
    >>> roc.x.tolist(), roc.y.tolist(), roc.threshold.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 4.0, 3.0, 2.0, 1.0])
    """
    return table_of(y_true, y_score, **reading).curve("roc")


def det_curve(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> Curve:
    """Return the detection error tradeoff: FNR over FPR (Martin et al. 1997); a lower curve is better.

    ``FNR = 1 - TPR``; from (0, 1) to (1, 0). Figures draw it on normal-deviate axes, on which it is straight for normal
    scores.

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.

    Examples
    --------
    >>> det_curve([1, 0, 1, 0], [4, 3, 2, 1]).y.tolist()
    [1.0, 0.5, 0.5, 0.0, 0.0]
    """
    return table_of(y_true, y_score, **reading).curve("det")


def hit_curve(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> Curve:
    """Return the hit curve: true positives over subjects selected, both as fractions of all subjects.

    ``h(r) = pi TPR`` over the rate r (Su, Yuan and Zhu 2015); from (0, 0) to (1, pi), slope in [0, 1].

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.

    Examples
    --------
    >>> hit_curve([1, 0, 1, 0], [4, 3, 2, 1]).y.tolist()
    [0.0, 0.25, 0.25, 0.5, 0.5]
    """
    return table_of(y_true, y_score, **reading).curve("hit")


def accumulation_curve(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> Curve:
    """Return the accumulation curve: TPR over the rate; also enrichment or cumulative gains curve.

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.

    Examples
    --------
    >>> accumulation_curve([1, 0, 1, 0], [4, 3, 2, 1]).at(0.5)
    0.5
    """
    return table_of(y_true, y_score, **reading).curve("accumulation")


def precision_recall_curve(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> Curve:
    """Return the precision-recall curve.

    Between vertices it follows the counts (Davis and Goadrich 2006). It starts at the limit along the counts, 0 if a
    negative is ranked first; that point is not observed (``starts_at_limit``).

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.

    Examples
    --------
    >>> pr = precision_recall_curve([1, 0, 1, 0], [4, 3, 2, 1])
    >>> pr.at(0.5), round(pr.at(0.75), 4)
    (1.0, 0.6)
    """
    return table_of(y_true, y_score, **reading).curve("precision_recall")


def croc_curve(
    y_true: Any,
    y_score: Any = None,
    *,
    magnification: Magnification | str | None = None,
    y_magnification: Magnification | str | None = None,
    **reading: Unpack[ReadingOptions],
) -> Curve:
    """Return the concentrated ROC curve (Swamidass et al. 2010): TPR over the magnified FPR.

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.
    magnification : Magnification or str, optional
        ``Exponential(7)`` if absent.
    y_magnification : Magnification or str, optional
        Magnifies TPR as well.

    Raises
    ------
    ParameterError
        If a magnification is none.

    Examples
    --------
    >>> from hitcurve.magnify import Exponential
    >>> round(croc_curve([1, 0, 1, 0], [4, 3, 2, 1], magnification=Exponential(7)).area(), 4)
    0.5147
    """
    return table_of(y_true, y_score, **reading).curve(
        "croc", magnification=magnification, y_magnification=y_magnification
    )


def cac_curve(
    y_true: Any,
    y_score: Any = None,
    *,
    magnification: Magnification | str | None = None,
    y_magnification: Magnification | str | None = None,
    **reading: Unpack[ReadingOptions],
) -> Curve:
    """Return the concentrated accumulation curve: TPR over the magnified rate.

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.
    magnification, y_magnification : Magnification or str, optional
        As in :func:`croc_curve`.

    Examples
    --------
    >>> from hitcurve.magnify import Exponential
    >>> round(cac_curve([1, 0, 1, 0], [4, 3, 2, 1], magnification=Exponential(7)).area(), 4)
    0.2425
    """
    return table_of(y_true, y_score, **reading).curve(
        "cac", magnification=magnification, y_magnification=y_magnification
    )


def rate_accuracy_curve(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> Curve:
    """Return accuracy over the rate, ``pi TPR + (1 - pi)(1 - FPR)``.

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.

    Examples
    --------
    >>> rate_accuracy_curve([1, 0, 1, 0], [4, 3, 2, 1]).y.tolist()
    [0.5, 0.75, 0.5, 0.75, 0.5]
    """
    return table_of(y_true, y_score, **reading).curve("rate_accuracy")


def rate_recall_curve(
    y_true: Any, y_score: Any = None, *, negative: bool = False, **reading: Unpack[ReadingOptions]
) -> Curve:
    """Return recall over the rate: TPR, or TNR if ``negative``.

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.
    negative : bool

    Examples
    --------
    >>> rate_recall_curve([1, 0, 1, 0], [4, 3, 2, 1], negative=True).y.tolist()
    [1.0, 1.0, 0.5, 0.5, 0.0]
    """
    return table_of(y_true, y_score, **reading).curve("rate_negative_recall" if negative else "rate_recall")


def lift_curve(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> Curve:
    """Return lift over the rate, ``TPR / rate``; it starts at the limit along the counts.

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.

    Examples
    --------
    >>> lift_curve([1, 0, 1, 0], [4, 3, 2, 1]).y.round(3).tolist()
    [2.0, 2.0, 1.0, 1.333, 1.0]
    """
    return table_of(y_true, y_score, **reading).curve("lift")


def proc_curve(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> Curve:
    """Return the pROC curve: TPR over ``log10(max(FPR, 1/(2n)))`` (Clark and Webster-Clark 2008).

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.

    Examples
    --------
    >>> round(proc_curve([1, 0, 1, 0], [4, 3, 2, 1]).area(), 4)
    0.6021
    """
    return table_of(y_true, y_score, **reading).curve("proc")


def pac_curve(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> Curve:
    """Return the logarithmic accumulation curve: TPR over log10 of the rate; it starts at minus infinity.

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.

    Examples
    --------
    >>> pac_curve([1, 0, 1, 0], [4, 3, 2, 1]).x.round(3).tolist()
    [-inf, -0.602, -0.301, -0.125, 0.0]
    """
    return table_of(y_true, y_score, **reading).curve("pac")


def prg_curve(y_true: Any, y_score: Any = None, **reading: Unpack[ReadingOptions]) -> Curve:
    """Return the precision-recall-gain curve (Flach and Kull 2015), from recall gain 0 on.

    Parameters
    ----------
    y_true, y_score, **reading
        As in :func:`roc_curve`.

    Examples
    --------
    >>> prg = prg_curve([1, 0, 1, 0], [4, 3, 2, 1])
    >>> prg.x.tolist(), prg.y.tolist()
    ([0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.5, 0.0])
    """
    return table_of(y_true, y_score, **reading).curve("prg")
