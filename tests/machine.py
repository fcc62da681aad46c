"""What this machine computes, as JSON that other machines compare: ``python -m tests.machine [REFERENCE]``.

Only the core is needed (numpy, scipy, narwhals), so that it runs where extras cannot be had. Data are made of the raw
output of a bit generator. Counts and printed text must be equal on every machine, and what one machine kept is read by
all. Values may differ by rounding: processors and libraries have their own exponentials, and their own order of the
products of matrices.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import pickle
import platform
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import hitcurve as hc
from tests.metrics_under_test import METRICS

TOLERANCE = 1e-13  # of values, relative above 1 and absolute below
BLURRED = 1e-9  # of what is found by searching or solving, whose steps stop at a tolerance of their own

_SEED = 20261130
_N = 1200


def _scores(n: int = _N) -> tuple[Any, dict[str, Any]]:
    """Return labels and three rankers, with ties and without, from whole numbers alone."""
    raw = np.random.PCG64(_SEED).random_raw
    y = (raw(n) >> np.uint64(32)) % np.uint64(12) == 0
    noise = [(raw(n) >> np.uint64(20)) % np.uint64(4000) for _ in range(3)]
    fine, other, coarse = (x.astype(np.int64) + shift * y for x, shift in zip(noise, (1500, 900, 1200), strict=True))
    return y.astype(np.int64), {"fine": fine / 1024, "other": other / 4096, "coarse": (coarse // 400).astype(float)}


def counted(y: Any, scores: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield whole numbers that no machine may change: counts, places, and what a seed draws."""
    for name, column in scores.items():
        for kind in (np.float64, np.float32, np.int64, np.int32):
            table = hc.HitTable.from_scores(y, (column * 512).astype(kind))
            yield f"{name} {np.dtype(kind)}", [table.pos, table.neg]
        yield f"{name} big-endian", [hc.HitTable.from_scores(y, column.astype(">f8")).pos]
    for name in hc.datasets.names():
        data = hc.datasets.load(name)
        columns = data.values() if isinstance(data, hc.datasets.Dataset) else [t.pos + t.neg for t in data.values()]
        numbers = [np.asarray(x) for x in columns]
        yield f"data {name}", [np.round(np.nan_to_num(x) * 1000) for x in numbers if x.dtype.kind in "iuf"]
    ev = hc.evaluate(y, scores, metrics="ap")
    yield "certified", [ev.certify("fine", precision=0.15).selected, ev.certify("fine", recall=0.7).selected]
    rows = np.arange(200)
    yield "fused", [np.argsort(hc.fuse_scores({k: v[rows] for k, v in scores.items()}), kind="stable")]


def valued(y: Any, scores: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield values that machines may round in their own ways."""
    tables = {name: hc.HitTable.from_scores(y, column) for name, column in scores.items()}
    for name, table in tables.items():
        yield f"metrics {name}", [m.value(table) for m in METRICS]
    ev = hc.evaluate(y, scores, metrics=["ap", "auc", "croc(exp, alpha=7)", "bedroc", "recall@5%", "ef@1%"])
    for m in ev.metrics:
        found = [ev[name, m] for name in scores]
        yield f"errors {m}", [e.standard_error for e in found]
    for form in ("ap", "auc", "bedroc"):
        yield f"influence {form}", [ev.influence("fine", form)]
        yield f"bootstrap {form}", [hc.bootstrap(tables["fine"], form, n_resamples=200, rng=1)]
    joint = ev.covariance()
    yield "covariance", [np.asarray(joint.matrix).ravel()]
    many, long = _scores(40_000)
    whole = hc.evaluate(many, long, metrics=["ap", "auc", "rauc"])
    yield "long lists", [whole[name, m].value for name in long for m in whole.metrics]
    yield "long covariance", [np.asarray(whole.covariance().matrix).ravel()]
    weights = (np.arange(y.size) % 7 + 1) / 8
    weighted = hc.evaluate(y, scores, metrics=["ap", "auc", "rauc"], sample_weight=weights)
    yield "weighted", [weighted[name, m].value for name in scores for m in ("ap", "auc", "rauc")]
    x = np.linspace(0.01, 0.99, 99)
    for name, curve in (("roc", hc.roc_curve), ("croc", hc.croc_curve), ("pr", hc.precision_recall_curve)):
        yield f"curve {name}", [curve(tables["coarse"]).at(x)]


def searched(y: Any, scores: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield values that are searched, solved or counted over random draws."""
    ev = hc.evaluate(y, scores, metrics=["ap", "auc", "croc(exp, alpha=7)", "bedroc", "recall@5%", "ef@1%"])
    for m in ev.metrics:
        yield (
            f"intervals {m}",
            [end for name in scores for end in ev[name, m].confidence_interval()],
        )
    for method in ("delta", "bootstrap", "swap-permutation"):
        test = ev.compare("fine", "other", "ap", method=method, n_resamples=None if method == "delta" else 500, rng=2)
        yield f"test {method}", [test.difference, test.pvalue]
        # the order in which rankers are named changes signs alone
        turned = ev.compare("other", "fine", "ap", method=method, n_resamples=test.n_resamples, rng=2)
        yield f"test {method} turned", [turned.difference, turned.pvalue]
    band = ev.band("fine", "precision_recall", x_range=(0.1, 0.9))
    yield "band", [line.at(np.linspace(0.1, 0.9, 17)) for line in (band.low, band.center, band.high)]
    winner = ev.winner("ap", rng=3)
    yield "winner", [winner.value, winner.low, winner.high]
    fitted = hc.fit_quasi_concave(tables := hc.HitTable.from_scores(y, scores["fine"]))
    yield "momentum", [fitted.alpha, fitted.beta, hc.metrics.Momentum().value(tables)]
    by = np.arange(y.size) % 6
    many = hc.evaluate(y, scores, by=by, metrics="ap")
    yield "groups", [many.mean("fine", "ap").value, many.compare("fine", "other", "ap").pvalue]
    time = 1 + (np.arange(y.size) * 7919 % 997) / 64
    survival = hc.evaluate_survival(time, y, scores, horizons=9.0, metrics=["ap", "auc"])
    found = [survival[name, m, 9.0] for name in scores for m in ("ap", "auc")]
    yield "survival", [v for e in found for v in (e.value, e.standard_error)]
    markers = hc.screen(np.column_stack(list(scores.values())), y, names=list(scores), n_resamples=199, rng=4)
    yield "screen", [np.asarray(column, float) for key, column in _numbers(markers).items()]


def _numbers(markers: Any) -> dict[str, Any]:
    document = json.loads(markers.to_json())
    flat: dict[str, list[float]] = {}
    _walk(document, "", flat)
    return flat


def _walk(node: Any, path: str, flat: dict[str, list[float]]) -> None:
    if isinstance(node, dict):
        for key, value in node.items():
            _walk(value, f"{path}.{key}", flat)
    elif isinstance(node, list):
        for value in node:
            _walk(value, path, flat)
    elif isinstance(node, int | float) and not isinstance(node, bool):
        flat.setdefault(path, []).append(float(node))


def printed(y: Any, scores: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield text that people read."""
    ev = hc.evaluate(y, scores, metrics=["ap", "auc", "croc(exp, alpha=7)", "bedroc", "recall@5%", "ef@1%", "rauc"])
    yield "evaluation", str(ev)
    yield "markdown", ev.to_markdown()
    yield "comparison", str(ev.compare("fine", "other", "ap"))
    yield "permuted", str(ev.compare("fine", "other", "auc", method="swap-permutation", n_resamples=999, rng=0))
    yield "all", str(ev.compare_all("ap"))
    yield "certified", str(ev.certify("fine", precision=0.15))
    yield "winner", str(ev.winner("ap", rng=0))
    yield "demo", str(hc.evaluate(tables=hc.datasets.mammography(), metrics=["ap", "auc", "rauc", "slr"]))
    by = np.arange(y.size) % 6
    yield "groups", str(hc.evaluate(y, scores, by=by, metrics="ap").mean("fine", "ap"))
    readings = hc.datasets.reader_study()
    columns: dict[str, Any] = {
        name: np.asarray(readings[name]) for name in ("truth", "rating", "reader", "modality", "case")
    }
    study = hc.evaluate_readers(
        columns.pop("truth"), columns.pop("rating"), **columns, metrics=["auc", "ap"], baseline="film"
    )
    yield "readers", str(study)


def kept(y: Any, scores: dict[str, Any]) -> dict[str, str]:
    """Return what is read back: an evaluation as JSON, its tables pickled."""
    ev = hc.evaluate(y, scores, metrics=["ap", "auc"])
    tables = pickle.dumps([hc.HitTable.from_scores(y, column) for column in scores.values()])
    return {"json": ev.to_json(), "tables": base64.b64encode(tables).decode()}


def read_back(other: dict[str, str], y: Any, scores: dict[str, Any]) -> list[str]:
    """Return what is wrong with what another machine kept."""
    tables = [hc.HitTable.from_scores(y, column) for column in scores.values()]
    faults = []
    if str(hc.from_json(text=other["json"])) != str(hc.evaluate(y, scores, metrics=["ap", "auc"])):
        faults.append("the evaluation that was kept as JSON reads otherwise")
    if pickle.loads(base64.b64decode(other["tables"])) != tables:
        faults.append("the tables that were kept are not equal")
    return faults


def results() -> dict[str, Any]:
    """Return everything above, and what computed it."""
    y, scores = _scores()
    return {
        "machine": about(),
        "counts": {key: [_whole(x) for x in found] for key, found in counted(y, scores)},
        "values": {key: _floats(found) for key, found in valued(y, scores)},
        "searched": {key: _floats(found) for key, found in searched(y, scores)},
        "printed": dict(printed(y, scores)),
        "kept": kept(y, scores),
    }


def about() -> dict[str, str]:
    """Return the names and versions of what computes here."""
    import narwhals
    import scipy

    return {
        "python": platform.python_version(),
        "libc": " ".join(platform.libc_ver()),
        "machine": platform.machine(),
        "byteorder": sys.byteorder,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "narwhals": narwhals.__version__,
        "simd": " ".join(levels()),
        "openblas": os.environ.get("OPENBLAS_CORETYPE", ""),
    }


def levels() -> list[str]:
    """Return the instructions beyond the least that numpy uses on this processor."""
    return list(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))


def _whole(found: Any) -> list[Any]:
    column = np.atleast_1d(np.asarray(found))
    if column.size <= 60:
        return [column.size, *map(int, column)]
    return [column.size, hashlib.blake2b(column.astype("<i8").tobytes(), digest_size=8).hexdigest()]


def _floats(found: list[Any]) -> list[str]:
    return [float(value).hex() for part in found for value in np.atleast_1d(part)]


def differences(mine: dict[str, Any], other: dict[str, Any]) -> tuple[list[str], dict[str, int], int]:
    """Return what must not differ and does, how many values of what differ in their bits, and how many there are."""
    faults = [
        f"{kind} of {key}: {other[kind].get(key)} became {value}"
        for kind in ("counts", "printed")
        for key, value in mine[kind].items()
        if other[kind].get(key) != value
    ]
    bits: Counter[str] = Counter()
    total = 0
    for kind, tolerance in (("values", TOLERANCE), ("searched", BLURRED)):
        for key, column in mine[kind].items():
            for place, (a, b) in enumerate(zip(column, other[kind][key], strict=True)):
                total += 1
                bits[key] += a != b
                x, z = float.fromhex(a), float.fromhex(b)
                if a != b and not abs(x - z) <= tolerance * max(1.0, abs(x)) and not (math.isnan(x) and math.isnan(z)):
                    faults.append(f"{kind} of {key}, number {place}: {z!r} became {x!r}")
    return faults, {key: count for key, count in bits.items() if count}, total


def main() -> None:
    """Print what this machine computes, or what differs from a file that another one printed."""
    mine = results()
    if len(sys.argv) == 1:
        json.dump(mine, sys.stdout)
        return
    other = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    faults, bits, total = differences(mine, other)
    faults += read_back(other["kept"], *_scores())
    print(*faults, sep="\n", end="\n" * bool(faults))
    print(
        f"{mine['machine']}\n{len(faults)} faults; {sum(bits.values())} of {total} values differ in their bits: {bits}"
    )
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
