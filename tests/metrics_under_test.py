"""The metrics that every law runs over, and what theory says about each of them.

A law that holds for some metrics only names them by a predicate below, never by a list of those that happen to
pass.
"""

from __future__ import annotations

from hitcurve import Metric, metric

# all are defined on every list of at least 5 subjects
FORMS = (
    "ap",
    "ap(ties=expected)",
    "scaled_ap",
    "interpolated_ap",
    "interpolated_ap(points=11)",
    "interpolated_ap(points=101)",
    "pr_area(keilwagen)",
    "pr_area(keilwagen, upper=0.1)",
    "pr_area(keilwagen, lower=0.2, upper=0.7, scale=max)",
    "pr_area(davis_goadrich)",
    "prg_area",
    "auc",
    "gini",
    "pauc(fpr, 0, 0.1)",
    "pauc(fpr, 0, 0.3, scale=max)",
    "pauc(fpr, 0.2, 0.7, scale=mcclish)",
    "pauc(tpr, 0.6, 1)",
    "pauc(tpr, 0.8, 1, scale=max)",
    "pauc(tpr, 0.3, 0.9, scale=mcclish)",
    "roc(3)",
    "roc(50)",
    "croc(exp, alpha=7)",
    "croc(power, alpha=2.3)",
    "croc(log, alpha=80)",
    "croc(log2power, alpha=2)",
    "croc(cutoff, t=0.15)",
    "croc(step, t=0.15)",
    "croc(window, lower=0.1, upper=0.6)",
    "croc(logwindow, lower=0.01, upper=0.9)",
    "logauc(0.001, 1)",
    "logauc(0.01, 0.8, adjusted)",
    "proc",
    "proc(floor=negative)",
    "roc_enrichment@1%",
    "roc_enrichment@30%",
    "roc_enrichment@1%(cut=ceil)",
    "roc_enrichment@30%(cut=ceil)",
    "roc_enrichment@30%(cut=floor)",
    "half_auc(specific)",
    "half_auc(sensitive)",
    "magnified_area(x=exp(alpha=7), y=exp(alpha=3))",
    "magnified_area(x=log(alpha=80), y=power(alpha=0.5))",
    "magnified_area(y=exp(alpha=7))",
    "magnified_area(y=window(lower=0.8, upper=1))",
    "auac",
    "auac(scale=max)",
    "cac(exp, alpha=7)",
    "cac(power, alpha=2.3)",
    "cac(log, alpha=80)",
    "cac(log2power, alpha=2)",
    "cac(cutoff, t=0.15)",
    "cac(step, t=0.15)",
    "cac(window, lower=0.1, upper=0.6)",
    "cac(logwindow, lower=0.01, upper=0.9)",
    "rie(alpha=20)",
    "bedroc(alpha=20)",
    "bedroc(alpha=1e-08)",
    "bedroc(alpha=1000)",
    "rauc(beta(6.23, 32.8))",
    "rauc(uniform(0, 1))",
    "rauc(uniform(0.1, 0.5))",
    "rauc(point(0.3))",
    "rauc(mixture(0.75, beta(2, 5), 0.25, point(0.5)))",
    "expected_recall(beta(6.23, 32.8))",
    "expected_recall(uniform(0, 0.4))",
    "expected_recall(point(0.3))",
    "expected_recall(mixture(0.5, beta(0.5, 0.5), 0.5, uniform(0, 1)))",
    "expected_negative_recall(beta(6.23, 32.8))",
    "recall@1%",
    "recall@25%(cut=fractional)",
    "recall@R",
    "recall@5",
    "hits@5",
    "hits@R",
    "precision@R",
    "precision@5",
    "precision@20%(cut=floor)",
    "ef@1%",
    "ef@10%",
    "ef@10%(cut=floor)",
    "ef@10%(cut=round)",
    "ef@10%(cut=fractional)",
    "ef@R",
    "relative_ef@1%",
    "relative_ef@10%(cut=fractional)",
    "relative_ef@5",
    "slr",
    "dcg",
    "dcg@10",
    "dcg(base=10)",
    "ndcg",
    "ndcg@10",
    "ndcg@3",
    "wss@95%",
    "wss@80%(cut=round)",
    "wss@50%(cut=floor)",
    "nwss@95%",
    "nwss@50%(cut=floor)",
    "loss",
    "atd",
    "erf@10%",
    "erf@R",
    "erf@5",
    "f1@10%",
    "f1@R",
    "f1@5",
    "tpr@fpr=1%",
    "tpr@fpr=30%",
    "fpr@tpr=95%",
    "fpr@tpr=50%",
    "sensitivity@specificity=80%",
    "specificity@sensitivity=95%",
    "precision@recall=80%",
    "precision@recall=30%",
    "recall@precision=90%",
    "recall@precision=30%",
    "max_f1",
    "net_benefit@10%",
    "net_benefit@40%",
    "ks",
    "area(exp, alpha=7, along=rate)",
    "area(power, alpha=0.5)",
)

METRICS: tuple[Metric, ...] = tuple(metric(form) for form in FORMS)
BY_FORM: dict[str, Metric] = dict(zip(FORMS, METRICS, strict=True))

AT_RECALL = ("fpr@tpr", "specificity@sensitivity", "precision@recall")

# THEORY 5 and STATS 5b: their derivatives are taken numerically, or there are none
WITHOUT_GRADIENT = ("ap(ties=expected)", "pr_area(davis_goadrich)", "wss", "nwss", *AT_RECALL)


def has_gradient(m: Metric) -> bool:
    """Whether there is a gradient in closed form."""
    return m.name not in WITHOUT_GRADIENT and str(m) not in WITHOUT_GRADIENT and not m.jumps


def is_on_rate(m: Metric) -> bool:
    """Whether the weights follow the rate or the rank: such a metric is linear along every row."""
    return m.axis in ("rate", "rank")


def is_mean_over_orders(m: Metric) -> bool:
    """Whether a tie group is worth the mean over its orders (THEORY 11b, and the definition of WSS's rank)."""
    return is_on_rate(m) or str(m) in ("auc", "gini", "loss", "ap(ties=expected)") or m.name in ("wss", "nwss")


def is_on_roc(m: Metric) -> bool:
    """Whether it is a function of the ROC curve and of nothing else, counts and prevalence included."""
    of_curve = (m.axis == "fpr" or m.name in ("half_auc", "magnified_area")) and m.name not in ("proc", "roc")
    return of_curve and not needs_whole_subjects(m)


def needs_whole_subjects(m: Metric) -> bool:
    """Whether sums of weights are refused: orders of a group and whole true positives exist for subjects only."""
    whole_negatives = m.name == "roc_enrichment" and getattr(m, "cut", "") != "fractional"
    return whole_negatives or str(m) in ("ap(ties=expected)", "pr_area(davis_goadrich)")


def refuses_weights(m: Metric) -> bool:
    """Whether weights are refused: numbers of subjects enter, whole ones or ranks."""
    counts_subjects = counts_ranks(m) or m.name in ("proc", "roc")
    return needs_whole_subjects(m) or counts_subjects or getattr(m, "cut", "auto") not in ("auto", "fractional")


def rounds_a_share(m: Metric) -> bool:
    """Whether a share of the list (or of the positives) becomes a whole number, or a rank counts to its end.

    Where subjects are not whole (weights, a prevalence that was set) the share is taken as it is, so the value
    is another one by definition.
    """
    place = getattr(m, "at", None)
    return m.name in ("wss", "nwss", "atd") or (isinstance(place, float) and getattr(m, "cut", "") != "fractional")


def counts_ranks(m: Metric) -> bool:
    """Whether whole ranks enter, which a table at a set prevalence does not have."""
    place = getattr(m, "at", None)
    return m.axis == "rank" or (isinstance(place, int) and not isinstance(place, bool))
