"""Names with ends of lines begin no line of their own, in any text that is printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from tests.shell import Shell, shell

__all__ = ["shell"]

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")

N = 240


def _forging(name: str) -> str:
    return f"{name}\nforged \\input{{{name}}}"


def _columns() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    y = (np.arange(N) % 4 == 0).astype(int)
    columns = {
        "y": y,
        "a": rng.normal(size=N) + y,
        "b": rng.normal(size=N) + y / 2,
        "p": np.clip(rng.normal(0.3, 0.1, size=N) + 0.2 * y, 0, 1),
        "site": [_forging(("north", "south")[i // 4 % 2]) for i in range(N)],
        "cluster": np.arange(N) // 3,
        "time": rng.exponential(1, N) + 0.1,
    }
    return {_forging(name): column for name, column in columns.items()}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("files")
    frame = pd.DataFrame(_columns())
    frame.to_parquet(folder / f"{_forging('scores')}.parquet")
    for day in ("1", "2"):
        frame.iloc[: N - int(day)].to_parquet(folder / f"{day}.parquet")
    return folder


def _option(option: str, *names: str) -> list[str]:
    return [word for name in names for word in (option, _forging(name))]


LABEL, BOTH, ONE = _option("--label", "y"), _option("--score", "a", "b"), _option("--score", "a")
COMMANDS = {
    "evaluate": ["evaluate", *LABEL, *BOTH, "-m", "auc", "-m", "tpr@fpr=5%", "--compare", "auc"],
    "methods": ["evaluate", *LABEL, *BOTH, *_option("--cluster", "cluster"), "-m", "auc", "--methods"],
    "groups": ["evaluate", *LABEL, *BOTH, *_option("--by", "site"), "-m", "ef@1%", "-m", "auc", "--compare", "auc"],
    "winner": ["winner", *LABEL, *BOTH, "--metric", "auc"],
    "gap": ["gap", *LABEL, *BOTH, *_option("--by", "site"), "--metric", "auc"],
    "gap at a cut": ["gap", *LABEL, *ONE, *_option("--by", "site"), "--metric", "tpr", "--cut", "recall@10%"],
    "looks": ["compare", *LABEL, *BOTH, "--metric", "auc", "--looks", "3"],
    "survival": ["survival", *_option("--time", "time"), *_option("--event", "y"), *BOTH, "--horizon", "1"],
    "screen": ["screen", *LABEL, *_option("--by", "site")],
    "one-vs-rest": ["screen", *_option("--label", "site"), "--one-vs-rest"],
    "certify": ["certify", *LABEL, *BOTH, "--precision", "30%"],
    "decision": ["decision", *LABEL, *_option("--score", "p"), "--threshold", "30%"],
    "band": ["band", *LABEL, *ONE, "--curve", "roc"],
}


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_name_begins_a_line(name: str, form: str, files: Path, shell: Shell) -> None:
    command, *options = COMMANDS[name]
    file = next(path for path in files.iterdir() if "\n" in path.name)
    done = shell(command, str(file), *options, "--format", form)
    assert done.code in (0, 3), done.err
    assert "forged" in done.out + done.err
    assert [line for line in (done.out + done.err).split("\n") if line.startswith("forged")] == []


def test_no_name_of_a_file_begins_a_line(files: Path, shell: Shell, tmp_path: Path) -> None:
    days = [str(tmp_path / f"{_forging(day)}.hits") for day in "12"]
    for day, table in zip("12", days, strict=True):
        done = shell("table", str(files / f"{day}.parquet"), *LABEL, *ONE, "-o", table)
        assert done.code == 0, done.err
        assert [line for line in (done.out + done.err).split("\n") if line.startswith("forged")] == []
    for form in ("text", "markdown", "latex"):
        done = shell("drift", *days, "--metric", "auc", "--format", form)
        assert done.code == 0, done.err
        assert [line for line in (done.out + done.err).split("\n") if line.startswith("forged")] == []


RESULTS: dict[str, Callable[[Any, Any, str, str, Any], Any]] = {
    "evaluation": lambda ev, groups, first, second, site: ev,
    "groups": lambda ev, groups, first, second, site: groups,
    "comparison": lambda ev, groups, first, second, site: ev.compare(first, second, "auc"),
    "comparisons": lambda ev, groups, first, second, site: ev.compare_all("auc"),
    "comparisons of groups": lambda ev, groups, first, second, site: groups.compare_all("auc"),
    "winner": lambda ev, groups, first, second, site: ev.winner("auc"),
    "gap": lambda ev, groups, first, second, site: ev.gap("auc", ranker=first, by=site),
    "covariance": lambda ev, groups, first, second, site: ev.covariance(),
    "estimate": lambda ev, groups, first, second, site: ev[first, "auc"],
    "mean": lambda ev, groups, first, second, site: groups.mean(first, "auc"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_no_name_begins_a_line_of_a_result(name: str) -> None:
    named = _columns()
    y, site = named[_forging("y")], named[_forging("site")]
    scores = {_forging(one): named[_forging(one)] for one in "abp"}
    ev = hc.evaluate(y, scores, metrics=["auc", "tpr@fpr=5%"])
    groups = hc.evaluate(y, scores, by=site, metrics=["auc", "ef@1%"])
    first, second = list(scores)[:2]
    result = RESULTS[name](ev, groups, first, second, site)
    texts = [str(result), *(getattr(result, form)() for form in ("to_markdown", "to_latex") if hasattr(result, form))]
    assert "forged" in texts[0]
    for text in texts:
        assert [line for line in text.split("\n") if line.startswith("forged")] == []
