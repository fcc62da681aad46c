"""A chemist with docked molecules: the enrichment of four programs, as a figure and as numbers for a spreadsheet."""

import matplotlib.pyplot as plt

import hitcurve as hc

ache = hc.datasets.docking().only(target="ACHE")
programs = ["smina", "ifp", "cnn_score", "rf_score_vs"]
ev = hc.evaluate("active", programs, data=ache, metrics=["ef@1%", "bedroc(alpha=20)"])
ev.to_frame(backend="pandas").to_csv("enrichment.csv", index=False)
hc.plot.curve(ev, "accumulation", log_x=True)
plt.savefig("enrichment.pdf")
