"""Names of measures as ir_measures and trec_eval write them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from hitcurve import _checks, rows
from hitcurve.errors import HitcurveError, MetricParseError
from hitcurve.metrics import retrieval as of
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.registry import metric
from hitcurve.metrics.registry import metrics as read_metrics
from hitcurve.metrics.spelling import canonical

# by the names of ir_measures; those that it lacks are named alike
MEASURES: dict[str, type[of.TopicMeasure]] = {
    kind.name: kind
    for kind in (
        of.AP,
        of.P,
        of.R,
        of.Rprec,
        of.RR,
        of.Success,
        of.GradedNDCG,
        of.GradedDCG,
        of.IdealDCG,
        of.NDCGRel,
        of.RNDCG,
        of.G,
        of.ERR,
        of.NERR,
        of.Bpref,
        of.InfAP,
        of.IPrec,
        of.IPrec11,
        of.Judged,
        of.RBP,
        of.RBPResidual,
        of.GMAP,
        of.GMBpref,
        of.RprecMult,
        of.BinG,
        of.SetP,
        of.SetR,
        of.SetF,
        of.SetAP,
        of.Utility,
        of.NumRet,
        of.NumRel,
        of.NumRelRet,
        of.NumQ,
        of.NumNonrelJudgedRet,
        of.AlphaDCG,
        of.AlphaNDCG,
        of.ERRIA,
        of.NERRIA,
        of.NRBP,
        of.NNRBP,
        of.APIA,
        of.PIA,
        of.StRecall,
    )
}
ALIASES = {
    "MAP": "AP",
    "Precision": "P",
    "Recall": "R",
    "RPrec": "Rprec",
    "MRR": "RR",
    "NDCG": "nDCG",
    "BPref": "Bpref",
    "SetRelP": "SetP(relative=True)",
}
_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_TENTHS = tuple(f"{tenth / 10:.2f}" for tenth in range(11))
# trec_eval's: the name here, # for a parameter, and the parameters that stand for none
TREC_EVAL: dict[str, tuple[str, tuple[str, ...]]] = {
    "num_q": ("NumQ", ()),
    "num_ret": ("NumRet", ()),
    "num_rel": ("NumRel", ()),
    "num_rel_ret": ("NumRelRet", ()),
    "map": ("AP", ()),
    "gm_map": ("GMAP", ()),
    "Rprec": ("Rprec", ()),
    "bpref": ("Bpref", ()),
    "recip_rank": ("RR", ()),
    "iprec_at_recall": ("IPrec@#", _TENTHS),
    "P": ("P@#", _CUTOFFS),
    "recall": ("R@#", _CUTOFFS),
    "infAP": ("infAP", ()),
    "gm_bpref": ("GMBpref", ()),
    "utility": ("utility", ()),
    "11pt_avg": ("IPrec11", ()),
    "ndcg": ("nDCG", ()),
    "relative_P": ("relative_ef@#", _CUTOFFS),
    "Rprec_mult": ("Rprec_mult@#", tuple(f"{fifth / 5:.2f}" for fifth in range(1, 11))),
    "success": ("Success@#", ("1", "5", "10")),
    "map_cut": ("AP@#", _CUTOFFS),
    "ndcg_cut": ("nDCG@#", _CUTOFFS),
    "ndcg_rel": ("nDCG_rel", ()),
    "Rndcg": ("Rndcg", ()),
    "binG": ("binG", ()),
    "G": ("G", ()),
    "set_P": ("SetP", ()),
    "set_recall": ("SetR", ()),
    "set_relative_P": ("SetP(relative=True)", ()),
    "set_map": ("SetAP", ()),
    "set_F": ("SetF", ()),
    "num_nonrel_judged_ret": ("NumNonrelJudgedRet", ()),
    "dcg": ("DCG", ()),
    "ideal_dcg": ("ideal_dcg", ()),
    "rbp": ("RBP(p=0.9)", ()),
    "rbp_resid": ("RBP_residual(p=0.9)", ()),
}
_SIZES = ("num_q", "num_ret", "num_rel", "num_rel_ret")
# without runid and relstring, which are no numbers
NICKNAMES = {
    "official": (*_SIZES, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    "all_trec": tuple(name for name in TREC_EVAL if name not in ("dcg", "ideal_dcg", "rbp", "rbp_resid")),
    "set": (*_SIZES, "utility", "set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
}
_PAIRS = "preferences among documents are not evaluated"
_LACKING = {
    **dict.fromkeys(("runid", "relstring"), "it is not a number"),
    **dict.fromkeys(("prefs", "all_prefs", "qrels_jg"), f"{_PAIRS}, nor qrels of several judges"),
    **dict.fromkeys(("INST", "INSQ", "BPM", "SDCG", "NERR8", "NERR9", "NERR10", "NERR11"), "see RBP, ERR and nDCG"),
    "Compat": "overlap with an ideal ranking has no counterpart, see nDCG",
    "Accuracy": "of judged and retrieved documents it is an AUC: evaluate these documents as labels and scores",
}
_FORM = re.compile(
    r"(?P<name>[^\W\d]\w*)\s*(?P<inside>\(.*\))?\s*(?:@(?P<place>\d+(?:\.\d+)?))?(?P<behind>\(.*\))?", re.DOTALL
)
_PART = re.compile(r",(?![^{\[]*[}\]])")  # not within braces


class ReadMeasures(NamedTuple):
    """Measures that were read, and why others were not.

    Attributes
    ----------
    known : tuple of Metric
    unknown : mapping of str to str
        What was asked for and is none, with a sentence.
    names : mapping of Metric to str
        What each was asked for by: as it was typed, or its name in trec_eval where one name stands for several.
    """

    known: tuple[Metric, ...]
    unknown: Mapping[str, str]
    names: Mapping[Metric, str]


def read_measures(specs: Any) -> ReadMeasures:
    """Return the measures that :func:`hitcurve.trec_metric` reads, and separately the names that are not measures.

    Parameters
    ----------
    specs : str, Metric, measure of ir_measures, or an iterable of these

    Examples
    --------
    >>> read = read_measures(["P.5,10", "nDCG@10", "RBQ"])
    >>> [str(m) for m in read.known], list(read.unknown)
    (['precision@5', 'precision@10', 'ndcg@10'], ['RBQ'])
    """
    known: list[Metric] = []
    unknown: dict[str, str] = {}
    names: dict[Metric, str] = {}
    for spec in specs if isinstance(specs, Iterable) and not isinstance(specs, str) else [specs]:
        try:
            found = trec_metrics(spec)
        except MetricParseError as error:
            unknown[str(spec)] = str(error)
            continue
        known += found
        for one in found:
            names.setdefault(one, str(spec).strip() if len(found) == 1 else trec_name(one))
    return ReadMeasures(read_metrics(known) if known else (), unknown, names)


def trec_metric(spec: Any) -> Metric:
    """Return the metric for a measure of ir_measures or trec_eval; other strings as :func:`metric`.

    A measure that is a metric of two classes is that metric, such as ``ap`` for ``AP``; others are measures of runs and
    judgements, which :func:`hitcurve.evaluate_trec` evaluates.

    Parameters
    ----------
    spec : str, Metric or measure of ir_measures
        As ``"AP"``, ``"AP(rel=2)@100"``, ``"nDCG(dcg='exp-log2')@10"``, ``"map"``, ``"ndcg_cut_10"``, ``"P.10"``,
        ``ir_measures.AP @ 10``.

    Raises
    ------
    MetricParseError
        If it is none, or several (``"P"``, ``"official"``), which :func:`hitcurve.evaluate_trec` reads.

    Examples
    --------
    >>> str(trec_metric("P@10")), str(trec_metric("Rprec")), str(trec_metric("ef@1%"))
    ('precision@10', 'precision@R', 'ef@1%')
    >>> str(trec_metric("recip_rank")), str(trec_metric("map_cut.100"))
    ('RR', 'AP@100')
    """
    found = trec_metrics(spec)
    if len(found) > 1:
        raise MetricParseError(f"{spec!r} is {len(found)} measures: {rows.some(list(map(str, found)))}")
    return found[0]


def trec_metrics(spec: Any) -> tuple[Metric, ...]:
    """Return the metrics that a name of ir_measures or trec_eval stands for; other strings as :func:`metric`.

    trec_eval's ``P`` stands for nine, ``P.5,10`` for two, ``official`` and ``all_trec`` for its tables.

    Parameters
    ----------
    spec : str, Metric or measure of ir_measures

    Raises
    ------
    MetricParseError
        If it is none.
    """
    if type(spec).__module__.partition(".")[0] == "ir_measures":
        spec = str(spec)
    if not isinstance(spec, str):
        return (metric(spec),)
    text = spec.strip()
    if text in NICKNAMES:
        return tuple(found for name in NICKNAMES[text] for found in trec_metrics(name))
    if text in _LACKING:
        raise MetricParseError(f"{spec!r} is not computed: {_LACKING[text]}")
    try:
        written = _of_trec_eval(text)
        if written is not None:
            return tuple(map(_measure, written))
        found = _FORM.fullmatch(text)
        if found is not None and _named(found["name"]):
            return (_measure(text),)
    except MetricParseError:
        raise
    except HitcurveError as error:
        raise MetricParseError(f"cannot read measure {spec!r}: {error}") from None
    try:
        return (metric(spec),)
    except MetricParseError as error:
        near = _checks.did_you_mean(text.partition("@")[0].partition("(")[0], [*MEASURES, *ALIASES, *TREC_EVAL])
        raise MetricParseError(f"cannot read measure {spec!r}{near}" if near else str(error)) from None


def trec_name(found: Metric) -> str:
    """Return the name that trec_eval prints for a metric, such as ``ndcg_cut_10``; its own string if there is none.

    Examples
    --------
    >>> [trec_name(trec_metric(name)) for name in ("AP", "P@10", "nDCG@10", "ERR@20")]
    ['map', 'P_10', 'ndcg_cut_10', 'ERR@20']
    """
    text = canonical(found)
    return _TREC_NAMES.get(text) or _with_place(text) or text


# ---- trec_eval


def _of_trec_eval(text: str) -> list[str] | None:
    """Return a spelling of trec_eval in the names here, None if it is none."""
    base, dot, given = text.partition(".")
    if base in TREC_EVAL and dot:
        return _with_parameters(base, given.split(","))
    if text in TREC_EVAL:
        name, usual = TREC_EVAL[text]
        return [name.replace("#", place) for place in usual] or [name]
    base, _, place = text.rpartition("_")
    if base in TREC_EVAL and TREC_EVAL[base][1] and re.fullmatch(r"\d+(\.\d+)?", place):
        return [TREC_EVAL[base][0].replace("#", place)]
    return None


def _with_parameters(base: str, given: list[str]) -> list[str]:
    name, usual = TREC_EVAL[base]
    if usual:
        return [name.replace("#", place.strip()) for place in given]
    listed = ",".join(given)
    if base in ("ndcg", "dcg", "ndcg_rel", "Rndcg", "G") and "=" in listed:
        return [f"{name}(gains={{{listed.replace('=', ':')}}})"]
    if base == "utility":
        if len(given) != 4 or float(given[3]) != 0:
            raise MetricParseError(f"utility takes four numbers, and the last must be 0, got {listed}")
        return [f"utility(worth=[{','.join(given[:3])}])"]
    if base == "set_F":
        return [f"SetF(beta={listed})"]
    if base == "rbp" and listed.startswith("p="):
        return [f"RBP({listed})"]
    raise MetricParseError(f"{base}.{listed} cannot be read: {base} takes no parameter")


# ---- ir_measures


def _named(name: str) -> type[of.TopicMeasure] | None:
    return MEASURES.get(ALIASES.get(name, name).partition("(")[0])


def _measure(text: str) -> Metric:
    """Return the metric of a name of ir_measures, or of a form of the package."""
    found = as_written(text)
    return found.plain() if isinstance(found, of.TopicMeasure) else found


def as_written(text: str) -> Metric:
    """Return the metric that has this string, a measure of runs even where a metric of two classes is the same.

    Raises
    ------
    MetricParseError
        If there is none.
    """
    found = _FORM.fullmatch(text)
    kind = None if found is None else _named(found["name"])
    if found is None or kind is None:
        return metric(text)
    if found["inside"] and found["behind"]:
        raise MetricParseError(f"cannot read {text!r}: it has parameters twice")
    inside = (found["inside"] or found["behind"] or "()")[1:-1].strip()
    own = ALIASES.get(found["name"], "").partition("(")[2].rstrip(")")
    options = {}
    for part in [*_PART.split(inside), *_PART.split(own)]:
        key, equals, value = map(str.strip, part.partition("="))
        if part and not equals:
            raise MetricParseError(f"cannot read {text!r}: parameters are written rel=2, got {part!r}")
        if part:
            options[key] = _value(text, value)
    known = {field.name: field for field in fields(kind)}
    place = next((name for name, field in known.items() if field.metadata["form"] == "at"), None)
    if found["place"] is not None:
        if place is None:
            raise MetricParseError(f"{kind.name} takes nothing after @, got {text!r}")
        options[place] = _value(text, found["place"])
    for key in options:
        if key not in known:
            near = _checks.did_you_mean(key, known)
            raise MetricParseError(f"{kind.name} has no parameter {key!r}{near}; it takes {rows.listed(list(known))}")
    if place is not None and place not in options and not _is_optional(known[place]):
        example = 10 if place == "cutoff" else 0.1
        raise MetricParseError(f"{kind.name} needs a {place} after @, as in {kind.name}@{example}")
    return kind(**options)


def _is_optional(field: Any) -> bool:
    return field.default is None


def _value(text: str, value: str) -> Any:
    """Return a parameter as it was written: a number, a word, a list or a mapping of numbers."""
    plain = value.strip("'\"")
    if plain in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[plain]
    try:
        if value.startswith("{"):
            pairs = [part.partition(":") for part in value.strip("{}").split(",") if part.strip()]
            return {int(grade): float(gain) for grade, _, gain in pairs}
        if value.startswith(("[", "(")):
            return [float(part) for part in value.strip("[]()").split(",")]
        return int(value) if re.fullmatch(r"[-+]?\d+", value) else float(value)
    except ValueError:
        if value.startswith(("{", "[", "(")) or not re.fullmatch(r"[\w-]+", plain):
            raise MetricParseError(f"cannot read {value!r} in {text!r}") from None
        return plain


_TREC_NAMES = {str(_measure(name)): theirs for theirs, (name, usual) in TREC_EVAL.items() if not usual}
_PLACES = {name.partition("@")[0]: theirs for theirs, (name, usual) in TREC_EVAL.items() if usual}


def _with_place(text: str) -> str:
    """Return trec_eval's name with its parameter, empty if it has none."""
    name, _, place = text.partition("@")
    own = {"precision": "P", "recall": "recall", "ndcg": "ndcg_cut", "relative_ef": "relative_P"}
    theirs = own.get(name) or _PLACES.get(name)
    if theirs is None or not re.fullmatch(r"\d+(\.\d+)?", place):
        return ""
    return f"{theirs}_{float(place):.2f}" if TREC_EVAL[theirs][1][0].count(".") else f"{theirs}_{place}"
