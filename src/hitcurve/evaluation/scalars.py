"""The numbers of an evaluation one by one, under names that loggers of experiments take."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

NUMBERS = ("standard_error", "low", "high", "cut_score", "cut_rate")
_LONGEST = 100  # signs of a part of a name; mlflow takes 250 of a name
_WORDS = {"@": "_at_", "%": "pct"}


def safe_names(names: Iterable[str], what: str) -> dict[str, str]:
    """Return distinct names of letters, digits and ``_.-`` by the full name; ``what`` stands for one without any."""
    found: dict[str, str] = {}
    for place, name in enumerate(names, 1):
        text = "".join(_WORDS.get(sign, sign) for sign in unicodedata.normalize("NFKD", name))
        text = re.sub(r"[^A-Za-z0-9_.-]+", "_", text.encode("ascii", "ignore").decode())
        own = text[:_LONGEST].strip("_.") or f"{what}-{place}"
        taken, turn, safe = set(found.values()), 2, own
        while safe in taken:
            safe, turn = f"{own}-{turn}", turn + 1
        found[name] = safe
    return found


def keyed(records: Iterable[Mapping[str, Any]], value: str, parts: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield records with the name of each: its parts, as ``ranker`` and ``metric``, with slashes between."""
    records = list(records)
    safe = {part: safe_names(dict.fromkeys(record[part] for record in records), part) for part in parts}
    for record in records:
        yield "/".join(safe[part][record[part]] for part in parts), {**record, "value": record[value]}


def numbers_of(named: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, float]:
    """Return value, standard error, interval and cutoff of each record, where they are to be had."""
    out: dict[str, float] = {}
    for name, record in named:
        found = {name: record["value"], **{f"{name}_{key}": record.get(key) for key in NUMBERS}}
        out |= {key: float(x) for key, x in found.items() if x is not None and not math.isnan(x)}
    return out


def reasons_of(named: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, str]:
    """Return why a value, its standard error or its interval cannot be had, of each record where that is so."""
    return {name: record["reason"] for name, record in named if record.get("reason")}
