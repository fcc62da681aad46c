"""Constraints that pin what hitcurve and its tests need to the lowest versions that pyproject.toml allows.

``python packaging/lowest.py > lowest.txt``, then ``pip install -c lowest.txt -e '.[all]' --group test``.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[\w-]+)(\[[\w,-]+\])?>=(?P<version>[\d.]+)")


def lowest(pyproject: Path = PYPROJECT) -> dict[str, str]:
    """Return the lowest version of each direct dependency: where two groups differ, what holds for both."""
    told = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    project = told["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values(), told["dependency-groups"]["test"]]
    found: dict[str, str] = {}
    for requirement in (one for group in groups for one in group if isinstance(one, str)):
        if (match := REQUIREMENT.match(requirement)) is not None:
            name, version = match["name"], match["version"]
            found[name] = max(found.get(name, "0"), version, key=_parts)
    return found


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


if __name__ == "__main__":
    print("\n".join(f"{name}=={version}" for name, version in sorted(lowest().items())))
