"""Tutorials as notebooks, which are run while the documentation is built, from the package alone."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from pathlib import Path
from types import ModuleType

import pytest

import hitcurve as hc

DOCS = Path(__file__).parents[1] / "docs"


def _notebooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("notebooks", DOCS / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


notebooks = _notebooks()
PAGES: dict[str, Path] = notebooks.pages(DOCS)


def test_no_tutorial_waits_for_public_data() -> None:
    for path in PAGES.values():
        assert not re.search(r"^needs:", path.read_text(), re.MULTILINE), path


def test_every_tutorial_is_in_the_index() -> None:
    index = (DOCS / "tutorials" / "index.md").read_text()
    assert len(PAGES) >= 5
    for path in PAGES.values():
        assert f"({path.name})" in index, path


@pytest.mark.parametrize("name", PAGES)
def test_a_tutorial_needs_the_package_alone(name: str) -> None:
    """Its notebook, which `make docs` runs, imports no helper of the documentation."""
    parts = notebooks.parts(PAGES[name].read_text())
    code = "\n".join(text for kind, text in parts if kind in ("code", "hidden"))
    assert "hitcurve" in _imported(code) or any(kind == "shell" for kind, _ in parts)
    assert not {"examples", "data", "tests"} & _imported(code)


def test_a_notebook_runs_without_what_this_repository_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder, without the public data and what lies beside this documentation, by files without a port."""
    pytest.importorskip("nbclient")
    monkeypatch.setenv("HITCURVE_DATA", str(DOCS))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(DOCS), str(Path(hc.__path__[0]).parent)]))
    page = (
        "# Title\n\n```{code-cell}\nimport os, importlib.util, hitcurve\nfrom ipykernel.kernelapp import IPKernelApp\n"
        "print(os.listdir(), os.getenv('HITCURVE_DATA'), importlib.util.find_spec('examples'))\n"
        "print(IPKernelApp.instance().transport)\n```\n"
    )
    assert notebooks.notebook(page).cells[1].outputs[0]["text"] == "[] None None\nipc\n"
    assert os.environ["HITCURVE_DATA"] == str(DOCS)


def test_a_notebook_that_fails_stops_the_build() -> None:
    nbclient = pytest.importorskip("nbclient")
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="ZeroDivisionError"):
        notebooks.notebook("# Title\n\n```{code-cell}\n1 / 0\n```\n")


@pytest.mark.parametrize("name", PAGES)
def test_prose_has_no_markup_of_the_documentation(name: str) -> None:
    prose = "\n".join(text for kind, text in notebooks.parts(PAGES[name].read_text()) if kind == "prose")
    rest = notebooks._NUMBER.sub("1", prose)
    assert not re.search(r"\{[a-z]+\}`", rest)
    assert ".md" not in rest


def test_what_a_page_hides_is_left_out_unless_it_is_used() -> None:
    page = (
        "---\nkernelspec:\n  name: python3\n---\n\n# Title\n\n"
        "See {class}`~hitcurve.HitTable` and [how](../how.md#x).\n\n"
        "```{code-cell}\n:tags: [remove-input, unseen]\n\nfrom examples import sh, start\nstart()\nimport math\n"
        "assert 1 == 1\nfor i in range(3):\n    assert i < 3\nused = math.pi\nunused = 2\n"
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n    pass\n```\n\n"
        "```{code-cell}\nprint(used)\n```\n\n"
        '```{code-cell}\n:tags: [remove-input]\n\nsh(r"""hitcurve data \\\n  docking""", wrap=True)\n```\n'
    )
    assert [tuple(part) for part in notebooks.parts(page)] == [
        ("prose", "# Title\n\nSee `HitTable` and how."),
        ("hidden", "import math\nused = math.pi"),
        ("code", "print(used)"),
        ("shell", "hitcurve data docking"),
    ]


def test_a_notebook_has_what_came_out() -> None:
    pytest.importorskip("nbclient")
    page = "# Title\n\nTwo and two are {eval}`2 + 2`.\n\n```{code-cell}\nprint(6 * 7)\n```\n"
    book = notebooks.notebook(page)
    assert [cell.cell_type for cell in book.cells] == ["markdown", "code"]
    assert book.cells[0].source == "# Title\n\nTwo and two are 4."
    assert book.cells[1].outputs[0]["text"] == "42\n"
    assert "examples" not in str(book)


def _imported(text: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).partition(".")[0])
    return found
