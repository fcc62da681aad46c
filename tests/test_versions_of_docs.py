"""The documentation is files of which each version leads to the same page of the others."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
Deploy = Callable[[Path, Path, str], None]


@pytest.fixture
def deploy(monkeypatch: pytest.MonkeyPatch) -> Deploy:
    monkeypatch.syspath_prepend(str(DOCS))
    sys.modules.pop("deploy", None)
    found: Deploy = import_module("deploy").deploy
    return found


def build(folder: Path, version: str, *pages: str) -> Path:
    """Make pages with the choice of versions, as the theme does."""
    switch = pytest.importorskip("jinja2").Template((DOCS / "_templates" / "versions.html").read_text(encoding="utf-8"))
    for page in ("index", *pages):
        root = "../" * page.count("/") or "./"
        choice = switch.render(content_root=root, pagename=page, version=version)
        file = folder / f"{page}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        script = f'<script defer src="{root}_static/versions.js"></script>'
        file.write_text(f"<!DOCTYPE html><head>{script}</head>{choice}<p>{page} of {version}</p>", encoding="utf-8")
    (folder / "_static").mkdir()
    (folder / "_static" / "versions.js").write_bytes((DOCS / "_static" / "versions.js").read_bytes())
    return folder


@pytest.mark.slow
def test_each_version_leads_to_the_others(tmp_path: Path, deploy: Deploy, browser: Any) -> None:
    site = tmp_path / "site"
    deploy(build(tmp_path / "first", "0.9.0", "how-to/a"), site, "0.9.0")
    deploy(build(tmp_path / "second", "0.10.0", "how-to/a", "how-to/b"), site, "0.10.0")
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.wait_for_url("**/0.10.0/index.html")
    page.goto((site / "0.9.0" / "how-to" / "a.html").as_uri())
    page.wait_for_function("document.querySelectorAll('option').length === 2")
    assert page.locator("option").all_text_contents() == ["0.10.0", "0.9.0"]
    assert page.locator("select").input_value() == "0.9.0"
    page.locator("select").select_option("0.10.0")
    page.wait_for_url("**/0.10.0/how-to/a.html")
    # what the other version does not have leads to its first page
    page.goto((site / "0.10.0" / "how-to" / "b.html").as_uri())
    page.wait_for_function("document.querySelectorAll('option').length === 2")
    page.locator("select").select_option("0.9.0")
    page.wait_for_url("**/0.9.0/index.html")
    page.close()


@pytest.mark.slow
def test_one_version_alone_shows_itself(tmp_path: Path, browser: Any) -> None:
    page = browser.new_page()
    page.goto((build(tmp_path / "alone", "0.1.0") / "index.html").as_uri())
    assert page.locator("option").all_text_contents() == ["0.1.0"]
    page.close()


def test_pages_without_the_choice_are_refused(tmp_path: Path, deploy: Deploy) -> None:
    (tmp_path / "index.html").write_text("<p>pages</p>", encoding="utf-8")
    with pytest.raises(ValueError, match="no choice of versions"):
        deploy(tmp_path, tmp_path / "site", "0.1.0")
    with pytest.raises(ValueError, match="is numbers"):
        deploy(tmp_path, tmp_path / "site", "../x")
    assert not (tmp_path / "site").exists()


def test_pages_of_another_version_are_refused(tmp_path: Path, deploy: Deploy) -> None:
    """A version that was raised and whose pages were not built again would lead to the old ones."""
    built = build(tmp_path / "built", "0.1.0")
    (built / "_static" / "webpack-macros.html").write_text("a template")
    with pytest.raises(ValueError, match=r"are of 0\.1\.0, not of 0\.2\.0: build them again"):
        deploy(built, tmp_path / "site", "0.2.0")
    assert not (tmp_path / "site").exists()
    deploy(built, tmp_path / "site", "0.1.0")
    assert (tmp_path / "site" / "0.1.0" / "_static" / "versions.js").exists()
    assert "macros" not in (tmp_path / "site" / "versions.js").read_text()


def test_the_documentation_is_built_with_it() -> None:
    settings = (DOCS / "conf.py").read_text(encoding="utf-8")
    assert '"navbar_end": ["versions", ' in settings
    assert 'html_js_files = [("versions.js"' in settings
