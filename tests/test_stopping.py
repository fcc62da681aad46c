"""May a review stop: against enumeration, and against numbers of an independent computation."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom
from validation import points_open, running

import hitcurve as hc
from hitcurve.errors import ParameterError
from hitcurve.inference.promises import reviews as module
from tests.shell import Shell
from tests.strategies import law

# h, x, M, m; D_U; limits of recall of the ranked part and of all found; p at .95 and at .8; D_U by likelihood ratio.
# POINTS 3 of the design notes: Python 3.11, scipy 1.16
REFERENCE = [
    (90, 0, 1000, 100, 28, 0.762712, 0.762712, 0.5898321817, 0.0861335613, 41),
    (90, 0, 1000, 300, 8, 0.918367, 0.918367, 0.1673486179, 0.0002450694, 11),
    (90, 1, 1000, 300, 13, 0.873786, 0.883495, 0.4196329664, 0.0019758565, 19),
    (45, 2, 500, 200, 13, 0.775862, 0.810345, 0.6832563851, 0.0377665346, 17),
    (10, 0, 60, 30, 4, 0.714286, 0.714286, 0.5, 0.1186440678, None),
    (5, 0, 20, 10, 3, 0.625, 0.625, 0.5, 0.2368421053, None),
]


@pytest.mark.parametrize("case", REFERENCE)
def test_reference_numbers(case: tuple[float, ...]) -> None:
    h, x, M, m, most, ranked, low, p95, p80, any_look = case
    by95, by80 = (hc.stopping(int(h), int(M), int(m), int(x), target=target) for target in (0.95, 0.8))
    assert by95.positives_unread == by80.positives_unread == most
    assert by95.ranked_recall_low == pytest.approx(ranked, abs=5e-7)
    assert by95.recall_low == pytest.approx(low, abs=5e-7)
    assert (by95.pvalue, by80.pvalue) == pytest.approx((p95, p80), abs=5e-11)
    if any_look is not None:
        found = hc.stopping(int(h), int(M), int(m), int(x), method="likelihood-ratio")
        assert found.positives_unread == any_look


@st.composite
def reviews(draw: st.DrawFn) -> tuple[int, int, int, int, float]:
    unread = draw(st.integers(1, 60))
    sampled = draw(st.integers(0, unread))
    hits = draw(st.integers(0, sampled))
    return draw(st.integers(0, 40)), unread, sampled, hits, draw(st.sampled_from([0.5, 0.7, 0.8, 0.9, 0.95, 0.99]))


@cache
def chance(x: int, M: int, D: int, m: int) -> Fraction:
    """P(X = x) by counting samples."""
    if x > D or m - x > M - D:
        return Fraction(0)
    return Fraction(math.comb(D, x) * math.comb(M - D, m - x), math.comb(M, m))


@law(100)
@given(reviews())
def test_one_look_by_enumeration(review: tuple[int, int, int, int, float]) -> None:
    h, M, m, x, target = review
    found = hc.stopping(h, M, m, x, target=target)
    tails = {D: sum(chance(k, M, D, m) for k in range(x + 1)) for D in range(x, M - m + x + 1)}
    most = max(D for D, tail in tails.items() if tail > Fraction(1, 20))
    assert found.positives_unread == most
    # recall of all found is below the target with D positives left
    short = [D for D in tails if Fraction(h + x, h + D) < Fraction(repr(target))] if h + x else [D for D in tails if D]
    p = max((tails[D] for D in short), default=Fraction(0))
    assert found.pvalue == pytest.approx(float(p), abs=1e-12)
    assert found.may_stop == (most not in short)


@law(100)
@given(reviews())
def test_any_look_by_enumeration(review: tuple[int, int, int, int, float]) -> None:
    h, M, m, x, target = review
    found = hc.stopping(h, M, m, x, target=target, method="likelihood-ratio")
    ratio = {
        D: sum((chance(x, M, less, m) for less in range(D)), Fraction(0)) / D / chance(x, M, D, m) if D else Fraction(0)
        for D in range(x, M - m + x + 1)
    }
    assert found.positives_unread == max(D for D, value in ratio.items() if value < 20)
    short = [D for D in ratio if Fraction(h + x, h + D) < Fraction(repr(target))] if h + x else [D for D in ratio if D]
    least = min((ratio[D] for D in short), default=None)
    p = 0 if least is None else 1 if least <= 1 else 1 / least
    assert found.pvalue == pytest.approx(float(p), abs=1e-9)
    # as sure as one look at most
    assert found.positives_unread >= hc.stopping(h, M, m, x).positives_unread


@law(40)
@given(reviews(), st.sampled_from(["one-look", "likelihood-ratio"]))
def test_sizes_are_the_smallest_that_do(review: tuple[int, int, int, int, float], method: str) -> None:
    h, M, m, x, target = review
    for more, size in enumerate(hc.stopping(h, M, m, x, target=target, method=method).sizes):
        assert hc.stopping(h, M, size, x + more, target=target, method=method).may_stop
        if size > max(m, x + more):
            assert not hc.stopping(h, M, size - 1, x + more, target=target, method=method).may_stop


@pytest.mark.parametrize("size", [(20, 10), (60, 30), (200, 20), (500, 100)])
def test_limit_holds_for_every_number_of_positives(size: tuple[int, int]) -> None:
    M, m = size
    most = [hc.stopping(10, M, m, x).positives_unread for x in range(m + 1)]
    coverage = []
    for D in range(M + 1):
        share = hypergeom.pmf(np.arange(m + 1), M, D, m)
        coverage.append(float(np.sum(share[np.array(most) >= D])))
    # POINTS 3 of the design notes
    expected = {(20, 10): 0.9567, (60, 30): 0.9527, (200, 20): 0.9504, (500, 100): 0.9501}[size]
    assert min(coverage) == pytest.approx(expected, abs=5e-5)
    assert min(coverage) >= 0.95


def stops_wrongly(h: int, M: int, every: int, target: float, method: str, most: int = 24) -> float:
    """Return the largest probability, over the positives that are left, to stop too early at one of all looks."""

    @cache
    def stops(m: int, x: int) -> bool:
        return hc.stopping(h, M, m, x, target=target, method=method).may_stop

    worst = 0.0
    for D in range(most + 1):
        at, wrong = {0: 1.0}, 0.0
        for read in range(every, M, every):
            following: dict[int, float] = {}
            for x, mass in at.items():
                for new in range(min(D - x, every) + 1):
                    share = mass * float(chance(new, M - read + every, D - x, every))
                    if share == 0:
                        continue
                    if stops(read, x + new):
                        wrong += share * ((h + x + new) < target * (h + D) - 1e-9)
                    else:
                        following[x + new] = following.get(x + new, 0.0) + share
            at = following
        worst = max(worst, wrong)
    return worst


@pytest.mark.parametrize(
    ("review", "by_p", "by_ratio"),
    [
        ((45, 500, 20, 0.9), 0.0631, 0.0132),
        ((90, 1000, 50, 0.95), 0.0547, 0.0126),
        ((20, 2000, 200, 0.8), 0.0583, 0.0155),
        ((90, 1000, 50, 0.8), 0.0569, 0.0104),
    ],
)
def test_looking_again_and_again(review: tuple[int, int, int, float], by_p: float, by_ratio: float) -> None:
    """Positives found, subjects unread, subjects of a look, recall; POINTS 3 of the design notes."""
    most = 30 if review[0] == 90 and review[3] == 0.8 else 12
    assert stops_wrongly(*review, "one-look", most) == pytest.approx(by_p, abs=5e-5)
    assert stops_wrongly(*review, "likelihood-ratio", most) == pytest.approx(by_ratio, abs=5e-5)


def test_long_lists_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def made() -> hc.Stopping:
        return hc.stopping(300, 20_000, 2_000, 30, target=0.5, method="likelihood-ratio")

    whole = made()
    monkeypatch.setattr(module, "_AT_ONCE", 7)
    assert made().positives_unread == whole.positives_unread
    assert made().pvalue == pytest.approx(whole.pvalue, rel=1e-14)


@pytest.mark.parametrize(("M", "m", "x"), [(4_000, 400, 3), (4_000, 3_800, 0), (5_000, 300, 20), (3_000, 5, 4)])
def test_any_look_is_the_mean_over_all_smaller_numbers(M: int, m: int, x: int) -> None:
    D = np.arange(x, M - m + x + 1)
    own = np.asarray(hypergeom.pmf(x, M, D, m))
    p = np.ones(D.size)
    p[1:] = np.minimum(D[1:] * own[1:] / np.cumsum(own)[:-1], 1)
    of, rule = module._Sample(M, m, x), module._AnyLook()
    assert [rule.p(of, int(one)) for one in D[::7]] == pytest.approx(p[::7], rel=1e-9)
    for level in (1e-12, 0.001, 0.05, 0.5):
        assert rule.most(of, level) == D[p > level * (1 + 1e-9)][-1]


@pytest.mark.parametrize("unread", [10**7, 10**9])
def test_any_look_at_few_of_many_is_that_of_a_share(unread: int) -> None:
    """Of very many unread one hit of three has the likelihood q (1 - q)^2 of their share q."""

    def ratio(q: float) -> float:
        return (q**2 / 2 - 2 * q**3 / 3 + q**4 / 4) / q / (q * (1 - q) ** 2)

    found = hc.stopping(90, unread, 3, 1, method="likelihood-ratio")
    assert ratio(found.positives_unread / unread) == pytest.approx(20, rel=100 / unread)
    below = hc.stopping(unread // 4, unread, 3, 1, target=0.25, method="likelihood-ratio")  # as 3/4 of them are not
    assert 1 / below.pvalue == pytest.approx(ratio(0.75), rel=100 / unread)


@pytest.mark.parametrize("share", [0, 0.003, 0.5, 1])
@pytest.mark.parametrize("sampled", [0, 1, 3, 30_000, 5 * 10**8, 10**9 - 5, 10**9])
def test_the_largest_reviews_are_bounded_at_once(sampled: int, share: float) -> None:
    hits = int(sampled * share)
    found = hc.stopping(90, 10**9, sampled, hits, target=0.5, method="likelihood-ratio")
    assert found.may_stop == (found.recall_low >= 0.5)
    assert found.positives_unread <= 10**9 - sampled + hits


def test_ends() -> None:
    nothing_left = hc.stopping(3, 0)
    assert nothing_left.may_stop
    assert nothing_left.recall_low == 1
    assert "nothing is unread" in str(nothing_left)
    all_read = hc.stopping(3, 10, 10, 1)
    assert all_read.pvalue == 0
    assert all_read.recall_low == 1
    assert all_read.ranked_recall == 0.75
    none_yet = hc.stopping(3, 10)
    assert math.isnan(none_yet.recall)
    assert none_yet.positives_unread == 10
    assert not none_yet.may_stop
    assert "no sample" in none_yet._repr_html_()


def test_recall_that_the_unread_cannot_lower_needs_no_sample() -> None:
    sure = hc.stopping(1_000_000, 1000)
    assert sure.may_stop
    assert str(sure) == "the review may stop: even if all 1,000 unread are positive, recall is at least 99.9% (p = 0)"


def test_what_is_unknown_is_no_number() -> None:
    """Recall is 1 where nothing was ever unread, and unknown without a sample or if nothing was found."""
    nothing_left = hc.stopping(3, 0)
    assert nothing_left.recall == nothing_left.ranked_recall == 1
    assert "nan" not in str(nothing_left) + nothing_left._repr_html_()
    assert ["recall of all that was found", "", "0.2308"] in hc.stopping(3, 10).table_rows()[1]
    nothing_found = hc.stopping(0, 100, 50, 0)
    assert math.isnan(nothing_found.recall)
    assert nothing_found.recall_low == 0
    assert "recall of the 0 found: unknown, at least 0" in str(nothing_found)
    none_there = hc.stopping(0, 100, 100, 0)
    assert str(none_there) == "nothing is unread, and there was no positive to find: recall is undefined"
    assert "nan" not in none_there._repr_html_()


def test_the_advice_is_for_python_and_the_command() -> None:
    assert "needs the method likelihood-ratio, which" in str(hc.stopping(90, 1000, 300, 5))


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"found": 9, "unread": 5, "sampled": 6}, "sampled=6 is more than the unread=5"),
        ({"found": 9, "unread": 50, "sampled": 6, "hits": 7}, "hits=7 is more than the sampled=6"),
        ({"found": 0, "unread": 0}, "nothing to review"),
        ({"found": -1, "unread": 5}, "found must be a whole number of at least 0"),
        ({"found": 1.5, "unread": 5}, "found must be a whole number of at least 0"),
        ({"found": 1, "unread": 10**10}, "unread must be at most"),
        ({"found": 1, "unread": 5, "target": 1}, "target must lie strictly between 0 and 1"),
        ({"found": 1, "unread": 5, "confidence_level": 95}, "confidence_level must lie strictly"),
        ({"found": 1, "unread": 5, "method": "sprt"}, "method must be"),
    ],
)
def test_refused(given_: dict[str, int], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        hc.stopping(**given_)  # type: ignore[arg-type]


def test_the_command(shell: Shell) -> None:
    done = shell("stop", "--found", "90", "--unread", "1000", "--sampled", "300", "--hits", "1", "--target", "0.8")
    assert done.code == 0
    assert "the review may stop" in done.out
    planned = shell("stop", "--found", "90", "--unread", "1000", "--format", "json").json
    assert planned["stopping"][0]["needed"] == hc.stopping(90, 1000).sizes[0]
    unsure = shell("stop", "--found", "90", "--unread", "1000", "--sampled", "100", "--target", "95%")
    assert unsure.code == 3
    for option in ("--target", "--confidence-level"):
        sentence = f"{option} must be a share such as 5% or 0.05, got 'most'"
        assert sentence in shell("stop", "--found", "9", "--unread", "5", option, "most").refusal
    less = shell("stop", "--found", "90", "--unread", "1000", "--confidence-level", "80%", "--format", "json").json
    assert less["stopping"][0]["needed"] == hc.stopping(90, 1000, confidence_level=0.8).sizes[0]
    said = shell("stop", "--found", "9", "--unread", "5", "--sampled", "6").refusal
    assert "--sampled 6 is more than the --unread 5" in said


def test_probabilities_at_the_limit_are_those_of_the_design() -> None:
    """POINTS 3: P(X <= x) with the largest number of positives that is not rejected, and with one more."""
    at_limit = [
        (0.0501405437, 0.0449820515),
        (0.0569561894, 0.0397315354),
        (0.0624659044, 0.0463802673),
        (0.0555736345, 0.0377665346),
        (0.0561998216, 0.0260927743),
        (0.1052631579, 0.0433436533),
    ]
    for (h, x, M, m, *_), expected in zip(REFERENCE, at_limit, strict=True):
        most = hc.stopping(int(h), int(M), int(m), int(x)).positives_unread
        found = hypergeom.cdf(int(x), int(M), [most, most + 1], int(m))
        assert found == pytest.approx(expected, abs=5e-11)


@pytest.mark.parametrize(
    ("review", "expected"),
    [
        ((45, 500, 200, 0.8), 0.0378),
        ((90, 1000, 300, 0.8), 0.0452),
        ((90, 500, 200, 0.8), 0.0393),
        ((45, 200, 60, 0.8), 0.0119),
    ],
)
def test_one_look_stops_wrongly_as_often_as_the_design_says(
    review: tuple[int, int, int, float], expected: float
) -> None:
    """POINTS 3: exact, at the worst number of positives that are left."""
    h, M, m, target = review
    stops = np.array([hc.stopping(h, M, m, x, target=target).may_stop for x in range(15)])
    worst = 0.0
    for D in range(60):
        x = np.arange(stops.size)
        wrong = stops & (h + x < target * (h + D) - 1e-9)
        worst = max(worst, float(np.sum(hypergeom.pmf(x, M, D, m)[wrong])))
    assert worst == pytest.approx(expected, abs=5e-5)


def test_priors_of_the_rule_for_any_look() -> None:
    """The committed study: the uniform prior and .7^D are those of POINTS 3, and no prior breaks the level."""
    lines = running.read("stopping_priors")
    of = {(line["found"], line["target"], line["prior"]): line for line in lines}
    for key, violated, none, one_below in (
        (("90", "0.95", "uniform"), 0.0126, 0.60, 0.83),
        (("45", "0.9", "uniform"), 0.0132, 0.52, 0.78),
        (("20", "0.8", "uniform"), 0.0155, 0.50, 0.79),
        (("90", "0.8", "uniform"), 0.0104, 0.20, 0.55),
        (("90", "0.95", ".7^D"), 0.0182, 0.55, 0.85),
        (("45", "0.9", ".7^D"), 0.0192, 0.48, 0.82),
        (("20", "0.8", ".7^D"), 0.0155, 0.50, 0.82),
        (("90", "0.8", ".7^D"), 0.0238, 0.15, 0.68),
    ):
        line = of[key]
        assert float(line["violated"]) == pytest.approx(violated, abs=2e-4)
        assert float(line["read_if_none_left"]) == pytest.approx(none, abs=6e-3)
        assert float(line["read_one_below_target"]) == pytest.approx(one_below, abs=6e-3)
    assert max(float(line["violated"]) for line in lines) < 0.05


def test_priors_are_computed_as_they_were() -> None:
    found = [{key: str(value) for key, value in line.items()} for line in points_open.priors(points_open.REVIEWS[1])]
    assert found == [line for line in running.read("stopping_priors") if line["found"] == "45"]
