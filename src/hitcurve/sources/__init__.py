"""Any data -> blocks, in which higher scores are better."""

from __future__ import annotations

from hitcurve.sources.alignment import aligned, put_in_order, tell_of_order
from hitcurve.sources.apart import check_hands_out, engine_of, refusing
from hitcurve.sources.block import MISSING, Block, OfAnother, Reading, Source
from hitcurve.sources.codes import GroupCodes, group_name, in_order, places_in_order
from hitcurve.sources.columns import names as read_names
from hitcurve.sources.columns import weights as read_weights
from hitcurve.sources.frames import backend_of, is_column, pick_columns, to_frame
from hitcurve.sources.groups import GroupSource, Pass, Passes, follow, follow_groups
from hitcurve.sources.labels import as_text as label_as_text
from hitcurve.sources.labels import check as check_labels
from hitcurve.sources.labels import encode as encode_labels
from hitcurve.sources.labels import positives_of
from hitcurve.sources.masked import refuse_masked
from hitcurve.sources.memory import MemorySource, arrays, columns_of, has_weights, in_memory, is_in_memory, with_columns
from hitcurve.sources.once import ReadOnce
from hitcurve.sources.tally import Tally
from hitcurve.sources.verified import Verified, verified_source

__all__ = [
    "MISSING",
    "Block",
    "GroupCodes",
    "GroupSource",
    "MemorySource",
    "OfAnother",
    "Pass",
    "Passes",
    "ReadOnce",
    "Reading",
    "Source",
    "Tally",
    "Verified",
    "aligned",
    "arrays",
    "backend_of",
    "check_hands_out",
    "check_labels",
    "columns_of",
    "encode_labels",
    "engine_of",
    "follow",
    "follow_groups",
    "group_name",
    "has_weights",
    "in_memory",
    "in_order",
    "is_column",
    "is_in_memory",
    "label_as_text",
    "pick_columns",
    "places_in_order",
    "positives_of",
    "put_in_order",
    "read_names",
    "read_weights",
    "refuse_masked",
    "refusing",
    "tell_of_order",
    "to_frame",
    "verified_source",
    "with_columns",
]
