"""The output format: the one requested, or the suffix of the file."""

from __future__ import annotations

from pathlib import Path

SUFFIXES = {
    ".txt": "text",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "feather",
    ".html": "html",
    ".htm": "html",
}
BINARY = ("parquet", "arrow", "feather")  # files of columns, which have no place for notes
FORMATS = ("text", "json", "csv", "markdown", "latex", *BINARY)
DATA = ("json", "csv", *BINARY)  # all digits, for programs
_OTHERS = {".hit": "hit tables", ".pdf": "a figure", ".svg": "a figure", ".png": "a figure"}
_ANY = ("", ".log", ".out")  # names that say nothing


def form_of(form: str | None, output: Path | None, default: str, *, has_page: bool = False) -> str:
    """Return the format to write.

    Parameters
    ----------
    form : str or None
        The one that was asked for.
    output : Path or None
        Where it goes; None is standard output.
    default : str
        Where neither says anything.
    has_page : bool
        Whether the result can be a page.

    Raises
    ------
    ParameterError
        If there is no such format, the name of the file says another one, or nothing is written in that of its name.
    """
    from hitcurve import _checks
    from hitcurve.errors import ParameterError

    there = (*FORMATS, "html") if has_page else FORMATS
    if form is not None:
        _checks.choice("--format", form, there)
    if output is None:
        chosen = default if form is None else form
        if chosen in (*BINARY, "html"):
            raise ParameterError(f"--format {chosen} needs a file: --output NAME.{chosen}")
        return chosen
    suffix = output.suffix.lower()
    said = SUFFIXES.get(suffix) if form is None else {**SUFFIXES, **_OTHERS}.get(suffix)
    if form is not None:
        if said is not None and said != form:
            raise ParameterError(
                f"--format {form} contradicts --output {output}, whose name says {said}: leave out --format, or change "
                "the end of the name"
            )
        return form
    if said is None and suffix not in _ANY:
        raise ParameterError(
            f"no format is known by the end of --output {output}: end it in {_listed(there)}, or give --format"
        )
    if said is not None and said not in there:
        raise ParameterError(f"this result has no {said}, got --output {output}: end it in {_listed(there)}")
    return default if said is None else said


def _listed(forms: tuple[str, ...]) -> str:
    ends = {form: suffix for suffix, form in reversed(SUFFIXES.items())}
    return ", ".join(ends[form] for form in forms)


def check_markdown(output: Path) -> None:
    """Raise if the suffix of a report in markdown is that of another format.

    Raises
    ------
    ParameterError
    """
    from hitcurve.errors import ParameterError

    said = {**SUFFIXES, **_OTHERS}.get(output.suffix.lower(), "markdown")
    if said != "markdown":
        raise ParameterError(
            f"this report is in markdown, got --output {output}, whose name says {said}: end it in .md"
        )
