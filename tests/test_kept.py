"""Evaluations that were written and read again."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import Evaluation
from hitcurve.errors import InputError, ParameterError, UnreadableFileError
from tests.metrics_under_test import FORMS, METRICS, refuses_weights
from tests.sampled import quietly

Y = np.repeat([1, 0], [40, 260])
RNG = np.random.default_rng(8)
SCORES = {
    "a": RNG.normal(size=300) + 1.4 * Y,
    "b b, <i>": (RNG.normal(size=300) + Y).astype(np.float32),
    "ç": RNG.integers(0, 6, 300) + 2 * Y,
}
CLUSTERS = np.arange(300) % 60
CASES: dict[str, Callable[[], Any]] = {
    "plain": lambda: hc.evaluate(Y, {name: SCORES[name] for name in ("a", "ç")}, metrics=FORMS[::2], undefined="nan"),
    "other forms": lambda: hc.evaluate(
        Y[20:180], {name: SCORES[name][20:180] for name in ("a", "ç")}, metrics=FORMS[1::2]
    ),
    "one": lambda: hc.evaluate(Y, SCORES["a"]),
    "case-control": lambda: hc.evaluate(Y, SCORES, design="case-control", confidence_level=0.9),
    "prevalence": lambda: hc.evaluate(Y, SCORES, metrics=["ap", "auc", "precision@10%"], prevalence=0.01),
    "clusters": lambda: hc.evaluate(Y, SCORES, clusters=CLUSTERS, metrics=["ap", "auc", "ef@10%", "bedroc"]),
    "weights": lambda: hc.evaluate(
        Y,
        SCORES,
        sample_weight=0.5 + np.arange(300) % 7,
        metrics=[m for m in METRICS if not refuses_weights(m)],
        undefined="nan",
    ),
    "equal weights": lambda: hc.evaluate(Y, SCORES, sample_weight=np.full(300, 2.5), metrics="auc"),
    "few positives": lambda: hc.evaluate(Y[30:], {k: v[30:] for k, v in SCORES.items()}, metrics=["ap", "auc"]),
    "unpaired": lambda: hc.evaluate(Y, SCORES, metrics=["ap", "auc"], paired=False),
    "tables": lambda: hc.evaluate(tables=hc.datasets.mammography(), metrics=["ap", "auc"]),
    "undefined": lambda: hc.evaluate(
        Y, SCORES, sample_weight=1 + np.arange(300) % 2, metrics=["ap", "recall@5"], undefined="nan"
    ),
    "infinite": lambda: hc.evaluate(
        Y, {"x": np.where(SCORES["a"] > 2, np.inf, np.where(SCORES["a"] < -1, -np.inf, SCORES["a"]))}
    ),
    "long floats": lambda: hc.evaluate(Y, {"x": SCORES["a"].astype(np.longdouble) / 3}),
    "huge whole numbers": lambda: hc.evaluate(Y, {"x": 2**63 + np.arange(300, dtype=np.uint64)}),
    "missing": lambda: hc.evaluate(
        Y, {"a": np.where(np.arange(300) % 9 == 0, np.nan, SCORES["a"]), "b": SCORES["ç"]}, missing="last"
    ),
    "groups": lambda: hc.evaluate(Y, SCORES, by=np.arange(300) % 6, metrics=["ap", "auc", "dcg@10"]),
    "groups with clusters": lambda: hc.evaluate(
        Y, SCORES, by=np.arange(300) % 3, clusters=CLUSTERS, metrics=["ap", "auc"]
    ),
    "folds": lambda: hc.evaluate(Y, SCORES, folds=np.arange(300) % 5, metrics=["ap", "auc"]),
    "repeated folds": lambda: hc.evaluate(Y, SCORES, folds=np.arange(300) % 5, test_fraction=0.3, metrics=["ap"]),
    "lacking groups": lambda: hc.evaluate(
        Y, SCORES, by=np.arange(300) // 25, metrics=["ap"], single_class="zero", undefined="nan"
    ),
    "tables of groups": lambda: hc.evaluate(
        tables={g: dict(hc.datasets.mammography()) for g in ("one", "two")}, metrics=["ap", "auc"]
    ),
    "topics": lambda: hc.evaluate_trec(
        {"r": {"1": {"x": 2.0, "y": 1.0, "z": 1.0}, "2": {"x": 1.0, "w": 0.5}}, "s": {"1": {"y": 1}, "2": {"w": 3}}},
        {"1": {"x": 0, "y": 1, "q": 1}, "2": {"w": 1}},
        metrics=["AP", "P@2", "nDCG"],
    ),
}


def outcome(do: Callable[[], Any]) -> Any:
    """Return what comes of something, or why nothing does."""
    try:
        return do()
    except (InputError, RuntimeError) as error:
        return type(error), str(error)


def interval(ev: Any, name: str, m: Any) -> tuple[float, ...]:
    return tuple(ev[name, m].confidence_interval(0.8))


def outcome_of_test(ev: Any, first: str, second: str, m: Any) -> Any:
    return ev.compare(first, second, m).to_dict()


def average(ev: Any, along: str) -> list[float]:
    found: list[float] = ev.average_curve(ev.rankers[0], along=along).y.tolist()
    return found


def numbers(ev: Any) -> list[Any]:
    """Return what a reader may ask of an evaluation of one list."""
    out: list[Any] = [ev.to_dict(), ev.methods_text(), str(ev), ev._repr_html_()]
    first, *rest = ev.rankers
    for m in ev.metrics:
        out += [outcome(partial(interval, ev, name, m)) for name in ev.rankers]
        out += [outcome(partial(outcome_of_test, ev, first, name, m)) for name in rest]
    if rest:
        out.append(outcome(lambda: [c.to_dict() for c in ev.compare_all(ev.metrics[0], adjust="max-t")]))
    return out


def everything(ev: Any) -> list[Any]:
    """Return what a reader may ask of any evaluation."""
    if isinstance(ev, Evaluation):
        return numbers(ev)
    out: list[Any] = [ev.to_dict(), ev.methods_text(), str(ev), ev._repr_html_()]
    for m in ev.metrics:
        out += [outcome(partial(outcome_of_test, ev, *pair, m)) for pair in pairwise(ev.rankers)]
    for name in ev:
        out += numbers(ev[name])
    out += [outcome(partial(average, ev, along)) for along in ("rate", "vertical", "threshold", "pool")]
    return out + (numbers(ev.pooled) if ev._pooled is not None else [])


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("case", CASES)
def test_what_is_read_back_says_the_same(case: str) -> None:
    ev = CASES[case]()
    text = ev.to_json()
    again = hc.from_json(text=text)
    assert type(again) is type(ev)
    assert everything(again) == everything(ev)
    assert [str(w) for w in again.warnings] == [str(w) for w in ev.warnings]
    assert [type(w) for w in again.warnings] == [type(w) for w in ev.warnings]
    assert again.to_json() == text
    json.loads(text, parse_constant=pytest.fail)  # no nan, no infinities


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("case", CASES)
def test_without_subjects_it_is_the_evaluation_without_data(case: str) -> None:
    ev = CASES[case]()
    again, bare = hc.from_json(text=ev.to_json(subjects=False)), ev.without_data()
    assert everything(again) == everything(bare)
    assert case in ("clusters", "groups with clusters") or again == bare  # names of clusters are left out


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
def test_an_evaluation_of_a_file_in_several_blocks_is_kept(tmp_path: Path) -> None:
    from hitcurve.cli.inputs import Subjects as OfFiles
    from hitcurve.evaluation import evaluate_source
    from hitcurve.metrics import metrics

    rows = [f"{y},{a},{g},{w}" for y, a, g, w in zip(Y, SCORES["a"], CLUSTERS, 1 + Y, strict=True)]
    for i in range(2):
        (tmp_path / f"{i}.csv").write_text("y,a,g,w\n" + "\n".join(rows[i::2]) + "\n")
    paths = [str(tmp_path / f"{i}.csv") for i in range(2)]
    with OfFiles(paths, "y", ["a"], weight="w", cluster="g").source() as source:
        ev = evaluate_source(source, metrics(["ap", "auc"]))
        again = hc.from_json(text=ev.to_json(subjects=True))
    assert everything(again) == everything(ev.without_data())


def test_a_file_is_written_whole_and_read_by_path_open_file_and_text(tmp_path: Path) -> None:
    ev = hc.evaluate(Y, SCORES["a"], metrics="ap")
    path = tmp_path / "run.json"
    assert ev.to_json(path) is None
    text = path.read_text(encoding="utf-8")
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]
    for again in (
        hc.from_json(path),
        hc.from_json(str(path)),
        hc.from_json(io.StringIO(text)),
        hc.from_json(io.BytesIO(text.encode())),
        hc.from_json(text=text),
        hc.from_json(text=text.encode()),
    ):
        assert again == ev.without_data()
    with pytest.raises(UnreadableFileError, match="there is no folder"):
        ev.to_json(tmp_path / "none" / "run.json")
    with pytest.raises(UnreadableFileError, match="No such file"):
        hc.from_json(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: {**c, "version": 9, "hitcurve": "9.1"}, "x.json is of version 9 .* written by hitcurve 9.1.* reads"),
        (lambda c: {k: c[k] for k in ("schema", "metrics", "results")}, "holds numbers to read .* without the tables"),
        (lambda c: {"a": 1}, "is not an evaluation written by to_json: it is other JSON"),
        (lambda c: [c], "is other JSON"),
        (lambda c: {k: v for k, v in c.items() if k != "state"}, "x.json is damaged: it lacks 'state'; write"),
        (lambda c: {k: v for k, v in c.items() if k != "digests"}, "x.json is damaged: it lacks the digests"),
        (
            lambda c: {**c, "state": {**c["state"], "design": "case-control"}},
            "changed after it was written, in 'state'",
        ),
        (lambda c: {**c, "mine": 3}, "x.json was changed after it was written, in 'mine'"),
    ],
)
def test_other_files_are_refused_in_one_sentence(tmp_path: Path, change: Any, message: str) -> None:
    content = json.loads(hc.evaluate(Y, SCORES["a"], metrics="ap").to_json())
    (tmp_path / "x.json").write_text(json.dumps(change(content)))
    with pytest.raises(ParameterError, match=message) as caught:
        hc.from_json(tmp_path / "x.json")
    assert "\n" not in str(caught.value)


def leaves(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the containers of a tree of JSON with each of their keys."""
    for key in list(node) if isinstance(node, dict) else range(len(node)):
        yield node, key
        if isinstance(node[key], (dict, list)):
            yield from leaves(node[key])


def others(value: Any) -> list[Any]:
    """Return values that a hand may put in the place of another."""
    if isinstance(value, bool) or value is None:
        return [not value, 0.5]
    if isinstance(value, (int, float)):
        return [-value - 1, value + 1e-9 if value < 1e6 else value * 2, None, str(value)]
    if isinstance(value, str):
        return [value + "x", None]
    return [value[:-1], value[:1] * 3] if isinstance(value, list) and value else [{"a": 1}]


SMALL: dict[str, Callable[[], Any]] = {
    "lists": lambda: hc.evaluate(Y[34:46], {n: s[34:46] for n, s in SCORES.items()}, metrics=["ap", "auc"]),
    "groups": lambda: hc.evaluate(Y[36:44], SCORES["a"][36:44], by=[0, 1] * 4, metrics="ap"),
    "topics": CASES["topics"],
}


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("case", SMALL)
def test_no_change_of_any_value_is_read(case: str) -> None:
    content = json.loads(SMALL[case]().to_json())
    tried = 0
    for node, key in leaves(content):
        old = node[key]
        for new in (value for value in others(old) if value != old):
            node[key] = new
            with pytest.raises(ParameterError) as caught:
                hc.from_json(text=json.dumps(content))
            assert "\n" not in str(caught.value)
            tried += 1
        node[key] = old
        if isinstance(node, dict):
            del node[key]
            with pytest.raises(ParameterError):
                hc.from_json(text=json.dumps(content))
            node[key] = old
    assert tried > 500
    hc.from_json(text=json.dumps(content))


def test_another_layout_of_the_same_values_is_read() -> None:
    ev = hc.evaluate(Y, SCORES, metrics="ap")
    written = ev.to_json()
    # whole floats without a point, as JavaScript writes them
    whole = re.sub(r"(\d)\.0(?=[],}])", r"\1", json.dumps(json.loads(written), sort_keys=True, separators=(",", ":")))
    assert whole != written
    for text in (json.dumps(json.loads(written), indent=1, sort_keys=True), whole):
        assert everything(hc.from_json(text=text)) == everything(ev)


def test_what_is_no_json_is_refused_in_one_sentence() -> None:
    for text in ("", "[" * 100_000, b"\xff\xfe\x00", "nan", '{"format"'):
        with pytest.raises(ParameterError, match="text is not"):
            hc.from_json(text=text)
    with pytest.raises(ParameterError, match="is not JSON"):
        hc.from_json(type("Odd", (), {"read": lambda self: 3})())


def test_arguments_that_are_none_are_refused(tmp_path: Path) -> None:
    text = hc.evaluate(Y, SCORES["a"], metrics="ap").to_json()
    with pytest.raises(ParameterError, match="give it as text="):
        hc.from_json(text)
    for given in ({}, {"path": "x", "text": "y"}):
        with pytest.raises(ParameterError, match="give the path of a file, or text="):
            hc.from_json(**given)
    with pytest.raises(ParameterError, match="path must be the name of a file, got int"):
        hc.from_json(3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="text must be str or bytes, got int"):
        hc.from_json(text=3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="text is not JSON"):
        hc.from_json(text=text[:-30])
    with pytest.raises(ParameterError, match="does not hold its subjects"):
        hc.evaluate(Y, SCORES["a"], metrics="ap").without_data().to_json(subjects=True)


def test_a_metric_of_ones_own_is_not_written() -> None:
    class Own(hc.metrics.AUC):
        def __str__(self) -> str:
            return "my_own"

    ev = hc.evaluate(Y, SCORES["a"], metrics=Own())
    with pytest.raises(ParameterError, match=re.escape("my_own cannot be written to a file")):
        ev.to_json()


def test_names_of_clusters_are_not_written() -> None:
    names = np.array([f"patient {one}" for one in CLUSTERS])
    for subjects in (True, False):
        assert "patient" not in hc.evaluate(Y, SCORES, clusters=names, metrics="ap").to_json(subjects=subjects)


@pytest.mark.parametrize("lacking", [0, 1])
def test_a_class_whose_weights_are_all_0_is_kept(lacking: int) -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 40)
    w = np.where(y == lacking, 0.0, 0.5 + rng.random(40))
    ev = quietly(y, {"a": rng.random(40)}, metrics="ap", sample_weight=w, undefined="nan")
    again: Any = hc.from_json(text=ev.to_json())
    known = ev.tables["a"].weighed
    assert again.tables["a"].weighed == known
    # positives come first
    assert [side.number > 0 for side in known] == [lacking == 0, lacking == 1]
    assert [side.total > 0 for side in hc.HitTable.from_scores(y, rng.random(40), sample_weight=w).weighed] == [
        lacking == 0,
        lacking == 1,
    ]
