"""Usage errors of the command line, each in one sentence of our own."""

from __future__ import annotations

import re
import sys
from typing import Any

import typer

from hitcurve import _checks

UsageError: type[Exception] = typer.BadParameter.__bases__[0]
_NUMBER = re.compile(r"(?P<value>'.*'|\S+) is not a valid (?P<kind>float|int)")
_METHOD = re.compile(r"(?P<name>(?:interval_)?method)='(?P<value>[\w-]+)'(?= (?:is (?:not )?for|cannot be|needs) )")
_LIMITS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


def sentence_of(error: Any) -> str:
    """Return what an error of the parser means: the option or argument, the rule, the value, what to do."""
    ctx, param, message = getattr(error, "ctx", None), getattr(error, "param", None), str(error.message).rstrip(".")
    command = "hitcurve" if ctx is None else ctx.command_path
    help_is = f"see {command} --help"
    name = getattr(error, "option_name", None) or _name_of(param)
    if getattr(error, "possibilities", False) is not False:
        near = _near_option(name, _options(ctx))
        return f"{command} has no option {name}{near or f': {help_is}'}"
    if param is not None:
        rule = _rule(error, message)
        return f"{command} needs {name}: {help_is}" if not message else f"{name} {rule or f'{message}: {help_is}'}"
    if found := re.match(r"No such command '(.*?)'", message, re.DOTALL):
        return f"hitcurve has no command {found[1]!r}{_checks.did_you_mean(found[1], _commands(ctx)) or f': {help_is}'}"
    if found := re.search(r"unexpected extra arguments?(?:\(s\))? \((.*)\)", message, re.DOTALL):
        return f"{command} cannot use {found[1]!r}: {help_is}"
    if "requires" in message:
        count = re.search(r"requires (\d+)", message)
        return f"{name} needs {f'{count[1]} values' if count else 'a value'} after it"
    if "does not take a value" in message:
        return f"{name} takes no value: leave out what follows ="
    return f"{message[:1].lower()}{message[1:]}: {help_is}"


def with_option(message: str, app: Any) -> str:
    """Return a message that names the option of the command as it is written: ``--x-range`` for ``x_range``.

    The application is as it was called: only a command that was given is looked for.
    """
    commands = app.commands
    command = next((commands[word] for word in sys.argv[1:] if word in commands), None)
    there = [] if command is None else [option for param in command.params for option in param.opts]
    flags = {"method": "--method", "interval_method": "--interval-method"}
    found = _METHOD.match(message)
    if found is not None:
        other = next((flag for flag in flags.values() if flag in there), "--interval-method")
        flag = flags[found["name"]] if flags[found["name"]] in there else other
        message = f"{flag} {found['value']}{message[found.end() :]}"
    if re.match(r"[a-z]\w*=[-\d.]+ is ", message):  # numbers that do not go together, each with its name
        flag_of = {option[2:].replace("-", "_"): option for option in there if option.startswith("--")}
        return re.sub(r"\b([a-z]\w*)=(?=[-\d.])", lambda m: f"{flag_of[m[1]]} " if m[1] in flag_of else m[0], message)
    found = re.match(r"(?P<name>[a-z]\w*)=?(?= (?:must|is|are|cannot|\S+ is too) )", message)
    if found is None:
        return message
    words = found["name"].replace("_", "-")
    option = next((one for one in (f"--{words}", f"--n-{words}") if one in there), None)
    return message if option is None else option + message[found.end() :]


def _name_of(param: Any) -> str:
    """Return a parameter as it is written: an option with its dashes, an argument in capitals."""
    if param is None:
        return ""
    return as_written(*param.opts) if param.param_type_name == "option" else str(param.name).upper()


def as_written(*names: str) -> str:
    """Return by which of its names an option was given, the last time; the first one if by none, or by a letter."""
    words = (word.partition("=")[0] for word in reversed(sys.argv[1:]))
    return next((word for word in words if word in names and word.startswith("--")), names[0])


def _rule(error: Exception, message: str) -> str:
    """Return which values an option takes, and the one given; empty if that is unknown."""
    if message.startswith("must be "):  # said by our own parser
        return message
    details: list[Any] = getattr(error.__cause__, "errors", list)()
    if details:
        kind, value, bounds = details[0]["type"], details[0]["input"], details[0].get("ctx", {})
        if limits := [f"{words} {bounds[key]}" for key, words in _LIMITS.items() if key in bounds]:
            return f"must be {limits[0]}, got {value}"
        value = repr(value)
    elif found := re.match(r"(\S+) is not in the range \w+([<>])(=?)(\S+)", message):
        words = {">=": "at least", ">": "above", "<=": "at most", "<": "below"}[found[2] + found[3]]
        return f"must be {words} {found[4]}, got {found[1]}"
    elif found := _NUMBER.match(message):
        kind, value = found["kind"], found["value"]
    else:
        return ""
    return f"must be a {'whole ' if kind.startswith('int') else ''}number, got {value}"


def _near_option(name: str, options: list[str]) -> str:
    """Return which options are meant, compared without the dashes that all of them share."""
    near = _checks.did_you_mean(name.lstrip("-"), [one[2:] for one in options if one.startswith("--")])
    return re.sub(r"'(?=\w)", "'--", near)


def _options(ctx: Any) -> list[str]:
    return [] if ctx is None else [option for param in ctx.command.params for option in param.opts if "-" in option]


def _commands(ctx: Any) -> list[str]:
    return [] if ctx is None else list(ctx.command.list_commands(ctx))
