"""A reviewer with twenty hours: how many of the abstracts to read, and what will be found."""

from pathlib import Path

import hitcurve as hc

review = hc.datasets.reviews().only(topic="CD009647")
budget = hc.rates.Beta.from_time_budget(review.n_rows, "20h", ("30s", "3min"))
recall = hc.metrics.ExpectedRecall(budget)
runs = ["waterloo_a", "waterloo_b"]
ev = hc.evaluate("included", runs, data=review, higher_is_better=False, metrics=[recall], design="case-control")
read = f"Half of the time, {budget.quantile(0.5) * review.n_rows:.0f} abstracts or more are read.\n\n"
Path("plan.md").write_text(read + ev.to_markdown(), encoding="utf-8")
