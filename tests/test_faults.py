"""What goes wrong around a run: files that were there stay whole, one sentence is said, the exit code is documented."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hitcurve as hc
from hitcurve import _checks
from hitcurve.errors import InputError, MissingExtraError, UnreadableFileError
from hitcurve.sources import Reading
from hitcurve.sources.files import FileSource, Join, reasons, streams
from tests.shell import AS_USERS_HAVE_IT, in_process

posix = pytest.mark.skipif(os.name != "posix", reason="signals, limits and modes of POSIX")
EVALUATE = ("evaluate", "x.csv", "-l", "y", "-s", "a", "-s", "b", "-m", "auc", "-m", "ap")
WRITTEN = {
    "page": (*EVALUATE, "-o", "old.html"),
    "csv": (*EVALUATE, "-o", "old.csv"),
    "json": (*EVALUATE, "-o", "old.json"),
    "parquet": (*EVALUATE, "-o", "old.parquet"),
    "text": (*EVALUATE, "-o", "old.txt"),
    "markdown": (*EVALUATE, "-o", "old.md"),
    "latex": (*EVALUATE, "-o", "old.tex"),
    "curve": ("curve", "x.csv", "-l", "y", "-s", "a", "-o", "old.csv"),
    "table": ("table", "x.csv", "-l", "y", "-s", "a", "-o", "old.hit"),
    "figure": ("plot", "roc", "x.csv", "-l", "y", "-s", "a", "-o", "old.svg"),
    "screen": ("screen", "x.csv", "--label", "y", "-o", "old.csv"),
    "data": ("data", "mammography", "-o", "old.csv"),
    "points": ("plot", "roc", "x.csv", "-l", "y", "-s", "a", "-o", "old.png"),
    "merge": ("merge", "day1.hit", "day2.hit", "-o", "old.hit"),
    "days": ("drift", "day1.hit", "day2.hit", "day3.hit", "-o", "old.html"),
    "drift": ("drift", "day1.hit", "day2.hit", "day3.hit", "-o", "old.png"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a file of scores."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    y = rng.random(400) < 0.3
    lines = [f"{int(p)},{a:.4f},{b:.4f}" for p, a, b in zip(y, rng.normal(size=400) + y, rng.random(400), strict=True)]
    (tmp_path / "x.csv").write_text("\n".join(["y,a,b", *lines, ""]))
    for day in (1, 2, 3):
        hc.HitTable.from_scores(y, rng.normal(size=400) + y).save(f"day{day}.hit")
    return tmp_path


def script(code: str, *words: str, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own."""
    given, how = [sys.executable, "-c", code, *words], {"env": AS_USERS_HAVE_IT, **how}
    return subprocess.run(given, capture_output=True, text=True, timeout=240, **how)


def command(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    given = [sys.executable, "-m", "hitcurve", *words]
    return subprocess.run(given, capture_output=True, text=True, timeout=240, env=os.environ | environment)


_EACH = """
import contextlib, io, json, os, signal, sys
from hitcurve.cli import main

def run(words):
    "Return the exit code and what was said."
    said = io.StringIO()
    sys.argv = ["hitcurve", *words]
    with contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            return end.code or 0, said.getvalue()
    return 0, said.getvalue()

given = json.loads(sys.argv[1])
found = {}
"""


def each(prelude: str, body: str, names: Sequence[str] = tuple(WRITTEN)) -> dict[str, Any]:
    """Run a body with each command that writes, in one process; return what it found for each."""
    loop = f"for name, words in given.items():\n    old = words[-1]\n{body}\nprint(json.dumps(found))"
    done = script(f"{_EACH}\n{prelude}\n{loop}", json.dumps({name: WRITTEN[name] for name in names}))
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert list(found) == list(names)
    return found


# Children of one process, which loads libraries and uses none: a fork lacks their threads. What it does not load, each
# child does.
_LOADED = """
import duckdb, jinja2, pandas, pyarrow, pyarrow.compute, pyarrow.csv, pyarrow.ipc, pyarrow.parquet, scipy.stats
import pyarrow.pandas_compat
import matplotlib.backends.backend_agg, matplotlib.backends.backend_svg, matplotlib.pyplot
import hitcurve.cli.app, hitcurve.cli.run, hitcurve.cli.usage
import hitcurve._special, hitcurve.plot, hitcurve.report, hitcurve.screens, hitcurve.tables
with contextlib.suppress(ImportError):  # which typer has where it is not the lowest
    import pydantic.json_schema, pydantic.type_adapter, typing_inspection.introspection
"""
_KILLED = """
import resource, tempfile
tempfile.gettempdir()  # where Python tries to write
STEPS = {"open", "os.mkdir", "os.chmod", "os.rename", "os.remove", "os.rmdir", "fcntl.flock", "shutil.rmtree"}

def killed(do, *, step=None, size=None):
    "Do something in a child, killed at the n-th step that changes files or after n bytes of one; return by what."
    child = os.fork()
    if not child:
        left = [step]
        def count(event, given):
            if event in STEPS:
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        if step is not None:
            sys.addaudithook(count)
        if size is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        try:
            do()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
"""


@posix
@pytest.mark.slow
@pytest.mark.parametrize("start", range(2))
def test_a_killed_writer_leaves_the_old_file(start: int, folder: Path) -> None:
    """Killed when all is written, and when half is."""
    names = list(WRITTEN)[start::2]
    found = each(
        f"""{_LOADED}{_KILLED}
rename = os.replace
def kill(source, target):
    if os.path.basename(target).startswith("old."):
        os.kill(os.getpid(), signal.SIGKILL)
    rename(source, target)
def run_to_the_end(words):
    os.replace = kill
    run(words)
def left():
    return [os.path.getsize(one) for one in os.listdir() if one.startswith("." + old + ".")]""",
        """
    open(old, "w").write("old")
    found[name] = [killed(lambda: run_to_the_end(words)), open(old).read()]
    (whole,) = left()
    end = killed(lambda: run(words), size=whole // 2)
    # the second one has removed what the first one left
    found[name] += [end, left() == [whole // 2], open(old).read()]
    killed(lambda: run(words))
    found[name].append(open(old, "rb").read() != b"old")""",
        names,
    )
    assert found == {name: [signal.SIGKILL, "old", signal.SIGXFSZ, True, "old", True] for name in names}
    assert sorted(one.name for one in folder.glob(".*")) == []  # the next writer has removed what was left


@posix
def test_a_writer_killed_at_any_step_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    code = """
from pathlib import Path
from hitcurve._writing import write_whole
folder = Path(sys.argv[2])
path = folder / "file"
found = []
while not found or found[-1]:
    path.write_bytes(b"old")
    found.append(killed(lambda: write_whole(path, b"new" * 9_999), step=len(found) + 1))
    assert path.read_bytes() in (b"old", b"new" * 9_999), len(found)
    write_whole(path, b"newer")
    assert [one.name for one in folder.iterdir()] == ["file"], len(found)
    assert path.read_bytes() == b"newer", len(found)
print(json.dumps(found))"""
    done = script(_EACH + _KILLED + code, "{}", str(tmp_path))
    assert done.returncode == 0, done.stderr
    ends = json.loads(done.stdout)
    assert set(ends[:-1]) == {signal.SIGKILL}
    assert len(ends) > 4  # it is opened, locked, gets its mode, and its name


@posix
def test_a_temporary_folder_of_a_run_killed_at_any_step_is_removed_by_the_next(tmp_path: Path) -> None:
    code = """
from pathlib import Path
from hitcurve._folders import new_folder
place = Path(sys.argv[2])

def use():
    folder = new_folder()
    (folder.path / "spilled").write_bytes(b"x")
    folder.remove()

(place / "hitcurve-notebook").mkdir()  # of the user, like the two below
(place / "hitcurve-notebook" / "in-use.txt").touch()
(place / "hitcurve-analyses").mkdir()
(place / "hitcurve-analyses").chmod(0o755)
own = set(place.iterdir())
found, left = [], set()
while not found or found[-1]:
    found.append(killed(use, step=len(found) + 1))
    left.update(one.name for new in set(place.iterdir()) - own for one in (new, *new.iterdir()))
    assert killed(use) == 0
    assert set(place.iterdir()) == own, (len(found), set(place.iterdir()) - own)
print(json.dumps([found, sorted(one for one in left if one.startswith("in-use"))]))"""
    done = script(_EACH + _KILLED + code, "{}", str(tmp_path), env=os.environ | {"TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    ends, locks = json.loads(done.stdout)
    assert set(ends[:-1]) == {signal.SIGKILL}
    assert locks == ["in-use", "in-use.new"]


@contextmanager
def disk(place: Path, size: str) -> Iterator[Path]:
    """Make a disk of so many bytes."""
    place.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    asked = [str(mount), "-t", "tmpfs", "-o", f"size={size}", "none", str(place)]
    if not (mount and unmount) or subprocess.run(asked, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield place
    finally:
        subprocess.run([unmount, "-l", str(place)], check=True)


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of 8 kB, which is full but for a file."""
    with disk(folder / "disk", "8k") as place:
        yield place


@pytest.fixture
def temporary_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A disk of 256 kB for temporary files."""
    with disk(tmp_path / "temporary", "256k") as place:
        monkeypatch.setattr(tempfile, "tempdir", str(place))
        yield place


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_file(folder: Path, small_disk: Path) -> None:
    for words in WRITTEN.values():
        (small_disk / words[-1]).touch()  # a name takes no room
    (small_disk / "filling").write_bytes(b"x" * 4096)
    (small_disk / "old.html").write_text("old")
    for name, words in WRITTEN.items():
        done = in_process(*words[:-1], str(small_disk / words[-1]))
        last = done.stderr.strip().splitlines()[-1]
        assert done.returncode == 2, (name, done.stderr)
        assert last.startswith("hitcurve: error: cannot write "), (name, done.stderr)
        assert last.endswith(": No space left on device"), (name, done.stderr)
        assert not list(small_disk.glob(".*")), name
    assert (small_disk / "old.html").read_text() == "old"
    assert all((small_disk / words[-1]).stat().st_size in (0, 3) for words in WRITTEN.values())


FULL = "No space left on device (TMPDIR names another place"


def test_a_disk_too_small_for_a_stream(temporary_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_MOST_BYTES", 1 << 12)
    batch = pa.record_batch({"y": [0, 1] * 500, "a": np.arange(1000.0)})
    with pytest.raises(UnreadableFileError) as full:
        hc.evaluate("y", "a", data=(batch for _ in range(50)), metrics="auc")
    assert str(full.value) == (
        f"the data are read more than once, and their batches cannot be kept in {temporary_disk}: {FULL})"
    )
    assert list(temporary_disk.iterdir()) == []

    def breaking_off(error: Exception) -> Iterator[Any]:
        yield from [batch] * 3
        raise error

    # what breaks off by itself while it is kept is no matter of the disk
    with pytest.raises(TimeoutError, match="the device"):
        hc.evaluate("y", "a", data=breaking_off(TimeoutError(110, "the device")), metrics="auc")
    with pytest.raises(InputError, match=r"^the data break off: a message$"):
        hc.evaluate("y", "a", data=breaking_off(pa.ArrowInvalid("a message")), metrics="auc")
    gc.collect()
    assert list(temporary_disk.iterdir()) == []


def test_a_disk_that_fills_while_scores_are_sorted_on_it(
    temporary_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 60_000
    a = np.random.default_rng(0).permutation(n) + 0.5
    pq.write_table(pa.table({"y": a > np.arange(n) - n // 20, "a": a}), tmp_path / "x.parquet")
    asked: dict[str, Any] = {"data": tmp_path / "x.parquet", "metrics": "auc", "max_grid": 1000}
    ev = hc.evaluate("y", "a", **asked)
    assert re.search(rf", and {re.escape(str(temporary_disk))} has 26[0-9] kB", "".join(ev.notes))  # in bins then
    usage = shutil.disk_usage
    # as it was before another program wrote there
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(place)._replace(free=10**9))
    with pytest.raises(UnreadableFileError) as full:
        hc.evaluate("y", "a", **asked)
    assert str(full.value).startswith(
        f"scores cannot be sorted in {temporary_disk}: {FULL}, bins= (--bins) needs none)"
    )
    del ev, full  # which hold the file, and its place for what does not fit into memory
    gc.collect()
    assert list(temporary_disk.iterdir()) == []


def test_a_disk_too_small_for_a_join(temporary_disk: Path, tmp_path: Path) -> None:
    n = 300_000
    ids = np.random.default_rng(0).permutation(n).astype(str)
    table = pa.table({"id": ids, "y": np.arange(n) % 7 == 0, "a": np.arange(n) % 977})
    paths = [tmp_path / "scores.parquet", tmp_path / "labels.parquet"]
    for path in paths:
        pq.write_table(table, path)
    with pytest.raises(UnreadableFileError) as full:
        FileSource((paths[0],), "y", ("a",), Reading(), join=Join("id", paths[1], "refuse"), memory=16 << 20)
    assert str(full.value) == (
        "scores.parquet cannot be read: there is not enough space for temporary files (TMPDIR names their folder)"
    )
    del full
    gc.collect()
    assert list(temporary_disk.iterdir()) == []


def test_a_disk_too_small_for_standard_input(temporary_disk: Path, folder: Path) -> None:
    given = "y,a\n" + "1,0.25\n0,0.5\n" * 40_000
    words = [sys.executable, "-m", "hitcurve", "evaluate", "-", "-l", "y", "-s", "a"]
    environment = os.environ | {"TMPDIR": str(temporary_disk)}
    done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=240, env=environment)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "there is no space left for it (TMPDIR" in done.stderr
    assert list(temporary_disk.iterdir()) == []


class _Head(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


@contextmanager
def without_powers() -> Iterator[None]:
    """Take from this thread what lets root write everywhere, for a while."""
    libc, head, own = ctypes.CDLL(None), ctypes.byref(_Head(0x20080522, 0)), (ctypes.c_uint32 * 6)()
    assert libc.capget(head, own) == 0
    _, *rest = own
    less = (ctypes.c_uint32 * 6)(0, *rest[:2], 0, *rest[3:])  # permitted and not effective
    assert libc.capset(head, less) == 0
    try:
        yield
    finally:
        assert libc.capset(head, own) == 0


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="powers of Linux")
def test_a_folder_that_may_not_be_written(folder: Path) -> None:
    place = folder / "read only"
    place.mkdir()
    for words in WRITTEN.values():
        (place / words[-1]).write_text("old")
    place.chmod(0o555)
    try:
        with without_powers():
            found = {name: in_process(*words[:-1], str(place / words[-1])) for name, words in WRITTEN.items()}
    finally:
        place.chmod(0o755)
    for name, done in found.items():
        assert done.returncode == 2, (name, done.stderr)
        assert done.stderr.strip().splitlines()[-1].endswith(": Permission denied"), (name, done.stderr)
    assert {one.read_text() for one in place.iterdir()} == {"old"}


@pytest.mark.slow
@posix
def test_a_reader_that_leaves_is_no_error(folder: Path) -> None:
    for words in ("curve x.csv -l y -s a", "evaluate x.csv -l y -s a -f json", "metrics"):
        shell = f"set -o pipefail; {sys.executable} -m hitcurve {words} | head -1; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=240)
        assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1), words


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_one_sentence(number: signal.Signals, folder: Path) -> None:
    (folder / "old.csv").write_text("old")
    before = sorted(folder.iterdir())
    words = ["evaluate", "-", "-l", "y", "-s", "a", "-m", "auc", "-o", "old.csv"]
    obeyed = {signal.SIGINT: "default_int_handler", signal.SIGTERM: "SIG_DFL"}[number]  # also where a caller ignores it
    code = f"import signal\nsignal.signal({int(number)}, signal.{obeyed})\nfrom hitcurve.cli import main\nmain()"
    with subprocess.Popen(
        [sys.executable, "-c", code, *words], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"y,a\n" + b"1,2\n0,1\n" * 100_000)  # more than a pipe holds: it was begun to read
        process.stdin.flush()
        process.send_signal(number)
        _, said = process.communicate(timeout=240)
    assert process.returncode == 128 + number
    assert said.decode() == f"hitcurve: stopped by {number.name}\n"
    assert sorted(folder.iterdir()) == before
    assert (folder / "old.csv").read_text() == "old"


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    "start", ["from hitcurve.cli import main; main()", "runpy.run_module('hitcurve', None, '__main__')"]
)
@pytest.mark.parametrize(
    "loaded", ["enum", "hitcurve.cli.run", "hitcurve._checks", "tempfile", "typer", "numpy", "duckdb"]
)
def test_ctrl_c_while_modules_are_loaded(loaded: str, start: str, folder: Path) -> None:
    code = f"""
import os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a caller ignores it
sys.modules.pop("signal"), sys.modules.pop("enum")  # as at the start
class Presses:
    def find_spec(self, name, *of):
        if name == {loaded!r}:
            os.kill(os.getpid(), 2)
sys.meta_path.insert(0, Presses())
{start}"""
    done = script(code, *EVALUATE)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "hitcurve: stopped by SIGINT\n")


@pytest.mark.parametrize(
    "error",
    [
        "MemoryError()",
        "OSError(12, 'Cannot allocate memory')",
        'RuntimeError("can\'t start new thread")',
        "RuntimeError('Resource temporarily unavailable')",  # what C++ throws where no thread starts
        "__import__('pyarrow').ArrowException('Failed to launch worker thread: Resource temporarily unavailable')",
        "ImportError('libx.so: failed to map segment from shared object')",
        "SystemError('error return without exception set')",
        "SystemError('<built-in function len> returned NULL without setting an exception')",
        "__import__('numpy').zeros(2**57)",  # itself raises
        "__import__('pyarrow').ArrowMemoryError('malloc of size 64 failed')",
        "__import__('duckdb').OutOfMemoryException('Out of Memory Error: Allocation failure')",
    ],
)
def test_memory_that_does_not_suffice_is_no_bug(error: str) -> None:
    done = script(f"import hitcurve.cli.run as c\ndef run(): raise {error}\nc._run = run\nc.run()")
    assert done.returncode == 2
    assert done.stderr.startswith("hitcurve: error: the memory does not suffice")
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
def test_an_address_space_that_is_full(folder: Path) -> None:
    (folder / "big.csv").write_text("y,a\n" + "".join(f"{i % 2},{i}\n" for i in range(300_000)))
    # libraries are loaded before: what they do without room for themselves is theirs
    code = """
import resource
assert run(["curve", "x.csv", "-l", "y", "-s", "a", "-o", "new.csv"])[0] == 0
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), resource.RLIM_INFINITY))
print(json.dumps(run(["curve", "big.csv", "-l", "y", "-s", "a", "-o", "old.csv"])))"""
    (folder / "old.csv").write_text("old")
    done = script(_EACH + code, "{}")
    code, said = json.loads(done.stdout.splitlines()[-1])
    assert (code, (folder / "old.csv").read_text()) == (2, "old"), said
    assert said.startswith("hitcurve: error: ")
    assert said.count("\n") == 1, said


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
@pytest.mark.parametrize("limit", [1_200_000_000, 1_540_000_000, 1_590_000_000])
def test_an_address_space_that_is_scarce_from_the_start(folder: Path, limit: int) -> None:
    (folder / "big.csv").write_text("y,a\n" + "".join(f"{i % 10 == 0:d},{i * 7919 % 10007}\n" for i in range(200_000)))
    run = "from hitcurve.cli import main; main()"
    code = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({limit},) * 2); {run}"
    asked = ("evaluate", "big.csv", "-l", "y", "-s", "a", "-m", "auc", "-f", "json")
    done = script(code, *asked)  # libraries would wait without end for room for threads, or end it
    assert done.returncode in (0, 2), done.stderr
    if done.returncode == 0:
        assert done.stdout == in_process(*asked).stdout


def test_what_cannot_be_loaded_is_not_said_to_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_broken_one.py").write_text("raise ImportError('libx.so: failed to map segment\\nmore')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingExtraError) as broken:
        _checks.extra("a_broken_one", "files", "this")
    reason = "there is not enough memory or address space for it (ulimit -v): libx.so: failed to map segment"
    assert str(broken.value) == f"this needs a_broken_one, which is installed and cannot be loaded: {reason}"
    (tmp_path / "an_old_one.py").write_text("raise ImportError('no version')\n")
    with pytest.raises(MissingExtraError, match=r"^this needs an_old_one, .* cannot be loaded: no version$"):
        _checks.extra("an_old_one", "files", "this")
    with pytest.raises(MissingExtraError, match=r"^this needs no_such_one: pip install 'hitcurve\[files\]'$"):
        _checks.extra("no_such_one.part", "files", "this")


ASKED = (*EVALUATE, "-f", "json")


@pytest.fixture
def locales(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Where German and Turkish are known, made for the test."""
    place = tmp_path_factory.mktemp("locales")
    for name in ("de_DE", "tr_TR"):
        if shutil.which("localedef") is None:
            pytest.skip(f"the locale {name} cannot be made here: localedef is missing")
        made = subprocess.run(
            ["localedef", "-i", name, "-f", "UTF-8", str(place / f"{name}.UTF-8")], capture_output=True, text=True
        )
        if made.returncode:  # such as without /usr/share/i18n, which Debian has in its package locales
            pytest.skip(f"the locale {name} cannot be made here: {made.stderr.strip().replace(chr(10), '; ')}")
    return {"LOCPATH": str(place)}


@pytest.mark.slow
def test_languages_change_nothing(folder: Path, locales: dict[str, str]) -> None:
    plain = in_process(*ASKED)
    assert plain.returncode == 0
    for name in ("de_DE.UTF-8", "tr_TR.UTF-8"):
        started = script(
            "import locale, sys\nlocale.setlocale(locale.LC_ALL, '')\nassert locale.getlocale()[0] == sys.argv.pop(1)\n"
            "from hitcurve.cli import main\nmain()",
            name.partition(".")[0],
            *ASKED,
            env=os.environ | locales | {"LC_ALL": name},
        )
        assert (started.returncode, started.stdout) == (0, plain.stdout), started.stderr


@pytest.mark.slow
def test_clocks_change_nothing(folder: Path) -> None:
    plain = in_process(*ASKED).stdout
    later = time.time() + 10**9
    os.utime("x.csv", (later, later))
    assert command(*ASKED, TZ="Pacific/Kiritimati").stdout == plain
    os.utime("x.csv", (0, 0))
    assert command(*ASKED, TZ="Pacific/Pago_Pago").stdout == plain
    assert json.loads(plain)["results"]


def test_threads_that_share_an_evaluation_give_the_same_bits() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.2
    scores = {"a": rng.normal(size=500) + y, "b": rng.normal(size=500) + y}
    alone = str(hc.evaluate(y, scores, metrics=["auc", "ap"]).compare_all("ap"))
    shared = hc.evaluate(y, scores, metrics=["auc", "ap"])
    with ThreadPoolExecutor(32) as pool:
        assert set(pool.map(lambda _: str(shared.compare_all("ap")), range(64))) == {alone}


@posix
def test_links_that_lead_nowhere_are_no_place_to_write(folder: Path) -> None:
    (folder / "one").symlink_to("other")
    (folder / "other").symlink_to("one")
    loop, gone = "Too many levels of symbolic links", "there is no folder one"
    for words in (
        (*EVALUATE, "-o", "one/x.csv"),
        *((*one, "-o", "one") for one in (EVALUATE, ("data", "mammography"))),
    ):
        done = in_process(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.endswith(f"cannot write {words[-1]}: {loop if words[-1] == 'one' else gone}\n"), done.stderr
    assert (folder / "one").is_symlink()


# ---- pipes with names, and libraries that do not come back


def _pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


@pytest.mark.slow
@posix
def test_a_pipe_with_a_name_is_read_and_its_writer_waited_for(folder: Path) -> None:
    pipe = _pipe(folder)
    words = [sys.executable, "-m", "hitcurve", "evaluate", "pipe", "-l", "y", "-s", "a", "-m", "auc", "-f", "csv"]
    expected = in_process("evaluate", "x.csv", *words[5:]).stdout
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as waiting:
        assert waiting.stderr is not None
        told = waiting.stderr.readline()  # before there is a writer
        pipe.write_bytes((folder / "x.csv").read_bytes())
        out, said = waiting.communicate(timeout=240)
    assert told == "hitcurve: waiting for a program that writes to the pipe pipe (Ctrl-C stops it)\n"
    assert (waiting.returncode, out, said) == (0, expected, "")


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("word", "out", "said"),
    [("<(cat x.csv)", 2, ""), ("<(sleep 4; cat x.csv)", 2, ""), ("<(true)", 0, "is empty\n")],
)
def test_a_pipe_of_the_shell_is_read(word: str, out: int, said: str, folder: Path) -> None:
    line = f"{sys.executable} -m hitcurve evaluate {word} -l y -s a -m auc -f csv"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=240)
    assert done.stdout.count("\n") == out
    assert done.stderr.endswith(said)
    assert done.stderr.count("\n") == len(said.splitlines())


@posix
def test_a_pipe_is_no_file_that_is_read_at_any_place(folder: Path) -> None:
    pipe = _pipe(folder)
    calls: list[Callable[[], Any]] = [
        lambda: hc.evaluate("y", "a", data=pipe),
        lambda: hc.load_tables(pipe),
        lambda: hc.load_table(pipe),
        lambda: hc.from_json(pipe),
        lambda: hc.read_trec_run(pipe),
        lambda: hc.read_qrels(pipe),
        lambda: hc.screen(pipe, "y"),
    ]
    for call in calls:
        with pytest.raises(UnreadableFileError, match="pipe is a pipe, which cannot be read twice"):
            call()


@pytest.mark.slow
@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_that_a_library_holds(number: signal.Signals, folder: Path) -> None:
    (folder / "big.csv").write_text("y,a,t\n" + "".join(f"{i % 2},{i},x{i}\n" for i in range(3000)))
    slow = "levenshtein(rpad(t, 10000, 'b'), rpad('c', 10000, t)) > 3"  # minutes within one call
    obeyed = {signal.SIGINT: "default_int_handler", signal.SIGTERM: "SIG_DFL"}[number]  # also where a caller ignores it
    code = f"""
import signal, sys
signal.signal({int(number)}, signal.{obeyed})
import duckdb, pyarrow, scipy.special, typer  # so that the time is that of the condition
sys.stderr.write("begins\\n")
sys.stderr.flush()
from hitcurve.cli import main
main()"""
    words = ["evaluate", "big.csv", "-l", "y", "-s", "a", "-m", "auc", "--where", slow]
    with subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        time.sleep(3)
        process.send_signal(number)
        _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (128 + number, f"hitcurve: stopped by {number.name}\n")


@posix
def test_a_signal_of_a_child_is_not_that_of_its_parent() -> None:
    code = """
import os, signal, time
from hitcurve.cli import ending
ending._GRACE = 0.2
with ending.endable([]):
    child = os.fork()
    if not child:
        signal.signal(signal.SIGTERM, lambda *_: None)
        os.kill(os.getpid(), signal.SIGTERM)
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(1)
print("whole")"""
    done = script(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "whole\n", "")


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
@pytest.mark.parametrize("limit", [200_000_000, 300_000_000, 360_000_000, 420_000_000, 460_000_000])
def test_an_address_space_that_holds_no_libraries_is_said(folder: Path, limit: int) -> None:
    run = "from hitcurve.cli import main; main()"
    code = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({limit},) * 2); {run}"
    done = script(code, *EVALUATE)
    assert (done.returncode, done.stdout) in ((0, in_process(*EVALUATE).stdout), (2, ""))
    if done.returncode:
        assert done.stderr.count("\n") == 1
        assert re.search("the memory does not suffice|not enough memory|the address space", done.stderr)
        assert "pip install" not in done.stderr
        assert "--memory-limit" not in done.stderr  # which does not help


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
@pytest.mark.parametrize("limit", range(420_000_000, 560_000_000, 20_000_000))
def test_threads_of_arrow_that_do_not_start_are_no_bug(folder: Path, limit: int) -> None:
    study = [
        f"r{r},c{c},m{m},{(c * 7 + r + m) % 10},{c % 3 == 0:d}" for c in range(40) for m in (1, 2) for r in (1, 2, 3)
    ]
    (folder / "study.csv").write_text("\n".join(["reader,case,modality,rating,truth", *study, ""]))
    names = [word for name in ("truth", "rating", "reader", "case", "modality") for word in (f"--{name}", name)]
    run = "from hitcurve.cli import main; main()"
    code = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({limit},) * 2); {run}"
    done = script(code, "readers", "study.csv", *names)
    assert done.returncode in (0, 2), done.stderr
    if done.returncode:
        assert done.stderr.count("\n") == 1
        assert re.search("the memory does not suffice|not enough memory|the address space", done.stderr)


def test_a_limit_that_was_given_is_not_advised() -> None:
    code = "import hitcurve.cli.run as c\ndef run(): raise MemoryError\nc._run = run\nc.run()"
    said = {
        words: script(code, *words).stderr for words in (("evaluate",), ("evaluate", "--memory-limit=1GB"), ("rate",))
    }
    assert said["evaluate",].endswith(", or give --memory-limit\n")
    assert said["evaluate", "--memory-limit=1GB"].endswith(", or lower --memory-limit\n")
    assert said["rate",].endswith("raise the limit of this process\n")
    reason = "Out of Memory Error: could not allocate block"
    assert "memory_limit" not in reasons.of_file("x.csv", reason)
    assert reasons.of_file("x.csv", reason, limited=True).endswith("within memory_limit (--memory-limit): raise it")


def test_ctrl_c_while_the_command_starts() -> None:
    code = (
        "from hitcurve.cli import run\n"
        "def stopped(): raise KeyboardInterrupt\n"
        "run._spare_address_space = stopped\n"
        "run.run()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (130, "", 1), done.stderr


@pytest.mark.parametrize(
    "body",
    [
        # Python up to 3.11 makes a RuntimeError of what __set_name__ raises
        "class Name:\n        def __set_name__(self, *_): raise KeyboardInterrupt\n    class Made: name = Name()",
        "try: raise KeyboardInterrupt\n    except KeyboardInterrupt as end: raise SystemError('set') from end",
        "try: raise KeyboardInterrupt\n    finally: raise OSError('what is left cannot be removed')",
        "try: raise KeyboardInterrupt\n    finally: raise c.ParameterError('half a file')",
    ],
)
def test_ctrl_c_that_a_library_makes_another_error_of(body: str) -> None:
    done = script(f"import hitcurve.cli.run as c\ndef run():\n    {body}\nc._run = run\nc.run()")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "hitcurve: stopped by SIGINT\n")


@posix
def test_ctrl_c_while_the_enumerations_of_signals_are_made() -> None:
    code = """
import sys
class Stopped:
    def find_spec(self, name, *of):
        if name == "signal":
            class Name:
                def __set_name__(self, *_): raise KeyboardInterrupt
            class Made: name = Name()
sys.modules.pop("signal", None)
sys.meta_path.insert(0, Stopped())
import hitcurve.cli"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "hitcurve: stopped by SIGINT\n")


@posix
def test_a_working_folder_that_was_removed(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("y,a\n" + "1,2\n0,1\n" * 9, encoding="utf-8")
    gone = str(tmp_path / "gone")
    start = f"import os, sys; os.mkdir({gone!r}); os.chdir({gone!r}); os.rmdir({gone!r}); "
    for words in (
        ["data", "mammography", "-o", "x.csv"],
        ["evaluate", "scores.csv", "--label", "y", "--score", "a"],
        ["table", str(file), "--label", "y", "--score", "a", "-o", "x.hit"],
    ):
        run = f"{start}sys.argv = ['hitcurve', *{words!r}]; from hitcurve.cli import main; sys.exit(main())"
        done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        said = "hitcurve: error: the working folder cannot be found (No such file or directory): it was removed; "
        assert done.stderr == f"{said}change to another one (cd)\n"
