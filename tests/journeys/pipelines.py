"""A data scientist with two pipelines: which is better, by the corrected resampled t test, and a state to keep."""

import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hitcurve as hc

markers = hc.datasets.biomarkers()
X = np.column_stack([markers[name] for name in ("shifted", "subset", "noise")])
y = markers["group"] == "case"
models = {"logistic": LogisticRegression(), "neighbours": KNeighborsClassifier(15)}
folds = {
    name: cross_validate(
        make_pipeline(StandardScaler(), model),
        X,
        y,
        cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0),
        scoring=hc.metric("ap"),
        return_estimator=True,
        return_indices=True,
    )
    for name, model in models.items()
}
ev = hc.evaluate_cv_results(folds, X, y, metrics="ap", pos_label=True)
ev.to_json("models.json")
again = hc.from_json("models.json")
(test,) = again.compare_all("ap")
Path("comparison.json").write_text(json.dumps(test.to_dict(), indent=1), encoding="utf-8")
