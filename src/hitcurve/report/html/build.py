"""One page, in one file, that answers what a reader of the list asks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.evaluation import Evaluation
from hitcurve.report.html import words
from hitcurve.report.html.data import Data
from hitcurve.report.html.numbers import numbers
from hitcurve.report.writing import check_folder, write_whole

_LEVELS = (0.9, 0.95, 0.99)
_MOST = 24  # rankers: six colours in four dashes; the file stays below 3 MB
_FILES = Path(__file__).parent


def report(
    ev: Evaluation,
    path: str | Path,
    title: str | None = None,
    *,
    baseline: str | None = None,
    date: str | None = None,
) -> Path:
    """Write an evaluation as a page with charts and controls: one file, which needs no network.

    Curves with bands, every number with its interval, comparisons in words, and controls for what the reader of a
    list chooses: the magnification of the top, the prevalence, how many are read, how much time there is, the
    confidence. All numbers are computed here and looked up there, so that inputs snap to a grid. The same evaluation
    makes the same file.

    Parameters
    ----------
    ev : Evaluation
    path : str or Path
        The file, written whole or not at all.
    title : str, optional
        Heading of the page.
    baseline : str, optional
        The ranker that the others are compared with; all pairs if absent, or the first ranker against the others
        where there are more than 6.
    date : str, optional
        What the page says of when it was made; nothing if absent.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    MissingExtraError
        If altair, vl-convert-python or jinja2 is not installed (``pip install 'hitcurve[report]'``).
    ParameterError
        If ``ev`` is no evaluation, there are more than 24 rankers, or the baseline is none of them.
    UnreadableFileError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from hitcurve import evaluate
    >>> from hitcurve.datasets import mammography
    >>> ev = evaluate(tables=mammography(), metrics=["ap", "auc"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = report(ev, Path(folder) / "report.html", "Film against digital mammography")
    ...     page.stat().st_size < 3_000_000
    True
    """
    where = Path(path)
    check_folder(where)  # before minutes are spent
    write_whole(where, page(ev, title, baseline=baseline, date=date))
    return where


def page(ev: Evaluation, title: str | None = None, *, baseline: str | None = None, date: str | None = None) -> str:
    """Return the page; see :func:`report`."""
    if not isinstance(ev, Evaluation):
        raise ParameterError(f"a report is made of an Evaluation, got {type(ev).__name__}")
    if len(ev.rankers) > _MOST:
        raise ParameterError(
            f"a page holds at most {_MOST} rankers, as many as colours and dashes tell apart, got {len(ev.rankers)}: "
            "evaluate some of them, or all without a page (print, to_frame; hitcurve evaluate)"
        )
    if baseline is not None:
        _checks.choice("baseline", baseline, ev.rankers)
    jinja = _checks.extra("jinja2", "report", "a page")
    markup = jinja.utils.markupsafe.Markup
    environment = jinja.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja.StrictUndefined
    )
    # keys stay in order: the script shows metrics in that of the page
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    template = environment.from_string(_file("page.html.jinja"))
    levels = tuple(sorted({*_LEVELS, ev.confidence_level}))
    found, pairs = words.comparisons(ev, baseline)
    data = Data(ev, levels)

    def readable(texts: Iterable[object]) -> list[str]:
        return [words.in_text(str(one), ev.rankers) for one in texts]

    text: str = template.render(
        title=title or "How good is the ranking where it matters?",
        lead=words.lead(ev),
        facts=words.facts(ev),
        each=readable(words.each(ev)),
        notes=readable(ev.notes),
        warnings=readable(ev.warnings),
        cautions=readable(ev.cautions),
        rankers=ev.rankers,
        levels=[f"{100 * level:g}%" for level in levels],
        level=levels.index(ev.confidence_level),
        numbers=numbers(ev, levels),
        pairs=pairs,
        comparisons=[[words.verdict(c, level) for level in levels] for c in found],
        comparison_cautions=words.cautions(found),
        picture=words.picture(ev),
        methods=readable(ev.methods_text().strip().split("\n\n")),
        off=words.share(math.ceil(data.off * 1000) / 1000),
        data=data.all(),
        style=markup(_file("page.css")),
        script=markup(_file("page.js")),
        library=markup(_library()),
        version=version("hitcurve"),
        date=date,
    )
    return text


def _file(name: str) -> str:
    return (_FILES / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script."""
    convert = _checks.extra("vl_convert", "report", "a page with charts")
    bundle: str = convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle.replace("</script", "<\\/script")
