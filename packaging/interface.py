"""What a release changes in the interface: ``python packaging/interface.py REF`` compares this tree with a commit.

The interface is what the public modules name in ``__all__``, the methods and attributes of these classes, the commands
with their options, and the names of metrics. Sources are compared for the signatures; what names, commands and metrics
are called is asked of each tree in a process of its own, in the environment of this one. Lines of the output are what
breaks for those who use it; the exit code is 1 if there are any. New names are no breakage. What a public module names
is compared by that name, wherever it is defined; private names and parameters are no interface.
"""

from __future__ import annotations

import builtins
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

import griffe

ROOT = Path(__file__).parents[1]
# what the modules of the reference import and name in __all__
PUBLIC = ("_face", "datasets", "errors", "learn", "magnify", "metrics", "plot", "rates", "spark")
_COLOURS = re.compile(r"\x1b\[\d+m")
# prints what has no signature: of each thing of the interface, what is said of it
_SAID = """
import importlib, json, sys
import typer
import hitcurve
from hitcurve.cli.app import app

said = {f"hitcurve.{name}": "" for name in hitcurve.__all__}
for name in sys.argv[1:]:
    module = importlib.import_module(f"hitcurve.{name}")
    said.update({f"hitcurve.{name}.{each}": "" for each in getattr(module, "__all__", ())})
said.update({f"metric {name}": "" for name in hitcurve.metrics.names()})
for name, command in typer.main.get_command(app).commands.items():
    said[f"hitcurve {name}"] = ""
    for option in command.params:
        needed = "required" if option.required else "optional"
        takes = "values" if option.multiple or option.nargs != 1 else "a value"
        takes = "nothing" if getattr(option, "is_flag", False) else takes
        default = "" if callable(option.default) else f", default {option.default!r}"
        names = [*option.opts, *option.secondary_opts]
        for spelling in names if option.param_type_name == "option" else [option.name.upper()]:
            said[f"hitcurve {name} {spelling}"] = f"{needed}, takes {takes}{default}"
print(json.dumps(said))
"""


def signatures(old: Path, new: Path) -> set[str]:
    """Return what breaks in signatures between two folders of sources, a line for each."""
    before, after = loaded(old), loaded(new)
    lines = set()
    for name in PUBLIC:
        if name not in before.members:
            continue
        if name not in after.members:
            lines.add(f"hitcurve.{name}: Public object was removed")
            continue
        for breakage in griffe.find_breaking_changes(before.members[name], after.members[name]):
            if not (is_private(breakage) or is_still_read(breakage) or is_of_a_builtin(breakage, after)):
                line = _COLOURS.sub("", breakage.explain(griffe.ExplanationStyle.ONE_LINE))
                lines.add(line.replace(f"{old.parent}{os.sep}", ""))
    return lines


def is_private(breakage: griffe.Breakage) -> bool:
    """Say whether a change is of a private name, of what a private class has, or of a private parameter."""
    names = breakage.obj.path.replace("hitcurve._face.", "hitcurve.").split(".")[-2:]
    for value in (breakage.old_value, breakage.new_value):
        if isinstance(value, griffe.Parameter):
            names.append(value.name)
    return any(name.startswith("_") and not name.endswith("__") for name in names)


def is_still_read(breakage: griffe.Breakage) -> bool:
    """Say whether an attribute has become one that is computed, which griffe does not know of ``cached_property``."""
    decorators = getattr(breakage.obj, "decorators", ())
    return isinstance(breakage, griffe.ObjectChangedKindBreakage) and any(
        decorator.callable_path.rpartition(".")[2] == "cached_property" for decorator in decorators
    )


def is_of_a_builtin(breakage: griffe.Breakage, after: griffe.Object) -> bool:
    """Say whether a method is gone that the class has from a builtin, such as ``dict``, of which griffe knows none."""
    owner = breakage.obj.parent
    if not isinstance(breakage, griffe.ObjectRemovedBreakage) or owner is None or not owner.is_class:
        return False
    try:
        now = after[owner.canonical_path.removeprefix(f"{after.path}.")]
    except KeyError:
        return False
    bases = [str(base).partition("[")[0] for each in (now, *now.mro()) for base in each.bases]
    return any(hasattr(getattr(builtins, base, None), breakage.obj.name) for base in bases)


def said(source: Path) -> dict[str, str]:
    """Return what a tree calls its names, metrics, commands and options, and what these take."""
    modules = [name for name in PUBLIC if name not in ("_face", "spark")]
    found = subprocess.run(
        [sys.executable, "-c", _SAID, *modules],
        env={**os.environ, "PYTHONPATH": str(source)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return dict(json.loads(found.stdout))


def unlike(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Return what is gone, each command without its options, and what is said otherwise of what is there."""
    gone = before.keys() - after.keys()
    lines = {f"{name}: was removed" for name in gone if name.rpartition(" ")[0] not in gone}
    for name in before.keys() & after.keys():
        if before[name] not in (after[name], after[name].replace("optional", "required")):
            lines.add(f"{name}: was {before[name]}, is {after[name]}")
    return lines


def loaded(source: Path) -> griffe.Object:
    """Return the package of a folder of sources, read and not imported."""
    package = griffe.load("hitcurve", search_paths=[source], resolve_aliases=True, allow_inspection=False)
    assert isinstance(package, griffe.Object)
    hide_modules(package)
    return package


def hide_modules(package: griffe.Object) -> None:
    """Let the modules that are none of the public ones be private, whatever their names."""
    for name, member in package.members.items():
        if not member.is_alias and member.is_module and isinstance(member, griffe.Object):
            member.public = package.path == "hitcurve" and name in PUBLIC
            hide_modules(member)


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
        old, new = Path(folder, "src"), ROOT / "src"
        lines = sorted(signatures(old, new) | unlike(said(old), said(new)))
    print(*lines, sep="\n", end="\n" * bool(lines))
    print(f"{len(lines)} changes of the interface since {sys.argv[1]}")
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
