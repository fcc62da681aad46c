"""What a release breaks for those who use it is listed, and what is inside is not."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
EDITS = {
    # of classes and functions that are public, and of what they inherit
    "stored.py": ("def save(self, path", "def save(self, name"),
    "fusion.py": ("fuse_scores", "join_scores"),
    "_face.py": ("fuse_scores", "join_scores"),
    # of modules that are not
    "bins.py": ("def codes_of(name: str, scores: AnyArray)", "def codes_of(scores: AnyArray)"),
    # a module that moves within a public one
    "metrics/__init__.py": (
        "from hitcurve.metrics.half_auc import HalfAUC",
        "from hitcurve.metrics.half_area import HalfAUC",
    ),
    # private parameters and private classes
    "curve/curve.py": ("_ranking: Ranking = field(repr=False)", "_of: Ranking"),
    "metrics/topk.py": ("def cut_at(self, c: Counts)", "def cut_at(self, counts: Counts)"),
}


# of names, commands and metrics, which are asked for
RENAMED = {
    "cli/certify.py": ('"--misses"', '"--negs"'),
    "cli/app.py": ("    drift,\n", ""),
    "_face.py": ('    "stopping",\n', ""),
    "metrics/half_auc.py": ('name: ClassVar[str] = "half_auc"', 'name: ClassVar[str] = "auc_of_half"'),
}


@pytest.fixture
def interface(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    pytest.importorskip("griffe")
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    yield import_module("interface")
    del sys.modules["interface"]


def edit(source: Path, edits: dict[str, tuple[str, str]]) -> None:
    for name, (before, after) in edits.items():
        file = source / "hitcurve" / name
        text = file.read_text(encoding="utf-8")
        assert before in text
        file.write_text(text.replace(before, after), encoding="utf-8")


@pytest.mark.slow
def test_names_commands_options_and_metrics_that_are_gone_are_listed(tmp_path: Path, interface: Any) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "new", ignore=shutil.ignore_patterns("__pycache__"))
    edit(tmp_path / "new", RENAMED)
    assert interface.unlike(interface.said(ROOT / "src"), interface.said(tmp_path / "new")) == {
        "hitcurve certify --misses: was removed",
        "hitcurve drift: was removed",
        "hitcurve.stopping: was removed",
        "metric half_auc: was removed",
    }


def test_an_option_that_becomes_optional_breaks_nothing(interface: Any) -> None:
    optional, needed = {"hitcurve x --a": "optional, takes a value"}, {"hitcurve x --a": "required, takes a value"}
    assert interface.unlike(needed, optional) == set()
    assert interface.unlike(optional, needed) == {
        "hitcurve x --a: was optional, takes a value, is required, takes a value"
    }


@pytest.mark.slow
def test_what_breaks_is_listed_and_what_is_inside_is_not(tmp_path: Path, interface: Any) -> None:
    # without packages that the edits are not of, which take long to read
    left_out = shutil.ignore_patterns(
        "__pycache__", "report", "plot", "inference", "evaluation", "screens", "readers", "cli"
    )
    for of in ("old", "new"):
        shutil.copytree(ROOT / "src", tmp_path / of, ignore=left_out)
    # an attribute that was stored, and is computed
    computed = '    @cached_property\n    def shape(self) -> tuple[int, ...]:\n        """The leading shape'
    edit(tmp_path / "old", {"counts.py": (computed, '    shape = ()\n\n    def _(self) -> None:\n        """')})
    edit(tmp_path / "new", EDITS)
    metrics = tmp_path / "new" / "hitcurve" / "metrics"
    (metrics / "half_auc.py").rename(metrics / "half_area.py")
    lines = interface.signatures(tmp_path / "old", tmp_path / "new")
    assert any("save(path): Parameter was removed" in line for line in lines)
    assert any("fuse_scores: Public object was removed" in line for line in lines)
    unlisted = ("codes_of", "HalfAUC", "Curve", "_AtCut", "cut_at", "kind of object")
    assert not any(word in line for line in lines for word in unlisted), lines
    assert not any(str(tmp_path) in line for line in lines)
