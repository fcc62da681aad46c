"""Shell completion of metrics, choices and columns of the named file."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import typer

Word: TypeAlias = "str | tuple[str, str]"
Offer: TypeAlias = Callable[[typer.Context, str], list[Word]]
_SHELL = re.compile(r"[^\w@%+=:,./\-]")
_OPEN_QUOTE = re.compile(r"""(?:^|\s)["'][^"']*$""")


def _offered(words: Callable[[dict[str, Any], str], Iterable[Word]]) -> Offer:
    """Return a completion that offers nothing if anything fails; the command then reports the error."""

    def offer(ctx: typer.Context, incomplete: str) -> list[Word]:
        try:
            return [_for_shell(word) for word in dict.fromkeys(words(_given(ctx), incomplete))]
        except Exception:  # a message would be taken for words to choose from
            return []

    return offer


def _given(ctx: typer.Context) -> dict[str, Any]:
    """Return what was given so far; where an option still waits for its value, files are left over."""
    files = ctx.params.get("file") or ()
    return {**ctx.params, "file": [*([files] if isinstance(files, str) else files), *ctx.args]}


def _for_shell(word: Word) -> Word:
    """Return a word as bash must write it, which does not escape what it inserts; other shells do."""
    bash = any(name.endswith("_COMPLETE") and value == "complete_bash" for name, value in os.environ.items())
    if not bash or _OPEN_QUOTE.search(os.environ.get("COMP_WORDS", "")):
        return word
    text, *more = (word,) if isinstance(word, str) else word
    escaped = _SHELL.sub(lambda sign: f"\\{sign[0]}", text)
    return (escaped, more[0]) if more else escaped


# ---- choices


def one_of(*words: str) -> Offer:
    """Return a completion by a few words."""
    return _offered(lambda given, incomplete: words)


def listed(module: str, name: str, *more: str) -> Offer:
    """Return a completion by the names that a module lists, which is imported when a word is completed."""
    return _offered(lambda given, incomplete: [*more, *getattr(importlib.import_module(module), name)])


def _curves(given: dict[str, Any], incomplete: str) -> Iterable[str]:
    from hitcurve.cli.plot import OTHERS
    from hitcurve.curve import KINDS

    return [*(name.replace("_", "-") for name in KINDS), *OTHERS, "forest"]


def _tests(given: dict[str, Any], incomplete: str) -> Iterable[str]:
    from hitcurve.groups import METHODS as ACROSS
    from hitcurve.inference import METHODS
    from hitcurve.inference.comparing.looks import LOOKED

    if given.get("by") or given.get("folds"):
        return ["auto", *ACROSS]
    return [method for method in METHODS if method not in LOOKED]


def _datasets(given: dict[str, Any], incomplete: str) -> Iterable[Word]:
    from hitcurve.datasets import load, names

    return [(name, load(name).title) for name in names()]


def _metrics(given: dict[str, Any], incomplete: str) -> Iterable[Word]:
    """Yield names that stand alone, examples, and metrics of the presets, each with its summary."""
    from hitcurve.errors import HitcurveError
    from hitcurve.metrics import PRESETS, examples, metric

    for text in (*examples(), *examples().values(), *(text for those in PRESETS.values() for text in those)):
        try:
            yield text, metric(text).summary
        except HitcurveError:  # a name that needs an argument
            continue


def _described(given: dict[str, Any], incomplete: str) -> Iterable[Word]:
    from hitcurve.metrics import examples, metric

    return [(name, metric(text).summary) for name, text in examples().items()]


curves = _offered(_curves)
tests = _offered(_tests)
datasets = _offered(_datasets)
metrics = _offered(_metrics)
described = _offered(_described)


# ---- columns of the files named so far


def _columns(given: dict[str, Any], incomplete: str) -> Iterator[str]:
    from hitcurve.sources.files import column_names

    for path in _files(given):
        yield from column_names(path, header=not given.get("no_header"))


def _scores(given: dict[str, Any], incomplete: str) -> Iterator[str]:
    """Yield columns, and the directions of one whose name is there."""
    for name in _columns(given, incomplete):
        yield name
        if incomplete.startswith(name):
            yield from (f"{name}:low", f"{name}:high")


def _rankers(given: dict[str, Any], incomplete: str) -> Iterator[str]:
    """Yield the scores that were named; of counts, the names that the command gives their rankers."""
    from hitcurve.cli.counts import names_of_columns
    from hitcurve.cli.inputs import split_directions
    from hitcurve.sources.files import column_names, names_after

    if given.get("counts"):
        several = given.get("positives") or ()
        yield from names_after(list(_files(given))) if len(several) < 2 else names_of_columns(several)
    else:
        header = {name for path in _files(given) for name in column_names(path, header=not given.get("no_header"))}
        yield from split_directions(given.get("score") or (), header.__contains__)[0]


def _files(given: dict[str, Any]) -> Iterator[Path]:
    """Yield the named files that exist, without pipes, which can be read only once."""
    from hitcurve.sources.files import expand

    labels = given.get("labels")
    for name in [*given["file"], *([labels] if labels else [])]:
        # bash hands the parts of energy:low over as words
        yield from (path for path in expand(name) if path.is_file())


columns = _offered(_columns)
scores = _offered(_scores)
rankers = _offered(_rankers)
