"""Data of the examples: real sets with a free licence, and generators whose properties are stated."""

from __future__ import annotations

from hitcurve.datasets.dataset import Dataset
from hitcurve.datasets.generated import biomarkers, credit, reader_study, transactions
from hitcurve.datasets.named import load, names
from hitcurve.datasets.stored import docking, egfr, hiv, reviews
from hitcurve.datasets.trial import mammography, mammography_counts

__all__ = [
    "Dataset",
    "biomarkers",
    "credit",
    "docking",
    "egfr",
    "hiv",
    "load",
    "mammography",
    "mammography_counts",
    "names",
    "reader_study",
    "reviews",
    "transactions",
]
