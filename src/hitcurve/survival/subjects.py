"""Subjects with times, events and scores, as arrays or as columns of a frame, put into the order of their times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import EmptyInputError, InputError, MissingValueError, ParameterError, WeightError
from hitcurve.evaluation.given_files import check_options, in_order, is_elsewhere
from hitcurve.immutable import Compared
from hitcurve.sources import Block, GroupCodes, Reading, Tally, aligned, is_column, pick_columns
from hitcurve.sources.columns import names as read_names
from hitcurve.sources.columns import scores as score_column
from hitcurve.sources.placed import first_missing
from hitcurve.survival.censoring import Places, Sample
from hitcurve.survival.elsewhere import in_place, read_elsewhere
from hitcurve.survival.outcome import CASE, CENSORED, EventCodes, Read, read, separated

KAPLAN_MEIER = "kaplan-meier"
FROM = "censoring_from: "
"""What refusals of the sample begin with from which the censoring is estimated."""
_WITHOUT_DATA = "names of columns need data, as in evaluate_survival('time', 'event', ['a', 'b'], data=frame)"


class Options(NamedTuple):
    """How the columns of the subjects are read.

    Attributes
    ----------
    data : data frame or None
    codes : EventCodes
    strata : array-like, str, sequence of str or None
        Within which the censoring is estimated.
    clusters, sample_weight : array-like, str or None
    higher_is_better : bool or mapping of str to bool
    missing : {"raise", "drop", "last"}
    where, query : str or None
        Which rows of files, and of a database.
    """

    data: Any
    codes: EventCodes
    strata: Any
    clusters: Any
    sample_weight: Any
    higher_is_better: Any
    missing: str
    where: str | None = None
    query: str | None = None


@dataclass(frozen=True, eq=False)
class Subjects(Compared):
    """Subjects in the order of their times; equal ones are interchangeable.

    Attributes
    ----------
    sample : Sample
    scores : mapping of str to tuple of array (n,)
        Of each ranker: one column for all horizons, or one for each. High scores are good.
    order : array of int (n,)
        The row of each subject as it was given.
    clusters : array of int (n,) or None
    weighted : bool
        Whether subjects were given weights.
    tally : Tally
    reading : Reading
    notes : tuple of str
    horizons : tuple of float
        As they were given.
    strata : tuple of str
        Names of the strata of the censoring.
    """

    sample: Sample
    scores: Mapping[str, tuple[AnyArray, ...]]
    order: Places
    clusters: Places | None
    weighted: bool
    tally: Tally
    reading: Reading
    notes: tuple[str, ...]
    horizons: tuple[float, ...] = ()
    strata: tuple[str, ...] = ()

    def column(self, ranker: str, place: int) -> AnyArray:
        """Return the scores of a ranker at a horizon, by its place among all."""
        columns = self.scores[ranker]
        return columns[place if len(columns) > 1 else 0]

    def over_time(self, ranker: str) -> tuple[AnyArray, ...]:
        """Return the scores of a ranker: one column, or one for each horizon in the order of time."""
        columns = self.scores[ranker]
        return columns if len(columns) == 1 else tuple(columns[place] for place in np.argsort(self.horizons))

    def block(self, place: int, chosen: Places, case: AnyArray, weight: Array | None) -> Block:
        """Return some subjects at one horizon as those of a binary outcome."""
        scores = {name: self.column(name, place)[chosen] for name in self.scores}
        tally = Tally(chosen.size, 0, dict.fromkeys(scores, 0), frozenset({0, 1}))
        clusters = None if self.clusters is None else GroupCodes.of(self.clusters[chosen])
        return Block(case, scores, weight, tally, self.reading, clusters)


def subjects_of(time: Any, event: Any, scores: Any, horizons: Sequence[float], options: Options) -> Subjects:
    """Read the subjects.

    Raises
    ------
    InputError, ParameterError
        One of their kinds, for anything that is not such input.
    """
    time, event, scores, options, notes = _named(time, event, scores, options)
    with in_place(options.data, options.where):
        return _subjects_of(time, event, scores, horizons, options, notes)


def _subjects_of(
    time: Any, event: Any, scores: Any, horizons: Sequence[float], options: Options, of_files: tuple[str, ...]
) -> Subjects:
    given = separated(time, event)
    rankers = _columns_of(scores, horizons)
    every = {f"score {text!r}": values for columns in rankers.values() for text, values in columns}
    beside = {"time": given.time, "event": given.event, "sample_weight": options.sample_weight}
    found, notes = aligned({**beside, "clusters": options.clusters, **every, **_strata(options.strata)})
    with _named_row(found):
        times = read(given._replace(time=found["time"], event=found["event"]), options.missing)
    n = times.time.size
    reading = _reading(options, rankers)
    mark: AnyArray = np.ones(n, bool)
    if times.gone is not None:
        mark = np.where(times.gone, np.nan, 1.0)
    names = [text for columns in rankers.values() for text, _ in columns]
    lengths = {f"score {text!r}": score_column(text, found[f"score {text!r}"]).values for text in names}
    # what has no length is refused where weights are read
    weights = {name: found[name] for name in ("sample_weight",) if hasattr(found[name], "__len__")}
    _checks.same_length({"time": times.time, **lengths, **weights})
    # the rows that are kept are those whose numbers are left
    with _named_row(found):
        block = reading.block(
            mark,
            {text: found[f"score {text!r}"] for text in names},
            found["sample_weight"],
            whole=True,
        )
    block.tally.check_anybody()
    kept = np.arange(n) if block.kept is None else np.flatnonzero(block.kept)
    kind = options.codes.read(times.event[kept])
    weight = np.full(kept.size, block.unit) if block.weight is None else block.weight
    if not weight.any():
        raise WeightError("all weights are 0: give at least one above 0")
    if not weight[kind == CASE].any():
        raise WeightError("all subjects with the event have weight 0: give at least one of them a weight above 0")
    strata = [read_names("strata", found[name]) for name in _strata(options.strata)]
    for name, values in zip(_strata(options.strata), strata, strict=True):
        _checks.same_length({"time": times.time, name: values})
    stratum, called = _codes([values[kept] for values in strata]) if strata else (None, ())
    clusters = None
    if found["clusters"] is not None:
        values = read_names("clusters", found["clusters"])
        _checks.same_length({"time": times.time, "clusters": values})
        clusters = np.unique(values[kept], return_inverse=True)[1]
    own = times.time[kept]
    # sums that round must not depend on the order of the subjects
    keys = [block.scores[text] for text in names]
    beside_them = [column for column in (stratum, clusters) if column is not None]
    order = np.lexsort((*keys, *beside_them, weight, kind == 0, kind, own))
    return Subjects(
        Sample(own[order], kind[order], weight[order], None if stratum is None else stratum[order]),
        {name: tuple(block.scores[text][order] for text, _ in columns) for name, columns in rankers.items()},
        kept[order],
        None if clusters is None else clusters[order],
        options.sample_weight is not None,
        block.tally,
        Reading(None, {name: _is_high(options.higher_is_better, name) for name in rankers}, reading.missing),
        (*of_files, *notes),
        tuple(horizons),
        called,
    )


def sample_of(given: Any, codes: EventCodes, names: tuple[Any, Any] = (None, None)) -> Sample:
    """Return the sample from which the censoring is estimated.

    Parameters
    ----------
    given : pair of array-like, structured array, data frame, path or other data
        Times and events. Data frames, files and the like have them in columns of the names of the evaluated subjects.
    codes : EventCodes
    names : (str or None, str or None)
        Of the columns of times and events.

    Raises
    ------
    InputError
        One of its kinds.
    """
    if getattr(getattr(given, "dtype", None), "names", None) is not None:
        time, event = given, None
    elif is_elsewhere(given):
        time, event = read_elsewhere(given, [_column_of(names, 0)], [_column_of(names, 1)])[0].values()
    elif isinstance(given, tuple) and len(given) == 2:
        both = aligned({"time": given[0], "event": given[1]})[0]
        time, event = both["time"], both["event"]
    elif isinstance(given, Mapping) or hasattr(given, "columns"):
        wanted = [_column_of(names, 0), _column_of(names, 1)]
        columns = pick_columns(given, wanted)
        time, event = (columns[name] for name in wanted)
    else:
        raise ParameterError(
            f"censoring_from must be a pair of times and events, a structured array of both, or a data frame or file "
            f"with the columns of data, got {type(given).__name__}"
        )
    with in_place(given):
        found, censored = _read_sample(time, event, codes)
    # which event it was does not matter here
    kind = np.where(censored, CENSORED, CASE).astype(np.int8)
    order = np.lexsort((kind == 0, found.time))
    return Sample(found.time[order], kind[order], np.ones(order.size), None)


def _read_sample(time: Any, event: Any, codes: EventCodes) -> tuple[Read, AnyArray]:
    """Return times and events, and who is censored."""
    given = separated(time, event)
    try:
        with _named_row({"time": given.time, "event": given.event}):
            found = read(given, "raise", "leave those rows out")
        if found.time.size:
            return found, codes.are_censored(found.event)
    except InputError as error:
        raise type(error)(f"{FROM}{error}") from None
    raise EmptyInputError("censoring_from has no subjects: there is nothing to estimate the censoring from")


@contextmanager
def _named_row(columns: Mapping[str, Any]) -> Iterator[None]:
    """Say of a missing value in which row it is."""
    try:
        yield
    except MissingValueError as error:
        row = first_missing(str(error), columns)
        raise MissingValueError(str(error) if row is None else f"{error}; the first is in row {row}") from None


def _column_of(names: tuple[Any, Any], place: int) -> Any:
    """Return the name of the column of times or of events."""
    name = names[place]
    if not is_column(name):
        raise ParameterError(
            "censoring_from with columns needs time and event as names of columns, as in evaluate_survival('time', "
            "'event', ['a'], data=frame, censoring_from=other): give a pair of times and events"
        )
    return name


def _named(time: Any, event: Any, scores: Any, options: Options) -> tuple[Any, Any, Any, Options, tuple[str, ...]]:
    """Return columns in place of their names, and how they were read."""
    data = in_order(options.data)
    check_options(data, options.where, options.query)
    several = isinstance(options.strata, (list, tuple)) and bool(options.strata) and all(map(is_column, options.strata))
    strata = list(options.strata) if several else [options.strata]
    if options.data is None:
        named = (time, event, options.clusters, options.sample_weight, *strata, *_texts(scores))
        if any(isinstance(one, str) for one in named):
            raise ParameterError(_WITHOUT_DATA)
        return time, event, scores, options, ()
    if not is_column(time) or not is_column(event):
        raise ParameterError("with data, time and event are names of columns")
    if scores is None:
        raise ParameterError("evaluate_survival needs scores: names of columns of data")
    wanted = dict(scores) if isinstance(scores, Mapping) else {}
    if not wanted:
        own = [scores] if is_column(scores) else list(scores)
        _checks.distinct("ranker", [str(name) for name in own])
        wanted = {str(name): name for name in own}
    every = [one for value in wanted.values() for one in ([value] if is_column(value) else list(value))]
    if not all(map(is_column, every)):
        raise ParameterError("with data, scores are names of columns")
    numbers = [time, *every, *([options.sample_weight] if is_column(options.sample_weight) else [])]
    words = [one for one in (event, options.clusters, *strata) if is_column(one)]
    notes: tuple[str, ...] = ()
    if is_elsewhere(data):
        texts = [list(map(str, dict.fromkeys(names))) for names in (numbers, words)]
        columns, notes = read_elsewhere(data, texts[0], texts[1], options.where, options.query)
    else:
        columns = pick_columns(data, list(dict.fromkeys([*numbers, *words])))

    def column(one: Any) -> Any:
        return columns[one] if is_column(one) else one

    picked = {
        name: columns[value] if is_column(value) else [columns[one] for one in value] for name, value in wanted.items()
    }
    if is_column(options.strata) or several:
        options = options._replace(strata={str(name): columns[name] for name in strata})
    own_options = options._replace(clusters=column(options.clusters), sample_weight=column(options.sample_weight))
    return columns[time], columns[event], picked, own_options, notes


def _texts(scores: Any) -> list[Any]:
    if isinstance(scores, Mapping):
        return [value for value in scores.values() if isinstance(value, str)]
    return [scores] if isinstance(scores, str) else list(scores)[:1] if isinstance(scores, (list, tuple)) else []


def _columns_of(scores: Any, horizons: Sequence[float]) -> dict[str, list[tuple[str, Any]]]:
    """Return the columns of each ranker by what they are called: one, or one for each horizon.

    Raises
    ------
    InputError, ParameterError
        If there is no score, or a ranker has neither one column nor as many as there are horizons.
    """
    if scores is None:
        raise ParameterError("evaluate_survival needs scores")
    given = dict(scores) if isinstance(scores, Mapping) else {"score": scores}
    if not given:
        raise InputError("no scores: there is no ranker to evaluate")
    _checks.distinct("ranker", [str(name) for name in given])
    found: dict[str, list[tuple[str, Any]]] = {}
    for name, values in given.items():
        columns = _over_time(values)
        if columns is None:
            found[str(name)] = [(str(name), values)]
            continue
        if len(columns) != len(horizons):
            raise InputError(
                f"score {str(name)!r} has {len(columns)} columns for {len(horizons)} horizons: give one column for all "
                "horizons, or one for each"
            )
        if len(columns) == 1:
            found[str(name)] = [(str(name), columns[0])]
            continue
        found[str(name)] = [
            (f"{name} at {rows.exact(horizon)}", column) for horizon, column in zip(horizons, columns, strict=True)
        ]
    return found


def _over_time(values: Any) -> list[Any] | None:
    """Return the columns of scores that depend on time, None of a single column."""
    if getattr(values, "ndim", 1) == 2:
        if hasattr(values, "iloc"):
            return [values.iloc[:, place] for place in range(values.shape[1])]
        array = np.asarray(values)
        return [array[:, place] for place in range(array.shape[1])]
    if isinstance(values, (list, tuple)) and values and getattr(values[0], "ndim", 0) == 1:
        return list(values)
    return None


def _strata(given: Any) -> dict[str, Any]:
    if given is None:
        return {}
    return (
        {f"strata {name}": values for name, values in given.items()}
        if isinstance(given, Mapping)
        else {"strata": given}
    )


def _codes(columns: Sequence[AnyArray]) -> tuple[Places, tuple[str, ...]]:
    """Return the stratum of each subject by one or several columns, and what each stratum is called."""
    codes = np.zeros(columns[0].size, np.intp)
    for values in columns:
        own = np.unique(values, return_inverse=True)[1]
        codes = np.unique(codes * (int(own.max()) + 1) + own, return_inverse=True)[1]
    first = np.unique(codes, return_index=True)[1]
    names = zip(*(values[first].tolist() for values in columns), strict=True)
    return codes, tuple(", ".join(map(str, of_one)) for of_one in names)


def _is_high(given: Any, name: str) -> bool:
    return bool(given.get(name, True)) if isinstance(given, Mapping) else bool(given)


def _reading(options: Options, rankers: Mapping[str, Sequence[tuple[str, Any]]]) -> Reading:
    """Return how scores are read, with the direction of a ranker for each of its columns."""
    high = options.higher_is_better
    if isinstance(high, Mapping):
        high = {str(name): value for name, value in high.items()}
    own = Reading(None, high, options.missing)
    own.check_rankers(tuple(rankers))
    if not isinstance(high, Mapping):
        return own
    return Reading(
        None, {text: own.is_high_good(name) for name, columns in rankers.items() for text, _ in columns}, own.missing
    )
