"""A curve of a ranking, by the name of its kind."""

from __future__ import annotations

from typing import Any

from hitcurve import _checks
from hitcurve.curve.curve import Curve
from hitcurve.curve.kind import CurveKind, Ranking
from hitcurve.curve.kinds import KINDS
from hitcurve.errors import ParameterError
from hitcurve.magnify import Exponential, Magnification
from hitcurve.magnify.written import magnification_given


def curve_of(
    ranking: Ranking,
    curve: str,
    *,
    magnification: Magnification | str | None = None,
    y_magnification: Magnification | str | None = None,
) -> Curve:
    """Return a curve of a ranking by the name of its kind; see :meth:`hitcurve.HitTable.curve`.

    Raises
    ------
    ParameterError
        If the name is not a curve, the curve takes no magnification, or the magnification cannot be read.
    """
    kind = KINDS[_checks.choice("curve", curve, tuple(KINDS))]
    return Curve(
        kind, ranking, magnification_of(kind, magnification), _magnified_by(kind, "y_magnification", y_magnification)
    )


def magnification_of(kind: CurveKind, magnification: Any) -> Magnification | None:
    """Return the magnification of the x axis of a kind of curve: the one given, or the default one.

    Raises
    ------
    ParameterError
        If the kind is not magnified, or the magnification is none.
    """
    given = _magnified_by(kind, "magnification", magnification)
    return Exponential(7) if kind.magnified and given is None else given


def _magnified_by(kind: CurveKind, name: str, given: Any) -> Magnification | None:
    """Return a magnification, if it is one and the kind of curve takes one.

    Raises
    ------
    ParameterError
        If not.
    """
    if given is None:
        return None
    f = magnification_given(name, given)
    if not kind.magnified:
        those = " and ".join(name for name, one in KINDS.items() if one.magnified)
        raise ParameterError(f"a {kind.name} curve is not magnified: {those} curves are")
    return f
