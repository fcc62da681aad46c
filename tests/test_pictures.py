"""Pictures of the HTML report in the documentation: a script takes each, and the sources hold one small one."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [
    path for path in DOCS.rglob("*.md") if "_build" not in path.parts and "_static/screenshots/" in path.read_text()
]


@pytest.fixture(scope="module")
def screenshots() -> ModuleType:
    spec = importlib.util.spec_from_file_location("screenshots", DOCS / "screenshots.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_picture_is_taken() -> None:
    script = (DOCS / "screenshots.py").read_text(encoding="utf-8")
    taken = set(re.findall(r'folder / "([\w-]+\.png)"', script))
    shown = {name for path in PAGES for name in re.findall(r"_static/screenshots/([\w-]+\.png)", path.read_text())}
    assert shown == taken


def test_a_copy_without_a_browser_says_so(screenshots: ModuleType) -> None:
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        found = screenshots.without(text)
        assert "screenshots/" not in found
        assert found.count("built without a browser") == text.count("_static/screenshots/")


def test_the_picture_of_the_readme_is_small(screenshots: ModuleType) -> None:
    assert f"docs/_static/{screenshots.README.name}" in (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert screenshots.README.stat().st_size < 200_000
