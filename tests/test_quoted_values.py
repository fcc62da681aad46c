"""What messages quote: short, the value that is wrong, in the words of the user; and advice that works."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import errors
from hitcurve.errors import HitcurveError, HitcurveWarning, MetricParseError, ParameterError, ScoreError, WeightError
from hitcurve.metrics import RateWeightedAUC, metrics
from hitcurve.rates import Beta, Uniform
from tests.shell import Shell, shell

__all__ = ["shell"]

Y = [0, 1, 0, 1, 1, 0, 0, 1, 0, 1]
S = list(range(10))


def refusal(do: Callable[[], Any]) -> str:
    with pytest.raises(HitcurveError) as error:
        do()
    return str(error.value)


# ---- no value fills a screen


@pytest.mark.parametrize("long", ["x" * 10_000, "a b " * 2500, "'\"\\" * 3000, "9" * 10_000, "é\t" * 5000])
def test_a_value_is_cut(long: str) -> None:
    options: dict[str, Any] = dict.fromkeys(("missing", "undefined", "confidence_level", "design"), long)
    said = [refusal(lambda name=name: hc.evaluate(Y, S, **{name: options[name]})) for name in options]  # type: ignore[misc]
    said += [refusal(lambda: hc.metric(long)), refusal(lambda: hc.magnify.magnification(long))]
    said += [refusal(lambda: hc.evaluate(Y, S, pos_label=long)), refusal(lambda: hc.evaluate(Y, [long, *S[1:]]))]
    said += [refusal(lambda: hc.evaluate(Y, S, sample_weight=[long] * 10))]
    said += [refusal(lambda: hc.evaluate("y", [long], data={"y": Y, "s": S}))]
    for sentence in said:
        assert len(sentence) < 400, sentence
        assert "..." in sentence


def test_lists_are_cut() -> None:
    for value in ([1] * 9000, [[1, 2]] * 9000, {i: i for i in range(9000)}, np.arange(900)):
        level: Any = value
        assert len(refusal(lambda level=level: hc.evaluate(Y, S, confidence_level=level))) < 150  # type: ignore[misc]
    assert len(str(ParameterError(f"what is {[1] * 9000} here"))) < 250
    assert str(ParameterError("the interval [0, 1] of {'a': 1}")) == "the interval [0, 1] of {'a': 1}"


def test_names_of_files_are_whole() -> None:
    path = f"/{'folder/' * 25}x.csv"
    assert path in str(errors.UnreadableFileError(f"no file {path}"))
    assert path in str(errors.UnreadableFileError(f"cannot read {path!r}: it is damaged"))


def test_addresses_of_objects_are_left_out() -> None:
    assert "0x" not in refusal(lambda: hc.evaluate(Y, np.array([object(), *S[1:]], dtype=object)))


def test_a_message_is_cut_once() -> None:
    sentence = str(ParameterError(f"got {'x' * 500!r}, {'y ' * 500!r} and {[1] * 500}"))
    assert str(ParameterError(sentence)) == sentence
    assert sentence.startswith("got 'xxx")
    assert ", 'y y" in sentence
    assert "] " not in sentence


def test_a_warning_is_cut() -> None:
    assert len(str(HitcurveWarning(f"column {'x' * 5000!r}"))) < 120
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hc.evaluate(Y, {"s" * 5000: [-s for s in S[:5]] + S[5:]}, metrics="auc")
    assert all(len(str(one.message)) < 400 for one in caught)


@pytest.mark.slow
def test_many_metric_strings_that_cannot_be_read_are_listed_in_part() -> None:
    said = refusal(lambda: metrics([f"nothing{i}" for i in range(5000)]))
    assert len(said.splitlines()) == 1
    assert 10 <= said.count("no metric 'nothing") <= 20  # some are cut out, as from any long sentence
    assert len(said) < 2000
    assert said.endswith("; and 4,980 others cannot be read")


# ---- the wrong value is named


@pytest.mark.parametrize(
    ("value", "said"),
    [("x", "text such as 'x'"), (1j, "complex such as 1j"), (b"x", "bytes such as b'x'"), ((), "tuple such as ()")],
)
def test_the_score_that_is_no_number_is_named(value: object, said: str) -> None:
    array = np.empty(10, dtype=object)
    array[:] = [1, 2.5, Decimal(3), *S[3:]]
    array[7] = value
    assert refusal(lambda: hc.evaluate(Y, array)) == f"score 'score' must be real numbers, got {said}"
    if value != ():
        assert refusal(lambda: hc.evaluate(Y, S, sample_weight=array)) == f"weights must be numbers, got {said}"


def test_a_weight_beyond_floats() -> None:
    with pytest.raises(WeightError, match=r"got one of about 401 digits in row 3: no unit suits all") as error:
        hc.evaluate(Y, S, sample_weight=[1, 1, 1, 10**400, 1, 1, 1, 1, 1, 1])
    assert len(str(error.value)) < 200
    with pytest.raises(WeightError, match="at least 0"):
        hc.evaluate(Y, S, sample_weight=[1, 1, 1, -(10**400), 1, 1, 1, 1, 1, 1])


def test_weights_beyond_64_bits_are_numbers() -> None:
    weighted = [hc.evaluate(Y, S, metrics="auc", sample_weight=[w, *[2 * w] * 9]) for w in (1, 2**70)]
    values = [ev["score", "auc"].value for ev in weighted]
    assert values[0] == values[1]


def test_groups_without_an_order_are_not_said_to_be_mixed() -> None:
    class Group:
        pass

    with pytest.raises(errors.InputError, match=r"groups are Group objects, which have no order: make"):
        hc.evaluate(Y, S, by=[Group() for _ in S])


def test_metrics_that_are_bytes() -> None:
    for given in (b"ap", bytearray(b"ap"), [b"ap"]):
        wrong: Any = given
        assert "b'ap'" in refusal(lambda wrong=wrong: hc.evaluate(Y, S, metrics=wrong))  # type: ignore[misc]


# ---- advice is followed


def test_whole_numbers_beyond_64_bits_have_a_way_out() -> None:
    for given in ([2**70 + s for s in S], [2**70 * (s - 5) for s in S], [2**70, 2**70 + 1, -(2**70), *S[3:]]):
        with pytest.raises(ScoreError, match="64 bits cannot represent: ") as error:
            hc.evaluate(Y, given, metrics="auc")
        advice = str(error.value).partition("represent: ")[2]
        ways: dict[str, Callable[[], Any]] = {
            "subtract a constant": lambda given=given: [s - min(given) for s in given],  # type: ignore[misc]
            "pass them as floats": lambda given=given: [float(s) for s in given],  # type: ignore[misc]
            "pass their ranks": lambda given=given: [sorted(given).index(s) for s in given],  # type: ignore[misc]
        }
        (way,) = [do for words, do in ways.items() if advice.startswith(words)]
        expected = hc.evaluate(Y, [sorted(given).index(s) for s in given], metrics="auc")["score", "auc"].value
        assert hc.evaluate(Y, way(), metrics="auc")["score", "auc"].value == expected


@pytest.mark.parametrize("form", ["tpr@fpr=101%", "ef@101%", "wss@101%", "ef@0%", "ef@-1%", "tpr@fpr=0%", "ef@1e5%"])
def test_a_percentage_is_quoted_as_it_was_written(form: str) -> None:
    said = refusal(lambda: hc.metric(form))
    assert said.endswith(f"got {re.split('[@=]', form)[-1]}")
    assert "write" not in said


@pytest.mark.parametrize("form", ["ef@1e1", "ef@10.0", "hits@1e2", "hits@1e5", "hits@1.5", "tpr@fpr=5.5"])
def test_what_is_advised_for_a_place_is_read(form: str) -> None:
    said = refusal(lambda: hc.metric(form))
    name, mark, _ = re.split("([@=])(?=[^@=]*$)", form)[:3]
    advised = re.findall(r"([\d.]+) for ([\d.]+%?)", said)
    assert advised
    for number, meant in advised:
        wanted = f"{name}{mark}{meant}"
        assert hc.metric(f"{name}{mark}{number}") == hc.metric(wanted)


@pytest.mark.parametrize("form", ["ef@1e-400", "ef@1e-400%", "bedroc(alpha=1e-400)", "ef@1e400", "ef@-1e400%"])
def test_numbers_that_no_float_holds(form: str) -> None:
    with pytest.raises(MetricParseError, match=r"64-bit float") as error:
        hc.metric(form)
    assert re.split(r"[@=]", form)[-1].strip(")") in str(error.value)


@pytest.mark.parametrize("form", ["ef@١٢", "ef@1٢", "bedroc(٢٠)", "croc(exp(٢))", "ef@１%", "bedroc(alpha=२)"])
def test_digits_of_other_scripts_are_refused(form: str) -> None:
    assert "numbers are written with the digits 0 to 9" in refusal(lambda: hc.metric(form))


def test_forms_within_forms_are_quoted_as_written() -> None:
    assert refusal(lambda: hc.metric("rauc(beta(beta(1, b=1), 1))")).endswith("must be a number, got beta(1, b=1)")
    assert refusal(lambda: hc.metric("bedroc(alpha=exp(2))")).endswith("must be a number, got exp(2)")
    assert "Call" not in refusal(lambda: hc.metric("ef@1%(cut=beta(1, 2))"))


def test_a_density_may_be_a_word() -> None:
    assert hc.metric("rauc(uniform)") == RateWeightedAUC(Uniform())
    assert hc.metric("rauc(beta(6.23, 32.8))") == RateWeightedAUC(Beta(6.23, 32.8))
    assert refusal(lambda: hc.metric("rauc(beta)")).endswith("the density beta takes the numbers a, b")
    assert "densities are beta" in refusal(lambda: hc.metric("rauc(3)"))
    assert "no rate density 'unifrom'; did you mean 'uniform'" in refusal(lambda: hc.metric("rauc(unifrom)"))


# ---- names of files


@pytest.fixture
def doors() -> dict[str, Callable[[Any], Any]]:
    """What takes the name of a file."""
    ev = hc.evaluate(Y, S, metrics="auc")
    table = hc.HitTable.from_scores(Y, S)
    return {
        "report": lambda path: hc.report(ev, path),
        "from_json": hc.from_json,
        "load_table": hc.load_table,
        "load_tables": hc.load_tables,
        "save": table.save,
        "read_trec_run": hc.read_trec_run,
        "read_qrels": hc.read_qrels,
        "read_subtopics": hc.read_subtopics,
        "write_trec_run": lambda path: hc.write_trec_run(path, ["1", "1"], ["a", "b"], [2.0, 1.0]),
        "write_qrels": lambda path: hc.write_qrels(path, ["1", "1"], ["a", "b"], [1, 0]),
        "to_json": ev.to_json,
    }


DOORS = (
    "report",
    "from_json",
    "load_table",
    "load_tables",
    "save",
    "read_trec_run",
    "read_qrels",
    "read_subtopics",
    "write_trec_run",
    "write_qrels",
    "to_json",
)


@pytest.mark.parametrize("door", DOORS)
def test_what_is_no_name_of_a_file_is_one_of_our_errors(door: str, doors: dict[str, Any], tmp_path: Path) -> None:
    for wrong in (3, b"x", 2.5, object(), [1]):
        with pytest.raises(errors.FileNameError, match=r"^path must be the name of a file, got \w+$") as error:
            doors[door](wrong)
        assert isinstance(error.value, TypeError)
        assert isinstance(error.value, ValueError)
    if door not in ("from_json", "to_json"):  # which do without one
        with pytest.raises(errors.FileNameError, match=r"got NoneType$"):
            doors[door](None)
    with pytest.raises(errors.UnreadableFileError, match=r"^the name of a file is empty$"):
        doors[door]("")
    for odd in (tmp_path, str(tmp_path), "a\0b", tmp_path / "no" / "such"):
        with pytest.raises(HitcurveError) as refused:
            doors[door](odd)
        assert "\n" not in str(refused.value)


def test_empty_names_on_the_command_line(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text("y,s\n1,2\n0,1\n")
    (tmp_path / "code.py").write_text("")
    for line in (("evaluate", "", "-l", "y", "-s", "s"), ("trec", "", ""), ("screen", "", "-l", "y"), ("report", "")):
        assert shell(*line).refusal == "the name of a file is empty"
    for given in (("-o", ""), ("--output", ""), ("--output=",)):
        said = shell("evaluate", "x.csv", "-l", "y", "-s", "s", *given).refusal
        assert said == "--output names no file: its name is empty"


def test_advice_of_a_folder_names_tables_that_are_there(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()

    def said() -> str:
        return shell("evaluate", folder, "-l", "y", "-s", "s").refusal

    assert said().endswith("is a folder, not a file, in which no name ends as that of a table")
    for name in ("a.py", "b.py", "notes.md"):
        (folder / name).write_text("")
    assert said().endswith("in which no name ends as that of a table")
    (folder / "x.CSV.gz").write_bytes(b"")
    assert said().endswith("/*.CSV.gz'")
