"""A fraud team with two scores: a page with both, to choose how many transactions to inspect."""

import warnings

import hitcurve as hc

warnings.simplefilter("ignore", hc.errors.MissingValueWarning)  # the page says how many scores are missing
ev = hc.evaluate(
    "status",
    ["rules", "model"],
    data=hc.datasets.transactions(),
    pos_label="fraud",
    missing="last",
    metrics=["ap", "precision@100", "net_benefit@5%"],
)
hc.report(ev, "fraud.html", "Rules and model")
