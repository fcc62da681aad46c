"""What an import costs, and what the package exports."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import hitcurve as hc

ROOMS = {"datasets", "errors", "magnify", "metrics", "rates"}
HEAVY = (
    "pandas",
    "pyarrow",
    "polars",
    "duckdb",
    "matplotlib",
    "sklearn",
    "scipy.stats",
    "scipy.special",
    "typer",
    "rich",
)

LATER = ("hitcurve.screens", "hitcurve.report", "hitcurve.readers", "hitcurve.survival")


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_import_loads_nothing_heavy() -> None:
    assert not set(HEAVY) & loaded_by("import hitcurve\nhitcurve.evaluate")


@pytest.mark.slow
def test_names_that_most_jobs_do_not_use_are_loaded_when_they_are_asked_for() -> None:
    loaded = loaded_by("import hitcurve as hc\nhc.evaluate([1, 0, 1, 0], [4, 3, 2, 1])")
    assert not {name for name in loaded if name.startswith(LATER)}
    for name in ("screen", "Screen", "marker_score"):
        assert "hitcurve.screens.api" in loaded_by(f"from hitcurve import {name}")
    assert "hitcurve.report.superscripts" in loaded_by("import hitcurve as hc\nhc.superscripts")


@pytest.mark.slow
def test_the_page_of_an_evaluation_does_not_load_that_of_a_screen() -> None:
    code = "import hitcurve as hc\nfrom hitcurve.report import page\nimport warnings\nwarnings.simplefilter('ignore')\n"
    loaded = loaded_by(f"{code}page(hc.evaluate([1, 0] * 10, range(20)))")
    assert not {name for name in loaded if "screens" in name and name.startswith("hitcurve")}


def test_help_does_not_wait_for_numpy() -> None:
    assert "numpy" not in loaded_by("import hitcurve.cli.app")


@pytest.mark.slow
def test_nobody_imports_the_face() -> None:
    for path in Path(hc.__path__[0]).rglob("*.py"):
        for names in re.findall(r"^[ \t]*from hitcurve import (\([^)]*\)|.*)", path.read_text(), re.MULTILINE):
            public = set(re.findall(r"\w+", names)) & set(hc.__all__) - ROOMS
            assert not public, f"{path.name} imports {public} from the face"


def test_an_evaluation_in_memory_needs_no_frame_library() -> None:
    loaded = loaded_by("import hitcurve as hc\nstr(hc.evaluate([1, 0, 1, 0], [4, 3, 2, 1]))")
    assert not {"pandas", "pyarrow", "polars", "duckdb", "sklearn", "scipy.stats"} & loaded


@pytest.mark.slow
def test_reading_files_needs_no_pandas(tmp_path: Path) -> None:
    """What pyarrow imports where it is installed costs a command a third of a second."""
    (tmp_path / "t.csv").write_text("y,a\nhit,3\n,2\nmiss,1\nmiss,0\n")
    hc.HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]).save(tmp_path / "t.hit")
    for words in ("t.csv --label y --positive hit --missing drop --score a", "t.hit"):
        given = ["hitcurve", "evaluate", *words.replace("t.", f"{tmp_path}/t.").split(), "-m", "auc"]
        code = f"import sys\nfrom hitcurve.cli import main\nsys.argv = {given}"
        loaded = loaded_by(f"{code}\ntry:\n    main()\nexcept SystemExit as end:\n    assert not end.code")
        assert "duckdb" in loaded or "pyarrow" in loaded
        assert "pandas" not in loaded


def test_the_face_is_complete() -> None:
    for name in hc.__all__:
        assert getattr(hc, name) is not None


def test_every_public_name_is_documented() -> None:
    for name in hc.__all__:
        assert (getattr(hc, name).__doc__ or "").strip(), name


@pytest.mark.parametrize("room", [hc.magnify, hc.metrics, hc.rates], ids=lambda room: str(room.__name__))
def test_rooms_hold_what_the_face_does_not(room: ModuleType) -> None:
    both = set(room.__all__) & set(hc.__all__)
    assert both <= {"Metric", "metric", "metrics", "preset", "rank_weights", "scorer", "trec_metric"}
    for name in room.__all__:
        value = getattr(room, name)
        assert not callable(value) or (value.__doc__ or "").strip(), name


def test_a_screen_does_not_load_scipy_stats() -> None:
    code = (
        "import sys, numpy as np, hitcurve as hc; rng = np.random.default_rng(0)\n"
        "hc.screen(rng.normal(size=(60, 5)), np.arange(60) % 3 == 0); print('scipy.stats' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


@pytest.mark.parametrize("room", ["", "inference"])
def test_the_map_of_the_house_names_every_module(room: str) -> None:
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = {name.removesuffix(".py") for name in re.findall(r"`([\w.]+)`", text)}
    modules = {path.stem for path in (Path(hc.__file__).parent / room).glob("*.py")} - {"__init__", "__main__"}
    assert modules - named == set()
