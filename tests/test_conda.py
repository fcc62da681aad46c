"""The conda recipe says what the package says of itself."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import hitcurve as hc

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def recipe() -> Any:
    """Read the recipe with its variables filled in, as rattler-build does before it reads the rest."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    text = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    for name, value in yaml.safe_load(text)["context"].items():
        text = text.replace(f"${{{{ {name} }}}}", value)
    return yaml.safe_load(text)


def spelt(requirements: list[str]) -> set[str]:
    return {re.sub(r"\s+", "", requirement) for requirement in requirements}


def test_requirements(recipe: Any) -> None:
    """A package of conda has no extras, and this one has the command: what it needs is there too."""
    project = PROJECT["project"]
    python = f"python{project['requires-python']}"
    needed = recipe["requirements"]
    extras = project["optional-dependencies"]
    cli = [one for name in ("cli", "files") for one in extras[name] if not one.startswith("hitcurve")]
    cli = [re.sub("^duckdb", "python-duckdb", one) for one in cli]
    assert spelt(needed["run"]) == {python, *spelt(project["dependencies"]), *spelt(cli)}
    assert spelt(needed["host"]) == {python, "pip", *spelt(PROJECT["build-system"]["requires"])}


def test_version_and_command(recipe: Any) -> None:
    project = PROJECT["project"]
    assert recipe["package"] == {"name": project["name"], "version": hc.__version__}
    assert recipe["source"]["path"].endswith(f"/hitcurve-{hc.__version__}.tar.gz")
    commands = [f"{name} = {where}" for name, where in project["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == commands
    about = recipe["about"]
    assert (about["summary"], about["license"]) == (project["description"], project["license"])
    assert about["license_file"] == project["license-files"]
    assert all(list(ROOT.glob(where)) for where in about["license_file"])
    assert f"version: {hc.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
