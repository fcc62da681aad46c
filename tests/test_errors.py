"""Bad input: which exception it is, and that its one sentence names what was wrong."""

from __future__ import annotations

import builtins
import inspect
import math
import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import HitTable, errors, evaluate, metric
from hitcurve.metrics import metrics

Y, S = [1, 0, 1, 0], [4.0, 3.0, 2.0, 1.0]
T = HitTable.from_scores(Y, S)


class Case(NamedTuple):
    """What is done, the exception, a builtin it refines, and words of its sentence."""

    wrong: Callable[[], Any]
    kind: type[Exception]
    builtin: type[Exception]
    words: tuple[str, ...]


def case(wrong: Callable[[], Any], kind: type[Exception], *words: str, builtin: type[Exception] = ValueError) -> Case:
    return Case(wrong, kind, builtin, words)


NOTHING: Any = None
FRAME = {"label": Y, "similarity": S, "docking": S}
CASES = {
    # nobody
    "empty lists": case(lambda: HitTable.from_scores([], []), errors.EmptyInputError, "no rows"),
    "empty evaluation": case(lambda: evaluate([], []), errors.EmptyInputError, "no rows"),
    "empty counts": case(lambda: HitTable.from_counts([], []), errors.EmptyInputError, "pos"),
    "counts of nobody": case(lambda: HitTable.from_counts([0, 0], [0, 0]), errors.EmptyInputError, "0"),
    "empty ranks": case(lambda: HitTable.from_ranks([], n=5), errors.EmptyInputError, "rank"),
    "all rows missing": case(
        lambda: evaluate([1, 0], [math.nan, math.nan], missing="drop"), errors.EmptyInputError, "2"
    ),
    "no ranker": case(lambda: evaluate(Y, {}), errors.InputError, "ranker"),
    "no tables": case(lambda: evaluate(tables={}), errors.InputError, "ranker"),
    "interval of three positives": case(
        lambda: evaluate([1, 1, 1, 0, 0, 0, 0, 0], range(8, 0, -1), metrics="ap")["score", "ap"].confidence_interval(),
        errors.InsufficientDataError,
        "3 positives",
        "5",
    ),
    "no name of a file": case(
        lambda: hc.report(evaluate(Y, S, metrics=["ap"]), NOTHING),
        errors.FileNameError,
        "path",
        "NoneType",
        builtin=TypeError,
    ),
    "no metrics": case(lambda: evaluate(Y, S, metrics=[]), errors.ParameterError, "metric"),
    # one class
    "no positive": case(lambda: hc.metrics.AUC()([0, 0], [1, 2]), errors.SingleClassError, "no positive", "2"),
    "no negative": case(lambda: hc.metrics.AUC()([1, 1], [1, 2]), errors.SingleClassError, "no negative", "2"),
    "no positive to evaluate": case(lambda: evaluate([0, 0], [1, 2]), errors.SingleClassError, "no positive", "2"),
    "no negative to evaluate": case(lambda: evaluate([1, 1], [1, 2]), errors.SingleClassError, "no negative", "2"),
    "no negative to draw": case(lambda: hc.roc_curve(HitTable.from_counts([2], [0])).x, errors.SingleClassError),
    # lengths
    "lengths of lists": case(
        lambda: HitTable.from_scores(Y, S[:3]), errors.LengthMismatchError, "y_true has 4", "y_score has 3"
    ),
    "lengths of rankers": case(
        lambda: evaluate(Y, {"a": S, "b": S[:2]}), errors.LengthMismatchError, "a has 4", "b has 2"
    ),
    "length of weights": case(
        lambda: hc.metrics.AUC()(Y, S, sample_weight=[1]), errors.LengthMismatchError, "sample_weight has 1"
    ),
    "lengths of counts": case(
        lambda: HitTable.from_counts([1, 2], [3]), errors.LengthMismatchError, "pos has 2", "neg has 1"
    ),
    # missing values
    "missing score": case(
        lambda: evaluate(Y, {"a": S, "b": [1, math.nan, 2, 3]}), errors.MissingValueError, "1 of 4", "'b'", "missing="
    ),
    "missing label": case(
        lambda: HitTable.from_scores([1, None, 0, 1], S), errors.MissingValueError, "1 of 4", "label"
    ),
    "missing label cannot be last": case(
        lambda: HitTable.from_scores([1, None, 0, 1], S, missing="last"), errors.MissingValueError, "label", "drop"
    ),
    "unknown policy": case(
        lambda: HitTable.from_scores(Y, S, missing="skip"), errors.ParameterError, "missing", "'skip'", "'drop'"
    ),
    # labels
    "three labels": case(lambda: HitTable.from_scores([0, 1, 2, 0], S), errors.LabelError, "0, 1, 2"),
    "labels 1 and 2": case(lambda: HitTable.from_scores([1, 2, 1, 2], S), errors.LabelError, "1, 2", "pos_label"),
    "labels 0 and -1": case(lambda: HitTable.from_scores([0, -1, 0, -1], S), errors.LabelError, "pos_label"),
    "strange words": case(lambda: HitTable.from_scores(list("abab"), S), errors.LabelError, "'a', 'b'", "pos_label"),
    "words of two pairs": case(
        lambda: HitTable.from_scores(["active", "control"] * 2, S), errors.LabelError, "'active', 'control'"
    ),
    "wrong pos_label": case(
        lambda: HitTable.from_scores(["binder", "decoy"] * 2, S, pos_label="bindr"),
        errors.LabelError,
        "'bindr'",
        "did you mean 'binder'",
    ),
    "wrong number as pos_label": case(
        lambda: HitTable.from_scores([1, 2, 1, 2], S, pos_label=3), errors.LabelError, "3", "1, 2"
    ),
    # scores
    "two columns": case(
        lambda: HitTable.from_scores(Y, np.ones((4, 2))), errors.ScoreError, "y_score", "pass column 1"
    ),
    "three columns": case(lambda: HitTable.from_scores(Y, np.ones((4, 3))), errors.InputError, "(4, 3)"),
    "words as scores": case(lambda: HitTable.from_scores(Y, list("abcd")), errors.ScoreError, "y_score", "'a'"),
    "a word among scores": case(
        lambda: evaluate(Y, {"docking": np.array([1, 2, "high", 3], object)}), errors.ScoreError, "'docking'"
    ),
    "complex scores": case(lambda: HitTable.from_scores(Y, [1j, 2, 3, 4]), errors.ScoreError, "complex"),
    "dates as scores": case(
        lambda: HitTable.from_scores(Y, np.array(["2020-01-01"] * 4, "datetime64[D]")), errors.ScoreError, "datetime"
    ),
    "ragged scores": case(lambda: HitTable.from_scores(Y, [[1], [1, 2], [3], [4]]), errors.InputError),
    "one number as scores": case(lambda: HitTable.from_scores(Y, 3.0), errors.InputError),
    # weights
    "negative weight": case(
        lambda: HitTable.from_scores(Y, S, sample_weight=[1, 1, -0.5, 1]), errors.WeightError, "-0.5", "row 2"
    ),
    "nan weight": case(
        lambda: HitTable.from_scores(Y, S, sample_weight=[1, math.nan, 1, 1]), errors.WeightError, "nan", "row 1"
    ),
    "infinite weight": case(
        lambda: HitTable.from_scores(Y, S, sample_weight=[math.inf, 1, 1, 1]), errors.WeightError, "inf", "row 0"
    ),
    "words as weights": case(lambda: HitTable.from_scores(Y, S, sample_weight=list("abcd")), errors.WeightError),
    # columns
    "missing score column": case(
        lambda: evaluate("label", ["similarty"], data=FRAME),
        errors.ColumnNotFoundError,
        "'similarty'",
        "did you mean 'similarity'",
        builtin=LookupError,
    ),
    "missing label column": case(
        lambda: evaluate("activity", "docking", data=FRAME),
        errors.ColumnNotFoundError,
        "'activity'",
        "'label'",
        builtin=LookupError,
    ),
    "no table": case(lambda: evaluate("label", "docking", data=7), errors.InputError, "data", "the value 7"),
    "names without data": case(lambda: evaluate("label", "docking"), errors.ParameterError, "data"),
    "arrays with data": case(lambda: evaluate(Y, "docking", data=FRAME), errors.ParameterError, "data", "names"),
    "no such ranker": case(
        lambda: evaluate(Y, {"docking": S}, metrics="ap")["dockin", "ap"],
        errors.ColumnNotFoundError,
        "'dockin'",
        "did you mean 'docking'",
        builtin=LookupError,
    ),
    "metric not evaluated": case(
        lambda: evaluate(Y, S, metrics="ap")["score", "auc"],
        errors.ColumnNotFoundError,
        "auc",
        builtin=LookupError,
    ),
    # written forms
    "unknown metric": case(lambda: metric("bedrock"), errors.MetricParseError, "'bedrock'", "did you mean 'bedroc'"),
    "auprc": case(lambda: metric("auprc"), errors.MetricParseError, "auprc", "'ap'", "pr_area(keilwagen)"),
    "aupr": case(lambda: metric("AUPR"), errors.MetricParseError, "ambiguous", "pr_area(keilwagen)"),
    "hit_rate": case(lambda: metric("hit_rate@1%"), errors.MetricParseError, "recall@1%", "precision@100"),
    "no place": case(lambda: metric("ef"), errors.MetricParseError, "'ef'", "@1%"),
    "place too many": case(lambda: metric("auc@1%"), errors.MetricParseError, "'auc@1%'", "@"),
    "no map": case(lambda: metric("croc"), errors.MetricParseError, "'croc'", "exp"),
    "unknown map": case(lambda: metric("croc(expo, alpha=7)"), errors.MetricParseError, "'expo'", "'exp'"),
    "no parameter": case(lambda: metric("croc(exp)"), errors.MetricParseError, "alpha"),
    "unknown keyword": case(lambda: metric("bedroc(alpa=20)"), errors.MetricParseError, "alpa", "'alpha'"),
    "argument too many": case(lambda: metric("auc(7)"), errors.MetricParseError, "7"),
    "keyword twice": case(lambda: metric("rie(alpha=1, alpha=2)"), errors.MetricParseError, "alpha", "twice"),
    "unclosed": case(lambda: metric("croc(exp, alpha=7"), errors.MetricParseError, "ends"),
    "after the end": case(lambda: metric("ap ap"), errors.MetricParseError, "'ap'"),
    "strange sign": case(lambda: metric("ap;auc"), errors.MetricParseError, "';auc'"),
    "empty text": case(lambda: metric(""), errors.MetricParseError, "''"),
    "unknown density": case(lambda: metric("rauc(bета(1, 2))"), errors.MetricParseError, "rauc"),
    "density of one": case(lambda: metric("rauc(beta(6))"), errors.MetricParseError, "beta"),
    "wrong value in a text": case(lambda: metric("bedroc(alpha=-1)"), errors.MetricParseError, "alpha", "-1"),
    "word for a number": case(lambda: metric("bedroc(alpha=high)"), errors.MetricParseError, "alpha", "'high'"),
    "a threshold by a ranking": case(
        lambda: metric("ap")._score_func,
        errors.ThresholdScoringError,
        "ap",
        "scoring='f1'",
    ),
    "no metric at all": case(lambda: metric(7), errors.ParameterError, "7"),  # type: ignore[arg-type]
    # parameters
    **{
        f"fraction {value!r}": case(partial(hc.metrics.RecallAt, value), errors.ParameterError, repr(value), "(0, 1]")
        for value in (0.0, -0.1, 1.5, math.inf)
    },
    "fraction nan": case(lambda: hc.metrics.EnrichmentFactor(math.nan), errors.ParameterError, "nan"),
    "fpr": case(lambda: hc.metrics.ROCEnrichment(0), errors.ParameterError, "fpr", "0"),
    "level": case(lambda: hc.metrics.WSS(95), errors.ParameterError, "level", "95"),
    "rank 0": case(lambda: hc.metrics.HitsAt(0), errors.ParameterError, "0"),
    "rank True": case(lambda: hc.metrics.HitsAt(True), errors.ParameterError, "True"),
    "cut": case(lambda: hc.metrics.RecallAt(0.1, "up"), errors.ParameterError, "cut", "'up'", "'ceil'"),
    **{
        f"{make.__name__} {value!r}": case(partial(make, value), errors.ParameterError, "alpha", repr(value))
        for make in (
            hc.magnify.Exponential,
            hc.magnify.Power,
            hc.magnify.Logarithmic,
            hc.magnify.Log2Power,
            hc.metrics.BEDROC,
            hc.metrics.RIE,
        )
        for value in (0, -1.0, math.inf)
    },
    "alpha nan": case(lambda: hc.magnify.Power(math.nan), errors.ParameterError, "alpha", "nan"),
    "alpha text": case(lambda: hc.metrics.RIE("large"), errors.ParameterError, "alpha", "'large'"),  # type: ignore[arg-type]
    **{
        f"prevalence {value!r}": case(partial(T.at_prevalence, value), errors.ParameterError, "prevalence", repr(value))
        for value in (0, 1, -0.2, 1.2)
    },
    "base": case(lambda: hc.metrics.NDCG(base=1), errors.ParameterError, "base", "1"),
    "k": case(lambda: hc.metrics.ROCk(2.5), errors.ParameterError, "k", "2.5"),  # type: ignore[arg-type]
    "interval": case(lambda: hc.metrics.PartialAUC("fpr", 0.5, 0.1), errors.ParameterError, "0.5", "0.1"),
    "over": case(lambda: hc.metrics.PartialAUC("fnr", 0, 0.1), errors.ParameterError, "over", "'fnr'", "'fpr'"),
    "scale": case(lambda: hc.metrics.AUAC("mx"), errors.ParameterError, "scale", "'mx'", "did you mean 'max'"),
    "ties": case(lambda: hc.metrics.AveragePrecision("mean"), errors.ParameterError, "ties", "'mean'"),
    "window from 0": case(lambda: hc.metrics.LogAUC(0, 1), errors.ParameterError, "window", "0"),
    "map": case(lambda: hc.metrics.Area(lambda x: x), errors.ParameterError, "Magnification"),  # type: ignore[arg-type]
    "along": case(lambda: hc.metrics.Area(hc.magnify.Identity(), "x"), errors.ParameterError, "along", "'x'"),
    "quantiles": case(lambda: hc.rates.Beta.from_quantiles(0.3, 0.1), errors.ParameterError, "0.3", "0.1"),
    "no such beta density": case(
        lambda: hc.rates.Beta.from_time_budget(100, 7200, (10, 45)), errors.ParameterError, "100", "7200"
    ),
    "times": case(lambda: hc.rates.Beta.from_time_budget(100, 70, (45, 10)), errors.ParameterError, "per_item"),
    "directions": case(
        lambda: evaluate(Y, {"docking": S}, higher_is_better={"dockin": False}),
        errors.ParameterError,
        "higher_is_better",
        "'dockin'",
        "did you mean 'docking'",
    ),
    "undefined": case(lambda: evaluate(Y, S, undefined="zero"), errors.ParameterError, "undefined", "'zero'"),
    "tables and data": case(lambda: evaluate(Y, S, tables={"a": T}), errors.ParameterError, "tables", "not both"),
    "tables turned round": case(
        lambda: evaluate(tables={"a": T}, higher_is_better=False), errors.ParameterError, "higher_is_better", "tables"
    ),
    "tables and missing": case(
        lambda: evaluate(tables={"a": T}, missing="last"), errors.ParameterError, "missing", "tables"
    ),
    "neither": case(lambda: evaluate(), errors.ParameterError, "y_true", "tables"),
    "no table in tables": case(lambda: evaluate(tables={"a": S}), errors.ParameterError, "'a'", "list"),  # type: ignore[dict-item]
    "key": case(lambda: evaluate(Y, S, metrics="ap")["ap"], errors.ParameterError, "'ap'"),  # type: ignore[index]
    "curves of two kinds": case(
        lambda: hc.roc_curve(T).dominates(hc.hit_curve(T)), errors.ParameterError, "roc", "hit"
    ),
    # counts and ranks
    "negative count": case(lambda: HitTable.from_counts([1, -2], [3, 4]), errors.CountError, "pos", "-2", "row 1"),
    "broken count": case(lambda: HitTable.from_counts([1, 2], [3, 4.5]), errors.CountError, "neg", "4.5", "row 1"),
    "nan count": case(lambda: HitTable.from_counts([math.nan], [1]), errors.CountError, "pos", "nan"),
    "infinite count": case(lambda: HitTable.from_counts([1], [math.inf]), errors.CountError, "neg", "inf"),
    "words as counts": case(lambda: HitTable.from_counts(["many"], [1]), errors.CountError, "pos"),
    "repeated rank": case(lambda: HitTable.from_ranks([3, 5, 3], n=9), errors.RankError, "3 repeats"),
    "rank beyond the list": case(lambda: HitTable.from_ranks([3, 12], n=9), errors.RankError, "1..9", "12"),
    "rank zero": case(lambda: HitTable.from_ranks([0, 3], n=9), errors.RankError, "1..9", "0"),
    "broken rank": case(lambda: HitTable.from_ranks([1.5], n=9), errors.RankError, "whole"),
    "nan rank": case(lambda: HitTable.from_ranks([1, math.nan], n=9), errors.RankError, "whole"),
    "infinite rank": case(lambda: HitTable.from_ranks([1, math.inf], n=9), errors.RankError, "rank"),
    "rank beyond 64 bits": case(lambda: HitTable.from_ranks([1, 1e300], n=9), errors.RankError, "1..9"),
    "no length": case(lambda: HitTable.from_ranks([1], n=0), errors.ParameterError, "n", "0"),
    "broken length": case(lambda: HitTable.from_ranks([1], n=2.5), errors.ParameterError, "n", "2.5"),  # type: ignore[arg-type]
    "grid": case(lambda: HitTable.from_scores(Y, S, grid=[4.0]), errors.GridMismatchError, "2.0"),
    "adding": case(lambda: T + T.collapse(), errors.GridMismatchError, "full", "collapsed"),
    # no meaning
    "beyond the list": case(lambda: hc.metrics.HitsAt(5).value(T), errors.UndefinedMetricError, "5", "4 subjects"),
    "whole ranks at a set prevalence": case(
        lambda: hc.metrics.SLR().value(T.at_prevalence(0.1)), errors.UndefinedMetricError, "slr", "prevalence"
    ),
    "orders of weights": case(
        lambda: hc.metrics.AveragePrecision("expected")(Y, S, sample_weight=[1, 1, 1, 2]),
        errors.UndefinedMetricError,
        "ap(ties=expected)",
        "weights",
    ),
    "momentum of chance": case(
        lambda: hc.metric("momentum").value(HitTable.from_counts([2], [3])),
        errors.UndefinedMetricError,
        "momentum",
        "0.5",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_bad_input(case: Case) -> None:
    with pytest.raises(errors.HitcurveError) as caught:
        case.wrong()
    assert type(caught.value) is case.kind
    assert isinstance(caught.value, case.builtin)
    sentence = str(caught.value)
    assert sentence
    assert "\n" not in sentence
    for word in case.words:
        assert word in sentence, sentence
    assert not re.search(r"<lambda>|object at 0x|Traceback", sentence) or "Magnification" in sentence


def test_every_exception_refines_a_builtin() -> None:
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    assert len(kinds) > 15
    own = set(kinds)
    for kind in kinds:
        if kind is errors.HitcurveError:
            continue
        base = errors.HitcurveWarning if issubclass(kind, Warning) else errors.HitcurveError
        assert issubclass(kind, base)
        plain = [b for b in kind.__mro__ if b not in own and getattr(builtins, b.__name__, None) is b]
        assert set(plain) - {Exception, BaseException, object}, kind
        assert kind.__doc__


def test_every_exception_that_input_can_cause_is_tested() -> None:
    tested = {case.kind for case in CASES.values()}
    public = {
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, errors.HitcurveError) and kind is not errors.HitcurveError
    }
    # files, optional packages and changes of results have tests of their own
    elsewhere = {errors.UnreadableFileError, errors.MissingExtraError, errors.AbsentModuleError, errors.EngineError}
    assert public - tested <= {*elsewhere, errors.ReadOnlyError}


def test_all_forms_that_do_not_parse_are_listed() -> None:
    with pytest.raises(errors.MetricParseError) as caught:
        metrics(["ap", "bedrock(alpha=20)", "auprc", "ef@0%"])
    said = str(caught.value)
    assert "\n" not in said
    of_one = said.split("bedrock(alpha=20)")[1].split("auprc", 1)
    of_others = of_one[1].split("ef@0%", 1)
    assert "'bedroc'" in of_one[0]
    assert "'ap'" in of_others[0]
    assert "0%" in of_others[1]


def test_nothing_is_computed_if_a_metric_does_not_parse() -> None:
    with pytest.raises(errors.MetricParseError):
        evaluate(None, None, metrics=["bedrock"])


def test_undefined_metrics_are_nan_with_one_warning() -> None:
    with pytest.warns(errors.UndefinedMetricWarning) as caught:
        ev = evaluate(Y, {"a": S, "b": S}, metrics=["ap", "hits@9", "recall@10"], undefined="nan")
    assert len(caught) == 1
    assert [type(w) for w in ev.warnings] == [errors.UndefinedMetricWarning]
    assert all(word in str(ev.warnings[0]) for word in ("hits@9", "recall@10", "'a'", "'b'"))
    assert not math.isnan(ev["a", "ap"].value)
    assert math.isnan(ev["a", "hits@9"].value)
    assert math.isnan(ev["b", "recall@10"].value)
    # what prints must not fail on them
    assert "is undefined: a cutoff at rank 9 exceeds the list" in str(ev)
    assert ev.to_dict()["results"][1]["value"] is None
    assert len(ev.to_frame(backend="pandas")) == 6


@pytest.mark.parametrize("y", [[1, 1, 1], [0, 0, 0]], ids=["positives", "negatives"])
def test_one_class_is_undefined(y: list[int]) -> None:
    with pytest.warns(errors.UndefinedMetricWarning) as caught:
        value = hc.metrics.AUC()(y, [1, 2, 3], undefined="nan")
    assert math.isnan(value)
    assert len(caught) == 1
    with pytest.warns(errors.UndefinedMetricWarning) as caught:
        ev = evaluate(y, [1, 2, 3], metrics=["auc", "ap"], undefined="nan")
    assert len(caught) == len(ev.warnings) == 1
    assert [math.isnan(e.value) for e in ev] == [True, True]


@pytest.mark.parametrize("form", ["auc", "ap", "recall@1", "precision@9", "momentum"])
@pytest.mark.parametrize("y", [[1] * 6, [0] * 6, [1, 0, 1, 0, 0, 1]], ids=["positives", "negatives", "both"])
def test_what_stands_beside_an_undefined_value_is_undefined(y: list[int], form: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        e = evaluate(y, [1, 2, 3, 4, 5, 6], metrics=[form], undefined="nan")["score", form]
    if not math.isnan(e.value):
        assert sum(y) == 3
        assert form != "precision@9"
        return
    assert all(math.isnan(x) for x in (e.random, e.best, e.worst))
    assert (e.random_mean, e.bias_reduced, e.interval, e.tie_range, e.cut) == (None,) * 5
    assert e.convention == ""
    assert e.reason


def test_undefined_metrics_raise_by_default() -> None:
    with pytest.raises(errors.UndefinedMetricError):
        evaluate(Y, S, metrics=["ap", "hits@9"])
