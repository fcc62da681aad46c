"""Metrics as people and other tools write them: understood where they mean one of ours, else answered."""

from __future__ import annotations

import re

import pytest

from hitcurve import metric
from hitcurve.errors import MetricParseError
from hitcurve.metrics import examples, names
from hitcurve.metrics.spelling import ALIASES, AMBIGUOUS, NONE_OF_OURS

UNDERSTOOD = {
    "Gini_Coefficient": "gini",
    "somers_d": "gini",
    "lift@10%": "ef@10%",
    "EF1%": "ef@1%",
    "EF_0.5%": "ef@0.5%",
    "ef(1%)": "ef@1%",
    "ef(0.01)": "ef@1%",
    "ef(100)": "ef@100",
    "ef@1%(floor)": "ef@1%(cut=floor)",
    "bedroc(20)": "bedroc(alpha=20)",
    "BEDROC80.5": "bedroc(alpha=80.5)",
    "bedroc_20": "bedroc(alpha=20)",
    "rie(100)": "rie(alpha=100)",
    "logauc(adjusted=true)": "logauc(0.001, 1, adjusted)",
    "logauc(adjusted=False)": "logauc(0.001, 1)",
    "adjusted_logauc": "logauc(0.001, 1, adjusted)",
    "average_precision_score": "ap",
    "roc_auc_score": "auc",
    "roc_auc_score(max_fpr=0.1)": "pauc(fpr, 0, 0.1, scale=mcclish)",
    "AUC-ROC": "auc",
    "c_index": "auc",
    "auprg": "prg_area",
    "ap(expected)": "ap(ties=expected)",
    "interpolated_ap(11)": "interpolated_ap(points=11)",
    "pauc(fpr, 0, 0.1, mcclish)": "pauc(fpr, 0, 0.1, scale=mcclish)",
    "roce@1%": "roc_enrichment@1%",
    "roc_enrichment(0.01)": "roc_enrichment@1%",
    "roc_enrichment@1%(ceil)": "roc_enrichment@1%(cut=ceil)",
    "proc(negative)": "proc(floor=negative)",
    "roc50": "roc(50)",
    "wss95": "wss@95%",
    "wss(0.95)": "wss@95%",
    "P@10": "precision@10",
    "precision_at_10": "precision@10",
    "recall_at_5%": "recall@5%",
    "recall(k=10)": "recall@10",
    "ndcg_score(k=3)": "ndcg@3",
    "ndcg10": "ndcg@10",
    "rprec": "precision@R",
    "R-precision": "precision@R",
    "nef@1%": "relative_ef@1%",
    "EFB@1%": "roc_enrichment@1%",
    "KS": "ks",
    "ks_statistic": "ks",
    "nwss95": "nwss@95%",
    "normalized_wss@95%": "nwss@95%",
    "average_time_to_discovery": "atd",
    "F1@10%": "f1@10%",
}
ANSWERED = {
    "aucpr": ("'ap'", "pr_area(keilwagen)"),
    "prc_auc": ("'ap'", "pr_area(keilwagen)"),
    "pr-auc": ("'ap'", "pr_area(keilwagen)"),
    "efb_max": ("largest_enrichment", "--enrichment", "roc_enrichment@1%"),
    "hit_rate": ("recall@1%", "precision@100"),
    "sensitivity@1%": ("recall@1%", "tpr@fpr=1%"),
    "re@1%": ("roc_enrichment@1%", "relative_ef@1%"),
    "mcc": ("threshold", "table.confusion"),
    "F1": ("threshold", "table.confusion", "f1@10%", "max_f1"),
    "f1-score": ("threshold", "table.confusion", "f1@10%", "max_f1"),
    "accuracy": ("threshold", "table.confusion"),
    "brier": ("probabilities",),
    "log_loss": ("probabilities",),
    "mrr": ("first positive",),
    "enrichment_factor": ("a cutoff after @", "@1%"),
    "ef1": ("ef@1%", "ef@1 "),
    "recall10": ("recall@10%", "recall@10 "),
    "wss@95": ("wss@95%",),
    "roc_enrichment@5": ("roc_enrichment@5%",),
    "ndcg(10)": ("base=", "a cutoff after @"),
    "auc(max_fpr=0.1)": ("pauc(fpr, 0, 0.1)", "scale=mcclish"),
    "pauc(0.1)": ("pauc(fpr, 0, 0.1)",),
    "logauc(adjusted=maybe)": ("adjusted=true", "'maybe'"),
    "ef@1%(cieling)": ("cut", "'ceil'"),
    "pr_area(keilwagen, 0, 0.1)": ("lower=", "upper="),
}


@pytest.mark.parametrize(("text", "written"), UNDERSTOOD.items())
def test_what_means_one_of_ours_is_understood(text: str, written: str) -> None:
    assert str(metric(text)) == written


@pytest.mark.parametrize(("text", "said"), ANSWERED.items())
def test_what_does_not_is_told_what_to_write(text: str, said: tuple[str, ...]) -> None:
    with pytest.raises(MetricParseError) as caught:
        metric(text)
    sentence = f"{caught.value} "
    assert all(word in sentence for word in (*said, text)), sentence


def test_a_word_has_one_meaning() -> None:
    words = [*ALIASES, *AMBIGUOUS, *NONE_OF_OURS]
    assert len(set(words)) == len(words)
    # examples in the docs register theirs
    ours = {one.name for one in map(metric, examples().values()) if type(one).__module__.startswith("hitcurve.")}
    assert "ap" in ours
    assert not set(words) & ours


@pytest.mark.parametrize(("word", "meant"), ALIASES.items())
def test_every_alias_is_a_metric(word: str, meant: str) -> None:
    needed = {"pauc": "(fpr, 0, 0.1)"} | dict.fromkeys(
        ("ef", "relative_ef", "roc_enrichment", "precision", "wss", "nwss", "erf"), "@50%"
    )
    more = needed.get(meant, "=50%" if "@" in meant and meant in names() else "")
    assert metric(word + more) == metric(meant + more)


def test_the_tools_average_means_the_same_number() -> None:
    y, s = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [3, 3, 3, 2, 2, 2, 2, 1, 1, 0]
    sk = pytest.importorskip("sklearn.metrics")
    for word in ("roc_auc_score", "average_precision_score"):
        assert metric(word)(y, s) == pytest.approx(getattr(sk, word)(y, s), rel=1e-12)
    assert metric("roc_auc_score(max_fpr=0.3)")(y, s) == pytest.approx(sk.roc_auc_score(y, s, max_fpr=0.3), rel=1e-12)
    assert metric("ndcg_score(k=3)")(y, s) == pytest.approx(sk.ndcg_score([y], [s], k=3), rel=1e-12)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("ef 1%", "ef@1%"),
        ("recall @ 5 %", "recall@5%"),
        ("recall 10%", "recall@10%"),
        ("enrichment factor 1%", "ef@1%"),
        ("sensitivity at 95% specificity", "sensitivity@specificity=95%"),
        ("Recall at FPR = 5%", "tpr@fpr=5%"),
        ("ndcg 10", "ndcg@10"),
        ("sens@spec=95%", "sensitivity@specificity=95%"),
        ("precision at 10", "precision@10"),
    ],
)
def test_forms_of_words_are_read(words: str, meant: str) -> None:
    assert metric(words) == metric(meant)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("pauc", "pauc(fpr, 0, 0.1)"),
        ("pr-curve", "'ap'"),
        ("gains", "'auac'"),
        ("hit rate@10", "ambiguous"),
        ("recall 10", "recall@10% for a fraction"),
        ("auc ap", "give several one by one"),
        ("accuracy", "hitcurve confusion"),
    ],
)
def test_words_of_no_one_metric_are_answered(words: str, said: str) -> None:
    with pytest.raises(MetricParseError, match=re.escape(said)) as refused:
        metric(words)
    assert "_%" not in str(refused.value)
