"""Engines that hold the rows in partitions: passes run where the rows are, and hand back what they add up."""

from __future__ import annotations

from hitcurve.engines.partial import Partial, Task
from hitcurve.engines.source import EngineSource
from hitcurve.engines.subjects import SubjectColumns

__all__ = ["EngineSource", "Partial", "SubjectColumns", "Task"]
