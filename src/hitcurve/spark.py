"""Metrics as evaluators of Spark ML (extra ``spark``).

Frames of Spark need nothing of this: pass them as ``data`` to :func:`hitcurve.evaluate`.
"""

from __future__ import annotations

from typing import Any

from hitcurve import _checks
from hitcurve.evaluation import evaluate
from hitcurve.metrics import Metric, metrics

_checks.extra("pyspark", "spark", "hitcurve.spark")

from pyspark import keyword_only  # noqa: E402
from pyspark.ml import evaluation  # noqa: E402
from pyspark.ml.param import Param, Params, TypeConverters  # noqa: E402
from pyspark.ml.param.shared import HasLabelCol, HasRawPredictionCol, HasWeightCol  # noqa: E402
from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable  # noqa: E402

__all__ = ["Evaluator"]


class Evaluator(
    evaluation.Evaluator,
    HasLabelCol,
    HasRawPredictionCol,
    HasWeightCol,
    DefaultParamsReadable,
    DefaultParamsWritable,
):
    """Any metric, for ``CrossValidator`` and ``TrainValidationSplit`` of Spark ML.

    Values are exact, unlike the values of ``BinaryClassificationEvaluator``, which puts the scores into 1,000 bins and
    whose ``areaUnderPR`` joins points of the precision-recall curve by straight lines.

    Parameters
    ----------
    metric : str
        A metric string, such as ``"ap"`` or ``"bedroc(20)"``.
    labelCol : str
        Column of the labels, 1 for positives.
    rawPredictionCol : str
        Column of the scores: numbers, or vectors of two elements as ``rawPrediction`` and ``probability``, of which
        the second one is the score.
    weightCol : str, optional
        Column of the weights.

    Examples
    --------
    >>> evaluator = Evaluator(metric="fpr@tpr=95%")
    >>> evaluator.isLargerBetter()
    False
    """

    metric: Any = Param(Params._dummy(), "metric", "metric string", typeConverter=TypeConverters.toString)

    @keyword_only  # type: ignore[untyped-decorator]
    def __init__(
        self,
        *,
        metric: str = "ap",
        labelCol: str = "label",
        rawPredictionCol: str = "rawPrediction",
        weightCol: str | None = None,
    ) -> None:
        super().__init__()
        self._setDefault(metric="ap", labelCol="label", rawPredictionCol="rawPrediction")
        self.setParams(**self._input_kwargs)

    @keyword_only  # type: ignore[untyped-decorator]
    def setParams(
        self,
        *,
        metric: str = "ap",
        labelCol: str = "label",
        rawPredictionCol: str = "rawPrediction",
        weightCol: str | None = None,
    ) -> Evaluator:
        """Set the parameters that are given, and leave the others as they are.

        Raises
        ------
        MetricParseError
            If the metric string is none.
        """
        given = dict(self._input_kwargs)
        if "metric" in given:
            (wanted,) = metrics(given["metric"])
            given["metric"] = str(wanted)
        self._set(**given)
        return self

    @property
    def _metric(self) -> Metric:
        (wanted,) = metrics(self.getOrDefault(self.metric))
        return wanted

    def isLargerBetter(self) -> bool:
        """Return whether higher values of the metric are better."""
        return not self._metric.lower_is_better

    def _evaluate(self, dataset: Any) -> float:
        weight = self.getOrDefault(self.weightCol) if self.isDefined(self.weightCol) else None
        score = self.getOrDefault(self.rawPredictionCol)
        wanted = self._metric
        found = evaluate(self.getOrDefault(self.labelCol), [score], data=dataset, metrics=wanted, sample_weight=weight)
        return float(found[score, wanted].value)
