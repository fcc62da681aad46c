"""What a release changes in the interface: ``python packaging/interface.py REF`` compares this tree with a commit.

The interface is what the public modules name in ``__all__``, the methods and attributes of these classes, and the
commands with their options. Lines of the output are what breaks for those who use it; the exit code is 1 if there are
any. New names are no breakage.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

import griffe

ROOT = Path(__file__).parents[1]
# what the modules of the reference import and name in __all__; and the commands
PUBLIC = ("_face", "datasets", "errors", "learn", "magnify", "metrics", "plot", "rates", "spark", "cli")
_COLOURS = re.compile(r"\x1b\[\d+m")


def changes(old: Path, new: Path) -> list[str]:
    """Return what breaks in the interface between two folders of sources, a line for each."""
    before, after = loaded(old), loaded(new)
    lines = set()
    for name in PUBLIC:
        if name not in before.members:
            continue
        if name not in after.members:
            lines.add(f"hitcurve.{name}: Public object was removed")
            continue
        for breakage in griffe.find_breaking_changes(before.members[name], after.members[name]):
            lines.add(_COLOURS.sub("", breakage.explain(griffe.ExplanationStyle.ONE_LINE)))
    return sorted(lines)


def loaded(source: Path) -> griffe.Object:
    """Return the package of a folder of sources, read and not imported."""
    package = griffe.load("hitcurve", search_paths=[source], resolve_aliases=True, allow_inspection=False)
    assert isinstance(package, griffe.Object)
    return package


def main() -> None:
    """Compare this tree with a commit."""
    if len(sys.argv) != 2:
        sys.exit("usage: python packaging/interface.py REF")
    done = subprocess.run(["git", "archive", sys.argv[1], "src"], cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
            archive.extractall(folder, filter="data")
        lines = changes(Path(folder, "src"), ROOT / "src")
    print(*lines, sep="\n", end="\n" * bool(lines))
    print(f"{len(lines)} changes of the interface since {sys.argv[1]}")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
