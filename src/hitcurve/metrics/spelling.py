"""What people and other tools call a metric: understood where it means one of ours, else answered."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from hitcurve.errors import MetricParseError
from hitcurve.grammar import Call, read

# each the one metric that the word means, wherever it is used
ALIASES = {
    **dict.fromkeys(("auroc", "roc_auc", "auc_roc", "rocauc", "aucroc", "roc_auc_score", "auc_score"), "auc"),
    **dict.fromkeys(("c_index", "c_statistic", "cstatistic", "concordance", "concordance_index"), "auc"),
    **dict.fromkeys(("average_precision", "average_precision_score", "avg_precision"), "ap"),
    **dict.fromkeys(("interpolated_average_precision", "interpolated_avg_precision", "voc_ap"), "interpolated_ap"),
    **dict.fromkeys(("auprg", "auc_prg", "prg_auc"), "prg_area"),
    **dict.fromkeys(("partial_auc", "partial_roc_auc", "auc_partial"), "pauc"),
    **dict.fromkeys(("enrichment_factor", "enrichment", "lift", "cumulative_lift"), "ef"),
    **dict.fromkeys(("normalized_ef", "normalised_ef", "nef", "relative_enrichment_factor"), "relative_ef"),
    **dict.fromkeys(("roce", "roc_ef", "roc_enrichment_factor"), "roc_enrichment"),
    **dict.fromkeys(("prec", "p", "ppv"), "precision"),
    **dict.fromkeys(("r_precision", "r_prec", "rprec", "rprecision"), "precision@R"),
    **dict.fromkeys(("log_auc", "logarithmic_auc"), "logauc"),
    **dict.fromkeys(("adjusted_logauc", "adj_logauc", "adjusted_log_auc"), "logauc(adjusted)"),
    "bedroc_score": "bedroc",
    "rie_score": "rie",
    "sum_log_rank": "slr",
    "proc_auc": "proc",
    "ndcg_score": "ndcg",
    "dcg_score": "dcg",
    "work_saved_over_sampling": "wss",
    **dict.fromkeys(("recall@fpr", "sensitivity@fpr", "sens@fpr"), "tpr@fpr"),
    **dict.fromkeys(("fpr@recall", "fpr@sensitivity"), "fpr@tpr"),
    **dict.fromkeys(("ppv@sensitivity", "precision@sensitivity", "precision@tpr", "ppv@recall"), "precision@recall"),
    **dict.fromkeys(("sensitivity@ppv", "recall@ppv", "tpr@precision"), "recall@precision"),
    **dict.fromkeys(("tpr@tnr", "tpr@specificity", "recall@specificity", "sens@spec"), "sensitivity@specificity"),
    **dict.fromkeys(("tnr@tpr", "specificity@recall", "specificity@tpr", "spec@sens"), "specificity@sensitivity"),
    **dict.fromkeys(("fpr95", "fpr_at_95_tpr", "fpr95tpr"), "fpr@tpr=95%"),
    **dict.fromkeys(("gini_coefficient", "somers_d", "somersd", "accuracy_ratio"), "gini"),
    **dict.fromkeys(("f1_max", "fmax", "best_f1", "maximum_f1"), "max_f1"),
    **dict.fromkeys(("ks_statistic", "kolmogorov_smirnov", "ks_score", "ks_stat", "max_youden", "youden_max"), "ks"),
    **dict.fromkeys(("normalised_wss", "normalized_wss", "tnr_at_recall"), "nwss"),
    **dict.fromkeys(("extra_relevant_found", "extra_relevant_records_found"), "erf"),
    **dict.fromkeys(("average_time_to_discovery", "average_time_to_discover"), "atd"),
    "normalised_loss": "loss",
    "normalized_loss": "loss",
    **dict.fromkeys(("efb", "bayes_enrichment", "bayes_enrichment_factor"), "roc_enrichment"),
}
# words that mean different things in different fields: refused with the choice, never guessed
AMBIGUOUS = {
    **dict.fromkeys(
        ("auprc", "aupr", "pr_auc", "prauc", "auc_pr", "aucpr", "prc_auc", "auc_prc", "auc_pr_curve", "average_pr"),
        "it may mean average precision, a step sum ('ap'), or the area under the precision-recall curve that "
        "follows the counts ('pr_area(keilwagen)'); they differ, and trapezoids are neither",
    ),
    **dict.fromkeys(
        ("hit_rate", "hitrate", "hr", "success_rate"),
        "it is recall in one field ('recall@1%') and precision in another ('precision@100')",
    ),
    **dict.fromkeys(
        ("sensitivity", "tpr", "true_positive_rate", "detection_rate"),
        "it is 'recall@1%' at a fraction of the list, and 'tpr@fpr=1%' at a false positive rate",
    ),
    **dict.fromkeys(
        ("re", "relative_enrichment"),
        "it is the ROC enrichment ('roc_enrichment@1%') or the enrichment as a fraction of its maximum "
        "('relative_ef@1%')",
    ),
    "r": "it is 'recall@100' or, with R, 'precision@R'",
    "map": "the mean over queries is taken over groups; of one ranking it is 'ap'",
}
_THRESHOLD = (
    "it measures a decision at one threshold, not a ranking: table.confusion(threshold=...) counts there (hitcurve "
    "confusion)"
)
_PROBABILITY = "it measures probabilities, which a ranking does not have"
_DECISION = f"alone {_THRESHOLD}; write 'f1@10%' above a cutoff, or 'max_f1'"
_FIRST = "it uses the first positive alone; write 'precision@10' or 'ap'"


def _curve(number: str) -> str:
    return f"it is a curve (hitcurve curve), whose usual number is {number!r}"


# what is no metric of an order, or another number for one of ours
NONE_OF_OURS = {
    **dict.fromkeys(
        ("mcc", "matthews_corrcoef", "fbeta", "f_beta", "f_score", "f_measure", "accuracy", "acc"),
        _THRESHOLD,
    ),
    "f1_score": _DECISION,
    **dict.fromkeys(
        (
            "recall_score",
            "accuracy_score",
            "balanced_accuracy",
            "balanced_accuracy_score",
            "kappa",
            "cohen_kappa",
            "jaccard",
            "g_mean",
        ),
        _THRESHOLD,
    ),
    **dict.fromkeys(
        ("specificity", "tnr", "fpr", "fnr", "npv", "youden", "youden_j", "informedness", "precision_score"),
        _THRESHOLD,
    ),
    **dict.fromkeys(
        ("brier", "brier_score", "brier_score_loss", "log_loss", "logloss", "cross_entropy", "nll", "mse", "rmse"),
        _PROBABILITY,
    ),
    **dict.fromkeys(("ece", "calibration", "calibration_error", "calibration_slope"), _PROBABILITY),
    **dict.fromkeys(
        ("efb_max", "efbmax", "max_efb", "maximum_enrichment", "largest_enrichment"),
        "the largest enrichment over all cuts is far too high on average and has a lower limit only: "
        "evaluate(...).largest_enrichment(ranker) returns both (hitcurve certify --enrichment), or write "
        "'roc_enrichment@1%'",
    ),
    **dict.fromkeys(("prc", "pr_curve", "precision_recall", "precision_recall_curve"), _curve("ap")),
    "roc_curve": _curve("auc"),
    **dict.fromkeys(("gains", "gains_curve", "cumulative_gains", "accumulation_curve"), _curve("auac")),
    **dict.fromkeys(("mrr", "rr", "reciprocal_rank", "mean_reciprocal_rank"), _FIRST),
    **dict.fromkeys(
        ("h_measure", "hmeasure"), "costs of errors are not weighted here; 'rauc' takes a density of the rate"
    ),
}
_PLACE = re.compile(r"(?P<name>[a-z][a-z_-]*?)(?:_at_|[_-])?(?P<number>\d+(?:\.\d+)?)(?P<percent>%?)", re.IGNORECASE)
# whose number is always the same thing: a parameter, a share in percent, a rank
_NUMBERED = {
    "bedroc": "({0})",
    "rie": "({0})",
    "roc": "({0})",
    "wss": "@{0}%",
    "nwss": "@{0}%",
    "ndcg": "@{0}",
    "p": "@{0}",
}
_AT_RANK = ("precision", "prec", "hits")
_AT_RATE = re.compile(r"([a-z]+)_at_(?:([a-z]+)[=_](\d+(?:\.\d+)?%?)|(\d+(?:\.\d+)?%)_([a-z]+))", re.IGNORECASE)


def spelled(text: str) -> str:
    """Return a form of words (``ROC AUC``), or with its number beside its name (``EF1%``), as it is written here.

    Raises
    ------
    MetricParseError
        If the number may be a share or a rank.
    """
    text = re.sub(r"\s+(?=%)|\s*([@=])\s*", r"\1", text)
    joined = "_".join(text.split())
    rate = _AT_RATE.fullmatch(joined)
    if rate is not None:  # tpr at fpr=5%, tpr at 5% fpr
        return f"{rate[1]}@{rate[2] or rate[5]}={rate[3] or rate[4]}".lower()
    word = joined.partition("@")[0].lower()
    if any(word in words for words in (ALIASES, AMBIGUOUS, NONE_OF_OURS)):
        text = joined
    found = _PLACE.fullmatch(joined)
    if found is None:
        return text
    name, number = found["name"].lower(), found["number"]
    if found["percent"]:
        return f"{name}@{number}%"
    if name in _NUMBERED:
        return name + _NUMBERED[name].format(number)
    if name in _AT_RANK and "_at_" in joined.lower():
        return f"{name}@{number}"
    if ALIASES.get(name, name) in ("ef", "recall", "precision", "hits", "relative_ef", "roc_enrichment"):
        raise MetricParseError(f"write {name}@{number}% for a fraction and {name}@{number} for a number of subjects")
    return text


def understood(call: Call, known: Iterable[str]) -> Call:
    """Return the call of one of our metrics that a word stands for.

    Parameters
    ----------
    call : Call
    known : iterable of str
        The registered names, which stand for themselves.

    Raises
    ------
    MetricParseError
        If the word means several metrics, or none of an order: with what to write.
    """
    call = _with_fixed_rate(call, known)
    if call.name in known:
        return _with_words(call)
    name = call.name.replace("-", "_").removesuffix("_at_k")
    if name in AMBIGUOUS:
        raise MetricParseError(f"{call.name} is ambiguous: {AMBIGUOUS[name]}")
    if name in NONE_OF_OURS:
        raise MetricParseError(f"{call.name} is not a metric here: {NONE_OF_OURS[name]}")
    if name not in ALIASES:
        return call if name not in known else replace(call, name=name)
    if name == "roc_auc_score" and set(call.keywords) == {"max_fpr"}:
        # as scikit-learn has it, on McClish's scale
        return Call("pauc", None, ("fpr", 0, call.keywords["max_fpr"]), {"scale": "mcclish"})
    meant = _with_fixed_rate(read(ALIASES[name]), known)
    if meant.at is not None and call.at is not None:
        raise MetricParseError(f"{call.name} takes nothing after @")
    arguments, keywords = meant.arguments + call.arguments, {**meant.keywords, **call.keywords}
    return _with_words(Call(meant.name, meant.at or call.at, arguments, keywords))


def _with_fixed_rate(call: Call, known: Iterable[str]) -> Call:
    """Return the call of a name that holds what is fixed, ``tpr@fpr``, where its place is left out."""
    name = f"{call.name}@{str(call.at).lower()}"
    return replace(call, name=name, at=None) if name in known or name in ALIASES else call


def _with_words(call: Call) -> Call:
    """Answer arguments of other tools that are written otherwise here."""
    wanted: Mapping[str, object] = call.keywords
    if call.name == "f1" and call.at is None and not call.arguments and not wanted:
        raise MetricParseError(f"f1 needs a cutoff: {_DECISION}")
    if call.name == "auc" and "max_fpr" in wanted:
        raise MetricParseError(
            f"a part of the ROC curve is written pauc(fpr, 0, {wanted['max_fpr']}), with scale=mcclish as scikit-learn "
            "has it"
        )
    named = bool(call.arguments) and isinstance(call.arguments[0], str)
    if call.name == "pauc" and not named and "over" not in wanted:
        raise MetricParseError("a part of the ROC curve is written pauc(fpr, 0, 0.1): over which rate, and its ends")
    return call


M = TypeVar("M")


def asked_as(metric: M, text: str) -> M:
    """Return an equal metric that prints as it was asked for."""
    out = copy.copy(metric)
    # in the place of its string, which is made once
    vars(out)["_written"] = text
    return out


def canonical(metric: object) -> str:
    """Return the string of a metric, whatever it was asked for by."""
    out = copy.copy(metric)
    vars(out).pop("_written", None)
    return str(out)
