"""Tutorials run as they are, from the package alone: in an empty folder, without the data of this repository."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import subprocess
import sys
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

PRELUDE = """
import os, subprocess, warnings

warnings.simplefilter("ignore")

def shell(command):
    subprocess.run(command, shell=True, check=True, stdout=subprocess.DEVNULL)
"""


def test_no_tutorial_waits_for_public_data() -> None:
    for path in PAGES.values():
        assert not re.search(r"^needs:", path.read_text(), re.MULTILINE), path


def test_every_tutorial_is_in_the_index() -> None:
    index = (DOCS / "tutorials" / "index.md").read_text()
    assert len(PAGES) >= 5
    for path in PAGES.values():
        assert f"({path.name})" in index, path


@pytest.mark.parametrize("name", PAGES)
def test_a_tutorial_runs_from_the_package_alone(name: str, tmp_path: Path) -> None:
    """Run what a reader sees: code and commands, without the checks and helpers of the documentation."""
    script = [PRELUDE]
    for kind, text in notebooks.parts(PAGES[name].read_text()):
        if kind == "shell":
            lines = text.replace("hitcurve ", f"{sys.executable} -m hitcurve ").splitlines()
            script += [f"shell({line!r})" for line in lines]
        elif kind == "prose":
            script += [f"str({number})" for number in notebooks._NUMBER.findall(text)]
        else:
            script.append(text)
    text = "\n".join(script)
    assert not {"examples", "data", "tests"} & _imported(text)
    environment = {key: value for key, value in os.environ.items() if key != "HITCURVE_DATA"}
    environment |= {"PYTHONPATH": str(Path(hc.__path__[0]).parent), "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


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
