"""What scikit-learn does of itself with weights that nobody asked for."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
import pytest


def question(match: str) -> AbstractContextManager[Any]:
    """Expect scikit-learn's question whether a scorer wants weights, if this version asks it of its own scorers."""
    from sklearn import config_context
    from sklearn.exceptions import UnsetMetadataPassedError
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import get_scorer
    from sklearn.model_selection import cross_validate

    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        try:
            cross_validate(model, X, y, scoring=get_scorer("roc_auc"), cv=2, params={"sample_weight": np.ones(8)})
        except UnsetMetadataPassedError:
            return pytest.raises(UnsetMetadataPassedError, match=match)
    return nullcontext()
