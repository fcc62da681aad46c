"""Every row of reference_values.csv: our number at the printed digits, or the reason why there is none yet."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
import pytest

from hitcurve import HitTable, ReaderStudy, compare, evaluate, evaluate_readers, evaluate_survival, metric
from hitcurve.inference import Difference, cross_products
from hitcurve.magnify import Exponential
from tests.data import NO_DATA, Column, data_folder, noted, printed_as, read_columns
from tests.official import CLEF, TREC, clef, trec, value
from tests.public_tables import (
    APTOOLS,
    ASAH,
    CARAVAN,
    DEKOIS,
    EGFR,
    HIV,
    MLSF,
    P10N10,
    PANCREAS,
    POSITIVE,
    PPARG,
    ROCR_HIV,
    ROCR_SIMPLE,
    SALES,
    SELDI,
    SYNERGY,
    VANDYKE,
    caravan,
    reviews,
    subjects,
    table_in_file_order,
    table_of,
    table_of_places,
)

if not data_folder().is_dir():
    pytest.skip(NO_DATA, allow_module_level=True)

# one for each number of the printed value: ours, between which two ours lies, or None where the data are not here
Number: TypeAlias = float | tuple[float, float] | None
Numbers: TypeAlias = Sequence[Number]


class Row(NamedTuple):
    """A line of the file."""

    file: str
    quantity: str
    value: str
    kind: str
    source: str


class Claim(NamedTuple):
    """What answers the rows of a file whose whole quantity fits a pattern; the answer takes the groups."""

    file: str
    quantity: str
    answer: Callable[..., Numbers]
    significant: int = 0
    decimals: int = 0


class Later(NamedTuple):
    """Rows that are not answered, and why."""

    file: str
    quantity: str
    reason: str


# ---- areas


def ranker_of(file: str, name: str) -> HitTable:
    """Return the table of a ranker as the rows name it: ``smina``, ``-energy``, ``ACHE smina``."""
    *target, score = name.split()
    return table_of(file, score, **({"target": target[0]} if target else {}))


def of_table(file: str, *forms: str) -> Callable[[str], Numbers]:
    """Answer with metrics of the ranker that the quantity names."""
    return lambda name: [value(form, ranker_of(file, name)) for form in forms]


def chords(table: HitTable, alpha: float, parts: int = 1) -> float:
    """Return the area under straight lines between points of CROC, a point for each part of each subject.

    Ties are shared out evenly, which croc 1.2.6 calls smooth. The area comes out too large, since the curve bends
    below its chords.
    """
    size = (table.pos + table.neg) * parts
    pos, neg = (np.repeat(side / size, size) for side in (table.pos, table.neg))
    x = Exponential(alpha)(np.minimum(np.append(0, np.cumsum(neg)) / table.n_neg, 1))
    return float(np.trapezoid(np.append(0, np.cumsum(pos)) / table.n_pos, x))


def of_chords(file: str) -> Callable[[str, str], Numbers]:
    return lambda name, alpha: [chords(ranker_of(file, name), float(alpha))]


def drawn(file: str) -> list[Claim]:
    """Claim the rows of a file whose rankers have an area, an average precision and areas under CROC."""
    return [
        Claim(file, r"(.+): AUC", of_table(file, "auc"), significant=12),
        Claim(file, r"(.+): average precision \(ties grouped\)", of_table(file, "ap"), significant=12),
        Claim(file, r"(.+): area under CROC, exponential alpha=(\d+)", of_chords(file), significant=12),
    ]


PR_AREAS = ("pr_area(keilwagen)", "pr_area(davis_goadrich)")


def mean_over_folds(ranker: str) -> Numbers:
    tables = [table_of(ROCR_HIV, ranker, fold=fold) for fold in range(1, 11)]
    return [float(np.mean([value(form, table) for table in tables])) for form in ("auc", "ap")]


def reader(treatment: str, number: str | int) -> float:
    return value("auc", table_of(VANDYKE, "rating", treatment=int(treatment), reader=int(number)))


def reader_mean(treatment: str) -> float:
    return float(np.mean([reader(treatment, number) for number in range(1, 6)]))


def readers_of_vandyke(random: Sequence[str], covariance: str) -> ReaderStudy:
    return evaluate_readers(
        "truth",
        "rating",
        data=read_columns(VANDYKE),
        reader="reader",
        modality="treatment",
        case="case",
        random=random,
        covariance=covariance,
    )


def study_of_readers(which: str, covariance: str, quantity: str) -> Numbers:
    random = {"readers+cases": ("readers", "cases"), "readers": ("cases",), "cases": ("readers",)}[which]
    found = readers_of_vandyke(random, covariance.lower() or "delong")["auc"]
    assert found.equality
    (difference,) = found.differences
    return [
        {
            "SE": difference.standard_error,
            "F": found.equality.statistic,
            "df2": found.equality.denominator_degrees,
            "p": found.equality.pvalue,
        }[quantity]
    ]


def component_of_readers(name: str) -> Numbers:
    found = readers_of_vandyke(("readers", "cases"), "delong")["auc"].components
    return [float(getattr(found, {"Var(error)": "var"}.get(name, name.lower())))]


# ---- DeLong


def delong_variance(file: str, ranker: str) -> float:
    """Return the variance of an AUC by class, with n - 1 of either."""
    y, s = subjects(file, ranker)
    of_one = evaluate(y, s, metrics="auc", pos_label=POSITIVE.get(file))
    assert of_one.source is not None
    joint = cross_products(of_one.source, of_one.tables, of_one.metrics, of_one.design)
    return sum(joint.by_class(np.ones(1)))


def delong_interval(file: str) -> Callable[[str], Numbers]:
    def answer(ranker: str) -> Numbers:
        error = float(np.sqrt(delong_variance(file, ranker)))
        return Difference(value("auc", table_of(file, ranker)), error).confidence_interval()

    return answer


def delong_test(file: str) -> Callable[[str, str], Numbers]:
    def answer(first: str, second: str) -> Numbers:
        (y, a), (_, b) = (subjects(file, name) for name in (first, second))
        test = compare(y, a, b, metric="auc", method="delong", pos_label=POSITIVE.get(file))
        return [test.statistic, test.pvalue]

    return answer


# ---- docking


def enrichment_of_one_percent(table: HitTable) -> float:
    """Return the EF1% of Tran-Nguyen et al., among the first floor(n/100) molecules.

    They divide by 1%, ours by the share that was cut, which is less.
    """
    cut = table.n // 100 / table.n
    return value("ef@1%(cut=floor)", table) * cut / 0.01


def median_of_runs(target: str, machine: str) -> Numbers:
    tables = [table_in_file_order(MLSF, f"{machine}_run{run}", target=target) for run in range(1, 11)]
    return [float(np.median([enrichment_of_one_percent(table) for table in tables]))]


def recall_above_tie(ranker: str, tested: int) -> float:
    """Return the recall among the molecules above the tie at the cut: chemmodlab counts none of a tie it divides."""
    table = table_of(PPARG, ranker)
    ends = np.cumsum(table.pos + table.neg)
    return value(f"recall@{ends[ends <= tested].max()}", table)


# ---- low prevalence


def sales(name: str, with_score: str) -> Numbers:
    table = table_of(SALES, name)
    assert table.n == int(with_score)
    return [value("auc", table), value("ap", table)]


def learned_on_caravan() -> Numbers:
    """Return buyers among the called, and the called: nearest neighbours with k = 1, 3, 3 again and 5, then logistic.

    A draw among the neighbours was broken at random, so that theirs lies between no draw called and all of them.
    """
    numbers: list[Number] = []
    for k in (1, 3, 3, 5):
        votes = caravan().votes(k)
        none, every = (votes.confusion(threshold=float(least)) for least in (np.nextafter(0.5, 1), 0.5))
        numbers += [(none.tp, every.tp), (none.tp + none.fp, every.tp + every.fp)]
    cut = caravan().logistic().confusion(threshold=0.25)
    return [*numbers, cut.tp, cut.tp + cut.fp]


def buyers() -> Numbers:
    bought = caravan().bought
    return [int(bought.sum()), bought.size, int(bought[:1000].sum()), bought[:1000].size]


MAYO, PAQUID, PBC = "survival/mayo.csv", "survival/paquid.csv", "survival/pbc.csv"


def aptools_at(score: str, horizon: str, unweighted: str) -> Numbers:
    own, t = read_columns(MAYO), float(horizon)
    if unweighted:  # the censored count as if they had no event, in AP alone
        case, later = (own["time"] <= t) & (own["censor"] == 1), own["time"] > t
        there = case | later
        return [value("ap", HitTable.from_scores(case, own[score])), metric("auc")(case[there], own[score][there])]
    ev = evaluate_survival(own["time"], own["censor"], own[score], horizons=t, rule="aptools")
    return [ev.at(t).event_rate, ev["score", "ap"].value, ev["score", "auc"].value]


def over_horizons(
    time: Column, event: Column, score: Column, what: str, horizons: str, controls: str = "free"
) -> Numbers:
    times = [float(one) for one in horizons.split(",")]
    ev = evaluate_survival(time, event, score, horizons=times, metrics="auc", controls=controls)
    found = [ev["score", "auc", t] for t in times]
    if what == "AUC":
        return [e.value for e in found]
    # those of timeROC are sums in another order, which differ by up to 1e-8
    return [(e.standard_error - 1e-8, e.standard_error + 1e-8) for e in found]


def of_mayo(score: str, what: str, horizons: str) -> Numbers:
    own = read_columns(MAYO)
    return over_horizons(own["time"], own["censor"], own[score], what, horizons)


def of_paquid(score: str, what: str, controls: str, horizons: str) -> Numbers:
    own = read_columns(PAQUID)
    kind = "all" if controls == "2" else "free"
    return over_horizons(own["time"], own["status"], -own[score], what, horizons, kind)


def of_pbc(horizons: str) -> Numbers:
    own = read_columns(PBC)
    there = ~np.isnan(own["trt"].astype(float))
    return over_horizons(own["time"][there], own["status"][there] == 2, own["bili"][there], "AUC", horizons)


CLAIMS = [
    *drawn(PPARG),
    *drawn(DEKOIS),
    *drawn(ASAH),
    *drawn(HIV),
    *drawn(EGFR),
    Claim(
        PPARG,
        r"difference in recall maxz minus surf at (\d+) of 3212 tested",
        lambda k: [recall_above_tie("maxz_scores", int(k)) - recall_above_tie("surf_scores", int(k))],
    ),
    Claim(PPARG, r"AUC-PR (surf|maxz)", lambda name: of_table(PPARG, *PR_AREAS)(f"{name}_scores")),
    Claim(
        DEKOIS,
        r"EF1% (\w+) (\w+) \(12 of 1240, order given by \*_listpos\)",
        lambda target, score: [enrichment_of_one_percent(table_of_places(DEKOIS, f"{score}_listpos", target=target))],
    ),
    Claim(MLSF, r"EF1% (\w+) (\w+) median of 10 runs \(floor\(n/100\) molecules\)", median_of_runs),
    Claim(
        MLSF,
        r"EF1% (\w+) (\w+) \(floor\(n/100\) molecules\)",
        lambda target, score: [enrichment_of_one_percent(table_in_file_order(MLSF, score, target=target))],
    ),
    Claim(
        EGFR,
        r"(BEDROC|RIE) alpha=([\d.]+) \(ties in file order\)",
        lambda name, alpha: [value(f"{name.lower()}(alpha={alpha})", table_in_file_order(EGFR, "-energy"))],
        significant=12,
    ),
    Claim(EGFR, r"(AUC|AUAC)", lambda name: of_table(EGFR, name.lower())("-energy"), significant=12),
    Claim(EGFR, r"EF (\d+%)", lambda share: of_table(EGFR, f"ef@{share}(cut=fractional)")("-energy"), significant=10),
    Claim(ASAH, r"AUC (\w+)", of_table(ASAH, "auc")),
    Claim(ASAH, r"pAUC specificity 1-0\.9 (\w+)", of_table(ASAH, "pauc(fpr, 0, 0.1)")),
    Claim(ASAH, r"pAUC specificity 0\.99-0\.9 (\w+)", of_table(ASAH, "pauc(fpr, 0.01, 0.1)")),
    Claim(ASAH, r"pAUC sensitivity 0\.99-0\.9 (\w+)", of_table(ASAH, "pauc(tpr, 0.9, 0.99)")),
    Claim(ASAH, r"AUC-PR (\w+)", of_table(ASAH, *PR_AREAS)),
    Claim(ASAH, r"DeLong variance (\w+)", lambda ranker: [delong_variance(ASAH, ranker)], significant=12),
    *(Claim(file, r"DeLong 95% CI (\w+)", delong_interval(file)) for file in (ASAH, PANCREAS)),
    *(Claim(file, r"DeLong test (\w+) vs (\w+): Z, p", delong_test(file)) for file in (ASAH, PANCREAS)),
    Claim(PANCREAS, r"AUC (\w+)", of_table(PANCREAS, "auc")),
    Claim(PANCREAS, r"pAUC fpr<=0\.2 (\w+)", of_table(PANCREAS, "pauc(fpr, 0, 0.2)")),
    Claim(PANCREAS, r"AUC-PR (\w+)", of_table(PANCREAS, *PR_AREAS)),
    Claim(ROCR_SIMPLE, r"AUC-PR", lambda: of_table(ROCR_SIMPLE, *PR_AREAS)("score")),
    Claim(P10N10, r"AUC-PR", lambda: of_table(P10N10, *PR_AREAS)("score")),
    Claim(APTOOLS, r"(AP|AUC) (\w+)", lambda name, marker: of_table(APTOOLS, name.lower())(marker)),
    Claim(APTOOLS, r"event rate", lambda: [table_of(APTOOLS, "marker1").prevalence]),
    Claim(ROCR_HIV, r"mean over 10 folds of AUC, AP: (\w+)", mean_over_folds),
    Claim(SELDI, r"(-?p\d+) \(m/z [\d.]+\): AUC, AP", of_table(SELDI, "auc", "ap")),
    Claim(VANDYKE, r"single-reader AUC t(\d) r(\d)", lambda *place: [reader(*place)]),
    Claim(VANDYKE, r"reader-mean empirical AUC treatment (\d)", lambda treatment: [reader_mean(treatment)]),
    Claim(VANDYKE, r"difference (\d)-(\d)", lambda one, other: [reader_mean(one) - reader_mean(other)]),
    Claim(VANDYKE, r"OR (?:random|fixed) ([a-z+]+) ?(\w*): (SE|F|df2|p)", study_of_readers),
    Claim(VANDYKE, r"(Cov[123]|Var\(error\)) DeLong", component_of_readers),
    Claim(
        SALES,
        r"(boxplot_score), rows with a score \((\d+); prevalence of fraud in them\): AUC, AP",
        sales,
    ),
    Claim(CARAVAN, r"purchases all / first 1000 rows", buyers),
    Claim(CARAVAN, r"first 1000 rows as test set, .+: KNN .+ k=1, 3, 5; logistic .+ cut 0\.25", learned_on_caravan),
    # two of the 26 reviews are not here, so that the first number is out of reach
    Claim(SYNERGY, r"rows", lambda: [None, reviews().n]),
    Claim(SYNERGY, r"inclusions", lambda: [None, reviews().n_pos]),
    Claim(
        CLEF,
        r"(\w+) (abstract|document) (ap|wss_\d+|last_rel|NCG@\d+|norm_area|num_docs|num_rels)",
        lambda *what: [clef(*what)["ALL"]],
        decimals=3,
    ),
    Claim(TREC, r"(map|gm_map|Rprec|bpref|P_10|P_100) all", lambda name: [trec(name)["all"]]),
    Claim(MAYO, r"(mayoscore[45]) t0=([\d.]+)( unweighted)?: (?:event rate, )?AP, AUC", aptools_at),
    Claim(MAYO, r"(mayoscore[45]) (AUC|SE)\(([\d,]+)\)", of_mayo),
    Claim(PAQUID, r"-(DSST|MMSE), cause 1, (AUC)_([12])\(([\d,]+)\)(?: \(controls: .+\))?", of_paquid),
    Claim(PAQUID, r"-(DSST) (SE) of AUC_(1)\(([\d,]+)\)", of_paquid),
    Claim(PBC, r"312 randomised, event status==2, bili: AUC at time quantiles [\d.]+ \(([\d., ]+)\)", of_pbc),
    Claim(TREC, r"(num_rel|num_rel_ret)", lambda name: [trec(name)["all"]]),
]

PLUS = (
    "another estimate of the same variance: chemmodlab adds a hit to either ranker and two actives to all, leaves out "
    "a tie at the cut, and takes the local precision from a local regression; the formula they share is in "
    "test_recall_by_the_empirical_process"
)
LATER = [
    Later(PPARG, r"(standard error|95% CI lower|95% CI upper|p) at \d+ of 3212 tested", PLUS),
]


# ---- the rows


@cache
def rows() -> list[Row]:
    with (data_folder() / "reference_values.csv").open(encoding="utf-8", newline="") as lines:
        return [Row(**row) for row in csv.DictReader(lines)]


def fits(entry: Claim | Later, row: Row) -> re.Match[str] | None:
    return re.fullmatch(entry.quantity, row.quantity) if entry.file == row.file else None


def identify(row: Row) -> str:
    return f"{row.file.split('/')[1].split('.')[0]}-{row.quantity}"


def parameters() -> list[object]:
    """Return the rows with their claim, and as a skip those with a reason."""
    found: list[object] = []
    for row in rows():
        found += [pytest.param(row, claim, id=identify(row)) for claim in CLAIMS if fits(claim, row)]
        found += [
            pytest.param(row, None, id=identify(row), marks=pytest.mark.skip(reason=later.reason))
            for later in LATER
            if fits(later, row)
        ]
    return found


def test_every_row_is_claimed_once_or_left_with_a_reason() -> None:
    (count,) = noted(r"\| `reference_values.csv` \| \d+ \| (\d+) \|")
    assert len(rows()) == int(count)
    entries: list[Claim | Later] = [*CLAIMS, *LATER]
    answers = {identify(row): sum(fits(entry, row) is not None for entry in entries) for row in rows()}
    assert {name: number for name, number in answers.items() if number != 1} == {}
    # nothing is listed that is not there
    assert [entry for entry in entries if not any(fits(entry, row) for row in rows())] == []


@pytest.mark.parametrize(("row", "claim"), parameters())
def test_row(row: Row, claim: Claim) -> None:
    fit = fits(claim, row)
    assert fit
    texts, numbers = re.findall(r"-?\d+(?:\.\d+)?", row.value), claim.answer(*fit.groups())
    assert any(number is not None for number in numbers)
    for text, number in zip(texts, numbers, strict=True):
        if isinstance(number, tuple):
            assert number[0] <= float(text) <= number[1]
        elif number is not None:
            assert printed_as(number, text, significant=claim.significant, decimals=claim.decimals), number


# ---- the integral under CROC, where the rows have the area under chords

DRAWN = [
    pytest.param(row, *fit.groups(), id=identify(row))
    for row in rows()
    if (fit := re.fullmatch(r"(.+): area under CROC, exponential alpha=(\d+)", row.quantity))
]


@pytest.mark.parametrize(("row", "ranker", "alpha"), DRAWN)
def test_croc_is_the_area_under_the_curve(row: Row, ranker: str, alpha: str) -> None:
    table, a = ranker_of(row.file, ranker), float(alpha)
    exact = value(f"croc(exp, alpha={alpha})", table)
    if not table.tied:
        assert printed_as(exact, row.value, significant=12)
    (most,) = noted(r"differ from it by up to (\S+) where many are")
    assert -1e-12 < chords(table, a) - exact < float(most)
    # shorter chords tend to it, with the square of their length
    assert (4 * chords(table, a, parts=16) - chords(table, a, parts=8)) / 3 == pytest.approx(exact, rel=1e-8)


# ---- what the README of the data notes beside the rows


def test_croc_of_asah_wfns_under_ties() -> None:
    alpha, by_chords, exact = noted(r"\(aSAH wfns, alpha (\d+): (\S+) against (\S+)\)")
    table = table_of(ASAH, "wfns")
    assert printed_as(chords(table, float(alpha)), by_chords)
    assert printed_as(value(f"croc(exp, alpha={alpha})", table), exact)


def test_egfr_bedroc_with_ties_averaged() -> None:
    in_file_order, averaged, alpha = noted(r"\((\S+) in file order, (\S+) with ties averaged, alpha (\d+)\)")
    table, bedroc = table_of(EGFR, "-energy"), metric(f"bedroc(alpha={alpha})")
    assert printed_as(bedroc.value(table_in_file_order(EGFR, "-energy")), in_file_order)
    assert printed_as(bedroc.value(table), averaged)
    # the energies themselves, the lowest first
    assert bedroc(*subjects(EGFR, "energy"), higher_is_better=False) == pytest.approx(bedroc.value(table), rel=1e-12)
    assert bedroc.value(table.worst_ties()) < float(in_file_order) < bedroc.value(table.best_ties())


def test_egfr_molecules() -> None:
    (n, n_pos, distinct) = (
        int(text.replace(",", ""))
        for text in noted(r"EGFR of DUD: (\S+) molecules, (\d+) ligands; .* \((\S+) distinct values\)")
    )
    table = table_of(EGFR, "-energy")
    assert (table.n, table.n_pos, table.pos.size) == (n, n_pos, distinct)


def test_pparg_hits_at_the_cut_of_surflex() -> None:
    above, fewest, middle, most = noted(
        r"(\d+) molecules lie strictly above it \((\d+) active\), .*"
        r"the first 32 molecules hold (\d+) actives, all 33 down to the cut (\d+)"
    )
    table = table_of(PPARG, "surf_scores")
    assert value(f"hits@{above}", table) == pytest.approx(int(fewest), rel=1e-13)
    # the two molecules of the tie are both active, so that the first of them is
    assert value("hits@32", table) == pytest.approx(int(middle), rel=1e-13)
    assert value("hits@33", table) == pytest.approx(int(most), rel=1e-13)
