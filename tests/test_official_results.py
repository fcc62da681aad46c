"""Official result files, topic by topic: CLEF 2017 (technologically assisted reviews) and trec_eval's own test."""

from __future__ import annotations

import pytest

from hitcurve import HitTable, metric
from tests.data import NO_DATA, data_folder, noted, printed_as
from tests.official import (
    CLEF_MEASURES,
    CLEF_NOT_OURS,
    GEOMETRIC,
    LEVELS,
    RUNS,
    TREC_MEASURES,
    TREC_NAMES,
    TREC_NOT_OURS,
    clef,
    clef_official,
    is_trec_measure,
    reviews_of,
    trec,
    trec_printed,
)

if not data_folder().is_dir():
    pytest.skip(NO_DATA, allow_module_level=True)

# ---- CLEF 2017


def test_clef_rankings_are_all_here() -> None:
    rankings = [reviews_of(run, level) for run in RUNS for level in LEVELS]
    (combinations,) = noted(r"\((\d+) topic-run-level combinations\)")
    assert sum(map(len, rankings)) == int(combinations)
    for measures in clef_official().values():
        assert set(measures) == set(CLEF_MEASURES) | CLEF_NOT_OURS


@pytest.mark.parametrize("measure", CLEF_MEASURES)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("run", RUNS)
def test_clef(run: str, level: str, measure: str) -> None:
    ours, official = clef(run, level, measure), clef_official()[run, level][measure]
    assert set(ours) == set(official)
    for topic, printed in official.items():
        assert printed_as(ours[topic], printed, decimals=3), topic


@pytest.mark.parametrize("run", RUNS)
def test_clef_scores_and_ranks_agree(run: str) -> None:
    # a list of scores that fall with the rank is the same table
    for review in list(reviews_of(run, "abstract").values())[:5]:
        y = [rank in set(review.ranks) for rank in range(1, review.documents + 1)]
        by_score = HitTable.from_scores(y, range(review.documents, 0, -1))
        for form in ("ap", "auac(scale=max)", "wss@95%(cut=round)", "bedroc(alpha=20)", "ndcg"):
            assert metric(form).value(by_score) == pytest.approx(metric(form).value(review.table), rel=1e-12)


# ---- trec_eval


@pytest.mark.parametrize("measure", [name for name in trec_printed() if is_trec_measure(name)])
def test_trec_eval(measure: str) -> None:
    ours, printed = trec(measure), trec_printed()[measure]
    assert set(ours) == set(printed)
    for topic, texts in printed.items():
        for text in texts:
            assert printed_as(ours[topic], text), topic


def test_trec_measures_are_all_looked_at() -> None:
    names = {name for name in trec_printed() if not is_trec_measure(name)}
    assert names == TREC_NOT_OURS
    # nothing is defined that is not printed
    for name in (*TREC_NAMES, *TREC_MEASURES, *GEOMETRIC):
        assert any(printed.startswith(name) for printed in trec_printed()), name
