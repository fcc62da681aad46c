"""What the help of a command says of its options is true of this command."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from hitcurve.cli.app import app
from hitcurve.cli.stored import OF_TABLES

COMMANDS: dict[str, Any] = dict(typer.main.get_command(app).commands)  # type: ignore[attr-defined]
COMMANDS.pop("help", None)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
ANOTHER = re.compile(r"hitcurve (\w+)")


def _options(command: str) -> set[str]:
    return {"--help", *(word for one in COMMANDS[command].params for word in (*one.opts, *one.secondary_opts))}


def _named(command: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the options of a text, each with the command it is of: the one named before it in its sentence."""
    for sentence in re.split(r"[.;:](?:\s|$)|\n\n", text):
        of = command
        for word in re.finditer(f"{ANOTHER.pattern}|({OPTION.pattern})", sentence):
            if word[1] in COMMANDS:
                of = word[1]
            elif word[2]:
                yield of, word[2]


def _texts(command: str) -> Iterator[str]:
    yield COMMANDS[command].help
    yield from (text for one in COMMANDS[command].params if (text := getattr(one, "help", None)))


def _help(command: str, option: str) -> str | None:
    return next((one.help for one in COMMANDS[command].params if option in one.opts), None)


@pytest.mark.parametrize("command", COMMANDS)
def test_options_that_a_help_names_exist(command: str) -> None:
    texts = [*_texts(command)]
    assert len(texts) > 1 or command == "demo"
    for text in texts:
        for of, option in _named(command, text):
            assert option in _options(of), (of, option, text)


def test_an_option_of_another_command_is_found() -> None:
    assert [*_named("gap", "with --by: holm, or see hitcurve evaluate --compare. See --at")] == [
        ("gap", "--by"),
        ("evaluate", "--compare"),
        ("gap", "--at"),
    ]


def test_hit_tables_are_named_where_they_are_taken() -> None:
    said = {name for name in COMMANDS if "hit tables" in (_help(name, "--score") or "")}
    # `drift` and `merge` take nothing else, and say so of their files
    assert said == set(OF_TABLES) - {"drift", "merge"}
    assert all("hit tables" in _help_of_files(name) for name in ("drift", "merge"))


def _help_of_files(command: str) -> str:
    return next(str(one.help) for one in COMMANDS[command].params if one.name == "file")


def test_a_level_says_of_what_it_is() -> None:
    """What prints no interval does not say that its level is of intervals."""
    for command, what in {
        "certify": "the promise of each ranker",
        "stop": "one-sided",
        "band": "of the band.",
        "drift": "the level of the test of changes",
        "decision": "--coverage",
    }.items():
        said = _help(command, "--confidence-level")
        assert said is not None
        assert what in said
    assert all("intervals" not in str(_help(command, "--confidence-level")) for command in ("certify", "stop", "band"))


def test_adjustments_that_are_offered_are_taken() -> None:
    for command in ("evaluate", "survival", "trec"):
        context = typer.Context(COMMANDS[command])
        (option,) = (one for one in COMMANDS[command].params if "--adjust" in one.opts)
        offered = {one.value for one in option.shell_complete(context, "")}
        assert offered == {word for word in ("holm", "max-t", "tukey") if word in option.help}
    assert "tukey" not in str(_help("survival", "--adjust"))
