"""The order of markers where negatives are more frequent."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import hitcurve as hc
from hitcurve.errors import HitcurveWarning, ParameterError
from tests.data import NO_DATA, data_folder
from tests.test_screen import markers


def test_more_negatives_are_controls_counted_several_times() -> None:
    X, y = markers(count=12)
    found = hc.screen(X, y, direction="auto")
    changes = found.rank_changes("ap", negatives=[1, 3])
    tripled = np.concatenate([X, X[y == 0], X[y == 0]])
    again = hc.screen(tripled, np.concatenate([y, np.zeros(72, int)]), direction="auto", n_resamples=9)
    assert changes.value[0] == pytest.approx(found["ap"], abs=1e-12)
    assert changes.value[1] == pytest.approx(again["ap"], abs=1e-12)
    assert changes.prevalence[1] == pytest.approx(24 / (24 + 3 * 36))
    assert changes.rank[1].tolist() == again.rank("ap").tolist()
    assert changes.correlation[1] == pytest.approx(kendalltau(found["ap"], again["ap"]).statistic)


def test_ranks_by_auc_do_not_move() -> None:
    X, y = markers()
    changes = hc.screen(X, y).rank_changes("auc", prevalences=[0.5, 0.1, 0.001])
    assert np.array_equal(changes.rank, np.stack([changes.rank[0]] * 3))
    assert changes.correlation.tolist() == pytest.approx([1, 1, 1])
    assert changes.kept(5).tolist() == [5, 5, 5]
    assert changes.notes()[0] == (
        "Kendall's tau with the order at prevalence 0.5: 1.00 at prevalence 0.1, 1.00 at prevalence 0.001"
    )
    assert hc.screen(X, y).rank_changes("auc", prevalences=0.1).notes() == []


def test_a_table_at_a_prevalence_has_the_value() -> None:
    X, y = markers(count=12)
    found = hc.screen(X, y)
    changes = found.rank_changes("ap", prevalences=[0.02])
    expected = [hc.metric("ap").value(found.table(name).at_prevalence(0.02)) for name in found.names]
    assert changes.value[0] == pytest.approx(expected, abs=1e-12)


def test_changes_are_shown_in_every_form() -> None:
    X, y = markers()
    changes = hc.screen(X, y).rank_changes()
    best = changes.names[changes.order()[0]]
    for text in (str(changes), changes.to_markdown(), changes.to_latex(), changes._repr_html_(), changes.to_json()):
        assert best in text
    frame = changes.to_frame(backend="pandas")
    assert len(frame) == 120
    assert frame["marker"][0] == best
    assert changes.to_csv().splitlines()[1].startswith(best)
    for wrong in ([], [0], [-1], [2, 2]):
        with pytest.raises(ParameterError):
            hc.screen(X, y).rank_changes(negatives=wrong)


@pytest.mark.skipif(not (data_folder() / "seldi").is_dir(), reason=NO_DATA)
def test_peaks_trade_places_where_cancer_is_rare() -> None:
    """The best two by AUC and AP: the one whose positives are on top stays, the other falls behind a hundred."""
    frame = pd.read_csv(data_folder() / "seldi" / "prostate_seldi_late_vs_normal.csv.gz")
    with pytest.warns(HitcurveWarning, match="left out"):
        found = hc.screen(frame.filter(regex=r"^p\d"), frame["label"], direction="auto", n_resamples=9)
    changes = found.rank_changes("ap")
    assert changes.rank[:, found.place("p594")].tolist() == [1, 2, 2]
    assert changes.rank[0, found.place("p224")] == 2
    assert changes.rank[2, found.place("p224")] > 100


def test_notes_say_why_there_is_no_interval() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) < 20
    X = rng.normal(size=(60, 30)) + 0.5 * y[:, None]
    found = hc.screen(X, y, prevalence=0.001, n_resamples=99)
    reason = found.interval("ap").reason[found.order()[0]]
    assert "the sample lacks the false positives" in reason
    assert any(note.startswith("no interval of ap for ") and note.endswith(reason) for note in found.notes())
    assert not any(note.startswith("no interval of auc") for note in found.notes())
    assert not any(note.startswith("no interval") for note in hc.screen(X, y, n_resamples=99).notes())


def test_few_negatives_that_decide_are_told_of_the_best_too() -> None:
    """At 1% about 3 negatives decide: no interval of one marker, none of all, and why; at 5% there are 15."""
    r = np.random.default_rng(9)
    y = r.random(300) < 0.1
    X = r.standard_t(3, (300, 30))
    none, few = (hc.screen(X, y, metrics="ap", prevalence=pi, n_resamples=99) for pi in (0.01, 0.05))
    best = none.top(2)
    assert np.isnan([[one.low, one.corrected, one.simultaneous_low, one.stability] for one in best]).all()
    assert not any("%" in line[-2] for line in best.table_rows()[1])  # no share of draws that were not made
    assert [record["stability"] for record in best.to_records()] == [None, None]
    assert all(0 < one.stability <= 1 for one in few.top(2))
    assert np.isnan(none.simultaneous()).all()
    assert any("at least 5 are needed" in text for text in best.notes())
    assert best.to_dict()["cautions"] == list(best.cautions)
    for notes in (few.notes(), few.top(2).notes()):
        assert any("depends on only" in text and "covered .56 to .96" in text for text in notes)
    assert not any("depends on only" in text for text in hc.screen(X, y, metrics="ap", n_resamples=99).top(2).notes())
