"""Several readers of the same cases (multi-reader multi-case studies): means of readers, differences of modalities."""

from __future__ import annotations

from hitcurve.readers.api import evaluate_readers
from hitcurve.readers.components import Components
from hitcurve.readers.numbers import ReaderMetric
from hitcurve.readers.planning import ReaderPower
from hitcurve.readers.points import RatingPoint
from hitcurve.readers.result import ReaderStudy
from hitcurve.readers.tested import EqualityTest, Margin, ReaderDifference, ReaderMean
from hitcurve.readers.two_way import ReaderBootstrap

__all__ = [
    "Components",
    "EqualityTest",
    "Margin",
    "RatingPoint",
    "ReaderBootstrap",
    "ReaderDifference",
    "ReaderMean",
    "ReaderMetric",
    "ReaderPower",
    "ReaderStudy",
    "evaluate_readers",
]
