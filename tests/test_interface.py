"""What a release breaks for those who use it is listed, and what is inside is not."""

from __future__ import annotations

import shutil
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EDITS = {
    # of classes and functions that are public, and of what they inherit
    "stored.py": ("def save(self, path", "def save(self, name"),
    "fusion.py": ("fuse_scores", "join_scores"),
    "_face.py": ("fuse_scores", "join_scores"),
    # of modules that are not
    "bins.py": ("def codes_of(name: str, scores: AnyArray)", "def codes_of(scores: AnyArray)"),
}


@pytest.mark.slow
def test_what_breaks_is_listed_and_what_is_inside_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("griffe")
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    changes = import_module("interface").changes

    # without packages that the edits are not of, which take long to read
    left_out = shutil.ignore_patterns(
        "__pycache__", "report", "plot", "inference", "evaluation", "screens", "readers", "cli"
    )
    for of in ("old", "new"):
        shutil.copytree(ROOT / "src", tmp_path / of, ignore=left_out)
    for name, (before, after) in EDITS.items():
        file = tmp_path / "new" / "hitcurve" / name
        text = file.read_text(encoding="utf-8")
        assert before in text
        file.write_text(text.replace(before, after), encoding="utf-8")
    lines = changes(tmp_path / "old", tmp_path / "new")
    assert any("save(path): Parameter was removed" in line for line in lines)
    assert any("fuse_scores: Public object was removed" in line for line in lines)
    assert not any("codes_of" in line for line in lines)
    del sys.modules["interface"]
