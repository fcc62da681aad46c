"""The largest enrichment over all cuts, and its lower limit."""

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, special, stats

import hitcurve as hc
from hitcurve.errors import ColumnNotFoundError, MetricParseError, ParameterError, UndefinedMetricError
from hitcurve.inference.promises import certified
from hitcurve.inference.promises.enriched import largest_with_evidence, log_evidence
from tests.sampled import quietly
from tests.shell import in_process as run

HITS, NEGATIVES = np.array([3, 5, 6, 9, 12, 20.0]), np.array([0, 1, 3, 10, 60, 980.0])


def _table() -> hc.HitTable:
    return hc.HitTable.from_counts(pos=np.diff(HITS, prepend=0), neg=np.diff(NEGATIVES, prepend=0))


def _slow_limit(hits: list[int], selected: list[int], error: float, ratio: float) -> float:
    """Return the limit by the definition: precisions of odds p w/(1 - p), and bisection."""

    h, k, j = np.array(hits)[:, None], np.array(selected)[:, None], np.arange(1, 13)

    def most(p: float) -> float:
        q = p * 1.5**j / (1 - p + p * 1.5**j)
        terms = h * np.log(q / p) + (k - h) * np.log((1 - q) / (1 - p))
        return float(np.max(special.logsumexp(terms, axis=1))) - math.log(12)

    low, high = -30.0, 30.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if most(special.expit(middle)) >= -math.log(error) else (low, middle)
    return math.exp(low) * ratio


def test_the_reference_of_the_design() -> None:
    """Value 245 and limit 21.765829 at the second row, which bisection of 30 steps finds to eight digits."""
    found = hc.evaluate(tables={"a": _table()}, metrics="auc").largest_enrichment("a")
    assert found.value == pytest.approx(245)
    assert found.limit == pytest.approx(21.7658290331, rel=5e-8)
    assert (found.cut.tp, found.cut.fp) == (found.value_cut.tp, found.value_cut.fp) == (5, 1)
    assert found.limit == pytest.approx(_slow_limit([3, 5, 6, 9, 12, 20], [3, 6, 9, 19, 72, 1000], 0.05, 49), rel=1e-9)


def test_evidence_is_that_of_the_design() -> None:
    for h, k, p, expected in ((5, 5, 0.5, 2.9813920503), (8, 10, 0.5, 1.0338840180), (5, 6, 0.02, 15.0414530595)):
        assert log_evidence(np.array(h), np.array(k), float(special.logit(p))) == pytest.approx(expected, abs=5e-11)


def test_other_limits_of_the_design() -> None:
    """Uniform mixture, and the exact limit at the maximum, which promises nothing."""
    selected = HITS + NEGATIVES

    def enrichment(p: float) -> float:
        return 49 * p / (1 - p)

    def over(p: float) -> float:
        return float(np.max(certified.log_mixture(HITS, selected, p))) - math.log(20)

    assert enrichment(optimize.brentq(over, 1e-6, 1 - 1e-6, xtol=1e-14)) == pytest.approx(20.9713139739, rel=5e-8)
    exact = float(stats.beta.ppf(0.05, 5, 2))
    assert enrichment(exact) == pytest.approx(35.2208883977, rel=1e-9)
    # ten depths 2, 4, 8, ..., each with a tenth of the error; and two bands of Dvoretzky, Kiefer and Wolfowitz
    shared = [enrichment(x) for x in np.atleast_1d(stats.beta.ppf(0.005, HITS, NEGATIVES + 1))]
    assert max(shared) == shared[1] == pytest.approx(16.6829961715, rel=1e-9)
    off = [math.sqrt(math.log(40) / (2 * n)) for n in (20, 980)]
    band = (HITS / 20 - off[0]) / (NEGATIVES / 980 + off[1])
    assert max(band) == band[4] == pytest.approx(2.8326784105, rel=1e-9)
    # the martingale over odds ratios is above all that promise anything
    limit = hc.evaluate(tables={"a": _table()}, metrics="auc").largest_enrichment("a").limit
    assert limit > 20.9713139739 > max(shared) > max(band)


@pytest.mark.slow
def test_the_limit_is_the_same_of_scores_and_of_their_table() -> None:
    """Negatives between two positives change no limit; the value takes the first of them."""
    rng = np.random.default_rng(2)
    for levels in (None, 4):
        for _ in range(5):
            y = np.repeat([1, 0], [20, 300])
            scores = rng.normal(size=320) + 2 * y
            scores = scores if levels is None else np.round(scores * levels)
            ev = quietly(y, {"a": scores}, metrics="auc")
            found = ev.largest_enrichment("a")
            whole = hc.evaluate(tables={"a": hc.HitTable.from_scores(y, scores)}, metrics="auc").largest_enrichment("a")
            assert found == whole
            cuts = [((y[scores >= s]).sum(), (1 - y[scores >= s]).sum(), s) for s in np.unique(scores)[::-1]]
            assert found.value == pytest.approx(max(h / b for h, b, _ in cuts if b) * 15)
            hits, below = ([int(cut[i]) for cut in cuts] for i in (0, 1))
            selected = [h + b for h, b in zip(hits, below, strict=True)]
            assert found.limit == pytest.approx(_slow_limit(hits, selected, 0.05, 15), rel=1e-8)
            assert found.cut.threshold in scores
            assert ev.without_data().largest_enrichment("a").limit == found.limit
            low = quietly(y, {"a": -scores}, metrics="auc", higher_is_better=False).largest_enrichment("a")
            assert low.value_cut.threshold == -(found.value_cut.threshold or 0)


@pytest.mark.slow
def test_a_limit_is_rarely_above_the_enrichment_of_its_cut() -> None:
    """Of binormal 1.5 and of no skill, 50 positives and 1,000 negatives; the value is above it nearly always."""
    rng, draws = np.random.default_rng(4), 80
    y = np.repeat([1, 0], [50, 1000])
    for shift in (1.5, 0.0):
        broken, values = 0, []
        for _ in range(draws):
            found = quietly(y, {"a": rng.normal(size=1050) + shift * y}, metrics="auc").largest_enrichment("a")
            cut = found.cut.threshold
            assert cut is not None
            broken += found.limit > stats.norm.sf(cut - shift) / stats.norm.sf(cut)
            values.append(found.value)
        assert broken <= 0.05 * draws + 3 * math.sqrt(0.05 * 0.95 * draws)
    assert np.mean(np.array(values) > 1) > 0.9


def test_a_limit_falls_with_the_level_and_is_0_where_nothing_is_known() -> None:
    ev = hc.evaluate(tables={"a": _table()}, metrics="auc")
    limits = [ev.largest_enrichment("a", confidence_level=level).limit for level in (0.5, 0.8, 0.95, 0.999)]
    assert limits == sorted(limits, reverse=True)
    one = hc.evaluate(tables={"a": hc.HitTable.from_ranks([3], 10)}, metrics="auc")
    assert one.largest_enrichment("a", confidence_level=0.999).limit == 0
    assert largest_with_evidence(np.array([1.0]), np.array([2.0]), 1e-6)[0] == -math.inf
    assert "no cut is certified with 95% confidence to have an enrichment above 1" in str(one.largest_enrichment("a"))
    assert one.largest_enrichment("a").value == pytest.approx(9 / 2)


def test_it_is_a_value_and_refuses() -> None:
    ev = hc.evaluate(tables={"a": _table()}, metrics="auc")
    found = ev.largest_enrichment("a")
    assert isinstance(found, hc.LargestEnrichment)
    assert pickle.loads(pickle.dumps(found)) == found
    assert found.to_frame(backend="pandas")["positives"].tolist() == [5, 5]
    assert found.to_records()[1]["limit"] is None
    assert found.certified
    assert (found.to_record()["limit"], found.to_record()["value_positives"]) == (found.limit, 5)
    assert "<table>" in found._repr_html_()
    assert "above 21.77" in str(found)
    with pytest.raises(ColumnNotFoundError):
        ev.largest_enrichment("b")
    with pytest.raises(ParameterError, match="confidence_level"):
        ev.largest_enrichment("a", confidence_level=95)
    y, scores = np.array([1, 0, 1, 0, 1, 0]), np.arange(6.0)
    for options, words in (({"sample_weight": np.arange(1, 7)}, "weights"), ({"clusters": [1, 1, 2, 2, 3, 3]}, "clus")):
        with pytest.raises(UndefinedMetricError, match=words):
            quietly(y, {"a": scores}, metrics="auc", **options).largest_enrichment("a")


def test_the_metric_string_of_the_field_is_answered() -> None:
    for word in ("efb_max", "EFBmax"):
        with pytest.raises(MetricParseError, match=r"largest_enrichment\(ranker\) returns both"):
            hc.metric(word)


def test_the_command_says_what_python_says(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [30, 200])
    scores = {"a": rng.normal(size=230) + 2 * y, "b": rng.normal(size=230)}
    lines = ["y,a,b", *(",".join(map(str, row)) for row in zip(y, *scores.values(), strict=True))]
    (tmp_path / "s.csv").write_text("\n".join(lines), encoding="utf-8")
    given = ["certify", str(tmp_path / "s.csv"), "--label", "y", "--score", "a", "--score", "b", "--enrichment"]
    ev = quietly(y, scores, metrics="auc")
    found = [ev.largest_enrichment(name) for name in "ab"]
    assert [one.certified for one in found] == [True, False]
    done = run(*given, "--format", "json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["certify"] == [one.to_record() for one in found]
    refused = run(*given, "--fpr", "5%")
    assert (refused.returncode, "--enrichment has no target" in refused.stderr) == (2, True)


def test_an_infinite_enrichment_is_printed() -> None:
    """A certified cut without negatives above it: text and page say inf, records a word that JSON has."""
    table = hc.HitTable.from_counts(pos=[8, 1, 3], neg=[0, 1, 4000])
    found = hc.evaluate(tables={"a": table}, metrics="auc").largest_enrichment("a")
    assert found.cut.fp == 0
    assert " inf " in str(found)
    assert ">inf<" in found._repr_html_()
    assert found.to_records()[0]["enrichment"] == "inf"
    assert found.to_frame("pandas")["enrichment"][0] == math.inf
