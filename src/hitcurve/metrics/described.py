"""Description of a metric without data: its arguments and metric strings."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from hitcurve import rows
from hitcurve.errors import HitcurveError, MetricParseError
from hitcurve.grammar import read
from hitcurve.magnify import Magnification
from hitcurve.magnify.written import map_forms
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.registry import examples, metric
from hitcurve.metrics.spelling import ALIASES
from hitcurve.metrics.written import before_place, density_forms, map_text
from hitcurve.rates import RateDensity

_SECTION = re.compile(r"^Parameters\n-+\n(?P<body>.*?)(?=^[^\n]+\n-+\n|\Z)", re.DOTALL | re.MULTILINE)
_ENTRY = re.compile(
    r"^(?P<names>\w+(?:, \w+)*)(?: : (?P<kind>[^\n]*))?\n(?P<text>(?:[ \t]+[^\n]*\n|\n)*)", re.MULTILINE
)
_SAME = re.compile(r"As for :class:`(\w+)`[.;]?\s*")
_WRITTEN = {"positional": "argument", "keyword": "NAME=VALUE", "flag": "word", "at": "after @"}  # or =


class Parameter(NamedTuple):
    """One argument of a metric.

    Attributes
    ----------
    name : str
    written : str
        How it is given: ``argument`` (in order), ``NAME=VALUE``, ``word`` (for true), ``after @`` or ``after =``.
    value : str
        The value in the metric that was described.
    default : str
        Empty if it must be given.
    values : str
        Which values it takes.
    text : str
        What they mean; may be empty.
    """

    name: str
    written: str
    value: str
    default: str
    values: str
    text: str


def described(spec: str | Metric) -> Metric:
    """Return the metric of a metric string; a name alone stands for its example, where it needs an argument.

    Parameters
    ----------
    spec : str or Metric

    Raises
    ------
    MetricParseError
        If it does not parse, with the near names.

    Examples
    --------
    >>> str(described("ef")), str(described("croc(exp, alpha=80)"))
    ('ef@1%', 'croc(exp, alpha=80)')
    """
    try:
        return metric(spec)
    except MetricParseError:
        word = str(spec).strip().lower().replace("-", "_")
        shown = examples()
        name = word if word in shown else ALIASES.get(word, "")
        if name not in shown:
            raise
        return metric(shown[name])


def parameters(of: Metric) -> tuple[Parameter, ...]:
    """Return the arguments of a metric, in the order in which they are written.

    Examples
    --------
    >>> from hitcurve import metric
    >>> for one in parameters(metric("bedroc(alpha=80.5)")):
    ...     print(one.name, one.value, one.default, one.values, sep=" | ")
    alpha | 80.5 | 20 | float, above 0
    """
    found = []
    for f in dataclasses.fields(of):  # type: ignore[arg-type]
        if f.metadata.get("form") not in _WRITTEN:
            continue
        kind, text = _documented(type(of), f.name)
        default = "" if f.default is dataclasses.MISSING else _shown(f.default)
        found.append(
            Parameter(
                f.name, _written(of, f.metadata["form"]), _shown(getattr(of, f.name)), default, _values(kind), text
            )
        )
    return tuple(found)


def _written(of: Metric, form: str) -> str:
    return f"after {before_place(of.name)}" if form == "at" else _WRITTEN[form]


def definition(of: Metric) -> str:
    """Return the definition of a metric, with what random and perfect orders give; empty if it has none.

    Examples
    --------
    >>> from hitcurve import metric
    >>> definition(metric("cac(exp, alpha=7)"))[:30]
    'integral of TPR d f(rate). In '
    """
    above = re.split(r"^\S[^\n]*\n-{3,}$", inspect.cleandoc(type(of).__doc__ or ""), maxsplit=1, flags=re.MULTILINE)[0]
    return _prose(above.partition("\n\n")[2])


def metric_strings(of: Metric) -> tuple[str, ...]:
    """Return the ways to write a metric, its own string first; each parses back to an equal metric.

    Capitals and spaces make no difference, and keywords go in any order.

    Examples
    --------
    >>> from hitcurve import metric
    >>> metric_strings(metric("bedroc(alpha=20)"))
    ('bedroc(alpha=20)', 'bedroc', 'bedroc(20)', 'BEDROC20', 'bedroc_score(alpha=20)', 'bedroc_score')
    """
    return tuple(dict.fromkeys(text for text in _candidates(of) if _is(text, of)))


def _is(text: str, of: Metric) -> bool:
    try:
        return metric(text) == of
    except HitcurveError:
        return False


def _candidates(of: Metric) -> Iterator[str]:
    """Yield texts that may stand for a metric."""
    own = str(of)
    name, tail = of.name, own.removeprefix(of.name)
    yield own
    yield name
    call = read(own)
    mark = before_place(name)
    place, bare = f"{mark}{call.at}" if call.at else "", ", ".join(_values_of(of))
    if bare:
        yield f"{name}{place}({bare})"
    for text in _with_one_map(of):
        yield f"{name}{place}({text})"
    if call.at:
        share = rows.exact(float(call.at[:-1]) / 100) if call.at.endswith("%") else call.at
        yield f"{name}{mark}{share}{tail.removeprefix(place)}"
        yield f"{name}(k={share})"
        yield f"{name.upper()}{call.at}"
        yield f"{name}_at_{call.at}"
        yield f"{name.upper()}{call.at.removesuffix('%')}"
    if bare:
        yield f"{name.upper()}{bare}"
    for alias in ALIASES:
        yield f"{alias}{tail}"
        yield alias


def _values_of(of: Metric) -> list[str]:
    """Return the values of the keywords that are written, without their names."""
    return [
        _shown(getattr(of, f.name))
        for f in dataclasses.fields(of)  # type: ignore[arg-type]
        if f.metadata.get("form") == "keyword" and (f.metadata["always"] or getattr(of, f.name) != f.default)
    ]


def _with_one_map(of: Metric) -> Iterator[str]:
    """Yield a map with its parameters beside it, without their names."""
    for f in dataclasses.fields(of):  # type: ignore[arg-type]
        value = getattr(of, f.name)
        if f.metadata.get("form") == "positional" and isinstance(value, Magnification):
            word, _, inside = map_text(value).removesuffix(")").partition("(")
            yield ", ".join([word, *(part.partition("=")[2] for part in inside.split(", ") if part)])


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Magnification):
        return map_text(value)
    return rows.exact(value) if isinstance(value, float) else str(value)


def _values(kind: str) -> str:
    """Return which values an argument takes, in words of metric strings."""
    if kind == Magnification.__name__:
        return "; ".join(map_forms())
    if kind == RateDensity.__name__:
        return "; ".join(density_forms())
    return "true or false" if kind == "bool" else kind.replace("{", "").replace("}", "").replace('"', "")


def _documented(kind: type, name: str) -> tuple[str, str]:
    """Return type and description of an argument, from the docstring of its class or of the class named there."""
    for one in kind.__mro__:
        for entry in _ENTRY.finditer(_parameters_of(one)):
            if name not in entry["names"].split(", "):
                continue
            same = _SAME.search(entry["text"])
            if same is None:
                return (entry["kind"] or "").strip(), _prose(entry["text"])
            values, text = _documented(getattr(sys.modules[one.__module__], same[1]), name)
            return values, f"{text} {_prose(_SAME.sub('', entry['text']))}".strip()
    return "", ""


def _parameters_of(kind: type) -> str:
    found = _SECTION.search(inspect.cleandoc(kind.__doc__ or "") + "\n")
    return "" if found is None else found["body"]


def _prose(text: str) -> str:
    """Return a docstring's words on one line, without marks."""
    return re.sub(r":\w+:`~?(?:[\w.]*\.)?(\w+)`", r"\1", " ".join(text.split())).replace("``", "")
