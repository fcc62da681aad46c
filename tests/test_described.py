"""What is said of a metric before any data."""

from __future__ import annotations

import pytest

import hitcurve as hc
from hitcurve.inference.estimation.measured import COVERAGE, coverage_of
from hitcurve.metrics.described import definition, described, metric_strings, parameters
from tests.metrics_under_test import FORMS
from tests.shell import Shell


@pytest.mark.parametrize("form", FORMS)
def test_every_way_to_write_a_metric_is_that_metric(form: str) -> None:
    m = hc.metric(form)
    texts = metric_strings(m)
    assert texts[0] == str(m)
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert hc.metric(text) == m, text


@pytest.mark.parametrize("form", FORMS)
def test_every_argument_has_values(form: str) -> None:
    m = hc.metric(form)
    assert definition(m)
    for one in parameters(m):
        assert one.values, one
        assert one.written in ("argument", "NAME=VALUE", "word", "after @", "after =")
        assert "`" not in one.text + one.values


def test_a_name_stands_for_its_example() -> None:
    for name, form in hc.metrics.examples().items():
        assert str(described(name)) in (form, name)
    assert str(described("lift")) == "ef@1%"
    assert str(described("BEDROC20")) == "bedroc(alpha=20)"


def test_the_shell_describes_every_metric(shell: Shell) -> None:
    for name in hc.metrics.names():
        done = shell("metrics", name)
        assert done.code == 0, done.err
        m = described(name)
        assert done.out.startswith(f"{m}: {m.summary}\n")
        assert all(one.name in done.out for one in parameters(m))
        assert " ".join(m.reference.split()) in " ".join(done.out.split())
        if str(m) in COVERAGE:
            said = coverage_of(m)[0]
            assert said.form == str(m)
            assert f"{100 * said.lowest:.0f}% in the worst" in done.out
            others = "the worst one of others that nothing was tuned on"
            assert (others in " ".join(done.out.split())) is said.elsewhere


def test_the_default_interval_is_the_one_of_evaluations(shell: Shell) -> None:
    def line(start: str) -> str:
        return next(line for line in shell("metrics", "ap").out.splitlines() if line.startswith(start))

    said = line("interval, cohort"), line("interval, case-control")
    for words, design, n_pos in (
        ("end-model with 50 and 200 positives", "cohort", 50),
        ("tilted with 2,000 positives", "cohort", 2000),
        ("half-subject", "case-control", 200),
    ):
        table = hc.HitTable.from_ranks(range(10, 20 * n_pos, 20), 20 * n_pos)
        e = hc.evaluate(tables={"a": table}, metrics="ap", design=design)["a", "ap"]
        assert words.startswith(e.interval_method)
        assert any(words in text for text in said)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["bedrok"], "did you mean 'bedroc'?"),
        (["enrichmnt"], "did you mean 'enrichment'"),
        (["mcc"], "measures a decision at one threshold"),
        (["auprc"], "is ambiguous"),
        (["ap", "--preset", "docking"], "leave one of them out"),
        (["ap", "--format", "json"], "--format must be one of"),
    ],
)
def test_what_is_no_metric_is_answered(shell: Shell, given: list[str], said: str) -> None:
    assert said in shell("metrics", *given).refusal


def test_markdown_has_the_same_words(shell: Shell) -> None:
    done = shell("metrics", "croc(exp, alpha=7)", "-f", "markdown")
    assert done.out.startswith("**`croc(exp, alpha=7)`**: area under")
    assert "| f | argument | exp(alpha=7) | must be given |" in done.out
