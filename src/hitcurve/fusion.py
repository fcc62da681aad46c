"""Scores of several programs -> one score: the consensus of virtual screening, data fusion elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._callers import warn
from hitcurve.errors import EmptyInputError, MissingValueError, MissingValueWarning, ParameterError, ScoreError
from hitcurve.sources import Reading, columns, is_column, pick_columns, put_in_order

Array: TypeAlias = npt.NDArray[np.float64]
_MISSING = ("raise", "last")


class _Method(NamedTuple):
    standing: Callable[[npt.NDArray[Any]], Array]  # of the scores that are there, high is good
    absent: Callable[[Array, int], float]  # standing of what has no score, of what has and how many lack one
    fuse: Callable[[list[Array]], Array]


def _ranks(scores: npt.NDArray[Any]) -> Array:
    """Return minus the midrank from the top, so that high is good."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(scores) - (scores.size + 1))


def _rank_at_the_end(standing: Array, count: int) -> float:
    return -(standing.size + (count + 1) / 2)


def _z(scores: npt.NDArray[Any]) -> Array:
    values = scores.astype(float)
    if not values.size or values.min() == values.max():
        subjects = "1 subject" if values.size == 1 else f"{values.size} subjects"
        raise ScoreError(f"is constant for {subjects}, so it has no z-score")
    if not np.isfinite(values).all():
        raise ScoreError("has infinite values, so it has no z-score")
    # by a power of two, which changes no z-score: squares of e-values would vanish, those of huge scores overflow
    values = np.ldexp(values, -np.frexp(np.abs(values).max())[1])
    return np.asarray((values - values.mean()) / np.std(values, ddof=1))


def _lowest_z(standing: Array, count: int) -> float:
    return float(standing.min())


def _mean(standings: list[Array]) -> Array:
    return np.asarray(np.mean(standings, axis=0))


def _best(standings: list[Array]) -> Array:
    return np.asarray(np.max(standings, axis=0))


_METHODS = {
    "mean-rank": _Method(_ranks, _rank_at_the_end, _mean),
    "min-rank": _Method(_ranks, _rank_at_the_end, _best),
    "mean-z": _Method(_z, _lowest_z, _mean),
    "max-z": _Method(_z, _lowest_z, _best),
}


def fuse_scores(
    scores: Any,
    method: str = "mean-rank",
    *,
    data: Any = None,
    higher_is_better: bool | Mapping[str, bool] = True,
    by: Any = None,
    missing: str = "raise",
) -> Array:
    """Combine the scores of several programs for the same subjects into one consensus score.

    Parameters
    ----------
    scores : mapping of str to array-like (n,), or list of str
        Scores of at least two programs by name, or the names of their columns in ``data``.
    method : {"mean-rank", "min-rank", "mean-z", "max-z"}
        ``mean-rank``, ``min-rank``: the mean, or the best, of the ranks under the programs. Rank 1 is the best score;
        equal scores share the mean of their ranks (midranks). ``mean-z``, ``max-z``: the mean, or the largest,
        of the z-scores, (score - mean) / s.d. with the s.d. that divides by n - 1. Scores for which lower is
        better change their sign first.
    data : data frame or mapping of columns, optional
    higher_is_better : bool or mapping of str to bool
        Direction of all scores, or of each named score.
    by : array-like (n,) or str, optional
        Name of the group (the target) of each subject, or its column: ranks and z-scores are computed within groups.
    missing : {"raise", "last"}
        Treatment of missing scores. ``raise`` raises an error. ``last`` ranks the subject after all subjects that the
        program scored (in its group), with the midrank of these ranks or the lowest z-score; a warning gives the number
        of missing scores.

    Returns
    -------
    array (n,)
        Higher is better. For methods on ranks it is minus the mean or best rank, at most -1. For methods on z-scores it
        is unbounded, and random rankings have a ``mean-z`` around 0. With ``by``, scores are comparable within groups;
        across groups they are comparable only as far as ranks or z-scores are.

    Raises
    ------
    ParameterError
        If an argument has another value, or there are fewer than two programs.
    ColumnNotFoundError, LengthMismatchError, ScoreError, MissingValueError
        If a column is missing or unsuitable, or if z-scores are requested and a program gives all subjects (of a group)
        the same score or a score that is not finite.

    Warns
    -----
    MissingValueWarning
        If missing scores were ranked last.

    Notes
    -----
    ``min-rank`` and ``max-z`` follow the program that ranks a subject highest, and leave many ties at the top: with m
    programs up to m subjects have rank 1. ``mean-rank`` and ``mean-z`` require agreement.

    Examples
    --------
    >>> docked = {"surflex": [11.4, 9.2, 9.2, 6.7], "energy": [-9.5, -10.5, -7.0, -8.0]}
    >>> fuse_scores(docked, "mean-rank", higher_is_better={"energy": False}).tolist()
    [-1.5, -1.75, -3.25, -3.5]
    >>> fuse_scores(docked, "max-z", higher_is_better={"energy": False}).round(3).tolist()
    [1.184, 1.126, 0.039, -0.482]
    """
    chosen = _METHODS[_checks.choice("method", method, tuple(_METHODS))]
    _checks.choice("missing", missing, _MISSING)
    given, by = _columns(scores, data, by)
    reading = Reading(None, higher_is_better, missing)
    reading.check_rankers(tuple(given))
    groups = None if by is None else columns.labels("by", by)
    read = {name: columns.scores(name, values) for name, values in given.items()}
    parts = {name: column.values for name, column in read.items()} | ({} if groups is None else {"by": groups.values})
    n = _checks.same_length(parts)
    if not n:
        raise EmptyInputError("the input has no rows")
    if groups is not None and groups.gone is not None:
        raise MissingValueError(f"{int(groups.gone.sum())} of {n} values of by are missing: name the group of each row")
    gone = {name: column.gone for name, column in read.items() if column.gone is not None}
    if gone and missing == "raise":
        name, mask = next(iter(gone.items()))
        raise MissingValueError(
            f"{int(mask.sum())} of {n} values of score {name!r} are missing: leave those rows out, or rank them last "
            "in that program with missing='last'"
        )
    standings = []
    for name, column in read.items():
        values = columns.oriented(column.values, reading.is_high_good(name))
        there = np.ones(n, bool) if column.gone is None else ~column.gone
        standing = np.empty(n)
        for group, rows in _groups(None if groups is None else groups.values, n):
            whose = f"score {name!r}" + ("" if groups is None else f" of group {group!r}")
            standing[rows] = _standing(whose, chosen, values[rows], there[rows])
        standings.append(standing)
    if gone:
        counts = ", ".join(f"{int(mask.sum())} of {name!r}" for name, mask in gone.items())
        warn(MissingValueWarning(f"missing scores were ranked last: {counts}"))
    return chosen.fuse(standings)


def _columns(scores: Any, data: Any, by: Any) -> tuple[dict[str, Any], Any]:
    if data is None:
        if not isinstance(scores, Mapping) or isinstance(by, str):
            raise ParameterError(
                "scores must map names of programs to their scores; names of columns need data, as in "
                "fuse_scores(['a', 'b'], data=frame)"
            )
        given = {str(name): values for name, values in scores.items()}
        _checks.distinct("program", [str(name) for name in scores])
    else:
        if not isinstance(scores, (list, tuple)) or not all(map(is_column, scores)):
            raise ParameterError("with data, scores are a list of names of columns")
        names = list(scores)
        _checks.distinct("program", [str(name) for name in names])
        wanted = [*names, by] if is_column(by) else names
        picked = pick_columns(data, wanted, taken="data must be a data frame, a mapping or an Arrow stream")
        given = {str(name): picked[name] for name in names}
        by = picked[by] if is_column(by) else by
    if len(given) < 2:
        raise ParameterError(f"a consensus needs at least two programs, got {len(given)}")
    found = put_in_order({**{f"score {name!r}": values for name, values in given.items()}, "by": by})
    by = found.pop("by")
    return dict(zip(given, found.values(), strict=True)), by


def _groups(names: npt.NDArray[Any] | None, n: int) -> Iterator[tuple[Any, npt.NDArray[np.intp]]]:
    """Yield each group and its rows."""
    if names is None:
        yield None, np.arange(n)
        return
    places: dict[Any, int] = {}
    codes = np.array([places.setdefault(name, len(places)) for name in names.tolist()])
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes))
    yield from zip(places, np.split(order, ends[:-1]), strict=True)


def _standing(whose: str, method: _Method, scores: npt.NDArray[Any], there: npt.NDArray[np.bool_]) -> Array:
    """Return the ranks or z-scores of one program in one group, those of missing scores included."""
    out = np.empty(scores.size)
    try:
        out[there] = method.standing(scores[there])
    except ScoreError as error:
        raise ScoreError(f"{whose} {error}") from None
    if not there.all():
        out[~there] = method.absent(out[there], int((~there).sum()))
    return out
