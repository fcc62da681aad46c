"""Magnifications against 50-digit arithmetic, and what follows from them at the ends of their ranges."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

import hitcurve as hc
from hitcurve import HitTable, metric
from hitcurve.errors import ParameterError
from hitcurve.magnify import Magnification
from hitcurve.magnify.quadrature import mean_by_quadrature, unit_means
from tests.strategies import Floats

Exact = Callable[[Any], Any]
mpf = mpmath.mpf
DIGITS = 50


class Map(NamedTuple):
    """A magnification, its definition, and what its values and slopes are good for."""

    f: Magnification
    exact: Exact
    kinks: tuple[float, ...] = ()
    slope_error: float = 1e-11
    error: float = 2e-12


def exponential(alpha: float) -> Map:
    a = mpf(alpha)
    return Map(hc.magnify.Exponential(alpha), lambda x: mpmath.expm1(-a * x) / mpmath.expm1(-a))


def log_window(low: float, high: float) -> Map:
    span = mpmath.log(mpf(high) / mpf(low))
    return Map(
        hc.magnify.LogWindow(low, high),
        lambda x: mpf(0) if x <= low else mpf(1) if x >= high else mpmath.log(x / mpf(low)) / span,
        (low, high),
    )


def window(low: float, high: float) -> Map:
    return Map(
        hc.magnify.Window(low, high), lambda x: min(max((x - mpf(low)) / (mpf(high) - mpf(low)), 0), 1), (low, high)
    )


def cut_off(t: float) -> Map:
    return Map(hc.magnify.CutOff(t), lambda x: min(x / mpf(t), 1), (t,))


def step(t: float) -> Map:
    return Map(hc.magnify.Step(t), lambda x: mpf(int(x > t)), (t,))


def beta(a: float, b: float) -> Map:
    # regularized in mpmath loses digits for tiny ends unless given room
    return Map(
        hc.rates.Beta(a, b).magnification(), lambda x: mpmath.betainc(mpf(a), mpf(b), 0, x, regularized=True), (), 1e-9
    )


def mixture(*parts: tuple[float, Map]) -> Map:
    total = sum(share for share, _ in parts)
    return Map(
        hc.magnify.Mixture([part.f for _, part in parts], [share for share, _ in parts]),
        lambda x: sum(mpf(share) / mpf(total) * part.exact(x) for share, part in parts),
        tuple(sorted({k for _, part in parts for k in part.kinks})),
    )


def steep(x: Floats) -> Floats:
    """Return a density that is infinite at 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(x**-0.5)


@mpmath.workdps(DIGITS)  # type: ignore[untyped-decorator]
def maps() -> dict[str, Map]:
    """Return the maps under test; their constants are computed in full precision."""
    return {
        "identity": Map(hc.magnify.Identity(), lambda x: x),
        "exp 7": exponential(7),
        "exp 80": exponential(80),
        "exp 1e-8": exponential(1e-8),
        "exp 1e-3": exponential(1e-3),
        "exp 1000": exponential(1000),
        "power 2.3": Map(hc.magnify.Power(2.3), lambda x: x ** (1 / (1 + mpf(2.3)))),
        "power 0.001": Map(hc.magnify.Power(0.001), lambda x: x ** (1 / (1 + mpf(0.001)))),
        "power 1000": Map(hc.magnify.Power(1000), lambda x: x ** (1 / mpf(1001))),
        "log 80": Map(hc.magnify.Logarithmic(80), lambda x: mpmath.log1p(80 * x) / mpmath.log(81)),
        "log 1e-8": Map(hc.magnify.Logarithmic(1e-8), lambda x: mpmath.log1p(mpf(1e-8) * x) / mpmath.log1p(mpf(1e-8))),
        "log 1e6": Map(hc.magnify.Logarithmic(1e6), lambda x: mpmath.log1p(1000000 * x) / mpmath.log1p(1000000)),
        "log2power 2": Map(hc.magnify.Log2Power(2), lambda x: mpmath.log(1 + x, 2) ** (mpf(1) / 3)),
        "window": window(0.1, 0.6),
        "window to 1": window(0.9, 1),
        "logwindow": log_window(0.001, 1),
        "logwindow inside": log_window(0.01, 0.5),
        "cutoff": cut_off(0.15),
        "step": step(0.15),
        "mixture": mixture((3, window(0, 0.5)), (1, exponential(7)), (0.5, step(0.3))),
        "profile": Map(
            hc.magnify.magnification_from_attention([6, 0, 4], [0, 0.25, 0.5, 1]),
            lambda x: mpf("0.6") * min(4 * x, 1) + mpf("0.4") * max(2 * x - 1, 0),
            (0.25, 0.5),
        ),
        "density": Map(
            hc.magnify.FromDensity(lambda x: 3 * np.exp(-7 * x)), lambda x: mpmath.expm1(-7 * x) / mpmath.expm1(-7)
        ),
        "singular density": Map(hc.magnify.FromDensity(steep), mpmath.sqrt, (), 1e-7, 1e-9),
        "custom": Map(hc.magnify.Custom(lambda x: x * (2 - x), lambda x: 2 - 2 * x), lambda x: x * (2 - x)),
        # a difference quotient stands for the slope, one-sided at the ends
        "custom without slope": Map(hc.magnify.Custom(lambda x: x * (2 - x)), lambda x: x * (2 - x), (), 2e-6),
        "beta": beta(6.23, 32.8),
        "beta U": beta(0.5, 0.5),
        "beta late": beta(30.0, 2.0),
    }


MAPS = maps()
each_map = pytest.mark.parametrize("m", MAPS.values(), ids=list(MAPS))
STARTS = (0.0, 1e-3, 0.1, 0.25, 0.6)
INTERVALS = {
    "wide": [(0.0, 1.0), (0.0, 0.31), (0.05, 0.7), (0.14, 0.17), (0.5, 1.0), (0.001, 0.002)],
    "narrow": [(x, x + 1e-9) for x in STARTS] + [(1 - 1e-9, 1.0)],
    "tiny": [(x, x + 1e-12) for x in STARTS] + [(1 - 1e-12, 1.0)],
}


def exact_mean(m: Map, x0: float, x1: float) -> Any:
    low, high = mpf(x0), mpf(x1)
    ends = [low, *(mpf(k) for k in m.kinks if x0 < k < x1), high]
    if x0 == 0:  # a singular slope at 0 is met step by step
        ends = [low, *(high / mpf(10) ** k for k in range(12, 0, -3)), *ends[1:]]
    return mpmath.quad(m.exact, sorted(ends)) / (high - low)


@each_map
def test_maps_rise_from_0_to_1(m: Map) -> None:
    x = np.concatenate([[0.0], np.geomspace(1e-12, 1, 400), np.linspace(0, 1, 401)])
    x.sort()
    values = m.f(x)
    assert values.shape == x.shape
    assert np.all(np.diff(values) >= -1e-15)
    assert values[0] == 0
    assert values[-1] == pytest.approx(1, abs=max(1e-14, m.error / 10))
    assert np.all((values >= 0) & (values <= 1 + m.error / 10))


@each_map
def test_maps_are_their_definition(m: Map) -> None:
    for x in (0.0, 1e-12, 1e-9, 1e-3, 0.05, 0.1, 0.3, 0.5, 0.77, 0.999, 1.0):
        with mpmath.workdps(DIGITS):
            assert float(m.f(x)) == pytest.approx(float(m.exact(mpf(x))), rel=m.error, abs=1e-300)


@each_map
def test_inverse(m: Map) -> None:
    if m.f == hc.magnify.Power(1000):
        pytest.skip("y^1001 underflows")
    y = np.linspace(0.001, 0.999, 37)
    x = m.f.inverse(y)
    assert np.all((x >= 0) & (x <= 1))
    if isinstance(m.f, hc.magnify.Step):
        np.testing.assert_array_equal(x, m.f.t)
        return
    if "mixture" in m.f.word and any(isinstance(part, hc.magnify.Step) for part in getattr(m.f, "parts", ())):
        # a jump has no value between: the inverse is where f passes y
        assert np.all(m.f(x) >= y)
        assert np.all(m.f(np.maximum(x - 1e-12, 0)) <= y + 1e-9)
        return
    # where f is flat near 1, an x has fewer digits than its y
    np.testing.assert_allclose(m.f(x), y, rtol=1e-10, atol=1e-12)


@pytest.mark.slow
@each_map
@pytest.mark.parametrize("width", list(INTERVALS))
def test_means_of_intervals(m: Map, width: str) -> None:
    x0, x1 = (np.array(ends) for ends in zip(*INTERVALS[width], strict=True))
    got = [method(x0, x1) for method in (m.f.mean, m.f.worth, m.f.mean_up, m.f.mean_dn)]
    for i, (a, b) in enumerate(zip(x0.tolist(), x1.tolist(), strict=True)):
        with mpmath.workdps(40):  # a slope over 1e-12 keeps 28
            mean = exact_mean(m, a, b)
            d = mpf(b) - mpf(a)
            up, dn = float((m.exact(mpf(b)) - mean) / d), float((mean - m.exact(mpf(a))) / d)
            mean, worth = float(mean), float(1 - mean)
        label = f"[{a}, {b}]"
        assert got[0][i] == pytest.approx(mean, rel=m.error, abs=1e-16), label
        assert got[1][i] == pytest.approx(worth, rel=1e-13, abs=max(1e-14, m.error / 10)), label
        # a value of a million has no decimals below 1e-10
        loose = max(m.slope_error, 1e-11)
        assert got[2][i] == pytest.approx(up, rel=loose, abs=loose), label
        assert got[3][i] == pytest.approx(dn, rel=loose, abs=loose), label


@each_map
def test_points_are_intervals_without_width(m: Map) -> None:
    for x in (0.0, 1e-9, 0.07, 0.3, 0.77, 1.0):
        with mpmath.workdps(DIGITS):
            height = float(m.exact(mpf(x)))
        assert float(m.f.mean(x, x)) == pytest.approx(height, rel=m.error, abs=1e-16)
        assert float(m.f.worth(x, x)) == pytest.approx(1 - height, abs=max(1e-14, m.error / 10))
        half = float(m.f.derivative(x)) / 2
        if math.isfinite(half):
            assert float(m.f.mean_up(x, x)) == pytest.approx(half, rel=1e-9)
            assert float(m.f.mean_dn(x, x)) == pytest.approx(half, rel=1e-9)


@each_map
def test_local_magnification_is_the_derivative(m: Map) -> None:
    for x in (1e-6, 1e-3, 0.05, 0.2, 0.35, 0.77, 0.95):
        if any(abs(x - k) < 1e-9 for k in m.kinks):
            continue
        with mpmath.workdps(DIGITS):
            slope = float(mpmath.diff(m.exact, mpf(x), h=mpf(10) ** -20))
        assert float(m.f.derivative(x)) == pytest.approx(slope, rel=max(m.slope_error, 1e-11), abs=1e-7)


@pytest.mark.parametrize("f", [hc.magnify.Power(2.3), hc.magnify.Log2Power(2)], ids=repr)
def test_power_maps_are_infinitely_steep_at_0(f: Magnification) -> None:
    assert math.isinf(float(f.derivative(0.0)))
    # yet an interval that starts there has a finite mean slope
    assert math.isfinite(float(f.mean_up(0.0, 1e-9)))


def test_exponential_keeps_its_digits_far_down_the_list() -> None:
    f = hc.magnify.Exponential(1000)
    for x in (0.1, 0.5, 0.6):
        with mpmath.workdps(DIGITS):
            worth = float(mpmath.exp(-1000 * mpf(x)))
        assert float(f.worth(x, x)) == pytest.approx(worth, rel=1e-12)


@pytest.mark.slow
@each_map
def test_antiderivative(m: Map) -> None:
    for x in (0.0, 1e-3, 0.7):
        with mpmath.workdps(DIGITS):
            expected = float(exact_mean(m, 0.0, x) * mpf(x)) if x else 0.0
        assert float(m.f.antiderivative(x)) == pytest.approx(expected, rel=max(1e-11, m.error), abs=1e-16)


@pytest.mark.slow
@each_map
def test_mean_at_steps(m: Map) -> None:
    for count in (1, 2, 7, 1000, 2**16, 2**16 + 1, 200_000):
        direct = math.fsum(m.f(np.arange(count + 1) / count)) / (count + 1)
        # beyond 2^16 steps a kink costs its jump in slope, at most 10 here, over 12 count^2
        assert m.f.mean_at_steps(count) == pytest.approx(direct, rel=1e-12, abs=0 if count <= 2**16 else 3e-11)


@pytest.mark.parametrize("f", [hc.magnify.Exponential(7), hc.magnify.Power(2.3), hc.magnify.Logarithmic(80)], ids=repr)
def test_mean_at_a_billion_steps(f: Magnification) -> None:
    """f(1) - f(0) = 1 leaves half a step between the mean of the steps and the integral."""
    n = 10**9
    mean = float(f.mean(0, 1))
    assert f.mean_at_steps(n) == pytest.approx((n * mean + 0.5) / (n + 1), rel=1e-11)


# ---- choosing a map


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (hc.magnify.Exponential(7), 0.1),
        (hc.magnify.Exponential(14), 0.05),
        (hc.magnify.Exponential(80), 0.0086),
        (hc.magnify.Power(2.3), 0.1),
        (hc.magnify.Logarithmic(80), 0.1),
    ],
    ids=str,
)
def test_published_maps_send_it_to_one_half(f: Magnification, x: float) -> None:
    assert float(f(x)) == pytest.approx(0.5, abs=0.005)


@pytest.mark.parametrize(
    "family", [hc.magnify.Exponential, hc.magnify.Power, hc.magnify.Logarithmic, hc.magnify.Log2Power]
)
@pytest.mark.parametrize(("x0", "y0"), [(0.1, 0.5), (0.01, 0.8), (0.3, 0.45), (1e-4, 0.5)])
def test_solve_sends_the_point_there(family: type[Magnification], x0: float, y0: float) -> None:
    assert float(family.solve(x0, y0)(x0)) == pytest.approx(y0, rel=1e-11)


@pytest.mark.parametrize(
    ("family", "x0", "alpha", "places"),
    [
        (hc.magnify.Exponential, 0.1, 7, 0.1),
        (hc.magnify.Exponential, 0.05, 14, 0.2),
        (hc.magnify.Exponential, 0.0086, 80, 0.7),
        (hc.magnify.Power, 0.1, 2.3, 0.05),
        (hc.magnify.Logarithmic, 0.1, 80, 0.5),
    ],
)
def test_solve_finds_the_published_parameters(
    family: type[Magnification], x0: float, alpha: float, places: float
) -> None:
    assert getattr(family.solve(x0, 0.5), "alpha") == pytest.approx(alpha, abs=places)  # noqa: B009


@pytest.mark.parametrize(
    ("family", "x0", "y0"),
    [
        (hc.magnify.Exponential, 0.5, 0.5),
        (hc.magnify.Exponential, 0.5, 0.1),
        (hc.magnify.Exponential, 0.0, 0.5),
        (hc.magnify.Exponential, 0.1, 1.0),
        (hc.magnify.Window, 0.1, 0.5),
        # log2(1.1) = .1375 is the least that this family makes of .1
        (hc.magnify.Log2Power, 0.1, 0.12),
    ],
)
def test_solve_refuses(family: type[Magnification], x0: float, y0: float) -> None:
    with pytest.raises(ParameterError):
        family.solve(x0, y0)


@pytest.mark.parametrize(
    "f",
    [
        hc.magnify.Exponential(7),
        hc.magnify.Exponential(1000),
        hc.magnify.Exponential(1e-3),
        hc.magnify.Power(2.3),
        hc.magnify.Logarithmic(80),
        hc.magnify.Log2Power(2),
        hc.magnify.LogWindow(0.001, 1),
        hc.magnify.Custom(lambda x: x * (2 - x), lambda x: 2 - 2 * x),
        hc.magnify.FromDensity(lambda x: np.exp(-7 * x)),
    ],
    ids=lambda f: str(f).partition("(function")[0].partition("(density")[0],
)
def test_unit_point(f: Magnification) -> None:
    assert float(f.derivative(f.unit_point())) == pytest.approx(1, abs=1e-9)


def test_unit_point_of_the_exponential_is_published() -> None:
    """Swamidass et al. 2010, section 2.2: log(alpha / (1 - exp(-alpha))) / alpha."""
    for alpha in (7.0, 20.0, 80.0):
        assert hc.magnify.Exponential(alpha).unit_point() == pytest.approx(
            math.log(alpha / (1 - math.exp(-alpha))) / alpha
        )


@pytest.mark.parametrize("f", [hc.magnify.Step(0.1), hc.magnify.CutOff(0.1), hc.magnify.Window(0.1, 0.6)], ids=repr)
def test_maps_without_a_unit_point_say_so(f: Magnification) -> None:
    with pytest.raises(ParameterError, match="unit point"):
        f.unit_point()


# ---- maps of one's own


def test_relevance_that_decays_gives_the_published_maps() -> None:
    """Swamidass et al. 2010, section 2.2: f' proportional to g; exponential g, exponential f; power g, power f."""
    x = np.linspace(0, 1, 101)
    np.testing.assert_allclose(
        hc.magnify.FromDensity(lambda x: np.exp(-7 * x))(x), hc.magnify.Exponential(7)(x), atol=1e-13
    )
    power = hc.magnify.Power(2.3)
    density = hc.magnify.FromDensity(lambda x: x ** (1 / 3.3 - 1))
    np.testing.assert_allclose(density(x), power(x), atol=1e-5)


def test_values_of_a_density_do_not_depend_on_their_company() -> None:
    f = hc.magnify.FromDensity(lambda x: np.exp(-7 * x))
    together = f([[0.9, 0.1], [0.1, 0.0]])
    assert together.shape == (2, 2)
    np.testing.assert_allclose(together, [[float(f(0.9)), float(f(0.1))], [float(f(0.1)), 0.0]], rtol=1e-13)


@pytest.mark.parametrize(
    "density", [lambda x: x - 0.5, lambda x: 0 * x, lambda x: np.where(x > 0.5, np.inf, 1.0), lambda x: 1 / x]
)
def test_densities_that_are_none_are_refused(density: Callable[[Any], Any]) -> None:
    with pytest.raises(ParameterError):
        hc.magnify.FromDensity(density)


@pytest.mark.parametrize(
    "function", [lambda x: x + 0.1, lambda x: x / 2, lambda x: np.sin(3 * x) / np.sin(3), lambda x: np.nan * x]
)
def test_functions_that_are_no_map_are_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(ParameterError):
        hc.magnify.Custom(function)


@pytest.mark.parametrize(
    ("attention", "edges"),
    [
        ([], None),
        ([0, 0], None),
        ([1, -1], None),
        ([1, math.inf], None),
        ([1, 2], [0, 1]),
        ([1, 2], [0, 0.5, 0.9]),
        ([1, 2], [0, 0, 1]),
    ],
)
def test_profiles_that_are_none_are_refused(attention: list[float], edges: list[float] | None) -> None:
    with pytest.raises(ParameterError):
        hc.magnify.magnification_from_attention(attention, edges)


def test_profile_follows_its_bins() -> None:
    f = hc.magnify.magnification_from_attention([5, 3, 2])
    np.testing.assert_allclose(f([0, 1 / 3, 2 / 3, 1]), [0, 0.5, 0.8, 1], rtol=1e-14)


def test_mixtures_refuse_what_does_not_pair() -> None:
    for parts, shares in (
        ([], []),
        ([hc.magnify.Identity()], [1, 2]),
        ([hc.magnify.Identity()], [0]),
        ([hc.magnify.Identity()], [math.nan]),
    ):
        with pytest.raises(ParameterError):
            hc.magnify.Mixture(parts, shares)


def test_quadrature_resolves_singular_ends_and_kinks() -> None:
    got = mean_by_quadrature(lambda x: np.sqrt(np.abs(x - 0.3)), [0.0, 0.3, 0.2], [1.0, 1.0, 0.2])
    whole = (0.3**1.5 + 0.7**1.5) / 1.5
    np.testing.assert_allclose(got, [whole, 0.7**1.5 / 1.5 / 0.7, math.sqrt(0.1)], rtol=1e-13)


def test_registered_map_gets_a_written_form() -> None:
    own = {
        "quadratic": hc.magnify.Custom(lambda x: x * (2 - x)),
        "clicked": hc.magnify.magnification_from_attention([6, 3, 1]),
        "decaying": hc.magnify.FromDensity(lambda x: np.exp(-7 * x)),
        "blend": hc.magnify.Mixture([hc.magnify.Identity(), hc.magnify.Power(2)], [1, 2]),
    }
    for name, f in own.items():
        hc.magnify.register_magnification(name, f)
        hc.magnify.register_magnification(name, f)  # the same once more: a module that is loaded twice
        m = metric(f"cac({name})")
        assert m == hc.metrics.CAC(f)
        assert str(m) == f"cac({name})"
        assert metric(f"area({name}, along=rate)").value(HitTable.from_counts([1, 2], [3, 4])) == m.value(
            HitTable.from_counts([1, 2], [3, 4])
        )
    for name in ("exp", "quadratic", "Quadratic", "two words"):
        with pytest.raises(ParameterError):
            hc.magnify.register_magnification(name, hc.magnify.Custom(lambda x: x * (2 - x)))
    with pytest.raises(ParameterError, match="Magnification"):
        hc.magnify.register_magnification("squared", lambda x: x**2)  # type: ignore[arg-type]


# ---- limits of strong magnification (Swamidass et al. 2010, section 2.3)


@pytest.mark.parametrize(("z", "y"), [(3, 5), (8, 1), (1, 20)])
def test_the_area_follows_the_slope_at_the_origin(z: int, y: int) -> None:
    t = HitTable.from_counts([z, 10 - z], [y, 40 - y])
    slope = (z / 10) / (y / 40)
    for alpha in (1e3, 1e5):
        assert alpha * hc.metrics.CROC(hc.magnify.Exponential(alpha)).value(t) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(("z", "y"), [(3, 5), (8, 1), (1, 20)])
def test_both_axes_magnified_follow_it_too(z: int, y: int) -> None:
    """The paper prints ROC'(0) as the limit, which no area above 1 can be; it is m/(1 + m), m = ROC'(0)."""
    t = HitTable.from_counts([z, 10 - z], [y, 40 - y])
    slope = (z / 10) / (y / 40)
    f = hc.magnify.Exponential(5e3)
    assert hc.croc_curve(t, magnification=f, y_magnification=f).area() == pytest.approx(slope / (1 + slope), rel=1e-6)
    # the curve itself leaves the origin with the slope ROC'(0)
    assert hc.croc_curve(t, magnification=f, y_magnification=f).at(1e-6) / 1e-6 == pytest.approx(slope, rel=1e-4)


# ---- a list of 10^12

N = 10**12
RANKS = [1, 2, 17, 100_000, 3_000_000_000, 500_000_000_007, N]


@pytest.fixture(scope="module")
def long_list() -> HitTable:
    return HitTable.from_ranks(RANKS, n=N)


def near(got: float, exact: Any) -> None:
    assert got == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize("alpha", [0.5, 20.0, 1000.0])
def test_enhancement_on_a_long_list(long_list: HitTable, alpha: float) -> None:
    with mpmath.workdps(DIGITS):
        a, pi = mpf(alpha), mpf(len(RANKS)) / N
        mean = sum(mpmath.exp(-a * rank / N) for rank in RANKS) / len(RANKS)
        rie = mean / ((1 - mpmath.exp(-a)) / N / mpmath.expm1(a / N))
        bedroc = rie * pi * mpmath.sinh(a / 2) / (mpmath.cosh(a / 2) - mpmath.cosh(a / 2 - a * pi))
        bedroc += 1 / (1 - mpmath.exp(a * (1 - pi)))
    near(hc.metrics.RIE(alpha).value(long_list), rie)
    near(hc.metrics.BEDROC(alpha).value(long_list), bedroc)


def test_sums_over_ranks_on_a_long_list(long_list: HitTable) -> None:
    with mpmath.workdps(DIGITS):
        slr = -sum(mpmath.log(mpf(rank) / N) for rank in RANKS)
        dcg = sum(1 / mpmath.log(rank + 1, 2) for rank in RANKS)
        ideal = sum(1 / mpmath.log(i + 2, 2) for i in range(len(RANKS)))
        ap = sum(mpf(i + 1) / rank for i, rank in enumerate(RANKS)) / len(RANKS)
    near(hc.metrics.SLR().value(long_list), slr)
    near(hc.metrics.DCG().value(long_list), dcg)
    near(hc.metrics.NDCG().value(long_list), dcg / ideal)
    near(hc.metrics.AveragePrecision(ties="expected").value(long_list), ap)
    near(hc.metrics.AveragePrecision().value(long_list), ap)


@pytest.mark.parametrize("name", ["exp 7", "exp 1000", "power 2.3", "log 80", "log2power 2", "logwindow"])
def test_concentrated_curve_on_a_long_list(long_list: HitTable, name: str) -> None:
    m = MAPS[name]
    with mpmath.workdps(DIGITS):
        n0 = N - len(RANKS)
        fpr = [mpf(rank - 1 - i) / n0 for i, rank in enumerate(RANKS)]
        area = sum(1 - m.exact(x) for x in fpr) / len(RANKS)
    near(hc.metrics.CROC(m.f).value(long_list), area)


def test_rate_weighted_auc_on_a_long_list(long_list: HitTable) -> None:
    a, b = 6.23, 32.8
    with mpmath.workdps(DIGITS):
        shape, rest, pi = mpf(a), mpf(b), mpf(len(RANKS)) / N

        def area(x: Any) -> Any:
            """Return the integral of the distribution function from 0."""
            own = mpmath.betainc(shape, rest, 0, x, regularized=True)
            return x * own - shape / (shape + rest) * mpmath.betainc(shape + 1, rest, 0, x, regularized=True)

        means = [N * (area(mpf(rank) / N) - area(mpf(rank - 1) / N)) for rank in RANKS]
        expected = sum(1 - mean for mean in means) / len(RANKS)
        worst, lost = 1 - (area(mpf(1)) - area(1 - pi)) / pi, area(pi) / pi
        rauc = (expected - worst) / (1 - worst - lost)
    near(hc.metrics.RateWeightedAUC(hc.rates.Beta(a, b)).value(long_list), rauc)
    near(hc.metrics.ExpectedRecall(hc.rates.Beta(a, b)).value(long_list), expected)


def test_ties_of_many_subjects() -> None:
    """Groups of 10^12, whose means over orders have closed forms in gamma functions."""
    z, y = [3, 40, 5], [10**6, 10**12, 10**9]
    t = HitTable.from_counts(z, y)
    with mpmath.workdps(DIGITS):
        slr = ap = mpf(0)
        hits = rank = 0
        for some, others in zip(z, y, strict=True):
            s = some + others
            slr += some * (mpmath.log(t.n) - (mpmath.loggamma(rank + s + 1) - mpmath.loggamma(rank + 1)) / s)
            c = mpf(some - 1) / (s - 1)
            harmonic = mpmath.psi(0, rank + s + 1) - mpmath.psi(0, rank + 1)
            ap += mpf(some) / s * (c * s + (hits + 1 - c * (rank + 1)) * harmonic)
            hits, rank = hits + some, rank + s
    near(hc.metrics.SLR().value(t), slr)
    near(hc.metrics.AveragePrecision(ties="expected").value(t), ap / sum(z))


def test_discounts_of_a_large_group() -> None:
    """Summed one by one up to 10^6; beyond, the integral and its first corrections in 50 digits."""
    direct = math.fsum(1 / np.log2(np.arange(2.0, 10**6 + 2)))
    assert hc.metrics.DCG().value(HitTable.from_counts([1], [10**6 - 1])) == pytest.approx(direct / 10**6, rel=1e-13)
    with mpmath.workdps(DIGITS):
        head = mpmath.fsum(1 / mpmath.log(i + 1) for i in range(1, 2000))
        # Euler and Maclaurin: both ends count half, then the slopes
        ends = [mpf(2001), mpf(N + 1)]
        rest = mpmath.li(ends[1]) - mpmath.li(ends[0]) + sum(1 / mpmath.log(x) for x in ends) / 2
        slopes = [-1 / (x * mpmath.log(x) ** 2) for x in ends]
        total = (head + rest + (slopes[1] - slopes[0]) / 12) * mpmath.log(2)
    assert hc.metrics.DCG().value(HitTable.from_counts([1], [N - 1])) == pytest.approx(float(total / N), rel=1e-12)


def test_few_integrals_take_one_call_a_step_and_have_the_digits_of_many() -> None:
    asked = []

    def power(row: Any, u: Floats) -> Floats:
        asked.append(u.size)
        assert row.shape == u.shape == (u.size,)
        return np.asarray((u + row % 7) ** 0.3)  # singular at 0 in every seventh row

    few = unit_means(power, 7)
    np.testing.assert_allclose(few, np.diff(np.arange(8) ** 1.3) / 1.3, rtol=1e-13)
    assert asked[0] == 7 * 20
    assert len(asked) <= 60
    asked.clear()
    many = unit_means(power, 700)
    assert asked[:20] == [700] * 20
    assert np.array_equal(np.tile(few, 100), many)
