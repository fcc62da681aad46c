"""Names of measures as ir_measures and trec_eval write them."""

from __future__ import annotations

import re

from hitcurve.errors import MetricParseError
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.registry import metric

# ir_measures (with its aliases), then trec_eval; # is a rank
NAMES = {
    "AP": "ap",
    "MAP": "ap",
    "P@#": "precision@#",
    "R@#": "recall@#",
    "Recall@#": "recall@#",
    "Rprec": "precision@R",
    "RPrec": "precision@R",
    "nDCG": "ndcg",
    "NDCG": "ndcg",
    "nDCG@#": "ndcg@#",
    "NDCG@#": "ndcg@#",
    "map": "ap",
    "P_#": "precision@#",
    "recall_#": "recall@#",
    "relative_P_#": "relative_ef@#",
    "ndcg_cut_#": "ndcg@#",
}
_DEPTH = "average precision of the first documents is 'ap' with depth={0} (--depth {0})"
_REFUSED = {
    **dict.fromkeys(("AP@#", "MAP@#", "map_cut_#"), _DEPTH),
    **dict.fromkeys(
        ("RR", "RR@#", "MRR", "MRR@#", "recip_rank"), "the reciprocal of the first rank is not a metric here"
    ),
    **dict.fromkeys(("Success@#", "success_#"), "it only states whether 'hits@{0}' is above 0"),
    **dict.fromkeys(("Bpref", "BPref", "bpref"), "preferences among judged documents have no counterpart"),
    **dict.fromkeys(("IPrec@#", "iprec_at_recall_#"), "see precision_recall_curve for precision at a recall"),
    **dict.fromkeys(("SetP", "SetR", "SetF", "SetRelP", "SetAP"), "retrieved documents are a list here, not a set"),
    **dict.fromkeys(("NumRet", "num_ret", "NumRel", "num_rel", "NumRelRet", "num_rel_ret"), "see topics of the result"),
    "gm_map": "means are arithmetic; take the geometric mean of values(run, 'ap')",
    **dict.fromkeys(
        ("ERR", "ERR@#", "NERR", "RBP", "RBP@#", "INST", "infAP", "Judged@#", "Compat", "Accuracy", "alpha_nDCG"),
        "it has no counterpart",
    ),
}
_FORM = re.compile(r"(?P<name>[A-Za-z]\w*?)(?P<inside>\(.*\))?(?P<place>(?:@|(?<=_))\d+(?:\.\d+)?)?")


def trec_metric(spec: str | Metric) -> Metric:
    """Return the metric for a measure of ir_measures or trec_eval; other strings as :func:`metric`.

    ======================================  ===========================
    name                                    metric
    ======================================  ===========================
    ``AP``, ``MAP``, ``map``                ``ap``
    ``P@10``, ``P_10``                      ``precision@10``
    ``R@100``, ``recall_100``               ``recall@100``
    ``Rprec``                               ``precision@R``
    ``nDCG``, ``NDCG``                      ``ndcg``
    ``nDCG@10``, ``ndcg_cut_10``            ``ndcg@10``
    ``relative_P_10``                       ``relative_ef@10``
    ======================================  ===========================

    Parameters
    ----------
    spec : str or Metric

    Raises
    ------
    MetricParseError
        If it is none of these, with the alternative. ``rel=`` raises it too: the smallest relevance of a relevant
        document is set once for all metrics (``relevant_from``).

    Examples
    --------
    >>> str(trec_metric("P@10")), str(trec_metric("Rprec")), str(trec_metric("ef@1%"))
    ('precision@10', 'precision@R', 'ef@1%')
    """
    found = _FORM.fullmatch(spec.strip()) if isinstance(spec, str) else None
    if found is None:
        return metric(spec)
    name, inside, place = found["name"], found["inside"], found["place"] or ""
    rank = place.removeprefix("@")
    written = f"{name}{'@' if '@' in place else ''}{'#' if rank else ''}"
    if written in _REFUSED:
        raise MetricParseError(f"{spec!r} is not computed: {_REFUSED[written].format(rank)}")
    if written not in NAMES:
        return metric(spec)
    if inside is not None:
        raise MetricParseError(f"{spec!r} is not computed: {_about(inside)}")
    return metric(NAMES[written].replace("#", rank))


def _about(inside: str) -> str:
    if "rel" in inside:
        return (
            "set the smallest relevance of a relevant document for all metrics at once (relevant_from=, "
            "--relevant-from)"
        )
    if "judged_only" in inside:
        return "unjudged documents are dropped for all metrics at once (unjudged='drop', --unjudged drop)"
    return f"{inside} has no counterpart"
