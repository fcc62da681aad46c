"""A statistician with a screening trial: which reading is better, as a LaTeX table with the test of the difference."""

from pathlib import Path

import hitcurve as hc

ev = hc.evaluate(tables=hc.datasets.mammography(), metrics=["ap", "auc"])
test = ev.compare_all("ap")
Path("trial.tex").write_text(ev.to_latex(standard_error=True) + test.to_latex(), encoding="utf-8")
