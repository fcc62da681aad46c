"""Figures of reader studies have the numbers of the study."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.patches import Rectangle

import hitcurve as hc
from hitcurve import plot
from hitcurve.errors import InsufficientDataError, ParameterError
from tests.test_readers import simulated, study

pytestmark = pytest.mark.usefixtures("closed_figures")


@pytest.fixture
def closed_figures() -> Any:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_the_average_of_roc_curves_has_the_mean_area() -> None:
    data = simulated(modalities=3)
    found = study(data)
    averages = found.average_curves()
    assert list(averages) == ["m1", "m2", "m3"]
    for mean in found["auc"].means:
        assert averages[mean.modality].area() == pytest.approx(mean.value)
        assert averages[mean.modality].n_groups == 4
    turned = study(data | {"rating": -data["rating"]}, higher_is_better=False).average_curves()
    np.testing.assert_allclose(turned["m1"].y, averages["m1"].y)
    with pytest.raises(ParameterError, match=r"curve must be one of .*, got 'croc'; did you mean"):
        found.average_curves("croc")
    with pytest.raises(InsufficientDataError, match="at least 2 groups"):
        study(simulated(readers=1), random="cases").average_curves()


@pytest.mark.parametrize("curve", ["roc", "precision_recall", "accumulation", "det"])
def test_curves_of_all_readers_are_drawn(curve: str) -> None:
    found = study(simulated(ordinal=True))
    ax = plot.reader_curves(found, curve)
    thin = [line for line in ax.lines if line.get_linewidth() == pytest.approx(0.7)]
    assert len(thin) == 8
    thick = [line for line in ax.lines if line.get_gid() == plot.sheet.RANKER]
    assert len(thick) == 2
    # a reader has the colour of the modality
    assert {line.get_color() for line in thin} == {line.get_color() for line in thick}
    assert [line.get_color() for line in thin[:4]] == [thin[0].get_color()] * 4
    if curve == "roc":
        for line, row in zip(thin, range(8), strict=True):
            x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
            assert np.trapezoid(y, x) == pytest.approx(found["auc"].value[row])
    legend = ax.get_legend()
    assert legend
    assert "readers" in legend.get_title().get_text()


def test_differences_of_readers_are_drawn() -> None:
    found = study(simulated(), ["auc", "ap"], baseline="m1", margin=0.05)
    ax = plot.reader_differences(found, "ap")
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["reader 1", "reader 2", "reader 3", "reader 4", "mean"]
    marks = [line for line in ax.lines if line.get_gid() == plot.sheet.RANKER]
    one = found["ap"]
    expected = [x.value for x in (*one.of_readers, *one.differences)]
    assert [float(np.asarray(line.get_xdata())[0]) for line in marks] == expected
    dotted = [float(np.asarray(line.get_xdata())[0]) for line in ax.lines if line.get_linestyle() == ":"]
    assert dotted == [0, -0.05]
    assert ax.get_xlabel() == "difference in ap, m2 - m1, 95% interval"
    three = plot.reader_differences(study(simulated(modalities=3), margin=0.1, hypothesis="equivalence"))
    assert len(three.get_yticklabels()) == 15
    assert three.get_yticklabels()[0].get_text() == "m1 - m2: reader 1"
    assert sorted(float(np.asarray(x.get_xdata())[0]) for x in three.lines if x.get_linestyle() == ":") == [
        -0.1,
        0,
        0.1,
    ]
    # of fixed cases a reader has no error, and no row
    assert len(plot.reader_differences(study(simulated(), random="readers")).get_yticklabels()) == 1


def test_components_are_drawn() -> None:
    found = study(simulated())
    ax = plot.variance_components(found)
    effects = found["auc"].components.of_effects(2)
    widths = [float(bar.get_width()) for bar in ax.patches if isinstance(bar, Rectangle)]
    assert widths == list(effects.values())
    parts = found["auc"].components
    # the covariances are sums of effects
    assert effects["case"] + effects["reader x case"] == pytest.approx(parts.cov1)
    assert effects["case"] + effects["modality x case"] == pytest.approx(parts.cov2)
    of_cases = [effects[name] for name in ("case", "modality x case", "reader x case", "error")]
    assert sum(of_cases) == pytest.approx(parts.var)


def test_figures_that_cannot_be_drawn() -> None:
    one = simulated(modalities=1)
    with pytest.raises(ParameterError, match="has one modality"):
        plot.reader_differences(study(one))
    with pytest.raises(ParameterError, match="effects cannot be separated"):
        plot.variance_components(study(one))
    for figure in (plot.reader_curves, plot.reader_differences, plot.variance_components):
        with pytest.raises(ParameterError, match="needs a ReaderStudy, got"):
            figure(hc.evaluate([1, 0, 1], [2, 1, 3], metrics="auc"))  # type: ignore[arg-type]


def test_operating_points_of_ratings_are_marked_on_roc_curves() -> None:
    """Each reader has a point at 1 - specificity and sensitivity; other curves have none."""
    forms = ["auc", "sensitivity@rating>=3", "specificity@rating>=3"]
    found = study(simulated(ordinal=True), forms)
    ax = plot.reader_curves(found)
    marks = [line for line in ax.lines if line.get_gid() == plot.sheet.MARK]
    points = np.array([[np.asarray(line.get_xdata())[0], np.asarray(line.get_ydata())[0]] for line in marks])
    sensitivity, specificity = (found[form].value for form in forms[1:])
    np.testing.assert_allclose(points[:8], np.column_stack([1 - specificity, sensitivity]))
    assert len(points) == 8  # of one rating, whatever was asked at it
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()].count("rating>=3") == 1
    other = plot.reader_curves(found, "precision_recall")
    assert not [line for line in other.lines if line.get_gid() == plot.sheet.MARK]


def test_a_long_label_of_differences_is_not_cut_off() -> None:
    data = simulated()
    names = np.where(data["modality"] == "m1", "digital breast tomosynthesis", "full-field digital mammography")
    ax = plot.reader_differences(study(data | {"modality": names}, "sensitivity@rating>=1"))
    ax.figure.canvas.draw()
    box = ax.xaxis.label.get_window_extent()
    assert box.x0 >= 0
    assert box.x1 <= ax.figure.bbox.x1
    assert box.y0 >= 0
