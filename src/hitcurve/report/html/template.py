"""Templates and files of pages, and texts in them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hitcurve import _checks, rows
from hitcurve.report.html import words

_FILES = Path(__file__).parent


@lru_cache(maxsize=1)
def environment() -> Any:
    """Return what keeps the templates, which take longer to compile than to fill."""
    jinja = _checks.extra("jinja2", "report", "a page")
    made = jinja.Environment(
        loader=jinja.FunctionLoader(file_of),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja.StrictUndefined,
        finalize=lambda value: value if hasattr(value, "__html__") else seen(value),
    )
    # keys stay in order: the script shows metrics in that of the page
    made.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return made


def markup(text: str) -> Any:
    """Return a text that is put into a page as it is."""
    return _checks.extra("jinja2", "report", "a page").utils.markupsafe.Markup(text)


def rendered(
    name: str, *, title: str, style: str = "", scripts: Iterable[str] = (), date: str | None, **shown: Any
) -> str:
    """Return a page: a template filled with texts, with its style sheet and its scripts, and no others.

    Parameters
    ----------
    name : str
        The template.
    style : str
        What the style sheet has besides that of all pages.
    scripts : iterable of str
        Scripts in their order.
    shown : object
        Texts by name.
    """
    own, style = list(scripts), file_of("page.css") + _head_of_paper(title) + style
    page: str = (
        environment()
        .get_template(f"{name}.html.jinja")
        .render(
            **shown,
            title=title,
            style=markup(style),
            scripts=list(map(markup, own)),
            policy=markup(policy(style, own)),
            version=version("hitcurve"),
            date=date,
        )
    )
    return page


def policy(style: str, scripts: Iterable[str]) -> str:
    """Return the Content-Security-Policy of a page: one style sheet and some scripts, named by their hashes."""
    allowed = " ".join(map(_hash, scripts)) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def seen(value: Any) -> Any:
    """Return a value whose texts, wherever they are in it, show control characters."""
    if isinstance(value, str):
        if value.isascii():
            return rows.visible(value)
        # what is isolated keeps its own direction, and turns nothing around
        parts = map(rows.visible, words.ISOLATED.split(value))
        return "".join(words.isolated(part) if number % 2 else part for number, part in enumerate(parts))
    if isinstance(value, Mapping):
        return {seen(key): seen(own) for key, own in value.items()}
    return [seen(own) for own in value] if isinstance(value, (list, tuple)) else value


def _head_of_paper(title: str) -> str:
    """Return the style of the margins of printed pages: the title above, the number of the page below."""
    # whatever is no letter or digit is written by its number, so that no title ends the text or the style
    text = "".join(one if one.isascii() and one.isalnum() else f"\\{ord(one):x} " for one in seen(title))
    style = "font: 8pt system-ui, sans-serif; color: #55606b"
    return (
        f'@page {{ @top-left {{ content: "{text}"; {style}; white-space: nowrap; overflow: hidden }} '
        f'@bottom-right {{ content: counter(page) " of " counter(pages); {style} }} }}\n'
    )


def file_of(name: str) -> str:
    """Return the text of a file of this room."""
    return (_FILES / name).read_text(encoding="utf-8")
