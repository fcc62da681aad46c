"""What a sample says about a metric."""

from __future__ import annotations

from hitcurve.inference.estimate import Estimate

__all__ = ["Estimate"]
