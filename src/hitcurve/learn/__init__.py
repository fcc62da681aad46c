"""Estimators of scikit-learn for early retrieval (extra ``learn``).

Similarity rankers of molecules, the influence relevance voter, early-retrieval re-weighting of any estimator, and
model choice with the standard errors of this package. They have ``decision_function``: higher is ranked earlier.
``MarkerSelector`` chooses columns.
"""

from __future__ import annotations

from hitcurve import _checks

_checks.extra("sklearn", "learn", "hitcurve.learn")

from hitcurve.learn.folds import OutOfFold, out_of_fold  # noqa: E402
from hitcurve.learn.markers import MarkerSelector  # noqa: E402
from hitcurve.learn.neighbours import similarity_graph  # noqa: E402
from hitcurve.learn.nested import NestedResult, nested_cross_validation  # noqa: E402
from hitcurve.learn.rankers import MaxSimilarityRanker, RandomRanker, SimilarityKNN  # noqa: E402
from hitcurve.learn.reweighting import EarlyRetrievalWeights, Epoch  # noqa: E402
from hitcurve.learn.selection import ModelChoice, one_standard_error  # noqa: E402
from hitcurve.learn.similarity import tanimoto_kernel  # noqa: E402
from hitcurve.learn.svc import TanimotoSVC  # noqa: E402
from hitcurve.learn.voter import InfluenceRelevanceVoter, InfluenceWeights  # noqa: E402
from hitcurve.learn.weights import early_retrieval_weights  # noqa: E402

__all__ = [
    "EarlyRetrievalWeights",
    "Epoch",
    "InfluenceRelevanceVoter",
    "InfluenceWeights",
    "MarkerSelector",
    "MaxSimilarityRanker",
    "ModelChoice",
    "NestedResult",
    "OutOfFold",
    "RandomRanker",
    "SimilarityKNN",
    "TanimotoSVC",
    "early_retrieval_weights",
    "nested_cross_validation",
    "one_standard_error",
    "out_of_fold",
    "similarity_graph",
    "tanimoto_kernel",
]
