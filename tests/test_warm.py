"""Kernels and commands of the documentation are forked from one process, and are as if they were started anew."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"
BUILD = "import json, os, sys; import warm; warm.start(); print(json.dumps(dict(os.environ)), flush=True); input()"
KERNEL = """
import nbformat, warm
from nbclient import NotebookClient
warm.start()
code = "from ipykernel.kernelapp import IPKernelApp; print(IPKernelApp.instance().transport)"
named = {"kernelspec": {"name": "python3", "display_name": "3"}}
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)], metadata=named)
NotebookClient(book, startup_timeout=300).execute()
print(book.cells[0].outputs[0]["text"])
"""
COMMANDS = """
hitcurve data docking --only target=ACHE -o ache.csv; echo "left with $?"
hitcurve evaluate ache.csv --label active --score smin --metric ap; echo "left with $?"
hitcurve evaluate ache.csv --label active --score smina --metric ap > ap.txt; cat ap.txt
printf '3\\n17\\n240\\n' | hitcurve ranks 1000 --metric ap
hitcurve --help | head -20
hitcurve evaluat
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    """Return the environment of examples while the documentation is built; what forks come from ends with the build."""
    pytest.importorskip("nbclient")
    paths = [str(DOCS), *filter(None, [os.environ.get("PYTHONPATH")])]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", BUILD], env=given, stdin=pipe, stdout=pipe, text=True) as build:
        assert build.stdout is not None
        found: dict[str, str] = json.loads(build.stdout.readline())
        programs = found.get("HITCURVE_PROGRAMS")
        if programs is None:
            pytest.skip("this system cannot watch processes")
        yield {**found, "PATH": f"{programs}{os.pathsep}{found['PATH']}", "COLUMNS": "60"}
        build.kill()
    command = Path(programs.split(os.pathsep)[0], "hitcurve")
    for _ in range(100):
        done = subprocess.run([command, "--help"], capture_output=True, text=True, check=False)
        if done.returncode:
            break
        time.sleep(0.1)
    assert "ConnectionRefusedError" in done.stderr
    shutil.rmtree(command.parents[1])


def test_commands_say_what_new_processes_say(environment: dict[str, str], tmp_path: Path) -> None:
    """The same in both streams, from both streams and folders, of the same width and with the same exit code."""
    anew = {**environment, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    said = []
    for name, env in (("forked", environment), ("anew", anew)):
        (tmp_path / name).mkdir()
        done = subprocess.run(
            ["bash", "-c", COMMANDS], cwd=tmp_path / name, env=env, capture_output=True, text=True, check=False
        )
        said.append((done.returncode, done.stdout, done.stderr))
    assert said[0] == said[1]
    assert said[0][0] == 2
    assert said[0][1].count("left with 0") == said[0][1].count("left with 2") == 1


def test_a_fork_ends_with_the_program_that_asked_for_it(environment: dict[str, str]) -> None:
    reads, writes = os.pipe()  # it waits for its standard input
    with subprocess.Popen(
        ["bash", "-c", "exec hitcurve ranks 1000"], env=environment, stdin=reads, stdout=subprocess.PIPE
    ) as asking:
        with pytest.raises(subprocess.TimeoutExpired):
            asking.wait(1)
        asking.kill()
        assert asking.communicate(timeout=30)[0] == b""  # the fork has this stream too
    os.close(reads)
    os.close(writes)


def test_a_kernel_knows_nothing_of_those_before(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("JUPYTER_PATH", environment["JUPYTER_PATH"])
    monkeypatch.setenv("PYTHONPATH", environment["PYTHONPATH"])

    def run(*code: str) -> list[Any]:
        cells = [nbformat.v4.new_code_cell(text) for text in code]
        book = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "3"}})
        where = {"metadata": {"path": str(tmp_path)}}
        nbclient.NotebookClient(book, allow_errors=True, resources=where).execute()
        return [cell.outputs[0] for cell in book.cells]

    where = "import os, sys; print(os.getppid(), os.getcwd(), 'examples' in sys.modules)"
    first = run(where, "import examples, hitcurve; hitcurve.mark = mine = 1; mine")
    second = run(where, "import hitcurve; mine", "hitcurve.mark")
    assert first[0] == second[0]
    assert first[0]["text"].split()[1:] == [str(tmp_path), "False"]
    assert first[1]["data"]["text/plain"] == "1"
    assert [output["ename"] for output in second[1:]] == ["NameError", "AttributeError"]


def test_kernels_are_reached_by_files_alone() -> None:
    """A port that is free when it is chosen may be another's before the kernel has it."""
    pytest.importorskip("nbclient")
    paths = [str(DOCS), *filter(None, [os.environ.get("PYTHONPATH")])]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, "-c", KERNEL], env=given, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["ipc"], done.stderr
