"""Tutorials as notebooks to download: the same text and code, without what only this documentation has.

Commands are cells that begin with ``!``, checks of the text and helpers of the documentation are left out, and numbers
in sentences are those of the run. A notebook needs the package alone: it is run in an empty folder while it is made.
"""

from __future__ import annotations

import ast
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

_FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```$\n?", re.DOTALL | re.MULTILINE)
_OPTIONS = re.compile(r"\A(?::[^\n]*\n)+\n*")
_COMMANDS = re.compile(r"\Ash\(\s*r?(\"\"\"|\")(.*?)\1.*\)\s*\Z", re.DOTALL)
_NUMBER = re.compile(r"\{eval\}`([^`]*)`")
_ROLE = re.compile(r"\{(?:class|func|meth|mod|exc)\}`([^`<]*?)(?:\s*<[^`>]*>)?`")
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\.md(?:#[^)]*)?\)")


class Part(NamedTuple):
    """A stretch of a page: prose, code, hidden code or commands of the shell."""

    kind: str
    text: str


def pages(docs: Path) -> dict[str, Path]:
    """Return the pages that are notebooks too, by their name in the documentation."""
    found = sorted(path for path in docs.joinpath("tutorials").glob("*.md") if path.stem != "index")
    return {f"tutorials/{path.stem}": path for path in found}


def parts(page: str) -> list[Part]:
    """Return the parts of a page; what is hidden on it keeps only what later parts use."""
    text = _FRONT.sub("", page)
    found: list[Part] = []
    at = 0
    for cell in _CELL.finditer(text):
        found += _prose(text[at : cell.start()])
        at = cell.end()
        found += _code(cell.group(1))
    found += _prose(text[at:])
    kept: list[Part] = []
    used: set[str] = set()
    for part in reversed(found):
        if part.kind == "hidden":
            part = Part("hidden", _used_of(part.text, used))
        if part.text:
            kept.append(part)
        code = " ".join(_NUMBER.findall(part.text)) if part.kind == "prose" else part.text
        used |= set(re.findall(r"\w+", code))
    return kept[::-1]


def _used_of(code: str, used: set[str]) -> str:
    """Return the statements of a hidden cell that bind names used below, by these or by later cells."""
    kept = []
    for statement in reversed(ast.parse(code).body):
        if not _is_of_the_build(statement) and _bound(statement) & used:
            kept.append(ast.unparse(statement))
            used |= set(re.findall(r"\w+", kept[-1]))
    return "\n".join(kept[::-1])


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    nodes = list(ast.walk(statement))
    inner = {id(node) for part in nodes if isinstance(part, ast.comprehension) for node in ast.walk(part.target)}
    names = (node for node in nodes if isinstance(node, ast.Name) and id(node) not in inner)
    stored = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return stored | {(node.asname or node.name).partition(".")[0] for node in nodes if isinstance(node, ast.alias)}


def _prose(text: str) -> Iterator[Part]:
    text = _ROLE.sub(lambda role: f"`{role.group(1).strip().lstrip('~').removeprefix('hitcurve.')}`", text)
    text = _LINK.sub(r"\1", text).strip()
    if text:
        yield Part("prose", text)


def _code(body: str) -> Iterator[Part]:
    options = _OPTIONS.match(body)
    code = body[options.end() :].strip() if options else body.strip()
    command = _COMMANDS.match(code)
    if command:
        yield Part("shell", re.sub(r"\s*\\\n\s*", " ", command.group(2)).strip())
        return
    hidden = bool(options and "unseen" in options.group(0))
    if hidden:
        code = "\n".join(
            ast.unparse(statement) for statement in ast.parse(code).body if not _is_of_the_build(statement)
        )
    if code:
        yield Part("hidden" if hidden else "code", code)


def _is_of_the_build(statement: ast.stmt) -> bool:
    """Say whether a hidden statement is a check, or a helper of the documentation."""
    if isinstance(statement, ast.For):
        return any(map(_is_of_the_build, statement.body))
    helper = isinstance(statement, ast.ImportFrom) and statement.module == "examples"
    called = statement.value if isinstance(statement, ast.Expr) else None
    start = isinstance(called, ast.Call) and isinstance(called.func, ast.Name) and called.func.id == "start"
    return isinstance(statement, (ast.Assert, ast.Try)) or helper or start


def notebook(page: str) -> Any:
    """Return a page as a notebook that was run."""
    import nbformat
    from nbclient import NotebookClient

    new = nbformat.v4
    cells: list[Any] = []
    asked: dict[int, list[Any]] = {}  # cells that compute the numbers of a cell of prose
    for kind, text in parts(page):
        if kind == "prose":
            found = [new.new_code_cell(f"print({number}, end='')") for number in _NUMBER.findall(text)]
            cells += [*found, new.new_markdown_cell(text)]
            asked[id(cells[-1])] = found
        elif kind == "shell":
            cells.append(new.new_code_cell("\n".join(f"!{line}" for line in text.splitlines())))
        else:
            hidden = {"jupyter": {"source_hidden": True}} if kind == "hidden" else {}
            cells.append(new.new_code_cell(text, metadata=hidden))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = new.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as doors, _as_a_reader():
        resources = {"metadata": {"path": folder}}
        NotebookClient(book, timeout=300, resources=resources, config=by_files(doors)).execute()
    for cell in cells:
        if cell.cell_type == "markdown":
            values = iter(["".join(output.get("text", "") for output in one.outputs) for one in asked[id(cell)]])
            cell.source = _NUMBER.sub(lambda _, values=values: next(values), cell.source)  # type: ignore[misc]
        else:
            cell.metadata.pop("execution", None)
    helpers = {id(one) for found in asked.values() for one in found}
    book.cells = [cell for cell in cells if id(cell) not in helpers]
    for number, cell in enumerate(book.cells):
        cell.id = f"cell-{number}"  # the same at every build
    return book


def by_files(folder: str) -> Any:
    """Return the configuration of a client whose kernel is reached by files in a folder."""
    from traitlets.config import Config

    return Config(AsyncKernelManager={"transport": "ipc", "ip": os.path.join(folder, "kernel")})


@contextmanager
def _as_a_reader() -> Iterator[None]:
    """Let commands be those of the environment that builds, and nothing beside this file or of its data be found."""
    kept, here = dict(os.environ), Path(__file__).resolve().parent
    paths = [path for path in kept.get("PYTHONPATH", "").split(os.pathsep) if path and Path(path).resolve() != here]
    programs = kept.get("HITCURVE_PROGRAMS", Path(sys.executable).parent)  # `warm` gives others
    os.environ.pop("HITCURVE_DATA", None)
    os.environ.update(PATH=f"{programs}{os.pathsep}{kept['PATH']}", PYTHONPATH=os.pathsep.join(paths))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def write(page: Path, to: Path) -> None:
    """Write the notebook of a page."""
    import nbformat

    to.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook(page.read_text(encoding="utf-8")), to)
